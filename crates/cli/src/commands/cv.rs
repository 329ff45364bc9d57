//! `didact cv SPEC --data …`: cross-validation of one method beside the baseline.

use crate::arguments::CvOptions;
use crate::judging::{Arena, Judged, in_words, judge, p_value, short, test_to_train};
use crate::output::{Grid, Output, duration};
use crate::progress::Context;
use comfy_table::{Attribute, Cell};
use didact::evaluate::{Comparison, Fold, Split, Splitter, Summary, compare_paired, has_targets};
use didact::plot::{self, Picture};
use didact::{Error, Prepared, Result, Spec};
use serde::Serialize;

/// How sure the interval of the difference to the baseline is.
const CONFIDENCE: f64 = 0.95;

/// Everything that the folds showed.
#[derive(Serialize)]
struct Report {
    data: String,
    /// What was really fitted: preparation included.
    specification: String,
    rows: usize,
    columns: usize,
    splitter: Splitter,
    folds: Vec<FoldReport>,
    summaries: Vec<Summary>,
    fit_seconds: f64,
    score_seconds: f64,
    /// What one gets without looking at the features; nothing where there is no target.
    baseline: Option<BaselineReport>,
    /// Whether all folds are there.
    complete: bool,
}

#[derive(Serialize)]
struct FoldReport {
    fold: usize,
    train_rows: usize,
    test_rows: usize,
    #[serde(flatten)]
    found: Fold,
}

#[derive(Serialize)]
struct BaselineReport {
    summaries: Vec<Summary>,
    /// The method minus the baseline in the first figure, by the corrected paired test.
    difference: Option<Comparison>,
    #[serde(skip)]
    values: Vec<f64>,
}

pub(crate) fn run(options: &CvOptions, context: &Context, output: &Output) -> Result<()> {
    let (arena, prepared) = Arena::open(&options.fitting, &options.split, context, output)?;
    let data = prepared.table_data.data()?;
    let splits = arena.splits(&data, &options.split)?;
    let scoring = options.split.scoring();
    let progress = context.bar(Some(splits.len() as u64), "folds");
    let judged = judge(&prepared, &splits, &scoring, context, &|| progress.inc(1))?;
    progress.finish_and_clear();
    if judged.numbers.is_empty() {
        return Err(Error::Cancelled);
    }
    let baseline = match judged.complete && has_targets(data.kind()) {
        true => beside(&arena, &judged, &splits, options, context)?,
        false => None,
    };
    let report = Report {
        data: arena.name.clone(),
        specification: prepared.spec.to_string(),
        rows: arena.content.n_rows(),
        columns: arena.n_columns(),
        splitter: options
            .split
            .splitter(&data, options.split.groups.is_some()),
        folds: fold_reports(&judged, &splits),
        summaries: judged.result.summaries(),
        fit_seconds: judged.result.fit_seconds(),
        score_seconds: judged.result.score_seconds(),
        baseline,
        complete: judged.complete,
    };
    finish(&report, &judged, &prepared, options, output)
}

fn finish(
    report: &Report,
    judged: &Judged,
    prepared: &Prepared,
    options: &CvOptions,
    output: &Output,
) -> Result<()> {
    if let Some(path) = &options.out {
        output.save_json(path, report)?;
    }
    if let Some(path) = &options.plot {
        output.save_picture(path, &boxes(report, judged, prepared)?)?;
    }
    match output.json {
        true => output.json(report)?,
        false => show(report, output),
    }
    match report.complete {
        true => Ok(()),
        false => Err(Error::Cancelled),
    }
}

fn fold_reports(judged: &Judged, splits: &[Split]) -> Vec<FoldReport> {
    let folds = judged.numbers.iter().zip(&judged.result.folds);
    folds
        .map(|(&number, found)| FoldReport {
            fold: number + 1,
            train_rows: splits[number].train.len(),
            test_rows: splits[number].test.len(),
            found: found.clone(),
        })
        .collect()
}

/// The baseline on the same splits; nothing where it cannot learn from such data.
fn beside(
    arena: &Arena,
    judged: &Judged,
    splits: &[Split],
    options: &CvOptions,
    context: &Context,
) -> Result<Option<BaselineReport>> {
    let Ok(prepared) = arena.prepare(&Spec::of("baseline")) else {
        return Ok(None);
    };
    let found = match judge(&prepared, splits, &options.split.scoring(), context, &|| ()) {
        Ok(found) if found.complete => found,
        Ok(_) => return Err(Error::Cancelled),
        // A figure that suits the method need not suit the baseline.
        Err(_) => return Ok(None),
    };
    let summaries = found.result.summaries();
    let first = judged
        .result
        .summaries()
        .first()
        .map(|figure| figure.metric);
    let Some(metric) = first else {
        return Ok(None);
    };
    let values = found.result.values(metric);
    let own = judged.result.values(metric);
    let difference = compare_paired(&own, &values, test_to_train(splits), CONFIDENCE).ok();
    Ok(Some(BaselineReport {
        summaries,
        difference,
        values,
    }))
}

fn boxes(report: &Report, judged: &Judged, prepared: &Prepared) -> Result<Picture> {
    let metric = report.summaries.first().map_or("", |figure| figure.metric);
    let name = prepared
        .spec
        .steps
        .last()
        .map_or("", |step| step.algorithm.as_str());
    let values = judged.result.values(metric);
    let mut models = vec![(name, values.as_slice())];
    if let Some(baseline) = &report.baseline {
        models.push(("baseline", baseline.values.as_slice()));
    }
    Ok(plot::cross_validation(&models, metric)?.titled(format!("{name} on {}", report.data)))
}

/// A line of the summary and the number that it shows.
type SummaryRow = (&'static str, fn(&Summary) -> f64);

fn show(report: &Report, output: &Output) {
    output.line(format!(
        "{} on {}: {} rows × {} columns, {}",
        report.specification,
        report.data,
        report.rows,
        report.columns,
        in_words(&report.splitter, report.folds.len()),
    ));
    let names: Vec<&str> = report.summaries.iter().map(|one| one.metric).collect();
    let mut headings = vec!["fold", "train", "test"];
    headings.extend(&names);
    headings.extend(["fit", "score"]);
    let mut grid = Grid::new(&headings);
    for column in 1..headings.len() {
        grid = grid.right(column);
    }
    for fold in &report.folds {
        let mut cells = vec![
            fold.fold.to_string(),
            fold.train_rows.to_string(),
            fold.test_rows.to_string(),
        ];
        cells.extend(fold.found.figures.iter().map(|figure| short(figure.value)));
        cells.push(duration(fold.found.fit_seconds));
        cells.push(duration(fold.found.score_seconds));
        grid.row(cells);
    }
    let ends = [duration(report.fit_seconds), duration(report.score_seconds)];
    summary_row(&mut grid, "mean", &report.summaries, |one| one.mean, ends);
    let rows: [SummaryRow; 6] = [
        ("spread", |one| one.spread),
        ("least", |one| one.least),
        ("lower quartile", |one| one.lower_quartile),
        ("median", |one| one.median),
        ("upper quartile", |one| one.upper_quartile),
        ("largest", |one| one.largest),
    ];
    for (name, value) in rows {
        summary_row(
            &mut grid,
            name,
            &report.summaries,
            value,
            Default::default(),
        );
    }
    if let Some(baseline) = &report.baseline {
        summary_row(
            &mut grid,
            "baseline",
            &baseline.summaries,
            |one| one.mean,
            Default::default(),
        );
    }
    output.table(grid);
    if let Some(sentence) = verdict(report) {
        output.line(sentence);
    }
    if !report.complete {
        output.note("stopped before all folds were judged; this is what there is");
    }
}

fn summary_row(
    grid: &mut Grid,
    name: &str,
    summaries: &[Summary],
    value: impl Fn(&Summary) -> f64,
    ends: [String; 2],
) {
    let bold = name == "mean";
    let cell = |text: String| match bold {
        true => Cell::new(text).add_attribute(Attribute::Bold),
        false => Cell::new(text),
    };
    let mut cells = vec![
        cell(name.to_owned()),
        cell(String::new()),
        cell(String::new()),
    ];
    cells.extend(summaries.iter().map(|one| cell(short(value(one)))));
    cells.extend(ends.map(cell));
    grid.row(cells);
}

/// Whether the method is better than looking at nothing.
fn verdict(report: &Report) -> Option<String> {
    let difference = report.baseline.as_ref()?.difference?;
    let metric = report.summaries.first()?;
    let gain = if metric.higher_is_better { 1.0 } else { -1.0 } * difference.mean;
    let (low, high) = difference.interval;
    let certain = difference.p_value < 1.0 - CONFIDENCE;
    let words = match (certain, gain > 0.0) {
        (true, true) => "better than the baseline",
        (true, false) => "worse than the baseline",
        (false, _) => "not told apart from the baseline",
    };
    Some(format!(
        "{} {} ± {}: {words}; the difference is {} (95 % from {} to {}, {})",
        metric.metric,
        short(metric.mean),
        short(metric.spread),
        short(difference.mean),
        short(low),
        short(high),
        p_value(difference.p_value),
    ))
}
