//! Probabilities of states that steps do not change.

use didact_core::{Error, Result};
use ndarray::{Array1, Array2};

/// The solution π of π = π·P by the elimination of Grassmann, Taksar and Heyman, in which
/// nothing is subtracted and no digit is lost.
///
/// ```text
/// for s = n−1 … 1: P_is ← P_is / Σ_{j<s} P_sj,  P_ij ← P_ij + P_is·P_sj   (i, j < s)
/// ```
pub(super) fn stationary(transitions: &Array2<f64>) -> Result<Array1<f64>> {
    let n = transitions.nrows();
    let class = closed_class(transitions)?;
    let mut p = Array2::from_shape_fn((class.len(), class.len()), |(i, j)| {
        transitions[[class[i], class[j]]]
    });
    for s in (1..class.len()).rev() {
        let out: f64 = (0..s).map(|j| p[[s, j]]).sum();
        for i in 0..s {
            p[[i, s]] /= out;
            for j in 0..s {
                p[[i, j]] += p[[i, s]] * p[[s, j]];
            }
        }
    }
    let mut own = vec![1.0; class.len()];
    for s in 1..class.len() {
        own[s] = (0..s).map(|i| own[i] * p[[i, s]]).sum();
    }
    let total: f64 = own.iter().sum();
    let mut all = Array1::zeros(n);
    for (&state, value) in class.iter().zip(own) {
        all[state] = value / total;
    }
    Ok(all)
}

/// The only set of states that reach each other and nothing else; fails where there are several.
fn closed_class(transitions: &Array2<f64>) -> Result<Vec<usize>> {
    let n = transitions.nrows();
    let spread = |from: usize, linked: &dyn Fn(usize, usize) -> bool| {
        let mut seen = vec![false; n];
        let mut open = vec![from];
        seen[from] = true;
        while let Some(state) = open.pop() {
            for next in (0..n).filter(|&next| linked(state, next)) {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached = |from| spread(from, &|state, next| transitions[[state, next]] > 0.0);
    let leading = |to| spread(to, &|state, next| transitions[[next, state]] > 0.0);
    // Walk on to states that cannot come back until there are none: the class is then closed.
    let mut inside = 0;
    let class = loop {
        let (seen, back) = (reached(inside), leading(inside));
        match (0..n).find(|&state| seen[state] && !back[state]) {
            Some(state) => inside = state,
            None => break seen,
        }
    };
    // Every state leads there, or to another closed class.
    let back = leading(inside);
    match (0..n).find(|&state| !back[state]) {
        None => Ok((0..n).filter(|&state| class[state]).collect()),
        Some(state) => Err(Error::data(format!(
            "state {state} never leads to state {inside}, so that several distributions are \
             stationary; look at one set of states that reach each other at a time"
        ))),
    }
}
