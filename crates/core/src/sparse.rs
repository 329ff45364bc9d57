//! Sparse rows in compressed form (CSR): text counts and one-hot columns are mostly zeros.

use crate::{Error, Result};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Owned sparse rows; see [`CsrView`] for the layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Csr {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    n_columns: usize,
}

/// What a file says; it becomes a [`Csr`] only after the same checks as anything else.
#[derive(Deserialize)]
struct Unchecked {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    n_columns: usize,
}

impl TryFrom<Unchecked> for Csr {
    type Error = Error;

    fn try_from(parts: Unchecked) -> Result<Self> {
        Csr::new(parts.starts, parts.columns, parts.values, parts.n_columns)
    }
}

/// Borrowed sparse rows.
///
/// Row `i` holds `values[starts[i]..starts[i+1]]` in the columns of the same range, with
/// columns strictly increasing inside a row. `starts` may begin above zero, so that a view of
/// some rows of a larger matrix needs no copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CsrView<'a> {
    starts: &'a [usize],
    columns: &'a [u32],
    values: &'a [f64],
    n_columns: usize,
}

impl Csr {
    /// Checks and keeps the three arrays of a compressed matrix.
    pub fn new(
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f64>,
        n_columns: usize,
    ) -> Result<Self> {
        CsrView::new(&starts, &columns, &values, n_columns)?;
        Ok(Csr {
            starts,
            columns,
            values,
            n_columns,
        })
    }

    /// Builds rows from lists of (column, value); columns may come in any order, repeated
    /// columns are added up and explicit zeros are dropped.
    pub fn from_rows(rows: &[Vec<(usize, f64)>], n_columns: usize) -> Result<Self> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let mut row = row.clone();
            row.sort_by_key(|&(column, _)| column);
            let first = columns.len();
            for (column, value) in row {
                if column >= n_columns {
                    return Err(Error::data(format!(
                        "row {index} has an entry in column {column} but there are only {n_columns} columns"
                    )));
                }
                if columns.len() > first && columns.last() == Some(&(column as u32)) {
                    *values.last_mut().expect("one value per column") += value;
                } else if value != 0.0 {
                    columns.push(column as u32);
                    values.push(value);
                }
            }
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, n_columns)
    }

    /// Keeps the non-zero entries of a dense matrix.
    pub fn from_dense(dense: ArrayView2<'_, f64>) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in dense.rows() {
            for (column, &value) in row.iter().enumerate() {
                if value != 0.0 {
                    columns.push(column as u32);
                    values.push(value);
                }
            }
            starts.push(columns.len());
        }
        Csr {
            starts,
            columns,
            values,
            n_columns: dense.ncols(),
        }
    }

    /// The same rows with another number of columns: new ones hold zeros, and values beyond the
    /// last are dropped.
    pub fn with_columns(self, n_columns: usize) -> Csr {
        if n_columns >= self.n_columns {
            return Csr { n_columns, ..self };
        }
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..self.view().n_rows() {
            let (row_columns, row_values) = self.view().row(row);
            let kept = row_columns.partition_point(|&column| (column as usize) < n_columns);
            columns.extend_from_slice(&row_columns[..kept]);
            values.extend_from_slice(&row_values[..kept]);
            starts.push(columns.len());
        }
        Csr {
            starts,
            columns,
            values,
            n_columns,
        }
    }

    /// The three arrays and the number of columns, as [`Csr::new`] takes them.
    pub fn into_parts(self) -> (Vec<usize>, Vec<u32>, Vec<f64>, usize) {
        (self.starts, self.columns, self.values, self.n_columns)
    }

    /// Borrows the rows.
    pub fn view(&self) -> CsrView<'_> {
        CsrView {
            starts: &self.starts,
            columns: &self.columns,
            values: &self.values,
            n_columns: self.n_columns,
        }
    }
}

impl<'a> CsrView<'a> {
    /// Checks and borrows the three arrays of a compressed matrix.
    pub fn new(
        starts: &'a [usize],
        columns: &'a [u32],
        values: &'a [f64],
        n_columns: usize,
    ) -> Result<Self> {
        let complain = |what: &str| Err(Error::data(format!("sparse rows: {what}")));
        if starts.is_empty() {
            return complain("the list of row starts is empty; it needs one entry more than rows");
        }
        if n_columns > u32::MAX as usize {
            return complain("more than 4294967295 columns are not supported");
        }
        if columns.len() != values.len() || starts[starts.len() - 1] > columns.len() {
            return complain("columns, values and row starts do not belong together");
        }
        for (row, bounds) in starts.windows(2).enumerate() {
            if bounds[0] > bounds[1] {
                return complain(&format!("row {row} ends before it starts"));
            }
            let in_row = &columns[bounds[0]..bounds[1]];
            if in_row.windows(2).any(|pair| pair[0] >= pair[1]) {
                return complain(&format!("the columns of row {row} are not increasing"));
            }
            if in_row
                .last()
                .is_some_and(|&last| last as usize >= n_columns)
            {
                return complain(&format!(
                    "row {row} has an entry outside the {n_columns} columns"
                ));
            }
        }
        Ok(CsrView {
            starts,
            columns,
            values,
            n_columns,
        })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Number of stored entries.
    pub fn n_stored(&self) -> usize {
        self.starts[self.starts.len() - 1] - self.starts[0]
    }

    /// Columns and values of one row.
    pub fn row(&self, row: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Some consecutive rows, without a copy.
    pub fn slice(&self, rows: Range<usize>) -> CsrView<'a> {
        CsrView {
            starts: &self.starts[rows.start..=rows.end],
            ..*self
        }
    }

    /// The chosen rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Csr {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for &row in rows {
            let (row_columns, row_values) = self.row(row);
            columns.extend_from_slice(row_columns);
            values.extend_from_slice(row_values);
            starts.push(columns.len());
        }
        Csr {
            starts,
            columns,
            values,
            n_columns: self.n_columns,
        }
    }

    /// Copies the rows into compressed arrays of their own.
    pub fn to_owned(&self) -> Csr {
        let first = self.starts[0];
        let last = self.starts[self.starts.len() - 1];
        Csr {
            starts: self.starts.iter().map(|start| start - first).collect(),
            columns: self.columns[first..last].to_vec(),
            values: self.values[first..last].to_vec(),
            n_columns: self.n_columns,
        }
    }

    /// Writes the rows out with all their zeros.
    pub fn to_dense(&self) -> Array2<f64> {
        let mut dense = Array2::zeros((self.n_rows(), self.n_columns));
        for row in 0..self.n_rows() {
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                dense[[row, column as usize]] = value;
            }
        }
        dense
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn dense_round_trip_and_slices_agree() {
        let dense = array![[0.0, 1.0, 0.0], [2.0, 0.0, 3.0], [0.0, 0.0, 0.0]];
        let sparse = Csr::from_dense(dense.view());
        assert_eq!(sparse.view().to_dense(), dense);
        assert_eq!(sparse.view().n_stored(), 3);
        let tail = sparse.view().slice(1..3);
        assert_eq!(tail.to_dense(), array![[2.0, 0.0, 3.0], [0.0, 0.0, 0.0]]);
        assert_eq!(tail.to_owned().view().to_dense(), tail.to_dense());
        assert_eq!(tail.n_stored(), 2);
        assert_eq!(sparse.view().select(&[2, 0]).view().to_dense()[[1, 1]], 1.0);
    }

    #[test]
    fn columns_are_added_as_zeros_and_dropped_with_their_values() {
        let sparse = Csr::from_dense(array![[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]].view());
        let wide = sparse.clone().with_columns(4).view().to_dense();
        assert_eq!(wide, array![[0.0, 1.0, 2.0, 0.0], [3.0, 0.0, 0.0, 0.0]]);
        let narrow = sparse.with_columns(2).view().to_dense();
        assert_eq!(narrow, array![[0.0, 1.0], [3.0, 0.0]]);
    }

    #[test]
    fn rows_may_come_unordered_and_repeated() {
        let sparse = Csr::from_rows(&[vec![(2, 1.0), (0, 4.0), (2, 0.5)]], 3).unwrap();
        assert_eq!(sparse.view().to_dense(), array![[4.0, 0.0, 1.5]]);
        assert!(Csr::from_rows(&[vec![(3, 1.0)]], 3).is_err());
    }

    #[test]
    fn a_file_with_broken_arrays_is_refused() {
        let text = r#"{"starts": [0, 2], "columns": [1, 0], "values": [1.0, 1.0], "n_columns": 2}"#;
        let error = serde_json::from_str::<Csr>(text).unwrap_err().to_string();
        assert!(error.contains("increasing"), "{error}");
    }

    #[test]
    fn broken_arrays_are_refused_with_the_reason() {
        let error = |starts: &[usize], columns: &[u32], values: &[f64]| {
            CsrView::new(starts, columns, values, 2)
                .unwrap_err()
                .to_string()
        };
        assert!(error(&[], &[], &[]).contains("empty"));
        assert!(error(&[0, 2], &[1, 0], &[1.0, 1.0]).contains("increasing"));
        assert!(error(&[0, 1], &[2], &[1.0]).contains("outside"));
        assert!(error(&[0, 2], &[0], &[1.0]).contains("belong together"));
        assert!(error(&[1, 0], &[0], &[1.0]).contains("ends before"));
    }
}
