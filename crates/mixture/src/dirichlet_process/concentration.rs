//! The concentration given how many components some rows have.

use super::AdaptiveRejection;
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_probability::special::{digamma, log_gamma_ratio};

/// The posterior of α given that n rows have K components, under Rasmussen's prior 1/α ~ Gamma(½, ½):
/// p(α | K, n) ∝ α^(K−3/2)·e^(−1/(2α))·Γ(α)/Γ(n + α).
///
/// It is log-concave in y = ln α (not in α), so it is drawn by adaptive rejection.
///
/// ```
/// use didact_core::random::generator;
/// use didact_mixture::ConcentrationPosterior;
/// let posterior = ConcentrationPosterior::new(5, 100)?;
/// assert!(posterior.draw(&mut generator(1, 0))? > 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConcentrationPosterior {
    n_components: usize,
    n_rows: usize,
}

impl ConcentrationPosterior {
    /// The posterior after n rows with K components.
    pub fn new(n_components: usize, n_rows: usize) -> Result<Self> {
        match (1..=n_rows).contains(&n_components) {
            true => Ok(ConcentrationPosterior {
                n_components,
                n_rows,
            }),
            false => Err(Error::parameter(
                "n_components",
                n_components,
                format!("{n_rows} rows have at least 1 component and at most one each"),
            )),
        }
    }

    /// h(y) = (K − ½)·y − ½e^(−y) − Σ_{i<n} ln(e^y + i) and its slope, with the Jacobian of y = ln α.
    pub fn log_density(&self, y: f64) -> (f64, f64) {
        let (alpha, n) = (y.exp(), self.n_rows as f64);
        let power = self.n_components as f64 - 0.5;
        let height = power * y - 0.5 * (-y).exp() - log_gamma_ratio(alpha, n);
        (
            height,
            power + 0.5 * (-y).exp() - self.expected_components(alpha),
        )
    }

    /// Σ_{i<n} α/(α + i) = α·(ψ(α + n) − ψ(α)), whose difference cancels for large α.
    fn expected_components(&self, alpha: f64) -> f64 {
        let n = self.n_rows as f64;
        match alpha > 1e4 * n {
            true => n - 0.5 * n * (n - 1.0) / (alpha + n),
            false => alpha * (digamma(alpha + n) - digamma(alpha)),
        }
    }

    /// A sampler of ln α that gets faster with every draw.
    pub fn sampler(&self) -> Result<AdaptiveRejection<impl FnMut(f64) -> (f64, f64) + use<>>> {
        let posterior = *self;
        let slope = |y: f64| posterior.log_density(y).1;
        let (mut left, mut right, mut step) = (0.0, 0.0, 1.0);
        // Steep enough that proposals do not come from far away; the slope of the right tail is at
        // most −½.
        while slope(left) < 0.25 {
            left -= step;
            step *= 2.0;
        }
        step = 1.0;
        while slope(right) > -0.25 {
            right += step;
            step *= 2.0;
        }
        AdaptiveRejection::new(move |y| posterior.log_density(y), left, right)
    }

    /// One draw of α.
    pub fn draw(&self, generator: &mut Generator) -> Result<f64> {
        Ok(self.sampler()?.draw(generator)?.exp())
    }
}
