//! What the Gaussian mixture promises, on hand-computed examples, oracles and awkward rows.

use didact_cluster::KMeans;
use didact_core::learner::learn_in_pieces;
use didact_core::model::decode_model;
use didact_core::{
    AnyModel, Assign, Cancel, Data, DataKind, Error, Fit, LogDensity, Model, Probabilities, Run,
    Sample, Samples, Shape, StopReason, encoding,
};
use didact_datasets as datasets;
use didact_mixture::{
    CovarianceType, Covariances, GaussianMixture, GaussianMixtureModel, MixtureInit,
    PrecisionsInit, catalogue,
};
use ndarray::{Array2, ArrayView2, Axis, array, concatenate, s};
use proptest::prelude::*;

const TYPES: [CovarianceType; 4] = [
    CovarianceType::Full,
    CovarianceType::Tied,
    CovarianceType::Diag,
    CovarianceType::Spherical,
];

fn components(n_components: usize, covariance_type: CovarianceType) -> GaussianMixture {
    GaussianMixture {
        n_components,
        covariance_type,
        ..GaussianMixture::default()
    }
}

/// A start in one dimension with all parameters given, without the floor.
fn line(means: &[f64], variance: f64, max_iter: usize) -> GaussianMixture {
    GaussianMixture {
        means_init: Some(means.iter().map(|&mean| vec![mean]).collect()),
        precisions_init: Some(PrecisionsInit::Spherical(vec![
            variance.recip();
            means.len()
        ])),
        reg_covar: 0.0,
        tol: 0.0,
        max_iter,
        ..components(means.len(), CovarianceType::Spherical)
    }
}

fn variances(model: &GaussianMixtureModel) -> Vec<f64> {
    match model.covariances() {
        Covariances::Spherical(variances) => variances.clone(),
        other => panic!("{other:?} is not spherical"),
    }
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance * expected.abs().max(1.0),
        "{found} is not {expected}"
    );
}

fn assert_all_close<'a>(
    found: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert_close(*found, *expected, tolerance);
    }
}

/// Three overlapping clouds, without a random generator.
fn clouds(n: usize, d: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(row, column)| {
        let noise =
            |shift: usize| ((row * 31 + column * 131 + row * column + shift) as f64 * 78.233).sin();
        (row % 3) as f64 * 2.5 + noise(0) + noise(7) + noise(1009)
    })
}

#[test]
fn four_points_follow_the_computed_path() {
    // 000a:fx-D11, 000a:UNS-07, 001:EM-04, 001:EM-05
    let x = array![[0.0], [1.0], [4.0], [5.0]];
    let start = GaussianMixtureModel::new(
        vec![0.5, 0.5],
        array![[0.0], [4.0]],
        Covariances::Spherical(vec![1.0, 1.0]),
    );
    let responsibilities = start.unwrap().predict_proba(&x).unwrap();
    let expected = [0.9996646499, 0.98201379, 0.0003353501, 6.144175e-6];
    assert_all_close(responsibilities.column(0), &expected, 1e-9);
    let path = line(&[0.0, 4.0], 1.0, 2).fit(Samples::from(&x)).unwrap();
    let likelihoods: Vec<f64> = path
        .trace()
        .unwrap()
        .objectives
        .iter()
        .map(|mean| mean * 4.0)
        .collect();
    assert_all_close(&likelihoods, &[-7.42951597, -5.73729807, -5.67575413], 1e-8);
    let once = line(&[0.0, 4.0], 1.0, 1).fit(Samples::from(&x)).unwrap();
    assert_all_close(once.means(), &[0.496153391, 4.468138334], 1e-9);
    assert_all_close(&variances(&once), &[0.2520775564, 0.3592641803], 1e-9);
    assert_close(once.weights()[0], 0.4955049836, 1e-9);
}

#[test]
fn the_symmetric_pair_of_pairs_and_its_bic() {
    // 001:T-16, 001:EM-02, 001:EM-06: σ² = 6.5 is the variance of the sample.
    let x = array![[-1.0], [0.0], [4.0], [5.0]];
    let start = GaussianMixtureModel::new(
        vec![0.5, 0.5],
        array![[-0.5], [4.5]],
        Covariances::Spherical(vec![6.5, 6.5]),
    );
    let first = start.unwrap().predict_proba(&x).unwrap();
    assert_all_close(
        first.column(0),
        &[0.9095121, 0.8232410, 0.1767590, 0.0904879],
        1e-7,
    );
    // The variance of all rows is the default start.
    let parameters = GaussianMixture {
        precisions_init: None,
        ..line(&[-0.5, 4.5], 1.0, 3)
    };
    let path = parameters.fit(Samples::from(&x)).unwrap();
    let likelihoods: Vec<f64> = path
        .trace()
        .unwrap()
        .objectives
        .iter()
        .map(|mean| mean * 4.0)
        .collect();
    assert_all_close(
        &likelihoods,
        &[-9.6901637, -8.8630065, -7.4170236, -5.6769623],
        1e-7,
    );
    let once = line(&[-0.5, 4.5], 6.5, 1).fit(Samples::from(&x)).unwrap();
    assert_all_close(once.means(), &[0.1249817, 3.8750183], 1e-7);
    assert_all_close(&variances(&once), &[2.9843065, 2.9843065], 1e-7);
    let limit = line(&[-0.5, 4.5], 6.5, 1000)
        .fit(Samples::from(&x))
        .unwrap();
    assert_all_close(limit.means(), &[-0.5, 4.5], 1e-6);
    assert_all_close(&variances(&limit), &[0.25, 0.25], 1e-6);
    assert_close(limit.bic_score(&x).unwrap(), -9.1414900, 1e-7);
    let single = line(&[0.0], 1.0, 5).fit(Samples::from(&x)).unwrap();
    assert_close(single.score_samples(&x).unwrap().sum(), -9.4193585, 1e-7);
    assert_close(single.bic_score(&x).unwrap(), -10.8056528, 1e-7);
}

#[test]
fn fifteen_heights_reach_the_computed_limit() {
    // 003:P85, 003:P87 and the numbers of 003, section 3.
    let values = [
        -67.0, -48.0, 6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, 49.0, 56.0, 60.0, 75.0,
    ];
    let x = Array2::from_shape_vec((15, 1), values.to_vec()).unwrap();
    let once = line(&[30.0, -30.0], 500.0, 1)
        .fit(Samples::from(&x))
        .unwrap();
    let likelihoods: Vec<f64> = once
        .trace()
        .unwrap()
        .objectives
        .iter()
        .map(|mean| mean * 15.0)
        .collect();
    assert_all_close(&likelihoods, &[-76.944285, -72.789391], 1e-8);
    assert_close(once.weights()[0], 0.7950664, 1e-7);
    assert_all_close(once.means(), &[34.8311896, -32.9851983], 1e-8);
    assert_all_close(&variances(&once), &[421.96119, 1194.64577], 1e-8);
    let limit = line(&[30.0, -30.0], 500.0, 3000)
        .fit(Samples::from(&x))
        .unwrap();
    assert_close(limit.lower_bound().unwrap() * 15.0, -71.0633619, 1e-9);
    assert_all_close(limit.weights(), &[0.8668277, 0.1331723], 1e-6);
    assert_all_close(limit.means(), &[32.9848873, -57.5110769], 1e-7);
    assert_all_close(&variances(&limit), &[429.4583, 90.2499], 1e-6);
}

#[test]
fn one_component_is_mean_and_covariance_after_one_step() {
    // 002a:GM02, 004:M39 (S=1), 001:EM-05, 003:P85 (K=1), 002a:MG02: no extra N in the variance.
    // Four columns go through plain loops, thirty through matrix products.
    for data in [datasets::iris(), datasets::breast_cancer()] {
        one_step_is_the_moments(data.features());
    }
}

fn one_step_is_the_moments(x: ArrayView2<'_, f64>) {
    let n = x.nrows() as f64;
    let mean = x.mean_axis(Axis(0)).unwrap();
    let centred = &x - &mean;
    let covariance = centred.t().dot(&centred) / n;
    for covariance_type in TYPES {
        let parameters = GaussianMixture {
            reg_covar: 0.0,
            max_iter: 1,
            means_init: Some(vec![x.row(3).to_vec()]),
            ..components(1, covariance_type)
        };
        let model = parameters.fit(Samples::from(x)).unwrap();
        assert_all_close(model.means(), &mean, 1e-12);
        match model.covariances() {
            Covariances::Full(matrices) => assert_all_close(&matrices[0], &covariance, 1e-12),
            Covariances::Tied(matrix) => assert_all_close(matrix, &covariance, 1e-12),
            Covariances::Diag(variances) => assert_all_close(variances, covariance.diag(), 1e-12),
            Covariances::Spherical(variances) => {
                assert_close(variances[0], covariance.diag().mean().unwrap(), 1e-12);
            }
        }
    }
}

#[test]
fn fixed_points_agree_with_scikit_learn() {
    // GaussianMixture(3, covariance_type, reg_covar=0, tol=1e-13, max_iter=5000,
    //   means_init=X[[0, 50, 100]], weights_init=thirds, precisions_init of the column variances)
    //   on iris: score·150, weights_, means_[1], bic, aic. 002a:GM01, 002a:MG01, 002a:MG02, 001:EM-01
    type Row = (CovarianceType, f64, [f64; 3], [f64; 4], f64, f64);
    let expected: [Row; 4] = [
        (
            CovarianceType::Full,
            -186.5694597982775,
            [0.33328802422755444, 0.43736930427303067, 0.229342671499415],
            [
                6.197855254461956,
                2.808524666801879,
                4.676161301361102,
                1.449080689247751,
            ],
            593.6068725367902,
            461.138919596555,
        ),
        (
            CovarianceType::Tied,
            -263.4739024287304,
            [0.3333328591197629, 0.43899393629731587, 0.22767320458292128],
            [
                6.163779435614672,
                2.8100697853359717,
                4.639892156066609,
                1.4398090191447486,
            ],
            647.203051915771,
            574.9478048574608,
        ),
        (
            CovarianceType::Diag,
            -307.17757159797986,
            [0.33333333330863923, 0.4139921481355704, 0.25267451855579043],
            [
                5.927756728869734,
                2.7503950243357225,
                4.406370497104339,
                1.4135413095600171,
            ],
            744.6316608424623,
            666.3551431959597,
        ),
        (
            CovarianceType::Spherical,
            -384.3140950608312,
            [0.33333333388359804, 0.4139397542664774, 0.25272691184992474],
            [
                5.905212875900727,
                2.7488675432981964,
                4.402605818359902,
                1.4326235041733726,
            ],
            853.8089901212988,
            802.6281901216624,
        ),
    ];
    let iris = datasets::iris();
    let x = iris.features();
    for (covariance_type, likelihood, weights, mean, bic, aic) in expected {
        let parameters = GaussianMixture {
            means_init: Some(
                [0, 50, 100]
                    .iter()
                    .map(|&row| x.row(row).to_vec())
                    .collect(),
            ),
            // Given too, as there: from means alone the better of two starts is taken.
            weights_init: Some(vec![1.0 / 3.0; 3]),
            reg_covar: 0.0,
            tol: 1e-13,
            max_iter: 5000,
            ..components(3, covariance_type)
        };
        let model = parameters.fit(iris.samples()).unwrap();
        assert_close(model.score_samples(x).unwrap().sum(), likelihood, 1e-9);
        assert_close(model.lower_bound().unwrap() * 150.0, likelihood, 1e-9);
        assert_all_close(model.weights(), &weights, 1e-6);
        assert_all_close(model.means().row(1), &mean, 1e-6);
        assert_close(model.bic(x).unwrap(), bic, 1e-9);
        assert_close(model.aic(x).unwrap(), aic, 1e-9);
    }
}

#[test]
fn densities_and_posteriors_agree_with_scipy() {
    // 004:M37, 004:M38, 000a:UNS-06: log Σ wₖ multivariate_normal(X[rows[k]], A).pdf, and the
    // posteriors of rows 75 and 149, by scipy.stats and scipy.special.logsumexp.
    let iris = datasets::iris();
    let x = iris.features();
    let a = array![
        [1.0, 0.2, 0.3, 0.1],
        [0.2, 0.8, 0.1, 0.05],
        [0.3, 0.1, 1.5, 0.4],
        [0.1, 0.05, 0.4, 0.6]
    ];
    let means = x.select(Axis(0), &[0, 60, 120]);
    for covariances in [
        Covariances::Tied(a.clone()),
        Covariances::Full(vec![a.clone(); 3]),
    ] {
        let model =
            GaussianMixtureModel::new(vec![0.2, 0.5, 0.3], means.clone(), covariances).unwrap();
        let densities = model.score_samples(x).unwrap();
        assert_close(densities.sum(), -715.0206600731462, 1e-12);
        assert_close(densities[0], -4.872937882097012, 1e-12);
        assert_close(densities[149], -4.6819355810917225, 1e-12);
        let posteriors = model.predict_proba(x).unwrap();
        let expected = [0.014834331447733964, 0.4288467750483698, 0.5563188935038961];
        assert_all_close(posteriors.row(75), &expected, 1e-12);
        for row in posteriors.rows() {
            assert!((row.sum() - 1.0).abs() < 1e-15);
        }
    }
}

#[test]
fn the_density_integrates_to_one() {
    // 000a:UNS-06, 004:M37: midpoint rule on [−20, 30] with steps of 0.01.
    let model = GaussianMixtureModel::new(
        vec![0.3, 0.7],
        array![[0.0], [8.0]],
        Covariances::Spherical(vec![1.0, 4.0]),
    );
    let grid = Array2::from_shape_fn((5000, 1), |(step, _)| -20.0 + 0.01 * (step as f64 + 0.5));
    let mass = model
        .unwrap()
        .score_samples(&grid)
        .unwrap()
        .mapv(f64::exp)
        .sum()
        * 0.01;
    assert!((mass - 1.0).abs() < 1e-12);
}

#[test]
fn draws_have_the_shares_and_moments_of_the_components() {
    // 000a:UNS-06, 001:EM-11, 004:M36, 003:P85
    let covariance = array![[2.0, 0.8], [0.8, 1.0]];
    let model = GaussianMixtureModel::new(
        vec![1.0, 3.0],
        array![[0.0, 0.0], [10.0, -5.0]],
        Covariances::Full(vec![Array2::eye(2), covariance.clone()]),
    )
    .unwrap();
    let n = 20_000;
    let drawn = model.sample(n, 5).unwrap();
    assert_eq!(drawn, model.sample(n, 5).unwrap());
    assert_ne!(drawn, model.sample(n, 6).unwrap());
    let second: Vec<usize> = (0..n).filter(|&row| drawn.labels[row] == 1).collect();
    // Standard error of the share: √(¾·¼/n).
    let share = second.len() as f64 / n as f64;
    assert!((share - 0.75).abs() < 4.0 * (0.75 * 0.25 / n as f64).sqrt());
    let rows = drawn.rows.select(Axis(0), &second);
    let mean = rows.mean_axis(Axis(0)).unwrap();
    let m = second.len() as f64;
    assert!((mean[0] - 10.0).abs() < 4.0 * (2.0 / m).sqrt());
    assert!((mean[1] + 5.0).abs() < 4.0 * (1.0 / m).sqrt());
    let centred = &rows - &mean;
    let found = centred.t().dot(&centred) / m;
    // Variance of a sample covariance: (σᵢᵢσⱼⱼ + σᵢⱼ²)/m.
    for ((i, j), value) in found.indexed_iter() {
        let spread = (covariance[[i, i]] * covariance[[j, j]] + covariance[[i, j]].powi(2)) / m;
        assert!((value - covariance[[i, j]]).abs() < 4.0 * spread.sqrt());
    }
}

#[test]
fn a_vanishing_variance_makes_it_k_means() {
    // 002a:KM06, 001:EM-07, 004:M40, 000a:UNS-07: equal weights and σ² → 0 give responsibilities
    // of zero and one, and the next means are those of a step of Lloyd.
    let iris = datasets::iris();
    let x = iris.features();
    let start = x.select(Axis(0), &[0, 51, 140]);
    let limit = GaussianMixtureModel::new(
        vec![1.0; 3],
        start.clone(),
        Covariances::Spherical(vec![1e-8; 3]),
    )
    .unwrap();
    let lists: Vec<Vec<f64>> = start.rows().into_iter().map(|row| row.to_vec()).collect();
    let step = KMeans {
        n_clusters: 3,
        init_centers: Some(lists.clone()),
        max_iter: 1,
        ..KMeans::default()
    };
    let step = step.fit(iris.samples()).unwrap();
    let hard = limit.predict_proba(x).unwrap();
    assert!(hard.iter().all(|&share| share == 0.0 || share == 1.0));
    let mixture = GaussianMixture {
        means_init: Some(lists),
        precisions_init: Some(PrecisionsInit::Spherical(vec![1e8; 3])),
        fixed_weights: true,
        max_iter: 1,
        ..components(3, CovarianceType::Spherical)
    };
    let mixture = mixture.fit(iris.samples()).unwrap();
    assert_all_close(mixture.means(), step.cluster_centers(), 1e-12);
    // At the fixed point of k-means both give the same labels.
    let clusters = KMeans {
        n_clusters: 3,
        tol: 0.0,
        ..KMeans::default()
    }
    .fit(iris.samples())
    .unwrap();
    let limit = GaussianMixtureModel::new(
        vec![1.0; 3],
        clusters.cluster_centers().to_owned(),
        Covariances::Spherical(vec![1e-8; 3]),
    );
    assert_eq!(
        limit.unwrap().predict(x).unwrap(),
        clusters.predict(x).unwrap()
    );
}

#[test]
fn fixed_weights_stay_where_they_start() {
    // 002a:GM03
    let x = clouds(90, 2);
    let equal = GaussianMixture {
        fixed_weights: true,
        ..components(3, CovarianceType::Full)
    };
    let model = equal.fit(Samples::from(&x)).unwrap();
    assert_eq!(model.weights(), [1.0 / 3.0; 3]);
    let given = GaussianMixture {
        weights_init: Some(vec![2.0, 1.0, 1.0]),
        ..equal
    };
    assert_eq!(
        given.fit(Samples::from(&x)).unwrap().weights(),
        [0.5, 0.25, 0.25]
    );
    // Weights that cannot move are not free parameters: 3·2 means and 3·3 covariances.
    assert_eq!(model.n_parameters(), 15);
}

#[test]
fn richer_covariances_fit_better() {
    // 002a:GM05: full ≥ diag ≥ spherical and full ≥ tied at the optimum.
    let iris = datasets::iris();
    let bound = |covariance_type| {
        let parameters = GaussianMixture {
            n_init: 5,
            tol: 1e-8,
            max_iter: 1000,
            ..components(3, covariance_type)
        };
        parameters
            .fit(iris.samples())
            .unwrap()
            .lower_bound()
            .unwrap()
    };
    let [full, tied, diag, spherical] = TYPES.map(bound);
    assert!(full >= diag && diag >= spherical && full >= tied);
}

#[test]
fn starts_are_of_the_kind_asked_for() {
    // 001:EM-03, 002a:GM04, 000a:UNS-04: (a) equal weights and common variance by default, (b)
    // sizes of the clusters on request.
    let x = array![[0.0], [1.0], [2.0], [3.0], [50.0], [51.0]];
    let start = |init_params| {
        let parameters = GaussianMixture {
            init_params,
            reg_covar: 0.0,
            max_iter: 1,
            ..components(2, CovarianceType::Spherical)
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        model.trace().unwrap().objectives[0] * 6.0
    };
    let likelihood = |weights: [f64; 2], variances: [f64; 2]| {
        let covariances = Covariances::Spherical(variances.to_vec());
        let model = GaussianMixtureModel::new(weights.to_vec(), array![[1.5], [50.5]], covariances);
        model.unwrap().score_samples(&x).unwrap().sum()
    };
    let variance = x.var(0.0);
    assert_close(
        start(MixtureInit::KMeans),
        likelihood([0.5; 2], [variance; 2]),
        1e-12,
    );
    // Variances by hand: (2.25 + 0.25)·2/4 and ¼.
    let of_clusters = likelihood([4.0 / 6.0, 2.0 / 6.0], [1.25, 0.25]);
    assert_close(start(MixtureInit::KMeansClusters), of_clusters, 1e-12);
    for init_params in [
        MixtureInit::KMeans,
        MixtureInit::KMeansClusters,
        MixtureInit::Random,
    ] {
        let parameters = GaussianMixture {
            init_params,
            n_init: 5,
            ..components(2, CovarianceType::Full)
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        let labels = model.predict(&x).unwrap();
        assert!(labels[..4].iter().all(|label| *label == labels[0]) && labels[4] != labels[0]);
    }
}

#[test]
fn a_lone_point_explodes_without_the_floor_and_is_reported_with_it() {
    // 002a:MG04, 002a:EX20: {0, 10, 11, 12}, one component on the point 0 and one on the rest.
    let x = array![[0.0], [10.0], [11.0], [12.0]];
    let likelihood = |deviation: f64| {
        let covariances = Covariances::Spherical(vec![deviation * deviation, 2.0 / 3.0]);
        let model = GaussianMixtureModel::new(vec![0.25, 0.75], array![[0.0], [11.0]], covariances);
        model.unwrap().score_samples(&x).unwrap().sum()
    };
    for (deviation, expected) in [(1.0, -6.82), (0.1, -4.51), (0.01, -2.21), (0.001, 0.09)] {
        assert!((likelihood(deviation) - expected).abs() < 0.005);
    }
    let open = line(&[0.0, 11.0], 1.0, 100)
        .fit(Samples::from(&x))
        .unwrap_err();
    assert!(
        open.to_string().starts_with("component 0 has collapsed"),
        "{open}"
    );
    let guarded = GaussianMixture {
        reg_covar: 1e-6,
        ..line(&[0.0, 11.0], 1.0, 100)
    };
    let guarded = guarded.fit(Samples::from(&x)).unwrap();
    assert_eq!(guarded.collapsed(), [0]);
    assert!(guarded.lower_bound().unwrap() < 3.0);
}

#[test]
fn weights_count_like_copies_and_zero_like_nothing() {
    let x = clouds(60, 2);
    let start: Vec<Vec<f64>> = (0..3).map(|row| x.row(row).to_vec()).collect();
    for covariance_type in TYPES {
        let parameters = GaussianMixture {
            means_init: Some(start.clone()),
            max_iter: 20,
            ..components(3, covariance_type)
        };
        let twice = concatenate![Axis(0), x, x.slice(s![..20, ..])];
        let mut weights = vec![2.0; 20];
        weights.extend(vec![1.0; 40]);
        let copied = parameters.fit(Samples::from(&twice)).unwrap();
        let weighted = parameters
            .fit(Samples::from(&x).weighted(&weights).unwrap())
            .unwrap();
        assert_all_close(weighted.means(), copied.means(), 1e-9);
        let more = concatenate![Axis(0), x, array![[1e140, -1e140]]];
        weights.push(0.0);
        let absent = parameters
            .fit(Samples::from(&more).weighted(&weights).unwrap())
            .unwrap();
        assert_all_close(absent.means(), weighted.means(), 1e-12);
        assert_all_close(absent.weights(), weighted.weights(), 1e-12);
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let x = clouds(30_000, 3);
    let fit = |threads| {
        let parameters = GaussianMixture {
            max_iter: 5,
            ..components(3, CovarianceType::Full)
        };
        parameters
            .fit_with(Samples::from(&x), &Run::new().threads(threads))
            .unwrap()
    };
    let one = fit(1);
    assert_eq!(one, fit(2));
    assert_eq!(one, fit(4));
}

#[test]
fn rows_one_at_a_time_are_judged_like_all_together() {
    let wine = datasets::wine();
    for covariance_type in TYPES {
        let model = components(3, covariance_type).fit(wine.samples()).unwrap();
        let (densities, shares) = (
            model.score_samples(wine.samples()).unwrap(),
            model.predict_proba(wine.samples()).unwrap(),
        );
        for row in (0..178).step_by(11) {
            let single = wine.features().slice_move(s![row..row + 1, ..]);
            assert_eq!(model.score_samples(single).unwrap()[0], densities[row]);
            assert_eq!(model.predict_proba(single).unwrap().row(0), shares.row(row));
        }
    }
}

#[test]
fn huge_offsets_leave_the_shape_alone() {
    // Multiples of 2⁻¹⁰ stay exact at 1e8.
    let near = clouds(300, 2).mapv(|value| (value * 1024.0).round() / 1024.0);
    let far = &near + 1e8;
    let fit = |x: &Array2<f64>| {
        let parameters = GaussianMixture {
            means_init: Some((0..3).map(|row| x.row(row).to_vec()).collect()),
            max_iter: 30,
            tol: 0.0,
            ..components(3, CovarianceType::Full)
        };
        parameters.fit(Samples::from(x)).unwrap()
    };
    let (near, far) = (fit(&near), fit(&far));
    // Means near 1e8 are known to 1e-8 only.
    assert_close(
        far.lower_bound().unwrap(),
        near.lower_bound().unwrap(),
        1e-6,
    );
}

#[test]
fn awkward_rows_have_a_finite_model_or_a_clear_error() {
    for covariance_type in TYPES {
        for x in [
            array![[3.0, 4.0]],
            array![[5.0, 5.0], [5.0, 5.0], [5.0, 6.0]],
            array![[1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 0.0, -1.0]],
            array![[1e9, 2e9], [2e9, 4e9], [3e9, 6e9], [-1e9, -2e9]],
        ] {
            let k = x.nrows().min(2);
            let model = components(k, covariance_type)
                .fit(Samples::from(&x))
                .unwrap();
            assert!(model.means().iter().all(|value| value.is_finite()));
            assert!(
                model
                    .score_samples(&x)
                    .unwrap()
                    .iter()
                    .all(|value| value.is_finite())
            );
            let far = Array2::from_elem((1, x.ncols()), 1e200);
            assert!(model.score_samples(&far).unwrap()[0].is_finite());
            assert!((model.predict_proba(&far).unwrap().sum() - 1.0).abs() < 1e-12);
        }
        let enormous = array![[1e300], [-1e300], [0.0]];
        let error = components(2, covariance_type)
            .fit(Samples::from(&enormous))
            .unwrap_err();
        assert!(matches!(error, Error::Numerical(_)), "{error}");
    }
    let same = array![[1.0], [1.0], [2.0]];
    let error = components(3, CovarianceType::Full)
        .fit(Samples::from(&same))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "n_components is 3; there are only 2 distinct rows; ask for at most 2"
    );
}

#[test]
fn starts_of_the_wrong_shape_are_refused_by_name() {
    let x = clouds(20, 2);
    let complaint =
        |parameters: GaussianMixture| parameters.fit(Samples::from(&x)).unwrap_err().to_string();
    let base = components(2, CovarianceType::Diag);
    let means = GaussianMixture {
        means_init: Some(vec![vec![1.0, 2.0]]),
        ..base.clone()
    };
    assert_eq!(
        complaint(means),
        "means_init is a list of 1; give 2 means of 2 values, one for each column"
    );
    let weights = GaussianMixture {
        weights_init: Some(vec![1.0, -1.0]),
        ..base.clone()
    };
    assert!(complaint(weights).starts_with("weights_init is [1.0, -1.0]; give 2 weights"));
    let precisions = GaussianMixture {
        precisions_init: Some(PrecisionsInit::Spherical(vec![1.0])),
        ..base
    };
    assert!(complaint(precisions).ends_with("diagonal covariances need 2 rows of 2 numbers"));
}

#[test]
fn a_cancelled_fit_stops() {
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let run = Run::new()
        .cancelled_by(&cancel)
        .observed_by(move |progress| {
            if progress.iteration == 2 {
                switch.cancel()
            }
        });
    let parameters = GaussianMixture {
        tol: 0.0,
        ..components(3, CovarianceType::Full)
    };
    let stopped = parameters.fit_with(Samples::from(&clouds(2000, 3)), &run);
    assert!(matches!(stopped, Err(Error::Cancelled)));
}

#[test]
fn models_survive_a_file_and_damaged_ones_are_refused() {
    for covariance_type in TYPES {
        let model = components(2, covariance_type)
            .fit(datasets::iris().samples())
            .unwrap();
        let bytes = model.encode().unwrap();
        let loaded: GaussianMixtureModel = encoding::from_bytes(&bytes).unwrap();
        assert_eq!(loaded, model);
        assert!(loaded.validate().is_ok());
        assert!(decode_model::<GaussianMixtureModel>(&bytes[..bytes.len() - 1]).is_err());
        let mut value = serde_json::to_value(&model).unwrap();
        value["components"]["weights"] = serde_json::json!([1.0]);
        let damaged: GaussianMixtureModel = serde_json::from_value(value).unwrap();
        assert!(damaged.validate().is_err());
        let figures = model.figures();
        let Shape::Ellipsoids {
            centers,
            covariances,
        } = &figures[0].1
        else {
            panic!("a mixture draws ellipsoids");
        };
        assert_eq!((centers.dim(), covariances.len()), ((2, 4), 2));
        let factors = model.attributes();
        assert!(factors.iter().any(|(described, value)| {
            described.name == "precisions_cholesky" && value.as_array().is_some()
        }));
    }
}

#[test]
fn learning_in_pieces_gives_the_model_of_the_whole() {
    let x = clouds(9_000, 2);
    let entry = catalogue().remove(0);
    for covariance_type in TYPES {
        let parameters = GaussianMixture {
            n_init: 2,
            max_iter: 15,
            ..components(3, covariance_type)
        };
        let whole = parameters.fit(Samples::from(&x)).unwrap();
        let json = serde_json::to_value(&parameters).unwrap();
        let learner = entry.learner(json.as_object().unwrap()).unwrap();
        for edges in [vec![0, 9000], vec![0, 1, 4000, 9000]] {
            let samples = Samples::from(&x);
            let model = learn_in_pieces(
                learner.pieces(DataKind::Samples).unwrap(),
                |observe| {
                    edges.windows(2).try_for_each(|pair| {
                        observe(Data::Samples(samples.slice(pair[0]..pair[1])), pair[0])
                    })
                },
                &Run::new(),
            );
            let bytes = model.unwrap().encode().unwrap();
            let pieces: GaussianMixtureModel = encoding::from_bytes(&bytes).unwrap();
            assert_all_close(pieces.means(), whole.means(), 1e-9);
            assert_all_close(pieces.weights(), whole.weights(), 1e-9);
            assert_close(
                pieces.lower_bound().unwrap(),
                whole.lower_bound().unwrap(),
                1e-9,
            );
        }
    }
}

#[test]
fn a_poor_start_ends_lower() {
    // 002a:FIG48, 001:EM-06: all means in one corner find a lower optimum than k-means does.
    let mut x = clouds(300, 2);
    for (row, mut values) in x.rows_mut().into_iter().enumerate() {
        values += 8.0 * (row % 3) as f64;
    }
    let poor = GaussianMixture {
        means_init: Some(vec![vec![0.0, 0.0], vec![0.1, 0.0], vec![60.0, 60.0]]),
        ..components(3, CovarianceType::Spherical)
    };
    let poor = poor.fit(Samples::from(&x)).unwrap();
    let good = components(3, CovarianceType::Spherical)
        .fit(Samples::from(&x))
        .unwrap();
    let (good_bound, poor_bound) = (good.lower_bound().unwrap(), poor.lower_bound().unwrap());
    assert!(good_bound > poor_bound + 0.1, "{good_bound} {poor_bound}");
    assert_eq!(good.trace().unwrap().stop, StopReason::Converged);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // 000a:UNS-07, 001:EM-06, 002a:GM02: exactly so without the floor.
    #[test]
    fn the_likelihood_never_falls(
        n in 12usize..60, d in 1usize..4, k in 1usize..4, seed: u64, kind in 0usize..4, fixed: bool,
    ) {
        let mut generator = didact_core::random::generator(seed, 0);
        let x = Array2::from_shape_simple_fn((n, d), || {
            rand::RngExt::random::<f64>(&mut generator) * 4.0
        });
        let parameters = GaussianMixture {
            reg_covar: 0.0,
            tol: 0.0,
            max_iter: 25,
            fixed_weights: fixed,
            random_state: seed,
            ..components(k, TYPES[kind])
        };
        match parameters.fit(Samples::from(&x)) {
            // Without the floor a component may collapse, and then it says so.
            Err(error) => prop_assert!(error.to_string().contains("collapsed"), "{}", error),
            Ok(model) => {
                for pair in model.trace().unwrap().objectives.windows(2) {
                    prop_assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs().max(1.0));
                }
                prop_assert!((model.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let shares = model.predict_proba(&x).unwrap();
                prop_assert!(shares.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12));
            }
        }
    }
}
