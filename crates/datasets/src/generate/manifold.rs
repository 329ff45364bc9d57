//! Rows with fewer true coordinates than columns, and mixed sources.

use super::Generate;
use super::points::{check_size, columns, made, normal, with_target};
use crate::dataset::{Dataset, Info, Roles, Task};
use didact_core::Result;
use didact_core::random::Generator;
use ndarray::Array2;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A sheet rolled up in space.
///
/// A point is (t·cos t, h, t·sin t) for t between 1.5π and 4.5π and h between 0 and 21; the
/// target is t, the place along the roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SwissRoll {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 50_000_000))]
    pub n_samples: usize,
    /// Standard deviation of the noise on each coordinate.
    #[schemars(range(min = 0))]
    pub noise: f64,
}

impl Default for SwissRoll {
    fn default() -> Self {
        SwissRoll {
            n_samples: 500,
            noise: 0.0,
        }
    }
}

impl Generate for SwissRoll {
    const INFO: Info = made(
        "swiss-roll",
        "Swiss roll",
        "A sheet rolled up in space; the target is the place along the roll.",
        Task::Projection,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, 3)?;
        let mut places = Array2::zeros((self.n_samples, 3));
        let mut along = Vec::with_capacity(self.n_samples);
        for mut place in places.rows_mut() {
            let t = 1.5 * PI * (1.0 + 2.0 * random.random::<f64>());
            let height = 21.0 * random.random::<f64>();
            for (coordinate, exact) in place.iter_mut().zip([t * t.cos(), height, t * t.sin()]) {
                *coordinate = exact + self.noise * normal(random);
            }
            along.push(t);
        }
        with_target(Self::INFO, places.view(), "position", along)
    }
}

/// Independent uniform sources, mixed linearly: a square becomes a parallelogram.
///
/// x = A·s, where every source s is uniform between −1 and 1 and the mixing matrix A has ones
/// on the diagonal and `mixing` elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MixedUniform {
    /// How many rows to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// How many sources, and columns.
    #[schemars(range(min = 1, max = 1000))]
    pub n_sources: usize,
    /// How much of each other source enters a column.
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub mixing: f64,
    /// Standard deviation of the noise on each column.
    #[schemars(range(min = 0))]
    pub noise: f64,
}

impl Default for MixedUniform {
    fn default() -> Self {
        MixedUniform {
            n_samples: 500,
            n_sources: 2,
            mixing: 0.5,
            noise: 0.0,
        }
    }
}

impl Generate for MixedUniform {
    const INFO: Info = made(
        "mixed-uniform",
        "Mixed uniform sources",
        "Independent uniform sources after a linear mixing, for methods that separate sources.",
        Task::Projection,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, self.n_sources)?;
        let shape = (self.n_samples, self.n_sources);
        let sources = Array2::from_shape_simple_fn(shape, || 2.0 * random.random::<f64>() - 1.0);
        let mixing = Array2::from_shape_fn((self.n_sources, self.n_sources), |(i, j)| {
            if i == j { 1.0 } else { self.mixing }
        });
        let mut mixed = sources.dot(&mixing.t());
        mixed.mapv_inplace(|value| value + self.noise * normal(random));
        let data = Dataset::new(Self::INFO, columns(mixed.view())?, Roles::default())?;
        Ok(data
            .with_truth("mixing", mixing)
            .with_truth("sources", sources))
    }
}
