//! Quadratic and linear programs.

mod active_set;
mod equality;
mod interior_point;
mod phase_one;
mod program;
mod verdict;
mod working_set;

pub use active_set::{ActiveSet, ActiveSetStep};
pub(crate) use equality::kkt_matrix;
pub use equality::{EqualityRoute, EqualitySolution, right_inverse, solve_equality};
pub use interior_point::InteriorPoint;
pub use program::QuadraticProgram;
pub use verdict::{Infeasible, ProgramSolution, Unbounded, Verdict};
