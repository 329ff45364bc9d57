//! Reading a whole text table at once, in parallel.

use super::dialect::Dialect;
use super::parse::{Parsed, Plan};
use super::scan::cut;
use crate::cells::{Candidates, Missing};
use crate::pieces::join;
use crate::{Format, ReadOptions, Reading};
use didact_core::{Column, ColumnKind, Error, Result, Run, Table, parallel};

/// Rows per piece of parallel work.
const CHUNK: usize = 4096;

/// Some whole records of the text.
struct Chunk<'a> {
    text: &'a str,
    first_line: usize,
}

/// Reads a text table of which all bytes are in memory.
pub(crate) fn read(
    bytes: &[u8],
    format: Format,
    options: &ReadOptions,
    run: &Run,
) -> Result<Reading> {
    let text = as_text(bytes, 1)?;
    let head = &text[..head_length(text.as_bytes())];
    let dialect = Dialect::find(head, format, options)?;
    let chunks = chunks(&text[dialect.body..], &dialect);
    if chunks.is_empty() {
        return Err(Error::data(
            "there is a header but no rows; a table needs at least one row",
        ));
    }
    let given = dialect.given_kinds(options);
    let mut plan = Plan {
        delimiter: dialect.delimiter,
        kinds: vec![ColumnKind::Category; given.len()],
        certain: given.iter().map(Option::is_some).collect(),
        names: dialect.names,
        missing: Missing::new(&options.missing),
        reject: options.reject,
    };
    plan.settle(&given, &chunks[..1], run)?;
    let mut parsed = plan.parse_all(&chunks, run)?;
    // The first rows may mislead; then all rows decide, and are read again.
    if parsed.iter().any(|part| part.contradicted.contains(&true)) {
        plan.settle(&given, &chunks, run)?;
        parsed = plan.parse_all(&chunks, run)?;
    }
    assemble(plan.names, parsed)
}

/// The bytes as text without a byte order mark.
pub(crate) fn as_text(bytes: &[u8], first_line: usize) -> Result<&str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Error::data(
            "the text is UTF-16; save the file as UTF-8 and read it again",
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let lines = memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count();
        Error::data(format!(
            "line {} is not UTF-8 text; convert the file to UTF-8 (it may be Latin-1 or binary)",
            first_line + lines
        ))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Whole records at the start that suffice to find out how the table is written.
pub(crate) fn head_length(bytes: &[u8]) -> usize {
    const LINES: usize = 200;
    let place = memchr::memchr_iter(b'\n', bytes).nth(LINES);
    place.map_or(bytes.len(), |place| place + 1)
}

fn chunks<'a>(body: &'a str, dialect: &Dialect) -> Vec<Chunk<'a>> {
    let mut chunks = Vec::new();
    let (mut rest, mut first_line) = (body, dialect.body_line);
    while !rest.is_empty() {
        let place = cut(rest.as_bytes(), dialect.delimiter, CHUNK);
        // Fewer records than asked for: what is left has no line feed at its end.
        let end = match place.records < CHUNK {
            true => rest.len(),
            false => place.end,
        };
        let (text, tail) = rest.split_at(end);
        if !text.trim().is_empty() || text.contains('\t') {
            chunks.push(Chunk { text, first_line });
        }
        first_line += place.lines;
        rest = tail;
    }
    chunks
}

impl Plan {
    /// Decides on the kinds that are not given by what the values of `chunks` can mean.
    fn settle(
        &mut self,
        given: &[Option<ColumnKind>],
        chunks: &[Chunk<'_>],
        run: &Run,
    ) -> Result<()> {
        let plan = &*self;
        let found = parallel::reduce(
            chunks.len(),
            1,
            run,
            &|range| {
                let mut candidates = vec![Candidates::ALL; plan.names.len()];
                for chunk in &chunks[range] {
                    plan.survey(chunk.text, chunk.first_line, &mut candidates)?;
                }
                Ok(candidates)
            },
            &|left, right| left.iter().zip(right).map(|(a, b)| a.and(b)).collect(),
        )?
        .unwrap_or_default();
        self.kinds = given
            .iter()
            .zip(found)
            .map(|(given, found)| given.unwrap_or(found.kind()))
            .collect();
        Ok(())
    }

    fn parse_all(&self, chunks: &[Chunk<'_>], run: &Run) -> Result<Vec<Parsed>> {
        let parts = parallel::reduce(
            chunks.len(),
            1,
            run,
            &|range| {
                chunks[range]
                    .iter()
                    .map(|chunk| self.parse(chunk.text, chunk.first_line))
                    .collect::<Result<Vec<_>>>()
            },
            &|mut left, right| {
                left.extend(right);
                left
            },
        )?;
        Ok(parts.unwrap_or_default())
    }
}

fn assemble(names: Vec<String>, parsed: Vec<Parsed>) -> Result<Reading> {
    let mut rejected = Vec::new();
    let mut pieces: Vec<Vec<Column>> = names.iter().map(|_| Vec::new()).collect();
    for part in parsed {
        rejected.extend(part.rejected);
        for (column, piece) in pieces.iter_mut().zip(part.columns) {
            column.push(piece);
        }
    }
    let mut table = Table::new();
    for (name, pieces) in names.into_iter().zip(pieces) {
        table.push(name, join(pieces))?;
    }
    Ok(Reading { table, rejected })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reject;

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
}
