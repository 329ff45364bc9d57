//! Rows without targets, and their weights.

use super::{FitData, check_length};
use crate::{Accepts, Csr, CsrView, Error, OwnedRows, Result, Rows};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix1, Ix2};
use std::ops::Range;

/// Rows without targets, and how much each counts.
///
/// ```
/// use didact_core::Samples;
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// let samples = Samples::from(&x).weighted(&[1.0, 2.5])?;
/// assert_eq!(samples.n_rows(), 2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Samples<'a> {
    storage: Storage<'a>,
    weights: Option<CowArray<'a, f64, Ix1>>,
}

#[derive(Clone, Debug)]
enum Storage<'a> {
    Dense(CowArray<'a, f64, Ix2>),
    Sparse(CsrView<'a>),
    OwnedSparse(Csr),
}

impl<'a> Samples<'a> {
    /// Gives each row a non-negative weight; a row of weight two counts like two equal rows.
    pub fn weighted(mut self, weights: &'a [f64]) -> Result<Self> {
        if weights.len() != self.n_rows() {
            return Err(Error::data(format!(
                "there are {} weights for {} rows",
                weights.len(),
                self.n_rows()
            )));
        }
        let fault = weights
            .iter()
            .position(|weight| !(*weight >= 0.0 && weight.is_finite()));
        if let Some(row) = fault {
            return Err(Error::data(format!(
                "the weight of row {row} is {}; weights must be finite and not negative",
                weights[row]
            )));
        }
        if !weights.is_empty() && weights.iter().all(|weight| *weight == 0.0) {
            return Err(Error::data(
                "all weights are zero; at least one row must count",
            ));
        }
        self.weights = Some(CowArray::from(ArrayView1::from(weights)));
        Ok(self)
    }

    /// The rows.
    pub fn rows(&self) -> Rows<'_> {
        match &self.storage {
            Storage::Dense(dense) => Rows::Dense(dense.view()),
            Storage::Sparse(sparse) => Rows::Sparse(*sparse),
            Storage::OwnedSparse(sparse) => Rows::Sparse(sparse.view()),
        }
    }

    /// The rows written out, or an error where they are sparse.
    pub fn dense(&self) -> Result<ArrayView2<'_, f64>> {
        self.rows().dense()
    }

    /// The weights, if the rows are weighted.
    pub fn weights(&self) -> Option<ArrayView1<'_, f64>> {
        self.weights.as_ref().map(|weights| weights.view())
    }

    /// The weight of a row, one where the rows are not weighted.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The sum of the weights, the number of rows where they are not weighted.
    pub fn total_weight(&self) -> f64 {
        self.weights
            .as_ref()
            .map_or(self.n_rows() as f64, |weights| weights.sum())
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows().n_rows()
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.rows().n_columns()
    }

    /// The same samples, borrowed.
    pub fn view(&self) -> Samples<'_> {
        Samples {
            weights: self.weights().map(CowArray::from),
            ..Samples::from(self.rows())
        }
    }

    /// Some consecutive samples, without a copy.
    pub fn slice(&self, range: Range<usize>) -> Samples<'_> {
        let weights = self.weights().map(|weights| {
            let (_, tail) = weights.split_at(Axis(0), range.start);
            CowArray::from(tail.split_at(Axis(0), range.len()).0)
        });
        Samples {
            weights,
            ..Samples::from(self.rows().slice(range))
        }
    }

    /// The chosen samples, in the given order.
    pub fn select<'s>(&self, chosen: &[usize]) -> Samples<'s> {
        let storage = match self.rows().select(chosen) {
            OwnedRows::Dense(dense) => Storage::Dense(CowArray::from(dense)),
            OwnedRows::Sparse(sparse) => Storage::OwnedSparse(sparse),
        };
        Samples {
            storage,
            weights: self
                .weights()
                .map(|weights| CowArray::from(weights.select(Axis(0), chosen))),
        }
    }

    /// The samples of positive weight, without a copy where that is all of them.
    ///
    /// ```
    /// use didact_core::Samples;
    /// let x = ndarray::array![[1.0], [2.0], [3.0]];
    /// let samples = Samples::from(&x).weighted(&[1.0, 0.0, 2.0])?;
    /// assert_eq!(samples.counting().dense()?, ndarray::array![[1.0], [3.0]]);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn counting(&self) -> Samples<'_> {
        let counts = |row: &usize| self.weight(*row) > 0.0;
        match (0..self.n_rows()).all(|row| counts(&row)) {
            true => self.view(),
            false => self.select(&(0..self.n_rows()).filter(counts).collect::<Vec<_>>()),
        }
    }

    /// Other rows with the same weights.
    pub fn with_rows(self, rows: &'a OwnedRows) -> Result<Self> {
        check_length("rows", rows.view().n_rows(), self.n_rows())?;
        Ok(Samples {
            weights: self.weights,
            ..Samples::from(rows)
        })
    }

    pub(super) fn check(&self, accepts: Accepts) -> Result<()> {
        if self.n_rows() == 0 {
            return Err(Error::data("there are no rows; give at least one"));
        }
        if self.n_columns() == 0 {
            return Err(Error::data(
                "the rows have no columns; give at least one feature",
            ));
        }
        if self.rows().is_sparse() && !accepts.contains(Accepts::SPARSE) {
            return Err(Error::unsupported(
                "this method needs dense rows; convert the sparse rows first",
            ));
        }
        if self.weights.is_some() && !accepts.contains(Accepts::WEIGHTS) {
            return Err(Error::unsupported(
                "this method does not take sample weights",
            ));
        }
        check_finite(self.rows(), accepts)
    }
}

/// Refuses infinite values always and missing ones (NaN) unless the method accepts them.
pub(crate) fn check_finite(rows: Rows<'_>, accepts: Accepts) -> Result<()> {
    let bad = match (accepts.contains(Accepts::MISSING), rows) {
        (true, Rows::Dense(dense)) => dense
            .indexed_iter()
            .find(|(_, value)| value.is_infinite())
            .map(|((row, column), &value)| (row, column, value)),
        _ => rows.first_not_finite(),
    };
    match bad {
        None => Ok(()),
        Some((row, column, value)) => Err(Error::NotFinite {
            row,
            column,
            value,
            hint: match value.is_nan() {
                true => "remove the rows with missing values or impute them first",
                false => "every value must be a finite number",
            },
        }),
    }
}

impl<'a> From<Rows<'a>> for Samples<'a> {
    fn from(rows: Rows<'a>) -> Self {
        let storage = match rows {
            Rows::Dense(dense) if dense.is_standard_layout() => {
                Storage::Dense(CowArray::from(dense))
            }
            Rows::Dense(dense) => {
                Storage::Dense(CowArray::from(dense.as_standard_layout().into_owned()))
            }
            Rows::Sparse(sparse) => Storage::Sparse(sparse),
        };
        Samples {
            storage,
            weights: None,
        }
    }
}

impl<'a> From<ArrayView2<'a, f64>> for Samples<'a> {
    fn from(dense: ArrayView2<'a, f64>) -> Self {
        Samples::from(Rows::Dense(dense))
    }
}

impl<'a> From<&'a Array2<f64>> for Samples<'a> {
    fn from(dense: &'a Array2<f64>) -> Self {
        Samples::from(dense.view())
    }
}

impl<'a> From<CsrView<'a>> for Samples<'a> {
    fn from(sparse: CsrView<'a>) -> Self {
        Samples::from(Rows::Sparse(sparse))
    }
}

impl<'a> From<&'a Csr> for Samples<'a> {
    fn from(sparse: &'a Csr) -> Self {
        Samples::from(sparse.view())
    }
}

impl<'a> From<&'a OwnedRows> for Samples<'a> {
    fn from(rows: &'a OwnedRows) -> Self {
        Samples::from(rows.view())
    }
}

impl FitData for Samples<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        Samples::check(self, accepts)
    }

    fn n_rows(&self) -> usize {
        Samples::n_rows(self)
    }
}
