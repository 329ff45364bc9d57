//! A process cut into blocks: what is left of it when far rows are taken to have nothing in
//! common.

use crate::blocks::by_blocks;
use crate::covariance::Covariance;
use crate::factor::Factored;
use crate::observations::Observations;
use didact_core::abilities::check_rows;
use didact_core::{Error, Features, FitData, Measured, Result, Rows, Run, parallel};
use didact_math::linalg::{matmul, pseudo_solve};
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// Gaussian process regression with a covariance matrix of blocks.
///
/// The rows that are closer to a centre c than the covariance δ, k(x, c)/k(c, c) > δ, make a
/// block; a row may be in several, and a row that is in none joins that of its nearest centre.
/// The inverse of a block-diagonal matrix is the block-diagonal of the inverses, so that
/// α = (K + σ²I)⁻¹y is found block by block and the prediction is Σ k(x, X)·α over the blocks.
/// This costs the sum of the cubes of the sizes of the blocks instead of the cube of the sum.
///
/// One block, or blocks that are far apart, are the full process. As blocks shrink, the
/// prediction turns from that of the process into that of a mixture of local regressions; the
/// statistics of each block are those of such a mixture.
///
/// ```
/// use didact_core::{Measured, Rows, Run};
/// use didact_gaussian_process::{BlockProcess, Covariance, CovarianceShape};
/// use ndarray::array;
/// let method = BlockProcess::new(Covariance::new(CovarianceShape::Rbf, 1.0, array![0.5])?);
/// let (x, y) = (array![[0.0], [0.4], [9.0]], [1.0, 2.0, -3.0]);
/// let centers = array![[0.2], [9.0]];
/// let model = method.fit(&Measured::new(&x, &y)?, centers.view(), &Run::new())?;
/// assert_eq!(model.blocks().len(), 2);
/// assert!((model.predict(Rows::Dense(x.view()))?[[1, 0]] - 2.0).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BlockProcess {
    /// The covariance function.
    pub covariance: Covariance,
    /// The variance σ² of the noise.
    pub noise: f64,
    /// The share δ of the variance below which a covariance counts as none.
    pub threshold: f64,
    /// Whether a row that is in q blocks counts 1/q in each; without it such a row counts q
    /// times, as in the text that this follows.
    pub share_overlaps: bool,
    /// Whether the targets of every block lose their mean first, which is added back.
    pub center: bool,
}

/// One block: its rows, and what a mixture of local regressions would know of them.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessBlock {
    /// The training rows of the block.
    pub members: Vec<usize>,
    /// Their mean.
    pub mean_x: Array1<f64>,
    /// The mean of their targets.
    pub mean_y: Array1<f64>,
    /// The covariance Σ_xx of their columns, with divisor n.
    pub covariance_xx: Array2<f64>,
    /// The covariance Σ_xy of their columns with their targets.
    pub covariance_xy: Array2<f64>,
    rows: Array2<f64>,
    alpha: Array2<f64>,
    offset: Array1<f64>,
}

/// A process of blocks after the data.
#[derive(Clone, Debug)]
pub struct BlockProcessModel {
    covariance: Covariance,
    n_features: usize,
    blocks: Vec<ProcessBlock>,
    dropped: f64,
}

impl BlockProcess {
    /// Blocks of this covariance, without noise, with half of the variance as threshold.
    pub fn new(covariance: Covariance) -> Self {
        BlockProcess {
            covariance,
            noise: 0.0,
            threshold: 0.5,
            share_overlaps: false,
            center: false,
        }
    }

    /// Learns from rows and targets with the given centres, a row each.
    pub fn fit(
        &self,
        data: &Measured<'_>,
        centers: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<BlockProcessModel> {
        data.check(didact_core::Accepts::MULTI_OUTPUT)?;
        let observations = Observations::new(data)?;
        self.check(&observations, centers)?;
        let lists = self.members(&observations, centers, run)?;
        let mut shares = vec![0.0; observations.n_rows()];
        lists.iter().flatten().for_each(|&row| shares[row] += 1.0);
        let blocks = parallel::map(&lists, run, |members| {
            self.block(&observations, members.clone(), &shares, run)
        })?;
        Ok(BlockProcessModel {
            dropped: self.dropped(&observations, &lists, run)?,
            covariance: self.covariance.clone(),
            n_features: observations.rows.ncols(),
            blocks,
        })
    }

    fn check(&self, observations: &Observations, centers: ArrayView2<'_, f64>) -> Result<()> {
        if !(self.noise >= 0.0 && self.noise.is_finite()) {
            let right = "it must be at least 0 and finite";
            return Err(Error::parameter("noise", self.noise, right));
        }
        if !(self.threshold >= 0.0 && self.threshold < 1.0) {
            let right = "it must be at least 0 and less than 1";
            return Err(Error::parameter("threshold", self.threshold, right));
        }
        let width = observations.rows.ncols();
        if centers.nrows() == 0 || centers.ncols() != width {
            return Err(Error::data(format!(
                "there are {} centres with {} columns; give at least one, with the {width} \
                 columns of the rows",
                centers.nrows(),
                centers.ncols()
            )));
        }
        self.covariance.validate(width).map_err(|_| {
            Error::parameter(
                "length_scale",
                "of another length",
                "give one, or one per column",
            )
        })
    }

    /// The rows of each centre, without centres that have none.
    fn members(
        &self,
        observations: &Observations,
        centers: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<Vec<usize>>> {
        let near = self
            .covariance
            .cross(observations.rows.view(), centers, run)?;
        let own = self.covariance.diagonal(centers);
        let mut lists = vec![Vec::new(); centers.nrows()];
        for (row, covariances) in near.rows().into_iter().enumerate() {
            let shares = || covariances.iter().zip(&own).map(|(k, own)| k / own);
            let mut is_in_one = false;
            for (center, share) in shares().enumerate() {
                if share > self.threshold {
                    lists[center].push(row);
                    is_in_one = true;
                }
            }
            if !is_in_one {
                let nearest = didact_math::numeric::argmax(shares()).unwrap_or(0);
                lists[nearest].push(row);
            }
        }
        lists.retain(|list| !list.is_empty());
        Ok(lists)
    }

    fn block(
        &self,
        observations: &Observations,
        members: Vec<usize>,
        shares: &[f64],
        run: &Run,
    ) -> Result<ProcessBlock> {
        let rows = observations.rows.select(Axis(0), &members);
        let targets = observations.targets.select(Axis(0), &members);
        let n = members.len() as f64;
        let (mean_x, mean_y) = (rows.sum_axis(Axis(0)) / n, targets.sum_axis(Axis(0)) / n);
        let (centred_x, centred_y) = (&rows - &mean_x, &targets - &mean_y);
        let offset = match self.center {
            true => mean_y.clone(),
            false => Array1::zeros(mean_y.len()),
        };
        let mut matrix = self.covariance.matrix(rows.view(), run)?;
        matrix.diag_mut().mapv_inplace(|value| value + self.noise);
        let mut alpha = Factored::of(&matrix, run)?
            .factor
            .solve((&targets - &offset).view());
        if self.share_overlaps {
            for (mut alpha, &row) in alpha.rows_mut().into_iter().zip(&members) {
                alpha /= shares[row];
            }
        }
        Ok(ProcessBlock {
            covariance_xx: matmul(centred_x.t(), centred_x.view()) / n,
            covariance_xy: matmul(centred_x.t(), centred_y.view()) / n,
            members,
            mean_x,
            mean_y,
            rows,
            alpha,
            offset,
        })
    }

    /// The share of the sum of |covariances| that lies outside the blocks.
    fn dropped(&self, observations: &Observations, lists: &[Vec<usize>], run: &Run) -> Result<f64> {
        let matrix = self.covariance.matrix(observations.rows.view(), run)?;
        let total: f64 = matrix.iter().map(|value| value.abs()).sum();
        let mut kept = matrix;
        let mut inside = 0.0;
        for list in lists {
            for &row in list {
                for &column in list {
                    // Taken out once, however many blocks hold the pair.
                    inside += std::mem::take(&mut kept[[row, column]]).abs();
                }
            }
        }
        Ok(((total - inside) / total).max(0.0))
    }
}

impl Features for BlockProcessModel {
    fn n_features(&self) -> usize {
        self.n_features
    }
}

impl BlockProcessModel {
    /// The blocks, in the order of their centres.
    pub fn blocks(&self) -> &[ProcessBlock] {
        &self.blocks
    }

    /// Which share of the sum of |covariances| of all pairs of rows the blocks leave out: how far
    /// this is from the full process.
    pub fn dropped(&self) -> f64 {
        self.dropped
    }

    /// The sum of the predictions of the blocks, a column per target.
    ///
    /// Where targets were centred, the mean that is added back is that of the block that has
    /// most to say: whose rows are closest in covariance.
    pub fn predict(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        check_rows(self, rows.reborrow())?;
        let x = rows.to_dense();
        let n_targets = self.blocks[0].alpha.ncols();
        let run = Run::new();
        by_blocks(x.view(), n_targets, &run, |part| {
            let mut sum = Array2::zeros((part.nrows(), n_targets));
            let mut best = vec![(f64::NEG_INFINITY, 0); part.nrows()];
            for (index, block) in self.blocks.iter().enumerate() {
                let cross = self.covariance.cross(part, block.rows.view(), &run)?;
                sum += &matmul(cross.view(), block.alpha.view());
                for (best, row) in best.iter_mut().zip(cross.rows()) {
                    let nearest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    if nearest > best.0 {
                        *best = (nearest, index);
                    }
                }
            }
            for (mut sum, (_, index)) in sum.rows_mut().into_iter().zip(best) {
                sum += &self.blocks[index].offset;
            }
            Ok(sum)
        })
    }
}

impl ProcessBlock {
    /// The local regression of a mixture component, μ_y + Σ_yx·Σ_xx⁺·(x − μ_x), a column per
    /// target.
    ///
    /// # Panics
    /// When the rows have another number of columns than the block.
    pub fn local_regression(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let solved = pseudo_solve(self.covariance_xx.view(), self.covariance_xy.view(), None)?;
        let centred = &rows - &self.mean_x;
        Ok(matmul(centred.view(), solved.solution.view()) + &self.mean_y)
    }
}
