//! Finite probability spaces, joint tables of categorical variables, and the rule of Bayes.

mod bayes;
mod event;
mod joint;
mod relations;
mod space;

pub use bayes::{GridPosterior, Posterior, bayes, posterior_on_grid};
pub use event::Event;
pub use joint::JointTable;
pub use relations::Independence;
pub use space::FiniteSpace;
