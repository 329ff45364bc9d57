//! Quantile regression: a hyperplane with a given share of the targets below it.

mod interior;

use crate::planes::{Planes, hyperplane_model};
use crate::rows::CountingMeasured;
use crate::spectrum::Centred;
use didact_core::{Accepts, Fit, Measured, Result, Run, Trace, Value};
use interior::BoxedDual;
use ndarray::{Array1, Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fits the hyperplane below which a given share of the targets lies.
///
/// Minimises (1/n)Σρ(y − w·x − b) + α‖w‖₁ with ρ(r) = τ·r for r ≥ 0 and (τ − 1)·r below; τ = ½ is
/// the median, half the mean absolute error. Solved as a linear program by a primal-dual
/// interior-point method, which ends with the duality gap as a certificate.
///
/// ```
/// use didact_core::{Fit, Measured};
/// use didact_linear::QuantileRegressor;
/// let x = ndarray::Array2::from_shape_fn((101, 1), |(i, _)| (i % 2) as f64);
/// let y: Vec<f64> = (0..101).map(f64::from).collect();
/// let model = QuantileRegressor { quantile: 0.9, alpha: 1.0, ..QuantileRegressor::default() };
/// let fitted = model.fit(Measured::new(&x, &y)?)?;
/// assert!((fitted.intercept()[0] - 90.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuantileRegressor {
    /// The share τ of the targets that lies below the hyperplane.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub quantile: f64,
    /// Price of the absolute weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Whether to fit an intercept.
    pub fit_intercept: bool,
    /// At most this many iterations are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when the duality gap is at most this share of the objective.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

impl Default for QuantileRegressor {
    fn default() -> Self {
        QuantileRegressor {
            quantile: 0.5,
            alpha: 0.0,
            fit_intercept: true,
            max_iter: 200,
            tol: 1e-10,
        }
    }
}

/// A hyperplane below which a share of the targets lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantileModel {
    planes: Planes,
    objective: f64,
    dual_gap: f64,
    trace: Option<Trace>,
}

impl QuantileModel {
    /// The mean loss with the price of the weights.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// By how much the objective exceeds its minimum at most.
    pub fn dual_gap(&self) -> f64 {
        self.dual_gap
    }

    fn is_sound(&self) -> bool {
        self.planes.coef.nrows() == 1
    }
}

hyperplane_model!(QuantileModel {
    "objective", "The mean loss with the price of the weights.",
        |model| Value::from(model.objective);
    "dual_gap", "By how much the objective exceeds its minimum at most.",
        |model| Value::from(model.dual_gap);
});

impl Fit<Measured<'_>> for QuantileRegressor {
    type Model = QuantileModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<QuantileModel> {
        let data = CountingMeasured::new(data);
        let weights: Array1<f64> = (0..data.samples.rows().n_rows())
            .map(|row| data.samples.weight(row))
            .collect();
        // Centring and scaling change the coordinates, not the problem.
        let plain = CountingMeasured::new(Measured::many(
            didact_core::Samples::from(data.samples.rows()),
            data.targets.view(),
        )?);
        let centred = Centred::new(&plain, self.fit_intercept, run)?;
        let n = weights.len() as f64;
        let deviation = centred
            .x
            .mapv(|value| value * value)
            .sum_axis(Axis(0))
            .mapv(|squares| (squares / n).sqrt())
            .mapv(|size| {
                if size > 0.0 && size.is_finite() {
                    size
                } else {
                    1.0
                }
            });
        let unit = (centred.squares_y[0] / n).sqrt();
        let unit = if unit > 0.0 && unit.is_finite() {
            unit
        } else {
            1.0
        };
        let d = deviation.len();
        let width = d + usize::from(self.fit_intercept);
        let mut design = Array2::ones((weights.len(), width));
        design
            .slice_mut(ndarray::s![.., ..d])
            .assign(&(&centred.x / &deviation));
        let target = centred.y.column(0).mapv(|y| y / unit);
        let total = weights.sum();
        let program = BoxedDual {
            design,
            target,
            lower: weights.mapv(|weight| weight * (self.quantile - 1.0) / total),
            upper: weights.mapv(|weight| weight * self.quantile / total),
            prices: deviation.mapv(|deviation| self.alpha / deviation),
        };
        let found = program.solve(self.max_iter, self.tol, unit, run)?;
        let coef = Array1::from(found.weights.slice(ndarray::s![..d]).to_vec()) * unit / &deviation;
        let intercept = match self.fit_intercept {
            true => found.weights[d] * unit + centred.mean_y[0] - coef.dot(&centred.mean_x),
            false => 0.0,
        };
        Ok(QuantileModel {
            planes: Planes::new(coef.insert_axis(Axis(0)), Array1::from_elem(1, intercept))?,
            objective: found.objective * unit,
            dual_gap: found.gap * unit,
            trace: Some(found.trace),
        })
    }
}
