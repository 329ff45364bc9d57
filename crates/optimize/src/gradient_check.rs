//! Derivatives against finite differences.
//!
//! Central differences are used throughout: their error is of the order h², so that with
//! h = ∛ε·max(1, |x|) about ten digits can be compared.

use crate::outcome::largest_magnitude;
use crate::{Curved, Objective};
use didact_core::{Error, Result};
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView1, ArrayView2};

/// How well derivatives agree with finite differences.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivativeCheck {
    /// The largest difference, relative to the largest magnitude of the finite differences (to
    /// one where that is smaller).
    pub relative_error: f64,
    /// The coordinate (the pair of row and column, for matrices) where it occurs.
    pub worst: Vec<usize>,
    /// The derivative that was given there.
    pub given: f64,
    /// The finite difference there.
    pub expected: f64,
}

impl DerivativeCheck {
    /// Whether the derivatives are right to six digits, which a mistake never is.
    pub fn passes(&self) -> bool {
        self.relative_error < 1e-6
    }
}

/// The gradient by central differences, for functions that have none.
///
/// ```
/// use didact_optimize::finite_difference_gradient;
/// let gradient = finite_difference_gradient(|x| Ok(x[0] * x[0] * x[1]), &[3.0, 2.0])?;
/// assert!((gradient[0] - 12.0).abs() < 1e-8 && (gradient[1] - 9.0).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn finite_difference_gradient(
    mut function: impl FnMut(&[f64]) -> Result<f64>,
    x: &[f64],
) -> Result<Vec<f64>> {
    let mut point = x.to_vec();
    let mut gradient = vec![0.0; x.len()];
    for i in 0..x.len() {
        let (low, high) = around(x[i]);
        point[i] = high;
        let above = function(&point)?;
        point[i] = low;
        let below = function(&point)?;
        point[i] = x[i];
        gradient[i] = (above - below) / (high - low);
    }
    Ok(gradient)
}

/// The Jacobian Jᵢⱼ = ∂fᵢ/∂xⱼ by central differences.
pub fn finite_difference_jacobian(
    mut function: impl FnMut(&[f64]) -> Result<Vec<f64>>,
    x: &[f64],
) -> Result<Array2<f64>> {
    let mut point = x.to_vec();
    let mut columns = Vec::with_capacity(x.len());
    for i in 0..x.len() {
        let (low, high) = around(x[i]);
        point[i] = high;
        let above = function(&point)?;
        point[i] = low;
        let below = function(&point)?;
        point[i] = x[i];
        let slopes = above
            .iter()
            .zip(&below)
            .map(|(above, below)| (above - below) / (high - low));
        columns.push(slopes.collect::<Vec<f64>>());
    }
    let rows = columns.first().map_or(0, Vec::len);
    Ok(Array2::from_shape_fn((rows, x.len()), |(i, j)| {
        columns[j][i]
    }))
}

/// Two points around x whose difference is exact.
fn around(x: f64) -> (f64, f64) {
    let step = f64::EPSILON.cbrt() * x.abs().max(1.0);
    (x - step, x + step)
}

/// Compares the gradient of an objective with central differences of its value.
///
/// ```
/// use didact_optimize::check_gradient;
/// let mut right = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * x[0];
///     x[0] * x[0]
/// };
/// assert!(check_gradient(&mut right, &[3.0])?.passes());
/// let mut wrong = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = x[0];
///     x[0] * x[0]
/// };
/// assert!(!check_gradient(&mut wrong, &[3.0])?.passes());
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn check_gradient(objective: &mut dyn Objective, x: &[f64]) -> Result<DerivativeCheck> {
    crate::outcome::check_point(x)?;
    let mut gradient = vec![0.0; x.len()];
    objective.evaluate(x, &mut gradient)?;
    let expected = finite_difference_gradient(|x| objective.value(x), x)?;
    compare(&gradient, &expected, |index| vec![index])
}

/// Compares the Hessian of an objective with central differences of its gradient.
pub fn check_hessian(objective: &mut dyn Curved, x: &[f64]) -> Result<DerivativeCheck> {
    crate::outcome::check_point(x)?;
    let n = x.len();
    let mut hessian = Array2::zeros((n, n));
    objective.hessian(x, &mut hessian)?;
    let gradient = |x: &[f64]| {
        let mut gradient = vec![0.0; n];
        objective.evaluate(x, &mut gradient)?;
        Ok(gradient)
    };
    let expected = finite_difference_jacobian(gradient, x)?;
    compare_matrices(hessian.view(), expected.view())
}

/// Compares a Jacobian with central differences of the function.
pub fn check_jacobian(
    function: impl FnMut(&[f64]) -> Result<Vec<f64>>,
    jacobian: ArrayView2<'_, f64>,
    x: &[f64],
) -> Result<DerivativeCheck> {
    crate::outcome::check_point(x)?;
    let expected = finite_difference_jacobian(function, x)?;
    if jacobian.dim() != expected.dim() {
        let shape = |view: (usize, usize)| format!("{}×{}", view.0, view.1);
        return Err(Error::parameter(
            "jacobian",
            shape(jacobian.dim()),
            format!("it must be {}", shape(expected.dim())),
        ));
    }
    compare_matrices(jacobian, expected.view())
}

/// Compares a product J·v with the difference of the function along v.
///
/// ```
/// use didact_optimize::{adjoint_error, check_jacobian_product};
/// let function = |x: &[f64]| Ok(vec![x[0] * x[1], x[0].sin()]);
/// let (x, v) = ([2.0, 3.0], [0.5, -1.0]);
/// // J = [[3, 2], [cos 2, 0]], J·v = (−0.5, 0.5·cos 2).
/// let forward = [-0.5, 0.5 * 2.0_f64.cos()];
/// assert!(check_jacobian_product(function, &x, &v, &forward)?.passes());
/// // Jᵀ·u for u = (1, 2).
/// let backward = [3.0 + 2.0 * 2.0_f64.cos(), 2.0];
/// assert!(adjoint_error(&[1.0, 2.0], &forward, &backward, &v) < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn check_jacobian_product(
    mut function: impl FnMut(&[f64]) -> Result<Vec<f64>>,
    x: &[f64],
    v: &[f64],
    product: &[f64],
) -> Result<DerivativeCheck> {
    let along = |step: f64| {
        x.iter()
            .zip(v)
            .map(|(x, v)| x + step * v)
            .collect::<Vec<f64>>()
    };
    let longest = largest_magnitude(v).max(f64::MIN_POSITIVE);
    let step = f64::EPSILON.cbrt() * largest_magnitude(x).max(1.0) / longest;
    let (above, below) = (function(&along(step))?, function(&along(-step))?);
    let expected: Vec<f64> = above
        .iter()
        .zip(&below)
        .map(|(above, below)| (above - below) / (2.0 * step))
        .collect();
    compare(product, &expected, |index| vec![index])
}

/// How far ⟨u, J·v⟩ and ⟨Jᵀ·u, v⟩ are apart, relative to the larger: zero but for rounding where
/// the backward product is the transpose of the forward one.
pub fn adjoint_error(u: &[f64], forward: &[f64], backward: &[f64], v: &[f64]) -> f64 {
    let (left, right) = (dot(u, forward), dot(backward, v));
    (left - right).abs() / left.abs().max(right.abs()).max(f64::MIN_POSITIVE)
}

fn compare_matrices(
    given: ArrayView2<'_, f64>,
    expected: ArrayView2<'_, f64>,
) -> Result<DerivativeCheck> {
    let columns = given.ncols().max(1);
    let flat = |view: ArrayView2<'_, f64>| view.iter().copied().collect::<Vec<f64>>();
    compare(&flat(given), &flat(expected), |index| {
        vec![index / columns, index % columns]
    })
}

fn compare(
    given: &[f64],
    expected: &[f64],
    place: impl Fn(usize) -> Vec<usize>,
) -> Result<DerivativeCheck> {
    if given.len() != expected.len() {
        return Err(Error::parameter(
            "derivatives",
            format!("{} values", given.len()),
            format!("there must be {}", expected.len()),
        ));
    }
    let finite = |values: &[f64]| {
        ArrayView1::from(values)
            .iter()
            .all(|value| value.is_finite())
    };
    if !finite(expected) {
        return Err(Error::numerical(
            "the function is not finite next to the point where its derivatives are checked; \
             choose a point inside its domain",
        ));
    }
    let scale = largest_magnitude(expected).max(1.0);
    let error = |index: usize| match given[index].is_finite() {
        true => (given[index] - expected[index]).abs() / scale,
        false => f64::INFINITY,
    };
    let worst = (0..given.len())
        .max_by(|&a, &b| error(a).total_cmp(&error(b)))
        .unwrap_or(0);
    Ok(DerivativeCheck {
        relative_error: error(worst),
        worst: place(worst),
        given: given[worst],
        expected: expected[worst],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WithHessian;
    use crate::testing::{rosenbrock, rosenbrock_hessian};
    use didact_math::numeric::sigmoid;
    use didact_testing::random_matrix;
    use ndarray::Array1;

    // 000b:E08
    #[test]
    fn right_derivatives_pass_and_a_wrong_entry_is_named() {
        let x = [0.3, -1.1, 0.7, 2.0];
        assert!(check_gradient(&mut rosenbrock, &x).unwrap().passes());
        let mut valley = WithHessian::new(rosenbrock, rosenbrock_hessian);
        assert!(check_hessian(&mut valley, &x).unwrap().passes());
        let mut wrong = |x: &[f64], gradient: &mut [f64]| {
            let value = rosenbrock(x, gradient);
            gradient[2] += 0.01 * gradient[2].abs();
            value
        };
        let check = check_gradient(&mut wrong, &x).unwrap();
        assert!(!check.passes());
        assert_eq!(check.worst, [2]);
    }

    // 001:REG-07
    #[test]
    fn the_gradient_of_a_mean_loss_is_the_mean_of_the_gradients() {
        let (x, y) = (random_matrix(20, 3, 1), random_matrix(20, 1, 2));
        let point_gradient = |i: usize, w: &[f64]| {
            let row = x.row(i);
            let error = row.dot(&ArrayView1::from(w)) - y[[i, 0]];
            row.mapv(|value| error * value)
        };
        let mut loss = |w: &[f64], gradient: &mut [f64]| {
            let error = x.dot(&ArrayView1::from(w)) - y.column(0);
            let slope = x.t().dot(&error) / 20.0;
            gradient.copy_from_slice(&slope.to_vec());
            0.5 * error.dot(&error) / 20.0
        };
        let w = [0.4, -0.2, 1.3];
        assert!(check_gradient(&mut loss, &w).unwrap().passes());
        let mut gradient = [0.0; 3];
        loss(&w, &mut gradient);
        let sum: Array1<f64> = (0..20)
            .map(|i| point_gradient(i, &w))
            .fold(Array1::zeros(3), |a, b| a + b);
        for i in 0..3 {
            assert!((gradient[i] - sum[i] / 20.0).abs() < 1e-12);
        }
    }

    /// A layer h ↦ σ(Wᵀh) with its forward and backward products: J = diag(σ′)·Wᵀ.
    struct Layer(Array2<f64>);

    impl Layer {
        fn output(&self, h: &[f64]) -> Array1<f64> {
            self.0.t().dot(&ArrayView1::from(h)).mapv(sigmoid)
        }

        fn forward(&self, h: &[f64], v: &[f64]) -> Vec<f64> {
            let slope = self.output(h).mapv(|s| s * (1.0 - s));
            (slope * self.0.t().dot(&ArrayView1::from(v))).to_vec()
        }

        fn backward(&self, h: &[f64], u: &[f64]) -> Vec<f64> {
            // The slope belongs before W: the printed formula multiplies after it.
            let slope = self.output(h).mapv(|s| s * (1.0 - s));
            self.0.dot(&(slope * ArrayView1::from(u))).to_vec()
        }
    }

    // 000b:D36
    #[test]
    fn forward_and_backward_products_of_a_layer_are_adjoint() {
        let layer = Layer(random_matrix(4, 3, 5));
        let h = random_matrix(1, 4, 6).into_raw_vec_and_offset().0;
        let v = random_matrix(1, 4, 7).into_raw_vec_and_offset().0;
        let u = random_matrix(1, 3, 8).into_raw_vec_and_offset().0;
        let forward = layer.forward(&h, &v);
        let check =
            check_jacobian_product(|h| Ok(layer.output(h).to_vec()), &h, &v, &forward).unwrap();
        assert!(check.passes(), "{check:?}");
        let backward = layer.backward(&h, &u);
        assert!(adjoint_error(&u, &forward, &backward, &v) < 1e-12);
        // The printed order, σ′ after W, has not even the right length; without σ′ it is wrong.
        let printed = layer.0.dot(&ArrayView1::from(&u)).to_vec();
        assert!(adjoint_error(&u, &forward, &printed, &v) > 1e-3);
        let jacobian = finite_difference_jacobian(|h| Ok(layer.output(h).to_vec()), &h).unwrap();
        assert!(
            check_jacobian(|h| Ok(layer.output(h).to_vec()), jacobian.view(), &h)
                .unwrap()
                .passes()
        );
    }

    // 000b:D36
    #[test]
    fn the_linearisation_of_a_linear_layer_is_exact() {
        let w = random_matrix(4, 3, 9);
        let function = |h: &[f64]| Ok(w.t().dot(&ArrayView1::from(h)).to_vec());
        let (h, v) = ([0.1, 0.2, -0.3, 0.4], [10.0, -20.0, 5.0, 1.0]);
        let product = w.t().dot(&ArrayView1::from(&v)).to_vec();
        assert!(
            check_jacobian_product(function, &h, &v, &product)
                .unwrap()
                .relative_error
                < 1e-9
        );
    }

    #[test]
    fn a_point_at_the_edge_of_the_domain_is_an_error() {
        let mut logarithm = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0 / x[0];
            x[0].ln()
        };
        assert!(check_gradient(&mut logarithm, &[1e-9]).is_err());
        assert!(check_gradient(&mut logarithm, &[]).is_err());
        let shape = check_jacobian(
            |x| Ok(x.to_vec()),
            Array2::zeros((1, 2)).view(),
            &[1.0, 2.0],
        );
        assert!(
            shape
                .unwrap_err()
                .to_string()
                .contains("jacobian is 1×2; it must be 2×2")
        );
    }
}
