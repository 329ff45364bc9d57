//! Tables with named columns of mixed kinds: what files hold before they become rows.

use crate::{ClassName, Error, Labels, PartialLabels, Result, parameters::nearest};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Real numbers; NaN is a missing value.
    Numbers(Vec<f64>),
    /// Yes or no.
    Booleans(Vec<Option<bool>>),
    /// Words: an index into the sorted `names` for each row.
    Categories {
        /// For each row an index into `names`.
        codes: Vec<Option<u32>>,
        /// The different words, sorted.
        names: Vec<String>,
    },
    /// Moments in time, in seconds since the start of 1970.
    Times(Vec<Option<f64>>),
}

/// The kind of a column, as a model file remembers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// Real numbers.
    Number,
    /// Yes or no.
    Boolean,
    /// One of several words.
    Category,
    /// A moment in time.
    Time,
}

impl Column {
    /// Codes words as a category column.
    pub fn from_words<'a>(words: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let words: Vec<Option<&str>> = words.into_iter().collect();
        let mut names: Vec<&str> = words.iter().flatten().copied().collect();
        names.sort_unstable();
        names.dedup();
        let codes = words
            .iter()
            .map(|word| {
                word.and_then(|word| names.binary_search(&word).ok())
                    .map(|code| code as u32)
            })
            .collect();
        Column::Categories {
            codes,
            names: names.into_iter().map(str::to_owned).collect(),
        }
    }

    /// The kind of the column.
    pub fn kind(&self) -> ColumnKind {
        match self {
            Column::Numbers(_) => ColumnKind::Number,
            Column::Booleans(_) => ColumnKind::Boolean,
            Column::Categories { .. } => ColumnKind::Category,
            Column::Times(_) => ColumnKind::Time,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Numbers(values) => values.len(),
            Column::Booleans(values) => values.len(),
            Column::Categories { codes, .. } => codes.len(),
            Column::Times(values) => values.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of missing values.
    pub fn n_missing(&self) -> usize {
        match self {
            Column::Numbers(values) => values.iter().filter(|value| value.is_nan()).count(),
            Column::Booleans(values) => values.iter().filter(|value| value.is_none()).count(),
            Column::Categories { codes, .. } => codes.iter().filter(|code| code.is_none()).count(),
            Column::Times(values) => values.iter().filter(|value| value.is_none()).count(),
        }
    }

    /// The chosen rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Column {
        match self {
            Column::Numbers(values) => {
                Column::Numbers(rows.iter().map(|&row| values[row]).collect())
            }
            Column::Booleans(values) => {
                Column::Booleans(rows.iter().map(|&row| values[row]).collect())
            }
            Column::Categories { codes, names } => Column::Categories {
                codes: rows.iter().map(|&row| codes[row]).collect(),
                names: names.clone(),
            },
            Column::Times(values) => Column::Times(rows.iter().map(|&row| values[row]).collect()),
        }
    }

    /// The value of a row as a class name: whole numbers stay numbers, the rest are words.
    fn class_name(&self, row: usize) -> Option<ClassName> {
        match self {
            Column::Numbers(values) => number_name(values[row]),
            Column::Booleans(values) => values[row].map(|value| ClassName::Text(value.to_string())),
            Column::Categories { codes, names } => {
                codes[row].map(|code| ClassName::Text(names[code as usize].clone()))
            }
            Column::Times(values) => values[row].and_then(number_name),
        }
    }

    /// One class per row, where it is known.
    pub fn partial_labels(&self) -> PartialLabels {
        PartialLabels::from_names((0..self.len()).map(|row| self.class_name(row)))
    }

    /// Whether the column reads as classes rather than measurements: words and booleans, or
    /// few different whole numbers that each occur repeatedly.
    pub fn looks_like_classes(&self) -> bool {
        let Column::Numbers(values) = self else {
            return !matches!(self, Column::Times(_));
        };
        let mut known: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| !value.is_nan())
            .collect();
        if known.iter().any(|value| value.fract() != 0.0) {
            return false;
        }
        known.sort_by(f64::total_cmp);
        let rows = known.len();
        known.dedup();
        known.len() <= 20 && known.len() * 5 <= rows
    }
}

fn number_name(value: f64) -> Option<ClassName> {
    if value.is_nan() {
        return None;
    }
    Some(match value.fract() == 0.0 && value.abs() < 9e15 {
        true => ClassName::Integer(value as i64),
        false => ClassName::Text(value.to_string()),
    })
}

fn twice(name: &str) -> Error {
    Error::data(format!("two columns are called {name}; rename one"))
}

/// Columns of equal length, each with a name of its own.
///
/// ```
/// use didact_core::{Column, Table};
/// let mut table = Table::new();
/// table.push("height", Column::Numbers(vec![1.7, 1.9]))?;
/// table.push("eyes", Column::from_words([Some("blue"), None]))?;
/// assert_eq!(table.n_rows(), 2);
/// assert_eq!(table.column("eyes")?.n_missing(), 1);
/// assert!(table.column("eye").unwrap_err().to_string().contains("did you mean eyes"));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Column>,
}

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Table::default()
    }

    /// Puts columns together; the names must differ and the lengths be equal.
    pub fn from_columns(columns: impl IntoIterator<Item = (String, Column)>) -> Result<Self> {
        let (names, columns): (Vec<String>, Vec<Column>) = columns.into_iter().unzip();
        let table = Table { names, columns };
        let mut seen = HashSet::with_capacity(table.names.len());
        for (name, column) in table.names.iter().zip(&table.columns) {
            if !seen.insert(name) {
                return Err(twice(name));
            }
            table.check_length(name, column)?;
        }
        Ok(table)
    }

    /// Adds a column; its name must be new and its length that of the others.
    pub fn push(&mut self, name: impl Into<String>, column: Column) -> Result<()> {
        let name = name.into();
        if self.names.contains(&name) {
            return Err(twice(&name));
        }
        self.check_length(&name, &column)?;
        self.names.push(name);
        self.columns.push(column);
        Ok(())
    }

    fn check_length(&self, name: &str, column: &Column) -> Result<()> {
        match self.columns.is_empty() || column.len() == self.n_rows() {
            true => Ok(()),
            false => Err(Error::data(format!(
                "column {name} has {} values but the table has {} rows",
                column.len(),
                self.n_rows()
            ))),
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns in the order of their names.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Every column with its name, taken out of the table.
    pub fn into_columns(self) -> impl Iterator<Item = (String, Column)> {
        self.names.into_iter().zip(self.columns)
    }

    /// The column of that name, or an error that suggests one.
    pub fn column(&self, name: &str) -> Result<&Column> {
        match self.names.iter().position(|other| other == name) {
            Some(index) => Ok(&self.columns[index]),
            None => Err(self.no_column(name)),
        }
    }

    /// Where each column stands, for finding many of them.
    pub fn places(&self) -> HashMap<&str, usize> {
        let names = self.names.iter().map(String::as_str);
        names.zip(0..).collect()
    }

    /// Takes a column out of the table.
    pub fn take(&mut self, name: &str) -> Result<Column> {
        match self.names.iter().position(|other| other == name) {
            Some(index) => {
                self.names.remove(index);
                Ok(self.columns.remove(index))
            }
            None => Err(self.no_column(name)),
        }
    }

    fn no_column(&self, name: &str) -> Error {
        let hint = match nearest(name, self.names.iter().map(String::as_str)) {
            Some(close) => format!("did you mean {close}? The"),
            None => "the".to_owned(),
        };
        let mut shown = self
            .names
            .iter()
            .take(20)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        if self.names.len() > 20 {
            shown.push_str(", …");
        }
        Error::data(format!(
            "there is no column {name}; {hint} columns are {shown}"
        ))
    }

    /// The chosen rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Table {
        Table {
            names: self.names.clone(),
            columns: self
                .columns
                .iter()
                .map(|column| column.select(rows))
                .collect(),
        }
    }

    /// The labels in a column, all of which must be known.
    pub fn labels(&self, name: &str) -> Result<Labels> {
        self.column(name)?
            .partial_labels()
            .complete()
            .map_err(|error| Error::data(format!("column {name}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_with_repetitions_look_like_classes() {
        let classes = Column::Numbers((0..100).map(|row| f64::from(row % 3)).collect());
        assert!(classes.looks_like_classes());
        assert!(!Column::Numbers((0..100).map(f64::from).collect()).looks_like_classes());
        assert!(!Column::Numbers(vec![0.5; 100]).looks_like_classes());
        assert!(Column::from_words([Some("a")]).looks_like_classes());
    }

    #[test]
    fn class_names_keep_the_users_spelling() {
        let numbers = Column::Numbers(vec![3.0, f64::NAN, 1.5]).partial_labels();
        assert_eq!(numbers.indices, [Some(0), None, Some(1)]);
        assert_eq!(numbers.classes.names()[1].to_string(), "1.5");
        let flags = Column::Booleans(vec![Some(true), Some(false)]).partial_labels();
        assert_eq!(flags.classes.names()[0].to_string(), "false");
    }

    #[test]
    fn columns_must_fit_the_table() {
        let mut table = Table::new();
        table.push("a", Column::Numbers(vec![1.0, 2.0])).unwrap();
        assert!(table.push("a", Column::Numbers(vec![1.0, 2.0])).is_err());
        assert!(table.push("b", Column::Numbers(vec![1.0])).is_err());
        let one = |name: &str, length: usize| (name.to_owned(), Column::Numbers(vec![1.0; length]));
        assert!(Table::from_columns([one("a", 2), one("a", 2)]).is_err());
        assert!(Table::from_columns([one("a", 2), one("b", 1)]).is_err());
        let both = Table::from_columns([one("a", 2), one("b", 2)]).unwrap();
        assert_eq!(both.places()["b"], 1);
        assert_eq!(table.select(&[1]).columns()[0], Column::Numbers(vec![2.0]));
        assert!(
            table
                .labels("c")
                .unwrap_err()
                .to_string()
                .starts_with("there is no column c")
        );
    }
}
