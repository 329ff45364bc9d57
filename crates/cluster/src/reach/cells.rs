//! Cells of near rows, each with the box around it.

use crate::lanes::{LANES, Lanes};
use didact_core::{Result, Run};
use ndarray::{Array2, ArrayView2};

/// Rows in an order in which the rows of every block of lanes are near each other.
pub(super) struct Cells {
    pub(super) points: Lanes,
    /// The row at each place.
    pub(super) order: Vec<usize>,
    /// The least and the greatest values of each cell.
    low: Array2<f64>,
    high: Array2<f64>,
}

impl Cells {
    /// Halves the rows across the widest column until they fit into cells.
    pub(super) fn new(rows: ArrayView2<'_, f64>, run: &Run) -> Result<Self> {
        let mut order: Vec<usize> = (0..rows.nrows()).collect();
        halve(rows, &mut order, run)?;
        let shape = (order.len().div_ceil(LANES), rows.ncols());
        let mut low = Array2::from_elem(shape, f64::INFINITY);
        let mut high = Array2::from_elem(shape, f64::NEG_INFINITY);
        for (cell, members) in order.chunks(LANES).enumerate() {
            for &row in members {
                for (column, &value) in rows.row(row).iter().enumerate() {
                    low[[cell, column]] = value.min(low[[cell, column]]);
                    high[[cell, column]] = value.max(high[[cell, column]]);
                }
            }
        }
        Ok(Cells {
            points: Lanes::ordered(rows, order.clone()),
            order,
            low,
            high,
        })
    }

    /// How many cells there are.
    pub(super) fn count(&self) -> usize {
        self.low.nrows()
    }

    /// A number that no squared distance between rows of two cells is below, rounding included:
    /// differences and sums of larger numbers do not round to smaller ones.
    #[inline(always)]
    pub(super) fn bound(&self, a: usize, b: usize) -> f64 {
        let mut sum = 0.0;
        for column in 0..self.low.ncols() {
            let above = self.low[[a, column]] - self.high[[b, column]];
            let below = self.low[[b, column]] - self.high[[a, column]];
            let gap = above.max(below).max(0.0);
            sum = gap.mul_add(gap, sum);
        }
        sum
    }

    /// The same between a point and the rows of a cell.
    #[inline(always)]
    pub(super) fn bound_to(&self, cell: usize, point: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (column, &value) in point.iter().enumerate() {
            let above = self.low[[cell, column]] - value;
            let below = value - self.high[[cell, column]];
            let gap = above.max(below).max(0.0);
            sum = gap.mul_add(gap, sum);
        }
        sum
    }
}

fn halve(rows: ArrayView2<'_, f64>, order: &mut [usize], run: &Run) -> Result<()> {
    if order.len() <= LANES {
        return Ok(());
    }
    run.check()?;
    let widths = widths(rows, order);
    let by_width = |&a: &usize, &b: &usize| widths[a].total_cmp(&widths[b]).then(b.cmp(&a));
    let widest = (0..rows.ncols()).max_by(by_width).unwrap_or_default();
    // Whole cells on the left, so that only the last of all is not full.
    let middle = (order.len() / 2).next_multiple_of(LANES);
    let by_value = |&a: &usize, &b: &usize| {
        let by_value = rows[[a, widest]].total_cmp(&rows[[b, widest]]);
        by_value.then(a.cmp(&b))
    };
    order.select_nth_unstable_by(middle, by_value);
    let (left, right) = order.split_at_mut(middle);
    halve(rows, left, run)?;
    halve(rows, right, run)
}

/// How far the values of some rows are apart in each column.
fn widths(rows: ArrayView2<'_, f64>, order: &[usize]) -> Vec<f64> {
    let mut low = vec![f64::INFINITY; rows.ncols()];
    let mut high = vec![f64::NEG_INFINITY; rows.ncols()];
    for &row in order {
        let ends = low.iter_mut().zip(&mut high);
        for ((low, high), &value) in ends.zip(rows.row(row)) {
            *low = low.min(value);
            *high = high.max(value);
        }
    }
    let ends = low.iter().zip(&high);
    ends.map(|(low, high)| high - low).collect()
}
