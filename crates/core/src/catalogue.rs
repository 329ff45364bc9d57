//! The entry of an algorithm in the catalogue: everything that the faces need to know.
//!
//! A family lists its algorithms with one line each:
//!
//! ```text
//! Entry::of::<Ridge>("ridge").family("linear").serves(&["ridge"]).regressor().into()
//! ```

use crate::any_data::*;
use crate::learner::{Learner, Pieces, TypedLearner, TypedPieces};
use crate::model::{AnyModel, Described, Model, decode_model};
use crate::properties::{Property, properties};
use crate::sequence::{LearnInSequence, TypedSequence};
use crate::{
    Accepts, Error, Fit, Labelled, LabelledSequences, LearnInPieces, Measured, Parameters, Result,
    Run, Samples, Sequences, StartFrom, parameters,
};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};
use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

/// What a method is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Predict a class.
    Classification,
    /// Predict real numbers.
    Regression,
    /// Find groups.
    Clustering,
    /// Turn rows into other rows.
    Transformation,
    /// Describe how the data are distributed.
    Density,
    /// Explain or label the items of sequences.
    Sequence,
}

impl fmt::Display for Task {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Task::Classification => "classification",
            Task::Regression => "regression",
            Task::Clustering => "clustering",
            Task::Transformation => "transformation",
            Task::Density => "density",
            Task::Sequence => "sequence",
        })
    }
}

/// Where the states of a model live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateSpace {
    /// In a finite set: the hidden states of a Markov model.
    Discrete,
    /// In a region of the space of features.
    Continuous,
}

impl fmt::Display for StateSpace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StateSpace::Discrete => "a finite set of states",
            StateSpace::Continuous => "the space of features",
        })
    }
}

/// Which values the columns may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Values {
    /// Any finite number.
    #[default]
    Any,
    /// No negative number: counts and the like.
    Counts,
    /// The codes 0, 1, 2, … of categories.
    Categories,
}

/// One way in which an algorithm learns: from which data, for what, and what comes out.
#[derive(Clone, Debug, Serialize)]
pub struct Route {
    /// What it learns from.
    pub kind: DataKind,
    /// What it is told about the answers.
    pub learning: Learning,
    /// What it is for.
    pub task: Task,
    /// What it takes besides plain dense rows.
    #[serde(serialize_with = "accepts_as_words")]
    pub accepts: Accepts,
    /// Which values the columns may have, with the default parameters.
    pub values: Values,
    /// Whether it can learn in pieces.
    pub in_pieces: bool,
    /// Whether it can learn in sequence: from chunks in the order of their rows, which matters.
    pub in_sequence: bool,
    /// Whether it can learn on-line: every piece is seen once, and a model is ready after each.
    /// Whether it keeps up with the stream (real time) depends on the stream and is measured.
    pub online: bool,
    /// Whether a fit may start from an earlier model.
    pub warm_start: bool,
    /// Whether missing values are gone after it has transformed the rows.
    pub fills_missing: bool,
    /// Where the states of the model live.
    pub state_space: StateSpace,
    /// What the model can do.
    pub abilities: Vec<&'static str>,
    /// What the model knows.
    pub attributes: Vec<Described>,
    /// What the model can draw.
    pub figures: Vec<Described>,
    #[serde(skip)]
    decode: fn(&[u8]) -> Result<Box<dyn AnyModel>>,
}

impl Route {
    /// The same route for a composition whose last step is this one: what it accepts and
    /// whether it learns in pieces or in sequence depends on all steps, and it reads its own
    /// models.
    pub fn composed(
        &self,
        accepts: Accepts,
        along: &[&Route],
        decode: fn(&[u8]) -> Result<Box<dyn AnyModel>>,
    ) -> Route {
        let in_pieces = along.iter().all(|route| route.in_pieces);
        let in_chunks = along.iter().all(|route| route.learns_in_chunks());
        Route {
            accepts,
            in_pieces,
            in_sequence: in_chunks && !in_pieces,
            // The steps of a composition learn one after the other, each in passes of its own.
            online: false,
            warm_start: false,
            decode,
            ..self.clone()
        }
    }

    /// Whether it can learn from data larger than memory, chunk by chunk.
    pub fn learns_in_chunks(&self) -> bool {
        self.in_pieces || self.in_sequence
    }

    /// Reads a model that was learned on this route.
    pub fn decode(&self, bytes: &[u8]) -> Result<Box<dyn AnyModel>> {
        (self.decode)(bytes)
    }
}

fn accepts_as_words<S: Serializer>(accepts: &Accepts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(accept_words(*accepts))
}

/// What a method takes besides plain dense rows, in words.
pub fn accept_words(accepts: Accepts) -> Vec<&'static str> {
    [
        (Accepts::SPARSE, "sparse"),
        (Accepts::MISSING, "missing-values"),
        (Accepts::WEIGHTS, "weights"),
        (Accepts::MULTI_OUTPUT, "multi-output"),
    ]
    .into_iter()
    .filter_map(|(flag, word)| accepts.contains(flag).then_some(word))
    .collect()
}

/// Whether a method models the data or only the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Modelling {
    /// It models P(x, y) or p(x), so it can draw new data.
    Generative,
    /// It models P(y given x) or a boundary only.
    Discriminative,
    /// It describes or changes the data without a distribution.
    Descriptive,
}

impl fmt::Display for Modelling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Modelling::Generative => "generative",
            Modelling::Discriminative => "discriminative",
            Modelling::Descriptive => "descriptive",
        })
    }
}

/// What a student would ask first about a method.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Card {
    /// What is optimised: "maximum likelihood", "within-cluster squared distance".
    pub objective: &'static str,
    /// Time in rows n, columns d and whatever else matters.
    pub cost: &'static str,
    /// Whether it models the data or only the answer.
    pub modelling: Modelling,
}

type Parse = Arc<dyn Fn(&Map<String, Json>) -> Result<Box<dyn Learner>> + Send + Sync>;

/// An algorithm of the catalogue.
#[derive(Clone, Serialize)]
pub struct Entry {
    /// The id that users type, in kebab case.
    pub id: &'static str,
    /// The name of the Rust type and of the Python class.
    pub name: String,
    /// The family it belongs to.
    pub family: &'static str,
    /// What it does, in one line.
    pub summary: String,
    /// The whole documentation of the type.
    pub description: String,
    /// Objective, cost and kind of modelling.
    pub card: Card,
    /// How it behaves, property by property; ten for every clustering method.
    pub properties: Vec<Property>,
    /// The JSON schema of its parameters.
    pub schema: Json,
    /// The ways in which it learns.
    pub routes: Vec<Route>,
    /// The ids of the capabilities that it serves.
    pub serves: &'static [&'static str],
    #[serde(skip)]
    parse: Parse,
}

impl fmt::Debug for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Entry")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Entry {
    /// Starts the entry of the algorithm `A`.
    pub fn of<A: Parameters>(id: &'static str) -> EntryBuilder<A> {
        EntryBuilder {
            id,
            family: "",
            serves: &[],
            card: Card {
                objective: "",
                cost: "",
                modelling: Modelling::Descriptive,
            },
            properties: &[],
            routes: Vec::new(),
        }
    }

    /// The algorithm with the given parameters; what is not mentioned keeps its default.
    pub fn learner(&self, parameters: &Map<String, Json>) -> Result<Box<dyn Learner>> {
        (self.parse)(parameters)
    }

    /// The route from data of this kind, if there is one.
    pub fn route(&self, kind: DataKind) -> Option<&Route> {
        self.routes.iter().find(|route| route.kind == kind)
    }

    /// Whether one of the routes is for this task.
    pub fn is_for(&self, task: Task) -> bool {
        self.routes.iter().any(|route| route.task == task)
    }
}

/// How an algorithm of type `A` learns along one route.
pub(crate) struct TypedRoute<A> {
    pub(crate) route: Route,
    pub(crate) accepts: fn(&A) -> Accepts,
    pub(crate) fit: FitErased<A>,
    pub(crate) fit_from: Option<FitFrom<A>>,
    pub(crate) pieces: Option<StartPieces<A>>,
}

type FitErased<A> = fn(&A, Data<'_>, &Run) -> Result<Box<dyn AnyModel>>;
type FitFrom<A> = fn(&A, &dyn AnyModel, Data<'_>, &Run) -> Result<Box<dyn AnyModel>>;
type StartPieces<A> = fn(&A) -> Result<Box<dyn Pieces>>;

/// An entry in the making.
pub struct EntryBuilder<A> {
    id: &'static str,
    family: &'static str,
    serves: &'static [&'static str],
    card: Card,
    properties: &'static [(&'static str, &'static str)],
    routes: Vec<TypedRoute<A>>,
}

impl<A: Parameters> EntryBuilder<A> {
    /// Names the family.
    pub fn family(mut self, family: &'static str) -> Self {
        self.family = family;
        self
    }

    /// Names the capabilities that the algorithm serves.
    pub fn serves(mut self, capabilities: &'static [&'static str]) -> Self {
        self.serves = capabilities;
        self
    }

    /// Says what is optimised and at what cost.
    pub fn card(
        mut self,
        modelling: Modelling,
        objective: &'static str,
        cost: &'static str,
    ) -> Self {
        self.card = Card {
            objective,
            cost,
            modelling,
        };
        self
    }

    /// Says how the algorithm behaves, as pairs of property and behaviour; what follows from the
    /// rest of the entry need not be said.
    pub fn properties(mut self, properties: &'static [(&'static str, &'static str)]) -> Self {
        self.properties = properties;
        self
    }

    /// Says that the transformation leaves no missing values.
    pub fn fills_missing(mut self) -> Self {
        for typed in &mut self.routes {
            typed.route.fills_missing = true;
        }
        self
    }

    /// Says which values the columns may have.
    pub fn values(mut self, values: Values) -> Self {
        for typed in &mut self.routes {
            typed.route.values = values;
        }
        self
    }

    /// Learns to predict classes.
    pub fn classifier<M: Model>(self) -> Self
    where
        for<'a> A: Fit<Labelled<'a>, Model = M>,
    {
        self.route::<OfLabelled, M>(Task::Classification)
    }

    /// Learns to predict real numbers.
    pub fn regressor<M: Model>(self) -> Self
    where
        for<'a> A: Fit<Measured<'a>, Model = M>,
    {
        self.route::<OfMeasured, M>(Task::Regression)
    }

    /// Learns to turn rows into other rows.
    pub fn transformer<M: Model>(self) -> Self
    where
        for<'a> A: Fit<Samples<'a>, Model = M>,
    {
        self.route::<OfSamples, M>(Task::Transformation)
    }

    /// Learns to find groups.
    pub fn clusterer<M: Model>(self) -> Self
    where
        for<'a> A: Fit<Samples<'a>, Model = M>,
    {
        self.route::<OfSamples, M>(Task::Clustering)
    }

    /// Learns how the data are distributed.
    pub fn density<M: Model>(self) -> Self
    where
        for<'a> A: Fit<Samples<'a>, Model = M>,
    {
        self.route::<OfSamples, M>(Task::Density)
    }

    /// Learns hidden states from sequences alone.
    pub fn sequence_model<M: Model>(self) -> Self
    where
        for<'a> A: Fit<Sequences<'a>, Model = M>,
    {
        self.route::<OfSequences, M>(Task::Sequence)
    }

    /// Learns states from sequences whose items are labelled.
    pub fn sequence_labeller<M: Model>(self) -> Self
    where
        for<'a> A: Fit<LabelledSequences<'a>, Model = M>,
    {
        self.route::<OfLabelledSequences, M>(Task::Sequence)
    }

    /// Adds a way of learning from any kind of data.
    pub fn route<K: Kind, M: Model>(mut self, task: Task) -> Self
    where
        for<'a> A: Fit<K::Data<'a>, Model = M>,
    {
        let described = |name, meaning| Described { name, meaning };
        let route = Route {
            kind: K::KIND,
            learning: K::KIND.learning(),
            task,
            accepts: <A as Fit<K::Data<'static>>>::ACCEPTS,
            values: Values::Any,
            in_pieces: false,
            in_sequence: false,
            online: false,
            warm_start: false,
            fills_missing: false,
            state_space: match M::ABILITIES.names().contains(&"decode") {
                true => StateSpace::Discrete,
                false => StateSpace::Continuous,
            },
            abilities: M::ABILITIES.names(),
            attributes: M::ATTRIBUTES
                .iter()
                .map(|a| described(a.name, a.meaning))
                .collect(),
            figures: M::FIGURES
                .iter()
                .map(|f| described(f.name, f.meaning))
                .collect(),
            decode: decode_model::<M>,
        };
        self.routes.push(TypedRoute {
            route,
            accepts: accepts::<A, K>,
            fit: fit_erased::<A, K, M>,
            fit_from: None,
            pieces: None,
        });
        self
    }

    /// Learns in pieces from rows alone too.
    pub fn samples_in_pieces<M: Model, S, T>(self) -> Self
    where
        for<'a> A: LearnInPieces<Samples<'a>, Model = M, State = S, Summary = T>,
        S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.in_pieces::<OfSamples, M, S, T>()
    }

    /// Learns in pieces from rows with classes too.
    pub fn labelled_in_pieces<M: Model, S, T>(self) -> Self
    where
        for<'a> A: LearnInPieces<Labelled<'a>, Model = M, State = S, Summary = T>,
        S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.in_pieces::<OfLabelled, M, S, T>()
    }

    /// Learns in pieces from rows with real targets too.
    pub fn measured_in_pieces<M: Model, S, T>(self) -> Self
    where
        for<'a> A: LearnInPieces<Measured<'a>, Model = M, State = S, Summary = T>,
        S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.in_pieces::<OfMeasured, M, S, T>()
    }

    /// Learns in pieces from sequences too.
    pub fn sequences_in_pieces<M: Model, S, T>(self) -> Self
    where
        for<'a> A: LearnInPieces<Sequences<'a>, Model = M, State = S, Summary = T>,
        S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.in_pieces::<OfSequences, M, S, T>()
    }

    /// May start from an earlier model when it learns from rows with classes.
    pub fn labelled_warm_start<M: Model>(self) -> Self
    where
        for<'a> A: StartFrom<Labelled<'a>, Model = M>,
    {
        self.warm_start::<OfLabelled, M>()
    }

    /// May start from an earlier model when it learns from rows with real targets.
    pub fn measured_warm_start<M: Model>(self) -> Self
    where
        for<'a> A: StartFrom<Measured<'a>, Model = M>,
    {
        self.warm_start::<OfMeasured, M>()
    }

    fn warm_start<K: Kind, M: Model>(mut self) -> Self
    where
        for<'a> A: StartFrom<K::Data<'a>, Model = M>,
    {
        let of_kind = |typed: &&mut TypedRoute<A>| typed.route.kind == K::KIND;
        for typed in self.routes.iter_mut().filter(of_kind) {
            typed.route.warm_start = true;
            typed.fit_from = Some(fit_from_erased::<A, K, M>);
        }
        self
    }

    /// Learns in sequence from rows with classes too.
    pub fn labelled_in_sequence<M: Model, S>(self) -> Self
    where
        for<'a> A: LearnInSequence<Labelled<'a>, Model = M, State = S>,
        S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.in_sequence::<OfLabelled, M, S>()
    }

    /// Learns in sequence from rows with real targets too.
    pub fn measured_in_sequence<M: Model, S>(self) -> Self
    where
        for<'a> A: LearnInSequence<Measured<'a>, Model = M, State = S>,
        S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        self.in_sequence::<OfMeasured, M, S>()
    }

    fn in_sequence<K: Kind, M: Model, S>(mut self) -> Self
    where
        for<'a> A: LearnInSequence<K::Data<'a>, Model = M, State = S>,
        S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let of_kind = |typed: &&mut TypedRoute<A>| typed.route.kind == K::KIND;
        for typed in self.routes.iter_mut().filter(of_kind) {
            typed.route.in_sequence = true;
            typed.route.online = true;
            typed.pieces = Some(|algorithm| TypedSequence::<A, K, S>::boxed(algorithm.clone()));
        }
        self
    }

    fn in_pieces<K: Kind, M: Model, S, T>(mut self) -> Self
    where
        for<'a> A: LearnInPieces<K::Data<'a>, Model = M, State = S, Summary = T>,
        S: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        for typed in self
            .routes
            .iter_mut()
            .filter(|typed| typed.route.kind == K::KIND)
        {
            typed.route.in_pieces = true;
            // With nothing to remember between passes there is only one.
            typed.route.online = TypeId::of::<S>() == TypeId::of::<()>();
            typed.pieces = Some(|algorithm| TypedPieces::<A, K, S, T>::boxed(algorithm.clone()));
        }
        self
    }
}

fn accepts<A, K: Kind>(algorithm: &A) -> Accepts
where
    for<'a> A: Fit<K::Data<'a>>,
{
    Fit::<K::Data<'static>>::accepts(algorithm)
}

fn fit_erased<A, K: Kind, M: Model>(
    algorithm: &A,
    data: Data<'_>,
    run: &Run,
) -> Result<Box<dyn AnyModel>>
where
    for<'a> A: Fit<K::Data<'a>, Model = M>,
{
    let data = K::open(data)
        .ok_or_else(|| Error::unsupported(format!("this method learns from {}", K::KIND)))?;
    Ok(Box::new(algorithm.fit_with(data, run)?))
}

fn fit_from_erased<A, K: Kind, M: Model>(
    algorithm: &A,
    start: &dyn AnyModel,
    data: Data<'_>,
    run: &Run,
) -> Result<Box<dyn AnyModel>>
where
    for<'a> A: StartFrom<K::Data<'a>, Model = M>,
{
    let data = K::open(data)
        .ok_or_else(|| Error::unsupported(format!("this method learns from {}", K::KIND)))?;
    let start = start.as_any().downcast_ref::<M>().ok_or_else(|| {
        Error::unsupported("the model to start from is of another method; give one of this method")
    })?;
    Ok(Box::new(algorithm.fit_from_with(start, data, run)?))
}

impl<A: Parameters> From<EntryBuilder<A>> for Entry {
    fn from(builder: EntryBuilder<A>) -> Self {
        let schema = parameters::schema::<A>();
        let text = |key: &str| schema[key].as_str().unwrap_or_default().to_owned();
        let description = text("description");
        let summary = description.lines().next().unwrap_or_default().to_owned();
        let routes: Arc<[TypedRoute<A>]> = builder.routes.into();
        let listed: Vec<Route> = routes.iter().map(|typed| typed.route.clone()).collect();
        let id = builder.id;
        let parse: Parse = Arc::new(move |values| {
            let parameters: A = parameters::from_json(id, values)?;
            Ok(Box::new(TypedLearner::new(
                id,
                parameters,
                Arc::clone(&routes),
            )))
        });
        Entry {
            id,
            name: text("title"),
            family: builder.family,
            summary,
            description,
            card: builder.card,
            properties: properties(&builder.card, builder.properties, &listed, &schema),
            routes: listed,
            serves: builder.serves,
            schema: (*schema).clone(),
            parse,
        }
    }
}
