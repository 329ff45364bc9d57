//! Where everything of a panel goes: margins that fit their labels, ticks, legend, layers.

use crate::canvas::{Anchor, Canvas, Mark, Paint, Pen, rectangle};
use crate::clip::Window;
use crate::colour::Colour;
use crate::draw::draw_layer;
use crate::font;
use crate::legend;
use crate::panel::Panel;
use crate::scale::{Axis, Scale, Tick, superscript, ticks};
use crate::theme::Theme;

/// What a picture is drawn on: a page of pixels, or a terminal of letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Medium {
    pub(crate) letters_only: bool,
    /// Height of the letters of labels.
    pub(crate) size: f64,
}

impl Medium {
    pub(crate) fn page(theme: &Theme) -> Self {
        Medium {
            letters_only: false,
            size: theme.font_size,
        }
    }

    /// A terminal, in braille dots.
    pub(crate) fn terminal() -> Self {
        Medium {
            letters_only: true,
            size: 4.0,
        }
    }

    /// One of two lengths, for the page (in letters) and for the terminal (in dots).
    pub(crate) fn length(&self, page: f64, terminal: f64) -> f64 {
        match self.letters_only {
            true => terminal,
            false => page * self.size,
        }
    }

    pub(crate) fn text_width(&self, text: &str) -> f64 {
        match self.letters_only {
            true => 2.0 * text.chars().count() as f64,
            false => font::width(text, self.size),
        }
    }

    pub(crate) fn line_height(&self) -> f64 {
        self.length(1.4, 4.0)
    }

    /// From the middle of a line of text down to its base line.
    pub(crate) fn base(&self) -> f64 {
        self.length(0.36, 2.0)
    }

    pub(crate) fn shorten(&self, text: &str, limit: f64) -> String {
        font::shorten(text, limit, |text| self.text_width(text))
    }
}

/// No place is farther from the corner of the canvas than this.
const FARTHEST: f64 = 1e9;

/// How values along an axis become places on the canvas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placing {
    pub(crate) span: [f64; 2],
    places: [f64; 2],
    logarithmic: bool,
}

impl Placing {
    fn new(axis: &Axis, span: [f64; 2], places: [f64; 2]) -> Self {
        let [first, last] = places;
        Placing {
            span,
            places: match axis.reversed {
                true => [last, first],
                false => [first, last],
            },
            logarithmic: axis.scale == Scale::Logarithmic,
        }
    }

    pub(crate) fn place(&self, value: f64) -> f64 {
        let straight = |value: f64| match self.logarithmic {
            true => value.max(f64::MIN_POSITIVE).log10(),
            false => value,
        };
        let (low, high) = (straight(self.span[0]), straight(self.span[1]));
        let share = (straight(value) - low) / (high - low);
        let place = self.places[0] + share * (self.places[1] - self.places[0]);
        // Values far outside the span stay numbers that can be computed with.
        place.clamp(-FARTHEST, FARTHEST)
    }
}

/// Where the axes are on the canvas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) window: Window,
    pub(crate) x: Placing,
    pub(crate) y: Placing,
}

impl Frame {
    pub(crate) fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.x.place(x), self.y.place(y)]
    }
}

/// The brush and its tools.
pub(crate) struct Sheet<'a> {
    pub(crate) canvas: &'a mut Canvas,
    pub(crate) theme: &'a Theme,
    pub(crate) medium: Medium,
}

impl Sheet<'_> {
    /// Writes a line of text whose middle is at the given height.
    pub(crate) fn text(
        &mut self,
        class: &'static str,
        [x, middle]: [f64; 2],
        text: impl Into<String>,
        colour: Colour,
        anchor: Anchor,
    ) {
        self.canvas.marks.push(Mark::Text {
            class,
            at: [x, middle + self.medium.base()],
            text: text.into(),
            size: self.medium.size,
            colour,
            anchor,
            turn: 0.0,
        });
    }

    pub(crate) fn pen(&self, colour: Colour, width: f64) -> Pen {
        Pen {
            paint: Paint::from(colour),
            width,
            dash: None,
        }
    }
}

/// The room that a panel needs to the left and to the right of its axes.
pub(crate) fn side_margins(medium: Medium, panel: &Panel, area: Window) -> [f64; 2] {
    let width = area[2] - area[0];
    let entries = legend::entries(panel);
    let bar = panel.colour_bar.as_ref();
    let right = legend::reserve(medium, &entries, width * 0.36).width
        + bar.map_or(0.0, |bar| legend::bar_width(medium, bar));
    let height = area[3] - area[1] - margin_below(medium, panel);
    let (ticks, _) = fitting_ticks(medium, &panel.y, panel.spans()[1], height, false);
    [margin_beside(medium, panel, &ticks, width - right), right]
}

/// Draws a panel into the area: left, top, right, bottom. Its axes leave at least the margins
/// to the left and right, so that panels above each other line up.
pub(crate) fn draw_panel(sheet: &mut Sheet<'_>, panel: &Panel, area: Window, margins: [f64; 2]) {
    let medium = sheet.medium;
    let [left, mut top, mut right, bottom] = area;
    if let Some(title) = &panel.title {
        let text = medium.shorten(title, right - left);
        let middle = top + medium.line_height() / 2.0;
        sheet.text(
            "title",
            [left, middle],
            text,
            sheet.theme.text,
            Anchor::Start,
        );
        top += medium.length(2.0, 4.0);
    }
    let mut spans = panel.spans();
    let entries = legend::entries(panel);
    let key = legend::reserve(medium, &entries, (right - left) * 0.36);
    right -= key.width;
    if let Some(bar) = &panel.colour_bar {
        right -= legend::bar_width(medium, bar);
    }
    let bar_left = right;
    right = right.min(area[2] - margins[1]);

    // A label above the axis where text cannot be turned.
    if medium.letters_only && !panel.y.label.is_empty() {
        top += medium.line_height();
    }
    let below = margin_below(medium, panel);
    let y_ticks = fitting_ticks(medium, &panel.y, spans[1], bottom - below - top, false);
    let beside = margin_beside(medium, panel, &y_ticks.0, right - left).max(margins[0]);
    let inner_left = left + beside;
    // Room for half of the last tick label, or a first one that reaches to the left.
    let inner_right = right - medium.length(0.8, 2.0);
    let x_ticks = fitting_ticks(medium, &panel.x, spans[0], inner_right - inner_left, true);
    let slanted = slant(medium, &panel.x, &x_ticks.0, inner_right - inner_left);
    let window = [
        inner_left,
        top,
        inner_right,
        bottom - below - slanted.map_or(0.0, |height| height - medium.line_height()),
    ];
    if panel.equal_units {
        spans = equalise(spans, window);
    }
    let half_line = medium.length(0.0, 2.0);
    let frame = Frame {
        window,
        x: Placing::new(&panel.x, spans[0], [window[0], window[2]]),
        // In letters the ends are in the middle of the first and last line.
        y: Placing::new(
            &panel.y,
            spans[1],
            [window[3] - half_line, window[1] + half_line],
        ),
    };
    let x_ticks = fitting_ticks(medium, &panel.x, spans[0], window[2] - window[0], true);
    let y_ticks = fitting_ticks(medium, &panel.y, spans[1], window[3] - window[1], false);
    draw_grid(sheet, panel, &frame, &x_ticks.0, &y_ticks.0);
    for layer in &panel.layers {
        draw_layer(sheet, layer, &frame);
    }
    draw_x_axis(sheet, panel, &frame, &x_ticks, slanted, area[3]);
    draw_y_axis(sheet, panel, &frame, &y_ticks, left);
    if let Some(bar) = &panel.colour_bar {
        legend::draw_bar(sheet, bar, [bar_left, window[1], window[3]]);
    }
    legend::draw(sheet, &entries, &key, [area[2] - key.width, top, bottom]);
}

fn margin_below(medium: Medium, panel: &Panel) -> f64 {
    let ticks = match panel.x.visible {
        true => medium.length(0.5, 0.0) + medium.line_height(),
        false => 0.0,
    };
    let label = match panel.x.label.is_empty() {
        true => 0.0,
        false => medium.length(0.3, 0.0) + medium.line_height(),
    };
    ticks + label
}

fn margin_beside(medium: Medium, panel: &Panel, ticks: &[Tick], width: f64) -> f64 {
    let label = match panel.y.label.is_empty() || medium.letters_only {
        true => 0.0,
        false => medium.line_height() + medium.length(0.3, 0.0),
    };
    if !panel.y.visible {
        return label + medium.length(0.8, 2.0);
    }
    let widest = ticks
        .iter()
        .map(|tick| medium.text_width(&tick.text))
        .fold(0.0, f64::max);
    label + widest.min(width * NAMES_SHARE) + medium.length(0.8, 2.0)
}

/// The share of the width that names beside the axis may take.
const NAMES_SHARE: f64 = 0.3;

/// As many ticks as fit without touching, and the power of ten taken out of them.
fn fitting_ticks(
    medium: Medium,
    axis: &Axis,
    span: [f64; 2],
    length: f64,
    across: bool,
) -> (Vec<Tick>, i32) {
    if !axis.visible {
        return (Vec::new(), 0);
    }
    let spacing = match across {
        true => medium.length(4.6, 16.0),
        false => medium.length(3.4, 12.0),
    };
    let mut count = (length / spacing).floor().max(2.0) as usize;
    loop {
        let (mut found, power) = ticks(axis, span, count);
        let is_named = matches!(axis.scale, Scale::Names(_));
        if is_named || found.len() < 2 {
            return (found, power);
        }
        let placing = Placing::new(axis, span, [0.0, length]);
        let fits = found.windows(2).all(|pair| {
            let room = (placing.place(pair[1].value) - placing.place(pair[0].value)).abs();
            let widths = medium.text_width(&pair[0].text) + medium.text_width(&pair[1].text);
            match across {
                true => widths / 2.0 + medium.length(0.6, 2.0) <= room,
                false => medium.line_height() * 0.9 <= room,
            }
        });
        if fits {
            return (found, power);
        }
        if count == 1 {
            found.truncate(1);
            return (found, power);
        }
        count -= 1;
    }
}

/// The height of names below the axis that must be slanted because they would touch.
fn slant(medium: Medium, axis: &Axis, ticks: &[Tick], width: f64) -> Option<f64> {
    let Scale::Names(names) = &axis.scale else {
        return None;
    };
    let slot = width / names.len().max(1) as f64;
    let widest = ticks
        .iter()
        .map(|tick| medium.text_width(&tick.text))
        .fold(0.0, f64::max);
    if medium.letters_only || !axis.visible || widest + medium.length(0.5, 2.0) <= slot {
        return None;
    }
    let longest = widest.min(medium.length(LONGEST_SLANTED, 0.0));
    Some(longest * SLANT.to_radians().sin() + medium.line_height())
}

/// The angle of slanted names in degrees, and their greatest length in letters.
const SLANT: f64 = 40.0;
const LONGEST_SLANTED: f64 = 9.0;

/// Widens one of the spans so that a unit is as long across as it is up.
fn equalise(spans: [[f64; 2]; 2], [left, top, right, bottom]: Window) -> [[f64; 2]; 2] {
    let lengths = [right - left, bottom - top];
    let unit = [0, 1].map(|axis| (spans[axis][1] - spans[axis][0]) / lengths[axis]);
    let coarsest = unit[0].max(unit[1]);
    [0, 1].map(|axis| {
        let middle = (spans[axis][0] + spans[axis][1]) / 2.0;
        let half = coarsest * lengths[axis] / 2.0;
        match unit[axis] == coarsest {
            true => spans[axis],
            false => [middle - half, middle + half],
        }
    })
}

fn draw_grid(sheet: &mut Sheet<'_>, panel: &Panel, frame: &Frame, across: &[Tick], up: &[Tick]) {
    let [left, top, right, bottom] = frame.window;
    let is_numeric = |axis: &Axis| !matches!(axis.scale, Scale::Names(_));
    let mut lines = Vec::new();
    if is_numeric(&panel.x) {
        for tick in across {
            let x = frame.x.place(tick.value);
            lines.push(vec![[x, top], [x, bottom]]);
        }
    }
    if is_numeric(&panel.y) {
        for tick in up {
            let y = frame.y.place(tick.value);
            lines.push(vec![[left, y], [right, y]]);
        }
    }
    let pen = sheet.pen(sheet.theme.grid, 1.0);
    sheet.canvas.lines("grid", lines, pen);
}

/// The name of an axis with the power of ten that its numbers are in.
fn axis_name(axis: &Axis, power: i32) -> String {
    match (power, axis.label.is_empty()) {
        (0, _) => axis.label.clone(),
        (_, true) => format!("×10{}", superscript(power)),
        (_, false) => format!("{} (×10{})", axis.label, superscript(power)),
    }
}

fn draw_x_axis(
    sheet: &mut Sheet<'_>,
    panel: &Panel,
    frame: &Frame,
    (ticks, power): &(Vec<Tick>, i32),
    slanted: Option<f64>,
    bottom: f64,
) {
    let medium = sheet.medium;
    let [left, _, right, base] = frame.window;
    if panel.x.visible {
        // In letters the axis takes the upper dots of the row of its labels.
        let pen = sheet.pen(sheet.theme.axis, 1.0);
        let line = vec![vec![[left, base], [right, base]]];
        if !medium.letters_only {
            sheet.canvas.lines("axis", line, pen);
        }
    }
    let middle = base + medium.length(0.5, 0.0) + medium.line_height() / 2.0;
    let slot = (right - left) / ticks.len().max(1) as f64;
    let named = matches!(panel.x.scale, Scale::Names(_));
    let room = match slanted {
        Some(_) => medium.line_height(),
        None => medium.length(0.6, 4.0),
    };
    let every = match named {
        true => (room / slot).ceil().max(1.0) as usize,
        false => 1,
    };
    for tick in ticks.iter().step_by(every) {
        let x = frame.x.place(tick.value);
        let colour = sheet.theme.muted;
        if slanted.is_some() {
            let text = medium.shorten(&tick.text, medium.length(LONGEST_SLANTED, 0.0));
            sheet.canvas.marks.push(Mark::Text {
                class: "tick",
                at: [x + medium.length(0.3, 0.0), base + medium.length(1.0, 0.0)],
                text,
                size: medium.size,
                colour,
                anchor: Anchor::End,
                turn: -SLANT,
            });
            continue;
        }
        let text = match named {
            true => medium.shorten(&tick.text, slot * every as f64),
            false => tick.text.clone(),
        };
        sheet.text("tick", [x, middle], text, colour, Anchor::Middle);
    }
    let name = axis_name(&panel.x, *power);
    if !name.is_empty() {
        let text = medium.shorten(&name, right - left);
        let place = [(left + right) / 2.0, bottom - medium.line_height() / 2.0];
        sheet.text("axis-label", place, text, sheet.theme.text, Anchor::Middle);
    }
}

fn draw_y_axis(
    sheet: &mut Sheet<'_>,
    panel: &Panel,
    frame: &Frame,
    (ticks, power): &(Vec<Tick>, i32),
    edge: f64,
) {
    let medium = sheet.medium;
    let [left, top, right, bottom] = frame.window;
    if panel.y.visible {
        let pen = sheet.pen(sheet.theme.axis, 1.0);
        let x = left - medium.length(0.0, 1.0);
        let line = vec![vec![[x, top], [x, bottom - medium.length(0.0, 1.0)]]];
        sheet.canvas.lines("axis", line, pen);
    }
    let slot = (bottom - top) / ticks.len().max(1) as f64;
    let every = match panel.y.scale {
        Scale::Names(_) => (medium.length(1.1, 4.0) / slot).ceil().max(1.0) as usize,
        _ => 1,
    };
    let room = (right - edge) * NAMES_SHARE;
    for tick in ticks.iter().step_by(every) {
        let y = frame.y.place(tick.value);
        let text = medium.shorten(&tick.text, room);
        let place = [left - medium.length(0.5, 2.0), y];
        sheet.text("tick", place, text, sheet.theme.muted, Anchor::End);
    }
    let name = axis_name(&panel.y, *power);
    if name.is_empty() {
        return;
    }
    if medium.letters_only {
        let text = medium.shorten(&name, right - edge);
        let place = [edge, top - medium.line_height() / 2.0];
        sheet.text("axis-label", place, text, sheet.theme.text, Anchor::Start);
        return;
    }
    sheet.canvas.marks.push(Mark::Text {
        class: "axis-label",
        at: [
            edge + medium.line_height() / 2.0 + medium.base(),
            (top + bottom) / 2.0,
        ],
        text: medium.shorten(&name, bottom - top),
        size: medium.size,
        colour: sheet.theme.text,
        anchor: Anchor::Middle,
        turn: -90.0,
    });
}

/// A rectangle of the canvas filled with a colour.
pub(crate) fn fill_box(sheet: &mut Sheet<'_>, class: &'static str, corners: Window, fill: Paint) {
    let ring = vec![rectangle(corners)];
    sheet.canvas.rings(class, ring, Some(fill), None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_units_widen_the_shorter_side() {
        // 100 pixels show 10 units across, so 50 pixels must show 5 units up, around 1.
        let spans = equalise([[0.0, 10.0], [0.0, 2.0]], [0.0, 0.0, 100.0, 50.0]);
        assert_eq!(spans, [[0.0, 10.0], [-1.5, 3.5]]);
    }

    #[test]
    fn a_reversed_axis_starts_at_the_far_end() {
        let placing = Placing::new(&Axis::new("x").reversed(), [0.0, 10.0], [100.0, 200.0]);
        assert_eq!(placing.place(0.0), 200.0);
        assert_eq!(placing.place(2.5), 175.0);
    }

    #[test]
    fn tick_labels_across_never_touch() {
        let medium = Medium::page(&Theme::light());
        for span in [
            [0.0, 1.0],
            [-1e5, 3e5],
            [0.0001, 0.0002],
            [12_345.0, 12_346.0],
        ] {
            for length in [60.0, 150.0, 500.0] {
                let axis = Axis::new("x");
                let (found, _) = fitting_ticks(medium, &axis, span, length, true);
                let placing = Placing::new(&axis, span, [0.0, length]);
                for pair in found.windows(2) {
                    let room = placing.place(pair[1].value) - placing.place(pair[0].value);
                    assert!(medium.text_width(&pair[0].text) < room || found.len() <= 2);
                }
            }
        }
    }
}
