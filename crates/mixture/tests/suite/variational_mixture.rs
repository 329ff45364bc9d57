//! What the variational mixture promises, against scikit-learn and by its own laws.

use didact_core::random::generator;
use didact_core::{
    Assign, Error, Fit, LogDensity, Model, Probabilities, Sample, Samples, encoding,
};
use didact_datasets as datasets;
use didact_mixture::{
    BayesianGaussianMixture, BayesianGaussianMixtureModel, CovariancePrior, CovarianceType,
    VariationalInit, WeightPrior,
};
use ndarray::{Array2, Axis, array, concatenate};
use proptest::prelude::*;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use CovarianceType::{Diag, Full, Spherical, Tied};
use WeightPrior::{DirichletDistribution, DirichletProcess};

const TYPES: [CovarianceType; 4] = [Full, Tied, Diag, Spherical];

fn assert_close<'a>(
    found: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    for (found, expected) in found.into_iter().zip(expected) {
        let error = (found - expected).abs();
        assert!(
            error <= tolerance * expected.abs().max(1.0),
            "{found} is not {expected}"
        );
    }
}

/// Five components on iris, each with the rows nearest to rows 0, 50, 100, 120 and 20.
fn on_iris(covariance_type: CovarianceType, prior: WeightPrior) -> BayesianGaussianMixtureModel {
    let iris = datasets::iris();
    let rows = iris.samples().dense().unwrap().to_owned();
    let means = [0, 50, 100, 120, 20].map(|row| rows.row(row).to_vec());
    let parameters = BayesianGaussianMixture {
        n_components: 5,
        covariance_type,
        weight_concentration_prior_type: prior,
        means_init: Some(means.to_vec()),
        tol: 1e-12,
        max_iter: 20_000,
        ..BayesianGaussianMixture::default()
    };
    parameters.fit(iris.samples()).unwrap()
}

#[test]
fn the_optimum_is_that_of_scikit_learn() {
    // scikit-learn 1.9.1, BayesianGaussianMixture from the same responsibilities with the same
    // settings: lower bound, weights, first column of the means, ln-score of the first row.
    #[rustfmt::skip]
    let expected = [
        (Full, DirichletProcess, 308.1533165157931, [0.33737871541754966, 0.19792643036292368, 0.006485614525639467, 0.4571475811743659, 0.0010616585195212514], [5.022419994944382, 5.988403241051886, 5.843841141261061, 6.365552286085756, 5.843336640622853], 0.5643634347872367),
        (Full, DirichletDistribution, 313.57728282901206, [0.3324575813769262, 0.15856359956812438, 0.001324759663281796, 0.5063292997283856, 0.001324759663281796], [5.022420250179974, 6.0259424859466275, 5.843337161343798, 6.3267815373202705, 5.843337161343798], 0.5497027817303834),
        (Tied, DirichletProcess, 253.64513040043462, [0.33737718131153266, 0.3592540031497211, 0.21946798598404657, 0.08290650335381658, 0.0009943262008830032], [5.022427644550327, 5.976652411813792, 6.344062441120759, 7.094624177869842, 5.843318174526976], -0.09799864051594559),
        (Tied, DirichletDistribution, 252.88541304239894, [0.3324585984793376, 0.3546163528773931, 0.22251786743761184, 0.08907986231441653, 0.0013273188912411185], [5.022427505071563, 5.973678194683657, 6.342002945858145, 7.080367646849912, 5.84331152271608], -0.11126368085847554),
        (Diag, DirichletProcess, 125.10067917151707, [0.3377077278431236, 0.30867544300475935, 0.00645414128206613, 0.22156293697803994, 0.12559975089201103], [5.0224182996791855, 6.137168504046251, 5.843262111054727, 6.837846693822472, 5.5159784061496415], -0.551155766640363),
        (Diag, DirichletDistribution, 130.31012167723125, [0.3324503331363576, 0.29903678095630437, 0.0013246573110379167, 0.22601681472927573, 0.14117141386702442], [5.02241830075582, 6.1514720258269495, 5.8433328478960735, 6.83922738251987, 5.523268667481277], -0.5657956054369708),
        (Spherical, DirichletProcess, 68.5919979578696, [0.33771134443983053, 0.30484615892545036, 0.006456944647380977, 0.20021625095426382, 0.15076930103307437], [5.022418353901841, 6.196187532136829, 5.842590189376309, 6.897190489514357, 5.52489754464668], -0.8285323410695549),
        (Spherical, DirichletDistribution, 73.92728178139355, [0.3324505638232552, 0.2994358405407987, 0.0013246679745496823, 0.2051707955325067, 0.1616181321288897], [5.022418352959198, 6.199187274504375, 5.843326891089165, 6.89546345144907, 5.528094767174803], -0.8431719211539416),
    ];
    let iris = datasets::iris();
    for (covariance_type, prior, bound, weights, means, score) in expected {
        let model = on_iris(covariance_type, prior);
        assert_close(&[model.lower_bound()], &[bound], 1e-9);
        assert_close(model.weights(), &weights, 1e-6);
        assert_close(model.means().column(0), &means, 1e-6);
        let scores = model.score_samples(iris.samples()).unwrap();
        assert_close(&[scores[0]], &[score], 1e-6);
    }
}

#[test]
fn components_that_are_not_needed_are_left_empty() {
    // Two groups far apart, six components.
    let mut generator = generator(1, 0);
    let x = Array2::from_shape_fn((200, 2), |(row, _)| {
        let noise: f64 = StandardNormal.sample(&mut generator);
        (row % 2) as f64 * 20.0 + noise
    });
    for covariance_type in TYPES {
        for prior in [DirichletProcess, DirichletDistribution] {
            let parameters = BayesianGaussianMixture {
                n_components: 6,
                covariance_type,
                weight_concentration_prior_type: prior,
                weight_concentration_prior: Some(1e-3),
                max_iter: 3000,
                tol: 1e-8,
                ..BayesianGaussianMixture::default()
            };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            let labels = model.predict(&x).unwrap();
            assert!((0..200).all(|row| (labels[row] == labels[0]) == (row % 2 == 0)));
            let used = model.weights().iter().filter(|weight| **weight > 0.02);
            assert_eq!(used.count(), 2, "{covariance_type:?} {:?}", model.weights());
        }
    }
}

#[test]
fn weights_count_like_copies() {
    let x = array![[0.0, 1.0], [1.0, 0.0], [7.0, 8.0], [8.0, 7.5], [0.5, 0.7]];
    let copies = concatenate![Axis(0), x, x, x];
    for covariance_type in TYPES {
        let parameters = BayesianGaussianMixture {
            n_components: 2,
            covariance_type,
            means_init: Some(vec![vec![0.0, 0.0], vec![8.0, 8.0]]),
            ..BayesianGaussianMixture::default()
        };
        let weighted = parameters
            .fit(Samples::from(&x).weighted(&[3.0; 5]).unwrap())
            .unwrap();
        let copied = parameters.fit(Samples::from(&copies)).unwrap();
        assert_close(weighted.means(), copied.means(), 1e-9);
        assert_close(&[weighted.lower_bound()], &[copied.lower_bound()], 1e-9);
    }
}

#[test]
fn a_strong_prior_wins_over_the_rows() {
    let x = array![[1.0], [2.0], [3.0], [4.0]];
    let parameters = BayesianGaussianMixture {
        mean_precision_prior: 1e9,
        mean_prior: Some(vec![100.0]),
        degrees_of_freedom_prior: Some(1e9),
        covariance_prior: Some(CovariancePrior::Spherical(7e9)),
        covariance_type: Spherical,
        ..BayesianGaussianMixture::default()
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    assert_close(model.means(), &[100.0], 1e-6);
    assert_close(&model.covariances().matrix(0, 1), &[7.0], 1e-4);
}

#[test]
fn draws_have_the_expected_moments() {
    let model = on_iris(Full, DirichletDistribution);
    let drawn = model.sample(20_000, 3).unwrap();
    let expected: f64 = (0..5)
        .map(|k| model.weights()[k] * model.means()[[k, 0]])
        .sum();
    let mean = drawn.rows.column(0).mean().unwrap();
    // The deviation of a sepal's length is 0.83, its standard error here 0.006.
    assert!((mean - expected).abs() < 0.025, "{mean} {expected}");
}

#[test]
fn wrong_priors_are_refused_by_name() {
    let x = array![[0.0, 1.0], [1.0, 0.0], [3.0, 4.0]];
    let refused = |parameters: BayesianGaussianMixture, name: &str| {
        let error = parameters.fit(Samples::from(&x)).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    };
    let default = BayesianGaussianMixture::default();
    let degrees = Some(1.0);
    refused(
        BayesianGaussianMixture {
            degrees_of_freedom_prior: degrees,
            ..default.clone()
        },
        "degrees_of_freedom_prior",
    );
    refused(
        BayesianGaussianMixture {
            mean_prior: Some(vec![1.0]),
            ..default.clone()
        },
        "mean_prior",
    );
    for prior in [
        CovariancePrior::Spherical(1.0),
        CovariancePrior::Matrix(vec![vec![1.0, 2.0], vec![2.0, 1.0]]),
    ] {
        refused(
            BayesianGaussianMixture {
                covariance_prior: Some(prior),
                ..default.clone()
            },
            "covariance_prior",
        );
    }
    refused(
        BayesianGaussianMixture {
            n_components: 4,
            ..default.clone()
        },
        "n_components",
    );
    refused(
        BayesianGaussianMixture {
            means_init: Some(vec![vec![1.0]]),
            ..default
        },
        "means_init",
    );
}

#[test]
fn awkward_rows_have_a_finite_model() {
    let constant = Array2::from_shape_fn((9, 2), |(row, column)| match column {
        0 => row as f64,
        _ => 5.0,
    });
    let single = array![[3.0, 4.0]];
    let wide = Array2::from_shape_fn((4, 9), |(row, column)| ((row * 9 + column) as f64).sin());
    for x in [constant, single, wide] {
        for covariance_type in TYPES {
            let parameters = BayesianGaussianMixture {
                covariance_type,
                n_components: x.nrows().min(3),
                ..BayesianGaussianMixture::default()
            };
            let model = parameters.fit(Samples::from(&x)).unwrap();
            assert!(model.lower_bound().is_finite());
            let shares = model.predict_proba(&x).unwrap();
            assert!(shares.iter().all(|share| share.is_finite()));
        }
    }
}

#[test]
fn many_spare_components_do_no_harm() {
    // The expected weight of the last of four hundred sticks is below any number.
    let x = Array2::from_shape_fn((500, 1), |(row, _)| (row as f64 * 0.37).sin());
    let parameters = BayesianGaussianMixture {
        n_components: 400,
        weight_concentration_prior: Some(1e-3),
        max_iter: 5,
        ..BayesianGaussianMixture::default()
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    assert!(model.lower_bound().is_finite());
    assert!(
        model
            .score_samples(&x)
            .unwrap()
            .iter()
            .all(|value| value.is_finite())
    );
}

#[test]
fn models_survive_a_file_and_damaged_ones_are_refused() {
    let model = on_iris(Diag, DirichletProcess);
    let bytes = encoding::to_bytes(&model).unwrap();
    let read: BayesianGaussianMixtureModel = encoding::from_bytes(&bytes).unwrap();
    assert_eq!(read, model);
    read.validate().unwrap();
    let mut json = serde_json::to_value(&model).unwrap();
    json["posterior"]["mean_precisions"] = serde_json::json!([1.0]);
    let damaged: BayesianGaussianMixtureModel = serde_json::from_value(json).unwrap();
    assert!(damaged.validate().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // Exactly so without the floor.
    #[test]
    fn the_lower_bound_never_falls(
        n in 8usize..60, d in 1usize..4, k in 1usize..6, seed: u64, kind in 0usize..4,
        process: bool, random: bool,
    ) {
        let mut generator = generator(seed, 0);
        let x = Array2::from_shape_simple_fn((n, d), || generator.random::<f64>() * 4.0);
        let parameters = BayesianGaussianMixture {
            n_components: k,
            covariance_type: TYPES[kind],
            weight_concentration_prior_type: match process {
                true => DirichletProcess,
                false => DirichletDistribution,
            },
            init_params: match random {
                true => VariationalInit::Random,
                false => VariationalInit::KMeans,
            },
            reg_covar: 0.0,
            tol: 0.0,
            max_iter: 30,
            random_state: seed,
            ..BayesianGaussianMixture::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        for pair in model.trace().objectives.windows(2) {
            prop_assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs().max(1.0), "{:?}", pair);
        }
        prop_assert!((model.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
