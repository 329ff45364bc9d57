//! The totals of counts in each class, in one pass over dense or sparse rows.

use super::{Reading, ensure_finite};
use didact_core::{Classes, Error, Labelled, Result, Rows, Run, ensure_belongs, parallel};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The weight of the rows of each class and the weighted counts of each column in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassTotals {
    pub(crate) classes: Classes,
    pub(crate) class_count: Array1<f64>,
    /// A row per class.
    pub(crate) feature_count: Array2<f64>,
}

impl ClassTotals {
    pub(crate) fn new(data: &Labelled<'_>, reading: Reading, run: &Run) -> Result<Self> {
        let rows = data.samples.rows();
        let (classes, d) = (data.classes.len(), rows.n_columns());
        let totals = parallel::reduce(
            rows.n_rows(),
            rows_per_piece(rows, classes * d),
            run,
            &|range| add_up(data, reading, range, run),
            &|mut left: (Array1<f64>, Array2<f64>), right| {
                left.0 += &right.0;
                left.1 += &right.1;
                left
            },
        )?;
        let empty = || (Array1::zeros(classes), Array2::zeros((classes, d)));
        let (class_count, feature_count) = totals.unwrap_or_else(empty);
        ensure_finite(feature_count.iter().all(|total| total.is_finite()))?;
        Ok(ClassTotals {
            classes: data.classes.clone(),
            class_count,
            feature_count,
        })
    }

    /// Fails when the totals contradict themselves, as in a damaged summary.
    pub(crate) fn check(&self) -> Result<()> {
        let is_total = |value: &f64| *value >= 0.0 && value.is_finite();
        ensure_belongs(
            self.class_count.len() == self.classes.len()
                && self.feature_count.nrows() == self.classes.len()
                && self.feature_count.ncols() > 0
                && !self.classes.is_empty()
                && self.class_count.iter().all(is_total)
                && self.feature_count.iter().all(is_total),
        )
    }

    pub(crate) fn merge(mut self, other: Self) -> Result<Self> {
        if self.classes != other.classes || self.feature_count.dim() != other.feature_count.dim() {
            return Err(Error::data(
                "the chunks have different classes or different columns",
            ));
        }
        self.class_count += &other.class_count;
        self.feature_count += &other.feature_count;
        ensure_finite(self.feature_count.iter().all(|total| total.is_finite()))?;
        Ok(self)
    }
}

/// Rows for which adding up costs several times as much as the table of totals itself, which
/// every piece has to clear and to merge.
fn rows_per_piece(rows: Rows<'_>, cells: usize) -> usize {
    let stored = match rows {
        Rows::Dense(x) => x.ncols(),
        Rows::Sparse(x) => x.n_stored() / x.n_rows().max(1),
    };
    (4 * cells / stored.max(1)).max(1024)
}

fn add_up(
    data: &Labelled<'_>,
    reading: Reading,
    range: Range<usize>,
    run: &Run,
) -> Result<(Array1<f64>, Array2<f64>)> {
    let (classes, d) = (data.classes.len(), data.samples.n_columns());
    let mut class_count = Array1::zeros(classes);
    let mut totals = Array2::zeros((classes, d));
    let cells: &mut [f64] = totals.as_slice_mut().expect("a new array is contiguous");
    let rows = data.samples.rows();
    // Pieces of few rows are read twice while they are in the cache, and can be stopped between.
    for start in range.clone().step_by(1024) {
        run.check()?;
        let block = start..(start + 1024).min(range.end);
        reading.check(rows.slice(block.clone()), start)?;
        for row in block {
            let (class, weight) = (data.labels[row], data.samples.weight(row));
            // A row of weight zero is absent, however large it is.
            if weight == 0.0 {
                continue;
            }
            class_count[class] += weight;
            let cells = &mut cells[class * d..][..d];
            match rows {
                Rows::Dense(x) => {
                    for (cell, &value) in cells.iter_mut().zip(x.row(row)) {
                        *cell += weight * reading.count(value);
                    }
                }
                Rows::Sparse(x) => {
                    let (columns, values) = x.row(row);
                    for (&column, &value) in columns.iter().zip(values) {
                        cells[column as usize] += weight * reading.count(value);
                    }
                }
            }
        }
    }
    Ok((class_count, totals))
}
