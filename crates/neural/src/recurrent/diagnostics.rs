//! How far errors reach back in time.

use super::network::RecurrentNetwork;
use didact_core::{Result, Run};
use ndarray::ArrayView2;

/// The lengths (Frobenius norms) of the derivatives of the last state with respect to earlier
/// states and memories: at place `lag` those with respect to the ones `lag` items before.
///
/// ∂h_T/∂h_k is a product of T − k matrices: it vanishes or explodes with the lag where they are
/// mostly smaller or larger than one.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientNorms {
    /// ‖∂h_T/∂h_(T−lag)‖.
    pub states: Vec<f64>,
    /// ‖∂h_T/∂c_(T−lag)‖; zero in cells without memory.
    pub memories: Vec<f64>,
}

impl RecurrentNetwork {
    /// How much the last state of the last layer depends on its earlier ones, by lag.
    ///
    /// ```
    /// use didact_neural::{Cell, Head, Readout, RecurrentNetwork};
    /// use ndarray::Array2;
    /// let cell = Cell::Elman { bias: false };
    /// let network = RecurrentNetwork::random(1, &[1], cell, Readout::Last, 1, Head::REGRESSION, 0)?
    ///     .with_parameters(vec![1.0, 0.5, 1.0, 0.0])?;
    /// // Without input the cell is linear: the dependence is 0.5^lag.
    /// let norms = network.gradient_norms(Array2::zeros((21, 1)).view())?;
    /// assert_eq!(norms.states[20], 0.5_f64.powi(20));
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn gradient_norms(&self, items: ArrayView2<'_, f64>) -> Result<GradientNorms> {
        let (n_items, units) = (items.nrows(), self.stack.output.inputs);
        let mut squares = vec![0.0; n_items];
        let mut memory_squares = vec![0.0; n_items];
        let last_layer = self.stack.layers.len() - 1;
        let run = Run::new();
        for unit in 0..units {
            let mut reading = self.read_array(items)?;
            let slot = &mut reading.slots[last_layer];
            slot.state_slopes.fill(0.0);
            slot.state_slopes[(n_items - 1) * units + unit] = 1.0;
            reading.gradient.resize(self.n_parameters(), 0.0);
            self.stack.go_back(&self.parameters, &mut reading, &run)?;
            let slot = &reading.slots[last_layer];
            for (lag, square) in squares.iter_mut().enumerate() {
                let row = n_items - 1 - lag;
                let part = row * units..(row + 1) * units;
                let sum = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
                *square += sum(&slot.state_slopes[part.clone()]);
                memory_squares[lag] += sum(&slot.memory_slopes[part]);
            }
        }
        let root = |squares: Vec<f64>| squares.into_iter().map(f64::sqrt).collect();
        Ok(GradientNorms {
            states: root(squares),
            memories: root(memory_squares),
        })
    }
}
