//! `didact inspect MODEL`: the card, then everything that the model knows.

use crate::arguments::InspectOptions;
use crate::input::{data_name, load};
use crate::output::{Grid, Output, duration, number};
use crate::progress::Context;
use didact::core::Value;
use didact::core::model::Described;
use didact::report::{Card, CardJudgement};
use didact::{Result, Trained};
use serde_json::{Map, Value as Json, json};

pub(crate) fn run(options: &InspectOptions, context: &Context, output: &Output) -> Result<()> {
    let trained = Trained::load(&options.model)?;
    let mut card = Card::of(&trained)?;
    if let Some(name) = &options.data {
        let run = context.run();
        let loaded = load(name, &options.reading, &run, output)?;
        let data = loaded.for_model(&trained, options.target.as_deref())?;
        let data = data.data()?;
        run.install(|| card.judge(&trained, &data, &data_name(name), context.seed, &run))?;
    }
    if output.json {
        return output.json(&as_json(&trained, &card));
    }
    show_card(&card, &trained, output);
    for (described, value) in trained.model.attributes() {
        show(described, &value, output);
    }
    Ok(())
}

fn show_card(card: &Card, trained: &Trained, output: &Output) {
    output.line(&card.specification);
    for step in &card.steps {
        output.line(format!("  {}: {}", step.algorithm, step.summary));
        let settings: Vec<String> = step
            .parameters
            .iter()
            .map(|(name, value, set)| match set {
                true => format!("{name}={value} (set)"),
                false => format!("{name}={value}"),
            })
            .collect();
        if !settings.is_empty() {
            output.line(format!("    {}", settings.join(", ")));
        }
    }
    let facts = &card.training;
    output.line(format!(
        "  learned from {}{}: {} rows × {} columns in {} (didact {}), {} bytes",
        card.kind,
        card.data
            .as_ref()
            .map(|name| format!(" of {name}"))
            .unwrap_or_default(),
        facts.rows,
        facts.columns,
        duration(facts.seconds),
        card.library,
        card.bytes,
    ));
    if let (Some(iterations), Some(stop)) = (facts.iterations, &facts.stop) {
        output.line(format!("  {iterations} iterations, {stop}"));
    }
    if let Some((name, value)) = &facts.objective {
        output.line(format!("  {name} {}", number(*value)));
    }
    let names: Vec<String> = match card.features.is_empty() {
        true => trained.input_names(),
        false => card
            .features
            .iter()
            .map(|feature| feature.name.clone())
            .collect(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    output.line(format!("  columns: {}", shorten(&names)));
    if let Some(target) = &card.target {
        output.line(format!("  predicts: {target}"));
    }
    if !card.classes.is_empty() {
        let classes: Vec<String> = card
            .classes
            .iter()
            .map(|class| match class.count {
                Some(count) => format!("{} ({count} rows)", class.name),
                None => class.name.clone(),
            })
            .collect();
        output.line(format!("  classes: {}", classes.join(", ")));
    }
    output.line(format!("  can: {}\n", card.abilities.join(", ")));
    if let Some(judged) = &card.judged {
        show_judgement(judged, output);
    }
    show_strongest(card, output);
    if let Some(framing) = &card.framing {
        output.line("framing:");
        for (question, answer) in framing.answers() {
            output.line(format!("  {question}: {answer}"));
        }
        output.line("");
    }
    if !card.warnings.is_empty() {
        output.line("careful:");
        for warning in &card.warnings {
            output.line(format!("  {warning}"));
        }
        output.line("");
    }
}

fn show_judgement(judged: &CardJudgement, output: &Output) {
    output.line(format!("on the {} rows of {}:", judged.rows, judged.data));
    let mut grid = Grid::new(&["figure", "value", "95 % interval", "baseline"])
        .right(1)
        .right(2)
        .right(3);
    for one in &judged.figures {
        let mut baselines = judged.baseline.iter();
        let baseline = baselines.find(|figure| figure.metric == one.figure.metric);
        grid.row([
            one.figure.metric.to_owned(),
            number(one.figure.value),
            one.interval.map_or(String::new(), |(low, high)| {
                format!("{} … {}", number(low), number(high))
            }),
            baseline.map_or(String::new(), |figure| number(figure.value)),
        ]);
    }
    output.table(grid);
    output.line("");
}

fn show_strongest(card: &Card, output: &Output) {
    if card.strongest.is_empty() {
        return;
    }
    output.line(format!("strongest features ({}):", card.strength_means));
    for one in &card.strongest {
        let spread = match one.deviation > 0.0 {
            true => format!(" ± {}", number(one.deviation)),
            false => String::new(),
        };
        output.line(format!(
            "  {} {}{spread}",
            one.feature,
            number(one.strength)
        ));
    }
    output.line("");
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

fn as_json(trained: &Trained, card: &Card) -> Json {
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
        "card": card,
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
