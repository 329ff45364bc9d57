//! Units in continuous time: leaky integrators and the networks they form.

mod course;
mod drive;
mod equilibria;
mod leaky;
mod portrait;

pub use course::{Course, Integrator, step_response};
pub use drive::Drive;
pub use equilibria::{Equilibrium, EquilibriumKind, SingleUnit};
pub use leaky::LeakyNetwork;
pub use portrait::Regime;
