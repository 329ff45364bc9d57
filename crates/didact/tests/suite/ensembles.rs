//! Bagging and AdaBoost of any learner.

use didact::core::AnyModel;
use didact::prelude::*;
use didact::wrappers::{AdaBoost, AdaBoostRegressor, Bagging, BaggingRegressor, BaggingVote};

/// How many members an ensemble has.
fn members(model: &dyn AnyModel) -> usize {
    let attributes = model.attributes();
    let (_, value) = attributes
        .iter()
        .find(|(about, _)| about.name == "n_members")
        .unwrap();
    value.as_number().unwrap() as usize
}

// 002a:EN02: K = 1 with the full set is the wrapped learner.
#[test]
fn one_member_with_all_rows_is_the_wrapped_classifier() {
    let wine = datasets::wine();
    let data = wine.labelled().unwrap();
    let plain = Spec::of("gaussian-nb").learner().unwrap();
    let plain = plain
        .fit(Data::Labelled(data.clone()), &Run::new())
        .unwrap();
    let learner = Bagging {
        estimator: Spec::of("gaussian-nb"),
        n_estimators: 1,
        bootstrap: false,
        ..Bagging::default()
    };
    let model = learner.fit(data.clone()).unwrap();
    let rows = data.samples.rows();
    assert_eq!(
        model.probabilities(rows).unwrap(),
        plain
            .as_probabilities()
            .unwrap()
            .probabilities(rows)
            .unwrap()
    );
}

// 002a:EN01: every way to vote beats the single unstable learner on held-out rows, and rows
// left out say so without a test set.
#[test]
fn votes_of_trees_beat_one_tree_and_rows_left_out_foresee_it() {
    let cancer = datasets::breast_cancer();
    let data = cancer.labelled().unwrap();
    let train: Vec<usize> = (0..data.labels.len()).filter(|row| row % 3 > 0).collect();
    let test: Vec<usize> = (0..data.labels.len()).filter(|row| row % 3 == 0).collect();
    let labels =
        |rows: &[usize]| -> Vec<usize> { rows.iter().map(|&row| data.labels[row]).collect() };
    let (train_labels, test_labels) = (labels(&train), labels(&test));
    let chosen = data.samples.select(&train);
    let part = Labelled::from_parts(chosen.view(), &train_labels, data.classes).unwrap();
    let held_out = data.samples.select(&test);
    let tree = Spec::of("decision-tree-classifier").learner().unwrap();
    let tree = tree.fit(Data::Labelled(part.clone()), &Run::new()).unwrap();
    let alone = tree
        .as_classify()
        .unwrap()
        .classify(held_out.rows())
        .unwrap();
    let alone = accuracy(&test_labels, &alone).unwrap();
    for vote in [
        BaggingVote::MeanPosterior,
        BaggingVote::Majority,
        BaggingVote::Sum,
    ] {
        let learner = Bagging {
            n_estimators: 40,
            vote,
            oob_score: true,
            ..Bagging::default()
        };
        let model = learner.fit(part.clone()).unwrap();
        let together = model.classify(held_out.rows()).unwrap();
        let together = accuracy(&test_labels, &together).unwrap();
        assert!(together > alone, "{vote:?}: {together} {alone}");
        // Two standard errors of a share of 190 rows near 0.95.
        assert!(
            (model.oob_score().unwrap() - together).abs() < 0.04,
            "{vote:?}"
        );
    }
}

#[test]
fn a_member_that_misses_a_class_still_votes() {
    let x = ndarray::Array2::from_shape_fn((40, 1), |(row, _)| row as f64);
    let names = (0..40).map(|row| {
        if row == 39 {
            "rare"
        } else if row < 20 {
            "a"
        } else {
            "b"
        }
    });
    let labels = Labels::from_names(names);
    let learner = Bagging {
        estimator: Spec::of("logistic-regression"),
        ..Bagging::default()
    };
    let model = learner.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let shares = model.predict_proba(&x).unwrap();
    assert!(
        shares
            .rows()
            .into_iter()
            .all(|row| (row.sum() - 1.0).abs() < 1e-9)
    );
}

fn six_points() -> (ndarray::Array2<f64>, Labels) {
    let x = ndarray::Array2::from_shape_fn((6, 1), |(row, _)| row as f64 + 1.0);
    (x, Labels::from_names(["+", "+", "-", "-", "+", "+"]))
}

// 002a:EX14: stumps on x = 1…6 with y = ++−−++: ε and a of three rounds, then no error.
#[test]
fn stumps_on_six_points_have_the_printed_errors_and_voices() {
    let (x, labels) = six_points();
    let model = AdaBoost {
        n_estimators: 3,
        ..AdaBoost::default()
    }
    .fit(Labelled::new(&x, &labels).unwrap())
    .unwrap();
    let expected = [
        (1.0 / 3.0, 0.5 * 2.0_f64.ln()),
        (0.25, 0.5 * 3.0_f64.ln()),
        (1.0 / 6.0, 0.5 * 5.0_f64.ln()),
    ];
    for (round, (error, voice)) in expected.into_iter().enumerate() {
        assert!(
            (model.errors()[round] - error).abs() < 1e-12,
            "{:?}",
            model.errors()
        );
        assert!(
            (model.voices()[round] - voice).abs() < 1e-12,
            "{:?}",
            model.voices()
        );
    }
    assert_eq!(model.staged_errors()[2], 0.0);
    assert_eq!(model.predict(&x).unwrap(), labels.indices);
}

// 002a:EN03, 003:P88: the training error never exceeds Π 2√(ε(1 − ε)), which falls.
#[test]
fn the_training_error_stays_below_its_bound() {
    let cancer = datasets::breast_cancer();
    let data = cancer.labelled().unwrap();
    for resample in [false, true] {
        let model = AdaBoost {
            resample,
            ..AdaBoost::default()
        }
        .fit(data.clone())
        .unwrap();
        let bounds = model.error_bounds();
        assert!(bounds.windows(2).all(|pair| pair[1] <= pair[0] + 1e-15));
        for (error, bound) in model.staged_errors().iter().zip(&bounds) {
            assert!(*error <= bound + 1e-12, "{error} {bound}");
        }
        assert!((model.sample_weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_learner_that_is_right_everywhere_decides_alone_and_a_guess_stops() {
    let x = ndarray::array![[0.0], [1.0], [2.0], [3.0]];
    let labels = Labels::from_names(["a", "a", "b", "b"]);
    let model = AdaBoost::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    assert_eq!((members(&model), model.errors()), (1, &[0.0][..]));
    // Nothing tells these apart: the first guess is kept and nothing follows.
    let same = ndarray::Array2::zeros((4, 1));
    let model = AdaBoost::default()
        .fit(Labelled::new(&same, &labels).unwrap())
        .unwrap();
    assert_eq!(members(&model), 1);
}

// SAMME: three classes, and any learner, also one that takes no weights.
#[test]
fn three_classes_and_learners_without_weights_are_boosted() {
    let iris = datasets::iris();
    let data = iris.labelled().unwrap();
    for estimator in [
        "decision-tree-classifier(max_depth=1)",
        "gaussian-nb",
        "k-neighbors",
    ] {
        let model = AdaBoost {
            estimator: estimator.parse().unwrap(),
            n_estimators: 10,
            ..AdaBoost::default()
        }
        .fit(data.clone())
        .unwrap();
        let found = model.predict(iris.samples()).unwrap();
        assert!(accuracy(data.labels, &found).unwrap() > 0.93, "{estimator}");
    }
}

#[test]
fn averages_and_medians_of_trees_beat_one_tree_on_held_out_numbers() {
    let diabetes = datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let n_rows = data.targets.nrows();
    let train: Vec<usize> = (0..n_rows).filter(|row| row % 3 > 0).collect();
    let test: Vec<usize> = (0..n_rows).filter(|row| row % 3 == 0).collect();
    let targets: Vec<f64> = train.iter().map(|&row| data.targets[[row, 0]]).collect();
    let chosen = data.samples.select(&train);
    let part = Measured::new(chosen.view(), &targets).unwrap();
    let truth = data.targets.select(ndarray::Axis(0), &test);
    let held_out = data.samples.select(&test);
    let score = |model: &dyn AnyModel| {
        let found = model
            .as_regress()
            .unwrap()
            .regress(held_out.rows())
            .unwrap();
        r2(truth.view(), found.view()).unwrap()
    };
    let tree = DecisionTreeRegressor::default().fit(part.clone()).unwrap();
    let bagging = BaggingRegressor {
        n_estimators: 30,
        oob_score: true,
        ..Default::default()
    };
    let bag = bagging.fit(part.clone()).unwrap();
    let boosted = AdaBoostRegressor::default().fit(part.clone()).unwrap();
    assert!(score(&bag) > score(&tree) + 0.2);
    assert!(score(&boosted) > score(&tree) + 0.2);
    assert!((bag.oob_score().unwrap() - score(&bag)).abs() < 0.15);
    // One member with all rows is the wrapped regressor.
    let one = BaggingRegressor {
        estimator: "ridge".parse().unwrap(),
        n_estimators: 1,
        bootstrap: false,
        ..Default::default()
    };
    let one = one.fit(part.clone()).unwrap();
    let plain = Ridge::default().fit(part).unwrap();
    assert_eq!(score(&one).to_bits(), score(&plain).to_bits());
}

#[test]
fn what_cannot_be_wrapped_is_refused_by_name() {
    let iris = datasets::iris();
    let learner = Bagging {
        estimator: Spec::of("pca"),
        ..Bagging::default()
    };
    let message = learner
        .fit(iris.labelled().unwrap())
        .err()
        .unwrap()
        .to_string();
    assert!(message.contains("must be a classifier"), "{message}");
    let diabetes = datasets::diabetes();
    let learner = BaggingRegressor {
        estimator: Spec::of("gaussian-nb"),
        ..Default::default()
    };
    assert!(learner.fit(diabetes.measured().unwrap()).is_err());
}
