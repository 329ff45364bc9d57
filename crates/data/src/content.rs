//! What a file holds: a table, or sparse rows.

use crate::read::{in_file, open, read_opened, unpack};
use crate::svmlight::parse;
use crate::{Format, Parts, ReadOptions, Rejected, Source, Svmlight};
use didact_core::{Column, Csr, Error, OwnedRows, Result, Run, Table};
use std::borrow::Cow;

/// What a file holds: columns, or sparse rows with a label each.
///
/// Most formats hold a table. Files of svmlight often have so many columns, almost all of them
/// zero, that they would not fit into memory as one.
///
/// ```
/// use didact_core::Run;
/// use didact_data::{Content, ReadOptions, Source, read_content};
/// let source = Source::bytes("two.svm", "+1 100000:0.5\n-1 2:1\n");
/// let (content, _) = read_content(source, &ReadOptions::default(), &Run::new())?;
/// assert!(matches!(content, Content::Sparse(_)));
/// assert_eq!((content.n_rows(), content.n_features()), (2, 100_000));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Columns with names.
    Table(Table),
    /// Sparse rows with their labels.
    Sparse(Svmlight),
}

/// Cells up to which sparse rows are cheap enough to be written out for any method.
const WRITTEN_OUT: usize = 10_000_000;

/// Reads a file, standard input (`-`) or memory; also gives the rows that were left out.
pub fn read_content(
    source: impl Into<Source>,
    options: &ReadOptions,
    run: &Run,
) -> Result<(Content, Vec<Rejected>)> {
    let source = source.into();
    let (input, format) = open(&source, options)?;
    if format != Format::Svmlight {
        let reading = read_opened(&source, input, format, options, run)?;
        return Ok((Content::Table(reading.table), reading.rejected));
    }
    let bytes = unpack(&source, input)?;
    let mut data = parse(&bytes, options).map_err(|error| in_file(&source, error))?;
    let rejected = std::mem::take(&mut data.rejected);
    Ok((Content::Sparse(data), rejected))
}

impl From<Table> for Content {
    fn from(table: Table) -> Self {
        Content::Table(table)
    }
}

impl From<Svmlight> for Content {
    fn from(rows: Svmlight) -> Self {
        Content::Sparse(rows)
    }
}

impl Content {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Content::Table(table) => table.n_rows(),
            Content::Sparse(data) => data.rows.view().n_rows(),
        }
    }

    /// Number of columns, the labels of sparse rows left out.
    pub fn n_features(&self) -> usize {
        match self {
            Content::Table(table) => table.n_columns(),
            Content::Sparse(data) => data.rows.view().n_columns(),
        }
    }

    /// Whether these are sparse rows of too many columns to be written out as a matter of course.
    pub fn stays_sparse(&self) -> bool {
        match self {
            Content::Table(_) => false,
            Content::Sparse(data) => !is_small(data.rows.view().n_rows(), self.n_features()),
        }
    }

    /// The columns; sparse rows are written out.
    pub fn into_table(self) -> Result<Table> {
        match self {
            Content::Table(table) => Ok(table),
            Content::Sparse(data) => data.into_table(0),
        }
    }

    /// The column of that name; that of the labels where the rows are sparse.
    pub fn target(&self, name: &str) -> Result<Cow<'_, Column>> {
        match self {
            Content::Table(table) => table.column(name).map(Cow::Borrowed),
            Content::Sparse(data) if name == Svmlight::TARGET => {
                Ok(Cow::Owned(Column::Numbers(data.labels.clone())))
            }
            Content::Sparse(_) => Err(Error::data(format!(
                "there is no column {name}; the labels of sparse rows are called {}",
                Svmlight::TARGET
            ))),
        }
    }
}

/// Whether so many values are cheap enough to be written out for any method.
fn is_small(n_rows: usize, n_columns: usize) -> bool {
    n_rows.saturating_mul(n_columns) <= WRITTEN_OUT
}

impl Svmlight {
    /// The sparse rows, and their labels as the part to predict.
    pub fn into_parts(self) -> (Csr, Parts) {
        let parts = Parts {
            features: Table::new(),
            rows: (0..self.labels.len()).collect(),
            target: Some(Column::Numbers(self.labels)),
            more_targets: Vec::new(),
            weights: None,
            lengths: None,
            sequence_names: None,
            time: None,
        };
        (self.rows, parts)
    }
}

/// The rows as a method takes them: sparse where it can read them so, else written out where
/// that is not too much.
pub fn rows_for(rows: Csr, takes_sparse: bool) -> Result<OwnedRows> {
    let (n_rows, n_columns) = (rows.view().n_rows(), rows.view().n_columns());
    match takes_sparse {
        true => Ok(OwnedRows::Sparse(rows)),
        false if is_small(n_rows, n_columns) => Ok(OwnedRows::Dense(rows.view().to_dense())),
        false => Err(Error::unsupported(format!(
            "this method reads every value, and {n_rows} rows × {n_columns} columns are more than {WRITTEN_OUT}; \
             choose one that takes sparse rows, such as logistic-regression, ridge or k-means"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Content {
        let source = Source::bytes(name, text);
        let found = read_content(source, &ReadOptions::default(), &Run::new());
        found.unwrap().0
    }

    #[test]
    fn the_format_decides_between_columns_and_sparse_rows() {
        let table = read("t.csv", "a,b\n1,2\n3,4\n");
        assert!(matches!(&table, Content::Table(table) if table.n_columns() == 2));
        let sparse = read("t.svm", "1 1:2\n-1 3:4\n");
        assert_eq!((sparse.n_rows(), sparse.n_features()), (2, 3));
        assert!(!sparse.stays_sparse());
        let names = sparse.into_table().unwrap().names().to_vec();
        assert_eq!(names, ["target", "column_1", "column_2", "column_3"]);
    }

    #[test]
    fn wide_rows_stay_sparse_and_are_refused_where_all_values_are_needed() {
        let wide = read("t.svm", "1 1:2\n-1 9000000:4\n");
        assert!(wide.stays_sparse());
        let labels = wide.target("target").unwrap().into_owned();
        assert_eq!(labels, Column::Numbers(vec![1.0, -1.0]));
        assert!(
            wide.target("y")
                .unwrap_err()
                .to_string()
                .contains("called target")
        );
        let Content::Sparse(data) = wide else {
            panic!("svmlight is read as sparse rows");
        };
        let (rows, _) = data.into_parts();
        assert!(rows_for(rows.clone(), true).unwrap().view().is_sparse());
        let message = rows_for(rows, false).unwrap_err().to_string();
        assert!(message.contains("2 rows × 9000000 columns"), "{message}");
    }
}
