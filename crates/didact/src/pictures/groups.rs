//! Pictures of groups: how good they are and how many there should be.

use super::Subject;
use super::kind::array_of;
use crate::{CountChoice, CountCriterion, choose_count};
use didact_core::{Data, Error, Result, Run};
use didact_evaluate::{Noise, place_noise, silhouette_samples};
use didact_plot::Picture;
use ndarray::{Axis, Ix2};

/// Rows of which silhouettes are drawn; more are thinned evenly, because the time grows with
/// their square.
const ROWS: usize = 5_000;
/// Numbers of groups that are tried where nobody names them.
const COUNTS: std::ops::RangeInclusive<usize> = 1..=10;

pub(super) fn silhouette(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    let rows = subject.dense()?;
    let assign = subject.trained.model.as_assign();
    let assign = assign.ok_or_else(|| Error::unsupported("this model finds no groups"))?;
    let clusters = assign.assign(subject.rows()?)?;
    let (kept, groups) = place_noise(&clusters, Noise::Excluded);
    let count = kept.len().min(ROWS);
    let few: Vec<usize> = (0..count)
        .map(|row| row * kept.len() / count.max(1))
        .collect();
    let rows = rows.select(
        Axis(0),
        &few.iter().map(|&row| kept[row]).collect::<Vec<_>>(),
    );
    let groups: Vec<usize> = few.iter().map(|&row| groups[row]).collect();
    let values = silhouette_samples(rows.view(), &groups, run)?;
    let n_groups = groups.iter().max().map_or(0, |largest| largest + 1);
    let names: Vec<String> = (0..n_groups)
        .map(|group| format!("cluster {group}"))
        .collect();
    didact_plot::silhouette(&values, &groups, &names)
}

/// Judges every number of groups by the rule.
fn choice(subject: &Subject<'_, '_>, criterion: CountCriterion, run: &Run) -> Result<CountChoice> {
    let usual = subject.count_parameter().unwrap_or_default().to_owned();
    let (parameter, counts) = match subject.options.parameters.first() {
        Some((name, values)) => {
            let count = |value: &serde_json::Value| {
                let count = value.as_u64().filter(|count| *count > 0);
                count.map(|count| count as usize).ok_or_else(|| {
                    Error::parameter(name.as_str(), value, "it must be a whole number above zero")
                })
            };
            (
                name.clone(),
                values.iter().map(count).collect::<Result<Vec<_>>>()?,
            )
        }
        None => (usual, COUNTS.collect()),
    };
    let mut choice = CountChoice {
        parameter,
        criterion,
        trials: Vec::new(),
        chosen: None,
    };
    let spec = &subject.trained.header.specification;
    let data = subject.data()?;
    let result = match data {
        Data::Labelled(labelled) => {
            let rows = Data::Samples(labelled.samples.view());
            choose_count(spec, &counts, &rows, &[], &mut choice, run, &|| ())
        }
        other => choose_count(spec, &counts, other, &[], &mut choice, run, &|| ()),
    };
    match result {
        // A curve without a bend is still worth a look.
        Err(Error::Data(_)) if !choice.trials.is_empty() => Ok(choice),
        other => other.map(|()| choice),
    }
}

pub(super) fn elbow(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    let choice = choice(subject, CountCriterion::Elbow, run)?;
    count_picture(&choice)
}

pub(super) fn criteria(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    let choice = choice(subject, CountCriterion::Bic, run)?;
    count_picture(&choice)
}

/// The picture of a choice: the curve with its bend, or the criteria with their lowest points.
pub fn count_picture(choice: &CountChoice) -> Result<Picture> {
    let counts: Vec<f64> = choice
        .trials
        .iter()
        .map(|trial| trial.count as f64)
        .collect();
    let values = choice.values();
    let chosen = choice
        .trials
        .iter()
        .position(|trial| Some(trial.count) == choice.chosen);
    let criterion = |value: fn(&didact_evaluate::Criteria) -> Option<f64>| -> Vec<f64> {
        let number = |trial: &crate::CountTrial| trial.criteria.as_ref().and_then(value);
        choice
            .trials
            .iter()
            .map(|trial| number(trial).unwrap_or(f64::NAN))
            .collect()
    };
    match choice.criterion {
        CountCriterion::Elbow => didact_plot::elbow(
            &choice.parameter,
            &counts,
            "Sum of squares",
            &values,
            chosen,
        ),
        CountCriterion::Silhouette => {
            didact_plot::choice_curve(&choice.parameter, &counts, "Silhouette", &values, chosen)
        }
        CountCriterion::HeldOut => didact_plot::choice_curve(
            &choice.parameter,
            &counts,
            "Held-out log-likelihood",
            &values,
            chosen,
        ),
        _ => {
            let aic = criterion(|criteria| Some(criteria.aic));
            let aicc = criterion(|criteria| criteria.aicc);
            let bic = criterion(|criteria| Some(criteria.bic));
            let curves: [(&str, &[f64]); 3] = [("AIC", &aic), ("AICc", &aicc), ("BIC", &bic)];
            didact_plot::criteria(&choice.parameter, &counts, &curves)
        }
    }
}

pub(super) fn dendrogram(subject: &Subject<'_, '_>) -> Result<Picture> {
    let children = array_of(subject, "children").and_then(|a| a.into_dimensionality::<Ix2>().ok());
    let heights = array_of(subject, "distances");
    let (Some(children), Some(heights)) = (children, heights) else {
        return Err(Error::unsupported("this model has no tree of merges"));
    };
    let merges: Vec<(usize, usize, f64)> = children
        .rows()
        .into_iter()
        .zip(heights.iter())
        .map(|(pair, &height)| (pair[0] as usize, pair[1] as usize, height))
        .collect();
    let names: [&str; 0] = [];
    didact_plot::dendrogram(&merges, &names, None)
}
