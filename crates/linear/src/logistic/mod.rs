//! Logistic regression for two classes and softmax regression for more.
//!
//! One evaluation of the objective is a pass over the rows ([`evaluation`]); the search for its
//! minimum ([`search`]) asks for one evaluation at a time and can be written down in between.
//! So the same code learns in memory, in threads and in pieces. The search moves in coordinates
//! in which every feature is centred and its curvature is about one ([`frame`]); the objective
//! is the one of the original features.

mod contrasts;
mod evaluation;
mod frame;
mod inference;
mod kernels;
mod learn;
mod line;
mod model;
mod saga;
mod search;
mod sparse;
mod sparse_rows;
#[cfg(test)]
mod tests;

pub use contrasts::SoftmaxInference;
pub use inference::LogisticInference;
pub use learn::{LogisticState, LogisticSummary};
pub use model::LogisticModel;

use crate::ClassWeight;
use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Predicts how probable each class is from linear scores of the features.
///
/// With two classes P(second | x) = σ(w·x + b) = 1/(1 + e⁻⁽ʷˣ⁺ᵇ⁾); with more,
/// P(k | x) = e^(wₖ·x + bₖ) / Σⱼ e^(wⱼ·x + bⱼ). Minimises −Σ ln P(y | x) + ‖w‖²/(2C), the
/// objective of scikit-learn divided by C, or with ‖w‖₁/C, where the search ends when the duality
/// gap is at most `tol` times the objective; the intercepts carry no price.
///
/// Without a penalty, classes that can be separated have no best weights: the fit stops as soon
/// as the weights separate them, and says so in the trace.
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_linear::LogisticRegression;
/// let iris = didact_datasets::iris();
/// let model = LogisticRegression::default().fit(iris.labelled()?)?;
/// let predicted = model.predict(iris.samples())?;
/// let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right >= 145);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogisticRegression {
    /// What large weights cost.
    pub penalty: Penalty,
    /// How cheap large weights are: the inverse of the price λ of ½‖w‖².
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// The share of the absolute price in the elastic net.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub l1_ratio: f64,
    /// Whether to fit an intercept for each score.
    pub fit_intercept: bool,
    /// How much the rows of each class count.
    pub class_weight: ClassWeight,
    /// How the minimum is searched.
    pub solver: Solver,
    /// At most this many iterations are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when no gradient of the mean objective is larger, in units of the features;
    /// Newton's steps go on until its square.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

/// What large weights cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    /// Half their squared length, divided by C.
    #[default]
    L2,
    /// Their absolute values, divided by C, which makes many of them zero.
    L1,
    /// `l1_ratio` of the absolute price and the rest of the squared one.
    Elasticnet,
    /// Nothing.
    None,
}

/// How the minimum is searched; all ways lead to the same one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Newton for few weights, L-BFGS for many or for many rows; where L-BFGS is slow on many
    /// rows, Newton takes over. Proximal Newton where absolute values have a price.
    #[default]
    Auto,
    /// L-BFGS: a pass over the rows per step, memory linear in the weights.
    Lbfgs,
    /// Damped Newton steps, which are iteratively reweighted least squares.
    Newton,
    /// SAGA: steps along single rows, drawn in the same order every time, with a memory of their
    /// slopes; for many rows and any penalty. An iteration is as many steps as there are rows, and
    /// with every penalty the search ends by the slopes.
    Saga,
}

impl Default for LogisticRegression {
    fn default() -> Self {
        LogisticRegression {
            penalty: Penalty::L2,
            c: 1.0,
            l1_ratio: 0.5,
            fit_intercept: true,
            class_weight: ClassWeight::None,
            solver: Solver::Auto,
            max_iter: 1000,
            tol: 1e-4,
        }
    }
}

impl LogisticRegression {
    /// The prices of ‖w‖₁ and of ½‖w‖².
    fn prices(&self) -> (f64, f64) {
        let price = self.c.recip();
        match self.penalty {
            Penalty::L2 => (0.0, price),
            Penalty::L1 => (price, 0.0),
            Penalty::Elasticnet => (price * self.l1_ratio, price * (1.0 - self.l1_ratio)),
            Penalty::None => (0.0, 0.0),
        }
    }

    /// Whether weights carry a price for their absolute values, which has a solver of its own.
    fn is_sparse(&self) -> Result<bool> {
        let (absolute, squared) = self.prices();
        if !(absolute.is_finite() && squared.is_finite()) {
            let requirement = "its inverse overflows; it must be at least 1e-300";
            return Err(Error::parameter("C", self.c, requirement));
        }
        let is_sparse = absolute > 0.0;
        let name = match self.solver {
            Solver::Newton => "newton",
            Solver::Lbfgs => "lbfgs",
            Solver::Auto | Solver::Saga => return Ok(is_sparse),
        };
        match is_sparse {
            true => Err(Error::parameter(
                "solver",
                name,
                "with the penalties l1 and elasticnet it must be auto or saga",
            )),
            false => Ok(false),
        }
    }
}
