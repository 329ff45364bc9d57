//! A canvas as SVG text.

use crate::canvas::{Anchor, Canvas, Form, Mark, Paint, Pen};
use crate::font::FAMILIES;
use std::fmt::Write;

/// More points than this are drawn as plain dots without a rim, which takes a third of the text.
const POINTS_WITH_RIM: usize = 1500;

/// The canvas as a complete SVG document without references to anything outside it.
pub(crate) fn write(canvas: &Canvas, title: &str) -> String {
    let (width, height) = (Number(canvas.width), Number(canvas.height));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FAMILIES}\">\n\
         <title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        escape(title),
        canvas.background
    );
    for mark in &canvas.marks {
        write_mark(&mut svg, mark);
    }
    svg.push_str("</svg>\n");
    svg
}

fn write_mark(svg: &mut String, mark: &Mark) {
    match mark {
        Mark::Path {
            class,
            lines,
            closed,
            fill,
            pen,
        } => {
            let _ = write!(svg, "<path class=\"{class}\" d=\"");
            for line in lines {
                write_line(svg, line, *closed);
            }
            svg.push('"');
            write_fill(svg, *fill);
            if *closed && lines.len() > 1 {
                svg.push_str(" fill-rule=\"evenodd\"");
            }
            write_pen(svg, *pen);
            svg.push_str("/>\n");
        }
        Mark::Dots { .. } => write_dots(svg, mark),
        Mark::Text {
            class,
            at: [x, y],
            text,
            size,
            colour,
            anchor,
            turn,
        } => {
            let _ = write!(
                svg,
                "<text class=\"{class}\" x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{colour}\"",
                Number(*x),
                Number(*y),
                Number(*size)
            );
            match anchor {
                Anchor::Start => {}
                Anchor::Middle => svg.push_str(" text-anchor=\"middle\""),
                Anchor::End => svg.push_str(" text-anchor=\"end\""),
            }
            if *turn != 0.0 {
                let (x, y) = (Number(*x), Number(*y));
                let _ = write!(svg, " transform=\"rotate({} {x} {y})\"", Number(*turn));
            }
            let _ = writeln!(svg, ">{}</text>", escape(text));
        }
    }
}

fn write_dots(svg: &mut String, mark: &Mark) {
    let Mark::Dots {
        class,
        centers,
        form,
        radius,
        fill,
        pen,
        ..
    } = mark
    else {
        return;
    };
    let _ = write!(svg, "<path class=\"{class}\" d=\"");
    if let (true, Some(fill)) = (centers.len() > POINTS_WITH_RIM, fill) {
        // A stroke of no length with round ends is a dot.
        for [x, y] in centers {
            let _ = write!(svg, "M{} {}h0", Number(*x), Number(*y));
        }
        let width = Number(2.0 * radius);
        let colour = fill.colour;
        let _ = write!(
            svg,
            "\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\""
        );
        write_opacity(svg, "stroke-opacity", fill.opacity);
        svg.push_str("/>\n");
        return;
    }
    let corners = form.corners(*radius);
    for [x, y] in centers {
        match form {
            Form::Circle => {
                let (radius, across) = (Number(*radius), Number(2.0 * radius));
                let left = Number(x - radius.0);
                let _ = write!(
                    svg,
                    "M{left} {}a{radius} {radius} 0 1 0 {across} 0a{radius} {radius} 0 1 0 -{across} 0z",
                    Number(*y)
                );
            }
            _ => {
                let around: Vec<[f64; 2]> = corners.iter().map(|c| [x + c[0], y + c[1]]).collect();
                write_line(svg, &around, true);
            }
        }
    }
    svg.push('"');
    write_fill(svg, *fill);
    write_pen(svg, *pen);
    svg.push_str("/>\n");
}

fn write_line(svg: &mut String, line: &[[f64; 2]], closed: bool) {
    for (index, [x, y]) in line.iter().enumerate() {
        let letter = if index == 0 { 'M' } else { 'L' };
        let _ = write!(svg, "{letter}{} {}", Number(*x), Number(*y));
    }
    if closed {
        svg.push('z');
    }
}

fn write_fill(svg: &mut String, fill: Option<Paint>) {
    match fill {
        None => svg.push_str(" fill=\"none\""),
        Some(paint) => {
            let _ = write!(svg, " fill=\"{}\"", paint.colour);
            write_opacity(svg, "fill-opacity", paint.opacity);
        }
    }
}

fn write_pen(svg: &mut String, pen: Option<Pen>) {
    let Some(pen) = pen else { return };
    let _ = write!(
        svg,
        " stroke=\"{}\" stroke-width=\"{}\"",
        pen.paint.colour,
        Number(pen.width)
    );
    write_opacity(svg, "stroke-opacity", pen.paint.opacity);
    if let Some([stroke, gap]) = pen.dash {
        let _ = write!(
            svg,
            " stroke-dasharray=\"{} {}\"",
            Number(stroke),
            Number(gap)
        );
    } else {
        svg.push_str(" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    }
}

fn write_opacity(svg: &mut String, name: &str, opacity: f64) {
    if opacity < 1.0 {
        let _ = write!(svg, " {name}=\"{}\"", (opacity * 100.0).round() / 100.0);
    }
}

/// A coordinate to a tenth of a pixel, as short as possible.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        if tenths < 0 {
            formatter.write_str("-")?;
        }
        let (whole, tenth) = (tenths.abs() / 10, tenths.abs() % 10);
        match tenth {
            0 => write!(formatter, "{whole}"),
            _ => write!(formatter, "{whole}.{tenth}"),
        }
    }
}

/// Text as XML wants it; characters that XML does not know become spaces.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written: Vec<String> = [0.0, -0.04, 1.0, 12.34, -3.06, 100.96]
            .iter()
            .map(|number| Number(*number).to_string())
            .collect();
        assert_eq!(written, ["0", "0", "1", "12.3", "-3.1", "101"]);
    }

    #[test]
    fn text_cannot_break_the_document() {
        assert_eq!(escape("a<b> & \u{1}c"), "a&lt;b&gt; &amp;  c");
    }
}
