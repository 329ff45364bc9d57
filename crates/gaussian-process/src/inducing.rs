//! Which rows a sparse process remembers.

use crate::covariance::Covariance;
use crate::observations::spread_over;
use didact_core::{Result, Run, parallel};
use didact_math::numeric::{argmax, dot};
use ndarray::{Array2, ArrayView2, Axis};

/// Rows beyond these are not candidates; so many cover the space as well as all do.
const CANDIDATES: usize = 10_000;

/// Chooses rows one by one, each where the others leave the function least certain: the pivots
/// of a Cholesky factorisation, in O(n·m²). Fewer are chosen where the others decide everything.
pub(crate) fn inducing_rows(
    covariance: &Covariance,
    rows: ArrayView2<'_, f64>,
    count: usize,
    run: &Run,
) -> Result<Array2<f64>> {
    let candidates = rows.select(Axis(0), &spread_over(rows.nrows(), CANDIDATES.max(count)));
    let n = candidates.nrows();
    let count = count.min(n);
    let mut left = covariance.diagonal(candidates.view());
    let negligible = 1e-12 * left.sum() / n as f64;
    // A row of the partial factor for each candidate.
    let mut factor = Array2::<f64>::zeros((n, count));
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        run.check()?;
        let Some(pivot) = argmax(left.iter().copied()).filter(|&best| left[best] > negligible)
        else {
            break;
        };
        let step = chosen.len();
        chosen.push(pivot);
        let root = left[pivot].sqrt();
        let own = factor.row(pivot).to_vec();
        let target = candidates.select(Axis(0), &[pivot]);
        let column = covariance.cross(candidates.view(), target.view(), run)?;
        let values = factor.as_slice_mut().expect("a fresh matrix is contiguous");
        parallel::fill(values, count, 512, run, |range, piece| {
            for (row, entries) in range.zip(piece.chunks_mut(count)) {
                let known = dot(&entries[..step], &own[..step]);
                entries[step] = (column[[row, 0]] - known) / root;
            }
            Ok(())
        })?;
        for (left, entries) in left.iter_mut().zip(factor.rows()) {
            *left -= entries[step] * entries[step];
        }
        left[pivot] = 0.0;
    }
    if chosen.is_empty() {
        chosen.push(0);
    }
    chosen.sort_unstable();
    Ok(candidates.select(Axis(0), &chosen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CovarianceShape;
    use didact_testing::random_matrix;
    use ndarray::array;

    #[test]
    fn equal_rows_are_chosen_once() {
        let x = array![[0.0], [0.0], [3.0], [3.0], [9.0]];
        let covariance = Covariance::new(CovarianceShape::Rbf, 2.0, array![1.0]).unwrap();
        let chosen = inducing_rows(&covariance, x.view(), 5, &Run::new()).unwrap();
        assert_eq!(chosen, array![[0.0], [3.0], [9.0]]);
    }

    #[test]
    fn rows_are_chosen_where_the_others_say_least() {
        let mut x = random_matrix(50, 1, 1) * 0.01;
        x[[17, 0]] = 5.0;
        let covariance = Covariance::new(CovarianceShape::Rbf, 1.0, array![1.0]).unwrap();
        let chosen = inducing_rows(&covariance, x.view(), 2, &Run::new()).unwrap();
        assert_eq!(chosen.row(1), array![5.0]);
    }
}
