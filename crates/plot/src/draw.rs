//! Drawing the layers of a panel.

use crate::canvas::{Anchor, Mark, Paint, Pen, rectangle};
use crate::clip::{self, Window};
use crate::layer::{Content, Dot, Layer, Stroke, Word};
use crate::layout::{Frame, Sheet};
use crate::theme::Ink;

pub(crate) fn draw_layer(sheet: &mut Sheet<'_>, layer: &Layer, frame: &Frame) {
    let class = layer.class;
    match &layer.content {
        Content::Points(points, dot) => {
            let centers = points
                .iter()
                .map(|point| frame.place(*point))
                .filter(|place| clip::inside(frame.window, *place))
                .collect();
            draw_dots(sheet, class, centers, dot);
        }
        Content::Lines(lines, stroke) => {
            let lines = lines
                .iter()
                .flat_map(|line| {
                    let placed: Vec<[f64; 2]> = line.iter().map(|p| frame.place(*p)).collect();
                    clip::line(frame.window, &placed)
                })
                .collect();
            let pen = pen(sheet, *stroke);
            sheet.canvas.lines(class, lines, pen);
        }
        Content::Region(rings, ink, opacity) => {
            let rings = rings
                .iter()
                .map(|ring| {
                    let placed: Vec<[f64; 2]> = ring.iter().map(|p| frame.place(*p)).collect();
                    clip::ring(frame.window, &placed)
                })
                .filter(|ring| ring.len() > 2)
                .collect();
            let fill = Paint {
                colour: sheet.theme.paint(*ink),
                opacity: *opacity,
            };
            sheet.canvas.rings(class, rings, Some(fill), None);
        }
        Content::Cells(cells, opacity) => draw_cells(sheet, class, cells, *opacity, frame),
        Content::Arrows(arrows, stroke) => draw_arrows(sheet, class, arrows, *stroke, frame),
        Content::Rule {
            at,
            upright,
            stroke,
        } => {
            let [left, top, right, bottom] = frame.window;
            let line = match upright {
                true => [[frame.x.place(*at), top], [frame.x.place(*at), bottom]],
                false => [[left, frame.y.place(*at)], [right, frame.y.place(*at)]],
            };
            let pen = pen(sheet, *stroke);
            let lines = clip::line(frame.window, &line);
            sheet.canvas.lines(class, lines, pen);
        }
        Content::Words { words, sparing } => draw_words(sheet, class, words, *sparing, frame),
    }
}

pub(crate) fn pen(sheet: &Sheet<'_>, stroke: Stroke) -> Pen {
    Pen {
        paint: Paint::from(sheet.theme.paint(stroke.ink)),
        width: stroke.width,
        dash: stroke.dashed.then_some([5.0, 4.0]),
    }
}

pub(crate) fn draw_dots(
    sheet: &mut Sheet<'_>,
    class: &'static str,
    centers: Vec<[f64; 2]>,
    dot: &Dot,
) {
    if centers.is_empty() {
        return;
    }
    let paint = Paint {
        colour: sheet.theme.paint(dot.ink),
        opacity: dot.opacity,
    };
    // A rim in the colour of the ground keeps points apart that overlap.
    let (fill, pen) = match dot.hollow {
        true => {
            let pen = Pen {
                paint,
                width: 1.8,
                dash: None,
            };
            (None, pen)
        }
        false => (Some(paint), sheet.pen(sheet.theme.background, 0.7)),
    };
    sheet.canvas.marks.push(Mark::Dots {
        class,
        centers,
        form: dot.form,
        radius: dot.radius,
        fill,
        pen: Some(pen),
        sign: dot.sign,
    });
}

/// Neighbours of one ink become one path.
fn draw_cells(
    sheet: &mut Sheet<'_>,
    class: &'static str,
    cells: &[([f64; 4], Ink)],
    opacity: f64,
    frame: &Frame,
) {
    let [left, top, right, bottom] = frame.window;
    for run in cells.chunk_by(|one, two| one.1 == two.1) {
        let rings = run
            .iter()
            .map(|([x0, y0, x1, y1], _)| {
                let ([px, py], [qx, qy]) = (frame.place([*x0, *y0]), frame.place([*x1, *y1]));
                [
                    px.min(qx).max(left),
                    py.min(qy).max(top),
                    px.max(qx).min(right),
                    py.max(qy).min(bottom),
                ]
            })
            .filter(|corners| corners[0] < corners[2] && corners[1] < corners[3])
            .map(rectangle)
            .collect();
        let fill = Paint {
            colour: sheet.theme.paint(run[0].1),
            opacity,
        };
        sheet.canvas.rings(class, rings, Some(fill), None);
    }
}

fn draw_arrows(
    sheet: &mut Sheet<'_>,
    class: &'static str,
    arrows: &[[[f64; 2]; 2]],
    stroke: Stroke,
    frame: &Frame,
) {
    let pen = pen(sheet, stroke);
    let (mut shafts, mut heads) = (Vec::new(), Vec::new());
    for [from, to] in arrows {
        let placed = [frame.place(*from), frame.place(*to)];
        shafts.extend(clip::line(frame.window, &placed));
        if clip::inside(frame.window, placed[1]) {
            heads.extend(arrow_head(placed, 3.0 + 2.0 * stroke.width));
        }
    }
    sheet.canvas.lines(class, shafts, pen);
    if !sheet.medium.letters_only {
        sheet
            .canvas
            .rings("arrow-head", heads, Some(pen.paint), None);
    }
}

/// The triangle at the end of an arrow; none for one without length.
fn arrow_head([from, to]: [[f64; 2]; 2], size: f64) -> Option<Vec<[f64; 2]>> {
    let step = [to[0] - from[0], to[1] - from[1]];
    let length = step[0].hypot(step[1]);
    if length < 1e-9 {
        return None;
    }
    let along = [step[0] / length * size, step[1] / length * size];
    let side = [-along[1] * 0.45, along[0] * 0.45];
    let back = [to[0] - along[0], to[1] - along[1]];
    Some(vec![
        to,
        [back[0] + side[0], back[1] + side[1]],
        [back[0] - side[0], back[1] - side[1]],
    ])
}

fn draw_words(
    sheet: &mut Sheet<'_>,
    class: &'static str,
    words: &[Word],
    sparing: bool,
    frame: &Frame,
) {
    let medium = sheet.medium;
    let mut taken: Vec<Window> = Vec::new();
    for word in words {
        let text = medium.shorten(&word.text, medium.length(14.0, 36.0));
        let width = medium.text_width(&text);
        let place = frame.place(word.at);
        if !clip::inside(frame.window, place) {
            continue;
        }
        let unit = medium.size;
        let x = place[0] + word.shift[0] * unit;
        let left = match word.anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let half = medium.line_height() / 2.0;
        // Other heights are tried where the first one is taken.
        let tries: &[f64] = match sparing {
            true => &[0.0, -0.7, 0.7, -1.4, 1.4],
            false => &[0.0],
        };
        let free = tries.iter().find_map(|try_at| {
            let middle = place[1] + (word.shift[1] + try_at) * unit;
            let around = [left, middle - half * 0.8, left + width, middle + half * 0.8];
            let clashes = |other: &Window| {
                around[0] < other[2]
                    && other[0] < around[2]
                    && around[1] < other[3]
                    && other[1] < around[3]
            };
            (!sparing || !taken.iter().any(clashes)).then_some((middle, around))
        });
        if let Some((middle, around)) = free {
            taken.push(around);
            let colour = sheet.theme.paint(word.ink);
            sheet.text(class, [left, middle], text, colour, Anchor::Start);
        }
    }
}
