//! What a ranking machine has learned.

use super::ascent::Found;
use super::labels::{LabelSets, ranking_loss};
use crate::solver::overflow;
use crate::support::SupportVectors;
use didact_core::abilities::check_rows;
use didact_core::{Accepts, Features, Result, Rows, Samples, Trace};
use didact_math::kernel::Kernel;
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, Axis};

/// A score for each label, held by support vectors that all labels share.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingSvmModel {
    support_vectors: SupportVectors,
    /// A row for each label, a column for each support vector.
    dual_coef: Array2<f64>,
    intercept: Array1<f64>,
    primal: f64,
    dual: f64,
    imbalance: f64,
    trace: Trace,
}

impl RankingSvmModel {
    pub(super) fn new(kernel: Kernel, rows: Rows<'_>, found: Found) -> Result<Self> {
        let holds = |row: &usize| found.multipliers.row(*row).iter().any(|c| *c != 0.0);
        let support: Vec<usize> = (0..rows.n_rows()).filter(holds).collect();
        let chosen = found.multipliers.select(Axis(0), &support);
        let mut numbers = chosen.iter().chain(&found.intercepts);
        if !numbers.all(|number| number.is_finite()) {
            return Err(overflow());
        }
        Ok(RankingSvmModel {
            dual_coef: chosen.t().as_standard_layout().into_owned(),
            support_vectors: SupportVectors::new(kernel, rows, &support),
            intercept: found.intercepts,
            primal: found.primal,
            dual: found.dual,
            imbalance: found.imbalance,
            trace: found.trace,
        })
    }

    /// The intercept of each label; they sum to zero.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.intercept
    }

    /// The multipliers of the support vectors, a row for each label.
    pub fn dual_coef(&self) -> &Array2<f64> {
        &self.dual_coef
    }

    /// ½Σ‖wᵣ‖² plus the costs.
    pub fn objective(&self) -> f64 {
        self.primal
    }

    /// By how much the objective is above the least one for these intercepts at most.
    pub fn duality_gap(&self) -> f64 {
        (self.primal - self.dual).max(0.0)
    }

    /// The largest sum of the multipliers of a label, which has to vanish for the best intercepts.
    pub fn imbalance(&self) -> f64 {
        self.imbalance
    }

    /// The history of the fit.
    pub fn history(&self) -> &Trace {
        &self.trace
    }

    /// The score of every label for each row.
    pub fn scores<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<f64>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        let coefficients: Vec<&[f64]> = self
            .dual_coef
            .axis_iter(Axis(0))
            .map(|row| row.to_slice().expect("the multipliers are contiguous"))
            .collect();
        let width = self.intercept.len();
        self.support_vectors
            .judge(samples.rows(), width, |kernel, scores| {
                for ((score, own), intercept) in
                    scores.iter_mut().zip(&coefficients).zip(&self.intercept)
                {
                    *score = dot(own, kernel) + intercept;
                }
            })
    }

    /// The labels of each row from the highest score to the lowest; equal scores keep their order.
    pub fn rank<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Vec<Vec<usize>>> {
        let scores = self.scores(rows)?;
        let order = |scores: ndarray::ArrayView1<'_, f64>| {
            let mut labels: Vec<usize> = (0..scores.len()).collect();
            labels.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
            labels
        };
        Ok(scores.rows().into_iter().map(order).collect())
    }

    /// The labels of each row whose scores are at least the threshold, which is usually zero.
    pub fn predict<'a>(&self, rows: impl Into<Samples<'a>>, threshold: f64) -> Result<LabelSets> {
        Ok(LabelSets::new(
            self.scores(rows)?.mapv(|score| score >= threshold),
        ))
    }

    /// The threshold by which the fewest labels of these rows are wrong; they should be others than
    /// those learned from.
    pub fn best_threshold<'a>(
        &self,
        rows: impl Into<Samples<'a>>,
        labels: &LabelSets,
    ) -> Result<f64> {
        let samples = rows.into();
        labels.check_rows(samples.n_rows())?;
        let scores = self.scores(samples)?;
        let mut known: Vec<(f64, bool)> = scores
            .iter()
            .copied()
            .zip(labels.view().iter().copied())
            .collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Below all scores every label is given, and the absent ones are wrong.
        let mut wrong = known.iter().filter(|(_, has)| !has).count();
        let (mut fewest, mut best) = (wrong, known.first().map_or(0.0, |(score, _)| *score));
        for (place, &(score, has)) in known.iter().enumerate() {
            wrong = if has { wrong + 1 } else { wrong - 1 };
            let next = known.get(place + 1).map_or(score + 1.0, |(next, _)| *next);
            if wrong < fewest && next > score {
                (fewest, best) = (wrong, 0.5 * (score + next));
            }
        }
        Ok(best)
    }

    /// The share of pairs of labels in the wrong order, see [`ranking_loss`].
    pub fn loss<'a>(&self, rows: impl Into<Samples<'a>>, labels: &LabelSets) -> Result<f64> {
        let samples = rows.into();
        labels.check_rows(samples.n_rows())?;
        Ok(ranking_loss(self.scores(samples)?.view(), labels))
    }
}

impl Features for RankingSvmModel {
    fn n_features(&self) -> usize {
        self.support_vectors.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}
