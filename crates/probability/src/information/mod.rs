//! Information content, entropy, divergence, mutual information and prefix codes.
//!
//! The base of the logarithm is an argument everywhere, because texts mix natural and binary
//! ones. Zero times the logarithm of zero is zero: what never happens carries no information.

mod code;
mod divergence;
mod entropy;
mod mutual;

pub use code::PrefixCode;
pub use divergence::{
    bernoulli_divergence, clamped_bernoulli_divergence, cross_entropy, divergence_by_integration,
    jensen_shannon, kl_divergence, multivariate_normal_divergence, normal_divergence,
};
pub use entropy::{
    binary_entropy, conditional_entropy, differential_entropy, entropy, entropy_after_linear_map,
    entropy_of_labels, information_content, joint_entropy,
};
pub use mutual::{
    canonical_correlations, gaussian_mutual_information, mutual_information,
    mutual_information_from_correlations, mutual_information_of_components,
    mutual_information_of_labels,
};

use serde::{Deserialize, Serialize};

/// The unit of information, which is the base of the logarithm.
///
/// ```
/// use didact_probability::information::{Base, entropy};
/// let coin = [0.5, 0.5];
/// assert_eq!(entropy(&coin, Base::Bits)?, 1.0);
/// assert!((entropy(&coin, Base::Nats)? - 2.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// Natural logarithms.
    #[default]
    Nats,
    /// Binary logarithms.
    Bits,
    /// Decimal logarithms.
    Digits,
}

impl Base {
    /// A number of nats in this unit.
    pub fn from_nats(self, nats: f64) -> f64 {
        match self {
            Base::Nats => nats,
            Base::Bits => nats / std::f64::consts::LN_2,
            Base::Digits => nats / std::f64::consts::LN_10,
        }
    }

    /// −p·log p in this unit, exact where p is a power of the base.
    fn share(self, p: f64) -> f64 {
        match self {
            _ if p == 0.0 => 0.0,
            Base::Nats => -p * p.ln(),
            Base::Bits => -p * p.log2(),
            Base::Digits => -p * p.log10(),
        }
    }
}
