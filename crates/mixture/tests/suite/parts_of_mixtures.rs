//! Marginal and conditional mixtures, regression with them, and what happens without a guard.

use didact_core::random::generator;
use didact_core::{Error, Fit, LogDensity, Measured, Regress, Rows, Samples};
use didact_mixture::{
    CovarianceType, Covariances, GaussianMixture, GaussianMixtureModel, GaussianMixtureRegression,
};
use ndarray::{Array2, array};
use rand_distr::{Distribution, StandardNormal};

fn wavy(rows: usize) -> (Array2<f64>, Vec<f64>) {
    let mut random = generator(1, 0);
    let x = Array2::from_shape_fn((rows, 1), |(row, _)| 6.0 * row as f64 / rows as f64);
    let noise = |random: &mut _| -> f64 { StandardNormal.sample(random) };
    let y = x
        .column(0)
        .iter()
        .map(|x| x.sin() + 0.1 * noise(&mut random))
        .collect();
    (x, y)
}

// 002a:GR02: one Gaussian is least squares with an intercept, and its variance is RSS/M.
#[test]
fn one_component_is_least_squares() {
    let (x, y) = wavy(80);
    let algorithm = GaussianMixtureRegression {
        n_components: 1,
        reg_covar: 0.0,
        ..GaussianMixtureRegression::default()
    };
    let model = algorithm.fit(Measured::new(&x, &y).unwrap()).unwrap();
    let n = 80.0;
    let (mx, my) = (x.sum() / n, y.iter().sum::<f64>() / n);
    let sxx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
    let sxy: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let slope = sxy / sxx;
    let predicted = model.predict(&x).unwrap();
    let mut residuals = 0.0;
    for ((x, y), found) in x.iter().zip(&y).zip(&predicted) {
        let expected = my + slope * (x - mx);
        assert!((found - expected).abs() < 1e-9);
        residuals += (y - expected).powi(2);
    }
    // Σ_yy − Σ_yx·Σ_xx⁻¹·Σ_xy, not Σ_yx − …
    let spread = model.predict_covariance(Rows::Dense(x.view())).unwrap();
    assert!((spread[[3, 0, 0]] - residuals / n).abs() < 1e-9);
}

// 002a:GR03, EX16: w = ½, ½, μ = (1, 3), Σ̃ = 1 have mean 2 and variance 2 (not 3.5).
#[test]
fn the_mean_is_squared_outside_the_sum() {
    let covariances = Covariances::Full(vec![array![[1.0, 0.0], [0.0, 1.0]]; 2]);
    let means = array![[0.0, 1.0], [0.0, 3.0]];
    let joint = GaussianMixtureModel::new(vec![1.0, 1.0], means, covariances).unwrap();
    let conditional = joint.conditional(&[0]).unwrap();
    let x = array![0.7];
    assert!(
        conditional
            .weights(x.view())
            .iter()
            .all(|weight| (weight - 0.5).abs() < 1e-15)
    );
    assert!((conditional.mean(x.view())[0] - 2.0).abs() < 1e-12);
    assert!((conditional.covariance(x.view())[[0, 0]] - 2.0).abs() < 1e-12);
}

// 002a:GR01, GR03: the conditional density is the joint over the marginal, and α_k counts.
#[test]
fn conditional_times_marginal_is_the_joint() {
    let covariances = Covariances::Full(vec![
        array![[2.0, 0.5, 0.3], [0.5, 1.0, -0.2], [0.3, -0.2, 1.5]],
        array![[1.0, -0.4, 0.0], [-0.4, 2.0, 0.6], [0.0, 0.6, 0.8]],
    ]);
    let means = array![[0.0, 1.0, -1.0], [3.0, -2.0, 0.5]];
    let joint = GaussianMixtureModel::new(vec![0.2, 0.8], means, covariances).unwrap();
    for (given, others) in [
        (vec![0], vec![1, 2]),
        (vec![2, 0], vec![1]),
        (vec![1], vec![0, 2]),
    ] {
        let conditional = joint.conditional(&given).unwrap();
        let marginal = joint.marginal(&given).unwrap();
        assert_eq!(
            (conditional.n_given(), conditional.n_predicted()),
            (given.len(), others.len())
        );
        for row in [[0.1, 0.4, -0.3], [2.0, -1.0, 1.0], [-4.0, 3.0, 2.0]] {
            let part = |columns: &[usize]| {
                let values: Vec<f64> = columns.iter().map(|&column| row[column]).collect();
                Array2::from_shape_vec((1, columns.len()), values).unwrap()
            };
            let (x, y) = (part(&given), part(&others));
            let law = conditional.law(x.row(0)).unwrap();
            let product =
                law.score_samples(&y).unwrap()[0] + marginal.score_samples(&x).unwrap()[0];
            let whole = joint.score_samples(&part(&[0, 1, 2])).unwrap()[0];
            assert!((product - whole).abs() < 1e-10 * (1.0 + whole.abs()));
            // The mean of the law is the prediction.
            let mut mean = ndarray::Array1::zeros(others.len());
            for (weight, place) in law.weights().iter().zip(law.means().rows()) {
                mean.scaled_add(*weight, &place);
            }
            let predicted = conditional.mean(x.row(0));
            assert!((&mean - &predicted).iter().all(|gap| gap.abs() < 1e-12));
        }
    }
    assert!(joint.conditional(&[0, 1, 2]).is_err());
    assert!(joint.conditional(&[3]).is_err() && joint.marginal(&[1, 1]).is_err());
    assert!(joint.marginal(&[]).is_err());
}

// 002a:FIG63, FIG64: the training error falls as the mixture grows.
#[test]
fn more_components_follow_a_wave_more_closely() {
    let (x, y) = wavy(300);
    let error = |n_components: usize| {
        let algorithm = GaussianMixtureRegression {
            n_components,
            max_iter: 500,
            tol: 1e-6,
            n_init: 3,
            ..GaussianMixtureRegression::default()
        };
        let model = algorithm.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let predicted = model.predict(&x).unwrap();
        let squares = predicted.iter().zip(&y).map(|(a, b)| (a - b).powi(2));
        (squares.sum::<f64>() / 300.0).sqrt()
    };
    let (one, three, six) = (error(1), error(3), error(6));
    assert!(one > 1.5 * three && three > six, "{one} {three} {six}");
    assert!(six < 0.15, "{six}");
}

// 002a:GR01: several targets at once are the targets one by one.
#[test]
fn several_targets_are_predicted_together() {
    let (x, y) = wavy(60);
    let both = Array2::from_shape_fn((60, 2), |(row, column)| match column {
        0 => y[row],
        _ => 2.0 * x[[row, 0]] - y[row],
    });
    let algorithm = GaussianMixtureRegression {
        n_components: 1,
        ..GaussianMixtureRegression::default()
    };
    let model = algorithm
        .fit(Measured::many(&x, both.view()).unwrap())
        .unwrap();
    let predicted = model.predict(&x).unwrap();
    assert_eq!(predicted.dim(), (60, 2));
    for (row, x) in predicted.rows().into_iter().zip(&x) {
        assert!((row[0] + row[1] - 2.0 * x).abs() < 1e-3);
    }
}

// 002a:MG04, EX20: {0, 10, 11, 12}, a component on 0 that narrows: the likelihood has no bound.
#[test]
fn a_component_on_one_row_makes_the_likelihood_grow_without_bound() {
    let x = array![[0.0], [10.0], [11.0], [12.0]];
    let log_likelihood = |deviation: f64| {
        let variances = Covariances::Spherical(vec![deviation * deviation, 2.0 / 3.0]);
        let means = array![[0.0], [11.0]];
        let model = GaussianMixtureModel::new(vec![1.0, 3.0], means, variances).unwrap();
        model.score_samples(&x).unwrap().sum()
    };
    for (deviation, expected) in [(1.0, -6.82), (0.1, -4.51), (0.01, -2.21), (0.001, 0.09)] {
        assert!((log_likelihood(deviation) - expected).abs() < 0.006);
    }
    // Without the guard the collapse is an error that names the component; with it the
    // likelihood is bounded and the model says which component only the guard holds.
    let fit = |reg_covar: f64| {
        let algorithm = GaussianMixture {
            n_components: 2,
            covariance_type: CovarianceType::Full,
            reg_covar,
            means_init: Some(vec![vec![0.0], vec![11.0]]),
            tol: 0.0,
            ..GaussianMixture::default()
        };
        algorithm.fit(Samples::from(&x))
    };
    match fit(0.0) {
        Err(Error::Numerical(message)) => {
            assert!(
                message.starts_with("component 0 has collapsed"),
                "{message}"
            );
        }
        other => panic!("{other:?}"),
    }
    let guarded = fit(1e-4).unwrap();
    assert_eq!(guarded.collapsed(), [0]);
    // The bound: a variance of 10⁻⁴ on the single row.
    let most = log_likelihood(0.01) + 0.01;
    assert!(4.0 * guarded.lower_bound().unwrap() <= most);
}
