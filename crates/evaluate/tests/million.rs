//! A million predictions are judged in less than a second, whatever the figure.
//!
//! `cargo test --release -p didact-evaluate --test million -- --ignored --nocapture` shows the times.

use didact_core::Run;
use didact_core::random::generator;
use didact_evaluate::*;
use ndarray::Array2;
use rand::RngExt;
use std::time::Instant;

const ROWS: usize = 1_000_000;

/// What a model might have said of a million rows of five classes and of a million numbers.
struct Predictions {
    truth: Vec<usize>,
    predicted: Vec<usize>,
    probabilities: Array2<f64>,
    positive: Vec<bool>,
    scores: Vec<f64>,
    numbers: Array2<f64>,
    guesses: Array2<f64>,
    places: Array2<f64>,
}

fn predictions() -> Predictions {
    let mut generator = generator(1, 0);
    let mut uniform = || generator.random::<f64>();
    let truth: Vec<usize> = (0..ROWS).map(|_| (uniform() * 5.0) as usize).collect();
    let predicted: Vec<usize> = truth
        .iter()
        .map(|&label| {
            if uniform() < 0.8 {
                label
            } else {
                (uniform() * 5.0) as usize
            }
        })
        .collect();
    let mut probabilities = Array2::from_shape_simple_fn((ROWS, 5), &mut uniform);
    for (mut row, &label) in probabilities.rows_mut().into_iter().zip(&truth) {
        row[label] += 1.0;
        let total = row.sum();
        row /= total;
    }
    let positive: Vec<bool> = truth.iter().map(|&label| label == 1).collect();
    let numbers = Array2::from_shape_simple_fn((ROWS, 1), &mut uniform);
    let guesses = numbers.mapv(|value| value + 0.1 * uniform());
    Predictions {
        scores: probabilities.column(1).to_vec(),
        places: Array2::from_shape_simple_fn((ROWS, 2), &mut uniform),
        truth,
        predicted,
        probabilities,
        positive,
        numbers,
        guesses,
    }
}

type Row<'a> = (&'static str, Box<dyn Fn() -> f64 + 'a>);

fn rows(data: &Predictions) -> Vec<Row<'_>> {
    let counts = || ClassCounts::new(&data.truth, &data.predicted, None).unwrap();
    let table = || Contingency::new(&data.truth, &data.predicted).unwrap();
    let errors = || Errors::new(data.numbers.view(), data.guesses.view()).unwrap();
    let clusters: Vec<Option<usize>> = data.predicted.iter().map(|&one| Some(one)).collect();
    vec![
        (
            "accuracy",
            Box::new(|| accuracy(&data.truth, &data.predicted).unwrap()),
        ),
        (
            "balanced accuracy",
            Box::new(move || counts().balanced_accuracy()),
        ),
        (
            "precision, recall, F₁",
            Box::new(move || counts().averaged(1.0, Average::Macro).f_measure),
        ),
        (
            "Matthews correlation",
            Box::new(move || counts().matthews_correlation()),
        ),
        ("Cohen's κ", Box::new(move || counts().kappa().unwrap())),
        (
            "confusion matrix",
            Box::new(|| {
                ConfusionMatrix::new(&data.truth, &data.predicted, 5, None)
                    .unwrap()
                    .counts
                    .sum()
            }),
        ),
        (
            "log-loss",
            Box::new(|| log_loss(&data.truth, data.probabilities.view()).unwrap()),
        ),
        (
            "Brier, two classes",
            Box::new(|| brier(&data.positive, &data.scores).unwrap()),
        ),
        (
            "Brier, five classes",
            Box::new(|| brier_multiclass(&data.truth, data.probabilities.view()).unwrap()),
        ),
        (
            "calibration curve",
            Box::new(|| {
                CalibrationCurve::new(&data.positive, &data.scores, 10, Binning::Uniform, None)
                    .unwrap()
                    .expected_error()
            }),
        ),
        (
            "ROC curve and area",
            Box::new(|| {
                RocCurve::new(&data.positive, &data.scores, None)
                    .unwrap()
                    .area()
            }),
        ),
        (
            "ROC AUC, five classes",
            Box::new(|| {
                roc_auc_one_vs_rest(&data.truth, data.probabilities.view(), Average::Macro, None)
                    .unwrap()
            }),
        ),
        (
            "precision–recall curve",
            Box::new(|| {
                PrecisionRecallCurve::new(&data.positive, &data.scores, None)
                    .unwrap()
                    .average_precision()
            }),
        ),
        ("R²", Box::new(move || errors().r2().mean())),
        (
            "RMSE",
            Box::new(move || errors().root_mean_squared().mean()),
        ),
        ("MAE", Box::new(move || errors().mean_absolute().mean())),
        (
            "median absolute error",
            Box::new(move || errors().median_absolute().mean()),
        ),
        ("largest error", Box::new(move || errors().maximum().mean())),
        (
            "explained variance",
            Box::new(move || errors().explained_variance().mean()),
        ),
        ("adjusted Rand", Box::new(move || table().adjusted_rand())),
        (
            "mutual information",
            Box::new(move || table().normalized_mutual_information(Normalizer::Arithmetic)),
        ),
        (
            "adjusted mutual information",
            Box::new(move || table().adjusted_mutual_information(Normalizer::Arithmetic)),
        ),
        ("purity", Box::new(move || table().purity())),
        (
            "matched accuracy",
            Box::new(move || table().matched_accuracy().unwrap()),
        ),
        (
            "within-group sum of squares",
            Box::new(move || within_sse(data.places.view(), &clusters).unwrap()),
        ),
        (
            "Calinski–Harabasz",
            Box::new(|| calinski_harabasz(data.places.view(), &data.predicted).unwrap()),
        ),
        (
            "Davies–Bouldin",
            Box::new(|| davies_bouldin(data.places.view(), &data.predicted).unwrap()),
        ),
        (
            "silhouette of 5000",
            Box::new(|| {
                silhouette_sampled(data.places.view(), &data.predicted, 5_000, 0, &Run::new())
                    .unwrap()
            }),
        ),
    ]
}

#[test]
#[ignore = "measures time, which other work on the machine disturbs"]
fn a_million_predictions_are_judged_within_a_second_each() {
    let data = predictions();
    let mut slow = Vec::new();
    for (name, figure) in rows(&data) {
        let start = Instant::now();
        let value = figure();
        let seconds = start.elapsed().as_secs_f64();
        assert!(value.is_finite(), "{name}: {value}");
        eprintln!("{name:30} {:8.1} ms", seconds * 1e3);
        if seconds >= 1.0 {
            slow.push(name);
        }
    }
    assert!(slow.is_empty(), "these take a second or more: {slow:?}");
}
