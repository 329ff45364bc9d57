//! What a process says about new targets.

use ndarray::Array2;

/// Means and variances at rows, a column per target.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessPredictive {
    /// The mean of the function, which is also that of a new target.
    pub mean: Array2<f64>,
    /// The variance of the function.
    pub variance_of_mean: Array2<f64>,
    /// The variance of a new target: that of the function plus that of the noise.
    pub variance: Array2<f64>,
}

impl ProcessPredictive {
    /// The band of `multiple` standard deviations of the function around its mean, lower and
    /// upper end.
    ///
    /// The function lies within ±1 with 68.3 %, within ±2 with 95.4 %, within ±3 with 99.7 %.
    pub fn band(&self, multiple: f64) -> (Array2<f64>, Array2<f64>) {
        band(&self.mean, &self.variance_of_mean, multiple)
    }

    /// The same for a new target, whose noise makes the band wider.
    pub fn target_band(&self, multiple: f64) -> (Array2<f64>, Array2<f64>) {
        band(&self.mean, &self.variance, multiple)
    }
}

fn band(mean: &Array2<f64>, variance: &Array2<f64>, multiple: f64) -> (Array2<f64>, Array2<f64>) {
    let half = variance.mapv(f64::sqrt) * multiple;
    (mean - &half, mean + &half)
}
