//! Images: filters, pooling, and networks of both.

mod classifier;
mod filters;
mod parameters;

pub use classifier::CnnModel;
pub use filters::{Filters, max_pooling, strongest_places};
pub use parameters::Cnn;
