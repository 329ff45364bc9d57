//! Pictures of figures over folds: as rows grow, as parameters change, beside the baseline.

use super::Subject;
use crate::{Spec, find};
use didact_core::{Error, Learner, Result, Run};
use didact_evaluate::{
    Curve, CurvePoint, Scoring, Search, Spread, Trial, cross_validate_by, learning_curve as learn,
    range_from_schema,
};
use didact_plot::{GridAxis, Picture};
use ndarray::Array2;
use serde_json::{Map, Value};

/// Shares of the training rows at which a learning curve is judged.
const SHARES: [f64; 6] = [0.1, 0.2, 0.4, 0.6, 0.8, 1.0];
/// Values of a range that nobody listed.
const STEPS: usize = 7;

/// The learning curve of the specification.
pub(crate) fn growth(subject: &Subject<'_, '_>, run: &Run) -> Result<Curve> {
    let learner = subject.trained.header.specification.learner()?;
    let (data, folds) = (subject.data()?, subject.folds()?);
    let mut shares = SHARES.to_vec();
    loop {
        match learn(learner.as_ref(), data, &folds, &shares, run) {
            // Too few rows to learn from at all: start further up.
            Err(Error::Data(_)) if shares.len() > 2 => {
                shares.remove(0);
            }
            other => return other,
        }
    }
}

pub(super) fn learning_curve(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    growth_picture(&growth(subject, run)?)
}

pub(crate) fn growth_picture(curve: &Curve) -> Result<Picture> {
    let sizes: Vec<f64> = curve
        .points
        .iter()
        .map(|point| point.at.as_f64().unwrap_or(f64::NAN))
        .collect();
    let table = |spread: fn(&CurvePoint) -> Spread| {
        let ends: Vec<[f64; 2]> = curve
            .points
            .iter()
            .map(|point| ends(&spread(point)))
            .collect();
        Array2::from(ends)
    };
    let (training, test) = (table(|point| point.train), table(|point| point.test));
    didact_plot::learning_curve(&sizes, training.view(), test.view(), curve.metric)
}

/// Two values whose mean and deviation are those of the spread.
fn ends(spread: &Spread) -> [f64; 2] {
    [
        spread.mean - spread.deviation,
        spread.mean + spread.deviation,
    ]
}

/// The specification with some parameters set.
fn with(spec: &Spec, parameters: &Map<String, Value>) -> Result<Box<dyn Learner>> {
    let mut spec = spec.clone();
    for (name, value) in parameters {
        spec.set(name, value.clone())?;
    }
    spec.learner()
}

/// Judges every combination of the parameters that vary.
fn search(
    subject: &Subject<'_, '_>,
    parameters: &[(String, Vec<Value>)],
    run: &Run,
) -> Result<Search> {
    let spec = &subject.trained.header.specification;
    let mut candidates = vec![Map::new()];
    for (name, values) in parameters {
        let values = match values.is_empty() {
            true => &usual_values(spec, name)?,
            false => values,
        };
        let longer = |candidate: &Map<String, Value>| {
            let with = |value: &Value| {
                let mut longer = candidate.clone();
                longer.insert(name.clone(), value.clone());
                longer
            };
            values.iter().map(with).collect::<Vec<_>>()
        };
        candidates = candidates.iter().flat_map(longer).collect();
    }
    let mut found = Search::new();
    let (data, folds) = (subject.data()?, subject.folds()?);
    let make = |parameters: &Map<String, Value>| with(spec, parameters);
    found.judge(
        &make,
        &candidates,
        data,
        &folds,
        &subject.metrics(),
        run,
        &|| (),
    )?;
    found.settle()?;
    Ok(found)
}

pub(super) fn validation_curve(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    let parameters = match subject.options.parameters.as_slice() {
        [] => vec![usual(&subject.trained.header.specification)?],
        [one] => vec![one.clone()],
        _ => {
            return Err(Error::Specification(
                "a validation curve varies one parameter; heat-map shows two".into(),
            ));
        }
    };
    search_curve(&search(subject, &parameters, run)?, &parameters[0].0)
}

/// Values of a parameter of the last step over its usual range.
fn usual_values(spec: &Spec, name: &str) -> Result<Vec<Value>> {
    let last = spec.steps.last().map_or("", |step| step.algorithm.as_str());
    range_from_schema(&find(last)?.schema, name)?.steps(STEPS)
}

/// The first real parameter of the last step, over its usual range.
fn usual(spec: &Spec) -> Result<(String, Vec<Value>)> {
    let last = spec.steps.last().map_or("", |step| step.algorithm.as_str());
    let schema = &find(last)?.schema;
    let properties = schema["properties"].as_object();
    let numbers = properties.into_iter().flatten().filter(|(name, property)| {
        let number = ["number", "integer"]
            .iter()
            .any(|kind| property["type"] == **kind);
        let technical = ["random_state", "max_iter", "tol", "n_init"].contains(&name.as_str());
        number && !technical
    });
    for (name, _) in numbers {
        if let Ok(range) = range_from_schema(schema, name) {
            return Ok((name.clone(), range.steps(STEPS)?));
        }
    }
    Err(Error::Specification(format!(
        "{last} has no parameter with a usual range; name one and its values"
    )))
}

pub(super) fn heat_map(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    let [rows, columns] = subject.options.parameters.as_slice() else {
        return Err(Error::Specification(
            "a heat map varies two parameters; name both and their values".into(),
        ));
    };
    let parameters = [rows.clone(), columns.clone()];
    search_map(&search(subject, &parameters, run)?, &rows.0, &columns.0)
}

pub(super) fn cross_validation(subject: &Subject<'_, '_>, run: &Run) -> Result<Picture> {
    let (data, folds) = (subject.data()?, subject.folds()?);
    let scoring = Scoring {
        metrics: subject.metrics(),
        on_training: false,
    };
    let judge = |spec: &Spec| {
        let learner = spec.learner()?;
        cross_validate_by(learner.as_ref(), data, &folds, &scoring, run, &|_, _| ())
    };
    let own = judge(&subject.trained.header.specification)?;
    let metric = own.summaries().first().map_or("", |figure| figure.metric);
    let (values, mut baseline) = (own.values(metric), Vec::new());
    if didact_evaluate::has_targets(data.kind()) {
        // A figure that suits the method need not suit the baseline.
        baseline = judge(&Spec::of("baseline")).map_or(Vec::new(), |found| found.values(metric));
        run.check()?;
    }
    let mut boxes = vec![(subject.name(), values.as_slice())];
    if !baseline.is_empty() {
        boxes.push(("baseline", baseline.as_slice()));
    }
    didact_plot::cross_validation(&boxes, metric)
}

/// A value as axes show it.
fn value_text(value: &Value) -> String {
    match (value.as_i64(), value.as_f64(), value) {
        (None, Some(real), _) => {
            let rounded: f64 = format!("{real:.3e}").parse().unwrap_or(real);
            // Ten zeros in a row are not read by anybody.
            match rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
                true => rounded.to_string(),
                false => format!("{rounded:e}"),
            }
        }
        (_, _, Value::String(word)) => word.clone(),
        _ => value.to_string(),
    }
}

/// Training and test figures of a search along one parameter of numbers.
pub fn search_curve(found: &Search, parameter: &str) -> Result<Picture> {
    let mut points: Vec<(f64, usize)> = Vec::new();
    for (place, trial) in found.trials.iter().enumerate() {
        let value = trial.parameters.get(parameter).and_then(Value::as_f64);
        let value = value.ok_or_else(|| {
            Error::Specification(format!(
                "the values of {parameter} are no numbers; a picture of words needs a second parameter"
            ))
        })?;
        if trial.test.is_ok() {
            points.push((value, place));
        }
    }
    points.sort_by(|left, right| left.0.total_cmp(&right.0));
    let values: Vec<f64> = points.iter().map(|point| point.0).collect();
    let table = |spread: fn(&Trial) -> Option<Spread>| {
        let rows: Vec<[f64; 2]> = points
            .iter()
            .map(|point| {
                spread(&found.trials[point.1]).map_or([f64::NAN; 2], |spread| ends(&spread))
            })
            .collect();
        Array2::from(rows)
    };
    let training = table(|trial| trial.train);
    let test = table(|trial| trial.test.as_ref().ok().copied());
    let chosen = points.iter().position(|point| point.1 == found.best);
    didact_plot::validation_curve(
        parameter,
        &values,
        training.view(),
        test.view(),
        found.metric,
        chosen,
    )
}

/// The mean test figure of every combination of two parameters of a search.
pub fn search_map(found: &Search, rows: &str, columns: &str) -> Result<Picture> {
    let missing = || Error::Specification("the search did not vary both parameters".into());
    let values = |name: &str| -> Result<Vec<Value>> {
        let mut list: Vec<Value> = Vec::new();
        for trial in &found.trials {
            let value = trial.parameters.get(name).ok_or_else(missing)?;
            if !list.contains(value) {
                list.push(value.clone());
            }
        }
        Ok(list)
    };
    let (down, across) = (values(rows)?, values(columns)?);
    let mut scores = Array2::from_elem((down.len(), across.len()), f64::NAN);
    for trial in &found.trials {
        let place = |list: &[Value], name: &str| {
            let value = trial.parameters.get(name)?;
            list.iter().position(|known| known == value)
        };
        if let (Some(row), Some(column), Ok(spread)) =
            (place(&down, rows), place(&across, columns), &trial.test)
        {
            scores[[row, column]] = spread.mean;
        }
    }
    let texts = |list: &[Value]| list.iter().map(value_text).collect::<Vec<_>>();
    didact_plot::grid_search(
        GridAxis {
            name: rows,
            values: &texts(&down),
        },
        GridAxis {
            name: columns,
            values: &texts(&across),
        },
        scores.view(),
        found.metric,
        found.higher_is_better,
    )
}

#[cfg(test)]
mod tests {
    use super::value_text;
    use serde_json::json;

    #[test]
    fn tiny_and_huge_values_are_powers_of_ten() {
        let texts = [
            (json!(1e-10), "1e-10"),
            (json!(2.15443469e7), "2.154e7"),
            (json!(0.0), "0"),
            (json!(0.001), "0.001"),
            (json!(100.0), "100"),
            (json!(7), "7"),
            (json!("rbf"), "rbf"),
        ];
        for (value, text) in texts {
            assert_eq!(value_text(&value), text);
        }
    }
}
