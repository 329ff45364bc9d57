//! Fuzzy c-means: k-means with memberships.

use super::rule::Rule;
use super::{SoftClusters, plan};
use crate::KMeansInit;
use didact_core::{Accepts, Fit, Result, Run, Samples};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gives every row a membership in every cluster, by the distances to the centres.
///
/// Minimises Σᵢₖ uᵢₖᵐ‖xᵢ − μₖ‖² over memberships that sum to one per row: uᵢₖ ∝ ‖xᵢ − μₖ‖^(−2/(m−1)),
/// μₖ = Σuᵐx/Σuᵐ. The objective never rises. The closer `m` is to 1, the harder the memberships;
/// as it grows they approach 1/k everywhere.
///
/// ```
/// use didact_cluster::FuzzyCMeans;
/// use didact_core::{Fit, Probabilities};
/// let iris = didact_datasets::iris();
/// let model = FuzzyCMeans::default().fit(iris.samples())?;
/// let memberships = model.predict_proba(iris.samples())?;
/// assert!((memberships.row(0).sum() - 1.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FuzzyCMeans {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// The exponent of the memberships.
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub m: f64,
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

impl Default for FuzzyCMeans {
    fn default() -> Self {
        FuzzyCMeans {
            n_clusters: 3,
            m: 2.0,
            init: KMeansInit::PlusPlus,
            init_centers: None,
            n_init: 1,
            max_iter: 300,
            tol: 1e-6,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for FuzzyCMeans {
    type Model = SoftClusters;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<SoftClusters> {
        plan!(self, Rule::Fuzzy { m: self.m }).fit(&data, run)
    }
}
