//! Every way to search against the definition.

use super::{Index, SearchAlgorithm};
use crate::distance::Metric::{self, *};
use didact_core::{Csr, Error, Rows, Run};
use didact_testing::{random_matrix, random_sparse};
use ndarray::{Array2, array};
use proptest::prelude::*;

const METRICS: [Metric; 9] = [
    Euclidean,
    SquaredEuclidean,
    Manhattan,
    Chebyshev,
    Minkowski { p: 3.0 },
    Cosine,
    Hamming,
    ChiSquare,
    Jaccard,
];
const ALGORITHMS: [SearchAlgorithm; 4] = [
    SearchAlgorithm::Auto,
    SearchAlgorithm::Brute,
    SearchAlgorithm::KdTree,
    SearchAlgorithm::BallTree,
];

fn index(
    training: &Array2<f64>,
    metric: Metric,
    algorithm: SearchAlgorithm,
    leaf_size: usize,
) -> Index<'_> {
    Index::build(
        Rows::Dense(training.view()),
        metric,
        algorithm,
        leaf_size,
        &Run::new(),
    )
    .unwrap()
}

/// All training rows by distance and then by index, straight from the definition.
fn sorted(training: &Array2<f64>, query: &[f64], metric: Metric) -> Vec<(usize, f64)> {
    let mut all: Vec<(usize, f64)> = (0..training.nrows())
        .map(|row| {
            (
                row,
                metric.ranking(query, training.row(row).to_slice().unwrap()),
            )
        })
        .collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    all.into_iter()
        .map(|(row, rank)| (row, metric.distance_of(rank)))
        .collect()
}

fn assert_all_agree(
    training: &Array2<f64>,
    queries: &Array2<f64>,
    k: usize,
    radius: f64,
    leaf_size: usize,
) {
    for metric in METRICS {
        for algorithm in ALGORITHMS {
            let index = index(training, metric, algorithm, leaf_size);
            let nearest = index
                .nearest(Rows::Dense(queries.view()), k, &Run::new())
                .unwrap();
            let within = index
                .within(Rows::Dense(queries.view()), radius, &Run::new())
                .unwrap();
            for (row, query) in queries.rows().into_iter().enumerate() {
                let expected = sorted(training, query.to_slice().unwrap(), metric);
                let found: Vec<(usize, f64)> = nearest
                    .indices
                    .row(row)
                    .iter()
                    .copied()
                    .zip(nearest.distances.row(row).iter().copied())
                    .collect();
                assert_eq!(found, expected[..k], "{metric:?} {algorithm:?}");
                let near: Vec<_> = expected
                    .into_iter()
                    .take_while(|pair| pair.1 <= radius)
                    .collect();
                assert_eq!(
                    within[row], near,
                    "{metric:?} {algorithm:?} within {radius}"
                );
            }
        }
    }
}

#[test]
fn every_algorithm_and_metric_finds_the_neighbours_of_the_definition() {
    for d in [1, 2, 8, 20, 40] {
        let rows = |n, seed| random_matrix(n, d, seed).mapv(f64::abs);
        let (training, queries) = (rows(600, 1), rows(20, 2));
        assert_all_agree(&training, &queries, 7, 1.0, 16);
    }
}

#[test]
fn hundreds_of_equal_rows_break_no_tree_and_come_in_rising_order() {
    let mut training = Array2::ones((1000, 3));
    training.row_mut(999).fill(5.0);
    training.row_mut(0).fill(5.0);
    for algorithm in ALGORITHMS {
        let index = index(&training, Euclidean, algorithm, 2);
        let found = index
            .nearest(Rows::Dense(Array2::ones((1, 3)).view()), 4, &Run::new())
            .unwrap();
        assert_eq!(found.indices, array![[1, 2, 3, 4]]);
        assert_eq!(found.distances, array![[0.0, 0.0, 0.0, 0.0]]);
        let all = index
            .nearest(Rows::Dense(Array2::ones((1, 3)).view()), 1000, &Run::new())
            .unwrap();
        assert_eq!((all.indices[[0, 998]], all.indices[[0, 999]]), (0, 999));
    }
}

#[test]
fn rows_exactly_on_the_radius_are_within_it() {
    let training = array![[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [0.3, 0.4]];
    for algorithm in ALGORITHMS {
        let found = index(&training, Euclidean, algorithm, 1)
            .within(Rows::Dense(array![[0.0, 0.0]].view()), 5.0, &Run::new())
            .unwrap();
        assert_eq!(found, [vec![(0, 0.0), (3, 0.5), (1, 5.0)]]);
    }
}

#[test]
fn sparse_rows_have_the_neighbours_of_the_same_rows_written_out() {
    let dense = |n, seed| {
        random_sparse(n, 25, 0.3, seed)
            .view()
            .to_dense()
            .mapv(f64::abs)
    };
    let (training_dense, queries_dense) = (dense(300, 1), dense(9, 2));
    let (training, queries) = (
        Csr::from_dense(training_dense.view()),
        Csr::from_dense(queries_dense.view()),
    );
    for metric in METRICS {
        let expected = index(&training_dense, metric, SearchAlgorithm::Auto, 30)
            .nearest(Rows::Dense(queries_dense.view()), 5, &Run::new())
            .unwrap();
        let sparse = Index::build(
            Rows::Sparse(training.view()),
            metric,
            SearchAlgorithm::KdTree,
            30,
            &Run::new(),
        )
        .unwrap();
        let dense = index(&training_dense, metric, SearchAlgorithm::Auto, 30);
        for index in [&sparse, &dense] {
            for queries in [
                Rows::Sparse(queries.view()),
                Rows::Dense(queries_dense.view()),
            ] {
                let found = index.nearest(queries, 5, &Run::new()).unwrap();
                assert_eq!(found.indices, expected.indices, "{metric:?}");
                didact_testing::assert_close(&found.distances, &expected.distances, 1e-12);
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let training = random_matrix(3000, 4, 5);
    for algorithm in ALGORITHMS {
        let index = index(&training, Euclidean, algorithm, 30);
        let found = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| index.nearest(Rows::Dense(training.view()), 3, &run))
                .unwrap()
        };
        assert_eq!(found(1), found(2));
    }
}

#[test]
fn an_index_survives_saving() {
    let training = random_matrix(50, 3, 6);
    for algorithm in ALGORITHMS {
        let index = index(&training, Minkowski { p: 1.5 }, algorithm, 4);
        let bytes = didact_core::encoding::to_bytes(&index).unwrap();
        let read: Index = didact_core::encoding::from_bytes(&bytes).unwrap();
        let queries = Rows::Dense(training.view());
        let expected = index.nearest(queries, 3, &Run::new()).unwrap();
        assert_eq!(read.nearest(queries, 3, &Run::new()).unwrap(), expected);
        let own = index.into_owned();
        assert_eq!(own.nearest(queries, 3, &Run::new()).unwrap(), expected);
        assert_eq!(didact_core::encoding::to_bytes(&own).unwrap(), bytes);
    }
}

#[test]
fn sparse_rows_are_saved_alike_whoever_owns_them() {
    let rows = Csr::from_dense(random_matrix(20, 4, 7).mapv(|x| x.max(0.0)).view());
    let run = Run::new();
    let view = Rows::Sparse(rows.view());
    let index = Index::build(view, Euclidean, SearchAlgorithm::Auto, 30, &run).unwrap();
    let expected = index.nearest(view, 3, &run).unwrap();
    let bytes = didact_core::encoding::to_bytes(&index).unwrap();
    let own = index.into_owned();
    assert_eq!(didact_core::encoding::to_bytes(&own).unwrap(), bytes);
    let read: Index = didact_core::encoding::from_bytes(&bytes).unwrap();
    assert_eq!(read.nearest(view, 3, &run).unwrap(), expected);
}

#[test]
fn requests_that_make_no_sense_are_refused_with_the_reason() {
    let training = array![[0.0], [1.0]];
    let rows = Rows::Dense(training.view());
    let run = Run::new();
    let index = index(&training, Euclidean, SearchAlgorithm::Auto, 30);
    let complaint = |k| index.nearest(rows, k, &run).unwrap_err().to_string();
    assert_eq!(complaint(0), "n_neighbors is 0; it must be at least 1");
    assert_eq!(
        complaint(3),
        "n_neighbors is 3; there are only 2 rows; ask for at most that many"
    );
    assert!(index.within(rows, f64::NAN, &run).is_err());
    let wide = array![[0.0, 1.0]];
    assert!(matches!(
        index.nearest(Rows::Dense(wide.view()), 1, &run),
        Err(Error::Columns { .. })
    ));
    assert!(Index::build(rows, Minkowski { p: 0.5 }, SearchAlgorithm::Auto, 30, &run).is_err());
    assert!(Index::build(rows, Euclidean, SearchAlgorithm::Auto, 0, &run).is_err());
    let empty = Array2::<f64>::zeros((0, 1));
    assert!(
        Index::build(
            Rows::Dense(empty.view()),
            Euclidean,
            SearchAlgorithm::Auto,
            30,
            &run
        )
        .is_err()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn on_a_grid_full_of_ties_and_duplicates_all_agree(
        n in 1usize..80, d in 1usize..4, share in 0.0..1.0, leaf_size in 1usize..40, shift in -1e5..1e5_f64, seed: u64,
    ) {
        let grid = |n, seed| random_matrix(n, d, seed).mapv(f64::round) + shift;
        // Rounded and moved, then mirrored to where every metric can measure.
        let (training, queries) = (grid(n, seed).mapv(f64::abs), grid(4, seed ^ 1).mapv(f64::abs));
        let k = 1 + (share * (n - 1) as f64) as usize;
        assert_all_agree(&training, &queries, k, 2.0, leaf_size);
    }
}

#[test]
fn many_queries_find_the_rows_of_the_definition_whatever_the_shape() {
    // Rounded values are full of ties, and a shift leaves few digits for the products.
    for (n, d, shift) in [(7, 1, 0.0), (500, 3, 0.0), (1400, 30, 1e6), (90, 300, 0.0)] {
        let training = random_matrix(n, d, 1).mapv(|value| (2.0 * value).round() + shift);
        let queries = random_matrix(40, d, 2).mapv(|value| (2.0 * value).round() + shift);
        let index = index(&training, Euclidean, SearchAlgorithm::Brute, 30);
        let k = n.min(9);
        let found = index
            .nearest(Rows::Dense(queries.view()), k, &Run::new())
            .unwrap();
        for (row, query) in queries.rows().into_iter().enumerate() {
            let expected = sorted(&training, query.to_slice().unwrap(), Euclidean);
            for (place, (neighbor, distance)) in expected.into_iter().take(k).enumerate() {
                assert_eq!(found.indices[[row, place]], neighbor);
                assert_eq!(found.distances[[row, place]], distance);
            }
        }
    }
}

#[test]
fn wide_rows_have_the_neighbours_of_the_definition_however_alike_they_are() {
    // Spread out, far from the origin, and so alike that single precision cannot tell them apart.
    for (scale, shift) in [(1.0, 0.0), (1.0, 1e4), (1e-7, 1.0)] {
        let mut training = random_matrix(2000, 300, 1).mapv(|x| scale * x + shift);
        let queries = random_matrix(40, 300, 2).mapv(|x| scale * x + shift);
        let first = training.row(7).to_owned();
        training.row_mut(1900).assign(&first);
        // One row in the distance makes the lengths of all others small beside it.
        training.row_mut(300).fill(shift + 10.0);
        let index = index(&training, Euclidean, SearchAlgorithm::Brute, 30);
        let found = index
            .nearest(Rows::Dense(queries.view()), 5, &Run::new())
            .unwrap();
        for (row, query) in queries.rows().into_iter().enumerate() {
            let expected = sorted(&training, query.to_slice().unwrap(), Euclidean);
            for (place, (neighbour, distance)) in expected[..5].iter().enumerate() {
                assert_eq!(found.indices[[row, place]], *neighbour, "{scale} {shift}");
                assert_eq!(found.distances[[row, place]], *distance, "{scale} {shift}");
            }
        }
    }
}
