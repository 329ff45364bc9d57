//! Learns how a table of mixed columns becomes a matrix of numbers.

use crate::ColumnStatistics;
use crate::table_encoding::{ColumnCode, NumberCode, TableEncoding, WordCode};
use didact_core::{Column, ColumnKind, Error, Result, Run, Samples, Table, parameters};
use ndarray::ArrayView2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of number columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NumberScaling {
    /// They stay as they are.
    #[default]
    AsIs,
    /// They get mean zero and variance one.
    Standardise,
}

/// What becomes of missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingValues {
    /// They are an error that names the column.
    #[default]
    Error,
    /// They stay missing: NaN in number columns, all zeros in one-hot columns.
    Keep,
    /// Numbers and times get the mean of the column, words and booleans the most frequent.
    Impute,
}

/// What becomes of columns of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CategoryCoding {
    /// One column of zeros and ones per word.
    #[default]
    OneHot,
    /// One column per word except the first, whose rows are all zeros.
    DropFirst,
    /// One column with the place of the word in the sorted list.
    Ordinal,
}

/// What becomes of a word that was not there at fitting time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownWord {
    /// An error that names the column and the word.
    #[default]
    Error,
    /// All zeros, or −1 where words are numbered.
    Ignore,
}

/// Turns tables of numbers, words, booleans and times into matrices.
///
/// Fitted on the columns of the training table; new tables are matched by column name.
///
/// ```
/// use didact_core::{Column, Table};
/// use didact_preprocess::TableEncoder;
/// let mut table = Table::new();
/// table.push("size", Column::Numbers(vec![1.5, 2.5]))?;
/// table.push("colour", Column::from_words([Some("red"), Some("blue")]))?;
/// let encoding = TableEncoder::default().fit(&table)?;
/// assert_eq!(encoding.feature_names(), ["size", "colour=blue", "colour=red"]);
/// assert_eq!(encoding.encode(&table)?, ndarray::array![[1.5, 0.0, 1.0], [2.5, 1.0, 0.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TableEncoder {
    /// What becomes of number columns.
    pub numbers: NumberScaling,
    /// What becomes of missing values.
    pub missing: MissingValues,
    /// Whether each column that has missing values gets a second one that says where.
    pub add_indicator: bool,
    /// What becomes of columns of words.
    pub categories: CategoryCoding,
    /// What becomes of a word that was not there at fitting time.
    pub unknown: UnknownWord,
    /// A column of words may have at most this many different ones.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_categories: usize,
}

impl Default for TableEncoder {
    fn default() -> Self {
        TableEncoder {
            numbers: NumberScaling::AsIs,
            missing: MissingValues::Error,
            add_indicator: false,
            categories: CategoryCoding::OneHot,
            unknown: UnknownWord::Error,
            max_categories: 100,
        }
    }
}

impl TableEncoder {
    /// Learns the encoding of all columns of the table: give it the features only.
    pub fn fit(&self, table: &Table) -> Result<TableEncoding> {
        parameters::check(self)?;
        if table.n_columns() == 0 {
            return Err(Error::data("the table has no columns; give at least one"));
        }
        if table.n_rows() == 0 {
            return Err(Error::data("the table has no rows; give at least one"));
        }
        let columns = table
            .names()
            .iter()
            .zip(table.columns())
            .map(|(name, column)| self.fit_column(name, column))
            .collect::<Result<Vec<ColumnCode>>>()?;
        Ok(TableEncoding::new(columns, self.missing, self.unknown))
    }

    fn fit_column(&self, name: &str, column: &Column) -> Result<ColumnCode> {
        let missing = column.n_missing();
        if missing > 0 && self.missing == MissingValues::Error {
            return Err(missing_values(name, missing));
        }
        if missing == column.len() {
            return Err(Error::data(format!(
                "column {name} has no known value; leave it out"
            )));
        }
        let words = match column {
            Column::Categories { codes, names } => Some(self.words(name, codes, names)?),
            _ => None,
        };
        let number = match &words {
            Some(words) => NumberCode {
                fill: words.most_frequent,
                ..NumberCode::identity()
            },
            None => self.number(name, column)?,
        };
        Ok(ColumnCode {
            name: name.to_owned(),
            kind: column.kind(),
            number,
            words: words.map(|words| words.code),
            indicator: self.add_indicator && missing > 0,
        })
    }

    fn number(&self, name: &str, column: &Column) -> Result<NumberCode> {
        let values = as_numbers(column);
        if values.iter().any(|value| value.is_infinite()) {
            return Err(Error::data(format!(
                "column {name} has an infinite value; every value must be a finite number"
            )));
        }
        let boolean = column.kind() == ColumnKind::Boolean;
        let scales = self.numbers == NumberScaling::Standardise && !boolean;
        if self.missing != MissingValues::Impute && !scales {
            return Ok(NumberCode::identity());
        }
        let matrix = ArrayView2::from_shape((values.len(), 1), &values)
            .map_err(|error| Error::data(error.to_string()))?;
        let found = ColumnStatistics::summarise(&Samples::from(matrix), &Run::new())
            .map_err(|error| Error::numerical(format!("column {name}: {error}")))?;
        let mean = found.means[0];
        Ok(NumberCode {
            shift: if scales { mean } else { 0.0 },
            scale: if scales { found.scales()[0] } else { 1.0 },
            // The mean of zeros and ones is the share of true: its rounding is the more
            // frequent of the two.
            fill: if boolean { f64::from(mean > 0.5) } else { mean },
        })
    }

    fn words(&self, name: &str, codes: &[Option<u32>], names: &[String]) -> Result<Words> {
        let mut counts = vec![0usize; names.len()];
        codes
            .iter()
            .flatten()
            .for_each(|&code| counts[code as usize] += 1);
        // A table that was cut out of a larger one may list words that no row has.
        let (kept, counts): (Vec<String>, Vec<usize>) = names
            .iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .map(|(word, count)| (word.clone(), count))
            .unzip();
        if kept.len() > self.max_categories {
            return Err(Error::data(format!(
                "column {name} has {} different words, more than max_categories, which is {}; leave the column out or raise the limit",
                kept.len(),
                self.max_categories
            )));
        }
        let mut most_frequent = 0;
        for (place, count) in counts.iter().enumerate() {
            if *count > counts[most_frequent] {
                most_frequent = place;
            }
        }
        Ok(Words {
            most_frequent: most_frequent as f64,
            code: WordCode {
                names: kept,
                coding: self.categories,
            },
        })
    }
}

struct Words {
    most_frequent: f64,
    code: WordCode,
}

/// The complaint about missing values that nobody allowed.
pub(crate) fn missing_values(name: &str, count: usize) -> Error {
    Error::data(format!(
        "column {name} has {count} missing values; remove those rows, leave the column out or set missing to impute"
    ))
}

/// Numbers, booleans and times as numbers; NaN is a missing value.
pub(crate) fn as_numbers(column: &Column) -> Vec<f64> {
    let flag = |value: &Option<bool>| value.map_or(f64::NAN, f64::from);
    match column {
        Column::Numbers(values) => values.clone(),
        Column::Booleans(values) => values.iter().map(flag).collect(),
        Column::Times(values) => values.iter().map(|time| time.unwrap_or(f64::NAN)).collect(),
        Column::Categories { codes, .. } => codes
            .iter()
            .map(|code| code.map_or(f64::NAN, f64::from))
            .collect(),
    }
}
