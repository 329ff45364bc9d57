//! Kernel support vector regression with a tube of given height.

use super::machine::{Demand, Request, learn};
use super::model::SvrModel;
use crate::reduction::CostReduction;
use crate::setup::setup_of;
use didact_core::{Accepts, Fit, Measured, Result, Run};
use didact_math::kernel::{Gamma, KernelChoice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Follows targets with a curve and a tube about it in which they cost nothing.
///
/// Minimises ½‖w‖² + C·Σ max(0, |y − f(x)| − ε) of f(x) = w·φ(x) + b, where the kernel k(x, z) is the
/// product φ(x)·φ(z) in some space of features. The dual is
/// max Σ y(α⁺ − α⁻) − ε·Σ(α⁺ + α⁻) − ½ΣΣ(αᵢ⁺ − αᵢ⁻)(αⱼ⁺ − αⱼ⁻)k(xᵢ, xⱼ) where 0 ≤ α ≤ C and the
/// differences sum to zero; then f(x) = Σ(α⁺ − α⁻)·k(xᵢ, x) + b over the rows on the edge of the tube
/// and outside. The intercept b carries no price; it follows from the rows on either edge.
///
/// With a hard tube no target may be outside, whatever C is; where that is impossible the fit fails.
///
/// ```
/// use didact_core::{Fit, Measured, Regress};
/// use didact_svm::Svr;
/// let x = ndarray::Array2::from_shape_fn((60, 1), |(i, _)| i as f64 / 10.0);
/// let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
/// let model = Svr { c: 100.0, epsilon: 0.01, ..Default::default() }.fit(Measured::new(&x, &y)?)?;
/// let curve = model.predict(&x)?;
/// assert!(curve.iter().zip(&y).all(|(f, y)| (f - y).abs() < 0.02));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "SVR")]
pub struct Svr {
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// The search ends when no two rows contradict each other by more than this.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// How much the targets outside the tube cost in comparison with a steep curve.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// How far a target may be away at no cost: half the height of the tube.
    #[schemars(range(min = 0.0))]
    pub epsilon: f64,
    /// Whether rows that will not change are set aside during the search.
    pub shrinking: bool,
    /// How many megabytes the kernel of pairs of rows may take.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cache_size: f64,
    /// At most this many steps are made, each of which changes two multipliers; a thousand for each
    /// row, and a hundred thousand at least, where absent.
    #[schemars(range(min = 1))]
    pub max_iter: Option<usize>,
    /// Whether targets may be outside the tube.
    pub tube: Tube,
    /// How the costs of the rows are put together.
    pub reduction: CostReduction,
}

/// Whether targets may be outside the tube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tube {
    /// They may, at the price C.
    #[default]
    Soft,
    /// They may not; C and the weights of rows have no part.
    Hard,
}

impl Default for Svr {
    fn default() -> Self {
        Svr {
            kernel: KernelChoice::default(),
            degree: 3,
            gamma: Gamma::Scale,
            coef0: 0.0,
            tol: 1e-3,
            c: 1.0,
            epsilon: 0.1,
            shrinking: true,
            cache_size: 200.0,
            max_iter: None,
            tube: Tube::Soft,
            reduction: CostReduction::Sum,
        }
    }
}

impl Fit<Measured<'_>> for Svr {
    type Model = SvrModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<SvrModel> {
        let request = Request {
            setup: setup_of!(self),
            demand: match self.tube {
                Tube::Soft => Demand::Soft(self.epsilon),
                Tube::Hard => Demand::Hard(self.epsilon),
            },
            c: self.c,
            reduction: self.reduction,
        };
        learn(&request, data, run)
    }
}
