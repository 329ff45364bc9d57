//! Learning from chunks in their order, and fits that start from an earlier model.

use didact_core::{
    Classes, Classify, Fit, InSequence, Labelled, Labels, LearnInSequence, Measured, Regress, Run,
    Samples, StartFrom, StopReason,
};
use didact_linear::{
    ClassWeight, ClassificationLoss, ElasticNet, Lasso, LogisticRegression,
    PassiveAggressiveClassifier, PassiveAggressiveRegressor, Penalty, Perceptron, PerceptronMode,
    SgdClassifier, SgdPenalty, SgdRegressor,
};
use didact_testing::random_matrix;
use ndarray::{Array2, array, s};

fn iris() -> (Array2<f64>, Labels) {
    let iris = didact_datasets::iris();
    let x = iris.samples().rows().dense().unwrap().to_owned();
    // Neighbouring rows are of different classes, as in a stream that is well mixed.
    let order: Vec<usize> = (0..150).map(|row| row % 3 * 50 + row / 3).collect();
    let labels = iris.labels().unwrap();
    (
        x.select(ndarray::Axis(0), &order),
        Labels {
            indices: order.iter().map(|&row| labels.indices[row]).collect(),
            classes: labels.classes.clone(),
        },
    )
}

fn measured() -> (Array2<f64>, Vec<f64>) {
    let x = random_matrix(200, 4, 5);
    let y = x.rows().into_iter();
    let y = y.map(|row| 1.0 + 2.0 * row[0] - row[2] + 0.1 * row[3]);
    let y = y.collect();
    (x, y)
}

/// The difference of two tables in units of the larger.
fn difference(left: &Array2<f64>, right: &Array2<f64>) -> f64 {
    let size = left
        .iter()
        .chain(right)
        .fold(0.0_f64, |a, b| a.max(b.abs()));
    (left - right).iter().fold(0.0_f64, |a, b| a.max(b.abs())) / size
}

// 002a:BP02. One row, by hand: from zero the hinge costs one and its slope is −y. In the optimal
// schedule η₁ = 1/(α·t₀) with t₀ = 1/(α·α^(−¼)), so η₁ = α^(−¼) = 10 for α = 1e-4, and w = 10·y·x.
#[test]
fn the_first_row_of_a_stream_moves_the_weights_by_one_step() {
    let classes = Classes::new(["no", "yes"]);
    let x = array![[1.0, 2.0]];
    let chunk = Labelled::from_parts(Samples::from(&x), &[1], &classes).unwrap();
    let mut learning = InSequence::new(SgdClassifier::default()).unwrap();
    learning.learn(chunk, &Run::new()).unwrap();
    let model = learning.model::<Labelled<'_>>().unwrap();
    assert!(difference(model.coef(), &array![[10.0, 20.0]]) < 1e-12);
    assert!((model.intercept()[0] - 10.0).abs() < 1e-12);
    assert_eq!(model.history().stop, StopReason::Ongoing);
    assert_eq!(model.history().objectives, [1.0]);
}

#[test]
fn classes_that_come_later_have_scores_from_the_start() {
    let (x, labels) = iris();
    let first: Vec<usize> = (0..150).filter(|&row| labels.indices[row] != 2).collect();
    let early = x.select(ndarray::Axis(0), &first);
    let early_labels: Vec<usize> = first.iter().map(|&row| labels.indices[row]).collect();
    let mut learning = InSequence::new(PassiveAggressiveClassifier::default()).unwrap();
    let chunk =
        Labelled::from_parts(Samples::from(&early), &early_labels, &labels.classes).unwrap();
    learning.learn(chunk, &Run::new()).unwrap();
    let before = learning.model::<Labelled<'_>>().unwrap();
    assert_eq!(before.coef().nrows(), 3);
    for _ in 0..5 {
        let chunk = Labelled::new(&x, &labels).unwrap();
        learning.learn(chunk, &Run::new()).unwrap();
    }
    let model = learning.model::<Labelled<'_>>().unwrap();
    let predicted = model.predict(&x).unwrap();
    let found = predicted.iter().zip(&labels.indices);
    assert!(found.filter(|(a, b)| **b == 2 && a == b).count() > 25);
}

#[test]
fn a_chunk_of_other_classes_is_refused_with_their_names() {
    let (x, labels) = iris();
    let mut learning = InSequence::new(Perceptron::default()).unwrap();
    let chunk = Labelled::new(&x, &labels).unwrap();
    learning.learn(chunk, &Run::new()).unwrap();
    let other = Classes::new(["a", "b"]);
    let strange = Labelled::from_parts(Samples::from(&x), &[0; 150], &other).unwrap();
    let message = learning
        .learn(strange, &Run::new())
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("a, b") && message.contains("setosa"),
        "{message}"
    );
    let one = Classes::new(["a"]);
    let lonely = Labelled::from_parts(Samples::from(&x), &[0; 150], &one).unwrap();
    let mut learning = InSequence::new(Perceptron::default()).unwrap();
    let message = learning.learn(lonely, &Run::new()).unwrap_err().to_string();
    assert!(message.contains("at least two"), "{message}");
}

#[test]
fn what_needs_all_rows_at_once_is_refused_by_its_name() {
    fn refused<'a>(algorithm: impl LearnInSequence<Labelled<'a>>, name: &str) {
        let message = algorithm.check_sequence().unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
    }
    let balanced = ClassWeight::Balanced;
    refused(
        SgdClassifier {
            early_stopping: true,
            ..Default::default()
        },
        "early_stopping",
    );
    refused(
        SgdClassifier {
            class_weight: balanced.clone(),
            ..Default::default()
        },
        "class_weight",
    );
    refused(
        PassiveAggressiveClassifier {
            class_weight: balanced,
            ..Default::default()
        },
        "class_weight",
    );
    let perceptron = Perceptron::default();
    refused(
        Perceptron {
            mode: PerceptronMode::Batch,
            ..perceptron.clone()
        },
        "mode",
    );
    refused(
        Perceptron {
            pocket: true,
            ..perceptron.clone()
        },
        "pocket",
    );
    refused(
        Perceptron {
            alpha: 0.1,
            ..perceptron
        },
        "alpha",
    );
}

#[test]
fn the_price_of_absolute_values_and_averages_are_carried_over_the_cut() {
    let (x, y) = measured();
    let sgd = SgdRegressor {
        penalty: SgdPenalty::L1,
        alpha: 0.01,
        average: true,
        ..Default::default()
    };
    let run = Run::new();
    let mut whole = InSequence::new(sgd.clone()).unwrap();
    whole.learn(Measured::new(&x, &y).unwrap(), &run).unwrap();
    let mut cut = InSequence::new(sgd).unwrap();
    for start in [0, 50, 100, 150] {
        let (x, y) = (
            x.slice(s![start..start + 50, ..]).to_owned(),
            &y[start..start + 50],
        );
        cut.learn(Measured::new(&x, y).unwrap(), &run).unwrap();
    }
    let whole = whole.model::<Measured<'_>>().unwrap();
    let cut = cut.model::<Measured<'_>>().unwrap();
    assert!(difference(whole.coef(), cut.coef()) < 1e-12);
    assert!(
        whole.objective().is_none(),
        "a stream keeps no rows to judge by"
    );
}

#[test]
fn a_stream_of_exact_targets_is_followed() {
    let (x, y) = measured();
    let learner = PassiveAggressiveRegressor {
        epsilon: 0.0,
        c: 10.0,
        ..Default::default()
    };
    let mut learning = InSequence::new(learner).unwrap();
    for _ in 0..50 {
        learning
            .learn(Measured::new(&x, &y).unwrap(), &Run::new())
            .unwrap();
    }
    let model = learning.model::<Measured<'_>>().unwrap();
    let predicted = model.predict(&x).unwrap();
    let worst = predicted.iter().zip(&y).map(|(a, b)| (a - b).abs());
    assert!(worst.fold(0.0, f64::max) < 1e-9);
}

#[test]
fn two_passes_equal_one_pass_and_another_from_its_weights() {
    let (x, labels) = iris();
    let data = Labelled::new(&x, &labels).unwrap();
    let passes = |max_iter| Perceptron {
        shuffle: false,
        max_iter,
        ..Default::default()
    };
    let first = passes(1).fit(data.clone()).unwrap();
    let second = passes(1).fit_from(&first, data.clone()).unwrap();
    let both = passes(2).fit(data.clone()).unwrap();
    assert!(difference(second.coef(), both.coef()) < 1e-12);
    let passes = |max_iter| PassiveAggressiveClassifier {
        shuffle: false,
        max_iter,
        ..Default::default()
    };
    let first = passes(1).fit(data.clone()).unwrap();
    let second = passes(1).fit_from(&first, data.clone()).unwrap();
    assert!(difference(second.coef(), passes(2).fit(data).unwrap().coef()) < 1e-12);
}

#[test]
fn logistic_regression_finds_the_same_minimum_from_another_one_in_fewer_steps() {
    let (x, labels) = iris();
    let data = Labelled::new(&x, &labels).unwrap();
    for penalty in [Penalty::L2, Penalty::L1, Penalty::Elasticnet] {
        let with = |c| LogisticRegression {
            tol: 1e-10,
            penalty,
            c,
            ..Default::default()
        };
        let start = with(1.0).fit(data.clone()).unwrap();
        let cold = with(1.1).fit(data.clone()).unwrap();
        let warm = with(1.1).fit_from(&start, data.clone()).unwrap();
        assert!(difference(cold.coef(), warm.coef()) < 1e-6, "{penalty:?}");
        let (few, many) = (warm.history().n_iter(), cold.history().n_iter());
        assert!(few < many, "{penalty:?}: {few} and {many}");
        // From the minimum itself there is next to nothing to do.
        let again = with(1.1).fit_from(&cold, data.clone()).unwrap();
        assert!(again.history().n_iter() < many, "{penalty:?}");
    }
}

#[test]
fn the_lasso_finds_the_same_minimum_from_another_one() {
    let (x, y) = measured();
    let data = Measured::new(&x, &y).unwrap();
    let lasso = |alpha| Lasso {
        alpha,
        ..Default::default()
    };
    let start = lasso(0.5).fit(data.clone()).unwrap();
    let (cold, warm) = (
        lasso(0.05).fit(data.clone()).unwrap(),
        lasso(0.05).fit_from(&start, data.clone()).unwrap(),
    );
    assert!(difference(cold.coef(), warm.coef()) < 1e-6);
    // Weights that may not be negative start at zero.
    let net = ElasticNet {
        alpha: 0.05,
        positive: true,
        ..Default::default()
    };
    let (cold, warm) = (
        net.fit(data.clone()).unwrap(),
        net.fit_from(&warm, data.clone()).unwrap(),
    );
    assert!(warm.coef().iter().all(|&w| w >= 0.0));
    assert!(difference(cold.coef(), warm.coef()) < 1e-6);
    let again = net.fit_from(&cold, data).unwrap();
    assert!(difference(cold.coef(), again.coef()) < 1e-9);
}

#[test]
fn a_start_of_other_classes_is_refused() {
    let (x, labels) = iris();
    let start = SgdClassifier::default();
    let model = start.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let two = Labels::from_indices(labels.indices.iter().map(|&label| label.min(1)).collect());
    let data = Labelled::new(&x, &two).unwrap();
    let message = start.fit_from(&model, data).unwrap_err().to_string();
    assert!(message.contains("other classes"), "{message}");
}

const STREAM: [[f64; 2]; 8] = [
    [1.0, 0.5],
    [-0.5, 1.5],
    [2.0, -1.0],
    [-1.5, -0.5],
    [0.5, 1.0],
    [-1.0, 0.25],
    [1.5, 0.75],
    [-0.25, -1.25],
];
const CUTS: [(usize, usize); 3] = [(0, 3), (3, 4), (4, 8)];

/// The weights and intercepts after the chunks of the stream.
macro_rules! after_labels {
    ($algorithm:expr, $labels:expr, $classes:expr) => {{
        let (x, labels) = (Array2::from(STREAM.to_vec()), $labels);
        let classes = Classes::new(0..$classes);
        let mut learning = InSequence::new($algorithm).unwrap();
        for (start, end) in CUTS {
            let rows = x.slice(s![start..end, ..]).to_owned();
            let chunk = &labels[start..end];
            let chunk = Labelled::from_parts(Samples::from(&rows), chunk, &classes).unwrap();
            learning.learn(chunk, &Run::new()).unwrap();
        }
        let model = learning.model::<Labelled<'_>>().unwrap();
        (model.coef().clone(), model.intercept().to_vec())
    }};
}

/// The same for real targets.
macro_rules! after_targets {
    ($algorithm:expr) => {{
        let x = Array2::from(STREAM.to_vec());
        let y = [1.0, -0.5, 2.5, -2.0, 1.5, -1.25, 2.25, -0.75];
        let mut learning = InSequence::new($algorithm).unwrap();
        for (start, end) in CUTS {
            let rows = x.slice(s![start..end, ..]).to_owned();
            let chunk = Measured::new(&rows, &y[start..end]).unwrap();
            learning.learn(chunk, &Run::new()).unwrap();
        }
        let model = learning.model::<Measured<'_>>().unwrap();
        (model.coef().clone(), model.intercept().to_vec())
    }};
}

fn near(found: (Array2<f64>, Vec<f64>), coef: Array2<f64>, intercept: &[f64]) {
    let numbers = found.0.iter().chain(&found.1);
    for (ours, theirs) in numbers.zip(coef.iter().chain(intercept)) {
        let error = (ours - theirs).abs();
        assert!(
            error <= 1e-12 * theirs.abs().max(1.0),
            "{ours} and {theirs}"
        );
    }
}

// The numbers are those of partial_fit in scikit-learn 1.9.1 with the same chunks and no shuffling.
#[test]
fn streams_of_classes_are_learned_as_scikit_learn_learns_them() {
    let (three, two) = ([0, 1, 2, 1, 0, 2, 0, 1], [0, 1, 1, 0, 1, 0, 1, 0]);
    let sgd = SgdClassifier {
        alpha: 0.01,
        ..Default::default()
    };
    near(
        after_labels!(sgd.clone(), three, 3),
        array![
            [3.8837187068901877, 3.883718706890188],
            [-3.236432255741823, -3.883718706890189],
            [-3.2364322557418244, -1.941859353445093]
        ],
        &[
            -2.9583190656791265,
            -3.0455227863932124,
            -2.7046722950148063,
        ],
    );
    // The average there depends on the cut; these numbers are those of a single chunk, which are
    // the mean of the weights after each row.
    let averaged = SgdClassifier {
        loss: ClassificationLoss::LogLoss,
        average: true,
        ..sgd.clone()
    };
    near(
        after_labels!(averaged, three, 3),
        array![
            [1.0095646312410833, 1.5750206301117808],
            [-2.3573164012864556, 0.615769427918813],
            [0.9000163501642061, -3.2774765362348406]
        ],
        &[
            -2.7080844286942645,
            -1.154866986024683,
            -0.04094155684762757,
        ],
    );
    // So do the prices that weights still owe; the same single chunk.
    let absolute = SgdClassifier {
        penalty: SgdPenalty::L1,
        ..sgd
    };
    near(
        after_labels!(absolute, two, 2),
        array![[5.35705860470509, 1.2580882591853224]],
        &[-0.011032408548790062],
    );
    near(
        after_labels!(Perceptron::default(), two, 2),
        array![[2.0, 0.5]],
        &[0.0],
    );
    let aggressive = PassiveAggressiveClassifier {
        c: 0.5,
        fit_intercept: false,
        ..Default::default()
    };
    near(
        after_labels!(aggressive, two, 2),
        array![[1.1391402714932126, 0.5721719457013574]],
        &[0.0],
    );
}

#[test]
fn streams_of_targets_are_learned_as_scikit_learn_learns_them() {
    near(
        after_targets!(SgdRegressor::default()),
        array![[0.10362205233375617, 0.009909929276802662]],
        &[0.021356835640418438],
    );
    let aggressive = PassiveAggressiveRegressor {
        c: 0.5,
        fit_intercept: false,
        ..Default::default()
    };
    near(
        after_targets!(aggressive),
        array![[1.4045392156862746, 0.3242549019607843]],
        &[0.0],
    );
}
