//! Sparse rows in the format of SVMlight and LIBSVM: `label [qid:group] index:value … # comment`.

use crate::cells::{format_number, parse_number};
use crate::{ReadOptions, Reading, Reject, Rejected, Source};
use didact_core::{Column, Csr, CsrView, Error, Result, Table};
use std::io::Write;

/// Labels, sparse rows and, for ranking, the query of each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Svmlight {
    /// The number in front of each row: a class or a measurement.
    pub labels: Vec<f64>,
    /// The values of each row.
    pub rows: Csr,
    /// The query that each row belongs to, where the file has them.
    pub queries: Option<Vec<u64>>,
    /// The rows that were left out.
    pub rejected: Vec<Rejected>,
}

/// One line that could be read.
struct Line {
    label: f64,
    query: Option<u64>,
    pairs: Vec<(usize, f64)>,
}

/// Reads sparse rows with their labels.
///
/// Indices count from one, or from zero where the options say so.
///
/// ```
/// use didact_data::{ReadOptions, Source, read_svmlight};
/// let source = Source::bytes("two.svm", "+1 1:0.5 3:2 # first\n-1 2:1\n");
/// let data = read_svmlight(source, &ReadOptions::default())?;
/// assert_eq!(data.labels, [1.0, -1.0]);
/// assert_eq!(data.rows.view().to_dense()[[0, 2]], 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn read_svmlight(source: impl Into<Source>, options: &ReadOptions) -> Result<Svmlight> {
    let source = source.into();
    let bytes = source.read_all()?;
    parse(&bytes, options).map_err(|error| source.complain(error))
}

pub(crate) fn parse(bytes: &[u8], options: &ReadOptions) -> Result<Svmlight> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::data("the file is not UTF-8 text; is it svmlight at all?"))?;
    let (mut lines, mut rejected) = (Vec::new(), Vec::new());
    for (place, content) in text.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        match (parse_line(content, options.zero_based), options.reject) {
            (Ok(line), _) => lines.push(line),
            (Err(reason), Reject::Fail) => {
                return Err(Error::data(format!("line {}: {reason}", place + 1)));
            }
            (Err(reason), Reject::Skip) => rejected.push(Rejected {
                line: place + 1,
                reason,
            }),
        }
    }
    assemble(lines, rejected)
}

fn assemble(lines: Vec<Line>, rejected: Vec<Rejected>) -> Result<Svmlight> {
    if lines.is_empty() {
        return Err(Error::data("there are no rows; a table needs at least one"));
    }
    let queries = match lines.iter().filter(|line| line.query.is_some()).count() {
        0 => None,
        all if all == lines.len() => Some(lines.iter().filter_map(|line| line.query).collect()),
        some => {
            return Err(Error::data(format!(
                "{some} of {} rows have a qid; give it for all or for none",
                lines.len()
            )));
        }
    };
    let indices = || lines.iter().flat_map(|line| &line.pairs).map(|pair| pair.0);
    let n_columns = indices().max().map_or(0, |largest| largest + 1);
    let labels = lines.iter().map(|line| line.label).collect();
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for line in &lines {
        for &(index, value) in line.pairs.iter().filter(|pair| pair.1 != 0.0) {
            columns.push(index as u32);
            values.push(value);
        }
        starts.push(columns.len());
    }
    Ok(Svmlight {
        labels,
        rows: Csr::new(starts, columns, values, n_columns)?,
        queries,
        rejected,
    })
}

/// The label, query and places, counted from zero, of one line.
fn parse_line(content: &str, zero_based: bool) -> Result<Line, String> {
    let mut words = content.split_ascii_whitespace();
    let label = words.next().unwrap_or_default();
    if label.contains(',') {
        return Err(format!(
            "the row has several labels ({label}); only one label per row can be read"
        ));
    }
    let label = parse_number(label)
        .filter(|label| label.is_finite())
        .ok_or_else(|| format!("the label {label:?} is not a number"))?;
    let (mut query, mut pairs): (Option<u64>, Vec<(usize, f64)>) = (None, Vec::new());
    for word in words {
        let wrong = || format!("{word:?} is not of the form index:value");
        let (index, value) = word.split_once(':').ok_or_else(wrong)?;
        if index == "qid" {
            query = Some(value.parse().map_err(|_| wrong())?);
            continue;
        }
        let index: usize = index.parse().map_err(|_| wrong())?;
        if index == 0 && !zero_based {
            return Err(
                "the index 0 occurs, but indices count from 1; if this file counts from 0, read \
                 it as zero-based, and the others that belong to it too"
                    .to_owned(),
            );
        }
        let value = parse_number(value)
            .filter(|value| value.is_finite())
            .ok_or_else(wrong)?;
        if index >= u32::MAX as usize {
            return Err(format!("the index {index} is larger than 4294967294"));
        }
        let place = index - usize::from(!zero_based);
        if pairs.last().is_some_and(|&(last, _)| last >= place) {
            return Err(format!("index {index} does not increase within the row"));
        }
        pairs.push((place, value));
    }
    Ok(Line {
        label,
        query,
        pairs,
    })
}

/// Writes sparse rows with their labels; indices count from one.
pub fn write_svmlight(
    target: &mut dyn Write,
    labels: &[f64],
    rows: CsrView<'_>,
    queries: Option<&[u64]>,
) -> Result<()> {
    let lengths = [Some(labels.len()), queries.map(<[u64]>::len)];
    if let Some(found) = lengths.into_iter().flatten().find(|&n| n != rows.n_rows()) {
        return Err(Error::data(format!(
            "there are {found} labels or queries for {} rows",
            rows.n_rows()
        )));
    }
    let mut text = String::new();
    for (row, &label) in labels.iter().enumerate() {
        text.clear();
        text.push_str(&format_number(label));
        if let Some(queries) = queries {
            text.push_str(&format!(" qid:{}", queries[row]));
        }
        let (columns, values) = rows.row(row);
        for (column, &value) in columns.iter().zip(values) {
            text.push_str(&format!(" {}:{}", column + 1, format_number(value)));
        }
        text.push('\n');
        target
            .write_all(text.as_bytes())
            .map_err(|error| Error::data(error.to_string()))?;
    }
    Ok(())
}

/// Cells beyond which sparse rows are not written out as a table.
const MOST_CELLS: usize = 200_000_000;

impl Svmlight {
    /// The name of the labels when the rows are written out as a table.
    pub const TARGET: &'static str = "target";

    /// The name of a column, counted from zero, when the rows are written out as a table.
    pub fn column_name(place: usize) -> String {
        format!("column_{}", place + 1)
    }

    /// The rows written out: columns `target`, `qid` where there is one, `column_1`, `column_2`, …
    /// to the last that has a value, and to the given number at least.
    pub fn into_table(self, at_least: usize) -> Result<Table> {
        let view = self.rows.view();
        let (n_rows, n_columns) = (view.n_rows(), view.n_columns().max(at_least));
        if n_rows.saturating_mul(n_columns) > MOST_CELLS {
            return Err(Error::data(format!(
                "{n_rows} rows of {n_columns} columns are too many to write out as a table; read them as sparse rows"
            )));
        }
        let mut columns = vec![vec![0.0; n_rows]; n_columns];
        for row in 0..n_rows {
            let (places, values) = view.row(row);
            for (&place, &value) in places.iter().zip(values) {
                columns[place as usize][row] = value;
            }
        }
        let named = |name: &str, values: Vec<f64>| (name.to_owned(), Column::Numbers(values));
        let queries = self.queries.map(|queries| {
            let queries = queries.into_iter().map(|query| query as f64).collect();
            named("qid", queries)
        });
        let features = columns
            .into_iter()
            .enumerate()
            .map(|(place, values)| (Svmlight::column_name(place), Column::Numbers(values)));
        let target = named(Svmlight::TARGET, self.labels);
        Table::from_columns([target].into_iter().chain(queries).chain(features))
    }
}

/// The rows written out as a table, and what was left out.
pub(crate) fn read_dense(bytes: &[u8], options: &ReadOptions) -> Result<Reading> {
    let mut data = parse(bytes, options)?;
    let rejected = std::mem::take(&mut data.rejected);
    Ok(Reading {
        table: data.into_table(0)?,
        rejected,
    })
}

/// Writes a table of numbers: the column `target` is the label, `qid` the query.
pub(crate) fn write(table: &Table, target: &mut dyn Write) -> Result<()> {
    let numbers = |name: &str| match table.column(name) {
        Ok(Column::Numbers(values)) if values.iter().all(|value| value.is_finite()) => Ok(values),
        Ok(_) => Err(Error::data(format!(
            "column {name} has words, times or missing values; svmlight holds finite numbers only"
        ))),
        Err(_) => Err(Error::data(format!(
            "there is no column {name}; svmlight takes the label from a column called target"
        ))),
    };
    let labels = numbers("target")?;
    let has_queries = table.names().iter().any(|name| name == "qid");
    let queries: Option<Vec<u64>> = match has_queries {
        true => Some(
            numbers("qid")?
                .iter()
                .map(|&query| match query >= 0.0 && query.fract() == 0.0 {
                    true => Ok(query as u64),
                    false => Err(Error::data(format!(
                        "column qid is {query}; queries are whole numbers from zero"
                    ))),
                })
                .collect::<Result<_>>()?,
        ),
        false => None,
    };
    let features = table
        .names()
        .iter()
        .filter(|name| *name != "target" && *name != "qid")
        .map(|name| numbers(name))
        .collect::<Result<Vec<_>>>()?;
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..table.n_rows() {
        for (place, feature) in features.iter().enumerate() {
            if feature[row] != 0.0 {
                columns.push(place as u32);
                values.push(feature[row]);
            }
        }
        starts.push(columns.len());
    }
    let rows = CsrView::new(&starts, &columns, &values, features.len())?;
    write_svmlight(target, labels, rows, queries.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Svmlight> {
        parse(text.as_bytes(), &ReadOptions::default())
    }

    #[test]
    fn rows_round_trip_with_queries() {
        let text = "2 qid:7 1:0.5 4:-3\n1.5 qid:8\n";
        let data = read(text).unwrap();
        assert_eq!(data.queries.as_deref(), Some(&[7, 8][..]));
        assert_eq!(data.rows.view().n_columns(), 4);
        let mut written = Vec::new();
        write_svmlight(
            &mut written,
            &data.labels,
            data.rows.view(),
            data.queries.as_deref(),
        )
        .unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
    }

    #[test]
    fn counting_from_zero_is_said_and_never_guessed() {
        let error = read("1 1:1\n1 0:5 1:6\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2: the index 0 occurs"), "{error}");
        assert_eq!(read("1 1:5 2:6\n").unwrap().rows.view().n_columns(), 2);
        let from_zero = ReadOptions {
            zero_based: true,
            ..ReadOptions::default()
        };
        // The first column is empty, and still the others are where they were said to be.
        let data = parse(b"1 1:5 2:6\n", &from_zero).unwrap();
        assert_eq!(
            data.rows.view().to_dense(),
            ndarray::array![[0.0, 5.0, 6.0]]
        );
    }

    #[test]
    fn broken_lines_name_line_and_word() {
        let say = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            say("1 1:2\n1 3\n"),
            "line 2: \"3\" is not of the form index:value"
        );
        assert!(say("1 2:1 1:1\n").contains("index 1 does not increase"));
        assert!(say("1,2 1:1\n").contains("several labels"));
        assert!(say("a 1:1\n").contains("label \"a\" is not a number"));
        assert!(say("1 qid:1 1:1\n2 1:1\n").contains("1 of 2 rows have a qid"));
        assert!(say("# nothing\n").contains("there are no rows"));
    }
}
