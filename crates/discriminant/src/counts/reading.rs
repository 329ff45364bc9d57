//! How a value of a row is read as a count.

use didact_core::{Error, Result, Rows};
use serde::{Deserialize, Serialize};

/// How a value of a row is read as a count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// As it is; it must not be negative.
    Count,
    /// One where the value is above the threshold, else zero.
    Above(f64),
    /// As it is; it must be zero or one.
    Binary,
}

impl Reading {
    /// The count that a value stands for.
    #[inline]
    pub(crate) fn count(self, value: f64) -> f64 {
        match self {
            Reading::Count | Reading::Binary => value,
            Reading::Above(threshold) => f64::from(u8::from(value > threshold)),
        }
    }

    fn is_legal(self, value: f64) -> bool {
        match self {
            Reading::Count => value >= 0.0,
            Reading::Above(_) => true,
            Reading::Binary => value == 0.0 || value == 1.0,
        }
    }

    /// Fails where the rows cannot be read so; `first` is the number of the first of them.
    pub(crate) fn check(self, rows: Rows<'_>, first: usize) -> Result<()> {
        match (self, rows) {
            (Reading::Above(threshold), Rows::Sparse(_)) if threshold < 0.0 => {
                Err(Error::parameter(
                    "binarize",
                    threshold,
                    "zeros of sparse rows are not written down, so it must be at least 0 for them",
                ))
            }
            (Reading::Above(_), _) => Ok(()),
            (_, Rows::Dense(x)) => {
                let bad = x.indexed_iter().find(|(_, value)| !self.is_legal(**value));
                match bad {
                    None => Ok(()),
                    Some(((row, column), &value)) => Err(self.complain(first + row, column, value)),
                }
            }
            (_, Rows::Sparse(x)) => (0..x.n_rows()).try_for_each(|row| {
                let (columns, values) = x.row(row);
                match values.iter().position(|&value| !self.is_legal(value)) {
                    None => Ok(()),
                    Some(place) => {
                        let column = columns[place] as usize;
                        Err(self.complain(first + row, column, values[place]))
                    }
                }
            }),
        }
    }

    fn complain(self, row: usize, column: usize, value: f64) -> Error {
        let requirement = match self {
            Reading::Binary => "it must be 0 or 1, or set binarize to a threshold",
            _ => "a count must not be negative",
        };
        Error::data(format!(
            "row {row}, column {column} is {value}; {requirement}"
        ))
    }
}
