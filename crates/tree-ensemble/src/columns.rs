//! Columns as ranks: what a tree compares is only which value is larger.

use didact_core::{Error, Result, Run, parallel};
use ndarray::{ArrayView1, ArrayView2};
use std::borrow::Cow;

/// The rank of a missing value: behind all others.
pub(crate) const MISSING: u32 = u32::MAX;

/// The columns as all nodes of all trees share them.
pub(crate) struct Columns<'a> {
    /// The rows as they were given, one after the other.
    rows: Cow<'a, [f64]>,
    n_rows: usize,
    kept: Kept,
    /// The least and the greatest value of each column; zeros where all are missing.
    bounds: Vec<(f64, f64)>,
}

/// What is kept beside the rows as they were given.
enum Kept {
    Ranked(Vec<RankedColumn>),
    /// The values of one column after the other, for trees that only draw thresholds: they need no
    /// order at all.
    Plain {
        values: Vec<f64>,
        has_missing: Vec<bool>,
    },
}

/// One column sorted once.
pub(crate) struct RankedColumn {
    pub(crate) ranks: Ranks,
    /// How many distinct values there are.
    pub(crate) n_values: usize,
}

/// The rank of each row's value among the distinct ones; equal values have equal ranks. They take
/// half the memory where so few values are distinct that two bytes hold them.
pub(crate) enum Ranks {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl<'a> Columns<'a> {
    /// Sorts every column.
    pub(crate) fn ranked(rows: ArrayView2<'a, f64>, run: &Run) -> Result<Self> {
        ensure_countable(rows.nrows())?;
        let numbers: Vec<usize> = (0..rows.ncols()).collect();
        let columns = parallel::map(&numbers, run, |&column| {
            Ok(RankedColumn::new(rows.column(column)))
        })?;
        let (columns, bounds) = columns.into_iter().unzip();
        Ok(Columns {
            rows: in_one_piece(rows),
            n_rows: rows.nrows(),
            kept: Kept::Ranked(columns),
            bounds,
        })
    }

    /// Puts the values of every column together.
    pub(crate) fn plain(rows: ArrayView2<'a, f64>, run: &Run) -> Result<Self> {
        ensure_countable(rows.nrows())?;
        let n_rows = rows.nrows();
        let mut values = vec![0.0; n_rows * rows.ncols()];
        parallel::fill(&mut values, n_rows, 1, run, |columns, values| {
            let column = rows.column(columns.start);
            // Adding zero turns −0 into 0, which compares the same.
            for (place, value) in values.iter_mut().zip(column) {
                *place = value + 0.0;
            }
            Ok(())
        })?;
        let columns = || values.chunks(n_rows.max(1));
        let has_missing = columns().map(|values| values.iter().any(|value| value.is_nan()));
        Ok(Columns {
            rows: in_one_piece(rows),
            n_rows,
            bounds: columns().map(bounds).collect(),
            kept: Kept::Plain {
                has_missing: has_missing.collect(),
                values,
            },
        })
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// A column of those that were sorted.
    pub(crate) fn column(&self, feature: usize) -> &RankedColumn {
        match &self.kept {
            Kept::Ranked(columns) => &columns[feature],
            Kept::Plain { .. } => unreachable!("the best cuts are looked for in sorted columns"),
        }
    }

    /// The values of a column of those that were not sorted, and whether some are missing.
    pub(crate) fn values(&self, feature: usize) -> (&[f64], bool) {
        match &self.kept {
            Kept::Plain {
                values,
                has_missing,
            } => {
                let first = feature * self.n_rows;
                (&values[first..first + self.n_rows], has_missing[feature])
            }
            Kept::Ranked(_) => unreachable!("random cuts are drawn in plain columns"),
        }
    }

    pub(crate) fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    /// A number between the values of two rows that are neighbours in a column, as half-open ranges
    /// need it: greater than the first and at most the second.
    pub(crate) fn between(&self, feature: usize, below: u32, above: u32) -> f64 {
        let value = |row: u32| self.rows[row as usize * self.len() + feature] + 0.0;
        let (low, high) = (value(below), value(above));
        let middle = low / 2.0 + high / 2.0;
        match middle > low && middle <= high {
            true => middle,
            // Neighbouring floating-point numbers have nothing in between.
            false => high,
        }
    }
}

fn in_one_piece(rows: ArrayView2<'_, f64>) -> Cow<'_, [f64]> {
    match rows.to_slice() {
        Some(slice) => Cow::Borrowed(slice),
        None => Cow::Owned(rows.iter().copied().collect()),
    }
}

fn ensure_countable(n_rows: usize) -> Result<()> {
    match n_rows >= MISSING as usize {
        true => Err(Error::data(format!(
            "there are {n_rows} rows; a tree learns from fewer than {MISSING}"
        ))),
        false => Ok(()),
    }
}

/// The least and the greatest of the values that are not missing; zeros where all are.
fn bounds(values: &[f64]) -> (f64, f64) {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
    match low <= high {
        true => (low, high),
        false => (0.0, 0.0),
    }
}

impl RankedColumn {
    /// The ranks of a column, and its least and greatest value.
    fn new(values: ArrayView1<'_, f64>) -> (Self, (f64, f64)) {
        let mut keyed: Vec<(u64, u32)> = values
            .iter()
            .zip(0..)
            .map(|(&value, row)| (sort_key(value), row))
            .collect();
        keyed.sort_unstable();
        let present = keyed.partition_point(|&(key, _)| key != u64::MAX);
        keyed.truncate(present);
        let value = |&(_, row): &(u64, u32)| values[row as usize] + 0.0;
        let ends = match &keyed[..] {
            [] => (0.0, 0.0),
            [first, ..] => (value(first), value(&keyed[present - 1])),
        };
        let n_values = keyed.chunk_by(|a, b| a.0 == b.0).count();
        let ranks = Ranks::new(&keyed, n_values, values.len());
        (RankedColumn { ranks, n_values }, ends)
    }

    /// The rows by value, rows of one value by index, missing values last.
    pub(crate) fn order(&self) -> Vec<u32> {
        let slot = |row: u32| self.ranks.of(row).min(self.n_values as u32) as usize;
        let rows = 0..self.ranks.len() as u32;
        let mut places = vec![0_u32; self.n_values + 2];
        for row in rows.clone() {
            places[slot(row) + 1] += 1;
        }
        for slot in 1..places.len() {
            places[slot] += places[slot - 1];
        }
        let mut order = vec![0; self.ranks.len()];
        for row in rows {
            let place = &mut places[slot(row)];
            order[*place as usize] = row;
            *place += 1;
        }
        order
    }
}

impl Ranks {
    /// From the sorted keys of the rows that have a value, and how many of them are distinct.
    fn new(sorted: &[(u64, u32)], n_values: usize, n_rows: usize) -> Self {
        match n_values <= usize::from(u16::MAX) {
            true => Ranks::Narrow(spread(sorted, n_rows)),
            false => Ranks::Wide(spread(sorted, n_rows)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Ranks::Narrow(ranks) => ranks.len(),
            Ranks::Wide(ranks) => ranks.len(),
        }
    }

    /// The rank of a row, [`MISSING`] where it has no value.
    #[inline]
    pub(crate) fn of(&self, row: u32) -> u32 {
        match self {
            Ranks::Narrow(ranks) => ranks[row as usize].widened(),
            Ranks::Wide(ranks) => ranks[row as usize].widened(),
        }
    }
}

/// The rank of each row, from the sorted keys of those that have a value.
fn spread<R: Rank>(sorted: &[(u64, u32)], n_rows: usize) -> Vec<R> {
    let mut ranks = vec![R::MISSING; n_rows];
    for (rank, equal) in sorted.chunk_by(|a, b| a.0 == b.0).enumerate() {
        for &(_, row) in equal {
            ranks[row as usize] = R::narrowed(rank);
        }
    }
    ranks
}

/// A rank as it is kept.
pub(crate) trait Rank: Copy {
    const MISSING: Self;

    fn narrowed(rank: usize) -> Self;

    fn widened(self) -> u32;
}

impl Rank for u16 {
    const MISSING: u16 = u16::MAX;

    fn narrowed(rank: usize) -> u16 {
        rank as u16
    }

    #[inline]
    fn widened(self) -> u32 {
        match self {
            u16::MAX => MISSING,
            rank => u32::from(rank),
        }
    }
}

impl Rank for u32 {
    const MISSING: u32 = MISSING;

    fn narrowed(rank: usize) -> u32 {
        rank as u32
    }

    #[inline]
    fn widened(self) -> u32 {
        self
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
    use ndarray::{Array2, array};

    #[test]
    fn ranks_follow_the_values_and_missing_ones_come_last() {
        let x = array![[2.0], [f64::NAN], [-1.0], [2.0], [0.0], [-0.0]];
        let columns = Columns::ranked(x.view(), &Run::new()).unwrap();
        let column = columns.column(0);
        let ranks = [0, 1, 2, 3, 4, 5].map(|row| column.ranks.of(row));
        assert_eq!(ranks, [2, MISSING, 0, 2, 1, 1]);
        assert_eq!(column.n_values, 3);
        assert_eq!(column.order(), [2, 4, 5, 0, 3, 1]);
        assert_eq!(columns.bounds(), [(-1.0, 2.0)]);
    }

    // Two bytes hold 65535 ranks beside that of the missing value.
    #[test]
    fn ranks_are_the_same_in_two_bytes_and_in_four() {
        for (n_values, is_narrow) in [(65_535, true), (65_536, false)] {
            // 7919 is a prime that divides neither number, so that every value occurs once.
            let value = |row: usize| row * 7919 % n_values;
            let x = Array2::from_shape_fn((n_values + 1, 1), |(row, _)| match row < n_values {
                true => value(row) as f64,
                false => f64::NAN,
            });
            let columns = Columns::ranked(x.view(), &Run::new()).unwrap();
            let RankedColumn { ranks, .. } = columns.column(0);
            assert_eq!(matches!(ranks, Ranks::Narrow(_)), is_narrow);
            assert!((0..n_values).all(|row| ranks.of(row as u32) as usize == value(row)));
            assert_eq!(ranks.of(n_values as u32), MISSING);
            let order = columns.column(0).order();
            let values = order[..n_values].iter().map(|&row| value(row as usize));
            assert!(values.eq(0..n_values));
            assert_eq!(order[n_values] as usize, n_values);
        }
    }

    #[test]
    fn plain_columns_have_the_bounds_of_sorted_ones() {
        let x = array![
            [2.0, f64::NAN],
            [f64::NAN, f64::NAN],
            [-0.0, f64::NAN],
            [-3.0, f64::NAN]
        ];
        let run = Run::new();
        let plain = Columns::plain(x.view(), &run).unwrap();
        assert_eq!(plain.bounds(), [(-3.0, 2.0), (0.0, 0.0)]);
        assert_eq!(
            plain.bounds(),
            Columns::ranked(x.view(), &run).unwrap().bounds()
        );
        assert_eq!(plain.values(0).0[3], -3.0);
        assert!(plain.values(0).1 && plain.values(1).1);
    }

    #[test]
    fn thresholds_lie_above_the_lower_value_even_where_nothing_is_between() {
        let next = 1.0_f64.next_up();
        let x = array![[1.0], [next], [f64::MAX], [-f64::MAX]];
        let columns = Columns::ranked(x.view(), &Run::new()).unwrap();
        assert_eq!(columns.between(0, 0, 1), next);
        let wide = columns.between(0, 3, 2);
        assert!(wide > -f64::MAX && wide <= f64::MAX && wide.is_finite());
    }
}
