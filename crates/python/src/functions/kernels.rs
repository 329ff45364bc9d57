//! Kernels: similarities that are inner products in some space of features.

use super::answers::results;
use super::arguments::{Json, Matrix, Maybe, RowMatrix, Vector};
use super::functions;
use didact::Result;
use didact::core::{Rows, Run};
use didact_math::distance::Metric;
use didact_math::kernel::{
    self, Kernel, KernelCentring, RbfWidth, kernel_matrix as all_pairs, kernel_matrix_self,
};
use ndarray::{Array2, ArrayView1};
use pyo3::prelude::*;

results! {
    /// What a Gram matrix says about its kernel.
    Mercer {
        /// Whether the matrix is symmetric.
        is_symmetric: bool,
        /// Its smallest eigenvalue.
        smallest_eigenvalue: f64,
        /// Whether it is symmetric and positive semidefinite up to rounding.
        is_valid: bool,
    }
}

fn matrix(x: Rows<'_>, y: Option<Rows<'_>>, kernel: &Kernel, run: &Run) -> Result<Array2<f64>> {
    match y {
        Some(y) => all_pairs(x, y, kernel, run),
        None => kernel_matrix_self(x, kernel, run),
    }
}

/// The given rate, or one over the number of columns as in scikit-learn.
fn rate(gamma: Option<f64>, x: Rows<'_>) -> f64 {
    gamma.unwrap_or(1.0 / x.n_columns().max(1) as f64)
}

functions! {
    /// The kernel of every row of X and every row of Y, or of all pairs of X.
    ///
    /// Examples
    /// --------
    /// >>> from didact.kernels import kernel_matrix
    /// >>> kernel_matrix([[1, 1], [3, 2]], kernel="linear")
    /// array([[ 2.,  5.],
    ///        [ 5., 13.]])
    /// >>> kernel_matrix([[1, 1]], [[3, 2]], kernel={"rbf": {"gamma": 0.5}}).round(4)
    /// array([[0.0821]])
    long kernel_matrix[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None", kernel: Json<Kernel> = "{'rbf': {'gamma': 0.5}}") -> Array2<f64> {
        matrix(X, Y, kernel, run)
    }

    /// The inner products of rows.
    long linear_kernel[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None") -> Array2<f64> {
        matrix(X, Y, &Kernel::Linear, run)
    }

    /// (γ·a·b + c)ᵏ; `gamma` None is one over the number of columns.
    long polynomial_kernel[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None", degree: usize = "3", gamma: Maybe<f64> = "None", coef0: f64 = "1.0") -> Array2<f64> {
        let degree = u32::try_from(degree).unwrap_or(u32::MAX);
        matrix(X, Y, &Kernel::Polynomial { degree, gamma: rate(gamma, X), coef0 }, run)
    }

    /// exp(−γ‖a−b‖²); `gamma` None is one over the number of columns.
    long rbf_kernel[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None", gamma: Maybe<f64> = "None") -> Array2<f64> {
        matrix(X, Y, &Kernel::Rbf { gamma: rate(gamma, X) }, run)
    }

    /// exp(−γ·Σ|aᵢ−bᵢ|); `gamma` None is one over the number of columns.
    long laplacian_kernel[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None", gamma: Maybe<f64> = "None") -> Array2<f64> {
        matrix(X, Y, &Kernel::Laplacian { gamma: rate(gamma, X) }, run)
    }

    /// tanh(γ·a·b + c); `gamma` None is one over the number of columns.
    long sigmoid_kernel[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None", gamma: Maybe<f64> = "None", coef0: f64 = "1.0") -> Array2<f64> {
        matrix(X, Y, &Kernel::Sigmoid { gamma: rate(gamma, X), coef0 }, run)
    }

    /// The cosines of the angles between rows; zero for a row of zeros.
    long cosine_similarity[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None") -> Array2<f64> {
        matrix(X, Y, &Kernel::Cosine, run)
    }

    /// exp(−γ·Σ(aᵢ−bᵢ)²/(aᵢ+bᵢ)) for values not below zero.
    long chi2_kernel[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None", gamma: f64 = "1.0") -> Array2<f64> {
        // The library's χ² carries a factor ½.
        matrix(X, Y, &Kernel::ChiSquare { gamma: 2.0 * gamma }, run)
    }

    /// −Σ(aᵢ−bᵢ)²/(aᵢ+bᵢ) for values not below zero.
    long additive_chi2_kernel[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None") -> Array2<f64> {
        let half = match Y {
            Some(y) => didact_math::distance::pairwise(X, y, Metric::ChiSquare, run)?,
            None => didact_math::distance::pairwise_self(X, Metric::ChiSquare, run)?,
        };
        Ok(half * -2.0)
    }

    /// Checks Mercer's condition on a Gram matrix.
    quick check_mercer(gram: Matrix) -> Mercer {
        let found = kernel::check_mercer(gram)?;
        Ok(Mercer {
            is_symmetric: found.is_symmetric,
            smallest_eigenvalue: found.smallest_eigenvalue,
            is_valid: found.is_valid(),
        })
    }

    /// A matrix A with A·Aᵀ = K: a row of features for each row of a Gram matrix.
    quick mercer_factor(gram: Matrix) -> Array2<f64> {
        kernel::mercer_factor(gram)
    }

    /// The kernel of some rows against the training rows, with the origin of the feature space
    /// moved to the mean of the training rows; `kernel` None centres the Gram matrix itself.
    quick centre_kernel(gram: Matrix, kernel: Maybe<Matrix> = "None") -> Array2<f64> {
        KernelCentring::new(gram)?.centred(kernel.unwrap_or(gram))
    }

    /// The kernel matrix scaled to ones on the diagonal.
    quick normalise_kernel(gram: Matrix) -> Array2<f64> {
        kernel::normalised(gram)
    }

    /// How well a kernel agrees with targets of ±1, at most one.
    quick kernel_alignment(gram: Matrix, y: Vector) -> f64 {
        kernel::kernel_alignment(gram, ArrayView1::from(y))
    }

    /// The rate γ of a Gaussian kernel from another name of its width; give one of them.
    quick rbf_gamma(; sigma: Maybe<f64> = "None", length_scale: Maybe<f64> = "None", width: Maybe<f64> = "None") -> f64 {
        let found = match (sigma, length_scale, width) {
            (Some(sigma), None, None) => RbfWidth::from_sigma(sigma)?,
            (None, Some(length), None) => RbfWidth::from_length_scale(length)?,
            (None, None, Some(width)) => RbfWidth::from_width(width)?,
            _ => return Err(didact::Error::unsupported("give exactly one of sigma, length_scale and width")),
        };
        Ok(found.gamma())
    }
}
