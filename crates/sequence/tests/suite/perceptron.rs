//! The structured perceptron.

use didact_core::{
    Classes, Decode, Error, Fit, LabelledSequences, Labels, Model, Run, Sequences, StopReason,
};
use didact_sequence::{ChainWeights, CrfModel, StructuredPerceptron};
use ndarray::{Array2, array};

fn plain(max_iter: usize) -> StructuredPerceptron {
    StructuredPerceptron {
        average: false,
        shuffle: false,
        max_iter,
        ..StructuredPerceptron::default()
    }
}

/// Sequences labelled by a known chain.
fn separable() -> (Array2<f64>, Labels) {
    let items = Array2::from_shape_fn((120, 2), |(i, j)| {
        ((i * i) as f64 * 0.37 + 1.9 * j as f64).sin()
    });
    let teacher = ChainWeights {
        coef: array![[2.0, 0.0], [-1.0, 1.5], [0.0, -2.0]],
        intercept: array![0.1, 0.0, -0.3],
        start: array![0.5, 0.0, -0.5],
        end: array![0.0, 0.4, 0.0],
        transitions: array![[1.0, -1.0, 0.3], [0.2, 0.5, -0.6], [-0.7, 0.4, 0.9]],
    };
    let teacher = CrfModel::new(teacher, Classes::new(["a", "b", "c"])).unwrap();
    let sequences = Sequences::new(&items, &[6; 20]).unwrap();
    let (path, _) = teacher.decode(&sequences).unwrap();
    let labels = Labels {
        indices: path,
        classes: Classes::new(["a", "b", "c"]),
    };
    (items, labels)
}

// 000b:S31: the printed difference of energies has the wrong sign.
#[test]
fn an_update_adds_the_counts_of_the_truth_and_takes_those_of_the_prediction() {
    // With zero weights all labels score the same, so that the first class, a, is predicted.
    let items = array![[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]];
    let labels = Labels::from_names(["a", "b", "b"]);
    let sequences = Sequences::new(&items, &[3]).unwrap();
    let data = LabelledSequences::new(sequences.clone(), &labels).unwrap();
    let model = plain(1).fit(data.clone()).unwrap();
    let expected = ChainWeights {
        coef: array![[-0.5, -1.0], [0.5, 1.0]],
        intercept: array![-2.0, 2.0],
        start: array![0.0, 0.0],
        end: array![-1.0, 1.0],
        transitions: array![[-2.0, 1.0], [0.0, 1.0]],
    };
    assert_eq!(model.weights(), &expected);
    assert_eq!(model.trace().unwrap().objectives, [2.0]);
    let gap = |model: &CrfModel| {
        let score = |labels: &[usize]| model.scores(&sequences, labels).unwrap()[0];
        score(&[0, 1, 1]) - score(&[0, 0, 0])
    };
    assert!(gap(&model) > 0.0, "the truth now scores higher");
    let tenth = StructuredPerceptron {
        eta0: 0.5,
        ..plain(1)
    };
    let halved = tenth.fit(data).unwrap();
    assert_eq!(gap(&halved), 0.5 * gap(&model));
}

// 000b:S31
#[test]
fn what_is_labelled_right_changes_nothing() {
    let items = array![[1.0], [2.0], [3.0]];
    let labels = Labels::from_names(["a", "a", "a"]);
    let data = LabelledSequences::new(Sequences::new(&items, &[2, 1]).unwrap(), &labels).unwrap();
    let model = StructuredPerceptron::default().fit(data).unwrap();
    assert!(model.weights().to_vec().iter().all(|weight| *weight == 0.0));
    assert_eq!(model.trace().unwrap().objectives, [0.0]);
    assert_eq!(model.trace().unwrap().stop, StopReason::Converged);
}

// 000b:S31
#[test]
fn separable_sequences_end_without_a_mistake() {
    let (items, labels) = separable();
    let sequences = Sequences::new(&items, &[6; 20]).unwrap();
    let data = LabelledSequences::new(sequences.clone(), &labels).unwrap();
    for shuffle in [false, true] {
        let perceptron = StructuredPerceptron {
            shuffle,
            ..plain(1000)
        };
        let model = perceptron.fit(data.clone()).unwrap();
        let trace = model.trace().unwrap();
        assert_eq!(trace.stop, StopReason::Converged);
        assert!(trace.objectives[0] > 0.0 && trace.objectives[trace.n_iter() - 1] == 0.0);
        assert_eq!(model.decode(&sequences).unwrap().0, labels.indices);
    }
}

// 000b:S31: averaging after Collins.
#[test]
fn averaged_weights_are_the_mean_over_all_visits() {
    // A single sequence: a visit is a pass. Equal items with different labels never end.
    let items = array![[1.0], [0.0], [1.0], [-0.5]];
    let labels = Labels::from_names(["a", "b", "b", "a"]);
    let mut items = ndarray::concatenate(ndarray::Axis(0), &[items.view(), items.view()]).unwrap();
    items[[3, 0]] = 0.2;
    let mut names = labels.indices.clone();
    names.extend([1, 1, 0, 0]);
    let labels = Labels {
        indices: names,
        classes: labels.classes,
    };
    let data = LabelledSequences::new(Sequences::new(&items, &[8]).unwrap(), &labels).unwrap();
    let passes = 4;
    let mut mean = vec![0.0; plain(1).fit(data.clone()).unwrap().weights().to_vec().len()];
    for pass in 1..=passes {
        let model = plain(pass).fit(data.clone()).unwrap();
        assert_eq!(model.trace().unwrap().n_iter(), pass, "still learning");
        for (mean, weight) in mean.iter_mut().zip(model.weights().to_vec()) {
            *mean += weight / passes as f64;
        }
    }
    let averaged = StructuredPerceptron {
        average: true,
        ..plain(passes)
    };
    let averaged = averaged.fit(data).unwrap().weights().to_vec();
    assert!(
        averaged
            .iter()
            .zip(&mean)
            .all(|(a, b)| (a - b).abs() < 1e-12),
        "{averaged:?} {mean:?}"
    );
}

#[test]
fn labels_that_contradict_each_other_end_at_the_limit_and_huge_values_are_refused() {
    let items = array![[1.0], [1.0]];
    let labels = Labels::from_names(["a", "b"]);
    let lengths = [1, 1];
    let data =
        |items| LabelledSequences::new(Sequences::new(items, &lengths).unwrap(), &labels).unwrap();
    let model = StructuredPerceptron::default().fit(data(&items)).unwrap();
    let trace = model.trace().unwrap();
    assert_eq!(
        (trace.stop, trace.n_iter()),
        (StopReason::IterationLimit, 50)
    );
    let huge = array![[1.0], [1e300]];
    let error = StructuredPerceptron::default()
        .fit(data(&huge))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("row 1, column 0") && error.contains("scale"),
        "{error}"
    );
    let cancel = didact_core::Cancel::new();
    cancel.cancel();
    let run = Run::new().cancelled_by(&cancel);
    let cancelled = StructuredPerceptron::default().fit_with(data(&items), &run);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
}
