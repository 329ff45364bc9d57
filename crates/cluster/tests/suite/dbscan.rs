//! What DBSCAN promises.

use didact_cluster::{Dbscan, DbscanModel};
use didact_core::{Assign, Csr, Fit, Run, Samples};
use didact_datasets as datasets;
use didact_math::distance::Metric;
use didact_math::neighbors::SearchAlgorithm;
use didact_testing::random_matrix;
use ndarray::{Array2, array};
use proptest::prelude::*;
use std::time::Instant;

fn fit(x: &Array2<f64>, eps: f64, min_samples: usize) -> DbscanModel {
    let parameters = Dbscan {
        eps,
        min_samples,
        ..Dbscan::default()
    };
    parameters.fit(Samples::from(x)).unwrap()
}

// 002a:EX26, 002a:DB01: a neighbourhood counts the row itself, and a lonely row is noise.
#[test]
fn three_points_are_dense_and_a_far_one_is_noise() {
    let x = array![[0.0], [1.0], [2.0], [10.0]];
    let model = fit(&x, 1.1, 3);
    assert_eq!(model.labels(), [Some(0), Some(0), Some(0), None]);
    assert_eq!(model.core_sample_indices(), [1]);
    assert_eq!(fit(&x, 1.1, 4).n_clusters(), 0);
}

/// The slope of the logarithm of the time over that of the number of rows, between two numbers. The
/// region grows with the rows, so that every row keeps as many neighbours.
fn exponent(algorithm: SearchAlgorithm, few: usize, many: usize) -> f64 {
    let parameters = Dbscan {
        eps: 1.0,
        algorithm,
        ..Dbscan::default()
    };
    let run = Run::new().threads(1);
    let seconds = |x: &Array2<f64>| {
        let begin = Instant::now();
        parameters.fit_with(Samples::from(x), &run).unwrap();
        begin.elapsed().as_secs_f64()
    };
    let [short, long] = [few, many].map(|n| random_matrix(n, 2, 5) * (n as f64).sqrt());
    // What else the machine does can only make it longer. Taking turns, both meet it alike.
    let (mut least_short, mut least_long) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        for _ in 0..5 {
            least_short = seconds(&short).min(least_short);
        }
        least_long = seconds(&long).min(least_long);
    }
    (least_long / least_short).ln() / (many as f64 / few as f64).ln()
}

// 002a:DB02: O(n²) by looking at all rows, about O(n·log n) with an index. The limits are halfway.
#[test]
fn the_index_lowers_the_exponent_of_the_cost_from_two_to_about_one() {
    let brute = exponent(SearchAlgorithm::Brute, 1_000, 8_000);
    let indexed = exponent(SearchAlgorithm::KdTree, 4_000, 64_000);
    assert!(brute > 1.5, "all rows: {brute}");
    assert!(indexed < 1.5, "with an index: {indexed}");
}

// 002a:EX26: the text's literal rule, which merges through a border point, would give one cluster.
#[test]
fn a_shared_border_point_does_not_merge_two_clusters() {
    let x = array![[0.0], [0.2], [0.4], [1.3], [2.2], [2.4], [2.6]];
    let model = fit(&x, 0.95, 4);
    assert_eq!(model.n_clusters(), 2);
    // The border point joins the cluster of lower number.
    let expected = [0, 0, 0, 0, 1, 1, 1].map(Some);
    assert_eq!(model.labels(), expected);
    assert!(!model.core_sample_indices().contains(&3));
}

// 002a:FIG42: a lonely point is an outlier, two groups within ε of each other are one.
#[test]
fn groups_within_the_radius_of_each_other_are_one() {
    let x = array![[0.0], [0.5], [1.0], [1.9], [2.4], [2.9], [9.0]];
    let model = fit(&x, 0.9, 2);
    assert_eq!(model.labels()[..6], [Some(0); 6]);
    assert_eq!(model.labels()[6], None);
    assert_eq!(fit(&x, 0.8, 2).n_clusters(), 2);
}

// 002a:FIG43: an elongated pair is split without an error.
#[test]
fn long_clusters_side_by_side_are_told_apart() {
    let noise = random_matrix(200, 2, 7);
    let x = Array2::from_shape_fn((200, 2), |(row, column)| match column {
        0 => (row / 2) as f64 * 0.1,
        _ => (row % 2) as f64 * 1.5 + 0.05 * noise[[row, 1]],
    });
    let model = fit(&x, 0.5, 4);
    let labels = model.labels();
    assert!(
        labels
            .iter()
            .enumerate()
            .all(|(row, &label)| label == Some(row % 2))
    );
}

// sklearn.cluster.DBSCAN 1.9.1 on iris: labels −1, 0, 1 occur 17, 49 and 84 times, 117 core rows.
#[test]
fn iris_gives_the_clusters_of_scikit_learn() {
    let iris = datasets::iris();
    let model = Dbscan::default().fit(iris.samples()).unwrap();
    let count = |wanted| {
        model
            .labels()
            .iter()
            .filter(|&&label| label == wanted)
            .count()
    };
    assert_eq!([None, Some(0), Some(1)].map(count), [17, 49, 84]);
    assert_eq!(model.core_sample_indices().len(), 117);
    let noise: Vec<usize> = (0..150)
        .filter(|&row| model.labels()[row].is_none())
        .collect();
    let expected = [
        41, 57, 60, 68, 87, 93, 98, 105, 106, 108, 109, 117, 118, 122, 131, 134, 135,
    ];
    assert_eq!(noise, expected);
}

#[test]
fn a_weight_of_two_counts_like_two_rows() {
    let x = array![[0.0], [1.0], [5.0]];
    let parameters = Dbscan {
        eps: 1.5,
        min_samples: 3,
        ..Dbscan::default()
    };
    let weighted = Samples::from(&x).weighted(&[1.0, 2.0, 2.0]).unwrap();
    let model = parameters.fit(weighted).unwrap();
    assert_eq!(model.labels(), [Some(0), Some(0), None]);
    // A row of weight zero connects nobody.
    let bridge = array![[0.0], [1.4], [2.8]];
    let weighted = Samples::from(&bridge).weighted(&[3.0, 0.0, 3.0]).unwrap();
    assert_eq!(parameters.fit(weighted).unwrap().n_clusters(), 2);
    let repeated = array![[0.0], [1.0], [1.0], [5.0], [5.0]];
    let model = parameters.fit(Samples::from(&repeated)).unwrap();
    assert_eq!(model.labels(), [Some(0), Some(0), Some(0), None, None]);
}

#[test]
fn new_rows_join_a_core_row_within_the_radius() {
    let x = array![[0.0], [1.0], [2.0], [10.0]];
    let model = fit(&x, 1.1, 3);
    // Only 1 is a core row; 2.5 is near the border row 2 but not near it.
    let new = array![[1.5], [2.5], [10.0], [-0.1]];
    let expected = [Some(0), None, None, Some(0)];
    assert_eq!(model.predict(&new).unwrap(), expected);
}

/// Clusters by the definition alone: a walk over core rows.
fn by_definition(x: &Array2<f64>, eps: f64, min_samples: usize) -> Vec<Option<usize>> {
    let n = x.nrows();
    let row = |i: usize| x.row(i).to_vec();
    let near = |i: usize| -> Vec<usize> {
        (0..n)
            .filter(|&j| Metric::Euclidean.between(&row(i), &row(j)) <= eps)
            .collect()
    };
    let is_core: Vec<bool> = (0..n).map(|i| near(i).len() >= min_samples).collect();
    let mut labels = vec![None; n];
    let mut count = 0;
    for start in 0..n {
        if !is_core[start] || labels[start].is_some() {
            continue;
        }
        let mut pending = vec![start];
        labels[start] = Some(count);
        while let Some(i) = pending.pop() {
            for j in near(i).into_iter().filter(|_| is_core[i]) {
                if labels[j].is_none() {
                    labels[j] = Some(count);
                    pending.push(j);
                }
            }
        }
        count += 1;
    }
    labels
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_search_gives_the_clusters_of_the_definition(
        n in 1usize..300, d in 1usize..4, eps in 0.05f64..1.0, min_samples in 1usize..8, seed: u64
    ) {
        let x = random_matrix(n, d, seed);
        let expected = by_definition(&x, eps, min_samples);
        let sparse = Csr::from_dense(x.view());
        for algorithm in [SearchAlgorithm::Brute, SearchAlgorithm::KdTree, SearchAlgorithm::BallTree] {
            let parameters = Dbscan { eps, min_samples, algorithm, leaf_size: 4, ..Dbscan::default() };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            prop_assert_eq!(model.labels(), &expected);
            prop_assert_eq!(&model.predict(&x).unwrap(), &expected);
            let model = parameters.fit(Samples::from(&sparse)).unwrap();
            prop_assert_eq!(model.labels(), &expected);
        }
    }

    #[test]
    fn core_rows_and_noise_do_not_depend_on_the_order(n in 1usize..200, seed: u64) {
        let x = random_matrix(n, 2, seed);
        let reversed = x.slice(ndarray::s![..;-1, ..]).as_standard_layout().into_owned();
        let (there, back) = (fit(&x, 0.3, 4), fit(&reversed, 0.3, 4));
        prop_assert_eq!(there.n_clusters(), back.n_clusters());
        for row in 0..n {
            prop_assert_eq!(there.labels()[row].is_none(), back.labels()[n - 1 - row].is_none());
        }
        let mut cores: Vec<usize> = back.core_sample_indices().iter().map(|row| n - 1 - row).collect();
        cores.reverse();
        prop_assert_eq!(there.core_sample_indices(), cores);
    }
}
