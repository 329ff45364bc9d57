//! Letters: how wide text is, and the outlines that a PNG is painted with.
//!
//! A part of DejaVu Sans (Latin, Greek, Cyrillic, mathematics) is built in, so that pictures
//! look the same on machines without fonts. SVG names it first and then fonts of equal width.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The fonts that an SVG asks for, best first; Verdana has the same widths.
pub(crate) const FAMILIES: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";

static FACE: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(include_bytes!("../assets/DejaVuSans-subset.ttf"), 0)
        .expect("the font is part of the program")
});

/// Width of text whose letters are `size` pixels high.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// Width of a letter as a share of the font size; letters that the font lacks count as square.
fn advance(letter: char) -> f64 {
    let units = f64::from(FACE.units_per_em());
    match FACE.glyph_index(letter) {
        Some(glyph) => f64::from(FACE.glyph_hor_advance(glyph).unwrap_or(0)) / units,
        None => 1.0,
    }
}

/// Hands the outline of the text to `pen`, in font units scaled to pixels, y upwards.
pub(crate) fn outline(text: &str, size: f64, pen: &mut impl Outline) {
    let scale = size / f64::from(FACE.units_per_em());
    let mut left = 0.0;
    for letter in text.chars() {
        let glyph = FACE.glyph_index(letter).unwrap_or(GlyphId(0));
        let mut placed = Placed { pen, scale, left };
        FACE.outline_glyph(glyph, &mut placed);
        left += advance(letter) * size;
    }
}

/// What draws the outline of letters.
pub(crate) trait Outline {
    fn move_to(&mut self, to: [f64; 2]);
    fn line_to(&mut self, to: [f64; 2]);
    fn bend_to(&mut self, control: [f64; 2], to: [f64; 2]);
    fn close(&mut self);
}

struct Placed<'a, P> {
    pen: &'a mut P,
    scale: f64,
    left: f64,
}

impl<P> Placed<'_, P> {
    fn at(&self, x: f32, y: f32) -> [f64; 2] {
        [
            self.left + f64::from(x) * self.scale,
            f64::from(y) * self.scale,
        ]
    }
}

impl<P: Outline> OutlineBuilder for Placed<'_, P> {
    fn move_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.pen.move_to(to);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.pen.line_to(to);
    }

    fn quad_to(&mut self, control_x: f32, control_y: f32, x: f32, y: f32) {
        let (control, to) = (self.at(control_x, control_y), self.at(x, y));
        self.pen.bend_to(control, to);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        // TrueType outlines are quadratic; a cubic would only come from another font.
        let control = self.at((x1 + x2) / 2.0, (y1 + y2) / 2.0);
        let to = self.at(x, y);
        self.pen.bend_to(control, to);
    }

    fn close(&mut self) {
        self.pen.close();
    }
}

/// The text, or its beginning and end around an ellipsis, so that `measure` stays within `limit`.
///
/// Both ends are kept because names of columns often differ only at one of them.
pub(crate) fn shorten(text: &str, limit: f64, measure: impl Fn(&str) -> f64) -> String {
    if measure(text) <= limit {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    for kept in (1..letters.len()).rev() {
        let tail = kept / 3;
        let short: String = letters[..kept - tail]
            .iter()
            .chain(&['…'])
            .chain(&letters[letters.len() - tail..])
            .collect();
        if measure(&short) <= limit {
            return short;
        }
    }
    "…".to_owned()
}

/// The text cut into lines no wider than `limit`, between words.
pub(crate) fn wrap(text: &str, limit: f64, measure: impl Fn(&str) -> f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let joined = lines.last().map(|line| format!("{line} {word}"));
        match joined {
            Some(joined) if measure(&joined) <= limit => {
                *lines.last_mut().expect("there is a last line") = joined;
            }
            _ => lines.push(shorten(word, limit, &measure)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> f64 {
        text.chars().count() as f64
    }

    #[test]
    fn digits_have_the_width_of_the_font() {
        // DejaVu Sans: every digit is 1303 of 2048 units wide.
        assert!((width("0123456789", 20.48) - 130.3).abs() < 1e-9);
        assert_eq!(width("", 12.0), 0.0);
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shorten("petal", 10.0, letters), "petal");
        assert_eq!(shorten("concentration (mg/l)", 10.0, letters), "concen…/l)");
        assert_eq!(shorten("abc", 0.0, letters), "…");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(
            wrap("one two three", 7.0, letters),
            ["one two".to_owned(), "three".to_owned()]
        );
        assert!(wrap("", 7.0, letters).is_empty());
    }

    #[test]
    fn the_built_in_font_knows_the_signs_of_mathematics() {
        for letter in "λσΣμ≤≥±×√∞−…⁻³₂→²πИйé".chars() {
            assert!(FACE.glyph_index(letter).is_some(), "{letter}");
        }
    }
}
