//! For each item the items that speak for it, and how loudly.

use crate::neighbors::ItemLists;
use didact_core::Result;
use didact_core::model::ensure_consistent;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Groups of equal size, one per item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Groups {
    n_items: usize,
    width: usize,
    members: Vec<u32>,
    pub(super) similarities: Vec<f64>,
}

impl Groups {
    /// The items of the lists, behind the item itself with similarity one where it is included.
    pub(super) fn new(lists: &ItemLists, n_items: usize, include_self: bool) -> Self {
        let width = lists.width() + usize::from(include_self);
        let (mut members, mut similarities) = (Vec::new(), Vec::new());
        for item in 0..n_items {
            if include_self {
                members.push(item as u32);
                similarities.push(1.0);
            }
            let (others, cosines) = lists.of(item);
            members.extend_from_slice(others);
            similarities.extend_from_slice(cosines);
        }
        Groups {
            n_items,
            width,
            members,
            similarities,
        }
    }

    pub(super) fn n_items(&self) -> usize {
        self.n_items
    }

    /// The members of a group with their places in the list of similarities.
    pub(super) fn of(&self, item: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let range = item * self.width..(item + 1) * self.width;
        range.map(|place| (place, self.members[place] as usize))
    }

    /// The factors W_j = Σ_{t∈G_j} S_jt·V_t of the groups.
    pub(super) fn combine(&self, similarities: &[f64], items: &Array2<f64>) -> Array2<f64> {
        let mut combined = Array2::zeros(items.dim());
        for item in 0..self.n_items {
            let mut sum = combined.row_mut(item);
            for (place, member) in self.of(item) {
                sum.scaled_add(similarities[place], &items.row(member));
            }
        }
        combined
    }

    pub(super) fn validate(&self, n_items: usize) -> Result<()> {
        let n_entries = self.n_items.checked_mul(self.width);
        ensure_consistent(
            self.n_items == n_items
                && n_entries == Some(self.members.len())
                && n_entries == Some(self.similarities.len())
                && self
                    .members
                    .iter()
                    .all(|&member| (member as usize) < n_items)
                && self.similarities.iter().all(|value| value.is_finite()),
        )
    }
}
