//! Baum–Welch and segmental k-means: counts, then the model that explains them best, again and
//! again.

use super::expect::Expectation;
use super::groups::{Group, LEAST_ROWS, groups, over_groups};
use super::initial::{StartSample, check_magnitude};
use super::model::{Engine, HmmModel};
use super::parameters::{Hmm, HmmTraining};
use super::segmental::path_counts;
use super::statistics::{Statistics, log_prior};
use didact_core::{
    Error, Fit, LearnInPieces, Model, Next, Progress, Result, Run, Sequences, StopReason, Trace,
    ensure_belongs,
};
use serde::{Deserialize, Serialize};

const OBJECTIVE: &str = "log-likelihood";
const PATH_OBJECTIVE: &str = "log-likelihood of the best paths";

/// What is known between two passes over the sequences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HmmState {
    /// Nothing yet: the first pass looks at the data to choose a start.
    Fresh,
    /// The current model.
    Learning {
        /// The model whose expected counts the pass sums up.
        model: Box<HmmModel>,
        /// The objective before each step so far.
        objectives: Vec<f64>,
        /// Whether only the best path of each sequence counts.
        segmental: bool,
    },
}

/// What a pass keeps of some sequences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HmmSummary {
    /// A sample for the start.
    Sample(StartSample),
    /// Expected counts.
    Counts(Box<Statistics>),
}

impl Fit<Sequences<'_>> for Hmm {
    type Model = HmmModel;

    fn learn(&self, data: Sequences<'_>, run: &Run) -> Result<HmmModel> {
        self.climb(HmmState::Fresh, &data, run)
    }
}

impl LearnInPieces<Sequences<'_>> for Hmm {
    type State = HmmState;
    type Summary = HmmSummary;

    fn start(&self) -> Result<HmmState> {
        Ok(HmmState::Fresh)
    }

    fn summarise(
        &self,
        state: &HmmState,
        chunk: Sequences<'_>,
        first_row: usize,
        run: &Run,
    ) -> Result<HmmSummary> {
        self.observe(state, &chunk, first_row, run)
    }

    fn check_summary(&self, state: &HmmState, summary: &HmmSummary) -> Result<()> {
        ensure_belongs(match (state, summary) {
            (HmmState::Fresh, HmmSummary::Sample(sample)) => sample.is_consistent(),
            (HmmState::Learning { model, .. }, HmmSummary::Counts(counts)) => {
                counts.has_shape_of(&Statistics::zeros(model))
            }
            _ => false,
        })
    }

    fn merge(&self, left: HmmSummary, right: HmmSummary) -> Result<HmmSummary> {
        match (left, right) {
            (HmmSummary::Sample(left), HmmSummary::Sample(right)) => {
                Ok(HmmSummary::Sample(left.merge(right, self)?))
            }
            (HmmSummary::Counts(left), HmmSummary::Counts(right)) => {
                Ok(HmmSummary::Counts(Box::new(left.merge(&right)?)))
            }
            _ => Err(Error::data("the summaries come from different passes")),
        }
    }

    fn step(
        &self,
        state: HmmState,
        summary: HmmSummary,
        run: &Run,
    ) -> Result<Next<HmmState, HmmModel>> {
        self.advance(state, summary, run)
    }
}

impl Hmm {
    /// Learns from sequences starting at a given model instead of a random one. The model says
    /// what the states emit, how many there are and whether there is a stop state; what has
    /// probability zero in it stays impossible.
    ///
    /// ```
    /// use didact_core::{SequenceLikelihood, Sequences};
    /// use didact_sequence::{Hmm, HmmModel};
    /// use ndarray::array;
    /// let start = HmmModel::categorical(
    ///     array![0.6, 0.4],
    ///     array![[0.7, 0.3], [0.4, 0.6]],
    ///     array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]],
    /// )?;
    /// let items = array![[0.0], [1.0], [2.0]];
    /// let data = Sequences::new(&items, &[3])?;
    /// let one_step = Hmm { max_iter: 1, ..Hmm::default() };
    /// let model = one_step.fit_from(&start, &data, &Default::default())?;
    /// assert!((model.log_likelihoods(&data)?[0] + 2.7083013644).abs() < 1e-9);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn fit_from(&self, start: &HmmModel, data: &Sequences<'_>, run: &Run) -> Result<HmmModel> {
        didact_core::parameters::check(self)?;
        start.validate()?;
        let values = start.values(data.samples.rows())?;
        if values.is_empty() {
            return Err(Error::data("there are no rows; give at least one"));
        }
        if start.means().is_some() {
            let d = data.samples.n_columns();
            for (row, values) in values.chunks_exact(d).enumerate() {
                check_magnitude(values.iter(), row)?;
            }
        }
        let model = Box::new(HmmModel {
            trace: None,
            ..start.clone()
        });
        run.install(|| self.climb(self.learning(model), data, run))
    }

    /// The state before the first step from this model.
    fn learning(&self, model: Box<HmmModel>) -> HmmState {
        HmmState::Learning {
            model,
            objectives: Vec::new(),
            segmental: self.training != HmmTraining::BaumWelch,
        }
    }

    fn climb(&self, mut state: HmmState, data: &Sequences<'_>, run: &Run) -> Result<HmmModel> {
        loop {
            let summary = self.observe(&state, data, 0, run)?;
            match self.advance(state, summary, run)? {
                Next::Pass(next) => state = next,
                Next::Done(model) => return Ok(model),
            }
        }
    }

    fn observe(
        &self,
        state: &HmmState,
        chunk: &Sequences<'_>,
        first_row: usize,
        run: &Run,
    ) -> Result<HmmSummary> {
        match state {
            HmmState::Fresh => Ok(HmmSummary::Sample(StartSample::take(
                self, chunk, first_row, run,
            )?)),
            HmmState::Learning {
                model, segmental, ..
            } => {
                let counts = match segmental {
                    true => path_counts(model, chunk, first_row, run)?,
                    false => expected_counts(model, chunk, first_row, run)?,
                };
                Ok(HmmSummary::Counts(Box::new(counts)))
            }
        }
    }

    fn advance(
        &self,
        state: HmmState,
        summary: HmmSummary,
        run: &Run,
    ) -> Result<Next<HmmState, HmmModel>> {
        match (state, summary) {
            (HmmState::Fresh, HmmSummary::Sample(sample)) => {
                let model = Box::new(sample.model(self, run)?);
                Ok(Next::Pass(self.learning(model)))
            }
            (
                HmmState::Learning {
                    model,
                    objectives,
                    segmental,
                },
                HmmSummary::Counts(counts),
            ) => self.reestimate(*model, objectives, segmental, &counts, run),
            _ => Err(Error::data("the summary comes from another pass")),
        }
    }

    /// The M-step, and the decision whether to go on.
    fn reestimate(
        &self,
        model: HmmModel,
        mut objectives: Vec<f64>,
        segmental: bool,
        counts: &Statistics,
        run: &Run,
    ) -> Result<Next<HmmState, HmmModel>> {
        if let Some(row) = counts.first_impossible {
            return Err(Error::data(format!(
                "the sequence that begins in row {row} is impossible under the starting \
                 probabilities; start without those zeros"
            )));
        }
        let objective_name = match segmental {
            true => PATH_OBJECTIVE,
            false => OBJECTIVE,
        };
        let objective = counts.log_likelihood + log_prior(&model, self);
        let gain = objectives.last().map(|last| objective - last);
        objectives.push(objective);
        run.report(&Progress {
            iteration: objectives.len(),
            limit: Some(self.max_iter),
            objective_name,
            objective,
        })?;
        let mut model = counts.maximise(model, self)?;
        let stop = match gain {
            Some(gain) if gain < self.tol => StopReason::Converged,
            _ if objectives.len() >= self.max_iter => StopReason::IterationLimit,
            _ => {
                return Ok(Next::Pass(HmmState::Learning {
                    model: Box::new(model),
                    objectives,
                    segmental,
                }));
            }
        };
        if segmental && self.training == HmmTraining::Hybrid {
            // The second half climbs another objective, so its trace begins afresh.
            return Ok(Next::Pass(HmmState::Learning {
                model: Box::new(model),
                objectives: Vec::new(),
                segmental: false,
            }));
        }
        model.trace = Some(Trace {
            objective_name: objective_name.to_owned(),
            objectives,
            stop,
        });
        model.validate()?;
        Ok(Next::Done(model))
    }
}

/// The E-step: expected counts of all sequences under the model.
pub(crate) fn expected_counts(
    model: &HmmModel,
    sequences: &Sequences<'_>,
    first_row: usize,
    run: &Run,
) -> Result<Statistics> {
    let values = model.values(sequences.samples.rows())?;
    let engine = model.engine()?;
    // Tables of many symbols are worth making only for as many rows.
    let least_rows = LEAST_ROWS.max(model.emissionprob().map_or(0, |table| table.ncols()));
    let counts = over_groups(
        &groups(sequences, least_rows),
        run,
        |group| count_group(model, &engine, values, group, first_row, run),
        |left, right| left.merge(&right),
    )?;
    Ok(counts.unwrap_or_else(|| Statistics::zeros(model)))
}

fn count_group(
    model: &HmmModel,
    engine: &Engine,
    values: &[f64],
    group: &Group,
    first_row: usize,
    run: &Run,
) -> Result<Statistics> {
    let k = model.n_states();
    let d = didact_core::Features::n_features(model);
    let rows = &values[group.rows.start * d..group.rows.end * d];
    let evaluated = engine
        .scorer
        .evaluate(rows, k, first_row + group.rows.start, run)?;
    let mut counts = Statistics::zeros(model);
    let mut posteriors = vec![0.0; group.rows.len() * k];
    let mut expectation = Expectation::new(&engine.chain, run);
    for range in &group.sequences {
        let items = range.start - group.rows.start..range.end - group.rows.start;
        let own = &mut posteriors[items.start * k..items.end * k];
        let transitions = counts.transitions.as_slice_mut().expect("made in C order");
        let log_likelihood = expectation.posteriors(&evaluated, items, own, transitions)?;
        if log_likelihood == f64::NEG_INFINITY {
            counts
                .first_impossible
                .get_or_insert(first_row + range.start);
        }
        counts.log_likelihood += log_likelihood;
        counts.add_ends(own);
    }
    counts.add_items(model, rows, &posteriors, run)?;
    Ok(counts)
}
