//! Pearson's correlation of two vectors.

use super::angle::{OnZero, check_lengths, cosine_similarity};
use didact_core::{Error, Result};

/// A correlation, and whether it says anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// Within [−1, 1]: 1 is perfect agreement, 0 none, −1 perfect opposition.
    pub coefficient: f64,
    /// Whether one of the vectors is constant, so that the coefficient is undefined and given
    /// as zero.
    pub is_undefined: bool,
}

/// Pearson's correlation: the cosine of two vectors after each has lost its own mean, hence
/// unchanged by a shift or a positive factor of either.
///
/// ```
/// let found = didact_math::distance::pearson_correlation(&[1.0, 2.0, 3.0], &[6.0, 4.0, 2.0])?;
/// assert!((found.coefficient + 1.0).abs() < 1e-15 && !found.is_undefined);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn pearson_correlation(a: &[f64], b: &[f64]) -> Result<Correlation> {
    check_lengths(a, b)?;
    for (which, values) in [("first", a), ("second", b)] {
        if let Some(place) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::data(format!(
                "entry {place} of the {which} vector is {}; every value must be a finite number",
                values[place]
            )));
        }
    }
    let (Some(a), Some(b)) = (without_mean(a), without_mean(b)) else {
        return Ok(Correlation {
            coefficient: 0.0,
            is_undefined: true,
        });
    };
    Ok(Correlation {
        coefficient: cosine_similarity(&a, &b, OnZero::Zero)?,
        is_undefined: false,
    })
}

/// The vector minus its mean; none where it is constant.
pub(crate) fn without_mean(values: &[f64]) -> Option<Vec<f64>> {
    let first = *values.first()?;
    // Exactly: the mean of equal numbers may round, and leave noise for a direction.
    if values.iter().all(|&value| value == first) {
        return None;
    }
    // Halves of the shifted values cannot overflow where the values themselves did not.
    let shifted: Vec<f64> = values
        .iter()
        .map(|value| value / 2.0 - first / 2.0)
        .collect();
    let mean = shifted
        .iter()
        .map(|value| value / values.len() as f64)
        .sum::<f64>();
    Some(shifted.into_iter().map(|value| value - mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coefficient(a: &[f64], b: &[f64]) -> f64 {
        pearson_correlation(a, b).unwrap().coefficient
    }

    #[test]
    fn the_printed_pair_has_its_printed_correlation() {
        // 000a:SIM-09 000a:fx-D1, and numpy.corrcoef gives 0.9022436386781061.
        let found = coefficient(&[1.0, 2.0, 3.0, 5.0], &[2.0, 1.0, 4.0, 6.0]);
        assert!((found - 0.902_243_638_678_106_1).abs() < 1e-12);
    }

    #[test]
    fn minus_one_is_opposition_and_zero_is_none() {
        // 000a:SIM-09: the text reads −1 as "not correlated".
        assert!((coefficient(&[1.0, 2.0, 4.0], &[-1.0, -2.0, -4.0]) + 1.0).abs() < 1e-15);
        // A parabola over symmetric points does not correlate with its argument.
        assert!(coefficient(&[-1.0, 0.0, 1.0], &[1.0, 0.0, 1.0]).abs() < 1e-15);
    }

    #[test]
    fn positive_affine_maps_change_nothing_even_far_away() {
        // 001:REC-03.
        let (a, b) = ([1.0, 2.0, 3.0, 5.0], [2.0, 1.0, 4.0, 6.0]);
        let far: Vec<f64> = a.iter().map(|value| 1e9 + 8.0 * value).collect();
        assert!((coefficient(&far, &b) - coefficient(&a, &b)).abs() < 1e-12);
        let huge: Vec<f64> = a.iter().map(|value| 1e307 * value).collect();
        assert!((coefficient(&huge, &b) - coefficient(&a, &b)).abs() < 1e-12);
    }

    #[test]
    fn a_constant_vector_gives_zero_and_says_so() {
        // 001:REC-03.
        let found = pearson_correlation(&[0.1, 0.1, 0.1], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!((found.coefficient, found.is_undefined), (0.0, true));
        assert!(pearson_correlation(&[], &[]).unwrap().is_undefined);
        assert!(pearson_correlation(&[1.0], &[1.0, 2.0]).is_err());
        let error = pearson_correlation(&[1.0, f64::NAN], &[1.0, 2.0])
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("entry 1 of the first vector is NaN"),
            "{error}"
        );
    }
}
