//! The columns of the rows, read one by one or multiplied with each other.

use crate::separators::overflow;
use didact_core::{Csr, Result, Rows, Run};
use didact_math::linalg::{gram, rows_times_vector, sparse_transpose, transposed_rows_times};
use ndarray::{Array2, ArrayView1, Axis, s};

/// Up to this many columns their products are a small matrix, whatever the number of rows.
const FEW_COLUMNS: usize = 500;

/// The rows, and their columns where those are read one by one.
pub(crate) struct Columns<'a> {
    rows: Rows<'a>,
    storage: Storage,
}

enum Storage {
    Products,
    Dense(Array2<f64>),
    Sparse(Csr),
}

/// How the columns are reached.
pub(super) enum Product<'a> {
    /// By the matrix XᵀHX of all of them, the constant feature's last.
    Matrix(Array2<f64>),
    /// One by one.
    Each(Column<'a>),
}

/// A way to one column after the other.
#[derive(Clone, Copy)]
pub(super) enum Column<'a> {
    Dense(&'a Array2<f64>),
    Sparse(&'a Csr),
}

impl Column<'_> {
    /// Calls `visit` with every row that is not zero in a column, and its value there.
    #[inline]
    pub(super) fn each(&self, j: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Column::Dense(columns) => {
                for (row, &value) in columns.row(j).iter().enumerate() {
                    visit(row, value);
                }
            }
            Column::Sparse(columns) => {
                let (rows, values) = columns.view().row(j);
                for (&row, &value) in rows.iter().zip(values) {
                    visit(row as usize, value);
                }
            }
        }
    }
}

impl<'a> Columns<'a> {
    pub(crate) fn new(rows: Rows<'a>, run: &Run) -> Result<Self> {
        run.check()?;
        let storage = match rows {
            _ if rows.n_columns() <= FEW_COLUMNS => Storage::Products,
            Rows::Dense(x) => Storage::Dense(x.t().as_standard_layout().into_owned()),
            Rows::Sparse(x) => Storage::Sparse(sparse_transpose(x)?),
        };
        Ok(Columns { rows, storage })
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.rows.n_columns()
    }

    /// w·x for every row, the constant feature's weight last.
    pub(crate) fn scores(&self, weights: &[f64], constant: f64, run: &Run) -> Result<Vec<f64>> {
        let (intercept, w) = weights.split_last().expect("there is a weight at least");
        let scores = rows_times_vector(self.rows, ArrayView1::from(w), run)? + constant * intercept;
        match scores.iter().all(|score| score.is_finite()) {
            true => Ok(scores.into_raw_vec_and_offset().0),
            false => Err(overflow()),
        }
    }

    /// Σ factor·x over the rows, the constant feature's last.
    pub(crate) fn combination(
        &self,
        factors: &[f64],
        constant: f64,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let column = ArrayView1::from(factors).insert_axis(Axis(1));
        let sums = transposed_rows_times(self.rows, column, run)?;
        let mut sums = sums.remove_axis(Axis(1)).to_vec();
        sums.push(constant * factors.iter().sum::<f64>());
        match sums.iter().all(|sum| sum.is_finite()) {
            true => Ok(sums),
            false => Err(overflow()),
        }
    }

    /// The products of the columns under the given weights of the rows, or the columns.
    pub(super) fn product(&self, bends: &[f64], constant: f64, run: &Run) -> Result<Product<'_>> {
        let d = self.n_columns();
        match &self.storage {
            Storage::Dense(columns) => Ok(Product::Each(Column::Dense(columns))),
            Storage::Sparse(columns) => Ok(Product::Each(Column::Sparse(columns))),
            Storage::Products => {
                let products = gram(self.rows, Some(ArrayView1::from(bends)), run)?;
                let mut matrix = Array2::zeros((d + 1, d + 1));
                matrix.slice_mut(s![..d, ..d]).assign(&products);
                let sums = self.combination(bends, constant, run)?;
                for (j, &sum) in sums.iter().enumerate() {
                    matrix[[j, d]] = constant * sum;
                    matrix[[d, j]] = constant * sum;
                }
                match matrix.iter().all(|value| value.is_finite()) {
                    true => Ok(Product::Matrix(matrix)),
                    false => Err(overflow()),
                }
            }
        }
    }
}
