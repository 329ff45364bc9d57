//! Explaining sequences by states: Viterbi, posteriors, likelihoods.

use super::chain::Chain;
use super::emission::Evaluated;
use super::expect::Expectation;
use super::groups::{LEAST_ROWS, groups, over_groups};
use super::model::{Engine, HmmModel};
use super::scaled::ITEMS_PER_CHECK;
use didact_core::{Classes, Decode, Result, Run, SequenceLikelihood, Sequences};
use didact_math::numeric::argmax;
use ndarray::Array2;
use std::ops::Range;

impl Decode for HmmModel {
    fn n_states(&self) -> usize {
        HmmModel::n_states(self)
    }

    fn state_names(&self) -> Option<&Classes> {
        self.state_names.as_ref()
    }

    /// The path that maximises p(x, h), and ln of that maximum; equally good paths are told
    /// apart by the lowest state, from the last item backwards. Where a sequence is impossible
    /// the logarithm is minus infinity and the path is all zeros.
    fn viterbi(&self, sequences: &Sequences<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
        self.over_sequences(sequences, |engine, evaluated, items, run| {
            let mut path = vec![0; items.len()];
            let score = viterbi(&engine.chain, evaluated, items, &mut path, run)?;
            Ok((path, vec![score]))
        })
    }

    /// γ_t(i) = p(h_t = i | x); equal for all states where the sequence is impossible.
    fn state_probabilities(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        let k = HmmModel::n_states(self);
        let (values, _) = self.over_sequences(sequences, |engine, evaluated, items, run| {
            let mut posteriors = vec![0.0; items.len() * k];
            let mut pairs = vec![0.0; k * k];
            let score = Expectation::new(&engine.chain, run).posteriors(
                evaluated,
                items,
                &mut posteriors,
                &mut pairs,
            )?;
            Ok((posteriors, vec![score]))
        })?;
        let shape = (values.len() / k, k);
        Ok(Array2::from_shape_vec(shape, values).expect("one row of K values per item"))
    }
}

impl SequenceLikelihood for HmmModel {
    /// ln p(x) of each sequence; minus infinity where it is impossible.
    fn log_likelihoods(&self, sequences: &Sequences<'_>) -> Result<Vec<f64>> {
        let (_, scores) = self.over_sequences(sequences, |engine, evaluated, items, run| {
            let score = Expectation::new(&engine.chain, run).log_likelihood(evaluated, items)?;
            Ok((Vec::<()>::new(), vec![score]))
        })?;
        Ok(scores)
    }
}

impl HmmModel {
    /// The most probable state of each item by itself: the path that is expected to have most
    /// states right. Unlike [`Decode::viterbi`] it may contain impossible steps.
    pub fn max_marginal(&self, sequences: &Sequences<'_>) -> Result<Vec<usize>> {
        let posteriors = self.state_probabilities(sequences)?;
        let best = |row: ndarray::ArrayView1<'_, f64>| argmax(row.iter().copied()).unwrap_or(0);
        Ok(posteriors.rows().into_iter().map(best).collect())
    }

    /// ln p(x) / n of each sequence of n items, which can be compared across lengths.
    pub fn log_likelihoods_per_item(&self, sequences: &Sequences<'_>) -> Result<Vec<f64>> {
        let mut scores = self.log_likelihoods(sequences)?;
        for (score, &length) in scores.iter_mut().zip(sequences.lengths) {
            *score /= length as f64;
        }
        Ok(scores)
    }

    /// Calls `work` for every sequence and puts the results together in order.
    fn over_sequences<T: Send>(
        &self,
        sequences: &Sequences<'_>,
        work: impl Fn(&Engine, &Evaluated<'_>, Range<usize>, &Run) -> Result<(Vec<T>, Vec<f64>)> + Sync,
    ) -> Result<(Vec<T>, Vec<f64>)> {
        let values = self.values(sequences.samples.rows())?;
        let (engine, run) = (self.engine()?, Run::new());
        let (k, d) = (HmmModel::n_states(self), sequences.samples.n_columns());
        let results = over_groups(
            &groups(sequences, LEAST_ROWS),
            &run,
            |group| {
                let rows = &values[group.rows.start * d..group.rows.end * d];
                let evaluated = engine.scorer.evaluate(rows, k, group.rows.start, &run)?;
                let (mut items, mut scores) = (Vec::new(), Vec::new());
                for range in &group.sequences {
                    let local = range.start - group.rows.start..range.end - group.rows.start;
                    let (more_items, more_scores) = work(&engine, &evaluated, local, &run)?;
                    items.extend(more_items);
                    scores.extend(more_scores);
                }
                Ok((items, scores))
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

/// Finds the best path by dynamic programming on logarithms; returns its ln p(x, h).
pub(crate) fn viterbi(
    chain: &Chain,
    evaluated: &Evaluated<'_>,
    items: Range<usize>,
    path: &mut [usize],
    run: &Run,
) -> Result<f64> {
    let k = chain.n_states;
    let n_items = items.len();
    let mut emissions = vec![0.0; n_items * k];
    evaluated.copy_logarithms(items.start, &mut emissions);
    let mut pointers = vec![0_u32; n_items * k];
    let mut scores: Vec<f64> = (0..k).map(|j| chain.log_start[j] + emissions[j]).collect();
    let mut next = vec![0.0; k];
    for t in 1..n_items {
        if t % ITEMS_PER_CHECK == 0 {
            run.check()?;
        }
        for j in 0..k {
            let column = &chain.log_transposed[j * k..(j + 1) * k];
            let (from, score) = best_sum(&scores, column);
            pointers[t * k + j] = from as u32;
            next[j] = score + emissions[t * k + j];
        }
        std::mem::swap(&mut scores, &mut next);
    }
    // The step into the stop state emits nothing.
    let (mut state, score) = best_sum(&scores, &chain.log_stop);
    if score == f64::NEG_INFINITY {
        path.fill(0);
        return Ok(score);
    }
    for t in (0..n_items).rev() {
        path[t] = state;
        state = pointers[t * k + state] as usize;
    }
    Ok(score)
}

/// The largest aᵢ + bᵢ and its place, the lowest among equals.
fn best_sum(a: &[f64], b: &[f64]) -> (usize, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, (x, y)) in a.iter().zip(b).enumerate() {
        if x + y > best.1 {
            best = (place, x + y);
        }
    }
    best
}
