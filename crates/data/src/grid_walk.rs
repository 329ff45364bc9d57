//! A grid map as a world of decisions: where a robot may go, slips and scores included.

use crate::{Grid, GridCell};
use didact_core::{Decisions, Error, Outcome, Result};

/// The directions in which a robot moves, clockwise, each with its step in rows and columns.
const DIRECTIONS: [(&str, isize, isize); 4] = [
    ("up", -1, 0),
    ("right", 0, 1),
    ("down", 1, 0),
    ("left", 0, -1),
];

/// How a robot walks over a grid.
///
/// It goes in the intended direction, or slips to one of its sides; whoever runs into a wall or
/// the edge of the map stays in place. Entering a cell is worth its score, or else the price of
/// a step or the worth of an exit; staying costs a step too.
///
/// ```
/// use didact_data::{Grid, GridWalk};
/// let corridor: Grid = "S..G".parse()?;
/// let world = corridor.decisions(GridWalk { slip: 0.1, ..GridWalk::default() })?;
/// let right = world.outcomes(0, 1);
/// // Sideways there are only edges, so a slip stays where it is.
/// assert_eq!((right[0].state, right[0].probability), (0, 0.2));
/// assert_eq!((right[1].state, right[1].probability), (1, 0.8));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridWalk {
    /// The probability of a slip to the left of the intended direction, and of one to the right.
    pub slip: f64,
    /// What a step onto a cell without a score is worth, usually less than nothing.
    pub step: f64,
    /// What an exit without a score is worth.
    pub exit: f64,
}

impl Default for GridWalk {
    fn default() -> Self {
        GridWalk {
            slip: 0.0,
            step: 0.0,
            exit: 1.0,
        }
    }
}

impl Grid {
    /// The cells that can be entered, row by row: the states of [`Grid::decisions`] in order.
    pub fn places(&self) -> Vec<(usize, usize)> {
        let all = (0..self.n_rows())
            .flat_map(|row| (0..self.n_columns()).map(move |column| (row, column)));
        all.filter(|&(row, column)| self.cell(row, column) != GridCell::Wall)
            .collect()
    }

    /// The map as a world of decisions: a state for each of [`Grid::places`], the actions up,
    /// right, down and left, and exits that end the walk.
    pub fn decisions(&self, walk: GridWalk) -> Result<Decisions> {
        if !(0.0..=0.5).contains(&walk.slip) {
            let requirement = "it must be between 0 and 0.5, for there are two sides";
            return Err(Error::parameter("slip", walk.slip, requirement));
        }
        let places = self.places();
        let outcomes = places
            .iter()
            .map(|&place| match self.cell(place.0, place.1) {
                GridCell::Exit { .. } => Vec::new(),
                _ => (0..DIRECTIONS.len())
                    .map(|direction| self.outcomes(place, direction, walk, &places))
                    .collect(),
            });
        let names = DIRECTIONS.map(|(name, ..)| name.to_owned());
        Decisions::new(outcomes.collect())?.with_action_names(names.to_vec())
    }

    /// Where an intended step may end, each place once, in the order of the places.
    fn outcomes(
        &self,
        place: (usize, usize),
        direction: usize,
        walk: GridWalk,
        places: &[(usize, usize)],
    ) -> Vec<Outcome> {
        let turns = [(0, 1.0 - 2.0 * walk.slip), (1, walk.slip), (3, walk.slip)];
        let mut outcomes: Vec<Outcome> = Vec::new();
        for (turn, probability) in turns {
            if probability == 0.0 {
                continue;
            }
            let end = self.neighbour(place, (direction + turn) % DIRECTIONS.len());
            let state = places.binary_search(&end).expect("nobody ends in a wall");
            match outcomes.iter_mut().find(|outcome| outcome.state == state) {
                Some(outcome) => outcome.probability += probability,
                None => outcomes.push(Outcome {
                    state,
                    probability,
                    reward: self.worth(end, walk),
                }),
            }
        }
        outcomes.sort_by_key(|outcome| outcome.state);
        outcomes
    }

    /// The cell in a direction, or the same one where there is none to enter.
    fn neighbour(&self, place: (usize, usize), direction: usize) -> (usize, usize) {
        let (_, down, right) = DIRECTIONS[direction];
        let row = place.0.checked_add_signed(down);
        let column = place.1.checked_add_signed(right);
        match (row, column) {
            (Some(row), Some(column))
                if row < self.n_rows()
                    && column < self.n_columns()
                    && self.cell(row, column) != GridCell::Wall =>
            {
                (row, column)
            }
            _ => place,
        }
    }

    fn worth(&self, place: (usize, usize), walk: GridWalk) -> f64 {
        match self.cell(place.0, place.1) {
            GridCell::Exit { score } => score.unwrap_or(walk.exit),
            GridCell::Floor { score } => score.unwrap_or(walk.step),
            GridCell::Wall => walk.step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ T·(R + discount·V) of an action.
    fn worth_of(world: &Decisions, values: &[f64], state: usize, action: usize) -> f64 {
        let outcomes = world.outcomes(state, action).iter();
        let terms =
            outcomes.map(|next| next.probability * (next.reward + 0.9 * values[next.state]));
        terms.sum()
    }

    /// V* at a discount of 0.9, by as many sweeps as leave nothing to round.
    fn values(world: &Decisions) -> Vec<f64> {
        let mut values = vec![0.0; world.n_states()];
        for _ in 0..500 {
            values = (0..world.n_states())
                .map(|state| {
                    (0..world.n_actions(state))
                        .map(|action| worth_of(world, &values, state, action))
                        .reduce(f64::max)
                        .unwrap_or(0.0)
                })
                .collect();
        }
        values
    }

    // 001:RL-02, 001:T-24: the robot room with slips to the sides, and what its cells are worth.
    #[test]
    fn the_robot_room_becomes_a_world_of_decisions() {
        let room: Grid = "...E\n.#.P\n....\n\nE = 1 exit\nP = -1 exit\n"
            .parse()
            .unwrap();
        let walk = GridWalk {
            slip: 0.1,
            step: -0.04,
            ..GridWalk::default()
        };
        let world = room.decisions(walk).unwrap();
        assert_eq!(world.n_states(), 11);
        let expected = [
            0.610462, 0.766207, 0.928180, 0.0, 0.487235, 0.584934, 0.0, 0.373852, 0.326623,
            0.427543, 0.188825,
        ];
        let found = values(&world);
        for (state, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!(
                (found - expected).abs() < 1e-6,
                "{state}: {found} {expected}"
            );
        }
        let best = |state: usize| {
            let actions = (0..world.n_actions(state))
                .map(|action| (action, worth_of(&world, &found, state, action)));
            let (action, _) = actions.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            world.action_name(action)
        };
        let walks: Vec<String> = [0, 1, 2, 4, 5, 7, 8, 9, 10].map(best).to_vec();
        let arrows = [
            "right", "right", "right", "up", "up", "up", "right", "up", "left",
        ];
        assert_eq!(walks, arrows);
    }

    // 001:T-24: a corridor without slips.
    #[test]
    fn a_corridor_is_worth_the_powers_of_the_discount() {
        let corridor: Grid = "....G".parse().unwrap();
        let found = values(&corridor.decisions(GridWalk::default()).unwrap());
        for (found, expected) in found.iter().zip([0.729, 0.81, 0.9, 1.0, 0.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn slips_of_more_than_half_to_each_side_are_refused() {
        let corridor: Grid = "..G".parse().unwrap();
        for slip in [0.6, -0.1, f64::NAN] {
            let walk = GridWalk {
                slip,
                ..GridWalk::default()
            };
            let error = corridor.decisions(walk).unwrap_err().to_string();
            assert!(error.contains("slip"), "{error}");
        }
    }
}
