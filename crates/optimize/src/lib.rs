//! Minimisation, equations and quadratic programs.
//!
//! An objective is anything that implements [`Objective`] (a closure does); a method is a plain
//! struct of parameters. Every method tells the [`Run`](didact_core::Run) of each iteration, can
//! be cancelled, and returns where it ended and which test ended it.

mod descent;
mod line_search;
mod objective;
mod outcome;
mod smooth;
#[cfg(test)]
mod testing;

pub use descent::Minimise;
pub use line_search::LineSearch;
pub use objective::{Curved, IntoValue, Objective, Quadratic, WithHessian};
pub use outcome::{Evaluations, Outcome, Stop};
pub use smooth::{
    ConjugateGradient, ConjugateRule, GradientDescent, Lbfgs, Newton, TruncatedNewton,
};
