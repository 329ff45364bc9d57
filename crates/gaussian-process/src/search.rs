//! The search for the parameters under which the data are most probable.

use crate::process::Process;
use didact_core::{Error, Result, Run, StopReason, Trace};
use didact_optimize::{BoxSet, LbfgsB, Outcome};

/// How far from the scale of the data a parameter may go, as a factor.
const REACH: f64 = 1e5;
/// The noise may vanish further than that.
const LEAST_NOISE: f64 = 1e-10;

/// The criterion to make large, by the process; with its gradient where one is asked for.
pub(crate) type Evaluate<'a> = dyn Fn(&Process, Option<&mut [f64]>, &Run) -> Result<f64> + 'a;

/// Where parameters of the right size lie.
pub(crate) struct Scales {
    /// The mean square of the targets.
    pub(crate) amplitude: f64,
    /// The typical distance of rows along each column, or of whole rows for a single length
    /// scale.
    pub(crate) lengths: Vec<f64>,
}

/// How to search.
pub(crate) struct Search<'a> {
    /// What every criterion is divided by, so that tolerances do not depend on the number of
    /// rows.
    pub(crate) n_terms: f64,
    pub(crate) n_restarts: usize,
    pub(crate) max_iter: usize,
    pub(crate) tol: f64,
    /// The criterion on all the data.
    pub(crate) evaluate: &'a Evaluate<'a>,
    /// The criterion on enough of the data to tell good starts from bad ones.
    pub(crate) glance: &'a Evaluate<'a>,
    pub(crate) objective_name: &'static str,
}

impl Search<'_> {
    /// The best process that L-BFGS-B finds from the most promising of the starts.
    ///
    /// The starts are the given process and some that the scales of the data suggest.
    pub(crate) fn best(
        &self,
        given: &Process,
        scales: &Scales,
        run: &Run,
    ) -> Result<(Process, Trace)> {
        let bounds = bounds(given, scales)?;
        let mut starts = Vec::new();
        for start in suggestions(given, scales) {
            run.check()?;
            let process = given.with_log_parameters(&start);
            starts.push((self.finite(self.glance, &process, None, run)?, start));
        }
        // The sort is stable, so of equal starts the given one comes first.
        starts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best: Option<Outcome> = None;
        for (_, start) in starts.iter().take(1 + self.n_restarts) {
            let outcome = match self.climb(given, &bounds, start, run) {
                Err(Error::Numerical(_)) => continue,
                other => other?,
            };
            if best.as_ref().is_none_or(|best| outcome.value < best.value) {
                best = Some(outcome);
            }
        }
        match best {
            Some(outcome) => Ok(self.finish(given, outcome)),
            // Nothing is better than what was given, which says what is wrong.
            None => (self.evaluate)(given, None, run).map(|value| {
                let trace = Trace {
                    objective_name: self.objective_name.to_owned(),
                    objectives: vec![value],
                    stop: StopReason::Stalled,
                };
                (given.clone(), trace)
            }),
        }
    }

    fn climb(&self, given: &Process, bounds: &BoxSet, start: &[f64], run: &Run) -> Result<Outcome> {
        let method = LbfgsB {
            max_iter: self.max_iter,
            gradient_tolerance: self.tol,
            objective_tolerance: f64::EPSILON,
            ..LbfgsB::default()
        };
        let mut objective = |x: &[f64], gradient: &mut [f64]| -> Result<f64> {
            let process = given.with_log_parameters(x);
            let value = self.finite(self.evaluate, &process, Some(gradient), run)?;
            gradient
                .iter_mut()
                .for_each(|slope| *slope /= -self.n_terms);
            Ok(-value / self.n_terms)
        };
        method.minimise(&mut objective, bounds, start, run)
    }

    /// The criterion, −∞ where the arithmetic breaks down.
    fn finite(
        &self,
        evaluate: &Evaluate<'_>,
        process: &Process,
        gradient: Option<&mut [f64]>,
        run: &Run,
    ) -> Result<f64> {
        match evaluate(process, gradient, run) {
            Err(Error::Numerical(_)) => Ok(f64::NEG_INFINITY),
            other => other,
        }
    }

    fn finish(&self, given: &Process, outcome: Outcome) -> (Process, Trace) {
        let objectives = outcome.trace.objectives.iter();
        let trace = Trace {
            objective_name: self.objective_name.to_owned(),
            objectives: objectives.map(|value| -value * self.n_terms).collect(),
            stop: outcome.stop.into(),
        };
        (given.with_log_parameters(&outcome.x), trace)
    }
}

/// What each of the logarithms stands for, in the order of [`Process::log_parameters`]: its
/// scale.
fn scale_of_parameters(given: &Process, scales: &Scales) -> Vec<(f64, f64)> {
    let covariance = given.covariance();
    let n_scales = covariance.length_scales().len();
    let own = covariance.log_parameters().len();
    let is_linear = !covariance.shape().is_stationary();
    let lengths = scales.lengths.iter().map(|&length| (length, 1.0));
    let mut list: Vec<(f64, f64)> = match (is_linear, n_scales) {
        (true, 1) => {
            let square: f64 = scales.lengths.iter().map(|length| length * length).sum();
            vec![(scales.amplitude / square, 1.0)]
        }
        (true, _) => lengths.collect(),
        _ => std::iter::once((scales.amplitude, 1.0))
            .chain(lengths)
            .collect(),
    };
    // The exponent of a rational quadratic has no unit.
    list.resize(own, (1.0, 1.0));
    if given.noise() > 0.0 {
        list.push((scales.amplitude, LEAST_NOISE * REACH));
    }
    list
}

fn bounds(given: &Process, scales: &Scales) -> Result<BoxSet> {
    let start = given.log_parameters();
    let pairs = start.iter().zip(scale_of_parameters(given, scales));
    let (lower, upper) = pairs
        .map(|(&start, (scale, further))| {
            let (low, high) = ((scale * further / REACH).ln(), (scale * REACH).ln());
            (low.min(start), high.max(start))
        })
        .unzip();
    BoxSet::new(lower, upper)
}

/// The given logarithms, and some in units of the data: functions that bend on several lengths,
/// measured well or badly.
fn suggestions(given: &Process, scales: &Scales) -> Vec<Vec<f64>> {
    let start = given.log_parameters();
    let units: Vec<f64> = scale_of_parameters(given, scales)
        .iter()
        .map(|(scale, _)| scale.ln())
        .collect();
    let covariance = given.covariance();
    let is_linear = !covariance.shape().is_stationary();
    let first = usize::from(!is_linear);
    let lengths = match is_linear && covariance.length_scales().len() == 1 {
        true => 0..0,
        false => first..first + covariance.length_scales().len(),
    };
    let mut list = vec![start.clone()];
    for width in [0.1_f64, 0.3, 1.0] {
        for share in [0.01_f64, 0.3] {
            let mut suggested = units.clone();
            for place in lengths.clone() {
                suggested[place] += width.ln();
            }
            if given.noise() > 0.0 {
                let last = suggested.len() - 1;
                suggested[last] += share.ln();
            }
            if !list.contains(&suggested) {
                list.push(suggested);
            }
        }
    }
    list
}
