//! The most probable partition, and the law of new rows.

use super::Visits;
use super::cluster::{Cluster, ClusterPredictive};
use crate::joint::{Joint, joint_model};
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Drawn, Features, Figure, Model, Result, Rows, Run, Sample, Samples,
    Shape, Trace, Value, parallel,
};
use ndarray::{Array1, Array2, Array3, Axis};
use rand::RngExt;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// The clusters of the most probable partition that was visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirichletProcessMixtureModel {
    prior: Cluster,
    clusters: Vec<Cluster>,
    labels: Vec<usize>,
    concentration: f64,
    n_components_trace: Vec<usize>,
    concentration_trace: Vec<f64>,
    co_clustering: Option<Array2<f64>>,
    student: bool,
    trace: Trace,
}

impl DirichletProcessMixtureModel {
    pub(super) fn new(
        data: &Samples<'_>,
        prior: Cluster,
        labels: Vec<usize>,
        concentration: f64,
        visits: Visits,
        trace: Trace,
    ) -> Result<Self> {
        let rows = data.dense()?;
        let count = labels.iter().max().map_or(0, |last| last + 1);
        let mut clusters = vec![prior.clone(); count];
        for (row, &label) in rows.rows().into_iter().zip(&labels) {
            clusters[label].add(row)?;
        }
        Ok(DirichletProcessMixtureModel {
            student: prior.predictive() == ClusterPredictive::StudentT,
            prior,
            clusters,
            labels,
            concentration,
            n_components_trace: visits.n_components,
            concentration_trace: visits.concentrations,
            co_clustering: visits.together,
            trace,
        })
    }

    /// The number of clusters of the most probable partition.
    pub fn n_components(&self) -> usize {
        self.clusters.len()
    }

    /// The cluster of each training row.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of clusters after each sweep.
    pub fn n_components_trace(&self) -> &[usize] {
        &self.n_components_trace
    }

    /// The concentration after each sweep.
    pub fn concentration_trace(&self) -> &[f64] {
        &self.concentration_trace
    }

    /// How often each pair of rows was together, where that was counted.
    pub fn co_clustering(&self) -> Option<&Array2<f64>> {
        self.co_clustering.as_ref()
    }

    /// The most probable mean of each cluster, a row each.
    pub fn means(&self) -> Array2<f64> {
        let means = self
            .clusters
            .iter()
            .flat_map(|cluster| cluster.mean.iter().copied());
        let shape = (self.clusters.len(), self.n_features());
        Array2::from_shape_vec(shape, means.collect()).expect("one mean per cluster")
    }

    /// The most probable covariance of a cluster.
    pub fn covariance(&self, cluster: usize) -> Array2<f64> {
        self.clusters[cluster].covariance()
    }

    /// The share of the rows in each cluster.
    pub fn weights(&self) -> Vec<f64> {
        let n = self.labels.len() as f64;
        self.clusters
            .iter()
            .map(|cluster| cluster.count as f64 / n)
            .collect()
    }
}

impl Joint for DirichletProcessMixtureModel {
    fn n_components(&self) -> usize {
        self.clusters.len()
    }

    fn log_total_weight(&self) -> f64 {
        (self.labels.len() as f64 + self.concentration).ln()
    }

    /// Hands ln n_k·p(x | cluster k), and ln α·p(x) last, to `finish`, which leaves `width` values.
    fn per_row(
        &self,
        rows: Rows<'_>,
        width: usize,
        finish: impl Fn(&mut [f64], &mut [f64]) + Sync + Send,
    ) -> Result<Vec<f64>> {
        let x = rows.dense()?;
        let (k, d) = (self.clusters.len(), x.ncols());
        let mut output = vec![0.0; x.nrows() * width];
        let chunk = ((1 << 18) / ((k + 1) * d * d)).clamp(16, 2048);
        parallel::fill(&mut output, width, chunk, &Run::new(), |range, piece| {
            let (mut scores, mut solved) = (vec![0.0; k + 1], vec![0.0; d]);
            for (row, output) in range.zip(piece.chunks_exact_mut(width)) {
                let x = x.row(row);
                for (score, cluster) in scores.iter_mut().zip(&self.clusters) {
                    let count = cluster.count as f64;
                    *score = count.ln() + cluster.log_predictive(x, &mut solved);
                }
                scores[k] = self.concentration.ln() + self.prior.log_predictive(x, &mut solved);
                finish(&mut scores, output);
            }
            Ok(())
        })?;
        Ok(output)
    }
}

impl Features for DirichletProcessMixtureModel {
    fn n_features(&self) -> usize {
        self.prior.mean.len()
    }
}

joint_model!(DirichletProcessMixtureModel, density);

impl Sample for DirichletProcessMixtureModel {
    /// A row from a cluster that does not exist yet is labelled with the next number.
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let d = self.n_features();
        let mut rows = Array2::zeros((n_rows, d));
        let mut labels = Vec::with_capacity(n_rows);
        let total = self.labels.len() as f64 + self.concentration;
        for mut row in rows.rows_mut() {
            let mut left = generator.random::<f64>() * total;
            let found = self.clusters.iter().position(|cluster| {
                left -= cluster.count as f64;
                left < 0.0
            });
            let label = found.unwrap_or(self.clusters.len());
            let cluster = self.clusters.get(label).unwrap_or(&self.prior);
            let (factor, degrees, width) = cluster.drawing();
            let noise: Array1<f64> = (0..d).map(|_| StandardNormal.sample(generator)).collect();
            let stretch = match (self.student, ChiSquared::new(degrees)) {
                (true, Ok(law)) => (degrees / law.sample(generator)).sqrt(),
                _ => 1.0,
            };
            row.assign(&cluster.mean);
            row.scaled_add(width * stretch, &factor.lower().dot(&noise));
            labels.push(label);
        }
        Ok(Drawn { rows, labels })
    }
}

impl Model for DirichletProcessMixtureModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .assign()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_components",
            meaning: "The number of clusters of the most probable partition.",
            get: |model| Value::from(model.clusters.len()),
        },
        Attribute {
            name: "labels",
            meaning: "The cluster of each training row in the most probable partition.",
            get: |model| Value::from(model.labels.as_slice()),
        },
        Attribute {
            name: "weights",
            meaning: "The share of the rows in each cluster.",
            get: |model| Value::from(Array1::from(model.weights())),
        },
        Attribute {
            name: "means",
            meaning: "The most probable mean of each cluster, a row each.",
            get: |model| Value::from(model.means()),
        },
        Attribute {
            name: "covariances",
            meaning: "The most probable covariance of each cluster.",
            get: |model| {
                let d = model.n_features();
                let mut all = Array3::zeros((model.clusters.len(), d, d));
                for (cluster, mut place) in all.axis_iter_mut(Axis(0)).enumerate() {
                    place.assign(&model.covariance(cluster));
                }
                Value::from(all)
            },
        },
        Attribute {
            name: "concentration",
            meaning: "The concentration that went with the most probable partition.",
            get: |model| Value::from(model.concentration),
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
            name: "co_clustering",
            meaning: "How often each pair of rows was together, where that was counted.",
            get: |model| Value::from(model.co_clustering.as_ref()),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of sweeps.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "components",
        meaning: "The ellipsoids of the clusters.",
        get: |model| {
            let each = 0..model.clusters.len();
            Some(Shape::Ellipsoids {
                centers: model.means(),
                covariances: each.map(|cluster| model.covariance(cluster)).collect(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let (k, n, d) = (
            self.clusters.len(),
            self.labels.len(),
            self.prior.mean.len(),
        );
        ensure_consistent(k > 0 && n > 0 && d > 0 && self.prior.is_consistent(d))?;
        ensure_consistent(self.clusters.iter().all(|cluster| cluster.is_consistent(d)))?;
        ensure_consistent(self.labels.iter().all(|&label| label < k))?;
        ensure_consistent(self.concentration > 0.0 && self.concentration.is_finite())?;
        let together = self.co_clustering.as_ref();
        ensure_consistent(together.is_none_or(|together| together.dim() == (n, n)))
    }
}
