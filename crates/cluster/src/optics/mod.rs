//! OPTICS: rows in the order in which density reaches them.

mod model;
mod ordering;
mod row_count;
mod xi;

pub use model::OpticsModel;
pub use row_count::RowCount;

use didact_core::{Accepts, Fit, Result, Run, Samples};
use didact_math::distance::Metric;
use ordering::Ordering;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Puts the rows in the order in which density reaches them; clusters are valleys of that curve.
///
/// The core distance of a row is the distance to its `min_samples`-th nearest row, itself counted.
/// The next row is always the one most easily reached from those before, where reaching b from a
/// core row a costs max(core distance of a, distance). The plot of these reachabilities shows the
/// clusters of all densities as valleys; they are cut out between steep slopes (`xi`), or at one
/// height, which is DBSCAN with that radius but for rows at the border. With a limit `max_eps` only
/// neighbours within it are searched; without one it takes time quadratic in the rows, and always
/// linear memory.
///
/// The method says nothing about new rows: `predict` gives a row the cluster of the nearest row
/// that the model was fitted on.
///
/// ```
/// use didact_cluster::Optics;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [2.0, 5.0], [3.0, 6.0], [8.0, 7.0], [8.0, 8.0], [7.0, 3.0]];
/// let model = Optics { min_samples: 2.into(), ..Optics::default() }.fit(Samples::from(&x))?;
/// assert_eq!(model.labels(), [Some(0), Some(0), Some(0), Some(1), Some(1), Some(1)]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "OPTICS")]
pub struct Optics {
    /// Which nearest row, itself counted, tells how dense it is around a row.
    pub min_samples: RowCount,
    /// Rows farther apart than this do not reach each other; null is no limit.
    #[schemars(range(min = 0.0))]
    pub max_eps: Option<f64>,
    /// How far apart two rows are.
    pub metric: Metric,
    /// How clusters are cut out of the curve.
    pub cluster_method: OpticsMethod,
    /// The radius of the `dbscan` cut; null is `max_eps`.
    #[schemars(range(min = 0.0))]
    pub eps: Option<f64>,
    /// A slope is steep where the reachability changes by this share from one row to the next.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1))]
    pub xi: f64,
    /// Fewer rows than this are no cluster of the `xi` method; null is `min_samples`.
    pub min_cluster_size: Option<RowCount>,
}

/// How OPTICS cuts clusters out of the reachabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpticsMethod {
    /// Valleys between steep slopes.
    #[default]
    Xi,
    /// Everything below one height.
    Dbscan,
}

impl Default for Optics {
    fn default() -> Self {
        Optics {
            min_samples: RowCount::Count(5),
            max_eps: None,
            metric: Metric::Euclidean,
            cluster_method: OpticsMethod::Xi,
            eps: None,
            xi: 0.05,
            min_cluster_size: None,
        }
    }
}

impl Fit<Samples<'_>> for Optics {
    type Model = OpticsModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<OpticsModel> {
        let max_eps = self.max_eps.unwrap_or(f64::INFINITY);
        let min_samples = self.min_samples.of(data.n_rows());
        let found = Ordering::of(data.rows(), self.metric, min_samples, max_eps, run)?;
        let labels = match self.cluster_method {
            OpticsMethod::Dbscan => found.cut(self.eps.unwrap_or(max_eps)),
            OpticsMethod::Xi => {
                let size = self.min_cluster_size.unwrap_or(self.min_samples);
                xi::labels(&found, self.xi, min_samples, size.of(data.n_rows()))
            }
        };
        OpticsModel::new(&data, self.metric, found, labels, run)
    }
}
