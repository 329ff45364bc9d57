//! The rows that a model takes out of a table or out of sparse rows.

use crate::Trained;
use didact_core::{Accepts, Column, ColumnKind, Error, OwnedRows, Result, Table};
use didact_data::{Content, Parts, Roles, Svmlight, rows_for, split_roles, target_names};
use ndarray::Array2;
use std::borrow::Cow;

/// How many names an error message lists.
const NAMES_SHOWN: usize = 12;

impl Trained {
    /// The rows as the model takes them, and what else there was; `roles` says what the columns
    /// of a table are.
    pub(crate) fn take_apart(
        &self,
        content: Content,
        roles: impl FnOnce(&Table) -> Roles,
    ) -> Result<(OwnedRows, Parts)> {
        let table = match content {
            Content::Table(table) => table,
            Content::Sparse(data) if self.encoding.is_none() => return self.sparse_rows(data),
            // Columns without a value are not in the file, but the model knows their names.
            Content::Sparse(data) => data.into_table(self.last_numbered_column())?,
        };
        let roles = roles(&table);
        let parts = split_roles(table, &roles)?;
        Ok((self.rows_of(&parts.features)?.into(), parts))
    }

    /// Sparse rows with the model's columns: those that it does not know tell it nothing.
    fn sparse_rows(&self, data: Svmlight) -> Result<(OwnedRows, Parts)> {
        let (rows, parts) = data.into_parts();
        let takes_sparse = self.model.accepts().contains(Accepts::SPARSE);
        let rows = rows_for(rows.with_columns(self.model.n_features()), takes_sparse)?;
        Ok((rows, parts))
    }

    /// The largest n of the columns called `column_n` that the model was fitted on.
    fn last_numbered_column(&self) -> usize {
        let names = self
            .encoding
            .iter()
            .flat_map(|encoding| encoding.column_names());
        names
            .filter_map(|name| name.strip_prefix("column_")?.parse().ok())
            .max()
            .unwrap_or(0)
    }

    /// The feature columns as rows of numbers.
    ///
    /// A model that was fitted on a table encodes it as it did then. One that was fitted on bare
    /// rows takes the columns by the names it was given, or, where some are not there, the
    /// columns of numbers by their place.
    fn rows_of(&self, features: &Table) -> Result<Array2<f64>> {
        match &self.encoding {
            Some(encoding) => encoding.encode(features),
            None => bare_rows(&self.input_names(), features),
        }
    }

    /// The names of the columns of the rows that the model takes.
    pub fn input_names(&self) -> Vec<String> {
        let n_features = self.model.n_features();
        let header = &self.header.features;
        match &self.encoding {
            Some(encoding) => encoding.feature_names(),
            None if header.len() == n_features => {
                header.iter().map(|feature| feature.name.clone()).collect()
            }
            None => (0..n_features).map(Svmlight::column_name).collect(),
        }
    }

    /// The special columns of a table that is about to be read, among those that it has.
    ///
    /// `given` is what the user or the source of the table says. A model that was fitted on a
    /// table knows its own roles and finds its features by name, so it does not need to be told:
    /// what is the target of a data set may be a feature of this model.
    pub(crate) fn roles_in(&self, table: &Table, given: &Roles) -> Roles {
        let own = self.roles();
        let roles = match self.encoding {
            Some(_) => own,
            None => Roles {
                target: own.target.or_else(|| given.target.clone()),
                sequence: own.sequence.or_else(|| given.sequence.clone()),
                ..given.clone()
            },
        };
        let there = |name: &String| table.names().contains(name);
        Roles {
            target: roles
                .target
                .filter(|list| there(list) || target_names(list).iter().all(there)),
            // A sequence column that is missing is an error: the answer would be another one.
            sequence: roles.sequence,
            weight: roles.weight.filter(there),
            time: roles.time.filter(there),
            ignore: roles.ignore.into_iter().filter(there).collect(),
        }
    }
}

/// The columns of those names, or the columns of numbers in their order where their count fits.
fn bare_rows(expected: &[String], features: &Table) -> Result<Array2<f64>> {
    let known = features.places();
    let named: Option<Vec<usize>> = expected
        .iter()
        .map(|name| known.get(name.as_str()).copied())
        .collect();
    let places = match named {
        Some(places) => places,
        None => (0..features.n_columns())
            .filter(|&place| is_numeric(&features.columns()[place]))
            .collect(),
    };
    if places.len() != expected.len() {
        return Err(Error::data(format!(
            "the model takes {} columns of numbers, {}, but the table has {}; rename its columns or give as many columns of numbers",
            expected.len(),
            shortened(expected.iter().cloned()),
            found(features)
        )));
    }
    let mut rows = Array2::zeros((features.n_rows(), expected.len()));
    for (mut column, &place) in rows.columns_mut().into_iter().zip(&places) {
        let values = numbers(&features.columns()[place]).ok_or_else(|| {
            Error::data(format!(
                "column {} does not hold numbers, but the model was fitted on rows of numbers",
                features.names()[place]
            ))
        })?;
        column
            .iter_mut()
            .zip(values.iter())
            .for_each(|(cell, value)| *cell = *value);
    }
    Ok(rows)
}

fn is_numeric(column: &Column) -> bool {
    matches!(column.kind(), ColumnKind::Number | ColumnKind::Boolean)
}

/// The values of a column of numbers or booleans.
fn numbers(column: &Column) -> Option<Cow<'_, [f64]>> {
    let flag = |value: &Option<bool>| value.map_or(f64::NAN, f64::from);
    match column {
        Column::Numbers(values) => Some(Cow::Borrowed(values)),
        Column::Booleans(values) => Some(values.iter().map(flag).collect()),
        Column::Categories { .. } | Column::Times(_) => None,
    }
}

fn found(features: &Table) -> String {
    let described = features
        .names()
        .iter()
        .zip(features.columns())
        .map(|(name, column)| match column.kind() {
            ColumnKind::Number | ColumnKind::Boolean => name.clone(),
            ColumnKind::Category => format!("{name} (words)"),
            ColumnKind::Time => format!("{name} (times)"),
        });
    shortened(described)
}

fn shortened(names: impl ExactSizeIterator<Item = String>) -> String {
    let count = names.len();
    let mut shown: Vec<String> = names.take(NAMES_SHOWN).collect();
    if count > shown.len() {
        shown.push(format!("… ({count} in all)"));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use didact_core::{Data, Run};
    use didact_datasets as datasets;

    /// Fitted on the bare numbers of the diabetes data, without a table.
    fn bare(spec: &str) -> Trained {
        let diabetes = datasets::diabetes();
        let spec: Spec = spec.parse().unwrap();
        let learner = spec.learner().unwrap();
        let data = Data::Measured(diabetes.measured().unwrap());
        Trained::fit(&spec, learner.as_ref(), data, &Run::new()).unwrap()
    }

    fn roles() -> Roles {
        Roles {
            target: datasets::diabetes().target().map(str::to_owned),
            ..Roles::default()
        }
    }

    fn table() -> Table {
        datasets::diabetes().into_table()
    }

    /// The table with its columns in reverse order.
    fn reversed(table: &Table) -> Table {
        let mut reversed = Table::new();
        for (name, column) in table.names().iter().zip(table.columns()).rev() {
            reversed.push(name.clone(), column.clone()).unwrap();
        }
        reversed
    }

    #[test]
    fn bare_models_take_columns_by_place_and_leave_the_target_out() {
        let trained = bare("ridge");
        let predicted = trained.predict_as(table(), &roles()).unwrap();
        let x = datasets::diabetes().features().to_owned();
        let regress = trained.model.as_regress().unwrap();
        let expected = regress.regress(didact_core::Rows::Dense(x.view())).unwrap();
        assert_eq!(
            predicted.columns()[0],
            Column::Numbers(expected.column(0).to_vec())
        );
        // The model file keeps it that way.
        let again = Trained::from_bytes(&trained.to_bytes().unwrap()).unwrap();
        assert_eq!(again.predict_as(table(), &roles()).unwrap(), predicted);
        let judged = trained.data(table(), roles().target.as_deref()).unwrap();
        let figures = didact_evaluate::score(trained.model.as_ref(), &judged.data().unwrap());
        assert!(figures.unwrap()[0].value > 0.4);
    }

    #[test]
    fn bare_models_with_the_names_of_the_table_take_columns_by_name() {
        let mut trained = bare("ridge");
        let names = datasets::diabetes().feature_names().to_vec();
        for (feature, name) in trained.header.features.iter_mut().zip(names) {
            feature.name = name;
        }
        let straight = trained.predict_as(table(), &roles()).unwrap();
        let other_order = trained.predict_as(reversed(&table()), &roles());
        assert_eq!(other_order.unwrap(), straight);
        // With the names known nobody has to say what the target is.
        assert_eq!(trained.predict(table()).unwrap(), straight);
    }

    #[test]
    fn a_table_that_does_not_fit_is_refused_with_both_lists_of_names() {
        let trained = bare("ridge");
        let message = trained.predict(table()).unwrap_err().to_string();
        assert!(
            message.contains("takes 10 columns of numbers, x0, x1"),
            "{message}"
        );
        assert!(message.contains("table has age, sex, bmi"), "{message}");
        let mut words = table();
        words.take("bmi").unwrap();
        let marks = (0..words.n_rows()).map(|_| Some("heavy"));
        words.push("bmi", Column::from_words(marks)).unwrap();
        let message = trained.predict_as(words, &roles()).unwrap_err().to_string();
        assert!(message.contains("bmi (words)"), "{message}");
    }

    #[test]
    fn new_columns_of_bare_transformers_are_named() {
        let trained = bare("standard-scaler");
        let scaled = trained.predict_as(table(), &roles()).unwrap();
        assert_eq!(scaled.names()[..2], ["x0", "x1"]);
    }
}
