//! The baseline: what one predicts without looking at the features.

use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Error, Features, Fit, Labelled, Measured,
    Model, Probabilities, Regress, Result, Rows, Run, Value,
};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Predicts without looking at the features: the most frequent class or the mean target.
///
/// Whatever a real method scores must be read beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Baseline {}

/// The class shares of the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineClassifier {
    n_features: usize,
    classes: Classes,
    class_prior: Array1<f64>,
}

/// The mean targets of the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineRegressor {
    n_features: usize,
    mean: Array1<f64>,
}

impl Fit<Labelled<'_>> for Baseline {
    type Model = BaselineClassifier;
    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::MISSING)
        .union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, _run: &Run) -> Result<BaselineClassifier> {
        let counts = Array1::from(data.class_weights());
        let total = counts.sum();
        Ok(BaselineClassifier {
            n_features: data.samples.n_columns(),
            classes: data.classes.clone(),
            class_prior: counts / total,
        })
    }
}

impl Fit<Measured<'_>> for Baseline {
    type Model = BaselineRegressor;
    const ACCEPTS: Accepts = Accepts::all();

    fn learn(&self, data: Measured<'_>, _run: &Run) -> Result<BaselineRegressor> {
        let mut mean = Array1::<f64>::zeros(data.n_targets());
        let mut weight = 0.0;
        // The running mean cannot overflow where the sum of the targets would.
        for (row, target) in data.targets.rows().into_iter().enumerate() {
            weight += data.samples.weight(row);
            if weight > 0.0 {
                let share = data.samples.weight(row) / weight;
                mean.zip_mut_with(&target, |mean, &value| {
                    *mean += share * value - share * *mean
                });
            }
        }
        if mean.iter().any(|value| !value.is_finite()) {
            return Err(Error::numerical(
                "the targets are too large to average; rescale them",
            ));
        }
        Ok(BaselineRegressor {
            n_features: data.samples.n_columns(),
            mean,
        })
    }
}

impl Features for BaselineClassifier {
    fn n_features(&self) -> usize {
        self.n_features
    }
    fn accepts(&self) -> Accepts {
        Accepts::SPARSE.union(Accepts::MISSING)
    }
}

impl Features for BaselineRegressor {
    fn n_features(&self) -> usize {
        self.n_features
    }
    fn accepts(&self) -> Accepts {
        Accepts::SPARSE.union(Accepts::MISSING)
    }
}

impl Classify for BaselineClassifier {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let mut best = 0;
        for (label, &share) in self.class_prior.iter().enumerate() {
            if share > self.class_prior[best] {
                best = label;
            }
        }
        Ok(vec![best; rows.n_rows()])
    }
}

impl Probabilities for BaselineClassifier {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(repeat(&self.class_prior, rows.n_rows()))
    }
}

impl Regress for BaselineRegressor {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(repeat(&self.mean, rows.n_rows()))
    }
}

fn repeat(row: &Array1<f64>, n_rows: usize) -> Array2<f64> {
    Array2::from_shape_fn((n_rows, row.len()), |(_, column)| row[column])
}

impl Model for BaselineClassifier {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "class_prior",
            meaning: "Share of each class among the training rows.",
            get: |model| Value::from(&model.class_prior),
        },
    ];

    fn validate(&self) -> Result<()> {
        let finite = self.class_prior.iter().all(|share| share.is_finite());
        let consistent = self.class_prior.len() == self.classes.len() && !self.classes.is_empty();
        didact_core::model::ensure_consistent(consistent && finite)
    }
}

impl Model for BaselineRegressor {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[Attribute {
        name: "mean",
        meaning: "Mean of each target over the training rows.",
        get: |model| Value::from(&model.mean),
    }];

    fn validate(&self) -> Result<()> {
        didact_core::model::ensure_consistent(self.mean.iter().all(|value| value.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::{Labels, Samples};
    use ndarray::array;

    #[test]
    fn the_most_frequent_class_wins_and_ties_go_to_the_first() {
        let x = array![[0.0], [0.0], [0.0], [0.0]];
        let labels = Labels::from_names(["b", "a", "b", "a"]);
        let even = Baseline::default()
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        assert_eq!(even.predict(&x).unwrap(), [0; 4]);
        assert_eq!(even.predict_proba(&x).unwrap().row(0).to_vec(), [0.5, 0.5]);
        let weights = [3.0, 1.0, 3.0, 1.0];
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let heavy = Baseline::default()
            .fit(Labelled::new(samples, &labels).unwrap())
            .unwrap();
        assert_eq!(heavy.predict(&x).unwrap(), [1; 4]);
    }

    #[test]
    fn the_weighted_mean_is_predicted() {
        let x = array![[0.0], [0.0]];
        let samples = Samples::from(&x).weighted(&[1.0, 3.0]).unwrap();
        let model = Baseline::default()
            .fit(Measured::new(samples, &[0.0, 4.0]).unwrap())
            .unwrap();
        assert_eq!(model.predict(&x).unwrap(), array![[3.0], [3.0]]);
        let huge = Baseline::default()
            .fit(Measured::new(&x, &[1.7e308, 1.7e308]).unwrap())
            .unwrap();
        assert_eq!(huge.predict(&x).unwrap()[[0, 0]], 1.7e308);
    }
}
