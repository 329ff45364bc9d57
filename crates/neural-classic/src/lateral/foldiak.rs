//! Földiák's networks: outputs that inhibit each other until they are uncorrelated.

use super::foldiak_theory::{check_covariance, check_variances, decorrelated_covariance};
use didact_core::{Error, Result, Run, StopReason, Trace, TraceWriter};
use didact_math::linalg::{Cholesky, solve};
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// What the outputs of a network of Földiák are to become.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OutputTargets {
    /// Uncorrelated, with whatever variances that leaves: no self-connections (the first model).
    #[default]
    Uncorrelated,
    /// Uncorrelated with variance one: self-connections learn as well (the second model).
    Whitened,
    /// Uncorrelated with these variances.
    Variances(Array1<f64>),
}

/// Lets the outputs of a network inhibit each other until they are uncorrelated.
///
/// n inputs are copied to n outputs, which are joined by symmetric weights: y = x + W·y, settled at
/// y = (I − W)⁻¹·x. The weights learn by Δw_ij = α·(θ_ij − yᵢ·yⱼ) with θ_ij = 0 for i ≠ j, which stops
/// by itself when the outputs are uncorrelated. Inputs must have mean zero.
///
/// ```
/// use didact_core::Run;
/// use didact_neural_classic::{Foldiak, OutputTargets};
/// use ndarray::array;
/// let foldiak = Foldiak { targets: OutputTargets::Whitened, ..Foldiak::default() };
/// let (network, _) = foldiak.settle(array![[2.0, 1.2], [1.2, 1.0]].view(), &Run::new())?;
/// assert!((network.weights()[[0, 1]] + 0.565_895).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Foldiak {
    /// What the outputs are to become.
    pub targets: OutputTargets,
    /// The first rate α of the averaged rule as a share of what the covariance allows; it is
    /// halved where a step leads too far and grows again where steps succeed.
    pub rate: f64,
    /// Most steps.
    pub max_iter: usize,
    /// Stop when the outputs miss their targets by at most this share of the variances.
    pub tol: f64,
}

impl Default for Foldiak {
    fn default() -> Self {
        Foldiak {
            targets: OutputTargets::Uncorrelated,
            rate: 0.1,
            max_iter: 10_000,
            tol: 1e-10,
        }
    }
}

impl Foldiak {
    /// The network that the averaged rule ΔW = α·(Θ − E[y·yᵀ]) comes to, for inputs with this
    /// covariance, and how far the outputs were from their targets after every step.
    pub fn settle(
        &self,
        covariance: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(FoldiakNetwork, Trace)> {
        check_covariance(covariance)?;
        let size = covariance.diag().iter().fold(0.0_f64, |a, &b| a.max(b));
        if size <= 0.0 {
            return Err(Error::data(
                "no variance of the covariance is above 0; give columns that vary",
            ));
        }
        let mut network = FoldiakNetwork::new(covariance.nrows(), self.targets.clone())?;
        let mut trace = TraceWriter::new(run, "largest miss", Some(self.max_iter));
        let mut rate = self.rate / size.max(1.0);
        let mut change = network.mean_change(covariance)?;
        let mut miss = largest(&change);
        for _ in 0..self.max_iter {
            trace.record(miss)?;
            if miss <= self.tol * network.scale(size) {
                return Ok((network, trace.finish(StopReason::Converged)));
            }
            let Some((next, next_change)) = network.moved(&change, rate, covariance, miss) else {
                rate /= 2.0;
                continue;
            };
            (network, change) = (next, next_change);
            miss = largest(&change);
            rate *= 1.2;
        }
        Ok((network, trace.finish(StopReason::IterationLimit)))
    }
}

/// Outputs joined by lateral weights.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldiakNetwork {
    weights: Array2<f64>,
    targets: OutputTargets,
}

impl FoldiakNetwork {
    /// A network of that many outputs with weights of zero.
    pub fn new(n_outputs: usize, targets: OutputTargets) -> Result<Self> {
        if n_outputs == 0 {
            return Err(Error::parameter("n_outputs", 0, "it must be at least 1"));
        }
        if let OutputTargets::Variances(variances) = &targets {
            check_variances(variances.view(), n_outputs)?;
        }
        Ok(FoldiakNetwork {
            weights: Array2::zeros((n_outputs, n_outputs)),
            targets,
        })
    }

    /// The lateral weights W, symmetric.
    pub fn weights(&self) -> &Array2<f64> {
        &self.weights
    }

    /// The settled outputs y = (I − W)⁻¹·x.
    pub fn output(&self, input: &[f64]) -> Result<Array1<f64>> {
        self.check(input)?;
        let input = ndarray::ArrayView1::from(input).insert_axis(Axis(1));
        Ok(solve(self.open().view(), input)?.remove_axis(Axis(1)))
    }

    /// The outputs by letting activity go round, y ← x + W·y, which settles only where no
    /// eigenvalue of W is as large as one.
    pub fn output_by_iteration(&self, input: &[f64], max_iter: usize) -> Result<Array1<f64>> {
        self.check(input)?;
        let input = ndarray::ArrayView1::from(input);
        let mut output = input.to_owned();
        for _ in 0..max_iter {
            let next = self.weights.dot(&output) + input;
            let moved = largest_of((&next - &output).iter());
            output = next;
            if moved <= 1e-15 * largest_of(output.iter()) {
                return Ok(output);
            }
        }
        Err(Error::numerical(
            "the outputs do not settle; the weights are too large to go round, so solve for the \
             values with output instead",
        ))
    }

    /// Learns from one input of mean zero with the rate α; gives the outputs before. The rate is
    /// halved until I − W stays positive definite.
    pub fn learn(&mut self, input: &[f64], rate: f64) -> Result<Array1<f64>> {
        let output = self.output(input)?;
        let products = Array2::from_shape_fn(self.weights.dim(), |(i, j)| output[i] * output[j]);
        let change = self.misses(products);
        let mut rate = rate;
        for _ in 0..60 {
            let weights = &self.weights + &(&change * rate);
            if is_open(&weights) {
                self.weights = weights;
                break;
            }
            rate /= 2.0;
        }
        Ok(output)
    }

    /// I − W.
    fn open(&self) -> Array2<f64> {
        Array2::eye(self.weights.nrows()) - &self.weights
    }

    /// Θ − E[y·yᵀ] where it is learned.
    fn mean_change(&self, covariance: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let outputs = decorrelated_covariance(covariance, self.weights.view())?;
        Ok(self.misses(outputs))
    }

    /// Targets less products, and nothing for self-connections that do not learn.
    fn misses(&self, products: Array2<f64>) -> Array2<f64> {
        let mut misses = -products;
        match &self.targets {
            OutputTargets::Uncorrelated => misses.diag_mut().fill(0.0),
            OutputTargets::Whitened => {
                let mut diagonal = misses.diag_mut();
                diagonal += 1.0;
            }
            OutputTargets::Variances(variances) => {
                let mut diagonal = misses.diag_mut();
                diagonal += variances;
            }
        }
        // Rounding must not make the weights unsymmetric.
        let transposed = misses.t().to_owned();
        (misses + transposed) / 2.0
    }

    /// What a miss is measured by.
    fn scale(&self, size: f64) -> f64 {
        match &self.targets {
            OutputTargets::Uncorrelated => size,
            OutputTargets::Whitened => 1.0,
            OutputTargets::Variances(variances) => largest_of(variances.iter()),
        }
    }

    /// The network after a step and its next change, unless the step leads too far.
    fn moved(
        &self,
        change: &Array2<f64>,
        rate: f64,
        covariance: ArrayView2<'_, f64>,
        miss: f64,
    ) -> Option<(FoldiakNetwork, Array2<f64>)> {
        let next = FoldiakNetwork {
            weights: &self.weights + &(change * rate),
            targets: self.targets.clone(),
        };
        if !is_open(&next.weights) {
            return None;
        }
        let change = next.mean_change(covariance).ok()?;
        (largest(&change) <= miss).then_some((next, change))
    }

    fn check(&self, input: &[f64]) -> Result<()> {
        let expected = self.weights.nrows();
        match input.len() == expected && input.iter().all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err(Error::data(format!(
                "the input must be {expected} finite values; {} were given, or one is not finite",
                input.len()
            ))),
        }
    }
}

/// Whether I − W is positive definite, so that the outputs settle.
fn is_open(weights: &Array2<f64>) -> bool {
    Cholesky::new((Array2::eye(weights.nrows()) - weights).view()).is_ok()
}

fn largest(change: &Array2<f64>) -> f64 {
    largest_of(change.iter())
}

fn largest_of<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.fold(0.0_f64, |a, b| a.max(b.abs()))
}
