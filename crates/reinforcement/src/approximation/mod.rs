//! Values as functions of features, for worlds with more states than a table should hold.
//!
//! A state is described by a row of features φ(s), and its value is w·φ(s): what is learned in one
//! state is known in all that look alike. One feature per state is the table again.

mod features;
mod least_squares;
mod model;
mod sarsa;
mod temporal_difference;

pub use features::{Described, DescribedActing, group_features, one_hot_features};
pub use least_squares::LeastSquaresTemporalDifference;
pub use model::{LinearActionValues, LinearValues};
pub use sarsa::LinearSarsa;
pub use temporal_difference::LinearTemporalDifference;
