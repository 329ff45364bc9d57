//! Classes that count: naive Bayes on whole numbers.

use super::climb::Climber;
use super::posterior::score_rows;
use didact_core::{Csr, Error, OwnedRows, Result, Rows, Run};
use didact_math::linalg::transposed_rows_times;
use ndarray::{Array1, Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a class makes its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CountLaw {
    /// Each row is so many draws from the columns: p(x | k) ∝ Πⱼ θₖⱼ^xⱼ.
    #[default]
    Multinomial,
    /// Each column is there or not: p(x | k) = Πⱼ θₖⱼ or 1 − θₖⱼ; what is above zero is there.
    Bernoulli,
}

/// The weights of the classes, and what a unit of each column adds to the score of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Rates {
    pub(super) law: CountLaw,
    pub(super) weights: Array1<f64>,
    /// θ, a row per class.
    pub(super) rates: Array2<f64>,
    /// The mean of the sums of the rows.
    pub(super) length: f64,
}

impl Rates {
    /// ln πₖ + ln p(x | k), without the part of the multinomial that no class has a say in.
    pub(super) fn joint(&self, rows: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        let (slopes, offsets) = self.scores();
        let is_binary = self.law == CountLaw::Bernoulli;
        score_rows(rows, self.weights.len(), run, |row, scores| {
            for (class, score) in scores.iter_mut().enumerate() {
                let slopes = slopes.row(class);
                let mut sum = offsets[class];
                entries(row, |column, value| {
                    sum += if is_binary {
                        slopes[column]
                    } else {
                        value * slopes[column]
                    };
                });
                *score = sum;
            }
        })
    }

    /// The score of a row of zeros, and what a unit of each column adds.
    fn scores(&self) -> (Array2<f64>, Array1<f64>) {
        let weights = self.weights.mapv(f64::ln);
        match self.law {
            CountLaw::Multinomial => (self.rates.mapv(f64::ln), weights),
            CountLaw::Bernoulli => {
                let slopes = self.rates.mapv(|rate| rate.ln() - (-rate).ln_1p());
                let absent = self.rates.mapv(|rate| (-rate).ln_1p()).sum_axis(Axis(1));
                (slopes, weights + absent)
            }
        }
    }
}

/// Calls `visit` for the columns of one row that are above zero.
fn entries(row: Rows<'_>, mut visit: impl FnMut(usize, f64)) {
    match row {
        Rows::Dense(x) => {
            let values = x.iter().enumerate();
            values
                .filter(|(_, value)| **value > 0.0)
                .for_each(|(j, &value)| visit(j, value));
        }
        Rows::Sparse(x) => {
            let (columns, values) = x.row(0);
            let pairs = columns
                .iter()
                .zip(values)
                .filter(|(_, value)| **value > 0.0);
            pairs.for_each(|(&j, &value)| visit(j as usize, value));
        }
    }
}

/// Fails where a count is below zero.
pub(super) fn check_counts(rows: Rows<'_>) -> Result<()> {
    for row in 0..rows.n_rows() {
        let wrong = match rows {
            Rows::Dense(x) => x.row(row).iter().copied().find(|value| *value < 0.0),
            Rows::Sparse(x) => x.row(row).1.iter().copied().find(|value| *value < 0.0),
        };
        if let Some(value) = wrong {
            return Err(Error::data(format!(
                "row {row} holds {value}, but counts are not below zero; shift the column, or use \
                 semi-supervised-mixture with covariance_type=diag"
            )));
        }
    }
    Ok(())
}

/// Ones where a column is above zero.
pub(super) fn presence(rows: Rows<'_>) -> Result<OwnedRows> {
    Ok(match rows {
        Rows::Dense(x) => OwnedRows::Dense(x.mapv(|value| f64::from(value > 0.0))),
        Rows::Sparse(x) => {
            let (starts, columns, values, width) = x.to_owned().into_parts();
            let ones = values.iter().map(|&value| f64::from(value > 0.0)).collect();
            OwnedRows::Sparse(Csr::new(starts, columns, ones, width)?)
        }
    })
}

/// Finds rates of counts.
pub(super) struct CountClimber<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) law: CountLaw,
    pub(super) alpha: f64,
}

impl Climber for CountClimber<'_> {
    type Law = Rates;

    fn maximise(&self, responsibilities: &Array2<f64>, run: &Run) -> Result<Rates> {
        let totals = transposed_rows_times(self.rows, responsibilities.view(), run)?;
        let weights = responsibilities.sum_axis(Axis(0));
        let length = totals.sum() / weights.sum();
        let mut rates = totals.reversed_axes().as_standard_layout().into_owned() + self.alpha;
        for (class, mut row) in rates.rows_mut().into_iter().enumerate() {
            let total = match self.law {
                CountLaw::Multinomial => row.sum(),
                CountLaw::Bernoulli => weights[class] + 2.0 * self.alpha,
            };
            row /= total;
            if self.law == CountLaw::Bernoulli {
                // Rounding must not make a column certain.
                row.mapv_inplace(|rate| rate.clamp(f64::EPSILON, 1.0 - f64::EPSILON));
            }
        }
        match length.is_finite() && rates.iter().all(|rate| *rate > 0.0 && rate.is_finite()) {
            true => Ok(Rates {
                law: self.law,
                weights: &weights / weights.sum(),
                rates,
                length,
            }),
            false => Err(Error::numerical(
                "the counts of a column sum to more than any number; divide the columns by a power \
                 of ten",
            )),
        }
    }

    fn joint(&self, law: &Rates, run: &Run) -> Result<Array2<f64>> {
        law.joint(self.rows, run)
    }

    /// α·Σ ln θ, and for presence α·Σ ln(1 − θ): the smoothed rates maximise the likelihood with it.
    fn log_prior(&self, law: &Rates) -> f64 {
        let present: f64 = law.rates.iter().map(|rate| rate.ln()).sum();
        let absent: f64 = match law.law {
            CountLaw::Multinomial => 0.0,
            CountLaw::Bernoulli => law.rates.iter().map(|rate| (-rate).ln_1p()).sum(),
        };
        self.alpha * (present + absent)
    }
}
