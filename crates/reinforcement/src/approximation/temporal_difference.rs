//! TD(0) with a linear function.

use super::features::{DescribedActing, FeatureRows};
use super::model::LinearValues;
use crate::acting::{Acting, BREATH, checked_start, checked_step};
use didact_core::random::generator;
use didact_core::{Error, Fit, Result, Run, StopReason, TraceWriter};
use ndarray::Array1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns what a policy is worth as a linear function of features, step by step.
///
/// w ← w + η·(r + γ·w·φ(s′) − w·φ(s))·φ(s): half a gradient, since the target depends on w too and
/// is treated as given. It converges for states visited as often as the policy visits them, to the
/// fixed point that [`LeastSquaresTemporalDifference`](crate::LeastSquaresTemporalDifference)
/// solves for; with one feature per state it is [`TemporalDifference`](crate::TemporalDifference).
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{
///     DecisionProcess, DescribedActing, LinearTemporalDifference, Policy, Simulator,
///     one_hot_features,
/// };
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 2.0)], vec![on(2, 4.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let found = LinearTemporalDifference { discount: 0.5, ..Default::default() }
///     .fit(DescribedActing {
///         environment: &mut Simulator::new(&process, 0)?,
///         policy: &Policy::uniform(process.layout()),
///         features: one_hot_features(3).view(),
///     })?;
/// assert!((found.weights()[0] - 4.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinearTemporalDifference {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// How many episodes to play.
    #[schemars(range(min = 1))]
    pub n_episodes: usize,
    /// Most steps of an episode; what comes after a cut is still estimated.
    #[schemars(range(min = 1))]
    pub max_steps: usize,
    /// The step η of the first episode; at most 1/‖φ‖² is safe.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: f64,
    /// In episode e the step is η/(1 + decay·e).
    #[schemars(range(min = 0.0))]
    pub decay: f64,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for LinearTemporalDifference {
    fn default() -> Self {
        LinearTemporalDifference {
            discount: 0.9,
            n_episodes: 1000,
            max_steps: 1000,
            learning_rate: 0.1,
            decay: 0.0,
            random_state: 0,
        }
    }
}

impl Fit<DescribedActing<'_>> for LinearTemporalDifference {
    type Model = LinearValues;

    fn learn(&self, data: DescribedActing<'_>, run: &Run) -> Result<LinearValues> {
        let DescribedActing {
            environment,
            policy,
            features,
        } = data;
        let mut acting = Acting {
            environment,
            policy,
        };
        let rows = FeatureRows::new(features);
        let mut weights = vec![0.0; features.ncols()];
        let mut trace = TraceWriter::new(run, "return", Some(self.n_episodes));
        let mut n_cut_off = 0;
        for number in 0..self.n_episodes {
            let (total, ended) = self.episode(&mut acting, &rows, &mut weights, number, run)?;
            check_weights(&weights, self.learning_rate)?;
            n_cut_off += usize::from(!ended);
            trace.record(total)?;
        }
        Ok(LinearValues {
            discount: self.discount,
            weights: Array1::from(weights),
            n_cut_off,
            trace: trace.finish(StopReason::IterationLimit),
        })
    }
}

impl LinearTemporalDifference {
    /// Learns from one episode; tells its return and whether it came to an end.
    fn episode(
        &self,
        acting: &mut Acting<'_>,
        rows: &FeatureRows,
        weights: &mut [f64],
        number: usize,
        run: &Run,
    ) -> Result<(f64, bool)> {
        let layout = acting.policy.layout();
        let mut chance = generator(self.random_state, number as u64);
        let step_size = self.learning_rate / (1.0 + self.decay * number as f64);
        let mut state = checked_start(acting.environment, layout, &mut chance)?;
        let (mut total, mut weight) = (0.0, 1.0);
        for step in 0..self.max_steps {
            if step.is_multiple_of(BREATH) {
                run.check()?;
            }
            let Some(action) = acting.policy.draw(state, &mut chance) else {
                break;
            };
            let next = checked_step(acting.environment, layout, action, &mut chance)?;
            total += weight * next.reward;
            weight *= self.discount;
            let later = match layout.is_terminal(next.state) {
                true => 0.0,
                false => rows.dot(next.state, weights),
            };
            let error = next.reward + self.discount * later - rows.dot(state, weights);
            rows.add(state, step_size * error, weights);
            state = next.state;
        }
        Ok((total, layout.is_terminal(state)))
    }
}

/// Fails when the weights have run away.
pub(super) fn check_weights(weights: &[f64], learning_rate: f64) -> Result<()> {
    match weights.iter().all(|weight| weight.is_finite()) {
        true => Ok(()),
        false => Err(Error::parameter(
            "learning_rate",
            learning_rate,
            "the weights grow without end; take a smaller one, or divide features and rewards \
             by their size",
        )),
    }
}
