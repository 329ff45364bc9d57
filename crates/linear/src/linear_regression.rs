//! Ordinary least squares.

use crate::LinearModel;
use crate::least_squares::{Intercept, Problem};
use didact_core::{Accepts, Fit, LearnInPieces, Measured, Next, Result, Run, ensure_belongs};
use didact_math::linalg::CrossMoments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fits the hyperplane of least squared error.
///
/// Minimises ½‖y − Xw − b‖². Where several hyperplanes are equally good (columns that depend on
/// each other, fewer rows than columns) the one with the shortest w is taken.
///
/// ```
/// use didact_core::{Fit, Regress};
/// use didact_linear::LinearRegression;
/// let diabetes = didact_datasets::diabetes();
/// let model = LinearRegression::default().fit(diabetes.measured()?)?;
/// assert!(model.r2()[0] > 0.5);
/// let predicted = model.predict(diabetes.samples())?;
/// assert_eq!(predicted.dim(), (442, 1));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinearRegression {
    /// Whether to fit an intercept b; without it the hyperplane goes through the origin.
    pub fit_intercept: bool,
}

impl Default for LinearRegression {
    fn default() -> Self {
        LinearRegression {
            fit_intercept: true,
        }
    }
}

impl LinearRegression {
    fn problem(&self) -> Problem {
        Problem {
            alpha: 0.0,
            mean: false,
            inference: true,
            intercept: match self.fit_intercept {
                true => Intercept::Free,
                false => Intercept::Absent,
            },
        }
    }
}

impl Fit<Measured<'_>> for LinearRegression {
    type Model = LinearModel;
    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::WEIGHTS)
        .union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<LinearModel> {
        self.problem().fit(data, run)
    }
}

impl LearnInPieces<Measured<'_>> for LinearRegression {
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
