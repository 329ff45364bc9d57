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
    /// The price of the weights of each column.
    prices: Vec<f64>,
    others: Others,
}

/// What is known of the weights that belong to no column.
struct Others {
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
        let others = ChainWeights::zeros(n_labels, 0);
        let prices = crf.prices(&others);
        let per_item = (data.labels.len() as f64).recip();
        // Where a price outweighs the data, the search goes in its unit; those of columns have
        // been dealt with.
        let unit = |price: &f64| (1.0 + price * per_item).sqrt();
        let others = Others {
            units: prices.iter().map(unit).collect(),
            free: crf.free(&others, context),
            prices,
        };
        // Two divisions, for the square of a small unit may be zero.
        let price = |unit: &f64| crf.alpha / unit / unit;
        Ok(Problem {
            prices: table.units().iter().map(price).collect(),
            table,
            labels: data.labels,
            sequences: data.sequences.ranges().collect(),
            groups: groups(&data.sequences, LEAST_ROWS),
            context,
            n_labels,
            others,
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
    pub(crate) fn units(&self) -> impl Iterator<Item = f64> {
        self.of_weights(|_| 1.0, &self.others.units)
    }

    /// The slope in these coordinates below which all slopes in units of single columns are below
    /// `tol`.
    pub(crate) fn tolerance(&self, tol: f64) -> f64 {
        tol / self.table.crowding()
    }

    /// The price of each weight.
    pub(crate) fn prices(&self) -> impl Iterator<Item = f64> {
        self.of_weights(|column| self.prices[column], &self.others.prices)
    }

    /// Which weights are learned.
    pub(crate) fn free(&self) -> impl Iterator<Item = bool> {
        self.of_weights(|_| true, &self.others.free)
    }

    /// Something of each weight, in the order of [`ChainWeights::to_vec`]: of the columns for each
    /// label, then of the others.
    fn of_weights<'b, T: Copy>(
        &'b self,
        of_column: impl Fn(usize) -> T + Copy + 'b,
        of_others: &'b [T],
    ) -> impl Iterator<Item = T> {
        let n_columns = self.prices.len();
        let columns = (0..self.n_labels).flat_map(move |_| (0..n_columns).map(of_column));
        columns.chain(of_others.iter().copied())
    }

    /// The objective; writes its slope by each weight, zero for those that are not learned.
    pub(crate) fn evaluate(
        &self,
        weights: &ChainWeights,
        gradient: &mut [f64],
        run: &Run,
    ) -> Result<f64> {
        let items = self.table.items(self.labels);
        let (fit, slopes) = self.log_likelihood(weights, items, &self.groups, run)?;
        let per_item = (self.n_items() as f64).recip();
        let mut value = -fit;
        let known = weights.values().zip(slopes.values());
        let rules = self.prices().zip(self.free());
        for ((entry, (weight, slope)), (price, free)) in gradient.iter_mut().zip(known).zip(rules) {
            let priced = price * weight;
            value += 0.5 * priced * weight;
            *entry = match free {
                true => (priced - slope) * per_item,
                false => 0.0,
            };
        }
        Ok(value * per_item)
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

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::{Csr, Labels, Sequences};

    #[test]
    fn slopes_of_single_sequences_add_up_to_those_of_all() {
        let row = |item: usize| vec![(item % 3, 1.0), (3 + item % 4, 0.5 + item as f64 / 9.0)];
        let sparse = Csr::from_rows(&(0..9).map(row).collect::<Vec<_>>(), 8).unwrap();
        let dense = sparse.view().to_dense();
        let labels = Labels::from_indices(vec![0, 1, 1, 2, 0, 0, 2, 1, 2]);
        let sequences = [
            Sequences::new(&sparse, &[4, 1, 4]).unwrap(),
            Sequences::new(&dense, &[4, 1, 4]).unwrap(),
        ];
        for sequences in sequences {
            let data = LabelledSequences::new(sequences, &labels).unwrap();
            for context in [Context::Chain, Context::None, Context::Previous] {
                let run = Run::new();
                let problem = Problem::new(&Crf::default(), &data, context, &run).unwrap();
                let mut weights = problem.zeros();
                let values = (0..weights.values().count()).map(|place| (place as f64).sin());
                weights.set(&values.collect::<Vec<_>>());
                let items = problem.table.items(problem.labels);
                let groups = &problem.groups;
                let (_, all) = problem
                    .log_likelihood(&weights, items, groups, &run)
                    .unwrap();
                let mut sum = problem.zeros();
                for sequence in 0..problem.n_sequences() {
                    sum.add(1.0, &problem.slopes_of(sequence, &weights, &run).unwrap());
                }
                for (found, expected) in sum.values().zip(all.values()) {
                    assert!((found - expected).abs() < 1e-12, "{context:?}");
                }
            }
        }
    }
}
