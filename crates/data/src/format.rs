//! The file formats of tables, told by their extension or their first bytes.

use didact_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a table is laid out in a file.
///
/// ```
/// use didact_data::Format;
/// assert_eq!(Format::from_name("flowers.csv.gz"), Some(Format::Csv));
/// assert_eq!(Format::from_content(b"PAR1..."), Some(Format::Parquet));
/// assert_eq!("json-lines".parse::<Format>()?, Format::JsonLines);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Lines of values between commas, semicolons, tabs or bars (RFC 4180).
    Csv,
    /// Lines of values between tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// The file format of Apache Arrow, also called Feather.
    Arrow,
    /// The stream format of Apache Arrow.
    ArrowStream,
    /// One JSON object per line.
    JsonLines,
    /// Sparse rows `label index:value …` of SVMlight and LIBSVM.
    Svmlight,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 7] = [
        Format::Csv,
        Format::Tsv,
        Format::Parquet,
        Format::Arrow,
        Format::ArrowStream,
        Format::JsonLines,
        Format::Svmlight,
    ];

    /// The format that the extension of a file name stands for; `.gz` behind it is ignored.
    pub fn from_name(name: &str) -> Option<Format> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        Some(match name.rsplit_once('.')?.1 {
            "csv" | "txt" => Format::Csv,
            "tsv" | "tab" => Format::Tsv,
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "feather" | "ipc" => Format::Arrow,
            "arrows" => Format::ArrowStream,
            "jsonl" | "ndjson" | "json" => Format::JsonLines,
            "svm" | "svmlight" | "libsvm" => Format::Svmlight,
            _ => return None,
        })
    }

    /// The format that the first bytes of a file betray.
    pub fn from_content(head: &[u8]) -> Option<Format> {
        if head.starts_with(b"PAR1") {
            return Some(Format::Parquet);
        }
        if head.starts_with(b"ARROW1") {
            return Some(Format::Arrow);
        }
        if head.starts_with(&[0xff, 0xff, 0xff, 0xff]) {
            return Some(Format::ArrowStream);
        }
        let text = String::from_utf8_lossy(&head[..head.len().min(4096)]);
        let first = text.trim_start_matches('\u{feff}').trim_start();
        let line = first.lines().find(|line| !line.starts_with('#'))?;
        if line.starts_with('{') {
            return Some(Format::JsonLines);
        }
        match looks_like_svmlight(line) {
            true => Some(Format::Svmlight),
            false => Some(Format::Csv),
        }
    }

    /// The name that options and messages use.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::ArrowStream => "arrow-stream",
            Format::JsonLines => "json-lines",
            Format::Svmlight => "svmlight",
        }
    }
}

/// A number followed by at least one `index:value` pair.
fn looks_like_svmlight(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let labelled = words
        .next()
        .is_some_and(|label| label.parse::<f64>().is_ok());
    let mut pairs = words
        .take_while(|word| !word.starts_with('#'))
        .filter_map(|word| word.split_once(':'));
    labelled
        && pairs.next().is_some_and(|(index, value)| {
            (index == "qid" || index.parse::<u64>().is_ok()) && value.parse::<f64>().is_ok()
        })
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Format> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| {
                let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
                Error::parameter(
                    "format",
                    text,
                    format!("it must be one of {}", known.join(", ")),
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_and_contents_agree() {
        assert_eq!(Format::from_name("a/b.PARQUET"), Some(Format::Parquet));
        assert_eq!(Format::from_name("readme"), None);
        assert_eq!(Format::from_content(b"a,b\n1,2\n"), Some(Format::Csv));
        assert_eq!(
            Format::from_content(b"{\"a\": 1}\n"),
            Some(Format::JsonLines)
        );
        assert_eq!(
            Format::from_content(b"# made by hand\n+1 3:0.5 # first\n"),
            Some(Format::Svmlight)
        );
        assert_eq!(
            Format::from_content(b"12:30 1:2\n"),
            Some(Format::Csv),
            "a time is no label"
        );
        assert_eq!(Format::from_content(b""), None);
    }

    #[test]
    fn every_name_reads_back() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let message = "xls".parse::<Format>().unwrap_err().to_string();
        assert!(message.starts_with("format is xls; it must be one of csv, tsv"));
    }
}
