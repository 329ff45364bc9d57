//! Kernel matrices: the similarity of all pairs of rows.

use super::Kernel;
use crate::distance::{Metric, directions, pairwise, pairwise_self, squared_pairs};
use crate::linalg::{mirror_lower, row_products};
use crate::vectorised::exponential_decay;
use didact_core::{Error, Result, Rows, Run, parallel};
use ndarray::{Array2, ArrayView2, Axis};

/// The kernel of every row of x (rows of the answer) and every row of y (columns), in parallel:
/// K = k(xᵢ, yⱼ), which is X·Yᵀ for the linear kernel.
///
/// All but the Laplacian, Jaccard and χ² kernels come from matrix products; close rows are
/// measured directly (see [`pairwise`]), so that equal rows have a Gaussian of exactly one.
/// Costs n·m·d operations; sparse rows cost what they store, except for Pearson's correlation,
/// which fills them.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::kernel::{Kernel, kernel_matrix};
/// use ndarray::array;
/// let x = array![[0.0], [1.0]];
/// let rows = Rows::Dense(x.view());
/// let matrix = kernel_matrix(rows, rows, &Kernel::Rbf { gamma: 1.0 }, &Run::new())?;
/// assert!((matrix[[0, 1]] - (-1.0_f64).exp()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn kernel_matrix(x: Rows<'_>, y: Rows<'_>, kernel: &Kernel, run: &Run) -> Result<Array2<f64>> {
    kernel.check()?;
    if x.n_columns() != y.n_columns() {
        return Err(Error::data(format!(
            "x has {} columns and y has {}; a kernel needs as many of both",
            x.n_columns(),
            y.n_columns()
        )));
    }
    kernel.check_rows(x)?;
    kernel.check_rows(y)?;
    all_pairs(x, Some(y), kernel, run)
}

/// The Gram matrix of all pairs of rows of x, exactly symmetric; one triangle is computed.
pub fn kernel_matrix_self(x: Rows<'_>, kernel: &Kernel, run: &Run) -> Result<Array2<f64>> {
    kernel.check()?;
    kernel.check_rows(x)?;
    all_pairs(x, None, kernel, run)
}

/// The Gram matrix of any function of two items: strings, graphs, hand-made kernels. Only one
/// triangle is asked for, which a kernel's symmetry allows.
///
/// ```
/// use didact_core::Run;
/// use didact_math::kernel::kernel_matrix_with;
/// let words = ["tea", "team", "ham"];
/// let shared = |a: &&str, b: &&str| a.chars().filter(|c| b.contains(*c)).count() as f64;
/// assert_eq!(kernel_matrix_with(&words, shared, &Run::new())?[[1, 2]], 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn kernel_matrix_with<T: Sync>(
    items: &[T],
    kernel: impl Fn(&T, &T) -> f64 + Sync,
    run: &Run,
) -> Result<Array2<f64>> {
    let n = items.len();
    let mut matrix = Array2::zeros((n, n));
    let values = matrix.as_slice_mut().expect("a fresh matrix is contiguous");
    parallel::fill(values, n, 16, run, |rows, piece| {
        for (row, output) in rows.zip(piece.chunks_mut(n.max(1))) {
            run.check()?;
            for (value, other) in output[..=row].iter_mut().zip(items) {
                *value = kernel(&items[row], other);
            }
        }
        Ok(())
    })?;
    mirror_lower(&mut matrix);
    Ok(matrix)
}

/// All pairs of x and y, or of x alone.
fn all_pairs(x: Rows<'_>, y: Option<Rows<'_>>, kernel: &Kernel, run: &Run) -> Result<Array2<f64>> {
    let distances = |metric| match y {
        None => pairwise_self(x, metric, run),
        Some(y) => pairwise(x, y, metric, run),
    };
    match kernel {
        Kernel::Linear => row_products(x, y, run),
        Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } => {
            let products = row_products(x, y, run)?;
            mapped(products, run, |value| kernel.of_product(value))
        }
        Kernel::Rbf { gamma } => match (x, y) {
            (Rows::Dense(x), None) => squared_pairs(x, None, run, |values| {
                exponential_decay(values, *gamma);
            }),
            (Rows::Dense(x), Some(Rows::Dense(y))) => squared_pairs(x, Some(y), run, |values| {
                exponential_decay(values, *gamma);
            }),
            _ => decayed(distances(Metric::SquaredEuclidean)?, *gamma, run),
        },
        Kernel::Laplacian { gamma } => decayed(distances(Metric::Manhattan)?, *gamma, run),
        Kernel::ChiSquare { gamma } => decayed(distances(Metric::ChiSquare)?, *gamma, run),
        Kernel::Jaccard => mapped(distances(Metric::Jaccard)?, run, |value| 1.0 - value),
        Kernel::Cosine => match (x, y) {
            (Rows::Dense(x), None) => cosines(x, None, run),
            (Rows::Dense(x), Some(Rows::Dense(y))) => cosines(x, Some(y), run),
            _ => sparse_cosines(x, y, run),
        },
        Kernel::Pearson => {
            let x = rows_without_mean(x);
            let y = y.map(rows_without_mean);
            cosines(x.view(), y.as_ref().map(|y| y.view()), run)
        }
        Kernel::Constant { value } => {
            let columns = y.map_or(x.n_rows(), |y| y.n_rows());
            Ok(Array2::from_elem((x.n_rows(), columns), *value))
        }
        Kernel::Scaled { factor, kernel } => Ok(all_pairs(x, y, kernel, run)? * *factor),
        Kernel::Sum { terms } => combined(x, y, terms, run, |total, part| *total += part),
        Kernel::Product { factors } => combined(x, y, factors, run, |total, part| *total *= part),
    }
}

fn combined(
    x: Rows<'_>,
    y: Option<Rows<'_>>,
    parts: &[Kernel],
    run: &Run,
    combine: impl Fn(&mut Array2<f64>, &Array2<f64>),
) -> Result<Array2<f64>> {
    let (first, others) = parts
        .split_first()
        .expect("the check refuses an empty list");
    let mut total = all_pairs(x, y, first, run)?;
    for part in others {
        combine(&mut total, &all_pairs(x, y, part, run)?);
    }
    Ok(total)
}

fn mapped(
    mut matrix: Array2<f64>,
    run: &Run,
    map: impl Fn(f64) -> f64 + Sync + Send,
) -> Result<Array2<f64>> {
    let values = matrix.as_slice_mut().expect("a fresh matrix is contiguous");
    parallel::fill(values, 1, 1 << 15, run, |_, piece| {
        piece.iter_mut().for_each(|value| *value = map(*value));
        Ok(())
    })?;
    Ok(matrix)
}

fn decayed(mut matrix: Array2<f64>, gamma: f64, run: &Run) -> Result<Array2<f64>> {
    let values = matrix.as_slice_mut().expect("a fresh matrix is contiguous");
    parallel::fill(values, 1, 1 << 16, run, |_, piece| {
        exponential_decay(piece, gamma);
        Ok(())
    })?;
    Ok(matrix)
}

/// Products of the rows scaled to length one; rows of zeros stay zero, and so do their cosines.
fn cosines(
    x: ArrayView2<'_, f64>,
    y: Option<ArrayView2<'_, f64>>,
    run: &Run,
) -> Result<Array2<f64>> {
    let (x, _) = directions(x);
    let y = y.map(|y| directions(y).0);
    let y = y.as_ref().map(|y| Rows::Dense(y.view()));
    let products = row_products(Rows::Dense(x.view()), y, run)?;
    mapped(products, run, |value| value.clamp(-1.0, 1.0))
}

/// One minus the cosine distance, except for rows of zeros, which are like nothing.
fn sparse_cosines(x: Rows<'_>, y: Option<Rows<'_>>, run: &Run) -> Result<Array2<f64>> {
    let distances = match y {
        None => pairwise_self(x, Metric::Cosine, run)?,
        Some(y) => pairwise(x, y, Metric::Cosine, run)?,
    };
    let mut cosines = mapped(distances, run, |value| 1.0 - value)?;
    if y.is_none() {
        let squares = crate::distance::squared_norms(x);
        for (index, _) in squares
            .iter()
            .enumerate()
            .filter(|(_, square)| **square == 0.0)
        {
            cosines[[index, index]] = 0.0;
        }
    }
    Ok(cosines)
}

/// Each row minus its own mean; constant rows become zero exactly.
fn rows_without_mean(rows: Rows<'_>) -> Array2<f64> {
    let mut dense = rows.to_dense().as_standard_layout().into_owned();
    for mut row in dense.axis_iter_mut(Axis(0)) {
        let values = row.as_slice_mut().expect("a fresh matrix is contiguous");
        match crate::distance::without_mean(values) {
            Some(centred) => values.copy_from_slice(&centred),
            None => values.fill(0.0),
        }
    }
    dense
}

#[cfg(test)]
mod tests {
    use super::super::function::tests::all;
    use super::*;
    use crate::linalg::symmetric_eigenvalues;
    use crate::testing::{assert_close, random_matrix, random_sparse};
    use didact_core::Csr;
    use ndarray::array;
    use proptest::prelude::*;

    fn naive(x: &Array2<f64>, y: &Array2<f64>, kernel: &Kernel) -> Array2<f64> {
        Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
            kernel.between(x.row(i).to_slice().unwrap(), y.row(j).to_slice().unwrap())
        })
    }

    #[test]
    fn every_kernel_dense_or_sparse_agrees_with_its_definition() {
        let dense = |rows, seed| {
            let mut dense = random_sparse(rows, 6, 0.6, seed)
                .view()
                .to_dense()
                .mapv(f64::abs);
            dense.row_mut(2).fill(0.0);
            dense
        };
        let (x, y) = (dense(60, 1), dense(40, 2));
        let (x_sparse, y_sparse) = (Csr::from_dense(x.view()), Csr::from_dense(y.view()));
        let sigmoid = Kernel::Sigmoid {
            gamma: 0.5,
            coef0: -0.3,
        };
        for kernel in all().into_iter().chain([sigmoid]) {
            let expected = naive(&x, &y, &kernel);
            let own = naive(&x, &x, &kernel);
            for x in [Rows::Dense(x.view()), Rows::Sparse(x_sparse.view())] {
                for y in [Rows::Dense(y.view()), Rows::Sparse(y_sparse.view())] {
                    let found = kernel_matrix(x, y, &kernel, &Run::new()).unwrap();
                    assert_close(&found, &expected, 1e-12);
                }
                let found = kernel_matrix_self(x, &kernel, &Run::new()).unwrap();
                assert_close(&found, &own, 1e-12);
                assert_eq!(found, found.t(), "{kernel:?}");
            }
        }
    }

    #[test]
    fn the_linear_gram_matrix_of_rows_is_x_times_its_transpose() {
        let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let found = kernel_matrix_self(Rows::Dense(x.view()), &Kernel::Linear, &Run::new());
        assert_eq!(found.unwrap(), x.dot(&x.t()));
        let by_hand = kernel_matrix_with(
            &[x.row(0), x.row(1), x.row(2)],
            |a, b| a.dot(b),
            &Run::new(),
        );
        assert_eq!(by_hand.unwrap(), x.dot(&x.t()));
    }

    #[test]
    fn a_wide_gaussian_sees_all_rows_alike_and_a_narrow_one_none() {
        let x = random_matrix(9, 3, 3);
        let gram = |gamma| {
            kernel_matrix_self(Rows::Dense(x.view()), &Kernel::Rbf { gamma }, &Run::new()).unwrap()
        };
        assert_close(&gram(1e-15), &Array2::ones((9, 9)), 1e-12);
        assert_eq!(gram(1e12), Array2::<f64>::eye(9));
    }

    #[test]
    fn negative_values_and_shapes_that_do_not_fit_are_refused() {
        let (x, y) = (array![[1.0, -1.0]], array![[1.0]]);
        let (x, y) = (Rows::Dense(x.view()), Rows::Dense(y.view()));
        let run = Run::new();
        assert!(kernel_matrix(x, y, &Kernel::Linear, &run).is_err());
        let error = kernel_matrix_self(x, &Kernel::Jaccard.scaled(2.0), &run).unwrap_err();
        assert!(
            error.to_string().starts_with("row 0, column 1 is -1"),
            "{error}"
        );
        assert!(kernel_matrix_self(x, &Kernel::Rbf { gamma: 0.0 }, &run).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn kernels_are_positive_semidefinite_on_random_points(n in 2usize..12, d in 1usize..5, seed: u64) {
            // 000a:SIM-06, and the closure of sums, products and multiples.
            let x = random_matrix(n, d, seed).mapv(f64::abs);
            for kernel in all() {
                let gram = kernel_matrix_self(Rows::Dense(x.view()), &kernel, &Run::new()).unwrap();
                let values = symmetric_eigenvalues(gram.view()).unwrap();
                prop_assert!(values[n - 1] >= -1e-10 * gram.diag().sum(), "{:?} {}", kernel, values);
            }
        }
    }
}
