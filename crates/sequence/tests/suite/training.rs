//! How models start and learn: what can be chosen besides plain Baum–Welch.

use didact_core::{Decode, Fit, LearnInPieces, Model, Next, Run, Sequences, StopReason};
use didact_sequence::{ChainStart, Hmm, HmmState, HmmTraining, Topology};
use didact_testing::random_matrix;
use ndarray::{Array2, Axis, array};

/// A series that changes between two clear levels.
fn levels() -> Array2<f64> {
    let noise = random_matrix(300, 1, 0);
    let step = |place: usize| 6.0 * f64::from(u8::from(place / 25 % 2 == 1));
    Array2::from_shape_fn((300, 1), |(row, _)| step(row) + 0.1 * noise[[row, 0]])
}

// 002b:MM-10: segmental k-means raises the likelihood of the best paths with every pass.
#[test]
fn segmental_passes_raise_the_likelihood_of_the_best_paths() {
    let symbols = Array2::from_shape_fn((300, 1), |(row, _)| ((row * row / 7) % 3) as f64);
    for rows in [levels(), symbols] {
        let data = Sequences::new(&rows, &[100, 120, 80]).unwrap();
        let hyper = Hmm {
            training: HmmTraining::Segmental,
            random_state: 3,
            tol: 1e-9,
            ..Hmm::default()
        };
        let model = hyper.fit(data.clone()).unwrap();
        let trace = model.trace().unwrap();
        assert_eq!(trace.objective_name, "log-likelihood of the best paths");
        for pair in trace.objectives.windows(2) {
            assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs(), "{pair:?}");
        }
        // Hard assignments end at a fixed point, where the paths are those of the model itself.
        assert_eq!(trace.stop, StopReason::Converged);
        let paths: f64 = model.viterbi(&data).unwrap().1.iter().sum();
        let last = trace.objectives[trace.objectives.len() - 1];
        assert!((paths - last).abs() < 1e-9 * last.abs(), "{paths} {last}");
    }
}

// 002b:MM-10: the hybrid ends where Baum–Welch would from the segmental model.
#[test]
fn hybrid_training_is_segmental_then_baum_welch() {
    let rows = levels();
    let data = Sequences::new(&rows, &[150, 150]).unwrap();
    let with = |training| Hmm {
        training,
        tol: 1e-9,
        ..Hmm::default()
    };
    let segmental = with(HmmTraining::Segmental).fit(data.clone()).unwrap();
    let refined = with(HmmTraining::BaumWelch)
        .fit_from(&segmental, &data, &Run::new())
        .unwrap();
    let hybrid = with(HmmTraining::Hybrid).fit(data.clone()).unwrap();
    assert_eq!(hybrid.means(), refined.means());
    assert_eq!(hybrid.transmat(), refined.transmat());
    assert_eq!(hybrid.trace().unwrap().objective_name, "log-likelihood");
}

// 002b:MM-05: both topologies start from random or from equal probabilities.
#[test]
fn a_uniform_chain_starts_with_equal_probabilities_of_what_is_allowed() {
    let rows = levels();
    let data = Sequences::new(&rows, &[300]).unwrap();
    for (topology, stop_state) in [
        (Topology::Ergodic, false),
        (Topology::LeftRight, false),
        (Topology::LeftRight, true),
    ] {
        let hyper = Hmm {
            n_components: 3,
            chain_init: ChainStart::Uniform,
            topology,
            stop_state,
            ..Hmm::default()
        };
        let sample = hyper
            .summarise(&HmmState::Fresh, data.clone(), 0, &Run::new())
            .unwrap();
        let Next::Pass(HmmState::Learning { model, .. }) =
            hyper.step(HmmState::Fresh, sample, &Run::new()).unwrap()
        else {
            panic!("the first pass only chooses the start");
        };
        let (start, steps) = (model.startprob(), model.transmat());
        match (topology, stop_state) {
            (Topology::Ergodic, _) => {
                assert!(start.iter().chain(steps).all(|&p| p == 1.0 / 3.0));
            }
            (Topology::LeftRight, false) => {
                assert_eq!(start, &array![1.0, 0.0, 0.0]);
                assert_eq!(
                    steps,
                    &array![[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]
                );
            }
            (Topology::LeftRight, true) => {
                let third = 1.0 / 3.0;
                assert_eq!(steps.row(0), array![third, third, 0.0]);
                assert_eq!(steps.row(2), array![0.0, 0.0, 0.5]);
                assert_eq!(model.stopprob().unwrap(), &array![third, third, 0.5]);
            }
        }
    }
}

#[test]
fn the_data_tell_symbols_from_measurements() {
    let emits_symbols = |rows: Array2<f64>, hyper: Hmm| {
        let lengths = [rows.nrows()];
        let model = hyper.fit(Sequences::new(&rows, &lengths).unwrap()).unwrap();
        model.emissionprob().is_some()
    };
    let small = array![[0.0], [2.0], [1.0], [0.0], [2.0]];
    assert!(emits_symbols(small.clone(), Hmm::default()));
    assert!(!emits_symbols(&small + 0.5, Hmm::default()));
    // More kinds than rows: volumes of a river, not symbols.
    assert!(!emits_symbols(&small * 500.0, Hmm::default()));
    assert!(!emits_symbols(small.clone() - 1.0, Hmm::default()));
    let two_columns = ndarray::concatenate![Axis(1), small, small];
    assert!(!emits_symbols(two_columns, Hmm::default()));
    // What else is given says what is meant.
    let many = Hmm {
        n_symbols: Some(2000),
        ..Hmm::default()
    };
    assert!(emits_symbols(&small * 500.0, many));
    let means = Hmm {
        means_init: Some(vec![vec![0.0], vec![2.0]]),
        ..Hmm::default()
    };
    assert!(!emits_symbols(small, means));
}
