//! Lasso and elastic net: oracles, certificates, and the same answer from every route.

use didact_core::{Csr, Fit, Measured, Regress, Run, Samples, StopReason};
use didact_linear::{
    ElasticNet, ElasticNetModel, ElasticNetPath, Lasso, LinearRegression, Reduction, Ridge,
    elastic_net_path, losses,
};
use didact_testing::{assert_close, random_matrix, random_sparse};
use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;

fn lasso(alpha: f64) -> Lasso {
    Lasso {
        alpha,
        ..Lasso::default()
    }
}

fn net(alpha: f64, l1_ratio: f64) -> ElasticNet {
    ElasticNet {
        alpha,
        l1_ratio,
        ..ElasticNet::default()
    }
}

/// A problem in which only every seventh column matters.
fn sparse_truth(n: usize, d: usize, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let x = random_matrix(n, d, seed);
    let noise = random_matrix(n, 1, seed + 1);
    let truth = Array1::from_shape_fn(d, |j| {
        if j % 7 == 0 {
            1.0 + j as f64 / d as f64
        } else {
            0.0
        }
    });
    let y = x.dot(&truth) + &(&noise.column(0) * 0.5) + 3.0;
    (x, y.to_vec())
}

/// The largest violation of the conditions of a minimum, per row: every xⱼᵀr/n − α(1−ρ)wⱼ is
/// αρ·sign(wⱼ), or at most αρ in size where the weight is zero.
fn violation(model: &ElasticNetModel, x: &Array2<f64>, y: &[f64], alpha: f64, ratio: f64) -> f64 {
    let w = model.coef().row(0);
    let residual = Array1::from(y.to_vec()) - x.dot(&w) - model.intercept()[0];
    let pulls = x.t().dot(&residual) / y.len() as f64;
    let each = pulls.iter().zip(w).map(|(pull, w)| {
        let pull = pull - alpha * (1.0 - ratio) * w;
        match *w == 0.0 {
            true => (pull.abs() - alpha * ratio).max(0.0),
            false => (pull - alpha * ratio * w.signum()).abs(),
        }
    });
    each.fold(residual.mean().unwrap().abs(), f64::max)
}

// Numbers of scikit-learn 1.x on the unscaled diabetes data with tol=1e-15.
#[test]
fn diabetes_has_the_weights_of_scikit_learn() {
    let diabetes = didact_datasets::diabetes();
    let model = lasso(10.0).fit(diabetes.measured().unwrap()).unwrap();
    let expected = array![[
        0.0,
        0.0,
        5.934113850361518,
        1.019591514502255,
        1.173208613425125,
        -1.26019316455289,
        -2.02079349341176,
        0.0,
        0.0,
        0.319910501077223
    ]];
    assert_close(model.coef(), &expected, 1e-9);
    assert!((model.intercept()[0] + 105.89303078918564).abs() < 1e-7);
    assert_eq!(model.n_nonzero(), 6);
    let model = net(0.5, 0.3).fit(diabetes.measured().unwrap()).unwrap();
    let expected = array![[
        -0.036039695163431,
        -7.960037872236142,
        6.111627123694132,
        1.063567445101435,
        1.108575901743428,
        -1.245575955737911,
        -1.99803306094018,
        0.925191094340344,
        4.702879129092471,
        0.347423092897421
    ]];
    assert_close(model.coef(), &expected, 1e-9);
    let positive = Lasso {
        positive: true,
        ..lasso(0.5)
    };
    let model = positive.fit(diabetes.measured().unwrap()).unwrap();
    let expected = array![[
        0.0,
        0.0,
        6.355072412557663,
        0.906529066570204,
        0.0,
        0.0,
        0.0,
        2.668738400352348,
        42.504924862738136,
        0.163552190901752
    ]];
    assert_close(model.coef(), &expected, 1e-9);
}

// ElasticNet(alpha=0.5, l1_ratio=0.3).fit(X, y, sample_weight=1 + arange(n) % 3) of scikit-learn.
#[test]
fn weighted_diabetes_has_the_weights_of_scikit_learn() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let counts: Vec<f64> = (0..442).map(|row| f64::from(1 + row % 3)).collect();
    let samples = data.samples.view().weighted(&counts).unwrap();
    let weighted = Measured::many(samples, data.targets.view()).unwrap();
    let model = net(0.5, 0.3).fit(weighted).unwrap();
    let expected = array![[
        -0.081295734354315,
        -6.807999750224472,
        5.991954394394189,
        0.998545262477363,
        0.964119668968478,
        -1.065246297628079,
        -1.942767115803816,
        0.747020003885733,
        5.203472268424822,
        0.347874604915118
    ]];
    assert_close(model.coef(), &expected, 1e-9);
    assert!((model.intercept()[0] + 107.84286641980108).abs() < 1e-7);
}

// 000a:GEN-09: λ → 0 is plain risk, λ → ∞ the zero function, L1 gives exact zeros in between.
#[test]
fn the_price_leads_from_least_squares_over_exact_zeros_to_nothing() {
    let (x, y) = sparse_truth(80, 12, 1);
    let data = || Measured::new(&x, &y).unwrap();
    let free = lasso(0.0).fit(data()).unwrap();
    let least_squares = LinearRegression::default().fit(data()).unwrap();
    assert_close(free.coef(), least_squares.coef(), 1e-12);
    let nearly_free = lasso(1e-9).fit(data()).unwrap();
    assert_close(nearly_free.coef(), least_squares.coef(), 1e-7);
    let some = lasso(0.3).fit(data()).unwrap();
    assert!(some.n_nonzero() > 0 && some.n_nonzero() < 12);
    let none = lasso(1e6).fit(data()).unwrap();
    assert!(none.coef().iter().all(|&w| w == 0.0));
    let mean = y.iter().sum::<f64>() / 80.0;
    assert!((none.intercept()[0] - mean).abs() < 1e-12);
    // The squared norm is the other norm of the item: no exact zeros.
    let ridge = net(0.3, 0.0).fit(data()).unwrap();
    let expected = Ridge {
        alpha: 0.3,
        reduction: Reduction::Mean,
        ..Ridge::default()
    };
    assert_close(ridge.coef(), expected.fit(data()).unwrap().coef(), 1e-12);
    assert_eq!(ridge.n_nonzero(), 12);
    assert!(ridge.dual_gap().is_none());
}

// 000a:GEN-08: later objectives use the sum, not the mean: the price is n times as large there.
#[test]
fn sum_and_mean_differ_by_the_number_of_rows_in_the_price() {
    let (x, y) = sparse_truth(50, 9, 2);
    let of_mean = lasso(0.2).fit(Measured::new(&x, &y).unwrap()).unwrap();
    let of_sum = Lasso {
        reduction: Reduction::Sum,
        ..lasso(0.2 * 50.0)
    };
    let of_sum = of_sum.fit(Measured::new(&x, &y).unwrap()).unwrap();
    assert_close(of_mean.coef(), of_sum.coef(), 1e-12);
}

// 001:REG-19, 001:REG-04: the error that is reported at λ is the unpenalised loss at ŵ(λ).
#[test]
fn reported_errors_do_not_include_the_price() {
    let (x, y) = sparse_truth(60, 8, 3);
    let model = lasso(0.5).fit(Measured::new(&x, &y).unwrap()).unwrap();
    let predicted = model.predict(&x).unwrap();
    let losses: f64 = y
        .iter()
        .zip(predicted.column(0))
        .map(|(y, p)| losses::squared(y - p))
        .sum();
    let mean_y = y.iter().sum::<f64>() / 60.0;
    let total: f64 = y.iter().map(|y| losses::squared(y - mean_y)).sum();
    assert!((model.r2()[0] - (1.0 - losses / total)).abs() < 1e-12);
}

// 000a:GEN-06: with x ~ N(0, I) and y = w·x + b + ε the risk E[½(y − ŷ)²] of a hyperplane is
// ½(‖w − ŵ‖² + (b − b̂)² + σ²); the mean over fresh rows tends to it.
#[test]
fn the_mean_loss_of_fresh_rows_is_the_expected_risk() {
    let (x, y) = sparse_truth(100, 7, 4);
    let model = lasso(0.1).fit(Measured::new(&x, &y).unwrap()).unwrap();
    let truth = array![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let off = &truth - &model.coef().row(0);
    let shift = 3.0 - model.intercept()[0];
    let risk = 0.5 * (off.dot(&off) + shift * shift + 0.25);
    let (fresh, targets) = sparse_truth(200_000, 7, 5);
    let predicted = model.predict(&fresh).unwrap();
    let found: Vec<f64> = targets
        .iter()
        .zip(predicted.column(0))
        .map(|(y, p)| losses::squared(y - p))
        .collect();
    let mean = found.iter().sum::<f64>() / 200_000.0;
    let variance = found.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / 200_000.0;
    assert!((mean - risk).abs() < 5.0 * (variance / 200_000.0).sqrt());
}

// More columns than the products of columns are formed for: the columns themselves are used.
#[test]
fn many_columns_give_a_minimum_too_dense_and_sparse() {
    let (x, y) = sparse_truth(90, 700, 6);
    let model = lasso(0.15).fit(Measured::new(&x, &y).unwrap()).unwrap();
    assert!(violation(&model, &x, &y, 0.15, 1.0) < 1e-9);
    assert!(model.n_nonzero() < 90);
    let sparse = Csr::from_dense(x.view());
    let other = lasso(0.15)
        .fit(Measured::new(&sparse, &y).unwrap())
        .unwrap();
    assert_close(other.coef(), model.coef(), 1e-8);
    let wide = random_sparse(300, 800, 0.05, 7);
    let dense = wide.view().to_dense();
    let y: Vec<f64> = (0..300)
        .map(|i| dense[[i, 3]] - dense[[i, 40]] + 1.0)
        .collect();
    let counts: Vec<f64> = (0..300).map(|row| f64::from(1 + row % 2)).collect();
    let samples = Samples::from(&wide).weighted(&counts).unwrap();
    let a = net(0.01, 0.7)
        .fit(Measured::new(samples, &y).unwrap())
        .unwrap();
    let samples = Samples::from(&dense).weighted(&counts).unwrap();
    let b = net(0.01, 0.7)
        .fit(Measured::new(samples, &y).unwrap())
        .unwrap();
    assert_close(a.coef(), b.coef(), 1e-8);
    assert_close(a.intercept(), b.intercept(), 1e-8);
}

#[test]
fn weights_count_like_repeated_rows() {
    let (x, y) = sparse_truth(30, 5, 8);
    let counts: Vec<f64> = (0..30).map(|row| f64::from(row % 3)).collect();
    let repeated: Vec<usize> = (0..30).flat_map(|row| vec![row; row % 3]).collect();
    let (long_x, long_y) = (
        x.select(Axis(0), &repeated),
        repeated.iter().map(|&row| y[row]).collect::<Vec<f64>>(),
    );
    let samples = Samples::from(&x).weighted(&counts).unwrap();
    let weighted = lasso(0.2).fit(Measured::new(samples, &y).unwrap()).unwrap();
    let plain = lasso(0.2)
        .fit(Measured::new(&long_x, &long_y).unwrap())
        .unwrap();
    assert_close(weighted.coef(), plain.coef(), 1e-10);
}

#[test]
fn several_targets_are_fitted_one_by_one() {
    let (x, y) = sparse_truth(40, 6, 9);
    let targets = Array2::from_shape_fn((40, 2), |(i, k)| y[i] * (1.0 - 3.0 * k as f64));
    let both = lasso(0.2)
        .fit(Measured::many(&x, targets.view()).unwrap())
        .unwrap();
    let second: Vec<f64> = targets.column(1).to_vec();
    let alone = lasso(0.2).fit(Measured::new(&x, &second).unwrap()).unwrap();
    assert_close(
        &both.coef().row(1).to_owned(),
        &alone.coef().row(0).to_owned(),
        1e-12,
    );
}

// lasso_path of scikit-learn on the centred diabetes data: alphas and weights of step 50.
#[test]
fn the_path_has_the_prices_and_weights_of_scikit_learn() {
    let diabetes = didact_datasets::diabetes();
    let path = elastic_net_path(
        &net(1.0, 1.0),
        diabetes.measured().unwrap(),
        100,
        1e-3,
        &Run::new(),
    )
    .unwrap();
    assert_close(
        &array![path.alphas[0], path.alphas[50], path.alphas[99]],
        &array![564.4043529002274, 17.23609342313918, 0.564404352900227],
        1e-12,
    );
    let expected = array![
        0.0,
        0.0,
        5.5680278428997,
        1.045290375647228,
        1.076646100829685,
        -1.137013778651103,
        -1.945535088196745,
        0.0,
        0.0,
        0.330807131079177
    ];
    assert_close(&path.coefs.row(50).to_owned(), &expected, 1e-6);
    assert!(path.dual_gaps.iter().all(|&gap| gap < 1e-6));
    // Warm starts end where cold ones do.
    let cold = lasso(path.alphas[70])
        .fit(diabetes.measured().unwrap())
        .unwrap();
    assert_close(
        &path.coefs.row(70).to_owned(),
        &cold.coef().row(0).to_owned(),
        1e-7,
    );
    assert!((path.intercepts[70] - cold.intercept()[0]).abs() < 1e-5);
    let given = ElasticNetPath::at(
        &net(1.0, 1.0),
        diabetes.measured().unwrap(),
        &[1.0, 10.0],
        &Run::new(),
    )
    .unwrap();
    assert_eq!(given.alphas, array![10.0, 1.0]);
}

#[test]
fn paths_without_a_start_are_refused_with_the_reason() {
    let (x, y) = sparse_truth(20, 3, 10);
    let run = Run::new();
    let say = |net: &ElasticNet, y: &[f64], n: usize, eps: f64| {
        elastic_net_path(net, Measured::new(&x, y).unwrap(), n, eps, &run)
            .unwrap_err()
            .to_string()
    };
    assert!(say(&net(1.0, 0.0), &y, 5, 0.1).contains("l1_ratio is 0"));
    assert!(say(&net(1.0, 1.0), &y, 0, 0.1).contains("n_alphas is 0"));
    assert!(say(&net(1.0, 1.0), &y, 5, 1.0).contains("eps is 1"));
    assert!(say(&net(1.0, 1.0), &[2.0; 20], 5, 0.1).contains("target"));
}

#[test]
fn too_few_sweeps_are_reported_with_the_gap_that_is_left() {
    // Two columns that are nearly the same make single steps slow; exact ones are not tried
    // within the first sweep.
    let (x, y) = sparse_truth(200, 60, 11);
    let x = &x + &random_matrix(200, 1, 12);
    let hasty = Lasso {
        max_iter: 1,
        ..lasso(0.01)
    };
    let model = hasty.fit(Measured::new(&x, &y).unwrap()).unwrap();
    let trace = didact_core::Model::trace(&model).unwrap();
    assert_eq!(trace.stop, StopReason::IterationLimit);
    let full = lasso(0.01).fit(Measured::new(&x, &y).unwrap()).unwrap();
    let last = |model: &ElasticNetModel| {
        *didact_core::Model::trace(model)
            .unwrap()
            .objectives
            .last()
            .unwrap()
    };
    let excess = last(&model) - last(&full);
    assert!(excess > 0.0 && model.dual_gap().unwrap()[0] >= excess);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    // The certificate: conditions of the minimum hold, and so does the bound that the gap gives.
    #[test]
    fn every_minimum_fulfils_its_conditions(
        n in 5usize..40, d in 1usize..30, seed in 0u64..1000,
        alpha in 0.001..2.0f64, ratio in 0.05..1.0f64,
    ) {
        let (x, y) = sparse_truth(n, d, seed);
        let model = net(alpha, ratio).fit(Measured::new(&x, &y).unwrap()).unwrap();
        prop_assert_eq!(didact_core::Model::trace(&model).unwrap().stop, StopReason::Converged);
        prop_assert!(violation(&model, &x, &y, alpha, ratio) < 1e-5);
        prop_assert!(model.dual_gap().unwrap()[0] <= 1e-9 * y.iter().map(|y| y * y).sum::<f64>());
    }

    #[test]
    fn positive_weights_are_never_negative_and_fulfil_their_conditions(
        n in 5usize..40, d in 1usize..20, seed in 0u64..1000, alpha in 0.0..1.0f64,
    ) {
        let (x, y) = sparse_truth(n, d, seed);
        let positive = Lasso { positive: true, ..lasso(alpha) };
        let model = positive.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let w = model.coef().row(0);
        prop_assert!(w.iter().all(|&w| w >= 0.0));
        let residual = Array1::from(y.clone()) - x.dot(&w) - model.intercept()[0];
        let pulls = x.t().dot(&residual) / n as f64;
        for (pull, w) in pulls.iter().zip(w) {
            let off = if *w == 0.0 { (pull - alpha).max(0.0) } else { (pull - alpha).abs() };
            prop_assert!(off < 1e-4, "{} {} {}", pull, w, alpha);
        }
    }
}
