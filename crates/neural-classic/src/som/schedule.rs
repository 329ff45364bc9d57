//! How neighbours follow the winner, and how that fades while the map learns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a node at the grid distance r from the winner follows it; one at the winner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbourhood {
    /// exp(−r²/2σ²).
    #[default]
    Gaussian,
    /// 1/(1 + r/σ): the inverse distance, which is one and not infinite at the winner.
    Inverse,
    /// One within the distance σ, zero beyond.
    Bubble,
}

impl Neighbourhood {
    /// The share with which a node at that distance follows, for the width σ.
    ///
    /// ```
    /// use didact_neural_classic::Neighbourhood;
    /// assert_eq!(Neighbourhood::Inverse.of(1.0, 1.0), 0.5);
    /// assert_eq!(Neighbourhood::Inverse.of(0.0, 1.0), 1.0);
    /// ```
    pub fn of(self, distance: f64, sigma: f64) -> f64 {
        if distance == 0.0 {
            return 1.0;
        }
        let steps = distance / sigma;
        match self {
            Neighbourhood::Gaussian => (-0.5 * steps * steps).exp(),
            Neighbourhood::Inverse => 1.0 / (1.0 + steps),
            Neighbourhood::Bubble => f64::from(distance <= sigma),
        }
    }
}

/// How a width or a rate falls from its first to its last value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decay {
    /// By the same factor in equal times: a·(b/a)ᵗ for t from 0 to 1.
    #[default]
    Exponential,
    /// By the same amount in equal times: a + (b − a)·t.
    Linear,
    /// As a/(1 + c·t) with c = a/b − 1: fast at first, then ever more slowly.
    Hyperbolic,
}

impl Decay {
    /// The value when the share `progress` of the time has passed.
    ///
    /// ```
    /// use didact_neural_classic::Decay;
    /// assert_eq!(Decay::Hyperbolic.at(3.0, 1.0, 0.5), 1.5);
    /// ```
    pub fn at(self, first: f64, last: f64, progress: f64) -> f64 {
        match self {
            Decay::Exponential => first * (last / first).powf(progress),
            Decay::Linear => first + (last - first) * progress,
            Decay::Hyperbolic => first / (1.0 + (first / last - 1.0) * progress),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 002b:SM-02: one at the winner (the printed 1/r is infinite there), falling with r.
    #[test]
    fn neighbourhoods_are_one_at_the_winner_and_fall_with_distance() {
        for neighbourhood in [
            Neighbourhood::Gaussian,
            Neighbourhood::Inverse,
            Neighbourhood::Bubble,
        ] {
            for sigma in [1e-300, 0.5, 2.0] {
                let values: Vec<f64> = (0..6)
                    .map(|r| neighbourhood.of(f64::from(r), sigma))
                    .collect();
                assert_eq!(values[0], 1.0);
                assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
                assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
            }
            assert!(neighbourhood.of(3.0, 1.0) < 1.0);
        }
        assert_eq!(Neighbourhood::Gaussian.of(2.0, 2.0), (-0.5_f64).exp());
    }

    // 002b:SM-07
    #[test]
    fn schedules_fall_from_the_first_value_to_the_last() {
        for decay in [Decay::Exponential, Decay::Linear, Decay::Hyperbolic] {
            let values: Vec<f64> = (0..=10)
                .map(|t| decay.at(5.0, 0.1, f64::from(t) / 10.0))
                .collect();
            assert_eq!(values[0], 5.0);
            assert!((values[10] - 0.1).abs() < 1e-12);
            assert!(values.windows(2).all(|pair| pair[0] > pair[1]));
        }
    }
}
