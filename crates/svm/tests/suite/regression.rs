//! Kernel regressions as users see them.

use didact_core::{Fit, Measured, Regress, Samples, StopReason};
use didact_math::kernel::{Gamma, KernelName};
use didact_svm::{CostReduction, NuSvr, Role, Svr, SvrModel, Tube};
use didact_testing::{random_matrix, random_sparse};
use ndarray::{Array2, Axis, array};

fn linear() -> Svr {
    Svr {
        kernel: KernelName::Linear.into(),
        tol: 1e-11,
        ..Default::default()
    }
}

fn fit(svr: &Svr, x: &Array2<f64>, y: &[f64]) -> SvrModel {
    svr.fit(Measured::new(x, y).unwrap()).unwrap()
}

fn predictions(model: &SvrModel, x: &Array2<f64>) -> Vec<f64> {
    model.predict(x).unwrap().column(0).to_vec()
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

/// The diabetes data, standardised.
fn diabetes() -> (Array2<f64>, Vec<f64>) {
    let diabetes = didact_datasets::diabetes();
    let data = diabetes.measured().unwrap();
    let x = data.samples.dense().unwrap().to_owned();
    let y = data.targets.column(0).to_owned();
    let standard = (&x - &x.mean_axis(Axis(0)).unwrap()) / x.std_axis(Axis(0), 0.0);
    let y = (&y - y.mean().unwrap()) / y.std(0.0);
    (standard, y.to_vec())
}

/// A wave with noise.
fn wave(n: usize) -> (Array2<f64>, Vec<f64>) {
    let x = Array2::from_shape_fn((n, 1), |(i, _)| 6.0 * i as f64 / n as f64);
    let noise = random_matrix(n, 1, 5);
    let y = (0..n).map(|i| x[[i, 0]].sin() + 0.2 * noise[[i, 0]]);
    let y = y.collect();
    (x, y)
}

// 002b:KM-06: two points (0, 0) and (1, 1) with a hard tube have w = 1 − 2ε and b = ε.
#[test]
fn two_points_have_the_published_hard_tube() {
    let x = array![[0.0], [1.0]];
    for epsilon in [0.0, 0.1, 0.3] {
        let svr = Svr {
            epsilon,
            tube: Tube::Hard,
            ..linear()
        };
        let model = fit(&svr, &x, &[0.0, 1.0]);
        close(model.coef().unwrap()[[0, 0]], 1.0 - 2.0 * epsilon, 1e-9);
        close(model.intercept(), epsilon, 1e-9);
        // 002b:KM-05: the ε-margin is 2ε/‖w‖; the height of the tube is 2ε, whatever the slope.
        close(model.margin(), 2.0 * epsilon / (1.0 - 2.0 * epsilon), 1e-9);
        // The limit of large prices.
        let soft = fit(
            &Svr {
                c: 1e6,
                epsilon,
                ..linear()
            },
            &x,
            &[0.0, 1.0],
        );
        close(soft.coef().unwrap()[[0, 0]], 1.0 - 2.0 * epsilon, 1e-9);
        let certificate = model.certificate();
        close(certificate.primal, certificate.dual, 1e-9);
    }
    // A tube as wide as the targets lies flat.
    let flat = Svr {
        epsilon: 0.6,
        tube: Tube::Hard,
        ..linear()
    };
    let model = fit(&flat, &x, &[0.0, 1.0]);
    assert_eq!(model.support().len(), 0);
    all_close(&predictions(&model, &x), &[0.5, 0.5], 1e-12);
}

// 002b:KM-06: a tube that cannot hold the targets is reported, and one that can is found.
#[test]
fn a_tube_that_cannot_hold_the_targets_is_reported() {
    let x = array![[0.0], [1.0], [2.0], [3.0]];
    let y = [0.0, 1.0, 0.0, 1.0];
    let svr = Svr {
        epsilon: 0.2,
        tube: Tube::Hard,
        ..linear()
    };
    let error = svr
        .fit(Measured::new(&x, &y).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("epsilon is 0.2; no curve of this kernel"),
        "{error}"
    );
    let curved = Svr {
        kernel: KernelName::Rbf.into(),
        ..svr.clone()
    };
    let model = fit(&curved, &x, &y);
    let off = predictions(&model, &x).into_iter().zip(y);
    assert!(off.into_iter().all(|(f, y)| (f - y).abs() <= 0.2 + 1e-9));
    // Two targets at the same place, by any kernel.
    let twins = array![[1.0], [1.0], [2.0]];
    assert!(
        curved
            .fit(Measured::new(&twins, &[0.0, 1.0, 2.0]).unwrap())
            .is_err()
    );
    let (x, y) = diabetes();
    assert!(svr.fit(Measured::new(&x, &y).unwrap()).is_err());
}

// 002b:KM-04, 002b:KM-08, 002b:KM-09, 002b:KM-10, 004:M74, 004:M75: the role of every row, the intercept
// from both edges, α⁺α⁻ = 0, and a gap that the printed dual with Σ y(α⁺ + α⁻) could not close.
#[test]
fn every_row_fulfils_the_condition_of_its_role() {
    let (x, y) = diabetes();
    for kernel in [KernelName::Linear, KernelName::Rbf, KernelName::Laplacian] {
        let svr = Svr {
            kernel: kernel.into(),
            c: 0.7,
            epsilon: 0.3,
            tol: 1e-9,
            ..Default::default()
        };
        let model = fit(&svr, &x, &y);
        assert_eq!(model.history().stop, StopReason::Converged);
        let certificate = model.certificate();
        assert!(certificate.gap() <= 1e-7 * certificate.primal);
        let mut multipliers = vec![0.0_f64; y.len()];
        for (&row, &beta) in model.support().iter().zip(model.dual_coef()) {
            multipliers[row] = beta;
        }
        assert!(certificate.imbalance < 1e-9);
        let (mut cost, mut intercepts) = (0.0, Vec::new());
        for (row, f) in predictions(&model, &x).into_iter().enumerate() {
            let (off, beta) = (y[row] - f, multipliers[row]);
            cost += (off.abs() - 0.3).max(0.0);
            match model.roles()[row] {
                Role::Idle => assert!(off.abs() <= 0.3 + 1e-7 && beta == 0.0),
                Role::Edge => {
                    assert!((off - 0.3 * beta.signum()).abs() < 1e-7 && beta.abs() < 0.7);
                    // b = y − ⟨w, φ⟩ ∓ ε.
                    let product = f - model.intercept();
                    intercepts.push(y[row] - product - 0.3 * beta.signum());
                }
                Role::Bound => assert!(off * beta.signum() >= 0.3 - 1e-7 && beta.abs() == 0.7),
            }
        }
        assert!(intercepts.len() > 2);
        assert!(
            intercepts
                .iter()
                .all(|b| (b - model.intercept()).abs() < 1e-7)
        );
        close(
            0.5 * certificate.squared_length + 0.7 * cost,
            certificate.primal,
            1e-7,
        );
    }
}

// 002b:KM-07: a price of the mean loss is M times the price of each row.
// 002b:KM-11: f(x) = Σ(α⁺ − α⁻)·k(xᵢ, x) + b is w·x + b where the kernel is linear.
#[test]
fn a_price_of_the_mean_is_shared_by_all_rows_and_the_dual_form_is_the_plane() {
    let (x, y) = diabetes();
    let n = y.len() as f64;
    let mean = Svr {
        c: 0.5 * n,
        reduction: CostReduction::Mean,
        ..linear()
    };
    let one = fit(&mean, &x, &y);
    let each = fit(&Svr { c: 0.5, ..linear() }, &x, &y);
    all_close(&predictions(&one, &x), &predictions(&each, &x), 1e-7);
    let w = each.support().iter().zip(each.dual_coef());
    let w = w.fold(ndarray::Array1::zeros(10), |sum, (&row, beta)| {
        sum + &x.row(row) * *beta
    });
    all_close(
        w.as_slice().unwrap(),
        each.coef().unwrap().as_slice().unwrap(),
        1e-9,
    );
    let plane = (x.dot(&w) + each.intercept()).to_vec();
    all_close(&predictions(&each, &x), &plane, 1e-9);
}

// 002b:KM-13: two points (0, 0) and (1, 1): w = Cν/2 and ε = b = (1 − w)/2 while Cν < 2, then ε = 0 and
// w = 1; C is that of the mean loss, and stays beside ν.
#[test]
fn two_points_have_the_published_machine_for_a_share() {
    let x = array![[0.0], [1.0]];
    for (c, nu) in [(1.0, 0.5), (3.0, 0.4), (2.0, 0.9), (8.0, 0.5)] {
        let svr = NuSvr {
            nu,
            c,
            kernel: KernelName::Linear.into(),
            tol: 1e-12,
            reduction: CostReduction::Mean,
            ..Default::default()
        };
        let y = [0.0, 1.0];
        let model = svr.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let w = (c * nu / 2.0).min(1.0);
        close(model.coef().unwrap()[[0, 0]], w, 1e-9);
        close(model.epsilon(), (1.0 - w) / 2.0, 1e-9);
        close(model.intercept(), (1.0 - w) / 2.0, 1e-9);
        assert!(model.certificate().gap() < 1e-9);
    }
}

// 002b:KM-14: the ε-machine with the ε that was found and the same C has the same curve.
// 002b:KM-15: share outside ≤ ν ≤ share of support vectors; ε falls as ν rises.
#[test]
fn the_share_lies_between_rows_outside_and_support_vectors_and_its_tube_gives_the_same_curve() {
    let (x, y) = wave(90);
    let mut widths = Vec::new();
    for nu in [0.1, 0.3, 0.5, 0.8] {
        let svr = NuSvr {
            nu,
            c: 2.0,
            tol: 1e-9,
            ..Default::default()
        };
        let model = svr.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let curve = predictions(&model, &x);
        let outside = curve
            .iter()
            .zip(&y)
            .filter(|(f, y)| (*f - *y).abs() > model.epsilon() + 1e-7)
            .count();
        assert!(outside as f64 / 90.0 <= nu && nu <= model.support().len() as f64 / 90.0);
        assert!(model.certificate().gap() <= 1e-6 * model.certificate().primal);
        let same = Svr {
            c: 2.0,
            epsilon: model.epsilon(),
            tol: 1e-9,
            ..Default::default()
        };
        all_close(&predictions(&fit(&same, &x, &y), &x), &curve, 1e-5);
        widths.push(model.epsilon());
    }
    assert!(
        widths.windows(2).all(|pair| pair[1] < pair[0]),
        "{widths:?}"
    );
}

// 002b:KM-15: ν = 1, 1.5 and 5 give the same curve; without noise the tube vanishes.
#[test]
fn a_share_above_one_is_as_one_and_without_noise_the_tube_vanishes() {
    let (x, y) = wave(60);
    let curve = |nu: f64| {
        let svr = NuSvr {
            nu,
            tol: 1e-9,
            ..Default::default()
        };
        predictions(&svr.fit(Measured::new(&x, &y).unwrap()).unwrap(), &x)
    };
    let one = curve(1.0);
    assert_eq!(one, curve(1.5));
    assert_eq!(one, curve(5.0));
    let plain: Vec<f64> = x.iter().map(|x| 2.0 * x + 1.0).collect();
    let svr = NuSvr {
        c: 1000.0,
        kernel: KernelName::Linear.into(),
        tol: 1e-9,
        ..Default::default()
    };
    let model = svr.fit(Measured::new(&x, &plain).unwrap()).unwrap();
    assert!(model.epsilon().abs() < 1e-6);
    all_close(&predictions(&model, &x), &plain, 1e-6);
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let (x, y) = wave(50);
    let weights: Vec<f64> = (0..50).map(|row| (row % 3) as f64).collect();
    let repeated: Vec<usize> = (0..50).flat_map(|row| vec![row; row % 3]).collect();
    let (copies, own) = (
        x.select(Axis(0), &repeated),
        repeated.iter().map(|&row| y[row]).collect::<Vec<f64>>(),
    );
    let svr = Svr {
        tol: 1e-10,
        ..Default::default()
    };
    let weighted = Samples::from(&x).weighted(&weights).unwrap();
    let one = svr.fit(Measured::new(weighted, &y).unwrap()).unwrap();
    all_close(
        &predictions(&one, &x),
        &predictions(&fit(&svr, &copies, &own), &x),
        1e-7,
    );
    let nu = NuSvr {
        tol: 1e-10,
        ..Default::default()
    };
    let weighted = Samples::from(&x).weighted(&weights).unwrap();
    let one = nu.fit(Measured::new(weighted, &y).unwrap()).unwrap();
    let two = nu.fit(Measured::new(&copies, &own).unwrap()).unwrap();
    all_close(&predictions(&one, &x), &predictions(&two, &x), 1e-6);
}

#[test]
fn shrinking_the_cache_and_sparse_rows_change_nothing_that_matters() {
    let sparse = random_sparse(400, 8, 0.6, 3);
    let x = sparse.view().to_dense();
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|row| row[0] * row[1] + row[2].sin())
        .collect();
    for kernel in [KernelName::Rbf, KernelName::Linear] {
        let svr = Svr {
            kernel: kernel.into(),
            gamma: Gamma::Value(0.1),
            tol: 1e-8,
            c: 5.0,
            ..Default::default()
        };
        let usual = predictions(&fit(&svr, &x, &y), &x);
        let variants = [
            Svr {
                shrinking: false,
                ..svr.clone()
            },
            Svr {
                cache_size: 0.2,
                ..svr.clone()
            },
        ];
        for variant in &variants {
            all_close(&predictions(&fit(variant, &x, &y), &x), &usual, 1e-6);
        }
        let model = svr.fit(Measured::new(&sparse, &y).unwrap()).unwrap();
        all_close(&predictions(&model, &x), &usual, 1e-6);
    }
}
