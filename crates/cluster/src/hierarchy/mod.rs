//! Trees of merges, and the ways to grow them.
//!
//! A [`Dendrogram`] holds what was merged at which height; cutting it gives flat clusters. Which
//! algorithm grows it follows from the [`Linkage`]: a minimum spanning tree for single linkage
//! (`spanning`), chains of nearest neighbours where merging never brings clusters nearer
//! (`chain`), nearest-neighbour lists where it may (`lists`), and a queue of edges where only
//! neighbours in a graph may merge (`constrained`).

mod centers;
mod chain;
mod condensed;
mod constrained;
mod cuts;
mod dendrogram;
mod grow;
mod inconsistency;
mod linkage;
mod lists;
mod spanning;

pub(crate) use condensed::check_pairs_fit;
pub(crate) use cuts::numbered_by_first_row;
pub use dendrogram::{Dendrogram, Merge};
pub use linkage::Linkage;

/// Two clusters that merge, each named by one of its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Join {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) height: f64,
}

impl From<(usize, usize, f64)> for Join {
    fn from((a, b, height): (usize, usize, f64)) -> Self {
        Join { a, b, height }
    }
}

/// How far apart clusters are, while they merge. A cluster is named by its slot, one of its rows.
pub(crate) trait Proximity {
    /// The distance of two slots, or a number that orders pairs like it.
    fn between(&self, a: usize, b: usize) -> f64;

    /// The slot among `candidates`, all that are left from some slot on, that is nearest to `of`
    /// and is not `of` itself; the lowest where several are.
    fn nearest(&self, of: usize, candidates: &[usize]) -> Option<(usize, f64)>;

    /// Lets slot `b` take in slot `a`; `others` are the slots that stay, whether with `b` or
    /// without.
    fn merge(&mut self, a: usize, b: usize, others: &[usize]);

    /// The height at which slots of this distance merge.
    fn height(&self, distance: f64) -> f64;
}

/// Takes a slot out of an increasing list of slots.
pub(crate) fn remove_slot(active: &mut Vec<usize>, slot: usize) {
    if let Ok(place) = active.binary_search(&slot) {
        active.remove(place);
    }
}
