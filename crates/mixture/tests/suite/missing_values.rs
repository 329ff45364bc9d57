//! What the Gaussian mixture makes of rows with gaps.

use didact_core::learner::learn_in_pieces;
use didact_core::random::generator;
use didact_core::{Assign, Data, DataKind, Fit, LogDensity, Probabilities, Run, Samples, encoding};
use didact_mixture::{
    CovarianceType, GaussianMixture, GaussianMixtureModel, PrecisionsInit, catalogue,
};
use ndarray::{Array2, ArrayView2, array, concatenate, s};
use proptest::prelude::*;
use rand::RngExt;

const TYPES: [CovarianceType; 4] = [
    CovarianceType::Full,
    CovarianceType::Tied,
    CovarianceType::Diag,
    CovarianceType::Spherical,
];
const GAP: f64 = f64::NAN;

fn mixture(n_components: usize, covariance_type: CovarianceType) -> GaussianMixture {
    GaussianMixture {
        n_components,
        covariance_type,
        reg_covar: 0.0,
        tol: 0.0,
        ..GaussianMixture::default()
    }
}

/// Three groups along a diagonal, each value missing with the given probability.
fn gapped(n: usize, d: usize, share: f64, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    let mut x = Array2::zeros((n, d));
    for (row, mut values) in x.rows_mut().into_iter().enumerate() {
        let common = generator.random::<f64>();
        for value in &mut values {
            *value = (row % 3) as f64 * 4.0 + common + generator.random::<f64>();
            if generator.random::<f64>() < share {
                *value = GAP;
            }
        }
    }
    x
}

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

fn matrices(model: &GaussianMixtureModel) -> Vec<Array2<f64>> {
    let (k, d) = model.means().dim();
    (0..k)
        .map(|component| model.covariances().matrix(component, d))
        .collect()
}

#[test]
fn one_normal_law_with_one_gappy_column_is_a_regression() {
    // The first column is whole; the second is there in the first 20 rows. The greatest likelihood
    // is that of x₁ from all rows times that of x₂ given x₁ from the rows that have both.
    let x1: Vec<f64> = (0..50).map(|i| (f64::from(i) * 1.7).sin() * 3.0).collect();
    let x2: Vec<f64> = (0..20)
        .map(|i| 2.0 * x1[i] - 1.0 + (i as f64 * 0.9).cos())
        .collect();
    let x = Array2::from_shape_fn((50, 2), |(row, column)| match column {
        0 => x1[row],
        _ => x2.get(row).copied().unwrap_or(GAP),
    });
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let product = |a: &[f64], b: &[f64]| {
        let (ma, mb) = (mean(a), mean(b));
        let terms = a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb));
        terms.sum::<f64>() / a.len() as f64
    };
    let (m1, v1) = (mean(&x1), product(&x1, &x1));
    let slope = product(&x1[..20], &x2) / product(&x1[..20], &x1[..20]);
    let offset = mean(&x2) - slope * mean(&x1[..20]);
    let rest = product(&x2, &x2) - slope * product(&x1[..20], &x2);
    let expected = [v1, slope * v1, slope * v1, rest + slope * slope * v1];
    for covariance_type in [CovarianceType::Full, CovarianceType::Tied] {
        let parameters = GaussianMixture {
            max_iter: 2000,
            ..mixture(1, covariance_type)
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        assert_close(model.means(), &[m1, offset + slope * m1], 1e-6);
        assert_close(&matrices(&model)[0], &expected, 1e-6);
    }
}

#[test]
fn one_law_of_independent_columns_has_the_moments_of_what_is_there() {
    let x = gapped(90, 3, 0.3, 4);
    let parameters = GaussianMixture {
        max_iter: 500,
        ..mixture(1, CovarianceType::Diag)
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    for column in 0..3 {
        let there: Vec<f64> = x
            .column(column)
            .iter()
            .copied()
            .filter(|value| !value.is_nan())
            .collect();
        let mean = there.iter().sum::<f64>() / there.len() as f64;
        let square = there.iter().map(|value| (value - mean).powi(2));
        let variance = square.sum::<f64>() / there.len() as f64;
        assert_close(&[model.means()[[0, column]]], &[mean], 1e-6);
        assert_close(&[matrices(&model)[0][[column, column]]], &[variance], 1e-6);
    }
}

#[test]
fn a_row_with_gaps_is_judged_by_the_values_that_it_has() {
    for covariance_type in TYPES {
        let x = gapped(150, 3, 0.2, 5);
        let parameters = GaussianMixture {
            reg_covar: 1e-6,
            ..mixture(3, covariance_type)
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        let queries = array![[0.3, GAP, 1.2], [GAP, GAP, 8.0], [5.0, 5.0, 5.0]];
        let densities = model.score_samples(&queries).unwrap();
        let shares = model.predict_proba(&queries).unwrap();
        for (row, kept) in [vec![0, 2], vec![2], vec![0, 1, 2]].iter().enumerate() {
            let marginal = model.marginal(kept).unwrap();
            let seen = queries.select(ndarray::Axis(1), kept);
            let seen = seen.slice(s![row..row + 1, ..]).to_owned();
            assert_close(
                &[densities[row]],
                &marginal.score_samples(&seen).unwrap(),
                1e-12,
            );
            let expected = marginal.predict_proba(&seen).unwrap();
            assert_close(shares.row(row), expected.row(0), 1e-10);
            assert_eq!(
                model.predict(&queries).unwrap()[row],
                marginal.predict(&seen).unwrap()[0]
            );
        }
        let nothing = array![[GAP, GAP, GAP]];
        assert_close(
            model.predict_proba(&nothing).unwrap().row(0),
            model.weights(),
            1e-12,
        );
        assert!(model.score_samples(&nothing).unwrap()[0].abs() < 1e-12);
    }
}

#[test]
fn gaps_are_filled_with_conditional_means() {
    let x = gapped(120, 3, 0.15, 6);
    let parameters = GaussianMixture {
        reg_covar: 1e-6,
        ..mixture(2, CovarianceType::Full)
    };
    let model = parameters.fit(Samples::from(&x)).unwrap();
    let filled = model
        .impute(&array![[0.5, GAP, 1.0], [7.0, 8.0, 9.0]])
        .unwrap();
    let expected = model.conditional(&[0, 2]).unwrap();
    let expected = expected.mean(array![0.5, 1.0].view());
    assert_close(filled.row(0), &[0.5, expected[0], 1.0], 1e-12);
    assert_eq!(filled.row(1), array![7.0, 8.0, 9.0]);
    assert!(
        model
            .impute(&x)
            .unwrap()
            .iter()
            .all(|value| value.is_finite())
    );
}

#[test]
fn the_groups_are_found_in_spite_of_gaps() {
    let x = gapped(300, 4, 0.25, 8);
    for covariance_type in TYPES {
        let parameters = GaussianMixture {
            n_components: 3,
            covariance_type,
            n_init: 3,
            ..GaussianMixture::default()
        };
        let model = parameters.fit(Samples::from(&x)).unwrap();
        let mut found: Vec<f64> = model.means().column(0).to_vec();
        found.sort_by(f64::total_cmp);
        for (found, expected) in found.iter().zip([1.0, 5.0, 9.0]) {
            // The mean of a hundred sums of two uniform draws: four standard errors of 0.04.
            assert!(
                (found - expected).abs() < 0.2,
                "{covariance_type:?} {found}"
            );
        }
    }
}

#[test]
fn rows_with_gaps_may_come_in_pieces() {
    let x = gapped(4_000, 2, 0.1, 3);
    let entry = catalogue().remove(0);
    for covariance_type in TYPES {
        let parameters = GaussianMixture {
            n_components: 3,
            covariance_type,
            max_iter: 10,
            ..GaussianMixture::default()
        };
        let whole = parameters.fit(Samples::from(&x)).unwrap();
        let json = serde_json::to_value(&parameters).unwrap();
        let learner = entry.learner(json.as_object().unwrap()).unwrap();
        let samples = Samples::from(&x);
        let model = learn_in_pieces(
            learner.pieces(DataKind::Samples).unwrap(),
            |observe| {
                [0, 1, 1500, 4000].windows(2).try_for_each(|pair| {
                    observe(Data::Samples(samples.slice(pair[0]..pair[1])), pair[0])
                })
            },
            &Run::new(),
        );
        let bytes = model.unwrap().encode().unwrap();
        let pieces: GaussianMixtureModel = encoding::from_bytes(&bytes).unwrap();
        assert_close(pieces.means(), whole.means(), 1e-9);
        assert_close(pieces.weights(), whole.weights(), 1e-9);
    }
}

#[test]
fn gaps_of_rows_without_weight_do_not_matter() {
    let x = array![
        [0.0, 1.0],
        [1.0, GAP],
        [5.0, 4.0],
        [6.0, 7.0],
        [GAP, 3.0],
        [GAP, 99.0]
    ];
    let weights = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0];
    let parameters = GaussianMixture {
        reg_covar: 1e-3,
        ..mixture(2, CovarianceType::Full)
    };
    let weighted = parameters
        .fit(Samples::from(&x).weighted(&weights).unwrap())
        .unwrap();
    let without = x.slice(s![..5, ..]).to_owned();
    let without = parameters.fit(Samples::from(&without)).unwrap();
    assert_close(weighted.means(), without.means(), 1e-9);
}

#[test]
fn a_column_without_values_and_infinite_values_are_refused() {
    let empty = array![[1.0, GAP], [2.0, GAP], [3.0, GAP]];
    let error = mixture(1, CovarianceType::Full)
        .fit(Samples::from(&empty))
        .unwrap_err();
    assert!(
        error.to_string().contains("column 1 has no value"),
        "{error}"
    );
    let infinite = array![[1.0, GAP], [f64::INFINITY, 2.0]];
    assert!(
        mixture(1, CovarianceType::Full)
            .fit(Samples::from(&infinite))
            .is_err()
    );
    // Filled in, the rows are equal: there is nothing to tell two components apart by.
    let alike = array![[1.0, GAP], [GAP, 1.0], [1.0, 1.0]];
    let error = mixture(2, CovarianceType::Full)
        .fit(Samples::from(&alike))
        .unwrap_err();
    assert!(error.to_string().contains("n_components"), "{error}");
}

fn two_groups() -> Array2<f64> {
    Array2::from_shape_fn((40, 2), |(row, column)| {
        (row % 2) as f64 * 10.0 + ((row * 7 + column * 13) as f64 * 0.77).sin()
    })
}

#[test]
fn a_collapsed_component_begins_anew() {
    // 002a:MG04: the first component starts on one row, so narrow that no other row is near.
    let x = two_groups();
    for (covariance_type, precisions) in [
        (
            CovarianceType::Full,
            PrecisionsInit::Matrices(vec![
                vec![vec![1e12, 0.0], vec![0.0, 1e12]],
                vec![vec![0.04, 0.0], vec![0.0, 0.04]],
            ]),
        ),
        (
            CovarianceType::Diag,
            PrecisionsInit::Rows(vec![vec![1e12; 2], vec![0.04; 2]]),
        ),
        (
            CovarianceType::Spherical,
            PrecisionsInit::Spherical(vec![1e12, 0.04]),
        ),
    ] {
        let stuck = GaussianMixture {
            means_init: Some(vec![x.row(0).to_vec(), vec![5.0, 5.0]]),
            precisions_init: Some(precisions),
            tol: 1e-9,
            max_iter: 500,
            ..mixture(2, covariance_type)
        };
        let error = stuck.fit(Samples::from(&x)).unwrap_err();
        assert!(error.to_string().contains("component 0 has collapsed"));
        let floored = GaussianMixture {
            reg_covar: 1e-6,
            ..stuck.clone()
        };
        let kept = floored.fit(Samples::from(&x)).unwrap();
        assert_eq!((kept.collapsed(), kept.n_reseeds()), (&[0][..], 0));
        for parameters in [stuck, floored] {
            let model = GaussianMixture {
                max_reseeds: 3,
                ..parameters
            };
            let model = model.fit(Samples::from(&x)).unwrap();
            assert_eq!(model.n_reseeds(), 1);
            assert!(model.collapsed().is_empty());
            assert_close(model.weights(), &[0.5, 0.5], 1e-6);
            let labels = model.predict(&x).unwrap();
            assert!((0..40).all(|row| labels[row] == labels[row % 2]));
        }
    }
}

#[test]
fn an_empty_component_begins_anew() {
    let x = two_groups();
    let parameters = GaussianMixture {
        means_init: Some(vec![vec![1e4, 1e4], vec![5.0, 5.0]]),
        precisions_init: Some(PrecisionsInit::Rows(vec![vec![0.1, 0.0], vec![0.0, 0.1]])),
        reg_covar: 1e-6,
        tol: 1e-9,
        max_iter: 500,
        ..mixture(2, CovarianceType::Tied)
    };
    let lost = parameters.fit(Samples::from(&x)).unwrap();
    assert!(lost.weights()[0] < 1e-9);
    let reseeded = GaussianMixture {
        max_reseeds: 1,
        ..parameters
    };
    let model = reseeded.fit(Samples::from(&x)).unwrap();
    assert_eq!(model.n_reseeds(), 1);
    assert!(model.weights()[0] > 0.1);
}

#[test]
fn a_point_that_cannot_be_had_otherwise_uses_the_reseeds_up() {
    // 002a:EX20: the lone point draws the component back each time; then the floor or the error
    // has the last word.
    let x = array![[0.0], [10.0], [11.0], [12.0]];
    let parameters = GaussianMixture {
        means_init: Some(vec![vec![0.0], vec![11.0]]),
        precisions_init: Some(PrecisionsInit::Spherical(vec![1.0, 1.0])),
        max_reseeds: 2,
        max_iter: 500,
        ..mixture(2, CovarianceType::Spherical)
    };
    let error = parameters.fit(Samples::from(&x)).unwrap_err();
    assert!(error.to_string().contains("has collapsed"), "{error}");
    let guarded = GaussianMixture {
        reg_covar: 1e-6,
        ..parameters
    };
    let guarded = guarded.fit(Samples::from(&x)).unwrap();
    assert_eq!((guarded.n_reseeds(), guarded.collapsed()), (2, &[0][..]));
}

/// The mean log-likelihood of what was observed.
fn mean_log_likelihood(model: &GaussianMixtureModel, x: ArrayView2<'_, f64>) -> f64 {
    model.score_samples(x).unwrap().mean().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_likelihood_of_what_is_there_never_falls(
        n in 16usize..60, d in 1usize..4, k in 1usize..4, seed: u64, kind in 0usize..4,
        share in 0.0..0.5,
    ) {
        let x = gapped(n, d, share, seed);
        let parameters = GaussianMixture {
            max_iter: 25,
            random_state: seed,
            ..mixture(k, TYPES[kind])
        };
        match parameters.fit(Samples::from(&x)) {
            Err(error) => {
                let text = error.to_string();
                let known = ["collapsed", "has no value", "distinct"];
                prop_assert!(known.iter().any(|part| text.contains(part)), "{}", text);
            }
            Ok(model) => {
                let objectives = &model.trace().unwrap().objectives;
                for pair in objectives.windows(2) {
                    prop_assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs().max(1.0));
                }
                let last = mean_log_likelihood(&model, x.view());
                let reported = model.lower_bound().unwrap();
                prop_assert!((last - reported).abs() <= 1e-9 * reported.abs().max(1.0));
            }
        }
    }

    #[test]
    fn rows_without_gaps_are_unmoved_by_how_they_are_summed(seed: u64, kind in 0usize..4) {
        // A last row of weight zero has a gap, so that the rows are taken apart and put together.
        let x = gapped(80, 3, 0.0, seed);
        let mut with = concatenate![ndarray::Axis(0), x, array![[1.0, GAP, 2.0]]];
        let mut weights = vec![1.0; 81];
        weights[80] = 0.0;
        with[[80, 0]] = 1e3;
        let parameters = GaussianMixture {
            reg_covar: 1e-6,
            random_state: seed,
            ..mixture(3, TYPES[kind])
        };
        let whole = parameters.fit(Samples::from(&x)).unwrap();
        let apart = parameters.fit(Samples::from(&with).weighted(&weights).unwrap()).unwrap();
        for (a, b) in whole.means().iter().zip(apart.means()) {
            prop_assert!((a - b).abs() <= 1e-8 * b.abs().max(1.0));
        }
    }
}
