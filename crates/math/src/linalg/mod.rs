//! Linear algebra on `ndarray` views, computed by faer.
//!
//! Views that are contiguous in C or Fortran order are handed over without a copy. Every kernel
//! runs sequentially on its piece of the work; the functions that take a [`Run`] cut tall data
//! into pieces by the number of rows, and large matrices into a fixed number of parts, so results
//! do not depend on the number of threads.
//!
//! Shapes that do not fit together are mistakes of the caller and panic; whatever the *values*
//! may do (overflow, indefiniteness, no convergence) is an [`Error::Numerical`].
//!
//! [`Run`]: didact_core::Run
//! [`Error::Numerical`]: didact_core::Error::Numerical

mod bidiagonal;
mod cholesky;
mod cholesky_blocks;
mod cholesky_update;
mod convert;
mod coupling;
mod cross;
mod eigen;
mod extreme;
mod functions;
mod general_eigen;
mod generalised;
mod gram;
mod joined;
mod lanczos;
mod large;
mod ldlt;
mod least_squares;
mod lu;
mod moments;
mod packed;
mod packed_columns;
mod product;
mod qr;
mod reflections;
mod rough;
mod row_products;
mod rows;
mod scaling;
mod scatter_operator;
mod secular;
mod signs;
mod sparse;
mod sparse_scatter;
mod svd;
mod sweep;
mod tiles;
mod tridiagonal;
mod truncated;
mod variances;

pub use cholesky::Cholesky;
pub(crate) use convert::{Operand, window_mut};
pub use cross::CrossMoments;
pub use eigen::{Eigen, symmetric_eigen, symmetric_eigen_within, symmetric_eigenvalues};
pub use extreme::{ExtremeEigenOptions, SpectrumEnd, extreme_eigen};
pub use functions::{pseudo_inverse, symmetric_power};
pub use general_eigen::{GeneralEigen, general_eigen};
pub use generalised::generalised_eigen;
pub use gram::gram;
pub use lanczos::leading_eigen;
pub use ldlt::Ldlt;
pub use least_squares::{LeastSquares, pseudo_solve};
pub use lu::{Lu, solve};
pub use moments::Moments;
pub use packed_columns::PackedColumns;
pub(crate) use product::mirror;
pub use product::{Accumulate, a_times_bt, at_times_b, matmul, matmul_into, mirror_lower};
pub use qr::Qr;
pub use rough::RoughFactor;
pub(crate) use row_products::fill_row_products;
pub use row_products::row_products;
pub(crate) use rows::rows_per_task;
pub use rows::{rows_times, rows_times_vector, transposed_rows_times};
pub use scaling::{a_times_at, add_a_times_at, scale_columns, scale_rows, upper_of_a_times_at};
pub use scatter_operator::ScatterOperator;
pub use signs::fix_signs;
pub use sparse::{sparse_combine, sparse_product, sparse_transpose};
pub use svd::{Svd, orthonormal_basis, thin_svd, thin_svd_within};
pub use truncated::{TruncatedSvdOptions, truncated_svd};
pub use variances::Variances;
