//! Ways to measure how far apart two rows are.

use super::squared::squared_euclidean;
use crate::numeric::dot;
use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the distance between two rows is measured.
///
/// ```
/// use didact_math::distance::Metric;
/// let (a, b) = ([0.0, 0.0], [3.0, 4.0]);
/// assert_eq!(Metric::Euclidean.between(&a, &b), 5.0);
/// assert_eq!(Metric::Manhattan.between(&a, &b), 7.0);
/// assert_eq!(Metric::Chebyshev.between(&a, &b), 4.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The length of the straight line, √Σ(aᵢ−bᵢ)².
    #[default]
    Euclidean,
    /// Its square, Σ(aᵢ−bᵢ)².
    SquaredEuclidean,
    /// The way along the axes, Σ|aᵢ−bᵢ|.
    Manhattan,
    /// The largest difference, max|aᵢ−bᵢ|.
    Chebyshev,
    /// The general length (Σ|aᵢ−bᵢ|ᵖ)^(1/p).
    Minkowski {
        /// The exponent; 1 is Manhattan, 2 Euclidean.
        #[schemars(range(min = 1))]
        p: f64,
    },
    /// One minus the cosine of the angle, 1 − a·b/(‖a‖‖b‖); a row of zeros is at distance one
    /// from every row.
    Cosine,
}

impl Metric {
    /// The distance between two rows of equal length.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        self.distance_of(self.ranking(a, b))
    }

    /// The distance between two sparse rows, given as increasing columns and their values.
    pub fn between_sparse(&self, a: (&[u32], &[f64]), b: (&[u32], &[f64])) -> f64 {
        self.distance_of(self.ranking_sparse(a, b))
    }

    /// Fails when an exponent is below one: then near and far lose their meaning.
    pub fn check(&self) -> Result<()> {
        match *self {
            Metric::Minkowski { p } if !(p >= 1.0 && p.is_finite()) => {
                Err(Error::parameter("p", p, "it must be at least 1 and finite"))
            }
            _ => Ok(()),
        }
    }

    /// A number that orders pairs like the distance does and is cheaper to find.
    pub(crate) fn ranking(&self, a: &[f64], b: &[f64]) -> f64 {
        match *self {
            Metric::Euclidean | Metric::SquaredEuclidean => squared_euclidean(a, b),
            Metric::Cosine => cosine(a, b),
            _ => {
                assert_eq!(a.len(), b.len(), "the rows have different lengths");
                self.fold(a.iter().zip(b).map(|(a, b)| (a - b).abs()))
            }
        }
    }

    /// [`Metric::ranking`] of sparse rows.
    pub(crate) fn ranking_sparse(&self, a: (&[u32], &[f64]), b: (&[u32], &[f64])) -> f64 {
        match *self {
            Metric::Cosine => {
                let norm = |values: &[f64]| dot(values, values).sqrt();
                let (a_norm, b_norm) = (norm(a.1), norm(b.1));
                if a_norm == 0.0 || b_norm == 0.0 {
                    return 1.0;
                }
                let squares = aligned(a, b).map(|(a, b)| (a / a_norm - b / b_norm).powi(2));
                squares.sum::<f64>() / 2.0
            }
            _ => self.fold(aligned(a, b).map(|(a, b)| (a - b).abs())),
        }
    }

    fn fold(&self, differences: impl Iterator<Item = f64>) -> f64 {
        match *self {
            Metric::Manhattan => differences.sum(),
            Metric::Chebyshev => differences.fold(0.0, f64::max),
            Metric::Minkowski { p } => differences.map(|difference| difference.powf(p)).sum(),
            _ => differences.map(|difference| difference * difference).sum(),
        }
    }

    /// The distance that a ranking number stands for.
    pub(crate) fn distance_of(self, ranking: f64) -> f64 {
        match self {
            Metric::Euclidean => ranking.sqrt(),
            Metric::Minkowski { p } => ranking.powf(p.recip()),
            _ => ranking,
        }
    }

    /// The ranking number of a distance.
    pub(crate) fn ranking_of(self, distance: f64) -> f64 {
        match self {
            Metric::Euclidean => distance * distance,
            Metric::Minkowski { p } => distance.powf(p),
            _ => distance,
        }
    }

    /// A length to which the triangle inequality applies, from a ranking number; cosine has
    /// none, so it is searched without a tree.
    pub(crate) fn length_of(self, ranking: f64) -> f64 {
        match self {
            Metric::SquaredEuclidean => ranking.sqrt(),
            _ => self.distance_of(ranking),
        }
    }

    /// The ranking number of such a length.
    pub(crate) fn ranking_of_length(self, length: f64) -> f64 {
        match self {
            Metric::SquaredEuclidean => length * length,
            _ => self.ranking_of(length),
        }
    }
}

/// One minus the cosine, as half the squared distance of the rows scaled to length one: unlike
/// the difference 1 − cos, that keeps its digits for nearly parallel rows.
fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let (a_norm, b_norm) = (dot(a, a).sqrt(), dot(b, b).sqrt());
    if a_norm == 0.0 || b_norm == 0.0 {
        return 1.0;
    }
    let squares = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a / a_norm - b / b_norm).powi(2));
    squares.sum::<f64>() / 2.0
}

/// Pairs the values of two sparse rows by column; what one of them lacks is zero.
fn aligned<'a>(
    a: (&'a [u32], &'a [f64]),
    b: (&'a [u32], &'a [f64]),
) -> impl Iterator<Item = (f64, f64)> + 'a {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        let (left, right) = (a.0.get(i), b.0.get(j));
        let take_left = left.is_some_and(|left| right.is_none_or(|right| left <= right));
        let take_right = right.is_some_and(|right| left.is_none_or(|left| right <= left));
        if !take_left && !take_right {
            return None;
        }
        let pair = (
            if take_left { a.1[i] } else { 0.0 },
            if take_right { b.1[j] } else { 0.0 },
        );
        i += usize::from(take_left);
        j += usize::from(take_right);
        Some(pair)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{random_matrix, random_sparse};

    pub(crate) const ALL: [Metric; 6] = [
        Metric::Euclidean,
        Metric::SquaredEuclidean,
        Metric::Manhattan,
        Metric::Chebyshev,
        Metric::Minkowski { p: 3.0 },
        Metric::Cosine,
    ];

    #[test]
    fn distances_are_those_found_by_hand() {
        let (a, b) = ([1.0, 2.0, 3.0], [4.0, -2.0, 3.0]);
        // Differences 3, 4, 0; a·b = 9, ‖a‖² = 14, ‖b‖² = 29.
        let expected = [
            5.0,
            25.0,
            7.0,
            4.0,
            91f64.cbrt(),
            1.0 - 9.0 / (14.0 * 29.0_f64).sqrt(),
        ];
        for (metric, expected) in ALL.iter().zip(expected) {
            assert!(
                (metric.between(&a, &b) - expected).abs() < 1e-12 * expected,
                "{metric:?}"
            );
            assert_eq!(metric.between(&a, &a), 0.0);
        }
    }

    #[test]
    fn sparse_rows_are_as_far_apart_as_the_same_rows_written_out() {
        let sparse = random_sparse(12, 20, 0.3, 1);
        let dense = sparse.view().to_dense();
        for metric in ALL {
            for i in 0..12 {
                for j in 0..12 {
                    let written = metric.between(
                        dense.row(i).to_slice().unwrap(),
                        dense.row(j).to_slice().unwrap(),
                    );
                    let found = metric.between_sparse(sparse.view().row(i), sparse.view().row(j));
                    assert!(
                        (found - written).abs() <= 1e-12 * (1.0 + written),
                        "{metric:?} {i} {j}"
                    );
                }
            }
        }
    }

    #[test]
    fn cosine_keeps_its_digits_for_nearly_parallel_rows_and_knows_zero() {
        // The angle is 1e-7 up to rounding, so the distance is 5e-15; 1 − cos would give 4.9e-15.
        let distance = Metric::Cosine.between(&[1.0, 0.0], &[1.0, 1e-7]);
        assert!((distance / 5e-15 - 1.0).abs() < 1e-6, "{distance:e}");
        assert_eq!(Metric::Cosine.between(&[0.0, 0.0], &[1.0, 2.0]), 1.0);
        assert_eq!(Metric::Cosine.between(&[1.0, 0.0], &[-2.0, 0.0]), 2.0);
    }

    #[test]
    fn minkowski_contains_its_special_cases() {
        let rows = random_matrix(2, 9, 2);
        let (a, b) = (rows.row(0).to_vec(), rows.row(1).to_vec());
        for (p, metric) in [(1.0, Metric::Manhattan), (2.0, Metric::Euclidean)] {
            let general = Metric::Minkowski { p }.between(&a, &b);
            assert!((general / metric.between(&a, &b) - 1.0).abs() < 1e-12);
        }
        let error = Metric::Minkowski { p: 0.5 }
            .check()
            .unwrap_err()
            .to_string();
        assert_eq!(error, "p is 0.5; it must be at least 1 and finite");
    }

    #[test]
    fn squares_that_overflow_are_infinitely_far_and_not_nan() {
        assert_eq!(
            Metric::Euclidean.between(&[1e200], &[-1e200]),
            f64::INFINITY
        );
    }
}
