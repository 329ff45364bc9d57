//! Draws that are weighted by how well they explain what is known.

use crate::Network;
use didact_core::random::generator;
use didact_core::{Error, Result};
use didact_math::numeric::{log_softmax_in_place, log_sum_exp};
use ndarray::Array2;

/// Rows drawn along the arrows with what is known held fast, and the weight of each.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedRows {
    /// One row per draw, one column per variable.
    pub rows: Array2<usize>,
    /// The weights P(what is known | what was drawn), scaled to sum to one.
    pub weights: Vec<f64>,
    /// The logarithm of their mean, an estimate of ln P(what is known).
    pub log_evidence: f64,
    sizes: Vec<usize>,
}

impl WeightedRows {
    /// The estimated distribution of the variable in this column.
    pub fn marginal(&self, column: usize) -> Vec<f64> {
        let values = self.rows.column(column);
        let mut shares = vec![0.0; self.sizes[column]];
        for (&value, weight) in values.iter().zip(&self.weights) {
            shares[value] += weight;
        }
        shares
    }

    /// 1/Σ wᵢ²: how many equally weighted rows would be as good.
    pub fn effective_size(&self) -> f64 {
        1.0 / self
            .weights
            .iter()
            .map(|weight| weight * weight)
            .sum::<f64>()
    }
}

impl Network {
    /// Draws rows along the arrows with what is known held fast, each weighted by
    /// P(what is known | what was drawn). Good where the evidence is near the roots or not
    /// improbable; see [`WeightedRows::effective_size`].
    pub fn weighted_sample(
        &self,
        n_rows: usize,
        given: &[(&str, usize)],
        seed: u64,
    ) -> Result<WeightedRows> {
        let known = self.evidence(given)?;
        let mut generator = generator(seed, 0);
        let mut rows = Array2::zeros((n_rows, known.len()));
        let mut values = vec![0; known.len()];
        let mut logs = Vec::with_capacity(n_rows);
        for mut row in rows.rows_mut() {
            logs.push(self.draw_around(&known, &mut values, &mut generator));
            row.iter_mut()
                .zip(&values)
                .for_each(|(to, from)| *to = *from);
        }
        let log_evidence = log_sum_exp(&logs) - (n_rows as f64).ln();
        if !log_evidence.is_finite() {
            return Err(Error::data(format!(
                "none of {n_rows} rows drawn agrees with the values {given:?}; \
                 draw more rows or ask for the exact answer"
            )));
        }
        log_softmax_in_place(&mut logs);
        Ok(WeightedRows {
            rows,
            weights: logs.into_iter().map(f64::exp).collect(),
            log_evidence,
            sizes: self.sizes(),
        })
    }
}
