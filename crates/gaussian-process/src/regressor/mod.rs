//! Gaussian process regression: a law over functions, conditioned on measured values.

mod model;
mod posterior;
mod predictive;

pub use model::GaussianProcessModel;
pub use predictive::ProcessPredictive;

use crate::covariance::{Covariance, CovarianceKernel};
use crate::exact::{Exact, ProcessCriterion};
use crate::inducing::inducing_rows;
use crate::observations::Observations;
use crate::process::Process;
use crate::search::{Evaluate, Scales, Search};
use crate::sparse::Sparse;
use crate::weight_space::LinearSpace;
use didact_core::{Accepts, Error, Fit, Measured, Result, Run, Trace};
use model::Units;
use ndarray::Array1;
use posterior::Posterior;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Exact inference keeps about four matrices with this many rows and columns; for more rows it
/// would be minutes and many gigabytes.
const MOST_EXACT_ROWS: usize = 15_000;

/// So many rows tell good starts of the search from bad ones.
const GLANCE: usize = 200;

/// Predicts with a law over functions, and says how sure it is.
///
/// The function f has a Gaussian law with covariance k before the data, and the targets are
/// y = f + N(0, σ²). After the data the value at x has the mean k(x, X)·(K + σ²I)⁻¹y and the
/// variance k(x, x) − k(x, X)·(K + σ²I)⁻¹·k(X, x); a new target has σ² more. The parameters of
/// the covariance and σ² are held as they are given, or are the start of a search for those
/// under which the targets are most probable. A row of weight w is w equal rows: its noise is
/// σ²/w. With `n_inducing`, the function is known through its values at so many rows only, and
/// the cost falls from n³ to n·m².
///
/// ```
/// use didact_core::{Fit, Measured, Regress};
/// use didact_gaussian_process::GaussianProcessRegressor;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((20, 1), |(row, _)| row as f64 / 2.0);
/// let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
/// let model = GaussianProcessRegressor::default().fit(Measured::new(&x, &y)?)?;
/// let between = Array2::from_elem((1, 1), 3.3);
/// assert!((model.predict(&between)?[[0, 0]] - 3.3_f64.sin()).abs() < 0.01);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianProcessRegressor {
    /// The covariance function: how smooth the functions are.
    pub kernel: CovarianceKernel,
    /// The distance ℓ over which the function changes.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length_scale: f64,
    /// Whether every column has a length scale of its own, which tells how much it matters.
    pub anisotropic: bool,
    /// The variance of the function before the data; of its slopes where the kernel is linear.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub amplitude: f64,
    /// The exponent of the rational quadratic; the smaller, the more lengths take part.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale_mixture: f64,
    /// The variance of the intercept of a linear kernel, relative to that of its slopes.
    #[schemars(range(min = 0))]
    pub coef0: f64,
    /// The variance σ² of the noise, `alpha` in scikit-learn; zero lets the function pass
    /// through every target.
    #[schemars(range(min = 0))]
    pub noise: f64,
    /// Whether to search for the best parameters, starting from those given and from some that
    /// the data suggest; a noise of zero stays zero.
    pub optimize: bool,
    /// What the best parameters make large.
    pub criterion: ProcessCriterion,
    /// How many more starts the search makes.
    pub n_restarts_optimizer: usize,
    /// At most this many iterations for each start of the search.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when no derivative of the criterion per row is larger.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// Whether the targets are centred and divided by their standard deviation first;
    /// `amplitude` and `noise` are then in these units.
    pub normalize_y: bool,
    /// Through the values at how many rows the function is known; all rows where absent.
    #[schemars(range(min = 1))]
    pub n_inducing: Option<usize>,
}

impl Default for GaussianProcessRegressor {
    fn default() -> Self {
        GaussianProcessRegressor {
            kernel: CovarianceKernel::Rbf,
            length_scale: 1.0,
            anisotropic: false,
            amplitude: 1.0,
            scale_mixture: 1.0,
            coef0: 1.0,
            noise: 0.1,
            optimize: true,
            criterion: ProcessCriterion::Evidence,
            n_restarts_optimizer: 0,
            max_iter: 200,
            tol: 1e-4,
            normalize_y: false,
            n_inducing: None,
        }
    }
}

/// How the process after the data is found.
#[derive(Clone, Copy, PartialEq)]
enum Route {
    /// By the matrix of all covariances.
    Exact,
    /// In the space of the weights of a linear covariance.
    Linear,
    /// Through so many inducing rows.
    Sparse(usize),
}

impl GaussianProcessRegressor {
    /// The process with the given parameters, for rows of so many columns.
    pub fn process(&self, n_columns: usize) -> Result<Process> {
        let shape = self.kernel.shape(self.scale_mixture, self.coef0);
        let count = if self.anisotropic { n_columns } else { 1 };
        let lengths = Array1::from_elem(count, self.length_scale);
        Process::new(Covariance::new(shape, self.amplitude, lengths)?, self.noise)
    }

    fn route(&self, covariance: &Covariance, observations: &Observations) -> Result<Route> {
        let n = observations.n_rows();
        let by_evidence = !self.optimize || self.criterion == ProcessCriterion::Evidence;
        let is_linear = !covariance.shape().is_stationary();
        if by_evidence && self.noise > 0.0 && LinearSpace::is_smaller(covariance, observations) {
            return Ok(Route::Linear);
        }
        if is_linear && n > MOST_EXACT_ROWS {
            return Err(Error::data(format!(
                "there are {n} rows, but without noise, or by leaving one out, a linear process \
                 takes at most {MOST_EXACT_ROWS}; set noise above 0 and criterion to evidence"
            )));
        }
        // With more columns than rows, a linear process has nothing to gain from fewer rows.
        match self.n_inducing.filter(|_| !is_linear) {
            Some(_) if self.noise == 0.0 => Err(Error::parameter(
                "noise",
                self.noise,
                "it must be greater than 0 where n_inducing is given, \
                 because the function does not pass through every target",
            )),
            Some(_) if !by_evidence => Err(Error::parameter(
                "criterion",
                "leave-one-out",
                "it must be evidence where n_inducing is given",
            )),
            Some(count) => Ok(Route::Sparse(count)),
            None if n > MOST_EXACT_ROWS => Err(Error::parameter(
                "n_inducing",
                "absent",
                format!(
                    "{n} rows are too many for the exact process, which takes at most \
                     {MOST_EXACT_ROWS}; 500 would be a good choice"
                ),
            )),
            None => Ok(Route::Exact),
        }
    }

    /// The process with the best parameters, and how they were found.
    fn choose(
        &self,
        given: Process,
        observations: &Observations,
        route: Route,
        run: &Run,
    ) -> Result<(Process, Option<Trace>)> {
        if !self.optimize {
            return Ok((given, None));
        }
        let thin = observations.thinned(GLANCE);
        let glance_exact = Exact::new(given.covariance(), &thin, run)?;
        let glance = |process: &Process, gradient: Option<&mut [f64]>, run: &Run| {
            glance_exact.evaluate(process, self.criterion, gradient, run)
        };
        let search = |evaluate: &Evaluate<'_>| {
            let search = Search {
                n_terms: observations.total_weight() * observations.targets.ncols() as f64,
                n_restarts: self.n_restarts_optimizer,
                max_iter: self.max_iter,
                tol: self.tol,
                evaluate,
                glance: &glance,
                objective_name: match self.criterion {
                    ProcessCriterion::Evidence => "log-evidence",
                    ProcessCriterion::LeaveOneOut => "leave-one-out log-density",
                },
            };
            search.best(&given, &scales(&given, observations), run)
        };
        let (process, trace) = match route {
            Route::Exact => {
                let exact = Exact::new(given.covariance(), observations, run)?;
                search(&|process, gradient, run| {
                    exact.evaluate(process, self.criterion, gradient, run)
                })?
            }
            Route::Linear => {
                let space = LinearSpace { observations };
                search(&|process, gradient, run| space.evaluate(process, gradient, run))?
            }
            Route::Sparse(count) => {
                // The rows are chosen for a function of middling length; after the search they
                // are chosen again.
                let middling = middling(&given, observations);
                let rows = observations.rows.view();
                let chosen = inducing_rows(middling.covariance(), rows, count, run)?;
                let sparse = Sparse {
                    observations,
                    inducing: chosen.view(),
                };
                search(&|process, gradient, run| sparse.evaluate(process, gradient, run))?
            }
        };
        Ok((process, Some(trace)))
    }
}

/// The sizes of the data that tell good parameters from absurd ones.
pub(crate) fn scales(given: &Process, observations: &Observations) -> Scales {
    let variances = observations.column_variances();
    // Two rows are on average √2 standard deviations apart in every column.
    let usable = |square: f64| match square > 0.0 && square.is_finite() {
        true => square.sqrt(),
        false => 1.0,
    };
    let lengths = match given.covariance().length_scales().len() {
        1 => vec![usable(2.0 * variances.sum())],
        d => variances
            .iter()
            .map(|v| usable(2.0 * v * d as f64))
            .collect(),
    };
    let amplitude = observations.target_squares().mean().unwrap_or(1.0);
    let is_usable = amplitude > 0.0 && amplitude.is_finite();
    Scales {
        amplitude: if is_usable { amplitude } else { 1.0 },
        lengths,
    }
}

fn middling(given: &Process, observations: &Observations) -> Process {
    let scales = scales(given, observations);
    let mut logarithms = given.log_parameters();
    for (logarithm, length) in logarithms[1..].iter_mut().zip(&scales.lengths) {
        *logarithm = (0.3 * length).ln();
    }
    given.with_log_parameters(&logarithms)
}

impl Fit<Measured<'_>> for GaussianProcessRegressor {
    type Model = GaussianProcessModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<GaussianProcessModel> {
        let mut observations = Observations::new(&data)?;
        if observations.n_rows() == 0 {
            return Err(Error::data(
                "every row has the weight 0; give at least one row a weight above 0",
            ));
        }
        let units = Units::of(&mut observations, self.normalize_y);
        let given = self.process(observations.rows.ncols())?;
        let route = self.route(given.covariance(), &observations)?;
        let (process, trace) = self.choose(given, &observations, route, run)?;
        let n_features = observations.rows.ncols();
        let (posterior, found) = match route {
            Route::Exact => Posterior::exact(&process, observations, run)?,
            Route::Linear => Posterior::linear(&process, &observations, run)?,
            Route::Sparse(count) => Posterior::sparse(&process, &observations, count, run)?,
        };
        Ok(GaussianProcessModel {
            process,
            posterior,
            n_features,
            units,
            jitter: found.jitter,
            log_evidence: found.log_evidence,
            trace,
        })
    }
}

impl Units {
    /// Takes the means out of the targets and divides them by their standard deviations, where
    /// that is wanted.
    fn of(observations: &mut Observations, normalize: bool) -> Self {
        let n_targets = observations.targets.ncols();
        if !normalize {
            return Units {
                means: Array1::zeros(n_targets),
                scales: Array1::ones(n_targets),
            };
        }
        let means = observations.target_means();
        observations.targets -= &means;
        let usable = |square: f64| match square > 0.0 && square.is_finite() {
            true => square.sqrt(),
            false => 1.0,
        };
        let scales = observations.target_squares().mapv(usable);
        observations.targets /= &scales;
        Units { means, scales }
    }
}
