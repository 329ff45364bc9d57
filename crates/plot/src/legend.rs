//! The key to the series of a panel, and the strip that explains colours.

use crate::canvas::{Anchor, Paint};
use crate::draw::{draw_dots, pen};
use crate::layer::{Content, Layer};
use crate::layout::{Medium, Sheet, fill_box};
use crate::panel::{ColourBar, Panel};
use crate::scale::{Axis, ticks};
use crate::theme::Ink;

/// The layers that have a name, in order.
pub(crate) fn entries(panel: &Panel) -> Vec<&Layer> {
    panel
        .layers
        .iter()
        .filter(|layer| layer.name.is_some())
        .collect()
}

/// The room that a legend takes beside the axes.
pub(crate) struct Key {
    pub(crate) width: f64,
    text_width: f64,
}

/// Reserves at most `limit` of the width; longer names are shortened.
pub(crate) fn reserve(medium: Medium, entries: &[&Layer], limit: f64) -> Key {
    if entries.is_empty() {
        return Key {
            width: 0.0,
            text_width: 0.0,
        };
    }
    let widest = entries
        .iter()
        .filter_map(|layer| layer.name.as_deref())
        .map(|name| medium.text_width(name))
        .fold(0.0, f64::max);
    let sample = sample_width(medium) + medium.length(1.2, 4.0);
    let text_width = widest.min(limit - sample).max(0.0);
    Key {
        width: sample + text_width,
        text_width,
    }
}

fn sample_width(medium: Medium) -> f64 {
    medium.length(1.6, 4.0)
}

/// Draws the legend from the left and top given, down to the bottom at most.
pub(crate) fn draw(
    sheet: &mut Sheet<'_>,
    entries: &[&Layer],
    key: &Key,
    [left, top, bottom]: [f64; 3],
) {
    let medium = sheet.medium;
    let line = medium.line_height();
    let most = ((bottom - top) / line).floor().max(1.0) as usize;
    let shown = match entries.len() > most {
        true => most - 1,
        false => entries.len(),
    };
    let left = left + medium.length(0.8, 2.0);
    let text_left = left + sample_width(medium) + medium.length(0.4, 2.0);
    for (index, layer) in entries[..shown].iter().enumerate() {
        let middle = top + (index as f64 + 0.5) * line;
        draw_sample(sheet, &layer.content, left, middle);
        let name = layer.name.as_deref().unwrap_or_default();
        let text = medium.shorten(name, key.text_width + 0.01);
        sheet.text(
            "legend",
            [text_left, middle],
            text,
            sheet.theme.text,
            Anchor::Start,
        );
    }
    if shown < entries.len() {
        let middle = top + (shown as f64 + 0.5) * line;
        let text = format!("… {} more", entries.len() - shown);
        sheet.text(
            "legend",
            [left, middle],
            text,
            sheet.theme.muted,
            Anchor::Start,
        );
    }
}

fn draw_sample(sheet: &mut Sheet<'_>, content: &Content, left: f64, middle: f64) {
    let width = sample_width(sheet.medium);
    let center = left + width / 2.0;
    match content {
        Content::Points(_, dot) => {
            // Large points would reach into the neighbouring lines.
            let small = dot.sized(dot.radius.min(sheet.medium.length(0.45, 2.0)));
            draw_dots(sheet, "legend-key", vec![[center, middle]], &small);
        }
        Content::Lines(_, stroke) | Content::Arrows(_, stroke) | Content::Rule { stroke, .. } => {
            let pen = pen(sheet, *stroke);
            let end = left + width - sheet.medium.length(0.0, 1.0);
            let line = vec![vec![[left, middle], [end, middle]]];
            sheet.canvas.lines("legend-key", line, pen);
        }
        Content::Region(_, ink, opacity) => draw_swatch(sheet, *ink, *opacity, left, middle),
        Content::Cells(cells, opacity) => {
            let ink = cells.first().map_or(Ink::Muted, |(_, ink)| *ink);
            draw_swatch(sheet, ink, *opacity, left, middle);
        }
        Content::Words { .. } => {}
    }
}

fn draw_swatch(sheet: &mut Sheet<'_>, ink: Ink, opacity: f64, left: f64, middle: f64) {
    let width = sample_width(sheet.medium);
    let half = sheet.medium.length(0.42, 2.0);
    let paint = Paint {
        colour: sheet.theme.paint(ink),
        opacity,
    };
    let corners = [left, middle - half, left + width, middle + half];
    fill_box(sheet, "legend-key", corners, paint);
}

/// The room that a colour strip takes beside the axes.
pub(crate) fn bar_width(medium: Medium, bar: &ColourBar) -> f64 {
    let label = match bar.label.is_empty() {
        true => 0.0,
        false => medium.length(1.5, 0.0),
    };
    medium.length(2.6, 8.0) + bar_text_width(medium, bar) + label
}

fn bar_text_width(medium: Medium, bar: &ColourBar) -> f64 {
    let (found, _) = ticks(&Axis::new(""), bar.ends, 5);
    found
        .iter()
        .map(|tick| medium.text_width(&tick.text))
        .fold(0.0, f64::max)
}

/// Draws the strip from the left given, between top and bottom.
pub(crate) fn draw_bar(sheet: &mut Sheet<'_>, bar: &ColourBar, [left, top, bottom]: [f64; 3]) {
    const STEPS: u32 = 40;
    let medium = sheet.medium;
    let left = left + medium.length(0.6, 2.0);
    let width = medium.length(1.1, 4.0);
    let height = |share: f64| bottom + share * (top - bottom);
    for step in 0..STEPS {
        let share = f64::from(step) / f64::from(STEPS - 1);
        let (low, high) = (
            height(f64::from(step) / f64::from(STEPS)),
            height(f64::from(step + 1) / f64::from(STEPS)),
        );
        let paint = Paint::from(sheet.theme.paint(Ink::Amount(share)));
        // A little overlap, so that no seam shows between the steps.
        let overlap = if step + 1 < STEPS { 0.5 } else { 0.0 };
        fill_box(
            sheet,
            "colours",
            [left, high - overlap, left + width, low],
            paint,
        );
    }
    let (found, power) = ticks(&Axis::new(""), bar.ends, 5);
    let text_left = left + width + medium.length(0.4, 2.0);
    for tick in found {
        let share = (tick.value - bar.ends[0]) / (bar.ends[1] - bar.ends[0]);
        let place = [text_left, height(share)];
        sheet.text("tick", place, tick.text, sheet.theme.muted, Anchor::Start);
    }
    let label = match power {
        0 => bar.label.clone(),
        _ => format!("{} (×10{})", bar.label, crate::scale::superscript(power)),
    };
    if label.is_empty() || medium.letters_only {
        return;
    }
    let x = text_left + bar_text_width(medium, bar) + medium.line_height() / 2.0 + medium.base();
    sheet.canvas.marks.push(crate::canvas::Mark::Text {
        class: "axis-label",
        at: [x, (top + bottom) / 2.0],
        text: medium.shorten(&label, bottom - top),
        size: medium.size,
        colour: sheet.theme.text,
        anchor: Anchor::Middle,
        turn: -90.0,
    });
}
