//! Weights by breaking a stick.

use super::check_concentration;
use didact_core::Result;
use didact_core::random::Generator;
use rand::RngExt;

/// The first weights of a draw from a Dirichlet process: v_k ~ Beta(1, α), π_k = v_k·Π_{j<k}(1 − v_j).
///
/// They add up to less than one; the rest belongs to the pieces that were not broken off, and is
/// (α/(1 + α))^T on average.
///
/// ```
/// use didact_core::random::generator;
/// let weights = didact_mixture::stick_breaking(2.0, 50, &mut generator(1, 0))?;
/// let total: f64 = weights.iter().sum();
/// assert!(total < 1.0 && total > 0.999);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn stick_breaking(
    concentration: f64,
    pieces: usize,
    generator: &mut Generator,
) -> Result<Vec<f64>> {
    check_concentration(concentration)?;
    // 1 − v is U^{1/α}: the logarithm of what is left neither cancels nor underflows.
    let mut log_left = 0.0_f64;
    let piece = |_| {
        let before = log_left;
        log_left += (1.0 - generator.random::<f64>()).ln() / concentration;
        before.exp() * -(log_left - before).exp_m1()
    };
    Ok((0..pieces).map(piece).collect())
}

/// How much of the stick the first pieces take on average, 1 − (α/(1 + α))^T.
pub fn expected_stick_share(concentration: f64, pieces: usize) -> Result<f64> {
    check_concentration(concentration)?;
    Ok(-(pieces as f64 * -concentration.recip().ln_1p()).exp_m1())
}
