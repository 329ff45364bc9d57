//! Factors and inverses of covariance matrices.

use didact_core::{Error, Result, Run, parallel};
use didact_math::linalg::{Accumulate, Cholesky, at_times_b, matmul, matmul_into, mirror_lower};
use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

/// Rows and columns that are worked on together.
const BLOCK: usize = 192;

/// The factor of a covariance matrix, and what had to be added to its diagonal to have one.
#[derive(Clone, Debug)]
pub(crate) struct Factored {
    pub(crate) factor: Cholesky,
    /// Zero, or 10⁻¹², 10⁻¹¹, … 10⁻² times the mean of the diagonal.
    pub(crate) jitter: f64,
}

impl Factored {
    /// Factors a matrix that is positive semidefinite but for rounding: the multiple of the
    /// identity that is added is the least that suffices.
    pub(crate) fn of(matrix: &Array2<f64>, run: &Run) -> Result<Self> {
        match Cholesky::with_jitter_within(matrix.view(), run) {
            Ok((factor, jitter)) => Ok(Factored { factor, jitter }),
            Err(Error::Numerical(_)) => Err(Error::numerical(
                "the covariance of the rows is far from positive semidefinite; \
                 multiply the columns by powers of ten so that their values are near one",
            )),
            Err(other) => Err(other),
        }
    }
}

/// The inverse of the matrix with this factor, in ⅔n³ multiplications on all threads.
///
/// L⁻¹ is found column block by column block, each of which starts at its own diagonal, and
/// (L⁻¹)ᵀL⁻¹ row block by row block, again without the zeros.
pub(crate) fn inverse(factor: &Cholesky, run: &Run) -> Result<Array2<f64>> {
    let n = factor.dimension();
    let blocks: Vec<Range<usize>> = (0..n)
        .step_by(BLOCK)
        .map(|start| start..(start + BLOCK).min(n))
        .collect();
    let lower = factor.lower();
    let corners = parallel::map(&blocks, run, |block| corner_inverse(lower, block))?;
    let columns = parallel::map(&blocks, run, |block| {
        inverse_columns(lower, block, &blocks, &corners, run)
    })?;
    let mut inverse = Array2::zeros((n, n));
    let values = inverse
        .as_slice_mut()
        .expect("a fresh matrix is contiguous");
    parallel::fill(values, n, BLOCK, run, |rows, piece| {
        let index = rows.start / BLOCK;
        let own = columns[index].view();
        let mut piece =
            ndarray::ArrayViewMut2::from_shape((rows.len(), n), piece).expect("whole rows");
        for (block, column) in blocks[..=index].iter().zip(&columns) {
            run.check()?;
            let below = column.slice(s![rows.start - block.start.., ..]);
            let product = at_times_b(own, below);
            piece.slice_mut(s![.., block.clone()]).assign(&product);
        }
        Ok(())
    })?;
    mirror_lower(&mut inverse);
    Ok(inverse)
}

/// The inverse of a block on the diagonal of L.
fn corner_inverse(lower: ArrayView2<'_, f64>, block: &Range<usize>) -> Result<Array2<f64>> {
    let corner = lower.slice(s![block.clone(), block.clone()]);
    let factor = Cholesky::try_from(corner.t().as_standard_layout().into_owned())?;
    Ok(factor.half_solve(Array2::eye(block.len()).view()))
}

/// The columns of L⁻¹ that belong to a block, from the diagonal down.
fn inverse_columns(
    lower: ArrayView2<'_, f64>,
    block: &Range<usize>,
    blocks: &[Range<usize>],
    corners: &[Array2<f64>],
    run: &Run,
) -> Result<Array2<f64>> {
    let mut columns = Array2::zeros((lower.nrows() - block.start, block.len()));
    for (rows, corner) in blocks.iter().zip(corners) {
        if rows.start < block.start {
            continue;
        }
        run.check()?;
        let (above, mut target) = columns
            .view_mut()
            .split_at(ndarray::Axis(0), rows.start - block.start);
        let mut target = target.slice_mut(s![..rows.len(), ..]);
        if rows.start == block.start {
            target.assign(corner);
            continue;
        }
        let left = lower.slice(s![rows.clone(), block.start..rows.start]);
        let sum = matmul(left, above.view());
        matmul_into(target, corner.view(), sum.view(), -1.0, Accumulate::Replace);
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};

    #[test]
    fn the_inverse_by_blocks_is_the_inverse() {
        for n in [1, 5, BLOCK, BLOCK + 1, 2 * BLOCK + 77] {
            let root = random_matrix(n, n + 5, 1);
            let mut matrix = root.dot(&root.t());
            matrix.diag_mut().mapv_inplace(|value| value + n as f64);
            let factor = Cholesky::new(matrix.view()).unwrap();
            let found = inverse(&factor, &Run::new()).unwrap();
            assert_close(&found, &factor.solve(Array2::eye(n).view()), 1e-12);
            assert_eq!(found, found.t());
        }
    }

    // 002b:GP-04: rank ≤ D, so the matrix of more rows than columns is singular.
    #[test]
    fn a_matrix_of_low_rank_is_factored_with_the_least_jitter() {
        let x = random_matrix(20, 3, 2);
        let matrix = x.dot(&x.t());
        let found = Factored::of(&matrix, &Run::new()).unwrap();
        assert!(found.jitter > 0.0 && found.jitter < 1e-10 * matrix.diag().sum());
        assert_eq!(
            Factored::of(&Array2::eye(3), &Run::new()).unwrap().jitter,
            0.0
        );
        assert!(Factored::of(&-Array2::<f64>::eye(2), &Run::new()).is_err());
    }
}
