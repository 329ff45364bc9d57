//! Finding out how a text table is written: its delimiter, its header, its columns.

use super::scan::{Cell, Records};
use crate::cells::{Candidates, Missing};
use crate::{Format, ReadOptions};
use didact_core::{ColumnKind, Error, Result};

/// How a text table is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    pub(crate) names: Vec<String>,
    /// Offset of the first row of values.
    pub(crate) body: usize,
    /// Line of the first row of values.
    pub(crate) body_line: usize,
}

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Records that decide on the delimiter and the header.
const LOOK_AHEAD: usize = 100;

impl Dialect {
    /// Reads the head of a table, which must hold whole records where there are any.
    pub(crate) fn find(head: &str, format: Format, options: &ReadOptions) -> Result<Dialect> {
        let delimiter = match options.delimiter {
            Some(given) => ascii(given)?,
            None if format == Format::Tsv => b'\t',
            None => guess_delimiter(head),
        };
        let missing = Missing::new(&options.missing);
        let mut records = Records::new(head, delimiter, 1);
        let mut first = Vec::new();
        match records.next(&mut first) {
            None => {
                return Err(Error::data(
                    "the file is empty; a table needs at least one row",
                ));
            }
            Some((line, Err(_))) => {
                return Err(Error::data(format!(
                    "line {line}: the quotes of the first row are broken; close each one and double those inside a value"
                )));
            }
            Some((_, Ok(()))) => {}
        }
        let has_header = match options.header {
            Some(given) => given,
            None => guess_header(&first, head, delimiter, &missing),
        };
        let names = match has_header {
            true => header_names(&first)?,
            false => (1..=first.len()).map(default_name).collect(),
        };
        let (body, body_line) = match has_header {
            true => (records.position(), records.line),
            false => (0, 1),
        };
        for name in options.kinds.keys() {
            if !names.contains(name) {
                return Err(Error::data(format!(
                    "a kind is given for column {name}, but the columns are {}",
                    names.join(", ")
                )));
            }
        }
        Ok(Dialect {
            delimiter,
            names,
            body,
            body_line,
        })
    }

    /// The kinds that the options give; `None` is to be found out.
    pub(crate) fn given_kinds(&self, options: &ReadOptions) -> Vec<Option<ColumnKind>> {
        self.names
            .iter()
            .map(|name| options.kinds.get(name).copied())
            .collect()
    }
}

fn ascii(delimiter: char) -> Result<u8> {
    match u8::try_from(delimiter) {
        Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(byte),
        _ => Err(Error::parameter(
            "delimiter",
            format!("{delimiter:?}"),
            "it must be one ASCII character that is neither a quote nor a line end",
        )),
    }
}

fn default_name(place: usize) -> String {
    format!("column_{place}")
}

fn header_names(cells: &[Cell<'_>]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::with_capacity(cells.len());
    for (place, cell) in cells.iter().enumerate() {
        let name = match cell.text() {
            text if text.is_empty() => default_name(place + 1),
            text => text.into_owned(),
        };
        if let Some(other) = names.iter().position(|other| *other == name) {
            return Err(Error::data(format!(
                "columns {} and {} are both called {name}; rename one",
                other + 1,
                place + 1
            )));
        }
        names.push(name);
    }
    Ok(names)
}

/// The delimiter that cuts the first records into the most columns of equal number.
fn guess_delimiter(head: &str) -> u8 {
    let mut best = (0, b',');
    for delimiter in DELIMITERS {
        let mut records = Records::new(head, delimiter, 1);
        let mut cells = Vec::new();
        let mut counts = Vec::new();
        while counts.len() < LOOK_AHEAD
            && let Some((_, state)) = records.next(&mut cells)
        {
            if state.is_ok() {
                counts.push(cells.len());
            }
        }
        let Some(&width) = counts.first() else {
            continue;
        };
        let agreeing = counts.iter().filter(|&&count| count == width).count();
        // Agreement of all records counts most; one or two bad rows must not change the guess.
        let score = match width {
            1 => 0,
            _ => agreeing * 1000 / counts.len() * 10_000 + width.min(9_999),
        };
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    best.1
}

/// A first line of words above columns that are something else names the columns; so does
/// one of words only. A number in it that stands above numbers speaks against it.
fn guess_header(first: &[Cell<'_>], head: &str, delimiter: u8, missing: &Missing) -> bool {
    let kind_of = |cell: &Cell<'_>| match missing.contains(cell.raw) {
        true => Candidates::ALL,
        false => Candidates::of_text(&cell.text()),
    };
    let mut below = vec![Candidates::ALL; first.len()];
    let mut records = Records::new(head, delimiter, 1);
    let mut cells = Vec::new();
    records.next(&mut cells);
    for _ in 0..LOOK_AHEAD {
        if records.next(&mut cells).is_none() {
            break;
        }
        if cells.len() == first.len() {
            for (column, cell) in below.iter_mut().zip(&cells) {
                *column = column.and(kind_of(cell));
            }
        }
    }
    let mut only_words = true;
    for (cell, column) in first.iter().zip(&below) {
        let above = kind_of(cell);
        let is_word = above == Candidates::WORD;
        if is_word && *column != Candidates::WORD && !column.is_unseen() {
            return true;
        }
        only_words &= is_word || above == Candidates::ALL;
    }
    only_words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Dialect {
        Dialect::find(text, Format::Csv, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn every_delimiter_is_recognised() {
        for delimiter in [',', ';', '\t', '|'] {
            let text = "a#b#c\n1#2#3\n4#5#6\n".replace('#', &delimiter.to_string());
            let dialect = find(&text);
            assert_eq!(dialect.delimiter as char, delimiter);
            assert_eq!(dialect.names, ["a", "b", "c"]);
            assert_eq!(dialect.body_line, 2);
        }
        assert_eq!(find("x;y\n1,5;2\n3,5;4\n").delimiter, b';');
        assert_eq!(find("one\ntwo\n").delimiter, b',');
    }

    #[test]
    fn headers_are_told_from_values() {
        assert_eq!(find("1,2\n3,4\n").names, ["column_1", "column_2"]);
        assert_eq!(find("id,2019\n1,5\n").names, ["id", "2019"]);
        assert_eq!(find("name,town\nAnn,Ulm\n").names, ["name", "town"]);
        assert_eq!(
            find("5.1,setosa\n4.9,setosa\n").names,
            ["column_1", "column_2"]
        );
        assert_eq!(find(",a\n0,1\n").names, ["column_1", "a"]);
        assert_eq!(find("height\n").names, ["height"]);
    }

    #[test]
    fn duplicate_names_are_refused_by_place() {
        let message = Dialect::find("a,b,a\n1,2,3\n", Format::Csv, &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert_eq!(message, "columns 1 and 3 are both called a; rename one");
    }
}
