//! Class names as the user wrote them, and labels that point at them.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One class as the user names it: a whole number or a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClassName {
    /// A whole number; numbers sort by value and before words.
    Integer(i64),
    /// A word; `true` and `false` are words too.
    Text(String),
}

impl fmt::Display for ClassName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassName::Integer(number) => write!(formatter, "{number}"),
            ClassName::Text(text) => formatter.write_str(text),
        }
    }
}

impl From<i64> for ClassName {
    fn from(number: i64) -> Self {
        ClassName::Integer(number)
    }
}

impl From<&str> for ClassName {
    fn from(text: &str) -> Self {
        ClassName::Text(text.to_owned())
    }
}

/// The classes of a problem in sorted order; a label is an index into them.
///
/// Two classes are coded +1 and −1 or 1 and 0 only inside an algorithm: the second class is
/// the positive one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classes(Vec<ClassName>);

impl Classes {
    /// Sorts the names and drops repetitions.
    pub fn new(names: impl IntoIterator<Item = impl Into<ClassName>>) -> Self {
        let mut names: Vec<ClassName> = names.into_iter().map(Into::into).collect();
        names.sort();
        names.dedup();
        Classes(names)
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no class at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names in label order.
    pub fn names(&self) -> &[ClassName] {
        &self.0
    }

    /// The label of a name, if it is a known class.
    pub fn label(&self, name: &ClassName) -> Option<usize> {
        self.0.binary_search(name).ok()
    }
}

/// Labels for rows: for each row an index into `classes`.
///
/// ```
/// use didact_core::Labels;
/// let labels = Labels::from_names(["setosa", "virginica", "setosa"]);
/// assert_eq!(labels.indices, [0, 1, 0]);
/// assert_eq!(labels.classes.names()[1].to_string(), "virginica");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// Index of each row's class.
    pub indices: Vec<usize>,
    /// What the indices stand for.
    pub classes: Classes,
}

impl Labels {
    /// Reads one name per row.
    pub fn from_names(names: impl IntoIterator<Item = impl Into<ClassName>>) -> Self {
        let names: Vec<ClassName> = names.into_iter().map(Into::into).collect();
        let classes = Classes::new(names.iter().cloned());
        let indices = names
            .iter()
            .map(|name| {
                classes
                    .label(name)
                    .expect("the classes were made of these names")
            })
            .collect();
        Labels { indices, classes }
    }

    /// Labels that are indices already; the classes are called 0, 1, 2, …
    pub fn from_indices(indices: Vec<usize>) -> Self {
        let count = indices.iter().max().map_or(0, |largest| largest + 1);
        Labels {
            indices,
            classes: Classes::new(0..count as i64),
        }
    }
}

/// Labels of which some are unknown; unknown is `None`, never a class of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialLabels {
    /// Index of each row's class where it is known.
    pub indices: Vec<Option<usize>>,
    /// What the indices stand for.
    pub classes: Classes,
}

impl PartialLabels {
    /// Reads one name or nothing per row.
    pub fn from_names(names: impl IntoIterator<Item = Option<impl Into<ClassName>>>) -> Self {
        let names: Vec<Option<ClassName>> =
            names.into_iter().map(|name| name.map(Into::into)).collect();
        let classes = Classes::new(names.iter().flatten().cloned());
        let indices = names
            .iter()
            .map(|name| name.as_ref().and_then(|name| classes.label(name)))
            .collect();
        PartialLabels { indices, classes }
    }

    /// All labels, or an error that counts the unknown ones.
    pub fn complete(self) -> Result<Labels> {
        let unknown = self.indices.iter().filter(|index| index.is_none()).count();
        if unknown > 0 {
            return Err(Error::data(format!(
                "{unknown} of {} labels are missing; remove those rows or use a method that learns from partly labelled rows",
                self.indices.len()
            )));
        }
        Ok(Labels {
            indices: self.indices.into_iter().flatten().collect(),
            classes: self.classes,
        })
    }

    /// Share of rows whose label is known.
    pub fn known_share(&self) -> f64 {
        let known = self.indices.iter().flatten().count();
        known as f64 / self.indices.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_by_value_and_before_words() {
        let classes = Classes::new([
            ClassName::Text("b".into()),
            ClassName::Integer(10),
            ClassName::Integer(-2),
            ClassName::Integer(10),
        ]);
        let names: Vec<String> = classes.names().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["-2", "10", "b"]);
    }

    // 000a:GEN-01: a missing label never silently becomes a class.
    #[test]
    fn an_unknown_label_is_neither_minus_one_nor_a_class() {
        let labels = PartialLabels::from_names([Some(-1), None, Some(1)]);
        assert_eq!(labels.classes.len(), 2);
        assert_eq!(labels.indices, [Some(0), None, Some(1)]);
        assert!((labels.known_share() - 2.0 / 3.0).abs() < 1e-15);
        let message = labels.complete().unwrap_err().to_string();
        assert!(
            message.starts_with("1 of 3 labels are missing"),
            "{message}"
        );
    }
}
