//! Mistake-driven learning: look at a row, predict, be told the truth, correct the weights.
//!
//! What is corrected, and by how much, is a rule ([`UpdateRule`]); what a rule needs to run over a
//! stream is [`OnlineClassifier`]. The perceptron and passive-aggressive learning are two rules.

mod examples;
mod learner;
mod passes;
mod patience;
mod roster;
mod rule;
mod stream;
mod weights;

pub(crate) use examples::{BREATH, Examples, shuffled};
pub use learner::OnlineClassifier;
pub(crate) use learner::Standing;
pub(crate) use passes::Passes;
pub(crate) use patience::Patience;
pub(crate) use roster::{Roster, check_class_weight, check_columns};
pub use rule::{
    Aggressiveness, Correction, Denominator, PassiveAggressiveRule, PerceptronRule, Rival,
    UpdateRule,
};
pub(crate) use stream::Lesson;
pub use stream::OnlineState;
pub(crate) use weights::Weights;
