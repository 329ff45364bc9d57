//! Sums of slopes over the bins of every column.

use super::bins::{Codes, GROUP};
use std::ops::Range;

/// First and second derivative of the loss of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slope {
    pub(super) first: f32,
    pub(super) second: f32,
}

/// Sums over the rows of a bin, or of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) first: f64,
    pub(super) second: f64,
    pub(super) rows: f64,
}

impl Sum {
    /// The sum of slopes, every fourth by itself, so that none waits for the one before it.
    pub(super) fn of(slopes: &[Slope]) -> Sum {
        let mut sums = [Sum::default(); 4];
        for some in slopes.chunks(4) {
            sums.iter_mut()
                .zip(some)
                .for_each(|(sum, slope)| sum.add(slope));
        }
        let [a, b, c, d] = sums;
        a.plus(b).plus(c.plus(d))
    }

    #[inline]
    pub(super) fn add(&mut self, slope: &Slope) {
        self.first += f64::from(slope.first);
        self.second += f64::from(slope.second);
        self.rows += 1.0;
    }

    pub(super) fn plus(self, other: Sum) -> Sum {
        Sum {
            first: self.first + other.first,
            second: self.second + other.second,
            rows: self.rows + other.rows,
        }
    }

    pub(super) fn minus(self, other: Sum) -> Sum {
        Sum {
            first: self.first - other.first,
            second: self.second - other.second,
            rows: self.rows - other.rows,
        }
    }
}

/// 256 sums for each column of each group.
pub(super) type Histogram = Vec<[Sum; GROUP * WIDTH]>;

/// How many sums a column has.
pub(super) const WIDTH: usize = 256;

/// Rows of a node and their slopes.
pub(super) struct NodeSlopes<'a> {
    /// All rows of the bins where nothing is said.
    pub(super) rows: Option<&'a [u32]>,
    pub(super) slopes: &'a [Slope],
}

impl NodeSlopes<'_> {
    /// Adds up the slopes of some rows of a node in the bins of a group of columns.
    pub(super) fn add_up(
        &self,
        part: Range<usize>,
        codes: &[Codes],
        sums: &mut [Sum; GROUP * WIDTH],
    ) {
        sums.fill(Sum::default());
        let mut add = |codes: &Codes, slope: &Slope| {
            for column in 0..GROUP {
                sums[column * WIDTH + usize::from(codes[column])].add(slope);
            }
        };
        let slopes = &self.slopes[part.clone()];
        match self.rows {
            None => codes[part]
                .iter()
                .zip(slopes)
                .for_each(|(codes, slope)| add(codes, slope)),
            Some(rows) => rows[part]
                .iter()
                .zip(slopes)
                .for_each(|(&row, slope)| add(&codes[row as usize], slope)),
        }
    }
}

/// Adds the sums over other rows.
pub(super) fn add(sums: &mut [Sum], others: &[Sum]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum = sum.plus(*other);
    }
}

/// What is left of a node without one of its children: the other child, for the price of a
/// subtraction.
pub(super) fn subtract(parent: &mut [Sum], child: &[Sum]) {
    for (sum, child) in parent.iter_mut().zip(child) {
        *sum = sum.minus(*child);
    }
}
