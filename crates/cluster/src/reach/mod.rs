//! How rows reach each other: core distances and minimum spanning trees.
//!
//! A search tree needs few distances in few columns. In many columns it needs most of them, and
//! then comparing a row with [`LANES`](crate::lanes::LANES) others at once wins: cells of near
//! rows (`cells`) for the core distances (`cores`), Prim's rule (`prim`) for the tree.

mod cells;
mod cores;
mod prim;

use cells::Cells;
use didact_core::{Result, Rows, Run};
use didact_math::distance::Metric;
use didact_math::neighbors::{Index, SearchAlgorithm};
use ndarray::ArrayView2;

/// Rows of a leaf of the search tree.
const LEAF_SIZE: usize = 16;

/// From this many columns on a search tree opens so many leaves that comparing a row with all
/// others, many at once, is faster: measured on twenty thousand normal rows.
const MANY_COLUMNS: usize = 8;

/// Edges (a, b, length).
type Edges = Vec<(usize, usize, f64)>;

/// The n − 1 edges of a minimum spanning tree of the rows.
pub(crate) fn spanning_tree(rows: Rows<'_>, metric: Metric, run: &Run) -> Result<Edges> {
    match by_lanes(rows, metric, SearchAlgorithm::Auto) {
        Some(dense) => prim::spanning_tree(dense, &vec![0.0; dense.nrows()], run),
        None => {
            let index = Index::build(rows, metric, SearchAlgorithm::Auto, LEAF_SIZE, run)?;
            index.spanning_tree(&vec![0.0; rows.n_rows()], run)
        }
    }
}

/// The distance of each row to its k-th nearest, itself counted, and the edges of a minimum
/// spanning tree where an edge is as long as the greatest of the distance and both core distances.
pub(crate) fn reachability_tree(
    index: &Index,
    algorithm: SearchAlgorithm,
    k: usize,
    run: &Run,
) -> Result<(Vec<f64>, Edges)> {
    let rows = index.rows();
    let Some(dense) = by_lanes(rows, index.metric(), algorithm) else {
        let near = index.nearest(rows, k, run)?;
        let cores = near.distances.column(k - 1).to_vec();
        let edges = index.spanning_tree(&cores, run)?;
        return Ok((cores, edges));
    };
    let squared = cores::squared_core_distances(&Cells::new(dense, run)?, k, run)?;
    let edges = prim::spanning_tree(dense, &squared, run)?;
    Ok((squared.into_iter().map(f64::sqrt).collect(), edges))
}

/// The rows, where comparing many at once is faster than a search tree.
fn by_lanes<'a>(
    rows: Rows<'a>,
    metric: Metric,
    algorithm: SearchAlgorithm,
) -> Option<ArrayView2<'a, f64>> {
    match (rows, metric, algorithm) {
        (Rows::Dense(dense), Metric::Euclidean, SearchAlgorithm::Auto)
            if dense.ncols() >= MANY_COLUMNS =>
        {
            Some(dense)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Error;
    use didact_testing::random_matrix;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn lanes_and_search_trees_give_equal_cores_and_lengths(
            n in 1usize..200, d in 1usize..10, k in 1usize..40, grid: bool, seed: u64,
        ) {
            let mut x = random_matrix(n, d, seed);
            if grid {
                // Many equal distances and equal rows.
                x.mapv_inplace(|value| (value * 2.0).round());
            }
            let (k, run) = (k.min(n), Run::new());
            let index = Index::build(Rows::Dense(x.view()), Metric::Euclidean, SearchAlgorithm::KdTree, 3, &run).unwrap();
            let (cores, edges) = reachability_tree(&index, SearchAlgorithm::KdTree, k, &run).unwrap();
            let squared = cores::squared_core_distances(&Cells::new(x.view(), &run).unwrap(), k, &run).unwrap();
            for (found, expected) in squared.iter().zip(&cores) {
                prop_assert!((found.sqrt() - expected).abs() <= 1e-12 * expected);
            }
            let found = prim::spanning_tree(x.view(), &squared, &run).unwrap();
            prop_assert!(joins_all(n, &found));
            for (found, expected) in lengths(&found).into_iter().zip(lengths(&edges)) {
                prop_assert!((found - expected).abs() <= 1e-12 * expected);
            }
            // A spanning tree of no cores is at most as long in every edge, from the shortest on.
            let plain = prim::spanning_tree(x.view(), &vec![0.0; n], &run).unwrap();
            prop_assert!(lengths(&plain).into_iter().zip(lengths(&found)).all(|(plain, with)| plain <= with));
        }
    }

    fn lengths(edges: &Edges) -> Vec<f64> {
        let mut lengths: Vec<f64> = edges.iter().map(|edge| edge.2).collect();
        lengths.sort_by(f64::total_cmp);
        lengths
    }

    /// Whether the edges join all rows, each edge two parts that nothing joined before.
    fn joins_all(n: usize, edges: &Edges) -> bool {
        let mut parts: Vec<usize> = (0..n).collect();
        edges.len() + 1 == n
            && edges.iter().all(|&(a, b, _)| {
                let (a, b) = (parts[a], parts[b]);
                parts
                    .iter_mut()
                    .filter(|part| **part == a)
                    .for_each(|part| *part = b);
                a != b
            })
    }

    #[test]
    fn distances_beyond_all_numbers_are_refused() {
        let x = ndarray::Array2::from_shape_fn((50, 9), |(row, _)| 1e200 * row as f64);
        let found = spanning_tree(Rows::Dense(x.view()), Metric::Euclidean, &Run::new());
        assert!(matches!(found, Err(Error::Numerical { .. })), "{found:?}");
    }
}
