//! All graphs of a few nodes, ranked by their score.

use super::FamilyScores;
use didact_core::{Error, Result, Run};

/// Most nodes whose graphs are all looked at: there are 3, 25, 543 and 29 281 graphs of two to
/// five nodes, but 3 781 503 of six.
const MOST_NODES: usize = 5;

/// A graph and its score.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedGraph {
    /// The parents of each node in ascending order.
    pub parents: Vec<Vec<usize>>,
    /// The BIC score, larger is better.
    pub score: f64,
}

/// Every directed acyclic graph within the limit of parents, the best first; for at most five
/// nodes.
pub fn ranked_graphs(
    scores: &FamilyScores<'_>,
    max_parents: Option<usize>,
    run: &Run,
) -> Result<Vec<RankedGraph>> {
    let nodes = scores.n_nodes();
    if nodes > MOST_NODES {
        return Err(Error::data(format!(
            "there are {nodes} columns, but all graphs can be ranked for at most {MOST_NODES}; \
             ask for the best graph alone"
        )));
    }
    let families = (0..nodes).map(|child| families(scores, child, max_parents, run));
    let families: Vec<Vec<(u8, f64)>> = families.collect::<Result<_>>()?;
    let mut graphs = Vec::new();
    let mut masks = vec![0; nodes];
    let apart: Vec<u8> = (0..nodes).map(|node| 1 << node).collect();
    grow(&families, &mut masks, 0, &apart, 0.0, &mut graphs);
    let mut ranked: Vec<RankedGraph> = graphs
        .into_iter()
        .map(|(masks, score)| RankedGraph {
            parents: masks.iter().map(|&mask| members(mask)).collect(),
            score,
        })
        .collect();
    ranked.sort_by(|left, right| right.score.total_cmp(&left.score));
    Ok(ranked)
}

/// The sets of parents that a child may have, as masks, and their scores.
fn families(
    scores: &FamilyScores<'_>,
    child: usize,
    max_parents: Option<usize>,
    run: &Run,
) -> Result<Vec<(u8, f64)>> {
    let mut families = Vec::new();
    for mask in 0..1_u8 << scores.n_nodes() {
        let size = mask.count_ones() as usize;
        if mask & 1 << child == 0 && max_parents.is_none_or(|most| size <= most) {
            run.check()?;
            let score = scores.family_above(child, &members(mask), f64::NEG_INFINITY, run)?;
            families.push((mask, score));
        }
    }
    Ok(families)
}

fn members(mask: u8) -> Vec<usize> {
    (0..8).filter(|node| mask & 1 << node != 0).collect()
}

/// Gives node after node each set of parents that makes no cycle with those before. `reach` has
/// for each node the mask of the nodes that its arrows lead to, itself included.
fn grow(
    families: &[Vec<(u8, f64)>],
    masks: &mut Vec<u8>,
    node: usize,
    reach: &[u8],
    score: f64,
    graphs: &mut Vec<(Vec<u8>, f64)>,
) {
    if node == families.len() {
        graphs.push((masks.clone(), score));
        return;
    }
    for &(mask, family) in &families[node] {
        if reach[node] & mask != 0 {
            continue;
        }
        masks[node] = mask;
        let extended: Vec<u8> = (reach.iter())
            .map(|&from| {
                if from & mask != 0 {
                    from | reach[node]
                } else {
                    from
                }
            })
            .collect();
        grow(families, masks, node + 1, &extended, score + family, graphs);
    }
}
