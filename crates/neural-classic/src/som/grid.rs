//! The grid of a map: where its nodes stand and which are neighbours.

use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the nodes of a map are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// Squares: four neighbours, at the distance one.
    #[default]
    Rectangular,
    /// Hexagons: six neighbours, all at the distance one.
    Hexagonal,
}

/// Nodes in rows and columns, numbered row by row.
///
/// ```
/// use didact_neural_classic::{Grid, Topology};
/// let grid = Grid::new(2, 3, Topology::Rectangular);
/// assert_eq!(grid.len(), 6);
/// assert_eq!(grid.distance(0, 5), 5.0_f64.sqrt());
/// assert!(grid.edges().contains(&(1, 4)));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    n_rows: usize,
    n_columns: usize,
    topology: Topology,
    positions: Array2<f64>,
}

/// A hair more than a distance, so that rounding does not part neighbours.
const SLACK: f64 = 1e-9;

impl Grid {
    /// A grid of that many rows and columns.
    pub fn new(n_rows: usize, n_columns: usize, topology: Topology) -> Self {
        let mut positions = Array2::zeros((n_rows * n_columns, 2));
        for (node, mut position) in positions.rows_mut().into_iter().enumerate() {
            let (row, column) = (node / n_columns, node % n_columns);
            let (height, shift) = match topology {
                Topology::Rectangular => (1.0, 0.0),
                Topology::Hexagonal => (0.75_f64.sqrt(), 0.5 * (row % 2) as f64),
            };
            position[0] = row as f64 * height;
            position[1] = column as f64 + shift;
        }
        Grid {
            n_rows,
            n_columns,
            topology,
            positions,
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.positions.nrows()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of rows and of columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.n_rows, self.n_columns)
    }

    /// Where each node stands: down and to the right, in steps between neighbours.
    pub fn positions(&self) -> &Array2<f64> {
        &self.positions
    }

    /// How far apart two nodes stand on the grid.
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        let places = self.positions.as_slice().expect("positions are contiguous");
        let (down, right) = (
            places[2 * a] - places[2 * b],
            places[2 * a + 1] - places[2 * b + 1],
        );
        (down * down + right * right).sqrt()
    }

    /// Pairs of neighbours, each once, the lower number first.
    pub fn edges(&self) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        for node in 0..self.len() {
            // Neighbours with a higher number are in the same row or the next.
            let last = (node + self.n_columns + 2).min(self.len());
            let near = |&other: &usize| self.distance(node, other) <= 1.0 + SLACK;
            edges.extend((node + 1..last).filter(near).map(|other| (node, other)));
        }
        edges
    }

    /// Whether two nodes touch: on squares also at a corner.
    pub(crate) fn touch(&self, a: usize, b: usize) -> bool {
        let reach = match self.topology {
            Topology::Rectangular => 2.0_f64.sqrt(),
            Topology::Hexagonal => 1.0,
        };
        self.distance(a, b) <= reach + SLACK
    }

    /// Half of the longer side, from which a neighbourhood may shrink.
    pub(crate) fn radius(&self) -> f64 {
        (self.n_rows.max(self.n_columns) as f64 / 2.0).max(1.0)
    }

    /// Whether a grid from a file has the positions that belong to it.
    pub(crate) fn is_sound(&self) -> bool {
        self.n_rows.checked_mul(self.n_columns) == Some(self.positions.nrows())
            && !self.is_empty()
            && self.positions.is_standard_layout()
            && *self == Grid::new(self.n_rows, self.n_columns, self.topology)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_nodes_have_four_neighbours_on_squares_and_six_on_hexagons() {
        for (topology, expected) in [(Topology::Rectangular, 4), (Topology::Hexagonal, 6)] {
            let grid = Grid::new(5, 5, topology);
            let degree = |node| {
                let touches = |&&(a, b): &&(usize, usize)| a == node || b == node;
                grid.edges().iter().filter(touches).count()
            };
            for inner in [6, 7, 12, 17, 18] {
                assert_eq!(degree(inner), expected);
            }
        }
    }

    #[test]
    fn corners_touch_on_squares_only() {
        assert!(Grid::new(3, 3, Topology::Rectangular).touch(0, 4));
        assert!(!Grid::new(3, 3, Topology::Rectangular).touch(0, 2));
        assert!(!Grid::new(3, 3, Topology::Hexagonal).touch(0, 4));
    }

    #[test]
    fn a_line_is_a_grid_of_one_row() {
        let line = Grid::new(1, 4, Topology::Hexagonal);
        assert_eq!(line.edges(), [(0, 1), (1, 2), (2, 3)]);
    }
}
