//! The rows that a machine learns from.

use didact_core::{OwnedRows, Result, Rows, Run, Samples};
use didact_math::kernel::Kernel;
use didact_math::linalg::Variances;
use ndarray::Array1;

/// The samples of which every row counts: rows of weight zero are left out, because not even their
/// size may matter.
pub(crate) struct Counting<'a> {
    all: Samples<'a>,
    /// The rows that count, where some do not.
    kept: Option<Samples<'static>>,
    /// Which of the given rows these are.
    pub(crate) given: Vec<usize>,
}

impl<'a> Counting<'a> {
    pub(crate) fn new(all: Samples<'a>) -> Self {
        let n = all.n_rows();
        let given: Vec<usize> = (0..n).filter(|&row| all.weight(row) > 0.0).collect();
        let kept = (given.len() < n).then(|| all.select(&given));
        Counting { all, kept, given }
    }

    pub(crate) fn samples(&self) -> Samples<'_> {
        match &self.kept {
            Some(kept) => kept.view(),
            None => self.all.view(),
        }
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        match &self.kept {
            Some(kept) => kept.rows(),
            None => self.all.rows(),
        }
    }

    /// How many rows were given.
    pub(crate) fn n_given(&self) -> usize {
        self.all.n_rows()
    }
}

/// Points whose kernel is taken: the rows, about their mean where the kernel is linear.
///
/// Multipliers sum to zero, so moving all rows changes nothing but the rounding, which far from
/// zero would be all that is left of differences between rows.
pub(crate) struct Points<'a> {
    moved: Option<(OwnedRows, Array1<f64>)>,
    rows: Rows<'a>,
}

impl<'a> Points<'a> {
    pub(crate) fn new(rows: Rows<'a>, kernel: &Kernel, run: &Run) -> Result<Self> {
        let moved = match (kernel, rows) {
            (Kernel::Linear, Rows::Dense(x)) => {
                let mean = Variances::summarise(rows, None, run)?.mean;
                Some((OwnedRows::Dense(&x - &mean), mean))
            }
            _ => None,
        };
        Ok(Points { moved, rows })
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        match &self.moved {
            Some((moved, _)) => moved.view(),
            None => self.rows.reborrow(),
        }
    }

    /// Some of the points, or all of them without a copy.
    pub(crate) fn chosen(&self, points: &[usize]) -> ChosenPoints<'_> {
        match points.len() == self.rows.n_rows() {
            true => ChosenPoints::All(self.rows()),
            false => ChosenPoints::Some(self.rows().select(points)),
        }
    }

    /// The weights Σ β·x of a linear kernel, and what they give at the origin of the points.
    pub(crate) fn weights(&self, multipliers: &[f64]) -> (Array1<f64>, f64) {
        let rows = self.rows();
        let mut weights = Array1::zeros(rows.n_columns());
        for (point, &beta) in multipliers.iter().enumerate() {
            if beta == 0.0 {
                continue;
            }
            match rows {
                Rows::Dense(x) => weights.scaled_add(beta, &x.row(point)),
                Rows::Sparse(x) => {
                    let (columns, values) = x.row(point);
                    for (&column, value) in columns.iter().zip(values) {
                        weights[column as usize] += beta * value;
                    }
                }
            }
        }
        let shift = self
            .moved
            .as_ref()
            .map_or(0.0, |(_, mean)| weights.dot(mean));
        (weights, shift)
    }
}

/// All points or some of them.
pub(crate) enum ChosenPoints<'a> {
    All(Rows<'a>),
    Some(OwnedRows),
}

impl ChosenPoints<'_> {
    pub(crate) fn view(&self) -> Rows<'_> {
        match self {
            ChosenPoints::All(rows) => rows.reborrow(),
            ChosenPoints::Some(rows) => rows.view(),
        }
    }
}
