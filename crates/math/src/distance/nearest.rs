//! The nearest of some centres for each row: the hot loop of k-means.

use super::packed_centers::{BestTwo, PackedCenters};
use super::squared::{squared_euclidean, squared_norms};
use crate::numeric::dot;
use didact_core::{CsrView, Result, Rows, Run, parallel};
use ndarray::{Array1, Array2, ArrayView2};

/// Rows that are compared with all centres at a time; they stay in the fastest cache.
const BLOCK: usize = 64;

/// The nearest centre of each row and how far it is.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestCenters {
    /// The index of the nearest centre, the lowest where several are equally near.
    pub labels: Vec<usize>,
    /// The squared Euclidean distance to it.
    pub squared_distances: Array1<f64>,
}

/// Finds the centre (a row of `centers`) nearest to each row.
///
/// Scores ‖c‖² − 2x·c come from products. Where rounding leaves more than one centre in
/// question their distances are computed directly, so the labels are those of the definition and
/// exact ties go to the lowest index.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::distance::nearest_center;
/// use ndarray::array;
/// let rows = array![[0.0], [1.0], [5.0]];
/// let found = nearest_center(Rows::Dense(rows.view()), array![[0.0], [2.0]].view(), &Run::new())?;
/// assert_eq!(found.labels, [0, 0, 1]);
/// assert_eq!(found.squared_distances, array![0.0, 1.0, 9.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When there is no centre or the centres have another number of columns than the rows.
pub fn nearest_center(
    rows: Rows<'_>,
    centers: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<NearestCenters> {
    assert_eq!(
        centers.ncols(),
        rows.n_columns(),
        "rows and centres differ in columns"
    );
    let packed = PackedCenters::new(centers);
    let search = rows
        .is_sparse()
        .then(|| SparseSearch::new(centers, &packed));
    let mut found = vec![(0, 0.0); rows.n_rows()];
    let work = rows.n_columns() * centers.nrows();
    let chunk = ((1 << 21) / work.max(1)).clamp(16, 4096);
    parallel::fill(&mut found, 1, chunk, run, |range, piece| {
        match (rows.slice(range), &search) {
            (Rows::Sparse(sparse), Some(search)) => search.find(sparse, piece),
            (rows, _) => nearest_of_dense(&packed, rows.to_dense().view(), piece),
        }
        Ok(())
    })?;
    let (labels, squared_distances): (_, Vec<f64>) = found.into_iter().unzip();
    Ok(NearestCenters {
        labels,
        squared_distances: Array1::from(squared_distances),
    })
}

fn nearest_of_dense(
    centers: &PackedCenters<'_>,
    rows: ArrayView2<'_, f64>,
    found: &mut [(usize, f64)],
) {
    let rows = rows.as_standard_layout();
    let values = rows.as_slice().expect("standard layout is contiguous");
    let rows: Vec<&[f64]> = match rows.ncols() {
        0 => vec![&[]; rows.nrows()],
        d => values.chunks_exact(d).collect(),
    };
    let mut best = [BestTwo::default(); BLOCK];
    for (rows, found) in rows.chunks(BLOCK).zip(found.chunks_mut(BLOCK)) {
        let best = &mut best[..rows.len()];
        centers.compare(rows, best);
        for ((row, found), best) in rows.iter().zip(found).zip(best) {
            let distance = squared_euclidean(row, centers.center(best.label));
            // By the triangle inequality this is no less than the length of the row.
            let norm = distance.sqrt() + centers.largest_norm();
            *found = match 2.0 * (best.next - best.score) > 2.0 * centers.doubt(norm) {
                true => (best.label, distance),
                false => {
                    let label = centers.nearest_by_definition(row);
                    (label, squared_euclidean(row, centers.center(label)))
                }
            };
        }
    }
}

/// What the nearest centres of sparse rows are found with.
struct SparseSearch<'a> {
    centers: &'a PackedCenters<'a>,
    /// One column per centre.
    transposed: Array2<f64>,
    squares: Array1<f64>,
}

impl<'a> SparseSearch<'a> {
    fn new(centers: ArrayView2<'_, f64>, packed: &'a PackedCenters<'a>) -> Self {
        SparseSearch {
            centers: packed,
            transposed: centers.t().as_standard_layout().into_owned(),
            squares: squared_norms(Rows::Dense(centers)),
        }
    }

    fn find(&self, rows: CsrView<'_>, found: &mut [(usize, f64)]) {
        let mut scores = vec![0.0; self.squares.len()];
        let mut written = vec![0.0; rows.n_columns()];
        for (index, found) in found.iter_mut().enumerate() {
            let (columns, values) = rows.row(index);
            scores.fill(0.0);
            for (&column, &value) in columns.iter().zip(values) {
                let center_values = self.transposed.row(column as usize);
                for (score, center) in scores.iter_mut().zip(center_values) {
                    *score -= 2.0 * value * center;
                }
            }
            let square = dot(values, values);
            let doubt = self.centers.doubt(square.sqrt());
            for (&column, &value) in columns.iter().zip(values) {
                written[column as usize] = value;
            }
            let label = self.best(&mut scores, doubt, |center| {
                squared_euclidean(&written, center)
            });
            let mut distance = scores[label] + square;
            // A distance that rounding may have spoilt is worth a walk over all columns.
            let is_certain = distance > 1e6 * doubt;
            if !is_certain {
                distance = squared_euclidean(&written, self.centers.center(label));
            }
            *found = (label, distance);
            for &column in columns {
                written[column as usize] = 0.0;
            }
        }
    }

    /// Completes the scores −2x·c to ‖c‖² − 2x·c and picks the best centre; `direct` measures
    /// the squared distance to a centre when the scores alone cannot decide.
    fn best(&self, scores: &mut [f64], doubt: f64, direct: impl Fn(&[f64]) -> f64) -> usize {
        for (score, square) in scores.iter_mut().zip(&self.squares) {
            *score += square;
        }
        // Passes without branches: which centre is best cannot be predicted.
        let least = scores
            .iter()
            .fold(f64::INFINITY, |least, &score| match score < least {
                true => score,
                false => least,
            });
        // Both scores of a pair may err by the doubt; nothing exceeds a limit that is NaN.
        let limit = least + 2.0 * doubt;
        let beyond: usize = scores.iter().map(|&score| usize::from(score > limit)).sum();
        let mut label = scores.iter().position(|&score| score == least).unwrap_or(0);
        if beyond + 1 == scores.len() {
            return label;
        }
        let mut nearest = f64::INFINITY;
        for (index, &score) in scores.iter().enumerate() {
            if score > limit {
                continue;
            }
            let distance = direct(self.centers.center(index));
            if distance < nearest {
                (label, nearest) = (index, distance);
            }
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::argmin;
    use didact_core::Csr;
    use didact_testing::{random_matrix, random_sparse};
    use ndarray::array;
    use proptest::prelude::*;

    fn naive(rows: &Array2<f64>, centers: &Array2<f64>) -> NearestCenters {
        let distance = |row: usize, center: usize| {
            squared_euclidean(
                rows.row(row).to_slice().unwrap(),
                centers.row(center).to_slice().unwrap(),
            )
        };
        let labels: Vec<usize> = (0..rows.nrows())
            .map(|row| argmin((0..centers.nrows()).map(|center| distance(row, center))).unwrap())
            .collect();
        let squared_distances = labels
            .iter()
            .enumerate()
            .map(|(row, &label)| distance(row, label))
            .collect();
        NearestCenters {
            labels,
            squared_distances,
        }
    }

    fn dense(rows: &Array2<f64>, centers: &Array2<f64>) -> NearestCenters {
        nearest_center(Rows::Dense(rows.view()), centers.view(), &Run::new()).unwrap()
    }

    #[test]
    fn dense_rows_have_the_labels_and_distances_of_the_definition() {
        // Few and many centres, of which the last two are gone through in several turns.
        let shapes = [
            (1, 1, 1),
            (700, 3, 4),
            (5000, 20, 10),
            (300, 100, 7),
            (65, 8, 100),
            (100, 400, 150),
            (31, 3000, 26),
        ];
        for (n, d, k) in shapes {
            let (rows, centers) = (random_matrix(n, d, 1), random_matrix(k, d, 2));
            assert_eq!(dense(&rows, &centers), naive(&rows, &centers));
        }
    }

    #[test]
    fn sparse_rows_have_them_too() {
        let sparse = random_sparse(900, 40, 0.2, 3);
        let (rows, centers) = (sparse.view().to_dense(), random_matrix(6, 40, 4));
        let found =
            nearest_center(Rows::Sparse(sparse.view()), centers.view(), &Run::new()).unwrap();
        let expected = naive(&rows, &centers);
        assert_eq!(found.labels, expected.labels);
        for (found, expected) in found
            .squared_distances
            .iter()
            .zip(&expected.squared_distances)
        {
            assert!((found - expected).abs() <= 1e-9 * expected);
        }
    }

    #[test]
    fn exact_ties_go_to_the_lowest_index_even_far_from_the_origin() {
        // Each row lies in the middle between two centres, or a centre is there twice.
        let centers = array![
            [1e8 + 3.0, 0.3],
            [1e8 + 1.0, 0.3],
            [1e8 + 1.0, 0.3],
            [1e8 - 1.0, 0.3]
        ];
        let rows = array![[1e8 + 2.0, 0.7], [1e8 + 1.0, 0.1], [1e8, -5.5]];
        let sparse = Csr::from_dense(rows.view());
        for rows in [Rows::Dense(rows.view()), Rows::Sparse(sparse.view())] {
            let found = nearest_center(rows, centers.view(), &Run::new()).unwrap();
            assert_eq!(found.labels, [0, 1, 1]);
            assert!((found.squared_distances[1] - 0.04).abs() < 1e-15);
        }
    }

    #[test]
    fn a_row_equal_to_a_centre_is_at_distance_zero() {
        let centers = random_matrix(9, 13, 5) * 1e6 + 1e9;
        let found = dense(&centers, &centers);
        assert_eq!(found.labels, (0..9).collect::<Vec<_>>());
        assert!(
            found
                .squared_distances
                .iter()
                .all(|&distance| distance == 0.0)
        );
    }

    #[test]
    fn values_whose_squares_overflow_still_find_the_centre() {
        let centers = array![[0.0], [1e160], [1e155]];
        assert_eq!(
            dense(&array![[1e160], [0.0], [1e200]], &centers).labels,
            [1, 0, 0]
        );
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let (rows, centers) = (random_matrix(20_000, 5, 6), random_matrix(8, 5, 7));
        let found = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| nearest_center(Rows::Dense(rows.view()), centers.view(), &run))
                .unwrap()
        };
        assert_eq!(found(1), found(2));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn on_a_grid_full_of_ties_the_labels_are_those_of_the_definition(
            n in 1usize..40, d in 1usize..5, k in 1usize..9, shift in -1e6..1e6_f64, seed: u64,
        ) {
            let rows = random_matrix(n, d, seed).mapv(f64::round) + shift;
            let centers = random_matrix(k, d, seed ^ 1).mapv(f64::round) + shift;
            prop_assert_eq!(dense(&rows, &centers), naive(&rows, &centers));
        }
    }
}
