//! The fitted Gaussian mixture regression.

use crate::{ConditionalMixture, GaussianMixtureModel};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Deviations, Features, Figure, Model, Regress, Result, Rows, Run, Shape,
    Trace, Value, parallel,
};
use ndarray::{Array2, Array3, Axis, s};
use serde::{Deserialize, Serialize};

/// A mixture of features and targets, and the targets given the features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianMixtureRegressionModel {
    joint: GaussianMixtureModel,
    conditional: ConditionalMixture,
}

impl GaussianMixtureRegressionModel {
    /// Takes the first columns of a mixture as features and the rest as targets.
    pub fn new(joint: GaussianMixtureModel, n_features: usize) -> Result<Self> {
        let given: Vec<usize> = (0..n_features).collect();
        Ok(GaussianMixtureRegressionModel {
            conditional: joint.conditional(&given)?,
            joint,
        })
    }

    /// The mixture of features and targets together, from which any columns can be predicted
    /// from any others ([`GaussianMixtureModel::conditional`]).
    pub fn joint(&self) -> &GaussianMixtureModel {
        &self.joint
    }

    /// The targets given the features.
    pub fn conditional(&self) -> &ConditionalMixture {
        &self.conditional
    }

    /// The covariance of the targets at each row.
    pub fn predict_covariance(&self, rows: Rows<'_>) -> Result<Array3<f64>> {
        didact_core::abilities::check_rows(self, rows)?;
        let x = rows.dense()?;
        let targets = self.conditional.n_predicted();
        let mut all = Array3::zeros((x.nrows(), targets, targets));
        for (row, mut place) in x.rows().into_iter().zip(all.axis_iter_mut(Axis(0))) {
            place.assign(&self.conditional.covariance(row));
        }
        Ok(all)
    }
}

impl Features for GaussianMixtureRegressionModel {
    fn n_features(&self) -> usize {
        self.conditional.n_given()
    }
}

impl Regress for GaussianMixtureRegressionModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let x = rows.dense()?;
        let targets = self.conditional.n_predicted();
        let mut predicted = Array2::zeros((x.nrows(), targets));
        let output = predicted.as_slice_mut().expect("a new array is contiguous");
        parallel::fill(output, targets, 256, &Run::new(), |range, piece| {
            for (row, values) in range.zip(piece.chunks_exact_mut(targets)) {
                let mean = self.conditional.mean(x.row(row));
                values
                    .iter_mut()
                    .zip(&mean)
                    .for_each(|(value, mean)| *value = *mean);
            }
            Ok(())
        })?;
        Ok(predicted)
    }
}

impl Deviations for GaussianMixtureRegressionModel {
    fn deviations(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let covariances = self.predict_covariance(rows)?;
        let targets = self.conditional.n_predicted();
        Ok(Array2::from_shape_fn(
            (rows.n_rows(), targets),
            |(row, target)| covariances[[row, target, target]].sqrt(),
        ))
    }
}

impl Model for GaussianMixtureRegressionModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress().deviations();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "weights",
            meaning: "The share of each component.",
            get: |model| Value::from(model.joint.weights()),
        },
        Attribute {
            name: "means",
            meaning: "The mean of each component, features first, then targets.",
            get: |model| Value::from(model.joint.means().to_owned()),
        },
        Attribute {
            name: "covariances",
            meaning: "The covariance of each component, features first, then targets.",
            get: |model| {
                let (k, d) = model.joint.means().dim();
                let mut all = Array3::zeros((k, d, d));
                for (component, mut place) in all.axis_iter_mut(Axis(0)).enumerate() {
                    place.assign(&model.joint.covariances().matrix(component, d));
                }
                Value::from(all)
            },
        },
        Attribute {
            name: "n_iter",
            meaning: "Iterations of the best start.",
            get: |model| Value::from(model.joint.trace().map(|trace| trace.n_iter() - 1)),
        },
        Attribute {
            name: "lower_bound",
            meaning: "The mean log-likelihood of a training row of features and targets.",
            get: |model| Value::from(model.joint.lower_bound()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "components",
        meaning: "The ellipsoids of the components in the space of the features.",
        get: |model| {
            let (k, d) = model.joint.means().dim();
            let features = model.n_features();
            let part = |component: usize| {
                let matrix = model.joint.covariances().matrix(component, d);
                matrix.slice(s![..features, ..features]).to_owned()
            };
            Some(Shape::Ellipsoids {
                centers: model.joint.means().slice(s![.., ..features]).to_owned(),
                covariances: (0..k).map(part).collect(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        self.joint.trace()
    }

    fn validate(&self) -> Result<()> {
        Model::validate(&self.joint)?;
        ensure_consistent(self.conditional.is_consistent())?;
        let columns = self.conditional.n_given() + self.conditional.n_predicted();
        ensure_consistent(columns == self.joint.means().ncols())
    }
}
