//! The fitted Gaussian naive Bayes classifier.

use crate::posterior::{joint_model, score_rows};
use crate::priors::draw_rows;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Classes, Drawn, Error, Features, Figure, Model, Result, Rows, Sample,
    Shape, Value,
};
use ndarray::{Array1, Array2};
use rand_distr::{Distribution, StandardNormal, StudentT};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Class probabilities, and a Gaussian (or Student t) for each class and attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianNBModel {
    pub(super) classes: Classes,
    pub(super) class_count: Array1<f64>,
    pub(super) class_prior: Array1<f64>,
    pub(super) theta: Array2<f64>,
    pub(super) var: Array2<f64>,
    pub(super) epsilon: f64,
    /// Degrees of freedom of the Student t of each class, where attributes have one.
    pub(super) degrees_of_freedom: Option<Array1<f64>>,
}

impl GaussianNBModel {
    /// The probability of each class before a row is seen.
    pub fn class_prior(&self) -> &Array1<f64> {
        &self.class_prior
    }

    /// The weight of the training rows of each class.
    pub fn class_count(&self) -> &Array1<f64> {
        &self.class_count
    }

    /// The mean of each attribute, a row per class.
    pub fn theta(&self) -> &Array2<f64> {
        &self.theta
    }

    /// The variance of each attribute, or the squared scale of its Student t, a row per class.
    pub fn var(&self) -> &Array2<f64> {
        &self.var
    }

    /// What was added to every variance.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The joint log-densities ln P(c) + Σⱼ ln p(xⱼ | c), a column per class; minus infinity for
    /// a class that cannot be.
    pub fn joint_log_densities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let (k, d) = self.theta.dim();
        let constants: Vec<f64> = (0..k).map(|class| self.constant(class)).collect();
        // Differences are divided before they are squared, which overflows later.
        let inverses: Vec<f64> = self.var.iter().map(|var| var.sqrt().recip()).collect();
        let means: Vec<f64> = self.theta.iter().copied().collect();
        score_rows(rows, k, 1 << 18, |_, x, scores| {
            for (class, score) in scores.iter_mut().enumerate() {
                let (means, inverses) = (&means[class * d..][..d], &inverses[class * d..][..d]);
                *score = constants[class] - self.penalty(class, x, means, inverses);
            }
            Ok(())
        })
    }

    /// The part of the joint log-density that does not depend on the row.
    fn constant(&self, class: usize) -> f64 {
        let spread: f64 = self.var.row(class).iter().map(|var| var.ln()).sum();
        let attributes = self.theta.ncols() as f64;
        let each = match &self.degrees_of_freedom {
            None => 0.5 * (2.0 * PI).ln(),
            Some(degrees) => {
                let degrees = degrees[class];
                log_beta_half(0.5 * degrees) + 0.5 * degrees.ln()
            }
        };
        self.class_prior[class].ln() - 0.5 * spread - attributes * each
    }

    /// What the distance of a row to a class costs: ½Σz², or ½(ν+1)·Σ ln(1 + z²/ν).
    fn penalty(&self, class: usize, x: &[f64], means: &[f64], inverses: &[f64]) -> f64 {
        let each = x.iter().zip(means).zip(inverses);
        let squares = each.map(|((x, mean), inverse)| {
            let z = (x - mean) * inverse;
            z * z
        });
        match &self.degrees_of_freedom {
            None => 0.5 * squares.sum::<f64>(),
            Some(degrees) => {
                let degrees = degrees[class];
                0.5 * (degrees + 1.0)
                    * squares
                        .map(|square| (square / degrees).ln_1p())
                        .sum::<f64>()
            }
        }
    }
}

/// ln B(a, ½) = ln Γ(a) + ln Γ(½) − ln Γ(a + ½), without the cancellation of large gammas.
pub(crate) fn log_beta_half(a: f64) -> f64 {
    // Γ(a+½)/Γ(a) is pushed up to large a by Γ(x+1) = x·Γ(x), where a series is exact to the
    // last digit.
    let (mut a, mut product) = (a, 1.0);
    while a < 32.0 {
        product *= a / (a + 0.5);
        a += 1.0;
    }
    let r = a.recip();
    let series = 1.0
        + r * (-1.0 / 8.0
            + r * (1.0 / 128.0
                + r * (5.0 / 1024.0
                    + r * (-21.0 / 32768.0 + r * (-399.0 / 262144.0 + r * (869.0 / 4194304.0))))));
    // B(a, ½) = √π·Γ(a)/Γ(a+½).
    0.5 * PI.ln() - (a.sqrt() * series * product).ln()
}

impl Features for GaussianNBModel {
    fn n_features(&self) -> usize {
        self.theta.ncols()
    }
}

joint_model!(GaussianNBModel, classes);

impl Sample for GaussianNBModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let (d, prior) = (self.n_features(), &self.class_prior);
        draw_rows(n_rows, d, prior, generator, |class, row, generator| {
            let student = match &self.degrees_of_freedom {
                None => None,
                Some(degrees) => Some(StudentT::new(degrees[class]).map_err(|error| {
                    Error::numerical(format!("class {class} cannot be drawn from: {error}"))
                })?),
            };
            for (j, value) in row.into_iter().enumerate() {
                let z: f64 = match &student {
                    None => StandardNormal.sample(generator),
                    Some(student) => student.sample(generator),
                };
                *value = self.theta[[class, j]] + self.var[[class, j]].sqrt() * z;
            }
            Ok(())
        })
    }
}

impl Model for GaussianNBModel {
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
            name: "class_count",
            meaning: "The weight of the training rows of each class.",
            get: |model| Value::from(&model.class_count),
        },
        Attribute {
            name: "class_prior",
            meaning: "The probability of each class before a row is seen.",
            get: |model| Value::from(&model.class_prior),
        },
        Attribute {
            name: "theta",
            meaning: "The mean of each attribute, a row per class.",
            get: |model| Value::from(&model.theta),
        },
        Attribute {
            name: "var",
            meaning: "The variance of each attribute, or the squared scale of its Student t.",
            get: |model| Value::from(&model.var),
        },
        Attribute {
            name: "epsilon",
            meaning: "What was added to every variance.",
            get: |model| Value::from(model.epsilon),
        },
        Attribute {
            name: "degrees_of_freedom",
            meaning: "The degrees of freedom of the Student t of each class, where it has one.",
            get: |model| Value::from(model.degrees_of_freedom.as_ref()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "classes",
        meaning: "The mean and spread of each class that can be.",
        get: |model| {
            let possible: Vec<usize> = (0..model.classes.len())
                .filter(|&class| model.class_prior[class] > 0.0)
                .collect();
            let covariances = possible
                .iter()
                .map(|&class| Array2::from_diag(&model.var.row(class)));
            Some(Shape::Ellipsoids {
                centers: model.theta.select(ndarray::Axis(0), &possible),
                covariances: covariances.collect(),
            })
        },
    }];

    fn validate(&self) -> Result<()> {
        let (k, d) = self.theta.dim();
        ensure_consistent(k > 0 && d > 0 && k == self.classes.len() && self.var.dim() == (k, d))?;
        ensure_consistent(self.class_count.len() == k && self.class_prior.len() == k)?;
        ensure_consistent(self.theta.iter().all(|mean| mean.is_finite()))?;
        ensure_consistent(self.var.iter().all(|var| *var > 0.0 && var.is_finite()))?;
        let total: f64 = self.class_prior.iter().sum();
        ensure_consistent(
            self.class_prior.iter().all(|prior| *prior >= 0.0) && (total - 1.0).abs() < 1e-6,
        )?;
        match &self.degrees_of_freedom {
            None => Ok(()),
            Some(degrees) => ensure_consistent(
                degrees.len() == k && degrees.iter().all(|nu| *nu > 0.0 && nu.is_finite()),
            ),
        }
    }
}
