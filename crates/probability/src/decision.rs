//! The action of least expected loss.
//!
//! What to believe and what to do are different questions: a posterior answers the first, a loss
//! the second. For finitely many states the loss is a matrix over (truth, action); for numbers,
//! squared loss leads to the mean, absolute loss to the median and all-or-nothing to the mode.

use crate::{Cumulative, Modal, Moments, check};
use didact_core::{Error, Result};
use didact_math::numeric::{argmin, compensated_sum};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// What each action costs in each state: rows are truths, columns are actions.
///
/// There may be more actions than states, such as to reject and ask a person.
///
/// ```
/// use didact_probability::decision::LossMatrix;
/// // A missed alarm costs four times as much as a false one: act from probability 0.2 on.
/// let loss = LossMatrix::binary(1.0, 4.0)?;
/// assert_eq!(loss.decide(&[0.81, 0.19])?.action, 0);
/// assert_eq!(loss.decide(&[0.79, 0.21])?.action, 1);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Array2<f64>", into = "Array2<f64>")]
pub struct LossMatrix {
    losses: Array2<f64>,
}

impl TryFrom<Array2<f64>> for LossMatrix {
    type Error = Error;

    fn try_from(losses: Array2<f64>) -> Result<Self> {
        LossMatrix::new(losses)
    }
}

impl From<LossMatrix> for Array2<f64> {
    fn from(matrix: LossMatrix) -> Self {
        matrix.losses
    }
}

/// An action and what it is expected to cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The action of least expected loss, the lowest where several are equal.
    pub action: usize,
    /// Its expected loss ρ(a|x) = Σ L(y, a)·p(y|x).
    pub risk: f64,
}

impl LossMatrix {
    /// The losses L(truth, action), finite.
    pub fn new(losses: Array2<f64>) -> Result<Self> {
        if losses.is_empty() {
            return Err(Error::parameter(
                "losses",
                "empty",
                "there must be at least one truth and one action",
            ));
        }
        for ((truth, action), &loss) in losses.indexed_iter() {
            check::finite(&format!("losses[{truth}, {action}]"), loss)?;
        }
        Ok(LossMatrix { losses })
    }

    /// Nothing for the right class, one for every other: the best action is the most probable
    /// class.
    pub fn zero_one(n_classes: usize) -> Result<Self> {
        LossMatrix::new(Array2::from_shape_fn(
            (n_classes, n_classes),
            |(truth, action)| f64::from(u8::from(truth != action)),
        ))
    }

    /// Zero–one loss with one more action, the last, that costs the same whatever the truth.
    pub fn zero_one_with_reject(n_classes: usize, reject_cost: f64) -> Result<Self> {
        check::finite("reject_cost", reject_cost)?;
        let shape = (n_classes, n_classes + 1);
        LossMatrix::new(Array2::from_shape_fn(shape, |(truth, action)| {
            match action == n_classes {
                true => reject_cost,
                false => f64::from(u8::from(truth != action)),
            }
        }))
    }

    /// Two classes: what it costs to say 1 where 0 is true, and 0 where 1 is true.
    pub fn binary(false_positive: f64, false_negative: f64) -> Result<Self> {
        LossMatrix::new(ndarray::array![
            [0.0, false_positive],
            [false_negative, 0.0]
        ])
    }

    /// The number of truths.
    pub fn n_truths(&self) -> usize {
        self.losses.nrows()
    }

    /// The number of actions.
    pub fn n_actions(&self) -> usize {
        self.losses.ncols()
    }

    /// The expected loss of every action.
    pub fn risks(&self, posterior: &[f64]) -> Result<Array1<f64>> {
        check::probabilities("posterior", posterior)?;
        check::same_dimension("posterior", posterior.len(), self.n_truths())?;
        Ok(self
            .losses
            .columns()
            .into_iter()
            .map(|losses| compensated_sum(losses.iter().zip(posterior).map(|(l, p)| l * p)))
            .collect())
    }

    /// The action of least expected loss.
    pub fn decide(&self, posterior: &[f64]) -> Result<Decision> {
        let risks = self.risks(posterior)?;
        let action = argmin(risks.iter().copied()).unwrap_or(0);
        Ok(Decision {
            action,
            risk: risks[action],
        })
    }

    /// For two classes and two actions, the probability of class 1 from which action 1 is the
    /// better one: (L₀₁−L₀₀)/((L₀₁−L₀₀) + (L₁₀−L₁₁)). `None` where one action is always better.
    pub fn threshold(&self) -> Option<f64> {
        if self.losses.dim() != (2, 2) {
            return None;
        }
        let false_positive = self.losses[[0, 1]] - self.losses[[0, 0]];
        let false_negative = self.losses[[1, 0]] - self.losses[[1, 1]];
        (false_positive >= 0.0 && false_negative >= 0.0 && false_positive + false_negative > 0.0)
            .then(|| false_positive / (false_positive + false_negative))
    }
}

/// What an error of a number costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// (y−a)²: the best guess is the mean, and the least risk is the variance.
    Squared,
    /// |y−a|: the best guess is the median.
    Absolute,
    /// Nothing for the exact value, one for every other: the best guess is the mode.
    ZeroOne,
}

/// The best guess of a number that follows a law, under the given loss.
///
/// ```
/// use didact_probability::decision::{Loss, estimate};
/// use didact_probability::laws::Beta;
/// let belief = Beta::new(9.0, 6.0)?;
/// assert_eq!(estimate(&belief, Loss::Squared)?, 0.6);
/// assert!((estimate(&belief, Loss::Absolute)? - 0.604_557).abs() < 1e-6);
/// assert_eq!(estimate(&belief, Loss::ZeroOne)?, 8.0 / 13.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn estimate<L>(law: &L, loss: Loss) -> Result<f64>
where
    L: Moments<Mean = f64> + Cumulative<f64> + Modal<f64>,
{
    let guess = match loss {
        Loss::Squared => law.mean(),
        Loss::Absolute => Some(law.median()),
        Loss::ZeroOne => law.mode().point(),
    };
    guess.filter(|guess| guess.is_finite()).ok_or_else(|| {
        Error::data(match loss {
            Loss::Squared => "the law has no finite mean; guess under absolute loss instead",
            Loss::Absolute => "the law has no finite median",
            Loss::ZeroOne => "no single value is most probable; guess under another loss",
        })
    })
}

/// The best guess of a number among values with probabilities, and its expected loss.
///
/// Under absolute loss every point of the median interval is as good; its middle is returned,
/// see [`median_interval`].
pub fn estimate_from_values(
    values: &[f64],
    probabilities: &[f64],
    loss: Loss,
) -> Result<(f64, f64)> {
    let (mean, variance) = crate::expectation::moments(values, probabilities)?;
    match loss {
        Loss::Squared => Ok((mean, variance)),
        Loss::Absolute => {
            let (low, high) = median_interval(values, probabilities)?;
            let guess = low + 0.5 * (high - low);
            let risk =
                crate::expectation::expectation(values, probabilities, |y| (y - guess).abs());
            Ok((guess, risk?))
        }
        Loss::ZeroOne => {
            // Equal values pool their probability.
            let mut pairs: Vec<(f64, f64)> = values
                .iter()
                .copied()
                .zip(probabilities.iter().copied())
                .collect();
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let pooled = pairs.chunk_by(|a, b| a.0 == b.0);
            let best = pooled
                .map(|same| (same[0].0, same.iter().map(|pair| pair.1).sum::<f64>()))
                .fold((f64::NAN, f64::NEG_INFINITY), |best, next| {
                    if next.1 > best.1 { next } else { best }
                });
            Ok((best.0, (1.0 - best.1).max(0.0)))
        }
    }
}

/// All medians of values with probabilities: the ends of the interval of best guesses under
/// absolute loss, equal where there is only one.
///
/// ```
/// use didact_probability::decision::median_interval;
/// assert_eq!(median_interval(&[1.0, 2.0, 5.0], &[0.5, 0.2, 0.3])?, (1.0, 2.0));
/// assert_eq!(median_interval(&[1.0, 2.0, 5.0], &[0.4, 0.3, 0.3])?, (2.0, 2.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn median_interval(values: &[f64], probabilities: &[f64]) -> Result<(f64, f64)> {
    check::probabilities("probabilities", probabilities)?;
    check::same_dimension("values", values.len(), probabilities.len())?;
    let mut pairs: Vec<(f64, f64)> = values
        .iter()
        .copied()
        .zip(probabilities.iter().copied())
        .filter(|pair| pair.1 > 0.0)
        .collect();
    if let Some((value, _)) = pairs.iter().find(|pair| !pair.0.is_finite()) {
        return Err(Error::data(format!("the value {value} must be finite")));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok((
        half_reached(pairs.iter().copied()),
        half_reached(pairs.iter().rev().copied()),
    ))
}

/// The value at which half of the probability is reached, up to rounding.
fn half_reached(mut pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut sum = 0.0;
    pairs
        .find(|pair| {
            sum += pair.1;
            sum >= 0.5 - 1e-12
        })
        .map_or(f64::NAN, |pair| pair.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Density;
    use crate::laws::{Beta, Cauchy, Gamma};
    use crate::quadrature::integrate;
    use crate::roots::maximise;
    use crate::testing::assert_relative;
    use ndarray::array;
    use proptest::prelude::*;

    // 003:P51: L[truth, action]; read the other way round the answer would be action 1.
    #[test]
    fn rows_are_truths_and_columns_are_actions() {
        let loss = LossMatrix::new(array![[0.0, 5.0, 1.0], [1.0, 0.0, 1.0]]).unwrap();
        let risks = loss.risks(&[0.3, 0.7]).unwrap();
        assert_relative(risks[0], 0.7, 1e-15);
        assert_relative(risks[1], 1.5, 1e-15);
        assert_relative(risks[2], 1.0, 1e-15);
        let decision = loss.decide(&[0.3, 0.7]).unwrap();
        assert_eq!(decision.action, 0);
        assert_relative(decision.risk, 0.7, 1e-15);
        assert_eq!((loss.n_truths(), loss.n_actions()), (2, 3));
        assert!(loss.decide(&[0.3, 0.3]).is_err() && loss.decide(&[1.0]).is_err());
        assert!(LossMatrix::new(array![[f64::INFINITY]]).is_err());
        assert!(LossMatrix::zero_one(0).is_err());
    }

    // 003:P51: reject where even the best class is too doubtful.
    #[test]
    fn doubtful_cases_are_rejected() {
        let loss = LossMatrix::zero_one_with_reject(2, 0.2).unwrap();
        assert_eq!(loss.decide(&[0.9, 0.1]).unwrap().action, 0);
        assert_eq!(loss.decide(&[0.7, 0.3]).unwrap().action, 2);
        assert_eq!(loss.decide(&[0.1, 0.9]).unwrap().action, 1);
    }

    // Section 3 of 003: L_FP = 1, L_FN = 4 gives the probability cut 0.2.
    #[test]
    fn two_classes_have_a_threshold() {
        let loss = LossMatrix::binary(1.0, 4.0).unwrap();
        assert_relative(loss.threshold().unwrap(), 0.2, 1e-15);
        assert_eq!(LossMatrix::zero_one(2).unwrap().threshold(), Some(0.5));
        assert_eq!(LossMatrix::zero_one(3).unwrap().threshold(), None);
        assert_eq!(LossMatrix::binary(-1.0, 1.0).unwrap().threshold(), None);
        let text = serde_json::to_string(&loss).unwrap();
        assert_eq!(serde_json::from_str::<LossMatrix>(&text).unwrap(), loss);
    }

    // 003:P53, 003:P54: against a numeric minimiser of the expected loss.
    #[test]
    fn mean_and_median_minimise_their_losses() {
        let belief = Gamma::new(2.5, 1.3).unwrap();
        let risk = |guess: f64, loss: fn(f64) -> f64| {
            let piece = |from, to| integrate(from, to, |y| loss(y - guess) * belief.density(y));
            piece(0.0, guess).unwrap() + piece(guess, f64::INFINITY).unwrap()
        };
        for (kind, loss) in [
            (Loss::Squared, (|e| e * e) as fn(f64) -> f64),
            (Loss::Absolute, f64::abs),
        ] {
            let found = estimate(&belief, kind).unwrap();
            let searched = maximise(0.5, 4.0, |guess| -risk(guess, loss)).unwrap();
            assert!(
                (found - searched).abs() < 1e-5,
                "{kind:?}: {found} {searched}"
            );
        }
        let mean = estimate(&belief, Loss::Squared).unwrap();
        let least = risk(mean, |e| e * e);
        assert_relative(least, belief.variance().unwrap(), 1e-9);
    }

    // 003:P52
    #[test]
    fn zero_one_loss_leads_to_the_mode() {
        let belief = Beta::new(9.0, 6.0).unwrap();
        assert_relative(estimate(&belief, Loss::ZeroOne).unwrap(), 8.0 / 13.0, 1e-15);
        assert!(estimate(&Beta::new(1.0, 1.0).unwrap(), Loss::ZeroOne).is_err());
        assert!(estimate(&Cauchy::new(0.0, 1.0).unwrap(), Loss::Squared).is_err());
        assert_eq!(
            estimate(&Cauchy::new(3.0, 1.0).unwrap(), Loss::Absolute).unwrap(),
            3.0
        );
        let values = [1.0, 2.0, 1.0, 3.0];
        let (guess, risk) =
            estimate_from_values(&values, &[0.25, 0.3, 0.25, 0.2], Loss::ZeroOne).unwrap();
        assert_eq!(guess, 1.0);
        assert_relative(risk, 0.5, 1e-15);
    }

    // 003:P54: any point of the median interval has the same risk.
    #[test]
    fn every_median_is_as_good_as_the_other() {
        let (values, shares) = ([4.0, 1.0, 2.0], [0.3, 0.5, 0.2]);
        assert_eq!(median_interval(&values, &shares).unwrap(), (1.0, 2.0));
        let risk = |guess: f64| {
            crate::expectation::expectation(&values, &shares, |y| (y - guess).abs()).unwrap()
        };
        let (guess, least) = estimate_from_values(&values, &shares, Loss::Absolute).unwrap();
        assert_eq!(guess, 1.5);
        for other in [1.0, 1.3, 2.0] {
            assert_relative(risk(other), least, 1e-14);
        }
        assert!(risk(0.9) > least && risk(2.1) > least);
        assert!(median_interval(&[f64::NAN], &[1.0]).is_err());
    }

    proptest! {
        // 003:P52: the least risk under zero–one loss is one minus the largest probability.
        #[test]
        fn zero_one_decisions_are_the_most_probable_class(weights in prop::collection::vec(0.01..1.0_f64, 2..7)) {
            let total: f64 = weights.iter().sum();
            let posterior: Vec<f64> = weights.iter().map(|w| w / total).collect();
            let decision = LossMatrix::zero_one(posterior.len()).unwrap().decide(&posterior).unwrap();
            let largest = posterior.iter().copied().fold(0.0, f64::max);
            prop_assert!((decision.risk - (1.0 - largest)).abs() < 1e-12);
            prop_assert!((posterior[decision.action] - largest).abs() < 1e-12);
        }
    }
}
