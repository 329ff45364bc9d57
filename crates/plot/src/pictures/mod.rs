//! The pictures, one idea per file.

mod biplot;
mod calibration;
mod choice;
mod confusion;
mod curves;
mod decision_map;
mod dendrogram;
mod density;
mod dependence;
mod folds;
mod grid_search;
mod growth;
mod hidden_states;
mod importance;
mod loss_trace;
mod partition;
mod ranking;
mod regression;
mod residuals;
mod scatter;
mod scree;
mod silhouette;

pub use biplot::biplot;
pub use calibration::{Reliability, calibration};
pub use choice::{choice_curve, criteria, elbow};
pub use confusion::confusion_matrix;
pub use curves::{learning_curve, validation_curve};
pub use decision_map::decision_map;
pub use dendrogram::dendrogram;
pub use density::density_contours;
pub use dependence::partial_dependence;
pub use folds::cross_validation;
pub use grid_search::{GridAxis, grid_search};
pub use growth::{Growth, growth};
pub use hidden_states::{state_path, trellis};
pub use importance::{coefficients, feature_importance};
pub use loss_trace::loss_trace;
pub use partition::partition;
pub use ranking::{Curve, precision_recall, roc};
pub use regression::{Bands, regression_curve};
pub use residuals::residuals;
pub use scatter::scatter;
pub use scree::scree;
pub use silhouette::silhouette;

use didact_core::{Error, Result};

/// Fails unless there are as many of one thing as of the other.
fn same_length(one: &str, n_one: usize, other: &str, n_other: usize) -> Result<()> {
    match n_one == n_other {
        true => Ok(()),
        false => Err(Error::data(format!(
            "there are {n_one} {one} for {n_other} {other}; give one for each"
        ))),
    }
}

/// Fails when there is nothing to draw.
fn not_empty(things: &str, count: usize) -> Result<()> {
    match count {
        0 => Err(Error::data(format!(
            "there are no {things} to draw; give at least one"
        ))),
        _ => Ok(()),
    }
}

/// Mean and standard deviation (with divisor n) of the finite values; NaN where there is none.
fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> [f64; 2] {
    let finite = values.filter(|value| value.is_finite());
    let count = finite.clone().count() as f64;
    let mean = finite.clone().sum::<f64>() / count;
    let variance = finite.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    [mean, variance.sqrt()]
}

/// The smallest and largest finite value.
fn ends(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values
        .filter(|value| value.is_finite())
        .fold(None, |ends: Option<[f64; 2]>, value| {
            Some(match ends {
                None => [value, value],
                Some([low, high]) => [low.min(value), high.max(value)],
            })
        })
}
