//! What classifier and regressor share: the training rows, searchable.

use super::{KNeighbors, Voting};
use didact_core::model::ensure_consistent;
use didact_core::{Error, Result, Rows, Run};
use didact_math::distance::Metric;
use didact_math::neighbors::{Index, Neighbors};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// The training rows and how their neighbourhood is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Memory {
    index: Index<'static>,
    n_neighbors: usize,
    voting: Voting,
}

impl Memory {
    pub(super) fn new(parameters: &KNeighbors, rows: Rows<'_>, run: &Run) -> Result<Self> {
        let n_rows = rows.n_rows();
        if parameters.n_neighbors > n_rows {
            return Err(Error::parameter(
                "n_neighbors",
                parameters.n_neighbors,
                match n_rows {
                    1 => "there is only 1 sample to learn from; ask for 1".to_owned(),
                    _ => format!(
                        "there are only {n_rows} samples to learn from; ask for at most {n_rows}"
                    ),
                },
            ));
        }
        parameters.metric.check()?;
        check_magnitude(rows, parameters.metric)?;
        Ok(Memory {
            index: Index::build(
                rows,
                parameters.metric,
                parameters.algorithm,
                parameters.leaf_size,
                run,
            )?
            .into_owned(),
            n_neighbors: parameters.n_neighbors,
            voting: parameters.weights,
        })
    }

    pub(super) fn n_rows(&self) -> usize {
        self.index.n_rows()
    }

    pub(super) fn n_columns(&self) -> usize {
        self.index.rows().n_columns()
    }

    pub(super) fn n_neighbors(&self) -> usize {
        self.n_neighbors
    }

    /// The metric in words.
    pub(super) fn metric_name(&self) -> String {
        self.index.metric().to_string()
    }

    /// The `k` nearest training rows of each row.
    pub(super) fn nearest(&self, rows: Rows<'_>, k: usize) -> Result<Neighbors> {
        check_magnitude(rows, self.index.metric())?;
        self.index.nearest(rows, k, &Run::new())
    }

    /// The training rows within a distance of each row.
    pub(super) fn within(&self, rows: Rows<'_>, radius: f64) -> Result<Vec<Vec<(usize, f64)>>> {
        check_magnitude(rows, self.index.metric())?;
        self.index.within(rows, radius, &Run::new())
    }

    /// Calls `judge` for each row, in parallel, with its neighbours, their voices and its place of
    /// `width` values in the answers.
    pub(super) fn judge<T: Send>(
        &self,
        rows: Rows<'_>,
        answers: &mut [T],
        width: usize,
        judge: impl Fn(&[usize], &[f64], &mut [T]) + Sync,
    ) -> Result<()> {
        check_magnitude(rows, self.index.metric())?;
        let (k, voting) = (self.n_neighbors, self.voting);
        let answer = |neighbors: &[usize], distances: &mut [f64], place: &mut [T]| {
            voting.make_voices(distances);
            judge(neighbors, distances, place);
        };
        self.index
            .answer(rows, k, answers, width, &Run::new(), answer)
    }

    /// The same for answers of `width` numbers, which are zero before.
    pub(super) fn numbers(
        &self,
        rows: Rows<'_>,
        width: usize,
        judge: impl Fn(&[usize], &[f64], &mut [f64]) + Sync,
    ) -> Result<Array2<f64>> {
        let mut answers = Array2::zeros((rows.n_rows(), width));
        let places = answers
            .as_slice_mut()
            .expect("a fresh matrix is contiguous");
        self.judge(rows, places, width, judge)?;
        Ok(answers)
    }

    pub(super) fn validate(&self) -> Result<()> {
        ensure_consistent((1..=self.n_rows()).contains(&self.n_neighbors))?;
        let finite = match self.index.rows() {
            Rows::Dense(dense) => dense.iter().all(|value| value.is_finite()),
            Rows::Sparse(sparse) => (0..sparse.n_rows())
                .all(|row| sparse.row(row).1.iter().all(|value| value.is_finite())),
        };
        ensure_consistent(finite)
    }
}

/// Fails where distances could overflow: rows infinitely far away have no order.
fn check_magnitude(rows: Rows<'_>, metric: Metric) -> Result<()> {
    let power = match metric {
        Metric::Manhattan | Metric::Chebyshev => 1.0,
        Metric::Minkowski { p } => p,
        _ => 2.0,
    };
    let limit = (1e300 / rows.n_columns() as f64).powf(f64::recip(power)) / 2.0;
    // Without an early exit the comparison vectorises.
    let exceeds = |values: &[f64]| values.iter().fold(false, |any, x| any | (x.abs() > limit));
    let too_large = (0..rows.n_rows()).find(|&row| match rows {
        Rows::Dense(dense) => match dense.row(row).to_slice() {
            Some(values) => exceeds(values),
            None => dense.row(row).iter().any(|x| x.abs() > limit),
        },
        Rows::Sparse(sparse) => exceeds(sparse.row(row).1),
    });
    match too_large {
        None => Ok(()),
        Some(row) => Err(Error::numerical(format!(
            "row {row} holds a value so large that its distances overflow; \
             divide the columns by a power of ten so that their values stay below {limit:.0e}"
        ))),
    }
}
