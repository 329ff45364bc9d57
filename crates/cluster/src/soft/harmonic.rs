//! k-harmonic means: centres that care for all rows.

use super::rule::Rule;
use super::{SoftClusters, plan};
use crate::KMeansInit;
use didact_core::{Accepts, Fit, Result, Run, Samples};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Minimises the harmonic mean of the distances of each row to all centres, which hardly depends on the start.
///
/// The objective is Σᵢ k/Σⱼ‖xᵢ − μⱼ‖^(−p). A row pulls each centre with
/// ‖xᵢ − μⱼ‖^(−p−2)/(Σ‖xᵢ − μ‖^(−p))², so rows that already have a centre nearby pull little and
/// idle centres move to rows that have none. Where the full step would raise the objective it is
/// halved, so it never rises.
///
/// ```
/// use didact_cluster::KHarmonicMeans;
/// use didact_core::Fit;
/// let iris = didact_datasets::iris();
/// let model = KHarmonicMeans::default().fit(iris.samples())?;
/// assert_eq!(model.cluster_centers().nrows(), 3);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KHarmonicMeans {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// The power of the distances.
    #[schemars(range(min = 2.0))]
    pub p: f64,
    /// How the first centres are chosen.
    pub init: KMeansInit,
    /// The first centres themselves, one list per cluster; replaces `init` and `n_init`.
    pub init_centers: Option<Vec<Vec<f64>>>,
    /// How many starts to try; the one with the smallest objective wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Most iterations of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when the centres move by at most this times the spread of the rows.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for KHarmonicMeans {
    fn default() -> Self {
        KHarmonicMeans {
            n_clusters: 3,
            p: 3.5,
            init: KMeansInit::PlusPlus,
            init_centers: None,
            n_init: 1,
            max_iter: 300,
            tol: 1e-6,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for KHarmonicMeans {
    type Model = SoftClusters;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<SoftClusters> {
        plan!(self, Rule::Harmonic { p: self.p }).fit(&data, run)
    }
}
