//! What the naive Bayes methods of counts share: totals of each class, and scores that are linear
//! in the counts.

mod model;
mod reading;
mod scores;
mod totals;

pub use model::CountModel;
pub(crate) use model::{CountLaw, common_attributes};
pub use reading::Reading;
pub(crate) use scores::LinearScores;
pub use totals::ClassTotals;

use crate::priors::ClassPrior;
use didact_core::{Error, Result};

/// Class probabilities as scikit-learn's parameters ask for them.
pub(crate) fn class_prior(given: Option<&[f64]>, fit_prior: bool, alpha: f64) -> ClassPrior<'_> {
    ClassPrior {
        parameter: "class_prior",
        given,
        uniform: !fit_prior,
        smoothing: 0.0,
        needs_rows: alpha == 0.0,
    }
}

/// Fails where sums of counts left the range of numbers.
pub(crate) fn ensure_finite(finite: bool) -> Result<()> {
    match finite {
        true => Ok(()),
        false => Err(Error::numerical(
            "the sums of the columns overflow; divide the values by a power of ten",
        )),
    }
}
