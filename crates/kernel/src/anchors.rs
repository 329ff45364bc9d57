//! Training rows that other rows are compared with, and sums over these comparisons.

use didact_core::{Csr, Error, OwnedRows, Result, Rows, Run, are_finite};
use didact_math::kernel::{Compared, Kernel, kernel_matrix_self};
use didact_math::linalg::matmul;
use ndarray::{Array, Array2, ArrayView2, ArrayViewMut2, Dimension};
use serde::{Deserialize, Serialize};

/// Rows that are compared together.
const BLOCK: usize = 16;

/// Training rows and the kernel that compares others with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Anchors {
    pub(crate) kernel: Kernel,
    rows: Kept,
}

/// The rows as they were given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kept {
    Dense(Array2<f64>),
    Sparse(Csr),
}

impl Anchors {
    /// Keeps some of the rows.
    pub(crate) fn new(kernel: Kernel, rows: Rows<'_>, chosen: &[usize]) -> Self {
        let rows = match rows.select(chosen) {
            OwnedRows::Dense(dense) => Kept::Dense(dense),
            OwnedRows::Sparse(sparse) => Kept::Sparse(sparse),
        };
        Anchors { kernel, rows }
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        match &self.rows {
            Kept::Dense(dense) => Rows::Dense(dense.view()),
            Kept::Sparse(sparse) => Rows::Sparse(sparse.view()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows().n_rows()
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.rows().n_columns()
    }

    /// Whether the kernel is one and the rows are numbers.
    pub(crate) fn is_sound(&self) -> bool {
        self.kernel.check().is_ok() && self.kernel.check_rows(self.rows()).is_ok()
    }

    /// The kernel of all pairs of the rows.
    pub(crate) fn gram(&self, run: &Run) -> Result<Array2<f64>> {
        let n = self.len();
        let mut all: Vec<f64> = Vec::new();
        let fits = n
            .checked_mul(n)
            .is_some_and(|pairs| all.try_reserve_exact(pairs).is_ok());
        if !fits {
            return Err(Error::data(format!(
                "the kernel of all pairs of {n} rows does not fit in memory; use fewer rows"
            )));
        }
        drop(all);
        let gram = kernel_matrix_self(self.rows(), &self.kernel, run)?;
        ensure_finite(&gram)?;
        Ok(gram)
    }

    /// K·C: the kernel of each row with the anchors, changed by `adjust`, times a column of
    /// coefficients for each output, in parallel.
    pub(crate) fn combine(
        &self,
        rows: Rows<'_>,
        coefficients: ArrayView2<'_, f64>,
        adjust: impl Fn(&mut [f64]) + Sync + Send,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let width = coefficients.ncols();
        self.blocks(rows, width, run, |mut kernel, output| {
            for mut row in kernel.rows_mut().into_iter().take(output.len() / width) {
                adjust(row.as_slice_mut().expect("whole rows"));
            }
            let block = matmul(kernel.view(), coefficients);
            let block = block.as_slice().expect("a fresh matrix is contiguous");
            output.copy_from_slice(&block[..output.len()]);
        })
    }

    /// K: the kernel of each row with the anchors, in parallel.
    pub(crate) fn compare(&self, rows: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        self.blocks(rows, self.len(), run, |kernel, output| {
            let kernel = kernel.as_slice().expect("a block is contiguous");
            output.copy_from_slice(&kernel[..output.len()]);
        })
    }

    /// What `work` makes of the kernel of some rows at a time: `width` finite numbers for each row.
    fn blocks(
        &self,
        rows: Rows<'_>,
        width: usize,
        run: &Run,
        work: impl Fn(ArrayViewMut2<'_, f64>, &mut [f64]) + Sync,
    ) -> Result<Array2<f64>> {
        self.kernel.check_rows(rows)?;
        let mut output = Array2::zeros((rows.n_rows(), width));
        let values = output.as_slice_mut().expect("a fresh matrix is contiguous");
        Compared::new(self.rows(), &self.kernel).in_blocks(rows, BLOCK, values, run, work)?;
        ensure_finite(&output)?;
        Ok(output)
    }
}

/// Fails where the values of a kernel, or what is made of them, are too large for numbers.
pub(crate) fn ensure_finite<D: Dimension>(values: &Array<f64, D>) -> Result<()> {
    let values = values.as_slice_memory_order();
    match are_finite(values.expect("a whole array lies in one piece")) {
        true => Ok(()),
        false => Err(Error::numerical(
            "the kernel of some rows is too large for a number; scale the columns, or use a \
             smaller gamma or degree",
        )),
    }
}

/// The rows of positive weight.
pub(crate) fn counting_rows(data: &didact_core::Samples<'_>) -> Result<Vec<usize>> {
    let rows: Vec<usize> = (0..data.n_rows())
        .filter(|&row| data.weight(row) > 0.0)
        .collect();
    match rows.is_empty() {
        false => Ok(rows),
        true => Err(Error::data(
            "all rows have the weight 0; give some of them a positive weight",
        )),
    }
}
