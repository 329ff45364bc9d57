//! How much each neighbour counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much each neighbour counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Voting {
    /// All neighbours count the same.
    #[default]
    Uniform,
    /// A neighbour counts by one over its distance; where some are at distance zero, only they
    /// count.
    Distance,
}

impl Voting {
    /// Replaces the distances of neighbours, in rising order, by their voices, at most one each.
    pub(crate) fn make_voices(self, distances: &mut [f64]) {
        let nearest = distances.first().copied().unwrap_or(0.0);
        for value in distances {
            *value = match self {
                Voting::Uniform => 1.0,
                // Relative to the nearest, because one over a tiny distance is infinite.
                Voting::Distance if nearest > 0.0 => nearest / *value,
                Voting::Distance => f64::from(*value == 0.0),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voices(voting: Voting, distances: &[f64]) -> Vec<f64> {
        let mut voices = distances.to_vec();
        voting.make_voices(&mut voices);
        voices
    }

    #[test]
    fn voices_are_those_found_by_hand() {
        assert_eq!(voices(Voting::Uniform, &[0.0, 1.0, 2.0, 9.0]), [1.0; 4]);
        // One over the distances 2 and 8, relative to the first.
        assert_eq!(voices(Voting::Distance, &[2.0, 8.0]), [1.0, 0.25]);
        assert_eq!(voices(Voting::Distance, &[0.0, 0.0, 3.0]), [1.0, 1.0, 0.0]);
    }

    #[test]
    fn tiny_distances_do_not_overflow() {
        let tiny = f64::MIN_POSITIVE / 1e10;
        assert_eq!(voices(Voting::Distance, &[tiny, tiny]), [1.0, 1.0]);
    }
}
