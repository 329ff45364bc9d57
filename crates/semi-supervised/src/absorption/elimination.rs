//! Few nodes: they are left out of the walk one by one.

use super::{Absorption, neighbours};
use didact_core::{Result, Run};
use didact_math::numeric::dot;
use ndarray::{Array2, s};

/// Gaussian elimination without subtractions (Grassmann, Taksar and Heyman).
///
/// A node that is left out hands its edges on: Sᵢⱼ grows by Sᵢₖ·Sₖⱼ/tₖ. The pivot tₖ is summed anew
/// from what is left, never found by subtraction, so every probability keeps its relative accuracy
/// however small the weights are: groups that hang together by edges of 10⁻³⁰ are told apart rightly,
/// where the usual elimination would find a singular matrix.
pub(super) fn solve(system: &Absorption<'_>, run: &Run) -> Result<Array2<f64>> {
    let m = system.nodes.len();
    let mut weights = gather(system);
    let mut pulls = system.pulls.select(ndarray::Axis(0), &system.nodes);
    let mut totals = vec![0.0; m];
    for k in (0..m).rev() {
        run.check()?;
        let (mut before, from) = weights.view_mut().split_at(ndarray::Axis(0), k);
        let from = from.slice_move(s![0, ..k]);
        let (mut pulls_before, pull) = pulls.view_mut().split_at(ndarray::Axis(0), k);
        let pull = pull.slice_move(s![0, ..]);
        totals[k] = from.sum() + pull.sum();
        for (i, mut row) in before.rows_mut().into_iter().enumerate() {
            let share = row[k] / totals[k];
            if share > 0.0 {
                row.slice_mut(s![..k]).scaled_add(share, &from);
                row[i] = 0.0;
                pulls_before.row_mut(i).scaled_add(share, &pull);
            }
        }
    }
    Ok(substitute(system, &weights, &pulls, &totals))
}

/// From the first node on: each is the mean of what it is pulled to and of the nodes before it.
fn substitute(
    system: &Absorption<'_>,
    weights: &Array2<f64>,
    pulls: &Array2<f64>,
    totals: &[f64],
) -> Array2<f64> {
    let (m, classes) = pulls.dim();
    // A row per class, so that sums over nodes run along memory.
    let mut found = Array2::<f64>::zeros((classes, m));
    let mut answer = system.start();
    for k in 0..m {
        if totals[k] <= 0.0 {
            // Every weight on the way was too small for a number: nothing is known.
            for (class, &share) in system.prior.iter().enumerate() {
                found[[class, k]] = share;
            }
            continue;
        }
        for class in 0..classes {
            let row = found.row(class);
            let known = row.as_slice().expect("rows are contiguous");
            let edges = weights.row(k);
            let edges = edges.as_slice().expect("rows are contiguous");
            let sum = pulls[[k, class]] + dot(&edges[..k], &known[..k]);
            found[[class, k]] = sum / totals[k];
            answer[[system.nodes[k], class]] = sum / totals[k];
        }
    }
    answer
}

/// The weights between the nodes that are asked about, written out.
fn gather(system: &Absorption<'_>) -> Array2<f64> {
    let m = system.nodes.len();
    let mut places = vec![usize::MAX; system.totals.len()];
    for (place, &node) in system.nodes.iter().enumerate() {
        places[node] = place;
    }
    let mut weights = Array2::zeros((m, m));
    for (place, &node) in system.nodes.iter().enumerate() {
        neighbours(system.weights, node, |other, weight| {
            if places[other] != usize::MAX {
                weights[[place, places[other]]] = weight;
            }
        });
    }
    weights
}
