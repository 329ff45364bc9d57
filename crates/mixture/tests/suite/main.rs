//! What the tests of this crate claim, one module per subject.

mod dirichlet_mixture;
mod dirichlet_process;
mod discrete_mixture;
mod gaussian_mixture;
mod margin_mixture;
mod missing_values;
mod parts_of_mixtures;
mod variational_mixture;
