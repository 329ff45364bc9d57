//! Models inside models: the steps of a pipeline, the members of a wrapper.

use crate::catalogue;
use didact_core::model::AnyModel;
use didact_core::{Data, DataKind, Learner, Result, Run};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A model together with what is needed to read it back: its algorithm and its kind of data.
pub struct Stored {
    algorithm: String,
    kind: DataKind,
    /// The model itself.
    pub model: Box<dyn AnyModel>,
}

impl Stored {
    /// Fits a learner of the catalogue and remembers how.
    pub fn fit(learner: &dyn Learner, data: Data<'_>, run: &Run) -> Result<Self> {
        let kind = learner.route_for(data.kind())?.kind;
        let model = learner.fit(data, run)?;
        Ok(Stored::new(learner.id(), kind, model))
    }

    /// Puts a model and its origin together.
    pub fn new(algorithm: &str, kind: DataKind, model: Box<dyn AnyModel>) -> Self {
        Stored {
            algorithm: algorithm.to_owned(),
            kind,
            model,
        }
    }
}

/// The form of a stored model in a file.
#[derive(Serialize, Deserialize)]
struct Form<'a> {
    algorithm: String,
    kind: DataKind,
    #[serde(borrow)]
    body: Bytes<'a>,
}

/// Bytes that are written as bytes, not as a list of numbers, and read where they lie.
pub(crate) struct Bytes<'a>(pub(crate) Cow<'a, [u8]>);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Bytes<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Bytes<'de>;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("bytes")
            }
            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Bytes<'de>, E> {
                Ok(Bytes(Cow::Borrowed(bytes)))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes<'de>, E> {
                Ok(Bytes(Cow::Owned(bytes.to_vec())))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

impl Serialize for Stored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.model.encode().map_err(serde::ser::Error::custom)?;
        Form {
            algorithm: self.algorithm.clone(),
            kind: self.kind,
            body: Bytes(Cow::Owned(body)),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Stored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::deserialize(deserializer)?;
        let model =
            decode(&form.algorithm, form.kind, &form.body.0).map_err(serde::de::Error::custom)?;
        Ok(Stored::new(&form.algorithm, form.kind, model))
    }
}

/// Reads the model of a catalogue algorithm that learned from data of this kind.
pub(crate) fn decode(algorithm: &str, kind: DataKind, body: &[u8]) -> Result<Box<dyn AnyModel>> {
    let entry = catalogue::find(algorithm)?;
    let route = entry.route(kind).ok_or_else(|| {
        didact_core::Error::ModelFile(format!(
            "{algorithm} does not learn from {kind}; the file is damaged"
        ))
    })?;
    route.decode(body)
}
