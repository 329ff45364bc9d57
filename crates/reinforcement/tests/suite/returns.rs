use crate::worlds::{assert_near, on, process};
use didact_core::Fit;
use didact_reinforcement::{
    Following, Policy, PolicyEvaluation, average_reward, discounted_return, return_bound,
    returns_to_go,
};
use proptest::prelude::*;

// 001:RL-03: rewards (1, 2, 3) at ½ are worth 2.75.
// 002b:RL-03: the reward k steps ahead weighs γ^(k−1), not γ^(k+1) as printed, which would give
// ¼ + 2·⅛ + 3/16 = 0.6875.
#[test]
fn the_next_reward_counts_in_full() {
    assert_eq!(discounted_return(&[1.0, 2.0, 3.0], 0.5).unwrap(), 2.75);
    let printed: f64 = (1..=3).map(|k| f64::from(k) * 0.5_f64.powi(k + 1)).sum();
    assert_eq!(printed, 0.6875);
}

// 002b:RL-02: without discounting the return of an episode is the plain sum.
// 002b:RL-01: the dialogue of §3.5 earns +7, −4 and +5: 8 altogether, 7.45 at 0.9, 8/3 a step.
#[test]
fn the_dialogue_earns_eight() {
    let rewards = [7.0, -4.0, 5.0];
    assert_eq!(discounted_return(&rewards, 1.0).unwrap(), 8.0);
    assert_near(&[discounted_return(&rewards, 0.9).unwrap()], &[7.45], 1e-12);
    assert_near(&[average_reward(&rewards)], &[8.0 / 3.0], 1e-15);
    assert_eq!(average_reward(&[]), 0.0);
    // Myopic: only the next one.
    assert_eq!(discounted_return(&rewards, 0.0).unwrap(), 7.0);
}

// 002b:RL-03: a constant reward of 1 is worth 1/(1 − γ) and diverges at γ = 1.
#[test]
fn a_constant_reward_is_worth_one_over_one_minus_the_discount() {
    for discount in [0.0, 0.5, 0.9, 0.99] {
        let long = vec![1.0; 5000];
        let found = discounted_return(&long, discount).unwrap();
        assert_near(&[found], &[1.0 / (1.0 - discount)], 1e-10);
    }
    let world = process(vec![vec![on(0, 1.0)]]);
    let policy = Policy::uniform(world.layout());
    let endless = PolicyEvaluation {
        discount: 1.0,
        ..PolicyEvaluation::default()
    };
    let error = endless.fit(Following {
        process: &world,
        policy: &policy,
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("never comes to an end"), "{error}");
}

// 001:RL-03 (ERR): U ≤ max R/(1 − α) fails for a finite path of negative rewards: −1 > −10.
#[test]
fn the_printed_bound_fails_for_a_single_negative_reward_and_ours_holds() {
    let utility = discounted_return(&[-1.0], 0.9).unwrap();
    assert!(utility > return_bound(-1.0, 0.9, None).unwrap());
    assert!(utility <= return_bound(-1.0, 0.9, Some(1)).unwrap());
    assert_eq!(return_bound(2.0, 1.0, Some(3)).unwrap(), 6.0);
    assert_eq!(return_bound(2.0, 1.0, None).unwrap(), f64::INFINITY);
    assert_eq!(return_bound(0.0, 1.0, None).unwrap(), 0.0);
}

#[test]
fn a_discount_beyond_one_is_refused() {
    for discount in [-0.1, 1.1, f64::NAN] {
        assert!(discounted_return(&[1.0], discount).is_err());
        assert!(returns_to_go(&[1.0], discount).is_err());
        let error = return_bound(1.0, discount, None).unwrap_err().to_string();
        assert!(error.starts_with("discount is"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    // 001:RL-03, 002b:RL-03.
    #[test]
    fn no_return_exceeds_its_bound_and_each_is_the_next_reward_plus_the_rest(
        rewards in prop::collection::vec(-5.0..5.0f64, 1..30),
        discount in 0.0..1.0f64,
    ) {
        let found = returns_to_go(&rewards, discount).unwrap();
        let largest = rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (step, &value) in found.iter().enumerate() {
            let by_hand: f64 = rewards[step..]
                .iter()
                .enumerate()
                .map(|(k, reward)| discount.powi(k as i32) * reward)
                .sum();
            prop_assert!((value - by_hand).abs() < 1e-10);
            let bound = return_bound(largest, discount, Some(rewards.len() - step)).unwrap();
            prop_assert!(value <= bound + 1e-10);
            if largest >= 0.0 {
                prop_assert!(value <= return_bound(largest, discount, None).unwrap() + 1e-10);
            }
        }
        prop_assert_eq!(found[0], discounted_return(&rewards, discount).unwrap());
    }
}
