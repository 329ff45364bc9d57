//! A known world, played as an environment.

use super::{Environment, Transition};
use crate::DecisionProcess;
use crate::policy::draw_index;
use didact_core::random::Generator;
use didact_core::{Error, Result};
use rand::RngExt;

/// Plays a known world: what follows an action is drawn from T, and its reward is R(s, a, s′).
///
/// An action that the present state does not have is a mistake of the caller and panics.
///
/// ```
/// use didact_core::random::generator;
/// use didact_core::{Decisions, Outcome};
/// use didact_reinforcement::{DecisionProcess, Environment, Simulator};
/// let leave = Outcome { state: 1, probability: 1.0, reward: 5.0 };
/// let world = Decisions::new(vec![vec![vec![leave]], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let mut game = Simulator::new(&process, 0)?;
/// let mut chance = generator(0, 0);
/// assert_eq!(game.start(&mut chance), 0);
/// assert_eq!(game.step(0, &mut chance).reward, 5.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulator<'a> {
    process: &'a DecisionProcess,
    /// States to start from and Σ of the probabilities up to each.
    starts: Vec<(usize, f64)>,
    state: usize,
}

impl<'a> Simulator<'a> {
    /// Every episode starts in the same state.
    pub fn new(process: &'a DecisionProcess, start: usize) -> Result<Self> {
        match start < process.n_states() {
            true => Ok(Simulator {
                process,
                starts: vec![(start, 1.0)],
                state: start,
            }),
            false => Err(Error::parameter(
                "start",
                start,
                format!("there are only {} states", process.n_states()),
            )),
        }
    }

    /// Episodes start in each state with the given probability.
    pub fn with_starts(process: &'a DecisionProcess, probabilities: &[f64]) -> Result<Self> {
        let is_valid = |p: &f64| (0.0..=1.0).contains(p);
        let total: f64 = probabilities.iter().sum();
        if probabilities.len() != process.n_states()
            || !probabilities.iter().all(is_valid)
            || (total - 1.0).abs() > 1e-9
        {
            return Err(Error::data(format!(
                "there are {} probabilities to start with, summing to {total}, for {} states; \
                 there must be one between 0 and 1 per state, summing to 1",
                probabilities.len(),
                process.n_states()
            )));
        }
        let mut sum = 0.0;
        let mut starts = Vec::new();
        for (state, &probability) in probabilities.iter().enumerate() {
            if probability > 0.0 {
                sum += probability;
                starts.push((state, sum));
            }
        }
        Ok(Simulator {
            process,
            state: starts[0].0,
            starts,
        })
    }

    /// Episodes start in every state that is not terminal, all equally often.
    pub fn everywhere(process: &'a DecisionProcess) -> Result<Self> {
        let layout = process.layout();
        let open = (0..layout.n_states()).filter(|&state| !layout.is_terminal(state));
        let open: Vec<usize> = open.collect();
        if open.is_empty() {
            return Err(Error::data(
                "every state is terminal; there is nothing to do",
            ));
        }
        let share = 1.0 / open.len() as f64;
        let sums = (1..=open.len()).map(|count| count as f64 * share);
        Ok(Simulator {
            process,
            state: open[0],
            starts: open.iter().copied().zip(sums).collect(),
        })
    }
}

impl Environment for Simulator<'_> {
    fn n_states(&self) -> usize {
        self.process.n_states()
    }

    fn n_actions(&self, state: usize) -> usize {
        self.process.layout().n_actions(state)
    }

    fn start(&mut self, generator: &mut Generator) -> usize {
        let drawn: f64 = match self.starts.len() {
            1 => 0.0,
            _ => generator.random(),
        };
        let place = self.starts.partition_point(|&(_, sum)| sum <= drawn);
        // What rounding leaves over goes to the last state.
        self.state = self.starts[place.min(self.starts.len() - 1)].0;
        self.state
    }

    fn step(&mut self, action: usize, generator: &mut Generator) -> Transition {
        let n_actions = self.n_actions(self.state);
        assert!(
            action < n_actions,
            "action {action} in a state that has {n_actions}"
        );
        let pair = self.process.layout().pair(self.state, action);
        let probabilities = self.process.outcomes_of(pair).map(|next| next.probability);
        let place = match self.process.outcomes_of(pair).count() {
            1 => 0,
            _ => draw_index(probabilities, generator),
        };
        let outcome = self.process.outcomes_of(pair).nth(place);
        let outcome = outcome.expect("the place is one of the outcomes");
        self.state = outcome.state;
        Transition {
            reward: outcome.reward,
            state: outcome.state,
        }
    }
}
