//! The Dirichlet process and what it says of partitions: urns, restaurants, sticks.
//!
//! A draw G ~ DP(α, G₀) is a discrete law whose atoms come from G₀. Draws *from* such a draw repeat
//! themselves, which partitions them: that partition is the Chinese restaurant process, and the
//! limit of mixtures with K components and symmetric Dirichlet weights as K → ∞.

mod adaptive_rejection;
mod concentration;
mod finite;
mod process;
mod restaurant;
mod sticks;

pub use adaptive_rejection::AdaptiveRejection;
pub use concentration::ConcentrationPosterior;
pub use finite::{FiniteMixturePrior, SimulatedMixture};
pub use process::{DirichletProcess, DirichletProcessDraw};
pub use restaurant::ChineseRestaurant;
pub use sticks::{expected_stick_share, stick_breaking};

use didact_core::{Error, Result};

/// Fails unless the concentration is positive and finite.
fn check_concentration(concentration: f64) -> Result<()> {
    match concentration > 0.0 && concentration.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            "concentration",
            concentration,
            "it must be positive and finite",
        )),
    }
}
