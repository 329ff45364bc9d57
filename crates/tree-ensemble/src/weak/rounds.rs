//! The rounds of boosting: shapes are drawn, the best one is kept, rows are weighed anew.

use super::model::Ensemble;
use super::shape::Weak;
use super::{BoostingVariant, WeakBoosting, WeakLearner};
use crate::tree::exceeds;
use didact_core::random::generator;
use didact_core::{Result, Run, StopReason, TraceWriter, parallel};
use ndarray::{Array2, ArrayView1};

/// The largest Newton response of a row: beyond it the logistic loss is flat.
const LARGEST_RESPONSE: f64 = 4.0;

pub(super) struct Material {
    pub(super) scaled: Array2<f64>,
    /// What the rows weigh, in all one.
    pub(super) weights: Vec<f64>,
}

/// Sums over the rows of one side.
#[derive(Clone, Copy, Default)]
struct Side {
    /// Weight of the rows with y = +1, and with y = −1.
    plus: f64,
    minus: f64,
    /// Σ w·z of the responses.
    response: f64,
}

impl Side {
    fn add(&mut self, weight: f64, sign: f64, response: f64) {
        match sign > 0.0 {
            true => self.plus += weight,
            false => self.minus += weight,
        }
        self.response += weight * response;
    }

    fn without(self, other: Side) -> Side {
        Side {
            plus: (self.plus - other.plus).max(0.0),
            minus: (self.minus - other.minus).max(0.0),
            response: self.response - other.response,
        }
    }

    fn weight(self) -> f64 {
        self.plus + self.minus
    }

    fn mean(self) -> f64 {
        match self.weight() > 0.0 {
            true => self.response / self.weight(),
            false => 0.0,
        }
    }
}

/// Boosts shapes that tell the rows of sign +1 from the others.
pub(super) fn boost(
    how: &WeakBoosting,
    material: &Material,
    signs: &[f64],
    stream: u64,
    run: &Run,
) -> Result<Ensemble> {
    let n_rows = signs.len();
    let mut trace = TraceWriter::new(run, "training error", Some(how.n_estimators));
    let mut sums = vec![0.0; n_rows];
    let (mut members, mut errors, mut voices) = (Vec::new(), Vec::new(), Vec::new());
    let mut stop = StopReason::IterationLimit;
    let orders = match how.weak_learner {
        WeakLearner::Stumps => orders(material, run)?,
        _ => Vec::new(),
    };
    let mut weights = material.weights.clone();
    for round in 0..how.n_estimators {
        let responses: Vec<f64> = match how.variant {
            BoostingVariant::Logit => logistic(material, signs, &sums, &mut weights),
            _ => signs.to_vec(),
        };
        let count = match how.weak_learner {
            WeakLearner::Stumps => material.scaled.ncols(),
            _ => how.n_candidates,
        };
        let candidates: Vec<usize> = (0..count).collect();
        let found = parallel::map(&candidates, run, |&candidate| {
            let number = (round * count + candidate) as u64;
            let mut random = generator(how.random_state, number << 16 | stream);
            let column = if orders.is_empty() { 0 } else { candidate };
            let rows = material.scaled.view();
            let mut weak = Weak::draw(how.weak_learner, column, rows, signs, &mut random);
            let numbers: Vec<f64> = rows
                .rows()
                .into_iter()
                .map(|row| weak.number(slice(row)))
                .collect();
            let sorted;
            let order: &[u32] = match orders.get(candidate) {
                Some(order) => order,
                None => {
                    sorted = sort(&numbers);
                    &sorted
                }
            };
            let cost = search(
                how.variant,
                &mut weak,
                &numbers,
                order,
                (&weights, signs, &responses),
            );
            Ok((cost, weak))
        })?;
        let best = found
            .into_iter()
            .reduce(|a, b| if exceeds(a.0, b.0) { b } else { a });
        let Some((cost, weak)) = best.filter(|(cost, _)| cost.is_finite()) else {
            stop = StopReason::Stalled;
            break;
        };
        // The error of a discrete round decides whether it goes on.
        let is_guess = how.variant == BoostingVariant::Discrete && cost >= 0.5;
        let is_perfect = how.variant == BoostingVariant::Discrete && cost <= 0.0;
        if (is_guess && round > 0) || (weak.left == 0.0 && weak.right == 0.0) {
            stop = StopReason::Stalled;
            break;
        }
        if is_perfect {
            members.clear();
            voices.clear();
            sums.fill(0.0);
        }
        for (row, sum) in material.scaled.rows().into_iter().zip(&mut sums) {
            *sum += weak.answer(slice(row));
        }
        errors.push(cost);
        voices.push(weak.right.abs());
        members.push(weak);
        let wrong = (0..n_rows).filter(|&row| (sums[row] >= 0.0) != (signs[row] > 0.0));
        trace.record(wrong.map(|row| material.weights[row]).sum())?;
        if is_perfect || is_guess {
            stop = match is_perfect {
                true => StopReason::Converged,
                false => StopReason::Stalled,
            };
            break;
        }
        if how.variant != BoostingVariant::Logit {
            // exp(−y·F), from the sum itself, so that nothing drifts; the largest is one.
            let least = (0..n_rows)
                .map(|row| signs[row] * sums[row])
                .fold(f64::INFINITY, f64::min);
            for (row, weight) in weights.iter_mut().enumerate() {
                *weight = material.weights[row] * (least - signs[row] * sums[row]).exp();
            }
            normalise(&mut weights);
        }
    }
    Ok(Ensemble {
        members,
        errors,
        voices,
        trace: trace.finish(stop),
    })
}

fn slice(row: ArrayView1<'_, f64>) -> &[f64] {
    row.to_slice().expect("rows are contiguous")
}

fn normalise(weights: &mut [f64]) {
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
}

/// The working responses (y* − P)/(P(1 − P)), cut off, and the weights P(1 − P).
fn logistic(material: &Material, signs: &[f64], sums: &[f64], weights: &mut [f64]) -> Vec<f64> {
    let mut responses = Vec::with_capacity(signs.len());
    for row in 0..signs.len() {
        let chance = didact_math::numeric::sigmoid(2.0 * sums[row]);
        let response = match signs[row] > 0.0 {
            true => 1.0 / chance.max(1e-300),
            false => -1.0 / (1.0 - chance).max(1e-300),
        };
        responses.push(response.clamp(-LARGEST_RESPONSE, LARGEST_RESPONSE));
        weights[row] = material.weights[row] * (chance * (1.0 - chance)).max(1e-24);
    }
    normalise(weights);
    responses
}

/// The rows of each column by value, for stumps.
fn orders(material: &Material, run: &Run) -> Result<Vec<Vec<u32>>> {
    let columns: Vec<usize> = (0..material.scaled.ncols()).collect();
    parallel::map(&columns, run, |&column| {
        Ok(sort(&material.scaled.column(column).to_vec()))
    })
}

fn sort(numbers: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| {
        numbers[a as usize]
            .total_cmp(&numbers[b as usize])
            .then(a.cmp(&b))
    });
    order
}

/// Finds the best threshold and the answers of both sides; says what the round costs.
fn search(
    variant: BoostingVariant,
    weak: &mut Weak,
    numbers: &[f64],
    order: &[u32],
    (weights, signs, responses): (&[f64], &[f64], &[f64]),
) -> f64 {
    let mut whole = Side::default();
    for row in 0..numbers.len() {
        whole.add(weights[row], signs[row], responses[row]);
    }
    // Everything on one side is a classifier too.
    let mut best = (
        variant.cost(Side::default(), whole),
        f64::NEG_INFINITY,
        Side::default(),
    );
    let mut left = Side::default();
    for pair in order.windows(2) {
        let (row, next) = (pair[0] as usize, pair[1] as usize);
        left.add(weights[row], signs[row], responses[row]);
        if numbers[row] == numbers[next] {
            continue;
        }
        let cost = variant.cost(left, whole.without(left));
        if exceeds(best.0, cost) {
            let middle = numbers[row] / 2.0 + numbers[next] / 2.0;
            let threshold = if middle > numbers[row] {
                middle
            } else {
                numbers[next]
            };
            best = (cost, threshold, left);
        }
    }
    let (cost, threshold, left) = best;
    weak.threshold = threshold;
    (weak.left, weak.right) = variant.answers(left, whole.without(left), numbers.len());
    cost
}

/// The share of the weight on the wrong sides; what rounding leaves of none is none, or a shape that
/// is right everywhere would not be known as such.
fn weighted_error(left: Side, right: Side) -> f64 {
    let rising = left.plus + right.minus;
    let total = left.weight() + right.weight();
    let error = rising.min(total - rising) / total;
    if error > 1e-12 { error } else { 0.0 }
}

impl BoostingVariant {
    /// What a division costs; the error ε of a discrete one.
    fn cost(self, left: Side, right: Side) -> f64 {
        match self {
            BoostingVariant::Discrete => weighted_error(left, right),
            BoostingVariant::Real => {
                let side = |side: Side| (side.plus * side.minus).sqrt();
                2.0 * (side(left) + side(right))
            }
            // The squares about the means, up to what is the same for all divisions.
            BoostingVariant::Gentle | BoostingVariant::Logit => {
                -(left.response * left.mean() + right.response * right.mean())
            }
        }
    }

    /// What both sides add to the sum.
    fn answers(self, left: Side, right: Side, n_rows: usize) -> (f64, f64) {
        // A side of one class would answer with infinity: half a row of each is added.
        let smallest = 0.5 / n_rows as f64;
        match self {
            BoostingVariant::Discrete => {
                let total = left.weight() + right.weight();
                let rising = left.plus + right.minus;
                let error = weighted_error(left, right);
                let voice = match error > 0.0 {
                    true => 0.5 * ((1.0 - error) / error).ln(),
                    false => 1.0,
                };
                // At ε = ½ the voice is zero; a guess that stands alone keeps a small one.
                let voice = if voice > 0.0 { voice } else { 1e-12 };
                match rising <= total - rising {
                    true => (-voice, voice),
                    false => (voice, -voice),
                }
            }
            BoostingVariant::Real => {
                let odds =
                    |side: Side| 0.5 * ((side.plus + smallest) / (side.minus + smallest)).ln();
                (odds(left), odds(right))
            }
            BoostingVariant::Gentle => (left.mean(), right.mean()),
            BoostingVariant::Logit => (0.5 * left.mean(), 0.5 * right.mean()),
        }
    }
}
