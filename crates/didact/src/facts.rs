//! What is worth knowing about a fit afterwards.

use crate::{Framing, Spec};
use didact_core::model::AnyModel;
use didact_core::{ClassName, ColumnKind, DataKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A column of the table that a model was fitted on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// The column's name.
    pub name: String,
    /// The column's kind.
    pub kind: ColumnKind,
}

/// How the fit went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingFacts {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns after encoding.
    pub columns: usize,
    /// Seconds from the first row to the finished model.
    pub seconds: f64,
    /// Iterations made, for iterative methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// Why an iterative method stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// What the method optimised, and the value it reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<(String, f64)>,
    /// Number of rows of each class, in label order, where the rows had classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_counts: Option<Vec<usize>>,
}

impl TrainingFacts {
    /// Reads iterations, stop reason and objective off the model's trace.
    pub fn of(model: &dyn AnyModel, rows: usize, seconds: f64) -> Self {
        let trace = model.trace();
        TrainingFacts {
            rows,
            columns: model.n_features(),
            seconds,
            iterations: trace.map(|trace| trace.n_iter()),
            stop: trace.map(|trace| trace.stop.to_string()),
            objective: trace.and_then(|trace| {
                trace
                    .objectives
                    .last()
                    .map(|&value| (trace.objective_name.clone(), value))
            }),
            class_counts: None,
        }
    }
}

/// The readable head of a model file: everything but the numbers of the model itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the file format.
    pub format: u32,
    /// Version of the library that wrote the file.
    pub library: String,
    /// The algorithm or pipeline with what was set by the user.
    pub specification: Spec,
    /// All parameters, defaults included.
    pub parameters: Value,
    /// The kind of data it learned from.
    pub kind: DataKind,
    /// What the rows were called: a file or a built-in data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The columns that it expects; none are listed where they have numbers and no names.
    pub features: Vec<Feature>,
    /// The column that it predicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The column that told the sequences apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<String>,
    /// The classes that it tells apart, in the user's names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<ClassName>>,
    /// How the fit went.
    pub training: TrainingFacts,
    /// What the model is for and how good it has to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
}
