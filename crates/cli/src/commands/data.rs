//! `didact data …`

use crate::arguments::{DataCommand, DataOptions};
use crate::input::{assignment, load};
use crate::output::{Grid, Output, number};
use crate::progress::Context;
use didact::core::Table;
use didact::data::{Format, NumberSummary, describe, write_table, write_to};
use didact::evaluate::{Keep, split};
use didact::{Error, Result, datasets};
use serde_json::{Map, json};
use std::path::Path;

pub(crate) fn run(options: &DataOptions, context: &Context, output: &Output) -> Result<()> {
    let run = context.run();
    match &options.command {
        DataCommand::List => list(output),
        DataCommand::Describe { data, reading } => {
            let loaded = load(data, reading, &run, output)?;
            show(&loaded.name, &loaded.content.into_table()?, output)
        }
        DataCommand::Generate {
            generator,
            set,
            out,
        } => {
            let mut values = Map::new();
            for text in set {
                let (name, value) = assignment("--set", text)?;
                values.insert(name.to_owned(), value);
            }
            let dataset = datasets::find_generator(generator)?.generate(&values, context.seed)?;
            write(dataset.table(), out, output)
        }
        DataCommand::Split {
            data,
            reading,
            train_share,
            stratify,
            group,
            train,
            test,
        } => {
            let table = load(data, reading, &run, output)?.content.into_table()?;
            let marks = |name: &String| Ok::<_, Error>(table.labels(name)?.indices);
            let (classes, groups);
            let keep = match (stratify, group) {
                (Some(name), _) => {
                    classes = marks(name)?;
                    Keep::Shares(&classes)
                }
                (None, Some(name)) => {
                    groups = marks(name)?;
                    Keep::Groups(&groups)
                }
                (None, None) => Keep::Nothing,
            };
            let parts = split(table.n_rows(), *train_share, context.seed, keep)?;
            write_table(&table.select(&parts.train), train, None)?;
            write_table(&table.select(&parts.test), test, None)?;
            let (train_rows, test_rows) = (parts.train.len(), parts.test.len());
            if output.json {
                return output.json(&json!({"train": train_rows, "test": test_rows}));
            }
            output.line(format!(
                "{train_rows} rows to {}, {test_rows} rows to {}",
                train.display(),
                test.display()
            ));
            Ok(())
        }
        DataCommand::Convert { data, out, reading } => {
            let loaded = load(data, reading, &run, output)?;
            write(&loaded.content.into_table()?, out, output)
        }
    }
}

/// Writes a table to a file, or to standard output as CSV (as JSON lines with `--json`).
pub(crate) fn write(table: &Table, out: &str, output: &Output) -> Result<()> {
    if out != "-" {
        write_table(table, Path::new(out), None)?;
        output.note(format!("{} rows written to {out}", table.n_rows()));
        return Ok(());
    }
    let format = if output.json {
        Format::JsonLines
    } else {
        Format::Csv
    };
    let mut bytes = Vec::new();
    write_to(table, &mut bytes, format)?;
    output.line(String::from_utf8_lossy(&bytes).trim_end());
    Ok(())
}

fn list(output: &Output) -> Result<()> {
    if output.json {
        let sets: Vec<_> = datasets::list().collect();
        let generators: Vec<_> = datasets::generators()
            .iter()
            .map(generator_as_json)
            .collect();
        return output.json(&json!({"data_sets": sets, "generators": generators}));
    }
    let mut grid = Grid::new(&["data set", "task", "what it holds", "licence"]);
    for info in datasets::list() {
        grid.row([
            info.id,
            &info.task.to_string(),
            info.description,
            info.licence,
        ]);
    }
    output.table(grid);
    let mut grid = Grid::new(&["generator", "parameters", "what it makes"]);
    for generator in datasets::generators() {
        let names: Vec<String> = generator
            .parameters()
            .iter()
            .map(|parameter| format!("{}={}", parameter.name, parameter.default))
            .collect();
        grid.row([
            generator.info.id,
            &names.join(" "),
            generator.info.description,
        ]);
    }
    output.table(grid);
    Ok(())
}

fn generator_as_json(generator: &datasets::GeneratorEntry) -> serde_json::Value {
    json!({
        "id": generator.info.id,
        "summary": generator.info.description,
        "parameters": generator
            .parameters()
            .iter()
            .map(|parameter| json!({"name": parameter.name, "default": parameter.default}))
            .collect::<Vec<_>>(),
    })
}

fn show(name: &str, table: &Table, output: &Output) -> Result<()> {
    let columns = describe(table);
    if output.json {
        return output.json(&json!({"name": name, "rows": table.n_rows(), "columns": columns}));
    }
    output.line(format!(
        "{name}: {} rows × {} columns",
        table.n_rows(),
        table.n_columns()
    ));
    let headings = [
        "column",
        "kind",
        "missing",
        "distinct",
        "smallest",
        "median",
        "mean ± spread",
        "largest",
        "most frequent",
    ];
    let mut grid = Grid::new(&headings);
    for column in &columns {
        let figure = |get: fn(&NumberSummary) -> f64| {
            column
                .numbers
                .as_ref()
                .map(|numbers| number(get(numbers)))
                .unwrap_or_default()
        };
        let (first, last) = column.span.clone().unwrap_or_default();
        let mean = column
            .numbers
            .as_ref()
            .map(|numbers| format!("{} ± {}", number(numbers.mean), number(numbers.std)));
        let frequent: Vec<String> = column
            .top
            .iter()
            .take(3)
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        grid.row([
            column.name.clone(),
            format!("{:?}", column.kind).to_lowercase(),
            column.missing.to_string(),
            column.distinct.to_string(),
            figure(|numbers| numbers.min) + &first,
            figure(|numbers| numbers.median),
            mean.unwrap_or_default(),
            figure(|numbers| numbers.max) + &last,
            frequent.join(", "),
        ]);
    }
    output.table(grid);
    Ok(())
}
