//! Layers on top of each other, each learned from the means of the one below.

use super::machine::{Machine, Steps, Visible};
use crate::rows::to_real;
use didact_core::random::generator;
use didact_core::{Error, Result, Run};
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// Greedy learning of logistic layers from rows alone, by contrastive divergence with one step.
///
/// Every layer is a restricted Boltzmann machine over the means of the layer below. The first
/// takes values between 0 and 1 as probabilities; where the rows have other values it takes them
/// as normal, each column shifted and scaled to mean zero and deviation one, and the scaling is
/// then written into the weights.
///
/// ```
/// use didact_core::Run;
/// use didact_neural::Pretraining;
/// let iris = didact_datasets::iris();
/// let layers = Pretraining::default().learn(iris.features(), &[6, 3], &Run::new())?;
/// assert_eq!(layers[1].weights.dim(), (3, 6));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pretraining {
    /// Passes over the rows for each layer.
    pub n_iter: usize,
    /// The length of the steps; half of it where the visible units are normal.
    pub learning_rate: f64,
    /// How many rows share a step.
    pub batch_size: usize,
    /// Seed of the random weights, the shuffling and the sampled units.
    pub seed: u64,
}

impl Default for Pretraining {
    fn default() -> Self {
        Pretraining {
            n_iter: 10,
            learning_rate: 0.1,
            batch_size: 10,
            seed: 0,
        }
    }
}

/// A logistic layer h = σ(W·v + c) that was learned from rows alone, and the way back.
#[derive(Clone, Debug, PartialEq)]
pub struct PretrainedLayer {
    /// W, a row per unit.
    pub weights: Array2<f64>,
    /// The biases c of the units.
    pub biases: Array1<f64>,
    /// The weights of the way back, v̂ = s(W′·h + b): Wᵀ, scaled as the columns are.
    pub down_weights: Array2<f64>,
    /// The biases b of the way back.
    pub down_biases: Array1<f64>,
    /// Whether s is logistic; the way back to normal values is linear.
    pub is_binary: bool,
    /// The mean squared error of the reconstructions in each pass.
    pub errors: Vec<f64>,
}

impl Pretraining {
    /// Learns layers of the given sizes.
    pub fn learn(
        &self,
        rows: ArrayView2<'_, f64>,
        sizes: &[usize],
        run: &Run,
    ) -> Result<Vec<PretrainedLayer>> {
        if sizes.contains(&0) || self.batch_size == 0 {
            return Err(Error::parameter(
                "hidden_layer_sizes",
                format!("{sizes:?}"),
                "every layer needs at least 1 unit, and a batch at least 1 row",
            ));
        }
        // A constant that is too large is named before it is scaled away.
        to_real::<f32>(rows, "column")?;
        let is_binary = rows.iter().all(|value| (0.0..=1.0).contains(value));
        let mut scaling = Scaling::none(rows.ncols());
        if !is_binary {
            scaling = Scaling::of(rows);
        }
        let scaled = (&rows - &scaling.mean) / &scaling.deviation;
        let mut values: Vec<f32> = scaled.iter().map(|&value| value as f32).collect();
        let mut layers = Vec::new();
        let mut n_visible = rows.ncols();
        for (place, &n_hidden) in sizes.iter().enumerate() {
            let visible = match place == 0 && !is_binary {
                true => Visible::Gaussian,
                false => Visible::Binary,
            };
            let mut random = generator(self.seed, (1 << 61) + place as u64);
            let mut machine = Machine::new(visible, (n_visible, n_hidden), &mut random);
            let errors = machine.learn(&values, &self.steps(visible), &mut random, run)?;
            if machine.weights.iter().any(|weight| !weight.is_finite()) {
                return Err(Error::parameter(
                    "learning_rate",
                    self.learning_rate,
                    "it makes the weights grow without bound; choose a smaller one",
                ));
            }
            let mut above = vec![0.0; values.len() / n_visible * n_hidden];
            machine.up(&values, &mut above);
            layers.push(scaling.written_into(&machine, errors));
            (values, n_visible) = (above, n_hidden);
            scaling = Scaling::none(n_hidden);
        }
        Ok(layers)
    }

    fn steps(&self, visible: Visible) -> Steps {
        Steps {
            n_iter: self.n_iter,
            rate: match visible {
                Visible::Binary => self.learning_rate,
                // Normal units have no bounds that would catch a long step.
                Visible::Gaussian => 0.5 * self.learning_rate,
            },
            batch_size: self.batch_size,
        }
    }
}

/// Shift and scale of the columns.
struct Scaling {
    mean: Array1<f64>,
    deviation: Array1<f64>,
}

impl Scaling {
    fn none(n_columns: usize) -> Self {
        Scaling {
            mean: Array1::zeros(n_columns),
            deviation: Array1::ones(n_columns),
        }
    }

    fn of(rows: ArrayView2<'_, f64>) -> Self {
        let mean = rows.mean_axis(Axis(0)).expect("there are rows");
        let deviation = (&rows - &mean)
            .mapv(|d| d * d)
            .mean_axis(Axis(0))
            .expect("there are rows");
        let one_if_constant = |square: f64| if square > 0.0 { square.sqrt() } else { 1.0 };
        Scaling {
            mean,
            deviation: deviation.mapv(one_if_constant),
        }
    }

    /// σ(W·(v − μ)/s + c) = σ((W/s)·v + c − (W/s)·μ), and back v̂ = s·(Wᵀ·h + b) + μ.
    fn written_into(&self, machine: &Machine, errors: Vec<f64>) -> PretrainedLayer {
        let shape = (machine.n_hidden, machine.n_visible);
        let wide = |values: &[f32]| {
            values
                .iter()
                .map(|&value| f64::from(value))
                .collect::<Vec<_>>()
        };
        let raw = Array2::from_shape_vec(shape, wide(&machine.weights)).expect("one per entry");
        let weights = &raw / &self.deviation;
        let biases = Array1::from(wide(&machine.hidden_biases)) - weights.dot(&self.mean);
        let down_weights = (&raw * &self.deviation).reversed_axes();
        let down_biases =
            Array1::from(wide(&machine.visible_biases)) * &self.deviation + &self.mean;
        PretrainedLayer {
            weights,
            biases,
            down_weights: down_weights.as_standard_layout().into_owned(),
            down_biases,
            is_binary: machine.visible == Visible::Binary,
            errors,
        }
    }
}
