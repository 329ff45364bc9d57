//! Networks that learn to say their input again through a narrow or sparse code.

mod learn;
mod model;
mod parameters;

pub use model::AutoencoderModel;
pub use parameters::{Autoencoder, ReconstructionLoss};
