//! What a graph says about independence: gates on paths, Bayes' ball.

use super::Dag;
use didact_core::{Error, Result};
use std::collections::VecDeque;
use std::fmt;

/// How a path goes through the middle one of three nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// a → b → c or a ← b ← c.
    Chain,
    /// a ← b → c.
    CommonCause,
    /// a → b ← c.
    CommonEffect,
}

impl Gate {
    /// Whether dependence passes the middle node.
    ///
    /// A chain and a common cause are closed by knowing the middle node. A common effect is
    /// opened by knowing it or any of its descendants: either makes the causes explain each
    /// other away.
    pub fn is_open(self, middle_known: bool, descendant_known: bool) -> bool {
        match self {
            Gate::Chain | Gate::CommonCause => !middle_known,
            Gate::CommonEffect => middle_known || descendant_known,
        }
    }
}

/// A path along which two nodes depend on each other: every gate on it is open.
///
/// It prints as `x1 → [x2] ← x3`, with what is known in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPath {
    /// The names of the nodes from one end to the other.
    pub nodes: Vec<String>,
    /// The gate at each node between the ends.
    pub gates: Vec<Gate>,
    /// For each step whether it goes from parent to child.
    pub forward: Vec<bool>,
    /// For each node whether it is known.
    pub known: Vec<bool>,
}

impl fmt::Display for OpenPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, known)) in self.nodes.iter().zip(&self.known).enumerate() {
            if place > 0 {
                formatter.write_str(match self.forward[place - 1] {
                    true => " → ",
                    false => " ← ",
                })?;
            }
            match known {
                true => write!(formatter, "[{name}]")?,
                false => formatter.write_str(name)?,
            }
        }
        Ok(())
    }
}

/// Where the ball is: at a node, having come from one of its parents or not.
type Place = (usize, bool);

impl Dag {
    /// The gate at `middle` on a path from `left` to `right`, which must be its neighbours.
    pub fn gate(&self, left: &str, middle: &str, right: &str) -> Result<Gate> {
        let (left, middle, right) = (self.node(left)?, self.node(middle)?, self.node(right)?);
        let into = |end: usize| -> Result<bool> {
            let is_parent = self.parents(middle).contains(&end);
            match is_parent || self.children(middle).contains(&end) {
                true => Ok(is_parent),
                false => Err(Error::data(format!(
                    "{} and {} are no neighbours; a gate needs two arrows that meet",
                    self.names()[end],
                    self.names()[middle]
                ))),
            }
        };
        if left == right {
            return Err(Error::data(format!(
                "both ends are {}; a gate lies between two different variables",
                self.names()[left]
            )));
        }
        Ok(gate(into(left)?, into(right)?))
    }

    /// Whether the graph alone makes `x` and `y` independent once `given` is known, whatever the
    /// tables. Sets are allowed on all three places; what is known depends on nothing any more.
    pub fn d_separated(&self, x: &[&str], y: &[&str], given: &[&str]) -> Result<bool> {
        Ok(self.open_path(x, y, given)?.is_none())
    }

    /// A shortest path between the two sets on which every gate is open, by Bayes' ball; nothing
    /// where the sets are d-separated.
    pub fn open_path(&self, x: &[&str], y: &[&str], given: &[&str]) -> Result<Option<OpenPath>> {
        let (x, y, given) = (self.nodes(x)?, self.nodes(y)?, self.nodes(given)?);
        let mut known = vec![false; self.n_nodes()];
        given.iter().for_each(|&node| known[node] = true);
        let mut wanted = vec![false; self.n_nodes()];
        y.iter().for_each(|&node| wanted[node] = !known[node]);
        let start = x.iter().copied().filter(|&node| !known[node]);
        let path = self.roll(start.collect(), &wanted, &known, &given);
        Ok(path.map(|nodes| self.describe(&nodes, &known)))
    }

    /// Rolls the ball from the start nodes until a wanted one is hit, breadth first.
    fn roll(
        &self,
        start: Vec<usize>,
        wanted: &[bool],
        known: &[bool],
        given: &[usize],
    ) -> Option<Vec<usize>> {
        // A common effect is open where it is known or an ancestor of something known.
        let opens = self.with_ancestors(given);
        let mut before: [Vec<Option<Place>>; 2] =
            [vec![None; known.len()], vec![None; known.len()]];
        let mut seen = [vec![false; known.len()], vec![false; known.len()]];
        let mut waiting: VecDeque<Place> = VecDeque::new();
        for node in start {
            if !std::mem::replace(&mut seen[0][node], true) {
                waiting.push_back((node, false));
            }
        }
        while let Some((node, from_parent)) = waiting.pop_front() {
            if wanted[node] {
                return Some(trail((node, from_parent), &before));
            }
            let mut pass = |to: Place| {
                let side = usize::from(to.1);
                if !std::mem::replace(&mut seen[side][to.0], true) {
                    before[side][to.0] = Some((node, from_parent));
                    waiting.push_back(to);
                }
            };
            // From a parent down is a chain, from a child down a common cause.
            if !known[node] {
                self.children(node)
                    .iter()
                    .for_each(|&child| pass((child, true)));
            }
            // From a child up is a chain, from a parent up a common effect.
            if (from_parent && opens[node]) || (!from_parent && !known[node]) {
                self.parents(node)
                    .iter()
                    .for_each(|&parent| pass((parent, false)));
            }
        }
        None
    }

    fn describe(&self, nodes: &[usize], known: &[bool]) -> OpenPath {
        let is_parent = |parent: usize, child: usize| self.parents(child).contains(&parent);
        OpenPath {
            nodes: nodes
                .iter()
                .map(|&node| self.names()[node].clone())
                .collect(),
            gates: nodes
                .windows(3)
                .map(|three| gate(is_parent(three[0], three[1]), is_parent(three[2], three[1])))
                .collect(),
            forward: nodes
                .windows(2)
                .map(|two| is_parent(two[0], two[1]))
                .collect(),
            known: nodes.iter().map(|&node| known[node]).collect(),
        }
    }
}

fn gate(left_points_in: bool, right_points_in: bool) -> Gate {
    match (left_points_in, right_points_in) {
        (true, true) => Gate::CommonEffect,
        (false, false) => Gate::CommonCause,
        _ => Gate::Chain,
    }
}

fn trail(end: Place, before: &[Vec<Option<Place>>; 2]) -> Vec<usize> {
    let mut path = vec![end.0];
    let mut place = end;
    while let Some(earlier) = before[usize::from(place.1)][place.0] {
        path.push(earlier.0);
        place = earlier;
    }
    path.reverse();
    path
}
