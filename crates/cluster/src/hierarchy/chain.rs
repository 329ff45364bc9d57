//! Chains of nearest neighbours.

use super::{Join, Proximity, remove_slot};
use didact_core::{Result, Run};

/// Merges all clusters by following each one's nearest until two are nearest to each other.
///
/// Where a merged cluster is never nearer to another than its nearer part was, such a pair merges
/// sooner or later anyway; so the tree is that of always merging the nearest pair, found in
/// quadratic instead of cubic time. The merges come in no order.
pub(super) fn join_all(proximity: &mut impl Proximity, n: usize, run: &Run) -> Result<Vec<Join>> {
    let mut active: Vec<usize> = (0..n).collect();
    let mut joins = Vec::with_capacity(n.saturating_sub(1));
    // Each cluster of the chain with its distance to the one before.
    let mut chain: Vec<(usize, f64)> = Vec::new();
    while active.len() > 1 {
        run.check()?;
        if chain.is_empty() {
            chain.push((active[0], f64::INFINITY));
        }
        let (last, to_before) = chain[chain.len() - 1];
        let found = proximity.nearest(last, &active);
        let (next, distance) = found.expect("another cluster is left");
        // Of equally near ones the one that the chain came from, so that chains end.
        if to_before > distance {
            chain.push((next, distance));
            continue;
        }
        let before = chain[chain.len() - 2].0;
        chain.truncate(chain.len() - 2);
        // The lower slot stays: distances of low slots are stored side by side, and large clusters
        // are asked for again and again.
        let (a, b) = (last.max(before), last.min(before));
        joins.push(Join {
            a,
            b,
            height: proximity.height(to_before),
        });
        remove_slot(&mut active, a);
        proximity.merge(a, b, &active);
    }
    Ok(joins)
}
