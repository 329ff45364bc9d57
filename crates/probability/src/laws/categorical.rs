//! One of K categories.

use crate::check::{self, law};
use crate::information::{Base, entropy};
use crate::laws::sampling::uniform;
use crate::observations::Observations;
use crate::{Density, Draw, Entropy, FitLikelihood, Modal, Mode};
use didact_core::random::Generator;
use didact_core::{Error, Result};

law! {
    /// One of K categories, k with probability λₖ.
    ///
    /// Weights that do not sum to one are refused; [`Categorical::from_weights`] is the way to
    /// say that they should be scaled.
    ///
    /// ```
    /// use didact_probability::{Density, laws::Categorical};
    /// let die = Categorical::new(vec![0.5, 0.25, 0.25])?;
    /// assert_eq!((die.density(2), die.density(3)), (0.25, 0.0));
    /// assert!(Categorical::new(vec![0.5, 0.4]).is_err());
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub struct Categorical {
        probabilities: Vec<f64>,
    }
}

impl Categorical {
    /// The law with these probabilities, which must sum to one.
    pub fn new(probabilities: Vec<f64>) -> Result<Self> {
        check::probabilities("probabilities", &probabilities)?;
        Ok(Categorical { probabilities })
    }

    /// The law with probabilities proportional to these weights or counts: the law that makes
    /// such counts most likely.
    pub fn from_weights(weights: &[f64]) -> Result<Self> {
        let total = crate::observations::check_weights(weights.len(), Some(weights))?;
        Categorical::new(weights.iter().map(|weight| weight / total).collect())
    }

    /// The probabilities λ.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The law of `categories` categories that makes the data most likely; categories that do
    /// not occur get probability zero.
    pub fn fit_categories(
        categories: usize,
        data: &[usize],
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        let mut counts = vec![0.0; categories];
        for (category, weight) in Observations::new(data, weights)?.iter() {
            let count = counts.get_mut(category).ok_or_else(|| {
                Error::data(format!(
                    "there is a category {category}, but only {categories} were announced"
                ))
            })?;
            *count += weight;
        }
        Categorical::from_weights(&counts)
    }
}

impl Density<usize> for Categorical {
    fn log_density(&self, x: usize) -> f64 {
        self.density(x).ln()
    }

    fn density(&self, x: usize) -> f64 {
        self.probabilities.get(x).copied().unwrap_or(0.0)
    }
}

impl Modal<usize> for Categorical {
    fn mode(&self) -> Mode<usize> {
        let largest = self.probabilities.iter().copied().fold(0.0, f64::max);
        let peaks: Vec<usize> = (0..self.probabilities.len())
            .filter(|&k| self.probabilities[k] == largest)
            .collect();
        match peaks.as_slice() {
            [one] => Mode::At(*one),
            all if all.len() == self.probabilities.len() => Mode::Everywhere,
            _ => Mode::Several(peaks),
        }
    }
}

impl Entropy for Categorical {
    fn entropy(&self) -> f64 {
        // The probabilities were checked when the law was made.
        entropy(&self.probabilities, Base::Nats).unwrap_or(f64::NAN)
    }
}

impl Draw<usize> for Categorical {
    fn draw(&self, generator: &mut Generator) -> usize {
        let mut left = uniform(generator);
        let mut last = 0;
        for (k, &probability) in self.probabilities.iter().enumerate() {
            if probability > 0.0 {
                last = k;
                if left < probability {
                    break;
                }
                left -= probability;
            }
        }
        // Rounding may leave a little over; a category of probability zero is never drawn.
        last
    }
}

impl FitLikelihood<[usize]> for Categorical {
    /// As many categories as the largest one that occurs says.
    fn fit_weighted(data: &[usize], weights: Option<&[f64]>) -> Result<Self> {
        let categories = data.iter().max().map_or(0, |largest| largest + 1);
        Categorical::fit_categories(categories, data, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Bernoulli;
    use crate::special::gamma_upper;
    use didact_core::random::generator;

    // 003:P02
    #[test]
    fn weights_that_do_not_sum_to_one_are_refused_by_name() {
        let error = Categorical::new(vec![0.5, 0.4]).unwrap_err().to_string();
        assert_eq!(error, "the sum of probabilities is 0.9; it must be 1");
        let error = Categorical::new(vec![1.5, -0.5]).unwrap_err().to_string();
        assert_eq!(error, "probabilities[0] is 1.5; it must be between 0 and 1");
        assert!(Categorical::new(vec![]).is_err());
        assert!(Categorical::new(vec![f64::NAN, 1.0]).is_err());
        assert!(Categorical::from_weights(&[0.0, 0.0]).is_err());
        let scaled = Categorical::from_weights(&[1.0, 3.0]).unwrap();
        assert_eq!(scaled.probabilities(), [0.25, 0.75]);
    }

    // 003:P02
    #[test]
    fn two_categories_are_a_bernoulli_trial() {
        let (two, trial) = (
            Categorical::new(vec![0.7, 0.3]).unwrap(),
            Bernoulli::new(0.3).unwrap(),
        );
        assert_eq!(two.log_density(1), trial.log_density(true));
        assert!((two.entropy() - trial.entropy()).abs() < 1e-15);
        assert_eq!((two.mode(), trial.mode()), (Mode::At(0), Mode::At(false)));
    }

    #[test]
    fn draws_have_their_shares_and_fits_recover_counts() {
        let law = Categorical::new(vec![0.1, 0.0, 0.6, 0.3]).unwrap();
        for seed in [1, 2, 3] {
            let n = 5000;
            let draws = law.draw_many(n, &mut generator(seed, 0));
            let found = Categorical::fit_categories(4, &draws, None).unwrap();
            assert_eq!(found.density(1), 0.0);
            let statistic: f64 = [0, 2, 3]
                .map(|k| (found.density(k) - law.density(k)).powi(2) / law.density(k))
                .iter()
                .sum::<f64>()
                * n as f64;
            assert!(gamma_upper(1.0, statistic / 2.0) > 1e-4);
        }
        let fitted = Categorical::fit_weighted(&[0, 2], Some(&[1.0, 3.0])).unwrap();
        assert_eq!(fitted.probabilities(), [0.25, 0.0, 0.75]);
        assert!(Categorical::fit(&[][..]).is_err());
        assert!(Categorical::fit_categories(2, &[5], None).is_err());
    }
}
