use crate::worlds::{
    assert_near, assert_unbiased, grid_process, ledge, mean_and_error, on, process, random_walk,
    robot_room,
};
use didact_core::Fit;
use didact_data::GridWalk;
use didact_reinforcement::{
    Acting, Decay, Exploration, Following, Policy, PolicyEvaluation, QLearning, QValueIteration,
    Sarsa, Simulator, StepSize, TemporalDifference,
};

/// Steps that forget the first values soon, so that what is left is chance alone.
fn quick() -> StepSize {
    StepSize {
        power: 0.6,
        ..StepSize::default()
    }
}

// 002b:RL-13: TD(0) comes to V^π.
#[test]
fn td_comes_to_the_value_of_the_policy() {
    let room = robot_room();
    let policy = Policy::uniform(room.layout());
    let exact = PolicyEvaluation::default()
        .fit(Following {
            process: &room,
            policy: &policy,
        })
        .unwrap();
    let repeats: Vec<Vec<f64>> = (0..16)
        .map(|random_state| {
            let learner = TemporalDifference {
                n_episodes: 3000,
                step_size: quick(),
                random_state,
                ..TemporalDifference::default()
            };
            let mut game = Simulator::everywhere(&room).unwrap();
            let learned = learner.fit(Acting {
                environment: &mut game,
                policy: &policy,
            });
            learned.unwrap().values().to_vec()
        })
        .collect();
    assert_unbiased(&repeats, exact.values(), 0.02);
}

// 002b:RL-13: one step of TD(0) by hand.
#[test]
fn a_td_step_moves_the_value_towards_reward_and_next_value() {
    let line = process(vec![vec![on(1, 1.0)], vec![on(2, 5.0)], vec![]]);
    let policy = Policy::uniform(line.layout());
    let mut game = Simulator::new(&line, 0).unwrap();
    let learner = TemporalDifference {
        discount: 0.5,
        n_episodes: 2,
        step_size: StepSize::constant(0.1),
        initial_value: 2.0,
        ..TemporalDifference::default()
    };
    let learned = learner
        .fit(Acting {
            environment: &mut game,
            policy: &policy,
        })
        .unwrap();
    // First: 2 + 0.1·(1 + 0.5·2 − 2) = 2 and 2 + 0.1·(5 − 2) = 2.3.
    // Second: 2 + 0.1·(1 + 0.5·2.3 − 2) = 2.015 and 2.3 + 0.1·(5 − 2.3) = 2.57.
    assert_near(learned.values(), &[2.015, 2.57, 0.0], 1e-14);
    assert_eq!(learned.visits(), [2, 2, 0]);
    assert_eq!(learned.episode_returns(), [3.5, 3.5]);
}

// 002b:RL-13: where there is nothing to choose, SARSA evaluates the only policy.
#[test]
fn sarsa_without_choice_is_policy_evaluation() {
    let walk = random_walk();
    let expected: Vec<f64> = (1..6).map(|state| f64::from(state) / 6.0).collect();
    let repeats: Vec<Vec<f64>> = (0..16)
        .map(|random_state| {
            let learner = Sarsa {
                discount: 1.0,
                n_episodes: 3000,
                step_size: quick(),
                random_state,
                ..Sarsa::default()
            };
            let mut game = Simulator::everywhere(&walk).unwrap();
            learner.fit(&mut game).unwrap().action_values().to_vec()
        })
        .collect();
    assert_unbiased(&repeats, &expected, 0.02);
}

// 002b:RL-13: SARSA learns what its own exploring policy is worth, here exactly: a fifth of the
// steps on the ledge is drawn, half of those go astray.
#[test]
fn expected_sarsa_learns_the_worth_of_the_exploring_policy() {
    let learner = Sarsa {
        expected: true,
        n_episodes: 500,
        step_size: StepSize::constant(1.0),
        exploration: Exploration::epsilon(0.2),
        ..Sarsa::default()
    };
    let world = ledge();
    let mut game = Simulator::new(&world, 0).unwrap();
    let learned = learner.fit(&mut game).unwrap();
    let strayed = 0.9 * (0.9 * 1.2 - 0.1);
    assert_near(learned.action_values(), &[strayed, 1.0, 1.2, -1.0], 1e-14);
}

// 002b:RL-13, 002b:RL-14: with steady exploration SARSA keeps off the ledge; when exploration fades
// it comes to the best policy, as Q-learning does from the start.
#[test]
fn sarsa_comes_to_the_best_policy_when_exploration_fades() {
    let world = ledge();
    let plan = QValueIteration::default().fit(&world).unwrap();
    assert_eq!(plan.policy().action(0), Some(0));
    let steady = Exploration::epsilon(0.2);
    let fading = Exploration {
        rate: 1.0,
        schedule: Decay::Harmonic,
        decay: 0.01,
        ..Exploration::default()
    };
    let mut game = Simulator::new(&world, 0).unwrap();
    for expected in [false, true] {
        let mut learned = |exploration| {
            let learner = Sarsa {
                expected,
                n_episodes: 20_000,
                exploration,
                ..Sarsa::default()
            };
            learner.fit(&mut game).unwrap()
        };
        assert_eq!(learned(steady).policy().action(0), Some(1));
        assert_eq!(learned(fading).policy(), *plan.policy());
    }
    let q_learning = QLearning {
        exploration: steady,
        ..QLearning::default()
    };
    assert_eq!(q_learning.fit(&mut game).unwrap().policy(), *plan.policy());
}

// 002b:RL-13: expected SARSA without exploration is Q-learning.
#[test]
fn expected_sarsa_without_exploration_is_q_learning() {
    let world = process(vec![
        vec![on(1, -1.0), on(2, 0.0)],
        vec![on(0, 0.0), on(3, 2.0)],
        vec![on(3, 1.0), on(0, 0.5)],
        vec![],
    ]);
    let exploration = Exploration::epsilon(0.0);
    let sarsa = Sarsa {
        expected: true,
        n_episodes: 50,
        exploration,
        initial_value: 3.0,
        ..Sarsa::default()
    };
    let q_learning = QLearning {
        n_episodes: 50,
        exploration,
        initial_value: 3.0,
        ..QLearning::default()
    };
    let mut game = Simulator::new(&world, 0).unwrap();
    let by_sarsa = sarsa.fit(&mut game).unwrap();
    let by_q_learning = q_learning.fit(&mut game).unwrap();
    assert_eq!(by_sarsa.action_values(), by_q_learning.action_values());
}

// 002b:RL-13: the mean over the next action has less noise than a draw of it.
#[test]
fn expected_sarsa_varies_less_than_sarsa() {
    let room = robot_room();
    let spread = |expected: bool| {
        let repeats: Vec<Vec<f64>> = (0..24)
            .map(|random_state| {
                let learner = Sarsa {
                    expected,
                    n_episodes: 400,
                    step_size: StepSize::constant(0.2),
                    exploration: Exploration::epsilon(0.5),
                    random_state,
                    ..Sarsa::default()
                };
                let mut game = Simulator::everywhere(&room).unwrap();
                learner.fit(&mut game).unwrap().action_values().to_vec()
            })
            .collect();
        let errors = mean_and_error(&repeats).into_iter().map(|(_, error)| error);
        errors.sum::<f64>()
    };
    let (drawn, expected) = (spread(false), spread(true));
    assert!(expected < 0.95 * drawn, "{expected} {drawn}");
}

// 002b:RL-13: along a cliff SARSA counts the price of its own exploration and earns more while
// learning; Q-learning knows the shorter way.
#[test]
fn sarsa_keeps_away_from_the_cliff() {
    let walk = GridWalk {
        step: -1.0,
        exit: -1.0,
        ..GridWalk::default()
    };
    let cliff = grid_process("......\n......\nSCCCCG\n\nC = -50 exit\n", walk);
    let start = 12;
    let exploration = Exploration::epsilon(0.1);
    let step_size = StepSize::constant(0.3);
    let mean = |returns: &[f64]| returns.iter().sum::<f64>() / returns.len() as f64;
    let mut game = Simulator::new(&cliff, start).unwrap();
    let sarsa = Sarsa {
        discount: 1.0,
        n_episodes: 3000,
        exploration,
        step_size,
        ..Sarsa::default()
    };
    let q_learning = QLearning {
        discount: 1.0,
        n_episodes: 3000,
        exploration,
        step_size,
        ..QLearning::default()
    };
    let by_sarsa = sarsa.fit(&mut game).unwrap();
    let by_q_learning = q_learning.fit(&mut game).unwrap();
    let earned = mean(&by_sarsa.episode_returns()[1000..]);
    let earned_by_q = mean(&by_q_learning.episode_returns()[1000..]);
    assert!(earned > earned_by_q, "{earned} {earned_by_q}");
    // Up, five to the right and down again: seven steps, the best there is.
    assert!((by_q_learning.values()[start] + 7.0).abs() < 0.05);
}
