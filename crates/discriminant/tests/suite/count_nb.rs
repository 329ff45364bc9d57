//! Naive Bayes of counts: the text's example, scikit-learn's numbers, sparse rows, pieces.

use didact_core::random::generator;
use didact_core::{
    Classify, Csr, Fit, Labelled, Labels, LearnInPieces, LogDensity, Next, Probabilities, Rows,
    Run, Sample, Samples,
};
use didact_discriminant::{BernoulliNB, ComplementNB, MultinomialNB, MultinomialNBModel};
use ndarray::{Array2, Axis, array};
use proptest::prelude::*;
use rand::RngExt;

#[track_caller]
fn assert_close<'a>(
    found: impl IntoIterator<Item = &'a f64>,
    expected: impl IntoIterator<Item = &'a f64>,
) {
    let found: Vec<f64> = found.into_iter().copied().collect();
    let expected: Vec<f64> = expected.into_iter().copied().collect();
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(&expected) {
        let close = a == b || (a - b).abs() <= 1e-12 * b.abs().max(1.0);
        assert!(close, "{found:?}\n{expected:?}");
    }
}

/// Six documents of five tokens in three classes, and their weights.
fn documents() -> (Array2<f64>, Labels, [f64; 6]) {
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

/// The documents aab (+1), ab (+1) and cdb (−1) over the letters a, b, c, d.
fn letters(alpha: f64) -> MultinomialNBModel {
    let x = array![
        [2.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 1.0, 1.0]
    ];
    let labels = Labels::from_names([1, 1, -1]);
    let algorithm = MultinomialNB {
        alpha,
        ..MultinomialNB::default()
    };
    algorithm.fit(Labelled::new(&x, &labels).unwrap()).unwrap()
}

// 001:NB-01, NB-02, NB-03, T-17.
#[test]
fn token_shares_are_those_of_highest_likelihood() {
    let model = letters(0.0);
    assert_close(model.class_prior(), &[1.0 / 3.0, 2.0 / 3.0]);
    let shares = model.feature_log_prob().mapv(f64::exp);
    let third = 1.0 / 3.0;
    assert_close(&shares, &[0.0, third, third, third, 0.6, 0.4, 0.0, 0.0]);
    let x = array![
        [2.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 1.0, 1.0]
    ];
    let density = model.score_samples(&x).unwrap();
    assert_close(&density.mapv(f64::exp), &[0.096, 0.16, 1.0 / 81.0]);
    assert!((density.sum() - -8.5704377).abs() < 5e-8);
    // Other shares on the simplex are less likely: the closed form is the maximum.
    for smoothed in [0.01, 0.3, 1.0] {
        assert!(letters(smoothed).score_samples(&x).unwrap().sum() < density.sum());
    }
    let add_one = letters(1.0).feature_log_prob().mapv(f64::exp);
    let (ninth, seventh) = (1.0 / 9.0, 1.0 / 7.0);
    assert_close(
        &add_one,
        &[
            seventh,
            2.0 * seventh,
            2.0 * seventh,
            2.0 * seventh,
            4.0 * ninth,
            3.0 * ninth,
            ninth,
            ninth,
        ],
    );
}

// 001:NB-04, T-17: "b" favours +1, "ab" and "c" are certain, "ac" is possible in neither class.
#[test]
fn log_odds_may_be_infinite_and_undefined() {
    let model = letters(0.0);
    let x = array![
        [0.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [1.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0]
    ];
    let odds = model.log_odds(Rows::Dense(x.view())).unwrap();
    assert!((odds[0].unwrap() - 0.8754687).abs() < 5e-8);
    assert_eq!(odds[1], Some(f64::INFINITY));
    assert_eq!(odds[2], Some(f64::NEG_INFINITY));
    assert_eq!(odds[3], None);
    assert_close(&[odds[4].unwrap()], &[2.0_f64.ln()]);
    assert_eq!(model.predict(&x).unwrap(), [1, 1, 0, 1, 1]);
    let probabilities = model.predict_proba(&x).unwrap();
    assert_close(probabilities.row(1), &[0.0, 1.0]);
    // Where no class can be, the class probabilities are all that is left.
    assert_close(probabilities.row(3), &[1.0 / 3.0, 2.0 / 3.0]);
    let sparse = Csr::from_dense(x.view());
    assert_eq!(model.log_odds(Rows::Sparse(sparse.view())).unwrap(), odds);
}

// 001:NB-05; scikit-learn 1.9.1: MultinomialNB(alpha=0.3).fit(X, y, sample_weight=w).
#[test]
fn the_multinomial_law_has_the_numbers_of_scikit_learn() {
    let (x, labels, weights) = documents();
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let algorithm = MultinomialNB {
        alpha: 0.3,
        ..MultinomialNB::default()
    };
    let model = algorithm
        .fit(Labelled::new(samples, &labels).unwrap())
        .unwrap();
    assert_close(
        model.feature_log_prob().row(1),
        &[
            -4.272025739459553,
            -1.8741304666611824,
            -1.0801785869792715,
            -1.6094379124341003,
            -1.22750330173613,
        ],
    );
    let some = x.select(Axis(0), &[0, 3, 5]);
    let joint = model.joint_log_densities(Rows::Dense(some.view())).unwrap();
    assert_close(
        joint.row(0),
        &[-8.11384180286484, -14.965689288275282, -11.492108685882705],
    );
    assert_close(
        model.predict_proba(&some).unwrap().row(2),
        &[
            0.021226328464949554,
            0.25456865084989727,
            0.7242050206851528,
        ],
    );
    assert_eq!(model.predict(&some).unwrap(), [0, 1, 2]);
}

// scikit-learn 1.9.1: ComplementNB(alpha=0.3, norm=False or True).fit(X, y, sample_weight=w).
#[test]
fn the_complement_has_the_numbers_of_scikit_learn() {
    let (x, labels, weights) = documents();
    let some = x.select(Axis(0), &[0, 3, 5]);
    let fit = |norm: bool| {
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let algorithm = ComplementNB {
            alpha: 0.3,
            norm,
            ..ComplementNB::default()
        };
        algorithm
            .fit(Labelled::new(samples, &labels).unwrap())
            .unwrap()
    };
    assert_close(
        fit(false).feature_log_prob().row(0),
        &[
            2.6328267798646228,
            1.8971199848858813,
            1.477861554645381,
            1.2357215026405162,
            1.3494803879971742,
        ],
    );
    assert_close(
        fit(false).predict_proba(&some).unwrap().row(2),
        &[0.2954112180928529, 0.13970265307475271, 0.5648861288323936],
    );
    let joint = fit(true)
        .joint_log_densities(Rows::Dense(some.view()))
        .unwrap();
    assert_close(
        joint.row(1),
        &[0.8317420259639277, 1.876362700762769, 0.9474945796000018],
    );
}

// 003:P35; scikit-learn 1.9.1: BernoulliNB(alpha=0.3, binarize=0.5).fit(X, y, sample_weight=w).
#[test]
fn the_bernoulli_law_has_the_numbers_of_scikit_learn() {
    let (x, labels, weights) = documents();
    let samples = Samples::from(&x).weighted(&weights).unwrap();
    let algorithm = BernoulliNB {
        alpha: 0.3,
        binarize: Some(0.5),
        ..BernoulliNB::default()
    };
    let model = algorithm
        .fit(Labelled::new(samples, &labels).unwrap())
        .unwrap();
    assert_close(
        model.feature_log_prob().row(2),
        &[
            -0.2984929885559967,
            -1.3545456628053103,
            -2.3353749158170367,
            -0.10178269430994247,
            -0.2984929885559967,
        ],
    );
    let some = x.select(Axis(0), &[0, 3, 5]);
    let joint = model.joint_log_densities(Rows::Dense(some.view())).unwrap();
    assert_close(
        joint.row(1),
        &[-11.54033083161735, -3.5947053579283175, -6.779742991025936],
    );
    assert_close(
        model.predict_proba(&some).unwrap().row(2),
        &[0.12097362766787198, 0.49988490091633475, 0.3791414714157933],
    );
}

#[test]
fn without_smoothing_what_is_never_or_always_on_rules_classes_out() {
    let x = array![[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]];
    let labels = Labels::from_indices(vec![0, 0, 1, 1]);
    let algorithm = BernoulliNB {
        alpha: 0.0,
        binarize: None,
        ..BernoulliNB::default()
    };
    let model = algorithm.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    // Class 0 always has the first column, class 1 never the second.
    let asked = array![[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let p = model.predict_proba(&asked).unwrap();
    // ½·1·½ against ½·½·1.
    assert_close(p.row(0), &[0.5, 0.5]);
    assert_close(p.row(1), &[0.0, 1.0]);
    assert_close(p.row(2), &[1.0, 0.0]);
    assert_close(p.row(3), &[0.5, 0.5]);
    assert_close(
        &model.score_samples(&asked).unwrap().mapv(f64::exp),
        &[0.5, 0.25, 0.25, 0.0],
    );
    let complaint = model.predict(&array![[2.0, 0.0]]).unwrap_err().to_string();
    assert_eq!(
        complaint,
        "row 0, column 0 is 2; it must be 0 or 1, or set binarize to a threshold"
    );
}

#[test]
fn class_probabilities_are_learned_uniform_or_given() {
    let (x, labels, _) = documents();
    let some = x.select(Axis(0), &[0, 1, 2, 4]);
    let some_labels = Labels {
        indices: vec![0, 0, 1, 2],
        classes: labels.classes.clone(),
    };
    let prior = |fit_prior: bool, class_prior: Option<Vec<f64>>| {
        let algorithm = MultinomialNB {
            fit_prior,
            class_prior,
            ..MultinomialNB::default()
        };
        let model = algorithm.fit(Labelled::new(&some, &some_labels).unwrap());
        model.map(|model| model.class_prior().to_vec())
    };
    assert_eq!(prior(true, None).unwrap(), [0.5, 0.25, 0.25]);
    assert_close(&prior(false, None).unwrap(), &[1.0 / 3.0; 3]);
    assert_eq!(
        prior(true, Some(vec![0.2, 0.3, 0.5])).unwrap(),
        [0.2, 0.3, 0.5]
    );
    let message = prior(true, Some(vec![0.2, 0.3])).unwrap_err().to_string();
    assert!(
        message.starts_with("class_prior is a list of 2"),
        "{message}"
    );
}

#[test]
fn counts_that_are_negative_or_too_large_are_refused() {
    let labels = Labels::from_indices(vec![0, 1]);
    let fit = |x: &Array2<f64>| {
        let data = Labelled::new(x, &labels).unwrap();
        MultinomialNB::default().fit(data).unwrap_err().to_string()
    };
    assert_eq!(
        fit(&array![[1.0, 0.0], [2.0, -3.0]]),
        "row 1, column 1 is -3; a count must not be negative"
    );
    let labels = Labels::from_indices(vec![0, 0]);
    let huge = array![[1e308], [1e308]];
    let data = Labelled::new(&huge, &labels).unwrap();
    let message = MultinomialNB::default().fit(data).unwrap_err().to_string();
    assert!(message.contains("overflow"), "{message}");
    let threshold = BernoulliNB {
        binarize: Some(-1.0),
        ..BernoulliNB::default()
    };
    let sparse = Csr::from_dense(array![[1.0, 0.0], [0.0, 1.0]].view());
    let data = Labelled::new(sparse.view(), &labels).unwrap();
    let message = threshold.fit(data).unwrap_err().to_string();
    assert!(message.starts_with("binarize is -1"), "{message}");
}

/// Random counts, most of them zero.
fn counts(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((rows, columns), |_| {
        (6.0 * generator.random::<f64>().powi(4)).floor()
    })
}

#[test]
fn drawn_documents_follow_the_shares_of_their_class() {
    let (x, labels, _) = documents();
    let model = MultinomialNB::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let drawn = model.sample(9_000, 4).unwrap();
    let shares = model.feature_log_prob().mapv(f64::exp);
    for class in 0..3 {
        let own: Vec<usize> = (0..9_000)
            .filter(|&row| drawn.labels[row] == class)
            .collect();
        let totals = drawn.rows.select(Axis(0), &own).sum_axis(Axis(0));
        let tokens = totals.sum();
        for (total, share) in totals.iter().zip(shares.row(class)) {
            let error = (share * (1.0 - share) / tokens).sqrt();
            assert!((total / tokens - share).abs() < 5.0 * error);
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let x = counts(20_000, 7, 3);
    let sparse = Csr::from_dense(x.view());
    let labels = Labels::from_indices((0..20_000).map(|row| row % 3).collect());
    let fit = |threads: usize| {
        let data = Labelled::new(sparse.view(), &labels).unwrap();
        let run = Run::new().threads(threads);
        MultinomialNB::default().fit_with(data, &run).unwrap()
    };
    assert!(fit(1) == fit(2) && fit(1) == fit(4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn dense_sparse_and_pieces_agree(n in 6usize..40, cut in 1usize..5, seed: u64, alpha in 0.0..2.0_f64) {
        let x = counts(n, 6, seed);
        let sparse = Csr::from_dense(x.view());
        let labels = Labels::from_indices((0..n).map(|row| row % 3).collect());
        let algorithm = MultinomialNB { alpha, ..MultinomialNB::default() };
        let dense = algorithm.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let data = Labelled::new(sparse.view(), &labels).unwrap();
        prop_assert!(dense == algorithm.fit(data.clone()).unwrap());
        let run = Run::new();
        let part = |range| algorithm.summarise(&(), data.slice(range), 0, &run).unwrap();
        let (left, right) = (part(0..cut), part(cut..n));
        let whole = LearnInPieces::<Labelled<'static>>::merge(&algorithm, right, left).unwrap();
        let Next::Done(pieces) = LearnInPieces::<Labelled<'static>>::step(&algorithm, (), whole, &run).unwrap() else {
            panic!("one pass is enough")
        };
        // Whole counts are added exactly, in any order.
        prop_assert!(dense == pieces);
        let p = dense.predict_proba(&x).unwrap();
        prop_assert!(p == dense.predict_proba(sparse.view()).unwrap());
        prop_assert!(p.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12));
    }
}
