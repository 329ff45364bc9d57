//! The perceptron of many layers as an estimator.

use didact_core::{
    Classify, Fit, Labelled, Labels, Measured, Model, Probabilities, Regress, Samples, StopReason,
};
use didact_math::linalg::pseudo_solve;
use didact_neural::{Activation, Mlp, MlpClassifierModel, Network, Solver};
use didact_optimize::check_gradient;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, Axis, array, concatenate};

pub(crate) fn standardised(x: ndarray::ArrayView2<'_, f64>) -> Array2<f64> {
    let mean = x.mean_axis(Axis(0)).unwrap();
    let deviation = x
        .std_axis(Axis(0), 0.0)
        .mapv(|s| if s > 0.0 { s } else { 1.0 });
    (&x - &mean) / &deviation
}

fn accuracy(model: &MlpClassifierModel, x: &Array2<f64>, labels: &Labels) -> f64 {
    let predicted = model.predict(x).unwrap();
    let right = predicted
        .iter()
        .zip(&labels.indices)
        .filter(|(a, b)| a == b)
        .count();
    right as f64 / labels.indices.len() as f64
}

// 001:NN-11 002b:NN-18 002b:NN-17: every solver learns the exclusive or.
#[test]
fn every_solver_learns_the_exclusive_or() {
    let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let labels = Labels::from_names(["no", "yes", "yes", "no"]);
    for solver in [Solver::Adam, Solver::Sgd, Solver::Lbfgs] {
        let mlp = Mlp {
            hidden_layer_sizes: vec![8],
            activation: Activation::Tanh,
            solver,
            learning_rate_init: 0.1,
            max_iter: 400,
            random_state: 3,
            ..Mlp::default()
        };
        let model = mlp.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        assert_eq!(model.predict(&x).unwrap(), [0, 1, 1, 0], "{solver:?}");
    }
}

// 000b:D31 001:NN-11
#[test]
fn default_settings_tell_the_irises_and_tumours_apart() {
    for set in [didact_datasets::iris(), didact_datasets::breast_cancer()] {
        let (x, labels) = (standardised(set.features()), set.labels().unwrap());
        let model = Mlp::default()
            .fit(Labelled::new(&x, labels).unwrap())
            .unwrap();
        assert!(accuracy(&model, &x, labels) > 0.95);
        let trace = Model::trace(&model).unwrap();
        assert!(trace.objectives.first().unwrap() > trace.objectives.last().unwrap());
        let probabilities = model.predict_proba(&x).unwrap();
        for row in probabilities.rows() {
            assert!((row.sum() - 1.0).abs() < 1e-12);
        }
    }
}

// 000b:D25: on linear data an identity network reaches least squares.
#[test]
fn on_linear_data_the_network_approaches_least_squares() {
    let x = random_matrix(60, 3, 1);
    let noise = random_matrix(60, 1, 2);
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .zip(&noise)
        .map(|(x, e)| 2.0 * x[0] - x[1] + 0.5 + 0.1 * e)
        .collect();
    let mlp = Mlp {
        hidden_layer_sizes: vec![4],
        activation: Activation::Identity,
        solver: Solver::Lbfgs,
        alpha: 0.0,
        tol: 1e-9,
        max_iter: 2000,
        ..Mlp::default()
    };
    let model = mlp.fit(Measured::new(&x, &y).unwrap()).unwrap();
    let design = concatenate(Axis(1), &[x.view(), Array2::ones((60, 1)).view()]).unwrap();
    let target = Array2::from_shape_vec((60, 1), y).unwrap();
    let solution = pseudo_solve(design.view(), target.view(), None)
        .unwrap()
        .solution;
    assert_close(&model.predict(&x).unwrap(), &design.dot(&solution), 1e-5);
}

// 000b:D31: no hidden layer is softmax regression: at the end all slopes of its convex loss vanish.
#[test]
fn without_hidden_layers_the_convex_loss_is_minimised() {
    let iris = didact_datasets::iris();
    let (x, labels) = (standardised(iris.features()), iris.labels().unwrap());
    let mlp = Mlp {
        hidden_layer_sizes: vec![],
        solver: Solver::Lbfgs,
        alpha: 1.0,
        tol: 1e-8,
        max_iter: 5000,
        ..Mlp::default()
    };
    let fit = |seed| {
        let mlp = Mlp {
            random_state: seed,
            ..mlp.clone()
        };
        mlp.fit(Labelled::new(&x, labels).unwrap()).unwrap()
    };
    let (one, other) = (fit(1), fit(2));
    assert_eq!(one.network().sizes(), [4, 3]);
    // The minimum that logistic regression finds for C = 1 (scikit-learn, tol = 1e-12).
    assert!((one.loss() - 0.209_191_788_405).abs() < 1e-9);
    // Another start ends in the same place.
    assert!((one.loss() - other.loss()).abs() < 1e-9);
    let y = Array2::from_shape_fn((150, 3), |(row, k)| f64::from(labels.indices[row] == k));
    let (loss, gradient) = one
        .network()
        .loss_and_gradient(x.view(), y.view(), 1.0 / 150.0)
        .unwrap();
    assert!((loss - one.loss()).abs() < 1e-12);
    assert!(gradient.iter().all(|slope| slope.abs() < 1e-6));
}

// 000b:D31 000b:D32: the network behind a fitted model has the right gradients too.
#[test]
fn the_loss_of_a_fitted_model_has_the_gradient_of_its_network() {
    let x = random_matrix(20, 2, 3);
    let labels = Labels::from_indices((0..20).map(|row| row % 3).collect());
    let mlp = Mlp {
        hidden_layer_sizes: vec![5, 4],
        activation: Activation::Logistic,
        ..Mlp::default()
    };
    let model = mlp.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let network: &Network = model.network();
    let y = Array2::from_shape_fn((20, 3), |(row, k)| f64::from(labels.indices[row] == k));
    let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
        let moved = network.clone().with_parameters(parameters.to_vec())?;
        let (loss, found) = moved.loss_and_gradient(x.view(), y.view(), 0.0)?;
        gradient.copy_from_slice(&found);
        Ok(loss)
    };
    assert!(
        check_gradient(&mut objective, network.parameters())
            .unwrap()
            .passes()
    );
}

#[test]
fn several_targets_are_learned_together() {
    let x = random_matrix(200, 3, 7);
    let y = Array2::from_shape_fn((200, 2), |(row, k)| match k {
        0 => (x[[row, 0]] + x[[row, 1]]).sin(),
        _ => x[[row, 2]] * x[[row, 0]],
    });
    let mlp = Mlp {
        solver: Solver::Lbfgs,
        hidden_layer_sizes: vec![30],
        activation: Activation::Tanh,
        max_iter: 500,
        ..Mlp::default()
    };
    let model = mlp.fit(Measured::many(&x, y.view()).unwrap()).unwrap();
    let left = (&model.predict(&x).unwrap() - &y)
        .mapv(|e| e * e)
        .mean()
        .unwrap();
    assert!(left < 0.01 * y.var(0.0), "{left}");
    assert_eq!(model.network().n_outputs(), 2);
}

// 001:NN-06: the price of the weights is that of scikit-learn, α/(2n)·Σw².
#[test]
fn weights_shrink_as_alpha_grows() {
    let x = random_matrix(50, 3, 9);
    let y: Vec<f64> = x.column(0).mapv(|x| x.sin()).to_vec();
    let size = |alpha: f64| {
        let mlp = Mlp {
            alpha,
            solver: Solver::Lbfgs,
            hidden_layer_sizes: vec![10],
            ..Mlp::default()
        };
        let model = mlp.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let network = model.network();
        let squares: f64 = (0..2)
            .map(|l| network.weights(l).unwrap().mapv(|w| w * w).sum())
            .sum();
        let (plain, _) = network
            .loss_and_gradient(
                x.view(),
                Array2::from_shape_vec((50, 1), y.clone()).unwrap().view(),
                0.0,
            )
            .unwrap();
        assert!((model.loss() - plain - alpha / 100.0 * squares).abs() < 1e-12);
        squares
    };
    assert!(size(0.01) > size(1.0) && size(1.0) > size(100.0));
}

#[test]
fn learning_goes_on_from_an_earlier_model() {
    use didact_core::StartFrom;
    let iris = didact_datasets::iris();
    let (x, labels) = (standardised(iris.features()), iris.labels().unwrap());
    let data = || Labelled::new(&x, labels).unwrap();
    let short = Mlp {
        max_iter: 30,
        tol: 0.0,
        ..Mlp::default()
    };
    let first = short.fit(data()).unwrap();
    let second = short.fit_from(&first, data()).unwrap();
    assert!(second.loss() < first.loss());
    let other = Mlp {
        hidden_layer_sizes: vec![7],
        ..short.clone()
    };
    let message = other.fit_from(&first, data()).unwrap_err().to_string();
    assert!(
        message.contains("[4, 100, 3]") && message.contains("[4, 7, 3]"),
        "{message}"
    );
}

#[test]
fn a_class_without_rows_gets_no_probability() {
    let x = array![[0.0], [0.1], [1.0], [1.1]];
    let mut labels = Labels::from_names(["a", "a", "c", "c"]);
    labels.classes = didact_core::Classes::new(["a", "b", "c"]);
    labels.indices = vec![0, 0, 2, 2];
    let mlp = Mlp {
        solver: Solver::Lbfgs,
        ..Mlp::default()
    };
    let model = mlp.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let probabilities = model.predict_proba(&x).unwrap();
    assert!(probabilities.column(1).iter().all(|&p| p == 0.0));
    assert_eq!(model.predict(&x).unwrap(), [0, 0, 2, 2]);
}

#[test]
fn held_out_rows_stop_the_learning_and_choose_the_weights() {
    let set = didact_datasets::breast_cancer();
    let (x, labels) = (standardised(set.features()), set.labels().unwrap());
    let mlp = Mlp {
        early_stopping: true,
        max_iter: 500,
        ..Mlp::default()
    };
    let model = mlp.fit(Labelled::new(&x, labels).unwrap()).unwrap();
    let trace = Model::trace(&model).unwrap();
    assert_eq!(trace.stop, StopReason::Converged);
    assert!(trace.n_iter() < 200 && accuracy(&model, &x, labels) > 0.9);
    let samples = Samples::from(&x);
    let measured: Vec<f64> = labels.indices.iter().map(|&label| label as f64).collect();
    let regression = mlp.fit(Measured::new(samples, &measured).unwrap()).unwrap();
    assert!(Model::trace(&regression).unwrap().n_iter() < 500);
}

#[test]
fn the_head_of_two_classes_is_one_logistic_unit() {
    let x = random_matrix(10, 2, 1);
    let labels = Labels::from_indices((0..10).map(|row| row % 2).collect());
    let model = Mlp {
        max_iter: 2,
        ..Mlp::default()
    }
    .fit(Labelled::new(&x, &labels).unwrap())
    .unwrap();
    assert_eq!(model.network().n_outputs(), 1);
    assert_eq!(model.network().sizes(), [2, 100, 1]);
}
