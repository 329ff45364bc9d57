//! The tree of largest mutual information.

use crate::CategoryTable;
use crate::counts::Family;
use didact_core::{Error, Result, Run, parallel};

/// The tree that fits the rows best among all trees (Chow and Liu): the spanning tree of largest
/// mutual information between neighbours, with all arrows away from `root`. Gives the parents of
/// each column.
pub fn chow_liu_tree(data: &CategoryTable, root: usize, run: &Run) -> Result<Vec<Vec<usize>>> {
    let nodes = data.n_columns();
    if root >= nodes {
        return Err(Error::parameter(
            "root",
            root,
            format!("it must be less than {nodes}, the number of columns"),
        ));
    }
    let children: Vec<usize> = (0..nodes).collect();
    let information = parallel::map(&children, run, |&child| {
        let family = Family::new(data, child, &[])?;
        let alone = family.log_likelihood(run)?;
        let mut counts = Vec::new();
        let mut row = Vec::with_capacity(child);
        for other in 0..child {
            run.check()?;
            row.push(family.log_likelihood_with(other, &mut counts) - alone);
        }
        Ok(row)
    })?;
    Ok(spanning_tree(&information, root))
}

/// The spanning tree of largest weight, from the root outwards; `weights` is a lower triangle.
fn spanning_tree(weights: &[Vec<f64>], root: usize) -> Vec<Vec<usize>> {
    let nodes = weights.len();
    let weight = |left: usize, right: usize| weights[left.max(right)][left.min(right)];
    let mut parents = vec![Vec::new(); nodes];
    let mut taken = vec![false; nodes];
    let mut best = vec![(f64::NEG_INFINITY, root); nodes];
    let mut node = root;
    for _ in 1..nodes {
        taken[node] = true;
        for other in (0..nodes).filter(|&other| !taken[other]) {
            if weight(node, other) > best[other].0 {
                best[other] = (weight(node, other), node);
            }
        }
        let mut next: Option<usize> = None;
        for other in (0..nodes).filter(|&other| !taken[other]) {
            if next.is_none_or(|next| best[other].0 > best[next].0) {
                next = Some(other);
            }
        }
        node = next.expect("some nodes are left");
        parents[node].push(best[node].1);
    }
    parents
}
