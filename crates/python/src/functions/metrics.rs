//! Figures by which models are judged, under scikit-learn's names where it has them.

use super::answers::{Figures, List, results};
use super::arguments::{
    ClassList, ClassTargets, Groups, Integers, Labels, Matrix, Maybe, Pairs, Positive,
    PositiveClass, Seed, Sets, Targets, Vector, Weights, words,
};
use super::functions;
use didact::evaluate::{
    self, Average, Binning, CalibrationCurve, ClassCounts, ClassScores, ConfusionMatrix,
    Contingency, Errors, FewLabelF1, FewLabelOptions, KappaWeights, LabelSets, LogLikelihood,
    Normalizer, PacBound, PerTarget, PrecisionRecallCurve, RocCurve,
};
use didact::{Error, Result};
use ndarray::{Array2, ArrayView2, Axis, concatenate};
use pyo3::prelude::*;

/// How the figures of several classes become one.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Averaging {
    Binary,
    Samples,
    Over(Average),
}

/// What a confusion matrix is divided by.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shares {
    Truth,
    Predicted,
    All,
}

/// How areas of several classes are put together.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pairing {
    Refuse,
    OneVsRest,
    OneVsOne,
}

words! {
    /// How the figures of several classes become one: that of the positive class, over all rows together, the plain mean, the mean weighted by support, or the mean over the rows (sets of labels); None gives the figure of each class.
    AverageWord: Averaging {
        "binary" => Averaging::Binary,
        "micro" => Averaging::Over(Average::Micro),
        "macro" => Averaging::Over(Average::Macro),
        "weighted" => Averaging::Over(Average::Weighted),
        "samples" => Averaging::Samples,
    }
    /// How the areas of several classes become one.
    AreaAverage: Average {
        "micro" => Average::Micro,
        "macro" => Average::Macro,
        "weighted" => Average::Weighted,
    }
    /// How much a disagreement of two classes costs.
    KappaWord: KappaWeights {
        "linear" => KappaWeights::Linear,
        "quadratic" => KappaWeights::Quadratic,
    }
    /// Whether shares of the true class, of the predicted class or of all rows are given.
    SharesWord: Shares {
        "true" => Shares::Truth,
        "pred" => Shares::Predicted,
        "all" => Shares::All,
    }
    /// How the areas of more than two classes are put together.
    PairingWord: Pairing {
        "raise" => Pairing::Refuse,
        "ovr" => Pairing::OneVsRest,
        "ovo" => Pairing::OneVsOne,
    }
    /// Whether bins are equally wide or equally full.
    BinningWord: Binning { "uniform" => Binning::Uniform, "quantile" => Binning::Quantile }
    /// The mean of the two entropies that mutual information is divided by.
    NormalizerWord: Normalizer {
        "min" => Normalizer::Minimum,
        "geometric" => Normalizer::Geometric,
        "arithmetic" => Normalizer::Arithmetic,
        "max" => Normalizer::Maximum,
    }
    /// What is assumed about the best rule: that it makes no error, or nothing.
    PacWord: PacBound { "realizable" => PacBound::Realizable, "agnostic" => PacBound::Agnostic }
}

results! {
    /// Shares of items and of whole sequences that were labelled right.
    SequenceAccuracy {
        /// Share of items.
        items: f64,
        /// Share of whole sequences.
        sequences: f64,
    }
    /// The log-likelihood of rows or sequences.
    LogLikelihoods {
        /// The sum.
        total: f64,
        /// Per row or sequence.
        per_unit: f64,
        /// Per item.
        per_item: f64,
    }
    /// Which true source each estimated one is.
    SourceMatch {
        /// The true source of each estimate.
        order: Vec<usize>,
        /// Their correlations.
        correlations: Vec<f64>,
    }
    /// How well clusters follow a few labels.
    FewLabelScore {
        /// The figure.
        total: f64,
        /// The classes that have labelled rows.
        classes: Vec<usize>,
        /// The cluster that represents each class best.
        clusters: Vec<usize>,
        /// The F₁ of each.
        f1: Vec<f64>,
    }
    /// How the variation of a target splits.
    VarianceParts {
        /// Σ(y − ȳ)².
        total: f64,
        /// Σ(ŷ − ȳ)².
        explained: f64,
        /// Σ(y − ŷ)².
        unexplained: f64,
        /// Σ(y − ŷ).
        residual_sum: f64,
    }
    /// One point of a ROC.
    OperatingPoint {
        /// Rows whose score is at least this are positive.
        threshold: f64,
        /// Share of the positive rows that are found.
        true_positive_rate: f64,
        /// Share of the negative rows that are taken for positive.
        false_positive_rate: f64,
    }
}

type Pick = fn(&ClassScores) -> f64;

/// The figures of each class, or one for all.
enum Scored {
    Each(Vec<ClassScores>),
    One(ClassScores),
}

impl Scored {
    fn pick(&self, figure: Pick) -> Figures {
        match self {
            Scored::Each(scores) => Figures::Many(scores.iter().map(figure).collect()),
            Scored::One(scores) => Figures::One(figure(scores)),
        }
    }
}

/// What precision, recall, F-measure and Jaccard have in common.
fn scored(
    truth: Targets<'_>,
    predicted: Targets<'_>,
    labels: Option<&[usize]>,
    positive: Option<usize>,
    average: Option<Averaging>,
    weights: Option<&[f64]>,
    beta: f64,
) -> Result<Scored> {
    if beta.is_nan() || beta < 0.0 {
        return Err(Error::parameter("beta", beta, "it must not be negative"));
    }
    match (truth, predicted) {
        (Targets::Classes(truth, _), Targets::Classes(predicted, _)) => {
            let all = ClassCounts::new(truth, predicted, weights)?;
            let counts = match (average, labels) {
                (Some(Averaging::Binary), _) => all.only(&[positive_class(&all, positive)?]),
                (_, Some(labels)) => all.only(labels),
                _ => all,
            };
            Ok(match average {
                None => Scored::Each(counts.scores(beta)),
                Some(Averaging::Binary) => Scored::One(counts.averaged(beta, Average::Macro)),
                Some(Averaging::Over(average)) => Scored::One(counts.averaged(beta, average)),
                Some(Averaging::Samples) => {
                    return Err(Error::unsupported(
                        "average is samples, which needs sets of labels; take micro, macro or weighted",
                    ));
                }
            })
        }
        (Targets::Sets(truth), Targets::Sets(predicted)) => {
            let (truth, predicted) = match labels {
                Some(labels) => (
                    truth.select(Axis(1), labels),
                    predicted.select(Axis(1), labels),
                ),
                None => (truth.to_owned(), predicted.to_owned()),
            };
            let sets = LabelSets::new(truth.view(), predicted.view(), weights)?;
            Ok(match average {
                None => Scored::Each(sets.scores(beta)),
                Some(Averaging::Samples) => Scored::One(sets.averaged_over_rows(beta)),
                Some(Averaging::Over(average)) => Scored::One(sets.averaged(beta, average)),
                Some(Averaging::Binary) => {
                    return Err(Error::unsupported(
                        "average is binary but the targets are sets of labels; take micro, macro, weighted or samples",
                    ));
                }
            })
        }
        _ => Err(mixed()),
    }
}

fn positive_class(counts: &ClassCounts, positive: Option<usize>) -> Result<usize> {
    if counts.labels.len() > 2 {
        return Err(Error::unsupported(
            "average is binary but the target is multiclass; choose another average: micro, macro, weighted or None",
        ));
    }
    match (positive, counts.labels.len()) {
        (Some(label), _) if counts.labels.contains(&label) => Ok(label),
        // A class that never occurs has no rows to be right or wrong about.
        (_, 0 | 1) => Ok(usize::MAX),
        _ => Err(Error::data(
            "pos_label is not among the classes; it must be one of them",
        )),
    }
}

fn mixed() -> Error {
    Error::data("true and predicted targets are of different kinds: classes and sets of labels")
}

/// How figures of several targets become one.
pub(crate) enum Outputs<'a> {
    Raw,
    Uniform,
    ByVariance,
    Weights(&'a [f64]),
}

/// How the figures of several targets become one: each for itself (`"raw_values"`), the plain
/// mean, the mean weighted by variance, or with given weights.
pub(crate) struct MultiOutput;

/// What is held of it.
#[derive(FromPyObject)]
pub(crate) enum HeldOutputs {
    Word(String),
    Weights(Vec<f64>),
}

impl super::Argument for MultiOutput {
    const KIND: &'static str = "plain";
    const MEANING: &'static str = " How the figures of several targets become one: each for itself, the plain mean, the mean weighted by variance, or with given weights.";
    type Held<'py> = HeldOutputs;
    type Lent<'a> = Outputs<'a>;
    fn annotation() -> String {
        "Literal['raw_values', 'uniform_average', 'variance_weighted'] | ArrayLike".to_owned()
    }
    fn take<'py>(_: &str, object: &Bound<'py, PyAny>) -> PyResult<Self::Held<'py>> {
        object.extract()
    }
    fn lend<'a>(held: &'a Self::Held<'_>) -> PyResult<Self::Lent<'a>> {
        match held {
            HeldOutputs::Weights(weights) => Ok(Outputs::Weights(weights)),
            HeldOutputs::Word(word) => match word.as_str() {
                "raw_values" => Ok(Outputs::Raw),
                "uniform_average" => Ok(Outputs::Uniform),
                "variance_weighted" => Ok(Outputs::ByVariance),
                _ => Err(pyo3::exceptions::PyValueError::new_err(format!(
                    "multioutput is {word}; it must be raw_values, uniform_average, variance_weighted or weights"
                ))),
            },
        }
    }
}

fn errors<'a>(
    truth: ArrayView2<'a, f64>,
    predicted: ArrayView2<'a, f64>,
    weights: Option<&'a [f64]>,
) -> Result<Errors<'a>> {
    let errors = Errors::new(truth, predicted)?;
    match weights {
        Some(weights) => errors.weighted(weights),
        None => Ok(errors),
    }
}

fn together(
    values: PerTarget,
    variation: Option<PerTarget>,
    outputs: Outputs<'_>,
) -> Result<Figures> {
    match (outputs, variation) {
        (Outputs::Raw, _) => Ok(Figures::Many(values.values)),
        (Outputs::Uniform, _) => Ok(Figures::One(values.mean())),
        (Outputs::Weights(weights), _) => values.weighted_mean(weights).map(Figures::One),
        (Outputs::ByVariance, Some(variation)) => {
            values.weighted_mean(&variation.values).map(Figures::One)
        }
        (Outputs::ByVariance, None) => Err(Error::unsupported(
            "multioutput is variance_weighted, which only shares of variance can be; take uniform_average or raw_values",
        )),
    }
}

fn unweighted(values: PerTarget, outputs: Outputs<'_>) -> Result<Figures> {
    together(values, None, outputs)
}

/// Probabilities of all classes; a single column is that of the second of two.
fn class_probabilities(given: ArrayView2<'_, f64>, n_classes: usize) -> Result<Array2<f64>> {
    let table = match given.ncols() {
        1 => concatenate![Axis(1), given.mapv(|p| 1.0 - p), given],
        _ => given.to_owned(),
    };
    if n_classes < 2 {
        return Err(Error::data(
            "the truth holds one class only; name all of them with labels",
        ));
    }
    match table.ncols() == n_classes {
        true => Ok(table),
        false => Err(Error::data(format!(
            "there are {n_classes} classes but {} columns of probabilities; name all classes with labels",
            table.ncols()
        ))),
    }
}

fn classes_of<'a>(targets: Targets<'a>) -> Result<(&'a [usize], usize)> {
    match targets {
        Targets::Classes(labels, count) => Ok((labels, count)),
        Targets::Sets(_) => Err(Error::unsupported(
            "sets of labels are not judged by this figure; give one class per row",
        )),
    }
}

functions! {
    // -- classes ----------------------------------------------------------------------------

    /// Share of rows whose class, or whole set of labels, was predicted right.
    ///
    /// Examples
    /// --------
    /// >>> from didact.metrics import accuracy_score
    /// >>> accuracy_score(["a", "b", "b", "c"], ["a", "b", "c", "c"])
    /// 0.75
    quick accuracy_score(y_true: ClassTargets, y_pred: ClassTargets; normalize: bool = "True", sample_weight: Weights = "None") -> f64 {
        let share = match (y_true, y_pred) {
            (Targets::Classes(truth, _), Targets::Classes(predicted, _)) => match sample_weight {
                None => evaluate::accuracy(truth, predicted)?,
                Some(_) => ClassCounts::new(truth, predicted, sample_weight)?.accuracy(),
            },
            (Targets::Sets(truth), Targets::Sets(predicted)) => {
                LabelSets::new(truth, predicted, sample_weight)?.subset_accuracy()
            }
            _ => return Err(mixed()),
        };
        let rows = match y_true {
            Targets::Classes(truth, _) => truth.len(),
            Targets::Sets(truth) => truth.nrows(),
        };
        let total = sample_weight.map_or(rows as f64, |weights| weights.iter().sum());
        Ok(if normalize { share } else { share * total })
    }

    /// Share of rows whose class, or whole set of labels, was predicted wrong.
    quick zero_one_loss(y_true: ClassTargets, y_pred: ClassTargets; normalize: bool = "True", sample_weight: Weights = "None") -> f64 {
        let (share, rows) = match (y_true, y_pred) {
            (Targets::Classes(truth, _), Targets::Classes(predicted, _)) => {
                (ClassCounts::new(truth, predicted, sample_weight)?.accuracy(), truth.len())
            }
            (Targets::Sets(truth), Targets::Sets(predicted)) => {
                (LabelSets::new(truth, predicted, sample_weight)?.subset_accuracy(), truth.nrows())
            }
            _ => return Err(mixed()),
        };
        let total = sample_weight.map_or(rows as f64, |weights| weights.iter().sum());
        Ok(if normalize { 1.0 - share } else { total - share * total })
    }

    /// Mean over the classes of the share of each class's rows that was predicted right.
    quick balanced_accuracy_score(y_true: Labels, y_pred: Labels; sample_weight: Weights = "None", adjusted: bool = "False") -> f64 {
        let counts = ClassCounts::new(y_true, y_pred, sample_weight)?;
        match adjusted {
            true => counts.adjusted_balanced_accuracy(),
            false => Ok(counts.balanced_accuracy()),
        }
    }

    /// Matthews's correlation of true and predicted classes, from -1 to 1.
    quick matthews_corrcoef(y_true: Labels, y_pred: Labels; sample_weight: Weights = "None") -> f64 {
        Ok(ClassCounts::new(y_true, y_pred, sample_weight)?.matthews_correlation())
    }

    /// Cohen's κ: agreement of two labellings beyond that of chance.
    quick cohen_kappa_score(y1: ClassTargets, y2: ClassTargets; labels: ClassList = "None", weights: Maybe<KappaWord> = "None", sample_weight: Weights = "None") -> f64 {
        let ((first, count), (second, _)) = (classes_of(y1)?, classes_of(y2)?);
        let table = ConfusionMatrix::new(first, second, count, sample_weight)?;
        let counts = match labels {
            Some(labels) => table.counts.select(Axis(0), labels).select(Axis(1), labels),
            None => table.counts,
        };
        ConfusionMatrix { counts }.kappa(weights.unwrap_or(KappaWeights::Equal))
    }

    /// Weight of the rows by true class (row) and predicted class (column).
    quick confusion_matrix(y_true: ClassTargets, y_pred: ClassTargets; labels: ClassList = "None", sample_weight: Weights = "None", normalize: Maybe<SharesWord> = "None") -> Array2<f64> {
        let ((truth, count), (predicted, _)) = (classes_of(y_true)?, classes_of(y_pred)?);
        let table = ConfusionMatrix::new(truth, predicted, count, sample_weight)?;
        let counts = match labels {
            Some(labels) => table.counts.select(Axis(0), labels).select(Axis(1), labels),
            None => table.counts,
        };
        Ok(match normalize {
            None => counts,
            Some(Shares::Truth) => ConfusionMatrix { counts }.shares_of_truth(),
            Some(Shares::Predicted) => {
                let turned = ConfusionMatrix { counts: counts.reversed_axes() };
                turned.shares_of_truth().reversed_axes().as_standard_layout().into_owned()
            }
            Some(Shares::All) => {
                let total = counts.sum();
                if total > 0.0 { counts / total } else { counts }
            }
        })
    }

    /// True positives and others of each class: one matrix [[TN, FP], [FN, TP]] flattened per row.
    quick class_counts(y_true: Labels, y_pred: Labels; sample_weight: Weights = "None") -> Array2<f64> {
        let counts = ClassCounts::new(y_true, y_pred, sample_weight)?;
        let total = counts.total();
        Ok(Array2::from_shape_fn((counts.labels.len(), 4), |(class, cell)| {
            let right = counts.true_positives[class];
            let (false_alarms, misses) = (counts.predicted[class] - right, counts.actual[class] - right);
            [total - right - false_alarms - misses, false_alarms, misses, right][cell]
        }))
    }

    /// Share of the rows predicted to be of a class that are.
    quick precision_score(y_true: ClassTargets, y_pred: ClassTargets; labels: ClassList = "None", pos_label: PositiveClass = "1", average: Maybe<AverageWord> = "'binary'", sample_weight: Weights = "None") -> Figures {
        Ok(scored(y_true, y_pred, labels, pos_label, average, sample_weight, 1.0)?.pick(|one| one.precision))
    }

    /// Share of the rows of a class that were predicted to be.
    quick recall_score(y_true: ClassTargets, y_pred: ClassTargets; labels: ClassList = "None", pos_label: PositiveClass = "1", average: Maybe<AverageWord> = "'binary'", sample_weight: Weights = "None") -> Figures {
        Ok(scored(y_true, y_pred, labels, pos_label, average, sample_weight, 1.0)?.pick(|one| one.recall))
    }

    /// Harmonic mean of precision and recall.
    quick f1_score(y_true: ClassTargets, y_pred: ClassTargets; labels: ClassList = "None", pos_label: PositiveClass = "1", average: Maybe<AverageWord> = "'binary'", sample_weight: Weights = "None") -> Figures {
        Ok(scored(y_true, y_pred, labels, pos_label, average, sample_weight, 1.0)?.pick(|one| one.f_measure))
    }

    /// Weighted harmonic mean of precision and recall; `beta` is how much more recall counts.
    quick fbeta_score(y_true: ClassTargets, y_pred: ClassTargets; beta: f64 = "1.0", labels: ClassList = "None", pos_label: PositiveClass = "1", average: Maybe<AverageWord> = "'binary'", sample_weight: Weights = "None") -> Figures {
        Ok(scored(y_true, y_pred, labels, pos_label, average, sample_weight, beta)?.pick(|one| one.f_measure))
    }

    /// Rows both true and predicted against rows that are either.
    quick jaccard_score(y_true: ClassTargets, y_pred: ClassTargets; labels: ClassList = "None", pos_label: PositiveClass = "1", average: Maybe<AverageWord> = "'binary'", sample_weight: Weights = "None") -> Figures {
        Ok(scored(y_true, y_pred, labels, pos_label, average, sample_weight, 1.0)?.pick(|one| one.jaccard))
    }

    /// Precision, recall, F-measure and support together; support is None for an average.
    quick precision_recall_fscore_support(y_true: ClassTargets, y_pred: ClassTargets; beta: f64 = "1.0", labels: ClassList = "None", pos_label: PositiveClass = "1", average: Maybe<AverageWord> = "None", sample_weight: Weights = "None") -> (Figures, Figures, Figures, Option<Figures>) {
        let scores = scored(y_true, y_pred, labels, pos_label, average, sample_weight, beta)?;
        Ok((
            scores.pick(|one| one.precision),
            scores.pick(|one| one.recall),
            scores.pick(|one| one.f_measure),
            average.is_none().then(|| scores.pick(|one| one.support)),
        ))
    }

    /// Share of labels that are wrongly on or off; with one class per row the share of wrong rows.
    quick hamming_loss(y_true: ClassTargets, y_pred: ClassTargets; sample_weight: Weights = "None") -> f64 {
        match (y_true, y_pred) {
            (Targets::Classes(truth, _), Targets::Classes(predicted, _)) => {
                Ok(1.0 - ClassCounts::new(truth, predicted, sample_weight)?.accuracy())
            }
            (Targets::Sets(truth), Targets::Sets(predicted)) => {
                Ok(LabelSets::new(truth, predicted, sample_weight)?.hamming_loss())
            }
            _ => Err(mixed()),
        }
    }

    // -- sets of labels ---------------------------------------------------------------------

    /// Mean share of pairs of a true and a false label that are ordered wrongly.
    quick label_ranking_loss(y_true: Sets, y_score: Matrix; sample_weight: Weights = "None") -> f64 {
        evaluate::label_ranking_loss(y_true, y_score, sample_weight)
    }

    /// Mean number of labels one must take from the top to have every true one.
    quick coverage_error(y_true: Sets, y_score: Matrix; sample_weight: Weights = "None") -> f64 {
        evaluate::coverage_error(y_true, y_score, sample_weight)
    }

    /// Mean over the true labels of the share of true ones among those ranked as high or higher.
    quick label_ranking_average_precision_score(y_true: Sets, y_score: Matrix; sample_weight: Weights = "None") -> f64 {
        evaluate::label_ranking_average_precision(y_true, y_score, sample_weight)
    }

    /// Share of rows whose highest-scored label is not a true one.
    quick one_error(y_true: Sets, y_score: Matrix; sample_weight: Weights = "None") -> f64 {
        evaluate::one_error(y_true, y_score, sample_weight)
    }

    /// The labels whose score is above the threshold.
    quick labels_above(y_score: Matrix, threshold: f64) -> Array2<bool> {
        Ok(evaluate::labels_above(y_score, threshold))
    }

    /// The threshold of `labels_above` with the highest F₁ over all labels together.
    quick best_label_threshold(y_true: Sets, y_score: Matrix) -> f64 {
        evaluate::best_label_threshold(y_true, y_score)
    }

    // -- probabilities and scores -----------------------------------------------------------

    /// Mean negative log-probability of the true class, in nats.
    quick log_loss(y_true: ClassTargets, y_pred: Matrix; normalize: bool = "True", sample_weight: Weights = "None", labels: ClassList = "None") -> f64 {
        let (truth, count) = classes_of(y_true)?;
        let count = labels.map_or(count, <[usize]>::len);
        let table = class_probabilities(y_pred, count)?;
        let mean = evaluate::weighted_log_loss(truth, table.view(), sample_weight)?;
        let total = sample_weight.map_or(truth.len() as f64, |weights| weights.iter().sum());
        Ok(if normalize { mean } else { mean * total })
    }

    /// Mean squared distance of predicted probabilities from the truth; for more than two classes
    /// summed over the classes, unless `scale_by_half` is set.
    quick brier_score_loss(y_true: ClassTargets, y_proba: Matrix; sample_weight: Weights = "None", pos_label: PositiveClass = "None", labels: ClassList = "None", scale_by_half: Maybe<bool> = "None") -> f64 {
        let (truth, count) = classes_of(y_true)?;
        let count = labels.map_or(count, <[usize]>::len);
        if y_proba.ncols() == 1 {
            let positive = pos_label.unwrap_or(count.saturating_sub(1));
            let truth: Vec<bool> = truth.iter().map(|&label| label == positive).collect();
            let loss = evaluate::weighted_brier(&truth, &y_proba.column(0).to_vec(), sample_weight)?;
            return Ok(if scale_by_half.unwrap_or(true) { loss } else { 2.0 * loss });
        }
        let table = class_probabilities(y_proba, count)?;
        let loss = evaluate::weighted_brier_multiclass(truth, table.view(), sample_weight)?;
        Ok(if scale_by_half.unwrap_or(count == 2) { loss / 2.0 } else { loss })
    }

    /// Observed and predicted frequency of the positive class, bin by bin.
    quick calibration_curve(y_true: Positive, y_prob: Vector; pos_label: PositiveClass = "None", n_bins: usize = "5", strategy: BinningWord = "'uniform'") -> (Vec<f64>, Vec<f64>) {
        let curve = CalibrationCurve::new(y_true, y_prob, n_bins, strategy, None)?;
        Ok(curve.bins.iter().map(|bin| (bin.observed, bin.predicted)).unzip())
    }

    /// Mean distance of observed and predicted frequency over the bins of a calibration curve.
    quick expected_calibration_error(y_true: Positive, y_prob: Vector; pos_label: PositiveClass = "None", n_bins: usize = "10", strategy: BinningWord = "'uniform'", sample_weight: Weights = "None") -> f64 {
        Ok(CalibrationCurve::new(y_true, y_prob, n_bins, strategy, sample_weight)?.expected_error())
    }

    /// False and true positive rates for every threshold of a score.
    quick roc_curve(y_true: Positive, y_score: Vector; pos_label: PositiveClass = "None", sample_weight: Weights = "None", drop_intermediate: bool = "True") -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let curve = RocCurve::new(y_true, y_score, sample_weight)?;
        let curve = if drop_intermediate { curve.corners() } else { curve };
        Ok((curve.false_positive_rates, curve.true_positive_rates, curve.thresholds))
    }

    /// Area under the ROC: the probability that a positive row scores above a negative one.
    quick roc_auc_score(y_true: ClassTargets, y_score: Matrix; average: AreaAverage = "'macro'", sample_weight: Weights = "None", max_fpr: Maybe<f64> = "None", multi_class: PairingWord = "'raise'", labels: ClassList = "None") -> f64 {
        match y_true {
            Targets::Sets(truth) => evaluate::roc_auc_columns(truth, y_score, average, sample_weight),
            Targets::Classes(truth, count) => {
                let count = labels.map_or(count, <[usize]>::len);
                if count <= 2 && y_score.ncols() == 1 {
                    let positive: Vec<bool> = truth.iter().map(|&label| label == 1).collect();
                    let curve = RocCurve::new(&positive, &y_score.column(0).to_vec(), sample_weight)?;
                    return max_fpr.map_or(Ok(curve.area()), |most| curve.partial_area(most));
                }
                if y_score.ncols() != count {
                    return Err(Error::data(format!(
                        "there are {count} classes but {} columns of scores", y_score.ncols()
                    )));
                }
                match multi_class {
                    Pairing::OneVsRest => evaluate::roc_auc_one_vs_rest(truth, y_score, average, sample_weight),
                    Pairing::OneVsOne => evaluate::roc_auc_one_vs_one(truth, y_score, average),
                    Pairing::Refuse => Err(Error::parameter(
                        "multi_class", "raise", "it must be ovr or ovo for more than two classes",
                    )),
                }
            }
        }
    }

    /// Precision and recall for every threshold of a score.
    quick precision_recall_curve(y_true: Positive, y_score: Vector; pos_label: PositiveClass = "None", sample_weight: Weights = "None") -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let curve = PrecisionRecallCurve::new(y_true, y_score, sample_weight)?;
        Ok((curve.precisions, curve.recalls, curve.thresholds))
    }

    /// Precision averaged over the gain in recall.
    quick average_precision_score(y_true: Positive, y_score: Vector; pos_label: PositiveClass = "1", sample_weight: Weights = "None") -> f64 {
        Ok(PrecisionRecallCurve::new(y_true, y_score, sample_weight)?.average_precision())
    }

    /// The point of a ROC of least cost per row, given what a false alarm and a miss cost.
    quick cheapest_threshold(y_true: Positive, y_score: Vector; false_positive: f64 = "1.0", false_negative: f64 = "1.0", pos_label: PositiveClass = "None", sample_weight: Weights = "None") -> OperatingPoint {
        let point = RocCurve::new(y_true, y_score, sample_weight)?.cheapest(false_positive, false_negative)?;
        Ok(point.into())
    }

    /// The point of a ROC with the most positives found at no more than this share of false alarms.
    quick threshold_at_false_positives(y_true: Positive, y_score: Vector, most: f64; pos_label: PositiveClass = "None", sample_weight: Weights = "None") -> OperatingPoint {
        Ok(RocCurve::new(y_true, y_score, sample_weight)?.with_false_positives(most)?.into())
    }

    /// The point of a ROC farthest above the diagonal.
    quick most_informed_threshold(y_true: Positive, y_score: Vector; pos_label: PositiveClass = "None", sample_weight: Weights = "None") -> OperatingPoint {
        Ok(RocCurve::new(y_true, y_score, sample_weight)?.most_informed().into())
    }

    /// The probability above which "positive" is the cheaper answer.
    quick cost_threshold(false_positive: f64, false_negative: f64) -> f64 {
        evaluate::cost_threshold(false_positive, false_negative)
    }

    // -- numbers ----------------------------------------------------------------------------

    /// Mean squared difference.
    quick mean_squared_error(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        unweighted(errors(y_true, y_pred, sample_weight)?.mean_squared(), multioutput)
    }

    /// Root of the mean squared difference, in the unit of the target.
    quick root_mean_squared_error(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        unweighted(errors(y_true, y_pred, sample_weight)?.root_mean_squared(), multioutput)
    }

    /// Mean absolute difference.
    quick mean_absolute_error(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        unweighted(errors(y_true, y_pred, sample_weight)?.mean_absolute(), multioutput)
    }

    /// Mean absolute difference as a share of the target.
    quick mean_absolute_percentage_error(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        unweighted(errors(y_true, y_pred, sample_weight)?.mean_absolute_percentage(), multioutput)
    }

    /// Mean squared difference of ln(1 + y).
    quick mean_squared_log_error(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        unweighted(errors(y_true, y_pred, sample_weight)?.mean_squared_logarithmic()?, multioutput)
    }

    /// Root of the mean squared difference of ln(1 + y).
    quick root_mean_squared_log_error(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        let squares = errors(y_true, y_pred, sample_weight)?.mean_squared_logarithmic()?;
        let roots = squares.values.into_iter().map(f64::sqrt).collect();
        unweighted(PerTarget { values: roots }, multioutput)
    }

    /// Mean pinball loss, least for the `alpha`-quantile of the target.
    quick mean_pinball_loss(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", alpha: f64 = "0.5", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        unweighted(errors(y_true, y_pred, sample_weight)?.pinball(alpha)?, multioutput)
    }

    /// Median absolute difference, which a few wild rows do not move.
    quick median_absolute_error(y_true: Matrix, y_pred: Matrix; multioutput: MultiOutput = "'uniform_average'", sample_weight: Weights = "None") -> Figures {
        unweighted(errors(y_true, y_pred, sample_weight)?.median_absolute(), multioutput)
    }

    /// Largest absolute difference.
    quick max_error(y_true: Matrix, y_pred: Matrix) -> f64 {
        let largest = Errors::new(y_true, y_pred)?.maximum();
        match largest.values.as_slice() {
            [one] => Ok(*one),
            _ => Err(Error::data("the largest error is that of one target; give one column")),
        }
    }

    /// Share of the variance that the predictions explain.
    quick r2_score(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        let errors = errors(y_true, y_pred, sample_weight)?;
        together(errors.r2(), Some(errors.variation()), multioutput)
    }

    /// Share of the variance explained, forgiving a constant offset.
    quick explained_variance_score(y_true: Matrix, y_pred: Matrix; sample_weight: Weights = "None", multioutput: MultiOutput = "'uniform_average'") -> Figures {
        let errors = errors(y_true, y_pred, sample_weight)?;
        together(errors.explained_variance(), Some(errors.variation()), multioutput)
    }

    /// How the variation of a target splits into what a model explains and what it leaves.
    quick variance_decomposition(y_true: Vector, y_pred: Vector) -> VarianceParts {
        let parts = evaluate::VarianceDecomposition::new(y_true, y_pred)?;
        Ok(VarianceParts {
            total: parts.total,
            explained: parts.explained,
            unexplained: parts.unexplained,
            residual_sum: parts.residual_sum,
        })
    }

    // -- groups -----------------------------------------------------------------------------

    /// Share of pairs of rows on which two groupings agree.
    quick rand_score(labels_true: Labels, labels_pred: Labels) -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.rand())
    }

    /// Agreement of two groupings of the rows, corrected for chance.
    quick adjusted_rand_score(labels_true: Labels, labels_pred: Labels) -> f64 {
        evaluate::adjusted_rand(labels_true, labels_pred)
    }

    /// Geometric mean of the shares of pairs together in one grouping that are so in the other.
    quick fowlkes_mallows_score(labels_true: Labels, labels_pred: Labels) -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.fowlkes_mallows())
    }

    /// Mutual information of two groupings, in nats.
    quick mutual_info_score(labels_true: Labels, labels_pred: Labels) -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.mutual_information())
    }

    /// Mutual information as a share of a mean of the entropies.
    quick normalized_mutual_info_score(labels_true: Labels, labels_pred: Labels; average_method: NormalizerWord = "'arithmetic'") -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.normalized_mutual_information(average_method))
    }

    /// Mutual information beyond what chance gives, as a share of what is possible.
    quick adjusted_mutual_info_score(labels_true: Labels, labels_pred: Labels; average_method: NormalizerWord = "'arithmetic'") -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.adjusted_mutual_information(average_method))
    }

    /// Whether each predicted group holds one true group only.
    quick homogeneity_score(labels_true: Labels, labels_pred: Labels) -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.homogeneity())
    }

    /// Whether each true group is in one predicted group only.
    quick completeness_score(labels_true: Labels, labels_pred: Labels) -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.completeness())
    }

    /// Harmonic mean of homogeneity and completeness.
    quick v_measure_score(labels_true: Labels, labels_pred: Labels; beta: f64 = "1.0") -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.v_measure(beta))
    }

    /// Homogeneity, completeness and V-measure together.
    quick homogeneity_completeness_v_measure(labels_true: Labels, labels_pred: Labels; beta: f64 = "1.0") -> (f64, f64, f64) {
        let table = Contingency::new(labels_true, labels_pred)?;
        Ok((table.homogeneity(), table.completeness(), table.v_measure(beta)))
    }

    /// Share of rows whose true group is the most frequent one of their predicted group.
    quick purity_score(labels_true: Labels, labels_pred: Labels) -> f64 {
        evaluate::purity(labels_true, labels_pred)
    }

    /// Share of rows grouped right under the best one-to-one naming of the predicted groups.
    quick matched_accuracy_score(labels_true: Labels, labels_pred: Labels) -> f64 {
        evaluate::matched_accuracy(labels_true, labels_pred)
    }

    /// Mean over the true groups of the best F₁ that any predicted group reaches.
    quick clustering_f_measure(labels_true: Labels, labels_pred: Labels) -> f64 {
        Ok(Contingency::new(labels_true, labels_pred)?.f_measure())
    }

    /// Share of links that a grouping respects: pairs that belong together and pairs that do not.
    quick constraint_satisfaction(labels: Groups, together: Pairs, apart: Pairs) -> f64 {
        evaluate::constraint_satisfaction(&labels, together, apart)
    }

    /// How well clusters follow the labels of a few rows; -1 is no label, or no cluster.
    quick few_label_f1(labels_true: Groups, labels_pred: Groups; labelled_members_only: bool = "False", penalise_empty_clusters: bool = "False") -> FewLabelScore {
        let options = FewLabelOptions { labelled_members_only, penalise_empty_clusters };
        let found = FewLabelF1::new(&labels_pred, &labels_true, options)?;
        Ok(FewLabelScore {
            total: found.total,
            classes: found.classes.iter().map(|class| class.class).collect(),
            clusters: found.classes.iter().map(|class| class.cluster).collect(),
            f1: found.classes.iter().map(|class| class.f1).collect(),
        })
    }

    /// How much nearer each row is to its own group than to the next, from -1 to 1.
    long silhouette_samples[run](X: Matrix, labels: Labels) -> Vec<f64> {
        evaluate::silhouette_samples(X, labels, run)
    }

    /// Mean silhouette of the rows, or of a random sample of them.
    long silhouette_score[run](X: Matrix, labels: Labels; sample_size: Maybe<usize> = "None", random_state: Seed = "0") -> f64 {
        match sample_size {
            None => evaluate::silhouette(X, labels, run),
            Some(limit) => evaluate::silhouette_sampled(X, labels, limit, random_state, run),
        }
    }

    /// Spread between the groups against spread within them.
    quick calinski_harabasz_score(X: Matrix, labels: Labels) -> f64 {
        evaluate::calinski_harabasz(X, labels)
    }

    /// Mean over the groups of the worst ratio of widths to the distance of the centres.
    quick davies_bouldin_score(X: Matrix, labels: Labels) -> f64 {
        evaluate::davies_bouldin(X, labels)
    }

    /// Within-cluster sum of squares about the means of the groups; -1 is noise.
    quick within_sse(X: Matrix, labels: Groups) -> f64 {
        evaluate::within_sse(X, &labels)
    }

    /// Sum of squared distances of the rows to the nearest centre.
    quick sse_to_centers(X: Matrix, centers: Matrix) -> f64 {
        evaluate::sse_to_centers(X, centers)
    }

    /// Sum of squared distances of the rows to the centre of their own group; -1 is noise.
    quick joint_sse(X: Matrix, labels: Groups, centers: Matrix) -> f64 {
        evaluate::joint_sse(X, &labels, centers)
    }

    /// The column for each row, each at most once, with the least sum of costs; -1 is none.
    quick linear_sum_assignment(costs: Matrix) -> Vec<Option<usize>> {
        evaluate::assign(costs)
    }

    // -- densities, sequences, sources ------------------------------------------------------

    /// The log-likelihood in all, per row or sequence, and per item.
    quick log_likelihood(log_densities: Vector, n_items: usize) -> LogLikelihoods {
        let found = LogLikelihood::new(log_densities, n_items)?;
        Ok(LogLikelihoods { total: found.total, per_unit: found.per_unit, per_item: found.per_item })
    }

    /// The log-likelihood of centred rows of one covariance under a normal law of another.
    quick gaussian_log_likelihood(n_rows: usize, model_covariance: Matrix, covariance: Matrix) -> f64 {
        evaluate::gaussian_log_likelihood(n_rows, model_covariance, covariance)
    }

    /// Mean over the rows of the squared distance to their reconstruction.
    quick reconstruction_error(X: Matrix, rebuilt: Matrix) -> f64 {
        evaluate::reconstruction_error(X, rebuilt)
    }

    /// Mean over the rows of the cross-entropy of values from 0 to 1 and their reconstruction.
    quick reconstruction_cross_entropy(X: Matrix, rebuilt: Matrix) -> f64 {
        evaluate::reconstruction_cross_entropy(X, rebuilt)
    }

    /// Shares of items and of whole sequences that were labelled right.
    quick sequence_accuracy(y_true: Labels, y_pred: Labels, lengths: Integers) -> SequenceAccuracy {
        let found = evaluate::SequenceAccuracy::new(y_true, y_pred, lengths)?;
        Ok(SequenceAccuracy { items: found.items, sequences: found.sequences })
    }

    /// Matches estimated to true sources (columns) so that the sum of |correlation| is largest.
    quick match_sources(sources_true: Matrix, sources_pred: Matrix) -> SourceMatch {
        let found = evaluate::match_sources(sources_true, sources_pred)?;
        Ok(SourceMatch { order: found.order, correlations: found.correlations })
    }

    /// Amari's index of unmixing times mixing: zero exactly for a permutation with any signs.
    quick amari_index(product: Matrix) -> f64 {
        evaluate::amari_index(product)
    }

    // -- outliers and learning theory -------------------------------------------------------

    /// The less probable a row, the higher its score: minus the log-density.
    quick outlier_scores(log_densities: Vector) -> Vec<f64> {
        Ok(evaluate::outlier_scores(log_densities))
    }

    /// The score that the given share of the rows exceeds.
    quick outlier_threshold(scores: Vector, share: f64) -> f64 {
        evaluate::outlier_threshold(scores, share)
    }

    /// The rows whose score is above the threshold.
    quick outliers(scores: Vector, threshold: f64) -> Vec<usize> {
        Ok(evaluate::outliers(scores, threshold))
    }

    /// How many rows suffice for an error of `epsilon` with probability 1 - `delta`.
    quick pac_sample_size(bound: PacWord, log_rules: f64, epsilon: f64, delta: f64) -> f64 {
        evaluate::pac_sample_size(bound, log_rules, epsilon, delta)
    }

    /// The error that so many rows guarantee with probability 1 - `delta`.
    quick pac_error_bound(bound: PacWord, log_rules: f64, n_rows: usize, delta: f64) -> f64 {
        evaluate::pac_error_bound(bound, log_rules, n_rows, delta)
    }

    /// Columns whose mean differs between training and test rows by more than `limit` standard
    /// errors, with the difference.
    quick shifted_columns(X: Matrix, train: Integers, test: Integers; limit: f64 = "3.0") -> List<(usize, f64)> {
        let n_rows = X.nrows();
        if let Some(row) = train.iter().chain(test).find(|&&row| row >= n_rows) {
            return Err(Error::data(format!("row {row} is named but there are only {n_rows} rows")));
        }
        let parts = evaluate::Split { train: train.to_vec(), test: test.to_vec() };
        Ok(List(evaluate::shifted_columns(X, &parts, limit)))
    }

    /// The exponent p of seconds ≈ c·sizeᵖ.
    quick growth_exponent(sizes: Vector, seconds: Vector) -> f64 {
        evaluate::growth_exponent(sizes, seconds)
    }
}

impl From<evaluate::OperatingPoint> for OperatingPoint {
    fn from(point: evaluate::OperatingPoint) -> Self {
        OperatingPoint {
            threshold: point.threshold,
            true_positive_rate: point.true_positive_rate,
            false_positive_rate: point.false_positive_rate,
        }
    }
}
