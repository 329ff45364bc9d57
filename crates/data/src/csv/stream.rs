//! Reading a text table in batches, for files larger than memory.

use super::dialect::Dialect;
use super::parse::{Parsed, Plan};
use super::read::as_text;
use super::scan::cut;
use crate::cells::{Candidates, Missing};
use crate::pieces::{join, recode};
use crate::read::{Batches, in_file};
use crate::source::{Input, describe};
use crate::{Format, ReadOptions, Rejected, Source};
use didact_core::{Column, ColumnKind, Error, Result, Run, Table};
use std::collections::BTreeSet;
use std::io::Read;

/// A record longer than this is a quote that was never closed.
const LONGEST_RECORD: usize = 64 << 20;

/// Text that arrives in blocks and leaves in whole records.
struct Blocks {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    line: usize,
    at_end: bool,
}

impl Blocks {
    fn new(input: Input) -> std::io::Result<Blocks> {
        let mut blocks = Blocks {
            reader: input.unpacked()?,
            buffer: Vec::new(),
            start: 0,
            line: 1,
            at_end: false,
        };
        blocks.read_more()?;
        if blocks.buffer.starts_with("\u{feff}".as_bytes()) {
            blocks.start = 3;
        }
        Ok(blocks)
    }

    fn read_more(&mut self) -> std::io::Result<()> {
        const BLOCK: u64 = 1 << 20;
        self.buffer.drain(..self.start);
        self.start = 0;
        // Doubling keeps the repeated search for the last record's end linear overall.
        let want = BLOCK.max(self.buffer.len() as u64);
        let read = self
            .reader
            .by_ref()
            .take(want)
            .read_to_end(&mut self.buffer)?;
        self.at_end = (read as u64) < want;
        Ok(())
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// The next `records` whole records and the line of the first; nothing at the end.
    fn next(&mut self, delimiter: u8, records: usize) -> Result<Option<(&str, usize)>> {
        let place = loop {
            let place = cut(self.rest(), delimiter, records);
            if place.records == records || self.at_end {
                break place;
            }
            if place.end == 0 && self.rest().len() > LONGEST_RECORD {
                return Err(Error::data(format!(
                    "line {}: a row is longer than {} MiB; a quote was probably opened and never closed",
                    self.line,
                    LONGEST_RECORD >> 20
                )));
            }
            self.read_more()
                .map_err(|error| Error::data(describe(&error)))?;
        };
        let length = match place.records < records {
            true => self.rest().len(),
            false => place.end,
        };
        if length == 0 {
            return Ok(None);
        }
        let (start, line) = (self.start, self.line);
        self.start += length;
        self.line += place.lines;
        let text = as_text(&self.buffer[start..start + length], line)?;
        Ok(Some((text, line)))
    }

    fn skip_to(&mut self, dialect: &Dialect) {
        self.start += dialect.body;
        self.line = dialect.body_line;
    }
}

/// The batches of a text table.
pub(crate) struct CsvBatches {
    blocks: Blocks,
    plan: Plan,
    /// The words of each category column where a first pass found them.
    words: Vec<Option<Vec<String>>>,
    batch_rows: usize,
    rows: usize,
    rejected: Vec<Rejected>,
    source: Source,
}

impl CsvBatches {
    pub(crate) fn open(
        source: &Source,
        input: Input,
        format: Format,
        options: &ReadOptions,
        run: &Run,
    ) -> Result<CsvBatches> {
        let complain = |error: std::io::Error| source.complain(describe(&error));
        let (input, second) = match options.first_pass {
            true => {
                let input = input.rewindable().map_err(complain)?;
                let second = input.again().map_err(complain)?;
                (input, Some(second))
            }
            false => (input, None),
        };
        let in_source = |error: Error| in_file(source, error);
        let mut blocks = Blocks::new(input).map_err(complain)?;
        let dialect = find_dialect(&blocks, format, options).map_err(in_source)?;
        blocks.skip_to(&dialect);
        let given = dialect.given_kinds(options);
        let mut batches = CsvBatches {
            plan: Plan {
                delimiter: dialect.delimiter,
                kinds: vec![ColumnKind::Category; given.len()],
                certain: vec![true; given.len()],
                names: dialect.names.clone(),
                missing: Missing::new(&options.missing),
                reject: options.reject,
            },
            words: vec![None; given.len()],
            batch_rows: options.batch_rows.max(1),
            rows: 0,
            rejected: Vec::new(),
            source: source.clone(),
            blocks,
        };
        batches.presume_kinds(&given).map_err(in_source)?;
        if let Some(second) = second {
            // Reading moves the one offset that both handles of a file share, so the second
            // pass opens its own place after the first has finished.
            let survey = second.again().map_err(complain)?;
            batches
                .first_pass(survey, &dialect, &given, run)
                .map_err(in_source)?;
            batches.blocks = Blocks::new(second.again().map_err(complain)?).map_err(complain)?;
            batches.blocks.skip_to(&dialect);
        }
        Ok(batches)
    }

    /// Presumes the kinds from what is in the first block.
    fn presume_kinds(&mut self, given: &[Option<ColumnKind>]) -> Result<()> {
        let mut candidates = vec![Candidates::ALL; given.len()];
        let place = cut(
            self.blocks.rest(),
            self.plan.delimiter,
            self.batch_rows.min(10_000),
        );
        let end = match self.blocks.at_end {
            true if place.records < self.batch_rows.min(10_000) => self.blocks.rest().len(),
            _ => place.end,
        };
        let text = as_text(&self.blocks.rest()[..end], self.blocks.line)?;
        self.plan.survey(text, self.blocks.line, &mut candidates)?;
        self.plan.kinds = settled(given, &candidates);
        Ok(())
    }

    /// Reads everything once for the kinds and the words; again where the kinds were presumed
    /// wrongly, because words are only collected of columns that are known to hold words.
    fn first_pass(
        &mut self,
        input: Input,
        dialect: &Dialect,
        given: &[Option<ColumnKind>],
        run: &Run,
    ) -> Result<()> {
        let mut plan = self.plan.clone();
        plan.certain = given.iter().map(Option::is_some).collect();
        loop {
            let again = input
                .again()
                .map_err(|error| Error::data(describe(&error)))?;
            let mut blocks = Blocks::new(again).map_err(|error| Error::data(describe(&error)))?;
            blocks.skip_to(dialect);
            let mut candidates = vec![Candidates::ALL; given.len()];
            let mut words = vec![BTreeSet::new(); given.len()];
            while let Some((text, line)) = blocks.next(plan.delimiter, 4096)? {
                run.check()?;
                plan.survey(text, line, &mut candidates)?;
                collect_words(plan.parse(text, line)?, &mut words);
            }
            let kinds = settled(given, &candidates);
            if kinds == plan.kinds {
                self.words = words
                    .into_iter()
                    .zip(&kinds)
                    .map(|(words, &kind)| {
                        (kind == ColumnKind::Category).then(|| words.into_iter().collect())
                    })
                    .collect();
                self.plan.kinds = kinds;
                return Ok(());
            }
            plan.kinds = kinds;
        }
    }
}

fn find_dialect(blocks: &Blocks, format: Format, options: &ReadOptions) -> Result<Dialect> {
    let rest = blocks.rest();
    let end = match blocks.at_end {
        true => rest.len(),
        false => memchr::memrchr(b'\n', rest).map_or(rest.len(), |place| place + 1),
    };
    let text = as_text(&rest[..end], 1)?;
    Dialect::find(
        &text[..super::read::head_length(text.as_bytes())],
        format,
        options,
    )
}

fn settled(given: &[Option<ColumnKind>], candidates: &[Candidates]) -> Vec<ColumnKind> {
    given
        .iter()
        .zip(candidates)
        .map(|(given, found)| given.unwrap_or(found.kind()))
        .collect()
}

fn collect_words(parsed: Parsed, words: &mut [BTreeSet<String>]) {
    for (column, words) in parsed.columns.into_iter().zip(words) {
        if let Column::Categories { names, .. } = join(vec![column]) {
            for name in names {
                if !words.contains(&name) {
                    words.insert(name);
                }
            }
        }
    }
}

impl Batches for CsvBatches {
    fn next_batch(&mut self) -> Result<Option<Table>> {
        let in_source = |error: Error| in_file(&self.source, error);
        loop {
            let Some((text, line)) = self
                .blocks
                .next(self.plan.delimiter, self.batch_rows)
                .map_err(in_source)?
            else {
                return Ok(None);
            };
            let parsed = self.plan.parse(text, line).map_err(in_source)?;
            self.rejected.extend(parsed.rejected);
            let mut table = Table::new();
            for ((name, column), words) in
                self.plan.names.iter().zip(parsed.columns).zip(&self.words)
            {
                let column = match words {
                    Some(words) => recode(name, column, words, self.rows).map_err(in_source)?,
                    None => join(vec![column]),
                };
                table.push(name.as_str(), column)?;
            }
            self.rows += table.n_rows();
            if table.n_rows() > 0 {
                return Ok(Some(table));
            }
        }
    }

    fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }
}
