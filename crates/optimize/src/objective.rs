//! What can be minimised: functions with slopes, and functions with curvatures.

use didact_core::{Error, Result};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// What a closure may return as a value: a number, or a number that may be missing for a reason.
pub trait IntoValue {
    /// The value as a result.
    fn into_value(self) -> Result<f64>;
}

impl IntoValue for f64 {
    fn into_value(self) -> Result<f64> {
        Ok(self)
    }
}

impl IntoValue for Result<f64> {
    fn into_value(self) -> Result<f64> {
        self
    }
}

/// A function ℝⁿ → ℝ with a gradient.
///
/// A closure that writes the gradient and returns the value is an objective:
///
/// ```
/// use didact_optimize::{Lbfgs, Minimise};
/// use didact_core::Run;
/// let mut bowl = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * (x[0] - 3.0);
///     (x[0] - 3.0).powi(2)
/// };
/// let outcome = Lbfgs::default().minimise(&mut bowl, &[0.0], &Run::new())?;
/// assert!((outcome.x[0] - 3.0).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// A value that is infinite or NaN away from the start makes a line search retreat; at the start
/// it is an error. An error stops everything at once.
pub trait Objective {
    /// Writes the gradient at a point and returns the value there.
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64>;

    /// The value alone, where it is cheaper than value and gradient.
    fn value(&mut self, x: &[f64]) -> Result<f64> {
        self.evaluate(x, &mut vec![0.0; x.len()])
    }

    /// The step length t of least f(x + t·direction), where there is a formula for it.
    fn exact_step(&mut self, _x: &[f64], _direction: &[f64]) -> Result<Option<f64>> {
        Ok(None)
    }
}

impl<F, V> Objective for F
where
    F: FnMut(&[f64], &mut [f64]) -> V,
    V: IntoValue,
{
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self(x, gradient).into_value()
    }
}

/// An objective with second derivatives.
pub trait Curved: Objective {
    /// Writes the matrix of second derivatives at a point.
    fn hessian(&mut self, x: &[f64], hessian: &mut Array2<f64>) -> Result<()>;

    /// Writes the product of the Hessian and a vector, where that is cheaper than the Hessian.
    fn hessian_product(&mut self, x: &[f64], vector: &[f64], product: &mut [f64]) -> Result<()> {
        let mut hessian = Array2::zeros((x.len(), x.len()));
        self.hessian(x, &mut hessian)?;
        let result = hessian.dot(&ArrayView1::from(vector));
        product.copy_from_slice(&result.to_vec());
        Ok(())
    }
}

/// Two closures as one [`Curved`] objective: value with gradient, and Hessian.
///
/// ```
/// use didact_optimize::{Newton, WithHessian};
/// use didact_core::Run;
/// use ndarray::Array2;
/// // eˣ − 2x, least at ln 2.
/// let mut curve = WithHessian::new(
///     |x: &[f64], gradient: &mut [f64]| {
///         gradient[0] = x[0].exp() - 2.0;
///         x[0].exp() - 2.0 * x[0]
///     },
///     |x: &[f64], hessian: &mut Array2<f64>| hessian[[0, 0]] = x[0].exp(),
/// );
/// let outcome = Newton::default().minimise(&mut curve, &[0.0], &Run::new())?;
/// assert!((outcome.x[0] - 2.0_f64.ln()).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WithHessian<F, H> {
    function: F,
    hessian: H,
}

impl<F, H> WithHessian<F, H>
where
    F: Objective,
    H: FnMut(&[f64], &mut Array2<f64>),
{
    /// Joins an objective and a closure that writes its Hessian.
    pub fn new(function: F, hessian: H) -> Self {
        WithHessian { function, hessian }
    }
}

impl<F: Objective, H> Objective for WithHessian<F, H> {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.function.evaluate(x, gradient)
    }

    fn value(&mut self, x: &[f64]) -> Result<f64> {
        self.function.value(x)
    }

    fn exact_step(&mut self, x: &[f64], direction: &[f64]) -> Result<Option<f64>> {
        self.function.exact_step(x, direction)
    }
}

impl<F, H> Curved for WithHessian<F, H>
where
    F: Objective,
    H: FnMut(&[f64], &mut Array2<f64>),
{
    fn hessian(&mut self, x: &[f64], hessian: &mut Array2<f64>) -> Result<()> {
        (self.hessian)(x, hessian);
        Ok(())
    }
}

/// The quadratic ½xᵀHx − dᵀx with symmetric H.
///
/// ```
/// use didact_optimize::{Objective, Quadratic};
/// use ndarray::array;
/// let mut quadratic = Quadratic::new(array![[2.0, 0.0], [0.0, 4.0]], array![2.0, 4.0])?;
/// // Least at (1, 1), where it is ½(2 + 4) − 6.
/// assert_eq!(quadratic.value(&[1.0, 1.0])?, -3.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    hessian: Array2<f64>,
    linear: Array1<f64>,
}

impl Quadratic {
    /// The quadratic ½xᵀHx − dᵀx; an error unless H is symmetric and of the size of d.
    pub fn new(hessian: Array2<f64>, linear: Array1<f64>) -> Result<Self> {
        check_symmetric("hessian", hessian.view())?;
        if hessian.nrows() != linear.len() {
            return Err(Error::parameter(
                "linear",
                format!("of length {}", linear.len()),
                format!(
                    "it must have as many values as the hessian has rows, {}",
                    hessian.nrows()
                ),
            ));
        }
        check_finite("linear", linear.iter().copied())?;
        Ok(Quadratic { hessian, linear })
    }

    /// The matrix H.
    pub fn matrix(&self) -> ArrayView2<'_, f64> {
        self.hessian.view()
    }

    /// The vector d.
    pub fn linear(&self) -> ArrayView1<'_, f64> {
        self.linear.view()
    }
}

impl Objective for Quadratic {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let x = ArrayView1::from(x);
        let product = self.hessian.dot(&x);
        for i in 0..gradient.len() {
            gradient[i] = product[i] - self.linear[i];
        }
        Ok(0.5 * x.dot(&product) - self.linear.dot(&x))
    }

    fn exact_step(&mut self, x: &[f64], direction: &[f64]) -> Result<Option<f64>> {
        let (x, direction) = (ArrayView1::from(x), ArrayView1::from(direction));
        let bent = self.hessian.dot(&direction);
        let curvature = direction.dot(&bent);
        // −(Hx − d)·p / pᵀHp; where the line has no bottom there is no step.
        let slope = x.dot(&bent) - self.linear.dot(&direction);
        Ok((curvature > 0.0).then(|| -slope / curvature))
    }
}

impl Curved for Quadratic {
    fn hessian(&mut self, _x: &[f64], hessian: &mut Array2<f64>) -> Result<()> {
        hessian.assign(&self.hessian);
        Ok(())
    }

    fn hessian_product(&mut self, _x: &[f64], vector: &[f64], product: &mut [f64]) -> Result<()> {
        let result = self.hessian.dot(&ArrayView1::from(vector));
        product
            .iter_mut()
            .zip(&result)
            .for_each(|(to, from)| *to = *from);
        Ok(())
    }
}

/// Fails with the name of the parameter unless every value is a finite number.
pub(crate) fn check_finite(name: &str, values: impl IntoIterator<Item = f64>) -> Result<()> {
    match values.into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(Error::parameter(
            name,
            value,
            "every value must be a finite number",
        )),
        None => Ok(()),
    }
}

/// Fails with the name of the parameter unless the matrix is square, finite and symmetric.
pub(crate) fn check_symmetric(name: &str, matrix: ArrayView2<'_, f64>) -> Result<()> {
    if !matrix.is_square() {
        let shape = format!("a {}×{} matrix", matrix.nrows(), matrix.ncols());
        return Err(Error::parameter(name, shape, "it must be square"));
    }
    check_finite(name, matrix.iter().copied())?;
    let scale = matrix
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    for i in 0..matrix.nrows() {
        for j in 0..i {
            let difference = (matrix[[i, j]] - matrix[[j, i]]).abs();
            if difference > 1e-10 * scale {
                return Err(Error::parameter(
                    name,
                    format!(
                        "{} at ({i}, {j}) but {} at ({j}, {i})",
                        matrix[[i, j]],
                        matrix[[j, i]]
                    ),
                    "it must be symmetric",
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_quadratic_is_refused_unless_symmetric_finite_and_of_one_size() {
        let message = |hessian, linear| Quadratic::new(hessian, linear).unwrap_err().to_string();
        assert!(message(array![[1.0, 2.0]], array![1.0]).contains("hessian is a 1×2 matrix"));
        assert!(message(array![[1.0, 2.0], [0.0, 1.0]], array![1.0, 1.0]).contains("symmetric"));
        assert!(message(array![[f64::NAN]], array![1.0]).contains("hessian is NaN"));
        assert!(message(array![[1.0]], array![1.0, 2.0]).contains("linear is of length 2"));
    }

    #[test]
    fn the_exact_step_ends_where_the_slope_along_the_line_is_zero() {
        let mut quadratic =
            Quadratic::new(array![[3.0, 1.0], [1.0, 2.0]], array![1.0, -1.0]).unwrap();
        let (x, direction) = ([0.5, 2.0], [-1.0, 0.25]);
        let step = quadratic.exact_step(&x, &direction).unwrap().unwrap();
        let end = [x[0] + step * direction[0], x[1] + step * direction[1]];
        let mut gradient = [0.0; 2];
        quadratic.evaluate(&end, &mut gradient).unwrap();
        assert!((gradient[0] * direction[0] + gradient[1] * direction[1]).abs() < 1e-12);
        let mut flat = Quadratic::new(array![[0.0]], array![1.0]).unwrap();
        assert_eq!(flat.exact_step(&[0.0], &[1.0]).unwrap(), None);
    }
}
