//! Whole sequences classified by hidden Markov models.

use didact_core::{Labels, Run, SequenceLikelihood, Sequences};
use didact_datasets::generate;
use didact_sequence::{Hmm, HmmClassifier, HmmClassifierModel, HmmEmission, HmmRejection};
use ndarray::{Array2, Axis, concatenate};

const LENGTHS: [usize; 40] = [25; 40];

/// Twenty sequences of each of two generators that differ in how long states last.
fn two_kinds(seed: u64) -> (Array2<f64>, Labels) {
    let of_kind = |persistence: &str, seed: u64| {
        let set = [
            ("n_sequences", "20"),
            ("length", "25"),
            ("persistence", persistence),
            ("n_states", "2"),
        ];
        generate("gaussian-hmm", &set, seed)
            .unwrap()
            .features()
            .to_owned()
    };
    let items = concatenate![Axis(0), of_kind("0.95", seed), of_kind("0.1", seed + 100)];
    let labels = (0..40).map(|sequence| sequence / 20).collect();
    (items, Labels::from_indices(labels))
}

fn learn(classifier: &HmmClassifier, garbage: Option<&Array2<f64>>) -> HmmClassifierModel {
    let (items, labels) = two_kinds(1);
    let sequences = Sequences::new(&items, &LENGTHS).unwrap();
    let lengths = [25; 20];
    let garbage = garbage.map(|items| Sequences::new(items, &lengths).unwrap());
    classifier
        .fit(&sequences, &labels, garbage.as_ref(), &Run::new())
        .unwrap()
}

fn plain() -> HmmClassifier {
    HmmClassifier {
        hmm: Hmm {
            emission: HmmEmission::Gaussian,
            ..Hmm::default()
        },
        ..HmmClassifier::default()
    }
}

// 002b:MM-15: well-separated generators are told apart, although their items are alike.
#[test]
fn sequences_go_to_the_model_that_explains_them_best() {
    let model = learn(&plain(), None);
    let (items, labels) = two_kinds(2);
    let sequences = Sequences::new(&items, &LENGTHS).unwrap();
    let found = model.predict(&sequences).unwrap();
    let right = found
        .iter()
        .zip(&labels.indices)
        .filter(|(a, b)| **a == Some(**b))
        .count();
    assert!(right >= 39, "{right}");
    // The scores are the likelihoods of the same sequence under each model.
    let scores = model.scores(&sequences).unwrap();
    let second = model.models()[1].log_likelihoods(&sequences).unwrap();
    assert_eq!(scores.column(1).to_vec(), second);
}

// 002b:MM-16: models of one size have the same winner; a larger model gains by the division.
#[test]
fn dividing_by_the_number_of_parameters_changes_nothing_between_equals() {
    let divided = HmmClassifier {
        per_parameter: true,
        ..plain()
    };
    let (items, _) = two_kinds(2);
    let sequences = Sequences::new(&items, &LENGTHS).unwrap();
    let (plain, divided) = (learn(&plain(), None), learn(&divided, None));
    assert_eq!(
        plain.predict(&sequences).unwrap(),
        divided.predict(&sequences).unwrap()
    );
    let parameters = divided.models()[0].n_parameters() as f64;
    let (raw, shared) = (
        plain.scores(&sequences).unwrap(),
        divided.scores(&sequences).unwrap(),
    );
    assert!((raw[[0, 0]] / parameters - shared[[0, 0]]).abs() < 1e-12);
    // A negative log-likelihood divided by more parameters is larger, not smaller.
    assert!(raw[[0, 0]] < 0.0 && raw[[0, 0]] / 20.0 > raw[[0, 0]] / parameters);
}

// 002b:MM-17
#[test]
fn noise_lands_in_the_garbage_model() {
    let noise = |seed: u64| didact_testing::random_matrix(500, 1, seed) * 20.0;
    let model = learn(&plain(), Some(&noise(3)));
    let fresh = noise(4);
    let lengths = [25; 20];
    let sequences = Sequences::new(&fresh, &lengths).unwrap();
    assert!(
        model
            .predict(&sequences)
            .unwrap()
            .iter()
            .all(Option::is_none)
    );
    assert_eq!(model.scores(&sequences).unwrap().ncols(), 3);
    let (items, _) = two_kinds(2);
    let known = Sequences::new(&items, &LENGTHS).unwrap();
    let accepted = model.predict(&known).unwrap().iter().flatten().count();
    assert!(accepted >= 39);
}

// 002b:MM-18: training sequences are accepted at the chosen rate; strange ones are refused.
#[test]
fn sequences_unlike_those_of_training_are_refused() {
    let (items, _) = two_kinds(1);
    let training = Sequences::new(&items, &LENGTHS).unwrap();
    let strange = Array2::from_elem((25, 1), 30.0);
    let strange = Sequences::new(&strange, &[25]).unwrap();
    for (rejection, fewest, most) in [
        (HmmRejection::Never, 40, 40),
        (HmmRejection::BelowShare(1.0), 38, 40),
        (HmmRejection::BelowShare(0.8), 30, 34),
        // Within two deviations lie most and within none almost nothing.
        (HmmRejection::Outside(2.0), 34, 40),
        (HmmRejection::Outside(0.0), 0, 2),
    ] {
        let model = learn(
            &HmmClassifier {
                rejection,
                ..plain()
            },
            None,
        );
        let accepted = model.predict(&training).unwrap().iter().flatten().count();
        assert!(
            (fewest..=most).contains(&accepted),
            "{rejection:?} {accepted}"
        );
        let refused = model.predict(&strange).unwrap()[0].is_none();
        assert_eq!(refused, rejection != HmmRejection::Never);
    }
}

#[test]
fn awkward_classes_and_bounds_are_refused_in_words() {
    let (items, _) = two_kinds(1);
    let sequences = Sequences::new(&items, &LENGTHS).unwrap();
    let refused = |classifier: HmmClassifier, labels: Labels| {
        let error = classifier
            .fit(&sequences, &labels, None, &Run::new())
            .unwrap_err();
        error.to_string()
    };
    let short = refused(plain(), Labels::from_indices(vec![0, 1]));
    assert!(short.contains("one for each sequence"), "{short}");
    let share = HmmClassifier {
        rejection: HmmRejection::BelowShare(1.5),
        ..plain()
    };
    assert!(refused(share, Labels::from_indices(vec![0; 40])).contains("between 0 and 1"));
}
