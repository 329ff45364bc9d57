//! Distance by rank: how near two rows are among the neighbours of each other.

use didact_core::{Error, Result, Run, parallel};
use ndarray::{Array2, ArrayView2};

/// The mutual neighbour distances MND(x, y) = NN(x, y) + NN(y, x) from a matrix of distances,
/// where NN(x, y) is the rank of y among the neighbours of x, 1 for the nearest and ties by the
/// lowest index, in O(n²·log n).
///
/// The answer is symmetric with a diagonal of zeros and at least 2 elsewhere. It depends on all
/// the rows and breaks the triangle inequality; methods that need only a matrix may use it.
///
/// ```
/// use didact_core::Run;
/// use didact_math::distance::mutual_neighbour_distances;
/// use ndarray::array;
/// let distances = array![[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]];
/// let mutual = mutual_neighbour_distances(distances.view(), &Run::new())?;
/// assert_eq!(mutual, array![[0.0, 2.0, 4.0], [2.0, 0.0, 3.0], [4.0, 3.0, 0.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn mutual_neighbour_distances(
    distances: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<Array2<f64>> {
    check_square(distances)?;
    let n = distances.nrows();
    let mut ranks = Array2::<f64>::zeros((n, n));
    let values = ranks.as_slice_mut().expect("a fresh matrix is contiguous");
    parallel::fill(values, n, 16, run, |rows, piece| {
        for (row, ranks) in rows.zip(piece.chunks_mut(n.max(1))) {
            run.check()?;
            let mut others: Vec<usize> = (0..n).filter(|&other| other != row).collect();
            others.sort_by(|&a, &b| distances[[row, a]].total_cmp(&distances[[row, b]]));
            for (rank, other) in others.into_iter().enumerate() {
                ranks[other] = (rank + 1) as f64;
            }
        }
        Ok(())
    })?;
    Ok(&ranks + &ranks.t())
}

/// Fails unless the matrix is square and holds numbers.
pub(crate) fn check_square(distances: ArrayView2<'_, f64>) -> Result<()> {
    if !distances.is_square() {
        return Err(Error::data(format!(
            "a matrix of distances must be square, but it has {} rows and {} columns",
            distances.nrows(),
            distances.ncols()
        )));
    }
    match distances.indexed_iter().find(|(_, value)| value.is_nan()) {
        None => Ok(()),
        Some(((row, column), _)) => Err(Error::data(format!(
            "the distance in row {row}, column {column} is not a number"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Metric, check_axioms_of_matrix, pairwise_self};
    use super::*;
    use didact_core::Rows;
    use ndarray::{Array1, Axis, array};

    fn on_a_line(points: &[f64]) -> Array2<f64> {
        let column = Array1::from(points.to_vec()).insert_axis(Axis(1));
        let rows = Rows::Dense(column.view());
        let distances = pairwise_self(rows, Metric::Euclidean, &Run::new()).unwrap();
        mutual_neighbour_distances(distances.view(), &Run::new()).unwrap()
    }

    #[test]
    fn five_points_on_a_line_have_their_printed_ranks() {
        // 001:CLU-11 and vector T-06.
        let expected = array![
            [0.0, 2.0, 4.0, 7.0, 8.0],
            [2.0, 0.0, 3.0, 6.0, 7.0],
            [4.0, 3.0, 0.0, 4.0, 6.0],
            [7.0, 6.0, 4.0, 0.0, 3.0],
            [8.0, 7.0, 6.0, 3.0, 0.0]
        ];
        assert_eq!(on_a_line(&[0.0, 1.0, 3.0, 7.0, 12.0]), expected);
    }

    #[test]
    fn it_is_symmetric_but_breaks_the_triangle_inequality() {
        // 001:CLU-11 and vector T-06: MND(13,27) = 6 > MND(13,24) + MND(24,27) = 3 + 2.
        let mutual = on_a_line(&[0.0, 1.0, 13.0, 24.0, 27.0]);
        assert_eq!(
            (mutual[[2, 4]], mutual[[2, 3]], mutual[[3, 4]]),
            (6.0, 3.0, 2.0)
        );
        let report = check_axioms_of_matrix(mutual.view()).unwrap();
        assert!(report.symmetry.is_none() && report.triangle.is_some());
    }

    #[test]
    fn ties_go_to_the_lowest_index_and_broken_matrices_are_refused() {
        // The ends are equally far from the middle: the first is its nearest.
        assert_eq!(on_a_line(&[-1.0, 0.0, 1.0])[[0, 1]], 2.0);
        assert_eq!(on_a_line(&[-1.0, 0.0, 1.0])[[1, 2]], 3.0);
        assert!(mutual_neighbour_distances(array![[0.0, 1.0]].view(), &Run::new()).is_err());
        assert!(mutual_neighbour_distances(array![[f64::NAN]].view(), &Run::new()).is_err());
    }

    #[test]
    fn single_linkage_accepts_the_matrix_like_any_other() {
        // 001:CLU-03: the smallest merge of every point is with its mutual nearest neighbour;
        // of the ties at 2 the lowest pair comes first.
        let mutual = on_a_line(&[0.0, 1.0, 13.0, 24.0, 27.0]);
        let mut pairs: Vec<(f64, usize, usize)> = (0..5)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| (mutual[[i, j]], j, i))
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        assert_eq!((pairs[0], pairs[1]), ((2.0, 0, 1), (2.0, 3, 4)));
    }
}
