//! The numbers of the texts: every worked example and every law that they state.

use didact_core::{
    Decode, Fit, LabelledSequences, Labels, Run, Sample, SequenceLikelihood, Sequences,
};
use didact_sequence::{Hmm, HmmModel};
use ndarray::{Array1, Array2, Axis, array};

fn close<D: ndarray::Dimension>(
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

fn column(symbols: &[u8]) -> Array2<f64> {
    Array2::from_shape_fn((symbols.len(), 1), |(row, _)| f64::from(symbols[row]))
}

/// 000b:TV-2, also 002b §3.4.
fn weather() -> HmmModel {
    HmmModel::categorical(
        array![0.6, 0.4],
        array![[0.7, 0.3], [0.4, 0.6]],
        array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]],
    )
    .unwrap()
}

/// 001:T-19: labels A, B and symbols x, y.
fn stopping() -> HmmModel {
    HmmModel::categorical_with_stop(
        array![0.6, 0.4],
        array![[0.5, 0.3], [0.4, 0.4]],
        array![0.2, 0.2],
        array![[0.7, 0.3], [0.2, 0.8]],
    )
    .unwrap()
}

// 000b:S09 000b:S10 000b:S12 002b:MM-07 002b:MM-08 000b:TV-2
#[test]
fn forward_and_backward_variables_are_those_of_the_text() {
    let lattice = weather().lattice(&column(&[0, 1, 2])).unwrap();
    let forward = array![[0.3, 0.04], [0.0904, 0.0342], [0.007696, 0.028584]];
    let backward = array![[0.106, 0.112], [0.25, 0.4], [1.0, 1.0]];
    close(&lattice.log_forward().mapv(f64::exp), &forward, 1e-14);
    close(&lattice.log_backward().mapv(f64::exp), &backward, 1e-14);
    assert!((lattice.log_likelihood() + 3.316488653735201).abs() < 1e-12);
}

// 000b:S11 002b:MM-09 001:HMM-12 001:HMM-13
#[test]
fn posteriors_sum_to_one_and_forward_times_backward_is_the_same_everywhere() {
    let lattice = weather().lattice(&column(&[0, 1, 2])).unwrap();
    let posteriors = array![
        [0.8765159868, 0.1234840132],
        [0.6229327453, 0.3770672547],
        [0.2121278942, 0.7878721058]
    ];
    close(&lattice.posteriors(), &posteriors, 1e-10);
    close(
        &lattice.posteriors().sum_axis(Axis(1)),
        &Array1::ones(3),
        1e-12,
    );
    let products = (lattice.log_forward() + lattice.log_backward()).mapv(f64::exp);
    close(
        &products.sum_axis(Axis(1)),
        &Array1::from_elem(3, 0.03628),
        1e-14,
    );
    let items = column(&[0, 1, 2]);
    let scaled = weather()
        .state_probabilities(&Sequences::new(&items, &[3]).unwrap())
        .unwrap();
    close(&scaled, &posteriors, 1e-10);
}

// 000b:S15 002b:MM-09 000b:TV-2
#[test]
fn pair_posteriors_are_those_of_the_text_and_sum_to_the_posteriors() {
    let lattice = weather().lattice(&column(&[0, 1, 2])).unwrap();
    let pairs = lattice.pair_posteriors();
    let expected = array![
        [[0.578831312, 0.2976846748], [0.0441014333, 0.0793825799]],
        [[0.1744211687, 0.4485115766], [0.0377067255, 0.3393605292]]
    ];
    close(&pairs, &expected, 1e-9);
    let posteriors = lattice.posteriors();
    close(
        &pairs.sum_axis(Axis(2)),
        &posteriors.slice(ndarray::s![..2, ..]).to_owned(),
        1e-12,
    );
    close(
        &pairs.sum_axis(Axis(1)),
        &posteriors.slice(ndarray::s![1.., ..]).to_owned(),
        1e-12,
    );
}

// 000b:S14 002b:MM-20 000b:S08 000b:TV-2
#[test]
fn the_best_path_and_its_probability_are_those_of_the_text() {
    let items = column(&[0, 1, 2]);
    let (path, scores) = weather()
        .decode(&Sequences::new(&items, &[3]).unwrap())
        .unwrap();
    assert_eq!(path, [0, 0, 1]);
    assert!((scores[0] - 0.01512_f64.ln()).abs() < 1e-12);
    let joint = weather().joint_log_probability(&items, &path).unwrap();
    assert!((joint - scores[0]).abs() < 1e-12);
}

// 000b:S08
#[test]
fn an_impossible_path_has_log_probability_minus_infinity() {
    let model = HmmModel::categorical(
        array![1.0, 0.0],
        array![[0.0, 1.0], [0.0, 1.0]],
        array![[1.0, 0.0], [0.0, 1.0]],
    )
    .unwrap();
    let items = column(&[0, 1]);
    assert_eq!(model.joint_log_probability(&items, &[0, 1]).unwrap(), 0.0);
    for path in [[0, 0], [1, 1], [1, 0]] {
        assert_eq!(
            model.joint_log_probability(&items, &path).unwrap(),
            f64::NEG_INFINITY
        );
    }
    assert!(model.joint_log_probability(&items, &[0]).is_err());
    assert!(model.joint_log_probability(&items, &[0, 2]).is_err());
}

// 001:HMM-05: an all-zero score is reported as impossible; never NaN.
#[test]
fn an_impossible_sequence_has_a_defined_answer_everywhere() {
    let model = HmmModel::categorical(
        array![1.0, 0.0],
        array![[0.5, 0.5], [0.0, 1.0]],
        array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    )
    .unwrap();
    // The symbol 2 is emitted nowhere, and 1 cannot be followed by 0.
    let items = column(&[0, 2, 0, 1, 1, 0, 0, 1]);
    let data = Sequences::new(&items, &[2, 2, 2, 2]).unwrap();
    let scores = model.log_likelihoods(&data).unwrap();
    let no = f64::NEG_INFINITY;
    assert_eq!(scores, [no, 0.5_f64.ln(), no, 0.5_f64.ln()]);
    let (path, best) = model.viterbi(&data).unwrap();
    assert_eq!(best, scores);
    assert_eq!(path, [0, 0, 0, 1, 0, 0, 0, 1]);
    let posteriors = model.state_probabilities(&data).unwrap();
    assert_eq!(posteriors.row(0).to_vec(), [0.5, 0.5]);
    assert_eq!(posteriors.row(3).to_vec(), [0.0, 1.0]);
    let lattice = model.lattice(&column(&[0, 2])).unwrap();
    assert_eq!(lattice.log_likelihood(), no);
    assert!(
        lattice
            .posteriors()
            .iter()
            .chain(&lattice.pair_posteriors())
            .all(|p| p.is_finite())
    );
}

// 000b:S13 000b:TV-2b 002b:MM-19
#[test]
fn the_path_of_best_single_states_may_be_impossible() {
    let model = HmmModel::categorical(
        array![0.4, 0.3, 0.3],
        array![[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        Array2::ones((3, 1)),
    )
    .unwrap();
    let items = column(&[0, 0]);
    let data = Sequences::new(&items, &[2]).unwrap();
    let posteriors = model.state_probabilities(&data).unwrap();
    close(
        &posteriors,
        &array![[0.4, 0.3, 0.3], [0.6, 0.2, 0.2]],
        1e-12,
    );
    let marginal = model.max_marginal(&data).unwrap();
    assert_eq!(marginal, [0, 0]);
    assert_eq!(
        model.joint_log_probability(&items, &marginal).unwrap(),
        f64::NEG_INFINITY
    );
    // Tied with 2, 0: the lowest index wins.
    let (path, scores) = model.viterbi(&data).unwrap();
    assert_eq!(path, [1, 0]);
    assert!((scores[0] - 0.3_f64.ln()).abs() < 1e-12);
}

// 000b:S17 000b:S16 002b:MM-10 000b:TV-2c: emissions are summed to T, not T−1.
#[test]
fn one_step_of_baum_welch_is_that_of_the_text() {
    let one_step = Hmm {
        max_iter: 1,
        ..Hmm::default()
    };
    let items = column(&[0, 1, 2]);
    let data = Sequences::new(&items, &[3]).unwrap();
    let model = one_step.fit_from(&weather(), &data, &Run::new()).unwrap();
    close(
        model.startprob(),
        &array![0.8765159868, 0.1234840132],
        1e-10,
    );
    let transitions = array![[0.5023529412, 0.4976470588], [0.1634361233, 0.8365638767]];
    close(model.transmat(), &transitions, 1e-10);
    let emissions = array![
        [0.5121102809, 0.3639525895, 0.1239371296],
        [0.0958411775, 0.2926578812, 0.6115009413]
    ];
    close(model.emissionprob().unwrap(), &emissions, 1e-10);
    assert!((model.log_likelihoods(&data).unwrap()[0] + 2.7083013644).abs() < 1e-10);
    let trace = didact_core::Model::trace(&model).unwrap();
    assert!((trace.objectives[0] + 3.316488653735201).abs() < 1e-12);
}

// 000b:S17 000b:TV-2c 001:HMM-09: each sequence is divided by its own likelihood.
#[test]
fn one_step_over_two_sequences_is_that_of_the_text() {
    let one_step = Hmm {
        max_iter: 1,
        ..Hmm::default()
    };
    let items = column(&[0, 1, 2, 0, 0, 1, 2, 2]);
    let data = Sequences::new(&items, &[3, 5]).unwrap();
    let before: f64 = weather().log_likelihoods(&data).unwrap().iter().sum();
    assert!((before + 8.6396693674).abs() < 1e-10);
    let model = one_step.fit_from(&weather(), &data, &Run::new()).unwrap();
    close(
        model.startprob(),
        &array![0.8959945382, 0.1040054618],
        1e-10,
    );
    let transitions = array![[0.5722628963, 0.4277371037], [0.1505440708, 0.8494559292]];
    close(model.transmat(), &transitions, 1e-10);
    let emissions = array![
        [0.610250897, 0.2802407784, 0.1095083246],
        [0.0854116026, 0.2127743032, 0.7018140942]
    ];
    close(model.emissionprob().unwrap(), &emissions, 1e-10);
    let after: f64 = model.log_likelihoods(&data).unwrap().iter().sum();
    assert!((after + 6.9986002598).abs() < 1e-10);
}

// 000b:S16: expected transitions add up to T−1, expected visits to T.
#[test]
fn expected_counts_add_up_to_the_items() {
    let lattice = weather().lattice(&column(&[0, 0, 1, 2, 2])).unwrap();
    assert!((lattice.pair_posteriors().sum() - 4.0).abs() < 1e-12);
    assert!((lattice.posteriors().sum() - 5.0).abs() < 1e-12);
}

// 000b:S18: the bound is ln p(x) for the own posterior, and KL(q ‖ p(h|x)) below for another.
#[test]
fn the_lower_bound_falls_short_by_the_divergence_of_the_posteriors() {
    let items = column(&[0, 1, 2, 2]);
    let other = HmmModel::categorical(
        array![0.3, 0.7],
        array![[0.5, 0.5], [0.2, 0.8]],
        array![[0.2, 0.4, 0.4], [0.3, 0.3, 0.4]],
    )
    .unwrap();
    let own = weather().lattice(&items).unwrap();
    let bound = weather().lower_bound(&items, &own).unwrap();
    assert!((bound - own.log_likelihood()).abs() < 1e-12);
    let foreign = other.lattice(&items).unwrap();
    let bound = weather().lower_bound(&items, &foreign).unwrap();
    // The divergence from its definition, a sum over all 2⁴ paths.
    let mut divergence = 0.0;
    for code in 0..16_usize {
        let path: Vec<usize> = (0..4).map(|t| (code >> t) & 1).collect();
        let p = weather().joint_log_probability(&items, &path).unwrap() - own.log_likelihood();
        let q = other.joint_log_probability(&items, &path).unwrap() - foreign.log_likelihood();
        divergence += q.exp() * (q - p);
    }
    assert!(divergence > 0.01);
    assert!((own.log_likelihood() - bound - divergence).abs() < 1e-12);
}

// 000b:S12: uniform emissions give −T·ln M, far beyond where plain products underflow.
#[test]
fn a_thousand_uniform_symbols_have_the_exact_log_likelihood() {
    let model = HmmModel::categorical(
        array![0.6, 0.4],
        array![[0.7, 0.3], [0.4, 0.6]],
        Array2::from_elem((2, 3), 1.0 / 3.0),
    )
    .unwrap();
    let items = Array2::from_shape_fn((1000, 1), |(row, _)| (row * row % 3) as f64);
    let data = Sequences::new(&items, &[1000]).unwrap();
    assert!((model.log_likelihoods(&data).unwrap()[0] + 1098.6122886681098).abs() < 1e-9);
    let per_item = model.log_likelihoods_per_item(&data).unwrap()[0];
    assert!((per_item + 3.0_f64.ln()).abs() < 1e-12);
}

// 000b:S06 001:HMM-01 002b:MM-02 004:M79: rows must be distributions.
#[test]
fn rows_that_do_not_add_up_to_one_are_refused() {
    let error = HmmModel::categorical(
        array![0.6, 0.4],
        array![[0.7, 0.3], [0.4, 0.5]],
        array![[1.0], [1.0]],
    )
    .unwrap_err()
    .to_string();
    assert!(
        error.starts_with("the transition probabilities from state 1 add up to 0.9"),
        "{error}"
    );
    let ones = || array![[1.0], [1.0]];
    assert!(HmmModel::categorical(array![0.6, 0.5], Array2::eye(2), ones()).is_err());
    assert!(HmmModel::categorical(array![1.5, -0.5], Array2::eye(2), ones()).is_err());
    assert!(HmmModel::categorical(array![1.0], Array2::eye(2), ones()).is_err());
    // The probability to stop belongs to the row.
    let stop = |p: f64| {
        HmmModel::categorical_with_stop(array![1.0], array![[0.8]], array![p], array![[1.0]])
    };
    assert!(stop(0.2).is_ok() && stop(0.3).is_err() && stop(0.0).is_err());
}

// 001:HMM-01: with a stop state the probabilities of all sequences of all lengths sum to one.
#[test]
fn sequences_of_all_lengths_share_one_unit_of_probability() {
    // Σ over the 2ⁿ sequences of length n, for n to 12; the rest has 0.8^12 of the probability,
    // since every state stops with probability 0.2.
    let mut total = 0.0;
    for n in 1..=12_u32 {
        let all: Vec<u8> = (0..1_u32 << n)
            .flat_map(|code| (0..n).map(move |t| ((code >> t) & 1) as u8))
            .collect();
        let items = column(&all);
        let lengths = vec![n as usize; 1 << n];
        let data = Sequences::new(&items, &lengths).unwrap();
        total += stopping()
            .log_likelihoods(&data)
            .unwrap()
            .iter()
            .map(|s| s.exp())
            .sum::<f64>();
    }
    assert!((total - (1.0 - 0.8_f64.powi(12))).abs() < 1e-12);
}

// 001:HMM-10 001:HMM-11 001:HMM-12 001:T-19
#[test]
fn the_variables_that_exclude_and_include_the_emission_are_those_of_the_text() {
    let lattice = stopping().lattice(&column(&[0, 1, 1])).unwrap();
    let forward = lattice.log_forward_excluding().mapv(f64::exp);
    let backward = lattice.log_backward_including().mapv(f64::exp);
    close(
        &forward,
        &array![[0.6, 0.4], [0.242, 0.158], [0.08686, 0.07234]],
        1e-14,
    );
    close(
        &backward,
        &array![[0.022974, 0.007504], [0.0234, 0.0704], [0.06, 0.16]],
        1e-14,
    );
    let likelihoods = (&forward * &backward).sum_axis(Axis(1));
    close(&likelihoods, &Array1::from_elem(3, 0.016786), 1e-14);
}

// 001:HMM-13 001:HMM-14 001:T-19
#[test]
fn posteriors_with_a_stop_state_are_those_of_the_text() {
    let lattice = stopping().lattice(&column(&[0, 1, 1])).unwrap();
    let first = lattice.posteriors().column(0).to_owned();
    close(&first, &array![0.8211843, 0.3373526, 0.3104730], 1e-7);
    let pairs = array![
        [[0.2927440, 0.5284404], [0.0446086, 0.1342071]],
        [[0.1297510, 0.2076016], [0.1807220, 0.4819254]]
    ];
    close(&lattice.pair_posteriors(), &pairs, 1e-7);
}

// 001:HMM-09 001:HMM-15 001:T-19: start counts once per sequence, stop belongs to the row.
#[test]
fn one_step_of_baum_welch_with_a_stop_state_is_that_of_the_text() {
    let items = column(&[0, 1, 1]);
    let data = Sequences::new(&items, &[3]).unwrap();
    let one_step = Hmm {
        max_iter: 1,
        ..Hmm::default()
    };
    let model = one_step.fit_from(&stopping(), &data, &Run::new()).unwrap();
    close(model.startprob(), &array![0.8211843, 0.1788157], 1e-7);
    let transitions = array![[0.2876052, 0.5010463], [0.1471797, 0.4024405]];
    close(model.transmat(), &transitions, 1e-7);
    close(
        model.stopprob().unwrap(),
        &array![0.2113485, 0.4503798],
        1e-7,
    );
    let emissions = array![[0.5590053, 0.4409947], [0.1167974, 0.8832026]];
    close(model.emissionprob().unwrap(), &emissions, 1e-7);
    let rows = model.transmat().sum_axis(Axis(1)) + model.stopprob().unwrap();
    close(&rows, &Array1::ones(2), 1e-12);
    assert!((stopping().log_likelihoods(&data).unwrap()[0] + 4.0872101).abs() < 1e-7);
    assert!((model.log_likelihoods(&data).unwrap()[0] + 2.9943980).abs() < 1e-7);
    let (path, scores) = stopping().viterbi(&data).unwrap();
    assert_eq!(path, [0, 1, 1]);
    assert!((scores[0].exp() - 0.0064512).abs() < 1e-12);
}

/// 001:T-18: A, D, N, V in sorted order; the, dog, barks, big, sleeps, a, cat, sees.
fn tagger(hyper: Hmm) -> HmmModel {
    let items = column(&[0, 1, 2, 0, 3, 1, 4, 5, 6, 7, 0, 1]);
    let tags = Labels::from_names(["D", "N", "V", "D", "A", "N", "V", "D", "N", "V", "D", "N"]);
    let sequences = Sequences::new(&items, &[3, 4, 5]).unwrap();
    hyper
        .fit(LabelledSequences::new(sequences, &tags).unwrap())
        .unwrap()
}

// 000b:S19 001:HMM-02 001:T-18
#[test]
fn counting_tagged_sentences_gives_the_fractions_of_the_text() {
    let model = tagger(Hmm {
        stop_state: true,
        ..Hmm::default()
    });
    let names: Vec<String> = model
        .state_names()
        .unwrap()
        .names()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["A", "D", "N", "V"]);
    close(model.startprob(), &array![0.0, 1.0, 0.0, 0.0], 0.0);
    let transitions = array![
        [0.0, 0.0, 1.0, 0.0],
        [0.25, 0.0, 0.75, 0.0],
        [0.0, 0.0, 0.0, 0.75],
        [0.0, 1.0 / 3.0, 0.0, 0.0]
    ];
    close(model.transmat(), &transitions, 1e-15);
    close(
        model.stopprob().unwrap(),
        &array![0.0, 0.0, 0.25, 2.0 / 3.0],
        1e-15,
    );
    let third = 1.0 / 3.0;
    let emissions = array![
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.75, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0],
        [0.0, 0.75, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0],
        [0.0, 0.0, third, 0.0, third, 0.0, 0.0, third]
    ];
    close(model.emissionprob().unwrap(), &emissions, 1e-15);
}

// 001:HMM-05 001:T-18
#[test]
fn tagging_new_sentences_gives_the_paths_of_the_text() {
    let model = tagger(Hmm {
        stop_state: true,
        ..Hmm::default()
    });
    // "the cat barks", "the dog", "the big cat sees a dog".
    let items = column(&[0, 6, 2, 0, 1, 0, 3, 6, 7, 5, 1]);
    let (path, scores) = model
        .viterbi(&Sequences::new(&items, &[3, 2, 6]).unwrap())
        .unwrap();
    assert_eq!(path, [1, 2, 3, 1, 2, 1, 0, 2, 3, 1, 2]);
    let expected = [3.0 / 128.0, 27.0 / 256.0, 9.0 / 65536.0_f64];
    for (score, expected) in scores.iter().zip(expected) {
        assert!((score - expected.ln()).abs() < 1e-12);
    }
}

// 001:HMM-02 002b:MM-03: smoothing makes unseen words and steps possible.
#[test]
fn smoothing_adds_its_count_to_every_word_and_step() {
    let hyper = Hmm {
        transition_smoothing: 0.5,
        emission_smoothing: 1.0,
        ..Hmm::default()
    };
    let model = tagger(hyper);
    // D is followed three times by N and once by A: (3 + ½)/(4 + 4·½).
    assert!((model.transmat()[[1, 2]] - 3.5 / 6.0).abs() < 1e-15);
    // All three sentences start with D: (3 + ½)/(3 + 4·½).
    assert!((model.startprob()[1] - 3.5 / 5.0).abs() < 1e-15);
    // V emits three words once, eight words are known: (1 + 1)/(3 + 8) and 1/(3 + 8).
    assert!((model.emissionprob().unwrap()[[3, 2]] - 2.0 / 11.0).abs() < 1e-15);
    assert!((model.emissionprob().unwrap()[[3, 0]] - 1.0 / 11.0).abs() < 1e-15);
}

// 001:HMM-16 001:T-20
#[test]
fn best_single_labels_differ_from_the_best_labelling() {
    let (mut transitions, mut stop) = (Array2::zeros((5, 5)), Array1::zeros(5));
    transitions[[0, 2]] = 1.0;
    transitions[[1, 3]] = 0.5;
    transitions[[1, 4]] = 0.5;
    stop.slice_mut(ndarray::s![2..]).fill(1.0);
    let start = array![0.4, 0.6, 0.0, 0.0, 0.0];
    let model =
        HmmModel::categorical_with_stop(start, transitions, stop, Array2::ones((5, 1))).unwrap();
    let items = column(&[0, 0]);
    let data = Sequences::new(&items, &[2]).unwrap();
    let (path, scores) = model.viterbi(&data).unwrap();
    assert_eq!(path, [0, 2]);
    assert!((scores[0].exp() - 0.4).abs() < 1e-12);
    let marginal = model.max_marginal(&data).unwrap();
    assert_eq!(marginal, [1, 2]);
    assert_eq!(
        model.joint_log_probability(&items, &marginal).unwrap(),
        f64::NEG_INFINITY
    );
}

/// Twice the largest standard error of a frequency from `n` draws, times a wide margin.
fn frequency_tolerance(n: f64) -> f64 {
    5.0 * 0.5 / n.sqrt()
}

// 000b:S07 002b:MM-02
#[test]
fn frequencies_of_a_long_draw_are_the_probabilities() {
    let drawn = weather().sample(40_000, 3).unwrap();
    let labels = Labels::from_names(drawn.labels.iter().map(|&label| label as i64));
    let lengths = [40_000];
    let sequences = Sequences::new(&drawn.rows, &lengths).unwrap();
    let counted = Hmm::default()
        .fit(LabelledSequences::new(sequences, &labels).unwrap())
        .unwrap();
    // Each state has more than 15 000 items.
    let tolerance = frequency_tolerance(15_000.0);
    close(counted.transmat(), weather().transmat(), tolerance);
    close(
        counted.emissionprob().unwrap(),
        weather().emissionprob().unwrap(),
        tolerance,
    );
}

// 001:HMM-07 001:HMM-01
#[test]
fn drawn_sentences_end_by_themselves_and_their_counts_are_the_probabilities() {
    let (drawn, lengths) = stopping().sample_sequences(8_000, 1_000, 5).unwrap();
    assert_eq!(lengths.iter().sum::<usize>(), drawn.labels.len());
    // Every state stops with probability 0.2, so the mean length is 5 with deviation √20.
    let mean = drawn.labels.len() as f64 / 8_000.0;
    assert!((mean - 5.0).abs() < 5.0 * (20.0_f64 / 8_000.0).sqrt());
    let labels = Labels::from_names(drawn.labels.iter().map(|&label| label as i64));
    let sequences = Sequences::new(&drawn.rows, &lengths).unwrap();
    let counted = Hmm {
        stop_state: true,
        ..Hmm::default()
    }
    .fit(LabelledSequences::new(sequences, &labels).unwrap())
    .unwrap();
    close(
        counted.startprob(),
        stopping().startprob(),
        frequency_tolerance(8_000.0),
    );
    close(
        counted.transmat(),
        stopping().transmat(),
        frequency_tolerance(15_000.0),
    );
    close(
        counted.stopprob().unwrap(),
        &array![0.2, 0.2],
        frequency_tolerance(15_000.0),
    );
}

// 001:HMM-07: chains that do not end are refused, not followed for ever.
#[test]
fn drawing_from_a_chain_that_never_stops_is_an_error() {
    let endless = HmmModel::categorical_with_stop(
        array![0.5, 0.5],
        array![[0.5, 0.0], [0.0, 1.0]],
        array![0.5, 0.0],
        array![[1.0], [1.0]],
    )
    .unwrap();
    let error = endless.sample_sequence(100, 0).unwrap_err().to_string();
    assert!(
        error.starts_with("from state 1 the stop state cannot be reached"),
        "{error}"
    );
    assert!(weather().sample_sequence(100, 0).is_err());
    let slow = HmmModel::categorical_with_stop(
        array![1.0],
        array![[1.0 - 1e-6]],
        array![1e-6],
        array![[1.0]],
    )
    .unwrap();
    let error = slow.sample_sequence(10, 0).unwrap_err().to_string();
    assert!(error.starts_with("max_length is 10;"), "{error}");
    // A given length is always possible: a new sequence begins where one stops.
    assert_eq!(stopping().sample(50, 1).unwrap().labels.len(), 50);
}
