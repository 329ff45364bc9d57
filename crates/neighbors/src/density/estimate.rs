//! The estimate itself: weighted rows with a window around each.

use super::tree::{Sum, Tree};
use super::window::DensityKernel;
use crate::norm::Norm;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{Result, Rows, Run, parallel};
use didact_math::distance::pairwise_into;
use didact_math::vectorised::{exponential, vectorised};
use ndarray::{Array2, ArrayView2, Axis, s};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// How the windows around a point are found; the answer is the same up to the tolerances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DensitySearch {
    /// A tree for up to eight columns, else all rows.
    #[default]
    Auto,
    /// Every row is looked at.
    Brute,
    /// A tree of boxes, which counts far rows together.
    KdTree,
}

/// What shapes an estimate besides the rows and the bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shape {
    pub(crate) kernel: DensityKernel,
    pub(crate) norm: Norm,
    pub(crate) algorithm: DensitySearch,
    pub(crate) leaf_size: usize,
    pub(crate) rtol: f64,
    pub(crate) atol: f64,
}

/// Weighted rows with a window around each. Saved without the tree, which is grown again when it
/// is first needed, so that a damaged file cannot hold a wrong one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Estimate {
    shape: Shape,
    bandwidth: f64,
    rows: Array2<f64>,
    weights: Vec<f64>,
    #[serde(skip)]
    tree: OnceLock<Tree>,
}

/// Points that are compared with all rows at once. Matrix products choose the order of their sums
/// by the shape; because every block has the same one, padded where points run out, what is said
/// of a point does not depend on the others.
const BLOCK: usize = 16;

/// Sums are never asked to be better than rounding.
const ROUNDING: f64 = 1e-16;

impl Estimate {
    /// Windows around these rows, none of which has the weight zero.
    pub(crate) fn new(
        shape: Shape,
        bandwidth: f64,
        rows: Array2<f64>,
        weights: Vec<f64>,
        run: &Run,
    ) -> Result<Self> {
        let estimate = Estimate {
            shape,
            bandwidth,
            rows,
            weights,
            tree: OnceLock::new(),
        };
        estimate.norm()?;
        if estimate.uses_tree() {
            estimate.tree(run)?;
        }
        Ok(estimate)
    }

    /// The same windows with another bandwidth.
    pub(crate) fn with_bandwidth(mut self, bandwidth: f64) -> Self {
        self.bandwidth = bandwidth;
        self
    }

    /// Some of the rows with their windows.
    pub(crate) fn select(&self, chosen: &[usize], run: &Run) -> Result<Self> {
        let rows = self.rows.select(Axis(0), chosen);
        let weights = chosen.iter().map(|&row| self.weights[row]).collect();
        Estimate::new(self.shape, self.bandwidth, rows, weights, run)
    }

    /// Σ w·v of a value for each row. An infinity stays one.
    pub(crate) fn weighted_sum(&self, values: &[f64]) -> f64 {
        let pairs = self.weights.iter().zip(values);
        pairs.map(|(weight, value)| weight * value).sum()
    }

    pub(crate) fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    pub(crate) fn rows(&self) -> &Array2<f64> {
        &self.rows
    }

    pub(crate) fn total_weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    fn norm(&self) -> Result<Norm> {
        self.shape.norm.check()?;
        Ok(self.shape.kernel.norm(self.shape.norm))
    }

    fn uses_tree(&self) -> bool {
        match self.shape.algorithm {
            DensitySearch::Auto => self.rows.ncols() <= 8,
            DensitySearch::Brute => false,
            DensitySearch::KdTree => true,
        }
    }

    fn tree(&self, run: &Run) -> Result<&Tree> {
        if let Some(tree) = self.tree.get() {
            return Ok(tree);
        }
        let leaf_size = self.shape.leaf_size;
        let tree = Tree::build(
            self.rows.view(),
            &self.weights,
            self.norm()?,
            leaf_size,
            run,
        )?;
        Ok(self.tree.get_or_init(|| tree))
    }

    /// ln ∫ of one window: density = mean window divided by it.
    pub(crate) fn log_normaliser(&self) -> Result<f64> {
        let d = self.rows.ncols();
        let integral = self.shape.kernel.log_integral(self.norm()?, d);
        Ok(integral + d as f64 * self.bandwidth.ln())
    }

    /// The log-density of each point; −∞ where no window reaches it.
    pub(crate) fn log_density(&self, points: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<f64>> {
        let constant = self.total_weight().ln() + self.log_normaliser()?;
        self.log_sums(points, false, constant, run)
    }

    /// The log-density of each row as the others see it.
    pub(crate) fn leave_one_out(&self, run: &Run) -> Result<Vec<f64>> {
        let mut values = self.log_sums(self.rows.view(), true, self.log_normaliser()?, run)?;
        let total = self.total_weight();
        for (value, weight) in values.iter_mut().zip(&self.weights) {
            // Without any others there is no density at all.
            if *value > f64::NEG_INFINITY {
                *value -= (total - weight).ln();
            }
        }
        Ok(values)
    }

    /// ln Σ w·K around each point, less a constant.
    fn log_sums(
        &self,
        points: ArrayView2<'_, f64>,
        leave_out: bool,
        constant: f64,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let mut values = vec![0.0; points.nrows()];
        if !self.uses_tree() {
            parallel::fill(&mut values, 1, BLOCK, run, |range, piece| {
                let first = leave_out.then_some(range.start);
                self.sum_block(points.slice(s![range, ..]), first, piece, run)?;
                piece.iter_mut().for_each(|value| *value -= constant);
                Ok(())
            })?;
            return Ok(values);
        }
        let tree = self.tree(run)?;
        let rows = self.rows.as_slice().expect("rows are contiguous");
        let planted = tree.with(rows, &self.weights);
        let left_out = leave_out.then(|| tree.to_leave_out());
        let sum = Sum {
            kernel: self.shape.kernel,
            bandwidth: self.bandwidth,
            relative: self.shape.rtol.max(ROUNDING),
            absolute: self.shape.atol * self.log_normaliser()?.exp(),
        };
        parallel::fill(&mut values, 1, 64, run, |range, piece| {
            for (index, value) in range.zip(piece) {
                run.check()?;
                let point = points.row(index);
                let point = point.as_slice().expect("checked rows are contiguous");
                let left_out = left_out.as_ref().map(|rows| rows[index]);
                *value = planted.log_sum(sum, point, left_out) - constant;
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// Looks at every row. With `first`, the points are the rows from there on, each without its
    /// own window.
    fn sum_block(
        &self,
        points: ArrayView2<'_, f64>,
        first: Option<usize>,
        output: &mut [f64],
        run: &Run,
    ) -> Result<()> {
        let (kernel, n) = (self.shape.kernel, self.rows.nrows());
        let metric = self.norm()?.metric();
        let mut block = Array2::zeros((BLOCK, points.ncols()));
        block.slice_mut(s![..points.nrows(), ..]).assign(&points);
        let mut distances = Array2::zeros((BLOCK, n));
        let rows = Rows::Dense(self.rows.view());
        pairwise_into(
            Rows::Dense(block.view()),
            Some(rows),
            metric,
            distances.view_mut(),
            run,
        )?;
        for (index, value) in output.iter_mut().enumerate() {
            run.check()?;
            let mut windows = distances.row_mut(index);
            let windows = windows
                .as_slice_mut()
                .expect("a fresh matrix is contiguous");
            if let Some(first) = first {
                windows[first + index] = f64::INFINITY;
            }
            let shift = match kernel.is_bounded() {
                true => {
                    windows
                        .iter_mut()
                        .for_each(|u| *u = kernel.value(*u / self.bandwidth));
                    0.0
                }
                false => {
                    let nearest = windows.iter().copied().fold(f64::INFINITY, f64::min);
                    let shift = kernel.exponent(nearest / self.bandwidth);
                    if shift == f64::NEG_INFINITY {
                        *value = shift;
                        continue;
                    }
                    let bandwidth = self.bandwidth;
                    vectorised(
                        #[inline(always)]
                        || {
                            for u in windows.iter_mut() {
                                *u = exponential(kernel.exponent(*u / bandwidth) - shift);
                            }
                        },
                    );
                    shift
                }
            };
            let pairs = windows.iter().zip(&self.weights);
            let total: f64 = pairs.map(|(window, weight)| window * weight).sum();
            *value = total.ln() + shift;
        }
        Ok(())
    }

    /// Draws rows: one of the rows by its weight, and a step within its window.
    pub(crate) fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Array2<f64>> {
        let norm = self.norm()?;
        let mut sums = Vec::with_capacity(self.weights.len());
        let mut total = 0.0;
        for weight in &self.weights {
            total += weight;
            sums.push(total);
        }
        let mut drawn = Array2::zeros((n_rows, self.rows.ncols()));
        for mut row in drawn.rows_mut() {
            let place = generator.random::<f64>() * total;
            let center = sums
                .partition_point(|&sum| sum <= place)
                .min(sums.len() - 1);
            let step = row.as_slice_mut().expect("a fresh matrix is contiguous");
            self.shape.kernel.draw(norm, step, generator);
            for (value, center) in step.iter_mut().zip(self.rows.row(center)) {
                *value = center + self.bandwidth * *value;
            }
        }
        Ok(drawn)
    }

    pub(crate) fn validate(&self) -> Result<()> {
        self.norm()?;
        ensure_consistent(
            !self.rows.is_empty()
                && self.rows.is_standard_layout()
                && self.rows.iter().all(|value| value.is_finite())
                && self.weights.len() == self.rows.nrows()
                && self
                    .weights
                    .iter()
                    .all(|&weight| weight > 0.0 && weight.is_finite())
                && self.bandwidth > 0.0
                && self.bandwidth.is_finite()
                && self.shape.rtol >= 0.0
                && self.shape.atol >= 0.0,
        )
    }
}
