//! Least squares and ridge: published numbers, oracles, shapes of every kind.

use didact_core::random::generator;
use didact_core::{
    AnyModel, Cancel, Csr, Error, Fit, LearnInPieces, Measured, Model, Next, Regress, Run, Samples,
    Shape,
};
use didact_linear::{LinearModel, LinearRegression, Reduction, Ridge};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};
use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};

fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut generator))
}

#[track_caller]
fn assert_close<'a>(
    found: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    let (found, expected): (Vec<f64>, Vec<f64>) = (
        found.into_iter().copied().collect(),
        expected.into_iter().copied().collect(),
    );
    assert_eq!(found.len(), expected.len());
    let scale = expected
        .iter()
        .fold(1e-300_f64, |largest, value| largest.max(value.abs()));
    for (a, b) in found.iter().zip(&expected) {
        assert!(
            (a - b).abs() <= tolerance * scale,
            "{found:?}\n{expected:?}"
        );
    }
}

fn in_pieces<A>(algorithm: &A, data: &Measured<'_>, cuts: &[usize]) -> LinearModel
where
    for<'a> A: LearnInPieces<
            Measured<'a>,
            Model = LinearModel,
            State = (),
            Summary = didact_math::linalg::CrossMoments,
        >,
{
    let run = Run::new();
    let mut ends = cuts.to_vec();
    ends.push(data.samples.n_rows());
    let mut start = 0;
    let mut whole = None;
    for end in ends {
        let part = algorithm
            .summarise(&(), data.slice(start..end), start, &run)
            .unwrap();
        whole = Some(match whole {
            None => part,
            // The other way round, since the order must not matter.
            Some(before) => algorithm.merge(part, before).unwrap(),
        });
        start = end;
    }
    match LearnInPieces::<Measured<'static>>::step(algorithm, (), whole.unwrap(), &run).unwrap() {
        Next::Done(model) => model,
        Next::Pass(()) => panic!("one pass is enough"),
    }
}

// 001:REG-16, 001:T-01
#[test]
fn noise_free_points_are_recovered_exactly() {
    let (x, y) = (array![[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]);
    let model = LinearRegression::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    assert_close(model.coef(), &[2.0], 1e-12);
    assert_close(model.intercept(), &[1.0], 1e-12);
    assert!(model.residual_sum_of_squares()[0] < 1e-12);
}

// 000a:SUP-33, 000a:fx-D3: the sums of squares and R² too.
#[test]
fn simple_regression_has_its_published_sums_of_squares() {
    let (x, y) = (array![[1.0], [2.0], [3.0], [4.0]], [2.0, 3.0, 5.0, 6.0]);
    let model = LinearRegression::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    assert_close(model.coef(), &[1.4], 1e-12);
    assert_close(model.intercept(), &[0.5], 1e-12);
    assert_close(model.total_sum_of_squares(), &[10.0], 1e-12);
    assert!((model.residual_sum_of_squares()[0] - 0.2).abs() < 1e-12);
    assert_close(&model.r2(), &[0.98], 1e-12);
    // The corrected second normal equation: αΣx + βΣx² = Σxy is 0.5·10 + 1.4·30 = 47.
    let (alpha, beta) = (model.intercept()[0], model.coef()[[0, 0]]);
    assert!((alpha * 10.0 + beta * 30.0 - 47.0).abs() < 1e-12);
}

// 000a:SUP-35, 000a:fx-D3: (XᵀX + λI)⁻¹Xᵀy = 47/31, not the 94/61 of the printed objective.
// 001:REG-17, 001:T-01: with the mean of the losses the price is nλ: 5/7, not 5/6.
#[test]
fn the_price_of_ridge_stands_beside_the_sum_or_the_mean() {
    let (x, y) = (array![[1.0], [2.0], [3.0], [4.0]], [2.0, 3.0, 5.0, 6.0]);
    let ridge = Ridge {
        fit_intercept: false,
        ..Ridge::default()
    };
    let model = ridge.fit(Measured::new(&x, &y).unwrap()).unwrap();
    assert_close(model.coef(), &[47.0 / 31.0], 1e-12);
    assert!((model.coef()[[0, 0]] - 94.0 / 61.0).abs() > 0.02);
    assert_eq!(model.intercept()[0], 0.0);

    let mean = Ridge {
        reduction: Reduction::Mean,
        ..ridge
    };
    let model = mean
        .fit(Measured::new(&array![[1.0], [2.0]], &[1.0, 2.0]).unwrap())
        .unwrap();
    assert_close(model.coef(), &[5.0 / 7.0], 1e-12);
}

// 001:REG-17: penalising the intercept is another problem. By hand for x = (0, 2), y = (1, 3) and
// λ = 1: (X̃ᵀX̃ + I)·(w, b) = X̃ᵀy is [[5, 2], [2, 3]]·(w, b) = (6, 4), so (w, b) = (10/11, 8/11);
// unpenalised w = 2/(2+1) and b = 2 − w.
#[test]
fn the_intercept_is_free_unless_it_is_asked_to_pay() {
    let (x, y) = (array![[0.0], [2.0]], [1.0, 3.0]);
    let free = Ridge::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    assert_close(free.coef(), &[2.0 / 3.0], 1e-12);
    assert_close(free.intercept(), &[4.0 / 3.0], 1e-12);
    let ridge = Ridge {
        penalize_intercept: true,
        ..Ridge::default()
    };
    let paid = ridge.fit(Measured::new(&x, &y).unwrap()).unwrap();
    assert_close(paid.coef(), &[10.0 / 11.0], 1e-12);
    assert_close(paid.intercept(), &[8.0 / 11.0], 1e-12);
    // It is the same as a weight of a constant column, in every route.
    for (n, d) in [(30, 4), (4, 9)] {
        let (x, y) = (random(n, d, 1) + 2.0, random(n, 2, 2) + 5.0);
        let constant = concatenate![Axis(1), x, Array2::ones((n, 1))];
        let plain = Ridge {
            fit_intercept: false,
            ..Ridge::default()
        };
        let expected = plain
            .fit(Measured::many(&constant, y.view()).unwrap())
            .unwrap();
        let found = ridge.fit(Measured::many(&x, y.view()).unwrap()).unwrap();
        assert_close(found.coef(), expected.coef().slice(s![.., ..d]), 1e-12);
        assert_close(found.intercept(), expected.coef().column(d), 1e-12);
    }
}

// 001:REG-15, 001:REG-18: descent with the corrected sign ends in the closed form, the printed
// sign climbs away from it.
#[test]
fn descent_along_the_corrected_gradient_ends_in_the_closed_form() {
    let (x, y) = (random(60, 3, 3), random(60, 1, 4));
    let n = 60.0;
    for lambda in [0.0, 0.3] {
        let ridge = Ridge {
            alpha: lambda,
            fit_intercept: false,
            reduction: Reduction::Mean,
            ..Ridge::default()
        };
        let model = ridge.fit(Measured::many(&x, y.view()).unwrap()).unwrap();
        let descend = |sign: f64| {
            let mut theta = Array1::<f64>::zeros(3);
            for _ in 0..2000 {
                let gradient = (x.t().dot(&x.dot(&theta)) - x.t().dot(&y.column(0))) / n;
                theta = theta.mapv(|w| (1.0 - 0.1 * lambda) * w) - gradient * (0.1 * sign);
            }
            theta
        };
        assert_close(&descend(1.0), model.coef(), 1e-9);
        assert!(descend(-1.0).iter().any(|w| w.abs() > 1e3));
    }
}

// scikit-learn 1.x: LinearRegression().fit and Ridge(alpha=10, solver="svd").fit on the raw
// diabetes columns, and Ridge(alpha=10) with the weights 1, 2, 3, 1, 2, 3, …
#[test]
fn diabetes_has_the_coefficients_of_scikit_learn() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let model = LinearRegression::default().fit(data.clone()).unwrap();
    let expected = [
        -0.036361224223623534,
        -22.859648090498354,
        5.602962091923719,
        1.1168079933181838,
        -1.0899963340632226,
        0.7464504555142124,
        0.3720047150891379,
        6.53383193599034,
        68.48312496478829,
        0.2801169893214981,
    ];
    assert_close(model.coef(), &expected, 1e-12);
    assert_close(model.intercept(), &[-334.5671385187875], 1e-11);
    assert_close(&model.r2(), &[0.5177484222203498], 1e-11);
    assert_eq!(model.rank(), 10);

    let ridge = Ridge {
        alpha: 10.0,
        ..Ridge::default()
    };
    let model = ridge.fit(data.clone()).unwrap();
    let expected = [
        -0.018830389044545384,
        -20.529217756359152,
        5.833733494532227,
        1.1235145909941393,
        -0.050536902743141265,
        -0.20862182196584245,
        -0.7751985454926853,
        4.684300289907577,
        37.25873173188636,
        0.32299468120513586,
    ];
    assert_close(model.coef(), &expected, 1e-11);
    assert_close(model.intercept(), &[-226.25423522596375], 1e-11);

    let weights: Vec<f64> = (0..442).map(|row| 1.0 + f64::from(row % 3)).collect();
    let weighted = Measured::new(
        diabetes.samples().weighted(&weights).unwrap(),
        diabetes.targets().unwrap(),
    )
    .unwrap();
    let model = ridge.fit(weighted).unwrap();
    assert_close(
        model.coef().slice(s![0, 4..6]),
        &[-0.5922855842101467, 0.308173251626164],
        1e-10,
    );
    assert_close(model.intercept(), &[-268.26588761496583], 1e-11);
}

// 002a:LR01, 001:REG-16: the residual is orthogonal to the columns, with and without intercept.
#[test]
fn residuals_are_orthogonal_to_the_columns() {
    let (x, y) = (random(40, 5, 5) + 3.0, random(40, 1, 6));
    for fit_intercept in [true, false] {
        let model = LinearRegression { fit_intercept }
            .fit(Measured::many(&x, y.view()).unwrap())
            .unwrap();
        let residual = &y - &model.predict(&x).unwrap();
        assert!(x.t().dot(&residual).iter().all(|value| value.abs() < 1e-11));
        assert_eq!(residual.sum().abs() < 1e-11, fit_intercept);
        let squares: f64 = residual.iter().map(|r| r * r).sum();
        assert_close(model.residual_sum_of_squares(), &[squares], 1e-11);
    }
}

// 004:M24: a diagonal noise covariance is weighting, and weights are repetitions.
#[test]
fn integer_weights_are_repetitions_and_zero_weights_are_absence() {
    let (mut x, y) = (random(30, 3, 7), random(30, 2, 8));
    let weights: Vec<f64> = (0..30).map(|row| f64::from(row % 3)).collect();
    let repeated: Vec<usize> = (0..30)
        .flat_map(|row| std::iter::repeat_n(row, row % 3))
        .collect();
    let (rows, targets) = (x.select(Axis(0), &repeated), y.select(Axis(0), &repeated));
    // Rows that do not count may be as large as they like.
    x.row_mut(0).fill(1e300);
    for alpha in [0.0, 0.7] {
        let ridge = Ridge {
            alpha,
            reduction: Reduction::Mean,
            ..Ridge::default()
        };
        let expected = ridge
            .fit(Measured::many(&rows, targets.view()).unwrap())
            .unwrap();
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let found = ridge
            .fit(Measured::many(samples, y.view()).unwrap())
            .unwrap();
        assert_close(found.coef(), expected.coef(), 1e-12);
        assert_close(found.intercept(), expected.intercept(), 1e-12);
        assert_close(
            found.total_sum_of_squares(),
            expected.total_sum_of_squares(),
            1e-12,
        );
    }
}

#[test]
fn offsets_of_a_million_cost_no_digits() {
    // Multiples of 2⁻¹⁰ stay exact when shifted.
    let x = random(200, 6, 9).mapv(|value| (value * 1024.0).round() / 1024.0);
    let y = x.dot(&random(6, 1, 10)) + random(200, 1, 11);
    let near = LinearRegression::default()
        .fit(Measured::many(&x, y.view()).unwrap())
        .unwrap();
    for offset in [1e6, 1e8] {
        let far = &x + offset;
        let model = LinearRegression::default()
            .fit(Measured::many(&far, y.view()).unwrap())
            .unwrap();
        assert_close(model.coef(), near.coef(), 1e-11);
    }
}

#[test]
fn nearly_dependent_columns_keep_the_accuracy_of_orthogonal_methods() {
    // The third column differs from the first by 1e-6: cond ≈ 1e6, squared 1e12. The targets
    // are exact multiples, so the solution (1, 2, 3) is known.
    let base = random(500, 2, 12);
    let tilted = &base.column(0) + &(random(500, 1, 13).column(0).to_owned() * 1e-6);
    let x = concatenate![Axis(1), base, tilted.insert_axis(Axis(1))];
    let y = x.dot(&array![[1.0], [2.0], [3.0]]);
    let model = LinearRegression::default()
        .fit(Measured::many(&x, y.view()).unwrap())
        .unwrap();
    assert_close(model.coef(), &[1.0, 2.0, 3.0], 1e-8);
    assert!(model.singular().is_some());
}

// 001:REG-16: full column rank is detected, not assumed from n ≥ d.
#[test]
fn dependent_columns_share_the_weight_and_the_rank_is_reported() {
    let x = random(50, 2, 14);
    let twice = concatenate![Axis(1), x, x.slice(s![.., 1..])];
    let y = x.dot(&array![[3.0], [4.0]]) + 1.0;
    for pieces in [false, true] {
        let data = Measured::many(&twice, y.view()).unwrap();
        let model = match pieces {
            true => in_pieces(&LinearRegression::default(), &data, &[20]),
            false => LinearRegression::default().fit(data).unwrap(),
        };
        assert_eq!(model.rank(), 2);
        assert_close(model.coef(), &[3.0, 2.0, 2.0], 1e-7);
    }
}

#[test]
fn fewer_rows_than_columns_give_the_shortest_exact_fit() {
    let (x, y) = (random(5, 12, 15), random(5, 2, 16));
    let model = LinearRegression::default()
        .fit(Measured::many(&x, y.view()).unwrap())
        .unwrap();
    assert_close(&model.predict(&x).unwrap(), &y, 1e-12);
    assert_eq!(model.rank(), 4);
    // The shortest solution lies in the span of the centred rows: it is what ridge tends to.
    let ridge = Ridge {
        alpha: 1e-9,
        ..Ridge::default()
    };
    let limit = ridge.fit(Measured::many(&x, y.view()).unwrap()).unwrap();
    assert_close(model.coef(), limit.coef(), 1e-8);
    // Doubled rows make the dual system singular; the answer stays.
    let doubled = concatenate![Axis(0), x, x];
    let targets = concatenate![Axis(0), y, y];
    let again = LinearRegression::default()
        .fit(Measured::many(&doubled, targets.view()).unwrap())
        .unwrap();
    assert_close(again.coef(), model.coef(), 1e-10);
    assert_eq!(again.rank(), 4);
}

// 001:REG-17: well-defined when n < d. With λ = 0.8 and without intercept, the dual formula
// Xᵀ(XXᵀ + λI)⁻¹y must be the primal (XᵀX + λI)⁻¹Xᵀy; rows of zeros change the route only.
#[test]
fn primal_and_dual_agree_at_the_border() {
    for intercept in [true, false] {
        let (x, y) = (random(7, 8, 17), random(7, 1, 18));
        let ridge = Ridge {
            alpha: 0.8,
            fit_intercept: intercept,
            ..Ridge::default()
        };
        let dual = ridge.fit(Measured::many(&x, y.view()).unwrap()).unwrap();
        // Every row twice with half the weight is the same problem with n = 14 > 8.
        let (double_x, double_y) = (concatenate![Axis(0), x, x], concatenate![Axis(0), y, y]);
        let samples = Samples::from(&double_x).weighted(&[0.5; 14]).unwrap();
        let primal = ridge
            .fit(Measured::many(samples, double_y.view()).unwrap())
            .unwrap();
        assert_close(dual.coef(), primal.coef(), 1e-12);
        assert_close(dual.intercept(), primal.intercept(), 1e-12);
        assert_close(
            dual.residual_sum_of_squares(),
            primal.residual_sum_of_squares(),
            1e-11,
        );
    }
}

// 004:M25: ridge is the most probable w under the prior N(0, I/λ) with noise of variance one; a
// noise variance σ² turns λ into λσ². Prior rows √λ·I with target 0 make it least squares.
#[test]
fn ridge_is_least_squares_with_prior_observations() {
    let (x, y, lambda) = (random(20, 3, 19), random(20, 1, 20), 2.5_f64);
    let prior = Array2::eye(3) * lambda.sqrt();
    let joined = concatenate![Axis(0), x, prior];
    let targets = concatenate![Axis(0), y, Array2::zeros((3, 1))];
    let plain = LinearRegression {
        fit_intercept: false,
    };
    let expected = plain
        .fit(Measured::many(&joined, targets.view()).unwrap())
        .unwrap();
    let ridge = Ridge {
        alpha: lambda,
        fit_intercept: false,
        ..Ridge::default()
    };
    let found = ridge.fit(Measured::many(&x, y.view()).unwrap()).unwrap();
    assert_close(found.coef(), expected.coef(), 1e-12);
    let noise = 4.0;
    let weights = vec![1.0 / noise; 20];
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let noisy = ridge
        .fit(Measured::many(samples, y.view()).unwrap())
        .unwrap();
    let scaled = Ridge {
        alpha: lambda * noise,
        ..ridge
    }
    .fit(Measured::many(&x, y.view()).unwrap())
    .unwrap();
    assert_close(noisy.coef(), scaled.coef(), 1e-12);
}

// 001:REG-19: what is reported has no penalty in it.
#[test]
fn reported_residuals_are_those_of_the_predictions_without_the_penalty() {
    let (x, y) = (random(30, 4, 21), random(30, 1, 22));
    let model = Ridge {
        alpha: 50.0,
        ..Ridge::default()
    }
    .fit(Measured::many(&x, y.view()).unwrap())
    .unwrap();
    let residual = &y - &model.predict(&x).unwrap();
    let squares: f64 = residual.iter().map(|r| r * r).sum();
    assert_close(model.residual_sum_of_squares(), &[squares], 1e-12);
}

#[test]
fn sparse_rows_give_the_dense_answer_on_every_route() {
    // (rows, columns): moments, dual, conjugate gradients.
    for (n, d) in [(300, 6), (5, 20), (9000, 2100)] {
        let mut x = Array2::<f64>::zeros((n, d));
        let noise = random(n, 4, 23);
        for row in 0..n {
            for entry in 0..4 {
                x[[row, (row * 7 + entry * 13 + row / d) % d]] = noise[[row, entry]];
            }
        }
        let (sparse, y) = (Csr::from_dense(x.view()), random(n, 1, 24) + 3.0);
        let ridge = Ridge {
            alpha: 0.5,
            ..Ridge::default()
        };
        let found = ridge
            .fit(Measured::many(&sparse, y.view()).unwrap())
            .unwrap();
        assert_eq!(Model::trace(&found).is_some(), d > 2000);
        if d < 2000 {
            let expected = ridge.fit(Measured::many(&x, y.view()).unwrap()).unwrap();
            assert_close(found.coef(), expected.coef(), 1e-10);
            assert_close(found.intercept(), expected.intercept(), 1e-10);
        }
        // The gradient of the objective vanishes: Xᵀr = λw and Σr = 0.
        let residual = &y - &found.predict(&sparse).unwrap();
        let pull = x.t().dot(&residual);
        assert_close(pull.column(0), &(&found.coef().row(0) * 0.5), 1e-9);
        assert!(residual.sum().abs() < 1e-8 * n as f64);
        let dense = found.predict(&x).unwrap();
        assert_close(&found.predict(&sparse).unwrap(), &dense, 1e-12);
    }
}

#[test]
fn awkward_data_have_a_defined_answer() {
    let linear = LinearRegression::default();
    let fit = |x: &Array2<f64>, y: &[f64]| linear.fit(Measured::new(x, y).unwrap());
    let one = fit(&array![[2.0, 3.0]], &[7.0]).unwrap();
    assert_eq!(
        (one.coef().to_owned(), one.intercept()[0]),
        (array![[0.0, 0.0]], 7.0)
    );
    // 000a:SUP-33: a constant column has no slope.
    let constant = fit(&array![[5.0], [5.0], [5.0]], &[1.0, 2.0, 6.0]).unwrap();
    assert_eq!((constant.coef()[[0, 0]], constant.rank()), (0.0, 0));
    assert_close(constant.intercept(), &[3.0], 1e-12);
    let flat = fit(&array![[1.0], [2.0]], &[4.0, 4.0]).unwrap();
    assert_eq!(flat.r2()[0], 1.0);
    let huge = fit(&array![[1e300], [-1e300], [5e299]], &[1.0, -1.0, 0.5]);
    assert!(matches!(huge, Err(Error::Numerical(_))));
    let tiny = fit(&array![[1e-200], [3e-200], [2e-200]], &[1.0, 3.0, 2.0]).unwrap();
    assert_close(tiny.coef(), &[1e200], 1e-12);
    let infinite = Ridge {
        alpha: 1e308,
        reduction: Reduction::Mean,
        ..Ridge::default()
    };
    let x = random(9, 2, 25);
    let error = infinite
        .fit(Measured::new(&x, &[0.0; 9]).unwrap())
        .unwrap_err();
    assert!(error.to_string().starts_with("alpha is"), "{error}");
    let negative = Ridge {
        alpha: -1.0,
        ..Ridge::default()
    };
    assert!(negative.fit(Measured::new(&x, &[0.0; 9]).unwrap()).is_err());
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let dependent = |n: usize, d: usize| {
        let mut x = random(n, d, 26);
        let copy = x.column(0).to_owned();
        x.column_mut(d - 1).assign(&copy);
        x
    };
    for x in [random(6000, 8, 27), dependent(6000, 8), random(90, 200, 28)] {
        let y = random(x.nrows(), 2, 29);
        let fit = |threads: usize| {
            let run = Run::new().threads(threads);
            LinearRegression::default()
                .fit_with(Measured::many(&x, y.view()).unwrap(), &run)
                .unwrap()
        };
        assert!(fit(1) == fit(2) && fit(1) == fit(4));
    }
}

#[test]
fn a_cancelled_fit_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    let (x, y) = (random(10, 2, 30), random(10, 1, 31));
    let run = Run::new().cancelled_by(&cancel);
    let result = Ridge::default().fit_with(Measured::many(&x, y.view()).unwrap(), &run);
    assert!(matches!(result, Err(Error::Cancelled)));
}

#[test]
fn a_model_survives_the_file_and_a_damaged_one_is_refused() {
    let (x, y) = (random(10, 2, 32), random(10, 2, 33));
    let model = Ridge::default()
        .fit(Measured::many(&x, y.view()).unwrap())
        .unwrap();
    let entries = didact_linear::catalogue();
    let loaded = entries[1].routes[0]
        .decode(&model.encode().unwrap())
        .unwrap();
    let predicted = loaded
        .as_regress()
        .unwrap()
        .regress(didact_core::Rows::Dense(x.view()))
        .unwrap();
    assert_eq!(predicted, model.predict(&x).unwrap());
    let Shape::Hyperplanes { normals, offsets } = &model.figures()[0].1 else {
        panic!("a plane")
    };
    assert_eq!((normals.dim(), offsets.len()), ((2, 4), 2));
    assert_eq!(normals.slice(s![.., 2..]), array![[-1.0, 0.0], [0.0, -1.0]]);
    // A model of two columns whose intercepts are those of another one.
    let other = Ridge::default()
        .fit(Measured::new(&x, &y.column(0).to_vec()).unwrap())
        .unwrap();
    assert!(with_other_intercepts(&model, &other).is_err());
    assert!(with_other_intercepts(&model, &model).is_ok());
}

/// The first model with the intercepts of the second, through the encoding of model files.
fn with_other_intercepts(first: &LinearModel, second: &LinearModel) -> didact_core::Result<()> {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Parts {
        coef: Array2<f64>,
        intercept: Array1<f64>,
        rank: usize,
        singular: Option<Array1<f64>>,
        residual_sum_of_squares: Array1<f64>,
        total_sum_of_squares: Array1<f64>,
        trace: Option<didact_core::Trace>,
    }
    let mut parts: Parts = didact_core::encoding::from_bytes(&first.encode()?)?;
    parts.intercept = second.intercept().clone();
    let bytes = didact_core::encoding::to_bytes(&parts)?;
    didact_linear::catalogue()[1].routes[0]
        .decode(&bytes)
        .map(|_| ())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    // 001:REG-17: ‖w‖ never grows with the price; huge prices leave nothing.
    #[test]
    fn weights_shrink_as_the_price_grows(n in 2usize..20, d in 1usize..10, seed: u64) {
        let (x, y) = (random(n, d, seed), random(n, 1, seed ^ 1));
        let length = |alpha: f64| {
            let model = Ridge { alpha, ..Ridge::default() }.fit(Measured::many(&x, y.view()).unwrap()).unwrap();
            model.coef().iter().map(|w| w * w).sum::<f64>().sqrt()
        };
        let lengths: Vec<f64> = [0.0, 1e-3, 0.1, 1.0, 10.0, 1e12].into_iter().map(length).collect();
        prop_assert!(lengths.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)));
        prop_assert!(lengths[5] < 1e-9);
    }

    #[test]
    fn any_cut_gives_the_same_model(n in 8usize..60, cut in 1usize..7, shift in -1e3..1e3, alpha in 0.0..2.0, mean: bool, penalize_intercept: bool, seed: u64) {
        let (x, y) = (random(n, 3, seed) + shift, random(n, 2, seed ^ 1));
        let data = Measured::many(&x, y.view()).unwrap();
        let reduction = if mean { Reduction::Mean } else { Reduction::Sum };
        let ridge = Ridge { alpha, reduction, penalize_intercept, ..Ridge::default() };
        let (whole, pieces) = (ridge.fit(data.clone()).unwrap(), in_pieces(&ridge, &data, &[cut]));
        let scale = 1.0 + whole.coef().iter().fold(0.0_f64, |largest, w| largest.max(w.abs()));
        for (a, b) in whole.coef().iter().zip(pieces.coef()) {
            prop_assert!((a - b).abs() <= 1e-7 * scale, "{a} {b}");
        }
    }
}
