//! Scores over a grid of two parameters.

use super::same_length;
use crate::layer::{Content, Stroke, Word};
use crate::panel::{ColourBar, Panel};
use crate::picture::Picture;
use crate::scale::{Axis, short};
use crate::theme::Ink;
use didact_core::{Error, Result};
use ndarray::ArrayView2;

/// More cells than this across have no numbers in them.
const MOST_WITH_NUMBERS: usize = 12;

/// One parameter of a grid: its name and its values as they are written.
#[derive(Clone, Copy, Debug)]
pub struct GridAxis<'a> {
    /// The name of the parameter.
    pub name: &'a str,
    /// The values in order.
    pub values: &'a [String],
}

/// A heat map of scores, one row per value of the first parameter, one column per value of the
/// second; the best one is framed.
///
/// ```
/// use didact_plot::{GridAxis, grid_search};
/// let (degrees, prices) = (["1".to_owned(), "2".to_owned()], ["0.1".to_owned(), "1".to_owned()]);
/// let scores = ndarray::array![[0.6, 0.7], [0.9, 0.8]];
/// let picture = grid_search(
///     GridAxis { name: "degree", values: &degrees },
///     GridAxis { name: "C", values: &prices },
///     scores.view(),
///     "accuracy",
///     true,
/// )?;
/// assert!(picture.notes()[0].contains("degree = 2, C = 0.1"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn grid_search(
    rows: GridAxis<'_>,
    columns: GridAxis<'_>,
    scores: ArrayView2<'_, f64>,
    score_name: &str,
    greater_is_better: bool,
) -> Result<Picture> {
    same_length(
        "rows of scores",
        scores.nrows(),
        "values",
        rows.values.len(),
    )?;
    same_length(
        "columns of scores",
        scores.ncols(),
        "values",
        columns.values.len(),
    )?;
    let [low, high] = super::ends(scores.iter().copied())
        .ok_or_else(|| Error::data("no score of the grid is finite; there is nothing to draw"))?;
    let mut panel = Panel::new(
        Axis::names(columns.name, columns.values.to_vec()),
        Axis::names(rows.name, rows.values.to_vec()).reversed(),
    );
    let sign = if greater_is_better { 1.0 } else { -1.0 };
    let mut best: Option<(usize, usize)> = None;
    let (mut cells, mut words) = (Vec::new(), Vec::new());
    for ((row, column), &score) in scores.indexed_iter() {
        let (x, y) = (column as f64, row as f64);
        if !score.is_finite() {
            panel.left_out += 1;
            words.push(Word::centred([x, y], "–", Ink::Muted));
            continue;
        }
        let share = if high > low {
            (score - low) / (high - low)
        } else {
            0.5
        };
        cells.push((around(x, y, 0.49), Ink::Amount(share)));
        words.push(Word::centred([x, y], short(score), Ink::OnAmount(share)));
        if best.is_none_or(|place| sign * score > sign * scores[place]) {
            best = Some((row, column));
        }
    }
    panel.push("cell", None, Content::Cells(cells, 1.0));
    if scores.ncols() <= MOST_WITH_NUMBERS {
        panel.words(words, false);
    }
    panel.colour_bar = Some(ColourBar {
        label: score_name.to_owned(),
        ends: if high > low {
            [low, high]
        } else {
            [low - 0.5, low + 0.5]
        },
    });
    let mut note = String::new();
    if let Some((row, column)) = best {
        let [x0, y0, x1, y1] = around(column as f64, row as f64, 0.47);
        let frame = vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]];
        let stroke = Stroke {
            width: 3.0,
            ..Stroke::new(Ink::Series(1))
        };
        panel.push("best", None, Content::Lines(vec![frame], stroke));
        note = format!(
            "Best {score_name}: {} at {} = {}, {} = {}.",
            short(scores[[row, column]]),
            rows.name,
            rows.values[row],
            columns.name,
            columns.values[column]
        );
    }
    Ok(Picture::new("Grid search", vec![panel]).with_note(note))
}

fn around(x: f64, y: f64, half: f64) -> [f64; 4] {
    [x - half, y - half, x + half, y + half]
}
