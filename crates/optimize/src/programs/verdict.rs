//! What a program turned out to be.

use crate::{KktReport, Multipliers, Stop};
use didact_core::{Error, Result, Trace};

/// The solution of a program, or the proof that it has none.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The program has this solution.
    Optimal(ProgramSolution),
    /// No point fulfils the constraints.
    Infeasible(Infeasible),
    /// The objective falls without end.
    Unbounded(Unbounded),
}

/// The solution of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSolution {
    /// The point.
    pub x: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// A multiplier for each constraint; zero where an inequality is not active.
    pub multipliers: Multipliers,
    /// How far point and multipliers fail the four conditions.
    pub kkt: KktReport,
    /// The inequalities that hold the solution in place.
    pub active: Vec<usize>,
    /// Why the method stopped.
    pub stop: Stop,
    /// The objective after each iteration.
    pub trace: Trace,
}

/// Proof that no point fulfils the constraints: α ≥ 0 and λ with Aᵀα + Cᵀλ = 0 but bᵀα + eᵀλ < 0,
/// so that the constraints together say 0 ≤ a negative number.
#[derive(Clone, Debug, PartialEq)]
pub struct Infeasible {
    /// The weights of the constraints that contradict each other.
    pub multipliers: Multipliers,
    /// By how much the best point still fails a constraint.
    pub violation: f64,
}

/// Proof that the objective falls without end: from the feasible point `from` along `ray`.
#[derive(Clone, Debug, PartialEq)]
pub struct Unbounded {
    /// A point that fulfils the constraints.
    pub from: Vec<f64>,
    /// A direction that never leaves the constraints and along which the objective falls.
    pub ray: Vec<f64>,
}

impl Verdict {
    /// The solution, or an error that says why there is none.
    pub fn optimal(self) -> Result<ProgramSolution> {
        match self {
            Verdict::Optimal(solution) => Ok(solution),
            Verdict::Infeasible(proof) => Err(Error::data(format!(
                "the constraints contradict each other: every point fails one of them by at least \
                 about {:.3e}",
                proof.violation
            ))),
            Verdict::Unbounded(_) => Err(Error::data(
                "the objective falls without end within the constraints; add bounds",
            )),
        }
    }
}
