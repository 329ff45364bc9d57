//! What agglomerative clustering and its tree promise.

use didact_cluster::{Agglomerative, Dendrogram, KMeans, KMeansInit, Linkage, Merge};
use didact_core::{Assign, Cancel, Csr, Error, Fit, Rows, Run, Samples};
use didact_datasets as datasets;
use didact_math::distance::{Metric, pairwise_self};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, ArrayView2, array};
use proptest::prelude::*;

const ALL: [Linkage; 7] = [
    Linkage::Single,
    Linkage::Complete,
    Linkage::Average,
    Linkage::Weighted,
    Linkage::Centroid,
    Linkage::Median,
    Linkage::Ward,
];

fn tree(x: ArrayView2<'_, f64>, linkage: Linkage) -> Dendrogram {
    Dendrogram::of_rows(Rows::Dense(x), Metric::Euclidean, linkage, &Run::new()).unwrap()
}

fn heights(x: ArrayView2<'_, f64>, linkage: Linkage) -> Array1<f64> {
    Array1::from(tree(x, linkage).heights())
}

// 000a:fx-D13, 000a:UNS-16, 000a:UNS-17, 002a:HC01, 002a:EX21
#[test]
fn four_points_on_a_line_merge_at_the_heights_found_by_hand() {
    let x = array![[0.0], [1.0], [3.0], [7.0]];
    for (linkage, expected) in [
        (Linkage::Single, array![1.0, 2.0, 4.0]),
        (Linkage::Complete, array![1.0, 3.0, 7.0]),
        (Linkage::Average, array![1.0, 2.5, 17.0 / 3.0]),
        (Linkage::Centroid, array![1.0, 2.5, 17.0 / 3.0]),
    ] {
        assert_close(&heights(x.view(), linkage), &expected, 1e-12);
    }
}

// 000a:fx-D13, 000a:UNS-17, 002a:HC03, 003:P82
#[test]
fn the_triangle_inverts_under_centroid_linkage_and_not_under_average() {
    let x = array![[0.0, 0.0], [2.0, 0.0], [1.0, 1.8]];
    let centroid = tree(x.view(), Linkage::Centroid);
    assert_close(&Array1::from(centroid.heights()), &array![2.0, 1.8], 1e-12);
    assert!(!centroid.is_monotone());
    let average = heights(x.view(), Linkage::Average);
    assert_close(&average, &array![2.0, 4.24_f64.sqrt()], 1e-12);
    // The cut cannot keep the upper merge without the lower one inside it.
    assert_eq!(centroid.cut_height(1.9), [0, 1, 2]);
    assert_eq!(centroid.cut_count(2).unwrap(), [0, 0, 1]);
}

// 002a:HC03, 003:P81: scipy.cluster.hierarchy.linkage 1.17.1 on 0, 1, 3, 7, 12.
#[test]
fn every_linkage_gives_the_matrix_of_scipy() {
    let x = array![[0.0], [1.0], [3.0], [7.0], [12.0]];
    let expected = |second: f64, last: f64| {
        array![
            [0.0, 1.0, 1.0, 2.0],
            [2.0, 5.0, second, 3.0],
            [3.0, 4.0, 5.0, 2.0],
            [6.0, 7.0, last, 5.0]
        ]
    };
    for (linkage, second, last) in [
        (Linkage::Complete, 3.0, 12.0),
        (Linkage::Average, 2.5, 8.166666666666666),
        (Linkage::Weighted, 2.5, 7.75),
        (Linkage::Centroid, 2.5, 8.166666666666666),
        (Linkage::Median, 2.5, 7.75),
        (Linkage::Ward, 2.8867513459481287, 12.651745597610894),
    ] {
        let found = tree(x.view(), linkage).linkage_matrix();
        assert_close(&found, &expected(second, last), 1e-12);
    }
    let single = tree(x.view(), Linkage::Single).linkage_matrix();
    let expected = array![
        [0.0, 1.0, 1.0, 2.0],
        [2.0, 5.0, 2.0, 3.0],
        [3.0, 6.0, 4.0, 4.0],
        [4.0, 7.0, 5.0, 5.0]
    ];
    assert_eq!(single, expected);
}

// 001:CLU-03, 003:P78: of equally near pairs that of the lowest rows is first, in few columns and in
// many, which are searched in different ways.
#[test]
fn of_equally_near_pairs_the_lowest_merges_first() {
    for n_columns in [1, 2, 9, 40] {
        let x = Array2::from_shape_fn((70, n_columns), |(row, _)| row as f64);
        for linkage in ALL {
            let first = tree(x.view(), linkage).merges()[0];
            assert_eq!((first.left, first.right), (0, 1), "{linkage:?} {n_columns}");
        }
    }
}

// 001:CLU-15: hierarchical clustering leaves nothing to chance, k-means does and has a seed for it.
#[test]
fn trees_have_no_seed_and_k_means_has_one() {
    let has_seed = |parameters: serde_json::Value| parameters.get("random_state").is_some();
    assert!(!has_seed(
        serde_json::to_value(Agglomerative::default()).unwrap()
    ));
    let k_means = |random_state| KMeans {
        n_clusters: 8,
        init: KMeansInit::Random,
        max_iter: 1,
        random_state,
        ..KMeans::default()
    };
    assert!(has_seed(serde_json::to_value(k_means(0)).unwrap()));
    let iris = datasets::iris();
    let centers = |seed| {
        let model = k_means(seed).fit(iris.samples()).unwrap();
        model.cluster_centers().to_owned()
    };
    assert_eq!(centers(3), centers(3));
    assert_ne!(centers(3), centers(4));
}

/// Iris with values moved a little, so that no two pairs are equally near: which of those merges
/// first is each program's own choice.
fn iris_without_ties() -> Array2<f64> {
    let iris = datasets::iris();
    let mut x = iris.samples().dense().unwrap().to_owned();
    for ((row, column), value) in x.indexed_iter_mut() {
        *value += 0.01 * (7.0 * row as f64 + 13.0 * column as f64 + 0.5).sin();
    }
    x
}

// 001:CLU-16, 003:P78, 003:P79, 003:P80: sums of heights, the two highest and the sizes of three
// clusters, from scipy.cluster.hierarchy 1.17.1.
#[test]
fn iris_gives_the_heights_of_scipy() {
    let x = iris_without_ties();
    for (linkage, sum, highest, second, sizes) in [
        (
            Linkage::Single,
            43.495551158082975,
            1.6453948552610798,
            0.8083225187691466,
            [2, 50, 98],
        ),
        (
            Linkage::Complete,
            87.79705515284087,
            7.08611911322242,
            4.033824431629096,
            [28, 50, 72],
        ),
        (
            Linkage::Average,
            65.35472715534483,
            4.062622788778643,
            1.9542820938164351,
            [37, 50, 63],
        ),
        (
            Linkage::Weighted,
            68.50163531728184,
            4.3928095087222,
            2.70367949420246,
            [24, 50, 76],
        ),
        (
            Linkage::Centroid,
            60.56833045780702,
            3.9096932566784157,
            2.272031046001901,
            [4, 50, 96],
        ),
        (
            Linkage::Median,
            62.98710935833006,
            4.547481746227176,
            2.346144027610708,
            [13, 50, 87],
        ),
        (
            Linkage::Ward,
            138.0886989086315,
            32.44899813875591,
            12.298473986153494,
            [37, 50, 63],
        ),
    ] {
        let tree = tree(x.view(), linkage);
        let mut heights = tree.heights();
        let sum_of_heights = heights.iter().sum::<f64>();
        let found = [
            sum_of_heights,
            heights.pop().unwrap(),
            heights.pop().unwrap(),
        ];
        assert_close(
            &Array1::from(found.to_vec()),
            &array![sum, highest, second],
            1e-10,
        );
        assert_eq!(
            cluster_sizes(&tree.cut_count(3).unwrap()),
            sizes,
            "{linkage:?}"
        );
        let inverts = matches!(linkage, Linkage::Centroid | Linkage::Median);
        assert_eq!(tree.is_monotone(), !inverts);
    }
}

fn cluster_sizes(labels: &[usize]) -> Vec<usize> {
    let count = labels.iter().max().unwrap() + 1;
    let mut sizes: Vec<usize> = (0..count)
        .map(|cluster| labels.iter().filter(|&&label| label == cluster).count())
        .collect();
    sizes.sort_unstable();
    sizes
}

// 001:CLU-03: the threshold view, with the points 0, 1, 3, 7, 12 and the threshold 4.
#[test]
fn single_linkage_within_a_threshold_is_connected_components() {
    let x = array![[0.0], [1.0], [3.0], [7.0], [12.0]];
    let single = tree(x.view(), Linkage::Single);
    assert_eq!(single.cut_height(4.0), [0, 0, 0, 0, 1]);
    assert_eq!(single.cut_height(3.9), [0, 0, 0, 1, 2]);
    // 001:CLU-04: at a cut of complete linkage no cluster is wider than the threshold.
    let complete = tree(x.view(), Linkage::Complete);
    assert_eq!(complete.cut_height(4.0), [0, 0, 0, 1, 2]);
}

// 002a:HC05: two noisy rings are found by single linkage and by no other of the three.
#[test]
fn single_linkage_follows_rings_that_others_cut() {
    let noise = random_matrix(200, 1, 3);
    let x = Array2::from_shape_fn((200, 2), |(row, column)| {
        let angle = (row / 2) as f64 / 100.0 * std::f64::consts::TAU;
        let radius = [1.0, 3.0][row % 2] + 0.05 * noise[[row, 0]];
        radius
            * if column == 0 {
                angle.cos()
            } else {
                angle.sin()
            }
    });
    let is_right = |linkage| {
        let labels = tree(x.view(), linkage).cut_count(2).unwrap();
        labels
            .iter()
            .enumerate()
            .all(|(row, &label)| label == row % 2)
    };
    assert!(is_right(Linkage::Single));
    assert!(!is_right(Linkage::Complete) && !is_right(Linkage::Average));
    // The remedy of the text: in polar coordinates the rings lie apart for every linkage.
    let radius = x.map_axis(ndarray::Axis(1), |point| point.dot(&point).sqrt());
    let radius = radius.insert_axis(ndarray::Axis(1));
    let labels = tree(radius.view(), Linkage::Complete).cut_count(2).unwrap();
    assert!(
        labels
            .iter()
            .enumerate()
            .all(|(row, &label)| label == row % 2)
    );
}

// 003:P83, dendrogram-cut: scipy.cluster.hierarchy.inconsistent and fcluster 1.17.1 on iris.
#[test]
fn inconsistency_agrees_with_scipy() {
    let tree = tree(iris_without_ties().view(), Linkage::Average);
    let table = tree.inconsistency(2);
    let sums = table.sum_axis(ndarray::Axis(0));
    let expected = array![
        55.36799568594451,
        11.306746681127164,
        297.0,
        83.74970238454867
    ];
    assert_close(&sums, &expected, 1e-10);
    let last = array![
        2.448027245446546,
        1.433005346096902,
        3.0,
        1.1267198323647531
    ];
    assert_close(&table.row(148).to_owned(), &last, 1e-10);
    let count = |threshold, depth| {
        *tree
            .cut_inconsistent(threshold, depth)
            .iter()
            .max()
            .unwrap()
            + 1
    };
    assert_eq!(
        [0.7, 0.9, 1.1, 1.15].map(|t| count(t, 2)),
        [100, 53, 40, 29]
    );
    assert_eq!(
        [0.7, 0.9, 1.1, 1.15].map(|t| count(t, 3)),
        [100, 66, 57, 52]
    );
}

// sklearn.cluster.AgglomerativeClustering 1.9.1 with kneighbors_graph(X, 10): iris falls into two
// parts there, which both sides connect by the shortest edge.
#[test]
fn a_neighbour_graph_restricts_the_merges_as_in_scikit_learn() {
    let iris = datasets::iris();
    for (linkage, sizes, highest) in [
        (
            Linkage::Single,
            [2, 50, 98],
            [0.7348469228349535, 0.818535277187245, 1.6401219466856725],
        ),
        (
            Linkage::Average,
            [3, 50, 97],
            [0.9125819401616575, 1.0915632477213333, 1.6401219466856725],
        ),
        (
            Linkage::Ward,
            [36, 50, 64],
            [6.399406819518539, 12.300396052792594, 32.447606999592445],
        ),
    ] {
        let parameters = Agglomerative {
            n_clusters: Some(3),
            linkage,
            connectivity: Some(10),
            ..Agglomerative::default()
        };
        let model = parameters.fit(iris.samples()).unwrap();
        assert_eq!(cluster_sizes(&model.labels()), sizes, "{linkage:?}");
        let mut heights = model.dendrogram().heights();
        heights.sort_by(f64::total_cmp);
        let found = Array1::from(heights.split_off(146));
        assert_close(&found, &Array1::from(highest.to_vec()), 1e-9);
    }
}

#[test]
fn a_graph_of_all_pairs_restricts_nothing() {
    let x = random_matrix(40, 3, 5);
    let complete = Csr::from_dense((Array2::<f64>::ones((40, 40)) - Array2::<f64>::eye(40)).view());
    for linkage in ALL {
        let free = tree(x.view(), linkage);
        let rows = Rows::Dense(x.view());
        let bound = Dendrogram::of_connected_rows(
            rows,
            Metric::Euclidean,
            linkage,
            complete.view(),
            &Run::new(),
        );
        let bound = bound.unwrap();
        assert_close(
            &Array1::from(bound.heights()),
            &Array1::from(free.heights()),
            1e-10,
        );
        assert_eq!(
            bound.cut_count(5).unwrap(),
            free.cut_count(5).unwrap(),
            "{linkage:?}"
        );
    }
}

#[test]
fn thresholds_of_the_estimator_stop_at_the_height_itself() {
    // As in scikit-learn: clusters at or above the threshold are not merged.
    let x = array![[0.0], [1.0], [3.0], [7.0]];
    let labels = |threshold| {
        let parameters = Agglomerative {
            n_clusters: None,
            distance_threshold: Some(threshold),
            linkage: Linkage::Single,
            ..Agglomerative::default()
        };
        parameters.fit(Samples::from(&x)).unwrap().labels()
    };
    assert_eq!(labels(2.0), [0, 0, 1, 2]);
    assert_eq!(labels(2.1), [0, 0, 0, 1]);
    let neither = Agglomerative {
        n_clusters: None,
        ..Agglomerative::default()
    };
    let error = neither.fit(Samples::from(&x)).unwrap_err().to_string();
    assert!(error.contains("distance_threshold"), "{error}");
}

#[test]
fn linkages_with_means_need_euclidean_distances() {
    let parameters = Agglomerative {
        metric: Metric::Manhattan,
        linkage: Linkage::Ward,
        ..Agglomerative::default()
    };
    let error = parameters
        .fit(Samples::from(&array![[0.0], [1.0]]))
        .unwrap_err();
    assert!(
        error.to_string().starts_with("metric is manhattan"),
        "{error}"
    );
}

#[test]
fn training_rows_are_predicted_as_they_were_labelled() {
    let iris = datasets::iris();
    let model = Agglomerative::default().fit(iris.samples()).unwrap();
    let predicted = model.predict(iris.samples()).unwrap();
    let labels: Vec<Option<usize>> = model.labels().into_iter().map(Some).collect();
    assert_eq!(predicted, labels);
}

#[test]
fn a_cancelled_run_stops() {
    let x = random_matrix(500, 2, 1);
    let cancel = Cancel::new();
    cancel.cancel();
    let run = Run::new().cancelled_by(&cancel);
    for linkage in ALL {
        let stopped = Dendrogram::of_rows(Rows::Dense(x.view()), Metric::Euclidean, linkage, &run);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{linkage:?}");
    }
}

/// Merges the nearest pair again and again by the definition of the linkage over all pairs.
fn by_definition(x: ArrayView2<'_, f64>, linkage: Linkage) -> Vec<f64> {
    let distances = pairwise_self(Rows::Dense(x), Metric::Euclidean, &Run::new()).unwrap();
    let mut clusters: Vec<Vec<usize>> = (0..x.nrows()).map(|row| vec![row]).collect();
    let mean = |rows: &[usize]| {
        x.select(ndarray::Axis(0), rows)
            .mean_axis(ndarray::Axis(0))
            .unwrap()
    };
    let apart = |a: &[usize], b: &[usize]| {
        let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
        let pairs = pairs.map(|(i, j)| distances[[i, j]]);
        let between = || {
            let difference = mean(a) - mean(b);
            difference.dot(&difference).sqrt()
        };
        let (p, q) = (a.len() as f64, b.len() as f64);
        match linkage {
            Linkage::Single => pairs.fold(f64::INFINITY, f64::min),
            Linkage::Complete => pairs.fold(0.0, f64::max),
            Linkage::Average => pairs.sum::<f64>() / (p * q),
            Linkage::Centroid => between(),
            Linkage::Ward => (2.0 * p * q / (p + q)).sqrt() * between(),
            other => unreachable!("{other:?} is defined by the order of merges"),
        }
    };
    let mut heights = Vec::new();
    while clusters.len() > 1 {
        let mut best = (f64::INFINITY, 0, 0);
        for i in 0..clusters.len() {
            for j in 0..i {
                let distance = apart(&clusters[i], &clusters[j]);
                if distance < best.0 {
                    best = (distance, i, j);
                }
            }
        }
        heights.push(best.0);
        let taken = clusters.swap_remove(best.1);
        clusters[best.2].extend(taken);
    }
    heights
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    // 003:P81: sizes weigh in the average; 002a:HC02: heights of these never fall.
    #[test]
    fn trees_are_those_of_the_definition(n in 2usize..24, d in 1usize..40, seed: u64) {
        let x = random_matrix(n, d, seed);
        for linkage in [
            Linkage::Single,
            Linkage::Complete,
            Linkage::Average,
            Linkage::Centroid,
            Linkage::Ward,
        ] {
            let tree = tree(x.view(), linkage);
            prop_assert_eq!(tree.is_monotone() || linkage == Linkage::Centroid, true);
            let expected = Array1::from(by_definition(x.view(), linkage));
            assert_close(&Array1::from(tree.heights()), &expected, 1e-10);
        }
    }

    #[test]
    fn rows_and_their_distances_give_the_same_tree(n in 2usize..30, seed: u64) {
        let x = random_matrix(n, 3, seed);
        let distances = pairwise_self(Rows::Dense(x.view()), Metric::Euclidean, &Run::new()).unwrap();
        for linkage in ALL {
            let by_rows = tree(x.view(), linkage);
            let by_distances = Dendrogram::of_distances(distances.view(), linkage, &Run::new()).unwrap();
            let nodes = |tree: &Dendrogram| -> Vec<(usize, usize)> {
                tree.merges().iter().map(|merge: &Merge| (merge.left, merge.right)).collect()
            };
            prop_assert_eq!(nodes(&by_rows), nodes(&by_distances), "{:?}", linkage);
            assert_close(&Array1::from(by_rows.heights()), &Array1::from(by_distances.heights()), 1e-9);
        }
    }

    // 000a:UNS-17: two groups far from each other meet at the least, the mean and the greatest
    // distance of their pairs, in this order, whatever happened within them.
    #[test]
    fn far_groups_meet_at_the_least_the_mean_or_the_greatest_distance(
        n in 4usize..40, d in 1usize..12, seed: u64,
    ) {
        let mut x = random_matrix(n, d, seed);
        let cut = n / 3 + 1;
        x.slice_mut(ndarray::s![cut.., 0]).mapv_inplace(|value| value + 1000.0);
        let all = pairwise_self(Rows::Dense(x.view()), Metric::Euclidean, &Run::new()).unwrap();
        let pairs = all.slice(ndarray::s![..cut, cut..]);
        let least = pairs.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = pairs.iter().copied().fold(0.0, f64::max);
        let mean = pairs.sum() / pairs.len() as f64;
        prop_assert!(least <= mean && mean <= greatest);
        for (linkage, expected) in [(Linkage::Single, least), (Linkage::Average, mean), (Linkage::Complete, greatest)] {
            let last = tree(x.view(), linkage).heights().pop().unwrap();
            prop_assert!((last - expected).abs() <= 1e-12 * expected, "{:?} {} {}", linkage, last, expected);
        }
    }

    // 000a:UNS-18: a cut at K has K clusters, and cuts are nested.
    #[test]
    fn cuts_have_as_many_clusters_as_asked_and_are_nested(n in 2usize..40, seed: u64) {
        let x = random_matrix(n, 2, seed);
        for linkage in ALL {
            let tree = tree(x.view(), linkage);
            let mut finer = tree.cut_count(n).unwrap();
            for count in (1..n).rev() {
                let coarser = tree.cut_count(count).unwrap();
                prop_assert_eq!(coarser.iter().max().unwrap() + 1, count);
                for row in 0..n {
                    for other in 0..row {
                        prop_assert!(finer[row] != finer[other] || coarser[row] == coarser[other]);
                    }
                }
                finer = coarser;
            }
        }
    }

    // 000a:UNS-17 and the equivalence of single linkage with the minimum spanning tree.
    #[test]
    fn the_order_of_the_rows_does_not_matter(n in 2usize..30, seed: u64) {
        let x = random_matrix(n, 2, seed);
        let reversed = x.slice(ndarray::s![..;-1, ..]).as_standard_layout().into_owned();
        for linkage in ALL {
            let there = heights(x.view(), linkage);
            assert_close(&heights(reversed.view(), linkage), &there, 1e-10);
            let labels = tree(x.view(), linkage).cut_count(2).unwrap();
            let mut back = tree(reversed.view(), linkage).cut_count(2).unwrap();
            back.reverse();
            let flipped: Vec<usize> = back.iter().map(|label| 1 - label).collect();
            prop_assert!(labels == back || labels == flipped, "{:?}", linkage);
        }
    }
}
