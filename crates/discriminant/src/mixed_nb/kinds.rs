//! Which law each column follows.

use super::AttributeKind;
use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The law of each column.
///
/// Written as one word for all columns, or as a list with a word for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AttributeKinds {
    /// The same for all columns.
    All(AttributeKind),
    /// One for each column; a list of one is for all of them.
    Each(#[schemars(length(min = 1))] Vec<AttributeKind>),
}

impl From<Vec<AttributeKind>> for AttributeKinds {
    fn from(kinds: Vec<AttributeKind>) -> Self {
        AttributeKinds::Each(kinds)
    }
}

impl AttributeKinds {
    /// The kind of each of this many columns.
    pub(super) fn of(&self, columns: usize) -> Result<Vec<AttributeKind>> {
        match self {
            AttributeKinds::All(kind) => Ok(vec![*kind; columns]),
            AttributeKinds::Each(kinds) if kinds.len() == 1 => Ok(vec![kinds[0]; columns]),
            AttributeKinds::Each(kinds) if kinds.len() == columns => Ok(kinds.clone()),
            AttributeKinds::Each(kinds) => Err(Error::parameter(
                "kinds",
                format!("a list of {}", kinds.len()),
                format!("there are {columns} columns; give one kind for each, or one for all"),
            )),
        }
    }
}
