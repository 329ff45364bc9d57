//! Learning a conditional random field: the concave objective and its climb.

use super::columns::Columns;
use super::likelihood::{Items, log_likelihood};
use super::memm::stepwise_log_likelihood;
use super::model::CrfModel;
use super::parameters::Crf;
use super::weights::ChainWeights;
use crate::hmm::{LEAST_ROWS, groups};
use didact_core::{Error, Fit, LabelledSequences, Result, Run, StopReason, Trace};
use didact_optimize::{Lbfgs, Minimise};

const OBJECTIVE: &str = "penalised negative log-likelihood per item";
/// A gradient this many times the tolerance where rounding ends the search is as good as met.
const NEARLY: f64 = 1e3;

impl Fit<LabelledSequences<'_>> for Crf {
    type Model = CrfModel;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<CrfModel> {
        let (weights, trace) = self.climb(&data, Context::Chain, run)?;
        CrfModel::learned(weights, data.classes, trace)
    }
}

/// How labels may depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Neighbours have weights.
    Chain,
    /// Steps, starts and ends stay at zero: every item is labelled by itself.
    None,
    /// Each label given the one before it is a softmax of its own; ends stay at zero.
    Previous,
}

impl Crf {
    /// The objective that learning maximises, at any model of the same labels:
    /// Σ ln p(y | x) − (α/2)‖w‖² − (α_a/2)‖a‖² − (α_e/2)(‖π‖² + ‖τ‖²).
    ///
    /// The labels of the data must stand for the classes of the model in the same order.
    pub fn objective(&self, model: &CrfModel, data: &LabelledSequences<'_>) -> Result<f64> {
        let fit = model.log_probabilities(&data.sequences, data.labels)?;
        let weights = model.weights();
        let prices = self.prices(weights, &vec![1.0; weights.n_features()]);
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
        let (n_labels, n_rows) = (data.classes.len(), data.labels.len());
        if n_labels == 0 {
            return Err(Error::data(
                "there are no classes; every item needs a label",
            ));
        }
        let rows = data.sequences.samples.dense()?;
        let (values, d) = (
            rows.as_slice().expect("samples keep dense rows contiguous"),
            rows.ncols(),
        );
        let columns = Columns::new(values, d, self.fit_intercept, self.alpha, run)?;
        let scaled = columns.apply(values, run)?;
        let items = Items {
            rows: &scaled,
            labels: data.labels,
        };
        let groups = groups(&data.sequences, LEAST_ROWS);
        let mut weights = ChainWeights::zeros(n_labels, d);
        let prices = self.prices(&weights, &columns.units);
        let free = self.free(&weights, context);
        let per_item = (n_rows as f64).recip();
        // Where a price outweighs the data, the search goes in its unit; those of columns have
        // been dealt with.
        let n_coef = weights.coef.len();
        let units: Vec<f64> = (0..prices.len())
            .map(|place| match place < n_coef {
                true => 1.0,
                false => (1.0 + prices[place] * per_item).sqrt(),
            })
            .collect();
        let in_units = |point: &[f64]| -> Vec<f64> {
            point.iter().zip(&units).map(|(x, unit)| x / unit).collect()
        };
        let mut current = weights.clone();
        let mut objective = |point: &[f64], gradient: &mut [f64]| -> Result<f64> {
            let point = in_units(point);
            current.set(&point);
            let (fit, slope) = match context {
                Context::Chain | Context::None => log_likelihood(&current, items, &groups, run)?,
                Context::Previous => stepwise_log_likelihood(&current, items, &groups, run)?,
            };
            let mut value = -fit;
            for (place, slope) in slope.values().enumerate() {
                let priced = prices[place] * point[place];
                value += 0.5 * priced * point[place];
                gradient[place] = match free[place] {
                    true => (priced - slope) * per_item / units[place],
                    false => 0.0,
                };
            }
            Ok(value * per_item)
        };
        let search = Lbfgs {
            max_iter: self.max_iter,
            gradient_tolerance: self.tol,
            ..Lbfgs::default()
        };
        let outcome = search.minimise(&mut objective, &weights.to_vec(), run)?;
        weights.set(&in_units(&outcome.x));
        columns.restore(&mut weights)?;
        let mut trace = outcome.trace;
        trace.objective_name = OBJECTIVE.to_owned();
        if trace.stop == StopReason::Stalled && outcome.gradient_norm <= NEARLY * self.tol {
            trace.stop = StopReason::Converged;
        }
        Ok((weights, trace))
    }

    /// The price of every weight where column j is measured in units of units[j].
    fn prices(&self, weights: &ChainWeights, units: &[f64]) -> Vec<f64> {
        let mut prices = weights.clone();
        for mut row in prices.coef.rows_mut() {
            for (price, unit) in row.iter_mut().zip(units) {
                // Two divisions, for the square of a small unit may be zero.
                *price = self.alpha / unit / unit;
            }
        }
        prices.intercept.fill(0.0);
        prices.start.fill(self.end_alpha);
        prices.end.fill(self.end_alpha);
        prices.transitions.fill(self.transition_alpha);
        prices.to_vec()
    }

    /// Which weights are learned; the others stay at zero.
    fn free(&self, weights: &ChainWeights, context: Context) -> Vec<bool> {
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
