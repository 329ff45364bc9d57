//! What is believed after each of a row of observations.

use serde::{Deserialize, Serialize};

/// The mean of everything observed so far, kept without the observations: after the k-th value t
/// it is E_k = ((k − 1)·E_{k−1} + t)/k.
///
/// ```
/// use didact_reinforcement::RunningMean;
/// let mut belief = RunningMean::default();
/// assert_eq!(belief.observe(20.0), 20.0);
/// assert_eq!(belief.observe(-10.0), 5.0);
/// assert_eq!(belief.count(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunningMean {
    count: u64,
    mean: f64,
    /// Σ (t − E)², after Welford.
    squares: f64,
}

impl RunningMean {
    /// Takes one more value and tells the new mean.
    pub fn observe(&mut self, value: f64) -> f64 {
        self.count += 1;
        let before = value - self.mean;
        // The same as the weighted mean of old and new, without a product that may overflow.
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
        self.mean
    }

    /// The mean, zero before the first value.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The standard error of the mean, infinite before the second value.
    pub fn standard_error(&self) -> f64 {
        match self.count {
            0 | 1 => f64::INFINITY,
            count => (self.squares / (count - 1) as f64 / count as f64).sqrt(),
        }
    }
}
