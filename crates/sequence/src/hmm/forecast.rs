//! What comes after the observed part of a sequence.

use super::emission::Emission;
use super::model::HmmModel;
use didact_core::random::generator;
use didact_core::{Decode, Drawn, Error, Features, Result, Samples, Sequences};
use ndarray::{Array1, Array2};

/// States and items expected in the steps after an observed sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct HmmForecast {
    /// γ_T·Aᵏ: the probability of each state (column) after so many steps (row).
    pub state_probabilities: Array2<f64>,
    /// The most probable state of each step; ties go to the lowest.
    pub states: Vec<usize>,
    /// The mean item of each step, where the emissions are Gaussian.
    pub means: Option<Array2<f64>>,
    /// The standard deviation of each column of the item, where the emissions are Gaussian.
    pub deviations: Option<Array2<f64>>,
    /// The probability of each symbol, where the model emits symbols.
    pub symbol_probabilities: Option<Array2<f64>>,
}

impl HmmModel {
    /// Forecasts so many steps after the items of one sequence: the posterior γ_T of the last
    /// state moves on by the transitions alone, γ_{T+k} = γ_T·Aᵏ, and ends, far ahead, at the
    /// stationary distribution: the further, the less the observed part tells.
    ///
    /// ```
    /// use didact_sequence::HmmModel;
    /// use ndarray::array;
    /// let model = HmmModel::categorical(
    ///     array![0.5, 0.5],
    ///     array![[0.9, 0.1], [0.1, 0.9]],
    ///     array![[1.0, 0.0], [0.0, 1.0]],
    /// )?;
    /// let forecast = model.forecast(&array![[0.0], [1.0]], 2)?;
    /// assert_eq!(forecast.states, [1, 1]);
    /// assert!((forecast.state_probabilities[[1, 1]] - 0.82).abs() < 1e-12);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn forecast<'a>(
        &self,
        observed: impl Into<Samples<'a>>,
        n_steps: usize,
    ) -> Result<HmmForecast> {
        let mut now = self.last_posterior(observed.into())?;
        let k = self.n_states();
        let mut state_probabilities = Array2::zeros((n_steps, k));
        for mut row in state_probabilities.rows_mut() {
            now = now.dot(self.transmat());
            row.assign(&now);
        }
        let best = |row: ndarray::ArrayView1<'_, f64>| {
            (1..k).fold(
                0,
                |best, state| if row[state] > row[best] { state } else { best },
            )
        };
        let states = state_probabilities.rows().into_iter().map(best).collect();
        let mut forecast = HmmForecast {
            states,
            means: None,
            deviations: None,
            symbol_probabilities: None,
            state_probabilities,
        };
        let weights = &forecast.state_probabilities;
        match &self.emission {
            Emission::Categorical { probabilities, .. } => {
                forecast.symbol_probabilities = Some(weights.dot(probabilities));
            }
            Emission::Gaussian { means, covariances } => {
                let expected = weights.dot(means);
                let d = self.n_features();
                let mut deviations = Array2::zeros((n_steps, d));
                for ((step, column), deviation) in deviations.indexed_iter_mut() {
                    // Within the states and between them; no difference of large squares.
                    let variance = (0..k).map(|state| {
                        let shift = means[[state, column]] - expected[[step, column]];
                        let own = covariances.matrix(state, d)[[column, column]];
                        weights[[step, state]] * (own + shift * shift)
                    });
                    *deviation = variance.sum::<f64>().sqrt();
                }
                (forecast.means, forecast.deviations) = (Some(expected), Some(deviations));
            }
        }
        Ok(forecast)
    }

    /// Draws so many items that may come after those of one sequence, with their states.
    pub fn sample_ahead<'a>(
        &self,
        observed: impl Into<Samples<'a>>,
        n_steps: usize,
        seed: u64,
    ) -> Result<Drawn> {
        let now = self.last_posterior(observed.into())?;
        let generator = &mut generator(seed, 0);
        let mut state = Some(self.pick_state(now.view(), generator));
        let mut states = Vec::with_capacity(n_steps);
        for _ in 0..n_steps {
            state = self.next_state(state, generator);
            states.extend(state);
        }
        self.emit(states, generator)
    }

    /// The probability of each state at the last item.
    fn last_posterior(&self, observed: Samples<'_>) -> Result<Array1<f64>> {
        if self.stopprob().is_some() {
            return Err(Error::unsupported(
                "the model has a stop state, after which nothing comes; forecast by a model \
                 without one",
            ));
        }
        let lengths = [observed.n_rows()];
        let sequences = Sequences::new(observed.view(), &lengths)?;
        let posteriors = self.state_probabilities(&sequences)?;
        match posteriors.nrows() {
            0 => Err(Error::data(
                "nothing was observed yet; give at least one item",
            )),
            n => Ok(posteriors.row(n - 1).to_owned()),
        }
    }
}
