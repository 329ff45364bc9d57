//! SARSA with linear functions.

use super::features::{Described, FeatureRows};
use super::model::LinearActionValues;
use super::temporal_difference::check_weights;
use crate::acting::{BREATH, checked_start, checked_step, layout_of};
use crate::{ActionLayout, Environment, Exploration};
use didact_core::random::generator;
use didact_core::{Fit, Result, Run, StopReason, TraceWriter};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns to act where states are described by features: SARSA with Q(s, a) = w_a·φ(s).
///
/// After every step, w_a ← w_a + η·(r + γ·Q(s′, a′) − Q(s, a))·φ(s), where a′ is the action taken
/// next. With one feature per state it is [`Sarsa`](crate::Sarsa) with a constant step.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome, Regress};
/// use didact_reinforcement::{DecisionProcess, Described, LinearSarsa, Simulator};
/// use ndarray::array;
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 0.0), on(1, 1.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let features = array![[1.0], [1.0]];
/// let mut game = Simulator::new(&process, 0)?;
/// let described = Described { environment: &mut game, features: features.view() };
/// let learned = LinearSarsa::default().fit(described)?;
/// let worth = learned.predict(&array![[1.0]])?;
/// assert!(worth[[0, 1]] > worth[[0, 0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinearSarsa {
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
    /// When to try something else than the best known action.
    pub exploration: Exploration,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for LinearSarsa {
    fn default() -> Self {
        LinearSarsa {
            discount: 0.9,
            n_episodes: 1000,
            max_steps: 1000,
            learning_rate: 0.1,
            decay: 0.0,
            exploration: Exploration::default(),
            random_state: 0,
        }
    }
}

/// What has been learned so far.
struct Functions {
    layout: ActionLayout,
    rows: FeatureRows,
    /// One list of weights per action.
    weights: Vec<Vec<f64>>,
    /// Q of the actions of the present state.
    values: Vec<f64>,
}

impl Functions {
    /// Looks up Q of all actions of a state.
    fn look(&mut self, state: usize) {
        let actions = &self.weights[..self.layout.n_actions(state)];
        self.values.clear();
        self.values
            .extend(actions.iter().map(|weights| self.rows.dot(state, weights)));
    }
}

impl Fit<Described<'_>> for LinearSarsa {
    type Model = LinearActionValues;

    fn learn(&self, data: Described<'_>, run: &Run) -> Result<LinearActionValues> {
        self.exploration.check()?;
        let Described {
            environment,
            features,
        } = data;
        let layout = layout_of(environment);
        let n_actions = layout.most_actions().max(1);
        let mut functions = Functions {
            layout,
            rows: FeatureRows::new(features),
            weights: vec![vec![0.0; features.ncols()]; n_actions],
            values: Vec::with_capacity(n_actions),
        };
        let mut trace = TraceWriter::new(run, "return", Some(self.n_episodes));
        let mut n_cut_off = 0;
        for number in 0..self.n_episodes {
            let (total, ended) = self.episode(environment, &mut functions, number, run)?;
            for weights in &functions.weights {
                check_weights(weights, self.learning_rate)?;
            }
            n_cut_off += usize::from(!ended);
            trace.record(total)?;
        }
        let shape = (n_actions, features.ncols());
        let weights = Array2::from_shape_vec(shape, functions.weights.concat());
        Ok(LinearActionValues {
            discount: self.discount,
            weights: weights.expect("one list of weights per action"),
            n_cut_off,
            trace: trace.finish(StopReason::IterationLimit),
        })
    }
}

impl LinearSarsa {
    /// Learns from one episode; tells its return and whether it came to an end.
    fn episode(
        &self,
        environment: &mut dyn Environment,
        functions: &mut Functions,
        number: usize,
        run: &Run,
    ) -> Result<(f64, bool)> {
        let mut chance = generator(self.random_state, number as u64);
        let rate = self.exploration.rate_at(number);
        let step_size = self.learning_rate / (1.0 + self.decay * number as f64);
        let mut state = checked_start(environment, &functions.layout, &mut chance)?;
        if functions.layout.is_terminal(state) {
            return Ok((0.0, true));
        }
        functions.look(state);
        let mut action = self.exploration.draw(&functions.values, rate, &mut chance);
        let (mut total, mut weight) = (0.0, 1.0);
        for step in 0..self.max_steps {
            if step.is_multiple_of(BREATH) {
                run.check()?;
            }
            let next = checked_step(environment, &functions.layout, action, &mut chance)?;
            total += weight * next.reward;
            weight *= self.discount;
            let ended = functions.layout.is_terminal(next.state);
            let (mut target, mut next_action) = (next.reward, action);
            if !ended {
                functions.look(next.state);
                next_action = self.exploration.draw(&functions.values, rate, &mut chance);
                target += self.discount * functions.values[next_action];
            }
            let weights = &mut functions.weights[action];
            let error = target - functions.rows.dot(state, weights);
            functions.rows.add(state, step_size * error, weights);
            if ended {
                return Ok((total, true));
            }
            (state, action) = (next.state, next_action);
        }
        Ok((total, false))
    }
}
