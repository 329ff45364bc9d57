//! Densities by windows around the rows, and classes by comparing them.

mod bandwidth;
mod classifier;
mod estimate;
mod frame;
mod model;
#[cfg(test)]
mod tests;
mod tree;
mod window;

pub use bandwidth::Bandwidth;
pub use classifier::{ParzenClassifier, ParzenClassifierModel};
pub use estimate::DensitySearch;
pub use frame::BandwidthUnit;
pub use model::KernelDensityModel;
pub use window::DensityKernel;

use crate::norm::Norm;
use bandwidth::Search;
use didact_core::{Accepts, Error, Fit, Result, Run, Samples};
use estimate::{Estimate, Shape};
use frame::Frame;
use model::Windows;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Estimates a density by a window around every row.
///
/// p(x) = 1/(n·c·hᵈ)·Σᵢ K(‖x−xᵢ‖/h) with the bandwidth h and the integral c of the window K, so that
/// p integrates to one; rows of weight two count twice. With the kernel `hypercube` it is Parzen's
/// count of the rows in a cube of edge h about x, p = (k/n)/hᵈ. Windows that end somewhere leave
/// regions of density zero, whose log-density is −∞.
///
/// The likelihood of the rows themselves grows without bound as h falls, so it cannot choose h. The
/// bandwidths `leave-one-out` and `held-out` try several and take the one under which rows that the
/// windows have not seen are most likely. With `bandwidth_unit` covariance and the rules `scott` or
/// `silverman` windows are scaled and turned like the rows.
///
/// Far rows are counted box by box in a tree, with a relative error of at most `rtol` or an absolute
/// one of at most `atol` in the density; zero for both means exact up to rounding.
///
/// ```
/// use didact_core::{Fit, LogDensity, Samples};
/// use didact_neighbors::{DensityKernel, KernelDensity};
/// let x = ndarray::array![[0.0], [0.4], [3.0]];
/// let parameters = KernelDensity { kernel: DensityKernel::Hypercube, ..KernelDensity::default() };
/// let model = parameters.fit(Samples::from(&x))?;
/// // Two of three rows are within ½ of 0.2.
/// let density = model.score_samples(&ndarray::array![[0.2]])?[0].exp();
/// assert!((density - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KernelDensity {
    /// The width h of the windows, or how it is chosen.
    pub bandwidth: Bandwidth,
    /// The shape of the windows.
    pub kernel: DensityKernel,
    /// How distance is measured.
    pub metric: Norm,
    /// In which units the bandwidth is meant.
    pub bandwidth_unit: BandwidthUnit,
    /// The bandwidths that are tried; thirty about Scott's rule where absent.
    pub bandwidths: Option<Vec<f64>>,
    /// The share of the rows that is put aside to choose the bandwidth `held-out`.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub validation_fraction: f64,
    /// Seed of the rows that are put aside.
    pub random_state: u64,
    /// How the windows around a point are found.
    pub algorithm: DensitySearch,
    /// How many rows a leaf of the tree holds at most.
    #[schemars(range(min = 1))]
    pub leaf_size: usize,
    /// Error of a density that is tolerated, relative to it.
    #[schemars(range(min = 0))]
    pub rtol: f64,
    /// Error of a density that is tolerated.
    #[schemars(range(min = 0))]
    pub atol: f64,
}

impl Default for KernelDensity {
    fn default() -> Self {
        KernelDensity {
            bandwidth: Bandwidth::default(),
            kernel: DensityKernel::default(),
            metric: Norm::Euclidean,
            bandwidth_unit: BandwidthUnit::default(),
            bandwidths: None,
            validation_fraction: 0.2,
            random_state: 0,
            algorithm: DensitySearch::default(),
            leaf_size: 40,
            rtol: 0.0,
            atol: 0.0,
        }
    }
}

impl Fit<Samples<'_>> for KernelDensity {
    type Model = KernelDensityModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<KernelDensityModel> {
        Ok(KernelDensityModel {
            windows: self.windows(&data.counting(), run)?,
            n_samples: data.n_rows(),
        })
    }
}

impl KernelDensity {
    /// The windows around rows of positive weight, as wide as these say.
    pub(crate) fn windows(&self, data: &Samples<'_>, run: &Run) -> Result<Windows> {
        if data.n_rows() == 0 {
            return Err(Error::data(
                "all rows have the weight 0; give some of them a positive weight",
            ));
        }
        let shape = Shape {
            kernel: self.kernel,
            norm: self.metric,
            algorithm: self.algorithm,
            leaf_size: self.leaf_size,
            rtol: self.rtol,
            atol: self.atol,
        };
        let frame = Frame::new(self.bandwidth_unit, data, run)?;
        let rows = match &frame {
            Some(frame) => frame.inward(data.dense()?),
            None => data.dense()?.to_owned(),
        };
        let weights = (0..data.n_rows()).map(|row| data.weight(row)).collect();
        let estimate = Estimate::new(shape, 1.0, rows, weights, run)?;
        let search = Search {
            bandwidth: self.bandwidth,
            candidates: self.bandwidths.as_deref(),
            validation_fraction: self.validation_fraction,
            random_state: self.random_state,
        };
        let (bandwidth, trials) = search.choose(&estimate, run)?;
        Ok(Windows {
            estimate: estimate.with_bandwidth(bandwidth),
            frame,
            trials,
        })
    }
}
