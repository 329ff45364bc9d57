//! Sums of slopes over the bins of every column.

use super::bins::Bins;
use didact_core::{Result, Run, parallel};

/// From this many added values on, columns are summed in parallel.
const LARGE: usize = 1 << 17;

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

/// 256 sums for each column.
pub(super) type Histogram = Vec<Sum>;

/// How many sums a column has.
pub(super) const WIDTH: usize = 256;

/// Adds up the slopes of the rows of a node.
pub(super) fn build(
    bins: &Bins,
    rows: &[u32],
    slopes: &[Slope],
    mut histogram: Histogram,
    run: &Run,
) -> Result<Histogram> {
    histogram.clear();
    histogram.resize(bins.len() * WIDTH, Sum::default());
    let all = rows.len() == slopes.len();
    // The slopes of the node in one piece: columns then read them in order.
    let gathered: Vec<Slope> = match all {
        true => Vec::new(),
        false => rows.iter().map(|&row| slopes[row as usize]).collect(),
    };
    let own = if all { slopes } else { &gathered };
    let one = |feature: usize, sums: &mut [Sum]| {
        let codes = &bins.column(feature).codes;
        let sums: &mut [Sum; WIDTH] = sums.try_into().expect("a column has 256 sums");
        match all {
            true => {
                for (&code, slope) in codes.iter().zip(own) {
                    add(&mut sums[usize::from(code)], slope);
                }
            }
            false => {
                for (&row, slope) in rows.iter().zip(own) {
                    add(&mut sums[usize::from(codes[row as usize])], slope);
                }
            }
        }
    };
    match rows.len() * bins.len() >= LARGE {
        true => parallel::fill(&mut histogram, WIDTH, 1, run, |columns, sums| {
            one(columns.start, sums);
            Ok(())
        })?,
        false => {
            for (feature, sums) in histogram.chunks_mut(WIDTH).enumerate() {
                one(feature, sums);
            }
        }
    }
    Ok(histogram)
}

#[inline]
fn add(sum: &mut Sum, slope: &Slope) {
    sum.first += f64::from(slope.first);
    sum.second += f64::from(slope.second);
    sum.rows += 1.0;
}

/// What is left of a node without one of its children: the other child, for the price of a
/// subtraction.
pub(super) fn subtract(parent: &mut Histogram, child: &Histogram) {
    for (sum, child) in parent.iter_mut().zip(child) {
        *sum = sum.minus(*child);
    }
}
