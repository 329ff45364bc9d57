//! The classes and columns of a stream.

use crate::ClassWeight;
use didact_core::{Classes, Error, Labelled, Result};
use serde::{Deserialize, Serialize};

/// What the chunks of a stream must agree on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Roster {
    pub(crate) classes: Classes,
    /// The classes that have scores.
    pub(crate) present: Vec<usize>,
    pub(crate) n_columns: usize,
}

impl Roster {
    /// All classes of the first chunk, also those that have no row in it: they may come later.
    pub(crate) fn of(chunk: &Labelled<'_>) -> Result<Self> {
        if chunk.classes.len() < 2 {
            return Err(Error::data(format!(
                "there is only one class, {}; name at least two with the first rows",
                chunk.classes.names()[0]
            )));
        }
        Ok(Roster {
            classes: chunk.classes.clone(),
            present: (0..chunk.classes.len()).collect(),
            n_columns: chunk.samples.rows().n_columns(),
        })
    }

    /// Number of scores: two classes need one, more need one each.
    pub(crate) fn n_outputs(&self) -> usize {
        match self.present.len() {
            2 => 1,
            many => many,
        }
    }

    /// Fails where a chunk has other columns or classes.
    pub(crate) fn check(&self, chunk: &Labelled<'_>) -> Result<()> {
        check_columns(self.n_columns, chunk.samples.rows().n_columns())?;
        if *chunk.classes != self.classes {
            return Err(Error::data(format!(
                "the classes of these rows are {} but those of the rows before are {}; \
                 name all classes with the first rows",
                listed(chunk.classes),
                listed(&self.classes)
            )));
        }
        let unknown = chunk
            .labels
            .iter()
            .find(|label| !self.present.contains(label));
        match unknown {
            None => Ok(()),
            Some(&label) => Err(Error::data(format!(
                "class {} had no rows when the model was fitted, so it has no score to go on \
                 from; learn from the first chunk on instead",
                self.classes.names()[label]
            ))),
        }
    }
}

fn listed(classes: &Classes) -> String {
    let names: Vec<String> = classes.names().iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Fails where a chunk has other columns than those before.
pub(crate) fn check_columns(expected: usize, found: usize) -> Result<()> {
    match expected == found {
        true => Ok(()),
        false => Err(Error::Columns { expected, found }),
    }
}

/// Fails where the weights of the classes depend on all rows.
pub(crate) fn check_class_weight(class_weight: &ClassWeight) -> Result<()> {
    match class_weight {
        ClassWeight::Balanced => Err(Error::parameter(
            "class_weight",
            "balanced",
            "learning chunk by chunk does not know how many rows each class will have; \
             give a factor for each class, or weights of the rows",
        )),
        _ => Ok(()),
    }
}
