//! From the text of some rows to the values of their columns.

use super::scan::{Cell, Malformed, Records};
use crate::cells::{Candidates, Missing};
use crate::pieces::{Piece, contradiction};
use crate::{Reject, Rejected};
use didact_core::{Column, ColumnKind, Error, Result};

/// What is known of a table before its rows are read.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) delimiter: u8,
    pub(crate) names: Vec<String>,
    /// The kind to read each column as.
    pub(crate) kinds: Vec<ColumnKind>,
    /// Whether the kind is certain: a value that does not fit it is then the row's fault.
    pub(crate) certain: Vec<bool>,
    pub(crate) missing: Missing,
    pub(crate) reject: Reject,
}

/// The rows of one piece of text.
pub(crate) struct Parsed {
    /// One column per name; words are not sorted yet.
    pub(crate) columns: Vec<Column>,
    pub(crate) rejected: Vec<Rejected>,
    /// Whether each column had a value that does not fit its presumed kind.
    pub(crate) contradicted: Vec<bool>,
}

impl Plan {
    /// Reads the values of all records in `text`, whose first line has the number `first_line`.
    pub(crate) fn parse(&self, text: &str, first_line: usize) -> Result<Parsed> {
        let mut pieces: Vec<Piece> = self.kinds.iter().map(|&kind| Piece::new(kind)).collect();
        let mut contradicted = vec![false; self.names.len()];
        let mut rejected = Vec::new();
        let mut rows = 0;
        self.for_each_record(text, first_line, |line, record| {
            let problem = match record {
                Err(reason) => Some(reason),
                Ok(cells) => self.push(cells, &mut pieces, &mut contradicted),
            };
            match (problem, self.reject) {
                (None, _) => rows += 1,
                (Some(reason), Reject::Fail) => {
                    return Err(Error::data(format!("line {line}: {reason}")));
                }
                (Some(reason), Reject::Skip) => {
                    pieces.iter_mut().for_each(|piece| piece.truncate(rows));
                    rejected.push(Rejected { line, reason });
                }
            }
            Ok(())
        })?;
        Ok(Parsed {
            columns: pieces.into_iter().map(Piece::finish).collect(),
            rejected,
            contradicted,
        })
    }

    /// Adds one row, or says why it cannot be added.
    fn push(
        &self,
        cells: &[Cell<'_>],
        pieces: &mut [Piece],
        contradicted: &mut [bool],
    ) -> Option<String> {
        for (column, (cell, piece)) in cells.iter().zip(pieces.iter_mut()).enumerate() {
            if contradicted[column] || self.is_missing(cell, self.kinds[column]) {
                piece.push_missing();
                continue;
            }
            if piece.push_text(&cell.text()) {
                continue;
            }
            if self.certain[column] {
                let (name, kind) = (&self.names[column], self.kinds[column]);
                return Some(contradiction(name, &cell.text(), kind));
            }
            contradicted[column] = true;
            piece.push_missing();
        }
        None
    }

    /// A quoted word is itself in a column of words; otherwise the quotes mean nothing.
    fn is_missing(&self, cell: &Cell<'_>, kind: ColumnKind) -> bool {
        let spelled_out = cell.quoted && kind == ColumnKind::Category && !cell.raw.is_empty();
        !spelled_out && self.missing.contains(cell.raw)
    }

    /// Narrows down what the values of each column can mean.
    pub(crate) fn survey(
        &self,
        text: &str,
        first_line: usize,
        candidates: &mut [Candidates],
    ) -> Result<()> {
        self.for_each_record(text, first_line, |_, record| {
            for (column, cell) in candidates.iter_mut().zip(record.unwrap_or_default()) {
                if !column.is_settled() && !self.missing.contains(cell.raw) {
                    *column = column.and(Candidates::of_text(&cell.text()));
                }
            }
            Ok(())
        })
    }

    /// Calls `action` with the line and the cells of each record, or with what is wrong with it.
    fn for_each_record(
        &self,
        text: &str,
        first_line: usize,
        mut action: impl FnMut(usize, Result<&[Cell<'_>], String>) -> Result<()>,
    ) -> Result<()> {
        let mut records = Records::new(text, self.delimiter, first_line);
        let mut cells = Vec::with_capacity(self.names.len());
        while let Some((line, state)) = records.next(&mut cells) {
            if let [only] = cells.as_slice()
                && only.raw.is_empty()
                && !only.quoted
                && state.is_ok()
            {
                continue;
            }
            match state {
                Ok(()) if cells.len() == self.names.len() => action(line, Ok(&cells))?,
                Ok(()) => action(
                    line,
                    Err(format!(
                        "there are {} values but {} columns",
                        cells.len(),
                        self.names.len()
                    )),
                )?,
                Err(Malformed::TextAfterQuote) => action(
                    line,
                    Err("there is text behind a closing quote; double the quotes inside a quoted value".to_owned()),
                )?,
                Err(Malformed::OpenQuote) => {
                    return Err(Error::data(format!(
                        "line {line}: a quote is opened but never closed"
                    )));
                }
            }
        }
        Ok(())
    }
}
