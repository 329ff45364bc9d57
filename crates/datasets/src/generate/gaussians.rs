//! Groups with a normal distribution each.

use super::points::{Points, check_size, made, normal, normals, shares};
use super::{Generate, Shape};
use crate::dataset::{Dataset, Info, Task};
use didact_core::Result;
use didact_core::random::Generator;
use ndarray::{Array2, ArrayView1};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Round groups around random centres.
///
/// ```
/// use didact_datasets::{Blobs, Generate};
/// let blobs = Blobs { centers: 3, ..Blobs::default() }.generate(0)?;
/// assert_eq!(blobs.truth("centers").unwrap().dim(), (3, 2));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Blobs {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// How many coordinates a point has.
    #[schemars(range(min = 1, max = 100_000))]
    pub n_features: usize,
    /// How many groups.
    #[schemars(range(min = 1, max = 10_000))]
    pub centers: usize,
    /// Standard deviation of each group.
    #[schemars(range(min = 0))]
    pub cluster_std: f64,
    /// The centres lie between minus this and this in every coordinate.
    #[schemars(range(min = 0))]
    pub center_box: f64,
}

impl Default for Blobs {
    fn default() -> Self {
        Blobs {
            n_samples: 150,
            n_features: 2,
            centers: 3,
            cluster_std: 1.0,
            center_box: 10.0,
        }
    }
}

impl Generate for Blobs {
    const INFO: Info = made(
        "blobs",
        "Round blobs",
        "Groups of equal size and equal round normal distribution around random centres.",
        Task::Clustering,
    );
    const SHAPE: Option<Shape> = Some(Shape::Ball);

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, self.n_features)?;
        check_size(self.centers, self.n_features)?;
        let centers = Array2::from_shape_simple_fn((self.centers, self.n_features), || {
            self.center_box * (2.0 * random.random::<f64>() - 1.0)
        });
        let mut points = Points::new(self.n_features);
        for (group, count) in shares(self.n_samples, self.centers).enumerate() {
            for _ in 0..count {
                let center = centers.row(group).into_iter().copied();
                points.push(center, group, self.cluster_std, random);
            }
        }
        Ok(points
            .finish(Self::INFO, random)?
            .with_truth("centers", centers))
    }
}

/// Normal distributions of any direction, length and size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianMixture {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// How many coordinates a point has.
    #[schemars(range(min = 1, max = 200))]
    pub n_features: usize,
    /// How many components.
    #[schemars(range(min = 1, max = 1000))]
    pub n_components: usize,
    /// Longest axis of a component as a multiple of its shortest; one is round.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub elongation: f64,
    /// Weight of a component as a multiple of the next one's; one is balanced.
    #[schemars(range(min = 1, max = 1000))]
    pub imbalance: f64,
    /// Standard deviation of the means around the origin.
    #[schemars(range(min = 0))]
    pub separation: f64,
}

impl Default for GaussianMixture {
    fn default() -> Self {
        GaussianMixture {
            n_samples: 300,
            n_features: 2,
            n_components: 3,
            elongation: 3.0,
            imbalance: 1.0,
            separation: 5.0,
        }
    }
}

impl Generate for GaussianMixture {
    const INFO: Info = made(
        "gaussian-mixture",
        "Gaussian mixture",
        "Each row first draws a component, then a point of its normal distribution.",
        Task::Clustering,
    );
    const SHAPE: Option<Shape> = Some(Shape::Convex);

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, self.n_features)?;
        let means = normals(self.n_components, self.n_features, random) * self.separation;
        let factors: Vec<Array2<f64>> = (0..self.n_components)
            .map(|_| self.factor(random))
            .collect();
        let weights = self.weights();
        let mut points = Points::new(self.n_features);
        let mut place = vec![0.0; self.n_features];
        for _ in 0..self.n_samples {
            let component = choose(&weights, random);
            for (coordinate, mean) in place.iter_mut().zip(means.row(component)) {
                *coordinate = *mean;
            }
            for axis in factors[component].rows() {
                let along = normal(random);
                for (coordinate, step) in place.iter_mut().zip(axis) {
                    *coordinate += along * step;
                }
            }
            points.push(place.iter().copied(), component, 0.0, random);
        }
        Ok(points
            .finish(Self::INFO, random)?
            .with_truth("means", means)
            .with_truth("weights", row_of(&weights)))
    }
}

impl GaussianMixture {
    fn weights(&self) -> Vec<f64> {
        let sizes: Vec<f64> = (0..self.n_components)
            .map(|component| self.imbalance.powi(-(component as i32)))
            .collect();
        let total: f64 = sizes.iter().sum();
        sizes.iter().map(|size| size / total).collect()
    }

    /// A matrix F so that zᵀF of a standard normal z has covariance FᵀF, whose axes have
    /// lengths from one down to one over the elongation.
    fn factor(&self, random: &mut Generator) -> Array2<f64> {
        let mut axes = rotation(self.n_features, random);
        let last = self.n_features.saturating_sub(1).max(1) as f64;
        for (index, mut axis) in axes.rows_mut().into_iter().enumerate() {
            axis *= self.elongation.powf(-(index as f64) / last);
        }
        axes
    }
}

/// An orthogonal matrix with rows in random directions (Gram–Schmidt on normal deviates).
pub(super) fn rotation(size: usize, random: &mut Generator) -> Array2<f64> {
    let mut axes: Array2<f64> = normals(size, size, random);
    for index in 0..size {
        // Twice is enough to make the rows orthogonal to rounding.
        for _ in 0..2 {
            for earlier in 0..index {
                let overlap = axes.row(index).dot(&axes.row(earlier));
                let earlier = axes.row(earlier).to_owned();
                axes.row_mut(index).scaled_add(-overlap, &earlier);
            }
        }
        let length = axes.row(index).dot(&axes.row(index)).sqrt();
        axes.row_mut(index).mapv_inplace(|value| value / length);
    }
    axes
}

/// An index drawn with the given probabilities.
pub(super) fn choose(probabilities: &[f64], random: &mut Generator) -> usize {
    let mut rest: f64 = random.random();
    for (index, probability) in probabilities.iter().enumerate() {
        rest -= probability;
        if rest < 0.0 {
            return index;
        }
    }
    probabilities.len() - 1
}

/// Numbers as a matrix of one row.
pub(super) fn row_of(values: &[f64]) -> Array2<f64> {
    ArrayView1::from(values)
        .to_owned()
        .insert_axis(ndarray::Axis(0))
}

/// Two long groups side by side, closer to each other than they are long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElongatedPair {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// Standard deviation across a group.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// Standard deviation along a group.
    #[schemars(range(min = 0))]
    pub length: f64,
    /// Distance between the groups.
    #[schemars(range(min = 0))]
    pub gap: f64,
    /// Direction of the groups in degrees.
    pub angle: f64,
}

impl Default for ElongatedPair {
    fn default() -> Self {
        ElongatedPair {
            n_samples: 200,
            noise: 0.25,
            length: 3.0,
            gap: 2.0,
            angle: 0.0,
        }
    }
}

impl Generate for ElongatedPair {
    const INFO: Info = made(
        "elongated-pair",
        "Elongated pair",
        "Two long parallel groups that are closer to each other than they are long: round clusters cut across them.",
        Task::Clustering,
    );
    const SHAPE: Option<Shape> = Some(Shape::Convex);

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, 2)?;
        let (sine, cosine) = self.angle.to_radians().sin_cos();
        let mut points = Points::new(2);
        for (group, count) in shares(self.n_samples, 2).enumerate() {
            for _ in 0..count {
                let along = self.length * normal(random);
                let across = self.gap * (group as f64 - 0.5) + self.noise * normal(random);
                let place = [
                    cosine * along - sine * across,
                    sine * along + cosine * across,
                ];
                points.push(place, group, 0.0, random);
            }
        }
        points.finish(Self::INFO, random)
    }
}

/// A large group and a small one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UnbalancedPair {
    /// How many points to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// Share of the points that belong to the small group.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Standard deviation of the large group; the small one has a third of it.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// Distance between the centres.
    #[schemars(range(min = 0))]
    pub gap: f64,
}

impl Default for UnbalancedPair {
    fn default() -> Self {
        UnbalancedPair {
            n_samples: 220,
            share: 0.1,
            noise: 1.0,
            gap: 4.5,
        }
    }
}

impl Generate for UnbalancedPair {
    const INFO: Info = made(
        "unbalanced-pair",
        "Unbalanced pair",
        "A large wide group and a small tight one.",
        Task::Clustering,
    );
    const SHAPE: Option<Shape> = Some(Shape::Ball);

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, 2)?;
        let small = (self.share * self.n_samples as f64).round() as usize;
        let mut points = Points::new(2);
        for _ in small..self.n_samples {
            points.push([0.0, 0.0], 0, self.noise, random);
        }
        for _ in 0..small {
            points.push([self.gap, 0.0], 1, self.noise / 3.0, random);
        }
        points.finish(Self::INFO, random)
    }
}
