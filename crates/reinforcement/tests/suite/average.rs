use crate::worlds::{assert_near, chance, distance, on, process, random_process};
use didact_core::random::generator;
use didact_core::{Fit, Run, StopReason};
use didact_reinforcement::{
    AverageCriterion, AverageReward, DecisionProcess, Following, Policy, PolicyEvaluation,
    Simulator, gain_and_bias, record_episode,
};
use proptest::prelude::*;
use rand::RngExt;

fn discounted(world: &DecisionProcess, policy: &Policy, discount: f64) -> Vec<f64> {
    let evaluation = PolicyEvaluation {
        discount,
        ..PolicyEvaluation::default()
    };
    let following = Following {
        process: world,
        policy,
    };
    evaluation.fit(following).unwrap().values().to_vec()
}

// 002b:RL-04: (1 − γ)·V_γ → gain as γ → 1; and what is left over tends to the bias.
#[test]
fn discounted_values_tend_to_gain_and_bias() {
    for seed in 0..5 {
        let world = random_process(8, seed % 2 == 0, seed);
        let policy = Policy::uniform(world.layout());
        let (gain, bias) = gain_and_bias(&world, &policy, &Run::new()).unwrap();
        let errors = [1e-3, 1e-4].map(|rest| {
            let values = discounted(&world, &policy, 1.0 - rest);
            let scaled: Vec<f64> = values.iter().map(|value| rest * value).collect();
            assert!(distance(&scaled, &gain) < 100.0 * rest);
            let left: Vec<f64> = values
                .iter()
                .zip(&gain)
                .map(|(value, gain)| value - gain / rest)
                .collect();
            distance(&left, &bias)
        });
        assert!(errors[1] < 0.2 * errors[0] + 1e-6, "{seed}: {errors:?}");
    }
}

// 002b:RL-04: the gain is the stationary average of the rewards, and that of a long walk; the sum
// over steps 0..h has h terms when h is left out.
#[test]
fn the_gain_is_the_mean_reward_of_a_long_walk() {
    // Stay with ¾ for 1, change with ¼ for −2 | stay with ½ for 3, change for 0.
    let world = process(vec![
        vec![vec![chance(0, 0.75, 1.0), chance(1, 0.25, -2.0)]],
        vec![vec![chance(1, 0.5, 3.0), chance(0, 0.5, 0.0)]],
    ]);
    let policy = Policy::uniform(world.layout());
    let (gain, _) = gain_and_bias(&world, &policy, &Run::new()).unwrap();
    // Two thirds of the time in the first state: ⅔·0.25 + ⅓·1.5 = ⅔.
    assert_near(&gain, &[2.0 / 3.0, 2.0 / 3.0], 1e-14);
    let mut game = Simulator::new(&world, 0).unwrap();
    let walk = record_episode(&mut game, &policy, 200_000, &mut generator(2, 0)).unwrap();
    // The standard error of batches of a thousand steps, which hardly depend on each other.
    let batches: Vec<Vec<f64>> = walk
        .rewards
        .chunks(1000)
        .map(|batch| vec![batch.iter().sum::<f64>() / 1000.0])
        .collect();
    crate::worlds::assert_unbiased(&batches, &gain[..1], 0.02);
}

// 002b:RL-05: of two policies of equal gain the better transient wins, and the gain alone is blind
// to it.
#[test]
fn the_transient_breaks_ties() {
    // To the routine for 0 or for 10; from 2, a detour that earns 3 more before the routine.
    let world = process(vec![
        vec![on(1, 0.0), on(1, 10.0)],
        vec![on(1, 1.0)],
        vec![on(1, 1.0), on(0, 3.0)],
    ]);
    let plan = AverageReward::default().fit(&world).unwrap();
    assert_near(plan.gains(), &[1.0, 1.0, 1.0], 1e-12);
    assert_eq!(plan.policy().actions(), [Some(1), Some(0), Some(1)]);
    // Above the gain: 10 − 1, nothing, and 3 − 1 + 9.
    assert_near(plan.biases(), &[9.0, 0.0, 11.0], 1e-12);
    assert_eq!(plan.trace().stop, StopReason::Converged);
    let first = Policy::deterministic(world.layout(), vec![Some(0); 3]).unwrap();
    let (gain, bias) = gain_and_bias(&world, &first, &Run::new()).unwrap();
    assert_near(&gain, plan.gains(), 1e-12);
    assert!(bias[0] < plan.biases()[0]);
}

// 002b:RL-05: policies that tie even in the equation of the bias may differ in bias. To lend 1 and
// get it back for ever is behind by one half on average, which neither Σ T·g nor R + Σ T·h shows.
#[test]
fn equal_sums_are_decided_by_when_the_rewards_come() {
    let world = process(vec![vec![on(1, -1.0), on(0, 0.0)], vec![on(0, 1.0)]]);
    let gain_only = AverageReward {
        criterion: AverageCriterion::Gain,
        ..AverageReward::default()
    };
    let lender = gain_only.fit(&world).unwrap();
    assert_near(lender.biases(), &[-0.5, 0.5], 1e-14);
    let keeper = AverageReward::default().fit(&world).unwrap();
    assert_near(keeper.gains(), lender.gains(), 1e-14);
    assert_near(keeper.biases(), &[0.0, 1.0], 1e-14);
    assert_eq!(keeper.policy().action(0), Some(1));
}

// 002b:RL-04: a world that falls apart has a gain for every part.
#[test]
fn every_part_of_a_world_has_its_own_gain() {
    let world = process(vec![
        vec![on(0, 1.0)],
        vec![on(1, 5.0)],
        vec![vec![chance(0, 0.5, 0.0), chance(1, 0.5, 0.0)], on(0, 100.0)],
        vec![],
        vec![on(3, 7.0), on(2, -50.0)],
    ]);
    let plan = AverageReward::default().fit(&world).unwrap();
    assert_near(plan.gains(), &[1.0, 5.0, 3.0, 0.0, 3.0], 1e-12);
    let actions = plan.policy().actions();
    assert_eq!(actions, [Some(0), Some(0), Some(0), None, Some(1)]);
}

/// Few and sure transitions, so that chains often fall apart.
fn brittle_process(n: usize, seed: u64) -> DecisionProcess {
    let mut draws = generator(seed, 9);
    DecisionProcess::from_fn(n, |_| {
        (0..2)
            .map(|_| {
                let reward = f64::from(draws.random_range(-2..=2));
                match draws.random::<bool>() {
                    true => on(draws.random_range(0..n), reward),
                    false => vec![
                        chance(draws.random_range(0..n), 0.5, reward),
                        chance(draws.random_range(0..n), 0.5, 0.0),
                    ],
                }
            })
            .collect()
    })
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    // 002b:RL-04, 002b:RL-05: against all deterministic policies of small worlds.
    #[test]
    fn no_policy_has_a_larger_gain_or_at_equal_gain_a_larger_bias(seed: u64, n in 2usize..6) {
        let world = brittle_process(n, seed);
        let plan = AverageReward::default().fit(&world).unwrap();
        prop_assert_eq!(plan.trace().stop, StopReason::Converged);
        let gain_only = AverageReward { criterion: AverageCriterion::Gain, ..Default::default() };
        prop_assert!(distance(gain_only.fit(&world).unwrap().gains(), plan.gains()) < 1e-9);
        let (own_gain, own_bias) = gain_and_bias(&world, plan.policy(), &Run::new()).unwrap();
        prop_assert_eq!(&own_gain[..], plan.gains());
        prop_assert_eq!(&own_bias[..], plan.biases());
        for number in 0..1usize << n {
            let actions = (0..n).map(|state| Some(number >> state & 1));
            let policy = Policy::deterministic(world.layout(), actions.collect()).unwrap();
            let (gain, bias) = gain_and_bias(&world, &policy, &Run::new()).unwrap();
            for state in 0..n {
                prop_assert!(gain[state] <= plan.gains()[state] + 1e-9);
            }
            if distance(&gain, plan.gains()) < 1e-9 {
                for state in 0..n {
                    prop_assert!(bias[state] <= plan.biases()[state] + 1e-8, "{} {}", bias[state], plan.biases()[state]);
                }
            }
        }
    }
}

#[test]
fn worlds_beyond_the_linear_systems_are_refused_with_another_way() {
    let world = DecisionProcess::from_fn(2001, |state| vec![on(state, 0.0)]).unwrap();
    let error = AverageReward::default().fit(&world).unwrap_err();
    assert!(error.to_string().contains("close to 1"), "{error}");
    let policy = Policy::uniform(world.layout());
    assert!(gain_and_bias(&world, &policy, &Run::new()).is_err());
}
