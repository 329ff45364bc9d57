//! Linear models: least squares in all forms, penalised and robust regression, linear classifiers.
//!
//! A linear model predicts from w·x + b. What differs is the loss that w and b minimise (see
//! [`losses`]) and the price put on large weights.

mod bayesian;
mod bayesian_logistic;
mod catalogue;
mod centred;
pub mod decision;
mod delta_rule;
mod elastic_net;
mod general_logistic;
mod generalised;
mod huber;
mod inference;
mod least_squares;
mod linear_regression;
mod logistic;
pub mod losses;
mod model;
mod online;
mod packed_planes;
mod passive_aggressive;
mod perceptron;
mod planes;
mod pls;
mod principal_components;
mod quantile;
mod recursive;
mod ridge;
mod rows;
mod separability;
mod separators;
mod sparse_descent;
mod spectrum;
mod start;
mod stochastic;
mod svm;

pub use bayesian::{BayesianLinearModel, BayesianLinearRegression, Predictive};
pub use bayesian_logistic::{Averaging, BayesianLogisticModel, BayesianLogisticRegression};
pub use catalogue::catalogue;
pub use delta_rule::{Activation, delta_rule};
pub use didact_core::ClassWeight;
pub use elastic_net::{ElasticNet, ElasticNetModel, ElasticNetPath, Lasso, elastic_net_path};
pub use general_logistic::{GeneralLogistic, GeneralLogisticFit, ScoreFunction};
pub use generalised::{GeneralisedEstimate, Noise, Prior, generalised_least_squares};
pub use huber::{HuberModel, HuberRegressor};
pub use inference::{Band, Diagnostics, Inference, IntervalOf};
pub use linear_regression::LinearRegression;
pub use logistic::{
    LogisticInference, LogisticModel, LogisticRegression, LogisticState, LogisticSummary, Penalty,
    SoftmaxInference, Solver,
};
pub use model::LinearModel;
pub use online::{
    Aggressiveness, Correction, Denominator, OnlineClassifier, OnlineState, PassiveAggressiveRule,
    PerceptronRule, Rival, UpdateRule,
};
pub use passive_aggressive::{
    OnlineRegressionState, PassiveAggressiveClassifier, PassiveAggressiveModel,
    PassiveAggressiveRegressor, PassiveAggressiveRegressorModel,
};
pub use perceptron::{Perceptron, PerceptronMode, PerceptronModel};
pub use pls::{PlsDiscriminant, PlsDiscriminantModel, PlsModel, PlsRegression};
pub use principal_components::{PrincipalComponentModel, PrincipalComponentRegression};
pub use quantile::{QuantileModel, QuantileRegressor};
pub use recursive::{FadedMoments, RecursiveFilter, RecursiveLeastSquares};
pub use ridge::{Reduction, Ridge};
pub use separability::{Separability, linear_separability};
pub use stochastic::{
    ClassificationLoss, LearningRate, RegressionLoss, SgdClassifier, SgdClassifierModel,
    SgdClassifierState, SgdPenalty, SgdRegressor, SgdRegressorModel, SgdWalk,
};
pub use svm::{
    LinearSvc, LinearSvcModel, LinearSvr, LinearSvrModel, MultiClass, SvcLoss, SvcPenalty, SvrLoss,
};
