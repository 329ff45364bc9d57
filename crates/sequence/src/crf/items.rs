//! The baseline of all sequence labelling: every item by itself.

use super::model::CrfModel;
use super::parameters::Crf;
use super::problem::Context;
use didact_core::{Accepts, Classify, Fit, LabelledSequences, Result, Run, Sequences};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Labels every item of a sequence by itself, by softmax regression.
///
/// The baseline of [`Crf`]: the same objective with the weights of steps, starts and ends at
/// zero, so that p(y | x) = ∏ₜ softmax(w·xₜ + b)(yₜ). What a chain gains over it is what the
/// neighbours tell. [`label_items`] does the same with any classifier.
///
/// ```
/// use didact_core::{Decode, Fit, LabelledSequences, Labels, Sequences};
/// use didact_sequence::ItemClassifier;
/// use ndarray::array;
/// let items = array![[0.0], [1.0], [0.2], [0.9]];
/// let labels = Labels::from_names(["low", "high", "low", "high"]);
/// let sequences = Sequences::new(&items, &[2, 2])?;
/// let data = LabelledSequences::new(sequences.clone(), &labels)?;
/// let model = ItemClassifier::default().fit(data)?;
/// assert_eq!(model.decode(&sequences)?.0, labels.indices);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ItemClassifier {
    /// Price α of the weights of columns.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Whether each label has an intercept b.
    pub fit_intercept: bool,
    /// At most this many iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Converged when no entry of the gradient per item, in units of the columns, is larger.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
}

impl Default for ItemClassifier {
    fn default() -> Self {
        let chain = Crf::default();
        ItemClassifier {
            alpha: chain.alpha,
            fit_intercept: chain.fit_intercept,
            max_iter: chain.max_iter,
            tol: chain.tol,
        }
    }
}

impl Fit<LabelledSequences<'_>> for ItemClassifier {
    type Model = CrfModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<CrfModel> {
        let chain = Crf {
            alpha: self.alpha,
            fit_intercept: self.fit_intercept,
            max_iter: self.max_iter,
            tol: self.tol,
            ..Crf::default()
        };
        let (weights, trace) = chain.climb(&data, Context::None, run)?;
        CrfModel::learned(weights, data.classes, trace)
    }
}

/// Labels every item of the sequences by itself with any classifier of rows.
pub fn label_items(classifier: &impl Classify, sequences: &Sequences<'_>) -> Result<Vec<usize>> {
    classifier.predict(sequences.samples.clone())
}
