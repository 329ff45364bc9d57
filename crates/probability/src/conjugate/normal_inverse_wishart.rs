//! The prior of mean and covariance of normal vectors.

use super::{Conjugate, PointEstimates, Statistic, VectorMoments};
use crate::laws::{InverseWishart, MultivariateNormal, MultivariateStudentT};
use crate::special::multivariate_log_gamma;
use crate::{Density, Draw, Modal, Mode, check};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};
use std::f64::consts::{LN_2, TAU};

/// The normal-inverse-Wishart law of a mean μ and a covariance Σ: Σ is inverse Wishart (Λ, ν),
/// and μ given Σ is N(μ₀, Σ/κ). Its density is proportional to
/// |Σ|^(−((ν+d)/2+1))·exp(−½·tr ΛΣ⁻¹ − κ/2·(μ−μ₀)ᵀΣ⁻¹(μ−μ₀)).
///
/// The scale is stored as Λ; texts that write νΔ mean the same matrix
/// ([`NormalInverseWishart::with_delta`]).
///
/// ```
/// use didact_probability::conjugate::{Conjugate, NormalInverseWishart};
/// use ndarray::{Array2, array};
/// let prior = NormalInverseWishart::new(array![0.0, 0.0], 2.0, Array2::eye(2), 4.0)?;
/// let x = array![[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 3.0]];
/// let posterior = prior.update(x.rows())?;
/// assert_eq!(posterior.mean(), array![1.0, 1.0]);
/// assert!((posterior.scale()[[0, 1]] - 5.0).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct NormalInverseWishart {
    mean: Array1<f64>,
    pseudo_count: f64,
    scale: Array2<f64>,
    freedom: f64,
    factor: Cholesky,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    mean: Array1<f64>,
    pseudo_count: f64,
    scale: Array2<f64>,
    freedom: f64,
}

impl TryFrom<Raw> for NormalInverseWishart {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        NormalInverseWishart::new(raw.mean, raw.pseudo_count, raw.scale, raw.freedom)
    }
}

impl From<NormalInverseWishart> for Raw {
    fn from(law: NormalInverseWishart) -> Self {
        Raw {
            mean: law.mean,
            pseudo_count: law.pseudo_count,
            scale: law.scale,
            freedom: law.freedom,
        }
    }
}

impl NormalInverseWishart {
    /// The law with mean μ₀ worth κ observations, scale Λ and ν > d − 1 degrees of freedom.
    pub fn new(
        mean: Array1<f64>,
        pseudo_count: f64,
        scale: Array2<f64>,
        freedom: f64,
    ) -> Result<Self> {
        check::finite_all("mean", mean.view())?;
        check::positive("pseudo_count", pseudo_count)?;
        let factor = check::positive_definite("scale", scale.view())?;
        check::same_dimension("scale", scale.nrows(), mean.len())?;
        check::freedom(freedom, scale.nrows())?;
        Ok(NormalInverseWishart {
            mean,
            pseudo_count,
            scale,
            freedom,
            factor,
        })
    }

    /// The law as other texts write it, with Λ = νΔ.
    pub fn with_delta(
        mean: Array1<f64>,
        pseudo_count: f64,
        delta: Array2<f64>,
        freedom: f64,
    ) -> Result<Self> {
        check::positive("freedom", freedom)?;
        NormalInverseWishart::new(mean, pseudo_count, delta * freedom, freedom)
    }

    /// The prior mean μ₀.
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// The number κ of observations that the mean is worth.
    pub fn pseudo_count(&self) -> f64 {
        self.pseudo_count
    }

    /// The scale Λ = νΔ.
    pub fn scale(&self) -> &Array2<f64> {
        &self.scale
    }

    /// The degrees of freedom ν.
    pub fn freedom(&self) -> f64 {
        self.freedom
    }

    /// What is believed about the covariance alone.
    pub fn covariance_belief(&self) -> Result<InverseWishart> {
        InverseWishart::new(self.scale.clone(), self.freedom)
    }

    fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// ln Z = νd/2·ln 2 + ln Γ_d(ν/2) + d/2·ln(2π/κ) − ν/2·ln |Λ|.
    fn log_normaliser(&self) -> f64 {
        let (d, v) = (self.dimension(), self.freedom);
        0.5 * v * (d as f64 * LN_2 - self.factor.log_determinant())
            + multivariate_log_gamma(d, 0.5 * v)
            + 0.5 * d as f64 * (TAU / self.pseudo_count).ln()
    }

    /// Takes in one vector, in O(d²): the factor of Λ + κ/(κ+1)·(x−μ)(x−μ)ᵀ is updated.
    pub fn observe(&mut self, x: ArrayView1<'_, f64>) -> Result<()> {
        check::same_dimension("x", x.len(), self.dimension())?;
        check::finite_all("x", x)?;
        let kappa = self.pseudo_count;
        let shift = &x - &self.mean;
        let root = &shift * (kappa / (kappa + 1.0)).sqrt();
        self.factor.update(root.view())?;
        self.add_outer(&root, 1.0);
        self.mean.scaled_add(1.0 / (kappa + 1.0), &shift);
        self.pseudo_count += 1.0;
        self.freedom += 1.0;
        Ok(())
    }

    /// Takes one vector out again that was taken in before, in O(d²).
    pub fn forget(&mut self, x: ArrayView1<'_, f64>) -> Result<()> {
        check::same_dimension("x", x.len(), self.dimension())?;
        check::finite_all("x", x)?;
        let (kappa, freedom) = (self.pseudo_count - 1.0, self.freedom - 1.0);
        if kappa <= 0.0 || freedom <= self.dimension() as f64 - 1.0 {
            return Err(Error::data(
                "there is no observation left to take out of the posterior",
            ));
        }
        let shift = &x - &self.mean;
        let root = &shift * (self.pseudo_count / kappa).sqrt();
        self.factor.downdate(root.view())?;
        self.add_outer(&root, -1.0);
        self.mean.scaled_add(-1.0 / kappa, &shift);
        (self.pseudo_count, self.freedom) = (kappa, freedom);
        Ok(())
    }

    fn add_outer(&mut self, v: &Array1<f64>, sign: f64) {
        for ((i, j), value) in self.scale.indexed_iter_mut() {
            *value += sign * (v[i] * v[j]);
        }
    }
}

impl Density<(ArrayView1<'_, f64>, ArrayView2<'_, f64>)> for NormalInverseWishart {
    /// The log-density at (mean, covariance).
    fn log_density(&self, at: (ArrayView1<'_, f64>, ArrayView2<'_, f64>)) -> f64 {
        let ((mean, covariance), d) = (at, self.dimension());
        if mean.len() != d || covariance.dim() != (d, d) {
            return f64::NEG_INFINITY;
        }
        let Ok(factor) = check::positive_definite("covariance", covariance) else {
            return f64::NEG_INFINITY;
        };
        let root = factor.half_solve(self.factor.lower());
        let trace: f64 = root.iter().map(|value| value * value).sum();
        let shift = &mean - &self.mean;
        let square = shift.dot(&factor.solve_vector(shift.view()));
        -(0.5 * (self.freedom + d as f64) + 1.0) * factor.log_determinant()
            - 0.5 * (trace + self.pseudo_count * square)
            - self.log_normaliser()
    }
}

impl Modal<(Array1<f64>, Array2<f64>)> for NormalInverseWishart {
    /// The joint mode (μ₀, Λ/(ν+d+2)); the mode of the covariance alone divides by ν+d+1, its
    /// mean by ν−d−1.
    fn mode(&self) -> Mode<(Array1<f64>, Array2<f64>)> {
        let divisor = self.freedom + self.dimension() as f64 + 2.0;
        Mode::At((self.mean.clone(), &self.scale / divisor))
    }
}

impl Draw<(Array1<f64>, Array2<f64>)> for NormalInverseWishart {
    fn draw(&self, generator: &mut Generator) -> (Array1<f64>, Array2<f64>) {
        let belief = self
            .covariance_belief()
            .expect("the parameters were checked when the law was made");
        // A covariance so close to singular that it cannot be factored is drawn again.
        loop {
            let covariance = belief.draw(generator);
            let spread = &covariance / self.pseudo_count;
            if let Ok(law) = MultivariateNormal::new(self.mean.clone(), spread) {
                return (law.draw(generator), covariance);
            }
        }
    }
}

impl<'a> Conjugate<ArrayView1<'a, f64>> for NormalInverseWishart {
    type Statistic = VectorMoments;
    type Parameter = (Array1<f64>, Array2<f64>);
    type Likelihood = MultivariateNormal;
    type Predictive = MultivariateStudentT;

    fn no_data(&self) -> VectorMoments {
        VectorMoments::empty(self.dimension())
    }

    /// κₙ = κ+N, μₙ = (κμ₀+Nx̄)/κₙ, νₙ = ν+N and
    /// Λₙ = Λ + S + κN/κₙ·(x̄−μ₀)(x̄−μ₀)ᵀ with the scatter S about x̄.
    fn posterior(&self, data: &VectorMoments) -> Result<Self> {
        data.check(self.dimension())?;
        let n = data.weight();
        let kappa = self.pseudo_count + n;
        let shift = data.mean() - &self.mean;
        let factor = self.pseudo_count * (n / kappa);
        let mut scale = &self.scale + data.scatter();
        for ((i, j), value) in scale.indexed_iter_mut() {
            *value += factor * (shift[i] * shift[j]);
        }
        let mean = &self.mean + &(&shift * (n / kappa));
        NormalInverseWishart::new(mean, kappa, scale, self.freedom + n)
    }

    /// −Nd/2·ln 2π + ln Zₙ − ln Z.
    fn log_evidence(&self, data: &VectorMoments) -> Result<f64> {
        let after = self.posterior(data)?;
        let entries = data.weight() * self.dimension() as f64;
        Ok(after.log_normaliser() - self.log_normaliser() - 0.5 * entries * TAU.ln())
    }

    /// Student t with ν−d+1 degrees of freedom, location μ₀ and scale (κ+1)/(κ(ν−d+1))·Λ. Its
    /// [`MultivariateStudentT::moment_matched_normal`] is the normal approximation, which needs
    /// ν > d+1.
    fn predictive(&self) -> Result<MultivariateStudentT> {
        let freedom = self.freedom - self.dimension() as f64 + 1.0;
        let factor = (1.0 + 1.0 / self.pseudo_count) / freedom;
        MultivariateStudentT::new(freedom, self.mean.clone(), &self.scale * factor)
    }

    fn log_belief(&self, parameter: &(Array1<f64>, Array2<f64>)) -> f64 {
        self.log_density((parameter.0.view(), parameter.1.view()))
    }

    fn likelihood(&self, parameter: &(Array1<f64>, Array2<f64>)) -> Result<MultivariateNormal> {
        MultivariateNormal::new(parameter.0.clone(), parameter.1.clone())
    }
}

impl<'a> PointEstimates<ArrayView1<'a, f64>> for NormalInverseWishart {
    /// The mean and the scatter divided by n, where that is positive definite.
    fn most_likely(&self, data: &VectorMoments) -> Option<(Array1<f64>, Array2<f64>)> {
        let covariance = data.scatter() / data.weight();
        Cholesky::new(covariance.view()).ok()?;
        Some((data.mean().clone(), covariance))
    }

    fn most_believed(&self) -> Mode<(Array1<f64>, Array2<f64>)> {
        self.mode()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moments;
    use crate::testing::{assert_close, assert_relative};
    use didact_core::random::generator;
    use ndarray::array;

    fn tv21() -> (NormalInverseWishart, Array2<f64>) {
        let prior = NormalInverseWishart::new(array![0.0, 0.0], 2.0, Array2::eye(2), 4.0).unwrap();
        (
            prior,
            array![[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 3.0]],
        )
    }

    // 000b:P24, 000b:P25, 000b:TV-21, 000a:UNS-30
    #[test]
    fn the_printed_posterior_and_its_estimates_are_found() {
        let (prior, x) = tv21();
        let data = prior.summarise(x.rows());
        assert_close(data.scatter(), &array![[5.0, 2.0], [2.0, 5.0]], 1e-14);
        let posterior = prior.posterior(&data).unwrap();
        assert_eq!((posterior.pseudo_count(), posterior.freedom()), (6.0, 8.0));
        assert_close(posterior.mean(), &array![1.0, 1.0], 1e-15);
        assert_close(posterior.scale(), &array![[9.0, 5.0], [5.0, 9.0]], 1e-14);
        let (mean, covariance) = posterior.mode().point().unwrap();
        assert_close(&mean, &array![1.0, 1.0], 1e-15);
        assert_close(
            &covariance,
            &array![[0.75, 5.0 / 12.0], [5.0 / 12.0, 0.75]],
            1e-14,
        );
        let expected = posterior.covariance_belief().unwrap().mean().unwrap();
        assert_close(&expected, &array![[1.8, 1.0], [1.0, 1.8]], 1e-14);
        assert_relative(prior.log_evidence(&data).unwrap(), -18.6654232858, 1e-11);
    }

    // 000b:P24: the scatter printed about μ₀ would count the shift of the mean twice.
    #[test]
    fn the_scatter_is_taken_about_the_sample_mean() {
        let (prior, x) = tv21();
        let posterior = prior.update(x.rows()).unwrap();
        // Λ + Σxxᵀ + κμ₀μ₀ᵀ − κₙμₙμₙᵀ, the other correct form.
        let raw = x.t().dot(&x);
        let other = Array2::<f64>::eye(2) + &raw - Array2::from_elem((2, 2), 6.0);
        assert_close(posterior.scale(), &other, 1e-13);
        // About μ₀ = 0 the scatter is Σxxᵀ, and the printed formula adds the shift on top.
        let printed = Array2::<f64>::eye(2) + &raw + Array2::from_elem((2, 2), 2.25 * 8.0 / 6.0);
        assert!((printed[[0, 0]] - posterior.scale()[[0, 0]]).abs() > 1.0);
    }

    // 000a:fx-D15, 000a:UNS-26, 000a:UNS-27, 000a:UNS-28
    #[test]
    fn the_printed_updates_and_predictive_laws_are_found() {
        let prior = NormalInverseWishart::with_delta(array![0.0], 1.0, array![[1.0]], 3.0).unwrap();
        let posterior = prior.update(array![[1.0], [3.0]].rows()).unwrap();
        assert_eq!((posterior.pseudo_count(), posterior.freedom()), (3.0, 5.0));
        assert_relative(posterior.mean()[0], 4.0 / 3.0, 1e-15);
        // With the printed "=" before κϑϑᵀ this would be κϑϑᵀ − κ̂ϑ̂ϑ̂ᵀ < 0.
        assert_relative(posterior.scale()[[0, 0]], 23.0 / 3.0, 1e-14);
        let t = posterior.predictive().unwrap();
        assert_eq!(t.freedom(), 5.0);
        assert_relative(t.scale()[[0, 0]], 92.0 / 45.0, 1e-14);
        let normal = t.moment_matched_normal().unwrap();
        assert_relative(normal.covariance()[[0, 0]], 92.0 / 27.0, 1e-14);
        let prior =
            NormalInverseWishart::with_delta(array![0.0, 0.0], 1.0, Array2::eye(2), 5.0).unwrap();
        let x = array![[1.0, 0.0], [3.0, 2.0], [2.0, 1.0]];
        let posterior = prior.update(x.rows()).unwrap();
        assert_close(posterior.mean(), &array![1.5, 0.75], 1e-15);
        assert_close(posterior.scale(), &array![[10.0, 3.5], [3.5, 7.75]], 1e-14);
        let normal = posterior
            .predictive()
            .unwrap()
            .moment_matched_normal()
            .unwrap();
        assert_close(
            normal.covariance(),
            &array![[2.5, 0.875], [0.875, 31.0 / 16.0]],
            1e-14,
        );
        // The normal form of the prior predictive needs ν > d + 1.
        let vague = NormalInverseWishart::new(array![0.0], 1.0, array![[1.0]], 2.0).unwrap();
        assert!(vague.predictive().unwrap().moment_matched_normal().is_err());
    }

    // 000b:P23, 000b:TV-21, 000a:UNS-26: without the +1 the exponent of |Σ| is another law.
    #[test]
    fn the_density_is_inverse_wishart_times_normal() {
        let (prior, _) = tv21();
        let (mean, covariance) = (array![0.3, 0.7], array![[1.5, 0.3], [0.3, 0.8]]);
        let found = prior.log_density((mean.view(), covariance.view()));
        assert_relative(found, -6.43589092423, 1e-11);
        let spread = &covariance / prior.pseudo_count();
        let normal = MultivariateNormal::new(prior.mean().clone(), spread).unwrap();
        let belief = prior.covariance_belief().unwrap();
        let parts = belief.log_density(covariance.view()) + normal.log_density(mean.view());
        assert_relative(found, parts, 1e-13);
        let without_one = found + Cholesky::new(covariance.view()).unwrap().log_determinant();
        assert!((without_one - parts).abs() > 0.05);
    }

    // 000b:P25: nothing around the mode is higher.
    #[test]
    fn the_joint_mode_is_the_top_of_the_density() {
        let (prior, x) = tv21();
        let posterior = prior.update(x.rows()).unwrap();
        let (mean, covariance) = posterior.mode().point().unwrap();
        let top = posterior.log_density((mean.view(), covariance.view()));
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            for step in [-1e-3, 1e-3] {
                let mut other = covariance.clone();
                other[[i, j]] += step;
                other[[j, i]] = other[[i, j]];
                assert!(posterior.log_density((mean.view(), other.view())) < top);
            }
        }
        // Λ/(ν+d+1), the mode of the covariance alone, lies lower.
        let alone = posterior
            .covariance_belief()
            .unwrap()
            .mode()
            .point()
            .unwrap();
        assert!(posterior.log_density((mean.view(), alone.view())) < top);
    }

    // 000a:UNS-27
    #[test]
    fn observing_one_by_one_is_updating_at_once_and_forgetting_restores() {
        let (prior, x) = tv21();
        let mut state = prior.clone();
        for row in x.rows() {
            state.observe(row).unwrap();
        }
        let posterior = prior.update(x.rows()).unwrap();
        assert_close(state.mean(), posterior.mean(), 1e-13);
        assert_close(state.scale(), posterior.scale(), 1e-13);
        assert_close(state.factor.lower(), posterior.factor.lower(), 1e-13);
        for row in x.rows() {
            state.forget(row).unwrap();
        }
        assert_eq!((state.pseudo_count(), state.freedom()), (2.0, 4.0));
        assert_close(state.scale(), prior.scale(), 1e-12);
        assert!(state.mean().iter().all(|value| value.abs() < 1e-13));
        assert_close(state.factor.lower(), prior.factor.lower(), 1e-12);
        let mut poor = NormalInverseWishart::new(array![0.0], 1.0, array![[1.0]], 1.0).unwrap();
        assert!(poor.forget(array![1.0].view()).is_err());
        assert!(poor.observe(array![1.0, 2.0].view()).is_err());
    }

    // 000a:UNS-26: E Σ = Λ/(ν−d−1).
    #[test]
    fn draws_have_the_mean_of_the_law() {
        let scale = array![[4.0, 1.0], [1.0, 2.0]];
        let prior = NormalInverseWishart::new(array![1.0, -1.0], 3.0, scale, 12.0).unwrap();
        let n = 4000;
        let draws = prior.draw_many(n, &mut generator(5, 0));
        let belief = prior.covariance_belief().unwrap();
        let (mean, variance) = (belief.mean().unwrap(), belief.variance().unwrap());
        let found = draws.iter().map(|(_, s)| s[[0, 1]]).sum::<f64>() / n as f64;
        assert!((found - mean[[0, 1]]).abs() < 5.0 * (variance[[0, 1]] / n as f64).sqrt());
        let found = draws.iter().map(|(m, _)| m[0]).sum::<f64>() / n as f64;
        let spread = mean[[0, 0]] / prior.pseudo_count();
        assert!((found - 1.0).abs() < 5.0 * (spread / n as f64).sqrt());
    }
}
