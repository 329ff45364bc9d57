//! The double nearest to a decimal: w·10^q for a whole number w.
//!
//! The method of Eisel and Lemire: 10^q = 5^q·2^q, and one product of w with the first 64 bits of
//! 5^q decides almost always how to round; the next 64 bits decide the rest. Within the powers of
//! [`FIVES`] the 128 bits are known to suffice for every w, so there is nothing to fall back to.
//! (D. Lemire, Number parsing at a gigabyte per second, 2021; N. Mushtak and D. Lemire, Fast
//! number parsing without fallback, 2023.)

/// The smallest power of ten whose reciprocal of five has 128 bits that never mislead.
const SMALLEST: i32 = -27;
/// The largest power of five that is exact in 128 bits.
const LARGEST: i32 = 55;
/// The first 128 bits of 5^q for each q from [`SMALLEST`] to [`LARGEST`], the upper half first.
static FIVES: [(u64, u64); (LARGEST - SMALLEST + 1) as usize] = fives();

/// The double nearest to `mantissa`·10^`exponent`, ties to even; nothing where the power of ten is
/// out of the ordinary.
#[inline]
pub(crate) fn nearest(mantissa: u64, exponent: i32) -> Option<f64> {
    if exponent == 0 || mantissa == 0 {
        // The conversion rounds to the nearest double, too.
        return Some(mantissa as f64);
    }
    let place = usize::try_from(exponent - SMALLEST).ok()?;
    let &(high, low) = FIVES.get(place)?;
    let zeros = mantissa.leading_zeros();
    let (upper, lower) = product(mantissa << zeros, high, low);
    let top = (upper >> 63) as u32;
    // 53 bits of the result and one that says how to round.
    let shift = top + 9;
    let mut significand = upper >> shift;
    if lower <= 1 && (-4..=23).contains(&exponent) {
        significand = tie_to_even(significand, shift, upper);
    }
    significand = (significand + (significand & 1)) >> 1;
    // ⌊q·log₂10⌋ in fixed point; then the bias of the exponent, less one for the leading bit of the
    // significand, which is added and not masked so that rounding up may carry into the exponent.
    let power = ((exponent * (152_170 + 65_536)) >> 16) + 63 + top as i32 - zeros as i32;
    Some(f64::from_bits(
        significand + (((power + 1022) as u64) << 52),
    ))
}

/// Makes a significand that lies exactly between two doubles, and would be rounded up to the odd
/// one, be rounded down. Only some powers of ten can bring that about.
#[cold]
fn tie_to_even(significand: u64, shift: u32, upper: u64) -> u64 {
    let is_tie = significand << shift == upper;
    match is_tie && significand & 3 == 1 {
        true => significand - 1,
        false => significand,
    }
}

/// The upper 128 bits of `normal`·5^q, of which the lower 64 are only made where they matter.
#[inline]
fn product(normal: u64, high: u64, low: u64) -> (u64, u64) {
    const UNDECIDED: u64 = u64::MAX >> 55;
    let first = u128::from(normal) * u128::from(high);
    let (upper, lower) = ((first >> 64) as u64, first as u64);
    if upper & UNDECIDED != UNDECIDED {
        return (upper, lower);
    }
    let second = (u128::from(normal) * u128::from(low)) >> 64;
    let (lower, carry) = lower.overflowing_add(second as u64);
    (upper + u64::from(carry), lower)
}

const fn fives() -> [(u64, u64); (LARGEST - SMALLEST + 1) as usize] {
    let mut table = [(0, 0); (LARGEST - SMALLEST + 1) as usize];
    let mut place = 0;
    while place < table.len() {
        let exponent = place as i32 + SMALLEST;
        let bits = match exponent < 0 {
            true => reciprocal(5_u128.pow(exponent.unsigned_abs())),
            false => {
                let power = 5_u128.pow(exponent.unsigned_abs());
                power << power.leading_zeros()
            }
        };
        table[place] = ((bits >> 64) as u64, bits as u64);
        place += 1;
    }
    table
}

/// The first 128 bits of 1/`divisor`, rounded up, by long division.
const fn reciprocal(divisor: u128) -> u128 {
    let mut quotient: u128 = 1;
    let mut remainder = divisor.next_power_of_two() - divisor;
    let mut bit = 0;
    while bit < 127 {
        remainder <<= 1;
        quotient <<= 1;
        if remainder >= divisor {
            remainder -= divisor;
            quotient |= 1;
        }
        bit += 1;
    }
    quotient + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expected(mantissa: u64, exponent: i32) -> u64 {
        let text = format!("{mantissa}e{exponent}");
        text.parse::<f64>().unwrap().to_bits()
    }

    #[test]
    fn the_table_holds_the_published_bits() {
        // The entries for 10^−27, 10^−1, 10^0 and 10^55 of the tables printed with the method.
        assert_eq!(FIVES[0], (0x9e74_d1b7_91e0_7e48, 0x775e_a264_cf55_347e));
        assert_eq!(FIVES[26], (0xcccc_cccc_cccc_cccc, 0xcccc_cccc_cccc_cccd));
        assert_eq!(FIVES[27], (1 << 63, 0));
        assert_eq!(FIVES[82], (0xd0cf_4b50_cfe2_0765, 0xfff4_b4e3_f741_cf6d));
    }

    #[test]
    fn numbers_halfway_between_two_doubles_go_to_the_even_one() {
        // Beyond 2^53 every odd whole number lies halfway.
        for odd in [1, 3, 5, 7] {
            let mantissa = (1 << 53) + odd;
            assert_eq!(
                nearest(mantissa, 0).map(f64::to_bits),
                Some(expected(mantissa, 0))
            );
            for exponent in 1..=3 {
                let longer = mantissa * 10_u64.pow(exponent);
                assert_eq!(
                    nearest(longer, -(exponent as i32)).map(f64::to_bits),
                    Some(expected(mantissa, 0))
                );
            }
        }
    }

    #[test]
    fn unusual_powers_are_left_to_others() {
        assert_eq!(nearest(1, -28), None);
        assert_eq!(nearest(1, 56), None);
        assert_eq!(nearest(0, -400), Some(0.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn every_decimal_is_rounded_like_the_standard_library(
            mantissa in any::<u64>(),
            shift in 0..64_u32,
            exponent in SMALLEST..=LARGEST,
        ) {
            let mantissa = mantissa >> shift;
            prop_assert_eq!(
                nearest(mantissa, exponent).map(f64::to_bits),
                Some(expected(mantissa, exponent))
            );
        }

        /// Decimals next to the middle between two doubles.
        #[test]
        fn near_ties_are_rounded_like_the_standard_library(
            whole in 1_u64 << 52..1 << 53,
            off in -2_i64..=2,
            places in 0..=2_u32,
        ) {
            // (2·whole + 1)/2 as a decimal with `places` more digits than the half needs.
            let middle = (2 * whole + 1) * 5 * 10_u64.pow(places);
            let mantissa = middle.wrapping_add_signed(off);
            let exponent = -1 - places as i32;
            prop_assert_eq!(
                nearest(mantissa, exponent).map(f64::to_bits),
                Some(expected(mantissa, exponent))
            );
        }
    }
}
