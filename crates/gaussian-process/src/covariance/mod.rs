//! Covariance functions: what a process takes for granted about its functions.

mod pairs;
mod shape;

pub(crate) use pairs::Pairs;
pub use shape::{CovarianceShape, Smoothness};

use didact_core::model::ensure_consistent;
use didact_core::{Error, Result, Run};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which covariance function a process has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CovarianceKernel {
    /// The squared exponential exp(−½r²/ℓ²), whose functions are smooth.
    #[default]
    Rbf,
    /// e^(−r/ℓ), Matérn's covariance of order ½, whose functions have a kink everywhere.
    Exponential,
    /// Matérn's covariance of order 3⁄2, whose functions are differentiable once.
    Matern32,
    /// Matérn's covariance of order 5⁄2, whose functions are differentiable twice.
    Matern52,
    /// (1 + r²/2αℓ²)^(−α), a mixture of squared exponentials of all widths around ℓ.
    RationalQuadratic,
    /// The inner product a·b/ℓ² + c, whose functions are straight.
    Linear,
}

impl CovarianceKernel {
    /// The shape with these parameters, of which each shape reads its own.
    pub(crate) fn shape(self, scale_mixture: f64, coef0: f64) -> CovarianceShape {
        match self {
            CovarianceKernel::Rbf => CovarianceShape::Rbf,
            CovarianceKernel::Exponential => CovarianceShape::Matern(Smoothness::Half),
            CovarianceKernel::Matern32 => CovarianceShape::Matern(Smoothness::ThreeHalves),
            CovarianceKernel::Matern52 => CovarianceShape::Matern(Smoothness::FiveHalves),
            CovarianceKernel::RationalQuadratic => {
                CovarianceShape::RationalQuadratic { scale_mixture }
            }
            CovarianceKernel::Linear => CovarianceShape::Linear { coef0 },
        }
    }
}

/// A covariance function k(a, b) = amplitude·shape(r) with r² = Σ(aⱼ − bⱼ)²/ℓⱼ².
///
/// ```
/// use didact_gaussian_process::{Covariance, CovarianceShape};
/// use ndarray::array;
/// let covariance = Covariance::new(CovarianceShape::Rbf, 2.0, array![0.5])?;
/// // 2·exp(−½·(1/0.5)²)
/// assert!((covariance.between(&[0.0], &[1.0]) - 2.0 * (-2.0_f64).exp()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Covariance {
    shape: CovarianceShape,
    amplitude: f64,
    length_scales: Array1<f64>,
}

fn positive(name: &str, value: f64) -> Result<()> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            name,
            value,
            "it must be greater than 0 and finite",
        )),
    }
}

impl Covariance {
    /// A covariance of this shape and variance; one length scale serves all columns, several one
    /// each.
    pub fn new(shape: CovarianceShape, amplitude: f64, length_scales: Array1<f64>) -> Result<Self> {
        positive("amplitude", amplitude)?;
        if length_scales.is_empty() {
            return Err(Error::parameter(
                "length_scale",
                "an empty list",
                "it must have one number, or one per column",
            ));
        }
        for &length_scale in &length_scales {
            positive("length_scale", length_scale)?;
        }
        match shape {
            CovarianceShape::RationalQuadratic { scale_mixture } => {
                positive("scale_mixture", scale_mixture)?
            }
            CovarianceShape::Linear { coef0 } if !(coef0 >= 0.0 && coef0.is_finite()) => {
                let right = "it must be at least 0 and finite";
                return Err(Error::parameter("coef0", coef0, right));
            }
            _ => {}
        }
        Ok(Covariance {
            shape,
            amplitude,
            length_scales,
        })
    }

    /// The form of the function.
    pub fn shape(&self) -> CovarianceShape {
        self.shape
    }

    /// The variance of a function value of a stationary process; the variance of the slopes of a
    /// linear one.
    pub fn amplitude(&self) -> f64 {
        self.amplitude
    }

    /// The length scale of all columns, or of each.
    pub fn length_scales(&self) -> &Array1<f64> {
        &self.length_scales
    }

    fn is_isotropic(&self) -> bool {
        self.length_scales.len() == 1
    }

    /// The covariance of the function values at two rows.
    ///
    /// # Panics
    /// When the rows have different lengths.
    pub fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(a.len(), b.len(), "the rows have different lengths");
        let scale = |column: usize| self.length_scales[column % self.length_scales.len()];
        let terms = a.iter().zip(b).enumerate();
        let mut value = [match self.shape.is_stationary() {
            true => terms
                .map(|(column, (a, b))| ((a - b) / scale(column)).powi(2))
                .sum::<f64>()
                .min(shape::FARTHEST),
            false => terms
                .map(|(column, (a, b))| a / scale(column) * (b / scale(column)))
                .sum(),
        }];
        self.shape.apply(&mut value);
        self.amplitude * value[0]
    }

    /// The variances of the function values at rows.
    pub fn diagonal(&self, rows: ArrayView2<'_, f64>) -> Array1<f64> {
        match self.shape {
            CovarianceShape::Linear { coef0 } => {
                let scaled = self.scaled(rows);
                let squares = scaled.rows().into_iter().map(|row| {
                    let row = row.to_slice().expect("a fresh matrix is contiguous");
                    self.amplitude * (dot(row, row) + coef0)
                });
                squares.collect()
            }
            _ => Array1::from_elem(rows.nrows(), self.amplitude),
        }
    }

    /// The covariances of the function values at all pairs of rows.
    pub fn matrix(&self, rows: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        Pairs::own(self, rows, run)?.matrix(self, run)
    }

    /// The covariances of the function values at rows (rows of the answer) and at others
    /// (columns).
    pub fn cross(
        &self,
        rows: ArrayView2<'_, f64>,
        others: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Array2<f64>> {
        Pairs::cross(self, rows, others, run)?.matrix(self, run)
    }

    /// The rows in units of the length scales.
    pub(crate) fn scaled(&self, rows: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut scaled = rows.as_standard_layout().into_owned();
        match self.is_isotropic() {
            true => scaled /= self.length_scales[0],
            false => scaled /= &self.length_scales,
        }
        scaled
    }

    /// The logarithms of the parameters that can be learned. What cannot be told apart is held:
    /// the length scale of a linear covariance does what its amplitude does.
    pub(crate) fn log_parameters(&self) -> Vec<f64> {
        let scales = self.length_scales.iter().map(|scale| scale.ln());
        match (self.shape, self.is_isotropic()) {
            (CovarianceShape::Linear { .. }, true) => vec![self.amplitude.ln()],
            (CovarianceShape::Linear { .. }, false) => scales.collect(),
            (CovarianceShape::RationalQuadratic { scale_mixture }, _) => [self.amplitude.ln()]
                .into_iter()
                .chain(scales)
                .chain([scale_mixture.ln()])
                .collect(),
            _ => [self.amplitude.ln()].into_iter().chain(scales).collect(),
        }
    }

    /// The same covariance with other values of [`log_parameters`](Self::log_parameters).
    pub(crate) fn with_log_parameters(&self, logarithms: &[f64]) -> Self {
        let mut changed = self.clone();
        let mut values = logarithms.iter().map(|logarithm| logarithm.exp());
        let mut next = || values.next().expect("one value per parameter");
        let is_linear = !self.shape.is_stationary();
        if !is_linear || self.is_isotropic() {
            changed.amplitude = next();
        }
        if !is_linear || !self.is_isotropic() {
            changed
                .length_scales
                .iter_mut()
                .for_each(|scale| *scale = next());
        }
        if let CovarianceShape::RationalQuadratic { scale_mixture } = &mut changed.shape {
            *scale_mixture = next();
        }
        changed
    }

    /// Fails when a covariance from a file is none, or is for other rows.
    pub(crate) fn validate(&self, n_columns: usize) -> Result<()> {
        let scales = self.length_scales.clone();
        let is_sound = Covariance::new(self.shape, self.amplitude, scales).is_ok();
        ensure_consistent(is_sound && [1, n_columns].contains(&self.length_scales.len()))
    }
}
