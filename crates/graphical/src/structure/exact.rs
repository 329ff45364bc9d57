//! The best of all graphs, by dynamic programming over sets of nodes.

use super::FamilyScores;
use didact_core::{Error, Result, Run, parallel};

/// Most nodes: time and memory double with each.
const MOST_NODES: usize = 15;

/// The best parents of one child among every set of nodes.
struct BestParents {
    /// The highest score of a family whose parents lie in the set, by the mask of the set.
    scores: Vec<f64>,
    /// The mask of those parents.
    parents: Vec<u32>,
}

/// The graph of the highest score of all, given by the parents of each node; for at most fifteen
/// nodes.
///
/// Every acyclic graph has a node without children, so the best graph of a set of nodes is the
/// best graph without some last node, and that node with its best parents among the others:
/// 2ᵈ sets instead of a number of graphs that grows faster than 2^(d²/2). Sets of parents that cost
/// more than any likelihood could gain are not counted.
pub fn best_graph(
    scores: &FamilyScores<'_>,
    max_parents: Option<usize>,
    run: &Run,
) -> Result<Vec<Vec<usize>>> {
    let nodes = scores.n_nodes();
    if nodes > MOST_NODES {
        return Err(Error::parameter(
            "structure",
            "exhaustive",
            format!(
                "there are {nodes} columns, the class included, but the best of all graphs can be \
                 found for at most {MOST_NODES}; use hill-climb"
            ),
        ));
    }
    let children: Vec<usize> = (0..nodes).collect();
    let limit = max_parents.unwrap_or(nodes);
    let best = parallel::map(&children, run, |&child| {
        best_parents(scores, child, limit, run)
    })?;
    let last = best_last_nodes(&best);
    let mut parents = vec![Vec::new(); nodes];
    let mut left = (1_usize << nodes) - 1;
    while left != 0 {
        let node = last[left] as usize;
        left &= !(1 << node);
        parents[node] = members(best[node].parents[left] as usize);
    }
    Ok(parents)
}

fn best_parents(
    scores: &FamilyScores<'_>,
    child: usize,
    limit: usize,
    run: &Run,
) -> Result<BestParents> {
    let sets = 1_usize << scores.n_nodes();
    let mut best = BestParents {
        scores: vec![f64::NEG_INFINITY; sets],
        parents: vec![0; sets],
    };
    // Smaller sets have smaller masks, so the best within each subset is known already.
    for set in (0..sets).filter(|set| set & 1 << child == 0) {
        if set % 64 == 0 {
            run.check()?;
        }
        let nodes = members(set);
        let (mut highest, mut chosen) = (f64::NEG_INFINITY, 0);
        for without in nodes.iter().map(|node| set & !(1 << node)) {
            if best.scores[without] > highest {
                (highest, chosen) = (best.scores[without], best.parents[without]);
            }
        }
        if nodes.len() <= limit {
            let whole = scores.family_above(child, &nodes, highest, run)?;
            if whole > highest {
                (highest, chosen) = (whole, set as u32);
            }
        }
        best.scores[set] = highest;
        best.parents[set] = chosen;
    }
    Ok(best)
}

/// For every set of nodes which one is last in its best graph.
fn best_last_nodes(best: &[BestParents]) -> Vec<u8> {
    let sets = 1_usize << best.len();
    let mut totals = vec![f64::NEG_INFINITY; sets];
    totals[0] = 0.0;
    let mut last = vec![0; sets];
    for set in 1..sets {
        last[set] = set.trailing_zeros() as u8;
        for node in members(set) {
            let others = set & !(1 << node);
            let total = totals[others] + best[node].scores[others];
            if total > totals[set] {
                totals[set] = total;
                last[set] = node as u8;
            }
        }
    }
    last
}

fn members(set: usize) -> Vec<usize> {
    (0..MOST_NODES)
        .filter(|node| set & 1 << node != 0)
        .collect()
}
