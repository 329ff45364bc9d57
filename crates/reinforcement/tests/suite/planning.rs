use crate::worlds::{
    assert_near, chance, corridor, distance, jumping_grid, on, process, random_process, robot_room,
};
use didact_core::{Fit, Run, StopReason};
use didact_optimize::{InteriorPoint, QuadraticProgram};
use didact_reinforcement::{
    DecisionProcess, EvaluationMethod, Following, ModifiedPolicyIteration, Plan, Policy,
    PolicyEvaluation, PolicyIteration, QValueIteration, StopRule, SweepOrder, ValueIteration,
    bellman_residual, error_bound,
};
use ndarray::{Array1, Array2};
use proptest::prelude::*;

fn exact(process: &DecisionProcess, discount: f64) -> Plan {
    PolicyIteration {
        discount,
        ..PolicyIteration::default()
    }
    .fit(process)
    .unwrap()
}

fn sweeps(process: &DecisionProcess, discount: f64, max_iter: usize) -> Plan {
    ValueIteration {
        discount,
        max_iter,
        tol: 1e-12,
        ..ValueIteration::default()
    }
    .fit(process)
    .unwrap()
}

/// 001:T-24, as printed.
const ROBOT_ROOM: [f64; 11] = [
    0.610462, 0.766207, 0.928180, 0.0, 0.487235, 0.584934, 0.0, 0.373852, 0.326623, 0.427543,
    0.188825,
];

// 001:T-24, 001:RL-08, 001:RL-11: the values of the robot room; policy iteration agrees to 1e-12.
#[test]
fn the_robot_room_is_worth_what_the_text_says_by_every_method() {
    let room = robot_room();
    let by_policies = exact(&room, 0.9);
    assert_near(by_policies.values(), &ROBOT_ROOM, 5e-7);
    let by_values = sweeps(&room, 0.9, 10_000);
    assert_near(by_values.values(), by_policies.values(), 1e-12);
    assert_eq!(by_values.policy(), by_policies.policy());
    let corridor = exact(&corridor(), 0.9);
    assert_near(corridor.values(), &[0.729, 0.81, 0.9, 1.0, 0.0], 1e-15);
}

// 002b:RL-10, 002b:RL-11, 002b:§3.5: the best values of the 5×5 grid; the first row is printed as
// 22.0 24.4 22.0 19.4 17.5. A is worth 10/(1 − 0.9⁵), as it comes round every five steps.
#[test]
fn the_best_policy_in_the_grid_of_sutton_and_barto_comes_round_every_five_steps() {
    let world = jumping_grid();
    let plan = exact(&world, 0.9);
    let around = 10.0 / (1.0 - 0.9_f64.powi(5));
    assert_near(&plan.values()[1..2], &[around], 1e-12);
    // From exact fractions.
    let row = [
        21.97748528729457,
        24.41942809699397,
        21.97748528729457,
        19.41942809699397,
        17.47748528729457,
    ];
    assert_near(&plan.values()[..5], &row, 1e-12);
    let rounded: Vec<f64> = row.iter().map(|v| (10.0 * v).round() / 10.0).collect();
    assert_eq!(rounded, [22.0, 24.4, 22.0, 19.4, 17.5]);
    let swept = sweeps(&world, 0.9, 10_000);
    assert_near(swept.values(), plan.values(), 1e-11);
}

// 001:RL-08: every sweep brings the values nearer to V* by the discount at least.
#[test]
fn every_sweep_contracts_the_error_by_the_discount() {
    for seed in 0..4 {
        let world = random_process(20, true, seed);
        let best = exact(&world, 0.8);
        let mut before = distance(&[0.0; 20], best.values());
        for n_sweeps in 1..30 {
            let after = distance(sweeps(&world, 0.8, n_sweeps).values(), best.values());
            assert!(
                after <= 0.8 * before + 1e-14,
                "{n_sweeps}: {before} {after}"
            );
            before = after;
        }
    }
}

// 001:RL-08: stopping at a change of tol·(1 − α)/α bounds the error by tol. Stopping at tol itself
// would not: the change is then up to (1 − α)/α = 9 times too large.
#[test]
fn stopping_by_the_scaled_change_keeps_the_error_below_the_tolerance() {
    let world = jumping_grid();
    let best = exact(&world, 0.9);
    let tol = 1e-3;
    for (order, stop) in [
        (SweepOrder::Synchronous, StopRule::Change),
        (SweepOrder::Synchronous, StopRule::Span),
        (SweepOrder::GaussSeidel, StopRule::Change),
    ] {
        let plan = ValueIteration {
            tol,
            order,
            stop,
            ..ValueIteration::default()
        };
        let plan = plan.fit(&world).unwrap();
        assert_eq!(plan.trace().stop, StopReason::Converged);
        let error = distance(plan.values(), best.values());
        assert!(
            error <= plan.error_bound().unwrap() && error <= tol,
            "{error}"
        );
    }
    let changes = sweeps(&world, 0.9, 10_000).trace().objectives.clone();
    let naive = changes.iter().position(|change| *change <= tol).unwrap() + 1;
    let error = distance(sweeps(&world, 0.9, naive).values(), best.values());
    assert!(error > tol, "{error} after {naive} sweeps");
}

// 001:RL-08: new values that count at once, and the spread of the changes, save sweeps.
#[test]
fn better_orders_and_stops_save_sweeps() {
    let world = jumping_grid();
    let plain = ValueIteration {
        tol: 1e-6,
        ..ValueIteration::default()
    };
    let n_sweeps = |iteration: &ValueIteration| iteration.fit(&world).unwrap().trace().n_iter();
    let all_at_once = n_sweeps(&plain);
    let one_by_one = n_sweeps(&ValueIteration {
        order: SweepOrder::GaussSeidel,
        ..plain.clone()
    });
    let by_span = n_sweeps(&ValueIteration {
        stop: StopRule::Span,
        ..plain.clone()
    });
    assert!(one_by_one < all_at_once, "{one_by_one} {all_at_once}");
    assert!(by_span < all_at_once, "{by_span} {all_at_once}");
    let refused = ValueIteration {
        stop: StopRule::Span,
        order: SweepOrder::GaussSeidel,
        ..plain
    };
    let error = refused.fit(&world).unwrap_err().to_string();
    assert!(error.starts_with("stop is span"), "{error}");
}

// 001:RL-09: maxₐ Qᵢ equals Vᵢ at every iteration, and Q follows its printed recursion.
#[test]
fn the_best_action_values_are_the_values_at_every_iteration() {
    let world = random_process(15, true, 11);
    let layout = world.layout();
    let mut by_hand = vec![0.0; layout.n_pairs()];
    for max_iter in 1..12 {
        let best = |q: &[f64], state: usize| {
            let of_state = q[layout.pairs(state)].iter().copied();
            of_state.reduce(f64::max).unwrap_or(0.0)
        };
        by_hand = (0..15)
            .flat_map(|state| (0..layout.n_actions(state)).map(move |action| (state, action)))
            .map(|(state, action)| {
                let terms = world.outcomes(state, action).map(|next| {
                    next.probability * (next.reward + 0.9 * best(&by_hand, next.state))
                });
                terms.sum()
            })
            .collect();
        let over_pairs = QValueIteration {
            max_iter,
            ..QValueIteration::default()
        };
        let over_pairs = over_pairs.fit(&world).unwrap();
        assert_near(over_pairs.action_values(), &by_hand, 1e-12);
        let over_states = sweeps(&world, 0.9, max_iter);
        assert_eq!(over_pairs.values(), over_states.values());
        assert_eq!(over_pairs.action_values(), over_states.action_values());
        assert_eq!(over_pairs.policy(), over_states.policy());
        assert_eq!(over_pairs.trace().stop, StopReason::IterationLimit);
    }
}

// 001:RL-11: evaluation alone gives V^π of the first policy; improvement is what finds V*.
#[test]
fn evaluation_without_improvement_is_not_the_optimum() {
    let room = robot_room();
    let up = (0..11).map(|state| (!room.layout().is_terminal(state)).then_some(0));
    let policy = Policy::deterministic(room.layout(), up.collect()).unwrap();
    let evaluated = PolicyEvaluation::default()
        .fit(Following {
            process: &room,
            policy: &policy,
        })
        .unwrap();
    let best = exact(&room, 0.9);
    assert!(evaluated.values()[8] < best.values()[8] - 0.1);
}

// 001:RL-11: values never fall from round to round, and the end is the optimum.
#[test]
fn policy_iteration_never_falls_and_ends_soon() {
    for seed in 0..6 {
        let world = random_process(30, seed % 2 == 0, seed);
        let plan = exact(&world, 0.95);
        let rounds = &plan.trace().objectives;
        assert!(rounds.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12));
        assert!(rounds.len() < 12);
        assert_eq!(plan.trace().stop, StopReason::Converged);
        let residual = bellman_residual(&world, plan.values(), 0.95, &Run::new()).unwrap();
        assert!(residual < 1e-11, "{residual}");
        assert!(plan.error_bound().unwrap() <= error_bound(residual.max(1e-12), 0.95).unwrap());
    }
}

// 001:RL-11: of equally good actions the present one stays, so the rounds come to an end.
#[test]
fn equally_good_actions_are_not_exchanged_for_ever() {
    // All actions are the same up to rounding: 0.1 + 0.2 against 0.3.
    let split = vec![
        chance(0, 0.1, 1.0),
        chance(0, 0.2, 1.0),
        chance(1, 0.7, 1.0),
    ];
    let whole = vec![chance(0, 0.3, 1.0), chance(1, 0.7, 1.0)];
    let world = process(vec![vec![whole.clone(), split.clone()], vec![split, whole]]);
    for evaluation in [EvaluationMethod::Exact, EvaluationMethod::Iterative] {
        let plan = PolicyIteration {
            discount: 0.99,
            evaluation,
            ..PolicyIteration::default()
        };
        let plan = plan.fit(&world).unwrap();
        assert_eq!(plan.trace().stop, StopReason::Converged);
        assert!(plan.trace().n_iter() <= 2);
        assert_near(plan.values(), &[100.0, 100.0], 1e-6);
    }
}

#[test]
fn without_discount_the_shortest_way_out_is_found() {
    // Each step costs 1; from 0 one may also wait, which never ends.
    let world = process(vec![
        vec![on(0, -1.0), on(1, -1.0)],
        vec![on(0, -1.0), on(2, -1.0)],
        vec![],
    ]);
    let undiscounted = PolicyIteration {
        discount: 1.0,
        ..PolicyIteration::default()
    };
    let plan = undiscounted.fit(&world).unwrap();
    assert_eq!(plan.values(), [-2.0, -1.0, 0.0]);
    assert_eq!(plan.error_bound(), None);
    let swept = sweeps(&world, 1.0, 100);
    assert_eq!(swept.values(), [-2.0, -1.0, 0.0]);
    assert_eq!(swept.trace().stop, StopReason::Converged);
    // Waiting for a reward for ever has no finite value.
    let endless = process(vec![vec![on(0, 1.0), on(1, 0.0)], vec![]]);
    let error = undiscounted.fit(&endless).unwrap_err().to_string();
    assert!(error.starts_with("discount is 1"), "{error}");
    assert_eq!(
        sweeps(&endless, 1.0, 50).trace().stop,
        StopReason::IterationLimit
    );
}

// 001:RL-06, 002b:RL-10: π* takes the largest Q*, V* = max Q*, and no policy is better anywhere.
#[test]
fn no_policy_is_better_than_the_greedy_one_anywhere() {
    let world = random_process(5, true, 2);
    let layout = world.layout();
    let best = exact(&world, 0.9);
    let n_policies: usize = (0..5).map(|state| layout.n_actions(state).max(1)).product();
    for mut number in 0..n_policies {
        let actions = (0..5).map(|state| {
            let n_actions = layout.n_actions(state);
            let action = (n_actions > 0).then(|| number % n_actions);
            number /= n_actions.max(1);
            action
        });
        let policy = Policy::deterministic(layout, actions.collect()).unwrap();
        let evaluated = PolicyEvaluation::default()
            .fit(Following {
                process: &world,
                policy: &policy,
            })
            .unwrap();
        for (value, best) in evaluated.values().iter().zip(best.values()) {
            assert!(*value <= best + 1e-12);
        }
    }
    for state in 0..5 {
        let of_state = best.action_values_of(state).iter().copied();
        let largest = of_state.reduce(f64::max).unwrap_or(0.0);
        assert_near(&[largest], &[best.values()[state]], 1e-12);
    }
}

// 001:RL-07: the residual is zero at V* alone, and bounds the error elsewhere.
#[test]
fn the_residual_bounds_the_error() {
    let world = random_process(10, true, 8);
    let best = exact(&world, 0.7);
    for n_sweeps in 1..10 {
        let guess = sweeps(&world, 0.7, n_sweeps);
        let residual = bellman_residual(&world, guess.values(), 0.7, &Run::new()).unwrap();
        let error = distance(guess.values(), best.values());
        assert!(residual > 1e-6);
        assert!(error <= error_bound(residual, 0.7).unwrap() + 1e-12);
        // And not by chance: the error is at least residual/(1 + γ).
        assert!(error >= residual / 1.7 - 1e-12);
    }
    assert!(bellman_residual(&world, &[0.0], 0.7, &Run::new()).is_err());
}

/// V* as the solution of min Σ V(s) where V(s) ≥ Σ T·(R + γV) for every action.
fn linear_programme(process: &DecisionProcess, discount: f64) -> Vec<f64> {
    let n = process.n_states();
    let layout = process.layout();
    let mut matrix = Array2::zeros((layout.n_pairs(), n));
    let mut bound = Array1::zeros(layout.n_pairs());
    for state in 0..n {
        for (action, pair) in layout.pairs(state).enumerate() {
            matrix[[pair, state]] -= 1.0;
            for next in process.outcomes(state, action) {
                matrix[[pair, next.state]] += discount * next.probability;
                bound[pair] -= next.probability * next.reward;
            }
        }
    }
    let program = QuadraticProgram::linear_program(Array1::ones(n))
        .and_then(|program| program.inequalities(matrix, bound))
        .unwrap();
    let verdict = InteriorPoint::default().solve(&program, &Run::new());
    verdict.unwrap().optimal().unwrap().x.to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    // 002b:RL-10, 002b:RL-11: value iteration = policy iteration = the linear programme.
    #[test]
    fn all_ways_of_planning_find_the_same_values(seed: u64, n in 1usize..12, discount in 0.1..0.95f64) {
        let world = random_process(n, false, seed);
        let best = exact(&world, discount);
        let tol = 1e-9;
        for order in [SweepOrder::Synchronous, SweepOrder::GaussSeidel] {
            let plan = ValueIteration { discount, tol, order, ..ValueIteration::default() };
            prop_assert!(distance(plan.fit(&world).unwrap().values(), best.values()) <= tol);
        }
        let span = ValueIteration { discount, tol, stop: StopRule::Span, ..ValueIteration::default() };
        prop_assert!(distance(span.fit(&world).unwrap().values(), best.values()) <= tol);
        let pairs = QValueIteration { discount, tol, ..QValueIteration::default() };
        prop_assert!(distance(pairs.fit(&world).unwrap().values(), best.values()) <= tol);
        for sweeps in [0, 1, 30] {
            let modified = ModifiedPolicyIteration { discount, tol, sweeps, ..Default::default() };
            prop_assert!(distance(modified.fit(&world).unwrap().values(), best.values()) <= tol);
        }
        let programme = linear_programme(&world, discount);
        prop_assert!(distance(&programme, best.values()) <= 1e-6);
    }

    // The middle of the spread holds for worlds with ends, which stay at zero.
    #[test]
    fn the_span_rule_holds_with_terminal_states(seed: u64) {
        let world = random_process(15, true, seed);
        let best = exact(&world, 0.9);
        let span = ValueIteration { tol: 1e-3, stop: StopRule::Span, ..ValueIteration::default() };
        let plan = span.fit(&world).unwrap();
        let error = distance(plan.values(), best.values());
        prop_assert!(error <= plan.error_bound().unwrap() + 1e-12, "{}", error);
        prop_assert!(plan.error_bound().unwrap() <= 1e-3);
        for state in 0..15 {
            if world.layout().is_terminal(state) {
                prop_assert_eq!(plan.values()[state], 0.0);
            }
        }
    }
}
