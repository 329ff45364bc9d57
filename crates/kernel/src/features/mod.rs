//! Feature maps written out, whose inner products are a kernel or come close to one.

mod nystroem;
mod random_fourier;
mod rbf;

pub use nystroem::{Nystroem, NystroemModel};
pub use random_fourier::{RandomFourierFeatures, RandomFourierFeaturesModel};
pub use rbf::{CenterChoice, FeatureWidth, RbfFeatures, RbfFeaturesModel};
