//! One JSON object per line.

use crate::cells::Candidates;
use crate::csv::time_text;
use crate::json_row::{Cell, Row};
use crate::pieces::{Piece, contradiction, join};
use crate::read::{Batches, in_file};
use crate::source::{Input, describe};
use crate::time::parse_time;
use crate::{ReadOptions, Reject, Rejected, Source};
use didact_core::{Column, ColumnKind, Error, Result, Run, Table};
use hashbrown::HashMap;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Read, Write};

type Reader = BufReader<Box<dyn Read + Send>>;

/// The batches of a JSON lines file.
pub(crate) struct JsonBatches {
    source: Source,
    lines: Lines,
    layout: Layout,
    batch_rows: usize,
    reject: Reject,
    rejected: Vec<Rejected>,
}

/// The columns by name and kind.
#[derive(Default)]
struct Layout {
    names: Vec<String>,
    kinds: Vec<ColumnKind>,
    places: HashMap<String, usize>,
}

impl JsonBatches {
    /// Reads everything (or the first batch) once for the names and kinds of the columns.
    pub(crate) fn open(
        source: &Source,
        input: Input,
        options: &ReadOptions,
        run: &Run,
    ) -> Result<JsonBatches> {
        let complain = |error: std::io::Error| source.complain(describe(&error));
        let input = input.rewindable().map_err(complain)?;
        let limit = match options.first_pass {
            true => usize::MAX,
            false => options.batch_rows.max(1),
        };
        let mut survey = Lines::new(input.again().map_err(complain)?).map_err(complain)?;
        let layout = Layout::find(&mut survey, limit, options, run)
            .map_err(|error| in_file(source, error))?;
        Ok(JsonBatches {
            source: source.clone(),
            lines: Lines::new(input.again().map_err(complain)?).map_err(complain)?,
            layout,
            batch_rows: options.batch_rows.max(1),
            reject: options.reject,
            rejected: Vec::new(),
        })
    }

    fn read_batch(&mut self) -> Result<Option<Table>> {
        let mut pieces: Vec<Piece> = self
            .layout
            .kinds
            .iter()
            .map(|&kind| Piece::new(kind))
            .collect();
        let mut rows = 0;
        let mut cells = Vec::new();
        while rows < self.batch_rows && self.lines.advance()? {
            let line = self.lines.line;
            let problem = match self.lines.object() {
                Ok(object) => {
                    let pushed = self.layout.push(&object, &mut pieces, rows, &mut cells);
                    pushed.err()
                }
                Err(reason) => Some(reason),
            };
            match (problem, self.reject) {
                (None, _) => rows += 1,
                (Some(reason), Reject::Fail) => {
                    return Err(Error::data(format!("line {line}: {reason}")));
                }
                (Some(reason), Reject::Skip) => {
                    pieces.iter_mut().for_each(|piece| piece.truncate(rows));
                    self.rejected.push(Rejected { line, reason });
                }
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        let mut table = Table::new();
        for (name, piece) in self.layout.names.iter().zip(pieces) {
            table.push(name.as_str(), join(vec![piece.finish()]))?;
        }
        Ok(Some(table))
    }
}

impl Batches for JsonBatches {
    fn next_batch(&mut self) -> Result<Option<Table>> {
        self.read_batch()
            .map_err(|error| in_file(&self.source, error))
    }

    fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }
}

impl Layout {
    fn find(lines: &mut Lines, limit: usize, options: &ReadOptions, run: &Run) -> Result<Layout> {
        let mut layout = Layout::default();
        let mut candidates: Vec<Candidates> = Vec::new();
        let mut rows = 0;
        while rows < limit && lines.advance()? {
            if rows % 1024 == 0 {
                run.check()?;
            }
            rows += 1;
            // Broken lines are judged when the values are read.
            let Ok(Row(cells)) = lines.object() else {
                continue;
            };
            for (position, (name, cell)) in cells.iter().enumerate() {
                let place = layout.place(name, position);
                if place == candidates.len() {
                    candidates.push(Candidates::ALL);
                }
                candidates[place] = candidates[place].and(meaning(cell));
            }
        }
        layout.kinds = candidates
            .iter()
            .zip(&layout.names)
            .map(|(found, name)| options.kinds.get(name).copied().unwrap_or(found.kind()))
            .collect();
        match options
            .kinds
            .keys()
            .find(|name| !layout.places.contains_key(*name))
        {
            None => Ok(layout),
            Some(name) => Err(Error::data(format!(
                "a kind is given for column {name}, but the columns are {}",
                layout.names.join(", ")
            ))),
        }
    }

    /// The place of a key that stands at the given position of its object; a new key gets one.
    fn place(&mut self, name: &str, position: usize) -> usize {
        match self.known(name, position) {
            Some(place) => place,
            None => {
                let place = self.names.len();
                self.places.insert(name.to_owned(), place);
                self.names.push(name.to_owned());
                place
            }
        }
    }

    /// The place of a key. Most objects have their keys in the same order, so the position is
    /// tried before the table.
    fn known(&self, name: &str, position: usize) -> Option<usize> {
        match self.names.get(position) {
            Some(guess) if guess == name => Some(position),
            _ => self.places.get(name).copied(),
        }
    }

    /// Adds one object as row `row`; keys that it lacks are missing values. `cells` is room for
    /// the position of each column within the object.
    fn push(
        &self,
        Row(object): &Row<'_>,
        pieces: &mut [Piece],
        row: usize,
        cells: &mut Vec<Option<usize>>,
    ) -> Result<(), String> {
        cells.clear();
        cells.resize(self.names.len(), None);
        for (position, (name, _)) in object.iter().enumerate() {
            let place = self.known(name, position).ok_or_else(|| {
                format!(
                    "the key {name} is new; the first rows have {}",
                    self.names.join(", ")
                )
            })?;
            cells[place] = Some(position);
        }
        for (place, piece) in pieces.iter_mut().enumerate() {
            piece.truncate(row);
            let cell = cells[place].map_or(&Cell::Missing, |position| &object[position].1);
            let fits = match cell {
                Cell::Missing => {
                    piece.push_missing();
                    true
                }
                Cell::Boolean(value) => piece.push_boolean(*value),
                Cell::Number(value) => piece.push_number(*value),
                Cell::Text(text) => piece.push_text(text),
                nested => {
                    return Err(format!(
                        "column {} holds {nested}, which a table cannot; leave it out or give each part a column",
                        self.names[place]
                    ));
                }
            };
            if !fits {
                let (name, kind) = (&self.names[place], self.kinds[place]);
                return Err(contradiction(name, &cell.to_string(), kind));
            }
        }
        Ok(())
    }
}

fn meaning(cell: &Cell<'_>) -> Candidates {
    match cell {
        Cell::Missing => Candidates::ALL,
        Cell::Boolean(_) => Candidates::only(ColumnKind::Boolean),
        Cell::Number(_) => Candidates::only(ColumnKind::Number),
        Cell::Text(text) if parse_time(text).is_some() => Candidates::only(ColumnKind::Time),
        _ => Candidates::WORD,
    }
}

/// The objects of a file, line by line.
struct Lines {
    reader: Reader,
    text: String,
    line: usize,
}

impl Lines {
    fn new(input: Input) -> std::io::Result<Lines> {
        Ok(Lines {
            reader: BufReader::with_capacity(1 << 16, input.unpacked()?),
            text: String::new(),
            line: 0,
        })
    }

    /// Goes to the next line that is not blank; false at the end of the file.
    fn advance(&mut self) -> Result<bool> {
        loop {
            self.text.clear();
            self.line += 1;
            let read =
                self.reader
                    .read_line(&mut self.text)
                    .map_err(|error| match error.kind() {
                        std::io::ErrorKind::InvalidData => Error::data(format!(
                            "line {} is not UTF-8 text; convert the file to UTF-8",
                            self.line
                        )),
                        _ => Error::data(format!("line {}: {}", self.line, describe(&error))),
                    })?;
            if read == 0 {
                return Ok(false);
            }
            if !self.content().is_empty() {
                return Ok(true);
            }
        }
    }

    fn content(&self) -> &str {
        self.text.trim_start_matches('\u{feff}').trim()
    }

    /// The object of the line, or what is wrong with it.
    fn object(&self) -> Result<Row<'_>, String> {
        serde_json::from_str(self.content())
            .map_err(|error| format!("this is not one JSON object: {error}"))
    }
}

/// Writes one object per row; missing values are null.
pub(crate) fn write(table: &Table, target: &mut dyn Write) -> Result<()> {
    for row in 0..table.n_rows() {
        let mut object = Map::new();
        for (name, column) in table.names().iter().zip(table.columns()) {
            object.insert(name.clone(), value(name, column, row)?);
        }
        serde_json::to_writer(&mut *target, &object)
            .map_err(|error| Error::data(error.to_string()))?;
        target
            .write_all(b"\n")
            .map_err(|error| Error::data(error.to_string()))?;
    }
    Ok(())
}

fn value(name: &str, column: &Column, row: usize) -> Result<Value> {
    Ok(match column {
        Column::Numbers(values) if values[row].is_nan() => Value::Null,
        Column::Numbers(values) => match serde_json::Number::from_f64(values[row]) {
            Some(number) => Value::Number(number),
            None => {
                return Err(Error::data(format!(
                    "row {}: column {name} is {}, which JSON cannot write; use CSV or Parquet",
                    row + 1,
                    values[row]
                )));
            }
        },
        Column::Booleans(values) => values[row].map_or(Value::Null, Value::Bool),
        Column::Categories { codes, names } => codes[row].map_or(Value::Null, |code| {
            Value::String(names[code as usize].clone())
        }),
        Column::Times(values) => match values[row] {
            None => Value::Null,
            Some(seconds) => Value::String(time_text(name, row, seconds)?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read_report, read_table};

    fn source(text: &str) -> Source {
        Source::bytes("x.jsonl", text)
    }

    #[test]
    fn keys_may_come_and_go() {
        let text =
            "{\"a\": 1, \"b\": \"x\"}\n\n{\"c\": true, \"a\": null}\n{\"d\": \"2024-01-01\"}\n";
        let table = read_table(source(text), &ReadOptions::default()).unwrap();
        assert_eq!(table.names(), ["a", "b", "c", "d"]);
        let kinds: Vec<ColumnKind> = table.columns().iter().map(Column::kind).collect();
        use ColumnKind::{Boolean, Category, Number, Time};
        assert_eq!(kinds, [Number, Category, Boolean, Time]);
        assert_eq!(table.column("a").unwrap().n_missing(), 2);
    }

    #[test]
    fn numbers_in_quotes_stay_words_and_mixtures_become_words() {
        let text = "{\"a\": \"1\", \"b\": 1}\n{\"a\": \"2\", \"b\": \"x\"}\n";
        let table = read_table(source(text), &ReadOptions::default()).unwrap();
        assert_eq!(
            *table.column("a").unwrap(),
            Column::from_words([Some("1"), Some("2")])
        );
        assert_eq!(
            *table.column("b").unwrap(),
            Column::from_words([Some("1"), Some("x")])
        );
    }

    #[test]
    fn broken_lines_and_nested_values_name_their_line() {
        let text = "{\"a\": 1}\n{\"a\": [1]}\n{\"a\"\n{\"a\": 2}\n";
        let message = read_table(source(text), &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("x.jsonl: line 2: column a holds a list"),
            "{message}"
        );
        let options = ReadOptions {
            reject: Reject::Skip,
            ..ReadOptions::default()
        };
        let reading = read_report(source(text), &options, &Run::new()).unwrap();
        assert_eq!(reading.table.n_rows(), 2);
        let lines: Vec<usize> = reading.rejected.iter().map(|row| row.line).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn infinity_cannot_be_written() {
        let mut table = Table::new();
        table
            .push("a", Column::Numbers(vec![f64::INFINITY]))
            .unwrap();
        let message = write(&table, &mut Vec::new()).unwrap_err().to_string();
        assert!(message.starts_with("row 1: column a is inf"), "{message}");
    }
}
