//! The secular equation, whose roots are the eigenvalues of a diagonal matrix plus a matrix of
//! rank one.

use crate::vectorised::vectorised;
use faer::{ColMut, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;

/// From this many roots on they are shared out.
const SHARED: usize = 64;

/// How many roots one task finds.
const ROOTS_PER_TASK: usize = 16;

/// For how many poles one task finds the shares.
const POLES_PER_TASK: usize = 128;

/// Halving alone separates any two numbers of an interval in fewer steps; interpolation takes four
/// or five.
const MOST_STEPS: usize = 120;

/// How many terms are summed side by side.
const LANES: usize = 8;

/// The equation 1 ⁄ ρ + Σᵢ wᵢ ⁄ (δᵢ − λ) = 0, with one root to the right of every δᵢ.
pub(super) struct Secular<'a> {
    /// The δᵢ, each larger than the one before.
    pub(super) poles: &'a [f64],
    /// The wᵢ, all positive.
    pub(super) weights: &'a [f64],
    /// ρ, positive.
    pub(super) strength: f64,
}

/// A sum Σ wᵢ ⁄ (δᵢ − λ) and its derivative.
#[derive(Clone, Copy, Default)]
struct Side {
    value: f64,
    slope: f64,
}

impl Secular<'_> {
    /// The root between pole `j` and the next; `gaps` become the differences δᵢ − λ.
    ///
    /// The root is sought as the distance from the nearer pole, so that no digit of the differences
    /// is lost. The sums over the poles on its left and on its right are each replaced by
    /// a constant and one pole with the same value and slope; where that leads out of the interval
    /// known to hold the root, the interval is halved.
    pub(super) fn root(&self, j: usize, gaps: &mut [f64]) -> f64 {
        let (origin, mut low, mut high) = self.bracket(j);
        let mut offset = 0.5 * (low + high);
        for _ in 0..MOST_STEPS {
            let [left, right] = self.sides(j, origin, offset);
            let value = self.strength.recip() + left.value + right.value;
            let terms = self.strength.recip() + right.value - left.value;
            let slope = left.slope + right.slope;
            if value.abs() <= f64::EPSILON * (8.0 * terms + offset.abs() * slope) {
                break;
            }
            match value < 0.0 {
                true => low = offset,
                false => high = offset,
            }
            let distance = |pole: &f64| (pole - origin) - offset;
            let step = match self.poles[j..] {
                [pole] => step_to_one(value, left.slope, distance(&pole)),
                [ref before, ref after, ..] => step_between(
                    value,
                    left.slope,
                    right.slope,
                    distance(before),
                    distance(after),
                ),
                [] => unreachable!("there is a pole for every root"),
            };
            let mut moved = offset + step;
            if !(low < moved && moved < high) {
                moved = 0.5 * (low + high);
            }
            if !(low < moved && moved < high) {
                break;
            }
            offset = moved;
        }
        for (gap, pole) in gaps.iter_mut().zip(self.poles) {
            *gap = (pole - origin) - offset;
        }
        origin + offset
    }

    /// The pole nearest to root `j` and the interval of distances from it that holds the root.
    fn bracket(&self, j: usize) -> (f64, f64, f64) {
        let pole = self.poles[j];
        let next = self.poles.get(j + 1);
        let width = match next {
            Some(next) => next - pole,
            // The trace grows by ρ·Σwᵢ, and no value falls.
            None => self.strength * self.weights.iter().sum::<f64>() * (1.0 + 1e-12),
        };
        let middle = 0.5 * width;
        let [left, right] = self.sides(j, pole, middle);
        let beyond = self.strength.recip() + left.value + right.value < 0.0;
        match (beyond, next) {
            (false, _) => (pole, 0.0, middle),
            (true, Some(&next)) => (next, -middle, 0.0),
            (true, None) => (pole, middle, width),
        }
    }

    /// The sums over the poles up to `j` and over the others, at this distance from the origin.
    fn sides(&self, j: usize, origin: f64, offset: f64) -> [Side; 2] {
        let over = |poles: Range<usize>| {
            side(
                &self.poles[poles.clone()],
                &self.weights[poles],
                origin,
                offset,
            )
        };
        [over(0..j + 1), over(j + 1..self.poles.len())]
    }
}

/// The step to the zero of c + s ⁄ (Δ − η), which has this value and slope at η = 0.
fn step_to_one(value: f64, slope: f64, distance: f64) -> f64 {
    let constant = value - distance * slope;
    distance + distance * distance * slope / constant
}

/// The step to the zero between the poles of c + s ⁄ (Δ − η) + t ⁄ (Θ − η), whose two fractions
/// have these slopes at η = 0.
fn step_between(value: f64, left_slope: f64, right_slope: f64, before: f64, after: f64) -> f64 {
    let constant = value - before * left_slope - after * right_slope;
    let linear = (before + after) * value - before * after * (left_slope + right_slope);
    let free = before * after * value;
    let root = (linear * linear - 4.0 * free * constant).max(0.0).sqrt();
    // Whichever form of the quadratic's root does not cancel.
    match linear <= 0.0 {
        true => (linear - root) / (2.0 * constant),
        false => 2.0 * free / (linear + root),
    }
}

fn side(poles: &[f64], weights: &[f64], origin: f64, offset: f64) -> Side {
    vectorised(
        #[inline(always)]
        || {
            let mut sums = [Side::default(); LANES];
            let (poles, last_poles) = poles.as_chunks::<LANES>();
            let (weights, last_weights) = weights.as_chunks::<LANES>();
            for (poles, weights) in poles.iter().zip(weights) {
                for lane in 0..LANES {
                    sums[lane].add(poles[lane] - origin - offset, weights[lane]);
                }
            }
            let last = last_poles.iter().zip(last_weights);
            for (sum, (pole, weight)) in sums.iter_mut().zip(last) {
                sum.add(pole - origin - offset, *weight);
            }
            Side {
                value: sums.iter().map(|sum| sum.value).sum(),
                slope: sums.iter().map(|sum| sum.slope).sum(),
            }
        },
    )
}

impl Side {
    #[inline(always)]
    fn add(&mut self, gap: f64, weight: f64) {
        let reciprocal = gap.recip();
        let term = weight * reciprocal;
        self.value += term;
        self.slope = term.mul_add(reciprocal, self.slope);
    }
}

/// The zᵢ for which the roots that were found are exact (Löwner):
/// ρ·zᵢ² = Πⱼ (λⱼ − δᵢ) ⁄ Πⱼ≠ᵢ (δⱼ − δᵢ), up to ρ, from the differences δᵢ − λⱼ.
pub(super) fn exact_shares(
    gaps: MatRef<'_, f64>,
    poles: &[f64],
    shares: &[f64],
    parts: Par,
) -> Vec<f64> {
    let mut squares = vec![1.0; poles.len()];
    let work = |(task, squares): (usize, &mut [f64])| {
        multiply_squares(gaps, poles, task * POLES_PER_TASK, squares);
    };
    match parts == Par::Seq || poles.len() < SHARED {
        true => multiply_squares(gaps, poles, 0, &mut squares),
        false => squares
            .par_chunks_mut(POLES_PER_TASK)
            .enumerate()
            .for_each(work),
    }
    let signed = squares.iter().zip(shares);
    signed
        .map(|(square, share)| square.max(0.0).sqrt().copysign(*share))
        .collect()
}

/// Multiplies the squares of some poles, from the first one on, by their factors.
fn multiply_squares(gaps: MatRef<'_, f64>, poles: &[f64], first: usize, squares: &mut [f64]) {
    let end = first + squares.len();
    for (j, &pole) in poles.iter().enumerate() {
        let gaps = gaps.col(j).try_as_col_major().expect("whole columns");
        let gaps = gaps.as_slice();
        let own = j.clamp(first, end);
        vectorised(
            #[inline(always)]
            || {
                for range in [first..own, (j + 1).clamp(first, end)..end] {
                    let terms = gaps[range.clone()].iter().zip(&poles[range.clone()]);
                    let squares = &mut squares[range.start - first..range.end - first];
                    for (square, (gap, other)) in squares.iter_mut().zip(terms) {
                        *square *= gap / (other - pole);
                    }
                }
            },
        );
        if (first..end).contains(&j) {
            squares[j - first] *= -gaps[j];
        }
    }
}

/// Works on every column and its value, on all threads where that is worth while.
pub(super) fn for_each_column(
    columns: MatMut<'_, f64>,
    values: &mut [f64],
    parts: Par,
    work: impl Fn(usize, &mut [f64], &mut f64) + Sync,
) {
    let one = |j: usize, column: ColMut<'_, f64>, value: &mut f64| {
        let column = column.try_as_col_major_mut().expect("whole columns");
        work(j, column.as_slice_mut(), value);
    };
    if parts == Par::Seq || values.len() < SHARED {
        for (j, (column, value)) in columns.col_iter_mut().zip(values).enumerate() {
            one(j, column, value);
        }
        return;
    }
    columns
        .par_col_chunks_mut(ROOTS_PER_TASK)
        .zip(values.par_chunks_mut(ROOTS_PER_TASK))
        .enumerate()
        .for_each(|(task, (columns, values))| {
            for (j, (column, value)) in columns.col_iter_mut().zip(values).enumerate() {
                one(task * ROOTS_PER_TASK + j, column, value);
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    // One pole: 1 ⁄ ρ + w ⁄ (δ − λ) = 0 at λ = δ + ρ·w.
    #[test]
    fn the_root_of_one_pole_is_known() {
        let secular = Secular {
            poles: &[2.0],
            weights: &[0.25],
            strength: 3.0,
        };
        let mut gaps = [0.0];
        assert!((secular.root(0, &mut gaps) - 2.75).abs() < 1e-15);
        assert!((gaps[0] + 0.75).abs() < 1e-15);
    }

    // diag(0, 1) + ½·(1, 1)(1, 1)ᵀ has λ² − 2λ + ½ = 0: λ = 1 ± √½.
    #[test]
    fn the_roots_of_two_poles_solve_their_quadratic() {
        let secular = Secular {
            poles: &[0.0, 1.0],
            weights: &[0.5, 0.5],
            strength: 1.0,
        };
        let mut gaps = [0.0; 2];
        let half = 0.5_f64.sqrt();
        assert!((secular.root(0, &mut gaps) - (1.0 - half)).abs() < 1e-15);
        assert!((secular.root(1, &mut gaps) - (1.0 + half)).abs() < 1e-15);
        assert!((gaps[1] + half).abs() < 1e-15);
    }

    // With a weight of 10⁻³⁰ the root leaves its pole by some 10⁻³⁰, which no double near 1 shows.
    #[test]
    fn a_root_that_sits_on_its_pole_keeps_its_distance() {
        let secular = Secular {
            poles: &[1.0, 2.0, 3.0],
            weights: &[1e-30, 0.5, 0.5],
            strength: 1.0,
        };
        let mut gaps = [0.0; 3];
        assert_eq!(secular.root(0, &mut gaps), 1.0);
        // 1 + 0.5 ⁄ 1 + 0.5 ⁄ 2 = 1.75 = 10⁻³⁰ ⁄ distance.
        assert!((gaps[0] * -1.75e30 - 1.0).abs() < 1e-12, "{}", gaps[0]);
    }
}
