//! A fitted curve through measured points.

use super::{not_empty, same_length};
use crate::layer::{Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::Result;

/// A curve and how sure it is.
#[derive(Clone, Copy, Debug)]
pub struct Bands<'a> {
    /// Where the curve was computed, in ascending order.
    pub x: &'a [f64],
    /// The prediction there.
    pub mean: &'a [f64],
    /// Its standard deviation there; may be empty.
    pub deviation: &'a [f64],
}

/// Measured points with a fitted curve and bands of one and two standard deviations.
///
/// ```
/// use didact_plot::{Bands, regression_curve};
/// let curve = Bands { x: &[0.0, 1.0, 2.0], mean: &[0.0, 1.0, 2.0], deviation: &[0.1, 0.2, 0.3] };
/// let picture = regression_curve(&[0.5, 1.5], &[0.4, 1.7], curve, "time (s)", "speed (m/s)")?;
/// assert!(picture.svg().contains("2σ"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn regression_curve(
    x: &[f64],
    y: &[f64],
    curve: Bands<'_>,
    x_name: &str,
    y_name: &str,
) -> Result<Picture> {
    same_length("measured values", y.len(), "places", x.len())?;
    same_length(
        "predictions",
        curve.mean.len(),
        "places of the curve",
        curve.x.len(),
    )?;
    not_empty("places of the curve", curve.x.len())?;
    let mut panel = Panel::new(Axis::new(x_name), Axis::new(y_name));
    if !curve.deviation.is_empty() {
        let places = curve.x.len();
        same_length(
            "deviations",
            curve.deviation.len(),
            "places of the curve",
            places,
        )?;
        for (factor, name, opacity) in [(2.0, "±2σ", 0.14), (1.0, "±1σ", 0.2)] {
            let shifted = |sign: f64| -> Vec<f64> {
                let both = curve.mean.iter().zip(curve.deviation);
                both.map(|(mean, deviation)| mean + sign * factor * deviation)
                    .collect()
            };
            let (low, high) = (shifted(-1.0), shifted(1.0));
            panel.band(
                "band",
                Some(name),
                curve.x,
                [&low, &high],
                Ink::Series(0),
                opacity,
            );
        }
    }
    let points = x.iter().zip(y).map(|(x, y)| [*x, *y]);
    let dot = Dot::round(Ink::Muted).sized(2.8).faint(0.85);
    panel.points("points", Some("data"), points, dot);
    let line = curve.x.iter().zip(curve.mean).map(|(x, y)| [*x, *y]);
    panel.line(
        "curve",
        Some("prediction"),
        line,
        Stroke::new(Ink::Series(0)),
    );
    Ok(Picture::new(
        format!("{y_name} against {x_name}"),
        vec![panel],
    ))
}
