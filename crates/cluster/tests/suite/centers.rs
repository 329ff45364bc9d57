//! What k-means under other distances, k-medoids, kernel k-means, mini-batches and quantisation
//! promise.

use didact_cluster::{
    CenterUpdate, KMeans, KMedoids, KMedoidsInit, KernelKMeans, MetricKMeans, MiniBatchKMeans,
    quantise, quantise_with,
};
use didact_core::{Assign, Fit, Rows, Run, Samples, StopReason};
use didact_datasets as datasets;
use didact_math::distance::Metric;
use didact_math::kernel::Kernel;
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, array};
use proptest::prelude::*;

fn lists(x: &Array2<f64>) -> Vec<Vec<f64>> {
    x.rows().into_iter().map(|row| row.to_vec()).collect()
}

// 000a:UNS-03: under the squared distance the variant is k-means.
#[test]
fn the_squared_distance_gives_k_means() {
    let x = random_matrix(120, 3, 4);
    let start = lists(&x.slice(ndarray::s![..4, ..]).to_owned());
    let variant = MetricKMeans {
        n_clusters: 4,
        metric: Metric::SquaredEuclidean,
        init_centers: Some(start.clone()),
        ..MetricKMeans::default()
    };
    let plain = KMeans {
        n_clusters: 4,
        init_centers: Some(start),
        tol: 0.0,
        ..KMeans::default()
    };
    let variant = variant.fit(Samples::from(&x)).unwrap();
    let plain = plain.fit(Samples::from(&x)).unwrap();
    assert_close(
        &variant.cluster_centers().to_owned(),
        &plain.cluster_centers().to_owned(),
        1e-12,
    );
    assert_eq!(variant.labels(), plain.labels().unwrap());
}

// 002a:KM03: the median lowers the sum of L1 distances, the mean does not minimise it.
#[test]
fn medians_lower_the_sum_of_absolute_distances_below_that_of_means() {
    let x = array![[0.0], [1.0], [9.0], [50.0], [51.0], [80.0]];
    let fit = |update| {
        let parameters = MetricKMeans {
            n_clusters: 2,
            update,
            init_centers: Some(vec![vec![0.0], vec![50.0]]),
            ..MetricKMeans::default()
        };
        parameters.fit(Samples::from(&x)).unwrap()
    };
    let (median, mean) = (fit(CenterUpdate::Matching), fit(CenterUpdate::Mean));
    assert_eq!(median.cluster_centers(), array![[1.0], [51.0]]);
    assert_eq!(median.inertia(), 9.0 + 30.0);
    assert!(mean.inertia() > median.inertia());
}

// 002a:FIG36
#[test]
fn the_boundary_between_two_centres_depends_on_the_norm() {
    let x = array![[0.0, 0.0], [4.0, 2.0]];
    let nearest = |metric, point: [f64; 2]| {
        let parameters = MetricKMeans {
            n_clusters: 2,
            metric,
            init_centers: Some(lists(&x)),
            ..MetricKMeans::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        model.predict(&Array2::from(vec![point])).unwrap()[0]
    };
    // From (3.5, −2) it is 5.5 and 4.5 in L1, √16.25 to both in L2, 3.5 and 4 in L∞.
    assert_eq!(nearest(Metric::Manhattan, [3.5, -2.0]), Some(1));
    assert_eq!(nearest(Metric::Chebyshev, [3.5, -2.0]), Some(0));
    assert_eq!(nearest(Metric::Euclidean, [3.5, -2.01]), Some(0));
    assert_eq!(nearest(Metric::Euclidean, [3.5, -1.99]), Some(1));
}

#[test]
fn the_geometric_median_balances_the_directions_to_the_rows() {
    // Of a triangle with angles below 120° it is the Fermat point: unit vectors cancel.
    let x = array![[0.0, 0.0], [4.0, 0.0], [1.0, 3.0]];
    let parameters = MetricKMeans {
        n_clusters: 1,
        metric: Metric::Euclidean,
        ..MetricKMeans::default()
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    let center = model.cluster_centers().row(0).to_owned();
    let mut sum = array![0.0, 0.0];
    for row in x.rows() {
        let difference = &row - &center;
        sum += &(&difference / difference.dot(&difference).sqrt());
    }
    assert!(sum.dot(&sum).sqrt() < 1e-6, "{sum}");
}

#[test]
fn cosine_centres_are_directions_of_length_one() {
    let x = array![[1.0, 0.1], [10.0, 0.5], [0.1, 2.0], [0.3, 30.0]];
    let parameters = MetricKMeans {
        n_clusters: 2,
        metric: Metric::Cosine,
        n_init: 5,
        ..MetricKMeans::default()
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    assert_eq!(model.labels()[0], model.labels()[1]);
    assert_eq!(model.labels()[2], model.labels()[3]);
    for center in model.cluster_centers().rows() {
        assert!((center.dot(&center) - 1.0).abs() < 1e-12);
    }
}

// 001:CLU-21: the centre as a data point, the other reading of the text.
#[test]
fn medoids_are_rows_that_no_exchange_improves() {
    let x = random_matrix(40, 2, 8);
    for init in [
        KMedoidsInit::PlusPlus,
        KMedoidsInit::Build,
        KMedoidsInit::Random,
    ] {
        let parameters = KMedoids {
            n_clusters: 3,
            init,
            ..KMedoids::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        assert_eq!(model.trace().stop, StopReason::Converged);
        let medoids = model.medoid_indices().unwrap().to_vec();
        let cost = |medoids: &[usize]| -> f64 {
            let of_row = |row: usize| {
                let distance = |&m: &usize| {
                    Metric::Euclidean.between(&x.row(row).to_vec(), &x.row(m).to_vec())
                };
                medoids.iter().map(distance).fold(f64::INFINITY, f64::min)
            };
            (0..40).map(of_row).sum()
        };
        assert!((cost(&medoids) - model.inertia()).abs() < 1e-10);
        for place in 0..3 {
            for candidate in 0..40 {
                let mut exchanged = medoids.clone();
                exchanged[place] = candidate;
                assert!(cost(&exchanged) >= model.inertia() - 1e-9, "{init:?}");
            }
        }
    }
}

#[test]
fn one_medoid_is_the_row_of_least_distance_to_all() {
    let x = array![[0.0], [1.0], [2.0], [3.0], [100.0]];
    let parameters = KMedoids {
        n_clusters: 1,
        ..KMedoids::default()
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    assert_eq!(model.medoid_indices().unwrap(), [2]);
    // A heavy row takes it over.
    let weighted = Samples::from(&x)
        .weighted(&[1.0, 1.0, 1.0, 1.0, 9.0])
        .unwrap();
    assert_eq!(
        parameters.fit(weighted).unwrap().medoid_indices().unwrap(),
        [4]
    );
}

// 002a:KK01: from the same assignment the linear kernel gives k-means.
#[test]
fn the_linear_kernel_gives_k_means_from_the_same_assignment() {
    let iris = datasets::iris();
    let samples = iris.samples();
    let x = samples.dense().unwrap();
    let first: Vec<usize> = (0..150).map(|row| row / 7 % 3).collect();
    let mut means = Array2::zeros((3, 4));
    for cluster in 0..3 {
        let members: Vec<usize> = (0..150).filter(|&row| first[row] == cluster).collect();
        let mean = x
            .select(ndarray::Axis(0), &members)
            .mean_axis(ndarray::Axis(0))
            .unwrap();
        means.row_mut(cluster).assign(&mean);
    }
    let kernel = KernelKMeans {
        kernel: Kernel::Linear.into(),
        init_labels: Some(first),
        ..KernelKMeans::default()
    };
    let plain = KMeans {
        n_clusters: 3,
        init_centers: Some(lists(&means)),
        tol: 0.0,
        ..KMeans::default()
    };
    let kernel = kernel.fit(iris.samples()).unwrap();
    let plain = plain.fit(iris.samples()).unwrap();
    assert_eq!(kernel.labels(), plain.labels().unwrap());
    assert!((kernel.objective() - plain.inertia()).abs() < 1e-9 * plain.inertia());
    let predicted: Vec<usize> = kernel
        .predict(iris.samples())
        .unwrap()
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(predicted, kernel.labels());
}

/// A round group inside a ring.
fn target() -> Array2<f64> {
    let noise = random_matrix(160, 2, 9);
    Array2::from_shape_fn((160, 2), |(row, column)| {
        let angle = row as f64 * 0.7;
        let on_ring = 6.0
            * if column == 0 {
                angle.cos()
            } else {
                angle.sin()
            };
        0.4 * noise[[row, column]] + if row % 2 == 0 { 0.0 } else { on_ring }
    })
}

// 002a:EX11, 002a:FIG70: a kernel finds what k-means cannot.
#[test]
fn a_kernel_finds_the_group_inside_the_ring() {
    let x = target();
    let is_right =
        |labels: &[usize]| (0..160).all(|row| (labels[row] == labels[0]) == (row % 2 == 0));
    let plain = KMeans {
        n_clusters: 2,
        n_init: 10,
        ..KMeans::default()
    };
    assert!(!is_right(
        plain.fit(Samples::from(&x)).unwrap().labels().unwrap()
    ));
    let kernel = KernelKMeans {
        n_clusters: 2,
        kernel: Kernel::Rbf { gamma: 0.1 }.into(),
        n_init: 10,
        ..KernelKMeans::default()
    };
    let model = kernel.fit(Samples::from(&x)).unwrap();
    assert!(is_right(model.labels()));
}

// 002a:EX11: three clusters, γ = 0.01: a group inside a ring, and another far away.
#[test]
fn three_clusters_need_the_kernel_where_one_surrounds_another() {
    let inner = target() * 10.0_f64.sqrt();
    let far = random_matrix(80, 2, 4) + 60.0;
    let x = ndarray::concatenate![ndarray::Axis(0), inner, far];
    let truth = |row: usize| if row < 160 { row % 2 } else { 2 };
    let is_right = |labels: &[usize]| {
        let names = [labels[0], labels[1], labels[160]];
        (0..240).all(|row| labels[row] == names[truth(row)])
            && names[0] != names[1]
            && names[1] != names[2]
            && names[0] != names[2]
    };
    let plain = KMeans {
        n_clusters: 3,
        n_init: 20,
        ..KMeans::default()
    };
    assert!(!is_right(
        plain.fit(Samples::from(&x)).unwrap().labels().unwrap()
    ));
    let kernel = KernelKMeans {
        n_clusters: 3,
        kernel: Kernel::Rbf { gamma: 0.01 }.into(),
        n_init: 30,
        ..KernelKMeans::default()
    };
    let model = kernel.fit(Samples::from(&x)).unwrap();
    assert!(is_right(model.labels()));
}

#[test]
fn mini_batches_come_close_to_k_means() {
    let x = Array2::from_shape_fn((20_000, 2), |(row, column)| {
        let noise = ((row * 31 + column * 131) as f64 * 78.233).sin();
        ((row % 4) * (column + 1)) as f64 * 4.0 + noise
    });
    let whole = KMeans {
        n_clusters: 4,
        n_init: 3,
        ..KMeans::default()
    };
    let batches = MiniBatchKMeans {
        n_clusters: 4,
        n_init: 3,
        ..MiniBatchKMeans::default()
    };
    let whole = whole.fit(Samples::from(&x)).unwrap();
    let batches = batches.fit(Samples::from(&x)).unwrap();
    assert!(batches.inertia() < 1.02 * whole.inertia());
    assert!(batches.trace().stop == StopReason::Converged);
}

// 001:CLU-26: distortion is the loss per pixel; enough codes lose nothing; bits by the formula.
#[test]
fn a_palette_loses_nothing_once_it_holds_all_colours() {
    let colours = array![
        [255.0, 0.0, 0.0],
        [0.0, 255.0, 0.0],
        [0.0, 0.0, 255.0],
        [9.0, 9.0, 9.0],
        [0.0, 5.0, 9.0]
    ];
    let pixels = Array2::from_shape_fn((1000, 3), |(row, column)| colours[[row % 5, column]]);
    let rows = Rows::Dense(pixels.view());
    let exact = quantise(rows, 5, 0, &Run::new()).unwrap();
    assert_eq!((exact.restored(), exact.distortion), (pixels.clone(), 0.0));
    // ⌈log₂ 5⌉ = 3 bits per pixel and five colours of 24.
    assert_eq!(exact.bits(24), 3 * 1000 + 5 * 24);
    assert!((exact.compression_ratio(24) - 24_000.0 / 3120.0).abs() < 1e-12);
    let fewer = quantise(rows, 3, 0, &Run::new()).unwrap();
    let difference = fewer.restored() - &pixels;
    let loss: f64 = difference.iter().map(|value| value * value).sum();
    assert!((fewer.distortion - loss / 1000.0).abs() < 1e-9 * fewer.distortion);
    assert_eq!(fewer.bits(24), 2 * 1000 + 3 * 24);
}

// 000a:UNS-04: a new row gets the code of its nearest entry, of a book that it had no part in.
#[test]
fn codes_of_new_rows_are_their_nearest_entries() {
    let book = array![[0.0], [10.0], [20.0]];
    let new = array![[4.0], [5.0], [99.0]];
    let found = quantise_with(Rows::Dense(new.view()), book.view(), &Run::new()).unwrap();
    assert_eq!(found.codes, [0, 0, 2]);
    assert!(
        quantise_with(
            Rows::Dense(array![[1.0, 2.0]].view()),
            book.view(),
            &Run::new()
        )
        .is_err()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn sums_of_distances_never_rise_with_the_matching_centre(n in 10usize..60, seed: u64) {
        let x = random_matrix(n, 3, seed);
        for metric in [
            Metric::Manhattan,
            Metric::Euclidean,
            Metric::Chebyshev,
            Metric::Minkowski { p: 3.0 },
            Metric::Cosine,
        ] {
            let parameters = MetricKMeans { n_clusters: 3, metric, ..MetricKMeans::default() };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            let falls = model.trace().objectives.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12));
            prop_assert!(falls, "{:?} {:?}", metric, model.trace().objectives);
        }
    }

    #[test]
    fn the_kernel_objective_never_rises(n in 10usize..60, seed: u64) {
        let x = random_matrix(n, 2, seed);
        let model = KernelKMeans::default().fit(Samples::from(&x)).unwrap();
        let falls = model.trace().objectives.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9));
        prop_assert!(falls);
        prop_assert_eq!(model.trace().stop, StopReason::Converged);
    }
}
