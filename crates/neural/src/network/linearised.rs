//! A network as a linear map near a row: what small changes become, forward and back.

use super::{Network, Piece};
use didact_core::Result;

impl Network {
    /// J·v: how the scores (the weighted inputs of the last layer) change when the row `x` moves
    /// along `direction`. Layer by layer Δa = f′(z) ⊙ (W·Δx).
    ///
    /// ```
    /// use didact_neural::{Activation, Head, Network};
    /// let network = Network::random(&[3, 4, 2], Activation::Tanh, Head::REGRESSION, 7)?;
    /// let (x, v, u) = ([0.3, -1.0, 0.5], [1.0, 2.0, -1.0], [0.7, -0.2]);
    /// let forward = network.jacobian_times(&x, &v)?;
    /// let back = network.transposed_jacobian_times(&x, &u)?;
    /// let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    /// // ⟨u, J·v⟩ = ⟨Jᵀ·u, v⟩.
    /// assert!((dot(&u, &forward) - dot(&back, &v)).abs() < 1e-12);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn jacobian_times(&self, x: &[f64], direction: &[f64]) -> Result<Vec<f64>> {
        self.check_width(x.len(), self.n_inputs())?;
        self.check_width(direction.len(), self.n_inputs())?;
        let piece = self.sent_forward(x);
        // With all biases at zero a layer of weights is linear.
        let mut without_biases = self.parameters.clone();
        for layer in &self.plan.layers {
            if let Some((_, biases)) = layer.parameter_ranges() {
                without_biases[biases].fill(0.0);
            }
        }
        let mut change = direction.to_vec();
        for (place, layer) in self.plan.layers.iter().enumerate() {
            change = layer.push_forward(&without_biases, change, piece.slot(place));
        }
        Ok(change)
    }

    /// Jᵀ·u: how much each input of the row `x` contributes to a change `slopes` of the scores.
    /// Layer by layer the slope f′ is applied first and the weights after it.
    pub fn transposed_jacobian_times(&self, x: &[f64], slopes: &[f64]) -> Result<Vec<f64>> {
        self.check_width(x.len(), self.n_inputs())?;
        self.check_width(slopes.len(), self.n_outputs())?;
        let mut piece = self.sent_forward(x);
        Ok(piece
            .pull_back(&self.plan, &self.parameters, slopes)
            .to_vec())
    }

    fn sent_forward(&self, x: &[f64]) -> Piece<f64> {
        let mut piece = Piece::new(&self.plan, 1);
        piece.rows = 1;
        piece.input.copy_from_slice(x);
        piece.forward(&self.plan, &self.parameters, None);
        piece
    }
}
