//! The Cholesky factor of a large matrix, block by block.
//!
//! A block of rows of U is factored at its corner, solved for beside it, and its products with
//! itself are taken away from all rows below. It is solved for in packed panels, which stay in the
//! fastest cache meanwhile and then go into the products as they are.

use super::cholesky::factor_at_once;
use super::packed::{NARROW, Panels, WIDEST};
use super::product::Accumulate;
use super::tiles::{Pairs, tile, write_products};
use didact_core::{Result, Run, parallel};
use ndarray::{Array2, ArrayViewMut2, s};
use pulp::{Arch, Simd, WithSimd};

/// Rows of a block: a multiple of all panels and tiles.
const BLOCK: usize = 120;

/// Rows of the products that a thread computes at a time.
const STRIPE: usize = 48;

/// Replaces the upper triangle of a symmetric matrix in C order by U with UᵀU = A, on the threads of
/// the run or on this one alone; what is below holds anything afterwards. The answer is the index of
/// a pivot that is not positive, if there is one.
pub(super) fn factor_by_blocks(
    matrix: &mut Array2<f64>,
    run: Option<&Run>,
) -> Result<Option<usize>> {
    let d = matrix.nrows();
    // What is one chunk is not shared out.
    let [panels, rows, stripe] = match run {
        Some(_) => [1, 8, STRIPE],
        None => [d; 3],
    };
    let run = run.cloned().unwrap_or_default();
    let mut block = Panels::new(d, BLOCK);
    let mut negative = Panels::new(d, BLOCK);
    for first in (0..d).step_by(BLOCK) {
        let next = (first + BLOCK).min(d);
        let corner = matrix.slice_mut(s![first..next, first..next]);
        if let Some(pivot) = factor_corner(corner) {
            return Ok(Some(first + pivot));
        }
        if next == d {
            break;
        }
        let corner = Corner::new(matrix, first, &run)?;
        block.write_from(next, panels, &run, |column, packed| {
            load(matrix, first, column, packed);
            corner.solve(packed);
        })?;
        negative.write_from(next, panels, &run, |column, packed| {
            let solved = block.panel_at(column).iter().zip(packed);
            solved.for_each(|(value, negative)| *negative = -value);
        })?;
        let values = matrix.as_slice_mut().expect("the matrix is in C order");
        let (above, below) = values.split_at_mut(next * d);
        parallel::fill(&mut above[first * d..], d, rows, &run, |rows, values| {
            for (row, values) in rows.zip(values.chunks_exact_mut(d)) {
                block.read_component(row, next, &mut values[next..]);
            }
            Ok(())
        })?;
        let both = [&negative, &block];
        write_products(below, Accumulate::Add, Pairs::Upper, both, stripe, &run)?;
    }
    Ok(None)
}

/// Factors a block on the diagonal; the answer is the index of a pivot that is not positive, if there
/// is one.
fn factor_corner(mut corner: ArrayViewMut2<'_, f64>) -> Option<usize> {
    let mut copy = corner.to_owned();
    let failed = factor_at_once(&mut copy);
    corner.assign(&copy);
    failed
}

/// Writes the values of a block of rows in the columns of a panel.
fn load(matrix: &Array2<f64>, first: usize, column: usize, packed: &mut [f64]) {
    let width = packed.len() / BLOCK;
    let end = (column + width).min(matrix.ncols());
    let rows = matrix.slice(s![first..first + BLOCK, column..end]);
    for (row, packed) in rows.rows().into_iter().zip(packed.chunks_exact_mut(width)) {
        let (own, beyond) = packed.split_at_mut(end - column);
        own.copy_from_slice(row.to_slice().expect("the matrix is in C order"));
        beyond.fill(0.0);
    }
}

/// The factor of a block on the diagonal.
struct Corner {
    columns: Panels,
    /// 1 / Uⱼⱼ.
    inverse: Vec<f64>,
}

impl Corner {
    fn new(matrix: &Array2<f64>, first: usize, run: &Run) -> Result<Self> {
        let corner = matrix.slice(s![first..first + BLOCK, first..first + BLOCK]);
        let mut columns = Panels::new(BLOCK, BLOCK);
        columns.pack_columns(corner, run)?;
        Ok(Corner {
            columns,
            inverse: corner.diag().iter().map(|pivot| pivot.recip()).collect(),
        })
    }

    /// Replaces the vectors b of a panel by x with Uᵀx = b.
    fn solve(&self, packed: &mut [f64]) {
        Arch::new().dispatch(Solve {
            corner: self,
            packed,
        });
    }
}

struct Solve<'a> {
    corner: &'a Corner,
    packed: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 => self.solve::<S, 3, WIDEST, 8>(simd),
            4 => self.solve::<S, 3, NARROW, 4>(simd),
            2 => self.solve::<S, 6, NARROW, 4>(simd),
            _ => self.solve::<S, 12, NARROW, 4>(simd),
        }
    }
}

impl Solve<'_> {
    /// Panels of `M` vectors in `R` registers, `N` components at a time.
    #[inline(always)]
    fn solve<S: Simd, const R: usize, const M: usize, const N: usize>(self, simd: S) {
        let (packed, _) = self.packed.as_chunks_mut::<M>();
        for first in (0..BLOCK).step_by(N) {
            let (columns, _) = self.corner.columns.panel(first / M).as_chunks::<M>();
            let (known, wanted) = packed.split_at_mut(first);
            let sums = tile::<S, R, M, N>(simd, &columns[..first], first % M / N, known);
            let mut found = [[simd.splat_f64s(0.0); R]; N];
            for row in 0..N {
                let inverse = simd.splat_f64s(self.corner.inverse[first + row]);
                let values = S::as_mut_simd_f64s(&mut wanted[row]).0;
                for place in 0..R {
                    let mut rest = simd.sub_f64s(values[place], sums[row][place]);
                    for before in 0..row {
                        let factor = columns[first + before][first % M + row];
                        let factor = simd.splat_f64s(-factor);
                        rest = simd.mul_add_e_f64s(factor, found[before][place], rest);
                    }
                    found[row][place] = simd.mul_f64s(rest, inverse);
                    values[place] = found[row][place];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};

    /// A positive definite matrix with nothing below the diagonal.
    fn upper(d: usize) -> (Array2<f64>, Array2<f64>) {
        let root = random_matrix(d, d, d as u64);
        let mut whole = root.dot(&root.t());
        whole.diag_mut().mapv_inplace(|value| value + 1.0);
        let mut upper = whole.clone();
        for (row, mut values) in upper.rows_mut().into_iter().enumerate() {
            values.slice_mut(s![..row]).fill(f64::NAN);
        }
        (whole, upper)
    }

    // At the borders of blocks, panels and tiles; what is below the diagonal is never read.
    #[test]
    fn the_factor_times_itself_is_the_matrix() {
        for d in [1, 2, 119, 120, 121, 127, 143, 144, 145, 240, 241, 367] {
            for run in [None, Some(&Run::new().threads(2))] {
                let (whole, mut factored) = upper(d);
                assert_eq!(factor_by_blocks(&mut factored, run).unwrap(), None);
                for (row, mut values) in factored.rows_mut().into_iter().enumerate() {
                    values.slice_mut(s![..row]).fill(0.0);
                }
                assert_close(&factored.t().dot(&factored), &whole, 1e-12 * d as f64);
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit_above_the_diagonal() {
        let (_, matrix) = upper(500);
        let of = |run| {
            let mut factored = matrix.clone();
            factor_by_blocks(&mut factored, run).unwrap();
            factored
        };
        let (one, other) = (of(None), of(Some(&Run::new().threads(2))));
        for row in 0..500 {
            let range = s![row, row..];
            assert_eq!(one.slice(range), other.slice(range));
        }
    }

    #[test]
    fn the_pivot_that_is_not_positive_is_told() {
        for bad in [0, 119, 120, 250] {
            let mut matrix = Array2::eye(260);
            matrix[[bad, bad]] = -1.0;
            assert_eq!(factor_by_blocks(&mut matrix, None).unwrap(), Some(bad));
        }
    }
}
