//! Kernel methods: linear methods in a space that only inner products know.
//!
//! A method that uses its rows through inner products alone works with any [`Kernel`] in their
//! place, and becomes non-linear in the columns. The kernels themselves, their matrices and their
//! algebra are in `didact_math::kernel`.
//!
//! [`Kernel`]: didact_math::kernel::Kernel

mod anchors;
mod catalogue;
mod class_mean;
mod features;
mod kernel_cca;
#[cfg(test)]
mod kernel_functions;
mod kernel_ica;
mod kernel_learning;
mod kernel_pca;
mod kernel_perceptron;
mod kernel_ridge;
mod roster;

pub use catalogue::catalogue;
pub use class_mean::{KernelClassMean, KernelClassMeanModel};
pub use features::{
    CenterChoice, FeatureWidth, Nystroem, NystroemModel, RandomFourierFeatures,
    RandomFourierFeaturesModel, RbfFeatures, RbfFeaturesModel,
};
pub use kernel_cca::{KernelCca, KernelCcaModel};
pub use kernel_ica::{KernelIca, KernelIcaModel};
pub use kernel_learning::{KernelMixture, Polarisation, mix_kernels, polarise};
pub use kernel_pca::{KernelPca, KernelPcaModel, PreImage};
pub use kernel_perceptron::{KernelPerceptron, KernelPerceptronModel};
pub use kernel_ridge::{KernelRidge, KernelRidgeModel};
