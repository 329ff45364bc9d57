//! Finite Markov decision processes in compressed form.

mod outcomes;

use crate::ActionLayout;
use didact_core::{Accepts, Decisions, Error, FitData, Outcome, Result, Run, parallel};
use outcomes::{check_outcomes, total_probability};

/// How many states or pairs one task of a parallel sweep takes.
pub(crate) const CHUNK: usize = 4096;

/// A world of finitely many states whose laws are known: T(s, a, s′) and R(s, a, s′).
///
/// The outcomes of all actions stand in one list, so that a world of a million states is swept
/// without chasing pointers. A state without actions is terminal: its value is zero. Outcomes of
/// probability zero are dropped, and probabilities that sum to one only up to 10⁻⁹ are scaled.
///
/// ```
/// use didact_core::Outcome;
/// use didact_reinforcement::DecisionProcess;
/// // A corridor of three cells; entering the last one is worth one.
/// let corridor = DecisionProcess::from_fn(3, |state| match state {
///     2 => vec![],
///     _ => {
///         let reward = if state == 1 { 1.0 } else { 0.0 };
///         vec![vec![Outcome { state: state + 1, probability: 1.0, reward }]]
///     }
/// })?;
/// assert_eq!(corridor.action_value(1, 0, &[0.0; 3], 0.9), 1.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionProcess {
    layout: ActionLayout,
    /// The outcomes of a pair are `outcome_starts[pair]..outcome_starts[pair + 1]`.
    outcome_starts: Vec<usize>,
    next_states: Vec<u32>,
    probabilities: Vec<f64>,
    outcome_rewards: Vec<f64>,
    /// R(s, a) = Σ T(s, a, s′)·R(s, a, s′), one per pair: all that planning needs of the rewards.
    rewards: Vec<f64>,
    action_names: Vec<String>,
}

impl DecisionProcess {
    /// Compresses a world of decisions.
    pub fn new(world: &Decisions) -> Result<Self> {
        let counts = (0..world.n_states()).map(|state| world.n_actions(state));
        let layout = ActionLayout::from_counts(counts);
        let mut process = DecisionProcess::empty(world.n_states())?;
        for state in 0..world.n_states() {
            for action in 0..world.n_actions(state) {
                let outcomes = world.outcomes(state, action);
                process.push(state, action, outcomes, world.n_states())?;
            }
        }
        process.action_names = (0..layout.most_actions())
            .map(|action| world.action_name(action))
            .collect();
        process.layout = layout;
        Ok(process)
    }

    /// Asks for the outcomes of each action of each state in turn; nothing else is kept.
    pub fn from_fn(
        n_states: usize,
        mut actions: impl FnMut(usize) -> Vec<Vec<Outcome>>,
    ) -> Result<Self> {
        let mut process = DecisionProcess::empty(n_states)?;
        let mut counts = Vec::with_capacity(n_states);
        for state in 0..n_states {
            let of_state = actions(state);
            counts.push(of_state.len());
            for (action, outcomes) in of_state.iter().enumerate() {
                process.push(state, action, outcomes, n_states)?;
            }
        }
        process.layout = ActionLayout::from_counts(counts);
        process.action_names = (0..process.layout.most_actions())
            .map(|action| action.to_string())
            .collect();
        Ok(process)
    }

    /// The same world with a score R(s′) earned on entering each state, whatever the action.
    ///
    /// A text that counts the score of the first state too has the utility
    /// U(s) = R(s) + γ·V(s) where V is the value here; both have the same best policy.
    pub fn with_state_rewards(mut self, scores: &[f64]) -> Result<Self> {
        if scores.len() != self.n_states() {
            return Err(Error::data(format!(
                "there are {} scores for {} states",
                scores.len(),
                self.n_states()
            )));
        }
        if let Some(state) = scores.iter().position(|score| !score.is_finite()) {
            return Err(Error::data(format!(
                "the score of state {state} is {}; it must be a finite number",
                scores[state]
            )));
        }
        for (reward, &next) in self.outcome_rewards.iter_mut().zip(&self.next_states) {
            *reward = scores[next as usize];
        }
        for pair in 0..self.rewards.len() {
            self.rewards[pair] = self.expected_reward(pair);
        }
        Ok(self)
    }

    fn empty(n_states: usize) -> Result<Self> {
        if n_states > u32::MAX as usize {
            return Err(Error::data(format!(
                "there are {n_states} states; at most {} can be told apart",
                u32::MAX
            )));
        }
        Ok(DecisionProcess {
            layout: ActionLayout::from_counts([]),
            outcome_starts: vec![0],
            next_states: Vec::new(),
            probabilities: Vec::new(),
            outcome_rewards: Vec::new(),
            rewards: Vec::new(),
            action_names: Vec::new(),
        })
    }

    /// Adds the next action.
    fn push(
        &mut self,
        state: usize,
        action: usize,
        outcomes: &[Outcome],
        n_states: usize,
    ) -> Result<()> {
        check_outcomes(outcomes, n_states)
            .map_err(|what| Error::data(format!("state {state}, action {action}: {what}")))?;
        let total = total_probability(outcomes);
        // Thirds and tenths sum to one only up to rounding; their bits are left as they are.
        let scale = match (total - 1.0).abs() > 1e-12 {
            true => total,
            false => 1.0,
        };
        for outcome in outcomes.iter().filter(|outcome| outcome.probability > 0.0) {
            self.next_states.push(outcome.state as u32);
            self.probabilities.push(outcome.probability / scale);
            self.outcome_rewards.push(outcome.reward);
        }
        self.outcome_starts.push(self.next_states.len());
        self.rewards.push(self.expected_reward(self.rewards.len()));
        Ok(())
    }

    fn expected_reward(&self, pair: usize) -> f64 {
        let outcomes = self.outcome_starts[pair]..self.outcome_starts[pair + 1];
        let terms = outcomes.map(|place| self.probabilities[place] * self.outcome_rewards[place]);
        terms.sum()
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.layout.n_states()
    }

    /// Which actions each state has.
    pub fn layout(&self) -> &ActionLayout {
        &self.layout
    }

    /// What an action is called.
    ///
    /// # Panics
    /// When no state has that many actions.
    pub fn action_name(&self, action: usize) -> &str {
        &self.action_names[action]
    }

    /// What may follow when an action is taken in a state.
    pub fn outcomes(&self, state: usize, action: usize) -> impl Iterator<Item = Outcome> + '_ {
        self.outcomes_of(self.layout.pair(state, action))
    }

    pub(crate) fn outcomes_of(&self, pair: usize) -> impl Iterator<Item = Outcome> + '_ {
        let places = self.outcome_starts[pair]..self.outcome_starts[pair + 1];
        places.map(|place| Outcome {
            state: self.next_states[place] as usize,
            probability: self.probabilities[place],
            reward: self.outcome_rewards[place],
        })
    }

    /// R(s, a), the reward to expect of a pair.
    pub(crate) fn reward(&self, pair: usize) -> f64 {
        self.rewards[pair]
    }

    /// The largest |R(s, a)|.
    pub(crate) fn largest_reward(&self) -> f64 {
        let magnitudes = self.rewards.iter().map(|reward| reward.abs());
        magnitudes.fold(0.0, f64::max)
    }

    /// Σ T(s, a, s′)·(R(s, a, s′) + γ·V(s′)): what an action is worth when V comes after it.
    pub fn action_value(&self, state: usize, action: usize, values: &[f64], discount: f64) -> f64 {
        self.pair_value(self.layout.pair(state, action), discount, |next| {
            values[next]
        })
    }

    /// The same for a pair, with the values of the states that follow given by a function.
    #[inline(always)]
    pub(crate) fn pair_value(
        &self,
        pair: usize,
        discount: f64,
        value_of: impl Fn(usize) -> f64,
    ) -> f64 {
        let places = self.outcome_starts[pair]..self.outcome_starts[pair + 1];
        let states = &self.next_states[places.clone()];
        let mut next = 0.0;
        for (&state, &probability) in states.iter().zip(&self.probabilities[places]) {
            next += probability * value_of(state as usize);
        }
        self.rewards[pair] + discount * next
    }

    /// What every action is worth when V comes after it, one number per pair.
    ///
    /// # Panics
    /// When there is not one value per state.
    pub fn action_values(&self, values: &[f64], discount: f64, run: &Run) -> Result<Vec<f64>> {
        assert_eq!(values.len(), self.n_states(), "one value per state");
        let mut all = vec![0.0; self.layout.n_pairs()];
        parallel::fill(&mut all, 1, CHUNK, run, |pairs, piece| {
            for (pair, value) in pairs.zip(piece) {
                *value = self.pair_value(pair, discount, |next| values[next]);
            }
            Ok(())
        })?;
        Ok(all)
    }
}

impl TryFrom<&Decisions> for DecisionProcess {
    type Error = Error;

    fn try_from(world: &Decisions) -> Result<Self> {
        DecisionProcess::new(world)
    }
}

impl FitData for &DecisionProcess {
    fn check(&self, _accepts: Accepts) -> Result<()> {
        match self.n_states() {
            0 => Err(Error::data("there are no states")),
            _ => Ok(()),
        }
    }

    fn n_rows(&self) -> usize {
        self.n_states()
    }
}
