//! The descent: batches, threads, schedules, what is left out at random.

use crate::mlp::standardised;
use didact_core::{
    Cancel, Error, Fit, Labelled, Labels, Measured, Model, Run, StartFrom, StopReason,
};
use didact_neural::{Activation, Head, LearningRate, Mlp, Network, Solver};
use didact_testing::random_matrix;
use ndarray::{Array2, s};
use std::time::Instant;

fn plain() -> Mlp {
    Mlp {
        hidden_layer_sizes: vec![4],
        activation: Activation::Tanh,
        solver: Solver::Sgd,
        momentum: 0.0,
        nesterovs_momentum: false,
        learning_rate_init: 0.1,
        alpha: 0.3,
        shuffle: false,
        max_iter: 1,
        ..Mlp::default()
    }
}

// 000b:D28 000b:D29 004:M67: batches of one are sample by sample, batches of all are gradient
// descent, and a last short batch is divided by its own size. Hidden gradients use the old
// weights and biases move too: each step is one gradient of the whole network.
#[test]
fn a_pass_takes_one_step_for_each_batch() {
    let x = random_matrix(5, 2, 1);
    let y: Vec<f64> = x.column(0).to_vec();
    let data = || Measured::new(&x, &y).unwrap();
    let start = plain().fit(data()).unwrap();
    for batch_size in [1, 2, 5] {
        let mlp = Mlp {
            batch_size: Some(batch_size),
            ..plain()
        };
        let found = mlp.fit_from(&start, data()).unwrap();
        let mut network: Network = start.network().clone();
        let target = Array2::from_shape_vec((5, 1), y.clone()).unwrap();
        for from in (0..5).step_by(batch_size) {
            let to = (from + batch_size).min(5);
            let (rows, targets) = (x.slice(s![from..to, ..]), target.slice(s![from..to, ..]));
            let lambda = 0.3 / (to - from) as f64;
            let (_, gradient) = network.loss_and_gradient(rows, targets, lambda).unwrap();
            let moved = network
                .parameters()
                .iter()
                .zip(&gradient)
                .map(|(w, g)| w - 0.1 * g);
            network = network.clone().with_parameters(moved.collect()).unwrap();
        }
        let pairs = found
            .network()
            .parameters()
            .iter()
            .zip(network.parameters());
        for (found, expected) in pairs {
            // Learning is in single precision.
            assert!((found - expected).abs() < 2e-6, "batches of {batch_size}");
        }
    }
}

// 004:M67: the error decreases for small steps.
#[test]
fn the_loss_of_gradient_descent_falls_in_every_pass() {
    let x = random_matrix(30, 2, 3);
    let y: Vec<f64> = x.rows().into_iter().map(|x| x[0] * x[1]).collect();
    let mlp = Mlp {
        batch_size: Some(30),
        learning_rate_init: 0.02,
        max_iter: 60,
        tol: 0.0,
        ..plain()
    };
    let model = mlp.fit(Measured::new(&x, &y).unwrap()).unwrap();
    let losses = &Model::trace(&model).unwrap().objectives;
    assert!(losses.windows(2).all(|pair| pair[1] < pair[0]));
}

// 000b:D30: the same result whatever the number of threads, because the pieces of a batch are cut
// by the network alone and summed in a fixed order.
#[test]
fn gradients_of_a_batch_are_summed_in_a_fixed_order_whatever_the_number_of_threads() {
    let x = random_matrix(3000, 20, 4);
    let labels = Labels::from_indices(
        (0..3000)
            .map(|row| usize::from(x[[row, 0]] > 0.0) + usize::from(x[[row, 1]] > 0.5))
            .collect(),
    );
    for solver in [Solver::Adam, Solver::Lbfgs] {
        let mlp = Mlp {
            hidden_layer_sizes: vec![64, 32],
            dropout: if solver == Solver::Adam { 0.2 } else { 0.0 },
            batch_size: Some(2500),
            max_iter: 3,
            solver,
            ..Mlp::default()
        };
        let fit = |threads| {
            let run = Run::new().threads(threads);
            let model = mlp
                .fit_with(Labelled::new(&x, &labels).unwrap(), &run)
                .unwrap();
            let bits = model.network().parameters().iter().map(|w| w.to_bits());
            bits.collect::<Vec<u64>>()
        };
        let one = fit(1);
        for threads in [2, 3, 4] {
            assert!(fit(threads) == one, "{solver:?} on {threads} threads");
        }
    }
}

// 000b:D30: matrix products make mini-batches faster than single rows.
#[test]
fn mini_batches_learn_from_more_rows_a_second_than_single_rows() {
    let x = random_matrix(2000, 64, 5);
    let y: Vec<f64> = x.column(0).to_vec();
    let rate = |batch_size: usize| {
        let mlp = Mlp {
            hidden_layer_sizes: vec![128, 64],
            batch_size: Some(batch_size),
            max_iter: 1,
            ..Mlp::default()
        };
        // The best of several tries: others use the machine as well.
        let tries = (0..3).map(|_| {
            let started = Instant::now();
            mlp.fit_with(Measured::new(&x, &y).unwrap(), &Run::new().threads(1))
                .unwrap();
            2000.0 / started.elapsed().as_secs_f64()
        });
        tries.fold(0.0, f64::max)
    };
    let (single, batch) = (rate(1), rate(100));
    assert!(
        batch > 2.0 * single,
        "{single:.0} and {batch:.0} rows a second"
    );
}

#[test]
fn schedules_shorten_the_steps() {
    let x = random_matrix(80, 3, 6);
    let y: Vec<f64> = x.rows().into_iter().map(|x| x[0] - x[2]).collect();
    let fit = |learning_rate| {
        let mlp = Mlp {
            learning_rate,
            max_iter: 3000,
            learning_rate_init: 0.05,
            alpha: 0.0,
            momentum: 0.9,
            shuffle: true,
            batch_size: Some(10),
            ..plain()
        };
        let model = mlp.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let trace = Model::trace(&model).unwrap().clone();
        (trace.n_iter(), trace.stop, model.loss())
    };
    let (constant, adaptive) = (fit(LearningRate::Constant), fit(LearningRate::Adaptive));
    assert_eq!(constant.1, StopReason::Converged);
    assert_eq!(adaptive.1, StopReason::Converged);
    // Where steps of one length stop, shorter ones go on.
    assert!(adaptive.0 > constant.0 && adaptive.2 <= constant.2 * 1.001);
    let (_, _, slow) = fit(LearningRate::Invscaling);
    assert!(slow.is_finite());
}

#[test]
fn dropout_changes_what_is_learned_but_not_how_it_answers() {
    let iris = didact_datasets::iris();
    let (x, labels) = (standardised(iris.features()), iris.labels().unwrap());
    let fit = |dropout| {
        let mlp = Mlp {
            dropout,
            max_iter: 100,
            learning_rate_init: 0.01,
            ..Mlp::default()
        };
        mlp.fit(Labelled::new(&x, labels).unwrap()).unwrap()
    };
    let (whole, dropped) = (fit(0.0), fit(0.5));
    assert_ne!(whole.network().parameters(), dropped.network().parameters());
    let first = dropped.network().outputs(x.view()).unwrap();
    assert_eq!(first, dropped.network().outputs(x.view()).unwrap());
    let right = (0..150).filter(|&row| {
        let row_outputs = first.row(row);
        let best = (0..3)
            .max_by(|&a, &b| row_outputs[a].total_cmp(&row_outputs[b]))
            .unwrap();
        best == labels.indices[row]
    });
    assert!(right.count() > 135);
}

#[test]
fn a_cancelled_run_stops_in_the_middle() {
    let x = random_matrix(2000, 10, 7);
    let y: Vec<f64> = x.column(0).to_vec();
    for solver in [Solver::Adam, Solver::Lbfgs] {
        let cancel = Cancel::new();
        let switch = cancel.clone();
        let run = Run::new()
            .cancelled_by(&cancel)
            .observed_by(move |progress| {
                if progress.iteration == 2 {
                    switch.cancel();
                }
            });
        let mlp = Mlp {
            solver,
            ..Mlp::default()
        };
        let result = mlp.fit_with(Measured::new(&x, &y).unwrap(), &run);
        assert!(matches!(result, Err(Error::Cancelled)), "{solver:?}");
    }
}

#[test]
fn random_weights_are_scaled_by_the_sizes_of_the_layers() {
    let network = Network::random(&[30, 50, 10], Activation::Tanh, Head::REGRESSION, 3).unwrap();
    let bound = (6.0_f64 / 80.0).sqrt();
    let largest = network
        .weights(0)
        .unwrap()
        .iter()
        .fold(0.0_f64, |m, w| m.max(w.abs()));
    assert!(largest <= bound && largest > 0.95 * bound);
    let logistic =
        Network::random(&[30, 50, 10], Activation::Logistic, Head::REGRESSION, 3).unwrap();
    let largest = logistic
        .weights(0)
        .unwrap()
        .iter()
        .fold(0.0_f64, |m, w| m.max(w.abs()));
    assert!(largest <= (2.0_f64 / 80.0).sqrt());
}
