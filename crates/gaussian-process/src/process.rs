//! The process itself: a covariance function and the noise of what is measured.

use crate::covariance::Covariance;
use crate::draws::{Draws, draw};
use crate::exact::{Exact, ProcessCriterion};
use crate::observations::Observations;
use didact_core::abilities::check_rows;
use didact_core::{Error, Features, FitData, Measured, Result, Rows, Run};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// A Gaussian process of mean zero, y = f + ε: the values of f at any rows are jointly Gaussian
/// with the given covariances, and ε is independent noise of variance σ².
///
/// ```
/// use didact_core::{Measured, Run};
/// use didact_gaussian_process::{Covariance, Process, CovarianceShape};
/// use ndarray::array;
/// let process = Process::new(Covariance::new(CovarianceShape::Rbf, 1.0, array![1.0])?, 0.01)?;
/// let (x, y) = (array![[0.0], [1.0]], [1.0, -1.0]);
/// let found = process.log_marginal_likelihood(&Measured::new(&x, &y)?, &Run::new())?;
/// // ln N(y; 0, K + 0.01·I) with K = [[1, e^-½], [e^-½, 1]].
/// assert!((found.value + 4.102_70).abs() < 1e-5);
/// assert_eq!(found.gradient.len(), 3);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Process {
    covariance: Covariance,
    noise: f64,
}

/// How probable targets are, and how that changes with the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessLikelihood {
    /// The logarithm of the density of the targets, summed over the targets where there are
    /// several.
    pub value: f64,
    /// Its derivatives with respect to the logarithms of the parameters: the amplitude, the
    /// length scales, the exponent of a rational quadratic, the noise where there is some. A
    /// linear covariance has no length scale beside its amplitude, and no amplitude beside a
    /// length scale per column.
    pub gradient: Vec<f64>,
}

/// What the process says about each training target after all the others.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveOneOut {
    /// The targets minus their means, a column per target.
    pub residuals: Array2<f64>,
    /// The variances, noise included, a column per target.
    pub variances: Array2<f64>,
    /// The sum of the log-densities.
    pub log_density: f64,
}

impl Process {
    /// A process with this covariance and this variance of the noise; zero is a process that is
    /// measured exactly.
    pub fn new(covariance: Covariance, noise: f64) -> Result<Self> {
        match noise >= 0.0 && noise.is_finite() {
            true => Ok(Process { covariance, noise }),
            false => Err(Error::parameter(
                "noise",
                noise,
                "it must be at least 0 and finite",
            )),
        }
    }

    /// The covariance function.
    pub fn covariance(&self) -> &Covariance {
        &self.covariance
    }

    /// The variance of the noise.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// Draws functions from the process before any data: a column for each, a row for each of
    /// the rows.
    pub fn draw(
        &self,
        rows: ArrayView2<'_, f64>,
        n_draws: usize,
        seed: u64,
        run: &Run,
    ) -> Result<Draws> {
        self.check(Rows::Dense(rows))?;
        let covariance = self.covariance.matrix(rows, run)?;
        let mean = Array2::zeros((rows.nrows(), 1));
        draw(&mean, covariance, n_draws, seed, run)
    }

    /// ln N(y; 0, K + σ²I) with its gradient, in O(n³) once and O(n²) per parameter.
    pub fn log_marginal_likelihood(
        &self,
        data: &Measured<'_>,
        run: &Run,
    ) -> Result<ProcessLikelihood> {
        self.criterion(data, ProcessCriterion::Evidence, run)
    }

    /// The log-density of each target given all the others, summed, with its gradient, at the
    /// same cost.
    pub fn leave_one_out_likelihood(
        &self,
        data: &Measured<'_>,
        run: &Run,
    ) -> Result<ProcessLikelihood> {
        self.criterion(data, ProcessCriterion::LeaveOneOut, run)
    }

    fn criterion(
        &self,
        data: &Measured<'_>,
        criterion: ProcessCriterion,
        run: &Run,
    ) -> Result<ProcessLikelihood> {
        let observations = self.observations(data)?;
        let exact = Exact::new(&self.covariance, &observations, run)?;
        let mut gradient = vec![0.0; self.log_parameters().len()];
        let value = exact.evaluate(self, criterion, Some(&mut gradient), run)?;
        Ok(ProcessLikelihood { value, gradient })
    }

    /// What the process says about each target after all the others, by one factorisation: the
    /// residual αᵢ/[K⁻¹]ᵢᵢ and the variance 1/[K⁻¹]ᵢᵢ.
    pub fn leave_one_out(&self, data: &Measured<'_>, run: &Run) -> Result<LeaveOneOut> {
        let observations = self.observations(data)?;
        Exact::new(&self.covariance, &observations, run)?.leave_one_out(self, run)
    }

    fn observations(&self, data: &Measured<'_>) -> Result<Observations> {
        data.check(didact_core::Accepts::all())?;
        self.check(data.samples.rows())?;
        Observations::new(data)
    }

    fn check(&self, rows: Rows<'_>) -> Result<()> {
        match self.covariance.length_scales().len() {
            1 => check_rows(&AnyWidth(rows.n_columns()), rows),
            several => check_rows(&AnyWidth(several), rows),
        }
    }

    /// The logarithms of all parameters that can be learned; a noise of zero stays zero.
    pub(crate) fn log_parameters(&self) -> Vec<f64> {
        let mut logarithms = self.covariance.log_parameters();
        logarithms.extend((self.noise > 0.0).then(|| self.noise.ln()));
        logarithms
    }

    pub(crate) fn with_log_parameters(&self, logarithms: &[f64]) -> Self {
        let (own, noise) = logarithms.split_at(self.covariance.log_parameters().len());
        Process {
            covariance: self.covariance.with_log_parameters(own),
            noise: noise.first().map_or(self.noise, |noise| noise.exp()),
        }
    }
}

/// Something that expects rows of so many columns.
struct AnyWidth(usize);

impl Features for AnyWidth {
    fn n_features(&self) -> usize {
        self.0
    }
}
