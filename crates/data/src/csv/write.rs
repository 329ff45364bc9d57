//! Writing a table as text.

use crate::cells::format_number;
use crate::time::format_time;
use crate::{Format, ReadOptions};
use didact_core::{Column, Error, Result, Table};
use std::io::Write;

/// Writes the table with a header; missing values are left empty.
///
/// An empty word cannot be told from a missing value and is read back as one.
pub(crate) fn write(table: &Table, format: Format, target: &mut dyn Write) -> Result<()> {
    let delimiter = match format {
        Format::Tsv => b'\t',
        _ => b',',
    };
    let writer = Writer {
        delimiter,
        missing: ReadOptions::default().missing,
    };
    let mut line = Vec::new();
    for (place, name) in table.names().iter().enumerate() {
        writer.separate(place, &mut line);
        writer.word(name, &mut line);
    }
    writer.finish(table, &mut line, target)?;
    // The words of a column need their quotes worked out once only.
    let quoted: Vec<Vec<Vec<u8>>> = table
        .columns()
        .iter()
        .map(|column| match column {
            Column::Categories { names, .. } => {
                names.iter().map(|name| writer.quoted(name)).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    for row in 0..table.n_rows() {
        for (place, (column, words)) in table.columns().iter().zip(&quoted).enumerate() {
            writer.separate(place, &mut line);
            match column {
                Column::Numbers(values) if values[row].is_nan() => {}
                Column::Numbers(values) => line.extend(format_number(values[row]).bytes()),
                Column::Booleans(values) => {
                    line.extend(
                        values[row]
                            .map_or("", |value| if value { "true" } else { "false" })
                            .bytes(),
                    );
                }
                Column::Categories { codes, .. } => {
                    if let Some(code) = codes[row] {
                        line.extend_from_slice(&words[code as usize]);
                    }
                }
                Column::Times(values) => {
                    if let Some(value) = values[row] {
                        line.extend(time_text(&table.names()[place], row, value)?.bytes());
                    }
                }
            }
        }
        writer.finish(table, &mut line, target)?;
    }
    Ok(())
}

/// The time in ISO notation, or an error that names the place.
pub(crate) fn time_text(name: &str, row: usize, seconds: f64) -> Result<String> {
    format_time(seconds).ok_or_else(|| {
        Error::data(format!(
            "row {}: column {name} is {seconds} seconds from 1970, which is outside the years 0 to 9999",
            row + 1
        ))
    })
}

struct Writer {
    delimiter: u8,
    missing: Vec<String>,
}

impl Writer {
    fn separate(&self, place: usize, line: &mut Vec<u8>) {
        if place > 0 {
            line.push(self.delimiter);
        }
    }

    fn quoted(&self, word: &str) -> Vec<u8> {
        let mut text = Vec::new();
        self.word(word, &mut text);
        text
    }

    /// Adds a word, in quotes where it would be read differently without them.
    fn word(&self, word: &str, line: &mut Vec<u8>) {
        let special = |byte: u8| {
            matches!(byte, b'"' | b'\n' | b'\r' | b',' | b';' | b'\t' | b'|')
                || byte == self.delimiter
        };
        let needs_quotes = word.bytes().any(special)
            || word.starts_with(' ')
            || word.ends_with(' ')
            || word.starts_with('\u{feff}')
            || self.missing.iter().any(|token| token == word);
        match needs_quotes {
            true => {
                line.push(b'"');
                line.extend(word.replace('"', "\"\"").bytes());
                line.push(b'"');
            }
            false => line.extend(word.bytes()),
        }
    }

    fn finish(&self, table: &Table, line: &mut Vec<u8>, target: &mut dyn Write) -> Result<()> {
        // A blank line would be skipped by readers.
        if line.is_empty() && table.n_columns() == 1 {
            line.extend(b"\"\"");
        }
        line.push(b'\n');
        target
            .write_all(line)
            .map_err(|error| Error::data(error.to_string()))?;
        line.clear();
        Ok(())
    }
}
