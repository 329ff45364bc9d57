//! Loops over slices that the compiler turns into vector instructions of the processor at hand.

use pulp::{Arch, Simd, WithSimd};

/// 1.5·2⁵²: adding it rounds to a whole number, which then sits in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Runs a loop compiled for the best instructions that this processor has.
///
/// What the loop calls must be `#[inline(always)]`, or it stays as the baseline compiled it.
///
/// ```
/// use didact_math::vectorised::vectorised;
/// let mut values = [1.0, 2.0, 3.0];
/// vectorised(
///     #[inline(always)]
///     || values.iter_mut().for_each(|value| *value *= 2.0),
/// );
/// assert_eq!(values, [2.0, 4.0, 6.0]);
/// ```
#[inline(always)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(work)
}

/// How many numbers the widest registers of this processor hold.
pub(crate) fn register_lanes() -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            S::F64_LANES
        }
    }
    Arch::new().dispatch(Lanes)
}

/// Replaces every value v by √v; what is below zero counts as zero.
pub(crate) fn square_roots(values: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            values
                .iter_mut()
                .for_each(|value| *value = value.max(0.0).sqrt())
        },
    );
}

/// Replaces every value v by exp(−rate·v) for rates and values not below zero.
///
/// Accurate to two units in the last place; below exp(−708) ≈ 3·10⁻³⁰⁸ the answer is zero.
pub(crate) fn exponential_decay(values: &mut [f64], rate: f64) {
    vectorised(
        #[inline(always)]
        || {
            values
                .iter_mut()
                .for_each(|value| *value = exponential(-rate * *value));
        },
    );
}

/// eˣ for x ≤ 0 without a branch, for loops within [`vectorised`]: x = k·ln 2 + r with
/// |r| ≤ ½·ln 2, hence eˣ = 2ᵏ·eʳ. Accurate to two units in the last place; zero below −708.
#[inline(always)]
pub fn exponential(x: f64) -> f64 {
    /// ln 2 in two parts, the first with so few digits that k times it is exact.
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const LEAST: f64 = -708.0;
    let bounded = x.max(LEAST);
    let shifted = bounded.mul_add(std::f64::consts::LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-LN_2_LOW, k.mul_add(-LN_2_HIGH, bounded));
    // The series of eʳ to the 13th power; the rest is below 10⁻¹⁷.
    let mut series = 1.0 / 6_227_020_800.0;
    for denominator in [
        479_001_600.0,
        39_916_800.0,
        3_628_800.0,
        362_880.0,
        40_320.0,
        5_040.0,
        720.0,
        120.0,
        24.0,
        6.0,
        2.0,
        1.0,
        1.0,
    ] {
        series = r.mul_add(series, 1.0 / denominator);
    }
    let power_of_two = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    match x < LEAST {
        true => 0.0,
        false => series * power_of_two,
    }
}

/// Replaces every value by its cosine, with an error of at most 3·10⁻¹⁶.
///
/// ```
/// use didact_math::vectorised::cosines;
/// let mut values = [0.0, std::f64::consts::PI, 1e300];
/// cosines(&mut values);
/// assert_eq!(values, [1.0, -1.0, 1e300_f64.cos()]);
/// ```
pub fn cosines(values: &mut [f64]) {
    /// Angles beyond this lose digits below, and are left to the library.
    const MOST: f64 = 1e5;
    for values in values.chunks_mut(256) {
        match values.iter().all(|value| value.abs() <= MOST) {
            true => vectorised(
                #[inline(always)]
                || values.iter_mut().for_each(|value| *value = cosine(*value)),
            ),
            false => values.iter_mut().for_each(|value| *value = value.cos()),
        }
    }
}

/// cos x for |x| ≤ 10⁵ without a branch: x = kπ + r with |r| ≤ π/2, hence cos x = (−1)ᵏ·cos r.
#[inline(always)]
fn cosine(x: f64) -> f64 {
    /// What π is more than its nearest number.
    const PI_REST: f64 = 1.224_646_799_147_353_2e-16;
    let shifted = x.mul_add(std::f64::consts::FRAC_1_PI, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-PI_REST, k.mul_add(-std::f64::consts::PI, x));
    let square = r * r;
    // The series of cos r to the 22nd power; the rest is below 10⁻¹⁸.
    let mut series = -1.0 / 1_124_000_727_777_607_680_000.0;
    for denominator in [
        2_432_902_008_176_640_000.0,
        -6_402_373_705_728_000.0,
        20_922_789_888_000.0,
        -87_178_291_200.0,
        479_001_600.0,
        -3_628_800.0,
        40_320.0,
        -720.0,
        24.0,
        -2.0,
        1.0,
    ] {
        series = square.mul_add(series, 1.0 / denominator);
    }
    f64::from_bits(series.to_bits() ^ (shifted.to_bits() << 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_limits_of_the_exponential_are_exact() {
        let mut values = [0.0, -0.0, 1e300, f64::INFINITY, 709.0, 708.0];
        exponential_decay(&mut values, 1.0);
        assert_eq!(values[..5], [1.0, 1.0, 0.0, 0.0, 0.0]);
        assert!((values[5] / (-708.0_f64).exp() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn roots_of_rounding_below_zero_are_zero() {
        let mut values = [-1e-18, 0.0, 4.0, 2.0];
        square_roots(&mut values);
        assert_eq!(values, [0.0, 0.0, 2.0, 2.0_f64.sqrt()]);
    }

    #[test]
    fn cosines_of_what_is_far_or_no_number_are_those_of_the_library() {
        let mut values = [1.0, 2e5, -1e18, f64::INFINITY, f64::NAN];
        cosines(&mut values);
        assert_eq!(values[..3], [1.0_f64.cos(), 2e5_f64.cos(), 1e18_f64.cos()]);
        assert!(values[3].is_nan() && values[4].is_nan());
    }

    proptest! {
        #[test]
        fn cosines_agree_with_the_library(near in -10.0..10.0_f64, far in -1e5..1e5_f64, half in -30_000..30_000_i32) {
            // Close to where the cosine vanishes and the quadrants meet.
            let crossing = (f64::from(half) + 0.5) * std::f64::consts::PI;
            let angles = [near, far, near * 1e-9, crossing, crossing + 1e-9, crossing - 1e-5];
            let mut values = angles;
            cosines(&mut values);
            for (found, x) in values.into_iter().zip(angles) {
                prop_assert!((found - x.cos()).abs() < 3e-16, "{} {}", x, found);
                prop_assert!(found.abs() <= 1.0);
            }
        }

        #[test]
        fn the_exponential_agrees_with_the_library(x in 0.0..707.0_f64, y in 0.0..2.0_f64) {
            let mut values = [x, y, x * 1e-9];
            exponential_decay(&mut values, 1.0);
            for (found, x) in values.into_iter().zip([x, y, x * 1e-9]) {
                let expected = (-x).exp();
                prop_assert!((found / expected - 1.0).abs() < 5e-16, "{} {} {}", x, found, expected);
            }
        }
    }
}
