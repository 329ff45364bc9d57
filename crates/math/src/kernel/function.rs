//! The kernel functions.

use super::RbfWidth;
use crate::distance::{Metric, OnZero, cosine_similarity, pearson_correlation};
use crate::numeric::dot;
use didact_core::{Error, Result, Rows};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How alike two rows are; large means alike.
///
/// All but the sigmoid are positive semidefinite, whatever the rows. Sums, products and positive
/// multiples of kernels are kernels, which is how the last four are built.
///
/// ```
/// use didact_math::kernel::Kernel;
/// let (a, b) = ([1.0, 1.0], [3.0, 2.0]);
/// assert_eq!(Kernel::Linear.between(&a, &b), 5.0);
/// assert_eq!(Kernel::Polynomial { degree: 2, gamma: 1.0, coef0: 1.0 }.between(&a, &b), 36.0);
/// let gaussian = Kernel::Rbf { gamma: 0.5 }.between(&a, &b);
/// assert!((gaussian - (-2.5_f64).exp()).abs() < 1e-16);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// The inner product a·b.
    Linear,
    /// (γ·a·b + c)ᵏ; homogeneous where c is zero.
    Polynomial {
        /// The power k.
        #[schemars(range(min = 1))]
        degree: u32,
        /// The factor γ of the inner product.
        #[schemars(extend("exclusiveMinimum" = 0))]
        gamma: f64,
        /// The constant c inside the power.
        #[schemars(range(min = 0))]
        coef0: f64,
    },
    /// The Gaussian exp(−γ‖a−b‖²); [`RbfWidth`] turns other widths into γ.
    Rbf {
        /// The rate γ.
        #[schemars(extend("exclusiveMinimum" = 0))]
        gamma: f64,
    },
    /// The Laplacian exp(−γ·Σ|aᵢ−bᵢ|).
    Laplacian {
        /// The rate γ.
        #[schemars(extend("exclusiveMinimum" = 0))]
        gamma: f64,
    },
    /// tanh(γ·a·b + c), which is not positive semidefinite in general.
    Sigmoid {
        /// The slope γ.
        #[schemars(extend("exclusiveMinimum" = 0))]
        gamma: f64,
        /// The constant c.
        coef0: f64,
    },
    /// The cosine of the angle, a·b/(‖a‖‖b‖); zero for a row of zeros.
    Cosine,
    /// Pearson's correlation: the cosine after each row has lost its own mean; zero for a
    /// constant row.
    Pearson,
    /// The weighted Jaccard similarity Σmin(aᵢ,bᵢ)/Σmax(aᵢ,bᵢ), for values not below zero.
    Jaccard,
    /// exp(−γ·χ²) with χ² = ½·Σ(aᵢ−bᵢ)²/(aᵢ+bᵢ), for values not below zero.
    ChiSquare {
        /// The rate γ.
        #[schemars(extend("exclusiveMinimum" = 0))]
        gamma: f64,
    },
    /// The same for all pairs.
    Constant {
        /// The value.
        #[schemars(range(min = 0))]
        value: f64,
    },
    /// A kernel times a factor.
    Scaled {
        /// The factor.
        #[schemars(range(min = 0))]
        factor: f64,
        /// What it scales.
        kernel: Box<Kernel>,
    },
    /// The sum of kernels.
    Sum {
        /// What is added.
        #[schemars(length(min = 1))]
        terms: Vec<Kernel>,
    },
    /// The product of kernels.
    Product {
        /// What is multiplied.
        #[schemars(length(min = 1))]
        factors: Vec<Kernel>,
    },
}

impl Default for Kernel {
    fn default() -> Self {
        Kernel::Rbf { gamma: 0.5 }
    }
}

impl Kernel {
    /// The Gaussian kernel of a width in any of the usual conventions.
    pub fn gaussian(width: RbfWidth) -> Self {
        Kernel::Rbf {
            gamma: width.gamma(),
        }
    }

    /// This kernel times a factor.
    pub fn scaled(self, factor: f64) -> Self {
        Kernel::Scaled {
            factor,
            kernel: Box::new(self),
        }
    }

    /// The sum of this kernel and another.
    pub fn plus(self, other: Kernel) -> Self {
        Kernel::Sum {
            terms: vec![self, other],
        }
    }

    /// The product of this kernel and another.
    pub fn times(self, other: Kernel) -> Self {
        Kernel::Product {
            factors: vec![self, other],
        }
    }

    /// Fails when a parameter leaves the range in which this is a kernel; the message names it.
    pub fn check(&self) -> Result<()> {
        let positive = |name: &str, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(
                name,
                value,
                "it must be greater than 0 and finite",
            )),
        };
        let not_negative = |name: &str, value: f64| match value >= 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(
                name,
                value,
                "it must be at least 0 and finite",
            )),
        };
        match self {
            Kernel::Linear | Kernel::Cosine | Kernel::Pearson | Kernel::Jaccard => Ok(()),
            Kernel::Polynomial { degree: 0, .. } => {
                Err(Error::parameter("degree", 0, "it must be at least 1"))
            }
            Kernel::Polynomial { gamma, coef0, .. } => {
                positive("gamma", *gamma)?;
                not_negative("coef0", *coef0)
            }
            Kernel::Rbf { gamma } | Kernel::Laplacian { gamma } | Kernel::ChiSquare { gamma } => {
                positive("gamma", *gamma)
            }
            Kernel::Sigmoid { gamma, coef0 } => {
                positive("gamma", *gamma)?;
                match coef0.is_finite() {
                    true => Ok(()),
                    false => Err(Error::parameter("coef0", coef0, "it must be finite")),
                }
            }
            Kernel::Constant { value } => not_negative("value", *value),
            Kernel::Scaled { factor, kernel } => {
                not_negative("factor", *factor)?;
                kernel.check()
            }
            Kernel::Sum { terms } => check_parts("terms", terms),
            Kernel::Product { factors } => check_parts("factors", factors),
        }
    }

    /// Fails when the rows hold a value that the kernel cannot compare: one that is not finite,
    /// or is negative where the kernel compares histograms or weighted sets.
    pub fn check_rows(&self, rows: Rows<'_>) -> Result<()> {
        match self {
            Kernel::Jaccard => Metric::Jaccard.check_rows(rows),
            Kernel::ChiSquare { .. } => Metric::ChiSquare.check_rows(rows),
            Kernel::Scaled { kernel, .. } => kernel.check_rows(rows),
            Kernel::Sum { terms: parts } | Kernel::Product { factors: parts } => {
                parts.iter().try_for_each(|part| part.check_rows(rows))
            }
            _ => Metric::Euclidean.check_rows(rows),
        }
    }

    /// Whether the value depends on a−b alone, so that moving all rows changes nothing.
    pub fn is_stationary(&self) -> bool {
        match self {
            Kernel::Rbf { .. } | Kernel::Laplacian { .. } | Kernel::Constant { .. } => true,
            Kernel::Scaled { kernel, .. } => kernel.is_stationary(),
            Kernel::Sum { terms: parts } | Kernel::Product { factors: parts } => {
                parts.iter().all(Kernel::is_stationary)
            }
            _ => false,
        }
    }

    /// The similarity of two rows of equal length.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(a.len(), b.len(), "the rows have different lengths");
        match self {
            Kernel::Linear => dot(a, b),
            Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } => self.of_product(dot(a, b)),
            Kernel::Rbf { gamma } => (-gamma * Metric::SquaredEuclidean.between(a, b)).exp(),
            Kernel::Laplacian { gamma } => (-gamma * Metric::Manhattan.between(a, b)).exp(),
            // Rows that have no direction, or are not finite, are like nothing.
            Kernel::Cosine => cosine_similarity(a, b, OnZero::Zero).unwrap_or(0.0),
            Kernel::Pearson => pearson_correlation(a, b).map_or(0.0, |found| found.coefficient),
            Kernel::Jaccard => 1.0 - Metric::Jaccard.between(a, b),
            Kernel::ChiSquare { gamma } => (-gamma * Metric::ChiSquare.between(a, b)).exp(),
            Kernel::Constant { value } => *value,
            Kernel::Scaled { factor, kernel } => factor * kernel.between(a, b),
            Kernel::Sum { terms } => terms.iter().map(|term| term.between(a, b)).sum(),
            Kernel::Product { factors } => {
                factors.iter().map(|factor| factor.between(a, b)).product()
            }
        }
    }

    /// The value of a kernel of the inner product alone.
    #[inline(always)]
    pub(super) fn of_product(&self, product: f64) -> f64 {
        match *self {
            Kernel::Polynomial {
                degree,
                gamma,
                coef0,
            } => (gamma * product + coef0).powi(degree as i32),
            Kernel::Sigmoid { gamma, coef0 } => (gamma * product + coef0).tanh(),
            _ => product,
        }
    }
}

fn check_parts(name: &str, parts: &[Kernel]) -> Result<()> {
    if parts.is_empty() {
        return Err(Error::parameter(
            name,
            "an empty list",
            "it must have at least 1 kernel",
        ));
    }
    parts.iter().try_for_each(Kernel::check)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn all() -> Vec<Kernel> {
        let rbf = Kernel::Rbf { gamma: 0.3 };
        vec![
            Kernel::Linear,
            Kernel::Polynomial {
                degree: 3,
                gamma: 0.5,
                coef0: 1.0,
            },
            Kernel::Polynomial {
                degree: 2,
                gamma: 1.0,
                coef0: 0.0,
            },
            rbf.clone(),
            Kernel::Laplacian { gamma: 0.7 },
            Kernel::Cosine,
            Kernel::Pearson,
            Kernel::Jaccard,
            Kernel::ChiSquare { gamma: 2.0 },
            Kernel::Constant { value: 0.5 },
            rbf.clone().plus(Kernel::Linear.scaled(2.0)),
            rbf.times(Kernel::Cosine),
        ]
    }

    #[test]
    fn the_constant_of_the_polynomial_is_inside_the_power() {
        // (1·3 + 2·1 + 1)² = 36; printed with the constant outside it would be 26.
        let kernel = Kernel::Polynomial {
            degree: 2,
            gamma: 1.0,
            coef0: 1.0,
        };
        assert_eq!(kernel.between(&[1.0, 2.0], &[3.0, 1.0]), 36.0);
    }

    #[test]
    fn the_gaussian_similarity_has_its_printed_value_and_limits() {
        // 000a:SIM-06 000a:fx-D1: σ = 1 between [1,1] and [3,2].
        let kernel = Kernel::gaussian(RbfWidth::from_sigma(1.0).unwrap());
        let found = kernel.between(&[1.0, 1.0], &[3.0, 2.0]);
        assert!((found - 0.082_084_998_623_898_8).abs() < 1e-15);
        assert_eq!(kernel.between(&[1.0, 1.0], &[1.0, 1.0]), 1.0);
        assert_eq!(kernel.between(&[0.0, 0.0], &[1e3, 0.0]), 0.0);
    }

    #[test]
    fn stationary_kernels_do_not_notice_a_move() {
        let (a, b) = ([0.5, -1.0, 2.0], [1.5, 0.25, -0.5]);
        let moved = |row: [f64; 3]| row.map(|value| value + 8.0);
        for kernel in all() {
            let before = kernel.between(&a, &b);
            let after = kernel.between(&moved(a), &moved(b));
            if kernel.is_stationary() {
                assert!((before - after).abs() < 1e-15, "{kernel:?}");
            }
        }
        assert!(!Kernel::Linear.is_stationary());
        assert!(Kernel::Rbf { gamma: 1.0 }.scaled(2.0).is_stationary());
    }

    #[test]
    fn parameters_outside_their_range_are_named() {
        let complain = |kernel: Kernel| kernel.check().unwrap_err().to_string();
        assert_eq!(
            complain(Kernel::Rbf { gamma: -1.0 }),
            "gamma is -1; it must be greater than 0 and finite"
        );
        let polynomial = Kernel::Polynomial {
            degree: 2,
            gamma: 1.0,
            coef0: -1.0,
        };
        assert_eq!(
            complain(polynomial),
            "coef0 is -1; it must be at least 0 and finite"
        );
        assert_eq!(
            complain(Kernel::Linear.scaled(-2.0)),
            "factor is -2; it must be at least 0 and finite"
        );
        assert!(complain(Kernel::Sum { terms: vec![] }).starts_with("terms is an empty list"));
        let nested = Kernel::Linear.plus(Kernel::Laplacian { gamma: 0.0 });
        assert!(complain(nested).starts_with("gamma is 0"));
        assert!(all().iter().all(|kernel| kernel.check().is_ok()));
    }

    #[test]
    fn a_kernel_survives_saving_and_has_a_schema() {
        for kernel in all() {
            let bytes = didact_core::encoding::to_bytes(&kernel).unwrap();
            let read: Kernel = didact_core::encoding::from_bytes(&bytes).unwrap();
            assert_eq!(read, kernel);
        }
        let schema = schemars::schema_for!(Kernel).to_value().to_string();
        assert!(schema.contains("exclusiveMinimum") && schema.contains("laplacian"));
    }
}
