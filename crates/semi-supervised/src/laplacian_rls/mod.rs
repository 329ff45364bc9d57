//! Manifold regularisation: a function of a kernel that is smooth where the rows are.

mod expansion;
mod model;

pub use expansion::SmoothExpansion;
pub use model::LaplacianRlsModel;

use crate::known::{Known, all_known};
use crate::propagation::{GraphKernel, Joining};
use didact_core::{Error, Fit, Labelled, PartlyLabelled, Result, Run, present_classes};
use didact_math::kernel::{Gamma, KernelChoice, kernel_matrix_self};
use didact_math::linalg::rows_times;
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// With more rows the kernel of all pairs would take more than three gigabytes.
const MOST: usize = 20_000;

/// Separates classes by a function of a kernel that varies little along a graph of near rows.
///
/// Of each class it seeks g(x) = Σᵢaᵢk(xᵢ, x) over all rows, labelled or not, that minimises
/// fᵀLf + (λ₁/2)‖g‖² + (λ₂/2)·Σ(f − y)², where f are the values at the rows, L is the Laplacian of the
/// graph, ‖g‖² = aᵀKa, and y is one for rows of the class, minus one for those of others; the last sum
/// is over the rows whose class is known. That is (2LK + λ₁I + λ₂JK)·a = λ₂Jy. Unlike propagation it
/// gives a function of the whole space. It has no intercept: far from all rows a kernel that decays
/// says nothing.
///
/// ```
/// use didact_core::{Classify, Fit, PartialLabels, PartlyLabelled};
/// use didact_semi_supervised::LaplacianRls;
/// let x = ndarray::array![[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]];
/// let labels = PartialLabels::from_names([Some("a"), None, None, None, None, Some("b")]);
/// let model = LaplacianRls { n_neighbors: 2, ..Default::default() }
///     .fit(PartlyLabelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&ndarray::array![[3.0], [9.0]])?, [0, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LaplacianRLS")]
pub struct LaplacianRls {
    /// How alike two rows are in the function that is learned.
    pub kernel: KernelChoice,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// Which rows are joined in the graph.
    pub affinity: GraphKernel,
    /// How many nearest rows each is joined to.
    #[schemars(range(min = 1))]
    pub n_neighbors: usize,
    /// The rate γ of the weight exp(−γ‖x−y‖²) of an edge; null gives neighbours a weight of one,
    /// and `rbf` the inverse of twice the median squared distance to the nearest rows.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub edge_gamma: Option<f64>,
    /// The price λ₁ of the squared norm of the function.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub norm_weight: f64,
    /// The price λ₂ of the squared errors at the known classes.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub label_weight: f64,
}

impl Default for LaplacianRls {
    fn default() -> Self {
        LaplacianRls {
            kernel: KernelChoice::default(),
            degree: 3,
            gamma: Gamma::Scale,
            coef0: 0.0,
            affinity: GraphKernel::Knn,
            n_neighbors: 7,
            edge_gamma: None,
            norm_weight: 0.01,
            label_weight: 1.0,
        }
    }
}

impl Fit<PartlyLabelled<'_>> for LaplacianRls {
    type Model = LaplacianRlsModel;

    fn learn(&self, data: PartlyLabelled<'_>, run: &Run) -> Result<LaplacianRlsModel> {
        let n = data.samples.n_rows();
        if n > MOST {
            return Err(Error::data(format!(
                "the kernel of all pairs of {n} rows does not fit into memory; give at most {MOST}"
            )));
        }
        let known = Known::of(&data)?;
        let totals: Vec<f64> = known
            .counts()
            .into_iter()
            .map(|count| count as f64)
            .collect();
        present_classes(data.classes, &totals)?;
        let rows = data.samples.rows();
        let joining = Joining {
            kernel: self.affinity,
            n_neighbors: self.n_neighbors,
            gamma: self.edge_gamma,
        };
        let joining = joining.resolved(rows, run)?;
        let graph = joining.graph(rows, run)?;
        let kernel = self
            .kernel
            .resolve(self.gamma, self.degree, self.coef0, &data.samples)?;
        let gram = kernel_matrix_self(rows, &kernel, run)?;
        let is_known: Vec<bool> = known.labels.iter().map(Option::is_some).collect();
        let problem = SmoothExpansion {
            norm_weight: self.norm_weight,
            label_weight: self.label_weight,
        };
        let targets = signs(&known);
        let weights = graph.view();
        let coefficients =
            problem.solve(weights, Some(gram.view()), targets.view(), &is_known, run)?;
        let values = rows_times(
            didact_core::Rows::Dense(gram.view()),
            coefficients.view(),
            run,
        )?;
        LaplacianRlsModel::new(&data, kernel, coefficients, &values)
    }
}

impl Fit<Labelled<'_>> for LaplacianRls {
    type Model = LaplacianRlsModel;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<LaplacianRlsModel> {
        let partly = PartlyLabelled {
            samples: data.samples.view(),
            labels: &all_known(data.labels),
            classes: data.classes,
        };
        self.learn(partly, run)
    }
}

/// One for rows of a class and minus one for those of others: a column per class, or one of the
/// second class where there are two.
fn signs(known: &Known<'_>) -> Array2<f64> {
    let codes = known.one_hot().mapv(|one| 2.0 * one - 1.0);
    match known.n_classes {
        2 => codes.slice(ndarray::s![.., 1..]).to_owned(),
        _ => codes,
    }
}
