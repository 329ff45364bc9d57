//! Items of which only the values that are set are stored, as words and their neighbours are.

use crate::crf::{close, random_weights};
use didact_core::random::generator;
use didact_core::{
    Cancel, Classes, Csr, Decode, Error, Fit, LabelledSequences, Labels, Model, Run, Sequences,
    StopReason,
};
use didact_sequence::{
    ChainWeights, Crf, CrfModel, CrfSolver, ItemClassifier, Memm, StructuredPerceptron,
};
use didact_testing::assert_close;
use ndarray::{Array2, array};
use rand::RngExt;

/// Some items of a wide vocabulary with labels that neighbours share; every tenth item has no
/// attribute, and the last columns are never set.
struct Text {
    sparse: Csr,
    dense: Array2<f64>,
    labels: Labels,
    lengths: Vec<usize>,
}

impl Text {
    fn new(n_sequences: usize, n_columns: usize) -> Self {
        let random = &mut generator(7, 0);
        let lengths: Vec<usize> = (0..n_sequences).map(|i| 1 + i * 5 % 13).collect();
        let n: usize = lengths.iter().sum();
        let (mut label, mut labels, mut rows) = (0_usize, Vec::new(), Vec::new());
        for item in 0..n {
            if random.random::<f64>() < 0.4 {
                label = random.random_range(0..3);
            }
            let mut row = Vec::new();
            for _ in 0..if item % 10 == 9 { 0 } else { 4 } {
                let drawn = random.random::<f64>().powi(3) * (n_columns - 8) as f64;
                let value = 0.5 + random.random::<f64>();
                row.push((drawn as usize / 3 * 3 + label, value));
            }
            rows.push(row);
            let noise = random.random::<f64>() < 0.15;
            labels.push(if noise {
                random.random_range(0..3)
            } else {
                label
            } as i64);
        }
        let sparse = Csr::from_rows(&rows, n_columns).unwrap();
        Text {
            dense: sparse.view().to_dense(),
            sparse,
            labels: Labels::from_names(labels),
            lengths,
        }
    }

    fn sparse(&self) -> LabelledSequences<'_> {
        let sequences = Sequences::new(&self.sparse, &self.lengths).unwrap();
        LabelledSequences::new(sequences, &self.labels).unwrap()
    }

    fn dense(&self) -> LabelledSequences<'_> {
        let sequences = Sequences::new(&self.dense, &self.lengths).unwrap();
        LabelledSequences::new(sequences, &self.labels).unwrap()
    }
}

fn precise() -> Crf {
    Crf {
        tol: 1e-10,
        max_iter: 2000,
        ..Crf::default()
    }
}

fn close_weights(found: &ChainWeights, expected: &ChainWeights, tolerance: f64) {
    assert_eq!(found.coef.dim(), expected.coef.dim());
    for (found, expected) in found.to_vec().iter().zip(expected.to_vec()) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found} is not {expected}"
        );
    }
}

#[test]
fn sparse_rows_say_what_dense_ones_say() {
    let text = Text::new(40, 60);
    let model = CrfModel::new(random_weights(3, 60, 1.0, 5), Classes::new([0, 1, 2])).unwrap();
    let (sparse, dense) = (text.sparse(), text.dense());
    let labels = sparse.labels;

    let scores = |data: &LabelledSequences<'_>| model.scores(&data.sequences, labels).unwrap();
    for (found, expected) in scores(&sparse).iter().zip(scores(&dense)) {
        assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()));
    }
    let partitions = |data: &LabelledSequences<'_>| model.log_partitions(&data.sequences).unwrap();
    for (found, expected) in partitions(&sparse).iter().zip(partitions(&dense)) {
        assert!((found - expected).abs() < 1e-12 * expected);
    }
    let gradient = |data: &LabelledSequences<'_>| model.gradient(&data.sequences, labels).unwrap();
    close_weights(&gradient(&sparse), &gradient(&dense), 1e-12);
    let (sparse, dense) = (&sparse.sequences, &dense.sequences);
    assert_eq!(
        model.decode(sparse).unwrap().0,
        model.decode(dense).unwrap().0
    );
    let marginals = model.state_probabilities(sparse).unwrap();
    assert_close(
        &marginals,
        &model.state_probabilities(dense).unwrap(),
        1e-12,
    );
}

#[test]
fn an_item_is_explained_alike_to_the_last_bit_whatever_comes_with_it() {
    // All rows together are worth weights in another layout; a single sequence is not.
    let text = Text::new(60, 90);
    let model = CrfModel::new(random_weights(3, 90, 1.0, 6), Classes::new([0, 1, 2])).unwrap();
    let all = text.sparse().sequences;
    let together = model.log_partitions(&all).unwrap();
    for (place, &expected) in together.iter().enumerate() {
        let alone = model.log_partitions(&all.slice(place..place + 1)).unwrap();
        assert_eq!(alone[0].to_bits(), expected.to_bits());
    }
}

#[test]
fn the_optimum_of_sparse_rows_is_that_of_dense_ones() {
    let text = Text::new(60, 50);
    for crf in [
        precise(),
        Crf {
            fit_intercept: false,
            fit_ends: false,
            alpha: 0.2,
            ..precise()
        },
    ] {
        let sparse = crf.fit(text.sparse()).unwrap();
        let dense = crf.fit(text.dense()).unwrap();
        assert_eq!(sparse.trace().unwrap().stop, StopReason::Converged);
        close_weights(sparse.weights(), dense.weights(), 1e-6);
        let objective = |model| crf.objective(model, &text.sparse()).unwrap();
        assert!((objective(&sparse) / objective(&dense) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn items_by_themselves_have_the_optimum_of_dense_ones() {
    let text = Text::new(60, 50);
    let classifier = ItemClassifier {
        tol: 1e-10,
        max_iter: 2000,
        ..ItemClassifier::default()
    };
    let sparse = classifier.fit(text.sparse()).unwrap();
    let dense = classifier.fit(text.dense()).unwrap();
    close_weights(sparse.weights(), dense.weights(), 1e-6);
}

#[test]
fn steps_of_their_own_have_the_optimum_of_dense_ones() {
    let text = Text::new(60, 50);
    let memm = Memm {
        tol: 1e-10,
        max_iter: 2000,
        ..Memm::default()
    };
    let (sparse, dense) = (memm.fit(text.sparse()), memm.fit(text.dense()));
    let (sparse, dense) = (sparse.unwrap(), dense.unwrap());
    close_weights(sparse.weights(), dense.weights(), 1e-6);
    // One model reads both kinds of rows.
    let (few, all) = (text.sparse().sequences, text.dense().sequences);
    assert_eq!(
        sparse.decode(&few).unwrap().0,
        sparse.decode(&all).unwrap().0
    );
    let marginals = sparse.state_probabilities(&few).unwrap();
    assert_close(
        &marginals,
        &sparse.state_probabilities(&all).unwrap(),
        1e-12,
    );
}

#[test]
fn mistakes_teach_the_same_by_sparse_rows_as_by_dense_ones() {
    let text = Text::new(60, 50);
    for average in [true, false] {
        let perceptron = StructuredPerceptron {
            average,
            max_iter: 10,
            ..StructuredPerceptron::default()
        };
        let sparse = perceptron.fit(text.sparse()).unwrap();
        let dense = perceptron.fit(text.dense()).unwrap();
        close_weights(sparse.weights(), dense.weights(), 1e-10);
        let wrong = |model: &CrfModel| model.trace().unwrap().objectives.clone();
        assert_eq!(wrong(&sparse), wrong(&dense));
    }
}

#[test]
fn one_sequence_at_a_time_reaches_the_same_optimum() {
    let text = Text::new(12, 20);
    let stochastic = Crf {
        solver: CrfSolver::Stochastic,
        max_iter: 400,
        ..Crf::default()
    };
    let found = stochastic.fit(text.sparse()).unwrap();
    let expected = precise().fit(text.sparse()).unwrap();
    let objective = |model| stochastic.objective(model, &text.sparse()).unwrap();
    let ratio = objective(&found) / objective(&expected);
    assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
}

#[test]
fn learning_from_sparse_rows_does_not_depend_on_threads() {
    // More than four groups of sequences and more than two pieces of columns.
    let text = Text::new(1500, 900);
    let crf = Crf {
        max_iter: 15,
        ..Crf::default()
    };
    let memm = Memm {
        max_iter: 5,
        ..Memm::default()
    };
    let learned = |threads: usize| {
        let run = Run::new().threads(threads);
        let chain = crf.fit_with(text.sparse(), &run).unwrap();
        let steps = memm.fit_with(text.sparse(), &run).unwrap();
        (chain.weights().clone(), steps.weights().clone())
    };
    let alone = learned(1);
    assert_eq!(learned(2), alone);
    assert_eq!(learned(4), alone);
}

#[test]
fn columns_that_are_never_set_have_no_weight() {
    let text = Text::new(30, 40);
    for alpha in [0.0, 0.5] {
        let crf = Crf {
            alpha,
            max_iter: 20,
            ..Crf::default()
        };
        let model = crf.fit(text.sparse()).unwrap();
        let coef = &model.weights().coef;
        assert_eq!(coef.dim(), (3, 40));
        assert!(coef.is_standard_layout());
        assert!(coef.column(39).iter().all(|weight| *weight == 0.0));
        assert!(coef.column(0).iter().any(|weight| *weight != 0.0));
    }
}

#[test]
fn items_without_attributes_are_labelled_by_their_places() {
    let empty = Csr::from_rows(&vec![Vec::new(); 8], 5).unwrap();
    let labels = Labels::from_names(["a", "b", "a", "b", "a", "b", "a", "b"]);
    let sequences = Sequences::new(&empty, &[4, 4]).unwrap();
    let data = LabelledSequences::new(sequences.clone(), &labels).unwrap();
    let crf = Crf {
        transition_alpha: 0.01,
        ..Crf::default()
    };
    let models = [
        crf.fit(data.clone()).unwrap(),
        StructuredPerceptron::default().fit(data.clone()).unwrap(),
    ];
    for model in models {
        assert_eq!(model.decode(&sequences).unwrap().0, labels.indices);
        assert!(model.weights().coef.iter().all(|weight| *weight == 0.0));
    }
    let alone = ItemClassifier::default().fit(data).unwrap();
    let even = alone.state_probabilities(&sequences).unwrap();
    close(&even, &Array2::from_elem((8, 2), 0.5), 1e-9);
}

#[test]
fn a_single_label_is_certain() {
    let items = Csr::from_dense(array![[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]].view());
    let labels = Labels::from_names(["only", "only", "only"]);
    let sequences = Sequences::new(&items, &[2, 1]).unwrap();
    let data = LabelledSequences::new(sequences.clone(), &labels).unwrap();
    let model = Crf::default().fit(data.clone()).unwrap();
    let (path, log_probabilities) = model.decode(&sequences).unwrap();
    assert_eq!(path, [0, 0, 0]);
    assert_eq!(log_probabilities, [0.0, 0.0]);
    let perceptron = StructuredPerceptron::default().fit(data).unwrap();
    assert_eq!(perceptron.trace().unwrap().n_iter(), 1);
}

#[test]
fn zeros_that_are_stored_change_nothing() {
    let labels = Labels::from_names(["a", "b", "a", "b"]);
    let fitted = |items: &Csr| {
        let sequences = Sequences::new(items, &[4]).unwrap();
        let data = LabelledSequences::new(sequences, &labels).unwrap();
        Crf::default().fit(data).unwrap().weights().clone()
    };
    let plain = Csr::new(vec![0, 1, 2, 3, 4], vec![0, 1, 0, 1], vec![1.0; 4], 3).unwrap();
    let columns = vec![0, 1, 1, 2, 0, 1];
    let values = vec![1.0, 0.0, 1.0, 0.0, 1.0, 1.0];
    let padded = Csr::new(vec![0, 2, 4, 5, 6], columns, values, 3).unwrap();
    close_weights(&fitted(&padded), &fitted(&plain), 1e-6);
}

#[test]
fn values_too_large_for_the_perceptron_are_named_by_row_and_column() {
    let items = Csr::from_rows(&[vec![(1, 1.0)], vec![(0, 1.0), (4, -1e100)]], 6).unwrap();
    let labels = Labels::from_names(["a", "b"]);
    let sequences = Sequences::new(&items, &[2]).unwrap();
    let data = LabelledSequences::new(sequences, &labels).unwrap();
    let error = StructuredPerceptron::default().fit(data).unwrap_err();
    assert!(error.to_string().contains("row 1, column 4"), "{error}");
}

#[test]
fn a_cancelled_run_stops_learning_from_sparse_rows() {
    let text = Text::new(30, 40);
    let cancel = Cancel::new();
    cancel.cancel();
    let run = Run::new().cancelled_by(&cancel);
    let learned = Crf::default().fit_with(text.sparse(), &run);
    assert!(matches!(learned, Err(Error::Cancelled)));
}
