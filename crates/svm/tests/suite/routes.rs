//! The dual of the machines by other routes: all find the same optimum.

use didact_core::{Fit, Labelled, Labels, Measured, Rows, Run};
use didact_math::kernel::{Kernel, kernel_matrix_self};
use didact_optimize::{ActiveSet, InteriorPoint, ProgramSolution, QuadraticProgram};
use didact_svm::{Svc, Svr};
use didact_testing::random_matrix;
use ndarray::{Array1, Array2, Axis, array, concatenate};

/// The solutions of a program by active sets and by interior points.
fn routes(program: &QuadraticProgram) -> [ProgramSolution; 2] {
    let run = Run::new();
    let active = ActiveSet::default().solve(program, &run).unwrap();
    let interior = InteriorPoint::default().solve(program, &run).unwrap();
    [active, interior].map(|verdict| verdict.optimal().unwrap())
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * (1.0 + expected.abs()),
        "{found} {expected}"
    );
}

/// Projects onto 0 ≤ α ≤ C and Σαy = 0: α − ty clipped, with the t that balances it.
fn projected(alpha: &Array1<f64>, y: &Array1<f64>, c: f64) -> Array1<f64> {
    let clipped = |t: f64| (alpha - &(y * t)).mapv(|value| value.clamp(0.0, c));
    let (mut low, mut high) = (-1e3, 1e3);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        // Σαy falls as t rises.
        match clipped(middle).dot(y) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    clipped(0.5 * (low + high))
}

/// Climbs Σα − ½αᵀHα and goes back into the limits after every step.
fn projected_gradient(h: &Array2<f64>, y: &Array1<f64>, c: f64) -> f64 {
    // No eigenvalue exceeds the Frobenius norm.
    let step = 1.0 / h.iter().map(|h| h * h).sum::<f64>().sqrt();
    let mut alpha = Array1::zeros(y.len());
    for _ in 0..4_000 {
        let ascent = &alpha + &((1.0 - h.dot(&alpha)) * step);
        alpha = projected(&ascent, y, c);
    }
    alpha.sum() - 0.5 * alpha.dot(&h.dot(&alpha))
}

// 000a:SUP-17, 000a:fx-D7, 001:SVM-08, 002b:KM-12: pairs, active sets, interior points and projected
// gradients agree; two equal rows make the kernel matrix singular, which hurts nobody.
#[test]
fn all_routes_to_the_dual_of_a_classifier_agree() {
    let x = array![
        [0.0, 3.0],
        [1.0, 0.0],
        [1.0, 3.0],
        [-3.0, 0.0],
        [-2.0, 2.0],
        [3.0, 0.0]
    ];
    let twins = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    let y = [1.0, 1.0, -1.0, -1.0, -1.0, 1.0];
    let random = random_matrix(30, 2, 3);
    let mixed: Vec<f64> = (0..30)
        .map(|row| {
            if random[[row, 0]] + 0.5 * (row % 3) as f64 > 0.4 {
                1.0
            } else {
                -1.0
            }
        })
        .collect();
    let cases = [
        (x.clone(), y.to_vec(), Kernel::Linear, Some(2.65625)),
        (twins, [y, y].concat(), Kernel::Linear, None),
        (
            random.clone(),
            mixed.clone(),
            Kernel::Rbf { gamma: 0.5 },
            None,
        ),
        (random, mixed, Kernel::Linear, None),
    ];
    for (x, y, kernel, expected) in cases {
        let k = kernel_matrix_self(Rows::Dense(x.view()), &kernel, &Run::new()).unwrap();
        let signs = Array1::from(y.clone());
        let h = Array2::from_shape_fn(k.dim(), |(i, j)| y[i] * y[j] * k[[i, j]]);
        let n = y.len();
        let program = QuadraticProgram::new(h.clone(), Array1::ones(n))
            .unwrap()
            .equalities(signs.clone().insert_axis(Axis(0)), array![0.0])
            .unwrap()
            .bounds(&vec![0.0; n], &vec![1.0; n])
            .unwrap();
        let svc = Svc {
            kernel: kernel.into(),
            tol: 1e-10,
            ..Default::default()
        };
        let labels = Labels::from_indices(y.iter().map(|&y| usize::from(y > 0.0)).collect());
        let model = svc.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let dual = model.certificates()[0].dual;
        for solution in routes(&program) {
            close(dual, -solution.value, 1e-7);
        }
        if n < 20 {
            close(dual, projected_gradient(&h, &signs, 1.0), 1e-6);
        }
        if let Some(expected) = expected {
            close(dual, expected, 1e-9);
        }
    }
}

// 002b:KM-12, 002b:KM-09, 004:M75: the dual of the regression, with Σ y(α⁺ − α⁻).
#[test]
fn all_routes_to_the_dual_of_a_regression_agree() {
    let x = random_matrix(18, 2, 9);
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|row| row[0] - row[1] * row[1])
        .collect();
    let (n, epsilon, c) = (18, 0.2, 0.8);
    for kernel in [Kernel::Rbf { gamma: 0.4 }, Kernel::Linear] {
        let k = kernel_matrix_self(Rows::Dense(x.view()), &kernel, &Run::new()).unwrap();
        // α⁺ first, then α⁻.
        let sign = |v: usize| if v < n { 1.0 } else { -1.0 };
        let h = Array2::from_shape_fn((2 * n, 2 * n), |(a, b)| {
            sign(a) * sign(b) * k[[a % n, b % n]]
        });
        let linear = (0..2 * n).map(|v| sign(v) * y[v % n] - epsilon).collect();
        let balance = Array2::from_shape_fn((1, 2 * n), |(_, v)| sign(v));
        let program = QuadraticProgram::new(h, linear)
            .unwrap()
            .equalities(balance, array![0.0])
            .unwrap()
            .bounds(&vec![0.0; 2 * n], &vec![c; 2 * n])
            .unwrap();
        let svr = Svr {
            kernel: kernel.into(),
            tol: 1e-10,
            c,
            epsilon,
            ..Default::default()
        };
        let model = svr.fit(Measured::new(&x, &y).unwrap()).unwrap();
        for solution in routes(&program) {
            close(model.certificate().dual, -solution.value, 1e-7);
            // 002b:KM-09, 004:M75: never both multipliers of a row.
            let alphas = &solution.x;
            assert!((0..n).all(|row| alphas[row].min(alphas[row + n]) < 1e-5));
        }
    }
}
