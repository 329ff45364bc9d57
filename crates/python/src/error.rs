//! Errors of the library as exceptions of Python, with the same words.

use didact::Error;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The exception that says what the error says.
pub(crate) fn exception(error: Error) -> PyErr {
    match error {
        Error::Cancelled => PyKeyboardInterrupt::new_err(()),
        Error::File { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// JSON that we wrote ourselves and cannot be read is a fault of the package.
pub(crate) fn json_exception(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(format!("this is no valid JSON: {error}"))
}
