//! Machines that rank the labels of rows which may have several.

mod ascent;
mod labels;
mod model;

pub use labels::{LabelSets, ranking_loss, ranking_slacks};
pub use model::RankingSvmModel;

use crate::gram::Gram;
use crate::rows::Counting;
use crate::setup::bytes;
use ascent::Ascent;
use didact_core::{Accepts, Error, FitData, Result, Run, Samples, parameters};
use didact_math::kernel::{Gamma, KernelChoice, KernelName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ranks labels so that those of a row come before all others, by a margin.
///
/// Every label has a score fᵣ(x) = wᵣ·φ(x) + bᵣ. Minimises ½Σ‖wᵣ‖² + C·Σ max(0, 1 − fᵣ(x) + fₛ(x)) over
/// all rows and all pairs of a label r that the row has and a label s that it has not. Only differences
/// of scores matter, so the intercepts sum to zero; rows with all labels or none say nothing.
///
/// Solved in the dual, the pairs of one row after those of another; the intercepts are multipliers of
/// Σα = 0 for each label and follow by the method of multipliers. With the linear kernel the scores are
/// straight.
///
/// ```
/// use didact_core::{Run, Samples};
/// use didact_svm::{LabelSets, RankingSvm};
/// let x = ndarray::array![[0.0], [1.0], [2.0], [3.0]];
/// // Small values have the first label, large ones the second, and all the third.
/// let labels = LabelSets::new(ndarray::array![
///     [true, false, true], [true, false, true], [false, true, true], [false, true, true]
/// ]);
/// let svm = RankingSvm { c: 10.0, ..Default::default() };
/// let model = svm.fit(Samples::from(&x), &labels, &Run::new())?;
/// assert_eq!(model.loss(&x, &labels)?, 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "RankingSVM")]
pub struct RankingSvm {
    /// How much pairs of labels in the wrong order cost in comparison with long weights.
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
    /// Whether each row costs the mean over its pairs of labels and not their sum.
    pub average_pairs: bool,
    /// The search ends when no multiplier wants to move by a slope above this.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// How many megabytes the kernel of pairs of rows may take.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cache_size: f64,
    /// At most this many passes over the rows are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for RankingSvm {
    fn default() -> Self {
        RankingSvm {
            c: 1.0,
            kernel: KernelName::Linear.into(),
            degree: 3,
            gamma: Gamma::Scale,
            coef0: 0.0,
            average_pairs: false,
            tol: 1e-4,
            cache_size: 200.0,
            max_iter: 10_000,
        }
    }
}

impl RankingSvm {
    /// Checks everything, then learns within the given run.
    pub fn fit(
        &self,
        samples: Samples<'_>,
        labels: &LabelSets,
        run: &Run,
    ) -> Result<RankingSvmModel> {
        parameters::check(self)?;
        FitData::check(&samples, Accepts::SPARSE | Accepts::WEIGHTS)?;
        labels.check_rows(samples.n_rows())?;
        run.install(|| self.learn(samples, labels, run))
    }

    fn learn(
        &self,
        samples: Samples<'_>,
        labels: &LabelSets,
        run: &Run,
    ) -> Result<RankingSvmModel> {
        let counting = Counting::new(samples);
        let labels = labels.select(&counting.given);
        if !(0..labels.n_rows()).any(|row| labels.n_pairs(row) > 0) {
            return Err(Error::data(
                "every row has all labels or none; give rows that have some and lack others",
            ));
        }
        let own = counting.samples();
        let kernel = self
            .kernel
            .resolve(self.gamma, self.degree, self.coef0, &own)?;
        let mut gram = Gram::new(counting.rows(), &kernel, bytes(self.cache_size), run)?;
        let price = |row: usize| {
            let pairs = if self.average_pairs {
                labels.n_pairs(row).max(1)
            } else {
                1
            };
            self.c * own.weight(row) / pairs as f64
        };
        let prices = (0..labels.n_rows()).map(price).collect();
        let ascent = Ascent::new(&labels, prices, &mut gram, run)?;
        let found = ascent.run(self.tol, self.max_iter)?;
        RankingSvmModel::new(kernel, counting.rows(), found)
    }
}
