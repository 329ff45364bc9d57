//! Forests.

use super::splits::numbers;
use didact_core::model::AnyModel;
use didact_core::{Classify, Fit, Labelled, Measured, Regress, Run};
use didact_tree_ensemble::{
    Amount, DecisionTreeRegressor, ExtraTreesClassifier, RandomForestClassifier,
    RandomForestRegressor,
};

#[test]
fn one_tree_that_sees_everything_is_the_tree() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let forest = RandomForestRegressor {
        n_estimators: 1,
        bootstrap: false,
        // Many columns part two or three rows alike, and in a forest any of them may.
        min_samples_leaf: Amount::Count(5),
        ..Default::default()
    };
    let forest = forest.fit(data.clone()).unwrap();
    let tree = DecisionTreeRegressor {
        min_samples_leaf: Amount::Count(5),
        ..Default::default()
    };
    let tree = tree.fit(data.clone()).unwrap();
    let rows = data.samples.rows();
    assert_eq!(forest.regress(rows).unwrap(), tree.regress(rows).unwrap());
    let pairs = numbers(&forest, "feature_importances")
        .into_iter()
        .zip(numbers(&tree, "feature_importances"));
    assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn any_number_of_threads_grows_the_same_forest() {
    let wine = didact_datasets::wine();
    let grow = |threads: usize| {
        let forest = RandomForestClassifier {
            n_estimators: 20,
            oob_score: true,
            ..Default::default()
        };
        let run = Run::new().threads(threads);
        let model = forest.fit_with(wine.labelled().unwrap(), &run).unwrap();
        model.encode().unwrap()
    };
    assert_eq!(grow(1), grow(2));
    assert_eq!(grow(1), grow(3));
}

// Rows left out judge a forest as rows that were held back do.
#[test]
fn the_score_out_of_the_bag_foresees_that_on_held_out_rows() {
    let cancer = didact_datasets::breast_cancer();
    let data = cancer.labelled().unwrap();
    let train: Vec<usize> = (0..data.labels.len()).filter(|row| row % 3 > 0).collect();
    let test: Vec<usize> = (0..data.labels.len()).filter(|row| row % 3 == 0).collect();
    let labels: Vec<usize> = train.iter().map(|&row| data.labels[row]).collect();
    let chosen = data.samples.select(&train);
    let part = Labelled::from_parts(chosen.view(), &labels, data.classes).unwrap();
    let forest = RandomForestClassifier {
        oob_score: true,
        ..Default::default()
    };
    let model = forest.fit(part).unwrap();
    let found = model.classify(data.samples.select(&test).rows()).unwrap();
    let right = found
        .iter()
        .zip(&test)
        .filter(|(found, row)| **found == data.labels[**row])
        .count();
    let share = right as f64 / test.len() as f64;
    // Two shares near 0.96 of 379 and 190 rows: their difference has a standard error of 0.017.
    assert!((model.oob_score().unwrap() - share).abs() < 0.05);
    assert!(share > 0.92);
}

#[test]
fn rows_that_every_tree_saw_give_no_score_and_draws_need_a_bag() {
    let wine = didact_datasets::wine();
    let trees = ExtraTreesClassifier {
        oob_score: true,
        n_estimators: 3,
        ..Default::default()
    };
    assert_eq!(
        trees.fit(wine.labelled().unwrap()).unwrap().oob_score(),
        None
    );
    let trees = ExtraTreesClassifier {
        max_samples: Some(Amount::Count(10)),
        ..trees
    };
    let message = trees.fit(wine.labelled().unwrap()).unwrap_err().to_string();
    assert!(message.starts_with("max_samples is 10;"), "{message}");
}

// A column and its copy part every node alike: over a hundred trees each is taken about as often
// (four standard deviations of a share of a half), where the lowest would always win in one tree.
#[test]
fn no_column_is_preferred_to_its_copy() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let column = diabetes.features().column(2).to_owned();
    let twice = ndarray::stack![ndarray::Axis(1), column, column];
    let forest = RandomForestRegressor {
        max_depth: Some(3),
        ..RandomForestRegressor::default()
    };
    let forest = forest
        .fit(Measured::many(&twice, data.targets).unwrap())
        .unwrap();
    let shares = numbers(&forest, "feature_importances");
    assert!((0.3..0.7).contains(&shares[0]), "{shares:?}");
}
