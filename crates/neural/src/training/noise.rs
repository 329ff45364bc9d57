//! Noise on the inputs while a network learns.

use crate::Real;
use didact_core::random::Generator;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Noise that inputs get, drawn anew every time they are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// None.
    #[default]
    None,
    /// Normal noise is added to every value; the level is its standard deviation.
    Gaussian,
    /// Values are set to zero; the level is the share of them.
    Mask,
}

impl Noise {
    pub(crate) fn corrupt<T: Real>(self, level: f64, values: &mut [T], generator: &mut Generator) {
        match self {
            Noise::None => {}
            Noise::Gaussian => {
                for value in values {
                    let drawn: f64 = StandardNormal.sample(generator);
                    *value += T::of(level * drawn);
                }
            }
            Noise::Mask => {
                for value in values {
                    if generator.random::<f64>() < level {
                        *value = T::zero();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::random::generator;

    #[test]
    fn noise_has_the_level_that_was_asked_for() {
        let n = 20_000;
        let mut values = vec![1.0_f64; n];
        Noise::Gaussian.corrupt(0.5, &mut values, &mut generator(1, 0));
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        // Five standard errors of the mean and of the variance.
        assert!((mean - 1.0).abs() < 5.0 * 0.5 / (n as f64).sqrt());
        assert!((variance - 0.25).abs() < 5.0 * 0.25 * (2.0 / n as f64).sqrt());
        let mut values = vec![1.0_f64; n];
        Noise::Mask.corrupt(0.3, &mut values, &mut generator(1, 0));
        let share = values.iter().filter(|&&v| v == 0.0).count() as f64 / n as f64;
        assert!((share - 0.3).abs() < 5.0 * (0.3 * 0.7 / n as f64).sqrt());
        Noise::None.corrupt(0.3, &mut values, &mut generator(1, 0));
    }
}
