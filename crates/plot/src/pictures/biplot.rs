//! Rows and features in one plane of components.

use super::same_length;
use crate::canvas::Anchor;
use crate::cloud::{Cloud, owned};
use crate::layer::{Content, Stroke, Word};
use crate::picture::Picture;
use crate::theme::Ink;
use didact_core::Result;
use ndarray::ArrayView2;

/// More arrows than this are not drawn: the longest are.
const MOST_ARROWS: usize = 24;

/// The rows in the plane of two components, with an arrow for each original feature.
///
/// `loadings` has one row per feature and a column per component of the cloud. Arrows share one
/// scale that makes the longest nearly as long as the cloud is wide; their directions and
/// relative lengths are what counts.
///
/// ```
/// use didact_plot::{Cloud, biplot};
/// let scores = ndarray::array![[-1.0, 0.2], [0.0, -0.4], [1.0, 0.2]];
/// let loadings = ndarray::array![[0.8, 0.6], [0.6, -0.8]];
/// let picture = biplot(&Cloud::new(scores.view()), loadings.view(), &["height", "mass"])?;
/// assert!(picture.svg().contains("mass"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn biplot<S: AsRef<str>>(
    scores: &Cloud<'_>,
    loadings: ArrayView2<'_, f64>,
    original_names: &[S],
) -> Result<Picture> {
    scores.check()?;
    same_length(
        "rows of loadings",
        loadings.nrows(),
        "features",
        original_names.len(),
    )?;
    same_length(
        "columns of loadings",
        loadings.ncols(),
        "components",
        scores.rows.ncols(),
    )?;
    let mut panel = scores.panel();
    // Arrows are directions of the original features, not places in the plane.
    panel.plane = None;
    panel.equal_units = true;
    scores.add_to(&mut panel);
    let reach = (0..scores.rows.nrows())
        .map(|row| scores.place(row))
        .map(|[x, y]| x.hypot(y))
        .filter(|length| length.is_finite())
        .fold(0.0, f64::max);
    let [across, up] = scores.columns;
    let mut arrows: Vec<([f64; 2], String)> = loadings
        .rows()
        .into_iter()
        .zip(owned(original_names))
        .map(|(row, name)| ([row[across], row[up]], name))
        .filter(|([x, y], _)| x.is_finite() && y.is_finite())
        .collect();
    let left_out = loadings.nrows() - arrows.len();
    // A stable order by length: the longest names are placed first and kept.
    arrows.sort_by(|(one, _), (two, _)| two[0].hypot(two[1]).total_cmp(&one[0].hypot(one[1])));
    let hidden = arrows.len().saturating_sub(MOST_ARROWS);
    arrows.truncate(MOST_ARROWS);
    let longest = arrows.first().map_or(0.0, |([x, y], _)| x.hypot(*y));
    let scale = if longest > 0.0 {
        0.8 * reach / longest
    } else {
        0.0
    };
    let tips: Vec<[f64; 2]> = arrows
        .iter()
        .map(|([x, y], _)| [x * scale, y * scale])
        .collect();
    let segments = tips.iter().map(|tip| [[0.0, 0.0], *tip]).collect();
    let stroke = Stroke {
        width: 1.6,
        ..Stroke::new(Ink::Text)
    };
    panel.push("arrow", None, Content::Arrows(segments, stroke));
    let words = tips
        .iter()
        .zip(&arrows)
        .map(|(tip, (_, name))| {
            let (anchor, shift) = match tip[0] < 0.0 {
                true => (Anchor::End, -0.5),
                false => (Anchor::Start, 0.5),
            };
            let down = if tip[1] < 0.0 { 0.5 } else { -0.5 };
            Word::centred(*tip, name, Ink::Text).shifted(anchor, shift, down)
        })
        .collect();
    panel.words(words, true);
    panel.left_out += left_out;
    let mut picture = Picture::new("Biplot", vec![panel]).with_size(680.0, 520.0);
    if hidden > 0 {
        picture = picture.with_note(format!(
            "The {MOST_ARROWS} longest arrows are drawn; {hidden} shorter ones are not."
        ));
    }
    Ok(picture)
}
