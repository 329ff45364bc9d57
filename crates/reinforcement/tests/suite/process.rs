use crate::worlds::{assert_near, chance, corridor, jumping_grid, on, process};
use didact_core::random::generator;
use didact_core::{Decisions, Fit, Run};
use didact_reinforcement::{
    ActionLayout, DecisionProcess, Following, Policy, PolicyEvaluation, ValueIteration,
    record_episode,
};

// 001:RL-04, 002b:RL-06, 002b:RL-01: T and R by state, action and next state; rows of T sum to one;
// the number of actions depends on the state.
#[test]
fn a_process_keeps_what_the_world_of_decisions_says() {
    let world = Decisions::new(vec![
        vec![
            vec![chance(0, 0.25, 3.0), chance(1, 0.75, -1.0)],
            on(2, 5.0),
        ],
        vec![on(0, 0.5)],
        vec![],
    ])
    .unwrap()
    .with_action_names(vec!["wait".to_owned(), "leave".to_owned()])
    .unwrap();
    let process = DecisionProcess::new(&world).unwrap();
    assert_eq!(process.n_states(), 3);
    let counts: Vec<usize> = (0..3).map(|s| process.layout().n_actions(s)).collect();
    assert_eq!(counts, [2, 1, 0]);
    assert_eq!(process.action_name(1), "leave");
    for state in 0..3 {
        for action in 0..world.n_actions(state) {
            let kept: Vec<_> = process.outcomes(state, action).collect();
            assert_eq!(kept, world.outcomes(state, action));
        }
    }
    // Σ T·(R + γV) by hand: 0.25·(3 + 0.5·8) + 0.75·(−1 + 0.5·4).
    let worth = process.action_value(0, 0, &[8.0, 4.0, 0.0], 0.5);
    assert_near(&[worth], &[2.5], 1e-15);
    assert!(DecisionProcess::try_from(&world).is_ok());
}

// 002b:RL-06: rows of P sum to one, or the world is refused.
#[test]
fn impossible_outcomes_are_refused_with_the_state_and_the_action() {
    let refused = |outcomes: Vec<didact_core::Outcome>| {
        let made = DecisionProcess::from_fn(2, |_| vec![on(0, 0.0), outcomes.clone()]);
        made.unwrap_err().to_string()
    };
    let sums = refused(vec![chance(0, 0.5, 0.0), chance(1, 0.4, 0.0)]);
    assert!(
        sums.starts_with("state 0, action 1: the probabilities sum to 0.9"),
        "{sums}"
    );
    assert!(refused(vec![]).contains("at least one outcome"));
    assert!(refused(on(2, 0.0)).contains("there are only 2"));
    assert!(refused(on(0, f64::NAN)).contains("finite"));
    assert!(refused(vec![chance(0, 1.5, 0.0)]).contains("between 0 and 1"));
}

#[test]
fn probabilities_that_were_rounded_are_scaled_to_one() {
    let thirds = vec![
        chance(0, 0.3333333333, 0.0),
        chance(0, 0.3333333333, 0.0),
        chance(0, 0.3333333334 - 5e-10, 0.0),
    ];
    let process = process(vec![vec![thirds]]);
    let total: f64 = process.outcomes(0, 0).map(|next| next.probability).sum();
    assert!((total - 1.0).abs() < 1e-15, "{total}");
    let with_zero =
        DecisionProcess::from_fn(2, |_| vec![vec![chance(0, 0.0, 9.0), chance(1, 1.0, 2.0)]]);
    assert_eq!(with_zero.unwrap().outcomes(0, 0).count(), 1);
}

// 001:RL-04: scores R(s) of states are supported beside R(s, a, s′); 001:RL-03 counts the score of
// the first state too, which adds the same to every path from it.
#[test]
fn scores_of_states_give_the_utility_less_the_first_score() {
    let scores = [1.0, 2.0, 3.0];
    let line = process(vec![vec![on(1, 9.0)], vec![on(2, 9.0)], vec![]]);
    let line = line.with_state_rewards(&scores).unwrap();
    let plan = ValueIteration {
        discount: 0.5,
        ..ValueIteration::default()
    };
    let values = plan.fit(&line).unwrap();
    // U = 1 + ½·2 + ¼·3 = 2.75 = R(s₁) + γ·V(s₁).
    assert_near(&[1.0 + 0.5 * values.values()[0]], &[2.75], 1e-12);
    let wrong = line.clone().with_state_rewards(&[1.0]).unwrap_err();
    assert!(wrong.to_string().contains("1 scores for 3 states"));
    assert!(line.with_state_rewards(&[1.0, f64::INFINITY, 0.0]).is_err());
}

// 001:RL-01: a policy is a function from states to actions.
#[test]
fn a_deterministic_policy_has_one_action_per_state() {
    let layout = ActionLayout::from_counts([2, 3, 0]);
    let policy = Policy::deterministic(&layout, vec![Some(1), Some(2), None]).unwrap();
    assert_eq!(policy.actions(), [Some(1), Some(2), None]);
    assert_eq!(policy.probability(1, 2), 1.0);
    assert_eq!(policy.probability(1, 0), 0.0);
    assert!(policy.is_deterministic());
    let refused = |actions| {
        let made = Policy::deterministic(&layout, actions);
        made.unwrap_err().to_string()
    };
    assert!(refused(vec![Some(2), Some(0), None]).contains("takes action 2 in state 0"));
    assert!(refused(vec![Some(0), None, None]).contains("no action in state 1"));
    assert!(refused(vec![Some(0)]).contains("1 actions for 3 states"));
}

// 002b:RL-07: π(s, a) are probabilities, Σₐ π = 1, and draws follow them.
#[test]
fn a_stochastic_policy_sums_to_one_and_draws_accordingly() {
    let layout = ActionLayout::from_counts([3, 0]);
    let policy = Policy::stochastic(&layout, &[vec![0.2, 0.0, 0.8], vec![]]).unwrap();
    let total: f64 = (0..3).map(|action| policy.probability(0, action)).sum();
    assert_eq!(total, 1.0);
    let mut draws = generator(3, 0);
    let n = 20_000;
    let mut counts = [0usize; 3];
    for _ in 0..n {
        counts[policy.draw(0, &mut draws).unwrap()] += 1;
    }
    assert_eq!(counts[1], 0);
    // Four standard errors of a share of 0.2.
    let error = 4.0 * (0.2_f64 * 0.8 / f64::from(n)).sqrt();
    assert!((counts[0] as f64 / f64::from(n) - 0.2).abs() < error);
    assert_eq!(policy.draw(1, &mut draws), None);
    let refused = |probabilities: &[Vec<f64>]| {
        let made = Policy::stochastic(&layout, probabilities);
        made.unwrap_err().to_string()
    };
    assert!(refused(&[vec![0.5, 0.4, 0.0], vec![]]).contains("sum to 0.9"));
    assert!(refused(&[vec![0.5, 0.5], vec![]]).contains("2 probabilities for 3 actions"));
    assert!(refused(&[vec![2.0, -1.0, 0.0], vec![]]).contains("between 0 and 1"));
}

// 002b:RL-16, 002b:RL-17, 004:M78: policy, reward, value and model are the four parts; a world is
// taken as a model or as something to try.
#[test]
fn a_model_and_its_simulation_serve_the_same_policy() {
    let world = corridor();
    let plan = ValueIteration::default().fit(&world).unwrap();
    let mut game = didact_reinforcement::Simulator::new(&world, 0).unwrap();
    let episode = record_episode(&mut game, plan.policy(), 100, &mut generator(0, 0)).unwrap();
    let played = episode.discounted_return(0.9).unwrap();
    assert_near(&[played], &[plan.values()[0]], 1e-9);
    let evaluated = PolicyEvaluation::default()
        .fit(Following {
            process: &world,
            policy: plan.policy(),
        })
        .unwrap();
    assert_near(evaluated.values(), plan.values(), 1e-9);
}

// 002b:RL-09: what follows an action is worth Σ T·(R + γV), pair by pair.
#[test]
fn action_values_of_all_pairs_are_those_of_each() {
    let world = jumping_grid();
    let values: Vec<f64> = (0..25).map(|state| f64::from(state).sin()).collect();
    let all = world.action_values(&values, 0.9, &Run::new()).unwrap();
    for state in 0..25 {
        for action in 0..4 {
            let by_hand: f64 = world
                .outcomes(state, action)
                .map(|next| next.probability * (next.reward + 0.9 * values[next.state]))
                .sum();
            assert_near(
                &[all[world.layout().pair(state, action)]],
                &[by_hand],
                1e-12,
            );
        }
    }
}
