//! Kernel matrices: the similarity of all pairs of rows.

use super::Kernel;
use crate::distance::{Metric, check_output, directions, pairwise_into, squared_pairs};
use crate::linalg::{fill_row_products, mirror_lower};
use crate::vectorised::exponential_decay;
use didact_core::{Error, Result, Rows, Run, parallel};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};

/// The kernel of every row of x (rows of the answer) and every row of y (columns), in parallel:
/// K = k(xᵢ, yⱼ), which is X·Yᵀ for the linear kernel.
///
/// All but the Laplacian, Jaccard and χ² kernels come from matrix products; close rows are
/// measured directly (see [`pairwise`](crate::distance::pairwise)), so that equal rows have a Gaussian of exactly one.
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
    let mut matrix = Array2::zeros((x.n_rows(), y.n_rows()));
    kernel_matrix_into(x, Some(y), kernel, matrix.view_mut(), run)?;
    Ok(matrix)
}

/// The Gram matrix of all pairs of rows of x, exactly symmetric; one triangle is computed.
pub fn kernel_matrix_self(x: Rows<'_>, kernel: &Kernel, run: &Run) -> Result<Array2<f64>> {
    let mut matrix = Array2::zeros((x.n_rows(), x.n_rows()));
    kernel_matrix_into(x, None, kernel, matrix.view_mut(), run)?;
    Ok(matrix)
}

/// Writes the kernel of every row of x and every row of y, or of all pairs of x where there is
/// no y, into memory that is there already; see
/// [`pairwise_into`] for its shape.
pub fn kernel_matrix_into(
    x: Rows<'_>,
    y: Option<Rows<'_>>,
    kernel: &Kernel,
    output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    kernel.check()?;
    let y_rows = y.map_or(x.reborrow(), Rows::reborrow);
    if x.n_columns() != y_rows.n_columns() {
        return Err(Error::data(format!(
            "x has {} columns and y has {}; a kernel needs as many of both",
            x.n_columns(),
            y_rows.n_columns()
        )));
    }
    kernel.check_rows(x)?;
    kernel.check_rows(y_rows)?;
    check_output(&output, x.n_rows(), y_rows.n_rows())?;
    fill_kernel(x, y, kernel, output, run)
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
pub(super) fn fill_kernel(
    x: Rows<'_>,
    y: Option<Rows<'_>>,
    kernel: &Kernel,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    match kernel {
        Kernel::Linear => fill_row_products(x, y, output, run),
        Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } => {
            fill_row_products(x, y, output.view_mut(), run)?;
            map(output, run, |value| kernel.of_product(value))
        }
        Kernel::Rbf { gamma } => match (x, y) {
            (Rows::Dense(x), None) => gaussians(x, None, *gamma, output, run),
            (Rows::Dense(x), Some(Rows::Dense(y))) => gaussians(x, Some(y), *gamma, output, run),
            _ => decay(x, y, Metric::SquaredEuclidean, *gamma, output, run),
        },
        Kernel::Laplacian { gamma } => decay(x, y, Metric::Manhattan, *gamma, output, run),
        Kernel::ChiSquare { gamma } => decay(x, y, Metric::ChiSquare, *gamma, output, run),
        Kernel::Jaccard => {
            pairwise_into(x, y, Metric::Jaccard, output.view_mut(), run)?;
            map(output, run, |value| 1.0 - value)
        }
        Kernel::Cosine => match (x, y) {
            (Rows::Dense(x), None) => cosines(x, None, output, run),
            (Rows::Dense(x), Some(Rows::Dense(y))) => cosines(x, Some(y), output, run),
            _ => sparse_cosines(x, y, output, run),
        },
        Kernel::Pearson => {
            let x = rows_without_mean(x);
            let y = y.map(rows_without_mean);
            cosines(x.view(), y.as_ref().map(|y| y.view()), output, run)
        }
        Kernel::Constant { value } => {
            output.fill(*value);
            Ok(())
        }
        Kernel::Scaled { factor, kernel } => {
            fill_kernel(x, y, kernel, output.view_mut(), run)?;
            output *= *factor;
            Ok(())
        }
        Kernel::Sum { terms } => combine(x, y, terms, output, run, |total, part| *total += part),
        Kernel::Product { factors } => {
            combine(x, y, factors, output, run, |total, part| *total *= part)
        }
    }
}

fn combine(
    x: Rows<'_>,
    y: Option<Rows<'_>>,
    parts: &[Kernel],
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
    combine: impl Fn(&mut f64, &f64),
) -> Result<()> {
    let (first, others) = parts
        .split_first()
        .expect("the check refuses an empty list");
    fill_kernel(x, y, first, output.view_mut(), run)?;
    let mut part = Array2::zeros(output.dim());
    for kernel in others {
        fill_kernel(x, y, kernel, part.view_mut(), run)?;
        output.zip_mut_with(&part, &combine);
    }
    Ok(())
}

fn map(
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
    map: impl Fn(f64) -> f64 + Sync + Send,
) -> Result<()> {
    let values = output.as_slice_mut().expect("the output is contiguous");
    parallel::fill(values, 1, 1 << 15, run, |_, piece| {
        piece.iter_mut().for_each(|value| *value = map(*value));
        Ok(())
    })
}

/// exp(−γ‖x−y‖²), finished while the squared distances are in the cache.
fn gaussians(
    x: ArrayView2<'_, f64>,
    y: Option<ArrayView2<'_, f64>>,
    gamma: f64,
    output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    squared_pairs(x, y, output, run, |values| exponential_decay(values, gamma))
}

/// exp(−γ·distance).
fn decay(
    x: Rows<'_>,
    y: Option<Rows<'_>>,
    metric: Metric,
    gamma: f64,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    pairwise_into(x, y, metric, output.view_mut(), run)?;
    let values = output.as_slice_mut().expect("the output is contiguous");
    parallel::fill(values, 1, 1 << 16, run, |_, piece| {
        exponential_decay(piece, gamma);
        Ok(())
    })
}

/// Products of the rows scaled to length one; rows of zeros stay zero, and so do their cosines.
fn cosines(
    x: ArrayView2<'_, f64>,
    y: Option<ArrayView2<'_, f64>>,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let (x, _) = directions(x);
    let y = y.map(|y| directions(y).0);
    let y = y.as_ref().map(|y| Rows::Dense(y.view()));
    fill_row_products(Rows::Dense(x.view()), y, output.view_mut(), run)?;
    map(output, run, |value| value.clamp(-1.0, 1.0))
}

/// One minus the cosine distance, except for rows of zeros, which are like nothing.
fn sparse_cosines(
    x: Rows<'_>,
    y: Option<Rows<'_>>,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    pairwise_into(x, y, Metric::Cosine, output.view_mut(), run)?;
    map(output.view_mut(), run, |value| 1.0 - value)?;
    if y.is_none() {
        let squares = crate::distance::squared_norms(x);
        for (value, _) in output
            .diag_mut()
            .iter_mut()
            .zip(&squares)
            .filter(|(_, square)| **square == 0.0)
        {
            *value = 0.0;
        }
    }
    Ok(())
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
    use didact_core::Csr;
    use didact_testing::{assert_close, random_matrix, random_sparse};
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
                let mut found = Array2::from_elem((60, 60), f64::NAN);
                kernel_matrix_into(x, None, &kernel, found.view_mut(), &Run::new()).unwrap();
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
