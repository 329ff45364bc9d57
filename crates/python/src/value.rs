//! Values that models know, as Python objects.

use didact::core::Value;
use numpy::{IntoPyArray, PyArrayDyn, ToPyArray};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

/// The value as a number, word, array or `None`.
pub(crate) fn to_python<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Number(number) => number.into_bound_py_any(py),
        Value::Integer(number) => number.into_bound_py_any(py),
        Value::Flag(flag) => flag.into_bound_py_any(py),
        Value::Text(text) => text.into_bound_py_any(py),
        Value::Array(array) => {
            let array: Bound<'py, PyArrayDyn<f64>> = array.view().to_pyarray(py);
            Ok(array.into_any())
        }
        Value::Integers(numbers) => Ok(numbers.into_pyarray(py).into_any()),
        Value::Names(names) => names.into_bound_py_any(py),
        Value::Absent => Ok(py.None().into_bound(py)),
    }
}
