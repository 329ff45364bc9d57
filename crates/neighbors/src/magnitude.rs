//! Values whose distances are too large for numbers.

use didact_core::{Error, Result, Rows};
use didact_math::distance::Metric;

/// Fails where distances could overflow: rows infinitely far away have no order.
pub(crate) fn check_magnitude(rows: Rows<'_>, metric: Metric) -> Result<()> {
    let power = match metric {
        Metric::Manhattan | Metric::Chebyshev => 1.0,
        Metric::Minkowski { p } => p,
        _ => 2.0,
    };
    let limit = (1e300 / rows.n_columns().max(1) as f64).powf(f64::recip(power)) / 2.0;
    let exceeds = |row: usize| match rows {
        Rows::Dense(dense) => dense.row(row).iter().any(|value| value.abs() > limit),
        Rows::Sparse(sparse) => sparse.row(row).1.iter().any(|value| value.abs() > limit),
    };
    match (0..rows.n_rows()).find(|&row| exceeds(row)) {
        None => Ok(()),
        Some(row) => Err(Error::numerical(format!(
            "row {row} holds a value so large that its distances overflow; \
             divide the columns by a power of ten so that their values stay below {limit:.0e}"
        ))),
    }
}
