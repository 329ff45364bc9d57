//! Functions of Python as objectives and equations.
//!
//! An exception that one raises stops the work at once and is raised again when it has stopped;
//! Ctrl-C is such an exception, because it arrives while Python runs.

use didact::{Error, Result};
use didact_optimize::{
    Curved, FiniteSum, Objective, Residuals, finite_difference_gradient, finite_difference_jacobian,
};
use ndarray::{Array2, ArrayView1};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::cell::RefCell;

/// Where an exception waits until the work has stopped.
#[derive(Default)]
pub(super) struct Fault(RefCell<Option<PyErr>>);

impl Fault {
    fn keep<T>(&self, result: PyResult<T>) -> Result<T> {
        result.map_err(|raised| {
            self.0.replace(Some(raised));
            Error::Cancelled
        })
    }

    /// The result of the work, or the exception that stopped it.
    pub(super) fn or<T>(self, result: Result<T>) -> PyResult<T> {
        match self.0.into_inner() {
            Some(raised) => Err(raised),
            None => result.map_err(crate::error::exception),
        }
    }
}

fn array<'py>(py: Python<'py>, x: &[f64]) -> Bound<'py, PyArray1<f64>> {
    x.to_pyarray(py)
}

fn number(object: &Bound<'_, PyAny>) -> PyResult<f64> {
    match object.extract() {
        Ok(number) => Ok(number),
        Err(_) => object.call_method0("item")?.extract(),
    }
}

fn numbers(object: &Bound<'_, PyAny>, what: &str, length: Option<usize>) -> PyResult<Vec<f64>> {
    let values: Vec<f64> = match object.extract::<PyReadonlyArray1<'_, f64>>() {
        Ok(values) => values.as_array().to_vec(),
        Err(_) => match object.extract() {
            Ok(values) => values,
            Err(_) => vec![number(object)?],
        },
    };
    match length {
        Some(length) if length != values.len() => Err(PyValueError::new_err(format!(
            "{what} gave {} numbers; it must give {length}",
            values.len()
        ))),
        _ => Ok(values),
    }
}

fn matrix(object: &Bound<'_, PyAny>, shape: (usize, usize), what: &str) -> PyResult<Array2<f64>> {
    let found: Array2<f64> = match object.extract::<PyReadonlyArray2<'_, f64>>() {
        Ok(values) => values.as_array().to_owned(),
        Err(_) => {
            let rows: Vec<Vec<f64>> = object.extract()?;
            let width = rows.first().map_or(0, Vec::len);
            let flat: Vec<f64> = rows.concat();
            Array2::from_shape_vec((rows.len(), width), flat)
                .map_err(|error| PyValueError::new_err(format!("{what}: {error}")))?
        }
    };
    match found.dim() == shape {
        true => Ok(found),
        false => Err(PyValueError::new_err(format!(
            "{what} gave a matrix of shape {:?}; it must be {shape:?}",
            found.dim()
        ))),
    }
}

/// How an objective gives its gradient.
pub(super) enum Slope<'a> {
    /// By differences of values.
    Differences,
    /// By a function of its own.
    Function(&'a Py<PyAny>),
    /// Together with the value.
    Together,
}

/// A Python function as an objective, with a gradient and a Hessian where they are given.
pub(super) struct PythonObjective<'a, 'py> {
    pub(super) py: Python<'py>,
    pub(super) function: &'a Py<PyAny>,
    pub(super) slope: Slope<'a>,
    pub(super) hessian: Option<&'a Py<PyAny>>,
    pub(super) fault: &'a Fault,
}

impl PythonObjective<'_, '_> {
    fn call(&self, x: &[f64]) -> PyResult<(f64, Option<Vec<f64>>)> {
        let found = self.function.bind(self.py).call1((array(self.py, x),))?;
        match self.slope {
            Slope::Together => {
                let (value, gradient): (Bound<'_, PyAny>, Bound<'_, PyAny>) = found.extract()?;
                let gradient = numbers(&gradient, "the gradient", Some(x.len()))?;
                Ok((number(&value)?, Some(gradient)))
            }
            _ => Ok((number(&found)?, None)),
        }
    }

    fn slope_at(&self, x: &[f64]) -> Result<Vec<f64>> {
        match self.slope {
            Slope::Function(function) => self.fault.keep(
                function
                    .bind(self.py)
                    .call1((array(self.py, x),))
                    .and_then(|found| numbers(&found, "the gradient", Some(x.len()))),
            ),
            _ => finite_difference_gradient(|x| Ok(self.fault.keep(self.call(x))?.0), x),
        }
    }
}

impl Objective for PythonObjective<'_, '_> {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (value, given) = self.fault.keep(self.call(x))?;
        let slope = match given {
            Some(slope) => slope,
            None => self.slope_at(x)?,
        };
        gradient.copy_from_slice(&slope);
        Ok(value)
    }

    fn value(&mut self, x: &[f64]) -> Result<f64> {
        Ok(self.fault.keep(self.call(x))?.0)
    }
}

impl Curved for PythonObjective<'_, '_> {
    fn hessian(&mut self, x: &[f64], hessian: &mut Array2<f64>) -> Result<()> {
        let found = match self.hessian {
            Some(function) => self.fault.keep(
                function
                    .bind(self.py)
                    .call1((array(self.py, x),))
                    .and_then(|found| matrix(&found, (x.len(), x.len()), "the Hessian")),
            )?,
            None => {
                let slope = |x: &[f64]| -> Result<Vec<f64>> {
                    match self.slope {
                        Slope::Together => {
                            let (_, gradient) = self.fault.keep(self.call(x))?;
                            Ok(gradient.unwrap_or_default())
                        }
                        _ => self.slope_at(x),
                    }
                };
                let jacobian = finite_difference_jacobian(slope, x)?;
                (&jacobian + &jacobian.t()) / 2.0
            }
        };
        hessian.assign(&found);
        Ok(())
    }
}

/// A Python function as residuals or equations.
pub(super) struct PythonResiduals<'a, 'py> {
    pub(super) py: Python<'py>,
    pub(super) function: &'a Py<PyAny>,
    pub(super) jacobian: Option<&'a Py<PyAny>>,
    pub(super) length: usize,
    pub(super) fault: &'a Fault,
}

impl<'a, 'py> PythonResiduals<'a, 'py> {
    /// Asks the function once, to know how many values it gives.
    pub(super) fn new(
        py: Python<'py>,
        function: &'a Py<PyAny>,
        jacobian: Option<&'a Py<PyAny>>,
        start: &[f64],
        fault: &'a Fault,
    ) -> PyResult<Self> {
        let found = function.bind(py).call1((array(py, start),))?;
        Ok(PythonResiduals {
            py,
            function,
            jacobian,
            length: numbers(&found, "the function", None)?.len(),
            fault,
        })
    }

    fn values(&self, x: &[f64]) -> Result<Vec<f64>> {
        self.fault.keep(
            self.function
                .bind(self.py)
                .call1((array(self.py, x),))
                .and_then(|found| numbers(&found, "the function", Some(self.length))),
        )
    }
}

impl Residuals for PythonResiduals<'_, '_> {
    fn len(&self) -> usize {
        self.length
    }

    fn residuals(&mut self, x: &[f64], values: &mut [f64]) -> Result<()> {
        values.copy_from_slice(&self.values(x)?);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], jacobian: &mut Array2<f64>) -> Result<()> {
        let shape = (self.length, x.len());
        let found = match self.jacobian {
            Some(function) => self.fault.keep(
                function
                    .bind(self.py)
                    .call1((array(self.py, x),))
                    .and_then(|found| matrix(&found, shape, "the Jacobian")),
            )?,
            None => finite_difference_jacobian(|x| self.values(x), x)?,
        };
        jacobian.assign(&found);
        Ok(())
    }
}

/// A Python function of the point and some terms as a sum of terms.
pub(super) struct PythonSum<'a, 'py> {
    pub(super) py: Python<'py>,
    pub(super) function: &'a Py<PyAny>,
    pub(super) length: usize,
    pub(super) fault: &'a Fault,
}

impl FiniteSum for PythonSum<'_, '_> {
    fn len(&self) -> usize {
        self.length
    }

    fn add_terms(&mut self, terms: &[usize], x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let terms: Vec<i64> = terms.iter().map(|&term| term as i64).collect();
        let call = || -> PyResult<(f64, Vec<f64>)> {
            let given = (array(self.py, x), terms.to_pyarray(self.py));
            let found = self.function.bind(self.py).call1(given)?;
            let (value, slope): (Bound<'_, PyAny>, Bound<'_, PyAny>) = found.extract()?;
            Ok((
                number(&value)?,
                numbers(&slope, "the gradient", Some(x.len()))?,
            ))
        };
        let (value, slope) = self.fault.keep(call())?;
        for (sum, part) in gradient.iter_mut().zip(ArrayView1::from(&slope)) {
            *sum += part;
        }
        Ok(value)
    }
}
