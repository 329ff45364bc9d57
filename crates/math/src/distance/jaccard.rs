//! How much two sets have in common.

use super::angle::check_lengths;
use super::formulas::Jaccard;
use didact_core::{Error, Result};
use std::collections::BTreeSet;

/// The share of the union that two sets have in common, |A∩B| / |A∪B|, within [0, 1]; one for
/// two empty sets.
///
/// ```
/// use std::collections::BTreeSet;
/// let (a, b) = (BTreeSet::from([1, 2, 3]), BTreeSet::from([2, 3, 4]));
/// assert_eq!(didact_math::distance::jaccard_similarity(&a, &b), 0.5);
/// ```
pub fn jaccard_similarity<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> f64 {
    let common = a.intersection(b).count();
    match a.len() + b.len() - common {
        0 => 1.0,
        union => common as f64 / union as f64,
    }
}

/// The weighted Jaccard similarity Σmin(aᵢ,bᵢ) / Σmax(aᵢ,bᵢ) of vectors that are nowhere
/// negative; that of sets for zeros and ones, and one for two vectors of zeros.
///
/// ```
/// let similarity = didact_math::distance::weighted_jaccard(&[1.0, 2.0], &[2.0, 2.0])?;
/// assert_eq!(similarity, 0.75);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn weighted_jaccard(a: &[f64], b: &[f64]) -> Result<f64> {
    check_lengths(a, b)?;
    for (which, values) in [("first", a), ("second", b)] {
        let is_wrong = |value: &f64| !(value.is_finite() && *value >= 0.0);
        if let Some(place) = values.iter().position(is_wrong) {
            return Err(Error::data(format!(
                "entry {place} of the {which} vector is {}; \
                 the weighted Jaccard similarity needs finite values not below 0",
                values[place]
            )));
        }
    }
    let pairs = a.iter().copied().zip(b.iter().copied());
    Ok(pairs.collect::<Jaccard>().similarity())
}

/// Two sets as vectors of zeros and ones over their union in rising order: the elements of the
/// union, then which of them each set has.
///
/// ```
/// use std::collections::BTreeSet;
/// let (a, b) = (BTreeSet::from([1, 3]), BTreeSet::from([2, 3]));
/// let (union, a_bits, b_bits) = didact_math::distance::encode_sets(&a, &b);
/// assert_eq!(union, [&1, &2, &3]);
/// assert_eq!((a_bits, b_bits), (vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 1.0]));
/// ```
pub fn encode_sets<'a, T: Ord>(
    a: &'a BTreeSet<T>,
    b: &'a BTreeSet<T>,
) -> (Vec<&'a T>, Vec<f64>, Vec<f64>) {
    let union: Vec<&T> = a.union(b).collect();
    let encode = |set: &BTreeSet<T>| {
        let has = |element: &&T| f64::from(u8::from(set.contains(*element)));
        union.iter().map(has).collect()
    };
    let (a, b) = (encode(a), encode(b));
    (union, a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_sets_share_a_third_of_their_union() {
        // 000a:SIM-14 000a:SIM-15 000a:fx-T6: the text's union forgets 11 and its encoding of A
        // is one bit short.
        let a = BTreeSet::from([1, 3, 8, 11]);
        let b = BTreeSet::from([0, 1, 2, 3, 6, 8, 9, 12]);
        assert_eq!(jaccard_similarity(&a, &b), 3.0 / 9.0);
        let (union, a_bits, b_bits) = encode_sets(&a, &b);
        assert_eq!(union, [&0, &1, &2, &3, &6, &8, &9, &11, &12]);
        let bits = |values: &[f64]| {
            values
                .iter()
                .map(|v| if *v == 1.0 { '1' } else { '0' })
                .collect::<String>()
        };
        assert_eq!(
            (bits(&a_bits), bits(&b_bits)),
            ("010101010".into(), "111111101".into())
        );
        // The size of the intersection is Σ Aᵢ∧Bᵢ, and the way back gives the sets again.
        assert_eq!(
            a_bits.iter().zip(&b_bits).map(|(a, b)| a * b).sum::<f64>(),
            3.0
        );
        let decoded: BTreeSet<i32> = union
            .iter()
            .zip(&a_bits)
            .filter(|(_, bit)| **bit == 1.0)
            .map(|(e, _)| **e)
            .collect();
        assert_eq!(decoded, a);
        // 000a:SIM-17: the weighted form is that of sets on zeros and ones.
        assert_eq!(weighted_jaccard(&a_bits, &b_bits).unwrap(), 3.0 / 9.0);
    }

    #[test]
    fn empty_sets_and_vectors_of_zeros_are_alike_and_negative_weights_are_refused() {
        let empty = BTreeSet::<u8>::new();
        assert_eq!(jaccard_similarity(&empty, &empty), 1.0);
        assert_eq!(jaccard_similarity(&empty, &BTreeSet::from([1])), 0.0);
        assert_eq!(weighted_jaccard(&[0.0, 0.0], &[0.0, 0.0]).unwrap(), 1.0);
        // 000a:fx-T7: 0.8/1.2.
        let found = weighted_jaccard(&[0.5, 0.1, 0.4], &[0.6, 0.2, 0.2]).unwrap();
        assert!((found - 2.0 / 3.0).abs() < 1e-15);
        let error = weighted_jaccard(&[1.0, -2.0], &[0.0, 1.0])
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("entry 1 of the first vector is -2"),
            "{error}"
        );
    }
}
