//! Ratings as products of few factors of taste and content.

mod alternate;
mod least_squares;
mod model;
mod probabilistic;
mod ridge;

pub use least_squares::AlternatingLeastSquares;
pub use model::FactorModel;
pub use probabilistic::ProbabilisticFactorization;
pub(crate) use ridge::row;
