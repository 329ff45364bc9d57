//! A finite probability space: outcomes with masses.

use super::Event;
use crate::check;
use didact_core::{Error, Result};
use didact_math::numeric::compensated_sum;
use serde::{Deserialize, Serialize};

/// Finitely many outcomes with probabilities that sum to one.
///
/// ```
/// use didact_probability::tables::{Event, FiniteSpace};
/// let die = FiniteSpace::uniform(6)?;
/// let even = Event::new(6, [1, 3, 5])?;
/// let high = Event::new(6, [3, 4, 5])?;
/// assert!((die.conditional(&even, &high)? - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct FiniteSpace {
    masses: Vec<f64>,
}

impl TryFrom<Vec<f64>> for FiniteSpace {
    type Error = Error;

    fn try_from(masses: Vec<f64>) -> Result<Self> {
        FiniteSpace::new(masses)
    }
}

impl From<FiniteSpace> for Vec<f64> {
    fn from(space: FiniteSpace) -> Self {
        space.masses
    }
}

impl FiniteSpace {
    /// Outcomes with these probabilities, none negative, that sum to one.
    pub fn new(masses: Vec<f64>) -> Result<Self> {
        check::probabilities("masses", &masses)?;
        Ok(FiniteSpace { masses })
    }

    /// So many outcomes, all alike.
    pub fn uniform(n_outcomes: usize) -> Result<Self> {
        FiniteSpace::new(vec![1.0 / n_outcomes.max(1) as f64; n_outcomes])
    }

    /// How many outcomes there are.
    pub fn n_outcomes(&self) -> usize {
        self.masses.len()
    }

    /// P(A), the sum of the masses of its outcomes.
    pub fn probability(&self, event: &Event) -> Result<f64> {
        check::same_dimension("the event", event.n_outcomes(), self.masses.len())?;
        let total = compensated_sum(event.outcomes().map(|outcome| self.masses[outcome]));
        Ok(total.min(1.0))
    }

    /// P(A|B) = P(A∩B)/P(B); an error where P(B) is zero.
    pub fn conditional(&self, event: &Event, given: &Event) -> Result<f64> {
        let condition = self.probability(given)?;
        if condition == 0.0 {
            return Err(Error::data(
                "the condition has probability 0; nothing is known about what never happens",
            ));
        }
        Ok(self.probability(&event.intersection(given)?)? / condition)
    }

    /// P(A|B)·P(B) summed over a partition: the total probability of A.
    pub fn total_probability(&self, event: &Event, partition: &[Event]) -> Result<f64> {
        self.check_partition(partition)?;
        let mut total = 0.0;
        for part in partition {
            let weight = self.probability(part)?;
            if weight > 0.0 {
                total += self.conditional(event, part)? * weight;
            }
        }
        Ok(total)
    }

    /// P(Aₖ|B) ∝ P(Aₖ)·P(B|Aₖ) for every part of a partition.
    pub fn bayes(&self, partition: &[Event], given: &Event) -> Result<Vec<f64>> {
        self.check_partition(partition)?;
        partition
            .iter()
            .map(|part| self.conditional(part, given))
            .collect()
    }

    /// Whether P(A∩B) = P(A)·P(B) within the tolerance.
    pub fn are_independent(&self, a: &Event, b: &Event, tolerance: f64) -> Result<bool> {
        let joint = self.probability(&a.intersection(b)?)?;
        Ok((joint - self.probability(a)? * self.probability(b)?).abs() <= tolerance)
    }

    /// Whether every selection of the events multiplies, not only every pair.
    pub fn are_jointly_independent(&self, events: &[Event], tolerance: f64) -> Result<bool> {
        if events.len() > 20 {
            return Err(Error::parameter(
                "the number of events",
                events.len(),
                "it must be at most 20, because every selection of them is tried",
            ));
        }
        for selection in 1..1_u32 << events.len() {
            let chosen = || (0..events.len()).filter(|i| selection >> i & 1 == 1);
            let together = Event::intersection_of(self.n_outcomes(), chosen().map(|i| &events[i]))?;
            let mut product = 1.0;
            for i in chosen() {
                product *= self.probability(&events[i])?;
            }
            if (self.probability(&together)? - product).abs() > tolerance {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The events must be disjoint and cover everything.
    fn check_partition(&self, partition: &[Event]) -> Result<()> {
        let n = self.n_outcomes();
        let covered = Event::union_of(n, partition)? == Event::certain(n);
        let counted: usize = partition.iter().map(|part| part.outcomes().count()).sum();
        match covered && counted == n {
            true => Ok(()),
            false => Err(Error::data(
                "the parts are no partition; each outcome must belong to exactly one of them",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_relative;
    use proptest::prelude::*;

    // 000b:P03
    #[test]
    fn masses_must_be_probabilities() {
        let error = FiniteSpace::new(vec![0.5, -0.1, 0.6])
            .unwrap_err()
            .to_string();
        assert_eq!(error, "masses[1] is -0.1; it must be between 0 and 1");
        let error = FiniteSpace::new(vec![0.5, 0.25]).unwrap_err().to_string();
        assert_eq!(error, "the sum of masses is 0.75; it must be 1");
        assert!(FiniteSpace::uniform(0).is_err());
        assert!(serde_json::from_str::<FiniteSpace>("[0.5, 0.6]").is_err());
    }

    // 000b:P05: two fair coins and their exclusive or: every pair is independent, the three
    // together are not.
    #[test]
    fn pairs_may_be_independent_where_the_whole_is_not() {
        let space = FiniteSpace::uniform(4).unwrap();
        let first = Event::new(4, [2, 3]).unwrap();
        let second = Event::new(4, [1, 3]).unwrap();
        let differ = Event::new(4, [1, 2]).unwrap();
        for (a, b) in [(&first, &second), (&first, &differ), (&second, &differ)] {
            assert!(space.are_independent(a, b, 1e-12).unwrap());
        }
        let events = [first, second, differ];
        assert!(!space.are_jointly_independent(&events, 1e-12).unwrap());
        assert!(space.are_jointly_independent(&events[..2], 1e-12).unwrap());
    }

    // 000b:P06, 000b:P07
    #[test]
    fn the_rule_of_bayes_inverts_conditionals() {
        // A test that finds 9 of 10 ill people and errs on 1 of 20 healthy ones; 1 of 100 is ill.
        let masses = vec![0.01 * 0.9, 0.01 * 0.1, 0.99 * 0.05, 0.99 * 0.95];
        let space = FiniteSpace::new(masses).unwrap();
        let ill = Event::new(4, [0, 1]).unwrap();
        let positive = Event::new(4, [0, 2]).unwrap();
        let parts = [ill.clone(), ill.complement()];
        let posterior = space.bayes(&parts, &positive).unwrap();
        assert_relative(posterior[0], 0.009 / 0.0585, 1e-14);
        assert_relative(posterior.iter().sum::<f64>(), 1.0, 1e-15);
        let total = space.total_probability(&positive, &parts).unwrap();
        assert_relative(total, space.probability(&positive).unwrap(), 1e-15);
        assert!(space.conditional(&ill, &Event::impossible(4)).is_err());
        assert!(space.bayes(&[ill.clone(), ill], &positive).is_err());
    }

    proptest! {
        // 000b:P04
        #[test]
        fn elementary_rules_hold(
            weights in prop::collection::vec(0.001..1.0_f64, 10),
            a in prop::collection::vec(0_usize..10, 0..8),
            b in prop::collection::vec(0_usize..10, 0..8)
        ) {
            let total: f64 = weights.iter().sum();
            let space = FiniteSpace::new(weights.iter().map(|w| w / total).collect()).unwrap();
            let (a, b) = (Event::new(10, a).unwrap(), Event::new(10, b).unwrap());
            let p = |event: &Event| space.probability(event).unwrap();
            let union = a.union(&b).unwrap();
            let both = a.intersection(&b).unwrap();
            prop_assert_eq!(p(&Event::impossible(10)), 0.0);
            prop_assert!((p(&Event::certain(10)) - 1.0).abs() < 1e-12);
            // Inclusion and exclusion; the union bound; additivity for disjoint parts.
            prop_assert!((p(&union) - (p(&a) + p(&b) - p(&both))).abs() < 1e-12);
            prop_assert!(p(&union) <= p(&a) + p(&b) + 1e-12);
            let rest = b.difference(&a).unwrap();
            prop_assert!((p(&union) - p(&a) - p(&rest)).abs() < 1e-12);
            // Monotone, and P(A−B) = P(A) − P(B) for B ⊂ A.
            prop_assert!(p(&both) <= p(&a) + 1e-12);
            prop_assert!((p(&a.difference(&both).unwrap()) - (p(&a) - p(&both))).abs() < 1e-12);
            prop_assert!((p(&a.complement()) - (1.0 - p(&a))).abs() < 1e-12);
        }
    }
}
