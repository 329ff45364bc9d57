//! Rules from frequent sets.

use super::{AssociationRules, ItemSet, Rule, RuleOrder};
use didact_core::{Error, Result, Run, parallel};
use std::cmp::Ordering as Order;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many sets a thread takes at a time.
const SETS_AT_A_TIME: usize = 256;

/// Every rule that is good enough, the best first.
pub(super) fn rules(
    sets: &[ItemSet],
    n_baskets: usize,
    parameters: &AssociationRules,
    run: &Run,
) -> Result<Vec<Rule>> {
    let search = Search {
        counts: sets.iter().map(|set| (&set.items[..], set.count)).collect(),
        n_baskets,
        parameters,
        found: AtomicUsize::new(0),
    };
    let of_sets = |range: std::ops::Range<usize>| {
        let mut rules = Vec::new();
        for set in &sets[range] {
            run.check()?;
            search.grow(set, 0, &mut Vec::new(), &mut rules)?;
        }
        Ok(rules)
    };
    let join = |mut left: Vec<Rule>, right: Vec<Rule>| {
        left.extend(right);
        left
    };
    let mut rules =
        parallel::reduce(sets.len(), SETS_AT_A_TIME, run, &of_sets, &join)?.unwrap_or_default();
    rules.sort_unstable_by(|a, b| compare(a, b, parameters.order));
    Ok(rules)
}

/// Which rule comes first: by the chosen figure, then the surer, then the more frequent, then in
/// the order of their items.
fn compare(a: &Rule, b: &Rule, order: RuleOrder) -> Order {
    let figure = |rule: &Rule| match order {
        RuleOrder::Lift => rule.lift(),
        RuleOrder::Confidence => rule.confidence(),
        RuleOrder::Support => rule.support(),
        RuleOrder::Leverage => rule.leverage(),
        RuleOrder::Conviction => rule.conviction(),
    };
    figure(b)
        .total_cmp(&figure(a))
        .then(b.confidence().total_cmp(&a.confidence()))
        .then(b.n_both.cmp(&a.n_both))
        .then_with(|| (&a.antecedent, &a.consequent).cmp(&(&b.antecedent, &b.consequent)))
}

struct Search<'a> {
    counts: HashMap<&'a [usize], usize>,
    n_baskets: usize,
    parameters: &'a AssociationRules,
    found: AtomicUsize,
}

impl Search<'_> {
    /// Tries the items of the set from number `next` on as further consequents.
    ///
    /// Confidence is the count of the set over that of the antecedent, so it only falls as items
    /// move from the antecedent to the consequent: below a rule that is not sure enough there is
    /// none.
    fn grow(
        &self,
        set: &ItemSet,
        next: usize,
        consequent: &mut Vec<usize>,
        rules: &mut Vec<Rule>,
    ) -> Result<()> {
        if consequent.len() + 1 >= set.items.len() {
            return Ok(());
        }
        for index in next..set.items.len() {
            consequent.push(set.items[index]);
            let rule = self.rule(set, consequent);
            if rule.confidence() >= self.parameters.min_confidence {
                if rule.lift() >= self.parameters.min_lift {
                    self.count_one()?;
                    rules.push(rule);
                }
                self.grow(set, index + 1, consequent, rules)?;
            }
            consequent.pop();
        }
        Ok(())
    }

    fn rule(&self, set: &ItemSet, consequent: &[usize]) -> Rule {
        let antecedent: Vec<usize> = set
            .items
            .iter()
            .copied()
            .filter(|item| !consequent.contains(item))
            .collect();
        Rule {
            n_both: set.count,
            // Every part of a frequent set is frequent.
            n_antecedent: self.counts[&antecedent[..]],
            n_consequent: self.counts[consequent],
            n_baskets: self.n_baskets,
            antecedent,
            consequent: consequent.to_vec(),
        }
    }

    fn count_one(&self) -> Result<()> {
        match self.found.fetch_add(1, Ordering::Relaxed) < self.parameters.max_results {
            true => Ok(()),
            false => Err(Error::parameter(
                "min_confidence",
                self.parameters.min_confidence,
                format!(
                    "more than {} rules are that sure; raise it or min_support, or lower \
                     max_items, which is {}, or raise max_results",
                    self.parameters.max_results, self.parameters.max_items
                ),
            )),
        }
    }
}
