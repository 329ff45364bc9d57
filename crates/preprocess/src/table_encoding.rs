//! A fitted encoding of tables: matches columns by name and writes the matrix.

use crate::table_encoder::{
    CategoryCoding, MissingValues, UnknownWord, as_numbers, missing_values,
};
use didact_core::model::ensure_consistent;
use didact_core::{Column, ColumnKind, Error, Result, Run, Table, parallel};
use ndarray::{Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How a table of mixed columns becomes a matrix, as learned by
/// [`TableEncoder`](crate::TableEncoder).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableEncoding {
    columns: Vec<ColumnCode>,
    missing: MissingValues,
    unknown: UnknownWord,
}

/// The encoding of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnCode {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
    pub(crate) number: NumberCode,
    /// The words, where the column has words.
    pub(crate) words: Option<WordCode>,
    /// Whether a second column says where values were missing.
    pub(crate) indicator: bool,
}

/// A number x becomes (x − shift) / scale; a missing one is `fill`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NumberCode {
    pub(crate) shift: f64,
    pub(crate) scale: f64,
    pub(crate) fill: f64,
}

/// The words in the order of their codes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WordCode {
    pub(crate) names: Vec<String>,
    pub(crate) coding: CategoryCoding,
}

/// The code of a word that was not there at fitting time.
const UNKNOWN: f64 = -1.0;

impl NumberCode {
    pub(crate) fn identity() -> Self {
        NumberCode {
            shift: 0.0,
            scale: 1.0,
            fill: 0.0,
        }
    }

    fn is_identity(&self) -> bool {
        self.shift == 0.0 && self.scale == 1.0
    }
}

impl ColumnCode {
    /// Number of columns of the matrix.
    fn width(&self) -> usize {
        let values = match &self.words {
            None => 1,
            Some(words) => match words.coding {
                CategoryCoding::Ordinal => 1,
                CategoryCoding::OneHot => words.names.len(),
                CategoryCoding::DropFirst => words.names.len() - 1,
            },
        };
        values + usize::from(self.indicator)
    }

    fn feature_names(&self, names: &mut Vec<String>) {
        match &self.words {
            Some(words) if words.coding != CategoryCoding::Ordinal => {
                let skip = usize::from(words.coding == CategoryCoding::DropFirst);
                let named = words.names.iter().skip(skip);
                names.extend(named.map(|word| format!("{}={word}", self.name)));
            }
            _ => names.push(self.name.clone()),
        }
        if self.indicator {
            names.push(format!("{} is missing", self.name));
        }
    }

    /// The values as numbers: words as their codes, missing ones as NaN.
    fn read<'a>(&self, column: &'a Column, unknown: UnknownWord) -> Result<Cow<'a, [f64]>> {
        if column.n_missing() == column.len() {
            return Ok(Cow::Owned(vec![f64::NAN; column.len()]));
        }
        if let Some(words) = &self.words {
            return self.read_words(words, column, unknown).map(Cow::Owned);
        }
        match (column, column.kind() == self.kind) {
            (Column::Numbers(values), true) => Ok(Cow::Borrowed(values)),
            (_, true) => Ok(Cow::Owned(as_numbers(column))),
            (_, false) => Err(Error::data(format!(
                "column {} held {} at fitting time but now holds {}, such as {}",
                self.name,
                plural(self.kind),
                plural(column.kind()),
                first_value(column)
            ))),
        }
    }

    fn read_words(
        &self,
        words: &WordCode,
        column: &Column,
        unknown: UnknownWord,
    ) -> Result<Vec<f64>> {
        let code = |word: &str| match words.names.binary_search_by(|name| name.as_str().cmp(word)) {
            Ok(code) => Ok(code as f64),
            Err(_) if unknown == UnknownWord::Ignore => Ok(UNKNOWN),
            Err(_) => Err(Error::data(format!(
                "column {} has the word {word}, which was not there at fitting time; leave those rows out or set unknown to ignore",
                self.name
            ))),
        };
        // Only words that some row has are looked up: a cut table may list others.
        let mut known: Vec<Option<f64>> = match column {
            Column::Categories { names, .. } => vec![None; names.len()],
            _ => Vec::new(),
        };
        (0..column.len())
            .map(|row| match column {
                Column::Categories { codes, names } => match codes[row] {
                    None => Ok(f64::NAN),
                    Some(place) => match known[place as usize] {
                        Some(found) => Ok(found),
                        None => {
                            let found = code(&names[place as usize])?;
                            known[place as usize] = Some(found);
                            Ok(found)
                        }
                    },
                },
                // A file whose words all read as numbers gives a number column: 1 is the word 1.
                other => match value_text(other, row) {
                    None => Ok(f64::NAN),
                    Some(text) => code(&text),
                },
            })
            .collect()
    }

    /// Writes one value into its columns of the matrix, which hold zeros.
    fn write(&self, value: f64, missing: MissingValues, output: &mut [f64]) {
        let absent = value.is_nan();
        if self.indicator {
            output[output.len() - 1] = f64::from(absent);
        }
        let value = match absent && missing == MissingValues::Impute {
            true => self.number.fill,
            false => value,
        };
        match &self.words {
            None if self.number.is_identity() => output[0] = value,
            None => output[0] = (value - self.number.shift) / self.number.scale,
            Some(words) => {
                let first = match words.coding {
                    CategoryCoding::Ordinal => {
                        output[0] = value;
                        return;
                    }
                    CategoryCoding::OneHot => 0.0,
                    CategoryCoding::DropFirst => 1.0,
                };
                // Neither NaN nor an unknown word is at least the first code.
                if value >= first {
                    output[(value - first) as usize] = 1.0;
                }
            }
        }
    }
}

impl TableEncoding {
    pub(crate) fn new(
        columns: Vec<ColumnCode>,
        missing: MissingValues,
        unknown: UnknownWord,
    ) -> Self {
        TableEncoding {
            columns,
            missing,
            unknown,
        }
    }

    /// The names of the columns that a table must have.
    pub fn column_names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The kinds of those columns.
    pub fn column_kinds(&self) -> impl Iterator<Item = ColumnKind> {
        self.columns.iter().map(|column| column.kind)
    }

    /// The words of a column in the order of their codes, where it has words.
    pub fn categories(&self, column: &str) -> Option<&[String]> {
        let found = self.columns.iter().find(|code| code.name == column)?;
        found.words.as_ref().map(|words| words.names.as_slice())
    }

    /// The names of the columns of the matrix.
    pub fn feature_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for column in &self.columns {
            column.feature_names(&mut names);
        }
        names
    }

    /// Number of columns of the matrix.
    pub fn n_features(&self) -> usize {
        self.columns.iter().map(ColumnCode::width).sum()
    }

    /// The matrix of a table; columns are found by name, and others are ignored.
    pub fn encode(&self, table: &Table) -> Result<Array2<f64>> {
        let places = table.places();
        let sources = self
            .columns
            .iter()
            .map(|code| {
                let column = match places.get(code.name.as_str()) {
                    Some(&place) => &table.columns()[place],
                    None => table.column(&code.name)?,
                };
                let missing = column.n_missing();
                if missing > 0 && self.missing == MissingValues::Error {
                    return Err(missing_values(&code.name, missing));
                }
                code.read(column, self.unknown)
            })
            .collect::<Result<Vec<Cow<'_, [f64]>>>>()?;
        let width = self.n_features();
        let mut matrix = Array2::zeros((table.n_rows(), width));
        let values = matrix.as_slice_mut().unwrap_or_default();
        // Few rows at a time, so that the strided writes of all columns stay in the cache.
        parallel::fill(values, width, 1024, &Run::new(), |rows, piece| {
            let mut offset = 0;
            for (code, source) in self.columns.iter().zip(&sources) {
                let own = offset..offset + code.width();
                for (row, output) in rows.clone().zip(piece.chunks_exact_mut(width)) {
                    code.write(source[row], self.missing, &mut output[own.clone()]);
                }
                offset = own.end;
            }
            Ok(())
        })?;
        Ok(matrix)
    }

    /// The table that a matrix stands for; the inverse of [`TableEncoding::encode`].
    ///
    /// One-hot columns give the word of their largest value, or a missing one where all are
    /// zero.
    pub fn decode(&self, matrix: ArrayView2<'_, f64>) -> Result<Table> {
        if matrix.ncols() != self.n_features() {
            return Err(Error::Columns {
                expected: self.n_features(),
                found: matrix.ncols(),
            });
        }
        let mut table = Table::new();
        let mut offset = 0;
        for code in &self.columns {
            let own = matrix.slice(ndarray::s![.., offset..offset + code.width()]);
            offset += code.width();
            table.push(code.name.clone(), code.decode(own))?;
        }
        Ok(table)
    }

    /// Fails when an encoding that came from a file contradicts itself.
    pub fn validate(&self) -> Result<()> {
        let sound = self.columns.iter().all(|code| {
            let words_fit = match &code.words {
                None => code.kind != ColumnKind::Category,
                Some(words) => {
                    let sorted = words.names.windows(2).all(|pair| pair[0] < pair[1]);
                    let fill = code.number.fill;
                    let fill_fits = fill >= 0.0 && (fill as usize) < words.names.len();
                    code.kind == ColumnKind::Category && sorted && fill_fits
                }
            };
            words_fit && code.number.scale != 0.0
        });
        ensure_consistent(sound && !self.columns.is_empty())
    }
}

impl ColumnCode {
    fn decode(&self, own: ArrayView2<'_, f64>) -> Column {
        let plain = |row: ArrayView1<'_, f64>| row[0] * self.number.scale + self.number.shift;
        let numbers = || own.rows().into_iter().map(plain);
        let known = |value: f64| Some(value).filter(|value| !value.is_nan());
        match (&self.words, self.kind) {
            (Some(words), _) => Column::Categories {
                codes: own
                    .rows()
                    .into_iter()
                    .map(|row| words.decode(row))
                    .collect(),
                names: words.names.clone(),
            },
            (None, ColumnKind::Boolean) => {
                Column::Booleans(numbers().map(|x| known(x).map(|x| x >= 0.5)).collect())
            }
            (None, ColumnKind::Time) => Column::Times(numbers().map(known).collect()),
            (None, _) => Column::Numbers(numbers().collect()),
        }
    }
}

impl WordCode {
    fn decode(&self, row: ArrayView1<'_, f64>) -> Option<u32> {
        let last = self.names.len() - 1;
        let largest = |count: usize| {
            (0..count)
                .filter(|&place| row[place] > 0.5)
                .reduce(|best, place| if row[place] > row[best] { place } else { best })
        };
        match self.coding {
            CategoryCoding::Ordinal => (0..=last)
                .find(|&place| place as f64 == row[0].round())
                .map(|place| place as u32),
            CategoryCoding::OneHot => largest(last + 1).map(|place| place as u32),
            CategoryCoding::DropFirst => Some(largest(last).map_or(0, |place| place as u32 + 1)),
        }
    }
}

fn plural(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Number => "numbers",
        ColumnKind::Boolean => "true or false",
        ColumnKind::Category => "words",
        ColumnKind::Time => "times",
    }
}

/// A known value of the column as text.
fn first_value(column: &Column) -> String {
    (0..column.len())
        .find_map(|row| value_text(column, row))
        .unwrap_or_default()
}

fn value_text(column: &Column, row: usize) -> Option<String> {
    let number = |value: f64| (!value.is_nan()).then(|| value.to_string());
    match column {
        Column::Numbers(values) => number(values[row]),
        Column::Booleans(values) => values[row].map(|value| value.to_string()),
        Column::Categories { codes, names } => codes[row].map(|code| names[code as usize].clone()),
        Column::Times(values) => values[row].and_then(number),
    }
}
