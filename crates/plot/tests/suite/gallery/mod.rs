//! One example of every picture, with data that are the same on every machine.

pub(crate) mod gaussians;

use crate::noise::{Noise, blobs};
use didact_core::model::Described;
use didact_core::{Shape, StopReason, Trace};
use didact_plot::*;
use gaussians::{Gaussians, Mixture};
use ndarray::{Array2, array};

const SPECIES: [&str; 3] = ["setosa", "versicolor", "virginica"];
const LENGTHS: [&str; 2] = ["petal length (cm)", "petal width (cm)"];

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn trace(objectives: Vec<f64>, stop: StopReason) -> Trace {
    Trace {
        objective_name: "log-likelihood per row".to_owned(),
        objectives,
        stop,
    }
}

/// The probability of three classes along a feature that most rows have little of.
fn effect() -> Picture {
    let values: Vec<f64> = (0..=40).map(|step| 0.2 * f64::from(step)).collect();
    let means = Array2::from_shape_fn((41, 3), |(row, class)| {
        let centers = [1.0, 4.0, 6.5];
        let weight = |center: f64| (-0.5 * (values[row] - center).powi(2) / 2.25).exp();
        weight(centers[class]) / centers.map(weight).iter().sum::<f64>()
    });
    let seen: Vec<f64> = (0..150).map(|row| f64::from(row * row) / 2_800.0).collect();
    partial_dependence(
        LENGTHS[0],
        &values,
        means.view(),
        &SPECIES,
        "Mean probability",
        &seen,
    )
    .unwrap()
}

/// Every picture by name.
pub(crate) fn gallery() -> Vec<(&'static str, Picture)> {
    let mut pictures = plane();
    pictures.extend(judgements());
    pictures.extend(choices());
    pictures.extend(sizes());
    pictures.extend(models());
    pictures
}

fn plane() -> Vec<(&'static str, Picture)> {
    let (rows, labels) = blobs(40);
    let cloud = Cloud::new(rows.view())
        .feature_names(&LENGTHS)
        .labels(&labels, &SPECIES);
    let classifier = Gaussians::blobs(&SPECIES);
    let mixture = Mixture(Gaussians::blobs(&SPECIES));
    let unlabelled = Cloud::new(rows.view()).feature_names(&LENGTHS);
    let few: Vec<Option<usize>> = labels
        .iter()
        .enumerate()
        .map(|(row, label)| (row % 8 == 0).then_some(*label))
        .collect();
    let partly = Cloud::new(rows.view())
        .feature_names(&LENGTHS)
        .some_labels(&few, &SPECIES);
    let described = |name| Described { name, meaning: "" };
    let figures = [
        (
            described("centres"),
            Shape::Points {
                points: array![[1.0, 1.0], [4.0, 1.5], [2.5, 4.0]],
            },
        ),
        (
            described("axes"),
            Shape::Axes {
                origin: vec![2.5, 2.2],
                directions: array![[1.5, 0.3], [-0.2, 1.0]],
            },
        ),
        (
            described("balls"),
            Shape::Balls {
                centers: array![[1.0, 3.5], [1.6, 3.7]],
                radius: 0.8,
            },
        ),
        (
            described("hyperplane"),
            Shape::Hyperplanes {
                normals: array![[1.0, -1.0]],
                offsets: vec![-0.5],
            },
        ),
        (
            described("edges"),
            Shape::Edges {
                points: array![[1.0, 1.0], [4.0, 1.5], [2.5, 4.0]],
                edges: vec![(0, 1), (1, 2)],
            },
        ),
    ];
    vec![
        ("scatter", scatter(&cloud).unwrap()),
        ("scatter-partly-labelled", scatter(&partly).unwrap()),
        (
            "figures",
            scatter(&cloud).unwrap().with_figures(&figures).unwrap(),
        ),
        ("decision-map", decision_map(&cloud, &classifier).unwrap()),
        (
            "density-contours",
            density_contours(&unlabelled, &mixture).unwrap(),
        ),
        ("clusters", decision_map(&unlabelled, &mixture).unwrap()),
    ]
}

fn judgements() -> Vec<(&'static str, Picture)> {
    let steps: Vec<f64> = (0..=20).map(|step| f64::from(step) / 20.0).collect();
    let good: Vec<f64> = steps.iter().map(|x| x.powf(0.25)).collect();
    let fair: Vec<f64> = steps.iter().map(|x| x.powf(0.6)).collect();
    let falling: Vec<f64> = steps.iter().map(|x| 1.0 - 0.6 * x.powi(3)).collect();
    let curves = [
        Curve {
            area: Some(0.8),
            chosen: Some(4),
            ..Curve::new("gradient boosting", &steps, &good)
        },
        Curve {
            area: Some(0.625),
            ..Curve::new("naive Bayes", &steps, &fair)
        },
    ];
    let precision = [Curve {
        area: Some(0.85),
        ..Curve::new("gradient boosting", &steps, &falling)
    }];
    let counts = array![[50.0, 0.0, 0.0], [0.0, 44.0, 6.0], [0.0, 9.0, 41.0]];
    let bins: Vec<f64> = (0..10).map(|bin| 0.05 + 0.1 * f64::from(bin)).collect();
    let bent: Vec<f64> = bins.iter().map(|p| p * p * (3.0 - 2.0 * p)).collect();
    let many: Vec<f64> = bins
        .iter()
        .map(|p| 400.0 * (p - 0.5).powi(2) + 5.0)
        .collect();
    let near: Vec<f64> = bins.iter().map(|p| 0.05 + 0.9 * p).collect();
    let reliabilities = [
        Reliability {
            name: "boosting",
            predicted: &bins,
            observed: &bent,
            counts: &many,
        },
        Reliability {
            name: "logistic",
            predicted: &bins,
            observed: &near,
            counts: &[12.0; 10],
        },
    ];
    let mut noise = Noise::new(3);
    let predicted: Vec<f64> = (0..300).map(|_| 5.0 + 40.0 * noise.uniform()).collect();
    let truth: Vec<f64> = predicted
        .iter()
        .map(|p| p + 3.0 * noise.gaussian())
        .collect();
    vec![
        ("roc", roc(&curves).unwrap()),
        (
            "precision-recall",
            precision_recall(&precision, Some(0.4)).unwrap(),
        ),
        (
            "confusion-matrix",
            confusion_matrix(counts.view(), &SPECIES).unwrap(),
        ),
        ("calibration", calibration(&reliabilities).unwrap()),
        (
            "residuals",
            residuals(&truth, &predicted, "price (CHF 1000)").unwrap(),
        ),
    ]
}

fn choices() -> Vec<(&'static str, Picture)> {
    let sizes = [20.0, 50.0, 100.0, 200.0, 400.0];
    let mut noise = Noise::new(11);
    let training = Array2::from_shape_fn((5, 5), |(row, _)| {
        0.86 + 0.12 / (row as f64 + 1.0) + 0.008 * noise.gaussian()
    });
    let validation = Array2::from_shape_fn((5, 5), |(row, _)| {
        0.85 - 0.25 / (row as f64 + 1.0) + 0.02 * noise.gaussian()
    });
    let prices = [0.001, 0.01, 0.1, 1.0, 10.0];
    let folds = |middle: f64, spread: f64, noise: &mut Noise| -> Vec<f64> {
        (0..10)
            .map(|_| middle + spread * noise.gaussian())
            .collect()
    };
    let one = folds(0.86, 0.02, &mut noise);
    let two = folds(0.88, 0.05, &mut noise);
    let three = folds(0.79, 0.03, &mut noise);
    let scores = Array2::from_shape_fn((4, 6), |(row, column)| {
        0.9 - 0.02 * (row as f64 - 2.0).powi(2) - 0.015 * (column as f64 - 3.0).powi(2)
    });
    let widths = texts(&["0.01", "0.1", "1", "10"]);
    let costs = texts(&["0.01", "0.1", "1", "10", "100", "1000"]);
    let counts: Vec<f64> = (1..=8).map(f64::from).collect();
    let inertia: Vec<f64> = [820.0, 410.0, 190.0, 80.0, 72.0, 66.0, 61.0, 57.0].to_vec();
    let bic = [640.0, 560.0, 505.0, 520.0, 541.0, 566.0, 590.0, 617.0];
    let aic = [630.0, 545.0, 484.0, 482.0, 490.0, 501.0, 514.0, 528.0];
    let fits: Vec<f64> = (0..90)
        .map(|row| [0.65, 0.5, 0.35][row % 3] + 0.18 * noise.gaussian())
        .map(|value| value.clamp(-0.3, 0.95))
        .collect();
    let clusters: Vec<usize> = (0..90).map(|row| row % 3).collect();
    let merges = [
        (0, 1, 0.4),
        (2, 3, 0.5),
        (4, 5, 0.3),
        (6, 7, 0.6),
        (8, 9, 1.1),
        (10, 12, 1.0),
        (11, 13, 1.4),
        (14, 15, 3.2),
    ];
    let towns = [
        "Lausanne",
        "Geneva",
        "Zurich",
        "Winterthur",
        "Lugano",
        "Bellinzona",
        "Bern",
        "Thun",
        "La Chaux-de-Fonds",
    ];
    vec![
        (
            "learning-curve",
            learning_curve(&sizes, training.view(), validation.view(), "accuracy").unwrap(),
        ),
        (
            "validation-curve",
            validation_curve(
                "C",
                &prices,
                training.view(),
                validation.view(),
                "accuracy",
                Some(3),
            )
            .unwrap(),
        ),
        (
            "cross-validation",
            cross_validation(
                &[
                    ("logistic regression", &one[..]),
                    ("gradient boosting", &two),
                    ("k nearest neighbours", &three),
                ],
                "balanced accuracy",
            )
            .unwrap(),
        ),
        (
            "grid-search",
            grid_search(
                GridAxis {
                    name: "gamma",
                    values: &widths,
                },
                GridAxis {
                    name: "C",
                    values: &costs,
                },
                scores.view(),
                "accuracy",
                true,
            )
            .unwrap(),
        ),
        (
            "silhouette",
            silhouette(&fits, &clusters, &["cluster 0", "cluster 1", "cluster 2"]).unwrap(),
        ),
        (
            "choice-curve",
            choice_curve(
                "Clusters",
                &[2.0, 3.0, 4.0, 5.0, 6.0],
                "Silhouette",
                &[0.42, 0.51, 0.63, 0.55, 0.47],
                Some(2),
            )
            .unwrap(),
        ),
        ("partial-dependence", effect()),
        (
            "elbow",
            elbow("Clusters", &counts, "inertia", &inertia, Some(3)).unwrap(),
        ),
        (
            "criteria",
            criteria("Components", &counts, &[("BIC", &bic[..]), ("AIC", &aic)]).unwrap(),
        ),
        (
            "dendrogram",
            dendrogram(&merges, &towns, Some(1.2)).unwrap(),
        ),
        (
            "scree",
            scree(&[0.52, 0.21, 0.12, 0.08, 0.05, 0.02]).unwrap(),
        ),
    ]
}

/// 002a:FIG01: linear, polynomial and exponential cost against the dimension. 002a:FIG02: the
/// blocks of a three-way split.
fn sizes() -> Vec<(&'static str, Picture)> {
    let dimensions: Vec<f64> = (0..7).map(|power| f64::from(1 << power)).collect();
    let costs = |law: fn(f64) -> f64| -> Vec<f64> { dimensions.iter().map(|d| law(*d)).collect() };
    let (linear, cubic) = (costs(|d| 20.0 * d), costs(|d| d.powi(3)));
    let exponential = costs(|d| d.exp2());
    let growths = [
        ("linear", &linear),
        ("cubic", &cubic),
        ("exponential", &exponential),
    ];
    let growths = growths.map(|(name, costs)| Growth {
        name,
        sizes: &dimensions,
        costs,
    });
    let rows: Vec<usize> = (0..100).collect();
    let (train, rest) = rows.split_at(60);
    let (validation, test) = rest.split_at(20);
    vec![
        (
            "growth",
            growth("Number of columns", "Cost", &growths).unwrap(),
        ),
        (
            "partition",
            partition(
                100,
                &[("train", train), ("validation", validation), ("test", test)],
            )
            .unwrap(),
        ),
    ]
}

fn models() -> Vec<(&'static str, Picture)> {
    let (rows, labels) = blobs(30);
    let centered = &rows - &rows.mean_axis(ndarray::Axis(0)).unwrap();
    let scores = Cloud::new(centered.view())
        .feature_names(&["component 1 (52 %)", "component 2 (21 %)"])
        .labels(&labels, &SPECIES);
    let loadings = array![
        [0.9, 0.1],
        [0.7, 0.62],
        [-0.3, 0.8],
        [0.72, 0.6],
        [0.1, -0.7]
    ];
    let original = [
        "sepal length (cm)",
        "sepal width (cm)",
        "petal length (cm)",
        "petal width (cm)",
        "an index with a very long name indeed",
    ];
    let mut noise = Noise::new(5);
    let places: Vec<f64> = (0..=60).map(|step| f64::from(step) / 10.0).collect();
    let mean: Vec<f64> = places.iter().map(|x| x.sin() + 0.3 * x).collect();
    let deviation: Vec<f64> = places.iter().map(|x| 0.12 + 0.05 * x).collect();
    let x: Vec<f64> = (0..80).map(|_| 6.0 * noise.uniform()).collect();
    let y: Vec<f64> = x
        .iter()
        .map(|x| x.sin() + 0.3 * x + (0.12 + 0.05 * x) * noise.gaussian())
        .collect();
    let falling = |start: f64, rate: f64, count: u32| -> Vec<f64> {
        (0..count)
            .map(|step| -start * (-rate * f64::from(step)).exp() - 2.0)
            .collect()
    };
    let first = trace(falling(3.0, 0.4, 14), StopReason::Converged);
    let second = trace(falling(2.2, 0.15, 25), StopReason::IterationLimit);
    let posterior = array![
        [0.9, 0.05, 0.05],
        [0.7, 0.2, 0.1],
        [0.2, 0.7, 0.1],
        [0.1, 0.85, 0.05],
        [0.05, 0.5, 0.45],
        [0.0, 0.2, 0.8],
        [0.0, 0.02, 0.98],
        [0.3, 0.1, 0.6]
    ];
    let path = [0, 0, 1, 1, 1, 2, 2, 2];
    let items = [
        "walk", "shop", "clean", "clean", "shop", "walk", "walk", "shop",
    ];
    let states: Vec<usize> = (0..120).map(|item| [0, 1, 0, 2][item / 30]).collect();
    let series = Array2::from_shape_fn((120, 1), |(item, _)| {
        [1.0, 4.0, 2.2][states[item]] + 0.35 * noise.gaussian()
    });
    let features = [
        "age",
        "income (CHF)",
        "years at the address",
        "distance (km)",
        "children",
    ];
    let weights = array![[0.8, -0.2, 0.05, -1.1, 0.3]];
    let several = array![
        [0.8, -0.2, 0.05, -1.1, 0.3],
        [-0.5, 0.4, 0.1, 0.6, 0.0],
        [-0.3, -0.2, -0.15, 0.5, -0.3]
    ];
    vec![
        (
            "biplot",
            biplot(&scores, loadings.view(), &original).unwrap(),
        ),
        (
            "regression-curve",
            regression_curve(
                &x,
                &y,
                Bands {
                    x: &places,
                    mean: &mean,
                    deviation: &deviation,
                },
                "time (s)",
                "speed (m/s)",
            )
            .unwrap(),
        ),
        (
            "loss-trace",
            loss_trace(&[("start 1", &first), ("start 2", &second)]).unwrap(),
        ),
        (
            "trellis",
            trellis(posterior.view(), &path, &["rain", "cloud", "sun"], &items).unwrap(),
        ),
        (
            "state-path",
            state_path(
                series.view(),
                &["load (kW)"],
                &states,
                &["idle", "busy", "cooling"],
            )
            .unwrap(),
        ),
        (
            "feature-importance",
            feature_importance(
                &features,
                &[0.11, 0.23, 0.01, 0.08, -0.005],
                &[0.01, 0.03, 0.005, 0.01, 0.006],
                "loss of accuracy when permuted",
            )
            .unwrap(),
        ),
        (
            "coefficients",
            coefficients(&features, weights.view(), &["the premium"]).unwrap(),
        ),
        (
            "coefficients-by-class",
            coefficients(&features, several.view(), &SPECIES).unwrap(),
        ),
    ]
}
