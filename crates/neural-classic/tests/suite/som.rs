//! Self-organising maps.

use didact_core::random::generator;
use didact_core::{Assign, Fit, Invert, Model, Run, Samples, StopReason, Transform};
use didact_neural_classic::{
    Decay, Neighbourhood, PresentationOrder, Som, SomInit, SomModel, SomTraining, Topology, Winner,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, Axis, array};
use rand::RngExt;

fn online() -> Som {
    Som {
        training: SomTraining::Online,
        ..Som::default()
    }
}

fn uniform(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((n, d), |_| generator.random::<f64>())
}

fn fit(som: &Som, rows: &Array2<f64>) -> SomModel {
    som.fit(Samples::from(rows)).unwrap()
}

// 002b:SM-01: with the printed (x − wⁱ) of the winner i the second node would move away, to
// 10 + η·h·(1 − 0) > 10; it moves towards x from its own weight.
#[test]
fn every_node_moves_towards_the_row_from_its_own_weight() {
    let som = Som {
        grid_rows: 1,
        grid_columns: 2,
        epochs: 1,
        sigma: Some(1.0),
        init_weights: Some(vec![vec![0.0], vec![10.0]]),
        ..online()
    };
    let model = fit(&som, &array![[1.0]]);
    let h = (-0.5_f64).exp();
    let expected = array![[0.5], [10.0 + 0.5 * h * (1.0 - 10.0)]];
    assert_close(&model.weights(), &expected, 1e-15);
}

// 002b:SM-01: h = 1 at the winner alone is on-line k-means.
#[test]
fn a_neighbourhood_of_the_winner_alone_is_online_k_means() {
    let rows = random_matrix(60, 3, 1);
    let start = random_matrix(4, 3, 2);
    let som = Som {
        grid_rows: 2,
        grid_columns: 2,
        epochs: 2,
        neighbourhood: Neighbourhood::Bubble,
        sigma: Some(0.5),
        decay: Decay::Linear,
        order: PresentationOrder::Sequential,
        init_weights: Some(start.rows().into_iter().map(|row| row.to_vec()).collect()),
        ..online()
    };
    let mut centers = start;
    for step in 0..120 {
        let row = rows.row(step % 60);
        let rate = 0.5 + (0.01 - 0.5) * step as f64 / 120.0;
        let distance = |k: &usize| (&row - &centers.row(*k)).mapv(|x| x * x).sum();
        let winner = (0..4)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap();
        let moved = &centers.row(winner) + &((&row - &centers.row(winner)) * rate);
        centers.row_mut(winner).assign(&moved);
    }
    assert_close(&fit(&som, &rows).weights(), &centers, 1e-12);
}

#[test]
fn a_batch_of_winners_alone_is_a_step_of_k_means() {
    let rows = random_matrix(90, 2, 3);
    let start = random_matrix(4, 2, 4);
    let som = Som {
        grid_rows: 1,
        grid_columns: 4,
        epochs: 1,
        neighbourhood: Neighbourhood::Bubble,
        sigma: Some(0.5),
        init_weights: Some(start.rows().into_iter().map(|row| row.to_vec()).collect()),
        ..Som::default()
    };
    let nearest = |row: usize| {
        let distance = |k: &usize| (&rows.row(row) - &start.row(*k)).mapv(|x| x * x).sum();
        (0..4)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap()
    };
    let mut expected = start.clone();
    for k in 0..4 {
        let members: Vec<usize> = (0..90).filter(|&row| nearest(row) == k).collect();
        let mean = rows.select(Axis(0), &members).mean_axis(Axis(0)).unwrap();
        expected.row_mut(k).assign(&mean);
    }
    assert_close(&fit(&som, &rows).weights(), &expected, 1e-12);
}

// 002b:SM-01: a plane unfolds over a square, row by row and in batches.
#[test]
fn a_grid_unfolds_over_a_square_from_random_weights() {
    let rows = uniform(1500, 2, 5);
    for topology in [Topology::Rectangular, Topology::Hexagonal] {
        for training in [SomTraining::Batch, SomTraining::Online] {
            let som = Som {
                grid_rows: 7,
                grid_columns: 7,
                topology,
                training,
                init: SomInit::Random,
                random_state: 3,
                ..Som::default()
            };
            let untrained = fit(
                &Som {
                    training: SomTraining::Online,
                    max_iter: 1,
                    learning_rate: 1e-9,
                    final_learning_rate: 1e-9,
                    ..som.clone()
                },
                &rows,
            );
            let model = fit(&som, &rows);
            assert!(untrained.topographic_error() > 0.7);
            assert!(
                model.topographic_error() < 0.1,
                "{}",
                model.topographic_error()
            );
            // A square cut into 49 squares has the mean distance 0.3826·(1/7) = 0.0547 to their
            // middles, which no other 49 points beat by much.
            assert!(
                model.quantization_error() < 0.062,
                "{}",
                model.quantization_error()
            );
            assert!(model.hits().iter().all(|&hits| hits > 0.0));
        }
    }
}

// 002b:SM-03: the largest product is the smallest distance where all weights have one length.
#[test]
fn product_and_distance_agree_on_weights_of_length_one_only() {
    let rows = random_matrix(200, 3, 6);
    let som = |winner, normalise| Som {
        winner,
        normalise,
        epochs: 5,
        init: SomInit::Rows,
        ..Som::default()
    };
    let by_distance = fit(&som(Winner::Distance, true), &rows);
    let by_product = fit(&som(Winner::DotProduct, true), &rows);
    assert_eq!(by_distance.labels(), by_product.labels());
    assert_close(&by_distance.weights(), &by_product.weights(), 1e-12);
    let by_distance = fit(&som(Winner::Distance, false), &rows);
    let by_product = fit(&som(Winner::DotProduct, false), &rows);
    assert_ne!(by_distance.labels(), by_product.labels());
}

// 002b:SM-04
#[test]
fn a_normalised_map_sees_directions_only() {
    let rows = random_matrix(150, 3, 7);
    let mut stretched = rows.clone();
    for (index, mut row) in stretched.rows_mut().into_iter().enumerate() {
        row *= 0.5 + index as f64;
    }
    for training in [SomTraining::Batch, SomTraining::Online] {
        let som = Som {
            normalise: true,
            training,
            ..Som::default()
        };
        let model = fit(&som, &rows);
        for weights in model.weights().rows() {
            assert!((weights.dot(&weights).sqrt() - 1.0).abs() < 1e-12);
        }
        assert_eq!(
            model.predict(&rows).unwrap(),
            model.predict(&stretched).unwrap()
        );
        assert_close(&fit(&som, &stretched).weights(), &model.weights(), 1e-6);
    }
}

// 002b:SM-06: a start on the plane of the data is a better start than a random one.
#[test]
fn a_structured_start_needs_fewer_passes() {
    let mut rows = uniform(600, 2, 8);
    rows.column_mut(0).mapv_inplace(|x| 4.0 * x);
    let passes = |init| {
        (1..40)
            .find(|&epochs| {
                let som = Som {
                    grid_rows: 4,
                    grid_columns: 12,
                    init,
                    epochs,
                    sigma: Some(1.0),
                    learning_rate: 0.05,
                    ..online()
                };
                fit(&som, &rows).topographic_error() < 0.08
            })
            .unwrap_or(40)
    };
    let (structured, random) = (passes(SomInit::Plane), passes(SomInit::Random));
    assert!(
        structured * 2 <= random,
        "{structured} passes against {random}"
    );
}

// 002b:SM-07: the whole rule with its schedules, step by step.
#[test]
fn rate_and_width_follow_their_schedules_row_by_row() {
    let rows = random_matrix(40, 2, 9);
    let start = random_matrix(6, 2, 10);
    let som = Som {
        grid_rows: 2,
        grid_columns: 3,
        epochs: 3,
        sigma: Some(1.5),
        final_sigma: 0.5,
        learning_rate: 0.6,
        final_learning_rate: 0.2,
        decay: Decay::Hyperbolic,
        order: PresentationOrder::Sequential,
        init_weights: Some(start.rows().into_iter().map(|row| row.to_vec()).collect()),
        ..online()
    };
    let mut weights = start;
    for step in 0..120 {
        let row = rows.row(step % 40);
        // a/(1 + 2t/T), which is MiniSom's rule: both values end at a third.
        let fading = 1.0 + 2.0 * step as f64 / 120.0;
        let (rate, sigma) = (0.6 / fading, 1.5 / fading);
        let distance = |k: &usize| (&row - &weights.row(*k)).mapv(|x| x * x).sum();
        let winner = (0..6)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap();
        for k in 0..6 {
            let down = (k / 3) as f64 - (winner / 3) as f64;
            let right = (k % 3) as f64 - (winner % 3) as f64;
            let h = (-(down * down + right * right) / (2.0 * sigma * sigma)).exp();
            let moved = &weights.row(k) + &((&row - &weights.row(k)) * (rate * h));
            weights.row_mut(k).assign(&moved);
        }
    }
    assert_close(&fit(&som, &rows).weights(), &weights, 1e-12);
}

// 002b:SM-08: slow sweeps from left to right leave the map where the last one ended.
#[test]
fn rows_in_sequence_clump_the_map_and_a_buffer_mends_it() {
    let sweeps = Array2::from_shape_fn((4000, 1), |(row, _)| (row % 2000) as f64 / 2000.0);
    let error = |order| {
        let som = Som {
            grid_rows: 1,
            grid_columns: 10,
            epochs: 1,
            sigma: Some(1.0),
            final_learning_rate: 0.2,
            order,
            buffer: 2000,
            ..online()
        };
        fit(&som, &sweeps).quantization_error()
    };
    let [random, sequential, buffered] = [
        PresentationOrder::Random,
        PresentationOrder::Sequential,
        PresentationOrder::Buffered,
    ]
    .map(error);
    assert!(sequential > 3.0 * random, "{sequential} against {random}");
    assert!(buffered < 1.5 * random, "{buffered} against {random}");
}

// 002b:SM-09
#[test]
fn a_map_that_learns_while_it_runs_follows_a_drift() {
    let rows = random_matrix(300, 2, 11);
    let mut model = fit(&Som::default(), &rows);
    let moved = &rows + 10.0;
    let distance = |model: &SomModel| {
        let restored = model
            .inverse_transform(&model.transform(&moved).unwrap().into_dense())
            .unwrap();
        (&restored - &moved)
            .mapv(|x| x * x)
            .sum_axis(Axis(1))
            .mapv(f64::sqrt)
            .mean()
            .unwrap()
    };
    let before = distance(&model);
    for row in moved.rows() {
        model
            .keep_learning(row.as_slice().unwrap(), 0.2, 2.0)
            .unwrap();
    }
    let after = distance(&model);
    assert!(before > 8.0 && after < 1.0, "{before} to {after}");
    assert!(model.keep_learning(&[0.0], 0.2, 2.0).is_err());
    assert!(model.keep_learning(&[0.0, f64::NAN], 0.2, 2.0).is_err());
    assert!(model.keep_learning(&[0.0, 0.0], 0.0, 2.0).is_err());
    assert!(model.keep_learning(&[0.0, 0.0], 0.2, f64::NAN).is_err());
}

#[test]
fn there_and_back_is_quantisation() {
    let rows = random_matrix(100, 4, 12);
    let model = fit(&Som::default(), &rows);
    let places = model.transform(&rows).unwrap().into_dense();
    let restored = model.inverse_transform(&places).unwrap();
    assert_eq!(restored, model.weights().select(Axis(0), model.labels()));
    let labels: Vec<Option<usize>> = model.labels().iter().copied().map(Some).collect();
    assert_eq!(model.predict(&rows).unwrap(), labels);
    let mean = (&restored - &rows)
        .mapv(|x| x * x)
        .sum_axis(Axis(1))
        .mapv(f64::sqrt)
        .mean()
        .unwrap();
    assert!((mean - model.quantization_error()).abs() < 1e-12);
}

#[test]
fn stopping_early_walks_the_same_path() {
    let rows = random_matrix(80, 3, 13);
    for som in [Som::default(), online()] {
        let whole = fit(&som, &rows);
        let part = fit(&Som { max_iter: 4, ..som }, &rows);
        let trace = |model: &SomModel| model.trace().unwrap().clone();
        assert_eq!(trace(&part).objectives, trace(&whole).objectives[..4]);
        assert_eq!(trace(&part).stop, StopReason::IterationLimit);
        assert_eq!(trace(&whole).stop, StopReason::Converged);
    }
}

#[test]
fn threads_do_not_change_a_bit_of_the_map() {
    let rows = random_matrix(9000, 4, 14);
    let som = Som {
        epochs: 3,
        ..Som::default()
    };
    let model = |threads| {
        let run = Run::new().threads(threads);
        run.install(|| som.fit_with(Samples::from(&rows), &run))
            .unwrap()
    };
    assert_eq!(model(1), model(2));
}

#[test]
fn extreme_units_give_the_map_of_usual_ones() {
    let rows = random_matrix(60, 3, 15);
    let usual = fit(&Som::default(), &rows);
    for unit in [2.0_f64.powi(980), 2.0_f64.powi(-700)] {
        let model = fit(&Som::default(), &(&rows * unit));
        assert_eq!(model.labels(), usual.labels());
        assert_close(&(model.weights() / unit), &usual.weights(), 1e-12);
        let labels: Vec<Option<usize>> = usual.labels().iter().copied().map(Some).collect();
        assert_eq!(model.predict(&(&rows * unit)).unwrap(), labels);
    }
}

#[test]
fn awkward_rows_give_finite_maps() {
    let inputs = [
        array![[3.0, 4.0]],
        Array2::zeros((40, 2)),
        Array2::from_elem((40, 3), 2.5),
        array![[1.0], [1.0], [2.0]],
        random_matrix(5, 40, 16),
        random_matrix(50, 2, 17) + 1e8,
    ];
    for rows in inputs {
        for training in [SomTraining::Batch, SomTraining::Online] {
            for init in [SomInit::Plane, SomInit::Rows, SomInit::Random] {
                for normalise in [false, true] {
                    let som = Som {
                        training,
                        init,
                        normalise,
                        ..Som::default()
                    };
                    let model = fit(&som, &rows);
                    assert!(model.weights().iter().all(|value| value.is_finite()));
                    assert!(model.quantization_error().is_finite());
                    model.validate().unwrap();
                }
            }
        }
    }
}

#[test]
fn first_weights_that_do_not_fit_and_vast_grids_are_refused() {
    let som = Som {
        init_weights: Some(vec![vec![0.0, 0.0]; 35]),
        ..Som::default()
    };
    let error = som.fit(Samples::from(&array![[0.0, 1.0]])).unwrap_err();
    assert!(error.to_string().contains("init_weights"), "{error}");
    let vast = Som {
        grid_rows: 200,
        grid_columns: 200,
        ..Som::default()
    };
    let error = vast.fit(Samples::from(&array![[0.0, 1.0]])).unwrap_err();
    assert!(error.to_string().contains("grid_rows is 200"), "{error}");
}

// Valleys of the distance map are groups, ridges the borders between them.
#[test]
fn the_distance_map_has_a_ridge_between_two_groups() {
    let mut rows = random_matrix(200, 2, 18) * 0.3;
    for mut row in rows.rows_mut().into_iter().take(100) {
        row += 5.0;
    }
    let som = Som {
        grid_rows: 1,
        grid_columns: 12,
        final_sigma: 0.3,
        ..Som::default()
    };
    let ridge = fit(&som, &rows).distance_map();
    let inner = ridge
        .iter()
        .enumerate()
        .filter(|(node, _)| (4..8).contains(node));
    let rim = ridge
        .iter()
        .enumerate()
        .filter(|(node, _)| !(4..8).contains(node));
    let most = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
    assert!(most(inner.map(|(_, v)| *v).collect()) > 2.0 * most(rim.map(|(_, v)| *v).collect()));
}
