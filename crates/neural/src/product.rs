//! Products of matrices of either kind of numbers, on the calling thread.

use crate::Real;
use didact_math::linalg::Accumulate;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// A matrix in C order, read as it is or transposed.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    pub(crate) values: &'a [T],
    pub(crate) shape: (usize, usize),
    pub(crate) transposed: bool,
}

impl<'a, T> Matrix<'a, T> {
    /// The values as rows of so many columns.
    pub(crate) fn new(values: &'a [T], columns: usize) -> Self {
        let rows = values.len() / columns;
        Matrix {
            values: &values[..rows * columns],
            shape: (rows, columns),
            transposed: false,
        }
    }

    /// The same matrix with rows and columns exchanged.
    pub(crate) fn t(self) -> Self {
        Matrix {
            transposed: !self.transposed,
            ..self
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        match self.transposed {
            true => self.shape.1,
            false => self.shape.0,
        }
    }

    pub(crate) fn n_columns(&self) -> usize {
        match self.transposed {
            true => self.shape.0,
            false => self.shape.1,
        }
    }
}

/// Writes A·B into the output.
pub(crate) fn multiply<T: Real>(output: &mut [T], a: Matrix<'_, T>, b: Matrix<'_, T>) {
    T::multiply(output, a, b, Accumulate::Replace);
}

/// Adds A·B to the output.
pub(crate) fn add_product<T: Real>(output: &mut [T], a: Matrix<'_, T>, b: Matrix<'_, T>) {
    T::multiply(output, a, b, Accumulate::Add);
}

/// The product in single precision.
pub(crate) fn multiply_single(
    output: &mut [f32],
    a: Matrix<'_, f32>,
    b: Matrix<'_, f32>,
    accumulate: Accumulate,
) {
    let accumulate = match accumulate {
        Accumulate::Replace => Accum::Replace,
        Accumulate::Add => Accum::Add,
    };
    let (rows, columns) = (a.n_rows(), b.n_columns());
    let output = MatMut::from_row_major_slice_mut(output, rows, columns);
    matmul(output, accumulate, operand(a), operand(b), 1.0, Par::Seq);
}

fn operand(matrix: Matrix<'_, f32>) -> MatRef<'_, f32> {
    let (rows, columns) = matrix.shape;
    let stored = MatRef::from_row_major_slice(matrix.values, rows, columns);
    match matrix.transposed {
        true => stored.transpose(),
        false => stored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;

    #[test]
    fn both_kinds_of_numbers_give_the_same_products_in_every_layout() {
        for (n, k, m) in [(1, 1, 1), (3, 5, 2), (17, 1, 9), (33, 20, 31)] {
            let (a, b) = (random_matrix(n, k, 1), random_matrix(k, m, 2));
            let expected = a.dot(&b);
            let flat = |m: &ndarray::Array2<f64>| m.iter().copied().collect::<Vec<f64>>();
            let transposed = |m: &ndarray::Array2<f64>| m.t().iter().copied().collect::<Vec<f64>>();
            let single = |v: &[f64]| v.iter().map(|&x| x as f32).collect::<Vec<f32>>();
            let (plain_a, plain_b) = (flat(&a), flat(&b));
            let (turned_a, turned_b) = (transposed(&a), transposed(&b));
            let mut doubles = vec![1.0; n * m];
            add_product(
                &mut doubles,
                Matrix::new(&turned_a, n).t(),
                Matrix::new(&plain_b, m),
            );
            let mut singles = vec![9.0_f32; n * m];
            multiply(
                &mut singles,
                Matrix::new(&single(&plain_a), k),
                Matrix::new(&single(&turned_b), k).t(),
            );
            for (place, &expected) in expected.iter().enumerate() {
                assert!((doubles[place] - 1.0 - expected).abs() < 1e-12 * (1.0 + expected.abs()));
                assert!((f64::from(singles[place]) - expected).abs() < 1e-4);
            }
        }
    }
}
