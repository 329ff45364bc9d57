//! The delta rule: one update for threshold, linear and sigmoid units.

use didact_core::{Error, Result};
use didact_math::numeric::sigmoid;
use ndarray::{Array1, ArrayView1, ArrayView2};

/// What a unit makes of its weighted sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// 1 where the sum is zero or more, else 0: targets are 0 and 1.
    Step,
    /// +1 where the sum is zero or more, else −1: targets are ±1, and the error is ±2.
    Sign,
    /// The sum itself.
    Identity,
    /// 1/(1 + e⁻ˢ): targets are 0 and 1.
    Sigmoid,
}

impl Activation {
    /// What the unit makes of the sum s.
    pub fn of(self, sum: f64) -> f64 {
        match self {
            Activation::Step => f64::from(sum >= 0.0),
            Activation::Sign => 2.0 * f64::from(sum >= 0.0) - 1.0,
            Activation::Identity => sum,
            Activation::Sigmoid => sigmoid(sum),
        }
    }
}

/// The change Δw = η·Σ(y − o)·x of the weights of a unit with outputs o = f(w·x), over all rows.
///
/// With a step or sign it is the batch perceptron, with the identity the rule of Widrow and Hoff,
/// which descends ½Σ(y − o)², and with a sigmoid it descends the cross-entropy (not the squared
/// error, whose gradient has a factor f′ more). A bias is the weight of a column of ones.
///
/// ```
/// use didact_linear::{Activation, delta_rule};
/// use ndarray::array;
/// let change = delta_rule(
///     array![[1.0, 2.0]].view(), &[1.0], array![0.0, 0.0].view(), 0.5, Activation::Sigmoid)?;
/// assert_eq!(change, array![0.25, 0.5]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn delta_rule(
    x: ArrayView2<'_, f64>,
    targets: &[f64],
    weights: ArrayView1<'_, f64>,
    eta: f64,
    activation: Activation,
) -> Result<Array1<f64>> {
    if x.ncols() != weights.len() || x.nrows() != targets.len() {
        return Err(Error::data(format!(
            "there are {} weights for {} columns and {} targets for {} rows; give one each",
            weights.len(),
            x.ncols(),
            targets.len(),
            x.nrows()
        )));
    }
    let mut change = Array1::zeros(weights.len());
    for (row, target) in x.rows().into_iter().zip(targets) {
        let error = target - activation.of(row.dot(&weights));
        change.scaled_add(eta * error, &row);
    }
    Ok(change)
}
