//! What soft k-means, fuzzy c-means and k-harmonic means promise.

use didact_cluster::{FuzzyCMeans, KHarmonicMeans, KMeans, SoftClusters, SoftDistance, SoftKMeans};
use didact_core::{Assign, Fit, Probabilities, Samples, StopReason};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, array};
use proptest::prelude::*;

/// The centre at the right of two soft clusters of the points −1 and 1.
fn right_center(stiffness: f64, distance: SoftDistance) -> f64 {
    let x = array![[-1.0], [1.0]];
    let parameters = SoftKMeans {
        n_clusters: 2,
        stiffness,
        distance,
        tol: 1e-13,
        max_iter: 20_000,
        ..SoftKMeans::default()
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    let centers = model.cluster_centers();
    assert!((centers[[0, 0]] + centers[[1, 0]]).abs() < 1e-9);
    centers[[0, 0]].abs()
}

// 002a:SK01, 002a:EX23: m = tanh(βm) for half the squared distance and for the distance itself,
// m = tanh(2βm) for the squared distance.
#[test]
fn two_points_obey_the_equation_of_the_magnet() {
    let solution = |slope: f64| (0..500).fold(1.0_f64, |m, _| (slope * m).tanh());
    assert!((solution(2.0) - 0.957504).abs() < 1e-6);
    for (distance, factor) in [
        (SoftDistance::HalfSquared, 1.0),
        (SoftDistance::Squared, 2.0),
        (SoftDistance::Euclidean, 1.0),
    ] {
        for beta in [1.5, 2.0, 3.0] {
            let found = right_center(beta, distance);
            let expected = solution(factor * beta);
            assert!(
                (found - expected).abs() < 1e-6,
                "{distance:?} {beta}: {found} {expected}"
            );
        }
    }
    // Below the transition the centres meet.
    assert!(right_center(0.9, SoftDistance::HalfSquared) < 1e-6);
    assert!(right_center(0.45, SoftDistance::Squared) < 1e-6);
}

// 002a:EX23: on any data the centres part when β times the greatest variance exceeds one.
#[test]
fn clusters_part_at_the_critical_stiffness() {
    let x = random_matrix(300, 2, 3) * array![[2.0, 0.5]];
    let fit = |stiffness| {
        let parameters = SoftKMeans {
            n_clusters: 2,
            stiffness,
            tol: 1e-12,
            max_iter: 20_000,
            ..SoftKMeans::default()
        };
        parameters.fit(Samples::from(&x)).unwrap()
    };
    let critical = fit(1.0).critical_stiffness().unwrap();
    let apart = |model: SoftClusters| {
        let centers = model.cluster_centers();
        let difference = &centers.row(0) - &centers.row(1);
        difference.dot(&difference).sqrt()
    };
    assert!(apart(fit(0.9 * critical)) < 1e-4);
    assert!(apart(fit(1.1 * critical)) > 0.5);
}

// 002a:SK01: β → ∞ gives k-means.
#[test]
fn a_very_stiff_soft_k_means_is_k_means() {
    let iris = didact_datasets::iris();
    let start = vec![
        vec![5.0, 3.4, 1.5, 0.2],
        vec![6.0, 2.7, 4.3, 1.3],
        vec![6.6, 3.0, 5.6, 2.0],
    ];
    let hard = KMeans {
        n_clusters: 3,
        init_centers: Some(start.clone()),
        tol: 0.0,
        ..KMeans::default()
    };
    let soft = SoftKMeans {
        n_clusters: 3,
        init_centers: Some(start),
        stiffness: 1e4,
        tol: 0.0,
        ..SoftKMeans::default()
    };
    let (hard, soft) = (
        hard.fit(iris.samples()).unwrap(),
        soft.fit(iris.samples()).unwrap(),
    );
    assert_close(
        &soft.cluster_centers().to_owned(),
        &hard.cluster_centers().to_owned(),
        1e-9,
    );
    // The objective is half the inertia then.
    assert!((2.0 * soft.objective() - hard.inertia()).abs() < 1e-2);
}

// 002a:EX08, 002a:FIG40: the shares harden as β grows.
#[test]
fn the_entropy_of_the_shares_falls_with_the_stiffness() {
    let iris = didact_datasets::iris();
    let entropy = |stiffness| {
        let parameters = SoftKMeans {
            stiffness,
            ..SoftKMeans::default()
        };
        parameters.fit(iris.samples()).unwrap().entropy()
    };
    let entropies = [0.1, 1.0, 10.0, 100.0].map(entropy);
    assert!(
        entropies.windows(2).all(|pair| pair[0] > pair[1]),
        "{entropies:?}"
    );
    assert!((entropies[0] - 3.0_f64.ln()).abs() < 1e-3);
}

/// Three groups on a line, 0, 4 and 8, twenty rows each.
fn three_groups() -> Array2<f64> {
    let noise = random_matrix(60, 1, 5);
    Array2::from_shape_fn((60, 1), |(row, _)| {
        (row % 3) as f64 * 4.0 + 0.3 * noise[[row, 0]]
    })
}

// 002a:FIG37, 002a:FIG41: from the same bad start k-means stays stuck and soft k-means does not.
#[test]
fn a_soft_start_escapes_where_a_hard_one_is_stuck() {
    let x = three_groups();
    let start = vec![vec![-0.2], vec![0.2], vec![6.0]];
    let hard = KMeans {
        n_clusters: 3,
        init_centers: Some(start.clone()),
        ..KMeans::default()
    };
    let soft = SoftKMeans {
        n_clusters: 3,
        init_centers: Some(start),
        stiffness: 0.5,
        max_iter: 3000,
        ..SoftKMeans::default()
    };
    let hard = hard.fit(Samples::from(&x)).unwrap();
    let soft = soft.fit(Samples::from(&x)).unwrap();
    assert!(hard.inertia() > 100.0);
    let predicted = soft.predict(&x).unwrap();
    assert!((0..60).all(|row| predicted[row] == predicted[row % 3]));
    assert_ne!(predicted[0], predicted[1]);
    assert_ne!(predicted[1], predicted[2]);
}

// 002a:CL04: harmonic means find the groups from the same bad start.
#[test]
fn harmonic_means_do_not_mind_a_bad_start() {
    let x = three_groups();
    let parameters = KHarmonicMeans {
        init_centers: Some(vec![vec![-0.2], vec![0.2], vec![6.0]]),
        ..KHarmonicMeans::default()
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    let predicted = model.predict(&x).unwrap();
    assert!((0..60).all(|row| predicted[row] == predicted[row % 3]));
    assert_ne!(predicted[1], predicted[2]);
    // By the definition: Σ k/Σ‖x − μ‖^(−p).
    let centers = model.cluster_centers();
    let of_row = |value: f64| {
        let sum: f64 = centers
            .iter()
            .map(|center| (value - center).abs().powf(-3.5))
            .sum();
        3.0 / sum
    };
    let expected: f64 = x.iter().map(|&value| of_row(value)).sum();
    assert!((model.objective() - expected).abs() < 1e-9 * expected);
}

#[test]
fn fuzzy_memberships_are_those_of_the_formula() {
    let x = array![[0.0], [1.0], [4.0], [5.0]];
    let parameters = FuzzyCMeans {
        n_clusters: 2,
        tol: 1e-12,
        max_iter: 1000,
        ..FuzzyCMeans::default()
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    assert_eq!(model.trace().stop, StopReason::Converged);
    let u = model.predict_proba(&x).unwrap();
    let centers = model.cluster_centers();
    for row in 0..4 {
        let squared = |k: usize| (x[[row, 0]] - centers[[k, 0]]).powi(2);
        let expected = squared(1) / (squared(0) + squared(1));
        assert!((u[[row, 0]] - expected).abs() < 1e-12);
    }
    // A fixed point: each centre is the mean of the rows weighted by u².
    for k in 0..2 {
        let weight: f64 = (0..4).map(|row| u[[row, k]].powi(2)).sum();
        let mean = (0..4)
            .map(|row| u[[row, k]].powi(2) * x[[row, 0]])
            .sum::<f64>()
            / weight;
        assert!((mean - centers[[k, 0]]).abs() < 1e-9);
    }
}

#[test]
fn a_weight_of_two_counts_like_two_rows() {
    let x = array![[0.0], [1.0], [4.0], [5.0]];
    let twice = array![[0.0], [1.0], [4.0], [5.0], [5.0]];
    let start = Some(vec![vec![0.0], vec![5.0]]);
    let parameters = FuzzyCMeans {
        n_clusters: 2,
        init_centers: start,
        ..FuzzyCMeans::default()
    };
    let weighted = Samples::from(&x).weighted(&[1.0, 1.0, 1.0, 2.0]).unwrap();
    let weighted = parameters
        .fit(weighted)
        .unwrap()
        .cluster_centers()
        .to_owned();
    let repeated = parameters.fit(Samples::from(&twice)).unwrap();
    assert_close(&weighted, &repeated.cluster_centers().to_owned(), 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    // 001:CLU-05: soft rows sum to one and their greatest share is the hard label.
    #[test]
    fn objectives_never_rise_and_shares_sum_to_one(n in 5usize..60, d in 1usize..4, seed: u64) {
        let x = random_matrix(n, d, seed);
        let models = [
            SoftKMeans { stiffness: 3.0, ..SoftKMeans::default() }.fit(Samples::from(&x)).unwrap(),
            FuzzyCMeans { m: 1.7, ..FuzzyCMeans::default() }.fit(Samples::from(&x)).unwrap(),
            KHarmonicMeans::default().fit(Samples::from(&x)).unwrap(),
        ];
        for model in models {
            let objectives = &model.trace().objectives;
            prop_assert!(objectives.windows(2).all(|pair| pair[1] <= pair[0] + 1e-10 * pair[0].abs()), "{:?}", objectives);
            let shares = model.predict_proba(&x).unwrap();
            for (row, &label) in shares.rows().into_iter().zip(model.labels()) {
                prop_assert!((row.sum() - 1.0).abs() < 1e-12);
                prop_assert!(row.iter().all(|&share| share <= row[label]));
            }
        }
    }
}
