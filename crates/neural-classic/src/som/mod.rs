//! Kohonen's self-organising map: a grid of nodes that unfolds over the data.
//!
//! A fit starts the nodes (`start`), lets them follow the rows all at once (`batch`) or one by one
//! (`online`) while neighbourhood and rate fade (`schedule`), and judges the map (`quality`).

mod batch;
mod grid;
mod map;
mod model;
mod online;
mod quality;
mod schedule;
mod start;

pub use grid::{Grid, Topology};
use map::{Map, bring_to_length_one};
pub use model::SomModel;
pub use schedule::{Decay, Neighbourhood};

use crate::scale::{in_unit, unit_of};
use didact_core::{Error, Fit, Result, Run, Samples, StopReason, TraceWriter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Unfolds a grid of nodes over the rows, so that neighbours on the grid are neighbours in the data.
///
/// Each node k has a weight vector wᵏ. A row x has a winner, the node i with the nearest weights,
/// and draws every node towards itself from where that node stands, as much as the node is a
/// neighbour of the winner on the grid:
///
/// wᵏ ← wᵏ + η·h(k, i)·(x − wᵏ), with h = exp(−r²/2σ²) for the grid distance r of k and i.
///
/// The width σ and the rate η shrink over the `epochs`. The batch form lets all rows draw at once,
/// wᵏ ← Σₓ h(k, i(x))·x / Σₓ h(k, i(x)); it needs no rate and does not depend on the order of rows.
///
/// The model assigns each row to its winner and transforms a row to the winner's place on the
/// grid: the map is a dimension reduction, and its picture is the grid. The inverse gives the
/// weights of the node nearest to a place, so there and back is quantisation. `quantization_error`
/// is the mean distance of rows to their winners, `topographic_error` the share of rows whose two
/// nearest nodes do not touch on the grid.
///
/// ```
/// use didact_core::{Fit, Transform};
/// use didact_neural_classic::Som;
/// let iris = didact_datasets::iris();
/// let model = Som::default().fit(iris.samples())?;
/// assert!(model.quantization_error() < 0.4 && model.topographic_error() < 0.2);
/// let places = model.transform(iris.samples())?.into_dense();
/// assert_eq!(places.dim(), (150, 2));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "SOM")]
pub struct Som {
    /// Rows of the grid; one makes a line.
    #[schemars(range(min = 1, max = 1000))]
    pub grid_rows: usize,
    /// Columns of the grid.
    #[schemars(range(min = 1, max = 1000))]
    pub grid_columns: usize,
    /// How the nodes are joined.
    pub topology: Topology,
    /// Whether rows draw the nodes all at once or one by one.
    pub training: SomTraining,
    /// Passes over the rows in which width and rate shrink to their last values.
    #[schemars(range(min = 1))]
    pub epochs: usize,
    /// Stop after this many passes even where the schedule goes on: to watch the map unfold.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// How much neighbours follow the winner.
    pub neighbourhood: Neighbourhood,
    /// First width σ of the neighbourhood, in steps on the grid; null is half of the longer side.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub sigma: Option<f64>,
    /// Last width of the neighbourhood.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub final_sigma: f64,
    /// First rate η of learning row by row.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub learning_rate: f64,
    /// Last rate of learning row by row.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub final_learning_rate: f64,
    /// How width and rate fall.
    pub decay: Decay,
    /// What makes a node win.
    pub winner: Winner,
    /// Whether rows and weights are brought to length one, so that only directions count.
    pub normalise: bool,
    /// How the weights start.
    pub init: SomInit,
    /// The first weights themselves, one list per node, row by row; replaces `init`.
    pub init_weights: Option<Vec<Vec<f64>>>,
    /// In which order rows are learned one by one.
    pub order: PresentationOrder,
    /// How many rows are collected before they are drawn at random, where the order is buffered.
    #[schemars(range(min = 1))]
    pub buffer: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

/// Whether rows draw the nodes all at once or one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SomTraining {
    /// All at once in every pass: each node moves to the mean of the rows around it.
    #[default]
    Batch,
    /// One by one: each row draws the nodes a little.
    Online,
}

/// What makes a node win a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Winner {
    /// The smallest distance ‖x − w‖.
    #[default]
    Distance,
    /// The largest product w·x; the same where all weights have the same length, else the longest
    /// weights win too often.
    DotProduct,
}

/// How the weights of a map start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SomInit {
    /// Spread over the plane of the two directions in which the rows vary most.
    #[default]
    Plane,
    /// Rows drawn at random.
    Rows,
    /// Random points within the ranges of the columns.
    Random,
}

/// In which order rows are learned one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PresentationOrder {
    /// A new random order in every pass.
    #[default]
    Random,
    /// As they come: a map that is shown one corner of the data after the other clumps.
    Sequential,
    /// As they come, but `buffer` rows are collected and drawn at random.
    Buffered,
}

impl Default for Som {
    fn default() -> Self {
        Som {
            grid_rows: 6,
            grid_columns: 6,
            topology: Topology::Rectangular,
            training: SomTraining::Batch,
            epochs: 20,
            max_iter: 1000,
            neighbourhood: Neighbourhood::Gaussian,
            sigma: None,
            final_sigma: 0.5,
            learning_rate: 0.5,
            final_learning_rate: 0.01,
            decay: Decay::Exponential,
            winner: Winner::Distance,
            normalise: false,
            init: SomInit::Plane,
            init_weights: None,
            order: PresentationOrder::Random,
            buffer: 256,
            random_state: 0,
        }
    }
}

/// Every node looks at every other in every pass.
const MOST_NODES: usize = 10_000;

impl Fit<Samples<'_>> for Som {
    type Model = SomModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<SomModel> {
        let n_nodes = self.grid_rows * self.grid_columns;
        if n_nodes > MOST_NODES {
            return Err(Error::parameter(
                "grid_rows",
                self.grid_rows,
                format!(
                    "with {} columns that makes {n_nodes} nodes; ask for at most {MOST_NODES}",
                    self.grid_columns
                ),
            ));
        }
        let grid = Grid::new(self.grid_rows, self.grid_columns, self.topology);
        let rows = data.dense()?;
        let unit = unit_of(rows);
        let mut rows = in_unit(rows, unit);
        if self.normalise {
            rows = rows.into_owned().into();
            bring_to_length_one(&mut rows);
        }
        let mut map = Map {
            weights: start::weights(self, &grid, rows.view(), unit, run)?,
            grid,
            neighbourhood: self.neighbourhood,
            winner: self.winner,
            normalise: self.normalise,
        };
        let limit = self.epochs.min(self.max_iter);
        let mut trace = TraceWriter::new(run, "quantisation error", Some(limit));
        for epoch in 0..limit {
            let error = match self.training {
                SomTraining::Batch => batch::pass(self, &mut map, rows.view(), epoch, run)?,
                SomTraining::Online => online::pass(self, &mut map, rows.view(), epoch, run)?,
            };
            trace.record(error)?;
        }
        let trace = trace.finish(match limit < self.epochs {
            true => StopReason::IterationLimit,
            false => StopReason::Converged,
        });
        let quality = quality::judge(&map, rows.view(), run)?;
        SomModel::new(map, quality, unit, trace)
    }
}

impl Som {
    /// The width σ when the share `progress` of the schedule has passed.
    fn sigma_at(&self, grid: &Grid, progress: f64) -> f64 {
        let first = self.sigma.unwrap_or_else(|| grid.radius());
        self.decay.at(first, self.final_sigma, progress)
    }

    /// The rate η when the share `progress` of the schedule has passed.
    fn rate_at(&self, progress: f64) -> f64 {
        self.decay
            .at(self.learning_rate, self.final_learning_rate, progress)
    }
}
