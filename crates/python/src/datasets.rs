//! Built-in data sets and generators.

use crate::arrow::columns;
use crate::error::{exception, json_exception};
use crate::input::Name;
use didact::data::ReadOptions;
use didact::datasets::{self, Dataset};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::path::PathBuf;

/// What is known about each built-in data set, as JSON.
#[pyfunction]
pub(crate) fn stored_datasets() -> PyResult<String> {
    let list: Vec<_> = datasets::list().collect();
    serde_json::to_string(&list).map_err(json_exception)
}

/// What is known about each generator, with the schema of its parameters, as JSON.
#[pyfunction]
pub(crate) fn generators() -> PyResult<String> {
    let list: Vec<_> = datasets::generators()
        .iter()
        .map(|entry| json!({"info": entry.info, "schema": *(entry.schema)()}))
        .collect();
    serde_json::to_string(&list).map_err(json_exception)
}

/// The parts of a built-in data set.
#[pyfunction]
pub(crate) fn load_dataset<'py>(py: Python<'py>, id: &str) -> PyResult<Bound<'py, PyDict>> {
    parts(py, datasets::load(id).map_err(exception)?)
}

/// The parts of a drawn data set; `parameters` is a JSON object.
#[pyfunction]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    id: &str,
    parameters: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let values = serde_json::from_str(parameters).map_err(json_exception)?;
    let drawn = py.detach(|| {
        let found = datasets::generators()
            .iter()
            .find(|entry| entry.info.id == id);
        found.map(|entry| entry.generate(&values, seed))
    });
    match drawn {
        Some(drawn) => parts(py, drawn.map_err(exception)?),
        None => Err(exception(didact::Error::data(format!(
            "there is no generator {id}"
        )))),
    }
}

/// The columns of a file by name; `options` is a JSON object of how to read it.
#[pyfunction]
pub(crate) fn read_table<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let options: ReadOptions = serde_json::from_str(options).map_err(json_exception)?;
    let table = py.detach(|| didact::data::read_table(path, &options));
    columns(py, table.map_err(exception)?)
}

fn parts(py: Python<'_>, dataset: Dataset) -> PyResult<Bound<'_, PyDict>> {
    let answer = PyDict::new(py);
    let info = dataset.info();
    answer.set_item("name", info.name)?;
    answer.set_item("DESCR", info.description)?;
    answer.set_item("source", info.source)?;
    answer.set_item("licence", info.licence)?;
    answer.set_item("feature_names", dataset.feature_names())?;
    answer.set_item("data", dataset.features().to_owned().into_pyarray(py))?;
    if let Ok(labels) = dataset.labels() {
        let names: Vec<Name> = labels.classes.names().iter().map(Name::from).collect();
        answer.set_item("target", labels.indices.clone().into_pyarray(py))?;
        answer.set_item("target_names", names)?;
    } else if let Ok(targets) = dataset.targets() {
        answer.set_item("target", targets.to_vec().into_pyarray(py))?;
    }
    if let (Some(_), Ok(sequences)) = (dataset.sequence(), dataset.sequences()) {
        answer.set_item("lengths", sequences.lengths)?;
    }
    let truths = PyDict::new(py);
    for name in dataset.truth_names() {
        if let Some(values) = dataset.truth(name) {
            truths.set_item(name, values.clone().into_pyarray(py))?;
        }
    }
    answer.set_item("truth", truths)?;
    answer.set_item("columns", columns(py, dataset.table().clone())?)?;
    Ok(answer)
}
