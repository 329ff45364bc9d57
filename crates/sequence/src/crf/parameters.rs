//! The hyper-parameters of conditional random fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Labels the items of sequences by a linear-chain conditional random field.
///
/// The probability of labels y given items x is p(y | x) = exp(s(x, y)) / Z(x) with the score
/// s(x, y) = π(y₁) + Σₜ (w(yₜ)·xₜ + b(yₜ)) + Σₜ₋₁ₜ a(yₜ₋₁, yₜ) + τ(y_T)
/// and Z(x) = Σ_y exp(s(x, y)). Learning maximises the concave objective
/// Σ ln p(y | x) − (α/2)‖w‖² − (α_a/2)‖a‖² − (α_e/2)(‖π‖² + ‖τ‖²) over all labelled sequences by
/// L-BFGS, or one sequence at a time. The intercepts b carry no price.
///
/// Sparse rows, as words and their neighbours make them, cost what they store: a pass of L-BFGS
/// takes each stored value once for each label, and columns that are never set take no part.
/// One sequence at a time still moves all weights of columns in use at each step.
///
/// ```
/// use didact_core::{Decode, Fit, LabelledSequences, Labels, Sequences};
/// use didact_sequence::Crf;
/// use ndarray::array;
/// // What an item is called depends on the item before it.
/// let items = array![[0.0], [1.0], [0.0], [0.0], [1.0], [1.0], [0.0], [0.0]];
/// let labels = Labels::from_names(["a", "b", "a", "c", "b", "b", "a", "c"]);
/// let sequences = Sequences::new(&items, &[4, 4])?;
/// let data = LabelledSequences::new(sequences.clone(), &labels)?;
/// let crf = Crf { alpha: 0.01, transition_alpha: 0.01, end_alpha: 0.01, ..Crf::default() };
/// let model = crf.fit(data)?;
/// let (path, log_probabilities) = model.decode(&sequences)?;
/// assert_eq!(path, labels.indices);
/// assert!(log_probabilities[0] > 0.7_f64.ln());
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "CRF")]
pub struct Crf {
    /// Price α of the weights of columns.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Price α_a of the weights of steps from label to label.
    #[schemars(range(min = 0.0))]
    pub transition_alpha: f64,
    /// Price α_e of the weights of first and last labels; without one they have no optimum where
    /// all sequences begin or end alike.
    #[schemars(range(min = 0.0))]
    pub end_alpha: f64,
    /// Whether each label has an intercept b.
    pub fit_intercept: bool,
    /// Whether first and last labels have weights π and τ of their own.
    pub fit_ends: bool,
    /// How the optimum is found.
    pub solver: CrfSolver,
    /// Step length for the weights of columns and the intercepts, for the stochastic solver.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eta0: f64,
    /// Step length for the weights of steps from label to label, for the stochastic solver.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub transition_eta0: f64,
    /// Step length for the weights of first and last labels, for the stochastic solver.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub end_eta0: f64,
    /// At most this many iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Converged when no entry of the gradient per item, in units of the columns, is larger.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of the order of sequences, for the stochastic solver.
    pub random_state: u64,
}

impl Default for Crf {
    fn default() -> Self {
        Crf {
            alpha: 1.0,
            transition_alpha: 1.0,
            end_alpha: 1.0,
            fit_intercept: true,
            fit_ends: true,
            solver: CrfSolver::Lbfgs,
            eta0: 0.5,
            transition_eta0: 0.5,
            end_eta0: 0.5,
            max_iter: 200,
            tol: 1e-6,
            random_state: 0,
        }
    }
}

/// How the optimum is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CrfSolver {
    /// Steps of L-BFGS along the gradient of all sequences.
    #[default]
    Lbfgs,
    /// Steps along the gradients of single sequences, whose noise is taken out by what they were
    /// at the beginning of the pass: the same optimum, sooner where there are many sequences.
    /// Step lengths are halved when a pass raises the objective.
    Stochastic,
}
