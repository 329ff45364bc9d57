//! Norms: the lengths of differences, the volumes of their balls, and their directions.

use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::distance::Metric;
use rand::RngExt;
use rand_distr::{Distribution, Gamma};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A distance that is the length of a difference, so that balls have the same volume everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// The length of the straight line, √Σ(aᵢ−bᵢ)².
    #[default]
    Euclidean,
    /// The way along the axes, Σ|aᵢ−bᵢ|.
    Manhattan,
    /// The largest difference, max|aᵢ−bᵢ|.
    Chebyshev,
    /// The general length (Σ|aᵢ−bᵢ|ᵖ)^(1/p).
    Minkowski {
        /// The exponent; 1 is Manhattan, 2 Euclidean.
        #[schemars(range(min = 1))]
        p: f64,
    },
}

impl Norm {
    /// Fails when an exponent is below one: then near and far lose their meaning.
    pub fn check(self) -> Result<()> {
        self.metric().check()
    }

    /// The distance as a metric.
    pub fn metric(self) -> Metric {
        match self {
            Norm::Euclidean => Metric::Euclidean,
            Norm::Manhattan => Metric::Manhattan,
            Norm::Chebyshev => Metric::Chebyshev,
            Norm::Minkowski { p } => Metric::Minkowski { p },
        }
    }

    /// A sum of differences with one more of them, none of which is negative.
    #[inline(always)]
    pub(crate) fn add(self, sum: f64, difference: f64) -> f64 {
        match self {
            Norm::Euclidean => sum + difference * difference,
            Norm::Manhattan => sum + difference,
            Norm::Chebyshev => sum.max(difference),
            Norm::Minkowski { p } => sum + difference.powf(p),
        }
    }

    /// The length that belongs to such a sum.
    #[inline(always)]
    pub(crate) fn length(self, sum: f64) -> f64 {
        match self {
            Norm::Euclidean => sum.sqrt(),
            Norm::Manhattan | Norm::Chebyshev => sum,
            Norm::Minkowski { p } => sum.powf(p.recip()),
        }
    }

    /// The length of a−b.
    pub(crate) fn between(self, a: &[f64], b: &[f64]) -> f64 {
        let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        self.length(differences.fold(0.0, |sum, difference| self.add(sum, difference)))
    }

    /// ln V of the ball of radius one in d dimensions, V = (2Γ(1+1/p))ᵈ/Γ(1+d/p): π^(d/2)/Γ(d/2+1)
    /// for p = 2, 2ᵈ/d! for p = 1 and the cube 2ᵈ for the greatest difference.
    pub(crate) fn log_unit_ball(self, n_columns: usize) -> f64 {
        let d = n_columns as f64;
        let p = match self {
            Norm::Euclidean => 2.0,
            Norm::Manhattan => 1.0,
            Norm::Minkowski { p } => p,
            Norm::Chebyshev => return d * std::f64::consts::LN_2,
        };
        d * (std::f64::consts::LN_2 + libm::lgamma(1.0 + 1.0 / p)) - libm::lgamma(1.0 + d / p)
    }

    /// Writes a random vector of length one, such that a ball is filled evenly by r·vector with rᵈ
    /// even in (0, 1): independent values of density ∝ exp(−|v|ᵖ), divided by their length.
    pub(crate) fn draw_direction(self, output: &mut [f64], generator: &mut Generator) {
        loop {
            for value in output.iter_mut() {
                *value = match self {
                    Norm::Chebyshev => 2.0 * generator.random::<f64>() - 1.0,
                    Norm::Euclidean => signed_power(2.0, generator),
                    Norm::Manhattan => signed_power(1.0, generator),
                    Norm::Minkowski { p } => signed_power(p, generator),
                };
            }
            let sum = output
                .iter()
                .fold(0.0, |sum, value| self.add(sum, value.abs()));
            let length = self.length(sum);
            if length > 0.0 {
                output.iter_mut().for_each(|value| *value /= length);
                return;
            }
        }
    }
}

/// A value of density ∝ exp(−|v|ᵖ): |v|ᵖ follows the gamma law of shape 1/p.
fn signed_power(p: f64, generator: &mut Generator) -> f64 {
    let gamma = Gamma::new(p.recip(), 1.0).expect("the shape is positive");
    let size = gamma.sample(generator).powf(p.recip());
    match generator.random::<bool>() {
        true => size,
        false => -size,
    }
}

/// ln V of the ball of a radius in so many columns: (2Γ(1+1/p))ᵈ/Γ(1+d/p)·rᵈ for the norm of
/// exponent p, which is π^(d/2)/Γ(d/2+1)·rᵈ for the Euclidean one.
///
/// ```
/// use didact_neighbors::{Norm, log_ball_volume};
/// let disc = log_ball_volume(Norm::Euclidean, 2, 3.0)?;
/// assert!((disc.exp() - 9.0 * std::f64::consts::PI).abs() < 1e-12);
/// assert!((log_ball_volume(Norm::Chebyshev, 3, 0.5)?).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn log_ball_volume(norm: Norm, n_columns: usize, radius: f64) -> Result<f64> {
    match radius >= 0.0 {
        true => {
            norm.check()?;
            Ok(norm.log_unit_ball(n_columns) + n_columns as f64 * radius.ln())
        }
        false => Err(Error::parameter(
            "radius",
            radius,
            "it must be a number not below 0",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::random::generator;
    use std::f64::consts::PI;

    // 003:P43: volumes of balls in every norm.
    #[test]
    fn balls_have_their_known_volumes() {
        let volume = |norm: Norm, d| norm.log_unit_ball(d).exp();
        let close = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-13, "{found} {expected}");
        };
        close(volume(Norm::Euclidean, 1), 2.0);
        close(volume(Norm::Euclidean, 2), PI);
        close(volume(Norm::Euclidean, 3), 4.0 * PI / 3.0);
        // The simplex |a| + |b| + |c| ≤ 1 is eight corners of volume 1/3!.
        close(volume(Norm::Manhattan, 3), 8.0 / 6.0);
        close(volume(Norm::Chebyshev, 4), 16.0);
        close(
            volume(Norm::Minkowski { p: 2.0 }, 5),
            volume(Norm::Euclidean, 5),
        );
        close(
            volume(Norm::Minkowski { p: 1.0 }, 5),
            volume(Norm::Manhattan, 5),
        );
        // Towards the cube.
        let wide = volume(Norm::Minkowski { p: 1e6 }, 3);
        assert!((wide - 8.0).abs() < 1e-4, "{wide}");
    }

    #[test]
    fn lengths_are_those_of_the_metrics() {
        let (a, b) = ([1.0, -2.0, 0.5], [0.0, 4.0, 2.0]);
        for norm in [
            Norm::Euclidean,
            Norm::Manhattan,
            Norm::Chebyshev,
            Norm::Minkowski { p: 3.0 },
        ] {
            let expected = norm.metric().between(&a, &b);
            assert!((norm.between(&a, &b) - expected).abs() < 1e-14);
        }
        let error = Norm::Minkowski { p: 0.5 }.check().unwrap_err().to_string();
        assert!(error.starts_with("p is 0.5; "), "{error}");
        assert!(log_ball_volume(Norm::Euclidean, 2, -1.0).is_err());
    }

    #[test]
    fn directions_have_length_one_and_no_side_is_preferred() {
        let mut generator = generator(1, 0);
        for norm in [
            Norm::Euclidean,
            Norm::Manhattan,
            Norm::Chebyshev,
            Norm::Minkowski { p: 3.0 },
        ] {
            let (mut mean, mut direction) = ([0.0; 3], [0.0; 3]);
            for _ in 0..4000 {
                norm.draw_direction(&mut direction, &mut generator);
                assert!((norm.between(&direction, &[0.0; 3]) - 1.0).abs() < 1e-12);
                for (mean, value) in mean.iter_mut().zip(direction) {
                    *mean += value / 4000.0;
                }
            }
            // The deviation of a mean of 4000 values within ±1 is below 1/√4000 = 0.0158.
            assert!(
                mean.iter().all(|mean| mean.abs() < 5.0 * 0.0158),
                "{mean:?}"
            );
        }
    }
}
