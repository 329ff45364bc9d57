//! Hebbian learning in continuous time.

use didact_core::{Error, Result};

/// The change Δw = ∫α(t)·x(t)·y(t) dt of a weight between two activities: the area in which both
/// are active.
///
/// Rates and activities are given once per step of that length and constant within it.
///
/// ```
/// use didact_neural_classic::hebbian_change;
/// // Pulses of height 2 and 3 that overlap for a tenth of a second.
/// let change = hebbian_change(&[1.0; 4], &[0.0, 2.0, 2.0, 0.0], &[0.0, 0.0, 3.0, 3.0], 0.1)?;
/// assert!((change - 0.6).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn hebbian_change(rates: &[f64], x: &[f64], y: &[f64], step: f64) -> Result<f64> {
    if x.len() != rates.len() || y.len() != rates.len() {
        return Err(Error::data(format!(
            "there are {} rates, {} values of x and {} of y; give one of each per step",
            rates.len(),
            x.len(),
            y.len()
        )));
    }
    if !(step > 0.0 && step.is_finite()) {
        return Err(Error::parameter("step", step, "it must be above 0"));
    }
    let products = rates
        .iter()
        .zip(x)
        .zip(y)
        .map(|((rate, x), y)| rate * x * y);
    let change = products.sum::<f64>() * step;
    match change.is_finite() {
        true => Ok(change),
        false => Err(Error::data(
            "the change is not a finite number; give finite rates and values that are not too \
             large",
        )),
    }
}

/// The weight after a time in which input x and output y stay as they are, under the instar rule
/// dw/dt = α·y·(x − w): x + (w − x)·e^(−α·y·t). The output is the gate, and the weight goes to the
/// input.
pub fn instar_after(weight: f64, x: f64, y: f64, rate: f64, time: f64) -> f64 {
    x + (weight - x) * (-rate * y * time).exp()
}

/// The weight after a time in which input x and output y stay as they are, under the outstar rule
/// dw/dt = α·x·(y − w): y + (w − y)·e^(−α·x·t). The input is the gate, and the weight goes to the
/// output.
pub fn outstar_after(weight: f64, x: f64, y: f64, rate: f64, time: f64) -> f64 {
    y + (weight - y) * (-rate * x * time).exp()
}
