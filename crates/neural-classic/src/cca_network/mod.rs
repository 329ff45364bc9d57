//! Networks that find what two views of the same things have in common.

mod linear;
mod nonlinear;
mod training;

pub use linear::CcaNetwork;
pub use nonlinear::NonlinearCcaNetwork;
pub use training::CcaTraining;
