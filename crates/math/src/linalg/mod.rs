//! Linear algebra on `ndarray` views, computed by faer.
//!
//! Views that are contiguous in C or Fortran order are handed over without a copy. Every kernel
//! runs sequentially on its piece of the work; the functions that take a [`Run`] cut tall data
//! into pieces by the number of rows, so results do not depend on the number of threads.
//!
//! Shapes that do not fit together are mistakes of the caller and panic; whatever the *values*
//! may do (overflow, indefiniteness, no convergence) is an [`Error::Numerical`].
//!
//! [`Run`]: didact_core::Run
//! [`Error::Numerical`]: didact_core::Error::Numerical

mod cholesky;
mod convert;
mod cross;
mod eigen;
mod gram;
mod least_squares;
mod moments;
mod product;
mod rows;
mod signs;
mod sparse_scatter;
mod svd;
mod truncated;
mod variances;

pub use cholesky::Cholesky;
pub use cross::CrossMoments;
pub use eigen::{Eigen, symmetric_eigen};
pub use gram::gram;
pub use least_squares::{LeastSquares, pseudo_solve};
pub use moments::Moments;
pub use product::{Accumulate, a_times_bt, at_times_b, matmul, matmul_into, mirror_lower};
pub(crate) use rows::rows_per_task;
pub use rows::{rows_times, rows_times_vector, transposed_rows_times};
pub use signs::fix_signs;
pub use svd::{Svd, orthonormal_basis, thin_svd};
pub use truncated::{TruncatedSvdOptions, truncated_svd};
pub use variances::Variances;
