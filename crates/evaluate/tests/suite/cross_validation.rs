//! Cross-validation on the baseline, whose scores can be computed by hand.

use didact_core::{Data, Labelled, Labels, Measured, Run, Samples};
use didact_evaluate::*;
use ndarray::Array2;
use serde_json::Map;
use std::sync::atomic::{AtomicUsize, Ordering};

fn baseline() -> Box<dyn didact_core::Learner> {
    catalogue()[0].learner(&Map::new()).unwrap()
}

#[test]
fn the_baseline_scores_the_share_of_the_largest_class_in_every_fold() {
    let x = Array2::zeros((30, 1));
    let labels = Labels::from_indices((0..30).map(|row| usize::from(row % 3 == 0)).collect());
    let data = Data::Labelled(Labelled::new(&x, &labels).unwrap());
    let folds = folds_for(&data, 5, 1).unwrap();
    let done = AtomicUsize::new(0);
    let count = || {
        done.fetch_add(1, Ordering::Relaxed);
    };
    let result = cross_validate(baseline().as_ref(), &data, &folds, &Run::new(), &count).unwrap();
    let summary = result.summaries()[0];
    assert_eq!(
        (summary.metric, done.load(Ordering::Relaxed)),
        ("accuracy", 5)
    );
    assert!((summary.mean - 2.0 / 3.0).abs() < 1e-15 && summary.spread < 1e-15);
}

#[test]
fn the_mean_of_other_rows_never_explains_variance() {
    let x = Array2::zeros((12, 1));
    let y: Vec<f64> = (0..12).map(f64::from).collect();
    let data = Data::Measured(Measured::new(&x, &y).unwrap());
    let folds = folds_for(&data, 3, 0).unwrap();
    let result = cross_validate(baseline().as_ref(), &data, &folds, &Run::new(), &|| ()).unwrap();
    assert!(result.folds.iter().all(|fold| fold.figures[0].value <= 0.0));
}

#[test]
fn what_cannot_be_scored_is_said_so() {
    let x = Array2::zeros((4, 1));
    let labels = Labels::from_indices(vec![0, 1, 0, 1]);
    let model = baseline()
        .fit(
            Data::Labelled(Labelled::new(&x, &labels).unwrap()),
            &Run::new(),
        )
        .unwrap();
    let error = score(model.as_ref(), &Data::Samples(Samples::from(&x)))
        .unwrap_err()
        .to_string();
    assert!(error.contains("give the target column"), "{error}");
}
