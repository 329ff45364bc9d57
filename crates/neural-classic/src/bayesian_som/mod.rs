//! The Bayesian map: a mixture that organises itself on a grid.

mod gaussian;
mod mixture;

pub use gaussian::GaussianNode;
pub use mixture::{NodeLaw, OrganisingMixture};

use crate::som::{Grid, Som, Topology};
use didact_core::random::generator;
use didact_core::{Error, Fit, Result, Rows, Run, Samples, StopReason, Trace, TraceWriter};
use didact_math::linalg::Moments;
use ndarray::{Array2, ArrayView2};
use rand::seq::SliceRandom;

/// Learns a mixture of Gaussians row by row, with nodes on a grid that only update near the
/// winner.
///
/// A node i has a prior Pᵢ, a mean mᵢ and a covariance Σᵢ. For a row x the winner has the largest
/// posterior, and with the posterior P̂ within its neighbourhood, and rates α(n) = (n + n₀)^(−power):
///
/// mᵢ += α·P̂(i|x)·(x − mᵢ), Σᵢ += α·P̂(i|x)·[(x − mᵢ)(x − mᵢ)ᵀ − Σᵢ], Pᵢ += α·[P̂(i|x) − Pᵢ].
///
/// With all nodes in the neighbourhood this is stochastic expectation maximisation. Means start on
/// a self-organising map of a few passes, covariances at that of the data, priors equal.
///
/// ```
/// use didact_core::Run;
/// use didact_neural_classic::BayesianSom;
/// let iris = didact_datasets::iris();
/// let map = BayesianSom { grid_rows: 1, grid_columns: 3, ..BayesianSom::default() };
/// let (mixture, trace) = map.fit(iris.features(), &Run::new())?;
/// assert!((mixture.priors().iter().sum::<f64>() - 1.0).abs() < 1e-9);
/// // The mean log-likelihood of a row.
/// assert!(*trace.objectives.last().unwrap() > -1.8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BayesianSom {
    /// Rows of the grid.
    pub grid_rows: usize,
    /// Columns of the grid.
    pub grid_columns: usize,
    /// Nodes within this grid distance of the winner learn; nothing lets all learn.
    pub reach: Option<f64>,
    /// Passes over the rows.
    pub epochs: usize,
    /// The number n₀ that is added to the number of rows seen: larger makes the first steps smaller.
    pub offset: f64,
    /// How fast the rate falls: above ½ and at most 1, so that its sum diverges and that of its
    /// squares does not.
    pub power: f64,
    /// No covariance falls below this share of the mean variance of the columns.
    pub floor: f64,
    /// Seed of the order of rows.
    pub random_state: u64,
}

impl Default for BayesianSom {
    fn default() -> Self {
        BayesianSom {
            grid_rows: 1,
            grid_columns: 4,
            reach: None,
            epochs: 20,
            offset: 30.0,
            power: 0.7,
            floor: 1e-6,
            random_state: 0,
        }
    }
}

impl BayesianSom {
    /// Learns from rows; gives the mixture and the mean log-likelihood of the rows after every pass.
    pub fn fit(
        &self,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(OrganisingMixture<GaussianNode>, Trace)> {
        self.check()?;
        let samples = Samples::from(rows);
        let mut mixture = self.start(&samples, run)?;
        let rows = samples.dense()?;
        let mut trace = TraceWriter::new(run, "mean log-likelihood", Some(self.epochs));
        let mut order: Vec<usize> = (0..rows.nrows()).collect();
        let mut seen = 0.0;
        for epoch in 0..self.epochs {
            order.shuffle(&mut generator(self.random_state, epoch as u64));
            for &row in &order {
                run.check()?;
                let rate = (seen + self.offset).powf(-self.power);
                let row = rows.row(row);
                mixture.learn(row.as_slice().expect("rows are contiguous"), rate)?;
                seen += 1.0;
            }
            trace.record(mixture.mean_log_likelihood(rows)?)?;
        }
        Ok((mixture, trace.finish(StopReason::Converged)))
    }

    fn check(&self) -> Result<()> {
        let fault = |name: &str, value: f64, requirement: &str| {
            Err(Error::parameter(name, value, requirement.to_owned()))
        };
        if self.grid_rows * self.grid_columns == 0 {
            return fault("grid_rows or grid_columns", 0.0, "each must be at least 1");
        }
        if !(self.offset >= 1.0 && self.offset.is_finite()) {
            return fault("offset", self.offset, "it must be at least 1");
        }
        if !(self.power > 0.5 && self.power <= 1.0) {
            return fault("power", self.power, "it must be above 0.5 and at most 1");
        }
        match self.floor > 0.0 && self.floor.is_finite() {
            true => Ok(()),
            false => fault("floor", self.floor, "it must be above 0"),
        }
    }

    /// Means on a self-organising map, covariances of the data, equal priors.
    fn start(&self, samples: &Samples<'_>, run: &Run) -> Result<OrganisingMixture<GaussianNode>> {
        let som = Som {
            grid_rows: self.grid_rows,
            grid_columns: self.grid_columns,
            epochs: 5,
            random_state: self.random_state,
            ..Som::default()
        };
        let map = som.fit_with(samples.view(), &run.quietly())?;
        let moments = Moments::summarise(Rows::Dense(samples.dense()?), None, run)?;
        let mut covariance = moments.scatter / moments.weight;
        let mean_variance = covariance.diag().mean().unwrap_or(0.0);
        // Constant rows have no variance to take a share of.
        let scale = if mean_variance > 0.0 {
            mean_variance
        } else {
            1.0
        };
        let floor = self.floor * scale;
        covariance += &(Array2::<f64>::eye(covariance.nrows()) * floor);
        let nodes = map
            .weights()
            .rows()
            .into_iter()
            .map(|mean| GaussianNode::new(mean.to_vec(), covariance.clone(), floor))
            .collect::<Result<Vec<_>>>()?;
        let grid = Grid::new(self.grid_rows, self.grid_columns, Topology::Rectangular);
        OrganisingMixture::new(nodes, grid, self.reach)
    }
}
