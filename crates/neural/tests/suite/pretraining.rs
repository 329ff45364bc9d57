//! Layers that learn from rows alone, and what networks make of them.

use crate::mlp::standardised;
use didact_core::{Classify, Fit, Labelled, Labels, Model, Regress, Run, Samples, Transform};
use didact_neural::{
    Activation, Autoencoder, DeepFeatures, Head, Mlp, Network, Pretraining, ReconstructionLoss,
    Solver, Transfer,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, s};

/// Zeros and ones in the pattern of one of three prototypes, some of them flipped.
fn patterns(n: usize, flips: f64, seed: u64) -> (Array2<f64>, Array2<f64>, Vec<usize>) {
    let prototypes = random_matrix(3, 12, 99).mapv(|v| f64::from(v > 0.0));
    let chance = random_matrix(n, 12, seed);
    let clean = Array2::from_shape_fn((n, 12), |(row, column)| prototypes[[row % 3, column]]);
    // A normal value is below −z with this chance.
    let spoiled = Array2::from_shape_fn((n, 12), |(row, column)| {
        let flipped = chance[[row, column]] < -flips;
        if flipped {
            1.0 - clean[[row, column]]
        } else {
            clean[[row, column]]
        }
    });
    (spoiled, clean, (0..n).map(|row| row % 3).collect())
}

fn sigmoid(z: Array2<f64>) -> Array2<f64> {
    z.mapv(|z| Transfer::Logistic { slope: 1.0 }.value(z))
}

// 000a:SSL-25: the reconstruction error falls; continuous rows make the first layer normal.
#[test]
fn every_layer_learns_to_tell_the_one_below_again() {
    let (x, _, _) = patterns(150, 1.0, 1);
    let pretraining = Pretraining {
        n_iter: 30,
        ..Pretraining::default()
    };
    let layers = pretraining.learn(x.view(), &[8, 4], &Run::new()).unwrap();
    assert!(layers.iter().all(|layer| layer.is_binary));
    for layer in &layers {
        assert!(
            layer.errors.last().unwrap() < &(0.9 * layer.errors[0]),
            "{:?}",
            layer.errors
        );
    }
    let iris = didact_datasets::iris();
    let layers = pretraining
        .learn(iris.features(), &[8], &Run::new())
        .unwrap();
    assert!(!layers[0].is_binary);
    assert!(layers[0].errors.last().unwrap() < &(0.8 * layers[0].errors[0]));
    // The scaling of the columns is part of the weights: the way back speaks in their units.
    let hidden = sigmoid(iris.features().dot(&layers[0].weights.t()) + &layers[0].biases);
    let again = hidden.dot(&layers[0].down_weights.t()) + &layers[0].down_biases;
    let left = (&again - &iris.features()).mapv(|d| d * d).sum();
    let spread: f64 = iris.features().var_axis(ndarray::Axis(0), 0.0).sum() * 150.0;
    assert!(left < 0.6 * spread, "{left} {spread}");
}

// 000b:D11 000b:D34: features in front of a classifier are one network with it.
#[test]
fn a_classifier_on_features_is_the_network_of_both() {
    let (x, _, labels) = patterns(120, 1.0, 2);
    let labels = Labels::from_indices(labels);
    let features = DeepFeatures {
        hidden_layer_sizes: vec![10, 6],
        max_iter: 100,
        ..DeepFeatures::default()
    };
    let features = features.fit(Samples::from(&x)).unwrap();
    let exported = features.transform(&x).unwrap().into_dense();
    let top = Mlp {
        hidden_layer_sizes: vec![],
        solver: Solver::Lbfgs,
        ..Mlp::default()
    };
    let top = top.fit(Labelled::new(&exported, &labels).unwrap()).unwrap();
    let layer = |network: &Network, l: usize| {
        (
            network.weights(l).unwrap().to_owned(),
            network.biases(l).unwrap().to_owned(),
        )
    };
    let layers = [
        layer(features.network(), 0),
        layer(features.network(), 1),
        layer(top.network(), 0),
    ];
    let whole = Network::from_layers(&layers, Activation::Logistic, Head::CLASSES).unwrap();
    assert_close(
        &whole.outputs(x.view()).unwrap(),
        &top.network().outputs(exported.view()).unwrap(),
        1e-13,
    );
    let right = top
        .predict(&exported)
        .unwrap()
        .iter()
        .zip(&labels.indices)
        .filter(|(a, b)| a == b)
        .count();
    // Twice as often as by chance, from probabilities of six units.
    assert!(right > 80, "{right}");
}

// 000b:D33: before fine-tuning the hidden layers give the features; zero passes switch it off.
#[test]
fn fine_tuning_begins_at_the_features() {
    let (x, _, labels) = patterns(90, 1.0, 3);
    let labels = Labels::from_indices(labels);
    let data = || Labelled::new(&x, &labels).unwrap();
    let frozen = Mlp {
        hidden_layer_sizes: vec![7, 5],
        activation: Activation::Logistic,
        pretrain_iter: 10,
        learning_rate_init: 1e-30,
        max_iter: 1,
        ..Mlp::default()
    };
    let model = frozen.fit(data()).unwrap();
    let features = DeepFeatures {
        hidden_layer_sizes: vec![7, 5],
        max_iter: 10,
        ..DeepFeatures::default()
    };
    let expected = features
        .fit(Samples::from(&x))
        .unwrap()
        .transform(&x)
        .unwrap()
        .into_dense();
    // The network is taught in single precision.
    assert_close(
        &model.network().activations(x.view()).unwrap()[2],
        &expected,
        1e-6,
    );
    let random = Mlp {
        pretrain_iter: 0,
        ..frozen.clone()
    }
    .fit(data())
    .unwrap();
    assert_ne!(random.network().weights(0), model.network().weights(0));
    let tuned = Mlp {
        learning_rate_init: 0.01,
        max_iter: 300,
        ..frozen.clone()
    }
    .fit(data())
    .unwrap();
    let right = tuned
        .predict(&x)
        .unwrap()
        .iter()
        .zip(&labels.indices)
        .filter(|(a, b)| a == b)
        .count();
    assert!(right > 85);
    let wrong = Mlp {
        activation: Activation::Relu,
        ..frozen
    };
    assert!(
        wrong
            .fit(data())
            .unwrap_err()
            .to_string()
            .starts_with("pretrain_iter is 10; ")
    );
}

// 000b:D49 000b:D51: the unrolled network begins as the way up and down through the layers.
#[test]
fn an_unrolled_autoencoder_begins_as_the_reconstruction_of_its_layers() {
    let (x, _, _) = patterns(60, 1.0, 4);
    for tied in [false, true] {
        let learner = Autoencoder {
            hidden_layer_sizes: vec![6, 3],
            activation: Activation::Logistic,
            loss: ReconstructionLoss::CrossEntropy,
            tied,
            pretrain_iter: 5,
            learning_rate_init: 1e-30,
            max_iter: 1,
            ..Autoencoder::default()
        };
        let model = learner.fit(Samples::from(&x)).unwrap();
        let pretraining = Pretraining {
            n_iter: 5,
            ..Pretraining::default()
        };
        let layers = pretraining.learn(x.view(), &[6, 3], &Run::new()).unwrap();
        let up =
            |v: &Array2<f64>, l: usize| sigmoid(v.dot(&layers[l].weights.t()) + &layers[l].biases);
        let down =
            |h: &Array2<f64>, l: usize| sigmoid(h.dot(&layers[l].weights) + &layers[l].down_biases);
        let expected = down(&down(&up(&up(&x, 0), 1), 1), 0);
        assert_close(&model.reconstruct(x.view()).unwrap(), &expected, 1e-5);
    }
}

// 000b:D48 000b:D50 000b:D52: deep, logistic, cross-entropy to the clean rows; it beats leaving
// held-out noise as it is. What loops of feedback do is measured.
#[test]
fn a_deep_denoiser_cleans_held_out_rows() {
    let (spoiled, clean, _) = patterns(300, 1.0, 5);
    let (fresh, truth, _) = patterns(90, 1.0, 6);
    let learner = Autoencoder {
        hidden_layer_sizes: vec![10, 6],
        activation: Activation::Logistic,
        loss: ReconstructionLoss::CrossEntropy,
        pretrain_iter: 10,
        max_iter: 300,
        ..Autoencoder::default()
    };
    let model = learner
        .fit_pairs(Samples::from(&spoiled), Samples::from(&clean), &Run::new())
        .unwrap();
    let trace = Model::trace(&model).unwrap();
    assert!(trace.objectives.last().unwrap() < &(0.5 * trace.objectives[0]));
    let distance = |found: &Array2<f64>| (found - &truth).mapv(|d| d * d).mean().unwrap();
    let plain = model.reconstruct(fresh.view()).unwrap();
    assert!(
        distance(&plain) < 0.3 * distance(&fresh),
        "{} {}",
        distance(&plain),
        distance(&fresh)
    );
    assert_eq!(
        model
            .reconstruct_with_feedback(fresh.view(), 0, 1.0)
            .unwrap(),
        plain
    );
    let looped = model
        .reconstruct_with_feedback(fresh.view(), 2, 1.0)
        .unwrap();
    assert!(looped.iter().all(|v| (0.0..=1.0).contains(v)) && looped != plain);
}

// 000b:D52: with tied weights and one layer a brighter value never darkens its own reconstruction.
#[test]
fn own_values_are_never_darkened_by_tied_weights() {
    let (x, _, _) = patterns(60, 1.0, 7);
    let learner = Autoencoder {
        hidden_layer_sizes: vec![5],
        activation: Activation::Logistic,
        loss: ReconstructionLoss::CrossEntropy,
        tied: true,
        max_iter: 50,
        ..Autoencoder::default()
    };
    let model = learner.fit(Samples::from(&x)).unwrap();
    let mut others = 0;
    for row in x.slice(s![..10, ..]).rows() {
        for column in 0..12 {
            let mut direction = Array1::zeros(12);
            direction[column] = 1.0;
            let change = model
                .network()
                .jacobian_times(&row.to_vec(), direction.as_slice().unwrap())
                .unwrap();
            assert!(change[column] >= 0.0);
            others += change.iter().filter(|&&slope| slope < 0.0).count();
        }
    }
    // Other values may well be darkened: the map as a whole is not increasing.
    assert!(others > 0);
}

#[test]
fn pretraining_refuses_what_it_cannot_learn_from() {
    let x = random_matrix(10, 3, 1);
    let message = |learner: Autoencoder| learner.fit(Samples::from(&x)).unwrap_err().to_string();
    let logistic = Autoencoder {
        activation: Activation::Logistic,
        pretrain_iter: 3,
        ..Autoencoder::default()
    };
    assert!(
        message(Autoencoder {
            tied: true,
            ..logistic.clone()
        })
        .starts_with("pretrain_iter is 3; ")
    );
    assert!(
        message(Autoencoder {
            activation: Activation::Tanh,
            ..logistic.clone()
        })
        .starts_with("pretrain_iter is 3; ")
    );
    assert!(logistic.fit(Samples::from(&x)).is_ok());
    let huge = &x * 1e300;
    assert!(
        DeepFeatures::default()
            .fit(Samples::from(&huge))
            .unwrap_err()
            .to_string()
            .contains("too large")
    );
    let none = DeepFeatures {
        hidden_layer_sizes: vec![],
        ..DeepFeatures::default()
    };
    assert!(
        none.fit(Samples::from(&x))
            .unwrap_err()
            .to_string()
            .starts_with("hidden_layer_sizes is []")
    );
    for awkward in [
        Array2::from_elem((20, 3), 2.5),
        Array2::zeros((5, 2)),
        &x + 1e8,
        &x * 1e-200,
    ] {
        let model = DeepFeatures::default()
            .fit(Samples::from(&awkward))
            .unwrap();
        let features = model.transform(&awkward).unwrap().into_dense();
        assert!(features.iter().all(|v| (0.0..=1.0).contains(v)));
    }
}

// 000b:D33 000b:D25: a network for real targets may begin at pretrained layers too.
#[test]
fn regression_begins_at_pretrained_layers_too() {
    let diabetes = didact_datasets::diabetes();
    let x = standardised(diabetes.features());
    let mean = diabetes.targets().unwrap().iter().sum::<f64>() / 442.0;
    let y: Vec<f64> = diabetes
        .targets()
        .unwrap()
        .iter()
        .map(|y| (y - mean) / 77.0)
        .collect();
    let mlp = Mlp {
        hidden_layer_sizes: vec![20],
        activation: Activation::Logistic,
        pretrain_iter: 5,
        learning_rate_init: 0.01,
        max_iter: 100,
        ..Mlp::default()
    };
    let model = mlp
        .fit(didact_core::Measured::new(&x, &y).unwrap())
        .unwrap();
    let left: f64 = model
        .predict(&x)
        .unwrap()
        .iter()
        .zip(&y)
        .map(|(a, y)| (a - y).powi(2))
        .sum();
    assert!(left < 0.6 * y.iter().map(|y| y * y).sum::<f64>());
}

// 000b:D73: codes of two numbers, begun layer by layer, for a picture of the classes.
#[test]
fn codes_of_two_numbers_keep_the_classes_apart() {
    let iris = didact_datasets::iris();
    let x = standardised(iris.features());
    let learner = Autoencoder {
        hidden_layer_sizes: vec![8, 2],
        activation: Activation::Logistic,
        pretrain_iter: 20,
        learning_rate_init: 0.02,
        max_iter: 500,
        ..Autoencoder::default()
    };
    let model = learner.fit(Samples::from(&x)).unwrap();
    let codes = model.transform(&x).unwrap().into_dense();
    let labels = &iris.labels().unwrap().indices;
    // A row belongs to the class of the nearest mean code.
    let mean = |class: usize| -> Array1<f64> {
        let rows = (0..150).filter(|&row| labels[row] == class);
        rows.fold(Array1::zeros(2), |sum, row| sum + codes.row(row)) / 50.0
    };
    let means = [mean(0), mean(1), mean(2)];
    let distance =
        |row: usize, class: usize| (&codes.row(row) - &means[class]).mapv(|d| d * d).sum();
    let right = (0..150)
        .filter(|&row| (0..3).all(|class| distance(row, labels[row]) <= distance(row, class)));
    assert!(right.count() > 120);
}
