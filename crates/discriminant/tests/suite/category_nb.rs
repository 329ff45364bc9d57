//! Naive Bayes of categories and of mixed columns.

use didact_core::random::generator;
use didact_core::{
    Classify, Fit, Labelled, Labels, LogDensity, Probabilities, Rows, Sample, Samples,
};
use didact_discriminant::{
    AttributeKind, AttributeKinds, BernoulliNB, CategoricalNB, Estimate, GaussianNB, MixedNB,
};
use ndarray::{Array2, Axis, array, s};
use rand::RngExt;

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
        let close = a == b || (a - b).abs() <= tolerance * b.abs().max(1.0);
        assert!(close, "{found:?}\n{expected:?}");
    }
}

fn table() -> (Array2<f64>, Labels, [f64; 6]) {
    let x = array![
        [2.0, 1.0, 0.0, 0.0, 3.0],
        [1.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 1.0, 1.0, 2.0],
        [0.0, 0.0, 4.0, 1.0, 0.0],
        [1.0, 0.0, 0.0, 2.0, 1.0],
        [0.0, 3.0, 0.0, 2.0, 0.0]
    ];
    let labels = Labels::from_indices(vec![0, 0, 1, 1, 2, 2]);
    (x, labels, [1.0, 2.0, 3.0, 1.0, 2.0, 0.5])
}

// 003:P35, 004:M19; scikit-learn 1.9.1: CategoricalNB(alpha=0.3).fit(X, y, sample_weight=w).
#[test]
fn categories_have_the_numbers_of_scikit_learn() {
    let (x, labels, weights) = table();
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let algorithm = CategoricalNB {
        alpha: 0.3,
        ..CategoricalNB::default()
    };
    let model = algorithm
        .fit(Labelled::new(samples, &labels).unwrap())
        .unwrap();
    assert_eq!(model.n_categories(), [3, 4, 5, 3, 4]);
    let tensor = model.feature_log_prob();
    assert_eq!(tensor.dim(), (3, 5, 5));
    assert_close(
        tensor.slice(s![.., 0, ..3]),
        &[
            -2.5649493574615367,
            -0.5280674302004967,
            -1.0986122886681096,
            -0.13062018241706408,
            -2.793208009442517,
            -2.793208009442517,
            -1.4469189829363251,
            -0.39086630868701155,
            -2.4277482359480516,
        ],
        1e-12,
    );
    let some = x.select(Axis(0), &[0, 3, 5]);
    let joint = model.joint_log_densities(Rows::Dense(some.view())).unwrap();
    assert_close(
        joint.row(1),
        &[-12.231861157933146, -5.341210352331449, -9.806835518742007],
        1e-12,
    );
    assert_close(
        model.predict_proba(&some).unwrap().row(0),
        &[
            0.9992086623957211,
            0.00019826412300436296,
            0.0005930734812741662,
        ],
        1e-12,
    );
}

// 004:M17, M19: shares by counting, and with one attribute the exact joint probabilities.
#[test]
fn shares_are_counted_and_one_attribute_gives_bayes_rule() {
    let x = array![[0.0], [0.0], [1.0], [0.0], [2.0], [2.0]];
    let labels = Labels::from_indices(vec![0, 0, 0, 1, 1, 1]);
    let algorithm = CategoricalNB {
        alpha: 0.0,
        ..CategoricalNB::default()
    };
    let model = algorithm.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let shares = model.feature_log_prob().mapv(f64::exp);
    let third = 1.0 / 3.0;
    assert_close(
        &shares,
        &[2.0 * third, third, 0.0, third, 0.0, 2.0 * third],
        1e-15,
    );
    // Of the three rows with value 0 two are of class 0.
    let p = model.predict_proba(&array![[0.0], [2.0], [7.0]]).unwrap();
    assert_close(p.row(0), &[2.0 * third, third], 1e-15);
    assert_close(p.row(1), &[0.0, 1.0], 1e-15);
    // A value that nobody has seen is impossible in both classes.
    assert_close(p.row(2), &[0.5, 0.5], 1e-15);
}

#[test]
fn unseen_and_missing_values_have_a_defined_answer() {
    let (x, labels, _) = table();
    let model = CategoricalNB::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let nothing = array![[f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN]];
    assert_close(
        &model.predict_proba(&nothing).unwrap(),
        &[1.0 / 3.0; 3],
        1e-12,
    );
    let unseen = array![[40.0, 1.0, 0.0, 0.0, 3.0]];
    // Every class has two rows, so the unseen value says nothing.
    let missing = array![[f64::NAN, 1.0, 0.0, 0.0, 3.0]];
    assert_close(
        &model.predict_proba(&unseen).unwrap(),
        &model.predict_proba(&missing).unwrap(),
        1e-12,
    );
    let message = model
        .predict(&array![[0.5, 1.0, 0.0, 0.0, 3.0]])
        .unwrap_err();
    assert!(
        message
            .to_string()
            .starts_with("row 0, column 0 is 0.5; categories"),
        "{message}"
    );
    let wide = CategoricalNB {
        min_categories: Some(9),
        ..CategoricalNB::default()
    };
    let model = wide.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_eq!(model.n_categories(), [9; 5]);
}

#[test]
fn columns_of_one_kind_are_the_methods_of_that_kind() {
    let iris = didact_datasets::iris();
    let gaussian = GaussianNB::default().fit(iris.labelled().unwrap()).unwrap();
    let mixed = MixedNB::default().fit(iris.labelled().unwrap()).unwrap();
    assert_close(
        &mixed.predict_proba(iris.samples()).unwrap(),
        &gaussian.predict_proba(iris.samples()).unwrap(),
        1e-12,
    );
    let mut coins = generator(1, 0);
    let x = Array2::from_shape_fn((60, 4), |_| {
        f64::from(u8::from(coins.random::<f64>() < 0.4))
    });
    let labels = Labels::from_indices((0..60).map(|row| row % 3).collect());
    let data = || Labelled::new(&x, &labels).unwrap();
    let bernoulli = BernoulliNB::default().fit(data()).unwrap();
    let categorical = CategoricalNB::default().fit(data()).unwrap();
    let expected = bernoulli.predict_proba(&x).unwrap();
    assert_close(&categorical.predict_proba(&x).unwrap(), &expected, 1e-12);
    for kind in [AttributeKind::Bernoulli, AttributeKind::Categorical] {
        let mixed = MixedNB {
            kinds: vec![kind].into(),
            estimate: Estimate::PosteriorPredictive,
            ..MixedNB::default()
        };
        let model = mixed.fit(data()).unwrap();
        assert_close(&model.predict_proba(&x).unwrap(), &expected, 1e-12);
    }
}

// 003:P35: plug-in of maximum likelihood and of the posterior mode, and the posterior predictive.
#[test]
fn every_kind_has_its_three_estimates() {
    use AttributeKind::{Bernoulli, Categorical, Gaussian, Poisson};
    // One class: 1, 3, 2, 6 counted; on, off, on, on; values 0, 2, 0, 0.
    let x = array![
        [1.0, 1.0, 1.0, 0.0],
        [2.0, 3.0, 0.0, 2.0],
        [4.0, 2.0, 1.0, 0.0],
        [3.5, 6.0, 1.0, 0.0]
    ];
    let labels = Labels::from_indices(vec![0; 4]);
    let density = |estimate: Estimate, column: usize, value: f64| {
        let kinds = vec![[Gaussian, Poisson, Bernoulli, Categorical][column]];
        let algorithm = MixedNB {
            kinds: kinds.into(),
            estimate,
            alpha: 2.0,
            rate_shape: 3.0,
            rate_strength: 2.0,
            prior_mean: 1.0,
            prior_strength: 0.5,
            prior_shape: 2.0,
            prior_scale: 1.5,
            var_smoothing: 0.0,
            ..MixedNB::default()
        };
        let column = x.slice(s![.., column..=column]);
        let model = algorithm
            .fit(Labelled::new(column, &labels).unwrap())
            .unwrap();
        model.score_samples(&array![[value]]).unwrap()[0].exp()
    };
    let (ml, map, all) = (
        Estimate::MaximumLikelihood,
        Estimate::MaximumAPosteriori,
        Estimate::PosteriorPredictive,
    );
    // Poisson: Σx = 12 of 4; the posterior is Gamma(15, 6), its mode 14/6, and the predictive
    // negative binomial: Γ(15+2)/(Γ(15)·2!)·(6/7)¹⁵·(1/7)² at 2.
    let poisson = |rate: f64| rate * rate * (-rate).exp() / 2.0;
    assert_close(&[density(ml, 1, 2.0)], &[poisson(3.0)], 1e-12);
    assert_close(&[density(map, 1, 2.0)], &[poisson(14.0 / 6.0)], 1e-12);
    let predictive = 16.0 * 15.0 / 2.0 * (6.0_f64 / 7.0).powi(15) / 49.0;
    assert_close(&[density(all, 1, 2.0)], &[predictive], 1e-12);
    // Bernoulli with Beta(2, 2): 3/4, (3+1)/(4+2), (3+2)/(4+4).
    assert_close(&[density(ml, 2, 1.0)], &[0.75], 1e-12);
    assert_close(&[density(map, 2, 1.0)], &[4.0 / 6.0], 1e-12);
    assert_close(&[density(all, 2, 1.0)], &[5.0 / 8.0], 1e-12);
    // Three values with Dirichlet(2, 2, 2): 1/4, (1+1)/(4+3), (1+2)/(4+6).
    assert_close(&[density(ml, 3, 2.0)], &[0.25], 1e-12);
    assert_close(&[density(map, 3, 2.0)], &[2.0 / 7.0], 1e-12);
    assert_close(&[density(all, 3, 2.0)], &[0.3], 1e-12);
    assert_close(&[density(ml, 3, 1.0)], &[0.0], 1e-12);
    // The published predictive of the Gaussian column at 3 is a Student t of 0.2811664.
    let gaussian = x.slice(s![.., ..1]);
    assert_eq!(gaussian.sum(), 10.5);
    assert_close(&[density(all, 0, 3.0)], &[0.2811664], 2e-7);
}

#[test]
fn a_row_of_four_kinds_is_the_product_of_its_columns() {
    use AttributeKind::{Bernoulli, Categorical, Gaussian, Poisson};
    let kinds = vec![Gaussian, Poisson, Bernoulli, Categorical];
    let mut random = generator(9, 0);
    let x = Array2::from_shape_fn((80, 4), |(row, column)| {
        let value: f64 = random.random::<f64>() + (row % 2) as f64;
        [
            value,
            (4.0 * value).floor(),
            (value > 1.0).into(),
            (2.0 * value).floor(),
        ][column]
    });
    let labels = Labels::from_indices((0..80).map(|row| row % 2).collect());
    for estimate in [
        Estimate::MaximumLikelihood,
        Estimate::MaximumAPosteriori,
        Estimate::PosteriorPredictive,
    ] {
        let fit = |kinds: Vec<AttributeKind>, columns: std::ops::Range<usize>| {
            let algorithm = MixedNB {
                kinds: kinds.into(),
                estimate,
                var_smoothing: 0.0,
                ..MixedNB::default()
            };
            let part = x.slice(s![.., columns]).to_owned();
            let model = algorithm
                .fit(Labelled::new(&part, &labels).unwrap())
                .unwrap();
            model.joint_log_densities(Rows::Dense(part.view())).unwrap()
        };
        let whole = fit(kinds.clone(), 0..4);
        let mut product = Array2::from_elem((80, 2), 3.0 * 2.0_f64.ln());
        for column in 0..4 {
            product += &fit(vec![kinds[column]], column..column + 1);
        }
        assert_close(&whole, &product, 1e-12);
    }
    let algorithm = MixedNB {
        kinds: kinds.clone().into(),
        estimate: Estimate::PosteriorPredictive,
        ..MixedNB::default()
    };
    let model = algorithm.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let drawn = model.sample(500, 2).unwrap();
    // What is drawn can be weighed again, so every column has values of its kind.
    assert!(
        model
            .score_samples(&drawn.rows)
            .unwrap()
            .iter()
            .all(|value| value.is_finite())
    );
    assert!(model.predict(&x).is_ok());
    let wrong = MixedNB {
        kinds: AttributeKinds::All(Poisson),
        ..MixedNB::default()
    };
    let message = wrong
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap_err()
        .to_string();
    assert!(message.starts_with("row 0, column 0 is"), "{message}");
    let short = MixedNB {
        kinds: kinds[..2].to_vec().into(),
        ..MixedNB::default()
    };
    let message = short
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("kinds is a list of 2; there are 4 columns"),
        "{message}"
    );
}
