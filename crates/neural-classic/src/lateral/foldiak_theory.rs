//! Where the networks of Földiák come to rest, in closed form.

use didact_core::{Error, Result};
use didact_math::linalg::{a_times_bt, matmul, solve, symmetric_power};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// The weight w₁₂ = w₂₁ at which two laterally joined outputs are uncorrelated, for inputs with
/// the standard deviations σ₁ and σ₂ and the correlation ρ.
///
/// It solves ρσ₁σ₂·w² + (σ₁² + σ₂²)·w + ρσ₁σ₂ = 0; of the two roots the one below one in size is
/// stable. For equal deviations it is (−1 + √(1 − ρ²))/ρ, and the outputs have the variance
/// σ²/(1 + w²).
///
/// ```
/// let weight = didact_neural_classic::foldiak_pair_weight(0.8, 1.0, 1.0)?;
/// assert!((weight + 0.5).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn foldiak_pair_weight(correlation: f64, first: f64, second: f64) -> Result<f64> {
    if correlation.is_nan() || correlation.abs() >= 1.0 {
        return Err(Error::parameter(
            "correlation",
            correlation,
            "it must lie between -1 and 1, or no weight makes the outputs uncorrelated",
        ));
    }
    let positive = |value: f64| value > 0.0 && value.is_finite();
    if !(positive(first) && positive(second)) {
        return Err(Error::parameter(
            "first and second",
            format!("{first} and {second}"),
            "standard deviations must be above 0",
        ));
    }
    // With t = 2ρσ₁σ₂/(σ₁² + σ₂²) the root is −t/(1 + √(1 − t²)), which loses no digits for small ρ.
    let (ratio, inverse) = (first / second, second / first);
    let t = 2.0 * correlation / (ratio + inverse);
    Ok(-t / (1.0 + (1.0 - t * t).sqrt()))
}

/// The weights at which the outputs of a network with self-connections are uncorrelated and have
/// the variances θ, for inputs with the covariance C:
/// I − W = Θ^(−½)·(Θ^½·C·Θ^½)^½·Θ^(−½), which for unit variances is W = I − C^½.
pub fn foldiak_weights(
    covariance: ArrayView2<'_, f64>,
    variances: ArrayView1<'_, f64>,
) -> Result<Array2<f64>> {
    check_covariance(covariance)?;
    check_variances(variances, covariance.nrows())?;
    let roots = variances.mapv(f64::sqrt);
    let outer = Array2::from_shape_fn(covariance.dim(), |(i, j)| roots[i] * roots[j]);
    let inner = symmetric_power((&covariance * &outer).view(), 0.5)?;
    Ok(Array2::eye(covariance.nrows()) - inner / outer)
}

/// The covariance (I − W)⁻¹·C·(I − W)⁻ᵀ of the outputs y = x + W·y.
pub fn decorrelated_covariance(
    covariance: ArrayView2<'_, f64>,
    weights: ArrayView2<'_, f64>,
) -> Result<Array2<f64>> {
    let n = covariance.nrows();
    if weights.dim() != covariance.dim() || !covariance.is_square() {
        return Err(Error::data(
            "weights and covariance differ in shape; give one row and one column per output",
        ));
    }
    let map = solve(
        (Array2::eye(n) - weights).view(),
        Array2::<f64>::eye(n).view(),
    )?;
    Ok(a_times_bt(
        matmul(map.view(), covariance).view(),
        map.view(),
    ))
}

/// Fails unless the matrix may be a covariance.
pub(super) fn check_covariance(covariance: ArrayView2<'_, f64>) -> Result<()> {
    let scale = covariance.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let sound = covariance.is_square()
        && !covariance.is_empty()
        && covariance.iter().all(|value| value.is_finite())
        && (&covariance - &covariance.t())
            .iter()
            .all(|difference| difference.abs() <= 1e-9 * scale);
    match sound {
        true => Ok(()),
        false => Err(Error::data(
            "the covariance is not a symmetric matrix of finite values; give one row and one \
             column per input",
        )),
    }
}

/// Fails unless there is a variance above zero for every output.
pub(super) fn check_variances(variances: ArrayView1<'_, f64>, expected: usize) -> Result<()> {
    let positive = |value: &f64| *value > 0.0 && value.is_finite();
    match variances.len() == expected && variances.iter().all(positive) {
        true => Ok(()),
        false => Err(Error::parameter(
            "variances",
            format!("{variances}"),
            format!("give {expected} numbers above 0, one per output"),
        )),
    }
}
