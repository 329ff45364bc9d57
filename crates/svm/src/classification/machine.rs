//! One machine for two classes.

use crate::certificate::{Certificate, Role, roles};
use crate::gram::Gram;
use crate::solver::{Effort, Goal, Outcome, Program, Side, Solution, solve};
use didact_core::{Error, Result, Run, StopReason, Trace};

/// Classes count as inseparable where the squared distance of their hulls is below this share of
/// the largest kernel value: rounding could have made it.
const INSEPARABLE: f64 = 1e-12;

/// A margin as small as this share of the length of the weights is none.
const NO_MARGIN: f64 = 1e-9;

/// What is asked of the rows of two classes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Demand {
    /// Rows within the margin pay.
    Soft,
    /// No row is within the margin.
    Hard,
    /// This share of the rows may be within the margin at most.
    Share(f64),
}

/// The rows of two classes and how they are to be told apart.
pub(super) struct Task<'a> {
    pub(super) demand: Demand,
    /// +1 for the rows of the positive class, −1 for those of the other.
    pub(super) signs: Vec<f64>,
    /// What a unit within the margin costs each row; how much it counts where shares are asked for.
    pub(super) prices: Vec<f64>,
    pub(super) tol: f64,
    pub(super) effort: Effort,
    /// The two classes, for messages.
    pub(super) names: [&'a str; 2],
}

/// f(x) = Σ β·k(xᵢ, x) + b, positive for the positive class.
pub(super) struct Machine {
    /// αy for each row.
    pub(super) multipliers: Vec<f64>,
    pub(super) intercept: f64,
    /// The ρ of a machine that was asked for a share.
    pub(super) rho: Option<f64>,
    pub(super) roles: Vec<Role>,
    pub(super) certificate: Certificate,
    /// The distance of the two edges of the margin in the space of the kernel.
    pub(super) margin: f64,
    pub(super) steps: usize,
    pub(super) trace: Trace,
}

impl Task<'_> {
    pub(super) fn solve(&self, gram: &mut Gram<'_>, run: &Run) -> Result<Machine> {
        match self.demand {
            Demand::Soft => self.solve_soft(gram, run),
            Demand::Hard => self.solve_hard(gram, run),
            Demand::Share(nu) => self.solve_share(nu, gram, run),
        }
    }

    /// max Σα − ½αᵀHα where 0 ≤ α ≤ C and Σαy = 0, in β = αy: the slope of β is −y.
    fn solve_soft(&self, gram: &mut Gram<'_>, run: &Run) -> Result<Machine> {
        let mut side = Side::default();
        for (&sign, &price) in self.signs.iter().zip(&self.prices) {
            match sign > 0.0 {
                true => side.push(-1.0, 0.0, price),
                false => side.push(1.0, -price, 0.0),
            }
        }
        let program = self.program(vec![side], Goal::Slope(self.tol));
        let Outcome::Solved(solution) = solve(&program, gram, run)? else {
            unreachable!("multipliers with limits always have a solution")
        };
        let intercept = solution.levels[0];
        let certificate = Certificate::of_limits(&program, &solution, intercept);
        let roles = roles(&program, &solution);
        Ok(Machine::new(solution, intercept, None, roles, certificate))
    }

    /// The nearest points of the convex hulls of the two classes, p = Σλx of one and q of the other.
    ///
    /// The widest margin lies between them: w = 2(p − q)/‖p − q‖² and α = 2λ/‖p − q‖². Unlike the
    /// dual, which grows without end where the classes cannot be separated, the distance always has
    /// a least value, and then it is zero.
    fn solve_hard(&self, gram: &mut Gram<'_>, run: &Run) -> Result<Machine> {
        let sides = self.sides(1.0, |_| 1.0);
        let largest = gram.diagonal(run)?.into_iter().fold(0.0, f64::max);
        let goal = Goal::Share {
            tol: self.tol,
            floor: 0.5 * INSEPARABLE * largest,
        };
        let program = self.program(sides, goal);
        let Outcome::Solved(mut solution) = solve(&program, gram, run)? else {
            return Err(self.inseparable());
        };
        let roles = roles(&program, &solution)
            .into_iter()
            .map(|role| role.min(Role::Edge))
            .collect();
        let [above, below] = self.edges(&solution.scores);
        let length = squared_length(&solution);
        // Half the distance of the classes along w, where w is as long as the hulls are apart.
        let half = 0.5 * (above - below);
        if half <= NO_MARGIN * length {
            return Err(match solution.trace.stop {
                StopReason::IterationLimit => self.not_found(solution.steps),
                _ => self.inseparable(),
            });
        }
        let factor = 2.0 / length;
        solution.scale(factor);
        let intercept = -0.5 * factor * (above + below);
        // What is not quite at the margin yet would have to be stretched so that it is.
        let stretch = (factor * half).min(1.0).recip();
        let certificate = Certificate {
            primal: 0.5 * factor * factor * length * stretch * stretch,
            dual: 2.0 * factor - 0.5 * factor * factor * length,
            violation: solution.violation,
            imbalance: solution.multipliers.iter().flatten().sum::<f64>().abs(),
            squared_length: factor * factor * length,
        };
        Ok(Machine::new(solution, intercept, None, roles, certificate))
    }

    /// min ½αᵀHα where 0 ≤ α ≤ 1, Σαy = 0 and Σα = νM; the multipliers are divided by ρ, so that the
    /// margins are where f is ±1, as everywhere else.
    fn solve_share(&self, nu: f64, gram: &mut Gram<'_>, run: &Run) -> Result<Machine> {
        let total: f64 = self.prices.iter().sum();
        self.check_share(nu, total)?;
        let sides = self.sides(0.5 * nu * total, |row| self.prices[row]);
        let program = self.program(sides, Goal::Slope(self.tol));
        let Outcome::Solved(mut solution) = solve(&program, gram, run)? else {
            unreachable!("multipliers with limits always have a solution")
        };
        let roles = roles(&program, &solution);
        let [above, below] = [-solution.levels[0], -solution.levels[1]];
        let rho = 0.5 * (above - below);
        let length = squared_length(&solution);
        // With ρ = 0 there is no margin to measure by, and the scores stay as they are.
        let has_margin = rho > NO_MARGIN * length.sqrt();
        let factor = if has_margin { rho.recip() } else { 1.0 };
        let intercept = -0.5 * (above + below);
        let certificate = self.certify_share(nu, rho.max(0.0), intercept, &solution, total);
        solution.scale(factor);
        let rho = if has_margin { rho / total } else { 0.0 };
        Ok(Machine::new(
            solution,
            intercept * factor,
            Some(rho),
            roles,
            certificate,
        ))
    }

    /// The objectives ½‖w‖² − νρ + Σξ/M and its dual, in the units of a mean over the rows.
    fn certify_share(
        &self,
        nu: f64,
        rho: f64,
        intercept: f64,
        solution: &Solution,
        total: f64,
    ) -> Certificate {
        let length = squared_length(solution);
        let rows = self.signs.iter().zip(&self.prices).zip(&solution.scores);
        let slack =
            rows.map(|((sign, price), score)| price * (rho - sign * (score + intercept)).max(0.0));
        let squared_length = length / (total * total);
        Certificate {
            primal: 0.5 * squared_length - nu * rho / total + slack.sum::<f64>() / (total * total),
            dual: -0.5 * squared_length,
            violation: solution.violation,
            imbalance: solution.multipliers.iter().flatten().sum::<f64>().abs(),
            squared_length,
        }
    }

    fn check_share(&self, nu: f64, total: f64) -> Result<()> {
        let rows = self.signs.iter().zip(&self.prices);
        let positive: f64 = rows
            .filter(|(sign, _)| **sign > 0.0)
            .map(|(_, price)| price)
            .sum();
        let most = 2.0 * positive.min(total - positive) / total;
        match nu <= most * (1.0 + 1e-12) {
            true => Ok(()),
            false => Err(Error::parameter(
                "nu",
                nu,
                format!(
                    "between the classes {} and {} it must be at most {most}, twice the share of \
                     the smaller one",
                    self.names[0], self.names[1]
                ),
            )),
        }
    }

    /// A side for each class; the multipliers of both have the same sum and the given limits.
    fn sides(&self, sum: f64, limit: impl Fn(usize) -> f64) -> Vec<Side> {
        let (mut positive, mut negative) = (Side::default(), Side::default());
        for (row, &sign) in self.signs.iter().enumerate() {
            let (above, below) = match sign > 0.0 {
                true => (limit(row), 0.0),
                false => (0.0, -limit(row)),
            };
            positive.push(0.0, 0.0, above);
            negative.push(0.0, below, 0.0);
        }
        positive.start_with_sum(sum);
        negative.start_with_debt(sum);
        vec![positive, negative]
    }

    fn program(&self, sides: Vec<Side>, goal: Goal) -> Program {
        Program {
            are_apart: sides.len() > 1,
            sides,
            goal,
            effort: self.effort,
        }
    }

    /// The lowest score of the positive class and the highest of the other.
    fn edges(&self, scores: &[f64]) -> [f64; 2] {
        let of = |wanted: f64| {
            let rows = self.signs.iter().zip(scores);
            rows.filter(move |(sign, _)| **sign == wanted)
                .map(|(_, score)| *score)
        };
        [
            of(1.0).fold(f64::INFINITY, f64::min),
            of(-1.0).fold(f64::NEG_INFINITY, f64::max),
        ]
    }

    fn not_found(&self, steps: usize) -> Error {
        Error::parameter(
            "max_iter",
            steps,
            format!(
                "no margin between the classes {} and {} was found in so many steps; allow more, or \
                 set margin to soft",
                self.names[0], self.names[1]
            ),
        )
    }

    fn inseparable(&self) -> Error {
        Error::data(format!(
            "the rows of the classes {} and {} cannot be separated without errors by this kernel; \
             set margin to soft, or choose another kernel or a larger gamma",
            self.names[0], self.names[1]
        ))
    }
}

impl Machine {
    fn new(
        solution: Solution,
        intercept: f64,
        rho: Option<f64>,
        roles: Vec<Role>,
        certificate: Certificate,
    ) -> Self {
        Machine {
            multipliers: solution.totals(),
            margin: 2.0 / squared_length(&solution).sqrt(),
            intercept,
            rho,
            roles,
            certificate,
            steps: solution.steps,
            trace: solution.trace,
        }
    }
}

/// βᵀKβ.
fn squared_length(solution: &Solution) -> f64 {
    let totals = solution.totals();
    let products = totals.iter().zip(&solution.scores);
    products
        .map(|(beta, score)| beta * score)
        .sum::<f64>()
        .max(0.0)
}
