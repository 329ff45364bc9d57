//! The conditional log-likelihood Σ ln p(y | x) of labelled sequences, and its gradient.

use super::by_column::ByColumn;
use super::rows::{add_intercept_gradient, add_item_gradient, item_scores};
use super::weights::{ChainWeights, Shift};
use crate::hmm::{Chain, Evaluated, Expectation, Group, over_groups};
use didact_core::{Result, Rows, Run, parallel};
use std::ops::Range;

/// Rows of items with the label of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items<'a> {
    pub(crate) rows: Rows<'a>,
    /// Sparse rows turned, where that is worth its while: where all of them are looked at.
    pub(crate) by_column: Option<&'a ByColumn>,
    pub(crate) labels: &'a [usize],
}

impl<'a> Items<'a> {
    pub(crate) fn new(rows: Rows<'a>, labels: &'a [usize]) -> Self {
        Items {
            rows,
            by_column: None,
            labels,
        }
    }
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
    total_of(weights, items, groups, run, |group, scores| {
        of_group(weights, (&chain, shift), items.labels, group, scores, run)
    })
}

/// What labels of some sequences say about the weights.
pub(crate) struct Charge {
    /// Σ ln p(y | x).
    pub(crate) value: f64,
    /// Its gradient; that of the chain alone until it is [`Charge::complete`].
    pub(crate) gradient: ChainWeights,
    /// Its slope by the score of each label at each item: one at the label minus the posterior.
    pub(crate) residuals: Vec<f64>,
}

impl Charge {
    /// Lets the residuals say what they mean for the weights of columns and the intercepts.
    fn complete(mut self, items: Items<'_>, run: &Run) -> Result<Self> {
        self.gradient = self.gradient.with_columns_of(items.rows);
        match items.by_column {
            None => add_item_gradient(&mut self.gradient, items.rows, &self.residuals, run)?,
            Some(columns) => {
                columns.add_gradient(&mut self.gradient, &self.residuals, run)?;
                add_intercept_gradient(&mut self.gradient, &self.residuals);
            }
        }
        Ok(self)
    }
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
    let scores = item_scores(weights, items.rows, 0, run)?;
    of_group(weights, (&chain, shift), items.labels, &group, scores, run)?.complete(items, run)
}

/// The sum of values and gradients over all groups, which follow each other, in a fixed order, where
/// `work` charges a group with given scores of its items.
///
/// Dense rows are multiplied with their residuals while they are at hand. For sparse rows that
/// would take a gradient of all columns for each group, so the residuals of all items come first.
pub(crate) fn total_of(
    weights: &ChainWeights,
    items: Items<'_>,
    groups: &[Group],
    run: &Run,
    work: impl Fn(&Group, Vec<f64>) -> Result<Charge> + Sync,
) -> Result<(f64, ChainWeights)> {
    let of_group = |group: &Group| -> Result<_> {
        let rows = items.rows.slice(group.rows.clone());
        let scores = item_scores(weights, rows, group.rows.start, run)?;
        Ok((rows, work(group, scores)?))
    };
    let total = match items.rows {
        Rows::Dense(_) => {
            let complete = |group: &Group| {
                let (rows, charge) = of_group(group)?;
                let charge = charge.complete(Items { rows, ..items }, run)?;
                Ok((charge.value, charge.gradient))
            };
            over_groups(groups, run, complete, |left, right| Ok(sum(left, right)))?
        }
        Rows::Sparse(_) => together(items, weights.n_labels(), groups, run, |group| {
            Ok(of_group(group)?.1)
        })?,
    };
    Ok(total.unwrap_or_else(|| (0.0, ChainWeights::zeros_for(weights.n_labels(), items.rows))))
}

/// The total of groups whose residuals are put side by side before columns are looked at.
fn together(
    items: Items<'_>,
    n_labels: usize,
    groups: &[Group],
    run: &Run,
    work: impl Fn(&Group) -> Result<Charge> + Sync,
) -> Result<Option<(f64, ChainWeights)>> {
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else {
        return Ok(None);
    };
    let rows = first.rows.start..last.rows.end;
    let mut residuals = vec![0.0; rows.len() * n_labels];
    let mut rest = residuals.as_mut_slice();
    let shares = groups.iter().map(|group| {
        let (own, others) = std::mem::take(&mut rest).split_at_mut(group.rows.len() * n_labels);
        rest = others;
        (group, own, None)
    });
    let mut shares: Vec<_> = shares.collect();
    parallel::fill(&mut shares, 1, 1, run, |_, shares| {
        for (group, own, found) in shares {
            let charge = work(group)?;
            own.copy_from_slice(&charge.residuals);
            *found = Some((charge.value, charge.gradient));
        }
        Ok(())
    })?;
    let found = shares.into_iter().filter_map(|(_, _, found)| found);
    let Some((value, gradient)) = found.reduce(sum) else {
        return Ok(None);
    };
    let charge = Charge {
        value,
        gradient,
        residuals,
    };
    let rows = items.rows.slice(rows);
    let charge = charge.complete(Items { rows, ..items }, run)?;
    Ok(Some((charge.value, charge.gradient)))
}

/// The value and the gradient of two parts together.
fn sum(left: (f64, ChainWeights), right: (f64, ChainWeights)) -> (f64, ChainWeights) {
    let (mut value, mut gradient) = left;
    value += right.0;
    gradient.add(1.0, &right.1);
    (value, gradient)
}

fn of_group(
    weights: &ChainWeights,
    (chain, shift): (&Chain, Shift),
    labels: &[usize],
    group: &Group,
    scores: Vec<f64>,
    run: &Run,
) -> Result<Charge> {
    let k = weights.n_labels();
    let mut gradient = ChainWeights::zeros(k, 0);
    let mut residuals = vec![0.0; scores.len()];
    let mut pairs = vec![0.0; k * k];
    let mut value = 0.0;
    for range in &group.sequences {
        let local = range.start - group.rows.start..range.end - group.rows.start;
        let labels = &labels[range.clone()];
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
        for (row, &label) in posteriors.chunks_exact_mut(k).zip(&labels[range.clone()]) {
            row.iter_mut()
                .for_each(|posterior| *posterior = -*posterior);
            row[label] += 1.0;
        }
    }
    for (count, pair) in gradient.transitions.iter_mut().zip(&pairs) {
        *count -= pair;
    }
    Ok(Charge {
        value,
        gradient,
        residuals,
    })
}
