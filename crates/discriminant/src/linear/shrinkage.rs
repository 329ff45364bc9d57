//! How far a covariance is drawn towards a sphere where rows have weights.

use didact_math::linalg::at_times_b;
use ndarray::{Array1, Array2, ArrayView1, Axis};

/// The covariance of centred rows after Ledoit and Wolf, where a row of weight two counts like two.
///
/// (1 − ρ)·S + ρ·μ·I with μ = tr S/d and ρ = min(β, δ)/δ, where δ = ‖S − μI‖²/d is how far S is
/// from a sphere and β = Σ w‖xxᵀ − S‖²/(d·W²) how far it is from the truth in expectation.
pub(super) fn ledoit_wolf(centred: &Array2<f64>, weights: ArrayView1<'_, f64>) -> Array2<f64> {
    let (d, total) = (centred.ncols() as f64, weights.sum());
    let weighted = centred * &weights.insert_axis(Axis(1));
    let mut covariance = at_times_b(weighted.view(), centred.view()) / total;
    let mu = covariance.diag().sum() / d;
    let squares = covariance.iter().map(|value| value * value).sum::<f64>();
    // Σ w‖xxᵀ‖² is the sum of the fourth powers of the lengths.
    let lengths: Array1<f64> = (centred * centred).sum_axis(Axis(1));
    let fourth = (&lengths * &lengths * weights).sum();
    let beta = (fourth / total - squares) / (d * total);
    let delta = (squares - d * mu * mu) / d;
    if delta > 0.0 && beta > 0.0 {
        let share = (beta / delta).min(1.0);
        covariance *= 1.0 - share;
        covariance
            .diag_mut()
            .mapv_inplace(|value| value + share * mu);
    }
    covariance
}
