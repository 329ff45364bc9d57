//! Learning on-line: one chunk of a stream after the other, with a model ready in between.

use crate::{Error, FitData, LearnInPieces, Next, Parameters, Result, Run, parameters};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Learns from a stream, chunk by chunk, with a model at any time.
///
/// It takes any algorithm that learns in one pass, so what it knows after a stream is what the
/// algorithm would have learned from all the rows at once. A chunk may be a single row.
///
/// Running and learning are separate: [`Online::model`] hands out a model that never changes
/// again, however often it predicts. To keep learning while in use, call
/// [`Online::predict_then_learn`]: each chunk is predicted by the model of what came before it,
/// and only then learned from, so every prediction is a fair test. [`Online::remembering`] lets
/// old chunks be forgotten, so that the model follows a source that drifts.
///
/// *On-line* means that each row is seen once; *real time* means keeping up with the clock of
/// the source. The first is a matter of the algorithm (the `online` flag of its routes in the
/// catalogue), the second of algorithm, machine and source: compare
/// [`Online::rows_per_second`] with what arrives.
///
/// ```
/// use didact_core::{LearnInPieces, Measured, Online, Result, Run};
///
/// /// Squared error of the predictions made along the way.
/// fn follow<'a, A, T>(algorithm: A, stream: &[Measured<'a>], run: &Run) -> Result<f64>
/// where
///     A: LearnInPieces<Measured<'a>, State = (), Summary = T>,
///     A::Model: didact_core::Regress,
///     T: Clone + Send + Sync,
/// {
///     let mut online = Online::new(algorithm)?;
///     let mut loss = 0.0;
///     for chunk in stream {
///         let error = online.predict_then_learn(chunk.clone(), run, |model, chunk| {
///             let predicted = didact_core::Regress::regress(model, chunk.samples.rows())?;
///             Ok((predicted - chunk.targets).mapv(|error| error * error).sum())
///         })?;
///         loss += error.unwrap_or(0.0);
///     }
///     Ok(loss)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Online<A, T> {
    algorithm: A,
    /// What is remembered, oldest first; one merged summary unless chunks are to be forgotten.
    summaries: VecDeque<T>,
    window: Option<usize>,
    rows_seen: usize,
    busy: Duration,
}

impl<A: Parameters, T: Clone + Send + Sync> Online<A, T> {
    /// Starts with nothing learned; fails where a parameter is out of its limits.
    pub fn new(algorithm: A) -> Result<Self> {
        parameters::check(&algorithm)?;
        Ok(Online {
            algorithm,
            summaries: VecDeque::new(),
            window: None,
            rows_seen: 0,
            busy: Duration::ZERO,
        })
    }

    /// Remembers only this many chunks (at least one) and forgets the older ones.
    pub fn remembering(mut self, chunks: usize) -> Self {
        self.window = Some(chunks.max(1));
        self
    }

    /// Learns from the next chunk. A chunk that cannot be learned from changes nothing.
    pub fn learn<D>(&mut self, chunk: D, run: &Run) -> Result<()>
    where
        D: FitData + Send,
        A: LearnInPieces<D, State = (), Summary = T>,
    {
        let start = Instant::now();
        chunk.check(A::ACCEPTS)?;
        run.check()?;
        let n_rows = chunk.n_rows();
        let algorithm = &self.algorithm;
        let summary = run.install(|| algorithm.summarise(&(), chunk, self.rows_seen, run))?;
        // Merging also proves that the chunk belongs to the others, so it comes before any change.
        let merged = match self.summaries.back() {
            Some(before) => algorithm.merge(before.clone(), summary.clone())?,
            None => summary.clone(),
        };
        match self.window {
            None => self.summaries = VecDeque::from([merged]),
            Some(window) => {
                self.summaries.push_back(summary);
                while self.summaries.len() > window {
                    self.summaries.pop_front();
                }
            }
        }
        self.rows_seen += n_rows;
        self.busy += start.elapsed();
        Ok(())
    }

    /// The model of what is remembered, or nothing before the first chunk.
    pub fn model<D>(&self, run: &Run) -> Result<Option<A::Model>>
    where
        D: FitData + Send,
        A: LearnInPieces<D, State = (), Summary = T>,
    {
        let mut summaries = self.summaries.iter().cloned();
        let Some(first) = summaries.next() else {
            return Ok(None);
        };
        let merged = summaries.try_fold(first, |all, next| self.algorithm.merge(all, next))?;
        match run.install(|| self.algorithm.step((), merged, run))? {
            Next::Done(model) => Ok(Some(model)),
            Next::Pass(()) => Err(Error::unsupported(
                "this method needs several passes over the rows; it cannot learn on-line",
            )),
        }
    }

    /// Lets `predict` judge the chunk by the model so far, then learns from the chunk.
    ///
    /// Nothing is predicted before the first chunk has been learned from. Where the first rows
    /// are too few for a model (a variance needs two), start with [`Online::learn`].
    pub fn predict_then_learn<D, R>(
        &mut self,
        chunk: D,
        run: &Run,
        predict: impl FnOnce(&A::Model, &D) -> Result<R>,
    ) -> Result<Option<R>>
    where
        D: FitData + Send,
        A: LearnInPieces<D, State = (), Summary = T>,
    {
        let start = Instant::now();
        let predicted = match self.model::<D>(run)? {
            Some(model) => Some(predict(&model, &chunk)?),
            None => None,
        };
        let predicting = start.elapsed();
        self.learn(chunk, run)?;
        self.busy += predicting;
        Ok(predicted)
    }

    /// Number of rows learned from, forgotten ones included.
    pub fn rows_seen(&self) -> usize {
        self.rows_seen
    }

    /// Rows learned from for each second of work, time between chunks not counted; nothing
    /// before the first chunk.
    pub fn rows_per_second(&self) -> Option<f64> {
        (self.rows_seen > 0).then(|| self.rows_seen as f64 / self.busy.as_secs_f64().max(1e-9))
    }
}
