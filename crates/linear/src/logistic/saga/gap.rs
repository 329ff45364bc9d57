//! How far the objective is from the least one at most.

use super::super::LogisticRegression;
use super::super::evaluation::{Examples, Weights};
use super::super::frame::Frame;
use crate::online;
use crate::rows::linear_scores;
use didact_core::{Result, Run};
use didact_math::numeric::{log_sum_exp, sigmoid};

impl LogisticRegression {
    /// The duality gap where weights have a price, else nothing.
    ///
    /// With the prices a of |w| and λ of ½w², any probabilities p give a lower bound on the
    /// objective: their entropy, less Σ (|vⱼ| − a)₊²/(2λ) for the slopes v = Σ (p − y)·x; without
    /// λ no slope may exceed a, which moving p towards the labels y achieves. Where the slope by
    /// an offset is not zero, the bound is moved by it times the offset.
    pub(super) fn duality_gap(
        &self,
        frame: &Frame,
        examples: &Examples<'_>,
        rows: &online::Examples<'_>,
        weights: &Weights,
        run: &Run,
    ) -> Result<Option<f64>> {
        let (absolute, squared) = self.prices();
        if (absolute, squared) == (0.0, 0.0) {
            return Ok(None);
        }
        let evaluation = examples.evaluate(frame, weights, run)?;
        let (objective, _) = frame.certificate(weights, &evaluation, (absolute, squared));
        let d = frame.center.len();
        let (mut share, mut paid, mut missed) = (1.0_f64, 0.0, 0.0);
        for (slopes, offset) in evaluation.gradient.rows().into_iter().zip(&weights.offsets) {
            for slope in slopes.iter().take(d) {
                let over = (slope.abs() - absolute).max(0.0);
                match squared > 0.0 {
                    true => paid += 0.5 * over * over / squared,
                    false if over > 0.0 => share = share.min(absolute / slope.abs()),
                    false => {}
                }
            }
            missed += (slopes[d] * offset).abs();
        }
        let intercepts = frame.intercepts(weights).to_vec();
        let scores = linear_scores(rows.rows(), weights.coef.view(), &intercepts)?;
        let mut entropy = 0.0;
        for (row, scores) in scores.rows().into_iter().enumerate() {
            if row % online::BREATH == 0 {
                run.check()?;
            }
            let scores = scores
                .to_slice()
                .expect("rows of a new array are contiguous");
            entropy += rows.counts[row] * moved_entropy(scores, rows.places[row], share);
        }
        let gap = (objective - (entropy - paid)).max(0.0) + missed;
        Ok(gap.is_finite().then_some(gap))
    }
}

/// The entropy of the probabilities of a row that are moved towards its label.
fn moved_entropy(scores: &[f64], place: usize, share: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    let total = log_sum_exp(scores);
    let moved = |class: usize, p: f64| match class == place {
        true => 1.0 - share * (1.0 - p),
        false => share * p,
    };
    match scores {
        [score] => term(moved(0, sigmoid(-score))) + term(moved(1, sigmoid(*score))),
        _ => {
            let each = scores.iter().enumerate();
            each.map(|(class, score)| term(moved(class, (score - total).exp())))
                .sum()
        }
    }
}
