//! How the covariance of two values falls with the distance of their rows.

use didact_math::vectorised::{exponential, vectorised};
use serde::{Deserialize, Serialize};

/// Squared distances beyond this are as good as infinite; larger ones would turn products with
/// a covariance of zero into NaN.
pub(super) const FARTHEST: f64 = 1e280;

/// How smooth the functions of a Matérn process are: the order ν.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Smoothness {
    /// ν = ½: continuous, with a kink everywhere.
    Half,
    /// ν = 3⁄2: differentiable once.
    ThreeHalves,
    /// ν = 5⁄2: differentiable twice.
    FiveHalves,
}

/// The form of a covariance function of amplitude one; r is the distance of two rows in units
/// of the length scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum CovarianceShape {
    /// The squared exponential exp(−½r²).
    Rbf,
    /// Matérn's family: e⁻ʳ, (1 + √3r)·e^(−√3r) or (1 + √5r + 5⁄3·r²)·e^(−√5r).
    Matern(Smoothness),
    /// (1 + r²/2α)^(−α), a mixture of squared exponentials of all widths.
    RationalQuadratic {
        /// The exponent α; the larger, the fewer widths take part.
        scale_mixture: f64,
    },
    /// The inner product a·b + c of the scaled rows: straight lines with random slopes.
    Linear {
        /// The variance c of the intercept, relative to that of the slopes.
        coef0: f64,
    },
}

impl CovarianceShape {
    /// Whether the covariance depends on the distance alone.
    pub fn is_stationary(self) -> bool {
        !matches!(self, CovarianceShape::Linear { .. })
    }

    /// Replaces squared distances (inner products for the linear shape) by covariances.
    pub(super) fn apply(self, values: &mut [f64]) {
        match self {
            CovarianceShape::Rbf => each(values, |square| exponential(-0.5 * square)),
            CovarianceShape::Matern(Smoothness::Half) => {
                each(values, |square| exponential(-square.sqrt()));
            }
            CovarianceShape::Matern(Smoothness::ThreeHalves) => each(values, |square| {
                let r = (3.0 * square).sqrt();
                (1.0 + r) * exponential(-r)
            }),
            CovarianceShape::Matern(Smoothness::FiveHalves) => each(values, |square| {
                let r = (5.0 * square).sqrt();
                (1.0 + r + r * r / 3.0) * exponential(-r)
            }),
            CovarianceShape::RationalQuadratic { scale_mixture } => {
                for value in values {
                    *value = (-scale_mixture * (0.5 * *value / scale_mixture).ln_1p()).exp();
                }
            }
            CovarianceShape::Linear { coef0 } => each(values, |product| product + coef0),
        }
    }

    /// Replaces squared distances by the derivatives of the covariance with respect to them.
    ///
    /// The derivative of the roughest shape at distance zero is infinite, but is only ever
    /// multiplied with that distance, so it counts as zero.
    pub(super) fn apply_slope(self, values: &mut [f64]) {
        match self {
            CovarianceShape::Rbf => each(values, |square| -0.5 * exponential(-0.5 * square)),
            CovarianceShape::Matern(Smoothness::Half) => each(values, |square| {
                let r = square.sqrt();
                let slope = -0.5 * exponential(-r) / r;
                if r > 0.0 { slope } else { 0.0 }
            }),
            CovarianceShape::Matern(Smoothness::ThreeHalves) => {
                each(values, |square| -1.5 * exponential(-(3.0 * square).sqrt()));
            }
            CovarianceShape::Matern(Smoothness::FiveHalves) => each(values, |square| {
                let r = (5.0 * square).sqrt();
                -5.0 / 6.0 * (1.0 + r) * exponential(-r)
            }),
            CovarianceShape::RationalQuadratic { scale_mixture } => {
                for value in values {
                    let logarithm = (0.5 * *value / scale_mixture).ln_1p();
                    *value = -0.5 * (-(scale_mixture + 1.0) * logarithm).exp();
                }
            }
            CovarianceShape::Linear { .. } => values.fill(0.0),
        }
    }

    /// Replaces squared distances by the derivatives of the covariance with respect to ln α;
    /// only the rational quadratic has an α.
    pub(super) fn apply_mixture_slope(self, values: &mut [f64]) {
        let CovarianceShape::RationalQuadratic { scale_mixture } = self else {
            return values.fill(0.0);
        };
        for value in values {
            // With b = 1 + r²/2α: ∂b^(−α)/∂ln α = α·b^(−α)·(r²/2αb − ln b).
            let part = 0.5 * *value / scale_mixture;
            let logarithm = part.ln_1p();
            let bend = part / (1.0 + part) - logarithm;
            *value = scale_mixture * (-scale_mixture * logarithm).exp() * bend;
        }
    }
}

fn each(values: &mut [f64], formula: impl Fn(f64) -> f64) {
    vectorised(
        #[inline(always)]
        || values.iter_mut().for_each(|value| *value = formula(*value)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [CovarianceShape; 5] = [
        CovarianceShape::Rbf,
        CovarianceShape::Matern(Smoothness::Half),
        CovarianceShape::Matern(Smoothness::ThreeHalves),
        CovarianceShape::Matern(Smoothness::FiveHalves),
        CovarianceShape::RationalQuadratic { scale_mixture: 0.7 },
    ];

    fn at(shape: CovarianceShape, square: f64) -> f64 {
        let mut value = [square];
        shape.apply(&mut value);
        value[0]
    }

    #[test]
    fn covariances_have_the_values_of_scikit_learn() {
        // sklearn.gaussian_process.kernels at distance 1.3: RBF(), Matern(nu=0.5, 1.5, 2.5),
        // RationalQuadratic(alpha=0.7).
        let expected = [
            0.429_557_358_210_739_1,
            0.272_531_793_034_012_6,
            0.342_152_561_842_440_5,
            0.367_412_041_191_480_9,
            0.574_537_908_881_389_8,
        ];
        for (shape, expected) in SHAPES.into_iter().zip(expected) {
            let found = at(shape, 1.69);
            assert!((found - expected).abs() < 1e-14, "{shape:?}: {found}");
            assert_eq!(at(shape, 0.0), 1.0);
        }
    }

    #[test]
    fn slopes_are_the_derivatives_of_the_values() {
        for shape in SHAPES {
            for square in [0.01, 0.6, 3.0] {
                let mut slope = [square];
                shape.apply_slope(&mut slope);
                let step = 1e-6 * square;
                let difference = (at(shape, square + step) - at(shape, square - step)) / step / 2.0;
                assert!((slope[0] / difference - 1.0).abs() < 1e-7, "{shape:?}");
            }
        }
        let mixture = |logarithm: f64| CovarianceShape::RationalQuadratic {
            scale_mixture: logarithm.exp(),
        };
        let mut slope = [2.0];
        mixture(0.3).apply_mixture_slope(&mut slope);
        let difference = (at(mixture(0.3 + 1e-6), 2.0) - at(mixture(0.3 - 1e-6), 2.0)) / 2e-6;
        assert!((slope[0] / difference - 1.0).abs() < 1e-7);
    }

    #[test]
    fn rows_infinitely_far_apart_have_nothing_in_common() {
        for shape in SHAPES {
            assert!(at(shape, FARTHEST) < 1e-100, "{shape:?}");
            let mut slope = [FARTHEST];
            shape.apply_slope(&mut slope);
            assert!((slope[0] * FARTHEST).abs() < 1e-100, "{shape:?}");
        }
    }
}
