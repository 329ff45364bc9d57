//! Arrow and Parquet files as batches, and back.

use super::from_arrow::{check_types, table_from_batch};
use super::to_arrow::batch_from_table;
use crate::pieces::convert;
use crate::read::{Batches, in_file};
use crate::source::{Input, describe};
use crate::{Format, ReadOptions, Source};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, Schema};
use bytes::Bytes;
use didact_core::{ColumnKind, Error, Result, Table};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;
use std::collections::BTreeMap;
use std::io::{BufReader, Cursor, Read, Seek, Write};

type RecordBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// The batches of an Arrow or Parquet file.
pub(crate) struct ArrowBatches {
    source: Source,
    batches: RecordBatches,
    /// What is left of a stored batch that is larger than asked for.
    pending: Option<RecordBatch>,
    kinds: BTreeMap<String, ColumnKind>,
    batch_rows: usize,
    rows: usize,
}

impl ArrowBatches {
    pub(crate) fn open(
        source: &Source,
        input: Input,
        format: Format,
        options: &ReadOptions,
    ) -> Result<ArrowBatches> {
        let batch_rows = options.batch_rows.max(1);
        let opened = match (format, input) {
            (Format::Parquet, Input::Disk(file)) => parquet(file, batch_rows),
            (Format::Parquet, other) => parquet(in_memory(source, other)?, batch_rows),
            (Format::Arrow, Input::Disk(file)) => arrow_file(BufReader::new(file)),
            (Format::Arrow, other) => arrow_file(Cursor::new(in_memory(source, other)?)),
            (_, other) => arrow_stream(other),
        };
        let (schema, batches) = opened.map_err(|message| source.complain(message))?;
        let judge = |result: Result<()>| result.map_err(|error| in_file(source, error));
        judge(check_types(&schema))?;
        judge(check_names(&schema, options))?;
        Ok(ArrowBatches {
            source: source.clone(),
            batches,
            pending: None,
            kinds: options.kinds.clone(),
            batch_rows,
            rows: 0,
        })
    }
}

type Opened = Result<(Schema, RecordBatches), String>;

fn parquet(file: impl ChunkReader + 'static, batch_rows: usize) -> Opened {
    let damaged = |error| format!("the Parquet file is damaged or incomplete: {error}");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let schema = builder.schema().as_ref().clone();
    // The types are judged before the reader is made, which refuses some of them less clearly.
    check_types(&schema).map_err(|error| error.to_string())?;
    let reader = builder
        .with_batch_size(batch_rows)
        .build()
        .map_err(damaged)?;
    Ok((schema, Box::new(reader)))
}

fn arrow_file(file: impl Read + Seek + Send + 'static) -> Opened {
    let reader = FileReader::try_new(file, None)
        .map_err(|error| format!("the Arrow file is damaged or incomplete: {error}"))?;
    Ok((reader.schema().as_ref().clone(), Box::new(reader)))
}

fn arrow_stream(input: Input) -> Opened {
    let reader = StreamReader::try_new(BufReader::new(input), None)
        .map_err(|error| format!("the Arrow stream is damaged or incomplete: {error}"))?;
    Ok((reader.schema().as_ref().clone(), Box::new(reader)))
}

fn in_memory(source: &Source, mut input: Input) -> Result<Bytes> {
    let mut bytes = Vec::new();
    input
        .read_to_end(&mut bytes)
        .map_err(|error| source.complain(describe(&error)))?;
    Ok(Bytes::from(bytes))
}

fn check_names(schema: &Schema, options: &ReadOptions) -> Result<()> {
    match options
        .kinds
        .keys()
        .find(|name| schema.field_with_name(name).is_err())
    {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = schema
                .fields()
                .iter()
                .map(|field| field.name().as_str())
                .collect();
            Err(Error::data(format!(
                "a kind is given for column {name}, but the columns are {}",
                names.join(", ")
            )))
        }
    }
}

impl Batches for ArrowBatches {
    fn next_batch(&mut self) -> Result<Option<Table>> {
        let batch = match self.pending.take() {
            Some(batch) => batch,
            None => match self.batches.next() {
                None => return Ok(None),
                Some(Err(error)) => {
                    return Err(self
                        .source
                        .complain(format!("the file is damaged or incomplete: {error}")));
                }
                Some(Ok(batch)) => batch,
            },
        };
        let batch = match batch.num_rows() > self.batch_rows {
            true => {
                let rest = batch.num_rows() - self.batch_rows;
                self.pending = Some(batch.slice(self.batch_rows, rest));
                batch.slice(0, self.batch_rows)
            }
            false => batch,
        };
        let in_source = |error| in_file(&self.source, error);
        let mut table = table_from_batch(&batch).map_err(in_source)?;
        if !self.kinds.is_empty() {
            table = self.converted(table).map_err(in_source)?;
        }
        self.rows += table.n_rows();
        Ok(Some(table))
    }
}

impl ArrowBatches {
    fn converted(&self, mut table: Table) -> Result<Table> {
        let mut converted = Table::new();
        for name in table.names().to_vec() {
            let column = table.take(&name)?;
            let column = match self.kinds.get(&name) {
                Some(&kind) => convert(&name, column, kind, self.rows)?,
                None => column,
            };
            converted.push(name, column)?;
        }
        Ok(converted)
    }
}

pub(crate) fn write_parquet(table: &Table, target: &mut (dyn Write + Send)) -> Result<()> {
    let batch = batch_from_table(table)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let complain = |error| Error::data(format!("the Parquet file cannot be written: {error}"));
    let mut writer =
        ArrowWriter::try_new(target, batch.schema(), Some(properties)).map_err(complain)?;
    writer.write(&batch).map_err(complain)?;
    writer.close().map_err(complain)?;
    Ok(())
}

pub(crate) fn write_file(table: &Table, target: &mut dyn Write) -> Result<()> {
    let batch = batch_from_table(table)?;
    let write = || {
        let mut writer = FileWriter::try_new(target, &batch.schema())?;
        writer.write(&batch)?;
        writer.finish()
    };
    write().map_err(|error| Error::data(format!("the Arrow file cannot be written: {error}")))
}

pub(crate) fn write_stream(table: &Table, target: &mut dyn Write) -> Result<()> {
    let batch = batch_from_table(table)?;
    let write = || {
        let mut writer = StreamWriter::try_new(target, &batch.schema())?;
        writer.write(&batch)?;
        writer.finish()
    };
    write().map_err(|error| Error::data(format!("the Arrow stream cannot be written: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_table;
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::IpcWriteOptions;
    use didact_core::Column;
    use parquet::basic::{GzipLevel, ZstdLevel};

    fn table() -> Table {
        let mut table = Table::new();
        let numbers = (0..500).map(|row| f64::from(row % 7)).collect();
        let words = (0..500).map(|row| Some(if row % 3 == 0 { "fizz" } else { "no" }));
        table.push("number", Column::Numbers(numbers)).unwrap();
        table.push("word", Column::from_words(words)).unwrap();
        table
    }

    fn read(bytes: Vec<u8>) -> Table {
        read_table(Source::bytes("x", bytes), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn every_usual_compression_of_parquet_reads() {
        let batch = batch_from_table(&table()).unwrap();
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::ZSTD(ZstdLevel::default()),
            Compression::LZ4,
            Compression::LZ4_RAW,
        ] {
            let properties = WriterProperties::builder()
                .set_compression(compression)
                .build();
            let mut bytes = Vec::new();
            let mut writer =
                ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            assert_eq!(read(bytes), table(), "{compression}");
        }
    }

    #[test]
    fn compressed_feather_files_read() {
        let batch = batch_from_table(&table()).unwrap();
        for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
            let options = IpcWriteOptions::default()
                .try_with_compression(Some(compression))
                .unwrap();
            let mut bytes = Vec::new();
            let mut writer =
                FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
            drop(writer);
            assert_eq!(read(bytes), table());
        }
    }

    #[test]
    fn a_kind_that_is_given_converts_the_column() {
        let mut options = ReadOptions::default();
        options
            .kinds
            .insert("number".to_owned(), ColumnKind::Category);
        let mut bytes = Vec::new();
        write_parquet(&table(), &mut bytes).unwrap();
        let back = read_table(Source::bytes("x.parquet", &bytes), &options).unwrap();
        assert_eq!(back.column("number").unwrap().kind(), ColumnKind::Category);
        options.kinds.insert("wrod".to_owned(), ColumnKind::Number);
        let message = read_table(Source::bytes("x.parquet", &bytes), &options)
            .unwrap_err()
            .to_string();
        assert!(
            message.ends_with("column wrod, but the columns are number, word"),
            "{message}"
        );
    }
}
