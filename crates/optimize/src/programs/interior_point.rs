//! Convex quadratic and linear programs by following the central path.

use super::equality::kkt_matrix;
use super::{ActiveSet, Infeasible, ProgramSolution, QuadraticProgram, Unbounded, Verdict};
use crate::outcome::largest_magnitude;
use crate::{Multipliers, Stop};
use didact_core::{Result, Run, TraceWriter, parameters};
use didact_math::linalg::{Ldlt, at_times_b};
use ndarray::{Array1, Array2, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps the systems solvable where constraints repeat each other or curvatures vanish; what it
/// falsifies is mended by refinement.
const RIDGE: f64 = 1e-12;
/// How much of the way to the boundary a step goes at most.
const BOLDNESS: f64 = 0.995;

/// The interior-point method of Mehrotra for convex quadratic and linear programs.
///
/// With slacks A·x + s = b, s ≥ 0, Newton steps are made on the conditions Hx − d + Aᵀα + Cᵀλ = 0,
/// C·x = e and sᵢαᵢ = μ while μ falls to zero. A first step towards μ = 0 predicts how far μ can
/// fall, a second one corrects for the curvature of the path. The number of iterations hardly
/// grows with the size of the program.
///
/// Contradictions and objectives without lower bound are recognised by the proofs to which the
/// iterates tend; where none is found in time the active-set method decides.
///
/// ```
/// use didact_optimize::{InteriorPoint, QuadraticProgram};
/// use didact_core::Run;
/// use ndarray::array;
/// // min −x − 2y where x + y ≤ 4, y ≤ 3, x ≥ 0, y ≥ 0: the corner (1, 3).
/// let program = QuadraticProgram::linear_program(array![-1.0, -2.0])?
///     .inequalities(array![[1.0, 1.0], [0.0, 1.0]], array![4.0, 3.0])?
///     .bounds(&[0.0, 0.0], &[f64::INFINITY, f64::INFINITY])?;
/// let solution = InteriorPoint::default().solve(&program, &Run::new())?.optimal()?;
/// assert!((solution.x[0] - 1.0).abs() < 1e-8 && (solution.x[1] - 3.0).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InteriorPoint {
    /// At most this many iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Converged when every condition is fulfilled to this share of the numbers in it.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
}

impl Default for InteriorPoint {
    fn default() -> Self {
        InteriorPoint {
            max_iter: 200,
            tolerance: 1e-10,
        }
    }
}

impl InteriorPoint {
    /// Solves the program, telling `run` of every iteration.
    pub fn solve(&self, program: &QuadraticProgram, run: &Run) -> Result<Verdict> {
        parameters::check(self)?;
        let mut trace = TraceWriter::new(run, "objective", Some(self.max_iter));
        let mut path = Path::new(program);
        let mut best = f64::INFINITY;
        let mut idle = 0;
        while trace.n_iter() < self.max_iter {
            if path.error() <= self.tolerance {
                return Ok(Verdict::Optimal(path.finish(Stop::Gradient, trace)));
            }
            if let Some(verdict) = path.proof() {
                return Ok(verdict);
            }
            // Near the end rounding decides; waiting longer brings nothing.
            idle = if path.error() < 0.9 * best {
                0
            } else {
                idle + 1
            };
            best = best.min(path.error());
            if idle > 15 || !path.step()? {
                break;
            }
            trace.record(program.value(&path.x.to_vec()))?;
        }
        let multipliers = path.multipliers();
        let kkt = program.kkt(&path.x.to_vec(), &multipliers);
        if path.error() <= 10.0 * self.tolerance || kkt.largest() <= 1e-9 {
            let stop = match trace.n_iter() < self.max_iter {
                true => Stop::Stalled,
                false => Stop::IterationLimit,
            };
            return Ok(Verdict::Optimal(path.finish(stop, trace)));
        }
        ActiveSet::default().solve(program, run)
    }
}

/// The iterates x, s, α, λ.
struct Path<'a> {
    program: &'a QuadraticProgram,
    x: Array1<f64>,
    slack: Array1<f64>,
    alpha: Array1<f64>,
    lambda: Array1<f64>,
}

/// A change of the iterates.
struct Step {
    x: Array1<f64>,
    slack: Array1<f64>,
    alpha: Array1<f64>,
    lambda: Array1<f64>,
}

/// By how much the iterates fail the conditions.
struct Residuals {
    /// Hx − d + Aᵀα + Cᵀλ.
    dual: Array1<f64>,
    /// A·x + s − b.
    inequality: Array1<f64>,
    /// C·x − e.
    equality: Array1<f64>,
}

impl<'a> Path<'a> {
    fn new(program: &'a QuadraticProgram) -> Self {
        let (equalities, inequalities) = program.n_constraints();
        let size = program
            .scale()
            .max(largest_magnitude(&program.linear.to_vec()));
        let x = Array1::zeros(program.dimension());
        // Well inside: slacks and multipliers of the size of the numbers in the program.
        let slack = program.inequality_bound.mapv(|b| b.max(1.0));
        Path {
            program,
            x,
            slack,
            alpha: Array1::from_elem(inequalities, size.sqrt().max(1.0)),
            lambda: Array1::zeros(equalities),
        }
    }

    fn residuals(&self) -> Residuals {
        let p = self.program;
        Residuals {
            dual: p.hessian.dot(&self.x) - &p.linear
                + p.inequality_matrix.t().dot(&self.alpha)
                + p.equality_matrix.t().dot(&self.lambda),
            inequality: p.inequality_matrix.dot(&self.x) + &self.slack - &p.inequality_bound,
            equality: p.equality_matrix.dot(&self.x) - &p.equality_target,
        }
    }

    /// The mean of sᵢαᵢ.
    fn mu(&self) -> f64 {
        match self.slack.len() {
            0 => 0.0,
            count => self.slack.dot(&self.alpha) / count as f64,
        }
    }

    /// The worst condition, each relative to the numbers in it.
    fn error(&self) -> f64 {
        let p = self.program;
        let residuals = self.residuals();
        let size = |values: &Array1<f64>| largest_magnitude(&values.to_vec());
        let dual = size(&residuals.dual) / (1.0 + size(&p.linear));
        let bound = 1.0 + size(&p.inequality_bound).max(size(&p.equality_target));
        let primal = size(&residuals.inequality).max(size(&residuals.equality)) / bound;
        let products = &self.slack * &self.alpha;
        let gap = size(&products) / (1.0 + p.value(&self.x.to_vec()).abs());
        largest_magnitude(&[dual, primal, gap])
    }

    /// One predictor–corrector step; false where floating point allows none.
    fn step(&mut self) -> Result<bool> {
        let residuals = self.residuals();
        let system = System::new(self)?;
        let products = &self.slack * &self.alpha;
        let Some(predictor) = system.solve(self, &residuals, &products) else {
            return Ok(false);
        };
        let mu = self.mu();
        let mut corrected = products;
        if mu > 0.0 {
            let (primal, dual) = self.lengths(&predictor, 1.0);
            let ahead = (&self.slack + &(primal * &predictor.slack))
                .dot(&(&self.alpha + &(dual * &predictor.alpha)))
                / self.slack.len() as f64;
            let centring = (ahead / mu).max(0.0).powi(3).min(1.0);
            corrected = corrected + &predictor.slack * &predictor.alpha - centring * mu;
        }
        let Some(step) = system.solve(self, &residuals, &corrected) else {
            return Ok(false);
        };
        let (primal, dual) = self.lengths(&step, BOLDNESS);
        // With curvature, unequal lengths would break the dual condition.
        let is_linear = self.program.hessian.iter().all(|&value| value == 0.0);
        let (primal, dual) = match is_linear {
            true => (primal, dual),
            false => (primal.min(dual), primal.min(dual)),
        };
        self.x.scaled_add(primal, &step.x);
        self.slack.scaled_add(primal, &step.slack);
        self.alpha.scaled_add(dual, &step.alpha);
        self.lambda.scaled_add(dual, &step.lambda);
        let is_inside = self
            .slack
            .iter()
            .chain(&self.alpha)
            .all(|&value| value > 0.0);
        let is_finite = self
            .x
            .iter()
            .chain(&self.lambda)
            .all(|value| value.is_finite());
        Ok(is_inside && is_finite)
    }

    /// How far slacks and multipliers may go and stay positive.
    fn lengths(&self, step: &Step, share: f64) -> (f64, f64) {
        let longest = |values: &Array1<f64>, change: &Array1<f64>| {
            let pairs = values
                .iter()
                .zip(change)
                .filter(|(_, change)| **change < 0.0);
            pairs.fold(1.0_f64, |least, (value, change)| {
                least.min(-share * value / change)
            })
        };
        (
            longest(&self.slack, &step.slack),
            longest(&self.alpha, &step.alpha),
        )
    }

    /// A proof of contradiction or of an objective without end, where the iterates tend to one.
    fn proof(&self) -> Option<Verdict> {
        let p = self.program;
        let largest = |values: &Array1<f64>| largest_magnitude(&values.to_vec());
        let weight = largest(&self.alpha).max(largest(&self.lambda));
        if weight > 1e6 {
            // Aᵀα + Cᵀλ ≈ 0 while bᵀα + eᵀλ < 0.
            let (alpha, lambda) = (&self.alpha / weight, &self.lambda / weight);
            let slope = p.inequality_matrix.t().dot(&alpha) + p.equality_matrix.t().dot(&lambda);
            let promise = p.inequality_bound.dot(&alpha) + p.equality_target.dot(&lambda);
            if promise < 0.0 && largest(&slope) <= 1e-9 * -promise {
                let violation = p.violation(&self.x.to_vec());
                let multipliers = Multipliers {
                    equality: lambda.to_vec(),
                    inequality: alpha.to_vec(),
                };
                return Some(Verdict::Infeasible(Infeasible {
                    multipliers,
                    violation,
                }));
            }
        }
        let distance = largest(&self.x);
        if distance > 1e6 {
            let ray = &self.x / distance;
            let gain = p.linear.dot(&ray);
            let moved = p.inequality_matrix.dot(&ray);
            let stays = moved.iter().all(|&value| value <= 1e-9 * gain)
                && largest(&p.equality_matrix.dot(&ray)) <= 1e-9 * gain;
            let is_flat = largest(&p.hessian.dot(&ray)) <= 1e-9 * gain;
            if gain > 0.0 && stays && is_flat && p.violation(&self.x.to_vec()) <= 1e-6 * distance {
                let from = self.x.to_vec();
                return Some(Verdict::Unbounded(Unbounded {
                    from,
                    ray: ray.to_vec(),
                }));
            }
        }
        None
    }

    fn multipliers(&self) -> Multipliers {
        Multipliers {
            equality: self.lambda.to_vec(),
            inequality: self.alpha.to_vec(),
        }
    }

    fn finish(self, stop: Stop, trace: TraceWriter<'_>) -> ProgramSolution {
        let x = self.x.to_vec();
        let multipliers = self.multipliers();
        let active = (0..self.slack.len())
            .filter(|&i| self.alpha[i] > self.slack[i])
            .collect();
        ProgramSolution {
            value: self.program.value(&x),
            kkt: self.program.kkt(&x, &multipliers),
            x,
            multipliers,
            active,
            stop,
            trace: trace.finish(stop.into()),
        }
    }
}

/// [[H + AᵀDA, Cᵀ], [C, 0]] with D = diag(α/s), scaled to a diagonal of ones and factored with a
/// ridge. Without the scaling the barrier, whose weights span twenty orders of magnitude near the
/// end, would drown the rest.
struct System {
    exact: Array2<f64>,
    scale: Array1<f64>,
    factors: Ldlt,
}

impl System {
    fn new(path: &Path<'_>) -> Result<Self> {
        let p = path.program;
        let n = path.x.len();
        let weights = &path.alpha / &path.slack;
        let mut weighted = p.inequality_matrix.clone();
        for (mut row, weight) in weighted.rows_mut().into_iter().zip(&weights) {
            row *= *weight;
        }
        let curvature = &p.hessian + &at_times_b(p.inequality_matrix.view(), weighted.view());
        let mut exact = kkt_matrix(curvature.view(), p.equality_matrix.view());
        let mut scale = Array1::ones(exact.nrows());
        for i in 0..n {
            if curvature[[i, i]] > 0.0 {
                scale[i] = curvature[[i, i]].sqrt().recip();
            }
        }
        for (i, row) in p.equality_matrix.rows().into_iter().enumerate() {
            let largest = row
                .iter()
                .zip(&scale)
                .fold(0.0_f64, |most, (value, scale)| {
                    most.max((value * scale).abs())
                });
            if largest > 0.0 {
                scale[n + i] = largest.recip();
            }
        }
        for ((i, j), value) in exact.indexed_iter_mut() {
            *value *= scale[i] * scale[j];
        }
        let mut ridged = exact.clone();
        for (i, value) in ridged.diag_mut().iter_mut().enumerate() {
            *value += if i < n { RIDGE } else { -RIDGE };
        }
        Ok(System {
            exact,
            scale,
            factors: Ldlt::new(ridged.view())?,
        })
    }

    /// The Newton step for the residuals and the products sᵢαᵢ − target.
    fn solve(
        &self,
        path: &Path<'_>,
        residuals: &Residuals,
        products: &Array1<f64>,
    ) -> Option<Step> {
        let p = path.program;
        let n = path.x.len();
        // α/s·(A·x + s − b) − (s·α − target)/s, what eliminating s and α leaves.
        let shift = &path.alpha / &path.slack * &residuals.inequality - products / &path.slack;
        let mut right = Array1::zeros(n + residuals.equality.len());
        let dual = &residuals.dual + &p.inequality_matrix.t().dot(&shift);
        right.slice_mut(s![..n]).assign(&(-dual));
        right.slice_mut(s![n..]).assign(&(-&residuals.equality));
        let both = self.refined(&(&right * &self.scale))? * &self.scale;
        let x = both.slice(s![..n]).to_owned();
        let slack = -(&residuals.inequality + &p.inequality_matrix.dot(&x));
        let alpha = -(products + &(&path.alpha * &slack)) / &path.slack;
        Some(Step {
            x,
            slack,
            alpha,
            lambda: both.slice(s![n..]).to_owned(),
        })
    }

    /// Solves with the exact matrix by refining the solutions of the ridged one.
    fn refined(&self, right: &Array1<f64>) -> Option<Array1<f64>> {
        let mut solution = self.factors.solve_vector(right.view()).ok()?;
        let size = |values: &Array1<f64>| largest_magnitude(&values.to_vec());
        let mut rest = right - &self.exact.dot(&solution);
        for _ in 0..5 {
            if size(&rest) <= 1e-14 * size(right) {
                break;
            }
            let better = &solution + &self.factors.solve_vector(rest.view()).ok()?;
            let left = right - &self.exact.dot(&better);
            if size(&left).is_nan() || size(&left) >= size(&rest) {
                break;
            }
            (solution, rest) = (better, left);
        }
        solution
            .iter()
            .all(|value| value.is_finite())
            .then_some(solution)
    }
}
