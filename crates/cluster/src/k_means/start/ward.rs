//! Ward's agglomeration of a small sample: the pair of clusters whose union costs least joins.

use didact_core::{Result, Run};
use didact_math::distance::squared_euclidean;
use ndarray::{Array2, ArrayView2};

/// The labels of the rows when clusters were joined until `n_clusters` are left.
///
/// Follows chains of nearest neighbours, which for Ward's cost give the same tree as searching
/// all pairs each time, in quadratic instead of cubic time. The cheapest joins are then applied.
pub(super) fn clusters(
    rows: ArrayView2<'_, f64>,
    weights: &[f64],
    n_clusters: usize,
    run: &Run,
) -> Result<Vec<usize>> {
    let n = rows.nrows();
    let mut joins = tree(rows, weights, run)?;
    joins.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut parents: Vec<usize> = (0..n).collect();
    for join in joins.iter().take(n.saturating_sub(n_clusters)) {
        let (a, b) = (root(&parents, join.a), root(&parents, join.b));
        parents[a.max(b)] = a.min(b);
    }
    let roots: Vec<usize> = (0..n).filter(|&row| parents[row] == row).collect();
    let label = |row| roots.iter().position(|&other| other == root(&parents, row));
    Ok((0..n).map(|row| label(row).unwrap_or(0)).collect())
}

/// Two rows whose clusters join, and what that costs.
struct Join {
    a: usize,
    b: usize,
    cost: f64,
}

fn tree(rows: ArrayView2<'_, f64>, weights: &[f64], run: &Run) -> Result<Vec<Join>> {
    let n = rows.nrows();
    let mut sizes = weights.to_vec();
    let mut costs = first_costs(rows, weights, run)?;
    let mut alive = vec![true; n];
    let mut joins = Vec::with_capacity(n.saturating_sub(1));
    let mut chain: Vec<usize> = Vec::new();
    while joins.len() + 1 < n {
        run.check()?;
        if chain.is_empty() {
            chain.extend(alive.iter().position(|&alive| alive));
        }
        let last = chain[chain.len() - 1];
        let before = chain.len().checked_sub(2).map(|place| chain[place]);
        let next = nearest(&costs, &alive, last, before);
        if Some(next) == before {
            chain.truncate(chain.len() - 2);
            let (a, b) = (last.min(next), last.max(next));
            joins.push(Join {
                a,
                b,
                cost: costs[[a, b]],
            });
            join(&mut costs, &mut sizes, &mut alive, a, b);
        } else {
            chain.push(next);
        }
    }
    Ok(joins)
}

/// What joining two single rows costs: w₁w₂/(w₁+w₂)·‖x₁−x₂‖².
fn first_costs(rows: ArrayView2<'_, f64>, weights: &[f64], run: &Run) -> Result<Array2<f64>> {
    let n = rows.nrows();
    let mut costs = Array2::zeros((n, n));
    for a in 0..n {
        run.check()?;
        for b in 0..a {
            let (x, y) = (rows.row(a), rows.row(b));
            let distance = squared_euclidean(
                x.to_slice().expect("rows are contiguous"),
                y.to_slice().expect("rows are contiguous"),
            );
            let cost = weights[a] / (weights[a] + weights[b]) * weights[b] * distance;
            costs[[a, b]] = cost;
            costs[[b, a]] = cost;
        }
    }
    Ok(costs)
}

/// The cheapest partner; `before` where it is as cheap as any, so that chains end.
fn nearest(costs: &Array2<f64>, alive: &[bool], of: usize, before: Option<usize>) -> usize {
    let mut best = before;
    for other in (0..alive.len()).filter(|&other| alive[other] && other != of) {
        if best.is_none_or(|best| costs[[of, other]] < costs[[of, best]]) {
            best = Some(other);
        }
    }
    best.expect("two clusters are left")
}

/// Lets cluster `a` take in `b` and renews the costs (Lance and Williams).
fn join(costs: &mut Array2<f64>, sizes: &mut [f64], alive: &mut [bool], a: usize, b: usize) {
    let between = costs[[a, b]];
    alive[b] = false;
    for other in (0..alive.len()).filter(|&other| alive[other] && other != a) {
        let total = sizes[a] + sizes[b] + sizes[other];
        let cost = (sizes[a] + sizes[other]) / total * costs[[a, other]]
            + (sizes[b] + sizes[other]) / total * costs[[b, other]]
            - sizes[other] / total * between;
        costs[[a, other]] = cost;
        costs[[other, a]] = cost;
    }
    sizes[a] += sizes[b];
}

fn root(parents: &[usize], mut row: usize) -> usize {
    while parents[row] != row {
        row = parents[row];
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn rows_join_by_the_rise_of_the_squared_error() {
        // 1 | 2 3 would cost ½; the weight of ten makes 5–6 cost 10/11 and 0–1 is cheapest at ½
        // of a squared distance of 1. Left are {0, 1}, {5, 6}, {20}.
        let x = array![[0.0], [20.0], [5.0], [1.0], [6.0]];
        let labels = clusters(x.view(), &[1.0, 1.0, 10.0, 1.0, 1.0], 3, &Run::new()).unwrap();
        assert_eq!(labels, [0, 1, 2, 0, 2]);
        let labels = clusters(x.view(), &[1.0; 5], 5, &Run::new()).unwrap();
        assert_eq!(labels, [0, 1, 2, 3, 4]);
        let labels = clusters(x.view(), &[1.0; 5], 1, &Run::new()).unwrap();
        assert_eq!(labels, [0; 5]);
    }
}
