//! Kernel support vector classification with a share of errors.

use super::machine::Demand;
use super::model::SvcModel;
use super::pairs::{Request, learn};
use crate::reduction::CostReduction;
use crate::setup::setup_of;
use didact_core::{Accepts, ClassWeight, Fit, Labelled, Result, Run};
use didact_math::kernel::{Gamma, KernelChoice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Separates classes with a wide margin that a given share of the rows may miss.
///
/// Minimises ½‖w‖² − νρ + (1/M)·Σ max(0, ρ − y·f(x)) over w, b and ρ ≥ 0 for M rows: ν takes the place
/// of C, and ρ says how wide the margin 2ρ/‖w‖ is. Where ρ > 0, at most the share ν of the rows is
/// within the margin or on the wrong side, and at least that share are support vectors. The scores are
/// divided by ρ, so that they are ±1 at the margins; the machine is then that of [`Svc`](crate::Svc)
/// with C = 1/(ρM).
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_svm::NuSvc;
/// let iris = didact_datasets::iris();
/// let model = NuSvc { nu: 0.2, ..Default::default() }.fit(iris.labelled()?)?;
/// let predicted = model.predict(iris.samples())?;
/// let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right >= 140);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "NuSVC")]
pub struct NuSvc {
    /// The share of rows that may miss the margin, and that are support vectors at least; between
    /// two classes at most twice the share of the smaller one.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub nu: f64,
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
}

impl Default for NuSvc {
    fn default() -> Self {
        NuSvc {
            nu: 0.5,
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
        }
    }
}

impl Fit<Labelled<'_>> for NuSvc {
    type Model = SvcModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<SvcModel> {
        let request = Request {
            setup: setup_of!(self),
            demand: Demand::Share(self.nu),
            c: 1.0,
            reduction: CostReduction::Sum,
            class_weight: &self.class_weight,
            break_ties: self.break_ties,
        };
        learn(&request, data, run)
    }
}
