//! Sets of nodes that are all joined to each other.

use crate::hierarchy::numbered_by_first_row;
use didact_core::{CsrView, Error, Result, Run};

/// Steps of the search for largest cliques; that problem is hard, and beyond these steps the
/// largest clique found so far is taken.
const MOST_STEPS: usize = 2_000_000;

/// The neighbours of each node in rising order, both ways and without loops.
struct Neighbours(Vec<Vec<u32>>);

impl Neighbours {
    fn of(graph: CsrView<'_>) -> Result<Self> {
        let n = graph.n_rows();
        if n != graph.n_columns() {
            return Err(Error::data(format!(
                "the matrix of a graph must be square, but it has {n} rows and {} columns; give \
                 one of each per node",
                graph.n_columns()
            )));
        }
        let mut lists = vec![Vec::new(); n];
        for a in 0..n {
            let (columns, values) = graph.row(a);
            for (&b, &weight) in columns.iter().zip(values) {
                if b as usize != a && weight != 0.0 {
                    lists[a].push(b);
                    lists[b as usize].push(a as u32);
                }
            }
        }
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        Ok(Neighbours(lists))
    }

    fn are_joined(&self, a: u32, b: u32) -> bool {
        self.0[a as usize].binary_search(&b).is_ok()
    }

    fn common(&self, nodes: &[u32], with: u32) -> Vec<u32> {
        nodes
            .iter()
            .copied()
            .filter(|&node| self.are_joined(with, node))
            .collect()
    }
}

/// All maximal cliques of a graph, each in rising order and the list in rising order: every node
/// is in at least one, and none can be extended. Their number can grow exponentially.
///
/// ```
/// use didact_cluster::maximal_cliques;
/// use didact_core::{Csr, Run};
/// // A triangle 0 1 2 with a tail 2 3.
/// let graph = Csr::from_rows(&[vec![(1, 1.0), (2, 1.0)], vec![(2, 1.0)], vec![(3, 1.0)], vec![]], 4)?;
/// let cliques = maximal_cliques(graph.view(), &Run::new())?;
/// assert_eq!(cliques, [vec![0, 1, 2], vec![2, 3]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn maximal_cliques(graph: CsrView<'_>, run: &Run) -> Result<Vec<Vec<usize>>> {
    let neighbours = Neighbours::of(graph)?;
    let mut found = Vec::new();
    let all: Vec<u32> = (0..neighbours.0.len() as u32).collect();
    if !all.is_empty() {
        extend(
            &neighbours,
            &mut Vec::new(),
            all,
            Vec::new(),
            &mut found,
            run,
        )?;
    }
    found.sort_unstable();
    Ok(found)
}

/// Bron and Kerbosch's search: `candidates` extend the clique, `excluded` did so before. Only
/// nodes that are not joined to the pivot need to be tried.
fn extend(
    neighbours: &Neighbours,
    clique: &mut Vec<u32>,
    mut candidates: Vec<u32>,
    mut excluded: Vec<u32>,
    found: &mut Vec<Vec<usize>>,
    run: &Run,
) -> Result<()> {
    run.check()?;
    if candidates.is_empty() {
        if excluded.is_empty() {
            let mut nodes: Vec<usize> = clique.iter().map(|&node| node as usize).collect();
            nodes.sort_unstable();
            found.push(nodes);
        }
        return Ok(());
    }
    let joined = |node: u32| {
        candidates
            .iter()
            .filter(|&&c| neighbours.are_joined(node, c))
            .count()
    };
    let pivot = candidates
        .iter()
        .chain(&excluded)
        .copied()
        .max_by_key(|&node| joined(node));
    let tried: Vec<u32> = candidates
        .iter()
        .copied()
        .filter(|&node| pivot.is_none_or(|pivot| !neighbours.are_joined(pivot, node)))
        .collect();
    for node in tried {
        clique.push(node);
        let (next, out) = (
            neighbours.common(&candidates, node),
            neighbours.common(&excluded, node),
        );
        extend(neighbours, clique, next, out, found, run)?;
        clique.pop();
        candidates.retain(|&other| other != node);
        excluded.push(node);
    }
    Ok(())
}

/// Labels of a partition into cliques: the largest, then the largest of what is left, and so on;
/// and whether each was proven to be the largest. Clusters are numbered by their lowest node.
pub fn clique_partition(graph: CsrView<'_>, run: &Run) -> Result<(Vec<usize>, bool)> {
    let neighbours = Neighbours::of(graph)?;
    let n = neighbours.0.len();
    let mut owners: Vec<Option<usize>> = vec![None; n];
    let mut steps = MOST_STEPS;
    for round in 0..n {
        let left: Vec<u32> = (0..n as u32)
            .filter(|&node| owners[node as usize].is_none())
            .collect();
        if left.is_empty() {
            break;
        }
        let mut search = Largest {
            neighbours: &neighbours,
            best: Vec::new(),
            steps,
        };
        search.greedy(&left, run)?;
        search.grow(&mut Vec::new(), left, run)?;
        steps = search.steps;
        for node in search.best {
            owners[node as usize] = Some(round);
        }
    }
    let owners: Vec<usize> = owners.into_iter().map(|owner| owner.unwrap_or(0)).collect();
    Ok((numbered_by_first_row(&owners).0, steps > 0))
}

/// The search for one largest clique.
struct Largest<'a> {
    neighbours: &'a Neighbours,
    best: Vec<u32>,
    steps: usize,
}

impl Largest<'_> {
    /// A maximal clique to begin with: from every node in turn the nodes that fit, lowest first.
    fn greedy(&mut self, nodes: &[u32], run: &Run) -> Result<()> {
        let mut seen: Vec<u32> = nodes.to_vec();
        seen.sort_by_key(|&node| std::cmp::Reverse(self.neighbours.0[node as usize].len()));
        for &first in seen.iter().take(8) {
            run.check()?;
            let mut clique = vec![first];
            let mut fitting = self.neighbours.common(nodes, first);
            while let Some(&next) = fitting.first() {
                clique.push(next);
                fitting = self.neighbours.common(&fitting, next);
            }
            if clique.len() > self.best.len() {
                clique.sort_unstable();
                self.best = clique;
            }
        }
        Ok(())
    }

    /// Extends the clique by candidates in all ways that can beat the best. Nodes of one colour
    /// are not joined, so a clique has at most one of each colour (Tomita and Seki).
    fn grow(&mut self, clique: &mut Vec<u32>, candidates: Vec<u32>, run: &Run) -> Result<()> {
        run.check()?;
        let coloured = self.colour(&candidates);
        let mut left: Vec<u32> = coloured.iter().map(|&(node, _)| node).collect();
        for &(node, colour) in coloured.iter().rev() {
            if self.steps == 0 || clique.len() + colour <= self.best.len() {
                return Ok(());
            }
            self.steps -= 1;
            clique.push(node);
            let next = self.neighbours.common(&left, node);
            if next.is_empty() {
                if clique.len() > self.best.len() {
                    self.best = clique.clone();
                    self.best.sort_unstable();
                }
            } else {
                self.grow(clique, next, run)?;
            }
            clique.pop();
            left.retain(|&other| other != node);
        }
        Ok(())
    }

    /// Gives each node the lowest colour that none of its neighbours has; sorted by colour.
    fn colour(&self, nodes: &[u32]) -> Vec<(u32, usize)> {
        let mut classes: Vec<Vec<u32>> = Vec::new();
        for &node in nodes {
            let free = |class: &Vec<u32>| {
                class
                    .iter()
                    .all(|&other| !self.neighbours.are_joined(node, other))
            };
            match classes.iter().position(free) {
                Some(class) => classes[class].push(node),
                None => classes.push(vec![node]),
            }
        }
        let pairs = classes.into_iter().enumerate();
        pairs
            .flat_map(|(class, nodes)| nodes.into_iter().map(move |node| (node, class + 1)))
            .collect()
    }
}
