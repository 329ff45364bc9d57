//! A cluster with its mean and covariance integrated out.

use didact_core::Result;
use didact_math::linalg::Cholesky;
use didact_probability::special::{log_gamma_ratio, multivariate_log_gamma};
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// The law of a new row of a cluster.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterPredictive {
    /// The exact one, a Student t.
    #[default]
    StudentT,
    /// The Gaussian of the same mean and covariance.
    Gaussian,
}

/// What is believed of the mean and covariance of a cluster: Σ ~ IW(ν, Λ), μ | Σ ~ N(ϑ, Σ/κ).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Cluster {
    pub(super) count: usize,
    strength: f64,
    freedom: f64,
    pub(super) mean: Array1<f64>,
    /// The factor of Λ = ν·Δ.
    factor: Cholesky,
    log_determinant: f64,
    predictive: ClusterPredictive,
    /// The part of the predictive log-density that no row changes.
    constant: f64,
}

impl Cluster {
    /// The belief before any row.
    pub(super) fn prior(
        strength: f64,
        freedom: f64,
        mean: Array1<f64>,
        scale: &Array2<f64>,
        predictive: ClusterPredictive,
    ) -> Result<Self> {
        let mut cluster = Cluster {
            count: 0,
            strength,
            freedom,
            mean,
            factor: Cholesky::new(scale.view())?,
            log_determinant: 0.0,
            predictive,
            constant: 0.0,
        };
        cluster.refresh();
        Ok(cluster)
    }

    pub(super) fn predictive(&self) -> ClusterPredictive {
        self.predictive
    }

    fn dimension(&self) -> f64 {
        self.mean.len() as f64
    }

    /// What Λ is multiplied by to become the scale of the predictive law.
    fn width(&self) -> f64 {
        let spread = (self.strength + 1.0) / self.strength;
        match self.predictive {
            ClusterPredictive::StudentT => spread / (self.freedom - self.dimension() + 1.0),
            ClusterPredictive::Gaussian => spread / (self.freedom - self.dimension() - 1.0),
        }
    }

    fn refresh(&mut self) {
        let d = self.dimension();
        self.log_determinant = self.factor.log_determinant();
        let spread = self.log_determinant + d * self.width().ln();
        self.constant = match self.predictive {
            ClusterPredictive::StudentT => {
                let degrees = self.freedom - d + 1.0;
                log_gamma_ratio(0.5 * degrees, 0.5 * d) - 0.5 * (d * (degrees * PI).ln() + spread)
            }
            ClusterPredictive::Gaussian => -0.5 * (d * TAU.ln() + spread),
        };
    }

    /// Takes a row in: Λ + κ/(κ+1)·(x−ϑ)(x−ϑ)ᵀ.
    pub(super) fn add(&mut self, x: ArrayView1<'_, f64>) -> Result<()> {
        let shift = &x - &self.mean;
        let factor = (self.strength / (self.strength + 1.0)).sqrt();
        self.factor.update((&shift * factor).view())?;
        self.strength += 1.0;
        self.freedom += 1.0;
        self.mean.scaled_add(1.0 / self.strength, &shift);
        self.count += 1;
        self.refresh();
        Ok(())
    }

    /// Lets a row go; the exact inverse of [`Cluster::add`].
    pub(super) fn remove(&mut self, x: ArrayView1<'_, f64>) -> Result<()> {
        let before = self.strength - 1.0;
        let mean = (&self.mean * self.strength - x) / before;
        let shift = (&x - &mean) * (before / self.strength).sqrt();
        self.factor.downdate(shift.view())?;
        self.mean = mean;
        self.strength = before;
        self.freedom -= 1.0;
        self.count -= 1;
        self.refresh();
        Ok(())
    }

    /// ln p(x | rows of the cluster), x not among them.
    pub(super) fn log_predictive(&self, x: ArrayView1<'_, f64>, solved: &mut [f64]) -> f64 {
        let square = self.squared_distance(x, solved) / self.width();
        match self.predictive {
            ClusterPredictive::Gaussian => self.constant - 0.5 * square,
            ClusterPredictive::StudentT => {
                let degrees = self.freedom - self.dimension() + 1.0;
                self.constant - 0.5 * (degrees + self.dimension()) * (square / degrees).ln_1p()
            }
        }
    }

    /// ‖L⁻¹(x − ϑ)‖², column by column of L, which lies in memory so.
    fn squared_distance(&self, x: ArrayView1<'_, f64>, solved: &mut [f64]) -> f64 {
        for ((solved, x), mean) in solved.iter_mut().zip(x).zip(&self.mean) {
            *solved = x - mean;
        }
        let lower = self.factor.lower();
        let mut square = 0.0;
        for pivot in 0..solved.len() {
            let column = lower.column(pivot);
            let column = column.as_slice().expect("factors lie in memory by columns");
            let value = solved[pivot] / column[pivot];
            square += value * value;
            let below = &column[pivot + 1..];
            for (solved, below) in solved[pivot + 1..].iter_mut().zip(below) {
                *solved -= value * below;
            }
        }
        square
    }

    /// ln p(rows of the cluster), against the belief before them.
    pub(super) fn log_evidence(&self, prior: &Cluster) -> f64 {
        let (d, n) = (self.mean.len(), self.count as f64);
        let dimension = d as f64;
        multivariate_log_gamma(d, 0.5 * self.freedom)
            - multivariate_log_gamma(d, 0.5 * prior.freedom)
            + 0.5 * prior.freedom * prior.log_determinant
            - 0.5 * self.freedom * self.log_determinant
            + 0.5 * dimension * (prior.strength / self.strength).ln()
            - 0.5 * n * dimension * PI.ln()
    }

    /// The most probable covariance, Λ/(ν + d + 2), at the most probable mean ϑ.
    pub(super) fn covariance(&self) -> Array2<f64> {
        let lower = self.factor.lower();
        didact_math::linalg::a_times_bt(lower, lower) / (self.freedom + self.dimension() + 2.0)
    }

    /// The factor, the degrees of freedom and the scale to draw new rows with.
    pub(super) fn drawing(&self) -> (&Cholesky, f64, f64) {
        let degrees = self.freedom - self.dimension() + 1.0;
        (&self.factor, degrees, self.width().sqrt())
    }

    /// Whether the parts belong together, which those of a damaged file may not.
    pub(super) fn is_consistent(&self, dimension: usize) -> bool {
        let numbers = [
            self.strength,
            self.freedom,
            self.log_determinant,
            self.constant,
        ];
        self.mean.len() == dimension
            && self.factor.dimension() == dimension
            && self
                .mean
                .iter()
                .chain(&numbers)
                .all(|number| number.is_finite())
            && self.strength > 0.0
            && self.freedom > dimension as f64 - 1.0
            && self.width() > 0.0
            && self.count < usize::MAX
    }
}
