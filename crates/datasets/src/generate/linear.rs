//! Regression problems whose coefficients are known.

use super::Generate;
use super::gaussians::row_of;
use super::points::{check_size, made, normal, normals, with_target};
use crate::dataset::{Dataset, Info, Task};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use rand::RngExt;
use rand::seq::index::sample;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// y = w·x + bias + noise, with every coefficient of w between 0 and 100.
///
/// ```
/// use didact_datasets::{Generate, LinearRegression};
/// let data = LinearRegression { noise: 0.0, ..LinearRegression::default() }.generate(4)?;
/// let coefficients = data.truth("coefficients").unwrap();
/// let exact = data.features().row(0).dot(&coefficients.row(0));
/// assert!((exact - data.targets()?[0]).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinearRegression {
    /// How many rows to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// How many columns, all of which matter.
    #[schemars(range(min = 1, max = 100_000))]
    pub n_features: usize,
    /// Standard deviation of the noise on y.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// The value of y at x = 0.
    pub bias: f64,
}

impl Default for LinearRegression {
    fn default() -> Self {
        LinearRegression {
            n_samples: 100,
            n_features: 3,
            noise: 1.0,
            bias: 0.0,
        }
    }
}

impl Generate for LinearRegression {
    const INFO: Info = made(
        "linear-regression",
        "Linear regression",
        "Normal columns and a weighted sum of them with noise.",
        Task::Regression,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, self.n_features)?;
        let x = normals(self.n_samples, self.n_features, random);
        let coefficients: Vec<f64> = (0..self.n_features)
            .map(|_| 100.0 * random.random::<f64>())
            .collect();
        let coefficients = row_of(&coefficients);
        let y = x
            .dot(&coefficients.row(0))
            .iter()
            .map(|value| value + self.bias + self.noise * normal(random))
            .collect();
        Ok(with_target(Self::INFO, x.view(), "y", y)?.with_truth("coefficients", coefficients))
    }
}

/// y = w·x + noise, where most coefficients of w are zero and columns may be correlated.
///
/// Neighbouring columns have correlation ρ, columns at distance k have ρᵏ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SparseRegression {
    /// How many rows to draw.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub n_samples: usize,
    /// How many columns.
    #[schemars(range(min = 1, max = 100_000))]
    pub n_features: usize,
    /// How many columns matter.
    #[schemars(range(min = 0, max = 100_000))]
    pub n_informative: usize,
    /// Correlation ρ of neighbouring columns.
    #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 1))]
    pub correlation: f64,
    /// Standard deviation of the noise on y.
    #[schemars(range(min = 0))]
    pub noise: f64,
}

impl Default for SparseRegression {
    fn default() -> Self {
        SparseRegression {
            n_samples: 100,
            n_features: 50,
            n_informative: 5,
            correlation: 0.0,
            noise: 1.0,
        }
    }
}

impl Generate for SparseRegression {
    const INFO: Info = made(
        "sparse-regression",
        "Sparse regression",
        "Many normal columns of which few matter, with coefficients of size 1 to 5 and either sign.",
        Task::Regression,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_samples, self.n_features)?;
        if self.n_informative > self.n_features {
            return Err(Error::parameter(
                "n_informative",
                self.n_informative,
                format!(
                    "it must be at most n_features, which is {}",
                    self.n_features
                ),
            ));
        }
        let mut x = normals(self.n_samples, self.n_features, random);
        let fresh = (1.0 - self.correlation * self.correlation).sqrt();
        for mut row in x.rows_mut() {
            for column in 1..self.n_features {
                row[column] = self.correlation * row[column - 1] + fresh * row[column];
            }
        }
        let mut coefficients = vec![0.0; self.n_features];
        for column in sample(random, self.n_features, self.n_informative) {
            let size = random.random_range(1.0..5.0);
            coefficients[column] = if random.random() { size } else { -size };
        }
        let coefficients = row_of(&coefficients);
        let y = x
            .dot(&coefficients.row(0))
            .iter()
            .map(|value| value + self.noise * normal(random))
            .collect();
        Ok(with_target(Self::INFO, x.view(), "y", y)?.with_truth("coefficients", coefficients))
    }
}
