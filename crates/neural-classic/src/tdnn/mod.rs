//! Time-delay networks: the next value of a series from a window of the last ones.

mod layer;
mod series;

use didact_core::random::generator;
use didact_core::{Error, Result, Run, Trace};
use didact_math::linalg::pseudo_solve;
use didact_optimize::{Lbfgs, Minimise};
pub use layer::HiddenLayer;
use layer::WindowLoss;
use ndarray::{Array1, ArrayView1, Axis};
use rand_distr::{Distribution, StandardNormal};
use series::Windows;

/// Predicts the next value of a series from its last `n_lags` values.
///
/// Without hidden units the network is linear, an autoregressive model by least squares. With
/// hidden units it is y = b + u·x + Σₕ vₕ·tanh(wₕ·x + cₕ) on windows x of standardised values,
/// the same weights for every place in time. It minimises the mean squared error plus
/// `alpha`/2·(‖W‖² + ‖v‖²) by gradients, from `n_starts` random starts, of which the best is kept.
///
/// ```
/// use didact_core::Run;
/// use didact_neural_classic::Tdnn;
/// // A sine obeys x(t) = 2cos(ω)·x(t − 1) − x(t − 2).
/// let series: Vec<f64> = (0..60).map(|t| (0.3 * f64::from(t)).sin()).collect();
/// let model = Tdnn { n_lags: 2, n_hidden: 0, ..Tdnn::default() }.fit(&series, &Run::new())?;
/// let forecast = model.forecast(&series, 5)?;
/// assert!((forecast[4] - (0.3_f64 * 64.0).sin()).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tdnn {
    /// How many of the last values are seen.
    pub n_lags: usize,
    /// Hidden units; none makes an autoregressive model.
    pub n_hidden: usize,
    /// Price of the weights of hidden units.
    pub alpha: f64,
    /// Random starts.
    pub n_starts: usize,
    /// Most steps of a start.
    pub max_iter: usize,
    /// Seed of the starts.
    pub random_state: u64,
}

impl Default for Tdnn {
    fn default() -> Self {
        Tdnn {
            n_lags: 4,
            n_hidden: 6,
            alpha: 1e-6,
            n_starts: 3,
            max_iter: 500,
            random_state: 0,
        }
    }
}

impl Tdnn {
    /// Learns from one series of equally spaced values.
    pub fn fit(&self, series: &[f64], run: &Run) -> Result<TdnnModel> {
        self.fit_many(&[series], run)
    }

    /// Learns from several series; windows never reach from one into another.
    pub fn fit_many(&self, series: &[&[f64]], run: &Run) -> Result<TdnnModel> {
        self.check()?;
        let windows = Windows::of(series, self.n_lags)?;
        let start = self.linear(&windows)?;
        if self.n_hidden == 0 {
            return Ok(self.model(&windows, start, HiddenLayer::none(self.n_lags), None));
        }
        let loss = WindowLoss::new(&windows, self.n_hidden, self.alpha);
        let method = Lbfgs {
            max_iter: self.max_iter,
            gradient_tolerance: 1e-7,
            ..Lbfgs::default()
        };
        let mut best: Option<didact_optimize::Outcome> = None;
        for attempt in 0..self.n_starts {
            let point = self.start(&start, attempt as u64);
            let outcome = method.minimise(&mut loss.objective(run), &point, run)?;
            if best.as_ref().is_none_or(|best| outcome.value < best.value) {
                best = Some(outcome);
            }
        }
        let best = best.expect("there is at least one start");
        let (linear, hidden) = loss.unpack(&best.x);
        Ok(self.model(&windows, linear, hidden, Some(best.trace)))
    }

    fn check(&self) -> Result<()> {
        for (name, value) in [("n_lags", self.n_lags), ("n_starts", self.n_starts)] {
            if value == 0 {
                return Err(Error::parameter(name, 0, "it must be at least 1"));
            }
        }
        match self.alpha >= 0.0 && self.alpha.is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(
                "alpha",
                self.alpha,
                "it must be at least 0 and finite",
            )),
        }
    }

    /// The autoregressive model by least squares: the weights of the lags, oldest first, and the
    /// intercept.
    fn linear(&self, windows: &Windows) -> Result<Array1<f64>> {
        let ones = ndarray::Array2::ones((windows.inputs.nrows(), 1));
        let design = ndarray::concatenate(Axis(1), &[windows.inputs.view(), ones.view()])
            .expect("one row per window");
        let targets = windows.targets.view().insert_axis(Axis(1));
        let found = pseudo_solve(design.view(), targets, None)?;
        Ok(found.solution.column(0).to_owned())
    }

    /// The autoregressive model with small random hidden units added.
    fn start(&self, linear: &Array1<f64>, attempt: u64) -> Vec<f64> {
        let mut generator = generator(self.random_state, attempt);
        let scale = 1.0 / (self.n_lags as f64).sqrt();
        let hidden = self.n_hidden * (self.n_lags + 2);
        let random = (0..hidden).map(|_| {
            let value: f64 = StandardNormal.sample(&mut generator);
            scale * value
        });
        linear
            .iter()
            .copied()
            .chain(random.collect::<Vec<f64>>())
            .collect()
    }

    fn model(
        &self,
        windows: &Windows,
        linear: Array1<f64>,
        hidden: HiddenLayer,
        trace: Option<Trace>,
    ) -> TdnnModel {
        TdnnModel {
            mean: windows.mean,
            deviation: windows.deviation,
            linear,
            hidden,
            trace,
        }
    }
}

/// A network that has learned a series.
#[derive(Clone, Debug, PartialEq)]
pub struct TdnnModel {
    mean: f64,
    deviation: f64,
    /// The weights of the lags, oldest first, and the intercept, for standardised values.
    linear: Array1<f64>,
    hidden: HiddenLayer,
    trace: Option<Trace>,
}

impl TdnnModel {
    /// How many of the last values are seen.
    pub fn n_lags(&self) -> usize {
        self.linear.len() - 1
    }

    /// The coefficients of the last value, the one before and so on, of the linear part.
    pub fn coefficients(&self) -> Vec<f64> {
        self.linear.iter().rev().skip(1).copied().collect()
    }

    /// The hidden units.
    pub fn hidden(&self) -> &HiddenLayer {
        &self.hidden
    }

    /// The history of the best start; nothing for a linear network, which is solved at once.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The next value after a history of at least `n_lags` values.
    pub fn predict_next(&self, history: &[f64]) -> Result<f64> {
        Ok(self.forecast(history, 1)?[0])
    }

    /// The next values, each predicted from those before, predicted ones included.
    pub fn forecast(&self, history: &[f64], horizon: usize) -> Result<Vec<f64>> {
        let lags = self.n_lags();
        if history.len() < lags {
            return Err(Error::data(format!(
                "the history has {} values; the network looks back {lags} and needs as many",
                history.len()
            )));
        }
        let mut window: Vec<f64> = history[history.len() - lags..]
            .iter()
            .map(|value| (value - self.mean) / self.deviation)
            .collect();
        let mut forecast = Vec::with_capacity(horizon);
        for _ in 0..horizon {
            let next = self.output(&window);
            let value = self.mean + self.deviation * next;
            if !value.is_finite() {
                return Err(Error::numerical(
                    "the forecast is not a finite number; give finite values or a shorter horizon",
                ));
            }
            forecast.push(value);
            window.rotate_left(1);
            window[lags - 1] = next;
        }
        Ok(forecast)
    }

    fn output(&self, window: &[f64]) -> f64 {
        let lags = self.n_lags();
        let window = ArrayView1::from(window);
        let linear = self.linear.slice(ndarray::s![..lags]).dot(&window) + self.linear[lags];
        linear + self.hidden.output(window)
    }
}
