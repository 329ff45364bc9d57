//! A small matrix that many rows are multiplied with.

use super::packed::WIDEST;
use crate::panels::{Panel, Scored, TILE, WIDE_TILE, tile, widest};
use ndarray::ArrayView2;
use pulp::{Arch, Simd, WithSimd};

/// Panels are gone through in turns of about so many values, which stay in the second cache.
const TURN: usize = 1 << 15;

/// The columns of a matrix B in the shape in which many rows are multiplied with all of them.
///
/// Every product is summed from the first column of the rows to the last, whatever is beside it, so
/// what comes out for a row does not depend on the others.
///
/// ```
/// use didact_math::linalg::PackedColumns;
/// use ndarray::array;
/// let columns = PackedColumns::new(array![[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]].view());
/// let mut output = [0.0; 6];
/// columns.multiply(&[1.0, 10.0, 2.0, 20.0], &mut output);
/// assert_eq!(output, [1.0, 10.0, 32.0, 2.0, 20.0, 64.0]);
/// ```
pub struct PackedColumns {
    /// The columns with their signs turned, for panels subtract products from what they start with.
    panels: Vec<Panel>,
    depth: usize,
    width: usize,
}

impl PackedColumns {
    /// Packs the columns of a matrix.
    pub fn new(b: ArrayView2<'_, f64>) -> Self {
        let (depth, width) = b.dim();
        let turned: Vec<f64> = b.t().iter().map(|value| -value).collect();
        let columns: Vec<&[f64]> = turned.chunks_exact(depth.max(1)).collect();
        let zeros = vec![0.0; widest()];
        let panels = columns.chunks(widest()).enumerate();
        PackedColumns {
            panels: panels
                .map(|(index, columns)| Panel::pack(index * widest(), columns, &zeros))
                .collect(),
            depth,
            width,
        }
    }

    /// Writes X·B for the rows of X, which lie one after the other.
    ///
    /// # Panics
    /// When rows and output do not fit together.
    pub fn multiply(&self, rows: &[f64], output: &mut [f64]) {
        assert_eq!(
            rows.len() * self.width,
            output.len() * self.depth,
            "rows and output do not fit together"
        );
        if self.panels.is_empty() {
            return output.fill(0.0);
        }
        let panels = (TURN / (widest() * self.depth)).max(1);
        for panels in self.panels.chunks(panels) {
            Arch::new().dispatch(Product {
                panels,
                rows,
                depth: self.depth,
                width: self.width,
                output: &mut *output,
            });
        }
    }
}

/// The products of rows with some panels.
struct Product<'a> {
    panels: &'a [Panel],
    rows: &'a [f64],
    depth: usize,
    width: usize,
    output: &'a mut [f64],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 => self.fill::<S, WIDE_TILE>(simd),
            _ => self.fill::<S, TILE>(simd),
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn fill<S: Simd, const T: usize>(self, simd: S) {
        let outputs = self.output.chunks_mut(T * self.width);
        for (rows, output) in self.rows.chunks(T * self.depth).zip(outputs) {
            let mut some: [&[f64]; T] = [&[]; T];
            let count = rows.len() / self.depth;
            for (place, row) in rows.chunks_exact(self.depth).enumerate() {
                some[place] = row;
            }
            let mut taker = Taker {
                width: self.width,
                output,
            };
            for panel in self.panels {
                panel.score(simd, tile::<T>(&some[..count]), &mut taker);
            }
        }
    }
}

/// Where the products of a tile go.
struct Taker<'a> {
    width: usize,
    output: &'a mut [f64],
}

impl<S: Simd, const T: usize> Scored<S, T> for Taker<'_> {
    #[inline(always)]
    fn take<const V: usize>(&mut self, _: S, panel: &Panel, scores: &[[S::f64s; V]; T]) {
        // Only what is never reached by a number that is not constant stays in registers.
        let mut values = [[0.0; WIDEST]; T];
        for row in 0..T {
            S::as_mut_simd_f64s(&mut values[row]).0[..V].copy_from_slice(&scores[row]);
        }
        let columns = panel.first..self.width.min(panel.first + V * S::F64_LANES);
        let rows = self.output.chunks_exact_mut(self.width);
        for (output, values) in rows.zip(&values) {
            output[columns.clone()].copy_from_slice(&values[..columns.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::{Array2, s};

    fn product(x: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
        let mut output = Array2::from_elem((x.nrows(), b.ncols()), f64::NAN);
        let values = output.as_slice_mut().unwrap();
        PackedColumns::new(b.view()).multiply(x.as_slice().unwrap(), values);
        output
    }

    // At the borders of registers, panels, tiles and turns.
    #[test]
    fn the_product_is_that_of_the_matrices() {
        for width in [1, 3, 4, 7, 8, 9, 12, 16, 23, 24, 25, 49, 100] {
            for depth in [1, 2, 33, 1500] {
                let b = random_matrix(depth, width, 1);
                for rows in [1, 2, 3, 4, 5, 9] {
                    let x = random_matrix(rows, depth, 2);
                    assert_close(&product(&x, &b), &x.dot(&b), 1e-12 * depth as f64);
                }
            }
        }
    }

    #[test]
    fn a_row_alone_has_the_same_products_to_the_last_bit() {
        let (x, b) = (random_matrix(11, 37, 3), random_matrix(37, 29, 4));
        let together = product(&x, &b);
        for row in 0..11 {
            let alone = product(&x.slice(s![row..=row, ..]).to_owned(), &b);
            assert_eq!(alone.row(0), together.row(row));
        }
    }

    #[test]
    fn what_is_empty_has_empty_products_or_zeros() {
        assert_eq!(
            product(&Array2::zeros((0, 3)), &Array2::zeros((3, 2))).len(),
            0
        );
        assert_eq!(
            product(&Array2::zeros((2, 3)), &Array2::zeros((3, 0))).len(),
            0
        );
        let zeros = product(&Array2::zeros((2, 0)), &Array2::zeros((0, 2)));
        assert_eq!(zeros, Array2::<f64>::zeros((2, 2)));
    }
}
