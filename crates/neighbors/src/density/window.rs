//! The shapes of windows, their integrals, and draws from them.

use crate::norm::Norm;
use didact_core::random::Generator;
use rand::RngExt;
use rand_distr::{Beta, Distribution, Gamma};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, LN_2};

/// The shape of the window around each row, a function of u = distance/bandwidth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DensityKernel {
    /// exp(−u²/2).
    #[default]
    Gaussian,
    /// 1 for u ≤ 1: an even ball.
    Tophat,
    /// 1 − u² for u < 1.
    Epanechnikov,
    /// exp(−u).
    Exponential,
    /// 1 − u for u < 1.
    Linear,
    /// cos(πu/2) for u < 1.
    Cosine,
    /// 1 within the cube whose edge is the bandwidth, its faces included, whatever the metric.
    Hypercube,
}

impl DensityKernel {
    /// The norm by which the window measures.
    pub(super) fn norm(self, norm: Norm) -> Norm {
        match self {
            DensityKernel::Hypercube => Norm::Chebyshev,
            _ => norm,
        }
    }

    /// Whether the window ends somewhere.
    pub(super) fn is_bounded(self) -> bool {
        !matches!(self, DensityKernel::Gaussian | DensityKernel::Exponential)
    }

    /// The value of a bounded window.
    #[inline(always)]
    pub(super) fn value(self, u: f64) -> f64 {
        match self {
            DensityKernel::Gaussian | DensityKernel::Exponential => self.exponent(u).exp(),
            DensityKernel::Tophat => f64::from(u <= 1.0),
            DensityKernel::Hypercube => f64::from(u <= 0.5),
            DensityKernel::Epanechnikov => (1.0 - u * u).max(0.0),
            DensityKernel::Linear => (1.0 - u).max(0.0),
            DensityKernel::Cosine if u < 1.0 => (FRAC_PI_2 * u).cos(),
            DensityKernel::Cosine => 0.0,
        }
    }

    /// The logarithm of a window without an end.
    #[inline(always)]
    pub(super) fn exponent(self, u: f64) -> f64 {
        match self {
            DensityKernel::Exponential => -u,
            _ => -0.5 * u * u,
        }
    }

    /// ln ∫ K(‖u‖) du over all d dimensions: the surface d·V of the unit ball times ∫ uᵈ⁻¹·K(u) du.
    pub(super) fn log_integral(self, norm: Norm, n_columns: usize) -> f64 {
        let d = n_columns as f64;
        // d times the radial integral.
        let radial = match self {
            DensityKernel::Hypercube => return 0.0,
            DensityKernel::Gaussian => (d / 2.0 - 1.0) * LN_2 + libm::lgamma(d / 2.0) + d.ln(),
            DensityKernel::Exponential => libm::lgamma(d) + d.ln(),
            DensityKernel::Tophat => 0.0,
            DensityKernel::Epanechnikov => (2.0 / (d + 2.0)).ln(),
            DensityKernel::Linear => (d + 1.0).recip().ln(),
            DensityKernel::Cosine => (d * cosine_integral(d)).ln(),
        };
        norm.log_unit_ball(n_columns) + radial
    }

    /// Draws the difference of a new row to its window's centre, for bandwidth one.
    pub(super) fn draw(self, norm: Norm, output: &mut [f64], generator: &mut Generator) {
        let d = output.len() as f64;
        self.norm(norm).draw_direction(output, generator);
        let radius = match self {
            DensityKernel::Gaussian => (2.0 * gamma(d / 2.0, generator)).sqrt(),
            DensityKernel::Exponential => gamma(d, generator),
            DensityKernel::Tophat => generator.random::<f64>().powf(d.recip()),
            DensityKernel::Hypercube => 0.5 * generator.random::<f64>().powf(d.recip()),
            DensityKernel::Epanechnikov => beta(d / 2.0, generator).sqrt(),
            DensityKernel::Linear => beta(d, generator),
            // cos(πu/2) ≤ (π/2)(1−u), so draws of the linear window are accepted by their quotient.
            DensityKernel::Cosine => loop {
                let u = beta(d, generator);
                let ratio = (FRAC_PI_2 * u).cos() / (FRAC_PI_2 * (1.0 - u));
                if u >= 1.0 || generator.random::<f64>() <= ratio {
                    break u;
                }
            },
        };
        output.iter_mut().for_each(|value| *value *= radius);
    }
}

/// ∫₀¹ uᵈ⁻¹·cos(πu/2) du = Σₖ (−1)ᵏ·(π/2)²ᵏ⁺¹/(d·(d+1)⋯(d+2k+1)), from the series of
/// sin(π/2·(1−u)): its terms fall at once, while the usual recursion cancels for many columns.
fn cosine_integral(d: f64) -> f64 {
    let mut term = FRAC_PI_2 / (d * (d + 1.0));
    let (mut sum, mut k) = (0.0, 0.0);
    while term.abs() > f64::EPSILON * f64::abs(sum) * 1e-2 {
        sum += term;
        k += 2.0;
        term *= -FRAC_PI_2 * FRAC_PI_2 / ((d + k) * (d + k + 1.0));
    }
    sum
}

fn gamma(shape: f64, generator: &mut Generator) -> f64 {
    let law = Gamma::new(shape, 1.0).expect("the shape is positive");
    law.sample(generator)
}

/// A draw of density ∝ uᵃ⁻¹·(1−u).
fn beta(a: f64, generator: &mut Generator) -> f64 {
    let law = Beta::new(a, 2.0).expect("the shapes are positive");
    law.sample(generator)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use didact_core::random::generator;

    pub(crate) const ALL: [DensityKernel; 7] = [
        DensityKernel::Gaussian,
        DensityKernel::Tophat,
        DensityKernel::Epanechnikov,
        DensityKernel::Exponential,
        DensityKernel::Linear,
        DensityKernel::Cosine,
        DensityKernel::Hypercube,
    ];

    #[test]
    fn windows_of_one_column_have_their_known_integrals() {
        // √(2π), 2, 4/3, 2, 1, 4/π and the edge 1.
        let expected = [
            (2.0 * std::f64::consts::PI).sqrt(),
            2.0,
            4.0 / 3.0,
            2.0,
            1.0,
            4.0 / std::f64::consts::PI,
            1.0,
        ];
        for (kernel, expected) in ALL.into_iter().zip(expected) {
            let found = kernel.log_integral(Norm::Euclidean, 1).exp();
            assert!((found / expected - 1.0).abs() < 1e-13, "{kernel:?} {found}");
        }
    }

    #[test]
    fn integrals_of_many_columns_are_those_of_quadrature() {
        for kernel in ALL {
            for (d, norm) in [
                (2, Norm::Euclidean),
                (3, Norm::Manhattan),
                (5, Norm::Minkowski { p: 3.0 }),
                (40, Norm::Euclidean),
            ] {
                if kernel == DensityKernel::Hypercube {
                    continue;
                }
                // d·V·∫ uᵈ⁻¹K(u)du by Simpson's rule, each piece smooth.
                let end = if kernel.is_bounded() { 1.0 } else { 200.0 };
                let steps = 200_000;
                let step = end / f64::from(steps);
                let integrand = |i: i32| {
                    let u = f64::from(i) * step;
                    u.powi(d as i32 - 1) * kernel.value(u)
                };
                let total: f64 = (0..=steps)
                    .map(|i| {
                        let factor = match i {
                            0 => 1.0,
                            i if i == steps => 1.0,
                            i if i % 2 == 1 => 4.0,
                            _ => 2.0,
                        };
                        factor * integrand(i)
                    })
                    .sum();
                let expected = (total * step / 3.0 * d as f64).ln() + norm.log_unit_ball(d);
                let found = kernel.log_integral(norm, d);
                assert!(
                    (found - expected).abs() < 1e-8,
                    "{kernel:?} {d} {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn draws_have_the_radius_of_their_window() {
        let mut generator = generator(2, 0);
        let (d, n) = (3, 4000);
        for kernel in ALL {
            let norm = kernel.norm(Norm::Euclidean);
            let mut row = [0.0; 3];
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..n {
                kernel.draw(Norm::Euclidean, &mut row, &mut generator);
                let radius = norm.between(&row, &[0.0; 3]);
                assert!(kernel.value(radius) > 0.0);
                sum += radius;
                squares += radius * radius;
            }
            let mean = sum / f64::from(n);
            let deviation = (squares / f64::from(n) - mean * mean).sqrt() / f64::from(n).sqrt();
            // E r = ∫ rᵈ·K / ∫ rᵈ⁻¹·K, from the integrals of d+1 and of d columns.
            let expected = match kernel {
                DensityKernel::Hypercube => 0.375,
                _ => {
                    let radial = |d: usize| {
                        (kernel.log_integral(Norm::Euclidean, d) - Norm::Euclidean.log_unit_ball(d))
                            .exp()
                            / d as f64
                    };
                    radial(d + 1) / radial(d)
                }
            };
            assert!(
                (mean - expected).abs() < 5.0 * deviation,
                "{kernel:?} {mean} {expected}"
            );
        }
    }
}
