//! Reading tables: all at once, or batch by batch.

use crate::arrow::ArrowBatches;
use crate::csv::CsvBatches;
use crate::json_lines::JsonBatches;
use crate::pieces::{join_tables, recode};
use crate::source::{Input, describe};
use crate::{Format, ReadOptions, Reading, Rejected, Source, csv, svmlight};
use didact_core::{Column, Error, Result, Run, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

/// Reads a table of any format from a file, standard input (`-`) or memory.
///
/// A column of a text table is numeric where every value is; else boolean, else a time, else
/// words. All rows decide.
///
/// ```
/// use didact_core::{Column, ColumnKind};
/// use didact_data::{ReadOptions, Source, read_table};
/// let source = Source::bytes("fruit.csv", "kind;weight\napple;150\npear;NA\n");
/// let table = read_table(source, &ReadOptions::default())?;
/// assert_eq!(table.column("kind")?.kind(), ColumnKind::Category);
/// assert_eq!(table.column("weight")?.n_missing(), 1);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn read_table(source: impl Into<Source>, options: &ReadOptions) -> Result<Table> {
    Ok(read_report(source, options, &Run::new())?.table)
}

/// Reads a table like [`read_table`], reports the rows that were left out, and can be cancelled.
pub fn read_report(source: impl Into<Source>, options: &ReadOptions, run: &Run) -> Result<Reading> {
    let source = source.into();
    let (input, format) = open(&source, options)?;
    read_opened(&source, input, format, options, run)
}

/// Reads a table from a source that was opened to find out its format.
pub(crate) fn read_opened(
    source: &Source,
    input: Input,
    format: Format,
    options: &ReadOptions,
    run: &Run,
) -> Result<Reading> {
    let reading = match format {
        Format::Csv | Format::Tsv => {
            let unpacked = input
                .into_unpacked()
                .map_err(|error| source.complain(describe(&error)))?;
            run.install(|| csv::read(unpacked, format, options, run))
        }
        Format::Svmlight => svmlight::read_dense(&unpack(source, input)?, options),
        _ => {
            let options = ReadOptions {
                first_pass: true,
                ..options.clone()
            };
            collect(&mut *batches(source, input, format, &options, run)?, run)
        }
    };
    let reading = reading.map_err(|error| in_file(source, error))?;
    match reading.table.n_rows() {
        0 => Err(source.complain(no_rows(&reading.rejected))),
        _ => Ok(reading),
    }
}

/// Opens a source and finds out its format.
pub(crate) fn open(source: &Source, options: &ReadOptions) -> Result<(Input, Format)> {
    let (head, input) = source
        .open()?
        .peek()
        .map_err(|error| source.complain(describe(&error)))?;
    let format = source.format(options, &head)?;
    Ok((input, format))
}

pub(crate) fn unpack(source: &Source, input: Input) -> Result<Vec<u8>> {
    let length = input.length().unwrap_or(0);
    let mut bytes = Vec::with_capacity(length as usize + 1);
    input
        .unpacked()
        .and_then(|mut reader| reader.read_to_end(&mut bytes))
        .map_err(|error| source.complain(describe(&error)))?;
    Ok(bytes)
}

/// The batches of one format, with words that may differ from batch to batch.
fn batches(
    source: &Source,
    input: Input,
    format: Format,
    options: &ReadOptions,
    run: &Run,
) -> Result<Box<dyn Batches>> {
    Ok(match format {
        Format::Csv | Format::Tsv => {
            Box::new(CsvBatches::open(source, input, format, options, run)?)
        }
        Format::Parquet | Format::Arrow | Format::ArrowStream => {
            Box::new(ArrowBatches::open(source, input, format, options)?)
        }
        Format::JsonLines => Box::new(JsonBatches::open(source, input, options, run)?),
        Format::Svmlight => {
            let reading = svmlight::read_dense(&unpack(source, input)?, options)
                .map_err(|error| in_file(source, error))?;
            Box::new(InMemory {
                reading,
                next_row: 0,
                batch_rows: options.batch_rows.max(1),
            })
        }
    })
}

fn collect(batches: &mut dyn Batches, run: &Run) -> Result<Reading> {
    let mut tables = Vec::new();
    while let Some(table) = batches.next_batch()? {
        run.check()?;
        tables.push(table);
    }
    Ok(Reading {
        table: join_tables(tables)?,
        rejected: batches.rejected().to_vec(),
    })
}

fn no_rows(rejected: &[Rejected]) -> String {
    match rejected.first() {
        None => "there are no rows; a table needs at least one".to_owned(),
        Some(first) => format!(
            "none of the {} rows could be read; line {}: {}",
            rejected.len(),
            first.line,
            first.reason
        ),
    }
}

/// Says which file an error is about; a cancelled run is nobody's fault.
pub(crate) fn in_file(source: &Source, error: Error) -> Error {
    match error {
        Error::Cancelled | Error::File { .. } => error,
        other => source.complain(other),
    }
}

/// What every format gives to a [`TableReader`].
pub(crate) trait Batches: Send {
    /// The next rows, or nothing at the end.
    fn next_batch(&mut self) -> Result<Option<Table>>;

    /// The rows left out so far.
    fn rejected(&self) -> &[Rejected] {
        &[]
    }
}

/// A table in memory that is handed out in batches.
struct InMemory {
    reading: Reading,
    next_row: usize,
    batch_rows: usize,
}

impl Batches for InMemory {
    fn next_batch(&mut self) -> Result<Option<Table>> {
        let end = (self.next_row + self.batch_rows).min(self.reading.table.n_rows());
        let rows: Vec<usize> = (self.next_row..end).collect();
        self.next_row = end;
        Ok((!rows.is_empty()).then(|| self.reading.table.select(&rows)))
    }

    fn rejected(&self) -> &[Rejected] {
        &self.reading.rejected
    }
}

/// A table in batches of rows, for files larger than memory.
///
/// Every batch has the same columns of the same kinds and, after a first pass over the file,
/// the same lists of words (see [`ReadOptions::first_pass`]). After an error there are no more
/// batches.
///
/// ```
/// use didact_data::{ReadOptions, Source, TableReader};
/// let source = Source::bytes("fruit.csv", "kind,weight\npear,1\napple,2\nfig,3\n");
/// let options = ReadOptions { batch_rows: 2, ..ReadOptions::default() };
/// let mut rows = 0;
/// for batch in TableReader::open(source, &options)? {
///     rows += batch?.n_rows();
/// }
/// assert_eq!(rows, 3);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub struct TableReader {
    batches: Box<dyn Batches>,
    /// The words of each category column where a first pass found them.
    words: BTreeMap<String, Vec<String>>,
    rows: usize,
    finished: bool,
}

impl TableReader {
    /// Opens a file, standard input (`-`) or bytes in memory.
    pub fn open(source: impl Into<Source>, options: &ReadOptions) -> Result<TableReader> {
        TableReader::open_with(source, options, &Run::new())
    }

    /// Opens like [`TableReader::open`]; the first pass over the file can be cancelled.
    pub fn open_with(
        source: impl Into<Source>,
        options: &ReadOptions,
        run: &Run,
    ) -> Result<TableReader> {
        let source = source.into();
        let (input, format) = open(&source, options)?;
        let collects_its_own_words = matches!(format, Format::Csv | Format::Tsv | Format::Svmlight);
        let (input, words) = match options.first_pass && !collects_its_own_words {
            true => {
                let complain = |error: std::io::Error| source.complain(describe(&error));
                let input = input.rewindable().map_err(complain)?;
                let again = input.again().map_err(complain)?;
                let words = all_words(&mut *batches(&source, again, format, options, run)?, run)?;
                (input.again().map_err(complain)?, words)
            }
            false => (input, BTreeMap::new()),
        };
        Ok(TableReader {
            batches: batches(&source, input, format, options, run)?,
            words,
            rows: 0,
            finished: false,
        })
    }

    /// The rows left out so far.
    pub fn rejected(&self) -> &[Rejected] {
        self.batches.rejected()
    }

    fn next_table(&mut self) -> Result<Option<Table>> {
        let Some(mut table) = self.batches.next_batch()? else {
            return Ok(None);
        };
        if !self.words.is_empty() {
            let mut recoded = Table::new();
            for name in table.names().to_vec() {
                let column = table.take(&name)?;
                let column = match self.words.get(&name) {
                    Some(words) => recode(&name, column, words, self.rows)?,
                    None => column,
                };
                recoded.push(name, column)?;
            }
            table = recoded;
        }
        self.rows += table.n_rows();
        Ok(Some(table))
    }
}

fn all_words(batches: &mut dyn Batches, run: &Run) -> Result<BTreeMap<String, Vec<String>>> {
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    while let Some(table) = batches.next_batch()? {
        run.check()?;
        for (name, column) in table.names().iter().zip(table.columns()) {
            if let Column::Categories { names, .. } = column {
                let known = words.entry(name.clone()).or_default();
                known.extend(names.iter().cloned());
            }
        }
    }
    let sorted = |(name, words): (String, BTreeSet<String>)| (name, words.into_iter().collect());
    Ok(words.into_iter().map(sorted).collect())
}

impl Iterator for TableReader {
    type Item = Result<Table>;

    fn next(&mut self) -> Option<Result<Table>> {
        if self.finished {
            return None;
        }
        let next = self.next_table().transpose();
        self.finished = !matches!(next, Some(Ok(_)));
        next
    }
}

impl std::fmt::Debug for TableReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("TableReader")
            .field("rows", &self.rows)
            .field("finished", &self.finished)
            .finish_non_exhaustive()
    }
}
