//! The k nearest neighbours: vote or mean of the training rows around a query.

mod classifier;
mod memory;
mod regressor;
mod voting;

pub use classifier::KNeighborsClassifier;
pub use regressor::KNeighborsRegressor;
pub use voting::Voting;

use didact_core::{Accepts, Fit, Labelled, Measured, Result, Run};
use didact_math::distance::Metric;
use didact_math::neighbors::SearchAlgorithm;
use memory::Memory;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets the nearest training rows decide: by vote for classes, by their mean for numbers.
///
/// With the k training rows N(x) nearest to x and their voices vₙ (one each, or 1/distance) the
/// class probabilities are P(c | x) = Σ_{n∈N(x), yₙ=c} vₙ / Σ_{n∈N(x)} vₙ, and predicted numbers
/// are the mean Σ vₙ·yₙ / Σ vₙ. There is no training beyond keeping the rows. Class priors are
/// part of the vote already: with k = n the probabilities are the class frequencies.
///
/// Of equally near rows those with the lowest index come first; a tied vote goes to the lowest
/// class. Trees and brute force find the same neighbours.
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_neighbors::KNeighbors;
/// let iris = didact_datasets::iris();
/// let model = KNeighbors::default().fit(iris.labelled()?)?;
/// let labels = Classify::predict(&model, iris.samples())?;
/// let right = labels.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right >= 144);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KNeighbors {
    /// How many neighbours decide.
    #[schemars(range(min = 1))]
    pub n_neighbors: usize,
    /// How much each neighbour counts.
    pub weights: Voting,
    /// How distance is measured.
    pub metric: Metric,
    /// How neighbours are searched; the answer is the same.
    pub algorithm: SearchAlgorithm,
    /// How many rows a leaf of a search tree holds at most.
    #[schemars(range(min = 1))]
    pub leaf_size: usize,
}

impl Default for KNeighbors {
    fn default() -> Self {
        KNeighbors {
            n_neighbors: 5,
            weights: Voting::Uniform,
            metric: Metric::Euclidean,
            algorithm: SearchAlgorithm::Auto,
            leaf_size: 30,
        }
    }
}

impl Fit<Labelled<'_>> for KNeighbors {
    type Model = KNeighborsClassifier;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<KNeighborsClassifier> {
        Ok(KNeighborsClassifier {
            memory: Memory::new(self, data.samples.rows(), run)?,
            labels: data.labels.to_vec(),
            classes: data.classes.clone(),
        })
    }
}

impl Fit<Measured<'_>> for KNeighbors {
    type Model = KNeighborsRegressor;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<KNeighborsRegressor> {
        Ok(KNeighborsRegressor {
            memory: Memory::new(self, data.samples.rows(), run)?,
            targets: data.targets.as_standard_layout().into_owned(),
        })
    }
}
