//! The best-scoring sample of a margin mixture.

use crate::joint::{Joint, joint_model};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Features, Model, Result, Rows, Run, Trace, Value, parallel,
};
use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// What the sampler held after a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sample {
    pub(super) labels: Vec<usize>,
    /// One row per cluster.
    pub(super) vectors: Array2<f64>,
    pub(super) concentration: f64,
}

/// The vectors θ of the clusters: a row joins the one with the greatest x·θ after the mean of the
/// training rows is taken from it, with probabilities ∝ exp(x·θ).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginDirichletMixtureModel {
    mean: Array1<f64>,
    best: Sample,
    last: Sample,
    n_components_trace: Vec<usize>,
    concentration_trace: Vec<f64>,
    trace: Trace,
}

impl MarginDirichletMixtureModel {
    pub(super) fn new(
        mean: Array1<f64>,
        best: Sample,
        last: Sample,
        n_components_trace: Vec<usize>,
        concentration_trace: Vec<f64>,
        trace: Trace,
    ) -> Self {
        MarginDirichletMixtureModel {
            mean,
            best,
            last,
            n_components_trace,
            concentration_trace,
            trace,
        }
    }

    /// The number of clusters of the best-scoring sample.
    pub fn n_components(&self) -> usize {
        self.best.vectors.nrows()
    }

    /// The cluster of each training row in the best-scoring sample.
    pub fn labels(&self) -> &[usize] {
        &self.best.labels
    }

    /// The cluster of each training row in the last sample.
    pub fn last_labels(&self) -> &[usize] {
        &self.last.labels
    }

    /// The vector θ of each cluster of the best-scoring sample, a row each.
    pub fn vectors(&self) -> ArrayView2<'_, f64> {
        self.best.vectors.view()
    }

    /// The number of clusters after each sweep.
    pub fn n_components_trace(&self) -> &[usize] {
        &self.n_components_trace
    }

    /// The concentration after each sweep.
    pub fn concentration_trace(&self) -> &[f64] {
        &self.concentration_trace
    }
}

impl Joint for MarginDirichletMixtureModel {
    fn n_components(&self) -> usize {
        self.best.vectors.nrows()
    }

    /// Hands x·θ of every row to `finish`, which leaves `width` values.
    fn per_row(
        &self,
        rows: Rows<'_>,
        width: usize,
        finish: impl Fn(&mut [f64], &mut [f64]) + Sync + Send,
    ) -> Result<Vec<f64>> {
        let x = rows.dense()?;
        let mut output = vec![0.0; x.nrows() * width];
        let chunk = ((1 << 18) / self.best.vectors.len()).clamp(16, 4096);
        parallel::fill(&mut output, width, chunk, &Run::new(), |range, piece| {
            for (row, output) in range.zip(piece.chunks_exact_mut(width)) {
                let centred = &x.row(row) - &self.mean;
                let mut scores = self.best.vectors.dot(&centred).to_vec();
                finish(&mut scores, output);
            }
            Ok(())
        })?;
        Ok(output)
    }
}

impl Features for MarginDirichletMixtureModel {
    fn n_features(&self) -> usize {
        self.mean.len()
    }
}

joint_model!(MarginDirichletMixtureModel);

impl Model for MarginDirichletMixtureModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_components",
            meaning: "The number of clusters of the best-scoring sample.",
            get: |model| Value::from(model.n_components()),
        },
        Attribute {
            name: "labels",
            meaning: "The cluster of each training row in the best-scoring sample.",
            get: |model| Value::from(model.labels()),
        },
        Attribute {
            name: "last_labels",
            meaning: "The cluster of each training row in the last sample.",
            get: |model| Value::from(model.last_labels()),
        },
        Attribute {
            name: "coef",
            meaning: "The vector of each cluster, a row each.",
            get: |model| Value::from(&model.best.vectors),
        },
        Attribute {
            name: "last_coef",
            meaning: "The vector of each cluster of the last sample, a row each.",
            get: |model| Value::from(&model.last.vectors),
        },
        Attribute {
            name: "mean",
            meaning: "The mean of the training rows, which is taken from every row.",
            get: |model| Value::from(&model.mean),
        },
        Attribute {
            name: "concentration",
            meaning: "The concentration that went with the best-scoring sample.",
            get: |model| Value::from(model.best.concentration),
        },
        Attribute {
            name: "n_components_trace",
            meaning: "The number of clusters after each sweep.",
            get: |model| Value::from(model.n_components_trace.as_slice()),
        },
        Attribute {
            name: "concentration_trace",
            meaning: "The concentration after each sweep.",
            get: |model| Value::from(model.concentration_trace.as_slice()),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of sweeps.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let sound = |sample: &Sample| {
            let (k, d) = sample.vectors.dim();
            k > 0
                && d == self.mean.len()
                && !sample.labels.is_empty()
                && sample.labels.iter().all(|&label| label < k)
                && sample.vectors.iter().all(|value| value.is_finite())
                && sample.concentration > 0.0
                && sample.concentration.is_finite()
        };
        ensure_consistent(
            !self.mean.is_empty()
                && self.mean.iter().all(|value| value.is_finite())
                && sound(&self.best)
                && sound(&self.last),
        )
    }
}
