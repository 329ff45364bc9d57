//! Which actions each state has.

use didact_core::Result;
use didact_core::model::ensure_consistent;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How many actions each state has, and where each pair of state and action stands in one list.
///
/// The pairs of state 0 come first, then those of state 1, and so on. A state without actions is
/// terminal.
///
/// ```
/// use didact_reinforcement::ActionLayout;
/// let layout = ActionLayout::from_counts([2, 0, 3]);
/// assert_eq!((layout.n_states(), layout.n_pairs()), (3, 5));
/// assert_eq!(layout.pairs(2), 2..5);
/// assert!(layout.is_terminal(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionLayout {
    /// The pairs of state s are `starts[s]..starts[s + 1]`.
    starts: Vec<usize>,
}

impl ActionLayout {
    /// Takes the number of actions of each state.
    pub fn from_counts(counts: impl IntoIterator<Item = usize>) -> Self {
        let mut starts = vec![0];
        let mut total = 0;
        for count in counts {
            total += count;
            starts.push(total);
        }
        ActionLayout { starts }
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of pairs of a state and one of its actions.
    pub fn n_pairs(&self) -> usize {
        self.starts[self.n_states()]
    }

    /// Number of actions of a state.
    #[inline]
    pub fn n_actions(&self, state: usize) -> usize {
        self.starts[state + 1] - self.starts[state]
    }

    /// Number of actions of the state that has most.
    pub fn most_actions(&self) -> usize {
        let counts = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        counts.max().unwrap_or(0)
    }

    /// Whether nothing comes after a state.
    #[inline]
    pub fn is_terminal(&self, state: usize) -> bool {
        self.n_actions(state) == 0
    }

    /// Whether some state ends an episode.
    pub fn has_terminal(&self) -> bool {
        (0..self.n_states()).any(|state| self.is_terminal(state))
    }

    /// The places of the pairs of a state.
    #[inline]
    pub fn pairs(&self, state: usize) -> Range<usize> {
        self.starts[state]..self.starts[state + 1]
    }

    /// The place of a state and an action.
    #[inline]
    pub fn pair(&self, state: usize, action: usize) -> usize {
        self.starts[state] + action
    }

    /// Fails when a layout that came from a file contradicts itself.
    pub(crate) fn validate(&self) -> Result<()> {
        ensure_consistent(self.starts.first() == Some(&0) && self.starts.is_sorted())
    }
}
