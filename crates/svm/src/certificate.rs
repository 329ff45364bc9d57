//! What proves a solution: primal and dual objective, the gap between them, the role of each row.

use crate::solver::{Program, Solution};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How good a solution is at worst.
///
/// The dual objective is at most the least primal one, so the primal objective that was reached is
/// above the least one by at most the gap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The primal objective: ½‖w‖² plus what the rows cost.
    pub primal: f64,
    /// The dual objective.
    pub dual: f64,
    /// By how much two multipliers still contradict each other: zero at the solution.
    pub violation: f64,
    /// The length of Σ αy, which has to be zero.
    pub imbalance: f64,
    /// ‖w‖².
    pub squared_length: f64,
}

impl Certificate {
    /// By how much the primal objective is above the least one at most.
    pub fn gap(&self) -> f64 {
        (self.primal - self.dual).max(0.0)
    }

    /// The certificate of a program whose multipliers have limits, for machines with these
    /// intercepts, one for each side.
    ///
    /// The cost of a row is the largest value of β·(−slope − f) over its multipliers β: for a
    /// class C·max(0, 1 − y·f), for a target C·max(0, |y − f| − ε).
    pub(crate) fn of_limits(program: &Program, solution: &Solution, intercept: f64) -> Self {
        let (mut cost, mut linear, mut length, mut balance) = (0.0, 0.0, 0.0, 0.0);
        for (side, multipliers) in program.sides.iter().zip(&solution.multipliers) {
            for (point, &beta) in multipliers.iter().enumerate() {
                let excess = -side.slope[point] - solution.scores[point] - intercept;
                let limit = match excess > 0.0 {
                    true => side.high[point],
                    false => side.low[point],
                };
                // A limit of zero costs nothing, however far the row is away.
                if limit != 0.0 {
                    cost += limit * excess;
                }
                linear += side.slope[point] * beta;
                length += beta * solution.scores[point];
                balance += beta;
            }
        }
        Certificate {
            primal: 0.5 * length + cost,
            dual: -0.5 * length - linear,
            violation: solution.violation,
            imbalance: f64::abs(balance),
            squared_length: length,
        }
    }

    /// Whether all numbers are finite, as those of a file may not be.
    pub(crate) fn is_finite(&self) -> bool {
        let numbers = [
            self.primal,
            self.dual,
            self.violation,
            self.imbalance,
            self.squared_length,
        ];
        numbers.iter().all(|number| number.is_finite())
    }
}

/// What a row has to do with the solution.
///
/// A classifier has a margin on either side of its boundary, a regression a tube about its curve.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(into = "u8", try_from = "u8")]
pub enum Role {
    /// Its multiplier is zero: it is beyond the margin, or inside the tube.
    Idle,
    /// Its multiplier is between its limits: it is on the margin, or on the edge of the tube.
    Edge,
    /// Its multiplier is at its limit: it is within the margin or on the wrong side, or outside the
    /// tube, and pays for it.
    Bound,
}

impl From<Role> for u8 {
    fn from(role: Role) -> u8 {
        role as u8
    }
}

impl TryFrom<u8> for Role {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            0 => Ok(Role::Idle),
            1 => Ok(Role::Edge),
            2 => Ok(Role::Bound),
            _ => Err(format!(
                "{number} is no role of a row; roles are 0, 1 and 2"
            )),
        }
    }
}

/// The role of every point of a program: the most that any of its multipliers says.
pub(crate) fn roles(program: &Program, solution: &Solution) -> Vec<Role> {
    let n = solution.scores.len();
    let role = |point: usize| {
        let sides = program.sides.iter().zip(&solution.multipliers);
        let each = sides.map(|(side, multipliers)| {
            let (beta, low, high) = (multipliers[point], side.low[point], side.high[point]);
            match beta {
                0.0 => Role::Idle,
                _ if beta == low || beta == high => Role::Bound,
                _ => Role::Edge,
            }
        });
        each.max().unwrap_or(Role::Idle)
    };
    (0..n).map(role).collect()
}
