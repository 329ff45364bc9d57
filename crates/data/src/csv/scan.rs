//! Cutting text into records and cells.

use crate::number::leading_number;
use memchr::{memchr, memchr_iter, memchr2};
use std::borrow::Cow;

/// One value as it is written in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell<'a> {
    /// The text between the quotes or delimiters.
    pub(crate) raw: &'a str,
    /// Whether it stood in quotes.
    pub(crate) quoted: bool,
    /// Whether it holds doubled quotes.
    escaped: bool,
}

impl<'a> Cell<'a> {
    /// The text that is meant.
    pub(crate) fn text(&self) -> Cow<'a, str> {
        match self.escaped {
            true => Cow::Owned(self.raw.replace("\"\"", "\"")),
            false => Cow::Borrowed(self.raw),
        }
    }
}

/// What is wrong with the quotes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// There is text between a closing quote and the next delimiter.
    TextAfterQuote,
    /// A quote is never closed.
    OpenQuote,
}

/// The records of a text, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Records<'a> {
    text: &'a str,
    position: usize,
    delimiter: u8,
    /// Line on which the next record starts.
    pub(crate) line: usize,
}

impl<'a> Records<'a> {
    pub(crate) fn new(text: &'a str, delimiter: u8, first_line: usize) -> Records<'a> {
        Records {
            text,
            position: 0,
            delimiter,
            line: first_line,
        }
    }

    /// Offset of the next record.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Reads the cells of the next record that is not blank and returns its line.
    pub(crate) fn next(
        &mut self,
        cells: &mut Vec<Cell<'a>>,
    ) -> Option<(usize, Result<(), Malformed>)> {
        let bytes = self.text.as_bytes();
        self.skip_blank_lines();
        if self.position == bytes.len() {
            return None;
        }
        let line = self.line;
        cells.clear();
        let mut state = Ok(());
        loop {
            let Some((cell, clean)) = self.cell() else {
                self.position = bytes.len();
                return Some((line, Err(Malformed::OpenQuote)));
            };
            cells.push(cell);
            if !clean {
                state = Err(Malformed::TextAfterQuote);
            }
            match bytes.get(self.position) {
                Some(&byte) if byte == self.delimiter => self.position += 1,
                Some(_) => {
                    self.position += 1;
                    self.line += 1;
                    return Some((line, state));
                }
                None => return Some((line, state)),
            }
        }
    }

    /// Goes to the start of the next line that is not empty.
    pub(crate) fn skip_blank_lines(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.position) {
            match byte {
                b'\n' => self.position += 1,
                b'\r' if bytes.get(self.position + 1) == Some(&b'\n') => self.position += 2,
                _ => break,
            }
            self.line += 1;
        }
    }

    /// Reads one cell that is a number and nothing else to the end of `values`, and stops where
    /// [`Records::cell`] would; stays and returns false where there is anything else.
    #[inline]
    pub(crate) fn number_into(&mut self, values: &mut Vec<f64>) -> bool {
        let bytes = self.text.as_bytes();
        let Some((value, length)) = leading_number(&bytes[self.position..]) else {
            return false;
        };
        let end = self.position + length;
        self.position = match bytes.get(end) {
            None | Some(b'\n') => end,
            Some(&byte) if byte == self.delimiter => end,
            Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => end + 1,
            Some(_) => return false,
        };
        values.push(value);
        true
    }

    /// Goes past the delimiter behind a cell, or past the end of the line behind the `last` one;
    /// false where something else stands there.
    #[inline]
    pub(crate) fn step(&mut self, last: bool) -> bool {
        let next = self.text.as_bytes().get(self.position);
        let expected = match last {
            true => b'\n',
            false => self.delimiter,
        };
        match next {
            Some(&byte) if byte == expected => self.position += 1,
            Some(_) => return false,
            None => return last,
        }
        self.line += usize::from(last);
        true
    }

    /// Reads one cell and stops at the delimiter, the line feed or the end of the text; also says
    /// whether nothing stands behind its closing quote. There is no cell where a quote stays open.
    #[inline]
    pub(crate) fn cell(&mut self) -> Option<(Cell<'a>, bool)> {
        let bytes = self.text.as_bytes();
        let mut start = self.position;
        if self.delimiter != b' ' {
            while bytes.get(start) == Some(&b' ') {
                start += 1;
            }
        }
        if bytes.get(start) == Some(&b'"') {
            return self.quoted_cell(start + 1);
        }
        let mut end = start;
        while end < bytes.len() && bytes[end] != self.delimiter && bytes[end] != b'\n' {
            end += 1;
        }
        self.position = end;
        if bytes.get(end) != Some(&self.delimiter) && end > start && bytes[end - 1] == b'\r' {
            end -= 1;
        }
        if self.delimiter != b' ' {
            while end > start && bytes[end - 1] == b' ' {
                end -= 1;
            }
        }
        let cell = Cell {
            raw: &self.text[start..end],
            quoted: false,
            escaped: false,
        };
        Some((cell, true))
    }

    fn quoted_cell(&mut self, start: usize) -> Option<(Cell<'a>, bool)> {
        let bytes = self.text.as_bytes();
        let (mut end, mut escaped) = (start, false);
        loop {
            end += memchr(b'"', &bytes[end..])?;
            if bytes.get(end + 1) != Some(&b'"') {
                break;
            }
            escaped = true;
            end += 2;
        }
        self.line += memchr_iter(b'\n', &bytes[start..end]).count();
        let cell = Cell {
            raw: &self.text[start..end],
            quoted: true,
            escaped,
        };
        let mut after = end + 1;
        let mut clean = true;
        while after < bytes.len() && bytes[after] != self.delimiter && bytes[after] != b'\n' {
            let ends_line =
                bytes[after] == b'\r' && matches!(bytes.get(after + 1), None | Some(b'\n'));
            clean &= bytes[after] == b' ' || ends_line;
            after += 1;
        }
        self.position = after;
        Some((cell, clean))
    }
}

/// Where whole lines of records end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Offset behind the last line feed.
    pub(crate) end: usize,
    /// Records, blank lines included.
    pub(crate) records: usize,
    /// Line feeds up to there, those inside quotes included.
    pub(crate) lines: usize,
}

/// The end of the first `limit` records, or of all complete ones where there are fewer.
///
/// A quote counts only where a value starts, exactly as in [`Records`].
pub(crate) fn cut(bytes: &[u8], delimiter: u8, limit: usize) -> Cut {
    let mut found = Cut {
        end: 0,
        records: 0,
        lines: 0,
    };
    let (mut position, mut lines) = (0, 0);
    while found.records < limit {
        let Some(step) = memchr2(b'\n', b'"', &bytes[position..]) else {
            break;
        };
        position += step;
        if bytes[position] == b'\n' {
            position += 1;
            lines += 1;
            found = Cut {
                end: position,
                records: found.records + 1,
                lines,
            };
            continue;
        }
        if !starts_value(bytes, position, delimiter) {
            position += 1;
            continue;
        }
        let Some((close, inside)) = closing_quote(bytes, position + 1) else {
            break;
        };
        lines += inside;
        position = close + 1;
    }
    found
}

fn starts_value(bytes: &[u8], quote: usize, delimiter: u8) -> bool {
    let mut before = quote;
    while delimiter != b' ' && before > 0 && bytes[before - 1] == b' ' {
        before -= 1;
    }
    before == 0 || bytes[before - 1] == delimiter || bytes[before - 1] == b'\n'
}

/// The place of the quote that closes a value, and the line feeds before it.
fn closing_quote(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let mut end = start;
    loop {
        end += memchr(b'"', &bytes[end..])?;
        if bytes.get(end + 1) != Some(&b'"') {
            return Some((end, memchr_iter(b'\n', &bytes[start..end]).count()));
        }
        end += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<(usize, Vec<String>)> {
        let mut records = Records::new(text, b',', 1);
        let mut cells = Vec::new();
        let mut found = Vec::new();
        while let Some((line, state)) = records.next(&mut cells) {
            state.unwrap();
            found.push((
                line,
                cells.iter().map(|cell| cell.text().into_owned()).collect(),
            ));
        }
        found
    }

    #[test]
    fn quotes_newlines_and_spaces_follow_the_rules() {
        let text = "a,\"b, \"\"c\"\"\nd\" , e \r\n\r\n5\" pipe,,\n";
        let found = all(text);
        assert_eq!(
            found[0],
            (1, vec!["a".into(), "b, \"c\"\nd".into(), "e".into()])
        );
        assert_eq!(found[1], (4, vec!["5\" pipe".into(), "".into(), "".into()]));
    }

    #[test]
    fn broken_quotes_are_told_apart() {
        let mut cells = Vec::new();
        let mut records = Records::new("\"a\"b,c\nd,e\n", b',', 1);
        assert_eq!(
            records.next(&mut cells),
            Some((1, Err(Malformed::TextAfterQuote)))
        );
        assert_eq!(records.next(&mut cells), Some((2, Ok(()))));
        let mut records = Records::new("x,\"a\nb", b',', 1);
        assert_eq!(
            records.next(&mut cells),
            Some((1, Err(Malformed::OpenQuote)))
        );
        assert_eq!(records.next(&mut cells), None);
    }

    proptest! {
        /// The fast scanner and the careful one must see the same records in any text.
        #[test]
        fn cuts_fall_between_records(text in "[a\", \n]{0,60}") {
            let text = format!("{text}\"\n\"x\"\n");
            for limit in 1..6 {
                let place = cut(text.as_bytes(), b',', limit);
                let mut records = Records::new(&text, b',', 1);
                let mut cells = Vec::new();
                let mut starts = vec![0];
                while let Some((_, state)) = records.next(&mut cells) {
                    if state != Err(Malformed::OpenQuote) {
                        starts.push(records.position());
                    }
                }
                // A cut falls at the start of a record or inside a run of blank lines.
                let last = *starts.iter().rfind(|&&start| start <= place.end).unwrap();
                prop_assert!(text[last..place.end].bytes().all(|byte| byte == b'\n'));
            }
        }
    }
}
