//! How far apart two clusters are.

use didact_core::{Error, Result};
use didact_math::distance::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far apart two clusters are, given how far apart their rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// Ward where the metric is Euclidean, average for any other.
    #[default]
    Auto,
    /// By how much merging raises the sum of squares, √(2ab/(a+b))·‖mean₁ − mean₂‖ for clusters
    /// of a and b rows; Euclidean only.
    Ward,
    /// The farthest pair.
    Complete,
    /// The mean over all pairs.
    Average,
    /// The nearest pair.
    Single,
    /// The mean of the distances of the two parts that a cluster was merged from, however many
    /// rows each has.
    Weighted,
    /// The distance of the means; Euclidean only. Heights may fall on the way up.
    Centroid,
    /// The distance of the middles, where the middle of a merged cluster lies halfway between
    /// those of its parts; Euclidean only. Heights may fall on the way up.
    Median,
}

impl Linkage {
    /// The linkage that is meant, given the metric; none is known where only distances are.
    pub(crate) fn resolved(self, metric: Option<Metric>) -> Self {
        match (self, metric) {
            (Linkage::Auto, Some(Metric::Euclidean)) => Linkage::Ward,
            (Linkage::Auto, _) => Linkage::Average,
            (chosen, _) => chosen,
        }
    }

    /// Whether the clusters are represented by points, which only Euclidean distances allow.
    pub(crate) fn has_centers(self) -> bool {
        matches!(self, Linkage::Ward | Linkage::Centroid | Linkage::Median)
    }

    /// Whether a merged cluster may be nearer to another than both its parts were, so that
    /// heights need not rise.
    pub(crate) fn may_invert(self) -> bool {
        matches!(self, Linkage::Centroid | Linkage::Median)
    }

    /// Fails where the linkage makes no sense for the metric.
    pub(crate) fn check_metric(self, metric: Metric) -> Result<()> {
        match self.has_centers() && metric != Metric::Euclidean {
            false => Ok(()),
            true => Err(Error::parameter(
                "metric",
                metric,
                "ward, centroid and median linkage compare means; use the euclidean metric or \
                 another linkage",
            )),
        }
    }

    /// The distance of a third cluster to the union of a and b, from its distances to both and
    /// theirs to each other (Lance and Williams); squared where the linkage has centres. The
    /// sizes are those of a, b and the third.
    pub(crate) fn update(self, to_a: f64, to_b: f64, between: f64, sizes: [f64; 3]) -> f64 {
        let [a, b, third] = sizes;
        // Sums of differences can fall below zero by rounding.
        match self {
            Linkage::Single => to_a.min(to_b),
            Linkage::Complete => to_a.max(to_b),
            Linkage::Auto | Linkage::Average => to_a * (a / (a + b)) + to_b * (b / (a + b)),
            Linkage::Weighted => 0.5 * (to_a + to_b),
            Linkage::Centroid => {
                let total = a + b;
                ((a * to_a + b * to_b - a * b / total * between) / total).max(0.0)
            }
            Linkage::Median => (0.5 * (to_a + to_b) - 0.25 * between).max(0.0),
            Linkage::Ward => {
                let total = a + b + third;
                (((a + third) * to_a + (b + third) * to_b - third * between) / total).max(0.0)
            }
        }
    }
}
