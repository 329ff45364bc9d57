//! Learning a conditional random field: the concave objective and its climb.

use super::model::CrfModel;
use super::parameters::{Crf, CrfSolver};
use super::problem::{Context, Problem};
use super::stochastic::walk;
use super::weights::ChainWeights;
use didact_core::{Accepts, Fit, LabelledSequences, Result, Run, StopReason, Trace};
use didact_optimize::{Lbfgs, Minimise};

pub(super) const OBJECTIVE: &str = "penalised negative log-likelihood per item";
/// Steps that L-BFGS remembers. Each takes as much room as the weights and their gradient.
const MEMORY: usize = 6;
/// A gradient this many times the tolerance where rounding ends the search is as good as met.
const NEARLY: f64 = 1e3;

/// Sets weights to a point of the search.
fn set_in_units(weights: &mut ChainWeights, point: &[f64], problem: &Problem<'_>) {
    weights.set(point);
    for (weight, unit) in weights.values_mut().zip(problem.units()) {
        *weight /= unit;
    }
}

impl Fit<LabelledSequences<'_>> for Crf {
    type Model = CrfModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<CrfModel> {
        let (weights, trace) = self.climb(&data, Context::Chain, run)?;
        CrfModel::learned(weights, data.classes, trace)
    }
}

impl Crf {
    /// The objective that learning maximises, at any model of the same labels:
    /// Σ ln p(y | x) − (α/2)‖w‖² − (α_a/2)‖a‖² − (α_e/2)(‖π‖² + ‖τ‖²).
    ///
    /// The labels of the data must stand for the classes of the model in the same order.
    pub fn objective(&self, model: &CrfModel, data: &LabelledSequences<'_>) -> Result<f64> {
        let fit = model.log_probabilities(&data.sequences, data.labels)?;
        let weights = model.weights();
        let prices = self.prices(weights);
        let price: f64 = weights
            .values()
            .zip(&prices)
            .map(|(weight, price)| 0.5 * price * weight * weight)
            .sum();
        Ok(fit.iter().sum::<f64>() - price)
    }

    pub(crate) fn climb(
        &self,
        data: &LabelledSequences<'_>,
        context: Context,
        run: &Run,
    ) -> Result<(ChainWeights, Trace)> {
        let problem = Problem::new(self, data, context, run)?;
        let (weights, trace) = match self.solver {
            CrfSolver::Lbfgs => self.by_lbfgs(&problem, run)?,
            CrfSolver::Stochastic => walk(self, &problem, run)?,
        };
        Ok((problem.restore(weights)?, trace))
    }

    fn by_lbfgs(&self, problem: &Problem<'_>, run: &Run) -> Result<(ChainWeights, Trace)> {
        let mut current = problem.zeros();
        let start = vec![0.0; current.values().count()];
        let mut objective = |point: &[f64], gradient: &mut [f64]| -> Result<f64> {
            set_in_units(&mut current, point, problem);
            let value = problem.evaluate(&current, gradient, run)?;
            for (slope, unit) in gradient.iter_mut().zip(problem.units()) {
                *slope /= unit;
            }
            Ok(value)
        };
        let tolerance = problem.tolerance(self.tol);
        let search = Lbfgs {
            memory: MEMORY,
            max_iter: self.max_iter,
            gradient_tolerance: tolerance,
            ..Lbfgs::default()
        };
        let outcome = search.minimise(&mut objective, &start, run)?;
        set_in_units(&mut current, &outcome.x, problem);
        let mut trace = outcome.trace;
        trace.objective_name = OBJECTIVE.to_owned();
        if trace.stop == StopReason::Stalled && outcome.gradient_norm <= NEARLY * tolerance {
            trace.stop = StopReason::Converged;
        }
        Ok((current, trace))
    }

    /// The price of every weight.
    pub(super) fn prices(&self, weights: &ChainWeights) -> Vec<f64> {
        let mut prices = weights.clone();
        prices.coef.fill(self.alpha);
        prices.intercept.fill(0.0);
        prices.start.fill(self.end_alpha);
        prices.end.fill(self.end_alpha);
        prices.transitions.fill(self.transition_alpha);
        prices.to_vec()
    }

    /// Which weights are learned; the others stay at zero.
    pub(super) fn free(&self, weights: &ChainWeights, context: Context) -> Vec<bool> {
        let as_number = |flag: bool| f64::from(u8::from(flag));
        let (starts, ends) = (context != Context::None, context == Context::Chain);
        let mut free = weights.clone();
        free.coef.fill(1.0);
        free.intercept.fill(as_number(self.fit_intercept));
        free.start.fill(as_number(self.fit_ends && starts));
        free.end.fill(as_number(self.fit_ends && ends));
        free.transitions.fill(as_number(starts));
        free.values().map(|&flag| flag == 1.0).collect()
    }
}
