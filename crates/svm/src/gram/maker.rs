//! One row of the kernel at a time.

use super::gaussian::{Gaussian, LANES, Panels, Point, row_of};
use super::row::Stored;
use super::{add_scaled, check_finite};
use didact_core::{OwnedRows, Result, Rows, Run, parallel};
use didact_math::kernel::{Kernel, kernel_matrix_into};
use ndarray::ArrayViewMut2;

/// About this many operations make a piece that is worth another thread.
const TASK: usize = 1 << 18;

/// About this many values of points stay in the fastest memory while many others are compared with
/// them.
const BLOCK: usize = 1 << 12;

/// Whether rows of this kernel are made one by one about as fast as all pairs at once, so that none
/// need be made that nobody asks for.
pub(crate) fn are_rows_cheap(rows: Rows<'_>, kernel: &Kernel) -> bool {
    matches!((rows, kernel), (Rows::Dense(_), Kernel::Rbf { .. }))
}

/// Makes rows of the kernel: of all points, or of those that can still move.
pub(crate) struct RowMaker<'a> {
    rows: Rows<'a>,
    kernel: Kernel,
    /// The Gaussian kernel of dense rows, where it is that.
    gaussian: Option<Gaussian>,
    all: Prepared,
    /// The points that can still move and what is prepared for them, where some cannot.
    active: Option<(Vec<usize>, Prepared)>,
}

/// Points, ready to be compared with one.
pub(super) enum Prepared {
    /// For the Gaussian kernel of dense rows.
    Panels(Panels),
    /// Any kernel of any rows; nothing where these are the rows as they were given.
    General(Option<OwnedRows>),
}

impl<'a> RowMaker<'a> {
    pub(crate) fn new(rows: Rows<'a>, kernel: Kernel) -> Self {
        let gaussian = match (&kernel, rows) {
            (Kernel::Rbf { gamma }, Rows::Dense(x)) => Some(Gaussian::new(*gamma, x)),
            _ => None,
        };
        let all = match (&gaussian, rows) {
            (Some(gaussian), Rows::Dense(x)) => {
                let points = (0..x.nrows()).map(|point| row_of(x, point));
                Prepared::Panels(gaussian.pack(points))
            }
            _ => Prepared::General(None),
        };
        RowMaker {
            rows,
            kernel,
            gaussian,
            all,
            active: None,
        }
    }

    pub(super) fn n_all(&self) -> usize {
        self.rows.n_rows()
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
        let prepared = self.prepared(&points);
        self.active = Some((points, prepared));
    }

    /// All points, ready to be compared with one.
    pub(super) fn all(&self) -> &Prepared {
        &self.all
    }

    /// Some points, ready to be compared with one.
    pub(super) fn prepared(&self, points: &[usize]) -> Prepared {
        match (&self.gaussian, self.rows) {
            (Some(gaussian), Rows::Dense(x)) => {
                let kept = points.iter().map(|&point| row_of(x, point));
                Prepared::Panels(gaussian.pack(kept))
            }
            _ => Prepared::General(Some(self.rows.select(points))),
        }
    }

    pub(super) fn keep_all(&mut self) {
        self.active = None;
    }

    /// The kernel of a point, by its place among those that can move, with all of them.
    pub(super) fn fill_active<T: Stored>(
        &self,
        place: usize,
        row: &mut [T],
        run: &Run,
    ) -> Result<()> {
        match &self.active {
            Some((points, prepared)) => self.fill_at(points[place], prepared, row, run),
            None => self.fill_at(place, &self.all, row, run),
        }
    }

    /// The kernel of a point with prepared ones.
    pub(super) fn fill_at<T: Stored>(
        &self,
        point: usize,
        others: &Prepared,
        row: &mut [T],
        run: &Run,
    ) -> Result<()> {
        match (others, &self.gaussian) {
            (Prepared::Panels(panels), Some(gaussian)) => {
                let x = self.packed_point(point);
                let chunk = (TASK / self.rows.n_columns().max(1)).next_multiple_of(LANES);
                parallel::fill(row, 1, chunk, run, |range, piece| {
                    gaussian.fill(&x, panels, range.start, piece);
                    Ok(())
                })
            }
            (Prepared::General(chosen), _) => {
                let others = chosen
                    .as_ref()
                    .map_or(self.rows.reborrow(), OwnedRows::view);
                let mut values = vec![0.0; row.len()];
                self.compare(point, others, &mut values, run)?;
                check_finite(&values)?;
                for (stored, value) in row.iter_mut().zip(values) {
                    *stored = T::rounded(value);
                }
                Ok(())
            }
            _ => unreachable!("panels are packed for the Gaussian kernel alone"),
        }
    }

    /// Adds β·k(x, ·) at the prepared points, for each of these points x and its multiplier β.
    pub(super) fn add_rows(
        &self,
        points: &[usize],
        multipliers: &[f64],
        others: &Prepared,
        sums: &mut [f64],
        run: &Run,
    ) -> Result<()> {
        let (Prepared::Panels(panels), Some(gaussian)) = (others, &self.gaussian) else {
            let mut row = vec![0.0; sums.len()];
            for &point in points {
                run.check()?;
                self.fill_at(point, others, &mut row, run)?;
                add_scaled(sums, multipliers[point], &row);
            }
            return Ok(());
        };
        let of_point = |&point: &usize| (self.packed_point(point), multipliers[point]);
        let points: Vec<(Point, f64)> = points.iter().map(of_point).collect();
        let block = (BLOCK / self.rows.n_columns().max(1)).next_multiple_of(LANES);
        let mut part = vec![0.0; block];
        for (index, sums) in sums.chunks_mut(block).enumerate() {
            run.check()?;
            let part = &mut part[..sums.len()];
            for (point, multiplier) in &points {
                gaussian.fill(point, panels, index * block, part);
                add_scaled(sums, *multiplier, part);
            }
        }
        Ok(())
    }

    fn packed_point(&self, point: usize) -> Point {
        match &self.all {
            Prepared::Panels(panels) => panels.point(point),
            Prepared::General(_) => unreachable!("points are packed for the Gaussian kernel"),
        }
    }

    /// The kernel of every point with itself.
    pub(super) fn diagonal(&self, run: &Run) -> Result<Vec<f64>> {
        if self.gaussian.is_some() {
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
