//! Windows over series.

use didact_core::{Error, Result};
use ndarray::{Array1, Array2};

/// Standardised windows, oldest value first, and the value after each.
pub(super) struct Windows {
    pub(super) inputs: Array2<f64>,
    pub(super) targets: Array1<f64>,
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

impl Windows {
    pub(super) fn of(series: &[&[f64]], n_lags: usize) -> Result<Self> {
        let count: usize = series
            .iter()
            .map(|one| one.len().saturating_sub(n_lags))
            .sum();
        if count == 0 {
            return Err(Error::parameter(
                "n_lags",
                n_lags,
                "no series has more values than that; give longer series or look back less",
            ));
        }
        let values = || series.iter().flat_map(|one| one.iter());
        if values().any(|value| !value.is_finite()) {
            return Err(Error::data(
                "a value of a series is not finite; every value must be a finite number",
            ));
        }
        let n = values().count() as f64;
        let mean = values().map(|value| value / n).sum::<f64>();
        let variance = values()
            .map(|value| (value - mean).powi(2) / n)
            .sum::<f64>();
        if !variance.is_finite() {
            return Err(Error::numerical(
                "the values of the series are too large for their variance; scale them down",
            ));
        }
        // A constant series predicts its constant.
        let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        let scaled = |value: &f64| (value - mean) / deviation;
        let mut inputs = Vec::with_capacity(count * n_lags);
        let mut targets = Vec::with_capacity(count);
        for window in series.iter().flat_map(|one| one.windows(n_lags + 1)) {
            inputs.extend(window[..n_lags].iter().map(scaled));
            targets.push(scaled(&window[n_lags]));
        }
        Ok(Windows {
            inputs: Array2::from_shape_vec((count, n_lags), inputs).expect("one row per window"),
            targets: Array1::from(targets),
            mean,
            deviation,
        })
    }
}
