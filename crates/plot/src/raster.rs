//! A canvas as PNG.

use crate::canvas::{Anchor, Canvas, Form, Mark, Paint, Pen};
use crate::font::{self, Outline};
use didact_core::{Error, Result};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};

/// The longest side of a picture in pixels.
const LONGEST_SIDE: f64 = 16_384.0;

/// The canvas as the bytes of a PNG file, `scale` pixels per unit.
pub(crate) fn png(canvas: &Canvas, scale: f64) -> Result<Vec<u8>> {
    let longest = canvas.width.max(canvas.height);
    if !(scale > 0.0 && scale * longest <= LONGEST_SIDE && scale * longest >= 16.0) {
        return Err(Error::parameter(
            "scale",
            scale,
            format!(
                "it must be between {:.2} and {:.1} for this picture",
                16.0 / longest,
                LONGEST_SIDE / longest
            ),
        ));
    }
    let pixels = |length: f64| ((length * scale).round() as u32).max(1);
    let mut pixmap = Pixmap::new(pixels(canvas.width), pixels(canvas.height))
        .ok_or_else(|| Error::numerical("the picture is too large to paint"))?;
    let ground = canvas.background;
    pixmap.fill(Color::from_rgba8(
        ground.red,
        ground.green,
        ground.blue,
        255,
    ));
    let zoom = Transform::from_scale(scale as f32, scale as f32);
    for mark in &canvas.marks {
        draw(&mut pixmap, mark, zoom);
    }
    pixmap
        .encode_png()
        .map_err(|error| Error::numerical(format!("the picture cannot be written as PNG: {error}")))
}

fn draw(pixmap: &mut Pixmap, mark: &Mark, zoom: Transform) {
    match mark {
        Mark::Path {
            lines,
            closed,
            fill,
            pen,
            ..
        } => {
            let mut builder = PathBuilder::new();
            for line in lines {
                add_line(&mut builder, line, *closed);
            }
            finish(pixmap, builder, *fill, *pen, FillRule::EvenOdd, zoom);
        }
        Mark::Dots {
            centers,
            form,
            radius,
            fill,
            pen,
            ..
        } => {
            let corners = form.corners(*radius);
            // One by one, so that points that overlap show their rims.
            for [x, y] in centers {
                let mut builder = PathBuilder::new();
                match form {
                    Form::Circle => builder.push_circle(*x as f32, *y as f32, *radius as f32),
                    _ => {
                        let around: Vec<[f64; 2]> =
                            corners.iter().map(|c| [x + c[0], y + c[1]]).collect();
                        add_line(&mut builder, &around, true);
                    }
                }
                finish(pixmap, builder, *fill, *pen, FillRule::Winding, zoom);
            }
        }
        Mark::Text {
            at,
            text,
            size,
            colour,
            anchor,
            turn,
            ..
        } => {
            let width = font::width(text, *size);
            let left = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -width / 2.0,
                Anchor::End => -width,
            };
            let mut letters = Letters(PathBuilder::new());
            font::outline(text, *size, &mut letters);
            // Outlines have y upwards; the canvas has it downwards.
            let place = zoom
                .pre_translate(at[0] as f32, at[1] as f32)
                .pre_rotate(*turn as f32)
                .pre_translate(left as f32, 0.0)
                .pre_scale(1.0, -1.0);
            let fill = Some(Paint::from(*colour));
            finish(pixmap, letters.0, fill, None, FillRule::Winding, place);
        }
    }
}

fn add_line(builder: &mut PathBuilder, line: &[[f64; 2]], closed: bool) {
    for (index, [x, y]) in line.iter().enumerate() {
        match index {
            0 => builder.move_to(*x as f32, *y as f32),
            _ => builder.line_to(*x as f32, *y as f32),
        }
    }
    if closed {
        builder.close();
    }
}

fn finish(
    pixmap: &mut Pixmap,
    builder: PathBuilder,
    fill: Option<Paint>,
    pen: Option<Pen>,
    rule: FillRule,
    place: Transform,
) {
    // There is no path where nothing has an extent, such as a text of spaces.
    let Some(path) = builder.finish() else { return };
    if let Some(paint) = fill {
        pixmap.fill_path(&path, &brush(paint), rule, place, None);
    }
    if let Some(pen) = pen {
        let stroke = Stroke {
            width: pen.width as f32,
            line_cap: match pen.dash {
                Some(_) => LineCap::Butt,
                None => LineCap::Round,
            },
            line_join: LineJoin::Round,
            dash: pen
                .dash
                .and_then(|[on, off]| StrokeDash::new(vec![on as f32, off as f32], 0.0)),
            ..Stroke::default()
        };
        pixmap.stroke_path(&path, &brush(pen.paint), &stroke, place, None);
    }
}

fn brush(paint: Paint) -> tiny_skia::Paint<'static> {
    let mut brush = tiny_skia::Paint::default();
    let alpha = (paint.opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
    brush.set_color_rgba8(
        paint.colour.red,
        paint.colour.green,
        paint.colour.blue,
        alpha,
    );
    brush
}

struct Letters(PathBuilder);

impl Outline for Letters {
    fn move_to(&mut self, [x, y]: [f64; 2]) {
        self.0.move_to(x as f32, y as f32);
    }

    fn line_to(&mut self, [x, y]: [f64; 2]) {
        self.0.line_to(x as f32, y as f32);
    }

    fn bend_to(&mut self, [cx, cy]: [f64; 2], [x, y]: [f64; 2]) {
        self.0.quad_to(cx as f32, cy as f32, x as f32, y as f32);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::rectangle;
    use crate::colour::Colour;

    #[test]
    fn a_filled_rectangle_has_its_colour_and_its_size() {
        let mut canvas = Canvas::new(40.0, 20.0, Colour::hex(0xff_ff_ff));
        let fill = Some(Paint::from(Colour::hex(0x00_72_b2)));
        canvas.rings(
            "cells",
            vec![rectangle([10.0, 5.0, 30.0, 15.0])],
            fill,
            None,
        );
        let pixmap = Pixmap::decode_png(&png(&canvas, 2.0).unwrap()).unwrap();
        assert_eq!((pixmap.width(), pixmap.height()), (80, 40));
        let colour = |x, y| {
            let pixel = pixmap.pixel(x, y).unwrap();
            (pixel.red(), pixel.green(), pixel.blue())
        };
        assert_eq!(colour(40, 20), (0x00, 0x72, 0xb2));
        assert_eq!(colour(2, 2), (0xff, 0xff, 0xff));
    }

    #[test]
    fn a_scale_that_makes_no_picture_is_refused() {
        let canvas = Canvas::new(640.0, 400.0, Colour::hex(0));
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e6, 1e-6] {
            let message = png(&canvas, scale).unwrap_err().to_string();
            assert!(message.starts_with("scale is"), "{message}");
        }
    }
}
