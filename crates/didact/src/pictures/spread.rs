//! How sure a prediction is, where a model knows.

use crate::PipelineModel;
use didact_core::abilities::check_rows;
use didact_core::{AnyModel, OwnedRows, Result, Rows};
use didact_linear::BayesianLinearModel;
use didact_mixture::GaussianMixtureRegressionModel;
use ndarray::{Array1, Axis};

/// The standard deviation of a new first target at each row; nothing where the model predicts
/// without saying how sure it is.
///
/// ```
/// use didact::pictures::predicted_deviations;
/// use didact::prelude::*;
/// let diabetes = datasets::diabetes();
/// let model = BayesianLinearRegression::default().fit(diabetes.measured()?)?;
/// let samples = diabetes.samples();
/// let deviations = predicted_deviations(&model, samples.rows())?.expect("this model knows");
/// assert!(deviations.iter().all(|deviation| *deviation > 0.0));
/// # Ok::<(), Error>(())
/// ```
pub fn predicted_deviations(model: &dyn AnyModel, rows: Rows<'_>) -> Result<Option<Array1<f64>>> {
    check_rows(model, rows.reborrow())?;
    let known = model.as_any();
    if let Some(bayesian) = known.downcast_ref::<BayesianLinearModel>() {
        return Ok(Some(bayesian.predictive(rows)?.variance.mapv(f64::sqrt)));
    }
    if let Some(mixture) = known.downcast_ref::<GaussianMixtureRegressionModel>() {
        let covariances = mixture.predict_covariance(rows)?;
        let deviations = covariances.axis_iter(Axis(0)).map(|one| one[[0, 0]].sqrt());
        return Ok(Some(deviations.collect()));
    }
    match known.downcast_ref::<PipelineModel>() {
        Some(pipeline) => through(pipeline, rows),
        None => Ok(None),
    }
}

/// The answer of the last step, on the rows as the steps before it leave them.
fn through(pipeline: &PipelineModel, rows: Rows<'_>) -> Result<Option<Array1<f64>>> {
    let mut steps: Vec<&dyn AnyModel> = pipeline.steps().collect();
    let Some(last) = steps.pop() else {
        return Ok(None);
    };
    let mut current: Option<OwnedRows> = None;
    for step in steps {
        let Some(transform) = step.as_transform() else {
            return Ok(None);
        };
        let input = match &current {
            Some(current) => current.view(),
            None => rows.reborrow(),
        };
        current = Some(transform.transform_rows(input)?);
    }
    match &current {
        Some(current) => predicted_deviations(last, current.view()),
        None => predicted_deviations(last, rows),
    }
}
