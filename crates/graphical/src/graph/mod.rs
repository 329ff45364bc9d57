//! Directed acyclic graphs of named nodes.

mod separation;

pub use separation::{Gate, OpenPath};

use didact_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A directed acyclic graph: nodes with names, and for each node its parents.
///
/// The order of the parents is kept, since it is the order of the conditional tables.
///
/// ```
/// use didact_graphical::Dag;
/// let graph = Dag::from_edges(&["a", "b", "c"], &[("a", "c"), ("b", "c")])?;
/// assert_eq!(graph.parents(2), [0, 1]);
/// assert!(graph.d_separated(&["a"], &["b"], &[])?);
/// assert!(!graph.d_separated(&["a"], &["b"], &["c"])?);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct Dag {
    names: Vec<String>,
    parents: Vec<Vec<usize>>,
    children: Vec<Vec<usize>>,
    order: Vec<usize>,
    places: HashMap<String, usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    names: Vec<String>,
    parents: Vec<Vec<usize>>,
}

impl TryFrom<Raw> for Dag {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        Dag::new(raw.names, raw.parents)
    }
}

impl From<Dag> for Raw {
    fn from(graph: Dag) -> Self {
        Raw {
            names: graph.names,
            parents: graph.parents,
        }
    }
}

impl Dag {
    /// The graph of these nodes with these parents; fails where the arrows form a cycle.
    pub fn new(names: Vec<String>, parents: Vec<Vec<usize>>) -> Result<Self> {
        let places = places(&names)?;
        if parents.len() != names.len() {
            return Err(Error::parameter(
                "parents",
                format!("{} lists", parents.len()),
                format!("there must be one for each of the {} nodes", names.len()),
            ));
        }
        let mut children = vec![Vec::new(); names.len()];
        for (child, parents) in parents.iter().enumerate() {
            for (place, &parent) in parents.iter().enumerate() {
                if parent >= names.len() || parents[..place].contains(&parent) {
                    return Err(Error::parameter(
                        format!("the parents of {}", names[child]),
                        format!("{parents:?}"),
                        format!("they must be different nodes below {}", names.len()),
                    ));
                }
                children[parent].push(child);
            }
        }
        let order = topological_order(&names, &parents, &children)?;
        Ok(Dag {
            names,
            parents,
            children,
            order,
            places,
        })
    }

    /// The graph of these nodes and arrows from parent to child.
    pub fn from_edges(names: &[&str], edges: &[(&str, &str)]) -> Result<Self> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let places = places(&names)?;
        let node = |name: &str| {
            places
                .get(name)
                .copied()
                .ok_or_else(|| unknown(&names, name))
        };
        let mut parents = vec![Vec::new(); names.len()];
        for &(parent, child) in edges {
            parents[node(child)?].push(node(parent)?);
        }
        Dag::new(names, parents)
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.names.len()
    }

    /// The names of the nodes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of the node of this name.
    pub fn node(&self, name: &str) -> Result<usize> {
        let place = self.places.get(name).copied();
        place.ok_or_else(|| unknown(&self.names, name))
    }

    /// The numbers of the nodes of these names.
    pub fn nodes(&self, names: &[&str]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.node(name)).collect()
    }

    /// The parents of a node in the order of its table.
    pub fn parents(&self, node: usize) -> &[usize] {
        &self.parents[node]
    }

    /// The children of a node, in ascending order.
    pub fn children(&self, node: usize) -> &[usize] {
        &self.children[node]
    }

    /// The nodes, parents before their children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// All arrows as pairs of parent and child, child by child.
    pub fn edges(&self) -> Vec<(usize, usize)> {
        let of_child = |(child, parents): (usize, &Vec<usize>)| {
            let pairs = parents.iter().map(move |&parent| (parent, child));
            pairs.collect::<Vec<_>>()
        };
        self.parents.iter().enumerate().flat_map(of_child).collect()
    }

    /// For each node whether it is one of the given ones or an ancestor of one.
    pub fn with_ancestors(&self, of: &[usize]) -> Vec<bool> {
        closure(&self.parents, of)
    }

    /// For each node whether it is one of the given ones or a descendant of one.
    pub fn with_descendants(&self, of: &[usize]) -> Vec<bool> {
        closure(&self.children, of)
    }

    /// The Markov blanket of a node in ascending order: parents, children and the children's
    /// other parents, without the node itself. Given its blanket a node is independent of all
    /// others.
    pub fn markov_blanket(&self, node: usize) -> Vec<usize> {
        let of_child = |&child: &usize| {
            let parents = self.parents[child].iter().copied();
            parents.chain([child])
        };
        let mut blanket: Vec<usize> = self.parents[node].clone();
        blanket.extend(self.children[node].iter().flat_map(of_child));
        blanket.retain(|&other| other != node);
        blanket.sort_unstable();
        blanket.dedup();
        blanket
    }
}

/// The nodes that can be reached along the lists, the start included.
pub(crate) fn closure(next: &[Vec<usize>], start: &[usize]) -> Vec<bool> {
    let mut reached = vec![false; next.len()];
    let mut waiting = start.to_vec();
    while let Some(node) = waiting.pop() {
        if !reached[node] {
            reached[node] = true;
            waiting.extend(&next[node]);
        }
    }
    reached
}

fn unknown(names: &[String], name: &str) -> Error {
    let known: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
    let more = if names.len() > 20 { ", …" } else { "" };
    Error::parameter(
        "variable",
        name,
        format!("it must be one of {}{more}", known.join(", ")),
    )
}

/// The place of each name, of which every one must be different.
fn places(names: &[String]) -> Result<HashMap<String, usize>> {
    if names.is_empty() {
        return Err(Error::data(
            "the network has no variables; name at least one",
        ));
    }
    let mut places = HashMap::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        if places.insert(name.clone(), place).is_some() {
            return Err(Error::data(format!(
                "two variables are called {name}; rename one"
            )));
        }
    }
    Ok(places)
}

/// Takes nodes whose parents are all taken until none is left; what remains holds a cycle.
fn topological_order(
    names: &[String],
    parents: &[Vec<usize>],
    children: &[Vec<usize>],
) -> Result<Vec<usize>> {
    let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..names.len())
        .filter(|&node| waiting[node] == 0)
        .collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &child in &children[node] {
            waiting[child] -= 1;
            if waiting[child] == 0 {
                order.push(child);
            }
        }
    }
    match waiting.iter().position(|&count| count > 0) {
        None => Ok(order),
        Some(start) => {
            let path: Vec<&str> = cycle(start, parents, &waiting)
                .into_iter()
                .map(|node| names[node].as_str())
                .collect();
            Err(Error::data(format!(
                "the arrows form a cycle, {}; turn or remove one of them",
                path.join(" ← ")
            )))
        }
    }
}

/// Walks from parent to parent among the nodes that wait until one comes again.
fn cycle(start: usize, parents: &[Vec<usize>], waiting: &[usize]) -> Vec<usize> {
    let mut path = vec![start];
    loop {
        let last = path[path.len() - 1];
        // Every waiting node has a parent that waits too, else it would have been taken.
        let Some(&parent) = parents[last].iter().find(|&&parent| waiting[parent] > 0) else {
            return path;
        };
        let seen = path.iter().position(|&node| node == parent);
        path.push(parent);
        if let Some(seen) = seen {
            path.drain(..seen);
            return path;
        }
    }
}
