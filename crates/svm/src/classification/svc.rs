//! Kernel support vector classification with a price for errors.

use super::machine::Demand;
use super::model::SvcModel;
use super::pairs::{Request, learn};
use crate::reduction::CostReduction;
use crate::setup::setup_of;
use didact_core::{Accepts, ClassWeight, Fit, Labelled, Result, Run};
use didact_math::kernel::{Gamma, KernelChoice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Separates classes with a wide margin, straight or curved by a kernel.
///
/// Minimises ½‖w‖² + C·Σ max(0, 1 − y·f(x)) of f(x) = w·φ(x) + b, where the kernel k(x, z) is the
/// product φ(x)·φ(z) in some space of features. The dual is max Σα − ½ΣΣ αᵢαⱼyᵢyⱼk(xᵢ, xⱼ) where
/// 0 ≤ α ≤ C and Σαy = 0; then f(x) = Σ αy·k(xᵢ, x) + b over the support vectors, the rows with
/// α > 0. The intercept b carries no price; it follows from the rows with 0 < α < C, which are on the
/// margin. More than two classes are told apart by a machine for every pair, which vote.
///
/// With a hard margin no row may be within it, whatever C is; where that is impossible the fit fails.
///
/// Sequential minimal optimisation with second-order choice of pairs and shrinking. The kernel of all
/// pairs of rows is computed at once where it fits into `cache_size`, else row by row as needed.
/// The duality gap says how far from the minimum the objective can be at most.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_svm::Svc;
/// // The exclusive or, which no line can separate.
/// let x = ndarray::array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let labels = Labels::from_indices(vec![0, 1, 1, 0]);
/// let model = Svc { c: 10.0, ..Default::default() }.fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&x)?, labels.indices);
/// assert!(model.certificates()[0].gap() < 1e-2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "SVC")]
pub struct Svc {
    /// How much the rows within the margin cost in comparison with a narrow margin.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// Whether rows that will not change are set aside during the search.
    pub shrinking: bool,
    /// The search ends when no two rows contradict each other by more than this.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// How many megabytes the kernel of pairs of rows may take.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cache_size: f64,
    /// How much the rows of each class count.
    pub class_weight: ClassWeight,
    /// At most this many steps are made, each of which changes two multipliers; a thousand for each
    /// row, and a hundred thousand at least, where absent.
    #[schemars(range(min = 1))]
    pub max_iter: Option<usize>,
    /// Whether how sure the machines are decides between classes of equally many votes, and not
    /// the order of the classes.
    pub break_ties: bool,
    /// Whether rows may be within the margin.
    pub margin: Separation,
    /// How the costs of the rows are put together.
    pub reduction: CostReduction,
}

/// Whether rows may be within the margin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Separation {
    /// They may, at the price C.
    #[default]
    Soft,
    /// They may not; C and the weights of rows have no part.
    Hard,
}

impl Default for Svc {
    fn default() -> Self {
        Svc {
            c: 1.0,
            kernel: KernelChoice::default(),
            degree: 3,
            gamma: Gamma::Scale,
            coef0: 0.0,
            shrinking: true,
            tol: 1e-3,
            cache_size: 200.0,
            class_weight: ClassWeight::None,
            max_iter: None,
            break_ties: false,
            margin: Separation::Soft,
            reduction: CostReduction::Sum,
        }
    }
}

impl Fit<Labelled<'_>> for Svc {
    type Model = SvcModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<SvcModel> {
        learn(&self.request(), data, run)
    }
}

impl Svc {
    pub(super) fn request(&self) -> Request<'_> {
        Request {
            setup: setup_of!(self),
            demand: match self.margin {
                Separation::Soft => Demand::Soft,
                Separation::Hard => Demand::Hard,
            },
            c: self.c,
            reduction: self.reduction,
            class_weight: &self.class_weight,
            break_ties: self.break_ties,
        }
    }
}
