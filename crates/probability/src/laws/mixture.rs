//! One of several laws, each with its probability.

use crate::check;
use crate::laws::Categorical;
use crate::{Density, Draw, Moments};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::numeric::log_sum_exp;
use serde::{Deserialize, Serialize};

/// A mixture of laws: Σₖ wₖ·pₖ(x).
///
/// ```
/// use didact_probability::{Density, Moments, laws::{Mixture, Normal}};
/// let law = Mixture::new(
///     vec![0.25, 0.75],
///     vec![Normal::with_deviation(0.0, 1.0)?, Normal::with_deviation(4.0, 2.0)?],
/// )?;
/// assert_eq!((law.mean(), law.variance()), (Some(3.0), Some(6.25)));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw<L>")]
#[serde(bound(deserialize = "L: Deserialize<'de>"))]
pub struct Mixture<L> {
    weights: Vec<f64>,
    components: Vec<L>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw<L> {
    weights: Vec<f64>,
    components: Vec<L>,
}

impl<L> TryFrom<Raw<L>> for Mixture<L> {
    type Error = Error;

    fn try_from(raw: Raw<L>) -> Result<Self> {
        Mixture::new(raw.weights, raw.components)
    }
}

impl<L> Mixture<L> {
    /// These laws with these probabilities.
    pub fn new(weights: Vec<f64>, components: Vec<L>) -> Result<Self> {
        check::probabilities("weights", &weights)?;
        check::same_dimension("components", components.len(), weights.len())?;
        Ok(Mixture {
            weights,
            components,
        })
    }

    /// The probability of each component.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The components.
    pub fn components(&self) -> &[L] {
        &self.components
    }
}

impl<X: Copy, L: Density<X>> Density<X> for Mixture<L> {
    fn log_density(&self, x: X) -> f64 {
        let pairs = self.weights.iter().zip(&self.components);
        let logs: Vec<f64> = pairs
            .map(|(weight, law)| weight.ln() + law.log_density(x))
            .collect();
        log_sum_exp(&logs)
    }
}

impl<L: Moments<Mean = f64, Variance = f64>> Moments for Mixture<L> {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        let pairs = self.weights.iter().zip(&self.components);
        pairs.map(|(weight, law)| Some(weight * law.mean()?)).sum()
    }

    /// The mean variance plus the variance of the means.
    fn variance(&self) -> Option<f64> {
        let mean = self.mean()?;
        let pairs = self.weights.iter().zip(&self.components);
        pairs
            .map(|(weight, law)| Some(weight * (law.variance()? + (law.mean()? - mean).powi(2))))
            .sum()
    }
}

impl<X, L: Draw<X>> Draw<X> for Mixture<L> {
    fn draw(&self, generator: &mut Generator) -> X {
        // The weights were checked when the mixture was made.
        let chosen = Categorical::new(self.weights.clone()).map_or(0, |law| law.draw(generator));
        self.components[chosen].draw(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Cauchy, Normal};
    use crate::testing::assert_relative;
    use didact_core::random::generator;

    fn example() -> Mixture<Normal> {
        let components = vec![
            Normal::with_deviation(0.0, 1.0).unwrap(),
            Normal::with_deviation(4.0, 2.0).unwrap(),
        ];
        Mixture::new(vec![0.25, 0.75], components).unwrap()
    }

    #[test]
    fn density_and_moments_are_weighted_sums() {
        let law = example();
        let parts: Vec<f64> = law
            .components()
            .iter()
            .map(|part| part.density(1.0))
            .collect();
        assert_relative(law.density(1.0), 0.25 * parts[0] + 0.75 * parts[1], 1e-14);
        // 0.25·1 + 0.75·4 + 0.25·9 + 0.75·1
        assert_relative(law.variance().unwrap(), 6.25, 1e-15);
        let n = 10_000;
        let mean = law.draw_many(n, &mut generator(1, 0)).iter().sum::<f64>() / n as f64;
        assert!((mean - 3.0).abs() < 5.0 * (6.25 / n as f64).sqrt());
        assert_eq!(law.weights(), [0.25, 0.75]);
    }

    #[test]
    fn what_has_no_mean_gives_the_mixture_none() {
        let law = Mixture::new(vec![1.0], vec![Cauchy::new(0.0, 1.0).unwrap()]).unwrap();
        assert_eq!((law.mean(), law.variance()), (None, None));
        assert!(Mixture::new(vec![0.5], vec![Cauchy::new(0.0, 1.0).unwrap()]).is_err());
    }
}
