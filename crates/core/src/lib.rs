//! The contracts of didact: kinds of data, the verb `fit`, abilities of models, errors, the run.
//!
//! Everything above this crate speaks in these terms; nothing in it knows an algorithm.

pub mod abilities;
pub mod any_data;
mod blocks;
pub mod catalogue;
mod class_weight;
mod classes;
mod data;
pub mod encoding;
mod error;
mod fit;
pub mod learner;
mod memory;
pub mod model;
mod online;
pub mod parallel;
pub mod parameters;
mod properties;
mod pulse;
pub mod random;
mod rows;
mod run;
mod sequence;
mod sparse;
mod table;
mod trace;

pub use abilities::{
    Assign, Classify, Decode, Deviations, Drawn, Features, Invert, LogDensity, Probabilities,
    Regress, Sample, Scores, SequenceLikelihood, Transform,
};
pub use any_data::{Data, DataKind, Learning};
pub use blocks::ask_in_blocks;
pub use catalogue::{Entry, Modelling, StateSpace, Task, Values};
pub use class_weight::{ClassWeight, present_classes};
pub use classes::{ClassName, Classes, Labels, PartialLabels};
pub use data::{
    Decisions, FitData, Labelled, LabelledSequences, Linked, Measured, Outcome, PartlyLabelled,
    Ratings, Samples, Sequences,
};
pub use error::{Error, Result};
pub use fit::{Accepts, Fit, LearnInPieces, Next, StartFrom, ensure_belongs};
pub use learner::Learner;
pub use memory::LargePages;
pub use model::{Abilities, AnyModel, Attribute, Figure, Model, Shape, Value};
pub use online::Online;
pub use parameters::Parameters;
pub use properties::{CLUSTERING_PROPERTIES, Property};
pub use rows::{OwnedRows, Rows, are_finite};
pub use run::{Cancel, Progress, Run, default_threads};
pub use sequence::{InSequence, LearnInSequence};
pub use sparse::{Csr, CsrView};
pub use table::{Column, ColumnKind, Table};
pub use trace::{StopReason, Trace, TraceWriter};
