//! How wrong the labels of the rows are whose class was not known.

use didact_core::{Error, Result};

/// The share of wrong labels among the rows whose class the method did not know,
/// (1/(N − l))·Σ [predicted ≠ truth] over those N − l rows.
///
/// ```
/// use didact_semi_supervised::transductive_risk;
/// // Of the two rows that were not labelled one is wrong.
/// let risk = transductive_risk(&[0, 1, 1], &[0, 1, 0], &[Some(0), None, None])?;
/// assert_eq!(risk, 0.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn transductive_risk(
    predicted: &[usize],
    truth: &[usize],
    known: &[Option<usize>],
) -> Result<f64> {
    if predicted.len() != known.len() || truth.len() != known.len() {
        return Err(Error::data(format!(
            "there are {} predicted labels and {} true ones for {} rows; give one of each per row",
            predicted.len(),
            truth.len(),
            known.len()
        )));
    }
    let unknown: Vec<usize> = (0..known.len()).filter(|&i| known[i].is_none()).collect();
    if unknown.is_empty() {
        return Err(Error::data(
            "the class of every row was known, so there is nothing to be wrong about; \
             hide the classes of some rows",
        ));
    }
    let wrong = unknown.iter().filter(|&&i| predicted[i] != truth[i]);
    Ok(wrong.count() as f64 / unknown.len() as f64)
}
