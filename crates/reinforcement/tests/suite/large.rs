use crate::worlds::{assert_near, chance, on};
use didact_core::{Cancel, Error, Fit, Run, StopReason};
use didact_reinforcement::{
    DecisionProcess, EvaluationMethod, Following, ModifiedPolicyIteration, Policy,
    PolicyEvaluation, PolicyIteration, SweepOrder, ValueIteration,
};

/// An open square room with an exit worth 1 in its first cell.
fn square(side: usize, slip: f64) -> DecisionProcess {
    let steps: [(isize, isize); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
    let enter = |state: usize, direction: usize| {
        let (down, right) = steps[direction % 4];
        let row = (state / side).checked_add_signed(down);
        let column = (state % side).checked_add_signed(right);
        match (row, column) {
            (Some(row), Some(column)) if row < side && column < side => row * side + column,
            _ => state,
        }
    };
    let worth = |state: usize| f64::from(state == 0);
    DecisionProcess::from_fn(side * side, |state| match state {
        0 => vec![],
        _ => (0..4)
            .map(|direction| match slip == 0.0 {
                true => {
                    let next = enter(state, direction);
                    on(next, worth(next))
                }
                false => [(0, 1.0 - 2.0 * slip), (1, slip), (3, slip)]
                    .iter()
                    .map(|&(turn, probability)| {
                        let next = enter(state, direction + turn);
                        chance(next, probability, worth(next))
                    })
                    .collect(),
            })
            .collect(),
    })
    .unwrap()
}

// 001:RL-08: a million states; the values are the powers of the discount by the steps to the exit.
#[test]
fn a_million_states_are_planned() {
    let side = 1000;
    let world = square(side, 0.0);
    let plan = ModifiedPolicyIteration {
        tol: 1e-4,
        ..ModifiedPolicyIteration::default()
    };
    let plan = plan.fit(&world).unwrap();
    assert_eq!(plan.trace().stop, StopReason::Converged);
    for state in [1, 2, 500, side, side + 1, 77 * side + 3, side * side - 1] {
        let steps = (state / side + state % side) as i32;
        assert_near(&[plan.values()[state]], &[0.9_f64.powi(steps - 1)], 1e-4);
    }
}

#[test]
fn plans_are_the_same_bit_for_bit_with_any_number_of_threads() {
    let world = square(100, 0.1);
    let policy = Policy::uniform(world.layout());
    let following = Following {
        process: &world,
        policy: &policy,
    };
    let with = |threads: usize| {
        let run = Run::new().threads(threads);
        let sweeps = |order| {
            let iteration = ValueIteration {
                order,
                max_iter: 30,
                ..ValueIteration::default()
            };
            iteration.fit_with(&world, &run).unwrap()
        };
        let modified = ModifiedPolicyIteration {
            tol: 1e-4,
            ..ModifiedPolicyIteration::default()
        };
        let evaluation = PolicyEvaluation {
            max_iter: 20,
            ..PolicyEvaluation::default()
        };
        (
            sweeps(SweepOrder::Synchronous),
            sweeps(SweepOrder::GaussSeidel),
            modified.fit_with(&world, &run).unwrap(),
            evaluation.fit_with(following, &run).unwrap(),
        )
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(4));
}

// 001:RL-11: worlds too large for the linear system are evaluated by sweeps.
#[test]
fn policy_iteration_goes_on_beyond_the_linear_system() {
    let world = square(40, 0.1);
    let by_policies = PolicyIteration::default().fit(&world).unwrap();
    assert_eq!(by_policies.trace().stop, StopReason::Converged);
    let by_values = ValueIteration::default().fit(&world).unwrap();
    assert_near(by_policies.values(), by_values.values(), 1e-7);
    let sweeping = PolicyIteration {
        evaluation: EvaluationMethod::Iterative,
        ..PolicyIteration::default()
    };
    let small = square(6, 0.1);
    let exact = PolicyIteration::default().fit(&small).unwrap();
    assert_near(sweeping.fit(&small).unwrap().values(), exact.values(), 1e-7);
    let huge = PolicyEvaluation {
        method: EvaluationMethod::Exact,
        ..PolicyEvaluation::default()
    };
    let world = square(100, 0.0);
    let policy = Policy::uniform(world.layout());
    let error = huge.fit(Following {
        process: &world,
        policy: &policy,
    });
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("method is exact"), "{error}");
}

#[test]
fn a_cancelled_plan_stops_at_once() {
    let world = square(50, 0.1);
    let stopped_at = |work: &dyn Fn(&Run) -> Result<(), Error>| {
        let cancel = Cancel::new();
        let switch = cancel.clone();
        let run = Run::new()
            .cancelled_by(&cancel)
            .observed_by(move |progress| {
                assert!(progress.iteration <= 3, "nobody listens to the switch");
                if progress.iteration == 3 {
                    switch.cancel();
                }
            });
        assert!(matches!(work(&run), Err(Error::Cancelled)));
    };
    let discount = 0.999_999;
    stopped_at(&|run| {
        let plan = ValueIteration {
            discount,
            ..ValueIteration::default()
        };
        plan.fit_with(&world, run).map(|_| ())
    });
    stopped_at(&|run| {
        let plan = ModifiedPolicyIteration {
            discount,
            ..ModifiedPolicyIteration::default()
        };
        plan.fit_with(&world, run).map(|_| ())
    });
    stopped_at(&|run| {
        let plan = PolicyIteration::default();
        plan.fit_with(&world, run).map(|_| ())
    });
}
