use crate::worlds::{assert_near, jumping_grid, on, process, robot_room};
use didact_core::random::{Generator, generator};
use didact_core::{Accepts, FitData, Run};
use didact_reinforcement::{
    ActionLayout, Environment, Policy, Simulator, Transition, record_episode, record_episodes,
};

/// The dialogue of the text: in state 65 (4 actions) the second action earns 7, in state 15
/// (2 actions) the first earns −4, in state 65 again the second earns 5, and state 44 follows,
/// which has 5 actions. What comes next depends on the time, so no table can hold it.
struct Dialogue {
    time: usize,
}

impl Environment for Dialogue {
    fn n_states(&self) -> usize {
        66
    }

    fn n_actions(&self, state: usize) -> usize {
        match state {
            65 => 4,
            15 => 2,
            44 => 5,
            _ => 0,
        }
    }

    fn start(&mut self, _generator: &mut Generator) -> usize {
        self.time = 0;
        65
    }

    fn step(&mut self, action: usize, _generator: &mut Generator) -> Transition {
        self.time += 1;
        let (expected, reward, state) = [(1, 7.0, 15), (0, -4.0, 65), (1, 5.0, 44)][self.time - 1];
        assert_eq!(action, expected);
        Transition { reward, state }
    }
}

// 002b:RL-01: states, state-dependent actions and rewards in turn; the reward of the action taken
// at time t is rₜ₊₁.
#[test]
fn the_dialogue_of_agent_and_environment_is_logged_step_by_step() {
    let mut dialogue = Dialogue { time: 0 };
    let counts = (0..66).map(|state| dialogue.n_actions(state));
    let layout = ActionLayout::from_counts(counts);
    let mut actions = vec![None; 66];
    (actions[65], actions[15], actions[44]) = (Some(1), Some(0), Some(4));
    let policy = Policy::deterministic(&layout, actions).unwrap();
    let log = record_episode(&mut dialogue, &policy, 3, &mut generator(0, 0)).unwrap();
    assert_eq!(log.states, [65, 15, 65, 44]);
    assert_eq!(log.actions, [1, 0, 1]);
    assert_eq!(log.rewards, [7.0, -4.0, 5.0]);
    assert!(!log.ended, "state 44 has actions left");
    assert_eq!(log.discounted_return(1.0).unwrap(), 8.0);
    assert_near(&[log.discounted_return(0.9).unwrap()], &[7.45], 1e-12);
    assert_near(&[log.average_reward()], &[8.0 / 3.0], 1e-15);
}

// 002b:RL-02: an episode runs from a start to a terminal state and begins anew.
#[test]
fn episodes_end_in_terminal_states_and_start_again() {
    let room = robot_room();
    let policy = Policy::uniform(room.layout());
    let mut game = Simulator::new(&room, 7).unwrap();
    let episodes = record_episodes(&mut game, &policy, 20, 10_000, 1, &Run::new()).unwrap();
    for episode in &episodes {
        assert!(episode.ended);
        assert_eq!(episode.states[0], 7);
        assert!([3, 6].contains(episode.states.last().unwrap()));
        assert_eq!(episode.states.len(), episode.n_steps() + 1);
    }
    let again = record_episodes(&mut game, &policy, 20, 10_000, 1, &Run::new()).unwrap();
    assert_eq!(episodes, again, "the same seed gives the same episodes");
    let other = record_episodes(&mut game, &policy, 20, 10_000, 2, &Run::new()).unwrap();
    assert_ne!(episodes, other);
    // Each episode has its own stream of chance.
    let fifth = record_episode(&mut game, &policy, 10_000, &mut generator(1, 5)).unwrap();
    assert_eq!(episodes[5], fifth);
}

// 002b:RL-02: a start distribution.
#[test]
fn starts_are_drawn_from_their_distribution() {
    let room = robot_room();
    let mut probabilities = vec![0.0; 11];
    (probabilities[0], probabilities[8]) = (0.25, 0.75);
    let mut game = Simulator::with_starts(&room, &probabilities).unwrap();
    let mut draws = generator(0, 0);
    let n = 10_000;
    let firsts = (0..n).filter(|_| game.start(&mut draws) == 0).count();
    let error = 4.0 * (0.25_f64 * 0.75 / f64::from(n)).sqrt();
    assert!((firsts as f64 / f64::from(n) - 0.25).abs() < error);
    let mut everywhere = Simulator::everywhere(&room).unwrap();
    let mut is_met = [false; 11];
    (0..500).for_each(|_| is_met[everywhere.start(&mut draws)] = true);
    // All but the exit and the pit.
    let expected: Vec<bool> = (0..11).map(|state| state != 3 && state != 6).collect();
    assert_eq!(is_met.to_vec(), expected);
    assert!(Simulator::new(&room, 11).is_err());
    assert!(Simulator::with_starts(&room, &[0.5; 11]).is_err());
    assert!(Simulator::with_starts(&room, &[1.0]).is_err());
    assert!(Simulator::everywhere(&process(vec![vec![]])).is_err());
}

// 002b:RL-06: what follows an action is drawn from P.
#[test]
fn outcomes_are_drawn_as_often_as_they_are_probable() {
    let room = robot_room();
    let mut game = Simulator::new(&room, 9).unwrap();
    let mut draws = generator(4, 0);
    let n = 10_000;
    let mut counts = [0.0; 11];
    for _ in 0..n {
        game.start(&mut draws);
        counts[game.step(0, &mut draws).state] += 1.0 / f64::from(n);
    }
    for next in room.outcomes(9, 0) {
        let p = next.probability;
        let error = 4.0 * (p * (1.0 - p) / f64::from(n)).sqrt();
        assert!(
            (counts[next.state] - p).abs() < error,
            "{next:?} {counts:?}"
        );
    }
}

#[test]
fn a_policy_for_other_states_is_refused() {
    let policy = Policy::uniform(jumping_grid().layout());
    let world = process(vec![vec![on(1, 0.0)], vec![]]);
    let mut game = Simulator::new(&world, 0).unwrap();
    let error = record_episode(&mut game, &policy, 5, &mut generator(0, 0)).unwrap_err();
    assert!(error.to_string().contains("other states and actions"));
    let acting = didact_reinforcement::Acting {
        environment: &mut game,
        policy: &policy,
    };
    assert!(acting.check(Accepts::empty()).is_err());
}

/// An environment that says nonsense.
struct Broken {
    reward: f64,
    state: usize,
}

impl Environment for Broken {
    fn n_states(&self) -> usize {
        2
    }

    fn n_actions(&self, _state: usize) -> usize {
        1
    }

    fn start(&mut self, _generator: &mut Generator) -> usize {
        0
    }

    fn step(&mut self, _action: usize, _generator: &mut Generator) -> Transition {
        Transition {
            reward: self.reward,
            state: self.state,
        }
    }
}

#[test]
fn a_simulator_that_says_nonsense_is_told_so() {
    let policy = Policy::uniform(&ActionLayout::from_counts([1, 1]));
    let say = |reward, state| {
        let mut broken = Broken { reward, state };
        let played = record_episode(&mut broken, &policy, 5, &mut generator(0, 0));
        played.unwrap_err().to_string()
    };
    assert!(say(f64::NAN, 0).contains("gave the reward NaN"));
    assert!(say(1.0, 7).contains("in state 7, but it has only 2"));
}
