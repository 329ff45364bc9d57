//! The four meanings of the word cluster, one data set each.

use super::points::{Points, check_size, made, normal, shares};
use super::{Generate, Shape};
use crate::dataset::{Dataset, Info, Task};
use didact_core::Result;
use didact_core::random::Generator;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// What makes points a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterType {
    /// A point is nearer to every point of its cluster than to any other point.
    #[default]
    WellSeparated,
    /// A point is nearer to the centre of its cluster than to any other centre.
    CentreBased,
    /// A point is nearer to some point of its cluster than to any other point.
    Contiguous,
    /// A cluster is a dense region inside a sparse one; points of the sparse one are noise.
    DensityBased,
}

/// One data set for each meaning of the word cluster.
///
/// A method that looks for centres succeeds on the first two and fails on the last two; one
/// that follows neighbours succeeds on the contiguous ones; one that measures density also
/// sets the noise apart, which is the last group here.
///
/// ```
/// use didact_datasets::{ClusterType, ClusterTypes, Generate};
/// let kind = ClusterType::Contiguous;
/// let bands = ClusterTypes { kind, ..ClusterTypes::default() }.generate(1)?;
/// assert_eq!(bands.labels()?.classes.len(), 2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterTypes {
    /// Which meaning.
    pub kind: ClusterType,
    /// How many points to draw.
    #[schemars(range(min = 4, max = 100_000_000))]
    pub n_samples: usize,
}

impl Default for ClusterTypes {
    fn default() -> Self {
        ClusterTypes {
            kind: ClusterType::WellSeparated,
            n_samples: 300,
        }
    }
}

impl Generate for ClusterTypes {
    const INFO: Info = made(
        "cluster-types",
        "Cluster types",
        "Well-separated, centre-based, contiguous or density-based clusters.",
        Task::Clustering,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, 2)?;
        let mut points = Points::new(2);
        match self.kind {
            // Discs of radius one: any two members are at most 2 apart, any two strangers
            // at least 4.
            ClusterType::WellSeparated => {
                let centres = [[0.0, 0.0], [6.0, 0.0], [3.0, 5.5]];
                self.discs(&mut points, &centres, random);
            }
            // Discs that touch: only the centres tell them apart.
            ClusterType::CentreBased => {
                let centres = [[0.0, 0.0], [2.05, 0.0], [1.025, 1.8]];
                self.discs(&mut points, &centres, random);
            }
            ClusterType::Contiguous => self.rings(&mut points, random),
            ClusterType::DensityBased => self.dense(&mut points, random),
        }
        points.finish(Self::INFO, random)
    }
}

impl ClusterTypes {
    /// Uniform discs of radius one.
    fn discs(&self, points: &mut Points, centres: &[[f64; 2]; 3], random: &mut Generator) {
        for (group, count) in shares(self.n_samples, 3).enumerate() {
            for _ in 0..count {
                let radius = random.random::<f64>().sqrt();
                let (sine, cosine) = (TAU * random.random::<f64>()).sin_cos();
                let [x, y] = centres[group];
                points.push([x + radius * cosine, y + radius * sine], group, 0.0, random);
            }
        }
    }

    /// A ring around a small disc: a chain of neighbours, whose centres coincide.
    fn rings(&self, points: &mut Points, random: &mut Generator) {
        let outer = self.n_samples * 2 / 3;
        for step in 0..outer {
            let angle = TAU * step as f64 / outer as f64;
            let radius = 4.0 + 0.2 * (random.random::<f64>() - 0.5);
            let place = [radius * angle.cos(), radius * angle.sin()];
            points.push(place, 0, 0.0, random);
        }
        for _ in outer..self.n_samples {
            let radius = random.random::<f64>().sqrt();
            let (sine, cosine) = (TAU * random.random::<f64>()).sin_cos();
            points.push([radius * cosine, radius * sine], 1, 0.0, random);
        }
    }

    /// Two dense moons inside sparse noise, which is the last group.
    fn dense(&self, points: &mut Points, random: &mut Generator) {
        let noise = self.n_samples / 10;
        for (group, count) in shares(self.n_samples - noise, 2).enumerate() {
            for _ in 0..count {
                let angle = PI * random.random::<f64>();
                let radius = 1.0 + 0.06 * normal(random);
                let place = [radius * angle.cos(), radius * angle.sin()];
                let place = match group {
                    0 => place,
                    _ => [1.0 - place[0], 0.5 - place[1]],
                };
                points.push(place, group, 0.0, random);
            }
        }
        for _ in 0..noise {
            let place = [
                random.random_range(-2.0..3.0),
                random.random_range(-2.0..2.5),
            ];
            points.push(place, 2, 0.0, random);
        }
    }
}

impl ClusterType {
    /// The shape of the clusters of this type.
    pub fn shape(self) -> Shape {
        match self {
            ClusterType::WellSeparated | ClusterType::CentreBased => Shape::Ball,
            ClusterType::Contiguous | ClusterType::DensityBased => Shape::Concave,
        }
    }
}
