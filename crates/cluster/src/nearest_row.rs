//! New rows judged by the rows that a method was fitted on.

use didact_core::model::ensure_consistent;
use didact_core::{Result, Rows, Run};
use didact_math::distance::Metric;
use didact_math::neighbors::{Index, SearchAlgorithm};
use serde::{Deserialize, Serialize};

/// Rows of a leaf in the search for neighbours.
const LEAF_SIZE: usize = 30;

/// The training rows with their labels. A row is given the label of the nearest of them, the
/// lowest where several are equally near.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LabelledRows {
    index: Index<'static>,
    labels: Vec<Option<usize>>,
}

impl LabelledRows {
    pub(crate) fn new(
        rows: Rows<'_>,
        metric: Metric,
        labels: Vec<Option<usize>>,
        run: &Run,
    ) -> Result<Self> {
        let index = Index::build(rows, metric, SearchAlgorithm::Auto, LEAF_SIZE, run)?;
        Ok(LabelledRows {
            index: index.into_owned(),
            labels,
        })
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.index.rows().n_columns()
    }

    pub(crate) fn labels(&self) -> &[Option<usize>] {
        &self.labels
    }

    /// The labels as whole numbers, −1 for noise.
    pub(crate) fn numbers(&self) -> Vec<i64> {
        as_numbers(&self.labels)
    }

    pub(crate) fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let found = self.index.nearest(rows, 1, &Run::new())?;
        Ok(found.indices.iter().map(|&row| self.labels[row]).collect())
    }

    pub(crate) fn validate(&self, n_clusters: usize) -> Result<()> {
        let known = |label: &Option<usize>| label.is_none_or(|label| label < n_clusters);
        ensure_consistent(self.labels.len() == self.index.n_rows() && self.labels.iter().all(known))
    }
}

/// Labels as whole numbers, −1 for noise.
pub(crate) fn as_numbers(labels: &[Option<usize>]) -> Vec<i64> {
    let number = |label: &Option<usize>| label.map_or(-1, |label| label as i64);
    labels.iter().map(number).collect()
}

/// The abilities of a type with the field `rows` of [`LabelledRows`].
macro_rules! follows_nearest_row {
    ($model:ty) => {
        impl didact_core::Features for $model {
            fn n_features(&self) -> usize {
                self.rows.n_columns()
            }

            fn accepts(&self) -> didact_core::Accepts {
                didact_core::Accepts::SPARSE
            }
        }

        impl didact_core::Assign for $model {
            /// The cluster of the nearest row that the model was fitted on.
            fn assign(
                &self,
                rows: didact_core::Rows<'_>,
            ) -> didact_core::Result<Vec<Option<usize>>> {
                self.rows.assign(rows)
            }
        }
    };
}
pub(crate) use follows_nearest_row;
