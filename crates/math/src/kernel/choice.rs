//! A kernel as the parameters of a method name it.

use super::Kernel;
use didact_core::{Error, Result, Rows, Samples};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which kernel a method uses: a word, whose numbers are parameters of the method, or a whole
/// kernel with its own numbers, such as a sum.
///
/// ```
/// use didact_core::Samples;
/// use didact_math::kernel::{Gamma, Kernel, KernelChoice, KernelName};
/// let x = ndarray::array![[0.0, 1.0], [2.0, 1.0]];
/// let kernel = KernelChoice::from(KernelName::Rbf).resolve(Gamma::Scale, 3, 0.0, &Samples::from(&x))?;
/// // Two columns, and all values have the variance ½.
/// assert_eq!(kernel, Kernel::Rbf { gamma: 1.0 });
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum KernelChoice {
    /// By its name.
    Named(KernelName),
    /// With all its numbers.
    Whole(Kernel),
}

/// The name of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KernelName {
    /// The inner product a·b.
    Linear,
    /// (γ·a·b + c)ᵏ.
    Poly,
    /// The Gaussian exp(−γ‖a−b‖²).
    #[default]
    Rbf,
    /// tanh(γ·a·b + c).
    Sigmoid,
    /// exp(−γ·Σ|aᵢ−bᵢ|).
    Laplacian,
    /// The cosine of the angle.
    Cosine,
    /// Pearson's correlation.
    Pearson,
    /// exp(−γ·½·Σ(aᵢ−bᵢ)²/(aᵢ+bᵢ)), for values not below zero.
    ChiSquare,
    /// Σmin(aᵢ,bᵢ)/Σmax(aᵢ,bᵢ), for values not below zero.
    Jaccard,
}

/// The rate γ of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gamma {
    /// 1/(d·v) of the d columns and the variance v of all values; 1 where they are all the same.
    #[default]
    Scale,
    /// 1/d of the d columns.
    Auto,
    /// This number.
    #[serde(untagged)]
    Value(#[schemars(extend("exclusiveMinimum" = 0))] f64),
}

impl Default for KernelChoice {
    fn default() -> Self {
        KernelChoice::Named(KernelName::default())
    }
}

impl From<KernelName> for KernelChoice {
    fn from(name: KernelName) -> Self {
        KernelChoice::Named(name)
    }
}

impl From<Kernel> for KernelChoice {
    fn from(kernel: Kernel) -> Self {
        KernelChoice::Whole(kernel)
    }
}

impl KernelChoice {
    /// The kernel with all its numbers, within their limits.
    pub fn resolve(
        &self,
        gamma: Gamma,
        degree: u32,
        coef0: f64,
        data: &Samples<'_>,
    ) -> Result<Kernel> {
        let kernel = match self {
            KernelChoice::Named(name) => name.with(gamma, degree, coef0, data)?,
            KernelChoice::Whole(kernel) => kernel.clone(),
        };
        kernel.check()?;
        Ok(kernel)
    }
}

impl KernelName {
    fn with(self, gamma: Gamma, degree: u32, coef0: f64, data: &Samples<'_>) -> Result<Kernel> {
        Ok(match self {
            KernelName::Linear => Kernel::Linear,
            KernelName::Cosine => Kernel::Cosine,
            KernelName::Pearson => Kernel::Pearson,
            KernelName::Jaccard => Kernel::Jaccard,
            KernelName::Poly => Kernel::Polynomial {
                degree,
                gamma: gamma.of(data)?,
                coef0,
            },
            KernelName::Sigmoid => Kernel::Sigmoid {
                gamma: gamma.of(data)?,
                coef0,
            },
            KernelName::Rbf => Kernel::Rbf {
                gamma: gamma.of(data)?,
            },
            KernelName::Laplacian => Kernel::Laplacian {
                gamma: gamma.of(data)?,
            },
            KernelName::ChiSquare => Kernel::ChiSquare {
                gamma: gamma.of(data)?,
            },
        })
    }
}

impl Gamma {
    /// The rate for these rows; a row of weight two counts as two rows.
    pub fn of(self, data: &Samples<'_>) -> Result<f64> {
        let columns = data.n_columns().max(1) as f64;
        match self {
            Gamma::Value(gamma) => Ok(gamma),
            Gamma::Auto => Ok(1.0 / columns),
            Gamma::Scale => {
                let rate = 1.0 / (columns * variance_of_values(data));
                match rate {
                    rate if rate == f64::INFINITY => Ok(1.0),
                    rate if rate > 0.0 => Ok(rate),
                    _ => Err(Error::data(
                        "the values are too large to choose gamma by their variance; scale the \
                         columns or give gamma as a number",
                    )),
                }
            }
        }
    }
}

/// The variance of all values, whatever their column.
fn variance_of_values(data: &Samples<'_>) -> f64 {
    let columns = data.n_columns() as f64;
    let total = data.total_weight() * columns;
    let mean = sum_of_values(data, |value| value) / total;
    let squared = |value: f64| (value - mean) * (value - mean);
    sum_of_values(data, squared) / total
}

/// The sum of a function over all values; those that are not stored are zero.
fn sum_of_values(data: &Samples<'_>, of: impl Fn(f64) -> f64) -> f64 {
    let of_row = |row: usize| match data.rows() {
        Rows::Dense(x) => x.row(row).iter().map(|&value| of(value)).sum::<f64>(),
        Rows::Sparse(x) => {
            let (places, values) = x.row(row);
            let absent = (data.n_columns() - places.len()) as f64;
            values.iter().map(|&value| of(value)).sum::<f64>() + absent * of(0.0)
        }
    };
    (0..data.n_rows())
        .map(|row| data.weight(row) * of_row(row))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Csr;
    use ndarray::array;

    #[test]
    fn the_rate_by_scale_counts_weights_as_repeated_rows_and_zeros_that_are_not_stored() {
        let x = array![[0.0, 3.0], [1.0, 0.0], [5.0, 0.0]];
        let repeated = array![[0.0, 3.0], [1.0, 0.0], [1.0, 0.0], [5.0, 0.0]];
        let weighted = Samples::from(&x).weighted(&[1.0, 2.0, 1.0]).unwrap();
        let rate = Gamma::Scale.of(&Samples::from(&repeated)).unwrap();
        assert!((Gamma::Scale.of(&weighted).unwrap() - rate).abs() < 1e-15);
        let sparse = Csr::from_dense(repeated.view());
        let found = Gamma::Scale.of(&Samples::from(&sparse)).unwrap();
        assert!((found - rate).abs() < 1e-15);
        // Σ = 10 and Σ² = 36 over eight values: the variance is 4.5 − 1.25².
        assert!((rate - 1.0 / (2.0 * (4.5 - 1.5625))).abs() < 1e-15);
    }

    #[test]
    fn equal_values_have_the_rate_one_and_huge_ones_an_error() {
        let same = array![[2.0, 2.0], [2.0, 2.0]];
        assert_eq!(Gamma::Scale.of(&Samples::from(&same)).unwrap(), 1.0);
        assert_eq!(Gamma::Auto.of(&Samples::from(&same)).unwrap(), 0.5);
        let huge = array![[1e300, -1e300]];
        let error = Gamma::Scale.of(&Samples::from(&huge)).unwrap_err();
        assert!(error.to_string().contains("gamma"), "{error}");
    }

    #[test]
    fn a_word_a_number_and_a_whole_kernel_are_read_as_such() {
        let choice = |text| serde_json::from_str::<KernelChoice>(text).unwrap();
        assert_eq!(choice("\"linear\""), KernelName::Linear.into());
        let whole = Kernel::Rbf { gamma: 2.0 };
        assert_eq!(choice("{\"rbf\": {\"gamma\": 2.0}}"), whole.into());
        let rate = |text| serde_json::from_str::<Gamma>(text).unwrap();
        assert_eq!(rate("\"auto\""), Gamma::Auto);
        assert_eq!(rate("2.5"), Gamma::Value(2.5));
    }
}
