use crate::worlds::{
    assert_near, assert_unbiased, distance, jumping_grid, on, process, random_process, random_walk,
    robot_room,
};
use didact_core::{Fit, Model, Run, StopReason};
use didact_reinforcement::{
    DecisionProcess, EvaluationMethod, Following, Policy, PolicyEvaluation, Simulator, StateValues,
    record_episodes,
};
use proptest::prelude::*;

fn evaluate(
    process: &DecisionProcess,
    policy: &Policy,
    discount: f64,
    method: EvaluationMethod,
) -> StateValues {
    let evaluation = PolicyEvaluation {
        discount,
        method,
        tol: 1e-11,
        ..PolicyEvaluation::default()
    };
    evaluation.fit(Following { process, policy }).unwrap()
}

/// V of the random policy in the grid of Sutton and Barto, from exact fractions.
const RANDOM_POLICY: [f64; 25] = [
    3.308996335634639,
    8.789291862596121,
    4.427619182583304,
    5.3223675933702115,
    1.492178758740194,
    1.5215880689552175,
    2.992317856172816,
    2.2501399507094915,
    1.9075717045592953,
    0.5474027057724848,
    0.05082249014940548,
    0.7381705896183515,
    0.6731132598378812,
    0.3581862148557906,
    -0.40314114341648577,
    -0.9735923036145055,
    -0.4354954300785407,
    -0.35488226701527276,
    -0.5856050882882878,
    -1.1830750812850597,
    -1.8577005502986061,
    -1.3452312637820873,
    -1.2292672615389315,
    -1.4229181478367376,
    -1.975179048277099,
];

// 002b:RL-08, 002b:§3.5: the random policy in the 5×5 grid; its first row is printed as
// 3.3 8.8 4.4 5.3 1.5.
#[test]
fn the_random_policy_in_the_grid_of_sutton_and_barto_is_worth_what_the_book_prints() {
    let world = jumping_grid();
    let policy = Policy::uniform(world.layout());
    let found = evaluate(&world, &policy, 0.9, EvaluationMethod::Exact);
    assert_near(found.values(), &RANDOM_POLICY, 1e-12);
    let rounded: Vec<f64> = found.values()[..5]
        .iter()
        .map(|value| (10.0 * value).round() / 10.0)
        .collect();
    assert_eq!(rounded, [3.3, 8.8, 4.4, 5.3, 1.5]);
}

// 001:RL-10, 002b:RL-08: linear system = sweeps = mean of simulated returns.
#[test]
fn linear_system_sweeps_and_simulation_agree() {
    let room = robot_room();
    let policy = Policy::uniform(room.layout());
    let exact = evaluate(&room, &policy, 0.9, EvaluationMethod::Exact);
    let swept = evaluate(&room, &policy, 0.9, EvaluationMethod::Iterative);
    assert!(distance(exact.values(), swept.values()) <= swept.error_bound().unwrap());
    assert!(swept.error_bound().unwrap() <= 1e-11);
    assert_eq!(Model::trace(&swept).unwrap().stop, StopReason::Converged);
    let mut game = Simulator::new(&room, 8).unwrap();
    let episodes = record_episodes(&mut game, &policy, 4000, 10_000, 5, &Run::new()).unwrap();
    let returns: Vec<Vec<f64>> = episodes
        .iter()
        .map(|episode| vec![episode.discounted_return(0.9).unwrap()])
        .collect();
    assert_unbiased(&returns, &[exact.values()[8]], 0.02);
}

// 002b:RL-09, 001:RL-06: V^π(s) = Σ π(s, a)·Q^π(s, a).
#[test]
fn the_value_of_a_state_is_the_mean_over_its_actions() {
    let world = random_process(12, true, 3);
    let policy = Policy::uniform(world.layout());
    let found = evaluate(&world, &policy, 0.95, EvaluationMethod::Exact);
    for state in 0..12 {
        let of_state = found.action_values_of(state);
        let mean = match of_state.len() {
            0 => 0.0,
            n => of_state.iter().sum::<f64>() / n as f64,
        };
        assert_near(&[mean], &[found.values()[state]], 1e-12);
    }
}

// 002b:RL-02, 001:RL-07: terminal states are worth nothing; episodes need no discount.
#[test]
fn the_random_walk_is_worth_its_chance_to_end_on_the_right() {
    let walk = random_walk();
    let policy = Policy::uniform(walk.layout());
    let expected: Vec<f64> = (0..7).map(|s| f64::from(s % 6) / 6.0).collect();
    for method in [EvaluationMethod::Exact, EvaluationMethod::Iterative] {
        let found = evaluate(&walk, &policy, 1.0, method);
        assert_near(found.values(), &expected, 1e-9);
        assert_eq!(found.error_bound(), None);
    }
}

#[test]
fn without_discount_going_on_for_nothing_is_worth_nothing() {
    // From 0 to an end for 1, or into a circle that earns nothing.
    let world = process(vec![
        vec![vec![
            crate::worlds::chance(1, 0.5, 1.0),
            crate::worlds::chance(2, 0.5, 0.0),
        ]],
        vec![],
        vec![on(3, 0.0)],
        vec![on(2, 0.0)],
    ]);
    let policy = Policy::uniform(world.layout());
    let found = evaluate(&world, &policy, 1.0, EvaluationMethod::Exact);
    assert_eq!(found.values(), [0.5, 0.0, 0.0, 0.0]);
}

#[test]
fn a_policy_that_takes_no_part_in_an_action_ignores_it() {
    // The second action would earn for ever, but the policy never takes it.
    let world = process(vec![vec![on(1, 2.0), on(0, 1.0)], vec![]]);
    let policy = Policy::stochastic(world.layout(), &[vec![1.0, 0.0], vec![]]).unwrap();
    let found = evaluate(&world, &policy, 1.0, EvaluationMethod::Exact);
    assert_eq!(found.values(), [2.0, 0.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    // 001:RL-10: V^π satisfies its own equation, whichever way it was found.
    #[test]
    fn values_solve_their_equation(seed: u64, n in 1usize..15, discount in 0.0..0.97f64) {
        let world = random_process(n, true, seed);
        let policy = Policy::uniform(world.layout());
        let exact = evaluate(&world, &policy, discount, EvaluationMethod::Exact);
        for state in 0..n {
            let pairs = world.layout().n_actions(state);
            let mean: f64 = (0..pairs)
                .map(|a| world.action_value(state, a, exact.values(), discount) / pairs as f64)
                .sum();
            prop_assert!((mean - exact.values()[state]).abs() < 1e-11);
        }
        let swept = evaluate(&world, &policy, discount, EvaluationMethod::Iterative);
        prop_assert!(distance(exact.values(), swept.values()) < 1e-10);
    }
}
