//! All training rows within a radius: vote or mean of those around a query.

mod classifier;
mod memory;
mod regressor;
#[cfg(test)]
mod tests;

pub use classifier::RadiusNeighborsClassifier;
pub use regressor::RadiusNeighborsRegressor;

use crate::Voting;
use didact_core::{Accepts, Fit, Labelled, Measured, Result, Run};
use didact_math::distance::Metric;
use didact_math::neighbors::SearchAlgorithm;
use memory::Memory;
use ndarray::Array1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets all training rows within a radius decide: by vote for classes, by their mean for numbers.
///
/// With the training rows N(x) at most `radius` away from x and their voices vₙ (one each, or
/// 1/distance) the class probabilities are P(c | x) = Σ_{n∈N(x), yₙ=c} vₙ / Σ_{n∈N(x)} vₙ, and
/// predicted numbers are Σ vₙ·yₙ / Σ vₙ. A larger radius can change the answer; a very large one
/// gives the most frequent class and the mean.
///
/// Where there is no row in the ball, there is no answer: the class is left undecided, its
/// probabilities are the shares of the classes, and a predicted number is missing (NaN), or the
/// mean of all rows where `empty_ball` says so.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels, Rows};
/// use didact_neighbors::RadiusNeighbors;
/// let x = ndarray::array![[0.0], [1.0], [5.0]];
/// let labels = Labels::from_names(["left", "left", "right"]);
/// let model = RadiusNeighbors::default().fit(Labelled::new(&x, &labels)?)?;
/// let queries = ndarray::array![[0.5], [5.5], [100.0]];
/// assert_eq!(model.decide(Rows::Dense(queries.view()))?, [Some(0), Some(1), None]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RadiusNeighbors {
    /// How far away a row may be and still decide.
    #[schemars(range(min = 0))]
    pub radius: f64,
    /// How much each neighbour counts.
    pub weights: Voting,
    /// How distance is measured.
    pub metric: Metric,
    /// How neighbours are searched; the answer is the same.
    pub algorithm: SearchAlgorithm,
    /// How many rows a leaf of a search tree holds at most.
    #[schemars(range(min = 1))]
    pub leaf_size: usize,
    /// Which number is predicted where no row is in the ball.
    pub empty_ball: EmptyBall,
}

/// What is predicted of a number where no training row is near.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyBall {
    /// Nothing: the value is missing, NaN.
    #[default]
    Missing,
    /// The mean of all training rows.
    Mean,
}

impl Default for RadiusNeighbors {
    fn default() -> Self {
        RadiusNeighbors {
            radius: 1.0,
            weights: Voting::Uniform,
            metric: Metric::Euclidean,
            algorithm: SearchAlgorithm::Auto,
            leaf_size: 30,
            empty_ball: EmptyBall::default(),
        }
    }
}

impl Fit<Labelled<'_>> for RadiusNeighbors {
    type Model = RadiusNeighborsClassifier;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<RadiusNeighborsClassifier> {
        let counts = Array1::from(data.class_weights());
        let shares = &counts / counts.sum();
        Ok(RadiusNeighborsClassifier {
            memory: Memory::new(self, data.samples.rows(), run)?,
            labels: data.labels.to_vec(),
            classes: data.classes.clone(),
            shares,
        })
    }
}

impl Fit<Measured<'_>> for RadiusNeighbors {
    type Model = RadiusNeighborsRegressor;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<RadiusNeighborsRegressor> {
        let targets = data.targets.as_standard_layout().into_owned();
        let n_rows = targets.nrows() as f64;
        // Divided first: a sum of huge values would overflow.
        let means = targets.columns().into_iter();
        let means = means.map(|column| column.iter().map(|value| value / n_rows).sum());
        Ok(RadiusNeighborsRegressor {
            memory: Memory::new(self, data.samples.rows(), run)?,
            fallback: match self.empty_ball {
                EmptyBall::Missing => None,
                EmptyBall::Mean => Some(means.collect()),
            },
            targets,
        })
    }
}
