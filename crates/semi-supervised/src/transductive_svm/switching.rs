//! The search by switching labels.

use super::one_against_rest::positives_of;
use didact_core::{
    Classes, Fit, Labelled, Result, Run, Samples, Scores, StopReason, Trace, TraceWriter,
};
use didact_svm::{Svc, SvcModel};

/// The first cost of a negative row without a class.
const FIRST_COST: f64 = 1e-5;

/// Two classes, some rows of which are known.
pub(super) struct Switching<'a> {
    pub(super) samples: Samples<'a>,
    /// +1 or −1 where the class is known.
    pub(super) signs: &'a [Option<f64>],
    /// The machine with the cost of known rows.
    pub(super) machine: &'a Svc,
    /// The last cost of the other rows.
    pub(super) cost: f64,
    /// The share of the other rows that are positive; that of the known ones where absent.
    pub(super) share: Option<f64>,
}

/// A machine and the signs that it was taught.
pub(super) struct Switched {
    pub(super) model: SvcModel,
    pub(super) signs: Vec<f64>,
    pub(super) trace: Trace,
}

/// The costs of a unit within the margin.
#[derive(Clone, Copy)]
struct Costs {
    positive: f64,
    negative: f64,
}

impl Switching<'_> {
    pub(super) fn search(&self, run: &Run) -> Result<Switched> {
        let of = |known: bool| -> Vec<usize> {
            let rows = 0..self.signs.len();
            rows.filter(|&row| self.signs[row].is_some() == known)
                .collect()
        };
        let (known, unknown) = (of(true), of(false));
        let mut trace = TraceWriter::new(run, "objective", None);
        let mut signs: Vec<f64> = self.signs.iter().map(|sign| sign.unwrap_or(-1.0)).collect();
        let start = {
            let chosen: Vec<f64> = known.iter().map(|&row| signs[row]).collect();
            self.teach(&self.samples.select(&known), &chosen, run)?
        };
        if unknown.is_empty() {
            let trace = trace.finish(StopReason::Converged);
            return Ok(Switched {
                model: start,
                signs,
                trace,
            });
        }
        let positives = self.positives(&known, unknown.len());
        let scores = self.scores(&start)?;
        let mut order = unknown.clone();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        order[..positives].iter().for_each(|&row| signs[row] = 1.0);
        // Both classes cost the same in all, whatever their numbers.
        let ratio = positives.max(1) as f64 / (unknown.len() - positives).max(1) as f64;
        let mut costs = Costs {
            positive: (FIRST_COST * ratio).min(self.cost),
            negative: FIRST_COST.min(self.cost),
        };
        while costs.positive < self.cost || costs.negative < self.cost {
            self.settle(&mut signs, &unknown, costs, &mut trace, run)?;
            costs = Costs {
                positive: (2.0 * costs.positive).min(self.cost),
                negative: (2.0 * costs.negative).min(self.cost),
            };
        }
        let model = self.settle(&mut signs, &unknown, costs, &mut trace, run)?;
        Ok(Switched {
            model,
            signs,
            trace: trace.finish(StopReason::Converged),
        })
    }

    /// How many of the rows without a class are positive.
    fn positives(&self, known: &[usize], unknown: usize) -> usize {
        let positive = known.iter().filter(|&&row| self.signs[row] == Some(1.0));
        let share = self
            .share
            .unwrap_or(positive.count() as f64 / known.len() as f64);
        positives_of(share, unknown)
    }

    /// Teaches the machine and exchanges labels at these costs until no exchange pays.
    fn settle(
        &self,
        signs: &mut [f64],
        unknown: &[usize],
        costs: Costs,
        trace: &mut TraceWriter<'_>,
        run: &Run,
    ) -> Result<SvcModel> {
        let mut least = f64::INFINITY;
        loop {
            let weight = |row: usize| match (self.signs[row], signs[row] > 0.0) {
                (Some(_), _) => 1.0,
                (None, true) => costs.positive / self.machine.c,
                (None, false) => costs.negative / self.machine.c,
            };
            let weights: Vec<f64> = (0..signs.len()).map(weight).collect();
            let samples = self.samples.view().weighted(&weights)?;
            let model = self.teach(&samples, signs, run)?;
            let objective = model.certificates()[0].primal;
            trace.record(objective)?;
            // Every exchange lowers the objective; where it seems not to, the tolerance of the
            // solver is all that is left to gain.
            let is_lower = objective < least;
            least = objective;
            if !is_lower || !exchange(signs, unknown, &self.scores(&model)?) {
                return Ok(model);
            }
        }
    }

    fn teach(&self, samples: &Samples<'_>, signs: &[f64], run: &Run) -> Result<SvcModel> {
        let labels: Vec<usize> = signs.iter().map(|&sign| usize::from(sign > 0.0)).collect();
        let classes = Classes::new([0, 1]);
        let data = Labelled::from_parts(samples.view(), &labels, &classes)?;
        self.machine.fit_with(data, &run.quietly())
    }

    fn scores(&self, model: &SvcModel) -> Result<Vec<f64>> {
        Ok(model.scores(self.samples.rows())?.into_iter().collect())
    }
}

/// Exchanges the labels of pairs of opposite rows, the largest slacks first, and says whether
/// there were any.
///
/// With ξ = [1 − y·f]₊ a row costs [2 − ξ]₊ under the other label, so a pair with both slacks
/// above zero and ξₘ + ξₙ > 2 costs less exchanged, whatever the two costs are. Pairs do not share
/// rows, so that all of them can be exchanged before the machine is taught again.
fn exchange(signs: &mut [f64], unknown: &[usize], scores: &[f64]) -> bool {
    let slack = |row: usize| 1.0 - signs[row] * scores[row];
    let sorted = |sign: f64| {
        let of_sign = unknown.iter().copied().filter(|&row| signs[row] == sign);
        let mut rows: Vec<(f64, usize)> = of_sign.map(|row| (slack(row), row)).collect();
        rows.retain(|&(slack, _)| slack > 0.0);
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        rows
    };
    let pairs: Vec<(usize, usize)> = sorted(1.0)
        .into_iter()
        .zip(sorted(-1.0))
        .take_while(|(positive, negative)| positive.0 + negative.0 > 2.0)
        .map(|(positive, negative)| (positive.1, negative.1))
        .collect();
    for &(positive, negative) in &pairs {
        signs[positive] = -1.0;
        signs[negative] = 1.0;
    }
    !pairs.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    // 000a:SSL-16, 000a:fx-T13: ξ_m + ξ_n > 2, not less, and each above zero.
    #[test]
    fn pairs_exchange_labels_only_where_both_together_gain() {
        let unknown = [0, 1, 2, 3];
        // Slacks 1.5 (positive) and 0.5 (negative) sum to 2: no exchange.
        let mut signs = [1.0, -1.0, 1.0, -1.0];
        assert!(!exchange(&mut signs, &unknown, &[-0.5, -0.5, 3.0, -3.0]));
        // 1.5 and 0.6 sum to 2.1; the other pair is outside the margin.
        assert!(exchange(&mut signs, &unknown, &[-0.5, -0.4, 3.0, -3.0]));
        assert_eq!(signs, [-1.0, 1.0, 1.0, -1.0]);
        // A slack of 3 with a row that has none is no reason.
        let mut signs = [1.0, -1.0];
        assert!(!exchange(&mut signs, &unknown[..2], &[-2.0, -1.5]));
    }
    // 000a:SSL-16: the same machine costs less after an exchange, whatever the two costs are, and
    // as many rows are positive.
    #[test]
    fn an_exchange_lowers_the_objective_for_any_costs() {
        let unknown: Vec<usize> = (0..40).collect();
        let scores: Vec<f64> = (0..40).map(|i| (f64::from(i) * 1.7).sin() * 2.5).collect();
        let before: Vec<f64> = (0..40)
            .map(|i| if i % 3 == 0 { 1.0 } else { -1.0 })
            .collect();
        let mut after = before.clone();
        assert!(exchange(&mut after, &unknown, &scores));
        let positives = |signs: &[f64]| signs.iter().filter(|sign| **sign > 0.0).count();
        assert_eq!(positives(&before), positives(&after));
        for (positive, negative) in [(1.0, 1.0), (1e-5, 3.0), (7.0, 1e-4)] {
            let cost = |signs: &[f64]| -> f64 {
                let pairs = signs.iter().zip(&scores);
                pairs
                    .map(|(&sign, score)| {
                        let price = if sign > 0.0 { positive } else { negative };
                        price * (1.0 - sign * score).max(0.0)
                    })
                    .sum()
            };
            assert!(cost(&after) < cost(&before));
        }
    }
}
