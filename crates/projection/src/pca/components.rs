//! How many axes are kept.

use didact_core::{Error, Result};
use ndarray::ArrayView1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many axes to keep.
///
/// Written as a whole number, as a number between 0 and 1, or as null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Components {
    /// This many axes, at most as many as there are rows or columns.
    Count(#[schemars(range(min = 1))] usize),
    /// The fewest axes that keep at least this share of the variance.
    Share(#[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))] f64),
    /// As many axes as there are rows or columns, whichever are fewer.
    #[default]
    All,
}

impl From<usize> for Components {
    fn from(count: usize) -> Self {
        Components::Count(count)
    }
}

impl Components {
    /// The number of axes where it is known before the eigenvalues are; `limit` is the number of
    /// rows or columns, whichever are fewer.
    pub(super) fn fixed(self, limit: usize) -> Result<Option<usize>> {
        match self.whole() {
            Components::All => Ok(Some(limit)),
            Components::Count(count) if (1..=limit).contains(&count) => Ok(Some(count)),
            Components::Count(count) => Err(Error::parameter(
                "n_components",
                count,
                format!(
                    "it must be at least 1 and at most {limit}, the number of rows or columns, \
                     whichever are fewer"
                ),
            )),
            Components::Share(share) if share > 0.0 && share < 1.0 => Ok(None),
            Components::Share(share) => Err(Error::parameter(
                "n_components",
                share,
                "it must be a whole number of axes, a share of the variance greater than 0 and \
                 less than 1, or null for all axes",
            )),
        }
    }

    /// The number of axes, given all eigenvalues and their sum.
    pub(super) fn choose(self, eigenvalues: ArrayView1<'_, f64>, total: f64) -> Result<usize> {
        match (self.fixed(eigenvalues.len())?, self) {
            (Some(count), _) => Ok(count),
            (None, Components::Share(share)) => {
                Ok(fewest_for_share(eigenvalues, total, share).unwrap_or(eigenvalues.len()))
            }
            (None, _) => Ok(eigenvalues.len()),
        }
    }

    /// JSON does not tell 2.0 from 2.
    fn whole(self) -> Components {
        match self {
            Components::Share(share) if share >= 1.0 && share.fract() == 0.0 => {
                Components::Count(share as usize)
            }
            other => other,
        }
    }
}

/// The fewest leading eigenvalues that add up to at least `share` of the total, if these
/// eigenvalues do.
///
/// A share that is reached exactly counts, so the rounding of the eigenvalues is forgiven.
pub(super) fn fewest_for_share(
    eigenvalues: ArrayView1<'_, f64>,
    total: f64,
    share: f64,
) -> Option<usize> {
    let goal = share * total * (1.0 - 1e-12);
    let mut kept = 0.0;
    eigenvalues
        .iter()
        .position(|value| {
            kept += value;
            kept >= goal
        })
        .map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pca;
    use didact_core::parameters;
    use ndarray::array;
    use serde_json::{Value, json};

    fn read(n_components: Value) -> Result<Pca> {
        let map = json!({ "n_components": n_components });
        parameters::from_json("pca", map.as_object().unwrap())
    }

    #[test]
    fn null_a_whole_number_and_a_share_are_understood() {
        assert_eq!(read(json!(null)).unwrap().n_components, Components::All);
        assert_eq!(read(json!(3)).unwrap().n_components, Components::Count(3));
        assert_eq!(
            read(json!(0.95)).unwrap().n_components,
            Components::Share(0.95)
        );
        let written_as_real = read(json!(2.0)).unwrap().n_components;
        assert_eq!(written_as_real.fixed(4).unwrap(), Some(2));
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        for wrong in [json!(0), json!(-1), json!(1.5), json!(0.0), json!("many")] {
            let message = read(wrong).unwrap_err().to_string();
            assert!(message.starts_with("n_components is "), "{message}");
        }
        let message = Components::Count(5).fixed(4).unwrap_err().to_string();
        assert!(message.contains("at most 4"), "{message}");
        assert!(Components::Share(f64::NAN).fixed(4).is_err());
    }

    // 003:P61: the threshold is ≥, not >.
    #[test]
    fn a_share_that_is_reached_exactly_is_enough() {
        let eigenvalues = array![5.0, 3.0, 2.0];
        let fewest = |share| fewest_for_share(eigenvalues.view(), 10.0, share);
        assert_eq!(fewest(0.5), Some(1));
        assert_eq!(fewest(0.8), Some(2));
        assert_eq!(fewest(0.8 + 1e-9), Some(3));
        assert_eq!(
            fewest_for_share(array![5.0].view(), 10.0, 0.8),
            None,
            "not all eigenvalues are known"
        );
    }
}
