//! Every box of the texts' tables of tasks and of networks has something in it that works.

use didact::core::{Data, Decisions, Fit, Learning, Outcome, Run, Samples, Task, Transform};
use didact::neural_classic::{
    HebbNetwork, HebbRule, JuttenHerault, RecallThreshold, Tdnn, Willshaw,
};
use didact::prelude::*;
use didact::recommend::AssociationRules;
use didact::reinforcement::{DecisionProcess, QLearning, Simulator};
use didact::{catalogue, find};
use ndarray::{Array2, array};
use serde_json::Map;

// 001:OV-03: supervised (regression, classification), unsupervised (clustering, dimension
// reduction, density, association), semi-supervised, reinforcement and deep learning.
#[test]
fn every_kind_of_task_has_a_method() {
    for (learning, task) in [
        (Learning::Supervised, Task::Regression),
        (Learning::Supervised, Task::Classification),
        (Learning::Unsupervised, Task::Clustering),
        (Learning::Unsupervised, Task::Transformation),
        (Learning::Unsupervised, Task::Density),
        (Learning::SemiSupervised, Task::Classification),
    ] {
        let routes = catalogue().iter().flat_map(|entry| &entry.routes);
        let mut suitable = routes.filter(|route| route.learning == learning && route.task == task);
        assert!(suitable.next().is_some(), "nothing for {learning} {task}");
    }
    let deep = find("mlp").unwrap();
    assert_eq!(deep.family, "neural-deep");
}

#[test]
fn association_and_reinforcement_are_learned_outside_the_catalogue() {
    // Butter is never bought without bread.
    let baskets = array![
        [1.0, 1.0, 0.0],
        [1.0, 1.0, 1.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0]
    ];
    let rules = AssociationRules {
        min_support: 0.5,
        ..AssociationRules::default()
    };
    let found = rules.fit(Samples::from(&baskets)).unwrap();
    assert_eq!(found.rules()[0].consequent, [0]);
    // The long way is worth more than the short one.
    let on = |state, reward| {
        vec![Outcome {
            state,
            probability: 1.0,
            reward,
        }]
    };
    let world = Decisions::new(vec![vec![on(1, 0.0), on(2, 1.0)], vec![on(2, 5.0)], vec![]]);
    let process = DecisionProcess::new(&world.unwrap()).unwrap();
    let mut game = Simulator::new(&process, 0).unwrap();
    let learned = QLearning::default().fit(&mut game).unwrap();
    assert_eq!(learned.policy().action(0), Some(0));
}

// 002b:NN-02: which network does which task; 002a:BP03 names the same families.
#[test]
fn every_network_of_the_table_does_its_task() {
    // Pattern recognition: the perceptron and feed-forward networks.
    let iris = didact::datasets::iris();
    for id in ["perceptron", "mlp"] {
        let learner = find(id).unwrap().learner(&Map::new()).unwrap();
        let data = Data::Labelled(iris.labelled().unwrap());
        let model = learner.fit(data.clone(), &Run::new()).unwrap();
        let accuracy = didact::evaluate::score(model.as_ref(), &data).unwrap()[0].value;
        assert!(accuracy > 0.8, "{id}: {accuracy}");
    }
    // Dimension reduction: the self-organising map; principal components: Hebbian learning.
    for id in ["som", "hebbian-pca"] {
        let learner = find(id).unwrap().learner(&Map::new()).unwrap();
        let model = learner
            .fit(Data::Samples(iris.samples()), &Run::new())
            .unwrap();
        let reduced = model
            .as_transform()
            .unwrap()
            .transform_rows(iris.samples().rows());
        assert_eq!(reduced.unwrap().view().n_rows(), 150, "{id}");
    }
    // Time series: recurrent networks label every item.
    for id in ["rnn", "lstm"] {
        let entry = find(id).unwrap();
        assert!(entry.is_for(Task::Sequence), "{id}");
    }
}

#[test]
fn associative_memories_recall_what_they_were_shown() {
    let patterns = array![
        [1.0, 1.0, 1.0, -1.0, -1.0, -1.0],
        [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
    ];
    let memory = Hopfield::default().fit(Samples::from(&patterns)).unwrap();
    let cue = array![[-1.0, 1.0, 1.0, -1.0, -1.0, -1.0]];
    let recalled = memory.transform(&cue).unwrap().into_dense();
    assert_eq!(recalled.row(0), patterns.row(0));
    let mut net = Willshaw::new(4, 3).unwrap();
    net.store(&[true, true, false, false], &[true, false, false])
        .unwrap();
    let found = net.recall(&[true, true, false, false], RecallThreshold::ActiveBits);
    assert_eq!(found.unwrap(), [true, false, false]);
    let rule = HebbRule {
        rate: 1.0,
        ..HebbRule::default()
    };
    let mut network = HebbNetwork::new(Array2::zeros((2, 2)), rule).unwrap();
    network.associate(&[0.6, 0.8], &[1.0, -2.0]).unwrap();
    let output = network.output(&[0.6, 0.8]).unwrap();
    assert!(
        (output - array![1.0, -2.0])
            .iter()
            .all(|error| error.abs() < 1e-15)
    );
}

#[test]
fn anti_hebbian_units_separate_signals_and_windows_foretell_series() {
    let sources = Array2::from_shape_fn((900, 2), |(t, s)| match s {
        0 => ((t * 7 % 30) as f64 - 14.5) / 10.0,
        _ => ((t / 30) as f64 - 14.5) / 10.0,
    });
    let mixed = sources.dot(&array![[1.0, 0.5], [0.4, 1.0]].t());
    let found = JuttenHerault::default()
        .separate(mixed.view(), &Run::new())
        .unwrap();
    assert!((found.network.weights()[[0, 1]] - 0.5).abs() < 0.03);
    let series: Vec<f64> = (0..60).map(|t| (0.3 * f64::from(t)).sin()).collect();
    let windowed = Tdnn {
        n_lags: 2,
        n_hidden: 0,
        ..Tdnn::default()
    };
    let forecast = windowed
        .fit(&series, &Run::new())
        .unwrap()
        .forecast(&series, 5)
        .unwrap();
    assert!((forecast[4] - (0.3_f64 * 64.0).sin()).abs() < 1e-9);
}
