//! One row of factors, given the factors of everything that it was rated with.

use didact_core::{Error, Result};
use didact_math::linalg::{Accumulate, Cholesky, matmul_into};
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2};

/// From this size on a matrix product is faster than sums written out.
const PRODUCTS_PAY: usize = 16;
/// How many rows are copied together for a product.
const ROWS_OF_A_BLOCK: usize = 512;

/// One row of a table of factors.
pub(crate) fn row(factors: &Array2<f64>, index: usize) -> &[f64] {
    let k = factors.ncols();
    let all = factors.as_slice().expect("factors are contiguous");
    &all[index * k..(index + 1) * k]
}

/// Writes the w of least ½‖y − B·w‖² + (α/2)‖w‖², where the rows of B are the factors of what was
/// rated; zero where nothing was.
///
/// With fewer ratings than factors the system (BBᵀ + αI)z = y, w = Bᵀz is the smaller one.
pub(super) fn ridge(
    (others, values): (&[u32], &[f64]),
    factors: &Array2<f64>,
    alpha: f64,
    solution: &mut [f64],
) -> Result<()> {
    solution.fill(0.0);
    if values.is_empty() {
        return Ok(());
    }
    let mut system = gram(others, factors);
    system.diag_mut().mapv_inplace(|value| value + alpha);
    let factor = match Cholesky::new(system.view()) {
        // A price that is lost beside large factors.
        Err(Error::Numerical(_)) => Cholesky::with_jitter(system.view())?.0,
        factor => factor?,
    };
    let is_wide = values.len() < solution.len();
    let weights = match is_wide {
        true => factor.solve_vector(values.into()),
        false => ArrayView1::from(values).to_owned(),
    };
    for (&other, weight) in others.iter().zip(&weights) {
        add_scaled(solution, *weight, row(factors, other as usize));
    }
    if !is_wide {
        let rows = solution.len();
        let column = ArrayViewMut2::from_shape((rows, 1), solution).expect("one column");
        factor.solve_in_place(column);
    }
    Ok(())
}

/// BᵀB or, where B has fewer rows than columns, BBᵀ; at least its upper triangle, which is all
/// that a factorisation reads.
fn gram(others: &[u32], factors: &Array2<f64>) -> Array2<f64> {
    let (n, k) = (others.len(), factors.ncols());
    let size = n.min(k);
    let b = |place: usize| row(factors, others[place] as usize);
    let mut gram = Array2::zeros((size, size));
    if size >= PRODUCTS_PAY {
        add_products(&mut gram, others, factors);
        return gram;
    }
    let cells = gram.as_slice_mut().expect("a new array is contiguous");
    if n < k {
        for i in 0..n {
            for j in i..n {
                cells[i * n + j] = dot(b(i), b(j));
            }
        }
        return gram;
    }
    for place in 0..n {
        let v = b(place);
        for i in 0..k {
            add_scaled(&mut cells[i * k + i..(i + 1) * k], v[i], &v[i..]);
        }
    }
    gram
}

/// The same by products of blocks of rows that lie together.
fn add_products(gram: &mut Array2<f64>, others: &[u32], factors: &Array2<f64>) {
    let k = factors.ncols();
    let mut block = Vec::new();
    // A wide B, which has fewer rows than k, is one block.
    for part in others.chunks(ROWS_OF_A_BLOCK.max(k)) {
        block.clear();
        for &other in part {
            block.extend_from_slice(row(factors, other as usize));
        }
        let b = ArrayView2::from_shape((part.len(), k), &block[..]).expect("k factors per row");
        let (left, right) = match others.len() < k {
            true => (b, b.t()),
            false => (b.t(), b),
        };
        matmul_into(gram.view_mut(), left, right, 1.0, Accumulate::Add);
    }
}

fn add_scaled(sum: &mut [f64], weight: f64, values: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += weight * value;
    }
}
