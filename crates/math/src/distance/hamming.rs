//! Counting the places in which two sequences differ.

use super::angle::check_lengths;
use didact_core::Result;

/// The number of places in which two sequences of equal length differ: categories, labels,
/// letters. A count, not a share; sequences of unequal length are an error.
///
/// ```
/// let distance = didact_math::distance::hamming(&["red", "round"], &["red", "flat"])?;
/// assert_eq!(distance, 1);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn hamming<T: PartialEq>(a: &[T], b: &[T]) -> Result<usize> {
    check_lengths(a, b)?;
    Ok(a.iter().zip(b).filter(|(a, b)| a != b).count())
}

/// [`hamming`] of two texts, letter by letter: the least number of replaced letters that turns
/// one into the other.
pub fn hamming_text(a: &str, b: &str) -> Result<usize> {
    let letters = |text: &str| text.chars().collect::<Vec<char>>();
    hamming(&letters(a), &letters(b))
}

/// [`hamming`] of bits packed into words, 64 at a time: the ones of a XOR b are counted.
///
/// ```
/// let distance = didact_math::distance::hamming_bits(&[0b1000_1010], &[0b0001_1000])?;
/// assert_eq!(distance, 3);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn hamming_bits(a: &[u64], b: &[u64]) -> Result<usize> {
    check_lengths(a, b)?;
    let ones = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones() as usize);
    Ok(ones.sum())
}

#[cfg(test)]
mod tests {
    use super::super::Metric;
    use super::*;

    #[test]
    fn the_printed_words_differ_in_three_places_by_every_route() {
        // 000a:SIM-10 000a:fx-T4: the worked line re-types the first word, which would give 2.
        let (a, b) = ("10001010", "00011000");
        assert_eq!(hamming_text(a, b).unwrap(), 3);
        let number = |text: &str| u64::from_str_radix(text, 2).unwrap();
        assert_eq!(hamming_bits(&[number(a)], &[number(b)]).unwrap(), 3);
        assert_eq!(number(a) ^ number(b), 0b1001_0010);
        let digits = |text: &str| {
            text.bytes()
                .map(|byte| f64::from(byte - b'0'))
                .collect::<Vec<_>>()
        };
        let (a, b) = (digits(a), digits(b));
        assert_eq!(hamming(&a, &b).unwrap(), 3);
        // Equal to Manhattan on vectors of zeros and ones.
        assert_eq!(Metric::Hamming.between(&a, &b), 3.0);
        assert_eq!(Metric::Manhattan.between(&a, &b), 3.0);
    }

    #[test]
    fn unequal_lengths_are_an_error() {
        assert!(hamming_text("ab", "abc").is_err());
        assert!(hamming_bits(&[1], &[1, 2]).is_err());
        assert_eq!(hamming::<u8>(&[], &[]).unwrap(), 0);
    }
}
