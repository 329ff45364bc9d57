//! Reflections from both sides that turn a matrix into a bidiagonal one.
//!
//! Every pair of reflections needs the products of the matrix with a vector from the left and with another
//! from the right. The second vector is made of the entries of the first product, so both products
//! are taken in one pass, group of columns by group of columns. As with symmetric matrices, what the
//! reflections of a panel do to the rest is a product of matrices after each panel.

use super::super::convert::for_each_in_tiles;
use super::super::reflections::{
    PANEL, along, combine, entries, join, reflect, turn, write_direction,
};
use super::super::sweep::{GROUP, LANES, add_columns, inner_products};
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, Par};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::mem::take;

/// Products with fewer entries of the matrix are not shared out.
const SHARED: usize = 1 << 16;

/// A matrix with at least as many rows as columns as H·B·Kᵀ: an upper bidiagonal matrix B between
/// products H and K of reflections.
pub(in super::super) struct Reduced {
    rows: usize,
    columns: usize,
    /// The reflections I − u·uᵀ ⁄ τ of H, column `i` holding u from row `i + 1` on, and those of K, row
    /// `i` holding v from column `i + 2` on; the entries before are one. Padded with zeros.
    matrix: Mat<f64>,
    /// For each panel the triangle that joins its reflections, with the τ on the diagonal.
    left_joints: Mat<f64>,
    right_joints: Mat<f64>,
    /// B's diagonal and the links above it.
    diagonal: Vec<f64>,
    links: Vec<f64>,
}

/// The reflections of a panel: together they change the matrix by −U·Yᵀ − X·Vᵀ.
struct Panel {
    /// U and X, whose columns are as long as those of the matrix.
    tall: [Mat<f64>; 2],
    /// Y and V, whose columns are as long as its rows.
    wide: [Mat<f64>; 2],
    /// The rows of the panel as they were before it, as columns.
    rows: Mat<f64>,
    /// Parts of the product of the matrix with a vector.
    products: Vec<Vec<f64>>,
}

/// Room for a matrix of this shape that [`Reduced::new`] can work on: zero beyond it.
pub(in super::super) fn padded(rows: usize, columns: usize) -> Mat<f64> {
    Mat::zeros(
        rows.next_multiple_of(LANES),
        columns.next_multiple_of(LANES),
    )
}

impl Reduced {
    /// Reduces the matrix in the first rows and columns of a [`padded`] one, in about
    /// 4·n²·(m − n⁄3) operations.
    pub(in super::super) fn new(
        matrix: Mat<f64>,
        (rows, columns): (usize, usize),
        parts: Par,
    ) -> Self {
        assert!(rows >= columns, "the transpose is to be reduced");
        let width = PANEL.min(columns);
        // Columns go in pairs.
        let room = |length| Mat::zeros(length, width.next_multiple_of(2));
        let (tall, wide) = (matrix.nrows(), matrix.ncols());
        let mut panel = Panel {
            tall: [room(tall), room(tall)],
            wide: [room(wide), room(wide)],
            rows: room(wide),
            products: vec![vec![0.0; tall]; parts.degree()],
        };
        let mut reduced = Reduced {
            rows,
            columns,
            matrix,
            left_joints: Mat::zeros(width, columns),
            right_joints: Mat::zeros(width, columns.saturating_sub(1)),
            diagonal: vec![0.0; columns],
            links: vec![0.0; columns.saturating_sub(1)],
        };
        for first in (0..columns).step_by(PANEL) {
            reduced.reduce_panel(first, &mut panel, parts);
        }
        reduced
    }

    /// B's diagonal and the links above it.
    pub(in super::super) fn take_bidiagonal(&mut self) -> (Vec<f64>, Vec<f64>) {
        (take(&mut self.diagonal), take(&mut self.links))
    }

    /// Replaces the columns u by H·u and the columns v by K·v.
    pub(in super::super) fn turn_back(
        mut self,
        u: MatMut<'_, f64>,
        v: MatMut<'_, f64>,
        parts: Par,
    ) {
        let (m, n) = (self.rows, self.columns);
        let reflections = self.matrix.as_ref().submatrix(0, 0, m, n);
        turn(reflections, self.left_joints.as_ref(), u, parts);
        if n < 2 {
            return;
        }
        for_each_in_tiles((n, n), |i, j| {
            if j < i {
                self.matrix[(i, j)] = self.matrix[(j, i)];
            }
        });
        let reflections = self.matrix.as_ref().submatrix(1, 0, n - 1, n - 1);
        let joints = self.right_joints.as_ref();
        turn(reflections, joints, v.subrows_mut(1, n - 1), parts);
    }

    /// Finds the reflections of the rows and columns from `first` on and changes the matrix behind them.
    fn reduce_panel(&mut self, first: usize, panel: &mut Panel, parts: Par) {
        let (m, n) = (self.rows, self.columns);
        let width = PANEL.min(n - first);
        panel.take_rows(&self.matrix, first, width);
        let (mut left_scales, mut right_scales) = ([0.0; PANEL], [0.0; PANEL]);
        for place in 0..width {
            let column = first + place;
            panel.update(&mut self.matrix, column, place);
            let below = &mut self.matrix.col_as_slice_mut(column)[column..m];
            left_scales[place] = reflect(below);
            self.diagonal[column] = below[0];
            let [left, _] = &mut panel.tall;
            write_direction(left.col_as_slice_mut(place), column, &below[1..]);
            let Some(link) = self.links.get_mut(column) else {
                break;
            };
            let mut row = panel.respond(&self.matrix, column, place, left_scales[place], parts);
            let head = row[column + 1];
            right_scales[place] = reflect(&mut row[column + 1..n]);
            *link = row[column + 1];
            let [_, right] = &mut panel.wide;
            write_direction(
                right.col_as_slice_mut(place),
                column + 1,
                &row[column + 2..n],
            );
            let reflected = [head, *link];
            panel.respond_to_row(&self.matrix, column, place, right_scales[place], reflected);
        }
        let right_width = width.min(self.links.len() - first);
        let ([left, _], [_, right]) = (&panel.tall, &panel.wide);
        join(&mut self.left_joints, left, first, &left_scales[..width]);
        join(
            &mut self.right_joints,
            right,
            first,
            &right_scales[..right_width],
        );
        panel.keep_rows(&mut self.matrix, first, width, n);
        let behind = first + width;
        let rest = self
            .matrix
            .as_mut()
            .submatrix_mut(behind, behind, m - behind, n - behind);
        panel.change(rest, behind, width, parts);
    }
}

impl Panel {
    fn take_rows(&mut self, matrix: &Mat<f64>, first: usize, width: usize) {
        for column in first..matrix.ncols() {
            let entries = &matrix.col_as_slice(column)[first..first + width];
            for (place, &entry) in entries.iter().enumerate() {
                self.rows[(column, place)] = entry;
            }
        }
    }

    /// Writes the directions of the right side into the rows of the matrix.
    fn keep_rows(&self, matrix: &mut Mat<f64>, first: usize, width: usize, columns: usize) {
        for column in first + 2..columns {
            let count = width.min(column - first - 1);
            let entries = &mut matrix.col_as_slice_mut(column)[first..first + count];
            for (place, entry) in entries.iter_mut().enumerate() {
                *entry = self.wide[1][(column, place)];
            }
        }
    }

    /// Lets the first reflections of the panel change a column of the matrix, from the diagonal on.
    fn update(&self, matrix: &mut Mat<f64>, column: usize, count: usize) {
        let start = column / LANES * LANES;
        let output = &mut matrix.col_as_slice_mut(column)[start..];
        // Directions of earlier rows stand above the diagonal.
        let mut above = [0.0; LANES];
        above[..column - start].copy_from_slice(&output[..column - start]);
        combine(
            &self.tall,
            &entries(&self.wide, column, count),
            start,
            output,
        );
        output[..column - start].copy_from_slice(&above[..column - start]);
    }

    /// Writes the y of a reflection, Aᵀ·u ⁄ τ for the matrix A as the reflections before have changed
    /// it. Gives the row that is reflected next, A's less y, and leaves its product with the matrix.
    fn respond(
        &mut self,
        matrix: &Mat<f64>,
        column: usize,
        place: usize,
        scale: f64,
        parts: Par,
    ) -> Vec<f64> {
        let start = column / LANES * LANES;
        let first = (column + 1) / GROUP * GROUP;
        let direction = &self.tall[0].col_as_slice(place)[start..];
        let mut response = vec![0.0; self.rows.nrows()];
        let changes = along(&self.tall, [place; 2], start, direction);
        combine(&self.wide, &changes, 0, &mut response);
        let mut row = self.rows.col_as_slice(place).to_vec();
        combine(&self.wide, &entries(&self.tall, column, place), 0, &mut row);
        let columns = matrix.ncols() - first;
        let count = match (matrix.nrows() - start) * columns < SHARED {
            true => 1,
            false => self.products.len(),
        };
        let size = columns.div_ceil(count).next_multiple_of(GROUP);
        let work = |(part, response, row, product): Part<'_>| {
            product[start..].fill(0.0);
            Arch::new().dispatch(Sweep {
                matrix,
                columns: first + part * size,
                after: column,
                start,
                direction,
                inverse: scale.recip(),
                response,
                row,
                product: &mut product[start..],
            });
        };
        let responses = response[first..].chunks_mut(size);
        let rows = row[first..].chunks_mut(size);
        let products = responses.zip(rows).zip(&mut self.products).enumerate();
        let products: Vec<Part<'_>> = products
            .map(|(part, ((response, row), product))| (part, response, row, product))
            .collect();
        let used = products.len();
        match parts == Par::Seq || used == 1 {
            true => products.into_iter().for_each(work),
            false => products.into_par_iter().for_each(work),
        }
        let (product, others) = self.products[..used].split_at_mut(1);
        for other in others {
            for (sum, value) in product[0][start..].iter_mut().zip(&other[start..]) {
                *sum += value;
            }
        }
        self.wide[0]
            .col_as_slice_mut(place)
            .copy_from_slice(&response);
        row
    }

    /// Writes the x of a reflection of the row r onto its entry β: A·v ⁄ τ for the matrix A as all
    /// reflections before have changed it. With v = (r − β·e) ⁄ (r₁ − β) the product with r, which was
    /// left behind, gives that with v.
    fn respond_to_row(
        &mut self,
        matrix: &Mat<f64>,
        column: usize,
        place: usize,
        scale: f64,
        [head, reflected]: [f64; 2],
    ) {
        let output = self.tall[1].col_as_slice_mut(place);
        output.fill(0.0);
        if scale.is_infinite() {
            return;
        }
        let start = column / LANES * LANES;
        let inverse = (head - reflected).recip();
        let products = self.products[0][start..].iter();
        let next = &matrix.col_as_slice(column + 1)[start..];
        for (output, (product, next)) in output[start..].iter_mut().zip(products.zip(next)) {
            *output = (product - reflected * next) * inverse;
        }
        let direction = self.wide[1].col_as_slice(place);
        let changes = along(&self.wide, [place + 1, place], 0, direction);
        let mut response = output[start..].to_vec();
        combine(&self.tall, &changes, start, &mut response);
        let inverse = scale.recip();
        response[..=column - start].fill(0.0);
        let output = self.tall[1].col_as_slice_mut(place)[start..].iter_mut();
        output
            .zip(response)
            .for_each(|(output, value)| *output = value * inverse);
    }

    /// Lets all reflections of the panel change the matrix behind it.
    fn change(&self, mut rest: MatMut<'_, f64>, behind: usize, width: usize, parts: Par) {
        let (rows, columns) = rest.shape();
        for (tall, wide) in self.tall.iter().zip(&self.wide) {
            let tall = tall.as_ref().submatrix(behind, 0, rows, width);
            let wide = wide.as_ref().submatrix(behind, 0, columns, width);
            matmul(
                rest.rb_mut(),
                Accum::Add,
                tall,
                wide.transpose(),
                -1.0,
                parts,
            );
        }
    }
}

/// Some columns of a pass over the matrix: which part they are, where their responses go, the row that is
/// reflected next, and where its product with them goes.
type Part<'a> = (usize, &'a mut [f64], &'a mut [f64], &'a mut Vec<f64>);

/// Multiplies some columns of the matrix with a direction, makes their responses and entries of the
/// row of that, and multiplies the columns, which are still near, with that row.
struct Sweep<'a> {
    matrix: &'a Mat<f64>,
    /// The first of the columns.
    columns: usize,
    /// Those up to this one take no part.
    after: usize,
    /// From this row on.
    start: usize,
    direction: &'a [f64],
    /// 1 ⁄ τ.
    inverse: f64,
    /// At first what is to be added to the products with the direction.
    response: &'a mut [f64],
    /// At first the row without its response.
    row: &'a mut [f64],
    product: &'a mut [f64],
}

impl WithSimd for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for first in (0..self.row.len()).step_by(GROUP) {
            let mut group = [&[][..]; GROUP];
            for (place, values) in group.iter_mut().enumerate() {
                let column = self.columns + first + place;
                *values = &self.matrix.col_as_slice(column)[self.start..];
            }
            let products = inner_products(simd, group, self.direction);
            let mut factors = [0.0; GROUP];
            for place in 0..GROUP {
                let (response, row) = (
                    &mut self.response[first + place],
                    &mut self.row[first + place],
                );
                match self.columns + first + place > self.after {
                    true => {
                        *response = (*response + products[place]) * self.inverse;
                        *row -= *response;
                    }
                    false => (*response, *row) = (0.0, 0.0),
                }
                factors[place] = *row;
            }
            add_columns(simd, group, factors, self.product);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::Array2;

    fn reduce(matrix: &Array2<f64>, parts: Par) -> Reduced {
        let mut room = padded(matrix.nrows(), matrix.ncols());
        for ((i, j), &entry) in matrix.indexed_iter() {
            room[(i, j)] = entry;
        }
        Reduced::new(room, matrix.dim(), parts)
    }

    /// H·B·Kᵀ.
    fn restored(mut reduced: Reduced) -> Array2<f64> {
        let (m, n) = (reduced.rows, reduced.columns);
        let (diagonal, links) = reduced.take_bidiagonal();
        let mut h = Mat::<f64>::identity(m, n);
        let mut k = Mat::<f64>::identity(n, n);
        reduced.turn_back(h.as_mut(), k.as_mut(), Par::Seq);
        let bidiagonal = Mat::from_fn(n, n, |i, j| match j.wrapping_sub(i) {
            0 => diagonal[i],
            1 => links[i],
            _ => 0.0,
        });
        let product = h * bidiagonal * k.transpose();
        Array2::from_shape_fn((m, n), |(i, j)| product[(i, j)])
    }

    // Sizes at the borders of lanes, pairs and panels, and one that is shared out.
    #[test]
    fn reflections_and_the_bidiagonal_matrix_restore_a_matrix() {
        for n in [1, 2, 3, 7, 8, 9, 31, 32, 33, 34, 64, 65, 66, 100, 300] {
            for m in [n, n + 1, n + 13] {
                let matrix = random_matrix(m, n, n as u64);
                for parts in [Par::Seq, Par::rayon(2), Par::rayon(4)] {
                    assert_close(&restored(reduce(&matrix, parts)), &matrix, 1e-12);
                }
            }
        }
    }

    // Nothing is left to reflect: lengths of zero must not be divided by.
    #[test]
    fn bidiagonal_and_zero_matrices_and_those_of_one_direction_are_restored() {
        for n in [2, 33, 50] {
            let chain = Array2::from_shape_fn((n, n), |(i, j)| match j.wrapping_sub(i) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            let one = Array2::from_shape_fn((n, n), |(i, j)| (i + 1) as f64 / (j + 1) as f64);
            for matrix in [chain, Array2::zeros((n, n)), Array2::eye(n), one] {
                assert_close(&restored(reduce(&matrix, Par::Seq)), &matrix, 1e-13);
            }
        }
    }
}
