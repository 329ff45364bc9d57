//! Which split a node takes.

use didact_core::model::AnyModel;
use didact_core::{Fit, Labelled, Labels, Measured, Samples};
use didact_tree_ensemble::{
    ClassCriterion, DecisionTreeClassifier, DecisionTreeRegressor, NumberCriterion,
};
use ndarray::{Array2, array};
use proptest::prelude::*;

pub(crate) fn numbers(model: &dyn AnyModel, name: &str) -> Vec<f64> {
    let attributes = model.attributes();
    let (_, value) = attributes
        .iter()
        .find(|(about, _)| about.name == name)
        .unwrap();
    match value {
        didact_core::Value::Integers(list) => list.iter().map(|&number| number as f64).collect(),
        other => match other.as_array() {
            Some(array) => array.iter().copied().collect(),
            None => vec![other.as_number().unwrap()],
        },
    }
}

/// Entropy in bits of weights of classes.
fn entropy(totals: &[f64]) -> f64 {
    let all: f64 = totals.iter().sum();
    let parts = totals.iter().filter(|total| **total > 0.0);
    -parts
        .map(|total| total / all * (total / all).log2())
        .sum::<f64>()
}

/// Σ (N_child / N)·H(child) of a division of rows.
fn score(labels: &[usize], child: impl Fn(usize) -> usize, n_children: usize) -> f64 {
    let mut totals = vec![[0.0; 3]; n_children];
    for (row, &label) in labels.iter().enumerate() {
        totals[child(row)][label] += 1.0;
    }
    let share = |child: &[f64; 3]| child.iter().sum::<f64>() / labels.len() as f64;
    totals
        .iter()
        .filter(|child| share(child) > 0.0)
        .map(|child| share(child) * entropy(child))
        .sum()
}

/// The least score of all divisions of all columns into up to three ranges.
fn exhaustive(x: &Array2<f64>, labels: &[usize], most: usize) -> f64 {
    let mut best = f64::INFINITY;
    for column in x.columns() {
        let mut values: Vec<f64> = column.to_vec();
        values.sort_by(f64::total_cmp);
        values.dedup();
        for low in 1..values.len() {
            best = best.min(score(
                labels,
                |row| usize::from(column[row] >= values[low]),
                2,
            ));
            for high in low + 1..values.len() {
                if most > 2 {
                    let child = |row: usize| {
                        usize::from(column[row] >= values[low])
                            + usize::from(column[row] >= values[high])
                    };
                    best = best.min(score(labels, child, 3));
                }
            }
        }
    }
    best
}

/// The score of the root's children as the model tells it.
fn score_of_root(model: &dyn AnyModel) -> f64 {
    let (impurities, rows) = (
        numbers(model, "node_impurities"),
        numbers(model, "node_rows"),
    );
    (1..rows.len())
        .map(|child| rows[child] / rows[0] * impurities[child])
        .sum()
}

fn labelled(x: &Array2<f64>, labels: &Labels, max_children: usize) -> Box<dyn AnyModel> {
    let tree = DecisionTreeClassifier {
        criterion: ClassCriterion::Entropy,
        max_depth: Some(1),
        max_children,
        ..Default::default()
    };
    Box::new(tree.fit(Labelled::new(x, labels).unwrap()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    // 004:M47: the split is the best of an exhaustive search, and for two children the gain is
    // H(parent) − score. 004:M48: three ranges are never worse than two.
    #[test]
    fn the_split_of_a_node_is_the_best_of_all(
        cells in proptest::collection::vec(0..7i32, 36),
        classes in proptest::collection::vec(0..3usize, 18),
    ) {
        let x = Array2::from_shape_vec((18, 2), cells.into_iter().map(f64::from).collect()).unwrap();
        let labels = Labels::from_names(classes.iter().map(|&class| ["a", "b", "c"][class]));
        let mut last = f64::INFINITY;
        for most in [2, 3] {
            let model = labelled(&x, &labels, most);
            if numbers(model.as_ref(), "node_count")[0] < 2.0 {
                continue;
            }
            let found = score_of_root(model.as_ref());
            let expected = exhaustive(&x, &labels.indices, most);
            prop_assert!((found - expected).abs() < 1e-12, "{most}: {found} {expected}");
            prop_assert!(found <= last + 1e-12);
            last = found;
        }
    }

    // Squared and absolute error: the least of all single cuts.
    #[test]
    fn numbers_are_split_where_their_error_is_least(
        cells in proptest::collection::vec(-5..5i32, 24),
        targets in proptest::collection::vec(-9..9i32, 12),
        weights in proptest::collection::vec(1..4i32, 12),
    ) {
        let x = Array2::from_shape_vec((12, 2), cells.into_iter().map(f64::from).collect()).unwrap();
        let targets: Vec<f64> = targets.into_iter().map(f64::from).collect();
        let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
        for criterion in [NumberCriterion::SquaredError, NumberCriterion::AbsoluteError] {
            let tree = DecisionTreeRegressor { criterion, max_depth: Some(1), ..Default::default() };
            let samples = Samples::from(&x).weighted(&weights).unwrap();
            let model = tree.fit(Measured::new(samples, &targets).unwrap()).unwrap();
            if numbers(&model, "node_count")[0] < 2.0 {
                continue;
            }
            let cost = |rows: &[usize]| -> f64 {
                // The best constant is among the targets for distances; squares have the mean.
                let total: f64 = rows.iter().map(|&row| weights[row]).sum();
                let mean = rows.iter().map(|&row| weights[row] * targets[row]).sum::<f64>() / total;
                let of = |center: f64| -> f64 {
                    rows.iter().map(|&row| {
                        let off = targets[row] - center;
                        weights[row] * match criterion {
                            NumberCriterion::SquaredError => off * off,
                            NumberCriterion::AbsoluteError => off.abs(),
                        }
                    }).sum()
                };
                match criterion {
                    NumberCriterion::SquaredError => of(mean),
                    NumberCriterion::AbsoluteError => {
                        rows.iter().map(|&row| of(targets[row])).fold(f64::INFINITY, f64::min)
                    }
                }
            };
            let mut best = f64::INFINITY;
            for column in x.columns() {
                for &threshold in column {
                    let (left, right): (Vec<usize>, Vec<usize>) = (0..12).partition(|&row| column[row] < threshold);
                    if !left.is_empty() {
                        best = best.min(cost(&left) + cost(&right));
                    }
                }
            }
            let leaves = model.apply(&x).unwrap();
            let sides: f64 = [1, 2].iter().map(|&leaf| {
                let rows: Vec<usize> = (0..12).filter(|&row| leaves[row] == leaf).collect();
                cost(&rows)
            }).sum();
            prop_assert!((sides - best).abs() < 1e-9, "{criterion:?}: {sides} {best}");
        }
    }
}

// 004:M47: the printed code divides whole numbers, which makes every share zero, and takes 0·log 0.
#[test]
fn shares_are_real_numbers_and_pure_children_have_no_entropy() {
    let x = array![[1.0], [2.0], [3.0], [4.0]];
    let labels = Labels::from_names(["a", "a", "b", "a"]);
    let model = labelled(&x, &labels, 2);
    // H(1/4) = 0.811278 bits; the split 2 | 2 leaves ½·1 bit, where whole-number shares leave 0.
    assert!(
        (numbers(model.as_ref(), "node_impurities")[0] - 0.811_278_124_459_132_9).abs() < 1e-12
    );
    assert!((score_of_root(model.as_ref()) - 0.5).abs() < 1e-12);
}

// 004:M48: x < low is A, low ≤ x < high is B, else C; a node may ask once what two would ask.
#[test]
fn three_half_open_ranges_are_one_question() {
    let x = array![[0.0], [1.0], [4.0], [5.0], [9.0], [11.0]];
    let labels = Labels::from_names(["a", "a", "b", "b", "a", "a"]);
    let tree = DecisionTreeClassifier {
        max_children: 3,
        ..Default::default()
    };
    let model = tree.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_eq!(
        (numbers(&model, "depth"), numbers(&model, "n_leaves")),
        (vec![1.0], vec![3.0])
    );
    let asked = array![[2.4], [2.5], [6.9], [7.0], [1e9]];
    assert_eq!(model.apply(&asked).unwrap(), [1, 2, 2, 3, 3]);
    assert_eq!(model.decision_path(&[7.0]).unwrap(), [0, 3]);
    let rules = model.rules(&["x"]);
    assert!(rules.contains("2.500000 ≤ x < 7.000000"), "{rules}");
    // With two children it takes two questions.
    let two = DecisionTreeClassifier::default();
    let two = two.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_eq!(numbers(&two, "depth"), [2.0]);
}

// Many different values: the cuts of a node with several children are no worse than nested ones.
#[test]
fn several_children_of_many_blocks_are_no_worse_than_nested_pairs() {
    let n = 900;
    let x = Array2::from_shape_fn((n, 1), |(row, _)| row as f64);
    let class = |row: usize| ["a", "b"][(row * 7919 % 97 + row / 3) / 31 % 2];
    let labels = Labels::from_names((0..n).map(class));
    let mut last = f64::INFINITY;
    for most in 2..=5 {
        let score = score_of_root(labelled(&x, &labels, most).as_ref());
        assert!(score <= last + 1e-12, "{most}: {score} {last}");
        last = score;
    }
}

#[test]
fn missing_values_go_where_they_fit_best_and_larger_children_take_new_ones() {
    let nan = f64::NAN;
    let x = array![[1.0], [2.0], [nan], [8.0], [9.0], [nan]];
    let labels = Labels::from_names(["a", "a", "b", "b", "b", "b"]);
    let model = DecisionTreeClassifier::default();
    let model = model.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_eq!(numbers(&model, "n_leaves"), [2.0]);
    assert_eq!(
        didact_core::Classify::predict(&model, &x).unwrap(),
        labels.indices
    );
    // Only the missing values differ: whatever has a value goes to the left.
    let labels = Labels::from_names(["a", "a", "b", "a", "a", "b"]);
    let model = DecisionTreeClassifier::default();
    let model = model.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_eq!(numbers(&model, "node_thresholds")[0], f64::INFINITY);
    assert_eq!(
        didact_core::Classify::predict(&model, &x).unwrap(),
        labels.indices
    );
    // Nothing was missing when this one learned.
    let x = array![[1.0], [2.0], [3.0], [9.0]];
    let labels = Labels::from_names(["a", "a", "a", "b"]);
    let model = DecisionTreeClassifier::default();
    let model = model.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_eq!(
        didact_core::Classify::predict(&model, &array![[nan]]).unwrap(),
        [0]
    );
}
