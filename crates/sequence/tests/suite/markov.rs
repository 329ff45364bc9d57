//! Markov chains.

use didact_core::{Error, Fit, Model, Sample, SequenceLikelihood, Sequences, encoding};
use didact_sequence::{MarkovChain, MarkovModel};
use ndarray::{Array2, Axis, array};
use proptest::prelude::*;

fn column(symbols: &[usize]) -> Array2<f64> {
    Array2::from_shape_fn((symbols.len(), 1), |(row, _)| symbols[row] as f64)
}

fn fit(order: usize, symbols: &[usize], lengths: &[usize]) -> MarkovModel {
    let items = column(symbols);
    let chain = MarkovChain {
        order,
        ..MarkovChain::default()
    };
    chain.fit(Sequences::new(&items, lengths).unwrap()).unwrap()
}

fn log_probability(model: &MarkovModel, symbols: &[usize]) -> f64 {
    let items = column(symbols);
    let lengths = [symbols.len()];
    let sequences = Sequences::new(&items, &lengths).unwrap();
    model.log_likelihoods(&sequences).unwrap()[0]
}

const PRINTED: [usize; 8] = [0, 1, 1, 0, 1, 0, 0, 1];

// 000b:S04 000b:TV-1
#[test]
fn transitions_of_first_order_are_shares_of_counts() {
    let model = fit(1, &PRINTED, &[8]);
    assert_eq!(
        model.transitions(),
        array![[0.25, 0.75], [2.0 / 3.0, 1.0 / 3.0]]
    );
    assert_eq!(model.start(), array![1.0, 0.0]);
    // The joint and not the last conditional: ¾·⅓·⅔·¾·⅔·¼·¾.
    let joint: f64 = 0.75 / 3.0 * 2.0 / 3.0 * 0.75 * 2.0 / 3.0 * 0.25 * 0.75;
    assert!((log_probability(&model, &PRINTED) - joint.ln()).abs() < 1e-12);
    assert_eq!(log_probability(&model, &[1, 0]), f64::NEG_INFINITY);
}

// 000b:S05 000b:TV-1: each of 011, 110, 101, 010, 100 and 001 happens once.
#[test]
fn transitions_of_second_order_are_shares_of_triples() {
    let model = fit(2, &PRINTED, &[8]);
    // Rows are 00, 01, 10, 11.
    let expected = array![[0.0, 1.0], [0.5, 0.5], [0.5, 0.5], [1.0, 0.0]];
    assert_eq!(model.transitions(), expected);
    assert_eq!(model.next(&[1, 1, 0, 1]).unwrap(), array![0.5, 0.5]);
    // The second symbol has a factor of its own, p(x₂ | x₁), from beginnings alone.
    assert_eq!(model.next(&[0]).unwrap(), array![0.0, 1.0]);
}

// 000b:S05: a tensor that ignores the symbol before the last is a chain of first order, and any
// chain of second order is one of first order on pairs.
#[test]
fn second_order_is_first_order_on_pairs() {
    let symbols = [0, 1, 2, 2, 1, 0, 0, 2, 1, 1, 0, 2, 0, 1, 2, 0, 0, 1];
    let model = fit(2, &symbols, &[18]);
    let pairs: Vec<usize> = symbols
        .windows(2)
        .map(|pair| 3 * pair[0] + pair[1])
        .collect();
    let chain = MarkovChain {
        n_symbols: Some(9),
        ..MarkovChain::default()
    };
    let items = column(&pairs);
    let on_pairs = chain.fit(Sequences::new(&items, &[17]).unwrap()).unwrap();
    let steps = model.state_transitions();
    let seen = |state: usize| pairs[..16].contains(&state);
    for state in (0..9).filter(|&state| seen(state)) {
        assert_eq!(steps.row(state), on_pairs.transitions().row(state));
    }
    let first = MarkovModel::first_order(array![0.5, 0.5], array![[0.9, 0.1], [0.2, 0.8]]).unwrap();
    let drawn = first.sample(4000, 1).unwrap();
    let second = fit(2, &drawn.labels, &[4000]);
    for (row, probabilities) in second.transitions().axis_iter(Axis(0)).enumerate() {
        // About a thousand visits at least: five standard errors.
        let expected = first.transitions()[[row % 2, 0]];
        assert!((probabilities[0] - expected).abs() < 5.0 * (0.25_f64 / 500.0).sqrt());
    }
}

// 000b:S03: the product of conditionals is the joint, for any joint of four binary variables.
#[test]
fn the_chain_rule_gives_back_any_joint() {
    let counts: Vec<usize> = (0..16)
        .map(|outcome| 1 + (7 * outcome * outcome + 3) % 11)
        .collect();
    let total: usize = counts.iter().sum();
    let bits = |outcome: usize| {
        [
            outcome >> 3 & 1,
            outcome >> 2 & 1,
            outcome >> 1 & 1,
            outcome & 1,
        ]
    };
    let outcomes = (0..16).flat_map(|outcome| vec![outcome; counts[outcome]]);
    let symbols: Vec<usize> = outcomes.flat_map(bits).collect();
    let model = fit(3, &symbols, &vec![4; total]);
    for outcome in 0..16 {
        let share = counts[outcome] as f64 / total as f64;
        assert!((log_probability(&model, &bits(outcome)) - share.ln()).abs() < 1e-12);
    }
}

// 000b:S04: log-probabilities of sequences add up.
#[test]
fn log_probabilities_add_up_over_sequences() {
    let model = fit(1, &PRINTED, &[8]);
    let items = column(&[0, 1, 0, 0, 1]);
    let sequences = Sequences::new(&items, &[2, 3]).unwrap();
    let total = log_probability(&model, &[0, 1]) + log_probability(&model, &[0, 0, 1]);
    assert!((model.score_sequences(&sequences).unwrap() - total).abs() < 1e-12);
}

// 000b:S04: rows without counts have a rule, and smoothing is another.
#[test]
fn what_was_never_seen_is_undecided() {
    let model = fit(1, &[0, 1, 2], &[3]);
    assert_eq!(
        model.transitions().row(2),
        array![1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]
    );
    let items = column(&[0, 1, 2]);
    let chain = MarkovChain {
        smoothing: 0.5,
        ..MarkovChain::default()
    };
    let smooth = chain.fit(Sequences::new(&items, &[3]).unwrap()).unwrap();
    assert_eq!(smooth.transitions().row(0), array![0.2, 0.6, 0.2]);
}

// 002b:MM-01 004:M05: π·P = π, and k steps are a power of P.
#[test]
fn steps_multiply_and_the_stationary_vector_stays() {
    let model = fit(1, &PRINTED, &[8]);
    let stationary = model.stationary().unwrap();
    assert!((stationary[0] - 8.0 / 17.0).abs() < 1e-15);
    let moved = model.forecast(stationary.view(), 7).unwrap();
    assert!(
        (&moved - &stationary)
            .iter()
            .all(|change| change.abs() < 1e-15)
    );
    // Chapman and Kolmogorov: P⁵ = P²·P³.
    let product = model.steps(2).dot(&model.steps(3));
    assert!(
        (model.steps(5) - product)
            .iter()
            .all(|change| change.abs() < 1e-15)
    );
    assert_eq!(model.steps(0), Array2::<f64>::eye(2));
    let far = model.forecast(array![1.0, 0.0].view(), 200).unwrap();
    assert!((far - stationary).iter().all(|change| change.abs() < 1e-12));
}

// 002b:MM-01: states that never meet have no common stationary vector; a trap has one.
#[test]
fn chains_that_fall_apart_have_no_stationary_vector() {
    let uniform = array![0.5, 0.5];
    let apart = MarkovModel::first_order(uniform.clone(), Array2::eye(2)).unwrap();
    let message = apart.stationary().unwrap_err().to_string();
    assert!(message.contains("never leads"), "{message}");
    let trap = MarkovModel::first_order(uniform.clone(), array![[0.5, 0.5], [0.0, 1.0]]).unwrap();
    assert_eq!(trap.stationary().unwrap(), array![0.0, 1.0]);
    let swap = MarkovModel::first_order(uniform, array![[0.0, 1.0], [1.0, 0.0]]).unwrap();
    assert_eq!(swap.stationary().unwrap(), array![0.5, 0.5]);
}

// 004:M05: paths that are drawn have the frequencies of the chain.
#[test]
fn drawn_paths_have_the_transitions_of_the_chain() {
    let steps = array![[0.7, 0.3, 0.0], [0.1, 0.4, 0.5], [0.3, 0.3, 0.4]];
    let model = MarkovModel::first_order(array![0.2, 0.5, 0.3], steps.clone()).unwrap();
    let drawn = model.sample(30_000, 4).unwrap();
    let found = fit(1, &drawn.labels, &[30_000]).transitions();
    let visits = model.stationary().unwrap() * 30_000.0;
    for ((from, to), &expected) in steps.indexed_iter() {
        let error = (expected * (1.0 - expected) / visits[from]).sqrt();
        assert!((found[[from, to]] - expected).abs() <= 5.0 * error);
    }
    assert_eq!(model.sample(50, 4).unwrap(), model.sample(50, 4).unwrap());
    assert!(model.sample(0, 4).unwrap().labels.is_empty());
}

#[test]
fn awkward_symbols_and_orders_are_refused_in_words() {
    let refused = |items: Array2<f64>, chain: MarkovChain| {
        let lengths = [items.nrows()];
        let error = chain
            .fit(Sequences::new(&items, &lengths).unwrap())
            .unwrap_err();
        error.to_string()
    };
    let plain = MarkovChain::default;
    assert!(refused(array![[0.5], [1.0]], plain()).contains("row 0 is 0.5"));
    assert!(refused(array![[0.0], [-1.0]], plain()).contains("row 1 is -1"));
    assert!(refused(array![[0.0, 1.0]], plain()).contains("one column"));
    assert!(refused(array![[1e300]], plain()).contains("1000000"));
    let wide = MarkovChain {
        n_symbols: Some(2),
        ..plain()
    };
    assert!(refused(array![[2.0]], wide).contains("from 0 to 1"));
    let deep = MarkovChain {
        order: 40,
        ..plain()
    };
    assert!(refused(array![[3.0]], deep).contains("lower order"));
    let bad = MarkovModel::first_order(array![0.5, 0.6], Array2::eye(2));
    assert!(matches!(bad, Err(Error::Data(_))));
}

proptest! {
    // 004:M05: rows sum to one, and a saved chain is the same chain.
    #[test]
    fn rows_sum_to_one_at_any_order(
        symbols in prop::collection::vec(0usize..4, 1..60),
        order in 1usize..4,
        smoothing in prop::sample::select(vec![0.0, 0.1, 3.0]),
    ) {
        let items = column(&symbols);
        let chain = MarkovChain { order, smoothing, n_symbols: Some(4) };
        let lengths = [items.len()];
        let sequences = Sequences::new(&items, &lengths).unwrap();
        let model = chain.fit(sequences.clone()).unwrap();
        for row in model.transitions().rows() {
            prop_assert!((row.sum() - 1.0).abs() < 1e-12);
        }
        let log = model.log_likelihoods(&sequences).unwrap()[0];
        prop_assert!(log <= 0.0 && log.is_finite());
        let bytes = encoding::to_bytes(&model).unwrap();
        let again: MarkovModel = encoding::from_bytes(&bytes).unwrap();
        again.validate().unwrap();
        prop_assert_eq!(again, model);
    }
}
