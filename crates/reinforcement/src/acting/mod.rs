//! The loop of agent and environment: states, actions, rewards, one step after the other.

mod environment;
mod episode;
mod path;
mod simulator;

pub use environment::{Acting, Environment, Transition};
pub(crate) use environment::{check_policy, checked_start, checked_step, layout_of};
pub(crate) use episode::{BREATH, play};
pub use episode::{Episode, record_episode, record_episodes};
pub use path::{Path, PathEnd, follow};
pub use simulator::Simulator;
