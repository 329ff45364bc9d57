//! How much the rows of each class count.

use crate::{Classes, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How much the rows of each class count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeight {
    /// As they are.
    #[default]
    None,
    /// Every class as much as any other, in all as much as there are rows.
    Balanced,
    /// A factor for each class that is named; the others count as they are.
    #[serde(untagged)]
    Each(BTreeMap<String, f64>),
}

impl ClassWeight {
    /// What the weight of a row is multiplied with, by its class; `totals` are the weights of the
    /// classes.
    pub fn factors(&self, classes: &Classes, totals: &[f64]) -> Result<Vec<f64>> {
        match self {
            ClassWeight::None => Ok(vec![1.0; classes.len()]),
            ClassWeight::Balanced => {
                let present = totals.iter().filter(|&&total| total > 0.0).count() as f64;
                let weight: f64 = totals.iter().sum();
                let factor = |&own: &f64| match own > 0.0 {
                    true => weight / (present * own),
                    false => 1.0,
                };
                Ok(totals.iter().map(factor).collect())
            }
            ClassWeight::Each(given) => of_classes(given, classes),
        }
    }
}

/// The factor that is given for each class, one where none is.
fn of_classes(given: &BTreeMap<String, f64>, classes: &Classes) -> Result<Vec<f64>> {
    let mut factors = vec![1.0; classes.len()];
    let names: Vec<String> = classes.names().iter().map(ToString::to_string).collect();
    for (name, &factor) in given {
        let Some(class) = names.iter().position(|known| known == name) else {
            let requirement = format!("the classes are {}", names.join(", "));
            return Err(Error::parameter("class_weight", name, requirement));
        };
        if !(factor > 0.0 && factor.is_finite()) {
            let requirement = format!("the factor of class {name} must be positive and finite");
            return Err(Error::parameter("class_weight", factor, requirement));
        }
        factors[class] = factor;
    }
    Ok(factors)
}

/// The classes that have rows, or an error where there are not two of them.
pub fn present_classes(classes: &Classes, totals: &[f64]) -> Result<Vec<usize>> {
    let present: Vec<usize> = (0..classes.len()).filter(|&k| totals[k] > 0.0).collect();
    if present.len() >= 2 {
        return Ok(present);
    }
    let found = match present.first() {
        Some(&class) => format!("only one class has rows, {}", classes.names()[class]),
        None => "no class has rows".to_owned(),
    };
    Err(Error::data(format!(
        "{found}; give rows of at least two classes"
    )))
}
