//! How much the axes explain, what they are made of, and what leaving axes out costs.

use super::PcaModel;
use super::components::fewest_for_share;
use didact_core::{Error, Features, Result, Rows, Run, Samples, abilities::check_rows};
use ndarray::{Array1, Array2};

impl PcaModel {
    /// The share of the whole variance along each axis, λᵢ/Σλ; zero where nothing varies.
    pub fn explained_variance_ratio(&self) -> Array1<f64> {
        match self.total_variance > 0.0 {
            true => &self.explained_variance / self.total_variance,
            false => Array1::zeros(self.n_components()),
        }
    }

    /// The share of the whole variance that the first one, two, … axes keep.
    pub fn kept_shares(&self) -> Array1<f64> {
        let mut kept = 0.0;
        self.explained_variance_ratio().mapv(|share| {
            kept += share;
            // Rounding must not keep more than there is.
            f64::min(kept, 1.0)
        })
    }

    /// The share of the variance that the axes lose: one minus the share that they keep.
    pub fn lost_share(&self) -> f64 {
        match self.total_variance > 0.0 {
            true => self.discarded_variance() / self.total_variance,
            false => 0.0,
        }
    }

    /// The variance along all discarded axes, Σ_{i>p} λᵢ: the mean squared distance between the
    /// training rows and their reconstructions.
    pub fn discarded_variance(&self) -> f64 {
        let known = self.eigenvalues.len() == self.n_samples.min(self.n_features());
        match known {
            // Adding small eigenvalues up keeps the digits that a difference would lose.
            true => self.eigenvalues.iter().skip(self.n_components()).sum(),
            false => (self.total_variance - self.explained_variance.sum()).max(0.0),
        }
    }

    /// The mean variance along the discarded axes, the σ² of probabilistic PCA:
    /// Σ_{i>p} λᵢ/(d−p), and zero where none is discarded.
    pub fn noise_variance(&self) -> f64 {
        match self.n_features() - self.n_components() {
            0 => 0.0,
            discarded => self.discarded_variance() / discarded as f64,
        }
    }

    /// The singular values of the centred rows that belong to the axes, √(n·λᵢ).
    pub fn singular_values(&self) -> Array1<f64> {
        self.explained_variance
            .mapv(|variance| (variance * self.divisor).sqrt())
    }

    /// The variances along all axes that were found, kept or not, in falling order: the scree.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.eigenvalues
    }

    /// How each column goes into each axis, eᵢ·√λᵢ: one row per column, one column per axis.
    ///
    /// The squares in a row add up to the variance of that column that the axes explain.
    pub fn loadings(&self) -> Array2<f64> {
        let deviations = self.explained_variance.mapv(f64::sqrt);
        &self.components.t() * &deviations
    }

    /// The fewest axes that keep at least this share of the variance; none where the axes that
    /// were found do not reach it.
    pub fn components_for_share(&self, share: f64) -> Option<usize> {
        fewest_for_share(self.eigenvalues.view(), self.total_variance, share)
    }

    /// Kaiser's rule: the number of axes with more variance than a column has on average.
    pub fn components_above_average(&self) -> usize {
        let average = self.total_variance / self.n_features() as f64;
        self.eigenvalues
            .iter()
            .filter(|&&variance| variance > average)
            .count()
    }

    /// The rows as the axes see them: x̂ = μ + Σ eᵢ·(eᵢ·(x−μ)), whatever the whitening.
    pub fn reconstruct<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<f64>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        let run = Run::new();
        self.rows_of_scores(&self.scores(samples.rows(), &run)?, &run)
    }

    /// The squared distance between each row and its reconstruction.
    pub fn reconstruction_errors<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array1<f64>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        self.residuals(samples.rows(), &Run::new())
    }

    /// ‖x − x̂‖² of each row; sparse rows are written out a few at a time.
    pub(super) fn residuals(&self, rows: Rows<'_>, run: &Run) -> Result<Array1<f64>> {
        let mut errors = Vec::with_capacity(rows.n_rows());
        let block = ((1 << 20) / self.n_features()).clamp(32, 4096);
        for start in (0..rows.n_rows()).step_by(block) {
            let end = (start + block).min(rows.n_rows());
            let written = rows.slice(start..end).to_dense();
            let scores = self.scores(Rows::Dense(written.view()), run)?;
            let restored = self.rows_of_scores(&scores, run)?;
            for (row, image) in written.rows().into_iter().zip(restored.rows()) {
                let squares = row.iter().zip(image).map(|(x, y)| (x - y) * (x - y));
                errors.push(squares.sum());
            }
        }
        Ok(Array1::from(errors))
    }

    /// How many numbers store this many rows as scores: the scores themselves, and once the axes
    /// and the mean, without which the scores mean nothing.
    pub fn stored_numbers(&self, n_rows: usize) -> usize {
        n_rows * self.n_components() + self.components.len() + self.mean.len()
    }

    /// The share of numbers saved by storing this many rows as scores; negative where axes and
    /// mean cost more than the scores save.
    pub fn saved_share(&self, n_rows: usize) -> Result<f64> {
        if n_rows == 0 {
            return Err(Error::data("there are no rows to store; give at least one"));
        }
        let written_out = (n_rows * self.n_features()) as f64;
        Ok(1.0 - self.stored_numbers(n_rows) as f64 / written_out)
    }
}
