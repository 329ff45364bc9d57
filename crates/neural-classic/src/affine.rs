//! Products of weights with shifted rows, row by row.

use didact_core::{Error, Result, Rows, Run, parallel};
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView1, ArrayView2};

/// W·(x − μ) for every row x. Every row is computed by itself, so that rows together are
/// transformed like rows one at a time.
pub(crate) fn shifted_products(
    rows: Rows<'_>,
    mean: ArrayView1<'_, f64>,
    weights: ArrayView2<'_, f64>,
) -> Result<Array2<f64>> {
    let rows = rows.dense()?;
    let (k, d) = weights.dim();
    let mut products = vec![0.0; rows.nrows() * k];
    let chunk = ((1 << 18) / (k * d).max(1)).clamp(16, 4096);
    parallel::fill(&mut products, k, chunk, &Run::new(), |range, piece| {
        let mut shifted = vec![0.0; d];
        for (row, output) in range.zip(piece.chunks_exact_mut(k)) {
            for ((shifted, value), mean) in shifted.iter_mut().zip(rows.row(row)).zip(mean) {
                *shifted = value - mean;
            }
            for (weights, output) in weights.rows().into_iter().zip(output) {
                *output = dot(
                    weights.to_slice().expect("weights are contiguous"),
                    &shifted,
                );
            }
        }
        Ok(())
    })?;
    let products =
        Array2::from_shape_vec((rows.nrows(), k), products).expect("one value per row and weight");
    match products.iter().position(|value| !value.is_finite()) {
        None => Ok(products),
        Some(place) => Err(Error::numerical(format!(
            "the values of row {} are too large for their weighted sums; scale the columns down",
            place / k.max(1)
        ))),
    }
}
