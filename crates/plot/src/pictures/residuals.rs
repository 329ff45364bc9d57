//! What a regression leaves unexplained.

use super::{ends, mean_and_deviation, not_empty, same_length};
use crate::layer::{Content, Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::Result;

/// Residuals (truth − prediction) against predictions, and how they are spread.
///
/// A good model shows a level band without shape. The curve over the histogram is the Gaussian
/// with the mean and deviation of the residuals.
///
/// ```
/// use didact_plot::residuals;
/// let picture = residuals(&[1.0, 2.0, 3.5], &[1.1, 1.8, 3.4], "price (CHF)")?;
/// assert!(picture.svg().contains("Predicted price (CHF)"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn residuals(truth: &[f64], predicted: &[f64], target_name: &str) -> Result<Picture> {
    same_length("true values", truth.len(), "predictions", predicted.len())?;
    not_empty("rows", truth.len())?;
    let values: Vec<f64> = truth.iter().zip(predicted).map(|(t, p)| t - p).collect();
    let mut left = Panel::new(
        Axis::new(format!("Predicted {target_name}")),
        Axis::new("Residual"),
    );
    left.rule(None, 0.0, false, Stroke::reference());
    let points = predicted.iter().zip(&values).map(|(x, y)| [*x, *y]);
    left.points(
        "points",
        None,
        points,
        Dot::round(Ink::Series(0)).faint(0.75),
    );
    let mut right = Panel::new(
        Axis::new("Residual"),
        Axis::new("Rows").reaching_zero().whole(),
    );
    add_histogram(&mut right, &values);
    Ok(Picture::new("Residuals", vec![left, right])
        .with_columns(2)
        .with_size(840.0, 400.0))
}

/// Counts of the finite values in equal bins, with the Gaussian of the same moments.
fn add_histogram(panel: &mut Panel, values: &[f64]) {
    let Some([low, high]) = ends(values.iter().copied()) else {
        return;
    };
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let count = finite().count() as f64;
    // Sturges' rule with a little more detail for many rows.
    let bins = (count.log2().ceil() + 1.0)
        .max(2.0 * count.cbrt())
        .clamp(1.0, 60.0) as usize;
    let (low, high) = match high > low {
        true => (low, high),
        false => (low - 0.5, high + 0.5),
    };
    let width = (high - low) / bins as f64;
    let mut counts = vec![0.0; bins];
    for value in finite() {
        counts[(((value - low) / width) as usize).min(bins - 1)] += 1.0;
    }
    let bars = counts
        .iter()
        .enumerate()
        .map(|(bin, count)| {
            let start = low + bin as f64 * width;
            let bar = [start + 0.04 * width, 0.0, start + 0.96 * width, *count];
            (bar, Ink::Series(0))
        })
        .collect();
    panel.push("bar", None, Content::Cells(bars, 0.55));
    let [mean, deviation] = mean_and_deviation(finite());
    if deviation > 0.0 {
        let scale = count * width / (deviation * (2.0 * std::f64::consts::PI).sqrt());
        let curve = (0..=100).map(|step| {
            let x = low + (high - low) * f64::from(step) / 100.0;
            [x, scale * (-0.5 * ((x - mean) / deviation).powi(2)).exp()]
        });
        panel.line(
            "curve",
            Some("Gaussian"),
            curve,
            Stroke::new(Ink::Series(1)),
        );
    }
}
