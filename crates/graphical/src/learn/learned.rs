//! What both kinds of learned network share.

use crate::Network;
use crate::counts::any_code;
use didact_core::model::ensure_consistent;
use didact_core::{Result, Rows, Run, Trace, parallel};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A network, and how it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LearnedNetwork {
    pub(super) network: Network,
    /// For each node and each row of its table what a value that was never seen is given.
    pub(super) unseen: Vec<Vec<f64>>,
    pub(super) score: f64,
    pub(super) log_likelihood: f64,
    pub(super) trace: Option<Trace>,
}

impl LearnedNetwork {
    /// ln θ(value | values of the parents) of a node; values may be such as were never seen.
    pub(super) fn log_share(&self, node: usize, values: &[usize]) -> f64 {
        let table = self.network.table(node);
        let size = table.n_values();
        let parents = self.network.graph().parents(node);
        let places = parents
            .iter()
            .zip(table.parent_sizes())
            .zip(table.parent_strides());
        let mut row = 0;
        for ((&parent, &size_of_parent), stride) in places {
            if values[parent] >= size_of_parent {
                return -(size as f64).ln();
            }
            row += values[parent] * stride;
        }
        match values[node] < size {
            true => table.logs()[row * size + values[node]],
            false => self.unseen[node][row],
        }
    }

    /// Hands the codes of every row to `finish`, which fills `width` numbers. There is room for
    /// one more code than columns.
    pub(super) fn per_row(
        &self,
        rows: Rows<'_>,
        width: usize,
        finish: impl Fn(&mut [usize], &mut [f64]) + Sync + Send,
    ) -> Result<Vec<f64>> {
        let x = rows.dense()?;
        let columns = x.ncols();
        let mut output = vec![0.0; x.nrows() * width];
        let chunk = ((1 << 16) / (columns * width).max(1)).clamp(16, 4096);
        parallel::fill(&mut output, width, chunk, &Run::new(), |range, piece| {
            let mut values = vec![0; columns + 1];
            for (row, output) in range.zip(piece.chunks_exact_mut(width)) {
                for (column, &value) in x.row(row).iter().enumerate() {
                    values[column] = any_code(row, column, value)?;
                }
                finish(&mut values, output);
            }
            Ok(())
        })?;
        Ok(output)
    }

    /// A row of parent and child for every arrow.
    pub(super) fn edges(&self) -> Array2<f64> {
        let edges = self.network.graph().edges();
        Array2::from_shape_fn((edges.len(), 2), |(edge, end)| match end {
            0 => edges[edge].0 as f64,
            _ => edges[edge].1 as f64,
        })
    }

    /// The arrows by the names of their ends.
    pub(super) fn arrows(&self) -> Vec<String> {
        let names = self.network.graph().names();
        let edges = self.network.graph().edges().into_iter();
        let arrow =
            |(parent, child): (usize, usize)| format!("{} → {}", names[parent], names[child]);
        edges.map(arrow).collect()
    }

    pub(super) fn validate(&self) -> Result<()> {
        ensure_consistent(self.unseen.len() == self.network.graph().n_nodes())?;
        for (node, unseen) in self.unseen.iter().enumerate() {
            ensure_consistent(unseen.len() == self.network.table(node).n_rows())?;
            ensure_consistent(unseen.iter().all(|log| *log <= 0.0))?;
        }
        ensure_consistent(!self.score.is_nan() && !self.log_likelihood.is_nan())
    }
}
