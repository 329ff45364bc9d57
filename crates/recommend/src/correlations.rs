//! How strongly every two columns of a table go together.

use didact_core::{Accepts, FitData, Result, Run, Samples};
use didact_math::linalg::Moments;
use ndarray::Array2;

/// Pearson's correlation of every two columns, within [−1, 1].
///
/// A constant column has no correlation; with it every entry is zero, the diagonal too.
///
/// ```
/// use didact_core::{Run, Samples};
/// use didact_recommend::column_correlations;
/// let table = ndarray::array![[1.0, 6.0, 5.0], [2.0, 4.0, 5.0], [3.0, 2.0, 5.0]];
/// let correlations = column_correlations(Samples::from(&table), &Run::new())?;
/// assert!((correlations[[0, 1]] + 1.0).abs() < 1e-15);
/// assert_eq!(correlations[[2, 2]], 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn column_correlations(data: Samples<'_>, run: &Run) -> Result<Array2<f64>> {
    FitData::check(&data, Accepts::SPARSE | Accepts::WEIGHTS)?;
    let mut scatter = Moments::summarise(data.rows(), data.weights(), run)?.scatter;
    let deviations = scatter.diag().mapv(f64::sqrt);
    for ((i, j), value) in scatter.indexed_iter_mut() {
        // One after the other: the product of two tiny deviations may underflow.
        *value = match deviations[i] > 0.0 && deviations[j] > 0.0 {
            true if i == j => 1.0,
            true => (*value / deviations[i] / deviations[j]).clamp(-1.0, 1.0),
            false => 0.0,
        };
    }
    Ok(scatter)
}
