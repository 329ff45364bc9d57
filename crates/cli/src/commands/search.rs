//! `didact search SPEC --data … --over …`: the best parameters of a method.

mod counts;
pub(crate) mod over;

use crate::arguments::{SearchMethod, SearchOptions};
use crate::input::data_name;
use crate::judging::{Arena, short};
use crate::output::{Grid, Output, duration, number};
use crate::progress::Context;
use comfy_table::{Attribute, Cell};
use didact::core::{Learner, Run};
use didact::evaluate::{Halving, Nested, Search, Split, Trial, halving_folds};
use didact::pictures::{search_curve, search_map};
use didact::plot::Picture;
use didact::{Error, Prepared, Result, Spec};
use over::{Over, space};
use serde::Serialize;
use serde_json::{Map, Value};

/// Rows of the table that people see; JSON has all.
const ROWS_SHOWN: usize = 20;

type Candidates = Vec<Map<String, Value>>;

pub(crate) fn run(options: &SearchOptions, context: &Context, output: &Output) -> Result<()> {
    let (arena, prepared) = Arena::open(&options.fitting, &options.split, context, output)?;
    match options.criterion {
        Some(rule) => counts::run(rule, &arena, &prepared, options, context, output),
        None => search(&arena, &prepared, options, context, output),
    }
}

/// What was found.
#[derive(Serialize)]
struct Report {
    data: String,
    method: &'static str,
    /// The best specification.
    specification: String,
    /// All trials; those of the last round where the search went by halving.
    #[serde(flatten)]
    found: Search,
    /// The rounds of halving.
    #[serde(skip_serializing_if = "Option::is_none")]
    halving: Option<Halving>,
    /// How good a search like this is on rows that it has not seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    nested: Option<Nested>,
    /// Whether everything was tried.
    complete: bool,
}

fn search(
    arena: &Arena,
    prepared: &Prepared,
    options: &SearchOptions,
    context: &Context,
    output: &Output,
) -> Result<()> {
    let overs = overs(&prepared.spec, options)?;
    let candidates = candidates(&overs, options, context.seed)?;
    let report = try_all(arena, prepared, &candidates, options, context)?;
    if let Some(path) = &options.plot {
        output.save_picture(path, &picture(&overs, &report.found, options.method)?)?;
    }
    match output.json {
        true => output.json(&report)?,
        false => show(&report, &overs, output),
    }
    if !report.complete {
        output.note("stopped before everything was tried; this is what there is");
        return Err(Error::Cancelled);
    }
    refit(
        &report.specification.parse()?,
        arena,
        options,
        context,
        output,
    )
}

fn picture(overs: &[Over], found: &Search, method: SearchMethod) -> Result<Picture> {
    match overs {
        [one] => search_curve(found, &one.name),
        [rows, columns] if method == SearchMethod::Grid => {
            search_map(found, &rows.name, &columns.name)
        }
        _ => Err(Error::Specification(
            "a picture shows one parameter, or two of a grid; vary fewer".into(),
        )),
    }
}

/// A value as tables show it.
fn value_text(value: &Value) -> String {
    match (value.as_i64(), value.as_f64(), value) {
        (None, Some(real), _) => number(real),
        (_, _, Value::String(word)) => word.clone(),
        _ => value.to_string(),
    }
}

fn overs(spec: &Spec, options: &SearchOptions) -> Result<Vec<Over>> {
    if options.over.is_empty() {
        return Err(Error::Specification(
            "a search needs to know what to vary; name a parameter with --over, as in --over alpha"
                .into(),
        ));
    }
    options
        .over
        .iter()
        .map(|text| Over::parse(text, spec))
        .collect()
}

fn candidates(overs: &[Over], options: &SearchOptions, seed: u64) -> Result<Candidates> {
    match options.method {
        SearchMethod::Grid => space(overs, Some(options.steps))?.grid(usize::MAX),
        _ => space(overs, None)?.draw(options.tries.clamp(1, 1_000_000), seed),
    }
}

/// The specification with the parameters of a candidate.
fn with(spec: &Spec, parameters: &Map<String, Value>) -> Result<Spec> {
    let mut spec = spec.clone();
    for (name, value) in parameters {
        spec.set(name, value.clone())?;
    }
    Ok(spec)
}

fn try_all(
    arena: &Arena,
    prepared: &Prepared,
    candidates: &Candidates,
    options: &SearchOptions,
    context: &Context,
) -> Result<Report> {
    let data = prepared.table_data.data()?;
    let splits = arena.splits(&data, &options.split)?;
    let make = |parameters: &Map<String, Value>| -> Result<Box<dyn Learner>> {
        with(&prepared.spec, parameters)?.learner()
    };
    let run = context.run();
    let progress = context.bar(Some(n_folds(candidates, &splits, options)), "folds");
    let done = || progress.inc(1);
    let metrics = &options.split.metric;
    let mut report = Report {
        data: arena.name.clone(),
        method: match options.method {
            SearchMethod::Grid => "grid",
            SearchMethod::Random => "random",
            SearchMethod::Halving => "halving",
        },
        specification: String::new(),
        found: Search::new(),
        halving: None,
        nested: None,
        complete: true,
    };
    let outcome = match options.method {
        SearchMethod::Halving => {
            let mut halving = Halving::default();
            let factor = options.factor;
            let outcome = halving.judge(
                &make, candidates, &data, &splits, factor, metrics, &run, &done,
            );
            report.found = halving.rounds.last().cloned().unwrap_or_default();
            report.halving = Some(halving);
            outcome
        }
        _ => report
            .found
            .judge(&make, candidates, &data, &splits, metrics, &run, &done),
    };
    report.complete = unless_stopped(outcome, !report.found.trials.is_empty())?;
    report.found.settle()?;
    report.specification = with(&prepared.spec, &report.found.best_trial().parameters)?.to_string();
    if options.nested && report.complete {
        let inner = options.split.splitter(&data, false);
        let mut nested = Nested::default();
        let inner = (&inner, context.seed);
        let outcome = nested.judge(
            &make, candidates, &data, &splits, inner, metrics, &run, &done,
        );
        report.complete = unless_stopped(outcome, true)?;
        report.nested = Some(nested);
    }
    progress.finish_and_clear();
    Ok(report)
}

/// Whether the work was finished; being stopped is no fault where there is something to show.
fn unless_stopped(outcome: Result<()>, something: bool) -> Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(Error::Cancelled) if something => Ok(false),
        Err(error) => Err(error),
    }
}

/// What the progress bar counts.
fn n_folds(candidates: &Candidates, splits: &[Split], options: &SearchOptions) -> u64 {
    let once = match options.method {
        SearchMethod::Halving => halving_folds(candidates.len(), splits.len(), options.factor),
        _ => candidates.len() * splits.len(),
    };
    let nested = match options.nested {
        true => candidates.len() * splits.len() * options.split.folds,
        false => 0,
    };
    (once + nested) as u64
}

/// Fits the best on all rows and saves it, where that was asked for.
fn refit(
    spec: &Spec,
    arena: &Arena,
    options: &SearchOptions,
    context: &Context,
    output: &Output,
) -> Result<()> {
    let Some(path) = &options.out else {
        return Ok(());
    };
    let (run, bar): (Run, _) = context.run_with_bar("fitting the best");
    let mut trained = arena.job(spec.clone()).fit(arena.content.clone(), &run)?;
    bar.finish_and_clear();
    trained.header.data = Some(data_name(&options.fitting.table.data));
    trained.save(path)?;
    output.note(format!(
        "the best, fitted on all rows, is saved as {}",
        path.display()
    ));
    Ok(())
}

fn show(report: &Report, overs: &[Over], output: &Output) {
    let found = &report.found;
    output.line(format!(
        "{} tries on {} ({}), best first",
        found.trials.len(),
        report.data,
        report.method
    ));
    let mut headings: Vec<&str> = overs.iter().map(|over| over.name.as_str()).collect();
    let on_training = format!("{} in training", found.metric);
    headings.extend([found.metric, on_training.as_str(), "fit"]);
    let mut grid = Grid::new(&headings);
    for column in 0..headings.len() {
        grid = grid.right(column);
    }
    let ranking = found.ranking();
    for (rank, &place) in ranking.iter().take(ROWS_SHOWN).enumerate() {
        grid.row(trial_cells(&found.trials[place], overs, rank == 0));
    }
    output.table(grid);
    if ranking.len() > ROWS_SHOWN {
        let more = ranking.len() - ROWS_SHOWN;
        output.line(format!("… and {more} more; --json shows them all"));
    }
    if let Some(error) = found
        .trials
        .iter()
        .find_map(|trial| trial.test.as_ref().err())
    {
        let failed = found
            .trials
            .iter()
            .filter(|trial| trial.test.is_err())
            .count();
        output.note(format!("{failed} tries failed; the first because: {error}"));
    }
    output.line(format!("best: {}", report.specification));
    if let Some(Ok(spread)) = report.nested.as_ref().map(Nested::spread) {
        output.line(format!(
            "a search like this reaches {} {} ± {} on rows that it has not seen (nested cross-validation)",
            found.metric,
            short(spread.mean),
            short(spread.deviation)
        ));
    }
}

fn trial_cells(trial: &Trial, overs: &[Over], is_best: bool) -> Vec<Cell> {
    let cell = |text: String| match is_best {
        true => Cell::new(text).add_attribute(Attribute::Bold),
        false => Cell::new(text),
    };
    let mut cells: Vec<Cell> = overs
        .iter()
        .map(|over| cell(value_text(&trial.parameters[&over.name])))
        .collect();
    cells.push(cell(match &trial.test {
        Ok(spread) => format!("{} ± {}", short(spread.mean), short(spread.deviation)),
        Err(_) => "failed".to_owned(),
    }));
    cells.push(cell(
        trial
            .train
            .map_or(String::new(), |spread| short(spread.mean)),
    ));
    cells.push(Cell::new(duration(trial.fit_seconds)));
    cells
}
