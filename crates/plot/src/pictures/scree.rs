//! How much each component explains.

use super::not_empty;
use crate::layer::{Content, Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::Result;

/// The share of the variance that each component explains, and the shares added up.
///
/// ```
/// use didact_plot::scree;
/// let picture = scree(&[0.7, 0.2, 0.1])?;
/// assert!(picture.svg().contains("cumulative"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn scree(shares: &[f64]) -> Result<Picture> {
    not_empty("components", shares.len())?;
    let mut panel = Panel::new(
        Axis::new("Component")
            .whole()
            .between(0.4, shares.len() as f64 + 0.6),
        Axis::new("Explained variance").percent().between(0.0, 1.04),
    );
    let bars = shares
        .iter()
        .enumerate()
        .filter(|(_, share)| share.is_finite())
        .map(|(index, share)| {
            let at = index as f64 + 1.0;
            ([at - 0.38, 0.0, at + 0.38, *share], Ink::Series(0))
        })
        .collect();
    panel.push("bar", Some("each component"), Content::Cells(bars, 0.8));
    let mut total = 0.0;
    let cumulative: Vec<[f64; 2]> = shares
        .iter()
        .enumerate()
        .map(|(index, share)| {
            total += share;
            [index as f64 + 1.0, total]
        })
        .collect();
    panel.line(
        "curve",
        None,
        cumulative.clone(),
        Stroke::new(Ink::Series(1)),
    );
    panel.left_out = 0;
    let dot = Dot {
        ink: Ink::Series(1),
        ..Dot::series(0)
    };
    panel.points("points", Some("cumulative"), cumulative, dot);
    Ok(Picture::new("Explained variance", vec![panel]))
}
