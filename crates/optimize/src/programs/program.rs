//! Quadratic programs in standard form.

use crate::KktReport;
use crate::Multipliers;
use crate::objective::{check_finite, check_symmetric};
use didact_core::{Error, Result};
use didact_math::linalg::symmetric_eigen;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// min ½xᵀHx − dᵀx where A·x ≤ b and C·x = e, with H symmetric and positive semidefinite.
///
/// The linear term is −d. A linear program is one with H = 0.
///
/// ```
/// use didact_optimize::{ActiveSet, QuadraticProgram};
/// use didact_core::Run;
/// use ndarray::array;
/// // The point of x + y ≤ 1 nearest to (1, 1).
/// let program = QuadraticProgram::new(array![[1.0, 0.0], [0.0, 1.0]], array![1.0, 1.0])?
///     .inequalities(array![[1.0, 1.0]], array![1.0])?;
/// let solution = ActiveSet::default().solve(&program, &Run::new())?.optimal()?;
/// assert!((solution.x[0] - 0.5).abs() < 1e-12);
/// assert!((solution.multipliers.inequality[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticProgram {
    pub(super) hessian: Array2<f64>,
    pub(super) linear: Array1<f64>,
    pub(super) inequality_matrix: Array2<f64>,
    pub(super) inequality_bound: Array1<f64>,
    pub(super) equality_matrix: Array2<f64>,
    pub(super) equality_target: Array1<f64>,
}

impl QuadraticProgram {
    /// min ½xᵀHx − dᵀx without constraints; an error unless H is symmetric and no curvature is
    /// negative.
    pub fn new(hessian: Array2<f64>, linear: Array1<f64>) -> Result<Self> {
        check_symmetric("hessian", hessian.view())?;
        check_finite("linear", linear.iter().copied())?;
        let n = hessian.nrows();
        if n == 0 || linear.len() != n {
            return Err(Error::parameter(
                "linear",
                format!("of length {}", linear.len()),
                format!("it must have as many values as the hessian has rows, {n}, at least one"),
            ));
        }
        let values = symmetric_eigen(hessian.view())?.values;
        let (largest, least) = (values[0], values[n - 1]);
        if least < -1e-10 * largest.abs().max(least.abs()).max(f64::MIN_POSITIVE) {
            return Err(Error::parameter(
                "hessian",
                format!("indefinite, with the eigenvalue {least}"),
                "it must be positive semidefinite for the problem to be convex",
            ));
        }
        Ok(QuadraticProgram {
            hessian,
            linear,
            inequality_matrix: Array2::zeros((0, n)),
            inequality_bound: Array1::zeros(0),
            equality_matrix: Array2::zeros((0, n)),
            equality_target: Array1::zeros(0),
        })
    }

    /// The linear program min cᵀx without constraints.
    pub fn linear_program(cost: Array1<f64>) -> Result<Self> {
        QuadraticProgram::new(Array2::zeros((cost.len(), cost.len())), -cost)
    }

    /// Adds the constraints A·x ≤ b.
    pub fn inequalities(mut self, matrix: Array2<f64>, bound: Array1<f64>) -> Result<Self> {
        self.check_rows("inequality", matrix.view(), bound.view())?;
        self.inequality_matrix = stack(&self.inequality_matrix, &matrix);
        self.inequality_bound = join(&self.inequality_bound, &bound);
        Ok(self)
    }

    /// Adds the constraints C·x = e.
    pub fn equalities(mut self, matrix: Array2<f64>, target: Array1<f64>) -> Result<Self> {
        self.check_rows("equality", matrix.view(), target.view())?;
        self.equality_matrix = stack(&self.equality_matrix, &matrix);
        self.equality_target = join(&self.equality_target, &target);
        Ok(self)
    }

    /// Adds lower ≤ x ≤ upper as inequalities, the lower ones first; infinite bounds are left out.
    pub fn bounds(self, lower: &[f64], upper: &[f64]) -> Result<Self> {
        let n = self.linear.len();
        for (name, bounds) in [("lower", lower), ("upper", upper)] {
            if bounds.len() != n || bounds.iter().any(|bound| bound.is_nan()) {
                return Err(Error::parameter(
                    name,
                    format!("{bounds:?}"),
                    format!("there must be {n} numbers"),
                ));
            }
        }
        let finite = |bounds: &[f64], sign: f64| {
            let kept: Vec<(usize, f64)> = bounds
                .iter()
                .enumerate()
                .filter(|(_, bound)| bound.is_finite())
                .map(|(i, bound)| (i, sign * bound))
                .collect();
            let mut matrix = Array2::zeros((kept.len(), n));
            kept.iter()
                .enumerate()
                .for_each(|(row, &(i, _))| matrix[[row, i]] = sign);
            (
                matrix,
                kept.iter()
                    .map(|(_, bound)| *bound)
                    .collect::<Array1<f64>>(),
            )
        };
        let (low, low_bound) = finite(lower, -1.0);
        let (high, high_bound) = finite(upper, 1.0);
        self.inequalities(low, low_bound)?
            .inequalities(high, high_bound)
    }

    fn check_rows(
        &self,
        kind: &str,
        matrix: ArrayView2<'_, f64>,
        right: ArrayView1<'_, f64>,
    ) -> Result<()> {
        let n = self.linear.len();
        if matrix.ncols() != n {
            return Err(Error::parameter(
                format!("{kind}_matrix"),
                format!("of {} columns", matrix.ncols()),
                format!("it must have one for each of the {n} variables"),
            ));
        }
        if matrix.nrows() != right.len() {
            return Err(Error::parameter(
                format!("{kind} right-hand side"),
                format!("of length {}", right.len()),
                format!(
                    "it must have a value for each of the {} rows",
                    matrix.nrows()
                ),
            ));
        }
        check_finite(&format!("{kind}_matrix"), matrix.iter().copied())?;
        check_finite(&format!("{kind} right-hand side"), right.iter().copied())
    }

    /// Number of variables.
    pub fn dimension(&self) -> usize {
        self.linear.len()
    }

    /// Numbers of equalities and inequalities.
    pub fn n_constraints(&self) -> (usize, usize) {
        (self.equality_target.len(), self.inequality_bound.len())
    }

    /// ½xᵀHx − dᵀx.
    pub fn value(&self, x: &[f64]) -> f64 {
        let x = ArrayView1::from(x);
        0.5 * x.dot(&self.hessian.dot(&x)) - self.linear.dot(&x)
    }

    /// Hx − d.
    pub fn gradient(&self, x: &[f64]) -> Array1<f64> {
        self.hessian.dot(&ArrayView1::from(x)) - &self.linear
    }

    /// How far x with these multipliers fails the four conditions.
    pub fn kkt(&self, x: &[f64], multipliers: &Multipliers) -> KktReport {
        let view = ArrayView1::from(x);
        let equalities = self.equality_matrix.dot(&view) - &self.equality_target;
        let inequalities = self.inequality_matrix.dot(&view) - &self.inequality_bound;
        KktReport::new(
            self.gradient(x).view(),
            (&equalities.to_vec(), self.equality_matrix.view()),
            (&inequalities.to_vec(), self.inequality_matrix.view()),
            &multipliers.equality,
            &multipliers.inequality,
        )
    }

    /// The largest amount by which x fails a constraint.
    pub(super) fn violation(&self, x: &[f64]) -> f64 {
        let view = ArrayView1::from(x);
        let equalities = self.equality_matrix.dot(&view) - &self.equality_target;
        let inequalities = self.inequality_matrix.dot(&view) - &self.inequality_bound;
        let worst = equalities.iter().fold(0.0_f64, |most, h| most.max(h.abs()));
        inequalities.iter().fold(worst, |most, g| most.max(*g))
    }

    /// The size of the numbers in the constraints, at least one.
    pub(super) fn scale(&self) -> f64 {
        let numbers = self.inequality_bound.iter().chain(&self.equality_target);
        numbers.fold(1.0_f64, |most, value| most.max(value.abs()))
    }
}

fn stack(above: &Array2<f64>, below: &Array2<f64>) -> Array2<f64> {
    let (rows, columns) = above.dim();
    Array2::from_shape_fn((rows + below.nrows(), columns), |(i, j)| match i < rows {
        true => above[[i, j]],
        false => below[[i - rows, j]],
    })
}

fn join(above: &Array1<f64>, below: &Array1<f64>) -> Array1<f64> {
    above.iter().chain(below).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    // 000b:Q04
    #[test]
    fn an_indefinite_hessian_and_rows_that_do_not_fit_are_named() {
        let indefinite = QuadraticProgram::new(array![[1.0, 2.0], [2.0, 1.0]], array![0.0, 0.0]);
        let message = indefinite.unwrap_err().to_string();
        assert!(
            message.contains("hessian is indefinite") && message.contains("-1"),
            "{message}"
        );
        let plain = || QuadraticProgram::new(array![[1.0]], array![0.0]).unwrap();
        let columns = plain()
            .inequalities(array![[1.0, 2.0]], array![1.0])
            .unwrap_err()
            .to_string();
        assert!(
            columns.contains("inequality_matrix is of 2 columns"),
            "{columns}"
        );
        let rows = plain()
            .equalities(array![[1.0]], array![1.0, 2.0])
            .unwrap_err()
            .to_string();
        assert!(
            rows.contains("equality right-hand side is of length 2"),
            "{rows}"
        );
        assert!(plain().equalities(array![[f64::NAN]], array![1.0]).is_err());
        assert!(plain().bounds(&[0.0], &[f64::NAN]).is_err());
    }

    #[test]
    fn infinite_bounds_are_left_out() {
        let program = QuadraticProgram::new(Array2::eye(2), array![0.0, 0.0])
            .unwrap()
            .bounds(&[0.0, f64::NEG_INFINITY], &[1.0, 2.0])
            .unwrap();
        assert_eq!(
            program.inequality_matrix,
            array![[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
        );
        assert_eq!(program.inequality_bound, array![0.0, 1.0, 2.0]);
    }
}
