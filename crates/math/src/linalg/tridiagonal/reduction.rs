//! Reflections that turn a symmetric matrix into a tridiagonal one.
//!
//! Every reflection needs the product of the matrix with a vector, and the matrix is larger than the
//! fastest caches. So it is only read, in one pass for both triangles, while the reflections of
//! a panel of columns are found; what they do to the rest is a product of matrices after each panel
//! (Dongarra, Hammarling and Sorensen 1989).

use super::super::convert::for_each_in_tiles;
use super::super::reflections::{
    PANEL, along, combine, entries, join, reflect, turn, write_direction,
};
use super::super::sweep::{GROUP, LANES, add_and_multiply};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatMut, Par};
use ndarray::ArrayView2;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// A product with fewer entries of the matrix is not shared out.
const SHARED: usize = 1 << 16;

/// The lower triangle of a matrix, every value times `factor`: zero above the diagonal, and padded
/// with zeros to whole lanes.
pub(in super::super) fn lower_triangle(matrix: ArrayView2<'_, f64>, factor: f64) -> Mat<f64> {
    let padded = matrix.nrows().next_multiple_of(LANES);
    let mut lower = Mat::zeros(padded, padded);
    for_each_in_tiles(matrix.dim(), |i, j| {
        if j <= i {
            lower[(i, j)] = matrix[[i, j]] * factor;
        }
    });
    lower
}

/// A symmetric matrix as H·T·Hᵀ: a tridiagonal matrix T between products H of reflections.
pub(in super::super) struct Reduced {
    size: usize,
    /// T's diagonal and the links beside it, and below them the reflections I − v·vᵀ ⁄ τ: column `i`
    /// holds v from row `i + 2` on, and in the row above v is one. Padded with zeros to whole lanes.
    matrix: Mat<f64>,
    /// For each panel the triangle that joins its reflections, with the τ on the diagonal.
    joints: Mat<f64>,
}

/// The reflections of a panel: together they change the matrix by −V·Wᵀ − W·Vᵀ.
struct Panel {
    /// V, the v of the reflections with their ones and zeros, and W.
    columns: [Mat<f64>; 2],
    /// Parts of the product of the matrix with a vector.
    products: Vec<Vec<f64>>,
}

impl Reduced {
    /// Reduces a symmetric matrix of this size, given as [`lower_triangle`] writes it, in about
    /// 4⁄3·n³ operations.
    pub(in super::super) fn new(matrix: Mat<f64>, size: usize, parts: Par) -> Self {
        let padded = matrix.nrows();
        let width = PANEL.min(size);
        let mut reduced = Reduced {
            size,
            matrix,
            joints: Mat::zeros(width, size.saturating_sub(1)),
        };
        // Columns go in pairs.
        let room = || Mat::zeros(padded, width.next_multiple_of(2));
        let mut panel = Panel {
            columns: [room(), room()],
            products: vec![vec![0.0; padded]; parts.degree()],
        };
        for first in (0..size.saturating_sub(1)).step_by(PANEL) {
            reduced.reduce_panel(first, &mut panel, parts);
        }
        reduced
    }

    /// T's diagonal and the links beside it.
    pub(in super::super) fn tridiagonal(&self) -> (Vec<f64>, Vec<f64>) {
        (
            (0..self.size).map(|i| self.matrix[(i, i)]).collect(),
            (1..self.size).map(|i| self.matrix[(i, i - 1)]).collect(),
        )
    }

    /// Replaces the columns x by H·x.
    pub(in super::super) fn turn_back(&self, columns: MatMut<'_, f64>, parts: Par) {
        let n = columns.nrows();
        if n > 1 {
            let reflections = self.matrix.as_ref().submatrix(1, 0, n - 1, n - 1);
            let joints = self.joints.as_ref();
            turn(reflections, joints, columns.subrows_mut(1, n - 1), parts);
        }
    }

    /// Finds the reflections of the columns from `first` on and changes the matrix behind them.
    fn reduce_panel(&mut self, first: usize, panel: &mut Panel, parts: Par) {
        let n = self.size;
        let width = PANEL.min(n - 1 - first);
        let mut scales = [0.0; PANEL];
        for place in 0..width {
            let column = first + place;
            panel.update(&mut self.matrix, column, place);
            let below = &mut self.matrix.col_as_slice_mut(column)[column + 1..n];
            scales[place] = reflect(below);
            let [directions, _] = &mut panel.columns;
            write_direction(directions.col_as_slice_mut(place), column + 1, &below[1..]);
            panel.respond(&self.matrix, column + 1, place, scales[place], parts);
        }
        join(&mut self.joints, &panel.columns[0], first, &scales[..width]);
        let behind = first + width;
        let mut rest = self
            .matrix
            .as_mut()
            .submatrix_mut(behind, behind, n - behind, n - behind);
        let [directions, responses] = &panel.columns;
        let [directions, responses] =
            [directions, responses].map(|all| all.as_ref().submatrix(behind, 0, n - behind, width));
        for [left, right] in [[directions, responses], [responses, directions]] {
            matmul(
                rest.as_mut(),
                BlockStructure::TriangularLower,
                Accum::Add,
                left,
                BlockStructure::Rectangular,
                right.transpose(),
                BlockStructure::Rectangular,
                -1.0,
                parts,
            );
        }
    }
}

impl Panel {
    /// Lets the first reflections of the panel change a column of the matrix, from the diagonal on.
    fn update(&self, matrix: &mut Mat<f64>, column: usize, count: usize) {
        let start = column / LANES * LANES;
        let [directions, responses] = entries(&self.columns, column, count);
        let output = &mut matrix.col_as_slice_mut(column)[start..];
        combine(&self.columns, &[responses, directions], start, output);
    }

    /// The w of a reflection: with p = A·v ⁄ τ it is p − (pᵀv ⁄ 2τ)·v, where A is the matrix as the
    /// reflections before have changed it, from row and column `corner` on.
    fn respond(&mut self, matrix: &Mat<f64>, corner: usize, place: usize, scale: f64, parts: Par) {
        let start = corner / LANES * LANES;
        self.multiply(matrix, corner, place, parts);
        let (product, others) = self.products.split_first_mut().expect("at least one part");
        let mut response = std::mem::take(product);
        for part in others {
            add(&mut response[start..], &part[start..]);
        }
        let direction = &self.columns[0].col_as_slice(place)[start..];
        let [directions, responses] = along(&self.columns, [place; 2], start, direction);
        let output = &mut response[start..];
        combine(&self.columns, &[responses, directions], start, output);
        response[..corner].fill(0.0);
        let inverse = scale.recip();
        let along: f64 = direction
            .iter()
            .zip(&response[start..])
            .map(|(v, p)| v * p)
            .sum();
        let half = 0.5 * inverse * inverse * along;
        for (value, v) in response[start..].iter_mut().zip(direction) {
            *value = inverse * *value - half * v;
        }
        self.columns[1]
            .col_as_slice_mut(place)
            .copy_from_slice(&response);
        self.products[0] = response;
    }

    /// Writes the product of the matrix from row and column `corner` on with a direction, which is
    /// zero before, in parts that are still to be added.
    fn multiply(&mut self, matrix: &Mat<f64>, corner: usize, place: usize, parts: Par) {
        let start = corner / LANES * LANES;
        let end = matrix.ncols();
        let vector = self.columns[0].col_as_slice(place);
        let count = match (end - start).pow(2) / 2 < SHARED {
            true => 1,
            false => self.products.len(),
        };
        // Parts of equal area of the triangle, whose columns become shorter towards the right.
        let border = |part: usize| {
            let left = 1.0 - part as f64 / count as f64;
            let columns = (end - start) as f64 * (1.0 - left.sqrt());
            start + columns as usize / GROUP * GROUP
        };
        let work = |(part, output): (usize, &mut Vec<f64>)| {
            output[start..].fill(0.0);
            if part < count {
                Arch::new().dispatch(Product {
                    matrix,
                    columns: border(part)..border(part + 1),
                    vector,
                    output,
                });
            }
        };
        match parts == Par::Seq || count == 1 {
            true => self.products.iter_mut().enumerate().for_each(work),
            false => self.products.par_iter_mut().enumerate().for_each(work),
        }
    }
}

/// Adds the product of some columns of a symmetric matrix, and of the rows that mirror them, with
/// a vector. Above the diagonal the matrix is zero.
struct Product<'a> {
    matrix: &'a Mat<f64>,
    columns: Range<usize>,
    vector: &'a [f64],
    output: &'a mut [f64],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for column in self.columns.step_by(GROUP) {
            let start = column / LANES * LANES;
            let mut group = [&[][..]; GROUP];
            for (place, values) in group.iter_mut().enumerate() {
                *values = &self.matrix.col_as_slice(column + place)[start..];
            }
            let mut factors = [0.0; GROUP];
            factors.copy_from_slice(&self.vector[column..column + GROUP]);
            let output = &mut self.output[start..];
            let products = add_and_multiply(simd, group, &self.vector[start..], factors, output);
            for place in 0..GROUP {
                // The entry on the diagonal was in both.
                let row = column - start + place;
                output[row] += products[place] - group[place][row] * factors[place];
            }
        }
    }
}

fn add(sums: &mut [f64], values: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::Array2;

    /// H·T·Hᵀ.
    fn restored(reduced: &Reduced) -> Array2<f64> {
        let n = reduced.size;
        let (diagonal, links) = reduced.tridiagonal();
        let mut product = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => diagonal[i],
            1 => links[i.min(j)],
            _ => 0.0,
        });
        reduced.turn_back(product.as_mut(), Par::Seq);
        let mut product = product.transpose().to_owned();
        reduced.turn_back(product.as_mut(), Par::Seq);
        Array2::from_shape_fn((n, n), |(i, j)| product[(i, j)])
    }

    // Sizes at the borders of lanes, pairs and panels, and one that is shared out.
    #[test]
    fn reflections_and_the_tridiagonal_matrix_restore_a_symmetric_one() {
        for n in [1, 2, 3, 7, 8, 9, 31, 32, 33, 34, 64, 65, 66, 100, 400] {
            let root = random_matrix(n, n, n as u64);
            let matrix = &root + &root.t();
            for parts in [Par::Seq, Par::rayon(2), Par::rayon(4)] {
                let reduced = Reduced::new(lower_triangle(matrix.view(), 2.0), n, parts);
                assert_close(&restored(&reduced), &(2.0 * &matrix), 1e-12);
            }
        }
    }

    #[test]
    fn what_is_above_the_diagonal_is_not_read() {
        let mut matrix = random_matrix(40, 40, 1);
        let reduce = |matrix: &Array2<f64>| {
            Reduced::new(lower_triangle(matrix.view(), 1.0), 40, Par::Seq).tridiagonal()
        };
        let before = reduce(&matrix);
        for i in 0..40 {
            for j in i + 1..40 {
                matrix[[i, j]] = f64::MAX;
            }
        }
        assert_eq!(reduce(&matrix), before);
    }

    // Nothing is left to reflect: lengths of zero must not be divided by.
    #[test]
    fn tridiagonal_and_zero_matrices_stay_as_they_are() {
        for n in [2, 33, 50] {
            let chain = Array2::from_shape_fn((n, n), |(i, j)| match i.abs_diff(j) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            for matrix in [chain, Array2::zeros((n, n))] {
                let reduced = Reduced::new(lower_triangle(matrix.view(), 1.0), n, Par::Seq);
                assert_close(&restored(&reduced), &matrix, 1e-15);
            }
        }
    }
}
