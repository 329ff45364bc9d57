//! Linear-chain conditional random fields: labels that depend on their items and on each other.
//!
//! [`Crf`], [`StructuredPerceptron`] and [`ItemClassifier`] hold the hyper-parameters and learn
//! [`ChainWeights`] in three ways; [`CrfModel`] scores, decodes and gives probabilities.
//! [`Memm`] and [`MemmModel`] are the relatives that go from label to label.

mod by_column;
mod columns;
mod decode;
mod items;
mod learn;
mod likelihood;
mod memm;
mod memm_model;
mod model;
mod parameters;
mod perceptron;
mod problem;
mod rows;
mod stochastic;
mod table;
mod weights;

pub(crate) use columns::Columns;
pub(crate) use likelihood::{Items, charge};
pub(crate) use perceptron::add_count_difference;
pub(crate) use rows::item_scores;

pub use items::{ItemClassifier, label_items};
pub use memm::Memm;
pub use memm_model::MemmModel;
pub use model::CrfModel;
pub use parameters::{Crf, CrfSolver};
pub use perceptron::StructuredPerceptron;
pub use weights::ChainWeights;
