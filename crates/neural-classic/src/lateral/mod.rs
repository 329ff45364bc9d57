//! Networks whose outputs inhibit each other: anti-Hebbian learning.

mod foldiak;
mod foldiak_theory;
mod jutten_herault;
mod separate;

pub use foldiak::{Foldiak, FoldiakNetwork, OutputTargets};
pub use foldiak_theory::{decorrelated_covariance, foldiak_pair_weight, foldiak_weights};
pub use jutten_herault::{JuttenHeraultNetwork, OddFunction, amari_index};
pub use separate::{JuttenHerault, Separation};
