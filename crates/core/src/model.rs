//! Fitted models: what they know, listed once, and what they can do.

use crate::abilities::*;
use crate::{Classes, Error, Result, Trace, encoding};
use ndarray::{Array, Array2, ArrayView, ArrayViewD, CowArray, Dimension, IxDyn};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::Any;

/// A value that a model knows.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// A real number.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// Yes or no.
    Flag(bool),
    /// A word or sentence.
    Text(String),
    /// Real numbers in any number of dimensions.
    Array(CowArray<'a, f64, IxDyn>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Words.
    Names(Vec<String>),
    /// Nothing: this model does not have the value.
    Absent,
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        Value::Integer(number as i64)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Flag(flag)
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&[usize]> for Value<'_> {
    fn from(numbers: &[usize]) -> Self {
        Value::Integers(numbers.iter().map(|&number| number as i64).collect())
    }
}

impl From<&Classes> for Value<'_> {
    fn from(classes: &Classes) -> Self {
        Value::Names(classes.names().iter().map(ToString::to_string).collect())
    }
}

impl<'a> From<&'a [f64]> for Value<'a> {
    fn from(numbers: &'a [f64]) -> Self {
        Value::Array(CowArray::from(ArrayView::from(numbers).into_dyn()))
    }
}

impl<'a, D: Dimension> From<&'a Array<f64, D>> for Value<'a> {
    fn from(array: &'a Array<f64, D>) -> Self {
        Value::Array(CowArray::from(array.view().into_dyn()))
    }
}

impl<D: Dimension> From<Array<f64, D>> for Value<'_> {
    fn from(array: Array<f64, D>) -> Self {
        Value::Array(CowArray::from(array.into_dyn()))
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Absent, Into::into)
    }
}

impl Value<'_> {
    /// The array, if the value is one.
    pub fn as_array(&self) -> Option<ArrayViewD<'_, f64>> {
        match self {
            Value::Array(array) => Some(array.view()),
            _ => None,
        }
    }

    /// The number, if the value is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Integer(number) => Some(*number as f64),
            _ => None,
        }
    }
}

/// A figure that a model draws in the space of its features.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "shape", rename_all = "kebab-case")]
pub enum Shape {
    /// Points, one per row.
    Points {
        /// Coordinates.
        points: Array2<f64>,
    },
    /// Gaussian ellipsoids.
    Ellipsoids {
        /// Centres, one per row.
        centers: Array2<f64>,
        /// Covariance of each.
        covariances: Vec<Array2<f64>>,
    },
    /// Balls of one radius.
    Balls {
        /// Centres, one per row.
        centers: Array2<f64>,
        /// The radius.
        radius: f64,
    },
    /// Directions from a common origin.
    Axes {
        /// Where the axes start.
        origin: Vec<f64>,
        /// One direction per row; its length is that of the drawn axis.
        directions: Array2<f64>,
    },
    /// Hyperplanes w·x + b = 0.
    Hyperplanes {
        /// One normal per row.
        normals: Array2<f64>,
        /// One offset b per row.
        offsets: Vec<f64>,
    },
    /// Lines between points.
    Edges {
        /// Coordinates, one point per row.
        points: Array2<f64>,
        /// Pairs of point indices.
        edges: Vec<(usize, usize)>,
    },
}

/// Something that a model knows: its name, what it means, and how to read it.
pub struct Attribute<M> {
    /// The name, scikit-learn's where it has the concept, without the trailing underscore.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// Reads the value from a model.
    pub get: for<'a> fn(&'a M) -> Value<'a>,
}

/// A figure that a model can draw: its name, what it shows, and how to make it.
pub struct Figure<M> {
    /// The name of the layer.
    pub name: &'static str,
    /// What it shows, in one line.
    pub meaning: &'static str,
    /// Makes the shape from a model, where it has something to draw.
    pub get: fn(&M) -> Option<Shape>,
}

/// A name and its meaning, for lists that exist before any model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Described {
    /// The name.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
}

macro_rules! abilities {
    ($($(#[$doc:meta])* $ability:ident, $field:ident, $accessor:ident, $word:literal;)*) => {
        /// Which abilities a kind of model has.
        ///
        /// Written as a constant of the model, `Abilities::none().classify().probabilities()`;
        /// the compiler makes sure that each ability named is implemented.
        pub struct Abilities<M: 'static> {
            $($field: Option<fn(&M) -> &dyn $ability>,)*
        }

        impl<M: 'static> Abilities<M> {
            /// A model that can do nothing yet.
            pub const fn none() -> Self {
                Abilities { $($field: None,)* }
            }

            $(
                $(#[$doc])*
                pub const fn $field(mut self) -> Self
                where
                    M: $ability,
                {
                    self.$field = Some(|model| model);
                    self
                }
            )*

            /// The names of the abilities.
            pub fn names(&self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$field.is_some() { names.push($word); })*
                names
            }
        }

        /// A model of any type: what the command, Python and the studio hold.
        pub trait AnyModel: Features + Send + Sync {
            $(
                /// The ability, if the model has it.
                fn $accessor(&self) -> Option<&dyn $ability>;
            )*

            /// Everything that the model knows.
            fn attributes(&self) -> Vec<(Described, Value<'_>)>;

            /// Every figure that the model has something to draw for.
            fn figures(&self) -> Vec<(Described, Shape)>;

            /// The history of the fit, if it was iterative.
            fn trace(&self) -> Option<&Trace>;

            /// The model as self-describing bytes.
            fn encode(&self) -> Result<Vec<u8>>;

            /// The model as its own type.
            fn as_any(&self) -> &dyn Any;

            /// The names of the abilities that the model has.
            fn ability_names(&self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$accessor().is_some() { names.push($word); })*
                names
            }
        }

        impl<M: Model> AnyModel for M {
            $(
                fn $accessor(&self) -> Option<&dyn $ability> {
                    M::ABILITIES.$field.map(|upcast| upcast(self))
                }
            )*

            fn attributes(&self) -> Vec<(Described, Value<'_>)> {
                M::ATTRIBUTES
                    .iter()
                    .map(|attribute| {
                        let described = Described { name: attribute.name, meaning: attribute.meaning };
                        (described, (attribute.get)(self))
                    })
                    .collect()
            }

            fn figures(&self) -> Vec<(Described, Shape)> {
                M::FIGURES
                    .iter()
                    .filter_map(|figure| {
                        let described = Described { name: figure.name, meaning: figure.meaning };
                        Some((described, (figure.get)(self)?))
                    })
                    .collect()
            }

            fn trace(&self) -> Option<&Trace> {
                Model::trace(self)
            }

            fn encode(&self) -> Result<Vec<u8>> {
                encoding::to_bytes(self)
            }

            fn as_any(&self) -> &dyn Any {
                self
            }
        }
    };
}

abilities! {
    /// Adds: says which class a row belongs to.
    Classify, classify, as_classify, "classify";
    /// Adds: says how probable each class or component is.
    Probabilities, probabilities, as_probabilities, "probabilities";
    /// Adds: gives decision scores.
    Scores, scores, as_scores, "scores";
    /// Adds: predicts real numbers.
    Regress, regress, as_regress, "regress";
    /// Adds: says how sure its predicted numbers are.
    Deviations, deviations, as_deviations, "deviations";
    /// Adds: says which cluster a row belongs to.
    Assign, assign, as_assign, "assign";
    /// Adds: turns rows into other rows.
    Transform, transform, as_transform, "transform";
    /// Adds: takes a transformation back.
    Invert, invert, as_invert, "invert";
    /// Adds: says how probable rows are.
    LogDensity, log_density, as_log_density, "log-density";
    /// Adds: draws new data.
    Sample, sample, as_sample, "sample";
    /// Adds: explains sequences by hidden states.
    Decode, decode, as_decode, "decode";
    /// Adds: says how probable whole sequences are.
    SequenceLikelihood, sequence_likelihood, as_sequence_likelihood, "sequence-likelihood";
}

/// A fitted model: data that can be saved, with its knowledge and abilities listed once.
pub trait Model: Features + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What the model can do.
    const ABILITIES: Abilities<Self>;
    /// What the model knows.
    const ATTRIBUTES: &'static [Attribute<Self>];
    /// What the model can draw.
    const FIGURES: &'static [Figure<Self>] = &[];

    /// The history of the fit, if it was iterative.
    fn trace(&self) -> Option<&Trace> {
        None
    }

    /// Fails when a model that came from a file contradicts itself: shapes that do not belong
    /// together would otherwise panic later.
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// Reads a model back from the bytes of [`AnyModel::encode`].
pub fn decode_model<M: Model>(bytes: &[u8]) -> Result<Box<dyn AnyModel>> {
    let model: M = encoding::from_bytes(bytes)?;
    model.validate()?;
    Ok(Box::new(model))
}

/// Fails with a message for damaged model files unless `consistent`.
pub fn ensure_consistent(consistent: bool) -> Result<()> {
    match consistent {
        true => Ok(()),
        false => Err(Error::ModelFile(
            "the parts of the model do not belong together; the file is damaged".to_owned(),
        )),
    }
}
