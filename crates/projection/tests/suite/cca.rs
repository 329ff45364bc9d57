//! Canonical correlation of two views and of more.

use didact_core::{
    Fit, LearnInPieces, Measured, Model, Next, Regress, Run, Samples, Shape, Transform,
};
use didact_math::linalg::{generalised_eigen, symmetric_eigen};
use didact_projection::{Cca, CcaModel, MultiSetCca, MultiSetMethod};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, ArrayView2, Axis, array, concatenate, s};
use proptest::prelude::*;

fn waves() -> (Array2<f64>, Array2<f64>) {
    let x = Array2::from_shape_fn((30, 3), |(row, column)| {
        let i = row as f64;
        [(1.7 * i).sin(), (2.3 * i).cos(), (0.9 * i + 1.0).sin()][column]
    });
    let y = Array2::from_shape_fn((30, 2), |(row, target)| {
        let (i, x) = (row as f64, x.row(row));
        match target {
            0 => x[0] - 0.5 * x[1] + 0.6 * (3.1 * i).cos(),
            _ => x[2] + (4.3 * i).sin(),
        }
    });
    (x, y)
}

/// Views that share a signal.
fn views(n: usize, widths: &[usize], seed: u64) -> Vec<Array2<f64>> {
    let signal = random_matrix(n, 2, seed);
    let each = widths.iter().enumerate();
    each.map(|(k, &width)| {
        let k = k as u64 + 1;
        random_matrix(n, width, seed ^ (10 * k))
            + signal.dot(&random_matrix(2, width, seed ^ (7 * k)))
    })
    .collect()
}

fn fit(method: &Cca, x: &Array2<f64>, y: &Array2<f64>) -> CcaModel {
    method.fit(Measured::many(x, y.view()).unwrap()).unwrap()
}

fn covariance(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let centred = |m: &Array2<f64>| m - &m.mean_axis(Axis(0)).unwrap();
    centred(a).t().dot(&centred(b)) / a.nrows() as f64
}

// 002a:CCA01: statsmodels 0.14 CanCorr(Y, X).cancorr on the waves.
#[test]
fn the_correlations_are_those_of_statsmodels() {
    let (x, y) = waves();
    let model = fit(&Cca::default(), &x, &y);
    let expected = array![0.8582824744988276, 0.7150533529205698];
    assert_close(model.correlations(), &expected, 1e-12);
}

// 002a:CCA01, 002a:CCA04: variates of variance one that correlate with their partners alone.
#[test]
fn variates_have_variance_one_and_correlate_with_their_partners_alone() {
    let (x, y) = waves();
    let model = fit(&Cca::default(), &x, &y);
    let a = model.transform(&x).unwrap().into_dense();
    let b = model.transform_targets(y.view()).unwrap();
    assert_close(&covariance(&a, &a), &Array2::eye(2), 1e-12);
    assert_close(&covariance(&b, &b), &Array2::eye(2), 1e-12);
    let diagonal = Array2::from_diag(model.correlations());
    assert_close(&covariance(&a, &b), &diagonal, 1e-12);
    // The weights lie on the ellipse wᵀCw = 1.
    let c = covariance(&x, &x);
    for w in model.x_weights().rows() {
        assert!((w.dot(&c.dot(&w)) - 1.0).abs() < 1e-12);
    }
}

// 002a:CCA02: the eigenvalues are ±ρ and a zero for the dimension that one view has more.
#[test]
fn the_joint_eigenproblem_has_a_symmetric_spectrum() {
    let (x, y) = waves();
    let cross = covariance(&x, &y);
    let mut a = Array2::zeros((5, 5));
    a.slice_mut(s![..3, 3..]).assign(&cross);
    a.slice_mut(s![3.., ..3]).assign(&cross.t());
    let mut b = Array2::zeros((5, 5));
    b.slice_mut(s![..3, ..3]).assign(&covariance(&x, &x));
    b.slice_mut(s![3.., 3..]).assign(&covariance(&y, &y));
    let eigen = generalised_eigen(a.view(), b.view()).unwrap();
    let rho = fit(&Cca::default(), &x, &y).correlations().clone();
    let expected = array![rho[0], rho[1], 0.0, -rho[1], -rho[0]];
    assert_close(&eigen.values, &expected, 1e-12);
}

// 002a:CCA03: C_yx·C_xx⁻¹·C_xy·w_y = ρ²·C_yy·w_y; printed with w_x on the left, whose length does
// not even fit.
#[test]
fn both_reduced_problems_hold() {
    let (x, y) = waves();
    let model = fit(&Cca::default(), &x, &y);
    let (cxx, cyy, cxy) = (covariance(&x, &x), covariance(&y, &y), covariance(&x, &y));
    let solve = |matrix: &Array2<f64>, rhs: &Array1<f64>| {
        let factor = didact_math::linalg::Cholesky::new(matrix.view()).unwrap();
        factor.solve_vector(rhs.view())
    };
    for (pair, rho) in model.correlations().iter().enumerate() {
        let (w, v) = (model.x_weights().row(pair), model.y_weights().row(pair));
        let left = cxy.dot(&solve(&cyy, &cxy.t().dot(&w)));
        assert_close(&left, &(cxx.dot(&w) * (rho * rho)), 1e-10);
        let left = cxy.t().dot(&solve(&cxx, &cxy.dot(&v)));
        assert_close(&left, &(cyy.dot(&v) * (rho * rho)), 1e-10);
    }
}

// 002a:CCA04, 002a:FIG17: the axes of the ellipse are 1/√λ long, and scaling a weight to end on
// it changes neither its direction nor its correlation.
#[test]
fn the_constraint_is_an_ellipse_with_axes_of_one_over_the_root_of_the_variances() {
    let (x, y) = waves();
    let x = x.slice(s![.., ..2]).to_owned();
    let model = fit(&Cca::default(), &x, &y);
    let figures = CcaModel::FIGURES;
    let constraint = figures
        .iter()
        .find(|figure| figure.name == "constraint")
        .unwrap();
    let Some(Shape::Ellipsoids { covariances, .. }) = (constraint.get)(&model) else {
        panic!("two columns have an ellipse");
    };
    let lengths = symmetric_eigen(covariances[0].view())
        .unwrap()
        .values
        .mapv(f64::sqrt);
    let variances = symmetric_eigen(covariance(&x, &x).view()).unwrap().values;
    let expected = array![variances[1].powf(-0.5), variances[0].powf(-0.5)];
    assert_close(&lengths, &expected, 1e-12);
    let (wide, _) = waves();
    let hidden = fit(
        &Cca::default(),
        &concatenate![Axis(1), wide, wide.mapv(f64::exp)],
        &y,
    );
    assert!((constraint.get)(&hidden).is_none());
}

// 002a:CCA07, 002a:FIG16: the pairing of the rows is what is learned from; the variates of both
// views are features for a classifier.
#[test]
fn the_pairing_is_what_counts_and_the_variates_tell_classes_apart() {
    let class = |row: usize| if row.is_multiple_of(2) { 2.5 } else { -2.5 };
    let signal = Array2::from_shape_fn((200, 1), |(row, _)| class(row));
    let picture = random_matrix(200, 6, 1) + signal.dot(&random_matrix(1, 6, 2));
    let sound = random_matrix(200, 4, 3) + signal.dot(&random_matrix(1, 4, 4));
    let model = fit(&Cca::default(), &picture, &sound);
    let a = model.transform(&picture).unwrap().into_dense();
    let b = model.transform_targets(sound.view()).unwrap();
    let sum = &a.column(0) + &b.column(0);
    let side = (sum[0] * class(0)).signum();
    let right = (0..200)
        .filter(|&row| sum[row] * class(row) * side > 0.0)
        .count();
    assert!(right >= 195, "{right}");
    let order: Vec<usize> = (0..200).map(|row| row / 2 + 100 * (row % 2)).collect();
    let shuffled = fit(&Cca::default(), &picture, &sound.select(Axis(0), &order));
    let swapped = shuffled.correlations()[0];
    assert!(model.correlations()[0] > 0.9, "{}", model.correlations());
    // A row meets one of its own class half of the time.
    assert!(swapped < 0.5, "{swapped}");
}

#[test]
fn with_all_pairs_the_prediction_is_that_of_least_squares() {
    let (x, y) = waves();
    let model = fit(&Cca::default(), &x, &y);
    let factor = didact_math::linalg::Cholesky::new(covariance(&x, &x).view()).unwrap();
    let coef = factor.solve(covariance(&x, &y).view());
    assert_close(&model.coef().t().to_owned(), &coef, 1e-12);
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    let expected = centred.dot(&coef) + &y.mean_axis(Axis(0)).unwrap();
    assert_close(&model.predict(&x).unwrap(), &expected, 1e-12);
}

#[test]
fn columns_that_depend_on_each_other_change_nothing() {
    let (x, y) = waves();
    let rho = fit(&Cca::default(), &x, &y).correlations().clone();
    let more = concatenate![
        Axis(1),
        x,
        x.dot(&random_matrix(3, 2, 1)),
        Array2::ones((30, 1))
    ];
    assert_close(fit(&Cca::default(), &more, &y).correlations(), &rho, 1e-9);
}

#[test]
fn a_ridge_keeps_chance_from_looking_like_correlation() {
    let (x, y) = (random_matrix(20, 40, 1), random_matrix(20, 3, 2));
    let free = fit(&Cca::default(), &x, &y);
    assert!(
        free.correlations()
            .iter()
            .all(|rho| (rho - 1.0).abs() < 1e-9)
    );
    let mut last = 1.0;
    for regularization in [0.1, 1.0, 10.0] {
        let method = Cca {
            regularization,
            ..Cca::default()
        };
        let rho = fit(&method, &x, &y).correlations()[0];
        assert!(rho < last);
        last = rho;
    }
    // The same by moments and by rows: 41 rows of which half are the others again.
    let twice = concatenate![Axis(0), x, x, x];
    let targets = concatenate![Axis(0), y, y, y];
    let method = Cca {
        regularization: 0.5,
        ..Cca::default()
    };
    let (few, many) = (fit(&method, &x, &y), fit(&method, &twice, &targets));
    assert_close(many.correlations(), few.correlations(), 1e-9);
    assert_close(many.coef(), few.coef(), 1e-9);
}

#[test]
fn weights_are_repetitions_and_pieces_are_the_whole() {
    let (x, y) = waves();
    let weights: Vec<f64> = (0..30).map(|row| f64::from(row % 3)).collect();
    let repeated: Vec<usize> = (0..30)
        .flat_map(|row| vec![row as usize; row as usize % 3])
        .collect();
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let weighted = Cca::default()
        .fit(Measured::many(samples, y.view()).unwrap())
        .unwrap();
    let again = fit(
        &Cca::default(),
        &x.select(Axis(0), &repeated),
        &y.select(Axis(0), &repeated),
    );
    assert_close(weighted.correlations(), again.correlations(), 1e-12);
    assert_close(weighted.x_weights(), again.x_weights(), 1e-9);
    let (method, run) = (Cca::default(), Run::new());
    let data = Measured::many(&x, y.view()).unwrap();
    let part = |range| method.summarise(&(), data.slice(range), 0, &run).unwrap();
    let merged = method.merge(part(0..11), part(11..30)).unwrap();
    let Next::Done(model) = method.step((), merged, &run).unwrap() else {
        panic!("one pass suffices");
    };
    assert_close(model.coef(), fit(&method, &x, &y).coef(), 1e-12);
}

#[test]
fn views_that_do_not_vary_are_refused() {
    let (x, y) = waves();
    let error = Cca::default()
        .fit(Measured::many(&Array2::ones((30, 2)), y.view()).unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("the columns do not vary"), "{error}");
    let error = Cca::default()
        .fit(Measured::new(&x, &[1.0; 30]).unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("the targets do not vary"), "{error}");
    let run = Run::new();
    assert!(MultiSetCca::default().fit(&[x.view()], &run).is_err());
    let short = x.slice(s![..9, ..]);
    assert!(
        MultiSetCca::default()
            .fit(&[x.view(), short], &run)
            .is_err()
    );
}

// 002a:CCA05: for two views both methods are canonical correlation, with no cross terms.
#[test]
fn two_views_of_the_multi_set_methods_are_canonical_correlation() {
    let (x, y) = waves();
    let rho = fit(&Cca::default(), &x, &y).correlations().clone();
    for method in [MultiSetMethod::Exact, MultiSetMethod::Relaxed] {
        let method = MultiSetCca {
            method,
            ..MultiSetCca::default()
        };
        let model = method.fit(&[x.view(), y.view()], &Run::new()).unwrap();
        let found = model.correlations().slice(s![.., 0, 1]).to_owned();
        assert_close(&found, &rho, 1e-6);
        assert!(model.cross_terms() < 1e-6);
        assert_close(model.eigenvalues(), &rho, 1e-12);
        let a = model.transform(0, x.view()).unwrap();
        assert_close(&covariance(&a, &a), &Array2::eye(2), 1e-9);
    }
}

// 002a:CCA05: for three views the sweeps never lower the agreement and beat the relaxed solution,
// but the cross terms of the printed constraint do not vanish.
#[test]
fn three_views_agree_more_by_sweeps_than_by_the_eigenproblem() {
    let sets = views(120, &[4, 3, 5], 3);
    let given: Vec<ArrayView2<'_, f64>> = sets.iter().map(|view| view.view()).collect();
    let exact = MultiSetCca::default().fit(&given, &Run::new()).unwrap();
    let trace = exact.trace().unwrap();
    assert!(
        trace
            .objectives
            .windows(2)
            .all(|pair| pair[1] >= pair[0] - 1e-12)
    );
    for (k, view) in sets.iter().enumerate() {
        let variates = exact.transform(k, view.view()).unwrap();
        assert_close(&covariance(&variates, &variates), &Array2::eye(2), 1e-9);
    }
    // Σ‖a − b‖² = Σ(2 − 2ρ) over ordered pairs and components.
    let correlations: f64 = exact.correlations().sum() - 6.0;
    assert!((exact.objective() - (24.0 - 2.0 * correlations)).abs() < 1e-9);
    assert!(exact.cross_terms() > 1e-6);
    let relaxed = MultiSetCca {
        method: MultiSetMethod::Relaxed,
        n_components: 1,
        ..MultiSetCca::default()
    };
    let relaxed = relaxed.fit(&given, &Run::new()).unwrap();
    assert!(relaxed.eigenvalues()[0] <= 2.0);
    let single = MultiSetCca {
        n_components: 1,
        ..MultiSetCca::default()
    };
    let single = single.fit(&given, &Run::new()).unwrap();
    assert!(single.objective() <= relaxed.objective() + 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    // 002a:CCA06: the text says that the correlations depend on the coordinates; they do not.
    #[test]
    fn no_affine_map_of_a_view_changes_the_correlations(d in 1usize..5, q in 1usize..4, seed: u64) {
        let sets = views(60, &[d, q], seed);
        let (x, y) = (&sets[0], &sets[1]);
        let map = |m: &Array2<f64>, seed| {
            let width = m.ncols();
            let mut turn = random_matrix(width, width, seed);
            turn.diag_mut().mapv_inplace(|value| value + 3.0);
            m.dot(&turn) + &random_matrix(1, width, seed ^ 5)
        };
        let rho = fit(&Cca::default(), x, y).correlations().clone();
        let moved = fit(&Cca::default(), &map(x, seed ^ 1), &map(y, seed ^ 2));
        for (found, expected) in moved.correlations().iter().zip(&rho) {
            prop_assert!((found - expected).abs() < 1e-7);
        }
    }
}
