//! Which visits of an episode count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which visits of an episode give a return to learn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VisitRule {
    /// The first of each: the returns are independent and their mean is without bias.
    #[default]
    First,
    /// All of them: more returns, which depend on each other.
    Every,
}

/// Tells first visits from later ones, episode after episode, without forgetting by hand.
pub(super) struct FirstVisits {
    rule: VisitRule,
    /// The last episode in which each place was visited, counted from one.
    seen_in: Vec<usize>,
    episode: usize,
}

impl FirstVisits {
    pub(super) fn new(rule: VisitRule, n_places: usize) -> Self {
        FirstVisits {
            rule,
            seen_in: vec![0; n_places],
            episode: 0,
        }
    }

    /// The steps of an episode that count, given the place that each step visited.
    pub(super) fn counted(&mut self, places: &[usize]) -> Vec<bool> {
        self.episode += 1;
        let episode = self.episode;
        let mut is_first =
            |place: &usize| std::mem::replace(&mut self.seen_in[*place], episode) != episode;
        match self.rule {
            VisitRule::First => places.iter().map(&mut is_first).collect(),
            VisitRule::Every => vec![true; places.len()],
        }
    }
}

/// What is left of a return that was cut off must weigh less than this to be overlooked.
const NEGLIGIBLE: f64 = 1e-6;

/// How many steps of an episode tell their return: all of one that ended; of one that was cut off
/// those after which the missing rest weighs next to nothing, γ^rest ≤ 10⁻⁶.
pub(super) fn known_returns(n_steps: usize, ended: bool, discount: f64) -> usize {
    if ended {
        return n_steps;
    }
    if discount == 1.0 {
        return 0;
    }
    let rest = match discount {
        0.0 => 1,
        _ => (NEGLIGIBLE.ln() / discount.ln()).ceil() as usize,
    };
    // The return of the last step with a full rest still counts.
    (n_steps + 1).saturating_sub(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_off_episode_teaches_only_where_the_rest_weighs_nothing() {
        assert_eq!(known_returns(7, true, 1.0), 7);
        assert_eq!(known_returns(7, false, 1.0), 0);
        // The next reward is all that counts, and every step has one.
        assert_eq!(known_returns(7, false, 0.0), 7);
        // 0.5^20 < 1e-6 < 0.5^19: from step 10 on 20 of 30 rewards are left.
        assert_eq!(known_returns(30, false, 0.5), 11);
        assert_eq!(known_returns(10, false, 0.5), 0);
    }

    #[test]
    fn the_first_visit_of_every_episode_counts() {
        let mut visits = FirstVisits::new(VisitRule::First, 3);
        assert_eq!(visits.counted(&[0, 1, 0]), [true, true, false]);
        assert_eq!(visits.counted(&[0, 0, 2]), [true, false, true]);
        assert_eq!(
            FirstVisits::new(VisitRule::Every, 3).counted(&[0, 0]),
            [true, true]
        );
    }
}
