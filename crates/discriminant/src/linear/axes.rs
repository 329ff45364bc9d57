//! Axes along which the means of classes lie apart, measured in the spread within the classes.

use super::metric::Metric;
use didact_core::Result;
use didact_math::linalg::{a_times_bt, at_times_b, fix_signs, matmul, symmetric_eigen, thin_svd};
use ndarray::{Array1, Array2, Axis, s};

/// Axes as columns with vᵀ·S_w·v = 1, and the ratio λ of scatter between to scatter within along
/// each, largest first.
pub(crate) struct DiscriminantAxes {
    pub(crate) columns: Array2<f64>,
    pub(crate) ratios: Array1<f64>,
}

/// The axes of S_b·v = λ·S_w·v with S_b = BᵀB, where the rows of B are the shifts of the class
/// means from the common mean, each times the root of its weight.
///
/// With S_w = LLᵀ the symmetric problem is that of B·S_w⁻¹·Bᵀ, which has one row per class:
/// v = S_w⁻¹Bᵀu/√λ. (Taking Σ_b^{−½} of its vectors would be wrong: S_b has no inverse.)
pub(crate) fn discriminant_axes(
    shifts: &Array2<f64>,
    metric: &Metric,
    tol: f64,
) -> Result<DiscriminantAxes> {
    if let Metric::Whitening(whitening) = metric {
        let svd = thin_svd(matmul(shifts.view(), whitening.view()).view())?;
        let kept = count(svd.singular_values.iter().copied(), tol);
        let mut columns = a_times_bt(whitening.view(), svd.vt.slice(s![..kept, ..]));
        fix_signs(columns.view_mut().reversed_axes(), None);
        let ratios = svd.singular_values.slice(s![..kept]).mapv(|s| s * s);
        return Ok(DiscriminantAxes { columns, ratios });
    }
    let solved = metric.solve_rows(shifts.view());
    let mut gram = a_times_bt(solved.view(), shifts.view());
    let mirrored = gram.t().to_owned();
    gram += &mirrored;
    gram *= 0.5;
    let eigen = symmetric_eigen(gram.view())?;
    let lengths = eigen.values.mapv(|value| value.max(0.0).sqrt());
    // The rounding of the products is squared here, so the test cannot be finer than √ε.
    let kept = count(lengths.iter().copied(), tol.max(1e-7));
    let mut columns = at_times_b(solved.view(), eigen.vectors.slice(s![.., ..kept]));
    for (mut column, length) in columns.columns_mut().into_iter().zip(&lengths) {
        column /= *length;
    }
    fix_signs(columns.view_mut().reversed_axes(), None);
    Ok(DiscriminantAxes {
        columns,
        ratios: eigen.values.slice(s![..kept]).to_owned(),
    })
}

/// How many lengths, in falling order, are more than a share of the first.
fn count(mut lengths: impl Iterator<Item = f64> + Clone, tol: f64) -> usize {
    let first = lengths.clone().next().unwrap_or(0.0);
    lengths
        .by_ref()
        .take_while(|&length| length > tol * first)
        .count()
}

/// Rows √weight·(mean − common mean) of the classes.
pub(crate) fn weighted_shifts(
    means: &Array2<f64>,
    common: &Array1<f64>,
    weights: &Array1<f64>,
) -> Array2<f64> {
    let mut shifts = means - &common.view().insert_axis(Axis(0));
    for (mut row, weight) in shifts.rows_mut().into_iter().zip(weights) {
        row *= weight.sqrt();
    }
    shifts
}
