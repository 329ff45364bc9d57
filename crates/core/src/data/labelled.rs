//! Samples with classes: of all rows, of some, or only known to be equal or different.

use super::{FitData, Samples, check_length};
use crate::{Accepts, Classes, Error, Labels, PartialLabels, Result};
use std::ops::Range;

/// Samples of which each has a class.
#[derive(Clone, Debug)]
pub struct Labelled<'a> {
    /// The rows and their weights.
    pub samples: Samples<'a>,
    /// For each row an index into `classes`.
    pub labels: &'a [usize],
    /// The classes; some may have no row.
    pub classes: &'a Classes,
}

impl<'a> Labelled<'a> {
    /// Puts rows and labels together.
    pub fn new(samples: impl Into<Samples<'a>>, labels: &'a Labels) -> Result<Self> {
        Labelled::from_parts(samples.into(), &labels.indices, &labels.classes)
    }

    /// Puts rows, label indices and classes together.
    pub fn from_parts(
        samples: Samples<'a>,
        labels: &'a [usize],
        classes: &'a Classes,
    ) -> Result<Self> {
        check_length("labels", labels.len(), samples.n_rows())?;
        if let Some(row) = labels.iter().position(|&label| label >= classes.len()) {
            return Err(Error::data(format!(
                "the label of row {row} is {} but there are only {} classes",
                labels[row],
                classes.len()
            )));
        }
        Ok(Labelled {
            samples,
            labels,
            classes,
        })
    }

    /// Sum of the weights of each class.
    pub fn class_weights(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.classes.len()];
        for (row, &label) in self.labels.iter().enumerate() {
            totals[label] += self.samples.weight(row);
        }
        totals
    }

    /// Some consecutive samples, without a copy.
    pub fn slice(&self, range: Range<usize>) -> Labelled<'_> {
        Labelled {
            samples: self.samples.slice(range.clone()),
            labels: &self.labels[range],
            classes: self.classes,
        }
    }
}

impl FitData for Labelled<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}

/// Samples of which some have a class.
#[derive(Clone, Debug)]
pub struct PartlyLabelled<'a> {
    /// The rows and their weights.
    pub samples: Samples<'a>,
    /// For each row an index into `classes`, or nothing.
    pub labels: &'a [Option<usize>],
    /// The classes.
    pub classes: &'a Classes,
}

impl<'a> PartlyLabelled<'a> {
    /// Puts rows and partial labels together.
    pub fn new(samples: impl Into<Samples<'a>>, labels: &'a PartialLabels) -> Result<Self> {
        let samples = samples.into();
        check_length("labels", labels.indices.len(), samples.n_rows())?;
        Ok(PartlyLabelled {
            samples,
            labels: &labels.indices,
            classes: &labels.classes,
        })
    }

    /// The same from labels that point at classes known beforehand.
    pub fn from_parts(
        samples: Samples<'a>,
        labels: &'a [Option<usize>],
        classes: &'a Classes,
    ) -> Result<Self> {
        check_length("labels", labels.len(), samples.n_rows())?;
        if let Some(label) = labels
            .iter()
            .flatten()
            .find(|&&label| label >= classes.len())
        {
            return Err(Error::data(format!(
                "label {label} has no name: there are {} classes",
                classes.len()
            )));
        }
        Ok(PartlyLabelled {
            samples,
            labels,
            classes,
        })
    }
}

impl FitData for PartlyLabelled<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}

/// Samples of which some pairs are known to belong together or apart, and nothing else.
#[derive(Clone, Debug)]
pub struct Linked<'a> {
    /// The rows and their weights.
    pub samples: Samples<'a>,
    /// Pairs of rows of the same, unnamed class.
    pub together: &'a [(usize, usize)],
    /// Pairs of rows of different classes.
    pub apart: &'a [(usize, usize)],
}

impl<'a> Linked<'a> {
    /// Puts rows and links together.
    pub fn new(
        samples: impl Into<Samples<'a>>,
        together: &'a [(usize, usize)],
        apart: &'a [(usize, usize)],
    ) -> Result<Self> {
        let samples = samples.into();
        let rows = samples.n_rows();
        for &(left, right) in together.iter().chain(apart) {
            if left >= rows || right >= rows {
                return Err(Error::data(format!(
                    "the link ({left}, {right}) points outside the {rows} rows"
                )));
            }
        }
        Ok(Linked {
            samples,
            together,
            apart,
        })
    }
}

impl FitData for Linked<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}
