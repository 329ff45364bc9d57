//! Activation functions, their derivatives, and losses.

mod activation;
mod head;
mod losses;
mod transfer;

pub use activation::Activation;
pub use head::{Head, NetworkLoss, OutputActivation};
pub use losses::{
    binary_cross_entropy, cross_entropy, hinge, squared_error, weight_decay, weight_decay_gradient,
};
pub use transfer::{Transfer, softmax, softmax_jacobian};
