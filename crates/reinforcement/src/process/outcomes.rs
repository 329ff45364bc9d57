//! What an action may lead to, checked.

use didact_core::Outcome;

/// What is wrong with the outcomes of an action.
pub(super) fn check_outcomes(outcomes: &[Outcome], n_states: usize) -> Result<(), String> {
    if outcomes.is_empty() {
        return Err("nothing can follow; an action has at least one outcome".to_owned());
    }
    for outcome in outcomes {
        let Outcome {
            state,
            probability,
            reward,
        } = *outcome;
        if state >= n_states {
            return Err(format!(
                "it leads to state {state}, but there are only {n_states}"
            ));
        }
        if !(0.0..=1.0).contains(&probability) {
            return Err(format!(
                "a probability is {probability}; it must be between 0 and 1"
            ));
        }
        if !reward.is_finite() {
            return Err(format!("a reward is {reward}; it must be a finite number"));
        }
    }
    let total = total_probability(outcomes);
    match (total - 1.0).abs() <= 1e-9 {
        true => Ok(()),
        false => Err(format!(
            "the probabilities sum to {total}; they must sum to 1"
        )),
    }
}

pub(super) fn total_probability(outcomes: &[Outcome]) -> f64 {
    outcomes.iter().map(|outcome| outcome.probability).sum()
}
