//! A fitted model: its abilities with arrays in and out, its knowledge, its file.

use crate::arrow::{Frame, columns, table};
use crate::error::{exception, json_exception};
use crate::functions::Answer;
use crate::input::{Name, RowArrays};
use crate::value::to_python;
use crate::watch::with_threads;
use didact::core::abilities::check_rows;
use didact::core::random::generator;
use didact::core::{AnyModel, OwnedRows, Rows, Samples, Sequences, ask_in_blocks};
use didact::{Error, Result, Trained};
use ndarray::{Array1, Array2, Axis};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// Predictions of fewer values than this cost less than handing them to another thread, or
/// even than giving up the interpreter's lock.
const SMALL: usize = 8192;

/// A fitted model and its papers.
#[pyclass(frozen)]
pub(crate) struct Model {
    trained: Trained,
}

type Vector<'py, T> = Bound<'py, PyArray1<T>>;
type Matrix<'py> = Bound<'py, PyArray2<f64>>;

fn needs<T>(ability: Option<T>, what: &str) -> Result<T> {
    ability.ok_or_else(|| Error::unsupported(format!("this model cannot {what}")))
}

impl Model {
    pub(crate) fn new(trained: Trained) -> Self {
        Model { trained }
    }

    /// The model and its papers.
    pub(crate) fn trained(&self) -> &Trained {
        &self.trained
    }

    /// Answers for the samples, on this thread when they are few.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        samples: Samples<'_>,
        threads: Option<usize>,
        work: impl Fn(&dyn AnyModel, &Samples<'_>) -> Result<T> + Send + Sync,
    ) -> PyResult<T> {
        let model = self.trained.model.as_ref();
        let answer = match samples.n_rows() * samples.n_columns() < SMALL {
            true => work(model, &samples),
            false => py.detach(|| with_threads(threads).install(|| work(model, &samples))),
        };
        answer.map_err(exception)
    }

    fn explain<T: Send>(
        &self,
        py: Python<'_>,
        rows: &RowArrays<'_>,
        lengths: &[usize],
        work: impl Fn(&dyn didact::core::Decode, &Sequences<'_>) -> Result<T> + Send + Sync,
    ) -> PyResult<T> {
        self.ask(py, rows.samples()?, None, |model, samples| {
            check_rows(model, samples.rows())?;
            let decode = needs(model.as_decode(), "explain sequences")?;
            work(decode, &Sequences::new(samples.view(), lengths)?)
        })
    }
}

#[pymethods]
impl Model {
    /// What the model says about each row by one of its abilities: `classify`, `assign` (−1 is
    /// noise), `regress`, `deviations`, `probabilities`, `scores`, `log-density` or `transform`.
    #[pyo3(signature = (ability, rows, threads=None))]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        ability: &str,
        rows: RowArrays<'_>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let said = self.ask(py, rows.samples()?, threads, |model, samples| {
            if ability == "transform" {
                // Its answers are as large as the rows, so that joining them would cost too much.
                check_rows(model, samples.rows())?;
                return Said::by(model, ability, samples.rows());
            }
            let ask = |rows: Rows<'_>| Said::by(model, ability, rows);
            let blocks = ask_in_blocks(model, samples.rows(), &with_threads(threads), ask)?;
            let mut blocks = blocks.into_iter();
            let mut first = blocks.next().expect("there is one block at least");
            first.make_room(samples.n_rows());
            Ok(blocks.fold(first, Said::followed_by))
        })?;
        said.into_python(py)
    }

    /// Rows that would be transformed into the given ones.
    #[pyo3(signature = (rows, threads=None))]
    fn invert<'py>(
        &self,
        py: Python<'py>,
        rows: RowArrays<'_>,
        threads: Option<usize>,
    ) -> PyResult<Matrix<'py>> {
        let values: Array2<f64> = self.ask(py, rows.samples()?, threads, |model, samples| {
            let invert = needs(model.as_invert(), "take a transformation back")?;
            if samples.n_columns() != invert.n_outputs() {
                return Err(Error::Columns {
                    expected: invert.n_outputs(),
                    found: samples.n_columns(),
                });
            }
            invert.invert_rows(samples.rows())
        })?;
        Ok(values.into_pyarray(py))
    }

    /// Draws rows, and where each came from.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        n_rows: usize,
        seed: u64,
    ) -> PyResult<(Matrix<'py>, Vector<'py, usize>)> {
        let drawn = py.detach(|| {
            let sample = needs(self.trained.model.as_sample(), "draw data")?;
            sample.draw(n_rows, &mut generator(seed, 0))
        });
        let drawn = drawn.map_err(exception)?;
        Ok((drawn.rows.into_pyarray(py), drawn.labels.into_pyarray(py)))
    }

    /// The most probable states of each sequence, and its log-probability with them.
    fn decode<'py>(
        &self,
        py: Python<'py>,
        rows: RowArrays<'_>,
        lengths: Vec<usize>,
    ) -> PyResult<(Vector<'py, usize>, Vector<'py, f64>)> {
        let (states, scores) = self.explain(py, &rows, &lengths, |decode, sequences| {
            decode.viterbi(sequences)
        })?;
        Ok((states.into_pyarray(py), scores.into_pyarray(py)))
    }

    /// The probability of each state at each item.
    fn state_probabilities<'py>(
        &self,
        py: Python<'py>,
        rows: RowArrays<'_>,
        lengths: Vec<usize>,
    ) -> PyResult<Matrix<'py>> {
        let values = self.explain(py, &rows, &lengths, |decode, sequences| {
            decode.state_probabilities(sequences)
        })?;
        Ok(values.into_pyarray(py))
    }

    /// The log-likelihood of each sequence.
    fn log_likelihoods<'py>(
        &self,
        py: Python<'py>,
        rows: RowArrays<'_>,
        lengths: Vec<usize>,
    ) -> PyResult<Vector<'py, f64>> {
        let values = self.ask(py, rows.samples()?, None, |model, samples| {
            check_rows(model, samples.rows())?;
            let likelihood = model.as_sequence_likelihood();
            let likelihood = needs(likelihood, "say how probable sequences are")?;
            likelihood.log_likelihoods(&Sequences::new(samples.view(), &lengths)?)
        })?;
        Ok(values.into_pyarray(py))
    }

    /// Number of columns that the model expects.
    #[getter]
    fn n_features(&self) -> usize {
        self.trained.model.n_features()
    }

    /// The names of the abilities.
    #[getter]
    fn abilities(&self) -> Vec<&'static str> {
        self.trained.model.ability_names()
    }

    /// The classes, in label order.
    #[getter]
    fn classes(&self) -> Option<Vec<Name>> {
        let classify = self.trained.model.as_classify()?;
        Some(classify.classes().names().iter().map(Name::from).collect())
    }

    /// The names of the hidden states, where they were taught.
    #[getter]
    fn state_names(&self) -> Option<Vec<Name>> {
        let names = self.trained.model.as_decode()?.state_names()?;
        Some(names.names().iter().map(Name::from).collect())
    }

    /// Something that the model knows.
    fn attribute<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let attributes = self.trained.model.attributes();
        let found = attributes
            .into_iter()
            .find(|(described, _)| described.name == name);
        found.map(|(_, value)| to_python(py, value)).transpose()
    }

    /// The name of the objective, its value after each iteration, and why the fit stopped.
    #[getter]
    fn trace<'py>(&self, py: Python<'py>) -> Option<(String, Vector<'py, f64>, String)> {
        let trace = self.trained.model.trace()?;
        Some((
            trace.objective_name.clone(),
            trace.objectives.clone().into_pyarray(py),
            trace.stop.to_string(),
        ))
    }

    /// Names of the transformed columns.
    fn output_names(&self, input_names: Vec<String>) -> PyResult<Vec<String>> {
        let transform =
            needs(self.trained.model.as_transform(), "transform rows").map_err(exception)?;
        Ok(transform.output_names(&input_names))
    }

    /// The head of the model file as JSON.
    fn header(&self) -> PyResult<String> {
        serde_json::to_string(&self.trained.header).map_err(json_exception)
    }

    /// Whether the model was fitted on a table, whose columns it encodes itself.
    #[getter]
    fn reads_tables(&self) -> bool {
        self.trained.encoding.is_some()
    }

    /// One column of answers per ability for the rows of a table, in the user's names.
    fn predict_table<'py>(&self, py: Python<'py>, frame: Frame) -> PyResult<Bound<'py, PyDict>> {
        let table = table(frame)?;
        let answers = py
            .detach(|| self.trained.predict(table))
            .map_err(exception)?;
        columns(py, answers)
    }

    /// The model file as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.trained.to_bytes()).map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads the bytes of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let trained = py
            .detach(|| Trained::from_bytes(bytes))
            .map_err(exception)?;
        Ok(Model::new(trained))
    }

    /// Writes the model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.trained.save(path)).map_err(exception)
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let trained = py.detach(|| Trained::load(path)).map_err(exception)?;
        Ok(Model::new(trained))
    }
}

/// What a model says about rows.
enum Said {
    Labels(Vec<usize>),
    Clusters(Vec<Option<usize>>),
    Numbers(Array1<f64>),
    Matrix(Array2<f64>),
    Rows(OwnedRows),
}

impl Said {
    fn by(model: &dyn AnyModel, ability: &str, rows: Rows<'_>) -> Result<Self> {
        match ability {
            "classify" => {
                let able = needs(model.as_classify(), "classify")?;
                let labels = able.decide(rows)?;
                let decided: Option<Vec<usize>> = labels.iter().copied().collect();
                Ok(decided.map_or(Said::Clusters(labels), Said::Labels))
            }
            "assign" => {
                let able = needs(model.as_assign(), "assign rows to clusters")?;
                able.assign(rows).map(Said::Clusters)
            }
            "regress" => {
                let able = needs(model.as_regress(), "predict numbers")?;
                able.regress(rows).map(Said::Matrix)
            }
            "deviations" => {
                let able = needs(model.as_deviations(), "say how sure it is")?;
                able.deviations(rows).map(Said::Matrix)
            }
            "probabilities" => {
                let able = needs(model.as_probabilities(), "give probabilities")?;
                able.probabilities(rows).map(Said::Matrix)
            }
            "scores" => {
                let able = needs(model.as_scores(), "give decision scores")?;
                able.scores(rows).map(Said::Matrix)
            }
            "log-density" => {
                let able = needs(model.as_log_density(), "give densities")?;
                able.log_density(rows).map(Said::Numbers)
            }
            "transform" => {
                let able = needs(model.as_transform(), "transform rows")?;
                able.transform_rows(rows).map(Said::Rows)
            }
            _ => Err(Error::unsupported(format!("there is no ability {ability}"))),
        }
    }

    /// Makes room for the labels of so many rows, so that they are not moved as they become more.
    fn make_room(&mut self, rows: usize) {
        if let Said::Labels(labels) = self {
            labels.reserve_exact(rows.saturating_sub(labels.len()));
        }
    }

    /// The answers about these rows and about the rows after them.
    fn followed_by(self, after: Said) -> Said {
        let one_block = "blocks have answers of one kind and width";
        match (self, after) {
            (Said::Labels(mut all), Said::Labels(more)) => {
                all.extend(more);
                Said::Labels(all)
            }
            (Said::Numbers(mut all), Said::Numbers(more)) => {
                all.append(Axis(0), more.view()).expect(one_block);
                Said::Numbers(all)
            }
            (Said::Matrix(mut all), Said::Matrix(more)) => {
                all.append(Axis(0), more.view()).expect(one_block);
                Said::Matrix(all)
            }
            (before, after) => {
                let mut all = before.into_clusters();
                all.extend(after.into_clusters());
                Said::Clusters(all)
            }
        }
    }

    /// Labels some of which may be missing.
    fn into_clusters(self) -> Vec<Option<usize>> {
        match self {
            Said::Clusters(clusters) => clusters,
            Said::Labels(labels) => labels.into_iter().map(Some).collect(),
            _ => unreachable!("only labels follow labels"),
        }
    }

    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Said::Labels(labels) => Ok(labels.into_pyarray(py).into_any()),
            Said::Clusters(clusters) => Answer::give(clusters, py),
            Said::Numbers(numbers) => Ok(numbers.into_pyarray(py).into_any()),
            Said::Matrix(matrix) => Ok(matrix.into_pyarray(py).into_any()),
            Said::Rows(rows) => rows_to_python(py, rows),
        }
    }
}

/// Rows as a matrix, or as the parts of a compressed one.
pub(crate) fn rows_to_python(py: Python<'_>, rows: OwnedRows) -> PyResult<Bound<'_, PyAny>> {
    match rows {
        OwnedRows::Dense(matrix) => Ok(matrix.into_pyarray(py).into_any()),
        OwnedRows::Sparse(sparse) => {
            let (starts, columns, values, n_columns) = sparse.into_parts();
            let parts = (
                starts.into_pyarray(py),
                columns.into_pyarray(py),
                values.into_pyarray(py),
                n_columns,
            );
            Ok(parts.into_pyobject(py)?.into_any())
        }
    }
}
