//! Rows read as patterns of −1 and +1.

use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2};

/// The rows as −1 and +1: +1 above the threshold, or without one from rows of −1 and 1 or of
/// 0 and 1.
pub(super) fn spins(rows: ArrayView2<'_, f64>, binarize: Option<f64>) -> Result<Array2<f64>> {
    let rows = rows.as_standard_layout();
    if let Some(threshold) = binarize {
        return Ok(rows.mapv(|value| if value > threshold { 1.0 } else { -1.0 }));
    }
    let strange = |value: f64| value != 1.0 && value != 0.0 && value != -1.0;
    if let Some(((row, column), value)) = rows.indexed_iter().find(|(_, value)| strange(**value)) {
        return Err(Error::data(format!(
            "row {row}, column {column} is {value}; patterns are of -1 and 1 or of 0 and 1, so \
             set binarize to the threshold above which a value is 1"
        )));
    }
    if rows.iter().any(|&value| value == 0.0) && rows.iter().any(|&value| value == -1.0) {
        return Err(Error::data(
            "the rows have values of 0 and of -1; patterns are of -1 and 1 or of 0 and 1, so set \
             binarize to the threshold above which a value is 1",
        ));
    }
    Ok(rows.mapv(|value| if value == 1.0 { 1.0 } else { -1.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn both_alphabets_are_read_alike_and_others_are_refused() {
        let expected = array![[-1.0, 1.0]];
        for rows in [array![[-1.0, 1.0]], array![[0.0, 1.0]]] {
            assert_eq!(spins(rows.view(), None).unwrap(), expected);
            assert_eq!(spins(rows.view(), Some(0.0)).unwrap(), expected);
        }
        let half = array![[0.5, 1.0]];
        let message = spins(half.view(), None).unwrap_err().to_string();
        assert!(message.contains("row 0, column 0 is 0.5") && message.contains("binarize"));
        assert!(spins(array![[0.0, -1.0]].view(), None).is_err());
        assert_eq!(spins(half.view(), Some(0.6)).unwrap(), expected);
    }
}
