//! `didact plot KIND MODEL_OR_SPEC --data …`

use super::search::over::Over;
use crate::arguments::PlotOptions;
use crate::input::load;
use crate::judging::specification;
use crate::output::{Grid, Output};
use crate::progress::Context;
use didact::pictures::{PictureKind, PictureOptions, Subject, picture};
use didact::plot::{Picture, Theme};
use didact::{Error, Job, Result, TableData, Trained};
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::Path;

/// Width of a picture in text where there is no terminal to measure.
const USUAL_WIDTH: usize = 100;
/// Values of a range that --over does not count.
const STEPS: usize = 7;

pub(crate) fn run(options: &PlotOptions, context: &Context, output: &Output) -> Result<()> {
    let Some(kind) = options.kind else {
        return list(output);
    };
    let Some(model) = &options.model else {
        return Err(Error::Specification(format!(
            "{kind} is a picture of a model; name a model file, or a method and --data"
        )));
    };
    let progress = context.bar(None, "drawing");
    let (trained, data) = trained_on(model, options, context, output)?;
    let choices = choices(options, &trained, context.seed)?;
    let data = data.as_ref().map(TableData::data).transpose()?;
    let subject = Subject::new(&trained, data.as_ref(), &choices);
    let run = context.run();
    let mut drawn = run.install(|| picture(kind, &subject, &run))?;
    progress.finish_and_clear();
    if options.dark {
        drawn = drawn.themed(Theme::dark());
    }
    show(&drawn, options, output)
}

fn list(output: &Output) -> Result<()> {
    if output.json {
        let kinds: Vec<Value> = PictureKind::ALL
            .iter()
            .map(|kind| json!({"kind": kind.id(), "shows": kind.summary()}))
            .collect();
        return output.json(&kinds);
    }
    let mut grid = Grid::new(&["kind", "shows"]);
    for kind in PictureKind::ALL {
        grid.row([kind.id(), kind.summary()]);
    }
    output.table(grid);
    Ok(())
}

/// The model, and the data as it takes them.
fn trained_on(
    model: &str,
    options: &PlotOptions,
    context: &Context,
    output: &Output,
) -> Result<(Trained, Option<TableData>)> {
    let run = context.run();
    let loaded = match &options.data {
        Some(name) => Some(load(name, &options.reading, &run, output)?),
        None => None,
    };
    if Path::new(model).is_file() {
        let trained = Trained::load(model)?;
        let data = loaded
            .map(|loaded| loaded.for_model(&trained, options.roles.target.as_deref()))
            .transpose()?;
        return Ok((trained, data));
    }
    let Some(loaded) = loaded else {
        return Err(Error::Specification(format!(
            "there is no model file {model}; a method is fitted first, so name its data with --data"
        )));
    };
    let spec = specification(model, &options.set, context.seed)?;
    let job = Job {
        spec,
        roles: options.roles.over(loaded.roles),
        task: options.roles.task(),
        encoder: options.encoding.encoder()?,
    };
    let prepared = job.prepare(loaded.content)?;
    let trained = prepared.fit(&job.roles, &run)?;
    Ok((trained, Some(prepared.table_data)))
}

fn choices(options: &PlotOptions, trained: &Trained, seed: u64) -> Result<PictureOptions> {
    let parameter = |text: &String| {
        let over = Over::parse(text, &trained.header.specification)?;
        let values = over.choices(STEPS)?;
        Ok((over.name, values))
    };
    Ok(PictureOptions {
        features: options.feature.clone(),
        positive: options.positive.clone(),
        threshold: options.threshold,
        parameters: options.over.iter().map(parameter).collect::<Result<_>>()?,
        sequence: options.nth,
        folds: options.folds,
        metric: options.metric,
        seed,
    })
}

fn show(drawn: &Picture, options: &PlotOptions, output: &Output) -> Result<()> {
    if let Some(path) = &options.out {
        drawn.save(path)?;
        for note in drawn.notes() {
            output.note(note);
        }
        if output.json {
            return output
                .json(&json!({"picture": path, "title": drawn.title(), "notes": drawn.notes()}));
        }
        output.line(format!("{}: drawn as {}", drawn.title(), path.display()));
        return Ok(());
    }
    if output.json {
        return Err(Error::Specification(
            "a picture is no JSON; name a file with --out".into(),
        ));
    }
    let width = comfy_table::Table::new()
        .width()
        .map_or(USUAL_WIDTH, usize::from);
    output.line(match std::io::stdout().is_terminal() {
        true => drawn.terminal_in_colour(width),
        false => drawn.terminal(USUAL_WIDTH),
    });
    Ok(())
}
