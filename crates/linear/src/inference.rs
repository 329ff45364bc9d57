//! What least squares says about its own weights: errors, tests and intervals.

use crate::LinearModel;
use crate::least_squares::{Intercept, System};
use didact_core::{Error, Measured, Result, Rows, Run};
use didact_math::linalg::{Cholesky, CrossMoments, rows_times};
use didact_probability::Cumulative;
use didact_probability::laws::{FisherF, StudentT};
use ndarray::{Array1, Array2, Axis, Zip};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The inverse of XᵀX is kept for up to this many columns.
const MOST_COLUMNS: usize = 200;

/// Standard errors, tests and what intervals need, for independent noise of equal variance.
///
/// Var(w) = s²(XᵀX)⁻¹ with s² = Σ(y − ŷ)²/(n − p), where p counts the weights and the intercept;
/// t = w/√Var(w) has Student's law with n − p degrees of freedom where the weight is zero in
/// truth. A row of weight two counts like two rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inference {
    /// Mean of each column; zero without an intercept.
    center: Array1<f64>,
    /// (XᵀX)⁻¹ of the columns about `center`.
    unscaled: Array2<f64>,
    /// The weight of all rows, where there is an intercept.
    intercept_weight: Option<f64>,
    /// The weight n of all rows.
    n_rows: f64,
    /// n − p.
    degrees_of_freedom: f64,
    /// s² of each target.
    residual_variance: Array1<f64>,
    /// Standard error of each weight, a row per target.
    standard_errors: Array2<f64>,
    /// Standard error of each intercept.
    intercept_standard_errors: Array1<f64>,
    /// Test statistic and p-value of all weights of a target together.
    f_statistic: Array1<f64>,
    f_p_value: Array1<f64>,
    /// ln L of each target at the variance of highest likelihood.
    log_likelihood: Array1<f64>,
}

/// The lower and upper ends of intervals, a row for each row and a column for each target.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// The lower ends.
    pub lower: Array2<f64>,
    /// The upper ends.
    pub upper: Array2<f64>,
}

/// What an interval is to contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalOf {
    /// The hyperplane at a row: the mean of its targets.
    Mean,
    /// A new target at a row.
    Target,
}

impl Inference {
    /// Nothing where there are too many columns, too few rows or columns that depend on others.
    pub(crate) fn new(
        system: &System<'_>,
        moments: &CrossMoments,
        intercept: Intercept,
        coef: &Array2<f64>,
        residual_squares: &Array1<f64>,
    ) -> Option<Self> {
        let d = coef.ncols();
        let free = intercept == Intercept::Free;
        let parameters = (d + usize::from(free)) as f64;
        let (n, degrees_of_freedom) = (moments.weight(), moments.weight() - parameters);
        if d > MOST_COLUMNS || degrees_of_freedom <= 0.0 {
            return None;
        }
        let unscaled = inverse(system)?;
        let residual_variance = residual_squares / degrees_of_freedom;
        let center = match free {
            true => moments.mean_x().to_owned(),
            false => Array1::zeros(d),
        };
        let diagonal = unscaled.diag().mapv(f64::sqrt);
        let deviation = residual_variance.mapv(f64::sqrt);
        let standard_errors =
            Array2::from_shape_fn(coef.dim(), |(target, j)| deviation[target] * diagonal[j]);
        let spread = n.recip() + center.dot(&unscaled.dot(&center));
        let model_squares = Zip::from(coef.rows()).map_collect(|w| w.dot(&system.gram().dot(&w)));
        let mut f_statistic = Array1::zeros(coef.nrows());
        let mut f_p_value = Array1::ones(coef.nrows());
        let law = FisherF::new(d as f64, degrees_of_freedom).ok()?;
        for (target, squares) in model_squares.iter().enumerate() {
            let ratio = ratio(squares / d as f64, residual_variance[target]);
            f_statistic[target] = ratio;
            f_p_value[target] = if ratio.is_finite() {
                law.survival(ratio)
            } else {
                0.0
            };
        }
        let per_row = residual_squares.mapv(|squares| 1.0 + (2.0 * PI * squares / n).ln());
        let inference = Inference {
            intercept_standard_errors: match free {
                true => deviation.mapv(|deviation| deviation * spread.sqrt()),
                false => Array1::zeros(coef.nrows()),
            },
            center,
            unscaled,
            intercept_weight: free.then_some(n),
            n_rows: n,
            degrees_of_freedom,
            residual_variance,
            standard_errors,
            f_statistic,
            f_p_value,
            log_likelihood: per_row * (-0.5 * n),
        };
        inference.is_finite().then_some(inference)
    }

    fn is_finite(&self) -> bool {
        let numbers = self.unscaled.iter().chain(&self.standard_errors);
        numbers
            .chain(&self.intercept_standard_errors)
            .all(|number| number.is_finite())
    }

    pub(crate) fn is_sound(&self, targets: usize, d: usize) -> bool {
        self.center.len() == d
            && self.unscaled.dim() == (d, d)
            && self.standard_errors.dim() == (targets, d)
            && self.degrees_of_freedom > 0.0
            && [
                &self.residual_variance,
                &self.intercept_standard_errors,
                &self.f_statistic,
                &self.f_p_value,
                &self.log_likelihood,
            ]
            .iter()
            .all(|values| values.len() == targets)
    }

    /// The degrees of freedom n − p of the residuals.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.degrees_of_freedom
    }

    /// The variance s² of the residuals of each target.
    pub fn residual_variance(&self) -> &Array1<f64> {
        &self.residual_variance
    }

    /// The standard error of each weight, a row per target.
    pub fn standard_errors(&self) -> &Array2<f64> {
        &self.standard_errors
    }

    /// The standard error of each intercept, zero without one.
    pub fn intercept_standard_errors(&self) -> &Array1<f64> {
        &self.intercept_standard_errors
    }

    /// The covariance of the weights of a target.
    pub fn covariance(&self, target: usize) -> Array2<f64> {
        &self.unscaled * self.residual_variance[target]
    }

    /// The statistic F that all weights of a target are zero, and its p-value.
    pub fn f_test(&self, target: usize) -> (f64, f64) {
        (self.f_statistic[target], self.f_p_value[target])
    }

    /// ln L of each target.
    pub fn log_likelihood(&self) -> &Array1<f64> {
        &self.log_likelihood
    }

    /// Akaike's criterion 2p − 2·ln L of each target; smaller is better.
    pub fn aic(&self) -> Array1<f64> {
        self.criterion(2.0)
    }

    /// The Bayesian criterion p·ln n − 2·ln L of each target; smaller is better.
    pub fn bic(&self) -> Array1<f64> {
        self.criterion(self.n_rows.ln())
    }

    fn criterion(&self, price: f64) -> Array1<f64> {
        let parameters = self.n_rows - self.degrees_of_freedom;
        self.log_likelihood
            .mapv(|value| price * parameters - 2.0 * value)
    }

    /// The probability of a t at least as far from zero where the weight is zero in truth.
    fn p_value(&self, t: f64) -> f64 {
        let law = StudentT::new(self.degrees_of_freedom, 0.0, 1.0);
        match law {
            Ok(law) if t.is_finite() => (2.0 * law.survival(t.abs())).min(1.0),
            _ => 0.0,
        }
    }

    /// How many standard errors an interval of this level reaches to either side.
    fn reach(&self, level: f64) -> Result<f64> {
        if !(level > 0.0 && level < 1.0) {
            let requirement = "it must be between 0 and 1";
            return Err(Error::parameter("level", level, requirement));
        }
        StudentT::new(self.degrees_of_freedom, 0.0, 1.0)?.upper_quantile(0.5 * (1.0 - level))
    }

    /// How much each row pulls the hyperplane, apart from its weight: 1/n + (x − x̄)ᵀ(XᵀX)⁻¹(x − x̄).
    pub fn leverage(&self, rows: Rows<'_>, run: &Run) -> Result<Array1<f64>> {
        let centred = &rows.to_dense() - &self.center;
        let turned = rows_times(Rows::Dense(centred.view()), self.unscaled.view(), run)?;
        let own = self.intercept_weight.map_or(0.0, f64::recip);
        Ok(Zip::from(centred.rows())
            .and(turned.rows())
            .map_collect(|z, turned| own + z.dot(&turned)))
    }
}

/// a/b, with 0/0 as nothing to explain and nothing explained.
fn ratio(a: f64, b: f64) -> f64 {
    match (a == 0.0, b == 0.0) {
        (true, true) => 0.0,
        _ => a / b,
    }
}

/// G⁻¹ by way of a unit diagonal, so that units of columns do not matter.
fn inverse(system: &System<'_>) -> Option<Array2<f64>> {
    let gram = system.gram();
    let scale = gram.diag().mapv(|value| value.sqrt().recip());
    if scale.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let scaled = Array2::from_shape_fn(gram.dim(), |(i, j)| match i == j {
        true => 1.0,
        false => gram[[i, j]] * scale[i] * scale[j],
    });
    let factor = Cholesky::new(scaled.view()).ok()?;
    let mut inverse = factor.solve(Array2::eye(scale.len()).view());
    inverse *= &scale;
    inverse *= &scale.insert_axis(Axis(1));
    Some(inverse)
}

impl LinearModel {
    /// Standard errors, tests and intervals; absent for penalised fits, for dependent columns,
    /// for fewer rows than weights and for more than 200 columns.
    pub fn inference(&self) -> Option<&Inference> {
        self.inference.as_ref()
    }

    fn known(&self) -> Result<&Inference> {
        self.inference.as_ref().ok_or_else(|| {
            Error::unsupported(
                "this model has no standard errors; fit linear-regression to more rows than \
                 columns that do not depend on each other",
            )
        })
    }

    /// The weights in units of their standard errors, a row per target.
    pub fn t_values(&self) -> Option<Array2<f64>> {
        let inference = self.inference.as_ref()?;
        let pairs = Zip::from(&self.coef).and(&inference.standard_errors);
        Some(pairs.map_collect(|&w, &error| ratio(w, error)))
    }

    /// The intercepts in units of their standard errors.
    pub fn intercept_t_values(&self) -> Option<Array1<f64>> {
        let inference = self.inference.as_ref()?;
        let pairs = Zip::from(&self.intercept).and(&inference.intercept_standard_errors);
        Some(pairs.map_collect(|&b, &error| ratio(b, error)))
    }

    /// How probable a weight at least as far from zero is where it is zero in truth.
    pub fn p_values(&self) -> Option<Array2<f64>> {
        let inference = self.inference.as_ref()?;
        Some(self.t_values()?.mapv(|t| inference.p_value(t)))
    }

    /// The same for the intercepts.
    pub fn intercept_p_values(&self) -> Option<Array1<f64>> {
        let inference = self.inference.as_ref()?;
        Some(self.intercept_t_values()?.mapv(|t| inference.p_value(t)))
    }

    /// Intervals that contain the true weights with probability `level`: rows are targets,
    /// columns are features.
    pub fn confidence_intervals(&self, level: f64) -> Result<Band> {
        let inference = self.known()?;
        let reach = &inference.standard_errors * inference.reach(level)?;
        Ok(Band {
            lower: &self.coef - &reach,
            upper: &self.coef + &reach,
        })
    }

    /// Intervals that contain the mean of the targets, or a new target, of each row with
    /// probability `level`.
    pub fn intervals(&self, rows: Rows<'_>, of: IntervalOf, level: f64) -> Result<Band> {
        let inference = self.known()?;
        didact_core::abilities::check_rows(self, rows)?;
        let reach = inference.reach(level)?;
        let predicted = didact_core::Regress::regress(self, rows)?;
        let leverage = inference.leverage(rows, &Run::new())?;
        let own = f64::from(of == IntervalOf::Target);
        let half = Array2::from_shape_fn(predicted.dim(), |(row, target)| {
            reach * (inference.residual_variance[target] * (own + leverage[row])).sqrt()
        });
        Ok(Band {
            lower: &predicted - &half,
            upper: &predicted + &half,
        })
    }

    /// The share of the variance explained, with a price on every weight:
    /// 1 − (1 − R²)(n − 1)/(n − p).
    pub fn adjusted_r2(&self) -> Option<Array1<f64>> {
        let inference = self.inference.as_ref()?;
        let share = (inference.n_rows - 1.0) / inference.degrees_of_freedom;
        Some(self.r2().mapv(|r2| 1.0 - (1.0 - r2) * share))
    }

    /// What the training rows say about the fit, row by row, for one target.
    pub fn diagnostics(&self, data: &Measured<'_>, target: usize) -> Result<Diagnostics> {
        let inference = self.known()?;
        if target >= self.coef.nrows() || data.n_targets() != self.coef.nrows() {
            let requirement = format!("the model has {} targets", self.coef.nrows());
            return Err(Error::parameter("target", target, requirement));
        }
        let rows = data.samples.rows();
        didact_core::abilities::check_rows(self, rows)?;
        let predicted = didact_core::Regress::regress(self, rows)?;
        let residuals = &data.targets.column(target) - &predicted.column(target);
        let roots: Array1<f64> = (0..residuals.len())
            .map(|row| data.samples.weight(row).sqrt())
            .collect();
        let weights = &roots * &roots;
        let leverage = inference.leverage(rows, &Run::new())? * &weights;
        Ok(Diagnostics::new(
            residuals * roots,
            leverage,
            inference.residual_variance[target],
            inference.degrees_of_freedom,
            inference.n_rows - inference.degrees_of_freedom,
        ))
    }
}

/// Residuals and influence of the training rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostics {
    /// The residuals y − ŷ, times the root of the weight of the row.
    pub residuals: Array1<f64>,
    /// How much each row decides about its own prediction, between 0 and 1.
    pub leverage: Array1<f64>,
    /// Residuals divided by their standard errors s·√(1 − h).
    pub standardised: Array1<f64>,
    /// The same with s² from the other rows alone: Student's law with one degree less.
    pub studentised: Array1<f64>,
    /// How far all predictions move when the row is left out: Cook's distance.
    pub cooks_distance: Array1<f64>,
    /// Near 2 where neighbouring residuals are independent, near 0 where they are alike.
    pub durbin_watson: f64,
    /// Statistic and p-value that the residuals are normal, from skewness and kurtosis.
    pub jarque_bera: (f64, f64),
}

impl Diagnostics {
    fn new(
        residuals: Array1<f64>,
        leverage: Array1<f64>,
        variance: f64,
        freedom: f64,
        parameters: f64,
    ) -> Self {
        let standardised = Zip::from(&residuals)
            .and(&leverage)
            .map_collect(|&r, &h| ratio(r, (variance * (1.0 - h).max(0.0)).sqrt()));
        let studentised = standardised.mapv(|e| {
            let left = (freedom - e * e).max(0.0);
            e * ratio(freedom - 1.0, left).max(0.0).sqrt()
        });
        let cooks_distance = Zip::from(&standardised)
            .and(&leverage)
            .map_collect(|&e, &h| e * e * ratio(h, parameters * (1.0 - h).max(0.0)));
        let squares = residuals.dot(&residuals);
        let steps: f64 = residuals
            .windows(2)
            .into_iter()
            .map(|pair| (pair[1] - pair[0]).powi(2))
            .sum();
        Diagnostics {
            durbin_watson: ratio(steps, squares),
            jarque_bera: jarque_bera(&residuals),
            residuals,
            leverage,
            standardised,
            studentised,
            cooks_distance,
        }
    }
}

/// n/6·(S² + (K − 3)²/4), which has two degrees of freedom of χ², so that p = e^(−JB/2).
fn jarque_bera(residuals: &Array1<f64>) -> (f64, f64) {
    let n = residuals.len() as f64;
    let mean = residuals.sum() / n;
    let moment = |power: i32| {
        residuals
            .iter()
            .map(|r| (r - mean).powi(power))
            .sum::<f64>()
            / n
    };
    let variance = moment(2);
    let skewness = ratio(moment(3), variance.powf(1.5));
    let kurtosis = ratio(moment(4), variance * variance);
    let statistic = n / 6.0 * (skewness * skewness + (kurtosis - 3.0).powi(2) / 4.0);
    (statistic, (-0.5 * statistic).exp())
}
