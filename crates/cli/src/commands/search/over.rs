//! `--over NAME[=VALUES]`: which values a parameter takes.

use didact::evaluate::{Range, Space, range_from_schema};
use didact::{Error, Result, Spec, find, parse_value};
use serde_json::Value;

/// A parameter, its values, and how many of a range a grid takes.
pub(crate) struct Over {
    pub(crate) name: String,
    pub(crate) range: Range,
    steps: Option<usize>,
}

impl Over {
    /// Reads what stands behind `--over`.
    pub(crate) fn parse(text: &str, spec: &Spec) -> Result<Self> {
        let (name, values) = match text.split_once('=') {
            Some((name, values)) => (name.trim(), Some(values.trim())),
            None => (text.trim(), None),
        };
        let (schema, parameter) = schema_of(spec, name)?;
        // An unknown parameter is refused with the list of those that there are.
        let usual = match (range_from_schema(schema, parameter), values) {
            (Err(error @ Error::Specification(_)), _) | (Err(error), None) => return Err(error),
            (usual, _) => usual.ok(),
        };
        let (range, steps) = match (values, usual) {
            (Some(values), _) => parse_values(text, values, &schema["properties"][parameter])?,
            (None, Some(usual)) => (usual, None),
            (None, None) => return Err(fault(text)),
        };
        Ok(Over {
            name: name.to_owned(),
            range,
            steps,
        })
    }

    /// The values that a grid takes.
    pub(crate) fn choices(&self, steps: usize) -> Result<Vec<Value>> {
        self.range.steps(self.steps.unwrap_or(steps))
    }
}

/// The space that the options span; a grid lists the values of ranges.
pub(crate) fn space(overs: &[Over], listed: Option<usize>) -> Result<Space> {
    let mut space = Space::new();
    for over in overs {
        let range = match listed {
            Some(steps) => Range::Choices(over.choices(steps)?),
            None => over.range.clone(),
        };
        space = space.with(over.name.clone(), range);
    }
    Ok(space)
}

/// The schema of the step that a parameter belongs to, and the parameter's own name.
fn schema_of<'a>(spec: &Spec, name: &'a str) -> Result<(&'static Value, &'a str)> {
    let (step, parameter) = match name.split_once('.') {
        Some((algorithm, parameter)) => {
            let step = spec.steps.iter().find(|step| step.algorithm == algorithm);
            (step, parameter)
        }
        None => (spec.steps.last(), name),
    };
    let step = step.ok_or_else(|| {
        let steps: Vec<&str> = spec
            .steps
            .iter()
            .map(|step| step.algorithm.as_str())
            .collect();
        Error::parameter(
            "--over",
            name,
            format!("it must name a step before the dot: {}", steps.join(", ")),
        )
    })?;
    Ok((&find(&step.algorithm)?.schema, parameter))
}

fn fault(text: &str) -> Error {
    Error::parameter(
        "--over",
        text,
        "it must read NAME, NAME=LOW..HIGH [log] [N] or NAME=A,B,C",
    )
}

fn parse_values(text: &str, values: &str, property: &Value) -> Result<(Range, Option<usize>)> {
    if values.starts_with('[') {
        let list = parse_value(values);
        let list = list.as_array().ok_or_else(|| fault(text))?;
        return Ok((Range::Choices(list.clone()), None));
    }
    let Some((low, rest)) = values.split_once("..") else {
        let list = values.split(',').map(parse_value).collect();
        return Ok((Range::Choices(list), None));
    };
    let mut words = rest.split_whitespace();
    let number = |text_of_number: Option<&str>| {
        let number = text_of_number.and_then(|word| word.trim().parse::<f64>().ok());
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| fault(text))
    };
    let (low, high) = (number(Some(low))?, number(words.next())?);
    let (mut logarithmic, mut steps) = (false, None);
    for word in words {
        match word.parse::<usize>() {
            Ok(count) if count > 0 && steps.is_none() => steps = Some(count),
            _ if word == "log" && !logarithmic => logarithmic = true,
            _ => return Err(fault(text)),
        }
    }
    let range = match (is_whole(property), logarithmic) {
        (true, false) => Range::Whole {
            low: low as i64,
            high: high as i64,
        },
        (true, true) => return Ok((whole_logarithmic(low, high, steps)?, None)),
        (false, false) => Range::Linear { low, high },
        (false, true) => Range::Logarithmic { low, high },
    };
    Ok((range, steps))
}

/// Whether the parameter takes whole numbers only.
fn is_whole(property: &Value) -> bool {
    let has = |kind: &str| match &property["type"] {
        Value::String(one) => one == kind,
        Value::Array(many) => many.iter().any(|one| one == kind),
        _ => false,
    };
    has("integer") && !has("number")
}

/// Whole numbers that are about evenly spaced in their logarithm.
fn whole_logarithmic(low: f64, high: f64, steps: Option<usize>) -> Result<Range> {
    let values = Range::Logarithmic { low, high }.steps(steps.unwrap_or(5))?;
    let mut whole: Vec<i64> = values
        .iter()
        .map(|value| value.as_f64().unwrap_or(low).round() as i64)
        .collect();
    whole.dedup();
    Ok(Range::Choices(whole.into_iter().map(Value::from).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(text: &str, spec: &str) -> Result<Vec<Value>> {
        Over::parse(text, &spec.parse()?)?.choices(3)
    }

    #[test]
    fn ranges_lists_and_names_are_read() {
        let found = choices("alpha=0.01..100 log 5", "ridge").unwrap();
        let numbers: Vec<f64> = found.iter().map(|value| value.as_f64().unwrap()).collect();
        for (number, expected) in numbers.iter().zip([0.01, 0.1, 1.0, 10.0, 100.0]) {
            assert!((number / expected - 1.0).abs() < 1e-12);
        }
        let halves = [Value::from(0.0), Value::from(0.5), Value::from(1.0)];
        assert_eq!(
            choices("ridge.alpha=0..1", "standard-scaler | ridge").unwrap(),
            halves
        );
        let neighbors = choices("n_neighbors=1..100 log 3", "k-neighbors").unwrap();
        assert_eq!(neighbors, [1, 10, 100].map(Value::from));
        assert_eq!(
            choices("n_neighbors=1..5", "k-neighbors").unwrap(),
            [1, 3, 5].map(Value::from)
        );
        let words = choices("weights=uniform,distance", "k-neighbors").unwrap();
        assert_eq!(words, ["uniform", "distance"].map(Value::from));
        assert_eq!(
            choices("alpha=[1, 2]", "ridge").unwrap(),
            [1, 2].map(Value::from)
        );
        // Around the default of 1, a hundredth to a hundredfold.
        let usual = choices("alpha", "ridge").unwrap();
        assert_eq!(
            (&usual[0], &usual[2]),
            (&Value::from(0.01), &Value::from(100.0))
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused_in_words() {
        for text in [
            "alpha=1..",
            "alpha=a..b",
            "alpha=1..2 3 4",
            "alpha=1..2 lin",
            "alpha=[1",
        ] {
            let message = choices(text, "ridge").unwrap_err().to_string();
            assert!(message.contains("--over is"), "{message}");
        }
        let message = choices("alhpa=1..2", "ridge").unwrap_err().to_string();
        assert!(message.contains("there are"), "{message}");
        let message = choices("pca.k=1..2", "ridge").unwrap_err().to_string();
        assert!(message.contains("ridge"), "{message}");
    }
}
