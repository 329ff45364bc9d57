use crate::worlds::{assert_near, assert_unbiased, random_walk, robot_room};
use didact_core::{Fit, Regress};
use didact_reinforcement::{
    Acting, Described, DescribedActing, Exploration, LeastSquaresTemporalDifference, LinearSarsa,
    LinearTemporalDifference, Policy, Sarsa, Simulator, StepSize, TemporalDifference,
    group_features, one_hot_features,
};
use ndarray::{Array2, array};

// 002b:RL-15: one feature per state is the table, bit for bit.
#[test]
fn one_feature_per_state_is_the_table() {
    let room = robot_room();
    let policy = Policy::uniform(room.layout());
    let features = one_hot_features(11);
    let mut game = Simulator::everywhere(&room).unwrap();
    let table = TemporalDifference {
        n_episodes: 200,
        step_size: StepSize::constant(0.1),
        ..TemporalDifference::default()
    };
    let table = table.fit(Acting {
        environment: &mut game,
        policy: &policy,
    });
    let linear = LinearTemporalDifference {
        n_episodes: 200,
        learning_rate: 0.1,
        ..LinearTemporalDifference::default()
    };
    let linear = linear
        .fit(DescribedActing {
            environment: &mut game,
            policy: &policy,
            features: features.view(),
        })
        .unwrap();
    assert_eq!(linear.weights().to_vec(), table.unwrap().values());
    let table = Sarsa {
        n_episodes: 200,
        step_size: StepSize::constant(0.1),
        exploration: Exploration::epsilon(0.2),
        ..Sarsa::default()
    };
    let table = table.fit(&mut game).unwrap();
    let linear = LinearSarsa {
        n_episodes: 200,
        exploration: Exploration::epsilon(0.2),
        ..LinearSarsa::default()
    };
    let linear = linear
        .fit(Described {
            environment: &mut game,
            features: features.view(),
        })
        .unwrap();
    for state in (0..11).filter(|&state| !room.layout().is_terminal(state)) {
        let column = linear.weights().column(state).to_vec();
        assert_eq!(column, table.action_values_of(state));
    }
    assert_eq!(linear.episode_returns(), table.episode_returns());
    // Asked for its values, it answers with the table.
    let answers = linear.predict(&features).unwrap();
    assert_eq!(answers.row(0).to_vec(), table.action_values_of(0));
}

// 002b:RL-15: with one feature per state, least squares gives the values of the chain that was
// observed: V(s) = mean reward + γ·Σ share of each next state·V.
#[test]
fn least_squares_with_a_table_solves_the_observed_chain() {
    let walk = random_walk();
    let policy = Policy::uniform(walk.layout());
    let mut game = Simulator::everywhere(&walk).unwrap();
    let learner = LeastSquaresTemporalDifference {
        n_episodes: 30,
        penalty: 0.0,
        ..LeastSquaresTemporalDifference::default()
    };
    // The ends are never left, so they have no feature.
    let features = Array2::from_shape_fn((7, 5), |(state, column)| f64::from(state == column + 1));
    let found = learner
        .fit(DescribedActing {
            environment: &mut game,
            policy: &policy,
            features: features.view(),
        })
        .unwrap();
    let episodes =
        didact_reinforcement::record_episodes(&mut game, &policy, 30, 1000, 0, &Default::default());
    let mut counts = [[0.0; 7]; 7];
    for episode in episodes.unwrap() {
        for step in episode.states.windows(2) {
            counts[step[0]][step[1]] += 1.0;
        }
    }
    let value = |state: usize| match state {
        0 | 6 => 0.0,
        _ => found.weights()[state - 1],
    };
    for state in 1..6 {
        let total: f64 = counts[state].iter().sum();
        let next: f64 = (0..7)
            .map(|next| counts[state][next] / total * (f64::from(next == 6) + 0.9 * value(next)))
            .sum();
        assert_near(&[value(state)], &[next], 1e-12);
    }
}

// 002b:RL-15: a compact function of two weights knows all values when they are linear: V = s/6.
#[test]
fn a_line_through_the_random_walk_is_found_by_least_squares_and_by_steps() {
    let walk = random_walk();
    let policy = Policy::uniform(walk.layout());
    let features = Array2::from_shape_fn((7, 2), |(state, column)| match column {
        0 => 1.0,
        _ => state as f64 / 6.0,
    });
    let fit = |random_state: u64| {
        let mut game = Simulator::new(&walk, 3).unwrap();
        let learner = LeastSquaresTemporalDifference {
            discount: 1.0,
            n_episodes: 500,
            random_state,
            ..LeastSquaresTemporalDifference::default()
        };
        let found = learner.fit(DescribedActing {
            environment: &mut game,
            policy: &policy,
            features: features.view(),
        });
        found.unwrap().weights().to_vec()
    };
    let repeats: Vec<Vec<f64>> = (0..16).map(fit).collect();
    assert_unbiased(&repeats, &[0.0, 1.0], 0.05);
    let mut game = Simulator::new(&walk, 3).unwrap();
    let steps = LinearTemporalDifference {
        discount: 1.0,
        n_episodes: 3000,
        learning_rate: 0.2,
        decay: 0.01,
        ..LinearTemporalDifference::default()
    };
    let found = steps
        .fit(DescribedActing {
            environment: &mut game,
            policy: &policy,
            features: features.view(),
        })
        .unwrap();
    assert_near(&found.weights().to_vec(), &[0.0, 1.0], 0.06);
    // States that were never visited are known as well.
    let beyond = found.predict(&array![[1.0, 0.25]]).unwrap();
    assert!((beyond[[0, 0]] - 0.25).abs() < 0.06);
}

// 002b:RL-15: states of a group share one value, drawn towards those visited most.
#[test]
fn a_group_is_worth_what_its_most_visited_states_are() {
    let walk = random_walk();
    let policy = Policy::uniform(walk.layout());
    let features = group_features(&[0, 0, 0, 0, 1, 1, 1]).unwrap();
    let mean_at = |start: usize| {
        let mut game = Simulator::new(&walk, start).unwrap();
        let learner = LeastSquaresTemporalDifference {
            discount: 1.0,
            n_episodes: 500,
            ..LeastSquaresTemporalDifference::default()
        };
        let found = learner.fit(DescribedActing {
            environment: &mut game,
            policy: &policy,
            features: features.view(),
        });
        found.unwrap().weights()[0]
    };
    let (left, right) = (mean_at(1), mean_at(3));
    assert!(left < right && left > 0.0 && right < 0.6, "{left} {right}");
}

#[test]
fn runaway_weights_and_unseen_features_are_explained() {
    let walk = random_walk();
    let policy = Policy::uniform(walk.layout());
    let mut game = Simulator::new(&walk, 3).unwrap();
    let large = Array2::from_elem((7, 1), 100.0);
    let diverging = LinearTemporalDifference {
        learning_rate: 1.0,
        ..LinearTemporalDifference::default()
    };
    let error = diverging.fit(DescribedActing {
        environment: &mut game,
        policy: &policy,
        features: large.view(),
    });
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("learning_rate is 1"), "{error}");
    // Nobody ever leaves an end, so its feature has no value.
    let table = one_hot_features(7);
    let mut fit = |penalty| {
        let learner = LeastSquaresTemporalDifference {
            penalty,
            n_episodes: 20,
            ..LeastSquaresTemporalDifference::default()
        };
        learner.fit(DescribedActing {
            environment: &mut game,
            policy: &policy,
            features: table.view(),
        })
    };
    let error = fit(0.0).unwrap_err().to_string();
    assert!(error.starts_with("penalty is 0"), "{error}");
    assert!(fit(1e-3).unwrap().weights().iter().all(|w| w.is_finite()));
    let missing = array![[f64::NAN]];
    let one_row = array![[1.0]];
    for features in [missing.view(), one_row.view()] {
        let described = Described {
            environment: &mut game,
            features,
        };
        assert!(LinearSarsa::default().fit(described).is_err());
    }
    assert!(group_features(&[0, 9]).is_err());
}
