//! Specifications: algorithms and pipelines as text, `standard-scaler | pca(n_components=2)`.

use crate::catalogue;
use crate::pipeline::Pipeline;
use didact_core::{Error, Learner, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// One algorithm with the parameters that differ from their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The id in the catalogue.
    pub algorithm: String,
    /// Parameters by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
}

/// One algorithm, or several in a row of which all but the last transform.
///
/// ```
/// use didact::Spec;
/// let spec: Spec = "standard-scaler | pca(n_components=2) | ridge(alpha=0.5)".parse()?;
/// assert_eq!(spec.steps.len(), 3);
/// assert_eq!(spec.to_string(), "standard-scaler | pca(n_components=2) | ridge(alpha=0.5)");
/// # Ok::<(), didact::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// The steps in order.
    pub steps: Vec<Step>,
}

impl Spec {
    /// A single algorithm with its default parameters.
    pub fn of(algorithm: &str) -> Self {
        Spec {
            steps: vec![Step {
                algorithm: algorithm.to_owned(),
                parameters: Map::new(),
            }],
        }
    }

    /// Sets a parameter of the last step, or of the step named before a dot: `pca.n_components`.
    pub fn set(&mut self, key: &str, value: Value) -> Result<()> {
        let step = match key.split_once('.') {
            Some((algorithm, _)) => self
                .steps
                .iter_mut()
                .find(|step| step.algorithm == algorithm),
            None => self.steps.last_mut(),
        };
        let name = key.split_once('.').map_or(key, |(_, name)| name);
        let step = step.ok_or_else(|| {
            Error::Specification(format!(
                "{key} names no step of the pipeline; write step.parameter"
            ))
        })?;
        step.parameters.insert(name.to_owned(), value);
        Ok(())
    }

    /// Gives every step that draws random numbers this seed, unless it has one already.
    pub fn set_seed(&mut self, seed: u64) -> Result<()> {
        for step in &mut self.steps {
            let entry = catalogue::find(&step.algorithm)?;
            let random = entry.schema["properties"].get("random_state").is_some();
            if seed != 0 && random && !step.parameters.contains_key("random_state") {
                step.parameters
                    .insert("random_state".to_owned(), seed.into());
            }
        }
        Ok(())
    }

    /// The algorithm or pipeline, with all parameters checked.
    pub fn learner(&self) -> Result<Box<dyn Learner>> {
        let mut learners = self
            .steps
            .iter()
            .map(|step| catalogue::find(&step.algorithm)?.learner(&step.parameters))
            .collect::<Result<Vec<_>>>()?;
        match learners.len() {
            0 => Err(Error::Specification(
                "the specification is empty; name an algorithm".into(),
            )),
            1 => Ok(learners.remove(0)),
            _ => Ok(Box::new(Pipeline::new(learners)?)),
        }
    }
}

/// Reads a value the way a user writes it: JSON where it is JSON, else a word.
pub fn parse_value(text: &str) -> Value {
    let text = text.trim();
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim_start().starts_with(['{', '[']) {
            return serde_json::from_str(text).map_err(|error| {
                Error::Specification(format!("the specification is no valid JSON: {error}"))
            });
        }
        let steps = split(text, '|')?
            .into_iter()
            .map(parse_step)
            .collect::<Result<_>>()?;
        Ok(Spec { steps })
    }
}

fn parse_step(text: &str) -> Result<Step> {
    let text = text.trim();
    let (algorithm, arguments) = match text.split_once('(') {
        None => (text, ""),
        Some((algorithm, rest)) => match rest.trim_end().strip_suffix(')') {
            Some(arguments) => (algorithm.trim(), arguments),
            None => {
                return Err(Error::Specification(format!(
                    "`{text}` should end with a closing parenthesis"
                )));
            }
        },
    };
    if algorithm.is_empty() {
        return Err(Error::Specification(
            "a step is empty; write algorithms separated by |, as in `standard-scaler | ridge(alpha=2)`".into(),
        ));
    }
    let mut parameters = Map::new();
    if !arguments.trim().is_empty() {
        for argument in split(arguments, ',')? {
            let (key, value) = argument.split_once('=').ok_or_else(|| {
                Error::Specification(format!("`{}` should read name=value", argument.trim()))
            })?;
            parameters.insert(key.trim().to_owned(), parse_value(value));
        }
    }
    Ok(Step {
        algorithm: algorithm.to_owned(),
        parameters,
    })
}

/// Splits at a character, but not inside brackets or quotation marks.
fn split(text: &str, separator: char) -> Result<Vec<&str>> {
    let (mut parts, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0i32, false);
    for (index, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if character == separator && depth == 0 => {
                parts.push(&text[start..index]);
                start = index + character.len_utf8();
            }
            _ => {}
        }
    }
    if depth != 0 || quoted {
        let what = if quoted { "quotation mark" } else { "bracket" };
        return Err(Error::Specification(format!(
            "`{}` has a {what} without its partner",
            text.trim()
        )));
    }
    parts.push(&text[start..]);
    Ok(parts)
}

impl fmt::Display for Spec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            if index > 0 {
                formatter.write_str(" | ")?;
            }
            write!(formatter, "{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.algorithm)?;
        if self.parameters.is_empty() {
            return Ok(());
        }
        let list: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, value)| match value {
                // A word that would read as something else keeps its quotation marks.
                Value::String(word)
                    if parse_value(word) == *value
                        && split(word, ',').is_ok_and(|parts| parts.len() == 1) =>
                {
                    format!("{name}={word}")
                }
                _ => format!("{name}={value}"),
            })
            .collect();
        write!(formatter, "({})", list.join(", "))
    }
}

/// In files a specification is a list of steps.
impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.steps.serialize(serializer)
    }
}

/// Text, one step or a list of steps are all understood.
impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            One(Step),
            Many(Vec<Step>),
        }
        match Form::deserialize(deserializer)? {
            Form::Text(text) => text.parse().map_err(serde::de::Error::custom),
            Form::One(step) => Ok(Spec { steps: vec![step] }),
            Form::Many(steps) => Ok(Spec { steps }),
        }
    }
}

impl JsonSchema for Spec {
    fn schema_name() -> Cow<'static, str> {
        "Spec".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "array", "object"],
            "description": "An algorithm or pipeline, as in `standard-scaler | ridge(alpha=2)`.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(text: &str) -> Result<Spec> {
        text.parse()
    }

    #[test]
    fn values_may_be_numbers_words_lists_and_whole_specifications() {
        let spec = parse(r#"a(x=1, y = -2.5e3,word=full,list=[1, 2],said="a, b | c") | one-vs-rest(estimator=b(z=1) , n=2)"#).unwrap();
        assert_eq!(spec.steps.len(), 2);
        assert_eq!(
            Value::Object(spec.steps[0].parameters.clone()),
            json!({"x": 1, "y": -2500.0, "word": "full", "list": [1, 2], "said": "a, b | c"})
        );
        assert_eq!(spec.steps[1].parameters["estimator"], json!("b(z=1)"));
    }

    #[test]
    fn text_and_json_come_back_as_they_were() {
        for text in [
            "a",
            "a | b(x=1)",
            r#"a(w="1", s="x, y", l=[1,2], n=null, f=word)"#,
        ] {
            let spec = parse(text).unwrap();
            assert_eq!(parse(&spec.to_string()).unwrap(), spec, "{spec}");
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(parse(&json).unwrap(), spec, "{json}");
        }
        assert_eq!(parse(r#"{"algorithm": "a"}"#).unwrap(), Spec::of("a"));
    }

    #[test]
    fn mistakes_are_explained() {
        let say = |text: &str| parse(text).unwrap_err().to_string();
        assert!(say("a(x=1").contains("bracket without its partner"));
        assert!(say("a(x)").contains("`x` should read name=value"));
        assert!(say("a | ").contains("a step is empty"));
        assert!(say("").contains("a step is empty"));
    }

    #[test]
    fn parameters_are_set_on_the_last_or_the_named_step() {
        let mut spec = parse("pca | ridge").unwrap();
        spec.set("alpha", json!(2)).unwrap();
        spec.set("pca.n_components", json!(3)).unwrap();
        assert_eq!(spec.to_string(), "pca(n_components=3) | ridge(alpha=2)");
        assert!(spec.set("lda.x", json!(3)).is_err());
    }
}
