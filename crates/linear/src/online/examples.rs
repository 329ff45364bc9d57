//! Labelled rows in the order in which they are learned from.

use super::Roster;
use crate::rows::{CountingLabelled, CountingSamples, RowReader};
use didact_core::random::generator;
use didact_core::{ClassWeight, Classes, Labelled, Result, present_classes};
use rand::seq::SliceRandom;
use std::borrow::Cow;

/// How many rows are learned from between two looks at the switch that stops a run.
pub(crate) const BREATH: usize = 256;

/// Rows with the place of their class among the scores, and how much each counts.
pub(crate) struct Examples<'a> {
    samples: CountingSamples<'a>,
    pub(crate) classes: Classes,
    /// The classes that have rows.
    pub(crate) present: Vec<usize>,
    /// For each row the place of its class among those that have rows.
    pub(crate) places: Cow<'a, [usize]>,
    /// How much each row counts.
    pub(crate) counts: Vec<f64>,
}

impl<'a> Examples<'a> {
    pub(crate) fn new(data: Labelled<'a>, class_weight: &ClassWeight) -> Result<Self> {
        let totals = data.class_weights();
        let classes = data.classes.clone();
        let present = present_classes(&classes, &totals)?;
        let factors = class_weight.factors(&classes, &totals)?;
        Ok(Self::placed(data, classes, present, &factors))
    }

    /// A chunk of a stream.
    pub(crate) fn of_chunk(
        data: Labelled<'a>,
        class_weight: &ClassWeight,
        roster: &Roster,
    ) -> Result<Self> {
        roster.check(&data)?;
        let classes = roster.classes.clone();
        let factors = class_weight.factors(&classes, &vec![1.0; classes.len()])?;
        Ok(Self::placed(
            data,
            classes,
            roster.present.clone(),
            &factors,
        ))
    }

    fn placed(data: Labelled<'a>, classes: Classes, present: Vec<usize>, factors: &[f64]) -> Self {
        let data = CountingLabelled::new(data);
        let labels = data.labels.iter().enumerate();
        Examples {
            counts: labels
                .map(|(row, &label)| data.samples.weight(row) * factors[label])
                .collect(),
            places: places(data.labels, classes.len(), &present),
            samples: data.samples,
            classes,
            present,
        }
    }

    /// What is known of classes and columns.
    pub(crate) fn roster(&self) -> Roster {
        Roster {
            classes: self.classes.clone(),
            present: self.present.clone(),
            n_columns: self.n_columns(),
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.samples.rows().n_columns()
    }

    pub(crate) fn rows(&self) -> didact_core::Rows<'_> {
        self.samples.rows()
    }

    pub(crate) fn reader(&self) -> RowReader<'_> {
        RowReader::new(self.samples.rows())
    }

    /// Number of scores: two classes need one, more need one each.
    pub(crate) fn n_outputs(&self) -> usize {
        match self.present.len() {
            2 => 1,
            many => many,
        }
    }
}

/// The place of the class of each row; where all classes have rows, labels are places already.
fn places<'a>(labels: Cow<'a, [usize]>, n_classes: usize, present: &[usize]) -> Cow<'a, [usize]> {
    if present.len() == n_classes {
        return labels;
    }
    let mut place_of = vec![0; n_classes];
    for (place, &class) in present.iter().enumerate() {
        place_of[class] = place;
    }
    labels.iter().map(|&label| place_of[label]).collect()
}

/// The order of a pass: as given, or shuffled anew.
pub(crate) fn shuffled(order: &mut [usize], shuffle: bool, seed: u64, pass: usize) {
    if shuffle {
        order.shuffle(&mut generator(seed, pass as u64));
    }
}
