//! What holds for every method of the family, with its default parameters.

use didact_core::learner::Learner;
use didact_core::random::generator;
use didact_core::{
    AnyModel, Data, Entry, Labels, PartialLabels, PartlyLabelled, Rows, Run, Values,
};
use didact_semi_supervised::catalogue;
use ndarray::{Array2, s};
use rand::RngExt;

/// Three noisy groups, of which every second row has a class.
fn groups(n: usize, columns: usize, seed: u64) -> (Array2<f64>, PartialLabels) {
    let mut generator = generator(seed, 0);
    let x = Array2::from_shape_fn((n, columns), |(row, column)| {
        let noise: f64 = (0..4).map(|_| generator.random::<f64>() - 0.5).sum();
        (if column % 3 == row % 3 { 3.0 } else { 0.0 }) + noise
    });
    let name = |row: usize| {
        row.is_multiple_of(2)
            .then_some(["maybe", "no", "yes"][row % 3])
    };
    (x, PartialLabels::from_names((0..n).map(name)))
}

fn learner(entry: &Entry) -> Box<dyn Learner> {
    entry.learner(&Default::default()).unwrap()
}

fn answers(model: &dyn AnyModel, rows: Rows<'_>) -> Vec<Vec<u64>> {
    let labels = model.as_classify().unwrap().classify(rows).unwrap();
    let numbers = match (model.as_probabilities(), model.as_scores()) {
        (Some(ability), _) => ability.probabilities(rows).unwrap(),
        (None, Some(ability)) => ability.scores(rows).unwrap(),
        (None, None) => Array2::zeros((rows.n_rows(), 0)),
    };
    let bits = |row: usize| {
        numbers
            .row(row)
            .iter()
            .map(|value| value.to_bits())
            .collect()
    };
    let mut all: Vec<Vec<u64>> = (0..rows.n_rows()).map(bits).collect();
    for (answer, label) in all.iter_mut().zip(labels) {
        answer.push(label as u64);
    }
    all
}

#[test]
fn models_survive_files_threads_and_rows_one_at_a_time() {
    let (x, labels) = groups(90, 4, 1);
    let counts = x.mapv(f64::abs);
    for entry in catalogue() {
        let x = match entry.routes[0].values {
            Values::Counts => &counts,
            _ => &x,
        };
        let data = || Data::PartlyLabelled(PartlyLabelled::new(x, &labels).unwrap());
        let fit = |threads| {
            learner(&entry)
                .fit(data(), &Run::new().threads(threads))
                .unwrap()
        };
        let model = fit(1);
        let rows = Rows::Dense(x.view());
        let together = answers(model.as_ref(), rows);
        assert_eq!(answers(fit(2).as_ref(), rows), together, "{}", entry.id);
        let bytes = model.encode().unwrap();
        let again = entry.routes[0].decode(&bytes).unwrap();
        assert_eq!(answers(again.as_ref(), rows), together, "{}", entry.id);
        for row in 0..90 {
            let alone = answers(model.as_ref(), rows.slice(row..row + 1));
            assert_eq!(alone[0], together[row], "{}", entry.id);
        }
        let truth = (0..90).map(|row| row % 3);
        let found = model.as_classify().unwrap().classify(rows).unwrap();
        let right = found.iter().zip(truth).filter(|(a, b)| **a == *b).count();
        assert!(right >= 88, "{}: {right} of 90", entry.id);
    }
}

#[test]
fn awkward_rows_give_a_sound_model_or_a_sentence() {
    let (usual, _) = groups(60, 3, 2);
    let inputs = [
        ("one row", usual.slice(s![..1, ..]).to_owned()),
        ("two rows", usual.slice(s![..2, ..]).to_owned()),
        ("constant", Array2::from_elem((40, 3), 2.5)),
        ("wide", groups(15, 40, 3).0),
        ("far", &usual + 1e8),
        ("tiny", &usual * 1e-200),
        ("huge", &usual * 1e300),
        ("outlier", {
            let mut x = usual.clone();
            x[[7, 1]] = 1e12;
            x
        }),
    ];
    for (what, x) in inputs {
        let name = |row: usize| (row % 3 != 2).then_some(["a", "b", "c"][row % 5 % 3]);
        let labels = PartialLabels::from_names((0..x.nrows()).map(name));
        let all = Labels::from_names((0..x.nrows()).map(|row| ["a", "b", "c"][row % 3]));
        for entry in catalogue() {
            let partly = Data::PartlyLabelled(PartlyLabelled::new(&x, &labels).unwrap());
            let whole = Data::Labelled(didact_core::Labelled::new(&x, &all).unwrap());
            for data in [partly, whole] {
                match learner(&entry).fit(data, &Run::new()) {
                    Ok(model) => {
                        let numbers = answers(model.as_ref(), Rows::Dense(x.view()));
                        let is_number = |bits: &u64| !f64::from_bits(*bits).is_nan();
                        assert!(
                            numbers.iter().flatten().all(is_number),
                            "{} on {what}",
                            entry.id
                        );
                    }
                    Err(error) => {
                        let message = error.to_string();
                        assert!(message.contains("; "), "{} on {what}: {message}", entry.id);
                    }
                }
            }
        }
    }
}
