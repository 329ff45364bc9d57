//! The loops over all points that a step consists of, compiled for the processor at hand.

use crate::gram::{Row, Stored};
use didact_math::vectorised::vectorised;

/// Points of which the best is looked for together; then only the best block is searched again.
const BLOCK: usize = 64;

/// Points that are compared side by side.
const LANES: usize = 8;

/// scores += step·(up − down).
pub(super) fn move_scores(scores: &mut [f64], step: f64, up: Row<'_>, down: Row<'_>) {
    match (up, down) {
        (Row::Single(up), Row::Single(down)) => add_difference(scores, step, up, down),
        (Row::Double(up), Row::Double(down)) => add_difference(scores, step, up, down),
        _ => unreachable!("all rows are stored alike"),
    }
}

fn add_difference<T: Stored>(scores: &mut [f64], step: f64, up: &[T], down: &[T]) {
    vectorised(
        #[inline(always)]
        || {
            for ((score, up), down) in scores.iter_mut().zip(up).zip(down) {
                *score += step * (up.value() - down.value());
            }
        },
    );
}

/// The least sum of a score and its offset, and the first place that has it.
pub(super) fn lowest(scores: &[f64], offsets: &[f64]) -> (f64, usize) {
    vectorised(
        #[inline(always)]
        || {
            let (mut least, mut best) = (f64::INFINITY, 0);
            let blocks = scores.chunks(BLOCK).zip(offsets.chunks(BLOCK));
            for (block, (scores, offsets)) in blocks.enumerate() {
                let found = least_of_block(scores, offsets);
                if found < least {
                    (least, best) = (found, block * BLOCK);
                }
            }
            let place = (best..scores.len()).find(|&place| scores[place] + offsets[place] == least);
            (least, place.unwrap_or(best))
        },
    )
}

#[inline(always)]
fn least_of_block(scores: &[f64], offsets: &[f64]) -> f64 {
    let mut least = [f64::INFINITY; LANES];
    let ((scores, last_scores), (offsets, last_offsets)) =
        (scores.as_chunks::<LANES>(), offsets.as_chunks::<LANES>());
    for (scores, offsets) in scores.iter().zip(offsets) {
        for lane in 0..LANES {
            least[lane] = smaller(scores[lane] + offsets[lane], least[lane]);
        }
    }
    let last = last_scores.iter().zip(last_offsets).map(|(a, b)| a + b);
    last.chain(least).fold(f64::INFINITY, |a, b| smaller(b, a))
}

/// A multiplier that is to rise, and looks for one that falls in its place.
#[derive(Clone, Copy)]
pub(super) struct Riser {
    /// Its gradient.
    pub(super) gradient: f64,
    /// The kernel of its point with itself.
    pub(super) own: f64,
    /// The least curvature that is believed.
    pub(super) flattest: f64,
}

/// What a riser can expect of those that may fall.
#[derive(Clone, Copy)]
pub(super) struct Prospect {
    /// By how much the highest gradient exceeds that of the riser.
    pub(super) violation: f64,
    /// How much the best of them gains, twice.
    pub(super) gain: f64,
    /// Its place.
    pub(super) place: usize,
}

/// Looks for the multiplier which together with the riser lowers the objective most: v²/η for the
/// difference v of the gradients and the curvature η along the pair.
///
/// The row is the kernel of the riser's point with all points.
pub(super) fn best_partner(
    riser: Riser,
    row: Row<'_>,
    scores: &[f64],
    offsets: &[f64],
    diagonal: &[f64],
) -> Prospect {
    match row {
        Row::Single(row) => best_of_all(riser, row, scores, offsets, diagonal),
        Row::Double(row) => best_of_all(riser, row, scores, offsets, diagonal),
    }
}

fn best_of_all<T: Stored>(
    riser: Riser,
    row: &[T],
    scores: &[f64],
    offsets: &[f64],
    diagonal: &[f64],
) -> Prospect {
    vectorised(
        #[inline(always)]
        || {
            let mut best = Prospect {
                violation: f64::NEG_INFINITY,
                gain: f64::NEG_INFINITY,
                place: 0,
            };
            let mut start = 0;
            while start < scores.len() {
                let end = (start + BLOCK).min(scores.len());
                let (violation, gain) = best_of_block(
                    riser,
                    &row[start..end],
                    &scores[start..end],
                    &offsets[start..end],
                    &diagonal[start..end],
                );
                best.violation = larger(violation, best.violation);
                if gain > best.gain {
                    (best.gain, best.place) = (gain, start);
                }
                start = end;
            }
            let gain = |place: usize| {
                promise(
                    riser,
                    scores[place] + offsets[place],
                    diagonal[place],
                    row[place].value(),
                )
                .1
            };
            let from = best.place;
            best.place = (from..scores.len())
                .find(|&place| gain(place) == best.gain)
                .unwrap_or(from);
            best
        },
    )
}

#[inline(always)]
fn best_of_block<T: Stored>(
    riser: Riser,
    row: &[T],
    scores: &[f64],
    offsets: &[f64],
    diagonal: &[f64],
) -> (f64, f64) {
    let mut violations = [f64::NEG_INFINITY; LANES];
    let mut gains = [f64::NEG_INFINITY; LANES];
    let (scores, last_scores) = scores.as_chunks::<LANES>();
    let (offsets, last_offsets) = offsets.as_chunks::<LANES>();
    let (diagonal, last_diagonal) = diagonal.as_chunks::<LANES>();
    let (row, last_row) = row.as_chunks::<LANES>();
    for group in 0..scores.len() {
        for lane in 0..LANES {
            let gradient = scores[group][lane] + offsets[group][lane];
            let kernel = row[group][lane].value();
            let (violation, gain) = promise(riser, gradient, diagonal[group][lane], kernel);
            violations[lane] = larger(violation, violations[lane]);
            gains[lane] = larger(gain, gains[lane]);
        }
    }
    for place in 0..last_scores.len() {
        let gradient = last_scores[place] + last_offsets[place];
        let kernel = last_row[place].value();
        let (violation, gain) = promise(riser, gradient, last_diagonal[place], kernel);
        violations[0] = larger(violation, violations[0]);
        gains[0] = larger(gain, gains[0]);
    }
    let most = |values: [f64; LANES]| {
        values
            .into_iter()
            .fold(f64::NEG_INFINITY, |a, b| larger(b, a))
    };
    (most(violations), most(gains))
}

/// The difference of the gradients, and the gain of a step with this partner.
#[inline(always)]
fn promise(riser: Riser, gradient: f64, diagonal: f64, kernel: f64) -> (f64, f64) {
    let violation = gradient - riser.gradient;
    let curvature = larger(riser.own + diagonal - 2.0 * kernel, riser.flattest);
    let gain = violation * violation / curvature;
    (
        violation,
        if violation > 0.0 {
            gain
        } else {
            f64::NEG_INFINITY
        },
    )
}

/// Comparisons that become one instruction; the library's also look after NaN.
#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize, frequency: f64) -> Vec<f64> {
        (0..n).map(|i| (i as f64 * frequency).sin()).collect()
    }

    #[test]
    fn the_first_of_the_lowest_sums_is_found_whatever_the_number_of_points() {
        for n in [1, 7, 8, 63, 64, 65, 200, 1001] {
            let (scores, mut offsets) = (wave(n, 0.7), wave(n, 1.3));
            offsets[n / 2] = f64::INFINITY;
            let sums: Vec<f64> = scores.iter().zip(&offsets).map(|(a, b)| a + b).collect();
            let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
            let place = sums.iter().position(|&sum| sum == least).unwrap();
            assert_eq!(lowest(&scores, &offsets), (least, place), "{n}");
        }
        assert_eq!(lowest(&[1.0], &[f64::INFINITY]).0, f64::INFINITY);
    }

    #[test]
    fn the_partner_of_most_gain_is_found_whatever_the_number_of_points() {
        for n in [1, 8, 65, 130, 999] {
            let (scores, mut offsets) = (wave(n, 0.7), wave(n, 1.3));
            offsets[n / 3] = f64::NEG_INFINITY;
            let (row, diagonal) = (wave(n, 0.4), vec![1.0; n]);
            let riser = Riser {
                gradient: -0.5,
                own: 1.0,
                flattest: 1e-12,
            };
            let found = best_partner(riser, Row::Double(&row), &scores, &offsets, &diagonal);
            let violation = |j: usize| scores[j] + offsets[j] + 0.5;
            let gain = |j: usize| match violation(j) > 0.0 {
                true => violation(j).powi(2) / (2.0 - 2.0 * row[j]).max(1e-12),
                false => f64::NEG_INFINITY,
            };
            let most = (0..n).map(gain).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(found.gain, most, "{n}");
            if most > f64::NEG_INFINITY {
                assert_eq!(Some(found.place), (0..n).find(|&j| gain(j) == most));
            }
            let highest = (0..n).map(violation).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(found.violation, highest);
        }
    }
}
