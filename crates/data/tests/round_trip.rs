//! What is written reads back as the same table, in every format, whole or in batches.

use didact_core::{Column, ColumnKind, Table};
use didact_data::{Format, ReadOptions, Source, TableReader, read_table, write_table, write_to};
use proptest::prelude::*;

/// Options under which a text format gives the kinds back that words alone do not tell.
fn options(table: &Table) -> ReadOptions {
    let kinds = table
        .names()
        .iter()
        .zip(table.columns())
        .map(|(name, column)| (name.clone(), column.kind()))
        .collect();
    ReadOptions {
        header: Some(true),
        kinds,
        ..ReadOptions::default()
    }
}

fn bytes(table: &Table, format: Format) -> Source {
    let mut bytes = Vec::new();
    write_to(table, &mut bytes, format).unwrap();
    Source::bytes("table", bytes)
}

/// Equality in which missing numbers are equal.
fn same(left: &Table, right: &Table) -> bool {
    let same_column = |(left, right): (&Column, &Column)| match (left, right) {
        (Column::Numbers(left), Column::Numbers(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
        }
        _ => left == right,
    };
    left.names() == right.names() && left.columns().iter().zip(right.columns()).all(same_column)
}

fn tables() -> impl Strategy<Value = Table> {
    let number = prop_oneof![
        4 => proptest::num::f64::NORMAL | proptest::num::f64::ZERO | proptest::num::f64::SUBNORMAL,
        1 => Just(f64::NAN),
        2 => (-1000..1000_i32).prop_map(f64::from),
    ];
    // Words with everything that could confuse a reader; never empty.
    let word = prop_oneof![
        "[a-z]{1,6}",
        "[ \"',;|\\t\\r\\n#àß漢-]{1,5}",
        Just("NA".to_owned()),
        Just("12".to_owned()),
        Just("true".to_owned()),
    ];
    let time = (-60_000_000_000_i64..250_000_000_000).prop_map(|tenths| tenths as f64 / 10.0);
    let row = (
        number,
        proptest::option::of(any::<bool>()),
        proptest::option::of(word.clone()),
        proptest::option::of(time),
    );
    let name = prop_oneof!["[a-z]{1,4}", "[ \",;é\\n]{1,4}"];
    (proptest::collection::vec(row, 1..30), name).prop_map(|(rows, name)| {
        let mut table = Table::new();
        let numbers = rows.iter().map(|row| row.0).collect();
        table.push("number", Column::Numbers(numbers)).unwrap();
        table
            .push(
                name,
                Column::Booleans(rows.iter().map(|row| row.1).collect()),
            )
            .unwrap();
        table
            .push(
                "word of it",
                Column::from_words(rows.iter().map(|row| row.2.as_deref())),
            )
            .unwrap();
        let times = rows.iter().map(|row| row.3).collect();
        table.push("time", Column::Times(times)).unwrap();
        table
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_format_gives_the_table_back(table in tables()) {
        for format in Format::ALL.into_iter().filter(|&format| format != Format::Svmlight) {
            let mut options = options(&table);
            options.format = Some(format);
            let back = read_table(bytes(&table, format), &options).unwrap();
            prop_assert!(same(&back, &table), "{format}: {back:?} for {table:?}");
        }
    }

    #[test]
    fn batches_join_to_the_table(table in tables(), batch_rows in 1_usize..8) {
        for format in Format::ALL.into_iter().filter(|&format| format != Format::Svmlight) {
            let options = ReadOptions { batch_rows, format: Some(format), ..options(&table) };
            let mut start = 0;
            for batch in TableReader::open(bytes(&table, format), &options).unwrap() {
                let batch = batch.unwrap();
                let rows: Vec<usize> = (start..start + batch.n_rows()).collect();
                prop_assert!(batch.n_rows() <= batch_rows);
                // `select` keeps the words, so the lists of words are equal in every batch.
                prop_assert!(same(&batch, &table.select(&rows)), "{format}: {batch:?} of {table:?}");
                start += batch.n_rows();
            }
            prop_assert_eq!(start, table.n_rows());
        }
    }
}

fn fruit() -> Table {
    let mut table = Table::new();
    table
        .push("weight", Column::Numbers(vec![150.0, f64::NAN, 3.5]))
        .unwrap();
    table
        .push(
            "kind",
            Column::from_words([Some("pear"), Some("apple"), None]),
        )
        .unwrap();
    table
        .push(
            "ripe",
            Column::Booleans(vec![Some(true), None, Some(false)]),
        )
        .unwrap();
    table
        .push(
            "picked",
            Column::Times(vec![None, Some(0.0), Some(86_400.5)]),
        )
        .unwrap();
    table
}

#[test]
fn files_are_recognised_by_extension_and_by_content() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "a.csv",
        "a.tsv",
        "a.csv.gz",
        "a.jsonl.gz",
        "a.jsonl",
        "a.parquet",
        "a.arrow",
        "a.arrows",
    ] {
        let path = folder.path().join(name);
        write_table(&fruit(), &path, None).unwrap();
        let back = read_table(&path, &ReadOptions::default()).unwrap();
        assert!(same(&back, &fruit()), "{name}: {back:?}");
        let plain = folder.path().join("plain");
        std::fs::copy(&path, &plain).unwrap();
        let back = read_table(&plain, &ReadOptions::default()).unwrap();
        assert!(same(&back, &fruit()), "{name} without its name: {back:?}");
        let batches: Vec<Table> = TableReader::open(&path, &ReadOptions::default())
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(batches.len(), 1);
        assert!(same(&batches[0], &fruit()), "{name} in batches");
    }
}

#[test]
fn svmlight_gives_a_table_of_numbers_back() {
    let mut table = Table::new();
    for (name, values) in [
        ("target", [1.0, -1.0]),
        ("qid", [3.0, 4.0]),
        ("column_1", [0.0, 2.5]),
        ("column_2", [1.0, 0.0]),
    ] {
        table.push(name, Column::Numbers(values.to_vec())).unwrap();
    }
    let source = bytes(&table, Format::Svmlight);
    assert_eq!(read_table(source, &ReadOptions::default()).unwrap(), table);
    let message = write_to(&fruit(), &mut Vec::new(), Format::Svmlight)
        .unwrap_err()
        .to_string();
    assert!(message.contains("no column target"), "{message}");
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    for format in [Format::Parquet, Format::Arrow, Format::ArrowStream] {
        let mut content = Vec::new();
        write_to(&fruit(), &mut content, format).unwrap();
        for length in (0..content.len()).step_by(7) {
            let options = ReadOptions {
                format: Some(format),
                ..ReadOptions::default()
            };
            let cut = Source::bytes("cut", &content[..length]);
            let result = read_table(cut, &options);
            // A stream may end between messages; everything else must be noticed.
            if format != Format::ArrowStream {
                assert!(result.is_err(), "{format} cut to {length} bytes");
            }
        }
    }
}

#[test]
fn a_stream_without_first_pass_says_where_a_later_row_contradicts() {
    let options = ReadOptions {
        batch_rows: 2,
        first_pass: false,
        ..ReadOptions::default()
    };
    let source = Source::bytes("x.csv", "a,b\n1,x\n2,y\n3,z\nfour,z\n");
    let mut reader = TableReader::open(source.clone(), &options).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().n_rows(), 2);
    let message = reader.next().unwrap().unwrap_err().to_string();
    assert!(
        message.starts_with("x.csv: line 5: column a is \"four\", which is not a number"),
        "{message}"
    );
    assert!(reader.next().is_none());
    // With the first pass all rows decide.
    let options = ReadOptions {
        first_pass: true,
        ..options
    };
    let batches: Vec<Table> = TableReader::open(source, &options)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(batches.len(), 2);
    for batch in &batches {
        assert_eq!(batch.columns()[0].kind(), ColumnKind::Category);
        let Column::Categories { names, .. } = &batch.columns()[1] else {
            panic!("b holds words")
        };
        assert_eq!(names, &["x", "y", "z"]);
    }
}

#[test]
fn streams_set_bad_rows_aside_like_whole_reads() {
    let text = "a,b\n1,2\n3\n4,5\n6,7,8\n9,10\n";
    let options = ReadOptions {
        batch_rows: 2,
        reject: didact_data::Reject::Skip,
        ..ReadOptions::default()
    };
    let mut reader = TableReader::open(Source::bytes("x.csv", text), &options).unwrap();
    let rows: usize = reader.by_ref().map(|batch| batch.unwrap().n_rows()).sum();
    assert_eq!(rows, 3);
    let lines: Vec<usize> = reader.rejected().iter().map(|row| row.line).collect();
    assert_eq!(lines, [3, 5]);
}

#[test]
fn files_without_rows_are_refused_in_every_format() {
    let empty = fruit().select(&[]);
    for format in [
        Format::Csv,
        Format::Parquet,
        Format::Arrow,
        Format::ArrowStream,
    ] {
        let options = ReadOptions {
            format: Some(format),
            ..ReadOptions::default()
        };
        let message = read_table(bytes(&empty, format), &options)
            .unwrap_err()
            .to_string();
        assert!(message.contains("no rows"), "{format}: {message}");
    }
    let message = read_table(Source::bytes("x", ""), &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(message.contains("the file is empty"), "{message}");
}
