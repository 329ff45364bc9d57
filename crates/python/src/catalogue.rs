//! What the catalogue knows about each algorithm, as JSON.

use crate::error::{exception, json_exception};
use didact::core::Task;
use pyo3::prelude::*;

/// For every class of the package its name, the id of the algorithm, and its task.
///
/// An algorithm that learns for several tasks is a class for each, as in scikit-learn.
#[pyfunction]
pub(crate) fn names() -> Vec<(String, &'static str, String)> {
    let mut names = Vec::new();
    for entry in didact::catalogue() {
        let mut tasks: Vec<Task> = Vec::new();
        for route in &entry.routes {
            if !tasks.contains(&route.task) {
                tasks.push(route.task);
            }
        }
        for task in &tasks {
            let suffix = match (tasks.len(), task) {
                (1, _) => "",
                (_, Task::Classification) => "Classifier",
                (_, Task::Regression) => "Regressor",
                (_, Task::Clustering) => "Clusterer",
                (_, Task::Transformation) => "Transformer",
                (_, Task::Density) => "Density",
                (_, Task::Sequence) => "Sequences",
            };
            names.push((
                format!("{}{suffix}", entry.name),
                entry.id,
                task.to_string(),
            ));
        }
    }
    names
}

/// Everything about one algorithm.
#[pyfunction]
pub(crate) fn entry(id: &str) -> PyResult<String> {
    let entry = didact::find(id).map_err(exception)?;
    serde_json::to_string(entry).map_err(json_exception)
}
