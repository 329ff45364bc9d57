//! Labels on a graph as a walk that ends in a class.
//!
//! A walker at node i goes to node j with probability Sᵢⱼ/tᵢ and ends in class c with probability
//! Gᵢ꜀/tᵢ, where tᵢ = ΣⱼSᵢⱼ + Σ꜀Gᵢ꜀. The probability f of ending in each class solves
//! tᵢ·fᵢ − Σⱼ Sᵢⱼ·fⱼ = Gᵢ, which is (D_UU − S_UU)·f_U = S_UL·y_L where labels are fixed (then G is the
//! weight of edges to labelled nodes) and (L + λJ)·f = λJ·y where a label is worth an edge of
//! weight λ.

mod conjugate;
mod elimination;

use didact_core::{Error, Result, Rows, Run, Trace};
use ndarray::Array2;

/// So many unknown nodes are eliminated one by one; more are found by iteration.
const FEW: usize = 500;

/// The walk: weights between nodes, pulls towards classes, and which nodes are asked about.
pub(crate) struct Absorption<'a> {
    weights: Rows<'a>,
    /// G: how strongly each class pulls at each node.
    pulls: Array2<f64>,
    /// t, or zero for nodes that are not asked about or from which no class can be reached.
    totals: Vec<f64>,
    /// The nodes that are asked about and from which a class can be reached.
    nodes: Vec<usize>,
    /// What is answered where nothing is known.
    prior: Vec<f64>,
}

/// How long to iterate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) tol: f64,
    pub(crate) max_iter: usize,
}

/// The probabilities of the nodes that are asked about.
pub(crate) struct Answer {
    /// A row for each node; those that were not asked about hold the prior.
    pub(crate) probabilities: Array2<f64>,
    /// Whether a class can be reached from each node that is asked about.
    pub(crate) is_reached: Vec<bool>,
    /// The iterations, where there were any.
    pub(crate) trace: Option<Trace>,
}

impl<'a> Absorption<'a> {
    /// Loops, that is the diagonal of the weights, change nothing.
    pub(crate) fn new(
        weights: Rows<'a>,
        pulls: Array2<f64>,
        is_asked: &[bool],
        prior: Vec<f64>,
        run: &Run,
    ) -> Result<Self> {
        let is_reached = reach(weights, &pulls, is_asked, run)?;
        let mut totals = vec![0.0; pulls.nrows()];
        let nodes: Vec<usize> = (0..totals.len()).filter(|&node| is_reached[node]).collect();
        for &node in &nodes {
            run.check()?;
            let mut total = pulls.row(node).sum();
            neighbours(weights, node, |other, weight| {
                // The edges to nodes with fixed labels are among the pulls already.
                total += if is_asked[other] { weight } else { 0.0 };
            });
            totals[node] = total;
        }
        match totals.iter().all(|total| total.is_finite()) {
            true => Ok(Absorption {
                weights,
                pulls,
                totals,
                nodes,
                prior,
            }),
            false => Err(Error::data(
                "the weights of the edges of a row sum to more than any number; \
                 divide all weights by a power of ten",
            )),
        }
    }

    pub(crate) fn solve(&self, effort: Effort, run: &Run) -> Result<Answer> {
        let (mut probabilities, trace) = match self.nodes.len() {
            ..=FEW => (elimination::solve(self, run)?, None),
            _ => {
                let (found, trace) = conjugate::solve(self, effort, run)?;
                (found, Some(trace))
            }
        };
        let mut is_reached = vec![false; self.totals.len()];
        for &node in &self.nodes {
            is_reached[node] = true;
            let mut row = probabilities.row_mut(node);
            // Rounding may leave a little less than nothing and a little more than all.
            row.mapv_inplace(|value| value.max(0.0));
            let total = row.sum();
            row /= total;
        }
        Ok(Answer {
            probabilities,
            is_reached,
            trace,
        })
    }

    /// The prior for every node, to be overwritten.
    fn start(&self) -> Array2<f64> {
        let prior = ndarray::ArrayView1::from(&self.prior);
        prior
            .broadcast((self.totals.len(), self.prior.len()))
            .expect("a row is repeated")
            .to_owned()
    }
}

/// Calls `visit` for every edge of a node but its loop.
pub(crate) fn neighbours(weights: Rows<'_>, node: usize, mut visit: impl FnMut(usize, f64)) {
    let mut visit = |other: usize, weight: f64| {
        if other != node && weight != 0.0 {
            visit(other, weight);
        }
    };
    match weights {
        Rows::Dense(dense) => {
            let row = dense.row(node);
            row.iter()
                .enumerate()
                .for_each(|(j, &weight)| visit(j, weight));
        }
        Rows::Sparse(sparse) => {
            let (columns, values) = sparse.row(node);
            let entries = columns.iter().zip(values);
            entries.for_each(|(&j, &weight)| visit(j as usize, weight));
        }
    }
}

/// The asked nodes from which a way leads to a pull.
fn reach(
    weights: Rows<'_>,
    pulls: &Array2<f64>,
    is_asked: &[bool],
    run: &Run,
) -> Result<Vec<bool>> {
    let n = is_asked.len();
    let is_pulled = |&node: &usize| is_asked[node] && pulls.row(node).sum() > 0.0;
    let mut waiting: Vec<usize> = (0..n).filter(is_pulled).collect();
    let mut is_reached = vec![false; n];
    waiting.iter().for_each(|&node| is_reached[node] = true);
    while let Some(node) = waiting.pop() {
        run.check()?;
        neighbours(weights, node, |other, _| {
            if is_asked[other] && !is_reached[other] {
                is_reached[other] = true;
                waiting.push(other);
            }
        });
    }
    Ok(is_reached)
}
