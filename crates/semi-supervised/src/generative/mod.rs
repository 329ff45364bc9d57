//! Classes that generate their rows, learned from rows with and without a class.
//!
//! Expectation–maximisation in which the responsibilities of rows whose class is known are clamped
//! to that class.

mod climb;
mod counts;
mod drawing;
mod gaussian;
mod mixture;
mod naive_bayes;
mod posterior;

pub use counts::CountLaw;
pub use gaussian::ClassShape;
pub use mixture::{SemiSupervisedMixture, SemiSupervisedMixtureModel};
pub use naive_bayes::{SemiSupervisedNaiveBayes, SemiSupervisedNaiveBayesModel};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done with the rows whose class is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnlabelledUse {
    /// All rows are explained together: Σ ln πᵧp(x | y) over the rows with a class plus
    /// Σ ln Σₖπₖp(x | k) over the others is maximised, so known classes are never forgotten.
    #[default]
    Joint,
    /// The rows with a class are only the start; then the others alone are explained. Classes keep
    /// their meaning only by continuity, and one may collapse.
    Seeded,
    /// They are left out where most rows have a class, and used as with seeded otherwise.
    Minority,
    /// They are left out.
    Ignored,
}

/// Which rows the iterations explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explained {
    All,
    Unlabelled,
    Labelled,
}

impl UnlabelledUse {
    fn explained(self, labelled: usize, unlabelled: usize) -> Explained {
        match self {
            _ if unlabelled == 0 => Explained::Labelled,
            UnlabelledUse::Joint => Explained::All,
            UnlabelledUse::Seeded => Explained::Unlabelled,
            UnlabelledUse::Minority if labelled > unlabelled => Explained::Labelled,
            UnlabelledUse::Minority => Explained::Unlabelled,
            UnlabelledUse::Ignored => Explained::Labelled,
        }
    }
}
