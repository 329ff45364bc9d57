//! Data in the numbers that a network calculates with.

use crate::Real;
use didact_core::{Error, Result};
use ndarray::ArrayView2;

/// Larger values overflow in single precision once they are squared and summed.
const LARGEST: f64 = 1e15;

/// The rows in C order; fails where a value is too large. `what` is "column" or "target".
pub(crate) fn to_real<T: Real>(rows: ArrayView2<'_, f64>, what: &str) -> Result<Vec<T>> {
    for (place, value) in rows.iter().enumerate() {
        if value.abs() > LARGEST {
            let column = place % rows.ncols();
            return Err(Error::data(format!(
                "{what} {column} holds {value:e}, which is too large for a network; scale it \
                 first, so that its values are near one"
            )));
        }
    }
    Ok(rows.iter().map(|&value| T::of(value)).collect())
}
