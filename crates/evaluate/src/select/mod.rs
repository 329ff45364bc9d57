//! Choosing: hyper-parameters, models, the number of groups.

mod clusters;
mod compare;
mod criteria;
mod evidence;
mod halving;
mod nested;
mod partition_criteria;
mod search;
mod space;

pub use clusters::{ClusterChoice, ClusterTrial, GroupCounts, elbow};
pub use compare::{Comparison, compare_paired};
pub use criteria::{
    Criteria, Dic, aic, aicc, bic, bic_score, dic, hmm_parameters, mixture_parameters,
    network_bic_score,
};
pub use evidence::{log_bayes_factor, model_posterior, regression_log_evidence};
pub use halving::{Halving, halving_folds, successive_halving};
pub use nested::{Nested, nested_cross_validation};
pub use partition_criteria::{PartitionLikelihood, partition_criteria};
pub use search::{Search, Trial, search};
pub use space::{Range, Space, range_from_schema};
