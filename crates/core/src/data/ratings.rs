//! Users' ratings of items.

use super::{FitData, check_length};
use crate::{Accepts, Error, Result};

/// Ratings that users gave to items; what was not rated is missing, not zero.
#[derive(Clone, Debug)]
pub struct Ratings<'a> {
    /// User index of each rating.
    pub users: &'a [usize],
    /// Item index of each rating.
    pub items: &'a [usize],
    /// The ratings.
    pub values: &'a [f64],
}

impl<'a> Ratings<'a> {
    /// Puts the three columns together.
    pub fn new(users: &'a [usize], items: &'a [usize], values: &'a [f64]) -> Result<Self> {
        check_length("item indices", items.len(), users.len())?;
        check_length("rating values", values.len(), users.len())?;
        Ok(Ratings {
            users,
            items,
            values,
        })
    }
}

impl FitData for Ratings<'_> {
    fn check(&self, _accepts: Accepts) -> Result<()> {
        match self.values.iter().position(|value| !value.is_finite()) {
            None if self.values.is_empty() => Err(Error::data("there are no ratings")),
            None => Ok(()),
            Some(row) => Err(Error::data(format!(
                "rating {row} is {}; ratings must be finite numbers",
                self.values[row]
            ))),
        }
    }

    fn n_rows(&self) -> usize {
        self.values.len()
    }
}
