//! Maximum-entropy Markov models.

use crate::crf::{close, labellings};
use crate::crf_training::{LENGTHS, data, waves};
use didact_core::{
    Decode, Fit, Labelled, LabelledSequences, Labels, Model, Run, Sequences, StopReason, encoding,
};
use didact_linear::LogisticRegression;
use didact_sequence::{ItemClassifier, Memm, MemmModel};
use ndarray::{Array2, array, s};

fn precise(memm: Memm) -> Memm {
    Memm {
        tol: 1e-10,
        max_iter: 2000,
        ..memm
    }
}

/// Each item beside an indicator of the label before it, where "none" is one more.
fn with_label_before(items: &Array2<f64>, labels: &[usize]) -> Array2<f64> {
    let mut wide = Array2::zeros((items.nrows(), items.ncols() + 4));
    wide.slice_mut(s![.., ..items.ncols()]).assign(items);
    let mut row = 0;
    for length in LENGTHS {
        for place in 0..length {
            let before = if place == 0 { 3 } else { labels[row - 1] };
            wide[[row, items.ncols() + before]] = 1.0;
            row += 1;
        }
    }
    wide
}

// 000b:S36
#[test]
fn it_is_softmax_regression_on_the_item_and_the_label_before() {
    let (items, labels) = waves();
    let items = items.slice(s![.., ..2]).to_owned();
    let model = precise(Memm::default()).fit(data(&items, &labels)).unwrap();
    assert_eq!(model.trace().unwrap().stop, StopReason::Converged);
    let wide = with_label_before(&items, &labels.indices);
    let softmax = LogisticRegression {
        tol: 1e-10,
        max_iter: 2000,
        ..LogisticRegression::default()
    };
    let softmax = softmax.fit(Labelled::new(&wide, &labels).unwrap()).unwrap();
    let weights = model.weights();
    for (label, row) in softmax.coef().rows().into_iter().enumerate() {
        close(
            &weights.coef.row(label).to_owned(),
            &row.slice(s![..2]).to_owned(),
            1e-6,
        );
        let steps = weights.transitions.column(label).to_owned();
        close(&steps, &row.slice(s![2..5]).to_owned(), 1e-6);
        assert!((weights.start[label] - row[5]).abs() < 1e-6);
    }
    assert!(weights.end.iter().all(|weight| *weight == 0.0));
}

// 000b:S36
#[test]
fn labels_and_probabilities_are_those_of_the_enumeration() {
    let (items, labels) = waves();
    let model = Memm::default().fit(data(&items, &labels)).unwrap();
    let weights = model.weights();
    let items = items.slice(s![20..24, ..]).to_owned();
    let lengths = [4];
    let sequences = Sequences::new(&items, &lengths).unwrap();
    let probability = |labels: &[usize]| -> f64 {
        let step = |t: usize| {
            let context = match t {
                0 => weights.start.view(),
                _ => weights.transitions.row(labels[t - 1]),
            };
            let scores = weights.coef.dot(&items.row(t)) + &weights.intercept + context;
            scores[labels[t]].exp() / scores.mapv(f64::exp).sum()
        };
        (0..4).map(step).product()
    };
    let all = labellings(3, 4);
    let total: f64 = all.iter().map(|labels| probability(labels)).sum();
    assert!((total - 1.0).abs() < 1e-12);
    let (path, log_probabilities) = model.decode(&sequences).unwrap();
    let best = all
        .iter()
        .map(|labels| probability(labels))
        .fold(0.0, f64::max);
    assert!((log_probabilities[0].exp() - best).abs() < 1e-12);
    assert!((probability(&path) - best).abs() < 1e-12);
    let found = model.state_probabilities(&sequences).unwrap();
    let expected = Array2::from_shape_fn((4, 3), |(t, j)| {
        all.iter()
            .filter(|labels| labels[t] == j)
            .map(|labels| probability(labels))
            .sum::<f64>()
    });
    close(&found, &expected, 1e-12);
    // What comes later does not matter: the first items alone have the same probabilities.
    let short = items.slice(s![..2, ..]).to_owned();
    let short = model
        .state_probabilities(&Sequences::new(&short, &[2]).unwrap())
        .unwrap();
    assert_eq!(short, found.slice(s![..2, ..]));
}

// 000b:S36: with a prohibitive price on context only the item is left.
#[test]
fn without_context_it_labels_items_one_by_one() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    let memm = Memm {
        transition_alpha: 1e9,
        start_alpha: 1e9,
        ..precise(Memm::default())
    };
    let alone = ItemClassifier {
        tol: 1e-10,
        max_iter: 2000,
        ..ItemClassifier::default()
    };
    let found = memm
        .fit(data.clone())
        .unwrap()
        .state_probabilities(&data.sequences)
        .unwrap();
    let expected = alone
        .fit(data.clone())
        .unwrap()
        .state_probabilities(&data.sequences)
        .unwrap();
    close(&found, &expected, 1e-6);
}

#[test]
fn models_are_sound_the_same_on_all_threads_and_survive_saving() {
    let (items, labels) = waves();
    for unit in [1.0, 1e300, 1e-300] {
        let items = &items * unit;
        let data = data(&items, &labels);
        let fit = |threads| {
            Memm::default()
                .fit_with(data.clone(), &Run::new().threads(threads))
                .unwrap()
        };
        let model = fit(1);
        assert_eq!(model, fit(4));
        let bytes = encoding::to_bytes(&model).unwrap();
        assert_eq!(encoding::from_bytes::<MemmModel>(&bytes).unwrap(), model);
        let probabilities = model.state_probabilities(&data.sequences).unwrap();
        assert!(
            probabilities
                .rows()
                .into_iter()
                .all(|row| (row.sum() - 1.0).abs() < 1e-9)
        );
        assert!(
            model
                .decode(&data.sequences)
                .unwrap()
                .1
                .iter()
                .all(|log| *log <= 0.0)
        );
    }
    let one = array![[1.0]];
    let label = Labels::from_names(["a"]);
    let one = LabelledSequences::new(Sequences::new(&one, &[1]).unwrap(), &label).unwrap();
    assert!(Memm::default().fit(one).is_ok());
}
