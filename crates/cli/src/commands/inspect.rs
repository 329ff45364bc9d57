//! `didact inspect MODEL`

use crate::arguments::InspectOptions;
use crate::output::{Output, duration, number};
use didact::core::Value;
use didact::core::model::Described;
use didact::{Result, Trained};
use serde_json::{Map, Value as Json, json};

pub(crate) fn run(options: &InspectOptions, output: &Output) -> Result<()> {
    let trained = Trained::load(&options.model)?;
    if output.json {
        return output.json(&as_json(&trained));
    }
    let header = &trained.header;
    output.line(format!("{}", header.specification));
    let facts = &header.training;
    output.line(format!(
        "  learned from {}{}: {} rows × {} columns in {} (didact {})",
        header.kind,
        header
            .data
            .as_ref()
            .map(|name| format!(" of {name}"))
            .unwrap_or_default(),
        facts.rows,
        facts.columns,
        duration(facts.seconds),
        header.library
    ));
    if let (Some(iterations), Some(stop)) = (facts.iterations, &facts.stop) {
        output.line(format!("  {iterations} iterations, {stop}"));
    }
    if let Some((name, value)) = &facts.objective {
        output.line(format!("  {name} {}", number(*value)));
    }
    let names = match header.features.is_empty() {
        true => trained.input_names(),
        false => header
            .features
            .iter()
            .map(|feature| feature.name.clone())
            .collect(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    output.line(format!("  columns: {}", shorten(&names)));
    if let Some(target) = &header.target {
        output.line(format!("  predicts: {target}"));
    }
    if let Some(classes) = &header.classes {
        let names: Vec<String> = classes.iter().map(ToString::to_string).collect();
        output.line(format!("  classes: {}", names.join(", ")));
    }
    output.line(format!(
        "  can: {}\n",
        trained.model.ability_names().join(", ")
    ));
    if let Some(framing) = &header.framing {
        output.line("framing:");
        for (question, answer) in framing.answers() {
            output.line(format!("  {question}: {answer}"));
        }
        output.line("");
    }
    for (described, value) in trained.model.attributes() {
        show(described, &value, output);
    }
    Ok(())
}

fn shorten(names: &[&str]) -> String {
    match names.len() {
        0..=12 => names.join(", "),
        count => format!("{}, … ({count} in all)", names[..10].join(", ")),
    }
}

fn show(described: Described, value: &Value<'_>, output: &Output) {
    let text = match value {
        Value::Absent => return,
        Value::Number(value) => number(*value),
        Value::Integer(value) => value.to_string(),
        Value::Flag(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::Names(names) => names.join(", "),
        Value::Integers(values) if values.len() <= 20 => format!("{values:?}"),
        Value::Integers(values) => format!("{} whole numbers", values.len()),
        Value::Array(array) => rows_of(array),
    };
    output.line(format!(
        "{}: {}\n  {}",
        described.name,
        described.meaning,
        text.replace('\n', "\n  ")
    ));
}

/// A small array written out, a large one by its shape.
fn rows_of(array: &ndarray::CowArray<'_, f64, ndarray::IxDyn>) -> String {
    let shape = array.shape();
    if array.len() > 120 || shape.len() > 2 {
        let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
        return format!("array of {} (use --json to see it)", sizes.join(" × "));
    }
    let width = shape.last().copied().unwrap_or(1).max(1);
    let values: Vec<String> = array.iter().map(|value| number(*value)).collect();
    values
        .chunks(width)
        .map(|row| row.join("  "))
        .collect::<Vec<_>>()
        .join("\n")
}

fn as_json(trained: &Trained) -> Json {
    let attributes: Map<String, Json> = trained
        .model
        .attributes()
        .into_iter()
        .map(|(described, value)| (described.name.to_owned(), value_as_json(&value)))
        .collect();
    let figures: Vec<Json> = trained
        .model
        .figures()
        .into_iter()
        .map(|(described, shape)| json!({"name": described.name, "meaning": described.meaning, "figure": shape}))
        .collect();
    json!({
        "header": trained.header,
        "abilities": trained.model.ability_names(),
        "attributes": attributes,
        "figures": figures,
        "trace": trained.model.trace(),
    })
}

fn value_as_json(value: &Value<'_>) -> Json {
    match value {
        Value::Number(value) => json!(value),
        Value::Integer(value) => json!(value),
        Value::Flag(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::Names(names) => json!(names),
        Value::Integers(values) => json!(values),
        Value::Array(array) => nested(array.view()),
        Value::Absent => Json::Null,
    }
}

/// An array as lists in lists.
fn nested(array: ndarray::ArrayViewD<'_, f64>) -> Json {
    match array.ndim() {
        0 => array.first().map_or(Json::Null, |value| json!(value)),
        _ => array.outer_iter().map(nested).collect(),
    }
}
