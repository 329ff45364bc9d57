//! Sequences and the hidden states that explain them.

use super::{not_empty, same_length};
use crate::cloud::owned;
use crate::layer::{Content, Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::{Error, Result};
use ndarray::ArrayView2;

/// A trellis with more items than this would be too fine to read.
const MOST_ITEMS: usize = 60;

/// Sizes of the discs of a trellis: an even number of steps keeps equal discs in one layer.
const DISC_STEPS: usize = 10;

/// The trellis: one column of states per item, discs as large as the state is probable, and the
/// most probable path through them.
///
/// `probabilities` has one row per item and one column per state; only the first 60 items of a
/// longer sequence are drawn.
///
/// ```
/// use didact_plot::trellis;
/// let probabilities = ndarray::array![[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]];
/// let picture = trellis(probabilities.view(), &[0, 1, 1], &["rain", "sun"], &["walk", "shop", "clean"])?;
/// assert!(picture.svg().contains("class=\"path\""));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn trellis<S: AsRef<str>, T: AsRef<str>>(
    probabilities: ArrayView2<'_, f64>,
    path: &[usize],
    state_names: &[S],
    item_names: &[T],
) -> Result<Picture> {
    let (items, states) = probabilities.dim();
    not_empty("items", items)?;
    same_length("states of the path", path.len(), "items", items)?;
    same_length("state names", state_names.len(), "states", states)?;
    if !item_names.is_empty() {
        same_length("item names", item_names.len(), "items", items)?;
    }
    check_path(path, states)?;
    let shown = items.min(MOST_ITEMS);
    let names = match item_names.is_empty() {
        true => (0..shown).map(|item| item.to_string()).collect(),
        false => owned(&item_names[..shown]),
    };
    let mut panel = Panel::new(
        Axis::names("Item", names),
        Axis::names("State", owned(state_names)).reversed(),
    );
    panel.push("edge", None, all_edges(shown, states));
    let best = path[..shown]
        .iter()
        .enumerate()
        .map(|(item, state)| [item as f64, *state as f64]);
    let stroke = Stroke {
        width: 3.0,
        ..Stroke::new(Ink::Series(1))
    };
    panel.line("path", Some("most probable path"), best, stroke);
    add_discs(&mut panel, probabilities, shown);
    let mut picture = Picture::new("Trellis", vec![panel])
        .with_size(720.0, 150.0 + 46.0 * (states.clamp(2, 12) as f64))
        .with_note("The area of a disc is the probability of the state at the item.");
    if shown < items {
        picture = picture.with_note(format!("The first {shown} of {items} items are drawn."));
    }
    Ok(picture)
}

fn all_edges(items: usize, states: usize) -> Content {
    let mut lines = Vec::new();
    for item in 1..items {
        for from in 0..states {
            for to in 0..states {
                let (before, here) = ((item - 1) as f64, item as f64);
                lines.push(vec![[before, from as f64], [here, to as f64]]);
            }
        }
    }
    let stroke = Stroke {
        width: 0.7,
        ..Stroke::new(Ink::Tint(6, 0.35))
    };
    Content::Lines(lines, stroke)
}

/// One layer per size of disc: the area is the probability, in tenths.
fn add_discs(panel: &mut Panel, probabilities: ArrayView2<'_, f64>, shown: usize) {
    let largest = if shown > 25 { 7.0 } else { 12.0 };
    for step in 1..=DISC_STEPS {
        let discs: Vec<[f64; 2]> = probabilities
            .indexed_iter()
            .filter(|((item, _), _)| *item < shown)
            .filter(|(_, value)| (**value * DISC_STEPS as f64).round() as usize == step)
            .map(|((item, state), _)| [item as f64, state as f64])
            .collect();
        if !discs.is_empty() {
            let radius = largest * (step as f64 / DISC_STEPS as f64).sqrt();
            let dot = Dot::round(Ink::Series(0)).sized(radius);
            panel.points("state", None, discs, dot);
        }
    }
    panel.left_out += probabilities.iter().filter(|value| value.is_nan()).count();
}

fn check_path(path: &[usize], states: usize) -> Result<()> {
    match path.iter().find(|state| **state >= states) {
        Some(state) => Err(Error::data(format!(
            "a state of the path is {state} but there are only {states} states"
        ))),
        None => Ok(()),
    }
}

/// A sequence of measurements over coloured stretches of hidden states.
///
/// `series` has one row per item and one column per measured quantity.
///
/// ```
/// use didact_plot::state_path;
/// let series = ndarray::array![[0.1], [0.2], [5.0], [5.2]];
/// let picture = state_path(series.view(), &["load (kW)"], &[0, 0, 1, 1], &["idle", "busy"])?;
/// assert!(picture.svg().contains("busy"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn state_path<S: AsRef<str>, T: AsRef<str>>(
    series: ArrayView2<'_, f64>,
    series_names: &[S],
    path: &[usize],
    state_names: &[T],
) -> Result<Picture> {
    let (items, quantities) = series.dim();
    not_empty("items", items)?;
    same_length("states of the path", path.len(), "items", items)?;
    same_length(
        "names",
        series_names.len(),
        "measured quantities",
        quantities,
    )?;
    check_path(path, state_names.len())?;
    let names = owned(series_names);
    let y_name = if quantities == 1 {
        names[0].as_str()
    } else {
        "Measurement"
    };
    let end = items as f64 - 0.5;
    let mut upper = Panel::new(Axis::new("").between(-0.5, end).whole(), Axis::new(y_name));
    upper.height = 2.4;
    for (column, name) in names.iter().enumerate() {
        let line = (0..items).map(|item| [item as f64, series[[item, column]]]);
        // With one quantity the axis has its name already; grey leaves colour to the states.
        let ink = if quantities == 1 {
            Ink::Text
        } else {
            Ink::Series(column + 3)
        };
        let name = (quantities > 1).then_some(name.as_str());
        upper.line("curve", name, line, Stroke::new(ink).thin());
    }
    let [_, [low, high]] = upper.spans();
    upper.y = upper.y.between(low, high);
    let stretches = stretches(path);
    let mut lower = Panel::new(
        Axis::new("Item").between(-0.5, end).whole(),
        Axis::names("State", owned(state_names)).reversed(),
    );
    let curves = std::mem::take(&mut upper.layers);
    for state in 0..state_names.len() {
        let own = || stretches.iter().filter(|(of, _)| *of == state);
        let bands: Vec<([f64; 4], Ink)> = own()
            .map(|(_, [from, to])| ([*from, low, *to, high], Ink::Tint(state, 0.25)))
            .collect();
        let at = state as f64;
        let bars = own()
            .map(|(_, [from, to])| ([*from, at - 0.3, *to, at + 0.3], Ink::Series(state)))
            .collect();
        if !bands.is_empty() {
            upper.push("state", None, Content::Cells(bands, 1.0));
        }
        lower.push("state", None, Content::Cells(bars, 1.0));
    }
    upper.layers.extend(curves);
    let height = 330.0 + 24.0 * (state_names.len().clamp(2, 10) as f64);
    Ok(Picture::new("Hidden states", vec![upper, lower]).with_size(760.0, height))
}

/// Each state with the ends of an unbroken stretch of it.
fn stretches(path: &[usize]) -> Vec<(usize, [f64; 2])> {
    let mut start = 0;
    path.chunk_by(|one, two| one == two)
        .map(|run| {
            let from = start as f64 - 0.5;
            start += run.len();
            (run[0], [from, start as f64 - 0.5])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_the_path_without_gaps() {
        assert_eq!(
            stretches(&[0, 0, 1, 0]),
            [(0, [-0.5, 1.5]), (1, [1.5, 2.5]), (0, [2.5, 3.5])]
        );
    }

    #[test]
    fn a_path_outside_the_states_is_refused() {
        let series = ndarray::array![[1.0], [2.0]];
        let message = state_path(series.view(), &["x"], &[0, 2], &["a", "b"])
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "a state of the path is 2 but there are only 2 states"
        );
    }
}
