//! Gaussian process classification: a latent function behind the odds.

mod binary;
mod laplace;
mod model;
mod quadrature;
mod slice_sampling;

pub use model::GaussianProcessClassifierModel;

#[cfg(test)]
pub(crate) use laplace::{Laplace, Signs};

use crate::covariance::{Covariance, CovarianceKernel};
use crate::process::Process;
use binary::{Binary, Teaching};
use didact_core::{Accepts, Error, Fit, Labelled, Result, Run, parallel};
use ndarray::{Array1, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The process keeps several matrices with this many rows and columns.
const MOST_ROWS: usize = 15_000;

/// How the law of the latent function after the data is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LatentInference {
    /// Approximated by a Gaussian around its most probable values.
    #[default]
    Laplace,
    /// By draws from it, which are as exact as they are many.
    MonteCarlo,
}

/// Classifies by a latent function of a Gaussian process, with honest probabilities.
///
/// The log-odds of the second class are a function f with a Gaussian law before the data,
/// p(y = +1 | x) = σ(f(x)). After the data the law of f is approximated by a Gaussian around its
/// mode, or drawn from, and probabilities average the sigmoid over it, so that they tend to one
/// half far from all rows. Parameters are held as given, or are the start of a search for those
/// of highest evidence. More than two classes are told apart one against the rest, each with
/// parameters of its own.
///
/// ```
/// use didact_core::{Fit, Labelled, Labels, Probabilities};
/// use didact_gaussian_process::GaussianProcessClassifier;
/// use ndarray::array;
/// let x = array![[-2.0], [-1.0], [1.0], [2.0]];
/// let labels = Labels::from_names(["left", "left", "right", "right"]);
/// let model = GaussianProcessClassifier::default().fit(Labelled::new(&x, &labels)?)?;
/// let probabilities = model.predict_proba(&array![[1.5], [0.0]])?;
/// assert!(probabilities[[0, 1]] > 0.55);
/// assert!((probabilities[[1, 1]] - 0.5).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianProcessClassifier {
    /// The covariance function: how smooth the latent function is.
    pub kernel: CovarianceKernel,
    /// The distance ℓ over which the latent function changes.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length_scale: f64,
    /// Whether every column has a length scale of its own, which tells how much it matters.
    pub anisotropic: bool,
    /// The variance of the latent function before the data; of its slopes where the kernel is
    /// linear.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub amplitude: f64,
    /// The exponent of the rational quadratic; the smaller, the more lengths take part.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale_mixture: f64,
    /// The variance of the intercept of a linear kernel, relative to that of its slopes.
    #[schemars(range(min = 0))]
    pub coef0: f64,
    /// Whether to search for the parameters of highest evidence, starting from those given and
    /// from some that the data suggest, at the cost of some tens of fits for every class.
    pub optimize: bool,
    /// How many more starts the search makes.
    pub n_restarts_optimizer: usize,
    /// At most this many iterations for each start of the search.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when no derivative of the log-evidence per row is larger.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// At most this many Newton steps towards the mode.
    #[schemars(range(min = 1))]
    pub max_iter_predict: usize,
    /// How the law of the latent function after the data is found.
    pub inference: LatentInference,
    /// How many draws of the latent function are kept.
    #[schemars(range(min = 1))]
    pub n_samples: usize,
    /// How many draws are made before one is kept.
    pub burn_in: usize,
    /// Governs the draws.
    pub random_state: u64,
}

impl Default for GaussianProcessClassifier {
    fn default() -> Self {
        GaussianProcessClassifier {
            kernel: CovarianceKernel::Rbf,
            length_scale: 1.0,
            anisotropic: false,
            amplitude: 1.0,
            scale_mixture: 1.0,
            coef0: 1.0,
            optimize: false,
            n_restarts_optimizer: 0,
            max_iter: 100,
            tol: 1e-4,
            max_iter_predict: 100,
            inference: LatentInference::Laplace,
            n_samples: 500,
            burn_in: 100,
            random_state: 0,
        }
    }
}

impl GaussianProcessClassifier {
    fn process(&self, n_columns: usize) -> Result<Process> {
        let shape = self.kernel.shape(self.scale_mixture, self.coef0);
        let count = if self.anisotropic { n_columns } else { 1 };
        let lengths = Array1::from_elem(count, self.length_scale);
        // The odds carry the noise; the latent function itself is not measured.
        Process::new(Covariance::new(shape, self.amplitude, lengths)?, 0.0)
    }
}

impl Fit<Labelled<'_>> for GaussianProcessClassifier {
    type Model = GaussianProcessClassifierModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<GaussianProcessClassifierModel> {
        let n = data.labels.len();
        let totals = data.class_weights();
        let present: Vec<usize> = (0..totals.len()).filter(|&k| totals[k] > 0.0).collect();
        if present.len() < 2 {
            return Err(Error::data(format!(
                "only {} class has rows that count; give rows of at least two classes",
                present.len()
            )));
        }
        if n > MOST_ROWS {
            return Err(Error::data(format!(
                "there are {n} rows, but a Gaussian process takes at most {MOST_ROWS} to \
                 classify; give fewer rows"
            )));
        }
        let rows = data.samples.dense()?;
        let kept: Vec<usize> = (0..n)
            .filter(|&row| data.samples.weight(row) > 0.0)
            .collect();
        let given = self.process(rows.ncols())?;
        let teach = |class: usize, run: &Run| {
            let teaching = Teaching {
                method: self,
                given: &given,
                rows: rows.select(Axis(0), &kept),
                is_positive: kept.iter().map(|&row| data.labels[row] == class).collect(),
                weights: kept.iter().map(|&row| data.samples.weight(row)).collect(),
            };
            teaching.learn(run)
        };
        // Two classes need one function, that of the second.
        let functions: Vec<Binary> = match present[..] {
            [_, second] => vec![teach(second, run)?],
            _ => parallel::map(&present, run, |&class| teach(class, &run.quietly()))?,
        };
        Ok(GaussianProcessClassifierModel {
            classes: data.classes.clone(),
            present,
            n_features: rows.ncols(),
            functions,
        })
    }
}
