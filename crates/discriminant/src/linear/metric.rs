//! The metric in which a covariance is round, without its inverse.

use didact_core::Result;
use didact_math::linalg::{Cholesky, a_times_bt, matmul, symmetric_eigen, thin_svd};
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// Applies the inverse of a covariance, or the pseudo-inverse where there is none.
pub(crate) enum Metric {
    /// The covariance is LLᵀ.
    Factor(Cholesky),
    /// Columns w with Wᵀ·S·W = I that span the directions in which rows vary.
    Whitening(Array2<f64>),
}

impl Metric {
    /// A factor where the covariance is positive definite, else a whitening of its range.
    pub(crate) fn of(covariance: &Array2<f64>, tol: f64) -> Result<Self> {
        match Cholesky::new(covariance.view()) {
            Ok(factor) => Ok(Metric::Factor(factor)),
            Err(_) => Metric::whiten(covariance, tol),
        }
    }

    /// W of a covariance whose columns are brought to one scale first, so that `tol` is a share
    /// of a column's own deviation.
    pub(crate) fn whiten(covariance: &Array2<f64>, tol: f64) -> Result<Self> {
        let deviations = deviations(covariance.diag().iter().copied());
        let scaled = Array2::from_shape_fn(covariance.dim(), |(i, j)| {
            covariance[[i, j]] / deviations[i] / deviations[j]
        });
        let eigen = symmetric_eigen(scaled.view())?;
        let lengths = eigen.values.mapv(|value| value.max(0.0).sqrt());
        Ok(Metric::spanned(
            eigen.vectors.t(),
            &lengths,
            &deviations,
            tol,
        ))
    }

    /// The same from rows whose products are the covariance, for more columns than rows.
    pub(crate) fn whiten_rows(root: &Array2<f64>, tol: f64) -> Result<Self> {
        let squares = root.columns().into_iter().map(|column| column.dot(&column));
        let deviations = deviations(squares);
        let svd = thin_svd((root / &deviations).view())?;
        let lengths = svd.singular_values;
        Ok(Metric::spanned(svd.vt.view(), &lengths, &deviations, tol))
    }

    /// Columns v/(σ·length) for the directions v, one per row, that are longer than `tol`.
    fn spanned(
        directions: ArrayView2<'_, f64>,
        lengths: &Array1<f64>,
        deviations: &Array1<f64>,
        tol: f64,
    ) -> Self {
        let kept: Vec<usize> = (0..lengths.len()).filter(|&i| lengths[i] > tol).collect();
        if kept.is_empty() {
            // Nothing varies within the classes, so no direction is better than another.
            return Metric::Whitening(Array2::eye(deviations.len()));
        }
        let mut columns = directions.select(Axis(0), &kept);
        for (mut column, &place) in columns.rows_mut().into_iter().zip(&kept) {
            column /= lengths[place];
            column /= deviations;
        }
        Metric::Whitening(columns.reversed_axes().as_standard_layout().into_owned())
    }

    /// Each row b as b·S⁻¹.
    pub(crate) fn solve_rows(&self, rows: ArrayView2<'_, f64>) -> Array2<f64> {
        match self {
            Metric::Factor(factor) => {
                let solved = factor.solve(rows.t());
                solved.reversed_axes().as_standard_layout().into_owned()
            }
            Metric::Whitening(columns) => {
                a_times_bt(matmul(rows, columns.view()).view(), columns.view())
            }
        }
    }
}

/// The roots of the variances; one for a column that does not vary.
fn deviations(variances: impl Iterator<Item = f64>) -> Array1<f64> {
    variances
        .map(|variance| match variance > 0.0 {
            true => variance.sqrt(),
            false => 1.0,
        })
        .collect()
}
