//! A classifier that learns from a stream, one row at a time.

use super::rule::{Correction, UpdateRule};
use super::weights::Weights;
use crate::rows::Row;
use didact_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// Learns from a stream one row at a time by any rule: predict first, then learn.
///
/// ```
/// use didact_linear::{OnlineClassifier, PerceptronRule};
/// let mut learner = OnlineClassifier::new(PerceptronRule { eta: 1.0 }, 2, 2)?;
/// for (row, label) in [([1.0, 1.0], 1), ([2.0, 0.0], 0), ([0.0, 2.0], 1), ([3.0, 1.0], 0)] {
///     learner.observe(&row, label)?;
/// }
/// assert_eq!(learner.n_mistakes(), learner.n_updates());
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnlineClassifier<R> {
    rule: R,
    pub(crate) standing: Standing,
    pub(crate) fit_intercept: bool,
    scores: Vec<f64>,
}

/// Where the learning of a classifier stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    pub(crate) weights: Weights,
    pub(crate) n_mistakes: usize,
    pub(crate) n_updates: usize,
    pub(crate) n_seen: usize,
    pub(crate) loss: f64,
}

impl Standing {
    /// Nothing seen yet.
    pub(crate) fn new(weights: Weights) -> Self {
        Standing {
            weights,
            n_mistakes: 0,
            n_updates: 0,
            n_seen: 0,
            loss: 0.0,
        }
    }
}

impl<R: UpdateRule> OnlineClassifier<R> {
    /// Starts with weights of zero and an intercept.
    pub fn new(rule: R, n_features: usize, n_classes: usize) -> Result<Self> {
        if n_features == 0 || n_classes < 2 {
            return Err(Error::data(format!(
                "there are {n_features} columns and {n_classes} classes; \
                 at least one column and two classes are needed"
            )));
        }
        let outputs = if n_classes == 2 { 1 } else { n_classes };
        let standing = Standing::new(Weights::new(outputs, n_features));
        Ok(Self::from_standing(rule, standing, true))
    }

    /// Goes on where learning stands.
    pub(crate) fn from_standing(rule: R, standing: Standing, fit_intercept: bool) -> Self {
        OnlineClassifier {
            scores: vec![0.0; standing.weights.n_outputs()],
            rule,
            standing,
            fit_intercept,
        }
    }

    /// Learns no intercept.
    pub fn without_intercept(mut self) -> Self {
        self.fit_intercept = false;
        self
    }

    /// The class of a row; a single score of zero belongs to the second class, and ties of several
    /// go to the first of them.
    pub fn predict(&self, row: &[f64]) -> Result<usize> {
        self.check(row)?;
        let mut scores = vec![0.0; self.scores.len()];
        self.standing.weights.scores(Row::Dense(row), &mut scores);
        Ok(crate::separators::choose((&scores[..]).into()))
    }

    /// Scores a row, is told its class, and learns from it.
    pub fn observe(&mut self, row: &[f64], label: usize) -> Result<Correction> {
        self.check(row)?;
        let classes = self.scores.len().max(2);
        if label >= classes {
            return Err(Error::data(format!(
                "the label of the row is {label}; there are {classes} classes"
            )));
        }
        self.learn(Row::Dense(row), label, 1.0)
    }

    fn check(&self, row: &[f64]) -> Result<()> {
        match row.len() == self.standing.weights.n_features() {
            true => Ok(()),
            false => Err(Error::Columns {
                expected: self.standing.weights.n_features(),
                found: row.len(),
            }),
        }
    }

    /// What the rule says about a row, before anything changes.
    #[inline]
    pub(crate) fn judge(&mut self, row: Row<'_>, label: usize, count: f64) -> Result<Correction> {
        self.standing.weights.scores(row, &mut self.scores);
        let squared_length = row.squared_length() + f64::from(u8::from(self.fit_intercept));
        if !(squared_length.is_finite() && self.scores.iter().all(|score| score.is_finite())) {
            return Err(crate::separators::overflow());
        }
        Ok(self
            .rule
            .correction(&self.scores, label, squared_length, count))
    }

    #[inline]
    pub(crate) fn learn(&mut self, row: Row<'_>, label: usize, count: f64) -> Result<Correction> {
        let correction = self.judge(row, label, count)?;
        self.standing.n_seen += 1;
        self.standing.n_mistakes += usize::from(correction.is_mistake);
        self.standing.loss += correction.loss;
        if correction.step != 0.0 {
            self.standing.n_updates += 1;
            self.apply(&correction, row);
        }
        self.standing.weights.settle();
        Ok(correction)
    }

    pub(crate) fn apply(&mut self, correction: &Correction, row: Row<'_>) {
        let moves = [
            Some((correction.raised, correction.step)),
            correction
                .lowered
                .map(|lowered| (lowered, -correction.step)),
        ];
        for (output, step) in moves.into_iter().flatten() {
            self.standing.weights.add(output, step, row);
            if self.fit_intercept {
                self.standing.weights.intercept[output] += step;
            }
        }
    }

    /// How often the right class did not score strictly best.
    pub fn n_mistakes(&self) -> usize {
        self.standing.n_mistakes
    }

    /// How often the weights were changed.
    pub fn n_updates(&self) -> usize {
        self.standing.n_updates
    }

    /// How many rows were seen.
    pub fn n_seen(&self) -> usize {
        self.standing.n_seen
    }

    /// The sum of the losses suffered so far.
    pub fn cumulative_loss(&self) -> f64 {
        self.standing.loss
    }

    /// The weights so far, a row for each score, and the intercepts.
    pub fn weights(&self) -> (ndarray::Array2<f64>, ndarray::Array1<f64>) {
        self.standing.weights.finish()
    }
}
