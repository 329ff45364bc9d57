//! What a model draws in the space of its features, laid over a picture of two of them.

use crate::canvas::Form;
use crate::layer::{Content, Dot, Stroke};
use crate::panel::Panel;
use crate::theme::Ink;
use didact_core::model::Described;
use didact_core::{Error, Result, Shape};
use ndarray::{Array2, ArrayView2};

/// Corners of a drawn ellipse.
const CORNERS: usize = 72;

/// Adds the figures to the panel; the notes say what could not be drawn.
pub(crate) fn add(panel: &mut Panel, figures: &[(Described, Shape)]) -> Result<Vec<String>> {
    let plane = panel.plane.ok_or_else(|| {
        Error::unsupported(
            "this picture does not show two features of the data; lay figures over a scatter \
             plot, a decision map or a density",
        )
    })?;
    let mut notes = Vec::new();
    for (described, shape) in figures {
        let dimensions = dimensions(shape);
        let is_shown = match shape {
            // A cut through a hyperplane depends on where the other features are held.
            Shape::Hyperplanes { .. } => dimensions == 2,
            _ => plane.iter().all(|column| *column < dimensions),
        };
        match is_shown {
            true => add_shape(panel, described.name, shape, plane),
            false => notes.push(format!(
                "The figure “{}” has {dimensions} dimensions and cannot be drawn in this plane.",
                described.name
            )),
        }
    }
    Ok(notes)
}

fn dimensions(shape: &Shape) -> usize {
    match shape {
        Shape::Points { points } | Shape::Edges { points, .. } => points.ncols(),
        Shape::Ellipsoids { centers, .. } | Shape::Balls { centers, .. } => centers.ncols(),
        Shape::Axes { origin, .. } => origin.len(),
        Shape::Hyperplanes { normals, .. } => normals.ncols(),
    }
}

fn add_shape(panel: &mut Panel, name: &str, shape: &Shape, plane: [usize; 2]) {
    match shape {
        Shape::Points { points } => {
            panel.points("figure", Some(name), pick(points, plane), ring());
        }
        Shape::Ellipsoids {
            centers,
            covariances,
        } => {
            let mut outer = Vec::new();
            let mut inner = Vec::new();
            for (center, covariance) in pick(centers, plane).zip(covariances) {
                inner.push(ellipse(center, covariance.view(), plane, 1.0));
                outer.push(ellipse(center, covariance.view(), plane, 2.0));
            }
            let label = format!("{}, 1σ and 2σ", name);
            let stroke = Stroke::new(Ink::Text);
            add_lines(panel, Some(&label), inner, stroke.thin());
            add_lines(panel, None, outer, stroke.thin().dashed());
            let center = Dot::round(Ink::Text).sized(3.0);
            panel.points("figure", None, pick(centers, plane), center);
        }
        Shape::Balls { centers, radius } => {
            let round = Array2::eye(centers.ncols());
            let circles = pick(centers, plane)
                .map(|center| ellipse(center, round.view(), plane, *radius))
                .collect();
            add_lines(panel, Some(name), circles, Stroke::new(Ink::Muted).thin());
        }
        Shape::Axes { origin, directions } => {
            let from = [origin[plane[0]], origin[plane[1]]];
            let arrows = pick(directions, plane)
                .map(|step| [from, [from[0] + step[0], from[1] + step[1]]])
                .filter(|[_, to]| to.iter().all(|value| value.is_finite()))
                .collect();
            let content = Content::Arrows(arrows, Stroke::new(Ink::Text));
            panel.push("figure", Some(name), content);
        }
        Shape::Hyperplanes { normals, offsets } => {
            let spans = panel.spans();
            let lines = pick(normals, plane)
                .zip(offsets)
                .filter_map(|(normal, offset)| crossing(normal, *offset, spans))
                .collect();
            add_lines(panel, Some(name), lines, Stroke::new(Ink::Text));
            panel.without_room();
        }
        Shape::Edges { points, edges } => {
            let places: Vec<[f64; 2]> = pick(points, plane).collect();
            let lines = edges
                .iter()
                .filter_map(|(from, to)| Some(vec![*places.get(*from)?, *places.get(*to)?]))
                .collect();
            add_lines(panel, Some(name), lines, Stroke::new(Ink::Muted).thin());
        }
    }
}

/// An open ring that leaves the point under it visible.
fn ring() -> Dot {
    Dot {
        form: Form::Diamond,
        sign: '◇',
        ..Dot::round(Ink::Text).sized(6.5).hollow()
    }
}

fn pick(points: &Array2<f64>, [x, y]: [usize; 2]) -> impl Iterator<Item = [f64; 2]> + '_ {
    points.rows().into_iter().map(move |row| [row[x], row[y]])
}

fn add_lines(panel: &mut Panel, name: Option<&str>, lines: Vec<Vec<[f64; 2]>>, stroke: Stroke) {
    let finite = |line: &Vec<[f64; 2]>| line.iter().flatten().all(|value| value.abs() < 1e300);
    let lines = lines.into_iter().filter(finite).collect();
    panel.push("figure", name, Content::Lines(lines, stroke));
}

/// The line of places at `deviations` standard deviations from the centre, in the plane.
///
/// With S the part of the covariance that belongs to the plane and S = LLᵀ, the places are
/// μ + deviations · L (cos t, sin t)ᵀ. The marginal of a Gaussian is that part of its covariance.
pub(crate) fn ellipse(
    center: [f64; 2],
    covariance: ArrayView2<'_, f64>,
    [x, y]: [usize; 2],
    deviations: f64,
) -> Vec<[f64; 2]> {
    let (xx, xy, yy) = (covariance[[x, x]], covariance[[x, y]], covariance[[y, y]]);
    // A covariance without extent in a direction is a point or a stick there.
    let l11 = xx.max(0.0).sqrt();
    let l21 = if l11 > 0.0 { xy / l11 } else { 0.0 };
    let l22 = (yy - l21 * l21).max(0.0).sqrt();
    (0..=CORNERS)
        .map(|corner| {
            let (sin, cos) = (corner as f64 / CORNERS as f64 * std::f64::consts::TAU).sin_cos();
            [
                center[0] + deviations * l11 * cos,
                center[1] + deviations * (l21 * cos + l22 * sin),
            ]
        })
        .collect()
}

/// The line w·x + b = 0 through the spans, long enough to leave them; none for w = 0.
fn crossing(normal: [f64; 2], offset: f64, spans: [[f64; 2]; 2]) -> Option<Vec<[f64; 2]>> {
    let length = normal[0].hypot(normal[1]);
    if length.is_nan() || length <= 0.0 || !offset.is_finite() {
        return None;
    }
    let unit = [normal[0] / length, normal[1] / length];
    let middle = [0, 1].map(|axis| (spans[axis][0] + spans[axis][1]) / 2.0);
    let reach = (spans[0][1] - spans[0][0]).hypot(spans[1][1] - spans[1][0]);
    // The foot of the perpendicular from the middle of the picture.
    let distance = unit[0] * middle[0] + unit[1] * middle[1] + offset / length;
    let foot = [
        middle[0] - distance * unit[0],
        middle[1] - distance * unit[1],
    ];
    // Equal units may widen the picture beyond the spans.
    let along = [-unit[1] * reach * 2.0, unit[0] * reach * 2.0];
    Some(vec![
        [foot[0] - along[0], foot[1] - along[1]],
        [foot[0] + along[0], foot[1] + along[1]],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn every_place_of_an_ellipse_has_the_same_mahalanobis_distance() {
        let covariance = array![[4.0, 1.0], [1.0, 2.0]];
        // The inverse is [[2, −1], [−1, 4]]/7.
        for [x, y] in ellipse([3.0, -1.0], covariance.view(), [0, 1], 2.0) {
            let (dx, dy) = (x - 3.0, y + 1.0);
            let squared = (2.0 * dx * dx - 2.0 * dx * dy + 4.0 * dy * dy) / 7.0;
            assert!((squared - 4.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_hyperplane_crosses_the_picture_where_it_is_zero() {
        let line = crossing([3.0, 4.0], -5.0, [[0.0, 10.0], [0.0, 10.0]]).unwrap();
        for [x, y] in line {
            assert!((3.0 * x + 4.0 * y - 5.0).abs() < 1e-9);
        }
        assert!(crossing([0.0, 0.0], 1.0, [[0.0, 1.0], [0.0, 1.0]]).is_none());
    }
}
