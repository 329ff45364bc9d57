//! Data of any kind: what the faces hand to an algorithm that they know by name only.

use crate::{
    Error, FitData, Labelled, LabelledSequences, Linked, Measured, OwnedRows, PartlyLabelled,
    Ratings, Result, Samples, Sequences,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kinds of data, by what is known about the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataKind {
    /// Rows alone.
    Samples,
    /// Rows with a class each.
    Labelled,
    /// Rows with real targets.
    Measured,
    /// Rows of which some have a class.
    PartlyLabelled,
    /// Rows with links between some of them.
    Linked,
    /// Sequences of rows.
    Sequences,
    /// Sequences of rows with a class each.
    LabelledSequences,
    /// Users' ratings of items.
    Ratings,
}

impl fmt::Display for DataKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            DataKind::Samples => "rows",
            DataKind::Labelled => "rows with classes",
            DataKind::Measured => "rows with real targets",
            DataKind::PartlyLabelled => "rows of which some have classes",
            DataKind::Linked => "rows with links",
            DataKind::Sequences => "sequences",
            DataKind::LabelledSequences => "sequences with classes",
            DataKind::Ratings => "ratings",
        })
    }
}

/// What a method is told about the answers while it learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learning {
    /// The answer of every example.
    Supervised,
    /// Some answers, or hints such as which rows belong together.
    SemiSupervised,
    /// No answer at all.
    Unsupervised,
    /// A reward, perhaps long after the action that earned it.
    Reinforcement,
}

impl fmt::Display for Learning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Learning::Supervised => "supervised",
            Learning::SemiSupervised => "semi-supervised",
            Learning::Unsupervised => "unsupervised",
            Learning::Reinforcement => "reinforcement",
        })
    }
}

impl DataKind {
    /// How one learns from data of this kind.
    ///
    /// ```
    /// use didact_core::{DataKind, Learning};
    /// assert_eq!(DataKind::Linked.learning(), Learning::SemiSupervised);
    /// ```
    pub fn learning(self) -> Learning {
        match self {
            DataKind::Samples | DataKind::Sequences => Learning::Unsupervised,
            DataKind::PartlyLabelled | DataKind::Linked => Learning::SemiSupervised,
            // A rating is the answer to the question what this user thinks of this item.
            DataKind::Labelled
            | DataKind::Measured
            | DataKind::LabelledSequences
            | DataKind::Ratings => Learning::Supervised,
        }
    }
}

/// Data of any kind.
#[derive(Clone, Debug)]
pub enum Data<'a> {
    /// Rows alone.
    Samples(Samples<'a>),
    /// Rows with a class each.
    Labelled(Labelled<'a>),
    /// Rows with real targets.
    Measured(Measured<'a>),
    /// Rows of which some have a class.
    PartlyLabelled(PartlyLabelled<'a>),
    /// Rows with links between some of them.
    Linked(Linked<'a>),
    /// Sequences of rows.
    Sequences(Sequences<'a>),
    /// Sequences of rows with a class each.
    LabelledSequences(LabelledSequences<'a>),
    /// Users' ratings of items.
    Ratings(Ratings<'a>),
}

impl<'a> Data<'a> {
    /// The kind of the data.
    pub fn kind(&self) -> DataKind {
        match self {
            Data::Samples(_) => DataKind::Samples,
            Data::Labelled(_) => DataKind::Labelled,
            Data::Measured(_) => DataKind::Measured,
            Data::PartlyLabelled(_) => DataKind::PartlyLabelled,
            Data::Linked(_) => DataKind::Linked,
            Data::Sequences(_) => DataKind::Sequences,
            Data::LabelledSequences(_) => DataKind::LabelledSequences,
            Data::Ratings(_) => DataKind::Ratings,
        }
    }

    /// The rows and weights, which every kind but ratings has.
    pub fn samples(&self) -> Option<&Samples<'a>> {
        match self {
            Data::Samples(samples) => Some(samples),
            Data::Labelled(data) => Some(&data.samples),
            Data::Measured(data) => Some(&data.samples),
            Data::PartlyLabelled(data) => Some(&data.samples),
            Data::Linked(data) => Some(&data.samples),
            Data::Sequences(data) => Some(&data.samples),
            Data::LabelledSequences(data) => Some(&data.sequences.samples),
            Data::Ratings(_) => None,
        }
    }

    /// The same targets and weights beside other rows, as a pipeline needs between its steps.
    pub fn with_rows<'b>(&'b self, rows: &'b OwnedRows) -> Result<Data<'b>> {
        let replace = |old: &'b Samples<'a>| old.view().with_rows(rows);
        Ok(match self {
            Data::Samples(samples) => Data::Samples(replace(samples)?),
            Data::Labelled(data) => Data::Labelled(Labelled {
                samples: replace(&data.samples)?,
                labels: data.labels,
                classes: data.classes,
            }),
            Data::Measured(data) => Data::Measured(Measured {
                samples: replace(&data.samples)?,
                targets: data.targets,
            }),
            Data::PartlyLabelled(data) => Data::PartlyLabelled(PartlyLabelled {
                samples: replace(&data.samples)?,
                labels: data.labels,
                classes: data.classes,
            }),
            Data::Linked(data) => Data::Linked(Linked {
                samples: replace(&data.samples)?,
                together: data.together,
                apart: data.apart,
            }),
            Data::Sequences(data) => Data::Sequences(Sequences {
                samples: replace(&data.samples)?,
                lengths: data.lengths,
            }),
            Data::LabelledSequences(data) => Data::LabelledSequences(LabelledSequences {
                sequences: Sequences {
                    samples: replace(&data.sequences.samples)?,
                    lengths: data.sequences.lengths,
                },
                labels: data.labels,
                classes: data.classes,
            }),
            Data::Ratings(_) => {
                return Err(Error::unsupported("ratings have no rows to transform"));
            }
        })
    }
}

/// Ties a kind of data to its type, for code that is generic over kinds.
pub trait Kind: 'static {
    /// The type of the data.
    type Data<'a>: FitData + Send;
    /// The kind.
    const KIND: DataKind;
    /// Takes what this kind needs out of data that know at least as much.
    fn open<'a>(data: Data<'a>) -> Option<Self::Data<'a>>;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $marker:ident, $data:ident, $pattern:pat => $value:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $marker;

        impl Kind for $marker {
            type Data<'a> = $data<'a>;
            const KIND: DataKind = DataKind::$data;
            fn open<'a>(data: Data<'a>) -> Option<$data<'a>> {
                match data {
                    $pattern => Some($value),
                    _ => None,
                }
            }
        }
    )*};
}

kinds! {
    /// Marks learning from rows with classes.
    OfLabelled, Labelled, Data::Labelled(data) => data;
    /// Marks learning from rows with real targets.
    OfMeasured, Measured, Data::Measured(data) => data;
    /// Marks learning from rows of which some have classes.
    OfPartlyLabelled, PartlyLabelled, Data::PartlyLabelled(data) => data;
    /// Marks learning from rows with links.
    OfLinked, Linked, Data::Linked(data) => data;
    /// Marks learning from sequences with classes.
    OfLabelledSequences, LabelledSequences, Data::LabelledSequences(data) => data;
    /// Marks learning from ratings.
    OfRatings, Ratings, Data::Ratings(data) => data;
}

/// Marks learning from rows alone; targets that are there are ignored.
#[derive(Clone, Copy, Debug)]
pub struct OfSamples;

impl Kind for OfSamples {
    type Data<'a> = Samples<'a>;
    const KIND: DataKind = DataKind::Samples;
    fn open<'a>(data: Data<'a>) -> Option<Samples<'a>> {
        match data {
            Data::Samples(samples) => Some(samples),
            Data::Labelled(data) => Some(data.samples),
            Data::Measured(data) => Some(data.samples),
            Data::PartlyLabelled(data) => Some(data.samples),
            Data::Linked(data) => Some(data.samples),
            Data::Sequences(data) => Some(data.samples),
            Data::LabelledSequences(data) => Some(data.sequences.samples),
            Data::Ratings(_) => None,
        }
    }
}

/// Marks learning from sequences; classes that are there are ignored.
#[derive(Clone, Copy, Debug)]
pub struct OfSequences;

impl Kind for OfSequences {
    type Data<'a> = Sequences<'a>;
    const KIND: DataKind = DataKind::Sequences;
    fn open<'a>(data: Data<'a>) -> Option<Sequences<'a>> {
        match data {
            Data::Sequences(data) => Some(data),
            Data::LabelledSequences(data) => Some(data.sequences),
            _ => None,
        }
    }
}
