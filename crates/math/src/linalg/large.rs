//! Decompositions of large matrices, which take from some milliseconds to minutes.

use didact_core::{Result, Run};
use faer::Par;

/// A smaller matrix is decomposed in some milliseconds, on the calling thread: sharing the work out
/// gains little, and nobody waits long enough to give up.
const LARGE: usize = 400;

/// From this size on there is work for more than two threads.
const LARGER: usize = 800;

/// Decomposes a matrix, told how to cut the work: at once where it is small, or else apart from the
/// caller, who can then be cancelled. `size` is the side of the square matrix of as much work.
///
/// The work is cut by the size alone, whatever the number of threads: sums over parts round in
/// their own way, and the answer must not depend on the threads.
pub(super) fn within<T: Send + 'static>(
    size: usize,
    run: &Run,
    decompose: impl FnOnce(Par) -> Result<T> + Send + 'static,
) -> Result<T> {
    run.check()?;
    match size {
        ..LARGE => decompose(Par::Seq),
        LARGE..LARGER => run.apart(|| decompose(Par::rayon(2)))?,
        LARGER.. => run.apart(|| decompose(Par::rayon(4)))?,
    }
}

#[cfg(test)]
mod tests {
    use crate::linalg::{symmetric_eigen, symmetric_eigen_within, thin_svd, thin_svd_within};
    use didact_core::{Cancel, Error, Run};
    use didact_testing::{assert_close, random_matrix};

    #[test]
    fn large_matrices_are_decomposed_alike_on_any_number_of_threads() {
        for size in [420, 820] {
            let root = random_matrix(size, size, 1);
            let matrix = &root + &root.t();
            let eigen = |threads| {
                let run = Run::new().threads(threads);
                symmetric_eigen_within(matrix.view(), &run).unwrap()
            };
            let one = eigen(1);
            assert_eq!(one, eigen(2));
            assert_eq!(one, eigen(3));
            let expected = symmetric_eigen(matrix.view()).unwrap().values;
            assert_close(&one.values, &expected, 1e-12);
            let svd = |threads| thin_svd_within(root.view(), &Run::new().threads(threads)).unwrap();
            let one = svd(1);
            assert_eq!(one, svd(2));
            let expected = thin_svd(root.view()).unwrap().singular_values;
            assert_close(&one.singular_values, &expected, 1e-12);
        }
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
