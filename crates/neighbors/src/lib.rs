//! Methods that learn by remembering: a row is judged by the training rows nearest to it.

mod catalogue;
mod density;
mod k_neighbors;
mod k_neighbors_density;
mod magnitude;
mod norm;
mod radius_neighbors;

pub use catalogue::catalogue;
pub use density::{
    Bandwidth, BandwidthUnit, DensityKernel, DensitySearch, KernelDensity, KernelDensityModel,
    ParzenClassifier, ParzenClassifierModel,
};
pub use didact_math::distance::Metric;
pub use didact_math::neighbors::{Neighbors, SearchAlgorithm};
pub use k_neighbors::{KNeighbors, KNeighborsClassifier, KNeighborsRegressor, Voting};
pub use k_neighbors_density::{KNeighborsDensity, KNeighborsDensityModel};
pub use norm::{Norm, log_ball_volume};
pub use radius_neighbors::{
    EmptyBall, RadiusNeighbors, RadiusNeighborsClassifier, RadiusNeighborsRegressor,
};
