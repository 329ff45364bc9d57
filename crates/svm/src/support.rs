//! Support vectors, and the kernel of other rows with them.

use didact_core::{Csr, OwnedRows, Result, Rows, Run, parallel};
use didact_math::kernel::{Compared, Kernel};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Rows that are compared together.
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
        self.kernel.check_rows(rows)?;
        let mut values = Array2::zeros((rows.n_rows(), width));
        let output = values.as_slice_mut().expect("a fresh matrix is contiguous");
        let compared = Compared::new(self.rows(), &self.kernel);
        compared.in_blocks(rows, BLOCK, output, &Run::new(), |kernel, output| {
            for (row, output) in kernel.rows().into_iter().zip(output.chunks_mut(width)) {
                judge(row.to_slice().expect("whole rows"), output);
            }
        })?;
        Ok(values)
    }
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
