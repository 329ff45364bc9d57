//! Decompositions of large matrices, which take from a tenth of a second to minutes.

use didact_core::{Result, Run};
use faer::Par;

/// A smaller matrix is decomposed in less than a tenth of a second, on the calling thread: below
/// this size sharing the work out costs more than it gains.
const LARGE: usize = 800;

/// Into how many parts the work on a large matrix is cut, whatever the number of threads: sums
/// over parts round in their own way, and the answer must not depend on the threads.
const PARTS: usize = 4;

/// Decomposes a matrix of this many rows or columns, told how to cut the work: at once where it
/// is small, or else apart from the caller, who can then be cancelled.
pub(super) fn within<T: Send + 'static>(
    size: usize,
    run: &Run,
    decompose: impl FnOnce(Par) -> Result<T> + Send + 'static,
) -> Result<T> {
    run.check()?;
    match size < LARGE {
        true => decompose(Par::Seq),
        false => run.apart(|| decompose(Par::rayon(PARTS)))?,
    }
}

#[cfg(test)]
mod tests {
    use crate::linalg::{symmetric_eigen, symmetric_eigen_within, thin_svd, thin_svd_within};
    use didact_core::{Cancel, Error, Run};
    use didact_testing::{assert_close, random_matrix};

    #[test]
    fn large_matrices_are_decomposed_alike_on_any_number_of_threads() {
        let root = random_matrix(820, 820, 1);
        let matrix = &root + &root.t();
        let eigen = |threads| {
            let run = Run::new().threads(threads);
            symmetric_eigen_within(matrix.view(), &run).unwrap()
        };
        let one = eigen(1);
        assert_eq!(one, eigen(2));
        assert_eq!(one, eigen(3));
        assert_close(
            &one.values,
            &symmetric_eigen(matrix.view()).unwrap().values,
            1e-12,
        );
        let svd = |threads| thin_svd_within(root.view(), &Run::new().threads(threads)).unwrap();
        let one = svd(1);
        assert_eq!(one, svd(2));
        let expected = thin_svd(root.view()).unwrap().singular_values;
        assert_close(&one.singular_values, &expected, 1e-12);
    }

    #[test]
    fn a_cancelled_run_decomposes_nothing() {
        let cancel = Cancel::new();
        cancel.cancel();
        let run = Run::new().cancelled_by(&cancel);
        for size in [2, 820] {
            let matrix = random_matrix(size, size, 1);
            let found = thin_svd_within(matrix.view(), &run);
            assert!(matches!(found, Err(Error::Cancelled)));
        }
    }
}
