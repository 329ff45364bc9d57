//! The separator of Jutten and Hérault: independent outputs by non-linear anti-Hebbian learning.

use didact_core::{Error, Result};
use didact_math::linalg::Lu;
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// An odd function of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddFunction {
    /// y³.
    Cube,
    /// arctan y.
    Arctangent,
    /// tanh y.
    Tanh,
    /// y itself: for both functions the outputs become uncorrelated only.
    Identity,
}

impl OddFunction {
    /// The value of the function.
    pub fn of(self, y: f64) -> f64 {
        match self {
            OddFunction::Cube => y * y * y,
            OddFunction::Arctangent => y.atan(),
            OddFunction::Tanh => y.tanh(),
            OddFunction::Identity => y,
        }
    }
}

/// A network y = x − W·y without self-connections, settled at y = (I + W)⁻¹·x.
///
/// Its weights learn by Δw_ij = +α·f(yᵢ)·g(yⱼ): with the minus sign in the activity the sign of the
/// rule is plus. At rest E[f(yᵢ)·g(yⱼ)] = 0, which for odd f ≠ g means more than uncorrelated.
///
/// ```
/// use didact_neural_classic::{JuttenHeraultNetwork, OddFunction};
/// let mut network = JuttenHeraultNetwork::new(2, OddFunction::Cube, OddFunction::Arctangent)?;
/// network.learn(&[1.0, 0.5], 0.1)?;
/// assert_eq!(network.weights()[[0, 1]], 0.1 * 0.5_f64.atan());
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JuttenHeraultNetwork {
    weights: Array2<f64>,
    f: OddFunction,
    g: OddFunction,
}

impl JuttenHeraultNetwork {
    /// A network of that many outputs with weights of zero.
    pub fn new(n_outputs: usize, f: OddFunction, g: OddFunction) -> Result<Self> {
        if n_outputs == 0 {
            return Err(Error::parameter("n_outputs", 0, "it must be at least 1"));
        }
        Ok(JuttenHeraultNetwork {
            weights: Array2::zeros((n_outputs, n_outputs)),
            f,
            g,
        })
    }

    /// The lateral weights W, with zeros on the diagonal.
    pub fn weights(&self) -> &Array2<f64> {
        &self.weights
    }

    /// The matrix (I + W)⁻¹ that takes inputs to outputs.
    pub fn unmixing(&self) -> Result<Array2<f64>> {
        let n = self.weights.nrows();
        let inverse =
            Lu::new((Array2::eye(n) + &self.weights).view())?.solve(Array2::<f64>::eye(n).view());
        match inverse.iter().all(|value| value.is_finite()) {
            true => Ok(inverse),
            false => Err(diverged()),
        }
    }

    /// The settled outputs for one input.
    pub fn output(&self, input: &[f64]) -> Result<Array1<f64>> {
        if input.len() != self.weights.nrows() {
            return Err(Error::Columns {
                expected: self.weights.nrows(),
                found: input.len(),
            });
        }
        let rows = ArrayView2::from_shape((1, input.len()), input).expect("one row");
        Ok(self.outputs(rows)?.remove_axis(Axis(0)))
    }

    /// The settled outputs for inputs of mean zero, one per row.
    pub fn outputs(&self, inputs: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        if inputs.ncols() != self.weights.nrows() {
            return Err(Error::Columns {
                expected: self.weights.nrows(),
                found: inputs.ncols(),
            });
        }
        Ok(didact_math::linalg::a_times_bt(
            inputs,
            self.unmixing()?.view(),
        ))
    }

    /// Learns from one input of mean zero with the rate α; gives the outputs before.
    pub fn learn(&mut self, input: &[f64], rate: f64) -> Result<Array1<f64>> {
        let output = self.output(input)?;
        let mut change = Array2::zeros(self.weights.dim());
        self.add_products(output.as_slice().expect("contiguous"), &mut change);
        self.add(&change, rate)?;
        Ok(output)
    }

    /// products_ij += f(yᵢ)·g(yⱼ) for i ≠ j.
    pub(super) fn add_products(&self, output: &[f64], products: &mut Array2<f64>) {
        for (i, &left) in output.iter().enumerate() {
            let left = self.f.of(left);
            for (j, &right) in output.iter().enumerate() {
                if i != j {
                    products[[i, j]] += left * self.g.of(right);
                }
            }
        }
    }

    pub(super) fn add(&mut self, change: &Array2<f64>, rate: f64) -> Result<()> {
        let weights = &self.weights + &(change * rate);
        if weights.iter().any(|weight| !weight.is_finite()) {
            return Err(diverged());
        }
        self.weights = weights;
        Ok(())
    }
}

pub(super) fn diverged() -> Error {
    Error::numerical(
        "the weights diverge; the values are mixed too strongly for this network, or the rate is \
         too large, or f and g should be exchanged",
    )
}

/// How far a matrix is from taking each source to one output: 0 for a permutation with scales,
/// 1 at most (Amari's index).
pub fn amari_index(map: ArrayView2<'_, f64>) -> Result<f64> {
    let n = map.nrows();
    let sizes = map.mapv(f64::abs);
    let has_zero_line = |axis| sizes.sum_axis(axis).iter().any(|&sum| sum == 0.0);
    if !map.is_square() || n < 2 || has_zero_line(Axis(0)) || has_zero_line(Axis(1)) {
        return Err(Error::data(
            "the matrix must be square, of at least 2 rows, none of which and no column of which \
             is zero; give the product of unmixing and mixing",
        ));
    }
    let excess = |line: ndarray::ArrayView1<'_, f64>| {
        line.sum() / line.fold(0.0_f64, |a, &b| a.max(b)) - 1.0
    };
    let rows: f64 = sizes.rows().into_iter().map(excess).sum();
    let columns: f64 = sizes.columns().into_iter().map(excess).sum();
    Ok((rows + columns) / (2.0 * n as f64 * (n - 1) as f64))
}
