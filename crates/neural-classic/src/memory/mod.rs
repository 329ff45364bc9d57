//! Associative memories: patterns that are recalled from parts of themselves or from each other.

mod capacity;
mod hopfield;
mod model;
mod recall;
mod spins;
mod willshaw;

pub use capacity::{CapacityExperiment, CapacityPoint, HEBBIAN_CAPACITY};
pub use hopfield::{Hopfield, StorageRule, TieRule, UpdateMode};
pub use model::{HopfieldModel, StateKind};
pub use recall::{Recall, RecallEnd};
pub use willshaw::{RecallThreshold, Willshaw, WillshawSizes};
