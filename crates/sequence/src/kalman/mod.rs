//! Linear Gaussian states: what is believed of a hidden vector that moves and is measured.

mod belief;
mod filter;
mod simulate;
mod smooth;

pub use belief::{Belief, Motion, Sensor, Update};
pub use filter::{Filtered, KalmanFilter};
pub use simulate::Simulated;
