//! Wide margins that rows without a class take part in.

mod hat;
mod hat_model;
mod model;
mod one_against_rest;
mod switching;

pub use hat::{HatLoss, HatLossSvm};
pub use hat_model::HatLossSvmModel;
pub use model::TransductiveSvmModel;

use crate::known::{Known, all_known};
use crate::magnitude::check_magnitude;
use didact_core::{Accepts, Error, Fit, Labelled, PartlyLabelled, Result, Run, present_classes};
use didact_math::kernel::{Gamma, KernelChoice};
use didact_svm::Svc;
use one_against_rest::contests;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use switching::Switching;

/// Separates classes with a wide margin that avoids the rows without a class, too.
///
/// Minimises ½‖w‖² + C·Σξ + C*·Σξ* over the machine and over the classes y* of the rows without one, with
/// y·f(x) ≥ 1 − ξ and y*·f(x) ≥ 1 − ξ*. Joachims' search: the machine of the known classes gives the highest
/// rows the positive class, as many as `positive_share` says; then their costs double from 10⁻⁵ up to C*,
/// and at each cost pairs of opposite classes with ξ*ₘ + ξ*ₙ > 2 exchange them until there is none, which
/// lowers the objective and keeps the number of positive rows. The result is a local minimum. More
/// than two classes are told apart by a machine for each against the others.
///
/// ```
/// use didact_core::{Fit, PartialLabels, PartlyLabelled};
/// use didact_math::kernel::KernelName;
/// use didact_semi_supervised::TransductiveSvm;
/// let x = ndarray::array![[-2.0], [-1.5], [-1.0], [-0.5], [0.0], [0.5], [2.0], [3.0]];
/// let mut names = [None; 8];
/// (names[0], names[6]) = (Some("low"), Some("top"));
/// let labels = PartialLabels::from_names(names);
/// let method = TransductiveSvm {
///     kernel: KernelName::Linear.into(), c: 10.0, c_unlabelled: 10.0,
///     positive_share: Some(1.0 / 6.0), ..Default::default()
/// };
/// let model = method.fit(PartlyLabelled::new(&x, &labels)?)?;
/// // The boundary is at 1.25, where the gap is; the two labels alone would put it at zero.
/// assert_eq!(model.transduction(), [0, 0, 0, 0, 0, 0, 1, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "TransductiveSVM")]
pub struct TransductiveSvm {
    /// How much the rows of a known class within the margin cost.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// How much the other rows within the margin cost in the end, C*.
    #[serde(rename = "C_unlabelled")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c_unlabelled: f64,
    /// The share of the rows without a class that get the second of two classes; that among the
    /// known classes where absent.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub positive_share: Option<f64>,
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// The search for a machine ends when no two rows contradict each other by more than this.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

impl Default for TransductiveSvm {
    fn default() -> Self {
        TransductiveSvm {
            c: 1.0,
            c_unlabelled: 1.0,
            positive_share: None,
            kernel: KernelChoice::default(),
            degree: 3,
            gamma: Gamma::Scale,
            coef0: 0.0,
            tol: 1e-3,
        }
    }
}

impl Fit<PartlyLabelled<'_>> for TransductiveSvm {
    type Model = TransductiveSvmModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: PartlyLabelled<'_>, run: &Run) -> Result<TransductiveSvmModel> {
        let known = Known::of(&data)?;
        check_magnitude(data.samples.rows())?;
        let totals: Vec<f64> = known
            .counts()
            .into_iter()
            .map(|count| count as f64)
            .collect();
        present_classes(data.classes, &totals)?;
        if let (Some(share), true) = (self.positive_share, known.n_classes != 2) {
            return Err(Error::parameter(
                "positive_share",
                share,
                format!(
                    "it is for two classes, but there are {}; leave it out",
                    known.n_classes
                ),
            ));
        }
        let kernel = self
            .kernel
            .resolve(self.gamma, self.degree, self.coef0, &data.samples)?;
        let machine = Svc {
            c: self.c,
            kernel: kernel.into(),
            tol: self.tol,
            ..Svc::default()
        };
        let mut found = Vec::new();
        for signs in contests(&known) {
            let contest = signs.map(|signs| {
                Switching {
                    samples: data.samples.view(),
                    signs: &signs,
                    machine: &machine,
                    cost: self.c_unlabelled,
                    share: self.positive_share,
                }
                .search(run)
            });
            found.push(contest.transpose()?);
        }
        TransductiveSvmModel::new(&data, found)
    }
}

impl Fit<Labelled<'_>> for TransductiveSvm {
    type Model = TransductiveSvmModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<TransductiveSvmModel> {
        let partly = PartlyLabelled {
            samples: data.samples.view(),
            labels: &all_known(data.labels),
            classes: data.classes,
        };
        self.learn(partly, run)
    }
}
