//! How well scores rank: ROC and precision against recall.

use super::{not_empty, same_length};
use crate::layer::{Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::{Axis, short};
use crate::theme::Ink;
use didact_core::{Error, Result};

/// One curve: its name, its points in order, and what it is worth.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// The name in the legend.
    pub name: &'a str,
    /// Values across.
    pub x: &'a [f64],
    /// Values upwards.
    pub y: &'a [f64],
    /// The area under the curve or the average precision, written behind the name.
    pub area: Option<f64>,
    /// The operating point: the index of the threshold that is used.
    pub chosen: Option<usize>,
}

impl<'a> Curve<'a> {
    /// A curve without area and operating point.
    pub fn new(name: &'a str, x: &'a [f64], y: &'a [f64]) -> Self {
        Curve {
            name,
            x,
            y,
            area: None,
            chosen: None,
        }
    }

    fn check(&self) -> Result<()> {
        same_length(
            "values across",
            self.x.len(),
            "values upwards",
            self.y.len(),
        )?;
        if let Some(chosen) = self.chosen
            && chosen >= self.x.len()
        {
            return Err(Error::parameter(
                "chosen",
                chosen,
                format!("the curve “{}” has {} points", self.name, self.x.len()),
            ));
        }
        Ok(())
    }

    fn label(&self, measure: &str) -> String {
        match self.area {
            Some(area) => format!("{}, {measure} {}", self.name, short(area)),
            None => self.name.to_owned(),
        }
    }
}

/// Curves of the true-positive rate against the false-positive rate.
///
/// The dashed diagonal is what scores without information reach.
///
/// ```
/// use didact_plot::{Curve, roc};
/// let curve = Curve { area: Some(0.75), ..Curve::new("ridge", &[0.0, 0.0, 0.5, 0.5, 1.0], &[0.0, 0.5, 0.5, 1.0, 1.0]) };
/// assert!(roc(&[curve])?.svg().contains("AUC 0.75"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn roc(curves: &[Curve<'_>]) -> Result<Picture> {
    let mut panel = Panel::new(
        Axis::new("False-positive rate").between(0.0, 1.0),
        Axis::new("True-positive rate").between(0.0, 1.0),
    );
    panel.line(
        "reference",
        Some("chance"),
        [[0.0, 0.0], [1.0, 1.0]],
        Stroke::reference(),
    );
    add_curves(&mut panel, curves, "AUC")?;
    Ok(Picture::new("ROC curve", vec![panel]).with_size(620.0, 440.0))
}

/// Curves of precision against recall.
///
/// `positive_share` is the share of positive rows: the precision of scores without information.
///
/// ```
/// use didact_plot::{Curve, precision_recall};
/// let curve = Curve::new("ridge", &[1.0, 0.5, 0.0], &[0.4, 0.8, 1.0]);
/// assert!(precision_recall(&[curve], Some(0.4))?.svg().contains("Recall"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn precision_recall(curves: &[Curve<'_>], positive_share: Option<f64>) -> Result<Picture> {
    let mut panel = Panel::new(
        Axis::new("Recall").between(0.0, 1.0),
        Axis::new("Precision").between(0.0, 1.0),
    );
    if let Some(share) = positive_share {
        panel.rule(Some("chance"), share, false, Stroke::reference());
    }
    add_curves(&mut panel, curves, "AP")?;
    Ok(Picture::new("Precision and recall", vec![panel]).with_size(620.0, 440.0))
}

fn add_curves(panel: &mut Panel, curves: &[Curve<'_>], measure: &str) -> Result<()> {
    not_empty("curves", curves.len())?;
    for (series, curve) in curves.iter().enumerate() {
        curve.check()?;
        let points = curve.x.iter().zip(curve.y).map(|(x, y)| [*x, *y]);
        let stroke = Stroke::new(Ink::Series(series));
        panel.line("curve", Some(&curve.label(measure)), points, stroke);
    }
    for (series, curve) in curves.iter().enumerate() {
        if let Some(chosen) = curve.chosen {
            let point = [curve.x[chosen], curve.y[chosen]];
            let dot = Dot::round(Ink::Series(series)).sized(5.5);
            panel.points("chosen", Some("operating point"), [point], dot);
        }
    }
    Ok(())
}
