//! The kinds of argument that listed functions take.
//!
//! `KIND` tells the package what to make of whatever it was given (`python/didact/_functions.py`);
//! here the prepared object is taken and lent to the function.

use crate::input::RowArrays;
use crate::model::Model;
use didact::Trained;
use didact::core::Rows;
use ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::marker::PhantomData;

/// A kind of argument.
pub(crate) trait Argument {
    /// What the package has to hand over.
    const KIND: &'static str;
    /// What it says, for the documentation; empty where the name says it.
    const MEANING: &'static str = "";
    /// Whether `None` may be given.
    const OPTIONAL: bool = false;
    /// What is held while the function runs.
    type Held<'py>;
    /// What the function gets.
    type Lent<'a>;
    /// The type that Python users see.
    fn annotation() -> String;
    /// The schema, where the package turns the value into JSON.
    fn schema() -> Option<Value> {
        None
    }
    /// Takes the argument from Python.
    fn take<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>>;
    /// Lends it to the function.
    fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>>;
}

fn extracted<'a, 'py, T: FromPyObject<'a, 'py>>(
    name: &str,
    object: &'a Bound<'py, PyAny>,
) -> PyResult<T> {
    object.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        PyTypeError::new_err(format!("{name}: {error}"))
    })
}

macro_rules! arguments {
    ($(
        $(#[doc = $meaning:literal])*
        $name:ident, $kind:literal, $annotation:literal, $held:ty => $lent:ty, |$value:ident| $lend:expr;
    )*) => {$(
        $(#[doc = $meaning])*
        pub(crate) struct $name;

        impl Argument for $name {
            const KIND: &'static str = $kind;
            const MEANING: &'static str = concat!($($meaning),*);
            type Held<'py> = $held;
            type Lent<'a> = $lent;
            fn annotation() -> String {
                $annotation.to_owned()
            }
            fn take<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
                extracted(name, object)
            }
            fn lend<'a>($value: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
                Ok($lend)
            }
        }
    )*};
}

arguments! {
    /// The class or group of each row, under any names.
    Labels, "labels", "ArrayLike", PyReadonlyArray1<'py, usize> => &'a [usize], |value| value.as_slice()?;
    /// The group of each row; -1 is none.
    Groups, "groups", "ArrayLike", Vec<i64> => Vec<Option<usize>>, |value| {
        value.iter().map(|&group| usize::try_from(group).ok()).collect()
    };
    /// Numbers, one per row.
    Vector, "vector", "ArrayLike", PyReadonlyArray1<'py, f64> => &'a [f64], |value| value.as_slice()?;
    /// Whole numbers.
    Integers, "integers", "ArrayLike", PyReadonlyArray1<'py, usize> => &'a [usize], |value| value.as_slice()?;
    /// A matrix, one row per sample.
    Matrix, "matrix", "ArrayLike", PyReadonlyArray2<'py, f64> => ArrayView2<'a, f64>, |value| value.as_array();
    /// The rows, as a matrix, a table or a sparse matrix.
    RowMatrix, "rows", "ArrayLike", RowArrays<'py> => Rows<'a>, |value| value.rows()?;
    /// Whether each row is of the positive class.
    Positive, "positive", "ArrayLike", PyReadonlyArray1<'py, bool> => &'a [bool], |value| value.as_slice()?;
    /// Which labels are on, one row per sample and one column per label.
    Sets, "sets", "ArrayLike", PyReadonlyArray2<'py, bool> => ArrayView2<'a, bool>, |value| value.as_array();
    /// The class that counts as positive; None takes 1, or the greater of two.
    PositiveClass, "positive-class", "int | str | None", Option<usize> => Option<usize>, |value| *value;
    /// The classes, where not all occur or their order matters.
    ClassList, "class-list", "ArrayLike | None", Option<Vec<usize>> => Option<&'a [usize]>, |value| value.as_deref();
    /// How much each row counts.
    Weights, "vector", "ArrayLike | None", Option<PyReadonlyArray1<'py, f64>> => Option<&'a [f64]>, |value| {
        value.as_ref().map(|value| value.as_slice()).transpose()?
    };
    /// Pairs of row numbers.
    Pairs, "pairs", "ArrayLike", Vec<(usize, usize)> => &'a [(usize, usize)], |value| value;
    /// The same seed gives the same answer.
    Seed, "seed", "int | np.random.RandomState | np.random.Generator | None", u64 => u64, |value| *value;
    /// The names of the classes, in the order of the labels; None takes the labels themselves.
    ClassNames, "class-names", "Sequence[str] | None", Option<Vec<String>> => Option<&'a [String]>, |value| value.as_deref();
    /// Numbers, or several by name.
    Series, "series", "ArrayLike | Mapping[str, ArrayLike]", Vec<(String, Vec<f64>)> => &'a [(String, Vec<f64>)], |value| value;
    /// A fitted estimator of didact.
    FittedModel, "model", "Estimator", Py<Model> => &'a Trained, |value| value.get().trained();
    /// A Python function.
    Callable, "plain", "Callable[..., object]", Py<PyAny> => &'a Py<PyAny>, |value| value;
}

macro_rules! plain_arguments {
    ($($name:ty, $annotation:literal;)*) => {$(
        impl Argument for $name {
            const KIND: &'static str = "plain";
            type Held<'py> = $name;
            type Lent<'a> = $name;
            fn annotation() -> String {
                $annotation.to_owned()
            }
            fn take<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
                extracted(name, object)
            }
            fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
                Ok(held.clone())
            }
        }
    )*};
}

plain_arguments! {
    bool, "bool";
    f64, "float";
    usize, "int";
    String, "str";
    Vec<String>, "list[str]";
}

/// An argument that may be left out.
pub(crate) struct Maybe<A>(PhantomData<A>);

impl<A: Argument> Argument for Maybe<A> {
    const KIND: &'static str = A::KIND;
    const MEANING: &'static str = A::MEANING;
    const OPTIONAL: bool = true;
    type Held<'py> = Option<A::Held<'py>>;
    type Lent<'a> = Option<A::Lent<'a>>;
    fn annotation() -> String {
        format!("{} | None", A::annotation())
    }
    fn schema() -> Option<Value> {
        A::schema()
    }
    fn take<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        match object.is_none() {
            true => Ok(None),
            false => A::take(name, object).map(Some),
        }
    }
    fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
        held.as_ref().map(A::lend).transpose()
    }
}

/// Classes of rows, or sets of labels of rows.
#[derive(Clone, Copy)]
pub(crate) enum Targets<'a> {
    /// A class each, and how many classes there are.
    Classes(&'a [usize], usize),
    /// A column for each label.
    Sets(ArrayView2<'a, bool>),
}

/// The classes of the rows under any names, or a matrix of labels that are on or off.
pub(crate) struct ClassTargets;

/// What is held of targets.
#[derive(FromPyObject)]
pub(crate) enum HeldTargets<'py> {
    /// A class each.
    Classes(PyReadonlyArray1<'py, usize>, usize),
    /// A column for each label.
    Sets(PyReadonlyArray2<'py, bool>),
}

impl Argument for ClassTargets {
    const KIND: &'static str = "targets";
    const MEANING: &'static str =
        " The class of each row under any names, or a matrix of labels that are on or off.";
    type Held<'py> = HeldTargets<'py>;
    type Lent<'a> = Targets<'a>;
    fn annotation() -> String {
        "ArrayLike".to_owned()
    }
    fn take<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        extracted(name, object)
    }
    fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
        Ok(match held {
            HeldTargets::Classes(labels, count) => Targets::Classes(labels.as_slice()?, *count),
            HeldTargets::Sets(sets) => Targets::Sets(sets.as_array()),
        })
    }
}

/// A value that serde reads, such as a metric or kernel with its parameters.
pub(crate) struct Json<T>(PhantomData<T>);

impl<T: DeserializeOwned + JsonSchema + 'static> Argument for Json<T> {
    const KIND: &'static str = "json";
    type Held<'py> = T;
    type Lent<'a> = &'a T;
    fn annotation() -> String {
        String::new() // The package reads it from the schema.
    }
    fn schema() -> Option<Value> {
        Some(schemars::schema_for!(T).to_value())
    }
    fn take<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        let text: String = extracted(name, object)?;
        serde_json::from_str(&text)
            .map_err(|error| PyValueError::new_err(format!("{name} is {text}; {error}")))
    }
    fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
        Ok(held)
    }
}

/// Arguments that are one of some words.
macro_rules! words {
    ($($(#[doc = $meaning:literal])* $name:ident: $value:ty {$($word:literal => $variant:expr),* $(,)?})*) => {$(
        $(#[doc = $meaning])*
        pub(crate) struct $name;

        impl $crate::functions::Argument for $name {
            const KIND: &'static str = "word";
            const MEANING: &'static str = concat!($($meaning),*);
            type Held<'py> = $value;
            type Lent<'a> = $value;
            fn annotation() -> String {
                let words = [$(format!("'{}'", $word)),*];
                format!("Literal[{}]", words.join(", "))
            }
            fn take<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
                let word: String = object.str()?.extract()?;
                match word.as_str() {
                    $($word => Ok($variant),)*
                    _ => Err(pyo3::exceptions::PyValueError::new_err(format!(
                        "{name} is {word}; it must be one of {}",
                        [$($word),*].join(", ")
                    ))),
                }
            }
            fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
                Ok(*held)
            }
        }
    )*};
}
pub(crate) use words;
