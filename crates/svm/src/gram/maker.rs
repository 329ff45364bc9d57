//! One row of the kernel at a time.

use super::gaussian::{LANES, Panels};
use didact_core::{OwnedRows, Result, Rows, Run, parallel};
use didact_math::kernel::{Kernel, kernel_matrix_into};
use ndarray::{ArrayView2, ArrayViewMut2, Axis};

/// About this many operations make a piece that is worth another thread.
const TASK: usize = 1 << 18;

/// Makes rows of the kernel: of all points, or of those that can still move.
pub(crate) struct RowMaker<'a> {
    rows: Rows<'a>,
    kernel: Kernel,
    all: Prepared,
    /// The points that can still move and what is prepared for them, where some cannot.
    active: Option<(Vec<usize>, Prepared)>,
}

/// Points, ready to be compared with one.
enum Prepared {
    /// The Gaussian kernel of dense rows.
    Gaussian(f64, Panels),
    /// Any kernel of any rows; nothing where these are the rows as they were given.
    General(Option<OwnedRows>),
}

impl<'a> RowMaker<'a> {
    pub(crate) fn new(rows: Rows<'a>, kernel: Kernel) -> Self {
        let all = match (&kernel, rows) {
            (Kernel::Rbf { gamma }, Rows::Dense(x)) => {
                let points = (0..x.nrows()).map(|point| row_of(x, point));
                Prepared::Gaussian(*gamma, Panels::pack(points, x.ncols()))
            }
            _ => Prepared::General(None),
        };
        RowMaker {
            rows,
            kernel,
            all,
            active: None,
        }
    }

    pub(super) fn n_active(&self) -> usize {
        match &self.active {
            Some((points, _)) => points.len(),
            None => self.rows.n_rows(),
        }
    }

    pub(super) fn keep(&mut self, places: &[usize]) {
        let points: Vec<usize> = match &self.active {
            Some((points, _)) => places.iter().map(|&place| points[place]).collect(),
            None => places.to_vec(),
        };
        let prepared = match (&self.all, self.rows) {
            (Prepared::Gaussian(gamma, _), Rows::Dense(x)) => {
                let kept = points.iter().map(|&point| row_of(x, point));
                Prepared::Gaussian(*gamma, Panels::pack(kept, x.ncols()))
            }
            _ => Prepared::General(Some(self.rows.select(&points))),
        };
        self.active = Some((points, prepared));
    }

    pub(super) fn keep_all(&mut self) {
        self.active = None;
    }

    /// The kernel of a point, by its place among those that can move, with all of them.
    pub(super) fn fill_active(&self, place: usize, row: &mut [f64], run: &Run) -> Result<()> {
        match &self.active {
            Some((points, prepared)) => self.fill(points[place], prepared, row, run),
            None => self.fill(place, &self.all, row, run),
        }
    }

    /// The kernel of a point with all points.
    pub(super) fn fill_all(&self, point: usize, row: &mut [f64], run: &Run) -> Result<()> {
        self.fill(point, &self.all, row, run)
    }

    fn fill(&self, point: usize, others: &Prepared, row: &mut [f64], run: &Run) -> Result<()> {
        match (others, self.rows) {
            (Prepared::Gaussian(gamma, panels), Rows::Dense(x)) => {
                let x = row_of(x, point);
                let chunk = (TASK / x.len()).next_multiple_of(LANES);
                parallel::fill(row, 1, chunk, run, |range, piece| {
                    panels.fill(x, *gamma, range.start, piece);
                    Ok(())
                })
            }
            (Prepared::General(chosen), _) => {
                let others = chosen
                    .as_ref()
                    .map_or(self.rows.reborrow(), OwnedRows::view);
                self.compare(point, others, row, run)
            }
            _ => unreachable!("panels are packed of dense rows"),
        }
    }

    /// The kernel of every point with itself.
    pub(super) fn diagonal(&self, run: &Run) -> Result<Vec<f64>> {
        if let Prepared::Gaussian(..) = self.all {
            return Ok(vec![1.0; self.rows.n_rows()]);
        }
        let mut diagonal = vec![0.0; self.rows.n_rows()];
        parallel::fill(&mut diagonal, 1, 256, run, |points, piece| {
            for (point, value) in points.zip(piece.chunks_mut(1)) {
                let own = self.rows.slice(point..point + 1);
                self.compare(point, own, value, run)?;
            }
            Ok(())
        })?;
        Ok(diagonal)
    }

    fn compare(&self, point: usize, others: Rows<'_>, row: &mut [f64], run: &Run) -> Result<()> {
        let own = self.rows.slice(point..point + 1);
        let output = ArrayViewMut2::from_shape((1, row.len()), row).expect("a single row");
        kernel_matrix_into(own, Some(others), &self.kernel, output, run)
    }
}

fn row_of(x: ArrayView2<'_, f64>, point: usize) -> &[f64] {
    let row = x.index_axis_move(Axis(0), point);
    row.to_slice().expect("checked rows are contiguous")
}
