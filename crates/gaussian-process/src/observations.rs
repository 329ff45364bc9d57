//! Targets, and how often each was seen.

use didact_core::{Measured, Result};
use ndarray::{Array1, Array2, Axis};
use std::f64::consts::PI;

/// The rows and targets that count.
///
/// A weight w stands for w equal rows with equal targets. Their mean has the noise σ²/w, and
/// what is left of their joint density depends on σ² alone; see [`Observations::repetition`].
pub(crate) struct Observations {
    pub(crate) rows: Array2<f64>,
    pub(crate) targets: Array2<f64>,
    pub(crate) weights: Option<Array1<f64>>,
}

impl Observations {
    /// The data without the rows of weight zero.
    pub(crate) fn new(data: &Measured<'_>) -> Result<Self> {
        let rows = data.samples.dense()?;
        let Some(weights) = data.samples.weights() else {
            return Ok(Observations {
                rows: rows.to_owned(),
                targets: data.targets.to_owned(),
                weights: None,
            });
        };
        let kept: Vec<usize> = (0..weights.len())
            .filter(|&row| weights[row] > 0.0)
            .collect();
        Ok(Observations {
            rows: rows.select(Axis(0), &kept),
            targets: data.targets.select(Axis(0), &kept),
            weights: Some(weights.select(Axis(0), &kept)),
        })
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.rows.nrows()
    }

    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    pub(crate) fn total_weight(&self) -> f64 {
        self.weights
            .as_ref()
            .map_or(self.n_rows() as f64, |weights| weights.sum())
    }

    /// Adds the noise σ²/w of each row to the diagonal of a covariance matrix.
    pub(crate) fn add_noise(&self, covariance: &mut Array2<f64>, noise: f64) {
        for (row, value) in covariance.diag_mut().iter_mut().enumerate() {
            *value += noise / self.weight(row);
        }
    }

    /// What the log-density of one target gains because rows of weight w are w rows, and its
    /// derivative with respect to ln σ²:
    /// N(y; f, σ²)^w = N(y; f, σ²/w)·(2πσ²)^(−(w−1)/2)·w^(−½).
    pub(crate) fn repetition(&self, noise: f64) -> (f64, f64) {
        let Some(weights) = self.weights.as_ref().filter(|_| noise > 0.0) else {
            return (0.0, 0.0);
        };
        let excess: f64 = weights.iter().map(|w| w - 1.0).sum();
        let logarithms: f64 = weights.iter().map(|w| w.ln()).sum();
        let value = -0.5 * (excess * (2.0 * PI * noise).ln() + logarithms);
        (value, -0.5 * excess)
    }

    /// At most this many of the rows, evenly spread over their order.
    pub(crate) fn thinned(&self, most: usize) -> Observations {
        let chosen = spread_over(self.n_rows(), most);
        Observations {
            rows: self.rows.select(Axis(0), &chosen),
            targets: self.targets.select(Axis(0), &chosen),
            weights: self.weights.as_ref().map(|w| w.select(Axis(0), &chosen)),
        }
    }

    /// The share that each row has of the total weight.
    fn shares(&self) -> Array1<f64> {
        let total = self.total_weight();
        Array1::from_shape_fn(self.n_rows(), |row| self.weight(row) / total)
    }

    /// The means of the targets.
    pub(crate) fn target_means(&self) -> Array1<f64> {
        self.shares().dot(&self.targets)
    }

    /// The means of the squared targets.
    pub(crate) fn target_squares(&self) -> Array1<f64> {
        self.shares()
            .dot(&self.targets.mapv(|target| target * target))
    }

    /// The mean squared distance of the rows from the mean of each column.
    pub(crate) fn column_variances(&self) -> Array1<f64> {
        let shares = self.shares();
        let centred = &self.rows - &shares.dot(&self.rows);
        shares.dot(&centred.mapv(|value| value * value))
    }
}

/// At most `most` of `n` places, evenly spread.
pub(crate) fn spread_over(n: usize, most: usize) -> Vec<usize> {
    match n <= most {
        true => (0..n).collect(),
        false => (0..most).map(|place| place * n / most).collect(),
    }
}
