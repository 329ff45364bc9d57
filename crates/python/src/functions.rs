//! Functions of the library for Python, as one list.
//!
//! A line of the list names the module, the function, what Python calls its arguments, and the
//! Rust function that answers. The kind of an argument (labels, vector, matrix, number) follows
//! from its Rust type; the package turns whatever it is given into that kind, and makes a
//! Python function with a signature and a docstring out of the line.

use crate::error::exception;
use didact::evaluate;
use ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A type that arguments of listed functions may have.
trait Argument: Sized {
    /// What the package has to hand over.
    const KIND: &'static str;
    /// What is held while the function runs.
    type Held<'py>;
    /// Takes the argument from Python.
    fn take<'py>(object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>>;
}

/// Labels of rows; those of one call count the same classes.
struct Labels;
/// A matrix, one row per sample.
struct Matrix;

impl Argument for Labels {
    const KIND: &'static str = "labels";
    type Held<'py> = PyReadonlyArray1<'py, usize>;
    fn take<'py>(object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        object.extract()
    }
}

impl Argument for Matrix {
    const KIND: &'static str = "matrix";
    type Held<'py> = PyReadonlyArray2<'py, f64>;
    fn take<'py>(object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        object.extract()
    }
}

/// How a held argument is lent to the Rust function.
trait Lend {
    type Lent<'a>
    where
        Self: 'a;
    fn lend(&self) -> PyResult<Self::Lent<'_>>;
}

impl Lend for PyReadonlyArray1<'_, usize> {
    type Lent<'a>
        = &'a [usize]
    where
        Self: 'a;
    fn lend(&self) -> PyResult<&[usize]> {
        Ok(self.as_slice()?)
    }
}

impl Lend for PyReadonlyArray2<'_, f64> {
    type Lent<'a>
        = ArrayView2<'a, f64>
    where
        Self: 'a;
    fn lend(&self) -> PyResult<ArrayView2<'_, f64>> {
        Ok(self.as_array())
    }
}

type Call = for<'py> fn(Python<'py>, &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>>;

/// A line of the list.
struct Function {
    module: &'static str,
    name: &'static str,
    document: &'static [&'static str],
    arguments: &'static [(&'static str, &'static str)],
    call: Call,
}

macro_rules! functions {
    ($($module:ident {$(
        $(#[doc = $document:literal])*
        $name:ident($($argument:ident: $kind:ident),*) = $path:path;
    )*})*) => {
        const FUNCTIONS: &[Function] = &[$($(
            Function {
                module: stringify!($module),
                name: stringify!($name),
                document: &[$($document),*],
                arguments: &[$((stringify!($argument), <$kind as Argument>::KIND)),*],
                call: |py, arguments| {
                    let mut given = arguments.iter();
                    $(
                        let $argument = given
                            .next()
                            .ok_or_else(|| PyTypeError::new_err(concat!(
                                stringify!($argument), " is missing"
                            )))?;
                        let $argument = <$kind as Argument>::take(&$argument)?;
                    )*
                    $(let $argument = Lend::lend(&$argument)?;)*
                    let answer = py.detach(|| $path($($argument),*));
                    answer.map_err(exception)?.into_bound_py_any(py)
                },
            },
        )*)*];
    };
}

functions! {
    metrics {
        /// Share of rows whose class was predicted right.
        accuracy_score(y_true: Labels, y_pred: Labels) = evaluate::accuracy;
        /// Mean over the classes of the share of each class's rows that was predicted right.
        balanced_accuracy_score(y_true: Labels, y_pred: Labels) = evaluate::balanced_accuracy;
        /// Agreement of two groupings of the rows, corrected for chance.
        adjusted_rand_score(labels_true: Labels, labels_pred: Labels) = evaluate::adjusted_rand;
        /// Mean squared difference, over rows and outputs.
        mean_squared_error(y_true: Matrix, y_pred: Matrix) = evaluate::mean_squared_error;
        /// Mean absolute difference, over rows and outputs.
        mean_absolute_error(y_true: Matrix, y_pred: Matrix) = evaluate::mean_absolute_error;
        /// Share of the variance that the predictions explain, averaged over outputs.
        r2_score(y_true: Matrix, y_pred: Matrix) = evaluate::r2;
    }
}

/// Every function: module, name, documentation and arguments with their kinds.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn functions() -> Vec<(
    &'static str,
    &'static str,
    String,
    Vec<(&'static str, &'static str)>,
)> {
    FUNCTIONS
        .iter()
        .map(|function| {
            let document: Vec<&str> = function.document.iter().map(|line| line.trim()).collect();
            (
                function.module,
                function.name,
                document.join("\n"),
                function.arguments.to_vec(),
            )
        })
        .collect()
}

/// Calls a function of the list.
#[pyfunction]
#[pyo3(signature = (module, name, *arguments))]
pub(crate) fn call<'py>(
    py: Python<'py>,
    module: &str,
    name: &str,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = FUNCTIONS
        .iter()
        .find(|function| function.module == module && function.name == name);
    match found {
        Some(function) => (function.call)(py, arguments),
        None => Err(PyValueError::new_err(format!(
            "there is no function {module}.{name}"
        ))),
    }
}
