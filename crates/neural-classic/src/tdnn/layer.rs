//! The hidden layer, its error and its gradient.

use super::series::Windows;
use didact_core::{Result, Run};
use didact_math::linalg::{a_times_bt, at_times_b};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

/// Hidden units Σₕ vₕ·tanh(wₕ·x + cₕ) over a window.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenLayer {
    /// The weights wₕ of the window, one unit per row, oldest value first.
    pub weights: Array2<f64>,
    /// The biases cₕ.
    pub biases: Array1<f64>,
    /// The weights vₕ of the output.
    pub output: Array1<f64>,
}

impl HiddenLayer {
    pub(super) fn none(n_lags: usize) -> Self {
        HiddenLayer {
            weights: Array2::zeros((0, n_lags)),
            biases: Array1::zeros(0),
            output: Array1::zeros(0),
        }
    }

    pub(super) fn output(&self, window: ArrayView1<'_, f64>) -> f64 {
        let sums = self.weights.dot(&window) + &self.biases;
        sums.mapv(f64::tanh).dot(&self.output)
    }
}

/// ½·mean squared error of a network on windows plus the price of its hidden weights, as a
/// function of all its numbers in one list: linear weights, intercept, then W, c and v.
pub(super) struct WindowLoss<'a> {
    windows: &'a Windows,
    n_hidden: usize,
    alpha: f64,
}

impl<'a> WindowLoss<'a> {
    pub(super) fn new(windows: &'a Windows, n_hidden: usize, alpha: f64) -> Self {
        WindowLoss {
            windows,
            n_hidden,
            alpha,
        }
    }

    /// The numbers as a network.
    pub(super) fn unpack(&self, point: &[f64]) -> (Array1<f64>, HiddenLayer) {
        let (lags, hidden) = (self.windows.inputs.ncols(), self.n_hidden);
        let point = ArrayView1::from(point);
        let (linear, rest) = point.split_at(Axis(0), lags + 1);
        let (weights, rest) = rest.split_at(Axis(0), hidden * lags);
        let weights = weights
            .to_owned()
            .into_shape_with_order((hidden, lags))
            .expect("one weight per unit and lag");
        let (biases, output) = rest.split_at(Axis(0), hidden);
        let layer = HiddenLayer {
            weights,
            biases: biases.to_owned(),
            output: output.to_owned(),
        };
        (linear.to_owned(), layer)
    }

    /// The loss as something to minimise.
    pub(super) fn objective(
        &self,
        run: &Run,
    ) -> impl FnMut(&[f64], &mut [f64]) -> Result<f64> + use<'_, 'a> {
        let run = run.clone();
        move |point, gradient| {
            run.check()?;
            Ok(self.evaluate(point, gradient))
        }
    }

    pub(super) fn evaluate(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let inputs: ArrayView2<'_, f64> = self.windows.inputs.view();
        let (n, lags) = inputs.dim();
        let (linear, layer) = self.unpack(point);
        let active = (a_times_bt(inputs, layer.weights.view()) + &layer.biases).mapv(f64::tanh);
        let outputs =
            inputs.dot(&linear.slice(s![..lags])) + linear[lags] + active.dot(&layer.output);
        let errors = (outputs - &self.windows.targets) / n as f64;
        // What an error says to each hidden unit: e·v·(1 − tanh²).
        let slopes = active.mapv(|value| 1.0 - value * value) * &layer.output;
        let back = slopes * errors.view().insert_axis(Axis(1));
        let weights = at_times_b(back.view(), inputs) + &layer.weights * self.alpha;
        let parts = inputs
            .t()
            .dot(&errors)
            .into_iter()
            .chain([errors.sum()])
            .chain(weights)
            .chain(back.sum_axis(Axis(0)))
            .chain(active.t().dot(&errors) + &layer.output * self.alpha);
        for (slope, part) in gradient.iter_mut().zip(parts) {
            *slope = part;
        }
        let price: f64 = layer
            .weights
            .iter()
            .chain(&layer.output)
            .map(|w| w * w)
            .sum();
        0.5 * n as f64 * errors.dot(&errors) + 0.5 * self.alpha * price
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_optimize::check_gradient;

    // 001:RNN-12, 002b:NN-02: the gradient through the window against finite differences.
    #[test]
    fn the_gradient_of_the_windowed_network_is_right() {
        let series: Vec<f64> = (0..30).map(|t| (0.7 * f64::from(t)).sin()).collect();
        let windows = Windows::of(&[&series], 3).unwrap();
        let loss = WindowLoss::new(&windows, 2, 0.1);
        let point: Vec<f64> = (0..14).map(|i| (1.3 * f64::from(i)).cos()).collect();
        let check = check_gradient(&mut loss.objective(&Run::new()), &point).unwrap();
        assert!(check.passes(), "{check:?}");
    }
}
