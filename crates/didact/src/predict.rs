//! Predictions for the rows of a table, as a table.

use crate::Trained;
use didact_core::abilities::check_rows;
use didact_core::{Column, Error, Result, Samples, Sequences, Table};
use didact_data::{Content, Roles, target_names};
use ndarray::Array2;

impl Trained {
    /// One row per row of a table or of sparse rows, in the same order: the prediction and, where the model has
    /// them, the probabilities, all in the user's names.
    ///
    /// Classifiers give `prediction`, which is missing where a row is left undecided, and
    /// `probability_CLASS`, regressors the target's name,
    /// clusterers `cluster`, sequence models `state`, transformers the new columns, densities
    /// `log_density`.
    pub fn predict(&self, content: impl Into<Content>) -> Result<Table> {
        self.predict_as(content, &Roles::default())
    }

    /// Predicts like [`Trained::predict`]; a model that was fitted on bare rows learns from
    /// `given` which columns are no features.
    pub fn predict_as(&self, content: impl Into<Content>, given: &Roles) -> Result<Table> {
        let (rows, parts) = self.take_apart(content.into(), |table| self.roles_in(table, given))?;
        let samples = Samples::from(&rows);
        check_rows(self.model.as_ref(), samples.rows()).map_err(|error| self.name_column(error))?;
        let whole = [samples.n_rows()];
        let predictions = match self.model.as_decode() {
            Some(_) => {
                let lengths = parts.lengths.as_deref().unwrap_or(&whole);
                self.predict_states(&Sequences::new(samples, lengths)?)?
            }
            None => self.predict_rows(samples)?,
        };
        if parts.rows.is_sorted() {
            return Ok(predictions);
        }
        // Sequences may have moved the rows: put the answers where the questions were.
        let mut places = vec![0; parts.rows.len()];
        for (place, &row) in parts.rows.iter().enumerate() {
            places[row] = place;
        }
        Ok(predictions.select(&places))
    }

    /// Says the name of a column instead of its number.
    fn name_column(&self, error: Error) -> Error {
        match error {
            Error::NotFinite {
                row,
                column,
                value,
                hint,
            } => {
                let names = self.input_names();
                let name = names.get(column).map_or("?", String::as_str);
                Error::data(format!("row {row}, column {name} is {value}; {hint}"))
            }
            error => error,
        }
    }

    fn predict_rows(&self, samples: Samples<'_>) -> Result<Table> {
        let model = self.model.as_ref();
        let rows = samples.rows();
        let mut table = Table::new();
        if let Some(classify) = model.as_classify() {
            let names: Vec<String> = classify
                .classes()
                .names()
                .iter()
                .map(ToString::to_string)
                .collect();
            let labels = classify.decide(rows)?;
            let words = labels
                .iter()
                .map(|label| label.map(|one| names[one].as_str()));
            table.push("prediction", Column::from_words(words))?;
            if let Some(probabilities) = model.as_probabilities() {
                push_columns(
                    &mut table,
                    "probability",
                    &names,
                    &probabilities.probabilities(rows)?,
                )?;
            }
        } else if let Some(regress) = model.as_regress() {
            let values = regress.regress(rows)?;
            let name = self
                .header
                .target
                .clone()
                .unwrap_or_else(|| "prediction".to_owned());
            match values.ncols() {
                1 => table.push(name, Column::Numbers(values.column(0).to_vec()))?,
                count => {
                    // Several targets that were columns of a table keep their names.
                    let names = target_names(&name);
                    match names.len() == count {
                        true => push_named(&mut table, names, &values)?,
                        false => push_columns(&mut table, &name, &numbered(count), &values)?,
                    }
                }
            }
        } else if let Some(assign) = model.as_assign() {
            let clusters = assign.assign(rows)?;
            let numbers = clusters
                .iter()
                .map(|cluster| cluster.map_or(f64::NAN, |cluster| cluster as f64));
            table.push("cluster", Column::Numbers(numbers.collect()))?;
            if let Some(probabilities) = model.as_probabilities() {
                let values = probabilities.probabilities(rows)?;
                push_columns(
                    &mut table,
                    "probability",
                    &numbered(values.ncols()),
                    &values,
                )?;
            }
        } else if let Some(transform) = model.as_transform() {
            let values = transform.transform_rows(rows)?.into_dense();
            let names = transform.output_names(&self.input_names());
            push_named(&mut table, names, &values)?;
        }
        if let Some(density) = model.as_log_density() {
            table.push(
                "log_density",
                Column::Numbers(density.log_density(rows)?.to_vec()),
            )?;
        }
        match table.n_columns() {
            0 => Err(Error::unsupported(
                "this model predicts nothing for single rows",
            )),
            _ => Ok(table),
        }
    }

    fn predict_states(&self, sequences: &Sequences<'_>) -> Result<Table> {
        let decode = self
            .model
            .as_decode()
            .ok_or_else(|| Error::unsupported("this model does not explain sequences"))?;
        let (states, _) = decode.viterbi(sequences)?;
        let names: Vec<String> = match decode.state_names() {
            Some(classes) => classes.names().iter().map(ToString::to_string).collect(),
            None => numbered(decode.n_states()),
        };
        let mut table = Table::new();
        let words = states.iter().map(|&state| Some(names[state].as_str()));
        table.push("state", Column::from_words(words))?;
        push_columns(
            &mut table,
            "probability",
            &names,
            &decode.state_probabilities(sequences)?,
        )?;
        Ok(table)
    }
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

fn push_columns(
    table: &mut Table,
    prefix: &str,
    names: &[String],
    values: &Array2<f64>,
) -> Result<()> {
    let names = names.iter().map(|name| format!("{prefix}_{name}"));
    push_named(table, names, values)
}

fn push_named(
    table: &mut Table,
    names: impl IntoIterator<Item = String>,
    values: &Array2<f64>,
) -> Result<()> {
    for (name, column) in names.into_iter().zip(values.columns()) {
        table.push(name, Column::Numbers(column.to_vec()))?;
    }
    Ok(())
}
