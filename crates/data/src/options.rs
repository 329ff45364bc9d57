//! How to read a table, and what a reading reports beside it.

use crate::Format;
use didact_core::{ColumnKind, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What to do with a row that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reject {
    /// Stop with an error that names the line.
    #[default]
    Fail,
    /// Leave the row out, note the reason, and go on.
    Skip,
}

/// A row that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// Line of the file on which the row starts, counted from one.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// How to read a table; the defaults find everything out from the file.
///
/// ```
/// use didact_data::{ReadOptions, Reject, Source, read_report};
/// use didact_core::Run;
/// let options = ReadOptions { reject: Reject::Skip, ..ReadOptions::default() };
/// let source = Source::bytes("few.csv", "a,b\n1,2\n3\n4,5\n");
/// let reading = read_report(source, &options, &Run::new())?;
/// assert_eq!(reading.table.n_rows(), 2);
/// assert_eq!(reading.rejected[0].line, 3);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// The format; told by extension, then by content, where it is not given.
    pub format: Option<Format>,
    /// Whether the first line of a text table names the columns; found out where not given.
    pub header: Option<bool>,
    /// The character between values of a text table; found out where not given.
    pub delimiter: Option<char>,
    /// Words that stand for a missing value in a text table.
    pub missing: Vec<String>,
    /// Whether the indices of svmlight rows count from zero; the format counts from one. It is
    /// never guessed, since a file whose first column is empty would shift all others.
    pub zero_based: bool,
    /// What to do with rows that cannot be read.
    pub reject: Reject,
    /// Kinds of columns that are known beforehand, such as a postal code that is no number.
    pub kinds: BTreeMap<String, ColumnKind>,
    /// About how many rows a batch of a [`crate::TableReader`] has.
    pub batch_rows: usize,
    /// Whether a [`crate::TableReader`] reads everything once beforehand to learn the kinds and
    /// the words of the columns. Without it the first batch decides the kinds, every batch has
    /// its own list of words, and a piped text table flows through without a copy on disk.
    pub first_pass: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        let missing = [
            "", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", "-", ".",
        ];
        ReadOptions {
            format: None,
            header: None,
            delimiter: None,
            missing: missing.map(str::to_owned).to_vec(),
            zero_based: false,
            reject: Reject::Fail,
            kinds: BTreeMap::new(),
            batch_rows: 65_536,
            first_pass: true,
        }
    }
}

/// A table and the rows that were left out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The rows that could be read.
    pub table: Table,
    /// The rows that could not.
    pub rejected: Vec<Rejected>,
}
