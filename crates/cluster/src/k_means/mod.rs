//! k-means: the rows partitioned around centres.
//!
//! A fit sketches the rows ([`crate::RowSketch`]), draws starts from the sketch (`start`) and
//! improves each by Lloyd's alternation (`lloyd`) on prepared rows (`prepare`), where the nearest
//! centre of a row is found directly or through bounds that spare most distances (`bounds`).

mod bounds;
mod empty;
mod lloyd;
mod model;
mod pieces;
mod prepare;
mod start;
mod sums;

pub(crate) use lloyd::{Fitted, assess};
pub use model::KMeansModel;
pub use pieces::{KMeansState, KMeansSummary};
pub(crate) use prepare::{ColumnRanges, shifted_rows};
pub(crate) use sums::ClusterSums;

use crate::sketch::distinct_sample;
use didact_core::{Accepts, Error, Fit, Result, Rows, Run, Samples};
use ndarray::Array2;
use prepare::Prepared;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Partitions the rows into groups around centres, each row with its nearest.
///
/// Minimises the inertia Σᵢ minⱼ‖xᵢ − μⱼ‖² (no ½, no 1/n) by Lloyd's alternation: every row goes
/// to its nearest centre, the lowest where several are equally near, then every centre moves to
/// the mean of its rows. The inertia never rises, and the method stops when no row changes its
/// cluster or the centres move less than `tol`. That is a local optimum; `n_init` starts give a
/// better one. A cluster that loses all its rows is seeded again at the row farthest from its
/// centre; the model counts that in `n_reseeded`.
///
/// Starts are drawn from a sample of at most max(4096, 50·k) distinct rows.
///
/// ```
/// use didact_cluster::KMeans;
/// use didact_core::{Assign, Fit};
/// let iris = didact_datasets::iris();
/// let model = KMeans { n_clusters: 3, ..KMeans::default() }.fit(iris.samples())?;
/// assert!(model.inertia() < 79.0);
/// let labels = model.predict(iris.samples())?;
/// assert_eq!(labels[0], labels[49]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KMeans {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// How the first centres are chosen.
    pub init: KMeansInit,
    /// The first centres themselves, one list per cluster; replaces `init` and `n_init`.
    pub init_centers: Option<Vec<Vec<f64>>>,
    /// How many starts to try; the one with the smallest inertia wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Most iterations of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when the squared movement of all centres is at most this times the mean variance of
    /// the columns; zero waits until no row changes its cluster.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// How the nearest centre is found; every choice gives the same model.
    pub algorithm: KMeansAlgorithm,
    /// Seed of everything random.
    pub random_state: u64,
}

/// How k-means chooses its first centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KMeansInit {
    /// Rows drawn one after the other with probability proportional to the squared distance to
    /// those drawn before, the best of 2 + ln k candidates each time.
    #[default]
    #[serde(rename = "k-means++")]
    #[schemars(rename = "k-means++")]
    PlusPlus,
    /// In each of a few rounds about 2k rows drawn at once with probability proportional to the
    /// squared distance to those drawn before (k-means‖); of these, each with the weight of the
    /// rows nearest to it, k by the first rule.
    #[serde(rename = "k-means-parallel")]
    #[schemars(rename = "k-means-parallel")]
    Parallel,
    /// Distinct rows drawn at random.
    Random,
    /// A random row, then always the row farthest from those chosen before.
    FarthestFirst,
    /// The means of the clusters that Ward's agglomeration finds in a sample.
    Hierarchical,
}

/// How k-means finds the nearest centre of each row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KMeansAlgorithm {
    /// Whichever is faster for the shape of the data.
    #[default]
    Auto,
    /// All distances in every iteration.
    Lloyd,
    /// Bounds from the triangle inequality spare most rows; sparse ones use Lloyd.
    Bounds,
}

impl Default for KMeans {
    fn default() -> Self {
        KMeans {
            n_clusters: 8,
            init: KMeansInit::PlusPlus,
            init_centers: None,
            n_init: 1,
            max_iter: 300,
            tol: 1e-4,
            algorithm: KMeansAlgorithm::Auto,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for KMeans {
    type Model = KMeansModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<KMeansModel> {
        let prepared = Prepared::new(&data, run)?;
        let starts = self.first_centers(&data, run)?;
        let mut best: Option<Fitted> = None;
        for centers in starts {
            let fitted = lloyd::improve(self, &prepared, &data, centers, run)?;
            if best
                .as_ref()
                .is_none_or(|best| fitted.inertia < best.inertia)
            {
                best = Some(fitted);
            }
        }
        let best = best.expect("there is at least one start");
        Ok(KMeansModel::new(best))
    }
}

impl KMeans {
    /// How many distinct rows the starts are drawn from.
    pub(crate) fn sketch_capacity(&self) -> usize {
        self.n_clusters.saturating_mul(50).max(4096)
    }

    /// The first centres of every restart.
    pub(crate) fn first_centers(&self, data: &Samples<'_>, run: &Run) -> Result<Vec<Array2<f64>>> {
        let capacity = self.sketch_capacity();
        if self.init_centers.is_some() && capacity < data.n_rows() {
            // Nothing is drawn; that there are enough distinct rows mostly shows in the first ones.
            let first = data.slice(0..capacity);
            let (sample, weights) = distinct_sample(&first, capacity, self.random_state, run)?;
            if weights.len() >= self.n_clusters {
                return self.starts(sample.view(), &weights, run);
            }
        }
        let (sample, weights) = distinct_sample(data, capacity, self.random_state, run)?;
        self.starts(sample.view(), &weights, run)
    }

    /// The first centres of every restart, from a sample of distinct rows.
    fn starts(&self, rows: Rows<'_>, weights: &[f64], run: &Run) -> Result<Vec<Array2<f64>>> {
        if rows.n_rows() < self.n_clusters {
            let distinct = rows.n_rows();
            return Err(Error::parameter(
                "n_clusters",
                self.n_clusters,
                format!("there are only {distinct} distinct rows; ask for at most {distinct}"),
            ));
        }
        if let Some(centers) = &self.init_centers {
            return Ok(vec![start::given(
                centers,
                self.n_clusters,
                rows.n_columns(),
            )?]);
        }
        (0..self.n_init)
            .map(|restart| start::draw(self, rows, weights, restart as u64, run))
            .collect()
    }
}
