//! Reassignment of rows by their distances to means that exist only in the space of the kernel.

use super::KernelKMeans;
use didact_core::random::Generator;
use didact_core::{Error, Result, Run, StopReason, Trace, TraceWriter, parallel};
use didact_math::numeric::argmin;
use ndarray::Array2;
use rand::RngExt;

/// The kernel of all pairs, and how much each row counts.
pub(super) struct Gram {
    matrix: Array2<f64>,
    pub(super) weights: Vec<f64>,
}

/// What one start led to.
pub(super) struct Found {
    pub(super) labels: Vec<usize>,
    pub(super) objective: f64,
    pub(super) clusters: Vec<Cluster>,
    pub(super) n_reseeded: usize,
    pub(super) trace: Trace,
}

/// The weight of a cluster and 1/m²·ΣΣκ over its members, the squared length of its mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cluster {
    pub(super) weight: f64,
    pub(super) square: f64,
}

impl Gram {
    pub(super) fn new(matrix: Array2<f64>, weights: Vec<f64>) -> Result<Self> {
        match matrix.iter().all(|value| value.is_finite()) {
            true => Ok(Gram { matrix, weights }),
            false => Err(Error::numerical(
                "the kernel of two rows is too large for a number; scale the columns down"
                    .to_owned(),
            )),
        }
    }

    fn n_rows(&self) -> usize {
        self.weights.len()
    }

    fn row(&self, row: usize) -> &[f64] {
        let n = self.n_rows();
        let values = self.matrix.as_slice().expect("a Gram matrix is contiguous");
        &values[row * n..(row + 1) * n]
    }

    fn squared_distance(&self, a: usize, b: usize) -> f64 {
        let own = self.row(a)[a] + self.row(b)[b];
        (own - 2.0 * self.row(a)[b]).max(0.0)
    }

    /// The nearest of seeds that are drawn as k-means++ draws them, in the space of the kernel.
    pub(super) fn seeded(
        &self,
        n_clusters: usize,
        generator: &mut Generator,
        run: &Run,
    ) -> Result<Vec<usize>> {
        let n = self.n_rows();
        let mut nearest = vec![f64::INFINITY; n];
        let mut labels = vec![0; n];
        for cluster in 0..n_clusters {
            run.check()?;
            let mass = |row: usize| match cluster {
                0 => self.weights[row],
                _ => self.weights[row] * nearest[row],
            };
            let total: f64 = (0..n).map(mass).sum();
            let mut left = generator.random::<f64>() * total;
            let drawn = (0..n).find(|&row| {
                left -= mass(row);
                left < 0.0
            });
            // Without any distance left the seeds are copies; a later step fills the empty ones.
            let seed = drawn.unwrap_or(0);
            for row in 0..n {
                let distance = self.squared_distance(row, seed);
                if distance < nearest[row] {
                    (nearest[row], labels[row]) = (distance, cluster);
                }
            }
        }
        Ok(labels)
    }

    /// Σwⱼκ(xᵢ,xⱼ) over the members of each cluster, one row of sums per row.
    fn sums(&self, labels: &[usize], n_clusters: usize, run: &Run) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; self.n_rows() * n_clusters];
        parallel::fill(&mut sums, n_clusters, 32, run, |range, piece| {
            for (row, sums) in range.zip(piece.chunks_exact_mut(n_clusters)) {
                for ((&value, &weight), &label) in
                    self.row(row).iter().zip(&self.weights).zip(labels)
                {
                    sums[label] += weight * value;
                }
            }
            Ok(())
        })?;
        Ok(sums)
    }
}

/// Reassigns until nothing changes.
pub(super) fn improve(
    parameters: &KernelKMeans,
    gram: &Gram,
    mut labels: Vec<usize>,
    run: &Run,
) -> Result<Found> {
    let k = parameters.n_clusters;
    let mut trace = TraceWriter::new(run, "objective", Some(parameters.max_iter));
    let mut stop = StopReason::IterationLimit;
    let mut n_reseeded = fill_empty(&mut labels, k, |row| gram.row(row)[row]);
    let (mut distances, mut clusters) = measure(gram, &labels, k, run)?;
    let mut objective = total(gram, &distances, &labels, k);
    for _ in 0..parameters.max_iter {
        let mut next: Vec<usize> = distances
            .chunks_exact(k)
            .zip(&labels)
            .map(|(row, &label)| nearest(row, label))
            .collect();
        n_reseeded += fill_empty(&mut next, k, |row| distances[row * k + labels[row]]);
        let is_same = next == labels;
        let (next_distances, next_clusters) = measure(gram, &next, k, run)?;
        let found = total(gram, &next_distances, &next, k);
        // A kernel that is not positive semidefinite promises nothing.
        if found > objective + 1e-10 * objective.abs() {
            stop = StopReason::Stalled;
            break;
        }
        let fall = objective - found;
        (labels, distances, clusters) = (next, next_distances, next_clusters);
        objective = found;
        trace.record(objective)?;
        if is_same || fall < parameters.tol * objective.abs() {
            stop = StopReason::Converged;
            break;
        }
    }
    Ok(Found {
        labels,
        objective,
        clusters,
        n_reseeded,
        trace: trace.finish(stop),
    })
}

/// The nearest mean; the present one where it is as near as any, so that rounding moves nobody.
fn nearest(distances: &[f64], label: usize) -> usize {
    let best = argmin(distances.iter().copied()).unwrap_or(label);
    match distances[best] < distances[label] {
        true => best,
        false => label,
    }
}

/// The squared distances of all rows to all means, and the clusters.
fn measure(gram: &Gram, labels: &[usize], k: usize, run: &Run) -> Result<(Vec<f64>, Vec<Cluster>)> {
    let mut distances = gram.sums(labels, k, run)?;
    let mut clusters = vec![Cluster::default(); k];
    for (row, &label) in labels.iter().enumerate() {
        clusters[label].weight += gram.weights[row];
        clusters[label].square += gram.weights[row] * distances[row * k + label];
    }
    for cluster in &mut clusters {
        cluster.square /= cluster.weight * cluster.weight;
    }
    for (row, values) in distances.chunks_exact_mut(k).enumerate() {
        let own = gram.row(row)[row];
        for (value, cluster) in values.iter_mut().zip(&clusters) {
            *value = own - 2.0 * *value / cluster.weight + cluster.square;
        }
    }
    Ok((distances, clusters))
}

fn total(gram: &Gram, distances: &[f64], labels: &[usize], k: usize) -> f64 {
    let terms = labels.iter().enumerate();
    terms
        .map(|(row, &label)| gram.weights[row] * distances[row * k + label])
        .sum()
}

/// Gives every cluster without rows the row that costs most where it is, from a cluster with
/// others; says how many.
fn fill_empty(labels: &mut [usize], k: usize, cost: impl Fn(usize) -> f64) -> usize {
    let mut counts = vec![0usize; k];
    labels.iter().for_each(|&label| counts[label] += 1);
    let mut moved: Vec<usize> = Vec::new();
    for cluster in 0..k {
        if counts[cluster] > 0 {
            continue;
        }
        let spare =
            (0..labels.len()).filter(|&row| counts[labels[row]] > 1 && !moved.contains(&row));
        let costliest = spare.max_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(b.cmp(&a)));
        if let Some(row) = costliest {
            counts[labels[row]] -= 1;
            counts[cluster] += 1;
            labels[row] = cluster;
            moved.push(row);
        }
    }
    moved.len()
}
