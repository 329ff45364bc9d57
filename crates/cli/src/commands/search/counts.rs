//! `didact search … --criterion`: how many groups there are.

use super::over::Over;
use super::refit;
use crate::arguments::{Rule, SearchOptions};
use crate::judging::{Arena, short};
use crate::output::{Grid, Output};
use crate::progress::Context;
use comfy_table::{Attribute, Cell};
use didact::core::{Data, Run};
use didact::evaluate::Split;
use didact::pictures::count_picture;
use didact::{
    CountChoice, CountCriterion, CountTrial, Error, Prepared, Result, Spec, choose_count,
    count_parameter,
};
use serde_json::json;

/// The numbers that are tried where nobody names them.
const USUAL: std::ops::RangeInclusive<usize> = 1..=10;

pub(super) fn run(
    rule: Rule,
    arena: &Arena,
    prepared: &Prepared,
    options: &SearchOptions,
    context: &Context,
    output: &Output,
) -> Result<()> {
    let (parameter, counts) = counts(&prepared.spec, options)?;
    let data = prepared.table_data.data()?;
    let splits = arena.splits(&data, &options.split)?;
    let progress = context.bar(Some(counts.len() as u64), "numbers");
    let mut choice = CountChoice {
        parameter,
        criterion: rule.into(),
        trials: Vec::new(),
        chosen: None,
    };
    let found = judge(
        (&prepared.spec, &counts),
        (&data, &splits),
        &mut choice,
        &context.run(),
        &|| progress.inc(1),
    );
    progress.finish_and_clear();
    let complete = match found {
        Err(Error::Cancelled) if !choice.trials.is_empty() => false,
        other => other.map(|()| true)?,
    };
    if let Some(path) = &options.plot {
        output.save_picture(path, &count_picture(&choice)?)?;
    }
    let mut spec = prepared.spec.clone();
    if let Some(count) = choice.chosen {
        spec.set(&choice.parameter, count.into())?;
    }
    match output.json {
        true => output.json(&json!({
            "data": arena.name,
            "specification": spec.to_string(),
            "choice": choice,
            "complete": complete,
        }))?,
        false => show(&choice, &spec, arena, output),
    }
    if !complete {
        output.note("stopped before all numbers were tried; this is what there is");
        return Err(Error::Cancelled);
    }
    refit(&spec, arena, options, context, output)
}

fn judge(
    (spec, counts): (&Spec, &[usize]),
    (data, splits): (&Data<'_>, &[Split]),
    choice: &mut CountChoice,
    run: &Run,
    done: &dyn Fn(),
) -> Result<()> {
    // Groups are found without the answers, even where these are known.
    let samples = match data {
        Data::Labelled(labelled) => labelled.samples.view(),
        Data::Measured(measured) => measured.samples.view(),
        other => return choose_count(spec, counts, other, splits, choice, run, done),
    };
    let rows = Data::Samples(samples);
    choose_count(spec, counts, &rows, splits, choice, run, done)
}

fn counts(spec: &Spec, options: &SearchOptions) -> Result<(String, Vec<usize>)> {
    let usual = count_parameter(spec)?;
    match options.over.as_slice() {
        [] => Ok((usual.to_owned(), USUAL.collect())),
        [only] => {
            let over = Over::parse(only, spec)?;
            let values = over.choices(1000)?;
            let count = |value: &serde_json::Value| {
                let count = value.as_u64().filter(|count| *count > 0);
                count.map(|count| count as usize).ok_or_else(|| {
                    Error::parameter("--over", only, "it must give whole numbers above zero")
                })
            };
            let counts = values.iter().map(count).collect::<Result<_>>()?;
            Ok((over.name, counts))
        }
        _ => Err(Error::Specification(
            "a criterion chooses one number; give --over once, or leave it out".into(),
        )),
    }
}

impl From<Rule> for CountCriterion {
    fn from(rule: Rule) -> Self {
        match rule {
            Rule::Elbow => CountCriterion::Elbow,
            Rule::Silhouette => CountCriterion::Silhouette,
            Rule::Aic => CountCriterion::Aic,
            Rule::Aicc => CountCriterion::Aicc,
            Rule::Bic => CountCriterion::Bic,
            Rule::HeldOut => CountCriterion::HeldOut,
        }
    }
}

type Column = (&'static str, fn(&CountTrial) -> Option<f64>);

const COLUMNS: [Column; 6] = [
    ("sum of squares", |trial| trial.sse),
    ("silhouette", |trial| trial.silhouette),
    ("AIC", |trial| trial.criteria.map(|criteria| criteria.aic)),
    ("AICc", |trial| {
        trial.criteria.and_then(|criteria| criteria.aicc)
    }),
    ("BIC", |trial| trial.criteria.map(|criteria| criteria.bic)),
    ("held-out log-likelihood", |trial| {
        trial.held_out.map(|spread| spread.mean)
    }),
];

fn show(choice: &CountChoice, spec: &Spec, arena: &Arena, output: &Output) {
    output.line(format!("{} on {}", choice.parameter, arena.name));
    let there: Vec<&Column> = COLUMNS
        .iter()
        .filter(|(_, value)| choice.trials.iter().any(|trial| value(trial).is_some()))
        .collect();
    let mut headings = vec![choice.parameter.as_str()];
    headings.extend(there.iter().map(|(name, _)| *name));
    let mut grid = Grid::new(&headings);
    for column in 0..headings.len() {
        grid = grid.right(column);
    }
    for trial in &choice.trials {
        let is_chosen = choice.chosen == Some(trial.count);
        let cell = |text: String| match is_chosen {
            true => Cell::new(text).add_attribute(Attribute::Bold),
            false => Cell::new(text),
        };
        let star = if is_chosen { "★ " } else { "" };
        let mut cells = vec![cell(format!("{star}{}", trial.count))];
        cells.extend(
            there
                .iter()
                .map(|(_, value)| cell(value(trial).map_or(String::new(), short))),
        );
        grid.row(cells);
    }
    output.table(grid);
    if choice.chosen.is_some() {
        output.line(format!("best: {spec}"));
    }
}
