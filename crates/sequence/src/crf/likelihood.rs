//! The conditional log-likelihood Σ ln p(y | x) of labelled sequences, and its gradient.

use super::weights::{ChainWeights, Shift};
use crate::hmm::{Chain, Evaluated, Expectation, Group, ITEMS_PER_CHECK, over_groups};
use didact_core::{Error, Result, Run};
use didact_math::linalg::{Accumulate, matmul_into};
use ndarray::ArrayView2;
use std::ops::Range;

/// Scores beyond this could overflow when they are added up along a sequence.
const LARGEST_SCORE: f64 = 1e200;
/// Rows that share one matrix product.
const BLOCK: usize = 256;

/// Contiguous rows of items with the label of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items<'a> {
    pub(crate) rows: &'a [f64],
    pub(crate) labels: &'a [usize],
}

/// The scores of some rows; fails where they are beyond all bounds.
pub(crate) fn item_scores(
    weights: &ChainWeights,
    rows: &[f64],
    first_row: usize,
    run: &Run,
) -> Result<Vec<f64>> {
    let (k, d) = (weights.n_labels(), weights.n_features());
    let mut scores = vec![0.0; rows.len() / d * k];
    let blocks = rows
        .chunks(ITEMS_PER_CHECK * d)
        .zip(scores.chunks_mut(ITEMS_PER_CHECK * k));
    for (block, (rows, scores)) in blocks.enumerate() {
        run.check()?;
        weights.score_items(rows, scores);
        if let Some(place) = scores.iter().position(|score| !in_range(*score)) {
            let row = first_row + block * ITEMS_PER_CHECK + place / k;
            return Err(Error::data(format!(
                "row {row} scores {}, which is beyond ±{LARGEST_SCORE:e}; \
                 scale its columns as those that the model learned from",
                scores[place]
            )));
        }
    }
    Ok(scores)
}

fn in_range(score: f64) -> bool {
    score.abs() <= LARGEST_SCORE
}

/// Σ ln p(y | x) of all sequences and its gradient.
///
/// Each weight counts how often its event happens in the labels minus how often the model
/// expects it: for steps that is the pair posterior ξ, not a product of two posteriors γ.
pub(crate) fn log_likelihood(
    weights: &ChainWeights,
    items: Items<'_>,
    groups: &[Group],
    run: &Run,
) -> Result<(f64, ChainWeights)> {
    let (chain, shift) = weights.shifted_chain();
    total_of(weights, groups, run, |group| {
        let charge = of_group(weights, (&chain, shift), items, group, run)?;
        Ok((charge.value, charge.gradient))
    })
}

/// What labels of some sequences say about the weights.
pub(crate) struct Charge {
    /// Σ ln p(y | x).
    pub(crate) value: f64,
    /// Its gradient.
    pub(crate) gradient: ChainWeights,
    /// Its slope by the score of each label at each item: one at the label minus the posterior.
    pub(crate) residuals: Vec<f64>,
}

/// The log-likelihood of the given sequences, which are all the items there are.
pub(crate) fn charge(
    weights: &ChainWeights,
    items: Items<'_>,
    sequences: Vec<Range<usize>>,
    run: &Run,
) -> Result<Charge> {
    let (chain, shift) = weights.shifted_chain();
    let group = Group {
        rows: 0..items.labels.len(),
        sequences,
    };
    of_group(weights, (&chain, shift), items, &group, run)
}

/// The sum of values and gradients over all groups, in a fixed order.
pub(crate) fn total_of(
    weights: &ChainWeights,
    groups: &[Group],
    run: &Run,
    work: impl Fn(&Group) -> Result<(f64, ChainWeights)> + Sync,
) -> Result<(f64, ChainWeights)> {
    let total = over_groups(groups, run, work, |mut left, right| {
        left.0 += right.0;
        left.1.add(1.0, &right.1);
        Ok(left)
    })?;
    let zeros = || ChainWeights::zeros(weights.n_labels(), weights.n_features());
    Ok(total.unwrap_or_else(|| (0.0, zeros())))
}

fn of_group(
    weights: &ChainWeights,
    (chain, shift): (&Chain, Shift),
    items: Items<'_>,
    group: &Group,
    run: &Run,
) -> Result<Charge> {
    let (k, d) = (weights.n_labels(), weights.n_features());
    let rows = &items.rows[group.rows.start * d..group.rows.end * d];
    let scores = item_scores(weights, rows, group.rows.start, run)?;
    let mut gradient = ChainWeights::zeros(k, d);
    let mut residuals = vec![0.0; scores.len()];
    let mut pairs = vec![0.0; k * k];
    let mut value = 0.0;
    for range in &group.sequences {
        let local = range.start - group.rows.start..range.end - group.rows.start;
        let labels = &items.labels[range.clone()];
        value += weights.score_labels(&scores[local.start * k..local.end * k], labels)
            - shift.of(labels.len());
        gradient.add_chain_counts(1.0, labels);
    }
    let evaluated = Evaluated::from_logarithms(k, scores);
    let mut expectation = Expectation::new(chain, run);
    for range in &group.sequences {
        let local = range.start - group.rows.start..range.end - group.rows.start;
        let posteriors = &mut residuals[local.start * k..local.end * k];
        value -= expectation.posteriors(&evaluated, local, posteriors, &mut pairs)?;
        let last = posteriors.len() - k;
        for label in 0..k {
            gradient.start[label] -= posteriors[label];
            gradient.end[label] -= posteriors[last + label];
        }
        for (row, &label) in posteriors
            .chunks_exact_mut(k)
            .zip(&items.labels[range.clone()])
        {
            row.iter_mut()
                .for_each(|posterior| *posterior = -*posterior);
            row[label] += 1.0;
        }
    }
    for (count, pair) in gradient.transitions.iter_mut().zip(&pairs) {
        *count -= pair;
    }
    add_item_gradient(&mut gradient, rows, &residuals, run)?;
    Ok(Charge {
        value,
        gradient,
        residuals,
    })
}

/// Adds Σₜ rₜ(j)·xₜ and Σₜ rₜ(j), where r is one at the label minus the posterior.
pub(crate) fn add_item_gradient(
    gradient: &mut ChainWeights,
    rows: &[f64],
    residuals: &[f64],
    run: &Run,
) -> Result<()> {
    let (k, d) = (gradient.n_labels(), gradient.n_features());
    for (rows, residuals) in rows.chunks(BLOCK * d).zip(residuals.chunks(BLOCK * k)) {
        run.check()?;
        let n = rows.len() / d;
        let rows = ArrayView2::from_shape((n, d), rows).expect("whole rows");
        let residuals = ArrayView2::from_shape((n, k), residuals).expect("K values per row");
        let coef = gradient.coef.view_mut();
        matmul_into(coef, residuals.t(), rows, 1.0, Accumulate::Add);
        for row in residuals.rows() {
            gradient.intercept += &row;
        }
    }
    Ok(())
}
