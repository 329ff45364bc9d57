//! Hebbian learning: what is active together is joined more strongly.

mod mean_field;
mod pca;
mod rule;
mod traces;

pub use mean_field::{Constraint, HebbianFlow};
pub use pca::{HebbianAxes, HebbianPca, HebbianPcaModel, HebbianPcaRule, HebbianTraining};
pub use rule::{HebbNetwork, HebbRule, WeightBound, WeightDecay};
pub use traces::{hebbian_change, instar_after, outstar_after};
