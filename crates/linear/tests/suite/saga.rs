//! Logistic and softmax regression by SAGA.

use didact_core::random::generator;
use didact_core::{
    Cancel, Classes, Csr, Error, Fit, Labelled, Labels, LearnInPieces, Run, Samples, StartFrom,
    StopReason,
};
use didact_linear::{ClassWeight, LogisticModel, LogisticRegression, Penalty, Solver};
use ndarray::{Array2, Axis, array};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

const PENALTIES: [Penalty; 4] = [Penalty::L2, Penalty::L1, Penalty::Elasticnet, Penalty::None];

fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut generator))
}

/// Noisy labels of `classes` classes that depend on the rows.
fn noisy(x: &Array2<f64>, classes: usize, seed: u64) -> Labels {
    let scores =
        x.dot(&random(x.ncols(), classes, seed)) + random(x.nrows(), classes, seed + 1) * 3.0;
    let best = |row: ndarray::ArrayView1<'_, f64>| {
        (0..classes)
            .max_by(|&a, &b| row[a].total_cmp(&row[b]))
            .unwrap()
    };
    Labels::from_indices(scores.rows().into_iter().map(best).collect())
}

/// Rows of which most values are zero.
fn thinned(mut x: Array2<f64>) -> Array2<f64> {
    x.mapv_inplace(|value| if value.abs() < 0.8 { 0.0 } else { value });
    x
}

fn saga(penalty: Penalty) -> LogisticRegression {
    LogisticRegression {
        penalty,
        solver: Solver::Saga,
        tol: 1e-10,
        ..LogisticRegression::default()
    }
}

/// The same problem for the solver that is chosen by itself, to the last digits.
fn reference(parameters: &LogisticRegression) -> LogisticRegression {
    LogisticRegression {
        solver: Solver::Auto,
        tol: 1e-14,
        ..parameters.clone()
    }
}

fn last(model: &LogisticModel) -> f64 {
    *model.history().objectives.last().unwrap()
}

#[track_caller]
fn assert_same_optimum(found: &LogisticModel, expected: &LogisticModel) {
    assert_eq!(found.history().stop, StopReason::Converged);
    let numbers = |model: &LogisticModel| -> Vec<f64> {
        let coef = model.coef().iter();
        coef.chain(model.intercept()).copied().collect()
    };
    for (a, b) in numbers(found).iter().zip(&numbers(expected)) {
        assert!((a - b).abs() <= 1e-6, "{a} {b}");
    }
    let (a, b) = (last(found), last(expected));
    assert!((a - b).abs() <= 1e-9 * b, "{a} {b}");
}

#[test]
fn saga_finds_the_optimum_of_the_other_solvers_for_every_penalty_dense_and_sparse() {
    let x = thinned(random(600, 5, 1));
    let sparse = Csr::from_dense(x.view());
    for classes in [2, 3] {
        let labels = noisy(&x, classes, 2);
        for penalty in PENALTIES {
            for fit_intercept in [true, false] {
                let parameters = LogisticRegression {
                    fit_intercept,
                    c: 0.1,
                    ..saga(penalty)
                };
                let data = |samples| Labelled::new(samples, &labels).unwrap();
                let expected = reference(&parameters).fit(data(Samples::from(&x))).unwrap();
                for samples in [Samples::from(&x), Samples::from(&sparse)] {
                    let found = parameters.fit(data(samples)).unwrap();
                    assert_same_optimum(&found, &expected);
                    let zeros = |model: &LogisticModel| {
                        model.coef().iter().map(|&w| w == 0.0).collect::<Vec<_>>()
                    };
                    assert_eq!(zeros(&found), zeros(&expected));
                }
            }
        }
    }
}

#[test]
fn weights_of_rows_and_classes_count_as_in_the_other_solvers() {
    let x = thinned(random(400, 4, 3));
    let sparse = Csr::from_dense(x.view());
    let weights: Vec<f64> = (0..400).map(|row| f64::from(row % 4) * 2.5).collect();
    for classes in [2, 3] {
        let labels = noisy(&x, classes, 4);
        for penalty in PENALTIES {
            let parameters = LogisticRegression {
                class_weight: ClassWeight::Balanced,
                ..saga(penalty)
            };
            let fit = |parameters: &LogisticRegression, sparse_rows: bool| {
                let samples = match sparse_rows {
                    true => Samples::from(&sparse),
                    false => Samples::from(&x),
                };
                let samples = samples.weighted(&weights).unwrap();
                parameters
                    .fit(Labelled::new(samples, &labels).unwrap())
                    .unwrap()
            };
            let expected = fit(&reference(&parameters), false);
            assert_same_optimum(&fit(&parameters, false), &expected);
            assert_same_optimum(&fit(&parameters, true), &expected);
        }
    }
}

#[test]
fn columns_of_any_unit_and_offset_have_the_same_optimum() {
    let x = random(500, 3, 5);
    let labels = noisy(&x, 2, 6);
    let mut moved = x.clone();
    for (j, (unit, offset)) in [(1e-4, 0.0), (1.0, 1e5), (1e4, 3.0)]
        .into_iter()
        .enumerate()
    {
        moved
            .column_mut(j)
            .mapv_inplace(|value| value * unit + offset);
    }
    let data = || Labelled::new(&moved, &labels).unwrap();
    let parameters = saga(Penalty::None);
    let (found, expected) = (
        parameters.fit(data()).unwrap(),
        reference(&parameters).fit(data()).unwrap(),
    );
    assert_eq!(found.history().stop, StopReason::Converged);
    for (a, b) in found.coef().iter().zip(expected.coef()) {
        assert!((a - b).abs() <= 1e-6 * b.abs(), "{a} {b}");
    }
    // Errors and tests of the weights come with it.
    let (a, b) = (found.inference().unwrap(), expected.inference().unwrap());
    for (a, b) in a.standard_errors().iter().zip(b.standard_errors()) {
        assert!((a - b).abs() <= 1e-6 * b);
    }
}

#[test]
fn real_measurements_have_the_optimum_of_the_other_solvers() {
    let cancer = didact_datasets::breast_cancer();
    let mut x = cancer.features().to_owned();
    for mut column in x.columns_mut() {
        let (mean, deviation) = (column.mean().unwrap(), column.std(0.0));
        column.mapv_inplace(|value| (value - mean) / deviation);
    }
    let labels = cancer.labels().unwrap();
    for penalty in [Penalty::L2, Penalty::L1, Penalty::Elasticnet] {
        let parameters = LogisticRegression {
            c: 0.1,
            max_iter: 20_000,
            ..saga(penalty)
        };
        let data = || Labelled::new(&x, labels).unwrap();
        let found = parameters.fit(data()).unwrap();
        assert_same_optimum(&found, &reference(&parameters).fit(data()).unwrap());
    }
}

// Rows of a few words out of many: most weights are never looked at in most steps.
#[test]
fn short_rows_of_many_columns_have_the_same_optimum() {
    let (n, d) = (400, 2000);
    let mut draw = generator(7, 0);
    let mut x = Array2::<f64>::zeros((n, d));
    let mut indices = Vec::new();
    for mut row in x.rows_mut() {
        let label = usize::from(draw.random::<f64>() < 0.4);
        for _ in 0..8 {
            let word = (draw.random::<f64>().powi(3) * d as f64) as usize;
            row[word] += 1.0;
        }
        row[if draw.random::<f64>() < 0.8 {
            label
        } else {
            1 - label
        }] += 1.0;
        indices.push(label);
    }
    let (sparse, labels) = (Csr::from_dense(x.view()), Labels::from_indices(indices));
    for penalty in [Penalty::L2, Penalty::L1, Penalty::Elasticnet] {
        let parameters = LogisticRegression {
            max_iter: 20_000,
            ..saga(penalty)
        };
        let data = || Labelled::new(Samples::from(&sparse), &labels).unwrap();
        let found = parameters.fit(data()).unwrap();
        let expected = reference(&parameters).fit(data()).unwrap();
        assert_same_optimum(&found, &expected);
    }
}

// Steps along single rows need not lead down, but epochs do, until nothing is left to gain.
#[test]
fn the_objective_falls_from_epoch_to_epoch_until_it_is_the_least() {
    let x = random(800, 4, 8);
    for classes in [2, 3] {
        let labels = noisy(&x, classes, 9);
        let data = || Labelled::new(&x, &labels).unwrap();
        for penalty in PENALTIES {
            let least = last(&reference(&saga(penalty)).fit(data()).unwrap());
            let model = saga(penalty).fit(data()).unwrap();
            let objectives = &model.history().objectives;
            let reached = |objective: f64| objective <= least * (1.0 + 1e-9);
            assert!(objectives.iter().filter(|&&each| !reached(each)).count() > 5);
            for pair in objectives.windows(2) {
                let falls = pair[1] < pair[0] || (reached(pair[0]) && reached(pair[1]));
                assert!(falls, "{objectives:?}");
            }
        }
    }
}

#[test]
fn the_duality_gap_bounds_what_is_missing() {
    let x = random(300, 4, 10);
    for classes in [2, 3] {
        let labels = noisy(&x, classes, 11);
        let data = || Labelled::new(&x, &labels).unwrap();
        for penalty in [Penalty::L2, Penalty::L1, Penalty::Elasticnet] {
            let least = last(&reference(&saga(penalty)).fit(data()).unwrap());
            for max_iter in [1, 3, 10] {
                let short = LogisticRegression {
                    max_iter,
                    ..saga(penalty)
                };
                let model = short.fit(data()).unwrap();
                assert_eq!(model.history().stop, StopReason::IterationLimit);
                assert_eq!(model.history().n_iter(), max_iter);
                let missing = last(&model) - least;
                assert!(missing > 0.0 && model.duality_gap().unwrap() >= missing);
            }
            let model = saga(penalty).fit(data()).unwrap();
            assert!(model.duality_gap().unwrap() <= 1e-9 * least);
        }
        assert!(
            saga(Penalty::None)
                .fit(data())
                .unwrap()
                .duality_gap()
                .is_none()
        );
    }
}

#[test]
fn the_same_rows_give_the_same_bits_on_any_number_of_threads() {
    let x = thinned(random(9000, 5, 12));
    let sparse = Csr::from_dense(x.view());
    let labels = noisy(&x, 3, 13);
    let short = LogisticRegression {
        max_iter: 5,
        ..saga(Penalty::Elasticnet)
    };
    for samples in [Samples::from(&x), Samples::from(&sparse)] {
        let fit = |threads: usize| {
            let run = Run::new().threads(threads);
            let data = Labelled::new(samples.clone(), &labels).unwrap();
            short.fit_with(data, &run).unwrap()
        };
        let first = fit(1);
        assert!(first == fit(1) && first == fit(2));
    }
}

#[test]
fn saga_reports_separable_classes() {
    let iris = didact_datasets::iris();
    let two = Labels::from_indices((0..150).map(|row| usize::from(row >= 50)).collect());
    let model = saga(Penalty::None)
        .fit(Labelled::new(iris.features(), &two).unwrap())
        .unwrap();
    assert_eq!(model.history().stop, StopReason::Separable);
    let corners = array![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let three = Labels::from_indices(vec![0, 1, 2]);
    let model = saga(Penalty::None)
        .fit(Labelled::new(&corners, &three).unwrap())
        .unwrap();
    assert_eq!(model.history().stop, StopReason::Separable);
    // A price of any kind has a finite minimum.
    for penalty in [Penalty::L2, Penalty::L1] {
        let model = saga(penalty)
            .fit(Labelled::new(&corners, &three).unwrap())
            .unwrap();
        assert_eq!(model.history().stop, StopReason::Converged);
    }
}

#[test]
fn a_fit_goes_on_from_the_weights_of_another() {
    let x = random(300, 4, 14);
    for classes in [2, 3] {
        let labels = noisy(&x, classes, 15);
        let data = || Labelled::new(&x, &labels).unwrap();
        for penalty in PENALTIES {
            let parameters = saga(penalty);
            let whole = parameters.fit(data()).unwrap();
            let again = parameters.fit_from(&whole, data()).unwrap();
            assert_eq!(again.history().stop, StopReason::Converged);
            assert!(
                again.history().n_iter() <= 1,
                "{}",
                again.history().n_iter()
            );
            let short = LogisticRegression {
                max_iter: 3,
                ..parameters.clone()
            };
            let begun = short.fit(data()).unwrap();
            let rest = parameters.fit_from(&begun, data()).unwrap();
            assert_same_optimum(&rest, &whole);
            assert!(rest.history().objectives[0] < last(&begun));
        }
    }
}

#[test]
fn cancelling_is_heard_within_an_epoch_and_between_epochs() {
    let x = random(2000, 3, 16);
    let labels = noisy(&x, 2, 17);
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let run = Run::new()
        .cancelled_by(&cancel)
        .observed_by(move |_| switch.cancel());
    let result = saga(Penalty::L2).fit_with(Labelled::new(&x, &labels).unwrap(), &run);
    assert!(matches!(result, Err(Error::Cancelled)));
    // A single epoch over wide rows that would take minutes.
    let (wide, n) = (Array2::<f64>::ones((4000, 3000)), 4000);
    let wide = wide * &random(1, 3000, 18);
    let labels = Labels::from_indices((0..n).map(|row| row % 40).collect());
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let run = Run::new().cancelled_by(&cancel);
    let begun = std::time::Instant::now();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        switch.cancel();
    });
    let result = saga(Penalty::L2).fit_with(Labelled::new(&wide, &labels).unwrap(), &run);
    stopper.join().unwrap();
    assert!(matches!(result, Err(Error::Cancelled)));
    assert!(begun.elapsed().as_secs_f64() < 5.0, "{:?}", begun.elapsed());
}

#[test]
fn saga_gives_awkward_data_a_defined_answer() {
    for penalty in PENALTIES {
        // A constant and a duplicated column.
        let x = array![
            [1.0, 0.1, 1.0],
            [2.0, 0.1, 2.0],
            [3.0, 0.1, 3.0],
            [4.0, 0.1, 4.0]
        ];
        let labels = Labels::from_indices(vec![0, 1, 0, 1]);
        let model = saga(penalty)
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        assert_eq!(model.coef()[[0, 1]], 0.0);
        assert!(model.coef().iter().all(|w| w.is_finite()));
        // Only constant columns: the base rate remains.
        let labels = Labels::from_indices(vec![0, 1, 1]);
        let x = array![[3.0], [3.0], [3.0]];
        let model = saga(penalty)
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        assert!((model.intercept()[0] - 2.0_f64.ln()).abs() < 1e-7);
        assert!(matches!(
            saga(penalty).fit(
                Labelled::new(
                    &array![[1e300], [-1e300]],
                    &Labels::from_indices(vec![0, 1])
                )
                .unwrap()
            ),
            Err(Error::Numerical(_))
        ));
    }
    // Empty sparse rows, and a class without rows.
    let x = Array2::<f64>::zeros((6, 2));
    let sparse = Csr::from_dense(x.view());
    let classes = Classes::new(["a", "b", "c"]);
    let labels = [0, 2, 2, 0, 2, 2];
    let data = Labelled::from_parts(Samples::from(&sparse), &labels, &classes).unwrap();
    let model = saga(Penalty::L1).fit(data).unwrap();
    assert!((model.intercept()[0] - 2.0_f64.ln()).abs() < 1e-7);
    assert_eq!(model.coef().sum_axis(Axis(0)), array![0.0, 0.0]);
}

#[test]
fn what_it_cannot_do_is_said() {
    let x = random(20, 2, 19);
    let labels = noisy(&x, 2, 20);
    let newton = LogisticRegression {
        solver: Solver::Newton,
        ..saga(Penalty::L1)
    };
    let error = newton.fit(Labelled::new(&x, &labels).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "solver is newton; with the penalties l1 and elasticnet it must be auto or saga"
    );
    let error = LearnInPieces::<Labelled<'static>>::start(&saga(Penalty::L2)).unwrap_err();
    assert!(error.to_string().contains("needs all rows at once"));
}
