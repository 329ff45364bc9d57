//! Linear systems and least squares by conjugate gradients.

use crate::Stop;
use crate::outcome::{add_scaled, norm};
use didact_core::{Error, Result, Run, Trace, TraceWriter, parameters};
use didact_math::numeric::dot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A matrix that is known by its products alone.
pub trait LinearOperator {
    /// Numbers of rows and columns.
    fn shape(&self) -> (usize, usize);

    /// Writes A·x.
    fn apply(&self, x: &[f64], product: &mut [f64]);

    /// Writes Aᵀ·y.
    fn apply_transposed(&self, y: &[f64], product: &mut [f64]);
}

impl LinearOperator for ndarray::ArrayView2<'_, f64> {
    fn shape(&self) -> (usize, usize) {
        self.dim()
    }

    fn apply(&self, x: &[f64], product: &mut [f64]) {
        let result = self.dot(&ndarray::ArrayView1::from(x));
        product
            .iter_mut()
            .zip(&result)
            .for_each(|(to, from)| *to = *from);
    }

    fn apply_transposed(&self, y: &[f64], product: &mut [f64]) {
        let result = self.t().dot(&ndarray::ArrayView1::from(y));
        product
            .iter_mut()
            .zip(&result)
            .for_each(|(to, from)| *to = *from);
    }
}

/// The solution of a linear problem by conjugate gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearSolution {
    /// The solution.
    pub x: Vec<f64>,
    /// ‖b − A·x‖ of a system, ‖Aᵀ(b − A·x)‖ of least squares.
    pub residual: f64,
    /// Why the method stopped.
    pub stop: Stop,
    /// The residual after each step.
    pub trace: Trace,
}

/// Conjugate gradients for A·x = b with A symmetric and positive definite, and for min ‖A·x − b‖
/// with any A. Exact after as many steps as there are columns, but for rounding.
///
/// ```
/// use didact_optimize::LinearConjugateGradient;
/// use didact_core::Run;
/// use ndarray::array;
/// let a = array![[4.0, 1.0], [1.0, 3.0]];
/// let solution = LinearConjugateGradient::default().solve(&a.view(), &[1.0, 2.0], &Run::new())?;
/// assert!((solution.x[0] - 1.0 / 11.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinearConjugateGradient {
    /// Converged when the residual is at most this share of what it is at x = 0.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
    /// At most this many steps; ten times the number of columns where it is not given.
    pub max_iter: Option<usize>,
}

impl Default for LinearConjugateGradient {
    fn default() -> Self {
        LinearConjugateGradient {
            tolerance: 1e-12,
            max_iter: None,
        }
    }
}

impl LinearConjugateGradient {
    /// Solves A·x = b for a symmetric positive definite A.
    pub fn solve(&self, a: &dyn LinearOperator, b: &[f64], run: &Run) -> Result<LinearSolution> {
        let (rows, columns) = a.shape();
        if rows != columns {
            let shape = format!("{rows}×{columns}");
            return Err(Error::parameter(
                "a",
                shape,
                "it must be square; use least_squares",
            ));
        }
        check_length(rows, b)?;
        let problem = Problem {
            a,
            image: vec![0.0; rows],
            error: None,
        };
        self.iterate(problem, b, b.to_vec(), run)
    }

    /// Minimises ‖A·x − b‖: the steepest descent direction g = Aᵀ(b − A·x) is made conjugate,
    /// h ← g + (‖g′‖²/‖g‖²)·h, and followed by λ = (g·h)/‖A·h‖².
    ///
    /// Among several solutions the shortest is found.
    pub fn least_squares(
        &self,
        a: &dyn LinearOperator,
        b: &[f64],
        run: &Run,
    ) -> Result<LinearSolution> {
        let (rows, columns) = a.shape();
        check_length(rows, b)?;
        let mut g = vec![0.0; columns];
        a.apply_transposed(b, &mut g);
        let problem = Problem {
            a,
            image: vec![0.0; rows],
            error: Some(b.to_vec()),
        };
        self.iterate(problem, b, g, run)
    }

    fn iterate(
        &self,
        mut problem: Problem<'_>,
        b: &[f64],
        mut g: Vec<f64>,
        run: &Run,
    ) -> Result<LinearSolution> {
        parameters::check(self)?;
        crate::objective::check_finite("b", b.iter().copied())?;
        let columns = g.len();
        let limit = self.max_iter.unwrap_or(10 * columns.max(1));
        let mut trace = TraceWriter::new(run, "residual", Some(limit));
        let mut x = vec![0.0; columns];
        let mut h = g.clone();
        let mut squared = dot(&g, &g);
        let goal = self.tolerance * norm(&g);
        let stop = loop {
            if squared.sqrt() <= goal {
                break Stop::Gradient;
            }
            if trace.n_iter() == limit {
                break Stop::IterationLimit;
            }
            let curvature = problem.curvature(&h)?;
            if curvature == 0.0 {
                break Stop::Stalled;
            }
            let step = squared / curvature;
            add_scaled(&mut x, step, &h);
            problem.refresh(step, &mut g);
            let before = std::mem::replace(&mut squared, dot(&g, &g));
            trace.record(squared.sqrt())?;
            for i in 0..columns {
                h[i] = g[i] + squared / before * h[i];
            }
        };
        Ok(LinearSolution {
            x,
            residual: norm(&g),
            stop,
            trace: trace.finish(stop.into()),
        })
    }
}

/// A system or a problem of least squares, at some point of the iteration.
struct Problem<'a> {
    a: &'a dyn LinearOperator,
    /// A·h for the last direction h.
    image: Vec<f64>,
    /// b − A·x of least squares, carried along: its product with Aᵀ is more accurate than one
    /// with AᵀA.
    error: Option<Vec<f64>>,
}

impl Problem<'_> {
    /// The curvature of the objective along h.
    fn curvature(&mut self, h: &[f64]) -> Result<f64> {
        self.a.apply(h, &mut self.image);
        let is_system = self.error.is_none();
        let curvature = if is_system {
            dot(h, &self.image)
        } else {
            dot(&self.image, &self.image)
        };
        if !curvature.is_finite() {
            return Err(Error::numerical("a has a product that is not finite"));
        }
        if is_system && curvature <= 0.0 {
            return Err(Error::parameter(
                "a",
                format!("of curvature {curvature:e} along a direction"),
                "it must be symmetric and positive definite",
            ));
        }
        Ok(curvature)
    }

    /// Writes the residual after a step along the last direction.
    fn refresh(&mut self, step: f64, g: &mut [f64]) {
        match &mut self.error {
            None => add_scaled(g, -step, &self.image),
            Some(error) => {
                add_scaled(error, -step, &self.image);
                self.a.apply_transposed(error, g);
            }
        }
    }
}

fn check_length(rows: usize, b: &[f64]) -> Result<()> {
    match b.len() == rows {
        true => Ok(()),
        false => Err(Error::parameter(
            "b",
            format!("of length {}", b.len()),
            format!("it must have a value for each of the {rows} rows"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_math::linalg::{Cholesky, pseudo_solve};
    use didact_testing::random_matrix;
    use ndarray::{Array1, Array2, Axis, array};

    // 002b:ES-05
    #[test]
    fn least_squares_are_exact_in_as_many_steps_as_columns() {
        let a = random_matrix(7, 3, 1);
        let b = random_matrix(7, 1, 2).column(0).to_vec();
        let method = LinearConjugateGradient {
            max_iter: Some(3),
            tolerance: 0.0,
        };
        let solution = method.least_squares(&a.view(), &b, &Run::new()).unwrap();
        assert!(solution.residual < 1e-12, "{}", solution.residual);
        let right = Array1::from(b).insert_axis(Axis(1));
        let exact = pseudo_solve(a.view(), right.view(), None).unwrap().solution;
        for (found, expected) in solution.x.iter().zip(exact.column(0)) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    // 002b:ES-05
    #[test]
    fn the_first_step_is_the_published_multiple_of_the_gradient() {
        // λ₁ = ‖g₀‖²/‖Ag₀‖², and the printed formula omits the vector g₀ after the fraction.
        let (a, b) = (array![[2.0, 0.0], [1.0, 1.0]], [1.0, 2.0]);
        let g = a.t().dot(&array![1.0, 2.0]);
        let image = a.dot(&g);
        let expected = &g * (g.dot(&g) / image.dot(&image));
        let method = LinearConjugateGradient {
            max_iter: Some(1),
            ..Default::default()
        };
        let solution = method.least_squares(&a.view(), &b, &Run::new()).unwrap();
        for (found, expected) in solution.x.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn systems_agree_with_cholesky() {
        let root = random_matrix(9, 12, 3);
        let a = root.dot(&root.t());
        let b = Array1::ones(9);
        let expected = Cholesky::new(a.view()).unwrap().solve_vector(b.view());
        let solution = LinearConjugateGradient::default()
            .solve(&a.view(), b.as_slice().unwrap(), &Run::new())
            .unwrap();
        for (found, expected) in solution.x.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0));
        }
    }

    #[test]
    fn matrices_that_do_not_fit_are_named() {
        let run = Run::new();
        let method = LinearConjugateGradient::default();
        let error = method.solve(&array![[1.0, 0.0], [0.0, -1.0]].view(), &[1.0, 1.0], &run);
        assert!(error.unwrap_err().to_string().contains("positive definite"));
        let error = method.solve(&Array2::zeros((2, 3)).view(), &[1.0, 1.0], &run);
        assert!(error.unwrap_err().to_string().contains("a is 2×3"));
        let error = method.least_squares(&Array2::zeros((2, 3)).view(), &[1.0], &run);
        assert!(error.unwrap_err().to_string().contains("b is of length 1"));
        let zero = method
            .solve(&Array2::eye(2).view(), &[0.0, 0.0], &run)
            .unwrap();
        assert_eq!(zero.x, [0.0, 0.0]);
    }

    #[test]
    fn of_many_solutions_the_shortest_is_found() {
        let a = array![[1.0, 1.0, 1.0]];
        let solution = LinearConjugateGradient::default()
            .least_squares(&a.view(), &[3.0], &Run::new())
            .unwrap();
        assert!(solution.x.iter().all(|x| (x - 1.0).abs() < 1e-12));
    }
}
