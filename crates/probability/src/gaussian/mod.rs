//! Algebra of normal laws, and estimates of mean and covariance.

mod algebra;
mod estimate;
mod singular;

pub use algebra::{
    GainForm, Product, affine, condition, gain, marginal, normal_product, normal_sum, product, sum,
};
pub(crate) use estimate::summarise;
pub use estimate::{GaussianEstimate, centred_gram, centred_scatter};
pub use singular::{PseudoInverse, SingularNormal, pseudo_inverse};
