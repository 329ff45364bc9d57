//! The errors for distances that no number can hold.

use didact_core::Error;

/// Two rows are too far apart.
pub(crate) fn rows_too_far() -> Error {
    Error::numerical("the distance of two rows is too large for a number; scale the columns down")
}

/// A row is too far from a centre.
pub(crate) fn row_too_far(row: usize) -> Error {
    Error::numerical(format!(
        "the distance of row {row} to a centre is too large for a number; scale the columns down"
    ))
}

/// Rows are too far from their centres, or the sum of their distances is too large.
pub(crate) fn centers_too_far() -> Error {
    Error::numerical(
        "the distances of the rows to the centres are too large for a number; scale the columns \
         down",
    )
}
