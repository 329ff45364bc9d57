//! Adaline and the delta rule.

use didact_core::{Classify, Error, Fit, Labelled, Labels, Measured, Model, Regress, StopReason};
use didact_math::linalg::pseudo_solve;
use didact_neural_classic::{Adaline, AdalineTraining};
use didact_optimize::finite_difference_gradient;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, Axis, array};

fn least_squares(rows: &Array2<f64>, targets: &[f64]) -> (Array1<f64>, f64) {
    let ones = Array2::ones((rows.nrows(), 1));
    let design = ndarray::concatenate![Axis(1), rows.view(), ones];
    let targets = ndarray::ArrayView1::from(targets).insert_axis(Axis(1));
    let solution = pseudo_solve(design.view(), targets, None).unwrap().solution;
    let d = rows.ncols();
    (
        solution.slice(ndarray::s![..d, 0]).to_owned(),
        solution[[d, 0]],
    )
}

// 002b:NN-16: E is convex, so the summed rule does come to the least-squares solution, which the
// text denies.
#[test]
fn the_summed_rule_comes_to_least_squares() {
    let rows = random_matrix(80, 4, 1) + 3.0;
    let noise = random_matrix(80, 1, 2);
    let targets: Vec<f64> = (0..80)
        .map(|row| 2.0 * rows[[row, 0]] - rows[[row, 2]] + 7.0 + noise[[row, 0]])
        .collect();
    let model = Adaline::default()
        .fit(Measured::new(&rows, &targets).unwrap())
        .unwrap();
    assert_eq!(model.trace().unwrap().stop, StopReason::Converged);
    let (coef, intercept) = least_squares(&rows, &targets);
    assert_close(&model.coef().row(0).to_owned(), &coef, 1e-6);
    assert!((model.intercept()[0] - intercept).abs() < 1e-6);
    let errors = &model.trace().unwrap().objectives;
    assert!(
        errors
            .windows(2)
            .all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12))
    );
}

// 002b:NN-16: with fewer rows than columns the weights are the shortest that fit, those of the
// pseudo-inverse.
#[test]
fn with_few_rows_the_weights_are_those_of_the_pseudo_inverse() {
    let rows = random_matrix(5, 12, 3);
    let targets = random_matrix(5, 2, 4);
    let adaline = Adaline {
        fit_intercept: false,
        max_iter: 20_000,
        ..Adaline::default()
    };
    let data = Measured::many(&rows, targets.view()).unwrap();
    let model = adaline.fit(data).unwrap();
    let inverse = didact_math::linalg::pseudo_inverse(rows.view(), None).unwrap();
    assert_close(model.coef(), &inverse.dot(&targets).t().to_owned(), 1e-6);
}

// 002b:NN-14, 002b:NN-15, 003:P98: one step from zero is −γ times the gradient of ½Σ(z − y)², and
// the trace keeps that error.
#[test]
fn a_step_goes_down_the_gradient_of_the_squared_error() {
    let rows = random_matrix(10, 3, 5);
    let targets: Vec<f64> = random_matrix(10, 1, 6).into_iter().collect();
    let error = |weights: &[f64]| {
        let weights = ndarray::ArrayView1::from(weights);
        let misses = rows.dot(&weights) - ndarray::ArrayView1::from(&targets);
        Ok(0.5 * misses.dot(&misses))
    };
    let gradient = finite_difference_gradient(error, &[0.0; 3]).unwrap();
    let adaline = Adaline {
        learning_rate: Some(0.01),
        fit_intercept: false,
        max_iter: 1,
        ..Adaline::default()
    };
    let model = adaline
        .fit(Measured::new(&rows, &targets).unwrap())
        .unwrap();
    let expected = Array1::from(gradient) * -0.01;
    assert_close(&model.coef().row(0).to_owned(), &expected, 1e-8);
    let first = model.trace().unwrap().objectives[0];
    assert!((first - error(&[0.0; 3]).unwrap()).abs() < 1e-12);
}

// 002b:NN-16: row by row, Δw = γ·(z − w·x)·x, here by hand for one row.
#[test]
fn a_row_corrects_the_weights_by_error_times_input() {
    let adaline = Adaline {
        training: AdalineTraining::Online,
        learning_rate: Some(0.1),
        fit_intercept: false,
        max_iter: 2,
        tol: 0.0,
        ..Adaline::default()
    };
    let rows = array![[2.0, -1.0]];
    let model = adaline.fit(Measured::new(&rows, &[3.0]).unwrap()).unwrap();
    // First w = 0.1·3·(2, −1) = (0.6, −0.3), then the rate is 0.1·2^(−¾) and the error 3 − 1.5.
    let step = 0.1 * 2.0_f64.powf(-0.75) * 1.5;
    let expected = array![0.6 + 2.0 * step, -0.3 - step];
    assert_close(&model.coef().row(0).to_owned(), &expected, 1e-12);
}

// 002b:NN-16: the bound 2/λ_max(XᵀX) is sharp.
#[test]
fn rates_up_to_the_bound_converge_and_those_beyond_are_refused() {
    let rows = random_matrix(30, 3, 7);
    let targets: Vec<f64> = random_matrix(30, 1, 8).into_iter().collect();
    let values = didact_math::linalg::symmetric_eigenvalues(rows.t().dot(&rows).view()).unwrap();
    let bound = 2.0 / values[0];
    let fit = |rate: f64| {
        let adaline = Adaline {
            learning_rate: Some(rate),
            fit_intercept: false,
            max_iter: 20_000,
            ..Adaline::default()
        };
        adaline.fit(Measured::new(&rows, &targets).unwrap())
    };
    let slow = fit(0.98 * bound).unwrap();
    assert_eq!(slow.trace().unwrap().stop, StopReason::Converged);
    let error = fit(1.02 * bound).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }));
    assert!(
        error.to_string().contains(&format!("{bound:.3e}")),
        "{error}"
    );
}

#[test]
fn rows_one_at_a_time_come_near_least_squares() {
    let rows = random_matrix(200, 4, 13) + 1.0;
    let noise = random_matrix(200, 1, 14);
    let targets: Vec<f64> = (0..200)
        .map(|row| rows[[row, 0]] - 2.0 * rows[[row, 3]] + noise[[row, 0]])
        .collect();
    let (coef, intercept) = least_squares(&rows, &targets);
    let error = |coef: &Array1<f64>, intercept: f64| {
        let misses = rows.dot(coef) + intercept - ndarray::ArrayView1::from(&targets);
        misses.dot(&misses)
    };
    let online = Adaline {
        training: AdalineTraining::Online,
        ..Adaline::default()
    };
    let model = online.fit(Measured::new(&rows, &targets).unwrap()).unwrap();
    let reached = error(&model.coef().row(0).to_owned(), model.intercept()[0]);
    assert!(reached < 1.001 * error(&coef, intercept));
}

#[test]
fn classes_are_told_apart_by_their_units() {
    let iris = didact_datasets::iris();
    for training in [AdalineTraining::Batch, AdalineTraining::Online] {
        let adaline = Adaline {
            training,
            ..Adaline::default()
        };
        let model = adaline.fit(iris.labelled().unwrap()).unwrap();
        model.validate().unwrap();
        let predicted = model.predict(iris.samples()).unwrap();
        let labels = &iris.labels().unwrap().indices;
        let right = predicted.iter().zip(labels).filter(|(a, b)| a == b).count();
        assert!(right > 115, "{right}");
    }
    // Two classes need one unit.
    let rows = array![[0.0], [1.0], [4.0], [5.0]];
    let labels = Labels::from_names(["a", "a", "b", "b"]);
    let model = Adaline::default()
        .fit(Labelled::new(&rows, &labels).unwrap())
        .unwrap();
    assert_eq!(model.coef().dim(), (1, 1));
    assert_eq!(model.predict(&rows).unwrap(), [0, 0, 1, 1]);
    let one = Labels::from_names(["a"; 4]);
    let error = Adaline::default().fit(Labelled::new(&rows, &one).unwrap());
    assert!(error.unwrap_err().to_string().contains("class"));
}

#[test]
fn awkward_rows_give_finite_units() {
    let inputs = [
        array![[3.0, 4.0]],
        Array2::zeros((40, 2)),
        Array2::from_elem((40, 3), 2.5),
        random_matrix(5, 40, 9),
        random_matrix(50, 2, 10) + 1e8,
        random_matrix(50, 2, 11) * 1e300,
        random_matrix(50, 2, 12) * 1e-200,
    ];
    for rows in inputs {
        let targets: Vec<f64> = (0..rows.nrows()).map(|row| (row % 5) as f64).collect();
        for training in [AdalineTraining::Batch, AdalineTraining::Online] {
            let adaline = Adaline {
                training,
                ..Adaline::default()
            };
            let model = adaline
                .fit(Measured::new(&rows, &targets).unwrap())
                .unwrap();
            model.validate().unwrap();
            let predicted = model.predict(&rows).unwrap();
            assert!(predicted.iter().all(|value| value.is_finite()));
        }
    }
}
