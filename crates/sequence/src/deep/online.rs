//! Mixed learning: one sequence at a time, the chain by mistakes and the layers by gradients.

use super::parameters::{DeepCrf, DeepCrfSignal};
use super::stack::{Stack, unit_slopes};
use crate::crf::{ChainWeights, Items, add_count_difference, charge, item_scores};
use crate::hmm::{Evaluated, viterbi};
use didact_core::random::generator;
use didact_core::{Error, Result, Rows, Run, StopReason, Trace, TraceWriter};
use didact_math::numeric::log_softmax_in_place;
use ndarray::{ArrayView2, s};
use rand::seq::SliceRandom;
use std::ops::Range;

/// Weights beyond this come from steps that are too long.
const LARGEST_WEIGHT: f64 = 1e100;

/// Labelled items and where each sequence is.
#[derive(Clone, Copy)]
pub(super) struct Taught<'a> {
    pub(super) items: ArrayView2<'a, f64>,
    pub(super) labels: &'a [usize],
    pub(super) sequences: &'a [Range<usize>],
}

/// What one sequence says, at the weights before any step.
struct Lesson {
    wrong: usize,
    /// ∂(s(h, y) − s(h, y*)) by the weights on top, where the best labelling y* is wrong.
    counts: Option<Vec<f64>>,
    /// ∂L by the weights of the layers.
    slopes: Vec<f64>,
}

pub(super) fn learn(
    deep: &DeepCrf,
    stack: &mut Stack,
    taught: &Taught<'_>,
    run: &Run,
) -> Result<Trace> {
    let n_sequences = taught.sequences.len() as f64;
    // A step per item: the mean over the items of a sequence of mean length.
    let per_item = n_sequences / taught.labels.len().max(1) as f64;
    let (eta, network_eta) = (deep.eta0 * per_item, deep.network_eta0 * per_item);
    let prices = stack.prices(deep);
    let magnitudes = stack.magnitude_prices(deep);
    let n_top = stack.n_top();
    let mut order: Vec<usize> = (0..taught.sequences.len()).collect();
    // Layers took the first stream.
    let mut random = generator(deep.random_state, 1);
    let mut trace = TraceWriter::new(run, "wrong labels", Some(deep.max_iter));
    let mut weights = stack.to_vec();
    let mut mean = Mean::new(weights.len());
    let mut stop = StopReason::IterationLimit;
    while trace.n_iter() < deep.max_iter {
        order.shuffle(&mut random);
        let mut wrong = 0;
        for &sequence in &order {
            run.check()?;
            let lesson = lesson(deep, stack, taught, taught.sequences[sequence].clone(), run)?;
            wrong += lesson.wrong;
            if let Some(counts) = &lesson.counts {
                for (place, weight) in weights[..n_top].iter_mut().enumerate() {
                    *weight += eta * (counts[place] - prices[place] / n_sequences * *weight);
                }
            }
            for (place, slope) in (n_top..).zip(&lesson.slopes) {
                let weight = &mut weights[place];
                let price = magnitudes[place] / n_sequences * sign(*weight);
                *weight -= network_eta * (slope + price);
            }
            if weights.iter().any(|weight| weight.abs() > LARGEST_WEIGHT) {
                return Err(Error::parameter(
                    "eta0",
                    deep.eta0,
                    "the weights grow without bound; choose shorter steps eta0 and network_eta0",
                ));
            }
            stack.set(&weights);
            if 2 * trace.n_iter() >= deep.max_iter {
                mean.add(&weights);
            }
        }
        trace.record(wrong as f64)?;
        if wrong == 0 {
            stop = StopReason::Converged;
            break;
        }
    }
    if deep.average && stop != StopReason::Converged {
        stack.set(&mean.values);
    }
    Ok(trace.finish(stop))
}

/// The sign, which is zero at zero.
fn sign(value: f64) -> f64 {
    match value == 0.0 {
        true => 0.0,
        false => value.signum(),
    }
}

/// Labels one sequence; both gradients are taken at the same weights.
fn lesson(
    deep: &DeepCrf,
    stack: &Stack,
    taught: &Taught<'_>,
    range: Range<usize>,
    run: &Run,
) -> Result<Lesson> {
    let labels = &taught.labels[range.clone()];
    let forward = stack
        .layers
        .forward(taught.items.slice(s![range.clone(), ..]));
    let units = forward.outputs();
    let rows = Rows::Dense(units);
    let scorer = stack.scorer();
    let k = scorer.n_labels();
    let scores = item_scores(&scorer, rows, range.start, run)?;
    let best = best_labels(deep.margin, &scorer, &scores, labels, run)?;
    let wrong = labels.iter().zip(&best).filter(|(a, b)| a != b).count();
    let counts = (wrong > 0).then(|| {
        let mut counts = ChainWeights::zeros_for(k, rows);
        add_count_difference(&mut counts, 1.0, rows, labels, &best);
        stack.gradient(&counts, &[])
    });
    let by_scores = match deep.signal {
        DeepCrfSignal::Perceptron => {
            let mut slopes = vec![0.0; scores.len()];
            for (row, (&truth, &best)) in labels.iter().zip(&best).enumerate() {
                slopes[row * k + best] += 1.0;
                slopes[row * k + truth] -= 1.0;
            }
            slopes
        }
        DeepCrfSignal::Likelihood => {
            let all = std::iter::once(0..labels.len()).collect();
            let charge = charge(&scorer, Items::new(rows, labels), all, run)?;
            charge.residuals.iter().map(|residual| -residual).collect()
        }
        DeepCrfSignal::Independent => {
            let mut slopes = scores;
            for (row, &truth) in slopes.chunks_exact_mut(k).zip(labels) {
                log_softmax_in_place(row);
                row.iter_mut().for_each(|value| *value = value.exp());
                row[truth] -= 1.0;
            }
            slopes
        }
    };
    let slopes = unit_slopes(&scorer, &by_scores);
    Ok(Lesson {
        wrong,
        counts,
        slopes: forward.gradient(slopes.view()),
    })
}

/// The labels with the best score, where wrong ones score a margin on top.
fn best_labels(
    margin: f64,
    scorer: &ChainWeights,
    scores: &[f64],
    labels: &[usize],
    run: &Run,
) -> Result<Vec<usize>> {
    let k = scorer.n_labels();
    let mut scores = scores.to_vec();
    for (row, &truth) in scores.chunks_exact_mut(k).zip(labels) {
        let others = row.iter_mut().enumerate();
        for (_, score) in others.filter(|(label, _)| *label != truth) {
            *score += margin;
        }
    }
    let evaluated = Evaluated::from_logarithms(k, scores);
    let mut best = vec![0; labels.len()];
    viterbi(&scorer.chain(), &evaluated, 0..labels.len(), &mut best, run)?;
    Ok(best)
}

/// A mean that is kept up to date.
struct Mean {
    values: Vec<f64>,
    n: usize,
}

impl Mean {
    fn new(size: usize) -> Self {
        Mean {
            values: vec![0.0; size],
            n: 0,
        }
    }

    fn add(&mut self, values: &[f64]) {
        self.n += 1;
        let share = (self.n as f64).recip();
        for (mean, value) in self.values.iter_mut().zip(values) {
            *mean += (value - *mean) * share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::likelihood::{loss, tests};
    use super::*;

    fn with(signal: DeepCrfSignal) -> DeepCrf {
        DeepCrf {
            signal,
            ..DeepCrf::default()
        }
    }

    // 000b:S30 000b:S33: the three signals are slopes of three losses.
    #[test]
    fn every_signal_is_the_slope_of_its_loss() {
        let (items, labels, sequences) = tests::problem();
        let taught = Taught {
            items: items.view(),
            labels: &labels,
            sequences: &sequences[..1],
        };
        let (stack, run) = (tests::random_stack(0.7), Run::new());
        let scorer = stack.scorer();
        let best = {
            let units = stack.layers.forward(items.slice(s![..4, ..]));
            let scores = item_scores(&scorer, Rows::Dense(units.outputs()), 0, &run);
            best_labels(0.0, &scorer, &scores.unwrap(), &labels[..4], &run).unwrap()
        };
        assert_ne!(best, labels[..4], "the best labelling should be wrong here");
        let scored = |parameters: &[f64], work: &dyn Fn(&[f64]) -> f64| {
            let mut layers = stack.layers.clone();
            layers.parameters_mut().copy_from_slice(parameters);
            let units = layers.forward(items.slice(s![..4, ..]));
            work(&item_scores(&scorer, Rows::Dense(units.outputs()), 0, &run).unwrap())
        };
        let perceptron = |scores: &[f64]| {
            scorer.score_labels(scores, &best) - scorer.score_labels(scores, &labels[..4])
        };
        let independent = |scores: &[f64]| {
            let rows = scores.chunks_exact(3).zip(&labels);
            let one = |(row, &label): (&[f64], &usize)| {
                let mut row = row.to_vec();
                log_softmax_in_place(&mut row);
                -row[label]
            };
            rows.map(one).sum()
        };
        let likelihood = |parameters: &[f64]| {
            let mut other = stack.clone();
            other.layers.parameters_mut().copy_from_slice(parameters);
            loss(&other, &taught, &run).unwrap().0
        };
        let start = stack.layers.parameters().to_vec();
        type Loss<'a> = &'a dyn Fn(&[f64]) -> f64;
        let perceptron = |parameters: &[f64]| scored(parameters, &perceptron);
        let independent = |parameters: &[f64]| scored(parameters, &independent);
        let losses: [(DeepCrfSignal, Loss<'_>); 3] = [
            (DeepCrfSignal::Likelihood, &likelihood),
            (DeepCrfSignal::Perceptron, &perceptron),
            (DeepCrfSignal::Independent, &independent),
        ];
        for (signal, value) in losses {
            let lesson = lesson(&with(signal), &stack, &taught, 0..4, &run).unwrap();
            let step = 1e-6;
            for (place, slope) in lesson.slopes.iter().enumerate() {
                let (mut up, mut down) = (start.clone(), start.clone());
                up[place] += step;
                down[place] -= step;
                let expected = (value(&up) - value(&down)) / (2.0 * step);
                assert!(
                    (slope - expected).abs() < 1e-8,
                    "{signal:?} {slope} {expected}"
                );
            }
        }
    }

    // 000b:S33: the weights on top begin at zero, so that nothing but the price moves the layers
    // in the first step; if they were moved first, the layers would follow.
    #[test]
    fn both_gradients_are_those_before_either_step() {
        let (items, labels, sequences) = tests::problem();
        let taught = Taught {
            items: items.view(),
            labels: &labels[..4],
            sequences: &sequences[..1],
        };
        let deep = DeepCrf {
            max_iter: 1,
            average: false,
            network_alpha: 0.2,
            ..DeepCrf::default()
        };
        let before = Stack::new(tests::random_stack(0.0).layers, 3, 0.0);
        let mut stack = before.clone();
        learn(&deep, &mut stack, &taught, &Run::new()).unwrap();
        // One sequence of four items: steps are a quarter of what is asked for per item.
        let ranges = before.layers.weight_ranges();
        let pairs = before
            .layers
            .parameters()
            .iter()
            .zip(stack.layers.parameters());
        for (place, (&before, &after)) in pairs.enumerate() {
            let priced = ranges.iter().any(|range| range.contains(&place));
            let price = if priced { 0.2 * sign(before) } else { 0.0 };
            assert!((after - (before - 0.125 * price)).abs() < 1e-15);
        }
        // Labels 0, 2, 1, 1 against 0, 0, 0, 0, the first of equal ones.
        assert_eq!(stack.chain.start.to_vec(), [0.0, 0.0, 0.0]);
        assert_eq!(stack.chain.end.to_vec(), [-0.125, 0.125, 0.0]);
        assert_eq!(stack.chain.intercept.to_vec(), [-0.375, 0.25, 0.125]);
        assert_eq!(stack.chain.transitions[[0, 0]], -0.375);
        assert_eq!(stack.chain.transitions[[0, 2]], 0.125);
    }

    // 000b:S33: what is labelled right by a margin teaches the chain nothing.
    #[test]
    fn right_labels_leave_the_chain_as_it_is() {
        let (items, _, sequences) = tests::problem();
        let stack = tests::random_stack(0.0);
        let units = stack.layers.forward(items.slice(s![..4, ..]));
        let run = Run::new();
        let scorer = stack.scorer();
        let scores = item_scores(&scorer, Rows::Dense(units.outputs()), 0, &run).unwrap();
        let labels = best_labels(0.0, &scorer, &scores, &[0; 4], &run).unwrap();
        let taught = Taught {
            items: items.view(),
            labels: &labels,
            sequences: &sequences[..1],
        };
        let deep = with(DeepCrfSignal::Perceptron);
        let lesson = super::lesson(&deep, &stack, &taught, 0..4, &run).unwrap();
        assert!(lesson.wrong == 0 && lesson.counts.is_none());
        assert!(lesson.slopes.iter().all(|slope| *slope == 0.0));
        // A margin finds the most violated labelling.
        let strict = DeepCrf {
            margin: 100.0,
            ..deep
        };
        let lesson = super::lesson(&strict, &stack, &taught, 0..4, &run).unwrap();
        assert_eq!(lesson.wrong, 4);
    }

    // 000b:S32: sign(0) = 0, also for the other zero.
    #[test]
    fn the_sign_of_zero_is_zero() {
        assert_eq!(
            [sign(-2.0), sign(0.0), sign(-0.0), sign(3.0)],
            [-1.0, 0.0, 0.0, 1.0]
        );
    }
}
