//! How many rows or columns: as a number or as a share.

use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many rows: a number of them, or a share of all.
///
/// ```
/// use didact_tree_ensemble::Amount;
/// assert_eq!(Amount::Count(5).of(100), 5);
/// assert_eq!(Amount::Share(0.255).of(100), 26);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Amount {
    /// This many.
    Count(#[schemars(range(min = 1))] usize),
    /// This share of all, rounded up.
    Share(#[schemars(extend("exclusiveMinimum" = 0), range(max = 1.0))] f64),
}

impl Amount {
    /// How many of so many.
    pub fn of(self, all: usize) -> usize {
        match self {
            Amount::Count(count) => count,
            Amount::Share(share) => (share * all as f64).ceil() as usize,
        }
    }
}

/// How many columns a node looks at.
///
/// ```
/// use didact_tree_ensemble::MaxFeatures;
/// assert_eq!(MaxFeatures::Sqrt.of(20)?, 4);
/// assert_eq!(MaxFeatures::Share(0.5).of(20)?, 10);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MaxFeatures {
    /// The square root of their number.
    Sqrt,
    /// The logarithm of their number to base two.
    Log2,
    /// This many.
    #[serde(untagged)]
    Count(#[schemars(range(min = 1))] usize),
    /// This share of all, rounded down, one at least.
    #[serde(untagged)]
    Share(#[schemars(extend("exclusiveMinimum" = 0), range(max = 1.0))] f64),
}

impl MaxFeatures {
    /// How many of so many columns.
    pub fn of(self, all: usize) -> Result<usize> {
        let count = match self {
            MaxFeatures::Sqrt => (all as f64).sqrt() as usize,
            MaxFeatures::Log2 => (all as f64).log2() as usize,
            MaxFeatures::Share(share) => (share * all as f64) as usize,
            MaxFeatures::Count(count) if count > all => {
                let requirement =
                    format!("the rows have only {all} columns; ask for at most {all}");
                return Err(Error::parameter("max_features", count, requirement));
            }
            MaxFeatures::Count(count) => count,
        };
        Ok(count.max(1))
    }
}
