//! The claims of the texts about kernel functions and their matrices, on which this crate stands.

use crate::{KernelPca, KernelRidge};
use didact_core::{Fit, Measured, Regress, Rows, Run, Samples, Transform};
use didact_math::kernel::{Kernel, RbfWidth, check_mercer, kernel_matrix_self, kernel_matrix_with};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, array};

fn gram(x: &Array2<f64>, kernel: &Kernel) -> Array2<f64> {
    kernel_matrix_self(Rows::Dense(x.view()), kernel, &Run::new()).unwrap()
}

fn polynomial(degree: u32, coef0: f64) -> Kernel {
    Kernel::Polynomial {
        degree,
        gamma: 1.0,
        coef0,
    }
}

// 000a:SUP-20: XXᵀ for rows as samples; the printed XᵀX has the size of the columns.
#[test]
fn the_matrix_of_the_linear_kernel_is_x_times_its_transpose() {
    let x = random_matrix(7, 3, 1);
    let found = gram(&x, &Kernel::Linear);
    assert_close(&found, &x.dot(&x.t()), 1e-13);
    assert_ne!(found.dim(), x.t().dot(&x).dim());
    assert_eq!(found, found.t());
}

// 000a:SUP-19 002a:KT04: ⟨x,x'⟩² is the inner product of (a², √2ab, b²).
#[test]
fn the_homogeneous_kernel_is_the_inner_product_of_its_monomials() {
    let x = random_matrix(9, 2, 2);
    let monomials = Array2::from_shape_fn((9, 3), |(row, feature)| {
        let (a, b) = (x[[row, 0]], x[[row, 1]]);
        [a * a, 2_f64.sqrt() * a * b, b * b][feature]
    });
    let expected = monomials.dot(&monomials.t());
    assert_close(&gram(&x, &polynomial(2, 0.0)), &expected, 1e-12);
}

// 001:KER-05 001:KER-06 002a:KT03 002a:KT05 001:T-11: 11, (11+1)² = 144 and never 11² + 1 = 122.
#[test]
fn the_printed_pair_has_its_printed_kernels() {
    let (a, b) = ([1.0, 2.0], [3.0, 4.0]);
    assert_eq!(Kernel::Linear.between(&a, &b), 11.0);
    assert_eq!(polynomial(2, 1.0).between(&a, &b), 144.0);
    assert_eq!(polynomial(3, 1.0).between(&a, &b), 1728.0);
    assert_eq!(polynomial(3, 0.0).between(&a, &b), 1331.0);
    // 001:KER-07: exp(−½·8) with γ = ½.
    let gaussian = Kernel::Rbf { gamma: 0.5 };
    assert!((gaussian.between(&a, &b) - 0.018_315_638_888_734_18).abs() < 1e-16);
    assert_eq!(gaussian.between(&a, &a), 1.0);
    // The linear kernel is the cosine only for rows of length one.
    assert!((Kernel::Linear.between(&[0.6, 0.8], &[1.0, 0.0]) - 0.6).abs() < 1e-16);
    assert!((Kernel::Cosine.between(&a, &b) - 11.0 / 125_f64.sqrt()).abs() < 1e-15);
}

// 002a:KT06: tanh(θ + ⟨x,x'⟩), which need not be positive semidefinite.
#[test]
fn the_hyperbolic_tangent_can_break_the_condition_of_mercer() {
    let kernel = Kernel::Sigmoid {
        gamma: 1.0,
        coef0: -1.0,
    };
    let (a, b) = ([1.0, 2.0], [0.5, 0.25]);
    assert!((kernel.between(&a, &b)).abs() < 1e-16);
    let x = random_matrix(12, 2, 3);
    assert!(!check_mercer(gram(&x, &kernel).view()).unwrap().is_valid());
}

// 002a:KT07 000a:SIM-06: all ones for a wide kernel, the identity for a narrow one, ones on the
// diagonal always.
#[test]
fn a_wide_gaussian_is_all_ones_and_a_narrow_one_the_identity() {
    let x = random_matrix(6, 2, 4);
    let of = |sigma: f64| gram(&x, &Kernel::gaussian(RbfWidth::from_sigma(sigma).unwrap()));
    assert_close(&of(1e8), &Array2::ones((6, 6)), 1e-14);
    assert_close(&of(1e-4), &Array2::eye(6), 1e-14);
    assert!(of(0.7).diag().iter().all(|&value| value == 1.0));
}

// 002b:KM-16 002b:GP-07: exp(−r²/w) and exp(−½r²/ℓ²) are the same kernel where w = 2ℓ².
#[test]
fn a_panel_width_is_twice_the_squared_length_scale() {
    let (a, b) = ([0.0, 1.0], [2.0, 0.5]);
    let squared: f64 = 4.25;
    for length in [0.3, 1.0, 4.0] {
        let by_length = Kernel::gaussian(RbfWidth::from_length_scale(length).unwrap());
        let by_width = Kernel::gaussian(RbfWidth::from_width(2.0 * length * length).unwrap());
        let expected = (-0.5 * squared / (length * length)).exp();
        assert!((by_length.between(&a, &b) - expected).abs() < 1e-15);
        assert!((by_width.between(&a, &b) - expected).abs() < 1e-15);
    }
}

// 000a:SUP-19 003:P95: any function of two items is a kernel to the methods, given as a matrix.
#[test]
fn a_function_of_the_user_gives_the_matrix_of_the_named_kernel() {
    let x = random_matrix(8, 3, 5);
    let rows: Vec<Vec<f64>> = x.rows().into_iter().map(|row| row.to_vec()).collect();
    let own = |a: &Vec<f64>, b: &Vec<f64>| {
        let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        (product + 1.0).powi(3)
    };
    let found = kernel_matrix_with(&rows, own, &Run::new()).unwrap();
    assert_close(&found, &gram(&x, &polynomial(3, 1.0)), 1e-12);
}

// 001:KER-08: products are Hadamard products, sums are sums, multiples are multiples, a scalar
// function times itself is a kernel, and each stays positive semidefinite.
#[test]
fn kernels_are_closed_under_their_algebra() {
    let x = random_matrix(10, 2, 6);
    let (first, second) = (Kernel::Rbf { gamma: 0.8 }, polynomial(2, 1.0));
    let (a, b) = (gram(&x, &first), gram(&x, &second));
    let product = gram(&x, &first.clone().times(second.clone()));
    assert_close(&product, &(&a * &b), 1e-13);
    let sum = gram(
        &x,
        &first.clone().scaled(2.0).plus(second.clone().scaled(0.5)),
    );
    assert_close(&sum, &(&a * 2.0 + &b * 0.5), 1e-13);
    let one = gram(&x, &Kernel::Constant { value: 1.0 });
    assert_eq!(one, Array2::<f64>::ones((10, 10)));
    let rows: Vec<Vec<f64>> = x.rows().into_iter().map(|row| row.to_vec()).collect();
    let scalar = |row: &Vec<f64>| row[0].sin() - row[1];
    let made = kernel_matrix_with(&rows, |a, b| scalar(a) * scalar(b), &Run::new()).unwrap();
    for matrix in [&product, &sum, &one, &made, &(&made * &a)] {
        assert!(check_mercer(matrix.view()).unwrap().is_valid());
    }
    let error = first.scaled(-1.0).check().unwrap_err().to_string();
    assert!(error.starts_with("factor is -1; "), "{error}");
}

// 002a:KT01: with the linear kernel each method gives what its linear form gives.
#[test]
fn one_kernel_object_serves_every_method_and_the_linear_one_changes_nothing() {
    let x = array![[0.0, 1.0], [2.0, 0.0], [3.0, 3.0], [1.0, 4.0]];
    let y = [1.0, 2.0, 9.0, 6.0];
    let kernel = || Kernel::Linear.into();
    let ridge = KernelRidge {
        kernel: kernel(),
        alpha: 1e-9,
        ..KernelRidge::default()
    };
    let fitted = ridge.fit(Measured::new(&x, &y).unwrap()).unwrap();
    // Least squares through the origin: (XᵀX)⁻¹Xᵀy with XᵀX = [[14, 13], [13, 26]], Xᵀy = [37, 52].
    let determinant = 14.0 * 26.0 - 13.0 * 13.0;
    let weights = [
        (26.0 * 37.0 - 13.0 * 52.0) / determinant,
        (14.0 * 52.0 - 13.0 * 37.0) / determinant,
    ];
    let found = fitted.predict(&array![[1.0, 0.0], [0.0, 1.0]]).unwrap();
    assert!((found[[0, 0]] - weights[0]).abs() < 1e-6 && (found[[1, 0]] - weights[1]).abs() < 1e-6);
    let pca = KernelPca {
        kernel: kernel(),
        ..KernelPca::default()
    };
    let scores = pca
        .fit(Samples::from(&x))
        .unwrap()
        .transform(&x)
        .unwrap()
        .into_dense();
    // Distances between rows are kept by principal components.
    let gap = &scores.row(0) - &scores.row(2);
    assert!((gap.dot(&gap) - 13.0).abs() < 1e-12);
}
