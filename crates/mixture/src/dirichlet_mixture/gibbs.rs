//! The collapsed Gibbs sampler.

use super::cluster::Cluster;
use crate::ChineseRestaurant;
use didact_core::random::Generator;
use didact_core::{Result, Run};
use ndarray::ArrayView2;
use rand::RngExt;

/// Rows and the clusters they sit in.
pub(super) struct Sampler<'a> {
    rows: ArrayView2<'a, f64>,
    prior: Cluster,
    /// ln p(x) of each row in a cluster of its own.
    alone: Vec<f64>,
    pub(super) labels: Vec<usize>,
    pub(super) clusters: Vec<Cluster>,
    pub(super) concentration: f64,
    scores: Vec<f64>,
    solved: Vec<f64>,
}

impl<'a> Sampler<'a> {
    /// All rows in one cluster.
    pub(super) fn new(
        rows: ArrayView2<'a, f64>,
        prior: Cluster,
        concentration: f64,
        run: &Run,
    ) -> Result<Self> {
        let mut solved = vec![0.0; rows.ncols()];
        let mut alone = Vec::with_capacity(rows.nrows());
        for (index, row) in rows.rows().into_iter().enumerate() {
            if index % 64 == 0 {
                run.check()?;
            }
            alone.push(prior.log_predictive(row, &mut solved));
        }
        let mut sampler = Sampler {
            rows,
            alone,
            labels: vec![0; rows.nrows()],
            clusters: vec![prior.clone()],
            prior,
            concentration,
            scores: Vec::new(),
            solved,
        };
        sampler.rebuild(run)?;
        Ok(sampler)
    }

    /// The clusters anew from their rows: what rounding did to them is forgotten.
    pub(super) fn rebuild(&mut self, run: &Run) -> Result<()> {
        self.clusters
            .iter_mut()
            .for_each(|cluster| *cluster = self.prior.clone());
        for (row, &label) in self.labels.iter().enumerate() {
            if row % 64 == 0 {
                run.check()?;
            }
            self.clusters[label].add(self.rows.row(row))?;
        }
        Ok(())
    }

    /// Every row leaves its cluster and chooses anew.
    pub(super) fn sweep(&mut self, generator: &mut Generator, run: &Run) -> Result<()> {
        for row in 0..self.labels.len() {
            if row % 16 == 0 {
                run.check()?;
            }
            self.leave(row, run)?;
            self.choose(row, generator)?;
        }
        Ok(())
    }

    fn leave(&mut self, row: usize, run: &Run) -> Result<()> {
        let label = self.labels[row];
        if self.clusters[label].count == 1 {
            // An empty cluster is dropped; the last one takes its place.
            let last = self.clusters.len() - 1;
            self.clusters.swap_remove(label);
            self.labels[row] = usize::MAX;
            for other in self.labels.iter_mut().filter(|other| **other == last) {
                *other = label;
            }
            return Ok(());
        }
        if self.clusters[label].remove(self.rows.row(row)).is_err() {
            // Rounding left less of the matrix than the row put in.
            self.labels[row] = usize::MAX;
            return self.rebuild_one(label, run);
        }
        self.labels[row] = usize::MAX;
        Ok(())
    }

    fn rebuild_one(&mut self, label: usize, run: &Run) -> Result<()> {
        let mut cluster = self.prior.clone();
        for (row, own) in self.labels.iter().enumerate() {
            if row % 64 == 0 {
                run.check()?;
            }
            if *own == label {
                cluster.add(self.rows.row(row))?;
            }
        }
        self.clusters[label] = cluster;
        Ok(())
    }

    /// p(z = k) ∝ n_k·p(x | cluster k), and α·p(x) for a new cluster.
    fn choose(&mut self, row: usize, generator: &mut Generator) -> Result<()> {
        let x = self.rows.row(row);
        self.scores.clear();
        for cluster in &self.clusters {
            let score = (cluster.count as f64).ln() + cluster.log_predictive(x, &mut self.solved);
            self.scores.push(score);
        }
        self.scores.push(self.concentration.ln() + self.alone[row]);
        let largest = self
            .scores
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        self.scores
            .iter_mut()
            .for_each(|score| *score = (*score - largest).exp());
        let mut left = generator.random::<f64>() * self.scores.iter().sum::<f64>();
        let found = self.scores.iter().position(|score| {
            left -= score;
            left < 0.0
        });
        let label = found.unwrap_or(self.clusters.len());
        if label == self.clusters.len() {
            self.clusters.push(self.prior.clone());
        }
        self.clusters[label].add(x)?;
        self.labels[row] = label;
        Ok(())
    }

    /// ln p(labels) + ln p(rows | labels).
    pub(super) fn log_score(&self) -> Result<f64> {
        let sizes: Vec<usize> = self.clusters.iter().map(|cluster| cluster.count).collect();
        let partition = ChineseRestaurant::new(self.concentration)?.log_probability(&sizes)?;
        let evidence = self
            .clusters
            .iter()
            .map(|cluster| cluster.log_evidence(&self.prior));
        Ok(partition + evidence.sum::<f64>())
    }
}
