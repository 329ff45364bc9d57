//! Learning to act from rewards: decision processes, planning and learning by trial.
//!
//! A world whose laws are known is a [`DecisionProcess`]; one that can only be tried is an
//! [`Environment`]. A [`Policy`] says what to do in each state, and its worth is the return that it
//! earns. Where the laws are known, [`ValueIteration`], [`PolicyIteration`] and their kin plan the
//! best policy, and [`AverageReward`] does so for acting without end. Where they are not,
//! [`QLearning`], [`Sarsa`] and [`MonteCarloControl`] learn it by trial, and [`LinearSarsa`] where a
//! table of all states would be too large.
//!
//! ```
//! use didact_core::Fit;
//! use didact_data::{Grid, GridWalk};
//! use didact_reinforcement::{DecisionProcess, ValueIteration, follow};
//! let room: Grid = "...G\n.#..\nS...".parse()?;
//! let world = room.decisions(GridWalk { slip: 0.1, step: -0.04, exit: 1.0 })?;
//! let process = DecisionProcess::new(&world)?;
//! let plan = ValueIteration::default().fit(&process)?;
//! let path = follow(&process, plan.policy(), 7)?;
//! assert_eq!(path.actions.len(), 5);
//! # Ok::<(), didact_core::Error>(())
//! ```

mod acting;
mod approximation;
mod average;
mod evaluation;
mod layout;
mod learning;
mod planning;
mod policy;
mod process;
mod reach;
mod returns;
mod sweep;

pub use acting::{
    Acting, Environment, Episode, Path, PathEnd, Simulator, Transition, follow, record_episode,
    record_episodes,
};
pub use approximation::{
    Described, DescribedActing, LeastSquaresTemporalDifference, LinearActionValues, LinearSarsa,
    LinearTemporalDifference, LinearValues, group_features, one_hot_features,
};
pub use average::{AverageCriterion, AveragePlan, AverageReward, gain_and_bias};
pub use evaluation::{EvaluationMethod, Following, PolicyEvaluation, StateValues};
pub use layout::ActionLayout;
pub use learning::{
    ActionValues, Decay, EstimatedValues, Exploration, ExplorationRule, ExplorationScore,
    MonteCarloControl, MonteCarloEvaluation, QLearning, RunningMean, Sarsa, StepRule, StepSize,
    TemporalDifference, VisitRule, compare_explorations,
};
pub use planning::{
    ModifiedPolicyIteration, Plan, PolicyIteration, QValueIteration, StopRule, ValueIteration,
    bellman_residual, error_bound,
};
pub use policy::Policy;
pub use process::DecisionProcess;
pub use returns::{average_reward, discounted_return, return_bound, returns_to_go};
pub use sweep::SweepOrder;
