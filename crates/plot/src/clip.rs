//! Cutting lines and polygons at the border of the axes.
//!
//! Cutting here instead of in the SVG keeps pictures free of identifiers, which would clash
//! when several pictures are put into one page.

/// The part of the plane that is shown: left, top, right, bottom.
pub(crate) type Window = [f64; 4];

pub(crate) fn inside(window: Window, [x, y]: [f64; 2]) -> bool {
    let [left, top, right, bottom] = widened(window);
    x >= left && x <= right && y >= top && y <= bottom
}

/// The window with its border: rounding may put what lies on the border just outside.
fn widened([left, top, right, bottom]: Window) -> Window {
    let slack = 1e-6 * (1.0 + right.abs() + bottom.abs());
    [left - slack, top - slack, right + slack, bottom + slack]
}

/// The pieces of a line that lie in the window.
pub(crate) fn line(window: Window, points: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let window = widened(window);
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    for pair in points.windows(2) {
        let Some([from, to]) = segment(window, pair[0], pair[1]) else {
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&from) => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
    }
    pieces
}

/// The part of a segment that lies in the window (Liang and Barsky).
fn segment(
    [left, top, right, bottom]: Window,
    from: [f64; 2],
    to: [f64; 2],
) -> Option<[[f64; 2]; 2]> {
    let step = [to[0] - from[0], to[1] - from[1]];
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let borders = [
        (-step[0], from[0] - left),
        (step[0], right - from[0]),
        (-step[1], from[1] - top),
        (step[1], bottom - from[1]),
    ];
    for (direction, distance) in borders {
        if direction == 0.0 {
            if distance < 0.0 {
                return None;
            }
        } else if direction < 0.0 {
            enter = enter.max(distance / direction);
        } else {
            leave = leave.min(distance / direction);
        }
    }
    if enter > leave {
        return None;
    }
    // Rounding can leave the window when the ends are far away.
    let along = |share: f64| match share {
        0.0 => from,
        1.0 => to,
        _ => [
            (from[0] + share * step[0]).clamp(left, right),
            (from[1] + share * step[1]).clamp(top, bottom),
        ],
    };
    Some([along(enter), along(leave)])
}

/// The part of a polygon that lies in the window (Sutherland and Hodgman).
pub(crate) fn ring(window: Window, points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if points.iter().all(|point| inside(window, *point)) {
        return points.to_vec();
    }
    let [left, top, right, bottom] = window;
    let mut kept = points.to_vec();
    for (axis, border, sign) in [
        (0, left, 1.0),
        (0, right, -1.0),
        (1, top, 1.0),
        (1, bottom, -1.0),
    ] {
        kept = half_plane(&kept, axis, border, sign);
    }
    kept.iter()
        .map(|[x, y]| [x.clamp(left, right), y.clamp(top, bottom)])
        .collect()
}

/// The part of a polygon where sign·(x − border) ≥ 0 along one axis.
fn half_plane(points: &[[f64; 2]], axis: usize, border: f64, sign: f64) -> Vec<[f64; 2]> {
    let depth = |point: [f64; 2]| sign * (point[axis] - border);
    let mut kept = Vec::with_capacity(points.len() + 2);
    for (index, &to) in points.iter().enumerate() {
        let from = points[(index + points.len() - 1) % points.len()];
        if (depth(from) >= 0.0) != (depth(to) >= 0.0) {
            let share = depth(from) / (depth(from) - depth(to));
            kept.push([
                from[0] + share * (to[0] - from[0]),
                from[1] + share * (to[1] - from[1]),
            ]);
        }
        if depth(to) >= 0.0 {
            kept.push(to);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = [0.0, 0.0, 10.0, 10.0];

    #[test]
    fn a_line_that_leaves_and_returns_falls_into_two_pieces() {
        let pieces = line(WINDOW, &[[5.0, 5.0], [15.0, 5.0], [15.0, 8.0], [5.0, 8.0]]);
        let expected = [[[5.0, 5.0], [10.0, 5.0]], [[10.0, 8.0], [5.0, 8.0]]];
        assert_eq!(pieces.len(), 2);
        for (piece, ends) in pieces.iter().zip(expected) {
            for (place, end) in piece.iter().zip(ends) {
                assert!((place[0] - end[0]).abs() < 1e-4 && place[1] == end[1]);
            }
        }
    }

    #[test]
    fn a_line_along_the_border_is_drawn_whole() {
        // 1e-13 outside, as rounding leaves it.
        let top = -1e-13;
        let pieces = line(WINDOW, &[[0.0, top], [5.0, top], [10.0, top]]);
        assert_eq!(pieces, [vec![[0.0, top], [5.0, top], [10.0, top]]]);
    }

    #[test]
    fn a_line_outside_is_not_drawn() {
        assert!(line(WINDOW, &[[-5.0, 5.0], [-1.0, 20.0]]).is_empty());
        assert!(line(WINDOW, &[[5.0, 5.0]]).is_empty());
    }

    #[test]
    fn a_polygon_is_cut_to_the_window() {
        // A square of side 10 around the corner keeps the quarter of side 5.
        let cut = ring(
            WINDOW,
            &[[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]],
        );
        let area: f64 = (0..cut.len())
            .map(|i| {
                let (a, b) = (cut[i], cut[(i + 1) % cut.len()]);
                (a[0] * b[1] - b[0] * a[1]) / 2.0
            })
            .sum();
        assert!((area.abs() - 25.0).abs() < 1e-12);
        assert!(ring(WINDOW, &[[20.0, 0.0], [30.0, 0.0], [25.0, 5.0]]).is_empty());
    }
}
