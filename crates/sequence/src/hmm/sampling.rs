//! Drawing sequences from a model.

use super::emission::Emission;
use super::model::HmmModel;
use didact_core::random::{Generator, generator};
use didact_core::{Drawn, Error, Features, Result, Sample};
use didact_math::linalg::Cholesky;
use ndarray::{Array2, ArrayView1};
use rand::RngExt;
use rand_distr::StandardNormal;

impl Sample for HmmModel {
    /// Draws one sequence of the given length. A model with a stop state begins a new sequence
    /// whenever one stops, until there are enough items.
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let mut labels = Vec::with_capacity(n_rows);
        let mut state = None;
        while labels.len() < n_rows {
            state = self.next_state(state, generator);
            labels.extend(state);
        }
        self.emit(labels, generator)
    }
}

impl HmmModel {
    /// Draws one sequence that ends in the stop state; an error where it has not ended after
    /// `max_length` items, or never can.
    pub fn sample_sequence(&self, max_length: usize, seed: u64) -> Result<Drawn> {
        let generator = &mut generator(seed, 0);
        let labels = self.draw_states(max_length, generator)?;
        self.emit(labels, generator)
    }

    /// Draws sequences that end in the stop state, one after the other, with their lengths.
    pub fn sample_sequences(
        &self,
        n_sequences: usize,
        max_length: usize,
        seed: u64,
    ) -> Result<(Drawn, Vec<usize>)> {
        let generator = &mut generator(seed, 0);
        let (mut labels, mut lengths) = (Vec::new(), Vec::with_capacity(n_sequences));
        for _ in 0..n_sequences {
            let states = self.draw_states(max_length, generator)?;
            lengths.push(states.len());
            labels.extend(states);
        }
        Ok((self.emit(labels, generator)?, lengths))
    }

    fn draw_states(&self, max_length: usize, generator: &mut Generator) -> Result<Vec<usize>> {
        self.check_that_it_stops()?;
        let mut states = Vec::new();
        let mut state = self.next_state(None, generator);
        while let Some(current) = state {
            if states.len() == max_length {
                return Err(Error::parameter(
                    "max_length",
                    max_length,
                    "the sequence has not stopped by then; allow more items",
                ));
            }
            states.push(current);
            state = self.next_state(state, generator);
        }
        Ok(states)
    }

    /// Fails when some state that can be reached never leads to the stop state.
    fn check_that_it_stops(&self) -> Result<()> {
        let Some(stop) = &self.stopprob else {
            return Err(Error::unsupported(
                "the model has no stop state, so its sequences never end; draw a given length",
            ));
        };
        let k = self.n_states();
        let mut reached: Vec<bool> = self.startprob.iter().map(|&p| p > 0.0).collect();
        let mut stops: Vec<bool> = stop.iter().map(|&p| p > 0.0).collect();
        // K rounds are enough for the longest way without a loop.
        for _ in 0..k {
            for ((from, to), _) in self.transmat.indexed_iter().filter(|(_, p)| **p > 0.0) {
                reached[to] |= reached[from];
                stops[from] |= stops[to];
            }
        }
        match (0..k).find(|&state| reached[state] && !stops[state]) {
            None => Ok(()),
            Some(state) => Err(Error::data(format!(
                "from state {state} the stop state cannot be reached, so sequences may never end"
            ))),
        }
    }

    /// A state with the given probabilities.
    pub(super) fn pick_state(
        &self,
        probabilities: ArrayView1<'_, f64>,
        generator: &mut Generator,
    ) -> usize {
        let found = pick(probabilities, generator.random());
        found.unwrap_or_else(|| last_possible(probabilities))
    }

    /// The state after the given one, or the first of a sequence; nothing where it stops.
    pub(super) fn next_state(
        &self,
        state: Option<usize>,
        generator: &mut Generator,
    ) -> Option<usize> {
        let place: f64 = generator.random();
        match state {
            None => Some(
                pick(self.startprob.view(), place)
                    .unwrap_or_else(|| last_possible(self.startprob.view())),
            ),
            Some(state) => {
                let row = self.transmat.row(state);
                let found = pick(row, place);
                // Without a stop state the last bit of rounding belongs to some state too.
                found.or_else(|| self.stopprob.is_none().then(|| last_possible(row)))
            }
        }
    }

    pub(super) fn emit(&self, labels: Vec<usize>, generator: &mut Generator) -> Result<Drawn> {
        let mut rows = Array2::zeros((labels.len(), self.n_features()));
        match &self.emission {
            Emission::Categorical { probabilities, .. } => {
                for (value, &state) in rows.iter_mut().zip(&labels) {
                    let row = probabilities.row(state);
                    let symbol = pick(row, generator.random());
                    *value = symbol.unwrap_or_else(|| last_possible(row)) as f64;
                }
            }
            Emission::Gaussian { means, covariances } => {
                let d = means.ncols();
                let factors: Vec<Cholesky> = (0..self.n_states())
                    .map(|state| Ok(Cholesky::with_jitter(covariances.matrix(state, d).view())?.0))
                    .collect::<Result<_>>()?;
                let mut noise = vec![0.0; d];
                for (mut row, &state) in rows.rows_mut().into_iter().zip(&labels) {
                    noise.fill_with(|| generator.sample(StandardNormal));
                    let lower = factors[state].lower();
                    for i in 0..d {
                        let shift: f64 = (0..=i).map(|j| lower[[i, j]] * noise[j]).sum();
                        row[i] = means[[state, i]] + shift;
                    }
                }
            }
        }
        Ok(Drawn { rows, labels })
    }
}

/// The first index at which the running sum exceeds `place`.
fn pick(probabilities: ArrayView1<'_, f64>, place: f64) -> Option<usize> {
    let mut sum = 0.0;
    probabilities.iter().position(|probability| {
        sum += probability;
        place < sum
    })
}

fn last_possible(probabilities: ArrayView1<'_, f64>) -> usize {
    probabilities
        .iter()
        .rposition(|&probability| probability > 0.0)
        .unwrap_or(0)
}
