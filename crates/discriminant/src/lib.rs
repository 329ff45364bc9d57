//! Classifiers that model how each class generates its rows.
//!
//! By Bayes' rule P(class | x) ∝ P(class)·p(x | class); naive Bayes takes the attributes as
//! independent given the class, so p(x | class) is a product with one factor per attribute.

mod catalogue;
mod gaussian_nb;

pub use catalogue::catalogue;
pub use gaussian_nb::{ClassVariances, Estimate, GaussianNB, GaussianNBModel};
