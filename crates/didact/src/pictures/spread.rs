//! How sure a prediction is, where a model knows.

use didact_core::abilities::check_rows;
use didact_core::{AnyModel, Result, Rows};
use ndarray::Array1;

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
    check_rows(model, rows)?;
    let deviations = model.as_deviations().map(|able| able.deviations(rows));
    Ok(deviations.transpose()?.map(|all| all.column(0).to_owned()))
}
