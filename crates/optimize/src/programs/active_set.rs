//! Convex quadratic programs by working sets.

use super::working_set::WorkingSet;
use super::{Infeasible, ProgramSolution, QuadraticProgram, Unbounded, Verdict, phase_one};
use crate::outcome::{largest_magnitude, norm};
use crate::{Multipliers, Stop};
use didact_core::{Error, Result, Run, TraceWriter, parameters};
use didact_math::linalg::{Cholesky, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayView1};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Steps of length zero in a row after which rows are chosen by their index alone, which cannot
/// cycle.
const PATIENCE: usize = 20;

/// The active-set method for convex quadratic programs, and for linear ones, where it is the
/// simplex method.
///
/// A working set W of constraints is held at equality. Each iteration solves
/// [[H, A_Wᵀ], [A_W, 0]]·[p; λ] = [d − Hx; 0] in coordinates along the constraints. Where p is zero
/// and some λ is negative, the most negative leaves W (the first of equals); otherwise x moves
/// along p until a constraint outside W blocks it and joins W. A feasible start comes from a first
/// phase that minimises the largest violation.
///
/// The answer is exact up to rounding; contradictions and objectives without lower bound come
/// with a proof.
///
/// ```
/// use didact_optimize::{ActiveSet, QuadraticProgram, Verdict};
/// use didact_core::Run;
/// use ndarray::array;
/// // x ≤ 0 and x ≥ 1.
/// let program = QuadraticProgram::new(array![[1.0]], array![0.0])?
///     .inequalities(array![[1.0], [-1.0]], array![0.0, -1.0])?;
/// let verdict = ActiveSet::default().solve(&program, &Run::new())?;
/// assert!(matches!(verdict, Verdict::Infeasible(_)));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ActiveSet {
    /// At most this many iterations; a hundred for each variable and constraint where not given.
    pub max_iter: Option<usize>,
    /// What counts as zero, relative to the numbers of the program.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
}

impl Default for ActiveSet {
    fn default() -> Self {
        ActiveSet {
            max_iter: None,
            tolerance: 1e-11,
        }
    }
}

/// One iteration of the active-set method.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveSetStep {
    /// The point before the iteration.
    pub x: Vec<f64>,
    /// The direction p; zeros where x is the minimum over the working set.
    pub direction: Vec<f64>,
    /// How far along p; zero where p is.
    pub length: f64,
    /// The inequalities of the working set and, where p is zero, their multipliers.
    pub working: Vec<(usize, Option<f64>)>,
    /// The inequality that left the working set.
    pub dropped: Option<usize>,
    /// The inequality that joined it.
    pub added: Option<usize>,
}

impl ActiveSet {
    /// Solves the program from a start that a first phase finds.
    pub fn solve(&self, program: &QuadraticProgram, run: &Run) -> Result<Verdict> {
        parameters::check(self)?;
        match phase_one::feasible_point(self, program, run)? {
            Ok(start) => Ok(self.iterate(program, start, &[], run)?.0),
            Err(proof) => Ok(Verdict::Infeasible(proof)),
        }
    }

    /// Solves the program from a feasible start and the given inequalities as working set, and
    /// returns every step as well.
    pub fn solve_from(
        &self,
        program: &QuadraticProgram,
        start: &[f64],
        working: &[usize],
        run: &Run,
    ) -> Result<(Verdict, Vec<ActiveSetStep>)> {
        parameters::check(self)?;
        let n = program.dimension();
        if start.len() != n {
            let length = format!("of length {}", start.len());
            return Err(Error::parameter(
                "start",
                length,
                format!("it must have {n} coordinates"),
            ));
        }
        crate::outcome::check_point(start)?;
        let violation = program.violation(start);
        if violation > 1e-8 * program.scale() {
            return Err(Error::parameter(
                "start",
                format!("outside the constraints by {violation:.3e}"),
                "it must fulfil them all",
            ));
        }
        let count = program.n_constraints().1;
        if let Some(row) = working.iter().find(|row| **row >= count) {
            let right = format!("there are only {count} inequalities");
            return Err(Error::parameter("working", row, right));
        }
        self.iterate(program, start.to_vec(), working, run)
    }

    pub(super) fn iterate(
        &self,
        program: &QuadraticProgram,
        start: Vec<f64>,
        working: &[usize],
        run: &Run,
    ) -> Result<(Verdict, Vec<ActiveSetStep>)> {
        let (equalities, inequalities) = program.n_constraints();
        let n = program.dimension();
        let limit = self
            .max_iter
            .unwrap_or(100 * (n + equalities + inequalities) + 100);
        let mut state = State::new(program, start, working, self.tolerance);
        let mut trace = TraceWriter::new(run, "objective", Some(limit));
        let mut steps = Vec::new();
        let stop = loop {
            if trace.n_iter() == limit {
                break Stop::IterationLimit;
            }
            let step = match state.advance()? {
                Advance::Done => break Stop::Gradient,
                Advance::Ray(ray) => {
                    return Ok((Verdict::Unbounded(Unbounded { from: state.x, ray }), steps));
                }
                Advance::Step(step) => step,
            };
            trace.record(program.value(&state.x))?;
            steps.push(step);
        };
        state.polish();
        let multipliers = state.all_multipliers();
        let solution = ProgramSolution {
            value: program.value(&state.x),
            kkt: program.kkt(&state.x, &multipliers),
            active: state.sorted_working(),
            multipliers,
            x: state.x,
            stop,
            trace: trace.finish(stop.into()),
        };
        Ok((Verdict::Optimal(solution), steps))
    }
}

enum Advance {
    /// The point is optimal.
    Done,
    /// The objective falls for ever along this direction.
    Ray(Vec<f64>),
    /// The point or the working set changed.
    Step(ActiveSetStep),
}

/// The iteration at some point.
struct State<'a> {
    program: &'a QuadraticProgram,
    tolerance: f64,
    x: Vec<f64>,
    factors: WorkingSet,
    /// The equalities in the working set; those that repeat others are left out.
    equalities: Vec<usize>,
    /// The inequalities in the working set, in the order of the factors after the equalities.
    working: Vec<usize>,
    /// ‖aᵢ‖ of each inequality.
    lengths: Vec<f64>,
    /// The last step went all the way: the point is the minimum over the working set.
    is_settled: bool,
    /// Steps of length zero in a row.
    idle: usize,
}

impl<'a> State<'a> {
    fn new(program: &'a QuadraticProgram, x: Vec<f64>, working: &[usize], tolerance: f64) -> Self {
        let mut state = State {
            program,
            tolerance,
            factors: WorkingSet::new(x.len()),
            x,
            equalities: Vec::new(),
            working: Vec::new(),
            lengths: program
                .inequality_matrix
                .rows()
                .into_iter()
                .map(|row| row.dot(&row).sqrt())
                .collect(),
            is_settled: false,
            idle: 0,
        };
        for (row, values) in program.equality_matrix.rows().into_iter().enumerate() {
            if state.factors.add(values) {
                state.equalities.push(row);
            }
        }
        for &row in working {
            let is_new =
                !state.working.contains(&row) && state.slack(row) <= 1e-8 * program.scale();
            if is_new && state.factors.add(program.inequality_matrix.row(row)) {
                state.working.push(row);
            }
        }
        state
    }

    /// bᵢ − aᵢ·x.
    fn slack(&self, row: usize) -> f64 {
        self.program.inequality_bound[row]
            - self
                .program
                .inequality_matrix
                .row(row)
                .dot(&ArrayView1::from(&self.x))
    }

    fn advance(&mut self) -> Result<Advance> {
        let gradient = self.program.gradient(&self.x);
        let z = self.factors.null_space();
        let direction = match self.is_settled {
            true => None,
            false => self.direction(&gradient, &z)?,
        };
        let x = self.x.clone();
        let Some((direction, is_ray)) = direction else {
            return Ok(self.release(&gradient, x));
        };
        let working = self.working.iter().map(|&row| (row, None)).collect();
        let (length, added) = self.longest_step(&direction, is_ray);
        if length == f64::INFINITY {
            return Ok(Advance::Ray(direction));
        }
        crate::outcome::move_along(&x, length, &direction, &mut self.x);
        self.idle = if length > 0.0 { 0 } else { self.idle + 1 };
        match added {
            Some(row) if self.factors.add(self.program.inequality_matrix.row(row)) => {
                self.working.push(row);
            }
            // The row depends on the working set: it blocks by rounding only.
            Some(_) => {}
            None => self.is_settled = true,
        }
        Ok(Advance::Step(ActiveSetStep {
            x,
            direction,
            length,
            working,
            dropped: None,
            added,
        }))
    }

    /// Drops the inequality with the most negative multiplier; optimal where there is none.
    fn release(&mut self, gradient: &Array1<f64>, x: Vec<f64>) -> Advance {
        let multipliers = self.factors.multipliers((-gradient).view());
        let own = multipliers
            .iter()
            .skip(self.equalities.len())
            .copied()
            .collect::<Vec<f64>>();
        let size = largest_magnitude(&gradient.to_vec()).max(1.0);
        // Shares of the gradient, so that a long row is not preferred by its length alone when
        // asking what is zero.
        let is_negative = |place: usize| {
            own[place] * self.lengths[self.working[place]] < -10.0 * self.tolerance * size
        };
        let candidates = (0..own.len()).filter(|&place| is_negative(place));
        let dropped = match self.idle > PATIENCE {
            // Bland's rule: the smallest index.
            true => candidates.min_by_key(|&place| self.working[place]),
            false => candidates.min_by(|&a, &b| {
                own[a]
                    .total_cmp(&own[b])
                    .then(self.working[a].cmp(&self.working[b]))
            }),
        };
        let Some(place) = dropped else {
            return Advance::Done;
        };
        let working: Vec<(usize, Option<f64>)> = self
            .working
            .iter()
            .zip(&own)
            .map(|(&row, &value)| (row, Some(value)))
            .collect();
        self.factors.remove(self.equalities.len() + place);
        let row = self.working.remove(place);
        self.is_settled = false;
        Advance::Step(ActiveSetStep {
            direction: vec![0.0; x.len()],
            x,
            length: 0.0,
            working,
            dropped: Some(row),
            added: None,
        })
    }

    /// The direction to the minimum over the working set, or one along which the objective falls
    /// for ever (then true); none where x is the minimum.
    fn direction(
        &self,
        gradient: &Array1<f64>,
        z: &Array2<f64>,
    ) -> Result<Option<(Vec<f64>, bool)>> {
        let reduced = z.t().dot(gradient);
        let size = largest_magnitude(&gradient.to_vec())
            .max(largest_magnitude(&self.program.linear.to_vec()));
        if z.ncols() == 0 || norm(&reduced.to_vec()) <= self.tolerance * size.max(1e-300) {
            return Ok(None);
        }
        let curvature = z.t().dot(&self.program.hessian).dot(z);
        let (shares, is_ray) = match self.definite(&curvature) {
            Some(factor) => (-factor.solve_vector(reduced.view()), false),
            None => self.flat_direction(&curvature, &reduced, size)?,
        };
        Ok(Some((z.dot(&shares).to_vec(), is_ray)))
    }

    /// Curvatures up to this are zero but for rounding.
    fn negligible_curvature(&self) -> f64 {
        let values = self.program.hessian.iter();
        1e-11 * values.fold(0.0_f64, |most, value| most.max(value.abs()))
    }

    /// The factor of the curvature along the working set, unless a pivot is nothing but rounding.
    fn definite(&self, curvature: &Array2<f64>) -> Option<Cholesky> {
        let least = self.negligible_curvature();
        let factor = Cholesky::new(curvature.view()).ok()?;
        let is_safe = factor
            .lower()
            .diag()
            .iter()
            .all(|pivot| pivot * pivot > least);
        is_safe.then_some(factor)
    }

    /// The direction where some curvatures are zero: along those if the objective falls there,
    /// else the shortest way to a minimum.
    fn flat_direction(
        &self,
        curvature: &Array2<f64>,
        reduced: &Array1<f64>,
        size: f64,
    ) -> Result<(Array1<f64>, bool)> {
        let eigen = symmetric_eigen(curvature.view())?;
        let least = self.negligible_curvature();
        let parts = eigen.vectors.t().dot(reduced);
        let falls = |i: usize| eigen.values[i] <= least;
        let flat: f64 = (0..parts.len())
            .filter(|&i| falls(i))
            .map(|i| parts[i] * parts[i])
            .sum();
        let is_ray = flat.sqrt() > 10.0 * self.tolerance * size;
        let shares = Array1::from_shape_fn(parts.len(), |i| match (is_ray, falls(i)) {
            (true, true) => -parts[i],
            (true, false) | (false, true) => 0.0,
            (false, false) => -parts[i] / eigen.values[i],
        });
        Ok((eigen.vectors.dot(&shares), is_ray))
    }

    /// How far x can move along a direction and the inequality that ends the move.
    fn longest_step(&self, direction: &[f64], is_ray: bool) -> (f64, Option<usize>) {
        let p = ArrayView1::from(direction);
        let length = norm(direction);
        let full = if is_ray { f64::INFINITY } else { 1.0 };
        let mut best: (f64, Option<usize>, f64) = (full, None, 0.0);
        for row in 0..self.program.inequality_bound.len() {
            let speed = self.program.inequality_matrix.row(row).dot(&p);
            if speed <= 1e-11 * self.lengths[row] * length || self.working.contains(&row) {
                continue;
            }
            let step = (self.slack(row) / speed).max(0.0);
            let share = speed / self.lengths[row];
            let is_tie = (step - best.0).abs() <= 1e-13 * step.max(1.0) && best.1.is_some();
            // Of rows that block together, the one met most squarely is the safest to hold; when
            // steps make no progress, the smallest index is.
            let is_better = match is_tie {
                true => self.idle <= PATIENCE && share > best.2 * (1.0 + 1e-9),
                false => step < best.0,
            };
            if is_better {
                best = (step, Some(row), share);
            }
        }
        (best.0, best.1)
    }

    /// Puts the point back on its working set, where rounding has moved it off, and to the
    /// minimum there.
    fn polish(&mut self) {
        let rows = self.equalities.iter().map(|&row| {
            let values = self.program.equality_matrix.row(row);
            self.program.equality_target[row] - values.dot(&ArrayView1::from(&self.x))
        });
        let missing: Array1<f64> = rows
            .chain(self.working.iter().map(|&row| self.slack(row)))
            .collect();
        let mut step = self.factors.particular(missing.view());
        let z = self.factors.null_space();
        if z.ncols() > 0 {
            let curvature = z.t().dot(&self.program.hessian).dot(&z);
            if let Some(factor) = self.definite(&curvature) {
                let gradient = self.program.gradient(&self.x) + self.program.hessian.dot(&step);
                step -= &z.dot(&factor.solve_vector(z.t().dot(&gradient).view()));
            }
        }
        let polished: Vec<f64> = self.x.iter().zip(&step).map(|(x, step)| x + step).collect();
        let report = |x: &[f64]| {
            let slope = self.program.gradient(x);
            let along = largest_magnitude(&z.t().dot(&slope).to_vec());
            along.max(self.program.violation(x))
        };
        if report(&polished) <= report(&self.x) {
            self.x = polished;
        }
    }

    fn all_multipliers(&self) -> Multipliers {
        let (equalities, inequalities) = self.program.n_constraints();
        let values = self
            .factors
            .multipliers((-self.program.gradient(&self.x)).view());
        let mut all = Multipliers {
            equality: vec![0.0; equalities],
            inequality: vec![0.0; inequalities],
        };
        for (value, &row) in values.iter().zip(&self.equalities) {
            all.equality[row] = *value;
        }
        for (value, &row) in values.iter().skip(self.equalities.len()).zip(&self.working) {
            // What is negative here was found to be zero.
            all.inequality[row] = value.max(0.0);
        }
        all
    }

    fn sorted_working(&self) -> Vec<usize> {
        let mut rows = self.working.clone();
        rows.sort_unstable();
        rows
    }
}

impl ActiveSet {
    /// The weights that prove a contradiction, scaled so that the largest is one.
    pub(super) fn proof(multipliers: Multipliers, violation: f64) -> Infeasible {
        let all: Vec<f64> = multipliers
            .equality
            .iter()
            .chain(&multipliers.inequality)
            .copied()
            .collect();
        let scale = largest_magnitude(&all).max(f64::MIN_POSITIVE);
        let divide = |values: Vec<f64>| values.into_iter().map(|value| value / scale).collect();
        Infeasible {
            multipliers: Multipliers {
                equality: divide(multipliers.equality),
                inequality: divide(multipliers.inequality),
            },
            violation,
        }
    }
}
