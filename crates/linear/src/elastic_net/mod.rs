//! Lasso and elastic net: least squares with a price that makes weights exactly zero.
//!
//! One problem, ½‖y − Xw − b‖² + λ₁‖w‖₁ + (λ₂/2)‖w‖², solved by coordinate descent
//! ([`descent`]) on the moments of the columns or on the columns themselves ([`design`]).

mod descent;
mod design;
mod learn;
mod model;
mod path;

pub use model::ElasticNetModel;
pub use path::{ElasticNetPath, elastic_net_path};

use crate::Reduction;
use crate::start::learns_from_start;
use didact_core::Accepts;
use learn::Objective;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fits the hyperplane of least squared error with a price on the absolute weights.
///
/// Minimises ‖y − Xw − b‖²/(2n) + α‖w‖₁. The price makes weights exactly zero, more of them the
/// larger α is; the intercept b carries no price. The fit ends with a certificate: the duality
/// gap, by which the objective exceeds its minimum at most. Errors that are reported never
/// include the price.
///
/// ```
/// use didact_core::Fit;
/// use didact_linear::Lasso;
/// let diabetes = didact_datasets::diabetes();
/// let model = Lasso { alpha: 10.0, ..Lasso::default() }.fit(diabetes.measured()?)?;
/// assert!(model.n_nonzero() < 10);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lasso {
    /// Price of the absolute weights; zero is ordinary least squares.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Whether to fit an intercept.
    pub fit_intercept: bool,
    /// Whether weights must not be negative.
    pub positive: bool,
    /// Whether the price stands beside the sum or beside the mean of the squared errors.
    pub reduction: Reduction,
    /// At most this many sweeps over the weights are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when the duality gap is at most this share of ½‖y − ȳ‖².
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

/// Fits the hyperplane of least squared error with a price on absolute and squared weights.
///
/// Minimises ‖y − Xw − b‖²/(2n) + αρ‖w‖₁ + (α(1 − ρ)/2)‖w‖², where ρ is `l1_ratio`. The absolute
/// part makes weights exactly zero, the squared part shares a weight between columns that are
/// alike; the intercept b carries no price.
///
/// ```
/// use didact_core::Fit;
/// use didact_linear::ElasticNet;
/// let diabetes = didact_datasets::diabetes();
/// let model = ElasticNet { alpha: 1.0, ..ElasticNet::default() }.fit(diabetes.measured()?)?;
/// assert!(model.dual_gap().unwrap()[0] < 1e-3);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElasticNet {
    /// Price of the weights; zero is ordinary least squares.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// The share ρ of the price that is on absolute weights: one is the lasso, zero is ridge.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub l1_ratio: f64,
    /// Whether to fit an intercept.
    pub fit_intercept: bool,
    /// Whether weights must not be negative.
    pub positive: bool,
    /// Whether the price stands beside the sum or beside the mean of the squared errors.
    pub reduction: Reduction,
    /// At most this many sweeps over the weights are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when the duality gap is at most this share of ½‖y − ȳ‖².
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

impl Default for Lasso {
    fn default() -> Self {
        ElasticNet::default().into()
    }
}

impl Default for ElasticNet {
    fn default() -> Self {
        ElasticNet {
            alpha: 1.0,
            l1_ratio: 0.5,
            fit_intercept: true,
            positive: false,
            reduction: Reduction::Mean,
            max_iter: 10_000,
            tol: 1e-10,
        }
    }
}

impl From<ElasticNet> for Lasso {
    fn from(net: ElasticNet) -> Self {
        Lasso {
            alpha: net.alpha,
            fit_intercept: net.fit_intercept,
            positive: net.positive,
            reduction: net.reduction,
            max_iter: net.max_iter,
            tol: net.tol,
        }
    }
}

impl From<&Lasso> for ElasticNet {
    fn from(lasso: &Lasso) -> Self {
        ElasticNet {
            alpha: lasso.alpha,
            l1_ratio: 1.0,
            fit_intercept: lasso.fit_intercept,
            positive: lasso.positive,
            reduction: lasso.reduction,
            max_iter: lasso.max_iter,
            tol: lasso.tol,
        }
    }
}

const ACCEPTED: Accepts = Accepts::SPARSE
    .union(Accepts::WEIGHTS)
    .union(Accepts::MULTI_OUTPUT);

learns_from_start!(
    Lasso,
    Measured => ElasticNetModel,
    ACCEPTED,
    |lasso: &Lasso, start, data, run| Objective::new(&lasso.into()).fit(start, data, run)
);

learns_from_start!(
    ElasticNet,
    Measured => ElasticNetModel,
    ACCEPTED,
    |net, start, data, run| Objective::new(net).fit(start, data, run)
);
