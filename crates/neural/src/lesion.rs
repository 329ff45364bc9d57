//! Networks that lose some of their weights.

use crate::Network;
use didact_core::random::generator;
use didact_core::{Error, Result};
use rand::seq::SliceRandom;

/// How well a network does after losing a share of its weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesion {
    /// The share of the weights that were removed.
    pub share: f64,
    /// What is left of the figure of merit.
    pub score: f64,
}

impl Network {
    /// The same network without a share of its weights, drawn at random; biases stay. With the
    /// same seed a larger share removes all that a smaller one does.
    pub fn lesioned(&self, share: f64, seed: u64) -> Result<Network> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::parameter(
                "share",
                share,
                "it must be between 0 and 1",
            ));
        }
        let ranges = self
            .plan
            .layers
            .iter()
            .filter_map(|layer| layer.parameter_ranges());
        let mut weights: Vec<usize> = ranges.flat_map(|(weights, _)| weights).collect();
        weights.sort_unstable();
        weights.dedup();
        weights.shuffle(&mut generator(seed, 0));
        let removed = (share * weights.len() as f64).round() as usize;
        let mut network = self.clone();
        for &weight in &weights[..removed] {
            network.parameters[weight] = 0.0;
        }
        Ok(network)
    }

    /// The mean figure of merit over `repeats` random lesions of each share: a network that
    /// degrades gracefully loses it little by little.
    ///
    /// ```
    /// use didact_neural::{Activation, Head, Network};
    /// use ndarray::array;
    /// let network = Network::random(&[2, 50, 1], Activation::Tanh, Head::REGRESSION, 1)?;
    /// let x = array![[0.3, -0.4], [1.0, 0.5]];
    /// let whole = network.outputs(x.view())?;
    /// let curve = network.lesion_curve(&[0.0, 0.5, 1.0], 10, 0, |lesioned| {
    ///     let difference = lesioned.outputs(x.view())? - &whole;
    ///     Ok(-difference.mapv(f64::abs).sum())
    /// })?;
    /// assert!(curve[0].score == 0.0 && curve[1].score < 0.0);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn lesion_curve(
        &self,
        shares: &[f64],
        repeats: u64,
        seed: u64,
        mut merit: impl FnMut(&Network) -> Result<f64>,
    ) -> Result<Vec<Lesion>> {
        let mut curve = Vec::with_capacity(shares.len());
        for &share in shares {
            let mut total = 0.0;
            for repeat in 0..repeats.max(1) {
                total += merit(&self.lesioned(share, seed.wrapping_add(repeat))?)?;
            }
            let score = total / repeats.max(1) as f64;
            curve.push(Lesion { share, score });
        }
        Ok(curve)
    }
}
