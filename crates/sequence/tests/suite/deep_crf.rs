//! Deep conditional random fields.

use crate::crf::{close, random_weights};
use crate::crf_training::{data, waves};
use didact_core::random::generator;
use didact_core::{
    AnyModel, Classes, Decode, Error, Fit, LabelledSequences, Labels, Model, Sequences, StopReason,
};
use didact_neural::{Activation, HiddenLayers};
use didact_sequence::{
    ChainWeights, Crf, CrfModel, DeepCrf, DeepCrfModel, DeepCrfSignal, DeepCrfTraining,
};
use didact_testing::random_matrix;
use ndarray::Array2;
use rand::RngExt;

/// Labels that are the exclusive or of two noisy columns.
fn exclusive_or(n_sequences: usize, length: usize, seed: u64) -> (Array2<f64>, Labels) {
    let random = &mut generator(seed, 0);
    let n = n_sequences * length;
    let bits: Vec<[bool; 2]> = (0..n).map(|_| [random.random(), random.random()]).collect();
    let items = Array2::from_shape_fn((n, 2), |(row, column)| {
        f64::from(bits[row][column]) + 0.2 * (random.random::<f64>() - 0.5)
    });
    let labels = bits.iter().map(|[a, b]| usize::from(a != b)).collect();
    (items, Labels::from_indices(labels))
}

fn share_right(model: &impl Decode, data: &LabelledSequences<'_>) -> f64 {
    let (path, _) = model.decode(&data.sequences).unwrap();
    let right = path.iter().zip(data.labels).filter(|(a, b)| a == b).count();
    right as f64 / path.len() as f64
}

// 000b:S29 000b:S33 section 4.1: a linear chain stays near chance, a deep one does not, whatever
// signal goes into its layers.
#[test]
fn exclusive_or_needs_hidden_layers() {
    let (items, labels) = exclusive_or(20, 6, 1);
    let lengths = [6; 20];
    let data = LabelledSequences::new(Sequences::new(&items, &lengths).unwrap(), &labels).unwrap();
    let linear = Crf::default().fit(data.clone()).unwrap();
    assert!(share_right(&linear, &data) < 0.75);
    let (new_items, new_labels) = exclusive_or(20, 6, 2);
    let new = Sequences::new(&new_items, &lengths).unwrap();
    let new = LabelledSequences::new(new, &new_labels).unwrap();
    for signal in [
        DeepCrfSignal::Likelihood,
        DeepCrfSignal::Perceptron,
        DeepCrfSignal::Independent,
    ] {
        let deep = DeepCrf {
            signal,
            ..DeepCrf::default()
        };
        let model = deep.fit(data.clone()).unwrap();
        assert!(share_right(&model, &data) > 0.98, "{signal:?}");
        assert!(share_right(&model, &new) > 0.98, "{signal:?}");
    }
    let deep = DeepCrf {
        training: DeepCrfTraining::Likelihood,
        ..DeepCrf::default()
    };
    let model = deep.fit(data.clone()).unwrap();
    assert!(share_right(&model, &new) > 0.98);
}

/// A model of three labels with random weights everywhere.
fn random_model(seed: u64) -> DeepCrfModel {
    let layers = HiddenLayers::random(2, &[4, 3], Activation::Logistic, seed).unwrap();
    let classes = Classes::new(["a", "b", "c"]);
    DeepCrfModel::new(layers, random_weights(3, 3, 1.0, seed), classes).unwrap()
}

// 000b:S35: project, then the chain.
#[test]
fn labels_and_posteriors_are_those_of_the_chain_on_the_projected_items() {
    let model = random_model(5);
    let items = random_matrix(11, 2, 3);
    let sequences = Sequences::new(&items, &[4, 7]).unwrap();
    let units = model.units(&sequences).unwrap();
    // The projection by hand.
    let layer = |rows: &Array2<f64>, layer: usize, biases: std::ops::Range<usize>| {
        let weights = model.layers().weights(layer).unwrap();
        let biases = ndarray::ArrayView1::from(&model.layers().parameters()[biases]);
        (rows.dot(&weights.t()) + biases).mapv(|z| 1.0 / (1.0 + (-z).exp()))
    };
    let by_hand = layer(&layer(&items, 0, 8..12), 1, 24..27);
    close(&units, &by_hand, 1e-14);
    let chain = CrfModel::new(random_weights(3, 3, 1.0, 5), Classes::new(["a", "b", "c"])).unwrap();
    let projected = Sequences::new(&by_hand, &[4, 7]).unwrap();
    let (path, scores) = model.decode(&sequences).unwrap();
    let (expected, expected_scores) = chain.decode(&projected).unwrap();
    assert_eq!(path, expected);
    for (score, expected) in scores.iter().zip(&expected_scores) {
        assert!((score - expected).abs() < 1e-12);
    }
    close(
        &model.state_probabilities(&sequences).unwrap(),
        &chain.state_probabilities(&projected).unwrap(),
        1e-12,
    );
    assert!(AnyModel::as_sequence_likelihood(&model).is_none());
}

// 000b:S29: without hidden layers it is the linear chain, and finds its optimum. Columns of mean
// zero and deviation one carry the same price in both.
#[test]
fn without_hidden_layers_it_is_the_linear_chain() {
    let (items, labels) = waves();
    let mut items = items.slice(ndarray::s![.., ..2]).to_owned();
    for mut column in items.columns_mut() {
        let mean = column.mean().unwrap();
        let deviation = column.std(0.0);
        column.mapv_inplace(|value| (value - mean) / deviation);
    }
    let data = data(&items, &labels);
    let linear = Crf {
        alpha: 0.3,
        transition_alpha: 0.3,
        end_alpha: 0.3,
        tol: 1e-10,
        max_iter: 2000,
        ..Crf::default()
    };
    let linear = linear.fit(data.clone()).unwrap();
    let deep = DeepCrf {
        hidden_layer_sizes: Vec::new(),
        training: DeepCrfTraining::Likelihood,
        alpha: 0.3,
        tol: 1e-10,
        max_iter: 2000,
        ..DeepCrf::default()
    };
    let model = deep.fit(data.clone()).unwrap();
    let pairs = |found: &CrfModel| {
        let found = found.weights().to_vec();
        let pairs = found.into_iter().zip(linear.weights().to_vec());
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert!(pairs(&model.field().unwrap()) < 1e-6);
    // 000b:S34: a predictor of single items is one more way to the same scores; with a price on
    // both, a share λ²/(1 + λ²) of what is priced goes there.
    let both = DeepCrf {
        independent_weight: 2.0,
        ..deep
    };
    let both = both.fit(data).unwrap();
    let attributes = AnyModel::attributes(&both);
    let array = |name: &str| {
        let (_, value) = attributes
            .iter()
            .find(|(known, _)| known.name == name)
            .unwrap();
        value.as_array().unwrap().to_owned()
    };
    let (own, independent) = (array("coef"), array("independent_coef"));
    for (own, independent) in own.iter().zip(&independent) {
        assert!(
            (independent - 2.0 * own).abs() < 1e-5,
            "{own} {independent}"
        );
    }
}

// 000b:S34: λ = 0 leaves the predictor of single items out exactly.
#[test]
fn no_independent_weight_leaves_the_predictor_of_single_items_out() {
    let (items, labels) = exclusive_or(5, 6, 1);
    let data = LabelledSequences::new(Sequences::new(&items, &[6; 5]).unwrap(), &labels).unwrap();
    let deep = DeepCrf {
        max_iter: 3,
        ..DeepCrf::default()
    };
    let model = deep.fit(data.clone()).unwrap();
    let absent = |model: &DeepCrfModel| {
        let attributes = AnyModel::attributes(model);
        let found = attributes
            .iter()
            .find(|(known, _)| known.name == "independent_coef");
        matches!(found.unwrap().1, didact_core::Value::Absent)
    };
    assert!(absent(&model));
    let chain = model.field().unwrap();
    let attributes = AnyModel::attributes(&model);
    let coef = attributes
        .iter()
        .find(|(known, _)| known.name == "coef")
        .unwrap();
    assert_eq!(
        coef.1.as_array().unwrap(),
        chain.weights().coef.view().into_dyn()
    );
    let with = DeepCrf {
        independent_weight: 0.5,
        ..deep
    };
    assert!(!absent(&with.fit(data).unwrap()));
}

// 000b:S29: without steps, starts and ends it is a softmax of each item on the layers.
#[test]
fn a_chain_of_zeros_labels_items_one_by_one() {
    let model = random_model(7);
    let mut weights = model.field().unwrap().weights().clone();
    weights.start.fill(0.0);
    weights.end.fill(0.0);
    weights.transitions.fill(0.0);
    let model = DeepCrfModel::new(
        model.layers().clone(),
        weights.clone(),
        model.classes().clone(),
    );
    let model = model.unwrap();
    let items = random_matrix(6, 2, 3);
    let sequences = Sequences::new(&items, &[6]).unwrap();
    let scores = model.units(&sequences).unwrap().dot(&weights.coef.t()) + &weights.intercept;
    let mut softmax = scores.mapv(f64::exp);
    for mut row in softmax.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    close(
        &model.state_probabilities(&sequences).unwrap(),
        &softmax,
        1e-12,
    );
}

// 000b:S32 000b:S29: the price of magnitudes makes weights of layers exactly zero.
#[test]
fn a_price_on_magnitudes_empties_the_layers() {
    let (items, labels) = exclusive_or(10, 6, 1);
    let mut items = items.clone();
    // A column that says nothing.
    let noise = random_matrix(60, 1, 4);
    items = ndarray::concatenate![ndarray::Axis(1), items, noise];
    let data = LabelledSequences::new(Sequences::new(&items, &[6; 10]).unwrap(), &labels).unwrap();
    let zeros = |network_alpha: f64| {
        let deep = DeepCrf {
            training: DeepCrfTraining::Likelihood,
            network_alpha,
            alpha: 0.1,
            hidden_layer_sizes: vec![6],
            max_iter: 500,
            ..DeepCrf::default()
        };
        let model = deep.fit(data.clone()).unwrap();
        let weights = model.layers().weights(0).unwrap().to_owned();
        (
            share_right(&model, &data),
            weights.iter().filter(|weight| **weight == 0.0).count(),
        )
    };
    assert_eq!(zeros(0.0).1, 0);
    let (right, few) = zeros(0.05);
    assert!(right > 0.98 && few >= 6, "{right} {few}");
    assert_eq!(zeros(1e3).1, 18);
}

// 000b:S33: what is labelled right changes no weight on top.
#[test]
fn mixed_learning_ends_with_a_pass_without_mistakes() {
    let (items, labels) = exclusive_or(20, 6, 1);
    let data = LabelledSequences::new(Sequences::new(&items, &[6; 20]).unwrap(), &labels).unwrap();
    let model = DeepCrf::default().fit(data.clone()).unwrap();
    let trace = Model::trace(&model).unwrap();
    assert_eq!(trace.stop, StopReason::Converged);
    assert_eq!(trace.objective_name, "wrong labels");
    assert_eq!(trace.objectives.last(), Some(&0.0));
    assert_eq!(share_right(&model, &data), 1.0);
}

#[test]
fn layers_can_be_taught_from_the_items_alone_first() {
    let (items, labels) = exclusive_or(10, 6, 1);
    let data = LabelledSequences::new(Sequences::new(&items, &[6; 10]).unwrap(), &labels).unwrap();
    let deep = DeepCrf {
        pretrain_iter: 5,
        hidden_layer_sizes: vec![8, 4],
        ..DeepCrf::default()
    };
    let model = deep.fit(data.clone()).unwrap();
    assert_eq!(model.layers().sizes(), [2, 8, 4]);
    let tanh = DeepCrf {
        activation: Activation::Tanh,
        ..deep
    };
    let message = tanh.fit(data).unwrap_err().to_string();
    assert!(message.contains("pretrain_iter"), "{message}");
}

#[test]
fn awkward_parameters_and_parts_are_refused_in_words() {
    let (items, labels) = exclusive_or(4, 6, 1);
    let data = LabelledSequences::new(Sequences::new(&items, &[6; 4]).unwrap(), &labels).unwrap();
    let refused = |deep: DeepCrf| deep.fit(data.clone()).unwrap_err().to_string();
    let no_units = DeepCrf {
        hidden_layer_sizes: vec![3, 0],
        ..DeepCrf::default()
    };
    assert!(refused(no_units).contains("hidden_layer_sizes"));
    let too_long = DeepCrf {
        eta0: 1e300,
        activation: Activation::Identity,
        ..DeepCrf::default()
    };
    assert!(refused(too_long).contains("shorter steps"));
    let layers = HiddenLayers::random(2, &[4], Activation::Logistic, 1).unwrap();
    let chain = ChainWeights::zeros(2, 3);
    let misfit = DeepCrfModel::new(layers, chain, Classes::new(["a", "b"]));
    assert!(matches!(misfit, Err(Error::ModelFile(_))));
    // Shifted and scaled columns say the same.
    let model = DeepCrf::default().fit(data.clone()).unwrap();
    let moved = items.mapv(|value| 1e6 * value + 1e7);
    let other = Sequences::new(&moved, &[6; 4]).unwrap();
    let other = LabelledSequences::new(other, &labels).unwrap();
    let again = DeepCrf::default().fit(other.clone()).unwrap();
    assert_eq!(
        model.decode(&data.sequences).unwrap().0,
        again.decode(&other.sequences).unwrap().0
    );
}
