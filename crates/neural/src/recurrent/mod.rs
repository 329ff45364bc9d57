//! Networks that read sequences item by item and remember.

mod cell;
mod classifier;
mod diagnostics;
mod labeller;
mod layer;
mod network;
mod packing;
mod parameters;
mod problem;
mod stack;

pub use cell::{Cell, LstmVariant};
pub use classifier::{SequenceClassifier, SequenceClassifierModel};
pub use diagnostics::GradientNorms;
pub use labeller::RecurrentModel;
pub use network::RecurrentNetwork;
pub use parameters::{Lstm, Rnn};
pub use stack::Readout;
