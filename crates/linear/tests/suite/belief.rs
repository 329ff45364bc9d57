//! Tests of logistic weights, beliefs about them, and likelihoods with any score, as users see
//! them.

use didact_core::{
    AnyModel, Classify, Fit, Labelled, Labels, Probabilities, Rows, Run, Samples, Scores,
};
use didact_linear::losses;
use didact_linear::{
    Averaging, BayesianLogisticRegression, GeneralLogistic, LogisticRegression, Penalty,
    ScoreFunction,
};
use didact_optimize::{ConjugateGradient, Minimise};
use didact_testing::random_matrix;
use ndarray::{Array2, Axis, array};
use proptest::prelude::*;

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    let off = (found - expected).abs();
    assert!(
        off <= tolerance * expected.abs().max(1e-300),
        "{found} {expected}"
    );
}

/// Three standardised columns of the breast cancer data; benign is the second class.
fn cancer() -> (Array2<f64>, Labels) {
    let cancer = didact_datasets::breast_cancer();
    let labels = cancer.labels().unwrap();
    let names = labels.classes.names();
    let benign = names
        .iter()
        .position(|name| name.to_string() == "benign")
        .unwrap();
    let y = labels
        .indices
        .iter()
        .map(|&label| usize::from(label == benign))
        .collect();
    let x = cancer
        .samples()
        .dense()
        .unwrap()
        .select(Axis(1), &[1, 4, 8]);
    let mean = x.mean_axis(Axis(0)).unwrap();
    (
        (&x - &mean) / &x.std_axis(Axis(0), 0.0),
        Labels::from_indices(y),
    )
}

fn unpenalised() -> LogisticRegression {
    LogisticRegression {
        penalty: Penalty::None,
        ..Default::default()
    }
}

// statsmodels Logit on the same columns.
#[test]
fn wald_and_likelihood_ratio_figures_are_those_of_statsmodels() {
    let (x, labels) = cancer();
    let model = unpenalised()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let found = model.inference().unwrap();
    let errors = [0.12946701016283702, 0.1398280605958651, 0.12960526728251462];
    let z_values = [-9.508526241515796, -6.336828028702507, -3.3206203589615217];
    let p_values = [
        1.9338269972588777e-21,
        2.3454352547796355e-10,
        0.0008981762202991559,
    ];
    for j in 0..3 {
        close(found.standard_errors()[j], errors[j], 1e-8);
        close(found.z_values()[j], z_values[j], 1e-8);
        close(found.p_values()[j], p_values[j], 1e-6);
    }
    close(
        found.intercept_standard_error().unwrap(),
        0.11171050355271206,
        1e-8,
    );
    close(
        found.intercept_p_value().unwrap(),
        1.4415692034491317e-11,
        1e-6,
    );
    close(found.log_likelihood(), -267.5176700838483, 1e-12);
    // statsmodels searches what has a formula, so its digits end earlier.
    close(found.null_log_likelihood(), -375.7200027320281, 1e-9);
    let (ratio, p_value) = found.likelihood_ratio();
    close(ratio, 216.40466529635955, 1e-8);
    close(p_value, 1.2019613619947124e-46, 1e-6);
    close(found.pseudo_r2(), 0.2879866173251151, 1e-8);
    let through_zero = LogisticRegression {
        fit_intercept: false,
        ..unpenalised()
    };
    let model = through_zero
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let found = model.inference().unwrap();
    close(found.standard_errors()[0], 0.12374830333644869, 1e-8);
    close(found.log_likelihood(), -292.7637318149091, 1e-12);
    assert!(found.intercept_standard_error().is_none());
}

#[test]
fn figures_are_listed_where_they_are_defined_and_absent_elsewhere() {
    let (x, labels) = cancer();
    let model = unpenalised()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let value = |model: &dyn AnyModel, name: &str| {
        let attributes = model.attributes();
        let found = attributes
            .iter()
            .find(|(described, _)| described.name == name);
        found.unwrap().1.as_number()
    };
    close(
        value(&model, "likelihood_ratio").unwrap(),
        216.40466529635955,
        1e-8,
    );
    let penalised = LogisticRegression::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    assert!(penalised.inference().is_none() && value(&penalised, "likelihood_ratio").is_none());
    // A column that repeats another has no error of its own.
    let twice = x.select(Axis(1), &[0, 0, 1]);
    let model = unpenalised()
        .fit(Labelled::new(&twice, &labels).unwrap())
        .unwrap();
    assert!(model.inference().is_none());
    // A row of weight two counts like two rows.
    let weights = vec![2.0; 569];
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let model = unpenalised()
        .fit(Labelled::new(samples, &labels).unwrap())
        .unwrap();
    close(
        model.inference().unwrap().standard_errors()[0],
        0.12946701016283702 / 2.0_f64.sqrt(),
        1e-8,
    );
}

// 002b:GP-16: the mode of LogisticRegression(C=2) of scikit-learn 1.9.1; deviations from the
// inverse of XᵀSX + diag(½, ½, ½, 0), computed with NumPy: the inverse prior covariance counts.
#[test]
fn the_posterior_has_the_mode_of_the_penalty_and_the_curvature_of_both() {
    let (x, labels) = cancer();
    let learner = BayesianLogisticRegression {
        prior_variance: 2.0,
        ..Default::default()
    };
    let model = learner.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let mode = [
        -1.2182731088457874,
        -0.8757848385046083,
        -0.42926819420717804,
    ];
    let deviations = [
        0.12811505348143434,
        0.13838167694717482,
        0.12863205572403463,
    ];
    for j in 0..3 {
        close(model.coef()[[0, j]], mode[j], 1e-6);
        close(model.covariances()[0][[j, j]].sqrt(), deviations[j], 1e-6);
    }
    close(model.intercept()[0], 0.7508722963949729, 1e-6);
    // 002b:GP-17: mean, variance and predictive at (5, −3, 2) by SciPy's quad.
    let row = array![[5.0, -3.0, 2.0]];
    let rows = Rows::Dense(row.view());
    close(
        model.score_variances(rows).unwrap()[[0, 0]],
        0.5883853777136702,
        1e-6,
    );
    close(
        model.predict_proba(&row).unwrap()[[0, 1]],
        0.035422073784644494,
        1e-5,
    );
}

// 002b:GP-16: log p(w | X, y) = −½wᵀΣ⁻¹w + Σ ln σ(yᵢ·w·xᵢ), with the inverse of the covariance and
// the label inside. Its gradient vanishes at the mode, and conjugate gradients find the same one;
// without the label, or with the covariance itself, it is another.
#[test]
fn conjugate_gradients_find_the_mode_and_the_gradient_vanishes_there() {
    let (x, labels) = cancer();
    let y: Vec<f64> = labels
        .indices
        .iter()
        .map(|&y| 2.0 * y as f64 - 1.0)
        .collect();
    let learner = BayesianLogisticRegression {
        prior_variance: 2.0,
        fit_intercept: false,
        ..Default::default()
    };
    let model = learner.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let posterior = |price: f64, with_label: bool| {
        let (x, y) = (&x, &y);
        move |w: &[f64], gradient: &mut [f64]| {
            let w = ndarray::ArrayView1::from(w);
            let mut value = 0.5 * price * w.dot(&w);
            gradient
                .iter_mut()
                .zip(w)
                .for_each(|(slope, w)| *slope = price * w);
            for (row, &label) in x.rows().into_iter().zip(y) {
                let label = if with_label { label } else { 1.0 };
                let margin = label * row.dot(&w);
                value += losses::logistic(margin);
                for (slope, x) in gradient.iter_mut().zip(row) {
                    *slope += losses::logistic_slope(margin) * label * x;
                }
            }
            value
        }
    };
    let mode = model.coef().row(0).to_vec();
    let mut gradient = [0.0; 3];
    posterior(0.5, true)(&mode, &mut gradient);
    assert!(
        gradient.iter().all(|slope| slope.abs() < 1e-7),
        "{gradient:?}"
    );
    let search = ConjugateGradient {
        gradient_tolerance: 1e-9,
        objective_tolerance: 0.0,
        ..ConjugateGradient::default()
    };
    let find = |price: f64, with_label: bool| {
        let mut objective = posterior(price, with_label);
        search
            .minimise(&mut objective, &[0.0; 3], &Run::new())
            .unwrap()
            .x
    };
    for (found, expected) in find(0.5, true).iter().zip(&mode) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
    let far = |other: Vec<f64>| other.iter().zip(&mode).any(|(a, b)| (a - b).abs() > 1e-3);
    assert!(far(find(2.0, true)) && far(find(0.5, false)));
}

// ∫σ(a)N(a | m, v)da by scipy.integrate.quad.
#[test]
fn the_quadrature_is_exact_and_the_probit_is_near() {
    for (mean, variance, expected) in [
        (1.0, 1.0, 0.6967346701436833),
        (-3.0, 10.0, 0.20381168305370914),
        (20.0, 400.0, 0.8403553658654449),
        (5.0, 0.01, 0.9932742782050584),
    ] {
        close(
            Averaging::Quadrature.probability(mean, variance),
            expected,
            1e-10,
        );
        assert!((Averaging::Probit.probability(mean, variance) - expected).abs() < 0.02);
    }
    close(
        Averaging::Mode.probability(1.0, 9.0),
        0.7310585786300049,
        1e-12,
    );
    // Both sides of the width where the sigmoid becomes a step.
    let (below, above) = (32.0 * 32.0 * 0.999_999, 32.0 * 32.0 * 1.000_001);
    let jump = Averaging::Quadrature.probability(20.0, below)
        - Averaging::Quadrature.probability(20.0, above);
    assert!(jump.abs() < 1e-6, "{jump}");
}

// 002b:GP-17: along a line of equal score the averaged probability tends to one half away from
// the rows, while that of the mode stays.
#[test]
fn lines_of_equal_probability_fan_out_away_from_the_rows() {
    let (x, labels) = cancer();
    let two = x.select(Axis(1), &[0, 1]);
    let data = Labelled::new(&two, &labels).unwrap();
    let averaged = BayesianLogisticRegression::default()
        .fit(data.clone())
        .unwrap();
    let mode = BayesianLogisticRegression {
        predictive: Averaging::Mode,
        ..Default::default()
    };
    let mode = mode.fit(data).unwrap();
    let w = averaged.coef().row(0).to_owned();
    let (along, across) = ([w[0] / w.dot(&w), w[1] / w.dot(&w)], [-w[1], w[0]]);
    let at = |t: f64| {
        array![[
            2.0 * along[0] + t * across[0],
            2.0 * along[1] + t * across[1]
        ]]
    };
    let chance = |t: f64| averaged.predict_proba(&at(t)).unwrap()[[0, 1]];
    assert!(chance(0.0) > chance(10.0) && chance(10.0) > chance(100.0) && chance(100.0) > 0.5);
    let steady = |t: f64| mode.predict_proba(&at(t)).unwrap()[[0, 1]];
    close(steady(100.0), steady(0.0), 1e-9);
}

// 002b:GP-22: several classes one against the rest, their probabilities made to sum to one.
#[test]
fn several_classes_have_probabilities_that_sum_to_one() {
    let iris = didact_datasets::iris();
    let data = iris.labelled().unwrap();
    let model = BayesianLogisticRegression::default()
        .fit(data.clone())
        .unwrap();
    let chances = model.predict_proba(iris.samples()).unwrap();
    assert!(
        chances
            .rows()
            .into_iter()
            .all(|row| (row.sum() - 1.0).abs() < 1e-12)
    );
    let predicted = model.predict(iris.samples()).unwrap();
    let right = predicted
        .iter()
        .zip(data.labels)
        .filter(|(a, b)| a == b)
        .count();
    assert!(right > 135);
    assert_eq!(model.decision_function(iris.samples()).unwrap().ncols(), 3);
}

struct Linear;

impl ScoreFunction for Linear {
    fn n_parameters(&self) -> usize {
        4
    }

    fn score(&self, row: &[f64], parameters: &[f64], gradient: &mut [f64]) -> f64 {
        gradient[..3].copy_from_slice(row);
        gradient[3] = 1.0;
        row.iter().zip(parameters).map(|(x, w)| x * w).sum::<f64>() + parameters[3]
    }
}

/// One hidden unit: θ₀·tanh(θ₁·x₀ + θ₂·x₁) + θ₃.
struct Network;

impl ScoreFunction for Network {
    fn n_parameters(&self) -> usize {
        4
    }

    fn score(&self, row: &[f64], parameters: &[f64], gradient: &mut [f64]) -> f64 {
        let hidden = (parameters[1] * row[0] + parameters[2] * row[1]).tanh();
        let slope = parameters[0] * (1.0 - hidden * hidden);
        gradient.copy_from_slice(&[hidden, slope * row[0], slope * row[1], 1.0]);
        parameters[0] * hidden + parameters[3]
    }
}

// 004:M28: a linear f is logistic regression; ln L is minus the cross-entropy.
#[test]
fn a_linear_score_is_logistic_regression() {
    let (x, labels) = cancer();
    let data = Labelled::new(&x, &labels).unwrap();
    let found = GeneralLogistic::new(Linear)
        .fit(&data, &[0.0; 4], &Run::new())
        .unwrap();
    let plain = unpenalised().fit(data.clone()).unwrap();
    for j in 0..3 {
        close(found.parameters[j], plain.coef()[[0, j]], 1e-6);
    }
    close(found.log_likelihood, -267.5176700838483, 1e-10);
    let priced = GeneralLogistic::new(Linear).with_price(0.5).unwrap();
    let priced = priced.fit(&data, &[0.0; 4], &Run::new()).unwrap();
    assert!(priced.log_likelihood < found.log_likelihood);
    assert!(
        GeneralLogistic::new(Linear)
            .fit(&data, &[0.0; 3], &Run::new())
            .is_err()
    );
}

proptest! {
    // 004:M29: ∂ln L = Σ(y − σ(f))·∂f for any differentiable f.
    #[test]
    fn the_gradient_of_a_network_is_the_finite_difference(theta in prop::array::uniform4(-2.0f64..2.0), seed in 0u64..50) {
        let x = random_matrix(15, 2, seed);
        let labels = Labels { indices: (0..15).map(|row| row % 2).collect(), classes: didact_core::Classes::new([0, 1]) };
        let data = Labelled::new(&x, &labels).unwrap();
        let learner = GeneralLogistic::new(Network);
        let (_, gradient) = learner.log_likelihood(&data, &theta).unwrap();
        for j in 0..4 {
            let (mut up, mut down) = (theta, theta);
            up[j] += 1e-6;
            down[j] -= 1e-6;
            let difference = (learner.log_likelihood(&data, &up).unwrap().0 - learner.log_likelihood(&data, &down).unwrap().0) / 2e-6;
            prop_assert!((gradient[j] - difference).abs() < 1e-6 * (1.0 + difference.abs()));
        }
    }
}
