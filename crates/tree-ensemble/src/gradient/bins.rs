//! Columns in at most 255 bins, one byte per value.

use didact_core::random::generator;
use didact_core::{Result, Run, parallel};
use ndarray::ArrayView2;
use rand::RngExt;
use std::sync::OnceLock;

/// The code of a missing value.
pub(super) const MISSING: u8 = 255;

/// From so many rows on the borders of bins are learned from some of them.
const ENOUGH: usize = 200_000;

/// How many columns have their codes side by side: a row is then looked up once for all of them.
pub(super) const GROUP: usize = 4;

/// The bins of a row in the columns of a group: how many borders are not above each value.
pub(super) type Codes = [u8; GROUP];

/// Codes of all values, and the borders that they stand for.
pub(super) struct Bins {
    n_rows: usize,
    /// The codes of the rows in one group of columns after the other; zeros where there are no
    /// columns any more.
    codes: Vec<Codes>,
    columns: Vec<BinnedColumn>,
}

/// One column.
pub(super) struct BinnedColumn {
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
        let n_rows = rows.nrows();
        let n_groups = rows.ncols().div_ceil(GROUP);
        let mut codes = vec![[0; GROUP]; n_groups * n_rows];
        let columns: Vec<OnceLock<BinnedColumn>> =
            (0..rows.ncols()).map(|_| OnceLock::new()).collect();
        parallel::fill(&mut codes, n_rows, 1, run, |groups, codes| {
            let first = groups.start * GROUP;
            for (place, column) in columns[first..].iter().take(GROUP).enumerate() {
                let values: Vec<f64> = rows.column(first + place).to_vec();
                let borders = learned(&values, max_bins, seed, first + place);
                let own = codes_of(&values, &borders);
                for (codes, &code) in codes.iter_mut().zip(&own) {
                    codes[place] = code;
                }
                column.get_or_init(|| BinnedColumn {
                    borders,
                    has_missing: own.contains(&MISSING),
                });
            }
            Ok(())
        })?;
        let columns = columns.into_iter().filter_map(OnceLock::into_inner);
        Ok(Bins {
            n_rows,
            codes,
            columns: columns.collect(),
        })
    }

    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn column(&self, feature: usize) -> &BinnedColumn {
        &self.columns[feature]
    }

    /// The codes of all rows in a group of columns.
    pub(super) fn group(&self, group: usize) -> &[Codes] {
        &self.codes[group * self.n_rows..(group + 1) * self.n_rows]
    }
}

/// The borders of a column, from some of its values where there are many.
fn learned(values: &[f64], max_bins: usize, seed: u64, column: usize) -> Vec<f64> {
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
    borders(&known, max_bins)
}

/// The bins of values: how many borders are not above each. Several values are looked up side by
/// side, without a branch that could be guessed wrong, so that none waits for the steps of another.
fn codes_of(values: &[f64], borders: &[f64]) -> Vec<u8> {
    const LANES: usize = 8;
    // Nothing is at least NaN, so that what follows the borders counts for nothing.
    let mut padded = [f64::NAN; 256];
    padded[..borders.len()].copy_from_slice(borders);
    let mut codes = vec![0; values.len()];
    for (values, codes) in values.chunks(LANES).zip(codes.chunks_mut(LANES)) {
        let mut lanes = [f64::NAN; LANES];
        lanes[..values.len()].copy_from_slice(values);
        let mut found = [0u8; LANES];
        for half in [128, 64, 32, 16, 8, 4, 2, 1] {
            for (found, value) in found.iter_mut().zip(&lanes) {
                let border = padded[usize::from(*found + (half - 1))];
                *found += u8::from(border <= *value) * half;
            }
        }
        for ((code, found), value) in codes.iter_mut().zip(found).zip(lanes) {
            *code = if value.is_nan() { MISSING } else { found };
        }
    }
    codes
}

/// Borders between the distinct values, or between shares of the rows where there are too many.
fn borders(sorted: &[f64], max_bins: usize) -> Vec<f64> {
    let middle = |low: f64, high: f64| {
        let middle = low / 2.0 + high / 2.0;
        match middle > low && middle <= high {
            true => middle,
            false => high,
        }
    };
    let changes = sorted.windows(2).filter(|pair| pair[0] != pair[1]);
    if changes.clone().nth(max_bins - 1).is_none() {
        return changes.map(|pair| middle(pair[0], pair[1])).collect();
    }
    let mut borders: Vec<f64> = (1..max_bins)
        .map(|bin| {
            let place = bin as f64 * (sorted.len() - 1) as f64 / max_bins as f64;
            let low = sorted[place as usize];
            let next = sorted.partition_point(|&value| value <= low);
            middle(low, sorted[next.min(sorted.len() - 1)])
        })
        .collect();
    borders.dedup();
    borders
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn binned(values: &[f64], max_bins: usize) -> (Vec<u8>, Vec<f64>) {
        // The last of five columns is alone in its group.
        let rows = Array2::from_shape_fn((values.len(), 5), |(row, column)| match column {
            4 => values[row],
            _ => (row * (column + 1) % 3) as f64,
        });
        let bins = Bins::new(rows.view(), max_bins, 0, &Run::new()).unwrap();
        assert_eq!((bins.len(), bins.n_rows()), (5, values.len()));
        for (row, codes) in bins.group(0).iter().enumerate() {
            let expected: [u8; 4] = std::array::from_fn(|column| (row * (column + 1) % 3) as u8);
            assert_eq!(*codes, expected);
        }
        let column = bins.column(4);
        assert_eq!(
            column.has_missing,
            values.iter().any(|value| value.is_nan())
        );
        let codes = bins.group(1).iter().map(|codes| codes[0]).collect();
        (codes, column.borders.clone())
    }

    #[test]
    fn codes_count_the_borders_below_and_every_distinct_value_has_a_bin() {
        let (codes, borders) = binned(&[3.0, 1.0, f64::NAN, 2.0, 3.0], 255);
        assert_eq!(codes, [2, 0, MISSING, 1, 2]);
        assert_eq!(borders, [1.5, 2.5]);
        let many: Vec<f64> = (0..10_000).map(|i| f64::from(i) * 0.37).collect();
        let (codes, borders) = binned(&many, 16);
        assert_eq!(borders.len(), 15);
        for (&value, code) in many.iter().zip(codes) {
            let expected = borders.iter().filter(|&&border| border <= value).count();
            assert_eq!(usize::from(code), expected);
        }
    }

    #[test]
    fn as_many_distinct_values_as_bins_have_a_bin_each() {
        for count in [254, 255] {
            let values: Vec<f64> = (0..2 * count).map(|i| f64::from(i % count)).collect();
            let (codes, borders) = binned(&values, 255);
            assert_eq!(borders.len(), count as usize - 1);
            let expected = values.iter().map(|&value| value as u8);
            assert!(codes.into_iter().eq(expected));
        }
    }
}
