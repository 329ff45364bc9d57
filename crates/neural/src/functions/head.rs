//! The end of a network: what its last weighted inputs mean and what they cost.

use crate::Real;
use didact_core::{Error, Result};
use didact_math::numeric::{sigmoid, softplus};
use didact_math::vectorised::vectorised;
use serde::{Deserialize, Serialize};

/// What the last layer makes of its weighted inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputActivation {
    /// z itself.
    Identity,
    /// 1 / (1 + e⁻ᶻ), each output for itself.
    Logistic,
    /// Probabilities e^(zₖ) / Σⱼ e^(zⱼ) of classes of which one is true.
    Softmax,
}

/// What wrong outputs cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkLoss {
    /// ½‖a − y‖².
    SquaredError,
    /// −Σ y·ln p for probabilities of classes, −Σ[y·ln p + (1−y)·ln(1−p)] for logistic outputs.
    CrossEntropy,
    /// Σ max(0, 1 − y·z) for targets −1 and +1.
    Hinge,
    /// [1 + max of the scores of wrong labels − min of those of right ones]₊ for targets 1 (right)
    /// and 0 (wrong): only the worst pair of labels counts. Nothing where there is no pair.
    Ranking,
}

/// The end of a network: activation and loss of the last layer, taken together because their
/// derivative with respect to the weighted inputs z is simpler than the parts.
///
/// ```
/// use didact_neural::{Head, NetworkLoss, OutputActivation};
/// let head = Head::new(OutputActivation::Softmax, NetworkLoss::CrossEntropy)?;
/// let (loss, slopes) = head.loss_and_slopes(&[1.0, 2.0, 0.5], &[0.0, 1.0, 0.0]);
/// assert!((loss - 0.46436878410794485).abs() < 1e-15);
/// // p − y, which sums to zero over the classes.
/// assert!((slopes[0] - 0.2312238976).abs() < 1e-10 && slopes.iter().sum::<f64>().abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    activation: OutputActivation,
    loss: NetworkLoss,
}

impl Head {
    /// Puts activation and loss together; fails where the loss makes no sense of the outputs.
    pub fn new(activation: OutputActivation, loss: NetworkLoss) -> Result<Self> {
        let fits = match loss {
            NetworkLoss::SquaredError => true,
            NetworkLoss::CrossEntropy => activation != OutputActivation::Identity,
            NetworkLoss::Hinge | NetworkLoss::Ranking => activation == OutputActivation::Identity,
        };
        match fits {
            true => Ok(Head { activation, loss }),
            false => Err(Error::parameter(
                "loss",
                format!("{loss:?}"),
                format!(
                    "it makes no sense of {activation:?} outputs; cross-entropy needs probabilities, hinge and ranking plain scores"
                ),
            )),
        }
    }

    /// Plain outputs with squared error.
    pub const REGRESSION: Head = Head {
        activation: OutputActivation::Identity,
        loss: NetworkLoss::SquaredError,
    };

    /// Probabilities of classes with cross-entropy.
    pub const CLASSES: Head = Head {
        activation: OutputActivation::Softmax,
        loss: NetworkLoss::CrossEntropy,
    };

    /// Independent probabilities with cross-entropy.
    pub const COINS: Head = Head {
        activation: OutputActivation::Logistic,
        loss: NetworkLoss::CrossEntropy,
    };

    /// What the last layer makes of its weighted inputs.
    pub fn activation(self) -> OutputActivation {
        self.activation
    }

    /// What wrong outputs cost.
    pub fn loss(self) -> NetworkLoss {
        self.loss
    }

    /// The loss of one row of weighted inputs z and its derivative ∂L/∂z.
    pub fn loss_and_slopes(self, scores: &[f64], targets: &[f64]) -> (f64, Vec<f64>) {
        let mut slopes = scores.to_vec();
        let loss = self.charge(&mut slopes, targets, scores.len().max(1));
        (loss, slopes)
    }

    /// Replaces rows of weighted inputs by the outputs.
    pub(crate) fn apply<T: Real>(self, scores: &mut [T], width: usize) {
        match self.activation {
            OutputActivation::Identity => {}
            OutputActivation::Logistic => vectorised(
                #[inline(always)]
                || scores.iter_mut().for_each(|z| *z = z.sigmoid()),
            ),
            OutputActivation::Softmax => vectorised(
                #[inline(always)]
                || scores.chunks_exact_mut(width).for_each(softmax_in_place),
            ),
        }
    }

    /// Replaces rows of weighted inputs z by ∂L/∂z and returns the sum of the losses.
    pub(crate) fn charge<T: Real>(self, scores: &mut [T], targets: &[T], width: usize) -> f64 {
        match (self.loss, self.activation) {
            // Outside of `vectorised` each exponential would pay for products that are fused by hand.
            (NetworkLoss::CrossEntropy, OutputActivation::Softmax) => vectorised(
                #[inline(always)]
                || {
                    let mut total = 0.0;
                    let rows = scores.chunks_exact_mut(width);
                    for (z, y) in rows.zip(targets.chunks_exact(width)) {
                        total += charge_classes(z, y);
                    }
                    total
                },
            ),
            (NetworkLoss::CrossEntropy, _) => scores
                .iter_mut()
                .zip(targets)
                .map(|(z, &y)| {
                    let (score, target) = (z.widen(), y.widen());
                    *z = T::of(sigmoid(score)) - y;
                    softplus(score) - target * score
                })
                .sum(),
            (NetworkLoss::Hinge, _) => scores
                .iter_mut()
                .zip(targets)
                .map(|(z, &y)| {
                    let slack = 1.0 - (y * *z).widen();
                    *z = if slack > 0.0 { -y } else { T::zero() };
                    slack.max(0.0)
                })
                .sum(),
            (NetworkLoss::Ranking, _) => {
                let rows = scores.chunks_exact_mut(width);
                rows.zip(targets.chunks_exact(width))
                    .map(|(z, y)| charge_ranking(z, y))
                    .sum()
            }
            (NetworkLoss::SquaredError, _) => self.charge_squares(scores, targets, width),
        }
    }

    /// Squared error: the slope of the output layer is a factor of the error, and through the
    /// softmax every output moves with every score.
    fn charge_squares<T: Real>(self, scores: &mut [T], targets: &[T], width: usize) -> f64 {
        self.apply(scores, width);
        let mut total = 0.0;
        let rows = scores.chunks_exact_mut(width);
        for (outputs, targets) in rows.zip(targets.chunks_exact(width)) {
            let pull: T = match self.activation {
                OutputActivation::Softmax => {
                    let terms = outputs.iter().zip(targets);
                    terms.map(|(&a, &y)| a * (a - y)).sum()
                }
                _ => T::zero(),
            };
            for (output, &target) in outputs.iter_mut().zip(targets) {
                let (a, error) = (*output, *output - target);
                total += 0.5 * error.widen() * error.widen();
                *output = match self.activation {
                    OutputActivation::Identity => error,
                    OutputActivation::Logistic => error * a * (T::one() - a),
                    OutputActivation::Softmax => a * (error - pull),
                };
            }
        }
        total
    }
}

#[inline(always)]
fn softmax_in_place<T: Real>(row: &mut [T]) {
    let largest = row.iter().copied().fold(T::neg_infinity(), T::max);
    let mut sum = T::zero();
    for z in row.iter_mut() {
        *z = (*z - largest).exponential();
        sum += *z;
    }
    row.iter_mut().for_each(|p| *p /= sum);
}

/// The largest slack of a wrong label against a right one; slopes +1 and −1 for that pair alone.
fn charge_ranking<T: Real>(scores: &mut [T], targets: &[T]) -> f64 {
    let is_right = |label: &usize| targets[*label] > T::of(0.5);
    let labels = 0..scores.len();
    let highest_wrong = labels
        .clone()
        .filter(|label| !is_right(label))
        .reduce(|best, label| {
            if scores[label] > scores[best] {
                label
            } else {
                best
            }
        });
    let lowest_right = labels.filter(is_right).reduce(|best, label| {
        if scores[label] < scores[best] {
            label
        } else {
            best
        }
    });
    let pair = highest_wrong.zip(lowest_right);
    let slack = pair.map_or(0.0, |(wrong, right)| {
        1.0 + (scores[wrong] - scores[right]).widen()
    });
    scores.fill(T::zero());
    if let Some((wrong, right)) = pair.filter(|_| slack > 0.0) {
        scores[wrong] = T::one();
        scores[right] = -T::one();
    }
    slack.max(0.0)
}

/// −Σ y·ln p by the logarithm of the softmax; the slopes are p·Σy − y.
#[inline(always)]
fn charge_classes<T: Real>(scores: &mut [T], targets: &[T]) -> f64 {
    let largest = scores.iter().copied().fold(T::neg_infinity(), T::max);
    let (mut sum, mut given, mut weight) = (T::zero(), 0.0, T::zero());
    for (z, &y) in scores.iter_mut().zip(targets) {
        let above = *z - largest;
        given += y.widen() * above.widen();
        weight += y;
        *z = above.exponential();
        sum += *z;
    }
    for (p, &y) in scores.iter_mut().zip(targets) {
        *p = *p / sum * weight - y;
    }
    weight.widen() * sum.widen().ln() - given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cross_entropy, softmax, softmax_jacobian};
    use didact_optimize::finite_difference_gradient;
    use ndarray::arr1;

    fn heads() -> Vec<Head> {
        use {NetworkLoss::*, OutputActivation::*};
        let pairs = [
            (Identity, SquaredError),
            (Logistic, SquaredError),
            (Softmax, SquaredError),
            (Logistic, CrossEntropy),
            (Softmax, CrossEntropy),
            (Identity, Hinge),
            (Identity, Ranking),
        ];
        pairs.map(|(a, l)| Head::new(a, l).unwrap()).to_vec()
    }

    // 000b:D26 000b:D32 000b:D54 000b:D61 001:NN-08 003:P100
    #[test]
    fn slopes_of_every_loss_agree_with_finite_differences() {
        let z = [0.4, -1.3, 2.2];
        for head in heads() {
            let targets = match head.loss() {
                NetworkLoss::Hinge => [1.0, -1.0, 1.0],
                _ => [0.2, 0.7, 0.1],
            };
            let (_, slopes) = head.loss_and_slopes(&z, &targets);
            let expected =
                finite_difference_gradient(|z| Ok(head.loss_and_slopes(z, &targets).0), &z)
                    .unwrap();
            for (found, expected) in slopes.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-9, "{head:?} {slopes:?}");
            }
        }
    }

    // 000b:D61: squared error through the softmax needs its Jacobian; z − y alone is wrong.
    #[test]
    fn squared_error_through_the_softmax_carries_its_jacobian() {
        let (z, y) = ([0.4, -1.3, 2.2], arr1(&[0.0, 1.0, 0.0]));
        let head = Head::new(OutputActivation::Softmax, NetworkLoss::SquaredError).unwrap();
        let p = softmax(&z);
        let expected = softmax_jacobian(p.view()).dot(&(&p - &y));
        let (_, slopes) = head.loss_and_slopes(&z, y.as_slice().unwrap());
        for k in 0..3 {
            assert!((slopes[k] - expected[k]).abs() < 1e-15);
            assert!((slopes[k] - (p[k] - y[k])).abs() > 1e-2);
        }
    }

    // 000b:TV-8 000b:D32 003:P100
    #[test]
    fn the_softmax_vector_of_the_text() {
        let (loss, slopes) = Head::CLASSES.loss_and_slopes(&[1.0, 2.0, 0.5], &[0.0, 1.0, 0.0]);
        assert!((loss - 0.464_368_784_107_944_85).abs() < 1e-15);
        for (found, expected) in
            slopes
                .iter()
                .zip([0.231_223_897_6, -0.371_468_280_8, 0.140_244_383_2])
        {
            assert!((found - expected).abs() < 1e-10);
        }
        assert!(
            (cross_entropy(&softmax(&[1.0, 2.0, 0.5]).to_vec(), &[0.0, 1.0, 0.0]) - loss).abs()
                < 1e-14
        );
    }

    // 000a:fx-D9 000a:SUP-32: the loss is the largest slack, and only its pair gets slopes.
    #[test]
    fn only_the_worst_pair_of_labels_counts() {
        let head = Head::new(OutputActivation::Identity, NetworkLoss::Ranking).unwrap();
        let (scores, right) = ([2.0, 0.5, 1.0, 0.8], [1.0, 0.0, 1.0, 0.0]);
        let (loss, slopes) = head.loss_and_slopes(&scores, &right);
        assert!((loss - 0.8).abs() < 1e-15);
        assert_eq!(slopes, [0.0, 0.0, -1.0, 1.0]);
        // All pairs together cost 1.3: 0 + 0 + 0.5 + 0.8.
        let slack = |r: usize, s: usize| (1.0 + scores[s] - scores[r]).max(0.0);
        let all = slack(0, 1) + slack(0, 3) + slack(2, 1) + slack(2, 3);
        assert!((all - 1.3).abs() < 1e-15);
        for targets in [[1.0; 4], [0.0; 4]] {
            assert_eq!(head.loss_and_slopes(&scores, &targets), (0.0, vec![0.0; 4]));
        }
    }

    #[test]
    fn extreme_scores_cost_a_finite_amount() {
        let (loss, slopes) = Head::CLASSES.loss_and_slopes(&[1e30, -1e30], &[0.0, 1.0]);
        assert_eq!((loss, slopes), (2e30, vec![1.0, -1.0]));
        let (loss, _) = Head::COINS.loss_and_slopes(&[-1e3], &[1.0]);
        assert_eq!(loss, 1e3);
        assert!(Head::new(OutputActivation::Identity, NetworkLoss::CrossEntropy).is_err());
    }
}
