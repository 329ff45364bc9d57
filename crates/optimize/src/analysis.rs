//! Checks of convexity and identities of matrix and integral calculus.

use didact_core::random::generator;
use didact_core::{Error, Result};
use didact_math::linalg::{Cholesky, matmul, pseudo_solve};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rand::RngExt;

/// A chord that lies below the function: proof that it is not convex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BelowTheChord {
    /// One end of the chord.
    pub from: f64,
    /// The other end.
    pub to: f64,
    /// The weight λ of `from`.
    pub weight: f64,
    /// The function at λ·from + (1−λ)·to.
    pub value: f64,
    /// The chord there.
    pub chord: f64,
}

/// Looks for a chord on which f(λa + (1−λ)b) > λf(a) + (1−λ)f(b), at random in [lower, upper].
/// A chord found refutes convexity; none found proves nothing.
///
/// ```
/// use didact_optimize::analysis::refute_convexity;
/// assert!(refute_convexity(|x| x * x, -3.0, 3.0, 1000, 0)?.is_none());
/// assert!(refute_convexity(f64::sin, 0.0, 6.0, 1000, 0)?.is_some());
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn refute_convexity(
    function: impl Fn(f64) -> f64,
    lower: f64,
    upper: f64,
    samples: usize,
    random_state: u64,
) -> Result<Option<BelowTheChord>> {
    check_range(lower, upper)?;
    let mut generator = generator(random_state, 0);
    for _ in 0..samples {
        let mut point = || lower + (upper - lower) * generator.random::<f64>();
        let (from, to) = (point(), point());
        let weight = generator.random::<f64>();
        let value = function(weight * from + (1.0 - weight) * to);
        let chord = weight * function(from) + (1.0 - weight) * function(to);
        if value > chord + 1e-12 * value.abs().max(chord.abs()).max(1.0) {
            return Ok(Some(BelowTheChord {
                from,
                to,
                weight,
                value,
                chord,
            }));
        }
    }
    Ok(None)
}

/// Looks for a point of negative second derivative on a grid of [lower, upper]; the point refutes
/// convexity.
pub fn refute_by_curvature(
    second_derivative: impl Fn(f64) -> f64,
    lower: f64,
    upper: f64,
    samples: usize,
) -> Result<Option<f64>> {
    check_range(lower, upper)?;
    let steps = samples.max(2) - 1;
    let at = |i: usize| lower + (upper - lower) * i as f64 / steps as f64;
    Ok((0..=steps).map(at).find(|&x| second_derivative(x) < 0.0))
}

fn check_range(lower: f64, upper: f64) -> Result<()> {
    match lower < upper && lower.is_finite() && upper.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            "upper",
            upper,
            format!("it must be above lower, {lower}"),
        )),
    }
}

/// Jensen's gap Σλᵢf(xᵢ) − f(Σλᵢxᵢ), never negative for a convex f.
///
/// ```
/// use didact_optimize::analysis::jensen_gap;
/// // Half of 0² and half of 2² against 1².
/// assert_eq!(jensen_gap(|x| x * x, &[0.5, 0.5], &[0.0, 2.0])?, 1.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn jensen_gap(function: impl Fn(f64) -> f64, weights: &[f64], points: &[f64]) -> Result<f64> {
    check_weights(weights, points.len())?;
    let mean: f64 = weights.iter().zip(points).map(|(w, x)| w * x).sum();
    // Points without weight may lie outside the domain.
    let pairs = weights.iter().zip(points).filter(|(w, _)| **w > 0.0);
    Ok(pairs.map(|(w, x)| w * function(*x)).sum::<f64>() - function(mean))
}

/// ln Σλᵢxᵢ − Σλᵢ ln xᵢ for positive x: never negative, zero exactly where all x with λ > 0 agree.
pub fn log_jensen_gap(weights: &[f64], points: &[f64]) -> Result<f64> {
    if let Some(point) = points
        .iter()
        .find(|point| !(**point > 0.0 && point.is_finite()))
    {
        return Err(Error::parameter(
            "points",
            point,
            "each must be a positive number",
        ));
    }
    jensen_gap(|x| -x.ln(), weights, points)
}

fn check_weights(weights: &[f64], points: usize) -> Result<()> {
    let total: f64 = weights.iter().sum();
    let is_distribution = weights.iter().all(|w| *w >= 0.0) && (total - 1.0).abs() <= 1e-9;
    if weights.len() != points || !is_distribution {
        return Err(Error::parameter(
            "weights",
            format!("{weights:?}"),
            format!("there must be {points}, none negative, that sum to one"),
        ));
    }
    Ok(())
}

/// ∫f over [a, b] by adaptive quadrature after Simpson, to a relative accuracy of about 1e-12 for
/// smooth f.
pub fn integrate(function: &dyn Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let (fa, fm, fb) = (function(a), function(0.5 * (a + b)), function(b));
    let whole = (b - a) / 6.0 * (fa + 4.0 * fm + fb);
    refine(function, [a, b], [fa, fm, fb], whole, 40)
}

fn refine(
    function: &dyn Fn(f64) -> f64,
    [a, b]: [f64; 2],
    [fa, fm, fb]: [f64; 3],
    whole: f64,
    depth: usize,
) -> f64 {
    let m = 0.5 * (a + b);
    let (fl, fr) = (function(0.5 * (a + m)), function(0.5 * (m + b)));
    let left = (m - a) / 6.0 * (fa + 4.0 * fl + fm);
    let right = (b - m) / 6.0 * (fm + 4.0 * fr + fb);
    let error = left + right - whole;
    if depth == 0 || error.abs() <= 1e-13 * whole.abs().max(1e-3) || !error.is_finite() {
        return left + right + error / 15.0;
    }
    refine(function, [a, m], [fa, fl, fm], left, depth - 1)
        + refine(function, [m, b], [fm, fr, fb], right, depth - 1)
}

/// A limit of integration that moves with x: its value and its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingLimit {
    /// Where the limit is.
    pub value: f64,
    /// How fast it moves.
    pub derivative: f64,
}

/// Leibniz's rule: d/dx ∫ f(x, t) dt from a(x) to b(x) is f(x, b)·b′ − f(x, a)·a′ + ∫ ∂f/∂x dt.
///
/// `function` and `partial` take (x, t).
///
/// ```
/// use didact_optimize::analysis::{MovingLimit, leibniz};
/// // d/dx ∫₀ˣ x·t dt = d/dx x³/2 = 3x²/2.
/// let (lower, upper) =
///     (MovingLimit { value: 0.0, derivative: 0.0 }, MovingLimit { value: 2.0, derivative: 1.0 });
/// let slope = leibniz(|x, t| x * t, |_, t| t, lower, upper, 2.0);
/// assert!((slope - 6.0).abs() < 1e-12);
/// ```
pub fn leibniz(
    function: impl Fn(f64, f64) -> f64,
    partial: impl Fn(f64, f64) -> f64,
    lower: MovingLimit,
    upper: MovingLimit,
    x: f64,
) -> f64 {
    function(x, upper.value) * upper.derivative - function(x, lower.value) * lower.derivative
        + integrate(&|t| partial(x, t), lower.value, upper.value)
}

/// The derivative of ln det A by the entries of A: A⁻ᵀ.
pub fn log_determinant_gradient(a: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    Ok(inverse_of(a)?.reversed_axes())
}

/// The change of A⁻¹ under a small change dA: −A⁻¹·dA·A⁻¹.
pub fn inverse_differential(
    a: ArrayView2<'_, f64>,
    change: ArrayView2<'_, f64>,
) -> Result<Array2<f64>> {
    let right = solve(a, change)?;
    Ok(-solve(a.t(), right.t())?.reversed_axes())
}

/// The derivative of tr(A·B) by the entries of A: Bᵀ.
pub fn trace_product_gradient(b: ArrayView2<'_, f64>) -> Array2<f64> {
    b.t().to_owned()
}

/// The Frobenius norm √Σaᵢⱼ² = √tr(AᵀA) = √Σσ², σ the singular values; neither overflows nor
/// vanishes before the result does.
///
/// ```
/// use didact_optimize::analysis::frobenius_norm;
/// assert_eq!(frobenius_norm(ndarray::array![[3.0, 0.0], [0.0, 4.0]].view()), 5.0);
/// ```
pub fn frobenius_norm(a: ArrayView2<'_, f64>) -> f64 {
    crate::outcome::norm(&a.iter().copied().collect::<Vec<f64>>())
}

/// xᵀAx − xᵀb − bᵀx = (x − c)ᵀA(x − c) − bᵀA⁻¹b with c = A⁻¹b, for symmetric A.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletedSquare {
    /// The centre c.
    pub centre: Array1<f64>,
    /// What remains, −bᵀA⁻¹b.
    pub constant: f64,
}

/// Completes the square of xᵀAx − 2bᵀx for a symmetric positive definite A.
pub fn complete_the_square(
    a: ArrayView2<'_, f64>,
    b: ArrayView1<'_, f64>,
) -> Result<CompletedSquare> {
    crate::objective::check_symmetric("a", a)?;
    let centre = Cholesky::new(a)?.solve_vector(b);
    let constant = -b.dot(&centre);
    Ok(CompletedSquare { centre, constant })
}

/// (A⁻¹ + B⁻¹)⁻¹ = A(A + B)⁻¹B for symmetric positive definite A and B, without an inverse of
/// either.
pub fn parallel_sum(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    crate::objective::check_symmetric("a", a)?;
    crate::objective::check_symmetric("b", b)?;
    let sum = &a + &b;
    Ok(matmul(a, Cholesky::new(sum.view())?.solve(b).view()))
}

/// tr(D)·tr(A) − tr(D·A) for a diagonal D, given by its diagonal: never negative where neither D
/// nor the diagonal of A has a negative entry.
pub fn trace_bound_gap(d: ArrayView1<'_, f64>, a: ArrayView2<'_, f64>) -> Result<f64> {
    if !a.is_square() || a.nrows() != d.len() {
        let shape = format!("{}×{}", a.nrows(), a.ncols());
        return Err(Error::parameter(
            "a",
            shape,
            format!("it must be {0}×{0}", d.len()),
        ));
    }
    for (name, entries) in [("d", d), ("a", a.diag())] {
        if let Some(entry) = entries.iter().find(|entry| entry.is_nan() || **entry < 0.0) {
            return Err(Error::parameter(
                name,
                entry,
                "no entry of the diagonal may be negative",
            ));
        }
    }
    // (D·A)ₙₙ = Dₙₙ·Aₙₙ.
    let product: f64 = d.iter().zip(a.diag()).map(|(d, a)| d * a).sum();
    Ok(d.sum() * a.diag().sum() - product)
}

fn inverse_of(a: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    solve(a, Array2::eye(a.nrows()).view())
}

fn solve(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    if !a.is_square() {
        let shape = format!("{}×{}", a.nrows(), a.ncols());
        return Err(Error::parameter("a", shape, "it must be square"));
    }
    let answer = pseudo_solve(a, b, None)?;
    match answer.rank == a.nrows() {
        true => Ok(answer.solution),
        false => Err(Error::parameter(
            "a",
            format!("of rank {}", answer.rank),
            format!("it must have full rank, {}", a.nrows()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finite_difference_gradient;
    use didact_testing::{assert_close, random_matrix};
    use proptest::prelude::*;

    fn positive_definite(n: usize, seed: u64) -> Array2<f64> {
        let root = random_matrix(n, n + 3, seed);
        root.dot(&root.t()) + Array2::<f64>::eye(n)
    }

    // 004:M32
    #[test]
    fn convex_functions_pass_and_the_sine_is_refuted_by_an_example() {
        let passes =
            |f: fn(f64) -> f64, lower| refute_convexity(f, lower, 5.0, 2000, 1).unwrap().is_none();
        assert!(passes(|x| x * x, -5.0) && passes(f64::exp, -5.0) && passes(|x| -x.ln(), 0.01));
        let example = refute_convexity(f64::sin, 0.0, 6.0, 2000, 1)
            .unwrap()
            .unwrap();
        let middle = example.weight * example.from + (1.0 - example.weight) * example.to;
        assert_eq!(example.value, middle.sin());
        assert!(example.value > example.chord);
        assert_eq!(refute_by_curvature(|_| 2.0, -1.0, 1.0, 50).unwrap(), None);
        let bent = refute_by_curvature(|x| -x.sin(), 0.0, 6.0, 50)
            .unwrap()
            .unwrap();
        assert!(bent.sin() > 0.0);
        assert!(refute_convexity(|x| x, 1.0, 1.0, 10, 0).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        // 004:M32 004:M33
        #[test]
        fn jensens_gap_is_not_negative_and_zero_where_all_agree(seed: u64, n in 1usize..6) {
            let draw = random_matrix(2, n, seed).mapv(f64::exp);
            let total = draw.row(0).sum();
            let weights: Vec<f64> = draw.row(0).iter().map(|w| w / total).collect();
            let points = draw.row(1).to_vec();
            prop_assert!(jensen_gap(f64::exp, &weights, &points).unwrap() >= -1e-12);
            prop_assert!(log_jensen_gap(&weights, &points).unwrap() >= -1e-12);
            prop_assert!(log_jensen_gap(&weights, &vec![points[0]; n]).unwrap().abs() < 1e-12);
        }

        // 004:M59
        #[test]
        fn the_trace_of_a_product_is_bounded_by_the_product_of_traces(seed: u64, n in 1usize..6) {
            let a = positive_definite(n, seed);
            let d = random_matrix(1, n, seed ^ 1).row(0).mapv(f64::abs);
            let gap = trace_bound_gap(d.view(), a.view()).unwrap();
            let product = Array2::from_diag(&d).dot(&a).diag().sum();
            prop_assert!(gap >= -1e-12);
            prop_assert!((gap - (d.sum() * a.diag().sum() - product)).abs() < 1e-9 * (1.0 + gap));
        }

        // 004:M56
        #[test]
        fn the_square_is_completed_and_parallel_sums_have_three_forms(seed: u64, n in 1usize..6) {
            let (a, b) = (positive_definite(n, seed), positive_definite(n, seed ^ 1));
            let vectors = random_matrix(2, n, seed ^ 2);
            let (x, linear) = (vectors.row(0).to_owned(), vectors.row(1).to_owned());
            let square = complete_the_square(a.view(), linear.view()).unwrap();
            let left = x.dot(&a.dot(&x)) - 2.0 * linear.dot(&x);
            let away = &x - &square.centre;
            let right = away.dot(&a.dot(&away)) + square.constant;
            prop_assert!((left - right).abs() < 1e-9 * (1.0 + left.abs()));
            let sum = parallel_sum(a.view(), b.view()).unwrap();
            assert_close(&sum, &parallel_sum(b.view(), a.view()).unwrap(), 1e-9);
            let direct = inverse_of((inverse_of(a.view()).unwrap() + inverse_of(b.view()).unwrap()).view()).unwrap();
            assert_close(&sum, &direct, 1e-9);
            // W_A = (A + B)⁻¹A = I − W_B.
            let total = Cholesky::new((&a + &b).view()).unwrap();
            let both = total.solve(a.view()) + total.solve(b.view());
            assert_close(&both, &Array2::eye(n), 1e-9);
        }
    }

    // 001:REC-11 002b:LA-04 002b:LA-02
    #[test]
    fn the_frobenius_norm_is_that_of_the_singular_values_and_the_root_of_a_trace() {
        for (rows, columns) in [(1, 1), (5, 3), (3, 7)] {
            let a = random_matrix(rows, columns, 4);
            let svd = didact_math::linalg::thin_svd(a.view()).unwrap();
            let norm = frobenius_norm(a.view());
            let values = svd
                .singular_values
                .iter()
                .map(|s| s * s)
                .sum::<f64>()
                .sqrt();
            assert!((norm - values).abs() < 1e-12 * norm);
            assert!((norm - a.t().dot(&a).diag().sum().sqrt()).abs() < 1e-12 * norm);
            // A = U·Σ·Vᵀ, any shape; the printed U·Σ·V has not even the right shape.
            let restored = (&svd.u * &svd.singular_values).dot(&svd.vt);
            assert_close(&restored, &a, 1e-12);
        }
        let huge = frobenius_norm(ndarray::array![[3e200, 4e200]].view());
        assert!((huge - 5e200).abs() < 1e-12 * 5e200);
        assert_eq!(frobenius_norm(Array2::zeros((2, 2)).view()), 0.0);
    }

    // 004:M59
    #[test]
    fn a_negative_diagonal_breaks_the_trace_bound_and_is_refused() {
        let a = Array2::from_diag(&ndarray::array![1.0, -2.0]);
        assert!(trace_bound_gap(ndarray::array![1.0, 1.0].view(), a.view()).is_err());
    }

    // 004:M21
    #[test]
    fn matrix_derivatives_agree_with_finite_differences() {
        let a = positive_definite(3, 5) + random_matrix(3, 3, 6).mapv(|v| 0.1 * v);
        let flat = a.iter().copied().collect::<Vec<f64>>();
        let shape = |values: &[f64]| Array2::from_shape_vec((3, 3), values.to_vec()).unwrap();
        // The determinant of a 3×3 matrix, written out.
        let determinant = |m: &Array2<f64>| {
            m[[0, 0]] * (m[[1, 1]] * m[[2, 2]] - m[[1, 2]] * m[[2, 1]])
                - m[[0, 1]] * (m[[1, 0]] * m[[2, 2]] - m[[1, 2]] * m[[2, 0]])
                + m[[0, 2]] * (m[[1, 0]] * m[[2, 1]] - m[[1, 1]] * m[[2, 0]])
        };
        let slope = finite_difference_gradient(|v| Ok(determinant(&shape(v)).ln()), &flat).unwrap();
        assert_close(
            &log_determinant_gradient(a.view()).unwrap(),
            &shape(&slope),
            1e-6,
        );
        let b = random_matrix(3, 3, 7);
        let trace = |v: &[f64]| Ok(shape(v).dot(&b).diag().sum());
        let slope = finite_difference_gradient(trace, &flat).unwrap();
        assert_close(&trace_product_gradient(b.view()), &shape(&slope), 1e-6);
        let change = random_matrix(3, 3, 8);
        let step = 1e-6;
        let moved = |sign: f64| inverse_of((&a + &(sign * step * &change)).view()).unwrap();
        let difference = (moved(1.0) - moved(-1.0)) / (2.0 * step);
        assert_close(
            &inverse_differential(a.view(), change.view()).unwrap(),
            &difference,
            1e-6,
        );
        assert!(log_determinant_gradient(Array2::zeros((2, 2)).view()).is_err());
    }

    // 003:P18
    #[test]
    fn leibniz_agrees_with_a_finite_difference_and_the_lower_limit_counts_negatively() {
        // ∫ exp(−x·t²) dt from sin x to x².
        let function = |x: f64, t: f64| (-x * t * t).exp();
        let partial = |x: f64, t: f64| -t * t * (-x * t * t).exp();
        let integral = |x: f64| integrate(&|t| function(x, t), x.sin(), x * x);
        let x = 1.3_f64;
        let lower = MovingLimit {
            value: x.sin(),
            derivative: x.cos(),
        };
        let upper = MovingLimit {
            value: x * x,
            derivative: 2.0 * x,
        };
        let slope = leibniz(function, partial, lower, upper, x);
        let step = 1e-4;
        let difference = (integral(x + step) - integral(x - step)) / (2.0 * step);
        assert!((slope - difference).abs() < 1e-6, "{slope} {difference}");
        // With the sign of the lower limit wrong the two are far apart.
        let wrong = slope + 2.0 * function(x, lower.value) * lower.derivative;
        assert!((wrong - difference).abs() > 0.1);
    }

    // 003:P18
    #[test]
    fn the_median_minimises_the_mean_distance() {
        // d/dc ∫|t − c|·dt over [0, 1] by the rule, split at c: 2c − 1, zero at the median ½.
        let slope = |c: f64| {
            let fixed = |value| MovingLimit {
                value,
                derivative: 0.0,
            };
            let moving = MovingLimit {
                value: c,
                derivative: 1.0,
            };
            leibniz(|c, t| c - t, |_, _| 1.0, fixed(0.0), moving, c)
                + leibniz(|c, t| t - c, |_, _| -1.0, moving, fixed(1.0), c)
        };
        assert!(slope(0.5).abs() < 1e-12 && (slope(0.8) - 0.6).abs() < 1e-12);
    }
}
