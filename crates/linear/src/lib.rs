//! Linear models: least squares, ridge and logistic regression.
//!
//! A linear model predicts from w·x + b. What differs is the loss that w and b minimise (see
//! [`losses`]) and the price put on large weights.

mod catalogue;
pub mod decision;
mod elastic_net;
mod least_squares;
mod linear_regression;
mod logistic;
pub mod losses;
mod model;
mod planes;
mod ridge;
mod rows;

pub use catalogue::catalogue;
pub use elastic_net::{ElasticNet, ElasticNetModel, ElasticNetPath, Lasso, elastic_net_path};
pub use linear_regression::LinearRegression;
pub use logistic::{
    ClassWeight, LogisticModel, LogisticRegression, LogisticState, LogisticSummary, Penalty, Solver,
};
pub use model::LinearModel;
pub use ridge::{Reduction, Ridge};
