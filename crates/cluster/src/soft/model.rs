//! Centres and shares.

use super::alternate::{Outcome, squared_distances};
use super::rule::Rule;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Assign, Attribute, Error, Features, Figure, Model, Probabilities, Result, Rows, Run,
    Samples, Shape, StopReason, Trace, Value, parallel,
};
use didact_math::numeric::{argmax, x_log_x};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Centres in which every row has a share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoftClusters {
    rule: Rule,
    cluster_centers: Array2<f64>,
    labels: Vec<usize>,
    objective: f64,
    entropy: f64,
    critical_stiffness: Option<f64>,
    trace: Trace,
}

impl SoftClusters {
    pub(super) fn new(rule: Rule, found: Outcome, data: &Samples<'_>, run: &Run) -> Result<Self> {
        let mut model = SoftClusters {
            rule,
            cluster_centers: found.centers,
            labels: Vec::new(),
            objective: found.objective,
            entropy: 0.0,
            critical_stiffness: None,
            trace: found.trace,
        };
        let shares = model.shares(data.rows(), run)?;
        model.labels = hardened(&shares);
        let of_row = |row: usize| {
            let entropy: f64 = shares.row(row).iter().map(|&share| -x_log_x(share)).sum();
            data.weight(row) * entropy
        };
        model.entropy = (0..data.n_rows()).map(of_row).sum::<f64>() / data.total_weight();
        Ok(model)
    }

    /// One centre per row.
    pub fn cluster_centers(&self) -> ArrayView2<'_, f64> {
        self.cluster_centers.view()
    }

    /// The cluster in which each row that the model was fitted on has its greatest share.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The objective at the end.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// The mean entropy −Σrₖ·ln rₖ of the shares of a row: zero is hard, ln k completely soft.
    pub fn entropy(&self) -> f64 {
        self.entropy
    }

    /// The stiffness above which clusters can lie apart: 1/λ for half the squared distance, where
    /// λ is the greatest variance of the rows in any direction. Below it all centres meet in the
    /// mean. Known for soft k-means with squared distances.
    pub fn critical_stiffness(&self) -> Option<f64> {
        self.critical_stiffness
    }

    pub(super) fn with_critical_stiffness(mut self, stiffness: Option<f64>) -> Self {
        self.critical_stiffness = stiffness;
        self
    }

    /// The history of the best start.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    fn shares(&self, rows: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        let rows = rows.dense()?;
        let (n, k) = (rows.nrows(), self.cluster_centers.nrows());
        let mut shares = vec![0.0; n * k];
        parallel::fill(&mut shares, k, 256, run, |range, piece| {
            for (row, shares) in range.zip(piece.chunks_exact_mut(k)) {
                let values = rows.row(row);
                let values = values.to_slice().expect("rows are contiguous");
                squared_distances(values, &self.cluster_centers, shares);
                if shares.iter().any(|squared| !squared.is_finite()) {
                    return Err(Error::numerical(format!(
                        "the distance of row {row} to a centre is too large for a number; \
                         scale the columns down"
                    )));
                }
                self.rule.memberships(shares);
            }
            Ok(())
        })?;
        Ok(Array2::from_shape_vec((n, k), shares).expect("one share per row and cluster"))
    }
}

/// Where each row has its greatest share, the lowest cluster where several are equal.
fn hardened(shares: &Array2<f64>) -> Vec<usize> {
    let greatest = |row: ndarray::ArrayView1<'_, f64>| argmax(row.iter().copied());
    shares
        .rows()
        .into_iter()
        .map(|row| greatest(row).unwrap_or(0))
        .collect()
}

impl Features for SoftClusters {
    fn n_features(&self) -> usize {
        self.cluster_centers.ncols()
    }
}

impl Assign for SoftClusters {
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let shares = self.shares(rows, &Run::new())?;
        Ok(hardened(&shares).into_iter().map(Some).collect())
    }
}

impl Probabilities for SoftClusters {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.shares(rows, &Run::new())
    }
}

impl Model for SoftClusters {
    const ABILITIES: Abilities<Self> = Abilities::none().probabilities().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "cluster_centers",
            meaning: "The centre of each cluster, one per row.",
            get: |model| Value::from(&model.cluster_centers),
        },
        Attribute {
            name: "labels",
            meaning: "The cluster in which each row of the training data has its greatest share.",
            get: |model| Value::from(model.labels.as_slice()),
        },
        Attribute {
            name: "objective",
            meaning: "What was made small, summed over the rows.",
            get: |model| Value::from(model.objective),
        },
        Attribute {
            name: "entropy",
            meaning: "Mean entropy of the shares of a row: 0 is hard, the logarithm of the number of clusters completely soft.",
            get: |model| Value::from(model.entropy),
        },
        Attribute {
            name: "critical_stiffness",
            meaning: "The stiffness at which the clusters of soft k-means come apart.",
            get: |model| Value::from(model.critical_stiffness),
        },
        Attribute {
            name: "n_iter",
            meaning: "Iterations of the best start.",
            get: |model| Value::from(model.trace.n_iter()),
        },
        Attribute {
            name: "converged",
            meaning: "Whether the best start converged before the iteration limit.",
            get: |model| Value::from(model.trace.stop == StopReason::Converged),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "centers",
        meaning: "The centres of the clusters.",
        get: |model| {
            Some(Shape::Points {
                points: model.cluster_centers.clone(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let centers = &self.cluster_centers;
        ensure_consistent(
            !centers.is_empty()
                && centers.is_standard_layout()
                && centers.iter().all(|value| value.is_finite())
                && self.labels.iter().all(|&label| label < centers.nrows()),
        )
    }
}
