//! Calibration: probabilities that can be taken at their word, for any classifier.

use super::members::highest;
use crate::{Spec, Stored};
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, AnyModel, Attribute, Classes, Classify, Data, DataKind, Error, Features,
    Fit, Labelled, Model, Probabilities, Result, Rows, Run, Value, parallel,
};
use didact_evaluate::{Isotonic, Platt, Split, Splitter, Subset};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gives any classifier probabilities that are right as often as they say.
///
/// The scores of rows that did not train the classifier, by cross-validation, teach a function
/// from scores to probabilities: Platt's sigmoid 1/(1 + exp(a·f + b)), or a rising step function
/// that needs no shape but more rows. Several classes are calibrated one by one and normalised.
///
/// ```
/// use didact::prelude::*;
/// let wine = datasets::wine();
/// let model = Calibrated { estimator: "gaussian-nb".parse()?, ..Calibrated::default() }
///     .fit(wine.labelled()?)?;
/// let probabilities = model.predict_proba(wine.samples())?;
/// assert!((probabilities.row(0).sum() - 1.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "CalibratedClassifierCV")]
pub struct Calibrated {
    /// The classifier to calibrate.
    pub estimator: Spec,
    /// The kind of function from scores to probabilities.
    pub method: CalibrationMethod,
    /// Number of folds; fewer where a class has fewer rows.
    #[schemars(range(min = 2, max = 1000))]
    pub cv: usize,
    /// Whether the classifiers of all folds vote, each with its own function. Else one function,
    /// learned from all folds together, stands behind one classifier fitted on all rows.
    pub ensemble: bool,
}

/// The kind of function from scores to probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CalibrationMethod {
    /// Platt's sigmoid.
    #[default]
    Sigmoid,
    /// A rising step function.
    Isotonic,
}

impl Default for Calibrated {
    fn default() -> Self {
        Calibrated {
            estimator: Spec::of("gaussian-nb"),
            method: CalibrationMethod::Sigmoid,
            cv: 5,
            ensemble: true,
        }
    }
}

/// Classifiers, each with a function from its scores to probabilities.
#[derive(Serialize, Deserialize)]
pub struct CalibratedModel {
    classes: Classes,
    members: Vec<Member>,
}

#[derive(Serialize, Deserialize)]
struct Member {
    classifier: Stored,
    /// One for each class, or only that of the second of two.
    functions: Vec<Function>,
}

#[derive(Clone, Serialize, Deserialize)]
enum Function {
    Sigmoid(Platt),
    Isotonic(Isotonic),
}

impl Function {
    fn fit(
        method: CalibrationMethod,
        scores: &[f64],
        is_class: &[bool],
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        Ok(match method {
            CalibrationMethod::Sigmoid => Function::Sigmoid(Platt::fit(scores, is_class, weights)?),
            CalibrationMethod::Isotonic => {
                let targets: Vec<f64> = is_class.iter().map(|&is| f64::from(is)).collect();
                Function::Isotonic(Isotonic::fit(scores, &targets, weights)?)
            }
        })
    }

    fn probability(&self, score: f64) -> f64 {
        match self {
            Function::Sigmoid(sigmoid) => sigmoid.probability(score),
            Function::Isotonic(steps) => steps.value(score).clamp(0.0, 1.0),
        }
    }

    fn is_sound(&self) -> bool {
        match self {
            Function::Sigmoid(sigmoid) => sigmoid.a.is_finite() && sigmoid.b.is_finite(),
            Function::Isotonic(steps) => {
                !steps.scores.is_empty()
                    && steps.scores.len() == steps.values.len()
                    && steps
                        .scores
                        .iter()
                        .chain(&steps.values)
                        .all(|value| value.is_finite())
                    && steps.scores.is_sorted()
            }
        }
    }
}

/// What the classifier says of each class: decision scores, or else probabilities. With two
/// classes only the column of the second.
fn scores(model: &dyn AnyModel, rows: Rows<'_>, n_classes: usize) -> Result<Array2<f64>> {
    check_rows(model, rows)?;
    let values = match (model.as_scores(), model.as_probabilities()) {
        (Some(scores), _) => scores.scores(rows)?,
        (None, Some(probabilities)) => probabilities.probabilities(rows)?,
        (None, None) => {
            return Err(Error::unsupported(
                "the wrapped classifier gives neither scores nor probabilities to calibrate",
            ));
        }
    };
    let second = values.ncols() - 1;
    match n_classes {
        2 => Ok(values.slice_move(ndarray::s![.., second..])),
        _ if values.ncols() == n_classes => Ok(values),
        _ => Err(Error::unsupported(
            "the wrapped classifier does not give one score per class",
        )),
    }
}

impl Calibrated {
    /// Folds that leave rows of every class on both sides.
    fn folds(&self, data: &Labelled<'_>) -> Result<Vec<Split>> {
        let mut counts = vec![0; data.classes.len()];
        for &label in data.labels {
            counts[label] += 1;
        }
        let fewest = counts.iter().copied().min().unwrap_or(0);
        if fewest < 2 {
            let rare = counts
                .iter()
                .position(|&count| count == fewest)
                .unwrap_or(0);
            return Err(Error::data(format!(
                "class {} has {fewest} rows; calibration needs at least two of every class",
                data.classes.names()[rare]
            )));
        }
        let splitter = Splitter::Stratified {
            n_folds: self.cv.min(fewest),
            shuffle: false,
        };
        splitter.cut(data.labels.len(), Some(data.labels), None, 0)
    }

    /// One function per column of scores, from rows that did not train the classifier.
    fn functions(
        &self,
        scores: &Array2<f64>,
        rows: &[usize],
        data: &Labelled<'_>,
    ) -> Result<Vec<Function>> {
        let weights: Option<Vec<f64>> = data
            .samples
            .weights()
            .map(|_| rows.iter().map(|&row| data.samples.weight(row)).collect());
        let two = data.classes.len() == 2;
        let one = |(column, scores): (usize, ndarray::ArrayView1<'_, f64>)| {
            let class = if two { 1 } else { column };
            let is_class: Vec<bool> = rows.iter().map(|&row| data.labels[row] == class).collect();
            Function::fit(self.method, &scores.to_vec(), &is_class, weights.as_deref())
        };
        scores.columns().into_iter().enumerate().map(one).collect()
    }
}

impl Fit<Labelled<'_>> for Calibrated {
    type Model = CalibratedModel;
    const ACCEPTS: Accepts = super::PASSED_ON;

    /// What the wrapped classifier takes.
    fn accepts(&self) -> Accepts {
        super::accepted(&self.estimator, DataKind::Labelled)
    }

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<CalibratedModel> {
        let learner = super::classifier(&self.estimator)?;
        super::every_class_has_rows(&data)?;
        let whole = Data::Labelled(data.clone());
        let n_classes = data.classes.len();
        let mut members = Vec::new();
        if n_classes < 2 {
            // Nothing to tell apart: the one class is certain.
            members.push(Member {
                classifier: Stored::fit(learner.as_ref(), whole, run)?,
                functions: Vec::new(),
            });
            return Ok(CalibratedModel {
                classes: data.classes.clone(),
                members,
            });
        }
        let folds = self.folds(&data)?;
        let one = |split: &Split| {
            let train = Subset::new(&whole, &split.train)?;
            let test = Subset::new(&whole, &split.test)?;
            let classifier = Stored::fit(learner.as_ref(), train.data()?, &run.quietly())?;
            let test = test.data()?;
            let rows = test.samples().map(|samples| samples.rows());
            let rows = rows.ok_or_else(|| Error::unsupported("there are no rows to score"))?;
            let scores = scores(classifier.model.as_ref(), rows, n_classes)?;
            Ok((classifier, scores))
        };
        let fitted = parallel::map(&folds, run, one)?;
        if self.ensemble {
            for ((classifier, scores), split) in fitted.into_iter().zip(&folds) {
                let functions = self.functions(&scores, &split.test, &data)?;
                members.push(Member {
                    classifier,
                    functions,
                });
            }
        } else {
            let rows: Vec<usize> = folds.iter().flat_map(|split| split.test.clone()).collect();
            let parts: Vec<_> = fitted.iter().map(|(_, scores)| scores.view()).collect();
            let together = ndarray::concatenate(ndarray::Axis(0), &parts)
                .map_err(|_| Error::unsupported("the folds gave different numbers of scores"))?;
            members.push(Member {
                functions: self.functions(&together, &rows, &data)?,
                classifier: Stored::fit(learner.as_ref(), whole.clone(), run)?,
            });
        }
        Ok(CalibratedModel {
            classes: data.classes.clone(),
            members,
        })
    }
}

impl Member {
    /// Adds this member's probabilities to those of the others.
    fn add(&self, rows: Rows<'_>, sums: &mut Array2<f64>) -> Result<()> {
        let n_classes = sums.ncols();
        let scores = scores(self.classifier.model.as_ref(), rows, n_classes)?;
        for (scores, mut sums) in scores.rows().into_iter().zip(sums.rows_mut()) {
            if n_classes == 2 {
                let second = self.functions[0].probability(scores[0]);
                sums[0] += 1.0 - second;
                sums[1] += second;
                continue;
            }
            let pairs = self.functions.iter().zip(scores);
            let alone: Vec<f64> = pairs.map(|(one, &score)| one.probability(score)).collect();
            let total: f64 = alone.iter().sum();
            for (sum, probability) in sums.iter_mut().zip(&alone) {
                // Where every class is held impossible none is preferred.
                *sum += match total > 0.0 {
                    true => probability / total,
                    false => 1.0 / n_classes as f64,
                };
            }
        }
        Ok(())
    }
}

impl Features for CalibratedModel {
    fn n_features(&self) -> usize {
        self.members[0].classifier.model.n_features()
    }

    fn accepts(&self) -> Accepts {
        self.members[0].classifier.model.accepts()
    }
}

impl Classify for CalibratedModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(highest(&self.probabilities(rows)?))
    }
}

impl Probabilities for CalibratedModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut sums = Array2::zeros((rows.n_rows(), self.classes.len()));
        if self.classes.len() < 2 {
            sums.fill(1.0);
            return Ok(sums);
        }
        for member in &self.members {
            member.add(rows, &mut sums)?;
        }
        Ok(sums / self.members.len() as f64)
    }
}

impl CalibratedModel {
    /// A number of each sigmoid, members down and classes across.
    fn of_sigmoids(&self, number: impl Fn(&Platt) -> f64) -> Option<Array2<f64>> {
        let functions = self.members.iter().flat_map(|member| &member.functions);
        let numbers: Option<Vec<f64>> = functions
            .map(|function| match function {
                Function::Sigmoid(sigmoid) => Some(number(sigmoid)),
                Function::Isotonic(_) => None,
            })
            .collect();
        let numbers = numbers.filter(|numbers| !numbers.is_empty())?;
        let width = numbers.len() / self.members.len();
        Array2::from_shape_vec((self.members.len(), width), numbers).ok()
    }
}

impl Model for CalibratedModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "n_estimators",
            meaning: "Number of fitted classifiers.",
            get: |model| Value::from(model.members.len()),
        },
        Attribute {
            name: "slopes",
            meaning: "Slope a of each sigmoid 1/(1 + exp(a·f + b)): classifiers down, classes across.",
            get: |model| Value::from(model.of_sigmoids(|sigmoid| sigmoid.a)),
        },
        Attribute {
            name: "offsets",
            meaning: "Offset b of each sigmoid: classifiers down, classes across.",
            get: |model| Value::from(model.of_sigmoids(|sigmoid| sigmoid.b)),
        },
    ];

    fn validate(&self) -> Result<()> {
        let functions = match self.classes.len() {
            0 | 1 => 0,
            2 => 1,
            many => many,
        };
        let width = |member: &Member| member.classifier.model.n_features();
        let same_width = self
            .members
            .windows(2)
            .all(|pair| width(&pair[0]) == width(&pair[1]));
        let sound = self.members.iter().all(|member| {
            member.functions.len() == functions && member.functions.iter().all(Function::is_sound)
        });
        ensure_consistent(
            !self.classes.is_empty() && !self.members.is_empty() && same_width && sound,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;
    use didact_evaluate::{Binning, CalibrationCurve};

    fn of(dataset: &datasets::Dataset, wrapper: &Calibrated) -> Array2<f64> {
        let data = dataset.labelled().unwrap();
        let model = wrapper.fit(data.clone()).unwrap();
        model.predict_proba(data.samples.rows()).unwrap()
    }

    // scikit-learn 1.9: CalibratedClassifierCV(…, cv=5) of GaussianNB (sigmoid) and of
    // KNeighborsClassifier(7) (isotonic) on its breast cancer data: the probability of benign in
    // the first row, and its mean over all rows. With ensemble=True, then False.
    #[test]
    fn probabilities_agree_with_the_oracle() {
        let (sigmoid, isotonic) = (CalibrationMethod::Sigmoid, CalibrationMethod::Isotonic);
        let neighbors = "k-neighbors(n_neighbors=7)";
        for (estimator, method, ensemble, first, mean) in [
            (
                "gaussian-nb",
                sigmoid,
                true,
                0.06376952892305225,
                0.6267056845065933,
            ),
            (
                "gaussian-nb",
                sigmoid,
                false,
                0.049219253997722,
                0.6277967251959822,
            ),
            (
                neighbors,
                isotonic,
                true,
                0.0064516129032258064,
                0.6207278868659545,
            ),
            (
                neighbors,
                isotonic,
                false,
                0.006944444444444444,
                0.6188919405449285,
            ),
        ] {
            let wrapper = Calibrated {
                estimator: estimator.parse().unwrap(),
                method,
                ensemble,
                ..Calibrated::default()
            };
            let found = of(&datasets::breast_cancer(), &wrapper);
            let benign = found.column(oracle_column(&datasets::breast_cancer()));
            let found_mean = benign.sum() / benign.len() as f64;
            assert!(
                (found_mean - mean).abs() < 1e-6,
                "{method:?} {ensemble}: {found_mean}"
            );
            assert!(
                (benign[0] - first).abs() < 1e-6,
                "{method:?} {ensemble}: {}",
                benign[0]
            );
        }
    }

    fn oracle_column(dataset: &datasets::Dataset) -> usize {
        let data = dataset.labelled().unwrap();
        let names = data.classes.names();
        names
            .iter()
            .position(|name| name.to_string() == "benign")
            .unwrap()
    }

    // Naive Bayes is far too sure of itself where columns say the same; both functions mend that.
    #[test]
    fn calibration_makes_an_overconfident_classifier_honest() {
        let cancer = datasets::breast_cancer();
        let data = cancer.labelled().unwrap();
        let plain = GaussianNB::default().fit(data.clone()).unwrap();
        let is_second: Vec<bool> = data.labels.iter().map(|&label| label == 1).collect();
        let error = |probabilities: &Array2<f64>| {
            let second = probabilities.column(1).to_vec();
            CalibrationCurve::new(&is_second, &second, 10, Binning::Uniform, None)
                .unwrap()
                .expected_error()
        };
        let before = error(&plain.predict_proba(data.samples.rows()).unwrap());
        for method in [CalibrationMethod::Sigmoid, CalibrationMethod::Isotonic] {
            let wrapper = Calibrated {
                method,
                ..Calibrated::default()
            };
            assert!(error(&of(&cancer, &wrapper)) < before, "{method:?}");
        }
    }

    #[test]
    fn many_classes_are_calibrated_one_by_one() {
        let iris = datasets::iris();
        for ensemble in [true, false] {
            let wrapper = Calibrated {
                estimator: "standard-scaler | k-neighbors".parse().unwrap(),
                method: CalibrationMethod::Isotonic,
                ensemble,
                ..Calibrated::default()
            };
            let found = of(&iris, &wrapper);
            let sums = found.rows().into_iter().map(|row| row.sum());
            assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-12));
            assert!(found.iter().all(|value| (0.0..=1.0).contains(value)));
        }
    }

    #[test]
    fn a_class_with_too_few_rows_and_what_is_no_classifier_are_refused() {
        let x = ndarray::array![[0.0], [1.0], [2.0], [3.0]];
        let labels = Labels::from_names(["a", "a", "a", "b"]);
        let data = Labelled::new(&x, &labels).unwrap();
        let message = Calibrated::default().fit(data).err().unwrap().to_string();
        assert!(message.contains("class b has 1 rows"), "{message}");
        let wrapper = Calibrated {
            estimator: "pca".parse().unwrap(),
            ..Calibrated::default()
        };
        let iris = datasets::iris();
        let message = wrapper
            .fit(iris.labelled().unwrap())
            .err()
            .unwrap()
            .to_string();
        assert!(message.contains("must be a classifier"), "{message}");
    }
}
