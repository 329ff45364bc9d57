//! Labels that spread over a graph of near rows.

mod graph;
mod model;
mod near;

pub use graph::{GraphPropagation, LabelConstraint, Propagation};
pub use model::PropagationModel;
pub use near::GraphKernel;
pub(crate) use near::Joining;

use crate::known::{Known, all_known};
use didact_core::{Accepts, Fit, Labelled, PartlyLabelled, Result, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gives rows without a class that of the rows they hang together with; known classes stay.
///
/// The rows become the nodes of a graph with weights S. Of each class the function f is sought that
/// is one where this class is known, zero where another one is, and elsewhere the weighted mean of
/// its neighbours, fⱼ = ΣᵢSⱼᵢfᵢ/ΣᵢSⱼᵢ. It makes fᵀLf least, the variation along the edges, and lies
/// between the labels. With few rows it is found by elimination, with many by conjugate gradients,
/// never by averaging again and again. Rows that no path joins to a label get the shares of the
/// classes among the labels.
///
/// A new row gets the mean of the distributions of the training rows, weighted by the kernel.
///
/// ```
/// use didact_core::{Fit, PartialLabels, PartlyLabelled};
/// use didact_semi_supervised::LabelPropagation;
/// let x = ndarray::array![[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]];
/// let labels = PartialLabels::from_names([Some("low"), None, None, None, None, Some("high")]);
/// let model = LabelPropagation { n_neighbors: 2, ..Default::default() }
///     .fit(PartlyLabelled::new(&x, &labels)?)?;
/// // Classes are sorted: high comes first.
/// assert_eq!(model.transduction(), [1, 1, 1, 0, 0, 0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LabelPropagation {
    /// Which rows are joined.
    pub kernel: GraphKernel,
    /// The rate γ of the weight exp(−γ‖x−y‖²); null gives neighbours a weight of one, and `rbf`
    /// the inverse of twice the median squared distance to the nearest rows.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub gamma: Option<f64>,
    /// How many nearest rows each is joined to; at most half of the other rows are.
    #[schemars(range(min = 1))]
    pub n_neighbors: usize,
    /// Most iterations of conjugate gradients.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The iterations end when no row is farther than this from the mean of its neighbours.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

impl Default for LabelPropagation {
    fn default() -> Self {
        LabelPropagation {
            kernel: GraphKernel::Knn,
            gamma: None,
            n_neighbors: 7,
            max_iter: 10_000,
            tol: 1e-10,
        }
    }
}

/// Gives rows the class of the rows they hang together with; known classes may be doubted.
///
/// As label propagation, but each class function makes ½fᵀLf + (λ/2)·Σ(f − y)² least, the sum over the
/// rows whose class is known: a label pulls at its row like an edge of weight λ, `label_weight`. With
/// large λ it is label propagation; with small λ every row has the shares of the classes. A label
/// that contradicts all its neighbours is outvoted.
///
/// The text's objective has no ½ before fᵀLf, although its update does: for that objective, enter
/// λ/2.
///
/// ```
/// use didact_core::{Fit, PartialLabels, PartlyLabelled};
/// use didact_semi_supervised::LabelSpreading;
/// let x = ndarray::array![[0.0], [1.0], [2.0], [3.0], [4.0]];
/// // The row in the middle is labelled wrongly.
/// let labels = PartialLabels::from_names([Some("a"), Some("a"), Some("b"), Some("a"), Some("a")]);
/// let model = LabelSpreading { n_neighbors: 2, ..Default::default() }
///     .fit(PartlyLabelled::new(&x, &labels)?)?;
/// assert_eq!(model.transduction(), [0; 5]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LabelSpreading {
    /// Which rows are joined.
    pub kernel: GraphKernel,
    /// The rate γ of the weight exp(−γ‖x−y‖²); null gives neighbours a weight of one, and `rbf`
    /// the inverse of twice the median squared distance to the nearest rows.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub gamma: Option<f64>,
    /// How many nearest rows each is joined to; at most half of the other rows are.
    #[schemars(range(min = 1))]
    pub n_neighbors: usize,
    /// How much a known class weighs against the edges: λ of ½fᵀLf + (λ/2)·Σ(f − y)².
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub label_weight: f64,
    /// Most iterations of conjugate gradients.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The iterations end when no row is farther than this from the mean of its neighbours.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

impl Default for LabelSpreading {
    fn default() -> Self {
        LabelSpreading {
            kernel: GraphKernel::Knn,
            gamma: None,
            n_neighbors: 7,
            label_weight: 1.0,
            max_iter: 10_000,
            tol: 1e-10,
        }
    }
}

/// How rows are joined and how their labels spread: what both methods ask for.
struct Request {
    joining: Joining,
    propagation: GraphPropagation,
}

impl Request {
    fn learn(&self, data: &PartlyLabelled<'_>, run: &Run) -> Result<PropagationModel> {
        let known = Known::of(data)?;
        let rows = data.samples.rows();
        let joining = self.joining.resolved(rows, run)?;
        let weights = joining.graph(rows, run)?;
        let found = self
            .propagation
            .solve(weights.view(), known.labels, known.n_classes, run)?;
        let memory = joining.memory(rows, run)?;
        Ok(PropagationModel::new(memory, data.classes.clone(), found))
    }

    fn learn_labelled(&self, data: &Labelled<'_>, run: &Run) -> Result<PropagationModel> {
        let data = PartlyLabelled {
            samples: data.samples.view(),
            labels: &all_known(data.labels),
            classes: data.classes,
        };
        self.learn(&data, run)
    }
}

impl LabelPropagation {
    fn request(&self) -> Request {
        Request {
            joining: Joining {
                kernel: self.kernel,
                n_neighbors: self.n_neighbors,
                gamma: self.gamma,
            },
            propagation: GraphPropagation {
                constraint: LabelConstraint::Hard,
                tol: self.tol,
                max_iter: self.max_iter,
            },
        }
    }
}

impl LabelSpreading {
    fn request(&self) -> Request {
        Request {
            joining: Joining {
                kernel: self.kernel,
                n_neighbors: self.n_neighbors,
                gamma: self.gamma,
            },
            propagation: GraphPropagation {
                constraint: LabelConstraint::Soft {
                    label_weight: self.label_weight,
                },
                tol: self.tol,
                max_iter: self.max_iter,
            },
        }
    }
}

impl Fit<PartlyLabelled<'_>> for LabelPropagation {
    type Model = PropagationModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: PartlyLabelled<'_>, run: &Run) -> Result<PropagationModel> {
        self.request().learn(&data, run)
    }
}

impl Fit<Labelled<'_>> for LabelPropagation {
    type Model = PropagationModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<PropagationModel> {
        self.request().learn_labelled(&data, run)
    }
}

impl Fit<PartlyLabelled<'_>> for LabelSpreading {
    type Model = PropagationModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: PartlyLabelled<'_>, run: &Run) -> Result<PropagationModel> {
        self.request().learn(&data, run)
    }
}

impl Fit<Labelled<'_>> for LabelSpreading {
    type Model = PropagationModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<PropagationModel> {
        self.request().learn_labelled(&data, run)
    }
}
