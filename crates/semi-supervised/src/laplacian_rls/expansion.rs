//! The linear system of least squares that is smooth on a graph.

use didact_core::{Error, Result, Rows, Run};
use didact_math::linalg::{Lu, rows_times};
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// A smaller system is solved in some milliseconds, and nobody waits long enough to give up.
const LARGE: usize = 400;

/// Least squares that is smooth on a graph and short in the space of a kernel.
///
/// For f = K·a it minimises fᵀLf + (λ₁/2)·aᵀKa + (λ₂/2)·Σ(f − y)², the sum over the rows whose target
/// is known: (2LK + λ₁I + λ₂JK)·a = λ₂Jy, with J one on the diagonal of those rows. The factor two is
/// there because fᵀLf is not halved. With the identity in place of K this is the problem on the
/// graph alone, where aᵀKa is ‖f‖².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothExpansion {
    /// The price λ₁ of the squared norm of the function.
    pub norm_weight: f64,
    /// The price λ₂ of the squared errors at the known targets.
    pub label_weight: f64,
}

impl SmoothExpansion {
    /// The coefficients a, a column for each column of `targets`; only the targets of the rows
    /// that `is_known` are read. Without a kernel matrix, the values f of the function itself.
    ///
    /// ```
    /// use didact_core::{Csr, Rows, Run};
    /// use didact_semi_supervised::SmoothExpansion;
    /// use ndarray::array;
    /// let path = Csr::from_rows(&[vec![(1, 1.0)], vec![(0, 1.0), (2, 1.0)], vec![(1, 1.0)]], 3)?;
    /// let problem = SmoothExpansion { norm_weight: 1.0, label_weight: 2.0 };
    /// let targets = array![[1.0], [0.0], [0.0]];
    /// let known = [true, false, true];
    /// let f = problem.solve(Rows::Sparse(path.view()), None, targets.view(), &known, &Run::new())?;
    /// assert!((f[[1, 0]] - 4.0 / 17.0).abs() < 1e-15);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    ///
    /// # Panics
    /// When graph, kernel matrix, targets and `is_known` are of different sizes.
    pub fn solve(
        &self,
        graph: Rows<'_>,
        gram: Option<ArrayView2<'_, f64>>,
        targets: ArrayView2<'_, f64>,
        is_known: &[bool],
        run: &Run,
    ) -> Result<Array2<f64>> {
        let n = graph.n_rows();
        let identity;
        let gram = match gram {
            Some(gram) => gram,
            None => {
                identity = Array2::eye(n);
                identity.view()
            }
        };
        let mut system = rows_times(graph, gram, run)?;
        let degrees = rows_times(graph, Array2::ones((n, 1)).view(), run)?;
        let known: Array1<f64> = is_known.iter().map(|&known| f64::from(known)).collect();
        for (i, (mut row, own)) in system.rows_mut().into_iter().zip(gram.rows()).enumerate() {
            // 2(D − S)K + λ₂JK, row by row; loops are in D and in S.
            let factor = 2.0 * degrees[[i, 0]] + self.label_weight * known[i];
            row.zip_mut_with(&own, |value, own| *value = factor * own - 2.0 * *value);
            row[i] += self.norm_weight;
        }
        let right = &targets * &known.insert_axis(Axis(1)) * self.label_weight;
        let solve = move || Lu::new(system.view()).map(|lu| lu.solve(right.view()));
        let found = match n < LARGE {
            true => solve(),
            false => run.apart(solve)?,
        };
        match found {
            Ok(found) if found.iter().all(|value| value.is_finite()) => Ok(found),
            Err(Error::Cancelled) => Err(Error::Cancelled),
            _ => Err(Error::numerical(
                "the system of the rows has no reliable solution; raise norm_weight, bring the \
                 columns to one scale or choose a kernel that is positive definite",
            )),
        }
    }
}
