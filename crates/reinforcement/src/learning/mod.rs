//! Learning by trial: values from episodes, without knowing the laws of the world.

mod belief;
mod compare;
mod control;
mod exploration;
mod model;
mod monte_carlo;
mod monte_carlo_evaluation;
mod q_learning;
mod sarsa;
mod step_size;
mod temporal_difference;
mod visits;

pub use belief::RunningMean;
pub use compare::{ExplorationScore, compare_explorations};
pub use exploration::{Decay, Exploration, ExplorationRule};
pub use model::{ActionValues, EstimatedValues};
pub use monte_carlo::MonteCarloControl;
pub use monte_carlo_evaluation::MonteCarloEvaluation;
pub use q_learning::QLearning;
pub use sarsa::Sarsa;
pub use step_size::{StepRule, StepSize};
pub use temporal_difference::TemporalDifference;
pub use visits::VisitRule;
