//! Samples with real targets.

use super::{FitData, Samples, check_length};
use crate::{Accepts, Error, Result, Rows};
use ndarray::{ArrayView1, ArrayView2, Axis};
use std::ops::Range;

/// Samples of which each has one or more real targets.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    /// The rows and their weights.
    pub samples: Samples<'a>,
    /// One row of targets per sample.
    pub targets: ArrayView2<'a, f64>,
}

impl<'a> Measured<'a> {
    /// Puts rows and one target per row together.
    pub fn new(samples: impl Into<Samples<'a>>, targets: &'a [f64]) -> Result<Self> {
        let column = ArrayView1::from(targets).insert_axis(Axis(1));
        Measured::many(samples, column)
    }

    /// Puts rows and several targets per row together.
    pub fn many(samples: impl Into<Samples<'a>>, targets: ArrayView2<'a, f64>) -> Result<Self> {
        let samples = samples.into();
        check_length("targets", targets.nrows(), samples.n_rows())?;
        Ok(Measured { samples, targets })
    }

    /// Number of targets per row.
    pub fn n_targets(&self) -> usize {
        self.targets.ncols()
    }

    /// Some consecutive samples, without a copy.
    pub fn slice(&self, range: Range<usize>) -> Measured<'_> {
        let (_, tail) = self.targets.split_at(Axis(0), range.start);
        Measured {
            targets: tail.split_at(Axis(0), range.len()).0,
            samples: self.samples.slice(range),
        }
    }
}

impl FitData for Measured<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)?;
        match self.n_targets() {
            0 => {
                return Err(Error::data(
                    "the targets have no columns; give at least one",
                ));
            }
            1 => {}
            _ if accepts.contains(Accepts::MULTI_OUTPUT) => {}
            many => {
                return Err(Error::unsupported(format!(
                    "this method predicts one target but {many} were given"
                )));
            }
        }
        match Rows::Dense(self.targets).first_not_finite() {
            None => Ok(()),
            Some((row, _, value)) => Err(Error::data(format!(
                "the target of row {row} is {value}; targets must be finite numbers"
            ))),
        }
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}
