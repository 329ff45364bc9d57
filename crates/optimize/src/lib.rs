//! Minimisation, equations and quadratic programs.
//!
//! An objective is anything that implements [`Objective`] (a closure does); a method is a plain
//! struct of parameters. Every method tells the [`Run`](didact_core::Run) of each iteration, can
//! be cancelled, and returns where it ended and which test ended it.

pub mod analysis;
mod constrained;
mod coordinate_descent;
mod descent;
mod equations;
mod expectation_maximization;
mod gradient_check;
mod least_squares;
mod line_search;
mod linear_cg;
mod multi_start;
mod nonsmooth;
mod objective;
mod outcome;
mod programs;
mod smooth;
mod stochastic;
#[cfg(test)]
mod testing;

pub use constrained::{
    AugmentedLagrangian, ConstrainedOutcome, Duality, Evaluated, FiniteDomain, InequalityForm,
    KktReport, LagrangeNewton, Multipliers, PenaltyRound, Problem, QuadraticPenalty, Sqp,
    dual_value, duality_gap,
};
pub use coordinate_descent::{BlockOutcome, Blocks, CoordinateDescent};
pub use descent::Minimise;
pub use equations::NewtonEquations;
pub use expectation_maximization::{
    EmOutcome, ExpectationMaximization, LatentModel, LowerBound, lower_bound, posterior,
};
pub use gradient_check::{
    DerivativeCheck, adjoint_error, check_gradient, check_hessian, check_jacobian,
    check_jacobian_product, finite_difference_gradient, finite_difference_jacobian,
};
pub use least_squares::{
    Damping, Fitted, GaussNewton, ResidualClosures, Residuals, SumOfSquares, Weights, residuals,
};
pub use line_search::LineSearch;
pub use linear_cg::{LinearConjugateGradient, LinearOperator, LinearSolution};
pub use multi_start::{MultiStart, Starts, StationaryKind, StationaryPoint, stationary_points};
pub use nonsmooth::{
    BoxSet, ElasticNet, L1, L2Ball, NonNegative, Penalty, ProximalGradient, Simplex,
    SubgradientMethod, is_subgradient, projected_gradient, sign, soft_threshold,
};
pub use objective::{Curved, IntoValue, Objective, Quadratic, WithHessian};
pub use outcome::{Evaluations, Outcome, Stop};
pub use programs::{
    ActiveSet, ActiveSetStep, EqualityRoute, EqualitySolution, Infeasible, InteriorPoint,
    ProgramSolution, QuadraticProgram, Unbounded, Verdict, right_inverse, solve_equality,
};
pub use smooth::{
    ConjugateGradient, ConjugateRule, GradientDescent, Lbfgs, LbfgsB, Newton, TruncatedNewton,
};
pub use stochastic::{FiniteSum, Schedule, StochasticDescent, UpdateRule, Updater};
