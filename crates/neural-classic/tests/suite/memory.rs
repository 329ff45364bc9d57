//! Hopfield networks and Willshaw nets.

use didact_core::random::generator;
use didact_core::{Error, Fit, Model, Run, Samples, Transform};
use didact_neural_classic::{
    CapacityExperiment, HEBBIAN_CAPACITY, Hopfield, HopfieldModel, RecallEnd, RecallThreshold,
    StateKind, StorageRule, TieRule, UpdateMode, Willshaw, WillshawSizes,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, array};
use proptest::prelude::*;
use rand::seq::index;

fn patterns(n: usize, k: usize, seed: u64) -> Array2<f64> {
    random_matrix(n, k, seed).mapv(f64::signum)
}

fn store(settings: &Hopfield, patterns: &Array2<f64>) -> HopfieldModel {
    settings.fit(Samples::from(patterns)).unwrap()
}

// 002b:HF-01, 002b:HF-02: w = XᵀX/K without the diagonal, all at once or one after the other.
#[test]
fn weights_are_symmetric_without_a_diagonal_and_patterns_add_up() {
    let stored = patterns(5, 30, 1);
    let memory = store(&Hopfield::default(), &stored);
    let mut expected = stored.t().dot(&stored) / 30.0;
    expected.diag_mut().fill(0.0);
    assert_close(&memory.weights(), &expected, 1e-15);
    assert_eq!(memory.weights(), memory.weights().t());
    for rule in [StorageRule::Hebbian, StorageRule::PseudoInverse] {
        let settings = Hopfield {
            rule,
            ..Hopfield::default()
        };
        let mut one_by_one = store(&settings, &stored.slice(ndarray::s![..1, ..]).to_owned());
        for pattern in stored.rows().into_iter().skip(1) {
            one_by_one.store(pattern.as_slice().unwrap()).unwrap();
        }
        let together = store(&settings, &stored);
        assert_close(&one_by_one.weights(), &together.weights(), 1e-12);
        assert_eq!(one_by_one.patterns(), together.patterns());
    }
}

// 002b:HF-03, 002b:HF-04: two units that store (1, 1) go to and fro from (1, −1) when they change
// together; one at a time they settle, on (1, 1) when the second changes first.
#[test]
fn units_that_change_together_may_cycle_and_units_in_turn_settle() {
    let pair = array![[1.0, 1.0]];
    let together = Hopfield {
        update: UpdateMode::Synchronous,
        ..Hopfield::default()
    };
    let recall = store(&together, &pair).recall(&[1.0, -1.0]).unwrap();
    assert_eq!(recall.end, RecallEnd::Cycle);
    assert_eq!(recall.n_sweeps(), 2);
    let memory = store(&Hopfield::default(), &pair);
    assert_eq!(memory.sweep(&[1.0, -1.0], &[1, 0]).unwrap(), [1.0, 1.0]);
    for update in [UpdateMode::Asynchronous, UpdateMode::RandomOrder] {
        let settings = Hopfield {
            update,
            ..Hopfield::default()
        };
        let memory = store(&settings, &pair);
        let recall = memory.recall(&[1.0, -1.0]).unwrap();
        assert_eq!(recall.end, RecallEnd::Settled);
        let kind = memory.identify(recall.state.as_slice().unwrap()).unwrap();
        assert!(matches!(kind, StateKind::Stored(0) | StateKind::Inverse(0)));
    }
    assert!(memory.sweep(&[1.0, -1.0], &[2]).is_err());
}

// 002b:HF-03: sgn(0) = +1, or the state is kept.
#[test]
fn a_unit_without_input_becomes_plus_one_or_stays() {
    // The two patterns agree on no pair of units once and disagree on it once: all weights are 0.
    let stored = array![[1.0, 1.0], [1.0, -1.0]];
    let memory = |ties| {
        store(
            &Hopfield {
                ties,
                ..Hopfield::default()
            },
            &stored,
        )
    };
    let cue = [-1.0, -1.0];
    let recalled = |ties| memory(ties).recall(&cue).unwrap().state;
    assert_eq!(recalled(TieRule::Plus), array![1.0, 1.0]);
    assert_eq!(recalled(TieRule::Keep), array![-1.0, -1.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    // 002b:HF-04, 002b:HF-07: one unit at a time, ΔE = −Δs·a ≤ 0 whatever the patterns, so recall
    // always settles; the energy of a stored state is below zero, not above as printed.
    #[test]
    fn energy_never_rises_and_recall_settles(
        n in 1usize..12, k in 2usize..20, keep: bool, random: bool, projected: bool, seed: u64,
    ) {
        let settings = Hopfield {
            rule: if projected { StorageRule::PseudoInverse } else { StorageRule::Hebbian },
            update: if random { UpdateMode::RandomOrder } else { UpdateMode::Asynchronous },
            ties: if keep { TieRule::Keep } else { TieRule::Plus },
            ..Hopfield::default()
        };
        let memory = store(&settings, &patterns(n, k, seed));
        let cue = patterns(1, k, seed ^ 1);
        let cue = cue.as_slice().unwrap();
        let recall = memory.recall(cue).unwrap();
        prop_assert_eq!(recall.end, RecallEnd::Settled);
        prop_assert!(recall.energies.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12));
        let mut state = cue.to_vec();
        for unit in 0..k {
            let before = memory.energy(&state).unwrap();
            let field = memory.weights().row(unit).dot(&ndarray::ArrayView1::from(&state));
            let next = memory.sweep(&state, &[unit]).unwrap();
            let drop = -(next[unit] - state[unit]) * field;
            let after = memory.energy(&next).unwrap();
            prop_assert!((after - before - drop).abs() < 1e-12 && drop <= 1e-15);
            state = next;
        }
    }
}

// 002b:HF-07
#[test]
fn stored_patterns_lie_below_zero_energy() {
    let stored = patterns(3, 60, 2);
    let memory = store(&Hopfield::default(), &stored);
    for pattern in stored.rows() {
        assert!(memory.energy(pattern.as_slice().unwrap()).unwrap() < -20.0);
    }
}

// 002b:HF-08: with x also −x is stable, and the sign of the sum of three patterns is a mixture.
#[test]
fn states_are_told_apart_as_stored_inverse_or_spurious() {
    let stored = patterns(3, 200, 3);
    let memory = store(&Hopfield::default(), &stored);
    let settle = |cue: Vec<f64>| {
        let recall = memory.recall(&cue).unwrap();
        assert_eq!(recall.end, RecallEnd::Settled);
        (
            memory.identify(recall.state.as_slice().unwrap()).unwrap(),
            recall.state.to_vec() == cue,
        )
    };
    for (index, pattern) in stored.rows().into_iter().enumerate() {
        assert_eq!(settle(pattern.to_vec()), (StateKind::Stored(index), true));
        let inverse = pattern.mapv(|value| -value).to_vec();
        assert_eq!(settle(inverse), (StateKind::Inverse(index), true));
    }
    let mixture = stored.sum_axis(ndarray::Axis(0)).mapv(f64::signum);
    let (kind, _) = settle(mixture.to_vec());
    assert_eq!(kind, StateKind::Spurious);
    let overlaps = memory.overlaps(mixture.as_slice().unwrap()).unwrap();
    assert!(overlaps.iter().all(|overlap| (0.3..0.7).contains(overlap)));
}

#[test]
fn noisy_patterns_are_recalled() {
    let stored = patterns(6, 120, 4);
    let mut noisy = stored.clone();
    for (row, mut pattern) in noisy.rows_mut().into_iter().enumerate() {
        for place in 0..15 {
            pattern[(row + 7 * place) % 120] *= -1.0;
        }
    }
    for update in [
        UpdateMode::Asynchronous,
        UpdateMode::RandomOrder,
        UpdateMode::Synchronous,
    ] {
        let settings = Hopfield {
            update,
            ..Hopfield::default()
        };
        let memory = store(&settings, &stored);
        assert_eq!(memory.transform(&noisy).unwrap().into_dense(), stored);
    }
    let bits = stored.mapv(|value| (value + 1.0) / 2.0);
    let memory = store(&Hopfield::default(), &bits);
    let noisy_bits = noisy.mapv(|value| (value + 1.0) / 2.0);
    assert_eq!(memory.transform(&noisy_bits).unwrap().into_dense(), stored);
}

#[test]
fn values_that_are_no_pattern_are_refused_where_no_threshold_is_set() {
    let strict = Hopfield {
        binarize: None,
        ..Hopfield::default()
    };
    let error = strict.fit(Samples::from(&array![[0.3, 1.0]])).unwrap_err();
    assert!(matches!(error, Error::Data(_)) && error.to_string().contains("binarize"));
    let memory = store(&strict, &patterns(2, 5, 5));
    assert!(memory.recall(&[2.0; 5]).is_err());
    assert!(memory.recall(&[1.0; 4]).is_err());
    memory.validate().unwrap();
}

// 002b:HF-05: the knee near 0.138 patterns per unit.
#[test]
fn random_patterns_are_kept_up_to_a_seventh_of_the_units() {
    let experiment = CapacityExperiment {
        n_units: 200,
        n_trials: 4,
        ..CapacityExperiment::default()
    };
    let curve = experiment.run(&[10, 20, 27, 40, 60], &Run::new()).unwrap();
    assert!((curve[2].load - HEBBIAN_CAPACITY).abs() < 0.005);
    assert!(curve[0].overlap > 0.999 && curve[0].perfect > 0.99);
    assert!(curve[1].overlap > 0.99);
    assert!(curve[2].overlap > 0.9);
    // At 0.2 networks of 200 units keep 0.77 on average, with a deviation of 0.08 between them.
    assert!((curve[3].overlap - 0.77).abs() < 3.0 * 0.08 / 2.0);
    assert!(curve[4].overlap < 0.6);
    assert!(
        curve
            .windows(2)
            .all(|pair| pair[1].overlap < pair[0].overlap)
    );
    assert!(experiment.run(&[0], &Run::new()).is_err());
}

// 002b:HF-05, 002b:HF-06: patterns that are alike break the Hebbian rule at once, not the other.
#[test]
fn patterns_that_are_alike_need_the_pseudo_inverse() {
    let experiment = CapacityExperiment {
        n_units: 100,
        bias: 0.6,
        n_trials: 3,
        ..CapacityExperiment::default()
    };
    let hebbian = experiment.run(&[8], &Run::new()).unwrap();
    assert!(hebbian[0].perfect < 0.2, "{hebbian:?}");
    let projected = experiment.with_rule(StorageRule::PseudoInverse);
    for point in projected.run(&[8, 40, 80], &Run::new()).unwrap() {
        assert_eq!((point.overlap, point.perfect), (1.0, 1.0));
    }
}

// 002b:HF-06: (1/K)·Σ x(C⁻¹)x with C = XXᵀ/K over the K units; the printed sum over N patterns
// without 1/K would be another matrix. W·x = x before the diagonal is cleared.
#[test]
fn the_pseudo_inverse_rule_projects_on_the_patterns() {
    let stored = patterns(7, 20, 6);
    let overlaps = stored.dot(&stored.t()) / 20.0;
    let inverse = didact_math::linalg::pseudo_inverse(overlaps.view(), None).unwrap();
    let full = stored.t().dot(&inverse).dot(&stored) / 20.0;
    assert_close(&full.dot(&stored.t()), &stored.t().to_owned(), 1e-12);
    let settings = Hopfield {
        rule: StorageRule::PseudoInverse,
        ..Hopfield::default()
    };
    let memory = store(&settings, &stored);
    let mut expected = full;
    expected.diag_mut().fill(0.0);
    assert_close(&memory.weights(), &expected, 1e-12);
    let fields = memory.weights().dot(&stored.t());
    assert_eq!(fields.mapv(f64::signum), stored.t());
    // A pattern twice makes C singular and changes nothing.
    let twice = ndarray::concatenate![ndarray::Axis(0), stored, stored];
    assert_close(&store(&settings, &twice).weights(), &expected, 1e-12);
    // As many independent patterns as units span everything and join nothing.
    let spanning = store(&settings, &patterns(40, 10, 7));
    assert!(spanning.weights().iter().all(|&weight| weight == 0.0));
}

fn sparse_pattern(n: usize, active: usize, stream: u64) -> Vec<bool> {
    let mut pattern = vec![false; n];
    for place in index::sample(&mut generator(42, stream), n, active) {
        pattern[place] = true;
    }
    pattern
}

/// An input and the output that belongs to it.
type Pair = (Vec<bool>, Vec<bool>);

fn filled_net(n_pairs: u64) -> (Willshaw, Vec<Pair>) {
    let mut net = Willshaw::new(256, 256).unwrap();
    let pair = |index| {
        (
            sparse_pattern(256, 8, 2 * index),
            sparse_pattern(256, 8, 2 * index + 1),
        )
    };
    let pairs: Vec<_> = (0..n_pairs).map(pair).collect();
    for (input, output) in &pairs {
        net.store(input, output).unwrap();
    }
    (net, pairs)
}

// 002b:NN-19: weights saturate, so storing again or in another order changes nothing.
#[test]
fn storing_again_or_in_another_order_changes_nothing() {
    let (net, pairs) = filled_net(30);
    let mut again = Willshaw::new(256, 256).unwrap();
    for (input, output) in pairs.iter().rev().chain(&pairs) {
        again.store(input, output).unwrap();
    }
    assert_eq!(net, again);
    for input in 0..256 {
        for output in 0..256 {
            let expected = pairs.iter().any(|(x, y)| x[input] && y[output]);
            assert_eq!(net.is_joined(input, output), expected);
        }
    }
}

// 002b:NN-20
#[test]
fn one_pair_is_recalled_exactly_with_any_threshold() {
    let (net, pairs) = filled_net(1);
    for threshold in [
        RecallThreshold::One,
        RecallThreshold::ActiveBits,
        RecallThreshold::Largest,
        RecallThreshold::At(8),
    ] {
        assert_eq!(net.recall(&pairs[0].0, threshold).unwrap(), pairs[0].1);
    }
    assert!(net.recall(&pairs[0].0, RecallThreshold::At(0)).is_err());
    assert!(net.recall(&[true; 3], RecallThreshold::One).is_err());
    let silent = net.recall(&[false; 256], RecallThreshold::Largest).unwrap();
    assert!(silent.iter().all(|fires| !fires));
}

// 002b:NN-20: the text's threshold of one fails where inputs overlap; the number of active bits
// does not, and the largest sum completes a cue of half the bits.
#[test]
fn the_threshold_of_active_bits_allows_overlap_and_that_of_one_does_not() {
    let (net, pairs) = filled_net(100);
    let perfect = |threshold| {
        let right = |(input, output): &&Pair| net.recall(input, threshold).unwrap() == *output;
        pairs.iter().filter(right).count()
    };
    assert_eq!(perfect(RecallThreshold::ActiveBits), 100);
    assert_eq!(perfect(RecallThreshold::One), 0);
    for (input, output) in &pairs {
        let mut cue = input.clone();
        let active: Vec<usize> = (0..256).filter(|&place| cue[place]).collect();
        active[..3].iter().for_each(|&place| cue[place] = false);
        let found = net.recall(&cue, RecallThreshold::Largest).unwrap();
        let missed = output
            .iter()
            .zip(&found)
            .any(|(wanted, found)| *wanted && !found);
        assert!(!missed);
    }
}

// 002b:NN-21: the fill has the exponent R (printed without it, ρ would be 0.00098 whatever R).
#[test]
fn the_fill_and_the_wrong_bits_follow_their_formulas() {
    let sizes = WillshawSizes::new(256, 256, 8, 8).unwrap();
    for n_pairs in [10, 100, 500, 1000, 2000] {
        let (net, pairs) = filled_net(n_pairs);
        let expected = sizes.fill_after(n_pairs as f64);
        // Each of the 65536 weights is set with that chance; four standard errors.
        let error = (expected * (1.0 - expected) / 65536.0_f64).sqrt();
        assert!((net.fill() - expected).abs() < 4.0 * error);
        assert_eq!(net.is_full(), n_pairs as f64 > sizes.capacity());
        let wrong: usize = pairs
            .iter()
            .map(|(input, output)| {
                let found = net.recall(input, RecallThreshold::ActiveBits).unwrap();
                found.iter().zip(output).filter(|(a, b)| a != b).count()
            })
            .sum();
        let wrong = wrong as f64 / n_pairs as f64;
        let predicted = sizes.spurious_bits(n_pairs as f64, 8);
        // The formula takes weights as independent; it is an approximation from below.
        assert!(
            wrong >= 0.9 * predicted - 0.1 && wrong <= 2.0 * predicted + 0.1,
            "{wrong} {predicted}"
        );
    }
    assert!(WillshawSizes::new(256, 256, 0, 8).is_err());
    // Half full: ln 2·256²/8² = 709.8.
    assert!((sizes.capacity() - 2.0_f64.ln() * 1024.0).abs() < 0.5);
}
