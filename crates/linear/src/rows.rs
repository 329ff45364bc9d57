//! Rows that count, and scores of rows.

use crate::packed_planes::PackedPlanes;
use didact_core::{CsrView, Error, Labelled, Measured, Result, Rows, Run, Samples, parallel};
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix2, s};
use std::borrow::Cow;

/// Samples of which every row counts: rows of weight zero are left out, because not even their
/// size may matter.
pub(crate) struct CountingSamples<'a> {
    given: Samples<'a>,
    /// The rows that count, where some do not.
    kept: Option<(Vec<usize>, Samples<'static>)>,
}

impl<'a> CountingSamples<'a> {
    fn new(given: Samples<'a>) -> Self {
        let kept = given.weights().and_then(|weights| {
            let kept: Vec<usize> = (0..weights.len())
                .filter(|&row| weights[row] > 0.0)
                .collect();
            (kept.len() < weights.len()).then_some(kept)
        });
        let kept = kept.map(|kept| {
            let samples = given.select(&kept);
            (kept, samples)
        });
        CountingSamples { given, kept }
    }

    /// A copy of some rows, by their places among those that count.
    pub(crate) fn select(&self, rows: &[usize]) -> CountingSamples<'static> {
        let given = match &self.kept {
            Some((_, counting)) => counting.select(rows),
            None => self.given.select(rows),
        };
        CountingSamples { given, kept: None }
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        match &self.kept {
            Some((_, samples)) => samples.rows(),
            None => self.given.rows(),
        }
    }

    pub(crate) fn weights(&self) -> Option<ArrayView1<'_, f64>> {
        match &self.kept {
            Some((_, samples)) => samples.weights(),
            None => self.given.weights(),
        }
    }

    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights().map_or(1.0, |weights| weights[row])
    }

    pub(crate) fn total_weight(&self) -> f64 {
        self.weights()
            .map_or(self.rows().n_rows() as f64, |weights| weights.sum())
    }
}

/// Samples with targets of which every row counts.
pub(crate) struct CountingMeasured<'a> {
    pub(crate) samples: CountingSamples<'a>,
    pub(crate) targets: CowArray<'a, f64, Ix2>,
}

impl<'a> CountingMeasured<'a> {
    pub(crate) fn new(data: Measured<'a>) -> Self {
        let samples = CountingSamples::new(data.samples);
        let targets = match &samples.kept {
            Some((kept, _)) => CowArray::from(data.targets.select(Axis(0), kept)),
            None => CowArray::from(data.targets),
        };
        CountingMeasured { samples, targets }
    }
}

/// Samples with labels of which every row counts.
pub(crate) struct CountingLabelled<'a> {
    pub(crate) samples: CountingSamples<'a>,
    pub(crate) labels: Cow<'a, [usize]>,
}

impl<'a> CountingLabelled<'a> {
    pub(crate) fn new(data: Labelled<'a>) -> Self {
        let samples = CountingSamples::new(data.samples);
        let labels = match &samples.kept {
            Some((kept, _)) => kept.iter().map(|&row| data.labels[row]).collect(),
            None => Cow::Borrowed(data.labels),
        };
        CountingLabelled { samples, labels }
    }
}

/// Rows that are read one by one, in any order.
#[derive(Clone, Copy)]
pub(crate) enum RowReader<'a> {
    Dense(&'a [f64], usize),
    Sparse(CsrView<'a>),
}

/// A single row.
#[derive(Clone, Copy)]
pub(crate) enum Row<'a> {
    Dense(&'a [f64]),
    Sparse(&'a [u32], &'a [f64]),
}

impl<'a> RowReader<'a> {
    pub(crate) fn new(rows: Rows<'a>) -> Self {
        match rows {
            Rows::Dense(x) => {
                let columns = x.ncols();
                RowReader::Dense(x.to_slice().expect("checked rows are contiguous"), columns)
            }
            Rows::Sparse(x) => RowReader::Sparse(x),
        }
    }

    #[inline]
    pub(crate) fn row(&self, row: usize) -> Row<'a> {
        match self {
            RowReader::Dense(values, d) => Row::Dense(&values[row * d..(row + 1) * d]),
            RowReader::Sparse(x) => {
                let (columns, values) = x.row(row);
                Row::Sparse(columns, values)
            }
        }
    }
}

impl Row<'_> {
    /// The product w·x.
    #[inline]
    pub(crate) fn dot(&self, w: &[f64]) -> f64 {
        match self {
            Row::Dense(x) => dot(x, w),
            Row::Sparse(columns, values) => {
                let entries = columns.iter().zip(*values);
                entries.map(|(&j, x)| x * w[j as usize]).sum()
            }
        }
    }

    /// w += factor·x.
    #[inline]
    pub(crate) fn add_to(&self, w: &mut [f64], factor: f64) {
        match self {
            Row::Dense(x) => {
                for (w, x) in w.iter_mut().zip(*x) {
                    *w += factor * x;
                }
            }
            Row::Sparse(columns, values) => {
                for (&j, x) in columns.iter().zip(*values) {
                    w[j as usize] += factor * x;
                }
            }
        }
    }

    /// Calls `visit` with every column that may be not zero.
    #[inline]
    pub(crate) fn each(&self, mut visit: impl FnMut(usize)) {
        match self {
            Row::Dense(x) => (0..x.len()).for_each(visit),
            Row::Sparse(columns, _) => columns.iter().for_each(|&j| visit(j as usize)),
        }
    }

    /// ‖x‖².
    #[inline]
    pub(crate) fn squared_length(&self) -> f64 {
        match self {
            Row::Dense(x) => dot(x, x),
            Row::Sparse(_, values) => dot(values, values),
        }
    }
}

/// The scores X·Wᵀ + b, a column for each row of W.
///
/// Every score is a sum of its own in a fixed order, so that a row has the same scores whichever
/// rows it is predicted with.
pub(crate) fn linear_scores(
    rows: Rows<'_>,
    weights: ArrayView2<'_, f64>,
    intercepts: &[f64],
) -> Result<Array2<f64>> {
    let (width, d) = weights.dim();
    let mut scores = Array2::zeros((rows.n_rows(), width));
    let output = scores.as_slice_mut().expect("a new array is contiguous");
    let chunk = ((1 << 19) / (d * width).max(1)).clamp(16, 8192);
    match rows {
        Rows::Dense(dense) => {
            let planes = PackedPlanes::new(weights, intercepts);
            parallel::fill(output, width, chunk, &Run::new(), |range, piece| {
                let part = dense.slice(s![range, ..]);
                planes.scores(part.to_slice().expect("checked rows are contiguous"), piece);
                Ok(())
            })?;
        }
        Rows::Sparse(sparse) => {
            parallel::fill(output, width, chunk, &Run::new(), |range, piece| {
                for (row, scores) in range.zip(piece.chunks_exact_mut(width)) {
                    let (columns, values) = sparse.row(row);
                    for ((score, w), b) in scores.iter_mut().zip(weights.rows()).zip(intercepts) {
                        let entries = columns.iter().zip(values);
                        *score = entries.map(|(&j, x)| x * w[j as usize]).sum::<f64>() + b;
                    }
                }
                Ok(())
            })?;
        }
    }
    // The sum of x·0 is NaN exactly when some x is not finite, and it vectorises.
    let vanishing = |piece: &[f64]| {
        let mut lanes = [0.0; 8];
        let (groups, rest) = piece.as_chunks::<8>();
        for group in groups {
            for (lane, value) in lanes.iter_mut().zip(group) {
                *lane += value * 0.0;
            }
        }
        lanes.iter().sum::<f64>() + rest.iter().map(|value| value * 0.0).sum::<f64>()
    };
    let values = scores.as_slice().expect("a new array is contiguous");
    if vanishing(values) == 0.0 {
        return Ok(scores);
    }
    let row = values.iter().position(|score| !score.is_finite());
    let row = row.map_or(0, |place| place / width);
    Err(Error::numerical(format!(
        "the score of row {row} overflows; its values are too large for this model"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Csr;
    use didact_testing::random_matrix;
    use ndarray::array;

    #[test]
    fn a_row_has_the_same_scores_alone_and_among_others() {
        let (x, w) = (random_matrix(100, 37, 1), random_matrix(3, 37, 2));
        let sparse = Csr::from_dense(x.view());
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            let all = linear_scores(rows, w.view(), &[0.1, 0.2, 0.3]).unwrap();
            for row in 0..100 {
                let one =
                    linear_scores(rows.slice(row..row + 1), w.view(), &[0.1, 0.2, 0.3]).unwrap();
                assert_eq!(one.row(0), all.slice(s![row, ..]));
            }
        }
    }

    #[test]
    fn a_score_that_overflows_is_an_error_and_not_a_nan() {
        let x = array![[1e300, -1e300]];
        let error = linear_scores(Rows::Dense(x.view()), array![[1e10, 1e10]].view(), &[0.0]);
        assert!(error.unwrap_err().to_string().contains("row 0"));
    }

    #[test]
    fn rows_of_weight_zero_are_left_out() {
        let (x, y) = (array![[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]);
        let samples = Samples::from(&x).weighted(&[1.0, 0.0, 2.0]).unwrap();
        let counting = CountingMeasured::new(Measured::new(samples, &y).unwrap());
        assert_eq!(
            counting.samples.rows().dense().unwrap(),
            array![[1.0], [3.0]]
        );
        assert_eq!(counting.targets, array![[1.0], [3.0]]);
        assert_eq!(counting.samples.total_weight(), 3.0);
    }
}
