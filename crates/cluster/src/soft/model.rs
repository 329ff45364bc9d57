//! Centres and shares.

use super::alternate::{Outcome, squared_distances};
use super::rule::Rule;
use crate::centers::{center_model, validate};
use crate::too_far::row_too_far;
use didact_core::{
    Assign, Features, Probabilities, Result, Rows, Run, Samples, Trace, Value, parallel,
};
use didact_math::numeric::{argmax, x_log_x};
use ndarray::Array2;
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
                    return Err(row_too_far(row));
                }
                self.rule.memberships(shares);
            }
            Ok(())
        })?;
        Ok(Array2::from_shape_vec((n, k), shares).expect("one share per row and cluster"))
    }

    /// Fails when a model from a file contradicts itself.
    fn check(&self) -> Result<()> {
        validate(&self.cluster_centers, &self.labels)
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

center_model!(SoftClusters: assign probabilities {
    "labels", "The cluster in which each row of the training data has its greatest share.",
        |model| Value::from(model.labels.as_slice());
    "objective", "What was made small, summed over the rows.",
        |model| Value::from(model.objective);
    "entropy", "Mean entropy of the shares of a row: 0 is hard, the logarithm of the number of clusters completely soft.",
        |model| Value::from(model.entropy);
    "critical_stiffness", "The stiffness at which the clusters of soft k-means come apart.",
        |model| Value::from(model.critical_stiffness);
});
