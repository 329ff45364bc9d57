//! The step of a single weight, and many steps at once.

/// How long the steps of each weight are, and what its prices take in one.
///
/// A step takes w to S(w − η·g, η·a)/(1 + η·λ), where g is the slope, η the length of the step,
/// a the price of |w|, λ that of ½w², and S(v, t) = sign(v)·max(|v| − t, 0).
pub(super) struct Paces {
    /// The length η for each column.
    pub(super) lengths: Vec<f64>,
    /// 1/(1 + η·λ), and its logarithm.
    keeps: Vec<f64>,
    log_keeps: Vec<f64>,
    absolute: f64,
    squared: f64,
}

impl Paces {
    pub(super) fn new(lengths: Vec<f64>, (absolute, squared): (f64, f64)) -> Self {
        let shrinks = || lengths.iter().map(|length| length * squared);
        Paces {
            keeps: shrinks().map(|shrink| 1.0 / (1.0 + shrink)).collect(),
            log_keeps: shrinks().map(|shrink| -shrink.ln_1p()).collect(),
            lengths,
            absolute,
            squared,
        }
    }

    /// A step of the weight of a column along this slope.
    #[inline]
    pub(super) fn step(&self, column: usize, weight: f64, slope: f64) -> f64 {
        let length = self.lengths[column];
        soft(weight - length * slope, length * self.absolute) * self.keeps[column]
    }

    /// A step of the weights of all columns along `factor`·row + mean, after which the mean has
    /// moved by `share`·row.
    #[inline(always)]
    pub(super) fn step_all(
        &self,
        weights: &mut [f64],
        means: &mut [f64],
        row: &[f64],
        (factor, share): (f64, f64),
    ) {
        let paces = self.lengths.iter().zip(&self.keeps);
        let each = weights.iter_mut().zip(means).zip(row).zip(paces);
        for (((weight, mean), x), (length, keep)) in each {
            let free = *weight - length * (factor * x + *mean);
            *weight = soft(free, length * self.absolute) * keep;
            *mean += share * x;
        }
    }

    /// So many steps along the same slope.
    ///
    /// While the sign stays, the steps are w ← κ·(w − δ) with δ = η·(g ± a) and κ = 1/(1 + η·λ),
    /// and m of them are κᵐ·w − δ·(κ + … + κᵐ). A weight changes its sign or becomes zero once at
    /// most, and the step at which it does is found by halving.
    pub(super) fn steps(&self, column: usize, weight: f64, slope: f64, times: usize) -> f64 {
        let length = self.lengths[column];
        let (mut weight, mut left) = (weight, times);
        while left > 0 {
            if self.absolute > 0.0 && weight == 0.0 && slope.abs() <= self.absolute {
                return 0.0;
            }
            let sign = match weight == 0.0 {
                true => -slope.signum(),
                false => weight.signum(),
            };
            let pull = length * (slope + sign * self.absolute);
            let after = |steps: usize| self.affine(column, weight, pull, steps);
            if self.absolute == 0.0 || sign * pull <= 0.0 {
                return after(left);
            }
            let leaves = |steps: usize| sign * after(steps) <= sign * pull;
            if !leaves(left - 1) {
                return after(left);
            }
            let stays = first(left - 1, leaves);
            weight = self.step(column, after(stays), slope);
            left -= stays + 1;
        }
        weight
    }

    /// κᵐ·w − δ·(κ + … + κᵐ).
    #[inline]
    fn affine(&self, column: usize, weight: f64, pull: f64, steps: usize) -> f64 {
        let (steps, shrink) = (steps as f64, self.lengths[column] * self.squared);
        if shrink == 0.0 {
            return weight - steps * pull;
        }
        // κᵐ − 1, with all its digits where it is small.
        let lost = (steps * self.log_keeps[column]).exp_m1();
        weight + lost * weight + pull * (lost / shrink)
    }
}

/// The value moved towards zero by the toll, but not across it.
#[inline(always)]
fn soft(value: f64, toll: f64) -> f64 {
    (value.abs() - toll).max(0.0).copysign(value)
}

/// The first number up to `last`, for which it is true, that makes the condition true; below the
/// first it is false and above it is true.
fn first(last: usize, condition: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = low + (high - low) / 2;
        match condition(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn many_steps_at_once_are_the_same_steps_one_by_one(
            weight in -2.0..2.0_f64, slope in -2.0..2.0_f64, times in 0_usize..200,
            absolute in prop::sample::select(vec![0.0, 0.3, 1.0]),
            squared in prop::sample::select(vec![0.0, 1e-9, 0.5]),
            length in prop::sample::select(vec![0.001, 0.05, 1.5]),
            at_zero: bool,
        ) {
            let paces = Paces::new(vec![length], (absolute, squared));
            let weight = if at_zero { 0.0 } else { weight };
            let mut expected = weight;
            for _ in 0..times {
                expected = paces.step(0, expected, slope);
            }
            let found = paces.steps(0, weight, slope, times);
            prop_assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{found} {expected}");
            prop_assert_eq!(found == 0.0, expected == 0.0);
        }
    }

    // Length 0.1, slope 1, price ½: a step takes 0.1 + 0.05 from a positive weight; from 0.1 the
    // slope leads to 0, where the price holds it; from there a step leads to −0.1 + 0.05.
    #[test]
    fn a_weight_that_is_pushed_hard_goes_through_zero_and_on() {
        let paces = Paces::new(vec![0.1], (0.5, 0.0));
        let path: Vec<f64> = (0..6)
            .map(|times| paces.steps(0, 0.4, 1.0, times))
            .collect();
        for (found, expected) in path.iter().zip([0.4, 0.25, 0.1, 0.0, -0.05, -0.1]) {
            assert!((found - expected).abs() < 1e-15, "{path:?}");
        }
    }
}
