//! Ways to judge a method fairly: splitters, curves, and what the curves say.

mod bias_variance;
mod curves;
mod diagnosis;
mod leave_one_out;
mod splitter;

pub use bias_variance::{BiasVariance, bias_variance};
pub use curves::{Curve, CurvePoint, MakeLearner, Spread, learning_curve, validation_curve};
pub use diagnosis::{Diagnosis, Fitting, diagnose};
pub use leave_one_out::leave_one_out_residuals;
pub use splitter::Splitter;
