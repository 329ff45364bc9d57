//! Weight, mean and variance of each column where values may be missing.

use didact_core::{Error, Result, Rows, Run, Samples, ensure_belongs, parallel};
use didact_math::linalg::Variances;
use ndarray::{Array1, ArrayView2};
use serde::{Deserialize, Serialize};

/// The weight, the mean and the centred sum of squares of the known values of each column.
///
/// [`Variances`] with a weight per column, because columns miss different rows. Two of them
/// merge to what all the rows would have given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnStatistics {
    /// The weight of the known values of each column.
    pub weights: Array1<f64>,
    /// The mean of the known values of each column; zero where none is known.
    pub means: Array1<f64>,
    /// The sum Σ w·(x−μ)² of the known values of each column.
    pub sum_squares: Array1<f64>,
}

impl ColumnStatistics {
    /// Sums up the rows, each as often as its weight says; NaN is a missing value.
    pub fn summarise(samples: &Samples<'_>, run: &Run) -> Result<Self> {
        match samples.rows() {
            Rows::Dense(dense) if has_missing(dense) => summarise_missing(dense, samples, run),
            rows => Ok(Variances::summarise(rows, samples.weights(), run)?.into()),
        }
    }

    /// Fails when the parts have different columns, as in a damaged summary.
    pub(crate) fn check(&self) -> Result<()> {
        let columns = self.means.len();
        ensure_belongs(self.weights.len() == columns && self.sum_squares.len() == columns)
    }

    /// What two sets of rows amount to together.
    pub fn merge(mut self, other: &Self) -> Result<Self> {
        if self.means.len() != other.means.len() {
            return Err(Error::Columns {
                expected: self.means.len(),
                found: other.means.len(),
            });
        }
        self.absorb(other);
        Ok(self)
    }

    fn absorb(&mut self, other: &Self) {
        for column in 0..self.means.len() {
            let weight = self.weights[column] + other.weights[column];
            if weight > 0.0 {
                let share = other.weights[column] / weight;
                let shift = other.means[column] - self.means[column];
                self.sum_squares[column] +=
                    other.sum_squares[column] + self.weights[column] * share * (shift * shift);
                self.means[column] += shift * share;
                self.weights[column] = weight;
            }
        }
    }

    /// The variance of each column, Σ w·(x−μ)² / W; zero where nothing is known.
    pub fn variances(&self) -> Array1<f64> {
        let safe = self
            .weights
            .mapv(|weight| if weight > 0.0 { weight } else { 1.0 });
        &self.sum_squares / &safe
    }

    /// The standard deviations, one where a column does not vary beyond rounding.
    ///
    /// A sum of n squares of rounded differences can reach n·ε·var + (n·ε·mean)² although all
    /// values are equal; dividing by the root of that would blow rounding up to full size.
    pub fn scales(&self) -> Array1<f64> {
        let variances = self.variances();
        Array1::from_shape_fn(variances.len(), |column| {
            let (n, variance) = (self.weights[column], variances[column]);
            let by_mean = n * self.means[column] * f64::EPSILON;
            let rounding = n * f64::EPSILON * variance + by_mean * by_mean;
            match variance <= rounding {
                true => 1.0,
                false => variance.sqrt(),
            }
        })
    }

    /// The first column of which no value is known.
    pub fn unknown_column(&self) -> Option<usize> {
        self.weights.iter().position(|weight| *weight <= 0.0)
    }
}

impl From<Variances> for ColumnStatistics {
    fn from(variances: Variances) -> Self {
        ColumnStatistics {
            weights: Array1::from_elem(variances.mean.len(), variances.weight),
            means: variances.mean,
            sum_squares: variances.sum_squares,
        }
    }
}

fn has_missing(dense: ArrayView2<'_, f64>) -> bool {
    dense.iter().any(|value| value.is_nan())
}

fn summarise_missing(
    dense: ArrayView2<'_, f64>,
    samples: &Samples<'_>,
    run: &Run,
) -> Result<ColumnStatistics> {
    let columns = dense.ncols();
    let chunk = ((1 << 18) / columns.max(1)).clamp(64, 4096);
    let found = parallel::reduce(
        dense.nrows(),
        chunk,
        run,
        &|range| {
            let mut piece = ColumnStatistics {
                weights: Array1::zeros(columns),
                means: Array1::zeros(columns),
                sum_squares: Array1::zeros(columns),
            };
            for row in range {
                let weight = samples.weight(row);
                for (column, &value) in dense.row(row).iter().enumerate() {
                    if weight > 0.0 && !value.is_nan() {
                        piece.add(column, value, weight);
                    }
                }
            }
            Ok(piece)
        },
        &|mut left, right| {
            left.absorb(&right);
            left
        },
    )?;
    let found = found.ok_or_else(|| Error::data("there are no rows; give at least one"))?;
    let mut values = found.means.iter().chain(&found.sum_squares);
    match values.all(|value| value.is_finite()) {
        true => Ok(found),
        false => Err(Error::numerical(
            "the sums of squares of the columns overflow; divide the columns by a power of ten so that their values stay below 1e150",
        )),
    }
}

impl ColumnStatistics {
    /// Adds one known value to a column (Welford's step, which stays exact for constants).
    fn add(&mut self, column: usize, value: f64, weight: f64) {
        let total = self.weights[column] + weight;
        let shift = value - self.means[column];
        let step = shift * (weight / total);
        self.means[column] += step;
        self.sum_squares[column] += self.weights[column] * shift * step;
        self.weights[column] = total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array, s};
    use proptest::prelude::*;

    // By hand: the second column knows 1, 2 and 6 with mean 3 and squares 4 + 1 + 9 = 14.
    #[test]
    fn missing_values_do_not_count() {
        let x = array![[1.0, 1.0], [3.0, f64::NAN], [5.0, 2.0], [7.0, 6.0]];
        let found = ColumnStatistics::summarise(&Samples::from(&x), &Run::new()).unwrap();
        assert_eq!(found.weights, array![4.0, 3.0]);
        assert_eq!(found.means, array![4.0, 3.0]);
        assert!((found.sum_squares[1] - 14.0).abs() < 1e-13);
        assert!((found.variances()[0] - 5.0).abs() < 1e-13);
    }

    #[test]
    fn a_weight_of_two_counts_like_two_rows() {
        let twice = array![[1.0], [4.0], [4.0], [f64::NAN]];
        let once = array![[1.0], [4.0], [f64::NAN]];
        let heavy = Samples::from(&once).weighted(&[1.0, 2.0, 1.0]).unwrap();
        let heavy = ColumnStatistics::summarise(&heavy, &Run::new()).unwrap();
        let plain = ColumnStatistics::summarise(&Samples::from(&twice), &Run::new()).unwrap();
        assert_eq!(heavy.weights, plain.weights);
        assert!((heavy.means[0] - 3.0).abs() < 1e-14 && (plain.means[0] - 3.0).abs() < 1e-14);
        assert!((heavy.sum_squares[0] - 6.0).abs() < 1e-13);
    }

    #[test]
    fn huge_values_are_an_error_and_not_an_infinity() {
        let x = array![[1e300], [-1e300], [f64::NAN]];
        let error = ColumnStatistics::summarise(&Samples::from(&x), &Run::new()).unwrap_err();
        assert!(error.to_string().contains("overflow"));
    }

    proptest! {
        #[test]
        fn merging_any_cut_gives_the_whole(
            values in proptest::collection::vec((-1e3..1e3f64, proptest::bool::weighted(0.2)), 2..60),
            cut in 0.0..1.0,
        ) {
            let hide = |&(value, missing): &(f64, bool)| if missing { f64::NAN } else { value };
            let column: Vec<f64> = values.iter().map(hide).collect();
            let x = Array2::from_shape_vec((column.len(), 1), column).unwrap();
            let cut = 1 + (cut * (x.nrows() - 1) as f64) as usize;
            let part = |rows: ArrayView2<'_, f64>| {
                ColumnStatistics::summarise(&Samples::from(rows), &Run::new()).unwrap()
            };
            let (left, right) = (part(x.slice(s![..cut, ..])), part(x.slice(s![cut.., ..])));
            let merged = left.merge(&right).unwrap();
            let whole = part(x.view());
            prop_assert_eq!(&merged.weights, &whole.weights);
            prop_assert!((merged.means[0] - whole.means[0]).abs() < 1e-9);
            let scale = whole.sum_squares[0].max(1.0);
            prop_assert!((merged.sum_squares[0] - whole.sum_squares[0]).abs() < 1e-12 * scale);
        }
    }
}
