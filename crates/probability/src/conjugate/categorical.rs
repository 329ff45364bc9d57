//! The Dirichlet prior of the probabilities of categories.

use super::{CategoryCounts, Conjugate, PointEstimates, Statistic};
use crate::laws::{Categorical, Dirichlet};
use crate::special::log_beta_of;
use crate::{Density, Modal, Mode, check};
use didact_core::{Error, Result};
use ndarray::Array1;

impl Conjugate<usize> for Dirichlet {
    type Statistic = CategoryCounts;
    type Parameter = Array1<f64>;
    type Likelihood = Categorical;
    type Predictive = Categorical;

    fn no_data(&self) -> CategoryCounts {
        CategoryCounts {
            counts: Array1::zeros(self.concentration().len()),
            strangers: 0.0,
        }
    }

    /// Dirichlet(α + counts).
    fn posterior(&self, data: &CategoryCounts) -> Result<Self> {
        check::same_dimension("the counts", data.counts.len(), self.concentration().len())?;
        if data.strangers != 0.0 {
            return Err(Error::data(format!(
                "some values are no category; categories must be less than {}",
                data.counts.len()
            )));
        }
        let counts = CategoryCounts::new(data.counts.clone())?.counts;
        Dirichlet::new(&self.concentration() + &counts)
    }

    /// ln B(α+N) − ln B(α): of one ordered sequence; the counts themselves follow
    /// [`super::DirichletMultinomial`].
    fn log_evidence(&self, data: &CategoryCounts) -> Result<f64> {
        let after = self.posterior(data)?;
        let of = |law: &Dirichlet| log_beta_of(law.concentration().iter().copied());
        Ok(of(&after) - of(self))
    }

    /// p(k) = αₖ/Σα, positive also for categories that were never seen.
    fn predictive(&self) -> Result<Categorical> {
        let total = self.total();
        Categorical::new(
            self.concentration()
                .iter()
                .map(|alpha| alpha / total)
                .collect(),
        )
    }

    fn log_belief(&self, parameter: &Array1<f64>) -> f64 {
        self.log_density(parameter.view())
    }

    fn likelihood(&self, parameter: &Array1<f64>) -> Result<Categorical> {
        Categorical::new(parameter.to_vec())
    }
}

impl PointEstimates<usize> for Dirichlet {
    /// Nₖ/N, where there are data.
    fn most_likely(&self, data: &CategoryCounts) -> Option<Array1<f64>> {
        (data.weight() > 0.0).then(|| &data.counts / data.weight())
    }

    /// (αₖ−1)/(Σα−K).
    fn most_believed(&self) -> Mode<Array1<f64>> {
        self.mode()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conjugate::{DirichletMultinomial, Trials};
    use crate::laws::Beta;
    use crate::testing::{assert_close, assert_relative};
    use ndarray::array;

    // 003:P27, 003:P28 and section 3 of 003.
    #[test]
    fn the_printed_estimates_are_found() {
        let prior = Dirichlet::symmetric(3, 1.0).unwrap();
        let data = CategoryCounts::new(array![3.0, 1.0, 0.0]).unwrap();
        let posterior = prior.posterior(&data).unwrap();
        let shares = array![0.75, 0.25, 0.0];
        assert_close(&prior.most_likely(&data).unwrap(), &shares, 1e-15);
        // "Set αₖ = 1" makes the mode, not the predictive, equal to maximum likelihood.
        assert_close(&posterior.most_believed().point().unwrap(), &shares, 1e-15);
        let predictive = posterior.predictive().unwrap();
        assert_close(
            predictive.probabilities(),
            &[4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0],
            1e-15,
        );
        let counts = DirichletMultinomial::new(4, array![1.0, 1.0, 1.0]).unwrap();
        assert_relative(counts.density(&[3, 1, 0]), 1.0 / 15.0, 1e-13);
        // The coefficient 4!/(3!·1!) is four.
        let sequence = prior.log_evidence(&data).unwrap().exp();
        assert_relative(sequence, 1.0 / 60.0, 1e-13);
    }

    // 003:P27, 003:P28
    #[test]
    fn two_categories_are_the_beta_prior() {
        let prior = Dirichlet::new(array![2.0, 3.0]).unwrap();
        let data = CategoryCounts::new(array![7.0, 3.0]).unwrap();
        let (beta, trials) = (Beta::new(2.0, 3.0).unwrap(), Trials::new(7.0, 3.0).unwrap());
        assert_relative(
            prior.log_evidence(&data).unwrap(),
            beta.log_evidence(&trials).unwrap(),
            1e-13,
        );
        let posterior = prior.posterior(&data).unwrap();
        assert_relative(
            posterior.most_believed().point().unwrap()[0],
            8.0 / 13.0,
            1e-15,
        );
        assert_relative(
            posterior.predictive().unwrap().probabilities()[0],
            0.6,
            1e-15,
        );
    }

    #[test]
    fn values_that_are_no_category_are_refused() {
        let prior = Dirichlet::symmetric(2, 1.0).unwrap();
        assert!(prior.update([0, 1, 2]).is_err());
        assert!(
            prior
                .posterior(&CategoryCounts::new(array![1.0]).unwrap())
                .is_err()
        );
        let sparse = Dirichlet::symmetric(3, 0.5).unwrap();
        assert_eq!(sparse.update([0]).unwrap().most_believed(), Mode::Boundary);
        assert_eq!(prior.most_likely(&prior.no_data()), None);
    }
}
