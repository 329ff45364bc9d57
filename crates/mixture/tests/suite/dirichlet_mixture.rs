//! The Dirichlet process mixture: exactness on few rows, and clusters in many.

use didact_core::random::generator;
use didact_core::{Assign, Fit, LogDensity, Probabilities, Run, Sample, Samples};
use didact_mixture::{ChineseRestaurant, ClusterPredictive, DirichletProcessMixture};
use didact_probability::conjugate::NormalInverseWishart;
use ndarray::{Array2, ArrayView1, Axis, array};
use rand_distr::{Distribution, StandardNormal};

/// All partitions of n rows, labels in order of first appearance.
fn partitions(n: usize) -> Vec<Vec<usize>> {
    let mut list = vec![vec![0]];
    for _ in 1..n {
        list = list
            .into_iter()
            .flat_map(|labels| {
                let next = labels.iter().max().unwrap() + 1;
                (0..=next).map(move |label| [labels.clone(), vec![label]].concat())
            })
            .collect();
    }
    list
}

/// ln N(x; …) of a Student t in any dimension, by the textbook formula with an explicit inverse.
fn log_student(x: ArrayView1<'_, f64>, belief: &NormalInverseWishart) -> f64 {
    use didact_probability::special::log_gamma;
    let d = x.len() as f64;
    let degrees = belief.freedom() - d + 1.0;
    let width = (belief.pseudo_count() + 1.0) / (belief.pseudo_count() * degrees);
    let scale = belief.scale() * width;
    let factor = didact_math::linalg::Cholesky::new(scale.view()).unwrap();
    let shift = &x - belief.mean();
    let square = shift.dot(&factor.solve_vector(shift.view()));
    log_gamma(0.5 * (degrees + d))
        - log_gamma(0.5 * degrees)
        - 0.5 * (d * (degrees * std::f64::consts::PI).ln() + factor.log_determinant())
        - 0.5 * (degrees + d) * (1.0 + square / degrees).ln()
}

// 000a:UNS-26, UNS-27, UNS-28, UNS-29: for four rows all 15 partitions can be weighed, with the
// evidence of each block as the product of its sequential Student t predictives.
#[test]
fn visits_are_as_frequent_as_partitions_are_probable() {
    let x = array![[0.0, 0.2], [0.4, -0.1], [3.0, 2.5], [1.6, 1.0]];
    let (alpha, kappa, freedom, share) = (0.8, 0.3, 5.0, 0.4);
    let mean = x.mean_axis(Axis(0)).unwrap();
    let centred = &x - &mean;
    let scale = centred.t().dot(&centred) / 4.0 * (share * (freedom - 3.0));
    let restaurant = ChineseRestaurant::new(alpha).unwrap();
    let log_weight = |labels: &[usize]| {
        let blocks = labels.iter().max().unwrap() + 1;
        let mut sizes = vec![0; blocks];
        let mut total = 0.0;
        for block in 0..blocks {
            let mut belief =
                NormalInverseWishart::new(mean.clone(), kappa, scale.clone(), freedom).unwrap();
            for row in (0..4).filter(|&row| labels[row] == block) {
                total += log_student(x.row(row), &belief);
                belief.observe(x.row(row)).unwrap();
                sizes[block] += 1;
            }
        }
        total + restaurant.log_probability(&sizes).unwrap()
    };
    let all = partitions(4);
    assert_eq!(all.len(), 15);
    let logs: Vec<f64> = all.iter().map(|labels| log_weight(labels)).collect();
    let total = didact_math::numeric::log_sum_exp(&logs);
    let sweeps = 60_000;
    let algorithm = DirichletProcessMixture {
        weight_concentration_prior: alpha,
        resample_concentration: false,
        mean_precision_prior: kappa,
        degrees_of_freedom_prior: Some(freedom),
        covariance_share: share,
        max_iter: sweeps + 100,
        burn_in: 100,
        ..DirichletProcessMixture::default()
    };
    let visits = algorithm
        .partition_frequencies(&Samples::from(&x), &Run::new())
        .unwrap();
    for (labels, log) in all.iter().zip(&logs) {
        let expected = (log - total).exp();
        let found = *visits.get(labels).unwrap_or(&0) as f64 / sweeps as f64;
        // Sweeps are correlated: twice the standard error of independent draws, five times.
        let error = 2.0 * (expected * (1.0 - expected) / sweeps as f64).sqrt();
        assert!(
            (found - expected).abs() < 5.0 * error,
            "{labels:?}: {found} {expected}"
        );
    }
    // The score of the most probable partition is its weight.
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let model = algorithm.fit(Samples::from(&x)).unwrap();
    let best = model.labels().to_vec();
    assert!((log_weight(&best) - most).abs() < 1e-9);
}

fn blobs(each: usize) -> (Array2<f64>, Vec<usize>) {
    let mut random = generator(2, 0);
    let centres = [[0.0, 0.0], [8.0, 0.0], [0.0, 9.0]];
    let groups: Vec<usize> = (0..3 * each).map(|row| row % 3).collect();
    let x = Array2::from_shape_fn((3 * each, 2), |(row, column)| {
        let noise: f64 = StandardNormal.sample(&mut random);
        centres[groups[row]][column] + noise
    });
    (x, groups)
}

// 000a:UNS-29, UNS-30: three groups are found without being told, K and pairs are reported.
#[test]
fn three_groups_are_found_without_being_told() {
    let (x, groups) = blobs(40);
    for predictive in [ClusterPredictive::StudentT, ClusterPredictive::Gaussian] {
        let algorithm = DirichletProcessMixture {
            predictive,
            co_clustering: true,
            ..DirichletProcessMixture::default()
        };
        let model = algorithm.fit(Samples::from(&x)).unwrap();
        assert_eq!(model.n_components(), 3, "{predictive:?}");
        let found = model.predict(&x).unwrap();
        for (row, group) in groups.iter().enumerate() {
            assert_eq!(found[row], found[*group]);
        }
        let together = model.co_clustering().unwrap();
        assert!(together[[0, 3]] > 0.9 && together[[0, 1]] < 0.05);
        assert!((together[[5, 5]] - 1.0).abs() < 1e-12);
        assert_eq!(model.n_components_trace().len(), 60);
        assert!(model.concentration_trace().iter().all(|alpha| *alpha > 0.0));
        // The mode Λ̂/(ν̂ + d + 2) of 40 rows is a little less than their covariance.
        for cluster in 0..3 {
            let variance = model.covariance(cluster)[[0, 0]];
            assert!((0.4..1.8).contains(&variance), "{variance}");
        }
    }
}

#[test]
fn hardly_any_concentration_keeps_one_cluster() {
    let (x, _) = blobs(10);
    let algorithm = DirichletProcessMixture {
        weight_concentration_prior: 1e-300,
        resample_concentration: false,
        ..DirichletProcessMixture::default()
    };
    assert_eq!(algorithm.fit(Samples::from(&x)).unwrap().n_components(), 1);
}

#[test]
fn the_predictive_law_is_one_that_can_be_drawn_from() {
    let (x, _) = blobs(30);
    let model = DirichletProcessMixture::default()
        .fit(Samples::from(&x))
        .unwrap();
    let drawn = model.sample(4000, 1).unwrap();
    let p = model.predict_proba(&x).unwrap();
    assert!(
        p.rows()
            .into_iter()
            .all(|row| (row.sum() - 1.0).abs() < 1e-12)
    );
    // Over a grid the density adds up to one, up to the tails of the Student t.
    let step = 0.25;
    let side = 240;
    let grid = Array2::from_shape_fn((side * side, 2), |(place, axis)| {
        let index = if axis == 0 {
            place / side
        } else {
            place % side
        };
        (index as f64 - 110.0) * step
    });
    let total: f64 = model
        .score_samples(&grid)
        .unwrap()
        .iter()
        .map(|log| log.exp())
        .sum();
    assert!(
        (total * step * step - 1.0).abs() < 0.01,
        "{}",
        total * step * step
    );
    let mean = drawn.rows.mean_axis(Axis(0)).unwrap();
    let expected = x.mean_axis(Axis(0)).unwrap();
    assert!(
        (&mean - &expected).iter().all(|gap| gap.abs() < 0.5),
        "{mean} {expected}"
    );
    let low = DirichletProcessMixture {
        degrees_of_freedom_prior: Some(3.0),
        ..DirichletProcessMixture::default()
    };
    let message = low.fit(Samples::from(&x)).unwrap_err().to_string();
    assert!(
        message.starts_with("degrees_of_freedom_prior is 3"),
        "{message}"
    );
}
