//! Mistake-driven classifiers on a stream of chunks.

use super::{
    BREATH, Correction, Examples, OnlineClassifier, Passes, Patience, Roster, Standing, UpdateRule,
    Weights,
};
use crate::ClassWeight;
use crate::separators::{Separators, overflow};
use didact_core::{Labelled, Result, Run, StopReason};
use serde::{Deserialize, Serialize};

/// Where a classifier that learns from its mistakes stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlineState {
    pub(crate) roster: Roster,
    pub(crate) standing: Standing,
    pub(crate) passes: Passes,
    /// The number of changes before the pass under way.
    updates_before: usize,
}

/// How a classifier learns from the rows of a chunk.
pub(crate) struct Lesson<'a, R> {
    pub(crate) rule: R,
    pub(crate) fit_intercept: bool,
    pub(crate) class_weight: &'a ClassWeight,
    /// What a row adds to the objective of the pass.
    pub(crate) cost: fn(&Correction) -> f64,
}

impl OnlineState {
    pub(crate) fn new(roster: Roster, standing: Standing, patience: Patience) -> Self {
        OnlineState {
            updates_before: standing.n_updates,
            roster,
            standing,
            passes: Passes::new(patience),
        }
    }

    /// Weights of zero for all classes of the first chunk.
    pub(crate) fn begin(
        chunk: &Labelled<'_>,
        intercept: f64,
        average: bool,
        patience: Patience,
    ) -> Result<Self> {
        let roster = Roster::of(chunk)?;
        let mut weights = Weights::new(roster.n_outputs(), roster.n_columns);
        weights.intercept.fill(intercept);
        if average {
            weights = weights.averaged();
        }
        Ok(Self::new(roster, Standing::new(weights), patience))
    }

    /// Learns from the rows of a chunk in their order.
    pub(crate) fn learn<R: UpdateRule>(
        &mut self,
        lesson: Lesson<'_, R>,
        chunk: Labelled<'_>,
        run: &Run,
    ) -> Result<()> {
        let examples = Examples::of_chunk(chunk, lesson.class_weight, &self.roster)?;
        let reader = examples.reader();
        let standing = self.standing.clone();
        let mut learner =
            OnlineClassifier::from_standing(lesson.rule, standing, lesson.fit_intercept);
        let mut total = 0.0;
        for row in 0..examples.n_rows() {
            if row % BREATH == 0 {
                run.check()?;
            }
            let (place, count) = (examples.places[row], examples.counts[row]);
            total += (lesson.cost)(&learner.learn(reader.row(row), place, count)?);
        }
        if !learner.standing.weights.is_finite() {
            return Err(overflow());
        }
        self.standing = learner.standing;
        self.passes.add(total, examples.n_rows());
        Ok(())
    }

    /// Ends a pass with this objective; whether it was the last.
    pub(crate) fn end_pass(&mut self, objective: f64, max_iter: usize) -> bool {
        let impatient = self.passes.end(objective);
        if self.standing.n_updates == self.updates_before || impatient {
            self.passes.finish(StopReason::Converged);
        } else if self.passes.n_iter() == max_iter {
            self.passes.finish(StopReason::IterationLimit);
        }
        self.updates_before = self.standing.n_updates;
        self.passes.stop().is_some()
    }

    /// The same where more rows may come.
    pub(crate) fn go_on(self) -> Self {
        OnlineState {
            passes: self.passes.go_on(),
            ..self
        }
    }

    pub(crate) fn separators(&self) -> Result<Separators> {
        let (coef, intercept) = self.standing.weights.finish();
        let Roster {
            classes, present, ..
        } = self.roster.clone();
        Separators::new(classes, present, coef, intercept)
    }

    /// Whether it belongs to a model with these separators.
    pub(crate) fn is_sound(&self, separators: &Separators) -> bool {
        let (outputs, columns) = separators.coef.dim();
        self.roster.classes == separators.classes
            && self.roster.present == separators.present
            && self.roster.n_columns == columns
            && self.standing.weights.is_sound(outputs, columns)
            && self.passes.is_sound()
    }
}
