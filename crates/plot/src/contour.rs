//! Lines and regions of a function that is known on a grid.
//!
//! Marching squares: the function is taken as linear along the edges of each cell, so the line
//! at a level crosses an edge where the linear function reaches it. Where a cell could be
//! crossed in two ways the mean of its corners decides.

use ndarray::{Array2, ArrayView2};

/// A function on a grid: rows belong to `ys`, columns to `xs`.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) xs: Vec<f64>,
    pub(crate) ys: Vec<f64>,
}

impl Grid {
    /// A grid over the spans with the given numbers of places.
    pub(crate) fn over(x: [f64; 2], y: [f64; 2], [across, up]: [usize; 2]) -> Self {
        let places = |[low, high]: [f64; 2], count: usize| {
            (0..count)
                .map(|index| low + (high - low) * index as f64 / (count - 1) as f64)
                .collect()
        };
        Grid {
            xs: places(x, across),
            ys: places(y, up),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.xs.len() * self.ys.len()
    }

    /// The places one by one, along the rows.
    pub(crate) fn places(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.ys
            .iter()
            .flat_map(|y| self.xs.iter().map(move |x| [*x, *y]))
    }

    /// The lines along which the function has the given value; closed ones end where they start.
    pub(crate) fn lines(&self, values: ArrayView2<'_, f64>, level: f64) -> Vec<Vec<[f64; 2]>> {
        trace(&self.xs, &self.ys, values, level)
    }

    /// Rings around the places where the function is at least `level`, for the even–odd rule.
    pub(crate) fn regions(&self, values: ArrayView2<'_, f64>, level: f64) -> Vec<Vec<[f64; 2]>> {
        // A border below the level, at the same places as the outermost values, closes every
        // line there.
        let (rows, columns) = values.dim();
        let mut bordered = Array2::from_elem((rows + 2, columns + 2), level - 1.0);
        bordered
            .slice_mut(ndarray::s![1..=rows, 1..=columns])
            .assign(&values);
        let widened = |places: &[f64]| -> Vec<f64> {
            let (first, last) = (places[0], places[places.len() - 1]);
            std::iter::once(first)
                .chain(places.iter().copied())
                .chain([last])
                .collect()
        };
        trace(
            &widened(&self.xs),
            &widened(&self.ys),
            bordered.view(),
            level,
        )
    }
}

/// The crossings of cell edges, linked to lines.
fn trace(xs: &[f64], ys: &[f64], values: ArrayView2<'_, f64>, level: f64) -> Vec<Vec<[f64; 2]>> {
    let links = link(values, level);
    let columns = xs.len();
    let place = |edge: usize| -> [f64; 2] {
        let (row, column) = (edge / 2 / columns, edge / 2 % columns);
        let (other_row, other_column) = match edge % 2 {
            0 => (row, column + 1),
            _ => (row + 1, column),
        };
        let (here, there) = (values[[row, column]], values[[other_row, other_column]]);
        let share = ((level - here) / (there - here)).clamp(0.0, 1.0);
        [
            xs[column] + share * (xs[other_column] - xs[column]),
            ys[row] + share * (ys[other_row] - ys[row]),
        ]
    };
    let mut visited = vec![false; links.len()];
    let mut lines = Vec::new();
    let is_end = |edge: &usize| links[*edge][0].is_some() != links[*edge][1].is_some();
    let is_crossed = |edge: &usize| links[*edge][0].is_some();
    // Open lines from their ends first; what remains are rings.
    let starts = (0..links.len())
        .filter(is_end)
        .chain((0..links.len()).filter(is_crossed));
    for start in starts {
        if visited[start] {
            continue;
        }
        let mut line = Vec::new();
        let mut current = Some(start);
        while let Some(edge) = current {
            visited[edge] = true;
            line.push(place(edge));
            current = links[edge]
                .iter()
                .flatten()
                .find(|next| !visited[**next])
                .copied();
        }
        if !is_end(&start) {
            line.push(line[0]);
        }
        lines.push(straighten(line));
    }
    lines
}

/// For each edge of the grid the edges that the line goes on to.
///
/// Edge 2·(row·columns + column) leads to the right neighbour, the next one to the upper.
fn link(values: ArrayView2<'_, f64>, level: f64) -> Vec<[Option<usize>; 2]> {
    let (rows, columns) = values.dim();
    let mut links = vec![[None; 2]; 2 * rows * columns];
    let mut join = |one: usize, two: usize| {
        for (from, to) in [(one, two), (two, one)] {
            let slot = usize::from(links[from][0].is_some());
            links[from][slot] = Some(to);
        }
    };
    for row in 0..rows.saturating_sub(1) {
        for column in 0..columns.saturating_sub(1) {
            let corner = |down: usize, right: usize| values[[row + down, column + right]];
            let above = |down: usize, right: usize| corner(down, right) >= level;
            let bottom = 2 * (row * columns + column);
            let left = bottom + 1;
            let top = 2 * ((row + 1) * columns + column);
            let right = 2 * (row * columns + column + 1) + 1;
            let case = u8::from(above(0, 0))
                | u8::from(above(0, 1)) << 1
                | u8::from(above(1, 1)) << 2
                | u8::from(above(1, 0)) << 3;
            let mean = (corner(0, 0) + corner(0, 1) + corner(1, 0) + corner(1, 1)) / 4.0;
            match case {
                0 | 15 => {}
                1 | 14 => join(left, bottom),
                2 | 13 => join(bottom, right),
                4 | 11 => join(right, top),
                8 | 7 => join(top, left),
                3 | 12 => join(left, right),
                6 | 9 => join(bottom, top),
                _ => {
                    // Opposite corners: the mean says which pair is joined through the middle.
                    if (case == 5) == (mean >= level) {
                        join(bottom, right);
                        join(top, left);
                    } else {
                        join(left, bottom);
                        join(right, top);
                    }
                }
            }
        }
    }
    links
}

/// The line without points that lie on the way between their neighbours.
fn straighten(line: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let mut kept: Vec<[f64; 2]> = Vec::with_capacity(line.len());
    for point in line {
        if let [.., before, last] = kept[..] {
            let cross = (last[0] - before[0]) * (point[1] - before[1])
                - (last[1] - before[1]) * (point[0] - before[0]);
            let size = (last[0] - before[0]).hypot(last[1] - before[1])
                * (point[0] - before[0]).hypot(point[1] - before[1]);
            if cross.abs() <= 1e-9 * size {
                kept.pop();
            }
        }
        kept.push(point);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(ring: &[[f64; 2]]) -> f64 {
        let doubled: f64 = (0..ring.len())
            .map(|i| {
                let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
                a[0] * b[1] - b[0] * a[1]
            })
            .sum();
        (doubled / 2.0).abs()
    }

    #[test]
    fn the_level_line_of_a_plane_is_straight() {
        let grid = Grid::over([0.0, 4.0], [0.0, 4.0], [5, 5]);
        let values = Array2::from_shape_fn((5, 5), |(_, x)| x as f64);
        // x = 1.5 from the bottom to the top, without points between.
        assert_eq!(
            grid.lines(values.view(), 1.5),
            [vec![[1.5, 0.0], [1.5, 4.0]]]
        );
    }

    #[test]
    fn the_region_of_a_plane_is_a_rectangle() {
        let grid = Grid::over([0.0, 4.0], [0.0, 4.0], [5, 5]);
        let values = Array2::from_shape_fn((5, 5), |(_, x)| x as f64);
        let rings = grid.regions(values.view(), 1.5);
        assert_eq!(rings.len(), 1);
        assert!((area(&rings[0]) - 10.0).abs() < 1e-12);
    }

    #[test]
    fn a_circle_is_closed_and_has_its_area() {
        let grid = Grid::over([-2.0, 2.0], [-2.0, 2.0], [101, 101]);
        let heights: Vec<f64> = grid.places().map(|[x, y]| -(x * x + y * y)).collect();
        let values = Array2::from_shape_vec((101, 101), heights).unwrap();
        let lines = grid.lines(values.view(), -1.0);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        // π up to the square of the cell size: chords of length 0.04 in a unit circle.
        assert!((area(&lines[0]) - std::f64::consts::PI).abs() < 2e-3);
    }

    #[test]
    fn a_saddle_is_resolved_by_the_mean() {
        let grid = Grid::over([0.0, 1.0], [0.0, 1.0], [2, 2]);
        // Corners 1 and 1 opposite of 0 and 0: at 0.4 the mean 0.5 joins the high corners,
        // at 0.6 it parts them; two lines either way.
        let values = ndarray::array![[1.0, 0.0], [0.0, 1.0]];
        for (level, joined) in [(0.4, true), (0.6, false)] {
            let lines = grid.lines(values.view(), level);
            assert_eq!(lines.len(), 2);
            let rings = grid.regions(values.view(), level);
            assert_eq!(rings.len() == 1, joined, "{level}");
        }
    }
}
