//! Passive-aggressive classification.

use super::Patience;
use crate::ClassWeight;
use crate::online::{
    Aggressiveness, BREATH, Denominator, Examples, OnlineClassifier, PassiveAggressiveRule, Rival,
    Weights, shuffled,
};
use crate::separators::{Separators, overflow, separator_model};
use didact_core::{Accepts, Fit, Labelled, Result, Run, StopReason, Trace, TraceWriter, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns row by row, changing the weights as little as makes each row right.
///
/// A row with the margin γ = y·f(x), or with several classes the lead of the right score over the
/// best wrong one, costs ℓ = max(1 − γ, 0). At no cost nothing changes; otherwise w += τ·y·x is
/// the smallest change after which γ is one, as far as C allows. The intercept is the weight of a
/// feature that is always one, and counts in ‖x‖².
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_linear::PassiveAggressiveClassifier;
/// let iris = didact_datasets::iris();
/// let model = PassiveAggressiveClassifier::default().fit(iris.labelled()?)?;
/// let predicted = model.predict(iris.samples())?;
/// let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right > 110);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PassiveAggressiveClassifier {
    /// How far a step goes.
    pub variant: Aggressiveness,
    /// The price of what a step leaves: large values correct every row in full.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// Which class a step pushes away, where there are several.
    pub rival: Rival,
    /// What the loss is divided by, where there are several classes.
    pub denominator: Denominator,
    /// Whether to learn an intercept for each score.
    pub fit_intercept: bool,
    /// At most this many passes over the rows are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// A pass improves where its mean loss is lower than the least so far by more than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// The learning ends after this many passes in a row without improvement.
    #[schemars(range(min = 1))]
    pub n_iter_no_change: usize,
    /// Whether to shuffle the rows before every pass.
    pub shuffle: bool,
    /// Seed of the shuffling.
    pub random_state: u64,
    /// Whether to predict by the average of all weights along the way.
    pub average: bool,
    /// How much the rows of each class count; C is multiplied with it.
    pub class_weight: ClassWeight,
}

impl Default for PassiveAggressiveClassifier {
    fn default() -> Self {
        PassiveAggressiveClassifier {
            variant: Aggressiveness::Pa1,
            c: 1.0,
            rival: Rival::RunnerUp,
            denominator: Denominator::Exact,
            fit_intercept: true,
            max_iter: 1000,
            tol: 1e-3,
            n_iter_no_change: 5,
            shuffle: true,
            random_state: 0,
            average: false,
            class_weight: ClassWeight::None,
        }
    }
}

/// A linear classifier and what its rows cost along the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassiveAggressiveModel {
    separators: Separators,
    n_updates: usize,
    cumulative_loss: f64,
    trace: Trace,
}

impl PassiveAggressiveModel {
    /// The number of changes made.
    pub fn n_updates(&self) -> usize {
        self.n_updates
    }

    /// The sum of the losses suffered, each before its row was learned from.
    pub fn cumulative_loss(&self) -> f64 {
        self.cumulative_loss
    }

    fn is_sound(&self) -> bool {
        self.cumulative_loss >= 0.0
    }
}

separator_model!(PassiveAggressiveModel {
    "n_updates", "The number of changes made.", |model| Value::from(model.n_updates);
    "cumulative_loss", "The sum of the losses suffered, each before its row was learned from.",
        |model| Value::from(model.cumulative_loss);
});

impl Fit<Labelled<'_>> for PassiveAggressiveClassifier {
    type Model = PassiveAggressiveModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<PassiveAggressiveModel> {
        let examples = Examples::new(data, &self.class_weight)?;
        let reader = examples.reader();
        let mut learner = self.start(&examples);
        let mut trace = TraceWriter::new(run, "mean loss", Some(self.max_iter));
        let mut patience = Patience::new(self.tol, self.n_iter_no_change);
        let mut order: Vec<usize> = (0..examples.n_rows()).collect();
        let stop = loop {
            let (before, updates) = (learner.cumulative_loss(), learner.n_updates());
            shuffled(&mut order, self.shuffle, self.random_state, trace.n_iter());
            for (turn, &row) in order.iter().enumerate() {
                if turn % BREATH == 0 {
                    run.check()?;
                }
                let (place, count) = (examples.places[row], examples.counts[row]);
                learner.learn(reader.row(row), place, count)?;
            }
            if !learner.weights.is_finite() {
                return Err(overflow());
            }
            let loss = (learner.cumulative_loss() - before) / examples.n_rows() as f64;
            trace.record(loss)?;
            if learner.n_updates() == updates || patience.is_over(loss) {
                break StopReason::Converged;
            }
            if trace.n_iter() == self.max_iter {
                break StopReason::IterationLimit;
            }
        };
        let (coef, intercept) = learner.weights.finish();
        Ok(PassiveAggressiveModel {
            n_updates: learner.n_updates(),
            cumulative_loss: learner.cumulative_loss(),
            trace: trace.finish(stop),
            separators: Separators::new(
                examples.classes.clone(),
                examples.present.clone(),
                coef,
                intercept,
            )?,
        })
    }
}

impl PassiveAggressiveClassifier {
    fn start(&self, examples: &Examples<'_>) -> OnlineClassifier<PassiveAggressiveRule> {
        let mut weights = Weights::new(examples.n_outputs(), examples.n_columns());
        if self.average {
            weights = weights.averaged();
        }
        let rule = PassiveAggressiveRule {
            variant: self.variant,
            c: self.c,
            rival: self.rival,
            denominator: self.denominator,
        };
        let mut learner = OnlineClassifier::with_weights(rule, weights);
        learner.fit_intercept = self.fit_intercept;
        learner
    }
}
