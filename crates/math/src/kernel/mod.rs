//! Kernels: similarities that are inner products in some space of features.
//!
//! [`Kernel`] is the function with its parameters, [`KernelChoice`] how the parameters of a method
//! name it; [`kernel_matrix`] computes all pairs, [`Compared`] some after the other;
//! [`check_mercer`], [`KernelCentring`] and [`normalised`] work on the matrices.

mod centring;
mod choice;
mod compared;
mod function;
mod matrix;
mod mercer;
mod width;

pub use centring::{KernelCentring, kernel_alignment, normalised};
pub use choice::{Gamma, KernelChoice, KernelName};
pub use compared::Compared;
pub use function::Kernel;
pub use matrix::{kernel_matrix, kernel_matrix_into, kernel_matrix_self, kernel_matrix_with};
pub use mercer::{Mercer, check_mercer, mercer_factor};
pub use width::RbfWidth;
