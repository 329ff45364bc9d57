//! A number of rows, or a share of all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number of rows, written as a whole number of at least two, or as a share of all rows: a
/// number with a decimal point, above zero and at most one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RowCount {
    /// This many rows.
    Count(#[schemars(range(min = 2))] usize),
    /// This share of all rows, but at least two.
    Share(#[schemars(range(max = 1), extend("exclusiveMinimum" = 0))] f64),
}

impl From<usize> for RowCount {
    fn from(count: usize) -> Self {
        RowCount::Count(count)
    }
}

impl RowCount {
    /// The number where there are `n` rows.
    pub(super) fn of(self, n: usize) -> usize {
        match self {
            RowCount::Count(count) => count.max(2),
            RowCount::Share(share) => ((share * n as f64) as usize).max(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_cut_to_whole_rows_and_never_below_two() {
        assert_eq!(RowCount::Share(0.25).of(11), 2);
        assert_eq!(RowCount::Share(0.25).of(15), 3);
        assert_eq!(RowCount::Share(1.0).of(1), 2);
        assert_eq!(RowCount::Share(1.0).of(9), 9);
        assert_eq!(RowCount::Count(4).of(100), 4);
    }

    #[test]
    fn a_decimal_point_makes_it_a_share() {
        let read = |text| serde_json::from_str::<RowCount>(text).unwrap();
        assert_eq!(read("1.0"), RowCount::Share(1.0));
        assert_eq!(read("7"), RowCount::Count(7));
    }
}
