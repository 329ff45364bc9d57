//! Recurrent labellers on awkward sequences.

use didact_core::model::decode_model;
use didact_core::{AnyModel, Decode, Fit, LabelledSequences, Labels, Run, Sequences};
use didact_neural::{Lstm, RecurrentModel, Rnn};
use didact_testing::random_matrix;
use ndarray::Array2;

fn fit_both(
    x: &Array2<f64>,
    lengths: &[usize],
    labels: &Labels,
) -> Vec<didact_core::Result<RecurrentModel>> {
    let data = || LabelledSequences::new(Sequences::new(x, lengths).unwrap(), labels).unwrap();
    vec![Rnn::default().fit(data()), Lstm::default().fit(data())]
}

#[test]
fn awkward_sequences_give_finite_models_or_clear_errors() {
    let usual = random_matrix(24, 2, 1);
    let labels = Labels::from_indices((0..24).map(|row| row % 3).collect());
    let inputs = [
        &usual * 1e300,
        &usual * 1e-200,
        &usual + 1e8,
        &usual * 1e12,
        Array2::zeros((24, 2)),
    ];
    for x in inputs {
        for result in fit_both(&x, &[24], &labels)
            .into_iter()
            .chain(fit_both(&x, &[1; 24], &labels))
        {
            match result {
                Ok(model) => {
                    let sequences = Sequences::new(&x, &[12, 12]).unwrap();
                    let probabilities = model.state_probabilities(&sequences).unwrap();
                    assert!(
                        probabilities
                            .rows()
                            .into_iter()
                            .all(|row| (row.sum() - 1.0).abs() < 1e-9)
                    );
                }
                Err(error) => assert!(error.to_string().contains("; "), "{error}"),
            }
        }
    }
    let one = Labels::from_indices(vec![0; 24]);
    for model in fit_both(&usual, &[12, 12], &one) {
        let (path, logs) = model
            .unwrap()
            .decode(&Sequences::new(&usual, &[24]).unwrap())
            .unwrap();
        assert_eq!((path, logs), (vec![0; 24], vec![0.0]));
    }
}

#[test]
fn the_most_probable_labels_are_those_of_each_item() {
    let x = random_matrix(30, 2, 3);
    let labels = Labels::from_indices((0..30).map(|row| row % 2).collect());
    let sequences = Sequences::new(&x, &[10, 20]).unwrap();
    let model = Rnn {
        max_iter: 5,
        ..Rnn::default()
    }
    .fit(LabelledSequences::new(sequences.clone(), &labels).unwrap())
    .unwrap();
    let probabilities = model.state_probabilities(&sequences).unwrap();
    let (path, logs) = model.decode(&sequences).unwrap();
    let mut expected = 0.0;
    for row in 0..10 {
        let best = usize::from(probabilities[[row, 1]] > probabilities[[row, 0]]);
        assert_eq!(path[row], best);
        expected += probabilities[[row, best]].ln();
    }
    assert!((logs[0] - expected).abs() < 1e-12);
    // Labels given items say nothing about the items.
    assert!(AnyModel::as_sequence_likelihood(&model).is_none());
    assert_eq!(model.state_names().unwrap(), &labels.classes);
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let x = random_matrix(1200, 3, 4);
    let labels = Labels::from_indices(
        (0..1200)
            .map(|row| usize::from(x[[row, 0]] > 0.0))
            .collect(),
    );
    let lengths = [12; 100];
    let fit = |threads| {
        let data = LabelledSequences::new(Sequences::new(&x, &lengths).unwrap(), &labels).unwrap();
        let lstm = Lstm {
            hidden_layer_sizes: vec![24],
            batch_size: 100,
            max_iter: 2,
            ..Lstm::default()
        };
        lstm.fit_with(data, &Run::new().threads(threads))
            .unwrap()
            .encode()
            .unwrap()
    };
    let one = fit(1);
    assert!(fit(2) == one && fit(4) == one);
}

#[test]
fn recurrent_models_travel_as_bytes_and_damaged_ones_are_refused() {
    let x = random_matrix(20, 2, 5);
    let labels = Labels::from_indices((0..20).map(|row| row % 2).collect());
    for model in fit_both(&x, &[10, 10], &labels) {
        let model = model.unwrap();
        let bytes = model.encode().unwrap();
        let again = decode_model::<RecurrentModel>(&bytes).unwrap();
        assert_eq!(
            again.as_any().downcast_ref::<RecurrentModel>().unwrap(),
            &model
        );
        let text = b"units";
        let place = bytes
            .windows(text.len())
            .position(|window| window == text)
            .unwrap();
        let mut damaged = bytes.clone();
        damaged[place + text.len()] = 7;
        assert!(decode_model::<RecurrentModel>(&damaged).is_err());
    }
    let none = Rnn {
        hidden_layer_sizes: vec![],
        ..Rnn::default()
    };
    let data = LabelledSequences::new(Sequences::new(&x, &[20]).unwrap(), &labels).unwrap();
    assert!(
        none.fit(data)
            .unwrap_err()
            .to_string()
            .starts_with("hidden_layer_sizes is []")
    );
}
