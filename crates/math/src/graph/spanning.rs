//! Minimum spanning trees from distances that are computed when they are needed.

use didact_core::{Error, Result, Run, parallel};

/// Nodes of which one thread looks at a time.
const CHUNK: usize = 8192;

/// A node that is not in the tree yet, and the nearest node that is.
#[derive(Clone, Copy)]
struct Outside {
    node: usize,
    anchor: usize,
    distance: f64,
}

/// The n − 1 edges (a, b, distance) of a minimum spanning tree of n nodes, grown from the first by
/// Prim's rule: always the nearest node outside, the lowest where several are. Takes quadratic
/// time and linear memory.
///
/// ```
/// use didact_core::Run;
/// use didact_math::graph::minimum_spanning_tree;
/// let places = [0.0_f64, 7.0, 1.0, 3.0];
/// let edges = minimum_spanning_tree(4, |a, b| (places[a] - places[b]).abs(), &Run::new())?;
/// assert_eq!(edges, [(0, 2, 1.0), (2, 3, 2.0), (3, 1, 4.0)]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn minimum_spanning_tree(
    n: usize,
    between: impl Fn(usize, usize) -> f64 + Sync + Send,
    run: &Run,
) -> Result<Vec<(usize, usize, f64)>> {
    let mut outside: Vec<Outside> = (1..n)
        .map(|node| Outside {
            node,
            anchor: 0,
            distance: f64::INFINITY,
        })
        .collect();
    let mut edges = Vec::with_capacity(n.saturating_sub(1));
    let mut newest = 0;
    while !outside.is_empty() {
        parallel::fill(&mut outside, 1, CHUNK, run, |_, piece| {
            for other in piece {
                let distance = between(newest, other.node);
                if distance < other.distance {
                    (other.anchor, other.distance) = (newest, distance);
                }
            }
            Ok(())
        })?;
        let nearer = |a: &Outside, b: &Outside| {
            let by_distance = a.distance.total_cmp(&b.distance);
            by_distance.then(a.node.cmp(&b.node))
        };
        let place = (0..outside.len()).min_by(|&a, &b| nearer(&outside[a], &outside[b]));
        let nearest = outside.swap_remove(place.expect("a node is outside"));
        if !nearest.distance.is_finite() {
            return Err(Error::numerical(
                "the distance of two rows is too large for a number; scale the columns down"
                    .to_owned(),
            ));
        }
        newest = nearest.node;
        edges.push((nearest.anchor, nearest.node, nearest.distance));
    }
    Ok(edges)
}
