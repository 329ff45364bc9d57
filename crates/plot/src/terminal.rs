//! A canvas as text: lines in braille dots, points and labels as letters.
//!
//! A cell of the terminal is two dots wide and four high, and a canvas for the terminal is laid
//! out in dots, so that a dot is about square.

use crate::canvas::{Anchor, Canvas, Mark};
use crate::colour::Colour;
use std::fmt::Write;

/// Dots per cell: across and down.
pub(crate) const CELL: [f64; 2] = [2.0, 4.0];

/// Fills fainter than this are left out: in dots they would hide the marks above them.
const FAINTEST_FILL: f64 = 0.3;

/// The order in which the dots of a 4×4 block are set as a fill gets stronger.
const DITHER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

struct Cells {
    columns: usize,
    rows: usize,
    dots: Vec<u8>,
    signs: Vec<Option<char>>,
    colours: Vec<Option<Colour>>,
}

/// The canvas as lines of text, with the escape codes of colours if asked for.
pub(crate) fn text(canvas: &Canvas, in_colour: bool) -> String {
    let columns = (canvas.width / CELL[0]).ceil() as usize;
    let rows = (canvas.height / CELL[1]).ceil() as usize;
    let mut cells = Cells {
        columns,
        rows,
        dots: vec![0; columns * rows],
        signs: vec![None; columns * rows],
        colours: vec![None; columns * rows],
    };
    // Letters last: nothing may cut through a label.
    let is_text = |mark: &&Mark| matches!(mark, Mark::Text { .. });
    for mark in canvas.marks.iter().filter(|mark| !is_text(mark)) {
        cells.draw(mark, canvas.background);
    }
    for mark in canvas.marks.iter().filter(is_text) {
        cells.draw(mark, canvas.background);
    }
    cells.write(in_colour)
}

impl Cells {
    fn draw(&mut self, mark: &Mark, background: Colour) {
        match mark {
            Mark::Path {
                class,
                lines,
                closed,
                fill,
                pen,
            } => {
                // A grid in dots cannot be told from the curves.
                if *class == "grid" {
                    return;
                }
                if let Some(paint) = fill {
                    let strength = strength(paint.colour, background) * paint.opacity;
                    if strength >= FAINTEST_FILL {
                        self.fill(lines, strength, paint.colour);
                    }
                }
                if let Some(pen) = pen {
                    for line in lines {
                        self.line(line, *closed, pen.paint.colour, pen.dash.is_some());
                    }
                }
            }
            Mark::Dots {
                centers,
                fill,
                pen,
                sign,
                ..
            } => {
                let paint = fill.or(pen.map(|pen| pen.paint));
                for [x, y] in centers {
                    let (column, row) = ((x / CELL[0]).floor(), (y / CELL[1]).floor());
                    self.put(
                        column as isize,
                        row as isize,
                        *sign,
                        paint.map(|p| p.colour),
                    );
                }
            }
            Mark::Text {
                at,
                text,
                colour,
                anchor,
                ..
            } => self.label(*at, text, *anchor, *colour),
        }
    }

    /// The place of a text is on its base line, the lower border of its cells.
    fn label(&mut self, at: [f64; 2], text: &str, anchor: Anchor, colour: Colour) {
        let length = text.chars().count() as f64;
        let column = at[0] / CELL[0];
        let first = match anchor {
            Anchor::Start => column,
            Anchor::Middle => column - length / 2.0,
            Anchor::End => column - length,
        };
        let row = (at[1] / CELL[1] - 1.0).round() as isize;
        // A label that is a little too long moves rather than losing letters.
        let last = (self.columns as f64 - length).max(0.0);
        let first = first.round().clamp(0.0, last) as isize;
        for (offset, letter) in text.chars().enumerate() {
            self.put(first + offset as isize, row, letter, Some(colour));
        }
    }

    fn put(&mut self, column: isize, row: isize, sign: char, colour: Option<Colour>) {
        if let Some(cell) = self.cell(column, row) {
            self.signs[cell] = Some(if sign.is_control() { ' ' } else { sign });
            self.colours[cell] = colour;
        }
    }

    fn cell(&self, column: isize, row: isize) -> Option<usize> {
        let (column, row) = (usize::try_from(column).ok()?, usize::try_from(row).ok()?);
        (column < self.columns && row < self.rows).then(|| row * self.columns + column)
    }

    fn dot(&mut self, x: isize, y: isize, colour: Colour) {
        /// The bits of a braille letter, by row and column of its dots.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        if let Some(cell) = self.cell(x.div_euclid(2), y.div_euclid(4)) {
            self.dots[cell] |= BITS[y.rem_euclid(4) as usize][x.rem_euclid(2) as usize];
            self.colours[cell] = Some(colour);
        }
    }

    fn line(&mut self, points: &[[f64; 2]], closed: bool, colour: Colour, dashed: bool) {
        let ends = points.iter().zip(points.iter().skip(1));
        let back = closed.then(|| points.last().zip(points.first())).flatten();
        let mut along = 0;
        for ([x0, y0], [x1, y1]) in ends.chain(back) {
            let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().max(1.0) as usize;
            for step in 0..=steps {
                let share = step as f64 / steps as f64;
                let (x, y) = (x0 + share * (x1 - x0), y0 + share * (y1 - y0));
                along += 1;
                if !dashed || along % 4 < 2 {
                    self.dot(x.floor() as isize, y.floor() as isize, colour);
                }
            }
        }
    }

    /// Sets the dots inside the rings by the even–odd rule, the more the stronger the fill.
    fn fill(&mut self, rings: &[Vec<[f64; 2]>], strength: f64, colour: Colour) {
        let threshold = (strength * 16.0).round() as u8;
        for y in 0..self.rows * 4 {
            let middle = y as f64 + 0.5;
            let mut crossings: Vec<f64> = Vec::new();
            for ring in rings {
                for (index, to) in ring.iter().enumerate() {
                    let from = ring[(index + ring.len() - 1) % ring.len()];
                    if (from[1] <= middle) != (to[1] <= middle) {
                        let share = (middle - from[1]) / (to[1] - from[1]);
                        crossings.push(from[0] + share * (to[0] - from[0]));
                    }
                }
            }
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let first = (pair[0] - 0.5).ceil().max(0.0) as usize;
                let last = (pair[1] - 0.5).ceil().clamp(0.0, self.columns as f64 * 2.0) as usize;
                for x in first..last {
                    if DITHER[y % 4][x % 4] < threshold {
                        self.dot(x as isize, y as isize, colour);
                    }
                }
            }
        }
    }

    fn write(&self, in_colour: bool) -> String {
        let mut text = String::new();
        for row in 0..self.rows {
            let cells = row * self.columns..(row + 1) * self.columns;
            let used = cells
                .clone()
                .rev()
                .find(|cell| self.dots[*cell] != 0 || self.signs[*cell].is_some())
                .map_or(cells.start, |cell| cell + 1);
            let mut current = None;
            for cell in cells.start..used {
                let colour = self.colours[cell];
                if in_colour && colour.is_some() && colour != current {
                    if let Some(Colour { red, green, blue }) = colour {
                        let _ = write!(text, "\u{1b}[38;2;{red};{green};{blue}m");
                    }
                    current = colour;
                }
                text.push(match (self.signs[cell], self.dots[cell]) {
                    (Some(sign), _) => sign,
                    (None, 0) => ' ',
                    (None, dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '),
                });
            }
            if current.is_some() {
                text.push_str("\u{1b}[0m");
            }
            text.push('\n');
        }
        text
    }
}

/// How far a colour is from the background, 0 to 1.
fn strength(colour: Colour, background: Colour) -> f64 {
    let distance = |one: u8, two: u8| (f64::from(one) - f64::from(two)).abs() / 255.0;
    let channels = [
        distance(colour.red, background.red),
        distance(colour.green, background.green),
        distance(colour.blue, background.blue),
    ];
    channels.iter().copied().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{Form, Paint, Pen, rectangle};

    fn canvas() -> Canvas {
        Canvas::new(8.0, 8.0, Colour::hex(0xff_ff_ff))
    }

    const BLACK: Colour = Colour::hex(0);

    #[test]
    fn a_line_across_the_top_sets_the_upper_dots() {
        let mut canvas = canvas();
        let pen = Pen {
            paint: Paint::from(BLACK),
            width: 1.0,
            dash: None,
        };
        canvas.lines("line", vec![vec![[0.0, 0.0], [7.0, 0.0]]], pen);
        // Dots 1 and 4 of four cells, then an empty row.
        assert_eq!(text(&canvas, false), "⠉⠉⠉⠉\n\n");
    }

    #[test]
    fn a_black_square_fills_its_cells() {
        let mut canvas = canvas();
        let fill = Some(Paint::from(BLACK));
        canvas.rings("cells", vec![rectangle([2.0, 0.0, 6.0, 4.0])], fill, None);
        assert_eq!(text(&canvas, false), " ⣿⣿\n\n");
    }

    #[test]
    fn points_are_signs_and_colours_are_escaped() {
        let mut canvas = canvas();
        canvas.marks.push(Mark::Dots {
            class: "points",
            centers: vec![[3.0, 5.0]],
            form: Form::Circle,
            radius: 1.0,
            fill: Some(Paint::from(BLACK)),
            pen: None,
            sign: 'o',
        });
        assert_eq!(text(&canvas, false), "\n o\n");
        assert_eq!(text(&canvas, true), "\n \u{1b}[38;2;0;0;0mo\u{1b}[0m\n");
    }
}
