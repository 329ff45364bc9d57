//! Columns as ranks: what a tree compares is only which value is larger.

use didact_core::{Error, Result, Run, parallel};
use ndarray::ArrayView2;

/// The rank of a missing value: behind all others.
pub(crate) const MISSING: u32 = u32::MAX;

/// Every column sorted once: the rank of each row's value among the distinct ones, and the rows in
/// that order. All nodes of all trees share it.
pub(crate) struct Columns {
    n_rows: usize,
    columns: Vec<RankedColumn>,
}

/// One column.
pub(crate) struct RankedColumn {
    /// The rank of each row's value; equal values have equal ranks.
    pub(crate) ranks: Vec<u32>,
    /// The distinct values, rising.
    pub(crate) values: Vec<f64>,
    /// The rows by value, rows of one value by index, missing values last.
    pub(crate) order: Vec<u32>,
}

impl Columns {
    /// Sorts every column.
    pub(crate) fn new(rows: ArrayView2<'_, f64>, run: &Run) -> Result<Self> {
        if rows.nrows() >= MISSING as usize {
            return Err(Error::data(format!(
                "there are {} rows; a tree learns from fewer than {MISSING}",
                rows.nrows()
            )));
        }
        let numbers: Vec<usize> = (0..rows.ncols()).collect();
        let columns = parallel::map(&numbers, run, |&column| {
            let values: Vec<f64> = rows.column(column).to_vec();
            Ok(RankedColumn::new(&values))
        })?;
        Ok(Columns {
            n_rows: rows.nrows(),
            columns,
        })
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn column(&self, feature: usize) -> &RankedColumn {
        &self.columns[feature]
    }

    /// The least and the greatest value of each column; zeros where all are missing.
    pub(crate) fn bounds(&self) -> Vec<(f64, f64)> {
        let ends = |column: &RankedColumn| match column.values.as_slice() {
            [] => (0.0, 0.0),
            [only] => (*only, *only),
            [first, .., last] => (*first, *last),
        };
        self.columns.iter().map(ends).collect()
    }
}

impl RankedColumn {
    fn new(values: &[f64]) -> Self {
        let mut keyed: Vec<(u64, u32)> = values
            .iter()
            .zip(0..)
            .map(|(&value, row)| (sort_key(value), row))
            .collect();
        keyed.sort_unstable();
        let mut ranks = vec![MISSING; values.len()];
        let mut distinct: Vec<f64> = Vec::new();
        let mut previous = None;
        for &(key, row) in &keyed {
            let value = values[row as usize];
            if value.is_nan() {
                break;
            }
            if previous != Some(key) {
                // Adding zero turns −0 into 0, which compares the same.
                distinct.push(value + 0.0);
                previous = Some(key);
            }
            ranks[row as usize] = distinct.len() as u32 - 1;
        }
        RankedColumn {
            ranks,
            values: distinct,
            order: keyed.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// A number between two neighbouring values, as half-open ranges need it: greater than the
    /// first and at most the second.
    pub(crate) fn between(&self, below: u32, above: u32) -> f64 {
        let (low, high) = (self.values[below as usize], self.values[above as usize]);
        let middle = low / 2.0 + high / 2.0;
        match middle > low && middle <= high {
            true => middle,
            // Neighbouring floating-point numbers have nothing in between.
            false => high,
        }
    }
}

/// Whole numbers in the order of the real ones, NaN last.
fn sort_key(value: f64) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    let bits = (value + 0.0).to_bits();
    match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn ranks_follow_the_values_and_missing_ones_come_last() {
        let x = array![[2.0], [f64::NAN], [-1.0], [2.0], [0.0], [-0.0]];
        let columns = Columns::new(x.view(), &Run::new()).unwrap();
        let column = columns.column(0);
        assert_eq!(column.ranks, [2, MISSING, 0, 2, 1, 1]);
        assert_eq!(column.values, [-1.0, 0.0, 2.0]);
        assert_eq!(column.order, [2, 4, 5, 0, 3, 1]);
        assert_eq!(columns.bounds(), [(-1.0, 2.0)]);
    }

    #[test]
    fn thresholds_lie_above_the_lower_value_even_where_nothing_is_between() {
        let next = 1.0_f64.next_up();
        let x = array![[1.0], [next], [f64::MAX], [-f64::MAX]];
        let columns = Columns::new(x.view(), &Run::new()).unwrap();
        let column = columns.column(0);
        assert_eq!(column.between(1, 2), next);
        let wide = column.between(0, 3);
        assert!(wide > -f64::MAX && wide <= f64::MAX && wide.is_finite());
    }
}
