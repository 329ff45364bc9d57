//! Columns in at most 255 bins, one byte per value.

use didact_core::random::generator;
use didact_core::{Result, Run, parallel};
use ndarray::ArrayView2;
use rand::RngExt;

/// The code of a missing value.
pub(super) const MISSING: u8 = 255;

/// From so many rows on the borders of bins are learned from some of them.
const ENOUGH: usize = 200_000;

/// Codes of all values, and the borders that they stand for.
pub(super) struct Bins {
    columns: Vec<BinnedColumn>,
}

/// One column.
pub(super) struct BinnedColumn {
    /// The bin of each row: how many borders are not above its value.
    pub(super) codes: Vec<u8>,
    /// Rising; rows with x < borders[b] are in the bins up to b.
    pub(super) borders: Vec<f64>,
    pub(super) has_missing: bool,
}

impl Bins {
    pub(super) fn new(
        rows: ArrayView2<'_, f64>,
        max_bins: usize,
        seed: u64,
        run: &Run,
    ) -> Result<Self> {
        let numbers: Vec<usize> = (0..rows.ncols()).collect();
        let columns = parallel::map(&numbers, run, |&column| {
            let values: Vec<f64> = rows.column(column).to_vec();
            Ok(BinnedColumn::new(&values, max_bins, seed, column))
        })?;
        Ok(Bins { columns })
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn column(&self, feature: usize) -> &BinnedColumn {
        &self.columns[feature]
    }
}

impl BinnedColumn {
    fn new(values: &[f64], max_bins: usize, seed: u64, column: usize) -> Self {
        let mut known: Vec<f64> = match values.len() > ENOUGH {
            true => {
                let mut random = generator(seed, column as u64);
                let drawn = (0..ENOUGH).map(|_| values[random.random_range(0..values.len())]);
                drawn.collect()
            }
            false => values.to_vec(),
        };
        known.retain(|value| !value.is_nan());
        known.sort_unstable_by(f64::total_cmp);
        let borders = borders(&known, max_bins);
        let mut has_missing = false;
        let code = |&value: &f64| match value.is_nan() {
            true => MISSING,
            false => count_below(&borders, value),
        };
        let codes: Vec<u8> = values.iter().map(code).collect();
        has_missing |= codes.contains(&MISSING);
        BinnedColumn {
            codes,
            borders,
            has_missing,
        }
    }
}

/// How many borders are not above a value, without a branch that could be guessed wrong.
fn count_below(borders: &[f64], value: f64) -> u8 {
    let (mut first, mut length) = (0, borders.len());
    while length > 1 {
        let half = length / 2;
        first += usize::from(borders[first + half - 1] <= value) * half;
        length -= half;
    }
    let last = borders.get(first).is_some_and(|border| *border <= value);
    (first + usize::from(last)) as u8
}

/// Borders between the distinct values, or between shares of the rows where there are too many.
fn borders(sorted: &[f64], max_bins: usize) -> Vec<f64> {
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    let middle = |low: f64, high: f64| {
        let middle = low / 2.0 + high / 2.0;
        match middle > low && middle <= high {
            true => middle,
            false => high,
        }
    };
    if distinct.len() <= max_bins {
        return distinct
            .windows(2)
            .map(|pair| middle(pair[0], pair[1]))
            .collect();
    }
    let mut borders: Vec<f64> = (1..max_bins)
        .map(|bin| {
            let place = bin as f64 * (sorted.len() - 1) as f64 / max_bins as f64;
            let low = sorted[place as usize];
            let next = distinct.partition_point(|&value| value <= low);
            middle(low, distinct[next.min(distinct.len() - 1)])
        })
        .collect();
    borders.dedup();
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_count_the_borders_below_and_every_distinct_value_has_a_bin() {
        let values = [3.0, 1.0, f64::NAN, 2.0, 3.0];
        let column = BinnedColumn::new(&values, 255, 0, 0);
        assert_eq!(column.codes, [2, 0, MISSING, 1, 2]);
        assert_eq!(column.borders, [1.5, 2.5]);
        let many: Vec<f64> = (0..10_000).map(|i| f64::from(i) * 0.37).collect();
        let column = BinnedColumn::new(&many, 16, 0, 0);
        assert_eq!(column.borders.len(), 15);
        for (&value, &code) in many.iter().zip(&column.codes) {
            let expected = column
                .borders
                .iter()
                .filter(|&&border| border <= value)
                .count();
            assert_eq!(usize::from(code), expected);
        }
    }
}
