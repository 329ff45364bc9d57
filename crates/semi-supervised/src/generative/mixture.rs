//! A normal distribution for each class, learned from rows with and without one.

use super::climb::{Patience, climb};
use super::drawing::from_gaussians;
use super::gaussian::{ClassShape, GaussianClimber, Gaussians};
use super::posterior::{labels, probabilities};
use super::{Explained, UnlabelledUse};
use crate::known::{Known, all_known, fits};
use crate::magnitude::check_magnitude;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Drawn, Features, Figure, Fit, Labelled, LogDensity,
    Model, PartlyLabelled, Probabilities, Result, Rows, Run, Sample, Shape, Trace, Value,
};
use didact_math::numeric::log_sum_exp;
use ndarray::{Array1, Array2, Array3, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Takes each class as a normal distribution, and learns it from rows with and without a class.
///
/// With πₖ, μₖ and Σₖ of each class it maximises Σ ln πᵧN(x; μᵧ, Σᵧ) over the rows whose class is known plus
/// Σ ln Σₖ πₖN(x; μₖ, Σₖ) over the others, by expectation–maximisation in which the responsibilities of
/// the former are clamped to their class. The objective never falls. With all classes known it is
/// quadratic discriminant analysis; with none it would be a Gaussian mixture. With `diag` it is naive
/// Bayes. Seeded learning forgets the labels after the start.
///
/// A class without a labelled row has no place to start from and stays empty.
///
/// ```
/// use didact_core::{Fit, PartialLabels, PartlyLabelled};
/// use didact_semi_supervised::SemiSupervisedMixture;
/// let x = ndarray::array![[0.0], [2.0], [3.0], [9.0], [10.0], [12.0]];
/// let names = [Some("low"), Some("low"), None, None, Some("top"), Some("top")];
/// let labels = PartialLabels::from_names(names);
/// let model = SemiSupervisedMixture::default().fit(PartlyLabelled::new(&x, &labels)?)?;
/// assert_eq!(model.transduction(), [0, 0, 0, 1, 1, 1]);
/// assert!((model.means()[[0, 0]] - 5.0 / 3.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SemiSupervisedMixture {
    /// What is done with the rows whose class is not known.
    pub learning: UnlabelledUse,
    /// What the covariances of the classes look like.
    pub covariance_type: ClassShape,
    /// Added to every variance, so that no class can collapse onto a few rows.
    #[schemars(range(min = 0.0))]
    pub reg_covar: f64,
    /// Stop when the mean log-likelihood of a row changes by at most this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Most iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for SemiSupervisedMixture {
    fn default() -> Self {
        SemiSupervisedMixture {
            learning: UnlabelledUse::Joint,
            covariance_type: ClassShape::Full,
            reg_covar: 1e-6,
            tol: 1e-4,
            max_iter: 100,
        }
    }
}

impl Fit<PartlyLabelled<'_>> for SemiSupervisedMixture {
    type Model = SemiSupervisedMixtureModel;

    fn learn(&self, data: PartlyLabelled<'_>, run: &Run) -> Result<SemiSupervisedMixtureModel> {
        let known = Known::of(&data)?;
        check_magnitude(data.samples.rows())?;
        let labelled = known.counts().iter().sum::<usize>();
        let explained = self
            .learning
            .explained(labelled, known.labels.len() - labelled);
        let climber = GaussianClimber {
            x: data.samples.dense()?,
            shape: self.covariance_type,
            reg_covar: self.reg_covar,
        };
        let goes_on = explained != Explained::Labelled;
        let start = climber.start(&known.one_hot(), goes_on, run)?;
        let patience = Patience {
            tol: self.tol,
            max_iter: self.max_iter,
        };
        let (law, trace) = climb(&climber, start, &known, explained, patience, run)?;
        let transduction = labels(&law.joint(data.samples.rows(), run)?);
        Ok(SemiSupervisedMixtureModel {
            law,
            classes: data.classes.clone(),
            transduction,
            trace,
        })
    }
}

impl Fit<Labelled<'_>> for SemiSupervisedMixture {
    type Model = SemiSupervisedMixtureModel;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<SemiSupervisedMixtureModel> {
        let partly = PartlyLabelled {
            samples: data.samples.view(),
            labels: &all_known(data.labels),
            classes: data.classes,
        };
        self.learn(partly, run)
    }
}

/// The weight, mean and covariance of each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SemiSupervisedMixtureModel {
    law: Gaussians,
    classes: Classes,
    transduction: Vec<usize>,
    trace: Trace,
}

impl SemiSupervisedMixtureModel {
    /// The most probable class of each training row.
    pub fn transduction(&self) -> &[usize] {
        &self.transduction
    }

    /// The share πₖ of each class.
    pub fn weights(&self) -> &Array1<f64> {
        &self.law.weights
    }

    /// The mean of each class, a row per class.
    pub fn means(&self) -> &Array2<f64> {
        &self.law.means
    }

    /// The covariance of a class.
    pub fn covariance(&self, class: usize) -> Array2<f64> {
        self.law.spreads[class].covariance()
    }

    /// The mean log-likelihood after each iteration.
    pub fn history(&self) -> &Trace {
        &self.trace
    }

    fn covariances(&self) -> Array3<f64> {
        let d = self.law.means.ncols();
        let mut all = Array3::zeros((self.classes.len(), d, d));
        for (class, mut covariance) in all.axis_iter_mut(Axis(0)).enumerate() {
            covariance.assign(&self.covariance(class));
        }
        all
    }
}

impl Features for SemiSupervisedMixtureModel {
    fn n_features(&self) -> usize {
        self.law.means.ncols()
    }
}

impl Classify for SemiSupervisedMixtureModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        check_magnitude(rows)?;
        Ok(labels(&self.law.joint(rows, &Run::new())?))
    }
}

impl Probabilities for SemiSupervisedMixtureModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        check_magnitude(rows)?;
        let joint = self.law.joint(rows, &Run::new())?;
        Ok(probabilities(joint, self.law.weights.view()))
    }
}

impl LogDensity for SemiSupervisedMixtureModel {
    /// Where the density is smaller than any number the smallest logarithm stands for it.
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        check_magnitude(rows)?;
        let joint = self.law.joint(rows, &Run::new())?;
        let sum = |row: ndarray::ArrayView1<'_, f64>| log_sum_exp(&row.to_vec()).max(f64::MIN);
        Ok(joint.rows().into_iter().map(sum).collect())
    }
}

impl Sample for SemiSupervisedMixtureModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        Ok(from_gaussians(&self.law, n_rows, generator))
    }
}

impl Model for SemiSupervisedMixtureModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "transduction",
            meaning: "The class of each training row, as its place among the classes.",
            get: |model| Value::from(&model.transduction[..]),
        },
        Attribute {
            name: "weights",
            meaning: "The share of each class.",
            get: |model| Value::from(&model.law.weights),
        },
        Attribute {
            name: "means",
            meaning: "The mean of each class, a row per class.",
            get: |model| Value::from(&model.law.means),
        },
        Attribute {
            name: "covariances",
            meaning: "The covariance of each class.",
            get: |model| Value::from(model.covariances()),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of iterations.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "classes",
        meaning: "The ellipsoid of each class.",
        get: |model| {
            let present: Vec<usize> = (0..model.classes.len())
                .filter(|&class| model.law.weights[class] > 0.0)
                .collect();
            Some(Shape::Ellipsoids {
                centers: model.law.means.select(Axis(0), &present),
                covariances: present
                    .iter()
                    .map(|&class| model.covariance(class))
                    .collect(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let (classes, d) = self.law.means.dim();
        ensure_consistent(classes == self.classes.len() && classes > 0 && d > 0)?;
        ensure_consistent(self.law.weights.len() == classes && self.law.spreads.len() == classes)?;
        ensure_consistent(self.law.spreads.iter().all(|spread| spread.is_sound(d)))?;
        ensure_consistent(fits(
            &self.transduction,
            self.transduction.len(),
            &self.classes,
        ))?;
        let mut numbers = self.law.weights.iter().chain(&self.law.means);
        ensure_consistent(numbers.all(|number| number.is_finite()))
    }
}
