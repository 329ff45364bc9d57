//! A network from the code of a user or item to its factors.

use didact_core::random::Generator;
use didact_math::linalg::{a_times_bt, at_times_b, matmul};
use ndarray::{Array2, ArrayView2, Axis};
use rand_distr::{Distribution, StandardNormal};

/// Layers that read one-of-n codes, with tanh between them and none at the end.
///
/// A code times the first matrix of weights is a row of that matrix, so all n codes are encoded
/// at once by the matrix itself; a bias there would add nothing. One layer is a table of free
/// factors. Parameters lie one behind the other: the first weights, then weights and biases of
/// every later layer, all in C order.
pub(super) struct Encoder {
    n: usize,
    /// The widths of all layers, the last being the number of factors.
    widths: Vec<usize>,
}

impl Encoder {
    pub(super) fn new(n: usize, hidden: &[usize], n_factors: usize) -> Self {
        Encoder {
            n,
            widths: [hidden, &[n_factors]].concat(),
        }
    }

    pub(super) fn n_parameters(&self) -> usize {
        let later = self.widths.windows(2).map(|pair| (pair[0] + 1) * pair[1]);
        self.n * self.widths[0] + later.sum::<usize>()
    }

    pub(super) fn n_factors(&self) -> usize {
        self.widths[self.widths.len() - 1]
    }

    /// Normal parameters such that factors have about this standard deviation.
    pub(super) fn start(&self, scale: f64, random: &mut Generator) -> Vec<f64> {
        let mut normal = |deviation: f64| -> f64 {
            deviation * Distribution::<f64>::sample(&StandardNormal, random)
        };
        let last = self.widths.len() - 1;
        let first = if last == 0 { scale } else { 1.0 };
        let mut start: Vec<f64> = (0..self.n * self.widths[0])
            .map(|_| normal(first))
            .collect();
        for (layer, pair) in self.widths.windows(2).enumerate() {
            let size = if layer + 1 == last { scale } else { 1.0 };
            let deviation = size / (pair[0] as f64).sqrt();
            start.extend((0..pair[0] * pair[1]).map(|_| normal(deviation)));
            start.extend(std::iter::repeat_n(0.0, pair[1]));
        }
        start
    }

    /// What every layer gives: tanh of the hidden ones, the factors last.
    pub(super) fn forward(&self, parameters: &[f64]) -> Vec<Array2<f64>> {
        let (table, mut rest) = parameters.split_at(self.n * self.widths[0]);
        let table = ArrayView2::from_shape((self.n, self.widths[0]), table).expect("n rows");
        let mut layers = vec![table.to_owned()];
        for pair in self.widths.windows(2) {
            let (weights, biases, later) = take_layer(rest, pair);
            rest = later;
            let last = layers.last_mut().expect("there is a first layer");
            last.mapv_inplace(f64::tanh);
            let next = matmul(last.view(), weights) + biases;
            layers.push(next);
        }
        layers
    }

    /// Writes the slopes of all parameters, given what the layers gave and the slopes of the
    /// factors.
    pub(super) fn backward(
        &self,
        parameters: &[f64],
        layers: &[Array2<f64>],
        mut slopes: Array2<f64>,
        gradient: &mut [f64],
    ) {
        let mut end = parameters.len();
        for layer in (1..self.widths.len()).rev() {
            let pair = &self.widths[layer - 1..=layer];
            let start = end - (pair[0] + 1) * pair[1];
            let (weights, _, _) = take_layer(&parameters[start..end], pair);
            let below = &layers[layer - 1];
            let of_weights = at_times_b(below.view(), slopes.view());
            let of_biases = slopes.sum_axis(Axis(0));
            let all = of_weights.iter().chain(&of_biases);
            gradient[start..end]
                .iter_mut()
                .zip(all)
                .for_each(|(to, from)| *to = *from);
            slopes = a_times_bt(slopes.view(), weights);
            slopes.zip_mut_with(below, |slope, value| *slope *= 1.0 - value * value);
            end = start;
        }
        gradient[..end]
            .iter_mut()
            .zip(&slopes)
            .for_each(|(to, from)| *to = *from);
    }
}

/// The weights and biases of a layer between these widths, and the parameters behind them.
fn take_layer<'a>(
    parameters: &'a [f64],
    widths: &[usize],
) -> (ArrayView2<'a, f64>, ndarray::ArrayView1<'a, f64>, &'a [f64]) {
    let (weights, rest) = parameters.split_at(widths[0] * widths[1]);
    let (biases, rest) = rest.split_at(widths[1]);
    let weights = ArrayView2::from_shape((widths[0], widths[1]), weights).expect("that many");
    (weights, biases.into(), rest)
}
