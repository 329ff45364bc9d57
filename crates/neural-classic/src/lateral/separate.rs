//! Separation of mixed signals by averages over all rows.

use super::jutten_herault::{JuttenHeraultNetwork, OddFunction, diverged};
use didact_core::{Error, Result, Rows, Run, StopReason, Trace, TraceWriter, parallel};
use didact_math::linalg::Variances;
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// Separates mixtures of independent signals, where every mixture has most of its own signal.
///
/// The averaged rule Δw_ij = α·E[f(yᵢ)·g(yⱼ)] of [`JuttenHeraultNetwork`] on rows that are centred
/// and scaled by their mean deviation. The default y³ and arctan are for signals with light tails
/// (uniform, sine); exchange them for heavy tails (speech). With strong mixing outputs may come
/// permuted, or the weights diverge, which is an error.
///
/// ```
/// use didact_core::Run;
/// use didact_neural_classic::JuttenHerault;
/// use ndarray::{Array2, array};
/// let sources = Array2::from_shape_fn((900, 2), |(t, s)| match s {
///     0 => ((t * 7 % 30) as f64 - 14.5) / 10.0,
///     _ => ((t / 30) as f64 - 14.5) / 10.0,
/// });
/// let mixed = sources.dot(&array![[1.0, 0.5], [0.4, 1.0]].t());
/// let found = JuttenHerault::default().separate(mixed.view(), &Run::new())?;
/// let [first, second] = [found.network.weights()[[0, 1]], found.network.weights()[[1, 0]]];
/// assert!((first - 0.5).abs() < 0.03 && (second - 0.4).abs() < 0.03);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JuttenHerault {
    /// The function f of the output that receives.
    pub f: OddFunction,
    /// The function g of the output that sends.
    pub g: OddFunction,
    /// The rate α.
    pub rate: f64,
    /// Most steps.
    pub max_iter: usize,
    /// Stop when no mean of f(yᵢ)·g(yⱼ) is larger than this.
    pub tol: f64,
}

impl Default for JuttenHerault {
    fn default() -> Self {
        JuttenHerault {
            f: OddFunction::Cube,
            g: OddFunction::Arctangent,
            rate: 0.1,
            max_iter: 5000,
            tol: 1e-8,
        }
    }
}

/// A separator and the signals it found.
#[derive(Clone, Debug, PartialEq)]
pub struct Separation {
    /// The network, for rows without their mean.
    pub network: JuttenHeraultNetwork,
    /// The mean of the mixtures.
    pub mean: Array1<f64>,
    /// The separated signals, one per column, in the unit of the mixtures.
    pub signals: Array2<f64>,
    /// The largest mean of f(yᵢ)·g(yⱼ) before every step.
    pub trace: Trace,
}

impl JuttenHerault {
    /// Separates mixtures, one per column.
    pub fn separate(&self, mixtures: ArrayView2<'_, f64>, run: &Run) -> Result<Separation> {
        let (centred, mean, unit) = self.prepare(mixtures, run)?;
        let mut network = JuttenHeraultNetwork::new(mixtures.ncols(), self.f, self.g)?;
        let mut trace = TraceWriter::new(run, "largest dependence", Some(self.max_iter));
        let mut stop = StopReason::IterationLimit;
        for _ in 0..self.max_iter {
            let products = self.mean_products(&network, centred.view(), run)?;
            let dependence = products.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            if !dependence.is_finite() {
                return Err(diverged());
            }
            trace.record(dependence)?;
            if dependence <= self.tol {
                stop = StopReason::Converged;
                break;
            }
            network.add(&products, self.rate)?;
        }
        let signals = network.outputs(centred.view())? * unit;
        Ok(Separation {
            network,
            mean,
            signals,
            trace: trace.finish(stop),
        })
    }

    /// The rows without their mean, in the unit of their mean standard deviation.
    fn prepare(
        &self,
        mixtures: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(Array2<f64>, Array1<f64>, f64)> {
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err(Error::parameter("rate", self.rate, "it must be above 0"));
        }
        if mixtures.is_empty() || mixtures.iter().any(|value| !value.is_finite()) {
            return Err(Error::data(
                "the mixtures are empty or a value is not finite; give one column per mixture",
            ));
        }
        let mixtures = mixtures.as_standard_layout();
        let variances = Variances::summarise(Rows::Dense(mixtures.view()), None, run)?;
        let unit = variances.variance().mapv(f64::sqrt).mean().unwrap_or(0.0);
        if !(unit > 0.0 && unit.is_finite()) {
            return Err(Error::data(
                "the columns are constant or their values too large; give mixtures that vary",
            ));
        }
        Ok(((&mixtures - &variances.mean) / unit, variances.mean, unit))
    }

    /// E[f(yᵢ)·g(yⱼ)] for i ≠ j.
    fn mean_products(
        &self,
        network: &JuttenHeraultNetwork,
        centred: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let n = centred.ncols();
        let unmixing = network.unmixing()?;
        let summarise = |range: std::ops::Range<usize>| {
            let inputs = centred.slice(s![range, ..]);
            let outputs = didact_math::linalg::a_times_bt(inputs, unmixing.view());
            let mut products = Array2::zeros((n, n));
            for output in outputs.axis_iter(Axis(0)) {
                network.add_products(output.to_slice().expect("contiguous"), &mut products);
            }
            Ok(products)
        };
        let total = parallel::reduce(centred.nrows(), 4096, run, &summarise, &|a, b| a + b)?;
        let total = total.unwrap_or_else(|| Array2::zeros((n, n)));
        Ok(total / centred.nrows() as f64)
    }
}
