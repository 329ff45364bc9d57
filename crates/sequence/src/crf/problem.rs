//! The penalised likelihood of labelled sequences, in coordinates of about equal curvature.

use super::likelihood::{Items, log_likelihood};
use super::memm::stepwise_log_likelihood;
use super::parameters::Crf;
use super::table::Table;
use super::weights::ChainWeights;
use crate::hmm::{Group, LEAST_ROWS, groups};
use didact_core::{Error, LabelledSequences, Result, Run};
use std::ops::Range;

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

/// What is minimised: (−Σ ln p(y | x) + price of the weights) / n over n items.
pub(crate) struct Problem<'a> {
    table: Table,
    labels: &'a [usize],
    sequences: Vec<Range<usize>>,
    groups: Vec<Group>,
    context: Context,
    n_labels: usize,
    prices: Vec<f64>,
    free: Vec<bool>,
    units: Vec<f64>,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(
        crf: &Crf,
        data: &LabelledSequences<'a>,
        context: Context,
        run: &Run,
    ) -> Result<Self> {
        let n_labels = data.classes.len();
        if n_labels == 0 {
            return Err(Error::data(
                "there are no classes; every item needs a label",
            ));
        }
        let rows = data.sequences.samples.rows();
        let table = Table::new(rows, crf.fit_intercept, crf.alpha, run)?;
        let zeros = table.zeros(n_labels);
        let prices = crf.prices(&zeros, table.units());
        let per_item = (data.labels.len() as f64).recip();
        // Where a price outweighs the data, the search goes in its unit; those of columns have
        // been dealt with.
        let n_coef = zeros.coef.len();
        let units = (0..prices.len())
            .map(|place| match place < n_coef {
                true => 1.0,
                false => (1.0 + prices[place] * per_item).sqrt(),
            })
            .collect();
        Ok(Problem {
            table,
            labels: data.labels,
            sequences: data.sequences.ranges().collect(),
            groups: groups(&data.sequences, LEAST_ROWS),
            context,
            n_labels,
            prices,
            free: crf.free(&zeros, context),
            units,
        })
    }

    /// Weights of zero in these coordinates.
    pub(crate) fn zeros(&self) -> ChainWeights {
        self.table.zeros(self.n_labels)
    }

    pub(crate) fn n_items(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn n_sequences(&self) -> usize {
        self.sequences.len()
    }

    /// What each weight is multiplied by to have a curvature of at most about one.
    pub(crate) fn units(&self) -> &[f64] {
        &self.units
    }

    /// The slope in these coordinates below which all slopes in units of single columns are below
    /// `tol`.
    pub(crate) fn tolerance(&self, tol: f64) -> f64 {
        tol / self.table.crowding()
    }

    /// The price of each weight.
    pub(crate) fn prices(&self) -> &[f64] {
        &self.prices
    }

    /// Which weights are learned.
    pub(crate) fn free(&self) -> &[bool] {
        &self.free
    }

    /// The objective and its slope by each weight, zero for those that are not learned.
    pub(crate) fn evaluate(&self, weights: &ChainWeights, run: &Run) -> Result<(f64, Vec<f64>)> {
        let items = self.table.items(self.labels);
        let (fit, slopes) = self.log_likelihood(weights, items, &self.groups, run)?;
        let per_item = (self.n_items() as f64).recip();
        let mut value = -fit;
        let mut gradient = slopes.to_vec();
        for (place, (slope, weight)) in gradient.iter_mut().zip(weights.values()).enumerate() {
            let priced = self.prices[place] * weight;
            value += 0.5 * priced * weight;
            *slope = match self.free[place] {
                true => (priced - *slope) * per_item,
                false => 0.0,
            };
        }
        Ok((value * per_item, gradient))
    }

    /// The gradient of ln p(y | x) of one sequence.
    pub(crate) fn slopes_of(
        &self,
        sequence: usize,
        weights: &ChainWeights,
        run: &Run,
    ) -> Result<ChainWeights> {
        let rows = self.sequences[sequence].clone();
        let group = Group {
            rows: rows.clone(),
            sequences: vec![rows],
        };
        // Few items are better taken as they are than looked for column by column.
        let items = Items {
            by_column: None,
            ..self.table.items(self.labels)
        };
        Ok(self.log_likelihood(weights, items, &[group], run)?.1)
    }

    fn log_likelihood(
        &self,
        weights: &ChainWeights,
        items: Items<'_>,
        groups: &[Group],
        run: &Run,
    ) -> Result<(f64, ChainWeights)> {
        match self.context {
            Context::Chain | Context::None => log_likelihood(weights, items, groups, run),
            Context::Previous => stepwise_log_likelihood(weights, items, groups, run),
        }
    }

    /// Weights of these coordinates as weights of the columns themselves.
    pub(crate) fn restore(&self, weights: ChainWeights) -> Result<ChainWeights> {
        self.table.restore(weights)
    }
}
