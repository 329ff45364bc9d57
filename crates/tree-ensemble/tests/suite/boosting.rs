//! Gradient boosting.

use super::splits::numbers;
use didact_core::model::AnyModel;
use didact_core::{
    Classify, Fit, Labelled, Labels, Measured, Probabilities, Regress, Run, Samples,
};
use didact_tree_ensemble::{
    DecisionTreeRegressor, EarlyStopping, GradientBoostingClassifier, GradientBoostingRegressor,
};
use ndarray::{Array2, array};

type Regressor = GradientBoostingRegressor;
type Classifier = GradientBoostingClassifier;

// One round at full rate on few values is a least-squares tree of the same number of leaves.
#[test]
fn one_round_at_full_rate_is_the_best_first_tree() {
    let x = Array2::from_shape_fn((200, 2), |(row, column)| {
        ((row * 37 + column * 11) % 23) as f64
    });
    let targets: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|row| (row[0] * 0.7).sin() * 3.0 + row[1])
        .collect();
    let data = Measured::new(&x, &targets).unwrap();
    let boosted = Regressor {
        max_iter: 1,
        learning_rate: 1.0,
        max_leaf_nodes: Some(9),
        min_samples_leaf: 1,
        ..Default::default()
    };
    let tree = DecisionTreeRegressor {
        max_leaf_nodes: Some(9),
        ..Default::default()
    };
    let (a, b) = (boosted.fit(data.clone()).unwrap(), tree.fit(data).unwrap());
    let (a, b) = (a.predict(&x).unwrap(), b.predict(&x).unwrap());
    // Slopes are kept in single precision.
    assert!((&a - &b).iter().all(|off| off.abs() < 1e-5));
}

#[test]
fn the_loss_falls_round_by_round() {
    let (diabetes, wine) = (didact_datasets::diabetes(), didact_datasets::wine());
    let numbers = Regressor::default()
        .fit(diabetes.measured().unwrap())
        .unwrap();
    let classes = Classifier::default().fit(wine.labelled().unwrap()).unwrap();
    for trace in [AnyModel::trace(&numbers), AnyModel::trace(&classes)] {
        let losses = &trace.unwrap().objectives;
        assert_eq!(losses.len(), 100);
        assert!(losses.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12));
    }
    let found = Classify::predict(&classes, wine.samples()).unwrap();
    assert_eq!(found, wine.labels().unwrap().indices);
}

#[test]
fn rows_held_back_end_it_and_any_number_of_threads_learns_the_same() {
    let diabetes = didact_datasets::diabetes();
    let boosting = Regressor {
        early_stopping: EarlyStopping::Flag(true),
        max_iter: 500,
        ..Default::default()
    };
    let learn = |threads: usize| {
        let run = Run::new().threads(threads);
        boosting
            .fit_with(diabetes.measured().unwrap(), &run)
            .unwrap()
    };
    let model = learn(1);
    let rounds = numbers(&model, "n_iter")[0] as usize;
    assert!((10..200).contains(&rounds), "{rounds}");
    assert_eq!(numbers(&model, "validation_loss").len(), rounds + 1);
    assert_eq!(model.encode().unwrap(), learn(2).encode().unwrap());
}

#[test]
fn missing_values_are_a_reason_to_split() {
    let x = Array2::from_shape_fn(
        (100, 1),
        |(row, _)| if row % 2 == 0 { f64::NAN } else { row as f64 },
    );
    let labels = Labels::from_names((0..100).map(|row| ["a", "b"][row % 2]));
    let model = Classifier::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    assert_eq!(Classify::predict(&model, &x).unwrap(), labels.indices);
    assert!(model.predict_proba(&array![[f64::NAN]]).unwrap()[[0, 0]] > 0.99);
}

#[test]
fn weights_are_repetitions_and_rows_without_weight_do_not_count() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let n_rows = data.targets.nrows();
    let weights: Vec<f64> = (0..n_rows)
        .map(|row| f64::from(u8::from(row % 4 != 1)))
        .collect();
    let targets: Vec<f64> = data.targets.iter().copied().collect();
    let x = data.samples.dense().unwrap().to_owned();
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let weighted = Regressor::default()
        .fit(Measured::new(samples, &targets).unwrap())
        .unwrap();
    let kept: Vec<usize> = (0..n_rows).filter(|row| row % 4 != 1).collect();
    let fewer = data.samples.select(&kept);
    let targets: Vec<f64> = kept.iter().map(|&row| targets[row]).collect();
    let fewer = Regressor::default()
        .fit(Measured::new(fewer.view(), &targets).unwrap())
        .unwrap();
    // The borders of bins come from all rows, so the two are near and not the same.
    let off = &weighted.predict(&x).unwrap() - &fewer.predict(&x).unwrap();
    assert!(off.iter().map(|off| off * off).sum::<f64>() / (n_rows as f64) < 400.0);
    assert!((numbers(&weighted, "baseline")[0] - numbers(&fewer, "baseline")[0]).abs() < 1e-9);
}
