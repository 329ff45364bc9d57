//! Values with weights, checked once, and averages over them.

use didact_core::{Error, Result};
use didact_math::numeric::CompensatedSum;

/// Values to learn from, each as often as its weight says.
pub(crate) struct Observations<'a, X> {
    values: &'a [X],
    weights: Option<&'a [f64]>,
    total: f64,
}

impl<'a, X: Copy> Observations<'a, X> {
    /// Checks that there are values and that the weights can be used.
    pub(crate) fn new(values: &'a [X], weights: Option<&'a [f64]>) -> Result<Self> {
        let total = check_weights(values.len(), weights)?;
        Ok(Observations {
            values,
            weights,
            total,
        })
    }

    /// The values that count, with their weights.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (X, f64)> + '_ {
        let weights = self.weights;
        self.values
            .iter()
            .enumerate()
            .map(move |(i, &value)| (value, weights.map_or(1.0, |weights| weights[i])))
            .filter(|&(_, weight)| weight > 0.0)
    }

    /// The weighted average of a function of the values.
    pub(crate) fn mean_of(&self, function: impl Fn(X) -> f64) -> f64 {
        let mut sum = CompensatedSum::default();
        self.iter()
            .for_each(|(value, weight)| sum.add(weight * function(value)));
        sum.value() / self.total
    }
}

impl Observations<'_, f64> {
    /// Checks that every value lies in the support of the law.
    pub(crate) fn within(self, support: &str, holds: impl Fn(f64) -> bool) -> Result<Self> {
        let outside = self
            .iter()
            .find(|&(value, _)| !(value.is_finite() && holds(value)));
        match outside {
            None => Ok(self),
            Some((value, _)) => Err(Error::data(format!(
                "the value {value} cannot come from this law; values must be {support}"
            ))),
        }
    }

    /// The weighted mean.
    pub(crate) fn mean(&self) -> f64 {
        // Centred on a value so that large offsets do not cost digits.
        let origin = self.values[0];
        origin + self.mean_of(|value| value - origin)
    }

    /// The weighted mean of (x − centre)².
    pub(crate) fn spread_about(&self, centre: f64) -> f64 {
        self.mean_of(|value| (value - centre) * (value - centre))
    }

    /// The lower and upper ends of the values.
    pub(crate) fn range(&self) -> (f64, f64) {
        self.iter().fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(low, high), (value, _)| (low.min(value), high.max(value)),
        )
    }

    /// The value with half of the weight on either side, the middle of the two where it is
    /// reached exactly between them.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted: Vec<(f64, f64)> = self.iter().collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = 0.5 * self.total;
        let mut below = 0.0;
        for (index, &(value, weight)) in sorted.iter().enumerate() {
            below += weight;
            if below == half && index + 1 < sorted.len() {
                return value + 0.5 * (sorted[index + 1].0 - value);
            }
            if below >= half {
                return value;
            }
        }
        sorted[sorted.len() - 1].0
    }
}

/// The sum of the weights of `n` values, or what is wrong with them.
pub(crate) fn check_weights(n: usize, weights: Option<&[f64]>) -> Result<f64> {
    if n == 0 {
        return Err(Error::data("there are no values to learn from"));
    }
    let Some(weights) = weights else {
        return Ok(n as f64);
    };
    if weights.len() != n {
        return Err(Error::data(format!(
            "there are {} weights for {n} values",
            weights.len()
        )));
    }
    if let Some(row) = weights
        .iter()
        .position(|weight| !(*weight >= 0.0 && weight.is_finite()))
    {
        return Err(Error::data(format!(
            "the weight of value {row} is {}; weights must be finite and not negative",
            weights[row]
        )));
    }
    let total = didact_math::numeric::compensated_sum(weights.iter().copied());
    match total > 0.0 && total.is_finite() {
        true => Ok(total),
        false => Err(Error::data(format!(
            "the weights sum to {total}; at least one value must count"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_checked_and_zero_weight_means_absent() {
        let values = [1.0, 2.0, 50.0];
        assert!(Observations::<f64>::new(&[], None).is_err());
        assert!(Observations::new(&values, Some(&[1.0])).is_err());
        assert!(Observations::new(&values, Some(&[1.0, -1.0, 1.0])).is_err());
        assert!(Observations::new(&values, Some(&[0.0; 3])).is_err());
        let some = Observations::new(&values, Some(&[1.0, 3.0, 0.0])).unwrap();
        assert_eq!((some.mean(), some.range()), (1.75, (1.0, 2.0)));
        assert!(some.within("at most 10", |value| value <= 10.0).is_ok());
    }

    #[test]
    fn the_median_shares_the_weight() {
        let median = |values: &[f64], weights| Observations::new(values, weights).unwrap().median();
        assert_eq!(median(&[3.0, 1.0, 2.0], None), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0], None), 2.5);
        assert_eq!(median(&[1.0, 2.0, 3.0], Some(&[5.0, 1.0, 1.0])), 1.0);
    }
}
