//! Expected counts, and the model that explains them best.

use super::chain::NEGLIGIBLE;
use super::emission::{Emission, symbol_of};
use super::model::HmmModel;
use super::moments::GaussianMoments;
use super::parameters::Hmm;
use didact_core::model::ensure_consistent;
use didact_core::{Result, Run, ensure_belongs};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Expected counts over some sequences: what a pass of Baum–Welch keeps of them.
///
/// Every sequence is weighed by its own likelihood, so counts of several sequences add up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Σ ln p(x) over the sequences.
    pub(crate) log_likelihood: f64,
    /// The first row of the first sequence that is impossible.
    pub(crate) first_impossible: Option<usize>,
    /// Expected number of sequences that start in each state.
    pub(crate) start: Array1<f64>,
    /// Expected number of steps from state (row) to state (column).
    pub(crate) transitions: Array2<f64>,
    /// Expected number of sequences that end in each state.
    pub(crate) stop: Array1<f64>,
    /// Expected number of items emitted by each state.
    pub(crate) occupancy: Array1<f64>,
    pub(crate) emission: EmissionStatistics,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EmissionStatistics {
    /// Expected number of symbols (rows) emitted by each state (columns).
    Categorical(Array2<f64>),
    Gaussian(GaussianMoments),
}

impl Statistics {
    /// No sequences yet.
    pub(crate) fn zeros(model: &HmmModel) -> Self {
        let k = model.n_states();
        Statistics {
            log_likelihood: 0.0,
            first_impossible: None,
            start: Array1::zeros(k),
            transitions: Array2::zeros((k, k)),
            stop: Array1::zeros(k),
            occupancy: Array1::zeros(k),
            emission: match &model.emission {
                Emission::Categorical { probabilities, .. } => {
                    EmissionStatistics::Categorical(Array2::zeros((probabilities.ncols(), k)))
                }
                Emission::Gaussian { means, covariances } => {
                    EmissionStatistics::Gaussian(GaussianMoments::zeros(means, covariances))
                }
            },
        }
    }

    /// Adds the first and last posteriors of a sequence.
    pub(crate) fn add_ends(&mut self, posteriors: &[f64]) {
        let k = self.start.len();
        let last = &posteriors[posteriors.len() - k..];
        for state in 0..k {
            self.start[state] += posteriors[state];
            self.stop[state] += last[state];
        }
    }

    /// Adds the ends and steps of a known path, and writes its certainties (room for one row per
    /// item, all zero) in place of posteriors.
    pub(crate) fn add_path(&mut self, path: &[usize], certainty: &mut [f64]) {
        let k = self.start.len();
        for (values, &state) in certainty.chunks_exact_mut(k).zip(path) {
            values[state] = 1.0;
        }
        for step in path.windows(2) {
            self.transitions[[step[0], step[1]]] += 1.0;
        }
        self.add_ends(certainty);
    }

    /// Adds items with their posteriors: all of them, the last one too.
    pub(crate) fn add_items(
        &mut self,
        model: &HmmModel,
        rows: &[f64],
        posteriors: &[f64],
        run: &Run,
    ) -> Result<()> {
        let k = self.occupancy.len();
        let occupancy = self
            .occupancy
            .as_slice_mut()
            .expect("one-dimensional and owned");
        for values in posteriors.chunks_exact(k) {
            for (total, value) in occupancy.iter_mut().zip(values) {
                *total += value;
            }
        }
        match (&mut self.emission, &model.emission) {
            (EmissionStatistics::Gaussian(moments), Emission::Gaussian { means, .. }) => {
                moments.add(means, rows, posteriors, run)
            }
            (EmissionStatistics::Categorical(counts), _) => {
                let counts = counts.as_slice_mut().expect("made in C order");
                for (row, (&value, values)) in
                    rows.iter().zip(posteriors.chunks_exact(k)).enumerate()
                {
                    let symbol = symbol_of(value, row)?;
                    let totals = &mut counts[symbol * k..(symbol + 1) * k];
                    for (total, value) in totals.iter_mut().zip(values) {
                        *total += value;
                    }
                }
                Ok(())
            }
            (EmissionStatistics::Gaussian(_), Emission::Categorical { .. }) => {
                ensure_consistent(false)
            }
        }
    }

    /// Whether both are counts of the same shape, which those of another pass may not be.
    pub(crate) fn has_shape_of(&self, other: &Self) -> bool {
        let emission = match (&self.emission, &other.emission) {
            (EmissionStatistics::Categorical(a), EmissionStatistics::Categorical(b)) => {
                a.dim() == b.dim()
            }
            (EmissionStatistics::Gaussian(a), EmissionStatistics::Gaussian(b)) => a.has_shape_of(b),
            _ => false,
        };
        emission
            && self.start.len() == other.start.len()
            && self.transitions.dim() == other.transitions.dim()
            && self.stop.len() == other.stop.len()
            && self.occupancy.len() == other.occupancy.len()
    }

    /// The counts of both.
    pub(crate) fn merge(mut self, other: &Self) -> Result<Self> {
        ensure_belongs(self.has_shape_of(other))?;
        self.log_likelihood += other.log_likelihood;
        self.first_impossible = match (self.first_impossible, other.first_impossible) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
        self.start += &other.start;
        self.transitions += &other.transitions;
        self.stop += &other.stop;
        self.occupancy += &other.occupancy;
        match (&mut self.emission, &other.emission) {
            (EmissionStatistics::Categorical(left), EmissionStatistics::Categorical(right)) => {
                *left += right;
            }
            (EmissionStatistics::Gaussian(left), EmissionStatistics::Gaussian(right)) => {
                left.merge(right);
            }
            _ => ensure_consistent(false)?,
        }
        Ok(self)
    }

    /// The model that makes the counts most probable. What had probability zero keeps it, and
    /// what was never visited keeps its distribution.
    pub(crate) fn maximise(&self, mut model: HmmModel, hyper: &Hmm) -> Result<HmmModel> {
        let k = model.n_states();
        let smoothing = hyper.transition_smoothing;
        let mut start = model.startprob.to_vec();
        reestimate(&mut start, self.start.iter(), smoothing);
        model.startprob = Array1::from(start);
        for state in 0..k {
            let stop = model.stopprob.as_ref().map(|stop| stop[state]);
            let mut row: Vec<f64> = model
                .transmat
                .row(state)
                .iter()
                .copied()
                .chain(stop)
                .collect();
            let counts = self.transitions.row(state);
            let counts = counts.iter().chain(stop.map(|_| &self.stop[state]));
            reestimate(&mut row, counts, smoothing);
            if let Some(stop) = &mut model.stopprob {
                stop[state] = row[k];
            }
            model
                .transmat
                .row_mut(state)
                .assign(&Array1::from(row[..k].to_vec()));
        }
        match (&mut model.emission, &self.emission) {
            (
                Emission::Categorical { probabilities, .. },
                EmissionStatistics::Categorical(counts),
            ) => {
                for (mut row, counts) in probabilities.rows_mut().into_iter().zip(counts.columns())
                {
                    let mut values = row.to_vec();
                    reestimate(&mut values, counts.iter(), hyper.emission_smoothing);
                    row.assign(&Array1::from(values));
                }
            }
            (Emission::Gaussian { means, covariances }, EmissionStatistics::Gaussian(moments)) => {
                let occupancy = self
                    .occupancy
                    .as_slice()
                    .expect("one-dimensional and owned");
                moments.maximise(occupancy, hyper.min_covar, means, covariances)?;
            }
            _ => ensure_consistent(false)?,
        }
        Ok(model)
    }
}

/// Replaces probabilities by (count + smoothing) / total over those that are possible.
fn reestimate<'a>(
    probabilities: &mut [f64],
    counts: impl Iterator<Item = &'a f64>,
    smoothing: f64,
) {
    let smoothed: Vec<f64> = probabilities
        .iter()
        .zip(counts)
        .map(|(&probability, &count)| match probability > 0.0 {
            true => count + smoothing,
            false => 0.0,
        })
        .collect();
    let total: f64 = smoothed.iter().sum();
    if total <= NEGLIGIBLE {
        return;
    }
    for (probability, count) in probabilities.iter_mut().zip(smoothed) {
        let share = count / total;
        *probability = if share < NEGLIGIBLE { 0.0 } else { share };
    }
}

/// The logarithm of the prior that the pseudo-counts stand for, up to a constant.
///
/// With smoothing, Baum–Welch climbs the sum of this and the log-likelihood.
pub(crate) fn log_prior(model: &HmmModel, hyper: &Hmm) -> f64 {
    let weighted = |smoothing: f64, probabilities: &mut dyn Iterator<Item = &f64>| match smoothing {
        0.0 => 0.0,
        _ => {
            let possible = probabilities.filter(|&&probability| probability > 0.0);
            smoothing * possible.map(|probability| probability.ln()).sum::<f64>()
        }
    };
    let steps = model.transmat.iter().chain(model.stopprob.iter().flatten());
    let chain = weighted(
        hyper.transition_smoothing,
        &mut model.startprob.iter().chain(steps),
    );
    match &model.emission {
        Emission::Categorical { probabilities, .. } => {
            chain + weighted(hyper.emission_smoothing, &mut probabilities.iter())
        }
        Emission::Gaussian { .. } => chain,
    }
}
