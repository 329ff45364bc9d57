//! Parameters: documented, with defaults, within limits that are enforced.

use serde_json::{Map, Value, json};

// 004:M13: objective, cost, data and parameters of every method.
#[test]
fn every_entry_is_fully_described() {
    for entry in didact::catalogue() {
        let id = entry.id;
        assert!(
            entry.summary.ends_with('.'),
            "{id}: the summary is no sentence: {}",
            entry.summary
        );
        assert!(
            !entry.family.is_empty() && !entry.serves.is_empty(),
            "{id}: family or capabilities"
        );
        assert!(
            !entry.card.objective.is_empty() && !entry.card.cost.is_empty(),
            "{id}: card"
        );
        assert!(!entry.routes.is_empty(), "{id} learns from nothing");
        for route in &entry.routes {
            assert!(
                !route.abilities.is_empty(),
                "{id}: its model can do nothing"
            );
            assert!(
                !route.attributes.is_empty(),
                "{id}: its model knows nothing"
            );
            for described in route.attributes.iter().chain(&route.figures) {
                assert!(
                    described.meaning.ends_with('.'),
                    "{id}: meaning of {}",
                    described.name
                );
            }
        }
        for (name, schema) in entry.schema["properties"].as_object().into_iter().flatten() {
            assert!(
                schema["description"].is_string(),
                "{id}.{name} has no description"
            );
            assert!(
                schema.get("default").is_some(),
                "{id}.{name} has no default"
            );
        }
    }
}

#[test]
fn ids_are_unique_and_in_kebab_case() {
    let mut ids: Vec<&str> = didact::catalogue().iter().map(|entry| entry.id).collect();
    assert!(ids.iter().all(|id| {
        id.chars()
            .all(|c| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit())
    }));
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn parameters_round_trip_through_json_and_text() {
    for entry in didact::catalogue() {
        let learner = entry.learner(&Map::new()).unwrap();
        let all = learner.parameters().unwrap();
        let again = entry.learner(all.as_object().unwrap()).unwrap();
        assert_eq!(again.parameters().unwrap(), all, "{}", entry.id);
        let spec = didact::Spec {
            steps: vec![didact::Step {
                algorithm: entry.id.to_owned(),
                parameters: all.as_object().unwrap().clone(),
            }],
        };
        let parsed: didact::Spec = spec.to_string().parse().unwrap();
        assert_eq!(
            parsed.learner().unwrap().parameters().unwrap(),
            all,
            "{spec}"
        );
    }
}

#[test]
fn limits_of_the_schema_are_enforced_with_the_name_in_the_message() {
    for entry in didact::catalogue() {
        for (name, schema) in entry.schema["properties"].as_object().into_iter().flatten() {
            let beyond = [
                schema["minimum"].as_f64().map(|limit| limit - 1.0),
                schema["exclusiveMinimum"].as_f64(),
                schema["maximum"].as_f64().map(|limit| limit * 2.0 + 1.0),
                schema["exclusiveMaximum"].as_f64(),
            ];
            for value in beyond.into_iter().flatten() {
                let value = match schema["type"] == "integer" {
                    true => json!(value as i64),
                    false => json!(value),
                };
                refuse(entry, name, value);
            }
            if schema["type"] == "number" || schema["type"] == "integer" {
                refuse(entry, name, json!("a word"));
            }
        }
        let unknown = Map::from_iter([("no_such_parameter".to_owned(), json!(1))]);
        let message = entry.learner(&unknown).err().unwrap().to_string();
        assert!(
            message.contains("no_such_parameter") && message.contains(entry.id),
            "{message}"
        );
    }
}

fn refuse(entry: &didact::core::Entry, name: &str, value: Value) {
    let parameters = Map::from_iter([(name.to_owned(), value.clone())]);
    let Err(error) = entry.learner(&parameters) else {
        panic!(
            "{}: {name}={value} is outside the limits but was taken",
            entry.id
        );
    };
    assert!(
        error.to_string().starts_with(&format!("{name} is ")),
        "{error}"
    );
}
