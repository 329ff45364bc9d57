//! Tables of pandas, polars and pyarrow, through the Arrow C stream interface.

use crate::error::exception;
use arrow_array::RecordBatch;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_select::concat::concat_batches;
use didact::core::{Column, ColumnKind, Table};
use didact::data::table_from_batch;
use ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

/// All rows of a table that speaks the Arrow C stream interface.
pub(crate) struct Frame(RecordBatch);

impl<'a, 'py> FromPyObject<'a, 'py> for Frame {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast_into::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        // The interface promises a valid stream behind a capsule of this name; `from_raw` moves
        // it out and leaves a released one behind, which is what a consumer has to do.
        #[allow(unsafe_code)]
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
        let reader = RecordBatchStreamReader::try_new(stream).map_err(unreadable)?;
        let schema = arrow_array::RecordBatchReader::schema(&reader);
        let batches = reader.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
        Ok(Frame(
            concat_batches(&schema, &batches).map_err(unreadable)?,
        ))
    }
}

fn unreadable(error: arrow_schema::ArrowError) -> PyErr {
    PyValueError::new_err(format!("the table cannot be read: {error}"))
}

/// The frame as a table of the library.
pub(crate) fn table(frame: Frame) -> PyResult<Table> {
    table_from_batch(&frame.0).map_err(exception)
}

/// The frame as a matrix; missing values are NaN, yes and no are 1 and 0.
#[pyfunction]
pub(crate) fn frame(py: Python<'_>, frame: Frame) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let table = table(frame)?;
    let (rows, columns) = (table.n_rows(), table.n_columns());
    let mut matrix = Array2::zeros((rows, columns));
    for (index, (name, column)) in table.names().iter().zip(table.columns()).enumerate() {
        let mut place = matrix.column_mut(index);
        match column {
            Column::Numbers(numbers) => place.assign(&ndarray::ArrayView1::from(numbers)),
            Column::Booleans(flags) => {
                for (place, flag) in place.iter_mut().zip(flags) {
                    *place = flag.map_or(f64::NAN, |flag| f64::from(u8::from(flag)));
                }
            }
            other => {
                let what = match other.kind() {
                    ColumnKind::Time => "times",
                    _ => "words",
                };
                return Err(PyValueError::new_err(format!(
                    "column {name} holds {what} and could not be converted to float; encode it first, or fit a didact.Model, which reads such columns"
                )));
            }
        }
    }
    Ok(matrix.into_pyarray(py))
}

/// The columns of a table: arrays of numbers, lists of words.
pub(crate) fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let answer = PyDict::new(py);
    for (name, column) in table.into_columns() {
        match column {
            Column::Numbers(numbers) => answer.set_item(name, numbers.into_pyarray(py))?,
            Column::Booleans(flags) => answer.set_item(name, flags)?,
            Column::Categories { codes, names } => {
                let words: Vec<Option<&String>> = codes
                    .iter()
                    .map(|code| code.map(|code| &names[code as usize]))
                    .collect();
                answer.set_item(name, words)?;
            }
            Column::Times(times) => answer.set_item(name, times)?,
        }
    }
    Ok(answer)
}
