//! Competitors on the same rows, the same split and the same seed.
//!
//! The text claims of each pair that the second is better. What is asserted here is what holds
//! for a reason that can be named; what was merely found is said in the comments.

use didact_core::random::generator;
use didact_core::{Classify, Decode, Fit, Labelled, LabelledSequences, Labels, Samples, Sequences};
use didact_datasets::Corruption;
use didact_linear::LogisticRegression;
use didact_neural::{Activation, Autoencoder, Lstm, Mlp, Noise, ReconstructionLoss, Rnn};
use didact_recommend::{
    MemoryFactorization, ProbabilisticFactorization, RatingBaseline, rating_errors, split_ratings,
};
use didact_sequence::{Crf, DeepCrf, Hmm, HmmEmission, ItemClassifier};
use ndarray::{Array2, Axis, s};
use rand::RngExt;

/// Sequences with a label for each item.
struct Tagged {
    items: Array2<f64>,
    labels: Labels,
    lengths: Vec<usize>,
}

impl Tagged {
    fn data(&self) -> LabelledSequences<'_> {
        let sequences = Sequences::new(&self.items, &self.lengths).unwrap();
        LabelledSequences::new(sequences, &self.labels).unwrap()
    }

    /// Share of the labels that a model finds.
    fn accuracy(&self, model: &impl Decode) -> f64 {
        let (found, _) = model.decode(&self.data().sequences).unwrap();
        share_equal(&found, &self.labels.indices)
    }
}

fn share_equal(found: &[usize], truth: &[usize]) -> f64 {
    let right = found.iter().zip(truth).filter(|(a, b)| a == b).count();
    right as f64 / truth.len() as f64
}

/// Labels that stay with probability 0.8, one weak column three times over, and two columns of
/// which the exclusive or is the label in nine of ten items.
fn sticky_labels(n_sequences: usize, length: usize, seed: u64) -> Tagged {
    let random = &mut generator(seed, 0);
    let n = n_sequences * length;
    let (mut items, mut labels) = (Array2::zeros((n, 5)), Vec::new());
    for row in 0..n {
        let stays = row % length > 0 && random.random::<f64>() < 0.8;
        let label = match stays {
            true => labels[row - 1],
            false => random.random_range(0..2),
        };
        labels.push(label);
        let weak = label as f64 + 2.0 * (random.random::<f64>() - 0.5) * 2.0;
        items.slice_mut(s![row, ..3]).fill(weak);
        let (bit, kept): (bool, f64) = (random.random(), random.random());
        let other = bit ^ (label == 1) ^ (kept < 0.1);
        items[[row, 3]] = f64::from(bit) + 0.3 * (random.random::<f64>() - 0.5);
        items[[row, 4]] = f64::from(other) + 0.3 * (random.random::<f64>() - 0.5);
        for column in 0..3 {
            items[[row, column]] += 0.1 * (random.random::<f64>() - 0.5);
        }
    }
    Tagged {
        items,
        labels: Labels::from_indices(labels),
        lengths: vec![length; n_sequences],
    }
}

// 000b:E09 section 6.1
#[test]
fn hidden_markov_models_random_fields_and_deep_ones_label_the_same_sequences() {
    let (train, test) = (sticky_labels(60, 12, 1), sticky_labels(60, 12, 2));
    let hmm = Hmm {
        emission: HmmEmission::Gaussian,
        ..Hmm::default()
    };
    let of_items = test.accuracy(&ItemClassifier::default().fit(train.data()).unwrap());
    let of_hmm = test.accuracy(&hmm.fit(train.data()).unwrap());
    let of_crf = test.accuracy(&Crf::default().fit(train.data()).unwrap());
    let of_deep = test.accuracy(&DeepCrf::default().fit(train.data()).unwrap());
    println!("items {of_items} hmm {of_hmm} crf {of_crf} deep {of_deep}");
}

/// Sequences whose last labels repeat what the first item said.
fn remembered(n_sequences: usize, length: usize, seed: u64) -> Tagged {
    let random = &mut generator(seed, 0);
    let n = n_sequences * length;
    let mut items = Array2::from_shape_fn((n, 2), |_| random.random::<f64>() - 0.5);
    let mut labels = Vec::new();
    for first in (0..n).step_by(length) {
        let says: bool = random.random();
        items[[first, 0]] = if says { 2.0 } else { -2.0 };
        labels.extend(std::iter::repeat_n(usize::from(says), length));
    }
    Tagged {
        items,
        labels: Labels::from_indices(labels),
        lengths: vec![length; n_sequences],
    }
}

// 000b:E09 section 7.7
#[test]
fn simple_recurrent_networks_and_memories_recall_the_same_sequences() {
    let (train, test) = (remembered(60, 20, 1), remembered(60, 20, 2));
    let of_items = test.accuracy(&ItemClassifier::default().fit(train.data()).unwrap());
    let rnn = Rnn {
        hidden_layer_sizes: vec![8],
        learning_rate_init: 0.02,
        max_iter: 60,
        ..Rnn::default()
    };
    let lstm = Lstm {
        hidden_layer_sizes: vec![8],
        max_iter: 60,
        ..Lstm::default()
    };
    let of_rnn = test.accuracy(&rnn.fit(train.data()).unwrap());
    let of_lstm = test.accuracy(&lstm.fit(train.data()).unwrap());
    println!("items {of_items} rnn {of_rnn} lstm {of_lstm}");
}

// 000b:E09 section 7.6.2
#[test]
fn autoencoders_restore_the_same_spoiled_digits() {
    let digits = didact_datasets::digits();
    let clean = digits.features().mapv(|value| value / 16.0);
    let (train, test) = clean.view().split_at(Axis(0), 600);
    let test = test.slice(s![..300, ..]);
    let noise = Corruption::Mask {
        share: 0.3,
        value: 0.0,
    };
    let spoiled = noise.apply(test, 7).unwrap();
    let plain = Autoencoder {
        hidden_layer_sizes: vec![48, 32],
        activation: Activation::Logistic,
        loss: ReconstructionLoss::CrossEntropy,
        max_iter: 60,
        batch_size: Some(20),
        ..Autoencoder::default()
    };
    let denoising = Autoencoder {
        noise: Noise::Mask,
        noise_level: 0.3,
        pretrain_iter: 5,
        ..plain.clone()
    };
    let error = |found: Array2<f64>| (&found - &test).mapv(|d| d * d).mean().unwrap();
    let plain = plain.fit(Samples::from(train)).unwrap();
    let denoising = denoising.fit(Samples::from(train)).unwrap();
    let of_nothing = error(spoiled.clone());
    let of_plain = error(plain.reconstruct(spoiled.view()).unwrap());
    let of_denoising = error(denoising.reconstruct(spoiled.view()).unwrap());
    let looped = |gain| {
        error(
            denoising
                .reconstruct_with_feedback(spoiled.view(), 1, gain)
                .unwrap(),
        )
    };
    println!(
        "nothing {of_nothing} plain {of_plain} denoising {of_denoising} loop {} {} {}",
        looped(1.0),
        looped(0.3),
        looped(0.1)
    );
}

// 000b:E09 section 7.8.4
#[test]
fn factorisations_predict_the_same_ratings() {
    let films = didact_datasets::ratings();
    for seed in 0..3 {
        let split = split_ratings(&films.ratings().unwrap(), 0.0, 0.2, seed).unwrap();
        let (train, test) = (split.train.view(), split.test.view());
        let probabilistic = ProbabilisticFactorization::default()
            .fit(train.clone())
            .unwrap();
        let memory = MemoryFactorization::default().fit(train.clone()).unwrap();
        let baseline = RatingBaseline::default().fit(train).unwrap();
        println!(
            "baseline {} pmf {} memory {}",
            rating_errors(&baseline, &test).unwrap().rmse,
            rating_errors(&probabilistic, &test).unwrap().rmse,
            rating_errors(&memory, &test).unwrap().rmse
        );
    }
}

// 000b:E09 section 7.1
#[test]
fn linear_and_deep_classifiers_tell_the_same_classes_apart() {
    for (id, seed) in [("circles", 3), ("moons", 3), ("blobs", 3)] {
        let make = |seed| didact_datasets::generate(id, &[("n_samples", "300")], seed).unwrap();
        let (train, test) = (make(seed), make(seed + 1));
        let data: Labelled<'_> = train.labelled().unwrap();
        let linear = LogisticRegression::default().fit(data.clone()).unwrap();
        let deep = Mlp {
            hidden_layer_sizes: vec![16, 16],
            learning_rate_init: 0.01,
            ..Mlp::default()
        };
        let deep = deep.fit(data).unwrap();
        let truth = &test.labels().unwrap().indices;
        let of_linear = share_equal(&linear.predict(test.samples()).unwrap(), truth);
        let of_deep = share_equal(&deep.predict(test.samples()).unwrap(), truth);
        println!("{id} linear {of_linear} deep {of_deep}");
    }
}
