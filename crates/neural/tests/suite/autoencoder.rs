//! Codes and reconstructions.

use crate::mlp::standardised;
use didact_core::{Fit, Invert, Model, Run, Samples, Transform};
use didact_math::linalg::thin_svd;
use didact_neural::{Activation, Autoencoder, AutoencoderModel, Noise, ReconstructionLoss, Solver};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, Axis, s};

/// The mean squared distance of rows from their reconstructions.
fn distance(model: &AutoencoderModel, clean: &Array2<f64>, seen: &Array2<f64>) -> f64 {
    let difference = model.reconstruct(seen.view()).unwrap() - clean;
    difference.mapv(|d| d * d).sum() / clean.nrows() as f64
}

/// The least distance that k principal components leave.
fn principal_distance(x: &Array2<f64>, k: usize) -> f64 {
    let centred = x - &x.mean_axis(Axis(0)).unwrap();
    let values = thin_svd(centred.view()).unwrap().singular_values;
    values.slice(s![k..]).mapv(|v| v * v).sum() / x.nrows() as f64
}

fn linear(k: usize) -> Autoencoder {
    Autoencoder {
        hidden_layer_sizes: vec![k],
        activation: Activation::Identity,
        solver: Solver::Lbfgs,
        alpha: 0.0,
        tol: 1e-9,
        max_iter: 5000,
        ..Autoencoder::default()
    }
}

// 000b:D43 001:NN-12 000b:D73: linear units span the principal subspace.
#[test]
fn linear_units_reach_the_error_of_as_many_principal_components() {
    let x = standardised(didact_datasets::iris().features());
    for k in [1, 2] {
        for tied in [false, true] {
            let model = Autoencoder { tied, ..linear(k) }
                .fit(Samples::from(&x))
                .unwrap();
            let (found, expected) = (distance(&model, &x, &x), principal_distance(&x, k));
            assert!(
                (found - expected).abs() < 1e-6 * expected,
                "{k} {tied}: {found} {expected}"
            );
        }
        // The decoder's columns span the principal directions: projecting on them loses nothing.
        let model = linear(k).fit(Samples::from(&x)).unwrap();
        let vt = thin_svd(x.view()).unwrap().vt;
        let leading = vt.slice(s![..k, ..]);
        let decoder = model.network().weights(1).unwrap().to_owned();
        let projected = leading.t().dot(&leading.dot(&decoder));
        assert_close(&projected, &decoder, 1e-3);
    }
}

// 001:NN-12: as many units as columns tell everything again.
#[test]
fn a_code_as_wide_as_the_rows_loses_nothing() {
    let x = standardised(didact_datasets::iris().features());
    let model = linear(4).fit(Samples::from(&x)).unwrap();
    assert!(distance(&model, &x, &x) < 1e-8);
}

// 000b:D44: tied weights are shared, biases are not.
#[test]
fn tied_weights_are_the_transpose_and_biases_stay_free() {
    let x = standardised(didact_datasets::iris().features());
    let learner = Autoencoder {
        tied: true,
        hidden_layer_sizes: vec![3, 2],
        ..Autoencoder::default()
    };
    let model = learner.fit(Samples::from(&x)).unwrap();
    let network = model.network();
    assert_eq!(network.sizes(), [4, 3, 2, 3, 4]);
    assert_eq!(network.weights(3).unwrap(), network.weights(0).unwrap().t());
    assert_eq!(network.weights(2).unwrap(), network.weights(1).unwrap().t());
    assert_eq!(network.n_parameters(), (12 + 6) + (3 + 2 + 3 + 4));
    assert_ne!(
        network.biases(0).unwrap().to_vec(),
        network.biases(2).unwrap().to_vec()
    );
}

// 000b:D46 000b:D43: encoder then decoder is the whole; codes of two numbers.
#[test]
fn coding_and_decoding_is_the_reconstruction() {
    let x = standardised(didact_datasets::iris().features());
    for (sizes, tied) in [(vec![2], false), (vec![6, 3, 2], false), (vec![6, 2], true)] {
        let learner = Autoencoder {
            hidden_layer_sizes: sizes,
            tied,
            ..Autoencoder::default()
        };
        let model = learner.fit(Samples::from(&x)).unwrap();
        let codes = model.transform(&x).unwrap().into_dense();
        assert_eq!(codes.ncols(), 2);
        let again = model.inverse_transform(&codes).unwrap();
        assert_eq!(again, model.reconstruct(x.view()).unwrap());
        let mean = codes.mean_axis(Axis(0)).unwrap();
        assert_close(model.mean_activations(), &mean, 1e-5);
    }
}

// 000b:D46 000b:D73: a bent curve needs one number per point, which straight lines cannot give.
#[test]
fn a_deep_code_beats_principal_components_on_a_curve() {
    let x = Array2::from_shape_fn((120, 2), |(row, k)| {
        let angle = 3.0 * row as f64 / 119.0;
        if k == 0 { angle.cos() } else { angle.sin() }
    });
    let learner = Autoencoder {
        hidden_layer_sizes: vec![8, 1],
        solver: Solver::Lbfgs,
        alpha: 0.0,
        tol: 1e-6,
        max_iter: 1000,
        random_state: 1,
        ..Autoencoder::default()
    };
    let model = learner.fit(Samples::from(&x)).unwrap();
    let (found, straight) = (distance(&model, &x, &x), principal_distance(&x, 1));
    assert!(found < 0.1 * straight, "{found} {straight}");
}

// 000b:D47: clean pairs are the plain autoencoder, spoiled ones teach to clean.
#[test]
fn pairs_of_equal_rows_are_the_plain_autoencoder() {
    let x = standardised(didact_datasets::iris().features());
    let learner = Autoencoder {
        max_iter: 30,
        ..Autoencoder::default()
    };
    let plain = learner.fit(Samples::from(&x)).unwrap();
    let pairs = learner
        .fit_pairs(Samples::from(&x), Samples::from(&x), &Run::new())
        .unwrap();
    assert_eq!(plain, pairs);
}

// 000b:D47
#[test]
fn learning_from_spoiled_rows_cleans_them_better() {
    // Five columns that all say the same thing: a denoiser can average them.
    let truth = random_matrix(400, 1, 1);
    let clean = Array2::from_shape_fn((400, 5), |(row, _)| truth[[row, 0]]);
    let spoiled = &clean + &(random_matrix(400, 5, 2) * 0.5);
    let fresh = &clean + &(random_matrix(400, 5, 3) * 0.5);
    let learner = Autoencoder {
        hidden_layer_sizes: vec![4],
        activation: Activation::Identity,
        max_iter: 300,
        ..Autoencoder::default()
    };
    let (dirty, run) = (Samples::from(&spoiled), Run::new());
    let denoiser = learner
        .fit_pairs(dirty.view(), Samples::from(&clean), &run)
        .unwrap();
    let plain = learner.fit(dirty).unwrap();
    let identity = (&fresh - &clean).mapv(|d| d * d).sum() / 400.0;
    let (cleaned, repeated) = (
        distance(&denoiser, &clean, &fresh),
        distance(&plain, &clean, &fresh),
    );
    assert!(
        cleaned < 0.4 * identity && cleaned < 0.6 * repeated,
        "{cleaned} {repeated} {identity}"
    );
    // Noise that is drawn anew while learning does the same without pairs.
    let drawn = Autoencoder {
        noise: Noise::Gaussian,
        noise_level: 0.5,
        ..learner.clone()
    };
    let drawn = drawn.fit(Samples::from(&clean)).unwrap();
    assert!(distance(&drawn, &clean, &fresh) < 0.4 * identity);
}

// 001:GEN-08: a higher price drives the mean activations to the target; none changes nothing.
#[test]
fn the_price_of_activity_drives_the_means_to_the_target() {
    let x = random_matrix(200, 6, 4).mapv(|v| 0.5 + 0.15 * v);
    let fit = |weight: f64| {
        let learner = Autoencoder {
            hidden_layer_sizes: vec![10],
            activation: Activation::Logistic,
            sparsity_weight: weight,
            max_iter: 400,
            ..Autoencoder::default()
        };
        learner.fit(Samples::from(&x)).unwrap()
    };
    let off = |model: &AutoencoderModel| {
        model
            .mean_activations()
            .mapv(|m| (m - 0.05).abs())
            .mean()
            .unwrap()
    };
    let (none, some, strong) = (fit(0.0), fit(0.1), fit(3.0));
    assert!(off(&strong) < off(&some) && off(&some) < off(&none));
    assert!(off(&strong) < 0.02, "{}", strong.mean_activations());
    let plain = Autoencoder {
        hidden_layer_sizes: vec![10],
        activation: Activation::Logistic,
        max_iter: 400,
        ..Autoencoder::default()
    };
    assert_eq!(none, plain.fit(Samples::from(&x)).unwrap());
}

// 001:T-13: KL(ρ‖ρ̂) of coins, through the price that the loss contains.
#[test]
fn the_price_is_the_divergence_of_coins() {
    let divergence = |p: f64, q: f64| p * (p / q).ln() + (1.0 - p) * ((1.0 - p) / (1.0 - q)).ln();
    for (q, expected) in [
        (0.2, 0.0939430),
        (0.5, 0.4946319),
        (0.01, 0.0412911),
        (0.05, 0.0),
    ] {
        assert!((divergence(0.05, q) - expected).abs() < 1e-7);
    }
    let x = random_matrix(50, 3, 4);
    let learner = Autoencoder {
        hidden_layer_sizes: vec![4],
        activation: Activation::Logistic,
        sparsity_weight: 0.7,
        solver: Solver::Lbfgs,
        max_iter: 50,
        alpha: 0.0,
        ..Autoencoder::default()
    };
    let model = learner.fit(Samples::from(&x)).unwrap();
    let price: f64 = model
        .mean_activations()
        .iter()
        .map(|&m| divergence(0.05, m))
        .sum();
    let error = 0.5 * distance(&model, &x, &x);
    let loss = Model::trace(&model)
        .unwrap()
        .objectives
        .last()
        .copied()
        .unwrap();
    assert!(
        (loss - error - 0.7 * price).abs() < 1e-9 * loss,
        "{loss} {error} {price}"
    );
}

// 000b:D45: cross-entropy for values between zero and one.
#[test]
fn cross_entropy_reconstructs_shares_and_refuses_others() {
    let x = random_matrix(100, 4, 5).mapv(|v| f64::from(v > 0.0));
    let learner = Autoencoder {
        loss: ReconstructionLoss::CrossEntropy,
        hidden_layer_sizes: vec![4],
        max_iter: 500,
        ..Autoencoder::default()
    };
    let model = learner.fit(Samples::from(&x)).unwrap();
    let again = model.reconstruct(x.view()).unwrap();
    assert!(again.iter().all(|v| (0.0..=1.0).contains(v)));
    let right = again
        .iter()
        .zip(&x)
        .filter(|(a, v)| (**a > 0.5) == (**v > 0.5))
        .count();
    assert!(right > 390, "{right}");
    let message = learner
        .fit(Samples::from(&(x * 3.0)))
        .unwrap_err()
        .to_string();
    assert!(message.contains("between 0 and 1"), "{message}");
}

#[test]
fn contradictions_are_named() {
    let x = random_matrix(10, 3, 1);
    let message = |learner: Autoencoder| learner.fit(Samples::from(&x)).unwrap_err().to_string();
    assert!(
        message(Autoencoder {
            hidden_layer_sizes: vec![],
            ..Autoencoder::default()
        })
        .starts_with("hidden_layer_sizes is []; ")
    );
    assert!(
        message(Autoencoder {
            sparsity_weight: 1.0,
            ..Autoencoder::default()
        })
        .starts_with("activation is tanh; ")
    );
    assert!(
        message(Autoencoder {
            noise: Noise::Mask,
            noise_level: 2.0,
            ..Autoencoder::default()
        })
        .starts_with("noise_level is 2; ")
    );
    let whole = Autoencoder {
        noise: Noise::Mask,
        solver: Solver::Lbfgs,
        ..Autoencoder::default()
    };
    assert!(message(whole).starts_with("noise is mask; "));
    let other = random_matrix(9, 3, 1);
    let result =
        Autoencoder::default().fit_pairs(Samples::from(&x), Samples::from(&other), &Run::new());
    assert!(result.unwrap_err().to_string().contains("10×3"));
}
