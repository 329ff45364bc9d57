//! All frequent sets of items, by intersecting the baskets that hold them.

use super::AssociationRules;
use super::baskets::Baskets;
use didact_core::{Error, Result, Run, parallel};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Items that occur together, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemSet {
    /// The columns of the items, rising.
    pub items: Vec<usize>,
    /// In how many baskets all of them are.
    pub count: usize,
}

/// Every frequent set, the small ones first, equally large ones in the order of their items.
pub(super) fn frequent_sets(
    baskets: &Baskets,
    parameters: &AssociationRules,
    run: &Run,
) -> Result<Vec<ItemSet>> {
    let found = AtomicUsize::new(0);
    let firsts: Vec<usize> = (0..baskets.columns.len()).collect();
    let mut sets = parallel::map(&firsts, run, |&first| {
        let mut search = Search {
            baskets,
            parameters,
            run,
            found: &found,
            prefix: vec![first],
            bits: Vec::new(),
            sets: Vec::new(),
        };
        search.keep(baskets.counts[first])?;
        if parameters.max_items > 1 {
            search.start(first)?;
        }
        Ok(search.sets)
    })?
    .concat();
    sets.sort_unstable_by(|a, b| (a.items.len(), &a.items).cmp(&(b.items.len(), &b.items)));
    Ok(sets)
}

/// The search below one first item.
struct Search<'a> {
    baskets: &'a Baskets,
    parameters: &'a AssociationRules,
    run: &'a Run,
    found: &'a AtomicUsize,
    /// The ranks of the set that is being extended.
    prefix: Vec<usize>,
    /// A stack of bit sets of one length: which holders of the first item hold a whole set.
    bits: Vec<u64>,
    sets: Vec<ItemSet>,
}

/// An item that may extend the prefix.
#[derive(Clone, Copy)]
struct Extension {
    rank: usize,
    count: usize,
    /// Where its bit set starts on the stack.
    place: usize,
}

impl Search<'_> {
    /// Writes the frequent companions of the first item as bits over its holders alone: sets of
    /// rare items then have short bit sets.
    fn start(&mut self, first: usize) -> Result<()> {
        let holders = self.baskets.holders(first);
        let words = holders.len().div_ceil(64);
        let mut counts = vec![0usize; self.baskets.columns.len()];
        for &basket in holders {
            for &rank in self.baskets.after(basket, first) {
                counts[rank as usize] += 1;
            }
        }
        let mut extensions = Vec::new();
        let mut places = vec![usize::MAX; counts.len()];
        for (rank, &count) in counts.iter().enumerate() {
            if count >= self.baskets.min_count {
                let place = extensions.len() * words;
                places[rank] = place;
                extensions.push(Extension { rank, count, place });
            }
        }
        self.bits = vec![0; extensions.len() * words];
        for (row, &basket) in holders.iter().enumerate() {
            for &rank in self.baskets.after(basket, first) {
                let place = places[rank as usize];
                if place != usize::MAX {
                    self.bits[place + row / 64] |= 1 << (row % 64);
                }
            }
        }
        self.extend(&extensions, words)
    }

    /// Keeps every extension of the prefix and searches below it.
    fn extend(&mut self, extensions: &[Extension], words: usize) -> Result<()> {
        self.run.check()?;
        for (index, extension) in extensions.iter().enumerate() {
            self.prefix.push(extension.rank);
            self.keep(extension.count)?;
            if self.prefix.len() < self.parameters.max_items {
                let height = self.bits.len();
                let mut deeper = Vec::new();
                for other in &extensions[index + 1..] {
                    deeper.extend(self.intersect(extension, other, words));
                }
                self.extend(&deeper, words)?;
                self.bits.truncate(height);
            }
            self.prefix.pop();
        }
        Ok(())
    }

    /// Pushes the baskets that two extensions share, where those are enough.
    fn intersect(&mut self, a: &Extension, b: &Extension, words: usize) -> Option<Extension> {
        let place = self.bits.len();
        self.bits.extend_from_within(a.place..a.place + words);
        let (older, both) = self.bits.split_at_mut(place);
        let mut count = 0;
        for (word, other) in both.iter_mut().zip(&older[b.place..b.place + words]) {
            *word &= other;
            count += word.count_ones() as usize;
        }
        if count < self.baskets.min_count {
            self.bits.truncate(place);
            return None;
        }
        Some(Extension {
            rank: b.rank,
            count,
            place,
        })
    }

    /// Keeps the prefix as a frequent set, unless there are too many already.
    fn keep(&mut self, count: usize) -> Result<()> {
        if self.found.fetch_add(1, Ordering::Relaxed) >= self.parameters.max_results {
            return Err(Error::parameter(
                "min_support",
                self.parameters.min_support,
                format!(
                    "more than {} item sets are that frequent; raise it, or lower max_items, \
                     which is {}, or raise max_results",
                    self.parameters.max_results, self.parameters.max_items
                ),
            ));
        }
        let mut items: Vec<usize> = self
            .prefix
            .iter()
            .map(|&rank| self.baskets.columns[rank])
            .collect();
        items.sort_unstable();
        self.sets.push(ItemSet { items, count });
        Ok(())
    }
}
