//! Ridge regression: least squares with a price on large weights.

use crate::LinearModel;
use crate::least_squares::{Intercept, Problem};
use didact_core::{Accepts, Fit, LearnInPieces, Measured, Next, Result, Run, ensure_belongs};
use didact_math::linalg::CrossMoments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fits the hyperplane of least squared error with a price on large weights.
///
/// Minimises ½‖y − Xw − b‖² + (α/2)‖w‖², so w = (XᵀX + αI)⁻¹Xᵀy for centred data. The intercept
/// b carries no price unless that is asked for.
///
/// ```
/// use didact_core::Fit;
/// use didact_linear::Ridge;
/// let diabetes = didact_datasets::diabetes();
/// let model = Ridge { alpha: 0.5, ..Ridge::default() }.fit(diabetes.measured()?)?;
/// assert!(model.r2()[0] > 0.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ridge {
    /// Price of the weights; zero is ordinary least squares.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Whether to fit an intercept.
    pub fit_intercept: bool,
    /// Whether the intercept carries the price of the weights too.
    pub penalize_intercept: bool,
    /// Whether the price stands beside the sum or beside the mean of the squared errors.
    pub reduction: Reduction,
}

/// How the losses of the rows become one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// Their sum: the price counts less the more rows there are.
    #[default]
    Sum,
    /// Their mean: the price keeps its share, as if α were multiplied by the number of rows.
    Mean,
}

impl Default for Ridge {
    fn default() -> Self {
        Ridge {
            alpha: 1.0,
            fit_intercept: true,
            penalize_intercept: false,
            reduction: Reduction::Sum,
        }
    }
}

impl Ridge {
    fn problem(&self) -> Problem {
        Problem {
            alpha: self.alpha,
            mean: self.reduction == Reduction::Mean,
            inference: false,
            intercept: match (self.fit_intercept, self.penalize_intercept) {
                (false, _) => Intercept::Absent,
                (true, false) => Intercept::Free,
                (true, true) => Intercept::Penalised,
            },
        }
    }
}

impl Fit<Measured<'_>> for Ridge {
    type Model = LinearModel;
    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::WEIGHTS)
        .union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<LinearModel> {
        self.problem().fit(data, run)
    }
}

impl LearnInPieces<Measured<'_>> for Ridge {
    type State = ();
    type Summary = CrossMoments;

    fn start(&self) -> Result<()> {
        Ok(())
    }

    fn summarise(&self, _: &(), chunk: Measured<'_>, _: usize, run: &Run) -> Result<CrossMoments> {
        Problem::summarise(chunk, run)
    }

    fn check_summary(&self, _: &(), summary: &CrossMoments) -> Result<()> {
        ensure_belongs(summary.is_consistent())
    }

    fn merge(&self, left: CrossMoments, right: CrossMoments) -> Result<CrossMoments> {
        Problem::merge(left, right)
    }

    fn step(&self, _: (), summary: CrossMoments, run: &Run) -> Result<Next<(), LinearModel>> {
        Ok(Next::Done(self.problem().fit_moments(&summary, run)?))
    }
}
