//! What spectral, divisive, clique, density and message-passing clustering promise.

use didact_cluster::{
    AffinityPropagation, ClusterSelection, Dendrogram, Divisive, DivisiveMethod, Hdbscan, KMeans,
    KernelKMeans, Linkage, MeanShift, Optics, OpticsMethod, SpectralAffinity, SpectralClustering,
    SpectralLaplacian, ThresholdGraph, ThresholdGroups, clique_partition, maximal_cliques,
};
use didact_core::{Assign, Csr, Fit, Rows, Run, Samples, StopReason};
use didact_datasets as datasets;
use didact_math::distance::Metric;
use didact_math::kernel::Kernel;
use didact_math::neighbors::SearchAlgorithm;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, array};
use proptest::prelude::*;

/// Iris with values moved a little, so that no two pairs are equally near.
fn iris_without_ties() -> Array2<f64> {
    let iris = datasets::iris();
    let mut x = iris.samples().dense().unwrap().to_owned();
    for ((row, column), value) in x.indexed_iter_mut() {
        *value += 0.01 * (7.0 * row as f64 + 13.0 * column as f64 + 0.5).sin();
    }
    x
}

/// Two noisy rings; even rows are on the inner one.
fn rings() -> Array2<f64> {
    let noise = random_matrix(200, 1, 3);
    Array2::from_shape_fn((200, 2), |(row, column)| {
        let angle = (row / 2) as f64 / 100.0 * std::f64::consts::TAU;
        let radius = [1.0, 3.0][row % 2] + 0.05 * noise[[row, 0]];
        radius
            * if column == 0 {
                angle.cos()
            } else {
                angle.sin()
            }
    })
}

fn alternates(labels: &[usize]) -> bool {
    labels
        .iter()
        .enumerate()
        .all(|(row, &label)| label == row % 2)
}

const LAPLACIANS: [SpectralLaplacian; 3] = [
    SpectralLaplacian::Symmetric,
    SpectralLaplacian::RandomWalk,
    SpectralLaplacian::Unnormalised,
];

// 000a:UNS-12, 000a:UNS-14: rings that k-means cannot tell apart; the smallest eigenvectors, with
// and without the normalisation of the rows.
#[test]
fn spectral_clustering_finds_the_rings_with_every_laplacian() {
    let x = rings();
    let plain = KMeans {
        n_clusters: 2,
        ..KMeans::default()
    };
    assert!(!alternates(
        plain.fit(Samples::from(&x)).unwrap().labels().unwrap()
    ));
    for laplacian in LAPLACIANS {
        for row_normalise in [false, true] {
            let parameters = SpectralClustering {
                n_clusters: 2,
                laplacian,
                row_normalise,
                ..SpectralClustering::default()
            };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            assert!(alternates(&model.labels()), "{laplacian:?} {row_normalise}");
        }
    }
}

// 000a:UNS-09, 000a:UNS-13: the full Gaussian graph gives the same rings, and eigenvalues of the
// normalised Laplacians lie between 0 and 2.
#[test]
fn the_gaussian_graph_finds_the_rings_too() {
    let x = rings();
    for laplacian in LAPLACIANS {
        let parameters = SpectralClustering {
            n_clusters: 2,
            affinity: SpectralAffinity::Rbf,
            gamma: Some(20.0),
            laplacian,
            ..SpectralClustering::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        assert!(alternates(&model.labels()), "{laplacian:?}");
        if laplacian != SpectralLaplacian::Unnormalised {
            assert!(
                model
                    .eigenvalues()
                    .iter()
                    .all(|value| (0.0..=2.0).contains(value))
            );
        }
    }
}

// 000a:UNS-12: k parts are recovered exactly and have k eigenvalues of zero.
#[test]
fn separate_parts_are_recovered_exactly() {
    let noise = random_matrix(90, 2, 2);
    let x = Array2::from_shape_fn((90, 2), |(row, column)| {
        (row % 3) as f64 * 50.0 + noise[[row, column]]
    });
    for laplacian in LAPLACIANS {
        let parameters = SpectralClustering {
            n_clusters: 3,
            laplacian,
            ..SpectralClustering::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        assert_eq!(model.n_connected_components(), 3);
        assert!(model.eigenvalues()[2] < 1e-9 && model.eigenvalues()[3] > 1e-3);
        assert!(
            model
                .labels()
                .iter()
                .enumerate()
                .all(|(row, &label)| label == row % 3)
        );
    }
}

// 000a:UNS-13: a row that no other is similar to has degree zero, by which nothing can be divided.
#[test]
fn a_row_without_neighbours_is_a_part_of_its_own() {
    let noise = random_matrix(41, 2, 4);
    let x = Array2::from_shape_fn((41, 2), |(row, column)| match row {
        40 => 1e6,
        _ => (row % 2) as f64 * 60.0 + noise[[row, column]],
    });
    for laplacian in LAPLACIANS {
        for row_normalise in [false, true] {
            let parameters = SpectralClustering {
                n_clusters: 3,
                affinity: SpectralAffinity::Rbf,
                gamma: Some(1.0),
                laplacian,
                row_normalise,
                ..SpectralClustering::default()
            };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            assert_eq!(model.n_connected_components(), 3, "{laplacian:?}");
            let values = model.eigenvalues();
            assert!(values.iter().all(|value| value.is_finite()), "{values:?}");
            let labels = model.labels();
            assert!((0..40).all(|row| labels[row] == labels[row % 2]));
            let [a, b, alone] = [labels[0], labels[1], labels[40]];
            assert!(
                a != b && a != alone && b != alone,
                "{laplacian:?} {row_normalise}"
            );
        }
    }
}

// 002a:HC04: in one dimension the farthest-pair rule cuts at mid-range, not at the widest gap.
#[test]
fn the_farthest_pair_cuts_at_mid_range() {
    let x = array![[0.0], [1.0], [2.0], [6.0], [10.0]];
    let labels = |method| {
        let parameters = Divisive {
            method,
            ..Divisive::default()
        };
        parameters.fit(Samples::from(&x)).unwrap().labels()
    };
    // The widest gaps are 2–6 and 6–10; mid-range is 5.
    assert_eq!(labels(DivisiveMethod::FarthestPair), [0, 0, 0, 1, 1]);
    let wide = array![[0.0], [6.0], [7.0], [8.0], [10.0]];
    let parameters = Divisive {
        method: DivisiveMethod::FarthestPair,
        ..Divisive::default()
    };
    // The gap is between 0 and 6, but 5 is the middle: the same here; with 4 instead of 6 it is not.
    assert_eq!(
        parameters.fit(Samples::from(&wide)).unwrap().labels(),
        [0, 1, 1, 1, 1]
    );
    let other = array![[0.0], [4.0], [8.0], [8.5], [10.0]];
    assert_eq!(
        parameters.fit(Samples::from(&other)).unwrap().labels(),
        [0, 0, 1, 1, 1]
    );
}

// 001:CLU-02: cutting the longest edges of the spanning tree is single linkage.
#[test]
fn the_longest_edges_give_single_linkage() {
    let x = random_matrix(60, 2, 6);
    let single = Dendrogram::of_rows(
        Rows::Dense(x.view()),
        Metric::Euclidean,
        Linkage::Single,
        &Run::new(),
    );
    let single = single.unwrap();
    for n_clusters in [2, 5, 9] {
        let parameters = Divisive {
            n_clusters,
            method: DivisiveMethod::LongestEdge,
            ..Divisive::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        assert_eq!(model.labels(), single.cut_count(n_clusters).unwrap());
    }
}

// 003:P84: the first cut of bisecting k-means is k-means with two centres.
#[test]
fn the_first_bisection_is_k_means() {
    let iris = datasets::iris();
    let bisected = Divisive::default().fit(iris.samples()).unwrap();
    let plain = KMeans {
        n_clusters: 2,
        ..KMeans::default()
    }
    .fit(iris.samples())
    .unwrap();
    let plain = plain.labels().unwrap();
    let labels = bisected.labels();
    assert!((0..150).all(|row| (labels[row] == labels[0]) == (plain[row] == plain[0])));
}

// 001:T-06, 001:CLU-03, 001:CLU-04: points 0, 1, 3, 7, 12 and the threshold 4.
#[test]
fn cliques_are_maximal_and_not_all_maximum() {
    let x = array![[0.0], [1.0], [3.0], [7.0], [12.0]];
    let fit = |groups| {
        let parameters = ThresholdGraph {
            threshold: 4.0,
            groups,
            ..ThresholdGraph::default()
        };
        parameters.fit(Samples::from(&x)).unwrap()
    };
    assert_eq!(fit(ThresholdGroups::Components).labels(), [0, 0, 0, 0, 1]);
    assert_eq!(fit(ThresholdGroups::Cliques).labels(), [0, 0, 0, 1, 2]);
    // The graph has the edges 01, 02, 12, 23; {2, 3} is maximal but not maximum.
    let graph = Csr::from_rows(
        &[
            vec![(1, 1.0), (2, 1.0)],
            vec![(2, 1.0)],
            vec![(3, 1.0)],
            vec![],
            vec![],
        ],
        5,
    )
    .unwrap();
    let cliques = maximal_cliques(graph.view(), &Run::new()).unwrap();
    assert_eq!(cliques, [vec![0, 1, 2], vec![2, 3], vec![4]]);
    let new = array![[-3.5], [20.0]];
    assert_eq!(
        fit(ThresholdGroups::Components).predict(&new).unwrap(),
        [Some(0), None]
    );
}

// sklearn.cluster.HDBSCAN 1.9.1 on the same rows. Core distances make edges equally long, and which
// of those comes first moves single rows at the tips, in scikit-learn with the order of the rows;
// so the tips are compared where core distances are zero.
#[test]
fn hdbscan_finds_the_clusters_of_scikit_learn() {
    let x = iris_without_ties();
    for (min_cluster_size, min_samples, method, sizes, sum) in [
        (
            5,
            None,
            ClusterSelection::Eom,
            vec![0, 50, 100],
            128.65268488149138,
        ),
        (
            10,
            None,
            ClusterSelection::Eom,
            vec![0, 50, 100],
            118.28516512521094,
        ),
        (
            5,
            Some(2),
            ClusterSelection::Eom,
            vec![0, 50, 100],
            139.16629603484296,
        ),
        (
            5,
            Some(1),
            ClusterSelection::Leaf,
            vec![62, 5, 6, 6, 7, 8, 12, 13, 14, 17],
            79.66368344687962,
        ),
    ] {
        for algorithm in [SearchAlgorithm::Brute, SearchAlgorithm::KdTree] {
            let parameters = Hdbscan {
                min_cluster_size,
                min_samples,
                cluster_selection_method: method,
                algorithm,
                ..Hdbscan::default()
            };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            let count = |wanted| {
                model
                    .labels()
                    .iter()
                    .filter(|&&label| label == wanted)
                    .count()
            };
            let mut found: Vec<usize> = (0..model.n_clusters()).map(|c| count(Some(c))).collect();
            found.sort_unstable();
            found.insert(0, count(None));
            assert_eq!(found, sizes, "{min_cluster_size} {min_samples:?}");
            let total: f64 = model.probabilities().iter().sum();
            assert!((total - sum).abs() < 1e-9 * sum, "{total} {sum}");
            assert_eq!(model.predict(&x).unwrap(), model.labels());
        }
    }
}

// sklearn.cluster.HDBSCAN 1.9.1: the sum of the heights of its tree, and of the heights at which all
// pairs of rows meet. Neither depends on which of equally high merges comes first.
#[test]
fn hdbscan_grows_the_tree_of_scikit_learn_up_to_the_order_of_equal_merges() {
    let x = iris_without_ties();
    for (min_samples, sum, sum_of_pairs) in [
        (2, 43.495551158082975, 10848.419478999142),
        (5, 62.94484508925228, 11385.385073264648),
        (10, 82.0136652961376, 12302.815111000415),
    ] {
        for algorithm in [
            SearchAlgorithm::Auto,
            SearchAlgorithm::Brute,
            SearchAlgorithm::KdTree,
        ] {
            let parameters = Hdbscan {
                min_samples: Some(min_samples),
                algorithm,
                ..Hdbscan::default()
            };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            let tree = model.single_linkage_tree().unwrap();
            let found: f64 = tree.heights().iter().sum();
            assert!((found - sum).abs() < 1e-12 * sum, "{found} {sum}");
            let found = tree.cophenetic_distances().sum() / 2.0;
            let difference = (found - sum_of_pairs).abs();
            assert!(difference < 1e-12 * sum_of_pairs, "{found} {sum_of_pairs}");
        }
    }
}

/// Noise, then the sizes of the clusters, smallest first.
fn sizes(labels: &[Option<usize>], n_clusters: usize) -> Vec<usize> {
    let count = |wanted| labels.iter().filter(|&&label| label == wanted).count();
    let mut sizes: Vec<usize> = (0..n_clusters).map(|c| count(Some(c))).collect();
    sizes.sort_unstable();
    sizes.insert(0, count(None));
    sizes
}

#[test]
fn hdbscan_chooses_from_its_tree_as_the_hdbscan_package_does() {
    // hdbscan 0.8.44 with min_samples = 2 (itself not counted) and an exact spanning tree;
    // scikit-learn 1.9.1 agrees where it does not fail. Leaf or not, epsilon, single, largest size.
    use ClusterSelection::{Eom, Leaf};
    let x = iris_without_ties();
    let cases = [
        (Eom, 0.0, false, None, vec![0, 50, 100], 135.66319036570644),
        (Eom, 0.6, false, None, vec![0, 50, 100], 135.66319036570644),
        (
            Leaf,
            0.42,
            false,
            None,
            vec![0, 50, 100],
            135.66319036570644,
        ),
        (Leaf, 30.0, true, None, vec![0, 150], 150.0),
        (Eom, 0.0, true, None, vec![0, 50, 100], 135.66319036570644),
        (Eom, 0.4, true, None, vec![0, 50, 100], 135.66319036570644),
        (
            Eom,
            0.0,
            false,
            Some(60),
            vec![36, 6, 10, 13, 35, 50],
            104.5549600238694,
        ),
        (Eom, 2.5, false, None, vec![0, 50, 100], 135.66319036570644),
        (
            Eom,
            0.45,
            false,
            Some(20),
            vec![0, 50, 100],
            135.66319036570644,
        ),
    ];
    for (method, epsilon, single, largest, expected, sum) in cases {
        let parameters = Hdbscan {
            min_cluster_size: 5,
            min_samples: Some(3),
            cluster_selection_method: method,
            cluster_selection_epsilon: epsilon,
            allow_single_cluster: single,
            max_cluster_size: largest,
            ..Hdbscan::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        let found = sizes(model.labels(), model.n_clusters());
        assert_eq!(found, expected, "{method:?} {epsilon} {single} {largest:?}");
        let total: f64 = model.probabilities().iter().sum();
        assert!((total - sum).abs() < 1e-9 * sum, "{total} {sum}");
        assert_eq!(model.predict(&x).unwrap(), model.labels());
    }
}

#[test]
fn hdbscan_may_find_one_cluster_and_keeps_its_densest_rows() {
    // The last kind of iris alone: hdbscan 0.8.44 and scikit-learn 1.9.1 agree.
    let x = iris_without_ties().slice(ndarray::s![100.., ..]).to_owned();
    for (single, epsilon, kept, sum) in [
        (true, 0.0, 16, 16.0),
        (true, 0.6, 44, 40.30525973843356),
        (false, 0.0, 0, 0.0),
    ] {
        let parameters = Hdbscan {
            min_cluster_size: 15,
            min_samples: Some(3),
            allow_single_cluster: single,
            cluster_selection_epsilon: epsilon,
            ..Hdbscan::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        assert_eq!(model.labels().iter().flatten().count(), kept);
        let total: f64 = model.probabilities().iter().sum();
        assert!((total - sum).abs() < 1e-9 * sum.max(1.0), "{total} {sum}");
    }
}

#[test]
fn optics_with_a_limit_searches_only_near_rows_and_finds_the_same_order() {
    // A limit that no distance exceeds must change nothing; with a smaller one rows beyond it are
    // not reached at all.
    let x = iris_without_ties();
    let of = |max_eps: Option<f64>| {
        let parameters = Optics {
            min_samples: 4.into(),
            max_eps,
            cluster_method: OpticsMethod::Dbscan,
            eps: Some(0.6),
            ..Optics::default()
        };
        parameters.fit(Samples::from(&x)).unwrap()
    };
    let (free, wide, narrow) = (of(None), of(Some(1e3)), of(Some(0.6)));
    assert_eq!(free.ordering(), wide.ordering());
    assert_eq!(free.reachability(), wide.reachability());
    assert_eq!(free.labels(), wide.labels());
    assert!(
        narrow
            .reachability()
            .iter()
            .all(|reach| *reach <= 0.6 || reach.is_infinite())
    );
}

#[test]
fn hdbscan_finds_groups_of_different_density_and_leaves_noise() {
    let noise = random_matrix(300, 2, 5);
    let x = Array2::from_shape_fn((302, 2), |(row, column)| match row {
        0..150 => 0.05 * noise[[row, column]],
        150..300 => 20.0 + 2.0 * noise[[row, column]],
        300 => 100.0,
        _ => -100.0,
    });
    let model = Hdbscan {
        min_cluster_size: 30,
        ..Hdbscan::default()
    }
    .fit(Samples::from(&x))
    .unwrap();
    assert_eq!(model.n_clusters(), 2);
    assert_eq!(model.labels()[300..], [None, None]);
    assert!(
        model.labels()[..150]
            .iter()
            .flatten()
            .all(|&label| label == model.labels()[0].unwrap_or(9))
    );
}

// sklearn.cluster.OPTICS 1.9.1 on the same rows: sizes of noise and clusters in their order, and
// the sum of the finite reachabilities.
#[test]
fn optics_finds_the_valleys_of_scikit_learn() {
    let x = iris_without_ties();
    let usual = Optics::default();
    for (parameters, sizes, sum) in [
        (
            usual.clone(),
            vec![93, 12, 7, 6, 6, 8, 5, 13],
            54.083172193467234,
        ),
        (
            Optics {
                min_samples: 8.into(),
                xi: 0.1,
                ..usual.clone()
            },
            vec![42, 8, 100],
            61.99476074627814,
        ),
        (
            Optics {
                cluster_method: OpticsMethod::Dbscan,
                eps: Some(0.5),
                ..usual
            },
            vec![18, 49, 83],
            54.083172193467234,
        ),
    ] {
        let model = parameters.fit(Samples::from(&x)).unwrap();
        let reached = model
            .reachability()
            .iter()
            .filter(|value| value.is_finite());
        let total: f64 = reached.sum();
        assert!((total - sum).abs() < 1e-10 * sum, "{total} {sum}");
        let count = |wanted| {
            model
                .labels()
                .iter()
                .filter(|&&label| label == wanted)
                .count()
        };
        let mut found = vec![count(None)];
        found.extend((0..sizes.len() - 1).map(|cluster| count(Some(cluster))));
        assert_eq!(found, sizes, "{parameters:?}");
    }
    let order = Optics::default()
        .fit(Samples::from(&x))
        .unwrap()
        .ordering()
        .to_vec();
    assert_eq!(order[..12], [0, 4, 17, 27, 39, 28, 7, 49, 40, 37, 48, 11]);
    assert_eq!(order[145..], [109, 93, 106, 117, 131]);
}

// sklearn.cluster.MeanShift 1.9.1 with bandwidth 0.9 on the same rows.
#[test]
fn mean_shift_finds_the_peaks_of_scikit_learn() {
    let x = iris_without_ties();
    let model = MeanShift {
        bandwidth: Some(0.9),
        ..MeanShift::default()
    }
    .fit(Samples::from(&x))
    .unwrap();
    let expected = array![
        [
            6.098985054187906,
            2.846113907695818,
            4.6287117888541,
            1.527125514558167
        ],
        [
            4.975067394292279,
            3.4030365361923094,
            1.4721503488207885,
            0.24336195532244134
        ]
    ];
    // Both stop within a thousandth of the bandwidth.
    assert_close(&model.cluster_centers().to_owned(), &expected, 1e-3);
    assert_eq!(
        model.labels().iter().filter(|&&label| label == 1).count(),
        50
    );
    assert_eq!(model.trace().stop, StopReason::Converged);
    let binned = MeanShift {
        bandwidth: Some(0.9),
        bin_seeding: true,
        ..MeanShift::default()
    };
    assert_eq!(
        binned
            .fit(Samples::from(&x))
            .unwrap()
            .cluster_centers()
            .nrows(),
        2
    );
}

// sklearn.cluster.AffinityPropagation 1.9.1 on the same rows.
#[test]
fn affinity_propagation_chooses_the_exemplars_of_scikit_learn() {
    let x = iris_without_ties();
    let exemplars = |preference| {
        let parameters = AffinityPropagation {
            preference,
            ..AffinityPropagation::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        assert_eq!(model.trace().stop, StopReason::Converged);
        model.medoid_indices().unwrap().to_vec()
    };
    assert_eq!(exemplars(None), [2, 48, 54, 83, 93, 94, 105, 124]);
    assert_eq!(exemplars(Some(-50.0)), [7, 99, 116]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    // 002a:HC04: the hierarchy is nested and its leaves are all points.
    #[test]
    fn divisive_trees_are_nested_down_to_single_rows(n in 2usize..40, seed: u64) {
        let x = random_matrix(n, 2, seed).mapv(|value| (value * 3.0).round());
        for method in [
            DivisiveMethod::BisectingKMeans,
            DivisiveMethod::FarthestPair,
            DivisiveMethod::LongestEdge,
            DivisiveMethod::Diana,
        ] {
            let parameters = Divisive { method, ..Divisive::default() };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            let tree = model.dendrogram();
            prop_assert!(tree.is_monotone());
            prop_assert_eq!(tree.merges().last().unwrap().size, n);
            let heights = tree.heights();
            prop_assert!(heights.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", method);
        }
    }

    #[test]
    fn cliques_are_cliques_that_cannot_be_extended(n in 1usize..14, density in 0.1f64..0.9, seed: u64) {
        let uniform = random_matrix(n, n, seed);
        let joined = |a: usize, b: usize| a != b && uniform[[a.min(b), a.max(b)]].abs() < density;
        let dense = Array2::from_shape_fn((n, n), |(a, b)| f64::from(u8::from(joined(a, b))));
        let graph = Csr::from_dense(dense.view());
        let is_clique = |nodes: &[usize]| nodes.iter().all(|&a| nodes.iter().all(|&b| a == b || joined(a, b)));
        let cliques = maximal_cliques(graph.view(), &Run::new()).unwrap();
        // By the definition, over all subsets.
        let members = |mask: usize| -> Vec<usize> { (0..n).filter(|node| mask >> node & 1 == 1).collect() };
        let maximal = |mask: usize| {
            is_clique(&members(mask)) && (0..n).all(|node| mask >> node & 1 == 1 || !is_clique(&members(mask | 1 << node)))
        };
        let mut expected: Vec<Vec<usize>> = (1..1usize << n).filter(|&mask| maximal(mask)).map(members).collect();
        expected.sort_unstable();
        prop_assert_eq!(&cliques, &expected);
        let (labels, is_exact) = clique_partition(graph.view(), &Run::new()).unwrap();
        prop_assert!(is_exact);
        let largest = cliques.iter().map(Vec::len).max().unwrap();
        let of = |label: usize| -> Vec<usize> { (0..n).filter(|&node| labels[node] == label).collect() };
        let sizes: Vec<usize> = (0..n).map(|label| of(label).len()).collect();
        prop_assert_eq!(sizes.iter().max().copied(), Some(largest));
        prop_assert!((0..n).all(|label| is_clique(&of(label))));
    }
}

// 000a:UNS-15: with the weights dᵢ and the kernel D⁻¹SD⁻¹ + σD⁻¹ the objective of weighted kernel
// k-means is n·σ − k(1 + σ) plus the normalised cut, whose relaxation are the k smallest
// eigenvalues that spectral clustering uses.
#[test]
fn spectral_clustering_relaxes_weighted_kernel_k_means() {
    let x = rings();
    let (n, k, sigma) = (x.nrows(), 2, 2.0);
    let similarity = Array2::from_shape_fn((n, n), |(i, j)| {
        let difference = &x.row(i) - &x.row(j);
        match i == j {
            true => 0.0,
            false => (-4.0 * difference.dot(&difference)).exp(),
        }
    });
    let degrees = similarity.sum_axis(ndarray::Axis(1));
    let kernel = Array2::from_shape_fn((n, n), |(i, j)| {
        let own = if i == j { sigma / degrees[i] } else { 0.0 };
        similarity[[i, j]] / (degrees[i] * degrees[j]) + own
    });
    // Rows whose products are the kernel.
    let factor = didact_math::linalg::Cholesky::new(kernel.view()).unwrap();
    let rows = factor.lower().as_standard_layout().into_owned();
    let normalised_cut = |labels: &[usize]| -> f64 {
        let of = |cluster: usize| {
            let (mut cut, mut volume) = (0.0, 0.0);
            for i in (0..n).filter(|&i| labels[i] == cluster) {
                volume += degrees[i];
                let outside = (0..n).filter(|&j| labels[j] != cluster);
                cut += outside.map(|j| similarity[[i, j]]).sum::<f64>();
            }
            cut / volume
        };
        (0..k).map(of).sum()
    };
    let constant = n as f64 * sigma - k as f64 * (1.0 + sigma);
    let truth: Vec<usize> = (0..n).map(|row| row % 2).collect();
    let halves: Vec<usize> = (0..n).map(|row| usize::from(row >= n / 2)).collect();
    let weights = degrees.to_vec();
    for labels in [&truth, &halves] {
        let mut centers = Array2::<f64>::zeros((k, n));
        let mut totals = vec![0.0; k];
        for (row, &label) in labels.iter().enumerate() {
            centers
                .row_mut(label)
                .scaled_add(weights[row], &rows.row(row));
            totals[label] += weights[row];
        }
        for (mut center, total) in centers.rows_mut().into_iter().zip(totals) {
            center /= total;
        }
        let losses = labels.iter().enumerate().map(|(row, &label)| {
            let difference = &rows.row(row) - &centers.row(label);
            weights[row] * difference.dot(&difference)
        });
        let loss = losses.sum::<f64>();
        assert_close(
            &array![loss],
            &array![constant + normalised_cut(labels)],
            1e-9,
        );
    }
    let graph = Csr::from_dense(similarity.view());
    let kind = didact_math::graph::LaplacianKind::Symmetric;
    let spectrum = didact_math::graph::graph_spectrum(graph.view(), kind, k, &Run::new()).unwrap();
    let relaxed: f64 = spectrum.values.iter().take(k).sum();
    assert!(relaxed <= normalised_cut(&truth) && normalised_cut(&truth) < normalised_cut(&halves));
    // What spectral clustering finds is a fixed point of weighted kernel k-means.
    let model = SpectralClustering {
        n_clusters: k,
        ..SpectralClustering::default()
    };
    let model = model.fit(Samples::from(&x)).unwrap();
    assert!(alternates(&model.labels()));
    let start = KernelKMeans {
        n_clusters: k,
        kernel: Kernel::Linear.into(),
        init_labels: Some(truth.clone()),
        ..KernelKMeans::default()
    };
    let weighted = Samples::from(&rows).weighted(&weights).unwrap();
    let fixed = start.fit(weighted).unwrap();
    assert!(alternates(fixed.labels()));
    let expected = constant + normalised_cut(&truth);
    assert_close(&array![fixed.objective()], &array![expected], 1e-9);
}

// 003:P73: methods that look for centres succeed where groups have centres, those that follow
// neighbours where groups hang together, those that look for density where there is noise.
#[test]
fn each_meaning_of_a_cluster_has_its_method() {
    use didact_datasets::{ClusterType, ClusterTypes, Generate};
    let agreement = |kind: ClusterType, fit: &dyn Fn(&Array2<f64>) -> Vec<Option<usize>>| {
        let data = ClusterTypes {
            kind,
            n_samples: 300,
        };
        let data = data.generate(6).unwrap();
        let labels = &data.labels().unwrap().indices;
        let found = fit(&data.features().to_owned());
        // The share of pairs of rows on which both agree; noise is together with nothing.
        let (mut same, mut all) = (0.0, 0.0);
        let n_groups = labels.iter().max().unwrap() + 1;
        let is_noise =
            |row: usize| kind == ClusterType::DensityBased && labels[row] + 1 == n_groups;
        for a in 0..300 {
            for b in (0..a).filter(|&b| !is_noise(a) && !is_noise(b)) {
                let together = found[a].is_some() && found[a] == found[b];
                same += f64::from(u8::from(together == (labels[a] == labels[b])));
                all += 1.0;
            }
        }
        (same / all, n_groups)
    };
    let by_centers = |k: usize| {
        move |x: &Array2<f64>| -> Vec<Option<usize>> {
            let method = KMeans {
                n_clusters: k,
                n_init: 10,
                ..KMeans::default()
            };
            let model = method.fit(Samples::from(x)).unwrap();
            model.labels().unwrap().iter().copied().map(Some).collect()
        }
    };
    let by_links = |k: usize| {
        move |x: &Array2<f64>| -> Vec<Option<usize>> {
            let rows = Rows::Dense(x.view());
            let tree = Dendrogram::of_rows(rows, Metric::Euclidean, Linkage::Single, &Run::new());
            tree.unwrap()
                .cut_count(k)
                .unwrap()
                .into_iter()
                .map(Some)
                .collect()
        }
    };
    let by_density = |x: &Array2<f64>| -> Vec<Option<usize>> {
        let method = Hdbscan {
            min_cluster_size: 20,
            min_samples: Some(5),
            ..Hdbscan::default()
        };
        method.fit(Samples::from(x)).unwrap().labels().to_vec()
    };
    let groups = |kind| agreement(kind, &by_density).1;
    let centers = |kind| agreement(kind, &by_centers(groups(kind))).0;
    let links = |kind| agreement(kind, &by_links(groups(kind))).0;
    let density = |kind| agreement(kind, &by_density).0;
    let figures = |kind| [centers(kind), links(kind), density(kind)];
    let separated = figures(ClusterType::WellSeparated);
    assert_eq!(separated, [1.0; 3]);
    let centred = figures(ClusterType::CentreBased);
    assert!(centred[0] > 0.95, "{centred:?}");
    let contiguous = figures(ClusterType::Contiguous);
    assert!(
        contiguous[0] < 0.8 && contiguous[1] == 1.0,
        "{contiguous:?}"
    );
    let dense = figures(ClusterType::DensityBased);
    assert!(dense[2] > dense[1] + 0.2 && dense[2] > 0.8, "{dense:?}");
}
