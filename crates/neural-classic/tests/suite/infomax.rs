//! What linear units pass on.

use didact_neural_classic::{
    Design, TwoOutputs, better_design, in_bits, input_noise_information, noise_entropy,
    output_noise_information,
};
use didact_testing::random_matrix;
use ndarray::{Array2, array};
use proptest::prelude::*;

fn covariance(n: usize, seed: u64) -> Array2<f64> {
    let rows = random_matrix(3 * n, n, seed);
    rows.t().dot(&rows) / (3 * n) as f64
}

// 002b:NN-09, 002b:NN-10: ½·ln(σ_y²/σ_ν²), growing with the weights; of weights of one length the
// first axis of the covariance passes on most.
#[test]
fn information_grows_with_the_weights_and_is_largest_along_the_first_axis() {
    let c = covariance(3, 1);
    let w = array![[0.5, -1.0, 0.3]];
    let noise = 0.7;
    let total = w.dot(&c).dot(&w.t())[[0, 0]] + noise;
    let nats = output_noise_information(w.view(), c.view(), noise).unwrap();
    assert!((nats - 0.5 * (total / noise).ln()).abs() < 1e-12);
    assert!((in_bits(nats) - 0.5 * (total / noise).log2()).abs() < 1e-12);
    let louder = output_noise_information((&w * 2.0).view(), c.view(), noise).unwrap();
    assert!(louder > nats);
    let eigen = didact_math::linalg::symmetric_eigen(c.view()).unwrap();
    let information = |axis: usize| {
        let w = eigen.vectors.column(axis).insert_axis(ndarray::Axis(0));
        output_noise_information(w, c.view(), noise).unwrap()
    };
    assert!(information(0) > information(1) && information(1) > information(2));
}

// 002b:NN-11: Σw², not (Σw)²: for w = (1, −1) the printed form would divide by zero.
#[test]
fn noise_of_the_inputs_is_summed_in_squares() {
    let c = array![[2.0, 0.5], [0.5, 1.0]];
    let w = array![[1.0, -1.0]];
    // σ_y² = 2 − 1 + 1 + 0.3·2 and the noise 0.3·2.
    let nats = input_noise_information(w.view(), c.view(), 0.3).unwrap();
    assert!((nats - 0.5 * (2.6_f64 / 0.6).ln()).abs() < 1e-12);
    let scaled = input_noise_information((&w * 1e3).view(), c.view(), 0.3).unwrap();
    assert!((scaled - nats).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    // 002b:NN-11: as many independent outputs as inputs pass on all there is, whatever the weights.
    #[test]
    fn a_square_map_does_not_matter_under_noise_of_the_inputs(n in 1usize..5, seed: u64) {
        let c = covariance(n, seed);
        let w = random_matrix(n, n, seed ^ 1) + Array2::<f64>::eye(n) * 4.0;
        let found = input_noise_information(w.view(), c.view(), 0.4).unwrap();
        let plain = input_noise_information(Array2::<f64>::eye(n).view(), c.view(), 0.4).unwrap();
        prop_assert!((found - plain).abs() < 1e-9 * (1.0 + plain));
    }

    // 002b:NN-12: ½·ln(det R/σ_ν^(2n)) with the determinant written out for two outputs; the
    // printed σ_ν² for σ_ν⁴ would differ by ½·ln σ_ν².
    #[test]
    fn two_outputs_have_the_determinant_that_is_written_out(
        noise in 0.05..3.0_f64, seed: u64,
    ) {
        let (c, w) = (covariance(3, seed), random_matrix(2, 3, seed ^ 2));
        let signal = w.dot(&c).dot(&w.t());
        let outputs = TwoOutputs {
            variances: [signal[[0, 0]], signal[[1, 1]]],
            correlation: signal[[0, 1]] / (signal[[0, 0]] * signal[[1, 1]]).sqrt(),
            noise_variance: noise,
        };
        let r = &signal + &(Array2::<f64>::eye(2) * noise);
        let determinant = r[[0, 0]] * r[[1, 1]] - r[[0, 1]] * r[[1, 0]];
        let sum: f64 = outputs.terms().iter().sum();
        prop_assert!((sum - determinant).abs() < 1e-9 * determinant);
        let exact = output_noise_information(w.view(), c.view(), noise).unwrap();
        prop_assert!((outputs.information().unwrap() - exact).abs() < 1e-9);
        // I = h(y) − h(ν), with h(ν) = 1 + ln(2πσ_ν²) for two noises.
        let entropy = 0.5 * determinant.ln() + 1.0 + std::f64::consts::TAU.ln();
        prop_assert!((entropy - noise_entropy(2, noise) - exact).abs() < 1e-9);
        let joint = 1.0 + (std::f64::consts::TAU * noise).ln();
        prop_assert!((noise_entropy(2, noise) - joint).abs() < 1e-12);
    }
}

// 002b:NN-13: much noise asks for redundancy, little noise for uncorrelated outputs, and the
// border is at λ₁λ₂/(λ₁ − λ₂) = 3.
#[test]
fn much_noise_asks_for_redundancy_and_little_for_decorrelation() {
    let design = |noise| better_design([6.0, 2.0], noise).unwrap();
    for noise in [1e-6, 0.1, 1.0, 2.99] {
        assert_eq!(design(noise), Design::Decorrelated);
    }
    for noise in [3.01, 10.0, 1e6] {
        assert_eq!(design(noise), Design::Redundant);
    }
    assert!(better_design([6.0, 2.0], 0.0).is_err());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (w, c) = (array![[1.0, 0.0]], Array2::<f64>::eye(2));
    assert!(output_noise_information(w.view(), c.view(), 0.0).is_err());
    assert!(output_noise_information(w.view(), Array2::<f64>::eye(3).view(), 1.0).is_err());
    let twice = array![[1.0, 0.0], [1.0, 0.0]];
    assert!(input_noise_information(twice.view(), c.view(), 1.0).is_err());
    assert!(output_noise_information(twice.view(), c.view(), 1.0).is_ok());
    let broken = TwoOutputs {
        variances: [1.0, 1.0],
        correlation: 1.5,
        noise_variance: 1.0,
    };
    assert!(broken.information().is_err());
}
