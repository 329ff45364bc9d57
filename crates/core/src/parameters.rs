//! Hyper-parameters: one plain struct whose schema is the single source of truth.
//!
//! The struct derives `Serialize`, `Deserialize` and `JsonSchema` with
//! `#[serde(default, deny_unknown_fields)]`. Doc comments become descriptions, `Default` gives
//! the defaults, `#[schemars(range(min = 1))]` or
//! `#[schemars(extend("exclusiveMinimum" = 0))]` the limits. The schema is what the command,
//! Python and the studio read, and it is also what checks the values here, so that the limits
//! which are documented are the limits which are enforced.

use crate::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// A struct of hyper-parameters. Implemented for everything that has the right derives.
pub trait Parameters:
    Clone + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
}

impl<P> Parameters for P where
    P: Clone + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
}

/// The JSON schema of `P`: descriptions, defaults and limits of every parameter.
pub fn schema<P: Parameters>() -> Arc<Value> {
    static SCHEMAS: OnceLock<Mutex<HashMap<TypeId, Arc<Value>>>> = OnceLock::new();
    let mut schemas = SCHEMAS
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let schema = schemas
        .entry(TypeId::of::<P>())
        .or_insert_with(|| Arc::new(schemars::schema_for!(P).to_value()));
    Arc::clone(schema)
}

/// Fails with the first parameter that is outside its limits.
pub fn check<P: Parameters>(parameters: &P) -> Result<()> {
    let value = to_json(parameters)?;
    let schema = schema::<P>();
    Checker { root: &schema }.object("", &value, &schema)
}

/// The parameters as a JSON object.
pub fn to_json<P: Parameters>(parameters: &P) -> Result<Value> {
    serde_json::to_value(parameters)
        .map_err(|error| Error::Specification(format!("the parameters cannot be written: {error}")))
}

/// Reads parameters from a JSON object; what is not mentioned keeps its default.
///
/// `owner` names the algorithm in messages.
pub fn from_json<P: Parameters>(owner: &str, value: &Map<String, Value>) -> Result<P> {
    let schema = schema::<P>();
    let known: Vec<&str> = schema["properties"]
        .as_object()
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default();
    if let Some(unknown) = value.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(Error::Specification(unknown_parameter(
            owner, unknown, &known,
        )));
    }
    let value = Value::Object(value.clone());
    Checker { root: &schema }.object("", &value, &schema)?;
    serde_json::from_value(value).map_err(|error| Error::Specification(format!("{owner}: {error}")))
}

fn unknown_parameter(owner: &str, unknown: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return format!("{owner} has no parameters, so {unknown} cannot be set");
    }
    let hint = match nearest(unknown, known.iter().copied()) {
        Some(name) => format!("did you mean {name}? It"),
        None => "it".to_owned(),
    };
    format!(
        "{owner} has no parameter {unknown}; {hint} has {}",
        known.join(", ")
    )
}

/// The candidate that is most like `word`, if one is close enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(word, candidate), candidate))
        // Close enough to be a slip: few letters differ, and some are the same.
        .filter(|(distance, candidate)| {
            *distance <= 1 + candidate.len().min(word.len()) / 3 && *distance < word.len()
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance, ignoring case.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.to_lowercase().chars().collect();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.to_lowercase().chars().enumerate() {
        let mut current = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let substitute = previous[j] + usize::from(a != *b);
            current.push(substitute.min(previous[j + 1] + 1).min(current[j] + 1));
        }
        previous = current;
    }
    previous[right.len()]
}

/// Walks a value and its schema side by side.
struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn object(&self, path: &str, value: &Value, schema: &Value) -> Result<()> {
        let (Some(object), Some(properties)) =
            (value.as_object(), schema["properties"].as_object())
        else {
            return Ok(());
        };
        for (name, schema) in properties {
            if let Some(value) = object.get(name) {
                let path = match path {
                    "" => name.clone(),
                    _ => format!("{path}.{name}"),
                };
                self.value(&path, value, schema)?;
            }
        }
        Ok(())
    }

    fn value(&self, path: &str, value: &Value, schema: &Value) -> Result<()> {
        let schema = self.resolve(schema);
        for choice in ["anyOf", "oneOf"] {
            if let Some(variants) = schema[choice].as_array() {
                return self.any_of(path, value, variants);
            }
        }
        self.kind(path, value, schema)?;
        self.allowed(path, value, schema)?;
        self.limits(path, value, schema)?;
        if let Some(items) = value.as_array() {
            self.items(path, items, schema)?;
        }
        self.object(path, value, schema)
    }

    fn resolve<'b>(&'b self, schema: &'b Value) -> &'b Value {
        match schema["$ref"]
            .as_str()
            .and_then(|path| path.strip_prefix('#'))
        {
            Some(pointer) => self.root.pointer(pointer).unwrap_or(schema),
            None => schema,
        }
    }

    fn any_of(&self, path: &str, value: &Value, variants: &[Value]) -> Result<()> {
        let mut errors = Vec::new();
        for variant in variants {
            match self.value(path, value, variant) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    errors.push((self.kind(path, value, self.resolve(variant)).is_ok(), error))
                }
            }
        }
        let names: Vec<String> = variants
            .iter()
            .filter_map(|variant| variant_name(self.resolve(variant)))
            .collect();
        if value.is_string() && names.len() > 1 {
            return Err(Error::parameter(
                path,
                plain(value),
                format!("it must be one of {}", names.join(", ")),
            ));
        }
        // The complaint of a variant of the right kind says more than "wrong kind".
        errors.sort_by_key(|(right_kind, _)| !right_kind);
        errors
            .into_iter()
            .next()
            .map_or(Ok(()), |(_, error)| Err(error))
    }

    fn kind(&self, path: &str, value: &Value, schema: &Value) -> Result<()> {
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return Ok(()),
        };
        let fits = kinds.iter().any(|kind| match *kind {
            "integer" => {
                value.is_i64()
                    || value.is_u64()
                    || value
                        .as_f64()
                        .is_some_and(|x| x.fract() == 0.0 && x.abs() < 9e15)
            }
            "number" => value.is_number(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => value.is_null(),
        });
        if fits {
            return Ok(());
        }
        let wanted: Vec<&str> = kinds
            .iter()
            .map(|kind| match *kind {
                "integer" => "a whole number",
                "number" => "a finite number",
                "string" => "a word",
                "boolean" => "true or false",
                "array" => "a list",
                "object" => "a group of named values",
                _ => "null",
            })
            .collect();
        let found = match value {
            // JSON has no way to write NaN or infinity: serde turns both into null.
            Value::Null if kinds.contains(&"number") => "not a finite number".to_owned(),
            _ => plain(value),
        };
        Err(Error::parameter(
            path,
            found,
            format!("it must be {}", wanted.join(" or ")),
        ))
    }

    fn allowed(&self, path: &str, value: &Value, schema: &Value) -> Result<()> {
        let allowed: Vec<&Value> = match (&schema["const"], &schema["enum"]) {
            (Value::Null, Value::Array(values)) => values.iter().collect(),
            (Value::Null, _) => return Ok(()),
            (value, _) => vec![value],
        };
        if allowed.contains(&value) {
            return Ok(());
        }
        let names: Vec<String> = allowed.into_iter().map(plain).collect();
        let requirement = match names.as_slice() {
            [only] => format!("it must be {only}"),
            several => format!("it must be one of {}", several.join(", ")),
        };
        Err(Error::parameter(path, plain(value), requirement))
    }

    fn limits(&self, path: &str, value: &Value, schema: &Value) -> Result<()> {
        let Some(number) = value.as_f64() else {
            return Ok(());
        };
        let bound = |key: &str| schema[key].as_f64();
        let broken = bound("minimum").is_some_and(|limit| number < limit)
            || bound("maximum").is_some_and(|limit| number > limit)
            || bound("exclusiveMinimum").is_some_and(|limit| number <= limit)
            || bound("exclusiveMaximum").is_some_and(|limit| number >= limit);
        if !broken {
            return Ok(());
        }
        let low = bound("minimum")
            .map(|limit| format!("at least {limit}"))
            .or(bound("exclusiveMinimum").map(|limit| format!("greater than {limit}")));
        let high = bound("maximum")
            .map(|limit| format!("at most {limit}"))
            .or(bound("exclusiveMaximum").map(|limit| format!("less than {limit}")));
        let requirement = [low, high]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" and ");
        Err(Error::parameter(
            path,
            plain(value),
            format!("it must be {requirement}"),
        ))
    }

    fn items(&self, path: &str, items: &[Value], schema: &Value) -> Result<()> {
        let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
        if items.len() < least {
            let requirement = format!("it must have at least {least}");
            return Err(Error::parameter(
                path,
                format!("a list of {}", items.len()),
                requirement,
            ));
        }
        for (index, item) in items.iter().enumerate() {
            self.value(&format!("{path}[{index}]"), item, &schema["items"])?;
        }
        Ok(())
    }
}

/// The word by which a user picks this variant of an enum.
fn variant_name(schema: &Value) -> Option<String> {
    schema["const"].as_str().map(str::to_owned)
}

/// A JSON value the way a user would write it: words without quotation marks.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Shape {
        /// Round.
        Round,
        /// Flat.
        VeryFlat,
    }

    /// An example.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    struct Example {
        /// How many.
        #[schemars(range(min = 1, max = 9))]
        count: usize,
        /// How strong.
        #[schemars(extend("exclusiveMinimum" = 0))]
        strength: f64,
        /// An optional share.
        #[schemars(range(min = 0.0, max = 1.0))]
        share: Option<f64>,
        /// The shape.
        shape: Shape,
        /// A list.
        widths: Vec<f64>,
    }

    impl Default for Example {
        fn default() -> Self {
            Example {
                count: 2,
                strength: 1.0,
                share: None,
                shape: Shape::Round,
                widths: vec![1.0],
            }
        }
    }

    fn complaint(value: Value) -> String {
        let map = value.as_object().unwrap().clone();
        from_json::<Example>("example", &map)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn messages_name_parameter_value_and_remedy() {
        assert_eq!(
            complaint(json!({"count": 0})),
            "count is 0; it must be at least 1 and at most 9"
        );
        assert_eq!(
            complaint(json!({"count": 1.5})),
            "count is 1.5; it must be a whole number"
        );
        assert_eq!(
            complaint(json!({"strength": 0})),
            "strength is 0; it must be greater than 0"
        );
        assert_eq!(
            complaint(json!({"share": 2})),
            "share is 2; it must be at least 0 and at most 1"
        );
        assert_eq!(
            complaint(json!({"shape": "square"})),
            "shape is square; it must be one of round, very-flat"
        );
        assert_eq!(
            complaint(json!({"widths": [1, "x"]})),
            "widths[1] is x; it must be a finite number"
        );
        let unknown = complaint(json!({"cuont": 1}));
        assert!(
            unknown.starts_with("example has no parameter cuont; did you mean count?"),
            "{unknown}"
        );
    }

    #[test]
    fn what_is_not_mentioned_keeps_its_default() {
        let map = json!({"shape": "very-flat", "share": 0.5})
            .as_object()
            .unwrap()
            .clone();
        let example: Example = from_json("example", &map).unwrap();
        assert_eq!(
            example,
            Example {
                shape: Shape::VeryFlat,
                share: Some(0.5),
                ..Example::default()
            }
        );
    }

    #[test]
    fn nan_and_infinity_do_not_slip_through() {
        for strength in [f64::NAN, f64::INFINITY] {
            let error = check(&Example {
                strength,
                ..Example::default()
            })
            .unwrap_err()
            .to_string();
            assert_eq!(
                error,
                "strength is not a finite number; it must be a finite number"
            );
        }
        assert!(check(&Example::default()).is_ok());
        assert!(
            check(&Example {
                count: 10,
                ..Example::default()
            })
            .is_err()
        );
    }

    #[test]
    fn schema_has_description_default_and_limits() {
        let schema = schema::<Example>();
        let count = &schema["properties"]["count"];
        assert_eq!(schema["description"], "An example.");
        assert_eq!(
            (&count["description"], &count["default"]),
            (&json!("How many."), &json!(2))
        );
        assert_eq!(
            (&count["minimum"], &count["maximum"]),
            (&json!(1), &json!(9))
        );
    }
}
