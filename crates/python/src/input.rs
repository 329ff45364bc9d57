//! Arrays of NumPy and SciPy as data of the library, without copying them.

use crate::error::exception;
use didact::core::{
    ClassName, Classes, CsrView, Data, DataKind, Labelled, LabelledSequences, Measured,
    PartlyLabelled, Rows, Samples, Sequences,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Rows as the package hands them over: a matrix, or the parts of a compressed one.
#[derive(FromPyObject)]
pub(crate) enum RowArrays<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(
        PyReadonlyArray1<'py, usize>,
        PyReadonlyArray1<'py, u32>,
        PyReadonlyArray1<'py, f64>,
        usize,
    ),
}

impl RowArrays<'_> {
    /// The rows as they are.
    pub(crate) fn rows(&self) -> PyResult<Rows<'_>> {
        match self {
            RowArrays::Dense(matrix) => Ok(Rows::Dense(matrix.as_array())),
            RowArrays::Sparse(starts, columns, values, n_columns) => {
                let view = CsrView::new(
                    starts.as_slice()?,
                    columns.as_slice()?,
                    values.as_slice()?,
                    *n_columns,
                );
                Ok(Rows::Sparse(view.map_err(exception)?))
            }
        }
    }

    /// How much there is to work on: the values, and the rows and columns of sparse ones.
    fn n_values(&self) -> PyResult<usize> {
        Ok(match self.rows()? {
            Rows::Dense(matrix) => matrix.len(),
            Rows::Sparse(view) => view.n_stored() + view.n_rows() + view.n_columns(),
        })
    }

    /// The rows as samples; a matrix in C order is borrowed.
    pub(crate) fn samples(&self) -> PyResult<Samples<'_>> {
        Ok(match self.rows()? {
            Rows::Dense(matrix) => Samples::from(matrix),
            Rows::Sparse(view) => Samples::from(view),
        })
    }
}

/// A class as Python names it.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum Name {
    Integer(i64),
    Text(String),
}

impl From<Name> for ClassName {
    fn from(name: Name) -> Self {
        match name {
            Name::Integer(number) => ClassName::Integer(number),
            Name::Text(text) => ClassName::Text(text),
        }
    }
}

impl From<&ClassName> for Name {
    fn from(name: &ClassName) -> Self {
        match name {
            ClassName::Integer(number) => Name::Integer(*number),
            ClassName::Text(text) => Name::Text(text.clone()),
        }
    }
}

/// What is to be predicted: labels that point at sorted class names, all known or −1 where they are
/// not, or real numbers.
#[derive(FromPyObject)]
pub(crate) enum TargetArrays<'py> {
    Labels(PyReadonlyArray1<'py, usize>, Vec<Name>),
    SomeLabels(PyReadonlyArray1<'py, i64>, Vec<Name>),
    Numbers(PyReadonlyArray2<'py, f64>),
}

/// Everything that a fit learns from.
pub(crate) struct Input<'py> {
    rows: RowArrays<'py>,
    targets: Option<TargetArrays<'py>>,
    /// The labels where some are unknown.
    some_labels: Vec<Option<usize>>,
    classes: Classes,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    lengths: Option<Vec<usize>>,
}

impl<'py> Input<'py> {
    pub(crate) fn new(
        rows: RowArrays<'py>,
        targets: Option<TargetArrays<'py>>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        lengths: Option<Vec<usize>>,
    ) -> PyResult<Self> {
        let mut targets = targets;
        let classes = match &mut targets {
            Some(TargetArrays::Labels(_, names) | TargetArrays::SomeLabels(_, names)) => {
                let count = names.len();
                let classes = Classes::new(std::mem::take(names));
                if classes.len() != count {
                    return Err(PyValueError::new_err(
                        "two classes have the same name once they are written down",
                    ));
                }
                classes
            }
            _ => Classes::new(Vec::<ClassName>::new()),
        };
        let some_labels = match &targets {
            Some(TargetArrays::SomeLabels(labels, _)) => {
                let labels = labels.as_slice()?.iter();
                labels.map(|&label| usize::try_from(label).ok()).collect()
            }
            _ => Vec::new(),
        };
        Ok(Input {
            rows,
            targets,
            some_labels,
            classes,
            weights,
            lengths,
        })
    }

    /// How much there is to work on.
    pub(crate) fn n_values(&self) -> PyResult<usize> {
        self.rows.n_values()
    }

    /// The data as the kind that the arrays make up.
    pub(crate) fn data(&self) -> PyResult<Data<'_>> {
        let mut samples = self.rows.samples()?;
        if let Some(weights) = &self.weights {
            samples = samples.weighted(weights.as_slice()?).map_err(exception)?;
        }
        let data = match (&self.targets, &self.lengths) {
            (None, None) => Ok(Data::Samples(samples)),
            (Some(TargetArrays::Labels(labels, _)), None) => {
                Labelled::from_parts(samples, labels.as_slice()?, &self.classes).map(Data::Labelled)
            }
            (Some(TargetArrays::SomeLabels(..)), None) => {
                PartlyLabelled::from_parts(samples, &self.some_labels, &self.classes)
                    .map(Data::PartlyLabelled)
            }
            (Some(TargetArrays::Numbers(targets)), None) => {
                Measured::many(samples, targets.as_array()).map(Data::Measured)
            }
            (None, Some(lengths)) => Sequences::new(samples, lengths).map(Data::Sequences),
            (Some(TargetArrays::Labels(labels, _)), Some(lengths)) => {
                let labels = labels.as_slice()?;
                if labels.len() != samples.n_rows() {
                    return Err(PyValueError::new_err(format!(
                        "there are {} labels for {} items",
                        labels.len(),
                        samples.n_rows()
                    )));
                }
                Sequences::new(samples, lengths).map(|sequences| {
                    Data::LabelledSequences(LabelledSequences {
                        sequences,
                        labels,
                        classes: &self.classes,
                    })
                })
            }
            (Some(TargetArrays::Numbers(_) | TargetArrays::SomeLabels(..)), Some(_)) => {
                return Err(PyValueError::new_err(
                    "the items of sequences are taught with a class each, all of them known",
                ));
            }
        };
        data.map_err(exception)
    }

    /// The kind of the data.
    pub(crate) fn kind(&self) -> DataKind {
        match (&self.targets, &self.lengths) {
            (None, None) => DataKind::Samples,
            (Some(TargetArrays::Labels(..)), None) => DataKind::Labelled,
            (Some(TargetArrays::SomeLabels(..)), None) => DataKind::PartlyLabelled,
            (Some(TargetArrays::Numbers(_)), None) => DataKind::Measured,
            (None, Some(_)) => DataKind::Sequences,
            (Some(_), Some(_)) => DataKind::LabelledSequences,
        }
    }
}
