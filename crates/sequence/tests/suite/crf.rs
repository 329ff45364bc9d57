//! Conditional random fields: the numbers of the text, and inference against enumeration.

use didact_core::random::generator;
use didact_core::{AnyModel, Classes, Decode, Sequences};
use didact_sequence::{ChainWeights, CrfModel, HmmModel};
use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;
use rand::RngExt;

pub(crate) fn close<D: ndarray::Dimension>(
    found: &ndarray::Array<f64, D>,
    expected: &ndarray::Array<f64, D>,
    tolerance: f64,
) {
    assert_eq!(found.shape(), expected.shape());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found} is not {expected}"
        );
    }
}

fn named(weights: ChainWeights) -> CrfModel {
    let names = 0..weights.intercept.len() as i64;
    CrfModel::new(weights, Classes::new(names)).unwrap()
}

/// 000b:TV-3.
fn text_weights() -> ChainWeights {
    ChainWeights {
        coef: array![[1.0, 0.3], [-0.5, 0.8]],
        intercept: array![0.1, -0.2],
        start: array![0.2, 0.0],
        end: array![0.0, 0.4],
        transitions: array![[0.5, -0.3], [-0.6, 0.7]],
    }
}

fn text_items() -> Array2<f64> {
    array![[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]]
}

const TEXT_LABELS: [usize; 3] = [0, 1, 1];

/// Every labelling of `n` items with `k` labels.
pub(crate) fn labellings(k: usize, n: usize) -> Vec<Vec<usize>> {
    (0..k.pow(n as u32))
        .map(|code| (0..n).map(|t| code / k.pow(t as u32) % k).collect())
        .collect()
}

pub(crate) fn random_weights(k: usize, d: usize, size: f64, seed: u64) -> ChainWeights {
    let random = &mut generator(seed, 3);
    let mut number = || size * (2.0 * random.random::<f64>() - 1.0);
    ChainWeights {
        coef: Array2::from_shape_simple_fn((k, d), &mut number),
        intercept: Array1::from_shape_simple_fn(k, &mut number),
        start: Array1::from_shape_simple_fn(k, &mut number),
        end: Array1::from_shape_simple_fn(k, &mut number),
        transitions: Array2::from_shape_simple_fn((k, k), &mut number),
    }
}

// 000b:S20 000b:TV-3
#[test]
fn scores_of_all_labellings_are_those_of_the_text() {
    let (model, items) = (named(text_weights()), text_items());
    let sequences = Sequences::new(&items, &[3]).unwrap();
    let expected = [
        ([0, 0, 0], 3.3),
        ([0, 0, 1], 3.6),
        ([0, 1, 0], -0.15),
        ([0, 1, 1], 2.25),
        ([1, 0, 0], 0.2),
        ([1, 0, 1], 0.5),
        ([1, 1, 0], -1.15),
        ([1, 1, 1], 1.25),
    ];
    for (labels, score) in expected {
        let found = model.scores(&sequences, &labels).unwrap()[0];
        assert!((found - score).abs() < 1e-12, "{labels:?}: {found}");
    }
    let found = model.log_probabilities(&sequences, &TEXT_LABELS).unwrap()[0];
    assert!((found + 2.141189786139327).abs() < 1e-12);
}

// 000b:S21 000b:S22 000b:S23 000b:S27 000b:TV-3
#[test]
fn partition_posteriors_and_best_labels_are_those_of_the_text() {
    let (model, items) = (named(text_weights()), text_items());
    let sequences = Sequences::new(&items, &[3]).unwrap();
    let partition = model.log_partitions(&sequences).unwrap()[0];
    assert!((partition - 4.391189786139327).abs() < 1e-12);
    let posteriors = array![
        [0.9172975012, 0.0827024988],
        [0.8246711537, 0.1753288463],
        [0.3655275535, 0.6344724465]
    ];
    close(
        &model.state_probabilities(&sequences).unwrap(),
        &posteriors,
        1e-10,
    );
    let lattice = model.lattice(&items).unwrap();
    assert!((lattice.log_likelihood() - 4.391189786139327).abs() < 1e-12);
    close(&lattice.posteriors(), &posteriors, 1e-10);
    let pairs = array![
        [[0.789121844, 0.1281756572], [0.0355493097, 0.0471531891]],
        [[0.3509449806, 0.4737261731], [0.0145825729, 0.1607462734]]
    ];
    close(&lattice.pair_posteriors(), &pairs, 1e-10);
    let (path, log_probabilities) = model.decode(&sequences).unwrap();
    assert_eq!(path, [0, 0, 1]);
    assert!((log_probabilities[0] - (3.6 - 4.391189786139327)).abs() < 1e-12);
}

// 000b:S22: the text multiplies by A itself where its exponential belongs.
#[test]
fn transitions_are_exponentiated() {
    let lattice = named(text_weights()).lattice(&text_items()).unwrap();
    let forward = lattice.log_forward().mapv(f64::exp);
    // ψ₁ = (e^1.1, e^−0.7) and ψ₂ = (e^0.3, e^−1.25) from x₂ = (0.5, −1).
    let first = [1.3_f64.exp(), (-0.7_f64).exp()];
    let right = 0.3_f64.exp() * (first[0] * 0.5_f64.exp() + first[1] * (-0.6_f64).exp());
    let printed = 0.3_f64.exp() * (first[0] * 0.5 - first[1] * 0.6);
    assert!((forward[[0, 0]] - first[0]).abs() < 1e-12);
    assert!((forward[[0, 1]] - first[1]).abs() < 1e-12);
    assert!((forward[[1, 0]] - right).abs() < 1e-12);
    assert!((forward[[1, 0]] - printed).abs() > 1.0);
    // The last backward variable is the weight of the end.
    assert!((lattice.log_backward()[[2, 1]] - 0.4).abs() < 1e-15);
}

// 000b:S25 000b:TV-3
#[test]
fn the_gradient_has_pair_posteriors_and_not_products_of_posteriors() {
    let (model, items) = (named(text_weights()), text_items());
    let sequences = Sequences::new(&items, &[3]).unwrap();
    let gradient = model.gradient(&sequences, &TEXT_LABELS).unwrap();
    let right = array![[-1.1400668246, 0.3980981698], [-0.0501318826, 0.7921005374]];
    close(&gradient.transitions, &right, 1e-10);
    let printed = array![[-1.0579088178, 0.315940163], [-0.1322898894, 0.8742585442]];
    let posteriors = model.state_probabilities(&sequences).unwrap();
    let product = |t: usize| {
        let (now, next) = (posteriors.row(t), posteriors.row(t + 1));
        now.insert_axis(Axis(1)).dot(&next.insert_axis(Axis(0)))
    };
    let counts = array![[0.0, 1.0], [0.0, 1.0]];
    close(&(counts - product(0) - product(1)), &printed, 1e-10);
    assert!(
        (&gradient.transitions - &printed)
            .iter()
            .all(|gap| gap.abs() > 0.08)
    );
    let coef = array![[-0.329633078, 0.0936160466], [0.329633078, -0.0936160466]];
    close(&gradient.coef, &coef, 1e-10);
    close(
        &gradient.intercept,
        &array![-1.1074962084, 1.1074962084],
        1e-10,
    );
    close(&gradient.start, &array![0.0827024988, -0.0827024988], 1e-10);
    close(&gradient.end, &array![-0.3655275535, 0.3655275535], 1e-10);
}

// 000b:S28 000b:S02 000b:TV-3b
#[test]
fn without_context_every_item_is_a_softmax_of_its_own() {
    let mut weights = text_weights();
    weights.transitions.fill(0.0);
    weights.start.fill(0.0);
    weights.end.fill(0.0);
    let items = text_items();
    let mut softmax = items.dot(&weights.coef.t()) + &weights.intercept;
    for mut row in softmax.rows_mut() {
        let total = row.mapv(f64::exp).sum();
        row.mapv_inplace(|score| score.exp() / total);
    }
    let model = named(weights);
    let sequences = Sequences::new(&items, &[3]).unwrap();
    close(
        &model.state_probabilities(&sequences).unwrap(),
        &softmax,
        1e-14,
    );
    let found = model.log_probabilities(&sequences, &TEXT_LABELS).unwrap()[0];
    assert!((found + 2.2986401249981108).abs() < 1e-12);
    let alone: f64 = (0..3).map(|t| softmax[[t, TEXT_LABELS[t]]].ln()).sum();
    assert!((found - alone).abs() < 1e-12);
}

// 000b:S23 000b:TV-3c
#[test]
fn logarithms_of_a_hidden_markov_model_give_its_posteriors() {
    let start = array![0.6, 0.4];
    let transitions = array![[0.7, 0.3], [0.4, 0.6]];
    let emissions = array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]];
    let chain = named(ChainWeights {
        coef: emissions.mapv(f64::ln),
        start: start.mapv(f64::ln),
        transitions: transitions.mapv(f64::ln),
        ..ChainWeights::zeros(2, 3)
    });
    let markov = HmmModel::categorical(start, transitions, emissions).unwrap();
    let (symbols, indicators) = (array![[0.0], [1.0], [2.0]], Array2::eye(3));
    let (left, right) = (
        markov.lattice(&symbols).unwrap(),
        chain.lattice(&indicators).unwrap(),
    );
    assert!((right.log_likelihood() + 3.316488653735201).abs() < 1e-12);
    close(&right.posteriors(), &left.posteriors(), 1e-14);
    close(&right.pair_posteriors(), &left.pair_posteriors(), 1e-14);
    let lengths = [3];
    let items = Sequences::new(&indicators, &lengths).unwrap();
    assert_eq!(chain.decode(&items).unwrap().0, [0, 0, 1]);
    // Labels given items say nothing about the items.
    assert!(AnyModel::as_sequence_likelihood(&chain).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    // 000b:S20 000b:S21 000b:S22 000b:S23 000b:S27; sizes up to 3000 need logarithms.
    #[test]
    fn inference_agrees_with_the_enumeration_of_all_labellings(
        k in 1usize..4,
        n in 1usize..6,
        size in prop::sample::select(vec![1.0, 30.0, 3000.0]),
        seed in 0u64..1000,
    ) {
        let model = named(random_weights(k, 2, size, seed));
        let random = &mut generator(seed, 4);
        let items = Array2::from_shape_simple_fn((n, 2), || 2.0 * random.random::<f64>() - 1.0);
        let lengths = [n];
        let sequences = Sequences::new(&items, &lengths).unwrap();
        let all = labellings(k, n);
        let scores: Vec<f64> =
            all.iter().map(|labels| model.scores(&sequences, labels).unwrap()[0]).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = scores.iter().map(|score| (score - best).exp()).collect();
        let partition = best + shares.iter().sum::<f64>().ln();
        // Rounding grows with the size of the scores.
        let tolerance = 1e-12 * (1.0 + size * n as f64);
        let found = model.log_partitions(&sequences).unwrap()[0];
        prop_assert!((found - partition).abs() <= tolerance, "{found} {partition}");
        let (path, log_probability) = model.decode(&sequences).unwrap();
        let score = model.scores(&sequences, &path).unwrap()[0];
        prop_assert!((score - best).abs() <= tolerance);
        prop_assert!((log_probability[0] - (best - partition)).abs() <= tolerance);
        let posteriors = model.state_probabilities(&sequences).unwrap();
        let lattice = model.lattice(&items).unwrap();
        let pairs = lattice.pair_posteriors();
        for t in 0..n {
            for j in 0..k {
                let share = |keep: &dyn Fn(&[usize]) -> bool| -> f64 {
                    let kept = all.iter().zip(&shares).filter(|(labels, _)| keep(labels));
                    kept.map(|(_, share)| share).sum::<f64>() / shares.iter().sum::<f64>()
                };
                prop_assert!((posteriors[[t, j]] - share(&|y| y[t] == j)).abs() <= tolerance);
                for i in 0..if t + 1 < n { k } else { 0 } {
                    let expected = share(&|y| y[t] == j && y[t + 1] == i);
                    prop_assert!((pairs[[t, j, i]] - expected).abs() <= tolerance);
                }
            }
            // Σₖ αₜ(k)·βₜ(k) = Z at every item.
            let sum: f64 = (lattice.log_forward() + lattice.log_backward())
                .row(t)
                .iter()
                .map(|value| (value - partition).exp())
                .sum();
            prop_assert!((sum - 1.0).abs() <= tolerance);
        }
    }

    // 000b:S25
    #[test]
    fn the_gradient_is_that_of_finite_differences(k in 1usize..4, seed in 0u64..1000) {
        let weights = random_weights(k, 2, 1.0, seed);
        let random = &mut generator(seed, 5);
        let items = Array2::from_shape_simple_fn((7, 2), || 2.0 * random.random::<f64>() - 1.0);
        let labels: Vec<usize> = (0..7).map(|_| random.random_range(0..k)).collect();
        let sequences = Sequences::new(&items, &[4, 1, 2]).unwrap();
        let gradient = named(weights.clone()).gradient(&sequences, &labels).unwrap();
        let value = |weights: ChainWeights| -> f64 {
            named(weights).log_probabilities(&sequences, &labels).unwrap().iter().sum()
        };
        let parts: [fn(&mut ChainWeights) -> &mut f64; 5] = [
            |weights| &mut weights.coef[[0, 1]],
            |weights| &mut weights.intercept[0],
            |weights| &mut weights.start[0],
            |weights| &mut weights.end[0],
            |weights| weights.transitions.iter_mut().last().unwrap(),
        ];
        for part in parts {
            let moved = |step: f64| {
                let mut moved = weights.clone();
                *part(&mut moved) += step;
                value(moved)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            let found = *part(&mut gradient.clone());
            prop_assert!((found - slope).abs() < 1e-8, "{found} {slope}");
        }
    }
}

// 000b:S20: a sequence of one item has a start and an end.
#[test]
fn start_and_end_both_score_a_single_item() {
    let model = named(text_weights());
    let items = array![[0.0, 0.0]];
    let sequences = Sequences::new(&items, &[1]).unwrap();
    let scores = |label| model.scores(&sequences, &[label]).unwrap()[0];
    assert!((scores(0) - 0.3).abs() < 1e-15 && (scores(1) - 0.2).abs() < 1e-15);
}

#[test]
fn labels_and_rows_that_do_not_fit_are_refused_with_a_reason() {
    let (model, items) = (named(text_weights()), text_items());
    let sequences = Sequences::new(&items, &[3]).unwrap();
    let message = |labels: &[usize]| model.gradient(&sequences, labels).unwrap_err().to_string();
    assert!(message(&[0, 1]).contains("2 labels but 3 items"));
    assert!(message(&[0, 1, 2]).contains("label 2"));
    let far = array![[0.0, 0.0], [1e300, 1e300]];
    let far = Sequences::new(&far, &[2]).unwrap();
    let error = model.decode(&far).unwrap_err().to_string();
    assert!(
        error.contains("row 1") && error.contains("scale"),
        "{error}"
    );
    let narrow = array![[1.0]];
    assert!(
        model
            .decode(&Sequences::new(&narrow, &[1]).unwrap())
            .is_err()
    );
    let mut bad = text_weights();
    bad.end[0] = f64::INFINITY;
    assert!(CrfModel::new(bad, Classes::new(["a", "b"])).is_err());
}
