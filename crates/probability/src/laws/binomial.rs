//! How many of n trials succeed.

use super::counting::{LARGEST_EXACT, entropy_by_summation, smallest_count};
use crate::check::{self, law};
use crate::observations::Observations;
use crate::special::{log_binomial, log_tails_of_beta, x_log_y};
use crate::{Cumulative, Density, Draw, Entropy, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use rand_distr::Distribution;

law! {
    /// The number k of successes in n independent trials: C(n, k)·θᵏ(1−θ)ⁿ⁻ᵏ.
    ///
    /// The density scores the *count*; [`Binomial::log_density_of_sequence`] scores one ordered
    /// sequence with that count, without the coefficient.
    ///
    /// ```
    /// use didact_probability::{Cumulative, Density, laws::Binomial};
    /// let heads = Binomial::new(10, 0.3)?;
    /// assert!((heads.density(3) - 0.266_827_932).abs() < 1e-9);
    /// assert!((heads.cumulative(3) + heads.survival(3) - 1.0).abs() < 1e-15);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Binomial {
        trials: u64,
        probability: f64,
    }
}

impl Binomial {
    /// So many trials, each of which succeeds with this probability.
    pub fn new(trials: u64, probability: f64) -> Result<Self> {
        if trials as f64 > LARGEST_EXACT {
            return Err(Error::parameter(
                "trials",
                trials,
                "it must be at most 2^53",
            ));
        }
        let probability = check::probability("probability", probability)?;
        Ok(Binomial {
            trials,
            probability,
        })
    }

    /// The law with this number of trials that makes the counts most likely.
    pub fn fit_with_trials(trials: u64, counts: &[u64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(counts, weights)?;
        if let Some((count, _)) = data.iter().find(|&(count, _)| count > trials) {
            return Err(Error::data(format!(
                "the count {count} cannot come from {trials} trials"
            )));
        }
        let mean = data.mean_of(|count| count as f64);
        Binomial::new(trials, (mean / trials.max(1) as f64).clamp(0.0, 1.0))
    }

    /// The number n of trials.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// The probability θ of success in one trial.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// ln(θᵏ(1−θ)ⁿ⁻ᵏ): one ordered sequence with k successes, not all of them together.
    pub fn log_density_of_sequence(&self, k: u64) -> f64 {
        if k > self.trials {
            return f64::NEG_INFINITY;
        }
        let failures = (self.trials - k) as f64;
        let log_failure = (-self.probability).ln_1p();
        let rest = if failures == 0.0 {
            0.0
        } else {
            failures * log_failure
        };
        x_log_y(k as f64, self.probability) + rest
    }

    fn deviation(&self) -> f64 {
        (self.trials as f64 * self.probability * (1.0 - self.probability)).sqrt()
    }
}

impl Density<u64> for Binomial {
    fn log_density(&self, k: u64) -> f64 {
        match k > self.trials {
            true => f64::NEG_INFINITY,
            false => log_binomial(
                k as f64,
                self.trials as f64,
                self.probability,
                1.0 - self.probability,
            ),
        }
    }
}

impl Cumulative<u64> for Binomial {
    fn log_tails(&self, k: u64) -> (f64, f64) {
        if k >= self.trials {
            return (0.0, f64::NEG_INFINITY);
        }
        // P(X > k) = I(θ; k+1, n−k)
        let (a, b) = (k as f64 + 1.0, (self.trials - k) as f64);
        let sides = log_tails_of_beta(a, b, self.probability, 1.0 - self.probability);
        (sides.upper, sides.lower)
    }

    fn at_tail(&self, tail: Tail) -> u64 {
        let guess = self.trials as f64 * self.probability;
        smallest_count(tail, guess, Some(self.trials), |k| self.log_tails(k))
    }
}

impl Moments for Binomial {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.trials as f64 * self.probability)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.trials as f64 * self.probability * (1.0 - self.probability))
    }
}

impl Modal<u64> for Binomial {
    fn mode(&self) -> Mode<u64> {
        let edge = (self.trials as f64 + 1.0) * self.probability;
        let peak = edge.floor();
        match edge == peak && peak > 0.0 && peak <= self.trials as f64 {
            true => Mode::Several(vec![peak as u64 - 1, peak as u64]),
            false => Mode::At((peak as u64).min(self.trials)),
        }
    }
}

impl Entropy for Binomial {
    fn entropy(&self) -> f64 {
        let mean = self.trials as f64 * self.probability;
        entropy_by_summation(self, mean, self.deviation(), Some(self.trials))
    }
}

impl Draw<u64> for Binomial {
    fn draw(&self, generator: &mut Generator) -> u64 {
        match rand_distr::Binomial::new(self.trials, self.probability) {
            Ok(sampler) => sampler.sample(generator),
            // Not reached: the parameters were checked when the law was made.
            Err(_) => self.at_tail(Tail::Lower(super::sampling::uniform(generator).ln())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_counts};
    use proptest::prelude::*;

    // 000b:P13, 000b:TV-20, 003:P06
    #[test]
    fn the_printed_value_is_found() {
        let law = Binomial::new(10, 0.3).unwrap();
        assert_relative(law.density(3), 0.266827932, 1e-9);
        assert_eq!(law.mean(), Some(3.0));
        assert_relative(law.variance().unwrap(), 2.1, 1e-15);
        assert_eq!(law.mode(), Mode::At(3));
        assert_eq!(
            Binomial::new(9, 0.5).unwrap().mode(),
            Mode::Several(vec![4, 5])
        );
    }

    // 003:P06: the coefficient tells counts from ordered sequences.
    #[test]
    fn a_count_is_as_likely_as_all_its_sequences_together() {
        let law = Binomial::new(10, 0.3).unwrap();
        let sequence = law.log_density_of_sequence(3).exp();
        assert_relative(law.density(3), 120.0 * sequence, 1e-13);
        assert_relative(sequence, 0.3_f64.powi(3) * 0.7_f64.powi(7), 1e-14);
    }

    // 000b:P13
    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        for (trials, probability) in [(10, 0.3), (1, 0.9), (200, 0.02), (300, 0.5)] {
            check_counts(&Binomial::new(trials, probability).unwrap());
        }
    }

    #[test]
    fn certain_outcomes_and_no_trials_are_fine() {
        let law = Binomial::new(5, 1.0).unwrap();
        assert_eq!(
            (law.density(5), law.density(4), law.entropy()),
            (1.0, 0.0, 0.0)
        );
        assert_eq!(
            (law.cumulative(4), law.log_density_of_sequence(5)),
            (0.0, 0.0)
        );
        assert_eq!(Binomial::new(0, 0.5).unwrap().density(0), 1.0);
        assert!(Binomial::new(3, -0.1).is_err());
        assert!(Binomial::fit_with_trials(3, &[4], None).is_err());
        assert_eq!(
            Binomial::fit_with_trials(4, &[1, 2], None)
                .unwrap()
                .probability(),
            0.375
        );
    }

    // scipy.stats.binom: logsf(6·10⁵; 10⁶, ½) and entropy; mpmath for the large density.
    #[test]
    fn tails_and_large_counts_keep_their_digits() {
        let law = Binomial::new(1_000_000, 0.5).unwrap();
        assert_relative(law.log_density(500_000), LARGE[0], 1e-15);
        assert_relative(law.log_survival(600_000), LARGE[1], 1e-13);
        assert_relative(law.entropy(), LARGE[2], 1e-12);
        let law = Binomial::new(1_000_000_000_000, 0.3).unwrap();
        assert_relative(law.log_density(300_000_000_000), LARGE[3], 1e-15);
        assert_eq!(law.median(), 300_000_000_000);
    }

    const LARGE: [f64; 4] = [
        -7.133546881626865,
        -20141.93356940477,
        7.633546631626781,
        -13.954125217036927,
    ];

    proptest! {
        #[test]
        fn successes_and_failures_are_the_same_thing_seen_from_two_sides(
            n in 1_u64..2000, share in 0.0..=1.0_f64, probability in 0.0001..0.9999_f64
        ) {
            let k = (n as f64 * share) as u64;
            let (law, mirror) = (Binomial::new(n, probability).unwrap(), Binomial::new(n, 1.0 - probability).unwrap());
            let (one, other) = (law.log_density(k), mirror.log_density(n - k));
            prop_assert!((one - other).abs() <= 1e-10 * one.abs().max(1.0));
            if k > 0 {
                prop_assert!((law.log_survival(k - 1) - mirror.log_cumulative(n - k)).abs() <= 1e-9 * one.abs().max(1.0));
            }
        }
    }
}
