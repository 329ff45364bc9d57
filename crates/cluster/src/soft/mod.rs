//! Methods that give every row a share in every cluster.
//!
//! All three alternate like k-means does: distances give the shares (`rule`), the shares give new
//! centres (`alternate`). They differ in one formula only.

mod alternate;
mod fuzzy;
mod harmonic;
mod model;
mod rule;
mod stiff;

pub use fuzzy::FuzzyCMeans;
pub use harmonic::KHarmonicMeans;
pub use model::SoftClusters;
pub use stiff::{SoftDistance, SoftKMeans};

use crate::k_means::{KMeans, KMeansInit};
use alternate::Outcome;
use didact_core::{Result, Run, Samples};
use rule::Rule;

/// What the three methods have in common.
struct Plan<'a> {
    rule: Rule,
    n_clusters: usize,
    init: KMeansInit,
    init_centers: Option<&'a Vec<Vec<f64>>>,
    n_init: usize,
    max_iter: usize,
    tol: f64,
    random_state: u64,
}

/// The plan of a method, whose parameters have the same names in all three.
macro_rules! plan {
    ($method:expr, $rule:expr) => {
        $crate::soft::Plan {
            rule: $rule,
            n_clusters: $method.n_clusters,
            init: $method.init,
            init_centers: $method.init_centers.as_ref(),
            n_init: $method.n_init,
            max_iter: $method.max_iter,
            tol: $method.tol,
            random_state: $method.random_state,
        }
    };
}
use plan;

impl Plan<'_> {
    /// Improves every start and keeps the one with the lowest objective.
    fn fit(&self, data: &Samples<'_>, run: &Run) -> Result<SoftClusters> {
        let starts = KMeans {
            n_clusters: self.n_clusters,
            init: self.init,
            init_centers: self.init_centers.cloned(),
            n_init: self.n_init,
            random_state: self.random_state,
            ..KMeans::default()
        };
        let mut best: Option<Outcome> = None;
        for centers in starts.first_centers(data, run)? {
            let found = alternate::improve(self, data, centers, run)?;
            if best
                .as_ref()
                .is_none_or(|best| found.objective < best.objective)
            {
                best = Some(found);
            }
        }
        let best = best.expect("there is at least one start");
        SoftClusters::new(self.rule, best, data, run)
    }
}
