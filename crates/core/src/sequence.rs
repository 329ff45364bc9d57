//! Learning row after row, where the order of the rows matters.

use crate::any_data::{Data, Kind};
use crate::learner::Pieces;
use crate::model::{AnyModel, Model};
use crate::{Error, Fit, FitData, Parameters, Result, Run, encoding, parameters};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

/// Learning in sequence: every row changes what is known, so the order of the rows matters and
/// chunks cannot be summed up apart, as [`crate::LearnInPieces`] demands.
///
/// The laws: learning chunk after chunk equals one pass over their rows in the same order, wherever
/// they were cut, and learning goes on from a finished model as if it had never ended.
pub trait LearnInSequence<D: FitData + Send>: Fit<D> {
    /// Where learning stands: weights, the number of rows seen.
    type State: Clone + Serialize + DeserializeOwned + Send + Sync;

    /// Fails where a parameter needs all rows at once, and names it.
    fn check_sequence(&self) -> Result<()> {
        Ok(())
    }

    /// Where learning stands before the first chunk, of which only columns and classes count.
    fn begin(&self, chunk: &D) -> Result<Self::State>;

    /// Learns from the rows of a chunk in their order. Fails where the chunk has other columns or
    /// classes than those before; the state is then thrown away.
    fn learn_chunk(&self, state: &mut Self::State, chunk: D, run: &Run) -> Result<()>;

    /// Ends a pass over all rows; whether no other is needed.
    fn end_pass(&self, state: &mut Self::State) -> Result<bool>;

    /// The model of what is known.
    fn model(&self, state: &Self::State) -> Result<Self::Model>;

    /// Where learning stood when the model was made, or nothing where it does not remember.
    fn resume(&self, model: &Self::Model) -> Option<Self::State>;
}

/// Learns from a stream in sequence, with a model at any time.
///
/// ```
/// use didact_core::{InSequence, LearnInSequence, Measured, Result, Run};
///
/// /// What the algorithm knows after a stream of chunks.
/// fn follow<'a, A, S>(algorithm: A, stream: &[Measured<'a>], run: &Run) -> Result<A::Model>
/// where
///     A: LearnInSequence<Measured<'a>, State = S>,
///     S: Clone + Send,
/// {
///     let mut learning = InSequence::new(algorithm)?;
///     for chunk in stream {
///         learning.learn(chunk.clone(), run)?;
///     }
///     learning.model::<Measured<'a>>()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct InSequence<A, S> {
    algorithm: A,
    /// Nothing before the first chunk.
    state: Option<S>,
}

impl<A: Parameters, S: Clone + Send> InSequence<A, S> {
    /// Starts with nothing learned; fails where a parameter is out of its limits.
    pub fn new(algorithm: A) -> Result<Self> {
        parameters::check(&algorithm)?;
        Ok(InSequence {
            algorithm,
            state: None,
        })
    }

    /// Goes on where a finished model ended.
    pub fn resume<D>(mut self, model: &A::Model) -> Result<Self>
    where
        D: FitData + Send,
        A: LearnInSequence<D, State = S>,
    {
        let state = self.algorithm.resume(model);
        self.state = Some(state.ok_or_else(|| {
            Error::unsupported(
                "the model was written by an earlier release and does not say where its learning \
                 stood; learn from the first chunk on instead",
            )
        })?);
        Ok(self)
    }

    /// Learns from the next chunk. A chunk that cannot be learned from changes nothing.
    pub fn learn<D>(&mut self, chunk: D, run: &Run) -> Result<()>
    where
        D: FitData + Send,
        A: LearnInSequence<D, State = S>,
    {
        self.algorithm.check_sequence()?;
        chunk.check(A::ACCEPTS)?;
        run.check()?;
        let mut state = match &self.state {
            Some(state) => state.clone(),
            None => self.algorithm.begin(&chunk)?,
        };
        run.install(|| self.algorithm.learn_chunk(&mut state, chunk, run))?;
        self.state = Some(state);
        Ok(())
    }

    /// Ends a pass over all rows; whether no other is needed.
    pub fn end_pass<D>(&mut self) -> Result<bool>
    where
        D: FitData + Send,
        A: LearnInSequence<D, State = S>,
    {
        let state = self.state.as_mut().ok_or_else(no_rows)?;
        self.algorithm.end_pass(state)
    }

    /// The model of what is known so far.
    pub fn model<D>(&self) -> Result<A::Model>
    where
        D: FitData + Send,
        A: LearnInSequence<D, State = S>,
    {
        self.algorithm
            .model(self.state.as_ref().ok_or_else(no_rows)?)
    }
}

fn no_rows() -> Error {
    Error::data("there are no rows; give at least one")
}

/// Learning in sequence with the types hidden.
pub(crate) struct TypedSequence<A, K, S> {
    learning: InSequence<A, S>,
    finished: bool,
    kind: PhantomData<fn() -> K>,
}

impl<A, K: Kind, S, M: Model> TypedSequence<A, K, S>
where
    for<'a> A: LearnInSequence<K::Data<'a>, Model = M, State = S>,
    S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    pub(crate) fn boxed(algorithm: A) -> Result<Box<dyn Pieces>> {
        LearnInSequence::<K::Data<'static>>::check_sequence(&algorithm)?;
        Ok(Box::new(TypedSequence {
            learning: InSequence::new(algorithm)?,
            finished: false,
            kind: PhantomData::<fn() -> K>,
        }))
    }

    fn unfinished(&self) -> Result<()> {
        match self.finished {
            true => Err(Error::unsupported("the model is finished already")),
            false => Ok(()),
        }
    }
}

/// Chunks that are learned from in sequence cannot be summed up by somebody else.
fn in_order() -> Error {
    Error::unsupported(
        "this method learns row after row, so its chunks cannot be summed up apart; \
         hand them to it one after the other",
    )
}

impl<A, K: Kind, S, M: Model> Pieces for TypedSequence<A, K, S>
where
    for<'a> A: LearnInSequence<K::Data<'a>, Model = M, State = S>,
    S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn observe(&mut self, chunk: Data<'_>, _first_row: usize, run: &Run) -> Result<()> {
        self.unfinished()?;
        let chunk = K::open(chunk)
            .ok_or_else(|| Error::unsupported(format!("this method learns from {}", K::KIND)))?;
        self.learning.learn(chunk, run)
    }

    fn end_pass(&mut self, run: &Run) -> Result<Option<Box<dyn AnyModel>>> {
        self.unfinished()?;
        run.check()?;
        self.finished = self.learning.end_pass::<K::Data<'static>>()?;
        match self.finished {
            true => Ok(Some(Box::new(self.learning.model::<K::Data<'static>>()?))),
            false => Ok(None),
        }
    }

    fn model_so_far(&self, _run: &Run) -> Result<Box<dyn AnyModel>> {
        Ok(Box::new(self.learning.model::<K::Data<'static>>()?))
    }

    fn resume(&mut self, model: &dyn AnyModel) -> Result<()> {
        let model = model.as_any().downcast_ref::<M>();
        let model = model.ok_or_else(|| Error::unsupported("the model is of another method"))?;
        let learning = self.learning.clone();
        self.learning = learning.resume::<K::Data<'static>>(model)?;
        Ok(())
    }

    fn state(&self) -> Result<Vec<u8>> {
        encoding::to_bytes(self.learning.state.as_ref().ok_or_else(in_order)?)
    }

    fn summarise(&self, _chunk: Data<'_>, _first_row: usize, _run: &Run) -> Result<Vec<u8>> {
        Err(in_order())
    }

    fn merge(&mut self, _summary: &[u8]) -> Result<()> {
        Err(in_order())
    }
}
