//! Pages without anything outside them: text, tables and pictures that follow the reader's theme.

use didact_plot::{Picture, Theme};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Text with the characters that HTML reads as its own replaced.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Colours that pictures use, light and dark, by the name of the variable that stands for both.
#[derive(Default)]
pub(super) struct Palette {
    names: BTreeMap<(String, String), usize>,
}

impl Palette {
    /// The picture as SVG whose colours are variables, so that one drawing serves both themes.
    pub(super) fn draw(&mut self, picture: &Picture) -> String {
        let light = picture.clone().themed(Theme::light()).svg();
        let dark = picture.clone().themed(Theme::dark()).svg();
        let (light_parts, light_colours) = apart(&light);
        let (dark_parts, dark_colours) = apart(&dark);
        if light_parts != dark_parts || light_colours.len() != dark_colours.len() {
            // Themes change colours only; should one ever change more, light is better than none.
            return light;
        }
        let mut drawn = String::with_capacity(light.len());
        let mut colours = light_colours.into_iter().zip(dark_colours);
        for part in light_parts {
            drawn.push_str(part);
            if let Some((light, dark)) = colours.next() {
                let next = self.names.len();
                let number = *self
                    .names
                    .entry((light.to_owned(), dark.to_owned()))
                    .or_insert(next);
                let _ = write!(drawn, "var(--p{number})");
            }
        }
        drawn
    }

    /// The variables with their light and their dark values.
    pub(super) fn styles(&self) -> String {
        let list = |side: fn(&(String, String)) -> &str| {
            let one = |(colours, number): (&(String, String), &usize)| {
                format!("--p{number}:{};", side(colours))
            };
            self.names.iter().map(one).collect::<String>()
        };
        let (light, dark) = (list(|pair| &pair.0), list(|pair| &pair.1));
        format!(
            ":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        )
    }
}

/// The parts of an SVG between the colours of its marks, and the colours.
fn apart(svg: &str) -> (Vec<&str>, Vec<&str>) {
    const START: &str = "=\"#";
    let (mut parts, mut colours, mut rest) = (Vec::new(), Vec::new(), svg);
    let mut from = 0;
    while let Some(found) = rest[from..].find(START) {
        let colour = from + found + START.len() - 1;
        let end = colour + 7;
        let is_colour = rest.len() > end
            && rest.is_char_boundary(end)
            && rest[end..].starts_with('"')
            && rest[colour + 1..end]
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit());
        match is_colour {
            true => {
                parts.push(&rest[..colour]);
                colours.push(&rest[colour..end]);
                rest = &rest[end..];
                from = 0;
            }
            false => from = colour + 1,
        }
    }
    parts.push(rest);
    (parts, colours)
}

/// A table; the columns from `numbers_from` on hold numbers.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>], numbers_from: usize) -> String {
    let cell = |tag: &str, place: usize, text: &str| {
        let class = if place >= numbers_from {
            " class=\"number\""
        } else {
            ""
        };
        format!("<{tag}{class}>{text}</{tag}>")
    };
    let head: String = headings
        .iter()
        .enumerate()
        .map(|(place, heading)| cell("th", place, &escape(heading)))
        .collect();
    let mut text = format!("<div class=\"table\"><table><thead><tr>{head}</tr></thead><tbody>");
    for row in rows {
        let cells: String = row
            .iter()
            .enumerate()
            .map(|(place, value)| cell("td", place, &escape(value)))
            .collect();
        let _ = write!(text, "<tr>{cells}</tr>");
    }
    text.push_str("</tbody></table></div>");
    text
}

/// A paragraph.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_plot::cross_validation;

    #[test]
    fn one_drawing_serves_both_themes() {
        let picture =
            cross_validation(&[("\"#ffffff\" & <b>", &[0.1, 0.4, 0.3][..])], "R²").unwrap();
        let mut palette = Palette::default();
        let drawn = palette.draw(&picture);
        assert!(
            !drawn.contains("fill=\"#") && drawn.contains("var(--p0)"),
            "{drawn}"
        );
        assert!(!drawn.contains("<b>"));
        let styles = palette.styles();
        assert!(styles.contains("prefers-color-scheme:dark"));
        for number in 0..palette.names.len() {
            assert_eq!(
                styles.matches(&format!("--p{number}:#")).count(),
                2,
                "{styles}"
            );
        }
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<a & 'b'>\""), "&lt;a &amp; &#39;b&#39;&gt;&quot;");
        assert!(table(&["<x>"], &[vec!["<y>".to_owned()]], 1).contains("&lt;y&gt;"));
    }
}
