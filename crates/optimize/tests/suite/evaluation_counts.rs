//! L-BFGS needs no more evaluations than SciPy's.
//!
//! The counts are those of SciPy 1.17.1,
//! `minimize(f, x0, jac=True, method="L-BFGS-B", options=dict(maxcor=10, ftol=0, gtol=1e-6))`:
//! the same memory, the same start, the same test on the largest entry of the gradient.

use didact_core::{Rows, Run};
use didact_optimize::{Lbfgs, Minimise, Objective, Stop};
use ndarray::{Array1, Array2, ArrayView1, Axis};

#[track_caller]
fn assert_no_more_than_scipy(objective: &mut dyn Objective, start: &[f64], scipy: usize) {
    let method = Lbfgs {
        gradient_tolerance: 1e-6,
        ..Lbfgs::default()
    };
    let outcome = method.minimise(objective, start, &Run::new()).unwrap();
    assert_eq!(outcome.stop, Stop::Gradient);
    let count = outcome.evaluations.values;
    assert!(count <= scipy, "{count} evaluations, {scipy} by SciPy");
}

/// Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)².
fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() - 1 {
        let (valley, slope) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * valley * valley + slope * slope;
        gradient[i] += -400.0 * valley * x[i] - 2.0 * slope;
        gradient[i + 1] += 200.0 * valley;
    }
    value
}

// 000b:Q22
#[test]
fn rosenbrock_in_ten_and_in_a_hundred_dimensions() {
    for (n, scipy) in [(10, 93), (100, 621)] {
        let start: Vec<f64> = (0..n)
            .map(|i| if i % 2 == 0 { -1.2 } else { 1.0 })
            .collect();
        assert_no_more_than_scipy(&mut rosenbrock, &start, scipy);
    }
}

// 000b:Q22
#[test]
fn logistic_regression_on_standardised_breast_cancer() {
    let data = didact_datasets::breast_cancer();
    let labelled = data.labelled().unwrap();
    let Rows::Dense(rows) = labelled.samples.rows() else {
        panic!("the rows are dense")
    };
    let mut x = rows.to_owned();
    let mean = x.mean_axis(Axis(0)).unwrap();
    x -= &mean;
    let deviation = x.std_axis(Axis(0), 0.0);
    x /= &deviation;
    let sign: Vec<f64> = labelled
        .labels
        .iter()
        .map(|&class| if class == 1 { 1.0 } else { -1.0 })
        .collect();
    // Σ ln(1 + exp(−s·(w·x + b))) + ½‖w‖².
    let mut loss = |parameters: &[f64], gradient: &mut [f64]| {
        let (w, b) = parameters.split_at(30);
        let scores: Array1<f64> = x.dot(&ArrayView1::from(w)) + b[0];
        let margins: Vec<f64> = scores
            .iter()
            .zip(&sign)
            .map(|(score, sign)| score * sign)
            .collect();
        let pull: Array1<f64> = margins
            .iter()
            .zip(&sign)
            .map(|(margin, sign)| -sign / (1.0 + margin.exp()))
            .collect();
        let slope = x.t().dot(&pull);
        (0..30).for_each(|i| gradient[i] = slope[i] + w[i]);
        gradient[30] = pull.sum();
        let losses = margins
            .iter()
            .map(|margin| (-margin.abs()).exp().ln_1p() + (-margin).max(0.0));
        losses.sum::<f64>() + 0.5 * w.iter().map(|w| w * w).sum::<f64>()
    };
    assert_no_more_than_scipy(&mut loss, &[0.0; 31], 61);
}

// 000b:Q22
#[test]
fn a_bowl_of_curvatures_from_one_to_ten_thousand() {
    let mut bowl = |x: &[f64], gradient: &mut [f64]| {
        for i in 0..50 {
            gradient[i] = 10f64.powf(4.0 * i as f64 / 49.0) * (x[i] - 1.0);
        }
        (0..50)
            .map(|i| 0.5 * gradient[i] * (x[i] - 1.0))
            .sum::<f64>()
    };
    assert_no_more_than_scipy(&mut bowl, &[0.0; 50], 854);
}

// 000b:Q22
#[test]
fn powells_function_with_a_singular_hessian() {
    let mut powell = |x: &[f64], gradient: &mut [f64]| {
        let mut value = 0.0;
        for (x, gradient) in x.chunks(4).zip(gradient.chunks_mut(4)) {
            let one = x[0] + 10.0 * x[1];
            let two = x[2] - x[3];
            let three = x[1] - 2.0 * x[2];
            let four = x[0] - x[3];
            value += one * one + 5.0 * two * two + three.powi(4) + 10.0 * four.powi(4);
            gradient[0] = 2.0 * one + 40.0 * four.powi(3);
            gradient[1] = 20.0 * one + 4.0 * three.powi(3);
            gradient[2] = 10.0 * two - 8.0 * three.powi(3);
            gradient[3] = -10.0 * two - 40.0 * four.powi(3);
        }
        value
    };
    assert_no_more_than_scipy(&mut powell, &[3.0, -1.0, 0.0, 1.0].repeat(5), 34);
}

// 000b:Q22
#[test]
fn woods_function() {
    let mut wood = |x: &[f64], gradient: &mut [f64]| {
        let mut value = 0.0;
        for (x, gradient) in x.chunks(4).zip(gradient.chunks_mut(4)) {
            let [a, b, c, d] = [x[0], x[1], x[2], x[3]];
            value += 100.0 * (b - a * a).powi(2)
                + (1.0 - a).powi(2)
                + 90.0 * (d - c * c).powi(2)
                + (1.0 - c).powi(2)
                + 10.0 * (b + d - 2.0).powi(2)
                + 0.1 * (b - d).powi(2);
            gradient[0] = -400.0 * a * (b - a * a) - 2.0 * (1.0 - a);
            gradient[1] = 200.0 * (b - a * a) + 20.0 * (b + d - 2.0) + 0.2 * (b - d);
            gradient[2] = -360.0 * c * (d - c * c) - 2.0 * (1.0 - c);
            gradient[3] = 180.0 * (d - c * c) + 20.0 * (b + d - 2.0) - 0.2 * (b - d);
        }
        value
    };
    assert_no_more_than_scipy(&mut wood, &[-3.0, -1.0, -3.0, -1.0].repeat(5), 113);
}

// 000b:Q22
#[test]
fn a_sum_of_powers_of_one_weighted_sum() {
    let mut powers = |x: &[f64], gradient: &mut [f64]| {
        let weight = |i: usize| (i + 1) as f64;
        let sum: f64 = (0..20).map(|i| weight(i) * (x[i] - 1.0)).sum();
        let pull = 2.0 * sum + 4.0 * sum.powi(3);
        for i in 0..20 {
            gradient[i] = 2.0 * (x[i] - 1.0) + pull * weight(i);
        }
        (0..20).map(|i| (x[i] - 1.0).powi(2)).sum::<f64>() + sum * sum + sum.powi(4)
    };
    let start: Vec<f64> = (1..=20).map(|i| 1.0 - f64::from(i) / 20.0).collect();
    assert_no_more_than_scipy(&mut powers, &start, 25);
}

// 000b:Q22
#[test]
fn the_matrix_of_hilbert() {
    // ½(x − 1)ᵀH(x − 1), hᵢⱼ = 1/(i + j + 1): the condition number is 1.6e13.
    let hilbert = Array2::from_shape_fn((10, 10), |(i, j)| 1.0 / (i + j + 1) as f64);
    let mut form = |x: &[f64], gradient: &mut [f64]| {
        let away: Array1<f64> = x.iter().map(|x| x - 1.0).collect();
        let product = hilbert.dot(&away);
        gradient
            .iter_mut()
            .zip(&product)
            .for_each(|(to, from)| *to = *from);
        0.5 * away.dot(&product)
    };
    assert_no_more_than_scipy(&mut form, &[0.0; 10], 29);
}
