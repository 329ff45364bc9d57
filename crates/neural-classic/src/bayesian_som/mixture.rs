//! A mixture of any law whose nodes stand on a grid.

use crate::som::Grid;
use didact_core::{Error, Result};
use didact_math::numeric::{argmax, log_sum_exp};
use ndarray::ArrayView2;

/// What a node of a self-organising mixture must know: how probable a row is, and how to become
/// better at it.
pub trait NodeLaw {
    /// ln p(x | θ).
    fn log_density(&self, row: &[f64]) -> f64;

    /// Moves the parameters along the gradient of ln p(x | θ), or along it in better coordinates:
    /// θ ← θ + step·∂ ln p/∂θ.
    fn climb(&mut self, row: &[f64], step: f64) -> Result<()>;
}

/// A mixture p(x) = Σ Pᵢ·p(x | θᵢ) whose nodes learn near the winner only.
///
/// ```
/// use didact_neural_classic::{GaussianNode, Grid, OrganisingMixture, Topology};
/// use ndarray::array;
/// let node = |mean: f64| GaussianNode::new(vec![mean], array![[1.0]], 1e-6);
/// let grid = Grid::new(1, 2, Topology::Rectangular);
/// let mut mixture = OrganisingMixture::new(vec![node(-1.0)?, node(1.0)?], grid, None)?;
/// assert_eq!(mixture.learn(&[3.0], 0.1)?, 1);
/// assert!(mixture.priors()[1] > 0.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OrganisingMixture<L> {
    nodes: Vec<L>,
    priors: Vec<f64>,
    grid: Grid,
    reach: Option<f64>,
    /// ln Pᵢ + ln p(x | θᵢ), then the posterior within the neighbourhood, of the last row.
    posterior: Vec<f64>,
}

/// Nodes whose step is smaller than this stay.
const NEGLIGIBLE: f64 = 1e-15;

impl<L: NodeLaw> OrganisingMixture<L> {
    /// A mixture with equal priors and a node on every place of the grid; those within `reach` of
    /// the winner learn, or all where it is nothing.
    pub fn new(nodes: Vec<L>, grid: Grid, reach: Option<f64>) -> Result<Self> {
        if nodes.len() != grid.len() || nodes.is_empty() {
            return Err(Error::data(format!(
                "there are {} nodes for {} places of the grid; give one node per place, and at \
                 least one value of each",
                nodes.len(),
                grid.len()
            )));
        }
        if let Some(reach) = reach.filter(|reach| reach.is_nan() || *reach < 0.0) {
            return Err(Error::parameter("reach", reach, "it must be at least 0"));
        }
        Ok(OrganisingMixture {
            priors: vec![1.0 / nodes.len() as f64; nodes.len()],
            posterior: vec![0.0; nodes.len()],
            nodes,
            grid,
            reach,
        })
    }

    /// The nodes.
    pub fn nodes(&self) -> &[L] {
        &self.nodes
    }

    /// The prior of each node; they sum to one.
    pub fn priors(&self) -> &[f64] {
        &self.priors
    }

    /// The logarithms of Pᵢ·p(x | θᵢ).
    fn joint(&self, row: &[f64]) -> Vec<f64> {
        let pairs = self.nodes.iter().zip(&self.priors);
        pairs
            .map(|(node, prior)| prior.ln() + node.log_density(row))
            .collect()
    }

    /// ln p(x).
    pub fn log_density(&self, row: &[f64]) -> f64 {
        log_sum_exp(&self.joint(row))
    }

    /// The mean of ln p(x) over rows.
    pub fn mean_log_likelihood(&self, rows: ArrayView2<'_, f64>) -> Result<f64> {
        let total: f64 = rows
            .rows()
            .into_iter()
            .map(|row| self.log_density(&row.to_vec()))
            .sum();
        let mean = total / rows.nrows() as f64;
        match mean.is_finite() {
            true => Ok(mean),
            false => Err(no_density()),
        }
    }

    /// P(i | x) over all nodes.
    pub fn posterior(&self, row: &[f64]) -> Result<Vec<f64>> {
        let joint = self.joint(row);
        let total = log_sum_exp(&joint);
        match total.is_finite() {
            true => Ok(joint.iter().map(|value| (value - total).exp()).collect()),
            false => Err(no_density()),
        }
    }

    /// The node with the largest posterior, the first where several have it.
    pub fn winner(&self, row: &[f64]) -> Result<usize> {
        argmax(self.joint(row)).ok_or_else(no_density)
    }

    /// Learns from a row with the rate α, above 0 and at most 1; gives the winner.
    pub fn learn(&mut self, row: &[f64], rate: f64) -> Result<usize> {
        if !(rate > 0.0 && rate <= 1.0) {
            return Err(Error::parameter(
                "rate",
                rate,
                "it must be above 0 and at most 1",
            ));
        }
        self.posterior = self.joint(row);
        let winner = argmax(self.posterior.iter().copied()).ok_or_else(no_density)?;
        for node in 0..self.nodes.len() {
            let is_near = self
                .reach
                .is_none_or(|reach| self.grid.distance(node, winner) <= reach + 1e-9);
            if !is_near {
                self.posterior[node] = f64::NEG_INFINITY;
            }
        }
        let total = log_sum_exp(&self.posterior);
        if !total.is_finite() {
            return Err(no_density());
        }
        for (index, value) in self.posterior.iter_mut().enumerate() {
            *value = (*value - total).exp();
            // Nodes outside lose as much of their prior as those inside gain, so the sum stays one.
            self.priors[index] += rate * (*value - self.priors[index]);
            if rate * *value > NEGLIGIBLE {
                self.nodes[index].climb(row, rate * *value)?;
            }
        }
        Ok(winner)
    }
}

fn no_density() -> Error {
    Error::numerical(
        "no node finds a row probable at all; give nodes with larger variances, or rows of values \
         nearer to them",
    )
}
