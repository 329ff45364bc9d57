//! The values that a search tries.

use didact_core::random::Generator;
use didact_core::{Error, Result};
use rand::RngExt;
use serde_json::{Map, Value};

/// The values of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// These and no others.
    Choices(Vec<Value>),
    /// Real numbers, evenly spaced.
    Linear {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// Real numbers above zero, evenly spaced in their logarithm.
    Logarithmic {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// Whole numbers.
    Whole {
        /// The smallest.
        low: i64,
        /// The largest.
        high: i64,
    },
}

impl Range {
    /// At most `steps` values from end to end.
    ///
    /// ```
    /// use didact_evaluate::Range;
    /// let values = Range::Logarithmic { low: 0.01, high: 100.0 }.steps(5)?;
    /// assert!((values[1].as_f64().unwrap() - 0.1).abs() < 1e-15);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn steps(&self, steps: usize) -> Result<Vec<Value>> {
        self.check()?;
        let steps = steps.max(1);
        let share = |step: usize| match steps {
            1 => 0.0,
            _ => step as f64 / (steps - 1) as f64,
        };
        Ok(match self {
            Range::Choices(values) => values.clone(),
            Range::Whole { low, high } => {
                let span = (high - low) as f64;
                let mut values: Vec<i64> = (0..steps)
                    .map(|step| low + (span * share(step)).round() as i64)
                    .collect();
                values.dedup();
                values.into_iter().map(Value::from).collect()
            }
            _ => (0..steps)
                .map(|step| Value::from(self.at(share(step))))
                .collect(),
        })
    }

    /// A random value.
    pub fn draw(&self, generator: &mut Generator) -> Result<Value> {
        self.check()?;
        Ok(match self {
            Range::Choices(values) => values[generator.random_range(0..values.len())].clone(),
            Range::Whole { low, high } => Value::from(generator.random_range(*low..=*high)),
            _ => Value::from(self.at(generator.random::<f64>())),
        })
    }

    /// The real number at a share of the way; the ends are exact.
    fn at(&self, share: f64) -> f64 {
        match *self {
            Range::Logarithmic { low, high } => match share {
                0.0 => low,
                1.0 => high,
                _ => rounded((low.ln() + (high / low).ln() * share).exp()),
            },
            Range::Linear { low, high } => match share {
                1.0 => high,
                _ => rounded(low + (high - low) * share),
            },
            _ => share,
        }
    }

    fn check(&self) -> Result<()> {
        let fault = match self {
            Range::Choices(values) => values.is_empty().then(|| "no choices".to_owned()),
            Range::Linear { low, high } => {
                let fine = low <= high && (high - low).is_finite();
                (!fine).then(|| format!("{low} to {high}"))
            }
            Range::Logarithmic { low, high } => {
                let fine = 0.0 < *low && low <= high && high.is_finite();
                (!fine).then(|| format!("{low} to {high}, logarithmically"))
            }
            Range::Whole { low, high } => (low > high).then(|| format!("{low} to {high}")),
        };
        match fault {
            None => Ok(()),
            Some(range) => Err(Error::parameter(
                "range",
                range,
                "it must hold a value, ascend, be finite, and lie above zero where it is logarithmic",
            )),
        }
    }
}

/// The number to fifteen digits, so that people read 0.1 and not 0.10000000000000006.
fn rounded(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// The range that a JSON schema allows for a parameter, for a search that is told none.
///
/// Choices and switches are taken as they are. Numbers run over what is usual around their
/// default, a hundredth to a hundredfold on a logarithmic axis, within the limits; whole numbers
/// from half to double.
pub fn range_from_schema(schema: &Value, parameter: &str) -> Result<Range> {
    let property = &schema["properties"][parameter];
    if property.is_null() {
        let known: Vec<&str> = schema["properties"]
            .as_object()
            .map(|properties| properties.keys().map(String::as_str).collect())
            .unwrap_or_default();
        return Err(Error::Specification(format!(
            "there is no parameter {parameter}; there are {}",
            known.join(", ")
        )));
    }
    let resolved = match property["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix('#'))
    {
        Some(pointer) => schema.pointer(pointer).unwrap_or(property),
        None => property,
    };
    let choices = choices(resolved);
    if !choices.is_empty() {
        return Ok(Range::Choices(choices));
    }
    let limit = |name: &str| resolved[name].as_f64();
    let low = limit("minimum").or_else(|| limit("exclusiveMinimum"));
    let high = limit("maximum").or_else(|| limit("exclusiveMaximum"));
    let default = property["default"].as_f64();
    let is = |kind: &str| match &resolved["type"] {
        Value::String(one) => one == kind,
        Value::Array(many) => many.iter().any(|one| one == kind),
        _ => false,
    };
    if is("boolean") {
        return Ok(Range::Choices(vec![Value::from(false), Value::from(true)]));
    }
    if is("integer") {
        let center = default.unwrap_or(4.0).max(low.unwrap_or(f64::MIN));
        let least = (center / 2.0).ceil().max(low.unwrap_or(0.0));
        let most = (center * 2.0).min(high.unwrap_or(f64::MAX)).max(least);
        return Ok(Range::Whole {
            low: least as i64,
            high: most as i64,
        });
    }
    if !is("number") {
        return Err(Error::unsupported(format!(
            "the values of {parameter} cannot be guessed; name them"
        )));
    }
    if let (Some(low), Some(high)) = (low, high) {
        // Open ends stay out.
        let inset = 1e-3 * (high - low);
        let open = |name: &str| if resolved[name].is_null() { 0.0 } else { inset };
        return Ok(Range::Linear {
            low: low + open("exclusiveMinimum"),
            high: high - open("exclusiveMaximum"),
        });
    }
    let center = default.filter(|value| *value > 0.0).unwrap_or(1.0);
    Ok(Range::Logarithmic {
        low: (center / 100.0).max(low.filter(|low| *low > 0.0).unwrap_or(0.0)),
        high: (center * 100.0).min(high.unwrap_or(f64::MAX)),
    })
}

/// The values of an enumeration, whether written as `enum` or as constants of variants.
fn choices(schema: &Value) -> Vec<Value> {
    if let Some(values) = schema["enum"].as_array() {
        return values.clone();
    }
    ["oneOf", "anyOf"]
        .iter()
        .filter_map(|key| schema[*key].as_array())
        .flatten()
        .flat_map(|variant| match &variant["const"] {
            Value::Null => choices(variant),
            value => vec![value.clone()],
        })
        .collect()
}

/// Named ranges, in the order in which they vary: the last fastest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    /// The parameters and their values.
    pub ranges: Vec<(String, Range)>,
}

impl Space {
    /// A space without parameters: one candidate, the defaults.
    pub fn new() -> Self {
        Space::default()
    }

    /// The space with one more parameter.
    pub fn with(mut self, parameter: impl Into<String>, range: Range) -> Self {
        self.ranges.push((parameter.into(), range));
        self
    }

    /// Every combination, with at most `steps` values of each parameter.
    pub fn grid(&self, steps: usize) -> Result<Vec<Map<String, Value>>> {
        let mut candidates = vec![Map::new()];
        for (parameter, range) in &self.ranges {
            let values = range.steps(steps)?;
            if candidates.len().saturating_mul(values.len()) > 1_000_000 {
                return Err(Error::parameter(
                    "steps",
                    steps,
                    "the grid would have more than a million nodes; take fewer steps or draw at random",
                ));
            }
            let longer = |candidate: &Map<String, Value>| {
                let with = |value: &Value| {
                    let mut longer = candidate.clone();
                    longer.insert(parameter.clone(), value.clone());
                    longer
                };
                values.iter().map(with).collect::<Vec<_>>()
            };
            candidates = candidates.iter().flat_map(longer).collect();
        }
        Ok(candidates)
    }

    /// Independent random combinations; the same seed gives the same.
    pub fn draw(&self, count: usize, seed: u64) -> Result<Vec<Map<String, Value>>> {
        (0..count)
            .map(|candidate| {
                let mut generator = didact_core::random::generator(seed, candidate as u64);
                let one = |(name, range): &(String, Range)| {
                    Ok((name.clone(), range.draw(&mut generator)?))
                };
                self.ranges.iter().map(one).collect()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // 002a:BP11: regular sampling of each parameter, linear or logarithmic.
    #[test]
    fn grids_hold_every_combination_with_exact_ends() {
        let space = Space::new()
            .with(
                "C",
                Range::Logarithmic {
                    low: 0.1,
                    high: 10.0,
                },
            )
            .with(
                "kernel",
                Range::Choices(vec![json!("linear"), json!("rbf")]),
            );
        let grid = space.grid(3).unwrap();
        assert_eq!(grid.len(), 6);
        assert_eq!(grid[0]["C"], json!(0.1));
        assert_eq!(grid[1]["kernel"], json!("rbf"));
        assert!((grid[2]["C"].as_f64().unwrap() - 1.0).abs() < 1e-15);
        assert_eq!(grid[5]["C"], json!(10.0));
        let linear = Range::Linear {
            low: 0.0,
            high: 1.0,
        }
        .steps(3)
        .unwrap();
        assert_eq!(linear, [json!(0.0), json!(0.5), json!(1.0)]);
        let whole = Range::Whole { low: 1, high: 3 }.steps(9).unwrap();
        assert_eq!(whole, [json!(1), json!(2), json!(3)]);
        assert_eq!(Space::new().grid(4).unwrap().len(), 1);
    }

    #[test]
    fn ranges_follow_from_the_schema() {
        let schema = json!({"properties": {
            "alpha": {"type": "number", "default": 1.0, "minimum": 0},
            "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "n_clusters": {"type": "integer", "default": 8, "minimum": 1},
            "fit_intercept": {"type": "boolean", "default": true},
            "weights": {"$ref": "#/$defs/Weights"},
            "start": {"type": "array"}
        }, "$defs": {"Weights": {"oneOf": [{"const": "uniform"}, {"const": "distance"}]}}});
        let range = |name: &str| range_from_schema(&schema, name);
        assert_eq!(
            range("alpha").unwrap(),
            Range::Logarithmic {
                low: 0.01,
                high: 100.0
            }
        );
        assert_eq!(
            range("share").unwrap(),
            Range::Linear {
                low: 0.001,
                high: 1.0
            }
        );
        assert_eq!(
            range("n_clusters").unwrap(),
            Range::Whole { low: 4, high: 16 }
        );
        assert_eq!(
            range("fit_intercept").unwrap(),
            Range::Choices(vec![json!(false), json!(true)])
        );
        assert_eq!(
            range("weights").unwrap(),
            Range::Choices(vec![json!("uniform"), json!("distance")])
        );
        assert!(
            range("start")
                .unwrap_err()
                .to_string()
                .contains("name them")
        );
        assert!(
            range("beta")
                .unwrap_err()
                .to_string()
                .contains("no parameter beta")
        );
    }

    #[test]
    fn draws_stay_inside_and_repeat() {
        let space = Space::new()
            .with(
                "a",
                Range::Logarithmic {
                    low: 1e-3,
                    high: 1e3,
                },
            )
            .with("k", Range::Whole { low: 2, high: 5 });
        let drawn = space.draw(200, 3).unwrap();
        assert_eq!(drawn, space.draw(200, 3).unwrap());
        assert!(
            drawn
                .iter()
                .all(|one| (1e-3..=1e3).contains(&one["a"].as_f64().unwrap()))
        );
        assert!(
            drawn
                .iter()
                .all(|one| (2..=5).contains(&one["k"].as_i64().unwrap()))
        );
        // Half of the draws are below one on a logarithmic axis: 100 ± 7.
        let below = drawn
            .iter()
            .filter(|one| one["a"].as_f64().unwrap() < 1.0)
            .count();
        assert!((70..=130).contains(&below), "{below}");
        let backwards = Range::Linear {
            low: 1.0,
            high: 0.0,
        };
        assert!(backwards.steps(2).is_err());
    }
}
