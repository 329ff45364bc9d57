//! Classes in the plane that no straight line separates.

use super::points::{Points, check_size, made, shares};
use super::{Generate, Shape};
use crate::dataset::{Dataset, Info, Task};
use didact_core::Result;
use didact_core::random::Generator;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// Two interleaving half circles.
///
/// ```
/// use didact_datasets::{Generate, Moons};
/// let moons = Moons { n_samples: 60, noise: 0.05 }.generate(3)?;
/// assert_eq!(moons.features().dim(), (60, 2));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Moons {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// Standard deviation of the noise on each coordinate.
    #[schemars(range(min = 0))]
    pub noise: f64,
}

impl Default for Moons {
    fn default() -> Self {
        Moons {
            n_samples: 200,
            noise: 0.1,
        }
    }
}

impl Generate for Moons {
    const INFO: Info = made(
        "moons",
        "Two moons",
        "Two interleaving half circles of radius one.",
        Task::Classification,
    );
    const SHAPE: Option<Shape> = Some(Shape::Concave);

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, 2)?;
        let mut points = Points::new(2);
        let outer = self.n_samples / 2;
        for angle in evenly(outer, PI) {
            points.push([angle.cos(), angle.sin()], 0, self.noise, random);
        }
        for angle in evenly(self.n_samples - outer, PI) {
            let inner = [1.0 - angle.cos(), 0.5 - angle.sin()];
            points.push(inner, 1, self.noise, random);
        }
        points.finish(Self::INFO, random)
    }
}

/// `count` angles from zero to `end`, both included.
fn evenly(count: usize, end: f64) -> impl Iterator<Item = f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(move |step| end * step as f64 / last)
}

/// Rings around one centre, each a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Circles {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// Standard deviation of the noise on each coordinate.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// Radius of a ring as a share of the next larger one; the largest has radius one.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub factor: f64,
    /// How many rings.
    #[schemars(range(min = 1, max = 100))]
    pub n_rings: usize,
}

impl Default for Circles {
    fn default() -> Self {
        Circles {
            n_samples: 200,
            noise: 0.05,
            factor: 0.5,
            n_rings: 2,
        }
    }
}

impl Generate for Circles {
    const INFO: Info = made(
        "circles",
        "Nested rings",
        "Rings around one centre; the first class is the outermost.",
        Task::Classification,
    );
    const SHAPE: Option<Shape> = Some(Shape::Concave);

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, 2)?;
        let mut points = Points::new(2);
        for (ring, count) in shares(self.n_samples, self.n_rings).enumerate() {
            let radius = self.factor.powi(ring as i32);
            for step in 0..count {
                let angle = TAU * step as f64 / count as f64;
                let place = [radius * angle.cos(), radius * angle.sin()];
                points.push(place, ring, self.noise, random);
            }
        }
        points.finish(Self::INFO, random)
    }
}

/// Spiral arms that start at one centre.
///
/// Arm k of K is the curve r = t at the angle 2π(turns·t + k/K), for t from 0.1 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Spirals {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// Standard deviation of the noise on each coordinate.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// How many arms, each a class.
    #[schemars(range(min = 1, max = 20))]
    pub n_arms: usize,
    /// How many times an arm goes around.
    #[schemars(range(min = 0, max = 20))]
    pub turns: f64,
}

impl Default for Spirals {
    fn default() -> Self {
        Spirals {
            n_samples: 300,
            noise: 0.02,
            n_arms: 2,
            turns: 1.5,
        }
    }
}

impl Generate for Spirals {
    const INFO: Info = made(
        "spirals",
        "Spirals",
        "Spiral arms that start at one centre, each a class.",
        Task::Classification,
    );
    const SHAPE: Option<Shape> = Some(Shape::Concave);

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, 2)?;
        let mut points = Points::new(2);
        for (arm, count) in shares(self.n_samples, self.n_arms).enumerate() {
            let start = arm as f64 / self.n_arms as f64;
            for _ in 0..count {
                // The root spreads the points evenly along the arm, which grows outwards.
                let radius = 0.1 + 0.9 * random.random::<f64>().sqrt();
                let angle = TAU * (self.turns * radius + start);
                let place = [radius * angle.cos(), radius * angle.sin()];
                points.push(place, arm, self.noise, random);
            }
        }
        points.finish(Self::INFO, random)
    }
}

/// Squares of two classes in turn, as on a chess board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Checkerboard {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// Standard deviation of the noise on each coordinate, where a square has side one.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// How many squares on each side.
    #[schemars(range(min = 1, max = 100))]
    pub n_squares: usize,
}

impl Default for Checkerboard {
    fn default() -> Self {
        Checkerboard {
            n_samples: 400,
            noise: 0.0,
            n_squares: 4,
        }
    }
}

impl Generate for Checkerboard {
    const INFO: Info = made(
        "checkerboard",
        "Checkerboard",
        "Points all over a chess board; the class is the colour of the square.",
        Task::Classification,
    );
    const SHAPE: Option<Shape> = Some(Shape::Concave);

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, 2)?;
        let side = self.n_squares as f64;
        let mut points = Points::new(2);
        for _ in 0..self.n_samples {
            let place = [side * random.random::<f64>(), side * random.random::<f64>()];
            let colour = (place[0] as usize + place[1] as usize) % 2;
            points.push(place, colour, self.noise, random);
        }
        points.finish(Self::INFO, random)
    }
}
