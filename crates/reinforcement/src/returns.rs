//! What a row of rewards is worth altogether.

use didact_core::{Error, Result};

/// Fails unless a discount lies between zero and one.
pub(crate) fn check_discount(discount: f64) -> Result<()> {
    match (0.0..=1.0).contains(&discount) {
        true => Ok(()),
        false => Err(Error::parameter(
            "discount",
            discount,
            "it must be at least 0 and at most 1",
        )),
    }
}

/// The return Σₖ γᵏ·rₜ₊ₖ₊₁ of the rewards that follow a step.
///
/// The reward that comes k steps later, rₜ₊ₖ, weighs γᵏ⁻¹: the next one counts in full. A discount
/// of one gives the plain sum of an episode, a discount of zero only the next reward.
///
/// ```
/// use didact_reinforcement::discounted_return;
/// assert_eq!(discounted_return(&[1.0, 2.0, 3.0], 0.5)?, 2.75);
/// assert_eq!(discounted_return(&[1.0, 2.0, 3.0], 1.0)?, 6.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn discounted_return(rewards: &[f64], discount: f64) -> Result<f64> {
    check_discount(discount)?;
    let backwards = rewards.iter().rev();
    Ok(backwards.fold(0.0, |later, reward| reward + discount * later))
}

/// The return from every step on: the first is that of the whole episode.
///
/// ```
/// use didact_reinforcement::returns_to_go;
/// assert_eq!(returns_to_go(&[1.0, 2.0, 3.0], 0.5)?, [2.75, 3.5, 3.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn returns_to_go(rewards: &[f64], discount: f64) -> Result<Vec<f64>> {
    check_discount(discount)?;
    let mut returns = rewards.to_vec();
    for step in (1..returns.len()).rev() {
        returns[step - 1] += discount * returns[step];
    }
    Ok(returns)
}

/// The mean reward of a step: the sum over h steps divided by h, or zero where there is none.
pub fn average_reward(rewards: &[f64]) -> f64 {
    match rewards.len() {
        0 => 0.0,
        steps => rewards.iter().sum::<f64>() / steps as f64,
    }
}

/// The most that a return can be when no reward exceeds `largest`: over `n_steps` steps
/// largest·(1 − γⁿ)/(1 − γ), and over endlessly many largest/(1 − γ).
///
/// The endless bound does not hold for a finite path whose rewards are all negative: a single
/// reward of −1 is more than −1/(1 − 0.9) = −10.
///
/// ```
/// use didact_reinforcement::return_bound;
/// assert_eq!(return_bound(-1.0, 0.9, Some(1))?, -1.0);
/// assert!((return_bound(-1.0, 0.9, None)? + 10.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn return_bound(largest: f64, discount: f64, n_steps: Option<usize>) -> Result<f64> {
    check_discount(discount)?;
    // γ = 1 is the limit of the geometric sum: as many as there are steps.
    let weight = match (n_steps, discount) {
        (Some(steps), 1.0) => steps as f64,
        (Some(steps), _) => (1.0 - discount.powf(steps as f64)) / (1.0 - discount),
        (None, 1.0) if largest == 0.0 => 0.0,
        (None, _) => 1.0 / (1.0 - discount),
    };
    Ok(largest * weight)
}
