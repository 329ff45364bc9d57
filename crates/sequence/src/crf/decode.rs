//! Labelling sequences: the best labels, the probabilities of labels, and ln Z(x).

use super::model::CrfModel;
use super::rows::item_scores;
use super::weights::Shift;
use crate::hmm::{Chain, Evaluated, Expectation, LEAST_ROWS, groups, over_groups, viterbi};
use didact_core::abilities::check_rows;
use didact_core::{Classes, Decode, Result, Run, Sequences};
use ndarray::Array2;
use std::ops::Range;

impl Decode for CrfModel {
    fn n_states(&self) -> usize {
        self.weights().n_labels()
    }

    fn state_names(&self) -> Option<&Classes> {
        Some(self.classes())
    }

    /// The labels y that maximise p(y | x), and ln of that maximum; equally good labellings are
    /// told apart by the lowest label, from the last item backwards.
    fn viterbi(&self, sequences: &Sequences<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
        self.over_sequences(sequences, |chain, _, evaluated, items, run| {
            let mut path = vec![0; items.len()];
            let score = viterbi(chain, evaluated, items.clone(), &mut path, run)?;
            let partition = Expectation::new(chain, run).log_likelihood(evaluated, items)?;
            // Rounding may put the best labelling above the sum over all.
            Ok((path, (score - partition).min(0.0)))
        })
    }

    /// γₜ(j) = p(yₜ = j | x).
    fn state_probabilities(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        let k = self.weights().n_labels();
        let (values, _) = self.over_sequences(sequences, |chain, _, evaluated, items, run| {
            let mut posteriors = vec![0.0; items.len() * k];
            let mut pairs = vec![0.0; k * k];
            let mut expectation = Expectation::new(chain, run);
            let value = expectation.posteriors(evaluated, items, &mut posteriors, &mut pairs)?;
            Ok((posteriors, value))
        })?;
        let shape = (values.len() / k, k);
        Ok(Array2::from_shape_vec(shape, values).expect("one row of K values per item"))
    }
}

impl CrfModel {
    /// ln Z(x) = ln Σ_y exp(s(x, y)) of each sequence.
    pub fn log_partitions(&self, sequences: &Sequences<'_>) -> Result<Vec<f64>> {
        let (_, partitions) =
            self.over_sequences(sequences, |chain, shift, evaluated, items, run| {
                let left_out = shift.of(items.len());
                let value = Expectation::new(chain, run).log_likelihood(evaluated, items)?;
                Ok((Vec::<()>::new(), value + left_out))
            })?;
        Ok(partitions)
    }

    /// Calls `work` for every sequence and puts the results together in order.
    fn over_sequences<T: Send>(
        &self,
        sequences: &Sequences<'_>,
        work: impl Fn(&Chain, Shift, &Evaluated<'_>, Range<usize>, &Run) -> Result<(Vec<T>, f64)> + Sync,
    ) -> Result<(Vec<T>, Vec<f64>)> {
        let rows = sequences.samples.rows();
        check_rows(self, rows)?;
        let (weights, run) = (self.weights().laid_out_for(rows), Run::new());
        let k = weights.n_labels();
        let (chain, shift) = weights.shifted_chain();
        let results = over_groups(
            &groups(sequences, LEAST_ROWS),
            &run,
            |group| {
                let rows = rows.slice(group.rows.clone());
                let scores = item_scores(&weights, rows, group.rows.start, &run)?;
                let evaluated = Evaluated::from_logarithms(k, scores);
                let (mut items, mut numbers) = (Vec::new(), Vec::new());
                for range in &group.sequences {
                    let local = range.start - group.rows.start..range.end - group.rows.start;
                    let (more, number) = work(&chain, shift, &evaluated, local, &run)?;
                    items.extend(more);
                    numbers.push(number);
                }
                Ok((items, numbers))
            },
            |mut left, right| {
                left.0.extend(right.0);
                left.1.extend(right.1);
                Ok(left)
            },
        )?;
        Ok(results.unwrap_or_default())
    }
}
