//! Reading a whole text table, wave by wave and in parallel.

use super::dialect::Dialect;
use super::parse::{Parsed, Plan};
use super::waves::{Chunk, Waves};
use crate::cells::{Candidates, Missing};
use crate::growing::Growing;
use crate::source::{Unpacked, describe};
use crate::{Format, ReadOptions, Reading};
use didact_core::{ColumnKind, Error, Result, Run, Table, parallel};
use std::io::Read;

/// Records that the kinds of the columns are presumed from.
const PRESUMED_FROM: usize = 4096;

/// Reads a text table.
pub(crate) fn read(
    source: Unpacked,
    format: Format,
    options: &ReadOptions,
    run: &Run,
) -> Result<Reading> {
    let outcome = Reader::open(&source, format, options).and_then(|mut reader| reader.read(run));
    match outcome {
        Err(error) if !matches!(error, Error::Cancelled) => {
            // That the file is no text at all says more than what it looks like as a table.
            check_text(&source)?;
            Err(error)
        }
        outcome => outcome,
    }
}

/// A text table of which is known how it is written.
struct Reader<'a> {
    source: &'a Unpacked,
    plan: Plan,
    given: Vec<Option<ColumnKind>>,
    /// Offset of the first row.
    body: usize,
    /// Line of the first row.
    body_line: usize,
    /// Records that one thread reads at a time.
    chunk_records: usize,
}

impl<'a> Reader<'a> {
    /// Finds out how the table is written, and presumes its kinds from the first rows.
    fn open(source: &'a Unpacked, format: Format, options: &ReadOptions) -> Result<Reader<'a>> {
        let mut waves = start(source)?;
        let length = waves.hold(head_end).map_err(unreadable)?;
        let head = as_text(&waves.rest()[..length], 1)?;
        let dialect = Dialect::find(head, format, options)?;
        let (body, body_line) = (length - head.len() + dialect.body, dialect.body_line);
        let given = dialect.given_kinds(options);
        let mut plan = Plan {
            delimiter: dialect.delimiter,
            kinds: vec![ColumnKind::Category; given.len()],
            certain: given.iter().map(Option::is_some).collect(),
            names: dialect.names,
            missing: Missing::new(&options.missing),
            reject: options.reject,
        };
        waves.skip(body, body_line).map_err(unreadable)?;
        let chunk_records = presume_kinds(&mut plan, &given, &mut waves)?;
        drop(waves);
        Ok(Reader {
            source,
            plan,
            given,
            body,
            body_line,
            chunk_records,
        })
    }

    fn read(&mut self, run: &Run) -> Result<Reading> {
        if let Some(reading) = self.read_as_presumed(run)? {
            return Ok(reading);
        }
        // The first rows misled: all rows decide, and are read again.
        self.survey_all(run)?;
        self.read_as_presumed(run)?
            .ok_or_else(|| Error::data("the file changed while it was read"))
    }

    /// Reads all rows, or gives up where a value contradicts the presumed kind of its column.
    fn read_as_presumed(&self, run: &Run) -> Result<Option<Reading>> {
        let mut rejected = Vec::new();
        let names = &self.plan.names;
        let mut columns: Vec<Growing> = names.iter().map(|_| Growing::default()).collect();
        let mut chunks = 0;
        let finished = self.for_each_chunk(run, Plan::parse, |part: Parsed| {
            chunks += 1;
            rejected.extend(part.rejected);
            for (column, piece) in columns.iter_mut().zip(part.columns) {
                column.push(piece);
            }
            !part.contradicted.contains(&true)
        })?;
        if !finished {
            return Ok(None);
        }
        if chunks == 0 {
            return Err(Error::data(
                "there is a header but no rows; a table needs at least one row",
            ));
        }
        let mut table = Table::new();
        for (name, column) in self.plan.names.iter().zip(columns) {
            table.push(name.as_str(), column.finish())?;
        }
        Ok(Some(Reading { table, rejected }))
    }

    /// Decides on the kinds by all rows.
    fn survey_all(&mut self, run: &Run) -> Result<()> {
        let mut all = vec![Candidates::ALL; self.given.len()];
        let survey = |plan: &Plan, text: &str, first_line: usize| {
            let mut candidates = vec![Candidates::ALL; plan.names.len()];
            // What is wrong with the rows is said when they are read, in their order.
            let _ = plan.survey(text, first_line, &mut candidates);
            Ok(candidates)
        };
        self.for_each_chunk(run, survey, |candidates: Vec<Candidates>| {
            for (all, found) in all.iter_mut().zip(candidates) {
                *all = all.and(found);
            }
            true
        })?;
        self.plan.settle(&self.given, &all);
        Ok(())
    }

    /// Does `work` on the chunks of each wave in parallel, and hands what comes of it to `take` in
    /// the order of the rows until that returns false; says whether it never did.
    fn for_each_chunk<T: Send>(
        &self,
        run: &Run,
        work: impl Fn(&Plan, &str, usize) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> bool,
    ) -> Result<bool> {
        let plan = &self.plan;
        let mut waves = start(self.source)?;
        waves.skip(self.body, self.body_line).map_err(unreadable)?;
        loop {
            let chunks = waves
                .next(plan.delimiter, self.chunk_records)
                .map_err(unreadable)?;
            if chunks.is_empty() {
                return Ok(true);
            }
            let done = in_order(&chunks, run, &|chunk| {
                let text = as_lines(chunk.bytes, chunk.first_line)?;
                match is_blank(text) {
                    true => Ok(None),
                    false => work(plan, text, chunk.first_line).map(Some),
                }
            })?;
            if !done.into_iter().flatten().all(&mut take) {
                return Ok(false);
            }
        }
    }
}

/// The work on all chunks; where there are several errors, the first in the file is returned.
fn in_order<T: Send>(
    chunks: &[Chunk<'_>],
    run: &Run,
    work: &(impl Fn(&Chunk<'_>) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    let done = parallel::reduce(
        chunks.len(),
        1,
        run,
        &|range| chunks[range].iter().map(work).collect::<Result<Vec<_>>>(),
        &|mut left, right| {
            left.extend(right);
            left
        },
    )?;
    Ok(done.unwrap_or_default())
}

impl Plan {
    /// Takes the kinds that are given, and of the others what their values can mean.
    fn settle(&mut self, given: &[Option<ColumnKind>], candidates: &[Candidates]) {
        let kinds = given.iter().zip(candidates);
        self.kinds = kinds
            .map(|(given, found)| given.unwrap_or(found.kind()))
            .collect();
    }
}

fn start(source: &Unpacked) -> Result<Waves<Box<dyn Read + Send + '_>>> {
    let reader = source.reader().map_err(unreadable)?;
    Waves::new(reader, source.length()).map_err(unreadable)
}

fn unreadable(error: std::io::Error) -> Error {
    Error::data(describe(&error))
}

/// Whether there is nothing but blank lines.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty() && !text.contains('\t')
}

/// Presumes the kinds of the columns from the first rows; also says how many rows are as much text
/// as stays in the processor's cache together with its values.
fn presume_kinds(
    plan: &mut Plan,
    given: &[Option<ColumnKind>],
    waves: &mut Waves<impl Read>,
) -> Result<usize> {
    const CHUNK_BYTES: usize = 1 << 17;
    let mut candidates = vec![Candidates::ALL; given.len()];
    let (mut records, mut bytes) = (0, 0);
    while records < PRESUMED_FROM {
        let chunks = waves
            .next(plan.delimiter, PRESUMED_FROM - records)
            .map_err(unreadable)?;
        // What follows in the wave is beyond the first rows.
        let Some(first) = chunks.first() else {
            break;
        };
        let text = as_lines(first.bytes, first.first_line)?;
        plan.survey(text, first.first_line, &mut candidates)?;
        records += first.records;
        bytes += first.bytes.len();
    }
    plan.settle(given, &candidates);
    Ok((CHUNK_BYTES * records / bytes.max(1)).clamp(64, 4096))
}

/// Refuses a source that is not text, wherever in it that shows.
fn check_text(source: &Unpacked) -> Result<()> {
    let mut waves = start(source)?;
    refuse_utf_16(waves.rest())?;
    loop {
        let chunks = waves.next(b',', PRESUMED_FROM).map_err(unreadable)?;
        if chunks.is_empty() {
            return Ok(());
        }
        for chunk in chunks {
            as_lines(chunk.bytes, chunk.first_line)?;
        }
    }
}

/// The bytes of a whole file as text without a byte order mark.
pub(crate) fn as_text(bytes: &[u8], first_line: usize) -> Result<&str> {
    refuse_utf_16(bytes)?;
    let text = as_lines(bytes, first_line)?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn refuse_utf_16(bytes: &[u8]) -> Result<()> {
    match bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        true => Err(Error::data(
            "the text is UTF-16; save the file as UTF-8 and read it again",
        )),
        false => Ok(()),
    }
}

/// Some lines of a file as text.
fn as_lines(bytes: &[u8], first_line: usize) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let lines = memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count();
        Error::data(format!(
            "line {} is not UTF-8 text; convert the file to UTF-8 (it may be Latin-1 or binary)",
            first_line + lines
        ))
    })
}

/// Whole records at the start that suffice to find out how the table is written.
pub(crate) fn head_length(bytes: &[u8]) -> usize {
    head_end(bytes).unwrap_or(bytes.len())
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    const LINES: usize = 200;
    let place = memchr::memchr_iter(b'\n', bytes).nth(LINES);
    place.map(|place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reject, Source};
    use didact_core::Column;

    fn read(text: &[u8], format: Format, options: &ReadOptions, run: &Run) -> Result<Reading> {
        let source = Source::bytes("t", text).open()?.into_unpacked().unwrap();
        super::read(source, format, options, run)
    }

    fn try_read(text: &[u8], options: &ReadOptions) -> Result<Reading> {
        read(text, Format::Csv, options, &Run::new())
    }

    fn table(text: &str) -> Table {
        try_read(text.as_bytes(), &ReadOptions::default())
            .unwrap()
            .table
    }

    fn complaint(text: &[u8]) -> String {
        try_read(text, &ReadOptions::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn kinds_are_found_and_missing_values_kept() {
        let table = table(
            "\u{feff}size,ripe,picked,kind\r\n1.5,yes,2024-05-01,apple\r\nNA,no,?,\"pear\"\r\n-,,2024-05-02T12:00,N/A\r\n",
        );
        let Column::Numbers(sizes) = table.column("size").unwrap() else {
            panic!("sizes are numbers")
        };
        assert_eq!(sizes[0], 1.5);
        assert!(sizes[1].is_nan() && sizes[2].is_nan());
        assert_eq!(
            *table.column("ripe").unwrap(),
            Column::Booleans(vec![Some(true), Some(false), None])
        );
        // 2024-05-01 is 19844 days after 1970-01-01.
        assert_eq!(
            *table.column("picked").unwrap(),
            Column::Times(vec![
                Some(19_844.0 * 86_400.0),
                None,
                Some(19_845.5 * 86_400.0)
            ])
        );
        assert_eq!(
            *table.column("kind").unwrap(),
            Column::from_words([Some("apple"), Some("pear"), None])
        );
    }

    #[test]
    fn a_late_word_turns_a_column_of_numbers_into_words() {
        let mut text = "a,b\n".to_owned();
        for row in 0..10_000 {
            text.push_str(&format!("{row},{row}\n"));
        }
        text.push_str("x,1\n");
        let table = table(&text);
        assert_eq!(table.n_rows(), 10_001);
        assert_eq!(table.columns()[0].kind(), ColumnKind::Category);
        assert_eq!(table.columns()[1].kind(), ColumnKind::Number);
    }

    #[test]
    fn threads_do_not_change_the_table() {
        let mut text = "n,w\n".to_owned();
        for row in 0..20_000 {
            text.push_str(&format!("{},\"w{}\nx\"\n", row as f64 / 7.0, row % 97));
        }
        let options = ReadOptions::default();
        let one = Run::new().threads(1);
        let two = Run::new().threads(2);
        let alone = one
            .install(|| read(text.as_bytes(), Format::Csv, &options, &one))
            .unwrap();
        let together = two
            .install(|| read(text.as_bytes(), Format::Csv, &options, &two))
            .unwrap();
        assert_eq!(alone, together);
        assert_eq!(alone.table.n_rows(), 20_000);
    }

    #[test]
    fn quoted_tokens_are_words_among_words_and_missing_among_numbers() {
        let table = table("code,size\n\"NA\",\"NA\"\nDE,\"3\"\nNA,4\n\"\",5\n");
        assert_eq!(
            *table.column("code").unwrap(),
            Column::from_words([Some("NA"), Some("DE"), None, None])
        );
        assert_eq!(table.column("size").unwrap().n_missing(), 1);
    }

    #[test]
    fn bad_rows_stop_the_reading_or_are_set_aside_with_the_reason() {
        let text = "a,b\n1,2\n3\n\"4\"x,5\n6,7,8\n\n9,10\n";
        assert_eq!(
            complaint(text.as_bytes()),
            "line 3: there are 1 values but 2 columns"
        );
        let options = ReadOptions {
            reject: Reject::Skip,
            ..ReadOptions::default()
        };
        let reading = try_read(text.as_bytes(), &options).unwrap();
        assert_eq!(
            *reading.table.column("a").unwrap(),
            Column::Numbers(vec![1.0, 9.0])
        );
        let lines: Vec<usize> = reading.rejected.iter().map(|row| row.line).collect();
        assert_eq!(lines, [3, 4, 5]);
        assert!(
            reading.rejected[2]
                .reason
                .contains("3 values but 2 columns")
        );
    }

    #[test]
    fn a_given_kind_judges_the_values() {
        let mut options = ReadOptions::default();
        options.kinds.insert("zip".into(), ColumnKind::Category);
        options.kinds.insert("size".into(), ColumnKind::Number);
        let text = b"zip,size\n01234,1\n99999,big\n";
        let message = try_read(text, &options).unwrap_err().to_string();
        assert!(
            message.starts_with("line 3: column size is \"big\""),
            "{message}"
        );
        options.reject = Reject::Skip;
        let reading = try_read(text, &options).unwrap();
        assert_eq!(
            *reading.table.column("zip").unwrap(),
            Column::from_words([Some("01234")])
        );
        options.kinds.insert("weight".into(), ColumnKind::Number);
        let message = try_read(text, &options).unwrap_err().to_string();
        assert!(message.contains("column weight, but the columns are zip, size"));
    }

    #[test]
    fn unusable_files_are_clear_errors() {
        assert!(complaint(b"").starts_with("the file is empty"));
        assert!(complaint(b"\n\n").starts_with("the file is empty"));
        assert!(complaint(b"a,b\n").starts_with("there is a header but no rows"));
        assert!(complaint(b"a,b\n1,\xff\n").starts_with("line 2 is not UTF-8"));
        assert!(complaint(b"\xff\xfea\0").starts_with("the text is UTF-16"));
        assert_eq!(
            complaint(b"a,b\n1,2\n3,\"4\n5,6\n"),
            "line 3: a quote is opened but never closed"
        );
    }

    #[test]
    fn a_cancelled_run_stops_the_reading() {
        let cancel = didact_core::Cancel::new();
        cancel.cancel();
        let run = Run::new().cancelled_by(&cancel);
        let result = read(b"a\n1\n", Format::Csv, &ReadOptions::default(), &run);
        assert!(matches!(result, Err(Error::Cancelled)));
    }

    #[test]
    fn values_longer_than_a_wave_keep_their_line_ends() {
        let long = "line\n".repeat(1_200_000);
        let text = format!("a,b\n1,\"{long}\"\n2,\"{long}x\"\n3,y\n");
        let table = table(&text);
        let long_x = format!("{long}x");
        assert_eq!(
            *table.column("b").unwrap(),
            Column::from_words([Some(long.as_str()), Some(&long_x), Some("y")])
        );
    }

    #[test]
    fn a_header_may_be_longer_than_a_wave() {
        let name = "n".repeat(5 << 20);
        let table = table(&format!("{name},b\n1,2\n"));
        assert_eq!(*table.column("b").unwrap(), Column::Numbers(vec![2.0]));
    }

    #[test]
    fn the_line_of_an_error_counts_the_lines_inside_quotes_of_earlier_waves() {
        let mut text = "n,w\n".to_owned();
        for row in 0..300_000 {
            text.push_str(&format!("{row},\"w\n{}\"\n", row % 7));
        }
        let bad = format!("{text}1\n");
        assert_eq!(
            complaint(bad.as_bytes()),
            "line 600002: there are 1 values but 2 columns"
        );
        let mut broken = bad.into_bytes();
        broken.extend(b"2,\xff\n");
        assert!(complaint(&broken).starts_with("line 600003 is not UTF-8"));
    }

    #[test]
    fn a_number_that_stands_for_a_missing_value_is_missing() {
        let options = ReadOptions {
            missing: vec!["-999".to_owned()],
            ..ReadOptions::default()
        };
        let reading = try_read(b"a,b\n1,-999\n-999,2.5\n-9990,3\n", &options).unwrap();
        assert_eq!(reading.table.column("a").unwrap().n_missing(), 1);
        assert_eq!(reading.table.column("b").unwrap().n_missing(), 1);
    }

    #[test]
    fn a_delimiter_that_may_stand_in_numbers_still_cuts_them() {
        let options = ReadOptions {
            delimiter: Some('.'),
            header: Some(false),
            ..ReadOptions::default()
        };
        let reading = try_read(b"1.5\n2.25\n", &options).unwrap();
        assert_eq!(
            *reading.table.column("column_2").unwrap(),
            Column::Numbers(vec![5.0, 25.0])
        );
    }
}
