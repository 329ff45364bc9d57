//! The law of one column in each class.

use super::AttributeKind;
use crate::categorical_nb::Shares;
use crate::gaussian_nb::log_beta_half;
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_probability::special::{log_gamma_one_plus, log_gamma_ratio};
use ndarray::Array1;
use rand::RngExt;
use rand_distr::{Distribution, Gamma, Poisson, StandardNormal, StudentT};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// The law of one column, with one parameter (or row of parameters) per class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum AttributeModel {
    Gaussian {
        mean: Array1<f64>,
        /// The variance, or the squared scale of a Student t.
        spread: Array1<f64>,
        /// Of the Student t, where it is one.
        degrees: Option<Array1<f64>>,
        /// The logarithm of the density at the mean.
        peak: Array1<f64>,
    },
    Poisson {
        rate: Array1<f64>,
    },
    /// A Poisson law whose rate follows a gamma law of this shape and strength.
    NegativeBinomial {
        size: Array1<f64>,
        strength: Array1<f64>,
    },
    Bernoulli {
        probability: Array1<f64>,
    },
    Categorical(Shares),
}

impl AttributeModel {
    pub(super) fn gaussian(
        mean: Array1<f64>,
        spread: Array1<f64>,
        degrees: Option<Array1<f64>>,
    ) -> Self {
        let height = |class: usize| match &degrees {
            None => -0.5 * (TAU.ln() + spread[class].ln()),
            Some(degrees) => {
                let degrees: f64 = degrees[class];
                -log_beta_half(0.5 * degrees) - 0.5 * (degrees.ln() + spread[class].ln())
            }
        };
        AttributeModel::Gaussian {
            peak: (0..mean.len()).map(height).collect(),
            mean,
            spread,
            degrees,
        }
    }

    pub(super) fn negative_binomial(size: Array1<f64>, strength: Vec<f64>) -> Self {
        AttributeModel::NegativeBinomial {
            size,
            strength: strength.into(),
        }
    }

    pub(super) fn kind(&self) -> AttributeKind {
        match self {
            AttributeModel::Gaussian { .. } => AttributeKind::Gaussian,
            AttributeModel::Poisson { .. } | AttributeModel::NegativeBinomial { .. } => {
                AttributeKind::Poisson
            }
            AttributeModel::Bernoulli { .. } => AttributeKind::Bernoulli,
            AttributeModel::Categorical(_) => AttributeKind::Categorical,
        }
    }

    /// Adds the log-density of a value in each class.
    pub(super) fn add(&self, value: f64, scores: &mut [f64]) {
        match self {
            AttributeModel::Categorical(shares) => shares.add(value as usize, scores),
            AttributeModel::Poisson { rate } => {
                let constant = log_gamma_one_plus(value);
                for (score, rate) in scores.iter_mut().zip(rate) {
                    // 0·ln 0 is 0: a class without counts is sure of none.
                    let counted = if value == 0.0 { 0.0 } else { value * rate.ln() };
                    *score += counted - rate - constant;
                }
            }
            AttributeModel::NegativeBinomial { size, strength } => {
                let constant = log_gamma_one_plus(value);
                for ((score, size), strength) in scores.iter_mut().zip(size).zip(strength) {
                    let share = strength / (strength + 1.0);
                    *score += log_gamma_ratio(*size, value) - constant + size * share.ln()
                        - value * strength.ln_1p();
                }
            }
            AttributeModel::Bernoulli { probability } => {
                for (score, probability) in scores.iter_mut().zip(probability) {
                    *score += match value == 1.0 {
                        true => probability.ln(),
                        false => (-probability).ln_1p(),
                    };
                }
            }
            AttributeModel::Gaussian {
                mean,
                spread,
                degrees,
                peak,
            } => {
                for (class, score) in scores.iter_mut().enumerate() {
                    let z = (value - mean[class]) / spread[class].sqrt();
                    *score += peak[class]
                        - match degrees {
                            None => 0.5 * z * z,
                            Some(degrees) => {
                                let degrees = degrees[class];
                                0.5 * (degrees + 1.0) * (z * z / degrees).ln_1p()
                            }
                        };
                }
            }
        }
    }

    /// A value drawn from a class.
    pub(super) fn draw(&self, class: usize, generator: &mut Generator) -> Result<f64> {
        let refuse = |error: &dyn std::fmt::Display| {
            Error::numerical(format!("class {class} cannot be drawn from: {error}"))
        };
        let poisson = |rate: f64, generator: &mut Generator| match rate > 0.0 {
            true => Ok(Poisson::new(rate)
                .map_err(|error| refuse(&error))?
                .sample(generator)),
            false => Ok(0.0),
        };
        match self {
            AttributeModel::Categorical(shares) => Ok(shares.draw(class, generator)),
            AttributeModel::Poisson { rate } => poisson(rate[class], generator),
            AttributeModel::NegativeBinomial { size, strength } => {
                let rates = Gamma::new(size[class], strength[class].recip());
                let rate = rates.map_err(|error| refuse(&error))?.sample(generator);
                poisson(rate, generator)
            }
            AttributeModel::Bernoulli { probability } => {
                let on = generator.random::<f64>() < probability[class];
                Ok(f64::from(u8::from(on)))
            }
            AttributeModel::Gaussian {
                mean,
                spread,
                degrees,
                ..
            } => {
                let z: f64 = match degrees {
                    None => StandardNormal.sample(generator),
                    Some(degrees) => {
                        let student = StudentT::new(degrees[class]);
                        student.map_err(|error| refuse(&error))?.sample(generator)
                    }
                };
                Ok(mean[class] + spread[class].sqrt() * z)
            }
        }
    }

    pub(super) fn is_consistent(&self, k: usize) -> bool {
        let all = |values: &Array1<f64>, legal: fn(f64) -> bool| {
            values.len() == k && values.iter().all(|&value| legal(value))
        };
        let positive = |value: f64| value > 0.0 && value.is_finite();
        match self {
            AttributeModel::Gaussian {
                mean,
                spread,
                degrees,
                peak,
            } => {
                all(mean, f64::is_finite)
                    && all(spread, positive)
                    && all(peak, f64::is_finite)
                    && degrees
                        .as_ref()
                        .is_none_or(|degrees| all(degrees, positive))
            }
            AttributeModel::Poisson { rate } => all(rate, |rate| rate >= 0.0 && rate.is_finite()),
            AttributeModel::NegativeBinomial { size, strength } => {
                all(size, positive) && all(strength, positive)
            }
            AttributeModel::Bernoulli { probability } => {
                all(probability, |share| (0.0..=1.0).contains(&share))
            }
            AttributeModel::Categorical(shares) => shares.is_consistent(k),
        }
    }
}
