//! The formulas of single distances, for rows written out and for sparse ones.

use crate::numeric::length;

/// (Σ|Δ|ᵖ)^(1/p), scaled by the largest difference where the powers overflow or vanish.
pub(super) fn minkowski(differences: impl Iterator<Item = f64> + Clone, p: f64) -> f64 {
    let sum: f64 = differences.clone().map(|value| value.powf(p)).sum();
    if sum.is_normal() {
        return sum.powf(p.recip());
    }
    let largest = differences.clone().fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let scaled: f64 = differences.map(|value| (value / largest).powf(p)).sum();
    largest * scaled.powf(p.recip())
}

/// (a−b)²/(a+b), zero where both are.
#[inline(always)]
pub(super) fn chi_square(a: f64, b: f64) -> f64 {
    let sum = a + b;
    match sum == 0.0 {
        true => 0.0,
        // Divided first: squares of huge or tiny counts would leave the range.
        false => (a - b) * ((a - b) / sum),
    }
}

/// The sums of the smaller and of the larger values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jaccard {
    pub(super) smaller: f64,
    pub(super) larger: f64,
}

impl Jaccard {
    /// Σmin/Σmax; one for two rows of zeros.
    pub(super) fn similarity(self) -> f64 {
        match self.larger == 0.0 {
            true => 1.0,
            false => self.smaller / self.larger,
        }
    }

    /// One minus the similarity, from the difference of the sums so that equal rows are at zero.
    pub(super) fn distance(self) -> f64 {
        match self.larger == 0.0 {
            true => 0.0,
            false => (self.larger - self.smaller) / self.larger,
        }
    }
}

impl FromIterator<(f64, f64)> for Jaccard {
    fn from_iter<I: IntoIterator<Item = (f64, f64)>>(pairs: I) -> Self {
        let mut sums = Jaccard::default();
        for (a, b) in pairs {
            sums.smaller += a.min(b);
            sums.larger += a.max(b);
        }
        sums
    }
}

/// One minus the cosine, as half the squared distance of the rows scaled to length one: unlike
/// the difference 1 − cos, that keeps its digits for nearly parallel rows.
pub(super) fn cosine(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "the rows have different lengths");
    half_square(
        length(a),
        length(b),
        a.iter().copied().zip(b.iter().copied()),
    )
}

/// [`cosine`] of sparse rows.
pub(super) fn cosine_sparse(a: (&[u32], &[f64]), b: (&[u32], &[f64])) -> f64 {
    half_square(length(a.1), length(b.1), aligned(a, b))
}

fn half_square(a_norm: f64, b_norm: f64, pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    if a_norm == 0.0 || b_norm == 0.0 {
        return 1.0;
    }
    let squares = pairs.map(|(a, b)| (a / a_norm - b / b_norm).powi(2));
    squares.sum::<f64>() / 2.0
}

/// Pairs the values of two sparse rows by column; what one of them lacks is zero.
pub(super) fn aligned<'a>(
    a: (&'a [u32], &'a [f64]),
    b: (&'a [u32], &'a [f64]),
) -> impl Iterator<Item = (f64, f64)> + Clone + 'a {
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
