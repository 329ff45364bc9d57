//! What comes next: hidden Markov models ahead of their data, and autoregressive series.

use didact_core::{Decode, Fit, LabelledSequences, Labels, Model, Run, Sequences};
use didact_sequence::{
    Autoregressive, AutoregressiveMethod, AutoregressiveModel, Hmm, HmmEmission, HmmModel,
    HmmTraining, MarkovModel,
};
use ndarray::{Array1, Array2, array};
use proptest::prelude::*;

fn switching() -> HmmModel {
    HmmModel::gaussian(
        array![0.5, 0.5],
        array![[0.8, 0.2], [0.3, 0.7]],
        array![[0.0], [10.0]],
        ndarray::Array3::from_shape_fn((2, 1, 1), |(state, _, _)| 1.0 + state as f64),
    )
    .unwrap()
}

// 002b:MM-21: γ_{T+k} = γ_T·Aᵏ, with the means and spreads of a mixture of the states.
#[test]
fn forecasts_move_the_last_posterior_by_powers_of_the_transitions() {
    let model = switching();
    let observed = array![[0.1], [9.5], [10.4]];
    let forecast = model.forecast(&observed, 3).unwrap();
    let sequences = Sequences::new(&observed, &[3]).unwrap();
    let last = model
        .state_probabilities(&sequences)
        .unwrap()
        .row(2)
        .to_owned();
    let cubed = model.transmat().dot(model.transmat()).dot(model.transmat());
    let expected = last.dot(&cubed);
    for state in 0..2 {
        assert!((forecast.state_probabilities[[2, state]] - expected[state]).abs() < 1e-14);
    }
    // The second state at first; 0.7³-like decay lets the first overtake it.
    assert_eq!(forecast.states, [1, 1, 0]);
    let p = expected[1];
    let means = forecast.means.unwrap();
    assert!((means[[2, 0]] - 10.0 * p).abs() < 1e-12);
    // Variance within, (1−p)·1 + p·2, and between, p(1−p)·10².
    let variance = 1.0 + p + 100.0 * p * (1.0 - p);
    assert!((forecast.deviations.unwrap()[[2, 0]] - variance.sqrt()).abs() < 1e-12);
    assert!(forecast.symbol_probabilities.is_none());
}

// 002b:MM-21: far ahead is the stationary distribution, whatever was observed.
#[test]
fn far_ahead_nothing_of_the_observed_part_is_left() {
    let model = switching();
    let chain = MarkovModel::first_order(array![0.5, 0.5], model.transmat().clone()).unwrap();
    let stationary = chain.stationary().unwrap();
    for observed in [array![[0.0]], array![[10.0]]] {
        let forecast = model.forecast(&observed, 100).unwrap();
        let far = forecast.state_probabilities.row(99);
        assert!(
            (&far - &stationary)
                .iter()
                .all(|change| change.abs() < 1e-12)
        );
    }
}

// 002b:MM-21: drawn continuations have the frequencies of the forecast.
#[test]
fn drawn_continuations_follow_the_forecast() {
    let model = switching();
    let observed = array![[10.0], [10.0]];
    let forecast = model.forecast(&observed, 2).unwrap();
    let n = 3000;
    let second = (0..n).filter(|&seed| {
        let drawn = model.sample_ahead(&observed, 2, seed).unwrap();
        drawn.labels[1] == 1
    });
    let (share, expected) = (
        second.count() as f64 / n as f64,
        forecast.state_probabilities[[1, 1]],
    );
    let error = (expected * (1.0 - expected) / n as f64).sqrt();
    assert!((share - expected).abs() < 5.0 * error, "{share} {expected}");
    let symbols = HmmModel::categorical(
        array![0.5, 0.5],
        array![[0.8, 0.2], [0.3, 0.7]],
        array![[0.9, 0.1], [0.2, 0.8]],
    );
    let forecast = symbols.unwrap().forecast(&array![[0.0]], 4).unwrap();
    let table = forecast.symbol_probabilities.unwrap();
    assert!(
        table
            .rows()
            .into_iter()
            .all(|row| (row.sum() - 1.0).abs() < 1e-12)
    );
}

// 001:HMM-08: a hard step labels by Viterbi and then counts as if the labels were known; the
// text has the names of the two steps the other way round.
#[test]
fn a_segmental_pass_counts_the_labels_of_viterbi() {
    let start = HmmModel::categorical(
        array![0.6, 0.4],
        array![[0.7, 0.3], [0.4, 0.6]],
        array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]],
    )
    .unwrap();
    let symbols = [0, 1, 2, 2, 0, 0, 1, 2, 1, 0, 2, 2];
    let items = Array2::from_shape_fn((12, 1), |(row, _)| f64::from(symbols[row]));
    let data = Sequences::new(&items, &[5, 7]).unwrap();
    let hard = Hmm {
        training: HmmTraining::Segmental,
        max_iter: 1,
        ..Hmm::default()
    };
    let model = hard.fit_from(&start, &data, &Run::new()).unwrap();
    let (path, _) = start.decode(&data).unwrap();
    let labels = Labels::from_indices(path);
    let counted = Hmm {
        emission: HmmEmission::Categorical,
        ..Hmm::default()
    };
    let counted = counted
        .fit(LabelledSequences::new(data, &labels).unwrap())
        .unwrap();
    assert_eq!(model.startprob(), counted.startprob());
    assert_eq!(model.transmat(), counted.transmat());
    assert_eq!(model.emissionprob(), counted.emissionprob());
}

// 001:HMM-08: the log-probability of the best labellings never falls, and ends.
#[test]
fn hard_passes_on_symbols_never_lower_the_best_labellings() {
    let alice = didact_datasets::alice();
    let data = alice.sequences().unwrap();
    let data = data.slice(0..40);
    for seed in 0..3 {
        let hard = Hmm {
            training: HmmTraining::Segmental,
            random_state: seed,
            ..Hmm::default()
        };
        let model = hard.fit(data.clone()).unwrap();
        let trace = model.trace().unwrap();
        assert!(
            trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] >= pair[0] - 1e-9)
        );
    }
}

fn nile() -> Array2<f64> {
    let nile = didact_datasets::nile();
    nile.features().to_owned()
}

fn fit(series: &Array2<f64>, order: usize, method: AutoregressiveMethod) -> AutoregressiveModel {
    let model = Autoregressive {
        order,
        method,
        fit_intercept: false,
    };
    let lengths = [series.nrows()];
    model
        .fit(Sequences::new(series, &lengths).unwrap())
        .unwrap()
}

// 004:M08 004:M07: statsmodels 0.15, yule_walker(method="mle") and AutoReg, on the flow of the Nile.
#[test]
fn weights_are_those_of_statsmodels() {
    let series = nile();
    let close = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    };
    let plain = fit(&series, 2, AutoregressiveMethod::YuleWalker);
    close(plain.weights()[0], 0.7523385847921773);
    close(plain.weights()[1], 0.2274365130594483);
    let data = Sequences::new(&series, &[100]).unwrap();
    let with = |method| Autoregressive {
        order: 3,
        method,
        fit_intercept: true,
    };
    let centred = with(AutoregressiveMethod::YuleWalker)
        .fit(data.clone())
        .unwrap();
    for (found, expected) in
        centred
            .weights()
            .iter()
            .zip([0.3880197525524158, 0.1359127146624727, 0.1108969931164899])
    {
        close(*found, expected);
    }
    close(centred.variance(), 20355.86274403225);
    let squares = with(AutoregressiveMethod::LeastSquares).fit(data).unwrap();
    close(squares.intercept(), 314.4391919541975);
    for (found, expected) in
        squares
            .weights()
            .iter()
            .zip([0.3772958240128649, 0.15447782333243587, 0.12076075239830618])
    {
        close(*found, expected);
    }
    close(squares.variance(), 20024.318977362127);
    let history: Vec<f64> = series.iter().copied().collect();
    let (means, _) = squares.forecast(&history, 3).unwrap();
    close(means[0], 790.6414878050605);
    close(means[2], 832.7865102119652);
}

// 004:M08: Toeplitz equations by their definition, and least squares differs at the edges only.
#[test]
fn levinson_solves_the_equations_of_yule_and_walker() {
    let series = nile();
    let x: Vec<f64> = series.iter().copied().collect();
    let r = |lag: usize| x.iter().zip(&x[lag..]).map(|(a, b)| a * b).sum::<f64>() / 100.0;
    let model = fit(&series, 4, AutoregressiveMethod::YuleWalker);
    for row in 0..4_usize {
        let left: f64 = (0..4)
            .map(|m| r(row.abs_diff(m)) * model.weights()[m])
            .sum();
        assert!((left / r(row + 1) - 1.0).abs() < 1e-12);
    }
    let explained: f64 = (0..4).map(|m| r(m + 1) * model.weights()[m]).sum();
    assert!((model.variance() / (r(0) - explained) - 1.0).abs() < 1e-9);
    assert!(model.is_stable().unwrap());
    let squares = fit(&series, 4, AutoregressiveMethod::LeastSquares);
    assert_ne!(squares.weights(), model.weights());
}

// 004:M07: stacked values are a Markov process; outside the unit circle they explode.
#[test]
fn the_companion_matrix_moves_values_on_and_tells_stability() {
    let model = AutoregressiveModel::new(array![0.5, 0.3, -0.2], 0.0, 1.0).unwrap();
    let moved = model.companion().dot(&array![3.0, 2.0, 1.0]);
    assert_eq!(moved, array![0.5 * 3.0 + 0.3 * 2.0 - 0.2, 3.0, 2.0]);
    let (means, _) = model.forecast(&[1.0, 2.0, 3.0], 2).unwrap();
    assert!((means[0] - moved[0]).abs() < 1e-15);
    assert!(model.is_stable().unwrap());
    let walk = AutoregressiveModel::new(array![1.0], 0.0, 1.0).unwrap();
    assert!(!walk.is_stable().unwrap());
    // A walk: the variance grows by σ² with every step.
    let (means, deviations) = walk.forecast(&[7.0], 9).unwrap();
    assert_eq!((means[8], deviations[8]), (7.0, 3.0));
    // A stable one with a constant tends to c / (1 − w).
    let stable = AutoregressiveModel::new(array![0.5], 3.0, 1.0).unwrap();
    assert!((stable.forecast(&[0.0], 60).unwrap().0[59] - 6.0).abs() < 1e-12);
}

// 004:M07: p weights need p equations, so one series needs 2p values; p + 1 are too few.
#[test]
fn too_short_series_are_refused_in_words() {
    let refused = |n: usize| {
        let series = Array2::from_shape_fn((n, 1), |(row, _)| (row as f64).sin());
        let lengths = [n];
        let model = Autoregressive {
            order: 3,
            fit_intercept: false,
            ..Autoregressive::default()
        };
        model.fit(Sequences::new(&series, &lengths).unwrap())
    };
    for n in [1, 4, 5] {
        let message = refused(n).unwrap_err().to_string();
        assert!(message.contains("lower order"), "{message}");
    }
    assert!(refused(6).is_ok());
    let model = AutoregressiveModel::new(array![0.5, 0.1], 0.0, 1.0).unwrap();
    assert!(model.forecast(&[1.0], 1).is_err());
    assert!(AutoregressiveModel::new(Array1::zeros(0), 0.0, 1.0).is_err());
    assert!(AutoregressiveModel::new(array![f64::NAN], 0.0, 1.0).is_err());
}

proptest! {
    // 001:RNN-12 004:M07: a drawn series gives its weights back within their standard errors.
    #[test]
    fn drawn_series_give_their_weights_back(seed in 0u64..40) {
        let model = AutoregressiveModel::new(array![0.6, -0.3], 1.0, 4.0).unwrap();
        let series = model.sample(&[0.0, 0.0], 2000, seed).unwrap();
        let items = Array2::from_shape_vec((2000, 1), series).unwrap();
        for method in [AutoregressiveMethod::LeastSquares, AutoregressiveMethod::YuleWalker] {
            let found = Autoregressive { order: 2, method, fit_intercept: true };
            let found = found.fit(Sequences::new(&items, &[2000]).unwrap()).unwrap();
            // Standard errors of about √((1 − w₂²)/n) = 0.021.
            prop_assert!((found.weights()[0] - 0.6).abs() < 0.12);
            prop_assert!((found.weights()[1] + 0.3).abs() < 0.12);
            prop_assert!((found.variance() / 4.0 - 1.0).abs() < 0.2);
        }
    }
}
