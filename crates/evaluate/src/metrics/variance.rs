//! The sums of squares behind R².

use super::check::{check_finite, check_lengths};
use didact_core::Result;
use serde::Serialize;

/// How the variation of a target splits into what a model explains and what it leaves.
///
/// SST = Σ(y−ȳ)², SSM = Σ(ŷ−ȳ)², SSE = Σ(y−ŷ)². SST = SSM + SSE, Σe = 0 and SSM/SST = the squared
/// correlation of y and ŷ hold for least squares with an intercept on its own training rows;
/// elsewhere `gap` is not zero and 1 − SSE/SST may be negative.
///
/// ```
/// use didact_evaluate::VarianceDecomposition;
/// let parts = VarianceDecomposition::new(&[2.0, 3.0, 5.0, 6.0], &[1.9, 3.3, 4.7, 6.1])?;
/// assert!((parts.unexplained - 0.2).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VarianceDecomposition {
    /// SST, the variation of the target about its mean.
    pub total: f64,
    /// SSM, the variation of the predictions about the same mean.
    pub explained: f64,
    /// SSE, the sum of squared residuals.
    pub unexplained: f64,
    /// Σe, the sum of the residuals.
    pub residual_sum: f64,
}

impl VarianceDecomposition {
    /// From true and predicted values.
    pub fn new(truth: &[f64], predicted: &[f64]) -> Result<Self> {
        check_lengths(truth.len(), predicted.len())?;
        check_finite("true value", truth)?;
        check_finite("predicted value", predicted)?;
        let mean = truth.iter().sum::<f64>() / truth.len() as f64;
        let around = |values: &[f64]| values.iter().map(|v| (v - mean).powi(2)).sum();
        let residuals = || truth.iter().zip(predicted).map(|(y, p)| y - p);
        Ok(VarianceDecomposition {
            total: around(truth),
            explained: around(predicted),
            unexplained: residuals().map(|e| e * e).sum(),
            residual_sum: residuals().sum(),
        })
    }

    /// 1 − SSE/SST, or nothing for a constant target.
    pub fn r2(&self) -> Option<f64> {
        (self.total > 0.0).then(|| 1.0 - self.unexplained / self.total)
    }

    /// SSM/SST, or nothing for a constant target.
    pub fn explained_share(&self) -> Option<f64> {
        (self.total > 0.0).then(|| self.explained / self.total)
    }

    /// SST − SSM − SSE: zero where the predictions are least squares with an intercept.
    pub fn gap(&self) -> f64 {
        self.total - self.explained - self.unexplained
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_near;
    use super::*;

    // 000a:fx-D3, 000a:SUP-34: x = 1…4, y = 2, 3, 5, 6 gives the line 0.5 + 1.4x.
    #[test]
    fn the_identities_of_least_squares_hold_on_its_training_rows() {
        let y = [2.0, 3.0, 5.0, 6.0];
        let fitted: Vec<f64> = (1..=4).map(|x| 0.5 + 1.4 * f64::from(x)).collect();
        let parts = VarianceDecomposition::new(&y, &fitted).unwrap();
        assert_near(parts.total, 10.0);
        assert_near(parts.explained, 9.8);
        assert_near(parts.unexplained, 0.2);
        assert_near(parts.r2().unwrap(), 0.98);
        assert_near(parts.explained_share().unwrap(), 0.98);
        assert_near(parts.residual_sum, 0.0);
        assert_near(parts.gap(), 0.0);
        // Σ x·e = 0, and R² is the squared correlation of y and ŷ.
        let product: f64 = (0..4).map(|i| (i + 1) as f64 * (y[i] - fitted[i])).sum();
        assert_near(product, 0.0);
        let cross: f64 = (0..4).map(|i| (y[i] - 4.0) * (fitted[i] - 4.0)).sum();
        assert_near(cross * cross / (parts.total * parts.explained), 0.98);
    }

    // 000a:SUP-34: elsewhere the split does not hold and R² may be negative.
    #[test]
    fn other_predictions_leave_a_gap() {
        let parts = VarianceDecomposition::new(&[1.0, 2.0], &[5.0, 5.0]).unwrap();
        assert!(parts.gap() != 0.0);
        assert!(parts.r2().unwrap() < 0.0);
        assert_eq!(
            VarianceDecomposition::new(&[3.0, 3.0], &[1.0, 2.0])
                .unwrap()
                .r2(),
            None
        );
    }
}
