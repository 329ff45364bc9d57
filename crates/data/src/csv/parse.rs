//! From the text of some rows to the values of their columns.

use super::scan::{Cell, Malformed, Records};
use crate::cells::{Candidates, Missing};
use crate::pieces::{Piece, contradiction};
use crate::{Reject, Rejected};
use didact_core::{Column, ColumnKind, Error, Result};

/// Rows that space is prepared for.
const MOST_PREPARED: usize = 4096;

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
        // Line feeds inside quotes are no rows, so their number is no reason to take all memory.
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
        let mut parsed = Unfinished::new(&self.kinds, lines.min(MOST_PREPARED));
        let mut rejected = Vec::new();
        let mut records = Records::new(text, self.delimiter, first_line);
        let mut cells = Vec::with_capacity(self.names.len());
        loop {
            self.plain_rows(&mut records, &mut parsed);
            let Some((line, record)) = self.next_record(&mut records, &mut cells)? else {
                break;
            };
            let problem = match record {
                Err(reason) => Some(reason),
                Ok(()) => self.push(&cells, &mut parsed),
            };
            match (problem, self.reject) {
                (None, _) => parsed.rows += 1,
                (Some(reason), Reject::Fail) => {
                    return Err(Error::data(format!("line {line}: {reason}")));
                }
                (Some(reason), Reject::Skip) => {
                    parsed.forget_unfinished_row();
                    rejected.push(Rejected { line, reason });
                }
            }
        }
        Ok(Parsed {
            columns: parsed.pieces.into_iter().map(Piece::finish).collect(),
            rejected,
            contradicted: parsed.contradicted,
        })
    }

    /// Adds rows as long as there is nothing to say about them, and stops before the first whose
    /// values are too many, too few or not what they should be, which [`Plan::push`] judges.
    fn plain_rows(&self, records: &mut Records<'_>, parsed: &mut Unfinished) {
        let plain_numbers = self.has_plain_numbers();
        loop {
            let start = *records;
            records.skip_blank_lines();
            if !self.plain_row(records, parsed, plain_numbers) {
                *records = start;
                parsed.forget_unfinished_row();
                return;
            }
            parsed.rows += 1;
        }
    }

    fn plain_row(
        &self,
        records: &mut Records<'_>,
        parsed: &mut Unfinished,
        plain_numbers: bool,
    ) -> bool {
        let last = self.names.len() - 1;
        let columns = parsed.pieces.iter_mut().zip(&parsed.contradicted);
        for (column, (piece, contradicted)) in columns.enumerate() {
            let number = match piece {
                Piece::Numbers(values) if plain_numbers => records.number_into(values),
                _ => false,
            };
            let fits = number
                || match records.cell() {
                    // A line of spaces in a table of one column is no row.
                    Some((cell, _)) if last == 0 && cell.raw.is_empty() && !cell.quoted => false,
                    Some((cell, true)) => {
                        self.push_cell(&cell, self.kinds[column], *contradicted, piece)
                    }
                    _ => false,
                };
            if !fits || !records.step(column == last) {
                return false;
            }
        }
        true
    }

    /// Whether a number up to the next delimiter is always just that: no word for a missing value,
    /// and not cut in two by the delimiter.
    fn has_plain_numbers(&self) -> bool {
        let in_numbers = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        !in_numbers(self.delimiter) && !self.missing.has_numbers()
    }

    /// Adds one row, or says why it cannot be added.
    fn push(&self, cells: &[Cell<'_>], parsed: &mut Unfinished) -> Option<String> {
        let columns = parsed.pieces.iter_mut().zip(&mut parsed.contradicted);
        for (column, (cell, (piece, contradicted))) in cells.iter().zip(columns).enumerate() {
            let kind = self.kinds[column];
            if self.push_cell(cell, kind, *contradicted, piece) {
                continue;
            }
            if self.certain[column] {
                return Some(contradiction(&self.names[column], &cell.text(), kind));
            }
            *contradicted = true;
            piece.push_missing();
        }
        None
    }

    /// Adds one value, or returns false where it does not fit the kind.
    #[inline]
    fn push_cell(
        &self,
        cell: &Cell<'_>,
        kind: ColumnKind,
        contradicted: bool,
        piece: &mut Piece,
    ) -> bool {
        if contradicted || self.is_missing(cell, kind) {
            piece.push_missing();
            return true;
        }
        piece.push_text(&cell.text())
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
        let mut records = Records::new(text, self.delimiter, first_line);
        let mut cells = Vec::with_capacity(self.names.len());
        while let Some((_, record)) = self.next_record(&mut records, &mut cells)? {
            if record.is_err() {
                continue;
            }
            for (column, cell) in candidates.iter_mut().zip(&cells) {
                if !column.is_settled() && !self.missing.contains(cell.raw) {
                    *column = column.and(Candidates::of_text(&cell.text()));
                }
            }
        }
        Ok(())
    }

    /// Reads the cells of the next record; gives its line, and what is wrong with it.
    fn next_record<'a>(
        &self,
        records: &mut Records<'a>,
        cells: &mut Vec<Cell<'a>>,
    ) -> Result<Option<(usize, Result<(), String>)>> {
        while let Some((line, state)) = records.next(cells) {
            if let [only] = cells.as_slice()
                && only.raw.is_empty()
                && !only.quoted
                && state.is_ok()
            {
                continue;
            }
            let record = match state {
                Ok(()) if cells.len() == self.names.len() => Ok(()),
                Ok(()) => Err(format!(
                    "there are {} values but {} columns",
                    cells.len(),
                    self.names.len()
                )),
                Err(Malformed::TextAfterQuote) => Err(
                    "there is text behind a closing quote; double the quotes inside a quoted value"
                        .to_owned(),
                ),
                Err(Malformed::OpenQuote) => {
                    return Err(Error::data(format!(
                        "line {line}: a quote is opened but never closed"
                    )));
                }
            };
            return Ok(Some((line, record)));
        }
        Ok(None)
    }
}

/// Columns that rows are being added to.
struct Unfinished {
    pieces: Vec<Piece>,
    contradicted: Vec<bool>,
    rows: usize,
}

impl Unfinished {
    fn new(kinds: &[ColumnKind], capacity: usize) -> Unfinished {
        let piece = |&kind| Piece::with_capacity(kind, capacity);
        Unfinished {
            pieces: kinds.iter().map(piece).collect(),
            contradicted: vec![false; kinds.len()],
            rows: 0,
        }
    }

    fn forget_unfinished_row(&mut self) {
        let rows = self.rows;
        self.pieces
            .iter_mut()
            .for_each(|piece| piece.truncate(rows));
    }
}
