//! Maximum-entropy Markov models: one softmax from label to label.

use super::likelihood::{Charge, Items, total_of};
use super::memm_model::MemmModel;
use super::parameters::Crf;
use super::problem::Context;
use super::weights::ChainWeights;
use crate::hmm::{Group, ITEMS_PER_CHECK};
use didact_core::{Accepts, Fit, LabelledSequences, Result, Run};
use didact_math::numeric::log_softmax_in_place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Labels the items of sequences one after another by a maximum-entropy Markov model.
///
/// Each label depends on its item and the label before it:
/// p(y | x) = ∏ₜ p(yₜ | yₜ₋₁, xₜ) with p(j | i, x) = softmax(w·x + b + a(i, ·))(j), and π(j) in
/// place of a(i, j) at the first item. Learning maximises
/// Σ ln p(y | x) − (α/2)‖w‖² − (α_a/2)‖a‖² − (α_π/2)‖π‖².
///
/// Unlike in a [`Crf`], every step is normalised by itself: later items say nothing about earlier
/// labels, and labels with few successors pay little attention to their items (label bias).
///
/// ```
/// use didact_core::{Decode, Fit, LabelledSequences, Labels, Sequences};
/// use didact_sequence::Memm;
/// use ndarray::array;
/// let items = array![[0.0], [1.0], [0.0], [0.0], [1.0], [1.0], [0.0], [0.0]];
/// let labels = Labels::from_names(["a", "b", "a", "c", "b", "b", "a", "c"]);
/// let sequences = Sequences::new(&items, &[4, 4])?;
/// let data = LabelledSequences::new(sequences.clone(), &labels)?;
/// let model = Memm { alpha: 0.01, transition_alpha: 0.01, ..Memm::default() }.fit(data)?;
/// assert_eq!(model.decode(&sequences)?.0, labels.indices);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "MEMM")]
pub struct Memm {
    /// Price α of the weights of columns.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Price α_a of the weights of steps from label to label.
    #[schemars(range(min = 0.0))]
    pub transition_alpha: f64,
    /// Price α_π of the weights of first labels.
    #[schemars(range(min = 0.0))]
    pub start_alpha: f64,
    /// Whether each label has an intercept b.
    pub fit_intercept: bool,
    /// At most this many iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Converged when no entry of the gradient per item, in units of the columns, is larger.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
}

impl Default for Memm {
    fn default() -> Self {
        let chain = Crf::default();
        Memm {
            alpha: chain.alpha,
            transition_alpha: chain.transition_alpha,
            start_alpha: 1.0,
            fit_intercept: chain.fit_intercept,
            max_iter: chain.max_iter,
            tol: chain.tol,
        }
    }
}

impl Fit<LabelledSequences<'_>> for Memm {
    type Model = MemmModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<MemmModel> {
        let chain = Crf {
            alpha: self.alpha,
            transition_alpha: self.transition_alpha,
            end_alpha: self.start_alpha,
            fit_intercept: self.fit_intercept,
            fit_ends: true,
            max_iter: self.max_iter,
            tol: self.tol,
            ..Crf::default()
        };
        let (weights, trace) = chain.climb(&data, Context::Previous, run)?;
        MemmModel::learned(weights, data.classes, trace)
    }
}

/// Σₜ ln p(yₜ | yₜ₋₁, xₜ) of all sequences and its gradient.
pub(crate) fn stepwise_log_likelihood(
    weights: &ChainWeights,
    items: Items<'_>,
    groups: &[Group],
    run: &Run,
) -> Result<(f64, ChainWeights)> {
    total_of(weights, items, groups, run, |group, scores| {
        of_group(weights, items.labels, group, scores, run)
    })
}

fn of_group(
    weights: &ChainWeights,
    labels: &[usize],
    group: &Group,
    mut scores: Vec<f64>,
    run: &Run,
) -> Result<Charge> {
    let k = weights.n_labels();
    let mut gradient = ChainWeights::zeros(k, 0);
    let mut value = 0.0;
    for range in &group.sequences {
        let mut before = None;
        for row in range.clone() {
            if row % ITEMS_PER_CHECK == 0 {
                run.check()?;
            }
            let (place, label) = (row - group.rows.start, labels[row]);
            let scores = &mut scores[place * k..(place + 1) * k];
            step_log_probabilities(weights, before, scores);
            value += scores[label];
            // One at the label minus the probability.
            scores.iter_mut().for_each(|score| *score = -score.exp());
            scores[label] += 1.0;
            let mut counts = match before {
                None => gradient.start.view_mut(),
                Some(before) => gradient.transitions.row_mut(before),
            };
            for (count, residual) in counts.iter_mut().zip(scores.iter()) {
                *count += residual;
            }
            before = Some(label);
        }
    }
    Ok(Charge {
        value,
        gradient,
        residuals: scores,
    })
}

/// Turns the scores of an item into ln p(· | before, x), where no label is before the first item.
pub(crate) fn step_log_probabilities(
    weights: &ChainWeights,
    before: Option<usize>,
    scores: &mut [f64],
) {
    let context = match before {
        None => weights.start.view(),
        Some(label) => weights.transitions.row(label),
    };
    for (score, context) in scores.iter_mut().zip(context) {
        *score += context;
    }
    log_softmax_in_place(scores);
}
