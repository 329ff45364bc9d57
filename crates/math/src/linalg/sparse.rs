//! Products and sums of sparse matrices.

use didact_core::{Csr, CsrView, Error, Result};

/// The transpose of a sparse matrix, in time linear in its entries.
///
/// ```
/// use didact_core::Csr;
/// use ndarray::array;
/// let a = Csr::from_dense(array![[0.0, 1.0], [2.0, 3.0]].view());
/// let transposed = didact_math::linalg::sparse_transpose(a.view())?;
/// assert_eq!(transposed.view().to_dense(), array![[0.0, 2.0], [1.0, 3.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn sparse_transpose(matrix: CsrView<'_>) -> Result<Csr> {
    let (n, d) = (matrix.n_rows(), matrix.n_columns());
    let mut starts = vec![0; d + 1];
    for row in 0..n {
        for &column in matrix.row(row).0 {
            starts[column as usize + 1] += 1;
        }
    }
    for column in 0..d {
        starts[column + 1] += starts[column];
    }
    let mut next = starts.clone();
    let mut columns = vec![0; matrix.n_stored()];
    let mut values = vec![0.0; matrix.n_stored()];
    // Rows are met in rising order, so the columns of the transpose rise by themselves.
    for row in 0..n {
        let (row_columns, row_values) = matrix.row(row);
        for (&column, &value) in row_columns.iter().zip(row_values) {
            let place = next[column as usize];
            next[column as usize] += 1;
            columns[place] = row as u32;
            values[place] = value;
        }
    }
    Csr::new(starts, columns, values, n)
}

/// The product A·B of sparse matrices, in time linear in the pairs of entries that meet.
///
/// The product with a dense matrix or vector is [`rows_times`](super::rows_times).
///
/// # Panics
/// When the columns of A are not as many as the rows of B.
pub fn sparse_product(a: CsrView<'_>, b: CsrView<'_>) -> Result<Csr> {
    assert_eq!(a.n_columns(), b.n_rows(), "A and B do not fit together");
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut sums = vec![0.0; b.n_columns()];
    let mut is_touched = vec![false; b.n_columns()];
    let mut touched = Vec::new();
    for row in 0..a.n_rows() {
        let (a_columns, a_values) = a.row(row);
        for (&inner, &factor) in a_columns.iter().zip(a_values) {
            let (b_columns, b_values) = b.row(inner as usize);
            for (&column, &value) in b_columns.iter().zip(b_values) {
                if !is_touched[column as usize] {
                    is_touched[column as usize] = true;
                    touched.push(column);
                }
                sums[column as usize] += factor * value;
            }
        }
        touched.sort_unstable();
        for column in touched.drain(..) {
            columns.push(column);
            values.push(std::mem::take(&mut sums[column as usize]));
            is_touched[column as usize] = false;
        }
        starts.push(columns.len());
    }
    Csr::new(starts, columns, values, b.n_columns())
}

/// Combines two sparse matrices entry by entry, in time linear in their entries; an entry that
/// one of them lacks is `None`, and so is a result that is not to be stored. `combine` is not
/// asked where both lack the entry.
pub fn sparse_combine(
    a: CsrView<'_>,
    b: CsrView<'_>,
    combine: impl Fn(Option<f64>, Option<f64>) -> Option<f64>,
) -> Result<Csr> {
    if (a.n_rows(), a.n_columns()) != (b.n_rows(), b.n_columns()) {
        return Err(Error::data(format!(
            "one sparse matrix has {} rows and {} columns, the other {} and {}; \
             they must be of one shape",
            a.n_rows(),
            a.n_columns(),
            b.n_rows(),
            b.n_columns()
        )));
    }
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..a.n_rows() {
        let (a_row, b_row) = (a.row(row), b.row(row));
        let (mut i, mut j) = (0, 0);
        while i < a_row.0.len() || j < b_row.0.len() {
            let left = a_row.0.get(i).copied().unwrap_or(u32::MAX);
            let right = b_row.0.get(j).copied().unwrap_or(u32::MAX);
            let column = left.min(right);
            let first = (left == column).then(|| a_row.1[i]);
            let second = (right == column).then(|| b_row.1[j]);
            i += usize::from(first.is_some());
            j += usize::from(second.is_some());
            if let Some(value) = combine(first, second) {
                columns.push(column);
                values.push(value);
            }
        }
        starts.push(columns.len());
    }
    Csr::new(starts, columns, values, a.n_columns())
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_sparse};

    #[test]
    fn sparse_operations_agree_with_the_same_matrices_written_out() {
        let (a, b) = (random_sparse(20, 15, 0.2, 1), random_sparse(15, 9, 0.3, 2));
        let (a_dense, b_dense) = (a.view().to_dense(), b.view().to_dense());
        let transposed = sparse_transpose(a.view()).unwrap();
        assert_eq!(transposed.view().to_dense(), a_dense.t());
        let product = sparse_product(a.view(), b.view()).unwrap();
        assert_close(&product.view().to_dense(), &a_dense.dot(&b_dense), 1e-12);
        let other = random_sparse(20, 15, 0.4, 3);
        let difference = sparse_combine(a.view(), other.view(), |x, y| {
            Some(x.unwrap_or(0.0) - y.unwrap_or(0.0))
        });
        let expected = &a_dense - &other.view().to_dense();
        assert_eq!(difference.unwrap().view().to_dense(), expected);
        assert!(sparse_combine(a.view(), b.view(), |x, _| x).is_err());
    }

    #[test]
    fn a_slice_of_rows_is_transposed_like_a_matrix_of_its_own() {
        let a = random_sparse(20, 15, 0.2, 4);
        let slice = a.view().slice(5..11);
        let transposed = sparse_transpose(slice).unwrap();
        assert_eq!(transposed.view().to_dense(), slice.to_dense().t());
    }
}
