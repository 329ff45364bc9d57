//! `didact compare`: cross-validates several methods on the same folds and ranks them.

mod candidates;
mod show;

use crate::arguments::CompareOptions;
use crate::input::{Loaded, built_in, load};
use crate::judging::{Arena, judge, test_to_train};
use crate::output::Output;
use crate::progress::Context;
use candidates::{Candidate, candidates};
use didact::evaluate::{self, Summary, compare_paired};
use didact::plot;
use didact::{Error, Result, datasets};
use serde::Serialize;

/// The built-in data that a comparison without data runs over.
const EVERYWHERE: [&str; 6] = [
    "iris",
    "wine",
    "breast-cancer",
    "penguins",
    "digits",
    "diabetes",
];

pub(crate) fn run(options: &CompareOptions, context: &Context, output: &Output) -> Result<()> {
    let Some(name) = &options.data else {
        return run_everywhere(options, context, output);
    };
    let loaded = load(name, &options.reading, &context.run(), output)?;
    let comparison = compare(loaded, options, context, output)?;
    if let Some(path) = &options.out {
        output.save_json(path, &comparison)?;
    }
    if let Some(path) = &options.plot {
        output.save_picture(path, &comparison.picture()?)?;
    }
    match output.json {
        true => output.json(&comparison)?,
        false => comparison.show(options.confidence, output),
    }
    stopped(comparison.complete, output)
}

fn run_everywhere(options: &CompareOptions, context: &Context, output: &Output) -> Result<()> {
    let mut comparisons = Vec::new();
    for name in EVERYWHERE {
        let loaded = built_in(datasets::load(name)?);
        match compare(loaded, options, context, output) {
            Ok(comparison) => comparisons.push(comparison),
            Err(Error::Cancelled) if !comparisons.is_empty() => break,
            Err(error) => return Err(error),
        }
        if comparisons.last().is_some_and(|last| !last.complete) {
            break;
        }
    }
    if let Some(path) = &options.out {
        output.save_json(path, &comparisons)?;
    }
    match output.json {
        true => output.json(&comparisons)?,
        false => show::side_by_side(&comparisons, output),
    }
    let all = comparisons.len() == EVERYWHERE.len();
    stopped(all && comparisons.iter().all(|one| one.complete), output)
}

fn stopped(complete: bool, output: &Output) -> Result<()> {
    if complete {
        return Ok(());
    }
    output.note("stopped before everything was judged; this is what there is");
    Err(Error::Cancelled)
}

/// How one method did.
#[derive(Serialize)]
struct Row {
    method: String,
    /// What was really fitted: preparation included.
    specification: String,
    figures: Vec<Summary>,
    /// The first figure in each fold.
    folds: Vec<f64>,
    fit_seconds: f64,
    /// The best method minus this one in the first figure, by the corrected paired test; nothing
    /// for the best itself.
    behind_the_best: Option<evaluate::Comparison>,
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
    /// Whether all methods were judged.
    complete: bool,
}

fn compare(
    loaded: Loaded,
    options: &CompareOptions,
    context: &Context,
    output: &Output,
) -> Result<Comparison> {
    let columns = (&options.roles, &options.encoding);
    let arena = Arena::new(loaded, columns, &options.split, context)?;
    if arena.roles.target.is_none() {
        return Err(Error::Specification(
            "a comparison needs to know what is to be predicted; name the column with --target"
                .into(),
        ));
    }
    let candidates = candidates(&options.specs, &arena)?;
    let folds = options.split.folds * options.split.repeats as usize;
    let progress = context.bar(Some((candidates.len() * folds) as u64), &arena.name);
    let mut comparison = Comparison {
        data: arena.name.clone(),
        rows: arena.content.n_rows(),
        columns: arena.n_columns(),
        folds,
        methods: Vec::new(),
        complete: true,
    };
    let mut overlap = 0.0;
    for candidate in candidates {
        progress.set_message(candidate.name.clone());
        match row(&candidate, &arena, options, context, &|| progress.inc(1)) {
            Ok((row, test_to_train)) => {
                comparison.folds = row.folds.len();
                comparison.methods.push(row);
                overlap = test_to_train;
            }
            Err(Error::Cancelled) => {
                comparison.complete = false;
                break;
            }
            Err(error @ (Error::Specification(_) | Error::Parameter { .. })) => return Err(error),
            Err(error) => comparison.methods.push(Row::failed(candidate, &error)),
        }
    }
    progress.finish_and_clear();
    comparison.settle(overlap, options.confidence)?;
    for row in &comparison.methods {
        if let Some(error) = &row.error {
            output.note(format!("{} on {}: {error}", row.method, comparison.data));
        }
    }
    Ok(comparison)
}

/// Judges one method on all folds; also tells how strongly training parts overlap.
fn row(
    candidate: &Candidate,
    arena: &Arena,
    options: &CompareOptions,
    context: &Context,
    done: &(dyn Fn() + Sync),
) -> Result<(Row, f64)> {
    let mut spec = candidate.spec.clone();
    spec.set_seed(context.seed)?;
    let prepared = arena.prepare(&spec)?;
    let splits = arena.splits(&prepared.table_data.data()?, &options.split)?;
    let judged = judge(&prepared, &splits, &options.split.scoring(), context, done)?;
    if !judged.complete {
        return Err(Error::Cancelled);
    }
    let figures = judged.result.summaries();
    let metric = figures.first().map_or("", |figure| figure.metric);
    let row = Row {
        method: candidate.name.clone(),
        specification: prepared.spec.to_string(),
        folds: judged.result.values(metric),
        figures,
        fit_seconds: judged.result.fit_seconds(),
        behind_the_best: None,
        error: None,
    };
    Ok((row, test_to_train(&splits)))
}

impl Row {
    fn failed(candidate: Candidate, error: &Error) -> Self {
        Row {
            method: candidate.name,
            specification: candidate.spec.to_string(),
            figures: Vec::new(),
            folds: Vec::new(),
            fit_seconds: 0.0,
            behind_the_best: None,
            error: Some(error.to_string()),
        }
    }

    /// The first figure, so that larger is better; methods that failed are last.
    fn rank(&self) -> f64 {
        let value = |figure: &Summary| match figure.higher_is_better {
            true => figure.mean,
            false => -figure.mean,
        };
        self.figures.first().map_or(f64::NEG_INFINITY, value)
    }
}

impl Comparison {
    /// Best first, and how far the others are behind.
    fn settle(&mut self, test_to_train: f64, confidence: f64) -> Result<()> {
        if self.methods.is_empty() {
            return Err(Error::Cancelled);
        }
        if let Some(reason) = self.reason_of_failure() {
            return Err(Error::Data(reason));
        }
        self.methods
            .sort_by(|left, right| right.rank().total_cmp(&left.rank()));
        let best = self.methods[0].folds.clone();
        for row in &mut self.methods[1..] {
            // One split has no spread, so there is nothing to test.
            row.behind_the_best = match best.len() {
                0 | 1 => None,
                _ if row.folds.len() != best.len() => None,
                _ => Some(compare_paired(
                    &best,
                    &row.folds,
                    test_to_train,
                    confidence,
                )?),
            };
        }
        Ok(())
    }

    /// The first message where every method failed.
    fn reason_of_failure(&self) -> Option<String> {
        match self.methods.iter().all(|row| row.error.is_some()) {
            true => self.methods.iter().find_map(|row| row.error.clone()),
            false => None,
        }
    }

    fn metric(&self) -> &str {
        let first = self.methods.first().and_then(|row| row.figures.first());
        first.map_or("score", |figure| figure.metric)
    }

    fn picture(&self) -> Result<plot::Picture> {
        let judged = self.methods.iter().filter(|row| row.error.is_none());
        let boxes: Vec<(&str, &[f64])> = judged
            .map(|row| (row.method.as_str(), row.folds.as_slice()))
            .collect();
        Ok(plot::cross_validation(&boxes, self.metric())?
            .titled(format!("Methods on {}", self.data)))
    }
}
