//! Minimum spanning trees: all that single linkage needs.

use super::Join;
use crate::reach::spanning_tree;
use didact_core::{Result, Rows, Run};
use didact_math::distance::Metric;
use didact_math::graph::minimum_spanning_tree;
use ndarray::ArrayView2;

/// The n − 1 edges of a minimum spanning tree of the rows.
pub(super) fn of_rows(rows: Rows<'_>, metric: Metric, run: &Run) -> Result<Vec<Join>> {
    let edges = spanning_tree(rows, metric, run)?;
    Ok(edges.into_iter().map(Join::from).collect())
}

/// The same of a matrix of distances.
pub(super) fn of_matrix(distances: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<Join>> {
    let between = |a: usize, b: usize| distances[[a.min(b), a.max(b)]];
    let edges = minimum_spanning_tree(distances.nrows(), between, run)?;
    Ok(edges.into_iter().map(Join::from).collect())
}
