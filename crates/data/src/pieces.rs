//! Columns under construction: pieces are filled cell by cell and joined to whole columns.

use crate::all_words::AllWords;
use crate::cells::{format_number, parse_boolean, parse_number};
use crate::time::{format_time, parse_time};
use didact_core::{Column, ColumnKind, Error, Result, Table};
use hashbrown::HashMap;

/// The values of some consecutive rows of one column.
pub(crate) enum Piece {
    Numbers(Vec<f64>),
    Booleans(Vec<Option<bool>>),
    Times(Vec<Option<f64>>),
    Words(Words),
}

/// Words by the order of their first appearance.
#[derive(Default)]
pub(crate) struct Words {
    codes: Vec<Option<u32>>,
    index: HashMap<String, u32>,
}

impl Words {
    fn push(&mut self, word: &str) {
        let next = self.index.len() as u32;
        let code = *self.index.entry_ref(word).or_insert(next);
        self.codes.push(Some(code));
    }
}

impl Piece {
    pub(crate) fn new(kind: ColumnKind) -> Piece {
        Piece::with_capacity(kind, 0)
    }

    /// A piece with space for so many rows.
    pub(crate) fn with_capacity(kind: ColumnKind, rows: usize) -> Piece {
        match kind {
            ColumnKind::Number => Piece::Numbers(Vec::with_capacity(rows)),
            ColumnKind::Boolean => Piece::Booleans(Vec::with_capacity(rows)),
            ColumnKind::Time => Piece::Times(Vec::with_capacity(rows)),
            ColumnKind::Category => Piece::Words(Words {
                codes: Vec::with_capacity(rows),
                index: HashMap::new(),
            }),
        }
    }

    pub(crate) fn push_missing(&mut self) {
        match self {
            Piece::Numbers(values) => values.push(f64::NAN),
            Piece::Booleans(values) => values.push(None),
            Piece::Times(values) => values.push(None),
            Piece::Words(words) => words.codes.push(None),
        }
    }

    /// Adds what the text means, or returns false where it does not fit the kind.
    pub(crate) fn push_text(&mut self, text: &str) -> bool {
        match self {
            Piece::Numbers(values) => push_some(values, parse_number(text)),
            Piece::Booleans(values) => push_some(values, lenient_boolean(text).map(Some)),
            Piece::Times(values) => push_some(values, parse_time(text).map(Some)),
            Piece::Words(words) => {
                words.push(text);
                true
            }
        }
    }

    pub(crate) fn push_number(&mut self, value: f64) -> bool {
        match self {
            Piece::Numbers(values) => push_some(values, Some(value)),
            Piece::Words(words) => {
                words.push(&format_number(value));
                true
            }
            Piece::Booleans(_) | Piece::Times(_) => false,
        }
    }

    pub(crate) fn push_boolean(&mut self, value: bool) -> bool {
        match self {
            Piece::Booleans(values) => push_some(values, Some(Some(value))),
            Piece::Words(words) => {
                words.push(if value { "true" } else { "false" });
                true
            }
            Piece::Numbers(_) | Piece::Times(_) => false,
        }
    }

    /// Forgets the rows from `rows` on.
    pub(crate) fn truncate(&mut self, rows: usize) {
        match self {
            Piece::Numbers(values) => values.truncate(rows),
            Piece::Booleans(values) => values.truncate(rows),
            Piece::Times(values) => values.truncate(rows),
            Piece::Words(words) => words.codes.truncate(rows),
        }
    }

    /// The column; its words are in order of appearance until [`join`] sorts them.
    pub(crate) fn finish(self) -> Column {
        match self {
            Piece::Numbers(values) => Column::Numbers(values),
            Piece::Booleans(values) => Column::Booleans(values),
            Piece::Times(values) => Column::Times(values),
            Piece::Words(words) => {
                let mut names = vec![String::new(); words.index.len()];
                for (name, code) in words.index {
                    names[code as usize] = name;
                }
                Column::Categories {
                    codes: words.codes,
                    names,
                }
            }
        }
    }
}

fn push_some<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let fits = value.is_some();
    values.extend(value);
    fits
}

/// A column that is declared to be boolean may also be written with 0 and 1.
fn lenient_boolean(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => parse_boolean(text),
    }
}

/// Puts pieces of one kind below each other; words are sorted and unused ones dropped.
pub(crate) fn join(pieces: Vec<Column>) -> Column {
    match pieces.first() {
        Some(Column::Booleans(_)) => Column::Booleans(
            pieces
                .into_iter()
                .flat_map(|piece| match piece {
                    Column::Booleans(values) => values,
                    _ => Vec::new(),
                })
                .collect(),
        ),
        Some(Column::Times(_)) => Column::Times(
            pieces
                .into_iter()
                .flat_map(|piece| match piece {
                    Column::Times(values) => values,
                    _ => Vec::new(),
                })
                .collect(),
        ),
        Some(Column::Categories { .. }) => join_words(pieces),
        _ => join_numbers(pieces),
    }
}

fn join_numbers(mut pieces: Vec<Column>) -> Column {
    if pieces.len() == 1
        && let Some(only) = pieces.pop()
    {
        return only;
    }
    let mut all = Vec::with_capacity(pieces.iter().map(Column::len).sum());
    for piece in &pieces {
        if let Column::Numbers(values) = piece {
            all.extend_from_slice(values);
        }
    }
    Column::Numbers(all)
}

fn join_words(pieces: Vec<Column>) -> Column {
    let mut all = AllWords::default();
    for piece in pieces {
        if let Column::Categories { codes, names } = piece {
            all.push(&codes, names);
        }
    }
    all.finish()
}

/// Puts tables with the same columns below each other.
pub(crate) fn join_tables(tables: Vec<Table>) -> Result<Table> {
    let names = match tables.first() {
        Some(first) => first.names().to_vec(),
        None => return Ok(Table::new()),
    };
    let mut tables = tables;
    let mut whole = Table::new();
    for name in names {
        let pieces = tables
            .iter_mut()
            .map(|table| table.take(&name))
            .collect::<Result<Vec<_>>>()?;
        whole.push(name, join(pieces))?;
    }
    Ok(whole)
}

/// Codes a category column by a given sorted list of words.
pub(crate) fn recode(
    name: &str,
    column: Column,
    words: &[String],
    first_row: usize,
) -> Result<Column> {
    let Column::Categories { codes, names } = column else {
        return Ok(column);
    };
    let places: Vec<Option<u32>> = names
        .iter()
        .map(|name| words.binary_search(name).ok().map(|place| place as u32))
        .collect();
    let codes = codes
        .into_iter()
        .enumerate()
        .map(|(row, code)| match code {
            None => Ok(None),
            Some(code) => places[code as usize].map(Some).ok_or_else(|| {
                Error::data(format!(
                    "row {}: column {name} has the new word {}; the file changed while it was read",
                    first_row + row + 1,
                    names[code as usize]
                ))
            }),
        })
        .collect::<Result<_>>()?;
    Ok(Column::Categories {
        codes,
        names: words.to_vec(),
    })
}

/// The column as another kind, where every value can be read so.
pub(crate) fn convert(
    name: &str,
    column: Column,
    kind: ColumnKind,
    first_row: usize,
) -> Result<Column> {
    if column.kind() == kind {
        return Ok(column);
    }
    let mut piece = Piece::new(kind);
    for row in 0..column.len() {
        let Some(text) = text_of(&column, row) else {
            piece.push_missing();
            continue;
        };
        if !piece.push_text(&text) {
            let reason = contradiction(name, &text, kind);
            return Err(Error::data(format!(
                "row {}: {reason}",
                first_row + row + 1
            )));
        }
    }
    Ok(join(vec![piece.finish()]))
}

/// The value of a row as text, or nothing where it is missing.
fn text_of(column: &Column, row: usize) -> Option<String> {
    match column {
        Column::Numbers(values) => (!values[row].is_nan()).then(|| format_number(values[row])),
        Column::Booleans(values) => values[row].map(|value| value.to_string()),
        Column::Categories { codes, names } => codes[row].map(|code| names[code as usize].clone()),
        Column::Times(values) => {
            values[row].map(|value| format_time(value).unwrap_or_else(|| format_number(value)))
        }
    }
}

/// The sentence for a value that does not fit the kind of its column.
pub(crate) fn contradiction(name: &str, text: &str, kind: ColumnKind) -> String {
    let mut shown: String = text.chars().take(40).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!(
        "column {name} is {shown:?}, which is not {}; mend the value, or read the column as words (category)",
        noun(kind)
    )
}

fn noun(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Number => "a number",
        ColumnKind::Boolean => "true or false",
        ColumnKind::Time => "a date or time",
        ColumnKind::Category => "a word",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(texts: &[&str]) -> Column {
        let mut piece = Piece::new(ColumnKind::Category);
        texts.iter().for_each(|text| {
            piece.push_text(text);
        });
        piece.finish()
    }

    #[test]
    fn joined_words_are_sorted_and_keep_their_rows() {
        let joined = join(vec![words(&["pear", "apple"]), words(&["fig", "pear"])]);
        let expected = Column::from_words([Some("pear"), Some("apple"), Some("fig"), Some("pear")]);
        assert_eq!(joined, expected);
    }

    #[test]
    fn words_dropped_with_their_rows_are_not_listed() {
        let mut piece = Piece::new(ColumnKind::Category);
        piece.push_text("kept");
        piece.push_text("dropped");
        piece.truncate(1);
        assert_eq!(
            join(vec![piece.finish()]),
            Column::from_words([Some("kept")])
        );
    }

    #[test]
    fn a_column_converts_where_every_value_can() {
        let numbers = Column::Numbers(vec![8001.0, f64::NAN]);
        let as_words = convert("postcode", numbers, ColumnKind::Category, 0).unwrap();
        assert_eq!(as_words, Column::from_words([Some("8001"), None]));
        let message = convert("size", words(&["1", "big"]), ColumnKind::Number, 0)
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("row 2: column size is \"big\", which is not a number"),
            "{message}"
        );
    }
}
