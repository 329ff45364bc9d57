//! What follows from the joint log-densities of components and row: labels, responsibilities,
//! densities.

use didact_core::{Result, Rows};
use didact_math::numeric::{argmax, log_softmax_in_place, log_sum_exp};
use ndarray::{Array1, Array2};

/// A mixture, which knows a score of each row and component: ln πₖ p(x; θₖ).
pub(crate) trait Joint {
    /// How many components a row can belong to: the first of its scores.
    fn n_components(&self) -> usize;

    /// The logarithm of the sum of the weights πₖ.
    fn log_total_weight(&self) -> f64 {
        0.0
    }

    /// Hands the scores of every row to `finish`, which leaves `width` values.
    fn per_row(
        &self,
        rows: Rows<'_>,
        width: usize,
        finish: impl Fn(&mut [f64], &mut [f64]) + Sync + Send,
    ) -> Result<Vec<f64>>;

    /// The component with the highest score, the lowest where several are equally high.
    fn most_probable(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let k = self.n_components();
        let labels = self.per_row(rows, 1, |scores, output| {
            output[0] = argmax(scores[..k].iter().copied()).unwrap_or(0) as f64;
        })?;
        Ok(labels
            .into_iter()
            .map(|label| Some(label as usize))
            .collect())
    }

    /// The probability of each component given the row.
    fn responsibilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let k = self.n_components();
        let values = self.per_row(rows, k, |scores, output| {
            log_softmax_in_place(&mut scores[..k]);
            for (probability, score) in output.iter_mut().zip(scores) {
                *probability = score.exp();
            }
            let total: f64 = output.iter().sum();
            output
                .iter_mut()
                .for_each(|probability| *probability /= total);
        })?;
        Ok(Array2::from_shape_vec((rows.n_rows(), k), values).expect("one value per entry"))
    }

    /// ln p(x) = ln Σₖ πₖ p(x; θₖ). Where the density is smaller than any number the smallest
    /// logarithm stands for it.
    fn log_densities(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let total = self.log_total_weight();
        let densities = self.per_row(rows, 1, |scores, output| {
            output[0] = (log_sum_exp(scores) - total).max(f64::MIN);
        })?;
        Ok(Array1::from(densities))
    }
}

/// The abilities of a [`Joint`] model, with that of a density where its scores are logarithms of
/// one.
macro_rules! joint_model {
    ($model:ty) => {
        impl didact_core::Assign for $model {
            fn assign(
                &self,
                rows: didact_core::Rows<'_>,
            ) -> didact_core::Result<Vec<Option<usize>>> {
                $crate::joint::Joint::most_probable(self, rows)
            }
        }

        impl didact_core::Probabilities for $model {
            fn probabilities(
                &self,
                rows: didact_core::Rows<'_>,
            ) -> didact_core::Result<ndarray::Array2<f64>> {
                $crate::joint::Joint::responsibilities(self, rows)
            }
        }
    };
    ($model:ty, density) => {
        $crate::joint::joint_model!($model);

        impl didact_core::LogDensity for $model {
            /// Where the density is smaller than any number the smallest logarithm stands for it.
            fn log_density(
                &self,
                rows: didact_core::Rows<'_>,
            ) -> didact_core::Result<ndarray::Array1<f64>> {
                $crate::joint::Joint::log_densities(self, rows)
            }
        }
    };
}
pub(crate) use joint_model;

/// The place in whose part of [0, 1) a uniform number falls.
pub(crate) fn pick(shares: &[f64], uniform: f64) -> usize {
    let mut left = uniform;
    let found = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    // Rounding may leave a rest: it belongs to the last that has a share.
    let last = || shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    found.unwrap_or_else(last)
}
