//! The cells of recurrent layers: what a step makes of gates and memory.

use crate::{Activation, Real};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which long short-term memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LstmVariant {
    /// Forget, input and output gate logistic, candidate tanh: c ← f⊙c + i⊙g, h = o⊙tanh c.
    #[default]
    Standard,
    /// The same with the output gate tanh and the candidate logistic, as one text prints it.
    Swapped,
    /// The first one: no forget gate, so that c ← c + i⊙g, and a candidate without bias.
    Original,
    /// Only the carousel of constant error: c ← c + tanh(W·[x; h]), h = tanh c.
    Carousel,
}

/// What a recurrent layer does at each step with the item x and its last state h.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// h ← tanh(W_x·x + W_h·h + b).
    Elman {
        /// Whether there is a bias b.
        bias: bool,
    },
    /// A long short-term memory.
    Lstm(LstmVariant),
}

/// Which gates a memory has and where they stand among the weighted inputs.
#[derive(Clone, Copy, Debug)]
struct Gates {
    forget: Option<usize>,
    input: Option<usize>,
    output: Option<usize>,
    candidate: usize,
    output_activation: Activation,
    candidate_activation: Activation,
}

impl LstmVariant {
    fn gates(self) -> Gates {
        let standard = Gates {
            forget: Some(0),
            input: Some(1),
            output: Some(2),
            candidate: 3,
            output_activation: Activation::Logistic,
            candidate_activation: Activation::Tanh,
        };
        match self {
            LstmVariant::Standard => standard,
            LstmVariant::Swapped => Gates {
                output_activation: Activation::Tanh,
                candidate_activation: Activation::Logistic,
                ..standard
            },
            LstmVariant::Original => Gates {
                forget: None,
                input: Some(0),
                output: Some(1),
                candidate: 2,
                ..standard
            },
            LstmVariant::Carousel => Gates {
                forget: None,
                input: None,
                output: None,
                candidate: 0,
                ..standard
            },
        }
    }
}

impl Cell {
    /// Weighted inputs that a unit has.
    pub(crate) fn n_gates(self) -> usize {
        match self {
            Cell::Elman { .. } => 1,
            Cell::Lstm(variant) => variant.gates().candidate + 1,
        }
    }

    /// How many of them, the first ones, have a bias.
    pub(crate) fn n_biased(self) -> usize {
        match self {
            Cell::Elman { bias } => usize::from(bias),
            Cell::Lstm(LstmVariant::Standard | LstmVariant::Swapped) => 4,
            Cell::Lstm(LstmVariant::Original) => 2,
            Cell::Lstm(LstmVariant::Carousel) => 0,
        }
    }

    /// The place of the forget gate, whose biases start at one: at first nothing is forgotten.
    pub(crate) fn forget_gate(self) -> Option<usize> {
        match self {
            Cell::Elman { .. } => None,
            Cell::Lstm(variant) => variant.gates().forget,
        }
    }
}

/// The values of a step, row by row: gates (several per unit), and one value per unit of the
/// memory before, the memory, its tanh, and the state.
pub(super) struct Forward<'a, T> {
    pub(super) gates: &'a mut [T],
    pub(super) memory_before: &'a [T],
    pub(super) memory: &'a mut [T],
    pub(super) squashed: &'a mut [T],
    pub(super) state: &'a mut [T],
}

impl<T: Real> Forward<'_, T> {
    /// Turns weighted inputs into gates, and gates into memory and state.
    pub(super) fn step(self, cell: Cell, units: usize) {
        let Cell::Lstm(variant) = cell else {
            Activation::Tanh.apply(self.gates);
            self.state.copy_from_slice(self.gates);
            return;
        };
        let gates = variant.gates();
        let width = cell.n_gates() * units;
        for (row, values) in self.gates.chunks_exact_mut(width).enumerate() {
            let part = |gate: usize| gate * units..(gate + 1) * units;
            for gate in [gates.forget, gates.input].into_iter().flatten() {
                Activation::Logistic.apply(&mut values[part(gate)]);
            }
            if let Some(gate) = gates.output {
                gates.output_activation.apply(&mut values[part(gate)]);
            }
            gates
                .candidate_activation
                .apply(&mut values[part(gates.candidate)]);
            let read = |gate: Option<usize>, unit: usize| match gate {
                Some(gate) => values[gate * units + unit],
                None => T::one(),
            };
            let own = row * units..(row + 1) * units;
            for (unit, place) in own.clone().enumerate() {
                let candidate = values[gates.candidate * units + unit];
                self.memory[place] = read(gates.forget, unit) * self.memory_before[place]
                    + read(gates.input, unit) * candidate;
            }
            self.squashed[own.clone()].copy_from_slice(&self.memory[own.clone()]);
            Activation::Tanh.apply(&mut self.squashed[own.clone()]);
            for (unit, place) in own.enumerate() {
                self.state[place] = read(gates.output, unit) * self.squashed[place];
            }
        }
    }
}

/// The values of a step on the way back: gates become slopes of the weighted inputs.
pub(super) struct Backward<'a, T> {
    pub(super) gates: &'a mut [T],
    pub(super) memory_before: &'a [T],
    pub(super) squashed: &'a [T],
    pub(super) state: &'a [T],
    /// ∂L/∂h, everything counted.
    pub(super) state_slopes: &'a [T],
    /// ∂L/∂c from the step after, which becomes ∂L/∂c in all.
    pub(super) memory_slopes: &'a mut [T],
    /// ∂L/∂c of the memory before, through the memory alone: f⊙∂L/∂c.
    pub(super) carried: &'a mut [T],
}

impl<T: Real> Backward<'_, T> {
    pub(super) fn step(self, cell: Cell, units: usize) {
        let Cell::Lstm(variant) = cell else {
            self.gates.copy_from_slice(self.state_slopes);
            Activation::Tanh.scale_slopes(self.state, self.gates);
            return;
        };
        let one = T::one();
        let slope = |activation: Activation, value: T| match activation {
            Activation::Logistic => value * (one - value),
            _ => one - value * value,
        };
        let gates = variant.gates();
        let width = cell.n_gates() * units;
        for (row, values) in self.gates.chunks_exact_mut(width).enumerate() {
            for unit in 0..units {
                let place = row * units + unit;
                let at = |gate: usize| gate * units + unit;
                let read = |gate: Option<usize>| gate.map_or(one, |gate| values[at(gate)]);
                let (forget, input, output) =
                    (read(gates.forget), read(gates.input), read(gates.output));
                let candidate = values[at(gates.candidate)];
                let (from_state, squashed) = (self.state_slopes[place], self.squashed[place]);
                let memory_slope =
                    self.memory_slopes[place] + from_state * output * (one - squashed * squashed);
                self.memory_slopes[place] = memory_slope;
                self.carried[place] = memory_slope * forget;
                if let Some(gate) = gates.forget {
                    values[at(gate)] =
                        memory_slope * self.memory_before[place] * forget * (one - forget);
                }
                if let Some(gate) = gates.input {
                    values[at(gate)] = memory_slope * candidate * input * (one - input);
                }
                if let Some(gate) = gates.output {
                    values[at(gate)] =
                        from_state * squashed * slope(gates.output_activation, output);
                }
                values[at(gates.candidate)] =
                    memory_slope * input * slope(gates.candidate_activation, candidate);
            }
        }
    }
}
