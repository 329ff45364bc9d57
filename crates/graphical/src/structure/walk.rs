//! A graph that is changed arrow by arrow, with the gain of every possible change at hand.

use super::FamilyScores;
use didact_core::{Result, Run};

/// What can be done with an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Add,
    Delete,
    Reverse,
}

/// A change of one arrow that keeps the graph acyclic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Move {
    pub(super) parent: usize,
    pub(super) child: usize,
    pub(super) change: Change,
    pub(super) gain: f64,
}

/// A graph on its way through the space of graphs.
pub(super) struct Walk {
    /// In ascending order.
    pub(super) parents: Vec<Vec<usize>>,
    pub(super) score: f64,
    max_parents: usize,
    /// For each child what adding or removing each node as its parent would gain.
    changes: Vec<Vec<f64>>,
    /// For each node which nodes its arrows lead to, itself included.
    reach: Vec<Vec<bool>>,
}

impl Walk {
    /// Starts at a graph, given by the parents of each node in ascending order.
    pub(super) fn new(
        scores: &FamilyScores<'_>,
        parents: Vec<Vec<usize>>,
        max_parents: usize,
        run: &Run,
    ) -> Result<Self> {
        let families = parents.iter().enumerate();
        let changes =
            families.map(|(child, parents)| scores.changes(child, parents, max_parents, run));
        Ok(Walk {
            changes: changes.collect::<Result<_>>()?,
            score: scores.graph(&parents, run)?,
            reach: reach(&parents),
            parents,
            max_parents,
        })
    }

    /// Hands every change that keeps the graph acyclic and within the limit to `visit`.
    pub(super) fn for_each_move(&self, mut visit: impl FnMut(Move)) {
        for child in 0..self.parents.len() {
            for parent in 0..self.parents.len() {
                let gain = self.changes[child][parent];
                let mut offer = |change, gain: f64| {
                    if gain > f64::NEG_INFINITY {
                        visit(Move {
                            parent,
                            child,
                            change,
                            gain,
                        });
                    }
                };
                if self.parents[child].binary_search(&parent).is_ok() {
                    offer(Change::Delete, gain);
                    if self.can_be_turned(parent, child) {
                        offer(Change::Reverse, gain + self.changes[parent][child]);
                    }
                } else if !self.reach[child][parent] {
                    offer(Change::Add, gain);
                }
            }
        }
    }

    /// Whether the arrow is the only way from its parent to its child, so that turning it makes
    /// no cycle.
    fn can_be_turned(&self, parent: usize, child: usize) -> bool {
        let leads_round = |middle: &usize| *middle != parent && self.reach[parent][*middle];
        self.parents[parent].len() < self.max_parents
            && !self.parents[child].iter().any(leads_round)
    }

    pub(super) fn apply(&mut self, scores: &FamilyScores<'_>, step: Move, run: &Run) -> Result<()> {
        let Move {
            parent,
            child,
            change,
            gain,
        } = step;
        let parents = &mut self.parents[child];
        match parents.binary_search(&parent) {
            Ok(place) => drop(parents.remove(place)),
            Err(place) => parents.insert(place, parent),
        }
        if change == Change::Reverse {
            let parents = &mut self.parents[parent];
            let place = parents.binary_search(&child).unwrap_or_else(|place| place);
            parents.insert(place, child);
            self.changes[parent] =
                scores.changes(parent, &self.parents[parent], self.max_parents, run)?;
        }
        self.changes[child] = scores.changes(child, &self.parents[child], self.max_parents, run)?;
        self.reach = reach(&self.parents);
        self.score += gain;
        Ok(())
    }
}

fn reach(parents: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let mut children = vec![Vec::new(); parents.len()];
    for (child, parents) in parents.iter().enumerate() {
        parents
            .iter()
            .for_each(|&parent| children[parent].push(child));
    }
    let nodes = 0..parents.len();
    nodes
        .map(|node| crate::graph::closure(&children, &[node]))
        .collect()
}
