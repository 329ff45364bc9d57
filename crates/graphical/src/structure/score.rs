//! The BIC score of a node with its parents.

use crate::CategoryTable;
use crate::counts::{Family, most_cells};
use didact_core::{Result, Run, parallel};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Candidates that one thread looks at before it takes the next.
const CANDIDATES_AT_ONCE: usize = 8;

/// Below so many codes to read threads cost more than they save.
const FEW: usize = 1 << 17;

/// The BIC scores of families, larger is better; each is counted once and remembered.
///
/// The score of a graph is the sum over its nodes of
/// Σₜ ln θ̂(xᵢ | parents) − (ln m/2)·(rᵢ − 1)·Π r of the parents, with θ̂ the observed shares and m the
/// weight of the rows. It splits into families, so a change of one arrow changes one term, and
/// graphs that say the same about independence score the same.
///
/// Where the rows weigh less than two, m is taken as two: parameters are never free of charge.
///
/// ```
/// use didact_core::{Run, Samples};
/// use didact_graphical::{CategoryTable, FamilyScores};
/// let x = ndarray::array![[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]];
/// let table = CategoryTable::new(&Samples::from(&x), None, &Run::new())?;
/// let scores = FamilyScores::new(&table);
/// let run = Run::new();
/// let forth = scores.graph(&[vec![], vec![0]], &run)?;
/// assert!((forth - scores.graph(&[vec![1], vec![]], &run)?).abs() < 1e-12);
/// assert!(forth > scores.graph(&[vec![], vec![]], &run)?);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub struct FamilyScores<'a> {
    data: &'a CategoryTable,
    /// ln m/2.
    price: f64,
    /// For each child the scores by its parents in ascending order.
    known: Vec<Mutex<HashMap<Vec<usize>, f64>>>,
}

impl<'a> FamilyScores<'a> {
    /// No score is known yet.
    pub fn new(data: &'a CategoryTable) -> Self {
        FamilyScores {
            data,
            price: data.total_weight().max(2.0).ln() / 2.0,
            known: (0..data.n_columns()).map(|_| Mutex::default()).collect(),
        }
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.known.len()
    }

    /// The score of a graph, given by the parents of each node.
    pub fn graph(&self, parents: &[Vec<usize>], run: &Run) -> Result<f64> {
        let families = parents.iter().enumerate();
        let scores = families.map(|(child, parents)| self.family(child, parents, run));
        scores.sum()
    }

    /// The score of one node with its parents.
    pub fn family(&self, child: usize, parents: &[usize], run: &Run) -> Result<f64> {
        let key = sorted(parents.to_vec());
        self.remember(child, key, |key| {
            Family::new(self.data, child, key)?.log_likelihood(run)
        })
    }

    /// Σₜ ln θ̂(xᵢ | parents), the score without the price of its parameters.
    pub fn log_likelihood(&self, child: usize, parents: &[usize], run: &Run) -> Result<f64> {
        Ok(self.family(child, parents, run)? + self.penalty(child, parents))
    }

    /// (ln m/2)·(r − 1)·Π r of the parents.
    fn penalty(&self, child: usize, parents: &[usize]) -> f64 {
        let sizes = self.data.sizes();
        let rows: f64 = parents.iter().map(|&parent| sizes[parent] as f64).product();
        self.price * (sizes[child] as f64 - 1.0) * rows
    }

    /// The score, or minus infinity where it cannot be above `bar`: a log-likelihood is never
    /// above zero, so the price alone shows it without counting.
    pub(super) fn family_above(
        &self,
        child: usize,
        parents: &[usize],
        bar: f64,
        run: &Run,
    ) -> Result<f64> {
        match -self.penalty(child, parents) <= bar || !self.is_countable(child, parents) {
            true => Ok(f64::NEG_INFINITY),
            false => self.family(child, parents, run),
        }
    }

    /// Whether the table of the family is small enough to be made.
    fn is_countable(&self, child: usize, parents: &[usize]) -> bool {
        let sizes = self.data.sizes();
        let factors = parents.iter().chain([&child]);
        let cells = factors.map(|&node| sizes[node] as f64).product::<f64>();
        cells <= most_cells() as f64
    }

    /// What adding or removing each node as a parent of `child` would add to the score; minus
    /// infinity where it cannot raise it, where there are enough parents, and for the child.
    pub(super) fn changes(
        &self,
        child: usize,
        parents: &[usize],
        max_parents: usize,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let now = self.family(child, parents, run)?;
        let family = Family::new(self.data, child, parents)?;
        let mut changes = vec![f64::NEG_INFINITY; self.n_nodes()];
        let work = |nodes: std::ops::Range<usize>, piece: &mut [f64]| {
            let mut counts = Vec::new();
            for (node, change) in nodes.zip(piece) {
                run.check()?;
                if let Some(place) = parents.iter().position(|&parent| parent == node) {
                    let mut fewer = parents.to_vec();
                    fewer.remove(place);
                    *change = self.family(child, &fewer, run)? - now;
                } else if node != child && parents.len() < max_parents {
                    let more = sorted([parents, &[node]].concat());
                    if -self.penalty(child, &more) > now && self.is_countable(child, &more) {
                        let count = |_: &[usize]| Ok(family.log_likelihood_with(node, &mut counts));
                        *change = self.remember(child, more, count)? - now;
                    }
                }
            }
            Ok(())
        };
        let few = self.data.n_rows().saturating_mul(self.n_nodes()) < FEW;
        let chunk = if few {
            self.n_nodes()
        } else {
            CANDIDATES_AT_ONCE
        };
        parallel::fill(&mut changes, 1, chunk, run, work)?;
        Ok(changes)
    }

    fn remember(
        &self,
        child: usize,
        parents: Vec<usize>,
        log_likelihood: impl FnOnce(&[usize]) -> Result<f64>,
    ) -> Result<f64> {
        let known = || {
            self.known[child]
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(&score) = known().get(&parents) {
            return Ok(score);
        }
        let score = log_likelihood(&parents)? - self.penalty(child, &parents);
        known().insert(parents, score);
        Ok(score)
    }
}

fn sorted(mut nodes: Vec<usize>) -> Vec<usize> {
    nodes.sort_unstable();
    nodes
}
