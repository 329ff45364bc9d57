//! The inner loops over dense rows, for use within [`vectorised`](didact_math::vectorised).

use crate::centred::LANES;
use didact_math::vectorised::exponential;

/// Rows of a block that is worked on at once, small enough for the cache.
pub(super) const BLOCK: usize = 64;

/// What some rows add: their losses, and the smallest margin.
pub(super) struct Settled {
    pub(super) loss: f64,
    pub(super) smallest_margin: f64,
}

/// Replaces the scores s of rows by the derivatives of ln(1 + e⁻ᵐ) by them, where the margin m is
/// s or −s by the sign of the row. Whole lanes only; a lane beyond the rows has the largest
/// score, and then adds nothing.
#[inline(always)]
pub(super) fn settle_single(scores: &mut [[f64; LANES]], signs: &[[f64; LANES]]) -> Settled {
    // The sum of logarithms is the logarithm of a product, which cannot overflow: each of its at
    // most a hundred factors 1 + e⁻ᵐ is at most two. What 1 + e⁻ᵐ rounds away is added apart.
    let mut product = [1.0; LANES];
    let mut hinge = [0.0; LANES];
    let mut rounded_away = [0.0; LANES];
    let mut smallest = [f64::MAX; LANES];
    for (scores, signs) in scores.iter_mut().zip(signs) {
        for lane in 0..LANES {
            let margin = signs[lane] * scores[lane];
            let small = exponential(-margin.abs());
            let factor = 1.0 + small;
            product[lane] *= factor;
            rounded_away[lane] += (small - (factor - 1.0)) / factor;
            // Zero times a score that has overflown is NaN, which must not be lost.
            let negative = if margin < 0.0 { -margin } else { 0.0 };
            hinge[lane] += 0.0_f64.mul_add(margin, negative);
            smallest[lane] = if margin < smallest[lane] {
                margin
            } else {
                smallest[lane]
            };
            // σ(s) − y, which is not the printed form with the label inside the sigmoid.
            let wrong = if margin >= 0.0 { small } else { 1.0 } / factor;
            scores[lane] = -signs[lane] * wrong;
        }
    }
    let mut settled = Settled {
        loss: 0.0,
        smallest_margin: f64::MAX,
    };
    for lane in 0..LANES {
        settled.loss += hinge[lane] + rounded_away[lane] + product[lane].ln();
        settled.smallest_margin = settled.smallest_margin.min(smallest[lane]);
    }
    settled
}

/// Takes the center from rows.
#[inline(always)]
pub(super) fn subtract_center(rows: &[f64], center: &[f64], output: &mut [f64]) {
    let d = center.len();
    for (row, output) in rows.chunks_exact(d).zip(output.chunks_exact_mut(d)) {
        for ((output, value), center) in output.iter_mut().zip(row).zip(center) {
            *output = value - center;
        }
    }
}

/// The class of each row of a block, and how much the row counts; nothing beyond the rows.
pub(super) struct Targets {
    pub(super) places: [f64; BLOCK],
    pub(super) counts: [f64; BLOCK],
}

impl Default for Targets {
    fn default() -> Self {
        Targets {
            places: [0.0; BLOCK],
            counts: [0.0; BLOCK],
        }
    }
}

/// Replaces the scores of a block of rows, one line for each class, by the derivatives of the
/// losses −ln(eˢ / Σ eˢ) by them; the offsets of the scores are not in them yet.
#[inline(always)]
pub(super) fn settle_several(
    lines: &mut [[f64; BLOCK]],
    offsets: &[f64],
    targets: &Targets,
) -> Settled {
    let Targets { places, counts } = targets;
    let (mut own, mut rival) = ([0.0; BLOCK], [f64::NEG_INFINITY; BLOCK]);
    // Zero times a score that has overflown is NaN, which must not be lost.
    let mut spoilt = [0.0; BLOCK];
    for ((class, line), offset) in lines.iter_mut().enumerate().zip(offsets) {
        let class = class as f64;
        for row in 0..BLOCK {
            // What is left beyond the rows of a short block must not spoil them.
            let score = if counts[row] > 0.0 {
                line[row] + offset
            } else {
                0.0
            };
            line[row] = score;
            let is_own = places[row] == class;
            own[row] = if is_own { score } else { own[row] };
            let other = if is_own { f64::NEG_INFINITY } else { score };
            rival[row] = if other > rival[row] {
                other
            } else {
                rival[row]
            };
            spoilt[row] = score.mul_add(0.0, spoilt[row]);
        }
    }
    let mut largest = [0.0; BLOCK];
    for row in 0..BLOCK {
        largest[row] = if own[row] > rival[row] {
            own[row]
        } else {
            rival[row]
        };
    }
    let mut totals = [0.0; BLOCK];
    for line in lines.iter_mut() {
        for row in 0..BLOCK {
            line[row] = exponential(line[row] - largest[row]);
            totals[row] += line[row];
        }
    }
    let mut factors = [0.0; BLOCK];
    for row in 0..BLOCK {
        factors[row] = counts[row] / totals[row];
    }
    for (class, line) in lines.iter_mut().enumerate() {
        let class = class as f64;
        for row in 0..BLOCK {
            let target = if places[row] == class {
                counts[row]
            } else {
                0.0
            };
            line[row] = line[row] * factors[row] - target;
        }
    }
    let mut settled = Settled {
        loss: 0.0,
        smallest_margin: f64::MAX,
    };
    for row in (0..BLOCK).filter(|&row| counts[row] > 0.0) {
        let loss = (largest[row] - own[row]) + totals[row].ln() + spoilt[row];
        settled.loss += counts[row] * loss;
        settled.smallest_margin = settled.smallest_margin.min(own[row] - rival[row]);
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_keep_their_digits_from_tiny_to_huge_margins_and_a_nan_is_not_lost() {
        let margins = [50.0, 700.0, -700.0, 0.0, -3.0, 1e-9, 20.0, f64::MAX];
        for signs in [[1.0; LANES], [-1.0; LANES]] {
            let mut scores = [std::array::from_fn(|lane| signs[lane] * margins[lane])];
            let settled = settle_single(&mut scores, &[signs]);
            let expected: f64 = margins[..7]
                .iter()
                .map(|m| (-m).max(0.0) + (-m.abs()).exp().ln_1p())
                .sum();
            assert!((settled.loss / expected - 1.0).abs() < 1e-14);
            assert_eq!(settled.smallest_margin, -700.0);
            for lane in 0..7 {
                let slope = -signs[lane] / (1.0 + margins[lane].exp());
                assert!((scores[0][lane] - slope).abs() <= 1e-15 * slope.abs().max(1e-300));
            }
            assert_eq!(scores[0][7], 0.0);
        }
        let mut spoilt = [[f64::NAN; LANES]];
        assert!(settle_single(&mut spoilt, &[[1.0; LANES]]).loss.is_nan());
        // A single tiny loss is far below the rounding of 1 + e⁻ᵐ.
        let mut far = [[40.0; LANES]];
        let settled = settle_single(&mut far, &[[1.0; LANES]]);
        assert!((settled.loss / (8.0 * (-40.0_f64).exp()) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn several_scores_have_the_losses_and_slopes_of_the_softmax() {
        let mut lines = [[0.0; BLOCK]; 3];
        let offsets = [0.5, -0.25, 0.0];
        let mut targets = Targets::default();
        for row in 0..5 {
            targets.places[row] = (row % 3) as f64;
            targets.counts[row] = 0.5 + row as f64;
            for (class, line) in lines.iter_mut().enumerate() {
                line[row] = (row as f64 * 1.7 + class as f64 * 0.9).sin() * 300.0;
            }
        }
        // What an earlier block has left behind.
        lines[1][7] = f64::NAN;
        let scores = lines;
        let settled = settle_several(&mut lines, &offsets, &targets);
        let (mut loss, mut smallest) = (0.0, f64::INFINITY);
        for row in 0..5 {
            let of_row: Vec<f64> = (0..3)
                .map(|class| scores[class][row] + offsets[class])
                .collect();
            let total = didact_math::numeric::log_sum_exp(&of_row);
            let (own, count) = (row % 3, targets.counts[row]);
            loss += count * (total - of_row[own]);
            for class in 0..3 {
                let target = f64::from(u8::from(class == own));
                let slope = count * ((of_row[class] - total).exp() - target);
                assert!((lines[class][row] - slope).abs() < 1e-13);
                if class != own {
                    smallest = f64::min(smallest, of_row[own] - of_row[class]);
                }
            }
        }
        assert!((settled.loss / loss - 1.0).abs() < 1e-14);
        assert_eq!(settled.smallest_margin, smallest);
        lines[2][0] = f64::INFINITY;
        assert!(settle_several(&mut lines, &offsets, &targets).loss.is_nan());
    }
}
