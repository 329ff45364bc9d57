//! Units of measurement in which squares of the data neither overflow nor vanish.

use ndarray::{ArrayView2, CowArray, Ix2};

/// A power of two to divide the rows by: one unless their squares could overflow or vanish.
pub(crate) fn unit_of(rows: ArrayView2<'_, f64>) -> f64 {
    let largest = rows
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    match largest == 0.0 || (1e-100..1e100).contains(&largest) {
        true => 1.0,
        // Beyond these exponents the unit or its inverse would not be a normal number.
        false => 2.0_f64.powi((largest.log2().floor() as i32).clamp(-1000, 1000)),
    }
}

/// The rows in that unit, contiguous; copied only where one or the other asks for it.
pub(crate) fn in_unit<'a>(rows: ArrayView2<'a, f64>, unit: f64) -> CowArray<'a, f64, Ix2> {
    match unit == 1.0 && rows.is_standard_layout() {
        true => CowArray::from(rows),
        false => CowArray::from(rows.as_standard_layout().mapv(|value| value / unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn only_extreme_rows_change_their_unit_and_come_back_exactly() {
        assert_eq!(unit_of(array![[3.0, -1e50]].view()), 1.0);
        assert_eq!(unit_of(array![[0.0]].view()), 1.0);
        for extreme in [3e300, 1e-200, f64::MAX, 5e-324] {
            let rows = array![[extreme, -extreme]];
            let unit = unit_of(rows.view());
            let scaled = in_unit(rows.view(), unit);
            assert!(scaled.iter().all(|value| value.abs() < 1e9));
            assert_eq!(scaled.mapv(|value| value * unit), rows);
        }
    }
}
