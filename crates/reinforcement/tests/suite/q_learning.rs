use crate::worlds::{
    assert_near, assert_unbiased, chance, corridor, distance, on, process, robot_room,
};
use didact_core::{Fit, Run};
use didact_reinforcement::{
    ActionValues, DecisionProcess, Exploration, QLearning, QValueIteration, Simulator, StepRule,
    StepSize,
};

fn learn(world: &DecisionProcess, learner: &QLearning) -> ActionValues {
    let mut game = Simulator::everywhere(world).unwrap();
    learner.fit(&mut game).unwrap()
}

fn planned(world: &DecisionProcess, discount: f64) -> Vec<f64> {
    let plan = QValueIteration {
        discount,
        tol: 1e-12,
        ..QValueIteration::default()
    };
    plan.fit(world).unwrap().action_values().to_vec()
}

// 001:RL-13: in the corridor every target is exact once the next cell is, so full steps end in the
// closed form V = 0.729, 0.81, 0.9, 1.
#[test]
fn full_steps_learn_a_world_without_chance_exactly() {
    let world = corridor();
    let learner = QLearning {
        n_episodes: 300,
        step_size: StepSize::constant(1.0),
        exploration: Exploration::epsilon(0.5),
        ..QLearning::default()
    };
    let learned = learn(&world, &learner);
    assert_near(&learned.values(), &[0.729, 0.81, 0.9, 1.0, 0.0], 1e-15);
    assert_near(learned.action_values(), &planned(&world, 0.9), 1e-15);
}

// 001:RL-13, 002b:RL-13: with steps that shrink, Q comes to the Q* of planning, without R and T.
#[test]
fn q_learning_converges_to_what_planning_finds() {
    // Two states of chance with clear best actions, and an end.
    let world = process(vec![
        vec![
            vec![chance(0, 0.3, 1.0), chance(1, 0.7, 0.0)],
            vec![chance(1, 0.5, 2.0), chance(2, 0.5, -2.0)],
        ],
        vec![vec![chance(0, 0.6, 3.0), chance(2, 0.4, -1.0)], on(2, -0.5)],
        vec![],
    ]);
    let best = planned(&world, 0.5);
    let repeats: Vec<Vec<f64>> = (0..20)
        .map(|random_state| {
            let learner = QLearning {
                discount: 0.5,
                n_episodes: 6000,
                step_size: StepSize {
                    power: 0.8,
                    ..StepSize::default()
                },
                exploration: Exploration::epsilon(0.5),
                random_state,
                ..QLearning::default()
            };
            learn(&world, &learner).action_values().to_vec()
        })
        .collect();
    assert_unbiased(&repeats, &best, 0.03);
}

// 001:RL-13, 001:T-24: the robot room, with slips, a pit and 36 pairs to learn.
#[test]
fn the_robot_learns_its_room_by_trial() {
    let room = robot_room();
    let best = planned(&room, 0.9);
    let learned_with = |n_episodes| {
        let learner = QLearning {
            n_episodes,
            step_size: StepSize {
                power: 0.8,
                ..StepSize::default()
            },
            exploration: Exploration::epsilon(0.5),
            ..QLearning::default()
        };
        let learned = learn(&room, &learner);
        (distance(learned.action_values(), &best), learned)
    };
    let (early, _) = learned_with(300);
    let (late, learned) = learned_with(20_000);
    assert!(late < 0.05 && late < early / 2.0, "{early} {late}");
    // The step from beside the pit that the plan takes, too.
    assert_eq!(learned.policy().action(10), Some(3));
    assert_eq!(learned.policy().action(2), Some(1));
}

// 001:RL-13: 1/k averages old targets in, and is slow for a discount near one.
#[test]
fn averaging_is_slower_than_a_power_when_the_discount_is_near_one() {
    let world = corridor();
    let best = planned(&world, 0.99);
    let error = |rule: StepRule| {
        let learner = QLearning {
            discount: 0.99,
            n_episodes: 500,
            step_size: StepSize {
                rule,
                ..StepSize::default()
            },
            exploration: Exploration::epsilon(0.5),
            ..QLearning::default()
        };
        distance(learn(&world, &learner).action_values(), &best)
    };
    let (average, power) = (error(StepRule::Average), error(StepRule::Power));
    assert!(power < 0.5 * average, "{power} {average}");
}

// 001:RL-13: the k-th step on a pair weighs 1/k, so a single state's Q is the mean of its rewards.
#[test]
fn steps_of_one_over_k_keep_the_mean() {
    let coin = process(vec![
        vec![vec![chance(1, 0.5, 20.0), chance(1, 0.5, -10.0)]],
        vec![],
    ]);
    let learner = QLearning {
        n_episodes: 50,
        step_size: StepSize::average(),
        ..QLearning::default()
    };
    let learned = learn(&coin, &learner);
    let returns = learned.episode_returns();
    let mean = returns.iter().sum::<f64>() / 50.0;
    assert_near(learned.action_values(), &[mean], 1e-12);
    assert_eq!(learned.visits(), [50]);
}

// 001:RL-13: the target of a step into a terminal state is the reward alone, and what is cut off
// is still estimated.
#[test]
fn the_end_is_worth_nothing_but_a_cut_is_no_end() {
    let world = process(vec![vec![on(1, 3.0)], vec![]]);
    let learner = QLearning {
        n_episodes: 1,
        step_size: StepSize::constant(1.0),
        initial_value: 100.0,
        ..QLearning::default()
    };
    assert_eq!(learn(&world, &learner).action_values(), [3.0]);
    let endless = process(vec![vec![on(0, 1.0)]]);
    let learner = QLearning {
        discount: 0.5,
        n_episodes: 60,
        max_steps: 1,
        step_size: StepSize::constant(1.0),
        ..QLearning::default()
    };
    let learned = learn(&endless, &learner);
    assert_near(learned.action_values(), &[2.0], 1e-15);
    assert_eq!(learned.n_cut_off(), 60);
}

#[test]
fn the_same_seed_learns_the_same_with_any_number_of_threads() {
    let room = robot_room();
    let learner = QLearning {
        n_episodes: 50,
        ..QLearning::default()
    };
    let fit = |threads: usize, random_state: u64| {
        let mut game = Simulator::new(&room, 7).unwrap();
        let learner = QLearning {
            random_state,
            ..learner.clone()
        };
        let run = Run::new().threads(threads);
        learner.fit_with(&mut game, &run).unwrap()
    };
    assert_eq!(fit(1, 3), fit(4, 3));
    assert_ne!(fit(1, 3), fit(1, 4));
}
