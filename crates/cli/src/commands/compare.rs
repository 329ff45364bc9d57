//! `didact compare`: cross-validates several methods on the same folds and ranks them.

use crate::arguments::CompareOptions;
use crate::input::{Loaded, built_in, load};
use crate::output::{Grid, Output, bar, duration};
use crate::progress::Context;
use comfy_table::{Attribute, Cell};
use didact::core::catalogue::Route;
use didact::core::{Accepts, DataKind, Task};
use didact::data::Content;
use didact::evaluate::{Summary, cross_validate, folds_for};
use didact::{Error, Job, Result, Roles, Spec, catalogue, datasets};
use serde::Serialize;

pub(crate) fn run(options: &CompareOptions, context: &Context, output: &Output) -> Result<()> {
    match &options.data {
        Some(name) => {
            let loaded = load(name, &options.reading, &context.run(), output)?;
            let comparison = compare(loaded, options, context, output)?;
            if output.json {
                return output.json(&comparison);
            }
            comparison.show(output);
        }
        None => {
            let mut comparisons = Vec::new();
            for name in [
                "iris",
                "wine",
                "breast-cancer",
                "penguins",
                "digits",
                "diabetes",
            ] {
                let loaded = built_in(datasets::load(name)?);
                comparisons.push(compare(loaded, options, context, output)?);
            }
            if output.json {
                return output.json(&comparisons);
            }
            show_side_by_side(&comparisons, output);
        }
    }
    Ok(())
}

/// How one method did.
#[derive(Serialize)]
struct Row {
    method: String,
    /// What was really fitted: preparation included.
    specification: String,
    figures: Vec<Summary>,
    fit_seconds: f64,
    /// Why the method could not be judged.
    error: Option<String>,
}

/// How all methods did on one data set, best first.
#[derive(Serialize)]
struct Comparison {
    data: String,
    rows: usize,
    columns: usize,
    folds: usize,
    methods: Vec<Row>,
}

fn compare(
    loaded: Loaded,
    options: &CompareOptions,
    context: &Context,
    output: &Output,
) -> Result<Comparison> {
    let roles = options.roles.over(loaded.roles);
    if roles.target.is_none() {
        return Err(Error::Specification(
            "a comparison needs to know what is to be predicted; name the column with --target"
                .into(),
        ));
    }
    let candidates = match options.specs.is_empty() {
        true => suitable(&loaded.content, &roles, options.roles.task())?,
        false => options
            .specs
            .iter()
            .map(|text| Ok((text.clone(), text.parse()?)))
            .collect::<Result<_>>()?,
    };
    let progress = context.bar(
        Some((candidates.len() * options.folds) as u64),
        &loaded.name,
    );
    let encoder = options.encoding.encoder()?;
    let mut methods = Vec::new();
    for (name, mut spec) in candidates {
        spec.set_seed(context.seed)?;
        let job = Job {
            roles: roles.clone(),
            task: options.roles.task(),
            encoder: encoder.clone(),
            spec: spec.clone(),
        };
        progress.set_message(name.clone());
        let judged = judge(&job, &loaded.content, options.folds, context, &|| {
            progress.inc(1)
        });
        methods.push(match judged {
            Ok((specification, figures, fit_seconds)) => Row {
                method: name,
                specification,
                figures,
                fit_seconds,
                error: None,
            },
            Err(error @ (Error::Cancelled | Error::Specification(_) | Error::Parameter { .. })) => {
                return Err(error);
            }
            Err(error) => Row {
                method: name,
                specification: spec.to_string(),
                figures: Vec::new(),
                fit_seconds: 0.0,
                error: Some(error.to_string()),
            },
        });
    }
    progress.finish_and_clear();
    rank(&mut methods);
    if methods.iter().all(|row| row.error.is_some()) {
        let reason = methods
            .into_iter()
            .find_map(|row| row.error)
            .unwrap_or_default();
        return Err(Error::Data(reason));
    }
    for row in methods.iter().filter(|row| row.error.is_some()) {
        output.note(format!(
            "{} on {}: {}",
            row.method,
            loaded.name,
            row.error.as_deref().unwrap_or_default()
        ));
    }
    Ok(Comparison {
        data: loaded.name,
        rows: loaded.content.n_rows(),
        columns: match &loaded.content {
            Content::Table(table) => table.n_columns() - 1,
            Content::Sparse(_) => loaded.content.n_features(),
        },
        folds: options.folds,
        methods,
    })
}

type Judged = (String, Vec<Summary>, f64);

fn judge(
    job: &Job,
    content: &Content,
    folds: usize,
    context: &Context,
    done: &(dyn Fn() + Sync),
) -> Result<Judged> {
    let prepared = job.prepare(content.clone())?;
    let data = prepared.table_data.data()?;
    let splits = folds_for(&data, folds, context.seed)?;
    let run = context.run();
    let result = cross_validate(prepared.learner.as_ref(), &data, &splits, &run, done)?;
    Ok((
        prepared.spec.to_string(),
        result.summaries(),
        result.fit_seconds(),
    ))
}

/// Every algorithm of the catalogue that predicts such a target, on standardised columns.
fn suitable(content: &Content, roles: &Roles, task: Option<Task>) -> Result<Vec<(String, Spec)>> {
    let target = content.target(roles.target.as_deref().unwrap_or_default())?;
    let classes = match task {
        Some(task) => task == Task::Classification,
        None => target.looks_like_classes(),
    };
    let kind = if classes {
        DataKind::Labelled
    } else {
        DataKind::Measured
    };
    // Shifting sparse rows would fill them, so they are only divided.
    let (sparse, scaler) = match content.stays_sparse() {
        true => (true, "standard-scaler(with_mean=false)"),
        false => (false, "standard-scaler"),
    };
    let suits = |route: &Route| !sparse || route.accepts.contains(Accepts::SPARSE);
    let mut list = Vec::new();
    for entry in catalogue()
        .iter()
        .filter(|entry| entry.route(kind).is_some_and(suits))
    {
        // A wrapper around the default classifier would only repeat that classifier.
        if entry.schema["properties"].get("estimator").is_some() {
            continue;
        }
        let text = match entry.family {
            "evaluate" => entry.id.to_owned(),
            _ => format!("{scaler} | {}", entry.id),
        };
        list.push((entry.id.to_owned(), text.parse()?));
    }
    Ok(list)
}

/// Best first; methods that could not be judged last.
fn rank(methods: &mut [Row]) {
    let value = |row: &Row| {
        row.figures
            .first()
            .map_or(f64::NEG_INFINITY, |figure| match figure.higher_is_better {
                true => figure.mean,
                false => -figure.mean,
            })
    };
    methods.sort_by(|left, right| value(right).total_cmp(&value(left)));
}

impl Comparison {
    fn metric(&self) -> &str {
        let first = self.methods.first().and_then(|row| row.figures.first());
        first.map_or("score", |figure| figure.metric)
    }

    fn show(&self, output: &Output) {
        output.line(format!(
            "{}: {} rows × {} columns, {} folds, best first",
            self.data, self.rows, self.columns, self.folds
        ));
        let names: Vec<&str> = self.methods[0]
            .figures
            .iter()
            .map(|figure| figure.metric)
            .collect();
        let mut headings = vec!["method", ""];
        headings.extend(&names);
        headings.push("fit");
        let mut grid = Grid::new(&headings);
        for column in 2..headings.len() {
            grid = grid.right(column);
        }
        for (place, row) in self.methods.iter().enumerate() {
            let share = row.figures.first().map_or(0.0, |figure| figure.mean);
            let mut cells = vec![
                best(Cell::new(&row.method), place == 0),
                Cell::new(bar(share)),
            ];
            for name in &names {
                let figure = row.figures.iter().find(|figure| figure.metric == *name);
                let text = figure.map(with_spread).unwrap_or_default();
                cells.push(best(Cell::new(text), place == 0));
            }
            cells.push(Cell::new(if row.error.is_some() {
                "failed".into()
            } else {
                duration(row.fit_seconds)
            }));
            grid.row(cells);
        }
        output.table(grid);
    }
}

fn best(cell: Cell, is_best: bool) -> Cell {
    if is_best {
        cell.add_attribute(Attribute::Bold)
    } else {
        cell
    }
}

fn with_spread(figure: &Summary) -> String {
    format!("{:.3} ± {:.3}", figure.mean, figure.spread)
}

/// One table per metric: methods down, data sets across, the best of each column marked.
fn show_side_by_side(comparisons: &[Comparison], output: &Output) {
    let mut metrics: Vec<&str> = comparisons.iter().map(Comparison::metric).collect();
    metrics.dedup();
    for metric in metrics {
        let group: Vec<&Comparison> = comparisons
            .iter()
            .filter(|comparison| comparison.metric() == metric)
            .collect();
        let folds = group[0].folds;
        output.line(format!(
            "{metric} by {folds}-fold cross-validation, mean ± spread (★ best), and time of one fit"
        ));
        let titles: Vec<String> = group
            .iter()
            .map(|comparison| {
                format!(
                    "{}\n{} × {}",
                    comparison.data, comparison.rows, comparison.columns
                )
            })
            .collect();
        let mut headings = vec!["method"];
        headings.extend(titles.iter().map(String::as_str));
        let mut grid = Grid::new(&headings).ruled();
        for column in 1..headings.len() {
            grid = grid.right(column);
        }
        for method in by_mean(&group) {
            let mut cells = vec![Cell::new(&method)];
            for comparison in &group {
                cells.push(side_by_side_cell(comparison, &method));
            }
            grid.row(cells);
        }
        output.table(grid);
    }
}

fn side_by_side_cell(comparison: &Comparison, method: &str) -> Cell {
    let Some((place, row)) = comparison
        .methods
        .iter()
        .enumerate()
        .find(|(_, row)| row.method == method)
    else {
        return Cell::new("");
    };
    match row.figures.first() {
        Some(figure) => {
            let star = if place == 0 { "★ " } else { "" };
            let text = format!(
                "{star}{}\n{} {}",
                with_spread(figure),
                bar(figure.mean),
                duration(row.fit_seconds)
            );
            best(Cell::new(text), place == 0)
        }
        None => Cell::new("failed"),
    }
}

/// Methods by their mean over the data sets, best first.
fn by_mean(group: &[&Comparison]) -> Vec<String> {
    let mut totals: Vec<(String, f64)> = Vec::new();
    for row in group.iter().flat_map(|comparison| &comparison.methods) {
        let value = row.figures.first().map_or(0.0, |figure| figure.mean);
        match totals.iter_mut().find(|(method, _)| *method == row.method) {
            Some((_, total)) => *total += value,
            None => totals.push((row.method.clone(), value)),
        }
    }
    totals.sort_by(|left, right| right.1.total_cmp(&left.1));
    totals.into_iter().map(|(method, _)| method).collect()
}
