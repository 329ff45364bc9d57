//! What a grown tree says.

use super::splits::numbers;
use didact_core::model::AnyModel;
use didact_core::{ClassWeight, Fit, Labelled, Labels, Measured, Probabilities, Regress, Shape};
use didact_tree_ensemble::{
    ClassCriterion, DecisionTreeClassifier, DecisionTreeRegressor, NumberCriterion, Splitter,
};
use ndarray::{Array2, array};

// scikit-learn 1.9, DecisionTreeClassifier(max_depth=2) on iris: impurities, shares, importances.
#[test]
fn two_questions_about_iris_are_those_of_the_oracle() {
    let iris = didact_datasets::iris();
    let tree = DecisionTreeClassifier {
        max_depth: Some(2),
        ..Default::default()
    };
    let model = tree.fit(iris.labelled().unwrap()).unwrap();
    let impurities = numbers(&model, "node_impurities");
    let expected = [
        2.0 / 3.0,
        0.0,
        0.5,
        0.168_038_408_779_149_53,
        0.042_533_081_285_444_196,
    ];
    for (found, expected) in impurities.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{impurities:?}");
    }
    let importances = numbers(&model, "feature_importances");
    assert!((importances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(importances[0] == 0.0 && importances[1] == 0.0);
}

// The exclusive or has no first split that gains anything; it is learned all the same.
#[test]
fn the_exclusive_or_is_learned_although_no_first_split_gains() {
    let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let labels = Labels::from_names(["a", "b", "b", "a"]);
    for criterion in [
        ClassCriterion::Gini,
        ClassCriterion::Entropy,
        ClassCriterion::LogLoss,
    ] {
        let tree = DecisionTreeClassifier {
            criterion,
            ..Default::default()
        };
        let model = tree.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        assert_eq!(
            didact_core::Classify::predict(&model, &x).unwrap(),
            labels.indices
        );
    }
}

#[test]
fn balanced_classes_weigh_the_same_at_the_root() {
    let x = array![[0.0], [1.0], [2.0], [3.0], [3.0]];
    let labels = Labels::from_names(["a", "a", "a", "a", "b"]);
    let tree = DecisionTreeClassifier {
        class_weight: ClassWeight::Balanced,
        ..Default::default()
    };
    let model = tree.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert!((numbers(&model, "node_impurities")[0] - 0.5).abs() < 1e-12);
    // One a and one b share the last value; b counts four times as much.
    let shares = model.predict_proba(&array![[3.0]]).unwrap();
    assert!((shares[[0, 1]] - 0.8).abs() < 1e-12);
}

#[test]
fn leaves_answer_with_means_or_medians_and_several_targets_share_a_tree() {
    let x = array![[0.0], [0.0], [0.0], [5.0]];
    let targets = array![[1.0, 10.0], [2.0, 20.0], [9.0, 60.0], [100.0, -7.0]];
    let answer = |criterion| {
        let tree = DecisionTreeRegressor {
            criterion,
            ..Default::default()
        };
        let model = tree
            .fit(Measured::many(&x, targets.view()).unwrap())
            .unwrap();
        model.predict(&x).unwrap()
    };
    let means = answer(NumberCriterion::SquaredError);
    assert!(
        (&means.row(0) - &array![4.0, 30.0])
            .iter()
            .all(|off| off.abs() < 1e-12)
    );
    assert_eq!(means.row(3), array![100.0, -7.0]);
    assert_eq!(
        answer(NumberCriterion::AbsoluteError).row(0),
        array![2.0, 20.0]
    );
}

// Far from zero and of any size, the same tree is grown.
#[test]
fn shifting_and_scaling_targets_changes_no_split() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let tree = DecisionTreeRegressor {
        max_depth: Some(5),
        ..Default::default()
    };
    let plain = tree.fit(data.clone()).unwrap();
    for (scale, shift) in [
        (2.0_f64.powi(900), 0.0),
        (2.0_f64.powi(-900), 0.0),
        (1.0, 2.0_f64.powi(20)),
    ] {
        let targets: Vec<f64> = data
            .targets
            .iter()
            .map(|value| value * scale + shift)
            .collect();
        let moved = tree
            .fit(Measured::new(data.samples.view(), &targets).unwrap())
            .unwrap();
        assert_eq!(
            numbers(&moved, "node_features"),
            numbers(&plain, "node_features")
        );
        assert_eq!(
            numbers(&moved, "node_thresholds"),
            numbers(&plain, "node_thresholds")
        );
    }
}

#[test]
fn splits_are_drawn_within_their_regions() {
    let x = array![[0.0, 0.0], [0.0, 4.0], [6.0, 0.0], [6.0, 4.0]];
    let labels = Labels::from_names(["a", "a", "b", "c"]);
    let model = DecisionTreeClassifier::default();
    let model = model.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let figures = AnyModel::figures(&model);
    let Shape::Edges { points, edges } = &figures[0].1 else {
        panic!("{:?}", figures[0].1)
    };
    // x₀ = 3 from bottom to top, then x₁ = 2 from there to the right.
    assert_eq!(*edges, [(0, 1), (2, 3)]);
    assert_eq!(
        *points,
        array![[3.0, 0.0], [3.0, 4.0], [3.0, 2.0], [6.0, 2.0]]
    );
}

#[test]
fn random_cuts_lie_between_the_values_and_follow_the_seed() {
    let iris = didact_datasets::iris();
    let tree = |random_state| DecisionTreeClassifier {
        splitter: Splitter::Random,
        random_state,
        ..Default::default()
    };
    let fit = |seed| tree(seed).fit(iris.labelled().unwrap()).unwrap();
    assert_eq!(
        numbers(&fit(1), "node_thresholds"),
        numbers(&fit(1), "node_thresholds")
    );
    assert_ne!(
        numbers(&fit(1), "node_thresholds"),
        numbers(&fit(2), "node_thresholds")
    );
    // Grown to the end, only rows that are equal are told apart no more.
    let model = fit(3);
    let shares = model.predict_proba(iris.samples()).unwrap();
    let sure = shares
        .rows()
        .into_iter()
        .filter(|row| row.iter().any(|share| *share == 1.0))
        .count();
    assert!(sure >= 148, "{sure}");
}

// A model file of a damaged tree is refused before it can loop.
#[test]
fn trees_come_back_from_their_bytes() {
    let iris = didact_datasets::iris();
    let tree = DecisionTreeClassifier {
        max_children: 4,
        ..Default::default()
    };
    let model = tree.fit(iris.labelled().unwrap()).unwrap();
    let bytes = model.encode().unwrap();
    let back: didact_tree_ensemble::ClassificationTree =
        didact_core::encoding::from_bytes(&bytes).unwrap();
    let x: Array2<f64> = iris.samples().dense().unwrap().to_owned();
    assert_eq!(back.apply(&x).unwrap(), model.apply(&x).unwrap());
    didact_core::Model::validate(&back).unwrap();
}
