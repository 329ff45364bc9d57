//! Learning the weights of earlier values.

use super::model::AutoregressiveModel;
use didact_core::{Error, Fit, Result, Run, Sequences};
use didact_math::linalg::pseudo_solve;
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Explains each value of a series by the p values before it.
///
/// xₙ = c + Σₘ wₘ·xₙ₋ₘ + ε with m = 1…p and ε ~ N(0, σ²). Least squares regresses each value on
/// those before it. Yule and Walker's equations R·w = r, with Rᵢⱼ = r_|i−j| and the lag products
/// r_k = (1/N)·Σ xₙ·xₙ₊ₖ, differ from it at the edges of the series only, and always give a stable
/// model. Several series are taken as of one kind; values before the first are not known.
///
/// ```
/// use didact_core::{Fit, Sequences};
/// use didact_sequence::Autoregressive;
/// use ndarray::Array2;
/// // xₙ = 1.6·xₙ₋₁ − 0.8·xₙ₋₂ and no noise.
/// let mut series = vec![1.0, 0.5];
/// for n in 2..30 {
///     series.push(1.6 * series[n - 1] - 0.8 * series[n - 2]);
/// }
/// let items = Array2::from_shape_vec((30, 1), series).unwrap();
/// let model = Autoregressive { order: 2, ..Autoregressive::default() }
///     .fit(Sequences::new(&items, &[30])?)?;
/// assert!((model.weights()[0] - 1.6).abs() < 1e-9 && (model.weights()[1] + 0.8).abs() < 1e-9);
/// assert!(model.is_stable()?);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Autoregressive {
    /// How many values before count: p.
    #[schemars(range(min = 1))]
    pub order: usize,
    /// How the weights are found.
    pub method: AutoregressiveMethod,
    /// Whether there is a constant c; Yule and Walker's equations then take the mean away.
    pub fit_intercept: bool,
}

/// How the weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AutoregressiveMethod {
    /// Least squares on the values before.
    #[default]
    LeastSquares,
    /// Yule and Walker's equations, solved by Levinson's recursion.
    YuleWalker,
}

impl Default for Autoregressive {
    fn default() -> Self {
        Autoregressive {
            order: 1,
            method: AutoregressiveMethod::LeastSquares,
            fit_intercept: true,
        }
    }
}

impl Fit<Sequences<'_>> for Autoregressive {
    type Model = AutoregressiveModel;

    fn learn(&self, data: Sequences<'_>, run: &Run) -> Result<AutoregressiveModel> {
        run.check()?;
        let rows = data.samples.dense()?;
        if rows.ncols() != 1 {
            return Err(Error::data(format!(
                "an autoregressive model needs one column of values; there are {}",
                rows.ncols()
            )));
        }
        let values = rows.as_slice().expect("samples keep dense rows contiguous");
        let series: Vec<&[f64]> = data.ranges().map(|range| &values[range]).collect();
        let (p, constant) = (self.order, usize::from(self.fit_intercept));
        let equations: usize = series.iter().map(|own| own.len().saturating_sub(p)).sum();
        // As many equations as unknowns: one series needs 2p values, and one more for a constant.
        if equations < p + constant {
            return Err(Error::parameter(
                "order",
                p,
                format!(
                    "the series have {equations} values with {p} before them, but {} weights are \
                     to be found; choose a lower order or give longer series",
                    p + constant
                ),
            ));
        }
        match self.method {
            AutoregressiveMethod::LeastSquares => self.least_squares(&series, equations),
            AutoregressiveMethod::YuleWalker => self.yule_walker(&series),
        }
    }
}

impl Autoregressive {
    fn least_squares(&self, series: &[&[f64]], equations: usize) -> Result<AutoregressiveModel> {
        let p = self.order;
        let width = p + usize::from(self.fit_intercept);
        let mut lagged = Array2::ones((equations, width));
        let mut next = Array2::zeros((equations, 1));
        let windows = series.iter().flat_map(|own| own.windows(p + 1));
        for (row, window) in windows.enumerate() {
            for lag in 0..p {
                lagged[[row, lag]] = window[p - 1 - lag];
            }
            next[[row, 0]] = window[p];
        }
        let found = pseudo_solve(lagged.view(), next.view(), None)?.solution;
        let residuals = &next - &lagged.dot(&found);
        let variance = residuals.iter().map(|r| r * r).sum::<f64>() / equations as f64;
        let weights = found.column(0).iter().take(p).copied().collect();
        let intercept = if width > p { found[[p, 0]] } else { 0.0 };
        AutoregressiveModel::new(weights, intercept, variance)
    }

    fn yule_walker(&self, series: &[&[f64]]) -> Result<AutoregressiveModel> {
        let n: usize = series.iter().map(|own| own.len()).sum();
        let mean = match self.fit_intercept {
            true => series.iter().flat_map(|own| own.iter()).sum::<f64>() / n as f64,
            false => 0.0,
        };
        let product = |lag: usize| {
            let of_one = |own: &&[f64]| {
                let pairs = own.iter().zip(own.iter().skip(lag));
                pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>()
            };
            series.iter().map(of_one).sum::<f64>() / n as f64
        };
        let products: Vec<f64> = (0..=self.order).map(product).collect();
        let (weights, variance) = levinson(&products);
        let intercept = mean * (1.0 - weights.sum());
        AutoregressiveModel::new(weights, intercept, variance)
    }
}

/// Solves Rᵢⱼ = r_|i−j|, R·w = (r₁ … r_p), from order to order; also r₀ − w·r, the variance left.
fn levinson(products: &[f64]) -> (Array1<f64>, f64) {
    let p = products.len() - 1;
    let mut weights: Vec<f64> = Vec::with_capacity(p);
    let mut left = products[0];
    for order in 0..p {
        let known: f64 = (0..order).map(|m| weights[m] * products[order - m]).sum();
        // A series without anything left to explain needs no more weights.
        let reflection = match left > 1e-14 * products[0] {
            true => (products[order + 1] - known) / left,
            false => 0.0,
        };
        let before = weights.clone();
        for m in 0..order {
            weights[m] -= reflection * before[order - 1 - m];
        }
        weights.push(reflection);
        left *= 1.0 - reflection * reflection;
    }
    (Array1::from(weights), left.max(0.0))
}
