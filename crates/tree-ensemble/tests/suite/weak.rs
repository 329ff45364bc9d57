//! Boosting of very simple shapes.

use didact_core::{Classify, Fit, Labelled, Labels};
use didact_tree_ensemble::{BoostingVariant, WeakBoosting, WeakLearner};
use ndarray::Array2;

const FAMILIES: [WeakLearner; 8] = [
    WeakLearner::Stumps,
    WeakLearner::Lines,
    WeakLearner::Circles,
    WeakLearner::Squares,
    WeakLearner::Diamonds,
    WeakLearner::Rectangles,
    WeakLearner::Gaussians,
    WeakLearner::Svms,
];

const VARIANTS: [BoostingVariant; 4] = [
    BoostingVariant::Discrete,
    BoostingVariant::Real,
    BoostingVariant::Gentle,
    BoostingVariant::Logit,
];

/// Points of a grid, and whether they lie between two circles.
fn ring(from: f64, to: f64) -> (Array2<f64>, Labels) {
    let x = Array2::from_shape_fn((225, 2), |(row, column)| {
        let place = if column == 0 { row % 15 } else { row / 15 };
        place as f64 / 7.0 - 1.0
    });
    let class = |row: usize| {
        let radius = x
            .row(row)
            .iter()
            .map(|value| value * value)
            .sum::<f64>()
            .sqrt();
        if (from..to).contains(&radius) {
            "ring"
        } else {
            "else"
        }
    };
    let labels = Labels::from_names((0..225).map(class));
    (x, labels)
}

// 002a:EX14: stumps on x = 1…6 with y = ++−−++.
#[test]
fn stumps_of_least_error_have_the_printed_errors_and_voices() {
    let x = Array2::from_shape_fn((6, 1), |(row, _)| row as f64 + 1.0);
    let labels = Labels::from_names(["+", "+", "-", "-", "+", "+"]);
    let boosting = WeakBoosting {
        n_estimators: 3,
        ..Default::default()
    };
    let model = boosting.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let expected = [
        (1.0 / 3.0, 0.346574),
        (0.25, 0.549306),
        (1.0 / 6.0, 0.804719),
    ];
    for (round, (error, voice)) in expected.into_iter().enumerate() {
        assert!(
            (model.errors(1)[round] - error).abs() < 1e-12,
            "{:?}",
            model.errors(1)
        );
        assert!(
            (model.voices(1)[round] - voice).abs() < 5e-7,
            "{:?}",
            model.voices(1)
        );
    }
    assert_eq!(model.staged_errors(1)[2], 0.0);
}

// 002a:EN04, 002a:FIG57: every family of very simple classifiers separates a ring, and every
// variant of boosting does it.
#[test]
fn very_simple_classifiers_separate_complex_data() {
    for weak_learner in FAMILIES {
        // A sum of stumps is a sum over columns, which a disc is and a ring is not.
        let inner = if weak_learner == WeakLearner::Stumps {
            0.0
        } else {
            0.45
        };
        let (x, labels) = ring(inner, 0.95);
        let data = Labelled::new(&x, &labels).unwrap();
        for variant in VARIANTS {
            let boosting = WeakBoosting {
                weak_learner,
                variant,
                n_estimators: 150,
                n_candidates: 20,
                ..Default::default()
            };
            let model = boosting.fit(data.clone()).unwrap();
            let found = Classify::predict(&model, &x).unwrap();
            let wrong = found
                .iter()
                .zip(&labels.indices)
                .filter(|(a, b)| a != b)
                .count();
            assert!(wrong <= 2, "{weak_learner:?} {variant:?}: {wrong}");
        }
    }
}

// The training error of discrete boosting stays below Π 2√(ε(1 − ε)).
#[test]
fn the_error_of_discrete_boosting_stays_below_its_bound() {
    let (x, labels) = ring(0.45, 0.95);
    for weak_learner in FAMILIES {
        let boosting = WeakBoosting {
            weak_learner,
            ..Default::default()
        };
        let model = boosting.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let mut bound = 1.0;
        for (cost, error) in model.errors(1).iter().zip(model.staged_errors(1)) {
            bound *= 2.0 * (cost * (1.0 - cost)).sqrt();
            assert!(*error <= bound + 1e-12, "{weak_learner:?}: {error} {bound}");
        }
    }
}
