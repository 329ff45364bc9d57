//! Fisher's discriminant: the covariances of the classes count alike.

use super::axes::discriminant_axes;
use super::lda::Problem;
use super::metric::Metric;
use super::model::LinearDiscriminantModel;
use super::moments::ClassMoments;
use crate::pieces::learns_from_totals;
use crate::priors::ClassPrior;
use didact_core::{Accepts, Labelled, Result, Run};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Projects rows so that the means of classes lie far apart and each class is narrow.
///
/// Maximises (μ̃₁ − μ̃₂)²/(s̃₁² + s̃₂²), where both classes count alike however many rows they
/// have: w ∝ (Σ₁ + Σ₂)⁻¹(μ₁ − μ₂). (Some texts print the two matrices of the ratio exchanged.)
/// More classes give more axes, from S_b = Σ n_k(μ_k − μ̄)(μ_k − μ̄)ᵀ and S_w = Σ Σ_k. A row belongs to
/// the class with the nearest projected mean; for two classes the threshold is half way.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_discriminant::FisherDiscriminant;
/// let x = ndarray::array![[1.0, 2.0], [2.0, 3.0], [3.0, 3.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]];
/// let labels = Labels::from_names(["a", "a", "a", "b", "b", "b"]);
/// let model = FisherDiscriminant::default().fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&x)?, labels.indices);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FisherDiscriminant {
    /// Along which axes the classes are compared.
    pub axis: FisherAxis,
    /// The probability of each class in label order, which moves the threshold; where absent it
    /// is half way between the projected means.
    pub priors: Option<Vec<f64>>,
}

/// Along which axes classes are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FisherAxis {
    /// Where the means lie far apart in units of the spread within the classes.
    #[default]
    Fisher,
    /// From mean to mean, whatever the spread.
    MeansOnly,
}

impl FisherDiscriminant {
    fn model(&self, moments: ClassMoments) -> Result<LinearDiscriminantModel> {
        let prior = ClassPrior {
            parameter: "priors",
            given: self.priors.as_deref(),
            uniform: true,
            smoothing: 0.0,
            needs_rows: true,
        };
        let priors = prior.probabilities(&moments.weights, &moments.classes)?;
        let between = &moments.weights / moments.total();
        let present = moments.present();
        let d = moments.n_columns();
        let covariance = match self.axis {
            FisherAxis::MeansOnly => Array2::eye(d),
            FisherAxis::Fisher => {
                let zero = Array2::zeros((d, d));
                let sum = present.iter().fold(zero, |sum, &class| {
                    sum + &moments.scatters[class] / moments.weights[class]
                });
                // The mean covariance has the axes of the sum, and thresholds in its units.
                sum / present.len() as f64
            }
        };
        let problem = Problem::new(moments, priors, between)?;
        let metric = Metric::of(&covariance, 1e-7)?;
        let axes = discriminant_axes(&problem.shifts, &metric, 1e-7)?;
        problem.model(&metric, axes, None, None)
    }

    fn totals(&self, data: &Labelled<'_>, run: &Run) -> Result<ClassMoments> {
        ClassMoments::new(data, false, run)
    }
}

learns_from_totals!(FisherDiscriminant, ClassMoments => LinearDiscriminantModel {
    accepts: Accepts::WEIGHTS,
    check: |_, moments| moments.check(false),
    // The scatter of each class is not kept.
    recall: |_, _| None,
});
