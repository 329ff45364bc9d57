//! When a tree stops growing, and what is cut off again.

use super::splits::numbers;
use didact_core::{Classify, Fit, Labelled, Labels, Samples};
use didact_tree_ensemble::{Amount, DecisionTreeClassifier, MaxFeatures};
use ndarray::Array2;

type Tree = DecisionTreeClassifier;

fn grown(tree: &Tree) -> didact_tree_ensemble::ClassificationTree {
    let cancer = didact_datasets::breast_cancer();
    tree.fit(cancer.labelled().unwrap()).unwrap()
}

// 004:M48: depth, size of nodes and leaves, number of leaves, least gain.
#[test]
fn every_limit_is_kept() {
    let whole = grown(&Tree::default());
    assert!(numbers(&whole, "depth")[0] > 4.0);
    let shallow = grown(&Tree {
        max_depth: Some(3),
        ..Tree::default()
    });
    assert!(numbers(&shallow, "depth")[0] <= 3.0);
    let few = grown(&Tree {
        max_leaf_nodes: Some(6),
        ..Tree::default()
    });
    assert_eq!(numbers(&few, "n_leaves"), [6.0]);
    let large = grown(&Tree {
        min_samples_leaf: Amount::Count(25),
        ..Tree::default()
    });
    assert!(
        numbers(&large, "node_rows")
            .iter()
            .all(|&rows| rows >= 25.0)
    );
    let share = grown(&Tree {
        min_samples_leaf: Amount::Share(0.1),
        ..Tree::default()
    });
    assert!(
        numbers(&share, "node_rows")
            .iter()
            .all(|&rows| rows >= 57.0)
    );
    let split = grown(&Tree {
        min_samples_split: Amount::Count(100),
        ..Tree::default()
    });
    let (rows, children) = (
        numbers(&split, "node_rows"),
        numbers(&split, "node_children"),
    );
    assert!(
        rows.iter()
            .zip(&children)
            .all(|(&rows, &child)| child == 0.0 || rows >= 100.0)
    );
    let heavy = grown(&Tree {
        min_weight_fraction_leaf: 0.2,
        ..Tree::default()
    });
    assert!(
        numbers(&heavy, "node_rows")
            .iter()
            .all(|&rows| rows >= 113.0)
    );
    let eager = grown(&Tree {
        min_impurity_decrease: 0.3,
        ..Tree::default()
    });
    assert_eq!(numbers(&eager, "n_leaves"), [2.0]);
}

// The best splits come first: more leaves never gain less each.
#[test]
fn leaves_are_added_in_the_order_of_their_gain() {
    let risk = |leaves: usize| {
        let model = grown(&Tree {
            max_leaf_nodes: Some(leaves),
            ..Tree::default()
        });
        let (impurities, rows) = (
            numbers(&model, "node_impurities"),
            numbers(&model, "node_rows"),
        );
        let children = numbers(&model, "node_children");
        let leaves = (0..rows.len()).filter(|&node| children[node] == 0.0);
        leaves
            .map(|leaf| rows[leaf] * impurities[leaf])
            .sum::<f64>()
    };
    let risks: Vec<f64> = (2..10).map(risk).collect();
    for triple in risks.windows(3) {
        assert!(triple[0] >= triple[1] && triple[1] >= triple[2]);
    }
}

#[test]
fn a_dearer_leaf_leaves_a_smaller_tree_down_to_the_root() {
    let cancer = didact_datasets::breast_cancer();
    let path = Tree::default()
        .pruning_path(&cancer.labelled().unwrap())
        .unwrap();
    assert!(path.ccp_alphas.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(
        path.impurities
            .windows(2)
            .all(|pair| pair[0] <= pair[1] + 1e-12)
    );
    let mut last = usize::MAX;
    for &alpha in &path.ccp_alphas {
        // Just above a step the tree is the one after it.
        let model = grown(&Tree {
            ccp_alpha: alpha * (1.0 + 1e-9) + 1e-15,
            ..Tree::default()
        });
        let leaves = numbers(&model, "n_leaves")[0] as usize;
        assert!(leaves < last, "{alpha}");
        last = leaves;
    }
    assert_eq!(last, 1);
}

// A row of weight two counts like two rows, and one of weight zero like none.
#[test]
fn weights_are_repetitions() {
    let wine = didact_datasets::wine();
    let data = wine.labelled().unwrap();
    let x = data.samples.dense().unwrap().to_owned();
    let weights: Vec<f64> = (0..x.nrows()).map(|row| (row % 3) as f64).collect();
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let weighted = Labelled::from_parts(samples, data.labels, data.classes).unwrap();
    let repeated: Vec<usize> = (0..x.nrows()).flat_map(|row| vec![row; row % 3]).collect();
    let labels: Vec<usize> = repeated.iter().map(|&row| data.labels[row]).collect();
    let samples = data.samples.select(&repeated);
    let written_out = Labelled::from_parts(samples.view(), &labels, data.classes).unwrap();
    for max_leaf_nodes in [None, Some(5)] {
        let tree = Tree {
            max_leaf_nodes,
            ..Tree::default()
        };
        let (a, b) = (
            tree.fit(weighted.clone()).unwrap(),
            tree.fit(written_out.clone()).unwrap(),
        );
        assert_eq!(
            numbers(&a, "node_thresholds"),
            numbers(&b, "node_thresholds")
        );
        assert_eq!(numbers(&a, "node_features"), numbers(&b, "node_features"));
    }
}

// A chain of hundreds of splits: depth costs no stack.
#[test]
fn a_tree_almost_as_deep_as_it_has_rows_is_grown_asked_pruned_and_written() {
    let n = 500;
    // The heaviest row outweighs what is left of the other class, so every split takes one off.
    let x = Array2::from_shape_fn((n, 1), |(row, _)| row as f64);
    let labels = Labels::from_names((0..n).map(|row| ["a", "b"][row % 2]));
    let weights: Vec<f64> = (0..n).map(|row| 1.5_f64.powi(row as i32)).collect();
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let data = Labelled::new(samples, &labels).unwrap();
    let model = Tree::default().fit(data.clone()).unwrap();
    assert!(numbers(&model, "depth")[0] > 100.0);
    assert_eq!(Classify::predict(&model, &x).unwrap(), labels.indices);
    assert!(model.rules(&[]).lines().count() > 900);
    assert!(
        !Tree::default()
            .pruning_path(&data)
            .unwrap()
            .ccp_alphas
            .is_empty()
    );
}

#[test]
fn constant_columns_duplicated_rows_and_one_class_give_one_leaf() {
    let constant = Array2::from_elem((10, 3), 2.5);
    let labels = Labels::from_names((0..10).map(|row| ["a", "b"][row % 2]));
    let model = Tree::default()
        .fit(Labelled::new(&constant, &labels).unwrap())
        .unwrap();
    assert_eq!(numbers(&model, "node_count"), [1.0]);
    assert_eq!(Classify::predict(&model, &constant).unwrap(), [0; 10]);
    let x = Array2::from_shape_fn((10, 1), |(row, _)| row as f64);
    let one = Labels::from_names(["only"; 10]);
    let model = Tree::default()
        .fit(Labelled::new(&x, &one).unwrap())
        .unwrap();
    assert_eq!(numbers(&model, "node_count"), [1.0]);
}

// Columns drawn at random: constant ones do not count, and the seed decides.
#[test]
fn drawn_columns_are_reproducible_and_never_constant() {
    let mut x = Array2::zeros((60, 30));
    for row in 0..60 {
        x[[row, 17]] = row as f64;
    }
    let labels = Labels::from_names((0..60).map(|row| ["a", "b"][row / 30]));
    let data = Labelled::new(&x, &labels).unwrap();
    for random_state in 0..5 {
        let tree = Tree {
            max_features: Some(MaxFeatures::Count(1)),
            random_state,
            ..Tree::default()
        };
        let model = tree.fit(data.clone()).unwrap();
        assert_eq!(numbers(&model, "n_leaves"), [2.0]);
    }
    let message = Tree {
        max_features: Some(MaxFeatures::Count(31)),
        ..Tree::default()
    };
    let message = message.fit(data).unwrap_err().to_string();
    assert!(
        message.starts_with("max_features is 31; the rows have only 30 columns"),
        "{message}"
    );
}
