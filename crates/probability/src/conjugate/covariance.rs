//! The inverse Wishart prior of a covariance, with known mean.

use super::{Conjugate, PointEstimates, Statistic, VectorMoments};
use crate::laws::{InverseWishart, MultivariateNormal, MultivariateStudentT};
use crate::{Density, Modal, Mode, check};
use didact_core::{Error, Result};
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// What is believed about the covariance of normal vectors of known mean μ: Σ is inverse
/// Wishart (Λ, ν).
///
/// After N vectors: Λ + Σ(xᵢ−μ)(xᵢ−μ)ᵀ and ν + N, with the products about the *known* mean.
///
/// ```
/// use didact_probability::conjugate::{Conjugate, CovarianceWithKnownMean};
/// use didact_probability::laws::InverseWishart;
/// use ndarray::array;
/// let belief = InverseWishart::new(array![[1.0]], 3.0)?;
/// let prior = CovarianceWithKnownMean::new(array![1.0], belief)?;
/// let posterior = prior.update(array![[3.0], [0.0]].rows())?;
/// assert_eq!(posterior.belief().scale(), array![[6.0]]); // 1 + 2² + 1²
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct CovarianceWithKnownMean {
    mean: Array1<f64>,
    belief: InverseWishart,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    mean: Array1<f64>,
    belief: InverseWishart,
}

impl TryFrom<Raw> for CovarianceWithKnownMean {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        CovarianceWithKnownMean::new(raw.mean, raw.belief)
    }
}

impl CovarianceWithKnownMean {
    /// The covariance is believed to follow `belief`; vectors scatter about this mean.
    pub fn new(mean: Array1<f64>, belief: InverseWishart) -> Result<Self> {
        check::finite_all("mean", mean.view())?;
        check::same_dimension("mean", mean.len(), belief.dimension())?;
        Ok(CovarianceWithKnownMean { mean, belief })
    }

    /// What is believed about the covariance.
    pub fn belief(&self) -> &InverseWishart {
        &self.belief
    }

    /// The known mean μ.
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// Σ(xᵢ−μ)(xᵢ−μ)ᵀ from the scatter about the sample mean.
    fn scatter_about_mean(&self, data: &VectorMoments) -> Array2<f64> {
        let shift = data.mean() - &self.mean;
        let n = data.weight();
        Array2::from_shape_fn(data.scatter().dim(), |(i, j)| {
            data.scatter()[[i, j]] + n * (shift[i] * shift[j])
        })
    }
}

impl<'a> Conjugate<ArrayView1<'a, f64>> for CovarianceWithKnownMean {
    type Statistic = VectorMoments;
    type Parameter = Array2<f64>;
    type Likelihood = MultivariateNormal;
    type Predictive = MultivariateStudentT;

    fn no_data(&self) -> VectorMoments {
        VectorMoments::empty(self.mean.len())
    }

    fn posterior(&self, data: &VectorMoments) -> Result<Self> {
        data.check(self.mean.len())?;
        let scale = self.belief.scale() + &self.scatter_about_mean(data);
        let belief = InverseWishart::new(scale, self.belief.freedom() + data.weight())?;
        CovarianceWithKnownMean::new(self.mean.clone(), belief)
    }

    fn log_evidence(&self, data: &VectorMoments) -> Result<f64> {
        let after = self.posterior(data)?;
        let entries = data.weight() * self.mean.len() as f64;
        let normalisers = after.belief.log_normaliser() - self.belief.log_normaliser();
        Ok(normalisers - 0.5 * entries * TAU.ln())
    }

    /// Student t with ν−d+1 degrees of freedom and scale Λ/(ν−d+1).
    fn predictive(&self) -> Result<MultivariateStudentT> {
        let freedom = self.belief.freedom() - self.mean.len() as f64 + 1.0;
        MultivariateStudentT::new(freedom, self.mean.clone(), self.belief.scale() / freedom)
    }

    fn log_belief(&self, parameter: &Array2<f64>) -> f64 {
        self.belief.log_density(parameter.view())
    }

    fn likelihood(&self, parameter: &Array2<f64>) -> Result<MultivariateNormal> {
        MultivariateNormal::new(self.mean.clone(), parameter.clone())
    }
}

impl<'a> PointEstimates<ArrayView1<'a, f64>> for CovarianceWithKnownMean {
    /// Σ(xᵢ−μ)(xᵢ−μ)ᵀ/n, where that is positive definite.
    fn most_likely(&self, data: &VectorMoments) -> Option<Array2<f64>> {
        let covariance = self.scatter_about_mean(data) / data.weight();
        check::positive_definite("covariance", covariance.view()).ok()?;
        Some(covariance)
    }

    fn most_believed(&self) -> Mode<Array2<f64>> {
        self.belief.mode()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::InverseGamma;
    use crate::testing::{assert_close, assert_relative};
    use ndarray::array;

    // 000b:P22: in one dimension IG(ν/2, Λ/2) becomes IG((ν+N)/2, (Λ+Σ(x−μ)²)/2); printed with
    // |Λ₀| for |Σ| and without ½·tr the posterior would not be of this family.
    #[test]
    fn in_one_dimension_it_is_the_inverse_gamma_update() {
        let belief = InverseWishart::new(array![[3.0]], 5.0).unwrap();
        let prior = CovarianceWithKnownMean::new(array![1.0], belief).unwrap();
        let posterior = prior.update(array![[2.0], [0.5], [-1.0]].rows()).unwrap();
        let gamma = InverseGamma::new(4.0, 0.5 * (3.0 + 1.0 + 0.25 + 4.0)).unwrap();
        for variance in [0.3, 1.0, 4.0] {
            let found = posterior.log_belief(&array![[variance]]);
            assert_relative(found, gamma.log_density(variance), 1e-13);
        }
    }

    // 000b:P22
    #[test]
    fn products_are_taken_about_the_known_mean() {
        let belief = InverseWishart::new(Array2::eye(2), 4.0).unwrap();
        let prior = CovarianceWithKnownMean::new(array![1.0, 0.0], belief.clone()).unwrap();
        let x = array![[1.0, 2.0], [2.0, 0.0], [0.0, 1.0]];
        let posterior = prior.update(x.rows()).unwrap();
        let shifted = &x - &array![[1.0, 0.0]];
        let products = shifted.t().dot(&shifted);
        let expected = Array2::<f64>::eye(2) + &products;
        assert_close(posterior.belief().scale(), &expected, 1e-14);
        assert_eq!(posterior.belief().freedom(), 7.0);
        let data = prior.summarise(x.rows());
        assert_close(&prior.most_likely(&data).unwrap(), &(products / 3.0), 1e-14);
        assert!(CovarianceWithKnownMean::new(array![1.0], belief).is_err());
    }
}
