//! Rows that others are compared with, block after block.

use super::Kernel;
use super::matrix::fill_kernel;
use crate::distance::Prepared;
use crate::vectorised::exponential_decay;
use didact_core::{Csr, OwnedRows, Result, Rows, Run, parallel};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

/// Tasks that many rows are cut into; each has room of its own.
const TASKS: usize = 32;

/// Most blocks of a task.
const MOST_BLOCKS: usize = 16;

/// Rows that others are compared with: what every comparison needs of them is made once.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::kernel::{Compared, Kernel};
/// use ndarray::array;
/// let (known, others) = (array![[0.0], [2.0]], array![[1.0], [0.0], [5.0]]);
/// let (kernel, run) = (Kernel::Linear, Run::new());
/// let compared = Compared::new(Rows::Dense(known.view()), &kernel);
/// let mut sums = [0.0; 3];
/// compared.in_blocks(Rows::Dense(others.view()), 2, &mut sums, &run, |similar, sums| {
///     for (similar, sum) in similar.rows().into_iter().zip(sums) {
///         *sum = similar.sum();
///     }
/// })?;
/// assert_eq!(sums, [2.0, 0.0, 10.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub struct Compared<'a> {
    rows: Rows<'a>,
    kernel: &'a Kernel,
    prepared: Option<Prepared<'a>>,
}

impl<'a> Compared<'a> {
    /// Prepares rows for comparisons by a kernel, both of which were checked.
    pub fn new(rows: Rows<'a>, kernel: &'a Kernel) -> Self {
        let prepared = match (kernel, rows) {
            (Kernel::Rbf { .. }, Rows::Dense(dense)) => Some(Prepared::new(dense)),
            _ => None,
        };
        Compared {
            rows,
            kernel,
            prepared,
        }
    }

    /// Calls `work` with the kernel of `block` rows after the other with all rows here, and with their
    /// share of the output, which is shorter where rows run out; the kernel then holds anything for
    /// the rest of the block.
    ///
    /// Matrix products choose the order of their sums by the shape. Because every block has the same
    /// one, what is said of a row does not depend on the others to the last bit.
    ///
    /// # Panics
    /// When there are not equally many values of the output for each row, or rows of another number
    /// of columns.
    pub fn in_blocks(
        &self,
        rows: Rows<'_>,
        block: usize,
        output: &mut [f64],
        run: &Run,
        work: impl Fn(ArrayViewMut2<'_, f64>, &mut [f64]) + Sync,
    ) -> Result<()> {
        let converted = match (rows, self.rows) {
            (Rows::Dense(x), Rows::Sparse(_)) => Some(OwnedRows::Sparse(Csr::from_dense(x))),
            (Rows::Sparse(x), Rows::Dense(_)) => Some(OwnedRows::Dense(x.to_dense())),
            _ => None,
        };
        let rows = converted.as_ref().map_or(rows.reborrow(), OwnedRows::view);
        let width = output.len() / rows.n_rows().max(1);
        assert_eq!(output.len(), width * rows.n_rows(), "as many values a row");
        let blocks = (rows.n_rows() / (TASKS * block)).clamp(1, MOST_BLOCKS);
        parallel::fill(output, width, blocks * block, run, |range, output| {
            let mut room = Room::new(block, rows, self.rows.n_rows());
            let firsts = range.clone().step_by(block);
            for (first, output) in firsts.zip(output.chunks_mut(block * width)) {
                let some = rows.slice(first..range.end.min(first + block));
                self.compare(some, &mut room, run)?;
                work(room.kernel.view_mut(), output);
            }
            Ok(())
        })
    }

    /// Writes the kernel of at most a block of rows with all rows here.
    fn compare(&self, rows: Rows<'_>, room: &mut Room, run: &Run) -> Result<()> {
        if self.rows.n_rows() == 0 {
            return Ok(());
        }
        match rows {
            Rows::Dense(x) => {
                room.block.slice_mut(s![..x.nrows(), ..]).assign(&x);
                room.block.slice_mut(s![x.nrows().., ..]).fill(0.0);
                self.fill_dense(room.block.view(), room.kernel.view_mut(), run)
            }
            Rows::Sparse(x) => {
                let output = room.kernel.slice_mut(s![..x.n_rows(), ..]);
                fill_kernel(rows, Some(self.rows), self.kernel, output, run)
            }
        }
    }

    fn fill_dense(
        &self,
        x: ArrayView2<'_, f64>,
        output: ArrayViewMut2<'_, f64>,
        run: &Run,
    ) -> Result<()> {
        match (&self.prepared, self.kernel) {
            (Some(prepared), Kernel::Rbf { gamma }) => {
                prepared.squared(x, output, run, |values| exponential_decay(values, *gamma))
            }
            _ => fill_kernel(Rows::Dense(x), Some(self.rows), self.kernel, output, run),
        }
    }
}

/// What a task writes again and again.
struct Room {
    block: Array2<f64>,
    kernel: Array2<f64>,
}

impl Room {
    fn new(block: usize, rows: Rows<'_>, n_compared: usize) -> Self {
        let columns = match rows {
            Rows::Dense(x) => x.ncols(),
            Rows::Sparse(_) => 0,
        };
        Room {
            block: Array2::zeros((block, columns)),
            kernel: Array2::zeros((block, n_compared)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::function::tests::all;
    use super::super::kernel_matrix;
    use super::*;
    use didact_testing::{assert_close, random_sparse};

    fn sums(known: Rows<'_>, others: Rows<'_>, kernel: &Kernel, block: usize) -> Vec<f64> {
        let mut sums = vec![0.0; 2 * others.n_rows()];
        let work = |kernel: ArrayViewMut2<'_, f64>, output: &mut [f64]| {
            assert!(2 * kernel.nrows() >= output.len());
            for (row, output) in kernel.rows().into_iter().zip(output.chunks_mut(2)) {
                output.copy_from_slice(&[row.sum(), row.iter().fold(0.0, |m, x| x.max(m))]);
            }
        };
        Compared::new(known.reborrow(), kernel)
            .in_blocks(others, block, &mut sums, &Run::new(), work)
            .unwrap();
        sums
    }

    // More rows than a task has, and a last block that is not full.
    #[test]
    fn blocks_hold_the_kernel_of_all_pairs_in_every_form() {
        let (known, others) = (
            random_sparse(30, 6, 0.6, 1),
            random_sparse(4 * TASKS * 2 + 3, 6, 0.6, 2),
        );
        let dense = [
            known.view().to_dense().mapv(f64::abs),
            others.view().to_dense().mapv(f64::abs),
        ];
        let sparse = dense.each_ref().map(|rows| Csr::from_dense(rows.view()));
        for kernel in all() {
            let known = Rows::Dense(dense[0].view());
            let others = Rows::Dense(dense[1].view());
            let whole = kernel_matrix(others, known, &kernel, &Run::new()).unwrap();
            for known in [known, Rows::Sparse(sparse[0].view())] {
                for others in [others, Rows::Sparse(sparse[1].view())] {
                    let found = sums(known, others, &kernel, 4);
                    let found = Array2::from_shape_vec((others.n_rows(), 2), found).unwrap();
                    let expected = Array2::from_shape_fn(found.dim(), |(row, value)| match value {
                        0 => whole.row(row).sum(),
                        _ => whole.row(row).iter().fold(0.0, |most, x| x.max(most)),
                    });
                    assert_close(&found, &expected, 1e-11);
                }
            }
        }
    }

    #[test]
    fn a_row_is_told_alike_to_the_last_bit_whatever_comes_with_it() {
        let rows = random_sparse(300, 7, 0.9, 3).view().to_dense();
        let known = Rows::Dense(rows.slice(s![..50, ..]));
        let kernel = Kernel::Rbf { gamma: 0.3 };
        let all = sums(known, Rows::Dense(rows.view()), &kernel, 8);
        for row in [0, 7, 8, 299] {
            let alone = sums(
                known,
                Rows::Dense(rows.slice(s![row..=row, ..])),
                &kernel,
                8,
            );
            assert_eq!(alone, all[2 * row..2 * row + 2]);
        }
    }

    #[test]
    fn nothing_to_compare_with_leaves_blocks_without_columns() {
        let (none, rows) = (Array2::zeros((0, 2)), Array2::zeros((5, 2)));
        let found = sums(
            Rows::Dense(none.view()),
            Rows::Dense(rows.view()),
            &Kernel::Linear,
            2,
        );
        assert_eq!(found, [0.0; 10]);
    }
}
