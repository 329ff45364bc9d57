//! 1-of-K codes of labels, users, items and symbols.

use didact_core::{ClassName, Classes, Error, Labels, Result};
use didact_math::numeric::argmax;
use ndarray::{Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of a name that was not there at fitting time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownName {
    /// An error that shows the name.
    #[default]
    Error,
    /// A row of zeros.
    Zeros,
    /// A column of its own, after all others.
    Column,
}

/// Writes name k of K as the vector of zeros with a single one at place k.
///
/// ```
/// use didact_preprocess::OneHot;
/// let code = OneHot::default().fit(["no", "yes", "maybe"])?;
/// let rows = code.encode(["yes", "maybe"])?;
/// assert_eq!(rows, ndarray::array![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
/// assert_eq!(code.decode(rows.view())?[0], Some("yes".into()));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OneHot {
    /// What becomes of a name that was not there at fitting time.
    pub unknown: UnknownName,
}

/// Names in the order of their columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneHotCode {
    classes: Classes,
    unknown: UnknownName,
}

impl OneHot {
    /// Learns the names, which are sorted; column k stands for the k-th of them.
    pub fn fit(&self, names: impl IntoIterator<Item = impl Into<ClassName>>) -> Result<OneHotCode> {
        let classes = Classes::new(names);
        match classes.is_empty() {
            true => Err(Error::data(
                "there are no names to encode; give at least one",
            )),
            false => Ok(self.with_classes(classes)),
        }
    }

    /// The code of classes that are known already.
    pub fn with_classes(&self, classes: Classes) -> OneHotCode {
        OneHotCode {
            classes,
            unknown: self.unknown,
        }
    }
}

impl OneHotCode {
    /// The names in the order of their columns.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.classes.len() + usize::from(self.unknown == UnknownName::Column)
    }

    /// One row per name.
    pub fn encode(
        &self,
        names: impl IntoIterator<Item = impl Into<ClassName>>,
    ) -> Result<Array2<f64>> {
        let places = names
            .into_iter()
            .map(|name| self.place(&name.into()))
            .collect::<Result<Vec<Option<usize>>>>()?;
        let mut rows = Array2::zeros((places.len(), self.n_columns()));
        for (mut row, place) in rows.rows_mut().into_iter().zip(places) {
            if let Some(place) = place {
                row[place] = 1.0;
            }
        }
        Ok(rows)
    }

    /// One row per label; the labels may come with other classes or in another order.
    pub fn encode_labels(&self, labels: &Labels) -> Result<Array2<f64>> {
        let names = labels.classes.names();
        self.encode(labels.indices.iter().map(|&label| names[label].clone()))
    }

    fn place(&self, name: &ClassName) -> Result<Option<usize>> {
        match (self.classes.label(name), self.unknown) {
            (Some(place), _) => Ok(Some(place)),
            (None, UnknownName::Zeros) => Ok(None),
            (None, UnknownName::Column) => Ok(Some(self.classes.len())),
            (None, UnknownName::Error) => Err(Error::data(format!(
                "{name} was not among the {} names at fitting time; leave it out or choose how unknown names are coded",
                self.classes.len()
            ))),
        }
    }

    /// The name of the largest value of each row; nothing where all values are zero or the
    /// largest one stands for an unknown name.
    pub fn decode(&self, rows: ArrayView2<'_, f64>) -> Result<Vec<Option<ClassName>>> {
        if rows.ncols() != self.n_columns() {
            return Err(Error::Columns {
                expected: self.n_columns(),
                found: rows.ncols(),
            });
        }
        let names = self.classes.names();
        Ok(rows
            .rows()
            .into_iter()
            .map(|row| {
                argmax(row.iter().copied())
                    .filter(|&place| row[place] > 0.0)
                    .and_then(|place| names.get(place).cloned())
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_datasets::{alice, iris};
    use ndarray::{Axis, array};

    // 000b:S37
    #[test]
    fn labels_make_the_round_trip_and_column_sums_are_class_counts() {
        let iris = iris();
        let labels = iris.labels().unwrap();
        let code = OneHot::default().with_classes(labels.classes.clone());
        let rows = code.encode_labels(labels).unwrap();
        assert_eq!(rows.sum_axis(Axis(0)), array![50.0, 50.0, 50.0]);
        let names = code.decode(rows.view()).unwrap();
        let again = Labels::from_names(names.into_iter().map(Option::unwrap));
        assert_eq!(again, *labels);
    }

    // 000b:S37: unseen labels are an error, and the order of classes stays that of the fit.
    #[test]
    fn unseen_labels_are_an_error_and_the_order_is_kept() {
        let code = OneHot::default().fit(["b", "c"]).unwrap();
        let message = code.encode(["a"]).unwrap_err().to_string();
        assert!(
            message.starts_with("a was not among the 2 names"),
            "{message}"
        );
        // In these labels c has index 0; in the code it keeps the second column.
        let labels = Labels::from_names(["c"]);
        assert_eq!(code.encode_labels(&labels).unwrap(), array![[0.0, 1.0]]);
        assert!(OneHot::default().fit(Vec::<ClassName>::new()).is_err());
    }

    // 001:RNN-11
    #[test]
    fn symbols_of_a_sequence_are_vectors_with_a_single_one() {
        let alice = alice();
        let letters = alice.features().column(0).mapv(|code| code as i64).to_vec();
        let code = OneHot::default().fit(letters.iter().copied()).unwrap();
        assert_eq!(code.n_columns(), 27);
        let rows = code.encode(letters.iter().copied()).unwrap();
        assert!(rows.rows().into_iter().all(|row| row.sum() == 1.0));
        let names = code.decode(rows.view()).unwrap();
        for (name, letter) in names.into_iter().zip(letters) {
            assert_eq!(name, Some(ClassName::Integer(letter)));
        }
    }

    // 001:RNN-11: unknown tokens.
    #[test]
    fn unknown_tokens_are_zeros_or_a_column_of_their_own_on_request() {
        let code = |unknown| OneHot { unknown }.fit(["x", "y"]).unwrap();
        let zeros = code(UnknownName::Zeros);
        let rows = zeros.encode(["y", "z"]).unwrap();
        assert_eq!(rows, array![[0.0, 1.0], [0.0, 0.0]]);
        assert_eq!(zeros.decode(rows.view()).unwrap(), [Some("y".into()), None]);
        let column = code(UnknownName::Column);
        let rows = column.encode(["y", "z"]).unwrap();
        assert_eq!(rows, array![[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(column.decode(rows.view()).unwrap()[1], None);
        assert!(column.decode(array![[1.0]].view()).is_err());
    }
}
