//! The correlation of two users over the items that both have rated.

/// Pearson's correlation of pairs that come one after the other.
///
/// Sums are taken of the differences from the first pair. Equal values then have a variance of
/// exactly zero, and as the first pair is one of the data, at most a factor of about twice the
/// number of pairs is lost to cancellation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agreement {
    n: usize,
    first: (f64, f64),
    sum: (f64, f64),
    squares: (f64, f64),
    products: f64,
}

impl Agreement {
    pub(super) fn push(&mut self, a: f64, b: f64) {
        if self.n == 0 {
            self.first = (a, b);
        }
        self.n += 1;
        let (a, b) = (a - self.first.0, b - self.first.1);
        self.sum.0 += a;
        self.sum.1 += b;
        self.squares.0 += a * a;
        self.squares.1 += b * b;
        self.products += a * b;
    }

    /// How many items both have rated.
    pub(super) fn n_common(&self) -> usize {
        self.n
    }

    /// The correlation; zero where it is undefined, because one side is constant.
    pub(super) fn correlation(&self) -> f64 {
        let n = self.n as f64;
        let a = self.squares.0 - self.sum.0 * self.sum.0 / n;
        let b = self.squares.1 - self.sum.1 * self.sum.1 / n;
        let both = self.products - self.sum.0 * self.sum.1 / n;
        let correlation = match (a > 0.0 && b > 0.0, a * b) {
            (false, _) => 0.0,
            // Ratings are short numbers: for perfect agreement the root of the product is exact,
            // and users who agree perfectly are equally near.
            (true, square) if square > 1e-280 => both / square.sqrt(),
            (true, _) => both / a.sqrt() / b.sqrt(),
        };
        correlation.clamp(-1.0, 1.0)
    }

    /// What two users with rising lists of items agree on.
    pub(super) fn of_users(a: (&[u32], &[f64]), b: (&[u32], &[f64])) -> Self {
        let mut agreement = Agreement::default();
        let (mut i, mut j) = (0, 0);
        while i < a.0.len() && j < b.0.len() {
            match a.0[i].cmp(&b.0[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    agreement.push(a.1[i], b.1[j]);
                    i += 1;
                    j += 1;
                }
            }
        }
        agreement
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_math::distance::pearson_correlation;
    use proptest::prelude::*;

    fn of(a: &[f64], b: &[f64]) -> f64 {
        let items: Vec<u32> = (0..a.len() as u32).collect();
        Agreement::of_users((&items, a), (&items, b)).correlation()
    }

    proptest! {
        // 001:REC-03: the cosine after each side has lost its mean.
        #[test]
        fn agreement_is_pearsons_correlation(
            pairs in proptest::collection::vec((-5.0..5.0_f64, -5.0..5.0_f64), 2..20),
            far in -1e6..1e6_f64,
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let expected = pearson_correlation(&a, &b).unwrap().coefficient;
            prop_assert!((of(&a, &b) - expected).abs() < 1e-12);
            // Unchanged by positive affine maps, up to the digits that the shift costs.
            let moved: Vec<f64> = b.iter().map(|value| far + 3.0 * value).collect();
            prop_assert!((of(&a, &moved) - expected).abs() < 1e-6);
        }
    }

    // 001:REC-03: undefined is zero, also where the mean of equal values rounds.
    #[test]
    fn constant_ratings_agree_with_nothing() {
        assert_eq!(of(&[0.1; 3], &[1.0, 2.0, 3.0]), 0.0);
        assert_eq!(of(&[1.0, 2.0, 3.0], &[1e15 / 3.0; 3]), 0.0);
        assert_eq!(of(&[], &[]), 0.0);
    }

    #[test]
    fn perfect_agreement_is_exactly_one() {
        let a = [1.0, 2.5, 4.0];
        assert_eq!(of(&a, &[2.0, 2.5, 3.0]), 1.0);
        assert_eq!(of(&a, &[5.0, 3.5, 2.0]), -1.0);
        let tiny = a.map(|value| value * 1e-120);
        assert!((of(&a, &tiny) - 1.0).abs() < 1e-15);
    }
}
