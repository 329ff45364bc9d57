//! Laws that hold for every model and all data.

use didact_core::model::decode_model;
use didact_core::random::generator;
use didact_core::{
    AnyModel, Cancel, Decode, Error, Fit, LabelledSequences, Labels, LearnInPieces, Model, Next,
    Run, Sample, SequenceLikelihood, Sequences, encoding,
};
use didact_sequence::{
    CovarianceType, Hmm, HmmEmission, HmmModel, HmmStart, HmmState, Topology, UnknownSymbols,
};
use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;
use rand::RngExt;

const TYPES: [CovarianceType; 4] = [
    CovarianceType::Full,
    CovarianceType::Tied,
    CovarianceType::Diag,
    CovarianceType::Spherical,
];

fn random_rows(height: usize, width: usize, seed: u64) -> Array2<f64> {
    let random = &mut generator(seed, 9);
    let mut rows = Array2::from_shape_fn((height, width), |_| 0.05 + random.random::<f64>());
    for mut row in rows.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    rows
}

fn random_model(k: usize, symbols: usize, seed: u64) -> HmmModel {
    let start = random_rows(1, k, seed).remove_axis(Axis(0));
    let steps = random_rows(k, k + 1, seed + 1);
    let emissions = random_rows(k, symbols, seed + 2);
    let transitions = steps.slice(ndarray::s![.., ..k]).to_owned();
    HmmModel::categorical_with_stop(start, transitions, steps.column(k).to_owned(), emissions)
        .unwrap()
}

/// A walk between three places in the plane, `n` rows.
fn walk(n: usize, seed: u64) -> Array2<f64> {
    let transitions = array![[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]];
    let means = array![[0.0, 0.0], [3.0, 1.0], [-2.0, 4.0]];
    let covars = array![
        [[1.0, 0.3], [0.3, 0.5]],
        [[0.5, 0.0], [0.0, 2.0]],
        [[1.0, -0.5], [-0.5, 1.0]]
    ];
    let model =
        HmmModel::gaussian(Array1::from_elem(3, 1.0 / 3.0), transitions, means, covars).unwrap();
    model.sample(n, seed).unwrap().rows
}

fn gaussian(n_components: usize, covariance_type: CovarianceType) -> Hmm {
    Hmm {
        n_components,
        emission: HmmEmission::Gaussian,
        covariance_type,
        ..Hmm::default()
    }
}

fn never_falls(objectives: &[f64]) -> bool {
    objectives
        .windows(2)
        .all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    // 001:HMM-04 001:HMM-03 001:HMM-06 002b:MM-06 004:M79
    #[test]
    fn recursions_agree_with_the_enumeration_of_all_paths(k in 1usize..4, n in 1usize..6, seed in 0u64..1000) {
        let model = random_model(k, 3, seed);
        let items = model.sample(n, seed).unwrap().rows;
        let lengths = [n];
        let data = Sequences::new(&items, &lengths).unwrap();
        let all = model.enumerate(&items).unwrap();
        let (path, best) = model.viterbi(&data).unwrap();
        // Another path can be equally probable: the same steps in another order.
        let joint = model.joint_log_probability(&items, &path).unwrap();
        prop_assert!(path == all.best_path || (joint - all.best_log_probability).abs() < 1e-12);
        prop_assert!((best[0] - all.best_log_probability).abs() < 1e-9);
        let likelihood = model.log_likelihoods(&data).unwrap()[0];
        prop_assert!((likelihood - all.log_likelihood).abs() < 1e-9);
    }

    // 000b:S17 001:HMM-09 002b:MM-10
    #[test]
    fn the_likelihood_of_symbols_never_falls(k in 1usize..5, stop_state: bool, smoothing in prop::sample::select(vec![0.0, 0.1, 2.0]), seed in 0u64..1000) {
        let items = random_model(3, 4, seed).sample(60, seed).unwrap().rows;
        let hyper = Hmm {
            n_components: k,
            stop_state,
            transition_smoothing: smoothing,
            emission_smoothing: smoothing,
            tol: 0.0,
            max_iter: 40,
            random_state: seed,
            ..Hmm::default()
        };
        let model = hyper.fit(Sequences::new(&items, &[25, 1, 34]).unwrap()).unwrap();
        prop_assert!(never_falls(&Model::trace(&model).unwrap().objectives));
        let sums = model.transmat().sum_axis(Axis(1)) + model.stopprob().cloned().unwrap_or_else(|| Array1::zeros(k));
        prop_assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-12));
    }

    // 002b:MM-10, with the floor of the variances as part of the problem.
    #[test]
    fn the_likelihood_of_rows_never_falls(k in 1usize..5, kind in 0usize..4, left_right: bool, seed in 0u64..1000) {
        let rows = walk(60, seed);
        let topology = if left_right { Topology::LeftRight } else { Topology::Ergodic };
        let hyper = Hmm { tol: 0.0, max_iter: 30, topology, min_covar: 0.05, random_state: seed, ..gaussian(k, TYPES[kind]) };
        let model = hyper.fit(Sequences::new(&rows, &[20, 40]).unwrap()).unwrap();
        prop_assert!(never_falls(&Model::trace(&model).unwrap().objectives), "{:?}", Model::trace(&model));
    }

    #[test]
    fn learning_does_not_depend_on_the_cut(cut in 1usize..4, kind in 0usize..5, seed in 0u64..100) {
        let rows = walk(80, seed);
        let hyper = match kind {
            4 => Hmm { n_components: 3, max_iter: 5, ..Hmm::default() },
            _ => Hmm { max_iter: 5, ..gaussian(3, TYPES[kind]) },
        };
        let rows = match kind {
            4 => rows.slice(ndarray::s![.., ..1]).mapv(|value| value.abs().floor().min(4.0)),
            _ => rows,
        };
        let lengths = [30, 10, 25, 15];
        let data = Sequences::new(&rows, &lengths).unwrap();
        let whole = hyper.fit(data.clone()).unwrap();
        let pieces = in_pieces(&hyper, &data, cut);
        for (a, b) in whole.attributes().iter().zip(pieces.attributes()) {
            if let (Some(a), Some(b)) = (a.1.as_array(), b.1.as_array()) {
                prop_assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs())));
            }
        }
    }
}

/// Learns from the sequences before and after `cut`, the later ones first.
fn in_pieces(hyper: &Hmm, data: &Sequences<'_>, cut: usize) -> HmmModel {
    let run = Run::new();
    let first_row: usize = data.lengths[..cut].iter().sum();
    let mut state = HmmState::Fresh;
    loop {
        let late = hyper
            .summarise(&state, data.slice(cut..data.lengths.len()), first_row, &run)
            .unwrap();
        let early = hyper
            .summarise(&state, data.slice(0..cut), 0, &run)
            .unwrap();
        // Summaries travel between machines as bytes.
        let late = encoding::from_bytes(&encoding::to_bytes(&late).unwrap()).unwrap();
        let merged = LearnInPieces::<Sequences<'_>>::merge(hyper, late, early).unwrap();
        match LearnInPieces::<Sequences<'_>>::step(hyper, state, merged, &run).unwrap() {
            Next::Pass(next) => state = next,
            Next::Done(model) => return model,
        }
    }
}

// 002b:MM-05
#[test]
fn what_is_impossible_stays_impossible() {
    let rows = walk(200, 1);
    let hyper = Hmm {
        topology: Topology::LeftRight,
        ..gaussian(4, CovarianceType::Diag)
    };
    let model = hyper
        .fit(Sequences::new(&rows, &[100, 100]).unwrap())
        .unwrap();
    assert_eq!(model.startprob().to_vec(), [1.0, 0.0, 0.0, 0.0]);
    for ((from, to), &probability) in model.transmat().indexed_iter() {
        assert!(
            to == from || to == from + 1 || probability == 0.0,
            "{from}→{to}"
        );
    }
    // States stay in themselves for a while: the self-transition belongs to the topology.
    assert!(model.transmat()[[3, 3]] == 1.0);
    let given = vec![
        vec![0.5, 0.5, 0.0],
        vec![0.0, 0.5, 0.5],
        vec![0.5, 0.0, 0.5],
    ];
    let ring = Hmm {
        transmat_init: Some(given.clone()),
        transition_smoothing: 1.0,
        ..gaussian(3, CovarianceType::Full)
    };
    let model = ring.fit(Sequences::new(&rows, &[200]).unwrap()).unwrap();
    for ((from, to), &probability) in model.transmat().indexed_iter() {
        assert_eq!(probability == 0.0, given[from][to] == 0.0);
    }
}

// 000b:S17 001:HMM-09: equal states would stay equal for ever.
#[test]
fn the_random_start_breaks_the_symmetry() {
    let truth = HmmModel::categorical(
        array![0.5, 0.5],
        array![[0.9, 0.1], [0.1, 0.9]],
        array![[0.9, 0.1], [0.1, 0.9]],
    )
    .unwrap();
    let items = truth.sample(2000, 4).unwrap().rows;
    let data = Sequences::new(&items, &[2000]).unwrap();
    let model = Hmm {
        tol: 1e-4,
        max_iter: 300,
        ..Hmm::default()
    }
    .fit(data.clone())
    .unwrap();
    // 000b:S07: long samples recover the parameters up to the names of the states. Twice the
    // advantage over the truth is chi-squared with five degrees of freedom (one start, two
    // transitions, two emissions): more than 25.7 happens once in ten thousand samples.
    let score = |model: &HmmModel| model.log_likelihoods(&data).unwrap()[0];
    let advantage = 2.0 * (score(&model) - score(&truth));
    assert!((0.0..25.7).contains(&advantage), "{advantage}");
    let uniform = HmmModel::categorical(
        array![0.5, 0.5],
        Array2::from_elem((2, 2), 0.5),
        Array2::from_elem((2, 2), 0.5),
    )
    .unwrap();
    let stuck = Hmm::default()
        .fit_from(&uniform, &data, &Run::new())
        .unwrap();
    assert_eq!(
        stuck.emissionprob().unwrap().row(0),
        stuck.emissionprob().unwrap().row(1)
    );
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let rows = walk(9000, 2);
    let lengths = vec![90; 100];
    let data = Sequences::new(&rows, &lengths).unwrap();
    let hyper = Hmm {
        max_iter: 4,
        tol: 0.0,
        ..gaussian(3, CovarianceType::Full)
    };
    let fit = |threads| {
        hyper
            .fit_with(data.clone(), &Run::new().threads(threads))
            .unwrap()
    };
    let model = fit(1);
    assert_eq!(fit(2), model);
    assert_eq!(fit(4), model);
}

#[test]
fn a_sequence_alone_gets_the_same_bits_as_among_others() {
    let rows = walk(3000, 3);
    let lengths = vec![30; 100];
    let data = Sequences::new(&rows, &lengths).unwrap();
    let hyper = Hmm {
        max_iter: 3,
        ..gaussian(3, CovarianceType::Full)
    };
    let model = hyper.fit(data.clone()).unwrap();
    let (paths, best) = model.viterbi(&data).unwrap();
    let scores = model.log_likelihoods(&data).unwrap();
    let posteriors = model.state_probabilities(&data).unwrap();
    for place in [0, 1, 57, 99] {
        let alone = data.slice(place..place + 1);
        let (path, score) = model.viterbi(&alone).unwrap();
        let range = place * 30..place * 30 + 30;
        assert_eq!(
            (path.as_slice(), score[0]),
            (&paths[range.clone()], best[place])
        );
        assert_eq!(model.log_likelihoods(&alone).unwrap(), [scores[place]]);
        let own = model.state_probabilities(&alone).unwrap();
        assert_eq!(own, posteriors.slice(ndarray::s![range, ..]));
    }
}

#[test]
fn a_far_away_origin_changes_nothing_but_the_means() {
    let rows = walk(200, 5);
    // Multiples of 2⁻²⁰ survive the shift exactly.
    let rows = rows.mapv(|value| (value * 1048576.0).round() / 1048576.0);
    let far = &rows + 1e8;
    for kind in TYPES {
        let hyper = Hmm {
            max_iter: 10,
            tol: 0.0,
            ..gaussian(2, kind)
        };
        let near = hyper.fit(Sequences::new(&rows, &[200]).unwrap()).unwrap();
        let moved = hyper.fit(Sequences::new(&far, &[200]).unwrap()).unwrap();
        let (near_covars, far_covars) = (near.covars().unwrap(), moved.covars().unwrap());
        for (a, b) in near_covars.iter().zip(&far_covars) {
            assert!((a - b).abs() < 1e-6, "{a} and {b}");
        }
        for (a, b) in near.means().unwrap().iter().zip(moved.means().unwrap()) {
            assert!((a + 1e8 - b).abs() < 1e-6, "{a} and {b}");
        }
    }
}

#[test]
fn awkward_rows_give_a_finite_model_or_a_clear_error() {
    let awkward = [
        array![[1.0]],
        array![[2.0, 2.0, 2.0]],
        array![[5.0], [5.0], [5.0], [5.0]],
        array![[0.0, 1.0], [-0.0, 2.0], [0.0, 3.0]],
        array![[1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 0.0, 5.0]],
        array![[1e130], [-1e130], [3e129], [0.0]],
    ];
    for rows in &awkward {
        let lengths = [rows.nrows()];
        for (kind, init) in TYPES
            .into_iter()
            .flat_map(|kind| [(kind, HmmStart::Kmeans), (kind, HmmStart::Random)])
        {
            for topology in [Topology::Ergodic, Topology::LeftRight] {
                let hyper = Hmm {
                    init,
                    topology,
                    ..gaussian(3, kind)
                };
                let data = Sequences::new(rows, &lengths).unwrap();
                let model = hyper.fit(data.clone()).unwrap();
                model.validate().unwrap();
                let posteriors = model.state_probabilities(&data).unwrap();
                assert!(
                    posteriors
                        .sum_axis(Axis(1))
                        .iter()
                        .all(|sum| (sum - 1.0).abs() < 1e-9)
                );
                assert!(model.log_likelihoods(&data).unwrap()[0].is_finite());
            }
        }
    }
    let huge = array![[1.0], [1e300]];
    let error = gaussian(2, CovarianceType::Diag)
        .fit(Sequences::new(&huge, &[2]).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("row 1, column 0 is 1000") && error.contains("scale"),
        "{error}"
    );
}

#[test]
fn awkward_symbols_give_a_finite_model_or_a_clear_error() {
    let complaint = |rows: &Array2<f64>, hyper: Hmm| {
        let lengths = [rows.nrows()];
        hyper
            .fit(Sequences::new(rows, &lengths).unwrap())
            .unwrap_err()
            .to_string()
    };
    let symbols = Hmm {
        emission: HmmEmission::Categorical,
        ..Hmm::default()
    };
    let error = complaint(&array![[0.0], [1.5]], symbols.clone());
    assert!(error.starts_with("row 1 has the value 1.5;"), "{error}");
    let error = complaint(&array![[0.0], [-1.0]], symbols.clone());
    assert!(error.starts_with("row 1 has the value -1;"), "{error}");
    let error = complaint(&array![[0.0, 1.0]], symbols);
    assert!(error.contains("one column"), "{error}");
    let error = complaint(
        &array![[0.0], [4.0]],
        Hmm {
            n_symbols: Some(3),
            ..Hmm::default()
        },
    );
    assert!(error.starts_with("n_symbols is 3;"), "{error}");
    let error = complaint(
        &array![[0.0]],
        Hmm {
            transmat_init: Some(vec![vec![1.0]]),
            ..Hmm::default()
        },
    );
    assert!(
        error.starts_with("transmat_init is 1 rows of 1;"),
        "{error}"
    );
    let error = complaint(
        &array![[0.0]],
        Hmm {
            startprob_init: Some(vec![0.5, 0.6]),
            ..Hmm::default()
        },
    );
    assert!(
        error.starts_with("startprob_init is a row with sum 1.1;"),
        "{error}"
    );
    let impossible = Hmm {
        emissionprob_init: Some(vec![vec![1.0, 0.0], vec![1.0, 0.0]]),
        ..Hmm::default()
    };
    let error = complaint(&array![[0.0], [1.0]], impossible);
    assert!(
        error.starts_with("the sequence that begins in row 0 is impossible"),
        "{error}"
    );
    // One item, one symbol, more states than symbols: all finite.
    let one = array![[0.0]];
    let model = Hmm {
        n_components: 5,
        ..Hmm::default()
    }
    .fit(Sequences::new(&one, &[1]).unwrap())
    .unwrap();
    model.validate().unwrap();
}

#[test]
fn symbols_that_were_not_learned_are_treated_as_asked() {
    let items = array![[0.0], [1.0], [1.0], [0.0]];
    let new = array![[0.0], [7.0]];
    let score = |unknown| {
        let model = Hmm {
            unknown,
            ..Hmm::default()
        }
        .fit(Sequences::new(&items, &[4]).unwrap())
        .unwrap();
        model.log_likelihoods(&Sequences::new(&new, &[2]).unwrap())
    };
    let error = score(UnknownSymbols::Error).unwrap_err().to_string();
    assert!(error.starts_with("row 1 has the symbol 7"), "{error}");
    assert_eq!(
        score(UnknownSymbols::Impossible).unwrap(),
        [f64::NEG_INFINITY]
    );
    assert!(score(UnknownSymbols::Ignore).unwrap()[0] > -10.0);
}

// 000b:S19: with certainty in place of posteriors, counting is one step of Baum–Welch.
#[test]
fn labelled_rows_give_the_moments_of_each_class() {
    let rows = array![
        [1.0, 0.0],
        [3.0, 2.0],
        [10.0, 5.0],
        [14.0, 5.0],
        [12.0, 8.0]
    ];
    let labels = Labels::from_names(["low", "low", "high", "high", "high"]);
    let sequences = Sequences::new(&rows, &[2, 3]).unwrap();
    let model = gaussian(1, CovarianceType::Full)
        .fit(LabelledSequences::new(sequences, &labels).unwrap())
        .unwrap();
    // Classes are sorted: high, low. Means by hand: (36/3, 18/3) and (2, 1).
    assert_eq!(model.means().unwrap(), array![[12.0, 6.0], [2.0, 1.0]]);
    // high: deviations (−2,−1), (2,−1), (0,2) give [[8,0],[0,6]]/3; low: ±(1,1).
    let covars = model.covars().unwrap();
    let expected = [8.0 / 3.0, 0.0, 0.0, 2.0];
    for (found, expected) in covars.index_axis(Axis(0), 0).iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12);
    }
    assert_eq!(model.transmat(), array![[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(model.startprob(), array![0.5, 0.5]);
}

#[test]
fn a_class_without_items_keeps_a_finite_blank_distribution() {
    let rows = array![[1.0], [2.0], [0.0]];
    let known = Labels::from_names(["a", "b", "c"]);
    let labels = Labels {
        indices: vec![0, 0, 1],
        classes: known.classes,
    };
    for emission in [HmmEmission::Categorical, HmmEmission::Gaussian] {
        let sequences = Sequences::new(&rows, &[3]).unwrap();
        let data = LabelledSequences::new(sequences.clone(), &labels).unwrap();
        let model = Hmm {
            emission,
            stop_state: true,
            ..Hmm::default()
        }
        .fit(data)
        .unwrap();
        model.validate().unwrap();
        assert_eq!(model.startprob()[2], 0.0);
        assert!((model.transmat()[[2, 0]] - 0.25).abs() < 1e-15);
        assert!(model.log_likelihoods(&sequences).unwrap()[0].is_finite());
    }
}

#[test]
fn a_cancelled_fit_stops_within_a_tenth_of_a_second() {
    let rows = walk(60_000, 6);
    let cancel = Cancel::new();
    let run = Run::new().cancelled_by(&cancel);
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(150));
        cancel.cancel();
        std::time::Instant::now()
    });
    let hyper = Hmm {
        max_iter: 100_000,
        tol: 0.0,
        ..gaussian(12, CovarianceType::Full)
    };
    let outcome = hyper.fit_with(Sequences::new(&rows, &[60_000]).unwrap(), &run);
    let ended = std::time::Instant::now();
    assert!(matches!(outcome, Err(Error::Cancelled)));
    let late = ended.duration_since(stopper.join().unwrap());
    assert!(late.as_millis() < 100, "{late:?}");
}

#[test]
fn models_survive_their_file_and_truncated_ones_are_refused() {
    let rows = walk(60, 7);
    for kind in TYPES {
        let hyper = Hmm {
            stop_state: true,
            max_iter: 3,
            ..gaussian(2, kind)
        };
        let model = hyper
            .fit(Sequences::new(&rows, &[30, 30]).unwrap())
            .unwrap();
        let bytes = model.encode().unwrap();
        let loaded = decode_model::<HmmModel>(&bytes).unwrap();
        assert_eq!(loaded.as_any().downcast_ref::<HmmModel>(), Some(&model));
        assert!(decode_model::<HmmModel>(&bytes[..bytes.len() / 2]).is_err());
    }
}

#[test]
fn the_figure_shows_an_ellipsoid_for_each_state() {
    let rows = walk(60, 8);
    let model = gaussian(3, CovarianceType::Spherical)
        .fit(Sequences::new(&rows, &[60]).unwrap())
        .unwrap();
    let (_, shape) = model.figures().remove(0);
    let didact_core::Shape::Ellipsoids {
        centers,
        covariances,
    } = shape
    else {
        panic!("states are drawn as ellipsoids");
    };
    assert_eq!(centers, model.means().unwrap());
    assert_eq!(covariances.len(), 3);
    assert_eq!(covariances[0].dim(), (2, 2));
}
