//! How much of its Gaussian inputs a linear unit passes on: the infomax principle.

use didact_core::{Error, Result};
use didact_math::linalg::{Cholesky, a_times_bt, matmul};
use ndarray::{Array2, ArrayView2};

/// The information of linear outputs y = W·x + ν about inputs with covariance C, in nats, where
/// every output has noise of its own: ½·ln det(I + W·C·Wᵀ/σ²).
///
/// For one output that is ½·ln(σ_y²/σ²) with its whole variance σ_y²; it grows with the weights.
///
/// ```
/// use didact_neural_classic::output_noise_information;
/// use ndarray::array;
/// // Variance 3 besides noise of variance 1: ½·ln 4.
/// let nats = output_noise_information(array![[1.0]].view(), array![[3.0]].view(), 1.0)?;
/// assert!((nats - 2.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn output_noise_information(
    weights: ArrayView2<'_, f64>,
    covariance: ArrayView2<'_, f64>,
    noise_variance: f64,
) -> Result<f64> {
    check(weights, covariance, noise_variance)?;
    let signal = a_times_bt(matmul(weights, covariance).view(), weights);
    let ratio = signal / noise_variance + Array2::<f64>::eye(weights.nrows());
    Ok(0.5 * log_determinant(&ratio)?)
}

/// The information of linear outputs y = W·(x + ν) about inputs with covariance C, in nats, where
/// every input has noise of its own: ½·ln[det(W(C + σ²I)Wᵀ)/det(σ²WWᵀ)].
///
/// For one output that is ½·ln[σ_y²/(σ²·Σw²)], the squares being summed and not the sum squared.
/// It does not change when the weights are scaled, and for as many independent outputs as inputs
/// not with W at all.
pub fn input_noise_information(
    weights: ArrayView2<'_, f64>,
    covariance: ArrayView2<'_, f64>,
    noise_variance: f64,
) -> Result<f64> {
    check(weights, covariance, noise_variance)?;
    let squares = a_times_bt(weights, weights);
    let noise = Cholesky::new(squares.view()).map_err(|_| {
        Error::data(
            "the rows of the weights depend on each other, so the noise of the outputs has no \
             density; give independent rows",
        )
    })?;
    let signal = a_times_bt(matmul(weights, covariance).view(), weights) / noise_variance;
    Ok(0.5 * (log_determinant(&(signal + &squares))? - noise.log_determinant()))
}

/// The entropy n/2·(1 + ln(2πσ²)) of n independent Gaussian noises, in nats.
pub fn noise_entropy(n_outputs: usize, noise_variance: f64) -> f64 {
    0.5 * n_outputs as f64 * (1.0 + (std::f64::consts::TAU * noise_variance).ln())
}

/// Nats as bits.
pub fn in_bits(nats: f64) -> f64 {
    nats / std::f64::consts::LN_2
}

/// Two outputs with noise: their variances without it, their correlation, and its variance.
///
/// det R = σ_ν⁴ + σ_ν²(σ₁² + σ₂²) + σ₁²σ₂²(1 − ρ²) for their covariance R with the noise: where the
/// noise is large the middle term counts, so large variances are best even where the outputs say
/// the same; where it is small the last term counts, so the outputs should be uncorrelated.
///
/// ```
/// use didact_neural_classic::TwoOutputs;
/// let outputs = TwoOutputs { variances: [2.0, 3.0], correlation: 0.5, noise_variance: 1.0 };
/// assert_eq!(outputs.terms(), [1.0, 5.0, 4.5]);
/// assert!((outputs.information()? - 0.5 * 10.5_f64.ln()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoOutputs {
    /// The variances σ₁² and σ₂² of the outputs without noise.
    pub variances: [f64; 2],
    /// Their correlation ρ without noise.
    pub correlation: f64,
    /// The variance σ_ν² of the noise of each output.
    pub noise_variance: f64,
}

impl TwoOutputs {
    /// The three terms of det R.
    pub fn terms(&self) -> [f64; 3] {
        let [first, second] = self.variances;
        let noise = self.noise_variance;
        [
            noise * noise,
            noise * (first + second),
            first * second * (1.0 - self.correlation * self.correlation),
        ]
    }

    /// The information ½·ln(det R/σ_ν⁴) about the inputs, in nats.
    pub fn information(&self) -> Result<f64> {
        let sound = self.variances.iter().all(|v| *v >= 0.0 && v.is_finite())
            && self.correlation.abs() <= 1.0
            && self.noise_variance > 0.0
            && self.noise_variance.is_finite();
        if !sound {
            return Err(Error::data(
                "two outputs need variances of at least 0, a correlation between -1 and 1 and \
                 noise above 0; one of these values is another",
            ));
        }
        let [_, second, third] = self.terms();
        let noise = self.noise_variance;
        Ok(0.5 * (second / (noise * noise) + third / (noise * noise)).ln_1p())
    }
}

/// Which of two designs passes on more of inputs with the variances λ₁ ≥ λ₂ along their axes,
/// through two outputs with weights of length one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// Both outputs look along the first axis: the noise averages out.
    Redundant,
    /// Each output looks along an axis of its own: they are uncorrelated.
    Decorrelated,
}

/// The better design: redundant outputs where the noise has more than the variance
/// λ₁λ₂/(λ₁ − λ₂), uncorrelated ones below.
pub fn better_design(variances: [f64; 2], noise_variance: f64) -> Result<Design> {
    let [first, second] = variances;
    let outputs = |variances, correlation| TwoOutputs {
        variances,
        correlation,
        noise_variance,
    };
    let redundant = outputs([first, first], 1.0).information()?;
    let decorrelated = outputs([first, second], 0.0).information()?;
    Ok(match redundant > decorrelated {
        true => Design::Redundant,
        false => Design::Decorrelated,
    })
}

fn log_determinant(matrix: &Array2<f64>) -> Result<f64> {
    let factor = Cholesky::new(matrix.view()).map_err(|_| {
        Error::data(
            "the outputs have no positive definite covariance; give a covariance of the columns \
             whose values are finite and not negative along any axis",
        )
    })?;
    Ok(factor.log_determinant())
}

fn check(
    weights: ArrayView2<'_, f64>,
    covariance: ArrayView2<'_, f64>,
    noise_variance: f64,
) -> Result<()> {
    if !(noise_variance > 0.0 && noise_variance.is_finite()) {
        return Err(Error::parameter(
            "noise_variance",
            noise_variance,
            "it must be above 0, or the information has no bound",
        ));
    }
    let d = weights.ncols();
    if weights.is_empty() || covariance.dim() != (d, d) {
        return Err(Error::data(format!(
            "the covariance is {}×{}; the weights need one of {d}×{d}, a row and a column per \
             input",
            covariance.nrows(),
            covariance.ncols()
        )));
    }
    let finite = |matrix: ArrayView2<'_, f64>| matrix.iter().all(|value| value.is_finite());
    match finite(weights) && finite(covariance) {
        true => Ok(()),
        false => Err(Error::data(
            "a value of the weights or of the covariance is not finite; give finite values",
        )),
    }
}
