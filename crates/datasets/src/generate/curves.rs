//! Curves over one coordinate, for regression that can be seen.

use super::Generate;
use super::points::{check_size, made, normal, with_target};
use crate::dataset::{Dataset, Info, Task};
use didact_core::Result;
use didact_core::random::Generator;
use ndarray::Array2;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The curve y = sin(x) / x with noise on y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sinc {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// Standard deviation of the noise on y.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// x lies between minus this and this.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub extent: f64,
}

impl Default for Sinc {
    fn default() -> Self {
        Sinc {
            n_samples: 100,
            noise: 0.05,
            extent: 10.0,
        }
    }
}

impl Generate for Sinc {
    const INFO: Info = made(
        "sinc",
        "Sinc curve",
        "y = sin(x) / x with noise, at random places x.",
        Task::Regression,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        let curve = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
        noisy_curve(
            Self::INFO,
            self.n_samples,
            self.extent,
            self.noise,
            curve,
            random,
        )
    }
}

/// The curve y = cos(frequency·x) with noise on y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cosine {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// Standard deviation of the noise on y.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// x lies between minus this and this.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub extent: f64,
    /// Radians per unit of x.
    #[schemars(range(min = 0))]
    pub frequency: f64,
}

impl Default for Cosine {
    fn default() -> Self {
        Cosine {
            n_samples: 100,
            noise: 0.1,
            extent: 6.0,
            frequency: 1.0,
        }
    }
}

impl Generate for Cosine {
    const INFO: Info = made(
        "cosine",
        "Cosine curve",
        "y = cos(frequency·x) with noise, at random places x.",
        Task::Regression,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        let curve = |x: f64| (self.frequency * x).cos();
        noisy_curve(
            Self::INFO,
            self.n_samples,
            self.extent,
            self.noise,
            curve,
            random,
        )
    }
}

fn noisy_curve(
    info: Info,
    count: usize,
    extent: f64,
    noise: f64,
    curve: impl Fn(f64) -> f64,
    random: &mut Generator,
) -> Result<Dataset> {
    check_size(count, 2)?;
    let mut x = Array2::zeros((count, 1));
    let mut y = Vec::with_capacity(count);
    for place in &mut x {
        *place = extent * (2.0 * random.random::<f64>() - 1.0);
        y.push(curve(*place) + noise * normal(random));
    }
    with_target(info, x.view(), "y", y)
}
