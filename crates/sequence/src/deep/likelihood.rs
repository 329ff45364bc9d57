//! Likelihood learning: the exact gradient of all sequences, and its descent.

use super::online::Taught;
use super::parameters::DeepCrf;
use super::stack::{Stack, unit_slopes};
use crate::crf::{Items, charge};
use crate::hmm::{Group, LEAST_ROWS, group_ranges, over_groups};
use didact_core::{Result, Rows, Run, Trace};
use didact_optimize::{BoxSet, Lbfgs, LbfgsB, Minimise};
use ndarray::s;

const OBJECTIVE: &str = "penalised negative log-likelihood per item";

/// −Σ ln p(y | h) over the given sequences and its gradient by all weights.
pub(super) fn loss(stack: &Stack, taught: &Taught<'_>, run: &Run) -> Result<(f64, Vec<f64>)> {
    let scorer = stack.scorer();
    let groups = group_ranges(taught.sequences.iter().cloned(), LEAST_ROWS);
    let of_group = |group: &Group| -> Result<(f64, Vec<f64>)> {
        run.check()?;
        let rows = group.rows.clone();
        let forward = stack
            .layers
            .forward(taught.items.slice(s![rows.clone(), ..]));
        let units = forward.outputs();
        let items = Items::new(Rows::Dense(units), &taught.labels[rows.clone()]);
        let own = |range: &std::ops::Range<usize>| range.start - rows.start..range.end - rows.start;
        let sequences = group.sequences.iter().map(own).collect();
        let charge = charge(&scorer, items, sequences, run)?;
        let slopes = unit_slopes(&scorer, &charge.residuals);
        let gradient = stack.gradient(&charge.gradient, &forward.gradient(slopes.view()));
        Ok((charge.value, gradient))
    };
    let total = over_groups(&groups, run, of_group, |mut left, right| {
        left.0 += right.0;
        for (sum, value) in left.1.iter_mut().zip(&right.1) {
            *sum += value;
        }
        Ok(left)
    })?;
    let n = stack.to_vec().len();
    let (value, mut gradient) = total.unwrap_or_else(|| (0.0, vec![0.0; n]));
    gradient.iter_mut().for_each(|slope| *slope = -*slope);
    Ok((-value, gradient))
}

pub(super) fn learn(
    deep: &DeepCrf,
    stack: &mut Stack,
    taught: &Taught<'_>,
    run: &Run,
) -> Result<Trace> {
    let per_item = (taught.labels.len() as f64).recip();
    let prices = stack.prices(deep);
    let mut current = stack.clone();
    // J without the price of magnitudes, per item.
    let mut smooth = |point: &[f64], gradient: &mut [f64]| -> Result<f64> {
        current.set(point);
        let (mut value, slopes) = loss(&current, taught, run)?;
        for (place, slope) in slopes.iter().enumerate() {
            let priced = prices[place] * point[place];
            value += 0.5 * priced * point[place];
            gradient[place] = (slope + priced) * per_item;
        }
        Ok(value * per_item)
    };
    let start = stack.to_vec();
    let outcome = match deep.network_alpha > 0.0 && stack.layers.n_parameters() > 0 {
        false => {
            let search = Lbfgs {
                max_iter: deep.max_iter,
                gradient_tolerance: deep.tol,
                ..Lbfgs::default()
            };
            search.minimise(&mut smooth, &start, run)?
        }
        true => {
            // |w| = u + v where w = u − v with u, v ≥ 0 of which one is zero: smooth in a box.
            let magnitudes = stack.magnitude_prices(deep);
            let split: Vec<usize> = (0..start.len())
                .filter(|&at| magnitudes[at] > 0.0)
                .collect();
            let join = |point: &[f64]| {
                let mut joined = point[..start.len()].to_vec();
                for (&at, minus) in split.iter().zip(&point[start.len()..]) {
                    joined[at] -= minus;
                }
                joined
            };
            let mut objective = |point: &[f64], gradient: &mut [f64]| -> Result<f64> {
                let (plus, minus) = gradient.split_at_mut(start.len());
                let mut value = smooth(&join(point), plus)?;
                for ((&at, minus), v) in split.iter().zip(minus).zip(&point[start.len()..]) {
                    let price = magnitudes[at] * per_item;
                    value += price * (point[at] + v);
                    *minus = price - plus[at];
                    plus[at] += price;
                }
                Ok(value)
            };
            let mut lower = vec![f64::NEG_INFINITY; start.len()];
            let mut first = start.clone();
            for &at in &split {
                lower[at] = 0.0;
                first[at] = start[at].max(0.0);
                first.push((-start[at]).max(0.0));
            }
            lower.resize(first.len(), 0.0);
            let bounds = BoxSet::new(lower, vec![f64::INFINITY; first.len()])?;
            let search = LbfgsB {
                max_iter: deep.max_iter,
                gradient_tolerance: deep.tol,
                ..LbfgsB::default()
            };
            let mut outcome = search.minimise(&mut objective, &bounds, &first, run)?;
            outcome.x = join(&outcome.x);
            outcome
        }
    };
    stack.set(&outcome.x);
    let mut trace = outcome.trace;
    trace.objective_name = OBJECTIVE.to_owned();
    Ok(trace)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use didact_neural::{Activation, HiddenLayers};
    use didact_optimize::check_gradient;
    use didact_testing::random_matrix;
    use ndarray::Array2;

    /// Items, labels and sequences of a small problem.
    pub(in crate::deep) fn problem() -> (Array2<f64>, [usize; 9], [std::ops::Range<usize>; 3]) {
        let labels = [0, 2, 1, 1, 0, 2, 2, 1, 0];
        (random_matrix(9, 2, 1), labels, [0..4, 4..5, 5..9])
    }

    /// Random weights everywhere, with or without a predictor of single items.
    pub(in crate::deep) fn random_stack(independent_weight: f64) -> Stack {
        let layers = HiddenLayers::random(2, &[4, 3], Activation::Logistic, 5).unwrap();
        let mut stack = Stack::new(layers, 3, independent_weight);
        let n = stack.to_vec().len();
        let weights = random_matrix(1, n, 2);
        stack.set(weights.as_slice().unwrap());
        stack
    }

    // 000b:S30: through the chain, all layers and the predictor of single items.
    #[test]
    fn the_gradient_of_the_whole_stack_is_that_of_finite_differences() {
        let (items, labels, sequences) = problem();
        let taught = Taught {
            items: items.view(),
            labels: &labels,
            sequences: &sequences,
        };
        for independent_weight in [0.0, 0.7] {
            let mut stack = random_stack(independent_weight);
            let start = stack.to_vec();
            let mut objective = |point: &[f64], gradient: &mut [f64]| -> Result<f64> {
                stack.set(point);
                let (value, slopes) = loss(&stack, &taught, &Run::new())?;
                gradient.copy_from_slice(&slopes);
                Ok(value)
            };
            let check = check_gradient(&mut objective, &start).unwrap();
            assert!(check.relative_error < 1e-8, "{check:?}");
        }
    }
}
