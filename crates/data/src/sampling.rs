//! Whether classes and their models can be compared: sizes of samples, sizes of models.

use didact_core::{ClassName, Error, Labels, Result, random};
use ndarray::Array2;
use rand::seq::SliceRandom;
use serde::Serialize;
use std::fmt;

/// Something that makes a comparison doubtful.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "warning", rename_all = "kebab-case")]
pub enum Warning {
    /// One class has many more samples than another.
    UnequalClasses {
        /// The class with the most samples.
        largest: ClassName,
        /// Its number of samples.
        most: usize,
        /// The class with the fewest samples.
        smallest: ClassName,
        /// Its number of samples.
        fewest: usize,
    },
    /// A class has too few samples to represent it.
    FewSamples {
        /// The class.
        class: ClassName,
        /// Its number of samples.
        count: usize,
    },
    /// There is only one class, so nothing can be told apart.
    OneClass {
        /// The class.
        class: ClassName,
    },
    /// The models of two classes differ in what should be equal.
    UnequalModels {
        /// What differs: "number of parameters", "covariance type", "number of components".
        what: String,
        /// The class of the first model.
        first: ClassName,
        /// Its value.
        first_value: String,
        /// The class of the other model.
        other: ClassName,
        /// Its value.
        other_value: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::UnequalClasses {
                largest,
                most,
                smallest,
                fewest,
            } => write!(
                formatter,
                "class {largest} has {most} samples but class {smallest} only {fewest}; weigh the classes or draw equally many of each"
            ),
            Warning::FewSamples { class, count } => write!(
                formatter,
                "class {class} has only {count} samples, which can hardly represent it; collect more"
            ),
            Warning::OneClass { class } => write!(
                formatter,
                "all samples are of class {class}; a classifier needs at least two classes"
            ),
            Warning::UnequalModels {
                what,
                first,
                first_value,
                other,
                other_value,
            } => write!(
                formatter,
                "the {what} is {first_value} for class {first} but {other_value} for class {other}; make them equal or normalise the likelihoods"
            ),
        }
    }
}

/// Classes of which the largest has more than this many times the samples of the smallest are
/// reported as unequal.
const UNEQUAL: usize = 2;
/// Fewer samples than this can hardly represent a class.
const FEW: usize = 10;

/// The number of samples of each class, in the order of the classes.
pub fn class_counts(labels: &Labels) -> Vec<usize> {
    let mut counts = vec![0; labels.classes.len()];
    labels.indices.iter().for_each(|&index| counts[index] += 1);
    counts
}

/// Warns of classes that are unequal by more than a factor of two, tiny, or alone.
///
/// ```
/// use didact_core::Labels;
/// use didact_data::check_classes;
/// let labels = Labels::from_names((0..100).map(|row| if row < 90 { "long" } else { "short" }));
/// let warnings = check_classes(&labels);
/// assert!(warnings[0].to_string().starts_with("class long has 90 samples but class short only 10"));
/// ```
pub fn check_classes(labels: &Labels) -> Vec<Warning> {
    let counts = class_counts(labels);
    let names = labels.classes.names();
    let mut warnings = Vec::new();
    if let [class] = names {
        warnings.push(Warning::OneClass {
            class: class.clone(),
        });
    }
    // Of equals the first class is named.
    let smallest = (0..counts.len()).min_by_key(|&class| counts[class]);
    let largest = (0..counts.len()).rev().max_by_key(|&class| counts[class]);
    if let (Some(smallest), Some(largest)) = (smallest, largest)
        && counts[largest] > UNEQUAL * counts[smallest]
    {
        warnings.push(Warning::UnequalClasses {
            largest: names[largest].clone(),
            most: counts[largest],
            smallest: names[smallest].clone(),
            fewest: counts[smallest],
        });
    }
    let tiny = names.iter().zip(&counts).filter(|(_, count)| **count < FEW);
    warnings.extend(tiny.map(|(class, &count)| Warning::FewSamples {
        class: class.clone(),
        count,
    }));
    warnings
}

/// The size of the model of one class, where each class has a model of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSize {
    /// The class that the model describes.
    pub class: ClassName,
    /// Number of free parameters.
    pub parameters: usize,
    /// The name of the covariance type, where there is one: "full", "diagonal".
    pub covariance: Option<String>,
    /// Number of components or states.
    pub components: usize,
}

/// Warns where the models of the classes differ in covariance type, number of components or
/// number of parameters: the larger model would win for its size.
pub fn check_models(models: &[ModelSize]) -> Vec<Warning> {
    let Some((first, others)) = models.split_first() else {
        return Vec::new();
    };
    type Aspect = fn(&ModelSize) -> String;
    let aspects: [(&str, Aspect); 3] = [
        ("covariance type", |model| {
            model
                .covariance
                .clone()
                .unwrap_or_else(|| "none".to_owned())
        }),
        ("number of components", |model| model.components.to_string()),
        ("number of parameters", |model| model.parameters.to_string()),
    ];
    let mut warnings = Vec::new();
    for (what, value) in aspects {
        if let Some(other) = others.iter().find(|other| value(other) != value(first)) {
            warnings.push(Warning::UnequalModels {
                what: what.to_owned(),
                first: first.class.clone(),
                first_value: value(first),
                other: other.class.clone(),
                other_value: value(other),
            });
        }
    }
    warnings
}

/// Makes log-likelihoods under class models of different size or sample comparable.
///
/// `scores` has ln p(x | class) with one row per sample and one column per class. The
/// log-likelihood that a model with p parameters, learned from M samples by maximum likelihood,
/// gives to samples like its own is too high by p/M per sample on average (Akaike's result), so
/// that is taken off. Models of equal size learned from equally many samples keep their order.
///
/// ```
/// use didact_data::{ModelSize, comparable_scores};
/// let size = |class: &str, parameters| ModelSize {
///     class: class.into(),
///     parameters,
///     covariance: None,
///     components: 1,
/// };
/// let scores = ndarray::array![[-2.0, -1.9]];
/// let fair = comparable_scores(scores, &[size("small", 2), size("large", 20)], &[100, 100])?;
/// assert_eq!(fair, ndarray::array![[-2.02, -2.1]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn comparable_scores(
    mut scores: Array2<f64>,
    models: &[ModelSize],
    counts: &[usize],
) -> Result<Array2<f64>> {
    if scores.ncols() != models.len() || models.len() != counts.len() {
        return Err(Error::data(format!(
            "there are {} columns of scores, {} models and {} sample counts; give one of each \
             for every class",
            scores.ncols(),
            models.len(),
            counts.len()
        )));
    }
    for ((mut column, model), &count) in scores.columns_mut().into_iter().zip(models).zip(counts) {
        if count == 0 {
            return Err(Error::data(format!(
                "the model of class {} was learned from no samples; it cannot be compared",
                model.class
            )));
        }
        column -= model.parameters as f64 / count as f64;
    }
    Ok(scores)
}

/// Rows drawn at random without replacement so that every class has as many as the smallest.
///
/// The rows come in their original order; the same seed gives the same rows.
pub fn equal_classes(labels: &Labels, seed: u64) -> Result<Vec<usize>> {
    let counts = class_counts(labels);
    let fewest = counts.iter().copied().min().unwrap_or(0);
    if let Some(empty) = counts.iter().position(|&count| count == 0) {
        return Err(Error::data(format!(
            "class {} has no samples, so the classes cannot be made equal",
            labels.classes.names()[empty]
        )));
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); counts.len()];
    for (row, &class) in labels.indices.iter().enumerate() {
        members[class].push(row);
    }
    let mut chosen = Vec::with_capacity(fewest * counts.len());
    for (class, rows) in members.iter_mut().enumerate() {
        // A generator for each class: adding a class does not change the draw of the others.
        rows.shuffle(&mut random::generator(seed, class as u64));
        chosen.extend_from_slice(&rows[..fewest]);
    }
    chosen.sort_unstable();
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;
    use ndarray::{Array1, ArrayView2, Axis, array, s};

    fn labels(counts: &[usize]) -> Labels {
        let indices = counts
            .iter()
            .enumerate()
            .flat_map(|(class, &count)| std::iter::repeat_n(class, count))
            .collect();
        Labels::from_indices(indices)
    }

    // 002a:BP17: counts and warnings per class.
    #[test]
    fn unequal_tiny_and_lonely_classes_are_reported() {
        assert_eq!(class_counts(&labels(&[3, 1, 2])), [3, 1, 2]);
        assert!(check_classes(&labels(&[40, 20])).is_empty());
        assert!(matches!(
            check_classes(&labels(&[41, 20]))[..],
            [Warning::UnequalClasses {
                most: 41,
                fewest: 20,
                ..
            }]
        ));
        assert!(matches!(
            check_classes(&labels(&[10, 9]))[..],
            [Warning::FewSamples { count: 9, .. }]
        ));
        assert!(matches!(
            check_classes(&labels(&[50]))[..],
            [Warning::OneClass { .. }]
        ));
        assert!(check_classes(&labels(&[])).is_empty());
    }

    fn model(class: &str, covariance: &str, components: usize, parameters: usize) -> ModelSize {
        ModelSize {
            class: class.into(),
            parameters,
            covariance: Some(covariance.to_owned()),
            components,
        }
    }

    // 002a:BC05: same number of parameters, same covariance type, similar M per class.
    #[test]
    fn unequal_models_are_reported_by_what_differs() {
        let equal = [model("a", "full", 2, 11), model("b", "full", 2, 11)];
        assert!(check_models(&equal).is_empty());
        let unequal = [model("a", "full", 2, 11), model("b", "diagonal", 3, 14)];
        let said: Vec<String> = check_models(&unequal)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(said.len(), 3);
        assert!(
            said[0].starts_with("the covariance type is full for class a but diagonal for class b")
        );
        assert!(said[1].starts_with("the number of components is 2 for class a but 3"));
        assert!(check_models(&[]).is_empty());
    }

    // 002a:BC05: "else normalise". The mean of d normal columns of variance one, learned from M
    // rows, makes those rows look better than new ones by d/M on average: training rows have
    // −½‖x − m‖² of mean −½d(1 − 1/M), new rows of mean −½d(1 + 1/M).
    #[test]
    fn the_advantage_of_the_rows_learned_from_is_taken_off() {
        let (d, m, rounds) = (3, 5, 4000);
        let rows = random_matrix(rounds * 2 * m, d, 9);
        let mut differences = Vec::new();
        for round in 0..rounds {
            let own = rows.slice(s![round * 2 * m..(round * 2 + 1) * m, ..]);
            let new = rows.slice(s![(round * 2 + 1) * m..(round * 2 + 2) * m, ..]);
            let mean = own.mean_axis(Axis(0)).unwrap();
            let score = |part: ArrayView2<'_, f64>| {
                let total: f64 = (&part - &mean).mapv(|value| -0.5 * value * value).sum();
                total / m as f64
            };
            let size = [model("a", "unit", 1, d)];
            let fair = comparable_scores(array![[score(own)]], &size, &[m]).unwrap();
            differences.push(fair[[0, 0]] - score(new));
        }
        let differences = Array1::from(differences);
        let error = differences.std(1.0) / (rounds as f64).sqrt();
        let bias = differences.mean().unwrap();
        assert!(bias.abs() < 4.0 * error, "{bias} ± {error}");
        // Without the correction the bias is d/M = 0.6, far outside.
        assert!(error < 0.05);
    }

    #[test]
    fn scores_that_do_not_fit_their_models_are_refused() {
        let models = [model("a", "full", 1, 5), model("b", "full", 1, 5)];
        let scores = array![[-1.0, -2.0]];
        assert!(comparable_scores(scores.clone(), &models, &[3]).is_err());
        let empty = comparable_scores(scores, &models, &[3, 0]).unwrap_err();
        assert!(
            empty
                .to_string()
                .contains("class b was learned from no samples")
        );
    }

    // 002a:BC05: the tool "Force equal class distribution".
    #[test]
    fn equal_classes_keep_as_many_of_each_as_the_smallest_has() {
        let labels = labels(&[30, 5, 12]);
        let rows = equal_classes(&labels, 7).unwrap();
        let kept = Labels {
            indices: rows.iter().map(|&row| labels.indices[row]).collect(),
            classes: labels.classes.clone(),
        };
        assert_eq!(class_counts(&kept), [5, 5, 5]);
        assert!(rows.is_sorted_by(|a, b| a < b), "no row is drawn twice");
        assert_eq!(rows, equal_classes(&labels, 7).unwrap());
        assert_ne!(rows, equal_classes(&labels, 8).unwrap());
    }
}
