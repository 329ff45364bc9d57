//! Scalar functions that neither overflow nor lose their digits.

/// The product a·b of two vectors of equal length, summed in eight lanes.
///
/// # Panics
/// When the lengths differ.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "the vectors have different lengths");
    let mut lanes = [0.0; 8];
    let (a_blocks, b_blocks) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a_blocks
        .remainder()
        .iter()
        .zip(b_blocks.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in a_blocks.zip(b_blocks) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    sum_of_lanes(lanes) + tail
}

/// The sum of eight lanes as a balanced tree, whose additions need not wait for each other.
///
/// ```
/// use didact_math::numeric::sum_of_lanes;
/// assert_eq!(sum_of_lanes([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), 36.0);
/// ```
#[inline(always)]
pub fn sum_of_lanes(lanes: [f64; 8]) -> f64 {
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6]))
        + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}

/// The Euclidean length √Σxᵢ², without overflow or underflow on the way.
///
/// ```
/// let length = didact_math::numeric::length(&[3e200, 4e200]);
/// assert!((length / 5e200 - 1.0).abs() < 1e-15);
/// ```
pub fn length(values: &[f64]) -> f64 {
    let square = dot(values, values);
    // In this range neither the sum nor a square that matters in it was lost.
    if (1e-280..1e300).contains(&square) {
        return square.sqrt();
    }
    let largest = values
        .iter()
        .fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return square.sqrt();
    }
    let squares = values.iter().map(|x| (x / largest) * (x / largest));
    largest * squares.sum::<f64>().sqrt()
}

/// ln Σ exp(xᵢ) without overflow; minus infinity for no values.
///
/// ```
/// let sum = didact_math::numeric::log_sum_exp(&[1000.0, 1000.0]);
/// assert!((sum - (1000.0 + 2.0_f64.ln())).abs() < 1e-12);
/// ```
pub fn log_sum_exp(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match largest.is_finite() {
        true => {
            largest
                + values
                    .iter()
                    .map(|value| (value - largest).exp())
                    .sum::<f64>()
                    .ln()
        }
        // All minus infinity, or some plus infinity: the largest is the answer. The sum passes
        // a NaN on, which the maximum would hide.
        false if values.iter().any(|value| value.is_nan()) => f64::NAN,
        false => largest,
    }
}

/// Replaces scores by the logarithms of the probabilities proportional to exp(score), and
/// returns ln Σ exp(score).
///
/// Where every score is minus infinity the probabilities are taken as equal.
pub fn log_softmax_in_place(scores: &mut [f64]) -> f64 {
    let total = log_sum_exp(scores);
    if total == f64::NEG_INFINITY {
        let equal = -(scores.len() as f64).ln();
        scores.fill(equal);
        return total;
    }
    for score in scores {
        *score -= total;
    }
    total
}

/// ln(1 + eˣ), which is close to max(x, 0) far from zero.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// 1 / (1 + e⁻ˣ), accurate for both tails.
pub fn sigmoid(x: f64) -> f64 {
    let small = (-x.abs()).exp();
    match x >= 0.0 {
        true => 1.0 / (1.0 + small),
        false => small / (1.0 + small),
    }
}

/// ln(1 / (1 + e⁻ˣ)) = −softplus(−x).
pub fn log_sigmoid(x: f64) -> f64 {
    -softplus(-x)
}

/// x·ln x, zero at zero.
pub fn x_log_x(x: f64) -> f64 {
    match x == 0.0 {
        true => 0.0,
        false => x * x.ln(),
    }
}

/// A sum that carries the rounding errors along (Neumaier's method).
///
/// ```
/// use didact_math::numeric::CompensatedSum;
/// let sum: CompensatedSum = [1.0, 1e100, 1.0, -1e100].into_iter().collect();
/// assert_eq!(sum.value(), 2.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        let total = self.sum + value;
        self.lost += match self.sum.abs() >= value.abs() {
            true => (self.sum - total) + value,
            false => (value - total) + self.sum,
        };
        self.sum = total;
    }

    /// The sum so far.
    pub fn value(&self) -> f64 {
        match self.sum.is_finite() {
            true => self.sum + self.lost,
            false => self.sum,
        }
    }
}

impl FromIterator<f64> for CompensatedSum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = CompensatedSum::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }
}

/// The compensated sum of all values.
pub fn compensated_sum(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().collect::<CompensatedSum>().value()
}

/// The index of the largest value, the lowest where several are equally large; NaN never wins.
///
/// Returns `None` when there is no value that is a number.
pub fn argmax(values: impl IntoIterator<Item = f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (index, value) in values.into_iter().enumerate() {
        if !value.is_nan() && best.is_none_or(|(_, largest)| value > largest) {
            best = Some((index, value));
        }
    }
    best.map(|(index, _)| index)
}

/// The index of the smallest value, the lowest where several are equally small; NaN never wins.
pub fn argmin(values: impl IntoIterator<Item = f64>) -> Option<usize> {
    argmax(values.into_iter().map(|value| -value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn log_sum_exp_has_the_right_limits() {
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 3]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[0.0, f64::INFINITY]), f64::INFINITY);
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY, -1e9]), -1e9);
        assert!(log_sum_exp(&[f64::NAN, 1.0]).is_nan());
        assert!(log_sum_exp(&[f64::NAN]).is_nan());
    }

    #[test]
    fn lengths_neither_overflow_nor_vanish() {
        for scale in [1e-300, 1e-170, 1.0, 1e170, 1e300] {
            let found = length(&[3.0 * scale, 0.0, -4.0 * scale]);
            assert!((found / (5.0 * scale) - 1.0).abs() < 1e-15, "{scale:e}");
        }
        assert_eq!(length(&[]), 0.0);
        assert_eq!(length(&[0.0, -0.0]), 0.0);
        assert_eq!(length(&[f64::INFINITY, 1.0]), f64::INFINITY);
    }

    #[test]
    fn log_softmax_gives_probabilities_that_add_up_to_one() {
        let mut scores = [-1000.0, -1001.0, -1002.0];
        let total = log_softmax_in_place(&mut scores);
        let sum: f64 = scores.iter().map(|score| score.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        // ln(1 + e⁻¹ + e⁻²) = 0.40760596…
        assert!((total - (-1000.0 + 0.407_605_964_444_380_1)).abs() < 1e-12);
        let mut nothing = [f64::NEG_INFINITY; 4];
        assert_eq!(log_softmax_in_place(&mut nothing), f64::NEG_INFINITY);
        assert_eq!(nothing, [0.25_f64.ln(); 4]);
    }

    #[test]
    fn the_logistic_functions_keep_their_digits_in_both_tails() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert_eq!(sigmoid(-1000.0), 0.0);
        assert_eq!(sigmoid(1000.0), 1.0);
        assert!((sigmoid(-40.0) / (-40.0_f64).exp() - 1.0).abs() < 1e-12);
        assert_eq!(softplus(1000.0), 1000.0);
        assert!((softplus(-40.0) / (-40.0_f64).exp() - 1.0).abs() < 1e-12);
        assert_eq!(log_sigmoid(-1000.0), -1000.0);
        assert!((softplus(0.0) - 2.0_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn x_log_x_is_zero_at_zero() {
        assert_eq!(x_log_x(0.0), 0.0);
        assert_eq!(x_log_x(1.0), 0.0);
        assert!((x_log_x(2.0) - 2.0 * 2.0_f64.ln()).abs() < 1e-15);
        assert!(x_log_x(-1.0).is_nan());
    }

    #[test]
    fn the_compensated_sum_finds_what_a_plain_sum_loses() {
        assert_eq!(compensated_sum([1.0, 1e100, 1.0, -1e100]), 2.0);
        assert_eq!(compensated_sum(std::iter::repeat_n(0.1, 10)), 1.0);
        assert_eq!(compensated_sum([f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(compensated_sum([]), 0.0);
    }

    #[test]
    fn ties_go_to_the_lowest_index_and_nan_never_wins() {
        assert_eq!(argmax([1.0, 3.0, 3.0]), Some(1));
        assert_eq!(argmax([f64::NAN, -1.0]), Some(1));
        assert_eq!(argmax([f64::NEG_INFINITY]), Some(0));
        assert_eq!(argmax([f64::NAN]), None);
        assert_eq!(argmin([2.0, 1.0, 1.0, f64::NAN]), Some(1));
    }

    proptest! {
        #[test]
        fn dot_agrees_with_the_plain_sum(pairs in prop::collection::vec((-1e3..1e3_f64, -1e3..1e3_f64), 0..40)) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            let plain: f64 = pairs.iter().map(|(x, y)| x * y).sum();
            let scale: f64 = pairs.iter().map(|(x, y)| (x * y).abs()).sum();
            prop_assert!((dot(&a, &b) - plain).abs() <= 1e-12 * scale);
        }

        #[test]
        fn sigmoids_of_opposite_scores_add_up_to_one(x in -700.0..700.0_f64) {
            prop_assert!((sigmoid(x) + sigmoid(-x) - 1.0).abs() < 1e-15);
            prop_assert!((log_sigmoid(x) - sigmoid(x).ln()).abs() <= 1e-12 * (1.0 + log_sigmoid(x).abs()));
        }
    }
}
