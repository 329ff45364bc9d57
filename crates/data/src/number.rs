//! Reading a decimal number from the front of some bytes, eight digits at a time.

use crate::decimal::nearest;

/// Digits of a whole number that always fit into 64 bits.
const MOST_DIGITS: usize = 19;

/// The number that the bytes start with, and how many bytes it takes.
///
/// It is read as far as it goes: whether what follows may follow is for the caller to say. Nothing
/// is found where there is no digit, and where the number is so long, large or small that the
/// standard library has to judge it.
// A call would hand the length back through memory, and the next number waits for it.
#[inline(always)]
pub(crate) fn leading_number(bytes: &[u8]) -> Option<(f64, usize)> {
    let sign = *bytes.first()?;
    let start = usize::from(matches!(sign, b'-' | b'+'));
    let (mut mantissa, mut end) = match bytes.get(start..start + 2) {
        // Most measurements have one digit before the point.
        Some(&[digit @ b'0'..=b'9', b'.']) => (u64::from(digit - b'0'), start + 1),
        _ => digits(bytes, start, 0),
    };
    let (mut count, mut exponent) = (end - start, 0);
    if bytes.get(end) == Some(&b'.') {
        let point = end + 1;
        (mantissa, end) = digits(bytes, point, mantissa);
        count += end - point;
        exponent = point as i32 - end as i32;
    }
    if count == 0 || count > MOST_DIGITS && !fits(&bytes[start..end]) {
        return None;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let (power, after) = power_of_ten(bytes, end + 1)?;
        exponent += power;
        end = after;
    }
    // Signs follow no pattern that a processor could foresee, so there must be no branch.
    let negative = u64::from(sign == b'-') << 63;
    let size = nearest(mantissa, exponent)?.to_bits();
    Some((f64::from_bits(size | negative), end))
}

/// Appends the digits from `position` on to the number `before`; also says where they end. The
/// number is only right where [`MOST_DIGITS`] are not exceeded.
#[inline]
fn digits(bytes: &[u8], mut position: usize, before: u64) -> (u64, usize) {
    const POWERS: [u64; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];
    let mut number = before;
    while let Some(&eight) = bytes.get(position..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(eight);
        let others = no_digits(word);
        if others != 0 {
            // The digits move to the end of the word and zeros fill its front.
            let place = others.trailing_zeros();
            let (aligned, count) = ((word << (63 - place)) << 8, place as usize / 8);
            number = number.wrapping_mul(POWERS[count]);
            return (number.wrapping_add(value(aligned)), position + count);
        }
        number = number.wrapping_mul(100_000_000).wrapping_add(value(word));
        position += 8;
    }
    while let Some(digit) = bytes.get(position).filter(|byte| byte.is_ascii_digit()) {
        number = number
            .wrapping_mul(10)
            .wrapping_add(u64::from(digit - b'0'));
        position += 1;
    }
    (number, position)
}

/// The high bit of each of the eight bytes that is not a digit.
#[inline]
fn no_digits(word: u64) -> u64 {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // 0x76 lifts everything above nine, and nothing else, to the high bit of its byte.
    const LIFT: u64 = 0x7676_7676_7676_7676;
    let differences = word ^ ZEROS;
    (((differences & LOW_BITS) + LIFT) | differences) & !LOW_BITS
}

/// The value of eight digits, the first in the lowest byte; a zero byte counts as the digit zero.
///
/// Neighbours are put together to pairs, pairs to fours and fours to eight, in three products.
#[inline]
fn value(word: u64) -> u64 {
    const PAIR: u64 = 0x0000_00ff_0000_00ff;
    let digits = word & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = digits * 10 + (digits >> 8);
    let outer = (pairs & PAIR).wrapping_mul(100 + (1_000_000 << 32));
    let inner = ((pairs >> 16) & PAIR).wrapping_mul(1 + (10_000 << 32));
    outer.wrapping_add(inner) >> 32
}

/// Whether the digits behind the leading zeros are few enough.
#[cold]
fn fits(number: &[u8]) -> bool {
    const LONGEST: usize = 100;
    if number.len() > LONGEST {
        return false;
    }
    let significant = number.iter().skip_while(|byte| matches!(byte, b'0' | b'.'));
    significant.filter(|&&byte| byte != b'.').count() <= MOST_DIGITS
}

/// What stands behind an `e`, and where it ends.
#[cold]
fn power_of_ten(bytes: &[u8], position: usize) -> Option<(i32, usize)> {
    let sign = bytes.get(position).copied();
    let start = position + usize::from(matches!(sign, Some(b'-' | b'+')));
    let (size, end) = digits(bytes, start, 0);
    // Longer ones may have run over; they are beyond every double, or padded with zeros.
    if end == start || end - start > 4 {
        return None;
    }
    let size = size as i32;
    Some((if sign == Some(b'-') { -size } else { size }, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Where the whole text is read it must mean the same to the standard library, to the bit.
    fn agrees(text: &str) -> bool {
        match leading_number(text.as_bytes()) {
            Some((value, length)) => {
                text[..length].parse::<f64>().map(f64::to_bits) == Ok(value.to_bits())
            }
            None => true,
        }
    }

    #[test]
    fn usual_notations_are_read_to_their_end() {
        for (text, value, length) in [
            ("3", 3.0_f64, 1),
            ("+1", 1.0, 2),
            ("-0", -0.0, 2),
            (".5", 0.5, 2),
            ("5.", 5.0, 2),
            ("12345678", 12_345_678.0, 8),
            ("123456789.25,7", 123_456_789.25, 12),
            ("-0.1321048632913019\n", -0.132_104_863_291_301_9, 19),
            ("0.00012345678901234567,", 0.000_123_456_789_012_345_67, 22),
            ("6.02e23;", 6.02e23, 7),
            ("1E-5", 1e-5, 4),
            ("1_000", 1.0, 1),
            ("1.2.3", 1.2, 3),
        ] {
            let (found, end) = leading_number(text.as_bytes()).unwrap();
            assert_eq!((found.to_bits(), end), (value.to_bits(), length), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_or_an_unusual_one_is_left_to_others() {
        for text in [
            "",
            "-",
            "+",
            ".",
            "-.",
            " 1",
            "nan",
            "inf",
            "e5",
            "1e",
            "1e+",
            "1e400",
            "1e-400",
            "1e99999999999999999999",
            "12345678901234567890",
            "5e-324",
        ] {
            assert_eq!(leading_number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn every_byte_is_told_from_a_digit_at_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut bytes = *b"90909090";
                bytes[place] = byte;
                let expected = u64::from(!byte.is_ascii_digit()) << (8 * place + 7);
                assert_eq!(no_digits(u64::from_le_bytes(bytes)), expected);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn digits_with_points_and_exponents_mean_what_they_mean_to_the_standard_library(
            text in "[-+]?[0-9]{0,25}\\.?[0-9]{0,25}([eE][-+]?[0-9]{0,5})?[,;\t\r ]?",
        ) {
            prop_assert!(agrees(&text), "{}", text);
        }

        #[test]
        fn written_doubles_read_back(bits in any::<u64>(), tail in "[,\n]?.{0,9}") {
            let value = f64::from_bits(bits);
            for text in [format!("{value}{tail}"), format!("{value:e}{tail}")] {
                prop_assert!(agrees(&text), "{}", text);
            }
        }

        #[test]
        fn ordinary_doubles_are_not_left_to_others(value in -1e6..1e6_f64) {
            let text = format!("{value}\n");
            let found = leading_number(text.as_bytes());
            prop_assume!(value.abs() > 1e-7);
            prop_assert_eq!(found, Some((value, text.len() - 1)));
        }
    }
}
