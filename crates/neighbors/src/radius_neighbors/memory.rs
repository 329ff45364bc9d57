//! What classifier and regressor share: the training rows, searchable.

use super::RadiusNeighbors;
use crate::Voting;
use crate::magnitude::check_magnitude;
use didact_core::model::ensure_consistent;
use didact_core::{Error, Result, Rows, Run};
use didact_math::neighbors::Index;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// The training rows and how their neighbourhood is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Memory {
    index: Index<'static>,
    radius: f64,
    voting: Voting,
}

/// Queries that are answered together: a large ball may hold all training rows for each.
const QUERIES: usize = 64;

impl Memory {
    pub(super) fn new(parameters: &RadiusNeighbors, rows: Rows<'_>, run: &Run) -> Result<Self> {
        if !parameters.radius.is_finite() {
            return Err(Error::parameter(
                "radius",
                parameters.radius,
                "it must be a finite number not below 0",
            ));
        }
        parameters.metric.check()?;
        check_magnitude(rows, parameters.metric)?;
        let RadiusNeighbors {
            metric, algorithm, ..
        } = *parameters;
        Ok(Memory {
            index: Index::build(rows, metric, algorithm, parameters.leaf_size, run)?.into_owned(),
            radius: parameters.radius,
            voting: parameters.weights,
        })
    }

    pub(super) fn n_rows(&self) -> usize {
        self.index.n_rows()
    }

    pub(super) fn n_columns(&self) -> usize {
        self.index.rows().n_columns()
    }

    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    /// The metric in words.
    pub(super) fn metric_name(&self) -> String {
        self.index.metric().to_string()
    }

    /// The training rows within the radius of each row, nearest first, with their distances.
    pub(super) fn within(&self, rows: Rows<'_>) -> Result<Vec<Vec<(usize, f64)>>> {
        check_magnitude(rows, self.index.metric())?;
        self.index.within(rows, self.radius, &Run::new())
    }

    /// Calls `judge` for each row with its neighbours, their voices and a row of `width` zeros to
    /// write the answer into; without neighbours both lists are empty.
    pub(super) fn judge(
        &self,
        rows: Rows<'_>,
        width: usize,
        judge: impl Fn(&[(usize, f64)], &[f64], &mut [f64]),
    ) -> Result<Array2<f64>> {
        let mut answers = Array2::zeros((rows.n_rows(), width));
        let mut voices = Vec::new();
        for start in (0..rows.n_rows()).step_by(QUERIES) {
            let end = (start + QUERIES).min(rows.n_rows());
            let found = self.within(rows.slice(start..end))?;
            for (row, neighbors) in (start..end).zip(&found) {
                voices.clear();
                voices.extend(neighbors.iter().map(|(_, distance)| *distance));
                self.voting.make_voices(&mut voices);
                let mut answer = answers.row_mut(row);
                let answer = answer.as_slice_mut().expect("answers are contiguous");
                judge(neighbors, &voices, answer);
            }
        }
        Ok(answers)
    }

    pub(super) fn validate(&self) -> Result<()> {
        let finite = match self.index.rows() {
            Rows::Dense(dense) => dense.iter().all(|value| value.is_finite()),
            Rows::Sparse(sparse) => (0..sparse.n_rows())
                .all(|row| sparse.row(row).1.iter().all(|value| value.is_finite())),
        };
        ensure_consistent(finite && self.radius >= 0.0 && self.radius.is_finite())
    }
}
