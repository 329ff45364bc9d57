//! Products from packed panels, symmetric ones above all, with a tile of the product in registers.

use super::packed::{NARROW, Panels, WIDEST};
use super::product::Accumulate;
use didact_core::{Result, Run, parallel};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Values of the panels that are multiplied with all others before the next ones are; they stay
/// in the second cache.
const KEPT: usize = 1 << 17;

/// Rows of the product that a thread computes at a time; a multiple of every panel.
const STRIPE: usize = 120;

/// Products with fewer multiplications than this are not shared out.
const SMALL: usize = 1 << 20;

/// Which pairs of vectors are multiplied.
#[derive(Clone, Copy)]
pub(super) enum Pairs {
    /// All.
    All,
    /// Those on the diagonal of a square product and below.
    Lower,
    /// Those on the diagonal of a square product and above.
    Upper,
}

/// Writes the inner products of vectors into a matrix, row after row, or adds them there. It has a
/// row for every vector at the left and a column for every vector at the right. Beside the diagonal,
/// a triangle that is not asked for holds anything finite afterwards.
pub(super) fn products(
    output: &mut [f64],
    accumulate: Accumulate,
    pairs: Pairs,
    panels: [&Panels; 2],
    run: &Run,
) -> Result<()> {
    let [left, right] = panels;
    let stripe = match left.count * right.count * right.depth < SMALL {
        true => left.count,
        false => STRIPE,
    };
    write_products(output, accumulate, pairs, panels, stripe, run)
}

/// The same for the last vectors at the left, as many as the output has rows, `stripe` rows on a
/// thread at a time. The first of these vectors is the first of a panel, and so is every stripe.
pub(super) fn write_products(
    output: &mut [f64],
    accumulate: Accumulate,
    pairs: Pairs,
    [left, right]: [&Panels; 2],
    stripe: usize,
    run: &Run,
) -> Result<()> {
    let first = left.count - output.len() / right.count.max(1);
    parallel::fill(output, right.count, stripe, run, |rows, output| {
        // A choice within the tiles would drive their sums out of the registers.
        if accumulate == Accumulate::Replace {
            output.fill(0.0);
        }
        Arch::new().dispatch(Stripe {
            left,
            right,
            pairs,
            rows: first + rows.start..first + rows.end,
            output,
        });
        Ok(())
    })
}

/// Some rows of the product.
struct Stripe<'a> {
    left: &'a Panels,
    right: &'a Panels,
    pairs: Pairs,
    rows: Range<usize>,
    output: &'a mut [f64],
}

impl WithSimd for Stripe<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        match S::F64_LANES {
            8 => self.fill::<S, 3, WIDEST, 8>(simd),
            4 => self.fill::<S, 3, NARROW, 4>(simd),
            2 => self.fill::<S, 6, NARROW, 4>(simd),
            _ => self.fill::<S, 12, NARROW, 4>(simd),
        }
    }
}

impl Stripe<'_> {
    /// Panels of `M` vectors in `R` registers, `N` rows at a time.
    #[inline(always)]
    fn fill<S: Simd, const R: usize, const M: usize, const N: usize>(&mut self, simd: S) {
        let n = self.right.count;
        let all = match self.pairs {
            Pairs::All => 0..n.div_ceil(M),
            Pairs::Lower => 0..self.rows.end.div_ceil(M),
            Pairs::Upper => self.rows.start / M..n.div_ceil(M),
        };
        let kept = (KEPT / (M * self.right.depth).max(1)).max(1);
        for first in all.clone().step_by(kept) {
            let some = first..(first + kept).min(all.end);
            for row in self.rows.clone().step_by(N) {
                let (left, _) = self.left.panel(row / M).as_chunks::<M>();
                let panels = match self.pairs {
                    Pairs::All => some.clone(),
                    Pairs::Lower => some.start..some.end.min((row + N).min(n).div_ceil(M)),
                    Pairs::Upper => some.start.max(row / M)..some.end,
                };
                for panel in panels {
                    let (right, _) = self.right.panel(panel).as_chunks::<M>();
                    let end = match self.pairs {
                        Pairs::Lower => n.min(row + N),
                        Pairs::All | Pairs::Upper => n,
                    };
                    // What is beyond the diagonal matters where there are few vectors.
                    match (end - panel * M).min(M).div_ceil(S::F64_LANES) {
                        1 => self.write_tile::<S, 1, M, N>(simd, left, row, right, panel * M),
                        2 => self.write_tile::<S, 2, M, N>(simd, left, row, right, panel * M),
                        _ => self.write_tile::<S, R, M, N>(simd, left, row, right, panel * M),
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn write_tile<S: Simd, const R: usize, const M: usize, const N: usize>(
        &mut self,
        simd: S,
        left: &[[f64; M]],
        row: usize,
        right: &[[f64; M]],
        column: usize,
    ) {
        let sums = tile::<S, R, M, N>(simd, left, row % M / N, right);
        // Only what is never reached by a number that is not constant stays in registers.
        let mut values = [[0.0; M]; N];
        for row in 0..N {
            S::as_mut_simd_f64s(&mut values[row]).0[..R].copy_from_slice(&sums[row]);
        }
        let n = self.right.count;
        let rows = N.min(self.rows.end - row);
        let columns = (n - column).min(R * S::F64_LANES);
        let first = (row - self.rows.start) * n + column;
        for (place, values) in values[..rows].iter().enumerate() {
            let output = &mut self.output[first + place * n..][..columns];
            for (output, value) in output.iter_mut().zip(values) {
                *output += value;
            }
        }
    }
}

/// The inner products of `N` vectors of one panel with the vectors in `R` registers of another.
#[inline(always)]
pub(super) fn tile<S: Simd, const R: usize, const M: usize, const N: usize>(
    simd: S,
    left: &[[f64; M]],
    part: usize,
    right: &[[f64; M]],
) -> [[S::f64s; R]; N] {
    let mut sums = [[simd.splat_f64s(0.0); R]; N];
    for (left, right) in left.iter().zip(right) {
        let left: &[f64; N] = &left.as_chunks::<N>().0[part];
        let right = &S::as_simd_f64s(right).0[..R];
        for row in 0..N {
            let value = simd.splat_f64s(left[row]);
            for place in 0..R {
                sums[row][place] = simd.mul_add_e_f64s(value, right[place], sums[row][place]);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::joined::Joined;
    use super::*;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::{Array1, Array2, ArrayView2, Axis};

    fn product(a: ArrayView2<'_, f64>, pairs: Pairs, run: &Run) -> Array2<f64> {
        let mut panels = Panels::new(a.nrows(), a.ncols());
        let mut output = Array2::zeros((a.nrows(), a.nrows()));
        for columns in a.axis_chunks_iter(Axis(1), panels.depth) {
            panels.pack_rows(columns, run).unwrap();
            let output = output.as_slice_mut().unwrap();
            products(output, Accumulate::Add, pairs, [&panels; 2], run).unwrap();
        }
        output
    }

    // The numbers lie at the borders of registers, panels, stripes and depths.
    #[test]
    fn every_triangle_has_the_inner_products() {
        for n in [1, 7, 8, 9, 23, 24, 25, 49, 119, 121, 250] {
            for d in [1, 3, 256, 257] {
                let a = random_matrix(n, d, n as u64);
                let expected = a.dot(&a.t());
                let lower = product(a.view(), Pairs::Lower, &Run::new());
                let upper = product(a.view(), Pairs::Upper, &Run::new());
                let all = product(a.view(), Pairs::All, &Run::new());
                assert_close(&all, &expected, 1e-13 * d as f64);
                for i in 0..n {
                    for j in 0..=i {
                        let tolerance = 1e-13 * d as f64;
                        assert!((lower[[i, j]] - expected[[i, j]]).abs() < tolerance);
                        assert!((upper[[j, i]] - expected[[i, j]]).abs() < tolerance);
                    }
                }
            }
        }
    }

    #[test]
    fn columns_of_rows_are_packed_less_a_vector_and_weighted() {
        for (d, further) in [
            (1, 0),
            (5, 2),
            (23, 1),
            (24, 1),
            (25, 0),
            (47, 30),
            (100, 0),
        ] {
            let (x, y) = (random_matrix(40, d, 1), random_matrix(40, further, 2));
            let all = ndarray::concatenate![Axis(1), x, y];
            let less: Vec<f64> = (0..d + further).map(|column| column as f64).collect();
            let weights: Vec<f64> = (0..40).map(|row| row as f64 / 10.0).collect();
            let mut joined = Joined {
                x: x.as_slice().unwrap(),
                y: y.as_slice().unwrap(),
                columns: (d, further),
                less: &less,
                weights: None,
            };
            let (mut right, mut left) = (Panels::new(less.len(), 40), Panels::new(less.len(), 40));
            right.pack(40, &joined, &Run::new()).unwrap();
            joined.weights = Some(&weights);
            left.pack(40, &joined, &Run::new()).unwrap();
            let mut sums = vec![0.0; less.len()];
            left.add_sums(&mut sums);
            let centred = all - Array1::from(less.clone());
            let weighted = &centred * Array1::from(weights.clone()).insert_axis(Axis(1));
            assert_close(&Array1::from(sums), &weighted.sum_axis(Axis(0)), 1e-12);
            let mut output = Array2::<f64>::zeros((less.len(), less.len()));
            let values = output.as_slice_mut().unwrap();
            products(
                values,
                Accumulate::Add,
                Pairs::Lower,
                [&left, &right],
                &Run::new(),
            )
            .unwrap();
            super::super::product::mirror_lower(&mut output);
            assert_close(&output, &weighted.t().dot(&centred), 1e-11);
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let a = random_matrix(400, 300, 4);
        let of = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| product(a.view(), Pairs::Lower, &run))
        };
        assert_eq!(of(1), of(2));
    }
}
