//! k nearest neighbours against the item rows, scikit-learn and the promises of every method.

use didact_core::model::decode_model;
use didact_core::random::generator;
use didact_core::{
    AnyModel, Cancel, Classify, Csr, Error, Fit, Labelled, Labels, Measured, Model, Probabilities,
    Regress, Rows, Run, Samples, Value,
};
use didact_datasets::{diabetes, digits, iris, wine};
use didact_neighbors::{
    KNeighbors, KNeighborsClassifier, KNeighborsRegressor, Metric, SearchAlgorithm, Voting,
};
use ndarray::{Array2, Axis, array, concatenate, s};
use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};
use serde_json::json;

const ALGORITHMS: [SearchAlgorithm; 4] = [
    SearchAlgorithm::Auto,
    SearchAlgorithm::Brute,
    SearchAlgorithm::KdTree,
    SearchAlgorithm::BallTree,
];

fn with(n_neighbors: usize) -> KNeighbors {
    KNeighbors {
        n_neighbors,
        ..KNeighbors::default()
    }
}

fn classifier(method: &KNeighbors, rows: &Array2<f64>, labels: &Labels) -> KNeighborsClassifier {
    method.fit(Labelled::new(rows, labels).unwrap()).unwrap()
}

fn normal(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut generator))
}

/// Every other row for training, the others for testing.
fn halves(rows: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let half = |start: usize| rows.slice(s![start..;2, ..]).to_owned();
    (half(0), half(1))
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
        "{found} is not {expected}"
    );
}

// 003:P44, 004:M41: scikit-learn 1.x, KNeighborsClassifier(…).fit(wine[::2]), tested on
// wine[1::2]: right labels, three rows of predict_proba, and Σ P·(1, 2, 3).
#[test]
fn wine_has_the_probabilities_of_scikit_learn() {
    let data = wine();
    let (train, test) = halves(&data.features().to_owned());
    let all = &data.labels().unwrap().indices;
    let labels = Labels::from_indices(all.iter().copied().step_by(2).collect());
    let truth: Vec<usize> = all.iter().copied().skip(1).step_by(2).collect();
    let uniform = with(5);
    let by_distance = KNeighbors {
        weights: Voting::Distance,
        ..with(5)
    };
    let manhattan = KNeighbors {
        metric: Metric::Manhattan,
        n_neighbors: 7,
        ..by_distance.clone()
    };
    let cubic = KNeighbors {
        metric: Metric::Minkowski { p: 3.0 },
        ..with(5)
    };
    let cases = [
        (
            uniform,
            65,
            array![[1.0, 0.0, 0.0], [0.0, 0.6, 0.4], [0.0, 0.2, 0.8]],
            173.8,
        ),
        (
            by_distance,
            59,
            array![
                [1.0, 0.0, 0.0],
                [0.0, 0.4806505345331418, 0.5193494654668581],
                [0.0, 0.1668575790162259, 0.833142420983774]
            ],
            175.29984907417057,
        ),
        (
            manhattan,
            74,
            array![
                [1.0, 0.0, 0.0],
                [0.0881829335294797, 0.6689322996223604, 0.2428847668481599],
                [0.0, 0.1249397212776256, 0.8750602787223745]
            ],
            173.1067275451524,
        ),
        (
            cubic,
            67,
            array![[1.0, 0.0, 0.0], [0.2, 0.4, 0.4], [0.0, 0.2, 0.8]],
            173.8,
        ),
    ];
    for (method, right, some, checksum) in cases {
        let model = classifier(&method, &train, &labels);
        let predicted = Classify::predict(&model, &test).unwrap();
        let found = predicted.iter().zip(&truth).filter(|(a, b)| a == b).count();
        assert_eq!(found, right);
        let probabilities = model.predict_proba(&test).unwrap();
        for (row, expected) in [0, 40, 88].into_iter().zip(some.rows()) {
            for (found, expected) in probabilities.row(row).iter().zip(expected) {
                assert_close(*found, *expected);
            }
        }
        assert_close(probabilities.dot(&array![1.0, 2.0, 3.0]).sum(), checksum);
    }
    // kneighbors of the first two test rows.
    let found = classifier(&with(5), &train, &labels)
        .kneighbors(test.slice(s![..2, ..]), 5)
        .unwrap();
    assert_eq!(found.indices, array![[4, 24, 11, 23, 27], [5, 7, 6, 3, 29]]);
    assert_close(found.distances[[0, 0]], 6.78638342565464);
    assert_close(found.distances[[1, 4]], 195.06998026349416);
}

// scikit-learn 1.x, KNeighborsRegressor(…).fit(X[::2]) on load_diabetes(scaled=False) with the
// targets y and 1 − 2y: the first two predictions for X[1::2] and the sums of all.
#[test]
fn diabetes_has_the_predictions_of_scikit_learn_for_several_targets() {
    let data = diabetes();
    let (train, test) = halves(&data.features().to_owned());
    let column = ndarray::ArrayView1::from(data.targets().unwrap()).insert_axis(Axis(1));
    let targets = concatenate![Axis(1), column, column.mapv(|y| 1.0 - 2.0 * y)];
    let (targets, _) = halves(&targets);
    let by_distance = KNeighbors {
        weights: Voting::Distance,
        ..with(10)
    };
    let cases = [
        (
            with(5),
            array![[86.6, -172.2], [214.4, -427.8]],
            [33492.4, -66763.8],
        ),
        (
            by_distance,
            array![
                [94.05416290642908, -187.10832581285817],
                [183.36140930262758, -365.72281860525516]
            ],
            [33239.74660388031, -66258.49320776062],
        ),
    ];
    for (method, first, sums) in cases {
        let data = Measured::many(&train, targets.view()).unwrap();
        let predicted = method.fit(data).unwrap().predict(&test).unwrap();
        for (found, expected) in predicted.iter().zip(&first) {
            assert_close(*found, *expected);
        }
        for (found, expected) in predicted.sum_axis(Axis(0)).iter().zip(sums) {
            assert_close(*found, expected);
        }
    }
}

// 000a:GEN-02 fx-T1: the inner circle holds two red and one blue point, the outer one two red,
// four blue and one green (seven points, not the eight of the text).
#[test]
fn a_wider_neighbourhood_can_change_the_vote() {
    let names = ["red", "red", "blue", "blue", "blue", "blue", "green"];
    let labels = Labels::from_names(names);
    let rows = array![
        [0.5, 0.0],
        [0.0, 0.6],
        [-0.7, 0.0],
        [2.0, 0.0],
        [0.0, 2.1],
        [0.0, -2.2],
        [-2.3, 0.0]
    ];
    let query = array![[0.0, 0.0]];
    let name = |k| {
        let model = classifier(&with(k), &rows, &labels);
        let label = Classify::predict(&model, &query).unwrap()[0];
        (
            labels.classes.names()[label].to_string(),
            model.vote_counts(&query).unwrap(),
        )
    };
    // Classes in label order: blue, green, red.
    assert_eq!(name(3), ("red".to_owned(), array![[1, 0, 2]]));
    assert_eq!(name(7), ("blue".to_owned(), array![[4, 1, 2]]));
    let inside = classifier(&with(1), &rows, &labels)
        .radius_neighbors(&query, 1.0)
        .unwrap();
    assert_eq!(inside, [vec![(0, 0.5), (1, 0.6), (2, 0.7)]]);
}

// 000a:GEN-02, 003:P44: k = 1 makes no training error on distinct points, k = N gives the
// priors, which are part of the vote already.
#[test]
fn one_neighbour_remembers_and_all_neighbours_give_the_priors() {
    let data = wine();
    let rows = data.features().to_owned();
    let labels = data.labels().unwrap();
    for algorithm in ALGORITHMS {
        let method = KNeighbors {
            algorithm,
            ..with(1)
        };
        let predicted = Classify::predict(&classifier(&method, &rows, labels), &rows).unwrap();
        assert_eq!(predicted, labels.indices);
    }
    let model = classifier(&with(178), &rows, labels);
    for row in model.predict_proba(&rows).unwrap().rows() {
        // 59, 71 and 48 wines of 178.
        assert_eq!(row.to_vec(), [59.0 / 178.0, 71.0 / 178.0, 48.0 / 178.0]);
    }
}

// 000a:GEN-02, 003:P44, 004:M41: the tie rules.
#[test]
fn tied_votes_go_to_the_lowest_class_and_tied_distances_to_the_lowest_row() {
    let rows = array![[1.0], [-1.0], [1.0], [-1.0], [5.0]];
    let labels = Labels::from_indices(vec![1, 0, 1, 0, 2]);
    let query = array![[0.0]];
    for algorithm in ALGORITHMS {
        let label = |k| {
            let method = KNeighbors {
                algorithm,
                leaf_size: 1,
                ..with(k)
            };
            let model = classifier(&method, &rows, &labels);
            let nearest = model.kneighbors(&query, k).unwrap().indices;
            assert_eq!(nearest.row(0).to_vec(), [0, 1, 2, 3, 4][..k]);
            Classify::predict(&model, &query).unwrap()[0]
        };
        assert_eq!((label(1), label(2), label(3), label(4)), (1, 0, 1, 0));
    }
}

#[test]
fn a_row_seen_in_training_alone_decides_when_votes_count_by_distance() {
    let rows = array![[0.0], [0.0], [1.0], [2.0]];
    let method = KNeighbors {
        weights: Voting::Distance,
        ..with(4)
    };
    let model = method
        .fit(Measured::new(&rows, &[1.0, 3.0, 100.0, 100.0]).unwrap())
        .unwrap();
    assert_eq!(model.predict(&array![[0.0]]).unwrap(), array![[2.0]]);
    let labels = Labels::from_indices(vec![1, 1, 0, 0]);
    let model = classifier(&method, &rows, &labels);
    assert_eq!(
        model.predict_proba(&array![[0.0]]).unwrap(),
        array![[0.0, 1.0]]
    );
}

// 002a:DB02: trees change the cost and not the answer, on data full of equal distances.
#[test]
fn all_searches_predict_the_same() {
    let data = digits();
    let rows = data.features().slice(s![..400, ..8]).to_owned();
    let labels = Labels::from_indices(data.labels().unwrap().indices[..400].to_vec());
    for metric in [
        Metric::Euclidean,
        Metric::Manhattan,
        Metric::Chebyshev,
        Metric::Minkowski { p: 3.0 },
    ] {
        let probabilities = |algorithm| {
            let method = KNeighbors {
                algorithm,
                metric,
                ..with(5)
            };
            classifier(&method, &rows, &labels)
                .predict_proba(&rows)
                .unwrap()
        };
        let expected = probabilities(SearchAlgorithm::Brute);
        assert!(ALGORITHMS.map(probabilities).iter().all(|p| *p == expected));
    }
}

#[test]
fn sparse_rows_vote_like_the_same_rows_written_out() {
    let data = digits();
    let rows = data.features().slice(s![..300, ..]).to_owned();
    let labels = Labels::from_indices(data.labels().unwrap().indices[..300].to_vec());
    let sparse = Csr::from_dense(rows.view());
    let dense_model = classifier(&with(5), &rows, &labels);
    let sparse_model = with(5)
        .fit(Labelled::new(&sparse, &labels).unwrap())
        .unwrap();
    let expected = dense_model.predict_proba(&rows).unwrap();
    assert_eq!(sparse_model.predict_proba(&sparse).unwrap(), expected);
    assert_eq!(sparse_model.predict_proba(&rows).unwrap(), expected);
    assert_eq!(dense_model.predict_proba(&sparse).unwrap(), expected);
}

#[test]
fn rows_alone_and_any_number_of_threads_give_the_same_bits() {
    let data = iris();
    let rows = data.features().to_owned();
    let method = KNeighbors {
        weights: Voting::Distance,
        ..with(7)
    };
    let queries = &rows + 0.013;
    let fit = |threads| {
        let run = Run::new().threads(threads);
        let model = method.fit_with(data.labelled().unwrap(), &run).unwrap();
        run.install(|| model.predict_proba(&queries)).unwrap()
    };
    let together = fit(1);
    assert_eq!(together, fit(2));
    assert_eq!(together, fit(4));
    let model = method.fit(data.labelled().unwrap()).unwrap();
    for row in 0..150 {
        let alone = model.predict_proba(queries.slice(s![row..=row, ..]));
        assert_eq!(alone.unwrap().row(0), together.row(row));
    }
}

#[test]
fn awkward_rows_have_a_defined_answer() {
    let one = Labels::from_indices(vec![0]);
    let model = classifier(&with(1), &array![[3.0]], &one);
    assert_eq!(Classify::predict(&model, &array![[-0.0]]).unwrap(), [0]);
    let constant = Array2::ones((40, 3));
    let labels = Labels::from_indices((0..40).map(|row| usize::from(row > 2)).collect());
    for algorithm in ALGORITHMS {
        let method = KNeighbors {
            algorithm,
            leaf_size: 2,
            weights: Voting::Distance,
            ..with(5)
        };
        let model = classifier(&method, &constant, &labels);
        // Rows 0 to 4: three of class 0 and two of class 1.
        let probabilities = model.predict_proba(&constant).unwrap();
        assert!(
            probabilities
                .rows()
                .into_iter()
                .all(|row| row.to_vec() == [0.6, 0.4])
        );
    }
    let far = normal(50, 3, 1).mapv(|value| (value * 1024.0).round() / 1024.0);
    let near = classifier(&with(1), &far, &Labels::from_indices((0..50).collect()));
    let shifted = &far + 1e8;
    let model = classifier(&with(1), &shifted, &Labels::from_indices((0..50).collect()));
    assert_eq!(
        model.kneighbors(&shifted, 5).unwrap(),
        near.kneighbors(&far, 5).unwrap()
    );
    let targets = [1e308, 1e308, 1e308];
    let model = with(3)
        .fit(Measured::new(&array![[0.0], [1.0], [2.0]], &targets).unwrap())
        .unwrap();
    assert!((model.predict(&array![[0.0]]).unwrap()[[0, 0]] / 1e308 - 1.0).abs() < 1e-12);
}

#[test]
fn a_class_without_rows_has_probability_zero() {
    let labels = Labels {
        indices: vec![0, 2],
        classes: Labels::from_indices(vec![0, 1, 2]).classes,
    };
    let model = classifier(&with(2), &array![[0.0], [1.0]], &labels);
    assert_eq!(
        model.predict_proba(&array![[0.5]]).unwrap(),
        array![[0.5, 0.0, 0.5]]
    );
}

#[test]
fn requests_that_cannot_be_met_are_refused_with_the_reason() {
    let rows = array![[0.0], [1.0]];
    let labels = Labels::from_indices(vec![0, 1]);
    let complain = |method: KNeighbors, rows: &Array2<f64>| {
        let data = Labelled::new(rows, &labels).unwrap();
        method.fit(data).unwrap_err().to_string()
    };
    assert_eq!(
        complain(with(3), &rows),
        "n_neighbors is 3; there are only 2 samples to learn from; ask for at most 2"
    );
    assert_eq!(
        complain(with(0), &rows),
        "n_neighbors is 0; it must be at least 1"
    );
    let metric = Metric::Minkowski { p: 0.5 };
    let message = complain(KNeighbors { metric, ..with(1) }, &rows);
    assert!(
        message.contains("p is 0.5; it must be at least 1"),
        "{message}"
    );
    let huge = array![[1e300], [-1e300]];
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let message = complain(KNeighbors { metric, ..with(1) }, &huge);
        assert!(
            message.starts_with("row 0 holds a value so large"),
            "{message}"
        );
    }
    let model = classifier(&with(1), &rows, &labels);
    assert!(Classify::predict(&model, &huge).is_err());
    assert!(model.radius_neighbors(&rows, f64::NAN).is_err());
    assert!(matches!(
        model.kneighbors(&array![[0.0, 1.0]], 1),
        Err(Error::Columns { .. })
    ));
    let manhattan = KNeighbors {
        metric: Metric::Chebyshev,
        ..with(1)
    };
    let model = classifier(&manhattan, &array![[1e299], [-1e299]], &labels);
    assert_eq!(Classify::predict(&model, &array![[-1e298]]).unwrap(), [1]);
}

#[test]
fn a_cancelled_run_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    let run = Run::new().cancelled_by(&cancel);
    let rows = normal(2000, 3, 2);
    let labels = Labels::from_indices(vec![0; 2000]);
    // `learn` itself, because `fit_with` already refuses a run that was cancelled before.
    let result = KNeighbors::default().learn(Labelled::new(&rows, &labels).unwrap(), &run);
    assert!(matches!(result, Err(Error::Cancelled)));
}

#[test]
fn saved_models_are_the_same_and_damaged_ones_are_refused() {
    let data = iris();
    let rows = Rows::Dense(data.features());
    let model = KNeighbors::default().fit(data.labelled().unwrap()).unwrap();
    let loaded = decode_model::<KNeighborsClassifier>(&model.encode().unwrap()).unwrap();
    let expected = model.probabilities(rows).unwrap();
    assert_eq!(
        loaded
            .as_probabilities()
            .unwrap()
            .probabilities(rows)
            .unwrap(),
        expected
    );
    let known = loaded.attributes();
    assert!(matches!(&known[3].1, Value::Text(text) if text == "euclidean"));
    for (field, wrong) in [("labels", json!([0, 1])), ("classes", json!(["a"]))] {
        let mut value = serde_json::to_value(&model).unwrap();
        value[field] = wrong;
        let damaged: KNeighborsClassifier = serde_json::from_value(value).unwrap();
        assert!(damaged.validate().is_err(), "{field}");
    }
    let mut value = serde_json::to_value(&model).unwrap();
    value["memory"]["n_neighbors"] = json!(151);
    let damaged: KNeighborsClassifier = serde_json::from_value(value).unwrap();
    assert!(damaged.validate().is_err());
    let targets = [1.0, 2.0];
    let regressor = with(1)
        .fit(Measured::new(&array![[0.0], [1.0]], &targets).unwrap())
        .unwrap();
    let mut value = serde_json::to_value(&regressor).unwrap();
    value["targets"] = json!({"v": 1, "dim": [1, 1], "data": [1.0]});
    let damaged: KNeighborsRegressor = serde_json::from_value(value).unwrap();
    assert!(damaged.validate().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn probabilities_sum_to_one_and_means_stay_between_the_targets(
        n in 1usize..40, d in 1usize..4, share in 0.0..1.0, by_distance: bool, seed in 0u64..1000,
    ) {
        // A grid, so that distances are often equal and often zero.
        let rows = normal(n, d, seed).mapv(f64::round);
        let queries = normal(8, d, seed + 1).mapv(f64::round);
        let method = KNeighbors {
            weights: if by_distance { Voting::Distance } else { Voting::Uniform },
            ..with(1 + (share * (n - 1) as f64) as usize)
        };
        let labels = Labels::from_indices((0..n).map(|row| row % 3).collect());
        let model = classifier(&method, &rows, &labels);
        let probabilities = model.predict_proba(&queries).unwrap();
        for row in probabilities.rows() {
            prop_assert!((row.sum() - 1.0).abs() < 1e-12 && row.iter().all(|p| (0.0..=1.0).contains(p)));
        }
        let targets: Vec<f64> = (0..n).map(|row| row as f64).collect();
        let model = method.fit(Measured::new(Samples::from(&rows), &targets).unwrap()).unwrap();
        let predicted = model.predict(&queries).unwrap();
        prop_assert!(predicted.iter().all(|y| *y >= 0.0 && *y <= (n - 1) as f64 + 1e-9));
    }
}
