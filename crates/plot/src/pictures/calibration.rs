//! Whether probabilities mean what they say.

use super::{not_empty, same_length};
use crate::layer::{Content, Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::Result;

/// How often rows were positive, by the probability that they were given.
#[derive(Clone, Copy, Debug)]
pub struct Reliability<'a> {
    /// The name in the legend.
    pub name: &'a str,
    /// Mean of the predicted probabilities in each bin.
    pub predicted: &'a [f64],
    /// Share of positive rows in each bin.
    pub observed: &'a [f64],
    /// Number of rows in each bin; may be empty.
    pub counts: &'a [f64],
}

/// Calibration curves over how the predictions are spread.
///
/// Points on the dashed diagonal are right as often as they claim.
///
/// ```
/// use didact_plot::{Reliability, calibration};
/// let bins = Reliability { name: "logistic", predicted: &[0.1, 0.5, 0.9], observed: &[0.0, 0.6, 0.9], counts: &[40.0, 20.0, 40.0] };
/// assert!(calibration(&[bins])?.svg().contains("Share of positive rows"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn calibration(curves: &[Reliability<'_>]) -> Result<Picture> {
    not_empty("curves", curves.len())?;
    let probability = || Axis::new("Predicted probability").between(0.0, 1.0);
    let mut upper = Panel::new(
        Axis::new("").between(0.0, 1.0),
        Axis::new("Share of positive rows").between(0.0, 1.0),
    );
    upper.height = 2.6;
    upper.line(
        "reference",
        Some("perfect"),
        [[0.0, 0.0], [1.0, 1.0]],
        Stroke::reference(),
    );
    let mut lower = Panel::new(probability(), Axis::new("Rows").reaching_zero().whole());
    let n_curves = curves.len() as f64;
    for (series, curve) in curves.iter().enumerate() {
        let bins = curve.predicted.len();
        same_length("observed shares", curve.observed.len(), "bins", bins)?;
        let points = || {
            curve
                .predicted
                .iter()
                .zip(curve.observed)
                .map(|(x, y)| [*x, *y])
        };
        upper.line("curve", None, points(), Stroke::new(Ink::Series(series)));
        upper.points("points", Some(curve.name), points(), Dot::series(series));
        if curve.counts.is_empty() {
            continue;
        }
        same_length("counts", curve.counts.len(), "bins", bins)?;
        // Bars of several curves stand side by side.
        let width = 0.6 / (bins.max(4) as f64);
        let shift = (series as f64 - (n_curves - 1.0) / 2.0) * width / n_curves;
        let half = 0.45 * width / n_curves;
        let bars = curve
            .predicted
            .iter()
            .zip(curve.counts)
            .filter(|(at, count)| at.is_finite() && count.is_finite())
            .map(|(at, count)| {
                let bar = [at + shift - half, 0.0, at + shift + half, *count];
                (bar, Ink::Series(series))
            })
            .collect();
        lower.push("bar", None, Content::Cells(bars, 0.85));
    }
    let has_counts = !lower.layers.is_empty();
    if !has_counts {
        upper.x = probability();
        return Ok(Picture::new("Calibration", vec![upper]));
    }
    Ok(Picture::new("Calibration", vec![upper, lower]).with_size(620.0, 520.0))
}
