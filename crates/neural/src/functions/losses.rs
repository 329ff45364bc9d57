//! Losses of outputs against targets.

/// Probabilities are kept this far from zero and one, so that logarithms stay finite.
const CLAMP: f64 = 1e-15;

/// ½Σ(output − target)².
pub fn squared_error(outputs: &[f64], targets: &[f64]) -> f64 {
    let squares = outputs.iter().zip(targets).map(|(a, y)| (a - y) * (a - y));
    0.5 * squares.sum::<f64>()
}

/// −Σₖ yₖ·ln pₖ for one-hot or soft targets; probabilities are kept away from zero.
///
/// ```
/// // Equal probabilities of four classes cost ln 4.
/// let loss = didact_neural::cross_entropy(&[0.25; 4], &[0.0, 1.0, 0.0, 0.0]);
/// assert!((loss - 4.0_f64.ln()).abs() < 1e-15);
/// ```
pub fn cross_entropy(probabilities: &[f64], targets: &[f64]) -> f64 {
    let terms = probabilities.iter().zip(targets);
    -terms.map(|(p, y)| y * p.max(CLAMP).ln()).sum::<f64>()
}

/// −Σ[y·ln p + (1−y)·ln(1−p)] for targets in [0, 1]: the minus applies to both terms.
pub fn binary_cross_entropy(probabilities: &[f64], targets: &[f64]) -> f64 {
    let term = |(p, y): (&f64, &f64)| {
        let p = p.clamp(CLAMP, 1.0 - CLAMP);
        y * p.ln() + (1.0 - y) * (1.0 - p).ln()
    };
    -probabilities.iter().zip(targets).map(term).sum::<f64>()
}

/// Σ max(0, 1 − y·output) for targets −1 and +1.
pub fn hinge(outputs: &[f64], targets: &[f64]) -> f64 {
    let terms = outputs.iter().zip(targets);
    terms.map(|(a, y)| (1.0 - y * a).max(0.0)).sum()
}

/// The price (λ/2)Σw² of weights; biases are not to be handed in.
pub fn weight_decay(weights: &[f64], lambda: f64) -> f64 {
    0.5 * lambda * weights.iter().map(|w| w * w).sum::<f64>()
}

/// Adds the slope λw of [`weight_decay`] to a gradient.
pub fn weight_decay_gradient(weights: &[f64], lambda: f64, gradient: &mut [f64]) {
    for (slope, w) in gradient.iter_mut().zip(weights) {
        *slope += lambda * w;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 000b:D45: least at p = v, where it is the entropy of the coin; the printed sum without the
    // bracket would subtract the second term from nothing.
    #[test]
    fn reconstruction_entropy_is_least_at_the_truth() {
        let v = [0.3];
        let entropy = -(0.3_f64 * 0.3_f64.ln() + 0.7 * 0.7_f64.ln());
        assert!((binary_cross_entropy(&v, &v) - entropy).abs() < 1e-15);
        for p in [0.1, 0.29, 0.31, 0.9] {
            assert!(binary_cross_entropy(&[p], &v) > entropy);
        }
        let printed = -0.3 * 0.3_f64.ln() + 0.7 * 0.7_f64.ln();
        assert!((printed - entropy).abs() > 0.4);
        assert!(binary_cross_entropy(&[0.0, 1.0], &[1.0, 0.0]).is_finite());
    }

    // 000b:D54: equal probabilities over T steps cost T·ln K.
    #[test]
    fn uniform_probabilities_cost_the_logarithm_of_the_classes() {
        let step = cross_entropy(&[1.0 / 3.0; 3], &[0.0, 0.0, 1.0]);
        assert!((4.0 * step - 4.0 * 3.0_f64.ln()).abs() < 1e-14);
        assert!(cross_entropy(&[0.0, 1.0], &[1.0, 0.0]).is_finite());
    }

    // 000b:D26 002b:NN-14 004:M65 001:NN-05
    #[test]
    fn the_other_losses_follow_their_formulas() {
        assert_eq!(hinge(&[0.5, 2.0, -1.0], &[1.0, 1.0, 1.0]), 0.5 + 0.0 + 2.0);
        assert_eq!(squared_error(&[1.0, 2.0], &[0.0, 4.0]), 2.5);
        assert_eq!(weight_decay(&[1.0, -2.0], 0.1), 0.25);
        let mut gradient = [1.0, 1.0];
        weight_decay_gradient(&[1.0, -2.0], 0.1, &mut gradient);
        assert_eq!(gradient, [1.1, 0.8]);
    }
}
