//! Rows of numbers, dense or sparse: what every method reads.

use crate::{Csr, CsrView, Error, Result, Run};
use ndarray::{Array2, ArrayView2, Axis, CowArray, Ix2};
use rayon::prelude::*;
use std::ops::Range;

/// Borrowed rows; one row is one sample.
///
/// Dense rows that reach an algorithm through [`crate::Fit`] or a model's `predict` are always
/// contiguous in C order, so a row is a slice.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// All values written out.
    Dense(ArrayView2<'a, f64>),
    /// Only the non-zero values.
    Sparse(CsrView<'a>),
}

/// Rows that own their values, as transformations return them.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnedRows {
    /// All values written out.
    Dense(Array2<f64>),
    /// Only the non-zero values.
    Sparse(Csr),
}

impl<'a> Rows<'a> {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Rows::Dense(dense) => dense.nrows(),
            Rows::Sparse(sparse) => sparse.n_rows(),
        }
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        match self {
            Rows::Dense(dense) => dense.ncols(),
            Rows::Sparse(sparse) => sparse.n_columns(),
        }
    }

    /// Whether the rows are sparse.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Rows::Sparse(_))
    }

    /// The dense rows, or an error where they are sparse.
    pub fn dense(&self) -> Result<ArrayView2<'a, f64>> {
        match self {
            Rows::Dense(dense) => Ok(*dense),
            Rows::Sparse(_) => Err(Error::unsupported(
                "this method needs dense rows; convert the sparse rows first",
            )),
        }
    }

    /// The rows written out, copied only when they are sparse.
    pub fn to_dense(&self) -> CowArray<'a, f64, Ix2> {
        match self {
            Rows::Dense(dense) => CowArray::from(*dense),
            Rows::Sparse(sparse) => CowArray::from(sparse.to_dense()),
        }
    }

    /// The same rows for a shorter time; array views do not shorten by themselves.
    pub fn reborrow<'b>(self) -> Rows<'b>
    where
        'a: 'b,
    {
        match self {
            Rows::Dense(dense) => Rows::Dense(dense.reborrow()),
            Rows::Sparse(sparse) => Rows::Sparse(sparse),
        }
    }

    /// Some consecutive rows, without a copy.
    pub fn slice(&self, rows: Range<usize>) -> Rows<'a> {
        match self {
            Rows::Dense(dense) => {
                let (_, tail) = dense.split_at(Axis(0), rows.start);
                let (head, _) = tail.split_at(Axis(0), rows.len());
                Rows::Dense(head)
            }
            Rows::Sparse(sparse) => Rows::Sparse(sparse.slice(rows)),
        }
    }

    /// The chosen rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> OwnedRows {
        match self {
            Rows::Dense(dense) => OwnedRows::Dense(dense.select(Axis(0), rows)),
            Rows::Sparse(sparse) => OwnedRows::Sparse(sparse.select(rows)),
        }
    }

    /// Position and value of the first stored value that is NaN or infinite.
    pub(crate) fn first_not_finite(&self) -> Option<(usize, usize, f64)> {
        match self {
            Rows::Dense(dense) if dense.as_slice().is_some_and(are_finite) => None,
            Rows::Dense(dense) => dense
                .indexed_iter()
                .find(|(_, value)| !value.is_finite())
                .map(|((row, column), &value)| (row, column, value)),
            Rows::Sparse(sparse) => (0..sparse.n_rows()).find_map(|row| {
                let (columns, values) = sparse.row(row);
                let place = values.iter().position(|value| !value.is_finite())?;
                Some((row, columns[place] as usize, values[place]))
            }),
        }
    }
}

/// Whether all values are finite; many are looked at in parallel.
///
/// ```
/// use didact_core::are_finite;
/// assert!(are_finite(&[1.0, -f64::MAX]));
/// assert!(!are_finite(&[1.0, f64::NAN]) && !are_finite(&[f64::NEG_INFINITY]));
/// ```
pub fn are_finite(values: &[f64]) -> bool {
    /// Values that a thread looks at in a row.
    const PIECE: usize = 1 << 16;
    match values.len() <= 4 * PIECE {
        true => piece_is_finite(values),
        false => Run::new().in_parallel(|| values.par_chunks(PIECE).all(piece_is_finite)),
    }
}

/// The sum of x·0 is NaN exactly when some x is not finite; sums side by side wait for memory
/// alone.
fn piece_is_finite(values: &[f64]) -> bool {
    let (groups, rest) = values.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for group in groups {
        for lane in 0..16 {
            sums[lane] += group[lane] * 0.0;
        }
    }
    sums.iter().chain(rest).all(|value| value.is_finite())
}

impl OwnedRows {
    /// Borrows the rows.
    pub fn view(&self) -> Rows<'_> {
        match self {
            OwnedRows::Dense(dense) => Rows::Dense(dense.view()),
            OwnedRows::Sparse(sparse) => Rows::Sparse(sparse.view()),
        }
    }

    /// The values written out.
    pub fn into_dense(self) -> Array2<f64> {
        match self {
            OwnedRows::Dense(dense) => dense,
            OwnedRows::Sparse(sparse) => sparse.view().to_dense(),
        }
    }
}

impl From<Array2<f64>> for OwnedRows {
    fn from(dense: Array2<f64>) -> Self {
        OwnedRows::Dense(dense)
    }
}

impl From<Csr> for OwnedRows {
    fn from(sparse: Csr) -> Self {
        OwnedRows::Sparse(sparse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn slices_of_dense_and_sparse_rows_agree() {
        let dense = array![[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]];
        let sparse = Csr::from_dense(dense.view());
        for rows in [Rows::Dense(dense.view()), Rows::Sparse(sparse.view())] {
            assert_eq!(rows.slice(1..3).to_dense(), array![[0.0, 2.0], [3.0, 4.0]]);
            assert_eq!(
                rows.select(&[2, 0]).into_dense(),
                array![[3.0, 4.0], [1.0, 0.0]]
            );
        }
    }

    #[test]
    fn the_first_bad_value_is_found() {
        let dense = array![[1.0, 0.0], [0.0, f64::INFINITY], [f64::NAN, 4.0]];
        assert_eq!(
            Rows::Dense(dense.view()).first_not_finite(),
            Some((1, 1, f64::INFINITY))
        );
        let sparse = Csr::from_dense(dense.view());
        assert_eq!(
            Rows::Sparse(sparse.view()).first_not_finite(),
            Some((1, 1, f64::INFINITY))
        );
        let mut many = Array2::zeros((100_000, 7));
        many[[99_999, 6]] = f64::NAN;
        many[[70_000, 3]] = f64::NEG_INFINITY;
        for (found, expected) in [(70_000, 3), (99_999, 6)].into_iter().enumerate() {
            let (row, column, _) = Rows::Dense(many.view()).first_not_finite().unwrap();
            assert_eq!((row, column), expected, "{found}");
            many[[row, column]] = 0.0;
        }
        assert_eq!(Rows::Dense(many.view()).first_not_finite(), None);
        let huge = array![[1e308, 1e308], [-1e308, 1e308]];
        assert_eq!(Rows::Dense(huge.view()).first_not_finite(), None);
    }
}
