//! An algorithm or pipeline with its parameters, ready to fit.

use crate::arrow::{Frame, table};
use crate::error::{exception, json_exception};
use crate::input::{Input, RowArrays, TargetArrays};
use crate::model::Model;
use crate::online::Online;
use crate::watch::watched;
use didact::core::catalogue::accept_words;
use didact::core::{DataKind, Task};
use didact::{Job, Roles, Spec, Trained};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An algorithm or pipeline with its parameters.
#[pyclass(frozen)]
pub(crate) struct Learner {
    spec: Spec,
    learner: Box<dyn didact::core::Learner>,
}

#[pymethods]
impl Learner {
    /// Reads a specification, as text or JSON, and checks its parameters.
    #[new]
    fn new(specification: &str) -> PyResult<Self> {
        let spec: Spec = specification.parse().map_err(exception)?;
        let learner = spec.learner().map_err(exception)?;
        Ok(Learner { spec, learner })
    }

    /// Learns from arrays; `names` are those of the columns, for the model file. A `start` is an
    /// earlier model to start from.
    #[pyo3(signature = (rows, targets=None, weights=None, lengths=None, names=None, threads=None, observer=None, start=None))]
    #[allow(clippy::too_many_arguments)]
    fn fit(
        &self,
        py: Python<'_>,
        rows: RowArrays<'_>,
        targets: Option<TargetArrays<'_>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        lengths: Option<Vec<usize>>,
        names: Option<Vec<String>>,
        threads: Option<usize>,
        observer: Option<Py<PyAny>>,
        start: Option<&Model>,
    ) -> PyResult<Model> {
        let input = Input::new(rows, targets, weights, lengths)?;
        let data = input.data()?;
        let mut trained = watched(py, threads, observer, input.n_values()?, |run| {
            let start = start.map(|start| start.trained().model.as_ref());
            Trained::fit_from(&self.spec, self.learner.as_ref(), start, data, run)
        })?;
        for (feature, name) in trained
            .header
            .features
            .iter_mut()
            .zip(names.unwrap_or_default())
        {
            feature.name = name;
        }
        Ok(Model::new(trained))
    }

    /// Learns from a table with named columns of any kind, as the command does.
    #[pyo3(signature = (frame, target=None, task=None, threads=None, observer=None))]
    fn fit_table(
        &self,
        py: Python<'_>,
        frame: Frame,
        target: Option<String>,
        task: Option<&str>,
        threads: Option<usize>,
        observer: Option<Py<PyAny>>,
    ) -> PyResult<Model> {
        let mut job = Job::new(self.spec.clone());
        job.roles = Roles {
            target,
            ..Roles::default()
        };
        job.task = match task {
            None => None,
            Some("classification") => Some(Task::Classification),
            Some("regression") => Some(Task::Regression),
            Some(other) => {
                return Err(PyValueError::new_err(format!(
                    "task is {other:?}; it must be \"classification\" or \"regression\""
                )));
            }
        };
        let table = table(frame)?;
        let n_values = table.n_rows() * table.n_columns();
        let trained = watched(py, threads, observer, n_values, |run| job.fit(table, run))?;
        Ok(Model::new(trained))
    }

    /// What it takes with these parameters besides plain rows, learning from this kind of data.
    fn accepts(&self, kind: &str) -> PyResult<Vec<&'static str>> {
        let kind: DataKind = serde_json::from_value(kind.into()).map_err(json_exception)?;
        let route = self.learner.route_for(kind).map_err(exception)?;
        Ok(accept_words(route.accepts))
    }

    /// Starts learning on-line.
    fn online(&self) -> Online {
        Online::new(self.spec.clone())
    }

    /// All parameters, defaults included, as JSON.
    fn parameters(&self) -> PyResult<String> {
        let parameters = self.learner.parameters().map_err(exception)?;
        Ok(parameters.to_string())
    }
}
