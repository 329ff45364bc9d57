//! Kernel k-means: k-means in the space of a kernel.

mod iterate;
mod model;

pub use model::KernelKMeansModel;

use crate::hierarchy::check_pairs_fit;
use didact_core::random::generator;
use didact_core::{Accepts, Error, Fit, Result, Run, Samples};
use didact_math::kernel::{Gamma, KernelChoice, kernel_matrix_self};
use iterate::{Found, Gram};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Runs k-means in the space of a kernel, where clusters of any shape may lie apart.
///
/// The squared distance of a row to the mean of cluster Cₖ there is
/// κ(x,x) − 2/mₖ·Σⱼκ(x,xⱼ) + 1/mₖ²·ΣΣκ(xᵢ,xⱼ) over its mₖ members: no mean is ever written down.
/// Their sum J never rises for kernels that are positive semidefinite. Each iteration takes time
/// quadratic in the rows, as does the memory for the kernel of all pairs. The result is a local
/// optimum; `n_init` starts give a better one. With the linear kernel it is k-means, step by step.
///
/// ```
/// use didact_cluster::KernelKMeans;
/// use didact_core::{Fit, Samples};
/// use didact_math::kernel::Gamma;
/// let x = ndarray::array![[0.0], [0.5], [5.0], [5.5]];
/// let model = KernelKMeans { n_clusters: 2, gamma: Gamma::Value(0.1), ..KernelKMeans::default() }
///     .fit(Samples::from(&x))?;
/// assert_eq!(model.labels()[0], model.labels()[1]);
/// assert_ne!(model.labels()[0], model.labels()[2]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KernelKMeans {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// The first cluster of each row; replaces the random starts.
    pub init_labels: Option<Vec<usize>>,
    /// How many starts to try; the one with the smallest objective wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Most iterations of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when the objective falls by no more than this share; zero waits until no row changes.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for KernelKMeans {
    fn default() -> Self {
        KernelKMeans {
            n_clusters: 3,
            kernel: KernelChoice::default(),
            gamma: Gamma::Scale,
            degree: 3,
            coef0: 0.0,
            init_labels: None,
            n_init: 4,
            max_iter: 300,
            tol: 0.0,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for KernelKMeans {
    type Model = KernelKMeansModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<KernelKMeansModel> {
        let counting: Vec<usize> = (0..data.n_rows())
            .filter(|&row| data.weight(row) > 0.0)
            .collect();
        if self.n_clusters > counting.len() {
            return Err(Error::parameter(
                "n_clusters",
                self.n_clusters,
                format!(
                    "there are only {} rows; ask for at most that many",
                    counting.len()
                ),
            ));
        }
        let taught = data.select(&counting);
        check_pairs_fit(counting.len())?;
        let kernel = self
            .kernel
            .resolve(self.gamma, self.degree, self.coef0, &taught)?;
        let gram = Gram::new(
            kernel_matrix_self(taught.rows(), &kernel, run)?,
            counting.iter().map(|&row| data.weight(row)).collect(),
        )?;
        let best = self.best(&gram, &counting, data.n_rows(), run)?;
        KernelKMeansModel::new(kernel, &data, &taught, best, run)
    }
}

impl KernelKMeans {
    /// The start that ends lowest.
    fn best(&self, gram: &Gram, counting: &[usize], n_rows: usize, run: &Run) -> Result<Found> {
        if let Some(labels) = &self.init_labels {
            self.check_labels(labels, n_rows)?;
            let labels = counting.iter().map(|&row| labels[row]).collect();
            return iterate::improve(self, gram, labels, run);
        }
        let mut best: Option<Found> = None;
        for restart in 0..self.n_init {
            let mut generator = generator(self.random_state, restart as u64);
            let labels = gram.seeded(self.n_clusters, &mut generator, run)?;
            let found = iterate::improve(self, gram, labels, run)?;
            if best
                .as_ref()
                .is_none_or(|best| found.objective < best.objective)
            {
                best = Some(found);
            }
        }
        Ok(best.expect("there is at least one start"))
    }

    fn check_labels(&self, labels: &[usize], n_rows: usize) -> Result<()> {
        if labels.len() != n_rows {
            return Err(Error::parameter(
                "init_labels",
                format!("a list of {}", labels.len()),
                format!("there are {n_rows} rows; give one label for each"),
            ));
        }
        match labels.iter().find(|&&label| label >= self.n_clusters) {
            None => Ok(()),
            Some(label) => Err(Error::parameter(
                "init_labels",
                label,
                format!("n_clusters is {}; labels must be below it", self.n_clusters),
            )),
        }
    }
}
