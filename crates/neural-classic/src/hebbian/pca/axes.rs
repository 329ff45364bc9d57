//! Units that become principal axes, one row at a time or by averages.

use didact_core::{Error, Result};
use didact_math::linalg::{a_times_bt, matmul};
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How several units share the work of finding axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HebbianPcaRule {
    /// Each unit sees what those before it have left: the units become the axes in order.
    #[default]
    Sanger,
    /// All units see what all have left: they span the first axes together, each a mixture.
    Subspace,
}

/// Units that learn axes from a stream of rows, and follow where they drift. With one unit this
/// is Oja's neuron.
///
/// The rows must have mean zero.
///
/// ```
/// use didact_neural_classic::{HebbianAxes, HebbianPcaRule};
/// use ndarray::array;
/// let mut neuron = HebbianAxes::new(array![[1.0, 0.0]], HebbianPcaRule::Sanger)?;
/// for turn in 0..500 {
///     let sign = if turn % 2 == 0 { 1.0 } else { -1.0 };
///     neuron.learn(&[3.0 * sign, 4.0 * sign], 0.01)?;
/// }
/// assert!((neuron.weights() - &array![[0.6, 0.8]]).iter().all(|x| x.abs() < 1e-9));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HebbianAxes {
    weights: Array2<f64>,
    rule: HebbianPcaRule,
    /// The outputs for the last row.
    outputs: Vec<f64>,
    /// What the units have left of it.
    left: Vec<f64>,
}

impl HebbianAxes {
    /// Units with these first weights, one row per unit. They must not be zeros, from which
    /// nothing grows, nor equal, since units that are alike stay alike under the subspace rule.
    pub fn new(weights: Array2<f64>, rule: HebbianPcaRule) -> Result<Self> {
        if weights.is_empty() || weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::data(
                "the weights are empty or not finite; give one row per unit and one column per \
                 input",
            ));
        }
        Ok(HebbianAxes {
            outputs: vec![0.0; weights.nrows()],
            left: vec![0.0; weights.ncols()],
            weights: weights.as_standard_layout().into_owned(),
            rule,
        })
    }

    /// The weights, one row per unit.
    pub fn weights(&self) -> &Array2<f64> {
        &self.weights
    }

    pub(super) fn into_weights(self) -> Array2<f64> {
        self.weights
    }

    /// Learns from one row with the rate α; gives the outputs y = W·x before. A rate above about
    /// 1/‖x‖² lets the weights run away, which is an error once they are no numbers any more.
    pub fn learn(&mut self, row: &[f64], rate: f64) -> Result<&[f64]> {
        let (k, d) = self.weights.dim();
        if row.len() != d {
            return Err(Error::Columns {
                expected: d,
                found: row.len(),
            });
        }
        let weights = self.weights.as_slice_mut().expect("weights are contiguous");
        for (output, unit) in self.outputs.iter_mut().zip(weights.chunks_exact(d)) {
            *output = dot(unit, row);
        }
        self.left.copy_from_slice(row);
        if self.rule == HebbianPcaRule::Subspace {
            for unit in 0..k {
                take(
                    &mut self.left,
                    self.outputs[unit],
                    &weights[unit * d..(unit + 1) * d],
                );
            }
        }
        for (unit, weights) in weights.chunks_exact_mut(d).enumerate() {
            if self.rule == HebbianPcaRule::Sanger {
                take(&mut self.left, self.outputs[unit], weights);
            }
            let step = rate * self.outputs[unit];
            for (weight, left) in weights.iter_mut().zip(&self.left) {
                *weight += step * left;
            }
        }
        self.check_weights()?;
        Ok(&self.outputs)
    }

    /// The mean of y·xᵀ − tril(y·yᵀ)·W, or y·xᵀ − y·yᵀ·W, over rows with that covariance, and the
    /// sum of the variances of the outputs.
    pub(super) fn mean_change(&self, covariance: ArrayView2<'_, f64>) -> (Array2<f64>, f64) {
        let growth = matmul(self.weights.view(), covariance);
        let mut products = a_times_bt(growth.view(), self.weights.view());
        let captured = products.diag().sum();
        if self.rule == HebbianPcaRule::Sanger {
            for ((unit, other), value) in products.indexed_iter_mut() {
                if other > unit {
                    *value = 0.0;
                }
            }
        }
        (
            growth - matmul(products.view(), self.weights.view()),
            captured,
        )
    }

    /// Adds a change times a rate.
    pub(super) fn add(&mut self, change: &Array2<f64>, rate: f64) -> Result<()> {
        self.weights.scaled_add(rate, change);
        self.check_weights()
    }

    fn check_weights(&self) -> Result<()> {
        match self.weights.iter().all(|weight| weight.is_finite()) {
            true => Ok(()),
            false => Err(Error::numerical(
                "the weights have run away; choose a smaller rate for rows of such values",
            )),
        }
    }
}

/// left ← left − y·w.
fn take(left: &mut [f64], output: f64, weights: &[f64]) {
    for (left, weight) in left.iter_mut().zip(weights) {
        *left -= output * weight;
    }
}
