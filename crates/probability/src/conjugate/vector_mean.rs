//! The normal prior of a mean vector, with known covariance.

use super::{Conjugate, PointEstimates, Statistic, VectorMoments};
use crate::gaussian::{product, sum};
use crate::laws::MultivariateNormal;
use crate::{Density, Mode, check};
use didact_core::Result;
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// What is believed about the mean of normal vectors of known covariance Σ: the mean itself is
/// N(μ₀, Σ₀).
///
/// After N vectors the mean is (NΣ⁻¹+Σ₀⁻¹)⁻¹(NΣ⁻¹x̄ + Σ₀⁻¹μ₀), the precision-weighted average
/// of sample mean and prior mean; both terms stand inside the bracket.
///
/// ```
/// use didact_probability::conjugate::{Conjugate, MultivariateNormalMean};
/// use didact_probability::laws::MultivariateNormal;
/// use ndarray::array;
/// let belief = MultivariateNormal::new(array![0.0, 1.0], array![[1.0, 0.0], [0.0, 4.0]])?;
/// let prior = MultivariateNormalMean::new(belief, array![[2.0, 0.5], [0.5, 1.0]])?;
/// let x = array![[1.0, 2.0], [3.0, 0.0], [2.0, 4.0]];
/// let posterior = prior.update(x.rows())?;
/// assert!((posterior.belief().location()[0] - 1.181_467_2).abs() < 1e-7);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct MultivariateNormalMean {
    belief: MultivariateNormal,
    noise: MultivariateNormal,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    belief: MultivariateNormal,
    noise_covariance: Array2<f64>,
}

impl TryFrom<Raw> for MultivariateNormalMean {
    type Error = didact_core::Error;

    fn try_from(raw: Raw) -> Result<Self> {
        MultivariateNormalMean::new(raw.belief, raw.noise_covariance)
    }
}

impl From<MultivariateNormalMean> for Raw {
    fn from(prior: MultivariateNormalMean) -> Self {
        Raw {
            noise_covariance: prior.noise.covariance().clone(),
            belief: prior.belief,
        }
    }
}

impl MultivariateNormalMean {
    /// The mean is believed to follow `belief`; vectors scatter about it with this covariance.
    pub fn new(belief: MultivariateNormal, noise_covariance: Array2<f64>) -> Result<Self> {
        check::positive_definite("noise_covariance", noise_covariance.view())?;
        let d = belief.dimension();
        check::same_dimension("noise_covariance", noise_covariance.nrows(), d)?;
        let noise = MultivariateNormal::new(Array1::zeros(d), noise_covariance)?;
        Ok(MultivariateNormalMean { belief, noise })
    }

    /// What is believed about the mean.
    pub fn belief(&self) -> &MultivariateNormal {
        &self.belief
    }

    /// The covariance Σ of the vectors about their mean.
    pub fn noise_covariance(&self) -> &Array2<f64> {
        self.noise.covariance()
    }

    /// The law N(x̄, Σ/N) in which the mean of the data enters.
    fn of_mean(&self, data: &VectorMoments) -> Result<MultivariateNormal> {
        let covariance = self.noise.covariance() / data.weight();
        MultivariateNormal::new(data.mean().clone(), covariance)
    }
}

impl<'a> Conjugate<ArrayView1<'a, f64>> for MultivariateNormalMean {
    type Statistic = VectorMoments;
    type Parameter = Array1<f64>;
    type Likelihood = MultivariateNormal;
    type Predictive = MultivariateNormal;

    fn no_data(&self) -> VectorMoments {
        VectorMoments::empty(self.belief.dimension())
    }

    fn posterior(&self, data: &VectorMoments) -> Result<Self> {
        data.check(self.belief.dimension())?;
        if data.weight() == 0.0 {
            return Ok(self.clone());
        }
        let both = product(&self.belief, &self.of_mean(data)?)?;
        MultivariateNormalMean::new(both.law, self.noise.covariance().clone())
    }

    fn log_evidence(&self, data: &VectorMoments) -> Result<f64> {
        data.check(self.belief.dimension())?;
        if data.weight() == 0.0 {
            return Ok(0.0);
        }
        let (n, d) = (data.weight(), self.belief.dimension() as f64);
        let factor = self.noise.factor();
        let trace = factor.solve(data.scatter().view()).diag().sum();
        // ∏N(xᵢ; μ, Σ) is this constant times N(x̄; μ, Σ/n).
        let constant = -0.5 * ((n - 1.0) * (d * TAU.ln() + factor.log_determinant()) + trace)
            - 0.5 * d * n.ln();
        Ok(constant + product(&self.belief, &self.of_mean(data)?)?.log_normaliser)
    }

    fn predictive(&self) -> Result<MultivariateNormal> {
        sum(&self.belief, &self.noise)
    }

    fn log_belief(&self, parameter: &Array1<f64>) -> f64 {
        self.belief.log_density(parameter.view())
    }

    fn likelihood(&self, parameter: &Array1<f64>) -> Result<MultivariateNormal> {
        MultivariateNormal::new(parameter.clone(), self.noise.covariance().clone())
    }
}

impl<'a> PointEstimates<ArrayView1<'a, f64>> for MultivariateNormalMean {
    fn most_likely(&self, data: &VectorMoments) -> Option<Array1<f64>> {
        (data.weight() > 0.0).then(|| data.mean().clone())
    }

    fn most_believed(&self) -> Mode<Array1<f64>> {
        Mode::At(self.belief.location().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conjugate::NormalMean;
    use crate::testing::{assert_close, assert_relative};
    use ndarray::array;

    fn example() -> (MultivariateNormalMean, Array2<f64>) {
        let belief =
            MultivariateNormal::new(array![0.0, 1.0], array![[1.0, 0.0], [0.0, 4.0]]).unwrap();
        let prior = MultivariateNormalMean::new(belief, array![[2.0, 0.5], [0.5, 1.0]]).unwrap();
        (prior, array![[1.0, 2.0], [3.0, 0.0], [2.0, 4.0]])
    }

    // 004:M23: without the bracket around both terms the answer would not solve its equation.
    #[test]
    fn the_printed_mean_is_found_and_solves_its_equation() {
        let (prior, x) = example();
        let mean = prior.update(x.rows()).unwrap().belief().location().clone();
        assert!((mean[0] - 1.1814672).abs() < 1e-7 && (mean[1] - 1.7413127).abs() < 1e-7);
        // NΣ⁻¹(x̄−μ) + Σ₀⁻¹(μ₀−μ) = 0
        let noise = prior
            .noise
            .factor()
            .solve_vector((array![2.0, 2.0] - &mean).view())
            * 3.0;
        let shift = prior.belief.location() - &mean;
        let own = prior.belief.factor().solve_vector(shift.view());
        assert!((noise + own).iter().all(|value| value.abs() < 1e-13));
    }

    // 004:M23: N Kalman updates with H = I and R = Σ, started at (μ₀, Σ₀):
    // K = P(P+R)⁻¹, m ← m + K(x−m), P ← P − KP.
    #[test]
    fn the_posterior_is_what_a_kalman_filter_finds() {
        let (prior, x) = example();
        let (mut m, mut p) = (array![0.0, 1.0], array![[1.0, 0.0], [0.0, 4.0]]);
        let r = array![[2.0, 0.5], [0.5, 1.0]];
        for row in x.rows() {
            let s = &p + &r;
            let determinant = s[[0, 0]] * s[[1, 1]] - s[[0, 1]] * s[[1, 0]];
            let inverse = array![[s[[1, 1]], -s[[0, 1]]], [-s[[1, 0]], s[[0, 0]]]] / determinant;
            let k = p.dot(&inverse);
            m = &m + &k.dot(&(&row - &m));
            p = &p - &k.dot(&p);
        }
        let posterior = prior.update(x.rows()).unwrap();
        assert_close(posterior.belief().location(), &m, 1e-13);
        assert_close(posterior.belief().covariance(), &p, 1e-13);
    }

    // 004:M23
    #[test]
    fn a_vague_prior_gives_the_mean_and_a_sure_one_itself() {
        let (_, x) = example();
        let with = |variance: f64| {
            let belief = MultivariateNormal::spherical(array![7.0, -7.0], variance).unwrap();
            let prior = MultivariateNormalMean::new(belief, Array2::eye(2)).unwrap();
            prior.update(x.rows()).unwrap().belief().location().clone()
        };
        assert_close(&with(1e14), &array![2.0, 2.0], 1e-12);
        assert_close(&with(1e-14), &array![7.0, -7.0], 1e-12);
    }

    #[test]
    fn in_one_dimension_it_is_the_prior_of_a_number() {
        let belief = MultivariateNormal::new(array![1.0], array![[4.0]]).unwrap();
        let vector = MultivariateNormalMean::new(belief, array![[2.0]]).unwrap();
        let number = NormalMean::with_variances(1.0, 4.0, 2.0).unwrap();
        let x = array![[2.5], [3.0], [1.5]];
        let data = vector.summarise(x.rows());
        let (of_vector, of_number) = (
            vector.posterior(&data).unwrap(),
            number.update([2.5, 3.0, 1.5]).unwrap(),
        );
        assert_relative(
            of_vector.belief().location()[0],
            of_number.belief().location(),
            1e-14,
        );
        let evidence = number
            .log_evidence(&number.summarise([2.5, 3.0, 1.5]))
            .unwrap();
        assert_relative(vector.log_evidence(&data).unwrap(), evidence, 1e-13);
        assert_eq!(vector.log_evidence(&VectorMoments::empty(1)).unwrap(), 0.0);
    }
}
