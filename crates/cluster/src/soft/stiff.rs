//! Soft k-means: shares that fall off exponentially with the distance.

use super::rule::Rule;
use super::{SoftClusters, plan};
use crate::KMeansInit;
use didact_core::{Accepts, Fit, Result, Run, Samples};
use didact_math::linalg::{Moments, symmetric_eigenvalues};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shares every row among the clusters by exp(−β·distance), where β is the stiffness.
///
/// Responsibilities rₖ = exp(−β·d(x, μₖ))/Σⱼexp(−β·d(x, μⱼ)), centres μₖ = Σr·x/Σr; 1/√β is the
/// width of a cluster. With squared distances −1/β·Σ ln Σexp(−βd) never rises. A very stiff β gives
/// k-means. Below the critical stiffness, 1/λ for half the squared distance where λ is the
/// greatest variance of the rows in any direction, all centres meet in the mean; above it they
/// come apart.
///
/// ```
/// use didact_cluster::SoftKMeans;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[-1.0], [1.0]];
/// let model = SoftKMeans { n_clusters: 2, stiffness: 2.0, ..SoftKMeans::default() }.fit(Samples::from(&x))?;
/// // The centres are ±m with m = tanh(2m).
/// let m = model.cluster_centers()[[0, 0]].abs();
/// assert!((m - 0.957504).abs() < 1e-5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SoftKMeans {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// The stiffness β: how fast shares fall with the distance.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// The distance d that β multiplies.
    pub distance: SoftDistance,
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

impl Default for SoftKMeans {
    fn default() -> Self {
        SoftKMeans {
            n_clusters: 3,
            stiffness: 1.0,
            distance: SoftDistance::HalfSquared,
            init: KMeansInit::PlusPlus,
            init_centers: None,
            n_init: 1,
            max_iter: 300,
            tol: 1e-6,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for SoftKMeans {
    type Model = SoftClusters;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<SoftClusters> {
        let stiffness = self.critical_stiffness(&data, run)?;
        let found = plan!(self, self.rule()).fit(&data, run)?;
        Ok(found.with_critical_stiffness(stiffness))
    }
}

/// The distance inside the responsibilities of soft k-means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SoftDistance {
    /// ½‖x − μ‖², as in the exponent of a Gaussian.
    #[default]
    HalfSquared,
    /// ‖x − μ‖².
    Squared,
    /// ‖x − μ‖; the mean does not minimise it, so nothing guarantees that the objective falls.
    Euclidean,
}

/// More columns than this have no critical stiffness: the eigenvalues would cost more than the fit.
const MOST_COLUMNS: usize = 300;

impl SoftKMeans {
    fn rule(&self) -> Rule {
        let (factor, power) = match self.distance {
            SoftDistance::HalfSquared => (0.5, 1.0),
            SoftDistance::Squared => (1.0, 1.0),
            SoftDistance::Euclidean => (1.0, 0.5),
        };
        Rule::Soft {
            beta: self.stiffness,
            factor,
            power,
        }
    }

    /// The stiffness at which the common centre stops being stable, where it is known.
    fn critical_stiffness(&self, data: &Samples<'_>, run: &Run) -> Result<Option<f64>> {
        let scale = match self.distance {
            SoftDistance::HalfSquared => 1.0,
            SoftDistance::Squared => 2.0,
            SoftDistance::Euclidean => return Ok(None),
        };
        if data.n_columns() > MOST_COLUMNS {
            return Ok(None);
        }
        let moments = Moments::summarise(data.rows(), data.weights(), run)?;
        let covariance = moments.scatter / moments.weight;
        if covariance.iter().any(|value| !value.is_finite()) {
            return Ok(None);
        }
        let values = symmetric_eigenvalues(covariance.view())?;
        let greatest = values.iter().copied().fold(0.0, f64::max);
        Ok((greatest > 0.0).then(|| 1.0 / (scale * greatest)))
    }
}
