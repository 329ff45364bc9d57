//! Mean and variance of each column over the values that are there.

use didact_core::{Error, Result, Rows, Run, Samples};
use didact_math::linalg::Variances;
use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Of each column the weight of the rows that have a value, their mean, and Σ w·(x−mean)².
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ObservedColumns {
    weights: Array1<f64>,
    means: Array1<f64>,
    sum_squares: Array1<f64>,
}

impl ObservedColumns {
    /// Sums up the rows.
    pub(super) fn summarise(data: &Samples<'_>, run: &Run) -> Result<Self> {
        let rows = data.dense()?;
        if !has_gaps(rows) {
            let found = Variances::summarise(Rows::Dense(rows), data.weights(), run)?;
            return Ok(ObservedColumns {
                weights: Array1::from_elem(rows.ncols(), found.weight),
                means: found.mean,
                sum_squares: found.sum_squares,
            });
        }
        let mut found = ObservedColumns::nothing(rows.ncols());
        for (row, values) in rows.rows().into_iter().enumerate() {
            run.check()?;
            for (column, &value) in values.iter().enumerate() {
                if !value.is_nan() {
                    found.add(column, value, data.weight(row));
                }
            }
        }
        let mut sums = found.means.iter().chain(&found.sum_squares);
        match sums.all(|value| value.is_finite()) {
            true => Ok(found),
            false => Err(Error::numerical(
                "the squares of the values are too large for a number; scale the columns down",
            )),
        }
    }

    fn nothing(n_columns: usize) -> Self {
        let zeros = || Array1::zeros(n_columns);
        ObservedColumns {
            weights: zeros(),
            means: zeros(),
            sum_squares: zeros(),
        }
    }

    /// One more value, by the update that loses no digits to a large mean.
    fn add(&mut self, column: usize, value: f64, weight: f64) {
        if weight == 0.0 {
            return;
        }
        self.weights[column] += weight;
        let before = value - self.means[column];
        self.means[column] += before * (weight / self.weights[column]);
        self.sum_squares[column] += weight * before * (value - self.means[column]);
    }

    /// What two sets of rows amount to together.
    pub(super) fn merge(mut self, other: Self) -> Self {
        for column in 0..self.weights.len() {
            let (own, more) = (self.weights[column], other.weights[column]);
            if more == 0.0 {
                continue;
            }
            let share = more / (own + more);
            let shift = other.means[column] - self.means[column];
            self.weights[column] += more;
            self.means[column] += shift * share;
            self.sum_squares[column] += other.sum_squares[column] + own * share * shift * shift;
        }
        self
    }

    /// Whether all lists have this many columns, which those of a damaged summary may not.
    pub(super) fn has_columns(&self, n_columns: usize) -> bool {
        [&self.weights, &self.means, &self.sum_squares]
            .iter()
            .all(|list| list.len() == n_columns && list.iter().all(|value| value.is_finite()))
    }

    /// The variance of each column. A column without any value has none to learn from.
    pub(super) fn variances(&self) -> Result<Array1<f64>> {
        match self.weights.iter().position(|&weight| weight <= 0.0) {
            Some(column) => Err(Error::data(format!(
                "column {column} has no value in any row; remove it"
            ))),
            None => Ok(&self.sum_squares / &self.weights),
        }
    }

    /// Puts about the mean of its column into every gap.
    ///
    /// The last digits of a mean depend on how the rows were cut into pieces, and what is drawn from
    /// the rows depends on all digits of their values, so the mean is rounded.
    pub(super) fn fill(&self, rows: &mut Array2<f64>) {
        let rounded = self.means.mapv(|mean| match f64::from(mean as f32) {
            short if short.is_finite() => short,
            _ => mean,
        });
        for mut row in rows.rows_mut() {
            for (value, mean) in row.iter_mut().zip(&rounded) {
                if value.is_nan() {
                    *value = *mean;
                }
            }
        }
    }
}

/// Whether a value is missing.
pub(super) fn has_gaps(rows: ArrayView2<'_, f64>) -> bool {
    rows.iter().any(|value| value.is_nan())
}
