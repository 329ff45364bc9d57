//! Answers about rows in blocks of one fixed shape.
//!
//! Matrix kernels choose the order of their sums by the shape of the product. Because every
//! block has the same shape, padded with zeros where rows run out, the answer about a row does
//! not depend on how many other rows were asked about, to the last bit.

use didact_core::{Result, Run, parallel};
use ndarray::{Array2, ArrayView2, s};

/// Enough rows to keep a matrix kernel busy, few enough that one row alone is cheap.
const BLOCK: usize = 64;

/// What `answer` says about each block of rows, `width` numbers per row, put together.
pub(crate) fn by_blocks(
    rows: ArrayView2<'_, f64>,
    width: usize,
    run: &Run,
    answer: impl Fn(ArrayView2<'_, f64>) -> Result<Array2<f64>> + Sync + Send,
) -> Result<Array2<f64>> {
    let mut answers = Array2::zeros((rows.nrows(), width));
    let values = answers
        .as_slice_mut()
        .expect("a fresh matrix is contiguous");
    parallel::fill(values, width, BLOCK, run, |range, piece| {
        let mut block = Array2::zeros((BLOCK, rows.ncols()));
        block
            .slice_mut(s![..range.len(), ..])
            .assign(&rows.slice(s![range, ..]));
        let found = answer(block.view())?.as_standard_layout().into_owned();
        let found = found.as_slice().expect("standard layout is contiguous");
        piece.copy_from_slice(&found[..piece.len()]);
        Ok(())
    })?;
    Ok(answers)
}
