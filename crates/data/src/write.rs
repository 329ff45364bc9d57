//! Writing tables.

use crate::source::describe;
use crate::{Format, arrow, csv, json_lines, svmlight};
use didact_core::{Error, Result, Table};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a table to a file, or to standard output where the path is `-`.
///
/// The format is the given one, else the one of the extension, else CSV on standard output. A
/// text format with the extension `.gz` is packed. A file appears whole or not at all.
///
/// ```
/// use didact_core::{Column, Table};
/// use didact_data::{ReadOptions, read_table, write_table};
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("sizes.parquet");
/// let mut table = Table::new();
/// table.push("size", Column::Numbers(vec![1.0, 2.5]))?;
/// write_table(&table, &path, None)?;
/// assert_eq!(read_table(&path, &ReadOptions::default())?, table);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn write_table(table: &Table, target: impl AsRef<Path>, format: Option<Format>) -> Result<()> {
    let path = target.as_ref();
    if path.as_os_str() == "-" {
        let mut output = BufWriter::new(std::io::stdout());
        write_to(table, &mut output, format.unwrap_or(Format::Csv))?;
        return output
            .flush()
            .map_err(|error| Error::file("standard output", describe(&error)));
    }
    let name = path.to_string_lossy();
    let format = format.or_else(|| Format::from_name(&name)).ok_or_else(|| {
        Error::file(
            &name,
            "the extension says no format; use .csv, .tsv, .parquet, .arrow, .jsonl or .svm",
        )
    })?;
    let is_text = !matches!(
        format,
        Format::Parquet | Format::Arrow | Format::ArrowStream
    );
    write_atomically(path, |file| {
        match is_text && name.to_ascii_lowercase().ends_with(".gz") {
            false => write_to(table, file, format),
            true => {
                let mut packed = GzEncoder::new(file, Compression::default());
                write_to(table, &mut packed, format)?;
                packed
                    .finish()
                    .map_err(|error| Error::data(describe(&error)))?;
                Ok(())
            }
        }
    })
}

/// Writes a table in a format to anything that takes bytes.
pub fn write_to(table: &Table, target: &mut (dyn Write + Send), format: Format) -> Result<()> {
    if table.n_columns() == 0 {
        return Err(Error::data("the table has no columns to write"));
    }
    match format {
        Format::Csv | Format::Tsv => csv::write(table, format, target),
        Format::Parquet => arrow::write_parquet(table, target),
        Format::Arrow => arrow::write_file(table, target),
        Format::ArrowStream => arrow::write_stream(table, target),
        Format::JsonLines => json_lines::write(table, target),
        Format::Svmlight => svmlight::write(table, target),
    }
}

/// Calls `write` with a temporary file beside `path`, which takes its place when all went well.
///
/// What was there before stays untouched by a failure, and nobody sees half a file.
pub fn write_atomically(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    let complain = |error: std::io::Error| Error::file(path.display(), describe(&error));
    let in_file = |error: Error| match error {
        Error::Cancelled | Error::File { .. } => error,
        other => Error::file(path.display(), other),
    };
    // A link keeps pointing at what it points at; a device or a pipe cannot be replaced.
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match std::fs::metadata(&real) {
        Ok(facts) if facts.is_dir() => {
            return Err(Error::file(
                path.display(),
                "this is a directory; give the path of a file in it",
            ));
        }
        Ok(facts) if !facts.is_file() => {
            let mut file = BufWriter::new(File::create(&real).map_err(complain)?);
            write(&mut file).map_err(in_file)?;
            return file.flush().map_err(complain);
        }
        _ => {}
    }
    let folder = match real.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(Error::file(
            path.display(),
            format!("there is no folder {}", folder.display()),
        ));
    }
    let mut temporary = temporary_file(folder).map_err(complain)?;
    let mut buffered = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
    write(&mut buffered).map_err(in_file)?;
    buffered.flush().map_err(complain)?;
    drop(buffered);
    temporary
        .persist(&real)
        .map_err(|error| complain(error.error))?;
    Ok(())
}

fn temporary_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".didact-");
    // Temporary files are private by default; this one becomes an ordinary file of the user.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "old").unwrap();
        let result = write_atomically(&path, |file| {
            file.write_all(b"half").unwrap();
            Err(Error::data("it broke"))
        });
        assert!(result.unwrap_err().to_string().ends_with("it broke"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn impossible_targets_are_clear_errors() {
        let folder = tempfile::tempdir().unwrap();
        let mut table = Table::new();
        table
            .push("a", didact_core::Column::Numbers(vec![1.0]))
            .unwrap();
        let say = |path: &Path| write_table(&table, path, None).unwrap_err().to_string();
        assert!(say(&folder.path().join("x.xyz")).contains("the extension says no format"));
        assert!(say(&folder.path().join("no/x.csv")).contains("there is no folder"));
        let sub = folder.path().join("x.csv");
        std::fs::create_dir(&sub).unwrap();
        assert!(say(&sub).contains("this is a directory"));
        assert!(write_to(&Table::new(), &mut Vec::new(), Format::Csv).is_err());
    }
}
