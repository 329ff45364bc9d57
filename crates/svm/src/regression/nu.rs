//! Kernel support vector regression with a share of targets outside the tube.

use super::machine::{Demand, Request, learn};
use super::model::SvrModel;
use crate::reduction::CostReduction;
use crate::setup::setup_of;
use didact_core::{Accepts, Fit, Measured, Result, Run};
use didact_math::kernel::{Gamma, KernelChoice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Follows targets with a curve and a tube about it that a given share of them may miss.
///
/// Minimises ½‖w‖² + C·Σ(νε + max(0, |y − f(x)| − ε)) over w, b and ε ≥ 0: ν takes the place of ε, and C
/// stays. At most the share ν of the targets is outside the tube, and at least that share are on its
/// edge or outside. With a ν of one or more the tube vanishes; all these are the same machine.
///
/// ```
/// use didact_core::{Fit, Measured};
/// use didact_svm::NuSvr;
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
/// let y: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
/// let model = NuSvr { nu: 0.3, ..Default::default() }.fit(Measured::new(&x, &y)?)?;
/// // The targets lie ½ above and below any flat curve between them.
/// assert!((model.epsilon() - 0.5).abs() < 0.05);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "NuSVR")]
pub struct NuSvr {
    /// The share of targets that may be outside the tube; more than one is as one.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub nu: f64,
    /// How much the targets outside the tube cost in comparison with a steep curve.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// Whether rows that will not change are set aside during the search.
    pub shrinking: bool,
    /// The search ends when no two rows contradict each other by more than this.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// How many megabytes the kernel of pairs of rows may take.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cache_size: f64,
    /// At most this many steps are made, each of which changes two multipliers; a thousand for each
    /// row, and a hundred thousand at least, where absent.
    #[schemars(range(min = 1))]
    pub max_iter: Option<usize>,
    /// How the costs of the rows are put together.
    pub reduction: CostReduction,
}

impl Default for NuSvr {
    fn default() -> Self {
        NuSvr {
            nu: 0.5,
            c: 1.0,
            kernel: KernelChoice::default(),
            degree: 3,
            gamma: Gamma::Scale,
            coef0: 0.0,
            shrinking: true,
            tol: 1e-3,
            cache_size: 200.0,
            max_iter: None,
            reduction: CostReduction::Sum,
        }
    }
}

impl Fit<Measured<'_>> for NuSvr {
    type Model = SvrModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<SvrModel> {
        let request = Request {
            setup: setup_of!(self),
            demand: Demand::Share(self.nu),
            c: self.c,
            reduction: self.reduction,
        };
        learn(&request, data, run)
    }
}
