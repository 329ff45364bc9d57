//! Probabilities from scores by a fitted sigmoid.

use didact_core::{Error, Result};
use didact_math::numeric::{sigmoid, softplus};
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

    /// Σ w (softplus(z) − (1 − t)·z), z = a·f + b: the negative log-likelihood.
    fn loss(&self, rows: &[(f64, f64, f64)]) -> f64 {
        let one = |&(score, target, weight): &(f64, f64, f64)| {
            let z = self.a * score + self.b;
            weight * (softplus(z) - (1.0 - target) * z)
        };
        rows.iter().map(one).sum()
    }
}

fn newton(rows: &[(f64, f64, f64)], start: Platt) -> Result<Platt> {
    let mut at = start;
    let mut loss = at.loss(rows);
    if !loss.is_finite() {
        return Err(Error::numerical(
            "the weights are too large to fit a sigmoid; rescale them",
        ));
    }
    let total: f64 = rows.iter().map(|row| row.2).sum();
    for _ in 0..100 {
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(score, target, weight) in rows {
            let p = at.probability(score);
            let slope = weight * (target - p);
            let bend = weight * p * (1.0 - p);
            ga += slope * score;
            gb += slope;
            haa += bend * score * score;
            hab += bend * score;
            hbb += bend;
        }
        if ga.abs().max(gb.abs()) <= 1e-12 * total.max(f64::MIN_POSITIVE) {
            break;
        }
        // A little on the diagonal where all scores are equal.
        let ridge = 1e-12 * (haa + hbb) + f64::MIN_POSITIVE;
        let (haa, hbb) = (haa + ridge, hbb + ridge);
        let determinant = haa * hbb - hab * hab;
        let (da, db) = (
            (hbb * ga - hab * gb) / determinant,
            (haa * gb - hab * ga) / determinant,
        );
        let mut step = 1.0;
        let better = loop {
            let next = Platt {
                a: at.a - step * da,
                b: at.b - step * db,
            };
            let value = next.loss(rows);
            if value < loss {
                break Some((next, value));
            }
            step /= 2.0;
            if step < 1e-10 {
                break None;
            }
        };
        match better {
            Some((next, value)) => (at, loss) = (next, value),
            None => break,
        }
    }
    Ok(at)
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
