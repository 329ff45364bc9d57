//! Draws from a network: forward along the arrows, weighted by evidence, or by Gibbs sampling.

mod gibbs;
mod weighted;

pub use gibbs::{Gibbs, GibbsDraws};
pub use weighted::WeightedRows;

use crate::Network;
use didact_core::random::{Generator, generator};
use ndarray::Array2;
use rand::RngExt;

impl Network {
    /// Draws rows along the arrows: every node once its parents have values.
    ///
    /// ```
    /// use didact_graphical::{Network, Variable};
    /// let network = Network::new(vec![
    ///     Variable::root("a", &[0.5, 0.5]),
    ///     Variable::new("b", &["a"], &[&[1.0, 0.0], &[0.0, 1.0]]),
    /// ])?;
    /// let rows = network.sample(100, 7);
    /// assert!(rows.rows().into_iter().all(|row| row[0] == row[1]));
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn sample(&self, n_rows: usize, seed: u64) -> Array2<usize> {
        let mut generator = generator(seed, 0);
        let mut rows = Array2::zeros((n_rows, self.graph().n_nodes()));
        let mut values = vec![0; self.graph().n_nodes()];
        for mut row in rows.rows_mut() {
            self.draw_forward(&mut values, &mut generator);
            row.iter_mut()
                .zip(&values)
                .for_each(|(to, from)| *to = *from);
        }
        rows
    }

    /// Draws a value for every node.
    pub(crate) fn draw_forward(&self, values: &mut [usize], generator: &mut Generator) {
        for &node in self.graph().order() {
            let shares = self.table(node).row(self.row(node, values));
            values[node] = pick(shares, generator.random());
        }
    }

    /// Draws a value for every node that is not known; ln P(what is known | what was drawn).
    fn draw_around(
        &self,
        known: &[Option<usize>],
        values: &mut [usize],
        generator: &mut Generator,
    ) -> f64 {
        let mut log_weight = 0.0;
        for &node in self.graph().order() {
            let shares = self.table(node).row(self.row(node, values));
            values[node] = match known[node] {
                Some(value) => {
                    log_weight += shares[value].ln();
                    value
                }
                None => pick(shares, generator.random()),
            };
        }
        log_weight
    }
}

/// The place in whose part of [0, 1) a uniform number falls.
fn pick(shares: &[f64], uniform: f64) -> usize {
    let mut left = uniform;
    let found = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    // Rounding may leave a rest: it belongs to the last that has a share.
    let last = || shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    found.unwrap_or_else(last)
}
