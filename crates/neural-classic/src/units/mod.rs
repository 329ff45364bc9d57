//! Single units: transfer functions, threshold and radial units, logic gates.

mod transfer;
mod unit;

pub use transfer::Transfer;
pub use unit::{Gate, Unit, layers_output};
