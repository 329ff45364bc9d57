//! Point losses: what a single prediction costs.
//!
//! Losses of classifiers are functions of the margin z = y·f(x) with y = ±1, or of one score
//! per class; losses of regression are functions of the residual r = y − f(x). A training
//! objective is the sum (or mean) of point losses plus a penalty; errors that are reported
//! never include the penalty.

use didact_math::numeric::{log_sum_exp, sigmoid, softplus};

/// Half the squared residual, ½r². A mean squared error reports twice its mean.
pub fn squared(residual: f64) -> f64 {
    0.5 * residual * residual
}

/// The zero-one training loss: one where z ≤ 0, because a point on the boundary is not right.
pub fn zero_one(margin: f64) -> f64 {
    f64::from(margin <= 0.0)
}

/// The hinge loss max(1 − z, 0), an upper bound of the zero-one loss with a kink at z = 1.
pub fn hinge(margin: f64) -> f64 {
    (1.0 - margin).max(0.0)
}

/// The perceptron criterion max(−z, 0): a mistake costs as much as it was confident.
pub fn perceptron(margin: f64) -> f64 {
    (-margin).max(0.0)
}

/// What the hinge loss has for a slope at its kink z = 1, where every value in [−1, 0] is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kink {
    /// Slope 0: a point exactly on the margin is satisfied.
    Satisfied,
    /// Slope −1: a point exactly on the margin still pulls.
    Violated,
}

/// The derivative of the hinge loss by the margin.
pub fn hinge_slope(margin: f64, kink: Kink) -> f64 {
    match margin < 1.0 || (margin == 1.0 && kink == Kink::Violated) {
        true => -1.0,
        false => 0.0,
    }
}

/// The logistic loss ln(1 + e⁻ᶻ), the negative log-probability of the right label.
///
/// ```
/// use didact_linear::losses::logistic;
/// assert!((logistic(0.0) - 2.0_f64.ln()).abs() < 1e-15);
/// assert_eq!(logistic(-1000.0), 1000.0);
/// ```
pub fn logistic(margin: f64) -> f64 {
    softplus(-margin)
}

/// The derivative of the logistic loss by the margin, −σ(−z).
pub fn logistic_slope(margin: f64) -> f64 {
    -sigmoid(-margin)
}

/// The ε-insensitive loss max(0, |r| − ε): residuals inside a tube of height 2ε are free.
pub fn epsilon_insensitive(residual: f64, epsilon: f64) -> f64 {
    (residual.abs() - epsilon).max(0.0)
}

/// The sigmoid s = 1/(1 + e⁻ᶻ) and its derivatives s′ = s(1 − s) and s″ = s(1 − s)(1 − 2s).
pub fn sigmoid_and_derivatives(z: f64) -> (f64, f64, f64) {
    // 1 − s is σ(−z); subtracting would lose its digits for large z.
    let (s, complement) = (sigmoid(z), sigmoid(-z));
    let first = s * complement;
    (s, first, first * (complement - s))
}

/// The cross-entropy −Σ yⱼ ln pⱼ of softmax probabilities p against targets y that sum to one
/// (one-hot or soft). Leaves the gradient by the scores, p − y, in the place of the scores.
///
/// # Panics
/// When there is not one target per score.
pub fn cross_entropy_in_place(scores: &mut [f64], targets: &[f64]) -> f64 {
    assert_eq!(
        scores.len(),
        targets.len(),
        "there must be one target per score"
    );
    let total = log_sum_exp(scores);
    let mut loss = 0.0;
    for (score, target) in scores.iter_mut().zip(targets) {
        let log_probability = *score - total;
        if *target != 0.0 {
            loss -= target * log_probability;
        }
        *score = log_probability.exp() - target;
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} {expected}");
    }

    /// The central difference of `f` at `x`.
    fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        let h = 1e-5;
        (f(x + h) - f(x - h)) / (2.0 * h)
    }

    // 001:CLS-22 with the values of 001:T-02; 001:CLS-08: the boundary z = 0 counts as wrong.
    #[test]
    fn the_three_curves_have_their_tabulated_values() {
        let table = [
            (-1.0, 1.0, 2.0, 1.313262),
            (0.0, 1.0, 1.0, std::f64::consts::LN_2),
            (0.5, 0.0, 0.5, 0.474077),
            (1.0, 0.0, 0.0, 0.313262),
            (2.0, 0.0, 0.0, 0.126928),
        ];
        for (z, zero_one_loss, hinge_loss, logistic_loss) in table {
            assert_eq!((zero_one(z), hinge(z)), (zero_one_loss, hinge_loss));
            close(logistic(z), logistic_loss, 5e-7);
        }
        assert_eq!(zero_one(-0.0), 1.0);
        // With natural logarithms the logistic loss is no bound of the zero-one loss at 0.
        assert!(logistic(0.0) < zero_one(0.0));
    }

    // 001:REG-03: the factor ½ that a mean squared error does not have.
    #[test]
    fn the_squared_loss_is_half_the_square() {
        assert_eq!(squared(-3.0), 4.5);
    }

    // 001:CLS-12: 0 beyond the margin, −1 inside, −1 at the kink only on request.
    #[test]
    fn the_hinge_slope_is_its_derivative_away_from_the_kink() {
        for z in [-2.0, 0.3, 0.9, 1.1, 3.0] {
            for kink in [Kink::Satisfied, Kink::Violated] {
                close(hinge_slope(z, kink), slope(hinge, z), 1e-9);
            }
        }
        assert_eq!(hinge_slope(1.0, Kink::Violated), -1.0);
        assert_eq!(hinge_slope(1.0, Kink::Satisfied), 0.0);
    }

    // 002b:KM-04
    #[test]
    fn the_tube_is_free_and_without_a_tube_it_is_the_absolute_error() {
        assert_eq!(epsilon_insensitive(-0.5, 0.5), 0.0);
        assert_eq!(epsilon_insensitive(0.75, 0.5), 0.25);
        assert_eq!(epsilon_insensitive(-0.75, 0.0), 0.75);
    }

    // 004:M27: s″ = s − 3s² + 2s³; the printed s − 2s² + s³ is wrong.
    #[test]
    fn the_second_derivative_of_the_sigmoid_is_the_corrected_one() {
        let (s, _, second) = sigmoid_and_derivatives(1.0);
        close(second, -0.0908577, 5e-8);
        close(second, s - 3.0 * s * s + 2.0 * s * s * s, 1e-15);
        close(s - 2.0 * s * s + s * s * s, 0.0528771, 5e-8);
        for z in [-4.0, -0.5, 0.0, 2.0] {
            let (_, first, second) = sigmoid_and_derivatives(z);
            close(first, slope(|z| sigmoid_and_derivatives(z).0, z), 1e-9);
            close(second, slope(|z| sigmoid_and_derivatives(z).1, z), 1e-9);
        }
    }

    // 000b:D32, 003:P99, 003:P100 with 000b:TV-8: the gradient by the scores is p − y.
    #[test]
    fn the_softmax_cross_entropy_has_its_published_value_and_gradient() {
        let mut scores = [1.0, 2.0, 0.5];
        let loss = cross_entropy_in_place(&mut scores, &[0.0, 1.0, 0.0]);
        close(loss, 0.46436878410794485, 1e-15);
        for (found, expected) in scores
            .iter()
            .zip([0.2312238976, -0.3714682808, 0.1402443832])
        {
            close(*found, expected, 5e-11);
        }
        close(scores.iter().sum(), 0.0, 1e-15);
        // 003, section 3: logits (2, 1, 0.1), class 1 (counted from one).
        let mut scores = [2.0, 1.0, 0.1];
        close(
            cross_entropy_in_place(&mut scores, &[1.0, 0.0, 0.0]),
            0.4170300,
            5e-8,
        );
        close(scores[1], 0.2424330, 5e-8);
    }

    // 003:P99: shift-invariant, and two classes are the sigmoid of the difference.
    #[test]
    fn softmax_of_two_is_the_sigmoid_and_huge_scores_do_not_overflow() {
        let mut scores = [1000.0, 1003.0];
        let loss = cross_entropy_in_place(&mut scores, &[0.0, 1.0]);
        close(loss, logistic(3.0), 1e-12);
        close(scores[0], sigmoid(-3.0), 1e-12);
    }

    proptest! {
        // 000a:SUP-10, 001:CLS-11
        #[test]
        fn the_hinge_bounds_the_zero_one_loss(z in -5.0..5.0) {
            prop_assert!(hinge(z) >= zero_one(z));
        }

        // 001:CLS-14: σ(−t) = 1 − σ(t); the slope of the loss is −σ(−z).
        #[test]
        fn the_logistic_slope_is_its_derivative(z in -20.0..20.0) {
            prop_assert!((logistic_slope(z) - slope(logistic, z)).abs() < 1e-8);
            prop_assert!((sigmoid(z) + sigmoid(-z) - 1.0).abs() < 1e-15);
        }

        // 003:P100: soft targets too.
        #[test]
        fn the_cross_entropy_gradient_is_the_finite_difference(a in -3.0..3.0, b in -3.0..3.0, share in 0.0..1.0) {
            let targets = [share, 1.0 - share, 0.0];
            let loss = |a: f64| cross_entropy_in_place(&mut [a, b, 0.5], &targets);
            let mut scores = [a, b, 0.5];
            cross_entropy_in_place(&mut scores, &targets);
            prop_assert!((scores[0] - slope(loss, a)).abs() < 1e-8);
        }
    }
}
