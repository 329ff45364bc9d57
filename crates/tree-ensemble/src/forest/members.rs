//! Growing the trees of a forest, asking them, and judging them by the rows they did not see.

use crate::Amount;
use crate::teaching::Teaching;
use crate::tree::{Growth, Tree, normalise};
use didact_core::model::ensure_consistent;
use didact_core::random::{Generator, generator};
use didact_core::{Error, Result, Run, parallel};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Rows that a tree is asked about before the next tree is: its nodes stay in the cache.
const BLOCK: usize = 128;

/// How the rows of each tree are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawing {
    pub(super) n_trees: usize,
    pub(super) bootstrap: bool,
    pub(super) max_samples: Option<Amount>,
    pub(super) seed: u64,
}

/// Trees and what is known of them together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Members {
    pub(super) trees: Vec<Tree>,
    pub(super) importances: Vec<f64>,
}

impl Drawing {
    fn n_drawn(&self, n_rows: usize) -> Result<usize> {
        match (self.max_samples, self.bootstrap) {
            (None, _) => Ok(n_rows),
            (Some(amount), true) => Ok(amount.of(n_rows).clamp(1, n_rows)),
            (Some(amount), false) => Err(Error::parameter(
                "max_samples",
                amount.of(n_rows),
                "every tree sees all rows; set bootstrap to true to draw some",
            )),
        }
    }

    /// How often a tree draws each row, and the generator for what it draws later.
    fn bag(&self, tree: usize, n_rows: usize, n_drawn: usize) -> (Option<Vec<f64>>, Generator) {
        let mut generator = generator(self.seed, tree as u64);
        let counts = self.bootstrap.then(|| {
            let mut counts = vec![0.0; n_rows];
            for _ in 0..n_drawn {
                counts[generator.random_range(0..n_rows)] += 1.0;
            }
            counts
        });
        (counts, generator)
    }
}

impl Members {
    pub(super) fn grow(
        teaching: &Teaching<'_>,
        growth: &Growth,
        drawing: &Drawing,
        run: &Run,
    ) -> Result<Self> {
        let n_rows = teaching.n_rows();
        let n_drawn = drawing.n_drawn(n_rows)?;
        let n_features = teaching.columns.len();
        let numbers: Vec<usize> = (0..drawing.n_trees).collect();
        let grown = parallel::map(&numbers, run, |&number| {
            let (counts, generator) = drawing.bag(number, n_rows, n_drawn);
            let weights = counts.map(|mut counts| {
                for (count, weight) in counts.iter_mut().zip(&teaching.weights) {
                    *count *= weight;
                }
                counts
            });
            // Only rows without weight were drawn: all are as good.
            let drawn = weights.filter(|weights| weights.iter().any(|&weight| weight > 0.0));
            let weights = drawn.as_ref().unwrap_or(&teaching.weights);
            let mut tree = teaching.tree(weights, growth, generator, run)?;
            let importances = tree.importances(n_features);
            tree.statistics = None;
            Ok((tree, importances))
        })?;
        let mut importances = vec![0.0; n_features];
        for (_, own) in &grown {
            for (sum, own) in importances.iter_mut().zip(own) {
                *sum += own;
            }
        }
        normalise(&mut importances);
        Ok(Members {
            trees: grown.into_iter().map(|(tree, _)| tree).collect(),
            importances,
        })
    }

    /// The mean answer of the trees for each row.
    pub(super) fn mean(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let width = self.trees[0].width;
        let mut answers: Array2<f64> = Array2::zeros((rows.nrows(), width));
        let output = answers.as_slice_mut().expect("answers are contiguous");
        parallel::fill(output, width, BLOCK, &Run::new(), |range, sums| {
            for tree in &self.trees {
                for (row, sum) in range.clone().zip(sums.chunks_mut(width)) {
                    let row = rows.row(row);
                    let row = row.to_slice().expect("rows are contiguous");
                    let answer = tree.value(tree.leaf(row));
                    for (sum, value) in sum.iter_mut().zip(answer) {
                        *sum += value;
                    }
                }
            }
            let count = self.trees.len() as f64;
            sums.iter_mut().for_each(|sum| *sum /= count);
            Ok(())
        })?;
        Ok(answers)
    }

    /// The mean answer for each training row of the trees that did not draw it, and for which rows
    /// there is such a tree.
    pub(super) fn out_of_bag(
        &self,
        rows: ArrayView2<'_, f64>,
        drawing: &Drawing,
        run: &Run,
    ) -> Result<(Array2<f64>, Vec<usize>)> {
        let n_rows = rows.nrows();
        let n_drawn = drawing.n_drawn(n_rows)?;
        let width = self.trees[0].width;
        let numbers: Vec<usize> = (0..self.trees.len()).collect();
        // A bit for each row that a tree did not draw.
        let left_out = parallel::map(&numbers, run, |&number| {
            let mut bits = vec![0u64; n_rows.div_ceil(64)];
            if let (Some(counts), _) = drawing.bag(number, n_rows, n_drawn) {
                for (row, _) in counts
                    .iter()
                    .enumerate()
                    .filter(|(_, count)| **count == 0.0)
                {
                    bits[row / 64] |= 1 << (row % 64);
                }
            }
            Ok(bits)
        })?;
        // The last number of each row counts its trees.
        let mut sums: Array2<f64> = Array2::zeros((n_rows, width + 1));
        let output = sums.as_slice_mut().expect("sums are contiguous");
        parallel::fill(output, width + 1, BLOCK, run, |range, sums| {
            for (tree, bits) in self.trees.iter().zip(&left_out) {
                for (row, sum) in range.clone().zip(sums.chunks_mut(width + 1)) {
                    if bits[row / 64] >> (row % 64) & 1 == 0 {
                        continue;
                    }
                    let row = rows.row(row);
                    let row = row.to_slice().expect("rows are contiguous");
                    for (sum, value) in sum.iter_mut().zip(tree.value(tree.leaf(row))) {
                        *sum += value;
                    }
                    sum[width] += 1.0;
                }
            }
            Ok(())
        })?;
        let judged: Vec<usize> = (0..n_rows)
            .filter(|&row| sums[[row, width]] > 0.0)
            .collect();
        let answers = Array2::from_shape_fn((judged.len(), width), |(place, column)| {
            sums[[judged[place], column]] / sums[[judged[place], width]]
        });
        Ok((answers, judged))
    }

    pub(super) fn validate(&self, width: usize) -> Result<()> {
        ensure_consistent(!self.trees.is_empty() && !self.importances.is_empty())?;
        for tree in &self.trees {
            tree.validate(self.importances.len(), width)?;
        }
        Ok(())
    }
}
