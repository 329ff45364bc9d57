//! What is kept of data: small sums that merge.

use crate::check;
use didact_core::Result;
use didact_math::linalg::Moments;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

/// Sums over data that can be added to, taken from and merged.
///
/// ```
/// use didact_probability::conjugate::{NumberMoments, Statistic};
/// let mut left = NumberMoments::default();
/// left.add(1.0, 1.0);
/// let mut right = NumberMoments::default();
/// right.add(3.0, 1.0);
/// let both = left.merge(right);
/// assert_eq!((both.weight(), both.mean(), both.scatter()), (2.0, 2.0, 2.0));
/// ```
pub trait Statistic<X>: Clone {
    /// Adds a value with a weight; a negative weight takes it away again.
    fn add(&mut self, x: X, weight: f64);

    /// What two sets of data amount to together.
    fn merge(self, other: Self) -> Self;

    /// The weight of all values, their number where each weighs one.
    fn weight(&self) -> f64;
}

/// Successes and failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trials {
    /// How often it succeeded.
    pub successes: f64,
    /// How often it failed.
    pub failures: f64,
}

impl Trials {
    /// So many successes and failures; they may be weighted.
    pub fn new(successes: f64, failures: f64) -> Result<Self> {
        not_negative("successes", successes)?;
        not_negative("failures", failures)?;
        Ok(Trials {
            successes,
            failures,
        })
    }
}

pub(super) fn not_negative(name: &str, value: f64) -> Result<()> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(didact_core::Error::parameter(
            name,
            value,
            "it must be at least 0 and finite",
        )),
    }
}

impl Statistic<bool> for Trials {
    fn add(&mut self, x: bool, weight: f64) {
        match x {
            true => self.successes += weight,
            false => self.failures += weight,
        }
    }

    fn merge(self, other: Self) -> Self {
        Trials {
            successes: self.successes + other.successes,
            failures: self.failures + other.failures,
        }
    }

    fn weight(&self) -> f64 {
        self.successes + self.failures
    }
}

/// How often each category occurred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CategoryCounts {
    /// The counts, one per category.
    pub counts: Array1<f64>,
    /// The weight of values that are no category; evidence and posterior refuse them.
    pub(super) strangers: f64,
}

impl CategoryCounts {
    /// These counts; they may be weighted.
    pub fn new(counts: Array1<f64>) -> Result<Self> {
        for (index, &count) in counts.iter().enumerate() {
            not_negative(&format!("counts[{index}]"), count)?;
        }
        Ok(CategoryCounts {
            counts,
            strangers: 0.0,
        })
    }
}

impl Statistic<usize> for CategoryCounts {
    fn add(&mut self, x: usize, weight: f64) {
        match self.counts.get_mut(x) {
            Some(count) => *count += weight,
            None => self.strangers += weight,
        }
    }

    /// # Panics
    /// When the numbers of categories differ.
    fn merge(self, other: Self) -> Self {
        assert_eq!(
            self.counts.len(),
            other.counts.len(),
            "different categories"
        );
        CategoryCounts {
            counts: self.counts + other.counts,
            strangers: self.strangers + other.strangers,
        }
    }

    fn weight(&self) -> f64 {
        self.counts.sum() + self.strangers
    }
}

/// How many events happened in how many observations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventCounts {
    observations: f64,
    events: f64,
    log_factorials: f64,
}

impl EventCounts {
    /// The sum of the counts.
    pub fn events(&self) -> f64 {
        self.events
    }

    /// Σ ln k!, which the evidence needs.
    pub(super) fn log_factorials(&self) -> f64 {
        self.log_factorials
    }
}

impl Statistic<u64> for EventCounts {
    fn add(&mut self, x: u64, weight: f64) {
        self.observations += weight;
        self.events += weight * x as f64;
        self.log_factorials += weight * crate::special::log_factorial(x);
    }

    fn merge(self, other: Self) -> Self {
        EventCounts {
            observations: self.observations + other.observations,
            events: self.events + other.events,
            log_factorials: self.log_factorials + other.log_factorials,
        }
    }

    fn weight(&self) -> f64 {
        self.observations
    }
}

/// Weight, mean and Σ(x−x̄)² of numbers, centred so that large offsets keep their variance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NumberMoments {
    weight: f64,
    /// The first value; the mean is kept relative to it.
    origin: f64,
    offset: f64,
    scatter: f64,
}

impl NumberMoments {
    /// The moments of these numbers.
    pub fn of(values: &[f64]) -> Self {
        let mut moments = NumberMoments::default();
        values.iter().for_each(|&value| moments.add(value, 1.0));
        moments
    }

    /// The mean, zero where there are no values.
    pub fn mean(&self) -> f64 {
        self.origin + self.offset
    }

    /// The mean minus another number, with digits that the mean itself may not have.
    pub(super) fn mean_relative_to(&self, other: f64) -> f64 {
        (self.origin - other) + self.offset
    }

    /// Σ w·(x−x̄)².
    pub fn scatter(&self) -> f64 {
        self.scatter
    }

    pub(super) fn check(&self) -> Result<()> {
        check::finite("the mean of the values", self.mean())?;
        not_negative("the weight of the values", self.weight)?;
        not_negative("the scatter of the values", self.scatter)
    }
}

impl Statistic<f64> for NumberMoments {
    fn add(&mut self, x: f64, weight: f64) {
        let total = self.weight + weight;
        if total == 0.0 {
            // The last value was taken away: what is left is rounding.
            *self = NumberMoments::default();
            return;
        }
        if self.weight == 0.0 {
            self.origin = x;
        }
        let shift = (x - self.origin) - self.offset;
        let factor = weight * (self.weight / total);
        self.offset += weight / total * shift;
        self.scatter = (self.scatter + factor * shift * shift).max(0.0);
        self.weight = total;
    }

    fn merge(self, other: Self) -> Self {
        match (self.weight == 0.0, other.weight == 0.0) {
            (true, _) => return other,
            (_, true) => return self,
            _ => (),
        }
        let weight = self.weight + other.weight;
        let share = other.weight / weight;
        let shift = other.mean_relative_to(self.origin) - self.offset;
        NumberMoments {
            weight,
            origin: self.origin,
            offset: self.offset + share * shift,
            scatter: self.scatter + other.scatter + self.weight * share * shift * shift,
        }
    }

    fn weight(&self) -> f64 {
        self.weight
    }
}

/// Weight, mean and scatter matrix of vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorMoments {
    moments: Moments,
}

impl VectorMoments {
    /// The moments of no vectors.
    pub fn empty(dimension: usize) -> Self {
        VectorMoments {
            moments: Moments::empty(dimension),
        }
    }

    /// The moments of many rows at once, through matrix products.
    pub fn of_rows(rows: ArrayView2<'_, f64>, weights: Option<&[f64]>) -> Result<Self> {
        let moments = crate::gaussian::summarise(rows, weights)?;
        Ok(VectorMoments { moments })
    }

    /// The mean, zero where there are no vectors.
    pub fn mean(&self) -> &Array1<f64> {
        &self.moments.mean
    }

    /// Σ w·(x−x̄)(x−x̄)ᵀ: about the sample mean, not about a prior one.
    pub fn scatter(&self) -> &Array2<f64> {
        &self.moments.scatter
    }

    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        check::same_dimension("the vectors", self.moments.mean.len(), dimension)?;
        check::finite_all("the mean of the vectors", self.moments.mean.view())?;
        check::symmetric("the scatter of the vectors", self.moments.scatter.view())?;
        not_negative("the weight of the vectors", self.moments.weight)
    }
}

impl Statistic<ArrayView1<'_, f64>> for VectorMoments {
    /// # Panics
    /// When the vector has another dimension.
    fn add(&mut self, x: ArrayView1<'_, f64>, weight: f64) {
        let total = self.moments.weight + weight;
        if total == 0.0 {
            *self = VectorMoments::empty(x.len());
            return;
        }
        let shift = &x - &self.moments.mean;
        let factor = weight * (self.moments.weight / total);
        for i in 0..x.len() {
            for j in 0..x.len() {
                // The product of the shifts comes first so that the scatter stays symmetric.
                self.moments.scatter[[i, j]] += factor * (shift[i] * shift[j]);
            }
        }
        self.moments.mean.scaled_add(weight / total, &shift);
        self.moments.weight = total;
    }

    fn merge(self, other: Self) -> Self {
        VectorMoments {
            moments: self.moments.merge(other.moments),
        }
    }

    fn weight(&self) -> f64 {
        self.moments.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, assert_relative};
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn vectors_one_by_one_are_rows_all_at_once() {
        let rows = array![[1e8, 2.0], [1e8 + 1.0, 0.0], [1e8 - 2.0, 1.0]];
        let mut one_by_one = VectorMoments::empty(2);
        rows.rows()
            .into_iter()
            .for_each(|row| one_by_one.add(row, 1.0));
        let at_once = VectorMoments::of_rows(rows.view(), None).unwrap();
        assert_close(one_by_one.mean(), at_once.mean(), 1e-15);
        assert_close(one_by_one.scatter(), at_once.scatter(), 1e-8);
        one_by_one.add(array![5.0, 5.0].view(), 1.0);
        one_by_one.add(array![5.0, 5.0].view(), -1.0);
        assert_relative(one_by_one.weight(), 3.0, 1e-15);
        assert!(VectorMoments::of_rows(array![[f64::NAN]].view(), None).is_err());
    }

    #[test]
    fn taking_everything_away_leaves_nothing() {
        let mut moments = NumberMoments::of(&[3.0]);
        moments.add(3.0, -1.0);
        assert_eq!(moments, NumberMoments::default());
        assert!(Trials::new(-1.0, 0.0).is_err());
        assert!(CategoryCounts::new(array![1.0, f64::NAN]).is_err());
    }

    proptest! {
        #[test]
        fn merging_is_order_free_and_adding_then_removing_restores(
            values in prop::collection::vec(-50.0..50.0_f64, 2..20), cut in 0.0..1.0_f64, extra in -50.0..50.0_f64
        ) {
            let middle = (values.len() as f64 * cut) as usize;
            let whole = NumberMoments::of(&values);
            let (left, right) = (NumberMoments::of(&values[..middle]), NumberMoments::of(&values[middle..]));
            for merged in [left.merge(right), right.merge(left)] {
                prop_assert!((merged.mean() - whole.mean()).abs() < 1e-11);
                prop_assert!((merged.scatter() - whole.scatter()).abs() < 1e-9);
            }
            let mut restored = whole;
            restored.add(extra, 1.0);
            restored.add(extra, -1.0);
            prop_assert!((restored.mean() - whole.mean()).abs() < 1e-11);
            prop_assert!((restored.scatter() - whole.scatter()).abs() < 1e-9);
        }
    }
}
