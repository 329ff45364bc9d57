//! Products of matrices, on the calling thread.

use super::convert::{Operand, with_matrix_mut};
use faer::linalg::matmul as kernel;
use faer::{Accum, Par};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};

/// What a product does with the values that its output held before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulate {
    /// Forgets them.
    Replace,
    /// Adds to them.
    Add,
}

/// The product A·B, in n·k·m multiplications.
///
/// ```
/// use didact_math::linalg::matmul;
/// use ndarray::array;
/// let a = array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(matmul(a.view(), array![[1.0], [10.0]].view()), array![[21.0], [43.0]]);
/// ```
///
/// # Panics
/// When the columns of A are not as many as the rows of B.
pub fn matmul(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut product = Array2::zeros((a.nrows(), b.ncols()));
    matmul_into(product.view_mut(), a, b, 1.0, Accumulate::Replace);
    product
}

/// Writes α·A·B into `output` or adds it there.
///
/// # Panics
/// When the shapes do not fit together.
pub fn matmul_into(
    output: ArrayViewMut2<'_, f64>,
    a: ArrayView2<'_, f64>,
    b: ArrayView2<'_, f64>,
    alpha: f64,
    accumulate: Accumulate,
) {
    let (a, b) = (Operand::new(a), Operand::new(b));
    let accumulate = match accumulate {
        Accumulate::Replace => Accum::Replace,
        Accumulate::Add => Accum::Add,
    };
    with_matrix_mut(output, |output| {
        kernel::matmul(output, accumulate, a.matrix(), b.matrix(), alpha, Par::Seq);
    });
}

/// The product A·Bᵀ, without writing Bᵀ out.
///
/// # Panics
/// When A and B have different numbers of columns.
pub fn a_times_bt(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Array2<f64> {
    matmul(a, b.t())
}

/// The product Aᵀ·B, without writing Aᵀ out.
///
/// # Panics
/// When A and B have different numbers of rows.
pub fn at_times_b(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Array2<f64> {
    matmul(a.t(), b)
}

/// Copies the lower triangle of a square matrix over the upper one.
///
/// # Panics
/// When the matrix is not square.
pub fn mirror_lower(matrix: &mut Array2<f64>) {
    assert!(
        matrix.is_square(),
        "only a square matrix has two equal triangles"
    );
    mirror(matrix.view_mut());
}

/// Below this many rows, copying is cheaper than asking another thread.
const SMALL: usize = 512;

/// Halves the matrix again and again: the upper right quarter mirrors the lower left one, and
/// the two on the diagonal are smaller matrices of the same kind. Copies have no order to keep,
/// so threads cannot change the answer.
pub(crate) fn mirror(matrix: ArrayViewMut2<'_, f64>) {
    let n = matrix.nrows();
    if n <= 1 {
        return;
    }
    let half = n / 2;
    let (top, bottom) = matrix.split_at(Axis(0), half);
    let (top_left, top_right) = top.split_at(Axis(1), half);
    let (bottom_left, bottom_right) = bottom.split_at(Axis(1), half);
    let copy = move || transpose_into(top_right, bottom_left.view());
    match n < SMALL {
        true => {
            copy();
            mirror(top_left);
            mirror(bottom_right);
        }
        false => {
            rayon::join(copy, || {
                rayon::join(|| mirror(top_left), || mirror(bottom_right))
            });
        }
    }
}

/// Copies the transpose in blocks that fit into the fastest cache.
fn transpose_into(output: ArrayViewMut2<'_, f64>, input: ArrayView2<'_, f64>) {
    let (rows, columns) = output.dim();
    if rows.max(columns) <= 32 {
        let mut output = output;
        output.assign(&input.t());
    } else if rows >= columns {
        let (top, bottom) = output.split_at(Axis(0), rows / 2);
        let (left, right) = input.split_at(Axis(1), rows / 2);
        transpose_into(top, left);
        transpose_into(bottom, right);
    } else {
        let (left, right) = output.split_at(Axis(1), columns / 2);
        let (top, bottom) = input.split_at(Axis(0), columns / 2);
        transpose_into(left, top);
        transpose_into(right, bottom);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::s;

    fn naive(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Array2<f64> {
        Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| {
            (0..a.ncols()).map(|k| a[[i, k]] * b[[k, j]]).sum()
        })
    }

    #[test]
    fn products_agree_with_the_triple_loop_for_every_shape_and_layout() {
        for (n, k, m) in [
            (1, 1, 1),
            (3, 5, 2),
            (17, 1, 9),
            (1, 40, 1),
            (33, 20, 31),
            (2, 0, 3),
        ] {
            let a = random_matrix(n, k, 1);
            let b = random_matrix(k, m, 2);
            let expected = naive(a.view(), b.view());
            assert_close(&matmul(a.view(), b.view()), &expected, 1e-12);
            let (at, bt) = (
                a.t().as_standard_layout().into_owned(),
                b.t().as_standard_layout().into_owned(),
            );
            assert_close(&a_times_bt(a.view(), bt.view()), &expected, 1e-12);
            assert_close(&at_times_b(at.view(), b.view()), &expected, 1e-12);
        }
    }

    #[test]
    fn adding_and_scaling_reach_a_window_of_the_output() {
        let (a, b) = (random_matrix(4, 3, 3), random_matrix(3, 5, 4));
        let mut output = Array2::ones((6, 7));
        matmul_into(
            output.slice_mut(s![1..5, 2..7]),
            a.view(),
            b.view(),
            -2.0,
            Accumulate::Add,
        );
        let mut expected = Array2::ones((6, 7));
        let mut window = expected.slice_mut(s![1..5, 2..7]);
        window.scaled_add(-2.0, &naive(a.view(), b.view()));
        assert_close(&output, &expected, 1e-12);
    }

    #[test]
    fn the_upper_triangle_becomes_the_mirror_of_the_lower_one() {
        for n in [0, 1, 2, 33, 65, 700] {
            let mut matrix = random_matrix(n, n, 6);
            let before = matrix.clone();
            mirror_lower(&mut matrix);
            for i in 0..n {
                for j in 0..=i {
                    assert_eq!(matrix[[i, j]], before[[i, j]]);
                    assert_eq!(matrix[[j, i]], before[[i, j]]);
                }
            }
        }
    }
}
