//! Attributes that take one of a few values, coded 0, 1, 2, …

mod totals;

pub use totals::CategoryTotals;

use didact_core::{Error, Result};

/// Codes from here on are refused: a table of so many values is a mistake in the column.
const MOST_CATEGORIES: f64 = 1_048_576.0;

/// The category that a value stands for; `None` where it is missing.
pub(crate) fn category(row: usize, column: usize, value: f64) -> Result<Option<usize>> {
    if value.is_nan() {
        return Ok(None);
    }
    match (0.0..MOST_CATEGORIES).contains(&value) && value.fract() == 0.0 {
        true => Ok(Some(value as usize)),
        false => Err(Error::data(format!(
            "row {row}, column {column} is {value}; \
             categories must be coded as whole numbers from 0 to {}",
            MOST_CATEGORIES - 1.0
        ))),
    }
}
