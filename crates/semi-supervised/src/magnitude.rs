//! Values so large that their squared distances are not numbers any more.

use didact_core::{Error, Result, Rows};

/// Fails where squared distances could overflow: rows infinitely far away have no order.
pub(crate) fn check_magnitude(rows: Rows<'_>) -> Result<()> {
    let limit = (1e300 / rows.n_columns().max(1) as f64).sqrt() / 2.0;
    // Without an early exit the comparison vectorises.
    let exceeds = |values: &[f64]| values.iter().fold(false, |any, x| any | (x.abs() > limit));
    let too_large = (0..rows.n_rows()).find(|&row| match rows {
        Rows::Dense(dense) => match dense.row(row).to_slice() {
            Some(values) => exceeds(values),
            None => dense.row(row).iter().any(|x| x.abs() > limit),
        },
        Rows::Sparse(sparse) => exceeds(sparse.row(row).1),
    });
    match too_large {
        None => Ok(()),
        Some(row) => Err(Error::numerical(format!(
            "row {row} holds a value so large that its distances overflow; \
             divide the columns by a power of ten so that their values stay below {limit:.0e}"
        ))),
    }
}
