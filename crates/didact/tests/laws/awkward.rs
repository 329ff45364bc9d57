//! Awkward data: a finite model or a clear error, never a panic, a hang or a silent NaN.

use crate::fixtures::{
    Fixture, answers, bits, every_route, every_variant, fingerprint, groups, sequence_answers,
    symbols,
};
use didact::core::{AnyModel, Cancel, Data, DataKind, Learner, Result, Run, Samples};
use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder, array, s};
use std::time::Duration;

fn awkward_inputs() -> Vec<(&'static str, Fixture)> {
    let usual = groups(60, 3, 1);
    let mut list = vec![
        ("empty", Array2::zeros((0, 3))),
        ("no columns", Array2::zeros((4, 0))),
        ("one row", usual.x.slice(s![..1, ..]).to_owned()),
        ("two rows", usual.x.slice(s![..2, ..]).to_owned()),
        ("one column", usual.x.slice(s![.., ..1]).to_owned()),
        ("constant", Array2::from_elem((40, 3), 2.5)),
        ("zero", Array2::zeros((40, 2))),
        ("one constant column", {
            let mut x = usual.x.clone();
            x.column_mut(1).fill(-7.0);
            x
        }),
        ("duplicated rows", {
            let half = usual.x.slice(s![..30, ..]);
            ndarray::concatenate(Axis(0), &[half, half]).unwrap()
        }),
        ("equal columns", {
            let column = usual.x.slice(s![.., ..1]);
            ndarray::concatenate(Axis(1), &[column, column, column]).unwrap()
        }),
        ("fewer rows than columns", groups(15, 40, 2).x),
        ("far from zero", &usual.x + 1e8),
        ("tiny values", &usual.x * 1e-200),
        ("huge values", &usual.x * 1e300),
        ("huge and tiny columns", {
            let mut x = usual.x.clone();
            x.column_mut(0).mapv_inplace(|value| value * 1e150);
            x.column_mut(1).mapv_inplace(|value| value * 1e-150);
            x
        }),
        ("one huge outlier", {
            let mut x = usual.x.clone();
            x[[7, 1]] = 1e12;
            x
        }),
        ("whole numbers", usual.x.mapv(|value| value.abs().round())),
        (
            "negative zero",
            usual.x.mapv(|value| if value < 0.3 { -0.0 } else { value }),
        ),
    ];
    for (name, value) in [
        ("NaN", f64::NAN),
        ("infinity", f64::INFINITY),
        ("minus infinity", f64::NEG_INFINITY),
    ] {
        let mut x = usual.x.clone();
        x[[5, 1]] = value;
        list.push((name, x));
    }
    let mut fixtures: Vec<(&str, Fixture)> = list
        .into_iter()
        .map(|(name, x)| (name, Fixture::of(x)))
        .collect();
    let mut one_class = usual.clone();
    one_class.labels = didact::core::Labels::from_names(vec!["only"; 60]);
    one_class.targets = vec![4.0; 60];
    fixtures.push(("one class and one target", one_class));
    let mut empty_class = usual.clone();
    empty_class.labels.classes = didact::core::Classes::new(["maybe", "no", "yes", "zero rows"]);
    fixtures.push(("a class without rows", empty_class));
    let mut long = usual.clone();
    long.lengths = vec![60];
    fixtures.push(("one sequence", long));
    let mut single = usual;
    single.lengths = vec![1; 60];
    fixtures.push(("sequences of one item", single));
    fixtures
}

/// Fits with a limit on time; a fit that needs the limit has hung.
fn fit(learner: &dyn Learner, data: Data<'_>, context: &str) -> Result<Box<dyn AnyModel>> {
    let cancel = Cancel::new();
    let (finished, waiting) = std::sync::mpsc::channel::<()>();
    let switch = cancel.clone();
    let watchdog = std::thread::spawn(move || {
        if waiting.recv_timeout(Duration::from_secs(20)).is_err() {
            switch.cancel();
        }
    });
    let result = learner.fit(data, &Run::new().cancelled_by(&cancel));
    let _ = finished.send(());
    watchdog.join().expect("the watchdog does not panic");
    assert!(!cancel.is_cancelled(), "{context}: did not finish in 20 s");
    result
}

/// A clear message names what is wrong, a parameter or something in the data, and what would be
/// right.
fn assert_is_clear(learner: &dyn Learner, message: &str, context: &str) {
    let parameters = learner.parameters().unwrap();
    let names = parameters
        .as_object()
        .into_iter()
        .flat_map(|map| map.keys());
    let things = [
        "row", "column", "class", "target", "sequence", "value", "weight",
    ];
    let names_something = names.map(String::as_str).chain(things);
    let mut named = names_something.filter(|name| message.contains(name));
    assert!(named.next().is_some(), "{context} names nothing: {message}");
    let (what, remedy) = message.split_once("; ").unwrap_or_default();
    assert!(
        what.len() > 10 && remedy.split(' ').count() > 2,
        "{context} does not say what would be right: {message}"
    );
}

fn has_nan(values: &[Vec<f64>]) -> bool {
    values.iter().flatten().any(|value| value.is_nan())
}

#[test]
fn awkward_data_give_a_sound_model_or_a_clear_error() {
    for (what, fixture) in awkward_inputs() {
        every_variant(|name, route, learner| {
            let context = format!("{name} from {} on {what}", route.kind);
            let data = fixture.data(route.kind);
            let model = match fit(learner, data.clone(), &context) {
                Ok(model) => model,
                Err(error) => {
                    assert_is_clear(learner, &error.to_string(), &context);
                    return;
                }
            };
            let missing = fixture.x.iter().any(|value| value.is_nan());
            match fingerprint(model.as_ref(), &data) {
                // Missing values that go in may come out again.
                Ok(values) => assert!(
                    missing || !has_nan(&values),
                    "{context}: NaN in the answers"
                ),
                Err(error) => assert_is_clear(learner, &error.to_string(), &context),
            }
            for row in model
                .as_probabilities()
                .and_then(|p| p.probabilities(data.samples().unwrap().rows()).ok())
                .iter()
                .flat_map(|p| p.rows())
            {
                assert!(
                    (row.sum() - 1.0).abs() < 1e-9,
                    "{context}: probabilities sum to {}",
                    row.sum()
                );
            }
        });
    }
}

#[test]
fn usual_data_are_learned_by_everybody() {
    let fixture = symbols(96, 4);
    every_route(|entry, route, learner| {
        let model = fit(learner, fixture.data(route.kind), entry.id);
        let model =
            model.unwrap_or_else(|error| panic!("{} from {}: {error}", entry.id, route.kind));
        assert_eq!(model.n_features(), 1);
        assert_eq!(
            model.ability_names(),
            route.abilities,
            "{}: listed abilities are the real ones",
            entry.id
        );
    });
}

#[test]
fn layout_in_memory_does_not_matter() {
    let fixture = groups(60, 4, 5);
    let mut fortran = Array2::zeros((60, 4).f());
    fortran.assign(&fixture.x);
    let mut padded = Array2::from_elem((120, 8), f64::NAN);
    padded.slice_mut(s![..;2, ..;2]).assign(&fixture.x);
    let strided = padded.slice(s![..;2, ..;2]);
    every_route(|entry, route, learner| {
        let fingerprint_of = |x: ArrayView2<'_, f64>| {
            let data = fixture.data_of(Samples::from(x.reborrow()), route.kind);
            let model = learner.fit(data.clone(), &Run::new()).ok()?;
            Some(bits(&fingerprint(model.as_ref(), &data).unwrap()))
        };
        let plain = fingerprint_of(fixture.x.view());
        assert_eq!(
            fingerprint_of(fortran.view()),
            plain,
            "{}: Fortran order",
            entry.id
        );
        assert_eq!(fingerprint_of(strided), plain, "{}: strides", entry.id);
    });
}

#[test]
fn predicting_checks_columns_and_values() {
    let fixture = groups(60, 3, 6);
    every_route(|entry, route, learner| {
        let Ok(model) = learner.fit(fixture.data(route.kind), &Run::new()) else {
            return;
        };
        let wrong = array![[1.0, 2.0]];
        let error = didact::core::abilities::check_rows(
            model.as_ref(),
            didact::core::Rows::Dense(wrong.view()),
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "the rows have 2 columns but the model was fitted with 3",
            "{}",
            entry.id
        );
    });
}

#[test]
fn rows_one_at_a_time_are_predicted_like_rows_together() {
    for fixture in [groups(70, 3, 7), groups(50, 33, 8)] {
        every_variant(|name, route, learner| {
            let Ok(model) = learner.fit(fixture.data(route.kind), &Run::new()) else {
                return;
            };
            let rows = didact::core::Rows::Dense(fixture.x.view());
            let together = answers(model.as_ref(), rows).unwrap();
            for row in 0..rows.n_rows() {
                let alone = answers(model.as_ref(), rows.slice(row..row + 1)).unwrap();
                assert_eq!(
                    bits(&alone)[0],
                    bits(&together)[row],
                    "{name} from {}: row {row}",
                    route.kind
                );
            }
        });
    }
}

#[test]
fn sequences_one_at_a_time_are_explained_like_sequences_together() {
    let fixture = Fixture::of(
        groups(60, 1, 9)
            .x
            .mapv(|value| value.abs().round().min(3.0)),
    );
    every_route(|entry, route, learner| {
        if !matches!(
            route.kind,
            DataKind::Sequences | DataKind::LabelledSequences
        ) {
            return;
        }
        let data = fixture.data(DataKind::Sequences);
        let model = learner.fit(fixture.data(route.kind), &Run::new()).unwrap();
        let together = sequence_answers(model.as_ref(), &data).unwrap();
        let Data::Sequences(sequences) = &data else {
            unreachable!("asked for sequences")
        };
        let mut first = 0;
        for (index, &length) in fixture.lengths.iter().enumerate() {
            let alone = sequence_answers(
                model.as_ref(),
                &Data::Sequences(sequences.slice(index..index + 1)),
            )
            .unwrap();
            assert_eq!(
                bits(&alone[..length]),
                bits(&together[first..first + length]),
                "{}",
                entry.id
            );
            first += length;
        }
    });
}
