//! Logistic regression inside: gradients, second derivatives and single Newton steps.

use super::evaluation::{Evaluation, Examples, Weights};
use super::frame::Frame;
use super::search::{Answer, Goal, Method, Search};
use super::*;
use crate::rows::CountingLabelled;
use didact_core::{Csr, Fit, Labelled, Labels, Run, Samples, StopReason};
use didact_math::linalg::Cholesky;
use didact_math::numeric::sigmoid;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, Axis, array, concatenate};

/// A problem whose coordinates are the weights themselves.
struct Plain<'a> {
    frame: Frame,
    examples: Examples<'a>,
}

fn plain<'a>(
    samples: Samples<'a>,
    labels: &'a Labels,
    parameters: &LogisticRegression,
) -> Plain<'a> {
    let data = Labelled::new(samples, labels).unwrap();
    let counting = CountingLabelled::new(data);
    let survey = parameters
        .survey(&counting, &labels.classes, &Run::new())
        .unwrap();
    let frame = Frame::new(parameters, survey).unwrap();
    let examples = Examples::new(counting, &frame).unwrap();
    Plain { frame, examples }
}

impl Plain<'_> {
    fn at(&self, coef: Array2<f64>, offsets: Vec<f64>) -> Evaluation {
        self.examples
            .evaluate(&self.frame, &Weights { coef, offsets }, &Run::new())
            .unwrap()
    }

    fn objective(&self, point: &[f64]) -> (f64, Vec<f64>) {
        let evaluation = self
            .examples
            .evaluate(&self.frame, &self.frame.weights(point), &Run::new())
            .unwrap();
        self.frame.objective(point, &evaluation)
    }

    fn hessian(&self, point: &[f64]) -> Array2<f64> {
        let weights = self.frame.weights(point);
        self.frame.hessian(
            &self
                .examples
                .curvature(&self.frame, &weights, &Run::new())
                .unwrap(),
        )
    }
}

fn no_intercept() -> LogisticRegression {
    LogisticRegression {
        fit_intercept: false,
        penalty: Penalty::None,
        tol: 1e-10,
        ..LogisticRegression::default()
    }
}

// 001:T-04, 001:CLS-18, 001:CLS-19, 001:CLS-20: points (1,2) of class +1 and (1,−1) of class −1;
// the mean gradient at zero is (0, −0.75) and the mean loss log 2.
#[test]
fn the_gradient_at_zero_is_the_one_found_by_hand() {
    let x = array![[1.0, 2.0], [1.0, -1.0]];
    let labels = Labels::from_names([1, -1]);
    let problem = plain(Samples::from(&x), &labels, &no_intercept());
    let zero = problem.at(array![[0.0, 0.0]], vec![0.0]);
    assert!((zero.loss / 2.0 - 2.0_f64.ln()).abs() < 1e-15);
    assert!(zero.gradient[[0, 0]].abs() < 1e-15);
    assert!((zero.gradient[[0, 1]] / 2.0 + 0.75).abs() < 1e-15);

    // Away from zero the printed form x·(σ(y·θᵀx) − [y = 1]) is wrong for the point with y = −1.
    let theta = [0.3, -0.7];
    let found = problem.at(array![theta], vec![0.0]);
    let loss = |theta: [f64; 2]| problem.at(array![theta], vec![0.0]).loss;
    let h = 1e-6;
    let difference = (loss([theta[0] + h, theta[1]]) - loss([theta[0] - h, theta[1]])) / (2.0 * h);
    assert!((found.gradient[[0, 0]] - difference).abs() < 1e-8);
    let score = |row: usize| theta[0] * x[[row, 0]] + theta[1] * x[[row, 1]];
    let right = (sigmoid(score(0)) - 1.0) + sigmoid(score(1));
    let printed = (sigmoid(score(0)) - 1.0) + sigmoid(-score(1));
    assert!((found.gradient[[0, 0]] - right).abs() < 1e-15);
    assert!((printed - difference).abs() > 0.1);
}

// 000a:SUP-37, 003:P37, 003:P38, 000b:D32: value, gradient and second derivatives belong together,
// penalty included and intercept left out of it, for two and three classes, dense and sparse.
#[test]
fn gradients_and_second_derivatives_are_finite_differences() {
    let x = random_matrix(40, 3, 1) + 0.5;
    let sparse = Csr::from_dense(x.view());
    let weights: Vec<f64> = (0..40).map(|row| 0.5 + f64::from(row % 4)).collect();
    for classes in [2, 3, 4] {
        let labels =
            Labels::from_indices((0..40).map(|row| (row * 7 + row / 5) % classes).collect());
        for (samples, fit_intercept) in [
            (Samples::from(&x), true),
            (Samples::from(&x), false),
            (Samples::from(&sparse), true),
        ] {
            let parameters = LogisticRegression {
                c: 0.5,
                fit_intercept,
                class_weight: ClassWeight::Balanced,
                tol: 1e-10,
                ..LogisticRegression::default()
            };
            let problem = plain(samples.weighted(&weights).unwrap(), &labels, &parameters);
            let size = problem.frame.size();
            let point: Vec<f64> = random_matrix(1, size, 2).iter().map(|u| u * 3.0).collect();
            let (_, gradient) = problem.objective(&point);
            let hessian = problem.hessian(&point);
            let h = 1e-5;
            for j in 0..size {
                let moved = |by: f64| {
                    let mut point = point.clone();
                    point[j] += by;
                    problem.objective(&point)
                };
                let (above, below) = (moved(h), moved(-h));
                let slope = (above.0 - below.0) / (2.0 * h);
                assert!(
                    (gradient[j] - slope).abs() < 1e-7,
                    "{} {slope}",
                    gradient[j]
                );
                let width = size / problem.frame.n_outputs();
                for i in 0..size {
                    let bend = (above.1[i] - below.1[i]) / (2.0 * h);
                    // The filled-in direction of equal scores.
                    let outputs = problem.frame.n_outputs();
                    let filled = f64::from(outputs > 1 && i % width == j % width) / outputs as f64;
                    assert!((hessian[[i, j]] - filled - bend).abs() < 1e-7);
                }
            }
            if classes > 2 {
                // The gradient sums to zero over the classes, apart from the penalty.
                let sums = problem
                    .at(random_matrix(classes, 3, 3), vec![0.1; classes])
                    .gradient
                    .sum_axis(Axis(0));
                assert!(sums.iter().all(|sum| sum.abs() < 1e-12));
            }
        }
    }
}

// 000a:SUP-39: H = Σ p(1−p)·x·xᵀ, a single sum; the printed double sum over x_iᵀx_j is a number.
#[test]
fn the_second_derivatives_are_a_single_sum_over_the_rows() {
    let x = array![[1.0, 2.0], [1.0, -1.0], [0.5, 3.0]];
    let labels = Labels::from_indices(vec![1, 0, 0]);
    let problem = plain(Samples::from(&x), &labels, &no_intercept());
    let point = [0.4, -0.2];
    let w = problem.frame.weights(&point).coef;
    let scale = [w[[0, 0]] / point[0], w[[0, 1]] / point[1]];
    let mut expected = Array2::<f64>::zeros((2, 2));
    for row in x.rows() {
        let p = sigmoid(row.dot(&w.row(0)));
        for i in 0..2 {
            for j in 0..2 {
                expected[[i, j]] += p * (1.0 - p) * row[i] * row[j] * scale[i] * scale[j];
            }
        }
    }
    assert_close(&problem.hessian(&point), &expected, 1e-12);
}

/// The weight after each Newton step without an intercept.
fn newton_path(x: &Array2<f64>, labels: &Labels) -> (Vec<f64>, StopReason, f64) {
    let problem = plain(Samples::from(x), labels, &no_intercept());
    let goal = Goal {
        max_iter: 50,
        tol: 1e-13,
        unit: 1.0,
        unbounded: true,
    };
    let mut search = Search::new(Method::Newton, problem.frame.size(), goal);
    let mut path = Vec::new();
    loop {
        let point = search.point();
        let evaluation = problem
            .examples
            .evaluate(&problem.frame, &problem.frame.weights(&point), &Run::new())
            .unwrap();
        let (value, gradient) = problem.frame.objective(&point, &evaluation);
        let answer = Answer {
            value,
            gradient,
            smallest_margin: evaluation.smallest_margin,
        };
        let stop = search.tell(answer, || Ok(problem.hessian(&point))).unwrap();
        if search.n_iter() > path.len() {
            path.push(problem.frame.weights(search.best()).coef[[0, 0]]);
        }
        if let Some(stop) = stop {
            return (path, stop, search.value());
        }
    }
}

// 000a:fx-D4, 000a:SUP-36, 004:M31: the Newton path from zero and the minimum of the NLL.
#[test]
fn newton_steps_follow_the_published_path() {
    let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    let labels = Labels::from_indices(vec![0, 1, 0, 1]);
    let (path, stop, value) = newton_path(&x, &labels);
    let expected = [0.4, 0.419493919845728, 0.419617619915227, 0.419617624991098];
    for (found, expected) in path.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-14, "{path:?}");
    }
    assert!(path.len() >= 4 && stop == StopReason::Converged);
    assert!((value - 2.56781362876785).abs() < 1e-13);
}

// 000a:SUP-39, 003:P39: iteratively reweighted least squares are full Newton steps, and the
// number of right digits doubles.
#[test]
fn reweighted_least_squares_are_the_newton_steps() {
    let x = random_matrix(30, 1, 5);
    let labels = Labels::from_indices((0..30).map(|row| usize::from((row * 5) % 7 > 2)).collect());
    let (path, ..) = newton_path(&x, &labels);
    let y: Array1<f64> = labels.indices.iter().map(|&label| label as f64).collect();
    let mut w = 0.0;
    for newton in &path[..3] {
        let p = x.column(0).mapv(|x| sigmoid(w * x));
        let s = p.mapv(|p| p * (1.0 - p));
        let z = &x.column(0) * w + &((&y - &p) / &s);
        let gram = array![[(&x.column(0) * &x.column(0) * &s).sum()]];
        let cross = array![(&x.column(0) * &s * &z).sum()];
        w = Cholesky::new(gram.view())
            .unwrap()
            .solve_vector(cross.view())[0];
        assert!((w - newton).abs() < 1e-12, "{w} {newton}");
    }
    let last = path[path.len() - 1];
    let errors: Vec<f64> = path.iter().map(|w| (w - last).abs()).collect();
    assert!(errors[1] < 10.0 * errors[0] * errors[0]);
}

// 001:CLS-21, 004:M30: descent (or ascent of the likelihood, θ ← θ + αXᵀ(y − p)) with the safe
// rate 4/λmax(XᵀX) only ever goes down and ends where Newton ends.
#[test]
fn gradient_descent_ends_where_newton_ends() {
    let x = concatenate![Axis(1), Array2::ones((50, 1)), random_matrix(50, 1, 6)];
    let labels = Labels::from_indices(
        (0..50)
            .map(|row| usize::from((row * 11) % 17 > 7))
            .collect(),
    );
    let problem = plain(Samples::from(&x), &labels, &no_intercept());
    let rate = 4.0
        / didact_math::linalg::symmetric_eigen(x.t().dot(&x).view())
            .unwrap()
            .values[0];
    let mut theta = Array2::<f64>::zeros((1, 2));
    let mut before = f64::INFINITY;
    for _ in 0..3000 {
        let found = problem.at(theta.clone(), vec![0.0]);
        assert!(found.loss <= before + 1e-12);
        before = found.loss;
        theta[[0, 0]] -= rate * found.gradient[[0, 0]];
        theta[[0, 1]] -= rate * found.gradient[[0, 1]];
    }
    let model =
        didact_core::Fit::fit(&no_intercept(), Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_close(&theta, model.coef(), 1e-9);
    // 000a:SUP-37: with a constant column the mean probability is the base rate.
    let p: f64 = x.dot(&model.coef().row(0)).mapv(sigmoid).mean().unwrap();
    let rate: f64 = labels.indices.iter().sum::<usize>() as f64 / 50.0;
    assert!((p - rate).abs() < 1e-9);
}

/// Many rows in which every column leans on one that all share, the more the greater `lean` is.
fn many_rows(lean: f64) -> (Array2<f64>, Labels) {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut x = Array2::zeros((6000, 16));
    let mut labels = Vec::new();
    for mut row in x.rows_mut() {
        let shared = lean * uniform();
        row.mapv_inplace(|_: f64| shared + uniform());
        let score = row[0] - row[1] + 0.5 * row[2];
        labels.push(usize::from(score + uniform() > 0.0));
    }
    (x, Labels::from_indices(labels))
}

#[test]
fn on_many_rows_the_automatic_choice_finds_the_minimum_of_newton_however_columns_depend() {
    // Independent columns are settled by L-BFGS alone, the others after Newton took over.
    for (lean, most_iterations) in [(0.0, 20), (1e4, 40)] {
        let (x, labels) = many_rows(lean);
        let fit = |solver| {
            let parameters = LogisticRegression {
                solver,
                tol: 1e-10,
                ..LogisticRegression::default()
            };
            parameters.fit(Labelled::new(&x, &labels).unwrap()).unwrap()
        };
        let (automatic, newton) = (fit(Solver::Auto), fit(Solver::Newton));
        let last = |model: &LogisticModel| *model.history().objectives.last().unwrap();
        assert!((last(&automatic) - last(&newton)).abs() <= 1e-9 * last(&newton));
        for (found, expected) in automatic.coef().iter().zip(newton.coef()) {
            assert!((found - expected).abs() <= 1e-6);
        }
        assert_eq!(automatic.history().stop, StopReason::Converged);
        assert!(automatic.history().n_iter() <= most_iterations);
    }
}

#[test]
fn a_rehearsal_with_some_rows_changes_where_the_search_sets_out_and_nothing_else() {
    let (x, labels) = many_rows(0.0);
    // Of every sixteenth row all have one class, or none has the third.
    let periodic = (0..6000).map(|row| usize::from(row % 8 > 3 || row % 56 == 1));
    let mut rare = labels.indices.clone();
    rare.iter_mut()
        .skip(1)
        .step_by(800)
        .for_each(|label| *label = 2);
    let mut outlier = x.clone();
    outlier[[3, 0]] = 1e6;
    let cases = [
        (&x, labels.clone(), true),
        (&x, Labels::from_indices(periodic.collect()), false),
        (&x, Labels::from_indices(rare), false),
        (&outlier, labels, true),
    ];
    for (x, labels, rehearses) in cases {
        let fit = |solver| {
            let parameters = LogisticRegression {
                solver,
                tol: 1e-9,
                ..LogisticRegression::default()
            };
            parameters.fit(Labelled::new(x, &labels).unwrap()).unwrap()
        };
        let (automatic, plain) = (fit(Solver::Auto), fit(Solver::Lbfgs));
        for (found, expected) in automatic.coef().iter().zip(plain.coef()) {
            assert!((found - expected).abs() <= 1e-6);
        }
        let first = |model: &LogisticModel| model.history().objectives[0];
        assert_eq!(first(&automatic) != first(&plain), rehearses);
    }
}

/// Sparse counts of which the first columns are nearly everywhere, far from zero.
fn counts(n: usize, d: usize, classes: usize) -> (Csr, Labels) {
    let noise = random_matrix(n, d, 8);
    let x = Array2::from_shape_fn((n, d), |(row, column)| match column < d / 10 {
        true => 9.0 + noise[[row, column]],
        false if noise[[row, column]].abs() > 0.8 => noise[[row, column]].signum() + 2.0,
        false => 0.0,
    });
    let scores = x.dot(&random_matrix(d, classes, 9));
    let mean = scores.mean_axis(Axis(0)).unwrap();
    let best = |row: usize| {
        let better = |&a: &usize, &b: &usize| {
            let lead = |class: usize| scores[[row, class]] - mean[class];
            lead(a).total_cmp(&lead(b))
        };
        (0..classes).max_by(better).unwrap()
    };
    let labels = Labels::from_indices((0..n).map(best).collect());
    (Csr::from_dense(x.view()), labels)
}

fn quasi_newton<'a>(samples: Samples<'a>, labels: &'a Labels, tol: f64) -> LogisticModel {
    let parameters = LogisticRegression {
        solver: Solver::Lbfgs,
        tol,
        ..LogisticRegression::default()
    };
    parameters
        .fit(Labelled::new(samples, labels).unwrap())
        .unwrap()
}

#[test]
fn sparse_rows_far_from_zero_take_hardly_more_steps_than_the_same_rows_written_out() {
    for classes in [2, 4] {
        let (sparse, labels) = counts(600, 300, classes);
        let dense = sparse.view().to_dense();
        let (rough, written_out) = (
            quasi_newton(Samples::from(&sparse), &labels, 1e-4),
            quasi_newton(Samples::from(&dense), &labels, 1e-4),
        );
        assert_eq!(rough.history().stop, StopReason::Converged);
        // The lines are searched in other ways, so the numbers need not be equal.
        assert!(4 * rough.history().n_iter() <= 5 * written_out.history().n_iter());
        let (found, expected) = (
            quasi_newton(Samples::from(&sparse), &labels, 1e-9),
            quasi_newton(Samples::from(&dense), &labels, 1e-9),
        );
        for (found, expected) in found.coef().iter().zip(expected.coef()) {
            assert!((found - expected).abs() <= 1e-6, "{found} {expected}");
        }
        for (found, expected) in found.intercept().iter().zip(expected.intercept()) {
            assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0));
        }
    }
}

#[test]
fn sparse_rows_have_the_same_weights_bit_for_bit_on_any_number_of_threads() {
    let (sparse, labels) = counts(3000, 40, 3);
    let fit = |threads| {
        let run = Run::new().threads(threads);
        let data = Labelled::new(&sparse, &labels).unwrap();
        let model = LogisticRegression::default().fit_with(data, &run).unwrap();
        (model.coef().clone(), model.intercept().clone())
    };
    let one = fit(1);
    assert_eq!(one, fit(2));
    assert_eq!(one, fit(3));
}
