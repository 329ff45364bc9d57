use crate::worlds::{chance, on, process, random_process, robot_room};
use didact_core::model::decode_model;
use didact_core::{AnyModel, Cancel, Error, Fit, Model, Run, StopReason};
use didact_reinforcement::{
    Acting, ActionValues, AveragePlan, AverageReward, DecisionProcess, Environment,
    EstimatedValues, Exploration, Following, LinearSarsa, ModifiedPolicyIteration,
    MonteCarloControl, MonteCarloEvaluation, Plan, Policy, PolicyEvaluation, PolicyIteration,
    QLearning, QValueIteration, Sarsa, Simulator, StateValues, StepSize, TemporalDifference,
    ValueIteration,
};

fn all_plans(world: &DecisionProcess, discount: f64) -> Vec<Result<Plan, Error>> {
    vec![
        ValueIteration {
            discount,
            max_iter: 2000,
            ..ValueIteration::default()
        }
        .fit(world),
        QValueIteration {
            discount,
            max_iter: 2000,
            ..QValueIteration::default()
        }
        .fit(world),
        PolicyIteration {
            discount,
            ..PolicyIteration::default()
        }
        .fit(world),
        ModifiedPolicyIteration {
            discount,
            max_iter: 2000,
            ..ModifiedPolicyIteration::default()
        }
        .fit(world),
    ]
}

#[test]
fn discounts_outside_their_limits_are_refused_by_name() {
    let world = robot_room();
    for discount in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        for plan in all_plans(&world, discount) {
            let error = plan.unwrap_err().to_string();
            assert!(error.starts_with("discount is"), "{error}");
        }
    }
    let bad_step = QLearning {
        step_size: StepSize {
            power: 0.5,
            ..StepSize::default()
        },
        ..QLearning::default()
    };
    let error = bad_step.fit(&mut Simulator::new(&world, 0).unwrap());
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("step_size.power is 0.5"), "{error}");
}

#[test]
fn worlds_without_states_or_without_choice_are_served() {
    let nothing = DecisionProcess::from_fn(0, |_| vec![]).unwrap();
    for plan in all_plans(&nothing, 0.9) {
        assert_eq!(plan.unwrap_err().to_string(), "there are no states");
    }
    assert!(AverageReward::default().fit(&nothing).is_err());
    let ends = process(vec![vec![], vec![]]);
    for discount in [0.0, 0.9, 1.0] {
        for plan in all_plans(&ends, discount) {
            assert_eq!(plan.unwrap().values(), [0.0, 0.0]);
        }
    }
    let average = AverageReward::default().fit(&ends).unwrap();
    assert_eq!(average.gains(), [0.0, 0.0]);
    let mut game = Simulator::new(&ends, 0).unwrap();
    let learner = QLearning {
        n_episodes: 3,
        ..QLearning::default()
    };
    assert_eq!(learner.fit(&mut game).unwrap().values(), [0.0, 0.0]);
    let control = MonteCarloControl {
        n_episodes: 3,
        ..MonteCarloControl::default()
    };
    assert_eq!(control.fit(&mut game).unwrap().values(), [0.0, 0.0]);
    let linear = LinearSarsa {
        n_episodes: 3,
        ..LinearSarsa::default()
    };
    let features = ndarray::array![[1.0], [1.0]];
    let described = didact_reinforcement::Described {
        environment: &mut game,
        features: features.view(),
    };
    assert!(linear.fit(described).is_ok());
}

#[test]
fn huge_and_tiny_rewards_give_finite_plans_or_a_reason() {
    for scale in [1e-300, 1e-8, 1e8, 1e300] {
        let world = process(vec![
            vec![on(0, scale), on(1, 3.0 * scale)],
            vec![
                vec![chance(0, 0.5, -scale), chance(2, 0.5, scale)],
                on(2, 0.0),
            ],
            vec![],
        ]);
        for plan in all_plans(&world, 0.9) {
            let plan = plan.unwrap();
            assert!((plan.values()[0] / scale).is_finite());
            // Staying is worth 10.
            assert!(plan.values()[0] >= 9.0 * scale || scale < 1e-6);
            assert_ne!(plan.trace().stop, StopReason::IterationLimit);
        }
        let average = AverageReward::default().fit(&world);
        match scale == 1e300 {
            true => assert!(
                average
                    .unwrap_err()
                    .to_string()
                    .contains("divide the rewards")
            ),
            false => {
                let gain = average.unwrap().gains()[0];
                assert!((gain / scale - 1.0).abs() < 1e-12);
            }
        }
        let mut game = Simulator::new(&world, 0).unwrap();
        let learner = Sarsa {
            n_episodes: 50,
            max_steps: 100,
            exploration: Exploration::epsilon(0.5),
            ..Sarsa::default()
        };
        let learned = learner.fit(&mut game).unwrap();
        assert!(
            learned
                .action_values()
                .iter()
                .all(|value| value.is_finite())
        );
    }
    let beyond = process(vec![vec![on(0, 1e308)]]);
    for plan in all_plans(&beyond, 0.99) {
        let error = plan.unwrap_err().to_string();
        assert!(error.contains("divide the rewards"), "{error}");
    }
    let mut game = Simulator::new(&beyond, 0).unwrap();
    let error = QLearning::default().fit(&mut game).unwrap_err().to_string();
    assert!(error.contains("divide the rewards"), "{error}");
}

#[test]
fn a_discount_a_hair_below_one_is_served_or_explained() {
    let world = random_process(10, true, 4);
    let plan = PolicyIteration {
        discount: 1.0 - 1e-9,
        ..PolicyIteration::default()
    };
    assert!(
        plan.fit(&world)
            .unwrap()
            .values()
            .iter()
            .all(|v| v.is_finite())
    );
    let closer = PolicyIteration {
        discount: 1.0 - f64::EPSILON / 2.0,
        ..PolicyIteration::default()
    };
    match closer.fit(&world) {
        Ok(plan) => assert!(plan.values().iter().all(|value| value.is_finite())),
        Err(error) => assert!(error.to_string().starts_with("discount is"), "{error}"),
    }
}

fn kept<M: Model + PartialEq + std::fmt::Debug>(model: &M) {
    let read = decode_model::<M>(&model.encode().unwrap()).unwrap();
    assert_eq!(read.as_any().downcast_ref::<M>(), Some(model));
    assert!(!model.attributes().is_empty());
}

#[test]
fn everything_learned_can_be_kept_and_read_again() {
    let room = robot_room();
    let policy = Policy::uniform(room.layout());
    let mut game = Simulator::new(&room, 7).unwrap();
    kept::<Plan>(&ValueIteration::default().fit(&room).unwrap());
    kept::<AveragePlan>(&AverageReward::default().fit(&room).unwrap());
    let following = Following {
        process: &room,
        policy: &policy,
    };
    kept::<StateValues>(&PolicyEvaluation::default().fit(following).unwrap());
    let learner = QLearning {
        n_episodes: 5,
        ..QLearning::default()
    };
    kept::<ActionValues>(&learner.fit(&mut game).unwrap());
    let evaluation = MonteCarloEvaluation {
        n_episodes: 5,
        ..MonteCarloEvaluation::default()
    };
    let acting = Acting {
        environment: &mut game,
        policy: &policy,
    };
    kept::<EstimatedValues>(&evaluation.fit(acting).unwrap());
}

/// Never ends, and asks to be stopped in the middle of its first episode.
struct Endless {
    cancel: Cancel,
    n_steps: usize,
}

impl Environment for Endless {
    fn n_states(&self) -> usize {
        1
    }

    fn n_actions(&self, _state: usize) -> usize {
        2
    }

    fn start(&mut self, _generator: &mut didact_core::random::Generator) -> usize {
        0
    }

    fn step(
        &mut self,
        _action: usize,
        _generator: &mut didact_core::random::Generator,
    ) -> didact_reinforcement::Transition {
        self.n_steps += 1;
        if self.n_steps == 5000 {
            self.cancel.cancel();
        }
        assert!(self.n_steps < 10_000, "nobody listens to the switch");
        didact_reinforcement::Transition {
            reward: 1.0,
            state: 0,
        }
    }
}

#[test]
fn learning_stops_in_the_middle_of_an_episode() {
    let max_steps = 1_000_000_000;
    let policy = Policy::uniform(&didact_reinforcement::ActionLayout::from_counts([2]));
    let stopped = |learn: &dyn Fn(&mut Endless, &Run) -> Result<(), Error>| {
        let cancel = Cancel::new();
        let run = Run::new().cancelled_by(&cancel);
        let mut endless = Endless { cancel, n_steps: 0 };
        assert!(matches!(learn(&mut endless, &run), Err(Error::Cancelled)));
    };
    stopped(&|endless, run| {
        let learner = QLearning {
            max_steps,
            ..QLearning::default()
        };
        learner.fit_with(endless, run).map(|_| ())
    });
    stopped(&|endless, run| {
        let learner = MonteCarloControl {
            max_steps,
            ..MonteCarloControl::default()
        };
        learner.fit_with(endless, run).map(|_| ())
    });
    stopped(&|endless, run| {
        let learner = TemporalDifference {
            max_steps,
            ..TemporalDifference::default()
        };
        let acting = Acting {
            environment: endless,
            policy: &policy,
        };
        learner.fit_with(acting, run).map(|_| ())
    });
}
