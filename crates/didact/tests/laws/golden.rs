//! Golden model files: what an earlier release wrote is read today and answers the same.
//!
//! `cargo xtask golden` writes those that do not exist yet. Existing ones are never rewritten:
//! they stand for files that people have.

use crate::fixtures::{Fixture, answers, every_route, sequence_answers, symbols};
use didact::core::{Data, DataKind, Run};
use didact::{Job, Spec, Trained, datasets};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Cargo runs tests in the folder of their crate.
fn folder() -> PathBuf {
    PathBuf::from("tests/golden")
}

fn fixture() -> Fixture {
    symbols(48, 71)
}

/// What the model says about the fixture.
fn said(trained: &Trained, kind: DataKind) -> Vec<Vec<f64>> {
    let fixture = fixture();
    let data: Data<'_> = fixture.data(kind);
    let mut all = answers(trained.model.as_ref(), data.samples().unwrap().rows()).unwrap();
    all.extend(sequence_answers(trained.model.as_ref(), &data).unwrap());
    all
}

fn write(name: &str, trained: &Trained, expected: &Value) {
    let path = folder().join(format!("{name}.didact"));
    if std::env::var_os("DIDACT_WRITE_GOLDEN").is_some() && !path.exists() {
        std::fs::create_dir_all(folder()).unwrap();
        trained.save(&path).unwrap();
        std::fs::write(
            path.with_extension("json"),
            serde_json::to_string(expected).unwrap(),
        )
        .unwrap();
    }
}

fn read(name: &str) -> (Trained, Value) {
    let path = folder().join(format!("{name}.didact"));
    let trained = Trained::load(&path)
        .unwrap_or_else(|error| panic!("{error}\nA new algorithm needs `cargo xtask golden`."));
    let expected = std::fs::read_to_string(path.with_extension("json")).unwrap();
    (trained, serde_json::from_str(&expected).unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap_or(f64::NEG_INFINITY)],
    }
}

#[test]
fn golden_files_of_every_algorithm_are_read_and_answer_as_then() {
    every_route(|entry, route, learner| {
        let kind = serde_json::to_value(route.kind).unwrap();
        let name = format!("{}-from-{}-format-1", entry.id, kind.as_str().unwrap());
        let fixture = fixture();
        let now = Trained::fit(
            &Spec::of(entry.id),
            learner,
            fixture.data(route.kind),
            &Run::new(),
        )
        .unwrap();
        write(&name, &now, &json!(said(&now, route.kind)));
        let (then, expected) = read(&name);
        let mut expected = expected.as_array().unwrap().clone();
        let labels = then.model.as_decode().is_some();
        let silent = then.model.as_sequence_likelihood().is_none();
        let said = said(&then, route.kind);
        // Models of labels given items once called every sequence certain: zeros at the end,
        // which they do not say any more.
        if labels && silent && expected.len() == said.len() + 1 {
            let last = expected.pop().expect("one more than was said");
            assert!(numbers(&last).iter().all(|value| *value == 0.0), "{name}");
        }
        assert_eq!(said.len(), expected.len(), "{name}");
        for (said, expected) in said.iter().zip(&expected) {
            // A method may have learned to say more since, after what it said then.
            let expected = numbers(expected);
            assert!(said.len() >= expected.len(), "{name}");
            for (&a, b) in said.iter().zip(expected) {
                assert!(
                    a == b || (a - b).abs() <= 1e-12 * a.abs().max(1.0),
                    "{name}: {a} and {b}"
                );
            }
        }
    });
}

#[test]
fn a_golden_pipeline_on_a_mixed_table_is_read_and_predicts_as_then() {
    let penguins = datasets::penguins();
    let mut job = Job::new("standard-scaler | logistic-regression".parse().unwrap());
    job.roles.target = penguins.target().map(str::to_owned);
    let table = penguins.into_table();
    let now = job.fit(table.clone(), &Run::new()).unwrap();
    let words = |trained: &Trained| {
        let predictions = trained.predict(table.clone()).unwrap();
        let labels = predictions.labels("prediction").unwrap();
        let names: Vec<String> = labels
            .indices
            .iter()
            .map(|&label| labels.classes.names()[label].to_string())
            .collect();
        json!(names)
    };
    let name = "pipeline-on-penguins-format-1";
    write(name, &now, &words(&now));
    let (then, expected) = read(name);
    assert_eq!(words(&then), expected);
}
