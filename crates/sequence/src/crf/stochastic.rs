//! Learning one sequence at a time, with the noise of single sequences taken out.

use super::learn::OBJECTIVE;
use super::parameters::Crf;
use super::problem::Problem;
use super::weights::ChainWeights;
use didact_core::random::generator;
use didact_core::{Error, Result, Run, StopReason, Trace, TraceWriter};
use rand::seq::SliceRandom;

/// What a pass that raises the objective makes of the step lengths, and one that lowers it.
const SHORTER: f64 = 0.5;
const LONGER: f64 = 1.1;
/// Steps this many times shorter than asked for get nowhere.
const SHORTEST: f64 = 1e-12;
/// A rise of the objective by less than this is rounding.
const ROUNDING: f64 = 1e-13;
/// Visits of each sequence between two sums over all of them.
const ROUNDS: usize = 2;

/// Where a pass begins: the weights, the objective there and its slopes.
struct Snapshot {
    weights: ChainWeights,
    value: f64,
    slopes: Vec<f64>,
}

impl Snapshot {
    fn new(weights: ChainWeights, problem: &Problem<'_>, run: &Run) -> Result<Self> {
        let mut slopes = vec![0.0; weights.values().count()];
        let value = problem.evaluate(&weights, &mut slopes, run)?;
        Ok(Snapshot {
            weights,
            value,
            slopes,
        })
    }

    /// The largest slope in the units of the search.
    fn steepest(&self, problem: &Problem<'_>) -> f64 {
        let slopes = self.slopes.iter().zip(problem.units());
        slopes.fold(0.0, |largest, (slope, unit)| {
            largest.max(slope.abs() / unit)
        })
    }
}

/// Minimises the objective F by steps along the gradients of single sequences.
///
/// A step of plain stochastic ascent, w ← w + η·∂ ln p(y | x), never rests, because at the
/// optimum only the sum of all gradients vanishes. Here the gradient of the same sequence at the
/// beginning w̃ of the pass is taken away and the mean of all of them added,
/// w ← w − η·((N/n)(∂fᵢ(w) − ∂fᵢ(w̃)) + ∂F(w̃) + price·(w − w̃)/n): the expected step is the same,
/// and its noise ends with the steps, so that constant η reach the optimum itself (Johnson and
/// Zhang's variance reduction).
pub(super) fn walk(crf: &Crf, problem: &Problem<'_>, run: &Run) -> Result<(ChainWeights, Trace)> {
    let rates = rates(crf, problem);
    let mut trace = TraceWriter::new(run, OBJECTIVE, Some(crf.max_iter));
    let mut here = Snapshot::new(problem.zeros(), problem, run)?;
    let mut factor = 1.0;
    let stop = loop {
        if here.steepest(problem) <= problem.tolerance(crf.tol) {
            break StopReason::Converged;
        }
        if trace.n_iter() == crf.max_iter {
            break StopReason::IterationLimit;
        }
        if factor < SHORTEST {
            break StopReason::Stalled;
        }
        let rates: Vec<f64> = rates.iter().map(|rate| rate * factor).collect();
        let order = order(problem.n_sequences(), crf.random_state, trace.n_iter());
        let next = pass(&here, problem, &rates, &order, run)
            .and_then(|weights| Snapshot::new(weights, problem, run));
        match next {
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Ok(next) if next.value <= here.value + ROUNDING * (1.0 + here.value.abs()) => {
                here = next;
                factor *= LONGER;
            }
            // Steps that lead uphill, or to scores beyond all bounds, are too long.
            Ok(_) | Err(_) => factor *= SHORTER,
        }
        trace.record(here.value)?;
    };
    Ok((here.weights, trace.finish(stop)))
}

/// Sequences in the order of their visits.
fn order(n_sequences: usize, seed: u64, pass: usize) -> Vec<usize> {
    let random = &mut generator(seed, pass as u64);
    let mut order = Vec::with_capacity(ROUNDS * n_sequences);
    for _ in 0..ROUNDS {
        let first = order.len();
        order.extend(0..n_sequences);
        order[first..].shuffle(random);
    }
    order
}

/// The weights after a visit of each sequence in the given order.
fn pass(
    from: &Snapshot,
    problem: &Problem<'_>,
    rates: &[f64],
    order: &[usize],
    run: &Run,
) -> Result<ChainWeights> {
    let per_item = (problem.n_items() as f64).recip();
    let share = problem.n_sequences() as f64 * per_item;
    let mut weights = from.weights.clone();
    for &sequence in order {
        run.check()?;
        let now = problem.slopes_of(sequence, &weights, run)?;
        let then = problem.slopes_of(sequence, &from.weights, run)?;
        let known = from.weights.values().zip(&from.slopes);
        let fresh = now.values().zip(then.values());
        let places = rates.iter().zip(problem.prices());
        for (((weight, (before, slope)), (now, then)), (rate, price)) in
            weights.values_mut().zip(known).zip(fresh).zip(places)
        {
            let priced = price * (*weight - before) * per_item;
            *weight -= rate * (slope + priced - share * (now - then));
        }
    }
    Ok(weights)
}

/// The step length of each weight, that of its group in the units of the search.
fn rates(crf: &Crf, problem: &Problem<'_>) -> Vec<f64> {
    let mut rates = problem.zeros();
    rates.coef.fill(crf.eta0);
    rates.intercept.fill(crf.eta0);
    rates.start.fill(crf.end_eta0);
    rates.end.fill(crf.end_eta0);
    rates.transitions.fill(crf.transition_eta0);
    let places = problem.units().zip(problem.free());
    rates
        .values()
        .zip(places)
        .map(|(rate, (unit, free))| match free {
            true => rate / (unit * unit),
            false => 0.0,
        })
        .collect()
}
