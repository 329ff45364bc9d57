//! One against the rest: many classes by means of a classifier for two.

use super::members::{member_model, teach_all};
use crate::{Spec, Stored};
use didact_core::abilities::check_rows;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, DataKind, Error, Fit, Labelled, Model, Probabilities,
    Result, Rows, Run, Value,
};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tells each class from all others by a classifier of its own.
///
/// Class k is predicted where its classifier gives the highest probability; classifiers without
/// probabilities are compared by their decision scores. With two classes a single classifier is
/// enough and this wrapper changes nothing.
///
/// ```
/// use didact::prelude::*;
/// let iris = datasets::iris();
/// let model = OneVsRest { estimator: "gaussian-nb".parse()? }.fit(iris.labelled()?)?;
/// assert!(accuracy(iris.labelled()?.labels, &model.predict(iris.samples())?)? > 0.9);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "OneVsRestClassifier")]
pub struct OneVsRest {
    /// The classifier for two classes.
    pub estimator: Spec,
}

impl Default for OneVsRest {
    fn default() -> Self {
        OneVsRest {
            estimator: Spec::of("logistic-regression"),
        }
    }
}

/// One fitted classifier per class, or a single one where there are two classes.
#[derive(Serialize, Deserialize)]
pub struct OneVsRestModel {
    classes: Classes,
    members: Vec<Stored>,
}

impl Fit<Labelled<'_>> for OneVsRest {
    type Model = OneVsRestModel;
    const ACCEPTS: Accepts = super::PASSED_ON;

    /// What the wrapped classifier takes.
    fn accepts(&self) -> Accepts {
        super::accepted(&self.estimator, DataKind::Labelled)
    }

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<OneVsRestModel> {
        let every_class = |count: usize| (0..count).collect();
        let answer = |&class: &usize, label: usize| Some(label == class);
        let members = teach_all(&self.estimator, &data, every_class, answer, run)?;
        Ok(OneVsRestModel {
            classes: data.classes.clone(),
            members,
        })
    }
}

impl OneVsRestModel {
    /// Probability, or else decision score, of "this class" from each member.
    fn columns(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut columns = Array2::zeros((rows.n_rows(), self.members.len()));
        for (column, member) in self.members.iter().enumerate() {
            let model = member.model.as_ref();
            check_rows(model, rows)?;
            let values = match (model.as_probabilities(), model.as_scores()) {
                (Some(probabilities), _) => probabilities.probabilities(rows)?.column(1).to_owned(),
                (None, Some(scores)) => scores.scores(rows)?.column(0).to_owned(),
                (None, None) => {
                    return Err(Error::unsupported(
                        "the wrapped classifier gives neither probabilities nor scores",
                    ));
                }
            };
            columns.column_mut(column).assign(&values);
        }
        Ok(columns)
    }
}

member_model!(OneVsRestModel, columns);

impl Probabilities for OneVsRestModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        if self
            .members
            .iter()
            .any(|member| member.model.as_probabilities().is_none())
        {
            return Err(Error::unsupported(
                "the wrapped classifier gives no probabilities",
            ));
        }
        if let [only] = self.members.as_slice() {
            let probabilities = only.model.as_probabilities().expect("checked above");
            return probabilities.probabilities(rows);
        }
        let mut columns = self.columns(rows)?;
        for mut row in columns.rows_mut() {
            let total = row.sum();
            match total > 0.0 {
                true => row /= total,
                false => row.fill(1.0 / self.members.len() as f64),
            }
        }
        Ok(columns)
    }
}

impl Model for OneVsRestModel {
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
    ];

    fn validate(&self) -> Result<()> {
        let count = match self.classes.len() {
            0 => 0,
            1 | 2 => 1,
            many => many,
        };
        super::members_belong_together(&self.members, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    // 001:CLS-24: k classifiers; with two classes the wrapper reduces to the classifier itself.
    #[test]
    fn two_classes_reduce_to_the_wrapped_classifier() {
        let cancer = datasets::breast_cancer();
        let data = cancer.labelled().unwrap();
        let wrapped = OneVsRest {
            estimator: Spec::of("gaussian-nb"),
        }
        .fit(data.clone())
        .unwrap();
        let plain = Spec::of("gaussian-nb")
            .learner()
            .unwrap()
            .fit(Data::Labelled(data.clone()), &Run::new())
            .unwrap();
        let rows = data.samples.rows();
        assert_eq!(
            wrapped.classify(rows).unwrap(),
            plain.as_classify().unwrap().classify(rows).unwrap()
        );
        assert_eq!(wrapped.members.len(), 1);
    }

    #[test]
    fn three_classes_take_three_classifiers_and_probabilities_sum_to_one() {
        let iris = datasets::iris();
        let data = iris.labelled().unwrap();
        let model = OneVsRest {
            estimator: Spec::of("logistic-regression"),
        }
        .fit(data.clone())
        .unwrap();
        assert_eq!(model.members.len(), 3);
        let probabilities = model.predict_proba(data.samples.rows()).unwrap();
        assert!(
            probabilities
                .rows()
                .into_iter()
                .all(|row| (row.sum() - 1.0).abs() < 1e-12)
        );
        assert!(accuracy(data.labels, &model.predict(data.samples.rows()).unwrap()).unwrap() > 0.9);
    }

    #[test]
    fn what_is_no_classifier_is_refused_when_fitting() {
        let (iris, cancer) = (datasets::iris(), datasets::breast_cancer());
        for estimator in ["pca", "k-means", "standard-scaler | k-means"] {
            for data in [&iris, &cancer] {
                let wrapper = OneVsRest {
                    estimator: estimator.parse().unwrap(),
                };
                let message = wrapper
                    .fit(data.labelled().unwrap())
                    .err()
                    .unwrap()
                    .to_string();
                assert!(message.contains(estimator), "{message}");
                assert!(message.contains("must be a classifier"), "{message}");
            }
        }
    }
}
