//! Quadratic discriminant analysis: a Gaussian with its own covariance for each class.

mod model;

pub use model::QdaModel;

use crate::linear::ClassMoments;
use crate::pieces::learns_from_totals;
use crate::priors::ClassPrior;
use didact_core::{Accepts, Error, Labelled, Result, Run};
use didact_math::linalg::Cholesky;
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Separates classes by quadratic boundaries: each class is a Gaussian of its own shape.
///
/// Predicts the class of largest ln π_c − ½ln|Σ_c| − ½(x−μ_c)ᵀΣ_c⁻¹(x−μ_c), by Cholesky factors. The
/// covariance of a class may be drawn towards that of all classes (`shrinkage`; 1 gives linear
/// boundaries) and towards the identity (`reg_param`). Where it has no inverse, as in a class with
/// at most as many rows as columns, the least ridge that mends it is added.
///
/// ```
/// use didact_core::{Classify, Fit, LogDensity};
/// use didact_discriminant::Qda;
/// let iris = didact_datasets::iris();
/// let model = Qda::default().fit(iris.labelled()?)?;
/// let predicted = model.predict(iris.samples())?;
/// let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert_eq!(right, 147);
/// assert!(model.score_samples(iris.samples())?.sum() > -400.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "QuadraticDiscriminantAnalysis")]
pub struct Qda {
    /// The probability of each class in label order; learned from the rows where absent.
    pub priors: Option<Vec<f64>>,
    /// How far every covariance is drawn towards the identity: (1 − r)·Σ_c + r·I.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub reg_param: f64,
    /// How far every covariance is drawn towards that of all classes together.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub shrinkage: f64,
    /// The shape of the covariances.
    pub covariance_type: ClassCovariance,
    /// What is taken from the number of rows to divide by: 0 for the largest likelihood, 1 for no
    /// bias.
    #[schemars(range(min = 0, max = 1))]
    pub ddof: usize,
}

/// The shape of the covariance of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClassCovariance {
    /// Any ellipsoid.
    #[default]
    Full,
    /// A variance for each column.
    Diagonal,
    /// One variance for all columns.
    Spherical,
}

impl Default for Qda {
    fn default() -> Self {
        Qda {
            priors: None,
            reg_param: 0.0,
            shrinkage: 0.0,
            covariance_type: ClassCovariance::Full,
            ddof: 0,
        }
    }
}

impl Qda {
    /// The scatter over the number of rows that it is free to vary by; a class that has no more
    /// than that has no spread of its own.
    fn covariance_of(&self, scatter: &Array2<f64>, weight: f64, means: f64) -> Array2<f64> {
        let free = weight - means * self.ddof as f64;
        let divisor = if free > 0.0 { free } else { weight };
        let covariance = scatter / divisor.max(f64::MIN_POSITIVE);
        match self.covariance_type {
            ClassCovariance::Full => covariance,
            ClassCovariance::Diagonal => Array2::from_diag(&covariance.diag()),
            ClassCovariance::Spherical => {
                let middle = covariance.diag().mean().unwrap_or(0.0);
                Array2::eye(covariance.nrows()) * middle
            }
        }
    }

    fn model(&self, moments: ClassMoments) -> Result<QdaModel> {
        let prior = ClassPrior {
            parameter: "priors",
            given: self.priors.as_deref(),
            uniform: false,
            smoothing: 0.0,
            needs_rows: true,
        };
        let class_prior = prior.probabilities(&moments.weights, &moments.classes)?;
        let present = moments.present();
        let count = present.len() as f64;
        let pooled = self.covariance_of(&moments.within(), moments.total(), count);
        let spread = pooled.diag().mean().unwrap_or(0.0);
        let unit = if spread > 0.0 { spread } else { 1.0 };
        let d = moments.n_columns();
        let mut factors = Vec::new();
        let mut ridges = Vec::new();
        for class in 0..moments.weights.len() {
            if moments.weights[class] == 0.0 {
                // It cannot be, so any shape will do.
                factors.push(Cholesky::new(Array2::eye(d).view())?);
                ridges.push(0.0);
                continue;
            }
            let weight = moments.weights[class];
            let own = self.covariance_of(&moments.scatters[class], weight, 1.0);
            let mut covariance = own * (1.0 - self.shrinkage) + &pooled * self.shrinkage;
            covariance *= 1.0 - self.reg_param;
            let add = self.reg_param;
            covariance.diag_mut().mapv_inplace(|value| value + add);
            let (factor, ridge) = factor(covariance, unit)?;
            factors.push(factor);
            ridges.push(ridge);
        }
        Ok(QdaModel {
            moments,
            class_prior,
            factors,
            ridges: ridges.into(),
        })
    }

    fn totals(&self, data: &Labelled<'_>, run: &Run) -> Result<ClassMoments> {
        ClassMoments::new(data, false, run)
    }
}

/// The factor of a covariance plus the least of 0, 10⁻¹², … 10⁻² times `unit` that makes it
/// positive definite, and that ridge.
fn factor(covariance: Array2<f64>, unit: f64) -> Result<(Cholesky, f64)> {
    let ridges = (2..=12).rev().map(|digits| unit * 10f64.powi(-digits));
    for ridge in std::iter::once(0.0).chain(ridges) {
        let mut matrix = covariance.clone();
        matrix.diag_mut().mapv_inplace(|value| value + ridge);
        if let Ok(factor) = Cholesky::new(matrix.view()) {
            return Ok((factor, ridge));
        }
    }
    Err(Error::numerical(
        "the covariance of a class is far from positive definite, so its columns differ in size \
         too much; bring them to one scale or set reg_param above 0",
    ))
}

learns_from_totals!(Qda, ClassMoments => QdaModel {
    accepts: Accepts::WEIGHTS,
    check: |_, moments| moments.check(false),
    recall: |_, model| Some(model.moments.clone()),
});
