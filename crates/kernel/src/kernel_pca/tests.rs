use super::*;
use didact_core::{Csr, Invert, Transform};
use didact_math::kernel::{Kernel, kernel_matrix_self};
use didact_math::linalg::thin_svd;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Axis};
use proptest::prelude::*;

fn with(kernel: KernelName, gamma: f64, n_components: Option<usize>) -> KernelPca {
    KernelPca {
        n_components,
        kernel: kernel.into(),
        gamma: Gamma::Value(gamma),
        ..KernelPca::default()
    }
}

fn fitted(parameters: &KernelPca, x: &Array2<f64>) -> KernelPcaModel {
    parameters.fit(Samples::from(x)).unwrap()
}

fn project(model: &KernelPcaModel, x: &Array2<f64>) -> Array2<f64> {
    model.transform(x).unwrap().into_dense()
}

/// Two rings of radius 1 and 3, a row of either in turn.
fn rings(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 2), |(row, column)| {
        let radius = if row % 2 == 0 { 1.0 } else { 3.0 };
        let angle = row as f64 * 2.399;
        radius
            * if column == 0 {
                angle.cos()
            } else {
                angle.sin()
            }
    })
}

// 002a:KP01: the linear kernel gives the scores of principal component analysis.
#[test]
fn the_linear_kernel_gives_principal_components() {
    let x = random_matrix(25, 4, 1) + 3.0;
    let model = fitted(&with(KernelName::Linear, 1.0, None), &x);
    assert_eq!(model.n_components(), 4);
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    let svd = thin_svd(centred.view()).unwrap();
    let scores = project(&model, &x);
    for component in 0..4 {
        let expected = svd.u.column(component).to_owned() * svd.singular_values[component];
        let sign = expected.dot(&scores.column(component)).signum();
        let gap = &scores.column(component) - &(expected * sign);
        assert!(gap.iter().all(|gap| gap.abs() < 1e-11));
        let variance = svd.singular_values[component].powi(2) / 25.0;
        assert!((model.explained_variance()[component] - variance).abs() < 1e-12);
    }
}

// 002a:KP01: ‖a‖² = 1/(M·λ), so that directions have length one and projections the variance λ. With
// the printed 1/λ = ‖a‖ the variance would be another.
#[test]
fn components_have_length_one_and_projections_their_variance() {
    let x = random_matrix(30, 3, 2);
    let model = fitted(&with(KernelName::Rbf, 0.4, Some(5)), &x);
    let lambda = model.explained_variance();
    let scores = project(&model, &x);
    for component in 0..5 {
        let coefficients = model.dual_coef().column(component);
        let squared = coefficients.dot(&coefficients);
        assert!((squared * 30.0 * lambda[component] - 1.0).abs() < 1e-12);
        assert!((squared.sqrt() * lambda[component] - 1.0).abs() > 1e-3);
        let variance = scores
            .column(component)
            .mapv(|score| score * score)
            .mean()
            .unwrap();
        assert!((variance / lambda[component] - 1.0).abs() < 1e-11);
        assert!(scores.column(component).sum().abs() < 1e-11);
    }
    // K̃·a = M·λ·a.
    let gram = kernel_matrix_self(
        didact_core::Rows::Dense(x.view()),
        &Kernel::Rbf { gamma: 0.4 },
        &Run::new(),
    )
    .unwrap();
    let centring = Array2::<f64>::eye(30) - 1.0 / 30.0;
    let centred = centring.dot(&gram).dot(&centring);
    let left = centred.dot(model.dual_coef());
    let right = model.dual_coef() * &(&lambda * 30.0);
    assert_close(&left, &right, 1e-11);
}

// 002a:KP02: a query on a training row has its training score, by the query's own centring.
#[test]
fn a_query_is_centred_like_the_training_rows() {
    let x = random_matrix(20, 2, 3);
    let model = fitted(&with(KernelName::Rbf, 1.0, Some(3)), &x);
    let gram = kernel_matrix_self(
        didact_core::Rows::Dense(x.view()),
        &Kernel::Rbf { gamma: 1.0 },
        &Run::new(),
    )
    .unwrap();
    let centring = Array2::<f64>::eye(20) - 1.0 / 20.0;
    let training = centring.dot(&gram).dot(&centring).dot(model.dual_coef());
    assert_close(&project(&model, &x), &training, 1e-11);
    // Without centring the query the scores are others.
    let plain = gram.dot(model.dual_coef());
    assert!((&plain - &training).iter().any(|gap| gap.abs() > 1e-3));
}

// 002a:KP03: up to M − 1 components, more than columns; the smallest eigenvalue of K̃ is zero.
#[test]
fn rows_are_lifted_to_one_component_less_than_rows() {
    let x = random_matrix(12, 2, 4);
    let model = fitted(&with(KernelName::Rbf, 3.0, None), &x);
    assert_eq!(model.n_components(), 11);
    assert!(model.eigenvalues().iter().all(|&value| value > 0.0));
    let distances = |rows: &Array2<f64>| {
        let gap = &rows.row(0) - &rows.row(7);
        gap.dot(&gap)
    };
    // With all components the distances are those in the space of the kernel: 2 − 2·k.
    let kernel = (-3.0 * distances(&x)).exp();
    assert!((distances(&project(&model, &x)) - (2.0 - 2.0 * kernel)).abs() < 1e-11);
    let error = with(KernelName::Linear, 1.0, Some(3))
        .fit(Samples::from(&x))
        .unwrap_err();
    assert!(
        error.to_string().starts_with("n_components is 3; "),
        "{error}"
    );
}

// 002a:KP04: with a small width each projection is large at one row and nothing at the others.
#[test]
fn a_narrow_kernel_gives_each_row_a_projection_of_its_own() {
    let x = Array2::from_shape_fn((8, 1), |(row, _)| row as f64 * (1.0 + row as f64 * 0.01));
    let map = |gamma: f64| {
        let model = fitted(&with(KernelName::Rbf, gamma, None), &x);
        let far = project(&model, &(&x + 0.5));
        let here = project(&model, &x);
        // How much of a projection is left half way to the next row.
        far.mapv(f64::abs).sum() / here.mapv(f64::abs).sum()
    };
    assert!(map(0.05) > 0.5);
    // k(x, x+½) is e^(−25): only the part that all rows share is left.
    assert!(map(100.0) < 1e-9);
}

// 002a:EX10: of a pair close together, the narrower kernel tells the two apart.
#[test]
fn a_smaller_width_separates_a_close_pair() {
    // Three groups; those on the right are 0.06 apart.
    let centers = [[0.2, 0.5], [0.72, 0.53], [0.72, 0.47]];
    let noise = random_matrix(60, 2, 5) * 0.012;
    let x = Array2::from_shape_fn((60, 2), |(row, column)| centers[row % 3][column]) + noise;
    let apart = |sigma: f64| {
        let model = fitted(&with(KernelName::Rbf, 0.5 / (sigma * sigma), Some(2)), &x);
        let scores = project(&model, &x);
        let mean = |group: usize| {
            let rows: Vec<usize> = (0..60).filter(|row| row % 3 == group).collect();
            scores.select(Axis(0), &rows).mean_axis(Axis(0)).unwrap()
        };
        let gap = &mean(1) - &mean(2);
        gap.dot(&gap).sqrt()
    };
    assert!(
        apart(0.04) > 1.5 * apart(0.1),
        "{} {}",
        apart(0.04),
        apart(0.1)
    );
}

// 002a:FIG66: two rings that no line parts lie apart on the first two components.
#[test]
fn rings_are_parted_by_a_line_in_the_first_two_components() {
    let x = rings(100);
    let model = fitted(&with(KernelName::Rbf, 0.3, Some(2)), &x);
    let scores = project(&model, &x);
    // The best threshold of a line through the plane of projections makes no error.
    let errors = |rows: &Array2<f64>| {
        let mut least = 100;
        for step in 0..360 {
            let angle = f64::from(step).to_radians();
            let along: Vec<f64> = rows
                .rows()
                .into_iter()
                .map(|row| row[0] * angle.cos() + row[1] * angle.sin())
                .collect();
            for threshold in &along {
                let wrong = (0..100)
                    .filter(|&i| (along[i] > *threshold) != (i % 2 == 1))
                    .count();
                least = least.min(wrong);
            }
        }
        least
    };
    assert_eq!(errors(&scores), 0);
    assert!(errors(&x) > 20);
}

#[test]
fn few_components_of_many_rows_are_those_of_all() {
    let x = random_matrix(700, 3, 6);
    let few = fitted(&with(KernelName::Rbf, 0.3, Some(4)), &x);
    let more = fitted(&with(KernelName::Rbf, 0.3, Some(70)), &x);
    for component in 0..4 {
        let (a, b) = (few.eigenvalues()[component], more.eigenvalues()[component]);
        assert!((a / b - 1.0).abs() < 1e-10, "{a} {b}");
    }
    let (a, b) = (project(&few, &x), project(&more, &x));
    let first = b.slice(s![.., ..4]).to_owned();
    assert!((a - first).iter().all(|gap| gap.abs() < 1e-6));
}

// With as many components as columns the linear kernel comes back exactly.
#[test]
fn the_linear_kernel_has_exact_pre_images() {
    let x = random_matrix(15, 3, 7) + 2.0;
    let model = fitted(&with(KernelName::Linear, 1.0, None), &x);
    let back = model.inverse_transform(&project(&model, &x)).unwrap();
    assert_close(&back, &x, 1e-11);
}

#[test]
fn fixed_points_come_back_to_the_rows_and_take_away_noise() {
    let x = rings(80);
    let all = fitted(&with(KernelName::Rbf, 0.8, None), &x);
    let back = all.inverse_transform(&project(&all, &x)).unwrap();
    assert!((&back - &x).iter().all(|gap| gap.abs() < 1e-5));
    // With few components a row beside the ring comes back to it.
    let few = fitted(&with(KernelName::Rbf, 0.3, Some(8)), &x);
    let noisy = &x * 1.08;
    let clean = few.inverse_transform(&project(&few, &noisy)).unwrap();
    let off = |rows: &Array2<f64>| {
        let radius = |row: usize| rows.row(row).dot(&rows.row(row)).sqrt();
        (0..80)
            .map(|row| (radius(row) - if row % 2 == 0 { 1.0 } else { 3.0 }).abs())
            .sum::<f64>()
    };
    assert!(off(&clean) < off(&noisy), "{} {}", off(&clean), off(&noisy));
}

#[test]
fn every_kernel_has_pre_images_of_least_squares() {
    let rows = random_matrix(20, 3, 8).mapv(f64::abs);
    let lengths = rows.mapv(|v| v * v).sum_axis(Axis(1)).mapv(f64::sqrt);
    // Angles know nothing of lengths, so that only rows of length one can come back from them.
    let of_length_one = &rows / &lengths.insert_axis(Axis(1));
    for (kernel, x) in [
        (KernelName::Poly, &rows),
        (KernelName::Sigmoid, &rows),
        (KernelName::Laplacian, &rows),
        (KernelName::Cosine, &of_length_one),
        (KernelName::ChiSquare, &rows),
        (KernelName::Jaccard, &rows),
    ] {
        let model = fitted(&with(kernel, 0.2, None), x);
        let back = model.inverse_transform(&project(&model, x)).unwrap();
        let spread = (x - &x.mean_axis(Axis(0)).unwrap()).mapv(|v| v * v).sum();
        let left = (&back - x).mapv(|v| v * v).sum();
        assert!(left < 0.3 * spread, "{kernel:?}: {left} of {spread}");
    }
}

#[test]
fn sparse_rows_are_projected_like_dense_ones() {
    let x = random_matrix(18, 4, 9).mapv(|value| if value > 0.0 { value } else { 0.0 });
    let sparse_x = Csr::from_dense(x.view());
    let parameters = with(KernelName::Rbf, 0.5, Some(3));
    let dense = fitted(&parameters, &x);
    let sparse = parameters.fit(Samples::from(&sparse_x)).unwrap();
    let expected = project(&dense, &x);
    let found = sparse.transform(&sparse_x).unwrap().into_dense();
    assert_close(&found, &expected, 1e-9);
    let back = dense.inverse_transform(&expected).unwrap();
    assert_close(&sparse.inverse_transform(&expected).unwrap(), &back, 1e-7);
}

#[test]
fn rows_that_are_alike_have_no_components() {
    let x = Array2::from_elem((5, 2), 1.5);
    let error = KernelPca::default()
        .fit(Samples::from(&x))
        .unwrap_err()
        .to_string();
    assert!(error.contains("all alike"), "{error}");
}

proptest! {
    #[test]
    fn projections_are_uncorrelated(n in 4usize..25, d in 1usize..4, seed: u64) {
        let x = random_matrix(n, d, seed);
        let model = fitted(&with(KernelName::Rbf, 0.5, None), &x);
        let scores = project(&model, &x);
        let products = scores.t().dot(&scores);
        let expected = Array2::from_diag(&Array1::from(model.eigenvalues().to_vec()));
        let largest = model.eigenvalues()[0];
        // The scores of the smallest components are divided by their roots.
        prop_assert!((products - expected).iter().all(|gap| gap.abs() < 1e-6 * largest));
    }
}
