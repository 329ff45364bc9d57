//! Awkward data: a finite model or a clear sentence.

use didact_core::model::decode_model;
use didact_core::{AnyModel, Classify, Fit, Labelled, Labels, Measured, Probabilities, Regress};
use didact_neural::{Mlp, MlpClassifierModel, Solver};
use didact_testing::random_matrix;
use ndarray::{Array2, array};

fn labels(rows: usize) -> Labels {
    Labels::from_indices((0..rows).map(|row| row % 2).collect())
}

#[test]
fn values_beyond_single_precision_are_refused_in_words() {
    let x = random_matrix(20, 3, 1) * 1e300;
    for solver in [Solver::Adam, Solver::Sgd, Solver::Lbfgs] {
        let mlp = Mlp {
            solver,
            ..Mlp::default()
        };
        let message = mlp
            .fit(Labelled::new(&x, &labels(20)).unwrap())
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("column 0 holds") && message.contains("; scale it"),
            "{message}"
        );
        let small = random_matrix(20, 3, 1);
        let targets = vec![1e200; 20];
        let message = mlp
            .fit(Measured::new(&small, &targets).unwrap())
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("target 0 holds"), "{message}");
    }
}

#[test]
fn outliers_constants_and_repetitions_give_finite_models_or_clear_errors() {
    let usual = random_matrix(40, 3, 2);
    let mut outlier = usual.clone();
    outlier[[7, 1]] = 1e12;
    let inputs = [
        outlier,
        Array2::from_elem((40, 3), 2.5),
        Array2::zeros((40, 2)),
        &usual * 1e-200,
        &usual + 1e8,
        random_matrix(40, 100, 3),
    ];
    for x in inputs {
        for solver in [Solver::Adam, Solver::Sgd, Solver::Lbfgs] {
            let mlp = Mlp {
                solver,
                ..Mlp::default()
            };
            match mlp.fit(Labelled::new(&x, &labels(40)).unwrap()) {
                Ok(model) => {
                    let probabilities = model.predict_proba(&x).unwrap();
                    assert!(probabilities.iter().all(|p| p.is_finite()));
                }
                Err(error) => assert!(error.to_string().contains("; "), "{error}"),
            }
            let y: Vec<f64> = (0..40).map(f64::from).collect();
            match mlp.fit(Measured::new(&x, &y).unwrap()) {
                Ok(model) => assert!(model.predict(&x).unwrap().iter().all(|p| p.is_finite())),
                Err(error) => assert!(error.to_string().contains("; "), "{error}"),
            }
        }
    }
}

#[test]
fn a_step_that_is_too_long_is_named() {
    let x = random_matrix(40, 3, 2) * 100.0;
    let y: Vec<f64> = x.column(0).mapv(|x| x * x).to_vec();
    let mlp = Mlp {
        solver: Solver::Sgd,
        learning_rate_init: 100.0,
        ..Mlp::default()
    };
    let message = mlp
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("learning_rate_init is 100; "),
        "{message}"
    );
}

#[test]
fn parameters_that_contradict_each_other_are_named() {
    let x = random_matrix(10, 2, 1);
    let message = |mlp: Mlp| {
        mlp.fit(Labelled::new(&x, &labels(10)).unwrap())
            .unwrap_err()
            .to_string()
    };
    assert!(
        message(Mlp {
            hidden_layer_sizes: vec![3, 0],
            ..Mlp::default()
        })
        .starts_with("hidden_layer_sizes is [3, 0]; ")
    );
    assert!(
        message(Mlp {
            solver: Solver::Lbfgs,
            dropout: 0.5,
            ..Mlp::default()
        })
        .starts_with("dropout is 0.5; ")
    );
    assert!(
        message(Mlp {
            dropout: 1.0,
            ..Mlp::default()
        })
        .starts_with("dropout is 1")
    );
    let one = Labels::from_indices(vec![0; 10]);
    let result = Mlp::default().fit(Labelled::new(&x, &one).unwrap());
    assert!(result.unwrap_err().to_string().contains("only one class"));
    let few = Mlp {
        early_stopping: true,
        ..Mlp::default()
    };
    let x = array![[1.0], [2.0]];
    let result = few.fit(Labelled::new(&x, &labels(2)).unwrap());
    assert!(result.unwrap_err().to_string().contains("early_stopping"));
}

#[test]
fn rows_too_large_for_a_fitted_network_are_an_error_and_not_nan() {
    let x = random_matrix(20, 2, 1);
    let mlp = Mlp {
        hidden_layer_sizes: vec![10, 10],
        ..Mlp::default()
    };
    let y: Vec<f64> = x.column(0).to_vec();
    let model = mlp.fit(Measured::new(&x, &y).unwrap()).unwrap();
    let huge = array![[1e308, -1e308]];
    match model.predict(&huge) {
        Ok(values) => assert!(values.iter().all(|value| value.is_finite())),
        Err(error) => assert!(error.to_string().contains("overflows"), "{error}"),
    }
}

#[test]
fn rows_alone_are_answered_like_rows_together() {
    let x = random_matrix(50, 33, 8);
    let model = Mlp::default()
        .fit(Labelled::new(&x, &labels(50)).unwrap())
        .unwrap();
    let together = model.predict_proba(&x).unwrap();
    for row in 0..50 {
        let alone = model
            .predict_proba(&x.slice(ndarray::s![row..row + 1, ..]).to_owned())
            .unwrap();
        assert_eq!(alone.row(0), together.row(row));
    }
}

#[test]
fn models_travel_as_bytes_and_damaged_ones_are_refused() {
    let x = random_matrix(30, 2, 1);
    let mlp = Mlp {
        hidden_layer_sizes: vec![5],
        dropout: 0.1,
        ..Mlp::default()
    };
    let model = mlp.fit(Labelled::new(&x, &labels(30)).unwrap()).unwrap();
    let bytes = model.encode().unwrap();
    let again = decode_model::<MlpClassifierModel>(&bytes).unwrap();
    let copy = again.as_any().downcast_ref::<MlpClassifierModel>().unwrap();
    assert_eq!(copy, &model);
    assert_eq!(copy.predict(&x).unwrap(), model.predict(&x).unwrap());
    // A layer of another size contradicts the list of parameters.
    let text = b"outputs";
    let place = bytes
        .windows(text.len())
        .position(|window| window == text)
        .unwrap();
    let mut damaged = bytes.clone();
    damaged[place + text.len()] = 9;
    assert!(decode_model::<MlpClassifierModel>(&damaged).is_err());
}
