//! Methods for smooth objectives without constraints.

mod conjugate_gradient;
mod gradient_descent;
mod lbfgs;
mod lbfgs_b;
mod memory;
mod newton;
mod truncated_newton;

pub use conjugate_gradient::{ConjugateGradient, ConjugateRule};
pub use gradient_descent::GradientDescent;
pub use lbfgs::Lbfgs;
pub use lbfgs_b::LbfgsB;
pub(crate) use memory::Memory;
pub use newton::Newton;
pub use truncated_newton::TruncatedNewton;
