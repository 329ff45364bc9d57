//! Non-linear least squares.

mod gauss_newton;
mod residuals;
mod weights;

pub use gauss_newton::{Damping, Fitted, GaussNewton};
pub use residuals::{ResidualClosures, Residuals, SumOfSquares, residuals};
pub use weights::Weights;
