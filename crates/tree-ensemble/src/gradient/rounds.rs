//! Round after round: slopes, trees, sums.

use super::bins::Bins;
use super::grow::{Grown, Limits, Room, grow};
use super::histogram::Slope;
use super::losses::Loss;
use super::parameters::Rounds;
use crate::tree::Tree;
use didact_core::model::ensure_consistent;
use didact_core::{Result, Run, StopReason, Trace, TraceWriter, parallel};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows whose slopes or losses are computed together.
const CHUNK: usize = 2048;

/// Rows that a tree is asked about before the next tree is.
const BLOCK: usize = 128;

/// What boosting learned: the start, and trees round by round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Boosted {
    /// The answer before the first round.
    pub(super) start: Vec<f64>,
    /// All trees of the first round, then of the second, and so on.
    pub(super) trees: Vec<Tree>,
    pub(super) n_features: usize,
    /// The loss on the rows held back, before the first round and after each.
    pub(super) validation: Vec<f64>,
    pub(super) trace: Trace,
}

/// What is learned from.
pub(super) struct Material<'a> {
    pub(super) rows: ArrayView2<'a, f64>,
    pub(super) loss: Loss,
    pub(super) weights: Vec<f64>,
    pub(super) start: Vec<f64>,
    /// Rows that teach and rows that only judge.
    pub(super) train: Vec<u32>,
    pub(super) held_back: Vec<u32>,
}

impl Boosted {
    pub(super) fn learn(material: &Material<'_>, how: &Rounds, run: &Run) -> Result<Self> {
        let bins = Bins::new(material.rows, how.max_bins, how.seed, run)?;
        let width = material.loss.width();
        let n_rows = material.rows.nrows();
        let limits = Limits {
            max_leaf_nodes: how.max_leaf_nodes.unwrap_or(usize::MAX),
            max_depth: how.max_depth.unwrap_or(usize::MAX),
            min_samples_leaf: how.min_samples_leaf as f64,
            l2: how.l2_regularization,
            shrinkage: how.learning_rate,
        };
        let mut sums: Vec<f64> = material.start.repeat(n_rows);
        let mut trees = Vec::new();
        let mut trace = TraceWriter::new(run, "training loss", Some(how.max_iter));
        let judges = !material.held_back.is_empty();
        let mut validation = Vec::new();
        if judges {
            validation.push(mean_loss(material, &material.held_back, &sums, run)?);
        }
        let mut stop = StopReason::IterationLimit;
        let mut room = Room::default();
        let mut slopes = vec![Slope::default(); n_rows * width];
        let weights = material.teaching_weights();
        descend(material, &weights, &sums, &mut slopes, run)?;
        for _ in 0..how.max_iter {
            for output in 0..width {
                room.fill(&material.train, |row| slopes[row * width + output], run)?;
                let Grown { tree, leaves } = grow(&bins, &limits, &mut room, run)?;
                for (range, value) in leaves {
                    for &row in room.rows(range) {
                        sums[row as usize * width + output] += value;
                    }
                }
                for &row in &material.held_back {
                    let values = material.rows.row(row as usize);
                    let values = values.to_slice().expect("rows are contiguous");
                    sums[row as usize * width + output] += tree.value(tree.leaf(values))[0];
                }
                trees.push(tree);
            }
            trace.record(descend(material, &weights, &sums, &mut slopes, run)?)?;
            if judges {
                validation.push(mean_loss(material, &material.held_back, &sums, run)?);
                if is_settled(&validation, how.n_iter_no_change, how.tol) {
                    stop = StopReason::Converged;
                    break;
                }
            }
        }
        Ok(Boosted {
            start: material.start.clone(),
            trees,
            n_features: bins.len(),
            validation,
            trace: trace.finish(stop),
        })
    }

    /// Multiplies and shifts all answers.
    pub(super) fn rescale(&mut self, scale: f64, center: f64) {
        for tree in &mut self.trees {
            tree.values.iter_mut().for_each(|value| *value *= scale);
        }
        self.start
            .iter_mut()
            .for_each(|start| *start = *start * scale + center);
    }

    /// The sum of the trees for each row.
    pub(super) fn sums(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let width = self.start.len();
        let mut answers = Array2::zeros((rows.nrows(), width));
        let output = answers.as_slice_mut().expect("answers are contiguous");
        parallel::fill(output, width, BLOCK, &Run::new(), |range, sums| {
            for sum in sums.chunks_mut(width) {
                sum.copy_from_slice(&self.start);
            }
            for (number, tree) in self.trees.iter().enumerate() {
                let column = number % width;
                for (row, sum) in range.clone().zip(sums.chunks_mut(width)) {
                    let row = rows.row(row);
                    let row = row.to_slice().expect("rows are contiguous");
                    sum[column] += tree.value(tree.leaf(row))[0];
                }
            }
            Ok(())
        })?;
        Ok(answers)
    }

    pub(super) fn n_iter(&self) -> usize {
        self.trees.len() / self.start.len().max(1)
    }

    pub(super) fn validate(&self, width: usize) -> Result<()> {
        ensure_consistent(
            self.start.len() == width
                && width > 0
                && self.n_features > 0
                && self.trees.len().is_multiple_of(width),
        )?;
        for tree in &self.trees {
            tree.validate(self.n_features, 1)?;
        }
        Ok(())
    }
}

impl Material<'_> {
    /// What the rows weigh that teach; others weigh nothing.
    fn teaching_weights(&self) -> Cow<'_, [f64]> {
        let mut weights = Cow::Borrowed(self.weights.as_slice());
        for &row in &self.held_back {
            weights.to_mut()[row as usize] = 0.0;
        }
        weights
    }
}

/// The slopes of all rows for the next round, and the weighted mean of the loss: both need the same
/// exponentials.
fn descend(
    material: &Material<'_>,
    weights: &[f64],
    sums: &[f64],
    slopes: &mut [Slope],
    run: &Run,
) -> Result<f64> {
    let width = material.loss.width();
    let n_chunks = weights.len().div_ceil(CHUNK);
    let losses: Vec<AtomicU64> = (0..n_chunks).map(|_| AtomicU64::new(0)).collect();
    parallel::fill(slopes, width, CHUNK, run, |rows, slopes| {
        let chunk = &losses[rows.start / CHUNK];
        let sums = &sums[rows.start * width..rows.end * width];
        let weights = &weights[rows.clone()];
        let loss = material.loss.slopes(rows, sums, weights, slopes);
        chunk.store(loss.to_bits(), Ordering::Relaxed);
        Ok(())
    })?;
    // In the order of the rows, whichever thread was first.
    let loss: f64 = losses
        .iter()
        .map(|loss| f64::from_bits(loss.load(Ordering::Relaxed)))
        .sum();
    let weight: f64 = weights.iter().sum();
    Ok(if weight > 0.0 { loss / weight } else { 0.0 })
}

/// The weighted mean of the loss over some rows.
fn mean_loss(material: &Material<'_>, rows: &[u32], sums: &[f64], run: &Run) -> Result<f64> {
    let width = material.loss.width();
    let total = parallel::reduce(
        rows.len(),
        CHUNK,
        run,
        &|range| {
            let mut total = (0.0, 0.0);
            for &row in &rows[range] {
                let row = row as usize;
                let loss = material.loss.of(row, &sums[row * width..(row + 1) * width]);
                total.0 += material.weights[row] * loss;
                total.1 += material.weights[row];
            }
            Ok(total)
        },
        &|a, b| (a.0 + b.0, a.1 + b.1),
    )?;
    Ok(total.map_or(
        0.0,
        |(loss, weight)| if weight > 0.0 { loss / weight } else { 0.0 },
    ))
}

/// Whether none of the last losses is lower than the one before them.
fn is_settled(losses: &[f64], patience: usize, tol: f64) -> bool {
    if losses.len() <= patience {
        return false;
    }
    let (before, recent) = losses.split_at(losses.len() - patience);
    let reference = before[before.len() - 1] - tol;
    recent.iter().all(|&loss| loss >= reference)
}
