//! The two kinds of numbers that networks calculate with.

use crate::product::{Matrix, multiply_single};
use didact_math::linalg::{Accumulate, matmul_into};
use didact_math::vectorised::exponential;
use ndarray::{ArrayView2, ArrayViewMut2, NdFloat};
use std::iter::Sum;

/// Numbers that a network calculates with: `f32` while it learns, because half the bytes are
/// twice the speed and noise of the mini-batches hides the rounding; `f64` where digits count.
pub trait Real: NdFloat + Default + Sum {
    /// The nearest number of this kind.
    fn of(value: f64) -> Self;

    /// The same number in double precision.
    fn widen(self) -> f64;

    /// eˣ for x ≤ 0 without a branch, accurate to about two units in the last place.
    fn exponential(self) -> Self;

    /// Writes A·B into the output, in C order, or adds it there.
    #[doc(hidden)]
    fn multiply(output: &mut [Self], a: Matrix<'_, Self>, b: Matrix<'_, Self>, add: Accumulate);

    /// 1 / (1 + e⁻ˣ), accurate for both tails, without a branch.
    #[inline(always)]
    fn sigmoid(self) -> Self {
        let small = (-self.abs()).exponential();
        let above = Self::one() / (Self::one() + small);
        if self >= Self::zero() {
            above
        } else {
            small * above
        }
    }

    /// tanh x without a branch.
    ///
    /// Near zero by Lambert's continued fraction to the seventh power, whose error stays below
    /// 2·10⁻¹⁶ up to one half; elsewhere by (1 − e^(−2|x|)) / (1 + e^(−2|x|)).
    #[inline(always)]
    fn hyperbolic_tangent(self) -> Self {
        let c = Self::of;
        let square = self * self;
        let above = ((square + c(378.0)) * square + c(17_325.0)) * square + c(135_135.0);
        let below =
            ((c(28.0) * square + c(3_150.0)) * square + c(62_370.0)) * square + c(135_135.0);
        let near = self * above / below;
        let small = (c(-2.0) * self.abs()).exponential();
        let far = ((Self::one() - small) / (Self::one() + small)).copysign(self);
        if self.abs() < c(0.5) { near } else { far }
    }
}

impl Real for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }

    #[inline(always)]
    fn exponential(self) -> Self {
        exponential(self)
    }

    fn multiply(output: &mut [Self], a: Matrix<'_, Self>, b: Matrix<'_, Self>, add: Accumulate) {
        let shape = (a.n_rows(), b.n_columns());
        let output = ArrayViewMut2::from_shape(shape, output).expect("one value per entry");
        matmul_into(output, view(a), view(b), 1.0, add);
    }
}

fn view(matrix: Matrix<'_, f64>) -> ArrayView2<'_, f64> {
    let stored = ArrayView2::from_shape(matrix.shape, matrix.values).expect("one value per entry");
    match matrix.transposed {
        true => stored.reversed_axes(),
        false => stored,
    }
}

impl Real for f32 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }

    /// x = k·ln 2 + r with |r| ≤ ½·ln 2, hence eˣ = 2ᵏ·eʳ; zero below −87.
    #[inline(always)]
    fn exponential(self) -> Self {
        /// 1.5·2²³: adding it rounds to a whole number, which then sits in the lowest bits.
        const ROUND: f32 = 12_582_912.0;
        /// ln 2 in two parts, the first with so few digits that k times it is exact.
        const LN_2_HIGH: f32 = 0.693_359_4;
        const LN_2_LOW: f32 = -2.121_944_4e-4;
        const LEAST: f32 = -87.0;
        let bounded = self.max(LEAST);
        let shifted = bounded.mul_add(std::f32::consts::LOG2_E, ROUND);
        let k = shifted - ROUND;
        let r = k.mul_add(-LN_2_LOW, k.mul_add(-LN_2_HIGH, bounded));
        // The series of eʳ to the seventh power; the rest is below 10⁻⁸.
        let mut series = 1.0 / 5_040.0;
        for denominator in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
            series = r.mul_add(series, 1.0 / denominator);
        }
        let power_of_two = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
        if self < LEAST {
            0.0
        } else {
            series * power_of_two
        }
    }

    fn multiply(output: &mut [Self], a: Matrix<'_, Self>, b: Matrix<'_, Self>, add: Accumulate) {
        multiply_single(output, a, b, add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        // 000b:D27 001:CLS-14 000b:D55
        #[test]
        fn sigmoid_and_tangent_agree_with_the_library(x in -30.0..30.0_f64, y in -0.7..0.7_f64) {
            for x in [x, y, y * 1e-6, 0.0] {
                let close = |found: f64, expected: f64, tolerance: f64| {
                    (found - expected).abs() <= tolerance * expected.abs()
                };
                prop_assert!(close(x.sigmoid(), 1.0 / (1.0 + (-x).exp()), 2e-15));
                prop_assert!(close(x.hyperbolic_tangent(), x.tanh(), 2e-15));
                let single = x as f32;
                let wide = f64::from(single);
                prop_assert!(close(single.sigmoid().widen(), 1.0 / (1.0 + (-wide).exp()), 5e-7));
                prop_assert!(close(single.hyperbolic_tangent().widen(), wide.tanh(), 5e-7));
            }
        }

        // 000b:D27 001:CLS-14: σ(−z) = 1 − σ(z).
        #[test]
        fn the_sigmoid_is_symmetric_to_machine_precision(x in -40.0..40.0_f64) {
            prop_assert!(((-x).sigmoid() - (1.0 - x.sigmoid())).abs() < 4e-16);
        }
    }

    // 000b:D27: stable for |z| > 700.
    #[test]
    fn the_far_tails_are_exact() {
        assert_eq!((-800.0_f64).sigmoid(), 0.0);
        assert_eq!(800.0_f64.sigmoid(), 1.0);
        assert!((-700.0_f64).sigmoid() > 0.0);
        assert_eq!(1e300_f64.hyperbolic_tangent(), 1.0);
        assert_eq!((-1e30_f32).hyperbolic_tangent(), -1.0);
        assert_eq!(1e30_f32.sigmoid(), 1.0);
        assert_eq!(0.0_f32.exponential(), 1.0);
    }
}
