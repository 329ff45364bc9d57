//! How well values satisfy the Bellman optimality equation.

use crate::DecisionProcess;
use crate::returns::check_discount;
use crate::sweep::{Rule, compare, synchronous};
use didact_core::{Error, Result, Run};

/// max |V(s) − maxₐ Σ T·(R + γV(s′))|: zero for V* alone.
///
/// ```
/// use didact_core::{Decisions, Outcome, Run};
/// use didact_reinforcement::{DecisionProcess, bellman_residual, error_bound};
/// let again = Outcome { state: 0, probability: 1.0, reward: 1.0 };
/// let process = DecisionProcess::new(&Decisions::new(vec![vec![vec![again]]])?)?;
/// assert_eq!(bellman_residual(&process, &[2.0], 0.5, &Run::new())?, 0.0);
/// // V* = 2, and a guess of 1 is off by half as much after one look ahead.
/// let residual = bellman_residual(&process, &[1.0], 0.5, &Run::new())?;
/// assert_eq!((residual, error_bound(residual, 0.5)?), (0.5, 1.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn bellman_residual(
    process: &DecisionProcess,
    values: &[f64],
    discount: f64,
    run: &Run,
) -> Result<f64> {
    check_discount(discount)?;
    if values.len() != process.n_states() {
        return Err(Error::data(format!(
            "there are {} values for {} states",
            values.len(),
            process.n_states()
        )));
    }
    let mut demanded = vec![0.0; values.len()];
    synchronous(process, Rule::Best, discount, values, &mut demanded, run)?;
    Ok(compare(values, &demanded, run)?.size())
}

/// How far values with that residual can be from V*: residual/(1 − γ), infinite at γ = 1.
pub fn error_bound(residual: f64, discount: f64) -> Result<f64> {
    check_discount(discount)?;
    Ok(residual / (1.0 - discount))
}
