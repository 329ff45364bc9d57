//! Pipelines: several algorithms in a row, of which all but the last transform the rows.

use crate::stored::Stored;
use didact_core::abilities::*;
use didact_core::catalogue::Route;
use didact_core::learner::Pieces;
use didact_core::model::{AnyModel, Described, Shape, Value};
use didact_core::random::Generator;
use didact_core::{
    Accepts, Classes, Data, DataKind, Drawn, Error, Learner, OwnedRows, Result, Rows, Run,
    Sequences, Trace, encoding,
};
use ndarray::{Array1, Array2};
use serde_json::Value as Json;
use std::any::Any;
use std::sync::Arc;

/// Algorithms in a row. Each step is fitted on the rows that the steps before it transformed.
pub struct Pipeline {
    steps: Vec<Arc<dyn Learner>>,
    routes: Vec<Route>,
}

impl Pipeline {
    /// Puts learners in a row; fails when one that is not the last cannot transform.
    pub fn new(learners: Vec<Box<dyn Learner>>) -> Result<Self> {
        let steps: Vec<Arc<dyn Learner>> = learners.into_iter().map(Arc::from).collect();
        let (last, before) = steps
            .split_last()
            .ok_or_else(|| Error::Specification("a pipeline needs at least one step".into()))?;
        for step in before {
            let transforms = step
                .routes()
                .iter()
                .any(|route| route.abilities.contains(&"transform"));
            if !transforms {
                return Err(Error::Specification(format!(
                    "{} does not transform its rows, so nothing can follow it in a pipeline",
                    step.id()
                )));
            }
        }
        let mut routes = Vec::new();
        for route in last.routes() {
            let along: Vec<&Route> = steps
                .iter()
                .map(|step| step.route_for(route.kind))
                .collect::<Result<_>>()?;
            // Weights must suit every step; the other properties are those of the first.
            let weights = along
                .iter()
                .all(|route| route.accepts.contains(Accepts::WEIGHTS));
            let mut accepts = along[0].accepts;
            accepts.set(Accepts::WEIGHTS, weights);
            accepts.set(Accepts::MISSING, missing_can_enter(&along));
            accepts.set(
                Accepts::MULTI_OUTPUT,
                route.accepts.contains(Accepts::MULTI_OUTPUT),
            );
            routes.push(route.composed(accepts, &along, decode));
        }
        Ok(Pipeline { steps, routes })
    }
}

/// Whether every step up to the one that fills missing values can stand them.
fn missing_can_enter(along: &[&Route]) -> bool {
    let filling = along.iter().position(|route| route.fills_missing);
    let exposed = filling.map_or(along.len(), |place| place + 1);
    along[..exposed]
        .iter()
        .all(|route| route.accepts.contains(Accepts::MISSING))
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Box<dyn AnyModel>> {
    let steps: Vec<Stored> = encoding::from_bytes(bytes)?;
    Ok(Box::new(PipelineModel::new(steps)?))
}

impl Learner for Pipeline {
    fn id(&self) -> &str {
        "pipeline"
    }

    fn parameters(&self) -> Result<Json> {
        let steps = self
            .steps
            .iter()
            .map(|step| {
                Ok(serde_json::json!({"algorithm": step.id(), "parameters": step.parameters()?}))
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Json::Array(steps))
    }

    fn routes(&self) -> Vec<&Route> {
        self.routes.iter().collect()
    }

    fn fit(&self, data: Data<'_>, run: &Run) -> Result<Box<dyn AnyModel>> {
        let mut fitted = Vec::with_capacity(self.steps.len());
        fit_steps(&self.steps, data, run, &mut fitted)?;
        Ok(Box::new(PipelineModel::new(fitted)?))
    }

    fn pieces(&self, kind: DataKind) -> Result<Box<dyn Pieces>> {
        if let Some(step) = self.steps.iter().find(|step| step.pieces(kind).is_err()) {
            step.pieces(kind)?;
        }
        Ok(Box::new(PipelinePieces {
            steps: self.steps.clone(),
            kind,
            fitted: Vec::new(),
            current: self.steps[0].pieces(kind)?,
        }))
    }
}

fn fit_steps(
    steps: &[Arc<dyn Learner>],
    data: Data<'_>,
    run: &Run,
    fitted: &mut Vec<Stored>,
) -> Result<()> {
    let Some((first, rest)) = steps.split_first() else {
        return Ok(());
    };
    let stored = Stored::fit(first.as_ref(), data.clone(), run)?;
    let next = match (rest.is_empty(), data.samples()) {
        (false, Some(samples)) => Some(transformed(&stored, samples.rows())?),
        _ => None,
    };
    fitted.push(stored);
    match next {
        Some(rows) => fit_steps(rest, data.with_rows(&rows)?, run, fitted),
        None => Ok(()),
    }
}

fn transformed(step: &Stored, rows: Rows<'_>) -> Result<OwnedRows> {
    let transform = step
        .model
        .as_transform()
        .ok_or_else(|| Error::unsupported("a step of the pipeline does not transform its rows"))?;
    check_rows(step.model.as_ref(), rows)?;
    transform.transform_rows(rows)
}

/// Learns step after step: a step's passes end before those of the next begin.
struct PipelinePieces {
    steps: Vec<Arc<dyn Learner>>,
    kind: DataKind,
    fitted: Vec<Stored>,
    current: Box<dyn Pieces>,
}

impl PipelinePieces {
    /// Hands the chunk, transformed by the finished steps, to `work`.
    fn transformed<T>(
        fitted: &[Stored],
        chunk: Data<'_>,
        work: impl FnOnce(Data<'_>) -> Result<T>,
    ) -> Result<T> {
        let Some(samples) = chunk.samples() else {
            return work(chunk);
        };
        let mut rows: Option<OwnedRows> = None;
        for step in fitted {
            let input = rows
                .as_ref()
                .map_or_else(|| samples.rows(), |rows| rows.view());
            rows = Some(transformed(step, input)?);
        }
        match &rows {
            Some(rows) => work(chunk.with_rows(rows)?),
            None => work(chunk),
        }
    }
}

impl Pieces for PipelinePieces {
    fn observe(&mut self, chunk: Data<'_>, first_row: usize, run: &Run) -> Result<()> {
        let current = &mut self.current;
        PipelinePieces::transformed(&self.fitted, chunk, |chunk| {
            current.observe(chunk, first_row, run)
        })
    }

    fn end_pass(&mut self, run: &Run) -> Result<Option<Box<dyn AnyModel>>> {
        let Some(model) = self.current.end_pass(run)? else {
            return Ok(None);
        };
        let step = &self.steps[self.fitted.len()];
        let kind = step.route_for(self.kind)?.kind;
        self.fitted.push(Stored::new(step.id(), kind, model));
        match self.steps.get(self.fitted.len()) {
            Some(next) => {
                self.current = next.pieces(self.kind)?;
                Ok(None)
            }
            None => Ok(Some(Box::new(PipelineModel::new(std::mem::take(
                &mut self.fitted,
            ))?))),
        }
    }

    fn state(&self) -> Result<Vec<u8>> {
        encoding::to_bytes(&(&self.fitted, self.current.state()?))
    }

    fn summarise(&self, chunk: Data<'_>, first_row: usize, run: &Run) -> Result<Vec<u8>> {
        PipelinePieces::transformed(&self.fitted, chunk, |chunk| {
            self.current.summarise(chunk, first_row, run)
        })
    }

    fn merge(&mut self, summary: &[u8]) -> Result<()> {
        self.current.merge(summary)
    }
}

/// A fitted pipeline: it can do what its last step can do, on rows as the first step takes them.
pub struct PipelineModel {
    before: Vec<Stored>,
    last: Stored,
}

impl PipelineModel {
    fn new(mut steps: Vec<Stored>) -> Result<Self> {
        let last = steps
            .pop()
            .ok_or_else(|| Error::ModelFile("the pipeline has no steps".into()))?;
        let models: Vec<&Stored> = steps.iter().chain([&last]).collect();
        for pair in models.windows(2) {
            let outputs = pair[0]
                .model
                .as_transform()
                .map(|transform| transform.n_outputs());
            if outputs != Some(pair[1].model.n_features()) {
                return Err(Error::ModelFile(
                    "the steps of the pipeline do not fit together".into(),
                ));
            }
        }
        Ok(PipelineModel {
            before: steps,
            last,
        })
    }

    /// The fitted steps in order.
    pub fn steps(&self) -> impl Iterator<Item = &dyn AnyModel> {
        self.before
            .iter()
            .chain([&self.last])
            .map(|step| step.model.as_ref())
    }

    /// Sends the rows through all steps but the last.
    fn through<T>(&self, rows: Rows<'_>, work: impl FnOnce(Rows<'_>) -> Result<T>) -> Result<T> {
        let mut current: Option<OwnedRows> = None;
        for step in &self.before {
            let input = match &current {
                Some(current) => current.view(),
                None => rows.reborrow(),
            };
            current = Some(transformed(step, input)?);
        }
        match &current {
            Some(current) => {
                check_rows(self.last.model.as_ref(), current.view())?;
                work(current.view())
            }
            None => work(rows),
        }
    }

    fn through_sequences<T>(
        &self,
        sequences: &Sequences<'_>,
        work: impl FnOnce(&Sequences<'_>) -> Result<T>,
    ) -> Result<T> {
        self.through(sequences.samples.rows(), |rows| {
            work(&Sequences::new(rows.reborrow(), sequences.lengths)?)
        })
    }

    fn last<'a, T: ?Sized>(
        &'a self,
        ability: impl FnOnce(&'a dyn AnyModel) -> Option<&'a T>,
    ) -> Result<&'a T> {
        ability(self.last.model.as_ref())
            .ok_or_else(|| Error::unsupported("the last step of the pipeline cannot do this"))
    }
}

impl Features for PipelineModel {
    fn n_features(&self) -> usize {
        self.before.first().unwrap_or(&self.last).model.n_features()
    }

    fn accepts(&self) -> Accepts {
        self.before.first().unwrap_or(&self.last).model.accepts()
    }
}

impl Classify for PipelineModel {
    fn classes(&self) -> &Classes {
        self.last
            .model
            .as_classify()
            .expect("this ability is only shown where the last step has it")
            .classes()
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let last = self.last(|model| model.as_classify())?;
        self.through(rows, |rows| last.classify(rows))
    }

    fn decide(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let last = self.last(|model| model.as_classify())?;
        self.through(rows, |rows| last.decide(rows))
    }
}

impl Probabilities for PipelineModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let last = self.last(|model| model.as_probabilities())?;
        self.through(rows, |rows| last.probabilities(rows))
    }
}

impl Scores for PipelineModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let last = self.last(|model| model.as_scores())?;
        self.through(rows, |rows| last.scores(rows))
    }
}

impl Regress for PipelineModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let last = self.last(|model| model.as_regress())?;
        self.through(rows, |rows| last.regress(rows))
    }
}

impl Deviations for PipelineModel {
    fn deviations(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let last = self.last(|model| model.as_deviations())?;
        self.through(rows, |rows| last.deviations(rows))
    }
}

impl Assign for PipelineModel {
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let last = self.last(|model| model.as_assign())?;
        self.through(rows, |rows| last.assign(rows))
    }
}

impl Transform for PipelineModel {
    fn n_outputs(&self) -> usize {
        self.last
            .model
            .as_transform()
            .map_or(0, |transform| transform.n_outputs())
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let last = self.last(|model| model.as_transform())?;
        self.through(rows, |rows| last.transform_rows(rows))
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        self.steps()
            .filter_map(|step| step.as_transform())
            .fold(input_names.to_vec(), |names, transform| {
                transform.output_names(&names)
            })
    }
}

impl Invert for PipelineModel {
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut current = self.last(|model| model.as_invert())?.invert_rows(rows)?;
        for step in self.before.iter().rev() {
            let invert = step
                .model
                .as_invert()
                .ok_or_else(|| Error::unsupported("a step of the pipeline cannot be taken back"))?;
            current = invert.invert_rows(Rows::Dense(current.view()))?;
        }
        Ok(current)
    }
}

impl LogDensity for PipelineModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let last = self.last(|model| model.as_log_density())?;
        self.through(rows, |rows| last.log_density(rows))
    }
}

impl Sample for PipelineModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let mut drawn = self
            .last(|model| model.as_sample())?
            .draw(n_rows, generator)?;
        for step in self.before.iter().rev() {
            let invert = step.model.as_invert().ok_or_else(|| {
                Error::unsupported(
                    "a step of the pipeline cannot be taken back, so nothing can be drawn",
                )
            })?;
            drawn.rows = invert.invert_rows(Rows::Dense(drawn.rows.view()))?;
        }
        Ok(drawn)
    }
}

impl Decode for PipelineModel {
    fn n_states(&self) -> usize {
        self.last
            .model
            .as_decode()
            .map_or(0, |decode| decode.n_states())
    }

    fn state_names(&self) -> Option<&Classes> {
        self.last
            .model
            .as_decode()
            .and_then(|decode| decode.state_names())
    }

    fn viterbi(&self, sequences: &Sequences<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
        let last = self.last(|model| model.as_decode())?;
        self.through_sequences(sequences, |sequences| last.viterbi(sequences))
    }

    fn state_probabilities(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        let last = self.last(|model| model.as_decode())?;
        self.through_sequences(sequences, |sequences| last.state_probabilities(sequences))
    }
}

impl SequenceLikelihood for PipelineModel {
    fn log_likelihoods(&self, sequences: &Sequences<'_>) -> Result<Vec<f64>> {
        let last = self.last(|model| model.as_sequence_likelihood())?;
        self.through_sequences(sequences, |sequences| last.log_likelihoods(sequences))
    }
}

/// The abilities of the last step, served through the steps before it.
macro_rules! as_last {
    ($($accessor:ident, $ability:ident;)*) => {$(
        fn $accessor(&self) -> Option<&dyn $ability> {
            self.last.model.$accessor().map(|_| self as &dyn $ability)
        }
    )*};
}

impl AnyModel for PipelineModel {
    as_last! {
        as_classify, Classify;
        as_probabilities, Probabilities;
        as_scores, Scores;
        as_regress, Regress;
        as_deviations, Deviations;
        as_assign, Assign;
        as_transform, Transform;
        as_log_density, LogDensity;
        as_decode, Decode;
        as_sequence_likelihood, SequenceLikelihood;
    }

    fn as_invert(&self) -> Option<&dyn Invert> {
        self.steps()
            .all(|step| step.as_invert().is_some())
            .then_some(self as &dyn Invert)
    }

    fn as_sample(&self) -> Option<&dyn Sample> {
        let invertible = self
            .before
            .iter()
            .all(|step| step.model.as_invert().is_some());
        (invertible && self.last.model.as_sample().is_some()).then_some(self as &dyn Sample)
    }

    fn attributes(&self) -> Vec<(Described, Value<'_>)> {
        self.last.model.attributes()
    }

    fn figures(&self) -> Vec<(Described, Shape)> {
        // The figures of the last step live in its own space, which is not that of the rows.
        Vec::new()
    }

    fn trace(&self) -> Option<&Trace> {
        self.last.model.trace()
    }

    fn encode(&self) -> Result<Vec<u8>> {
        let steps: Vec<&Stored> = self.before.iter().chain([&self.last]).collect();
        encoding::to_bytes(&steps)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
