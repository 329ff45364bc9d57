//! One machine for one target.

use super::model::SvrModel;
use crate::certificate::{Certificate, Role, roles};
use crate::gram::Gram;
use crate::reduction::CostReduction;
use crate::rows::{Counting, Points};
use crate::setup::Setup;
use crate::solver::{Goal, Outcome, Program, Side, Solution, solve};
use didact_core::{Error, Measured, Result, Run, StopReason, Trace};
use didact_math::numeric::dot;

/// No tube counts as possible whose curve would have to rise so many times the range of the targets
/// between two rows.
const STEEPEST: f64 = 1e6;

/// What is asked of the targets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Demand {
    /// Those further away than this pay.
    Soft(f64),
    /// None is further away than this.
    Hard(f64),
    /// This share may be outside the tube at most; how wide it is follows.
    Share(f64),
}

/// What a regression is asked for.
pub(super) struct Request<'a> {
    pub(super) setup: Setup<'a>,
    pub(super) demand: Demand,
    pub(super) c: f64,
    pub(super) reduction: CostReduction,
}

/// f(x) = Σ β·k(xᵢ, x) + b.
pub(super) struct Machine {
    /// α⁺ − α⁻ for each row.
    pub(super) multipliers: Vec<f64>,
    pub(super) intercept: f64,
    /// Half the height of the tube.
    pub(super) epsilon: f64,
    pub(super) roles: Vec<Role>,
    pub(super) certificate: Certificate,
    pub(super) steps: usize,
    pub(super) trace: Trace,
}

/// Teaches the machine.
pub(super) fn learn(request: &Request<'_>, data: Measured<'_>, run: &Run) -> Result<SvrModel> {
    let counting = Counting::new(data.samples);
    let all = data.targets.column(0);
    let targets: Vec<f64> = counting.given.iter().map(|&row| all[row]).collect();
    let samples = counting.samples();
    let kernel = request.setup.kernel(&samples)?;
    let points = Points::new(counting.rows(), &kernel, run)?;
    let price = request.reduction.price(request.c, samples.total_weight());
    let task = Task {
        request,
        prices: (0..targets.len())
            .map(|row| price * samples.weight(row))
            .collect(),
        targets: &targets,
    };
    let mut gram = Gram::new(points.rows(), &kernel, request.setup.bytes(), run)?;
    let machine = task.solve(&mut gram, run)?;
    drop(gram);
    SvrModel::new(&counting, &targets, &points, kernel, machine)
}

struct Task<'a> {
    request: &'a Request<'a>,
    targets: &'a [f64],
    prices: Vec<f64>,
}

impl Task<'_> {
    fn solve(&self, gram: &mut Gram<'_>, run: &Run) -> Result<Machine> {
        match self.request.demand {
            Demand::Soft(epsilon) => self.solve_soft(epsilon, gram, run),
            Demand::Hard(epsilon) => self.solve_hard(epsilon, gram, run),
            Demand::Share(nu) => self.solve_share(nu, gram, run),
        }
    }

    /// max Σ y(α⁺ − α⁻) − ε·Σ(α⁺ + α⁻) − ½(α⁺ − α⁻)ᵀK(α⁺ − α⁻) where 0 ≤ α ≤ C and the differences
    /// sum to zero: the slope of α⁺ is ε − y, that of −α⁻ is −ε − y.
    fn solve_soft(&self, epsilon: f64, gram: &mut Gram<'_>, run: &Run) -> Result<Machine> {
        let sides = self.sides(epsilon, |row| self.prices[row]);
        let program = self.program(sides, false, Goal::Slope(self.request.setup.tol));
        let Outcome::Solved(solution) = solve(&program, gram, run)? else {
            unreachable!("multipliers with limits always have a solution")
        };
        let intercept = solution.levels[0];
        let certificate = Certificate::of_limits(&program, &solution, intercept);
        let roles = roles(&program, &solution);
        Ok(Machine::new(
            solution,
            intercept,
            epsilon,
            roles,
            certificate,
        ))
    }

    /// As [`Self::solve_soft`] without upper limits.
    ///
    /// For any multipliers that sum to zero a curve within the tube has a ‖w‖ of at least
    /// (Σyβ − ε·Σ|β|)/√(βᵀKβ); where that grows beyond all measure there is no such curve.
    fn solve_hard(&self, epsilon: f64, gram: &mut Gram<'_>, run: &Run) -> Result<Machine> {
        let largest = gram.diagonal(run)?.into_iter().fold(0.0, f64::max);
        let low = self.targets.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self
            .targets
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let goal = Goal::Bounded {
            tol: self.request.setup.tol,
            steepest: STEEPEST * (high - low) / (2.0 * largest.sqrt().max(f64::MIN_POSITIVE)),
        };
        let program = self.program(self.sides(epsilon, |_| f64::INFINITY), false, goal);
        let Outcome::Solved(solution) = solve(&program, gram, run)? else {
            return Err(impossible(epsilon));
        };
        match solution.trace.stop {
            StopReason::Converged => {}
            StopReason::IterationLimit => return Err(not_found(solution.steps)),
            _ => return Err(impossible(epsilon)),
        }
        let intercept = solution.levels[0];
        let linear = |(side, multipliers): (&Side, &Vec<f64>)| {
            let products = side.slope.iter().zip(multipliers);
            products.map(|(slope, beta)| slope * beta).sum::<f64>()
        };
        let linear: f64 = program
            .sides
            .iter()
            .zip(&solution.multipliers)
            .map(linear)
            .sum();
        let certificate = self.certify(&solution, 0.0, linear);
        let roles = roles(&program, &solution);
        Ok(Machine::new(
            solution,
            intercept,
            epsilon,
            roles,
            certificate,
        ))
    }

    /// As [`Self::solve_soft`] without ε, whose place Σ(α⁺ + α⁻) = ν·ΣC takes: the free multipliers of
    /// the two sides then say where the upper and the lower edge of the tube are.
    fn solve_share(&self, nu: f64, gram: &mut Gram<'_>, run: &Run) -> Result<Machine> {
        // With ν = 1 the limits leave nothing more to ask for.
        let nu = nu.min(1.0);
        let total: f64 = self.prices.iter().sum();
        let mut sides = self.sides(0.0, |row| self.prices[row]);
        sides[0].start_with_sum(0.5 * nu * total);
        sides[1].start_with_debt(0.5 * nu * total);
        let program = self.program(sides, true, Goal::Slope(self.request.setup.tol));
        let Outcome::Solved(solution) = solve(&program, gram, run)? else {
            unreachable!("multipliers with limits always have a solution")
        };
        let [upper, lower] = [solution.levels[0], solution.levels[1]];
        let (intercept, epsilon) = (0.5 * (upper + lower), (0.5 * (upper - lower)).max(0.0));
        let rows = self.targets.iter().zip(&self.prices).zip(&solution.scores);
        let slack = rows.map(|((target, price), score)| {
            price * ((target - score - intercept).abs() - epsilon).max(0.0)
        });
        let totals = solution.totals();
        let linear = -dot(&totals, self.targets);
        let cost = nu * epsilon * total + slack.sum::<f64>();
        let certificate = self.certify(&solution, cost, linear);
        let roles = share_roles(&program, &solution);
        Ok(Machine::new(
            solution,
            intercept,
            epsilon,
            roles,
            certificate,
        ))
    }

    fn certify(&self, solution: &Solution, cost: f64, linear: f64) -> Certificate {
        let totals = solution.totals();
        let squared_length = dot(&totals, &solution.scores).max(0.0);
        Certificate {
            primal: 0.5 * squared_length + cost,
            dual: -0.5 * squared_length - linear,
            violation: solution.violation,
            imbalance: totals.iter().sum::<f64>().abs(),
            squared_length,
        }
    }

    fn sides(&self, epsilon: f64, limit: impl Fn(usize) -> f64) -> Vec<Side> {
        let (mut upper, mut lower) = (Side::default(), Side::default());
        for (row, &target) in self.targets.iter().enumerate() {
            upper.push(epsilon - target, 0.0, limit(row));
            lower.push(-epsilon - target, -limit(row), 0.0);
        }
        vec![upper, lower]
    }

    fn program(&self, sides: Vec<Side>, are_apart: bool, goal: Goal) -> Program {
        Program {
            sides,
            are_apart,
            goal,
            effort: self.request.setup.effort(),
        }
    }
}

/// The roles where both multipliers of a row may be positive: what they have in common only makes
/// up their sum, and the rest of it says what the row does.
fn share_roles(program: &Program, solution: &Solution) -> Vec<Role> {
    let [upper, lower] = [&solution.multipliers[0], &solution.multipliers[1]];
    let known = roles(program, solution);
    let role = |(row, role): (usize, Role)| match (upper[row] != 0.0, lower[row] != 0.0) {
        (true, true) if upper[row] + lower[row] == 0.0 => Role::Idle,
        (true, true) => Role::Edge,
        _ => role,
    };
    known.into_iter().enumerate().map(role).collect()
}

fn not_found(steps: usize) -> Error {
    Error::parameter(
        "max_iter",
        steps,
        "no curve that keeps all targets within the tube was found in so many steps; allow more, \
         make epsilon larger, or set tube to soft",
    )
}

fn impossible(epsilon: f64) -> Error {
    Error::parameter(
        "epsilon",
        epsilon,
        "no curve of this kernel keeps all targets within such a tube; make it larger, set tube to \
         soft, or choose another kernel or a larger gamma",
    )
}

impl Machine {
    fn new(
        solution: Solution,
        intercept: f64,
        epsilon: f64,
        roles: Vec<Role>,
        certificate: Certificate,
    ) -> Self {
        Machine {
            multipliers: solution.totals(),
            intercept,
            epsilon,
            roles,
            certificate,
            steps: solution.steps,
            trace: solution.trace,
        }
    }
}
