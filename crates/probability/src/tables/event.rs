//! Events: sets of outcomes.

use didact_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A set of outcomes 0 … n−1 of an experiment.
///
/// ```
/// use didact_probability::tables::Event;
/// let even = Event::new(6, [1, 3, 5])?; // a die shows 2, 4 or 6
/// let high = Event::new(6, [3, 4, 5])?;
/// assert_eq!(even.intersection(&high)?, Event::new(6, [3, 5])?);
/// assert_eq!(even.complement().difference(&high)?, Event::new(6, [0, 2])?);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct Event {
    n_outcomes: usize,
    /// Outcome i is bit i % 64 of word i / 64.
    words: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    n_outcomes: usize,
    outcomes: Vec<usize>,
}

impl TryFrom<Raw> for Event {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        Event::new(raw.n_outcomes, raw.outcomes)
    }
}

impl From<Event> for Raw {
    fn from(event: Event) -> Self {
        Raw {
            n_outcomes: event.n_outcomes,
            outcomes: event.outcomes().collect(),
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.outcomes()).finish()
    }
}

impl Event {
    /// The event of these outcomes among `n_outcomes`.
    pub fn new(n_outcomes: usize, outcomes: impl IntoIterator<Item = usize>) -> Result<Self> {
        let mut event = Event::impossible(n_outcomes);
        for outcome in outcomes {
            if outcome >= n_outcomes {
                return Err(Error::parameter(
                    "outcome",
                    outcome,
                    format!("it must be less than {n_outcomes}"),
                ));
            }
            event.words[outcome / 64] |= 1 << (outcome % 64);
        }
        Ok(event)
    }

    /// The empty set ∅.
    pub fn impossible(n_outcomes: usize) -> Self {
        Event {
            n_outcomes,
            words: vec![0; n_outcomes.div_ceil(64)],
        }
    }

    /// The whole set Ω.
    pub fn certain(n_outcomes: usize) -> Self {
        Event::impossible(n_outcomes).complement()
    }

    /// How many outcomes the experiment has.
    pub fn n_outcomes(&self) -> usize {
        self.n_outcomes
    }

    /// The outcomes in the event, in rising order.
    pub fn outcomes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.n_outcomes).filter(|&outcome| self.contains(outcome))
    }

    /// Whether the outcome belongs to the event.
    pub fn contains(&self, outcome: usize) -> bool {
        outcome < self.n_outcomes && self.words[outcome / 64] >> (outcome % 64) & 1 == 1
    }

    /// Whether there is no outcome in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Outcomes in either event.
    pub fn union(&self, other: &Event) -> Result<Event> {
        self.combine(other, |a, b| a | b)
    }

    /// Outcomes in both events.
    pub fn intersection(&self, other: &Event) -> Result<Event> {
        self.combine(other, |a, b| a & b)
    }

    /// Outcomes in this event that are not in the other.
    pub fn difference(&self, other: &Event) -> Result<Event> {
        self.combine(other, |a, b| a & !b)
    }

    /// Outcomes that are not in the event.
    pub fn complement(&self) -> Event {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        // Bits beyond the last outcome stay zero, so that equal sets are equal values.
        let spare = words.len() * 64 - self.n_outcomes;
        if let Some(last) = words.last_mut() {
            *last &= u64::MAX >> spare;
        }
        Event {
            n_outcomes: self.n_outcomes,
            words,
        }
    }

    /// Outcomes in at least one of the events: ⋃Aᵢ, empty for no events.
    pub fn union_of<'a>(
        n_outcomes: usize,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<Event> {
        let mut events = events.into_iter();
        events.try_fold(Event::impossible(n_outcomes), |sum, event| sum.union(event))
    }

    /// Outcomes in every one of the events: ⋂Aᵢ, everything for no events.
    pub fn intersection_of<'a>(
        n_outcomes: usize,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<Event> {
        let mut events = events.into_iter();
        events.try_fold(Event::certain(n_outcomes), |sum, event| {
            sum.intersection(event)
        })
    }

    /// Whether the events have no outcome in common.
    pub fn is_disjoint(&self, other: &Event) -> Result<bool> {
        Ok(self.intersection(other)?.is_empty())
    }

    /// Whether every outcome of this event belongs to the other.
    pub fn is_subset(&self, other: &Event) -> Result<bool> {
        Ok(self.difference(other)?.is_empty())
    }

    fn combine(&self, other: &Event, operation: impl Fn(u64, u64) -> u64) -> Result<Event> {
        if self.n_outcomes != other.n_outcomes {
            return Err(Error::data(format!(
                "one event is about {} outcomes and the other about {}; \
                 both must belong to one experiment",
                self.n_outcomes, other.n_outcomes
            )));
        }
        let pairs = self.words.iter().zip(&other.words);
        Ok(Event {
            n_outcomes: self.n_outcomes,
            words: pairs.map(|(&a, &b)| operation(a, b)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(outcomes: &[usize]) -> Event {
        Event::new(100, outcomes.iter().copied()).unwrap()
    }

    // 000b:P01: the union of many events is printed with the sign of the intersection.
    #[test]
    fn the_union_of_many_is_not_their_intersection() {
        let events = [event(&[1, 2]), event(&[2, 3]), event(&[2, 70])];
        assert_eq!(
            Event::union_of(100, &events).unwrap(),
            event(&[1, 2, 3, 70])
        );
        assert_eq!(Event::intersection_of(100, &events).unwrap(), event(&[2]));
        assert_eq!(Event::union_of(100, []).unwrap(), Event::impossible(100));
        assert_eq!(
            Event::intersection_of(100, []).unwrap(),
            Event::certain(100)
        );
        assert!(!events[0].is_disjoint(&events[1]).unwrap());
        assert!(event(&[1]).is_disjoint(&event(&[5])).unwrap());
        assert!(event(&[1]).is_subset(&events[0]).unwrap());
    }

    #[test]
    fn outcomes_outside_and_other_experiments_are_refused() {
        assert!(Event::new(6, [6]).is_err());
        assert!(Event::certain(6).union(&Event::certain(7)).is_err());
        assert_eq!(Event::certain(0).complement(), Event::impossible(0));
        assert_eq!(Event::certain(64).outcomes().count(), 64);
        let text = serde_json::to_string(&event(&[3, 99])).unwrap();
        assert_eq!(
            serde_json::from_str::<Event>(&text).unwrap(),
            event(&[3, 99])
        );
    }

    proptest! {
        // 000b:P02: the distributive law is printed with one sign wrong;
        // A∪(B∩C) = (A∪B)∩(A∪C) is right.
        #[test]
        fn sets_obey_their_laws(
            a in prop::collection::vec(0_usize..100, 0..60),
            b in prop::collection::vec(0_usize..100, 0..60),
            c in prop::collection::vec(0_usize..100, 0..60)
        ) {
            let (a, b, c) = (event(&a), event(&b), event(&c));
            let or = |x: &Event, y: &Event| x.union(y).unwrap();
            let and = |x: &Event, y: &Event| x.intersection(y).unwrap();
            let minus = |x: &Event, y: &Event| x.difference(y).unwrap();
            prop_assert_eq!(or(&a, &b), or(&b, &a));
            prop_assert_eq!(and(&a, &b), and(&b, &a));
            prop_assert_eq!(or(&a, &or(&b, &c)), or(&or(&a, &b), &c));
            prop_assert_eq!(and(&a, &and(&b, &c)), and(&and(&a, &b), &c));
            prop_assert_eq!(or(&a, &a), a.clone());
            prop_assert_eq!(and(&a, &a), a.clone());
            prop_assert_eq!(or(&a, &and(&b, &c)), and(&or(&a, &b), &or(&a, &c)));
            prop_assert_eq!(and(&a, &or(&b, &c)), or(&and(&a, &b), &and(&a, &c)));
            // De Morgan, for complements and relative to a third set.
            prop_assert_eq!(or(&a, &b).complement(), and(&a.complement(), &b.complement()));
            prop_assert_eq!(and(&a, &b).complement(), or(&a.complement(), &b.complement()));
            prop_assert_eq!(minus(&c, &or(&a, &b)), and(&minus(&c, &a), &minus(&c, &b)));
            prop_assert_eq!(minus(&c, &and(&a, &b)), or(&minus(&c, &a), &minus(&c, &b)));
            prop_assert_eq!(a.complement().complement(), a.clone());
            prop_assert_eq!(minus(&a, &b), and(&a, &b.complement()));
        }
    }
}
