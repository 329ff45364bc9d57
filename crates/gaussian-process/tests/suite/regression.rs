//! Gaussian process regression against numbers, identities and limits.

use didact_core::{Fit, Measured, Model, Regress, Rows, Run, Samples, encoding};
use didact_gaussian_process::{
    Covariance, CovarianceKernel, CovarianceShape, GaussianProcessModel, GaussianProcessRegressor,
    Process, ProcessCriterion, Smoothness,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, Axis, array, concatenate, s};
use proptest::prelude::*;

fn fixed(noise: f64) -> GaussianProcessRegressor {
    GaussianProcessRegressor {
        noise,
        optimize: false,
        ..GaussianProcessRegressor::default()
    }
}

fn fit(method: &GaussianProcessRegressor, x: &Array2<f64>, y: &[f64]) -> GaussianProcessModel {
    method.fit(Measured::new(x, y).unwrap()).unwrap()
}

fn column(values: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((values.len(), 1), values.to_vec()).unwrap()
}

fn waves() -> (Array2<f64>, Vec<f64>) {
    let x = Array2::from_shape_fn((12, 2), |(row, column)| match column {
        0 => (1.7 * row as f64).sin(),
        _ => (2.3 * row as f64).cos(),
    });
    let y = x.rows().into_iter().enumerate();
    let y = y.map(|(row, x)| (3.0 * x[0]).sin() + 0.5 * x[1] + 0.1 * (5.0 * row as f64).cos());
    let y = y.collect();
    (x, y)
}

// 002b:GP-06, 002b:GP-07, 002b:GP-08, 002b:GP-09: the table of numbers with k = exp(−½r²),
// X = {0, 1}, y = {1, −1}. Variance σ², not deviation: with N(0, σ) the second row would be that
// of σ² = 0.0001.
#[test]
fn two_points_have_the_means_and_variances_worked_out_by_hand() {
    let queries = column(&[0.0, 0.25, 0.5, 2.0, -3.0]);
    let exact = [
        [1.0, 0.0],
        [0.544_880, 0.016_483],
        [0.0, 0.030_456],
        [-1.197_540, 0.546_572],
        [0.027_381, 0.999_812],
    ];
    let noisy = [
        [0.975_215, 0.009_845],
        [0.531_375, 0.023_654],
        [0.0, 0.036_454],
        [-1.167_859, 0.554_625],
        [0.026_702, 0.999_816],
    ];
    for (noise, weight, expected) in [(0.0, 2.541_494, exact), (0.01, 2.478_503, noisy)] {
        let model = fit(&fixed(noise), &column(&[0.0, 1.0]), &[1.0, -1.0]);
        let found = model.predictive(Rows::Dense(queries.view())).unwrap();
        for (row, [mean, variance]) in expected.into_iter().enumerate() {
            assert!((found.mean[[row, 0]] - mean).abs() < 1e-6);
            assert!((found.variance_of_mean[[row, 0]] - variance).abs() < 1e-6);
            let target = found.variance[[row, 0]] - found.variance_of_mean[[row, 0]];
            assert!((target - noise).abs() < 1e-15);
        }
        // The expansion in kernels of the training points.
        let kernel = |x: f64| (-0.5 * x * x).exp();
        let expansion = weight * (kernel(2.0) - kernel(1.0));
        assert!((found.mean[[3, 0]] - expansion).abs() < 1e-5);
    }
}

// 002b:GP-06
#[test]
fn without_noise_the_function_passes_through_the_targets_and_is_free_far_away() {
    let (x, y) = waves();
    for kernel in [
        CovarianceKernel::Rbf,
        CovarianceKernel::Matern32,
        CovarianceKernel::RationalQuadratic,
    ] {
        let method = GaussianProcessRegressor {
            kernel,
            ..fixed(0.0)
        };
        let model = fit(&method, &x, &y);
        let found = model.predictive(Rows::Dense(x.view())).unwrap();
        for (row, y) in y.iter().enumerate() {
            assert!((found.mean[[row, 0]] - y).abs() < 1e-6);
            assert!(found.variance_of_mean[[row, 0]] < 1e-6);
        }
        let far = array![[1e4, 0.0]];
        let found = model.predictive(Rows::Dense(far.view())).unwrap();
        assert!(found.mean[[0, 0]].abs() < 1e-6);
        assert!((found.variance_of_mean[[0, 0]] - 1.0).abs() < 1e-6);
    }
}

// 002b:GP-10: ±1 standard deviation is 68.3 %, which the text calls 97 %.
#[test]
fn the_band_is_as_wide_as_asked_for() {
    let model = fit(&fixed(0.04), &column(&[0.0]), &[1.0]);
    let found = model
        .predictive(Rows::Dense(column(&[0.0, 9.0]).view()))
        .unwrap();
    let (lower, upper) = found.band(2.0);
    assert!((upper[[1, 0]] - lower[[1, 0]] - 4.0).abs() < 1e-12);
    let (lower, upper) = found.target_band(1.0);
    assert!((upper[[1, 0]] - lower[[1, 0]] - 2.0 * 1.04_f64.sqrt()).abs() < 1e-12);
    // At a training point f is known to 1 − 1/1.04, about the noise.
    assert!((found.variance_of_mean[[0, 0]] - (1.0 - 1.0 / 1.04)).abs() < 1e-12);
}

// 002b:GP-05
#[test]
fn functions_drawn_before_the_data_have_the_covariance_of_the_process() {
    let covariance = Covariance::new(CovarianceShape::Rbf, 2.0, array![0.7]).unwrap();
    let process = Process::new(covariance, 0.1).unwrap();
    let x = column(&[0.0, 0.5, 2.0]);
    let draws = process.draw(x.view(), 40_000, 1, &Run::new()).unwrap();
    let found = draws.values.dot(&draws.values.t()) / 40_000.0;
    let expected = process.covariance().matrix(x.view(), &Run::new()).unwrap();
    // The standard error of a product of normals of variance 2 is at most 2·√2/√40000.
    let error = (&found - &expected).mapv(f64::abs);
    assert!(
        error
            .iter()
            .all(|error| *error < 4.0 * 2.0 * 2f64.sqrt() / 200.0)
    );
    assert_eq!(draws.jitter, 0.0);
    // Equal rows are singular: the jitter is shown.
    let twice = column(&[1.0, 1.0, 1.0]);
    let draws = process.draw(twice.view(), 3, 1, &Run::new()).unwrap();
    assert!(draws.jitter > 0.0 && draws.jitter < 1e-9);
    assert!((draws.values[[0, 2]] - draws.values[[1, 2]]).abs() < 1e-4);
}

// 002b:GP-06
#[test]
fn functions_drawn_after_the_data_agree_with_the_predictive_law() {
    let (x, y) = waves();
    let normalised = GaussianProcessRegressor {
        normalize_y: true,
        ..fixed(0.01)
    };
    let model = fit(&normalised, &x, &y);
    let queries = random_matrix(3, 2, 5);
    let rows = Rows::Dense(queries.view());
    let draws = model.draw(rows, 20_000, 7).unwrap().values;
    let predictive = model.predictive(rows).unwrap();
    for row in 0..3 {
        let drawn = draws.row(row);
        let mean = drawn.mean().unwrap();
        let variance = drawn.mapv(|value| (value - mean).powi(2)).mean().unwrap();
        let expected = predictive.variance_of_mean[[row, 0]];
        assert!((mean - predictive.mean[[row, 0]]).abs() < 4.0 * (expected / 2e4).sqrt());
        assert!((variance / expected - 1.0).abs() < 4.0 * (2.0_f64 / 2e4).sqrt());
    }
    assert_eq!(draws, model.draw(rows, 20_000, 7).unwrap().values);
}

// 002b:GP-03: any marginal of the joint law is the law of fewer rows, and several targets are
// as many processes.
#[test]
fn marginals_and_single_targets_are_processes_of_their_own() {
    let (x, y) = waves();
    let other: Vec<f64> = x.column(1).iter().map(|x| 3.0 - x * x).collect();
    let both = Array2::from_shape_fn((12, 2), |(row, target)| match target {
        0 => y[row],
        _ => other[row],
    });
    let method = GaussianProcessRegressor {
        normalize_y: true,
        ..fixed(0.05)
    };
    let model = method
        .fit(Measured::many(&x, both.view()).unwrap())
        .unwrap();
    let queries = random_matrix(5, 2, 3);
    let together = model.predictive(Rows::Dense(queries.view())).unwrap();
    for (target, y) in [&y, &other].into_iter().enumerate() {
        let alone = fit(&method, &x, y);
        let alone = alone.predictive(Rows::Dense(queries.view())).unwrap();
        let mean = together.mean.slice(s![.., target..=target]).to_owned();
        assert_close(&mean, &alone.mean, 1e-12);
        let variance = together.variance.slice(s![.., target..=target]).to_owned();
        assert_close(&variance, &alone.variance, 1e-12);
    }
    let joint = model.covariance(Rows::Dense(queries.view())).unwrap();
    let part = queries.slice(s![1..4, ..]);
    let marginal = model.covariance(Rows::Dense(part)).unwrap();
    assert_close(&joint.slice(s![1..4, 1..4]).to_owned(), &marginal, 1e-12);
}

// 002b:GP-08, 002b:GP-13: GaussianProcessRegressor(ConstantKernel(1.5)·… + WhiteKernel(0.05))
// of scikit-learn 1.7 on the waves: log_marginal_likelihood(theta, eval_gradient=True).
#[test]
fn the_evidence_and_its_gradient_are_those_of_scikit_learn() {
    let (x, y) = waves();
    let data = Measured::new(&x, &y).unwrap();
    let rough = CovarianceShape::Matern;
    let mixture = CovarianceShape::RationalQuadratic { scale_mixture: 0.7 };
    let cases = [
        (
            CovarianceShape::Rbf,
            array![0.8],
            -14.177_944_640_665_348,
            vec![-0.282_671_58, -8.106_846_9, 0.611_046_81],
        ),
        (
            rough(Smoothness::Half),
            array![0.8],
            -14.289_843_518_572_114,
            vec![-3.370_204_41, 1.377_848_77, -0.204_799_79],
        ),
        (
            rough(Smoothness::ThreeHalves),
            array![0.8],
            -13.564_794_904_389_355,
            vec![-2.498_631_07, 1.190_712_17, -0.162_385_19],
        ),
        (
            rough(Smoothness::FiveHalves),
            array![0.8],
            -13.476_188_133_158_768,
            vec![-1.999_387_72, 0.161_711_64, -0.050_888_61],
        ),
        (
            mixture,
            array![0.8],
            -13.516_195_568_860_528,
            vec![-0.592_231_57, -2.213_562_09, -0.215_966_88, 0.313_525_85],
        ),
        (
            CovarianceShape::Linear { coef0: 1.0 },
            array![1.0],
            -26.900_815_113_672_664,
            vec![-1.237_994_77, 20.960_121_39],
        ),
        (
            CovarianceShape::Rbf,
            array![0.8, 1.4],
            -11.558_005_903_031_415,
            vec![0.393_945_45, -13.668_459_11, 4.264_479_48, -0.320_310_89],
        ),
    ];
    for (shape, lengths, value, gradient) in cases {
        let covariance = Covariance::new(shape, 1.5, lengths).unwrap();
        let process = Process::new(covariance, 0.05).unwrap();
        let found = process.log_marginal_likelihood(&data, &Run::new()).unwrap();
        assert!((found.value / value - 1.0).abs() < 1e-12, "{shape:?}");
        for (found, expected) in found.gradient.iter().zip(&gradient) {
            assert!(
                (found - expected).abs() < 1e-7,
                "{shape:?}: {found} {expected}"
            );
        }
    }
}

// 002b:GP-13: scikit-learn's optimum on the waves with ten restarts: amplitude, length scale and
// noise, and the evidence there.
#[test]
fn the_search_finds_the_optimum_of_scikit_learn() {
    let (x, y) = waves();
    let cases = [
        (
            CovarianceKernel::Rbf,
            [0.509_960_35, 0.501_615_63, 0.067_165_72],
            -12.030_881_446_737_46,
        ),
        (
            CovarianceKernel::Matern32,
            [0.527_930_15, 0.556_663_39, 0.051_546_49],
            -12.219_491_110_280_138,
        ),
    ];
    for (kernel, parameters, evidence) in cases {
        let method = GaussianProcessRegressor {
            kernel,
            tol: 1e-8,
            ..GaussianProcessRegressor::default()
        };
        let model = fit(&method, &x, &y);
        assert!(model.log_marginal_likelihood() >= evidence - 1e-8);
        let process = model.process();
        let found = [
            process.covariance().amplitude(),
            process.covariance().length_scales()[0],
            process.noise(),
        ];
        for (found, expected) in found.into_iter().zip(parameters) {
            assert!((found / expected - 1.0).abs() < 1e-3, "{kernel:?}: {found}");
        }
        let trace = Model::trace(&model).unwrap();
        assert!(
            trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] >= pair[0] - 1e-9)
        );
        assert!((trace.objectives.last().unwrap() - model.log_marginal_likelihood()).abs() < 1e-9);
    }
}

// 002b:GP-13: the closed form against leaving each row out in earnest.
#[test]
fn leaving_one_out_in_closed_form_is_leaving_one_out() {
    let (x, y) = waves();
    let method = fixed(0.05);
    let process = method.process(2).unwrap();
    let found = process
        .leave_one_out(&Measured::new(&x, &y).unwrap(), &Run::new())
        .unwrap();
    let mut log_density = 0.0;
    for row in 0..12 {
        let others: Vec<usize> = (0..12).filter(|&other| other != row).collect();
        let targets: Vec<f64> = others.iter().map(|&other| y[other]).collect();
        let model = fit(&method, &x.select(Axis(0), &others), &targets);
        let said = model
            .predictive(Rows::Dense(x.slice(s![row..=row, ..])))
            .unwrap();
        let (mean, variance) = (said.mean[[0, 0]], said.variance[[0, 0]]);
        assert!((found.residuals[[row, 0]] - (y[row] - mean)).abs() < 1e-10);
        assert!((found.variances[[row, 0]] - variance).abs() < 1e-10);
        log_density -= 0.5
            * ((2.0 * std::f64::consts::PI * variance).ln() + (y[row] - mean).powi(2) / variance);
    }
    assert!((found.log_density - log_density).abs() < 1e-9);
    let by_criterion = GaussianProcessRegressor {
        criterion: ProcessCriterion::LeaveOneOut,
        ..GaussianProcessRegressor::default()
    };
    let best = fit(&by_criterion, &x, &y);
    let again = best
        .process()
        .leave_one_out(&Measured::new(&x, &y).unwrap(), &Run::new())
        .unwrap();
    assert!(again.log_density > found.log_density);
}

// 002b:GP-02, 002b:GP-04: weight space equals function space, here against the textbook formula
// with A = σ⁻²ΦΦᵀ + Σ_w⁻¹, and whichever of the two the method chooses.
#[test]
fn a_linear_process_is_bayesian_regression_on_its_features() {
    for (n, d) in [(40, 3), (4, 7)] {
        let x = random_matrix(n, d, 1);
        let y: Vec<f64> = random_matrix(n, 1, 2).iter().copied().collect();
        let method = GaussianProcessRegressor {
            kernel: CovarianceKernel::Linear,
            amplitude: 0.8,
            coef0: 2.0,
            ..fixed(0.3)
        };
        let model = fit(&method, &x, &y);
        let features = |x: &Array2<f64>| {
            let ones = Array2::ones((x.nrows(), 1));
            concatenate(Axis(1), &[x.view(), ones.view()]).unwrap()
        };
        let phi = features(&x);
        let mut precision = phi.t().dot(&phi) / 0.3;
        for column in 0..=d {
            precision[[column, column]] += if column < d { 1.0 / 0.8 } else { 1.0 / 1.6 };
        }
        let factor = didact_math::linalg::Cholesky::new(precision.view()).unwrap();
        let rhs = phi.t().dot(&Array1::from(y.clone())) / 0.3;
        let weights = factor.solve_vector(rhs.view());
        let queries = random_matrix(6, d, 3);
        let phi = features(&queries);
        let found = model.predictive(Rows::Dense(queries.view())).unwrap();
        let expected = phi.dot(&weights).insert_axis(Axis(1));
        assert_close(&found.mean, &expected, 1e-9);
        let variances = (&phi * &factor.solve(phi.t()).t()).sum_axis(Axis(1));
        assert_close(
            &found.variance_of_mean,
            &variances.insert_axis(Axis(1)),
            1e-9,
        );
    }
}

// 002b:GP-04: the rank of K is at most the number of features.
#[test]
fn a_linear_process_without_noise_is_factored_all_the_same() {
    let x = random_matrix(30, 2, 1);
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|x| 2.0 * x[0] - x[1] + 0.5)
        .collect();
    let method = GaussianProcessRegressor {
        kernel: CovarianceKernel::Linear,
        ..fixed(0.0)
    };
    let model = fit(&method, &x, &y);
    assert!(model.jitter() > 0.0);
    let found = model.predict(&array![[1.0, 1.0]]).unwrap();
    assert!((found[[0, 0]] - 1.5).abs() < 1e-3);
}

// 002b:GP-12: with a capacity of all rows the sparse process is the full one, bound and all.
#[test]
fn a_sparse_process_with_all_rows_is_the_full_one() {
    let (x, y) = waves();
    let queries = random_matrix(9, 2, 1);
    for anisotropic in [false, true] {
        let full = GaussianProcessRegressor {
            anisotropic,
            kernel: CovarianceKernel::Matern32,
            tol: 1e-8,
            ..GaussianProcessRegressor::default()
        };
        let sparse = GaussianProcessRegressor {
            n_inducing: Some(12),
            ..full.clone()
        };
        let (full, sparse) = (fit(&full, &x, &y), fit(&sparse, &x, &y));
        let difference = full.log_marginal_likelihood() - sparse.log_marginal_likelihood();
        assert!(difference.abs() < 1e-6, "{difference}");
        let rows = Rows::Dense(queries.view());
        let (full, sparse) = (
            full.predictive(rows).unwrap(),
            sparse.predictive(rows).unwrap(),
        );
        assert_close(&sparse.mean, &full.mean, 1e-4);
        assert_close(&sparse.variance, &full.variance, 1e-4);
    }
}

// 002b:GP-12: the bound rises with the capacity and never exceeds the evidence.
#[test]
fn the_bound_of_a_sparse_process_rises_with_its_capacity() {
    let x = random_matrix(80, 1, 1);
    let y: Vec<f64> = x.iter().map(|x| (3.0 * x).sin()).collect();
    let method = GaussianProcessRegressor {
        length_scale: 0.5,
        ..fixed(0.01)
    };
    let evidence = fit(&method, &x, &y).log_marginal_likelihood();
    let mut last = f64::NEG_INFINITY;
    for count in [2, 5, 10, 20] {
        let method = GaussianProcessRegressor {
            n_inducing: Some(count),
            ..method.clone()
        };
        let bound = fit(&method, &x, &y).log_marginal_likelihood();
        assert!(
            bound > last && bound < evidence + 1e-6,
            "{bound} {evidence}"
        );
        last = bound;
    }
    assert!(evidence - last < 1e-3);
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let (x, y) = waves();
    let weights: Vec<f64> = (0..12).map(|row| f64::from(row % 3)).collect();
    let repeated: Vec<usize> = (0..12).flat_map(|row| vec![row; row % 3]).collect();
    let again: Vec<f64> = repeated.iter().map(|&row| y[row]).collect();
    for (kernel, n_inducing) in [
        (CovarianceKernel::Rbf, None),
        (CovarianceKernel::Linear, None),
        (CovarianceKernel::Rbf, Some(6)),
    ] {
        let method = GaussianProcessRegressor {
            kernel,
            n_inducing,
            normalize_y: true,
            ..GaussianProcessRegressor::default()
        };
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let weighted = method.fit(Measured::new(samples, &y).unwrap()).unwrap();
        let twice = fit(&method, &x.select(Axis(0), &repeated), &again);
        let difference = weighted.log_marginal_likelihood() - twice.log_marginal_likelihood();
        assert!(difference.abs() < 1e-6, "{kernel:?}: {difference}");
        let (found, expected) = (weighted.predict(&x).unwrap(), twice.predict(&x).unwrap());
        assert_close(&found, &expected, 1e-4);
    }
}

#[test]
fn a_row_alone_has_the_same_prediction_bit_for_bit() {
    let x = random_matrix(70, 33, 1);
    let y: Vec<f64> = x.column(0).to_vec();
    for (kernel, n_inducing) in [
        (CovarianceKernel::Rbf, None),
        (CovarianceKernel::Linear, None),
        (CovarianceKernel::Matern52, Some(10)),
    ] {
        let method = GaussianProcessRegressor {
            kernel,
            n_inducing,
            ..fixed(0.1)
        };
        let model = fit(&method, &x, &y);
        let together = model.predictive(Rows::Dense(x.view())).unwrap();
        for row in 0..70 {
            let alone = model
                .predictive(Rows::Dense(x.slice(s![row..=row, ..])))
                .unwrap();
            assert_eq!(alone.mean.row(0), together.mean.row(row));
            assert_eq!(alone.variance.row(0), together.variance.row(row));
        }
    }
}

#[test]
fn a_saved_model_says_the_same() {
    let (x, y) = waves();
    for n_inducing in [None, Some(5)] {
        let method = GaussianProcessRegressor {
            n_inducing,
            ..fixed(0.1)
        };
        let model = fit(&method, &x, &y);
        let bytes = encoding::to_bytes(&model).unwrap();
        let read: GaussianProcessModel = encoding::from_bytes(&bytes).unwrap();
        read.validate().unwrap();
        let rows = Rows::Dense(x.view());
        assert_eq!(
            read.predictive(rows).unwrap(),
            model.predictive(rows).unwrap()
        );
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let (x, y) = waves();
    let complain = |method: GaussianProcessRegressor| {
        method
            .fit(Measured::new(&x, &y).unwrap())
            .unwrap_err()
            .to_string()
    };
    let default = GaussianProcessRegressor::default();
    let error = complain(GaussianProcessRegressor {
        n_inducing: Some(3),
        noise: 0.0,
        ..default.clone()
    });
    assert!(
        error.starts_with("noise is 0; it must be greater than 0"),
        "{error}"
    );
    let error = complain(GaussianProcessRegressor {
        n_inducing: Some(3),
        criterion: ProcessCriterion::LeaveOneOut,
        ..default
    });
    assert!(error.starts_with("criterion is leave-one-out"), "{error}");
    let many = Array2::zeros((15_001, 1));
    let error = GaussianProcessRegressor::default()
        .fit(Measured::new(&many, &vec![0.0; 15_001]).unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.contains("500 would be a good choice"), "{error}");
}

#[test]
fn the_relevance_of_a_column_is_the_inverse_of_its_length_scale() {
    let x = random_matrix(60, 2, 4);
    let y: Vec<f64> = x.column(0).iter().map(|x| (2.0 * x).sin()).collect();
    let method = GaussianProcessRegressor {
        anisotropic: true,
        ..GaussianProcessRegressor::default()
    };
    let model = fit(&method, &x, &y);
    let lengths = model.process().covariance().length_scales();
    assert!(lengths[1] > 20.0 * lengths[0], "{lengths}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    // 002b:GP-10: with fixed parameters no point can make the function less certain anywhere.
    #[test]
    fn adding_a_point_never_increases_the_variance(n in 1usize..12, d in 1usize..4, seed: u64) {
        let x = random_matrix(n + 1, d, seed);
        let y: Vec<f64> = random_matrix(n + 1, 1, seed ^ 1).iter().copied().collect();
        let queries = random_matrix(10, d, seed ^ 2);
        for kernel in [CovarianceKernel::Rbf, CovarianceKernel::Matern32, CovarianceKernel::Linear] {
            let method = GaussianProcessRegressor { kernel, ..fixed(0.05) };
            let before = fit(&method, &x.slice(s![..n, ..]).to_owned(), &y[..n]);
            let after = fit(&method, &x, &y);
            let rows = Rows::Dense(queries.view());
            let before = before.predictive(rows).unwrap().variance_of_mean;
            let after = after.predictive(rows).unwrap().variance_of_mean;
            for (before, after) in before.iter().zip(&after) {
                prop_assert!(*after <= before + 1e-12);
            }
        }
    }
}
