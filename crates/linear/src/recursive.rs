//! Recursive least squares: a hyperplane that every new row moves.

use crate::BayesianLinearModel;
use crate::planes::Planes;
use crate::rows::CountingMeasured;
use didact_core::{
    Accepts, Error, Fit, LearnInPieces, Measured, Next, Result, Run, ensure_belongs,
};
use didact_math::linalg::{Cholesky, gram, symmetric_eigen, transposed_rows_times};
use ndarray::{Array1, Array2, Axis, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fits a hyperplane row by row, with a belief about the weights that every row sharpens.
///
/// With the weights X (the intercept is one of them), their covariance P, a row a and a target b
/// of variance σ²: K = Paᵀ/(aPaᵀ + σ²), X += K(b − aX), P −= KaP. Started from P = P₀ this is
/// ridge with α = σ²/P₀ at every step, the intercept included. A forgetting factor below one
/// lets old rows fade, so that the hyperplane follows a drift.
///
/// ```
/// use didact_core::{Fit, Measured};
/// use didact_linear::RecursiveLeastSquares;
/// let x = ndarray::array![[0.0], [1.0], [2.0]];
/// let model = RecursiveLeastSquares::default().fit(Measured::new(&x, &[1.0, 3.0, 5.0])?)?;
/// assert!((model.coef()[[0, 0]] - 2.0).abs() < 1e-5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecursiveLeastSquares {
    /// The variance P₀ of each weight before the first row.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_variance: f64,
    /// The variance σ² of a target; a row of weight w has σ²/w.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub noise_variance: f64,
    /// What everything known counts for when a new row comes; one forgets nothing.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub forgetting: f64,
    /// Whether to fit an intercept, as a weight like the others.
    pub fit_intercept: bool,
}

impl Default for RecursiveLeastSquares {
    fn default() -> Self {
        RecursiveLeastSquares {
            prior_variance: 1e6,
            noise_variance: 1.0,
            forgetting: 1.0,
            fit_intercept: true,
        }
    }
}

/// The recursion itself, for streams: weights, their covariance, and one row at a time.
///
/// ```
/// use didact_linear::RecursiveFilter;
/// let mut filter = RecursiveFilter::new(1, 1.0)?;
/// filter.observe(&[1.0], 1.0, 1.0)?;
/// filter.observe(&[2.0], 2.0, 1.0)?;
/// assert!((filter.weights()[0] - 5.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecursiveFilter {
    weights: Array1<f64>,
    covariance: Array2<f64>,
    forgetting: f64,
}

impl RecursiveFilter {
    /// Starts from weights of zero with the given variance each.
    pub fn new(n_weights: usize, prior_variance: f64) -> Result<Self> {
        let covariance = Array2::from_diag_elem(n_weights, prior_variance);
        RecursiveFilter::with_prior(Array1::zeros(n_weights), covariance)
    }

    /// Starts from a belief about the weights: their mean and covariance (not its inverse).
    pub fn with_prior(mean: Array1<f64>, covariance: Array2<f64>) -> Result<Self> {
        if covariance.dim() != (mean.len(), mean.len()) {
            return Err(Error::parameter(
                "covariance",
                format!("of shape {:?}", covariance.dim()),
                format!(
                    "there are {} weights; it must have a row for each",
                    mean.len()
                ),
            ));
        }
        Cholesky::new(covariance.view())?;
        Ok(RecursiveFilter {
            weights: mean,
            covariance,
            forgetting: 1.0,
        })
    }

    /// Lets what is known count only this much when a new row comes.
    pub fn forgetting(mut self, factor: f64) -> Result<Self> {
        if !(factor > 0.0 && factor <= 1.0) {
            let requirement = "it must be above 0 and at most 1";
            return Err(Error::parameter("forgetting", factor, requirement));
        }
        self.forgetting = factor;
        Ok(self)
    }

    /// Takes in a row and its target of the given variance; returns by how much the target
    /// differed from what was expected.
    pub fn observe(&mut self, row: &[f64], target: f64, variance: f64) -> Result<f64> {
        if row.len() != self.weights.len() {
            return Err(Error::Columns {
                expected: self.weights.len(),
                found: row.len(),
            });
        }
        if !(variance > 0.0 && variance.is_finite()) {
            let requirement = "it must be positive and finite";
            return Err(Error::parameter("variance", variance, requirement));
        }
        let row = ndarray::ArrayView1::from(row);
        let spread = self.covariance.dot(&row);
        let gain = &spread / (row.dot(&spread) + self.forgetting * variance);
        let surprise = target - row.dot(&self.weights);
        self.weights.scaled_add(surprise, &gain);
        let update = gain.insert_axis(Axis(1)).dot(&spread.insert_axis(Axis(0)));
        self.covariance -= &update;
        self.covariance /= self.forgetting;
        match surprise.is_finite() && self.covariance.iter().all(|value| value.is_finite()) {
            true => Ok(surprise),
            false => Err(Error::numerical(
                "the values of a row overflow the recursion; divide the columns by a power of ten",
            )),
        }
    }

    /// The weights X.
    pub fn weights(&self) -> &Array1<f64> {
        &self.weights
    }

    /// The covariance P of the weights.
    pub fn covariance(&self) -> &Array2<f64> {
        &self.covariance
    }
}

/// What rows in a row amount to: aᵀa/σ² and aᵀb/σ² with the older ones faded, and how much what
/// came before fades.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FadedMoments {
    precision: Array2<f64>,
    right: Array1<f64>,
    fading: f64,
}

impl RecursiveLeastSquares {
    fn moments(&self, data: Measured<'_>, run: &Run) -> Result<FadedMoments> {
        let data = CountingMeasured::new(data);
        let x = data.samples.rows().dense()?;
        let (n, d) = x.dim();
        let width = d + usize::from(self.fit_intercept);
        let mut design = Array2::ones((n, width));
        design.slice_mut(s![.., ..d]).assign(&x);
        let mut fading = 1.0;
        let mut counts = Array1::zeros(n);
        // The last row counts in full, each one before it a little less.
        for row in (0..n).rev() {
            counts[row] = fading * data.samples.weight(row) / self.noise_variance;
            fading *= self.forgetting;
        }
        let rows = didact_core::Rows::Dense(design.view());
        let weighted = &data.targets.column(0) * &counts;
        let right = transposed_rows_times(rows, weighted.insert_axis(Axis(1)).view(), run)?;
        Ok(FadedMoments {
            precision: gram(rows, Some(counts.view()), run)?,
            right: right.remove_axis(Axis(1)),
            fading,
        })
    }

    fn model(&self, moments: FadedMoments) -> Result<BayesianLinearModel> {
        let mut precision = moments.precision;
        for value in precision.diag_mut() {
            *value += moments.fading / self.prior_variance;
        }
        let overflow = || {
            Error::numerical(
                "the squares of some columns overflow; \
                 divide the columns by a power of ten so that their values stay below 1e150",
            )
        };
        let factor = Cholesky::new(precision.view()).map_err(|_| overflow())?;
        let weights = factor.solve_vector(moments.right.view());
        let covariance = factor.solve(Array2::eye(weights.len()).view());
        let d = weights.len() - usize::from(self.fit_intercept);
        let of_weights = covariance.slice(s![..d, ..d]);
        // The hyperplane is known best at c: Var(w·x + b) = (x − c)ᵀP(x − c) + v.
        let (center, offset_variance) = match self.fit_intercept {
            false => (Array1::zeros(d), 0.0),
            true => {
                let shared = covariance.slice(s![..d, d]);
                let inner = Cholesky::new(of_weights).map_err(|_| overflow())?;
                let center = -inner.solve_vector(shared);
                let left = covariance[[d, d]] + center.dot(&shared);
                (center, left.max(0.0))
            }
        };
        let eigen = symmetric_eigen(of_weights)?;
        let intercept = weights.get(d).copied().unwrap_or(0.0);
        let coef = weights.slice(s![..d]).to_owned().insert_axis(Axis(0));
        Ok(BayesianLinearModel {
            planes: Planes::new(coef, Array1::from_elem(1, intercept))?,
            center,
            offset_variance,
            directions: eigen.vectors.t().to_owned(),
            variances: eigen.values.mapv(|value| value.max(0.0)),
            rest_variance: self.prior_variance,
            noise_variance: self.noise_variance,
            log_evidence: None,
            trace: None,
        })
    }
}

impl Fit<Measured<'_>> for RecursiveLeastSquares {
    type Model = BayesianLinearModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<BayesianLinearModel> {
        self.model(self.moments(data, run)?)
    }
}

impl LearnInPieces<Measured<'_>> for RecursiveLeastSquares {
    type State = ();
    type Summary = FadedMoments;

    fn start(&self) -> Result<()> {
        Ok(())
    }

    fn summarise(&self, _: &(), chunk: Measured<'_>, _: usize, run: &Run) -> Result<FadedMoments> {
        self.moments(chunk, run)
    }

    fn check_summary(&self, _: &(), summary: &FadedMoments) -> Result<()> {
        let width = summary.right.len();
        ensure_belongs(
            width > usize::from(self.fit_intercept) && summary.precision.dim() == (width, width),
        )
    }

    /// The left rows come before the right ones.
    fn merge(&self, left: FadedMoments, right: FadedMoments) -> Result<FadedMoments> {
        if left.right.len() != right.right.len() {
            return Err(Error::data(
                "the chunks have different numbers of columns; give chunks of one table",
            ));
        }
        Ok(FadedMoments {
            precision: left.precision * right.fading + right.precision,
            right: left.right * right.fading + right.right,
            fading: left.fading * right.fading,
        })
    }

    fn step(&self, _: (), summary: FadedMoments, _: &Run) -> Result<Next<(), BayesianLinearModel>> {
        Ok(Next::Done(self.model(summary)?))
    }
}
