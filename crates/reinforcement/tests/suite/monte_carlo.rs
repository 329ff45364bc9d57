use crate::worlds::{
    assert_near, assert_unbiased, jumping_grid, ledge, on, process, random_walk, robot_room,
};
use didact_core::random::Generator;
use didact_core::{Fit, Outcome};
use didact_reinforcement::{
    Acting, ActionLayout, DecisionProcess, Environment, Exploration, Following, MonteCarloControl,
    MonteCarloEvaluation, Policy, PolicyEvaluation, PolicyIteration, Simulator, Transition,
    VisitRule,
};

/// Visits its state twice in every episode, earning 1 and then 2.
struct Twice {
    time: usize,
}

impl Environment for Twice {
    fn n_states(&self) -> usize {
        2
    }

    fn n_actions(&self, state: usize) -> usize {
        1 - state
    }

    fn start(&mut self, _generator: &mut Generator) -> usize {
        self.time = 0;
        0
    }

    fn step(&mut self, _action: usize, _generator: &mut Generator) -> Transition {
        self.time += 1;
        Transition {
            reward: self.time as f64,
            state: self.time - 1,
        }
    }
}

// 002b:RL-12: the first visit tells the return 3, every visit the returns 3 and 2.
#[test]
fn first_and_every_visit_count_differently() {
    let policy = Policy::uniform(&ActionLayout::from_counts([1, 0]));
    let value = |visits: VisitRule| {
        let evaluation = MonteCarloEvaluation {
            discount: 1.0,
            visits,
            n_episodes: 4,
            ..MonteCarloEvaluation::default()
        };
        let found = evaluation.fit(Acting {
            environment: &mut Twice { time: 0 },
            policy: &policy,
        });
        found.unwrap().values()[0]
    };
    assert_eq!(value(VisitRule::First), 3.0);
    assert_eq!(value(VisitRule::Every), 2.5);
    let control = |visits: VisitRule| {
        let control = MonteCarloControl {
            discount: 1.0,
            visits,
            n_episodes: 4,
            ..MonteCarloControl::default()
        };
        let learned = control.fit(&mut Twice { time: 0 }).unwrap();
        (learned.action_values()[0], learned.visits()[0])
    };
    assert_eq!(control(VisitRule::First), (3.0, 4));
    assert_eq!(control(VisitRule::Every), (2.5, 8));
}

// 002b:RL-12, 002b:RL-08: the mean of the returns of first visits is V^π, within its own error.
#[test]
fn mean_returns_are_the_value_of_the_policy() {
    let room = robot_room();
    let policy = Policy::uniform(room.layout());
    let exact = PolicyEvaluation::default()
        .fit(Following {
            process: &room,
            policy: &policy,
        })
        .unwrap();
    let mut game = Simulator::everywhere(&room).unwrap();
    let evaluation = MonteCarloEvaluation {
        n_episodes: 8000,
        ..MonteCarloEvaluation::default()
    };
    let found = evaluation
        .fit(Acting {
            environment: &mut game,
            policy: &policy,
        })
        .unwrap();
    let errors = found.standard_errors().unwrap();
    for state in (0..11).filter(|&state| !room.layout().is_terminal(state)) {
        let miss = (found.values()[state] - exact.values()[state]).abs();
        assert!(errors[state] < 0.02);
        assert!(
            miss < 4.0 * errors[state],
            "{state}: {miss} {}",
            errors[state]
        );
    }
    assert_eq!(found.n_cut_off(), 0);
}

// 002b:RL-12: every visit comes to V^π too.
#[test]
fn returns_of_every_visit_come_to_the_same_value() {
    let walk = random_walk();
    let policy = Policy::uniform(walk.layout());
    let repeats: Vec<Vec<f64>> = (0..16)
        .map(|random_state| {
            let evaluation = MonteCarloEvaluation {
                discount: 1.0,
                visits: VisitRule::Every,
                n_episodes: 2000,
                random_state,
                ..MonteCarloEvaluation::default()
            };
            let mut game = Simulator::everywhere(&walk).unwrap();
            let found = evaluation.fit(Acting {
                environment: &mut game,
                policy: &policy,
            });
            found.unwrap().values()[1..6].to_vec()
        })
        .collect();
    let expected: Vec<f64> = (1..6).map(|state| f64::from(state) / 6.0).collect();
    assert_unbiased(&repeats, &expected, 0.02);
}

/// The world as it feels to whoever takes a random action with probability ε instead of the chosen
/// one: its best policy is the best ε-soft policy of the world itself.
fn with_stray_steps(world: &DecisionProcess, epsilon: f64) -> DecisionProcess {
    DecisionProcess::from_fn(world.n_states(), |state| {
        let n_actions = world.layout().n_actions(state);
        let weighted = |chosen: usize, action: usize| {
            let weight = epsilon / n_actions as f64 + (1.0 - epsilon) * f64::from(chosen == action);
            world.outcomes(state, action).map(move |next| Outcome {
                probability: weight * next.probability,
                ..next
            })
        };
        (0..n_actions)
            .map(|chosen| {
                (0..n_actions)
                    .flat_map(|action| weighted(chosen, action))
                    .collect()
            })
            .collect()
    })
    .unwrap()
}

// 002b:RL-12: ε-soft control learns the best of all ε-soft policies, which is not the best of all.
#[test]
fn soft_control_learns_the_best_soft_policy() {
    let world = ledge();
    let best = PolicyIteration::default().fit(&world).unwrap();
    let best_soft = PolicyIteration::default()
        .fit(&with_stray_steps(&world, 0.2))
        .unwrap();
    assert_ne!(best.policy(), best_soft.policy());
    for visits in [VisitRule::First, VisitRule::Every] {
        for random_state in 0..5 {
            let control = MonteCarloControl {
                visits,
                n_episodes: 4000,
                exploration: Exploration::epsilon(0.2),
                random_state,
                ..MonteCarloControl::default()
            };
            let mut game = Simulator::new(&world, 0).unwrap();
            let learned = control.fit(&mut game).unwrap();
            assert_eq!(learned.policy(), *best_soft.policy());
        }
    }
}

// 002b:RL-12: needs episodes; what was cut off teaches only where its rest weighs nothing.
#[test]
fn endless_worlds_teach_through_long_enough_pieces() {
    let world = jumping_grid();
    let policy = Policy::uniform(world.layout());
    let exact = PolicyEvaluation::default()
        .fit(Following {
            process: &world,
            policy: &policy,
        })
        .unwrap();
    let mut game = Simulator::new(&world, 12).unwrap();
    let evaluation = MonteCarloEvaluation {
        n_episodes: 3000,
        max_steps: 200,
        ..MonteCarloEvaluation::default()
    };
    let acting = Acting {
        environment: &mut game,
        policy: &policy,
    };
    let found = evaluation.fit(acting).unwrap();
    assert_eq!(found.n_cut_off(), 3000);
    let error = found.standard_errors().unwrap()[12];
    let miss = (found.values()[12] - exact.values()[12]).abs();
    assert!(miss < 4.0 * error && error < 0.2, "{miss} {error}");
    let undiscounted = MonteCarloEvaluation {
        discount: 1.0,
        n_episodes: 3,
        ..evaluation
    };
    let acting = Acting {
        environment: &mut game,
        policy: &policy,
    };
    let error = undiscounted.fit(acting).unwrap_err().to_string();
    assert!(error.starts_with("max_steps is 200"), "{error}");
}

#[test]
fn a_world_without_chance_is_known_after_one_episode() {
    let line = process(vec![vec![on(1, 1.0)], vec![on(2, 2.0)], vec![]]);
    let policy = Policy::uniform(line.layout());
    let mut game = Simulator::new(&line, 0).unwrap();
    let evaluation = MonteCarloEvaluation {
        discount: 0.5,
        n_episodes: 1,
        ..MonteCarloEvaluation::default()
    };
    let found = evaluation.fit(Acting {
        environment: &mut game,
        policy: &policy,
    });
    assert_near(found.unwrap().values(), &[2.0, 2.0, 0.0], 0.0);
}
