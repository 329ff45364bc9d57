//! The one verb: parameters plus data give a model.

use crate::{Error, FitData, Parameters, Result, Run, parameters};
use bitflags::bitflags;
use serde::Serialize;
use serde::de::DeserializeOwned;

bitflags! {
    /// What a method takes besides plain dense rows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Accepts: u8 {
        /// Sparse rows.
        const SPARSE = 1;
        /// Missing values, written as NaN.
        const MISSING = 2;
        /// Sample weights.
        const WEIGHTS = 4;
        /// Several targets per row.
        const MULTI_OUTPUT = 8;
    }
}

/// Learns a model from data of kind `D`.
///
/// An algorithm implements [`Fit::learn`]; users call [`Fit::fit`], which first checks the
/// parameters against their schema and the data against [`Fit::ACCEPTS`]. `learn` may
/// therefore rely on at least one row and one column, finite values (NaN only where missing
/// values are accepted), contiguous dense rows, and parameters within their limits.
pub trait Fit<D: FitData + Send>: Parameters {
    /// What is learned. A type of its own, so that an unfitted model cannot predict.
    type Model: Send;

    /// What the method takes besides plain dense rows.
    const ACCEPTS: Accepts = Accepts::empty();

    /// What the method takes with these parameters: [`Fit::ACCEPTS`], or less where a parameter
    /// rules something out. For those who choose the data; `learn` refuses what is ruled out
    /// and says which parameter does it.
    fn accepts(&self) -> Accepts {
        Self::ACCEPTS
    }

    /// The algorithm itself, on parameters and data that have been checked.
    fn learn(&self, data: D, run: &Run) -> Result<Self::Model>;

    /// Checks everything, then learns, silently and on all cores.
    fn fit(&self, data: D) -> Result<Self::Model> {
        self.fit_with(data, &Run::default())
    }

    /// Checks everything, then learns within the given run.
    fn fit_with(&self, data: D, run: &Run) -> Result<Self::Model> {
        parameters::check(self)?;
        run.check()?;
        run.install(|| {
            data.check(Self::ACCEPTS)?;
            self.learn(data, run)
        })
    }
}

/// Learning that may start from an earlier model of the same classes and columns, which saves
/// iterations where data or parameters have changed little. Where the minimum is unique, it is
/// found from any start.
pub trait StartFrom<D: FitData + Send>: Fit<D> {
    /// The algorithm itself, from the solution of `start` instead of from nothing.
    fn learn_from(&self, start: &Self::Model, data: D, run: &Run) -> Result<Self::Model>;

    /// Checks everything, then learns from that start, silently and on all cores.
    fn fit_from(&self, start: &Self::Model, data: D) -> Result<Self::Model>
    where
        Self::Model: Sync,
    {
        self.fit_from_with(start, data, &Run::default())
    }

    /// Checks everything, then learns from that start within the given run.
    fn fit_from_with(&self, start: &Self::Model, data: D, run: &Run) -> Result<Self::Model>
    where
        Self::Model: Sync,
    {
        parameters::check(self)?;
        run.check()?;
        run.install(|| {
            data.check(Self::ACCEPTS)?;
            self.learn_from(start, data, run)
        })
    }
}

/// What a pass over the data led to.
#[derive(Debug)]
pub enum Next<S, M> {
    /// Another pass is needed, starting from this state.
    Pass(S),
    /// The model is finished.
    Done(M),
}

/// Learning in pieces: `summarise` chunks, `merge` the summaries, `step`.
///
/// The same three functions serve threads, files larger than memory and clusters. The laws:
/// merging is associative and order-free, and the result does not depend on how the rows were
/// cut, both up to rounding. A method that needs one pass ends its first `step` with
/// [`Next::Done`].
pub trait LearnInPieces<D: FitData + Send>: Fit<D> {
    /// What is known between passes: the centres of k-means, nothing for a mean.
    type State: Clone + Serialize + DeserializeOwned + Send + Sync;
    /// What a pass keeps of a chunk; its size does not grow with the number of rows.
    type Summary: Serialize + DeserializeOwned + Send + Sync;

    /// The state before the first pass.
    fn start(&self) -> Result<Self::State>;

    /// What the chunk contributes to this pass. `first_row` is the position of the chunk's
    /// first row in all the data, for methods that draw rows at random.
    fn summarise(
        &self,
        state: &Self::State,
        chunk: D,
        first_row: usize,
        run: &Run,
    ) -> Result<Self::Summary>;

    /// Fails when a summary from another worker does not belong to this pass or contradicts
    /// itself: shapes that do not fit would otherwise panic in `merge` or `step`.
    fn check_summary(&self, _state: &Self::State, _summary: &Self::Summary) -> Result<()> {
        Ok(())
    }

    /// What two chunks contribute together.
    fn merge(&self, left: Self::Summary, right: Self::Summary) -> Result<Self::Summary>;

    /// Ends a pass over all chunks.
    fn step(
        &self,
        state: Self::State,
        summary: Self::Summary,
        run: &Run,
    ) -> Result<Next<Self::State, Self::Model>>;

    /// What a finished model remembers of the rows it learned from, where that is enough to go on
    /// learning: the summary of those rows, up to rounding.
    fn recall(&self, _model: &Self::Model) -> Option<Self::Summary> {
        None
    }
}

/// Fails unless a summary belongs to the pass that it was sent to.
pub fn ensure_belongs(belongs: bool) -> Result<()> {
    match belongs {
        true => Ok(()),
        false => Err(Error::data(
            "the summary is damaged or of another pass or of other columns; \
             summarise the chunk again with the state of this pass",
        )),
    }
}
