//! Inner products and angles of two vectors.

use crate::numeric::{dot, length};
use didact_core::{Error, Result};

/// What a similarity by direction says of a vector of zeros, which has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnZero {
    /// That it is an error.
    #[default]
    Refuse,
    /// Zero, as if it were at right angles to everything.
    Zero,
}

/// The inner product a·b = Σaᵢbᵢ, a similarity: large means alike. It grows with the lengths of
/// the vectors as well as with their agreement.
///
/// ```
/// assert_eq!(didact_math::distance::inner_product(&[3.0, 2.0], &[3.0, 1.0])?, 11.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn inner_product(a: &[f64], b: &[f64]) -> Result<f64> {
    check_lengths(a, b)?;
    Ok(dot(a, b))
}

/// The cosine of the angle between two vectors, a·b/(‖a‖‖b‖), within [−1, 1]: 1 for the same
/// direction, 0 for a right angle, −1 for opposite directions, whatever the lengths.
///
/// ```
/// use didact_math::distance::{OnZero, cosine_similarity};
/// let cosine = cosine_similarity(&[3.0, 2.0], &[3.0, 1.0], OnZero::Refuse)?;
/// assert!((cosine - 11.0 / 130.0_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn cosine_similarity(a: &[f64], b: &[f64], on_zero: OnZero) -> Result<f64> {
    check_lengths(a, b)?;
    let (a_norm, b_norm) = (length(a), length(b));
    for (which, norm) in [("first", a_norm), ("second", b_norm)] {
        if norm == 0.0 && on_zero == OnZero::Refuse {
            return Err(Error::data(format!(
                "the {which} vector is zero and has no direction; \
                 leave it out or let zero vectors have the similarity 0"
            )));
        }
        if !norm.is_finite() {
            return Err(Error::data(format!(
                "the {which} vector has no finite length; every value must be a finite number"
            )));
        }
    }
    if a_norm == 0.0 || b_norm == 0.0 {
        return Ok(0.0);
    }
    let sum: f64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a / a_norm) * (b / b_norm))
        .sum();
    Ok(sum.clamp(-1.0, 1.0))
}

/// The angle between two vectors in radians, within [0, π]; a vector of zeros is an error.
///
/// Computed as 2·atan2(‖u−v‖, ‖u+v‖) of the unit vectors, which keeps its digits near 0 and π
/// where the cosine is flat.
///
/// ```
/// let angle = didact_math::distance::angle(&[1.0, 0.0], &[0.0, 2.0])?;
/// assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn angle(a: &[f64], b: &[f64]) -> Result<f64> {
    // Only for its checks.
    cosine_similarity(a, b, OnZero::Refuse)?;
    let (a_norm, b_norm) = (length(a), length(b));
    let (mut apart, mut together) = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (u, v) = (a / a_norm, b / b_norm);
        apart += (u - v) * (u - v);
        together += (u + v) * (u + v);
    }
    Ok(2.0 * f64::atan2(apart.sqrt(), together.sqrt()))
}

pub(super) fn check_lengths<T, U>(a: &[T], b: &[U]) -> Result<()> {
    match a.len() == b.len() {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the first has {} entries and the second {}; they must have as many",
            a.len(),
            b.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn the_arrows_of_the_second_figure_have_their_printed_similarities() {
        // 000a:SIM-07 000a:SIM-08 000a:fx-T3.
        let (a, b) = ([3.0, 2.0], [3.0, 1.0]);
        assert_eq!(inner_product(&a, &b).unwrap(), 11.0);
        let cosine = cosine_similarity(&a, &b, OnZero::Refuse).unwrap();
        assert!((cosine - 0.964_763_821_237_732_3).abs() < 1e-12);
        // 001:CLU-12: positive scaling changes nothing, and a vector is alike to itself.
        let scaled = cosine_similarity(&[3e200, 2e200], &[3e-200, 1e-200], OnZero::Refuse);
        assert!((scaled.unwrap() - cosine).abs() < 1e-12);
        assert!((cosine_similarity(&a, &a, OnZero::Refuse).unwrap() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn right_angles_parallels_and_the_law_of_cosines_hold() {
        // 004:M01: ‖a−b‖² = ‖a‖² + ‖b‖² − 2a·b.
        assert_eq!(
            cosine_similarity(&[1.0, 0.0], &[0.0, 5.0], OnZero::Refuse).unwrap(),
            0.0
        );
        assert_eq!(
            cosine_similarity(&[1.0, 0.0], &[-2.0, 0.0], OnZero::Refuse).unwrap(),
            -1.0
        );
        let (a, b) = ([1.0, 4.0, -2.0], [0.5, 1.0, 3.0]);
        let direct = super::super::squared_euclidean(&a, &b);
        let by_products = dot(&a, &a) + dot(&b, &b) - 2.0 * inner_product(&a, &b).unwrap();
        assert!((direct - by_products).abs() < 1e-12);
        // The sum of squares of these rounds above one; the clamp keeps the angle a number.
        assert!(angle(&[0.1, 0.2, 0.3], &[0.1, 0.2, 0.3]).unwrap() == 0.0);
        assert!((angle(&[1.0, 0.0], &[-3.0, 0.0]).unwrap() - PI).abs() < 1e-15);
        let small = angle(&[1.0, 0.0], &[1.0, 1e-12]).unwrap();
        assert!((small / 1e-12 - 1.0).abs() < 1e-3, "{small:e}");
    }

    #[test]
    fn a_vector_of_zeros_is_an_error_or_zero_by_choice() {
        let error = cosine_similarity(&[1.0], &[0.0], OnZero::Refuse)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("the second vector is zero"), "{error}");
        assert_eq!(
            cosine_similarity(&[1.0], &[0.0], OnZero::Zero).unwrap(),
            0.0
        );
        assert!(angle(&[0.0], &[1.0]).is_err());
        assert!(cosine_similarity(&[f64::NAN], &[1.0], OnZero::Zero).is_err());
        let error = inner_product(&[1.0], &[1.0, 2.0]).unwrap_err().to_string();
        assert_eq!(
            error,
            "the first has 1 entries and the second 2; they must have as many"
        );
    }
}
