//! The rows as the iterations see them: without rows of weight zero and near the origin.

use didact_core::{OwnedRows, Result, Rows, Run, Samples, parallel};
use didact_math::linalg::Variances;
use didact_math::vectorised::vectorised;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows that count, shifted towards the origin, with what is known of them as a whole.
pub(crate) struct Prepared<'a> {
    rows: PreparedRows<'a>,
    /// One weight per row, if they differ.
    pub(crate) weights: Option<Vec<f64>>,
    /// What was taken from each column.
    pub(crate) offset: Array1<f64>,
    /// Mean and scatter of the shifted rows.
    pub(crate) variances: Variances,
}

enum PreparedRows<'a> {
    Borrowed(Rows<'a>),
    Owned(OwnedRows),
}

impl<'a> Prepared<'a> {
    /// Prepares the rows for the iterations; without a copy where nothing has to change.
    pub(crate) fn new(data: &'a Samples<'_>, run: &Run) -> Result<Self> {
        let rows = match counting_rows(data) {
            Some(chosen) => PreparedRows::Owned(data.rows().select(&chosen)),
            None => PreparedRows::Borrowed(data.rows()),
        };
        let weights = data.weights().map(|weights| {
            weights
                .iter()
                .copied()
                .filter(|&weight| weight > 0.0)
                .collect()
        });
        let offset = match rows.view() {
            Rows::Dense(dense) => ColumnRanges::of(dense, None, run)?.exact_offset(),
            Rows::Sparse(sparse) => Array1::zeros(sparse.n_columns()),
        };
        let rows = match offset.iter().all(|&shift| shift == 0.0) {
            true => rows,
            false => PreparedRows::Owned(OwnedRows::Dense(shifted(rows.view(), &offset))),
        };
        let mut prepared = Prepared {
            rows,
            weights,
            variances: Variances::empty(offset.len()),
            offset,
        };
        let weights = prepared.weights.as_deref().map(ArrayView1::from);
        prepared.variances = Variances::summarise(prepared.rows(), weights, run)?;
        Ok(prepared)
    }

    /// The rows.
    pub(crate) fn rows(&self) -> Rows<'_> {
        self.rows.view()
    }

    /// Squared movement of all centres below which the method has converged.
    pub(crate) fn tolerance(&self, tol: f64) -> f64 {
        tolerance(&self.variances, tol)
    }
}

impl PreparedRows<'_> {
    fn view(&self) -> Rows<'_> {
        match self {
            PreparedRows::Borrowed(Rows::Dense(dense)) => Rows::Dense(dense.view()),
            PreparedRows::Borrowed(Rows::Sparse(sparse)) => Rows::Sparse(*sparse),
            PreparedRows::Owned(rows) => rows.view(),
        }
    }
}

/// `tol` times the mean variance of the columns.
pub(crate) fn tolerance(variances: &Variances, tol: f64) -> f64 {
    tol * variances.variance().mean().unwrap_or(0.0)
}

/// The rows with a weight above zero, or nothing when that is all of them.
fn counting_rows(data: &Samples<'_>) -> Option<Vec<usize>> {
    let weights = data.weights()?;
    weights.iter().any(|&weight| weight == 0.0).then(|| {
        (0..weights.len())
            .filter(|&row| weights[row] > 0.0)
            .collect()
    })
}

/// The smallest and the largest value of each column, over the rows that count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnRanges(Vec<(f64, f64)>);

/// Widens the ranges of the columns by one row.
#[inline(always)]
fn widen(least: &mut [f64], most: &mut [f64], row: &[f64]) {
    for ((least, most), &value) in least.iter_mut().zip(most).zip(row) {
        *least = if value < *least { value } else { *least };
        *most = if value > *most { value } else { *most };
    }
}

impl ColumnRanges {
    pub(crate) fn of(
        dense: ArrayView2<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
        run: &Run,
    ) -> Result<Self> {
        let d = dense.ncols();
        let nothing = || ColumnRanges(vec![(f64::INFINITY, f64::NEG_INFINITY); d]);
        let chunk = ((1 << 18) / d.max(1)).clamp(16, 8192);
        let summarise = |rows: Range<usize>| {
            let (mut least, mut most) = (vec![f64::INFINITY; d], vec![f64::NEG_INFINITY; d]);
            let rows = rows.filter(|&row| weights.is_none_or(|weights| weights[row] > 0.0));
            vectorised(
                #[inline(always)]
                || {
                    for row in rows {
                        let row = dense.row(row);
                        let row = row.to_slice().expect("rows are contiguous");
                        widen(&mut least, &mut most, row);
                    }
                },
            );
            Ok(ColumnRanges(least.into_iter().zip(most).collect()))
        };
        let ranges = parallel::reduce(dense.nrows(), chunk, run, &summarise, &Self::merge)?;
        Ok(ranges.unwrap_or_else(nothing))
    }

    /// Ranges that allow no offset, for sparse rows: an offset would fill in their zeros.
    pub(crate) fn unknown(n_columns: usize) -> Self {
        ColumnRanges(vec![(f64::NEG_INFINITY, f64::INFINITY); n_columns])
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        for (range, other) in self.0.iter_mut().zip(other.0) {
            *range = (range.0.min(other.0), range.1.max(other.1));
        }
        self
    }

    /// What can be taken from each column without rounding: its value of least magnitude, where
    /// all its values lie within a factor of two of that, else nothing.
    ///
    /// Such differences are exact (Sterbenz), so equal distances stay equal and ties stay ties,
    /// while a column like 1e8 + noise keeps its digits in sums and products.
    pub(crate) fn exact_offset(&self) -> Array1<f64> {
        let offset = |&(least, most): &(f64, f64)| {
            if least > 0.0 && most / 2.0 <= least {
                least
            } else if most < 0.0 && least / 2.0 >= most {
                most
            } else {
                0.0
            }
        };
        self.0.iter().map(offset).collect()
    }
}

/// Rows from which an offset was taken.
pub(crate) struct Shifted<'a>(PreparedRows<'a>);

impl Shifted<'_> {
    pub(crate) fn view(&self) -> Rows<'_> {
        self.0.view()
    }
}

/// The rows with the offset taken away; without a copy where it is zero.
pub(crate) fn shifted_rows<'a>(rows: Rows<'a>, offset: &Array1<f64>) -> Shifted<'a> {
    Shifted(match offset.iter().all(|&shift| shift == 0.0) {
        true => PreparedRows::Borrowed(rows),
        false => PreparedRows::Owned(OwnedRows::Dense(shifted(rows, offset))),
    })
}

fn shifted(rows: Rows<'_>, offset: &Array1<f64>) -> Array2<f64> {
    let mut copy = rows.to_dense().into_owned();
    for mut row in copy.axis_iter_mut(Axis(0)) {
        row -= offset;
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn only_columns_that_can_be_shifted_exactly_are_shifted() {
        let x = array![[1e8 + 1.0, 0.3, -7.0, 0.1], [1e8 + 3.0, 0.1, -5.0, 0.1]];
        let samples = Samples::from(&x);
        let prepared = Prepared::new(&samples, &Run::new()).unwrap();
        assert_eq!(prepared.offset, array![1e8 + 1.0, 0.0, -5.0, 0.1]);
        let expected = array![[0.0, 0.3, -2.0, 0.0], [2.0, 0.1, 0.0, 0.0]];
        assert_eq!(prepared.rows().to_dense(), expected);
    }

    #[test]
    fn rows_of_weight_zero_are_absent() {
        let x = array![[1.0], [50.0], [-3.0]];
        let samples = Samples::from(&x).weighted(&[2.0, 0.0, 1.0]).unwrap();
        let prepared = Prepared::new(&samples, &Run::new()).unwrap();
        assert_eq!(prepared.rows().to_dense(), array![[1.0], [-3.0]]);
        assert_eq!(prepared.weights, Some(vec![2.0, 1.0]));
        assert_eq!(prepared.variances.weight, 3.0);
    }
}
