//! How often each value of each attribute occurs in each class.

use super::category;
use didact_core::{Classes, Error, Labelled, Result, Run, ensure_belongs, parallel};
use ndarray::{Array1, Array2, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The weight of the rows of each class, and of each value of each attribute in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CategoryTotals {
    pub(crate) classes: Classes,
    pub(crate) class_count: Array1<f64>,
    /// For each attribute a row per value and a column per class.
    pub(crate) counts: Vec<Array2<f64>>,
}

impl CategoryTotals {
    /// Counts the values of the chosen columns.
    pub(crate) fn new(data: &Labelled<'_>, columns: &[usize], run: &Run) -> Result<Self> {
        let empty = || CategoryTotals {
            classes: data.classes.clone(),
            class_count: Array1::zeros(data.classes.len()),
            counts: vec![Array2::zeros((0, data.classes.len())); columns.len()],
        };
        let chunk = ((1 << 18) / columns.len().max(1)).clamp(512, 8192);
        let totals = parallel::reduce(
            data.labels.len(),
            chunk,
            run,
            &|rows| {
                let mut totals = empty();
                totals.add(data, columns, rows)?;
                Ok(totals)
            },
            &CategoryTotals::join,
        )?;
        Ok(totals.unwrap_or_else(empty))
    }

    fn add(&mut self, data: &Labelled<'_>, columns: &[usize], rows: Range<usize>) -> Result<()> {
        let x = data.samples.dense()?;
        for row in rows {
            let (class, weight) = (data.labels[row], data.samples.weight(row));
            if weight == 0.0 {
                continue;
            }
            self.class_count[class] += weight;
            let values = x.row(row).to_slice().expect("checked rows are contiguous");
            for (&column, counts) in columns.iter().zip(&mut self.counts) {
                let Some(value) = category(row, column, values[column])? else {
                    continue;
                };
                if value >= counts.nrows() {
                    widen(counts, value + 1);
                }
                counts[[value, class]] += weight;
            }
        }
        Ok(())
    }

    fn join(mut self, other: Self) -> Self {
        self.class_count += &other.class_count;
        for (left, right) in self.counts.iter_mut().zip(&other.counts) {
            widen(left, right.nrows());
            let mut known = left.slice_mut(s![..right.nrows(), ..]);
            known += right;
        }
        self
    }

    pub(crate) fn merge(self, other: Self) -> Result<Self> {
        match self.classes == other.classes && self.counts.len() == other.counts.len() {
            true => Ok(self.join(other)),
            false => Err(Error::data(
                "the chunks have different classes or different columns",
            )),
        }
    }

    /// Fails when the totals contradict themselves, as in a damaged summary.
    pub(crate) fn check(&self) -> Result<()> {
        let k = self.classes.len();
        let is_total = |value: &f64| *value >= 0.0 && value.is_finite();
        let sound = |counts: &Array2<f64>| counts.ncols() == k && counts.iter().all(is_total);
        ensure_belongs(
            k > 0
                && self.class_count.len() == k
                && self.class_count.iter().all(is_total)
                && self.counts.iter().all(sound),
        )
    }
}

/// Adds values that have not been seen.
fn widen(counts: &mut Array2<f64>, values: usize) {
    if values > counts.nrows() {
        let mut wide = Array2::zeros((values, counts.ncols()));
        wide.slice_mut(s![..counts.nrows(), ..]).assign(counts);
        *counts = wide;
    }
}
