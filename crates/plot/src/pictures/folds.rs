//! The scores of several models over the folds of cross-validation.

use super::{mean_and_deviation, not_empty};
use crate::layer::{Content, Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::Result;

/// Box plots of scores, one box per model, with every fold as a point and the mean as a diamond.
///
/// The box reaches from the first to the third quartile, the line in it is the median, and the
/// whiskers end at the last scores within one and a half box lengths.
///
/// ```
/// use didact_plot::cross_validation;
/// let picture = cross_validation(&[("ridge", &[0.7, 0.8, 0.9][..]), ("tree", &[0.6, 0.9, 0.7])], "R²")?;
/// assert!(picture.svg().contains("ridge"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn cross_validation(models: &[(&str, &[f64])], score_name: &str) -> Result<Picture> {
    not_empty("models", models.len())?;
    let names = models.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut panel = Panel::new(Axis::names("", names), Axis::new(score_name));
    let (mut boxes, mut lines, mut medians) = (Vec::new(), Vec::new(), Vec::new());
    let (mut folds, mut means) = (Vec::new(), Vec::new());
    for (index, (_, scores)) in models.iter().enumerate() {
        let at = index as f64;
        let mut sorted: Vec<f64> = scores.iter().copied().filter(|s| s.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        // Side by side in the order of the folds, so that folds can be followed.
        let spread = |fold: usize| 0.16 * (2.0 * (fold as f64 + 0.5) / scores.len() as f64 - 1.0);
        folds.extend(
            scores
                .iter()
                .enumerate()
                .map(|(fold, s)| [at + spread(fold), *s]),
        );
        if sorted.is_empty() {
            continue;
        }
        let [first, median, third] = [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share));
        let reach = 1.5 * (third - first);
        let within = |score: &&f64| (first - reach..=third + reach).contains(*score);
        let lowest = *sorted.iter().find(within).unwrap_or(&first);
        let highest = *sorted.iter().rev().find(within).unwrap_or(&third);
        boxes.push(([at - 0.27, first, at + 0.27, third], Ink::Tint(0, 0.28)));
        lines.push(box_outline(at, first, third));
        lines.push(vec![[at, lowest], [at, first]]);
        lines.push(vec![[at, third], [at, highest]]);
        for end in [lowest, highest] {
            lines.push(vec![[at - 0.12, end], [at + 0.12, end]]);
        }
        medians.push(vec![[at - 0.27, median], [at + 0.27, median]]);
        means.push([at, mean_and_deviation(sorted.iter().copied())[0]]);
    }
    panel.push("box", None, Content::Cells(boxes, 1.0));
    panel.push(
        "whisker",
        None,
        Content::Lines(lines, Stroke::new(Ink::Series(0)).thin()),
    );
    let thick = Stroke {
        width: 2.6,
        ..Stroke::new(Ink::Text)
    };
    panel.push("median", Some("median"), Content::Lines(medians, thick));
    let fold = Dot::round(Ink::Muted).sized(2.6);
    panel.points("points", Some("fold"), folds, fold);
    let mean = Dot {
        ink: Ink::Series(1),
        ..Dot::series(3).sized(4.5)
    };
    panel.points("mean", Some("mean"), means, mean);
    Ok(Picture::new("Cross-validation", vec![panel]))
}

fn box_outline(at: f64, low: f64, high: f64) -> Vec<[f64; 2]> {
    let (left, right) = (at - 0.27, at + 0.27);
    vec![
        [left, low],
        [right, low],
        [right, high],
        [left, high],
        [left, low],
    ]
}

/// The value below which the share of the sorted values lies, linear between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_those_of_numpy() {
        // numpy.quantile([1, 2, 4, 8], [0.25, 0.5, 0.75]) = [1.75, 3, 5]
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(
            [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share)),
            [1.75, 3.0, 5.0]
        );
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
    }
}
