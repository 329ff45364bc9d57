//! Pictures of data, models and judgements.

use super::answers::results;
use super::arguments::{
    ClassNames, ClassTargets, FittedModel, Integers, Labels, Matrix, Maybe, Positive,
    PositiveClass, Series, Targets, Vector, Weights,
};
use super::metrics::BinningWord;
use super::{Answer, functions};
use crate::picture::Picture;
use didact::evaluate::{CalibrationCurve, ConfusionMatrix, PrecisionRecallCurve, RocCurve};
use didact::{Error, Result, Trained};
use didact_plot::{self as plot, Bands, Cloud, Curve, GridAxis, Growth, Reliability};
use ndarray::ArrayView2;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

results! {}

/// A picture as an answer.
pub(crate) struct Drawn(plot::Picture);

impl Answer for Drawn {
    fn annotation() -> String {
        "Picture".to_owned()
    }
    fn give(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Picture(self.0).into_bound_py_any(py)
    }
}

fn drawn(picture: Result<plot::Picture>) -> Result<Drawn> {
    picture.map(Drawn)
}

/// Rows as points, with names and classes where they are known.
fn cloud<'a>(
    rows: ArrayView2<'a, f64>,
    labels: Option<&[usize]>,
    class_names: Option<&[String]>,
    columns: Option<&[usize]>,
    feature_names: Option<Vec<String>>,
) -> Result<Cloud<'a>> {
    let mut cloud = Cloud::new(rows);
    match columns {
        None => {}
        Some(&[across, up]) => cloud = cloud.columns(across, up),
        Some(_) => return Err(Error::data("columns must be two: across and up")),
    }
    if let Some(names) = feature_names {
        cloud = cloud.feature_names(&names);
    }
    if let (Some(labels), Some(names)) = (labels, class_names) {
        cloud = cloud.labels(labels, names);
    }
    Ok(cloud)
}

/// The names of the features of a fit, unless others are given.
fn names_of(model: &Trained, given: Option<Vec<String>>) -> Option<Vec<String>> {
    let known: Vec<String> = model
        .header
        .features
        .iter()
        .map(|feature| feature.name.clone())
        .collect();
    given.or_else(|| (known.len() == model.model.n_features()).then_some(known))
}

fn share(flags: &[bool]) -> Option<f64> {
    let positive = flags.iter().filter(|&&flag| flag).count();
    (!flags.is_empty()).then(|| positive as f64 / flags.len() as f64)
}

functions! {
    // -- data and models in the plane -------------------------------------------------------

    /// Two columns of the data as points, coloured by class.
    ///
    /// Examples
    /// --------
    /// >>> from didact import plot
    /// >>> from didact.datasets import load_iris
    /// >>> iris = load_iris()
    /// >>> plot.scatter(iris.data, iris.target, feature_names=iris.feature_names).title
    /// 'sepal_width against sepal_length'
    quick scatter(X: Matrix, y: Maybe<Labels> = "None"; columns: Maybe<Integers> = "None", feature_names: Maybe<Vec<String>> = "None", class_names: ClassNames = "None") -> Drawn {
        drawn(plot::scatter(&cloud(X, y, class_names, columns, feature_names)?))
    }

    /// The regions in which a fitted model sees each class or cluster, with the data on top.
    quick decision_map(estimator: FittedModel, X: Matrix, y: Maybe<Labels> = "None"; columns: Maybe<Integers> = "None", feature_names: Maybe<Vec<String>> = "None", class_names: ClassNames = "None") -> Drawn {
        let names = names_of(estimator, feature_names);
        drawn(plot::decision_map(&cloud(X, y, class_names, columns, names)?, estimator.model.as_ref()))
    }

    /// Lines of equal density of a fitted model with the data.
    quick density(estimator: FittedModel, X: Matrix, y: Maybe<Labels> = "None"; columns: Maybe<Integers> = "None", feature_names: Maybe<Vec<String>> = "None", class_names: ClassNames = "None") -> Drawn {
        let names = names_of(estimator, feature_names);
        drawn(plot::density_contours(&cloud(X, y, class_names, columns, names)?, estimator.model.as_ref()))
    }

    /// Rows in the plane of two components with an arrow for each original feature.
    ///
    /// `loadings` has a row per feature and a column per component.
    quick biplot(scores: Matrix, loadings: Matrix, y: Maybe<Labels> = "None"; feature_names: Maybe<Vec<String>> = "None", columns: Maybe<Integers> = "None", class_names: ClassNames = "None") -> Drawn {
        let names = feature_names.unwrap_or_else(|| (0..loadings.nrows()).map(|place| format!("x{place}")).collect());
        drawn(plot::biplot(&cloud(scores, y, class_names, columns, None)?, loadings, &names))
    }

    // -- classifiers ------------------------------------------------------------------------

    /// True against false positive rate, for one score or several by name.
    quick roc(y_true: Positive, y_score: Series; pos_label: PositiveClass = "None", sample_weight: Weights = "None") -> Drawn {
        let curves: Vec<RocCurve> = y_score
            .iter()
            .map(|(_, scores)| RocCurve::new(y_true, scores, sample_weight))
            .collect::<Result<_>>()?;
        let shown: Vec<Curve<'_>> = y_score
            .iter()
            .zip(&curves)
            .map(|((name, _), curve)| Curve {
                area: Some(curve.area()),
                ..Curve::new(name, &curve.false_positive_rates, &curve.true_positive_rates)
            })
            .collect();
        drawn(plot::roc(&shown))
    }

    /// Precision against recall, for one score or several by name.
    quick precision_recall(y_true: Positive, y_score: Series; pos_label: PositiveClass = "None", sample_weight: Weights = "None") -> Drawn {
        let curves: Vec<PrecisionRecallCurve> = y_score
            .iter()
            .map(|(_, scores)| PrecisionRecallCurve::new(y_true, scores, sample_weight))
            .collect::<Result<_>>()?;
        let shown: Vec<Curve<'_>> = y_score
            .iter()
            .zip(&curves)
            .map(|((name, _), curve)| Curve {
                area: Some(curve.average_precision()),
                ..Curve::new(name, &curve.recalls, &curve.precisions)
            })
            .collect();
        drawn(plot::precision_recall(&shown, share(y_true)))
    }

    /// How often rows were positive by the probability that they were given.
    quick calibration(y_true: Positive, y_prob: Series; pos_label: PositiveClass = "None", n_bins: usize = "10", strategy: BinningWord = "'uniform'") -> Drawn {
        let mut parts = Vec::new();
        for (name, chances) in y_prob {
            let bins = CalibrationCurve::new(y_true, chances, n_bins, strategy, None)?.bins;
            let column = |value: fn(&didact::evaluate::CalibrationBin) -> f64| -> Vec<f64> {
                bins.iter().map(value).collect()
            };
            parts.push((name, column(|bin| bin.predicted), column(|bin| bin.observed), column(|bin| bin.weight)));
        }
        let curves: Vec<Reliability<'_>> = parts
            .iter()
            .map(|(name, predicted, observed, counts)| Reliability { name, predicted, observed, counts })
            .collect();
        drawn(plot::calibration(&curves))
    }

    /// The confusion matrix: rows are true classes, columns predicted ones.
    quick confusion_matrix(y_true: ClassTargets, y_pred: ClassTargets; display_labels: ClassNames = "None") -> Drawn {
        match (y_true, y_pred) {
            (Targets::Classes(truth, count), Targets::Classes(predicted, _)) => {
                let table = ConfusionMatrix::new(truth, predicted, count, None)?;
                drawn(plot::confusion_matrix(table.counts.view(), display_labels.unwrap_or_default()))
            }
            _ => Err(Error::unsupported("a confusion matrix needs one class per row")),
        }
    }

    // -- models of numbers ------------------------------------------------------------------

    /// Residuals against predictions, and how they are spread.
    quick residuals(y_true: Vector, y_pred: Vector; target_name: String = "'y'") -> Drawn {
        drawn(plot::residuals(y_true, y_pred, &target_name))
    }

    /// Measured points with a fitted curve and bands of one and two standard deviations.
    quick regression_curve(x: Vector, y: Vector, grid: Vector, mean: Vector, deviation: Maybe<Vector> = "None"; x_name: String = "'x'", y_name: String = "'y'") -> Drawn {
        let nothing = vec![0.0; grid.len()];
        let bands = Bands { x: grid, mean, deviation: deviation.unwrap_or(&nothing) };
        drawn(plot::regression_curve(x, y, bands, &x_name, &y_name))
    }

    /// The importance of each feature as bars, with the spread over repeats.
    quick feature_importance(names: Vec<String>, importances: Vector, deviations: Maybe<Vector> = "None"; measure: String = "'importance'") -> Drawn {
        let nothing = vec![0.0; importances.len()];
        drawn(plot::feature_importance(&names, importances, deviations.unwrap_or(&nothing), &measure))
    }

    /// The coefficients of a linear model, one row per class or target.
    quick coefficients(names: Vec<String>, coefficients: Matrix; output_names: Maybe<Vec<String>> = "None") -> Drawn {
        // A single row of coefficients arrives as a column.
        let turned = match coefficients.nrows() == names.len() && coefficients.ncols() != names.len() {
            true => coefficients.t().to_owned(),
            false => coefficients.to_owned(),
        };
        let outputs = output_names.unwrap_or_else(|| match turned.nrows() {
            1 => vec!["coefficient".to_owned()],
            count => (0..count).map(|place| format!("output {place}")).collect(),
        });
        drawn(plot::coefficients(&names, turned.view(), &outputs))
    }

    // -- choosing ---------------------------------------------------------------------------

    /// Scores on training and validation rows as the training set grows: a row per size, a column
    /// per split.
    quick learning_curve(sizes: Vector, training: Matrix, validation: Matrix; score_name: String = "'score'") -> Drawn {
        drawn(plot::learning_curve(sizes, training, validation, &score_name))
    }

    /// Scores on training and validation rows as a parameter changes: a row per value, a column
    /// per split.
    quick validation_curve(values: Vector, training: Matrix, validation: Matrix; param_name: String = "'parameter'", score_name: String = "'score'", chosen: Maybe<usize> = "None") -> Drawn {
        drawn(plot::validation_curve(&param_name, values, training, validation, &score_name, chosen))
    }

    /// Costs by name against the sizes of a problem, on logarithmic axes: a power law is a straight
    /// line whose slope is its exponent.
    quick growth(sizes: Vector, costs: Series; size_name: String = "'rows'", cost_name: String = "'seconds'") -> Drawn {
        let methods: Vec<Growth<'_>> = costs
            .iter()
            .map(|(name, costs)| Growth { name, sizes, costs })
            .collect();
        drawn(plot::growth(&size_name, &cost_name, &methods))
    }

    /// Box plots of scores over the folds, one box per model.
    quick cross_validation(scores: Series; score_name: String = "'score'") -> Drawn {
        let models: Vec<(&str, &[f64])> = scores
            .iter()
            .map(|(name, values)| (name.as_str(), values.as_slice()))
            .collect();
        drawn(plot::cross_validation(&models, &score_name))
    }

    /// A heat map of scores, one row per value of one parameter and one column per value of another.
    quick grid_search(scores: Matrix, row_values: Vec<String>, column_values: Vec<String>; row_name: String = "'row'", column_name: String = "'column'", score_name: String = "'score'", greater_is_better: bool = "True") -> Drawn {
        let rows = GridAxis { name: &row_name, values: &row_values };
        let columns = GridAxis { name: &column_name, values: &column_values };
        drawn(plot::grid_search(rows, columns, scores, &score_name, greater_is_better))
    }

    /// The silhouette of each row, sorted within clusters.
    long silhouette[run](X: Matrix, labels: Labels; cluster_names: ClassNames = "None") -> Drawn {
        let values = didact::evaluate::silhouette_samples(X, labels, run)?;
        drawn(plot::silhouette(&values, labels, cluster_names.unwrap_or_default()))
    }

    /// An objective against a number of clusters, with the bend of the curve marked.
    quick elbow(counts: Vector, objectives: Vector; count_name: String = "'clusters'", objective_name: String = "'inertia'") -> Drawn {
        let bend = match counts.len() == objectives.len() {
            true => didact::evaluate::elbow(counts, objectives),
            false => None,
        };
        drawn(plot::elbow(&count_name, counts, &objective_name, objectives, bend))
    }

    /// Criteria such as AIC and BIC against a number of components.
    quick criteria(counts: Vector, curves: Series; count_name: String = "'components'") -> Drawn {
        let curves: Vec<(&str, &[f64])> = curves
            .iter()
            .map(|(name, values)| (name.as_str(), values.as_slice()))
            .collect();
        drawn(plot::criteria(&count_name, counts, &curves))
    }

    /// The share of the variance that each component explains, and the shares added up.
    quick scree(explained_variance_ratio: Vector) -> Drawn {
        drawn(plot::scree(explained_variance_ratio))
    }

    /// The tree of merges, in the form of SciPy's linkage: a row per merge with the two groups
    /// and the height.
    quick dendrogram(merges: Matrix; row_names: Maybe<Vec<String>> = "None", cut: Maybe<f64> = "None") -> Drawn {
        if merges.ncols() < 3 {
            return Err(Error::data("each merge has two groups and a height: three columns"));
        }
        let merges: Vec<(usize, usize, f64)> = merges
            .rows()
            .into_iter()
            .map(|row| (row[0] as usize, row[1] as usize, row[2]))
            .collect();
        drawn(plot::dendrogram(&merges, &row_names.unwrap_or_default(), cut))
    }

    // -- fits and sequences -----------------------------------------------------------------

    /// The objective of a fitted model after each iteration.
    quick trace(estimator: FittedModel; name: String = "'fit'") -> Drawn {
        let trace = estimator.model.trace().ok_or_else(|| {
            Error::unsupported("this model has no trace: it is not iterative")
        })?;
        drawn(plot::loss_trace(&[(&name, trace)]))
    }

    /// One column of states per item, as large as the state is probable, with a path through them.
    quick trellis(probabilities: Matrix, path: Integers; state_names: Maybe<Vec<String>> = "None", item_names: Maybe<Vec<String>> = "None") -> Drawn {
        let states = state_names.unwrap_or_else(|| numbered("state", probabilities.ncols()));
        let items = item_names.unwrap_or_else(|| numbered("", probabilities.nrows()));
        drawn(plot::trellis(probabilities, path, &states, &items))
    }

    /// A sequence of measurements over coloured stretches of hidden states.
    quick state_path(series: Matrix, path: Integers; series_names: Maybe<Vec<String>> = "None", state_names: Maybe<Vec<String>> = "None") -> Drawn {
        let count = path.iter().max().map_or(0, |state| state + 1);
        let states = state_names.unwrap_or_else(|| numbered("state", count));
        let names = series_names.unwrap_or_else(|| numbered("x", series.ncols()));
        drawn(plot::state_path(series, &names, path, &states))
    }
}

fn numbered(word: &str, count: usize) -> Vec<String> {
    (0..count)
        .map(|place| format!("{word} {place}").trim().to_owned())
        .collect()
}
