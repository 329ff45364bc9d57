//! Figures of merit by name.

use crate::metrics::*;
use crate::outcome::Outcome;
use didact_core::parameters::nearest;
use didact_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A figure by which models of any type can be judged.
///
/// Precision, recall, F₁, the areas and the Brier score of several classes are plain means over
/// the classes; with two classes the areas are those of the second.
///
/// ```
/// use didact_evaluate::Metric;
/// let metric: Metric = "roc-auc".parse()?;
/// assert_eq!((metric, metric.title(), metric.higher_is_better()), (Metric::RocAuc, "ROC AUC", true));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Share of rows predicted right.
    Accuracy,
    /// Mean recall over the classes.
    BalancedAccuracy,
    /// Mean precision over the classes.
    Precision,
    /// Mean recall over the classes that are true or predicted.
    Recall,
    /// Mean F₁ over the classes.
    F1,
    /// Matthews correlation of true and predicted classes.
    Matthews,
    /// Cohen's κ: agreement beyond chance.
    Kappa,
    /// Mean −ln of the probability of the true class.
    LogLoss,
    /// Mean squared error of the class probabilities.
    Brier,
    /// Area under the receiver operating characteristic.
    RocAuc,
    /// Area under the precision–recall curve.
    AveragePrecision,
    /// Share of the variance that is explained, mean error included.
    R2,
    /// Root of the mean squared error.
    Rmse,
    /// Mean squared error.
    Mse,
    /// Mean absolute error.
    Mae,
    /// Median of the absolute errors.
    MedianError,
    /// Largest absolute error.
    MaxError,
    /// Share of the variance that is explained, a constant error forgiven.
    ExplainedVariance,
    /// Rand index of groups against classes, chance taken out.
    AdjustedRand,
    /// Mutual information of groups and classes, normalised by their mean entropy.
    MutualInformation,
    /// Share of rows in the majority class of their group.
    Purity,
    /// Mean log-likelihood of a row or of an item of a sequence.
    LogLikelihood,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Metric; 22] = [
        Metric::Accuracy,
        Metric::BalancedAccuracy,
        Metric::Precision,
        Metric::Recall,
        Metric::F1,
        Metric::Matthews,
        Metric::Kappa,
        Metric::LogLoss,
        Metric::Brier,
        Metric::RocAuc,
        Metric::AveragePrecision,
        Metric::R2,
        Metric::Rmse,
        Metric::Mse,
        Metric::Mae,
        Metric::MedianError,
        Metric::MaxError,
        Metric::ExplainedVariance,
        Metric::AdjustedRand,
        Metric::MutualInformation,
        Metric::Purity,
        Metric::LogLikelihood,
    ];

    /// The name on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Metric::Accuracy => "accuracy",
            Metric::BalancedAccuracy => "balanced-accuracy",
            Metric::Precision => "precision",
            Metric::Recall => "recall",
            Metric::F1 => "f1",
            Metric::Matthews => "matthews",
            Metric::Kappa => "kappa",
            Metric::LogLoss => "log-loss",
            Metric::Brier => "brier",
            Metric::RocAuc => "roc-auc",
            Metric::AveragePrecision => "average-precision",
            Metric::R2 => "r2",
            Metric::Rmse => "rmse",
            Metric::Mse => "mse",
            Metric::Mae => "mae",
            Metric::MedianError => "median-error",
            Metric::MaxError => "max-error",
            Metric::ExplainedVariance => "explained-variance",
            Metric::AdjustedRand => "adjusted-rand",
            Metric::MutualInformation => "mutual-information",
            Metric::Purity => "purity",
            Metric::LogLikelihood => "log-likelihood",
        }
    }

    /// The name in tables and pictures.
    pub fn title(self) -> &'static str {
        match self {
            Metric::BalancedAccuracy => "balanced accuracy",
            Metric::F1 => "F₁",
            Metric::Matthews => "Matthews correlation",
            Metric::Kappa => "Cohen's κ",
            Metric::Brier => "Brier score",
            Metric::RocAuc => "ROC AUC",
            Metric::AveragePrecision => "average precision",
            Metric::R2 => "R²",
            Metric::Rmse => "RMSE",
            Metric::Mse => "MSE",
            Metric::Mae => "MAE",
            Metric::MedianError => "median absolute error",
            Metric::MaxError => "largest error",
            Metric::ExplainedVariance => "explained variance",
            Metric::AdjustedRand => "adjusted Rand",
            Metric::MutualInformation => "mutual information",
            other => other.id(),
        }
    }

    /// Whether larger is better.
    pub fn higher_is_better(self) -> bool {
        !matches!(
            self,
            Metric::LogLoss
                | Metric::Brier
                | Metric::Rmse
                | Metric::Mse
                | Metric::Mae
                | Metric::MedianError
                | Metric::MaxError
        )
    }

    pub(crate) fn measure(self, outcome: &Outcome<'_, '_>) -> Result<f64> {
        match self {
            Metric::Accuracy => accuracy(outcome.truth(self)?, outcome.predicted(self)?),
            Metric::BalancedAccuracy => {
                balanced_accuracy(outcome.truth(self)?, outcome.predicted(self)?)
            }
            Metric::Precision | Metric::Recall | Metric::F1 => {
                let counts = self.counts(outcome)?.averaged(1.0, Average::Macro);
                Ok(match self {
                    Metric::Precision => counts.precision,
                    Metric::Recall => counts.recall,
                    _ => counts.f_measure,
                })
            }
            Metric::Matthews => Ok(self.counts(outcome)?.matthews_correlation()),
            Metric::Kappa => self.counts(outcome)?.kappa(),
            Metric::LogLoss => log_loss(
                outcome.known_truth(self)?,
                outcome.probabilities(self)?.view(),
            ),
            Metric::Brier => {
                let (truth, probabilities) =
                    (outcome.known_truth(self)?, outcome.probabilities(self)?);
                match probabilities.ncols() {
                    2 => brier(&of_class(truth, 1), &probabilities.column(1).to_vec()),
                    _ => brier_multiclass(truth, probabilities.view()),
                }
            }
            Metric::RocAuc | Metric::AveragePrecision => self.area(outcome),
            Metric::R2
            | Metric::Rmse
            | Metric::Mse
            | Metric::Mae
            | Metric::MedianError
            | Metric::MaxError
            | Metric::ExplainedVariance => self.error(outcome),
            Metric::AdjustedRand => {
                adjusted_rand(outcome.groups_truth(self)?, outcome.groups(self)?)
            }
            Metric::Purity => purity(outcome.groups_truth(self)?, outcome.groups(self)?),
            Metric::MutualInformation => {
                let table = Contingency::new(outcome.groups_truth(self)?, outcome.groups(self)?)?;
                Ok(table.normalized_mutual_information(Normalizer::Arithmetic))
            }
            Metric::LogLikelihood => outcome.log_likelihood(self),
        }
    }

    fn counts(self, outcome: &Outcome<'_, '_>) -> Result<ClassCounts> {
        ClassCounts::new(outcome.truth(self)?, outcome.predicted(self)?, None)
    }

    fn error(self, outcome: &Outcome<'_, '_>) -> Result<f64> {
        let (truth, predicted) = outcome.values(self)?;
        let errors = Errors::new(truth, predicted.view())?;
        Ok(match self {
            Metric::Rmse => errors.mean_squared().mean().sqrt(),
            Metric::Mse => errors.mean_squared().mean(),
            Metric::Mae => errors.mean_absolute().mean(),
            Metric::MedianError => errors.median_absolute().mean(),
            Metric::MaxError => errors.maximum().mean(),
            Metric::ExplainedVariance => errors.explained_variance().mean(),
            _ => errors.r2().mean(),
        })
    }

    /// The area of the second of two classes, or the mean over the classes that occur.
    fn area(self, outcome: &Outcome<'_, '_>) -> Result<f64> {
        let (truth, scores) = (outcome.known_truth(self)?, outcome.preferences(self)?);
        let one = |class: usize, column: usize| {
            let is_class = of_class(truth, class);
            let scores = scores.column(column).to_vec();
            match self {
                Metric::RocAuc => roc_auc(&is_class, &scores),
                _ => average_precision(&is_class, &scores),
            }
        };
        if outcome.n_classes() == 2 {
            return one(1, scores.ncols() - 1);
        }
        let areas = (0..scores.ncols())
            .map(|class| one(class, class))
            .collect::<Result<Vec<f64>>>()?;
        Ok(areas.iter().sum::<f64>() / areas.len().max(1) as f64)
    }
}

pub(crate) fn of_class(truth: &[usize], class: usize) -> Vec<bool> {
    truth.iter().map(|&label| label == class).collect()
}

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wanted = text.trim().to_lowercase().replace([' ', '_'], "-");
        let found = Metric::ALL.into_iter().find(|metric| metric.id() == wanted);
        found.ok_or_else(|| {
            let ids = Metric::ALL.map(Metric::id);
            let hint = match nearest(&wanted, ids) {
                Some(close) => format!("did you mean {close}? "),
                None => String::new(),
            };
            let requirement = format!("{hint}there are {}", ids.join(", "));
            Error::parameter("metric", text, requirement)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Baseline, score_by};
    use didact_core::{AnyModel, Data, Fit, Labelled, Labels, Measured};
    use ndarray::array;

    #[test]
    fn every_metric_is_found_by_its_own_name() {
        for metric in Metric::ALL {
            assert_eq!(metric.id().parse::<Metric>().unwrap(), metric);
            let json = serde_json::to_value(metric).unwrap();
            assert_eq!(json, metric.id());
        }
        let message = "acuracy".parse::<Metric>().unwrap_err().to_string();
        assert!(message.contains("did you mean accuracy?"), "{message}");
    }

    // The baseline on a, a, b predicts a with 2/3 everywhere: accuracy 2/3, recall (1 + 0)/2,
    // precision (2/3 + 0)/2, F₁ (0.8 + 0)/2, log-loss −(2 ln 2/3 + ln 1/3)/3, Brier of class b
    // (2·(1/3)² + (2/3)²)/3 = 2/9, areas of a constant score ½ and the share of positives.
    #[test]
    fn figures_of_the_baseline_are_those_of_the_hand_computation() {
        let x = array![[0.0], [0.0], [0.0]];
        let labels = Labels::from_names(["a", "a", "b"]);
        let data = Labelled::new(&x, &labels).unwrap();
        let model = Baseline::default().fit(data.clone()).unwrap();
        let value = |metric: Metric| {
            let figures = score_by(
                &model as &dyn AnyModel,
                &Data::Labelled(data.clone()),
                &[metric],
            );
            figures.unwrap()[0].value
        };
        let third: f64 = 1.0 / 3.0;
        let log_loss = -(2.0 * (2.0 * third).ln() + third.ln()) / 3.0;
        for (metric, expected) in [
            (Metric::Accuracy, 2.0 * third),
            (Metric::BalancedAccuracy, 0.5),
            (Metric::Recall, 0.5),
            (Metric::Precision, third),
            (Metric::F1, 0.4),
            (Metric::Matthews, 0.0),
            (Metric::Kappa, 0.0),
            (Metric::LogLoss, log_loss),
            (Metric::Brier, 2.0 / 9.0),
            (Metric::RocAuc, 0.5),
            (Metric::AveragePrecision, third),
        ] {
            let found = value(metric);
            assert!((found - expected).abs() < 1e-12, "{metric}: {found}");
        }
    }

    // Targets 0, 2, 4 against their mean 2: errors 2, 0, 2.
    #[test]
    fn errors_of_the_mean_are_those_of_the_hand_computation() {
        let x = array![[0.0], [0.0], [0.0]];
        let data = Measured::new(&x, &[0.0, 2.0, 4.0]).unwrap();
        let model = Baseline::default().fit(data.clone()).unwrap();
        let metrics = [
            (Metric::R2, 0.0),
            (Metric::Mse, 8.0 / 3.0),
            (Metric::Rmse, (8.0f64 / 3.0).sqrt()),
            (Metric::Mae, 4.0 / 3.0),
            (Metric::MedianError, 2.0),
            (Metric::MaxError, 2.0),
            (Metric::ExplainedVariance, 0.0),
        ];
        let names = metrics.map(|(metric, _)| metric);
        let figures = score_by(&model as &dyn AnyModel, &Data::Measured(data), &names).unwrap();
        for ((metric, expected), figure) in metrics.iter().zip(figures) {
            assert!((figure.value - expected).abs() < 1e-12, "{metric}");
            assert_eq!(figure.higher_is_better, metric.higher_is_better());
        }
    }

    #[test]
    fn a_metric_that_does_not_suit_is_refused_in_words() {
        let x = array![[0.0], [0.0]];
        let data = Measured::new(&x, &[0.0, 2.0]).unwrap();
        let model = Baseline::default().fit(data.clone()).unwrap();
        let say = |metric| {
            let data = Data::Measured(data.clone());
            let figures = score_by(&model as &dyn AnyModel, &data, &[metric]);
            figures.unwrap_err().to_string()
        };
        for metric in [Metric::RocAuc, Metric::F1, Metric::LogLoss, Metric::Purity] {
            let message = say(metric);
            assert!(message.contains(metric.id()), "{message}");
        }
    }
}
