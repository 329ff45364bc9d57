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
    MemoryFactorization, ProbabilisticFactorization, RatingBaseline, RatingList, Recommender,
    rating_errors, split_ratings,
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
    // Found: 0.65, 0.76, 0.82 and 0.95. The hidden Markov model counts the repeated column three
    // times, a linear chain cannot use the exclusive or, and items alone know no neighbours.
    assert!(of_hmm > of_items + 0.03, "{of_hmm} {of_items}");
    assert!(of_crf > of_hmm + 0.02, "{of_crf} {of_hmm}");
    assert!(of_deep > of_crf + 0.05, "{of_deep} {of_crf}");
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
    // Found: both recall everything over twenty items, so that the claim that memories are
    // better is not seen here; items alone guess.
    assert!(of_items < 0.6, "{of_items}");
    assert!(of_rnn > 0.9 && of_lstm > 0.9, "{of_rnn} {of_lstm}");
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
    // Found: 0.072 spoiled, 0.041, 0.030, and with a loop of gain 1 0.033, 0.3 0.031, 0.1 0.0303:
    // learning from spoiled rows helps, the loop does not here, against the claim of the text.
    assert!(of_plain < of_nothing, "{of_plain} {of_nothing}");
    assert!(of_denoising < 0.85 * of_plain, "{of_denoising} {of_plain}");
    for gain in [1.0, 0.3, 0.1] {
        assert!(looped(gain) < of_plain, "{gain}");
    }
}

// 000b:E09 section 7.8.4
#[test]
fn factorisations_predict_the_same_ratings() {
    let films = didact_datasets::ratings();
    for seed in 0..3 {
        let all = films.ratings().unwrap();
        let split = split_ratings(&all, 0.0, 0.2, seed).unwrap();
        let train = RatingList::select(&all, &split.train);
        let test = RatingList::select(&all, &split.test);
        let (train, test) = (train.view(), test.view());
        let probabilistic = ProbabilisticFactorization::default()
            .fit(train.clone())
            .unwrap();
        let memory = MemoryFactorization::default().fit(train.clone()).unwrap();
        let baseline = RatingBaseline::default().fit(train).unwrap();
        let rmse = |model: &dyn Recommender| rating_errors(model, &test).unwrap().rmse;
        // Found: 0.54 and 0.52, 0.55 and 0.53, 0.53 and 0.53 beside 1.0: neighbours in memory are
        // at least no worse, which is less than the text claims.
        let (of_baseline, of_factors) = (rmse(&baseline), rmse(&probabilistic));
        assert!(of_factors < 0.7 * of_baseline, "{of_factors} {of_baseline}");
        assert!(
            rmse(&memory) < 1.05 * of_factors,
            "{} {of_factors}",
            rmse(&memory)
        );
    }
}

// 000b:E09 section 7.1
#[test]
fn linear_and_deep_classifiers_tell_the_same_classes_apart() {
    let share_of_both = |id: &str| {
        let all = didact_datasets::generate(id, &[("n_samples", "400")], 3).unwrap();
        let half = |first: usize| {
            let rows: Vec<usize> = (first..400).step_by(2).collect();
            let labels = rows.iter().map(|&row| all.labels().unwrap().indices[row]);
            (
                all.features().select(Axis(0), &rows),
                Labels::from_indices(labels.collect()),
            )
        };
        let ((rows, labels), (new_rows, truth)) = (half(0), half(1));
        let data = Labelled::new(&rows, &labels).unwrap();
        let deep = Mlp {
            hidden_layer_sizes: vec![16, 16],
            learning_rate_init: 0.01,
            ..Mlp::default()
        };
        let linear = LogisticRegression::default().fit(data.clone()).unwrap();
        let deep = deep.fit(data).unwrap();
        (
            share_equal(&linear.predict(&new_rows).unwrap(), &truth.indices),
            share_equal(&deep.predict(&new_rows).unwrap(), &truth.indices),
        )
    };
    // Found: chance and all of the circles, seven eighths and all of the moons.
    for id in ["circles", "moons"] {
        let (of_linear, of_deep) = share_of_both(id);
        assert!(of_deep > of_linear + 0.05, "{id}: {of_deep} {of_linear}");
    }
    // Round groups have straight borders: depth gains nothing.
    let (of_linear, of_deep) = share_of_both("blobs");
    assert!((of_deep - of_linear).abs() < 0.05, "{of_deep} {of_linear}");
}
