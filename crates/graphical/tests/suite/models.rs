//! Networks learned from rows, as densities and as classifiers.

use crate::support::{assert_near, combinations, five_nodes};
use didact_core::catalogue::Task;
use didact_core::random::generator;
use didact_core::{
    AnyModel, Cancel, Classes, Classify, Data, Error, Fit, Labelled, Labels, LogDensity, Model,
    Probabilities, Run, Sample, Samples, Value,
};
use didact_discriminant::CategoricalNB;
use didact_graphical::{
    BayesianNetwork, BayesianNetworkClassifierModel, BayesianNetworkModel, Structure,
};
use ndarray::{Array2, array, s};
use rand::RngExt;

const STRUCTURES: [Structure; 4] = [
    Structure::HillClimb,
    Structure::Exhaustive,
    Structure::ChowLiu,
    Structure::Naive,
];

fn by(structure: Structure) -> BayesianNetwork {
    BayesianNetwork {
        structure,
        ..BayesianNetwork::default()
    }
}

/// Rows of three columns whose class is the exclusive or of the first two, in nine of ten rows.
fn exclusive_or(rows: usize, seed: u64) -> (Array2<f64>, Labels) {
    let mut random = generator(seed, 0);
    let x = Array2::from_shape_fn((rows, 3), |(_, column)| {
        f64::from(random.random_range(0..2 + u8::from(column == 2)))
    });
    let names = x.rows().into_iter().map(|row| {
        let wrong = random.random::<f64>() < 0.1;
        if (row[0] != row[1]) != wrong {
            "yes"
        } else {
            "no"
        }
    });
    let labels = Labels::from_names(names);
    (x.clone(), labels)
}

fn accuracy(model: &BayesianNetworkClassifierModel, x: &Array2<f64>, labels: &Labels) -> f64 {
    let predicted = model.predict(x).unwrap();
    let right = predicted
        .iter()
        .zip(&labels.indices)
        .filter(|(a, b)| a == b)
        .count();
    right as f64 / labels.indices.len() as f64
}

#[test]
fn a_class_that_depends_on_columns_together_is_learned() {
    let (x, labels) = exclusive_or(600, 1);
    let (new, truth) = exclusive_or(600, 2);
    let fitted =
        |algorithm: BayesianNetwork| algorithm.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    // No single column tells anything about the class, two together nearly everything.
    let best = fitted(by(Structure::Exhaustive));
    assert!(accuracy(&best, &new, &truth) > 0.85);
    assert!(accuracy(&fitted(by(Structure::Naive)), &new, &truth) < 0.65);
    let given = BayesianNetwork {
        edges: Some(vec![[0, 3], [1, 3]]),
        ..BayesianNetwork::default()
    };
    let given = fitted(given);
    assert!(accuracy(&given, &new, &truth) > 0.85);
    assert!(given.bic_score() <= best.bic_score());
    assert_eq!(given.network().graph().edges(), [(0, 3), (1, 3)]);
    assert_eq!(given.network().graph().names(), ["x0", "x1", "x2", "class"]);
}

// Class probabilities are those of variable elimination with every column known.
#[test]
fn probabilities_are_exact_inference() {
    let (x, labels) = exclusive_or(200, 3);
    for structure in STRUCTURES {
        let model = by(structure)
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        let found = model.predict_proba(&x).unwrap();
        let densities = model.score_samples(&x).unwrap();
        for (row, values) in x.rows().into_iter().enumerate().take(12) {
            let names = ["x0", "x1", "x2"];
            let given: Vec<(&str, usize)> = names
                .iter()
                .zip(values)
                .map(|(&name, &value)| (name, value as usize))
                .collect();
            let exact = model.network().query(&["class"], &given).unwrap();
            for class in 0..2 {
                assert_near(
                    found[[row, class]],
                    exact.probability(&[class]).unwrap(),
                    1e-12,
                );
            }
            let evidence = model.network().log_evidence(&given, &Run::new()).unwrap();
            assert_near(densities[row], evidence, 1e-12);
        }
    }
}

// The naive graph is categorical naive Bayes, for values that were never seen too.
#[test]
fn the_naive_graph_is_categorical_naive_bayes() {
    let mut random = generator(4, 0);
    let x = Array2::from_shape_fn((80, 5), |_| f64::from(random.random_range(0..4_u8)));
    let names: Vec<&str> = (0..80)
        .map(|_| ["a", "b", "c"][random.random_range(0..3)])
        .collect();
    let labels = Labels::from_names(names);
    let data = || Labelled::new(&x, &labels).unwrap();
    for alpha in [0.3, 1.0] {
        let ours = BayesianNetwork {
            alpha,
            ..by(Structure::Naive)
        }
        .fit(data())
        .unwrap();
        let shares = ours.network().table(5).row(0).to_vec();
        let theirs = CategoricalNB {
            alpha,
            class_prior: Some(shares),
            ..CategoricalNB::default()
        };
        let theirs = theirs.fit(data()).unwrap();
        let mut new = x.clone();
        new[[0, 0]] = 9.0;
        new[[1, 3]] = 1000.0;
        let pairs = ours.predict_proba(&new).unwrap();
        for (left, right) in pairs.iter().zip(&theirs.predict_proba(&new).unwrap()) {
            assert_near(*left, *right, 1e-12);
        }
        let pairs = ours.score_samples(&new).unwrap();
        for (left, right) in pairs.iter().zip(&theirs.score_samples(&new).unwrap()) {
            assert_near(*left, *right, 1e-12);
        }
    }
}

#[test]
fn densities_are_the_joint_of_the_network_and_sum_to_one() {
    let x = five_nodes().sample(300, 5).mapv(|value| value as f64);
    let cells = combinations(&[2; 5]);
    let grid = Array2::from_shape_fn((32, 5), |(row, column)| cells[row][column] as f64);
    for structure in STRUCTURES {
        let model = by(structure).fit(Samples::from(&x)).unwrap();
        let logs = model.score_samples(&grid).unwrap();
        assert_near(logs.mapv(f64::exp).sum(), 1.0, 1e-12);
        for (log, values) in logs.iter().zip(&cells) {
            assert_near(
                *log,
                model.network().log_probability(values).unwrap(),
                1e-12,
            );
        }
        assert_near(
            model.log_likelihood(),
            model.score_samples(&x).unwrap().sum(),
            1e-12,
        );
        assert_eq!(
            Model::trace(&model).is_some(),
            structure == Structure::HillClimb
        );
    }
    let free = by(Structure::Naive).fit(Samples::from(&x)).unwrap();
    assert!(free.network().graph().edges().is_empty());
}

#[test]
fn drawn_rows_teach_the_network_again() {
    let (x, labels) = exclusive_or(500, 6);
    let model = by(Structure::Exhaustive)
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let drawn = model.sample(20_000, 7).unwrap();
    let again = Labels {
        indices: drawn.labels,
        classes: labels.classes.clone(),
    };
    let edges = model.network().graph().edges();
    let same = BayesianNetwork {
        edges: Some(
            edges
                .iter()
                .map(|&(parent, child)| [parent, child])
                .collect(),
        ),
        ..BayesianNetwork::default()
    };
    let again = same
        .fit(Labelled::new(&drawn.rows, &again).unwrap())
        .unwrap();
    for node in 0..4 {
        let pairs = again.network().table(node).probabilities().iter();
        for (left, right) in pairs.zip(model.network().table(node).probabilities()) {
            // The rarest combination of parents has more than 1 % of the rows.
            assert!(
                (left - right).abs() < 5.0 * (0.25_f64 / 200.0).sqrt(),
                "{left} {right}"
            );
        }
    }
    let density = BayesianNetwork::default().fit(Samples::from(&x)).unwrap();
    let drawn = density.sample(50, 1).unwrap();
    assert_eq!((drawn.rows.dim(), drawn.labels.len()), ((50, 3), 50));
    assert_eq!(drawn, density.sample(50, 1).unwrap());
}

// A value never seen counts as one seen zero times; as a parent's value it is a combination never
// seen, for which all values are equally probable.
#[test]
fn values_never_seen_get_a_clear_answer() {
    let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]];
    let algorithm = BayesianNetwork {
        edges: Some(vec![[0, 1]]),
        ..BayesianNetwork::default()
    };
    let model = algorithm.fit(Samples::from(&x)).unwrap();
    let logs = model
        .score_samples(&array![[7.0, 0.0], [1.0, 7.0]])
        .unwrap();
    // (0 + 1)/(4 + 2)·½ and (2 + 1)/(4 + 2)·(0 + 1)/(2 + 2).
    assert_near(logs[0], (1.0_f64 / 6.0 * 0.5).ln(), 1e-12);
    assert_near(logs[1], (0.5_f64 * 0.25).ln(), 1e-12);
    let sharp = BayesianNetwork {
        alpha: 0.0,
        ..algorithm
    }
    .fit(Samples::from(&x))
    .unwrap();
    let logs = sharp
        .score_samples(&array![[1.0, 7.0], [0.0, 1.0]])
        .unwrap();
    assert_eq!(logs[0], f64::NEG_INFINITY);
    assert_near(logs[1], 0.25_f64.ln(), 1e-12);
    // What rules every class out leaves the shares of the classes.
    let labels = Labels::from_names(["a", "b", "b", "b"]);
    let sharp = BayesianNetwork {
        alpha: 0.0,
        ..by(Structure::Naive)
    };
    let sharp = sharp.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let new = array![[7.0, 0.0]];
    assert_near(sharp.predict_proba(&new).unwrap()[[0, 0]], 0.25, 1e-15);
    assert_eq!(sharp.predict(&new).unwrap(), [1]);
    for bad in [-1.0, 0.5, 1e300] {
        let error = sharp.predict(&array![[0.0, bad]]).unwrap_err().to_string();
        assert!(
            error.starts_with("row 0, column 1 is ") && error.contains("whole numbers from 0"),
            "{error}"
        );
    }
}

#[test]
fn awkward_rows_give_a_sound_model_or_a_clear_error() {
    let few: [Array2<f64>; 5] = [
        array![[3.0, 0.0]],
        array![[1.0], [0.0], [1.0]],
        Array2::zeros((40, 3)),
        Array2::from_elem((5, 2), 1_048_575.0),
        Array2::from_shape_fn((6, 30), |(row, column)| ((row * column) % 4) as f64),
    ];
    for x in &few {
        let mut labels = Labels::from_indices((0..x.nrows()).map(|row| row % 2).collect());
        labels.classes = Classes::new(["a", "b", "c without rows"]);
        for structure in STRUCTURES {
            if structure == Structure::Exhaustive && x.ncols() > 14 {
                continue;
            }
            let model = by(structure).fit(Labelled::new(x, &labels).unwrap());
            let model = match model {
                Ok(model) => model,
                Err(error) => {
                    assert!(
                        error.to_string().contains("cells; lower max_parents"),
                        "{error}"
                    );
                    continue;
                }
            };
            let shares = model.predict_proba(x).unwrap();
            assert!(
                shares
                    .rows()
                    .into_iter()
                    .all(|row| (row.sum() - 1.0).abs() < 1e-12)
            );
            assert!(
                model
                    .score_samples(x)
                    .unwrap()
                    .iter()
                    .all(|log| log.is_finite())
            );
            model.validate().unwrap();
            let density = by(structure).fit(Samples::from(x));
            if let Ok(density) = density {
                assert!(
                    density
                        .score_samples(x)
                        .unwrap()
                        .iter()
                        .all(|log| log.is_finite())
                );
            }
        }
    }
    let fails = |algorithm: BayesianNetwork, x: &Array2<f64>| {
        algorithm.fit(Samples::from(x)).unwrap_err().to_string()
    };
    let error = fails(by(Structure::HillClimb), &array![[0.0], [0.25]]);
    assert!(
        error.starts_with("row 1, column 0 is 0.25; categories must be"),
        "{error}"
    );
    let edges = |edges: Vec<[usize; 2]>| BayesianNetwork {
        edges: Some(edges),
        ..BayesianNetwork::default()
    };
    let x = Array2::zeros((4, 2));
    let error = fails(edges(vec![[0, 5]]), &x);
    assert!(
        error.starts_with("edges[0] is [0, 5]; both numbers must be less than 2"),
        "{error}"
    );
    assert!(fails(edges(vec![[0, 1], [1, 0]]), &x).contains("form a cycle"));
    assert!(fails(edges(vec![[0, 1], [0, 1]]), &x).contains("different nodes"));
    let error = fails(by(Structure::Exhaustive), &Array2::zeros((4, 16)));
    assert!(error.contains("use hill-climb"), "{error}");
    let error = fails(
        BayesianNetwork {
            alpha: -1.0,
            ..BayesianNetwork::default()
        },
        &x,
    );
    assert_eq!(error, "alpha is -1.0; it must be at least 0");
    let huge = BayesianNetwork {
        alpha: 1e308,
        ..BayesianNetwork::default()
    };
    assert!(
        huge.fit(Samples::from(&few[1]))
            .unwrap()
            .log_likelihood()
            .is_finite()
    );
}

#[test]
fn rows_one_at_a_time_are_answered_like_rows_together() {
    let (x, labels) = exclusive_or(60, 14);
    let model = BayesianNetwork::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let (shares, logs) = (
        model.predict_proba(&x).unwrap(),
        model.score_samples(&x).unwrap(),
    );
    for row in 0..60 {
        let alone = x.slice(s![row..row + 1, ..]).to_owned();
        assert_eq!(model.predict_proba(&alone).unwrap().row(0), shares.row(row));
        assert_eq!(
            model.score_samples(&alone).unwrap()[0].to_bits(),
            logs[row].to_bits()
        );
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_single_bit() {
    let mut random = generator(8, 0);
    let x = Array2::from_shape_fn((70_000, 6), |(_, column)| {
        f64::from(random.random_range(0..2 + column as u8))
    });
    let weights: Vec<f64> = (0..70_000).map(|_| random.random::<f64>()).collect();
    let labels = Labels::from_indices(
        x.rows()
            .into_iter()
            .map(|row| (row[0] + row[3]) as usize % 3)
            .collect(),
    );
    let fitted = |threads: usize| {
        let run = Run::new().threads(threads);
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let data = Labelled::new(samples, &labels).unwrap();
        let model = BayesianNetwork {
            n_restarts: 1,
            ..BayesianNetwork::default()
        };
        model.fit_with(data, &run).unwrap().encode().unwrap()
    };
    let one = fitted(1);
    assert!(fitted(2) == one && fitted(4) == one);
}

#[test]
fn a_cancelled_search_stops() {
    let mut random = generator(9, 0);
    let x = Array2::from_shape_fn((20_000, 60), |_| f64::from(random.random_range(0..4_u8)));
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let run = Run::new().cancelled_by(&cancel);
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        switch.cancel();
        std::time::Instant::now()
    });
    let climb = BayesianNetwork {
        n_restarts: 1000,
        ..BayesianNetwork::default()
    };
    let result = climb.fit_with(Samples::from(&x), &run);
    let stopped = std::time::Instant::now();
    let cancelled = canceller.join().unwrap();
    assert!(matches!(result, Err(Error::Cancelled)));
    assert!(stopped.duration_since(cancelled) < std::time::Duration::from_millis(500));
}

fn attribute<'a>(model: &'a dyn AnyModel, name: &str) -> Value<'a> {
    let found = model
        .attributes()
        .into_iter()
        .find(|(described, _)| described.name == name);
    found.unwrap().1
}

#[test]
fn the_catalogue_serves_a_classifier_and_a_density() {
    let entry = &didact_graphical::catalogue()[0];
    assert_eq!(entry.id, "bayesian-network");
    assert!(entry.is_for(Task::Classification) && entry.is_for(Task::Density));
    let (x, labels) = exclusive_or(300, 10);
    let learner = entry.learner(&Default::default()).unwrap();
    let run = Run::new();
    let model = learner.fit(Data::Samples(Samples::from(&x)), &run).unwrap();
    assert_eq!(model.ability_names(), ["log-density", "sample"]);
    let model = learner
        .fit(Data::Labelled(Labelled::new(&x, &labels).unwrap()), &run)
        .unwrap();
    assert_eq!(
        model.ability_names(),
        ["classify", "probabilities", "log-density", "sample"]
    );
    let fixed = r#"{"edges": [[3, 0], [3, 1], [0, 1]], "alpha": 0.5}"#;
    let learner = entry.learner(&serde_json_map(fixed)).unwrap();
    let model = learner
        .fit(Data::Labelled(Labelled::new(&x, &labels).unwrap()), &run)
        .unwrap();
    let edges = attribute(model.as_ref(), "edges");
    let edges = edges.as_array().unwrap();
    assert_eq!(edges.shape(), [3, 2]);
    assert_eq!(
        edges.iter().copied().collect::<Vec<_>>(),
        [3.0, 0.0, 0.0, 1.0, 3.0, 1.0]
    );
    let Value::Names(arrows) = attribute(model.as_ref(), "arrows") else {
        panic!("arrows are words");
    };
    assert_eq!(arrows, ["class → x0", "x0 → x1", "class → x1"]);
    // 1 + 1·2 + 1·4 + 2 for the third column, which has three values.
    assert_eq!(
        attribute(model.as_ref(), "n_parameters").as_number(),
        Some(9.0)
    );
}

fn serde_json_map(text: &str) -> serde_json::Map<String, serde_json::Value> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn damaged_models_are_refused_or_answer_without_panic() {
    let (x, labels) = exclusive_or(60, 11);
    let model = BayesianNetwork::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let density = BayesianNetwork::default().fit(Samples::from(&x)).unwrap();
    let (bytes, other) = (model.encode().unwrap(), density.encode().unwrap());
    let read: BayesianNetworkClassifierModel = didact_core::encoding::from_bytes(&bytes).unwrap();
    assert_eq!(read, model);
    let mut random = generator(12, 0);
    for _ in 0..1500 {
        let mut damaged = [bytes.clone(), other.clone()];
        for bytes in &mut damaged {
            let place = random.random_range(0..bytes.len());
            bytes[place] = random.random_range(0..=255);
        }
        let [first, second] = damaged;
        if let Ok(read) =
            didact_core::encoding::from_bytes::<BayesianNetworkClassifierModel>(&first)
            && read.validate().is_ok()
        {
            let _ = (
                read.predict_proba(&x),
                read.score_samples(&x),
                read.sample(3, 0),
            );
        }
        if let Ok(read) = didact_core::encoding::from_bytes::<BayesianNetworkModel>(&second)
            && read.validate().is_ok()
        {
            let _ = (read.score_samples(&x), read.sample(3, 0));
        }
    }
}

#[test]
fn default_fits_of_small_tables_are_quick() {
    let mut random = generator(13, 0);
    let x = Array2::from_shape_fn((150, 8), |_| f64::from(random.random_range(0..4_u8)));
    let started = std::time::Instant::now();
    for _ in 0..10 {
        BayesianNetwork::default().fit(Samples::from(&x)).unwrap();
    }
    assert!(started.elapsed() < std::time::Duration::from_millis(10 * 200));
}
