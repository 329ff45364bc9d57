//! Algorithms of any type: parameters are set, data of any kind go in, a model of any type
//! comes out.

use crate::any_data::{Data, DataKind, Kind};
use crate::catalogue::{Route, TypedRoute};
use crate::model::AnyModel;
use crate::{
    Error, Fit, FitData, LearnInPieces, Model, Next, Parameters, Result, Run, encoding, parameters,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::sync::Arc;

/// An algorithm whose type is not known: what the faces and the wrappers hold.
pub trait Learner: Send + Sync {
    /// The id in the catalogue.
    fn id(&self) -> &str;

    /// The parameters as a JSON object.
    fn parameters(&self) -> Result<Json>;

    /// The ways in which it learns.
    fn routes(&self) -> Vec<&Route>;

    /// Learns from data of any kind, along [`Learner::route_for`] that kind.
    fn fit(&self, data: Data<'_>, run: &Run) -> Result<Box<dyn AnyModel>>;

    /// Learns like [`Learner::fit`], starting from the solution of an earlier model.
    fn fit_from(
        &self,
        _start: &dyn AnyModel,
        _data: Data<'_>,
        _run: &Run,
    ) -> Result<Box<dyn AnyModel>> {
        Err(no_warm_start(self.id()))
    }

    /// Starts learning in pieces from data of the given kind.
    fn pieces(&self, kind: DataKind) -> Result<Box<dyn Pieces>>;

    /// The route that data of this kind take: their own, or else one that ignores targets.
    fn route_for(&self, kind: DataKind) -> Result<&Route> {
        let routes = self.routes();
        let fallbacks = match kind {
            DataKind::Ratings => [kind, kind, kind],
            DataKind::LabelledSequences => [kind, DataKind::Sequences, DataKind::Samples],
            _ => [kind, DataKind::Samples, DataKind::Samples],
        };
        let found = fallbacks
            .iter()
            .find_map(|&kind| routes.iter().find(|route| route.kind == kind).copied());
        found.ok_or_else(|| {
            let kinds: Vec<String> = routes.iter().map(|route| route.kind.to_string()).collect();
            Error::unsupported(format!(
                "{} learns from {} but was given {kind}",
                self.id(),
                kinds.join(" or ")
            ))
        })
    }
}

/// Learning in pieces, one pass after the other, with the types hidden.
pub trait Pieces: Send {
    /// Takes in a chunk of the current pass; `first_row` is its place in all the data.
    fn observe(&mut self, chunk: Data<'_>, first_row: usize, run: &Run) -> Result<()>;

    /// Ends the pass: the finished model, or nothing when another pass is needed.
    fn end_pass(&mut self, run: &Run) -> Result<Option<Box<dyn AnyModel>>>;

    /// The model of the chunks seen so far; the pass goes on as if nobody had asked.
    ///
    /// Only methods that learn on-line have one before their last pass.
    fn model_so_far(&self, _run: &Run) -> Result<Box<dyn AnyModel>> {
        Err(several_passes())
    }

    /// Goes on where a finished model ended; fails where the model does not remember enough.
    fn resume(&mut self, _model: &dyn AnyModel) -> Result<()> {
        Err(forgetful())
    }

    /// The state of the current pass as bytes, to be sent to other workers.
    fn state(&self) -> Result<Vec<u8>>;

    /// What a chunk contributes, as bytes that can travel.
    fn summarise(&self, chunk: Data<'_>, first_row: usize, run: &Run) -> Result<Vec<u8>>;

    /// Takes in what another worker's chunks contribute.
    fn merge(&mut self, summary: &[u8]) -> Result<()>;
}

fn no_warm_start(id: &str) -> Error {
    Error::unsupported(format!(
        "{id} cannot start from an earlier model; fit it without one"
    ))
}

fn several_passes() -> Error {
    Error::unsupported("this method needs several passes over the rows; it has no model in between")
}

fn forgetful() -> Error {
    Error::unsupported(
        "a finished model of this method does not remember enough of its rows to go on learning; \
         learn in pieces from the start",
    )
}

/// Learns in pieces from a source that can be read again for every pass.
///
/// `pass` calls its argument with each chunk and the place of its first row.
pub fn learn_in_pieces(
    mut pieces: Box<dyn Pieces>,
    mut pass: impl FnMut(&mut dyn FnMut(Data<'_>, usize) -> Result<()>) -> Result<()>,
    run: &Run,
) -> Result<Box<dyn AnyModel>> {
    loop {
        pass(&mut |chunk, first_row| {
            run.check()?;
            pieces.observe(chunk, first_row, run)
        })?;
        if let Some(model) = pieces.end_pass(run)? {
            return Ok(model);
        }
    }
}

/// A [`Learner`] made of parameters of a known type.
pub(crate) struct TypedLearner<A> {
    id: &'static str,
    algorithm: A,
    typed: Arc<[TypedRoute<A>]>,
    /// The routes with what these parameters accept.
    routes: Vec<Route>,
}

impl<A> TypedLearner<A> {
    pub(crate) fn new(id: &'static str, algorithm: A, typed: Arc<[TypedRoute<A>]>) -> Self {
        let narrowed = |typed: &TypedRoute<A>| {
            let mut route = typed.route.clone();
            route.accepts = (typed.accepts)(&algorithm);
            route
        };
        TypedLearner {
            id,
            routes: typed.iter().map(narrowed).collect(),
            algorithm,
            typed,
        }
    }

    fn typed(&self, kind: DataKind) -> &TypedRoute<A> {
        self.typed
            .iter()
            .find(|typed| typed.route.kind == kind)
            .expect("the route was found in this list")
    }
}

impl<A: Parameters> Learner for TypedLearner<A> {
    fn id(&self) -> &str {
        self.id
    }

    fn parameters(&self) -> Result<Json> {
        parameters::to_json(&self.algorithm)
    }

    fn routes(&self) -> Vec<&Route> {
        self.routes.iter().collect()
    }

    fn fit(&self, data: Data<'_>, run: &Run) -> Result<Box<dyn AnyModel>> {
        let kind = self.route_for(data.kind())?.kind;
        (self.typed(kind).fit)(&self.algorithm, data, run)
    }

    fn fit_from(
        &self,
        start: &dyn AnyModel,
        data: Data<'_>,
        run: &Run,
    ) -> Result<Box<dyn AnyModel>> {
        let kind = self.route_for(data.kind())?.kind;
        match self.typed(kind).fit_from {
            Some(fit_from) => fit_from(&self.algorithm, start, data, run),
            None => Err(no_warm_start(self.id)),
        }
    }

    fn pieces(&self, kind: DataKind) -> Result<Box<dyn Pieces>> {
        let kind = self.route_for(kind)?.kind;
        match self.typed(kind).pieces {
            Some(start) => {
                parameters::check(&self.algorithm)?;
                start(&self.algorithm)
            }
            None => Err(Error::unsupported(format!(
                "{} needs all rows at once; it cannot learn in pieces",
                self.id
            ))),
        }
    }
}

/// [`Pieces`] of an algorithm of a known type.
pub(crate) struct TypedPieces<A, K, S, T> {
    algorithm: A,
    /// `None` only after the last pass.
    state: Option<S>,
    pending: Option<T>,
    kind: std::marker::PhantomData<fn() -> K>,
}

impl<A, K: Kind, S, T, M: Model> TypedPieces<A, K, S, T>
where
    for<'a> A: LearnInPieces<K::Data<'a>, Model = M, State = S, Summary = T>,
    S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    pub(crate) fn boxed(algorithm: A) -> Result<Box<dyn Pieces>> {
        let state = LearnInPieces::<K::Data<'static>>::start(&algorithm)?;
        Ok(Box::new(TypedPieces {
            algorithm,
            state: Some(state),
            pending: None,
            kind: std::marker::PhantomData::<fn() -> K>,
        }))
    }

    fn current(&self) -> Result<&S> {
        self.state
            .as_ref()
            .ok_or_else(|| Error::unsupported("the model is finished already"))
    }

    fn summary_of(&self, chunk: Data<'_>, first_row: usize, run: &Run) -> Result<T> {
        let chunk = K::open(chunk)
            .ok_or_else(|| Error::unsupported(format!("this method learns from {}", K::KIND)))?;
        chunk.check(<A as Fit<K::Data<'static>>>::ACCEPTS)?;
        let state = self.current()?;
        run.install(|| self.algorithm.summarise(state, chunk, first_row, run))
    }

    fn add(&mut self, summary: T) -> Result<()> {
        self.pending = Some(match self.pending.take() {
            None => summary,
            Some(before) => {
                LearnInPieces::<K::Data<'static>>::merge(&self.algorithm, before, summary)?
            }
        });
        Ok(())
    }
}

impl<A, K: Kind, S, T, M: Model> Pieces for TypedPieces<A, K, S, T>
where
    for<'a> A: LearnInPieces<K::Data<'a>, Model = M, State = S, Summary = T>,
    S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn observe(&mut self, chunk: Data<'_>, first_row: usize, run: &Run) -> Result<()> {
        let summary = self.summary_of(chunk, first_row, run)?;
        self.add(summary)
    }

    fn end_pass(&mut self, run: &Run) -> Result<Option<Box<dyn AnyModel>>> {
        let summary = self
            .pending
            .take()
            .ok_or_else(|| Error::data("there are no rows; give at least one"))?;
        let state = self.current()?.clone();
        let next = run.install(|| {
            LearnInPieces::<K::Data<'static>>::step(&self.algorithm, state, summary, run)
        })?;
        match next {
            Next::Pass(state) => {
                self.state = Some(state);
                Ok(None)
            }
            Next::Done(model) => {
                self.state = None;
                Ok(Some(Box::new(model)))
            }
        }
    }

    fn model_so_far(&self, run: &Run) -> Result<Box<dyn AnyModel>> {
        let pending = self
            .pending
            .as_ref()
            .ok_or_else(|| Error::data("there are no rows; give at least one"))?;
        // Summaries can always be written and read, which copies them where `Clone` is not asked.
        let summary = encoding::from_bytes(&encoding::to_bytes(pending)?)?;
        let state = self.current()?.clone();
        let next = run.install(|| {
            LearnInPieces::<K::Data<'static>>::step(&self.algorithm, state, summary, run)
        })?;
        match next {
            Next::Done(model) => Ok(Box::new(model)),
            Next::Pass(_) => Err(several_passes()),
        }
    }

    fn resume(&mut self, model: &dyn AnyModel) -> Result<()> {
        let recall = |model| LearnInPieces::<K::Data<'static>>::recall(&self.algorithm, model);
        let summary = model.as_any().downcast_ref::<M>().and_then(recall);
        self.add(summary.ok_or_else(forgetful)?)
    }

    fn state(&self) -> Result<Vec<u8>> {
        encoding::to_bytes(self.current()?)
    }

    fn summarise(&self, chunk: Data<'_>, first_row: usize, run: &Run) -> Result<Vec<u8>> {
        encoding::to_bytes(&self.summary_of(chunk, first_row, run)?)
    }

    fn merge(&mut self, summary: &[u8]) -> Result<()> {
        let summary = encoding::from_bytes(summary)?;
        let state = self.current()?;
        LearnInPieces::<K::Data<'static>>::check_summary(&self.algorithm, state, &summary)?;
        self.add(summary)
    }
}
