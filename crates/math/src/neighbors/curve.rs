//! An order in which queries that follow each other are near each other, so that a tree's leaves are
//! still in the cache when they are needed again.

use ndarray::{ArrayView2, Axis};

/// There are at most two to the power of this many cells.
const MOST_BITS: usize = 15;

/// Lists the queries along a space-filling curve (Morton's): cells are visited in the order of their
/// numbers, in which the bits of the columns take turns. There are about as many cells as queries.
///
/// Outliers make the cells coarse and rows of very many columns have a single one; that costs time and
/// nothing else.
pub(super) fn along_curve(queries: ArrayView2<'_, f64>) -> Vec<usize> {
    let bits = (queries.nrows().max(1).ilog2() as usize).min(MOST_BITS);
    let cells = cells(queries, bits);
    let mut starts = vec![0; (1 << bits) + 1];
    for &cell in &cells {
        starts[usize::from(cell) + 1] += 1;
    }
    for cell in 0..1 << bits {
        starts[cell + 1] += starts[cell];
    }
    let mut order = vec![0; cells.len()];
    for (query, &cell) in cells.iter().enumerate() {
        let place = &mut starts[usize::from(cell)];
        order[*place] = query;
        *place += 1;
    }
    order
}

/// The number of each query's cell, of at most so many bits.
fn cells(queries: ArrayView2<'_, f64>, bits: usize) -> Vec<u16> {
    let d = queries.ncols();
    let bits = bits / d.max(1);
    let mut cells = vec![0; queries.nrows()];
    if bits == 0 {
        return cells;
    }
    for (column, values) in queries.axis_iter(Axis(1)).enumerate() {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let steps = f64::from(1_u16 << bits) - 1.0;
        let scale = steps / (greatest - least);
        for (cell, value) in cells.iter_mut().zip(values) {
            // Zero where all values are equal: a conversion of NaN.
            *cell |= spread(((value - least) * scale) as u16, bits, d) << column;
        }
    }
    cells
}

/// Puts `gap` − 1 zeros between the lowest `bits` bits.
fn spread(value: u16, bits: usize, gap: usize) -> u16 {
    (0..bits).fold(0, |spread, bit| {
        spread | ((value >> bit) & 1) << (bit * gap)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;
    use ndarray::{Array2, array};

    #[test]
    fn every_query_is_visited_once() {
        for d in [1, 2, 3, 4, 7, 15, 16, 40] {
            for n in [0, 1, 5, 1000] {
                let mut order = along_curve(random_matrix(n, d, 1).view());
                order.sort_unstable();
                assert!(order.into_iter().eq(0..n), "{n} × {d}");
            }
        }
    }

    #[test]
    fn cells_of_the_plane_are_visited_as_the_letter_z() {
        // Few queries have few cells: one bit for each of both columns.
        let corners = array![[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.1, 0.1]];
        assert_eq!(along_curve(corners.view()), [3, 4, 2, 1, 0]);
    }

    #[test]
    fn steps_along_the_curve_are_less_than_half_as_long() {
        let rows = random_matrix(2000, 3, 1);
        let length = |order: &[usize]| -> f64 {
            let step = |pair: &[usize]| {
                let difference = &rows.row(pair[0]) - &rows.row(pair[1]);
                difference.dot(&difference).sqrt()
            };
            order.windows(2).map(step).sum()
        };
        let given: Vec<usize> = (0..2000).collect();
        assert!(length(&along_curve(rows.view())) < 0.5 * length(&given));
    }

    #[test]
    fn equal_and_huge_values_have_an_order() {
        let equal = Array2::ones((3, 2));
        assert_eq!(along_curve(equal.view()), [0, 1, 2]);
        let huge = array![[f64::MAX], [-f64::MAX], [f64::NAN], [0.0]];
        assert_eq!(along_curve(huge.view()).len(), 4);
    }
}
