//! Gaussian mixture regression.

mod model;

pub use model::GaussianMixtureRegressionModel;

use crate::{CovarianceType, GaussianMixture};
use didact_core::{Accepts, Fit, Measured, Result, Run, Samples};
use ndarray::{Axis, concatenate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Predicts numbers from a Gaussian mixture of features and targets together.
///
/// The mixture is fitted to the rows (x, y); the prediction is the mean of y given x,
/// ŷ = Σ w_k(x)·(μ_y + Σ_yx·Σ_xx⁻¹(x − μ_x)) with w_k(x) ∝ π_k·N(x; μ_x, Σ_xx), and its spread follows as well.
/// One component is least squares with an intercept. Any number of targets at once.
///
/// ```
/// use didact_core::{Fit, Measured, Regress};
/// use didact_mixture::GaussianMixtureRegression;
/// let x = ndarray::Array2::from_shape_fn((60, 1), |(row, _)| row as f64 / 10.0);
/// let y: Vec<f64> = x.column(0).iter().map(|x| x.sin()).collect();
/// let algorithm = GaussianMixtureRegression { n_components: 6, ..Default::default() };
/// let model = algorithm.fit(Measured::new(&x, &y)?)?;
/// let predicted = model.predict(&x)?;
/// let worst = predicted.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
/// assert!(worst < 0.2, "{worst}");
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianMixtureRegression {
    /// How many components the mixture has; one is a straight line.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// What the covariances of the components look like; without those between features and
    /// targets every component predicts a constant.
    pub covariance_type: CovarianceType,
    /// Stop when the mean log-likelihood of a row changes by less than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Added to every variance, so that no component can collapse onto a few rows.
    #[schemars(range(min = 0.0))]
    pub reg_covar: f64,
    /// Most iterations of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// How many starts to try; the one with the highest likelihood wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for GaussianMixtureRegression {
    fn default() -> Self {
        GaussianMixtureRegression {
            n_components: 3,
            covariance_type: CovarianceType::Full,
            tol: 1e-3,
            reg_covar: 1e-6,
            max_iter: 100,
            n_init: 1,
            random_state: 0,
        }
    }
}

impl Fit<Measured<'_>> for GaussianMixtureRegression {
    type Model = GaussianMixtureRegressionModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<GaussianMixtureRegressionModel> {
        let x = data.samples.dense()?;
        let joint = concatenate(Axis(1), &[x, data.targets])
            .expect("there is one row of targets per row")
            .as_standard_layout()
            .into_owned();
        let mixture = GaussianMixture {
            n_components: self.n_components,
            covariance_type: self.covariance_type,
            tol: self.tol,
            reg_covar: self.reg_covar,
            max_iter: self.max_iter,
            n_init: self.n_init,
            random_state: self.random_state,
            ..GaussianMixture::default()
        };
        let weights = data.samples.weights().map(|weights| weights.to_vec());
        let samples = match &weights {
            Some(weights) => Samples::from(&joint).weighted(weights)?,
            None => Samples::from(&joint),
        };
        let joint = mixture.learn(samples, run)?;
        GaussianMixtureRegressionModel::new(joint, x.ncols())
    }
}
