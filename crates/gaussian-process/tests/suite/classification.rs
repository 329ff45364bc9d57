//! Gaussian process classification against numbers, quadrature and limits.

use didact_core::{Classify, Fit, Labelled, Labels, Model, Probabilities, Rows, Samples, encoding};
use didact_gaussian_process::{
    CovarianceKernel, GaussianProcessClassifier, GaussianProcessClassifierModel, LatentInference,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, Axis, array, s};

fn fixed(amplitude: f64, length_scale: f64) -> GaussianProcessClassifier {
    GaussianProcessClassifier {
        amplitude,
        length_scale,
        optimize: false,
        ..GaussianProcessClassifier::default()
    }
}

fn fit(
    method: &GaussianProcessClassifier,
    x: &Array2<f64>,
    labels: &Labels,
) -> GaussianProcessClassifierModel {
    method.fit(Labelled::new(x, labels).unwrap()).unwrap()
}

fn column(values: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((values.len(), 1), values.to_vec()).unwrap()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn waves() -> (Array2<f64>, Labels) {
    let x = Array2::from_shape_fn((24, 2), |(row, column)| match column {
        0 => (1.7 * row as f64).sin(),
        _ => (2.3 * row as f64).cos(),
    });
    let names = x.rows().into_iter().enumerate().map(|(row, x)| {
        let value = (3.0 * x[0]).sin() + 0.5 * x[1] + 0.4 * (5.0 * row as f64).cos();
        if value > 0.0 { "yes" } else { "no" }
    });
    let labels = Labels::from_names(names);
    (x, labels)
}

// 002b:GP-18, 002b:GP-19, 002b:GP-20: the table of numbers with X = {−1, +1}, y = {−1, +1}. The
// sigmoid is averaged over the latent law: σ of its mean would be .5881, .8120, .8265 at x = 1.
#[test]
fn two_points_have_the_probabilities_worked_out_by_hand() {
    let labels = Labels::from_names(["minus", "plus"]);
    let queries = column(&[0.0, 0.5, 1.0, 2.0, 5.0]);
    let cases = [
        (
            1.0,
            1.0,
            -1.424_950,
            [0.5, 0.548_610, 0.575_380, 0.551_074, 0.500_029],
        ),
        (
            9.0,
            1.0,
            -1.553_040,
            [0.5, 0.634_173, 0.713_507, 0.624_280, 0.500_065],
        ),
        (
            9.0,
            0.3,
            -1.480_593,
            [0.5, 0.545_212, 0.723_831, 0.500_693, 0.500_000],
        ),
    ];
    for (amplitude, length_scale, evidence, expected) in cases {
        let model = fit(
            &fixed(amplitude, length_scale),
            &column(&[-1.0, 1.0]),
            &labels,
        );
        assert!((model.log_marginal_likelihoods()[0] - evidence).abs() < 1e-6);
        let found = model.predict_proba(&queries).unwrap();
        for (row, expected) in expected.into_iter().enumerate() {
            assert!((found[[row, 1]] - expected).abs() < 1e-6, "{found}");
            assert!((found[[row, 0]] + found[[row, 1]] - 1.0).abs() < 1e-15);
        }
    }
}

// 002b:GP-20: GaussianProcessClassifier of scikit-learn 1.7 on the waves.
#[test]
fn the_evidence_and_its_optimum_are_those_of_scikit_learn() {
    let (x, labels) = waves();
    for (kernel, evidence) in [
        (CovarianceKernel::Rbf, -14.817723735765412),
        (CovarianceKernel::Matern32, -14.654815882344487),
    ] {
        let method = GaussianProcessClassifier {
            kernel,
            ..fixed(2.5, 0.8)
        };
        let found = fit(&method, &x, &labels).log_marginal_likelihoods()[0];
        assert!((found - evidence).abs() < 1e-8, "{found}");
    }
    let method = GaussianProcessClassifier {
        optimize: true,
        tol: 1e-7,
        ..GaussianProcessClassifier::default()
    };
    let best = fit(&method, &x, &labels);
    assert!((best.log_marginal_likelihoods()[0] - -13.132503607894433).abs() < 1e-6);
    let trace = Model::trace(&best).unwrap();
    assert!(
        trace
            .objectives
            .windows(2)
            .all(|pair| pair[1] >= pair[0] - 1e-9)
    );
}

// 002b:GP-18: with k = xᵀΣ_wx′ the mode is that of Bayesian logistic regression, the MAP weights.
#[test]
fn a_linear_kernel_has_the_mode_of_bayesian_logistic_regression() {
    let (x, labels) = waves();
    let method = GaussianProcessClassifier {
        kernel: CovarianceKernel::Linear,
        coef0: 0.0,
        ..fixed(1.7, 1.0)
    };
    let model = fit(&method, &x, &labels);
    // Newton's method on −½‖w‖²/1.7 + Σ ln σ(y·w·x).
    let mut w = ndarray::Array1::<f64>::zeros(2);
    let signs: Vec<f64> = labels
        .indices
        .iter()
        .map(|&k| 2.0 * k as f64 - 1.0)
        .collect();
    for _ in 0..50 {
        let mut slope = &w / -1.7;
        let mut bend = Array2::from_diag_elem(2, 1.0 / 1.7);
        for (x, y) in x.rows().into_iter().zip(&signs) {
            let p = sigmoid(y * x.dot(&w));
            slope += &(&x * (y * (1.0 - p)));
            let column = x.insert_axis(Axis(1));
            bend += &(column.dot(&column.t()) * (p * (1.0 - p)));
        }
        let factor = didact_math::linalg::Cholesky::new(bend.view()).unwrap();
        w = w + factor.solve_vector(slope.view());
    }
    // Where the averaged probability is one half, the latent mean w·x is zero.
    let across = array![[-w[1], w[0]]];
    let found = model.predict_proba(&across).unwrap();
    assert!((found[[0, 1]] - 0.5).abs() < 1e-9);
    // The averaged odds are more cautious than those of the mode, the more so far away.
    let along = array![[w[0], w[1]], [30.0 * w[0], 30.0 * w[1]]];
    let found = model.predict_proba(&along).unwrap();
    for row in 0..2 {
        let certain = sigmoid(along.row(row).dot(&w));
        assert!(found[[row, 1]] < certain && found[[row, 1]] > 0.5);
    }
}

// 002b:GP-19
#[test]
fn probabilities_are_one_half_in_the_middle_and_far_away() {
    let labels = Labels::from_names(["a", "a", "b", "b"]);
    let x = array![[-2.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, -1.0]];
    let model = fit(&fixed(9.0, 1.0), &x, &labels);
    let far = model
        .predict_proba(&array![[1e5, 3.0], [0.0, -80.0]])
        .unwrap();
    assert_close(&far, &Array2::from_elem((2, 2), 0.5), 1e-9);
    let middle = fit(
        &fixed(9.0, 1.0),
        &array![[-1.0], [1.0]],
        &Labels::from_names(["a", "b"]),
    );
    let middle = middle.predict_proba(&array![[0.0]]).unwrap();
    assert!((middle[[0, 0]] - 0.5).abs() < 1e-12);
}

/// p(y* = +1) for two training points by quadrature over both latent values.
fn exact_probability(amplitude: f64, query: f64) -> f64 {
    let kernel = |r: f64| amplitude * (-0.5 * r * r).exp();
    let (k, c) = (kernel(0.0), kernel(2.0));
    let determinant = k * k - c * c;
    let (left, right) = (kernel(query + 1.0), kernel(query - 1.0));
    let weight = |own: f64, other: f64| (k * own - c * other) / determinant;
    let (a, b) = (weight(left, right), weight(right, left));
    let variance = k - a * left - b * right;
    let n = 240;
    let width = 7.0 * k.sqrt();
    let place = |i: i32| -width + 2.0 * width * f64::from(i) / f64::from(n);
    let (mut total, mut positive) = (0.0, 0.0);
    for (f, g) in (0..=n).flat_map(|i| (0..=n).map(move |j| (place(i), place(j)))) {
        let exponent = (k * f * f - 2.0 * c * f * g + k * g * g) / determinant;
        let density = (-0.5 * exponent).exp() * sigmoid(-f) * sigmoid(g);
        let mean = a * f + b * g;
        let deviation = variance.max(0.0).sqrt();
        let averaged: f64 = (-40..=40)
            .map(|z| f64::from(z) * 0.2)
            .map(|z| sigmoid(mean + deviation * z) * (-0.5 * z * z).exp())
            .sum::<f64>()
            * 0.2
            / (2.0 * std::f64::consts::PI).sqrt();
        total += density;
        positive += density * averaged;
    }
    positive / total
}

// 002b:GP-21: draws tend to the exact answer by quadrature, within their standard error.
#[test]
fn draws_of_the_latent_function_agree_with_quadrature_on_two_points() {
    let labels = Labels::from_names(["minus", "plus"]);
    let method = GaussianProcessClassifier {
        inference: LatentInference::MonteCarlo,
        n_samples: 20_000,
        burn_in: 200,
        random_state: 5,
        ..fixed(9.0, 1.0)
    };
    let model = fit(&method, &column(&[-1.0, 1.0]), &labels);
    let queries = column(&[0.5, 1.0, 2.0]);
    let found = model.predict_proba(&queries).unwrap();
    let errors = model.standard_errors(Rows::Dense(queries.view())).unwrap();
    for (row, &query) in queries.iter().enumerate() {
        let exact = exact_probability(9.0, query);
        let error = errors[[row, 0]];
        assert!(error > 0.0 && error < 0.01);
        assert!(
            (found[[row, 1]] - exact).abs() < 4.0 * error,
            "{} {exact} ± {error}",
            found[[row, 1]]
        );
    }
    assert_eq!(
        fit(&method, &column(&[-1.0, 1.0]), &labels)
            .predict_proba(&queries)
            .unwrap(),
        found
    );
    // Close to Laplace's approximation, but not the same.
    let laplace = fit(&fixed(9.0, 1.0), &column(&[-1.0, 1.0]), &labels);
    let laplace = laplace.predict_proba(&queries).unwrap();
    assert!(
        (&found - &laplace)
            .iter()
            .all(|difference| difference.abs() < 0.1)
    );
}

#[test]
fn several_classes_are_told_apart_one_against_the_rest() {
    let iris = didact_datasets::iris();
    let data = iris.labelled().unwrap();
    let method = GaussianProcessClassifier {
        optimize: true,
        ..GaussianProcessClassifier::default()
    };
    let model = method.fit(data).unwrap();
    let labels = iris.labels().unwrap();
    let found = model.predict(iris.samples()).unwrap();
    let right = found
        .iter()
        .zip(&labels.indices)
        .filter(|(a, b)| a == b)
        .count();
    assert!(right >= 144, "{right}");
    let probabilities = model.predict_proba(iris.samples()).unwrap();
    assert!(
        probabilities
            .rows()
            .into_iter()
            .all(|row| (row.sum() - 1.0).abs() < 1e-12)
    );
    assert_eq!(model.log_marginal_likelihoods().len(), 3);
}

#[test]
fn a_row_of_weight_two_is_the_row_twice_and_of_weight_zero_is_none() {
    let (x, labels) = waves();
    let weights: Vec<f64> = (0..24).map(|row| f64::from(row % 3)).collect();
    let repeated: Vec<usize> = (0..24).flat_map(|row| vec![row; row % 3]).collect();
    let names = repeated
        .iter()
        .map(|&row| labels.classes.names()[labels.indices[row]].clone());
    let again = Labels::from_names(names);
    let method = fixed(2.0, 0.7);
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let weighted = method
        .fit(Labelled::new(samples, &labels).unwrap())
        .unwrap();
    let twice = fit(&method, &x.select(Axis(0), &repeated), &again);
    let (found, expected) = (
        weighted.predict_proba(&x).unwrap(),
        twice.predict_proba(&x).unwrap(),
    );
    assert_close(&found, &expected, 1e-9);
}

#[test]
fn a_row_alone_is_classified_alike_bit_for_bit_and_so_by_a_saved_model() {
    let x = random_matrix(70, 5, 1);
    let labels = Labels::from_names(x.column(0).iter().map(|x| if *x > 0.2 { "a" } else { "b" }));
    for inference in [LatentInference::Laplace, LatentInference::MonteCarlo] {
        let method = GaussianProcessClassifier {
            inference,
            n_samples: 20,
            ..fixed(4.0, 1.0)
        };
        let model = fit(&method, &x, &labels);
        let together = model.predict_proba(&x).unwrap();
        let bytes = encoding::to_bytes(&model).unwrap();
        let read: GaussianProcessClassifierModel = encoding::from_bytes(&bytes).unwrap();
        read.validate().unwrap();
        assert_eq!(read.predict_proba(&x).unwrap(), together);
        for row in 0..70 {
            let alone = model.predict_proba(x.slice(s![row..=row, ..])).unwrap();
            assert_eq!(alone.row(0), together.row(row));
        }
    }
}

#[test]
fn one_class_is_refused_and_absent_classes_have_no_probability() {
    let x = array![[0.0], [1.0], [2.0]];
    let error = GaussianProcessClassifier::default()
        .fit(Labelled::new(&x, &Labels::from_names(["a", "a", "a"])).unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("only 1 class has rows"), "{error}");
    let mut labels = Labels::from_names(["a", "a", "c"]);
    labels.classes = didact_core::Classes::new(["a", "c", "never"]);
    let model = fit(&fixed(1.0, 1.0), &x, &labels);
    let found = model.predict_proba(&x).unwrap();
    assert!(found.column(2).iter().all(|p| *p == 0.0));
    assert!((found.row(0).sum() - 1.0).abs() < 1e-15);
}

#[test]
fn awkward_rows_give_probabilities_all_the_same() {
    let usual = random_matrix(30, 3, 1);
    let labels = Labels::from_names((0..30).map(|row| ["a", "b", "c"][row * 3 / 30]));
    let cases = [
        Array2::from_elem((30, 3), 2.5),
        &usual + 1e8,
        &usual * 1e-200,
        &usual * 1e300,
    ];
    for x in cases {
        for inference in [LatentInference::Laplace, LatentInference::MonteCarlo] {
            let method = GaussianProcessClassifier {
                optimize: true,
                inference,
                n_samples: 10,
                ..GaussianProcessClassifier::default()
            };
            let found = fit(&method, &x, &labels).predict_proba(&x).unwrap();
            assert!(
                found
                    .rows()
                    .into_iter()
                    .all(|row| (row.sum() - 1.0).abs() < 1e-9)
            );
        }
    }
}
