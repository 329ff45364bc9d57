//! Probabilities from scores by a fitted sigmoid.

use didact_core::{Error, Result};
use didact_math::numeric::sigmoid;
use serde::{Deserialize, Serialize};

/// P(positive|f) = 1/(1 + exp(a·f + b)), by maximum likelihood on scores f of rows that did *not*
/// train the scoring model.
///
/// The targets are Platt's (n₊+1)/(n₊+2) and 1/(n₋+2) instead of one and zero, so separable scores
/// have a finite slope.
///
/// ```
/// use didact_evaluate::Platt;
/// let scores = [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0];
/// let sigmoid = Platt::fit(&scores, &[false, false, true, false, true, true], None)?;
/// assert!(sigmoid.probability(2.0) > 0.5 && sigmoid.probability(-2.0) < 0.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Platt {
    /// Slope; negative where higher scores mean positive.
    pub a: f64,
    /// Offset.
    pub b: f64,
}

impl Platt {
    /// Fits slope and offset by Newton's method with halved steps.
    pub fn fit(scores: &[f64], truth: &[bool], weights: Option<&[f64]>) -> Result<Self> {
        let lengths = weights.map_or(truth.len(), <[f64]>::len);
        if scores.len() != truth.len() || lengths != truth.len() || scores.is_empty() {
            return Err(Error::data(format!(
                "there are {} scores, {} labels and {lengths} weights; give one of each per row, and at least one row",
                scores.len(),
                truth.len()
            )));
        }
        if let Some(place) = scores.iter().position(|score| !score.is_finite()) {
            return Err(Error::data(format!(
                "score {place} is {}; every score must be a finite number",
                scores[place]
            )));
        }
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let total = |side: bool| -> f64 {
            (0..truth.len())
                .filter(|&row| truth[row] == side)
                .map(weight)
                .sum()
        };
        let (positives, negatives) = (total(true), total(false));
        let targets = (
            (positives + 1.0) / (positives + 2.0),
            1.0 / (negatives + 2.0),
        );
        // On scores of size one the two parameters have comparable curvature.
        let scale = scores
            .iter()
            .fold(0.0_f64, |largest, score| largest.max(score.abs()));
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let rows: Vec<(f64, f64, f64)> = (0..truth.len())
            .map(|row| {
                let target = if truth[row] { targets.0 } else { targets.1 };
                (scores[row] / scale, target, weight(row))
            })
            .collect();
        let start = Platt {
            a: 0.0,
            b: ((negatives + 1.0) / (positives + 1.0)).ln(),
        };
        let fitted = newton(&rows, start)?;
        Ok(Platt {
            a: fitted.a / scale,
            b: fitted.b,
        })
    }

    /// The probability that a row with this score is positive.
    pub fn probability(&self, score: f64) -> f64 {
        sigmoid(-(self.a * score + self.b))
    }
}

/// The negative log-likelihood Σ w (softplus(z) − (1 − t)·z), z = a·f + b, with its slopes and
/// bends by a and b.
#[derive(Default)]
struct Bowl {
    loss: f64,
    by_a: f64,
    by_b: f64,
    by_aa: f64,
    by_ab: f64,
    by_bb: f64,
}

impl Bowl {
    fn at(point: Platt, rows: &[(f64, f64, f64)]) -> Self {
        let mut bowl = Bowl::default();
        for &(score, target, weight) in rows {
            let z = point.a * score + point.b;
            // One exponential serves softplus(z) and sigmoid(z).
            let small = (-z.abs()).exp();
            let rising = if z >= 0.0 { 1.0 } else { small } / (1.0 + small);
            let slope = weight * (rising - (1.0 - target));
            let bend = weight * small / ((1.0 + small) * (1.0 + small));
            bowl.loss += weight * (z.max(0.0) + small.ln_1p() - (1.0 - target) * z);
            bowl.by_a += slope * score;
            bowl.by_b += slope;
            bowl.by_aa += bend * score * score;
            bowl.by_ab += bend * score;
            bowl.by_bb += bend;
        }
        bowl
    }

    /// Newton's step.
    fn step(&self) -> (f64, f64) {
        // A little on the diagonal where all scores are equal.
        let ridge = 1e-12 * (self.by_aa + self.by_bb) + f64::MIN_POSITIVE;
        let (by_aa, by_bb) = (self.by_aa + ridge, self.by_bb + ridge);
        let determinant = by_aa * by_bb - self.by_ab * self.by_ab;
        (
            (self.by_ab * self.by_b - by_bb * self.by_a) / determinant,
            (self.by_ab * self.by_a - by_aa * self.by_b) / determinant,
        )
    }
}

/// A fall of the loss by a smaller share than this is lost in the rounding of the sum.
const ROUNDING: f64 = 1e-13;

fn newton(rows: &[(f64, f64, f64)], start: Platt) -> Result<Platt> {
    let mut at = start;
    let mut bowl = Bowl::at(at, rows);
    if !bowl.loss.is_finite() {
        return Err(Error::numerical(
            "the weights are too large to fit a sigmoid; rescale them",
        ));
    }
    let total: f64 = rows.iter().map(|row| row.2).sum();
    for _ in 0..100 {
        let slope = bowl.by_a.abs().max(bowl.by_b.abs());
        if slope <= 1e-12 * total.max(f64::MIN_POSITIVE) {
            break;
        }
        let (by_a, by_b) = bowl.step();
        let moved = |share: f64| Platt {
            a: at.a + share * by_a,
            b: at.b + share * by_b,
        };
        let promise = -(bowl.by_a * by_a + bowl.by_b * by_b);
        // No loss can judge a step this small, and it needs no judge: the bends hardly change on
        // the way, so that it ends nearer to the minimum by the square of its length.
        if promise <= ROUNDING * bowl.loss && by_a.abs() + by_b.abs() <= 1e-4 {
            return Ok(moved(1.0));
        }
        match lower(rows, &bowl, promise, moved) {
            Some(better) => (at, bowl) = better,
            None => break,
        }
    }
    Ok(at)
}

/// The first of ever shorter steps that lowers the loss; none where what is promised is less than
/// its rounding.
fn lower(
    rows: &[(f64, f64, f64)],
    bowl: &Bowl,
    promise: f64,
    moved: impl Fn(f64) -> Platt,
) -> Option<(Platt, Bowl)> {
    let mut share = 1.0;
    loop {
        let next = moved(share);
        let found = Bowl::at(next, rows);
        if found.loss < bowl.loss {
            return Some((next, found));
        }
        share /= 2.0;
        if share < 1e-10 || share * promise < f64::EPSILON * bowl.loss {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Oracle: sklearn.calibration._sigmoid_calibration, whose L-BFGS was given a tolerance of
    // 1e-14; here with and without weights. 000a:SUP-41
    #[test]
    fn the_sigmoid_agrees_with_the_oracle() {
        let scores: Vec<f64> = (0..30).map(|i| ((i * 7) % 30) as f64 / 5.0 - 3.0).collect();
        let truth: Vec<bool> = (0..30)
            .map(|i| scores[i] + ((i * 11) % 7) as f64 / 2.0 > 1.6)
            .collect();
        let weights: Vec<f64> = (0..30).map(|i| 0.5 + (i % 3) as f64).collect();
        for (weights, expected) in [(None, PLATT[0]), (Some(weights.as_slice()), PLATT[1])] {
            let found = Platt::fit(&scores, &truth, weights).unwrap();
            assert!((found.a - expected.0).abs() < 1e-6, "{found:?}");
            assert!((found.b - expected.1).abs() < 1e-6, "{found:?}");
        }
    }

    const PLATT: [(f64, f64); 2] = [
        (-1.3380496082029232, 0.41422067962886305),
        (-1.5711101887983125, 0.831467343192),
    ];

    // Where falls of the loss are lost in its rounding, the search once halved its step thirty
    // times for nothing and ended with half of the digits.
    #[test]
    fn the_slopes_of_many_rows_vanish() {
        for n in [500, 4000, 7000] {
            let scores: Vec<f64> = (0..n).map(|i| (i as f64 * 0.618_034).fract()).collect();
            let truth: Vec<bool> = (0..n)
                .map(|i| (i as f64 * 0.754_877_67).fract() < sigmoid(6.0 * scores[i] - 2.0))
                .collect();
            let found = Platt::fit(&scores, &truth, None).unwrap();
            let count = |side: bool| truth.iter().filter(|&&is| is == side).count() as f64;
            let targets = (
                (count(true) + 1.0) / (count(true) + 2.0),
                1.0 / (count(false) + 2.0),
            );
            let rows: Vec<(f64, f64, f64)> = (0..n)
                .map(|i| (scores[i], if truth[i] { targets.0 } else { targets.1 }, 1.0))
                .collect();
            let bowl = Bowl::at(found, &rows);
            let slope = bowl.by_a.abs().max(bowl.by_b.abs()) / n as f64;
            assert!(slope <= 1e-12, "{n}: {slope}");
        }
    }

    #[test]
    fn separable_and_constant_scores_have_finite_slopes() {
        let apart = Platt::fit(&[-1.0, -2.0, 1.0, 2.0], &[false, false, true, true], None).unwrap();
        assert!(apart.a < 0.0 && apart.a.is_finite());
        let constant = Platt::fit(&[3.0; 4], &[true, false, true, true], None).unwrap();
        // Three of four, by Platt's targets: 3·(4/5) + 1/3 of 4.
        assert!((constant.probability(3.0) - (3.0 * 0.8 + 1.0 / 3.0) / 4.0).abs() < 1e-6);
        let huge = Platt::fit(&[-1e300, 1e300], &[false, true], None).unwrap();
        assert!(huge.probability(1e300) > 0.5);
        assert!(Platt::fit(&[f64::NAN], &[true], None).is_err());
        assert!(Platt::fit(&[1.0], &[], None).is_err());
        let one_class = Platt::fit(&[1.0, 2.0], &[true, true], None).unwrap();
        assert!(one_class.probability(1.0) > 0.5);
    }
}
