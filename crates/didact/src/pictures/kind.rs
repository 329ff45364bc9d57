//! The kinds of pictures and what each one needs.

use super::Subject;
use didact_core::parameters::nearest;
use didact_core::{Data, Error, Result, Value};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

macro_rules! kinds {
    ($($(#[doc = $summary:literal])* $kind:ident, $id:literal;)*) => {
        /// A kind of picture that can be made of a model, of data, or of both.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum PictureKind {
            $($(#[doc = $summary])* $kind,)*
        }

        impl PictureKind {
            /// Every kind, in the order in which lists show them.
            pub const ALL: &'static [PictureKind] = &[$(PictureKind::$kind,)*];

            /// The name on the command line.
            pub fn id(self) -> &'static str {
                match self {
                    $(PictureKind::$kind => $id,)*
                }
            }

            /// What it shows, in one line.
            pub fn summary(self) -> &'static str {
                match self {
                    $(PictureKind::$kind => concat!($($summary),*).trim_ascii(),)*
                }
            }
        }
    };
}

kinds! {
    /// The data in the plane of two features.
    Scatter, "scatter";
    /// The regions in which a model sees each class or cluster, with the data on top.
    DecisionMap, "decision-map";
    /// Lines of equal density of a model of two features, with its ellipses.
    Density, "density";
    /// True against false alarms for every threshold.
    Roc, "roc";
    /// Precision against recall for every threshold.
    PrecisionRecall, "precision-recall";
    /// True against predicted classes.
    Confusion, "confusion";
    /// How often probabilities are right, against what they say.
    Calibration, "calibration";
    /// Errors against predictions, and how they are spread.
    Residuals, "residuals";
    /// The prediction along one feature, with the data and bands of the error.
    RegressionCurve, "regression-curve";
    /// How the mean prediction changes with one feature.
    PartialDependence, "partial-dependence";
    /// How much worse the model is without each feature.
    Importance, "importance";
    /// The weights of a linear model.
    Coefficients, "coefficients";
    /// Training and test figures as the training set grows.
    LearningCurve, "learning-curve";
    /// Training and test figures as a parameter changes.
    ValidationCurve, "validation-curve";
    /// The figures of all folds beside those of the baseline.
    CrossValidation, "cv";
    /// The figures of every combination of two parameters.
    HeatMap, "heat-map";
    /// How well each row lies in its cluster.
    Silhouette, "silhouette";
    /// The sum of squares against the number of clusters.
    Elbow, "elbow";
    /// AIC, AICc and BIC against the number of clusters, components or states.
    Criteria, "criteria";
    /// The tree of merges.
    Dendrogram, "dendrogram";
    /// The share of variance of each component.
    Scree, "scree";
    /// Rows and features in the plane of two components.
    Biplot, "biplot";
    /// The objective after each iteration.
    Trace, "trace";
    /// A sequence over the hidden states that explain it best.
    StatePath, "state-path";
    /// The probability of each state at each item, and the best path.
    Trellis, "trellis";
}

/// What stands in the way of a picture.
type Lack = Option<&'static str>;

impl PictureKind {
    /// What the model or the data lack for this picture; nothing where it can be drawn.
    pub(crate) fn lack(self, subject: &Subject<'_, '_>) -> Lack {
        use PictureKind::*;
        let model = subject.trained.model.as_ref();
        let need = |there: bool, what: &'static str| (!there).then_some(what);
        let data = need(subject.data.is_some(), "data");
        let labelled = need(
            matches!(subject.data, Some(Data::Labelled(_))),
            "data with known classes",
        );
        let classifier = need(model.as_classify().is_some(), "a classifier");
        let wide = need(
            subject.trained.model.n_features() >= 2,
            "at least two features",
        );
        let groups = need(model.as_assign().is_some(), "a method that finds groups");
        let array = |name: &str| {
            let attributes = model.attributes();
            attributes
                .iter()
                .any(|(known, value)| known.name == name && value.as_array().is_some())
        };
        // Rows without answers are judged by their density alone.
        let scored = match subject.data {
            Some(Data::Samples(_)) => model.as_log_density().is_some(),
            _ => {
                model.as_classify().is_some()
                    || model.as_regress().is_some()
                    || model.as_assign().is_some()
                    || model.as_log_density().is_some()
                    || model.as_decode().is_some()
            }
        };
        let judged = need(scored, "a model that can be scored on these data");
        match self {
            Scatter => data.or(wide),
            DecisionMap => {
                let divides = model.as_classify().is_some() || model.as_assign().is_some();
                need(divides, "a classifier or a method that finds groups")
                    .or(data)
                    .or(wide)
            }
            Density => {
                let two = model.n_features() == 2;
                need(model.as_log_density().is_some(), "a model with a density")
                    .or(need(two, "a model of two features"))
                    .or(data)
            }
            Roc | PrecisionRecall => {
                let scores = model.as_probabilities().is_some() || model.as_scores().is_some();
                classifier
                    .or(need(scores, "probabilities or scores"))
                    .or(labelled)
            }
            Calibration => classifier
                .or(need(model.as_probabilities().is_some(), "probabilities"))
                .or(labelled),
            Confusion => {
                let named = model
                    .as_decode()
                    .is_some_and(|one| one.state_names().is_some());
                let sequences = matches!(subject.data, Some(Data::LabelledSequences(_)));
                match named && sequences {
                    true => None,
                    false => classifier.or(labelled),
                }
            }
            Residuals | RegressionCurve => {
                let measured = matches!(subject.data, Some(Data::Measured(_)));
                need(
                    model.as_regress().is_some(),
                    "a model that predicts numbers",
                )
                .or(need(measured, "data with known targets"))
            }
            PartialDependence => {
                let predicts = model.as_regress().is_some()
                    || model.as_probabilities().is_some()
                    || model.as_scores().is_some();
                need(predicts, "a model that predicts numbers or probabilities").or(data)
            }
            Importance => {
                let known = matches!(subject.data, Some(Data::Labelled(_) | Data::Measured(_)));
                judged.or(need(known, "data with known answers"))
            }
            Coefficients => need(array("coef"), "a linear model"),
            LearningCurve | ValidationCurve | CrossValidation | HeatMap => judged.or(data),
            Silhouette => groups.or(data),
            Elbow => groups
                .or(need(
                    subject.count_parameter().is_some(),
                    "a method with a number of groups",
                ))
                .or(data),
            Criteria => {
                let counted = subject.count_parameter().is_some();
                let likelihood = model
                    .attributes()
                    .iter()
                    .any(|(known, _)| known.name == "n_parameters");
                need(counted, "a method with a number of groups")
                    .or(need(
                        likelihood || model.as_assign().is_some(),
                        "a method with groups or a likelihood",
                    ))
                    .or(data)
            }
            Dendrogram => need(
                array("children") && array("distances"),
                "a model with a tree of merges",
            ),
            Scree => need(array("explained_variance_ratio"), "principal components"),
            Biplot => need(
                array("components") && model.as_transform().is_some_and(|one| one.n_outputs() >= 2),
                "a projection to at least two components",
            )
            .or(data),
            Trace => need(
                model.trace().is_some(),
                "a model that was fitted by iterations",
            ),
            StatePath | Trellis => {
                need(model.as_decode().is_some(), "a model of hidden states").or(data)
            }
        }
    }

    /// Whether the picture fits several models anew, which takes time.
    pub fn refits(self) -> bool {
        use PictureKind::*;
        matches!(
            self,
            LearningCurve | ValidationCurve | CrossValidation | HeatMap | Elbow | Criteria
        )
    }

    /// How many parameters vary in the picture, which have to be named.
    pub fn n_parameters(self) -> usize {
        match self {
            PictureKind::ValidationCurve => 1,
            PictureKind::HeatMap => 2,
            _ => 0,
        }
    }
}

/// Whether a model has an attribute that is a number array of this name; its value.
pub(crate) fn array_of(subject: &Subject<'_, '_>, name: &str) -> Option<ndarray::ArrayD<f64>> {
    let attributes = subject.trained.model.attributes();
    let (_, value) = attributes.iter().find(|(known, _)| known.name == name)?;
    Value::as_array(value).map(|array| array.to_owned())
}

impl fmt::Display for PictureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

impl FromStr for PictureKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wanted = text.trim().to_lowercase().replace([' ', '_'], "-");
        let all = PictureKind::ALL.iter().copied();
        all.clone().find(|kind| kind.id() == wanted).ok_or_else(|| {
            let hint = match nearest(&wanted, all.clone().map(PictureKind::id)) {
                Some(close) => format!("did you mean {close}? "),
                None => String::new(),
            };
            let ids: Vec<&str> = all.map(PictureKind::id).collect();
            let requirement = format!("{hint}there are {}", ids.join(", "));
            Error::parameter("picture", text, requirement)
        })
    }
}
