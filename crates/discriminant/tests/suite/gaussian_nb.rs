//! Gaussian naive Bayes: oracles, conjugate priors, awkward data.

use didact_core::random::generator;
use didact_core::{
    AnyModel, Cancel, Classes, Classify, Error, Fit, Labelled, Labels, LearnInPieces, LogDensity,
    Next, Probabilities, Rows, Run, Sample, Samples, Shape,
};
use didact_discriminant::{Estimate, GaussianNB, GaussianNBModel};
use ndarray::{Array1, Array2, Axis, array, s};
use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};

fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut generator))
}

#[track_caller]
fn assert_close<'a>(
    found: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
) {
    let found: Vec<f64> = found.into_iter().copied().collect();
    let expected: Vec<f64> = expected.into_iter().copied().collect();
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(&expected) {
        assert!(
            (a - b).abs() <= tolerance * b.abs().max(1e-12),
            "{found:?}\n{expected:?}"
        );
    }
}

fn in_pieces(algorithm: &GaussianNB, data: &Labelled<'_>, cut: usize) -> GaussianNBModel {
    let run = Run::new();
    let part = |range: std::ops::Range<usize>| {
        algorithm
            .summarise(&(), data.slice(range), 0, &run)
            .unwrap()
    };
    let (left, right) = (part(0..cut), part(cut..data.samples.n_rows()));
    let whole = LearnInPieces::<Labelled<'static>>::merge(algorithm, right, left).unwrap();
    match LearnInPieces::<Labelled<'static>>::step(algorithm, (), whole, &run).unwrap() {
        Next::Done(model) => model,
        Next::Pass(()) => panic!("one pass is enough"),
    }
}

// 003:P35, 004:M18; scikit-learn 1.x: GaussianNB().fit on iris, plain and with the weights
// 1, 2, 3, 1, 2, 3, …; predict_proba and predict_joint_log_proba.
#[test]
fn iris_has_the_parameters_and_probabilities_of_scikit_learn() {
    let iris = didact_datasets::iris();
    let model = GaussianNB::default().fit(iris.labelled().unwrap()).unwrap();
    let theta = array![
        [5.006, 3.428, 1.462, 0.246],
        [5.936, 2.77, 4.26, 1.326],
        [6.588, 2.974, 5.552, 2.026]
    ];
    let var = array![
        [
            0.12176400309550259,
            0.14081600309550263,
            0.02955600309550268,
            0.01088400309550267
        ],
        [
            0.2611040030955028,
            0.09650000309550268,
            0.21640000309550278,
            0.03832400309550265
        ],
        [
            0.39625600309550263,
            0.10192400309550273,
            0.2984960030955029,
            0.07392400309550265
        ]
    ];
    assert_close(model.theta(), &theta, 1e-12);
    assert_close(model.var(), &var, 1e-12);
    assert_close(&[model.epsilon()], &[3.0955026666666677e-9], 1e-12);
    let rows = iris.features().select(Axis(0), &[50, 70, 106, 133]);
    let expected = array![
        [
            3.213809354266301e-109,
            0.8040376655396819,
            0.19596233446031788
        ],
        [
            2.591538028250168e-130,
            0.15449408494388256,
            0.8455059150561174
        ],
        [
            2.2346370197755735e-109,
            0.9735143446532973,
            0.026485655346702722
        ],
        [
            2.6838258262863244e-131,
            0.7126451442155292,
            0.28735485578447095
        ]
    ];
    assert_close(&model.predict_proba(&rows).unwrap(), &expected, 1e-10);
    let joint = model
        .joint_log_densities(Rows::Dense(
            iris.features().select(Axis(0), &[0, 70]).view(),
        ))
        .unwrap();
    let expected = array![
        [1.0626579418450113, -40.077976575228256, -56.84265356112999],
        [-301.61943547569433, -5.103224387761915, -3.403445033972983]
    ];
    assert_close(&joint, &expected, 1e-11);
    // 004:M12 and the contract of generative models: p(x) is the sum of the joint densities.
    let density = model
        .score_samples(iris.features().slice(s![..1, ..]))
        .unwrap();
    let sum: f64 = expected.row(0).iter().map(|score| score.exp()).sum();
    assert_close(&density, &[sum.ln()], 1e-11);

    let weights: Vec<f64> = (0..150).map(|row| 1.0 + f64::from(row % 3)).collect();
    let samples = iris.samples().weighted(&weights).unwrap();
    let model = GaussianNB::default()
        .fit(Labelled::new(samples, iris.labels().unwrap()).unwrap())
        .unwrap();
    assert_close(
        model.class_prior(),
        &[0.33, 1.0 / 3.0, 0.33666666666666667],
        1e-12,
    );
    assert_close(
        model.theta().row(2),
        &[
            6.558415841584158,
            2.963366336633664,
            5.557425742574257,
            2.001980198019802,
        ],
        1e-12,
    );
    // The added share of scikit-learn ignores the weights there; it is a billionth.
    assert_close(
        model.var().row(0),
        &[
            0.12179573822457115,
            0.14717069996316928,
            0.03287011838986039,
            0.01158861650229789,
        ],
        1e-7,
    );
}

// 003:P35 with the numbers of 003, section 3: data (1, 2, 4, 3.5) under the prior α = 2, β = 1.5,
// γ = 0.5, δ = 1.
#[test]
fn attribute_models_have_their_conjugate_estimates() {
    // A second class far away, so that the first can be looked at alone.
    let x = array![[1.0], [2.0], [4.0], [3.5], [1e3]];
    let labels = Labels::from_indices(vec![0, 0, 0, 0, 1]);
    let fit = |estimate: Estimate| {
        let algorithm = GaussianNB {
            estimate,
            var_smoothing: 0.0,
            priors: Some(vec![1.0, 0.0]),
            prior_shape: 2.0,
            prior_scale: 1.5,
            prior_strength: 0.5,
            prior_mean: 1.0,
            ..GaussianNB::default()
        };
        algorithm.fit(Labelled::new(&x, &labels).unwrap())
    };
    let map = fit(Estimate::MaximumAPosteriori).unwrap();
    // By hand: γδ + Σx = 11, γ + n = 4.5, 2β + Σx² + γδ² = 36.75, n + 3 + 2α = 11. These are the
    // published 2.4444444 and 0.8964646, then 1.5065586.
    let (mean, twice_scale) = (11.0 / 4.5, 36.75 - 121.0 / 4.5);
    assert_close(
        &[map.theta()[[0, 0]], map.var()[[0, 0]]],
        &[mean, twice_scale / 11.0],
        1e-12,
    );
    let predictive = fit(Estimate::PosteriorPredictive).unwrap();
    assert_close(
        &[predictive.theta()[[0, 0]], predictive.var()[[0, 0]]],
        &[mean, 0.5 * twice_scale * 5.5 / (4.0 * 4.5)],
        1e-12,
    );
    let density = predictive.score_samples(&array![[3.0]]).unwrap()[0].exp();
    assert_close(&[density], &[0.2811664], 2e-7);
    // Maximum likelihood (2.625, 1.421875); the other class has no variance, which is refused.
    assert!(fit(Estimate::MaximumLikelihood).is_err());
    let first = Labels::from_indices(vec![0, 0, 0, 0]);
    let plain = GaussianNB {
        var_smoothing: 0.0,
        ..GaussianNB::default()
    };
    let model = plain
        .fit(Labelled::new(x.slice(s![..4, ..]), &first).unwrap())
        .unwrap();
    assert_close(
        &[model.theta()[[0, 0]], model.var()[[0, 0]]],
        &[2.625, 1.421875],
        1e-12,
    );
}

// scipy.stats.t.logpdf(2.0, nu) for one attribute with mean 0 and scale 1.
#[test]
fn the_student_density_is_right_for_few_and_many_degrees_of_freedom() {
    for (degrees, expected) in [
        (1.0, -2.7541677982835004),
        (3.0, -2.695484570397917),
        (50.0, -2.8864447490024276),
        (1e6, -2.918936783211339),
    ] {
        let algorithm = GaussianNB {
            estimate: Estimate::PosteriorPredictive,
            prior_shape: 0.5 * (degrees - 1e-9),
            prior_scale: 0.5 * degrees,
            prior_strength: 1e12,
            ..GaussianNB::default()
        };
        let x = array![[0.0]];
        let labels = Labels::from_indices(vec![0]);
        let samples = Samples::from(&x).weighted(&[1e-9]).unwrap();
        let model = algorithm
            .fit(Labelled::new(samples, &labels).unwrap())
            .unwrap();
        let found = model.score_samples(&array![[2.0]]).unwrap()[0];
        assert!(
            (found - expected).abs() < 1e-7,
            "{degrees}: {found} {expected}"
        );
    }
}

// 004:M17: with one attribute the factorised joint is the exact joint density; the prediction is
// the argmax, not the maximum.
#[test]
fn with_one_attribute_the_posterior_is_bayes_rule() {
    let x = array![[0.0], [2.0], [5.0], [9.0], [7.0], [7.0]];
    let labels = Labels::from_indices(vec![0, 0, 1, 1, 1, 1]);
    let plain = GaussianNB {
        var_smoothing: 0.0,
        ..GaussianNB::default()
    };
    let model = plain.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    // Class 0: prior 1/3, N(1, 1); class 1: prior 2/3, N(7, 2).
    let normal = |x: f64, mean: f64, var: f64| {
        (-(x - mean).powi(2) / (2.0 * var)).exp() / (2.0 * std::f64::consts::PI * var).sqrt()
    };
    for value in [1.0, 3.0, 3.5, 4.0, 8.0] {
        let (a, b) = (
            normal(value, 1.0, 1.0) / 3.0,
            normal(value, 7.0, 2.0) * 2.0 / 3.0,
        );
        assert_close(
            &model.predict_proba(&array![[value]]).unwrap(),
            &[a / (a + b), b / (a + b)],
            1e-12,
        );
        assert_eq!(
            Classify::predict(&model, &array![[value]]).unwrap(),
            [usize::from(b > a)]
        );
    }
}

// 003:P35: class probabilities by counting, by smoothing (P27, P28) or as given.
#[test]
fn class_probabilities_are_counted_smoothed_or_given() {
    let x = random(8, 1, 1);
    let labels = Labels::from_indices(vec![0, 0, 0, 1, 1, 1, 1, 1]);
    let fit = |algorithm: GaussianNB| algorithm.fit(Labelled::new(&x, &labels).unwrap());
    let prior = |algorithm: GaussianNB| fit(algorithm).unwrap().class_prior().to_vec();
    assert_eq!(prior(GaussianNB::default()), [0.375, 0.625]);
    assert_eq!(
        prior(GaussianNB {
            class_smoothing: 1.0,
            ..GaussianNB::default()
        }),
        [0.4, 0.6]
    );
    assert_eq!(
        prior(GaussianNB {
            priors: Some(vec![0.25, 0.75]),
            ..GaussianNB::default()
        }),
        [0.25, 0.75]
    );
    let complaint = |priors: Vec<f64>| {
        fit(GaussianNB {
            priors: Some(priors),
            ..GaussianNB::default()
        })
        .unwrap_err()
        .to_string()
    };
    assert_eq!(
        complaint(vec![1.0]),
        "priors is a list of 1; there are 2 classes; give one probability for each"
    );
    assert!(complaint(vec![0.5, 0.6]).contains("they must add up to 1"));
    assert!(complaint(vec![-0.5, 1.5]).starts_with("priors[0] is -0.5"));
}

#[test]
fn classes_without_rows_cannot_be_unless_a_prior_says_so() {
    let x = array![[0.0], [1.0], [4.0], [6.0]];
    let classes = Classes::new(["a", "b", "c"]);
    let data = || Labelled::from_parts(Samples::from(&x), &[0, 0, 2, 2], &classes).unwrap();
    let model = GaussianNB {
        class_smoothing: 1.0,
        ..GaussianNB::default()
    }
    .fit(data())
    .unwrap();
    let p = model.predict_proba(&array![[0.5], [3.0], [1e200]]).unwrap();
    assert!(p.column(1).iter().all(|&p| p == 0.0));
    assert!(
        p.rows()
            .into_iter()
            .all(|row| (row.sum() - 1.0).abs() < 1e-12)
    );
    assert_eq!(
        Classify::predict(&model, &array![[0.5], [5.0], [1e200]]).unwrap(),
        [0, 2, 0]
    );
    assert!(
        model
            .sample(200, 1)
            .unwrap()
            .labels
            .iter()
            .all(|&label| label != 1)
    );
    let Shape::Ellipsoids {
        centers,
        covariances,
    } = &model.figures()[0].1
    else {
        panic!("ellipsoids")
    };
    assert_eq!((centers.nrows(), covariances.len()), (2, 2));
    let given = GaussianNB {
        priors: Some(vec![0.5, 0.3, 0.2]),
        ..GaussianNB::default()
    };
    assert!(
        given
            .fit(data())
            .unwrap_err()
            .to_string()
            .contains("the class b has no rows")
    );
    // With a prior of the attributes an unseen class has the prior predictive.
    let predictive = GaussianNB {
        estimate: Estimate::PosteriorPredictive,
        class_smoothing: 1.0,
        ..GaussianNB::default()
    };
    let model = predictive.fit(data()).unwrap();
    assert!(model.predict_proba(&array![[-20.0]]).unwrap()[[0, 1]] > 0.05);
}

// 004:M18: zero variance is guarded.
#[test]
fn awkward_data_have_a_defined_answer() {
    let fit = |x: &Array2<f64>, labels: Vec<usize>| {
        let labels = Labels::from_indices(labels);
        GaussianNB::default().fit(Labelled::new(x, &labels).unwrap())
    };
    let all_finite = |model: &GaussianNBModel, x: &Array2<f64>| {
        let p = model.predict_proba(x).unwrap();
        assert!(p.iter().all(|p| (0.0..=1.0).contains(p)));
        assert!(
            p.rows()
                .into_iter()
                .all(|row| (row.sum() - 1.0).abs() < 1e-12)
        );
    };
    for (x, labels) in [
        (array![[3.0, 4.0]], vec![0]),
        (array![[3.0], [3.0], [3.0]], vec![0, 1, 1]),
        (array![[1.0, 5.0], [2.0, 5.0], [7.0, 5.0]], vec![0, 0, 1]),
        (array![[-0.0, 1e140], [0.0, -1e140]], vec![1, 0]),
    ] {
        let model = fit(&x, labels).unwrap();
        all_finite(&model, &x);
        all_finite(&model, &(&x + 1e150));
    }
    assert!(matches!(
        fit(&array![[1e300], [-1e300]], vec![0, 0]),
        Err(Error::Numerical(_))
    ));
    let strict = GaussianNB {
        var_smoothing: 0.0,
        ..GaussianNB::default()
    };
    let labels = Labels::from_names(["a", "a", "b", "b"]);
    let x = array![[1.0, 2.0], [2.0, 2.0], [1.0, 3.0], [5.0, 4.0]];
    let error = strict
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("column 1 has no finite positive variance in class a"),
        "{error}"
    );
    // Variation of 1 at an offset of 1e8 keeps its digits.
    let near = random(50, 2, 2).mapv(|value| (value * 1024.0).round() / 1024.0);
    let labels: Vec<usize> = (0..50).map(|row| row % 2).collect();
    let (a, b) = (
        fit(&near, labels.clone()).unwrap(),
        fit(&(&near + 1e8), labels).unwrap(),
    );
    assert_close(b.var(), a.var(), 1e-12);
}

#[test]
fn zero_weights_are_absence_and_integer_weights_repetitions() {
    let mut x = random(30, 2, 3);
    let labels = Labels::from_indices((0..30).map(|row| (row / 2) % 2).collect());
    let weights: Vec<f64> = (0..30).map(|row| f64::from(row % 3)).collect();
    let repeated: Vec<usize> = (0..30)
        .flat_map(|row| std::iter::repeat_n(row, row % 3))
        .collect();
    let rows = x.select(Axis(0), &repeated);
    let many = Labels::from_indices(repeated.iter().map(|&row| labels.indices[row]).collect());
    x.row_mut(0).fill(1e300);
    for estimate in [
        Estimate::MaximumLikelihood,
        Estimate::MaximumAPosteriori,
        Estimate::PosteriorPredictive,
    ] {
        let algorithm = GaussianNB {
            estimate,
            ..GaussianNB::default()
        };
        let expected = algorithm.fit(Labelled::new(&rows, &many).unwrap()).unwrap();
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let found = algorithm
            .fit(Labelled::new(samples, &labels).unwrap())
            .unwrap();
        assert_close(found.theta(), expected.theta(), 1e-11);
        assert_close(found.var(), expected.var(), 1e-11);
        assert_close(found.class_prior(), expected.class_prior(), 1e-12);
    }
}

#[test]
fn drawn_rows_have_the_moments_of_the_model() {
    let iris = didact_datasets::iris();
    for estimate in [Estimate::MaximumLikelihood, Estimate::PosteriorPredictive] {
        let model = GaussianNB {
            estimate,
            ..GaussianNB::default()
        }
        .fit(iris.labelled().unwrap())
        .unwrap();
        let drawn = model.sample(30_000, 7).unwrap();
        assert_eq!(drawn, model.sample(30_000, 7).unwrap());
        for class in 0..3 {
            let own: Vec<usize> = (0..30_000)
                .filter(|&row| drawn.labels[row] == class)
                .collect();
            let n = own.len() as f64;
            // Five standard errors of a share of one third.
            assert!((n / 30_000.0 - 1.0 / 3.0).abs() < 5.0 * (2.0 / 9.0 / 30_000.0_f64).sqrt());
            let rows = drawn.rows.select(Axis(0), &own);
            for j in 0..4 {
                let column: Array1<f64> = rows.column(j).to_owned();
                let (mean, var) = (column.mean().unwrap(), column.var(0.0));
                let expected = model.var()[[class, j]];
                assert!((mean - model.theta()[[class, j]]).abs() < 5.0 * (var / n).sqrt());
                // The variance of a t is ν/(ν−2) of its squared scale, here 52/50.
                let inflated = if estimate == Estimate::PosteriorPredictive {
                    expected * 52.0 / 50.0
                } else {
                    expected
                };
                assert!((var / inflated - 1.0).abs() < 6.0 * (2.2 / n).sqrt());
            }
        }
    }
}

#[test]
fn rows_alone_are_predicted_as_among_others_bit_for_bit() {
    let wine = didact_datasets::wine();
    let model = GaussianNB::default().fit(wine.labelled().unwrap()).unwrap();
    let all = model.predict_proba(wine.samples()).unwrap();
    for row in 0..178 {
        let one = wine.features().slice(s![row..row + 1, ..]).to_owned();
        assert_eq!(model.predict_proba(&one).unwrap().row(0), all.row(row));
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit_and_cancellation_works() {
    let x = random(30_000, 3, 4);
    let labels = Labels::from_indices((0..30_000).map(|row| row % 3).collect());
    let fit = |threads: usize| {
        GaussianNB::default()
            .fit_with(
                Labelled::new(&x, &labels).unwrap(),
                &Run::new().threads(threads),
            )
            .unwrap()
    };
    assert!(fit(1) == fit(2) && fit(1) == fit(4));
    let cancel = Cancel::new();
    cancel.cancel();
    let result = GaussianNB::default().fit_with(
        Labelled::new(&x, &labels).unwrap(),
        &Run::new().cancelled_by(&cancel),
    );
    assert!(matches!(result, Err(Error::Cancelled)));
}

#[test]
fn a_model_survives_the_file_and_the_entry_knows_its_abilities() {
    let iris = didact_datasets::iris();
    let model = GaussianNB::default().fit(iris.labelled().unwrap()).unwrap();
    let entry = &didact_discriminant::catalogue()[0];
    let loaded = entry.routes[0].decode(&model.encode().unwrap()).unwrap();
    assert_eq!(
        loaded.as_any().downcast_ref::<GaussianNBModel>(),
        Some(&model)
    );
    assert_eq!(
        loaded.ability_names(),
        ["classify", "probabilities", "log-density", "sample"]
    );
    assert!(entry.routes[0].in_pieces && entry.summary.ends_with('.'));
}

#[test]
fn pieces_in_which_no_row_counts_are_refused() {
    let x = array![[1.0], [2.0], [3.0]];
    let labels = Labels::from_indices(vec![0, 1, 0]);
    let samples = Samples::from(&x).weighted(&[0.0, 0.0, 1.0]).unwrap();
    let data = Labelled::new(samples, &labels).unwrap();
    let algorithm = GaussianNB::default();
    let nothing = algorithm
        .summarise(&(), data.slice(0..2), 0, &Run::new())
        .unwrap();
    let step = LearnInPieces::<Labelled<'static>>::step(&algorithm, (), nothing, &Run::new());
    assert!(step.is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_cut_gives_the_same_model(n in 6usize..60, cut in 1usize..5, shift in -1e3..1e3, seed: u64) {
        let x = random(n, 2, seed) + shift;
        let labels = Labels::from_indices((0..n).map(|row| row % 2).collect());
        let data = Labelled::new(&x, &labels).unwrap();
        let (whole, pieces) = (GaussianNB::default().fit(data.clone()).unwrap(), in_pieces(&GaussianNB::default(), &data, cut));
        for (a, b) in whole.var().iter().zip(pieces.var()) {
            prop_assert!((a - b).abs() <= 1e-9 * a);
        }
        for (a, b) in whole.theta().iter().zip(pieces.theta()) {
            prop_assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0));
        }
    }
}
