//! Products of rows with a small matrix in blocks of one fixed shape.
//!
//! Matrix kernels choose the order of their sums by the shape of the product. Because every
//! block here has the same shape, padded with zeros where rows run out, the image of a row does
//! not depend on how many other rows were given, to the last bit.

use didact_core::{Result, Run, parallel};
use didact_math::linalg::{Accumulate, matmul_into};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};

/// Enough rows to keep a matrix kernel busy, few enough that one row alone is cheap.
const BLOCK: usize = 32;

/// About this many multiplications make a task: a few milliseconds.
const TASK: usize = 1 << 21;

/// (X − 1·shiftᵀ)·B, in parallel over the rows.
///
/// # Panics
/// When the shapes do not fit together.
pub(crate) fn shifted_product(
    x: ArrayView2<'_, f64>,
    shift: Option<ArrayView1<'_, f64>>,
    b: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<Array2<f64>> {
    let (depth, width) = b.dim();
    let mut product = vec![0.0; x.nrows() * width];
    let blocks = (TASK / (BLOCK * depth * width).max(1)).clamp(1, 256);
    parallel::fill(&mut product, width, blocks * BLOCK, run, |range, piece| {
        let mut input = Array2::zeros((BLOCK, depth));
        let mut output = Array2::zeros((BLOCK, width));
        let rows = x.slice(s![range, ..]);
        let blocks = rows.axis_chunks_iter(Axis(0), BLOCK);
        for (rows, piece) in blocks.zip(piece.chunks_mut(BLOCK * width)) {
            run.check()?;
            let mut filled = input.slice_mut(s![..rows.nrows(), ..]);
            match shift {
                Some(shift) => {
                    for (mut target, row) in filled.rows_mut().into_iter().zip(rows.rows()) {
                        ndarray::azip!((target in &mut target, &x in row, &shift in shift)
                            *target = x - shift);
                    }
                }
                None => filled.assign(&rows),
            }
            input.slice_mut(s![rows.nrows().., ..]).fill(0.0);
            matmul_into(output.view_mut(), input.view(), b, 1.0, Accumulate::Replace);
            let values = output.as_slice().expect("a fresh array is contiguous");
            piece.copy_from_slice(&values[..piece.len()]);
        }
        Ok(())
    })?;
    Ok(Array2::from_shape_vec((x.nrows(), width), product).expect("one value per entry"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(rows: usize, columns: usize, frequency: f64) -> Array2<f64> {
        Array2::from_shape_fn((rows, columns), |(i, j)| {
            ((i * columns + j) as f64 * frequency).sin()
        })
    }

    #[test]
    fn the_product_is_that_of_the_shifted_rows() {
        let (x, b, shift) = (wave(77, 6, 0.7), wave(6, 3, 1.3), wave(1, 6, 0.3));
        let expected = (&x - &shift).dot(&b);
        let found = shifted_product(x.view(), Some(shift.row(0)), b.view(), &Run::new()).unwrap();
        assert!((found - expected).iter().all(|error| error.abs() < 1e-14));
    }

    #[test]
    fn a_row_alone_has_the_same_image_bit_for_bit() {
        for (depth, width) in [(1, 1), (3, 2), (64, 10), (301, 17), (20, 301), (900, 40)] {
            let (x, b) = (wave(70, depth, 0.7), wave(depth, width, 1.3));
            for b in [b.view(), wave(width, depth, 0.9).t()] {
                let together = shifted_product(x.view(), None, b, &Run::new()).unwrap();
                for row in 0..70 {
                    let one = x.slice(s![row..=row, ..]);
                    let alone = shifted_product(one, None, b, &Run::new()).unwrap();
                    assert_eq!(
                        alone.row(0),
                        together.row(row),
                        "{depth}×{width}, row {row}"
                    );
                }
            }
        }
    }
}
