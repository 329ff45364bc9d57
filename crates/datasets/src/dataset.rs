//! A data set: a table, what is known about it, and the arrays that methods learn from.

use didact_core::{
    Column, Error, Labelled, LabelledSequences, Labels, Measured, Ratings, Result, Samples,
    Sequences, Table,
};
use ndarray::{Array2, ArrayView2};
use serde::Serialize;
use std::fmt;

/// What a data set is mostly used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Telling classes apart.
    Classification,
    /// Predicting a number.
    Regression,
    /// Finding groups; the true groups are the target.
    Clustering,
    /// Finding few coordinates that explain many; a true coordinate is the target.
    Projection,
    /// Explaining sequences.
    Sequences,
    /// Predicting what users think of items.
    Recommendation,
}

impl Task {
    /// Whether a target is the name of a class, even when it is written as a number.
    fn has_classes(self) -> bool {
        matches!(
            self,
            Task::Classification | Task::Clustering | Task::Sequences
        )
    }
}

impl fmt::Display for Task {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Task::Classification => "classification",
            Task::Regression => "regression",
            Task::Clustering => "clustering",
            Task::Projection => "projection",
            Task::Sequences => "sequences",
            Task::Recommendation => "recommendation",
        })
    }
}

/// What is known about a data set before it is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Info {
    /// The word by which it is loaded.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// What the rows and columns are.
    pub description: &'static str,
    /// Where the numbers come from.
    pub source: &'static str,
    /// Under which terms it may be passed on.
    pub licence: &'static str,
    /// What it is mostly used for.
    pub task: Task,
}

/// Which columns of the table are not features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roles {
    /// What is to be predicted.
    pub(crate) target: Option<&'static str>,
    /// The number of the sequence that a row belongs to.
    pub(crate) sequence: Option<&'static str>,
    /// What only names a row, such as its year.
    pub(crate) index: Option<&'static str>,
}

/// A data set in memory.
///
/// The table keeps every column as it was written. The matrix of features holds its number and
/// boolean columns besides target, sequence and index; a missing value is NaN. Columns of words
/// wait for an encoder, except in sequences, where a word stands for its code (its place in
/// the sorted list of words).
///
/// ```
/// let penguins = didact_datasets::penguins();
/// assert_eq!(penguins.table().column("sex")?.n_missing(), 11);
/// assert_eq!(penguins.labels()?.classes.names()[2].to_string(), "Gentoo");
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    info: Info,
    roles: Roles,
    table: Table,
    features: Array2<f64>,
    feature_names: Vec<String>,
    labels: Option<Labels>,
    targets: Option<Vec<f64>>,
    lengths: Vec<usize>,
    raters: Option<(Vec<usize>, Vec<usize>)>,
    truths: Vec<(&'static str, Array2<f64>)>,
}

impl Dataset {
    /// Builds the arrays that belong to a table.
    pub(crate) fn new(info: Info, table: Table, roles: Roles) -> Result<Self> {
        let (features, feature_names) = feature_matrix(&table, roles, info.task)?;
        let target = roles.target.map(|name| table.column(name)).transpose()?;
        let targets = match target {
            Some(Column::Numbers(values)) => Some(values.clone()),
            _ => None,
        };
        let labels = target
            .filter(|column| column.n_missing() == 0)
            .filter(|_| info.task.has_classes())
            .map(|column| column.partial_labels().complete())
            .transpose()?;
        let lengths = match roles.sequence {
            Some(name) => run_lengths(table.column(name)?),
            None => vec![table.n_rows()],
        };
        let raters = match info.task {
            Task::Recommendation => Some((whole(&features, 0), whole(&features, 1))),
            _ => None,
        };
        Ok(Dataset {
            info,
            roles,
            table,
            features,
            feature_names,
            labels,
            targets,
            lengths,
            raters,
            truths: Vec::new(),
        })
    }

    /// What is known about the data set.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// All columns as they were written.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table, given away.
    pub fn into_table(self) -> Table {
        self.table
    }

    /// The column that is to be predicted, if there is one.
    pub fn target(&self) -> Option<&'static str> {
        self.roles.target
    }

    /// The column with the number of the sequence that a row belongs to, if there is one.
    pub fn sequence(&self) -> Option<&'static str> {
        self.roles.sequence
    }

    /// The column that only names the rows, if there is one.
    pub fn index(&self) -> Option<&'static str> {
        self.roles.index
    }

    /// The number columns besides target, sequence and index; a missing value is NaN.
    pub fn features(&self) -> ArrayView2<'_, f64> {
        self.features.view()
    }

    /// The names of the columns of [`Dataset::features`].
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// The class of each row.
    pub fn labels(&self) -> Result<&Labels> {
        self.labels
            .as_ref()
            .ok_or_else(|| self.lacks("a class for every row"))
    }

    /// The number that is to be predicted for each row.
    pub fn targets(&self) -> Result<&[f64]> {
        self.targets
            .as_deref()
            .ok_or_else(|| self.lacks("a number as target"))
    }

    /// The features, without the targets.
    pub fn samples(&self) -> Samples<'_> {
        Samples::from(&self.features)
    }

    /// The features with a class for each row.
    pub fn labelled(&self) -> Result<Labelled<'_>> {
        Labelled::new(self.samples(), self.labels()?)
    }

    /// The features with a number to predict for each row.
    pub fn measured(&self) -> Result<Measured<'_>> {
        Measured::new(self.samples(), self.targets()?)
    }

    /// The features as sequences; a data set without sequence column is one sequence.
    pub fn sequences(&self) -> Result<Sequences<'_>> {
        Sequences::new(self.samples(), &self.lengths)
    }

    /// The sequences with a class for each item.
    pub fn labelled_sequences(&self) -> Result<LabelledSequences<'_>> {
        LabelledSequences::new(self.sequences()?, self.labels()?)
    }

    /// What users think of items.
    pub fn ratings(&self) -> Result<Ratings<'_>> {
        let (users, items) = self
            .raters
            .as_ref()
            .ok_or_else(|| self.lacks("ratings of items by users"))?;
        Ratings::new(users, items, self.targets()?)
    }

    /// What a generator used to make the data: `centers`, `coefficients`, `transitions`, …
    pub fn truth(&self, name: &str) -> Option<&Array2<f64>> {
        self.truths
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, values)| values)
    }

    /// The names of all that is known of how the data were made.
    pub fn truth_names(&self) -> impl Iterator<Item = &'static str> {
        self.truths.iter().map(|(name, _)| *name)
    }

    pub(crate) fn with_truth(mut self, name: &'static str, values: Array2<f64>) -> Self {
        self.truths.push((name, values));
        self
    }

    fn lacks(&self, what: &str) -> Error {
        Error::data(format!(
            "the data set {} does not have {what}; it is meant for {}",
            self.info.id, self.info.task
        ))
    }
}

/// The number and boolean columns that are features, side by side.
fn feature_matrix(table: &Table, roles: Roles, task: Task) -> Result<(Array2<f64>, Vec<String>)> {
    let apart = [roles.target, roles.sequence, roles.index];
    let mut names = Vec::new();
    let mut columns = Vec::new();
    for (name, column) in table.names().iter().zip(table.columns()) {
        if apart.contains(&Some(name.as_str())) {
            continue;
        }
        if let Some(values) = numbers(column, task) {
            names.push(name.clone());
            columns.push(values);
        }
    }
    let shape = (table.n_rows(), columns.len());
    let matrix = Array2::from_shape_fn(shape, |(row, column)| columns[column][row]);
    Ok((matrix, names))
}

/// A column as numbers, where it has a reading as numbers.
fn numbers(column: &Column, task: Task) -> Option<Vec<f64>> {
    let flag = |value: &Option<bool>| value.map_or(f64::NAN, f64::from);
    match column {
        Column::Numbers(values) => Some(values.clone()),
        Column::Booleans(values) => Some(values.iter().map(flag).collect()),
        Column::Categories { codes, .. } if task == Task::Sequences => Some(
            codes
                .iter()
                .map(|code| code.map_or(f64::NAN, f64::from))
                .collect(),
        ),
        _ => None,
    }
}

/// The lengths of runs of equal values.
fn run_lengths(column: &Column) -> Vec<usize> {
    let Column::Numbers(values) = column else {
        return vec![column.len()];
    };
    values
        .chunk_by(|left, right| left == right)
        .map(<[f64]>::len)
        .collect()
}

fn whole(features: &Array2<f64>, column: usize) -> Vec<usize> {
    features
        .column(column)
        .iter()
        .map(|&value| value as usize)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: Info = Info {
        id: "toy",
        name: "Toy",
        description: "",
        source: "",
        licence: "",
        task: Task::Sequences,
    };

    fn toy() -> Dataset {
        let mut table = Table::new();
        table
            .push("sequence", Column::Numbers(vec![0.0, 0.0, 1.0]))
            .unwrap();
        let words = [Some("b"), Some("a"), None];
        table.push("symbol", Column::from_words(words)).unwrap();
        let flags = vec![Some(true), None, Some(false)];
        table.push("flag", Column::Booleans(flags)).unwrap();
        let roles = Roles {
            sequence: Some("sequence"),
            ..Roles::default()
        };
        Dataset::new(INFO, table, roles).unwrap()
    }

    #[test]
    fn words_of_sequences_are_codes_and_missing_values_are_nan() {
        let toy = toy();
        assert_eq!(toy.feature_names(), ["symbol", "flag"]);
        assert_eq!(toy.features().column(0).to_vec()[..2], [1.0, 0.0]);
        assert!(toy.features()[[2, 0]].is_nan() && toy.features()[[1, 1]].is_nan());
        assert_eq!(toy.sequences().unwrap().lengths, [2, 1]);
    }

    #[test]
    fn asking_for_what_is_not_there_says_what_the_set_is_for() {
        let message = toy().labels().unwrap_err().to_string();
        assert_eq!(
            message,
            "the data set toy does not have a class for every row; it is meant for sequences"
        );
        assert!(toy().targets().is_err() && toy().ratings().is_err());
    }
}
