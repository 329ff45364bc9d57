//! Passive-aggressive classification.

use crate::ClassWeight;
use crate::online::{
    Aggressiveness, BREATH, Denominator, Examples, Lesson, OnlineClassifier, OnlineState,
    PassiveAggressiveRule, Patience, Rival, Standing, Weights, check_class_weight, shuffled,
};
use crate::separators::{Separators, overflow, separator_model};
use crate::start::learns_from_start;
use didact_core::{
    Accepts, Labelled, LearnInSequence, Result, Run, StopReason, Trace, TraceWriter, Value,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns row by row, changing the weights as little as makes each row right.
///
/// A row with the margin γ = y·f(x), or with several classes the lead of the right score over the
/// best wrong one, costs ℓ = max(1 − γ, 0). At no cost nothing changes; otherwise w += τ·y·x is
/// the smallest change after which γ is one, as far as C allows. The intercept is the weight of a
/// feature that is always one, and counts in ‖x‖².
///
/// It also learns from a stream, chunk by chunk, in the order of the rows.
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
    /// Where the learning stood; absent in files of earlier releases.
    #[serde(default)]
    state: Option<OnlineState>,
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
        let state = self.state.as_ref();
        self.cumulative_loss >= 0.0 && state.is_none_or(|state| state.is_sound(&self.separators))
    }
}

separator_model!(PassiveAggressiveModel {
    "n_updates", "The number of changes made.", |model| Value::from(model.n_updates);
    "cumulative_loss", "The sum of the losses suffered, each before its row was learned from.",
        |model| Value::from(model.cumulative_loss);
});

learns_from_start!(
    PassiveAggressiveClassifier,
    Labelled => PassiveAggressiveModel,
    Accepts::SPARSE.union(Accepts::WEIGHTS),
    PassiveAggressiveClassifier::walk
);

impl PassiveAggressiveClassifier {
    /// Learns pass by pass from the weights of `start`, or from zero.
    fn walk(
        &self,
        start: Option<&PassiveAggressiveModel>,
        data: Labelled<'_>,
        run: &Run,
    ) -> Result<PassiveAggressiveModel> {
        let start = start.map(|model| &model.separators);
        let examples = Examples::new(data, &self.class_weight)?;
        let reader = examples.reader();
        let weights = match start {
            Some(start) => {
                start.check_start(&examples.roster())?;
                Weights::from_parts(&start.coef, &start.intercept)
            }
            None => Weights::new(examples.n_outputs(), examples.n_columns()),
        };
        let mut learner = self.start(weights);
        let mut trace = TraceWriter::new(run, "mean loss", Some(self.max_iter));
        let mut patience = self.patience();
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
            if !learner.standing.weights.is_finite() {
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
        let state = OnlineState::new(examples.roster(), learner.standing, self.patience());
        self.finish(state, trace.finish(stop))
    }
}

impl LearnInSequence<Labelled<'_>> for PassiveAggressiveClassifier {
    type State = OnlineState;

    fn check_sequence(&self) -> Result<()> {
        check_class_weight(&self.class_weight)
    }

    fn begin(&self, chunk: &Labelled<'_>) -> Result<OnlineState> {
        OnlineState::begin(chunk, 0.0, self.average, self.patience())
    }

    fn learn_chunk(&self, state: &mut OnlineState, chunk: Labelled<'_>, run: &Run) -> Result<()> {
        let lesson = Lesson {
            rule: self.rule(),
            fit_intercept: self.fit_intercept,
            class_weight: &self.class_weight,
            cost: |correction| correction.loss,
        };
        state.learn(lesson, chunk, run)
    }

    fn end_pass(&self, state: &mut OnlineState) -> Result<bool> {
        Ok(state.end_pass(state.passes.mean(), self.max_iter))
    }

    fn model(&self, state: &OnlineState) -> Result<PassiveAggressiveModel> {
        let trace = state.passes.trace("mean loss", state.passes.mean());
        self.finish(state.clone(), trace)
    }

    fn resume(&self, model: &PassiveAggressiveModel) -> Option<OnlineState> {
        model.state.clone().map(OnlineState::go_on)
    }
}

impl PassiveAggressiveClassifier {
    fn start(&self, mut weights: Weights) -> OnlineClassifier<PassiveAggressiveRule> {
        if self.average {
            weights = weights.averaged();
        }
        OnlineClassifier::from_standing(self.rule(), Standing::new(weights), self.fit_intercept)
    }

    fn rule(&self) -> PassiveAggressiveRule {
        PassiveAggressiveRule {
            variant: self.variant,
            c: self.c,
            rival: self.rival,
            denominator: self.denominator,
        }
    }

    fn patience(&self) -> Patience {
        Patience::new(self.tol, self.n_iter_no_change)
    }

    fn finish(&self, state: OnlineState, trace: Trace) -> Result<PassiveAggressiveModel> {
        Ok(PassiveAggressiveModel {
            separators: state.separators()?,
            n_updates: state.standing.n_updates,
            cumulative_loss: state.standing.loss,
            trace,
            state: Some(state),
        })
    }
}
