//! `didact describe ALGORITHM`

use crate::arguments::DescribeOptions;
use crate::output::{Grid, Output};
use didact::Result;
use didact::core::Entry;
use didact::core::catalogue::accept_words;
use serde_json::Value;

pub(crate) fn run(options: &DescribeOptions, output: &Output) -> Result<()> {
    let entry = didact::find(&options.algorithm)?;
    if output.json {
        return output.json(entry);
    }
    output.line(format!(
        "{} ({}, family {})\n",
        entry.id, entry.name, entry.family
    ));
    output.line(without_example(&entry.description));
    output.line(format!(
        "Objective: {}\nCost: {}\nModelling: {}\n",
        entry.card.objective, entry.card.cost, entry.card.modelling
    ));
    if !entry.properties.is_empty() {
        let mut grid = Grid::new(&["property", "behaviour"]);
        for property in &entry.properties {
            grid.row([property.name, &property.behaviour]);
        }
        output.table(grid);
        output.line("");
    }
    parameters(entry, output);
    for route in &entry.routes {
        output.line(format!(
            "\nFrom {}, for {} ({})",
            route.kind, route.task, route.learning
        ));
        let mut also = accept_words(route.accepts);
        if route.learns_in_chunks() {
            also.push("data larger than memory");
        }
        if route.online {
            also.push("streams (on-line)");
        }
        if !also.is_empty() {
            output.line(format!("  also takes: {}", also.join(", ")));
        }
        output.line(format!("  its states live in: {}", route.state_space));
        output.line(format!("  the model can: {}", route.abilities.join(", ")));
        for attribute in &route.attributes {
            output.line(format!(
                "  the model knows {}: {}",
                attribute.name, attribute.meaning
            ));
        }
        for figure in &route.figures {
            output.line(format!(
                "  the model draws {}: {}",
                figure.name, figure.meaning
            ));
        }
    }
    Ok(())
}

/// The documentation without its code block, which is for the library's users.
fn without_example(description: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in description.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn parameters(entry: &Entry, output: &Output) {
    let Some(properties) = entry.schema["properties"]
        .as_object()
        .filter(|list| !list.is_empty())
    else {
        output.line("It has no parameters.");
        return;
    };
    let mut grid = Grid::new(&["parameter", "default", "allowed", "meaning"]);
    for (name, schema) in properties {
        let meaning = schema["description"]
            .as_str()
            .unwrap_or_default()
            .replace('\n', " ");
        let default = match &schema["default"] {
            Value::String(word) => word.clone(),
            Value::Array(steps) if steps.iter().any(|step| step["algorithm"].is_string()) => {
                let names: Vec<&str> = steps
                    .iter()
                    .filter_map(|step| step["algorithm"].as_str())
                    .collect();
                names.join(" | ")
            }
            other => other.to_string(),
        };
        grid.row([
            name.as_str(),
            &default,
            &allowed(schema, &entry.schema),
            &meaning,
        ]);
    }
    output.table(grid);
}

/// The values that a parameter may take, in a few words.
fn allowed(schema: &Value, root: &Value) -> String {
    if let Some(pointer) = schema["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix('#'))
    {
        return root
            .pointer(pointer)
            .map(|schema| allowed(schema, root))
            .unwrap_or_default();
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(variants) = schema[choice].as_array() {
            let mut words: Vec<String> = variants
                .iter()
                .map(|variant| allowed(variant, root))
                .collect();
            words.retain(|word| !word.is_empty());
            return words.join(" | ");
        }
    }
    if let Some(word) = schema["const"].as_str() {
        return word.to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return words.join(" | ");
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" or "),
        _ => String::new(),
    };
    let bounds: Vec<String> = [
        ("minimum", "≥"),
        ("exclusiveMinimum", ">"),
        ("maximum", "≤"),
        ("exclusiveMaximum", "<"),
    ]
    .into_iter()
    .filter_map(|(key, sign)| schema[key].as_f64().map(|limit| format!("{sign} {limit}")))
    .collect();
    [kind, bounds.join(", ")].join(" ").trim().to_owned()
}
