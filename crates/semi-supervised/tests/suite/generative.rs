//! Classes that generate their rows.

use crate::data::accuracy;
use didact_core::{
    Csr, Fit, LogDensity, PartialLabels, PartlyLabelled, Probabilities, Rows, Run, Samples,
};
use didact_datasets::iris;
use didact_math::linalg::{Moments, solve};
use didact_mixture::{GaussianMixture, PrecisionsInit};
use didact_semi_supervised::{
    ClassShape, CountLaw, SemiSupervisedMixture, SemiSupervisedMixtureModel,
    SemiSupervisedNaiveBayes, UnlabelledUse, transductive_risk,
};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, Axis, array};

/// The data of 000a:fx-D18: labelled 0, 2 and 10, 12; unlabelled 3 and 9.
fn six() -> (Array2<f64>, PartialLabels) {
    let x = array![[0.0], [2.0], [10.0], [12.0], [3.0], [9.0]];
    let names = [Some("a"), Some("a"), Some("b"), Some("b"), None, None];
    (x, PartialLabels::from_names(names))
}

/// Two normal clouds, `distance` apart in every column, of which every `every`-th row is labelled.
fn clouds(
    n: usize,
    d: usize,
    distance: f64,
    every: usize,
    seed: u64,
) -> (Array2<f64>, Vec<usize>, PartialLabels) {
    let mut x = random_matrix(n, d, seed);
    let truth: Vec<usize> = (0..n).map(|row| row % 2).collect();
    for (mut row, &class) in x.rows_mut().into_iter().zip(&truth) {
        // The second cloud is wider.
        row.mapv_inplace(|value| match class {
            0 => value,
            _ => 1.5 * value + distance,
        });
    }
    let name = |row: usize| (row / 2).is_multiple_of(every).then_some(truth[row] as i64);
    let labels = PartialLabels::from_names((0..n).map(name));
    (x, truth, labels)
}

fn exact(learning: UnlabelledUse, max_iter: usize) -> SemiSupervisedMixture {
    SemiSupervisedMixture {
        learning,
        reg_covar: 0.0,
        tol: 0.0,
        max_iter,
        ..SemiSupervisedMixture::default()
    }
}

fn fit(
    method: &SemiSupervisedMixture,
    x: &Array2<f64>,
    labels: &PartialLabels,
) -> SemiSupervisedMixtureModel {
    method.fit(PartlyLabelled::new(x, labels).unwrap()).unwrap()
}

// 000a:SSL-04, 000a:fx-D18: the first step of clamped learning, over all six rows.
#[test]
fn the_first_step_of_clamped_learning_is_the_one_found_by_hand() {
    let (x, labels) = six();
    let model = fit(&exact(UnlabelledUse::Joint, 1), &x, &labels);
    // Row 3 belongs to the other class with probability e⁻³⁰.
    assert!((model.means()[[0, 0]] - 5.0 / 3.0).abs() < 1e-11);
    assert!((model.means()[[1, 0]] - 31.0 / 3.0).abs() < 1e-11);
    assert!((model.covariance(0)[[0, 0]] - 14.0 / 9.0).abs() < 1e-11);
    assert_eq!(model.transduction(), [0, 0, 1, 1, 0, 1]);
}

// 000a:SSL-03, 000a:fx-D18: the divisor is N − l, and nothing keeps seeded classes from collapsing.
#[test]
fn seeded_learning_forgets_the_labels_and_collapses() {
    let (x, labels) = six();
    let method = SemiSupervisedMixture {
        learning: UnlabelledUse::Seeded,
        tol: 1e-12,
        ..SemiSupervisedMixture::default()
    };
    let model = fit(&method, &x, &labels);
    assert_close(model.means(), &array![[3.0], [9.0]], 1e-12);
    for class in 0..2 {
        // Nothing but what is added to every variance.
        assert!((model.covariance(class)[[0, 0]] - 1e-6).abs() < 1e-15);
    }
    // With N − l + 1 they would sum to 2/3.
    assert_close(model.weights(), &array![0.5, 0.5], 1e-12);
}

// 000a:SSL-04: EM on Σ ln πN over labelled rows plus Σ ln ΣπN over the others.
#[test]
fn the_joint_objective_never_falls_and_is_the_printed_one() {
    let (x, _, labels) = clouds(120, 2, 2.5, 5, 1);
    for covariance_type in [
        ClassShape::Full,
        ClassShape::Tied,
        ClassShape::Diag,
        ClassShape::Spherical,
    ] {
        let method = SemiSupervisedMixture {
            covariance_type,
            ..exact(UnlabelledUse::Joint, 40)
        };
        let model = fit(&method, &x, &labels);
        let objectives = &model.history().objectives;
        for pair in objectives.windows(2) {
            assert!(
                pair[1] >= pair[0] - 1e-12 * pair[0].abs(),
                "{covariance_type:?}"
            );
        }
        let (density, probability) = (
            model.score_samples(&x).unwrap(),
            model.predict_proba(&x).unwrap(),
        );
        let term = |row: usize| {
            density[row] + labels.indices[row].map_or(0.0, |class| probability[[row, class]].ln())
        };
        let expected = (0..120).map(term).sum::<f64>() / 120.0;
        assert!((objectives.last().unwrap() - expected).abs() < 1e-10);
    }
}

// 000a:SSL-03: the likelihood of the unlabelled rows never falls.
#[test]
fn the_likelihood_of_the_unlabelled_rows_never_falls_after_seeding() {
    let (x, _, labels) = clouds(120, 2, 2.5, 5, 2);
    let model = fit(&exact(UnlabelledUse::Seeded, 40), &x, &labels);
    let objectives = &model.history().objectives;
    for pair in objectives.windows(2) {
        assert!(pair[1] >= pair[0] - 1e-12 * pair[0].abs());
    }
    let unknown: Vec<usize> = (0..120)
        .filter(|&row| labels.indices[row].is_none())
        .collect();
    let density = model.score_samples(&x.select(Axis(0), &unknown)).unwrap();
    assert!((objectives.last().unwrap() - density.mean().unwrap()).abs() < 1e-12);
}

// 000a:SSL-04, 001:OV-05: with all labels it is the supervised estimate.
#[test]
fn all_labels_give_the_supervised_estimate() {
    let iris = iris();
    let labels = iris.labels().unwrap();
    let model = exact(UnlabelledUse::Joint, 100)
        .fit(iris.labelled().unwrap())
        .unwrap();
    for class in 0..3 {
        let rows: Vec<usize> = (0..150)
            .filter(|&row| labels.indices[row] == class)
            .collect();
        let own = iris.features().select(Axis(0), &rows);
        let moments = Moments::summarise(Rows::Dense(own.view()), None, &Run::new()).unwrap();
        assert_close(&model.means().row(class).to_owned(), &moments.mean, 1e-12);
        assert_close(&model.covariance(class), &(moments.scatter / 50.0), 1e-12);
    }
    assert_close(
        model.weights(),
        &array![1.0, 1.0, 1.0].mapv(|one| one / 3.0),
        1e-12,
    );
    assert_eq!(model.history().n_iter(), 0);
}

// 000a:SSL-04, 001:OV-05: rows without labels alone are learned as by plain EM.
#[test]
fn without_labels_it_is_a_gaussian_mixture() {
    let (x, _, labels) = clouds(150, 2, 2.0, 5, 3);
    let start = fit(&exact(UnlabelledUse::Ignored, 1), &x, &labels);
    let precision = |class: usize| {
        let inverse = solve(start.covariance(class).view(), Array2::eye(2).view()).unwrap();
        inverse.rows().into_iter().map(|row| row.to_vec()).collect()
    };
    let plain = GaussianMixture {
        n_components: 2,
        weights_init: Some(start.weights().to_vec()),
        means_init: Some(
            start
                .means()
                .rows()
                .into_iter()
                .map(|row| row.to_vec())
                .collect(),
        ),
        precisions_init: Some(PrecisionsInit::Matrices(vec![precision(0), precision(1)])),
        reg_covar: 0.0,
        tol: 0.0,
        max_iter: 7,
        ..GaussianMixture::default()
    };
    let unknown: Vec<usize> = (0..150)
        .filter(|&row| labels.indices[row].is_none())
        .collect();
    let alone = x.select(Axis(0), &unknown);
    let expected = plain
        .fit(Samples::from(&alone))
        .unwrap()
        .score_samples(&x)
        .unwrap();
    let seeded = fit(&exact(UnlabelledUse::Seeded, 7), &x, &labels);
    assert_close(&seeded.score_samples(&x).unwrap(), &expected, 1e-9);
}

// 000a:SSL-05: with most rows labelled these alone, otherwise seed and go on.
#[test]
fn the_minority_of_the_rows_decides_how_they_are_used() {
    let with = |every: usize, learning: UnlabelledUse| {
        let (x, _, labels) = clouds(80, 2, 3.0, every, 4);
        fit(&exact(learning, 20), &x, &labels).means().clone()
    };
    // Half of the rows are no majority.
    assert_eq!(
        with(2, UnlabelledUse::Minority),
        with(2, UnlabelledUse::Seeded)
    );
    let (x, _, mut labels) = clouds(80, 2, 3.0, 1, 4);
    labels.indices[5] = None;
    let means = |learning| fit(&exact(learning, 20), &x, &labels).means().clone();
    assert_eq!(
        means(UnlabelledUse::Minority),
        means(UnlabelledUse::Ignored)
    );
    assert_ne!(means(UnlabelledUse::Minority), means(UnlabelledUse::Joint));
}

// 002a:CL01: few labels with many rows beat few labels alone, and come near all labels.
#[test]
fn rows_without_a_class_help_where_labels_are_few() {
    let (mut joint, mut ignored, mut supervised) = (0.0, 0.0, 0.0);
    for seed in 10..20 {
        // Three labels per class of 120 rows, four columns.
        let (x, truth, few) = clouds(240, 4, 1.8, 40, seed);
        let (_, _, all) = clouds(240, 4, 1.8, 1, seed);
        let risk = |labels: &PartialLabels, learning: UnlabelledUse| {
            let method = SemiSupervisedMixture {
                learning,
                covariance_type: ClassShape::Diag,
                ..SemiSupervisedMixture::default()
            };
            let model = fit(&method, &x, labels);
            transductive_risk(model.transduction(), &truth, &few.indices).unwrap()
        };
        joint += risk(&few, UnlabelledUse::Joint) / 10.0;
        ignored += risk(&few, UnlabelledUse::Ignored) / 10.0;
        supervised += risk(&all, UnlabelledUse::Joint) / 10.0;
    }
    assert!(joint < 0.5 * ignored, "{joint} {ignored}");
    assert!(joint < supervised + 0.02, "{joint} {supervised}");
}

#[test]
fn a_class_with_one_label_starts_wide_and_finds_its_rows() {
    let (x, truth, _) = clouds(200, 3, 6.0, 1, 5);
    let name = |row: usize| (row < 2).then_some(truth[row] as i64);
    let labels = PartialLabels::from_names((0..200).map(name));
    let model = fit(&SemiSupervisedMixture::default(), &x, &labels);
    assert!(accuracy(model.transduction(), &truth) > 0.98);
}

/// Counts of six words in texts of two kinds.
fn texts(seed: u64) -> (Array2<f64>, Vec<usize>, PartialLabels) {
    let noise = random_matrix(80, 6, seed);
    let truth: Vec<usize> = (0..80).map(|row| row % 2).collect();
    let x = Array2::from_shape_fn((80, 6), |(row, word)| {
        let usual = if word / 3 == truth[row] { 2.0 } else { 0.4 };
        (usual + noise[[row, word]]).max(0.0).round()
    });
    let name = |row: usize| (row % 10 < 2).then_some(truth[row] as i64);
    let labels = PartialLabels::from_names((0..80).map(name));
    (x, truth, labels)
}

// 001:OV-05: naive Bayes with clamped labels.
#[test]
fn naive_bayes_climbs_and_finds_the_kinds_of_texts() {
    let (x, truth, labels) = texts(1);
    for law in [CountLaw::Multinomial, CountLaw::Bernoulli] {
        let method = SemiSupervisedNaiveBayes {
            law,
            tol: 0.0,
            max_iter: 30,
            ..SemiSupervisedNaiveBayes::default()
        };
        let model = method
            .fit(PartlyLabelled::new(&x, &labels).unwrap())
            .unwrap();
        for pair in model.history().objectives.windows(2) {
            assert!(pair[1] >= pair[0] - 1e-12 * pair[0].abs(), "{law:?}");
        }
        assert!(accuracy(model.transduction(), &truth) > 0.85, "{law:?}");
        let sparse = Csr::from_dense(x.view());
        let thin = method
            .fit(PartlyLabelled::new(&sparse, &labels).unwrap())
            .unwrap();
        assert_close(thin.rates(), model.rates(), 1e-12);
    }
}

// 001:OV-05: with all labels the rates are the smoothed shares.
#[test]
fn all_labels_give_the_smoothed_rates() {
    let x = array![[2.0, 0.0], [1.0, 1.0], [0.0, 5.0]];
    let labels = PartialLabels::from_names([Some("a"), Some("a"), Some("b")]);
    let rates = |law: CountLaw| {
        let method = SemiSupervisedNaiveBayes {
            law,
            ..SemiSupervisedNaiveBayes::default()
        };
        let model = method
            .fit(PartlyLabelled::new(&x, &labels).unwrap())
            .unwrap();
        assert_close(model.weights(), &array![2.0 / 3.0, 1.0 / 3.0], 1e-15);
        model.rates().clone()
    };
    // (3 + 1)/(4 + 2), (0 + 1)/(5 + 2), …
    let expected = array![[4.0 / 6.0, 2.0 / 6.0], [1.0 / 7.0, 6.0 / 7.0]];
    assert_close(&rates(CountLaw::Multinomial), &expected, 1e-15);
    // (2 + 1)/(2 + 2), (0 + 1)/(1 + 2), …
    let expected = array![[3.0 / 4.0, 2.0 / 4.0], [1.0 / 3.0, 2.0 / 3.0]];
    assert_close(&rates(CountLaw::Bernoulli), &expected, 1e-15);
}

#[test]
fn counts_below_zero_are_refused() {
    let x = array![[1.0], [-2.0]];
    let labels = PartialLabels::from_names([Some("a"), None]);
    let error = SemiSupervisedNaiveBayes::default()
        .fit(PartlyLabelled::new(&x, &labels).unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("row 1 holds -2, but counts"), "{error}");
}
