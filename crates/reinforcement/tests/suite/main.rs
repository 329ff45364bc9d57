//! What the crate promises, claim by claim.

mod acting;
mod approximation;
mod average;
mod evaluation;
mod exploration;
mod frozen_lake;
mod grid;
mod large;
mod monte_carlo;
mod planning;
mod process;
mod q_learning;
mod returns;
mod robustness;
mod td_sarsa;
mod worlds;
