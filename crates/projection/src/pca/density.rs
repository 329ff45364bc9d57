//! Probabilistic PCA: the axes as a normal distribution with equal noise in all directions.

use super::PcaModel;
use super::whitening::negligible;
use didact_core::random::Generator;
use didact_core::{Drawn, Error, Features, LogDensity, Result, Rows, Run, Sample};
use ndarray::{Array1, Array2};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::PI;

/// The covariance is Σ (λᵢ−σ²)·eᵢeᵢᵀ + σ²·I, whose density needs only scores and residuals:
/// −½·(d·ln 2π + Σ ln λᵢ + (d−p)·ln σ² + Σ yᵢ²/λᵢ + ‖x−x̂‖²/σ²).
impl LogDensity for PcaModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let run = Run::new();
        let noise = self.noise_variance();
        let discarded = self.n_features() - self.n_components();
        let smallest = match discarded {
            0 => self.explained_variance[self.n_components() - 1],
            _ => noise,
        };
        let floor = negligible(self.explained_variance[0], self.n_features());
        if smallest <= floor {
            return Err(Error::numerical(
                "the training rows lie in fewer directions than there are columns and no noise \
                 is left, so they have no density; keep fewer axes with n_components",
            ));
        }
        let mut constant = self.n_features() as f64 * (2.0 * PI).ln()
            + self.explained_variance.mapv(f64::ln).sum();
        if discarded > 0 {
            constant += discarded as f64 * noise.ln();
        }
        let scores = self.scores(rows, &run)?;
        let mut densities: Array1<f64> = scores
            .rows()
            .into_iter()
            .map(|row| {
                let squares = row.iter().zip(&self.explained_variance);
                let length: f64 = squares.map(|(y, variance)| y * y / variance).sum();
                -0.5 * (constant + length)
            })
            .collect();
        if discarded > 0 {
            densities.scaled_add(-0.5 / noise, &self.residuals(rows, &run)?);
        }
        Ok(densities)
    }
}

impl Sample for PcaModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let noise = self.noise_variance();
        let spread = self
            .explained_variance
            .mapv(|variance| (variance - noise).max(0.0).sqrt());
        let mut normal = |_| -> f64 { StandardNormal.sample(generator) };
        let scores = Array2::from_shape_fn((n_rows, self.n_components()), &mut normal) * &spread;
        let mut rows = self.rows_of_scores(&scores, &Run::new())?;
        if noise > 0.0 {
            let noises = Array2::from_shape_fn((n_rows, self.n_features()), |_| {
                let value: f64 = StandardNormal.sample(generator);
                value
            });
            rows.scaled_add(noise.sqrt(), &noises);
        }
        Ok(Drawn {
            rows,
            labels: vec![0; n_rows],
        })
    }
}
