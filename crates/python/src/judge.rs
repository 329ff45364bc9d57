//! Cross-validation, curves and search of whole specifications, in Rust from start to end.

use crate::error::{exception, json_exception};
use crate::input::{Input, RowArrays, TargetArrays};
use crate::watch::watched;
use didact::core::{Data, Learner, Run};
use didact::evaluate::{
    self, Curve, Range, Space, Split, Splitter, diagnose, range_from_schema, successive_halving,
};
use didact::{Error, Result, Spec};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

type Part<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// Row numbers as NumPy counts them.
fn part(py: Python<'_>, split: Split) -> Part<'_> {
    let array = |rows: Vec<usize>| {
        let rows: Vec<i64> = rows.into_iter().map(|row| row as i64).collect();
        rows.into_pyarray(py)
    };
    (array(split.train), array(split.test))
}

/// Cuts rows by a splitter that is written as JSON.
#[pyfunction]
#[pyo3(signature = (splitter, n_units, classes=None, groups=None, seed=0))]
pub(crate) fn cut<'py>(
    py: Python<'py>,
    splitter: &str,
    n_units: usize,
    classes: Option<PyReadonlyArray1<'_, usize>>,
    groups: Option<PyReadonlyArray1<'_, usize>>,
    seed: u64,
) -> PyResult<Vec<Part<'py>>> {
    let splitter: Splitter = serde_json::from_str(splitter).map_err(json_exception)?;
    let classes = classes.as_ref().map(|marks| marks.as_slice()).transpose()?;
    let groups = groups.as_ref().map(|marks| marks.as_slice()).transpose()?;
    let splits = py.detach(|| splitter.cut(n_units, classes, groups, seed));
    let splits = splits.map_err(exception)?.into_iter();
    Ok(splits.map(|split| part(py, split)).collect())
}

/// One random split that keeps shares of classes, or whole groups.
#[pyfunction]
#[pyo3(signature = (n_rows, train_share, seed, classes=None, groups=None))]
pub(crate) fn split<'py>(
    py: Python<'py>,
    n_rows: usize,
    train_share: f64,
    seed: u64,
    classes: Option<PyReadonlyArray1<'_, usize>>,
    groups: Option<PyReadonlyArray1<'_, usize>>,
) -> PyResult<Part<'py>> {
    let keep = match (&classes, &groups) {
        (Some(classes), _) => evaluate::Keep::Shares(classes.as_slice()?),
        (None, Some(groups)) => evaluate::Keep::Groups(groups.as_slice()?),
        (None, None) => evaluate::Keep::Nothing,
    };
    let found = evaluate::split(n_rows, train_share, seed, keep).map_err(exception)?;
    Ok(part(py, found))
}

/// The steps of a specification, as JSON.
#[pyfunction]
pub(crate) fn steps(spec: &str) -> PyResult<String> {
    serde_json::to_string(&specification(spec)?).map_err(json_exception)
}

/// Data, the splits by which methods are judged on them, and who watches.
#[pyclass(frozen)]
pub(crate) struct Judge {
    rows: Py<PyAny>,
    targets: Option<Py<PyAny>>,
    weights: Option<Py<PyAny>>,
    lengths: Option<Vec<usize>>,
    splits: Vec<Split>,
    threads: Option<usize>,
}

fn learner(spec: &Spec, parameters: &Map<String, Value>) -> Result<Box<dyn Learner>> {
    let mut spec = spec.clone();
    for (key, value) in parameters {
        spec.set(key, value.clone())?;
    }
    spec.learner()
}

fn specification(text: &str) -> PyResult<Spec> {
    text.parse().map_err(exception)
}

impl Judge {
    /// Does the work on the data; its answer travels as JSON.
    fn work(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Data<'_>, &[Split], &Run) -> Result<Value> + Send,
    ) -> PyResult<String> {
        let rows: RowArrays<'_> = self.rows.bind(py).extract()?;
        let targets: Option<TargetArrays<'_>> = self
            .targets
            .as_ref()
            .map(|targets| targets.bind(py).extract())
            .transpose()?;
        let weights: Option<PyReadonlyArray1<'_, f64>> = self
            .weights
            .as_ref()
            .map(|weights| weights.bind(py).extract())
            .transpose()?;
        let input = Input::new(rows, targets, weights, self.lengths.clone())?;
        let data = input.data()?;
        let splits = self.splits.as_slice();
        let answer = watched(py, self.threads, None, usize::MAX, |run| {
            work(&data, splits, run)
        })?;
        Ok(answer.to_string())
    }
}

fn written(value: impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::data(error.to_string()))
}

fn curve_with_words(curve: &Curve, acceptable: Option<f64>) -> Result<Value> {
    let mut value = written(curve)?;
    let words = acceptable.and_then(|acceptable| diagnose(curve, acceptable));
    value["best"] = json!(curve.best());
    value["diagnosis"] = written(words)?;
    Ok(value)
}

#[pymethods]
impl Judge {
    #[new]
    #[pyo3(signature = (rows, targets, weights, lengths, splits, threads=None))]
    fn new(
        rows: Py<PyAny>,
        targets: Option<Py<PyAny>>,
        weights: Option<Py<PyAny>>,
        lengths: Option<Vec<usize>>,
        splits: Vec<(Vec<usize>, Vec<usize>)>,
        threads: Option<usize>,
    ) -> Self {
        let splits = splits
            .into_iter()
            .map(|(train, test)| Split { train, test })
            .collect();
        Judge {
            rows,
            targets,
            weights,
            lengths,
            splits,
            threads,
        }
    }

    /// Fits and scores the specification on each split.
    fn cross_validate(&self, py: Python<'_>, spec: &str, both: bool) -> PyResult<String> {
        let learner = specification(spec)?.learner().map_err(exception)?;
        self.work(py, |data, splits, run| {
            let judged = match both {
                true => evaluate::cross_validate_both(learner.as_ref(), data, splits, run, &|| ())?,
                false => evaluate::cross_validate(learner.as_ref(), data, splits, run, &|| ())?,
            };
            Ok(json!({"folds": written(&judged.folds)?, "summaries": written(judged.summaries())?}))
        })
    }

    /// Fits on growing shares of each training part.
    #[pyo3(signature = (spec, shares, acceptable=None))]
    fn learning_curve(
        &self,
        py: Python<'_>,
        spec: &str,
        shares: Vec<f64>,
        acceptable: Option<f64>,
    ) -> PyResult<String> {
        let learner = specification(spec)?.learner().map_err(exception)?;
        self.work(py, |data, splits, run| {
            let curve = evaluate::learning_curve(learner.as_ref(), data, splits, &shares, run)?;
            curve_with_words(&curve, acceptable)
        })
    }

    /// Fits with each value of a parameter; the values are a list as JSON.
    #[pyo3(signature = (spec, parameter, values, acceptable=None))]
    fn validation_curve(
        &self,
        py: Python<'_>,
        spec: &str,
        parameter: &str,
        values: &str,
        acceptable: Option<f64>,
    ) -> PyResult<String> {
        let spec = specification(spec)?;
        let values: Vec<Value> = serde_json::from_str(values).map_err(json_exception)?;
        let make = |parameters: &Map<String, Value>| learner(&spec, parameters);
        self.work(py, |data, splits, run| {
            let fixed = Map::new();
            let curve =
                evaluate::validation_curve(&make, &fixed, parameter, &values, data, splits, run)?;
            curve_with_words(&curve, acceptable)
        })
    }

    /// Judges candidates, a list of parameters as JSON; with a factor by successive halving.
    #[pyo3(signature = (spec, candidates, factor=None))]
    fn search(
        &self,
        py: Python<'_>,
        spec: &str,
        candidates: &str,
        factor: Option<usize>,
    ) -> PyResult<String> {
        let spec = specification(spec)?;
        let candidates: Vec<Map<String, Value>> =
            serde_json::from_str(candidates).map_err(json_exception)?;
        let make = |parameters: &Map<String, Value>| learner(&spec, parameters);
        self.work(py, |data, splits, run| match factor {
            None => {
                let found = evaluate::search(&make, &candidates, data, splits, run, &|| ())?;
                Ok(json!({"rounds": [written(&found)?], "rows": Value::Null}))
            }
            Some(factor) => {
                let found = successive_halving(&make, &candidates, data, splits, factor, run)?;
                Ok(json!({"rounds": written(&found.rounds)?, "rows": found.rows}))
            }
        })
    }
}

/// Candidates from ranges: `ranges` is a JSON list of `[parameter, range]`, and a range is a
/// list of values, `{"low", "high", "scale"}`, or nothing where the schema says it.
#[pyfunction]
pub(crate) fn candidates(
    spec: &str,
    ranges: &str,
    draws: Option<usize>,
    steps: usize,
    seed: u64,
) -> PyResult<String> {
    let spec = specification(spec)?;
    let listed: Vec<(String, Value)> = serde_json::from_str(ranges).map_err(json_exception)?;
    let mut space = Space::new();
    for (parameter, range) in listed {
        let range = read_range(&spec, &parameter, range).map_err(exception)?;
        space = space.with(parameter, range);
    }
    let found = match draws {
        Some(count) => space.draw(count, seed),
        None => space.grid(steps),
    };
    serde_json::to_string(&found.map_err(exception)?).map_err(json_exception)
}

fn read_range(spec: &Spec, parameter: &str, range: Value) -> Result<Range> {
    if let Value::Array(values) = range {
        return Ok(Range::Choices(values));
    }
    if let (Some(low), Some(high)) = (range["low"].as_f64(), range["high"].as_f64()) {
        return Ok(match range["scale"].as_str() {
            Some("log") => Range::Logarithmic { low, high },
            Some("whole") => Range::Whole {
                low: low as i64,
                high: high as i64,
            },
            _ => Range::Linear { low, high },
        });
    }
    let (step, name) = match parameter.split_once('.') {
        Some((algorithm, name)) => (
            spec.steps.iter().find(|step| step.algorithm == algorithm),
            name,
        ),
        None => (spec.steps.last(), parameter),
    };
    let step = step.ok_or_else(|| {
        Error::Specification(format!("{parameter} names no step of the pipeline"))
    })?;
    range_from_schema(&didact::find(&step.algorithm)?.schema, name)
}
