//! Networks of layers: what flows forward, and what errors flow back.

mod architecture;
mod convolution;
mod dense;
mod dropout;
mod hidden;
mod judge;
mod layer;
mod linearised;
mod parametrised;
mod piece;
mod pooling;
mod problem;

pub(crate) use architecture::{Architecture, ensure_finite};
pub(crate) use convolution::{Convolution, Shape};
pub(crate) use dense::Dense;
pub(crate) use dropout::Dropout;
pub use hidden::{Forward, HiddenLayers};
pub(crate) use judge::{Judge, first_largest};
pub(crate) use layer::{Layer, Slot};
pub use parametrised::Network;
pub(crate) use piece::Piece;
pub(crate) use pooling::MaxPooling;
pub(crate) use problem::{Examples, FeedForward, Sparsity};
