//! Machines that follow real targets within a tube.

mod machine;
mod model;
mod nu;
mod svr;

pub use model::SvrModel;
pub use nu::NuSvr;
pub use svr::{Svr, Tube};
