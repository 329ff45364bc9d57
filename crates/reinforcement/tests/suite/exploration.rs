use crate::worlds::{assert_near, process, two_exits};
use didact_core::random::generator;
use didact_core::{Fit, Run};
use didact_reinforcement::{
    Decay, Environment, Exploration, ExplorationRule, QLearning, RunningMean, Simulator, StepSize,
    compare_explorations,
};

// 001:RL-12, 001:T-25: heads +20, tails −10, after H H T H T T T T T T.
#[test]
fn the_coin_game_is_not_worth_playing_after_ten_rounds() {
    let heads = [
        true, true, false, true, false, false, false, false, false, false,
    ];
    let mut belief = RunningMean::default();
    let mut share = RunningMean::default();
    let beliefs: Vec<f64> = heads
        .iter()
        .map(|&heads| {
            share.observe(f64::from(heads));
            belief.observe(if heads { 20.0 } else { -10.0 })
        })
        .collect();
    let expected = [20.0, 20.0, 10.0, 12.5, 8.0, 5.0, 2.857143, 1.25, 0.0, -1.0];
    assert_near(&beliefs, &expected, 5e-7);
    assert_near(&[share.mean()], &[0.3], 1e-15);
    assert!(belief.mean() < 0.0, "do not play");
    // 20·p − 10·(1 − p) = 0 at p = ⅓.
    let worth = |p: f64| 20.0 * p - 10.0 * (1.0 - p);
    assert_near(&[worth(1.0 / 3.0)], &[0.0], 1e-14);
    // E_k = (v·(k − 1) + t)/k, as printed.
    for k in 2..=10 {
        let t = if heads[k - 1] { 20.0 } else { -10.0 };
        let printed = (beliefs[k - 2] * (k - 1) as f64 + t) / k as f64;
        assert_near(&[beliefs[k - 1]], &[printed], 1e-13);
    }
}

#[test]
fn a_belief_knows_how_sure_it_is() {
    let mut belief = RunningMean::default();
    assert_eq!((belief.mean(), belief.count()), (0.0, 0));
    for value in [1.0, 2.0, 3.0, 4.0] {
        belief.observe(value);
    }
    // Variance 5/3, over four values.
    assert_near(
        &[belief.standard_error()],
        &[(5.0_f64 / 12.0).sqrt()],
        1e-15,
    );
    let mut huge = RunningMean::default();
    assert_eq!((huge.observe(1e300), huge.observe(1e300)), (1e300, 1e300));
}

// 002b:RL-14: ε-greedy, soft maximum and schedules that fade.
#[test]
fn schedules_fade_to_their_minimum() {
    let fading = |schedule| Exploration {
        rate: 0.8,
        schedule,
        decay: 0.5,
        minimum: 0.05,
        ..Exploration::default()
    };
    let rates = |schedule| [0, 1, 2, 1000].map(|episode| fading(schedule).rate_at(episode));
    assert_near(&rates(Decay::Constant), &[0.8; 4], 0.0);
    assert_near(&rates(Decay::Geometric), &[0.8, 0.4, 0.2, 0.05], 1e-15);
    assert_near(&rates(Decay::Harmonic), &[0.8, 0.8 / 1.5, 0.4, 0.05], 1e-15);
}

// 002b:RL-14.
#[test]
fn actions_are_tried_as_the_rule_says() {
    let greedy = Exploration::epsilon(0.3).probabilities(&[1.0, 2.0, 2.0], 0);
    assert_near(&greedy, &[0.1, 0.45, 0.45], 1e-15);
    let soft = Exploration::softmax(2.0).probabilities(&[0.0, 2.0 * 3.0_f64.ln()], 0);
    assert_near(&soft, &[0.25, 0.75], 1e-15);
    // Cold is greedy, hot is uniform, and large values do not overflow.
    assert_eq!(
        Exploration::softmax(0.0).probabilities(&[1.0, 2.0], 0),
        [0.0, 1.0]
    );
    assert_near(
        &Exploration::softmax(1e12).probabilities(&[1.0, 2.0], 0),
        &[0.5, 0.5],
        1e-9,
    );
    assert_eq!(
        Exploration::softmax(1.0).probabilities(&[0.0, 1e300], 0),
        [0.0, 1.0]
    );
}

// 002b:RL-14: what is drawn while learning has those probabilities.
#[test]
fn draws_while_learning_follow_the_rule() {
    // One state whose three actions earn what they are believed to be worth: nothing changes.
    let bandit = process(vec![vec![crate::worlds::on(1, 1.0); 3], vec![]]);
    for exploration in [Exploration::epsilon(0.6), Exploration::softmax(0.5)] {
        let learner = QLearning {
            n_episodes: 8000,
            exploration,
            initial_value: 1.0,
            ..QLearning::default()
        };
        let learned = learner
            .fit(&mut Simulator::new(&bandit, 0).unwrap())
            .unwrap();
        for &visits in learned.visits() {
            let share = visits as f64 / 8000.0;
            let error = 4.0 * (2.0_f64 / 9.0 / 8000.0).sqrt();
            assert!((share - 1.0 / 3.0).abs() < error, "{share}");
        }
    }
}

// 001:RL-14: without exploration the robot may stay with the first exit that it finds.
#[test]
fn pure_greed_gets_stuck_at_the_near_exit() {
    let world = two_exits();
    let found_far = |exploration: Exploration, initial_value: f64| {
        let is_far = |random_state: &u64| {
            let learner = QLearning {
                n_episodes: 400,
                step_size: StepSize::constant(0.5),
                exploration,
                initial_value,
                random_state: *random_state,
                ..QLearning::default()
            };
            let mut game = Simulator::new(&world, 2).unwrap();
            let learned = learner.fit(&mut game).unwrap();
            let path = didact_reinforcement::follow(&world, &learned.policy(), 2).unwrap();
            *path.states.last().unwrap() == 6
        };
        (0..20).filter(is_far).count()
    };
    let greedy = found_far(Exploration::epsilon(0.0), 0.0);
    assert!(greedy < 15, "{greedy}");
    assert_eq!(found_far(Exploration::epsilon(0.5), 0.0), 20);
    // Optimism makes up for it: whatever was tried disappoints, until the best is found.
    assert_eq!(found_far(Exploration::epsilon(0.0), 10.0), 20);
}

// 001:RL-14, 002b:RL-14: a sweep over ε; too little gets stuck, too much costs, and with fading
// exploration the regret of an episode falls.
#[test]
fn a_sweep_over_exploration_has_its_best_in_the_middle() {
    let world = two_exits();
    let learner = QLearning {
        n_episodes: 300,
        step_size: StepSize::constant(0.5),
        ..QLearning::default()
    };
    let fading = Exploration {
        rate: 1.0,
        schedule: Decay::Geometric,
        decay: 0.02,
        ..Exploration::default()
    };
    let candidates = [
        Exploration::epsilon(0.0),
        Exploration::epsilon(0.3),
        Exploration::epsilon(1.0),
        fading,
    ];
    let start = || Simulator::new(&world, 2);
    let scores = compare_explorations(&learner, &candidates, start, 40, &Run::new()).unwrap();
    let beats = |better: usize, worse: usize| {
        let gap = scores[better].mean_return - scores[worse].mean_return;
        let error = scores[better]
            .standard_error
            .hypot(scores[worse].standard_error);
        assert!(gap > 3.0 * error, "{better} {worse}: {gap} {error}");
    };
    beats(1, 0);
    beats(1, 2);
    beats(3, 2);
    // The best return from the start is 10·0.9³.
    let regret = scores[3].regret(7.29);
    let early = regret[99] - regret[0];
    let late = regret[299] - regret[200];
    assert!(late < early / 2.0, "{early} {late}");
    assert_eq!(scores[3].exploration, fading);
    let threads = Run::new().threads(1);
    let again = compare_explorations(&learner, &candidates, start, 40, &threads).unwrap();
    assert_eq!(scores, again);
    assert!(compare_explorations(&learner, &candidates, start, 0, &Run::new()).is_err());
}

// 002b:RL-14: chance calls for many trials of each action before the best can be told.
#[test]
fn a_noisy_game_needs_many_trials() {
    use crate::worlds::chance;
    // 0.6 on average against 0.5, each all or nothing.
    let bandit = process(vec![
        vec![
            vec![chance(1, 0.5, 1.0), chance(1, 0.5, 0.0)],
            vec![chance(1, 0.6, 1.0), chance(1, 0.4, 0.0)],
        ],
        vec![],
    ]);
    let right = |n_episodes: usize| {
        let is_right = |random_state: &u64| {
            let learner = QLearning {
                n_episodes,
                step_size: StepSize::average(),
                exploration: Exploration::epsilon(1.0),
                random_state: *random_state,
                ..QLearning::default()
            };
            let learned = learner
                .fit(&mut Simulator::new(&bandit, 0).unwrap())
                .unwrap();
            learned.policy().action(0) == Some(1)
        };
        (0..40).filter(is_right).count()
    };
    let (few, many) = (right(20), right(1500));
    assert!(few < 37 && many == 40, "{few} {many}");
}

#[test]
fn a_rate_that_is_no_probability_is_refused_unless_it_is_a_temperature() {
    let world = two_exits();
    let fit = |exploration| {
        let learner = QLearning {
            n_episodes: 2,
            exploration,
            ..QLearning::default()
        };
        learner.fit(&mut Simulator::new(&world, 2).unwrap())
    };
    let error = fit(Exploration::epsilon(1.5)).unwrap_err().to_string();
    assert!(error.starts_with("exploration.rate is 1.5"), "{error}");
    let error = fit(Exploration::epsilon(-0.5)).unwrap_err().to_string();
    assert!(error.starts_with("exploration.rate is -0.5"), "{error}");
    let warm = Exploration {
        rule: ExplorationRule::Softmax,
        rate: 1.5,
        ..Exploration::default()
    };
    assert!(fit(warm).is_ok());
    let mut game = Simulator::new(&world, 2).unwrap();
    assert_eq!(game.start(&mut generator(0, 0)), 2);
}
