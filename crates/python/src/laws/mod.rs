//! Laws of probability for Python, as one list.
//!
//! A line of the list ([`laws!`]) names a law, its parameters, what its values are and what it
//! can do besides. Laws are made and shown through serde, so what a constructor refuses in Rust
//! is refused in Python in the same words. The package makes a class of each line.

mod conjugate;
mod kinds;
mod list;

use crate::error::{exception, json_exception};
use conjugate::Conjugacy;
use didact::core::Value;
use didact::core::random::{Generator, generator};
use didact::{Error, Result};
use kinds::Question;
use list::LAWS;
use ndarray::{Array1, ArrayD, ArrayViewD};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

/// A law of any type.
pub(crate) trait AnyLaw: Send + Sync {
    /// The answer for each point.
    fn evaluate(&self, question: Question, points: ArrayViewD<'_, f64>) -> Result<Array1<f64>>;
    /// Something that the law knows: mean, variance, mode, entropy, median.
    fn figure(&self, name: &str) -> Result<Value<'static>>;
    /// Draws values, one after the other along the first axis.
    fn draw(&self, count: usize, generator: &mut Generator) -> Result<ArrayD<f64>>;
    /// The parameters.
    fn parameters(&self) -> Result<Json>;
}

type Made = Result<Box<dyn AnyLaw>>;
/// Fits a law to values with weights.
type Fitting = fn(ArrayViewD<'_, f64>, Option<&[f64]>) -> Made;

/// A line of the list.
pub(crate) struct Entry {
    name: &'static str,
    document: &'static [&'static str],
    /// Name, kind (number, whole, list, array, law) and default of each parameter.
    parameters: &'static [(&'static str, &'static str, Option<&'static str>)],
    /// How many axes a value has.
    axes: usize,
    abilities: fn() -> Vec<&'static str>,
    make: fn(Json) -> Made,
    fit: Option<Fitting>,
    conjugate: Option<Conjugacy>,
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::data(error.to_string())
}

/// A law with its parameters.
#[pyclass(frozen)]
pub(crate) struct Law {
    entry: &'static Entry,
    law: Box<dyn AnyLaw>,
}

impl Law {
    fn conjugacy(&self) -> PyResult<&Conjugacy> {
        let found = self.entry.conjugate.as_ref();
        found.ok_or_else(|| {
            exception(Error::unsupported(format!(
                "{} is not updated by data",
                self.entry.name
            )))
        })
    }
}

fn entry(name: &str) -> PyResult<&'static Entry> {
    let found = LAWS.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| exception(Error::data(format!("there is no law {name}"))))
}

#[pymethods]
impl Law {
    /// A law by name, its parameters as JSON.
    #[new]
    fn new(name: &str, parameters: &str) -> PyResult<Self> {
        let entry = entry(name)?;
        let parameters = serde_json::from_str(parameters).map_err(json_exception)?;
        let law = (entry.make)(parameters).map_err(exception)?;
        Ok(Law { entry, law })
    }

    /// The law that makes the data most likely.
    #[staticmethod]
    #[pyo3(signature = (name, points, weights=None))]
    fn fit(
        py: Python<'_>,
        name: &str,
        points: PyReadonlyArrayDyn<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let entry = entry(name)?;
        let fit = entry.fit.ok_or_else(|| {
            exception(Error::unsupported(format!("{name} is not fitted to data")))
        })?;
        let points = points.as_array();
        let weights = weights
            .as_ref()
            .map(|weights| weights.as_slice())
            .transpose()?;
        let law = py.detach(|| fit(points, weights)).map_err(exception)?;
        Ok(Law { entry, law })
    }

    /// The answer to a question for each point.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        question: &str,
        points: PyReadonlyArrayDyn<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let question = Question::named(question).map_err(exception)?;
        let points = points.as_array();
        let answer = py.detach(|| self.law.evaluate(question, points));
        Ok(answer.map_err(exception)?.into_pyarray(py))
    }

    /// Something that the law knows.
    fn figure<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.law.figure(name).map_err(exception)?;
        crate::value::to_python(py, value)
    }

    /// Draws values.
    fn draw<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        let drawn = py.detach(|| self.law.draw(count, &mut generator(seed, 0)));
        Ok(drawn.map_err(exception)?.into_pyarray(py).into_any())
    }

    /// The parameters as JSON.
    fn parameters(&self) -> PyResult<String> {
        Ok(self.law.parameters().map_err(exception)?.to_string())
    }

    /// What is believed after the data.
    fn update(&self, py: Python<'_>, points: PyReadonlyArrayDyn<'_, f64>) -> PyResult<Law> {
        let conjugacy = self.conjugacy()?;
        let prior = self.law.parameters().map_err(exception)?;
        let points = points.as_array();
        let posterior = py.detach(|| (conjugacy.update)(prior, points));
        let law = (self.entry.make)(posterior.map_err(exception)?).map_err(exception)?;
        Ok(Law {
            entry: self.entry,
            law,
        })
    }

    /// The log-probability of the data, with the parameter averaged out.
    fn log_evidence(&self, py: Python<'_>, points: PyReadonlyArrayDyn<'_, f64>) -> PyResult<f64> {
        let conjugacy = self.conjugacy()?;
        let prior = self.law.parameters().map_err(exception)?;
        let points = points.as_array();
        py.detach(|| (conjugacy.log_evidence)(prior, points))
            .map_err(exception)
    }

    /// The log-density of the next value, for each point.
    fn log_predictive<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArrayDyn<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let conjugacy = self.conjugacy()?;
        let prior = self.law.parameters().map_err(exception)?;
        let points = points.as_array();
        let found = py.detach(|| (conjugacy.log_predictive)(prior, points));
        Ok(found.map_err(exception)?.into_pyarray(py))
    }
}

/// Every law: name, documentation, parameters and abilities, as JSON.
#[pyfunction]
pub(crate) fn laws() -> PyResult<String> {
    let list: Vec<Json> = LAWS
        .iter()
        .map(|entry| {
            let lines: Vec<&str> = entry.document.iter().map(|line| line.trim()).collect();
            json!({
                "name": entry.name,
                "document": lines.join("\n"),
                "parameters": entry.parameters,
                "axes": entry.axes,
                "abilities": (entry.abilities)(),
                "fits": entry.fit.is_some(),
                "observes": entry.conjugate.as_ref().map(|conjugacy| conjugacy.axes),
            })
        })
        .collect();
    serde_json::to_string(&list).map_err(json_exception)
}
