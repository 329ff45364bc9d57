//! From scores to decisions: costs, operating points, calibrated probabilities.

mod isotonic;
mod operating;
mod platt;

pub use isotonic::Isotonic;
pub use operating::{OperatingPoint, cost_threshold, decide};
pub use platt::Platt;
