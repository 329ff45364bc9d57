//! Sequences of rows, with or without a class per item.

use super::{FitData, Samples, check_length};
use crate::{Accepts, Classes, Error, Labels, Result};
use std::ops::Range;

/// Several sequences as one matrix: the first `lengths[0]` rows are the first sequence, and so
/// on. Items of a sequence depend on each other, so data are split by whole sequences only.
#[derive(Clone, Debug)]
pub struct Sequences<'a> {
    /// All items, one row each.
    pub samples: Samples<'a>,
    /// Number of items of each sequence.
    pub lengths: &'a [usize],
}

impl<'a> Sequences<'a> {
    /// Puts the rows and the lengths together.
    pub fn new(samples: impl Into<Samples<'a>>, lengths: &'a [usize]) -> Result<Self> {
        let samples = samples.into();
        let total: usize = lengths.iter().sum();
        if total != samples.n_rows() {
            return Err(Error::data(format!(
                "the lengths of the sequences add up to {total} but there are {} rows",
                samples.n_rows()
            )));
        }
        if let Some(empty) = lengths.iter().position(|&length| length == 0) {
            return Err(Error::data(format!(
                "sequence {empty} has no items; leave empty sequences out"
            )));
        }
        Ok(Sequences { samples, lengths })
    }

    /// The row range of each sequence.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.lengths.iter().scan(0, |start, &length| {
            let range = *start..*start + length;
            *start = range.end;
            Some(range)
        })
    }

    /// Some consecutive sequences (not rows), without a copy.
    pub fn slice(&self, sequences: Range<usize>) -> Sequences<'_> {
        let before: usize = self.lengths[..sequences.start].iter().sum();
        let lengths = &self.lengths[sequences];
        let rows: usize = lengths.iter().sum();
        Sequences {
            samples: self.samples.slice(before..before + rows),
            lengths,
        }
    }
}

impl FitData for Sequences<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}

/// Sequences of which each item has a class (its state or tag).
#[derive(Clone, Debug)]
pub struct LabelledSequences<'a> {
    /// The sequences.
    pub sequences: Sequences<'a>,
    /// For each item an index into `classes`.
    pub labels: &'a [usize],
    /// The classes of items.
    pub classes: &'a Classes,
}

impl<'a> LabelledSequences<'a> {
    /// Puts sequences and labels together.
    pub fn new(sequences: Sequences<'a>, labels: &'a Labels) -> Result<Self> {
        check_length("labels", labels.indices.len(), sequences.samples.n_rows())?;
        Ok(LabelledSequences {
            sequences,
            labels: &labels.indices,
            classes: &labels.classes,
        })
    }
}

impl FitData for LabelledSequences<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.sequences.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.sequences.samples.n_rows()
    }
}
