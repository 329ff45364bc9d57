//! Smooth objectives under smooth constraints.

mod augmented_lagrangian;
mod duality;
mod kkt;
mod lagrange_newton;
mod problem;
mod sqp;

pub use augmented_lagrangian::{AugmentedLagrangian, PenaltyRound, QuadraticPenalty};
pub use duality::{Duality, FiniteDomain, dual_value, duality_gap};
pub use kkt::KktReport;
pub use lagrange_newton::LagrangeNewton;
pub use problem::{ConstrainedOutcome, Evaluated, Multipliers, Problem};
pub use sqp::{InequalityForm, Sqp};
