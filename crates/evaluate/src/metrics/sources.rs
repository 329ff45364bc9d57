//! Separated sources: right up to order, sign and scale.

use super::assignment::assign;
use super::check::check_finite;
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView1, ArrayView2};
use serde::Serialize;

/// Which true source each estimated one is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceMatch {
    /// For each true source the column of its estimate.
    pub order: Vec<usize>,
    /// For each true source the correlation with its estimate; negative where the sign flipped.
    pub correlations: Vec<f64>,
}

impl SourceMatch {
    /// The least |correlation|: one for a perfect separation.
    pub fn worst(&self) -> f64 {
        let absolute = self.correlations.iter().map(|value| value.abs());
        absolute.fold(1.0, f64::min)
    }

    /// The estimates in the order and with the sign of the true sources.
    pub fn aligned(&self, estimated: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut sources = estimated.select(ndarray::Axis(1), &self.order);
        for (mut column, &correlation) in sources.columns_mut().into_iter().zip(&self.correlations)
        {
            if correlation < 0.0 {
                column.mapv_inplace(|value| -value);
            }
        }
        sources
    }
}

/// Matches estimated to true sources one to one so that Σ|correlation| is largest.
///
/// ```
/// use ndarray::array;
/// let truth = array![[1.0, 5.0], [2.0, 1.0], [3.0, 4.0]];
/// let estimated = array![[-10.0, 0.1], [-2.0, 0.2], [-8.0, 0.3]];
/// let found = didact_evaluate::match_sources(truth.view(), estimated.view())?;
/// assert_eq!(found.order, [1, 0]);
/// assert!((found.worst() - 1.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn match_sources(
    truth: ArrayView2<'_, f64>,
    estimated: ArrayView2<'_, f64>,
) -> Result<SourceMatch> {
    if truth.nrows() != estimated.nrows() || truth.nrows() < 2 || truth.ncols() > estimated.ncols()
    {
        return Err(Error::data(format!(
            "there are {} true sources of {} rows and {} estimated ones of {}; give at least two rows, as many of each, and at least as many estimates as sources",
            truth.ncols(),
            truth.nrows(),
            estimated.ncols(),
            estimated.nrows()
        )));
    }
    check_finite("value", truth.iter().chain(&estimated))?;
    let table = Array2::from_shape_fn((truth.ncols(), estimated.ncols()), |(i, j)| {
        correlation(truth.column(i), estimated.column(j))
    });
    let order: Vec<usize> = assign(table.mapv(|value: f64| -value.abs()).view())?
        .into_iter()
        .flatten()
        .collect();
    let correlations = order
        .iter()
        .enumerate()
        .map(|(i, &j)| table[[i, j]])
        .collect();
    Ok(SourceMatch {
        order,
        correlations,
    })
}

/// Zero for a constant source.
fn correlation(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
    let mean = |values: ArrayView1<'_, f64>| values.sum() / values.len() as f64;
    let (a_mean, b_mean) = (mean(a), mean(b));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - a_mean, b - b_mean);
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    match aa > 0.0 && bb > 0.0 {
        true => ab / (aa.sqrt() * bb.sqrt()),
        false => 0.0,
    }
}

/// Amari's index of P = (unmixing)·(mixing): zero exactly where P is a permutation with any signs
/// and scales, at most one.
///
/// The mean over rows and columns of (Σ|p|/max|p| − 1)/(n − 1).
pub fn amari_index(product: ArrayView2<'_, f64>) -> Result<f64> {
    if !product.is_square() || product.nrows() < 2 {
        return Err(Error::data(format!(
            "the product of unmixing and mixing is {:?}; it must be square with at least two sources",
            product.dim()
        )));
    }
    check_finite("entry", product.iter())?;
    let n = product.nrows() as f64;
    let spill = |line: ArrayView1<'_, f64>| {
        let absolute = line.iter().map(|value| value.abs());
        let largest = absolute.clone().fold(0.0, f64::max);
        match largest > 0.0 {
            true => absolute.map(|value| value / largest).sum::<f64>() - 1.0,
            // A source that is lost altogether is as bad as can be.
            false => n - 1.0,
        }
    };
    let lines = product.rows().into_iter().chain(product.columns());
    Ok(lines.map(spill).sum::<f64>() / (2.0 * n * (n - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, unit};
    use super::*;
    use ndarray::array;

    // 002a:ICA05: invariant to sign, order and scale; zero if and only if the match is perfect.
    #[test]
    fn the_amari_index_sees_neither_order_nor_sign_nor_scale() {
        let permuted = array![[0.0, -3.0, 0.0], [0.0, 0.0, 0.1], [7.0, 0.0, 0.0]];
        assert_eq!(amari_index(permuted.view()).unwrap(), 0.0);
        let ones = Array2::from_elem((3, 3), -2.0);
        assert_near(amari_index(ones.view()).unwrap(), 1.0);
        let near = array![[1.0, 0.1], [0.0, 2.0]];
        // Rows: 0.1 and 0; columns: 0 and 0.05; over 2·2·1.
        assert_near(amari_index(near.view()).unwrap(), 0.15 / 4.0);
        let flipped = array![[0.0, -4.0], [0.5, 0.05]];
        assert_near(amari_index(flipped.view()).unwrap(), (0.1 + 0.0125) / 4.0);
        assert!(amari_index(Array2::zeros((2, 3)).view()).is_err());
        assert_near(amari_index(Array2::zeros((2, 2)).view()).unwrap(), 1.0);
    }

    // 002a:ICA05
    #[test]
    fn sources_are_found_again_in_any_order_with_any_sign() {
        let truth = Array2::from_shape_fn((50, 3), |(i, j)| unit(3 * i + j, 7));
        let mut mixed = truth.select(ndarray::Axis(1), &[2, 0, 1]);
        mixed.column_mut(1).mapv_inplace(|value| 4.0 - 3.0 * value);
        let found = match_sources(truth.view(), mixed.view()).unwrap();
        assert_eq!(found.order, [1, 2, 0]);
        assert_near(found.worst(), 1.0);
        assert!(found.correlations[0] < 0.0);
        let aligned = found.aligned(mixed.view());
        let again = match_sources(truth.view(), aligned.view()).unwrap();
        assert_eq!(again.order, [0, 1, 2]);
        assert!(again.correlations.iter().all(|&value| value > 0.99));
        assert!(match_sources(truth.view(), mixed.select(ndarray::Axis(1), &[0]).view()).is_err());
    }
}
