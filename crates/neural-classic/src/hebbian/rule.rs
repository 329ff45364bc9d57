//! The rule of Hebb with its bounds and decays: one engine.

use didact_core::{Error, Result};
use didact_math::numeric::{dot, length};
use ndarray::{Array1, Array2, ArrayView2};

/// What keeps weights from growing for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum WeightBound {
    /// Nothing.
    #[default]
    None,
    /// No weight grows beyond ±w_max.
    Clip {
        /// The largest size of a weight, above 0.
        w_max: f64,
    },
    /// When a weight reaches w_max all are divided by it, so that their ratios remain.
    Rescale {
        /// The size at which all weights are divided, above 1.
        w_max: f64,
        /// Whether the rate is divided as well, so that old and new count alike; in the end it
        /// vanishes.
        also_rate: bool,
    },
    /// The weights of every output are brought to length one after every step.
    Normalise,
}

/// What is forgotten in every step, besides the growth α·yᵢ·xⱼ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum WeightDecay {
    /// Nothing: Δw_ij = α·yᵢ·xⱼ.
    #[default]
    None,
    /// A share of every weight whatever happens: Δw_ij = step·(α·yᵢ·xⱼ − w_ij), the rule of
    /// Grossberg in steps of time. For a linear unit it either forgets or explodes unless α is
    /// exactly 1/λ_max.
    Grossberg {
        /// The length of a step of time, above 0 and at most 1.
        step: f64,
    },
    /// Gated by the output: Δw_ij = α·yᵢ·(xⱼ − w_ij). The weights of an active output move to the
    /// input (instar).
    Instar,
    /// Gated by the input: Δw_ij = α·xⱼ·(yᵢ − w_ij). The weights of an active input move to the
    /// output (outstar).
    Outstar,
    /// By the square of the output: Δw_ij = α·yᵢ·(xⱼ − yᵢ·w_ij), the rule of Oja, whose weights
    /// come to length one by themselves.
    Oja,
}

/// How a Hebbian network learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HebbRule {
    /// The rate α, above 0.
    pub rate: f64,
    /// What is forgotten.
    pub decay: WeightDecay,
    /// What keeps the weights bounded.
    pub bound: WeightBound,
}

impl Default for HebbRule {
    fn default() -> Self {
        HebbRule {
            rate: 0.1,
            decay: WeightDecay::None,
            bound: WeightBound::None,
        }
    }
}

impl HebbRule {
    fn check(&self) -> Result<()> {
        let fault = |name: &str, value: f64, requirement: &str| {
            Err(Error::parameter(name, value, requirement.to_owned()))
        };
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if !positive(self.rate) {
            return fault("rate", self.rate, "it must be above 0 and finite");
        }
        match (self.bound, self.decay) {
            (WeightBound::Clip { w_max }, _) if !positive(w_max) => {
                fault("w_max", w_max, "it must be above 0 and finite")
            }
            (WeightBound::Rescale { w_max, .. }, _) if !(w_max > 1.0 && w_max.is_finite()) => {
                fault(
                    "w_max",
                    w_max,
                    "it must be above 1, or dividing would not shrink",
                )
            }
            (_, WeightDecay::Grossberg { step }) if !(step > 0.0 && step <= 1.0) => {
                fault("step", step, "it must be above 0 and at most 1")
            }
            _ => Ok(()),
        }
    }
}

/// Linear units y = W·x that learn by a rule of Hebb.
///
/// ```
/// use didact_neural_classic::{HebbNetwork, HebbRule};
/// use ndarray::{Array2, array};
/// // Two orthonormal inputs associated with two outputs are told apart exactly.
/// let rule = HebbRule { rate: 1.0, ..HebbRule::default() };
/// let mut network = HebbNetwork::new(Array2::zeros((2, 2)), rule)?;
/// network.associate(&[0.6, 0.8], &[1.0, -2.0])?;
/// network.associate(&[-0.8, 0.6], &[3.0, 4.0])?;
/// assert!((network.output(&[0.6, 0.8])? - array![1.0, -2.0]).iter().all(|x| x.abs() < 1e-15));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HebbNetwork {
    weights: Array2<f64>,
    rule: HebbRule,
}

impl HebbNetwork {
    /// A network with these weights, one row per output and one column per input.
    pub fn new(weights: Array2<f64>, rule: HebbRule) -> Result<Self> {
        rule.check()?;
        if weights.is_empty() || weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::data(
                "the weights are empty or not finite; give one row per output and one column per \
                 input",
            ));
        }
        Ok(HebbNetwork {
            weights: weights.as_standard_layout().into_owned(),
            rule,
        })
    }

    /// The weights, one row per output.
    pub fn weights(&self) -> &Array2<f64> {
        &self.weights
    }

    /// The rate now; rescaling may have divided it.
    pub fn rate(&self) -> f64 {
        self.rule.rate
    }

    /// The length of the weights of each output.
    pub fn norms(&self) -> Array1<f64> {
        let norm = |row: ndarray::ArrayView1<'_, f64>| {
            length(row.to_slice().expect("weights are contiguous"))
        };
        self.weights.rows().into_iter().map(norm).collect()
    }

    /// The outputs y = W·x.
    pub fn output(&self, input: &[f64]) -> Result<Array1<f64>> {
        check("input", input, self.weights.ncols())?;
        let sum = |row: ndarray::ArrayView1<'_, f64>| {
            dot(row.to_slice().expect("weights are contiguous"), input)
        };
        Ok(self.weights.rows().into_iter().map(sum).collect())
    }

    /// Learns from an input and the network's own answer to it; gives the answer.
    pub fn learn(&mut self, input: &[f64]) -> Result<Array1<f64>> {
        let output = self.output(input)?;
        self.associate(
            input,
            output.as_slice().expect("one dimension is contiguous"),
        )?;
        Ok(output)
    }

    /// Learns that an output belongs to an input.
    pub fn associate(&mut self, input: &[f64], output: &[f64]) -> Result<()> {
        check("input", input, self.weights.ncols())?;
        check("output", output, self.weights.nrows())?;
        let change = self.change(input, output);
        self.apply(change)
    }

    /// Learns once from all inputs, each with the network's own answer: the mean of the changes.
    pub fn learn_batch(&mut self, inputs: ArrayView2<'_, f64>) -> Result<()> {
        let mut total = Array2::zeros(self.weights.dim());
        for input in inputs.rows() {
            let input = input.to_vec();
            let output = self.output(&input)?.to_vec();
            total += &self.change(&input, &output);
        }
        self.apply(total / inputs.nrows().max(1) as f64)
    }

    /// Δw_ij for one input and output.
    fn change(&self, input: &[f64], output: &[f64]) -> Array2<f64> {
        let rate = self.rule.rate;
        Array2::from_shape_fn(self.weights.dim(), |(i, j)| {
            let (x, y, w) = (input[j], output[i], self.weights[[i, j]]);
            match self.rule.decay {
                WeightDecay::None => rate * y * x,
                WeightDecay::Grossberg { step } => step * (rate * y * x - w),
                WeightDecay::Instar => rate * y * (x - w),
                WeightDecay::Outstar => rate * x * (y - w),
                WeightDecay::Oja => rate * y * (x - y * w),
            }
        })
    }

    /// Adds a change and keeps the bounds. A change that leads beyond numbers changes nothing.
    fn apply(&mut self, change: Array2<f64>) -> Result<()> {
        let mut weights = &self.weights + &change;
        if weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::numerical(
                "the weights have grown beyond numbers; choose a smaller rate, a bound or a decay",
            ));
        }
        match self.rule.bound {
            WeightBound::None => {}
            WeightBound::Clip { w_max } => weights.mapv_inplace(|w| w.clamp(-w_max, w_max)),
            WeightBound::Rescale { w_max, also_rate } => {
                if weights.iter().any(|weight| weight.abs() >= w_max) {
                    weights /= w_max;
                    if also_rate {
                        self.rule.rate /= w_max;
                    }
                }
            }
            WeightBound::Normalise => {
                for mut row in weights.rows_mut() {
                    let norm = length(row.as_slice().expect("weights are contiguous"));
                    if norm > 0.0 {
                        row.mapv_inplace(|weight| weight / norm);
                    }
                }
            }
        }
        self.weights = weights;
        Ok(())
    }
}

/// Fails unless there are as many finite values as expected.
fn check(what: &str, values: &[f64], expected: usize) -> Result<()> {
    if values.len() != expected {
        return Err(Error::data(format!(
            "the {what} has {} values; the network needs {expected}",
            values.len()
        )));
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(place) => Err(Error::data(format!(
            "value {place} of the {what} is {}; every value must be a finite number",
            values[place]
        ))),
    }
}
