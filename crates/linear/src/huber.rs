//! Huber regression: squared loss for small residuals, absolute loss for large ones.

use crate::least_squares::{Intercept, Problem};
use crate::planes::{Planes, hyperplane_model};
use crate::rows::CountingMeasured;
use didact_core::{Accepts, Error, Fit, Measured, Result, Run, StopReason, Trace, Value, parallel};
use didact_math::linalg::{Variances, rows_times_vector, transposed_rows_times};
use didact_optimize::{BoxSet, LbfgsB};
use ndarray::{Array1, Array2, Axis, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Fits a hyperplane that single wild targets cannot pull far.
///
/// Minimises Σ(σ + σ·H((y − w·x − b)/σ)) + α‖w‖² over w, b and the scale σ, where H(z) = z² for
/// |z| < ε and 2ε|z| − ε² beyond: a row further than ε·σ from the hyperplane is an outlier and
/// pulls no harder the further away it is.
///
/// ```
/// use didact_core::{Fit, Measured};
/// use didact_linear::HuberRegressor;
/// let x = ndarray::Array2::from_shape_fn((20, 1), |(i, _)| i as f64);
/// let mut y: Vec<f64> = (0..20).map(|i| 2.0 * f64::from(i) + 0.1 * f64::from(i % 3)).collect();
/// y[5] = 1e4;
/// let model = HuberRegressor::default().fit(Measured::new(&x, &y)?)?;
/// assert!((model.coef()[[0, 0]] - 2.0).abs() < 0.05);
/// assert!(model.scale() < 1.0 && model.n_outliers() < 10);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HuberRegressor {
    /// How many scales σ a residual may have before the row counts as an outlier.
    #[schemars(range(min = 1.0))]
    pub epsilon: f64,
    /// Price of the squared weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Whether to fit an intercept.
    pub fit_intercept: bool,
    /// At most this many iterations are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when no gradient of the mean objective is larger, in units of the data.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

impl Default for HuberRegressor {
    fn default() -> Self {
        HuberRegressor {
            epsilon: 1.35,
            alpha: 1e-4,
            fit_intercept: true,
            max_iter: 1000,
            tol: 1e-9,
        }
    }
}

/// A hyperplane, the scale of its residuals, and how many rows were outliers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HuberModel {
    planes: Planes,
    scale: f64,
    n_outliers: usize,
    gradient_norm: f64,
    trace: Option<Trace>,
}

impl HuberModel {
    /// The scale σ of the residuals.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The number of training rows whose residual is at least ε·σ.
    pub fn n_outliers(&self) -> usize {
        self.n_outliers
    }

    fn is_sound(&self) -> bool {
        self.planes.coef.nrows() == 1 && self.scale >= 0.0 && self.scale.is_finite()
    }
}

hyperplane_model!(HuberModel {
    "scale", "The scale of the residuals.", |model| Value::from(model.scale);
    "n_outliers", "The number of training rows that count as outliers.",
        |model| Value::from(model.n_outliers);
    "gradient_norm", "The largest gradient of the mean objective where the search ended.",
        |model| Value::from(model.gradient_norm);
});

/// The objective in coordinates of the size of the data: weights times the deviation of their
/// column, residuals in units of those of least squares.
struct Coordinates<'a, 'b> {
    data: &'a CountingMeasured<'b>,
    mean: Array1<f64>,
    deviation: Array1<f64>,
    unit: f64,
    /// The sum of the weights of the rows.
    total: f64,
    parameters: &'a HuberRegressor,
}

/// Rows that are summed one after another; their sums are added in a tree, so that the error of
/// the objective hardly grows with the rows. In the rounding of one long sum a search for a small
/// gradient would see falls and rises that are not there.
const CHUNK: usize = 512;

/// Weighted means over some rows, of what the objective and its slopes are made of.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// 1 + H(z).
    loss: f64,
    /// The slope by the scale: 1 + H(z) − z·H′(z).
    by_scale: f64,
    /// The slope by the intercept.
    by_intercept: f64,
}

impl Sums {
    fn merge(self, other: Self) -> Self {
        Sums {
            loss: self.loss + other.loss,
            by_scale: self.by_scale + other.by_scale,
            by_intercept: self.by_intercept + other.by_intercept,
        }
    }
}

impl Coordinates<'_, '_> {
    /// The residuals of a point (weights, intercept at the means, scale).
    fn residuals(&self, point: &[f64], run: &Run) -> Result<Array1<f64>> {
        let d = self.deviation.len();
        let weights = &Array1::from(point[..d].to_vec()) / &self.deviation;
        let offset = point[d] - weights.dot(&self.mean);
        let mut residuals = rows_times_vector(self.data.samples.rows(), weights.view(), run)?;
        residuals.zip_mut_with(&self.data.targets.column(0), |score, y| {
            *score = y / self.unit - *score - offset;
        });
        Ok(residuals)
    }

    /// The share of a row in the means.
    fn share(&self, row: usize) -> f64 {
        self.data.samples.weight(row) / self.total
    }

    /// The slope of the objective by the score of a row. With m = min(|z|, ε), H(z) = m·(2|z| − m)
    /// and H′(z) = ±2m: there is no case to tell apart, which would be guessed wrong often.
    fn slope(&self, residual: f64, share: f64, sigma: f64) -> f64 {
        let near = (residual / sigma).abs().min(self.parameters.epsilon);
        -2.0 * share * near.copysign(residual)
    }

    fn sums(&self, residuals: &[f64], sigma: f64, run: &Run) -> Result<Sums> {
        let summarise = |rows: Range<usize>| {
            let mut sums = Sums::default();
            for (row, &residual) in rows.clone().zip(&residuals[rows]) {
                let share = self.share(row);
                let size = (residual / sigma).abs();
                let near = size.min(self.parameters.epsilon);
                sums.loss += share * (1.0 + near * (2.0 * size - near));
                sums.by_scale += share * (1.0 - near * near);
                sums.by_intercept += self.slope(residual, share, sigma);
            }
            Ok(sums)
        };
        let sums = parallel::reduce(residuals.len(), CHUNK, run, &summarise, &Sums::merge)?;
        Ok(sums.unwrap_or_default())
    }

    /// Turns residuals into the slopes of the objective by the scores.
    fn bend(&self, residuals: &mut [f64], sigma: f64, run: &Run) -> Result<()> {
        parallel::fill(residuals, 1, 8 * CHUNK, run, |rows, piece| {
            for (row, residual) in rows.zip(piece) {
                *residual = self.slope(*residual, self.share(row), sigma);
            }
            Ok(())
        })
    }

    fn evaluate(&self, point: &[f64], gradient: &mut [f64], run: &Run) -> Result<f64> {
        let d = self.deviation.len();
        let sigma = point[d + 1];
        let mut slopes = self.residuals(point, run)?.into_raw_vec_and_offset().0;
        let sums = self.sums(&slopes, sigma, run)?;
        self.bend(&mut slopes, sigma, run)?;
        let column = Array1::from(slopes).insert_axis(Axis(1));
        let by_weight = transposed_rows_times(self.data.samples.rows(), column.view(), run)?;
        let price = self.parameters.alpha * self.unit / self.total;
        let mut loss = sigma * sums.loss;
        for j in 0..d {
            let deviation = self.deviation[j];
            let w = point[j] / deviation;
            loss += price * w * w;
            let centred = by_weight[[j, 0]] - self.mean[j] * sums.by_intercept;
            gradient[j] = (centred + 2.0 * price * w) / deviation;
        }
        gradient[d] = match self.parameters.fit_intercept {
            true => sums.by_intercept,
            false => 0.0,
        };
        gradient[d + 1] = sums.by_scale;
        Ok(loss)
    }
}

impl Fit<Measured<'_>> for HuberRegressor {
    type Model = HuberModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<HuberModel> {
        let problem = Problem {
            alpha: self.alpha,
            mean: false,
            inference: false,
            intercept: match self.fit_intercept {
                true => Intercept::Free,
                false => Intercept::Absent,
            },
        };
        let start = problem.fit(data.clone(), run)?;
        let data = CountingMeasured::new(data);
        let weight = data.samples.total_weight();
        let unit = (start.residual_sum_of_squares[0] / weight).sqrt();
        let size = (start.total_sum_of_squares[0] / weight).sqrt();
        if unit <= 1e-14 * size || unit == 0.0 {
            // Every row lies on the hyperplane: there is no scale and no outlier.
            return Ok(HuberModel {
                planes: Planes::new(start.coef, start.intercept)?,
                scale: 0.0,
                n_outliers: 0,
                gradient_norm: 0.0,
                trace: None,
            });
        }
        self.search(&data, start.coef, start.intercept, unit, run)
    }
}

impl HuberRegressor {
    fn search(
        &self,
        data: &CountingMeasured<'_>,
        coef: Array2<f64>,
        intercept: Array1<f64>,
        unit: f64,
        run: &Run,
    ) -> Result<HuberModel> {
        let totals = Variances::summarise(data.samples.rows(), data.samples.weights(), run)?;
        let d = coef.ncols();
        let coordinates = Coordinates {
            data,
            mean: match self.fit_intercept {
                true => totals.mean.clone(),
                false => Array1::zeros(d),
            },
            deviation: (totals.variance()
                + &match self.fit_intercept {
                    true => Array1::zeros(d),
                    false => totals.mean.mapv(|mean| mean * mean),
                })
                .mapv(|variance| if variance > 0.0 { variance.sqrt() } else { 1.0 }),
            unit,
            total: data.samples.total_weight(),
            parameters: self,
        };
        let mut start = vec![0.0; d + 2];
        for j in 0..d {
            start[j] = coef[[0, j]] * coordinates.deviation[j] / unit;
        }
        start[d] = (intercept[0] + coef.row(0).dot(&coordinates.mean)) / unit;
        start[d + 1] = 1.0;
        let mut lower = vec![f64::NEG_INFINITY; d + 2];
        lower[d + 1] = 1e-10;
        let bounds = BoxSet::new(lower, vec![f64::INFINITY; d + 2])?;
        let search = LbfgsB {
            max_iter: self.max_iter,
            gradient_tolerance: self.tol,
            objective_tolerance: 0.0,
            ..LbfgsB::default()
        };
        let mut objective =
            |point: &[f64], gradient: &mut [f64]| coordinates.evaluate(point, gradient, run);
        let outcome = search.minimise(&mut objective, &bounds, &start, run)?;
        let residuals = coordinates.residuals(&outcome.x, run)?;
        let scale = outcome.x[d + 1];
        let far = |residual: &&f64| residual.abs() >= self.epsilon * scale;
        let weights = Array1::from(outcome.x[..d].to_vec()) / &coordinates.deviation * unit;
        let at_means = outcome.x[d] * unit;
        let intercept = match self.fit_intercept {
            true => at_means - weights.dot(&coordinates.mean),
            false => 0.0,
        };
        if !scale.is_finite() {
            return Err(Error::numerical(
                "the residuals overflow; divide columns and targets by a power of ten",
            ));
        }
        let mut trace = outcome.trace;
        trace.objective_name = "mean Huber loss in units of the residuals".to_owned();
        if trace.stop == StopReason::Stalled && outcome.gradient_norm <= 1e3 * self.tol {
            trace.stop = StopReason::Converged;
        }
        Ok(HuberModel {
            planes: Planes::new(
                weights.insert_axis(Axis(0)),
                Array1::from_elem(1, intercept),
            )?,
            scale: scale * unit,
            n_outliers: residuals.slice(s![..]).iter().filter(far).count(),
            gradient_norm: outcome.gradient_norm,
            trace: Some(trace),
        })
    }
}
