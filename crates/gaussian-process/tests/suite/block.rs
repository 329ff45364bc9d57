//! The process of blocks: its limits, and its bridge to mixtures of local regressions.

use didact_core::{Fit, Measured, Regress, Rows, Run};
use didact_gaussian_process::{
    BlockProcess, BlockProcessModel, Covariance, CovarianceShape, GaussianProcessRegressor,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, Axis, array, concatenate};

fn rbf(length: f64) -> Covariance {
    Covariance::new(CovarianceShape::Rbf, 1.0, array![length]).unwrap()
}

fn fit(
    method: &BlockProcess,
    x: &Array2<f64>,
    y: &[f64],
    centers: &Array2<f64>,
) -> BlockProcessModel {
    let data = Measured::new(x, y).unwrap();
    method.fit(&data, centers.view(), &Run::new()).unwrap()
}

fn full(x: &Array2<f64>, y: &[f64], queries: &Array2<f64>, length_scale: f64) -> Array2<f64> {
    let method = GaussianProcessRegressor {
        length_scale,
        noise: 0.01,
        optimize: false,
        ..GaussianProcessRegressor::default()
    };
    let model = method.fit(Measured::new(x, y).unwrap()).unwrap();
    model.predict(queries).unwrap()
}

fn clusters() -> (Array2<f64>, Vec<f64>, Array2<f64>) {
    let near = random_matrix(8, 2, 1);
    let far = random_matrix(6, 2, 2) + 500.0;
    let x = concatenate![Axis(0), near, far];
    let y = x.column(0).iter().map(|x| (2.0 * x).sin()).collect();
    (x, y, array![[0.0, 0.0], [500.0, 500.0]])
}

// 002b:GP-11: no determinant stands before the sum: the printed 1/∏ det K and 1/Σ det K would
// scale these predictions.
#[test]
fn one_block_and_blocks_far_apart_are_the_full_process() {
    let (x, y, centers) = clusters();
    let queries = concatenate![
        Axis(0),
        random_matrix(5, 2, 3),
        random_matrix(5, 2, 4) + 500.0
    ];
    let expected = full(&x, &y, &queries, 1.0);
    let method = BlockProcess {
        noise: 0.01,
        threshold: 1e-6,
        ..BlockProcess::new(rbf(1.0))
    };
    let two = fit(&method, &x, &y, &centers);
    assert_eq!(two.blocks().len(), 2);
    assert!(two.dropped() < 1e-12);
    assert_close(
        &two.predict(Rows::Dense(queries.view())).unwrap(),
        &expected,
        1e-9,
    );
    let all = BlockProcess {
        threshold: 0.0,
        ..method
    };
    let (x, y) = (x.slice(ndarray::s![..8, ..]).to_owned(), &y[..8]);
    let one = fit(&all, &x, y, &array![[0.0, 0.0]]);
    let expected = full(&x, y, &queries, 1.0);
    assert_close(
        &one.predict(Rows::Dense(queries.view())).unwrap(),
        &expected,
        1e-9,
    );
}

// 002b:GP-11: every cluster a single point is the numerator of a kernel smoother.
#[test]
fn blocks_of_single_rows_are_a_sum_of_kernels() {
    let x = array![[0.0], [1.0], [3.0]];
    let y = [2.0, -1.0, 0.5];
    let method = BlockProcess {
        threshold: 0.999,
        ..BlockProcess::new(rbf(0.7))
    };
    let model = fit(&method, &x, &y, &x);
    assert!(model.blocks().iter().all(|block| block.members.len() == 1));
    let query = array![[0.6]];
    let found = model.predict(Rows::Dense(query.view())).unwrap()[[0, 0]];
    let expected: f64 = x
        .iter()
        .zip(y)
        .map(|(x, y)| y * rbf(0.7).between(&[0.6], &[*x]))
        .sum();
    assert!((found - expected).abs() < 1e-12);
    assert!(model.dropped() > 0.0);
}

// 002b:GP-11: with a linear covariance on centred rows and targets, the mean added back, a block
// is the least-squares line, Σ_yx and not the printed Σ_xx; raw targets lose the intercept.
#[test]
fn a_linear_block_is_the_local_regression_of_a_mixture() {
    let raw = random_matrix(25, 2, 5);
    let x = &raw - &raw.mean_axis(Axis(0)).unwrap();
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .enumerate()
        .map(|(row, x)| 7.0 + 2.0 * x[0] - x[1] + 0.1 * (row as f64).sin())
        .collect();
    let covariance = Covariance::new(CovarianceShape::Linear { coef0: 0.0 }, 1.0, array![1.0]);
    let method = BlockProcess {
        noise: 1e-6,
        threshold: 0.0,
        center: true,
        ..BlockProcess::new(covariance.unwrap())
    };
    // Every row joins the only centre.
    let model = fit(&method, &x, &y, &array![[1.0, 1.0]]);
    let queries = random_matrix(4, 2, 6);
    let expected = model.blocks()[0].local_regression(queries.view()).unwrap();
    let found = model.predict(Rows::Dense(queries.view())).unwrap();
    assert_close(&found, &expected, 1e-6);
    let raw = BlockProcess {
        center: false,
        ..method
    };
    let lost = fit(&raw, &x, &y, &array![[1.0, 1.0]]);
    let lost = lost.predict(Rows::Dense(queries.view())).unwrap();
    assert!(
        (&found - &lost)
            .iter()
            .all(|difference| (difference - 7.0).abs() < 0.1)
    );
}

#[test]
fn rows_of_several_blocks_count_once_where_they_share() {
    let x = array![[0.0], [1.0], [2.0]];
    let y = [1.0, 1.0, 1.0];
    let method = BlockProcess {
        threshold: 0.1,
        noise: 0.01,
        ..BlockProcess::new(rbf(1.0))
    };
    // Both centres hold all rows, so that the text's sum is twice the process.
    let centers = array![[0.9], [1.1]];
    let twice = fit(&method, &x, &y, &centers);
    let query = array![[0.5]];
    let found = |model: &BlockProcessModel| model.predict(Rows::Dense(query.view())).unwrap();
    let expected = full(&x, &y, &query, 1.0);
    assert_close(&found(&twice), &(&expected * 2.0), 1e-9);
    let shared = BlockProcess {
        share_overlaps: true,
        ..method
    };
    assert_close(&found(&fit(&shared, &x, &y, &centers)), &expected, 1e-9);
}

// 002b:GP-23: far from the data the process falls back to zero, the local regressions go on along
// the line of the nearest component: the claim that mixtures extrapolate better, as an experiment.
#[test]
fn far_away_the_process_is_zero_and_the_mixture_goes_on_straight() {
    let x = Array2::from_shape_fn((30, 1), |(row, _)| row as f64 / 10.0);
    let y: Vec<f64> = x.iter().map(|x| 2.0 * x + 1.0).collect();
    let method = BlockProcess {
        noise: 1e-4,
        threshold: 0.3,
        ..BlockProcess::new(rbf(0.5))
    };
    let model = fit(&method, &x, &y, &array![[0.5], [1.5], [2.5]]);
    let far = array![[30.0]];
    assert!(model.predict(Rows::Dense(far.view())).unwrap()[[0, 0]].abs() < 1e-9);
    assert!(full(&x, &y, &far, 0.5)[[0, 0]].abs() < 1e-9);
    let line = model.blocks()[2].local_regression(far.view()).unwrap();
    assert!((line[[0, 0]] - 61.0).abs() < 1e-6);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let (x, y) = (array![[0.0], [1.0]], [0.0, 1.0]);
    let data = Measured::new(&x, &y).unwrap();
    let complain = |method: BlockProcess, centers: Array2<f64>| {
        method
            .fit(&data, centers.view(), &Run::new())
            .unwrap_err()
            .to_string()
    };
    let method = BlockProcess::new(rbf(1.0));
    let error = complain(method.clone(), array![[0.0, 1.0]]);
    assert!(
        error.starts_with("there are 1 centres with 2 columns"),
        "{error}"
    );
    let error = complain(
        BlockProcess {
            threshold: 1.5,
            ..method
        },
        array![[0.0]],
    );
    assert!(error.starts_with("threshold is 1.5"), "{error}");
}
