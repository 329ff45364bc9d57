//! Awkward data, threads and cancellation.

use didact_core::{Cancel, Error, Fit, Measured, Model, Regress, Run, encoding};
use didact_gaussian_process::{CovarianceKernel, GaussianProcessRegressor, ProcessCriterion};
use didact_testing::random_matrix;
use ndarray::{Array2, Axis, concatenate, s};
use std::time::{Duration, Instant};

fn methods() -> Vec<GaussianProcessRegressor> {
    let default = GaussianProcessRegressor::default();
    let mut list = vec![
        default.clone(),
        GaussianProcessRegressor {
            anisotropic: true,
            ..default.clone()
        },
        GaussianProcessRegressor {
            criterion: ProcessCriterion::LeaveOneOut,
            ..default.clone()
        },
        GaussianProcessRegressor {
            normalize_y: true,
            ..default.clone()
        },
        GaussianProcessRegressor {
            optimize: false,
            noise: 0.0,
            ..default.clone()
        },
        GaussianProcessRegressor {
            n_inducing: Some(7),
            ..default.clone()
        },
        GaussianProcessRegressor {
            kernel: CovarianceKernel::Linear,
            anisotropic: true,
            ..default.clone()
        },
    ];
    list.push(GaussianProcessRegressor {
        kernel: CovarianceKernel::Linear,
        n_inducing: Some(5),
        ..default.clone()
    });
    for kernel in [
        CovarianceKernel::Exponential,
        CovarianceKernel::Matern32,
        CovarianceKernel::Matern52,
        CovarianceKernel::RationalQuadratic,
        CovarianceKernel::Linear,
    ] {
        list.push(GaussianProcessRegressor {
            kernel,
            ..default.clone()
        });
    }
    list
}

fn awkward_rows() -> Vec<(&'static str, Array2<f64>)> {
    let usual = random_matrix(40, 3, 1);
    let mut columns = usual.clone();
    columns.column_mut(0).mapv_inplace(|value| value * 1e150);
    columns.column_mut(1).mapv_inplace(|value| value * 1e-150);
    let mut outlier = usual.clone();
    outlier[[7, 1]] = 1e12;
    let half = usual.slice(s![..20, ..]);
    vec![
        ("one row", usual.slice(s![..1, ..]).to_owned()),
        ("two rows", usual.slice(s![..2, ..]).to_owned()),
        ("constant", Array2::from_elem((30, 3), 2.5)),
        ("zero", Array2::zeros((30, 2))),
        ("twice", concatenate(Axis(0), &[half, half]).unwrap()),
        ("wide", random_matrix(12, 40, 2)),
        ("far", &usual + 1e8),
        ("tiny", &usual * 1e-200),
        ("huge", &usual * 1e300),
        ("huge and tiny", columns),
        ("outlier", outlier),
    ]
}

#[test]
fn awkward_rows_give_finite_predictions_or_a_clear_error() {
    for (what, x) in awkward_rows() {
        for y in [
            (0..x.nrows()).map(|row| (row % 5) as f64 - 1.0).collect(),
            vec![4.0; x.nrows()],
            vec![0.0; x.nrows()],
        ] {
            for method in methods() {
                let context = format!("{what}: {method:?}");
                let model = match method.fit(Measured::new(&x, &y).unwrap()) {
                    Ok(model) => model,
                    Err(error) => {
                        let message = error.to_string();
                        assert!(message.contains("; "), "{context}: {message}");
                        assert!(what.contains("huge"), "{context}: {message}");
                        continue;
                    }
                };
                let found = model
                    .predictive(didact_core::Rows::Dense(x.view()))
                    .unwrap();
                let values = found.mean.iter().chain(&found.variance);
                assert!(
                    values.into_iter().all(|value| value.is_finite()),
                    "{context}"
                );
                let bytes = encoding::to_bytes(&model).unwrap();
                let read: didact_gaussian_process::GaussianProcessModel =
                    encoding::from_bytes(&bytes).unwrap();
                read.validate()
                    .unwrap_or_else(|error| panic!("{context}: {error}"));
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_single_bit() {
    let x = random_matrix(450, 4, 1);
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|x| (2.0 * x[0]).sin() + x[1])
        .collect();
    for method in methods() {
        let method = GaussianProcessRegressor {
            max_iter: 2,
            ..method
        };
        let model = |threads: usize| {
            let run = Run::new().threads(threads);
            let model = method
                .fit_with(Measured::new(&x, &y).unwrap(), &run)
                .unwrap();
            let said = run.install(|| model.predict(&x).unwrap());
            (encoding::to_bytes(&model).unwrap(), said)
        };
        let one = model(1);
        assert!(one == model(2) && one == model(4), "{method:?}");
    }
}

#[test]
fn a_fit_that_is_cancelled_ends_soon() {
    let x = random_matrix(2_500, 5, 1);
    let y: Vec<f64> = x.column(0).to_vec();
    for method in methods() {
        let cancel = Cancel::new();
        let run = Run::new().cancelled_by(&cancel);
        let switch = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(150));
            cancel.cancel();
            Instant::now()
        });
        let result = method.fit_with(Measured::new(&x, &y).unwrap(), &run);
        let cancelled = switch.join().unwrap();
        if result.is_err() {
            assert!(matches!(result, Err(Error::Cancelled)), "{method:?}");
            // Generous: the machine may be busy with something else.
            assert!(
                cancelled.elapsed() < Duration::from_millis(500),
                "{method:?}"
            );
        }
    }
}
