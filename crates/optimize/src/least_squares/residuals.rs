//! Vector-valued functions with a Jacobian.

use crate::{Curved, Objective};
use didact_core::Result;
use didact_math::linalg::at_times_b;
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView1};

/// A function F: ℝⁿ → ℝᵐ with its Jacobian Jᵢⱼ = ∂Fᵢ/∂xⱼ.
pub trait Residuals {
    /// The number m of values.
    fn len(&self) -> usize;

    /// Whether there are no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes F(x).
    fn residuals(&mut self, x: &[f64], values: &mut [f64]) -> Result<()>;

    /// Writes J(x), m×n.
    fn jacobian(&mut self, x: &[f64], jacobian: &mut Array2<f64>) -> Result<()>;
}

/// Two closures as [`Residuals`]; see [`residuals`].
#[derive(Clone, Debug)]
pub struct ResidualClosures<F, J> {
    len: usize,
    function: F,
    jacobian: J,
}

/// Makes [`Residuals`] of m values from two closures, one that writes the values and one that
/// writes the Jacobian.
pub fn residuals<F, J>(m: usize, function: F, jacobian: J) -> ResidualClosures<F, J>
where
    F: FnMut(&[f64], &mut [f64]),
    J: FnMut(&[f64], &mut Array2<f64>),
{
    ResidualClosures {
        len: m,
        function,
        jacobian,
    }
}

impl<F, J> Residuals for ResidualClosures<F, J>
where
    F: FnMut(&[f64], &mut [f64]),
    J: FnMut(&[f64], &mut Array2<f64>),
{
    fn len(&self) -> usize {
        self.len
    }

    fn residuals(&mut self, x: &[f64], values: &mut [f64]) -> Result<()> {
        (self.function)(x, values);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], jacobian: &mut Array2<f64>) -> Result<()> {
        (self.jacobian)(x, jacobian);
        Ok(())
    }
}

/// ½‖F(x)‖² as an objective for any method: its gradient is JᵀF, and JᵀJ stands for its Hessian.
///
/// The common frame of a model f with derivatives: Gauss–Newton uses F and J, gradient descent
/// uses JᵀF.
pub struct SumOfSquares<'a> {
    residuals: &'a mut dyn Residuals,
    values: Vec<f64>,
    jacobian: Array2<f64>,
}

impl<'a> SumOfSquares<'a> {
    /// The objective of n variables.
    pub fn new(residuals: &'a mut dyn Residuals, n: usize) -> Self {
        let m = residuals.len();
        SumOfSquares {
            residuals,
            values: vec![0.0; m],
            jacobian: Array2::zeros((m, n)),
        }
    }
}

impl Objective for SumOfSquares<'_> {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.residuals.residuals(x, &mut self.values)?;
        self.residuals.jacobian(x, &mut self.jacobian)?;
        let slope = self.jacobian.t().dot(&ArrayView1::from(&self.values));
        gradient
            .iter_mut()
            .zip(&slope)
            .for_each(|(to, from)| *to = *from);
        Ok(0.5 * dot(&self.values, &self.values))
    }

    fn value(&mut self, x: &[f64]) -> Result<f64> {
        self.residuals.residuals(x, &mut self.values)?;
        Ok(0.5 * dot(&self.values, &self.values))
    }
}

impl Curved for SumOfSquares<'_> {
    /// JᵀJ: the term with second derivatives of F is left out.
    fn hessian(&mut self, x: &[f64], hessian: &mut Array2<f64>) -> Result<()> {
        self.residuals.jacobian(x, &mut self.jacobian)?;
        hessian.assign(&at_times_b(self.jacobian.view(), self.jacobian.view()));
        Ok(())
    }
}
