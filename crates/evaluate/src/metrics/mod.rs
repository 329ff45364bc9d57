//! The figures by which models are judged.
//!
//! Definitions are those of scikit-learn where it has them, also for empty classes, constant
//! targets and ties. Where a figure is not defined at all, such as an area under the ROC with one
//! class only, the answer is an error that says why and never a NaN.
//!
//! | what was predicted | figures |
//! |---|---|
//! | classes | [`ClassCounts`], [`ConfusionMatrix`], [`accuracy`] |
//! | sets of labels | [`LabelSets`], [`label_ranking_loss`], [`coverage_error`] |
//! | probabilities | [`log_loss`], [`brier`], [`CalibrationCurve`] |
//! | scores | [`RocCurve`], [`PrecisionRecallCurve`] |
//! | numbers | [`Errors`], [`VarianceDecomposition`] |
//! | groups | [`Contingency`], [`silhouette`], [`within_sse`], [`FewLabelF1`] |
//! | densities | [`LogLikelihood`], [`reconstruction_error`] |
//! | sequences | [`SequenceAccuracy`] |
//! | sources | [`amari_index`], [`match_sources`] |

mod assignment;
mod calibration_curve;
mod check;
mod class_counts;
mod confusion;
mod contingency;
mod density;
mod errors;
mod few_labels;
mod internal;
mod label_ranking;
mod label_sets;
mod mutual_information;
mod noise;
mod outliers;
mod precision_recall;
mod probability;
mod roc;
mod roc_multiclass;
mod sequences;
mod silhouette;
mod sources;
#[cfg(test)]
mod testing;
mod variance;

pub use assignment::assign;
pub use calibration_curve::{Binning, CalibrationBin, CalibrationCurve};
pub use class_counts::{
    Average, ClassCounts, ClassReport, ClassScores, accuracy, balanced_accuracy, f_measure,
    zero_one_loss,
};
pub use confusion::{BinaryCounts, ConfusionMatrix, KappaWeights};
pub use contingency::{
    Contingency, adjusted_rand, constraint_satisfaction, matched_accuracy, purity,
};
pub use density::{
    LogLikelihood, gaussian_log_likelihood, reconstruction_cross_entropy, reconstruction_error,
};
pub use errors::{Errors, PerTarget, mean_absolute_error, mean_squared_error, r2};
pub use few_labels::{ClassMatch, FewLabelF1, FewLabelOptions};
pub use internal::{calinski_harabasz, davies_bouldin, joint_sse, sse_to_centers, within_sse};
pub use label_ranking::{
    best_label_threshold, coverage_error, label_ranking_average_precision, label_ranking_loss,
    labels_above, one_error,
};
pub use label_sets::LabelSets;
pub use mutual_information::Normalizer;
pub use noise::{Noise, place_noise};
pub use outliers::{
    PacBound, outlier_scores, outlier_threshold, outliers, pac_error_bound, pac_sample_size,
};
pub use precision_recall::{PrecisionRecallCurve, average_precision};
pub use probability::{
    brier, brier_multiclass, log_loss, weighted_brier, weighted_brier_multiclass, weighted_log_loss,
};
pub use roc::{RocCurve, roc_auc};
pub use roc_multiclass::{roc_auc_columns, roc_auc_one_vs_one, roc_auc_one_vs_rest};
pub use sequences::SequenceAccuracy;
pub use silhouette::{silhouette, silhouette_of_distances, silhouette_sampled, silhouette_samples};
pub use sources::{SourceMatch, amari_index, match_sources};
pub use variance::VarianceDecomposition;

pub(crate) use check::quantile;
