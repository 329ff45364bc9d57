//! Networks of several branches that meet in one shared layer.

mod learn;
mod network;
mod problem;

pub use learn::{KFan, KFanModel};
pub use network::{FanNetwork, InputBranch, OutputBranch};
