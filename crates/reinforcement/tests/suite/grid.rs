use crate::worlds::{corridor, grid_process, robot_room};
use didact_core::Fit;
use didact_data::{Grid, GridWalk};
use didact_reinforcement::{
    DecisionProcess, PathEnd, Policy, PolicyIteration, ValueIteration, follow,
};
use std::collections::VecDeque;

// 001:RL-02, 001:T-24: the room, its exit, its pit and its wall; the best way to go in each cell.
#[test]
fn the_robot_finds_the_best_way_from_every_cell() {
    let room = robot_room();
    let plan = PolicyIteration::default().fit(&room).unwrap();
    let arrows: Vec<Option<&str>> = plan
        .policy()
        .actions()
        .iter()
        .map(|action| action.map(|action| room.action_name(action)))
        .collect();
    let (up, right, left) = (Some("up"), Some("right"), Some("left"));
    #[rustfmt::skip]
    let expected = [
        right, right, right, None,
        up,           up,    None,
        up,    right, up,    left,
    ];
    assert_eq!(arrows, expected);
}

// 001:RL-05: a slip lands beside the intended cell, and blocked moves stay in place.
#[test]
fn slips_land_beside_and_blocked_moves_stay() {
    let room = robot_room();
    // Up from the bottom left corner: ahead, to the right, or against the wall of the room.
    let outcomes: Vec<(usize, f64)> = room
        .outcomes(7, 0)
        .map(|next| (next.state, next.probability))
        .collect();
    assert_eq!(outcomes, [(4, 0.8), (7, 0.1), (8, 0.1)]);
    // Right from beside the obstacle: blocked ahead, free to both sides.
    let outcomes: Vec<(usize, f64)> = room
        .outcomes(4, 1)
        .map(|next| (next.state, next.probability))
        .collect();
    assert_eq!(outcomes, [(0, 0.1), (4, 0.8), (7, 0.1)]);
}

// 001:RL-15: the stored actions lead from a start to the exit.
#[test]
fn the_path_follows_the_plan_to_the_exit() {
    let room = robot_room();
    let plan = ValueIteration::default().fit(&room).unwrap();
    let path = follow(&room, plan.policy(), 8).unwrap();
    assert_eq!(path.states, [8, 9, 5, 2, 3]);
    assert_eq!(path.end, PathEnd::Arrived);
    // Three steps at −0.04 and the exit: −0.04·(1 + 0.9 + 0.81) + 0.729.
    let utility = path.utility(0.9).unwrap();
    assert!((utility - (0.729 - 0.04 * 2.71)).abs() < 1e-12);
    let path = follow(
        &corridor(),
        ValueIteration::default().fit(&corridor()).unwrap().policy(),
        0,
    );
    assert!((path.unwrap().utility(0.9).unwrap() - 0.729).abs() < 1e-15);
}

// 001:RL-15: guard against cycles.
#[test]
fn a_policy_that_runs_in_a_circle_is_noticed() {
    let room = robot_room();
    let mut actions: Vec<Option<usize>> = (0..11).map(|_| Some(3)).collect();
    (actions[3], actions[6], actions[0]) = (None, None, Some(1));
    let policy = Policy::deterministic(room.layout(), actions).unwrap();
    let path = follow(&room, &policy, 2).unwrap();
    assert_eq!(path.end, PathEnd::Circle);
    assert_eq!(path.states, [2, 1, 0, 1]);
    assert!(follow(&room, &policy, 99).is_err());
    let other = Policy::uniform(corridor().layout());
    assert!(follow(&room, &other, 0).is_err());
}

/// Number of steps from each cell to the nearest exit, by breadth-first search over the map.
fn shortest(grid: &Grid) -> Vec<Option<usize>> {
    let places = grid.places();
    let mut steps = vec![None; places.len()];
    let mut queue = VecDeque::new();
    for exit in grid.exits() {
        let state = places.binary_search(&exit).unwrap();
        steps[state] = Some(0);
        queue.push_back(state);
    }
    while let Some(state) = queue.pop_front() {
        let (row, column) = places[state];
        let beside = [
            (row.wrapping_sub(1), column),
            (row + 1, column),
            (row, column.wrapping_sub(1)),
            (row, column + 1),
        ];
        for place in beside {
            if let Ok(next) = places.binary_search(&place)
                && steps[next].is_none()
            {
                steps[next] = steps[state].map(|count| count + 1);
                queue.push_back(next);
            }
        }
    }
    steps
}

// 001:RL-15: in a world without slips the path is as short as can be.
#[test]
fn without_slips_every_path_is_a_shortest_path() {
    let map = "S..#....\n.#.#.##.\n.#...#..\n.####.#.\n......#G\n";
    let maze: Grid = map.parse().unwrap();
    let process = DecisionProcess::new(&maze.decisions(GridWalk::default()).unwrap()).unwrap();
    let plan = ValueIteration::default().fit(&process).unwrap();
    let steps = shortest(&maze);
    for (state, steps) in steps.iter().enumerate() {
        let path = follow(&process, plan.policy(), state).unwrap();
        match steps {
            Some(steps) => assert_eq!(path.actions.len(), *steps, "from {state}"),
            None => assert_eq!(path.end, PathEnd::Circle),
        }
    }
    assert!(steps.iter().flatten().max().unwrap() > &10);
}

// 001:RL-02, 001:RL-05: a price for steps and more slip make detours around a pit worth it.
#[test]
fn slips_keep_the_robot_away_from_the_pit() {
    let map = ".....\nS...G\n.PPP.\n\nP = -10 exit\n";
    let first_step = |slip: f64| {
        let walk = GridWalk {
            slip,
            step: -0.01,
            ..GridWalk::default()
        };
        let world = grid_process(map, walk);
        let plan = ValueIteration::default().fit(&world).unwrap();
        // From beside the start, above the first pit.
        let action = plan.policy().action(6).unwrap();
        world.action_name(action).to_owned()
    };
    assert_eq!(first_step(0.0), "right");
    assert_eq!(first_step(0.2), "up");
}
