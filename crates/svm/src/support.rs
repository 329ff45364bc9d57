//! Support vectors, and the kernel of other rows with them.

use didact_core::{Csr, OwnedRows, Result, Rows, Run, parallel};
use didact_math::kernel::{Kernel, kernel_matrix_into};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};

/// Rows that are compared together. Matrix products choose the order of their sums by the shape;
/// because every block has the same one, padded with zeros where rows run out, what is said of a
/// row does not depend on the others to the last bit.
const BLOCK: usize = 32;

/// The rows that hold a solution, with the kernel that compares others with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SupportVectors {
    pub(crate) kernel: Kernel,
    vectors: Vectors,
}

/// The rows as they were given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Vectors {
    Dense(Array2<f64>),
    Sparse(Csr),
}

impl SupportVectors {
    pub(crate) fn new(kernel: Kernel, rows: Rows<'_>, chosen: &[usize]) -> Self {
        let vectors = match rows.select(chosen) {
            OwnedRows::Dense(dense) => Vectors::Dense(dense),
            OwnedRows::Sparse(sparse) => Vectors::Sparse(sparse),
        };
        SupportVectors { kernel, vectors }
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        match &self.vectors {
            Vectors::Dense(dense) => Rows::Dense(dense.view()),
            Vectors::Sparse(sparse) => Rows::Sparse(sparse.view()),
        }
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.rows().n_columns()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows().n_rows()
    }

    pub(crate) fn is_finite(&self) -> bool {
        match &self.vectors {
            Vectors::Dense(dense) => dense.iter().all(|value| value.is_finite()),
            Vectors::Sparse(sparse) => {
                let view = sparse.view();
                (0..view.n_rows()).all(|row| view.row(row).1.iter().all(|value| value.is_finite()))
            }
        }
    }

    /// Calls `judge` with the kernel of each row with all support vectors, to write so many values.
    pub(crate) fn judge(
        &self,
        rows: Rows<'_>,
        width: usize,
        judge: impl Fn(&[f64], &mut [f64]) + Sync + Send,
    ) -> Result<Array2<f64>> {
        let run = Run::new();
        self.kernel.check_rows(rows)?;
        let converted = match (rows, &self.vectors) {
            (Rows::Dense(x), Vectors::Sparse(_)) => Some(OwnedRows::Sparse(Csr::from_dense(x))),
            (Rows::Sparse(x), Vectors::Dense(_)) => Some(OwnedRows::Dense(x.to_dense())),
            _ => None,
        };
        let rows = converted.as_ref().map_or(rows.reborrow(), OwnedRows::view);
        let mut values = Array2::zeros((rows.n_rows(), width));
        let output = values.as_slice_mut().expect("a fresh matrix is contiguous");
        parallel::fill(output, width, BLOCK, &run, |range, piece| {
            let kernel = self.compare(rows.slice(range), &run)?;
            for (row, output) in kernel.rows().into_iter().zip(piece.chunks_mut(width)) {
                judge(row.to_slice().expect("whole rows"), output);
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// The kernel of at most a block of rows, and of nothing where rows run out, with all support
    /// vectors.
    fn compare(&self, rows: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        let padded = match rows {
            Rows::Dense(x) => OwnedRows::Dense(padded(x)),
            Rows::Sparse(_) => return self.compare_with(rows, run),
        };
        self.compare_with(padded.view(), run)
    }

    fn compare_with(&self, rows: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        let mut kernel = Array2::zeros((rows.n_rows(), self.len()));
        if self.len() == 0 {
            return Ok(kernel);
        }
        kernel_matrix_into(
            rows,
            Some(self.rows()),
            &self.kernel,
            kernel.view_mut(),
            run,
        )?;
        Ok(kernel)
    }
}

fn padded(x: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut block = Array2::zeros((BLOCK, x.ncols()));
    block.slice_mut(s![..x.nrows(), ..]).assign(&x);
    block
}

/// The scores w·x + b of hyperplanes, a row of weights for each.
pub(crate) fn linear_scores(
    rows: Rows<'_>,
    weights: &Array2<f64>,
    intercepts: &Array1<f64>,
) -> Result<Array2<f64>> {
    let width = intercepts.len();
    let weights = weights.as_slice().expect("weights are contiguous");
    let planes: Vec<&[f64]> = weights.chunks(rows.n_columns()).collect();
    let mut values = Array2::zeros((rows.n_rows(), width));
    let output = values.as_slice_mut().expect("a fresh matrix is contiguous");
    parallel::fill(output, width, 1024, &Run::new(), |range, piece| {
        for (row, output) in range.zip(piece.chunks_mut(width)) {
            for ((value, plane), intercept) in output.iter_mut().zip(&planes).zip(intercepts) {
                *value = product(rows, row, plane) + intercept;
            }
        }
        Ok(())
    })?;
    Ok(values)
}

fn product(rows: Rows<'_>, row: usize, weights: &[f64]) -> f64 {
    match rows {
        Rows::Dense(x) => dot(
            x.row(row).to_slice().expect("checked rows are contiguous"),
            weights,
        ),
        Rows::Sparse(x) => {
            let (columns, values) = x.row(row);
            let entries = columns.iter().zip(values);
            entries
                .map(|(&column, value)| value * weights[column as usize])
                .sum()
        }
    }
}
