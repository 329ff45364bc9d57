//! Scores against the number of rows or against a parameter.

use super::{mean_and_deviation, not_empty, same_length};
use crate::layer::{Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::{Axis, short};
use crate::theme::Ink;
use didact_core::Result;
use ndarray::ArrayView2;

/// Scores on training and validation rows as the training set grows.
///
/// Scores have one row per size and one column per fold; the bands are one standard deviation
/// over the folds. Lines that stay apart mean over-fitting, lines that meet at a poor score mean
/// under-fitting.
///
/// ```
/// use didact_plot::learning_curve;
/// let training = ndarray::array![[0.99, 0.98], [0.95, 0.96]];
/// let validation = ndarray::array![[0.70, 0.74], [0.85, 0.87]];
/// let picture = learning_curve(&[50.0, 200.0], training.view(), validation.view(), "accuracy")?;
/// assert!(picture.svg().contains("Training rows"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn learning_curve(
    sizes: &[f64],
    training: ArrayView2<'_, f64>,
    validation: ArrayView2<'_, f64>,
    score_name: &str,
) -> Result<Picture> {
    let mut panel = Panel::new(Axis::new("Training rows"), Axis::new(score_name));
    add_scores(&mut panel, sizes, training, validation)?;
    Ok(Picture::new("Learning curve", vec![panel]))
}

/// Scores on training and validation rows as a parameter changes.
///
/// Values that are positive and span more than a factor of twenty get a logarithmic axis.
/// `chosen` is the index of the value to mark.
///
/// ```
/// use didact_plot::validation_curve;
/// let training = ndarray::array![[0.99, 0.98], [0.95, 0.96]];
/// let validation = ndarray::array![[0.70, 0.74], [0.85, 0.87]];
/// let picture = validation_curve("alpha", &[0.1, 10.0], training.view(), validation.view(), "R²", Some(1))?;
/// assert!(picture.svg().contains("alpha"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn validation_curve(
    parameter: &str,
    values: &[f64],
    training: ArrayView2<'_, f64>,
    validation: ArrayView2<'_, f64>,
    score_name: &str,
    chosen: Option<usize>,
) -> Result<Picture> {
    let spread = super::ends(values.iter().copied())
        .is_some_and(|[low, high]| low > 0.0 && high / low > 20.0);
    let axis = Axis::new(parameter).logarithmic(spread);
    let mut panel = Panel::new(axis, Axis::new(score_name));
    add_scores(&mut panel, values, training, validation)?;
    if let Some(&value) = chosen.and_then(|index| values.get(index)) {
        let name = format!("chosen: {}", short(value));
        panel.rule(Some(&name), value, true, Stroke::reference());
    }
    Ok(Picture::new(
        format!("Validation curve of {parameter}"),
        vec![panel],
    ))
}

fn add_scores(
    panel: &mut Panel,
    places: &[f64],
    training: ArrayView2<'_, f64>,
    validation: ArrayView2<'_, f64>,
) -> Result<()> {
    not_empty("scores", places.len())?;
    for (series, (name, scores)) in [("training", training), ("validation", validation)]
        .into_iter()
        .enumerate()
    {
        same_length("rows of scores", scores.nrows(), "places", places.len())?;
        let moments: Vec<[f64; 2]> = scores
            .rows()
            .into_iter()
            .map(|row| mean_and_deviation(row.to_vec().into_iter()))
            .collect();
        let low: Vec<f64> = moments.iter().map(|[mean, spread]| mean - spread).collect();
        let high: Vec<f64> = moments.iter().map(|[mean, spread]| mean + spread).collect();
        let ink = Ink::Series(series);
        panel.band("band", None, places, [&low, &high], ink, 0.18);
        let line = || {
            places
                .iter()
                .zip(&moments)
                .map(|(x, [mean, _])| [*x, *mean])
        };
        panel.line("curve", None, line(), Stroke::new(ink));
        panel.points("points", Some(name), line(), Dot::series(series));
    }
    // A mean that does not exist was counted by the line and by the points.
    panel.left_out /= 2;
    Ok(())
}
