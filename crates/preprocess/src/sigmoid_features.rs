//! Sigmoid features: soft steps along directions of the columns.

use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Error, Features, Fit, Model, OwnedRows, Result, Rows, Run,
    Samples, Transform, Value,
};
use didact_math::numeric::{dot, sigmoid};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Replaces the columns by soft steps along directions, as a layer of neurons does.
///
/// The feature of weights w and bias b is 1/(1 + e^(−(w·x+b))) or tanh(w·x + b), such as
/// tanh(3a + 2b − 1). Without weights each column has a step of its own. A plane in such features is
/// a network with one hidden layer.
///
/// ```
/// use didact_core::{Fit, Transform};
/// use didact_preprocess::{SoftStep, SigmoidFeatures};
/// let x = ndarray::array![[1.0, -1.0]];
/// let parameters = SigmoidFeatures {
///     weights: Some(vec![vec![3.0, 2.0]]),
///     biases: Some(vec![-1.0]),
///     activation: SoftStep::Tanh,
///     ..SigmoidFeatures::default()
/// };
/// let features = parameters.fit((&x).into())?.transform(&x)?.into_dense();
/// assert_eq!(features, ndarray::array![[0.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SigmoidFeatures {
    /// The weights of each feature, a number for each column; one column each where absent.
    pub weights: Option<Vec<Vec<f64>>>,
    /// The bias of each feature; zero where absent.
    pub biases: Option<Vec<f64>>,
    /// The shape of the step.
    pub activation: SoftStep,
    /// Whether the columns stay beside the features.
    pub keep_columns: bool,
}

/// The shape of a soft step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SoftStep {
    /// 1/(1 + e^(−z)), from 0 to 1.
    #[default]
    Logistic,
    /// tanh z, from −1 to 1.
    Tanh,
}

/// The directions and biases of soft steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SigmoidFeaturesModel {
    /// One row per feature.
    weights: Array2<f64>,
    biases: Array1<f64>,
    activation: SoftStep,
    keep_columns: bool,
}

impl Fit<Samples<'_>> for SigmoidFeatures {
    type Model = SigmoidFeaturesModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, _run: &Run) -> Result<SigmoidFeaturesModel> {
        let n_columns = data.n_columns();
        let weights = match &self.weights {
            None => Array2::eye(n_columns),
            Some(rows) => {
                let sound = |row: &Vec<f64>| {
                    row.len() == n_columns && row.iter().all(|value| value.is_finite())
                };
                if rows.is_empty() || !rows.iter().all(sound) {
                    return Err(Error::parameter(
                        "weights",
                        format!("a list of {}", rows.len()),
                        format!("it must hold a list of {n_columns} finite numbers per feature"),
                    ));
                }
                Array2::from_shape_fn((rows.len(), n_columns), |(i, j)| rows[i][j])
            }
        };
        let n_features = weights.nrows();
        let biases = match &self.biases {
            None => Array1::zeros(n_features),
            Some(given) => {
                let finite = given.iter().all(|value| value.is_finite());
                if given.len() != n_features || !finite {
                    return Err(Error::parameter(
                        "biases",
                        format!("{given:?}"),
                        format!("it must hold {n_features} finite numbers, one for each feature"),
                    ));
                }
                Array1::from(given.clone())
            }
        };
        Ok(SigmoidFeaturesModel {
            weights,
            biases,
            activation: self.activation,
            keep_columns: self.keep_columns,
        })
    }
}

impl SigmoidFeaturesModel {
    fn kept(&self) -> usize {
        usize::from(self.keep_columns) * self.weights.ncols()
    }
}

impl Features for SigmoidFeaturesModel {
    fn n_features(&self) -> usize {
        self.weights.ncols()
    }
}

impl Transform for SigmoidFeaturesModel {
    fn n_outputs(&self) -> usize {
        self.kept() + self.biases.len()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let dense = rows.dense()?;
        let kept = self.kept();
        let mut output = Array2::zeros((dense.nrows(), self.n_outputs()));
        for (row, mut made) in dense.rows().into_iter().zip(output.rows_mut()) {
            let row = row.to_slice().expect("checked rows are contiguous");
            for (value, column) in made.iter_mut().zip(&row[..kept]) {
                *value = *column;
            }
            for (index, bias) in self.biases.iter().enumerate() {
                let weights = self.weights.row(index);
                let z = dot(weights.to_slice().expect("weights are contiguous"), row) + bias;
                if z.is_nan() {
                    return Err(Error::numerical(
                        "the values of a row are too large for the weights; scale the columns",
                    ));
                }
                made[kept + index] = match self.activation {
                    SoftStep::Logistic => sigmoid(z),
                    SoftStep::Tanh => z.tanh(),
                };
            }
        }
        Ok(OwnedRows::Dense(output))
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        let features = (0..self.biases.len()).map(|feature| format!("sigmoid{feature}"));
        let kept = input_names.iter().take(self.kept()).cloned();
        kept.chain(features).collect()
    }
}

impl Model for SigmoidFeaturesModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "weights",
            meaning: "The weights of each feature, one per row.",
            get: |model| Value::from(&model.weights),
        },
        Attribute {
            name: "biases",
            meaning: "The bias of each feature.",
            get: |model| Value::from(&model.biases),
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            !self.weights.is_empty()
                && self.weights.is_standard_layout()
                && self.biases.len() == self.weights.nrows()
                && self
                    .weights
                    .iter()
                    .chain(&self.biases)
                    .all(|value| value.is_finite()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn features(parameters: &SigmoidFeatures, x: &Array2<f64>) -> Array2<f64> {
        let model = parameters.fit(x.into()).unwrap();
        model.transform(x).unwrap().into_dense()
    }

    // 000a:SUP-18 (iii): 1/(1+e^{−a}) and tanh(3a+2b−1).
    #[test]
    fn the_features_of_the_text_have_their_values() {
        let x = array![[0.5, -0.25], [0.0, 3.0]];
        let logistic = features(&SigmoidFeatures::default(), &x);
        let step = |z: f64| 1.0 / (1.0 + (-z).exp());
        let expected = array![[step(0.5), step(-0.25)], [0.5, step(3.0)]];
        assert!((logistic - expected).iter().all(|gap| gap.abs() < 1e-15));
        let tanh = SigmoidFeatures {
            weights: Some(vec![vec![3.0, 2.0]]),
            biases: Some(vec![-1.0]),
            activation: SoftStep::Tanh,
            keep_columns: true,
        };
        let found = features(&tanh, &x);
        assert_eq!(found.row(0), array![0.5, -0.25, 0.0]);
        assert!((found[[1, 2]] - 5.0_f64.tanh()).abs() < 1e-15);
    }

    // 001:OV-04: two steps bend a line: the exclusive or is a plane in them.
    #[test]
    fn an_exclusive_or_is_a_plane_in_two_steps() {
        let x = array![[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]];
        let steps = SigmoidFeatures {
            weights: Some(vec![vec![4.0, 4.0], vec![4.0, 4.0]]),
            biases: Some(vec![-4.0, 4.0]),
            ..SigmoidFeatures::default()
        };
        let found = features(&steps, &x);
        // Both steps up or both down is the first class; one up and one down the second.
        let score = |row: usize| found[[row, 1]] - found[[row, 0]];
        assert!((0..4).all(|row| (score(row) < 0.5) == (row < 2)));
    }

    #[test]
    fn weights_that_do_not_fit_are_named() {
        let x = array![[1.0, 2.0]];
        let refuse = |weights, biases| {
            let parameters = SigmoidFeatures {
                weights,
                biases,
                ..SigmoidFeatures::default()
            };
            parameters.fit((&x).into()).unwrap_err().to_string()
        };
        assert!(refuse(Some(vec![vec![1.0]]), None).starts_with("weights is a list of 1; "));
        assert!(refuse(None, Some(vec![1.0])).starts_with("biases is [1.0]; "));
    }
}
