//! Inference, generalised, recursive, Bayesian, component, robust and quantile regression.

use didact_core::{
    Csr, Fit, LearnInPieces, Measured, Model, Next, Regress, Rows, Run, Samples, StopReason,
    Transform,
};
use didact_linear::{
    BayesianLinearRegression, HuberRegressor, IntervalOf, LinearRegression, Noise, PlsDiscriminant,
    PlsRegression, PrincipalComponentRegression, Prior, QuantileRegressor, RecursiveFilter,
    RecursiveLeastSquares, Ridge, generalised_least_squares,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};
use proptest::prelude::*;

fn problem(n: usize, d: usize, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let x = random_matrix(n, d, seed);
    let noise = random_matrix(n, 1, seed + 1);
    let truth = Array1::from_shape_fn(d, |j| 1.0 - 0.4 * j as f64);
    let y = x.dot(&truth) + &(&noise.column(0) * 0.5) + 2.0;
    (x, y.to_vec())
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    let off = (found - expected).abs();
    assert!(
        off <= tolerance * expected.abs(),
        "{found} instead of {expected}"
    );
}

// statsmodels OLS(y, add_constant(X)).fit() on the unscaled diabetes data.
#[test]
fn diabetes_has_the_errors_tests_and_intervals_of_statsmodels() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let model = LinearRegression::default().fit(data.clone()).unwrap();
    let inference = model.inference().unwrap();
    assert_close(
        &inference.standard_errors().row(0).to_owned(),
        &array![
            0.217041435408762,
            5.835821285014883,
            0.717105500560912,
            0.225238169188269,
            0.573331858550062,
            0.530834389766025,
            0.782463845626719,
            5.95863783721633,
            15.669719238707184,
            0.273313950359366
        ],
        1e-9,
    );
    near(
        inference.intercept_standard_errors()[0],
        67.45462110434146,
        1e-9,
    );
    assert_close(
        &model.t_values().unwrap().row(0).to_owned(),
        &array![
            -0.167531255749123,
            -3.917126137703555,
            7.813302348874958,
            4.958342528457888,
            -1.901161286972262,
            1.406183302937907,
            0.475427353184839,
            1.096531139244858,
            4.370411742644471,
            1.024890932033256
        ],
        1e-9,
    );
    near(
        model.intercept_t_values().unwrap()[0],
        -4.95988463119915,
        1e-9,
    );
    near(
        model.intercept_p_values().unwrap()[0],
        1.016617292004053e-6,
        1e-7,
    );
    let p_values = model.p_values().unwrap();
    near(p_values[[0, 0]], 8.670306337000961e-1, 1e-9);
    near(p_values[[0, 2]], 4.296391419518213e-14, 1e-7);
    near(p_values[[0, 9]], 3.059895261964268e-1, 1e-9);
    let band = model.confidence_intervals(0.95).unwrap();
    near(band.lower[[0, 1]], -34.32985748667895, 1e-9);
    near(band.upper[[0, 1]], -11.389438694318144, 1e-9);
    near(model.r2()[0], 5.177484222203498e-1, 1e-9);
    near(model.adjusted_r2().unwrap()[0], 5.065592904853231e-1, 1e-9);
    near(inference.f_test(0).0, 46.27243958524319, 1e-9);
    near(inference.f_test(0).1, 3.828649038185521e-62, 1e-6);
    near(inference.log_likelihood()[0], -2385.992862123519, 1e-12);
    near(inference.aic()[0], 4793.985724247039, 1e-12);
    near(inference.bic()[0], 4838.990132949893, 1e-12);
    near(inference.residual_variance()[0], 2932.681637200334, 1e-9);
    // get_prediction(X[:2]).summary_frame(alpha=0.1)
    let rows = data.samples.rows().slice(0..2);
    let mean = model.intervals(rows, IntervalOf::Mean, 0.9).unwrap();
    near(mean.lower[[0, 0]], 194.259470776115, 1e-9);
    near(mean.upper[[1, 0]], 81.414024632561, 1e-9);
    let target = model.intervals(rows, IntervalOf::Target, 0.9).unwrap();
    near(target.lower[[0, 0]], 116.064968435405, 1e-9);
    near(target.upper[[1, 0]], 158.330394486011, 1e-9);
    // get_influence(), durbin_watson, jarque_bera
    let diagnostics = model.diagnostics(&data, 0).unwrap();
    near(diagnostics.leverage[0], 0.01764315971571, 1e-9);
    near(diagnostics.standardised[0], -1.026871099560219, 1e-9);
    near(diagnostics.studentised[1], 0.129254758029935, 1e-7);
    near(diagnostics.cooks_distance[0], 1.721655559229495e-3, 1e-8);
    near(diagnostics.durbin_watson, 2.028543219254427, 1e-9);
    near(diagnostics.jarque_bera.0, 1.403755375412143, 1e-8);
    near(diagnostics.jarque_bera.1, 0.495653746531972, 1e-8);
    // The leverages of p weights add up to p.
    near(diagnostics.leverage.sum(), 11.0, 1e-9);
    assert!(Model::validate(&model).is_ok());
}

// statsmodels OLS(y, X).fit(): the sums of squares are about zero.
#[test]
fn without_an_intercept_the_errors_are_those_of_statsmodels_too() {
    let diabetes = didact_datasets::diabetes();
    let plain = LinearRegression {
        fit_intercept: false,
    };
    let model = plain.fit(diabetes.measured().unwrap()).unwrap();
    let inference = model.inference().unwrap();
    near(inference.standard_errors()[[0, 0]], 0.22256002903241, 1e-9);
    near(inference.standard_errors()[[0, 9]], 0.278798047033663, 1e-9);
    near(inference.f_test(0).0, 372.2979937179572, 1e-9);
    near(inference.log_likelihood()[0], -2398.2601613661973, 1e-12);
    assert_eq!(inference.intercept_standard_errors()[0], 0.0);
}

#[test]
fn errors_are_absent_where_they_mean_nothing() {
    let (x, y) = problem(20, 3, 1);
    let fit = |x: &Array2<f64>, y: &[f64]| {
        let model = LinearRegression::default().fit(Measured::new(x, y).unwrap());
        model.unwrap()
    };
    let dependent = concatenate![Axis(1), x, x];
    assert!(fit(&dependent, &y).inference().is_none());
    assert!(
        fit(&x.slice(s![..4, ..]).to_owned(), &y[..4])
            .inference()
            .is_none()
    );
    let message = fit(&dependent, &y)
        .confidence_intervals(0.9)
        .unwrap_err()
        .to_string();
    assert!(message.contains("standard errors"), "{message}");
    assert!(fit(&x, &y).confidence_intervals(1.0).is_err());
    let ridge = Ridge::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    assert!(ridge.inference().is_none());
    // A perfect fit has errors of zero and weights that are certain.
    let exact: Vec<f64> = x.column(0).to_vec();
    let model = fit(&x, &exact);
    assert!(
        model
            .p_values()
            .unwrap()
            .iter()
            .all(|p| (0.0..=1.0).contains(p))
    );
}

// 004:M24: GLS and WLS of statsmodels on thirty rows of the diabetes data.
#[test]
fn any_covariance_of_the_noise_gives_the_weights_and_errors_of_statsmodels() {
    let diabetes = didact_datasets::diabetes();
    let x = diabetes.features();
    let a = concatenate![Axis(1), Array2::ones((30, 1)), x.slice(s![..30, 2..5])];
    let data = diabetes.measured().unwrap();
    let b = data.targets.slice(s![..30, 0]);
    let correlated = Array2::from_shape_fn((30, 30), |(i, j)| 0.6_f64.powi(i.abs_diff(j) as i32));
    let found =
        generalised_least_squares(a.view(), b, &Noise::Covariance(correlated), None).unwrap();
    assert_close(
        &found.weights,
        &array![
            -66.73456350028421,
            3.646980700536565,
            0.995844546390869,
            0.149816817721669
        ],
        1e-10,
    );
    near(found.scale(), 8361.108259493692, 1e-10);
    let errors = (found.covariance.diag().to_owned() * found.scale()).mapv(f64::sqrt);
    assert_close(
        &errors,
        &array![
            129.51654731614767,
            3.010430532680249,
            1.156001558824744,
            0.44313515959537
        ],
        1e-10,
    );
    let variances = Array1::from_shape_fn(30, |i| 1.0 + i as f64);
    let found = generalised_least_squares(a.view(), b, &Noise::Variances(variances), None).unwrap();
    assert_close(
        &found.weights,
        &array![
            14.452963124896911,
            5.065143024559255,
            -0.494731864605394,
            0.188839697060947
        ],
        1e-10,
    );
    let errors = (found.covariance.diag().to_owned() * found.scale()).mapv(f64::sqrt);
    near(errors[1], 2.371795412623086, 1e-10);
    // Σ = I is ordinary least squares.
    let found = generalised_least_squares(a.view(), b, &Noise::Variance(1.0), None).unwrap();
    let plain = LinearRegression::default()
        .fit(
            Measured::many(
                &x.slice(s![..30, 2..5]).to_owned(),
                data.targets.slice(s![..30, ..]),
            )
            .unwrap(),
        )
        .unwrap();
    assert_close(
        &found.weights.slice(s![1..]).to_owned(),
        &plain.coef().row(0).to_owned(),
        1e-9,
    );
}

// 004:M25: a prior N(0, I/λ) is ridge; a certain prior is the answer itself.
#[test]
fn a_prior_of_equal_variances_is_ridge_without_an_intercept() {
    let (x, y) = problem(25, 4, 2);
    let lambda = 3.0;
    let prior = Prior {
        mean: Array1::zeros(4),
        covariance: Array2::from_diag_elem(4, 1.0 / lambda),
    };
    let b = Array1::from(y.clone());
    let found =
        generalised_least_squares(x.view(), b.view(), &Noise::Variance(1.0), Some(&prior)).unwrap();
    let ridge = Ridge {
        alpha: lambda,
        fit_intercept: false,
        ..Ridge::default()
    };
    let expected = ridge.fit(Measured::new(&x, &y).unwrap()).unwrap();
    assert_close(&found.weights, &expected.coef().row(0).to_owned(), 1e-11);
    // λ is relative to the noise: four times the variance is a quarter of the prior's.
    let found =
        generalised_least_squares(x.view(), b.view(), &Noise::Variance(4.0), Some(&prior)).unwrap();
    let quadrupled = Ridge {
        alpha: 4.0 * lambda,
        ..ridge
    };
    let expected = quadrupled.fit(Measured::new(&x, &y).unwrap()).unwrap();
    assert_close(&found.weights, &expected.coef().row(0).to_owned(), 1e-11);
    let certain = Prior {
        mean: array![1.0, 2.0, 3.0, 4.0],
        covariance: Array2::from_diag_elem(4, 1e-16),
    };
    let found =
        generalised_least_squares(x.view(), b.view(), &Noise::Variance(1.0), Some(&certain))
            .unwrap();
    assert_close(&found.weights, &certain.mean, 1e-10);
}

#[test]
fn noise_that_cannot_be_is_refused_with_its_name() {
    let (a, b) = (Array2::<f64>::ones((2, 1)), array![1.0, 2.0]);
    let say = |noise: Noise| {
        let result = generalised_least_squares(a.view(), b.view(), &noise, None);
        result.unwrap_err().to_string()
    };
    assert!(say(Noise::Variance(0.0)).starts_with("noise is 0"));
    assert!(say(Noise::Variances(array![1.0])).contains("2 rows"));
    assert!(say(Noise::Covariance(array![[1.0, 2.0], [2.0, 1.0]])).contains("positive definite"));
    let wide = Array2::ones((2, 3));
    assert!(generalised_least_squares(wide.view(), b.view(), &Noise::Variance(1.0), None).is_err());
}

// 004:M53: after every row the recursion is the batch solution with the same prior; K, X, P by
// the printed formulas.
#[test]
fn the_recursion_is_ridge_at_every_step() {
    let (x, y) = problem(12, 3, 3);
    let mut filter = RecursiveFilter::new(3, 2.0).unwrap();
    for n in 1..=12 {
        let row = x.row(n - 1).to_vec();
        let expected = filter.weights().dot(&x.row(n - 1));
        let surprise = filter.observe(&row, y[n - 1], 0.25).unwrap();
        near(surprise, y[n - 1] - expected, 1e-12);
        let seen = x.slice(s![..n, ..]).to_owned();
        let b = Array1::from(y[..n].to_vec());
        let prior = Prior {
            mean: Array1::zeros(3),
            covariance: Array2::from_diag_elem(3, 2.0),
        };
        let batch =
            generalised_least_squares(seen.view(), b.view(), &Noise::Variance(0.25), Some(&prior))
                .unwrap();
        assert_close(filter.weights(), &batch.weights, 1e-11);
        assert_close(filter.covariance(), &batch.covariance, 1e-11);
    }
}

// 004:M53: a large P₀ gives least squares; P₀ is a covariance, so larger means weaker.
#[test]
fn a_wide_prior_gives_least_squares_and_a_narrow_one_gives_nothing() {
    let (x, y) = problem(40, 3, 4);
    let fit = |prior_variance: f64| {
        let recursive = RecursiveLeastSquares {
            prior_variance,
            ..RecursiveLeastSquares::default()
        };
        recursive.fit(Measured::new(&x, &y).unwrap()).unwrap()
    };
    let plain = LinearRegression::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    assert_close(fit(1e10).coef(), plain.coef(), 1e-9);
    assert!(fit(1e-9).coef().iter().all(|w| w.abs() < 1e-6));
}

#[test]
fn the_filter_and_the_algorithm_agree_and_forgetting_follows_a_drift() {
    let (x, y) = problem(30, 2, 5);
    let forgetful = RecursiveLeastSquares {
        prior_variance: 3.0,
        noise_variance: 0.5,
        forgetting: 0.8,
        fit_intercept: true,
    };
    let data = Measured::new(&x, &y).unwrap();
    let model = forgetful.fit(data.clone()).unwrap();
    let mut filter = RecursiveFilter::new(3, 3.0)
        .unwrap()
        .forgetting(0.8)
        .unwrap();
    for (row, y) in x.rows().into_iter().zip(&y) {
        filter.observe(&[row[0], row[1], 1.0], *y, 0.5).unwrap();
    }
    near(model.coef()[[0, 0]], filter.weights()[0], 1e-10);
    near(model.intercept()[0], filter.weights()[2], 1e-10);
    let covariance = filter.covariance().slice(s![..2, ..2]).to_owned();
    assert_close(&model.covariance(), &covariance, 1e-9);
    // Var(w·x + b) with everything that is known about b.
    let a = array![0.3, -0.7, 1.0];
    let row = array![[0.3, -0.7]];
    let predictive = model.predictive(Rows::Dense(row.view())).unwrap();
    near(
        predictive.variance_of_mean[0],
        a.dot(&filter.covariance().dot(&a)),
        1e-9,
    );
    // In pieces, in their order.
    let run = Run::new();
    let head = forgetful
        .summarise(&(), data.slice(0..11), 0, &run)
        .unwrap();
    let tail = forgetful
        .summarise(&(), data.slice(11..30), 11, &run)
        .unwrap();
    let whole = forgetful.merge(head, tail).unwrap();
    let Next::Done(pieces) = forgetful.step((), whole, &run).unwrap() else {
        panic!("one pass is enough")
    };
    assert_close(pieces.coef(), model.coef(), 1e-11);
    // A slope that changes from 1 to 5: only what forgets ends near 5.
    let x = Array2::from_shape_fn((200, 1), |(i, _)| ((i * 37) % 19) as f64 - 9.0);
    let y: Vec<f64> = (0..200)
        .map(|i| x[[i, 0]] * if i < 100 { 1.0 } else { 5.0 })
        .collect();
    let slope = |forgetting: f64| {
        let recursive = RecursiveLeastSquares {
            forgetting,
            ..RecursiveLeastSquares::default()
        };
        recursive
            .fit(Measured::new(&x, &y).unwrap())
            .unwrap()
            .coef()[[0, 0]]
    };
    assert!((slope(0.9) - 5.0).abs() < 0.01 && (slope(1.0) - 3.0).abs() < 0.3);
}

// 002a:PR02, 002a:PR03, 002a:PR05, 002b:GP-01 with the numbers of 002a:EX15; the printed predictive with
// the prior covariance would give the mean 15.
#[test]
fn two_points_have_their_published_posterior_and_predictive() {
    let x = array![[1.0], [2.0]];
    let bayes = BayesianLinearRegression {
        noise_variance: Some(1.0),
        prior_variance: Some(1.0),
        fit_intercept: false,
        ..BayesianLinearRegression::default()
    };
    let model = bayes.fit(Measured::new(&x, &[1.0, 2.0]).unwrap()).unwrap();
    near(model.coef()[[0, 0]], 5.0 / 6.0, 1e-14);
    near(model.covariance()[[0, 0]], 1.0 / 6.0, 1e-14);
    let row = array![[3.0]];
    let predictive = model.predictive(Rows::Dense(row.view())).unwrap();
    near(predictive.mean[0], 2.5, 1e-14);
    near(predictive.variance_of_mean[0], 1.5, 1e-14);
    near(predictive.variance[0], 2.5, 1e-14);
}

// 002a:PR04: ln N(y; 0, τ²XXᵀ + σ²I), here by the determinant and inverse of a 2×2 matrix:
// [[2, 2], [2, 5]] has determinant 6 and yᵀC⁻¹y = (5 − 8 + 8)/6 = 5/6 for y = (1, 2).
#[test]
fn the_evidence_is_the_density_of_the_targets() {
    let x = array![[1.0], [2.0]];
    let bayes = BayesianLinearRegression {
        noise_variance: Some(1.0),
        prior_variance: Some(1.0),
        fit_intercept: false,
        ..BayesianLinearRegression::default()
    };
    let model = bayes.fit(Measured::new(&x, &[1.0, 2.0]).unwrap()).unwrap();
    let expected = -(2.0 * std::f64::consts::PI).ln() - 0.5 * 6.0_f64.ln() - 0.5 * 5.0 / 6.0;
    near(model.log_evidence().unwrap(), expected, 1e-14);
}

// 002a:PR01: the likelihood Π N(yᵢ; xᵢ·w + b, σ²) has the normaliser (2πσ²)^(−n/2) for all n rows, and
// is greatest for the weights of least squares and σ² = RSS/n.
#[test]
fn the_likelihood_is_greatest_at_least_squares_with_the_mean_squared_residual() {
    let (x, y) = problem(30, 4, 21);
    let model = LinearRegression::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    let likelihood = |coef: &Array1<f64>, intercept: f64, variance: f64| {
        let off = Array1::from(y.clone()) - x.dot(coef) - intercept;
        let each = off.mapv(|off| {
            -0.5 * (2.0 * std::f64::consts::PI * variance).ln() - off * off / (2.0 * variance)
        });
        each.sum()
    };
    let (coef, intercept) = (model.coef().row(0).to_owned(), model.intercept()[0]);
    let variance = model.residual_sum_of_squares()[0] / 30.0;
    let best = model.inference().unwrap().log_likelihood()[0];
    near(likelihood(&coef, intercept, variance), best, 1e-12);
    for factor in [0.99, 1.01] {
        assert!(likelihood(&coef, intercept, variance * factor) < best);
        assert!(likelihood(&coef, intercept * factor, variance) < best);
        for j in 0..4 {
            let mut moved = coef.clone();
            moved[j] *= factor;
            assert!(likelihood(&moved, intercept, variance) < best);
        }
    }
}

// 002a:PR01: OLS is recovered when the prior variance grows without bound, not when it vanishes.
#[test]
fn an_infinite_prior_variance_is_least_squares_and_equal_variances_are_ridge() {
    let (x, y) = problem(30, 4, 6);
    let data = || Measured::new(&x, &y).unwrap();
    let bayes = |noise: f64, prior: f64| {
        let bayes = BayesianLinearRegression {
            noise_variance: Some(noise),
            prior_variance: Some(prior),
            ..BayesianLinearRegression::default()
        };
        bayes.fit(data()).unwrap()
    };
    let plain = LinearRegression::default().fit(data()).unwrap();
    assert_close(bayes(1.0, 1e12).coef(), plain.coef(), 1e-9);
    assert!(bayes(1.0, 1e-12).coef().iter().all(|w| w.abs() < 1e-9));
    // 002a:PR02: ridge with α = σ²/τ² exactly.
    let ridge = Ridge {
        alpha: 0.5 / 2.0,
        ..Ridge::default()
    };
    assert_close(
        bayes(0.5, 2.0).coef(),
        ridge.fit(data()).unwrap().coef(),
        1e-11,
    );
}

// 002b:GP-02: weights and functions are two views of one belief. The mean and variance of the
// function space come from the n×n kernel τ²ΦΦᵀ + σ²I; there are more features than rows here.
#[test]
fn weight_space_and_function_space_agree_on_both_sides_of_the_border() {
    for (n, d) in [(9, 20), (20, 9)] {
        let (phi, y) = problem(n, d, 7);
        let (noise, prior) = (0.3, 0.7);
        let bayes = BayesianLinearRegression {
            noise_variance: Some(noise),
            prior_variance: Some(prior),
            fit_intercept: false,
            ..BayesianLinearRegression::default()
        };
        let model = bayes.fit(Measured::new(&phi, &y).unwrap()).unwrap();
        let fresh = random_matrix(3, d, 8);
        let predictive = model.predictive(Rows::Dense(fresh.view())).unwrap();
        let mut kernel = phi.dot(&phi.t()) * prior;
        kernel.diag_mut().mapv_inplace(|value| value + noise);
        let factor = didact_math::linalg::Cholesky::new(kernel.view()).unwrap();
        let across = phi.dot(&fresh.t()) * prior;
        let mean = across
            .t()
            .dot(&factor.solve_vector(Array1::from(y.clone()).view()));
        assert_close(&predictive.mean, &mean, 1e-10);
        let solved = factor.solve(across.view());
        for row in 0..3 {
            let own = prior * fresh.row(row).dot(&fresh.row(row));
            let variance = own - across.column(row).dot(&solved.column(row));
            near(predictive.variance_of_mean[row], variance, 1e-9);
            near(predictive.variance[row], variance + noise, 1e-9);
        }
    }
}

// BayesianRidge(alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, tol=1e-14) of scikit-learn.
#[test]
fn the_variances_of_highest_evidence_are_those_of_scikit_learn() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let model = BayesianLinearRegression::default()
        .fit(data.clone())
        .unwrap();
    near(model.noise_variance().recip(), 0.0003240427554077848, 1e-7);
    near(model.prior_variance().recip(), 0.08228737782828208, 1e-6);
    assert_close(
        &model.coef().row(0).to_owned(),
        &array![
            -0.04356262520032643,
            -5.859178255028958,
            6.073460384086009,
            1.0565292372433956,
            1.1641200777575142,
            -1.2966661882294068,
            -2.033719201111624,
            0.8225889090287244,
            3.2459095231742054,
            0.34994653770853623
        ],
        1e-7,
    );
    near(model.log_evidence().unwrap(), -2422.24420848616, 1e-10);
    assert_eq!(Model::trace(&model).unwrap().stop, StopReason::Converged);
    // A maximum: neighbours explain the targets less well.
    for (noise, prior) in [(1.05, 1.0), (0.95, 1.0), (1.0, 1.05), (1.0, 0.95)] {
        let other = BayesianLinearRegression {
            noise_variance: Some(noise * model.noise_variance()),
            prior_variance: Some(prior * model.prior_variance()),
            ..BayesianLinearRegression::default()
        };
        let other = other.fit(data.clone()).unwrap();
        assert!(other.log_evidence() < model.log_evidence());
    }
    let predictive = model.predictive(data.samples.rows().slice(0..2)).unwrap();
    near(predictive.mean[0], 204.59583474, 1e-7);
    // predict(return_std=True), without the variance of the intercept.
    let own = model.noise_variance() / 442.0;
    near(predictive.variance[1] - own, 3127.72578245, 1e-8);
}

// 002a:PCR01: all components are least squares; fewer ignore what the target needs.
#[test]
fn all_principal_components_are_least_squares() {
    let diabetes = didact_datasets::diabetes();
    let data = || diabetes.measured().unwrap();
    let all = PrincipalComponentRegression::default().fit(data()).unwrap();
    let plain = LinearRegression::default().fit(data()).unwrap();
    assert_close(all.coef(), plain.coef(), 1e-8);
    // PCA(3) and LinearRegression of scikit-learn.
    let three = PrincipalComponentRegression {
        n_components: Some(3),
    };
    assert_close(
        &three.fit(data()).unwrap().coef().row(0).to_owned(),
        &array![
            0.972010769045326,
            0.027449405136441,
            0.294761255757027,
            1.40819583619049,
            -0.153606380395927,
            0.282356389233652,
            -1.17873910181273,
            0.085562445379648,
            0.030903451812813,
            0.964463849080116
        ],
        1e-8,
    );
}

// 002a:FIG60: the rows vary most along the first axis, the target along the second.
#[test]
fn one_component_of_pls_finds_what_one_principal_component_misses() {
    let noise = random_matrix(200, 2, 9);
    let x = Array2::from_shape_fn((200, 2), |(i, j)| {
        noise[[i, j]] * if j == 0 { 10.0 } else { 1.0 }
    });
    let y: Vec<f64> = x.column(1).to_vec();
    let data = || Measured::new(&x, &y).unwrap();
    let blind = PrincipalComponentRegression {
        n_components: Some(1),
    };
    let looking = PlsRegression {
        n_components: 1,
        scale: true,
    };
    assert!(blind.fit(data()).unwrap().r2()[0] < 0.1);
    assert!(looking.fit(data()).unwrap().r2()[0] > 0.9);
}

// 002a:PLS03 with PLSRegression of scikit-learn on diabetes and on the three targets of linnerud.
#[test]
fn pls_has_the_weights_of_scikit_learn() {
    let diabetes = didact_datasets::diabetes();
    let model = PlsRegression::default()
        .fit(diabetes.measured().unwrap())
        .unwrap();
    assert_close(
        &model.coef().row(0).to_owned(),
        &array![
            3.517521359942636e-02,
            -1.800913703189365e+01,
            5.519268422159685,
            1.116957708517022,
            -1.141499403554325e-01,
            -2.42361838912716e-1,
            -8.567453088269964e-01,
            4.467625493974339,
            3.618374216086669e+01,
            6.67677982102063e-1
        ],
        1e-9,
    );
}

// 002a:PLS03: all components are least squares, the components are uncorrelated.
#[test]
fn all_components_of_pls_are_least_squares_and_scores_are_orthogonal() {
    let (x, y) = problem(50, 5, 10);
    let targets = concatenate![
        Axis(1),
        Array1::from(y.clone()).insert_axis(Axis(1)),
        random_matrix(50, 1, 11)
    ];
    let data = || Measured::many(&x, targets.view()).unwrap();
    let all = PlsRegression {
        n_components: 5,
        scale: false,
    };
    let model = all.fit(data()).unwrap();
    let plain = LinearRegression::default().fit(data()).unwrap();
    assert_close(model.coef(), plain.coef(), 1e-9);
    let scores = model.transform(&x).unwrap().into_dense();
    let products = scores.t().dot(&scores);
    for i in 0..5 {
        for j in 0..i {
            let size = (products[[i, i]] * products[[j, j]]).sqrt();
            assert!(products[[i, j]].abs() < 1e-9 * size);
        }
    }
    // More columns than rows: the same from the rows as from the products of columns.
    let (wide, y) = problem(8, 20, 12);
    let few = PlsRegression {
        n_components: 3,
        scale: true,
    };
    let from_rows = few.fit(Measured::new(&wide, &y).unwrap()).unwrap();
    let run = Run::new();
    let moments = few
        .summarise(&(), Measured::new(&wide, &y).unwrap(), 0, &run)
        .unwrap();
    let Next::Done(from_products) = few.step((), moments, &run).unwrap() else {
        panic!("one pass is enough")
    };
    assert_close(from_rows.coef(), from_products.coef(), 1e-9);
    let sparse = Csr::from_dense(wide.view());
    let from_sparse = few.fit(Measured::new(&sparse, &y).unwrap()).unwrap();
    assert_close(from_rows.coef(), from_sparse.coef(), 1e-10);
}

// 002a:PLS03: classification on indicators, and axes that separate.
#[test]
fn pls_discriminant_separates_the_wines() {
    use didact_core::{Classify, Scores};
    let wine = didact_datasets::wine();
    let model = PlsDiscriminant::default()
        .fit(wine.labelled().unwrap())
        .unwrap();
    let predicted = Classify::predict(&model, wine.samples()).unwrap();
    let labels = &wine.labels().unwrap().indices;
    let wrong = predicted.iter().zip(labels).filter(|(a, b)| a != b).count();
    assert!(wrong <= 5, "{wrong} of 178 are wrong");
    // Indicators of all classes add up to one.
    let scores = model.decision_function(wine.samples()).unwrap();
    assert!(
        scores
            .rows()
            .into_iter()
            .all(|row| (row.sum() - 1.0).abs() < 1e-9)
    );
    let cancer = didact_datasets::breast_cancer();
    let model = PlsDiscriminant::default()
        .fit(cancer.labelled().unwrap())
        .unwrap();
    let scores = model.decision_function(cancer.samples()).unwrap();
    let predicted = Classify::predict(&model, cancer.samples()).unwrap();
    assert_eq!(scores.ncols(), 1);
    let sides = scores.column(0).mapv(|score| usize::from(score >= 0.0));
    assert_eq!(predicted, sides.to_vec());
}

// HuberRegressor(alpha=1e-4, tol=1e-12) of scikit-learn; both minimise the same convex objective,
// whose value is compared because scikit-learn stops early on unscaled columns.
#[test]
fn huber_reaches_the_objective_of_scikit_learn_or_better() {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let model = HuberRegressor::default().fit(data.clone()).unwrap();
    let objective = |w: &Array1<f64>, b: f64, sigma: f64| {
        let x = data.samples.dense().unwrap();
        let residuals = &data.targets.column(0) - &x.dot(w) - b;
        let each = residuals.mapv(|r| {
            let z = (r / sigma).abs();
            let loss = if z < 1.35 {
                z * z
            } else {
                2.7 * z - 1.35 * 1.35
            };
            sigma * (1.0 + loss)
        });
        each.sum() + 1e-4 * w.dot(w)
    };
    let theirs = array![
        -0.108946899132996,
        -27.07108264239482,
        5.71660259354497,
        1.172046062053341,
        -1.045847705294798,
        0.660036637507284,
        0.268479404496694,
        6.423549972427805,
        71.02430325730236,
        0.177378918710313
    ];
    let least = objective(&theirs, -329.11189294795093, 37.32441022132912);
    let ours = objective(
        &model.coef().row(0).to_owned(),
        model.intercept()[0],
        model.scale(),
    );
    assert!(ours <= least * (1.0 + 1e-9), "{ours} instead of {least}");
    assert_eq!(Model::trace(&model).unwrap().stop, StopReason::Converged);
    assert!((model.n_outliers() as i64 - 159).abs() <= 1);
}

// The rounding of a long sum once hid the last falls of the objective, and the search went on
// among values that rose and fell by chance.
#[test]
fn huber_needs_no_more_iterations_for_many_rows() {
    for seed in 6..12 {
        let (x, y) = problem(20_000, 5, seed);
        let data = Measured::new(&x, &y).unwrap();
        let model = HuberRegressor::default().fit(data).unwrap();
        let trace = model.trace().unwrap();
        assert_eq!(trace.stop, StopReason::Converged);
        assert!(trace.n_iter() <= 10, "{:?}", trace.objectives);
    }
}

#[test]
fn one_wild_target_moves_least_squares_but_not_huber() {
    let (x, mut y) = problem(60, 3, 13);
    let before = HuberRegressor::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    y[7] = 1e6;
    let after = HuberRegressor::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    let moved = (before.coef() - after.coef()).mapv(f64::abs).sum();
    assert!(moved < 0.2, "{moved}");
    // A huge ε is the squared loss: least squares.
    let (x, y) = problem(60, 3, 14);
    let mild = HuberRegressor {
        epsilon: 1e6,
        alpha: 0.0,
        ..HuberRegressor::default()
    };
    let plain = LinearRegression::default()
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap();
    assert_close(
        mild.fit(Measured::new(&x, &y).unwrap()).unwrap().coef(),
        plain.coef(),
        1e-7,
    );
}

// QuantileRegressor(solver="highs") of scikit-learn.
#[test]
fn quantiles_have_the_weights_of_scikit_learn() {
    let diabetes = didact_datasets::diabetes();
    let data = || diabetes.measured().unwrap();
    let fit = |quantile: f64, alpha: f64| {
        let regressor = QuantileRegressor {
            quantile,
            alpha,
            ..QuantileRegressor::default()
        };
        regressor.fit(data()).unwrap()
    };
    let median = fit(0.5, 0.0);
    near(median.objective(), 21.520750342938967, 1e-9);
    assert_close(
        &median.coef().row(0).to_owned(),
        &array![
            3.419169579229413e-02,
            -31.1126282280859,
            5.021181863332465,
            1.401579274341208,
            -1.178733165149913,
            6.488785052505712e-01,
            5.416172068027569e-01,
            9.515700203169436,
            6.948084388762605e+01,
            2.104542639570742e-01
        ],
        1e-6,
    );
    assert!(median.dual_gap() <= 1e-8);
    let high = fit(0.9, 0.0);
    near(high.objective(), 9.087896783858502, 1e-9);
    near(high.intercept()[0], -420.1132475389324, 1e-6);
    let below = high.predict(data().samples).unwrap();
    let share = data()
        .targets
        .iter()
        .zip(&below)
        .filter(|(y, p)| y <= p)
        .count();
    assert!((share as f64 - 0.9 * 442.0).abs() <= 11.0);
    let sparse = fit(0.5, 0.3);
    assert_close(
        &sparse.coef().row(0).to_owned(),
        &array![
            0.0,
            0.0,
            4.328471086584041,
            1.317845483165037,
            0.898129814669655,
            -0.915839575734442,
            -1.731983696369612,
            0.0,
            0.0,
            0.418589852997404
        ],
        1e-6,
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    // At a minimum at most τ·n targets lie above and (1 − τ)·n below; d + 1 may lie on it.
    #[test]
    fn the_share_below_the_hyperplane_is_the_quantile(n in 10usize..60, d in 1usize..5, seed in 0u64..500, tau in 0.1..0.9f64) {
        let (x, y) = problem(n, d, seed);
        let regressor = QuantileRegressor { quantile: tau, ..QuantileRegressor::default() };
        let model = regressor.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let predicted = model.predict(&x).unwrap();
        let above = y.iter().zip(&predicted).filter(|(y, p)| *y - *p > 1e-6).count();
        let below = y.iter().zip(&predicted).filter(|(y, p)| *y - *p < -1e-6).count();
        prop_assert!(above as f64 <= (1.0 - tau) * n as f64 + 1e-9);
        prop_assert!(below as f64 <= tau * n as f64 + 1e-9);
    }

    #[test]
    fn weights_count_like_repeated_rows(seed in 0u64..200) {
        let (x, y) = problem(20, 2, seed);
        let counts: Vec<f64> = (0..20).map(|row| f64::from(1 + row % 2)).collect();
        let repeated: Vec<usize> = (0..20).flat_map(|row| vec![row; 1 + row % 2]).collect();
        let long = x.select(Axis(0), &repeated);
        let long_y: Vec<f64> = repeated.iter().map(|&row| y[row]).collect();
        let weighted = || Measured::new(Samples::from(&x).weighted(&counts).unwrap(), &y).unwrap();
        let plain = || Measured::new(&long, &long_y).unwrap();
        let a = HuberRegressor::default().fit(weighted()).unwrap();
        let b = HuberRegressor::default().fit(plain()).unwrap();
        assert_close(a.coef(), b.coef(), 1e-6);
        let a = PlsRegression { n_components: 1, scale: true }.fit(weighted()).unwrap();
        let b = PlsRegression { n_components: 1, scale: true }.fit(plain()).unwrap();
        assert_close(a.coef(), b.coef(), 1e-10);
        let a = LinearRegression::default().fit(weighted()).unwrap();
        let b = LinearRegression::default().fit(plain()).unwrap();
        assert_close(a.inference().unwrap().standard_errors(), b.inference().unwrap().standard_errors(), 1e-10);
        let a = BayesianLinearRegression::default().fit(weighted()).unwrap();
        let b = BayesianLinearRegression::default().fit(plain()).unwrap();
        assert_close(a.coef(), b.coef(), 1e-8);
    }
}
