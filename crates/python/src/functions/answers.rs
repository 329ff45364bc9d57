//! What listed functions give, as objects of Python.

use crate::model::rows_to_python;
use didact::core::{Csr, OwnedRows};
use ndarray::{Array1, Array2};
use numpy::IntoPyArray;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::Value;

/// Something that a listed function may give.
pub(crate) trait Answer {
    /// The type that Python users see.
    fn annotation() -> String;
    /// The object.
    fn give(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>>;
}

const NUMBERS: &str = "NDArray[np.float64]";
const INTEGERS: &str = "NDArray[np.int64]";

macro_rules! answers {
    ($($kind:ty, $annotation:expr, |$py:ident, $value:ident| $object:expr;)*) => {$(
        impl Answer for $kind {
            fn annotation() -> String {
                $annotation.to_string()
            }
            fn give(self, $py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                let $value = self;
                $object
            }
        }
    )*};
}

answers! {
    f64, "float", |py, value| value.into_bound_py_any(py);
    usize, "int", |py, value| value.into_bound_py_any(py);
    bool, "bool", |py, value| value.into_bound_py_any(py);
    String, "str", |py, value| value.into_bound_py_any(py);
    Vec<String>, "list[str]", |py, value| value.into_bound_py_any(py);
    Vec<f64>, NUMBERS, |py, value| Ok(value.into_pyarray(py).into_any());
    Array1<f64>, NUMBERS, |py, value| Ok(value.into_pyarray(py).into_any());
    Array2<f64>, NUMBERS, |py, value| Ok(value.into_pyarray(py).into_any());
    Vec<usize>, INTEGERS, |py, value| Ok(signed(value).into_pyarray(py).into_any());
    Array2<usize>, INTEGERS, |py, value| Ok(value.mapv(|number| number as i64).into_pyarray(py).into_any());
    Vec<Option<usize>>, INTEGERS, |py, value| {
        let numbers = value.into_iter().map(|number| number.map_or(-1, |number| number as i64));
        Ok(numbers.collect::<Vec<i64>>().into_pyarray(py).into_any())
    };
    Vec<bool>, "NDArray[np.bool_]", |py, value| Ok(value.into_pyarray(py).into_any());
    Array2<bool>, "NDArray[np.bool_]", |py, value| Ok(value.into_pyarray(py).into_any());
    Csr, "csr_matrix", |py, value| {
        let parts = rows_to_python(py, OwnedRows::Sparse(value))?;
        py.import("didact._rows")?.getattr("expanded")?.call1((parts,))
    };
}

fn signed(numbers: Vec<usize>) -> Vec<i64> {
    numbers.into_iter().map(|number| number as i64).collect()
}

/// One figure, or one for each class or target.
pub(crate) enum Figures {
    One(f64),
    Many(Vec<f64>),
}

impl Answer for Figures {
    fn annotation() -> String {
        format!("float | {NUMBERS}")
    }
    fn give(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Figures::One(figure) => figure.give(py),
            Figures::Many(figures) => figures.give(py),
        }
    }
}

impl<T: Answer> Answer for Option<T> {
    fn annotation() -> String {
        format!("{} | None", T::annotation())
    }
    fn give(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Some(value) => value.give(py),
            None => Ok(py.None().into_bound(py)),
        }
    }
}

/// A list of answers that are not numbers of one array.
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T: Answer> Answer for List<T> {
    fn annotation() -> String {
        format!("list[{}]", T::annotation())
    }
    fn give(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let items: Vec<_> = self
            .0
            .into_iter()
            .map(|item| item.give(py))
            .collect::<PyResult<_>>()?;
        items.into_bound_py_any(py)
    }
}

macro_rules! tuples {
    ($(($($part:ident),*);)*) => {$(
        impl<$($part: Answer),*> Answer for ($($part,)*) {
            fn annotation() -> String {
                format!("tuple[{}]", [$($part::annotation()),*].join(", "))
            }
            #[allow(non_snake_case)]
            fn give(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                let ($($part,)*) = self;
                Ok(PyTuple::new(py, [$($part.give(py)?),*])?.into_any())
            }
        }
    )*};
}

tuples! {
    (A, B);
    (A, B, C);
    (A, B, C, D);
}

/// A named result, of which the package makes a class.
pub(crate) struct ResultType {
    pub(crate) name: &'static str,
    pub(crate) document: &'static [&'static str],
    pub(crate) fields: fn() -> Vec<Value>,
}

/// An instance of the class of a named result.
pub(crate) fn named<'py>(
    py: Python<'py>,
    name: &str,
    fields: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("didact._results")?.getattr(name)?;
    class.call1(PyTuple::new(py, fields)?)
}

/// Lists named results: a struct whose fields become those of a named tuple.
macro_rules! results {
    ($(
        $(#[doc = $document:literal])*
        $name:ident {$(
            $(#[doc = $meaning:literal])*
            $field:ident: $kind:ty,
        )*}
    )*) => {
        /// The named results of this module.
        pub(crate) const RESULTS: &[$crate::functions::ResultType] = &[$(
            $crate::functions::ResultType {
                name: stringify!($name),
                document: &[$($document),*],
                fields: || vec![$(serde_json::json!({
                    "name": stringify!($field),
                    "annotation": <$kind as $crate::functions::Answer>::annotation(),
                    "meaning": concat!($($meaning),*).trim(),
                })),*],
            },
        )*];
        $(
            $(#[doc = $document])*
            pub(crate) struct $name {
                $($(#[doc = $meaning])* pub(crate) $field: $kind,)*
            }

            impl $crate::functions::Answer for $name {
                fn annotation() -> String {
                    stringify!($name).to_owned()
                }
                fn give(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                    let fields = vec![$($crate::functions::Answer::give(self.$field, py)?),*];
                    $crate::functions::answers::named(py, stringify!($name), fields)
                }
            }
        )*
    };
}
pub(crate) use results;
