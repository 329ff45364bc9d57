//! Logistic and softmax regression as users see them.

use didact_core::random::generator;
use didact_core::{
    AnyModel, Cancel, Classes, Classify, Csr, Error, Fit, Labelled, Labels, LearnInPieces, Model,
    Next, Probabilities, Run, Samples, Scores, StopReason,
};
use didact_linear::{ClassWeight, LogisticModel, LogisticRegression, Penalty, Solver};
use ndarray::{Array2, Axis, array, s};
use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};
use std::collections::BTreeMap;

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
            (a - b).abs() <= tolerance * (1.0 + b.abs()),
            "{found:?}\n{expected:?}"
        );
    }
}

const SOLVERS: [Solver; 3] = [Solver::Auto, Solver::Newton, Solver::Lbfgs];

fn with(solver: Solver) -> LogisticRegression {
    LogisticRegression {
        solver,
        tol: 1e-10,
        ..LogisticRegression::default()
    }
}

/// Noisy labels of `classes` classes that depend on the rows.
fn noisy(x: &Array2<f64>, classes: usize, seed: u64) -> Labels {
    let scores =
        x.dot(&random(x.ncols(), classes, seed)) + random(x.nrows(), classes, seed + 1) * 2.0;
    let best = |row: ndarray::ArrayView1<'_, f64>| {
        (0..classes)
            .max_by(|&a, &b| row[a].total_cmp(&row[b]))
            .unwrap()
    };
    Labels::from_indices(scores.rows().into_iter().map(best).collect())
}

fn in_pieces(algorithm: &LogisticRegression, data: &Labelled<'_>, cuts: &[usize]) -> LogisticModel {
    let run = Run::new();
    let mut state = algorithm.start().unwrap();
    let mut ends = cuts.to_vec();
    ends.push(data.samples.n_rows());
    loop {
        let (mut start, mut whole) = (0, None);
        for &end in &ends {
            let part = algorithm
                .summarise(&state, data.slice(start..end), start, &run)
                .unwrap();
            whole = Some(match whole {
                None => part,
                Some(before) => {
                    LearnInPieces::<Labelled<'static>>::merge(algorithm, part, before).unwrap()
                }
            });
            start = end;
        }
        match LearnInPieces::<Labelled<'static>>::step(algorithm, state, whole.unwrap(), &run)
            .unwrap()
        {
            Next::Done(model) => return model,
            Next::Pass(next) => state = next,
        }
    }
}

// scikit-learn 1.x, LogisticRegression(solver="newton-cholesky", tol=1e-14), and the same optimum by
// full Newton steps in NumPy down to a gradient of 1e-14 (its lbfgs stops 3e-6 away).
#[test]
fn iris_has_the_coefficients_of_scikit_learn() {
    let iris = didact_datasets::iris();
    let expected = array![
        [
            -0.4235099201227122,
            0.9673505795715535,
            -2.5171523776092086,
            -1.0793366485007183
        ],
        [
            0.534461508995925,
            -0.3215878551919333,
            -0.20639207129487,
            -0.9442984653963371
        ],
        [
            -0.11095158887321041,
            -0.6457627243796205,
            2.723544448904079,
            2.0236351138970567
        ]
    ];
    for solver in SOLVERS {
        let model = with(solver).fit(iris.labelled().unwrap()).unwrap();
        assert_eq!(model.history().stop, StopReason::Converged);
        assert_close(model.coef(), &expected, 1e-6);
        assert_close(
            model.intercept(),
            &[9.84956805048213, 2.237205632203194, -12.086773682685333],
            1e-6,
        );
    }
    // Without the first 30 setosas, class_weight="balanced".
    let (x, labels) = (iris.features(), iris.labels().unwrap());
    let fewer = Labelled::from_parts(
        Samples::from(x.slice(s![30.., ..])),
        &labels.indices[30..],
        &labels.classes,
    )
    .unwrap();
    let balanced = LogisticRegression {
        class_weight: ClassWeight::Balanced,
        tol: 1e-10,
        ..LogisticRegression::default()
    };
    let model = balanced.fit(fewer).unwrap();
    assert_close(
        model.intercept(),
        &[9.658361804430783, 2.0445219001461243, -11.702883704576905],
        1e-6,
    );
    assert_close(
        model.coef().row(2),
        &[
            -0.04901117196412766,
            -0.5401709292560881,
            2.543367142179483,
            1.8549856481180247,
        ],
        1e-6,
    );
}

// scikit-learn as above on versicolor and virginica; statsmodels has the same unpenalised optimum.
#[test]
fn two_species_have_one_row_of_coefficients() {
    let iris = didact_datasets::iris();
    let x = iris.features().slice(s![50.., ..]).to_owned();
    let labels =
        Labels::from_names((0..100).map(|row| if row < 50 { "versicolor" } else { "virginica" }));
    for solver in SOLVERS {
        let model = with(solver)
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        assert_close(
            model.coef(),
            &[
                -0.3944334785720612,
                -0.5132774044284348,
                2.9307513838533588,
                2.4170321883370063,
            ],
            1e-6,
        );
        assert_close(model.intercept(), &[-14.430758180168663], 1e-6);
        let free = LogisticRegression {
            penalty: Penalty::None,
            ..with(solver)
        };
        let model = free.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        assert_eq!(model.history().stop, StopReason::Converged);
        assert_close(
            model.coef(),
            &[
                -2.465220195186654,
                -6.680887014078553,
                9.429385153926619,
                18.286136887851008,
            ],
            1e-6,
        );
        assert_close(model.intercept(), &[-42.637803813021954], 1e-6);
    }
}

// scikit-learn as above, raw columns from 1e-3 to 1e3: coefficients of widely different size.
#[test]
fn raw_wine_and_cancer_measurements_reach_the_same_optimum() {
    let wine = didact_datasets::wine();
    for solver in SOLVERS {
        let model = with(solver).fit(wine.labelled().unwrap()).unwrap();
        assert_close(
            model.intercept(),
            &[-15.646984415462125, 22.92328649449597, -7.276302079033846],
            1e-6,
        );
        assert_close(
            model.coef().slice(s![0, 9..]),
            &[
                0.2225022121873059,
                -0.008222492815092715,
                0.6488055628873045,
                0.009294218073355152,
            ],
            1e-6,
        );
    }
    let cancer = didact_datasets::breast_cancer();
    for solver in SOLVERS {
        let model = with(solver).fit(cancer.labelled().unwrap()).unwrap();
        assert_close(model.intercept(), &[-28.088997621918097], 1e-6);
        assert_close(
            model.coef().slice(s![0, ..5]),
            &[
                -1.0145620739976307,
                -0.18138242795039453,
                0.27569712459561374,
                -0.02265071426003276,
                0.1783959483645272,
            ],
            1e-6,
        );
        let p = model
            .predict_proba(cancer.features().slice(s![100..101, ..]))
            .unwrap();
        assert_close(&p, &[0.00450390886584906, 0.9954960911341509], 1e-6);
    }
}

// 003, section 3 (003:P36–P38): λ = 0 and λ = 1 on the slope only.
#[test]
fn the_penalty_leaves_the_bias_alone() {
    let x = array![[0.5], [1.5], [2.0], [3.0], [2.5], [1.0]];
    let labels = Labels::from_indices(vec![0, 0, 1, 1, 0, 1]);
    let data = || Labelled::new(&x, &labels).unwrap();
    let free = LogisticRegression {
        penalty: Penalty::None,
        tol: 1e-10,
        ..LogisticRegression::default()
    }
    .fit(data())
    .unwrap();
    assert_close(free.intercept(), &[-1.2646227], 5e-8);
    assert_close(free.coef(), &[0.7226415], 5e-8);
    assert_close(
        &[*free.history().objectives.last().unwrap()],
        &[3.8950134],
        5e-8,
    );
    let model = LogisticRegression::default().fit(data()).unwrap();
    assert_close(model.intercept(), &[-0.6312975], 5e-8);
    assert_close(model.coef(), &[0.3607414], 5e-8);
    // The objective has half the square of the slope in it, and nothing of the bias.
    let objective = 3.9590131 + 0.5 * 0.3607414_f64.powi(2);
    assert_close(
        &[*model.history().objectives.last().unwrap()],
        &[objective],
        1e-7,
    );
    // λ → ∞: w → 0 and the bias is the log-odds of the base rate.
    let heavy = LogisticRegression {
        c: 1e-9,
        tol: 1e-10,
        ..LogisticRegression::default()
    };
    let labels = Labels::from_indices(vec![0, 0, 1, 1, 1, 1]);
    let model = heavy.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert!(model.coef()[[0, 0]].abs() < 1e-8);
    assert_close(model.intercept(), &[2.0_f64.ln()], 1e-6);
}

// 001:CLS-21, 003:P39, 000a:SUP-39: separable data without a penalty are reported, not looped on.
#[test]
fn separable_classes_without_a_penalty_are_reported() {
    let iris = didact_datasets::iris();
    let labels = Labels::from_indices((0..150).map(|row| usize::from(row >= 50)).collect());
    for solver in SOLVERS {
        let free = LogisticRegression {
            penalty: Penalty::None,
            ..with(solver)
        };
        let model = free
            .fit(Labelled::new(iris.features(), &labels).unwrap())
            .unwrap();
        assert_eq!(model.history().stop, StopReason::Separable);
        assert!(model.history().n_iter() < 30);
        assert_eq!(
            Classify::predict(&model, iris.samples()).unwrap(),
            labels.indices
        );
        let penalised = with(solver)
            .fit(Labelled::new(iris.features(), &labels).unwrap())
            .unwrap();
        assert_eq!(penalised.history().stop, StopReason::Converged);
    }
    // Three corners of a triangle, and classes that touch in one point.
    let free = LogisticRegression {
        penalty: Penalty::None,
        tol: 1e-10,
        ..LogisticRegression::default()
    };
    let corners = array![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let three = Labels::from_indices(vec![0, 1, 2]);
    let model = free.fit(Labelled::new(&corners, &three).unwrap()).unwrap();
    assert_eq!(model.history().stop, StopReason::Separable);
    let touching = array![[-2.0], [-1.0], [0.0], [0.0], [1.0], [2.0]];
    let labels = Labels::from_indices(vec![0, 0, 0, 1, 1, 1]);
    let model = free
        .fit(Labelled::new(&touching, &labels).unwrap())
        .unwrap();
    assert_eq!(model.history().stop, StopReason::Separable);
}

// 000a:SUP-40, 001:CLS-15 to CLS-17, 003:P36, 002b:GP-15: probabilities are sigmoids of the
// scores, the two sum to one, a score of zero (p = ½, not p = 1) belongs to the second class.
#[test]
fn probabilities_scores_and_labels_belong_together() {
    let (x, y) = (random(80, 3, 1), noisy(&random(80, 3, 1), 2, 2));
    let model = LogisticRegression::default()
        .fit(Labelled::new(&x, &y).unwrap())
        .unwrap();
    let (scores, p) = (
        model.decision_function(&x).unwrap(),
        model.predict_proba(&x).unwrap(),
    );
    let labels = Classify::predict(&model, &x).unwrap();
    let boundary = model.boundary().unwrap().unwrap();
    for row in 0..80 {
        let (score, p) = (scores[[row, 0]], p.row(row));
        assert!(((p[1] / p[0]).ln() - score).abs() < 1e-9);
        assert!((p.sum() - 1.0).abs() < 1e-15);
        assert_eq!(labels[row], usize::from(score >= 0.0));
        assert_eq!(
            labels[row] == 1,
            boundary.side(x.row(row).as_slice().unwrap()) == 1
        );
    }
    // Mirrored classes leave nothing to tell apart: every score is zero, and the tie goes to +1.
    let x = array![[1.0], [1.0]];
    let y = Labels::from_names([-1, 1]);
    let model = LogisticRegression::default()
        .fit(Labelled::new(&x, &y).unwrap())
        .unwrap();
    assert_eq!(model.decision_function(&x).unwrap(), array![[0.0], [0.0]]);
    assert_eq!(Classify::predict(&model, &x).unwrap(), [1, 1]);
    // p rises with x_j where its weight is positive.
    let model = LogisticRegression::default()
        .fit(Labelled::new(&random(80, 3, 1), &noisy(&random(80, 3, 1), 2, 2)).unwrap())
        .unwrap();
    for j in 0..3 {
        let mut pair = Array2::zeros((2, 3));
        pair[[1, j]] = 1.0;
        let p = model.predict_proba(&pair).unwrap();
        assert_eq!(p[[1, 1]] > p[[0, 1]], model.coef()[[0, j]] > 0.0);
    }
}

// 003:P101: with two classes, softmax scores of the classes differ by the logistic score; an
// unpenalised softmax over classes 0, 1 and an empty third is the binary model.
#[test]
fn classes_without_rows_have_probability_zero() {
    let x = random(60, 2, 3);
    let two = noisy(&x, 2, 4);
    let three = Classes::new(["a", "b", "c"]);
    let moved: Vec<usize> = two.indices.iter().map(|&label| 2 * label).collect();
    let data = Labelled::from_parts(Samples::from(&x), &moved, &three).unwrap();
    let model = LogisticRegression::default().fit(data).unwrap();
    let binary = LogisticRegression::default()
        .fit(Labelled::new(&x, &two).unwrap())
        .unwrap();
    assert_eq!(model.coef(), binary.coef());
    let (p, q) = (
        model.predict_proba(&x).unwrap(),
        binary.predict_proba(&x).unwrap(),
    );
    assert_eq!((p.column(0), p.column(2)), (q.column(0), q.column(1)));
    assert!(p.column(1).iter().all(|&p| p == 0.0));
    let scores = model.decision_function(&x).unwrap();
    assert_eq!(scores.ncols(), 3);
    let labels = Classify::predict(&model, &x).unwrap();
    assert!(
        labels
            .iter()
            .zip(scores.rows())
            .all(|(&label, row)| row[label] == row.iter().copied().fold(f64::MIN, f64::max))
    );
    Model::validate(&model).unwrap();
}

#[test]
fn one_class_is_refused_by_name() {
    let labels = Labels::from_names(["spam", "spam"]);
    let error = LogisticRegression::default()
        .fit(Labelled::new(&array![[1.0], [2.0]], &labels).unwrap())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "only one class has rows, spam; give rows of at least two classes"
    );
}

#[test]
fn sparse_rows_weights_and_repetitions_give_the_same_model() {
    let mut x = random(90, 4, 5);
    x.mapv_inplace(|value| if value.abs() < 0.5 { 0.0 } else { value });
    for classes in [2, 3] {
        let labels = noisy(&x, classes, 6);
        let weights: Vec<f64> = (0..90).map(|row| f64::from(row % 3)).collect();
        let repeated: Vec<usize> = (0..90)
            .flat_map(|row| std::iter::repeat_n(row, row % 3))
            .collect();
        let rows = x.select(Axis(0), &repeated);
        let many = Labels {
            indices: repeated.iter().map(|&row| labels.indices[row]).collect(),
            classes: labels.classes.clone(),
        };
        let mut far = x.clone();
        far.row_mut(0).fill(1e300);
        let sparse = Csr::from_dense(far.view());
        let double = ClassWeight::Each(BTreeMap::from([("1".to_owned(), 2.0)]));
        for class_weight in [ClassWeight::None, ClassWeight::Balanced, double] {
            for solver in [Solver::Newton, Solver::Lbfgs] {
                let algorithm = LogisticRegression {
                    class_weight: class_weight.clone(),
                    ..with(solver)
                };
                let expected = algorithm.fit(Labelled::new(&rows, &many).unwrap()).unwrap();
                for samples in [Samples::from(&far), Samples::from(&sparse)] {
                    let samples = samples.weighted(&weights).unwrap();
                    let found = algorithm
                        .fit(Labelled::new(samples, &labels).unwrap())
                        .unwrap();
                    assert_close(found.coef(), expected.coef(), 1e-6);
                    assert_close(found.intercept(), expected.intercept(), 1e-6);
                }
            }
        }
    }
}

#[test]
fn a_factor_for_a_class_is_a_weight_for_its_rows() {
    let x = random(60, 3, 8);
    let labels = noisy(&x, 3, 9);
    let each = |name: &str, factor: f64| LogisticRegression {
        class_weight: ClassWeight::Each(BTreeMap::from([(name.to_owned(), factor)])),
        ..with(Solver::Newton)
    };
    let weight = |&label: &usize| if label == 1 { 4.0 } else { 1.0 };
    let weights: Vec<f64> = labels.indices.iter().map(weight).collect();
    let weighted = Samples::from(&x).weighted(&weights).unwrap();
    let expected = with(Solver::Newton)
        .fit(Labelled::new(weighted, &labels).unwrap())
        .unwrap();
    let found = each("1", 4.0)
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    assert_close(found.coef(), expected.coef(), 1e-6);

    let say = |name: &str, factor: f64| {
        let data = Labelled::new(&x, &labels).unwrap();
        each(name, factor).fit(data).unwrap_err().to_string()
    };
    assert_eq!(
        say("spam", 1.0),
        "class_weight is spam; the classes are 0, 1, 2"
    );
    assert!(say("1", -1.0).contains("must be positive and finite"));
}

#[test]
fn awkward_data_have_a_defined_answer() {
    let fit = |x: &Array2<f64>, labels: &[usize], penalty: Penalty| {
        let labels = Labels::from_indices(labels.to_vec());
        LogisticRegression {
            penalty,
            tol: 1e-10,
            ..LogisticRegression::default()
        }
        .fit(Labelled::new(x, &labels).unwrap())
    };
    for penalty in [Penalty::L2, Penalty::None] {
        // Constant and duplicated columns.
        let x = array![
            [1.0, 5.0, 1.0],
            [2.0, 5.0, 2.0],
            [3.0, 5.0, 3.0],
            [4.0, 5.0, 4.0]
        ];
        let model = fit(&x, &[0, 1, 0, 1], penalty).unwrap();
        assert_eq!(model.history().stop, StopReason::Converged);
        assert_eq!(model.coef()[[0, 1]], 0.0);
        assert!((model.coef()[[0, 0]] - model.coef()[[0, 2]]).abs() < 1e-6);
        // Fewer rows than columns.
        let model = fit(&random(4, 9, 7), &[0, 1, 2, 1], penalty).unwrap();
        assert!(model.coef().iter().all(|w| w.is_finite()));
        // Only constant columns: the base rate remains.
        let model = fit(&array![[3.0], [3.0], [3.0]], &[0, 1, 1], penalty).unwrap();
        assert_close(
            &model.predict_proba(&array![[3.0]]).unwrap(),
            &[1.0 / 3.0, 2.0 / 3.0],
            1e-7,
        );
        assert!(matches!(
            fit(&array![[1e300], [-1e300]], &[0, 1], penalty),
            Err(Error::Numerical(_))
        ));
    }
    let x = random(4, 1, 20);
    let labels = Labels::from_indices(vec![0, 1, 0, 1]);
    let tiny = LogisticRegression {
        c: 1e-310,
        tol: 1e-10,
        ..LogisticRegression::default()
    };
    let error = tiny.fit(Labelled::new(&x, &labels).unwrap()).unwrap_err();
    assert!(
        error.to_string().contains("its inverse overflows"),
        "{error}"
    );
    // Offsets of 1e8 leave the weights as they are.
    let x = random(60, 2, 8).mapv(|value| (value * 1024.0).round() / 1024.0);
    let labels = noisy(&x, 2, 9);
    let near = fit(&x, &labels.indices, Penalty::L2).unwrap();
    let far = fit(&(&x + 1e8), &labels.indices, Penalty::L2).unwrap();
    assert_close(far.coef(), near.coef(), 1e-6);
}

#[test]
fn rows_alone_are_predicted_as_among_others_bit_for_bit() {
    let digits = didact_datasets::digits();
    let few = digits.features().slice(s![..300, ..]).to_owned();
    let labels = Labels::from_indices(digits.labels().unwrap().indices[..300].to_vec());
    let model = LogisticRegression::default()
        .fit(Labelled::new(&few, &labels).unwrap())
        .unwrap();
    assert_eq!(model.history().stop, StopReason::Converged);
    let all = model.predict_proba(&few).unwrap();
    for row in 0..300 {
        assert_eq!(
            model
                .predict_proba(few.slice(s![row..row + 1, ..]))
                .unwrap()
                .row(0),
            all.row(row)
        );
        assert!((all.row(row).sum() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let x = random(20_000, 5, 10);
    for (classes, solver) in [
        (2, Solver::Newton),
        (2, Solver::Lbfgs),
        (3, Solver::Newton),
        (3, Solver::Lbfgs),
    ] {
        let labels = noisy(&x, classes, 11);
        let fit = |threads: usize| {
            let run = Run::new().threads(threads);
            with(solver)
                .fit_with(Labelled::new(&x, &labels).unwrap(), &run)
                .unwrap()
        };
        assert!(fit(1) == fit(2));
    }
}

#[test]
fn cancellation_progress_and_the_iteration_limit_work() {
    let x = random(50, 3, 12);
    let labels = noisy(&x, 2, 13);
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let run = Run::new()
        .cancelled_by(&cancel)
        .observed_by(move |_| switch.cancel());
    let result = LogisticRegression::default().fit_with(Labelled::new(&x, &labels).unwrap(), &run);
    assert!(matches!(result, Err(Error::Cancelled)));
    let short = LogisticRegression {
        max_iter: 2,
        ..with(Solver::Lbfgs)
    };
    let model = short.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    assert_eq!(
        (model.history().stop, model.history().n_iter()),
        (StopReason::IterationLimit, 2)
    );
    let full = with(Solver::Newton)
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    assert!(
        full.history()
            .objectives
            .windows(2)
            .all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12))
    );
}

#[test]
fn a_model_survives_the_file() {
    let iris = didact_datasets::iris();
    let model = LogisticRegression::default()
        .fit(iris.labelled().unwrap())
        .unwrap();
    let catalogue = didact_linear::catalogue();
    let entry = catalogue
        .iter()
        .find(|entry| entry.id == "logistic-regression")
        .unwrap();
    let loaded = entry.routes[0].decode(&model.encode().unwrap()).unwrap();
    assert_eq!(
        loaded.as_any().downcast_ref::<LogisticModel>(),
        Some(&model)
    );
    assert_eq!(
        loaded.ability_names(),
        ["classify", "probabilities", "scores"]
    );
    assert_eq!(loaded.figures().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_cut_gives_the_same_model(n in 30usize..80, cut in 1usize..29, classes in 2usize..4, newton: bool, seed: u64) {
        let x = random(n, 2, seed);
        let mut labels = noisy(&x, classes, seed ^ 1);
        // Every class has a row, so that the classes are the same for every draw.
        for class in 0..classes {
            labels.indices[class] = class;
        }
        labels.classes = Classes::new(0..classes as i64);
        let solver = if newton { Solver::Newton } else { Solver::Lbfgs };
        let data = Labelled::new(&x, &labels).unwrap();
        let (whole, pieces) = (with(solver).fit(data.clone()).unwrap(), in_pieces(&with(solver), &data, &[cut]));
        for (a, b) in whole.coef().iter().zip(pieces.coef()) {
            prop_assert!((a - b).abs() <= 1e-6 * (1.0 + a.abs()), "{a} {b}");
        }
    }
}

// The numbers are those of MNLogit in statsmodels, on the sepal widths of iris.
#[test]
fn softmax_regression_has_the_errors_and_tests_of_statsmodels() {
    let iris = didact_datasets::iris();
    let samples = iris.samples();
    let x = samples.rows().dense().unwrap();
    let width = x.slice(ndarray::s![.., 1..2]).to_owned();
    let labels = iris.labels().unwrap();
    let learner = LogisticRegression {
        penalty: Penalty::None,
        ..Default::default()
    };
    let model = learner.fit(Labelled::new(&width, labels).unwrap()).unwrap();
    let found = model.contrasts().unwrap();
    let near = |ours: f64, theirs: f64| {
        assert!(
            (ours - theirs).abs() <= 1e-6 * theirs.abs(),
            "{ours} and {theirs}"
        );
    };
    near(found.coef()[[0, 0]], -6.118961539542771);
    near(found.coef()[[1, 0]], -4.079098098173682);
    near(found.standard_errors()[[0, 0]], 0.9912252199256726);
    near(found.standard_errors()[[1, 0]], 0.8435593650106005);
    near(found.intercept().unwrap()[0], 18.858436609225322);
    near(
        found.intercept_standard_errors().unwrap()[0],
        3.064290744789636,
    );
    near(
        found.intercept_standard_errors().unwrap()[1],
        2.688316441906286,
    );
    near(found.p_values()[[1, 0]], 1.3275851854293847e-06);
    near(
        found.intercept_p_values().unwrap()[1],
        1.3331643834485904e-06,
    );
    near(found.log_likelihood(), -126.26847940385943);
    near(found.null_log_likelihood(), -164.79184330021644);
    near(found.likelihood_ratio().0, 77.04672779271402);
    near(found.likelihood_ratio().1, 1.8600115261146967e-17);
    assert!(model.inference().is_none());
    let penalised = LogisticRegression::default();
    let model = penalised
        .fit(Labelled::new(&width, labels).unwrap())
        .unwrap();
    assert!(
        model.contrasts().is_none(),
        "a price on the weights biases them"
    );
}
