//! Kernel classifiers as users see them.

use didact_core::{Classify, Fit, Labelled, Labels, Run, Samples, Scores, StopReason};
use didact_math::kernel::{Gamma, Kernel, KernelChoice, KernelName};
use didact_svm::{ClassWeight, CostReduction, NuSvc, Role, Separation, Svc, SvcModel};
use didact_testing::{random_matrix, random_sparse};
use ndarray::{Array2, Axis, array};
use proptest::prelude::*;

/// Labels of signs: −1 is the first class, +1 the second.
fn labels(signs: &[i32]) -> Labels {
    Labels::from_indices(signs.iter().map(|&sign| usize::from(sign > 0)).collect())
}

fn fit(svc: &Svc, x: &Array2<f64>, labels: &Labels) -> SvcModel {
    svc.fit(Labelled::new(x, labels).unwrap()).unwrap()
}

fn linear(c: f64) -> Svc {
    Svc {
        c,
        kernel: KernelName::Linear.into(),
        tol: 1e-10,
        ..Default::default()
    }
}

fn hard(kernel: impl Into<KernelChoice>) -> Svc {
    Svc {
        kernel: kernel.into(),
        margin: Separation::Hard,
        tol: 1e-10,
        ..Default::default()
    }
}

/// (xᵀz + 1)².
fn square() -> Kernel {
    Kernel::Polynomial {
        degree: 2,
        gamma: 1.0,
        coef0: 1.0,
    }
}

/// α of every row, which the model keeps as αy of the support vectors.
fn alphas(model: &SvcModel) -> Vec<f64> {
    let mut alphas = vec![0.0; model.roles().len()];
    for (&row, beta) in model.support().iter().zip(model.dual_coef().row(0)) {
        alphas[row] = beta.abs();
    }
    alphas
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * (1.0 + expected.abs()),
        "{found} {expected}"
    );
}

#[track_caller]
fn all_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (&found, &expected) in found.iter().zip(expected) {
        close(found, expected, tolerance);
    }
}

fn xor() -> (Array2<f64>, Labels) {
    let x = array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    (x, labels(&[1, -1, -1, 1]))
}

/// The breast cancer data, standardised.
fn cancer() -> (Array2<f64>, Labels) {
    let cancer = didact_datasets::breast_cancer();
    let x = cancer.samples().dense().unwrap().to_owned();
    let standard = (&x - &x.mean_axis(Axis(0)).unwrap()) / x.std_axis(Axis(0), 0.0);
    (standard, cancer.labels().unwrap().clone())
}

// 000a:fx-D5, 000a:SUP-13, 000a:SUP-15, 000a:SUP-14: with the features a, b and ab the exclusive or
// is separable; α = ¼ each, w = (0, 0, 1), b = 0, margin 2, dual = primal = ½.
#[test]
fn the_exclusive_or_has_the_published_hard_margin_with_its_product_as_a_feature() {
    let (x, labels) = xor();
    let products = Array2::from_shape_fn((4, 3), |(i, j)| match j {
        2 => x[[i, 0]] * x[[i, 1]],
        _ => x[[i, j]],
    });
    let model = fit(&hard(KernelName::Linear), &products, &labels);
    all_close(&alphas(&model), &[0.25; 4], 1e-6);
    all_close(
        &model.coef().unwrap().row(0).to_vec(),
        &[0.0, 0.0, 1.0],
        1e-6,
    );
    close(model.intercept()[0], 0.0, 1e-6);
    close(model.margin()[0], 2.0, 1e-6);
    let certificate = model.certificates()[0];
    close(certificate.primal, 0.5, 1e-9);
    close(certificate.dual, 0.5, 1e-9);
    assert!(certificate.gap() < 1e-8 && certificate.imbalance < 1e-12);
}

// 000a:fx-D5, 002a:EX18, 002a:SV08: α = 1/8 each, b = 0, objective ¼, and f(x) = x₁x₂, which the
// printed decision without yᵢ would make zero.
#[test]
fn the_exclusive_or_has_the_published_machine_with_a_squared_kernel() {
    let (x, labels) = xor();
    let model = fit(&hard(square()), &x, &labels);
    all_close(&alphas(&model), &[0.125; 4], 1e-6);
    close(model.intercept()[0], 0.0, 1e-6);
    close(model.certificates()[0].primal, 0.25, 1e-9);
    let queries = random_matrix(20, 2, 1);
    let scores = model.decision_function(&queries).unwrap();
    for (query, score) in queries.rows().into_iter().zip(&scores) {
        close(*score, query[0] * query[1], 1e-6);
    }
    let soft = Svc {
        kernel: square().into(),
        ..linear(100.0)
    };
    all_close(&alphas(&fit(&soft, &x, &labels)), &[0.125; 4], 1e-6);
}

// 001:T-10, 001:SVM-01, 001:SVM-02, 001:SVM-03, 001:SVM-04: (i) θ = (½, ½), θ₀ = 0, α = ¼, ¼, 0 and
// width 2√2; (ii) with a free intercept θ = (½, −½) and θ₀ = −½, not the (4/11, −7/11) of the printed
// dual, which leaves out Σαy = 0.
#[test]
fn three_and_two_points_have_the_published_hard_margins_with_a_free_intercept() {
    let x = array![[1.0, 1.0], [-1.0, -1.0], [3.0, 3.0]];
    let model = fit(&hard(KernelName::Linear), &x, &labels(&[1, -1, 1]));
    all_close(&model.coef().unwrap().row(0).to_vec(), &[0.5, 0.5], 1e-9);
    close(model.intercept()[0], 0.0, 1e-9);
    all_close(&alphas(&model), &[0.25, 0.25, 0.0], 1e-9);
    close(model.certificates()[0].primal, 0.25, 1e-9);
    close(model.certificates()[0].dual, 0.25, 1e-9);
    close(model.margin()[0], 8.0_f64.sqrt(), 1e-9);
    assert_eq!(model.roles(), [Role::Edge, Role::Edge, Role::Idle]);
    let x = array![[3.0, 0.0], [1.0, 2.0]];
    let model = fit(&hard(KernelName::Linear), &x, &labels(&[1, -1]));
    all_close(&model.coef().unwrap().row(0).to_vec(), &[0.5, -0.5], 1e-9);
    close(model.intercept()[0], -0.5, 1e-9);
    all_close(&alphas(&model), &[0.25, 0.25], 1e-9);
}

// 002a:EX17, 002a:SV02: w = (½, ½), b = −1, α = ¼ each, margin 2√2; the printed dual Σαy would leave
// α = 0.
#[test]
fn two_points_have_the_published_hard_margin() {
    let x = array![[0.0, 0.0], [2.0, 2.0]];
    let model = fit(&hard(KernelName::Linear), &x, &labels(&[-1, 1]));
    all_close(&model.coef().unwrap().row(0).to_vec(), &[0.5, 0.5], 1e-9);
    close(model.intercept()[0], -1.0, 1e-9);
    all_close(&alphas(&model), &[0.25, 0.25], 1e-9);
    close(model.margin()[0], 8.0_f64.sqrt(), 1e-9);
}

// 001:T-10 (iii), 001:SVM-06, 001:SVM-07: θ = min(1, 1/λ) for (λ/2)θ² plus the mean loss of the points
// ±1; the printed box 1/λ would give 1 for λ = 2.
#[test]
fn the_box_of_a_mean_loss_is_one_over_n_times_lambda() {
    let x = array![[1.0], [-1.0]];
    for (lambda, expected) in [(2.0, 0.5), (0.5, 1.0), (4.0, 0.25)] {
        let svc = Svc {
            reduction: CostReduction::Mean,
            ..linear(1.0 / lambda)
        };
        let model = fit(&svc, &x, &labels(&[1, -1]));
        close(model.coef().unwrap()[[0, 0]], expected, 1e-9);
        let each = fit(&linear(1.0 / (2.0 * lambda)), &x, &labels(&[1, -1]));
        close(each.coef().unwrap()[[0, 0]], expected, 1e-9);
    }
}

// 000a:fx-D6, 000a:SUP-16, 004:M73, 002a:SV07, 003:P92: α = (5/9, 1, 1, 5/9), w = 2/3, b = −1 from the
// free vectors alone, objective 26/9. Over all support vectors the mean of y − w·x would be −5/6 … and
// with a priced intercept the machine is another one.
#[test]
fn four_points_have_the_published_soft_machine_with_a_free_intercept() {
    let x = array![[0.0], [1.0], [2.0], [3.0]];
    let model = fit(&linear(1.0), &x, &labels(&[-1, 1, -1, 1]));
    all_close(&alphas(&model), &[5.0 / 9.0, 1.0, 1.0, 5.0 / 9.0], 1e-6);
    close(model.coef().unwrap()[[0, 0]], 2.0 / 3.0, 1e-6);
    close(model.intercept()[0], -1.0, 1e-6);
    close(model.certificates()[0].primal, 26.0 / 9.0, 1e-9);
    close(model.certificates()[0].dual, 26.0 / 9.0, 1e-9);
    assert_eq!(
        model.roles(),
        [Role::Edge, Role::Bound, Role::Bound, Role::Edge]
    );
    let total = Svc {
        reduction: CostReduction::Mean,
        ..linear(4.0)
    };
    let same = fit(&total, &x, &labels(&[-1, 1, -1, 1]));
    all_close(&alphas(&same), &alphas(&model), 1e-6);
}

// 000a:fx-D7, 000a:SUP-23: the dual optimum is 2.65625; recovering the last multiplier from the others
// stalls at 2.633682.
#[test]
fn changing_pairs_do_not_stall_where_a_fixed_partner_does() {
    let x = array![
        [0.0, 3.0],
        [1.0, 0.0],
        [1.0, 3.0],
        [-3.0, 0.0],
        [-2.0, 2.0],
        [3.0, 0.0]
    ];
    let model = fit(&linear(1.0), &x, &labels(&[1, 1, -1, -1, -1, 1]));
    close(model.certificates()[0].dual, 2.65625, 1e-9);
    close(model.certificates()[0].primal, 2.65625, 1e-9);
}

// 000a:SUP-13, 002a:SV06, 003:P90: data that cannot be separated are reported, at once.
#[test]
fn classes_that_cannot_be_separated_are_reported() {
    let (x, labels) = xor();
    let data = Labelled::new(&x, &labels).unwrap();
    let error = hard(KernelName::Linear).fit(data).unwrap_err().to_string();
    assert!(
        error.contains("classes 0 and 1") && error.contains("margin to soft"),
        "{error}"
    );
    // A row of each class at the same place, by any kernel.
    let x = array![[0.0], [1.0], [1.0], [2.0]];
    let twins = Labels::from_indices(vec![0, 0, 1, 1]);
    for kernel in [KernelName::Rbf, KernelName::Linear, KernelName::Laplacian] {
        assert!(
            hard(kernel)
                .fit(Labelled::new(&x, &twins).unwrap())
                .is_err()
        );
    }
    let (x, labels) = cancer();
    let data = Labelled::new(&x, &labels).unwrap();
    let shuffled = Labels::from_indices((0..x.nrows()).map(|row| row * 7 % 3 % 2).collect());
    assert!(
        hard(KernelName::Linear)
            .fit(Labelled::new(&x, &shuffled).unwrap())
            .is_err()
    );
    assert!(hard(KernelName::Rbf).fit(data).is_ok());
}

// 000a:SUP-15, 001:SVM-04, 002a:SV05, 003:P92: only support vectors contribute.
#[test]
fn rows_without_a_multiplier_can_be_left_out_without_change() {
    let (x, labels) = cancer();
    for svc in [
        linear(1.0),
        Svc {
            tol: 1e-10,
            c: 10.0,
            ..Default::default()
        },
    ] {
        let svc = Svc {
            gamma: Gamma::Value(0.05),
            ..svc
        };
        let all = fit(&svc, &x, &labels);
        let kept = all.support();
        assert!(kept.len() < x.nrows() / 2);
        let fewer = x.select(Axis(0), kept);
        let own = Labels {
            indices: kept.iter().map(|&row| labels.indices[row]).collect(),
            classes: labels.classes.clone(),
        };
        let few = fit(&svc, &fewer, &own);
        let scores = |model: &SvcModel| {
            model
                .decision_function(&x)
                .unwrap()
                .into_raw_vec_and_offset()
                .0
        };
        all_close(&scores(&few), &scores(&all), 1e-5);
    }
}

// 000a:SUP-13: the margin of separable classes is the distance of their convex hulls.
#[test]
fn the_hard_margin_is_the_distance_of_the_hulls_and_the_limit_of_large_prices() {
    // The hulls are the segment from (0, −1) to (0, 1) and the point (3, 0) with one behind it.
    let x = array![[0.0, -1.0], [0.0, 1.0], [3.0, 0.0], [4.0, 0.5]];
    let y = labels(&[-1, -1, 1, 1]);
    let hard = fit(&hard(KernelName::Linear), &x, &y);
    close(hard.margin()[0], 3.0, 1e-9);
    let soft = fit(&linear(1e6), &x, &y);
    all_close(
        &soft.coef().unwrap().row(0).to_vec(),
        &hard.coef().unwrap().row(0).to_vec(),
        1e-9,
    );
    close(soft.intercept()[0], hard.intercept()[0], 1e-9);
    // 003:P89, 004:M70: functional margins divided by ‖w‖ are distances; the least is half the width.
    let scores = hard.decision_function(&x).unwrap();
    let length = hard
        .coef()
        .unwrap()
        .iter()
        .map(|w| w * w)
        .sum::<f64>()
        .sqrt();
    let distances = scores
        .iter()
        .zip(&y.indices)
        .map(|(f, &k)| f * (2.0 * k as f64 - 1.0) / length);
    close(distances.fold(f64::INFINITY, f64::min), 1.5, 1e-9);
}

// 001:SVM-05, 003:P95, 004:M72: a squared kernel is a linear machine on all products of two features,
// and a linear kernel is the linear machine.
#[test]
fn a_squared_kernel_is_the_linear_machine_on_explicit_products() {
    let x = random_matrix(60, 2, 3);
    let y = Labels::from_indices(
        x.rows()
            .into_iter()
            .map(|r| usize::from(r[0] * r[1] + 0.3 * r[0] > 0.1))
            .collect(),
    );
    let explicit = Array2::from_shape_fn((60, 6), |(i, j)| {
        let (a, b, root) = (x[[i, 0]], x[[i, 1]], 2.0_f64.sqrt());
        [1.0, root * a, root * b, a * a, b * b, root * a * b][j]
    });
    let curved = fit(
        &Svc {
            kernel: square().into(),
            ..linear(2.0)
        },
        &x,
        &y,
    );
    let straight = fit(&linear(2.0), &explicit, &y);
    let scores = curved.decision_function(&x).unwrap();
    let expected = straight.decision_function(&explicit).unwrap();
    all_close(
        scores.as_slice().unwrap(),
        expected.as_slice().unwrap(),
        1e-6,
    );
    // 000a:SUP-24: the dual form of the linear machine is w·x + b.
    let model = fit(&linear(2.0), &x, &y);
    let dual = model.support().iter().zip(model.dual_coef().row(0));
    let w = dual.fold(ndarray::Array1::zeros(2), |sum, (&row, beta)| {
        sum + &x.row(row) * *beta
    });
    all_close(
        w.as_slice().unwrap(),
        &model.coef().unwrap().row(0).to_vec(),
        1e-9,
    );
}

// 002a:SV04, 000a:SUP-14, 001:SVM-08: complementarity row by row, and a gap that vanishes.
#[test]
fn every_row_fulfils_the_condition_of_its_role() {
    let (x, labels) = cancer();
    for kernel in [
        KernelName::Linear,
        KernelName::Rbf,
        KernelName::Laplacian,
        KernelName::Cosine,
    ] {
        let svc = Svc {
            kernel: kernel.into(),
            tol: 1e-9,
            c: 2.0,
            ..Default::default()
        };
        let model = fit(&svc, &x, &labels);
        assert_eq!(model.history().stop, StopReason::Converged);
        let certificate = model.certificates()[0];
        assert!(
            certificate.gap() <= 1e-7 * certificate.primal,
            "{kernel:?} {certificate:?}"
        );
        let scores = model.decision_function(&x).unwrap();
        let (mut slack, alphas) = (0.0, alphas(&model));
        for (row, score) in scores.iter().enumerate() {
            let margin = score * (2.0 * labels.indices[row] as f64 - 1.0);
            slack += (1.0 - margin).max(0.0);
            match model.roles()[row] {
                Role::Idle => assert!(margin >= 1.0 - 1e-7 && alphas[row] == 0.0),
                Role::Edge => assert!((margin - 1.0).abs() <= 1e-7 && alphas[row] < 2.0),
                Role::Bound => assert!(margin <= 1.0 + 1e-7 && alphas[row] == 2.0),
            }
        }
        close(
            0.5 * certificate.squared_length + 2.0 * slack,
            certificate.primal,
            1e-7,
        );
    }
}

// SVC(tol=1e-10) of scikit-learn 1.7: see tests/oracles for live comparisons.
#[test]
fn a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none() {
    let (x, labels) = cancer();
    let weights: Vec<f64> = (0..x.nrows()).map(|row| (row % 3) as f64).collect();
    let repeated: Vec<usize> = (0..x.nrows()).flat_map(|row| vec![row; row % 3]).collect();
    let copies = x.select(Axis(0), &repeated);
    let own = Labels {
        indices: repeated.iter().map(|&row| labels.indices[row]).collect(),
        classes: labels.classes.clone(),
    };
    let svc = Svc {
        tol: 1e-10,
        ..Default::default()
    };
    let weighted = Samples::from(&x).weighted(&weights).unwrap();
    let one = svc.fit(Labelled::new(weighted, &labels).unwrap()).unwrap();
    let two = fit(&svc, &copies, &own);
    let scores = |model: &SvcModel| {
        model
            .decision_function(&x)
            .unwrap()
            .into_raw_vec_and_offset()
            .0
    };
    all_close(&scores(&one), &scores(&two), 1e-7);
    assert!(
        one.roles()
            .iter()
            .zip(&weights)
            .all(|(role, weight)| *weight > 0.0 || *role == Role::Idle)
    );
}

#[test]
fn shrinking_the_cache_and_the_number_of_threads_change_nothing_that_matters() {
    let x = random_matrix(700, 5, 7);
    let noisy = |row: usize| {
        x[[row, 0]] * x[[row, 1]] + 0.3 * x[[row, 2]] + 0.4 * ((row * 7 % 11) as f64 / 11.0 - 0.5)
    };
    let y = Labels::from_indices((0..700).map(|row| usize::from(noisy(row) > 0.0)).collect());
    let scores = |svc: &Svc, threads: usize| {
        let run = Run::new().threads(threads);
        let model = svc.fit_with(Labelled::new(&x, &y).unwrap(), &run).unwrap();
        assert_eq!(model.history().stop, StopReason::Converged);
        model
            .decision_function(&x)
            .unwrap()
            .into_raw_vec_and_offset()
            .0
    };
    for kernel in [KernelName::Rbf, KernelName::Poly, KernelName::Laplacian] {
        let svc = Svc {
            kernel: kernel.into(),
            c: 20.0,
            tol: 1e-8,
            coef0: 1.0,
            ..Default::default()
        };
        let usual = scores(&svc, 1);
        assert_eq!(usual, scores(&svc, 2));
        let all = scores(
            &Svc {
                shrinking: false,
                ..svc.clone()
            },
            1,
        );
        all_close(&all, &usual, 1e-6);
        let small = Svc {
            cache_size: 0.5,
            ..svc.clone()
        };
        all_close(&scores(&small, 1), &usual, 1e-6);
        assert_eq!(scores(&small, 1), scores(&small, 2));
    }
}

#[test]
fn many_rows_meet_a_loose_and_a_tight_tolerance_however_their_kernel_is_stored() {
    // So many rows are stored in single precision until its rounding would be noticed.
    let x = random_matrix(1600, 3, 21);
    let noise = random_matrix(1600, 1, 22);
    let sign = |row: usize| match x[[row, 0]] * x[[row, 1]] + 0.5 * noise[[row, 0]] > 0.0 {
        true => 1,
        false => -1,
    };
    let y = labels(&(0..1600).map(sign).collect::<Vec<i32>>());
    let model = |tol: f64, c: f64| {
        let svc = Svc {
            tol,
            c,
            ..Default::default()
        };
        fit(&svc, &x, &y)
    };
    for c in [1.0, 100.0] {
        let (loose, tight) = (model(1e-3, c), model(1e-9, c));
        let (loose, tight) = (loose.certificates()[0], tight.certificates()[0]);
        assert!(loose.violation <= 1e-3 && tight.violation <= 1e-9);
        assert!(tight.gap() <= 1e-9 * tight.primal, "{tight:?}");
        let rounding = 1e-12 * tight.primal;
        assert!(loose.dual <= tight.primal + rounding && tight.dual <= loose.primal + rounding);
        assert!(loose.primal - tight.primal <= loose.gap() + rounding);
    }
}

#[test]
fn sparse_rows_give_the_machine_of_dense_ones() {
    let sparse = random_sparse(80, 15, 0.3, 5);
    let dense = sparse.view().to_dense();
    let y = Labels::from_indices(
        dense
            .rows()
            .into_iter()
            .map(|row| usize::from(row.sum() > 0.0))
            .collect(),
    );
    for kernel in [
        KernelName::Linear,
        KernelName::Rbf,
        KernelName::Poly,
        KernelName::Sigmoid,
    ] {
        for cache_size in [200.0, 0.01] {
            let svc = Svc {
                kernel: kernel.into(),
                tol: 1e-9,
                cache_size,
                ..Default::default()
            };
            let one = svc.fit(Labelled::new(&sparse, &y).unwrap()).unwrap();
            let two = fit(&svc, &dense, &y);
            let expected = two.decision_function(&dense).unwrap();
            for (model, rows) in [
                (&one, Samples::from(&sparse)),
                (&one, Samples::from(&dense)),
                (&two, Samples::from(&sparse)),
            ] {
                let found = model.decision_function(rows).unwrap();
                if kernel == KernelName::Sigmoid {
                    // Not positive semidefinite: any stationary point may be found, but one is.
                    assert!(found.iter().all(|score| score.is_finite()));
                    continue;
                }
                all_close(
                    found.as_slice().unwrap(),
                    expected.as_slice().unwrap(),
                    1e-6,
                );
            }
        }
    }
}

// 002a:EX13: on the example, a larger degree never has more errors.
#[test]
fn training_errors_do_not_rise_with_the_degree() {
    let (x, y) = ring();
    let errors = |degree: u32| {
        let svc = Svc {
            c: 100.0,
            kernel: KernelName::Poly.into(),
            degree,
            gamma: Gamma::Value(1.0),
            coef0: 1.0,
            ..Default::default()
        };
        wrong(&fit(&svc, &x, &y), &x, &y)
    };
    let errors: Vec<usize> = (1..=4).map(errors).collect();
    assert!(
        errors.windows(2).all(|pair| pair[1] <= pair[0]),
        "{errors:?}"
    );
    assert!(errors[0] > 20 && errors[2] < 12, "{errors:?}");
}

/// A ball within a ring, with a few rows of the other class in each.
fn ring() -> (Array2<f64>, Labels) {
    let x = random_matrix(160, 2, 11);
    let class = |row: usize| {
        let inside = x[[row, 0]].hypot(x[[row, 1]]) < 1.0;
        usize::from(inside != row.is_multiple_of(29))
    };
    let y = Labels::from_indices((0..160).map(class).collect());
    (x, y)
}

fn wrong(model: &SvcModel, x: &Array2<f64>, y: &Labels) -> usize {
    let predicted = model.predict(x).unwrap();
    predicted
        .iter()
        .zip(&y.indices)
        .filter(|(a, b)| a != b)
        .count()
}

// 002a:EX07: ten random splits with 66 % for training; C = 5000 and width .2 has no training error and
// a larger spread than a smooth machine.
#[test]
fn a_narrow_kernel_with_a_large_price_learns_by_heart_and_varies_more() {
    let (x, y) = ring();
    let smooth = Svc {
        c: 1.0,
        gamma: Gamma::Value(1.0 / (2.0 * 0.5 * 0.5)),
        ..Default::default()
    };
    let narrow = Svc {
        c: 5000.0,
        gamma: Gamma::Value(1.0 / (2.0 * 0.2 * 0.2)),
        ..Default::default()
    };
    let mut spread = Vec::new();
    for svc in [&smooth, &narrow] {
        let errors: Vec<f64> = (0..10)
            .map(|split| split_error(svc, &x, &y, split))
            .collect();
        let mean = errors.iter().sum::<f64>() / 10.0;
        let variance = errors
            .iter()
            .map(|error| (error - mean).powi(2))
            .sum::<f64>()
            / 10.0;
        spread.push(variance.sqrt());
    }
    assert_eq!(wrong(&fit(&narrow, &x, &y), &x, &y), 0);
    assert!(spread[1] > spread[0], "{spread:?}");
}

/// The share of errors on the rows that a split leaves out.
fn split_error(svc: &Svc, x: &Array2<f64>, y: &Labels, split: u64) -> f64 {
    let keys = random_matrix(x.nrows(), 1, 100 + split);
    let mut order: Vec<usize> = (0..x.nrows()).collect();
    order.sort_by(|&a, &b| keys[[a, 0]].total_cmp(&keys[[b, 0]]));
    let (taught, asked) = order.split_at(x.nrows() * 66 / 100);
    let part = |rows: &[usize]| {
        let labels = Labels {
            indices: rows.iter().map(|&row| y.indices[row]).collect(),
            classes: y.classes.clone(),
        };
        (x.select(Axis(0), rows), labels)
    };
    let ((x, y), (queries, truth)) = (part(taught), part(asked));
    wrong(&fit(svc, &x, &y), &queries, &truth) as f64 / asked.len() as f64
}

#[test]
fn several_classes_are_told_apart_by_votes_of_pairs() {
    let iris = didact_datasets::iris();
    let model = Svc::default().fit(iris.labelled().unwrap()).unwrap();
    let labels = &iris.labels().unwrap().indices;
    let predicted = model.predict(iris.samples()).unwrap();
    assert!(predicted.iter().zip(labels).filter(|(a, b)| a == b).count() >= 145);
    assert_eq!(model.intercept().len(), 3);
    assert_eq!(model.dual_coef().dim(), (2, model.support().len()));
    assert_eq!(
        model.n_support().iter().sum::<usize>(),
        model.support().len()
    );
    // The votes decide; how sure the machines are adds less than half a vote.
    let scores = model.decision_function(iris.samples()).unwrap();
    assert_eq!(scores.ncols(), 3);
    for (scores, &class) in scores.rows().into_iter().zip(&predicted) {
        assert!(
            scores
                .iter()
                .all(|score| *score <= scores[class] + 1.0 / 3.0)
        );
        assert!(
            scores
                .iter()
                .all(|score| (-1.0 / 3.0..=2.0 + 1.0 / 3.0).contains(score))
        );
    }
}

#[test]
fn weights_of_classes_move_the_boundary() {
    let x = array![[0.0], [1.0], [2.0], [3.0]];
    let y = labels(&[-1, 1, -1, 1]);
    let weighted = Svc {
        class_weight: ClassWeight::Each([("1".to_owned(), 10.0)].into()),
        ..linear(1.0)
    };
    let scores = fit(&weighted, &x, &y).decision_function(&x).unwrap();
    let plain = fit(&linear(1.0), &x, &y).decision_function(&x).unwrap();
    assert!(scores[[1, 0]] > plain[[1, 0]]);
    let unknown = Svc {
        class_weight: ClassWeight::Each([("7".to_owned(), 1.0)].into()),
        ..linear(1.0)
    };
    let error = unknown
        .fit(Labelled::new(&x, &y).unwrap())
        .unwrap_err()
        .to_string();
    assert_eq!(error, "class_weight is 7; the classes are 0, 1");
}

#[test]
fn the_limit_of_steps_is_honest() {
    let (x, labels) = cancer();
    let model = fit(
        &Svc {
            max_iter: Some(5),
            ..Default::default()
        },
        &x,
        &labels,
    );
    assert_eq!(model.history().stop, StopReason::IterationLimit);
    assert!(model.certificates()[0].gap() > 0.1 && model.certificates()[0].violation > 1e-3);
    assert_eq!(model.history().objectives.len(), 5);
}

// 000a:SUP-21, 000a:SUP-19: a sigmoid kernel is not positive semidefinite, and the solver survives it.
#[test]
fn kernels_that_break_the_condition_of_mercer_survive() {
    let x = random_matrix(120, 3, 13);
    let y = Labels::from_indices(
        x.rows()
            .into_iter()
            .map(|row| usize::from(row[0] + row[1] > 0.0))
            .collect(),
    );
    for (gamma, coef0) in [(0.5, -1.0), (5.0, 1.0), (0.01, -0.5)] {
        for cache_size in [200.0, 0.02] {
            let svc = Svc {
                kernel: KernelName::Sigmoid.into(),
                gamma: Gamma::Value(gamma),
                coef0,
                cache_size,
                ..Default::default()
            };
            let model = fit(&svc, &x, &y);
            assert!(
                model
                    .decision_function(&x)
                    .unwrap()
                    .iter()
                    .all(|score| score.is_finite())
            );
        }
    }
}

// 002b:KM-01, 002b:KM-02, 002a:NS01: x = ±1 with ν ≤ 1 has w = ρ = ν and b = 0 (with the printed ‖w‖²
// without ½ it would be ν/2); the margin 2ρ/‖w‖ is 2.
#[test]
fn two_points_have_the_published_machine_for_a_share() {
    let x = array![[1.0], [-1.0]];
    for nu in [0.2, 0.7, 1.0] {
        let svc = NuSvc {
            nu,
            kernel: KernelName::Linear.into(),
            tol: 1e-12,
            ..Default::default()
        };
        let model = svc
            .fit(Labelled::new(&x, &labels(&[1, -1])).unwrap())
            .unwrap();
        close(model.rho().unwrap()[0], nu, 1e-9);
        close(model.certificates()[0].squared_length, nu * nu, 1e-9);
        close(model.margin()[0], 2.0, 1e-9);
        close(model.intercept()[0], 0.0, 1e-9);
        // Divided by ρ: w/ρ = 1.
        close(model.coef().unwrap()[[0, 0]], 1.0, 1e-9);
        close(model.certificates()[0].primal, -0.5 * nu * nu, 1e-9);
    }
}

// 002b:KM-03, 002a:NS02: margin errors (ξ > 0, not only wrong ones) ≤ ν ≤ share of support vectors.
// 002a:NS03, 002b:KM-02: where ρ > 0 the machine is the C-machine with C = 1/(ρM).
#[test]
fn the_share_lies_between_margin_errors_and_support_vectors_and_a_price_gives_the_same_machine() {
    let (x, y) = ring();
    for nu in [0.15, 0.3, 0.5, 0.6] {
        let svc = NuSvc {
            nu,
            tol: 1e-9,
            ..Default::default()
        };
        let model = svc.fit(Labelled::new(&x, &y).unwrap()).unwrap();
        let rho = model.rho().unwrap()[0];
        assert!(rho > 0.0);
        let scores = model.decision_function(&x).unwrap();
        let margins = scores
            .iter()
            .zip(&y.indices)
            .map(|(f, &k)| f * (2.0 * k as f64 - 1.0));
        let errors = margins.filter(|margin| *margin < 1.0 - 1e-6).count() as f64 / 160.0;
        let supports = model.support().len() as f64 / 160.0;
        assert!(errors <= nu && nu <= supports, "{errors} {nu} {supports}");
        let certificate = model.certificates()[0];
        assert!(certificate.gap() <= 1e-8, "{certificate:?}");
        let price = Svc {
            c: 1.0 / (rho * 160.0),
            tol: 1e-9,
            ..Default::default()
        };
        let same = fit(&price, &x, &y).decision_function(&x).unwrap();
        all_close(same.as_slice().unwrap(), scores.as_slice().unwrap(), 1e-6);
    }
}

// 002b:KM-01: ν is feasible up to 2·min(M₊, M₋)/M; 002a:NS02: without a margin ρ is zero.
#[test]
fn an_infeasible_share_is_named_and_a_vanishing_margin_is_told() {
    let x = array![[0.0], [1.0], [2.0], [3.0]];
    let y = labels(&[-1, 1, 1, 1]);
    let svc = NuSvc {
        nu: 0.6,
        ..Default::default()
    };
    let error = svc
        .fit(Labelled::new(&x, &y).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("nu is 0.6; between the classes 0 and 1 it must be at most 0.5"),
        "{error}"
    );
    // The classes of an exclusive or have the same mean, and no line between them a margin.
    let (x, y) = xor();
    let svc = NuSvc {
        nu: 0.3,
        kernel: KernelName::Linear.into(),
        ..Default::default()
    };
    let model = svc.fit(Labelled::new(&x, &y).unwrap()).unwrap();
    assert_eq!(model.rho().unwrap()[0], 0.0);
    assert!(
        model
            .decision_function(&x)
            .unwrap()
            .iter()
            .all(|score| score.is_finite())
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_nearby_machine_is_better(seed in 0_u64..1000, c in 0.05..20.0_f64) {
        let x = random_matrix(25, 3, seed);
        let y = Labels::from_indices((0..25).map(|row| usize::from(x[[row, 0]] > 0.3 * x[[row, 1]]) ^ usize::from(row.is_multiple_of(6))).collect());
        prop_assume!(y.classes.len() == 2);
        let model = fit(&linear(c), &x, &y);
        let (w, b) = (model.coef().unwrap().row(0).to_owned(), model.intercept()[0]);
        let objective = |w: &ndarray::Array1<f64>, b: f64| {
            let losses = x.rows().into_iter().zip(&y.indices).map(|(row, &k)| (1.0 - (2.0 * k as f64 - 1.0) * (row.dot(w) + b)).max(0.0));
            0.5 * w.dot(w) + c * losses.sum::<f64>()
        };
        let reached = objective(&w, b);
        prop_assert!((reached - model.certificates()[0].primal).abs() <= 1e-9 * (1.0 + reached));
        for direction in 0..8_u64 {
            let step = random_matrix(4, 1, seed * 31 + direction) * 1e-3;
            let other = objective(&(&w + &step.slice(ndarray::s![..3, 0])), b + step[[3, 0]]);
            prop_assert!(other >= reached - 1e-9 * (1.0 + reached));
        }
    }
}
